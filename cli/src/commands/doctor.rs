//! `spvctl doctor`: health checks of configuration, database, storage, mail and sign-in providers.
use crate::{
    config::{self, Config},
    context,
    exit::{Failure, Result},
    output::{Output, Record, info},
};
use api::{Providers, invoice_pdf};
use domain::{
    Ctx,
    accounts::auth::{Keys, factors},
    kernel::{
        db::{Db, SchemaState, ScopedFutureExt},
        storage::Storage,
    },
    operations::{backups, recount},
    platform::queue::{self, Unfinished},
};
use jobs::mail::ConnectionSecurity;
use std::path::Path;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl doctor\n  spvctl doctor --recount")]
pub struct Args {
    /// Put counters right that differ from what they count
    #[arg(long)]
    recount: bool,
}

/// Result of a check.
enum Finding {
    Good(String),
    /// Works, but needs attention.
    Note(String),
    Bad(String),
}
use Finding::{Bad, Good, Note};

pub async fn run(args: &Args, config: &Config, out: &Output) -> Result {
    let db = context::open_existing_database(config).await;
    // Creates nothing if there is no portal.
    if let Err(refused @ Failure::Refused(_)) = db {
        return Err(refused);
    }
    let mut findings = vec![("data folder", data_dir(&config.data_dir))];
    findings.extend(config.warnings.iter().map(|words| ("configuration", Note(words.clone()))));
    match db {
        Err(e) => findings.push(("database", Bad(e.message().unwrap_or_default()))),
        Ok(db) => {
            findings.push(("database", Good(database_kind(&config.database_url).to_owned())));
            findings.extend(connections(config, &db).await?);
            check_database(args, config, db, &mut findings).await?;
        }
    }
    findings.push(("storage", storage(config).await));
    findings.push(("virus scanner", scanner(config).await));
    findings.push(("mail", mail(config).await));
    findings.extend(providers(config).await);
    findings.push(("signing keys", keys(&config.signing_keys)));
    let bad = findings.iter().filter(|(_, finding)| matches!(finding, Bad(_))).count();
    let records = findings.into_iter().map(|(check, finding)| {
        let (state, detail) = match finding {
            Good(detail) => ("ok", detail),
            Note(detail) => ("note", detail),
            Bad(detail) => ("failed", detail),
        };
        Record::new().with("check", check).with("state", state).with("detail", detail)
    });
    out.unlimited().list(records.collect(), "checks")?;
    if bad > 0 {
        info(&format!("{bad} checks failed."));
        return Err(Failure::Found);
    }
    Ok(())
}

async fn check_database(args: &Args, config: &Config, db: Db, findings: &mut Vec<(&'static str, Finding)>) -> Result {
    findings.push(("backup folder", backup_folder(config, &db).await));
    if db.schema_state().await? != SchemaState::Usable {
        findings.push(("schema", Bad("not this program's; run `spvctl migrate`".to_owned())));
        return Ok(());
    }
    findings.push(("schema", schema(&db).await?));
    let ctx = context::operator_ctx(&config.options(None)?, db.clone());
    findings.push(("queue", queue(&ctx).await?));
    findings.push(("counters", counters(&ctx, args.recount).await?));
    findings.push(("second factors", second_factors(&ctx, &config.signing_keys).await?));
    findings.push(("demo sign-ins", demo_sign_ins(&ctx).await?));
    findings.push(("fonts", fonts(&ctx).await?));
    findings.push(("backup", backup(&ctx).await?));
    db.close().await;
    Ok(())
}

/// Compares tables, constraints, indexes and triggers with this version's schema.
async fn schema(db: &Db) -> Result<Finding> {
    if !db.is_migrated().await? {
        return Ok(Note("made by a newer spvctl, which this one can serve; upgrade it soon".to_owned()));
    }
    let differences = domain::kernel::schema::differences(&mut db.clone()).await?;
    Ok(match differences.first() {
        None => Good("up to date".to_owned()),
        Some(first) => Bad(format!(
            "{} differences from this version's schema: something else has changed the database; the first is `{}`",
            differences.len(),
            first.chars().take(120).collect::<String>()
        )),
    })
}

async fn queue(ctx: &Ctx) -> Result<Finding> {
    let Unfinished { waiting, dead } = queue::unfinished(ctx).await?;
    let workers = queue::live_workers(ctx).await?;
    let words = format!("{workers} workers, {waiting} waiting, {dead} dead");
    Ok(match (workers, dead) {
        (0, _) => Note(format!("{words}; nothing is done until `spvctl serve` or `spvctl worker` runs")),
        (_, 0) => Good(words),
        _ => Note(format!("{words}; see `spvctl job list --status dead`")),
    })
}

async fn backup_folder(config: &Config, db: &Db) -> Finding {
    let there = match config.options(None) {
        Ok(options) => {
            backups::check_directory(&context::operator_ctx(&options, db.clone())).await.map_err(Failure::from)
        }
        Err(e) => Err(e),
    };
    match there {
        Ok(()) => Good(config.backup_dir.display().to_string()),
        Err(e) => Bad(e.message().unwrap_or_default()),
    }
}

async fn backup(ctx: &Ctx) -> Result<Finding> {
    let last = backups::last_good(ctx).await?;
    let Some((last, at)) = last.as_ref().and_then(|last| Some((last, last.made_at?))) else {
        return Ok(Note(
            "none yet; one is made every night while a worker runs, or by `spvctl backup create`".to_owned(),
        ));
    };
    let words = format!("{} was made {} hours ago", last.name, (ctx.now() - at).num_hours());
    if !last.is_there() {
        let folder = last.folder.as_deref().unwrap_or_default();
        return Ok(Bad(format!("{words}, and is not in {folder} any more; see `spvctl backup list`")));
    }
    if last.is_incomplete() {
        return Ok(Note(format!("{words}, without {} documents; see `spvctl backup list`", last.documents_missing)));
    }
    Ok(if backups::overdue(ctx).await?.is_some() { Note(format!("{words}, more than a day ago")) } else { Good(words) })
}

/// TOTP factors are encrypted with the signing key at their creation, so they need it.
async fn second_factors(ctx: &Ctx, path: &Path) -> Result<Finding> {
    // Problems with the key file have a check of their own.
    let keys = if path.exists() { Keys::load_or_create(path).ok() } else { None };
    let Some(keys) = keys else { return Ok(Note("skipped: no signing keys yet".to_owned())) };
    let people = factors::list_unusable(ctx, &keys).await?;
    Ok(if people.is_empty() {
        Good("all can be checked".to_owned())
    } else {
        let people = people.join(", ");
        Bad(format!("made with a signing key that was removed: {people}; `spvctl user reset-mfa` them"))
    })
}

async fn demo_sign_ins(ctx: &Ctx) -> Result<Finding> {
    let open = domain::operations::demo_accounts::list_open(ctx).await?.join(", ");
    Ok(match open.is_empty() {
        true => Good("none can sign in".to_owned()),
        false => Note(format!("open in demo mode: {open}")),
    })
}

/// Checks for characters on invoices without an installed font: such a PDF cannot be created.
async fn fonts(ctx: &Ctx) -> Result<Finding> {
    let texts = domain::orders::invoices::texts_on_paper(ctx).await?;
    let missing = invoice_pdf::missing_letters(texts.iter().map(String::as_str));
    if !missing.is_empty() {
        let (letters, packages) = (invoice_pdf::letter_list(&missing), invoice_pdf::packages(&missing));
        return Ok(Bad(format!(
            "no font for {letters}; invoices with them have no PDF; install {packages} where the portal runs"
        )));
    }
    let absent = invoice_pdf::missing_scripts();
    Ok(if absent.is_empty() {
        Good("every letter of invoices can be drawn".to_owned())
    } else {
        let packages = "fonts-noto-core fonts-noto-cjk";
        Good(format!("every letter so far can be drawn; for {} install {packages}", absent.join(", ")))
    })
}

async fn counters(ctx: &Ctx, repair: bool) -> Result<Finding> {
    let differ = recount::diff(&ctx.db()).await?;
    if differ.is_empty() {
        return Ok(Good("agree with a fresh count".to_owned()));
    }
    let differ: Vec<String> =
        differ.into_iter().map(|(name, kept, found)| format!("{name} says {kept} for {found}")).collect();
    if repair {
        ctx.transaction(|tx| recount::rebuild(tx).scope_boxed()).await?;
        return Ok(Note(format!("put right: {}", differ.join(", "))));
    }
    Ok(Bad(format!("{}; run `spvctl doctor --recount`", differ.join(", "))))
}

async fn storage(config: &Config) -> Finding {
    let opened = Storage::open(&config.storage, config.s3.as_ref());
    match opened {
        Ok(storage) => match storage.probe().await {
            Ok(()) => Good(format!("documents are kept in {}", storage.location())),
            Err(e) => Bad(e.to_string()),
        },
        Err(e) => Bad(e.to_string()),
    }
}

async fn scanner(config: &Config) -> Finding {
    match &config.scanner {
        None => Note("none; documents are not scanned (SPV_CLAMD)".to_owned()),
        Some(scanner) => match scanner.probe().await {
            Ok(()) => Good(format!("documents are scanned by clamd at {}", scanner.location())),
            Err(e) => Bad(format!("{e}; new documents cannot be opened meanwhile")),
        },
    }
}

async fn mail(config: &Config) -> Finding {
    match context::mailer(config) {
        Err(e) => Bad(e.message().unwrap_or_default()),
        Ok(mailer) => match mailer.probe().await {
            Err(why) => Bad(format!("{why}; emails wait in the outbox until then")),
            Ok(words) => match mailer.negotiate().await {
                Ok(None) => Good(words),
                Ok(Some(ConnectionSecurity::Unencrypted)) if mailer.is_without_tls() => Note(format!(
                    "{words}; unencrypted because of ?tls=none: others on the network can read everything"
                )),
                Ok(Some(ConnectionSecurity::Unencrypted)) => {
                    Note(format!("{words}; unencrypted, as it does not offer STARTTLS"))
                }
                Ok(Some(negotiated)) => Good(format!("{words} ({negotiated})")),
                Err(why) => Bad(why),
            },
        },
    }
}

/// Compares our pool sizes with PostgreSQL's connection limit. A server and a worker are two processes.
async fn connections(config: &Config, db: &Db) -> Result<Option<(&'static str, Finding)>> {
    let Some(limit) = db.connection_limit().await? else { return Ok(None) };
    let ours = i64::from(config.pools.total());
    let words =
        format!("up to {ours} of {} for each process (max_connections is {})", limit.allowed, limit.max_connections);
    let advice = "lower SPV_DATABASE_POOL and SPV_DATABASE_QUEUE_POOL, or raise the server's max_connections";
    let finding = match limit.allowed / ours {
        0 => Bad(format!("{words}; {advice}")),
        1 => Note(format!("{words}: a second process does not fit; {advice}")),
        _ => Good(words),
    };
    Ok(Some(("database connections", finding)))
}

/// Checks the discovery document of each configured OpenID provider.
async fn providers(config: &Config) -> Vec<(&'static str, Finding)> {
    let providers = Providers::new(&config.providers, &config.public_url(None));
    let found = providers.probe().await;
    found
        .into_iter()
        .map(|(name, reached)| match reached {
            Ok(()) => ("sign-in provider", Good(format!("{name} answers"))),
            Err(why) => ("sign-in provider", Bad(format!("{name}: {why}; sign-in with it fails until then"))),
        })
        .collect()
}

fn keys(path: &Path) -> Finding {
    if !path.exists() {
        return Note(format!("{} is made at the first start", path.display()));
    }
    match Keys::load_or_create(path) {
        Ok(_) => Good(path.display().to_string()),
        Err(e) => Bad(e.to_string()),
    }
}

fn data_dir(dir: &Path) -> Finding {
    if !dir.exists() {
        return Note(format!("{} is made at the first start", dir.display()));
    }
    let probe = dir.join(".probe");
    let written = std::fs::write(&probe, b"");
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => config::restrict_permissions(dir).map_or_else(|| Good(dir.display().to_string()), Note),
        Err(e) => Bad(format!("{} cannot be written: {e}", dir.display())),
    }
}

fn database_kind(url: &str) -> &'static str {
    if url.starts_with("sqlite") { "SQLite" } else { "PostgreSQL" }
}

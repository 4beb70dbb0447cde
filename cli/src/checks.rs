//! Checks of the configuration, the mail transport, sign-in providers and fonts: what only the whole program knows. `spvctl
//! doctor` runs them without a database too; the security scan adds them to its own.
use crate::{
    config::{self, Config},
    context,
    exit::Failure,
};
use api::{Providers, invoice_pdf};
use domain::{
    Ctx,
    kernel::db::sqlite_file,
    operations::security_scan::{Finding, ProgramChecks, State},
};
use jobs::mail::ConnectionSecurity;
use std::{sync::Arc, time::Duration};

/// A mail server may take long to answer, and the rest of the scan waits.
const MAIL_TIMEOUT: Duration = Duration::from_secs(10);
/// SQLite starts the file anew at 4 MB when no reader holds it.
const LARGE_WAL_MEGABYTES: u64 = 256;

/// All checks of this program, for the security scan.
pub fn of_program(config: &Config) -> ProgramChecks {
    let config = Arc::new(config.clone());
    ProgramChecks::new(move |ctx| {
        let config = config.clone();
        async move { with_database(&config, &ctx).await }
    })
}

/// All checks.
pub async fn with_database(config: &Config, ctx: &Ctx) -> Vec<Finding> {
    let mut findings = without_database(config).await;
    findings.extend(write_ahead_log(config));
    findings.extend(connections(config, ctx).await);
    findings.extend(fonts(ctx).await);
    findings
}

/// The checks that need no database.
pub async fn without_database(config: &Config) -> Vec<Finding> {
    let mut findings = vec![data_folder(config), configuration(config), mail(config).await];
    findings.extend(providers(config).await);
    findings
}

fn ok(check: &str, code: &str) -> Finding {
    Finding::new(check, State::Ok, code)
}

fn note(check: &str, code: &str) -> Finding {
    Finding::new(check, State::Note, code)
}

pub fn failed(check: &str, code: &str) -> Finding {
    Finding::new(check, State::Failed, code)
}

fn data_folder(config: &Config) -> Finding {
    let dir = &config.data_dir;
    let folder = dir.display().to_string();
    if !dir.exists() {
        return ok("data_folder", "data_folder_new").with("folder", folder);
    }
    let probe = dir.join(".probe");
    let written = std::fs::write(&probe, b"");
    let _ = std::fs::remove_file(&probe);
    match (written, config::restrict_permissions(dir)) {
        (Err(e), _) => failed("data_folder", "data_folder_fails").because(format!("{folder} cannot be written: {e}")),
        (Ok(()), Some(_)) => note("data_folder", "data_folder_open").with("folder", folder),
        (Ok(()), None) => ok("data_folder", "data_folder_works").with("folder", folder),
    }
}

/// Settings that trust too much: any proxy, redirects to any site.
fn configuration(config: &Config) -> Finding {
    if config.warnings.is_empty() {
        return ok("configuration", "configuration_good");
    }
    note("configuration", "configuration_doubtful").because(config.warnings.join("; "))
}

/// Connects to the mail server, negotiates TLS and signs in.
async fn mail(config: &Config) -> Finding {
    let reach = async {
        let mailer = context::mailer(config).map_err(|e| e.message().unwrap_or_default())?;
        let words = mailer.probe().await?;
        let negotiated = mailer.negotiate().await?;
        Ok((words, negotiated, mailer.is_without_tls()))
    };
    let timed_out = || Err(format!("no answer within {} seconds", MAIL_TIMEOUT.as_secs()));
    match tokio::time::timeout(MAIL_TIMEOUT, reach).await.unwrap_or_else(|_| timed_out()) {
        Err(reason) if config.smtp_url.is_none() => failed("mail", "mail_folder_fails").because(reason),
        Err(reason) => failed("mail", "mail_fails").because(reason),
        // Wanted for trials, on a portal that clients cannot reach.
        Ok((words, None, _)) if config.public_url(None).starts_with("https://") => {
            note("mail", "mail_files").with("detail", words)
        }
        Ok((words, None, _)) => ok("mail", "mail_leaves").with("detail", words),
        Ok((words, Some(ConnectionSecurity::Unencrypted), by_setting)) => {
            let why = if by_setting {
                "because of ?tls=none: others on the network can read everything"
            } else {
                "as it does not offer STARTTLS"
            };
            note("mail", "mail_unencrypted").with("detail", format!("{words}; unencrypted, {why}"))
        }
        Ok((words, Some(negotiated), _)) => ok("mail", "mail_leaves").with("detail", format!("{words} ({negotiated})")),
    }
}

/// Loads the discovery document of each configured OpenID provider.
async fn providers(config: &Config) -> Vec<Finding> {
    let found = Providers::new(&config.providers, &config.public_url(None)).probe().await;
    let finding = |(name, reached): (&str, Result<(), String>)| {
        match reached {
            Ok(()) => ok("provider", "provider_works"),
            Err(reason) => failed("provider", "provider_fails").because(reason),
        }
        .with("name", name)
    };
    found.into_iter().map(finding).collect()
}

/// Size of SQLite's write-ahead log, beside its database.
fn write_ahead_log(config: &Config) -> Option<Finding> {
    let mut log = sqlite_file(&config.database_url).ok()??.into_os_string();
    log.push("-wal");
    let megabytes = std::fs::metadata(log).map_or(0, |found| found.len()) >> 20;
    let found = if megabytes > LARGE_WAL_MEGABYTES { note("wal", "wal_large") } else { ok("wal", "wal_small") };
    Some(found.with("megabytes", megabytes))
}

/// Compares the pool sizes with PostgreSQL's connection limit. A server and a worker are two processes.
async fn connections(config: &Config, ctx: &Ctx) -> Option<Finding> {
    let limit = ctx.db.connection_limit().await.ok()??;
    let pool = i64::from(config.pools.total());
    let found = match limit.allowed / pool {
        0 => failed("connections", "connections_exceeded"),
        1 => note("connections", "connections_tight"),
        _ => ok("connections", "connections_fit"),
    };
    Some(found.with("pool", pool).with("allowed", limit.allowed).with("max", limit.max_connections))
}

/// Checks for characters on invoices without an installed font: such a PDF cannot be created.
async fn fonts(ctx: &Ctx) -> Option<Finding> {
    let texts = domain::orders::invoices::texts_on_paper(ctx).await.ok()?;
    let missing = invoice_pdf::missing_letters(texts.iter().map(String::as_str));
    if !missing.is_empty() {
        let found = failed("fonts", "fonts_missing").with("letters", invoice_pdf::letter_list(&missing));
        return Some(found.with("packages", invoice_pdf::packages(&missing)));
    }
    let absent = invoice_pdf::missing_scripts();
    Some(if absent.is_empty() {
        ok("fonts", "fonts_complete")
    } else {
        note("fonts", "fonts_partial").with("scripts", absent.join(", "))
    })
}

/// The database cannot be opened.
pub fn no_database(why: &Failure) -> Finding {
    failed("database", "database_fails").because(why.message().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::kernel::i18n::LANGUAGES;

    /// Checks and codes are literals: read from the sources, so that a new one without a sentence fails.
    #[test]
    fn every_finding_has_sentences_in_each_language() {
        let domain = include_str!("../../domain/src/operations/security_scan/checks.rs");
        let mut count = 0;
        for source in [domain, include_str!("checks.rs"), include_str!("commands/doctor.rs")] {
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            for (state, call) in [(State::Ok, "ok(\""), (State::Note, "note(\""), (State::Failed, "failed(\"")] {
                let is_call = |at: &usize| !source[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                for at in source.match_indices(call).map(|(at, _)| at).filter(is_call) {
                    let mut literals = source[at..].split('"').skip(1).step_by(2);
                    let (check, code) = (literals.next().unwrap_or_default(), literals.next().unwrap_or_default());
                    count += 1;
                    for (language, plural) in LANGUAGES.iter().flat_map(|language| [(language, 1), (language, 2)]) {
                        let texts = Finding::new(check, state, code).with("count", plural).texts(language);
                        assert_ne!(texts.name, check, "{language} check.{check}");
                        assert_ne!(texts.text, code, "{language} found.{code}");
                        assert_eq!(texts.remedy.is_some(), state != State::Ok, "{language} todo.{code}");
                    }
                }
            }
        }
        assert!(count > 65, "{count} findings in the sources");
    }
}

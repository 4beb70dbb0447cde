//! `spvctl doctor`: the checks of the security scan, on this machine.
use crate::{
    checks,
    config::Config,
    context,
    exit::{Failure, Result},
    output::{Output, Record, info},
};
use domain::{
    Ctx,
    kernel::{
        db::{Db, SchemaState, ScopedFutureExt},
        i18n::LANGUAGES,
    },
    operations::{
        recount,
        security_scan::{self, Finding, State, Texts},
    },
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl doctor\n  spvctl doctor --recount\n\n\
                        Ends with 1 if a check failed, so that a monitor can run it.")]
pub struct Args {
    /// Put counters right that differ from what they count
    #[arg(long)]
    recount: bool,
}

pub async fn run(args: &Args, config: &Config, out: &Output) -> Result {
    let findings = match context::open_existing_database(config).await {
        // Creates nothing if there is no portal.
        Err(refused @ Failure::Refused(_)) => return Err(refused),
        Err(e) => {
            let mut findings = vec![checks::no_database(&e)];
            findings.extend(checks::without_database(config).await);
            findings.extend(security_scan::disk(&config.data_dir));
            findings
        }
        Ok(db) => with_database(args, config, db).await?,
    };
    let failed = findings.iter().filter(|finding| finding.state == State::Failed).count();
    out.wrapped().list(findings.iter().map(record).collect(), "checks")?;
    match failed {
        0 => return Ok(()),
        1 => info("1 check failed."),
        _ => info(&format!("{failed} checks failed.")),
    }
    Err(Failure::Found)
}

fn record(finding: &Finding) -> Record {
    let Texts { text, remedy, .. } = finding.texts(LANGUAGES[0]);
    let detail = remedy.map_or_else(|| text.clone(), |remedy| format!("{text} {remedy}"));
    Record::new().with("check", finding.check.as_str()).with("state", finding.state.name()).with("detail", detail)
}

async fn with_database(args: &Args, config: &Config, db: Db) -> Result<Vec<Finding>> {
    if db.schema_state().await? != SchemaState::Usable {
        let mut findings = vec![checks::failed("schema", "schema_differs")];
        findings.extend(checks::without_database(config).await);
        return Ok(findings);
    }
    let ctx = context::operator_ctx(&config.options(None)?, db.clone());
    if args.recount {
        repair_counters(&ctx).await?;
    }
    let findings = security_scan::run_all(&ctx, &checks::of_program(config)).await?;
    db.close().await;
    Ok(findings)
}

async fn repair_counters(ctx: &Ctx) -> Result {
    for (name, stored, counted) in recount::diff(&ctx.db()).await? {
        info(&format!("Put right: {name} said {stored} for {counted}."));
    }
    ctx.transaction(|tx| recount::rebuild(tx).scope_boxed()).await?;
    Ok(())
}

//! `spvctl move --to URL`
use super::backup::show_progress;
use crate::{
    config::{is_database, without_password},
    context::{CliContext, foreign_database},
    exit::{Failure, Result},
    output::{Record, counted, info},
    progress, shutdown,
};
use domain::{
    Error,
    kernel::db::{Db, Durability, Existing, inspect},
    operations::backups::{self, Progress},
};

/// Long help of `spvctl move`.
pub const ABOUT: &str = "\
Move the whole portal into another database

Stop the portal and its workers first, two minutes before. Every row is copied and compared in one transaction: all of it \
is there afterwards, or nothing. Documents, emails, keys and backups stay where they are, and so does the old database, as \
it is.";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl move --to postgres://spv:secret@db/spv\n  spvctl --database-url postgres://spv@db/spv move --to sqlite:/srv/spv/spv.db --yes"
)]
pub struct Args {
    /// postgres://… or sqlite:<file>; it is empty, or not there yet
    #[arg(long, value_name = "URL")]
    to: String,
}

async fn open(url: &str) -> Result<Db> {
    Db::open(url, Durability::Full).await.map_err(not_reached)
}

fn not_reached(error: Error) -> Failure {
    match error {
        Error::Unavailable(why) => Failure::Refused(format!("--to: the database cannot be reached: {why}")),
        other => Failure::Usage(format!("--to: {other}")),
    }
}

pub async fn run(args: Args, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    if !is_database(&args.to) {
        return Err(Failure::Usage("--to: postgres://… or sqlite:<file> is wanted".to_owned()));
    }
    let (from, to) = (cli.config.database(), without_password(&args.to));
    let existing = inspect(&args.to).await.map_err(not_reached)?;
    if existing == Some(Existing::Foreign) {
        return Err(foreign_database(&to));
    }
    let question = format!("Move everything out of {from} into {to}?");
    // Opening a file that is not there yet creates it.
    let target = if existing == Some(Existing::Nothing) {
        backups::check_transfer(ctx, None).await?;
        cli.prompt.confirm(&question)?;
        open(&args.to).await?
    } else {
        let target = open(&args.to).await?;
        backups::check_transfer(ctx, Some(&target)).await?;
        cli.prompt.confirm(&question)?;
        target
    };
    let bar = progress::spinner();
    let mut stop = shutdown::on_signal();
    let on_progress = |progress: Progress<'_>| show_progress(&bar, progress, "moved");
    let moving = tokio::select! {
        moving = backups::begin_transfer(ctx, &target, &on_progress) => Some(moving),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    bar.finish_and_clear();
    // Not interruptible from here on: during the commit it would be unknown whether the move took place.
    let moved = match moving {
        Some(moving) => moving?.commit().await,
        None => return Err(Failure::Refused("stopped; nothing was moved".to_owned())),
    };
    target.close().await;
    let moved = moved?;
    cli.out.one(
        Record::new()
            .with("tables", moved.tables)
            .with("rows", moved.rows)
            .with("jobs", moved.jobs)
            .with("documents", moved.documents),
    )?;
    info("Every row was compared: both databases hold the same. Jobs that wait or were given up came along.");
    info("Next:");
    info("  1. Set SPV_DATABASE_URL, or database_url in the configuration file, to where the portal is now.");
    info("     The other settings, and the data folder with its documents and keys, stay as they are.");
    info("  2. Run `spvctl doctor` and `spvctl activity verify`.");
    let jobs = counted(moved.jobs, "job");
    info(&format!("  3. Start the portal: `spvctl serve`. It continues {jobs}, including emails."));
    info("Do not start it on the old database any more: what is written there is not moved again.");
    Ok(())
}

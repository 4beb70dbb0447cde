//! `spvctl move --to URL`
use super::backup::{bar, show};
use crate::{
    config::{is_database, without_password},
    exit::{Failure, Result},
    output::{Record, say},
    portal::{Portal, foreign},
    shutdown,
};
use domain::{
    Error,
    kernel::db::{Db, Durability, Existing, inspect},
    operations::backups::{self, Progress},
};

/// What is to be done before, and what stays.
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

pub async fn run(args: Args, portal: &Portal) -> Result {
    let ctx = &portal.ctx;
    if !is_database(&args.to) {
        return Err(Failure::Usage("--to: postgres://… or sqlite:<file> is wanted".to_owned()));
    }
    let (from, to) = (portal.config.database(), without_password(&args.to));
    portal.ask.sure(&format!("Move everything out of {from} into {to}?"))?;
    if inspect(&args.to).await? == Some(Existing::Foreign) {
        return Err(foreign(&to));
    }
    let target = Db::open(&args.to, Durability::Full).await.map_err(|e| match e {
        Error::Unavailable(why) => Failure::Refused(format!("--to: the database cannot be reached: {why}")),
        other => Failure::Usage(format!("--to: {other}")),
    })?;
    let bar = bar();
    let mut stop = shutdown::on_signal();
    let tell = |progress: Progress<'_>| show(&bar, progress, "moved");
    let moving = tokio::select! {
        moving = backups::begin_transfer(ctx, &target, &tell) => Some(moving),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    bar.finish_and_clear();
    // Asked to stop from here on, it is done all the same: nobody could say whether it was.
    let moved = match moving {
        Some(moving) => moving?.commit().await,
        None => return Err(Failure::Refused("stopped; nothing was moved".to_owned())),
    };
    target.close().await;
    let moved = moved?;
    portal.out.one(
        Record::new()
            .with("tables", moved.tables)
            .with("rows", moved.rows)
            .with("jobs", moved.jobs)
            .with("documents", moved.documents),
    )?;
    say("Every row was compared: both databases hold the same. Jobs that wait or were given up came along.");
    say("Next:");
    say("  1. Set SPV_DATABASE_URL, or database_url in the configuration file, to where the portal is now.");
    say("     The other settings, and the data folder with its documents and keys, stay as they are.");
    say("  2. Run `spvctl doctor` and `spvctl activity verify`.");
    say(&format!("  3. Start the portal: `spvctl serve`. {} jobs, including emails, continue then.", moved.jobs));
    say("Do not start it on the old database any more: what is written there is not moved again.");
    Ok(())
}

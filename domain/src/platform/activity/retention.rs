//! Retention of the activity log: prunes old rows and moves the checkpoint.
//!
//! An entry of the log records each checkpoint, so that a checkpoint moved by hand fails the verification.
use super::{Activity, Event, append, store};
use crate::{
    kernel::{ctx::Ctx, db::ScopedFutureExt, error::Result},
    platform::settings,
};
use chrono::{DateTime, Duration, NaiveTime, Utc};
use uuid::Uuid;

/// Rows pruned in one transaction: few, so that writers do not wait long for it.
const BATCH: i64 = 1_000;

const ACTION: &str = "activity.cut";

/// Prunes rows after the retention of the settings and returns how many. For the schedule.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "activity.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    let Some(days) = settings::get(ctx).await?.retention.activity_days else { return Ok(0) };
    // Whole days, so that there is one entry about it a day.
    let day = ctx.now() - Duration::days(i64::try_from(days).unwrap_or(i64::MAX).min(36_500));
    prune(ctx, day.date_naive().and_time(NaiveTime::MIN).and_utc()).await
}

/// Prunes rows older than `before` and returns how many. For our own jobs.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "activity.prune", skip_all)]
pub async fn prune(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    let mut pruned = 0;
    loop {
        let mut db = ctx.db();
        let from = store::checkpoint(&mut db).await?;
        let rows = store::oldest(&mut db, from.0, BATCH).await?;
        let Some((seq, _, hash)) = rows.into_iter().take_while(|(_, at, _)| *at < before).last() else {
            return Ok(pruned);
        };
        let count = seq - from.0;
        let (from, to) = (&from, &(seq, hash));
        let done = ctx.transaction(|tx| {
            async move {
                if !store::prune(tx, from, to).await? {
                    return Ok(false);
                }
                let event = Event::new(ACTION, "activity", Uuid::nil(), "Activity log")
                    .with("seq", to.0)
                    .with("hash", to.1.clone())
                    .with("count", count);
                append(tx, ctx, event).await?;
                Ok(true)
            }
            .scope_boxed()
        });
        if !done.await? {
            // Another process is pruning.
            return Ok(pruned);
        }
        pruned += count.unsigned_abs();
    }
}

/// Whether this entry records the checkpoint.
pub(super) fn explains_checkpoint(row: &Activity, checkpoint: &(i64, String)) -> bool {
    row.action == ACTION
        && row.data.get("seq").and_then(serde_json::Value::as_i64) == Some(checkpoint.0)
        && row.data.get("hash").and_then(serde_json::Value::as_str) == Some(&checkpoint.1)
}

//! Cuts off what the log need not keep any more. What is left still begins where the checkpoint says, and an entry of
//! the log itself says so too: moving the checkpoint by hand is found like any other change.
use super::{Activity, Event, append, store};
use crate::{
    kernel::{ctx::Ctx, db::ScopedFutureExt, error::Result},
    platform::settings,
};
use chrono::{DateTime, Duration, NaiveTime, Utc};
use uuid::Uuid;

/// Rows cut off in one transaction: few enough that no writer waits long behind it.
const BATCH: i64 = 1_000;

const ACTION: &str = "activity.cut";

/// Cuts off rows older than the settings want them kept, and says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    let Some(days) = settings::get(ctx).await?.retention.activity_days else { return Ok(0) };
    // Whole days, so that the log tells of it once a day.
    let day = ctx.now() - Duration::days(i64::try_from(days).unwrap_or(i64::MAX).min(36_500));
    cut(ctx, day.date_naive().and_time(NaiveTime::MIN).and_utc()).await
}

/// Cuts off rows older than `before` and says how many. Our own jobs.
///
/// # Errors
/// What the database refuses.
pub async fn cut(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    let mut gone = 0;
    loop {
        let mut db = ctx.db();
        let from = store::checkpoint(&mut db).await?;
        let rows = store::oldest(&mut db, from.0, BATCH).await?;
        let Some((seq, _, hash)) = rows.into_iter().take_while(|(_, at, _)| *at < before).last() else {
            return Ok(gone);
        };
        let count = seq - from.0;
        let (from, to) = (&from, &(seq, hash));
        let done = ctx.transaction(|tx| {
            async move {
                if !store::cut(tx, from, to).await? {
                    return Ok(false);
                }
                let told = Event::new(ACTION, "activity", Uuid::nil(), "Activity log")
                    .with("seq", to.0)
                    .with("hash", to.1.clone())
                    .with("count", count);
                append(tx, ctx, told).await?;
                Ok(true)
            }
            .scope_boxed()
        });
        if !done.await? {
            // Another process is at it.
            return Ok(gone);
        }
        gone += count.unsigned_abs();
    }
}

/// Whether this entry says that the log was cut off there.
pub(super) fn tells_of(row: &Activity, checkpoint: &(i64, String)) -> bool {
    row.action == ACTION
        && row.data.get("seq").and_then(serde_json::Value::as_i64) == Some(checkpoint.0)
        && row.data.get("hash").and_then(serde_json::Value::as_str) == Some(&checkpoint.1)
}

//! Deletes what has had its time.
use crate::{outcome, state::State};
use chrono::{Duration, NaiveTime};
use domain::{
    activity,
    auth::{factors, failures, flows, gaps, links, sessions},
    documents::uploads,
    idempotency, notifications,
    queue::{self, Job, worker::Failure},
    settings,
};
use serde::{Deserialize, Serialize};

/// Expired links, flows and challenges, sessions that nobody used for ninety days, and a month later all that ended, old failures and pauses between mails, idempotency keys older than two days,
/// jobs done a week ago, uploads that nobody went on with for a day. A schedule's last tick is a job too: the week keeps it longer than any schedule's period.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CleanUp {}

impl Job for CleanUp {
    const NAME: &'static str = "portal.clean_up";
}

pub async fn clean_up(state: State, _: CleanUp) -> Result<(), Failure> {
    let ctx = state.ctx(CleanUp::NAME);
    let now = ctx.now();
    let links = links::clean_up(&ctx, now).await.map_err(outcome::of)?;
    let sessions =
        sessions::clean_up(&ctx, now - Duration::days(90), now - Duration::days(30)).await.map_err(outcome::of)?;
    let flows = flows::clean_up(&ctx, now).await.map_err(outcome::of)?;
    let failures = failures::clean_up(&ctx).await.map_err(outcome::of)?;
    let gaps = gaps::clean_up(&ctx, now - Duration::days(1)).await.map_err(outcome::of)?;
    let challenges = factors::clean_up(&ctx).await.map_err(outcome::of)?;
    let keys = idempotency::clean_up(&ctx, now - Duration::days(2)).await.map_err(outcome::of)?;
    let told = notifications::clean_up(&ctx, now - Duration::days(180)).await.map_err(outcome::of)?;
    let jobs = queue::clean_up(&ctx, now - Duration::days(7)).await.map_err(outcome::of)?;
    let uploads = uploads::clean_up(&ctx).await.map_err(outcome::of)?;
    let kept = settings::get(&ctx).await.map_err(outcome::of)?.retention;
    if let Some(days) = kept.activity_days {
        // Whole days, so that the log tells of it once a day.
        let day = now - Duration::days(i64::try_from(days).unwrap_or(i64::MAX).min(36_500));
        let entries =
            activity::cut(&ctx, day.date_naive().and_time(NaiveTime::MIN).and_utc()).await.map_err(outcome::of)?;
        tracing::info!(entries, "the activity log was cut");
    }
    tracing::info!(uploads, links, sessions, flows, failures, gaps, challenges, keys, told, jobs, "cleaned up");
    Ok(())
}

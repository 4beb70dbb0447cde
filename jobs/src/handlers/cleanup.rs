//! Deletes what has had its time.
use crate::{outcome, state::State};
use chrono::Duration;
use domain::{
    accounts::auth::{factors, flows, links, login_throttle, mail_rate_limit, sessions},
    kernel::idempotency,
    orders::documents::uploads,
    outbox::notifications,
    platform::{
        activity,
        queue::{self, Job, worker::Failure},
    },
};
use serde::{Deserialize, Serialize};

/// Expired links, flows and challenges, sessions that nobody used for too long, and a month later all that ended, old
/// failures and pauses between mails, idempotency keys, notifications, jobs that are done, what the log need not keep,
/// uploads that nobody went on with. For how long each is kept, its module says.
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
        sessions::clean_up(&ctx, now - sessions::MAX_IDLE, now - Duration::days(30)).await.map_err(outcome::of)?;
    let flows = flows::clean_up(&ctx, now).await.map_err(outcome::of)?;
    let failures = login_throttle::clean_up(&ctx).await.map_err(outcome::of)?;
    let gaps = mail_rate_limit::clean_up(&ctx, now - Duration::days(1)).await.map_err(outcome::of)?;
    let challenges = factors::clean_up(&ctx).await.map_err(outcome::of)?;
    let keys = idempotency::clean_up(&ctx).await.map_err(outcome::of)?;
    let told = notifications::clean_up(&ctx).await.map_err(outcome::of)?;
    let jobs = queue::clean_up(&ctx).await.map_err(outcome::of)?;
    let log = activity::clean_up(&ctx).await.map_err(outcome::of)?;
    // Last: a storage that is away stops nothing else.
    let uploads = uploads::clean_up(&ctx).await.map_err(outcome::of)?;
    tracing::info!(uploads, links, sessions, flows, failures, gaps, challenges, keys, told, jobs, log, "cleaned up");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Mailer, sender};
    use domain::{
        kernel::{clock::Clock, page::PageQuery},
        platform::{
            activity::Filter,
            settings::{self, Retention, Settings},
        },
        testing::{World, noon, on_both},
    };

    #[tokio::test]
    async fn the_log_is_kept_for_as_long_as_the_settings_say() {
        on_both(async |world| {
            world.company("Meridian").await;
            let later = World { clock: Clock::fixed(noon() + Duration::days(200)), ..world.clone() };
            let ctx = later.operator();
            let mailer = Mailer::files(&world.dir.0, sender("office@example.com").unwrap());
            let is_kept_after_cleaning = async || {
                activity::sequence_all(&ctx).await.unwrap();
                clean_up(State::new(ctx.clone(), mailer.clone()), CleanUp {}).await.unwrap();
                let log = activity::list(&ctx, &Filter::default(), &PageQuery::default()).await.unwrap().items;
                log.iter().any(|row| row.action == "company.created")
            };
            assert!(is_kept_after_cleaning().await, "nobody has said for how long");
            for (days, kept) in [(201, true), (190, false)] {
                let retention = Retention { activity_days: Some(days) };
                settings::set(&ctx, |now| Settings { retention, ..now }).await.unwrap();
                assert_eq!(is_kept_after_cleaning().await, kept, "{days} days");
            }
        })
        .await;
    }
}

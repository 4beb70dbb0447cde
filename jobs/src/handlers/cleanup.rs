//! Clean-up job: deletes rows past their retention.
use crate::{job_error, state::State};
use chrono::Duration;
use domain::{
    accounts::auth::{factors, flows, links, login_throttle, mail_rate_limit, sessions},
    kernel::idempotency,
    operations::imports,
    orders::documents::{self, uploads},
    outbox::notifications,
    platform::{
        activity, approvals,
        queue::{self, Job, worker::Failure},
    },
};
use serde::{Deserialize, Serialize};

/// Ends expired sessions and approvals. Deletes expired links, flows and challenges, sessions that ended a month ago, old login failures and mail
/// cooldowns, idempotency keys, notifications, finished jobs, activity past its retention, rows of imports that can no longer be
/// undone, deleted documents and abandoned uploads. Each retention is defined in its module.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CleanUp {}

impl Job for CleanUp {
    const NAME: &'static str = "portal.clean_up";
}

pub async fn clean_up(state: State, _: CleanUp) -> Result<(), Failure> {
    let ctx = state.ctx(CleanUp::NAME);
    let now = ctx.now();
    let links = links::clean_up(&ctx, now).await.map_err(job_error::classify)?;
    let sessions = sessions::clean_up(&ctx, now - Duration::days(30)).await.map_err(job_error::classify)?;
    let flows = flows::clean_up(&ctx, now).await.map_err(job_error::classify)?;
    let failures = login_throttle::clean_up(&ctx).await.map_err(job_error::classify)?;
    let gaps = mail_rate_limit::clean_up(&ctx, now - Duration::days(1)).await.map_err(job_error::classify)?;
    let challenges = factors::clean_up(&ctx).await.map_err(job_error::classify)?;
    let keys = idempotency::clean_up(&ctx).await.map_err(job_error::classify)?;
    let notifications = notifications::clean_up(&ctx).await.map_err(job_error::classify)?;
    let jobs = queue::clean_up(&ctx).await.map_err(job_error::classify)?;
    let activity = activity::clean_up(&ctx).await.map_err(job_error::classify)?;
    let approvals = approvals::clean_up(&ctx).await.map_err(job_error::classify)?;
    let import_rows = imports::clean_up(&ctx).await.map_err(job_error::classify)?;
    // Last, so that unavailable storage does not stop the others. Rows of uploads refer to those of documents.
    let uploads = uploads::clean_up(&ctx).await.map_err(job_error::classify)?;
    let documents = documents::clean_up(&ctx).await.map_err(job_error::classify)?;
    tracing::info!(
        uploads,
        documents,
        links,
        sessions,
        flows,
        failures,
        gaps,
        challenges,
        keys,
        notifications,
        jobs,
        activity,
        approvals,
        import_rows,
        "cleaned up"
    );
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
    async fn activity_is_deleted_after_the_configured_retention() {
        on_both(async |world| {
            world.company("Meridian").await;
            let later = World { clock: Clock::fixed(noon() + Duration::days(200)), ..world.clone() };
            let ctx = later.operator();
            let mailer = Mailer::files(&world.dir.path, sender("office@example.com").unwrap());
            let is_kept_after_cleaning = async || {
                activity::sequence_all(&ctx).await.unwrap();
                clean_up(State::new(ctx.clone(), mailer.clone()), CleanUp {}).await.unwrap();
                let log = activity::list(&ctx, &Filter::default(), &PageQuery::default()).await.unwrap().items;
                log.iter().any(|row| row.action == "company.created")
            };
            assert!(is_kept_after_cleaning().await, "kept without a retention");
            for (days, kept) in [(201, true), (190, false)] {
                let retention = Retention { activity_days: Some(days) };
                settings::set(&ctx, |now| Settings { retention, ..now }).await.unwrap();
                assert_eq!(is_kept_after_cleaning().await, kept, "{days} days");
            }
        })
        .await;
    }
}

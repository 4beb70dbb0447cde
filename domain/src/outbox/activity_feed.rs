//! Activity feed: numbers committed activity, creates its notifications, then broadcasts it to the open pages of this process.
use super::notifications::NotificationCursor;
use crate::{
    kernel::{ctx::Ctx, error::Result},
    platform::activity::{self, Activity, ActivityWatcher, Sequenced},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::broadcast;

/// Pause after a round that failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Live events of the log. A receiver that lags reads [`activity::since`] instead.
pub type ActivityBroadcast = broadcast::Sender<Arc<Activity>>;

/// Runs until the process ends. Retries while the database cannot be reached.
///
/// `on_sequenced` is called for each event before it is broadcast, so that caches of this process are invalidated before a
/// page that received the event asks again.
pub async fn run(ctx: Ctx, broadcast: ActivityBroadcast, on_sequenced: impl Fn(&Activity) + Send + Sync) {
    let mut watcher = ActivityWatcher::new(&ctx.db);
    let mut last = None;
    let mut cursor = NotificationCursor::default();
    loop {
        if let Err(error) = run_round(&ctx, &broadcast, &on_sequenced, &mut last, &mut cursor).await {
            tracing::warn!(%error, "activity feed failed");
            tokio::time::sleep(RETRY_DELAY).await;
        }
        watcher.wait().await;
    }
}

/// Numbers and broadcasts all new rows, many at a time. Rows that this process numbered itself are not read again: under
/// load these are nearly all.
async fn run_round(
    ctx: &Ctx,
    broadcast: &ActivityBroadcast,
    on_sequenced: impl Fn(&Activity),
    last: &mut Option<i64>,
    cursor: &mut NotificationCursor,
) -> Result<()> {
    let mut after = match *last {
        Some(last) => last,
        None => activity::last_number(ctx).await?,
    };
    *last = Some(after);
    loop {
        // `on_sequenced` comes before the notifications, whose transaction may have to wait: a suspended account must lose
        // access at once. Notifications come before the broadcast: a page that hears of an event finds its notification.
        let Sequenced { rows, more } = activity::sequence_batch(ctx, after, &on_sequenced).await?;
        let (rows, more, notified) = if rows.is_empty() {
            // Other processes number rows, too.
            let (rows, more_numbered) = activity::read_after(ctx, after).await?;
            rows.iter().for_each(&on_sequenced);
            (rows, more || more_numbered, cursor.process_pending(ctx).await)
        } else {
            let notified = cursor.process_sequenced(ctx, &rows).await;
            (rows.into_iter().map(|(row, _)| row).collect(), more, notified)
        };
        // Notifications can wait for the next round, events cannot.
        if let Err(error) = notified {
            tracing::warn!(%error, "creating notifications failed");
        }
        for row in rows {
            after = row.seq.unwrap_or(after);
            *last = Some(after);
            // Fails without receivers, which is fine.
            let _ = broadcast.send(Arc::new(row));
        }
        if !more {
            return Ok(());
        }
    }
}

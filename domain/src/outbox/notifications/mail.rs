//! Notification mails: immediate ones after a grace period, unless read in the app, and a daily digest.
//!
//! A mail contains the sentences of the activity log and no content: no message text, no amount, no document.
use super::{MailFrequency, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::UserId,
    },
    outbox::mails::{self, Kind},
    platform::{
        activity::{self, Activity},
        queue::{self, Job},
    },
};
use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// How long a mail waits for the notification to be read in the app.
pub const READ_GRACE: Duration = Duration::minutes(2);
/// How long the staff may undo a change of a step: notifications younger than this wait for the next mail.
const UNDO_WINDOW: Duration = Duration::seconds(10);
/// Hour of the recipient's day from which the digest is sent.
const DIGEST_HOUR: u32 = 8;
/// The action of a changed step in the log.
const STEP_UPDATED: &str = "step.updated";
/// Events listed in one mail; further ones are only counted.
const MAX_LINES: usize = 20;

/// The job that mails a user their unread notifications.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendImmediateMail {
    pub user_id: UserId,
}

impl Job for SendImmediateMail {
    const NAME: &'static str = "notifications.mail";
}

/// The job that sends the digests that are due.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct SendDigests {}

impl Job for SendDigests {
    const NAME: &'static str = "notifications.digests";
}

/// Mails a user all pending notifications; false when none is left. Changes of a step that is back in its old status are
/// dropped. Staff and our own jobs.
///
/// # Errors
/// Forbidden; what the database refuses.
#[tracing::instrument(level = "debug", name = "notifications.send_immediate_mail", skip_all, fields(user_id = %user))]
pub async fn send_immediate_mail(ctx: &Ctx, user: UserId) -> Result<bool> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            // Waits for transactions that create notifications: they rely on this job and enqueue no other.
            store::lock_cursor(tx).await?;
            let settled = ctx.now() - UNDO_WINDOW;
            let mailed = mail(tx, ctx, user, MailFrequency::Now, Kind::Notices, settled).await?;
            if store::has_pending_mail(tx, user, settled).await? {
                queue::enqueue_at(tx, &SendImmediateMail { user_id: user }, ctx.now() + READ_GRACE).await?;
            }
            Ok(mailed)
        }
        .scope_boxed()
    })
    .await
}

/// Sends the digest to every user whose digest hour has passed, once per local day, and returns how many. After days without
/// a server there is one digest. Staff and our own jobs.
///
/// # Errors
/// Forbidden; what the database refuses.
#[tracing::instrument(level = "debug", name = "notifications.send_digests", skip_all)]
pub async fn send_digests(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut sent = 0;
    for reader in &store::digest_recipients(&mut ctx.db()).await? {
        let Some(today) = digest_day(ctx.now(), &reader.time_zone) else { continue };
        if reader.sent_date >= Some(today) {
            continue;
        }
        let mailed = ctx.transaction(|tx| {
            async move {
                Ok(store::mark_digest_sent(tx, reader.id, today).await?
                    && mail(tx, ctx, reader.id, MailFrequency::Daily, Kind::Digest, ctx.now()).await?)
            }
            .scope_boxed()
        });
        sent += usize::from(mailed.await?);
    }
    Ok(sent)
}

/// The local day whose digest is due: from the digest hour on. UTC for an unknown zone.
pub(crate) fn digest_day(now: DateTime<Utc>, zone: &str) -> Option<NaiveDate> {
    let zone: chrono_tz::Tz = zone.parse().unwrap_or(chrono_tz::UTC);
    let there = now.with_timezone(&zone);
    (there.hour() >= DIGEST_HOUR).then(|| there.date_naive())
}

/// Mails the notifications up to a time; false when none is left.
async fn mail(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    frequency: MailFrequency,
    kind: Kind,
    until: DateTime<Utc>,
) -> Result<bool> {
    let seqs = store::take_pending(tx, user, frequency, until).await?;
    let mut events = store::events_by_number(tx, &seqs).await?;
    events.reverse();
    let events = without_undone_steps(tx, events).await?;
    if events.is_empty() {
        return Ok(false);
    }
    let lines: Vec<Value> = events.iter().take(MAX_LINES).map(line).collect();
    let data = Map::from_iter([
        ("count".to_owned(), events.len().into()),
        ("more".to_owned(), events.len().saturating_sub(MAX_LINES).into()),
        ("events".to_owned(), lines.into()),
    ]);
    mails::queue(tx, ctx, kind, user, None, data).await?;
    Ok(true)
}

/// Drops the changes of each step whose status is the one before the first of them: they were undone. The log has the
/// status, as every change of a step is in it. Events are oldest first.
async fn without_undone_steps(tx: &mut Tx, mut events: Vec<Activity>) -> Result<Vec<Activity>> {
    let mut began: Vec<(Uuid, Value)> = Vec::new();
    for event in events.iter().filter(|event| event.action == STEP_UPDATED) {
        if let (Some(step), Some(from)) = (event.subject_id, event.data.get("from"))
            && began.iter().all(|(known, _)| *known != step)
        {
            began.push((step, from.clone()));
        }
    }
    for (step, from) in began {
        let latest = activity::of_subject(tx, step, &[STEP_UPDATED], None, 1).await?;
        if latest.first().and_then(|event| event.data.get("to")) == Some(&from) {
            events.retain(|event| event.action != STEP_UPDATED || event.subject_id != Some(step));
        }
    }
    Ok(events)
}

/// The values of a sentence of the log and of the link to its page, without any other data of the event.
fn line(event: &Activity) -> Value {
    let mut line = json!({
        "action": event.action,
        "actor": event.actor_name,
        "actor_kind": event.actor_kind,
        "subject": event.subject_label,
        "subject_kind": event.subject_kind,
        "subject_id": event.subject_id,
        "spv_id": event.spv_id,
    });
    for name in ["step_name", "from", "to", "due_date", "reason", "number", "assignee", "act", "requester"] {
        if let Some(value) = event.data.get(name) {
            line[name] = value.clone();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn digest_is_due_from_the_recipients_local_hour() {
        let at = |hour| Utc.with_ymd_and_hms(2026, 11, 21, hour, 30, 0).single().expect("one time");
        let day = |d| NaiveDate::from_ymd_opt(2026, 11, d);
        assert_eq!(digest_day(at(7), "UTC"), None);
        assert_eq!(digest_day(at(8), "UTC"), day(21));
        assert_eq!(digest_day(at(12), "America/New_York"), None);
        assert_eq!(digest_day(at(13), "America/New_York"), day(21));
        assert_eq!(digest_day(at(23), "Asia/Tokyo"), day(22));
        assert_eq!(digest_day(at(9), "Nowhere/At_All"), day(21));
    }
}

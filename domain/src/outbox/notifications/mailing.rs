//! Notifications by mail: soon after, unless they were read by then, or once a day in the morning.
//!
//! A mail says what happened in the sentences of the log, and nothing more: no text of a message, no amount, no document.
use super::{Mailed, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::UserId,
    },
    outbox::mails::{self, Kind},
    platform::{activity::Activity, queue::Job},
};
use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How long a mail waits for its reader to see in the app what it is about.
pub const WAIT: Duration = Duration::minutes(2);
/// The hour, where the reader is, after which the day's digest is sent.
const MORNING: u32 = 8;
/// Lines of one mail; what is more is counted.
const LINES: usize = 20;

/// The job that mails one person what they have not read by then.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MailSoon {
    pub user_id: UserId,
}

impl Job for MailSoon {
    const NAME: &'static str = "notifications.mail";
}

/// The job that looks whose morning it is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Digests {}

impl Job for Digests {
    const NAME: &'static str = "notifications.digests";
}

/// Mails one person everything that waits for it; nothing when all was read.
///
/// # Errors
/// Forbidden for people who may not send; what the database refuses.
pub async fn mail_now(ctx: &Ctx, user: UserId) -> Result<bool> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            // After whoever tells of things right now: what they add counts on this job and asks for no other.
            store::lock(tx).await?;
            mail(tx, ctx, user, Mailed::Now, Kind::Notices).await
        }
        .scope_boxed()
    })
    .await
}

/// Mails the digest of the day to everybody whose morning has come, once a day each: after days without a server there
/// is one. Says how many.
///
/// # Errors
/// Forbidden for people who may not send; what the database refuses.
pub async fn mail_digests(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut sent = 0;
    for reader in &store::readers(&mut ctx.db()).await? {
        let Some(today) = morning(ctx.now(), &reader.time_zone) else { continue };
        if reader.sent_date >= Some(today) {
            continue;
        }
        let mailed = ctx.transaction(|tx| {
            async move {
                Ok(store::digest(tx, reader.id, today).await?
                    && mail(tx, ctx, reader.id, Mailed::Daily, Kind::Digest).await?)
            }
            .scope_boxed()
        });
        sent += usize::from(mailed.await?);
    }
    Ok(sent)
}

/// The day it is in a zone, once its morning has come. A zone that nobody knows is UTC.
pub(crate) fn morning(now: DateTime<Utc>, zone: &str) -> Option<NaiveDate> {
    let zone: chrono_tz::Tz = zone.parse().unwrap_or(chrono_tz::UTC);
    let there = now.with_timezone(&zone);
    (there.hour() >= MORNING).then(|| there.date_naive())
}

async fn mail(tx: &mut Tx, ctx: &Ctx, user: UserId, which: Mailed, kind: Kind) -> Result<bool> {
    let seqs = store::take(tx, user, which).await?;
    if seqs.is_empty() {
        return Ok(false);
    }
    let mut events = store::told(tx, &seqs[..seqs.len().min(LINES)]).await?;
    events.reverse();
    let lines: Vec<Value> = events.iter().map(line).collect();
    let data = Map::from_iter([
        ("count".to_owned(), seqs.len().into()),
        ("more".to_owned(), seqs.len().saturating_sub(LINES).into()),
        ("events".to_owned(), lines.into()),
    ]);
    mails::queue(tx, ctx, kind, user, None, data).await?;
    Ok(true)
}

/// What a sentence of the log needs, and nothing else that the event may know.
fn line(event: &Activity) -> Value {
    let mut line = json!({
        "action": event.action,
        "actor": event.actor_name,
        "actor_kind": event.actor_kind,
        "subject": event.subject_label,
    });
    for name in ["step_name", "from", "to", "due_date", "reason", "number", "assignee"] {
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
    fn the_morning_is_the_readers() {
        let at = |hour| Utc.with_ymd_and_hms(2026, 11, 21, hour, 30, 0).single().expect("one time");
        let day = |d| NaiveDate::from_ymd_opt(2026, 11, d);
        assert_eq!(morning(at(7), "UTC"), None);
        assert_eq!(morning(at(8), "UTC"), day(21));
        assert_eq!(morning(at(12), "America/New_York"), None);
        assert_eq!(morning(at(13), "America/New_York"), day(21));
        assert_eq!(morning(at(23), "Asia/Tokyo"), day(22));
        assert_eq!(morning(at(9), "Nowhere/At_All"), day(21));
    }
}

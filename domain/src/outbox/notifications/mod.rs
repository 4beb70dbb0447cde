//! Notifications: events of the activity log, delivered in the app and by mail as each recipient chose.
//!
//! [`process_pending`] follows the sequenced log. It runs before an event is broadcast, so that a page that hears of an event
//! finds its notification.
mod cursor;
mod mail;
mod model;
pub mod rules;
mod store;

pub(crate) use cursor::NotificationCursor;
pub use cursor::process_pending;
pub(crate) use mail::digest_day;
pub use mail::{READ_GRACE, SendDigests, SendImmediateMail, send_digests, send_immediate_mail};
pub use model::{Channels, Choice, EventKind, MailFrequency, Notification, SetChoice, Topic};

use crate::{
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, FieldError, Problem, Result},
        ids::{NotificationId, UserId},
        page::{Page, PageQuery},
    },
    platform::activity,
};
use chrono::{DateTime, Duration, Utc};
use store::ReadScope;
use uuid::Uuid;

/// How long notifications are kept; the log that they refer to is kept longer.
const RETENTION: Duration = Duration::days(180);
/// Ids in one request of [`read`].
const MAX_IDS: usize = 500;

/// Whether a user chose immediate mail for an action, which a use case then sends itself
/// ([`rules::MailForm::OwnOrDigest`]).
///
/// # Errors
/// What the database refuses.
pub(crate) async fn wants_mail_now(tx: &mut Tx, user: UserId, topic: Topic, action: &str) -> Result<bool> {
    let Some(kind) = rules::event_kind(topic, action) else { return Ok(false) };
    let recipient = store::recipient(tx, user, kind).await?;
    Ok(recipient.is_some_and(|recipient| recipient.channels(kind).mail == MailFrequency::Now))
}

fn me(ctx: &Ctx) -> Result<(UserId, Role)> {
    ctx.scope()?;
    ctx.actor.user_id().zip(ctx.actor.role()).ok_or(Error::unauthenticated("unauthenticated"))
}

/// The actor's own notifications, newest first.
///
/// # Errors
/// Unauthenticated, also for actors without an account; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "notifications.list", skip_all)]
pub async fn list(ctx: &Ctx, unread: bool, page: &PageQuery) -> Result<Page<Notification>> {
    let (me, _) = me(ctx)?;
    let limit = page.limit()?;
    let mut db = ctx.db();
    let rows = store::list(&mut db, me, unread, page.after()?, limit + 1).await?;
    let page = Page::from_rows(rows, limit, |row| row.seq);
    let seqs: Vec<i64> = page.items.iter().map(|row| row.seq).collect();
    let events = store::events_by_number(&mut db, &seqs).await?;
    // The actor's role or company may have changed: events they may no longer see are left out.
    let items = page.items.into_iter().filter_map(|row| {
        let activity = events.iter().find(|event| event.seq == Some(row.seq))?.clone();
        activity::visible(&ctx.actor, &activity).then_some(Notification {
            id: row.id,
            topic: row.topic,
            created_at: row.created_at,
            read_at: row.read_at,
            activity: activity::redact(&ctx.actor, activity),
        })
    });
    Ok(Page { items: items.collect(), next_cursor: page.next_cursor })
}

/// The number of the actor's unread notifications.
///
/// # Errors
/// Unauthenticated as [`list`].
#[tracing::instrument(level = "debug", name = "notifications.unread", skip_all)]
pub async fn unread(ctx: &Ctx) -> Result<i64> {
    let (me, _) = me(ctx)?;
    store::unread(&mut ctx.db(), ctx.scope()?, me).await
}

/// Marks these or all of the actor's own notifications as read, which also cancels their pending mails.
///
/// # Errors
/// Unauthenticated as [`list`]; Invalid `ids` without any and without `all`.
#[tracing::instrument(level = "debug", name = "notifications.read", skip_all)]
pub async fn read(ctx: &Ctx, ids: &[NotificationId], all: bool) -> Result<()> {
    let (me, _) = me(ctx)?;
    if ids.is_empty() && !all {
        return Err(Error::field("ids", "required"));
    }
    if ids.len() > MAX_IDS {
        return Err(Error::field("ids", "too_large"));
    }
    ctx.transaction(|tx| {
        async move {
            if all {
                store::read(tx, me, ReadScope::All, ctx.now()).await?;
            } else {
                for id in ids {
                    store::read(tx, me, ReadScope::One(*id), ctx.now()).await?;
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Deletes a user's notifications, after a change of role or company.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn delete_for_user(tx: &mut Tx, user: UserId) -> Result<()> {
    store::delete_for_user(tx, user).await
}

/// Marks the notifications about a subject as read, when the user has opened the subject itself.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn mark_seen(tx: &mut Tx, me: UserId, subject: Uuid, at: DateTime<Utc>) -> Result<()> {
    store::read(tx, me, ReadScope::Subject(subject), at).await?;
    Ok(())
}

/// The actor's delivery preferences for every kind of event of their role. A choice for a topic applies to its events without
/// a choice of their own.
///
/// # Errors
/// Unauthenticated as [`list`].
#[tracing::instrument(level = "debug", name = "notifications.choices", skip_all)]
pub async fn choices(ctx: &Ctx) -> Result<Vec<Choice>> {
    let (me, role) = me(ctx)?;
    let chosen = store::choices(&mut ctx.db(), me).await?;
    let channels = |event: &EventKind| {
        let own = chosen.get(&event.name()).or_else(|| chosen.get(event.topic.name()));
        own.copied().unwrap_or_else(|| event.default_preference(role))
    };
    Ok(rules::events_of(role).map(|event| Choice { event, channels: channels(event) }).collect())
}

/// Sets the actor's preferences for kinds of events or whole topics; others stay. Applies to future events.
///
/// # Errors
/// Unauthenticated as [`list`]; Invalid for an event or a topic that the role does not have.
#[tracing::instrument(level = "debug", name = "notifications.choose", skip_all)]
pub async fn choose(ctx: &Ctx, choices: &[SetChoice]) -> Result<Vec<Choice>> {
    let (me, role) = me(ctx)?;
    let events: Vec<String> = rules::events_of(role).map(EventKind::name).collect();
    let mut topics: Vec<&str> = rules::events_of(role).map(|event| event.topic.name()).collect();
    topics.dedup();
    let known = [topics.clone(), events.iter().map(String::as_str).collect()].concat();
    if choices.len() > known.len() {
        return Err(Error::field("choices", "too_large"));
    }
    let wrong = choices.iter().enumerate().filter(|(_, choice)| !known.contains(&choice.event.as_str()));
    let wrong: Vec<FieldError> = wrong
        .map(|(n, _)| FieldError {
            field: format!("choices.{n}.event"),
            problem: Problem::new("unknown").with("allowed", known.join(", ")),
        })
        .collect();
    if !wrong.is_empty() {
        return Err(Error::Invalid(wrong));
    }
    let topics = &topics;
    ctx.transaction(|tx| {
        async move {
            for choice in choices {
                if topics.contains(&choice.event.as_str()) {
                    store::choose_topic(tx, me, choice).await?;
                } else {
                    store::choose(tx, me, choice).await?;
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    self::choices(ctx).await
}

/// Turns mail of one frequency off in a user's preferences and cancels pending ones; notifications in the app stay. For the
/// unsubscribe link.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn stop_mail(tx: &mut Tx, user: UserId, mail: MailFrequency) -> Result<()> {
    let Some(role) = store::role(tx, user).await? else { return Ok(()) };
    let chosen = store::choices(tx, user).await?;
    for event in rules::events_of(role) {
        let own = chosen.get(&event.name()).or_else(|| chosen.get(event.topic.name()));
        let channels = own.copied().unwrap_or_else(|| event.default_preference(role));
        if channels.mail == mail && !(mail == MailFrequency::Now && rules::has_own_mail(event, role)) {
            let off = SetChoice { event: event.name(), channels: Channels { mail: MailFrequency::Off, ..channels } };
            store::choose(tx, user, &off).await?;
        }
    }
    store::cancel_pending_mail(tx, user, mail).await
}

/// Cancels all pending mails; for demo data, which must not be mailed.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn mute(ctx: &Ctx) -> Result<()> {
    ctx.transaction(|tx| store::cancel_all_pending_mail(tx).scope_boxed()).await
}

/// Deletes notifications after their retention and returns how many. For the schedule.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "notifications.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| store::clean_up(tx, ctx.now() - RETENTION).scope_boxed()).await
}

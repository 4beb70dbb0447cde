//! What people are told of: the log's events, to whom they matter, in the app and by mail as each chose.
//!
//! [`catch_up`] follows the numbered log from a mark that all processes share. Whoever numbers events does so before it
//! broadcasts them, so that a page that hears of an event finds its notification.
mod mailing;
mod model;
pub mod rules;
mod store;

pub(crate) use mailing::morning;
pub use mailing::{Digests, MailSoon, WAIT, mail_digests, mail_now};
pub use model::{Choice, EventKind, Mailed, Notification, Topic, Wanted, Way};

use crate::{
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, FieldError, Problem, Result},
        ids::{NotificationId, UserId},
        page::{Page, PageQuery},
    },
    platform::{
        activity::{self, Activity},
        queue,
    },
};
use chrono::{DateTime, Duration, Utc};
use rules::{Audience, Letter, Telling, tellings};
use store::{NewRow, Which};
use uuid::Uuid;

/// Events told of in one transaction.
const BATCH: usize = 100;
/// How far the mark may stay behind while there is nothing to tell: what is read again, and found to be nothing.
const SLACK: i64 = 1_000;
/// For so long people find what they were told. The log, which it hangs on, is kept for longer.
const KEPT: Duration = Duration::days(180);

/// Tells people of what happened since the mark. Any process may; of several at once each event is told by one.
///
/// # Errors
/// What the database refuses; the mark stays then, and the next call begins there.
pub async fn catch_up(ctx: &Ctx) -> Result<()> {
    Told::default().catch_up(ctx).await
}

/// What a process knows of who has been told: nothing at first.
#[derive(Debug, Default)]
pub(crate) struct Told(Option<Known>);

/// The mark as it was last seen, and a number up to which there is nothing to tell of behind it.
#[derive(Clone, Copy, Debug)]
struct Known {
    mark: i64,
    clear: i64,
}

impl Told {
    /// Tells of events that the caller has just numbered, without reading them again where they follow what is known.
    /// With each comes whether it is kept quiet.
    ///
    /// # Errors
    /// As [`catch_up`].
    pub(crate) async fn follow(&mut self, ctx: &Ctx, rows: &[(Activity, bool)]) -> Result<()> {
        let seq = |row: Option<&(Activity, bool)>| row.and_then(|(event, _)| event.seq);
        let known = self.0.filter(|known| seq(rows.first()) == Some(known.clear + 1));
        if let (Some(known), Some(until)) = (known, seq(rows.last())) {
            let events = rows.iter().filter(|(_, quiet)| !quiet).map(|(event, _)| event);
            if self.tell(ctx, known, events, until).await? {
                return Ok(());
            }
        }
        self.catch_up(ctx).await
    }

    /// The same as [`catch_up`], from where this process knows of.
    ///
    /// # Errors
    /// As [`catch_up`].
    pub(crate) async fn catch_up(&mut self, ctx: &Ctx) -> Result<()> {
        let mut goal = None;
        loop {
            let (mark, head) = store::marks(&mut ctx.db()).await?;
            // What others number meanwhile is for the next time: whoever waits for this has events to broadcast.
            let head = *goal.get_or_insert(head);
            let known = self.0.filter(|known| known.mark == mark).unwrap_or(Known { mark, clear: mark });
            if known.clear >= head {
                return Ok(());
            }
            let events = store::events(&mut ctx.db(), known.clear, head, BATCH).await?;
            let last = if events.len() < BATCH { None } else { events.last().and_then(|event| event.seq) };
            self.tell(ctx, known, events.iter(), last.unwrap_or(head)).await?;
        }
    }

    /// Tells of the events behind what is known, which are all up to a number; says no where another process has told
    /// people of some meanwhile.
    ///
    /// They were read before the transaction, and where nobody is to be told there is none: on SQLite everybody who
    /// writes waits for it.
    async fn tell<'a>(
        &mut self,
        ctx: &Ctx,
        known: Known,
        events: impl Iterator<Item = &'a Activity>,
        until: i64,
    ) -> Result<bool> {
        // What is known holds again once this has ended well.
        self.0 = None;
        let events: Vec<_> =
            events.map(|event| (event, tellings(event))).filter(|(_, told)| !told.is_empty()).collect();
        if events.is_empty() && until - known.mark < SLACK {
            self.0 = Some(Known { clear: until, ..known });
            return Ok(true);
        }
        let events = &events;
        let moved = ctx.transaction(|tx| {
            async move {
                if !store::move_mark(tx, known.mark, until).await? {
                    return Ok(false);
                }
                for (event, tellings) in events {
                    for telling in tellings {
                        tell(tx, ctx, event, *telling).await?;
                    }
                }
                Ok(true)
            }
            .scope_boxed()
        });
        if !moved.await? {
            return Ok(false);
        }
        self.0 = Some(Known { mark: until, clear: until });
        Ok(true)
    }
}

async fn tell(tx: &mut Tx, ctx: &Ctx, event: &Activity, telling: Telling) -> Result<()> {
    let Telling { audience, topic, letter } = telling;
    let Some(kind) = rules::event_kind(topic, &event.action) else { return Ok(()) };
    // Whatever the rules say: what is the office's own is told to nobody else.
    if !event.public && matches!(audience, Audience::Client | Audience::Partner | Audience::Company) {
        return Ok(());
    }
    for recipient in store::recipients(tx, event, audience, kind).await? {
        // Roles change: what was somebody's to be told of may be nothing of theirs any more.
        if !kind.roles.contains(&recipient.role) {
            continue;
        }
        let way = recipient.way(kind);
        let mail = match (letter, way.mail) {
            (_, Mailed::Off) | (Letter::OwnOrDigest, Mailed::Now) => None,
            (_, mail) => Some(mail),
        };
        if !way.in_app && mail.is_none() {
            continue;
        }
        if mail == Some(Mailed::Now) && !store::mail_waits(tx, recipient.id, ctx.now() - WAIT).await? {
            queue::enqueue_at(tx, &MailSoon { user_id: recipient.id }, ctx.now() + WAIT).await?;
        }
        let row = NewRow {
            id: NotificationId(ctx.chance.uuid()),
            user_id: recipient.id,
            seq: event.seq.unwrap_or_default(),
            activity_id: event.id,
            topic,
            subject_id: event.subject_id,
            spv_id: event.spv_id.map(|id| id.0),
            in_app: way.in_app,
            mail,
            created_at: ctx.now(),
        };
        store::insert(tx, row).await?;
    }
    Ok(())
}

/// Whether somebody wants a mail at once about events like this, which a use case then sends itself
/// ([`rules::Letter::OwnOrDigest`]).
///
/// # Errors
/// What the database refuses.
pub(crate) async fn wants_mail_now(tx: &mut Tx, user: UserId, topic: Topic, action: &str) -> Result<bool> {
    let Some(kind) = rules::event_kind(topic, action) else { return Ok(false) };
    let recipient = store::recipient(tx, user, kind).await?;
    Ok(recipient.is_some_and(|recipient| recipient.way(kind).mail == Mailed::Now))
}

fn me(ctx: &Ctx) -> Result<(UserId, Role)> {
    ctx.scope()?;
    ctx.actor.user_id().zip(ctx.actor.role()).ok_or(Error::unauthenticated("unauthenticated"))
}

/// One's own notifications, the newest first.
///
/// # Errors
/// Unauthenticated, also for who is no account; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, unread: bool, page: &PageQuery) -> Result<Page<Notification>> {
    let (me, _) = me(ctx)?;
    let limit = page.limit()?;
    let mut db = ctx.db();
    let rows = store::list(&mut db, me, unread, page.after()?, limit + 1).await?;
    let page = Page::cut(rows, limit, |row| row.seq);
    let seqs: Vec<i64> = page.items.iter().map(|row| row.seq).collect();
    let events = store::told(&mut db, &seqs).await?;
    // A role or company may be another by now: what one may not know of any more is left out.
    let items = page.items.into_iter().filter_map(|row| {
        let activity = events.iter().find(|event| event.seq == Some(row.seq))?.clone();
        activity::visible(&ctx.actor, &activity).then_some(Notification {
            id: row.id,
            topic: row.topic,
            created_at: row.created_at,
            read_at: row.read_at,
            activity: activity::shown(&ctx.actor, activity),
        })
    });
    Ok(Page { items: items.collect(), next_cursor: page.next_cursor })
}

/// How many of them are unread.
///
/// # Errors
/// Unauthenticated as [`list`].
pub async fn unread(ctx: &Ctx) -> Result<i64> {
    let (me, _) = me(ctx)?;
    store::unread(&mut ctx.db(), ctx.scope()?, me).await
}

/// Marks one's own notifications as read, these or all; what waits to be mailed is not mailed any more.
///
/// # Errors
/// Unauthenticated as [`list`]; Invalid `ids` without any and without `all`.
pub async fn read(ctx: &Ctx, ids: &[NotificationId], all: bool) -> Result<()> {
    let (me, _) = me(ctx)?;
    if ids.is_empty() && !all {
        return Err(Error::field("ids", "required"));
    }
    if ids.len() > 500 {
        return Err(Error::field("ids", "too_large"));
    }
    ctx.transaction(|tx| {
        async move {
            if all {
                store::read(tx, me, Which::All, ctx.now()).await?;
            } else {
                for id in ids {
                    store::read(tx, me, Which::One(*id), ctx.now()).await?;
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Somebody is somebody else now, by role or company: what they were told of is not theirs to read or be mailed any more.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn forget(tx: &mut Tx, user: UserId) -> Result<()> {
    store::forget(tx, user).await
}

/// Whoever has seen a thing itself need not be told of it.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn seen(tx: &mut Tx, me: UserId, subject: Uuid, at: DateTime<Utc>) -> Result<()> {
    store::read(tx, me, Which::Subject(subject), at).await?;
    Ok(())
}

/// How one is told of everything that somebody of one's role is ever told of. What was chosen for a topic stands for
/// each of its events that was not chosen itself.
///
/// # Errors
/// Unauthenticated as [`list`].
pub async fn choices(ctx: &Ctx) -> Result<Vec<Choice>> {
    let (me, role) = me(ctx)?;
    let chosen = store::choices(&mut ctx.db(), me).await?;
    let way = |event: &EventKind| {
        let own = chosen.get(&event.name()).or_else(|| chosen.get(event.topic.name()));
        own.copied().unwrap_or_else(|| event.usual(role))
    };
    Ok(rules::events_of(role).map(|event| Choice { event, way: way(event) }).collect())
}

/// Chooses how to be told of kinds of events, or of all that a topic has; what is not named stays as it is. What happens
/// from now on follows it.
///
/// # Errors
/// Unauthenticated as [`list`]; Invalid for an event or a topic that the role has not.
pub async fn choose(ctx: &Ctx, wanted: &[Wanted]) -> Result<Vec<Choice>> {
    let (me, role) = me(ctx)?;
    let events: Vec<String> = rules::events_of(role).map(EventKind::name).collect();
    let mut topics: Vec<&str> = rules::events_of(role).map(|event| event.topic.name()).collect();
    topics.dedup();
    let known = [topics.clone(), events.iter().map(String::as_str).collect()].concat();
    if wanted.len() > known.len() {
        return Err(Error::field("choices", "too_large"));
    }
    let wrong = wanted.iter().enumerate().filter(|(_, choice)| !known.contains(&choice.event.as_str()));
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
            for choice in wanted {
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
    choices(ctx).await
}

/// Switches the mails of one way off in somebody's choices, and takes back what waits for it; the app goes on telling.
/// For the link to unsubscribe.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn stop_mail(tx: &mut Tx, user: UserId, mail: Mailed) -> Result<()> {
    let Some(role) = store::role(tx, user).await? else { return Ok(()) };
    let chosen = store::choices(tx, user).await?;
    for event in rules::events_of(role) {
        let own = chosen.get(&event.name()).or_else(|| chosen.get(event.topic.name()));
        let way = own.copied().unwrap_or_else(|| event.usual(role));
        if way.mail == mail && !(mail == Mailed::Now && rules::has_own_letter(event, role)) {
            let off = Wanted { event: event.name(), way: Way { mail: Mailed::Off, ..way } };
            store::choose(tx, user, &off).await?;
        }
    }
    store::hush_one(tx, user, mail).await
}

/// Mails nobody of what they were told so far: made-up data is to be seen, not sent.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn hush(ctx: &Ctx) -> Result<()> {
    ctx.transaction(|tx| store::hush(tx).scope_boxed()).await
}

/// Forgets what people were told long ago; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| store::clean_up(tx, ctx.now() - KEPT).scope_boxed()).await
}

//! Creates notifications for sequenced activity.
//!
//! A cursor in the database, shared by all processes, marks the last event that was processed; each process remembers up to
//! where there is nothing to notify of behind it.
use super::{
    EventKind, MailFrequency, READ_GRACE, SendImmediateMail,
    rules::{self, Audience, Delivery, MailForm, deliveries_for},
    store::{self, InsertNotification},
};
use crate::{
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::NotificationId,
    },
    platform::{activity::Activity, queue},
};

/// Events processed in one transaction.
const BATCH: usize = 100;
/// Events by which the shared cursor may lag while none of them creates a notification: a restarted process reads them again.
const MAX_LAG: i64 = 1_000;

/// Creates the notifications of all events after the shared cursor. Any process may; each event is processed once.
///
/// # Errors
/// What the database refuses; the cursor stays then, and the next call starts there.
#[tracing::instrument(level = "debug", name = "notifications.process_pending", skip_all)]
pub async fn process_pending(ctx: &Ctx) -> Result<()> {
    NotificationCursor::default().process_pending(ctx).await
}

/// What a process knows of the shared cursor; nothing at first.
#[derive(Debug, Default)]
pub(crate) struct NotificationCursor(Option<Position>);

#[derive(Clone, Copy, Debug)]
struct Position {
    /// The shared cursor as it was last read.
    shared: i64,
    /// The number up to which no event after it creates a notification.
    clear: i64,
}

impl NotificationCursor {
    /// Processes events that the caller has just numbered, without reading them again if they follow the known position.
    /// With each comes whether it creates no notifications.
    ///
    /// # Errors
    /// As [`process_pending`].
    pub(crate) async fn process_sequenced(&mut self, ctx: &Ctx, rows: &[(Activity, bool)]) -> Result<()> {
        let seq = |row: Option<&(Activity, bool)>| row.and_then(|(event, _)| event.seq);
        let known = self.0.filter(|known| seq(rows.first()) == Some(known.clear + 1));
        if let (Some(known), Some(until)) = (known, seq(rows.last())) {
            let events = rows.iter().filter(|(_, quiet)| !quiet).map(|(event, _)| event);
            if self.process(ctx, known, events, until).await? {
                return Ok(());
            }
        }
        self.process_pending(ctx).await
    }

    /// [`process_pending`], from the known position.
    ///
    /// # Errors
    /// As [`process_pending`].
    pub(crate) async fn process_pending(&mut self, ctx: &Ctx) -> Result<()> {
        let mut goal = None;
        loop {
            let (shared, head) = store::cursor_and_head(&mut ctx.db()).await?;
            // Events numbered after this call began are left for the next: the caller has events to broadcast.
            let head = *goal.get_or_insert(head);
            let known = self.0.filter(|known| known.shared == shared).unwrap_or(Position { shared, clear: shared });
            if known.clear >= head {
                return Ok(());
            }
            let events = store::events(&mut ctx.db(), known.clear, head, BATCH).await?;
            let last = if events.len() < BATCH { None } else { events.last().and_then(|event| event.seq) };
            self.process(ctx, known, events.iter(), last.unwrap_or(head)).await?;
        }
    }

    /// Processes all events between the known position and `until`; false if another process has moved the cursor.
    ///
    /// Events without recipients open no transaction: on SQLite every writer would wait for it.
    async fn process<'a>(
        &mut self,
        ctx: &Ctx,
        known: Position,
        events: impl Iterator<Item = &'a Activity>,
        until: i64,
    ) -> Result<bool> {
        // Set again only on success.
        self.0 = None;
        let events: Vec<_> = events
            .map(|event| (event, deliveries_for(event)))
            .filter(|(_, deliveries)| !deliveries.is_empty())
            .collect();
        if events.is_empty() && until - known.shared < MAX_LAG {
            self.0 = Some(Position { clear: until, ..known });
            return Ok(true);
        }
        let events = &events;
        let moved = ctx.transaction(|tx| {
            async move {
                if !store::move_cursor(tx, known.shared, until).await? {
                    return Ok(false);
                }
                for (event, deliveries) in events {
                    for delivery in deliveries {
                        deliver(tx, ctx, event, *delivery).await?;
                    }
                }
                Ok(true)
            }
            .scope_boxed()
        });
        if !moved.await? {
            return Ok(false);
        }
        self.0 = Some(Position { shared: until, clear: until });
        Ok(true)
    }
}

/// Notifies an audience of an event, in the app and by mail as each recipient chose.
async fn deliver(tx: &mut Tx, ctx: &Ctx, event: &Activity, delivery: Delivery) -> Result<()> {
    let Delivery { audience, topic, form } = delivery;
    let Some(kind) = rules::event_kind(topic, &event.action) else { return Ok(()) };
    // Internal events go to staff only, whatever the rules say.
    if !event.public && matches!(audience, Audience::Client | Audience::Partner | Audience::Company) {
        return Ok(());
    }
    for recipient in store::recipients(tx, event, audience, kind).await? {
        // A role may have changed since the event.
        if kind.roles.contains(&recipient.role) {
            notify(tx, ctx, event, kind, form, &recipient).await?;
        }
    }
    Ok(())
}

async fn notify(
    tx: &mut Tx,
    ctx: &Ctx,
    event: &Activity,
    kind: &EventKind,
    form: MailForm,
    recipient: &super::model::Recipient,
) -> Result<()> {
    let channels = recipient.channels(kind);
    let mail = match (form, channels.mail) {
        (_, MailFrequency::Off) | (MailForm::OwnOrDigest, MailFrequency::Now) => None,
        (_, mail) => Some(mail),
    };
    if !channels.in_app && mail.is_none() {
        return Ok(());
    }
    if mail == Some(MailFrequency::Now) && !store::has_pending_mail(tx, recipient.id, ctx.now() - READ_GRACE).await? {
        queue::enqueue_at(tx, &SendImmediateMail { user_id: recipient.id }, ctx.now() + READ_GRACE).await?;
    }
    let row = InsertNotification {
        id: NotificationId(ctx.random.uuid()),
        user_id: recipient.id,
        seq: event.seq.unwrap_or_default(),
        activity_id: event.id,
        topic: kind.topic,
        subject_id: event.subject_id,
        spv_id: event.spv_id.map(|id| id.0),
        in_app: channels.in_app,
        mail,
        created_at: ctx.now(),
    };
    store::insert(tx, row).await
}

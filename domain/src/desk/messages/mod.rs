//! Conversations between clients and the staff: one thread for each order, one general thread for each client, and
//! the staff's internal notes in both, of which no client ever hears.
mod model;
mod store;

pub use model::{Message, Thread};
pub use store::Filter;

use crate::{
    accounts::users,
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{DocumentId, MessageId, SpvId, ThreadId, UserId},
        page::{Page, PageQuery},
        validate::Check,
    },
    orders::{
        documents::{self, AttachmentOwner},
        spvs,
    },
    outbox::notifications,
    platform::activity::{self, Event},
};
use model::Place;
use std::collections::BTreeSet;
use store::Eyes;

/// What somebody writes, and where: into a thread, about an order, to a client, or, a client, to us in general.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub thread_id: Option<ThreadId>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    pub body: String,
    /// A note among the staff.
    pub internal: bool,
    /// Documents of the client that come with it.
    pub document_ids: Vec<DocumentId>,
}

/// So many documents may hang on one message.
const DOCUMENTS: usize = 20;

/// Writes a message; the thread is made by its first one. Clients in their own threads, staff in all.
///
/// # Errors
/// NotFound for a thread, order, client or document that is not the actor's to know of; Forbidden for a client's
/// internal note; Invalid `body`, which only documents may stand in for, `document_ids`, and `client_id` for staff who do not say to whom.
pub async fn send(ctx: &Ctx, input: Input) -> Result<Message> {
    let mut check = Check::new();
    let documents: BTreeSet<DocumentId> = input.document_ids.iter().copied().collect();
    let body = if documents.is_empty() {
        check.text("body", &input.body)
    } else {
        check.optional_text("body", Some(&input.body)).unwrap_or_default()
    };
    if documents.len() > DOCUMENTS {
        check.refuse("document_ids", Problem::new("too_many").with("max", DOCUMENTS));
    }
    if [input.thread_id.is_some(), input.spv_id.is_some(), input.client_id.is_some()].iter().filter(|is| **is).count()
        > 1
    {
        check.refuse("thread_id", Problem::new("not_allowed"));
    }
    check.done()?;
    let (input, documents) = (&input, &documents);
    let body = &body;
    let sent = ctx.transaction(|tx| send_in(tx, ctx, input, body, documents).scope_boxed()).await?;
    complete(ctx, sent).await
}

/// [`send`] in its transaction.
async fn send_in(
    tx: &mut Tx,
    ctx: &Ctx,
    input: &Input,
    body: &str,
    documents: &BTreeSet<DocumentId>,
) -> Result<Message> {
    if let Some(id) = idempotency::made_before(tx, ctx).await? {
        return store::message(tx, MessageId(id)).await?.ok_or(Error::NotFound("message"));
    }
    let place = place(tx, ctx, input).await?;
    ctx.may(Action::Send, place.resource())?;
    if input.internal {
        ctx.may(Action::Update, place.resource())?;
    }
    let message = Message {
        id: MessageId(ctx.chance.uuid()),
        thread_id: place.id,
        author_id: ctx.actor.user_id(),
        author_name: ctx.who(),
        by_staff: ctx.actor.is_staff(),
        body: body.to_owned(),
        internal: input.internal,
        created_at: ctx.now(),
        documents: Vec::new(),
    };
    for document in documents {
        documents::attach(tx, ctx, *document, place.client_id, place.spv_id, message.internal).await?;
    }
    store::insert(tx, &message).await?;
    for document in documents {
        documents::link_attachment(tx, AttachmentOwner::Message, message.id.0, *document).await?;
    }
    let author = ctx.actor.user_id().unwrap_or(UserId(uuid::Uuid::nil()));
    store::unread_by_staff(tx, place.id, author).await?;
    if message.by_staff && !message.internal {
        store::unread_by(tx, place.id, place.client_id).await?;
    }
    activity::append(tx, ctx, told(&place, &message)).await?;
    idempotency::remember(tx, ctx, message.id.0).await?;
    Ok(message)
}

/// The message with its documents.
async fn complete(ctx: &Ctx, mut message: Message) -> Result<Message> {
    let mut held = documents::attachments_of(&mut ctx.db(), ctx, AttachmentOwner::Message, vec![message.id.0]).await?;
    message.documents = held.remove(&message.id.0).unwrap_or_default();
    Ok(message)
}

/// Where it goes. Who may not know of the order or client is told that there is none.
async fn place(tx: &mut Tx, ctx: &Ctx, input: &Input) -> Result<Place> {
    let new = ThreadId(ctx.chance.uuid());
    let found = if let Some(id) = input.thread_id {
        store::place(tx, id).await?
    } else if let Some(id) = input.spv_id {
        let (spv, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
        ctx.may(Action::View, spvs::resource(&spv))?;
        ctx.may(Action::Send, Resource::Thread { client_id: spv.client_id })?;
        store::open(tx, new, spv.client_id, Some(id), ctx.now()).await?
    } else {
        let client = match (input.client_id, &ctx.actor) {
            (Some(id), _) => id,
            (None, Actor::User(me)) if me.role == Role::Client => me.id,
            (None, Actor::User(me)) if !ctx.actor.is_staff() => {
                ctx.may(Action::Send, Resource::Thread { client_id: me.id })?;
                me.id
            }
            (None, _) => return Err(Error::field("client_id", "required")),
        };
        ctx.may(Action::Send, Resource::Thread { client_id: client })?;
        if users::by_id(tx, client).await?.is_none_or(|user| user.role != Role::Client) {
            return Err(Error::NotFound("client"));
        }
        store::open(tx, new, client, None, ctx.now()).await?
    };
    found.ok_or(Error::NotFound("thread"))
}

/// Nothing of what was written: the log is kept for ever, and whoever reads it need not read the thread.
fn told(place: &Place, message: &Message) -> Event {
    let action = match (message.internal, place.spv_id.is_some()) {
        (false, true) => "message.sent",
        (false, false) => "message.general",
        (true, true) => "note.written",
        (true, false) => "note.general",
    };
    // Its client's alone: not the company's, not the partner's.
    let event = Event::new(action, "thread", place.id.0, place.label())
        .of(Some(place.client_id), None, None)
        .with("by_staff", message.by_staff);
    let event = match place.spv_id {
        Some(id) => event.spv(id),
        None => event,
    };
    if message.internal { event } else { event.public() }
}

/// Whose eyes these are; whoever has no conversations with us sees none.
fn eyes(ctx: &Ctx) -> Result<Option<(Eyes, UserId)>> {
    ctx.scope()?;
    Ok(match &ctx.actor {
        Actor::User(me) if me.role == Role::Client => Some((Eyes::Client(me.id), me.id)),
        actor if actor.is_staff() => Some((Eyes::Staff, actor.user_id().unwrap_or(UserId(uuid::Uuid::nil())))),
        _ => None,
    })
}

/// The reader's threads, the one with the newest message first; the staff see all.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
pub async fn threads(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Thread>> {
    let limit = page.limit()?;
    let before = page.after()?;
    let Some((eyes, me)) = eyes(ctx)? else { return Ok(Page { items: Vec::new(), next_cursor: None }) };
    let rows = store::threads(&mut ctx.db(), eyes, me, filter, before, limit + 1).await?;
    Ok(Page::cut(rows, limit, |thread| (thread.at, thread.id)))
}

/// # Errors
/// NotFound, also for a thread that is not the actor's, or has only internal notes so far.
pub async fn thread(ctx: &Ctx, id: ThreadId) -> Result<Thread> {
    let (eyes, me) = eyes(ctx)?.ok_or(Error::NotFound("thread"))?;
    let filter = Filter { id: Some(id), ..Filter::default() };
    let thread = store::threads(&mut ctx.db(), eyes, me, &filter, None, 1).await?.pop();
    let thread = thread.ok_or(Error::NotFound("thread"))?;
    ctx.may(Action::View, thread.resource())?;
    Ok(thread)
}

/// The messages of a thread, the newest first.
///
/// # Errors
/// NotFound as [`thread`]; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, id: ThreadId, page: &PageQuery) -> Result<Page<Message>> {
    let limit = page.limit()?;
    let before = page.after()?;
    thread(ctx, id).await?;
    let (eyes, _) = eyes(ctx)?.ok_or(Error::NotFound("thread"))?;
    let mut rows = store::messages(&mut ctx.db(), eyes, id, before, limit + 1).await?;
    let ids = rows.iter().map(|message| message.id.0).collect();
    let mut held = documents::attachments_of(&mut ctx.db(), ctx, AttachmentOwner::Message, ids).await?;
    for message in &mut rows {
        message.documents = held.remove(&message.id.0).unwrap_or_default();
    }
    Ok(Page::cut(rows, limit, |message| (message.created_at, message.id)))
}

/// The threads, and the messages in them, that the reader has not read.
///
/// # Errors
/// Unauthenticated.
pub async fn unread(ctx: &Ctx) -> Result<(i64, i64)> {
    match eyes(ctx)? {
        Some((_, me)) => store::unread(&mut ctx.db(), me).await,
        None => Ok((0, 0)),
    }
}

/// The reader has seen the thread up to its end.
///
/// # Errors
/// NotFound as [`thread`].
pub async fn read(ctx: &Ctx, id: ThreadId) -> Result<()> {
    let thread = thread(ctx, id).await?.id;
    let Some(me) = ctx.actor.user_id() else { return Ok(()) };
    ctx.transaction(|tx| {
        async move {
            store::read(tx, thread, me).await?;
            notifications::mark_seen(tx, me, thread.0, ctx.now()).await
        }
        .scope_boxed()
    })
    .await
}

/// What the actor may do in a thread: `write`, `note`.
pub fn can(ctx: &Ctx, thread: &Thread) -> Vec<&'static str> {
    [("write", Action::Send), ("note", Action::Update)]
        .into_iter()
        .filter(|(_, action)| ctx.can(*action, thread.resource()))
        .map(|(name, _)| name)
        .collect()
}

/// Somebody is somebody else now, by role or company: what they had not read is not theirs to read any more.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn forget(tx: &mut Tx, user: UserId) -> Result<()> {
    store::forget(tx, user).await
}

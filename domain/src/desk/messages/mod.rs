//! Messages between clients and the staff: one thread per order, one general thread per client, and internal notes of
//! the staff in both, which clients never see.
mod model;
mod store;

pub use model::{ListedMessage, Message, Thread};
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
        validate::Validator,
    },
    orders::{
        documents::{self, AttachmentOwner, Document},
        spvs,
    },
    outbox::notifications,
    platform::activity::{self, Event},
};
use model::ThreadRef;
use std::collections::{BTreeSet, HashMap};
use store::Viewer;
use uuid::Uuid;

/// A new message. Its target is a thread, an order, a client, or for a client without any of these the general thread.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub thread_id: Option<ThreadId>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    pub body: String,
    /// Internal note of the staff.
    pub internal: bool,
    /// Documents of the client to attach.
    pub document_ids: Vec<DocumentId>,
}

/// Maximum number of documents attached to a message.
const MAX_DOCUMENTS_PER_MESSAGE: usize = 20;

/// Sends a message; the first one creates its thread. Clients in their own threads, staff in all.
///
/// # Errors
/// NotFound for a thread, order, client or document that the actor may not see; Forbidden for an internal note of a
/// client; Invalid `body`, which may only be empty with documents, `document_ids`, and `client_id` if staff name no
/// target.
#[tracing::instrument(level = "debug", name = "messages.send", skip_all)]
pub async fn send(ctx: &Ctx, input: Input) -> Result<Message> {
    let mut check = Validator::new();
    let documents: BTreeSet<DocumentId> = input.document_ids.iter().copied().collect();
    let body = if documents.is_empty() {
        check.text("body", &input.body)
    } else {
        check.optional_text("body", Some(&input.body)).unwrap_or_default()
    };
    if documents.len() > MAX_DOCUMENTS_PER_MESSAGE {
        check.reject("document_ids", Problem::new("too_many").with("max", MAX_DOCUMENTS_PER_MESSAGE));
    }
    if [input.thread_id.is_some(), input.spv_id.is_some(), input.client_id.is_some()].iter().filter(|is| **is).count()
        > 1
    {
        check.reject("thread_id", Problem::new("not_allowed"));
    }
    check.finish()?;
    let (input, documents) = (&input, &documents);
    let body = &body;
    let sent = ctx.transaction(|tx| send_in(tx, ctx, input, body, documents).scope_boxed()).await?;
    with_documents(ctx, sent).await
}

/// [`send`] in its transaction.
async fn send_in(
    tx: &mut Tx,
    ctx: &Ctx,
    input: &Input,
    body: &str,
    documents: &BTreeSet<DocumentId>,
) -> Result<Message> {
    if let Some(id) = idempotency::find_previous(tx, ctx).await? {
        return store::message(tx, MessageId(id)).await?.ok_or(Error::NotFound("message"));
    }
    let thread_ref = find_thread(tx, ctx, input).await?;
    ctx.may(Action::Send, thread_ref.resource())?;
    if input.internal {
        ctx.may(Action::Update, thread_ref.resource())?;
    }
    let message = Message {
        id: MessageId(ctx.random.uuid()),
        thread_id: thread_ref.id,
        author_id: ctx.actor.user_id(),
        author_name: ctx.actor_name(),
        by_staff: ctx.actor.is_staff(),
        body: body.to_owned(),
        internal: input.internal,
        created_at: ctx.now(),
        documents: Vec::new(),
    };
    for document in documents {
        documents::attach(tx, ctx, *document, thread_ref.client_id, thread_ref.spv_id, message.internal).await?;
    }
    store::insert(tx, &message).await?;
    for document in documents {
        documents::link_attachment(tx, AttachmentOwner::Message, message.id.0, *document).await?;
    }
    let author = ctx.actor.user_id().unwrap_or(UserId(Uuid::nil()));
    store::increment_unread_of_staff(tx, thread_ref.id, author).await?;
    // Who answers has read the thread; a note is also written on the client's page, without reading.
    if !message.internal {
        store::mark_read(tx, thread_ref.id, author).await?;
        notifications::mark_seen(tx, author, thread_ref.id.0, ctx.now()).await?;
    }
    if message.by_staff && !message.internal {
        store::increment_unread(tx, thread_ref.id, thread_ref.client_id).await?;
    }
    activity::append(tx, ctx, event(&thread_ref, &message)).await?;
    idempotency::store(tx, ctx, message.id.0).await?;
    Ok(message)
}

/// The message with its documents.
async fn with_documents(ctx: &Ctx, mut message: Message) -> Result<Message> {
    let mut held = attached(ctx, vec![message.id.0]).await?;
    message.documents = held.remove(&message.id.0).unwrap_or_default();
    Ok(message)
}

/// Documents of messages by message.
async fn attached(ctx: &Ctx, messages: Vec<Uuid>) -> Result<HashMap<Uuid, Vec<Document>>> {
    documents::attachments_of(&mut ctx.db(), ctx, AttachmentOwner::Message, messages).await
}

/// Finds or creates the thread of the message.
async fn find_thread(tx: &mut Tx, ctx: &Ctx, input: &Input) -> Result<ThreadRef> {
    let new = ThreadId(ctx.random.uuid());
    let found = if let Some(id) = input.thread_id {
        if let Some(spv) = store::find_thread_ref(tx, id).await?.and_then(|thread| thread.spv_id) {
            spvs::lock_client(tx, spv).await?;
        }
        store::find_thread_ref(tx, id).await?
    } else if let Some(id) = input.spv_id {
        spvs::lock_client(tx, id).await?;
        let (spv, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
        ctx.may(Action::View, spvs::resource(&spv))?;
        ctx.may(Action::Send, Resource::Thread { client_id: spv.client_id })?;
        store::find_or_create(tx, new, spv.client_id, Some(id), ctx.now()).await?
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
        store::find_or_create(tx, new, client, None, ctx.now()).await?
    };
    found.ok_or(Error::NotFound("thread"))
}

/// Activity of a message, without its text: the log is kept forever.
fn event(thread_ref: &ThreadRef, message: &Message) -> Event {
    let action = match (message.internal, thread_ref.spv_id.is_some()) {
        (false, true) => "message.sent",
        (false, false) => "message.general",
        (true, true) => "note.written",
        (true, false) => "note.general",
    };
    // Visible to its client, not to the company or partner.
    let event = Event::new(action, "thread", thread_ref.id.0, thread_ref.label())
        .of(Some(thread_ref.client_id), None, None)
        .with("by_staff", message.by_staff);
    let event = match thread_ref.spv_id {
        Some(id) => event.spv(id),
        None => event,
    };
    if message.internal { event } else { event.public() }
}

/// The viewer, and the id for unread counts. None for roles without threads.
fn viewer(ctx: &Ctx) -> Result<Option<(Viewer, UserId)>> {
    ctx.scope()?;
    Ok(match &ctx.actor {
        Actor::User(me) if me.role == Role::Client => Some((Viewer::Client(me.id), me.id)),
        actor if actor.is_staff() => Some((Viewer::Staff, actor.user_id().unwrap_or(UserId(Uuid::nil())))),
        _ => None,
    })
}

/// Threads of the viewer, the newest message first. The staff see all.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "messages.threads", skip_all)]
pub async fn threads(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Thread>> {
    let limit = page.limit()?;
    let before = page.after()?;
    let Some((viewer, me)) = viewer(ctx)? else { return Ok(Page { items: Vec::new(), next_cursor: None }) };
    let rows = store::threads(&mut ctx.db(), viewer, me, filter, before, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |thread| (thread.at, thread.id)))
}

/// Loads a thread as the viewer sees it.
///
/// # Errors
/// NotFound, also for a thread that is not the actor's, or has only internal notes so far.
#[tracing::instrument(level = "debug", name = "messages.thread", skip_all, fields(thread_id = %id))]
pub async fn thread(ctx: &Ctx, id: ThreadId) -> Result<Thread> {
    let (viewer, me) = viewer(ctx)?.ok_or(Error::NotFound("thread"))?;
    let filter = Filter { id: Some(id), ..Filter::default() };
    let thread = store::threads(&mut ctx.db(), viewer, me, &filter, None, 1).await?.pop();
    let thread = thread.ok_or(Error::NotFound("thread"))?;
    ctx.may(Action::View, thread.resource())?;
    Ok(thread)
}

/// Messages of a thread, the newest first.
///
/// # Errors
/// NotFound as [`thread`]; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "messages.list", skip_all, fields(thread_id = %id))]
pub async fn list(ctx: &Ctx, id: ThreadId, page: &PageQuery) -> Result<Page<Message>> {
    let limit = page.limit()?;
    let before = page.after()?;
    thread(ctx, id).await?;
    let (viewer, _) = viewer(ctx)?.ok_or(Error::NotFound("thread"))?;
    let mut rows = store::messages(&mut ctx.db(), viewer, id, before, limit + 1).await?;
    let mut held = attached(ctx, rows.iter().map(|message| message.id.0).collect()).await?;
    for message in &mut rows {
        message.documents = held.remove(&message.id.0).unwrap_or_default();
    }
    Ok(Page::from_rows(rows, limit, |message| (message.created_at, message.id)))
}

/// Internal notes about a client with their documents, in all threads, the newest first. Staff.
///
/// # Errors
/// NotFound for a person who is no client; Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "messages.internal_notes", skip_all, fields(user_id = %client))]
pub async fn internal_notes(
    ctx: &Ctx,
    client: UserId,
    page: &PageQuery,
) -> Result<Page<(ListedMessage, Vec<Document>)>> {
    ctx.may(Action::Update, Resource::Thread { client_id: client })?;
    let limit = page.limit()?;
    let before = page.after()?;
    if users::by_id(&mut ctx.db(), client).await?.is_none_or(|user| user.role != Role::Client) {
        return Err(Error::NotFound("client"));
    }
    let rows = store::internal_notes(&mut ctx.db(), client, before, limit + 1).await?;
    let mut held = attached(ctx, rows.iter().map(|note| note.id.0).collect()).await?;
    let rows = rows.into_iter().map(|note| {
        let documents = held.remove(&note.id.0).unwrap_or_default();
        (note, documents)
    });
    Ok(Page::from_rows(rows.collect(), limit, |(note, _)| (note.created_at, note.id)))
}

/// The messages of all threads, internal notes included, thread by thread. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "messages.all", skip_all)]
pub async fn all(ctx: &Ctx, page: &PageQuery) -> Result<Page<ListedMessage>> {
    ctx.may(Action::View, Resource::System)?;
    let limit = page.limit()?;
    let rows = store::all_messages(&mut ctx.db(), page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |message| (message.thread_id, message.created_at, message.id)))
}

/// Number of unread threads and unread messages of the viewer.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "messages.unread", skip_all)]
pub async fn unread(ctx: &Ctx) -> Result<(i64, i64)> {
    match viewer(ctx)? {
        Some((_, me)) => store::unread(&mut ctx.db(), me).await,
        None => Ok((0, 0)),
    }
}

/// Marks the thread as read up to its end.
///
/// # Errors
/// NotFound as [`thread`].
#[tracing::instrument(level = "debug", name = "messages.read", skip_all, fields(thread_id = %id))]
pub async fn read(ctx: &Ctx, id: ThreadId) -> Result<()> {
    let thread = thread(ctx, id).await?.id;
    let Some(me) = ctx.actor.user_id() else { return Ok(()) };
    ctx.transaction(|tx| {
        async move {
            store::mark_read(tx, thread, me).await?;
            notifications::mark_seen(tx, me, thread.0, ctx.now()).await
        }
        .scope_boxed()
    })
    .await
}

/// Actions in a thread: `write`, `note`.
pub fn can(ctx: &Ctx, thread: &Thread) -> Vec<&'static str> {
    [("write", Action::Send), ("note", Action::Update)]
        .into_iter()
        .filter(|(_, action)| ctx.can(*action, thread.resource()))
        .map(|(name, _)| name)
        .collect()
}

/// Deletes the unread counts of a user whose role or company changed.
///
/// # Errors
/// Internal if the database fails.
pub(crate) async fn forget(tx: &mut Tx, user: UserId) -> Result<()> {
    store::delete_unread(tx, user).await
}

//! Message threads.
use super::documents::Document;
use crate::{
    error::Result,
    extract::{CreateRequest, EmptyBody, Json, Path, Query, SignedIn, empty_string_as_none, reject_unknown_order},
    response::{Created, JsonBody, Page},
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    desk::messages::{self, Filter, Input},
    kernel::{
        ids::{DocumentId, MessageId, SpvId, ThreadId, UserId},
        page::PageQuery,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A conversation: about one order, or a client's general one with us.
#[derive(Debug, Serialize, ToSchema)]
pub struct Thread {
    id: ThreadId,
    /// Null: the client's general conversation.
    spv_id: Option<SpvId>,
    spv_identifier: Option<String>,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    client: Correspondent,
    last_message: LastMessage,
    /// Number of unread messages.
    unread: i64,
    /// Actions allowed to you: `write`, `note`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Correspondent {
    id: UserId,
    name: String,
}

/// The newest message that you may see.
#[derive(Debug, Serialize, ToSchema)]
pub struct LastMessage {
    excerpt: String,
    at: DateTime<Utc>,
    author: Author,
    internal: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MessageAuthor)]
pub struct Author {
    name: String,
    /// A member of our team.
    staff: bool,
    /// You.
    me: bool,
}

impl Author {
    fn of(ctx: &Ctx, id: Option<UserId>, name: String, staff: bool) -> Self {
        Self { name, staff, me: id.is_some() && id == ctx.actor.user_id() }
    }
}

impl Thread {
    fn of(ctx: &Ctx, row: messages::Thread) -> Self {
        Self {
            can: messages::can(ctx, &row),
            spv_identifier: row.identifier(),
            client: Correspondent { id: row.client_id, name: row.client_name() },
            last_message: LastMessage {
                excerpt: row.excerpt(),
                at: row.at,
                author: Author::of(ctx, row.author_id, row.author_name, row.by_staff),
                internal: row.internal,
            },
            id: row.id,
            spv_id: row.spv_id,
            unread: row.unread,
            vehicle_name: row.vehicle_name,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Message {
    id: MessageId,
    thread_id: ThreadId,
    author: Author,
    body: String,
    /// An internal note, visible to staff only.
    internal: bool,
    created_at: DateTime<Utc>,
    /// Attachments.
    documents: Vec<Document>,
}

impl Message {
    fn of(ctx: &Ctx, row: messages::Message) -> Self {
        Self {
            id: row.id,
            thread_id: row.thread_id,
            author: Author::of(ctx, row.author_id, row.author_name, row.by_staff),
            body: row.body,
            internal: row.internal,
            created_at: row.created_at,
            documents: row.documents.into_iter().map(|document| Document::of(ctx, document)).collect(),
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListThreadsQuery {
    /// Unread only.
    #[serde(default)]
    unread: bool,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    /// Sort order; only `-last_message` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Conversations, latest message first: your own, or all for staff.
#[utoipa::path(get, path = "/threads", operation_id = "thread_list", tag = "messages", params(ListThreadsQuery),
    responses((status = 200, body = Page<Thread>)))]
pub async fn threads(SignedIn(ctx): SignedIn, Query(query): Query<ListThreadsQuery>) -> Result<JsonBody<Page<Thread>>> {
    reject_unknown_order(query.order.as_deref(), "-last_message")?;
    let filter = Filter { unread: query.unread, spv_id: query.spv_id, client_id: query.client_id, ..Filter::default() };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(messages::threads(&ctx, &filter, &page).await?, |thread| Thread::of(&ctx, thread))))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Unread {
    threads: i64,
    messages: i64,
}

/// Number of unread messages.
#[utoipa::path(get, path = "/threads/unread", operation_id = "thread_unread", tag = "messages",
    responses((status = 200, body = Unread)))]
pub async fn unread(SignedIn(ctx): SignedIn) -> Result<JsonBody<Unread>> {
    let (threads, messages) = messages::unread(&ctx).await?;
    Ok(JsonBody(Unread { threads, messages }))
}

/// One conversation.
#[utoipa::path(get, path = "/threads/{id}", operation_id = "thread_get", tag = "messages",
    params(("id" = ThreadId, Path)), responses((status = 200, body = Thread)))]
pub async fn thread(SignedIn(ctx): SignedIn, Path(id): Path<ThreadId>) -> Result<JsonBody<Thread>> {
    let thread = messages::thread(&ctx, id).await?;
    Ok(JsonBody(Thread::of(&ctx, thread)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListMessagesQuery {
    /// Sort order; only `-created_at` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Messages, newest first.
#[utoipa::path(get, path = "/threads/{id}/messages", operation_id = "message_list", tag = "messages",
    params(("id" = ThreadId, Path), ListMessagesQuery), responses((status = 200, body = Page<Message>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ThreadId>,
    Query(query): Query<ListMessagesQuery>,
) -> Result<JsonBody<Page<Message>>> {
    reject_unknown_order(query.order.as_deref(), "-created_at")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(messages::list(&ctx, id, &page).await?, |message| Message::of(&ctx, message))))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ThreadMessagesQuery {
    /// Required.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = ThreadId, required)]
    thread_id: Option<ThreadId>,
    /// Sort order; only `-created_at` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The messages of a conversation, the newest first.
#[utoipa::path(get, path = "/messages", operation_id = "message_find", tag = "messages", params(ThreadMessagesQuery),
    responses((status = 200, body = Page<Message>)))]
pub async fn find(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ThreadMessagesQuery>,
) -> Result<JsonBody<Page<Message>>> {
    let id = query.thread_id.ok_or_else(|| domain::Error::field("thread_id", "required"))?;
    let ThreadMessagesQuery { order, limit, cursor, .. } = query;
    list(SignedIn(ctx), Path(id), Query(ListMessagesQuery { order, limit, cursor })).await
}

/// An internal note about a client, in one of their conversations.
#[derive(Debug, Serialize, ToSchema)]
pub struct InternalNote {
    id: MessageId,
    thread_id: ThreadId,
    /// Null: the client's general conversation.
    spv_id: Option<SpvId>,
    spv_identifier: Option<String>,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    author: Author,
    body: String,
    created_at: DateTime<Utc>,
    /// Attachments.
    documents: Vec<Document>,
}

impl InternalNote {
    fn of(ctx: &Ctx, row: messages::ListedMessage, documents: Vec<domain::orders::documents::Document>) -> Self {
        Self {
            id: row.id,
            thread_id: row.thread_id,
            spv_identifier: row.spv_identifier(),
            spv_id: row.spv_id,
            vehicle_name: row.vehicle_name,
            author: Author::of(ctx, row.author_id, row.author_name, row.by_staff),
            body: row.body,
            created_at: row.created_at,
            documents: documents.into_iter().map(|document| Document::of(ctx, document)).collect(),
        }
    }
}

/// Internal notes about a client in all their conversations, newest first. Staff.
#[utoipa::path(get, path = "/clients/{id}/internal-notes", operation_id = "internal_note_list", tag = "messages",
    params(("id" = UserId, Path), ListMessagesQuery), responses((status = 200, body = Page<InternalNote>)))]
pub async fn internal_notes(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Query(query): Query<ListMessagesQuery>,
) -> Result<JsonBody<Page<InternalNote>>> {
    reject_unknown_order(query.order.as_deref(), "-created_at")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = messages::internal_notes(&ctx, id, &page).await?;
    Ok(JsonBody(Page::of(found, |(note, documents)| InternalNote::of(&ctx, note, documents))))
}

/// Marks a conversation as read to its end.
#[utoipa::path(post, path = "/threads/{id}/read", operation_id = "thread_read", tag = "messages",
    params(("id" = ThreadId, Path)), request_body = EmptyBody, responses((status = 204)))]
pub async fn read(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ThreadId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<StatusCode> {
    messages::read(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// At most one of `thread_id`, `spv_id` and `client_id`; without any, the client's own general conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    thread_id: Option<ThreadId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    /// May be empty with `document_ids`.
    #[serde(default)]
    #[schema(required)]
    body: String,
    /// Staff only: an internal note, never visible to clients.
    #[serde(default)]
    internal: bool,
    /// Documents of the client to attach, already uploaded.
    #[serde(default)]
    document_ids: Vec<DocumentId>,
}

/// Writes a message. The first one about an order, or of a client in general, creates the conversation.
#[utoipa::path(post, path = "/messages", operation_id = "message_create", tag = "messages",
    request_body = NewMessage, responses((status = 201, body = Message)))]
pub async fn create(
    State(app): State<AppState>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewMessage>,
) -> Result<Created<Message>> {
    app.check_request_limit(&ctx.actor)?;
    let input = Input {
        thread_id: input.thread_id,
        spv_id: input.spv_id,
        client_id: input.client_id,
        body: input.body,
        internal: input.internal,
        document_ids: input.document_ids,
    };
    let made = messages::send(&ctx, input).await?;
    Ok(Created {
        location: format!("/rest/v1/threads/{}/messages", made.thread_id),
        version: 1,
        view: Message::of(&ctx, made),
    })
}

//! Notifications and their preferences.
use crate::{
    error::Result,
    extract::{Json, Query, SignedIn, reject_unknown_order},
    response::{ItemList, JsonBody, Page},
    routes::activity::Activity,
};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    kernel::{ids::NotificationId, page::PageQuery},
    outbox::notifications::{self, Channels, Choice, MailFrequency, SetChoice as Chosen, Topic},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A notification.
#[derive(Debug, Serialize, ToSchema)]
pub struct Notification {
    id: NotificationId,
    topic: Topic,
    created_at: DateTime<Utc>,
    /// Null: unread.
    read_at: Option<DateTime<Utc>>,
    activity: Activity,
}

impl Notification {
    fn of(ctx: &Ctx, row: notifications::Notification) -> Self {
        Self {
            id: row.id,
            topic: row.topic,
            created_at: row.created_at,
            read_at: row.read_at,
            activity: Activity::of(ctx, row.activity),
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListNotificationsQuery {
    /// Unread only.
    #[serde(default)]
    unread: bool,
    /// Sort order; only `-created_at` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Your own notifications, newest first.
#[utoipa::path(get, path = "/notifications", operation_id = "notification_list", tag = "notifications", params(ListNotificationsQuery),
    responses((status = 200, body = Page<Notification>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListNotificationsQuery>,
) -> Result<JsonBody<Page<Notification>>> {
    reject_unknown_order(query.order.as_deref(), "-created_at")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(notifications::list(&ctx, query.unread, &page).await?, |row| Notification::of(&ctx, row))))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnreadNotifications)]
pub struct Unread {
    unread: i64,
}

/// Number of unread notifications.
#[utoipa::path(get, path = "/notifications/unread", operation_id = "notification_unread", tag = "notifications",
    responses((status = 200, body = Unread)))]
pub async fn unread(SignedIn(ctx): SignedIn) -> Result<JsonBody<Unread>> {
    Ok(JsonBody(Unread { unread: notifications::unread(&ctx).await? }))
}

/// These ids, or all.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    #[serde(default)]
    ids: Vec<NotificationId>,
    #[serde(default)]
    all: bool,
}

/// Marks notifications as read and cancels their pending mails.
#[utoipa::path(post, path = "/notifications/read", operation_id = "notification_read", tag = "notifications",
    request_body = Seen, responses((status = 204)))]
pub async fn read(SignedIn(ctx): SignedIn, Json(seen): Json<Seen>) -> Result<StatusCode> {
    notifications::read(&ctx, &seen.ids, seen.all).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Notification preferences for one kind of event.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationChoice {
    /// Topic and action, as in the log.
    #[schema(example = "messages.message.sent")]
    event: String,
    topic: Topic,
    in_app: bool,
    mail: MailFrequency,
}

impl From<Choice> for NotificationChoice {
    fn from(choice: Choice) -> Self {
        Self {
            event: choice.event.name(),
            topic: choice.event.topic,
            in_app: choice.channels.in_app,
            mail: choice.channels.mail,
        }
    }
}

fn answer(choices: Vec<Choice>) -> JsonBody<ItemList<NotificationChoice>> {
    JsonBody(ItemList { items: choices.into_iter().map(NotificationChoice::from).collect() })
}

/// Your notification preferences for every event that concerns you.
#[utoipa::path(get, path = "/me/notification-choices", operation_id = "notification_choices", tag = "notifications",
    responses((status = 200, body = ItemList<NotificationChoice>)))]
pub async fn choices(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<NotificationChoice>>> {
    Ok(answer(notifications::choices(&ctx).await?))
}

/// Changes the preferences of an event, or of a whole topic.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationWish {
    /// An event that concerns you, or a topic for all of its events.
    #[schema(example = "messages")]
    event: String,
    in_app: bool,
    mail: MailFrequency,
    /// As in the response; ignored on input.
    #[serde(default, rename = "topic")]
    _topic: Option<Topic>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationChoices {
    choices: Vec<NotificationWish>,
}

/// Sets notification preferences. Events that are not named stay unchanged.
#[utoipa::path(put, path = "/me/notification-choices", operation_id = "notification_choose", tag = "notifications",
    request_body = NotificationChoices, responses((status = 200, body = ItemList<NotificationChoice>)))]
pub async fn choose(
    SignedIn(ctx): SignedIn,
    Json(query): Json<NotificationChoices>,
) -> Result<JsonBody<ItemList<NotificationChoice>>> {
    let query = query
        .choices
        .into_iter()
        .map(|choice| Chosen { event: choice.event, channels: Channels { in_app: choice.in_app, mail: choice.mail } });
    Ok(answer(notifications::choose(&ctx, &query.collect::<Vec<_>>()).await?))
}

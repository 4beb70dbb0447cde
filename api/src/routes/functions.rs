//! The two server functions of the specification (server functions, decision 30): staff only, to known people, with our own links.
use crate::{error::Result, extract::CreateRequest, response::JsonBody};
use axum::http::StatusCode;
use domain::{accounts::users, kernel::ids::MailId, orders::spvs};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A queued mail.
#[derive(Debug, Serialize, ToSchema)]
pub struct MailQueued {
    id: MailId,
}

type Queued = Result<(StatusCode, JsonBody<MailQueued>)>;

fn queued(id: MailId) -> (StatusCode, JsonBody<MailQueued>) {
    (StatusCode::ACCEPTED, JsonBody(MailQueued { id }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Notification {
    /// `password_setup` or `welcome`.
    #[serde(default, rename = "type")]
    #[schema(required)]
    kind: String,
    /// Email address of an existing account.
    #[serde(default)]
    #[schema(required)]
    to: String,
    /// Ignored: name and link come from our own rows.
    #[serde(default, rename = "data")]
    #[schema(value_type = Option<HashMap<String, Value>>)]
    _data: Map<String, Value>,
}

/// Mails a set-up link or a welcome to an existing account.
#[utoipa::path(post, path = "/functions/v1/send-notifications", operation_id = "notification_send", tag = "functions",
    request_body = Notification, responses((status = 202, body = MailQueued)))]
pub async fn send_notifications(CreateRequest { ctx, input, .. }: CreateRequest<Notification>) -> Queued {
    Ok(queued(users::send_notification(&ctx, &input.kind, &input.to).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SpvNotification {
    #[serde(default)]
    #[schema(required)]
    client_email: String,
    /// Ignored: the name is the client's own.
    #[serde(default, rename = "clientName")]
    #[schema(value_type = Option<String>)]
    _client_name: Option<String>,
    #[serde(default)]
    #[schema(required)]
    spv_identifier: String,
    /// Ignored: links are ours.
    #[serde(default, rename = "loginUrl")]
    #[schema(value_type = Option<String>)]
    _login_url: Option<String>,
}

/// Mails a client about one of their orders.
#[utoipa::path(post, path = "/functions/v1/notify-client-spv", operation_id = "notification_send_spv",
    tag = "functions", request_body = SpvNotification, responses((status = 202, body = MailQueued)))]
pub async fn notify_client_spv(CreateRequest { ctx, input, .. }: CreateRequest<SpvNotification>) -> Queued {
    Ok(queued(spvs::notify_client(&ctx, &input.client_email, &input.spv_identifier).await?))
}

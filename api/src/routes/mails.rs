//! The outbox: emails that wait, were sent or failed.
use crate::{
    error::Result,
    extract::{Path, Query, SignedIn, empty_name_as_none, reject_unknown_order},
    response::{JsonBody, Page},
};
use chrono::{DateTime, Utc};
use domain::{
    kernel::{
        ids::{MailId, SpvId, UserId},
        page::PageQuery,
    },
    outbox::mails::{self, Kind, Status},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// An email, without its text: that is rendered when it is sent, and may contain a one-time link.
#[derive(Debug, Serialize, ToSchema)]
pub struct Mail {
    id: MailId,
    kind: Kind,
    to_email: String,
    /// Null for recipients without an account.
    user_id: Option<UserId>,
    /// The order it is about.
    spv_id: Option<SpvId>,
    status: Status,
    attempts: i64,
    /// The last answer of the mail server that was not a success.
    last_error: Option<String>,
    created_at: DateTime<Utc>,
    sent_at: Option<DateTime<Utc>>,
}

impl From<mails::Mail> for Mail {
    fn from(row: mails::Mail) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            to_email: row.to_email,
            user_id: row.user_id,
            spv_id: row.spv_id,
            status: row.status,
            attempts: row.attempts,
            last_error: row.last_error,
            created_at: row.created_at,
            sent_at: row.sent_at,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListMailsQuery {
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<Status>,
    /// Sort order; only `-created_at` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The outbox, newest first. Super admins.
#[utoipa::path(get, path = "/mails", operation_id = "mail_list", tag = "system", params(ListMailsQuery),
    responses((status = 200, body = Page<Mail>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListMailsQuery>) -> Result<JsonBody<Page<Mail>>> {
    reject_unknown_order(query.order.as_deref(), "-created_at")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(mails::list(&ctx, query.status, &page).await?, Mail::from)))
}

/// Sends an email again, with the same Message-ID. Staff.
#[utoipa::path(post, path = "/mails/{id}/resend", operation_id = "mail_resend", tag = "system",
    params(("id" = MailId, Path)), responses((status = 200, body = Mail)))]
pub async fn resend(SignedIn(ctx): SignedIn, Path(id): Path<MailId>) -> Result<JsonBody<Mail>> {
    Ok(JsonBody(mails::resend(&ctx, id).await?.into()))
}

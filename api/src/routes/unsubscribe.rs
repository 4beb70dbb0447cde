//! The address of List-Unsubscribe headers: GET shows the app's page with a button, POST stops the mails (RFC 8058).
use crate::{
    answer::Answer,
    error::Result,
    extract::{Anyone, Query},
};
use domain::reporting::unsubscribe;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UnsubscribeQuery {
    /// Of the link in the mail.
    #[serde(default)]
    token: String,
}

/// What is not mailed any more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unsubscribed {
    /// `notices`, `digest` or `report`.
    kind: &'static str,
}

/// Stops the mails of the kind that carried the link. Needs no sign-in; mail programs post
/// `List-Unsubscribe=One-Click`, and a second time changes nothing.
#[utoipa::path(post, path = "/unsubscribe", operation_id = "email_unsubscribe", tag = "notifications", security(()),
    params(UnsubscribeQuery), responses((status = 200, body = Unsubscribed)))]
pub async fn unsubscribe(Anyone(ctx): Anyone, Query(asked): Query<UnsubscribeQuery>) -> Result<Answer<Unsubscribed>> {
    let kind = unsubscribe::unsubscribe(&ctx, &asked.token).await?;
    Ok(Answer(Unsubscribed { kind: kind.name() }))
}

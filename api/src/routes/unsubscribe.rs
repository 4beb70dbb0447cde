//! `List-Unsubscribe`: GET shows the page of the web app, POST unsubscribes (RFC 8058).
use crate::{
    error::Result,
    extract::{MaybeSignedIn, Query},
    response::JsonBody,
};
use domain::reporting::unsubscribe;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UnsubscribeQuery {
    /// The token of the link in the mail.
    #[serde(default)]
    token: String,
}

/// The kind of mail that was unsubscribed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unsubscribed {
    /// `notices`, `digest` or `report`.
    kind: &'static str,
}

/// Unsubscribes from the kind of mail that contained the link. Needs no sign-in. Mail programs post
/// `List-Unsubscribe=One-Click`; a second request changes nothing.
#[utoipa::path(post, path = "/unsubscribe", operation_id = "email_unsubscribe", tag = "notifications", security(()),
    params(UnsubscribeQuery), responses((status = 200, body = Unsubscribed)))]
pub async fn unsubscribe(
    MaybeSignedIn(ctx): MaybeSignedIn,
    Query(asked): Query<UnsubscribeQuery>,
) -> Result<JsonBody<Unsubscribed>> {
    let kind = unsubscribe::unsubscribe(&ctx, &asked.token).await?;
    Ok(JsonBody(Unsubscribed { kind: kind.name() }))
}

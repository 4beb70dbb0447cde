//! Maintenance mode.
use crate::{
    error::Result,
    extract::{Json, SignedIn},
    response::JsonBody,
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::platform::maintenance;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The message shown to all users during maintenance.
#[derive(Debug, Serialize, ToSchema)]
pub struct Maintenance {
    /// Null for the default message.
    message: Option<String>,
    since: DateTime<Utc>,
}

impl From<maintenance::Maintenance> for Maintenance {
    fn from(now: maintenance::Maintenance) -> Self {
        Self { message: now.message, since: now.since }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MaintenanceMessage {
    /// Up to 300 characters, shown above every page.
    message: Option<String>,
}

/// Starts maintenance: only super admins can write until it ends. Super admins.
#[utoipa::path(put, path = "/maintenance", operation_id = "maintenance_start", tag = "settings",
    request_body = MaintenanceMessage, responses((status = 200, body = Maintenance)))]
pub async fn start(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Json(said): Json<MaintenanceMessage>,
) -> Result<JsonBody<Maintenance>> {
    let now = maintenance::start(&ctx, said.message.as_deref()).await?;
    app.auth.token_cache.admission.invalidate();
    Ok(JsonBody(now.into()))
}

/// Ends maintenance. Super admins.
#[utoipa::path(delete, path = "/maintenance", operation_id = "maintenance_end", tag = "settings",
    responses((status = 204)))]
pub async fn end(State(app): State<AppState>, SignedIn(ctx): SignedIn) -> Result<StatusCode> {
    maintenance::end(&ctx).await?;
    app.auth.token_cache.admission.invalidate();
    Ok(StatusCode::NO_CONTENT)
}

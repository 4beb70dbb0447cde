//! Liveness and readiness.
use crate::{error::Result, response::JsonBody, state::AppState};
use axum::extract::State;
use domain::Error;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    #[schema(example = "ok")]
    status: &'static str,
    version: &'static str,
}

const HEALTHY: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// The process is running.
#[utoipa::path(get, path = "/healthz", operation_id = "health_alive", tag = "health", security(()),
    responses((status = 200, body = Health)))]
pub async fn alive() -> JsonBody<Health> {
    JsonBody(HEALTHY)
}

/// The database accepts writes, and the process is not shutting down.
#[utoipa::path(get, path = "/readyz", operation_id = "health_ready", tag = "health", security(()),
    responses((status = 200, body = Health)))]
pub async fn ready(State(app): State<AppState>) -> Result<JsonBody<Health>> {
    if app.draining.is_cancelled() {
        return Err(Error::Unavailable("the process is shutting down".to_owned()).into());
    }
    // Storage, mail and antivirus do not count: most of the portal works without them, and alerts report them.
    app.db.check_ready().await?;
    Ok(JsonBody(HEALTHY))
}

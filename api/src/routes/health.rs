//! Whether the process lives, and whether it can be used.
use crate::{answer::Answer, error::Result, state::App};
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

/// The process lives.
#[utoipa::path(get, path = "/healthz", operation_id = "health_alive", tag = "health", security(()),
    responses((status = 200, body = Health)))]
pub async fn alive() -> Answer<Health> {
    Answer(HEALTHY)
}

/// The database takes writes, and the process is not shutting down.
#[utoipa::path(get, path = "/readyz", operation_id = "health_ready", tag = "health", security(()),
    responses((status = 200, body = Health)))]
pub async fn ready(State(app): State<App>) -> Result<Answer<Health>> {
    if app.draining.is_cancelled() {
        return Err(Error::Unavailable("the process is shutting down".to_owned()).into());
    }
    // Storage, mail and virus scanner do not count: without them most of the portal works, and alerts tell of them.
    app.db.check_ready().await?;
    Ok(Answer(HEALTHY))
}

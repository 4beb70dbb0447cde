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

/// Database, schema and storage can be used.
#[utoipa::path(get, path = "/readyz", operation_id = "health_ready", tag = "health", security(()),
    responses((status = 200, body = Health)))]
pub async fn ready(State(app): State<App>) -> Result<Answer<Health>> {
    if !app.db.is_usable().await? {
        let why = "the schema is not the one of this version: run `spvctl migrate`";
        return Err(Error::Unavailable(why.to_owned()).into());
    }
    app.options.storage.is_usable().await?;
    Ok(Answer(HEALTHY))
}

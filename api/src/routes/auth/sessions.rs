//! `/sessions`: lists and ends the user's sessions. Our addition to the protocol.
use super::extract::{Path, SessionCtx};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Error,
    accounts::auth::{
        device,
        sessions::{self, Session},
    },
    kernel::{access::SignedIn, i18n, ids::SessionId},
};
use serde::Serialize;

#[derive(Serialize)]
pub struct SessionRow {
    id: SessionId,
    created_at: DateTime<Utc>,
    last_used_at: DateTime<Utc>,
    user_agent: Option<String>,
    /// "Chrome on Linux".
    device: Option<String>,
    address: Option<String>,
    aal: String,
    /// The session of this request.
    current: bool,
    /// The administrator by whose link or password it began.
    begun_by: Option<String>,
}

impl SessionRow {
    fn of(session: Session, me: &SignedIn) -> Self {
        Self {
            device: device::name(&me.language, session.user_agent.as_deref()),
            current: session.id == me.session_id,
            begun_by: session.begun_by.as_deref().map(|by| i18n::administrator(&me.language, by)),
            id: session.id,
            created_at: session.created_at,
            last_used_at: session.refreshed_at,
            user_agent: session.user_agent,
            address: session.address,
            aal: session.aal,
        }
    }
}

pub async fn list(SessionCtx(ctx, me): SessionCtx) -> Result<Json<Vec<SessionRow>>> {
    let found = sessions::list(&ctx, me.id).await?;
    Ok(Json(found.into_iter().map(|session| SessionRow::of(session, &me)).collect()))
}

pub async fn end(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id: SessionId = id.parse().map_err(|_| AuthError::from(Error::NotFound("session")))?;
    sessions::end(&ctx, id).await?;
    app.auth.token_cache.forget_sessions(&[id]);
    Ok(StatusCode::NO_CONTENT)
}

//! Links to contents: signed by our keys, good for a moment, and for nothing else. Whoever was allowed to ask for one may
//! hand it to an image or a download, which cannot send a bearer token.
use super::model::Version;
use crate::{
    auth::Keys,
    ctx::Ctx,
    error::{Error, Result},
    ids::VersionId,
};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

/// How long a link opens.
const LIFE: Duration = Duration::seconds(90);
/// Tells these tokens from those that sign somebody in.
const AUDIENCE: &str = "storage";

#[derive(Serialize, Deserialize)]
struct Claims {
    aud: String,
    version: VersionId,
    inline: bool,
    exp: i64,
}

/// What opens a content.
#[derive(Clone, Debug)]
pub struct Link {
    pub token: String,
    pub expires_at: DateTime<Utc>,
}

/// What a link leads to.
#[derive(Clone, Debug)]
pub struct File {
    pub version: Version,
    /// Shown in the page, not saved.
    pub inline: bool,
}

pub fn make(ctx: &Ctx, keys: &Keys, version: VersionId, inline: bool) -> Result<Link> {
    let expires_at = ctx.now() + LIFE;
    let claims = Claims { aud: AUDIENCE.to_owned(), version, inline, exp: expires_at.timestamp() };
    Ok(Link { token: keys.sign(&claims)?, expires_at })
}

pub fn read(ctx: &Ctx, keys: &Keys, token: &str) -> Result<(VersionId, bool)> {
    keys.verify::<Claims>(token)
        .filter(|claims| claims.aud == AUDIENCE && ctx.now().timestamp() < claims.exp)
        .map(|claims| (claims.version, claims.inline))
        .ok_or_else(|| Error::forbidden("link_expired"))
}

//! Links to contents: signed by our keys, good for a moment, and for nothing else. Whoever was allowed to ask for one may
//! hand it to an image or a download, which cannot send a bearer token.
use super::model::Version;
use crate::{
    auth::{Keys, tokens::Registered},
    ctx::Ctx,
    error::{Error, Result},
    ids::{ActivityId, UserId, VersionId},
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
    #[serde(flatten)]
    opening: Opening,
    #[serde(flatten)]
    registered: Registered,
}

/// Who was given a link, for the log of what was opened.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Opening {
    /// The link's own id, and that of its one entry in the log.
    pub jti: ActivityId,
    /// The account that asked for it; none for programs of the operator's.
    pub by: Option<UserId>,
    /// The super admin who looked at the portal as that account.
    pub admin: Option<UserId>,
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
    pub(super) opening: Opening,
}

pub fn make(ctx: &Ctx, keys: &Keys, version: VersionId, inline: bool) -> Result<Link> {
    let expires_at = ctx.now() + LIFE;
    let opening = Opening {
        jti: ActivityId(ctx.chance.uuid_at(ctx.now())),
        by: ctx.actor.user_id(),
        admin: ctx.actor.impersonator().map(|admin| admin.id),
    };
    let registered = Registered::until(&ctx.options, expires_at);
    let claims = Claims { aud: AUDIENCE.to_owned(), version, inline, opening, registered };
    Ok(Link { token: keys.sign(&claims)?, expires_at })
}

pub fn read(ctx: &Ctx, keys: &Keys, token: &str) -> Result<(VersionId, bool, Opening)> {
    let valid = |of: &Registered| of.exp.is_some() && of.hold(&ctx.options, ctx.now());
    keys.verify::<Claims>(token)
        .filter(|claims| claims.aud == AUDIENCE && valid(&claims.registered))
        .map(|claims| (claims.version, claims.inline, claims.opening))
        .ok_or_else(|| Error::forbidden("link_expired"))
}

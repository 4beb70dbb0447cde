//! Links to contents: signed by our keys and valid for a short time, for images and downloads, which cannot send a bearer
//! token. A download that has begun may be resumed by its link for longer.
use super::model::Version;
use crate::{
    accounts::auth::{Keys, tokens::RegisteredClaims},
    kernel::{
        ctx::Ctx,
        error::{Error, Result},
        ids::{ActivityId, UserId, VersionId},
    },
};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

/// How long a link opens.
const LIFE: Duration = Duration::seconds(90);
/// How long after that the rest of a download may be asked for.
const RESUMABLE: Duration = Duration::hours(12);
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
    registered: RegisteredClaims,
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
    /// The link has expired: only the rest of a download is to be had.
    pub expired: bool,
}

/// Why a link may open the rest of a content after it has expired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Late {
    No,
    /// The download began while it was valid.
    Resumed,
    /// The caller knows the SHA-256 of the content, so it has seen its beginning.
    Knows(String),
}

/// What a token names, and whether it has expired and is only good for the rest of a download.
pub struct Named {
    pub version: VersionId,
    pub inline: bool,
    pub opening: Opening,
    pub expired: bool,
}

pub fn make(ctx: &Ctx, keys: &Keys, version: VersionId, inline: bool) -> Result<Link> {
    let expires_at = ctx.now() + LIFE;
    let opening = Opening {
        jti: ActivityId(ctx.chance.uuid_at(ctx.now())),
        by: ctx.actor.user_id(),
        admin: ctx.actor.impersonator().map(|admin| admin.id),
    };
    let registered = RegisteredClaims::valid_until(&ctx.options, expires_at);
    let claims = Claims { aud: AUDIENCE.to_owned(), version, inline, opening, registered };
    Ok(Link { token: keys.sign(&claims)?, expires_at })
}

/// # Errors
/// Forbidden `link_expired` for a token that is none of ours, or that has expired and may not be late.
pub fn read(ctx: &Ctx, keys: &Keys, token: &str, late: &Late) -> Result<Named> {
    let now = ctx.now();
    let holds = |of: &RegisteredClaims, at| of.exp.is_some() && of.are_valid(&ctx.options, at);
    let found = keys.verify::<Claims>(token).filter(|claims| claims.aud == AUDIENCE).ok_or_else(expired)?;
    let in_time = holds(&found.registered, now);
    if !in_time && (*late == Late::No || !holds(&found.registered, now - RESUMABLE)) {
        return Err(expired());
    }
    Ok(Named { version: found.version, inline: found.inline, opening: found.opening, expired: !in_time })
}

pub fn expired() -> Error {
    Error::forbidden("link_expired")
}

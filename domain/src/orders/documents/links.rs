//! Signed links to document contents, valid for a short time: images and downloads cannot send a bearer token. A download
//! that has begun can be resumed with its expired link for longer.
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

/// The lifetime of a link.
pub(super) const LINK_TTL: Duration = Duration::seconds(90);
/// The time after expiry in which the rest of a download can be requested.
const RESUME_WINDOW: Duration = Duration::hours(12);
/// The audience claim that distinguishes these tokens from access tokens.
const AUDIENCE: &str = "storage";

#[derive(Serialize, Deserialize)]
struct Claims {
    aud: String,
    version: VersionId,
    inline: bool,
    #[serde(flatten)]
    holder: LinkHolder,
    #[serde(flatten)]
    registered: RegisteredClaims,
}

/// The account that a link was issued to, for the access log.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct LinkHolder {
    /// The id of the link and of its one activity row.
    pub jti: ActivityId,
    /// None for service tokens.
    pub by: Option<UserId>,
    /// The super admin who impersonated that account.
    pub admin: Option<UserId>,
}

/// A signed token that opens a content.
#[derive(Clone, Debug)]
pub struct Link {
    pub token: String,
    pub expires_at: DateTime<Utc>,
}

/// The content of a link.
#[derive(Clone, Debug)]
pub struct File {
    pub version: Version,
    /// Shown in the browser instead of being saved.
    pub inline: bool,
    pub(super) holder: LinkHolder,
    /// The link has expired: only the rest of a download may be sent.
    pub expired: bool,
}

/// The reason for which an expired link still opens the rest of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeClaim {
    None,
    /// The download began while it was valid.
    Resumed,
    /// The caller knows the SHA-256 of the content, so it has received its beginning.
    KnowsHash(String),
}

/// The claims of a verified token.
pub struct LinkTarget {
    pub version: VersionId,
    pub inline: bool,
    pub holder: LinkHolder,
    pub expired: bool,
}

/// Signs a link for the actor.
pub fn create(ctx: &Ctx, keys: &Keys, version: VersionId, inline: bool) -> Result<Link> {
    let expires_at = ctx.now() + LINK_TTL;
    let holder = LinkHolder {
        jti: ActivityId(ctx.random.uuid_at(ctx.now())),
        by: ctx.actor.user_id(),
        admin: ctx.actor.impersonator().map(|admin| admin.id),
    };
    let registered = RegisteredClaims::valid_until(&ctx.options, expires_at);
    let claims = Claims { aud: AUDIENCE.to_owned(), version, inline, holder, registered };
    Ok(Link { token: keys.sign(&claims)?, expires_at })
}

/// Verifies a token.
///
/// # Errors
/// Forbidden `link_expired` for a forged token, and for an expired one without a reason to resume.
pub fn verify(ctx: &Ctx, keys: &Keys, token: &str, resume: &ResumeClaim) -> Result<LinkTarget> {
    let now = ctx.now();
    let holds = |of: &RegisteredClaims, at| of.exp.is_some() && of.are_valid(&ctx.options, at);
    let found = keys.verify::<Claims>(token).filter(|claims| claims.aud == AUDIENCE).ok_or_else(expired)?;
    let in_time = holds(&found.registered, now);
    if !in_time && (*resume == ResumeClaim::None || !holds(&found.registered, now - RESUME_WINDOW)) {
        return Err(expired());
    }
    Ok(LinkTarget { version: found.version, inline: found.inline, holder: found.holder, expired: !in_time })
}

pub fn expired() -> Error {
    Error::forbidden("link_expired")
}

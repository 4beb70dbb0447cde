//! One-time links and their six-digit codes. Only hashes are stored (decision 21). A link is consumed by the POST of a
//! click, so that mail scanners do not consume it.
mod store;

pub use crate::outbox::mails::LinkKind;

use super::secret;
use crate::{
    accounts::users::{self, User},
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::{FlowId, LinkId, UserId},
    },
    outbox::mails,
};
use chrono::{DateTime, Duration, Utc};

/// Wrong codes after which a user's codes are refused until the tried links expire.
pub const MAX_WRONG_CODES: i64 = 10;
/// Prefix of link tokens whose flow uses PKCE.
pub const PKCE_TOKEN_PREFIX: &str = "pkce_";

impl LinkKind {
    /// Verification type in the auth protocol.
    pub fn verified_as(self) -> &'static str {
        match self {
            Self::EmailChangeCurrent | Self::EmailChangeNew => "email_change",
            other => other.name(),
        }
    }

    /// Authentication method of a session started by it, where the flow uses PKCE.
    pub fn method(self) -> &'static str {
        match self {
            Self::Signup => "email/signup",
            other => other.verified_as(),
        }
    }

    pub fn ttl(self) -> Duration {
        match self {
            Self::Recovery | Self::Magiclink | Self::Reauthentication => Duration::hours(1),
            Self::Invite | Self::Signup | Self::EmailChangeCurrent | Self::EmailChangeNew => Duration::hours(24),
        }
    }

    /// Page of the web app that asks for the click or the code.
    pub fn page(self) -> &'static str {
        match self {
            Self::Recovery | Self::Invite => "/auth/reset-password",
            _ => "/auth/confirm",
        }
    }

    /// `type` parameter of the page: recoveries and invitations share a page and say `recovery`.
    pub fn page_type(self) -> &'static str {
        match self {
            Self::Recovery | Self::Invite => "recovery",
            other => other.verified_as(),
        }
    }
}

crate::kernel::text_enum! {
    /// Verification type that a client names. Kinds that share a name in the protocol are interchangeable.
    pub enum Purpose {
        Signup = "signup",
        Invite = "invite",
        Magiclink = "magiclink",
        Recovery = "recovery",
        EmailChange = "email_change",
        /// Any mail; the newest counts.
        Email = "email",
    }
}

impl Purpose {
    fn kinds(self) -> &'static [LinkKind] {
        use LinkKind::{EmailChangeCurrent, EmailChangeNew, Invite, Magiclink, Recovery, Signup};
        match self {
            Self::Signup => &[Signup, Invite, Magiclink],
            Self::Invite => &[Invite, Recovery, Signup],
            Self::Magiclink => &[Magiclink, Recovery, Signup],
            Self::Recovery => &[Recovery, Invite, Magiclink],
            Self::EmailChange => &[EmailChangeCurrent, EmailChangeNew],
            Self::Email => &[Signup, Magiclink, Recovery, Invite],
        }
    }
}

/// A link for one mail. Never stored; debug output is hidden.
#[derive(Clone)]
pub struct IssuedLink {
    pub url: String,
    /// Token that the page sends back.
    pub token: String,
    /// Six digits, to type where the link cannot be opened.
    pub code: String,
}

impl std::fmt::Debug for IssuedLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IssuedLink(hidden)")
    }
}

/// A row of `links`.
#[derive(Clone, Debug)]
struct Link {
    id: LinkId,
    user_id: UserId,
    kind: LinkKind,
    token_hash: String,
    code_hash: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    flow_id: Option<FlowId>,
    /// The administrator who made it for an account in use.
    issued_by: Option<String>,
}

/// A link or code that was consumed now.
#[derive(Debug)]
pub(super) struct ConsumedLink {
    pub user: User,
    pub kind: LinkKind,
    pub flow_id: Option<FlowId>,
    /// The administrator who made it for an account in use ([`crate::Actor::code`]).
    pub issued_by: Option<String>,
}

/// What a link is issued with.
#[derive(Clone, Debug, Default)]
pub struct LinkContext<'a> {
    pub flow_id: Option<FlowId>,
    /// A validated redirect target.
    pub redirect_to: Option<&'a str>,
    /// The administrator who makes it for an account in use ([`crate::Actor::code`]).
    pub issued_by: Option<String>,
}

/// Issues a link for a mail to `email`. Earlier links stay valid until one is consumed.
///
/// # Errors
/// Database errors.
pub async fn issue(tx: &mut Tx, ctx: &Ctx, user: UserId, email: &str, kind: LinkKind) -> Result<IssuedLink> {
    issue_with(tx, ctx, user, email, kind, LinkContext::default()).await
}

/// [`issue`] with a flow, a redirect target or an administrator.
///
/// # Errors
/// Database errors.
pub async fn issue_with(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    email: &str,
    kind: LinkKind,
    context: LinkContext<'_>,
) -> Result<IssuedLink> {
    let LinkContext { flow_id, redirect_to, issued_by } = context;
    let token = format!("{}{}", if flow_id.is_some() { PKCE_TOKEN_PREFIX } else { "" }, secret::token(&ctx.random));
    let code = ctx.random.code();
    let now = ctx.now();
    store::insert(
        tx,
        &Link {
            id: LinkId(ctx.random.uuid()),
            user_id: user,
            kind,
            token_hash: secret::token_hash(&token),
            code_hash: secret::code_hash(email, &code),
            created_at: now,
            expires_at: now + kind.ttl(),
            flow_id,
            issued_by,
        },
    )
    .await?;
    let mut url = format!("{}{}?token_hash={token}&type={}", ctx.options.public_url, kind.page(), kind.page_type());
    if let Some(to) = redirect_to {
        url.push_str("&redirect_to=");
        url.extend(url::form_urlencoded::byte_serialize(to.as_bytes()));
    }
    Ok(IssuedLink { url, token, code })
}

/// Consumes the link of a token and revokes the user's other links. None for an unknown, expired, consumed or
/// unsuitable token alike.
///
/// # Errors
/// Database errors.
pub(super) async fn consume(tx: &mut Tx, ctx: &Ctx, token: &str, purpose: Purpose) -> Result<Option<ConsumedLink>> {
    let hash = secret::token_hash(token);
    let Some((owner, kind)) = store::owner(tx, &hash).await? else { return Ok(None) };
    if !purpose.kinds().contains(&kind) {
        return Ok(None);
    }
    // Lock order: the user before the links.
    let Some(user) = users::store::lock(tx, owner).await? else { return Ok(None) };
    let Some((flow_id, issued_by)) = store::consume(tx, &hash, ctx.now()).await? else { return Ok(None) };
    revoke_others(tx, ctx, user.id, kind).await?;
    Ok(Some(ConsumedLink { user, kind, flow_id, issued_by }))
}

/// User of a link that is consumed or expired and which of the two, for the log. None for an unknown or a valid one.
///
/// # Errors
/// Database errors.
pub(super) async fn find_consumed(tx: &mut Tx, ctx: &Ctx, token: &str) -> Result<Option<(User, &'static str)>> {
    let found = store::find_consumed(tx, &secret::token_hash(token), ctx.now()).await?;
    let Some((owner, used_at)) = found else { return Ok(None) };
    let reason = if used_at.is_some() { "link_used" } else { "link_expired" };
    Ok(users::store::get(tx, owner).await?.map(|user| (user, reason)))
}

/// Consumes the newest link of this purpose mailed to `email` by its code. None as in [`consume`]; the attempt is
/// counted, so the caller must commit.
///
/// # Errors
/// Database errors.
pub(super) async fn consume_code(
    tx: &mut Tx,
    ctx: &Ctx,
    email: &str,
    code: &str,
    purpose: Purpose,
) -> Result<Option<ConsumedLink>> {
    let key = users::email_key(email);
    let holder = users::store::by_email(tx, &key).await?;
    if purpose != Purpose::EmailChange {
        let Some(user) = holder else { return Ok(None) };
        return consume_by_code(tx, ctx, user.id, email, code, purpose.kinds()).await;
    }
    if let Some(user) = holder.filter(|user| user.new_email.is_some())
        && let Some(used) = consume_by_code(tx, ctx, user.id, email, code, &[LinkKind::EmailChangeCurrent]).await?
    {
        return Ok(Some(used));
    }
    for user in users::store::waiting_for(tx, &key).await? {
        if let Some(used) = consume_by_code(tx, ctx, user, email, code, &[LinkKind::EmailChangeNew]).await? {
            return Ok(Some(used));
        }
    }
    Ok(None)
}

/// Consumes a reauthentication code. False for a wrong one, which is counted: the caller must commit.
///
/// # Errors
/// Database errors.
pub(super) async fn consume_nonce(tx: &mut Tx, ctx: &Ctx, user: &User, code: &str) -> Result<bool> {
    let kinds = &[LinkKind::Reauthentication];
    Ok(consume_by_code(tx, ctx, user.id, &user.email, code, kinds).await?.is_some())
}

async fn consume_by_code(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    email: &str,
    code: &str,
    kinds: &[LinkKind],
) -> Result<Option<ConsumedLink>> {
    let Some(user) = users::store::lock(tx, user).await? else { return Ok(None) };
    let tried = store::try_code(tx, user.id, kinds, ctx.now()).await?;
    let hash = secret::code_hash(email, code);
    // Only the code of the newest mail: many mails must not mean many valid codes.
    let newest = tried.iter().map(|link| link.created_at).max();
    let mut found = None;
    // All are compared: constant time.
    for link in &tried {
        if secret::constant_time_eq(&link.code_hash, &hash) & (Some(link.created_at) == newest) {
            found = Some(link);
        }
    }
    let worn_out = tried.iter().any(|link| link.attempts > MAX_WRONG_CODES);
    let Some(found) = found.filter(|_| !worn_out) else { return Ok(None) };
    revoke_others(tx, ctx, user.id, found.kind).await?;
    Ok(Some(ConsumedLink { kind: found.kind, flow_id: found.flow_id, issued_by: found.issued_by.clone(), user }))
}

/// Revokes what a consumed link makes obsolete: every other link of the user, except after one confirmation of a new
/// address and after a reauthentication.
async fn revoke_others(tx: &mut Tx, ctx: &Ctx, user: UserId, kind: LinkKind) -> Result<()> {
    match kind {
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew | LinkKind::Reauthentication => {
            store::revoke_kinds(tx, user, &[kind], ctx.now()).await
        }
        _ => store::revoke_all(tx, user, ctx.now()).await,
    }
}

/// Revokes the links of an outdated change of address.
///
/// # Errors
/// Database errors.
pub(super) async fn revoke_email_changes_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<()> {
    store::revoke_kinds(tx, user, &[LinkKind::EmailChangeCurrent, LinkKind::EmailChangeNew], ctx.now()).await
}

/// Revokes every link of a user, after a change of password or status.
///
/// # Errors
/// Database errors.
pub async fn revoke_all_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<()> {
    store::revoke_all(tx, user, ctx.now()).await
}

/// Deletes links that expired before `before`, those of security mails too, and returns their number. Scheduled.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.links.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| {
        async move {
            let deleted = store::delete_expired(tx, before).await?;
            Ok(deleted + mails::secure_links::delete_expired(tx, before).await?)
        }
        .scope_boxed()
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issued_link_debug_is_hidden() {
        let made = IssuedLink {
            url: "https://portal.example/secret".to_owned(),
            token: "secret".to_owned(),
            code: "123456".to_owned(),
        };
        assert_eq!(format!("{made:?}"), "IssuedLink(hidden)");
    }
}

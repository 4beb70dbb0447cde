//! One-time links and their six-digit codes. Only hashes are kept (decision 21); a link is used by a POST that
//! follows a person's click, so that a mail scanner's visit uses nothing up.
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
};
use chrono::{DateTime, Duration, Utc};

/// Wrong codes after which no code of this user is taken any more, until the tried links have expired.
pub const MAX_WRONG_CODES: i64 = 10;
/// What the token of a link starts with that leads back to the browser where its flow began.
pub const PKCE: &str = "pkce_";

impl LinkKind {
    /// What the protocol calls it when it is used.
    pub fn verified_as(self) -> &'static str {
        match self {
            Self::EmailChangeCurrent | Self::EmailChangeNew => "email_change",
            other => other.name(),
        }
    }

    /// How a session says that it was begun by it, where the flow is PKCE.
    pub fn method(self) -> &'static str {
        match self {
            Self::Signup => "email/signup",
            other => other.verified_as(),
        }
    }

    pub fn life(self) -> Duration {
        match self {
            Self::Recovery | Self::Magiclink | Self::Reauthentication => Duration::hours(1),
            Self::Invite | Self::Signup | Self::EmailChangeCurrent | Self::EmailChangeNew => Duration::hours(24),
        }
    }

    /// The page of ours that asks for the click, or for the code.
    pub fn page(self) -> &'static str {
        match self {
            Self::Recovery | Self::Invite => "/auth/reset-password",
            _ => "/auth/confirm",
        }
    }

    /// The type that our page is told. Its page serves recoveries and invitations alike, so both say `recovery`.
    pub fn page_type(self) -> &'static str {
        match self {
            Self::Recovery | Self::Invite => "recovery",
            other => other.verified_as(),
        }
    }
}

/// What somebody says a link or code is for. Kinds that share a name in the protocol are taken for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Signup,
    Invite,
    Magiclink,
    Recovery,
    EmailChange,
    /// Whichever mail was the newest.
    Email,
}

impl Purpose {
    pub fn read(text: &str) -> Option<Self> {
        Some(match text {
            "signup" => Self::Signup,
            "invite" => Self::Invite,
            "magiclink" => Self::Magiclink,
            "recovery" => Self::Recovery,
            "email_change" => Self::EmailChange,
            "email" => Self::Email,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::Magiclink => "magiclink",
            Self::Recovery => "recovery",
            Self::EmailChange => "email_change",
            Self::Email => "email",
        }
    }

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

/// A link as it goes into one mail. Never kept, never printed.
#[derive(Clone)]
pub struct Made {
    pub url: String,
    /// What the page hands back.
    pub token: String,
    /// Six digits, for a reader whose link cannot be opened where the password is to be set.
    pub code: String,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Made(hidden)")
    }
}

/// A link's row.
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
}

/// A link or code that was good, and is used now.
#[derive(Debug)]
pub(super) struct Used {
    pub user: User,
    pub kind: LinkKind,
    pub flow_id: Option<FlowId>,
}

/// Makes a link for a mail that is about to be sent to `email`. Earlier ones stay good until one is used.
///
/// # Errors
/// What the database refuses.
pub async fn make(tx: &mut Tx, ctx: &Ctx, user: UserId, email: &str, kind: LinkKind) -> Result<Made> {
    make_for(tx, ctx, user, email, kind, None, None).await
}

/// [`make`] for a flow, which the click leads back to, or for a place to go to afterwards. The place was checked
/// when it was asked for.
///
/// # Errors
/// What the database refuses.
pub async fn make_for(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    email: &str,
    kind: LinkKind,
    flow_id: Option<FlowId>,
    redirect_to: Option<&str>,
) -> Result<Made> {
    let token = format!("{}{}", if flow_id.is_some() { PKCE } else { "" }, secret::token(&ctx.chance));
    let code = ctx.chance.code();
    let now = ctx.now();
    store::insert(
        tx,
        &Link {
            id: LinkId(ctx.chance.uuid()),
            user_id: user,
            kind,
            token_hash: secret::token_hash(&token),
            code_hash: secret::code_hash(email, &code),
            created_at: now,
            expires_at: now + kind.life(),
            flow_id,
        },
    )
    .await?;
    let mut url = format!("{}{}?token_hash={token}&type={}", ctx.options.public_url, kind.page(), kind.page_type());
    if let Some(to) = redirect_to {
        url.push_str("&redirect_to=");
        url.extend(url::form_urlencoded::byte_serialize(to.as_bytes()));
    }
    Ok(Made { url, token, code })
}

/// Uses the link with this token and, with it, every other link of its user. None for a token that is unknown,
/// expired, used or for something else: they are answered alike.
///
/// # Errors
/// What the database refuses.
pub(super) async fn consume(tx: &mut Tx, ctx: &Ctx, token: &str, purpose: Purpose) -> Result<Option<Used>> {
    let hash = secret::token_hash(token);
    let Some((owner, kind)) = store::owner(tx, &hash).await? else { return Ok(None) };
    if !purpose.kinds().contains(&kind) {
        return Ok(None);
    }
    // The user first, then the links: the order every writer of both keeps.
    let Some(user) = users::store::lock(tx, owner).await? else { return Ok(None) };
    let Some(flow_id) = store::take(tx, &hash, ctx.now()).await? else { return Ok(None) };
    used_up(tx, ctx, user.id, kind).await?;
    Ok(Some(Used { user, kind, flow_id }))
}

/// Whose link this was, and why it is good no more: for the log. None for one that is unknown, or good for something
/// else.
///
/// # Errors
/// What the database refuses.
pub(super) async fn spent(tx: &mut Tx, ctx: &Ctx, token: &str) -> Result<Option<(User, &'static str)>> {
    let found = store::spent(tx, &secret::token_hash(token), ctx.now()).await?;
    let Some((owner, used_at)) = found else { return Ok(None) };
    let reason = if used_at.is_some() { "link_used" } else { "link_expired" };
    Ok(users::store::get(tx, owner).await?.map(|user| (user, reason)))
}

/// Uses the newest link of this purpose that was mailed to `email`, by its code. None as in [`consume`]; the attempt
/// is then counted, so the caller commits.
///
/// # Errors
/// What the database refuses.
pub(super) async fn consume_code(
    tx: &mut Tx,
    ctx: &Ctx,
    email: &str,
    code: &str,
    purpose: Purpose,
) -> Result<Option<Used>> {
    let key = users::email_key(email);
    let holder = users::store::by_email(tx, &key).await?;
    if purpose != Purpose::EmailChange {
        let Some(user) = holder else { return Ok(None) };
        return with_code(tx, ctx, user.id, email, code, purpose.kinds()).await;
    }
    if let Some(user) = holder.filter(|user| user.new_email.is_some())
        && let Some(used) = with_code(tx, ctx, user.id, email, code, &[LinkKind::EmailChangeCurrent]).await?
    {
        return Ok(Some(used));
    }
    for user in users::store::waiting_for(tx, &key).await? {
        if let Some(used) = with_code(tx, ctx, user, email, code, &[LinkKind::EmailChangeNew]).await? {
            return Ok(Some(used));
        }
    }
    Ok(None)
}

/// Uses a code that was mailed to prove once more who sits there. False for a wrong one, which is counted: the
/// caller commits.
///
/// # Errors
/// What the database refuses.
pub(super) async fn consume_nonce(tx: &mut Tx, ctx: &Ctx, user: &User, code: &str) -> Result<bool> {
    let kinds = &[LinkKind::Reauthentication];
    Ok(with_code(tx, ctx, user.id, &user.email, code, kinds).await?.is_some())
}

async fn with_code(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    email: &str,
    code: &str,
    kinds: &[LinkKind],
) -> Result<Option<Used>> {
    let Some(user) = users::store::lock(tx, user).await? else { return Ok(None) };
    let tried = store::try_code(tx, user.id, kinds, ctx.now()).await?;
    let hash = secret::code_hash(email, code);
    // Only the newest mail's code: whoever has many mails sent must not have as many codes to hit.
    let newest = tried.iter().map(|link| link.created_at).max();
    let mut found = None;
    // Every one is compared, so that the time does not tell which it was.
    for link in &tried {
        if secret::constant_time_eq(&link.code_hash, &hash) & (Some(link.created_at) == newest) {
            found = Some(link);
        }
    }
    let worn_out = tried.iter().any(|link| link.attempts > MAX_WRONG_CODES);
    let Some(found) = found.filter(|_| !worn_out) else { return Ok(None) };
    used_up(tx, ctx, user.id, found.kind).await?;
    Ok(Some(Used { kind: found.kind, flow_id: found.flow_id, user }))
}

/// A used link takes every other of its user with it. One half of a change of address leaves the other half, and a
/// proof of who sits there leaves everything, as the change that follows decides.
async fn used_up(tx: &mut Tx, ctx: &Ctx, user: UserId, kind: LinkKind) -> Result<()> {
    match kind {
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew | LinkKind::Reauthentication => {
            store::use_of(tx, user, &[kind], ctx.now()).await
        }
        _ => store::use_all(tx, user, ctx.now()).await,
    }
}

/// Uses up the links of a change of address that something newer has taken the place of.
///
/// # Errors
/// What the database refuses.
pub(super) async fn drop_email_changes_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<()> {
    store::use_of(tx, user, &[LinkKind::EmailChangeCurrent, LinkKind::EmailChangeNew], ctx.now()).await
}

/// Uses up every link of a user: the password was changed, or the account shut.
///
/// # Errors
/// What the database refuses.
pub async fn drop_all_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<()> {
    store::use_all(tx, user, ctx.now()).await
}

/// Deletes links that expired before `before`; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| store::delete_expired(tx, before).scope_boxed()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_does_not_show_itself() {
        let made = Made {
            url: "https://portal.example/secret".to_owned(),
            token: "secret".to_owned(),
            code: "123456".to_owned(),
        };
        assert_eq!(format!("{made:?}"), "Made(hidden)");
    }
}

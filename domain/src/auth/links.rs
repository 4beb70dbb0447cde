//! One-time links and their six-digit codes. Only hashes are kept (decision 21); a link is used by a POST that
//! follows a person's click, so that a mail scanner's visit uses nothing up.
use super::{secret, store};
use crate::{
    ctx::Ctx,
    db::Tx,
    error::Result,
    ids::{LinkId, UserId},
    users::{self, User},
};
use chrono::{DateTime, Duration, Utc};

/// Wrong codes after which no code of this user is taken any more, until the tried links have expired.
pub const MAX_WRONG_CODES: i64 = 10;

/// What the link is for; its page and its use are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum LinkKind {
    /// For somebody who forgot the password: an hour.
    Recovery,
    /// For a new account: a day.
    Invite,
}

impl LinkKind {
    pub fn life(self) -> Duration {
        match self {
            Self::Recovery => Duration::hours(1),
            Self::Invite => Duration::hours(24),
        }
    }
}

/// A link as it goes into one mail. Never kept, never printed.
#[derive(Clone)]
pub struct Made {
    pub url: String,
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
pub(super) struct Link {
    pub id: LinkId,
    pub user_id: UserId,
    pub kind: LinkKind,
    pub token_hash: String,
    pub code_hash: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Makes a link for a mail that is about to be sent to `email`. Earlier ones stay good until one is used.
///
/// # Errors
/// What the database refuses.
pub async fn make(tx: &mut Tx, ctx: &Ctx, user: UserId, email: &str, kind: LinkKind) -> Result<Made> {
    let token = secret::token(&ctx.chance);
    let code = ctx.chance.code();
    let now = ctx.now();
    store::insert_link(
        tx,
        &Link {
            id: LinkId(ctx.chance.uuid()),
            user_id: user,
            kind,
            token_hash: secret::token_hash(&token),
            code_hash: secret::code_hash(email, &code),
            created_at: now,
            expires_at: now + kind.life(),
        },
    )
    .await?;
    // One page serves both kinds, so both say `recovery`.
    let url = format!("{}/auth/reset-password?token_hash={token}&type=recovery", ctx.options.public_url);
    Ok(Made { url, code })
}

/// Uses the link with this token and, with it, every other link of its user. None for a token that is unknown,
/// expired or used: the three are answered alike.
///
/// # Errors
/// What the database refuses.
pub(super) async fn consume(tx: &mut Tx, ctx: &Ctx, token: &str) -> Result<Option<User>> {
    let hash = secret::token_hash(token);
    let Some(owner) = store::link_owner(tx, &hash).await? else { return Ok(None) };
    // The user first, then the links: the order every writer of both keeps.
    let Some(user) = users::store::lock(tx, owner).await? else { return Ok(None) };
    if !store::use_link(tx, &hash, ctx.now()).await? {
        return Ok(None);
    }
    store::use_links_of(tx, user.id, ctx.now()).await?;
    Ok(Some(user))
}

/// Uses the user's newest link, by its code. None as in [`consume`]; the attempt is then counted, so the caller commits.
///
/// # Errors
/// What the database refuses.
pub(super) async fn consume_code(tx: &mut Tx, ctx: &Ctx, email: &str, code: &str) -> Result<Option<User>> {
    let Some(user) = users::store::by_email(tx, &users::email_key(email)).await? else { return Ok(None) };
    let Some(user) = users::store::lock(tx, user.id).await? else { return Ok(None) };
    let tried = store::try_links(tx, user.id, ctx.now()).await?;
    let hash = secret::code_hash(&user.email, code);
    // Only the newest mail's code: whoever has many mails sent must not have as many codes to hit.
    let newest = tried.iter().map(|(.., at)| *at).max();
    // Every one is compared, so that the time does not tell which it was.
    let found =
        tried.iter().fold(false, |found, (kept, _, at)| (secret::same(kept, &hash) & (Some(*at) == newest)) | found);
    let worn_out = tried.iter().any(|(_, attempts, _)| *attempts > MAX_WRONG_CODES);
    if !found || worn_out {
        return Ok(None);
    }
    store::use_links_of(tx, user.id, ctx.now()).await?;
    Ok(Some(user))
}

/// Uses up every link of a user: the password was changed, or the account shut.
///
/// # Errors
/// What the database refuses.
pub async fn drop_all_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<()> {
    store::use_links_of(tx, user, ctx.now()).await
}

/// Deletes links that expired before `before`; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    let mut tx = ctx.begin().await?;
    let gone = store::delete_links(&mut tx, before).await?;
    tx.commit().await?;
    Ok(gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_does_not_show_itself() {
        let made = Made { url: "https://portal.example/secret".to_owned(), code: "123456".to_owned() };
        assert_eq!(format!("{made:?}"), "Made(hidden)");
    }
}

//! One-time "This wasn't me" links of security mails. Only hashes are stored. A link is used by the POST of the page's
//! button, so that mail scanners do not use it.
use super::{model::Mail, store};
use crate::kernel::{ctx::Ctx, db::Tx, error::Result, ids::UserId, secret};
use chrono::{DateTime, Duration, Utc};

/// Lifetime of a link.
pub const TTL: Duration = Duration::days(7);
/// The page of the web app with the button.
const PAGE: &str = "/auth/secure-account";

/// Issues a link for one attempt to send a mail; `None` for mails without the button.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn issue(tx: &mut Tx, ctx: &Ctx, mail: &Mail) -> Result<Option<String>> {
    if !mail.security_act().is_some_and(super::SecurityAct::secures_account) {
        return Ok(None);
    }
    let token = secret::token(&ctx.random);
    store::insert_secure_link(tx, &secret::token_hash(&token), mail.id, ctx.now() + TTL).await?;
    Ok(Some(format!("{}{PAGE}?token={token}", ctx.options.public_url)))
}

/// Uses a link and revokes those of other mails to its address; returns its mail and the account. `None` for an unknown, used
/// or expired link alike. Links mailed to another address stay: an intruder's mailbox must not use up the owner's.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn consume(tx: &mut Tx, ctx: &Ctx, token: &str) -> Result<Option<(Mail, UserId)>> {
    let Some(id) = store::use_secure_link(tx, &secret::token_hash(token), ctx.now()).await? else { return Ok(None) };
    let Some(mail) = store::lock(tx, id).await? else { return Ok(None) };
    let Some(user) = mail.user_id else { return Ok(None) };
    store::revoke_secure_links(tx, user, Some(&mail.to_email), ctx.now()).await?;
    Ok(Some((mail, user)))
}

/// Revokes the links of an account, as when its address is corrected by others: the old mailbox loses them.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn revoke_all_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<()> {
    store::revoke_secure_links(tx, user, None, ctx.now()).await
}

/// Deletes links that expired before `before` and returns their number.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn delete_expired(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    store::delete_secure_links(tx, before).await
}

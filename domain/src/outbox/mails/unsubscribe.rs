//! Unsubscribe links (one-click, RFC 8058) of notification mails, digests and reports.
//!
//! A link needs no sign-in and never expires, as mail programs show it for years.
use super::{
    model::{Kind, Mail},
    store,
};
use crate::kernel::{
    ctx::Ctx,
    db::Tx,
    error::{Error, Result},
    ids::UserId,
    secret,
};

/// The page that asks for confirmation, and the address to which mail programs post.
const PAGE: &str = "/unsubscribe";

/// Issues a link for one attempt to send a mail; `None` for mails about an account or an order, which are no list mails.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn issue_link(tx: &mut Tx, ctx: &Ctx, mail: &Mail) -> Result<Option<String>> {
    if !matches!(mail.kind, Kind::Notices | Kind::Digest | Kind::Report) {
        return Ok(None);
    }
    let token = secret::token(&ctx.random);
    store::insert_unsubscribe_link(tx, &secret::token_hash(&token), mail.id).await?;
    Ok(Some(format!("{}{PAGE}?token={token}", ctx.options.public_url)))
}

/// The mail with this link, locked, and its recipient.
///
/// # Errors
/// NotFound for an unknown link; what the database refuses.
pub(crate) async fn by_link(tx: &mut Tx, token: &str) -> Result<(Mail, UserId)> {
    let found = store::by_unsubscribe_link(tx, &secret::token_hash(token)).await?;
    let (id, user) = found.ok_or(Error::NotFound("unsubscribe_link"))?;
    let mail = store::lock(tx, id).await?.ok_or(Error::NotFound("unsubscribe_link"))?;
    Ok((mail, user))
}

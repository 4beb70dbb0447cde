//! One-click unsubscribe (RFC 8058): the links of notices, digests and reports, and what each of them stops.
//!
//! A link needs no sign-in and stops mails only: what the portal shows stays as it is. It keeps working, as mail programs
//! show it for years.
use super::{
    model::{Kind, Mail},
    store,
};
use crate::{
    accounts::auth::secret,
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
    },
    outbox::notifications::{self, MailFrequency},
    reporting::reports::schedules,
};
use serde_json::Value;

/// The page that asks for a click, and the address that a mail program posts to.
const PAGE: &str = "/unsubscribe";

/// A new link for one attempt to send a mail; none for mails about an account or an order, which are not a list.
///
/// # Errors
/// What the database refuses.
pub(super) async fn link(tx: &mut Tx, ctx: &Ctx, mail: &Mail) -> Result<Option<String>> {
    if !matches!(mail.kind, Kind::Notices | Kind::Digest | Kind::Report) {
        return Ok(None);
    }
    let token = secret::token(&ctx.chance);
    store::insert_unsubscribe_link(tx, &secret::token_hash(&token), mail.id).await?;
    Ok(Some(format!("{}{PAGE}?token={token}", ctx.options.public_url)))
}

/// Stops the mails of the kind that carried this link: notices or the digest in the reader's choices, or the reader's
/// place in a report's schedule. Whoever has the link may; a second time changes nothing.
///
/// # Errors
/// NotFound for a link that is not ours; what the database refuses.
pub async fn unsubscribe(ctx: &Ctx, token: &str) -> Result<Kind> {
    ctx.transaction(|tx| {
        async move {
            let found = store::by_unsubscribe_link(tx, &secret::token_hash(token)).await?;
            let (id, user) = found.ok_or(Error::NotFound("unsubscribe_link"))?;
            let mail = store::lock(tx, id).await?.ok_or(Error::NotFound("unsubscribe_link"))?;
            match mail.kind {
                Kind::Notices => notifications::stop_mail(tx, user, MailFrequency::Now).await?,
                Kind::Digest => notifications::stop_mail(tx, user, MailFrequency::Daily).await?,
                Kind::Report => {
                    let schedule = mail.data.get("schedule_id").and_then(Value::as_str).and_then(|id| id.parse().ok());
                    if let Some(schedule) = schedule {
                        schedules::remove_recipient(tx, ctx, schedule, user).await?;
                    }
                }
                _ => return Err(Error::NotFound("unsubscribe_link")),
            }
            Ok(mail.kind)
        }
        .scope_boxed()
    })
    .await
}

//! "This wasn't me": secures an account by the link of a security mail.
use super::on_contact_changed;
use crate::{
    accounts::{
        auth::{self, Auth},
        users::{self, User},
    },
    kernel::{
        access::Actor,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::SessionId,
    },
    outbox::mails::{self, Mail, SecurityAct},
};
use std::sync::Arc;

/// Secures an account by the link of a security mail: ends its sessions, removes its password and the factors and identities
/// of the last seven days, and mails a link to choose a new password. An address that was changed since is restored to that
/// of the mail, so that the new password goes to the owner. Returns the address of that mail; `None` where no link is mailed:
/// the account is suspended or archived, or its address cannot be restored. A caller with the link may.
///
/// # Errors
/// Conflict `secure_link_not_valid` for an unknown, used or expired link.
#[tracing::instrument(level = "debug", name = "people.secure_account", skip_all)]
pub async fn secure_account(ctx: &Ctx, auth: &Auth, token: &str) -> Result<Option<String>> {
    let (user, mailed) = ctx
        .transaction(|tx| {
            async move {
                let found = mails::secure_links::consume(tx, ctx, token).await?;
                let (mail, id) = found.ok_or_else(|| Error::conflict("secure_link_not_valid"))?;
                let user = users::lock(tx, id, None).await?;
                let owner = Actor::User(Arc::new(user.signed_in(SessionId(uuid::Uuid::nil()))));
                let ctx = &ctx.acting_as(owner);
                mails::give_up_security_mails(tx, user.id, &mail.to_email).await?;
                let may_sign_in = users::can_sign_in(tx, &user, ctx.now()).await?;
                let (user, is_owners) =
                    if may_sign_in { restore_address(tx, ctx, user, &mail).await? } else { (user, true) };
                let mails_link = may_sign_in && is_owners;
                Ok((auth::secure(tx, ctx, user, mails_link).await?, mails_link))
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_user(user.id);
    Ok(mailed.then_some(user.email))
}

/// Restores the address of the mail, unless others than the owner have changed it. Returns whether the account's address may
/// get a link: not where it is another one than the mail's, which another account has by now.
async fn restore_address(tx: &mut Tx, ctx: &Ctx, user: User, mail: &Mail) -> Result<(User, bool)> {
    let by_other = mail.security_act() == Some(SecurityAct::EmailChanged) && mail.data.contains_key("by_kind");
    let key = users::email_key(&mail.to_email);
    if by_other || key == user.email_key {
        return Ok((user, true));
    }
    if users::by_email(tx, &key).await?.is_some() {
        return Ok((user, false));
    }
    let restored = users::change_email(tx, ctx, &user, &mail.to_email).await?;
    on_contact_changed(tx, &restored).await?;
    // The other mailbox is no longer the account's.
    mails::secure_links::revoke_all_of(tx, ctx, user.id).await?;
    Ok((restored, true))
}

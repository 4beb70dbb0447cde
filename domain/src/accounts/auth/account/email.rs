//! Change of address: requested by the owner, confirmed through mails to the present and to the new address.
use crate::{
    accounts::{
        auth::{
            RedirectContext,
            links::{self, LinkKind},
            mail_rate_limit::{self, MailPurpose},
            mail_request, security_mails,
        },
        users::{self, User},
    },
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        validate::Validator,
    },
    outbox::mails::{self, Kind, LinkParams},
    platform::activity,
};

const CURRENT: &str = "current";
const NEW: &str = "new";

/// Saves a pending new address, replacing an earlier one, and mails the confirmations. `user` is the row as locked.
///
/// # Errors
/// Invalid `email`; Conflict `email_taken`, `over_email_send_rate_limit`.
pub async fn request_change(
    tx: &mut Tx,
    ctx: &Ctx,
    user: User,
    email: &str,
    redirect: &RedirectContext,
) -> Result<User> {
    let mut check = Validator::new();
    let email = check.email("email", email);
    check.finish()?;
    let key = users::email_key(&email);
    if users::store::by_email(tx, &key).await?.is_some() {
        return Err(Error::conflict("email_taken"));
    }
    mail_rate_limit::check_cooldown(tx, ctx, MailPurpose::EmailChange, &user.email).await?;
    links::revoke_email_changes_of(tx, ctx, user.id).await?;
    let user = User {
        new_email: Some(email),
        new_email_key: Some(key),
        new_email_confirmed: None,
        mailed: user.mailed.with(LinkKind::EmailChangeNew, ctx.now()),
        ..user
    };
    users::store::save_new_email(tx, &user).await?;
    mail_confirmations(tx, ctx, &user, redirect).await?;
    let to = user.new_email.clone();
    activity::append(tx, ctx, users::event("user.email_change_asked", &user).with("to", to)).await?;
    Ok(user)
}

/// Cancels a pending change and revokes its links. `user` is the row as locked.
///
/// # Errors
/// Database errors.
pub async fn cancel_change(tx: &mut Tx, ctx: &Ctx, user: User) -> Result<User> {
    if user.new_email.is_none() {
        return Ok(user);
    }
    links::revoke_email_changes_of(tx, ctx, user.id).await?;
    let user = User { new_email: None, new_email_key: None, new_email_confirmed: None, ..user };
    users::store::save_new_email(tx, &user).await?;
    activity::append(tx, ctx, users::event("user.email_change_taken_back", &user)).await?;
    Ok(user)
}

/// Queues the mails of outstanding confirmations.
///
/// # Errors
/// Database errors.
pub async fn mail_confirmations(tx: &mut Tx, ctx: &Ctx, user: &User, redirect: &RedirectContext) -> Result<()> {
    let Some(new_email) = user.new_email.clone() else { return Ok(()) };
    let come = user.new_email_confirmed.as_deref();
    let flow = mail_request::create_flow(tx, ctx, user, LinkKind::EmailChangeNew, redirect).await?;
    let linked = |email: Option<String>| LinkParams {
        email,
        flow,
        redirect_to: redirect.redirect_to.clone(),
        new_email: Some(new_email.clone()),
    };
    if ctx.options.secure_email_change && come != Some(CURRENT) {
        mails::queue_linked(tx, ctx, Kind::EmailChangeCurrent, user.id, linked(None)).await?;
    }
    if come != Some(NEW) {
        let to = linked(Some(new_email.clone()));
        mails::queue_linked(tx, ctx, Kind::EmailChangeNew, user.id, to).await?;
    }
    Ok(())
}

/// Records a confirmation. Returns the user when the address has changed, none while the other confirmation is
/// outstanding. `user` is the row as locked.
///
/// # Errors
/// Unauthenticated `otp_expired` without a pending change; Conflict `email_taken`.
pub async fn confirm_change(tx: &mut Tx, ctx: &Ctx, user: User, kind: LinkKind) -> Result<Option<User>> {
    let Some(to) = user.new_email.clone() else { return Err(Error::unauthenticated("otp_expired")) };
    let come = if kind == LinkKind::EmailChangeCurrent { CURRENT } else { NEW };
    let other = user.new_email_confirmed.as_deref().is_some_and(|before| before != come);
    let alone = !ctx.options.secure_email_change && come == NEW;
    if !other && !alone {
        let user = User { new_email_confirmed: Some(come.to_owned()), ..user };
        users::store::save_new_email(tx, &user).await?;
        activity::append(tx, ctx, users::event("user.email_change_confirmed", &user).with("at", come)).await?;
        return Ok(None);
    }
    let changed = users::change_email(tx, ctx, &user, &to).await?;
    let changed = User { new_email: None, new_email_key: None, new_email_confirmed: None, ..changed };
    users::store::save_new_email(tx, &changed).await?;
    links::revoke_all_of(tx, ctx, user.id).await?;
    security_mails::notify_email_changed(tx, ctx, &user, &changed).await?;
    Ok(Some(changed))
}

//! A new address: wanted by its owner, confirmed by mails to the present address and to the new one, and true then.
use crate::{
    accounts::{
        auth::{
            Way, asked,
            gaps::{self, Gap},
            links::{self, LinkKind},
        },
        users::{self, User},
    },
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        validate::Check,
    },
    outbox::mails::{self, Kind, LinkParams},
    platform::activity,
};

const CURRENT: &str = "current";
const NEW: &str = "new";

/// Notes the address and mails the confirmations; what was wanted before is forgotten. `user` is the row as locked.
///
/// # Errors
/// Invalid `email`; Conflict `email_taken`, `over_email_send_rate_limit`; what the database refuses.
pub async fn want(tx: &mut Tx, ctx: &Ctx, user: User, email: &str, way: &Way) -> Result<User> {
    let mut check = Check::new();
    let email = check.email("email", email);
    check.done()?;
    let key = users::email_key(&email);
    if users::store::by_email(tx, &key).await?.is_some() {
        return Err(Error::conflict("email_taken"));
    }
    gaps::pause(tx, ctx, Gap::EmailChange, &user.email).await?;
    links::drop_email_changes_of(tx, ctx, user.id).await?;
    let user = User {
        new_email: Some(email),
        new_email_key: Some(key),
        new_email_confirmed: None,
        mailed: user.mailed.with(LinkKind::EmailChangeNew, ctx.now()),
        ..user
    };
    users::store::save_new_email(tx, &user).await?;
    mail_confirmations(tx, ctx, &user, way).await?;
    let to = user.new_email.clone();
    activity::append(tx, ctx, users::event("user.email_change_asked", &user).with("to", to)).await?;
    Ok(user)
}

/// Whoever asks for the address they have wants no other one any more: the mailed links are worth nothing. `user` is
/// the row as locked.
///
/// # Errors
/// What the database refuses.
pub async fn take_back(tx: &mut Tx, ctx: &Ctx, user: User) -> Result<User> {
    if user.new_email.is_none() {
        return Ok(user);
    }
    links::drop_email_changes_of(tx, ctx, user.id).await?;
    let user = User { new_email: None, new_email_key: None, new_email_confirmed: None, ..user };
    users::store::save_new_email(tx, &user).await?;
    activity::append(tx, ctx, users::event("user.email_change_taken_back", &user)).await?;
    Ok(user)
}

/// Queues the mails whose confirmations have not come.
///
/// # Errors
/// What the database refuses.
pub async fn mail_confirmations(tx: &mut Tx, ctx: &Ctx, user: &User, way: &Way) -> Result<()> {
    let Some(new_email) = user.new_email.clone() else { return Ok(()) };
    let come = user.new_email_confirmed.as_deref();
    let flow = asked::begin(tx, ctx, user, LinkKind::EmailChangeNew, way).await?;
    let linked = |email: Option<String>| LinkParams {
        email,
        flow,
        redirect_to: way.redirect_to.clone(),
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

/// One confirmation has come. The user when that makes the address true; none while the other is still to come.
/// `user` is the row as locked.
///
/// # Errors
/// Unauthenticated `otp_expired` when nothing waits; Conflict `email_taken`; what the database refuses.
pub async fn confirm(tx: &mut Tx, ctx: &Ctx, user: User, kind: LinkKind) -> Result<Option<User>> {
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
    links::drop_all_of(tx, ctx, user.id).await?;
    Ok(Some(changed))
}

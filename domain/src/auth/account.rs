//! What people change about their own sign-in.
use super::{
    Auth, links,
    passwords::{self, Verdict},
    sessions,
};
use crate::{
    access::Actor,
    activity,
    ctx::Ctx,
    error::{Error, Result},
    users::{self, Status, User},
};

/// Nothing given, nothing changed.
#[derive(Clone, Default)]
pub struct Change {
    pub password: Option<String>,
    /// Where it is given it must be right.
    pub current_password: Option<String>,
}

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Change(hidden)")
    }
}

/// Sets a new password of one's own: the account becomes active, every other session and every link of it ends
/// (decisions 20 and 27).
///
/// # Errors
/// Unauthenticated for nobody; Invalid `password` (`weak_password`, `too_long`); Conflict `same_password`,
/// `current_password_invalid`; TooMany when the machine is busy with sign-ins.
pub async fn update_user(ctx: &Ctx, auth: &Auth, change: &Change) -> Result<User> {
    let Actor::User(me) = &ctx.actor else { return Err(Error::unauthenticated("no_authorization")) };
    let gone = || Error::unauthenticated("user_not_found");
    let user = users::store::get(&mut ctx.db(), me.id).await?.ok_or_else(gone)?;
    let Some(password) = &change.password else { return Ok(user) };
    let names = [user.first_name.as_str(), &user.last_name, &user.name()];
    passwords::rules(password, &user.email, &names).map_err(|problem| Error::field_with("password", problem))?;
    if let Some(current) = &change.current_password
        && passwords::verify(user.password_hash.as_ref(), current).await? == Verdict::Wrong
    {
        return Err(Error::conflict("current_password_invalid"));
    }
    if user.password_hash.is_some() && passwords::verify(user.password_hash.as_ref(), password).await? != Verdict::Wrong
    {
        return Err(Error::conflict("same_password"));
    }
    let hash = passwords::hash(ctx, password.as_str()).await?;

    let mut tx = ctx.begin().await?;
    let user = users::store::lock(&mut tx, me.id).await?.ok_or_else(gone)?;
    if !users::is_welcome(&mut tx, &user).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    let changed = users::touched(
        ctx,
        User { status: Status::Active, must_change_password: false, password_hash: Some(hash.clone()), ..user.clone() },
    );
    users::store::save(&mut tx, &changed).await?;
    users::store::save_password(&mut tx, me.id, &hash, false).await?;
    sessions::end_others_of(&mut tx, ctx, me.id, me.session_id).await?;
    links::drop_all_of(&mut tx, ctx, me.id).await?;
    let told = users::event("user.password_changed", &changed).with("from", user.status.name()).with("to", "active");
    activity::append(&mut tx, ctx, told).await?;
    tx.commit().await?;
    auth.verified.forget_user(me.id);
    Ok(changed)
}

//! Asking again who somebody is whose answer takes long: it began when they were let in, and goes on for hours where
//! they read slowly.
use super::store;
use crate::{
    accounts::users,
    kernel::{
        access::Actor,
        ctx::Ctx,
        db::Sql,
        error::{Error, Result},
    },
};

/// Whether who acts may still be here, and is who they were when this began (decision 27). A token may run out
/// meanwhile, for the next one is of the same session.
///
/// # Errors
/// Unauthenticated `session_not_found` once the session has ended, the account is shut, or its role, company or ISO is
/// another one.
pub(crate) async fn ask_again(db: &mut impl Sql, ctx: &Ctx) -> Result<()> {
    let Actor::User(who) = &ctx.actor else { return Ok(()) };
    let gone = || Error::unauthenticated("session_not_found");
    let user = users::store::get(db, who.id).await?.ok_or_else(gone)?;
    let same = (user.role, user.company_id, user.iso_id) == (who.role, who.company_id, who.iso_id);
    // What the portal does in somebody's name has no session that could end.
    let session = store::session(db, who.session_id).await?;
    let ended = session.is_some_and(|session| session.ended_at.is_some());
    if !same || ended || !users::is_welcome(db, &user, ctx.now()).await? {
        return Err(gone());
    }
    Ok(())
}

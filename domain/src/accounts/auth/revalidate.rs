//! Revalidates the session during long responses: streams, exports, uploads.
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

/// Checks that the session is still active and the account still has the role, company and ISO of the actor (decision
/// 27). Expired access tokens are fine: the next one belongs to the same session.
///
/// # Errors
/// Unauthenticated `session_not_found`.
pub(crate) async fn revalidate_session(db: &mut impl Sql, ctx: &Ctx) -> Result<()> {
    let Actor::User(who) = &ctx.actor else { return Ok(()) };
    let gone = || Error::unauthenticated("session_not_found");
    let user = users::store::get(db, who.id).await?.ok_or_else(gone)?;
    let same = (user.role, user.company_id, user.iso_id) == (who.role, who.company_id, who.iso_id);
    // Actors of the system have no session row.
    let session = store::session(db, who.session_id).await?;
    let ended = session.is_some_and(|session| session.ended_at.is_some());
    if !same || ended || !users::can_sign_in(db, &user, ctx.now()).await? {
        return Err(gone());
    }
    Ok(())
}

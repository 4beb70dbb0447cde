//! Identities linked to an account by its owner, and taken away again.
use super::{Arrival, METHOD, link, start, store, title, welcome};
use crate::{
    accounts::{
        auth::{
            flows::{self, Challenge, Flow},
            history, sessions,
        },
        users::{self, User},
    },
    kernel::{
        access::{Actor, SignedIn},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{IdentityId, UserId},
    },
    platform::activity,
};
use std::sync::Arc;

/// Begins linking a provider to the account of the session. It is done when the code comes back to who began it,
/// so there must be a challenge: somebody else's click on the way must not link their identity to this account.
///
/// # Errors
/// Unauthenticated for nobody; Forbidden while the session owes something.
pub async fn begin_linking(ctx: &Ctx, provider: &str, challenge: Challenge, redirect_to: String) -> Result<Flow> {
    let me = settled(ctx)?;
    start(ctx, provider, Some(challenge), redirect_to, Some(&me)).await
}

/// Keeps what is to be linked until who began it comes for it.
pub(super) async fn bring(
    tx: &mut Tx,
    ctx: &Ctx,
    owner: UserId,
    flow: &Flow,
    arrival: &Arrival,
) -> Result<Option<User>> {
    let provider = flow.provider.as_deref().unwrap_or_default();
    let user = welcome(tx, ctx, owner).await?;
    if store::of_subject(tx, provider, &arrival.subject).await?.is_some() {
        history::repeated(tx, ctx, &user, METHOD, "identity_taken").await?;
        return Err(Error::unauthenticated("identity_already_exists"));
    }
    if !is_held(tx, flow).await? {
        return Err(Error::unauthenticated("bad_oauth_state"));
    }
    flows::bring(tx, flow.id, arrival).await?;
    Ok(Some(user))
}

/// Links what a linking flow has brought, within the exchange of its code.
///
/// # Errors
/// Unauthenticated `identity_already_exists`, `flow_state_not_found`.
pub(in crate::accounts::auth) async fn settle(tx: &mut Tx, ctx: &Ctx, user: &User, flow: &Flow) -> Result<()> {
    let (Some(owner), Some(arrival)) = (flow.linking_user_id, flow.brought()) else { return Ok(()) };
    let provider = flow.provider.as_deref().unwrap_or_default();
    if owner != user.id || store::of_subject(tx, provider, &arrival.subject).await?.is_some() {
        return Err(Error::unauthenticated("identity_already_exists"));
    }
    if !is_held(tx, flow).await? {
        return Err(Error::unauthenticated("flow_state_not_found"));
    }
    link(tx, ctx, user, provider, &arrival).await
}

/// Whether the session that began it is still there: whoever was signed out links nothing any more.
async fn is_held(tx: &mut Tx, flow: &Flow) -> Result<bool> {
    match flow.linking_session_id {
        Some(id) => Ok(sessions::live(tx, id).await?.is_some()),
        None => Ok(false),
    }
}

/// Takes an identity from the account of the session. The last way in stays: the e-mail identity is one if the
/// account has a password, and is itself never taken.
///
/// # Errors
/// Unauthenticated for nobody; Forbidden while the session owes something; Conflict `identity_not_found`,
/// `single_identity_not_deletable`, `email_conflict_identity_not_deletable`.
pub async fn unlink(ctx: &Ctx, id: IdentityId) -> Result<()> {
    let me = &settled(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let user = users::store::lock(tx, me.id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
            let all = store::of_user(tx, user.id).await?;
            if id.0 == user.id.0 {
                let code = if all.is_empty() {
                    "single_identity_not_deletable"
                } else {
                    "email_conflict_identity_not_deletable"
                };
                return Err(Error::conflict(code));
            }
            let gone = all.iter().find(|identity| identity.id == id).ok_or(Error::conflict("identity_not_found"))?;
            if all.len() == 1 && user.password_hash.is_none() {
                return Err(Error::conflict("single_identity_not_deletable"));
            }
            store::delete(tx, id).await?;
            let told = users::event("identity.unlinked", &user)
                .with("provider", title(&gone.provider))
                .with("identity_id", id.to_string())
                .with("email", gone.email.clone());
            activity::append(tx, ctx, told).await
        }
        .scope_boxed()
    })
    .await
}

/// Who is signed in and owes nothing that goes before everything else.
fn settled(ctx: &Ctx) -> Result<Arc<SignedIn>> {
    match &ctx.actor {
        Actor::User(me) => me.check_fully_authenticated().map(|()| me.clone()),
        _ => Err(Error::unauthenticated("no_authorization")),
    }
}

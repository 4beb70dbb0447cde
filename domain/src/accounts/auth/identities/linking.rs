//! Linking and unlinking of identities by the account's owner.
use super::{METHOD, ProviderClaims, create_flow, insert_identity, lock_open_account, store, title, unlinked_event};
use crate::{
    accounts::{
        auth::{
            flows::{self, Challenge, Flow},
            security_mails, sessions, sign_in_history,
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
    outbox::mails::SecurityAct,
    platform::activity,
};
use std::sync::Arc;

/// Starts linking a provider to the signed-in account. A challenge is required: the exchange of the code proves that
/// the same browser started it, so that another person's click cannot link their identity.
///
/// # Errors
/// Unauthenticated for anonymous actors; Forbidden while a requirement is due; Conflict `reauthentication_needed`.
#[tracing::instrument(level = "debug", name = "auth.identities.start_linking", skip_all)]
pub async fn start_linking(ctx: &Ctx, provider: &str, challenge: Challenge, redirect_to: String) -> Result<Flow> {
    let me = require_nothing_due(ctx)?;
    ctx.require_recent_proof()?;
    create_flow(ctx, provider, Some(challenge), redirect_to, Some(&me)).await
}

/// Stores the claims until the code is exchanged.
pub(super) async fn attach_claims(
    tx: &mut Tx,
    ctx: &Ctx,
    owner: UserId,
    flow: &Flow,
    claims: &ProviderClaims,
) -> Result<Option<User>> {
    let provider = flow.provider.as_deref().unwrap_or_default();
    let user = lock_open_account(tx, ctx, owner).await?;
    if store::by_subject(tx, provider, &claims.subject).await?.is_some() {
        sign_in_history::record_sampled(tx, ctx, &user, METHOD, "identity_taken").await?;
        return Err(Error::unauthenticated("identity_already_exists"));
    }
    if !is_session_live(tx, flow).await? {
        return Err(Error::unauthenticated("bad_oauth_state"));
    }
    flows::attach_claims(tx, flow.id, claims).await?;
    Ok(Some(user))
}

/// Links the stored claims during the exchange of the code.
///
/// # Errors
/// Unauthenticated `identity_already_exists`, `flow_state_not_found`.
pub(in crate::accounts::auth) async fn complete_linking(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    flow: &Flow,
) -> Result<()> {
    let (Some(owner), Some(claims)) = (flow.linking_user_id, flow.claims()) else { return Ok(()) };
    let provider = flow.provider.as_deref().unwrap_or_default();
    if owner != user.id || store::by_subject(tx, provider, &claims.subject).await?.is_some() {
        return Err(Error::unauthenticated("identity_already_exists"));
    }
    if !is_session_live(tx, flow).await? {
        return Err(Error::unauthenticated("flow_state_not_found"));
    }
    insert_identity(tx, ctx, user, provider, &claims).await
}

/// Whether the session that started the linking is still active.
async fn is_session_live(tx: &mut Tx, flow: &Flow) -> Result<bool> {
    match flow.linking_session_id {
        Some(id) => Ok(sessions::find_live(tx, id).await?.is_some()),
        None => Ok(false),
    }
}

/// Unlinks an identity from the signed-in account. The last one stays; the `email` identity counts if the account has a
/// password, and cannot be unlinked.
///
/// # Errors
/// Unauthenticated for anonymous actors; Forbidden while a requirement is due; Conflict `identity_not_found`,
/// `single_identity_not_deletable`, `email_conflict_identity_not_deletable`, `reauthentication_needed`.
#[tracing::instrument(level = "debug", name = "auth.identities.unlink", skip_all, fields(identity_id = %id))]
pub async fn unlink(ctx: &Ctx, id: IdentityId) -> Result<()> {
    let me = &require_nothing_due(ctx)?;
    ctx.require_recent_proof()?;
    ctx.transaction(|tx| {
        async move {
            let user = users::store::lock(tx, me.id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
            let all = store::list(tx, user.id).await?;
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
            activity::append(tx, ctx, unlinked_event(&user, gone)).await?;
            let provider = title(&gone.provider);
            security_mails::notify_identity(tx, ctx, SecurityAct::IdentityUnlinked, &user, provider).await
        }
        .scope_boxed()
    })
    .await
}

/// The signed-in user without due requirements.
fn require_nothing_due(ctx: &Ctx) -> Result<Arc<SignedIn>> {
    match &ctx.actor {
        Actor::User(me) => me.check_fully_authenticated().map(|()| me.clone()),
        _ => Err(Error::unauthenticated("no_authorization")),
    }
}

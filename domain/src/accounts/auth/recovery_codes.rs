//! Recovery codes: ten one-time codes for the loss of an authenticator. Only hashes are stored.
mod store;

use super::{
    Auth, TokenGrant,
    factors::{self, Factor, Kind, Method, Status},
    login_throttle::{self, ThrottleKey},
    secret, security_mails, sessions, sign_in_history, tokens,
};
use crate::{
    accounts::users,
    kernel::{
        clock::RandomSource,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{FactorId, UserId},
        text::unique_key,
    },
    outbox::mails::SecurityAct,
    platform::activity,
};
use chrono::{DateTime, Utc};

/// Codes in a set.
pub const CODES_PER_SET: usize = 10;
/// Characters of a code: 78 bits, enough for a plain hash.
const CODE_LENGTH: usize = 16;
const DEFAULT_NAME: &str = "Recovery codes";

/// State of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryCodeStatus {
    pub id: FactorId,
    pub total: i64,
    pub remaining: i64,
}

/// A new set, returned once. Debug output is hidden.
#[derive(Clone)]
pub struct IssuedCodes {
    pub factor: Factor,
    pub codes: Vec<String>,
}

impl std::fmt::Debug for IssuedCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedCodes").field("factor", &self.factor.id).finish_non_exhaustive()
    }
}

/// State of one's own set.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found` without a set.
#[tracing::instrument(level = "debug", name = "auth.recovery_codes.status", skip_all)]
pub async fn status(ctx: &Ctx) -> Result<RecoveryCodeStatus> {
    let me = factors::require_signed_in(ctx)?;
    let mut db = ctx.db();
    let factor = find_set(factors::store::list(&mut db, me.id).await?)?;
    let (total, remaining) = store::count(&mut db, me.id).await?;
    Ok(RecoveryCodeStatus { id: factor.id, total, remaining })
}

/// Issues one's first set.
///
/// # Errors
/// Unauthenticated; Invalid `friendly_name`; Conflict `mfa_recovery_codes_sole_factor` without an authenticator,
/// `mfa_verified_factor_exists`, `mfa_factor_name_conflict`, `reauthentication_needed`; Forbidden `insufficient_aal`.
#[tracing::instrument(level = "debug", name = "auth.recovery_codes.issue", skip_all)]
pub async fn issue(ctx: &Ctx, auth: &Auth, friendly_name: Option<&str>) -> Result<IssuedCodes> {
    let me = factors::require_signed_in(ctx)?;
    let name = match factors::validate_name(friendly_name)? {
        name if name.is_empty() => DEFAULT_NAME.to_owned(),
        name => name,
    };
    let name = name.as_str();
    let made = ctx
        .transaction(|tx| {
            async move {
                let user = factors::lock_signed_in(tx, me.id).await?;
                let present = factors::store::list(tx, me.id).await?;
                if !present.iter().any(factors::is_verified_authenticator) {
                    return Err(Error::conflict("mfa_recovery_codes_sole_factor"));
                }
                if !me.mfa.aal2 {
                    return Err(Error::forbidden("insufficient_aal"));
                }
                sessions::require_recent_reauthentication(tx, ctx, me).await?;
                if present.iter().any(|factor| factor.kind == Kind::RecoveryCode) {
                    return Err(Error::conflict("mfa_verified_factor_exists"));
                }
                if present.iter().any(|factor| unique_key(&factor.friendly_name) == unique_key(name)) {
                    return Err(Error::conflict("mfa_factor_name_conflict"));
                }
                let factor = Factor {
                    id: FactorId(ctx.random.uuid()),
                    user_id: me.id,
                    kind: Kind::RecoveryCode,
                    friendly_name: name.to_owned(),
                    status: Status::Verified,
                    key_id: None,
                    last_step: None,
                    last_challenged_at: None,
                    created_at: ctx.now(),
                    updated_at: ctx.now(),
                };
                factors::store::insert(tx, &factor).await?;
                let codes = replace(tx, ctx, me.id).await?;
                activity::append(tx, ctx, users::event("user.recovery_codes_made", &user)).await?;
                security_mails::notify(tx, ctx, SecurityAct::RecoveryCodesMade, &user).await?;
                Ok(IssuedCodes { factor, codes })
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_user(me.id);
    Ok(made)
}

/// Replaces one's set; the old codes become invalid.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`, `reauthentication_needed`; Forbidden `insufficient_aal`.
#[tracing::instrument(level = "debug", name = "auth.recovery_codes.reissue", skip_all)]
pub async fn reissue(ctx: &Ctx) -> Result<IssuedCodes> {
    let me = factors::require_signed_in(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let user = factors::lock_signed_in(tx, me.id).await?;
            let factor = find_set(factors::store::list(tx, me.id).await?)?;
            if !me.mfa.aal2 {
                return Err(Error::forbidden("insufficient_aal"));
            }
            sessions::require_recent_reauthentication(tx, ctx, me).await?;
            let codes = replace(tx, ctx, me.id).await?;
            login_throttle::reset(tx, &ThrottleKey::for_session("recovery-code", me.id, &ctx.origin)).await?;
            activity::append(tx, ctx, users::event("user.recovery_codes_made", &user)).await?;
            security_mails::notify(tx, ctx, SecurityAct::RecoveryCodesMade, &user).await?;
            Ok(IssuedCodes { factor, codes })
        }
        .scope_boxed()
    })
    .await
}

/// Removes one's set and drops the sessions it had raised to aal1.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`, `reauthentication_needed`; Forbidden `insufficient_aal`.
#[tracing::instrument(level = "debug", name = "auth.recovery_codes.remove", skip_all)]
pub async fn remove(ctx: &Ctx, auth: &Auth) -> Result<FactorId> {
    let me = factors::require_signed_in(ctx)?;
    let id = ctx
        .transaction(|tx| {
            async move {
                let user = factors::lock_signed_in(tx, me.id).await?;
                let factor = find_set(factors::store::list(tx, me.id).await?)?;
                if !me.mfa.aal2 {
                    return Err(Error::forbidden("insufficient_aal"));
                }
                sessions::require_recent_reauthentication(tx, ctx, me).await?;
                factors::remove(tx, ctx, &user, &factor).await?;
                security_mails::notify(tx, ctx, SecurityAct::RecoveryCodesRemoved, &user).await?;
                Ok(factor.id)
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_user(me.id);
    Ok(id)
}

/// Whether a user's set was issued since.
///
/// # Errors
/// Database errors.
pub(super) async fn were_issued_since(tx: &mut Tx, user: UserId, since: DateTime<Utc>) -> Result<bool> {
    store::issued_since(tx, user, since).await
}

/// Consumes a code: raises the session to aal2 with new tokens and ends the user's sessions at aal1.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_verification_failed` for a wrong or used code and without a set; RateLimited when
/// throttled.
#[tracing::instrument(level = "debug", name = "auth.recovery_codes.verify", skip_all)]
pub async fn verify(ctx: &Ctx, auth: &Auth, code: &str) -> Result<TokenGrant> {
    let me = factors::require_signed_in(ctx)?;
    let keys = &ThrottleKey::for_session("recovery-code", me.id, &ctx.origin);
    let shown = ctx.transaction(|tx| {
        async move {
            let user = factors::lock_signed_in(tx, me.id).await?;
            login_throttle::check_locked(tx, ctx.now(), keys).await?;
            let factor = find_set(factors::store::list(tx, me.id).await?).ok();
            let hash = hash(me.id, code);
            // All are compared: constant time.
            let found = store::unused(tx, me.id)
                .await?
                .into_iter()
                .fold(None, |found, (id, kept)| if secret::constant_time_eq(&kept, &hash) { Some(id) } else { found });
            let (Some(factor), Some(found)) = (factor, found) else {
                login_throttle::record_failure(tx, ctx.now(), keys).await?;
                sign_in_history::record_failure(
                    tx,
                    ctx,
                    Some(&user),
                    Method::RecoveryCode.name(),
                    "wrong_recovery_code",
                )
                .await?;
                return Ok(Err(Error::conflict("mfa_verification_failed")));
            };
            store::mark_used(tx, found, ctx.now()).await?;
            login_throttle::reset(tx, keys).await?;
            let (_, remaining) = store::count(tx, me.id).await?;
            let event = users::event("user.recovery_code_used", &user).with("remaining", remaining);
            activity::append(tx, ctx, event).await?;
            let (session, ended) =
                sessions::elevate_to_aal2(tx, ctx, &user, me.session_id, (factor.id, Method::RecoveryCode)).await?;
            Ok(Ok((user, session, ended)))
        }
        .scope_boxed()
    });
    let (user, session, ended) = shown.await??;
    auth.token_cache.forget_user(me.id);
    auth.token_cache.forget_sessions(&ended);
    tokens::grant(ctx, auth, user, session).await
}

fn find_set(factors: Vec<Factor>) -> Result<Factor> {
    let found = factors.into_iter().find(|factor| factor.kind == Kind::RecoveryCode);
    found.ok_or(Error::conflict("mfa_factor_not_found"))
}

async fn replace(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<Vec<String>> {
    let codes: Vec<String> = (0..CODES_PER_SET).map(|_| new_code(&ctx.random)).collect();
    store::replace(tx, ctx, user, codes.iter().map(|code| hash(user, code))).await?;
    Ok(codes)
}

/// No characters that look alike.
fn new_code(random: &RandomSource) -> String {
    const SIGNS: &[u8] = b"23456789abcdefghjkmnpqrstvwxyz";
    (0..CODE_LENGTH).map(|_| char::from(SIGNS[random.below(SIGNS.len() as u64) as usize])).collect()
}

/// Hash of a code, whatever its grouping and case.
fn hash(user: UserId, code: &str) -> String {
    let plain: String = code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    secret::token_hash(&format!("recovery code\n{user}\n{plain}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_code_hash_ignores_case_and_grouping() {
        let user = UserId(uuid::Uuid::nil());
        assert_eq!(hash(user, "k4m9x7qp2ab8ht3z"), hash(user, " K4M9-X7QP 2AB8-ht3z\n"));
        assert_ne!(hash(user, "k4m9x7qp2ab8ht3z"), hash(UserId(uuid::Uuid::max()), "k4m9x7qp2ab8ht3z"));
    }
}

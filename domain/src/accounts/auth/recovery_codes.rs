//! Recovery codes: ten words on paper for the day the authenticator is lost. Each works once; only hashes are kept.
mod store;

use super::{
    Auth, Granted,
    factors::{self, Factor, Kind, Method, Status},
    failures::{self, Counter},
    history, secret, sessions, tokens,
};
use crate::{
    accounts::users,
    kernel::{
        clock::Chance,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{FactorId, UserId},
        text::unique_key,
    },
    platform::activity,
};

/// Codes of one set.
pub const TOTAL: usize = 10;
/// Signs of a code: 78 bits, so that a plain hash keeps it.
const LENGTH: usize = 16;
const NAME: &str = "Recovery codes";

/// What is left of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub id: FactorId,
    pub total: i64,
    pub remaining: i64,
}

/// A new set. Never printed, and never told again.
#[derive(Clone)]
pub struct Made {
    pub factor: Factor,
    pub codes: Vec<String>,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("factor", &self.factor.id).finish_non_exhaustive()
    }
}

/// How many of one's codes are left.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found` without any.
pub async fn status(ctx: &Ctx) -> Result<Standing> {
    let me = factors::me(ctx)?;
    let mut db = ctx.db();
    let factor = set_of(factors::store::list(&mut db, me.id).await?)?;
    let (total, remaining) = store::count(&mut db, me.id).await?;
    Ok(Standing { id: factor.id, total, remaining })
}

/// Makes one's first set.
///
/// # Errors
/// Unauthenticated; Invalid `friendly_name`; Conflict `mfa_recovery_codes_sole_factor` without an authenticator,
/// `mfa_verified_factor_exists`, `mfa_factor_name_conflict`, `reauthentication_needed`; Forbidden `insufficient_aal`.
pub async fn make(ctx: &Ctx, auth: &Auth, friendly_name: Option<&str>) -> Result<Made> {
    let me = factors::me(ctx)?;
    let name = match factors::name(friendly_name)? {
        name if name.is_empty() => NAME.to_owned(),
        name => name,
    };
    let name = name.as_str();
    let made = ctx
        .transaction(|tx| {
            async move {
                let user = factors::lock_me(tx, me.id).await?;
                let present = factors::store::list(tx, me.id).await?;
                if !present.iter().any(factors::counts) {
                    return Err(Error::conflict("mfa_recovery_codes_sole_factor"));
                }
                if !me.mfa.aal2 {
                    return Err(Error::forbidden("insufficient_aal"));
                }
                sessions::recently_proven(tx, ctx, me).await?;
                if present.iter().any(|factor| factor.kind == Kind::RecoveryCode) {
                    return Err(Error::conflict("mfa_verified_factor_exists"));
                }
                if present.iter().any(|factor| unique_key(&factor.friendly_name) == unique_key(name)) {
                    return Err(Error::conflict("mfa_factor_name_conflict"));
                }
                let factor = Factor {
                    id: FactorId(ctx.chance.uuid()),
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
                Ok(Made { factor, codes })
            }
            .scope_boxed()
        })
        .await?;
    auth.verified.forget_user(me.id);
    Ok(made)
}

/// Replaces one's set; what was left of the old one is worth nothing any more.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`, `reauthentication_needed`; Forbidden `insufficient_aal`.
pub async fn remake(ctx: &Ctx) -> Result<Made> {
    let me = factors::me(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let user = factors::lock_me(tx, me.id).await?;
            let factor = set_of(factors::store::list(tx, me.id).await?)?;
            if !me.mfa.aal2 {
                return Err(Error::forbidden("insufficient_aal"));
            }
            sessions::recently_proven(tx, ctx, me).await?;
            let codes = replace(tx, ctx, me.id).await?;
            failures::forget(tx, &Counter::of_session("recovery-code", me.id, &ctx.origin)).await?;
            activity::append(tx, ctx, users::event("user.recovery_codes_made", &user)).await?;
            Ok(Made { factor, codes })
        }
        .scope_boxed()
    })
    .await
}

/// Throws one's set away; sessions that it had raised go on at aal1.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`, `reauthentication_needed`; Forbidden `insufficient_aal`.
pub async fn remove(ctx: &Ctx, auth: &Auth) -> Result<FactorId> {
    let me = factors::me(ctx)?;
    let id = ctx
        .transaction(|tx| {
            async move {
                let user = factors::lock_me(tx, me.id).await?;
                let factor = set_of(factors::store::list(tx, me.id).await?)?;
                if !me.mfa.aal2 {
                    return Err(Error::forbidden("insufficient_aal"));
                }
                sessions::recently_proven(tx, ctx, me).await?;
                factors::remove(tx, ctx, &user, &factor).await?;
                Ok(factor.id)
            }
            .scope_boxed()
        })
        .await?;
    auth.verified.forget_user(me.id);
    Ok(id)
}

/// Uses a code up: the session goes on at aal2 with new tokens, and sessions at aal1 end.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_verification_failed` for what is wrong, used or none at all; TooMany after several
/// wrong ones.
pub async fn verify(ctx: &Ctx, auth: &Auth, code: &str) -> Result<Granted> {
    let me = factors::me(ctx)?;
    let counters = &Counter::of_session("recovery-code", me.id, &ctx.origin);
    let shown = ctx.transaction(|tx| {
        async move {
            let user = factors::lock_me(tx, me.id).await?;
            failures::check(tx, ctx.now(), counters).await?;
            let factor = set_of(factors::store::list(tx, me.id).await?).ok();
            let hash = hash(me.id, code);
            // Every one is compared, so that the time does not tell which it was.
            let found = store::unused(tx, me.id)
                .await?
                .into_iter()
                .fold(None, |found, (id, kept)| if secret::constant_time_eq(&kept, &hash) { Some(id) } else { found });
            let (Some(factor), Some(found)) = (factor, found) else {
                failures::note(tx, ctx.now(), counters).await?;
                history::failed(tx, ctx, Some(&user), Method::RecoveryCode.name(), "wrong_recovery_code").await?;
                return Ok(Err(Error::conflict("mfa_verification_failed")));
            };
            store::spend(tx, found, ctx.now()).await?;
            failures::forget(tx, counters).await?;
            let (_, remaining) = store::count(tx, me.id).await?;
            let told = users::event("user.recovery_code_used", &user).with("remaining", remaining);
            activity::append(tx, ctx, told).await?;
            let (session, ended) =
                sessions::raise(tx, ctx, &user, me.session_id, (factor.id, Method::RecoveryCode)).await?;
            Ok(Ok((user, session, ended)))
        }
        .scope_boxed()
    });
    let (user, session, ended) = shown.await??;
    auth.verified.forget_user(me.id);
    auth.verified.forget_sessions(&ended);
    tokens::grant(ctx, auth, user, session).await
}

fn set_of(factors: Vec<Factor>) -> Result<Factor> {
    let found = factors.into_iter().find(|factor| factor.kind == Kind::RecoveryCode);
    found.ok_or(Error::conflict("mfa_factor_not_found"))
}

async fn replace(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<Vec<String>> {
    let codes: Vec<String> = (0..TOTAL).map(|_| new_code(&ctx.chance)).collect();
    store::replace(tx, ctx, user, codes.iter().map(|code| hash(user, code))).await?;
    Ok(codes)
}

/// No letter that looks like a figure or another letter.
fn new_code(chance: &Chance) -> String {
    const SIGNS: &[u8] = b"23456789abcdefghjkmnpqrstvwxyz";
    (0..LENGTH).map(|_| char::from(SIGNS[chance.below(SIGNS.len() as u64) as usize])).collect()
}

/// What is kept of a code, in whatever groups and case it is typed.
fn hash(user: UserId, code: &str) -> String {
    let plain: String = code.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    secret::token_hash(&format!("recovery code\n{user}\n{plain}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let user = UserId(uuid::Uuid::nil());
        assert_eq!(hash(user, "k4m9x7qp2ab8ht3z"), hash(user, " K4M9-X7QP 2AB8-ht3z\n"));
        assert_ne!(hash(user, "k4m9x7qp2ab8ht3z"), hash(UserId(uuid::Uuid::max()), "k4m9x7qp2ab8ht3z"));
    }
}

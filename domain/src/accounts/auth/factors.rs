//! Second factors (MFA): TOTP authenticators, enrolled and verified. Passkeys ([`super::passkeys::factor`]) and recovery codes
//! ([`super::recovery_codes`]) are factors too.
//!
//! Authenticator secrets are not stored: they are derived from a signing key and the factor's id, like refresh tokens,
//! so that a copy of the database is not enough to sign in.
pub(crate) mod store;

use super::{
    Auth, TokenGrant,
    login_throttle::{self, ThrottleKey},
    passkeys, security_mails,
    sessions::{self, Session},
    sign_in_history, tokens,
};
use crate::{
    accounts::users::{self, User},
    kernel::{
        access::{Action, Actor, Resource, SignedIn},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Result},
        ids::{ChallengeId, FactorId, SessionId, UserId},
        text::unique_key,
        validate::Validator,
    },
    outbox::mails::SecurityAct,
    platform::activity,
};
use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use std::collections::HashMap;
use totp_rs::{Builder, Secret, Totp};

/// Most factors of all kinds per user.
const MAX_FACTORS: usize = 10;
/// Lifetime of a factor that was not verified.
pub const UNVERIFIED_TTL: Duration = Duration::seconds(300);
const CHALLENGE_TTL: Duration = Duration::seconds(300);
/// Most codes tried on one challenge.
const MAX_ATTEMPTS: i64 = 10;
const MAX_NAME_LENGTH: usize = 100;

crate::kernel::text_enum! {
    pub enum Kind {
        Totp = "totp",
        /// A passkey; its row is in `passkeys`.
        Webauthn = "webauthn",
        RecoveryCode = "recovery_code",
    }
}

crate::kernel::text_enum! {
    pub enum Status {
        Unverified = "unverified",
        Verified = "verified",
    }
}

crate::kernel::text_enum! {
    /// Authentication method of a second factor in the `amr` claim.
    pub(super) enum Method {
        Totp = "totp",
        Webauthn = "mfa/webauthn",
        RecoveryCode = "mfa/recovery_code",
    }
}

impl Method {
    pub fn is_second_factor(proof: &str) -> bool {
        Self::ALL.iter().any(|method| method.name() == proof)
    }
}

crate::kernel::db::row! {
    /// A row of `factors`, or a passkey that is a second factor.
    #[derive(Clone, Debug, Deserialize, sqlx::FromRow)]
    pub struct Factor {
        pub id: FactorId,
        pub user_id: UserId,
        pub kind: Kind,
        pub friendly_name: String,
        pub status: Status,
        /// Signing key that the secret is derived from.
        pub key_id: Option<String>,
        pub last_step: Option<i64>,
        pub last_challenged_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
    }
}

/// A row of `factor_challenges`.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Challenge {
    pub id: ChallengeId,
    pub factor_id: FactorId,
    pub address: Option<String>,
    pub attempts: i64,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub verified_at: Option<DateTime<Utc>>,
}

/// A new authenticator with its secret, returned once. Debug output is hidden.
#[derive(Clone)]
pub struct EnrolledFactor {
    pub factor: Factor,
    /// Base 32, to type.
    pub secret: String,
    /// `otpauth://…`, for the QR code.
    pub uri: String,
}

impl std::fmt::Debug for EnrolledFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EnrolledFactor").field("factor", &self.factor.id).finish_non_exhaustive()
    }
}

/// Enrolls an authenticator that must be verified within five minutes.
///
/// # Errors
/// Unauthenticated; Invalid `friendly_name`, `issuer`; Forbidden `insufficient_aal` while a factor is to be verified;
/// Conflict `reauthentication_needed`, `mfa_factor_name_conflict` (an empty name counts as a name),
/// `too_many_enrolled_mfa_factors`.
#[tracing::instrument(level = "debug", name = "auth.factors.enroll", skip_all)]
pub async fn enroll(
    ctx: &Ctx,
    auth: &Auth,
    friendly_name: Option<&str>,
    issuer: Option<&str>,
) -> Result<EnrolledFactor> {
    let me = require_signed_in(ctx)?;
    require_aal2_if_enrolled(&mut ctx.db(), me).await?;
    let name = validate_name(friendly_name)?;
    let issuer = match issuer.map(str::trim).filter(|issuer| !issuer.is_empty()) {
        Some(issuer) => issuer.to_owned(),
        None => issuer_host(&ctx.options.public_url),
    };
    let mut check = Validator::new();
    let issuer = check.single_line("issuer", &issuer, MAX_NAME_LENGTH);
    check.finish()?;

    let name = name.as_str();
    let (user, factor) = ctx.transaction(|tx| insert_unverified(tx, ctx, auth, me, name).scope_boxed()).await?;
    let secret = totp_secret(auth, &factor)?;
    // Colons separate issuer and account name.
    let totp = Builder::new()
        .with_secret(secret)
        .with_account_name(user.email.replace(':', "_"))
        .with_issuer(Some(issuer.replace(':', " ")))
        .build()
        .map_err(|e| Error::internal(e.to_string()))?;
    let uri = totp.to_url().map_err(|e| Error::internal(e.to_string()))?;
    Ok(EnrolledFactor { secret: Secret::from(secret).to_base32(), uri, factor })
}

/// [`enroll`] within its transaction.
async fn insert_unverified(tx: &mut Tx, ctx: &Ctx, auth: &Auth, me: &SignedIn, name: &str) -> Result<(User, Factor)> {
    let user = check_enrollment(tx, ctx, me, name).await?;
    let now = ctx.now();
    let factor = Factor {
        id: FactorId(ctx.random.uuid()),
        user_id: me.id,
        kind: Kind::Totp,
        friendly_name: name.to_owned(),
        status: Status::Unverified,
        key_id: Some(auth.keys.derivation_key_id()),
        last_step: None,
        last_challenged_at: None,
        created_at: now,
        updated_at: now,
    };
    store::insert(tx, &factor).await?;
    Ok((user, factor))
}

/// Checks that the signed-in user may enroll a factor of this name, under the lock of the account.
///
/// # Errors
/// As [`enroll`].
pub(super) async fn check_enrollment(tx: &mut Tx, ctx: &Ctx, me: &SignedIn, name: &str) -> Result<User> {
    let user = lock_signed_in(tx, me.id).await?;
    store::delete_unverified(tx, me.id, Some(ctx.now() - UNVERIFIED_TTL)).await?;
    // Under the lock: a first factor may have been verified since.
    require_aal2_if_enrolled(tx, me).await?;
    sessions::require_recent_reauthentication(tx, ctx, me).await?;
    let present = store::list(tx, me.id).await?;
    if present.iter().any(|factor| unique_key(&factor.friendly_name) == unique_key(name)) {
        return Err(Error::conflict("mfa_factor_name_conflict"));
    }
    if present.len() >= MAX_FACTORS {
        return Err(Error::conflict("too_many_enrolled_mfa_factors"));
    }
    Ok(user)
}

/// Creates a challenge for one's own authenticator.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`.
#[tracing::instrument(level = "debug", name = "auth.factors.challenge", skip_all, fields(factor_id = %id))]
pub async fn challenge(ctx: &Ctx, id: FactorId) -> Result<Challenge> {
    let me = require_signed_in(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let factor = find_own(tx, ctx.now(), me.id, id).await?;
            let now = ctx.now();
            let challenge = Challenge {
                id: ChallengeId(ctx.random.uuid()),
                factor_id: factor.id,
                address: ctx.origin.address.clone(),
                attempts: 0,
                created_at: now,
                expires_at: now + CHALLENGE_TTL,
                verified_at: None,
            };
            store::insert_challenge(tx, &challenge).await?;
            store::mark_challenged(tx, factor.id, now).await?;
            Ok(challenge)
        }
        .scope_boxed()
    })
    .await
}

/// Verifies a code: raises the session to aal2 with new tokens, ends the user's sessions at aal1 and deletes unverified
/// factors.
///
/// # Errors
/// Unauthenticated; Conflict `reauthentication_needed` for an unverified factor, `mfa_factor_not_found`,
/// `mfa_challenge_not_found`, `mfa_challenge_expired`, `mfa_ip_address_mismatch` (another address, or verified before),
/// `mfa_verification_failed`; RateLimited when throttled.
#[tracing::instrument(
    level = "debug",
    name = "auth.factors.verify",
    skip_all,
    fields(factor_id = %id, challenge_id = %challenge)
)]
pub async fn verify(ctx: &Ctx, auth: &Auth, id: FactorId, challenge: ChallengeId, code: &str) -> Result<TokenGrant> {
    let me = require_signed_in(ctx)?;
    let shown = ctx.transaction(|tx| verify_within(tx, ctx, auth, id, challenge, code).scope_boxed()).await;
    let (user, session, ended) = sign_in_history::record_refusal(ctx, shown).await??;
    auth.token_cache.forget_user(me.id);
    auth.token_cache.forget_sessions(&ended);
    tokens::grant(ctx, auth, user, session).await
}

/// [`verify`] within its transaction: the user, the raised session and the ended ones. The inner error keeps what was
/// written: the count of a wrong code.
async fn verify_within(
    tx: &mut Tx,
    ctx: &Ctx,
    auth: &Auth,
    id: FactorId,
    challenge: ChallengeId,
    code: &str,
) -> Result<Result<(User, Session, Vec<SessionId>)>> {
    let me = require_signed_in(ctx)?;
    let keys = ThrottleKey::for_session("factor", me.id, &ctx.origin);
    let user = lock_signed_in(tx, me.id).await?;
    let now = ctx.now();
    let factor = find_own(tx, now, me.id, id).await?;
    if factor.status == Status::Unverified {
        require_aal2_if_enrolled(tx, me).await?;
        sessions::require_recent_reauthentication(tx, ctx, me).await?;
    }
    let challenge =
        store::try_challenge(tx, factor.id, challenge).await?.ok_or(Error::conflict("mfa_challenge_not_found"))?;
    if challenge.verified_at.is_some() || challenge.address != ctx.origin.address {
        // Not counted: requests from other addresses must not use up the owner's attempts.
        let response = Error::conflict("mfa_ip_address_mismatch");
        return Err(sign_in_history::refuse(&user, Method::Totp.name(), "wrong_challenge", response));
    }
    if challenge.expires_at <= now || challenge.attempts > MAX_ATTEMPTS {
        let response = Error::conflict("mfa_challenge_expired");
        return Err(sign_in_history::refuse(&user, Method::Totp.name(), "too_late", response));
    }
    login_throttle::check_locked(tx, now, &keys).await?;
    let totp =
        Builder::new().with_secret(totp_secret(auth, &factor)?).build().map_err(|e| Error::internal(e.to_string()))?;
    // A code works once, and older ones do not work after it.
    let step = matching_step(&totp, code.trim(), now).filter(|step| factor.last_step.is_none_or(|last| *step > last));
    let Some(step) = step else {
        login_throttle::record_failure(tx, now, &keys).await?;
        sign_in_history::record_failure(tx, ctx, Some(&user), Method::Totp.name(), "wrong_code").await?;
        return Ok(Err(Error::conflict("mfa_verification_failed")));
    };
    login_throttle::reset(tx, &keys).await?;
    store::mark_verified(tx, factor.id, step, now).await?;
    store::mark_challenge_verified(tx, challenge.id, now).await?;
    store::delete_unverified(tx, me.id, None).await?;
    passkeys::store::use_as_second_factors(tx, me.id).await?;
    if factor.status == Status::Unverified {
        let event = users::event("user.factor_added", &user).with("factor_id", factor.id.to_string());
        activity::append(tx, ctx, event).await?;
        security_mails::notify(tx, ctx, SecurityAct::FactorAdded, &user).await?;
    }
    let (session, ended) = sessions::elevate_to_aal2(tx, ctx, &user, me.session_id, (factor.id, Method::Totp)).await?;
    Ok(Ok((user, session, ended)))
}

/// Removes one's own factor and drops the sessions it had raised to aal1. The last authenticator takes the recovery
/// codes with it.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`; for a verified factor Forbidden `insufficient_aal` in a session at
/// aal1 and Conflict `reauthentication_needed`.
#[tracing::instrument(level = "debug", name = "auth.factors.unenroll", skip_all, fields(factor_id = %id))]
pub async fn unenroll(ctx: &Ctx, auth: &Auth, id: FactorId) -> Result<()> {
    let me = require_signed_in(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let user = lock_signed_in(tx, me.id).await?;
            let factors = store::list(tx, me.id).await?;
            let factor =
                factors.iter().find(|factor| factor.id == id).ok_or(Error::conflict("mfa_factor_not_found"))?;
            if factor.status == Status::Verified && !me.mfa.aal2 {
                return Err(Error::forbidden("insufficient_aal"));
            }
            if factor.status == Status::Verified {
                sessions::require_recent_reauthentication(tx, ctx, me).await?;
            }
            remove_with_codes(tx, ctx, &user, &factors, factor).await
        }
        .scope_boxed()
    })
    .await?;
    auth.token_cache.forget_user(me.id);
    Ok(())
}

/// Removes a user's factor, as [`unenroll`]. Super admins, service tokens.
///
/// # Errors
/// NotFound; Forbidden; Conflict `mfa_factor_not_found`.
#[tracing::instrument(
    level = "debug",
    name = "auth.factors.remove_for_user",
    skip_all,
    fields(user_id = %owner, factor_id = %id)
)]
pub async fn remove_for_user(ctx: &Ctx, auth: &Auth, owner: UserId, id: FactorId) -> Result<Factor> {
    ctx.may(Action::Update, Resource::Users)?;
    ctx.require_recent_proof()?;
    let factor = ctx
        .transaction(|tx| {
            async move {
                let user = users::lock(tx, owner, None).await?;
                let factors = store::list(tx, owner).await?;
                let factor =
                    factors.iter().find(|factor| factor.id == id).ok_or(Error::conflict("mfa_factor_not_found"))?;
                remove_with_codes(tx, ctx, &user, &factors, factor).await?;
                Ok(factor.clone())
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_user(owner);
    Ok(factor)
}

/// Removes a factor of `all`, or another passkey, with its mail. The last authenticator takes the recovery codes with it.
///
/// # Errors
/// Database errors.
pub(super) async fn remove_with_codes(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    all: &[Factor],
    factor: &Factor,
) -> Result<()> {
    remove(tx, ctx, user, factor).await?;
    if factor.status == Status::Verified {
        match factor.kind {
            Kind::Totp => security_mails::notify(tx, ctx, SecurityAct::FactorRemoved, user).await?,
            Kind::Webauthn => {
                let act = SecurityAct::PasskeyRemoved;
                security_mails::notify_passkey(tx, ctx, act, user, &factor.friendly_name).await?;
            }
            Kind::RecoveryCode => security_mails::notify(tx, ctx, SecurityAct::RecoveryCodesRemoved, user).await?,
        }
    }
    let authenticators = all.iter().filter(|f| is_verified_authenticator(f) && f.id != factor.id);
    if factor.kind != Kind::RecoveryCode && authenticators.count() == 0 {
        for codes in all.iter().filter(|f| f.kind == Kind::RecoveryCode) {
            remove(tx, ctx, user, codes).await?;
        }
    }
    Ok(())
}

/// Removes all second factors and passkeys of a user who has lost them, and ends their sessions. Returns the number of
/// authenticators. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `reauthentication_needed`.
#[tracing::instrument(level = "debug", name = "auth.factors.reset", skip_all, fields(user_id = %id))]
pub async fn reset(ctx: &Ctx, id: UserId) -> Result<usize> {
    ctx.may(Action::Update, Resource::Users)?;
    ctx.require_recent_proof()?;
    ctx.transaction(|tx| {
        async move {
            let user = users::lock(tx, id, None).await?;
            let factors = store::list(tx, id).await?;
            for factor in &factors {
                store::delete(tx, factor).await?;
            }
            let had_passkey = passkeys::remove_all_of(tx, id).await?;
            sessions::end_all_of(tx, ctx, id).await?;
            activity::append(tx, ctx, users::event("user.mfa_reset", &user)).await?;
            if had_passkey || factors.iter().any(|factor| factor.status == Status::Verified) {
                security_mails::notify(tx, ctx, SecurityAct::FactorsReset, &user).await?;
            }
            Ok(factors.iter().filter(|f| is_verified_authenticator(f)).count())
        }
        .scope_boxed()
    })
    .await
}

/// Factors of a user, oldest first, without expired unverified ones. The user, super admins and the operator.
///
/// # Errors
/// Forbidden for others.
#[tracing::instrument(level = "debug", name = "auth.factors.list", skip_all, fields(user_id = %user))]
pub async fn list(ctx: &Ctx, user: UserId) -> Result<Vec<Factor>> {
    if ctx.actor.user_id() != Some(user) {
        ctx.may(Action::View, Resource::Users)?;
    }
    Ok(retain_live(store::list(&mut ctx.db(), user).await?, ctx.now()))
}

/// The verified factors and the unverified ones that have not expired.
pub(super) fn retain_live(mut factors: Vec<Factor>, now: DateTime<Utc>) -> Vec<Factor> {
    factors.retain(|factor| is_live(factor, now));
    factors
}

/// [`list`] of several users.
pub(super) async fn load_many(
    db: &mut impl Sql,
    now: DateTime<Utc>,
    users: &[UserId],
) -> Result<HashMap<UserId, Vec<Factor>>> {
    let mut found: HashMap<UserId, Vec<Factor>> = HashMap::new();
    for factor in store::list_of_many(db, users).await?.into_iter().filter(|factor| is_live(factor, now)) {
        found.entry(factor.user_id).or_default().push(factor);
    }
    Ok(found)
}

/// Whether a user has a verified authenticator or a passkey as second factor, so that sessions require one.
///
/// # Errors
/// Database errors.
pub async fn is_enrolled(db: &mut impl Sql, user: UserId) -> Result<bool> {
    store::is_enrolled(db, user).await
}

/// Deletes expired challenges and returns their number. Scheduled.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.factors.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| {
        async move {
            let (now, before) = (ctx.now(), ctx.now() - UNVERIFIED_TTL);
            let challenges = store::delete_expired(tx, now, before).await?;
            Ok(challenges + passkeys::store::delete_expired(tx, now, before).await?)
        }
        .scope_boxed()
    })
    .await
}

/// Removes the factors that were added since, and the recovery codes if they were made since or no authenticator is left.
///
/// # Errors
/// Database errors.
pub(super) async fn remove_added_since(tx: &mut Tx, ctx: &Ctx, user: &User, since: DateTime<Utc>) -> Result<()> {
    let factors = store::list(tx, user.id).await?;
    let is_new = |factor: &Factor| factor.created_at >= since;
    for factor in factors.iter().filter(|factor| factor.kind == Kind::Totp && is_new(factor)) {
        remove(tx, ctx, user, factor).await?;
    }
    passkeys::remove_added_since(tx, ctx, user, since).await?;
    let remains = factors.iter().any(|factor| is_verified_authenticator(factor) && !is_new(factor));
    let codes = factors.iter().find(|factor| factor.kind == Kind::RecoveryCode);
    if let Some(codes) = codes
        && (!remains || super::recovery_codes::were_issued_since(tx, user.id, since).await?)
    {
        remove(tx, ctx, user, codes).await?;
    }
    Ok(())
}

pub(super) async fn remove(tx: &mut Tx, ctx: &Ctx, user: &User, factor: &Factor) -> Result<()> {
    sessions::drop_to_aal1(tx, user.id, factor.id).await?;
    store::delete(tx, factor).await?;
    if factor.status == Status::Verified {
        let id = factor.id.to_string();
        let event = match factor.kind {
            Kind::Totp => users::event("user.factor_removed", user).with("factor_id", id),
            Kind::Webauthn => users::event("user.passkey_removed", user)
                .with("passkey_id", id)
                .with("name", factor.friendly_name.clone()),
            Kind::RecoveryCode => users::event("user.recovery_codes_removed", user).with("factor_id", id),
        };
        activity::append(tx, ctx, event).await?;
    }
    Ok(())
}

pub(super) fn require_signed_in(ctx: &Ctx) -> Result<&SignedIn> {
    match &ctx.actor {
        Actor::User(me) => Ok(me),
        _ => Err(Error::unauthenticated("no_authorization")),
    }
}

pub(super) async fn lock_signed_in(tx: &mut Tx, id: UserId) -> Result<User> {
    users::store::lock(tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))
}

/// Requires aal2 of users who have a second factor, or a passkey where their role requires one.
pub(super) async fn require_aal2_if_enrolled(db: &mut impl Sql, me: &SignedIn) -> Result<()> {
    if !me.mfa.aal2 && (me.mfa.enrolled || is_enrolled(db, me.id).await?) {
        return Err(Error::forbidden("insufficient_aal"));
    }
    Ok(())
}

pub(super) fn validate_name(text: Option<&str>) -> Result<String> {
    let mut check = Validator::new();
    let name = check.optional_line("friendly_name", text, MAX_NAME_LENGTH);
    check.finish()?;
    Ok(name.unwrap_or_default())
}

/// Whether this is a verified authenticator or passkey.
pub(super) fn is_verified_authenticator(factor: &Factor) -> bool {
    factor.kind != Kind::RecoveryCode && factor.status == Status::Verified
}

fn is_live(factor: &Factor, now: DateTime<Utc>) -> bool {
    factor.status == Status::Verified || factor.created_at + UNVERIFIED_TTL > now
}

async fn find_own(tx: &mut Tx, now: DateTime<Utc>, user: UserId, id: FactorId) -> Result<Factor> {
    let found =
        store::list(tx, user).await?.into_iter().find(|f| f.id == id && f.kind == Kind::Totp && is_live(f, now));
    found.ok_or(Error::conflict("mfa_factor_not_found"))
}

/// # Errors
/// Conflict `mfa_factor_unusable` when the signing key was removed.
fn totp_secret(auth: &Auth, factor: &Factor) -> Result<[u8; 20]> {
    let key = factor.key_id.as_deref().unwrap_or_default();
    auth.keys.factor_secret(key, factor.id).ok_or_else(|| {
        tracing::error!(factor = %factor.id, key, "authenticator unusable: its signing key was removed");
        Error::conflict("mfa_factor_unusable")
    })
}

/// Addresses of users whose authenticator was enrolled under another signing key than these: they need a recovery code
/// or a reset. The operator.
///
/// # Errors
/// Forbidden; database errors.
#[tracing::instrument(level = "debug", name = "auth.factors.list_unusable", skip_all)]
pub async fn list_unusable(ctx: &Ctx, keys: &super::Keys) -> Result<Vec<String>> {
    ctx.may(Action::View, Resource::Users)?;
    let made = store::keys_in_use(&mut ctx.db()).await?;
    Ok(made.into_iter().filter(|(_, key)| !keys.has(key)).map(|(email, _)| email).collect())
}

/// Time step of a code, if it is the present, the previous or the next one.
fn matching_step(totp: &Totp, code: &str, now: DateTime<Utc>) -> Option<i64> {
    totp.check(code, u64::try_from(now.timestamp()).ok()?).and_then(|step| i64::try_from(step).ok())
}

fn issuer_host(public_url: &str) -> String {
    let url = url::Url::parse(public_url).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "SPV Portal".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{accounts::auth::Keys, kernel::access::Role, testing::on_both};

    #[tokio::test]
    async fn authenticator_without_its_signing_key_is_unusable_and_listed() {
        on_both(async |world| {
            let auth = Auth::new(Keys::for_tests());
            for (first, key) in [("Maya", auth.keys.derivation_key_id()), ("Noah", "gone".to_owned())] {
                let user = world.user(Role::Employee, first, None, None).await;
                let factor = Factor {
                    id: FactorId(world.random.uuid()),
                    user_id: user.id,
                    kind: Kind::Totp,
                    friendly_name: String::new(),
                    status: Status::Verified,
                    key_id: Some(key),
                    last_step: None,
                    last_challenged_at: None,
                    created_at: world.clock.now(),
                    updated_at: world.clock.now(),
                };
                let mut tx = world.db.begin().await.expect("begins");
                store::insert(&mut tx, &factor).await.expect("is kept");
                tx.commit().await.expect("commits");
                let found = totp_secret(&auth, &factor);
                let refused = matches!(&found, Err(Error::Conflict(problem)) if problem.code == "mfa_factor_unusable");
                assert_eq!((found.is_ok(), refused), (first == "Maya", first == "Noah"));
            }
            assert_eq!(list_unusable(&world.operator(), &auth.keys).await.expect("is event"), ["noah@example.com"]);
            assert!(matches!(list_unusable(&world.anonymous(), &auth.keys).await, Err(Error::Unauthenticated(_))));
        })
        .await;
    }

    #[test]
    fn totp_code_is_valid_in_its_step_and_adjacent_ones() {
        let totp = Builder::new().with_secret(*b"12345678901234567890").build().expect("a good secret");
        let at = |seconds: i64| DateTime::from_timestamp(seconds, 0).expect("in range");
        let code = totp.generate(1_000 * 30).to_string();
        for (seconds, found) in [
            (30_000 - 31, None),
            (30_000 - 30, Some(1_000)),
            (30_029, Some(1_000)),
            (30_059, Some(1_000)),
            (30_060, None),
        ] {
            assert_eq!(matching_step(&totp, &code, at(seconds)), found, "{seconds}");
        }
        for wrong in ["", "12345", "1234567", "abcdef", "１２３４５６"] {
            assert_eq!(matching_step(&totp, wrong, at(30_000)), None, "{wrong}");
        }
    }

    #[test]
    fn totp_issuer_is_the_host() {
        assert_eq!(issuer_host("https://portal.example.com:8443/x"), "portal.example.com");
        assert_eq!(issuer_host("nonsense"), "SPV Portal");
    }
}

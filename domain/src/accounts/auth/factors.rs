//! Second factors: authenticator apps, added and shown. Recovery codes are a factor too, with use cases of their
//! own ([`super::recovery_codes`]).
//!
//! An authenticator's secret is in no table: it is made from a signing key and the factor's id, as refresh tokens
//! are, so that a copy of the database opens nothing.
pub(crate) mod store;

use super::{
    Auth, Granted,
    failures::{self, Counter},
    history,
    sessions::{self, Session},
    tokens,
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
        validate::Check,
    },
    platform::activity,
};
use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use std::collections::HashMap;
use totp_rs::{Builder, Secret, Totp};

/// Factors of all kinds that one person may have.
const MOST: usize = 10;
/// Life of a factor that nobody has shown yet.
pub const UNVERIFIED_LIFE: Duration = Duration::seconds(300);
const CHALLENGE_LIFE: Duration = Duration::seconds(300);
/// Codes that may be tried on one challenge.
const TRIES: i64 = 10;
const NAME: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Kind {
    Totp,
    RecoveryCode,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::RecoveryCode => "recovery_code",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    Unverified,
    Verified,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::Verified => "verified",
        }
    }
}

/// How a second factor is called among a session's proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Totp,
    RecoveryCode,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::RecoveryCode => "mfa/recovery_code",
        }
    }

    pub fn is_second(proof: &str) -> bool {
        [Self::Totp, Self::RecoveryCode].iter().any(|method| method.name() == proof)
    }
}

/// A row of `factors`.
#[derive(Clone, Debug, Deserialize, sqlx::FromRow)]
pub struct Factor {
    pub id: FactorId,
    pub user_id: UserId,
    pub kind: Kind,
    pub friendly_name: String,
    pub status: Status,
    /// The signing key that its secret is made from.
    pub key_id: Option<String>,
    pub last_step: Option<i64>,
    pub last_challenged_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
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

/// A new authenticator, with what the app must be told. Never printed, and never told again.
#[derive(Clone)]
pub struct Enrolled {
    pub factor: Factor,
    /// Base 32, for typing.
    pub secret: String,
    /// `otpauth://…`, for a QR code.
    pub uri: String,
}

impl std::fmt::Debug for Enrolled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Enrolled").field("factor", &self.factor.id).finish_non_exhaustive()
    }
}

/// Adds an authenticator that counts once it has been shown, within five minutes.
///
/// # Errors
/// Unauthenticated; Invalid `friendly_name`, `issuer`; Forbidden `insufficient_aal` while a factor is to be shown;
/// Conflict `reauthentication_needed`, `mfa_factor_name_conflict` (no name is a name too), `too_many_enrolled_mfa_factors`.
pub async fn enroll(ctx: &Ctx, auth: &Auth, friendly_name: Option<&str>, issuer: Option<&str>) -> Result<Enrolled> {
    let me = me(ctx)?;
    raised_where_enrolled(ctx, me).await?;
    let name = name(friendly_name)?;
    let issuer = match issuer.map(str::trim).filter(|issuer| !issuer.is_empty()) {
        Some(issuer) => issuer.to_owned(),
        None => host(&ctx.options.public_url),
    };
    let mut check = Check::new();
    let issuer = check.line("issuer", &issuer, NAME);
    check.done()?;

    let name = name.as_str();
    let (user, factor) = ctx
        .transaction(|tx| {
            async move {
                let user = lock_me(tx, me.id).await?;
                let now = ctx.now();
                store::delete_unverified(tx, me.id, Some(now - UNVERIFIED_LIFE)).await?;
                let present = store::list(tx, me.id).await?;
                // Checked again under the lock: a first factor may have been verified since.
                if !me.mfa.aal2 && present.iter().any(|factor| factor.status == Status::Verified) {
                    return Err(Error::forbidden("insufficient_aal"));
                }
                sessions::recently_proven(tx, ctx, me).await?;
                if present.iter().any(|factor| unique_key(&factor.friendly_name) == unique_key(name)) {
                    return Err(Error::conflict("mfa_factor_name_conflict"));
                }
                if present.len() >= MOST {
                    return Err(Error::conflict("too_many_enrolled_mfa_factors"));
                }
                let factor = Factor {
                    id: FactorId(ctx.chance.uuid()),
                    user_id: me.id,
                    kind: Kind::Totp,
                    friendly_name: name.to_owned(),
                    status: Status::Unverified,
                    key_id: Some(auth.keys.own_id()),
                    last_step: None,
                    last_challenged_at: None,
                    created_at: now,
                    updated_at: now,
                };
                store::insert(tx, &factor).await?;
                Ok((user, factor))
            }
            .scope_boxed()
        })
        .await?;
    let secret = secret(auth, &factor)?;
    // A colon would end the issuer, and the name before the address.
    let totp = Builder::new()
        .with_secret(secret)
        .with_account_name(user.email.replace(':', "_"))
        .with_issuer(Some(issuer.replace(':', " ")))
        .build()
        .map_err(|e| Error::internal(e.to_string()))?;
    let uri = totp.to_url().map_err(|e| Error::internal(e.to_string()))?;
    Ok(Enrolled { secret: Secret::from(secret).to_base32(), uri, factor })
}

/// Begins the showing of an authenticator of one's own.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`.
pub async fn challenge(ctx: &Ctx, id: FactorId) -> Result<Challenge> {
    let me = me(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let factor = mine(tx, ctx.now(), me.id, id).await?;
            let now = ctx.now();
            let challenge = Challenge {
                id: ChallengeId(ctx.chance.uuid()),
                factor_id: factor.id,
                address: ctx.origin.address.clone(),
                attempts: 0,
                created_at: now,
                expires_at: now + CHALLENGE_LIFE,
                verified_at: None,
            };
            store::insert_challenge(tx, &challenge).await?;
            store::challenged(tx, factor.id, now).await?;
            Ok(challenge)
        }
        .scope_boxed()
    })
    .await
}

/// Shows an authenticator: the session goes on at aal2 with new tokens, sessions at aal1 end, and so do factors
/// that nobody has shown.
///
/// # Errors
/// Unauthenticated; Conflict `reauthentication_needed` for a factor that is not verified yet, `mfa_factor_not_found`,
/// `mfa_challenge_not_found`, `mfa_challenge_expired`,
/// `mfa_ip_address_mismatch` (from elsewhere, or shown before), `mfa_verification_failed`; TooMany after several
/// wrong codes.
pub async fn verify(ctx: &Ctx, auth: &Auth, id: FactorId, challenge: ChallengeId, code: &str) -> Result<Granted> {
    let me = me(ctx)?;
    let shown = ctx.transaction(|tx| show(tx, ctx, auth, id, challenge, code).scope_boxed()).await;
    let (user, session, ended) = history::record_refusal(ctx, shown).await??;
    auth.verified.forget_user(me.id);
    auth.verified.forget_sessions(&ended);
    tokens::grant(ctx, auth, user, session).await
}

/// [`verify`] within its transaction: the user, the raised session, and the sessions that ended. The inner error
/// keeps what was written: the count of a wrong code.
async fn show(
    tx: &mut Tx,
    ctx: &Ctx,
    auth: &Auth,
    id: FactorId,
    challenge: ChallengeId,
    code: &str,
) -> Result<Result<(User, Session, Vec<SessionId>)>> {
    let me = me(ctx)?;
    let counters = Counter::of_session("factor", me.id, &ctx.origin);
    let user = lock_me(tx, me.id).await?;
    let now = ctx.now();
    let factor = mine(tx, now, me.id, id).await?;
    if factor.status == Status::Unverified && !me.mfa.aal2 {
        let present = store::list(tx, me.id).await?;
        if present.iter().any(|factor| factor.status == Status::Verified) {
            return Err(Error::forbidden("insufficient_aal"));
        }
    }
    if factor.status == Status::Unverified {
        sessions::recently_proven(tx, ctx, me).await?;
    }
    let challenge =
        store::try_challenge(tx, factor.id, challenge).await?.ok_or(Error::conflict("mfa_challenge_not_found"))?;
    if challenge.verified_at.is_some() || challenge.address != ctx.origin.address {
        // Not counted as a try: from elsewhere nobody uses up the owner's.
        let response = Error::conflict("mfa_ip_address_mismatch");
        return Err(history::refuse(&user, Method::Totp.name(), "wrong_challenge", response));
    }
    if challenge.expires_at <= now || challenge.attempts > TRIES {
        let response = Error::conflict("mfa_challenge_expired");
        return Err(history::refuse(&user, Method::Totp.name(), "too_late", response));
    }
    failures::check(tx, now, &counters).await?;
    let totp =
        Builder::new().with_secret(secret(auth, &factor)?).build().map_err(|e| Error::internal(e.to_string()))?;
    // A code works once, and none before it works after it.
    let step = step(&totp, code.trim(), now).filter(|step| factor.last_step.is_none_or(|last| *step > last));
    let Some(step) = step else {
        failures::note(tx, now, &counters).await?;
        history::failed(tx, ctx, Some(&user), Method::Totp.name(), "wrong_code").await?;
        return Ok(Err(Error::conflict("mfa_verification_failed")));
    };
    failures::forget(tx, &counters).await?;
    store::verified(tx, factor.id, step, now).await?;
    store::challenge_verified(tx, challenge.id, now).await?;
    store::delete_unverified(tx, me.id, None).await?;
    if factor.status == Status::Unverified {
        let told = users::event("user.factor_added", &user).with("factor_id", factor.id.to_string());
        activity::append(tx, ctx, told).await?;
    }
    let (session, ended) = sessions::raise(tx, ctx, &user, me.session_id, (factor.id, Method::Totp)).await?;
    Ok(Ok((user, session, ended)))
}

/// Removes a factor of one's own; sessions that it had raised go on at aal1. With the last authenticator go the
/// recovery codes.
///
/// # Errors
/// Unauthenticated; Conflict `mfa_factor_not_found`; for a factor that counts, Forbidden `insufficient_aal` in a session
/// that has shown none, and Conflict `reauthentication_needed`.
pub async fn unenroll(ctx: &Ctx, auth: &Auth, id: FactorId) -> Result<()> {
    let me = me(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let user = lock_me(tx, me.id).await?;
            let factors = store::list(tx, me.id).await?;
            let factor =
                factors.iter().find(|factor| factor.id == id).ok_or(Error::conflict("mfa_factor_not_found"))?;
            if factor.status == Status::Verified && !me.mfa.aal2 {
                return Err(Error::forbidden("insufficient_aal"));
            }
            if factor.status == Status::Verified {
                sessions::recently_proven(tx, ctx, me).await?;
            }
            remove_with_codes(tx, ctx, &user, &factors, factor).await
        }
        .scope_boxed()
    })
    .await?;
    auth.verified.forget_user(me.id);
    Ok(())
}

/// Removes one factor of somebody, as [`unenroll`] does. Super admins, service tokens.
///
/// # Errors
/// NotFound; Forbidden; Conflict `mfa_factor_not_found`.
pub async fn remove_of(ctx: &Ctx, auth: &Auth, owner: UserId, id: FactorId) -> Result<Factor> {
    ctx.may(Action::Update, Resource::Users)?;
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
    auth.verified.forget_user(owner);
    Ok(factor)
}

async fn remove_with_codes(tx: &mut Tx, ctx: &Ctx, user: &User, all: &[Factor], factor: &Factor) -> Result<()> {
    remove(tx, ctx, user, factor).await?;
    let authenticators = all.iter().filter(|f| counts(f) && f.id != factor.id);
    if factor.kind == Kind::Totp && authenticators.count() == 0 {
        for codes in all.iter().filter(|f| f.kind == Kind::RecoveryCode) {
            remove(tx, ctx, user, codes).await?;
        }
    }
    Ok(())
}

/// Takes every second factor from somebody who has lost theirs; all sessions end. Says how many authenticators there
/// were. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
pub async fn reset(ctx: &Ctx, id: UserId) -> Result<usize> {
    ctx.may(Action::Update, Resource::Users)?;
    ctx.transaction(|tx| {
        async move {
            let user = users::lock(tx, id, None).await?;
            let factors = store::list(tx, id).await?;
            for factor in &factors {
                store::delete(tx, factor).await?;
            }
            sessions::end_all_of(tx, ctx, id).await?;
            activity::append(tx, ctx, users::event("user.mfa_reset", &user)).await?;
            Ok(factors.iter().filter(|f| counts(f)).count())
        }
        .scope_boxed()
    })
    .await
}

/// The factors of a user, oldest first, without those that were not shown in time. The user, super admins and the
/// operator.
///
/// # Errors
/// Forbidden for others.
pub async fn list(ctx: &Ctx, user: UserId) -> Result<Vec<Factor>> {
    if ctx.actor.user_id() != Some(user) {
        ctx.may(Action::View, Resource::Users)?;
    }
    Ok(alive(store::list(&mut ctx.db(), user).await?, ctx.now()))
}

/// Those of the factors that were shown, or still may be.
pub(super) fn alive(mut factors: Vec<Factor>, now: DateTime<Utc>) -> Vec<Factor> {
    factors.retain(|factor| is_alive(factor, now));
    factors
}

/// Those of many users at once.
pub(super) async fn of_many(
    db: &mut impl Sql,
    now: DateTime<Utc>,
    users: &[UserId],
) -> Result<HashMap<UserId, Vec<Factor>>> {
    let mut found: HashMap<UserId, Vec<Factor>> = HashMap::new();
    for factor in store::list_of_many(db, users).await?.into_iter().filter(|factor| is_alive(factor, now)) {
        found.entry(factor.user_id).or_default().push(factor);
    }
    Ok(found)
}

/// Whether somebody has an authenticator, so that every session must show a second factor. Recovery codes are
/// never alone.
///
/// # Errors
/// What the database refuses.
pub async fn is_enrolled(db: &mut impl Sql, user: UserId) -> Result<bool> {
    store::is_enrolled(db, user).await
}

/// Deletes challenges that have expired; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| store::delete_expired(tx, ctx.now(), ctx.now() - UNVERIFIED_LIFE).scope_boxed()).await
}

pub(super) async fn remove(tx: &mut Tx, ctx: &Ctx, user: &User, factor: &Factor) -> Result<()> {
    sessions::lower(tx, user.id, factor.id).await?;
    store::delete(tx, factor).await?;
    if factor.status == Status::Verified {
        let action = match factor.kind {
            Kind::Totp => "user.factor_removed",
            Kind::RecoveryCode => "user.recovery_codes_removed",
        };
        activity::append(tx, ctx, users::event(action, user).with("factor_id", factor.id.to_string())).await?;
    }
    Ok(())
}

pub(super) fn me(ctx: &Ctx) -> Result<&SignedIn> {
    match &ctx.actor {
        Actor::User(me) => Ok(me),
        _ => Err(Error::unauthenticated("no_authorization")),
    }
}

pub(super) async fn lock_me(tx: &mut Tx, id: UserId) -> Result<User> {
    users::store::lock(tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))
}

/// Who has a factor must have shown it.
pub(super) async fn raised_where_enrolled(ctx: &Ctx, me: &SignedIn) -> Result<()> {
    if !me.mfa.aal2 && is_enrolled(&mut ctx.db(), me.id).await? {
        return Err(Error::forbidden("insufficient_aal"));
    }
    Ok(())
}

pub(super) fn name(text: Option<&str>) -> Result<String> {
    let mut check = Check::new();
    let name = check.optional_line("friendly_name", text, NAME);
    check.done()?;
    Ok(name.unwrap_or_default())
}

/// An authenticator that was shown.
pub(super) fn counts(factor: &Factor) -> bool {
    factor.kind == Kind::Totp && factor.status == Status::Verified
}

fn is_alive(factor: &Factor, now: DateTime<Utc>) -> bool {
    factor.status == Status::Verified || factor.created_at + UNVERIFIED_LIFE > now
}

async fn mine(tx: &mut Tx, now: DateTime<Utc>, user: UserId, id: FactorId) -> Result<Factor> {
    let found =
        store::list(tx, user).await?.into_iter().find(|f| f.id == id && f.kind == Kind::Totp && is_alive(f, now));
    found.ok_or(Error::conflict("mfa_factor_not_found"))
}

/// # Errors
/// Conflict `mfa_factor_unusable` where the operator has taken away the signing key that it was made with.
fn secret(auth: &Auth, factor: &Factor) -> Result<[u8; 20]> {
    let key = factor.key_id.as_deref().unwrap_or_default();
    auth.keys.factor_secret(key, factor.id).ok_or_else(|| {
        tracing::error!(factor = %factor.id, key, "an authenticator was made with a signing key that is not there any more");
        Error::conflict("mfa_factor_unusable")
    })
}

/// The addresses of those whose authenticator was made with a signing key that is none of these: each needs a recovery
/// code, or a reset. The operator.
///
/// # Errors
/// Forbidden; what the database refuses.
pub async fn unusable(ctx: &Ctx, keys: &super::Keys) -> Result<Vec<String>> {
    ctx.may(Action::View, Resource::Users)?;
    let made = store::made_with(&mut ctx.db()).await?;
    Ok(made.into_iter().filter(|(_, key)| !keys.has(key)).map(|(email, _)| email).collect())
}

/// The time step whose code this is, if it is one of now, the step before or the step after.
fn step(totp: &Totp, code: &str, now: DateTime<Utc>) -> Option<i64> {
    totp.check(code, u64::try_from(now.timestamp()).ok()?).and_then(|step| i64::try_from(step).ok())
}

fn host(public_url: &str) -> String {
    let url = url::Url::parse(public_url).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "SPV Portal".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{accounts::auth::Keys, kernel::access::Role, testing::on_both};

    #[tokio::test]
    async fn an_authenticator_whose_key_was_taken_away_is_refused_for_good_and_named_to_the_operator() {
        on_both(async |world| {
            let auth = Auth::new(Keys::for_tests());
            for (first, key) in [("Maya", auth.keys.own_id()), ("Noah", "gone".to_owned())] {
                let user = world.user(Role::Employee, first, None, None).await;
                let factor = Factor {
                    id: FactorId(world.chance.uuid()),
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
                let found = secret(&auth, &factor);
                let refused = matches!(&found, Err(Error::Conflict(problem)) if problem.code == "mfa_factor_unusable");
                assert_eq!((found.is_ok(), refused), (first == "Maya", first == "Noah"));
            }
            assert_eq!(unusable(&world.operator(), &auth.keys).await.expect("is told"), ["noah@example.com"]);
            assert!(matches!(unusable(&world.nobody(), &auth.keys).await, Err(Error::Unauthenticated(_))));
        })
        .await;
    }

    #[test]
    fn a_code_is_good_in_its_step_and_in_the_two_beside_it() {
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
            assert_eq!(step(&totp, &code, at(seconds)), found, "{seconds}");
        }
        for wrong in ["", "12345", "1234567", "abcdef", "１２３４５６"] {
            assert_eq!(step(&totp, wrong, at(30_000)), None, "{wrong}");
        }
    }

    #[test]
    fn the_issuer_is_the_hosts_name() {
        assert_eq!(host("https://portal.example.com:8443/x"), "portal.example.com");
        assert_eq!(host("nonsense"), "SPV Portal");
    }
}

//! Passkeys as second factors (`webauthn` factors): enrolled, challenged and verified after a password.
use super::{
    super::{
        Auth, TokenGrant,
        factors::{self, Factor, Method, UNVERIFIED_TTL},
        sessions::{self, Session},
        sign_in_history, tokens,
    },
    Ceremony, Challenge, DeviceKind, METHOD, Passkey, Purpose, Registration, as_registered, creation_options, failed,
    parse, record_added, refusal_reason, relying_party, save_use, store, to_options, verify_registration,
};
use crate::{
    accounts::users::User,
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{ChallengeId, FactorId, SessionId},
        text::unique_key,
    },
};
use serde_json::Value;
use webauthn_rs::prelude::{AuthenticationResult, PasskeyAuthentication, PublicKeyCredential, WebauthnError};

/// What a browser is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CeremonyKind {
    /// A new credential, for a factor that is not verified yet.
    Create,
    /// A signature of a known one.
    Request,
}

impl CeremonyKind {
    /// The name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Request => "request",
        }
    }
}

/// Enrolls a passkey as second factor that must be verified within five minutes.
///
/// # Errors
/// As [`factors::enroll`]; Conflict `passkey_disabled`.
#[tracing::instrument(level = "debug", name = "auth.passkeys.factor.enroll", skip_all)]
pub async fn enroll(ctx: &Ctx, friendly_name: Option<&str>) -> Result<Factor> {
    let me = factors::require_signed_in(ctx)?;
    relying_party::load(ctx).await?;
    let name = factors::validate_name(friendly_name)?;
    let name = name.as_str();
    ctx.transaction(|tx| {
        async move {
            let now = ctx.now();
            store::delete_unverified(tx, me.id, Some(now - UNVERIFIED_TTL)).await?;
            factors::check_enrollment(tx, ctx, me, name).await?;
            if store::list(tx, me.id).await?.iter().any(|known| is_named(known, name)) {
                return Err(Error::conflict("mfa_factor_name_conflict"));
            }
            let passkey = Passkey {
                id: FactorId(ctx.random.uuid()),
                user_id: me.id,
                friendly_name: name.to_owned(),
                credential_id: None,
                credential: None,
                aaguid: None,
                device_kind: DeviceKind::Unknown,
                second_factor: true,
                last_challenged_at: None,
                last_used_at: None,
                created_at: now,
                updated_at: now,
            };
            store::insert(tx, &passkey).await?;
            Ok(passkey.to_factor())
        }
        .scope_boxed()
    })
    .await
}

fn is_named(passkey: &Passkey, name: &str) -> bool {
    unique_key(&passkey.friendly_name) == unique_key(name)
}

/// Whether one's own factor is a passkey.
///
/// # Errors
/// Unauthenticated; database errors.
#[tracing::instrument(level = "debug", name = "auth.passkeys.factor.is_passkey", skip_all, fields(factor_id = %id))]
pub async fn is_passkey(ctx: &Ctx, id: FactorId) -> Result<bool> {
    let me = factors::require_signed_in(ctx)?;
    Ok(store::list(&mut ctx.db(), me.id).await?.iter().any(|passkey| passkey.id == id))
}

/// Creates a challenge for one's own passkey: to make the credential of an enrolled factor, or to sign with any passkey of
/// the user.
///
/// # Errors
/// Unauthenticated; Conflict `passkey_disabled`, `mfa_factor_not_found`.
#[tracing::instrument(level = "debug", name = "auth.passkeys.factor.challenge", skip_all, fields(factor_id = %id))]
pub async fn challenge(ctx: &Ctx, id: FactorId) -> Result<(CeremonyKind, Ceremony)> {
    let me = factors::require_signed_in(ctx)?;
    let rp = relying_party::load(ctx).await?;
    ctx.transaction(|tx| {
        let rp = &rp;
        async move {
            let user = factors::lock_signed_in(tx, me.id).await?;
            let all = store::list(tx, me.id).await?;
            let passkey = find_live(ctx, &all, id)?;
            let purpose = Purpose::Factor;
            let (kind, options, challenge) = if passkey.is_verified() {
                let known = all.iter().map(Passkey::stored).collect::<Result<Vec<_>>>()?;
                let known: Vec<_> = known.into_iter().flatten().collect();
                let (made, state) = rp.start_passkey_authentication(&known).map_err(Error::internal)?;
                let options = to_options(&made.public_key)?;
                (CeremonyKind::Request, options, Challenge::new(ctx, purpose, Some(me.id), &state)?)
            } else {
                let (options, state) = creation_options(tx, rp, &user).await?;
                (CeremonyKind::Create, options, Challenge::new(ctx, purpose, Some(me.id), &state)?)
            };
            let challenge = Challenge { passkey_id: Some(id), ..challenge };
            store::insert_challenge(tx, &challenge).await?;
            store::mark_challenged(tx, id, ctx.now()).await?;
            Ok((kind, Ceremony { id: challenge.id, options, expires_at: challenge.expires_at }))
        }
        .scope_boxed()
    })
    .await
}

fn find_live<'a>(ctx: &Ctx, all: &'a [Passkey], id: FactorId) -> Result<&'a Passkey> {
    let is_live = |known: &&Passkey| known.is_verified() || known.created_at + UNVERIFIED_TTL > ctx.now();
    all.iter().filter(is_live).find(|known| known.id == id).ok_or(Error::conflict("mfa_factor_not_found"))
}

/// A verified response to a challenge.
enum Verified {
    Created(Box<Registration>),
    Used(Result<AuthenticationResult, WebauthnError>),
}

/// Verifies a passkey: raises the session to aal2 with new tokens, ends the user's sessions at aal1, deletes unverified
/// factors and makes all passkeys of the user second factors. Of users without a second factor it is a reauthentication: the
/// session stays at aal1.
///
/// # Errors
/// Unauthenticated; Conflict `passkey_disabled`, `mfa_factor_not_found`, `mfa_challenge_not_found` (also once used),
/// `mfa_challenge_expired`, `mfa_ip_address_mismatch`, `mfa_verification_failed`, `webauthn_credential_exists`; for an
/// unverified factor Forbidden `insufficient_aal` and Conflict `reauthentication_needed`.
#[tracing::instrument(
    level = "debug",
    name = "auth.passkeys.factor.verify",
    skip_all,
    fields(factor_id = %id, challenge_id = %challenge)
)]
pub async fn verify(
    ctx: &Ctx,
    auth: &Auth,
    id: FactorId,
    challenge: ChallengeId,
    credential: &Value,
) -> Result<TokenGrant> {
    let me = factors::require_signed_in(ctx)?;
    let rp = relying_party::load(ctx).await?;
    let (passkey, challenge) = take_challenge(ctx, id, challenge).await?;
    let verified = if passkey.is_verified() {
        let state: PasskeyAuthentication = challenge.state()?;
        let credential: PublicKeyCredential = parse(credential).map_err(as_factor)?;
        Verified::Used(rp.finish_passkey_authentication(&credential, &state))
    } else {
        let made = verify_registration(&rp, credential, &challenge.state()?).map_err(as_factor)?;
        Verified::Created(Box::new(made))
    };

    let (passkey, verified) = (&passkey, &verified);
    let shown = ctx.transaction(|tx| verify_within(tx, ctx, passkey, verified).scope_boxed()).await;
    let (user, session, ended) = sign_in_history::record_refusal(ctx, shown).await?;
    auth.token_cache.forget_user(me.id);
    auth.token_cache.forget_sessions(&ended);
    tokens::grant(ctx, auth, user, session).await
}

/// The code of second factors for a failed verification.
fn as_factor(error: Error) -> Error {
    match error {
        Error::Conflict(problem) if problem.code == "webauthn_verification_failed" => {
            Error::conflict("mfa_verification_failed")
        }
        other => other,
    }
}

/// Uses up the challenge of one's own passkey. Requests from other addresses leave it to the owner.
async fn take_challenge(ctx: &Ctx, id: FactorId, challenge: ChallengeId) -> Result<(Passkey, Challenge)> {
    let me = factors::require_signed_in(ctx)?;
    let taken = ctx.transaction(|tx| {
        async move {
            let user = factors::lock_signed_in(tx, me.id).await?;
            let passkey = find_live(ctx, &store::list(tx, me.id).await?, id)?.clone();
            let unknown = || Error::conflict("mfa_challenge_not_found");
            let found = store::factor_challenge(tx, challenge, id).await?.ok_or_else(unknown)?;
            if found.address != ctx.origin.address {
                return Err(refuse(&user, "wrong_challenge", Error::conflict("mfa_ip_address_mismatch")));
            }
            if found.expires_at <= ctx.now() {
                return Err(refuse(&user, "too_late", Error::conflict("mfa_challenge_expired")));
            }
            store::take_challenge(tx, challenge, Purpose::Factor, Some(me.id)).await?.ok_or_else(unknown)?;
            Ok((passkey, found))
        }
        .scope_boxed()
    });
    sign_in_history::record_refusal(ctx, taken.await).await
}

fn refuse(user: &User, reason: &'static str, response: Error) -> Error {
    sign_in_history::refuse(user, Method::Webauthn.name(), reason, response)
}

/// [`verify`] within its transaction: the user, the raised session and the ended ones.
async fn verify_within(
    tx: &mut Tx,
    ctx: &Ctx,
    passkey: &Passkey,
    verified: &Verified,
) -> Result<(User, Session, Vec<SessionId>)> {
    let me = factors::require_signed_in(ctx)?;
    let user = factors::lock_signed_in(tx, me.id).await?;
    let used = match verified {
        Verified::Used(result) if !me.mfa.enrolled && !me.mfa.required => {
            check_use(tx, ctx, &user, result).await?;
            let session = sessions::record_reauthentication(tx, ctx, &user, me.session_id, METHOD).await?;
            return Ok((user, session, Vec::new()));
        }
        Verified::Created(made) => {
            factors::require_aal2_if_enrolled(tx, me).await?;
            sessions::require_recent_reauthentication(tx, ctx, me).await?;
            store::save_registration(tx, passkey.id, made.to_row()?, ctx.now()).await.map_err(as_registered)?;
            record_added(tx, ctx, &user, passkey).await?;
            passkey.id
        }
        Verified::Used(result) => check_use(tx, ctx, &user, result).await?,
    };
    factors::store::delete_unverified(tx, me.id, None).await?;
    store::use_as_second_factors(tx, me.id).await?;
    let (session, ended) = sessions::elevate_to_aal2(tx, ctx, &user, me.session_id, (used, Method::Webauthn)).await?;
    Ok((user, session, ended))
}

/// Saves a verification and returns the passkey that signed: any of the user's may.
async fn check_use(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    used: &Result<AuthenticationResult, WebauthnError>,
) -> Result<FactorId> {
    let wrong = || as_factor(failed());
    let used = used.as_ref().map_err(|error| refuse(user, refusal_reason(error), wrong()))?;
    match save_use(tx, ctx, user, used).await? {
        Some(id) => Ok(id),
        None => Err(refuse(user, "counter", wrong())),
    }
}

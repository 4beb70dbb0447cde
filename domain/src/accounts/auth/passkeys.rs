//! Passkeys (WebAuthn credentials): sign-in without a password, and their list. [`factor`] verifies them after a password.
//!
//! Every ceremony requires user verification (a PIN, a finger, a face), so a sign-in with a passkey is at aal2. Challenges
//! are kept in the database and deleted at their first use, whatever its outcome.
pub mod device;
pub mod factor;
pub mod relying_party;
pub(super) mod store;

pub use self::device::DeviceKind;
use super::{
    Auth, TokenGrant,
    factors::{self, Factor, Kind, Status},
    passwords::{self, PasswordCheck},
    security_mails, sessions, sign_in_history, tokens,
};
use crate::{
    accounts::users::{self, User},
    kernel::{
        access::{Action, PendingRequirement, Resource, SignedIn},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        i18n,
        ids::{ChallengeId, FactorId, UserId},
        text::unique_key,
        validate::Validator,
    },
    outbox::mails::SecurityAct,
    platform::activity,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use uuid::Uuid;
use webauthn_rs::prelude::{
    AuthenticationResult, Credential, DiscoverableAuthentication, Passkey as StoredCredential, PasskeyRegistration,
    PublicKeyCredential, RegisterPublicKeyCredential, WebauthnError,
};

/// Most passkeys per user.
const MAX_PASSKEYS: usize = 10;
/// Lifetime of a challenge; browsers end the ceremony after it, too.
const CHALLENGE_TTL: Duration = Duration::minutes(5);
const MAX_NAME_LENGTH: usize = 120;
/// Authentication method of a sign-in with a passkey in the `amr` claim.
const METHOD: &str = "passkey";

crate::kernel::db::row! {
    /// A row of `passkeys`.
    #[derive(Clone, Debug, sqlx::FromRow)]
    pub struct Passkey {
        pub id: FactorId,
        pub user_id: UserId,
        pub friendly_name: String,
        /// Base64url; unset for a second factor that is not verified yet.
        pub credential_id: Option<String>,
        pub(crate) credential: Option<String>,
        pub aaguid: Option<Uuid>,
        pub device_kind: DeviceKind,
        /// Whether it is verified after a password, too.
        pub second_factor: bool,
        pub last_challenged_at: Option<DateTime<Utc>>,
        pub last_used_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
    }
}

crate::kernel::text_enum! {
    /// What a challenge is for.
    pub(super) enum Purpose {
        Registration = "registration",
        SignIn = "sign_in",
        Factor = "factor",
    }
}

crate::kernel::db::row! {
    /// A row of `webauthn_challenges`.
    #[derive(Clone, Debug, sqlx::FromRow)]
    pub(super) struct Challenge {
        pub id: ChallengeId,
        pub purpose: Purpose,
        /// Unset for a sign-in.
        pub user_id: Option<UserId>,
        pub passkey_id: Option<FactorId>,
        pub state: String,
        pub address: Option<String>,
        pub created_at: DateTime<Utc>,
        pub expires_at: DateTime<Utc>,
    }
}

/// A challenge with the options for the browser's call.
#[derive(Clone, Debug)]
pub struct Ceremony {
    pub id: ChallengeId,
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON`.
    pub options: Value,
    pub expires_at: DateTime<Utc>,
}

impl Challenge {
    fn new(ctx: &Ctx, purpose: Purpose, user: Option<UserId>, state: &impl Serialize) -> Result<Self> {
        let now = ctx.now();
        Ok(Self {
            id: ChallengeId(ctx.random.uuid()),
            purpose,
            user_id: user,
            passkey_id: None,
            state: serde_json::to_string(state).map_err(Error::internal)?,
            address: ctx.origin.address.clone(),
            created_at: now,
            expires_at: now + CHALLENGE_TTL,
        })
    }

    fn state<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.state).map_err(Error::internal)
    }
}

impl Passkey {
    /// The credential, unless it is a second factor that is not verified yet.
    fn stored(&self) -> Result<Option<StoredCredential>> {
        self.credential.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
    }

    /// Whether it can sign in.
    pub fn is_verified(&self) -> bool {
        self.credential_id.is_some()
    }

    fn to_factor(&self) -> Factor {
        Factor {
            id: self.id,
            user_id: self.user_id,
            kind: Kind::Webauthn,
            friendly_name: self.friendly_name.clone(),
            status: if self.is_verified() { Status::Verified } else { Status::Unverified },
            key_id: None,
            last_step: None,
            last_challenged_at: self.last_challenged_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// Starts the registration of a passkey of the signed-in user.
///
/// # Errors
/// Unauthenticated; Forbidden `insufficient_aal` while a second factor is to be verified, `session_begun_by_administrator`;
/// Conflict `passkey_disabled`, `reauthentication_needed`, `too_many_passkeys`.
#[tracing::instrument(level = "debug", name = "auth.passkeys.start_registration", skip_all)]
pub async fn start_registration(ctx: &Ctx) -> Result<Ceremony> {
    let me = factors::require_signed_in(ctx)?;
    let rp = relying_party::load(ctx).await?;
    ctx.transaction(|tx| {
        let rp = &rp;
        async move {
            let user = check_registration(tx, ctx, me).await?;
            let (options, state) = creation_options(tx, rp, &user).await?;
            let challenge = Challenge::new(ctx, Purpose::Registration, Some(me.id), &state)?;
            store::insert_challenge(tx, &challenge).await?;
            Ok(Ceremony { id: challenge.id, options, expires_at: challenge.expires_at })
        }
        .scope_boxed()
    })
    .await
}

/// What a browser needs to make a credential that it finds without a name or address.
async fn creation_options(
    tx: &mut Tx,
    rp: &webauthn_rs::Webauthn,
    user: &User,
) -> Result<(Value, PasskeyRegistration)> {
    let present = store::list(tx, user.id).await?.iter().map(Passkey::stored).collect::<Result<Vec<_>>>()?;
    let exclude = present.iter().flatten().map(|credential| credential.cred_id().clone()).collect();
    let (made, state) =
        rp.start_passkey_registration(user.id.0, &user.email, &user.name(), Some(exclude)).map_err(Error::internal)?;
    let mut options = to_options(&made.public_key)?;
    options["authenticatorSelection"]["residentKey"] = "required".into();
    options["authenticatorSelection"]["requireResidentKey"] = true.into();
    Ok((options, state))
}

/// The options as JSON. Without hints a client may prefer security keys.
fn to_options(options: &impl Serialize) -> Result<Value> {
    let mut options = serde_json::to_value(options).map_err(Error::internal)?;
    options["hints"] = Value::Array(Vec::new());
    Ok(options)
}

async fn check_registration(tx: &mut Tx, ctx: &Ctx, me: &SignedIn) -> Result<User> {
    let user = factors::lock_signed_in(tx, me.id).await?;
    factors::require_aal2_if_enrolled(tx, me).await?;
    sessions::require_recent_reauthentication(tx, ctx, me).await?;
    // A passkey would outlast the session and hide who began it.
    if me.begun_by.is_some() {
        return Err(Error::forbidden("session_begun_by_administrator"));
    }
    if store::list(tx, me.id).await?.iter().filter(|passkey| passkey.is_verified()).count() >= MAX_PASSKEYS {
        return Err(Error::conflict("too_many_passkeys"));
    }
    Ok(user)
}

/// Registers a passkey. It is a second factor, too, where the account has one or the role requires one.
///
/// # Errors
/// As [`start_registration`]; Conflict `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
/// `webauthn_verification_failed`, `webauthn_credential_exists`.
#[tracing::instrument(
    level = "debug",
    name = "auth.passkeys.register",
    skip_all,
    fields(challenge_id = %challenge)
)]
pub async fn register(ctx: &Ctx, auth: &Auth, challenge: ChallengeId, credential: &Value) -> Result<Passkey> {
    let me = factors::require_signed_in(ctx)?;
    let rp = relying_party::load(ctx).await?;
    let challenge = take_challenge(ctx, challenge, Purpose::Registration, Some(me.id)).await?;
    let registered = verify_registration(&rp, credential, &challenge.state()?)?;
    let registered = &registered;
    let passkey = ctx
        .transaction(|tx| {
            async move {
                let user = check_registration(tx, ctx, me).await?;
                let passkey = registered.to_passkey(tx, ctx, me).await?;
                store::insert(tx, &passkey).await.map_err(as_registered)?;
                record_added(tx, ctx, &user, &passkey).await?;
                Ok(passkey)
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_user(me.id);
    Ok(passkey)
}

/// A credential belongs to one account: the unique index decides, also between registrations at once.
fn as_registered(error: Error) -> Error {
    if error.is_unique_violation() { Error::conflict("webauthn_credential_exists") } else { error }
}

/// Logs and mails an addition.
async fn record_added(tx: &mut Tx, ctx: &Ctx, user: &User, passkey: &Passkey) -> Result<()> {
    let event = users::event("user.passkey_added", user)
        .with("passkey_id", passkey.id.to_string())
        .with("name", passkey.friendly_name.clone());
    activity::append(tx, ctx, event).await?;
    security_mails::notify_passkey(tx, ctx, SecurityAct::PasskeyAdded, user, &passkey.friendly_name).await
}

/// A verified registration.
struct Registration {
    stored: StoredCredential,
    device_kind: DeviceKind,
    aaguid: Option<Uuid>,
}

/// # Errors
/// Conflict `webauthn_verification_failed`.
fn verify_registration(
    rp: &webauthn_rs::Webauthn,
    credential: &Value,
    state: &PasskeyRegistration,
) -> Result<Registration> {
    let attachment = credential.get("authenticatorAttachment").and_then(Value::as_str);
    let credential: RegisterPublicKeyCredential = parse(credential)?;
    let stored = rp.finish_passkey_registration(&credential, state).map_err(|error| {
        tracing::debug!(%error, "passkey registration refused");
        Error::conflict("webauthn_verification_failed")
    })?;
    let device_kind = device::kind(&Credential::from(stored.clone()), attachment);
    Ok(Registration { stored, device_kind, aaguid: device::aaguid(&credential) })
}

impl Registration {
    fn to_row(&self) -> Result<store::Registered> {
        Ok(store::Registered {
            credential_id: encode(self.stored.cred_id()),
            credential: serde_json::to_string(&self.stored).map_err(Error::internal)?,
            aaguid: self.aaguid,
            device_kind: self.device_kind,
        })
    }

    async fn to_passkey(&self, tx: &mut Tx, ctx: &Ctx, me: &SignedIn) -> Result<Passkey> {
        let made = self.to_row()?;
        let now = ctx.now();
        Ok(Passkey {
            id: FactorId(ctx.random.uuid()),
            user_id: me.id,
            friendly_name: self.new_name(tx, ctx, me.id).await?,
            credential_id: Some(made.credential_id),
            credential: Some(made.credential),
            aaguid: made.aaguid,
            device_kind: made.device_kind,
            second_factor: me.mfa.enrolled || me.mfa.required,
            last_challenged_at: None,
            last_used_at: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// The maker's name, numbered where the user has one of that name.
    async fn new_name(&self, tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<String> {
        let key = match self.device_kind {
            DeviceKind::SecurityKey => "security_key",
            _ => "passkey",
        };
        let default = || i18n::text(ctx.language(), "names", key, &Map::new());
        let name = device::name(self.aaguid).map_or_else(default, str::to_owned);
        let present: Vec<String> =
            factors::store::list(tx, user).await?.into_iter().map(|factor| factor.friendly_name).collect();
        let present: Vec<String> =
            present.into_iter().chain(store::list(tx, user).await?.into_iter().map(|p| p.friendly_name)).collect();
        let is_free = |name: &String| !present.iter().any(|known| unique_key(known) == unique_key(name));
        let numbered = (2..).map(|number| format!("{name} {number}"));
        Ok(std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name))
    }
}

/// Starts a sign-in; the browser offers the passkeys that it has. Anonymous callers may.
///
/// # Errors
/// Conflict `passkey_disabled`.
#[tracing::instrument(level = "debug", name = "auth.passkeys.start_sign_in", skip_all)]
pub async fn start_sign_in(ctx: &Ctx) -> Result<Ceremony> {
    let rp = relying_party::load(ctx).await?;
    let (made, state) = rp.start_discoverable_authentication().map_err(Error::internal)?;
    let options = to_options(&made.public_key)?;
    let challenge = &Challenge::new(ctx, Purpose::SignIn, None, &state)?;
    ctx.transaction(|tx| store::insert_challenge(tx, challenge).scope_boxed()).await?;
    Ok(Ceremony { id: challenge.id, options, expires_at: challenge.expires_at })
}

/// Signs in with a passkey, at aal2. Anonymous callers may.
///
/// # Errors
/// Conflict `passkey_disabled`, `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
/// `webauthn_verification_failed` (an unknown passkey, another origin, a wrong signature, a counter that does not advance);
/// only after the right passkey: Unauthenticated `user_banned`, Conflict `email_not_confirmed`.
#[tracing::instrument(level = "debug", name = "auth.passkeys.sign_in", skip_all, fields(challenge_id = %challenge))]
pub async fn sign_in(ctx: &Ctx, auth: &Auth, challenge: ChallengeId, credential: &Value) -> Result<TokenGrant> {
    let rp = relying_party::load(ctx).await?;
    let challenge = take_challenge(ctx, challenge, Purpose::SignIn, None).await?;
    let credential: PublicKeyCredential = parse(credential)?;
    let (owner, id) = rp.identify_discoverable_authentication(&credential).map_err(|_| failed())?;
    let passkey = store::by_credential(&mut ctx.db(), &encode(id)).await?.filter(|passkey| passkey.user_id.0 == owner);
    let Some(passkey) = passkey else { return Err(record_unknown(ctx).await?) };
    let Some(stored) = passkey.stored()? else { return Err(failed()) };
    let state: DiscoverableAuthentication = challenge.state()?;
    let used = rp.finish_discoverable_authentication_v2(&credential, state, stored);

    if is_closed_demo(ctx, passkey.user_id).await? {
        return Err(failed());
    }
    let (passkey, used) = (&passkey, &used);
    let shown = ctx.transaction(|tx| sign_in_within(tx, ctx, passkey, used).scope_boxed()).await;
    let (user, session) = sign_in_history::record_refusal(ctx, shown).await?;
    tokens::grant(ctx, auth, user, session).await
}

/// [`sign_in`] within its transaction.
async fn sign_in_within(
    tx: &mut Tx,
    ctx: &Ctx,
    passkey: &Passkey,
    used: &Result<AuthenticationResult, WebauthnError>,
) -> Result<(User, sessions::Session)> {
    let user = users::store::lock(tx, passkey.user_id).await?.ok_or_else(failed)?;
    let refuse = |reason, response| sign_in_history::refuse(&user, METHOD, reason, response);
    let used = used.as_ref().map_err(|error| refuse(refusal_reason(error), failed()))?;
    if save_use(tx, ctx, &user, used).await?.is_none() {
        return Err(refuse("counter", failed()));
    }
    if user.status == users::Status::Pending {
        return Err(refuse("not_confirmed", Error::conflict("email_not_confirmed")));
    }
    if !users::can_sign_in(tx, &user, ctx.now()).await? {
        return Err(refuse("account_shut", Error::unauthenticated("user_banned")));
    }
    let session = sessions::start_by_passkey(tx, ctx, &user, METHOD, passkey.id).await?;
    Ok((user, session))
}

/// Whether this is a demo account after the demo: its password is published, and visitors may have added passkeys. Demo
/// addresses are in a reserved domain.
async fn is_closed_demo(ctx: &Ctx, id: UserId) -> Result<bool> {
    if ctx.options.demo {
        return Ok(false);
    }
    let Some(user) = users::store::get(&mut ctx.db(), id).await? else { return Ok(false) };
    if !users::email_key(&user.email).ends_with("@example.com") {
        return Ok(false);
    }
    let compared = passwords::verify(user.password_hash.as_ref(), &ctx.options.demo_password).await?;
    Ok(compared != PasswordCheck::Invalid)
}

/// Why a verification failed, for the sign-in history.
fn refusal_reason(error: &WebauthnError) -> &'static str {
    match error {
        WebauthnError::CredentialPossibleCompromise => "counter",
        WebauthnError::InvalidRPOrigin => "wrong_origin",
        _ => "wrong_passkey",
    }
}

/// Saves a verification in the row, under the lock of the account. None if the counter has not advanced since, or the
/// passkey was removed.
async fn save_use(tx: &mut Tx, ctx: &Ctx, user: &User, used: &AuthenticationResult) -> Result<Option<FactorId>> {
    let Some(passkey) = store::by_credential(tx, &encode(used.cred_id())).await? else { return Ok(None) };
    let Some(mut stored) = passkey.stored()?.filter(|_| passkey.user_id == user.id) else { return Ok(None) };
    let counter = Credential::from(stored.clone()).counter;
    if (used.counter() > 0 || counter > 0) && used.counter() <= counter {
        return Ok(None);
    }
    stored.update_credential(used);
    store::save_use(tx, passkey.id, serde_json::to_string(&stored).map_err(Error::internal)?, ctx.now()).await?;
    Ok(Some(passkey.id))
}

/// Logs a sign-in with an unknown passkey and returns its error.
async fn record_unknown(ctx: &Ctx) -> Result<Error> {
    ctx.transaction(|tx| sign_in_history::record_failure(tx, ctx, None, METHOD, "unknown_passkey").scope_boxed())
        .await?;
    Ok(failed())
}

fn failed() -> Error {
    Error::conflict("webauthn_verification_failed")
}

/// # Errors
/// Conflict `webauthn_verification_failed` for a body that is no credential.
fn parse<T: DeserializeOwned>(credential: &Value) -> Result<T> {
    T::deserialize(credential).map_err(|error| {
        tracing::debug!(%error, "malformed credential");
        failed()
    })
}

fn encode(credential_id: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(credential_id)
}

/// Uses up a challenge, in a transaction of its own: a failed attempt uses it up, too.
///
/// # Errors
/// Conflict `webauthn_challenge_not_found`, `webauthn_challenge_expired`.
async fn take_challenge(ctx: &Ctx, id: ChallengeId, purpose: Purpose, user: Option<UserId>) -> Result<Challenge> {
    let found = ctx.transaction(|tx| store::take_challenge(tx, id, purpose, user).scope_boxed()).await?;
    let challenge = found.ok_or(Error::conflict("webauthn_challenge_not_found"))?;
    if challenge.expires_at <= ctx.now() {
        return Err(Error::conflict("webauthn_challenge_expired"));
    }
    Ok(challenge)
}

/// The passkeys of the signed-in user, oldest first.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "auth.passkeys.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<Passkey>> {
    let me = factors::require_signed_in(ctx)?;
    load(ctx, me.id).await
}

/// The passkeys of a user, oldest first. Super admins, service tokens and the operator.
///
/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "auth.passkeys.list_of", skip_all, fields(user_id = %user))]
pub async fn list_of(ctx: &Ctx, user: UserId) -> Result<Vec<Passkey>> {
    let user = users::row(ctx, user).await?;
    load(ctx, user.id).await
}

async fn load(ctx: &Ctx, user: UserId) -> Result<Vec<Passkey>> {
    let mut found = store::list(&mut ctx.db(), user).await?;
    found.retain(Passkey::is_verified);
    Ok(found)
}

/// Renames one's own passkey.
///
/// # Errors
/// Unauthenticated; Forbidden `insufficient_aal` while a second factor is to be verified; Invalid `friendly_name`;
/// NotFound.
#[tracing::instrument(level = "debug", name = "auth.passkeys.rename", skip_all, fields(factor_id = %id))]
pub async fn rename(ctx: &Ctx, auth: &Auth, id: FactorId, name: &str) -> Result<Passkey> {
    let me = factors::require_signed_in(ctx)?;
    if me.mfa.pending() == Some(PendingRequirement::Challenge) {
        return Err(Error::forbidden("insufficient_aal"));
    }
    let mut check = Validator::new();
    let name = check.single_line("friendly_name", name, MAX_NAME_LENGTH);
    check.finish()?;
    let name = name.as_str();
    let renamed = ctx
        .transaction(|tx| {
            async move {
                let user = factors::lock_signed_in(tx, me.id).await?;
                let passkey = find(tx, me.id, id).await?;
                store::rename(tx, id, name, ctx.now()).await?;
                let event = users::event("user.passkey_renamed", &user).with("passkey_id", id.to_string());
                activity::append(tx, ctx, event.with("name", name.to_owned())).await?;
                Ok(Passkey { friendly_name: name.to_owned(), updated_at: ctx.now(), ..passkey })
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_user(me.id);
    Ok(renamed)
}

async fn find(tx: &mut Tx, user: UserId, id: FactorId) -> Result<Passkey> {
    let found = store::list(tx, user).await?.into_iter().find(|passkey| passkey.id == id && passkey.is_verified());
    found.ok_or(Error::NotFound("passkey"))
}

/// Removes one's own passkey and drops the sessions that it raised to aal1. The last second factor takes the recovery codes
/// with it.
///
/// # Errors
/// Unauthenticated; Forbidden `insufficient_aal` while a second factor is to be verified; NotFound; Conflict
/// `reauthentication_needed`.
#[tracing::instrument(level = "debug", name = "auth.passkeys.remove", skip_all, fields(factor_id = %id))]
pub async fn remove(ctx: &Ctx, auth: &Auth, id: FactorId) -> Result<()> {
    let me = factors::require_signed_in(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let user = factors::lock_signed_in(tx, me.id).await?;
            factors::require_aal2_if_enrolled(tx, me).await?;
            let passkey = find(tx, me.id, id).await?;
            sessions::require_recent_reauthentication(tx, ctx, me).await?;
            remove_within(tx, ctx, &user, &passkey).await
        }
        .scope_boxed()
    })
    .await?;
    auth.token_cache.forget_user(me.id);
    Ok(())
}

/// Removes a passkey of a user, as [`remove`]. Super admins, service tokens and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `reauthentication_needed`.
#[tracing::instrument(
    level = "debug",
    name = "auth.passkeys.remove_for_user",
    skip_all,
    fields(user_id = %owner, factor_id = %id)
)]
pub async fn remove_for_user(ctx: &Ctx, owner: UserId, id: FactorId) -> Result<()> {
    ctx.may(Action::Update, Resource::Users)?;
    ctx.require_recent_proof()?;
    ctx.transaction(|tx| {
        async move {
            let user = users::lock(tx, owner, None).await?;
            let passkey = find(tx, owner, id).await?;
            remove_within(tx, ctx, &user, &passkey).await
        }
        .scope_boxed()
    })
    .await
}

async fn remove_within(tx: &mut Tx, ctx: &Ctx, user: &User, passkey: &Passkey) -> Result<()> {
    let all = factors::store::list(tx, user.id).await?;
    factors::remove_with_codes(tx, ctx, user, &all, &passkey.to_factor()).await
}

/// Removes every passkey of a user; returns whether there was one.
///
/// # Errors
/// Database errors.
pub(super) async fn remove_all_of(tx: &mut Tx, user: UserId) -> Result<bool> {
    let found = store::list(tx, user).await?;
    for passkey in &found {
        store::delete(tx, passkey.id).await?;
    }
    Ok(found.iter().any(Passkey::is_verified))
}

/// Removes the passkeys that were added since.
///
/// # Errors
/// Database errors.
pub(super) async fn remove_added_since(tx: &mut Tx, ctx: &Ctx, user: &User, since: DateTime<Utc>) -> Result<()> {
    for passkey in store::list(tx, user.id).await?.iter().filter(|passkey| passkey.created_at >= since) {
        factors::remove(tx, ctx, user, &passkey.to_factor()).await?;
    }
    Ok(())
}

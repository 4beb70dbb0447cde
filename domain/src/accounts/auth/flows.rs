//! Sign-ins that begin in one place and end in another: by a mail, or at a provider. Whoever began one keeps a
//! secret (PKCE) and shows it to turn the code that comes back into a session.
mod store;

use super::{
    Auth, history,
    identities::{self, Arrival, ProviderTokens},
    secret,
    sessions::{self, Session},
    tokens::{self, Granted},
};
use crate::{
    accounts::users::{self, User},
    kernel::{
        ctx::Ctx,
        db::{Json, ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{FlowId, SessionId, UserId},
    },
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// From the beginning to the way back, and from the code to its exchange.
pub const LIFE: Duration = Duration::seconds(300);

/// How a challenge was made from its verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum ChallengeMethod {
    S256,
    /// Of a flow that an earlier version began.
    Plain,
}

/// What somebody shows at the beginning, in place of the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    pub code_challenge: String,
    pub method: ChallengeMethod,
}

impl Challenge {
    /// None for what no client would send: 43 to 128 characters of `A-Za-z0-9.~_-`, and a method in any letter case. One
    /// that is the verifier itself is hashed at once: it is kept in a row and in a job, where no secret belongs.
    pub fn read(code_challenge: &str, method: &str) -> Option<Self> {
        let long_enough = (43..=128).contains(&code_challenge.len());
        let plain = code_challenge.bytes().all(|b| b.is_ascii_alphanumeric() || b".~_-".contains(&b));
        let code_challenge = match method.to_ascii_lowercase().as_str() {
            "s256" => code_challenge.to_owned(),
            "plain" => hashed(code_challenge),
            _ => return None,
        };
        (long_enough && plain).then_some(Self { code_challenge, method: ChallengeMethod::S256 })
    }

    /// Whether this verifier is the one the challenge was made from.
    pub fn is_met_by(&self, verifier: &str) -> bool {
        match self.method {
            ChallengeMethod::S256 => secret::constant_time_eq(&self.code_challenge, &hashed(verifier)),
            ChallengeMethod::Plain => secret::constant_time_eq(&self.code_challenge, verifier),
        }
    }
}

/// The challenge of a verifier (RFC 7636, section 4.2).
fn hashed(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// A row of `flows`.
#[derive(Clone, sqlx::FromRow)]
pub struct Flow {
    pub id: FlowId,
    pub user_id: Option<UserId>,
    /// How the session will say it was begun: `oauth`, `recovery`, `magiclink`, `email/signup`, `email_change`, `invite`.
    pub method: String,
    code_challenge: Option<String>,
    code_challenge_method: Option<ChallengeMethod>,
    pub redirect_to: String,
    pub provider: Option<String>,
    pub provider_nonce: Option<String>,
    pub provider_verifier: Option<String>,
    pub linking_user_id: Option<UserId>,
    /// The session that began the linking, and must be there until it is done.
    pub linking_session_id: Option<SessionId>,
    /// What the provider said, kept from the way back to the exchange.
    arrival: Option<Json<Arrival>>,
    /// The provider's own tokens, sealed under the code.
    provider_tokens: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub code_issued_at: Option<DateTime<Utc>>,
    pub used_at: Option<DateTime<Utc>>,
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flow").field("id", &self.id).field("method", &self.method).finish_non_exhaustive()
    }
}

impl Flow {
    /// None for the implicit flow: the way back then brings the session itself.
    pub fn challenge(&self) -> Option<Challenge> {
        let (code_challenge, method) = self.code_challenge.clone().zip(self.code_challenge_method)?;
        Some(Challenge { code_challenge, method })
    }

    /// What a provider said at the end of a linking flow.
    pub(super) fn brought(&self) -> Option<Arrival> {
        self.arrival.as_ref().map(|arrival| arrival.0.clone())
    }

    /// The provider's own tokens, for whoever has the code.
    fn tokens_under(&self, auth_code: &str) -> Option<ProviderTokens> {
        let tokens = secret::decrypt(auth_code, self.provider_tokens.as_deref()?)?;
        serde_json::from_str(&tokens).ok()
    }
}

/// A flow to be begun.
#[derive(Clone, Default)]
pub struct New {
    pub method: &'static str,
    pub user_id: Option<UserId>,
    pub challenge: Option<Challenge>,
    pub redirect_to: String,
    pub provider: Option<String>,
    pub provider_nonce: Option<String>,
    pub provider_verifier: Option<String>,
    pub linking_user_id: Option<UserId>,
    pub linking_session_id: Option<SessionId>,
    /// How long the way back stays open; [`LIFE`] unless a mail has longer.
    pub life: Option<Duration>,
}

impl std::fmt::Debug for New {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("New").field("method", &self.method).finish_non_exhaustive()
    }
}

/// Begins a flow. Its id is what a provider gets as `state`.
///
/// # Errors
/// What the database refuses.
pub async fn begin(tx: &mut Tx, ctx: &Ctx, new: New) -> Result<Flow> {
    let now = ctx.now();
    let (code_challenge, code_challenge_method) = new.challenge.map(|c| (c.code_challenge, c.method)).unzip();
    let flow = Flow {
        id: FlowId(ctx.chance.uuid()),
        user_id: new.user_id,
        method: new.method.to_owned(),
        code_challenge,
        code_challenge_method,
        redirect_to: new.redirect_to,
        provider: new.provider,
        provider_nonce: new.provider_nonce,
        provider_verifier: new.provider_verifier,
        linking_user_id: new.linking_user_id,
        linking_session_id: new.linking_session_id,
        arrival: None,
        provider_tokens: None,
        created_at: now,
        expires_at: now + new.life.unwrap_or(LIFE),
        code_issued_at: None,
        used_at: None,
    };
    store::insert(tx, &flow).await?;
    Ok(flow)
}

/// A flow on its way back, locked, and used by it: the same way back does not come twice.
///
/// # Errors
/// Unauthenticated `bad_oauth_state` for an id that is unknown or too old, `flow_state_already_used`.
pub async fn take(tx: &mut Tx, ctx: &Ctx, id: FlowId) -> Result<Flow> {
    let flow = store::lock(tx, id).await?.ok_or(Error::unauthenticated("bad_oauth_state"))?;
    if flow.used_at.is_some() {
        return Err(Error::unauthenticated("flow_state_already_used"));
    }
    if flow.expires_at <= ctx.now() {
        return Err(Error::unauthenticated("bad_oauth_state"));
    }
    store::used(tx, id, ctx.now()).await?;
    Ok(Flow { used_at: Some(ctx.now()), ..flow })
}

/// Keeps what a provider said until the code is exchanged.
///
/// # Errors
/// What the database refuses.
pub(super) async fn bring(tx: &mut Tx, id: FlowId, arrival: &Arrival) -> Result<()> {
    store::bring(tx, id, arrival).await
}

/// Makes the code that the flow's browser takes back; a later one makes an earlier one worthless. Good for [`LIFE`].
/// The provider's own tokens wait with it, sealed under it, as only its hash is kept.
///
/// # Errors
/// What the database refuses.
pub async fn issue_code(
    tx: &mut Tx,
    ctx: &Ctx,
    flow: &Flow,
    user: UserId,
    tokens: Option<&ProviderTokens>,
) -> Result<String> {
    let code = ctx.chance.uuid().to_string();
    let sealed = match tokens {
        Some(tokens) => Some(secret::encrypt(&code, &serde_json::to_string(tokens).map_err(Error::internal)?)?),
        None => None,
    };
    let now = ctx.now();
    store::code_issued(tx, flow.id, user, &secret::token_hash(&code), now, now + LIFE, sealed).await?;
    Ok(code)
}

/// The flow of a link, locked, while its code may still be issued.
///
/// # Errors
/// What the database refuses.
pub(super) async fn of_link(tx: &mut Tx, ctx: &Ctx, id: FlowId) -> Result<Option<Flow>> {
    Ok(store::lock(tx, id).await?.filter(|flow| flow.expires_at > ctx.now()))
}

/// Turns a code into a session; the code is worth nothing afterwards. Anybody with the secret may.
///
/// # Errors
/// Unauthenticated `flow_state_not_found` (unknown, used, or linking for a session that is over), `flow_state_expired`,
/// `bad_code_verifier` (the code stays good), `user_banned`, `identity_already_exists`.
pub async fn exchange(ctx: &Ctx, auth: &Auth, auth_code: &str, verifier: &str) -> Result<Granted> {
    let hash = secret::token_hash(auth_code);
    let exchanged = ctx.transaction(|tx| exchange_in(tx, ctx, &hash, verifier).scope_boxed()).await;
    let (user, session, flow) = history::record_refusal(ctx, exchanged).await?;
    let granted = tokens::grant(ctx, auth, user, session).await?;
    Ok(Granted { provider_tokens: flow.tokens_under(auth_code), ..granted })
}

/// [`exchange`] within its transaction; `hash` is the code's. A refusal leaves the code as it was.
async fn exchange_in(tx: &mut Tx, ctx: &Ctx, hash: &str, verifier: &str) -> Result<(User, Session, Flow)> {
    let unknown = || Error::unauthenticated("flow_state_not_found");
    let owner = store::owner(tx, hash).await?.ok_or_else(unknown)?;
    // The user first, then what is the user's: the order every writer of both keeps.
    let user: User = users::store::lock(tx, owner).await?.ok_or_else(unknown)?;
    let flow = store::lock_by_code(tx, hash).await?.ok_or_else(unknown)?;
    if flow.expires_at <= ctx.now() {
        return Err(history::refuse(&user, "pkce", "too_late", Error::unauthenticated("flow_state_expired")));
    }
    if !flow.challenge().is_some_and(|challenge| challenge.is_met_by(verifier)) {
        return Err(history::refuse(&user, "pkce", "wrong_verifier", Error::unauthenticated("bad_code_verifier")));
    }
    if !users::is_welcome(tx, &user, ctx.now()).await? {
        return Err(history::refuse(&user, "pkce", "account_shut", Error::unauthenticated("user_banned")));
    }
    store::delete(tx, flow.id).await?;
    if let Err(e) = identities::settle(tx, ctx, &user, &flow).await {
        let taken = matches!(&e, Error::Unauthenticated(problem) if problem.code == "identity_already_exists");
        return Err(if taken { history::refuse(&user, identities::METHOD, "identity_taken", e) } else { e });
    }
    let session = sessions::start_at(tx, ctx, &user, &flow.method, flow.provider.as_deref()).await?;
    Ok((user, session, flow))
}

/// Makes the codes of a user that wait to be exchanged worthless, and whatever is on its way to be linked.
///
/// # Errors
/// What the database refuses.
pub(in crate::accounts::auth) async fn drop_all_of(tx: &mut Tx, user: UserId) -> Result<()> {
    store::delete_of(tx, user).await
}

/// Deletes flows that expired before `before`; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| store::delete_expired(tx, before).scope_boxed()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn a_challenge_is_met_by_its_verifier_alone() {
        let hashed = Challenge::read(CHALLENGE, "S256").expect("a challenge");
        assert_eq!(Some(&hashed), Challenge::read(CHALLENGE, "s256").as_ref());
        assert!(hashed.is_met_by(VERIFIER) && !hashed.is_met_by(CHALLENGE) && !hashed.is_met_by(""));
        let plain = Challenge::read(VERIFIER, "Plain").expect("a challenge");
        assert!(plain.is_met_by(VERIFIER) && !plain.is_met_by(CHALLENGE));
        assert_eq!(plain, hashed, "the verifier is kept nowhere");
        let before = Challenge { code_challenge: VERIFIER.to_owned(), method: ChallengeMethod::Plain };
        assert!(before.is_met_by(VERIFIER) && !before.is_met_by(CHALLENGE));
    }

    #[test]
    fn what_is_no_challenge_is_refused() {
        for (challenge, method) in [
            ("a".repeat(42), "s256"),
            ("a".repeat(129), "s256"),
            ("a".repeat(42) + "+", "s256"),
            ("é".repeat(30), "s256"),
            ("a".repeat(43), "md5"),
        ] {
            assert_eq!(Challenge::read(&challenge, method), None, "{challenge} {method}");
        }
        assert!(Challenge::read(&"~".repeat(128), "s256").is_some());
    }
}

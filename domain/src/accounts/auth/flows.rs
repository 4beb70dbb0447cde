//! PKCE flows: sign-ins that start in a browser and return through a mail or a provider. The browser proves with its
//! verifier that it started the flow, and exchanges the returned code for a session.
mod store;

use super::{
    Auth,
    identities::{self, ProviderClaims, ProviderTokens},
    secret,
    sessions::{self, Session},
    sign_in_history,
    tokens::{self, TokenGrant},
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

/// From start to callback, and from code to exchange.
pub const FLOW_TTL: Duration = Duration::seconds(300);

crate::kernel::text_enum! {
    /// Transformation of a verifier into a challenge.
    pub enum ChallengeMethod {
        S256 = "s256",
        /// Rows of earlier versions only.
        Plain = "plain",
    }
}

/// PKCE challenge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    pub code_challenge: String,
    pub method: ChallengeMethod,
}

impl Challenge {
    /// Parses a challenge of 43 to 128 characters `A-Za-z0-9.~_-` and a method in any case. A plain challenge is the
    /// verifier itself, so it is hashed before it is stored.
    pub fn read(code_challenge: &str, method: &str) -> Option<Self> {
        let long_enough = (43..=128).contains(&code_challenge.len());
        let plain = code_challenge.bytes().all(|b| b.is_ascii_alphanumeric() || b".~_-".contains(&b));
        let code_challenge = match method.to_ascii_lowercase().as_str() {
            "s256" => code_challenge.to_owned(),
            "plain" => s256(code_challenge),
            _ => return None,
        };
        (long_enough && plain).then_some(Self { code_challenge, method: ChallengeMethod::S256 })
    }

    /// Whether the verifier matches.
    pub fn verify(&self, verifier: &str) -> bool {
        match self.method {
            ChallengeMethod::S256 => secret::constant_time_eq(&self.code_challenge, &s256(verifier)),
            ChallengeMethod::Plain => secret::constant_time_eq(&self.code_challenge, verifier),
        }
    }
}

/// S256 challenge of a verifier (RFC 7636, section 4.2).
fn s256(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// A row of `flows`.
#[derive(Clone, sqlx::FromRow)]
pub struct Flow {
    pub id: FlowId,
    pub user_id: Option<UserId>,
    /// Authentication method of the session: `oauth`, `recovery`, `magiclink`, `email/signup`, `email_change`,
    /// `invite`.
    pub method: String,
    code_challenge: Option<String>,
    code_challenge_method: Option<ChallengeMethod>,
    pub redirect_to: String,
    pub provider: Option<String>,
    pub provider_nonce: Option<String>,
    pub provider_verifier: Option<String>,
    pub linking_user_id: Option<UserId>,
    /// Session that started the linking; must be active until it completes.
    pub linking_session_id: Option<SessionId>,
    /// Claims of the provider, kept between callback and exchange.
    #[sqlx(rename = "arrival")]
    claims: Option<Json<ProviderClaims>>,
    /// Tokens of the provider, encrypted under the code.
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
    /// None for the implicit flow, whose callback returns the session itself.
    pub fn challenge(&self) -> Option<Challenge> {
        let (code_challenge, method) = self.code_challenge.clone().zip(self.code_challenge_method)?;
        Some(Challenge { code_challenge, method })
    }

    /// Claims of the provider in a linking flow.
    pub(super) fn claims(&self) -> Option<ProviderClaims> {
        self.claims.as_ref().map(|claims| claims.0.clone())
    }

    /// Tokens of the provider, for the holder of the code.
    fn decrypt_tokens(&self, auth_code: &str) -> Option<ProviderTokens> {
        let tokens = secret::decrypt(auth_code, self.provider_tokens.as_deref()?)?;
        serde_json::from_str(&tokens).ok()
    }
}

/// A flow to be created.
#[derive(Clone, Default)]
pub struct CreateFlow {
    pub method: &'static str,
    pub user_id: Option<UserId>,
    pub challenge: Option<Challenge>,
    pub redirect_to: String,
    pub provider: Option<String>,
    pub provider_nonce: Option<String>,
    pub provider_verifier: Option<String>,
    pub linking_user_id: Option<UserId>,
    pub linking_session_id: Option<SessionId>,
    /// Lifetime; [`FLOW_TTL`] by default.
    pub ttl: Option<Duration>,
}

impl std::fmt::Debug for CreateFlow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateFlow").field("method", &self.method).finish_non_exhaustive()
    }
}

/// Creates a flow. Its id is the provider's `state`.
///
/// # Errors
/// Database errors.
pub async fn create(tx: &mut Tx, ctx: &Ctx, new: CreateFlow) -> Result<Flow> {
    let now = ctx.now();
    let (code_challenge, code_challenge_method) = new.challenge.map(|c| (c.code_challenge, c.method)).unzip();
    let flow = Flow {
        id: FlowId(ctx.random.uuid()),
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
        claims: None,
        provider_tokens: None,
        created_at: now,
        expires_at: now + new.ttl.unwrap_or(FLOW_TTL),
        code_issued_at: None,
        used_at: None,
    };
    store::insert(tx, &flow).await?;
    Ok(flow)
}

/// Consumes a flow on its callback; works once.
///
/// # Errors
/// Unauthenticated `bad_oauth_state` for an unknown or expired id, `flow_state_already_used`.
pub async fn consume(tx: &mut Tx, ctx: &Ctx, id: FlowId) -> Result<Flow> {
    let flow = store::lock(tx, id).await?.ok_or(Error::unauthenticated("bad_oauth_state"))?;
    if flow.used_at.is_some() {
        return Err(Error::unauthenticated("flow_state_already_used"));
    }
    if flow.expires_at <= ctx.now() {
        return Err(Error::unauthenticated("bad_oauth_state"));
    }
    store::mark_used(tx, id, ctx.now()).await?;
    Ok(Flow { used_at: Some(ctx.now()), ..flow })
}

/// Stores the claims of a provider until the code is exchanged.
///
/// # Errors
/// Database errors.
pub(super) async fn attach_claims(tx: &mut Tx, id: FlowId, claims: &ProviderClaims) -> Result<()> {
    store::save_claims(tx, id, claims).await
}

/// Issues the code of a flow, valid for [`FLOW_TTL`]; replaces an earlier one. The provider's tokens are stored
/// encrypted under the code; only the code's hash is stored.
///
/// # Errors
/// Database errors.
pub async fn issue_code(
    tx: &mut Tx,
    ctx: &Ctx,
    flow: &Flow,
    user: UserId,
    tokens: Option<&ProviderTokens>,
) -> Result<String> {
    let code = ctx.random.uuid().to_string();
    let sealed = match tokens {
        Some(tokens) => Some(secret::encrypt(&code, &serde_json::to_string(tokens).map_err(Error::internal)?)?),
        None => None,
    };
    let now = ctx.now();
    store::save_code(tx, flow.id, user, &secret::token_hash(&code), now, now + FLOW_TTL, sealed).await?;
    Ok(code)
}

/// Locks the flow of a link, if it has not expired.
///
/// # Errors
/// Database errors.
pub(super) async fn lock_of_link(tx: &mut Tx, ctx: &Ctx, id: FlowId) -> Result<Option<Flow>> {
    Ok(store::lock(tx, id).await?.filter(|flow| flow.expires_at > ctx.now()))
}

/// Exchanges a code for a session; works once. A caller with the verifier may.
///
/// # Errors
/// Unauthenticated `flow_state_not_found` (unknown, used, or linking for a session that has ended),
/// `flow_state_expired`, `bad_code_verifier` (the code stays valid), `user_banned`, `identity_already_exists`.
#[tracing::instrument(level = "debug", name = "auth.flows.exchange", skip_all)]
pub async fn exchange(ctx: &Ctx, auth: &Auth, auth_code: &str, verifier: &str) -> Result<TokenGrant> {
    let hash = secret::token_hash(auth_code);
    let exchanged = ctx.transaction(|tx| exchange_in(tx, ctx, &hash, verifier).scope_boxed()).await;
    let (user, session, flow) = sign_in_history::record_refusal(ctx, exchanged).await?;
    let granted = tokens::grant(ctx, auth, user, session).await?;
    Ok(TokenGrant { provider_tokens: flow.decrypt_tokens(auth_code), ..granted })
}

/// [`exchange`] within its transaction; `hash` is the code's. An error leaves the code valid.
async fn exchange_in(tx: &mut Tx, ctx: &Ctx, hash: &str, verifier: &str) -> Result<(User, Session, Flow)> {
    let unknown = || Error::unauthenticated("flow_state_not_found");
    let owner = store::owner(tx, hash).await?.ok_or_else(unknown)?;
    // Lock order: the user before its rows.
    let user: User = users::store::lock(tx, owner).await?.ok_or_else(unknown)?;
    let flow = store::lock_by_code(tx, hash).await?.ok_or_else(unknown)?;
    if flow.expires_at <= ctx.now() {
        return Err(sign_in_history::refuse(&user, "pkce", "too_late", Error::unauthenticated("flow_state_expired")));
    }
    if !flow.challenge().is_some_and(|challenge| challenge.verify(verifier)) {
        return Err(sign_in_history::refuse(
            &user,
            "pkce",
            "wrong_verifier",
            Error::unauthenticated("bad_code_verifier"),
        ));
    }
    if !users::can_sign_in(tx, &user, ctx.now()).await? {
        return Err(sign_in_history::refuse(&user, "pkce", "account_shut", Error::unauthenticated("user_banned")));
    }
    store::delete(tx, flow.id).await?;
    if let Err(e) = identities::complete_linking(tx, ctx, &user, &flow).await {
        let taken = matches!(&e, Error::Unauthenticated(problem) if problem.code == "identity_already_exists");
        return Err(if taken { sign_in_history::refuse(&user, identities::METHOD, "identity_taken", e) } else { e });
    }
    let session = sessions::start_with_provider(tx, ctx, &user, &flow.method, flow.provider.as_deref()).await?;
    Ok((user, session, flow))
}

/// Deletes the issued codes and linking flows of a user.
///
/// # Errors
/// Database errors.
pub(in crate::accounts::auth) async fn delete_all_of(tx: &mut Tx, user: UserId) -> Result<()> {
    store::delete_all_of(tx, user).await
}

/// Deletes flows that expired before `before` and returns their number. Scheduled.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.flows.clean_up", skip_all)]
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
    fn challenge_accepts_only_its_verifier() {
        let hashed = Challenge::read(CHALLENGE, "S256").expect("a challenge");
        assert_eq!(Some(&hashed), Challenge::read(CHALLENGE, "s256").as_ref());
        assert!(hashed.verify(VERIFIER) && !hashed.verify(CHALLENGE) && !hashed.verify(""));
        let plain = Challenge::read(VERIFIER, "Plain").expect("a challenge");
        assert!(plain.verify(VERIFIER) && !plain.verify(CHALLENGE));
        assert_eq!(plain, hashed, "the verifier is kept nowhere");
        let before = Challenge { code_challenge: VERIFIER.to_owned(), method: ChallengeMethod::Plain };
        assert!(before.verify(VERIFIER) && !before.verify(CHALLENGE));
    }

    #[test]
    fn invalid_challenges_are_rejected() {
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

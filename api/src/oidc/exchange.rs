//! From the code that somebody came back with to what the provider says of them.
use super::{Found, Kind, Provider, Secrets};
use domain::{
    accounts::auth::identities::{ProviderClaims, ProviderTokens},
    kernel::{clock::Clock, error::causes},
};
use openidconnect::{
    AccessTokenHash, AdditionalClaims, AuthorizationCode, ClaimsVerificationError, EmptyExtraTokenFields,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenClaims, IdTokenFields, Nonce, OAuth2TokenResponse,
    PkceCodeVerifier, RequestTokenError, SignatureVerificationError, StandardErrorResponse, StandardTokenResponse,
    TokenResponse, UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
        CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreRevocableToken, CoreRevocationErrorResponse,
        CoreTokenIntrospectionResponse, CoreTokenType,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a provider could not help.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Not now.
    #[error("{0}")]
    Unavailable(String),
    /// What came back is not good.
    #[error("{0}")]
    Refused(String),
}

/// How far a provider's clock may be ahead of ours.
const LEEWAY_SECONDS: i64 = 60;

/// What Microsoft says beside the standard, and from when on a token is valid.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Extra {
    /// The organisation.
    tid: Option<String>,
    /// Whether the organisation owns the domain of the address.
    xms_edov: Option<Value>,
    nbf: Option<i64>,
}

impl AdditionalClaims for Extra {}

type Fields = IdTokenFields<
    Extra,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
type Tokens = StandardTokenResponse<Fields, CoreTokenType>;
type Claims = IdTokenClaims<Extra, CoreGenderClaim>;

pub type Client = openidconnect::Client<
    Extra,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// # Errors
/// As [`Provider::redeem`] says.
pub async fn redeem(
    provider: &Provider,
    clock: &Clock,
    secrets: Secrets<'_>,
    code: AuthorizationCode,
) -> Result<ProviderClaims, Failure> {
    let found = provider.found(None).await?;
    let client = provider.client(&found);
    let tokens: Tokens = client
        .exchange_code(code)
        .map_err(|e| Failure::Unavailable(e.to_string()))?
        .set_pkce_verifier(PkceCodeVerifier::new(secrets.verifier.to_owned()))
        .request_async(&provider.http)
        .await
        .map_err(|e| match e {
            RequestTokenError::Request(e) => Failure::Unavailable(causes(&e)),
            RequestTokenError::ServerResponse(e) => {
                if matches!(e.error(), CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient)
                {
                    tracing::error!(
                        provider = provider.settings.kind.wire(),
                        "the provider refuses our client id or secret"
                    );
                }
                Failure::Refused(e.error().to_string())
            }
            // What it says may hold tokens.
            RequestTokenError::Parse(..) => Failure::Refused("its tokens cannot be read".to_owned()),
            RequestTokenError::Other(e) => Failure::Refused(e),
        })?;
    let claims = match verified(&client, &found, clock, secrets, &tokens) {
        // The provider has changed its keys since we asked.
        Err(Unverified::Key) => {
            let found = provider.found(Some(&found)).await?;
            verified(&provider.client(&found), &found, clock, secrets, &tokens)
        }
        done => done,
    }
    .map_err(|e| match e {
        Unverified::Key => Failure::Refused("its token is signed with a key that it does not show".to_owned()),
        Unverified::Otherwise(e) => Failure::Refused(e),
    })?;
    let mut said = Said {
        email: claims.email().map(|email| email.to_string()),
        email_verified: claims.email_verified(),
        name: claims.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
        extra: claims.additional_claims().clone(),
    };
    if said.email.is_none()
        && let Ok(request) = client.user_info(tokens.access_token().clone(), Some(claims.subject().clone()))
    {
        let more: UserInfoClaims<Extra, CoreGenderClaim> =
            request.request_async(&provider.http).await.map_err(|e| Failure::Refused(causes(&e)))?;
        let extra = more.additional_claims();
        said = Said {
            email: more.email().map(|email| email.to_string()),
            email_verified: more.email_verified(),
            name: more.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
            extra: Extra { xms_edov: extra.xms_edov.clone().or(said.extra.xms_edov), ..said.extra },
        };
    }
    Ok(ProviderClaims {
        subject: claims.subject().to_string(),
        email_verified: is_verified(provider, &said),
        email: said.email,
        name: said.name,
        tokens: Some(ProviderTokens {
            access_token: tokens.access_token().secret().clone(),
            refresh_token: tokens.refresh_token().map(|token| token.secret().clone()),
        }),
    })
}

/// What we take from a token, or from the answer to asking again.
struct Said {
    email: Option<String>,
    email_verified: Option<bool>,
    name: Option<String>,
    extra: Extra,
}

enum Unverified {
    Key,
    Otherwise(String),
}

/// The claims of the token: signed by the provider, for us, for this flow, and not too old.
fn verified(
    client: &Client,
    found: &Found,
    clock: &Clock,
    secrets: Secrets<'_>,
    tokens: &Tokens,
) -> Result<Claims, Unverified> {
    let other = |e: &str| Unverified::Otherwise(e.to_owned());
    let token = tokens.id_token().ok_or_else(|| other("it sent no identity token"))?;
    let (now, clock) = (clock.now().timestamp(), clock.clone());
    let verifier = client.id_token_verifier().require_issuer_match(!found.many).set_time_fn(move || clock.now());
    let claims = token.claims(&verifier, &Nonce::new(secrets.nonce.to_owned())).map_err(|e| match e {
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey) => Unverified::Key,
        e => Unverified::Otherwise(e.to_string()),
    })?;
    if claims.additional_claims().nbf.is_some_and(|nbf| nbf > now + LEEWAY_SECONDS) {
        return Err(other("its token is not valid yet"));
    }
    if found.many {
        let tenant = claims.additional_claims().tid.as_deref().unwrap_or_default();
        let issuer = claims.issuer().as_str();
        if !found.may_issue(issuer) || found.issuer_of(tenant) != issuer {
            return Err(other("its token was issued for another organisation than it names"));
        }
    }
    if let Some(expected) = claims.access_token_hash() {
        let bad = |_| other("its access token cannot be checked");
        let algorithm = token.signing_alg().map_err(|_| other("its token has no algorithm"))?;
        let key = token.signing_key(&verifier).map_err(|_| other("its token has no key"))?;
        let is = AccessTokenHash::from_token(tokens.access_token(), algorithm, key).map_err(bad)?;
        if is != *expected {
            return Err(other("its access token is another's"));
        }
    }
    Ok(claims.clone())
}

/// Whether an address is proved. Microsoft lets every organisation write what it likes into it, so there it counts
/// only when the organisation owns the domain, or when the operator trusts one organisation with it.
fn is_verified(provider: &Provider, said: &Said) -> bool {
    let settings = &provider.settings;
    if !settings.is_for_many() && said.email_verified == Some(true) {
        return true;
    }
    if settings.kind != Kind::Microsoft {
        return false;
    }
    let owned = match &said.extra.xms_edov {
        Some(Value::Bool(owned)) => *owned,
        Some(Value::Number(owned)) => owned.as_i64() == Some(1),
        Some(Value::String(owned)) => matches!(owned.as_str(), "1" | "true" | "True"),
        _ => false,
    };
    let domain = said.email.as_deref().and_then(|email| email.rsplit_once('@')).map_or("", |(_, domain)| domain);
    owned || (!settings.is_for_many() && settings.has_domain(domain))
}

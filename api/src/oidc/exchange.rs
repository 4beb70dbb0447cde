//! Code exchange: redeems an authorization code, verifies the id token and returns the user's claims.
use super::{
    authorization::FlowSecrets,
    client::{Claims, Client, ExtraClaims, Tokens},
    discovery::{Provider, ProviderMetadata},
    error::ProviderError,
    settings::ProviderKind,
};
use domain::{
    accounts::auth::identities::{ProviderClaims, ProviderTokens},
    kernel::{clock::Clock, error::causes},
};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClaimsVerificationError, Nonce, OAuth2TokenResponse, PkceCodeVerifier,
    RequestTokenError, SignatureVerificationError, TokenResponse, UserInfoClaims,
    core::{CoreErrorResponseType, CoreGenderClaim},
};
use serde_json::Value;

/// How far a provider's clock may be ahead of ours.
const LEEWAY_SECONDS: i64 = 60;

impl Provider {
    /// Exchanges an authorization code for the user's claims and the provider's tokens.
    ///
    /// # Errors
    /// Unavailable; Refused for an invalid code, token or response.
    pub async fn exchange_code(
        &self,
        clock: &Clock,
        secrets: FlowSecrets<'_>,
        code: &str,
    ) -> Result<ProviderClaims, ProviderError> {
        let metadata = self.metadata(None).await?;
        let client = self.client(&metadata);
        let tokens = self.request_tokens(&client, secrets, code).await?;
        let claims = match verify(&client, &metadata, clock, secrets, &tokens) {
            // The provider changed its keys since the metadata was fetched.
            Err(VerificationError::UnknownKey) => {
                let metadata = self.metadata(Some(&metadata)).await?;
                verify(&self.client(&metadata), &metadata, clock, secrets, &tokens)
            }
            done => done,
        }
        .map_err(|e| match e {
            VerificationError::UnknownKey => {
                ProviderError::Refused("its token is signed with a key that it does not show".to_owned())
            }
            VerificationError::Invalid(e) => ProviderError::Refused(e),
        })?;
        let mut user = UserClaims {
            email: claims.email().map(|email| email.to_string()),
            email_verified: claims.email_verified(),
            name: claims.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
            extra: claims.additional_claims().clone(),
        };
        if user.email.is_none()
            && let Ok(request) = client.user_info(tokens.access_token().clone(), Some(claims.subject().clone()))
        {
            let more: UserInfoClaims<ExtraClaims, CoreGenderClaim> =
                request.request_async(&self.http).await.map_err(|e| ProviderError::Refused(causes(&e)))?;
            let extra = more.additional_claims();
            user = UserClaims {
                email: more.email().map(|email| email.to_string()),
                email_verified: more.email_verified(),
                name: more.name().and_then(|name| name.get(None)).map(|name| name.to_string()),
                extra: ExtraClaims { xms_edov: extra.xms_edov.clone().or(user.extra.xms_edov), ..user.extra },
            };
        }
        Ok(ProviderClaims {
            subject: claims.subject().to_string(),
            email_verified: is_email_verified(self, &user),
            email: user.email,
            name: user.name,
            tokens: Some(ProviderTokens {
                access_token: tokens.access_token().secret().clone(),
                refresh_token: tokens.refresh_token().map(|token| token.secret().clone()),
            }),
        })
    }

    async fn request_tokens(
        &self,
        client: &Client,
        secrets: FlowSecrets<'_>,
        code: &str,
    ) -> Result<Tokens, ProviderError> {
        client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|e| ProviderError::Unavailable(e.to_string()))?
            .set_pkce_verifier(PkceCodeVerifier::new(secrets.verifier.to_owned()))
            .request_async(&self.http)
            .await
            .map_err(|e| match e {
                RequestTokenError::Request(e) => ProviderError::Unavailable(causes(&e)),
                RequestTokenError::ServerResponse(e) => {
                    if matches!(
                        e.error(),
                        CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient
                    ) {
                        tracing::error!(
                            provider = self.settings.kind.wire(),
                            "provider refuses our client id or secret"
                        );
                    }
                    ProviderError::Refused(e.error().to_string())
                }
                // The response may contain tokens.
                RequestTokenError::Parse(..) => ProviderError::Refused("its tokens cannot be read".to_owned()),
                RequestTokenError::Other(e) => ProviderError::Refused(e),
            })
    }
}

/// What we use of the id token or of the userinfo response.
struct UserClaims {
    email: Option<String>,
    email_verified: Option<bool>,
    name: Option<String>,
    extra: ExtraClaims,
}

enum VerificationError {
    UnknownKey,
    Invalid(String),
}

/// The claims of the id token, once its signature, audience, nonce, issuer, age and access token hash are verified.
fn verify(
    client: &Client,
    metadata: &ProviderMetadata,
    clock: &Clock,
    secrets: FlowSecrets<'_>,
    tokens: &Tokens,
) -> Result<Claims, VerificationError> {
    let invalid = |e: &str| VerificationError::Invalid(e.to_owned());
    let token = tokens.id_token().ok_or_else(|| invalid("it sent no identity token"))?;
    let (now, clock) = (clock.now().timestamp(), clock.clone());
    let verifier =
        client.id_token_verifier().require_issuer_match(!metadata.multi_tenant).set_time_fn(move || clock.now());
    let claims = token.claims(&verifier, &Nonce::new(secrets.nonce.to_owned())).map_err(|e| match e {
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey) => {
            VerificationError::UnknownKey
        }
        e => VerificationError::Invalid(e.to_string()),
    })?;
    if claims.additional_claims().nbf.is_some_and(|nbf| nbf > now + LEEWAY_SECONDS) {
        return Err(invalid("its token is not valid yet"));
    }
    if metadata.multi_tenant {
        let tenant = claims.additional_claims().tid.as_deref().unwrap_or_default();
        let issuer = claims.issuer().as_str();
        if !metadata.may_issue(issuer) || metadata.issuer_of(tenant) != issuer {
            return Err(invalid("its token was issued for another organisation than it names"));
        }
    }
    if let Some(expected) = claims.access_token_hash() {
        let bad = |_| invalid("its access token cannot be checked");
        let algorithm = token.signing_alg().map_err(|_| invalid("its token has no algorithm"))?;
        let key = token.signing_key(&verifier).map_err(|_| invalid("its token has no key"))?;
        let is = AccessTokenHash::from_token(tokens.access_token(), algorithm, key).map_err(bad)?;
        if is != *expected {
            return Err(invalid("its access token is another's"));
        }
    }
    Ok(claims.clone())
}

/// Whether the provider vouches for the email address. A Microsoft tenant may set any address, so there it counts only when
/// the tenant owns the domain, or when the operator configured that one tenant for it.
fn is_email_verified(provider: &Provider, user: &UserClaims) -> bool {
    let settings = &provider.settings;
    if !settings.is_multi_tenant() && user.email_verified == Some(true) {
        return true;
    }
    if settings.kind != ProviderKind::Microsoft {
        return false;
    }
    let owned = match &user.extra.xms_edov {
        Some(Value::Bool(owned)) => *owned,
        Some(Value::Number(owned)) => owned.as_i64() == Some(1),
        Some(Value::String(owned)) => matches!(owned.as_str(), "1" | "true" | "True"),
        _ => false,
    };
    let domain = user.email.as_deref().and_then(|email| email.rsplit_once('@')).map_or("", |(_, domain)| domain);
    owned || (!settings.is_multi_tenant() && settings.has_domain(domain))
}

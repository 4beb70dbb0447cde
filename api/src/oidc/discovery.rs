//! A provider's endpoints and keys: asked for when needed, remembered, asked for again.
use super::{Failure, Provider, exchange::Client};
use openidconnect::{
    AuthType, JsonWebKeySet,
    core::{CoreClientAuthMethod, CoreProviderMetadata},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// So long what a provider said of itself is believed without asking again.
const FRESH: Duration = Duration::from_secs(3_600);
/// Asked no more often than that for a key that we do not know: anybody can send a token with one.
const PAUSE: Duration = Duration::from_secs(10);
/// What Microsoft's document for many organisations has in the place of one.
const ANY_TENANT: &str = "{tenantid}";

/// What a provider said of itself.
#[derive(Clone, Debug)]
pub struct Found {
    pub metadata: Arc<CoreProviderMetadata>,
    /// Issues tokens in the name of each organisation.
    pub many: bool,
    at: Instant,
}

impl Found {
    /// Whether tokens that name this issuer are the provider's. Which organisation it is, the token says too.
    pub fn may_issue(&self, issuer: &str) -> bool {
        let own = self.metadata.issuer().as_str();
        if !self.many {
            return own == issuer;
        }
        own.split_once(ANY_TENANT).is_some_and(|(before, after)| {
            let tenant = issuer.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            tenant.is_some_and(|tenant| tenant.parse::<uuid::Uuid>().is_ok())
        })
    }

    /// The issuer of tokens for the organisation with this id.
    pub fn issuer_of(&self, tenant: &str) -> String {
        self.metadata.issuer().as_str().replace(ANY_TENANT, tenant)
    }
}

impl Provider {
    /// What the provider says of itself; asked again when `unknown_to` did not know a key, or when it is old. While
    /// it cannot be asked, what it said before still counts.
    pub(super) async fn found(&self, unknown_to: Option<&Found>) -> Result<Found, Failure> {
        // Whoever comes while it is being asked waits for that answer.
        let mut known = self.found.lock().await;
        if let Some(found) = known.as_ref() {
            let since = found.at.elapsed();
            let wanted = unknown_to.is_some_and(|old| old.at == found.at && since > PAUSE);
            if since < FRESH && !wanted {
                return Ok(found.clone());
            }
        }
        match (self.ask().await, known.as_ref()) {
            (Ok(found), _) => Ok(known.insert(found).clone()),
            (Err(e), Some(before)) => {
                tracing::warn!(provider = self.settings.kind.wire(), error = %e, "the provider cannot be asked again");
                Ok(before.clone())
            }
            (Err(e), None) => {
                tracing::warn!(provider = self.settings.kind.wire(), error = %e, "the provider cannot be reached");
                Err(e)
            }
        }
    }

    async fn ask(&self) -> Result<Found, Failure> {
        let issuer = &self.settings.issuer;
        let document = format!("{issuer}/.well-known/openid-configuration");
        let unavailable = |e: openidconnect::reqwest::Error| Failure::Unavailable(e.without_url().to_string());
        let answer = self.http.get(document).send().await.and_then(|answer| answer.error_for_status());
        let bytes = answer.map_err(unavailable)?.bytes().await.map_err(unavailable)?;
        let metadata: CoreProviderMetadata = serde_json::from_slice(&bytes)
            .map_err(|e| Failure::Unavailable(format!("its discovery document cannot be read: {e}")))?;
        let many = self.settings.is_for_many() && metadata.issuer().as_str().contains(ANY_TENANT);
        if !many && metadata.issuer().as_str().trim_end_matches('/') != issuer {
            let other = metadata.issuer().as_str();
            return Err(Failure::Unavailable(format!("it calls itself {other}, not {issuer}")));
        }
        let keys = JsonWebKeySet::fetch_async(metadata.jwks_uri(), &self.http)
            .await
            .map_err(|e| Failure::Unavailable(format!("its keys cannot be fetched: {e}")))?;
        Ok(Found { metadata: Arc::new(metadata.set_jwks(keys)), many, at: Instant::now() })
    }

    pub(super) fn client(&self, found: &Found) -> Client {
        let settings = &self.settings;
        let metadata = CoreProviderMetadata::clone(&found.metadata);
        // What the standard prefers, unless the provider does not take it.
        let by_header = metadata
            .token_endpoint_auth_methods_supported()
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let how = if by_header { AuthType::BasicAuth } else { AuthType::RequestBody };
        let (id, secret) = (settings.client_id.clone(), settings.client_secret.clone());
        Client::from_provider_metadata(metadata, id, Some(secret))
            .set_auth_type(how)
            .set_redirect_uri(self.callback.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(issuer: &str, many: bool) -> Found {
        let metadata = serde_json::json!({
            "issuer": issuer, "authorization_endpoint": "https://login.example/a", "token_endpoint": "https://login.example/t",
            "jwks_uri": "https://login.example/k", "response_types_supported": ["code"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
        });
        Found { metadata: Arc::new(serde_json::from_value(metadata).unwrap()), many, at: Instant::now() }
    }

    #[test]
    fn a_provider_of_many_organisations_issues_for_each_of_them_and_nobody_else() {
        let many = found("https://login.microsoftonline.com/{tenantid}/v2.0", true);
        let tenant = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";
        assert!(many.may_issue(&many.issuer_of(tenant)));
        for other in ["https://login.microsoftonline.com/common/v2.0", "https://evil.example/v2.0", "{tenantid}", ""] {
            assert!(!many.may_issue(other), "{other}");
        }
        let one = found("https://accounts.google.com", false);
        assert!(one.may_issue("https://accounts.google.com") && !one.may_issue("https://accounts.google.com.evil"));
    }
}

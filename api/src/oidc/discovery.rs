//! Provider metadata and keys (OpenID discovery): fetched when needed, cached, refreshed when stale.
use super::{
    client::Client,
    error::ProviderError,
    http::{HttpClient, REQUEST_TIMEOUT},
    settings::ProviderSettings,
};
use domain::kernel::error::causes;
use openidconnect::{
    AuthType, JsonWebKeySet, RedirectUrl,
    core::{CoreClientAuthMethod, CoreProviderMetadata},
};
use std::{
    sync::{Arc, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Mutex;

/// How long fetched metadata is used.
const CACHE_TTL: Duration = Duration::from_secs(3_600);
/// Pause after a failed fetch, and between refetches for unknown keys, because anyone can send a token with one.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// Placeholder for the tenant in the issuer of Microsoft's multi-tenant metadata.
const ANY_TENANT: &str = "{tenantid}";

/// A provider's metadata and keys.
#[derive(Clone, Debug)]
pub struct ProviderMetadata {
    pub document: Arc<CoreProviderMetadata>,
    /// Each tenant issues tokens in its own name.
    pub multi_tenant: bool,
    fetched_at: Instant,
}

impl ProviderMetadata {
    /// Whether tokens of this issuer are the provider's. For a multi-tenant provider the token's `tid` must match too.
    pub fn may_issue(&self, issuer: &str) -> bool {
        let own = self.document.issuer().as_str();
        if !self.multi_tenant {
            return own == issuer;
        }
        own.split_once(ANY_TENANT).is_some_and(|(before, after)| {
            let tenant = issuer.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            tenant.is_some_and(|tenant| tenant.parse::<uuid::Uuid>().is_ok())
        })
    }

    /// The issuer of a tenant's tokens.
    pub fn issuer_of(&self, tenant: &str) -> String {
        self.document.issuer().as_str().replace(ANY_TENANT, tenant)
    }
}

/// The cache of one provider's metadata.
#[derive(Debug, Default)]
struct CachedMetadata {
    metadata: Option<ProviderMetadata>,
    /// The last failed fetch, and why.
    failed: Option<(Instant, String)>,
}

impl CachedMetadata {
    /// The cached result; none when the metadata must be fetched. `unknown_key_in` is metadata that lacks a key.
    fn get(
        &self,
        unknown_key_in: Option<&ProviderMetadata>,
        now: Instant,
    ) -> Option<Result<ProviderMetadata, ProviderError>> {
        let failed = self.failed.as_ref().filter(|(at, _)| now.duration_since(*at) < RETRY_DELAY);
        match (&self.metadata, failed) {
            (Some(metadata), failed) => {
                let age = now.duration_since(metadata.fetched_at);
                let lacks_key =
                    unknown_key_in.is_some_and(|old| old.fetched_at == metadata.fetched_at && age > RETRY_DELAY);
                // Stale metadata is used while the provider cannot be reached.
                (failed.is_some() || age < CACHE_TTL && !lacks_key).then(|| Ok(metadata.clone()))
            }
            // Right after a failed fetch, requests fail at once instead of waiting for another.
            (None, Some((_, why))) => Some(Err(ProviderError::Unavailable(why.clone()))),
            (None, None) => None,
        }
    }
}

/// A configured provider with its cached metadata.
#[derive(Debug)]
pub struct Provider {
    pub settings: ProviderSettings,
    pub(super) http: HttpClient,
    callback: RedirectUrl,
    cache: std::sync::Mutex<CachedMetadata>,
    /// Held while the metadata is fetched.
    fetching: Mutex<()>,
}

impl Provider {
    pub(super) fn new(settings: &ProviderSettings, callback: &RedirectUrl) -> Self {
        Self {
            settings: settings.clone(),
            http: HttpClient::new(!settings.is_on_loopback()),
            callback: callback.clone(),
            cache: std::sync::Mutex::default(),
            fetching: Mutex::default(),
        }
    }

    /// Fetches the metadata unless it is cached.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn reach(&self) -> Result<(), ProviderError> {
        self.metadata(None).await.map(drop)
    }

    /// Whether the `iss` parameter of a callback is this provider's (RFC 9207).
    pub async fn is_issuer(&self, issuer: &str) -> bool {
        self.metadata(None).await.is_ok_and(|metadata| metadata.may_issue(issuer))
    }

    /// The metadata, fetched when it is stale or when `unknown_key_in` lacks a key. One request fetches; the others use the
    /// stale metadata or wait for the result, so none waits longer than one fetch.
    pub(super) async fn metadata(
        &self,
        unknown_key_in: Option<&ProviderMetadata>,
    ) -> Result<ProviderMetadata, ProviderError> {
        if let Some(cached) = self.cache().get(unknown_key_in, Instant::now()) {
            return cached;
        }
        let _fetching = match self.fetching.try_lock() {
            Ok(fetching) => fetching,
            Err(_) => {
                let stale = self.cache().metadata.clone();
                if let (Some(stale), None) = (stale, unknown_key_in) {
                    return Ok(stale);
                }
                let fetching = self.fetching.lock().await;
                if let Some(cached) = self.cache().get(unknown_key_in, Instant::now()) {
                    return cached;
                }
                fetching
            }
        };
        let fetched = tokio::time::timeout(REQUEST_TIMEOUT, self.fetch()).await;
        let fetched =
            fetched.unwrap_or_else(|_| Err(ProviderError::Unavailable("it takes too long to answer".to_owned())));
        self.store(fetched)
    }

    /// Caches a fetch. A failed one returns the stale metadata if there is any.
    fn store(&self, fetched: Result<ProviderMetadata, ProviderError>) -> Result<ProviderMetadata, ProviderError> {
        let provider = self.settings.kind.wire();
        let mut cache = self.cache();
        match fetched {
            Ok(metadata) => {
                *cache = CachedMetadata { metadata: Some(metadata.clone()), failed: None };
                Ok(metadata)
            }
            Err(e) => {
                cache.failed = Some((Instant::now(), e.to_string()));
                match &cache.metadata {
                    Some(stale) => {
                        tracing::warn!(provider, error = %e, "provider metadata is stale and cannot be fetched");
                        Ok(stale.clone())
                    }
                    None => {
                        tracing::warn!(provider, error = %e, "provider metadata cannot be fetched");
                        Err(e)
                    }
                }
            }
        }
    }

    fn cache(&self) -> MutexGuard<'_, CachedMetadata> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn fetch(&self) -> Result<ProviderMetadata, ProviderError> {
        let issuer = &self.settings.issuer;
        let url = format!("{issuer}/.well-known/openid-configuration");
        let bytes = self.http.get(url).await.map_err(|e| ProviderError::Unavailable(causes(&e)))?;
        let document: CoreProviderMetadata = serde_json::from_slice(&bytes)
            .map_err(|e| ProviderError::Unavailable(format!("its discovery document cannot be read: {e}")))?;
        let multi_tenant = self.settings.is_multi_tenant() && document.issuer().as_str().contains(ANY_TENANT);
        if !multi_tenant && document.issuer().as_str().trim_end_matches('/') != issuer {
            let other = document.issuer().as_str();
            return Err(ProviderError::Unavailable(format!("it calls itself {other}, not {issuer}")));
        }
        let keys = JsonWebKeySet::fetch_async(document.jwks_uri(), &self.http)
            .await
            .map_err(|e| ProviderError::Unavailable(format!("its keys cannot be fetched: {}", causes(&e))))?;
        Ok(ProviderMetadata { document: Arc::new(document.set_jwks(keys)), multi_tenant, fetched_at: Instant::now() })
    }

    pub(super) fn client(&self, metadata: &ProviderMetadata) -> Client {
        let settings = &self.settings;
        let document = CoreProviderMetadata::clone(&metadata.document);
        // The standard's default, unless the provider does not support it.
        let by_header = document
            .token_endpoint_auth_methods_supported()
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let auth_type = if by_header { AuthType::BasicAuth } else { AuthType::RequestBody };
        let (id, secret) = (settings.client_id.clone(), settings.client_secret.clone());
        Client::from_provider_metadata(document, id, Some(secret))
            .set_auth_type(auth_type)
            .set_redirect_uri(self.callback.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(issuer: &str, multi_tenant: bool) -> ProviderMetadata {
        let document = serde_json::json!({
            "issuer": issuer, "authorization_endpoint": "https://login.example/a", "token_endpoint": "https://login.example/t",
            "jwks_uri": "https://login.example/k", "response_types_supported": ["code"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
        });
        ProviderMetadata {
            document: Arc::new(serde_json::from_value(document).unwrap()),
            multi_tenant,
            fetched_at: Instant::now(),
        }
    }

    #[test]
    fn a_failed_fetch_is_retried_after_the_delay_and_stale_metadata_used() {
        let then = Instant::now();
        let later = |seconds| then + Duration::from_secs(seconds);
        let failed = |seconds| Some((later(seconds), "it is down".to_owned()));
        assert!(CachedMetadata::default().get(None, then).is_none());
        let down = CachedMetadata { metadata: None, failed: failed(0) };
        assert!(matches!(down.get(None, later(9)), Some(Err(ProviderError::Unavailable(_)))));
        assert!(down.get(None, later(10)).is_none());
        let known = |failed| CachedMetadata {
            metadata: Some(ProviderMetadata { fetched_at: then, ..metadata("https://login.example", false) }),
            failed,
        };
        assert!(matches!(known(None).get(None, later(60)), Some(Ok(_))));
        assert!(known(None).get(None, later(3_600)).is_none(), "stale, so it is fetched again");
        assert!(matches!(known(failed(3_600)).get(None, later(3_601)), Some(Ok(_))), "and used while that fails");
        let one = known(None);
        assert!(one.get(one.metadata.as_ref(), later(60)).is_none(), "an unknown key");
        assert!(matches!(one.get(one.metadata.as_ref(), later(9)), Some(Ok(_))), "but not within the delay");
        let before = ProviderMetadata { fetched_at: later(1), ..metadata("https://login.example", false) };
        assert!(matches!(one.get(Some(&before), later(60)), Some(Ok(_))), "fetched again since");
    }

    #[test]
    fn multi_tenant_issuers_match_any_tenant_and_nothing_else() {
        let many = metadata("https://login.microsoftonline.com/{tenantid}/v2.0", true);
        let tenant = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";
        assert!(many.may_issue(&many.issuer_of(tenant)));
        for other in ["https://login.microsoftonline.com/common/v2.0", "https://evil.example/v2.0", "{tenantid}", ""] {
            assert!(!many.may_issue(other), "{other}");
        }
        let one = metadata("https://accounts.google.com", false);
        assert!(one.may_issue("https://accounts.google.com") && !one.may_issue("https://accounts.google.com.evil"));
    }
}

//! A provider's endpoints and keys: asked for when needed, remembered, asked for again.
use super::{Failure, Provider, WAIT, exchange::Client};
use domain::kernel::error::causes;
use openidconnect::{
    AuthType, JsonWebKeySet,
    core::{CoreClientAuthMethod, CoreProviderMetadata},
};
use std::{
    sync::{Arc, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// So long what a provider said of itself is believed without asking again.
const FRESH: Duration = Duration::from_secs(3_600);
/// Asked no more often than that for a key that we do not know, since anybody can send a token with one, and after a
/// question that failed.
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

/// What this process knows of a provider.
#[derive(Debug, Default)]
pub(super) struct Known {
    found: Option<Found>,
    /// The last time that it could not be asked, and why.
    failed: Option<(Instant, String)>,
}

impl Known {
    /// What can be answered without asking; none where the provider must be asked first.
    fn answer(&self, unknown_to: Option<&Found>, now: Instant) -> Option<Result<Found, Failure>> {
        let failed = self.failed.as_ref().filter(|(at, _)| now.duration_since(*at) < PAUSE);
        match (&self.found, failed) {
            (Some(found), failed) => {
                let since = now.duration_since(found.at);
                let wanted = unknown_to.is_some_and(|old| old.at == found.at && since > PAUSE);
                // While it cannot be asked, what it said before still counts.
                (failed.is_some() || since < FRESH && !wanted).then(|| Ok(found.clone()))
            }
            // Whoever comes soon after somebody who waited in vain does not wait again.
            (None, Some((_, why))) => Some(Err(Failure::Unavailable(why.clone()))),
            (None, None) => None,
        }
    }
}

impl Provider {
    /// What the provider says of itself; asked again when `unknown_to` did not know a key, or when it is old. One asks,
    /// and whoever comes meanwhile takes the older answer, or shares the new one: nobody waits longer than one question
    /// takes, and after one that failed nobody asks for a while.
    pub(super) async fn found(&self, unknown_to: Option<&Found>) -> Result<Found, Failure> {
        if let Some(answer) = self.known().answer(unknown_to, Instant::now()) {
            return answer;
        }
        let _asking = match self.asking.try_lock() {
            Ok(asking) => asking,
            Err(_) => {
                let before = self.known().found.clone();
                if let (Some(before), None) = (before, unknown_to) {
                    return Ok(before);
                }
                let asking = self.asking.lock().await;
                if let Some(answer) = self.known().answer(unknown_to, Instant::now()) {
                    return answer;
                }
                asking
            }
        };
        let asked = tokio::time::timeout(WAIT, self.ask()).await;
        let asked = asked.unwrap_or_else(|_| Err(Failure::Unavailable("it takes too long to answer".to_owned())));
        let provider = self.settings.kind.wire();
        let mut known = self.known();
        match asked {
            Ok(found) => {
                *known = Known { found: Some(found.clone()), failed: None };
                Ok(found)
            }
            Err(e) => {
                known.failed = Some((Instant::now(), e.to_string()));
                match &known.found {
                    Some(before) => {
                        tracing::warn!(provider, error = %e, "the provider cannot be asked again");
                        Ok(before.clone())
                    }
                    None => {
                        tracing::warn!(provider, error = %e, "the provider cannot be reached");
                        Err(e)
                    }
                }
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self) -> Result<Found, Failure> {
        let issuer = &self.settings.issuer;
        let document = format!("{issuer}/.well-known/openid-configuration");
        let bytes = self.http.get(document).await.map_err(|e| Failure::Unavailable(causes(&e)))?;
        let metadata: CoreProviderMetadata = serde_json::from_slice(&bytes)
            .map_err(|e| Failure::Unavailable(format!("its discovery document cannot be read: {e}")))?;
        let many = self.settings.is_for_many() && metadata.issuer().as_str().contains(ANY_TENANT);
        if !many && metadata.issuer().as_str().trim_end_matches('/') != issuer {
            let other = metadata.issuer().as_str();
            return Err(Failure::Unavailable(format!("it calls itself {other}, not {issuer}")));
        }
        let keys = JsonWebKeySet::fetch_async(metadata.jwks_uri(), &self.http)
            .await
            .map_err(|e| Failure::Unavailable(format!("its keys cannot be fetched: {}", causes(&e))))?;
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
    fn after_a_question_that_failed_nobody_asks_for_a_while() {
        let then = Instant::now();
        let later = |seconds| then + Duration::from_secs(seconds);
        let failed = |seconds| Some((later(seconds), "it is down".to_owned()));
        assert!(Known::default().answer(None, then).is_none());
        let down = Known { found: None, failed: failed(0) };
        assert!(matches!(down.answer(None, later(9)), Some(Err(Failure::Unavailable(_)))));
        assert!(down.answer(None, later(10)).is_none());
        let known = |failed| Known { found: Some(Found { at: then, ..found("https://login.example", false) }), failed };
        assert!(matches!(known(None).answer(None, later(60)), Some(Ok(_))));
        assert!(known(None).answer(None, later(3_600)).is_none(), "old, so it is asked again");
        assert!(
            matches!(known(failed(3_600)).answer(None, later(3_601)), Some(Ok(_))),
            "and believed while that fails"
        );
        let one = known(None);
        assert!(one.answer(one.found.as_ref(), later(60)).is_none(), "a key that it did not name");
        assert!(matches!(one.answer(one.found.as_ref(), later(9)), Some(Ok(_))), "but not again and again");
        let before = Found { at: later(1), ..found("https://login.example", false) };
        assert!(matches!(one.answer(Some(&before), later(60)), Some(Ok(_))), "asked again since");
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

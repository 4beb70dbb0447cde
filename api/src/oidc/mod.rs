//! OpenID Connect, as a client: where a provider's endpoints and keys are ([`discovery`]), and what it says of
//! whoever comes back from it ([`exchange`]). Who gets in with that is `domain::accounts::auth::identities`' business.
//!
//! A provider is asked for its endpoints when somebody first needs them: one that is down at the start holds
//! nothing up, and is asked again.
mod discovery;
mod exchange;
mod http;
mod settings;

pub use exchange::Failure;
pub use settings::{Kind, Settings};

use discovery::{Found, Known};
use http::Http;
use openidconnect::{
    AuthorizationCode, CsrfToken, Nonce, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope,
    core::CoreAuthenticationFlow,
};
use std::time::Duration;
use tokio::sync::Mutex;

/// Longest wait for one answer of a provider; a sign-in needs up to four of them.
const WAIT: Duration = Duration::from_secs(4);
/// What we ask about people.
const SCOPES: [&str; 2] = ["email", "profile"];

/// The configured providers.
#[derive(Debug)]
pub struct Providers(Vec<Provider>);

/// One of them, with what it said of itself.
#[derive(Debug)]
pub struct Provider {
    pub settings: Settings,
    http: Http,
    callback: RedirectUrl,
    known: std::sync::Mutex<Known>,
    /// Held by whoever asks the provider what it is.
    asking: Mutex<()>,
}

/// The secrets of one flow, as `domain` keeps them.
#[derive(Clone, Copy)]
pub struct Secrets<'a> {
    pub state: &'a str,
    pub nonce: &'a str,
    pub verifier: &'a str,
}

impl Providers {
    pub fn new(settings: &[Settings], public_url: &str) -> Self {
        let callback = RedirectUrl::new(format!("{public_url}/auth/v1/callback"));
        Self(match callback {
            Ok(callback) => settings.iter().map(|one| Provider::new(one, &callback)).collect(),
            Err(_) => Vec::new(),
        })
    }

    /// The provider that the wire calls by this name.
    pub fn named(&self, wire: &str) -> Option<&Provider> {
        self.0.iter().find(|provider| provider.settings.kind.wire() == wire)
    }

    /// The provider of addresses in this domain.
    pub fn of_domain(&self, domain: &str) -> Option<&Provider> {
        self.0.iter().find(|provider| provider.settings.has_domain(domain))
    }

    pub fn has_domains(&self) -> bool {
        self.0.iter().any(|provider| !provider.settings.domains.is_empty())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Asks every provider where it is: its name, and why it cannot be reached.
    pub async fn probe(&self) -> Vec<(&'static str, Result<(), String>)> {
        futures::future::join_all(self.0.iter().map(|provider| async {
            (provider.settings.kind.wire(), provider.reach().await.map_err(|e| e.to_string()))
        }))
        .await
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|provider| provider.settings.kind.wire()).collect()
    }
}

impl Provider {
    fn new(settings: &Settings, callback: &RedirectUrl) -> Self {
        Self {
            settings: settings.clone(),
            http: Http::new(!settings.is_on_loopback()),
            callback: callback.clone(),
            known: std::sync::Mutex::default(),
            asking: Mutex::default(),
        }
    }

    /// Asks the provider where it is, unless that is known.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn reach(&self) -> Result<(), Failure> {
        self.found(None).await.map(drop)
    }

    /// Where somebody's browser goes to sign in there. It is asked for `scopes` beside ours; `more` goes along as it is.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn address(
        &self,
        secrets: Secrets<'_>,
        scopes: &[&str],
        more: &[(String, String)],
    ) -> Result<String, Failure> {
        let found = self.found(None).await?;
        let client = self.client(&found);
        let (state, nonce) = (secrets.state.to_owned(), secrets.nonce.to_owned());
        let verifier = PkceCodeVerifier::new(secrets.verifier.to_owned());
        let mut request = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, || CsrfToken::new(state), || Nonce::new(nonce))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
        // `openid` is the library's to add.
        let others = scopes.iter().filter(|scope| **scope != "openid" && !SCOPES.contains(*scope));
        for scope in SCOPES.iter().chain(others) {
            request = request.add_scope(Scope::new((*scope).to_owned()));
        }
        for (name, value) in more {
            request = request.add_extra_param(name.clone(), value.clone());
        }
        Ok(request.url().0.to_string())
    }

    /// What the provider says of whoever came back with this code.
    ///
    /// # Errors
    /// Unavailable; Refused for a code, token or answer that is not good.
    pub async fn redeem(
        &self,
        clock: &domain::kernel::clock::Clock,
        secrets: Secrets<'_>,
        code: &str,
    ) -> Result<domain::accounts::auth::identities::ProviderClaims, Failure> {
        exchange::redeem(self, clock, secrets, AuthorizationCode::new(code.to_owned())).await
    }

    /// Whether the `iss` that came with a code is this provider's (RFC 9207).
    pub async fn is_issuer(&self, issuer: &str) -> bool {
        self.found(None).await.is_ok_and(|found| found.may_issue(issuer))
    }
}

//! Authorization requests: the URL at which a user signs in with the provider, with PKCE.
use super::{discovery::Provider, error::ProviderError};
use openidconnect::{CsrfToken, Nonce, PkceCodeChallenge, PkceCodeVerifier, Scope, core::CoreAuthenticationFlow};

/// Scopes that every request has, beside `openid`.
const SCOPES: [&str; 2] = ["email", "profile"];

/// The secrets of one flow, stored by `domain`.
#[derive(Clone, Copy)]
pub struct FlowSecrets<'a> {
    pub state: &'a str,
    pub nonce: &'a str,
    pub verifier: &'a str,
}

impl Provider {
    /// The authorization URL with `scopes` beside ours and `params` unchanged.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn authorization_url(
        &self,
        secrets: FlowSecrets<'_>,
        scopes: &[&str],
        params: &[(String, String)],
    ) -> Result<String, ProviderError> {
        let metadata = self.metadata(None).await?;
        let client = self.client(&metadata);
        let (state, nonce) = (secrets.state.to_owned(), secrets.nonce.to_owned());
        let verifier = PkceCodeVerifier::new(secrets.verifier.to_owned());
        let mut request = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, || CsrfToken::new(state), || Nonce::new(nonce))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
        // The library adds `openid`.
        let others = scopes.iter().filter(|scope| **scope != "openid" && !SCOPES.contains(*scope));
        for scope in SCOPES.iter().chain(others) {
            request = request.add_scope(Scope::new((*scope).to_owned()));
        }
        for (name, value) in params {
            request = request.add_extra_param(name.clone(), value.clone());
        }
        Ok(request.url().0.to_string())
    }
}

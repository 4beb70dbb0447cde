//! OpenID Connect client: provider metadata and keys ([`discovery`]), authorization URLs ([`authorization`]), code exchange
//! and token verification ([`exchange`]). `domain::accounts::auth::identities` decides who may sign in with the result.
//!
//! Metadata is fetched when first needed, so that an unreachable provider does not delay the start.
mod authorization;
mod client;
mod discovery;
mod error;
mod exchange;
mod http;
mod settings;

pub use authorization::FlowSecrets;
pub use discovery::Provider;
pub use error::ProviderError;
pub use settings::{ProviderKind, ProviderSettings};

use openidconnect::RedirectUrl;

/// The configured providers.
#[derive(Debug)]
pub struct Providers(Vec<Provider>);

impl Providers {
    pub fn new(settings: &[ProviderSettings], public_url: &str) -> Self {
        let callback = RedirectUrl::new(format!("{public_url}/auth/v1/callback"));
        Self(match callback {
            Ok(callback) => settings.iter().map(|settings| Provider::new(settings, &callback)).collect(),
            Err(_) => Vec::new(),
        })
    }

    /// The provider with this name in the auth protocol.
    pub fn get(&self, name: &str) -> Option<&Provider> {
        self.0.iter().find(|provider| provider.settings.kind.wire() == name)
    }

    /// The provider for email addresses of this domain.
    pub fn for_domain(&self, domain: &str) -> Option<&Provider> {
        self.0.iter().find(|provider| provider.settings.has_domain(domain))
    }

    pub fn has_domains(&self) -> bool {
        self.0.iter().any(|provider| !provider.settings.domains.is_empty())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Fetches the metadata of every provider: its name, and the error if that fails.
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

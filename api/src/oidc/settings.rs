//! Configuration of a sign-in provider.
use domain::kernel::email::domain_key;
use openidconnect::{ClientId, ClientSecret};
use std::{fmt, net::IpAddr};
use url::{Host, Url};

/// The providers with a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    Google,
    Microsoft,
}

/// A configured provider. `Debug` omits the secret.
#[derive(Clone)]
pub struct ProviderSettings {
    pub kind: ProviderKind,
    pub(super) client_id: ClientId,
    pub(super) client_secret: ClientSecret,
    pub(super) issuer: String,
    /// Email domains whose users sign in with this provider.
    pub domains: Vec<String>,
}

impl ProviderKind {
    /// The name in the auth protocol.
    pub fn wire(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Microsoft => "azure",
        }
    }
}

impl ProviderSettings {
    pub fn new(
        kind: ProviderKind,
        client_id: String,
        client_secret: String,
        issuer: String,
        domains: Vec<String>,
    ) -> Self {
        Self {
            kind,
            client_id: ClientId::new(client_id),
            client_secret: ClientSecret::new(client_secret),
            issuer: issuer.trim_end_matches('/').to_owned(),
            domains: domains.iter().filter_map(|domain| domain_key(domain)).collect(),
        }
    }

    /// Whether the URL may be an issuer: https, or http on loopback for tests.
    pub fn is_issuer(text: &str) -> bool {
        let Ok(url) = Url::parse(text) else { return false };
        let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        plain && url.has_host() && (url.scheme() == "https" || (url.scheme() == "http" && on_loopback(&url)))
    }

    /// Whether this is a domain name, in Unicode or punycode.
    pub fn is_domain(text: &str) -> bool {
        let Some(text) = domain_key(text) else { return false };
        text.contains('.')
            && text.len() <= 253
            && text.split('.').all(|label| {
                !label.is_empty()
                    && !label.starts_with('-')
                    && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            })
    }

    pub fn has_domain(&self, domain: &str) -> bool {
        domain_key(domain.trim().trim_start_matches('@')).is_some_and(|domain| self.domains.contains(&domain))
    }

    pub(super) fn is_on_loopback(&self) -> bool {
        Url::parse(&self.issuer).is_ok_and(|url| on_loopback(&url))
    }

    /// Microsoft's issuers for several tenants: each token names the tenant that issued it.
    pub(super) fn is_multi_tenant(&self) -> bool {
        self.kind == ProviderKind::Microsoft
            && ["/common/", "/organizations/", "/consumers/"].iter().any(|part| self.issuer.contains(part))
    }
}

fn on_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("kind", &self.kind)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_are_https_or_on_loopback() {
        for (issuer, good) in [
            ("https://accounts.google.com", true),
            ("https://login.microsoftonline.com/common/v2.0", true),
            ("http://127.0.0.1:4000", true),
            ("http://localhost:4000/", true),
            ("http://accounts.google.com", false),
            ("https://user@accounts.google.com", false),
            ("https://accounts.google.com/?a=b", false),
            ("accounts.google.com", false),
        ] {
            assert_eq!(ProviderSettings::is_issuer(issuer), good, "{issuer}");
        }
    }

    #[test]
    fn debug_output_omits_the_secret() {
        let settings = ProviderSettings::new(
            ProviderKind::Google,
            "id".to_owned(),
            "hunter2".to_owned(),
            String::new(),
            Vec::new(),
        );
        assert!(!format!("{settings:?}").contains("hunter2"));
    }

    #[test]
    fn email_domains_match_case_insensitively() {
        let domains = vec!["Example.com".to_owned()];
        let settings =
            ProviderSettings::new(ProviderKind::Google, "id".to_owned(), "s".to_owned(), String::new(), domains);
        assert!(settings.has_domain("EXAMPLE.com") && settings.has_domain("@example.com"));
        assert!(!settings.has_domain("sub.example.com") && !settings.has_domain(""));
        assert!(
            ProviderSettings::is_domain("mail.example.com")
                && !ProviderSettings::is_domain("example")
                && !ProviderSettings::is_domain("a b.com")
        );
    }
}

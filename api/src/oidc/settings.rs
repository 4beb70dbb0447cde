//! How a provider is configured.
use domain::kernel::email::domain_key;
use openidconnect::{ClientId, ClientSecret};
use std::{fmt, net::IpAddr};
use url::{Host, Url};

/// The providers with a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Google,
    Microsoft,
}

/// One configured provider. Its secret is never printed.
#[derive(Clone)]
pub struct Settings {
    pub kind: Kind,
    pub(super) client_id: ClientId,
    pub(super) client_secret: ClientSecret,
    pub(super) issuer: String,
    /// Domains of addresses whose people sign in here.
    pub domains: Vec<String>,
}

impl Kind {
    /// What the protocol calls it.
    pub fn wire(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Microsoft => "azure",
        }
    }
}

impl Settings {
    pub fn new(kind: Kind, client_id: String, client_secret: String, issuer: String, domains: Vec<String>) -> Self {
        Self {
            kind,
            client_id: ClientId::new(client_id),
            client_secret: ClientSecret::new(client_secret),
            issuer: issuer.trim_end_matches('/').to_owned(),
            domains: domains.iter().filter_map(|domain| domain_key(domain)).collect(),
        }
    }

    /// An issuer that can be trusted with a secret: https, or a test's on this machine.
    pub fn is_issuer(text: &str) -> bool {
        let Ok(url) = Url::parse(text) else { return false };
        let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        plain && url.has_host() && (url.scheme() == "https" || (url.scheme() == "http" && on_loopback(&url)))
    }

    /// A domain's name, in Unicode or in punycode.
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

    /// Microsoft's issuers for more than one organisation: their tokens name the organisation that issued them.
    pub(super) fn is_for_many(&self) -> bool {
        self.kind == Kind::Microsoft
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

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("kind", &self.kind).field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_https_or_on_this_machine() {
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
            assert_eq!(Settings::is_issuer(issuer), good, "{issuer}");
        }
    }

    #[test]
    fn a_secret_does_not_show_itself() {
        let settings = Settings::new(Kind::Google, "id".to_owned(), "hunter2".to_owned(), String::new(), Vec::new());
        assert!(!format!("{settings:?}").contains("hunter2"));
    }

    #[test]
    fn addresses_belong_to_a_domain_in_any_letter_case() {
        let domains = vec!["Example.com".to_owned()];
        let settings = Settings::new(Kind::Google, "id".to_owned(), "s".to_owned(), String::new(), domains);
        assert!(settings.has_domain("EXAMPLE.com") && settings.has_domain("@example.com"));
        assert!(!settings.has_domain("sub.example.com") && !settings.has_domain(""));
        assert!(
            Settings::is_domain("mail.example.com")
                && !Settings::is_domain("example")
                && !Settings::is_domain("a b.com")
        );
    }
}

//! Redirect allow list: where a browser may be sent from an email link or by a sign-in provider. To our own URL, to what the
//! operator allows, and to loopback where the portal itself is on loopback.
use globset::{GlobBuilder, GlobMatcher};
use url::{Host, Url};

/// The URLs that the operator allows beside our own.
#[derive(Clone, Debug, Default)]
pub struct RedirectAllowList(Vec<AllowedUrl>);

/// One pattern: scheme, host and path; host and path may contain `*` (within a label or segment) and `**`.
#[derive(Clone, Debug)]
struct AllowedUrl {
    /// As the operator wrote it.
    text: String,
    reach: Reach,
    scheme: String,
    host: GlobMatcher,
    port: Option<GlobMatcher>,
    path: GlobMatcher,
}

/// Which hosts a pattern covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// One host, or those of one domain.
    OneDomain,
    UnknownSuffix,
    /// Covers a public suffix (`com`, `co.uk`, `github.io`), below which anyone can register a name.
    PublicSuffix,
}

impl Reach {
    fn of(host: &str) -> Self {
        let is_wild = |label: &str| label.contains(['*', '?', '[']) || label.contains('{') != label.contains('}');
        if host.starts_with('[') || !host.split('.').any(is_wild) {
            return Self::OneDomain;
        }
        // The labels after the last wildcard are the same for every host.
        let fixed: Vec<&str> = host.rsplit('.').take_while(|label| !is_wild(label)).collect();
        let fixed = fixed.into_iter().rev().collect::<Vec<_>>().join(".");
        match (psl::domain(fixed.as_bytes()), psl::suffix(fixed.as_bytes())) {
            (Some(_), _) => Self::OneDomain,
            (None, Some(suffix)) if !suffix.is_known() => Self::UnknownSuffix,
            (None, _) => Self::PublicSuffix,
        }
    }
}

/// Schemes that run code or read files.
const FORBIDDEN_SCHEMES: [&str; 6] = ["javascript", "data", "vbscript", "file", "blob", "about"];

impl RedirectAllowList {
    /// Adds a pattern: `https://*.example.com/**`, `myapp://callback`. False when it cannot be parsed or covers a public
    /// suffix: `https://*.com/**`.
    pub fn allow(&mut self, text: &str) -> bool {
        let read = AllowedUrl::read(text).filter(|allowed| allowed.reach != Reach::PublicSuffix);
        let good = read.is_some();
        self.0.extend(read);
        good
    }

    /// Patterns with a wildcard before a single label that is no known public suffix: a name of an internal network, or a
    /// mistake.
    pub fn unknown_suffixes(&self) -> Vec<&str> {
        self.0
            .iter()
            .filter(|allowed| allowed.reach == Reach::UnknownSuffix)
            .map(|allowed| allowed.text.as_str())
            .collect()
    }

    /// The normalised URL, if it is ours, allowed, or on loopback while the portal is too.
    pub fn allowed(&self, own: &str, text: &str) -> Option<String> {
        let url = Url::parse(text.trim()).ok()?;
        let own = Url::parse(own).ok()?;
        let plain = url.username().is_empty() && url.password().is_none() && !FORBIDDEN_SCHEMES.contains(&url.scheme());
        let host = url.host().filter(|_| plain)?;
        let ours = url.scheme() == own.scheme()
            && Some(&host) == own.host().as_ref()
            && (url.port_or_known_default() == own.port_or_known_default() || is_loopback(&host));
        let web = matches!(url.scheme(), "http" | "https");
        // A loopback redirect is allowed only where the portal itself is on loopback: elsewhere it leads to the visitor's machine.
        let here = own.host().is_some_and(|own| is_loopback(&own));
        let public_address = matches!(host, Host::Ipv4(_) | Host::Ipv6(_)) && !is_loopback(&host);
        let good = match host {
            // An IPv4 address can be written in many forms; only dotted decimal is accepted.
            Host::Ipv4(ip) if !text.trim().to_ascii_lowercase().contains(&format!("://{ip}")) => return None,
            _ if ours => true,
            Host::Ipv4(_) | Host::Ipv6(_) => here && web && is_loopback(&host),
            Host::Domain(_) => false,
        };
        let named = !public_address && self.0.iter().any(|allowed| allowed.matches(&url));
        (good || named).then(|| url.to_string())
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
    }
}

impl AllowedUrl {
    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.trim().split_once("://")?;
        let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
        let (host, port) = match authority.rsplit_once(':') {
            // A colon within brackets is a part of an IPv6 address.
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let scheme = scheme.to_ascii_lowercase();
        let known = scheme.starts_with(|c: char| c.is_ascii_lowercase())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
            && !FORBIDDEN_SCHEMES.contains(&scheme.as_str());
        // A pattern for every host would be an open redirect.
        let narrow = host.bytes().any(|b| b.is_ascii_alphanumeric()) && !host.contains(['@', '?', '#', '\\']);
        if !known || !narrow {
            return None;
        }
        let host = host.to_ascii_lowercase();
        let is_ipv6 = host.starts_with('[');
        Some(Self {
            text: text.trim().to_owned(),
            reach: if matches!(scheme.as_str(), "http" | "https") { Reach::of(&host) } else { Reach::OneDomain },
            scheme,
            host: glob_matcher(&if is_ipv6 { globset::escape(&host) } else { host.replace('.', "/") })?,
            port: match port {
                Some(port) => Some(glob_matcher(port)?),
                None => None,
            },
            path: glob_matcher(&format!("/{path}"))?,
        })
    }

    fn matches(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or("").to_ascii_lowercase().replace('.', "/");
        let port = match &self.port {
            Some(port) => url.port_or_known_default().is_some_and(|found| port.is_match(found.to_string())),
            None => url.port().is_none(),
        };
        let path = if url.path().is_empty() { "/" } else { url.path() };
        self.scheme == url.scheme() && port && self.host.is_match(host) && self.path.is_match(path)
    }
}

fn glob_matcher(glob: &str) -> Option<GlobMatcher> {
    Some(GlobBuilder::new(glob).literal_separator(true).build().ok()?.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str]) -> RedirectAllowList {
        let mut rules = RedirectAllowList::default();
        for one in allow {
            assert!(rules.allow(one), "{one}");
        }
        rules
    }

    const OWN: &str = "https://portal.example.com";

    #[test]
    fn own_urls_and_loopback_are_allowed() {
        let rules = rules(&[]);
        for good in [
            "https://portal.example.com",
            "https://portal.example.com/auth/reset-password?x=1#y",
            "https://portal.example.com:443/",
            "HTTPS://PORTAL.example.com/a",
        ] {
            assert!(rules.allowed(OWN, good).is_some(), "{good}");
        }
        let loopback = ["http://127.0.0.1:3000/callback", "http://[::1]:3000/callback", "https://127.0.0.9/"];
        for to in loopback {
            for own in ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"] {
                assert!(rules.allowed(own, to).is_some(), "{to} of {own}");
            }
            for own in [OWN, "http://10.0.0.5:8080"] {
                assert_eq!(rules.allowed(own, to), None, "{to} of {own}");
            }
        }
        let named =
            super::tests::rules(&["http://127.0.0.1:*/**", "http://[::1]:3000/callback", "http://localhost:5173/**"]);
        for to in ["http://127.0.0.1:3000/callback", "http://[::1]:3000/callback", "http://localhost:5173/x"] {
            assert!(named.allowed(OWN, to).is_some(), "{to}");
        }
        for to in ["http://127.0.0.2:3000/", "http://[::1]:3001/callback", "http://127.1:3000/", "http://10.0.0.9:1/"] {
            assert_eq!(named.allowed(OWN, to), None, "{to}");
        }
        let local = |to: &str| rules.allowed("http://localhost:8080", to).is_some();
        assert!(local("http://localhost:3000/x") && !local("https://localhost:3000/x"));
        assert!(rules.allowed("http://10.0.0.5:8080", "http://10.0.0.5:8080/x").is_some());
    }

    #[test]
    fn foreign_and_malformed_urls_are_refused() {
        let rules = rules(&["https://*.example.org/**"]);
        for wrong in [
            "",
            "/dashboard",
            "//evil.example",
            "evil.example",
            "http://portal.example.com",
            "https://portal.example.com:8443/",
            "https://portal.example.com.evil.example/",
            "https://portal.example.com@evil.example/",
            "https://user:secret@portal.example.com/",
            "https://evil.example/?x=https://portal.example.com",
            "https://evil.example#.example.org/",
            "https://evil.example?.example.org/",
            "https://evil.example\\.example.org/",
            "https://example.org/",
            "https://a.b.example.org/",
            "http://a.example.org/",
            "https://a.example.org:8443/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://127.0.0.1:9999/steal",
            "http://[::1]:9999/steal",
            "http://localhost:9999/steal",
            "http://192.168.0.1/",
            "http://[2001:db8::1]/",
            "ftp://127.0.0.1/",
            "javascript:alert(1)",
            "javascript://portal.example.com/%0aalert(1)",
            "data:text/html,x",
        ] {
            assert_eq!(rules.allowed(OWN, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn operator_patterns_match_scheme_host_and_path() {
        let rules = rules(&[
            "https://*.example.org/**",
            "https://app.example.net/welcome",
            "http://localhost:*/**",
            "com.example.app://callback",
            "https://**.preview.example/*",
        ]);
        for good in [
            "https://a.example.org/",
            "https://a.example.org/x/y?z=1#f",
            "https://app.example.net/welcome?flow=1",
            "http://localhost:5173/x",
            "com.example.app://callback",
            "com.example.app://callback?x=1",
            "https://a.b.preview.example/one",
        ] {
            assert!(rules.allowed(OWN, good).is_some(), "{good}");
        }
        for wrong in [
            "https://app.example.net/",
            "https://app.example.net/welcome/x",
            "com.example.app://other",
            "https://a.preview.example/one/two",
        ] {
            assert_eq!(rules.allowed(OWN, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn wildcards_over_public_suffixes_are_refused_and_over_unknown_ones_reported() {
        for wrong in [
            "https://*.com/**",
            "https://**.com/**",
            "https://*.co.uk/**",
            "https://*.github.io/**",
            "https://*example.com/**",
            "https://exam*.com/x",
            "https://portal.*/**",
            "https://app.*.com/**",
            "https://exampl[a-z].com/**",
            "http://*.org:*/**",
            "https://*.COM/**",
        ] {
            assert!(!RedirectAllowList::default().allow(wrong), "{wrong}");
        }
        let rules = rules(&[
            "https://*.example.com/**",
            "https://*.example.co.uk/**",
            "https://{app,www}.example.com/**",
            "https://preview-*.example.com/**",
            "https://office.github.io/**",
            "https://*.corp/**",
            "http://localhost:*/**",
            "com.example.app://callback",
        ]);
        assert_eq!(rules.unknown_suffixes(), ["https://*.corp/**"]);
    }

    #[test]
    fn patterns_for_every_host_are_refused() {
        for wrong in
            ["", "example.org", "https://*", "https://**/x", "javascript://x", "https://*:443/", "1x://a", "https://a{"]
        {
            assert!(!RedirectAllowList::default().allow(wrong), "{wrong}");
        }
    }
}

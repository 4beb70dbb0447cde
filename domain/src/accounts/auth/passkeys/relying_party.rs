//! The WebAuthn relying party: its id and only origin are those of the public URL.
use crate::{
    kernel::{
        ctx::Ctx,
        error::{Error, Result},
    },
    platform::settings,
};
use url::{Host, Url};
use webauthn_rs::{Webauthn, WebauthnBuilder};

/// Why browsers offer no passkeys under a public URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// Credentials are bound to a domain; an IP address is none.
    NoDomain,
    /// `http` to another host than localhost.
    NotSecure,
}

/// Checks that browsers offer passkeys under this URL.
///
/// # Errors
/// The reason, if not.
pub fn check(public_url: &str) -> Result<Url, Unsupported> {
    let url = Url::parse(public_url).map_err(|_| Unsupported::NoDomain)?;
    let Some(Host::Domain(domain)) = url.host() else { return Err(Unsupported::NoDomain) };
    let is_local = domain == "localhost" || domain.ends_with(".localhost");
    if url.scheme() == "https" || is_local { Ok(url) } else { Err(Unsupported::NotSecure) }
}

/// # Errors
/// Conflict `passkey_disabled` under a URL that passkeys do not work with.
pub(super) async fn load(ctx: &Ctx) -> Result<Webauthn> {
    let url = check(&ctx.options.public_url).map_err(|_| Error::conflict("passkey_disabled"))?;
    let settings = settings::get(ctx).await?;
    let domain = url.domain().unwrap_or_default();
    let builder = WebauthnBuilder::new(domain, &url).map_err(Error::internal)?;
    builder.rp_name(settings.brand()).build().map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_a_domain_and_a_secure_origin() {
        for (url, found) in [
            ("https://portal.example.com", None),
            ("https://portal.example.com:8443", None),
            ("http://localhost:8080", None),
            ("http://portal.localhost:8080", None),
            ("http://portal.example.com", Some(Unsupported::NotSecure)),
            ("http://127.0.0.1:8080", Some(Unsupported::NoDomain)),
            ("https://192.0.2.7", Some(Unsupported::NoDomain)),
            ("https://[2001:db8::7]", Some(Unsupported::NoDomain)),
            ("nonsense", Some(Unsupported::NoDomain)),
        ] {
            assert_eq!(check(url).err(), found, "{url}");
        }
    }
}

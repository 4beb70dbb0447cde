//! OpenID providers: each needs both client id and secret, or neither.
use super::{Reader, list, non_empty};
use api::{ProviderKind, ProviderSettings};

/// The names of one provider's settings.
struct Names {
    kind: ProviderKind,
    client_id: &'static str,
    client_secret: &'static str,
    issuer: &'static str,
    domains: &'static str,
}

const NAMES: [Names; 2] = [
    Names {
        kind: ProviderKind::Google,
        client_id: "oidc_google_client_id",
        client_secret: "oidc_google_client_secret",
        issuer: "oidc_google_issuer",
        domains: "oidc_google_domains",
    },
    Names {
        kind: ProviderKind::Microsoft,
        client_id: "oidc_microsoft_client_id",
        client_secret: "oidc_microsoft_client_secret",
        issuer: "oidc_microsoft_issuer",
        domains: "oidc_microsoft_domains",
    },
];

/// The configured providers. Adds an error for an incomplete one.
pub fn read(read: &mut Reader<'_>) -> Vec<ProviderSettings> {
    NAMES.iter().filter_map(|names| read_provider(read, names)).collect()
}

fn read_provider(read: &mut Reader<'_>, names: &Names) -> Option<ProviderSettings> {
    let before = read.errors.len();
    let id = read.optional(names.client_id, "the client id that the provider gave you", non_empty);
    let secret = read.optional(names.client_secret, "the client secret that the provider gave you", non_empty);
    let issuer =
        read.with_default(names.issuer, "the address of an OpenID provider, like https://login.example.com", |text| {
            ProviderSettings::is_issuer(text).then(|| text.to_owned())
        });
    let domains = read.optional(names.domains, "domains separated by commas, like example.com,example.org", |text| {
        list(text, |one| ProviderSettings::is_domain(one).then(|| one.to_owned()))
    });
    match (id, secret) {
        (Some(id), Some(secret)) => {
            Some(ProviderSettings::new(names.kind, id, secret, issuer, domains.unwrap_or_default()))
        }
        // The error has been added.
        _ if read.errors.len() > before => None,
        (None, None) => {
            for other in [names.issuer, names.domains] {
                if let Some(found) = read.sources.find(other) {
                    let (id, secret) = (names.client_id, names.client_secret);
                    read.errors.push(format!("{other}: set in {}, but {id} and {secret} are not", found.source));
                }
            }
            None
        }
        (None, Some(_)) => {
            read.errors
                .push(format!("{}: not set, but {} is; set both or neither", names.client_id, names.client_secret));
            None
        }
        (Some(_), None) => {
            read.errors
                .push(format!("{}: not set, but {} is; set both or neither", names.client_secret, names.client_id));
            None
        }
    }
}

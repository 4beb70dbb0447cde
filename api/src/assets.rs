//! The built web app: its files, and its one page for every address that the app knows.
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::{
    kernel::{clock::Chance, hex},
    platform::settings::Pages,
};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::borrow::Cow;

/// Every address that is a page. `:` stands for one segment. Any other answers 404, with the same page, which
/// then shows its own 404 (decision 31).
pub const CLIENT_ROUTES: &[&str] = &[
    "/",
    "/about",
    "/auth/confirm",
    "/auth/forgot-password",
    "/auth/login/client",
    "/auth/login/company",
    "/auth/login/employee",
    "/auth/login/iso",
    "/auth/mfa",
    "/auth/mfa-setup",
    "/auth/new-password",
    "/auth/portal-selector",
    "/auth/reset-password",
    "/auth/signup",
    "/auth/signup/client",
    "/auth/signup/company",
    "/auth/signup/employee",
    "/auth/signup/iso",
    "/careers",
    "/contact",
    "/docs/api",
    "/help",
    "/pricing",
    "/privacy",
    "/security",
    "/success",
    "/unsubscribe",
    // Portals.
    "/admin-dashboard",
    "/admin-dashboard/analytics",
    "/admin-dashboard/backups",
    "/admin-dashboard/jobs",
    "/admin-dashboard/logs",
    "/admin-dashboard/notifications",
    "/admin-dashboard/preferences",
    "/admin-dashboard/security",
    "/admin-dashboard/security-settings",
    "/admin-dashboard/settings",
    "/admin-dashboard/users",
    "/admin-dashboard/users/:",
    "/client-dashboard",
    "/client-dashboard/activity",
    "/client-dashboard/documents",
    "/client-dashboard/documents/:",
    "/client-dashboard/orders",
    "/client-dashboard/orders/:",
    "/client-dashboard/billing",
    "/client-dashboard/billing/:",
    "/client-dashboard/messages",
    "/client-dashboard/requests",
    "/client-profile",
    "/company-dashboard",
    "/company-dashboard/clients",
    "/company-dashboard/employees",
    "/company-dashboard/analytics",
    "/company-dashboard/finances",
    "/company-dashboard/notifications",
    "/company-dashboard/reports",
    "/company-dashboard/requests",
    "/company-dashboard/security",
    "/company-dashboard/settings",
    "/company-dashboard/spv",
    "/employee-dashboard",
    "/employee-dashboard/calls",
    "/employee-dashboard/commissions",
    "/employee-dashboard/commissions/payouts",
    "/employee-dashboard/documents",
    "/employee-dashboard/documents/:",
    "/employee-dashboard/security",
    "/employee-dashboard/invoices",
    "/employee-dashboard/invoices/:",
    "/employee-dashboard/leads",
    "/employee-dashboard/messages",
    "/employee-dashboard/notifications",
    "/employee-dashboard/preferences",
    "/employee-dashboard/orders/:",
    "/employee-dashboard/requests",
    "/employee-dashboard/tasks",
    "/employee-dashboard/templates",
    "/employee-portal",
    "/request-management",
    "/request-management/:",
    "/iso-dashboard",
    "/iso-dashboard/calls",
    "/iso-dashboard/clients",
    "/iso-dashboard/clients/:",
    "/iso-dashboard/commissions",
    "/iso-dashboard/commissions/statement",
    "/iso-dashboard/leads",
    "/iso-dashboard/notifications",
    "/iso-dashboard/profile",
    "/iso-dashboard/requests",
    "/iso-dashboard/security",
    // Short or old addresses, and those that lead to a namesake in the portal (decision 31).
    "/admin",
    "/admin/users",
    "/analytics",
    "/auth/client-login",
    "/clients",
    "/employees",
    "/finances",
    "/reports",
];

const NONCE: &str = "__CSP_NONCE__";
const POLICY: [&str; 2] = [
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-elem 'self' 'nonce-",
    "'; style-src-attr 'none'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
];

#[derive(RustEmbed)]
#[folder = "../web/dist"]
struct Built;

/// The text of a page that is the operator's to write, by its address; none for every other address.
pub fn operators_text<'p>(path: &str, pages: &'p Pages) -> Option<&'p Option<String>> {
    match path.trim_end_matches('/') {
        "/careers" => Some(&pages.careers),
        "/pricing" => Some(&pages.pricing),
        "/privacy" => Some(&pages.privacy),
        _ => None,
    }
}

/// The file at `path`, or the page; `empty` says that the page has no text, and then there is none (decision 31).
pub fn answer(chance: &Chance, path: &str, headers: &HeaderMap, empty: bool) -> Response {
    let name = path.trim_start_matches('/');
    let hidden = name.split('/').any(|part| part.starts_with('.'));
    let wants_file = name != "index.html" && !hidden && !is_compressed_twin(name);
    match Built::get(name).filter(|_| wants_file) {
        Some(plain) => file(name, plain, headers),
        // A script of yesterday's build is not a page: a browser would stumble over its markup.
        None if name.starts_with("assets/") => StatusCode::NOT_FOUND.into_response(),
        None => page(chance, if is_client_route(path) && !empty { StatusCode::OK } else { StatusCode::NOT_FOUND }),
    }
}

/// `x.js.br` beside `x.js` is another form of it, and no file of its own.
fn is_compressed_twin(name: &str) -> bool {
    name.ends_with(".br") || name.ends_with(".gz")
}

fn file(name: &str, plain: EmbeddedFile, headers: &HeaderMap) -> Response {
    let hash = plain.metadata.sha256_hash();
    let tag = format!("\"{}\"", hex::of(&hash[..8]));
    let mut response = if headers.get(header::IF_NONE_MATCH).is_some_and(|seen| seen.as_bytes() == tag.as_bytes()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (body, encoding) = smallest(name, plain.data, headers);
        let mut response = Response::new(body);
        if let Some(encoding) = encoding {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    };
    let out = response.headers_mut();
    let kind = HeaderValue::from_str(plain.metadata.mimetype());
    out.insert(header::CONTENT_TYPE, kind.unwrap_or(HeaderValue::from_static("application/octet-stream")));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    // What lies in /assets has its content's hash in its name and never changes.
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        out.insert(header::ETAG, tag);
    }
    response
}

/// The build wrote `.br` and `.gz` beside each text; the best one that the browser takes is sent.
fn smallest(name: &str, plain: Cow<'static, [u8]>, headers: &HeaderMap) -> (Body, Option<&'static str>) {
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(twin) = Built::get(&format!("{name}.{ending}"))
        {
            return (body(twin.data), Some(encoding));
        }
    }
    (body(plain), None)
}

fn body(data: Cow<'static, [u8]>) -> Body {
    match data {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    }
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let offered = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    offered.flat_map(|line| line.split(',')).any(|offer| {
        let (name, rest) = offer.split_once(';').unwrap_or((offer, ""));
        let refused = rest.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case(encoding) && !refused
    })
}

/// The one page, with a nonce of its own in the policy and in its style tags.
fn page(chance: &Chance, status: StatusCode) -> Response {
    let nonce = BASE64_STANDARD.encode(chance.bytes::<16>());
    let html = Built::get("index.html").map_or_else(Vec::new, |file| file.data.into_owned());
    let html = String::from_utf8_lossy(&html).replace(NONCE, &nonce);
    let mut response = (status, Body::from(html)).into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(policy) = HeaderValue::from_str(&POLICY.join(&nonce)) {
        out.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn is_client_route(path: &str) -> bool {
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    CLIENT_ROUTES.iter().any(|route| {
        *route == path
            || route.strip_suffix(':').is_some_and(|start| {
                path.strip_prefix(start).is_some_and(|last| !last.is_empty() && !last.contains('/'))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_and_everything_else_is_not() {
        for known in ["/", "/clients", "/auth/login/iso", "/client-dashboard/orders/6f0d2f4e", "/about/"] {
            assert!(is_client_route(known), "{known}");
        }
        for unknown in ["/nothing", "/client-dashboard/orders/1/2", "/auth/login", "//"] {
            assert!(!is_client_route(unknown), "{unknown}");
        }
    }

    #[test]
    fn an_encoding_is_taken_unless_refused() {
        let of = |text: &str| accepts(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, text.parse().unwrap())]), "br");
        assert!(of("gzip, deflate, br, zstd") && of("BR;q=0.5"));
        assert!(!of("gzip") && !of("br;q=0") && !of(""));
    }
}

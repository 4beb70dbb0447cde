//! The web app: embedded files, and `index.html` for every client route.
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::{
    kernel::{clock::RandomSource, hex},
    platform::settings::Pages,
};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::borrow::Cow;

/// Client routes; `:` matches one segment. Any other path answers 404 with the same page, which then shows its own 404
/// (public pages, decision 31).
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
    "/auth/secure-account",
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
    "/admin-dashboard/approvals",
    "/admin-dashboard/backups",
    "/admin-dashboard/imports",
    "/admin-dashboard/jobs",
    "/admin-dashboard/logs",
    "/admin-dashboard/notifications",
    "/admin-dashboard/outbox",
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
    "/company-dashboard/spv/:",
    "/employee-dashboard",
    "/employee-dashboard/calls",
    "/employee-dashboard/clients",
    "/employee-dashboard/clients/:",
    "/employee-dashboard/commissions",
    "/employee-dashboard/commissions/payouts",
    "/employee-dashboard/commissions/payouts/:",
    "/employee-dashboard/companies",
    "/employee-dashboard/companies/:",
    "/employee-dashboard/documents",
    "/employee-dashboard/documents/:",
    "/employee-dashboard/security",
    "/employee-dashboard/invoices",
    "/employee-dashboard/invoices/:",
    "/employee-dashboard/isos",
    "/employee-dashboard/isos/:",
    "/employee-dashboard/leads",
    "/employee-dashboard/messages",
    "/employee-dashboard/notifications",
    "/employee-dashboard/preferences",
    "/employee-dashboard/price-list",
    "/employee-dashboard/orders/:",
    "/employee-dashboard/requests",
    "/employee-dashboard/spvs",
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
    "/iso-dashboard/orders/:",
    "/iso-dashboard/profile",
    "/iso-dashboard/requests",
    "/iso-dashboard/security",
    // Short or old paths, and those that redirect to the page of that name in a portal (decision 31).
    "/admin",
    "/admin/users",
    "/analytics",
    "/auth/client-login",
    "/clients",
    "/employees",
    "/finances",
    "/reports",
];

/// How URLs begin in attributes of the built page (`base: './'` in `vite.config.ts`): relative to the base path.
const RELATIVE_URL: &str = "=\"./";
const NONCE_PLACEHOLDER: &str = "__CSP_NONCE__";
/// Content security policy of the page, around its nonce.
const PAGE_POLICY: [&str; 2] = [
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-elem 'self' 'nonce-",
    "'; style-src-attr 'none'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
];

#[derive(RustEmbed)]
#[folder = "../web/dist"]
struct Dist;

/// The text of a page that the operator writes; none for other paths.
pub fn operator_text<'p>(path: &str, pages: &'p Pages) -> Option<&'p Option<String>> {
    match path.trim_end_matches('/') {
        "/careers" => Some(&pages.careers),
        "/pricing" => Some(&pages.pricing),
        "/privacy" => Some(&pages.privacy),
        _ => None,
    }
}

/// The file at `path`, or the page for `base_path`. A page that the operator has not written (`empty`) answers 404
/// (decision 31).
pub fn serve(random: &RandomSource, base_path: &str, path: &str, headers: &HeaderMap, empty: bool) -> Response {
    let name = path.trim_start_matches('/');
    let hidden = name.split('/').any(|part| part.starts_with('.'));
    let wants_file = name != "index.html" && !hidden && !is_precompressed(name);
    match Dist::get(name).filter(|_| wants_file) {
        Some(plain) => file(name, plain, headers),
        // A script of an older build must not be answered with HTML.
        None if name.starts_with("assets/") => StatusCode::NOT_FOUND.into_response(),
        None => {
            let status = if is_client_route(path) && !empty { StatusCode::OK } else { StatusCode::NOT_FOUND };
            page(random, base_path, status)
        }
    }
}

/// `x.js.br` beside `x.js` is an encoding of it, not a file of its own.
fn is_precompressed(name: &str) -> bool {
    name.ends_with(".br") || name.ends_with(".gz")
}

fn file(name: &str, plain: EmbeddedFile, headers: &HeaderMap) -> Response {
    let hash = plain.metadata.sha256_hash();
    let tag = format!("\"{}\"", hex::of(&hash[..8]));
    let mut response = if headers.get(header::IF_NONE_MATCH).is_some_and(|seen| seen.as_bytes() == tag.as_bytes()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (body, encoding) = best_encoding(name, plain.data, headers);
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
    // Names in /assets contain a hash of the content.
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        out.insert(header::ETAG, tag);
    }
    response
}

/// The precompressed file (`.br`, `.gz`) that the browser accepts, or the plain one.
fn best_encoding(name: &str, plain: Cow<'static, [u8]>, headers: &HeaderMap) -> (Body, Option<&'static str>) {
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(encoded) = Dist::get(&format!("{name}.{ending}"))
        {
            return (body(encoded.data), Some(encoding));
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

/// `index.html` with a fresh nonce in the policy and its style tags, and URLs below the base path.
fn page(random: &RandomSource, base_path: &str, status: StatusCode) -> Response {
    let nonce = BASE64_STANDARD.encode(random.bytes::<16>());
    let html = Dist::get("index.html").map_or_else(Vec::new, |file| file.data.into_owned());
    let html = String::from_utf8_lossy(&html)
        .replace(RELATIVE_URL, &format!("=\"{base_path}/"))
        .replace(NONCE_PLACEHOLDER, &nonce);
    let mut response = (status, Body::from(html)).into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(policy) = HeaderValue::from_str(&PAGE_POLICY.join(&nonce)) {
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
    fn client_routes_match_exact_paths_and_one_segment() {
        for known in ["/", "/clients", "/auth/login/iso", "/client-dashboard/orders/6f0d2f4e", "/about/"] {
            assert!(is_client_route(known), "{known}");
        }
        for unknown in ["/nothing", "/client-dashboard/orders/1/2", "/auth/login", "//"] {
            assert!(!is_client_route(unknown), "{unknown}");
        }
    }

    #[test]
    fn encodings_are_accepted_unless_q_is_0() {
        let of = |text: &str| accepts(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, text.parse().unwrap())]), "br");
        assert!(of("gzip, deflate, br, zstd") && of("BR;q=0.5"));
        assert!(!of("gzip") && !of("br;q=0") && !of(""));
    }
}

//! Base path: serves the portal below a path of a host, as in `https://example.com/portal`.
use crate::assets::CLIENT_ROUTES;
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Uri, header, uri::PathAndQuery},
    middleware::Next,
    response::Response,
};
use std::sync::Arc;

/// First segments of paths that are no client routes.
const SERVER_SEGMENTS: [&str; 7] = ["assets", "functions", "healthz", "readyz", "realtime", "rest", "storage"];

/// Whether the portal can be served below `path`: empty, or segments of unreserved characters. The first must not be one of
/// the portal's own: a request for `/auth/…` without the prefix would look like one with it.
pub fn is_base_path(path: &str) -> bool {
    let is_own = |segment: &str| {
        let mut client = CLIENT_ROUTES.iter().filter_map(|route| route.split('/').nth(1));
        SERVER_SEGMENTS.contains(&segment) || client.any(|own| own == segment)
    };
    let is_plain = |segment: &str| {
        !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b))
    };
    path.is_empty()
        || path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_plain))
            && path.split('/').nth(1).is_some_and(|first| !is_own(first))
}

/// Serves `router` with the base path and without it: a reverse proxy passes the prefix on or strips it.
pub fn below(base: &str, router: Router) -> Router {
    if base.is_empty() {
        return router;
    }
    // Around a router: its own layers run after a route was matched.
    Router::new()
        .fallback_service(router)
        .layer(axum::middleware::from_fn_with_state(Arc::<str>::from(base), strip_and_restore))
}

/// Strips the base path from the request and restores it in `Location`.
async fn strip_and_restore(State(base): State<Arc<str>>, mut request: Request, next: Next) -> Response {
    if let Some(stripped) = strip(request.uri(), &base) {
        *request.uri_mut() = stripped;
    }
    let mut response = next.run(request).await;
    restore(response.headers_mut(), &base);
    response
}

/// The URI without the base path; none outside it.
fn strip(uri: &Uri, base: &str) -> Option<Uri> {
    let path = match uri.path().strip_prefix(base)? {
        "" => "/",
        path if path.starts_with('/') => path,
        _ => return None,
    };
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{query}")).ok()?);
    Uri::from_parts(parts).ok()
}

/// Puts the base path before a path in `Location`; absolute URLs are made of the public URL.
fn restore(headers: &mut HeaderMap, base: &str) {
    let path = headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
    let path = path.filter(|location| location.starts_with('/') && !location.starts_with("//"));
    if let Some(location) = path.and_then(|path| HeaderValue::from_str(&format!("{base}{path}")).ok()) {
        headers.insert(header::LOCATION, location);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_paths_have_plain_segments_and_none_of_our_own_first() {
        for good in ["", "/portal", "/office/portal", "/portal/auth", "/spv-2.0_x~y"] {
            assert!(is_base_path(good), "{good}");
        }
        for wrong in ["portal", "/", "/portal/", "//portal", "/a b", "/a%20b", "/auth", "/rest/x", "/client-dashboard"]
        {
            assert!(!is_base_path(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_base_path_is_stripped_once_and_as_whole_segments() {
        let stripped = |uri: &str| strip(&uri.parse().unwrap(), "/portal").map(|uri| uri.to_string());
        for (uri, path) in [
            ("/portal", "/"),
            ("/portal/", "/"),
            ("/portal?x=1", "/?x=1"),
            ("/portal/rest/v1/me?a=/portal", "/rest/v1/me?a=/portal"),
            ("/portal/portal/x", "/portal/x"),
            ("http://example.com/portal/x", "http://example.com/x"),
        ] {
            assert_eq!(stripped(uri).as_deref(), Some(path), "{uri}");
        }
        for outside in ["/", "/portals", "/rest/v1/me", "/x/portal"] {
            assert_eq!(stripped(outside), None, "{outside}");
        }
    }
}

//! Concurrency limit per person for PDFs, exports and reports: each keeps a processor or the database busy.
use crate::{body::observe, error::ApiError, extract::bearer, request_meta::RequestMeta, state::AppState};
use axum::{
    extract::Request,
    http::Method,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::Error;

const RETRY_AFTER_SECONDS: u64 = 2;

/// Whether a route under `/rest/v1` makes a PDF, an export or a report.
pub fn is_export(path: &str) -> bool {
    let Some(path) = path.strip_prefix("/rest/v1/") else { return false };
    path == "reports"
        || [".csv", ".xlsx", "/csv", "/xlsx", "/pdf"].iter().any(|ending| path.trim_end_matches('/').ends_with(ending))
}

/// Runs the request; answers an export with 429 while its person runs as many as allowed. The permit is held until the
/// response is sent or dropped, because most exports are computed while they are sent.
pub async fn run(app: &AppState, request: Request, next: Next, meta: &RequestMeta) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !is_export(request.uri().path()) {
        return next.run(request).await;
    }
    let user = match bearer(request.headers()) {
        // The handler refuses a wrong token.
        Some(token) => app.authenticate(token).await.ok(),
        None => None,
    };
    if let Some(user) = &user {
        meta.set_signed_in(user);
    }
    let Some(permit) = app.running_exports.try_acquire(user.map(|user| user.id)) else {
        return ApiError::from(Error::RateLimited(RETRY_AFTER_SECONDS)).into_response();
    };
    let response = next.run(request).await;
    response.map(|body| {
        observe(body, move |_| {
            let _held = &permit;
        })
    })
}

#[cfg(test)]
mod tests {
    use super::is_export;

    #[test]
    fn every_route_that_returns_a_generated_file_is_limited() {
        let document: serde_json::Value = serde_json::from_str(crate::openapi()).unwrap();
        let kinds =
            ["text/csv", "application/pdf", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];
        let mut seen = 0;
        for (path, operations) in document["paths"].as_object().unwrap() {
            let Some(content) = operations["get"]["responses"]["200"]["content"].as_object() else { continue };
            let is_file = content.keys().any(|kind| kinds.contains(&kind.as_str()));
            assert_eq!(is_export(path), is_file || path == "/rest/v1/reports", "{path}");
            seen += usize::from(is_file);
        }
        assert!(seen > 10, "{seen} routes make files");
    }
}

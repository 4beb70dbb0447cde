//! Concurrency limit per person for PDFs, exports and reports: each of them keeps a processor or the database busy.
use crate::{body::observe, error::ApiError, extract::bearer, middleware::About, state::App};
use axum::{
    extract::Request,
    http::Method,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::Error;
use std::sync::Arc;

/// How many of them one person runs at once.
pub const MAX_EXPORTS_PER_PERSON: usize = 4;
/// Seconds after which one more may be tried.
const RETRY_AFTER: u64 = 2;

/// Whether a route under `/rest/v1` makes a PDF, an export or a report.
pub fn is_export(path: &str) -> bool {
    let Some(path) = path.strip_prefix("/rest/v1/") else { return false };
    path == "reports"
        || [".csv", ".xlsx", "/csv", "/xlsx", "/pdf"].iter().any(|ending| path.trim_end_matches('/').ends_with(ending))
}

/// Runs the request; refuses an export with 429 while its person has as many under way as they may. The permit is held
/// until the answer is sent or dropped, as most are made while they are sent.
pub async fn limited(app: &App, request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !is_export(request.uri().path()) {
        return next.run(request).await;
    }
    let person = match bearer(request.headers()) {
        // A wrong token is the handler's to refuse.
        Some(token) => app.who(token).await.ok(),
        None => None,
    };
    if let (Some(person), Some(about)) = (&person, request.extensions().get::<Arc<About>>()) {
        let _ = about.signed_in.set(person.clone());
    }
    let Some(permit) = app.exports.place_of(person.map(|person| person.id)) else {
        return ApiError::from(Error::TooMany(RETRY_AFTER)).into_response();
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
    fn every_route_that_answers_with_a_file_made_on_request_is_an_export() {
        let document: serde_json::Value = serde_json::from_str(&crate::openapi()).unwrap();
        let made = ["text/csv", "application/pdf", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];
        let mut seen = 0;
        for (path, operations) in document["paths"].as_object().unwrap() {
            let Some(content) = operations["get"]["responses"]["200"]["content"].as_object() else { continue };
            let is_file = content.keys().any(|kind| made.contains(&kind.as_str()));
            assert_eq!(is_export(path), is_file || path == "/rest/v1/reports", "{path}");
            seen += usize::from(is_file);
        }
        assert!(seen > 10, "{seen} routes make files");
    }
}

//! The shapes of good answers: a row with its version, a new row with its address, a page of a list.
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

/// One row. Its version is the `ETag`, to be sent back as `If-Match` with a change.
#[derive(Debug)]
pub struct Row<T> {
    pub version: i64,
    pub view: T,
}

impl<T: Serialize> IntoResponse for Row<T> {
    fn into_response(self) -> Response {
        let mut response = json(&self.view);
        tag(&mut response, self.version);
        response
    }
}

/// A row that was made, or had been made before by the same `Idempotency-Key`.
#[derive(Debug)]
pub struct Made<T> {
    /// Where the row is from now on.
    pub location: String,
    pub version: i64,
    pub view: T,
}

impl<T: Serialize> IntoResponse for Made<T> {
    fn into_response(self) -> Response {
        let mut response = json(&self.view);
        *response.status_mut() = StatusCode::CREATED;
        tag(&mut response, self.version);
        if let Ok(location) = HeaderValue::from_str(&self.location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

/// A row is a few kilobytes: room for it is made once.
fn json(view: &impl Serialize) -> Response {
    let mut body = Vec::with_capacity(4_096);
    serde_json::to_writer(&mut body, view).expect("a view is plain data");
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

fn tag(response: &mut Response, version: i64) {
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
}

/// A page of a list. The next one is asked for with `?cursor=`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// None on the last page.
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    pub fn of<R>(page: domain::page::Page<R>, view: impl FnMut(R) -> T) -> Self {
        let page = page.map(view);
        Self { items: page.items, next_cursor: page.next_cursor }
    }
}

/// A short list that has no pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Items<T> {
    pub items: Vec<T>,
}

/// A person's name, of whom a row may have none.
pub fn full_name(first: Option<String>, last: Option<String>) -> Option<String> {
    Some(format!("{} {}", first?, last?))
}

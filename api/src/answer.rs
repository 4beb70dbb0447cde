//! The shapes of good answers: a row with its version, a new row with its address, a page of a list.
use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
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

/// Anything else as JSON.
#[derive(Debug)]
pub struct Answer<T>(pub T);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        json(&self.0)
    }
}

/// A serialized view, as a cache keeps it; cheap to clone.
#[derive(Clone, Debug)]
pub struct Json(Bytes);

impl Json {
    pub fn of(view: &impl Serialize) -> Self {
        Self(serde_json::to_vec(view).expect("a view is plain data").into())
    }
}

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], self.0).into_response()
    }
}

/// A row is a few kilobytes: room for it is made once. axum's own answer writes every word through a buffer that checks
/// for room each time, which was a tenth of what a page of fifty orders costs.
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
    pub fn of<R>(page: domain::kernel::page::Page<R>, view: impl FnMut(R) -> T) -> Self {
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

/// An instant as chrono writes it, but as one piece: by itself it hands over every digit to be looked at for what JSON has
/// to escape.
///
/// # Errors
/// What the serializer refuses.
pub fn instant<S: Serializer>(at: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&at.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// The same of one that there may not be.
///
/// # Errors
/// As [`instant`].
pub fn maybe_instant<S: Serializer>(at: &Option<DateTime<Utc>>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => instant(at, to),
        None => to.serialize_none(),
    }
}

/// A day, likewise.
///
/// # Errors
/// As [`instant`].
pub fn day<S: Serializer>(day: &NaiveDate, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&day.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Ours {
        #[serde(serialize_with = "instant")]
        at: DateTime<Utc>,
        #[serde(serialize_with = "maybe_instant")]
        ended: Option<DateTime<Utc>>,
        #[serde(serialize_with = "day")]
        on: NaiveDate,
    }

    #[derive(Serialize)]
    struct Chronos {
        at: DateTime<Utc>,
        ended: Option<DateTime<Utc>>,
        on: NaiveDate,
    }

    #[test]
    fn dates_are_written_as_chrono_writes_them() {
        for micros in [0, 1_700_000_000_000_000, 1_700_000_000_120_000, 1_700_000_000_123_456, -1] {
            let at = DateTime::from_timestamp_micros(micros).unwrap();
            for ended in [None, Some(at)] {
                let on = at.date_naive();
                let ours = serde_json::to_string(&Ours { at, ended, on }).unwrap();
                assert_eq!(ours, serde_json::to_string(&Chronos { at, ended, on }).unwrap());
            }
        }
    }
}

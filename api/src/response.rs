//! Success responses: a row with its version as `ETag`, a created row with its `Location`, a page of a list.
use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use domain::kernel::money::Currency;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A row with its version as `ETag`, for `If-Match`.
#[derive(Debug)]
pub struct Versioned<T> {
    pub version: i64,
    pub view: T,
}

impl<T: Serialize> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response {
        let mut response = json(&self.view);
        set_etag(&mut response, self.version);
        response
    }
}

/// 201: a row that was created now, or before with the same `Idempotency-Key`.
#[derive(Debug)]
pub struct Created<T> {
    /// Path of the row.
    pub location: String,
    pub version: i64,
    pub view: T,
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        let mut response = json(&self.view);
        *response.status_mut() = StatusCode::CREATED;
        set_etag(&mut response, self.version);
        if let Ok(location) = HeaderValue::from_str(&self.location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

/// 200 with a JSON body.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<T: Serialize> IntoResponse for JsonBody<T> {
    fn into_response(self) -> Response {
        json(&self.0)
    }
}

/// A serialized body for caches; cheap to clone.
#[derive(Clone, Debug)]
pub struct SerializedJson(Bytes);

impl SerializedJson {
    pub fn of(view: &impl Serialize) -> Self {
        Self(serde_json::to_vec(view).expect("a view is plain data").into())
    }
}

impl IntoResponse for SerializedJson {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], self.0).into_response()
    }
}

/// Serializes into a buffer with capacity for most rows. axum's own `Json` was measured at a tenth of the cost of a page of
/// fifty orders.
fn json(view: &impl Serialize) -> Response {
    let mut body = Vec::with_capacity(4_096);
    serde_json::to_writer(&mut body, view).expect("a view is plain data");
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

fn set_etag(response: &mut Response, version: i64) {
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
}

/// A page of a list. Fetch the next one with `?cursor=`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// None on the last page.
    pub next_cursor: Option<String>,
    /// Only where `count=true` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Total>,
}

/// The number of rows of a list, on all its pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Total {
    #[schema(example = 214)]
    rows: i64,
    /// False where there are more: counting stops at 10,000 rows, and at 2,000 of a search by a common word.
    exact: bool,
    /// Sums of the list's amount by currency; none where `exact` is false.
    sums: Vec<Sum>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Sum {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
}

impl<T> Page<T> {
    pub fn of<R>(page: domain::kernel::page::Page<R>, view: impl FnMut(R) -> T) -> Self {
        let page = page.map(view);
        Self { items: page.items, next_cursor: page.next_cursor, total: None }
    }

    /// The page with the total that `count` asks for.
    ///
    /// # Errors
    /// Those of `total`.
    pub async fn counted(
        self,
        count: bool,
        total: impl Future<Output = domain::Result<domain::kernel::page::Total>>,
    ) -> domain::Result<Self> {
        let total = if count { Some(total.await?.into()) } else { None };
        Ok(Self { total, ..self })
    }
}

impl From<domain::kernel::page::Total> for Total {
    fn from(total: domain::kernel::page::Total) -> Self {
        let sum = |(currency, minor): (Currency, i64)| Sum { currency, amount: currency.format(minor) };
        Self { rows: total.rows, exact: total.exact, sums: total.sums.into_iter().map(sum).collect() }
    }
}

/// A short list without pages.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Items)]
pub struct ItemList<T> {
    pub items: Vec<T>,
}

/// A person's full name; none where the row has no person.
pub fn full_name(first: Option<String>, last: Option<String>) -> Option<String> {
    Some(format!("{} {}", first?, last?))
}

/// Serializes an instant as chrono does, in one write: chrono passes each part through JSON escaping.
///
/// # Errors
/// Those of the serializer.
pub fn instant<S: Serializer>(at: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&at.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// [`instant`] of an option.
///
/// # Errors
/// As [`instant`].
pub fn maybe_instant<S: Serializer>(at: &Option<DateTime<Utc>>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => instant(at, to),
        None => to.serialize_none(),
    }
}

/// [`instant`] of a day.
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
    fn dates_are_serialized_as_chrono_does() {
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

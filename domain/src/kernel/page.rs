//! Pagination: pages of long lists by a limit and an opaque cursor (keyset pagination), in the sort orders of each list.
mod order;
mod statement;

pub use order::{Order, SortColumn, SortKey, SortValue, values};
pub use statement::{Conditions, Keyset, MAX_COUNTED_ROWS};

use crate::kernel::{
    error::{Error, Problem, Result},
    money::Currency,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub const DEFAULT_LIMIT: u32 = 50;
pub const MAX_LIMIT: u32 = 500;
/// Rows of an export or report that is built in memory.
pub const MAX_EXPORT_ROWS: usize = 50_000;

/// Checks the number of rows of an export or report.
///
/// # Errors
/// Invalid `period` for more than [`MAX_EXPORT_ROWS`].
pub(crate) fn at_most(rows: usize) -> Result<()> {
    if rows <= MAX_EXPORT_ROWS {
        return Ok(());
    }
    Err(Error::field_with("period", Problem::new("too_many_rows").with("max", MAX_EXPORT_ROWS)))
}

/// The page that a caller requests.
#[derive(Clone, Debug, Default)]
pub struct PageQuery {
    pub limit: Option<u32>,
    pub cursor: Option<String>,
}

/// One page, and the cursor of the next if there is one.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

/// The number of rows of a list and their sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Total {
    pub rows: i64,
    /// Whether `rows` are all: counting stops at [`MAX_COUNTED_ROWS`].
    pub exact: bool,
    /// Minor units by currency, of lists with an amount, where `exact`.
    pub sums: Vec<(Currency, i64)>,
}

impl PageQuery {
    /// The validated limit.
    ///
    /// # Errors
    /// Invalid `limit` outside 1..=500.
    pub fn limit(&self) -> Result<usize> {
        match self.limit.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MAX_LIMIT => Ok(limit as usize),
            _ => Err(Error::field_with("limit", Problem::new("out_of_range").with("min", 1).with("max", MAX_LIMIT))),
        }
    }

    /// The key of the last row of the previous page.
    ///
    /// # Errors
    /// Invalid `cursor` when this list did not issue it.
    pub fn after<K: DeserializeOwned>(&self) -> Result<Option<K>> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        BASE64_URL_SAFE_NO_PAD
            .decode(cursor)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
            .filter(is_storable)
            .and_then(|key| serde_json::from_value(key).ok())
            .map(Some)
            .ok_or_else(|| Error::field("cursor", "invalid_cursor"))
    }
}

/// Whether PostgreSQL can store the key: no NUL, no year before 1 or after 9999. Others were never issued.
fn is_storable(key: &Value) -> bool {
    match key {
        Value::Array(parts) => parts.iter().all(is_storable),
        Value::String(text) => {
            let far = text.starts_with(['+', '-'])
                && (text.parse::<NaiveDate>().is_ok() || text.parse::<DateTime<Utc>>().is_ok());
            !far && !text.contains('\0')
        }
        _ => true,
    }
}

impl<T> Page<T> {
    /// A page of `rows`, which were read by a [`Keyset`] of this query and order.
    ///
    /// # Errors
    /// As [`PageQuery::limit`].
    pub fn sorted<K: SortKey<Row = T>>(rows: Vec<T>, query: &PageQuery, order: Order<K>) -> Result<Self> {
        Ok(Self::from_rows(rows, query.limit()?, |row| order.cursor(row)))
    }

    /// A page of `rows`, which were read with one more than `limit`; the last row of the page is the next cursor.
    pub fn from_rows<K: Serialize>(mut rows: Vec<T>, limit: usize, key: impl Fn(&T) -> K) -> Self {
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| {
            BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&key(last)).expect("a cursor key is plain data"))
        });
        Self { items: rows, next_cursor }
    }

    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next_cursor: self.next_cursor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_that_no_list_issued_are_rejected() {
        let page = |key: &str| PageQuery { limit: None, cursor: Some(BASE64_URL_SAFE_NO_PAD.encode(key)) };
        let text = |key: &str| page(key).after::<(String, i64)>().ok().flatten();
        assert_eq!(text(r#"["-Söhne & Co",7]"#), Some(("-Söhne & Co".to_owned(), 7)));
        assert_eq!(text(r#"["\u0000",7]"#), None);
        assert_eq!(text(r#"["a","b"]"#), None);
        let date = |key: &str| page(key).after::<(NaiveDate,)>().is_ok();
        assert!(date(r#"["2026-11-21"]"#));
        assert!(!date(r#"["-9999-01-01"]"#) && !date(r#"["+262142-12-31"]"#));
        assert!(page(r#"["-9999-01-01T00:00:00Z"]"#).after::<(DateTime<Utc>,)>().is_err());
        assert!(page("null").after::<i64>().is_err());
    }
}

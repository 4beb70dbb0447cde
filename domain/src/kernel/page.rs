//! Pages of long lists: a limit and an opaque cursor that says where the last page ended.
use crate::kernel::error::{Error, Result};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub const DEFAULT_LIMIT: u32 = 50;
pub const MAX_LIMIT: u32 = 500;
/// Rows of what is made as a whole, in memory.
pub const MOST_ROWS: usize = 50_000;

/// Whether so many rows can be taken as a whole.
///
/// # Errors
/// Invalid `period` for more than [`MOST_ROWS`].
pub(crate) fn at_most(rows: usize) -> Result<()> {
    if rows <= MOST_ROWS {
        return Ok(());
    }
    Err(Error::field_with("period", crate::kernel::error::Problem::new("too_many_rows").with("max", MOST_ROWS)))
}

/// What the caller asks for.
#[derive(Clone, Debug, Default)]
pub struct PageQuery {
    pub limit: Option<u32>,
    pub cursor: Option<String>,
}

/// One page of `T`, and the cursor of the next if there is one.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

impl PageQuery {
    /// # Errors
    /// Invalid `limit` outside 1..=500.
    pub fn limit(&self) -> Result<usize> {
        match self.limit.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MAX_LIMIT => Ok(limit as usize),
            _ => Err(Error::field_with(
                "limit",
                crate::kernel::error::Problem::new("out_of_range").with("min", 1).with("max", MAX_LIMIT),
            )),
        }
    }

    /// Where the last page ended, in the list's own key.
    ///
    /// # Errors
    /// Invalid `cursor` when it is not one that this list gave out.
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

/// A key that no row can have is not one of ours, and PostgreSQL would stumble over it: a NUL, a year of more
/// than four digits or before our era.
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
    /// Cuts `rows`, read with one more than `limit`, and makes the next cursor from the last row kept.
    pub fn cut<K: Serialize>(mut rows: Vec<T>, limit: usize, key: impl Fn(&T) -> K) -> Self {
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
    fn a_cursor_that_no_list_gave_out_is_refused() {
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

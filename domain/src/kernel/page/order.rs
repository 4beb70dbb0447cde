//! Sort orders of lists: a whitelist of keys per list, and the cursor of each.
//!
//! The columns of an order are unique together, so that pages are disjoint. Only the first may be null.
use crate::kernel::error::{Error, Problem, Result};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

/// The sort keys of one list.
pub trait SortKey: Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    type Row;
    /// All keys.
    const ALL: &'static [Self];
    /// The order of a list that asks for none.
    const DEFAULT: Order<Self>;

    /// The name in the `order` parameter; `-` before it means descending.
    fn name(self) -> &'static str;

    /// The columns of the order; together they are unique.
    fn columns(self) -> &'static [SortColumn];

    /// The values of a row in these columns, made by [`values`].
    fn values(self, row: &Self::Row) -> Value;
}

/// Values of sort columns, from a tuple of them.
pub fn values(tuple: impl Serialize) -> Value {
    serde_json::to_value(tuple).expect("sort values are plain data")
}

/// A sort key and its direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order<K> {
    pub key: K,
    pub descending: bool,
}

impl<K: SortKey> Default for Order<K> {
    fn default() -> Self {
        K::DEFAULT
    }
}

impl<K: SortKey> Order<K> {
    pub const fn ascending(key: K) -> Self {
        Self { key, descending: false }
    }

    pub const fn descending(key: K) -> Self {
        Self { key, descending: true }
    }

    /// Parses the `order` parameter; an empty one is the default.
    ///
    /// # Errors
    /// `unknown` with what is allowed.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let (name, descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let key = K::ALL.iter().copied().find(|key| key.name() == name);
        key.map(|key| Self { key, descending }).ok_or_else(|| Problem::new("unknown").with("allowed", Self::allowed()))
    }

    /// The values of the `order` parameter, the default first.
    pub fn allowed() -> String {
        let mut all: Vec<Self> =
            K::ALL.iter().flat_map(|key| [Self::ascending(*key), Self::descending(*key)]).collect();
        all.sort_by_key(|order| *order != Self::default());
        all.into_iter().map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// The value of the `order` parameter.
    pub fn name(self) -> String {
        format!("{}{}", if self.descending { "-" } else { "" }, self.key.name())
    }

    /// The cursor after this row: the name of the order, then the row's values.
    pub(super) fn cursor(self, row: &K::Row) -> Value {
        let mut parts = vec![Value::String(self.name())];
        match self.key.values(row) {
            Value::Array(values) => parts.extend(values),
            value => parts.push(value),
        }
        Value::Array(parts)
    }

    /// The values of a cursor of this order.
    ///
    /// # Errors
    /// Invalid `cursor` when no list in this order issued it.
    pub(super) fn position(self, cursor: Value) -> Result<Vec<SortValue>> {
        let invalid = || Error::field("cursor", "invalid_cursor");
        let Value::Array(parts) = cursor else { return Err(invalid()) };
        let columns = self.key.columns();
        let (order, parts) = parts.split_first().ok_or_else(invalid)?;
        if *order != Value::String(self.name()) || parts.len() != columns.len() {
            return Err(invalid());
        }
        columns.iter().zip(parts).map(|(column, part)| column.read(part).ok_or_else(invalid)).collect()
    }
}

/// The type of a sort column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Date,
    Instant,
    Id,
}

/// A column, or an expression, of a sort order.
#[derive(Clone, Copy, Debug)]
pub struct SortColumn {
    pub(super) expression: &'static str,
    kind: Kind,
    pub(super) nulls: Option<Nulls>,
    /// An expression: SQLite uses its index for a comparison with one value, but not within a row of values.
    pub(super) computed: bool,
}

/// Where nulls are in a sort order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nulls {
    Last,
    Lowest,
}

impl Nulls {
    pub(super) fn come_first(self, descending: bool) -> bool {
        self == Self::Lowest && !descending
    }
}

/// A value to compare a sort column with.
#[derive(Clone, Debug, PartialEq)]
pub enum SortValue {
    Null,
    Text(String),
    Integer(i64),
    Date(NaiveDate),
    Instant(DateTime<Utc>),
    Id(Uuid),
}

impl SortColumn {
    pub const fn text(expression: &'static str) -> Self {
        Self::new(expression, Kind::Text)
    }

    pub const fn integer(expression: &'static str) -> Self {
        Self::new(expression, Kind::Integer)
    }

    pub const fn date(expression: &'static str) -> Self {
        Self::new(expression, Kind::Date)
    }

    pub const fn instant(expression: &'static str) -> Self {
        Self::new(expression, Kind::Instant)
    }

    pub const fn id(expression: &'static str) -> Self {
        Self::new(expression, Kind::Id)
    }

    const fn new(expression: &'static str, kind: Kind) -> Self {
        Self { expression, kind, nulls: None, computed: false }
    }

    /// Nulls come last in both directions.
    #[must_use]
    pub const fn nulls_last(self) -> Self {
        Self { nulls: Some(Nulls::Last), ..self }
    }

    /// Nulls are lower than every value.
    #[must_use]
    pub const fn nulls_lowest(self) -> Self {
        Self { nulls: Some(Nulls::Lowest), ..self }
    }

    /// An expression instead of a column.
    #[must_use]
    pub const fn computed(self) -> Self {
        Self { computed: true, ..self }
    }

    fn read(self, value: &Value) -> Option<SortValue> {
        if value.is_null() {
            return self.nulls.map(|_| SortValue::Null);
        }
        let text = || value.as_str();
        Some(match self.kind {
            Kind::Text => SortValue::Text(text()?.to_owned()),
            Kind::Integer => SortValue::Integer(value.as_i64()?),
            Kind::Date => SortValue::Date(text()?.parse().ok()?),
            Kind::Instant => SortValue::Instant(text()?.parse().ok()?),
            Kind::Id => SortValue::Id(text()?.parse().ok()?),
        })
    }
}

//! Rows from structs: column lists and inserts that follow a struct's fields, so that a column stands in one place.
use crate::{ColumnKind, ColumnSpec, Error, Json, Query, Value, dialect::placeholders};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use uuid::Uuid;

/// A type of a row's field.
pub trait ColumnType {
    /// How SQLite writes it as JSON.
    const KIND: ColumnKind;

    /// Binds it as the next value.
    fn bind_to<'c, E: From<Error>>(&self, query: Query<'c, E>) -> Query<'c, E>;
}

/// Makes types that can be bound the types of columns: `column_type! { Plain: Status, Kind }`.
#[macro_export]
macro_rules! column_type {
    ($kind:ident: $($type:ty),+) => {$(
        impl $crate::ColumnType for $type {
            const KIND: $crate::ColumnKind = $crate::ColumnKind::$kind;

            fn bind_to<'c, E: From<$crate::Error>>(&self, query: $crate::Query<'c, E>) -> $crate::Query<'c, E> {
                query.bind(Clone::clone(self))
            }
        }
    )+};
}

column_type! { Plain: String, i32, i64, f64, NaiveDate, DateTime<Utc> }
column_type! { Bool: bool }
column_type! { Uuid: Uuid }

impl<T: ColumnType + Value + Clone> ColumnType for Option<T>
where
    Self: Value,
{
    const KIND: ColumnKind = T::KIND;

    fn bind_to<'c, E: From<Error>>(&self, query: Query<'c, E>) -> Query<'c, E> {
        query.bind(self.clone())
    }
}

macro_rules! json {
    ($(($($generic:tt)*) $type:ty),+) => {$(
        impl<$($generic)*> ColumnType for $type {
            const KIND: ColumnKind = ColumnKind::Json;

            fn bind_to<'c, E: From<Error>>(&self, query: Query<'c, E>) -> Query<'c, E> {
                query.bind(Json(self.clone()))
            }
        }
    )+};
}
json!(
    () serde_json::Value,
    () serde_json::Map<String, serde_json::Value>,
    (T: Serialize + Clone + Send + Sync + 'static) Vec<T>
);

/// A struct whose fields are columns; [`row!`](crate::row) defines it.
pub trait Row {
    /// The columns of a select: `s.id, k.name as company_name`.
    const LIST: &'static str;
    /// The columns of nested rows, whose query selects [`Self::LIST`].
    const COLUMNS: &'static [ColumnSpec<'static>];
    /// The columns of its own table.
    const OWN: &'static [&'static str];

    /// Binds the values of [`Self::OWN`].
    fn bind_to<'c, E: From<Error>>(&self, query: Query<'c, E>) -> Query<'c, E>;
}

/// Defines a struct that is a [`Row`]. After `of` stands the alias of its table in the query. A field with an expression is
/// read from that and never inserted; a field with `_` is no column; one with `..` is a row that is read with this one:
///
/// `row! { pub struct Spv of s { pub id: SpvId, pub company_name: String = "k.name", pub can: Vec<Action> = _ } }`
#[macro_export]
macro_rules! row {
    (@prefix [$alias:ident]) => { concat!(stringify!($alias), ".") };
    (@prefix []) => { "" };
    (@select $alias:tt $field:ident $type:ty,) => { $crate::const_concat!(", ", $crate::row!(@prefix $alias), stringify!($field)) };
    (@select $alias:tt $field:ident $type:ty, _) => { "" };
    (@select $alias:tt $field:ident $type:ty, ..) => { $crate::const_concat!(", ", <$type as $crate::Row>::LIST) };
    (@select $alias:tt $field:ident $type:ty, $sql:tt) => { concat!(", ", $sql, " as ", stringify!($field)) };
    (@column $field:ident $type:ty, ..) => { None };
    (@column $field:ident $type:ty, _) => { None };
    (@column $field:ident $type:ty, $($sql:tt)?) => {
        Some((stringify!($field), concat!("t.", stringify!($field)), <$type as $crate::ColumnType>::KIND))
    };
    (@own $field:ident) => { Some(stringify!($field)) };
    (@own $field:ident $sql:tt) => { None };
    (@bind $query:ident $value:expr,) => { $crate::ColumnType::bind_to($value, $query) };
    (@bind $query:ident $value:expr, $sql:tt) => { $query };
    (@define $alias:tt { $($head:tt)* } {
        $($(#[$attr:meta])* $vis:vis $field:ident: $type:ty $(= $sql:tt)?),+ $(,)?
    } $name:ident) => {
        $($head)* {
            $($(#[$attr])* $vis $field: $type,)+
        }

        impl $crate::Row for $name {
            const LIST: &'static str =
                $crate::const_concat!($($crate::row!(@select $alias $field $type, $($sql)?)),+).split_at(2).1;
            const COLUMNS: &'static [$crate::ColumnSpec<'static>] =
                $crate::const_flatten!($crate::ColumnSpec<'static>: $($crate::row!(@column $field $type, $($sql)?)),+);
            const OWN: &'static [&'static str] =
                $crate::const_flatten!(&'static str: $($crate::row!(@own $field $($sql)?)),+);

            fn bind_to<'c, E: From<$crate::Error>>(&self, query: $crate::Query<'c, E>) -> $crate::Query<'c, E> {
                $(let query = $crate::row!(@bind query &self.$field, $($sql)?);)+
                query
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident of $alias:ident { $($fields:tt)+ }) => {
        $crate::row! { @define [$alias] { $(#[$meta])* $vis struct $name } { $($fields)+ } $name }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($fields:tt)+ }) => {
        $crate::row! { @define [] { $(#[$meta])* $vis struct $name } { $($fields)+ } $name }
    };
}

/// An insert of a row, of further columns with their values, or of both; the statement is built once:
///
/// `insert!(tx, "companies", company, { name_key: unique_key(&company.name) }).run().await?`
#[macro_export]
macro_rules! insert {
    (@value $column:ident) => { $column };
    (@value $column:ident $value:expr) => { $value };
    ($tx:expr, $table:literal, { $($column:ident $(: $value:expr)?),+ $(,)? }) => {
        $crate::insert!($tx, $table, &$crate::NoColumns, { $($column $(: $value)?),+ })
    };
    ($tx:expr, $table:literal, $row:expr) => { $crate::insert!($tx, $table, $row, {}) };
    ($tx:expr, $table:literal, $row:expr, { $($column:ident $(: $value:expr)?),* $(,)? }) => {{
        static SQL: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        let sql = SQL.get_or_init(|| $crate::insert_sql($table, $row, &[$(stringify!($column)),*]));
        $crate::Row::bind_to($row, $tx.sql(sql.as_str()))$(.bind($crate::insert!(@value $column $($value)?)))*
    }};
}

/// The row of an [`insert!`](crate::insert) of columns only.
#[derive(Debug)]
pub struct NoColumns;

impl Row for NoColumns {
    const LIST: &'static str = "";
    const COLUMNS: &'static [ColumnSpec<'static>] = &[];
    const OWN: &'static [&'static str] = &[];

    fn bind_to<'c, E: From<Error>>(&self, query: Query<'c, E>) -> Query<'c, E> {
        query
    }
}

/// The statement of an [`insert!`](crate::insert).
pub fn insert_sql<R: Row>(table: &str, _row: &R, more: &[&str]) -> String {
    let columns: Vec<&str> = R::OWN.iter().chain(more).copied().collect();
    format!("insert into {table} ({}) values ({})", columns.join(", "), placeholders(1, columns.len()))
}

/// Joins constant texts to one.
#[macro_export]
macro_rules! const_concat {
    ($($part:expr),+ $(,)?) => {{
        const PARTS: &[&str] = &[$($part),+];
        const BYTES: [u8; $crate::concat_length(PARTS)] = $crate::concat_bytes(PARTS);
        match std::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        }
    }};
}

#[doc(hidden)]
pub const fn concat_length(parts: &[&str]) -> usize {
    let (mut length, mut part) = (0, 0);
    while part < parts.len() {
        length += parts[part].len();
        part += 1;
    }
    length
}

#[doc(hidden)]
pub const fn concat_bytes<const LENGTH: usize>(parts: &[&str]) -> [u8; LENGTH] {
    let (mut bytes, mut end, mut part) = ([0; LENGTH], 0, 0);
    while part < parts.len() {
        let (text, mut at) = (parts[part].as_bytes(), 0);
        while at < text.len() {
            bytes[end] = text[at];
            end += 1;
            at += 1;
        }
        part += 1;
    }
    bytes
}

/// The values of constant options that are there.
#[macro_export]
macro_rules! const_flatten {
    ($type:ty: $($item:expr),+ $(,)?) => {{
        const ITEMS: &[Option<$type>] = &[$($item),+];
        const VALUES: [$type; $crate::count_some(ITEMS)] = $crate::flatten(ITEMS);
        &VALUES
    }};
}

#[doc(hidden)]
pub const fn count_some<T>(items: &[Option<T>]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < items.len() {
        count += items[at].is_some() as usize;
        at += 1;
    }
    count
}

/// One item at least must be `Some`.
#[doc(hidden)]
pub const fn flatten<T: Copy, const COUNT: usize>(items: &[Option<T>]) -> [T; COUNT] {
    let mut at = 0;
    let first = loop {
        if let Some(value) = items[at] {
            break value;
        }
        at += 1;
    };
    let (mut values, mut end) = ([first; COUNT], 0);
    while at < items.len() {
        if let Some(value) = items[at] {
            values[end] = value;
            end += 1;
        }
        at += 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    row! {
        /// An order.
        #[derive(Debug)]
        struct Order of o {
            id: Uuid,
            client_name: String = "c.name",
            price: Option<i64>,
            paid: bool,
            can: &'static str = _,
        }
    }

    #[test]
    fn column_lists_follow_the_fields() {
        assert_eq!(Order::LIST, "o.id, c.name as client_name, o.price, o.paid");
        let kinds: Vec<_> = Order::COLUMNS.iter().map(|(_, _, kind)| *kind).collect();
        assert_eq!(kinds, [ColumnKind::Uuid, ColumnKind::Plain, ColumnKind::Plain, ColumnKind::Bool]);
        assert_eq!(Order::COLUMNS[1].1, "t.client_name");
        let select = const_concat!("select ", Order::LIST, " from orders o");
        assert_eq!(select, "select o.id, c.name as client_name, o.price, o.paid from orders o");
    }

    #[test]
    fn derived_columns_are_not_inserted() {
        let order = Order { id: Uuid::nil(), client_name: String::new(), price: None, paid: false, can: "" };
        assert!(order.client_name.is_empty() && order.can.is_empty());
        let sql = insert_sql("orders", &order, &["created_at"]);
        assert_eq!(sql, "insert into orders (id, price, paid, created_at) values ($1, $2, $3, $4)");
    }
}

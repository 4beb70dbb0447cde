//! Nested rows: what [`nested_row`](crate::nested_row), [`select_nested`](crate::select_nested) and [`select_rows`](crate::select_rows) select, read into
//! any `Deserialize` type.
//!
//! SQLite writes them as JSON. PostgreSQL, to which JSON costs more than all else in a query of fifty orders, answers with
//! columns, and within these with records of its own: each value as its binary form, behind the number of its type.
pub mod timestamps;

use serde::{
    Deserializer,
    de::{self, DeserializeOwned, IntoDeserializer, SeqAccess, Visitor, value::SeqAccessDeserializer},
    forward_to_deserialize_any,
};
use sqlx::{
    Decode, FromRow, Postgres, Row, Sqlite, Type, TypeInfo, ValueRef,
    error::BoxDynError,
    postgres::{PgRow, PgTypeInfo, PgValueFormat, PgValueRef},
    sqlite::{SqliteRow, SqliteTypeInfo, SqliteValueRef},
    types::Json,
};
use std::{fmt, str};

/// What was selected as a row or a list; no list at all is an empty one.
#[derive(Debug)]
pub struct Nested<T>(pub T);

impl<T> From<Nested<Vec<T>>> for Vec<T> {
    fn from(Nested(rows): Nested<Vec<T>>) -> Self {
        rows
    }
}

impl<T> Type<Sqlite> for Nested<T> {
    fn type_info() -> SqliteTypeInfo {
        <Json<T> as Type<Sqlite>>::type_info()
    }

    fn compatible(ty: &SqliteTypeInfo) -> bool {
        <Json<T> as Type<Sqlite>>::compatible(ty)
    }
}

impl<'r, T: DeserializeOwned + 'r> Decode<'r, Sqlite> for Nested<T> {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        <Json<T> as Decode<'r, Sqlite>>::decode(value).map(|Json(rows)| Self(rows))
    }
}

impl<T> Type<Postgres> for Nested<T> {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("record")
    }

    fn compatible(ty: &PgTypeInfo) -> bool {
        matches!(ty.name().to_ascii_lowercase().as_str(), "record" | "record[]")
    }
}

impl<'r, T: DeserializeOwned> Decode<'r, Postgres> for Nested<T> {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(T::deserialize(Field::of(value)?)?))
    }
}

/// One of the rows that SQLite gives for [`select_rows`](crate::select_rows), with all of them in it, or one of PostgreSQL's.
#[derive(Debug)]
pub(crate) struct NestedRows<T>(pub Vec<T>);

impl<'r, T: DeserializeOwned> FromRow<'r, SqliteRow> for NestedRows<T> {
    fn from_row(row: &'r SqliteRow) -> sqlx::Result<Self> {
        row.try_get(0).map(|Json(rows)| Self(rows))
    }
}

impl<'r, T: DeserializeOwned> FromRow<'r, PgRow> for NestedRows<T> {
    fn from_row(row: &'r PgRow) -> sqlx::Result<Self> {
        let mut columns = Columns { row, next: 0 };
        let read =
            T::deserialize(SeqAccessDeserializer::new(&mut columns)).and_then(|read| match row.len() - columns.next {
                0 => Ok(Self(vec![read])),
                more => Err(DecodeError(format!("{more} columns more than are read"))),
            });
        read.map_err(|e| sqlx::Error::Decode(Box::new(e)))
    }
}

/// The columns of a row one after the other.
struct Columns<'r> {
    row: &'r PgRow,
    next: usize,
}

impl<'r> SeqAccess<'r> for &mut Columns<'r> {
    type Error = DecodeError;

    fn next_element_seed<S: de::DeserializeSeed<'r>>(&mut self, seed: S) -> Read<Option<S::Value>> {
        if self.next == self.row.len() {
            return Ok(None);
        }
        let value = self.row.try_get_raw(self.next).map_err(de::Error::custom)?;
        self.next += 1;
        seed.deserialize(Field::of(value)?).map(Some)
    }
}

/// The types that our columns have.
mod oid {
    pub const BOOL: u32 = 16;
    pub const INT8: u32 = 20;
    pub const INT2: u32 = 21;
    pub const INT4: u32 = 23;
    pub const TEXT: u32 = 25;
    pub const JSON: u32 = 114;
    pub const FLOAT8: u32 = 701;
    /// A word written out in the statement itself.
    pub const UNKNOWN: u32 = 705;
    pub const VARCHAR: u32 = 1043;
    pub const DATE: u32 = 1082;
    pub const TIMESTAMPTZ: u32 = 1184;
    pub const RECORD: u32 = 2249;
    pub const RECORDS: u32 = 2287;
    pub const UUID: u32 = 2950;
    pub const JSONB: u32 = 3802;
}

/// A value as PostgreSQL sent it; one without bytes is null.
#[derive(Clone, Copy)]
struct Field<'a> {
    kind: u32,
    bytes: Option<&'a [u8]>,
}

#[derive(Debug)]
struct DecodeError(String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self(what.to_string())
    }
}

type Read<T> = Result<T, DecodeError>;

/// Takes the first bytes away.
fn take<'a, const N: usize>(from: &mut &'a [u8]) -> Read<&'a [u8; N]> {
    let (first, rest) = from.split_first_chunk().ok_or_else(|| DecodeError("a record ends too early".to_owned()))?;
    *from = rest;
    Ok(first)
}

fn int(from: &mut &[u8]) -> Read<i32> {
    take(from).map(|bytes| i32::from_be_bytes(*bytes))
}

/// The only value there is.
fn whole<const N: usize>(bytes: &[u8]) -> Read<[u8; N]> {
    bytes.try_into().map_err(|_| DecodeError(format!("{} bytes instead of {N}", bytes.len())))
}

/// Values one after the other: those of a record, each behind its type, or of a list.
struct Fields<'a> {
    rest: &'a [u8],
    left: usize,
    /// Of a list's values, which all have the same.
    kind: Option<u32>,
}

impl<'a> Fields<'a> {
    fn of_record(mut rest: &'a [u8]) -> Read<Self> {
        let left = usize::try_from(int(&mut rest)?).unwrap_or(0);
        Ok(Self { rest, left, kind: None })
    }

    fn of_list(mut rest: &'a [u8]) -> Read<Self> {
        let (dimensions, _has_nulls) = (int(&mut rest)?, int(&mut rest)?);
        let kind = u32::from_be_bytes(*take(&mut rest)?);
        let mut left = 0;
        for _ in 0..dimensions {
            left = usize::try_from(int(&mut rest)?).unwrap_or(0);
            let _begins_with = int(&mut rest)?;
        }
        if dimensions > 1 {
            return Err(DecodeError("a list of lists".to_owned()));
        }
        Ok(Self { rest, left, kind: Some(kind) })
    }

    /// Reads them all: a value that is left over is an error.
    fn all<V: Visitor<'a>>(mut self, visitor: V) -> Read<V::Value> {
        let read = visitor.visit_seq(&mut self)?;
        if self.left > 0 {
            return Err(DecodeError(format!("{} values more than are read", self.left)));
        }
        Ok(read)
    }
}

impl<'a> SeqAccess<'a> for &mut Fields<'a> {
    type Error = DecodeError;

    fn next_element_seed<S: de::DeserializeSeed<'a>>(&mut self, seed: S) -> Read<Option<S::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let kind = match self.kind {
            Some(kind) => kind,
            None => u32::from_be_bytes(*take(&mut self.rest)?),
        };
        let bytes = match usize::try_from(int(&mut self.rest)?) {
            Err(_) => None,
            Ok(long) => {
                let (bytes, rest) = self
                    .rest
                    .split_at_checked(long)
                    .ok_or_else(|| DecodeError("a record ends too early".to_owned()))?;
                self.rest = rest;
                Some(bytes)
            }
        };
        seed.deserialize(Field { kind, bytes }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A point in time as text, as JSON has it: chrono reads nothing else.
fn instant(bytes: &[u8]) -> Read<String> {
    let at = timestamps::at(i64::from_be_bytes(whole(bytes)?))
        .ok_or_else(|| DecodeError("a time beyond all times".to_owned()))?;
    Ok(at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
}

fn day(bytes: &[u8]) -> Read<String> {
    let days = chrono::Duration::days(i64::from(i32::from_be_bytes(whole(bytes)?)));
    let day = timestamps::BEGIN.checked_add_signed(days);
    let day = day.ok_or_else(|| DecodeError("a day beyond all days".to_owned()))?;
    Ok(day.to_string())
}

impl<'a> Field<'a> {
    fn of(value: PgValueRef<'a>) -> Read<Self> {
        if value.format() != PgValueFormat::Binary {
            return Err(DecodeError("values are read from prepared statements".to_owned()));
        }
        let kind = value.type_info().oid().map_or(oid::RECORDS, |oid| oid.0);
        let bytes = if value.is_null() { None } else { Some(value.as_bytes().map_err(de::Error::custom)?) };
        Ok(Self { kind, bytes })
    }

    /// The JSON that it is.
    fn json(&self) -> Option<&'a [u8]> {
        match (self.kind, self.bytes?) {
            (oid::JSON, text) => Some(text),
            // Behind the number of its version.
            (oid::JSONB, [1, text @ ..]) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserializer<'de> for Field<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if let Some(text) = self.json() {
            return serde_json::Deserializer::from_slice(text).deserialize_any(visitor).map_err(de::Error::custom);
        }
        let Some(bytes) = self.bytes else { return visitor.visit_unit() };
        match self.kind {
            oid::BOOL => visitor.visit_bool(bytes != [0]),
            oid::INT2 => visitor.visit_i16(i16::from_be_bytes(whole(bytes)?)),
            oid::INT4 => visitor.visit_i32(i32::from_be_bytes(whole(bytes)?)),
            oid::INT8 => visitor.visit_i64(i64::from_be_bytes(whole(bytes)?)),
            oid::FLOAT8 => visitor.visit_f64(f64::from_be_bytes(whole(bytes)?)),
            oid::TEXT | oid::VARCHAR | oid::UNKNOWN => {
                visitor.visit_borrowed_str(str::from_utf8(bytes).map_err(de::Error::custom)?)
            }
            oid::UUID => visitor.visit_borrowed_bytes(bytes),
            oid::DATE => visitor.visit_string(day(bytes)?),
            oid::TIMESTAMPTZ => visitor.visit_string(instant(bytes)?),
            oid::RECORD => Fields::of_record(bytes)?.all(visitor),
            oid::RECORDS => Fields::of_list(bytes)?.all(visitor),
            kind => Err(DecodeError(format!("a column of the type {kind}, which nothing of ours has"))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.json() {
            Some(text) => {
                serde_json::Deserializer::from_slice(text).deserialize_option(visitor).map_err(de::Error::custom)
            }
            None if self.bytes.is_none() => visitor.visit_none(),
            None => visitor.visit_some(self),
        }
    }

    /// A timestamp is read as a number by [`timestamps`].
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match (self.kind, self.bytes) {
            (oid::TIMESTAMPTZ, Some(bytes)) => visitor.visit_i64(i64::from_be_bytes(whole(bytes)?)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Read<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    /// A word is an enum's variant; JSON has others, too.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        if let Some(text) = self.json() {
            return serde_json::Deserializer::from_slice(text)
                .deserialize_enum(name, variants, visitor)
                .map_err(de::Error::custom);
        }
        let word = str::from_utf8(self.bytes.unwrap_or_default()).map_err(de::Error::custom)?;
        visitor.visit_enum(word.into_deserializer())
    }

    /// No list at all is an empty one.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.bytes {
            None => Fields { rest: &[], left: 0, kind: None }.all(visitor),
            Some(_) => self.deserialize_any(visitor),
        }
    }

    /// Ids are bytes here, not text.
    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple tuple_struct map struct identifier ignored_any
    }
}

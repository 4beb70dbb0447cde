//! Decoding of nested rows: the values of [`nested_row`](crate::nested_row), [`select_nested`](crate::select_nested) and
//! [`select_rows`](crate::select_rows), into any `Deserialize` type.
//!
//! SQLite builds JSON. PostgreSQL returns columns, and within these records in binary format, whose values each follow the
//! OID of their type: JSON of fifty orders costs PostgreSQL more than the rest of the query.
pub mod timestamps;

use bytes::{Buf, TryGetError};
use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, Error as _, IntoDeserializer, SeqAccess, Visitor,
        value::{Error as DecodeError, SeqAccessDeserializer},
    },
    forward_to_deserialize_any,
};
use sqlx::{
    Decode, FromRow, Postgres, Row, Sqlite, Type, TypeInfo, ValueRef,
    error::BoxDynError,
    postgres::{PgRow, PgTypeInfo, PgValueFormat, PgValueRef},
    sqlite::{SqliteRow, SqliteTypeInfo, SqliteValueRef},
    types::Json,
};
use std::str;

/// A nested row, or a `Vec` of nested rows; SQL NULL is an empty `Vec`.
#[derive(Debug)]
pub struct Nested<T>(
    /// The decoded value.
    pub T,
);

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
        <Json<T> as Decode<'r, Sqlite>>::decode(value).map(|Json(value)| Self(value))
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
        Ok(Self(T::deserialize(Field::new(value)?)?))
    }
}

/// The rows of [`select_rows`](crate::select_rows) in one database row: all of them on SQLite, one on PostgreSQL.
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
        let value = T::deserialize(SeqAccessDeserializer::new(&mut columns));
        let value = value.and_then(|value| check_all_read(row.len() - columns.next).map(|()| value));
        value.map(|value| Self(vec![value])).map_err(|e| sqlx::Error::Decode(Box::new(e)))
    }
}

/// The columns of a PostgreSQL row.
struct Columns<'r> {
    row: &'r PgRow,
    next: usize,
}

impl<'r> SeqAccess<'r> for &mut Columns<'r> {
    type Error = DecodeError;

    fn next_element_seed<S: de::DeserializeSeed<'r>>(&mut self, seed: S) -> Decoded<Option<S::Value>> {
        if self.next == self.row.len() {
            return Ok(None);
        }
        let value = self.row.try_get_raw(self.next).map_err(DecodeError::custom)?;
        self.next += 1;
        seed.deserialize(Field::new(value)?).map(Some)
    }
}

/// OIDs of PostgreSQL's types that occur in columns.
mod oid {
    pub const BOOL: u32 = 16;
    pub const INT8: u32 = 20;
    pub const INT2: u32 = 21;
    pub const INT4: u32 = 23;
    pub const TEXT: u32 = 25;
    pub const JSON: u32 = 114;
    pub const FLOAT8: u32 = 701;
    /// A string literal without a cast.
    pub const UNKNOWN: u32 = 705;
    pub const VARCHAR: u32 = 1043;
    pub const DATE: u32 = 1082;
    pub const TIMESTAMPTZ: u32 = 1184;
    pub const RECORD: u32 = 2249;
    pub const RECORD_ARRAY: u32 = 2287;
    pub const UUID: u32 = 2950;
    pub const JSONB: u32 = 3802;
}

type Decoded<T> = Result<T, DecodeError>;

/// A struct with fewer fields than the row has columns is an error, not a partial read.
fn check_all_read(left: usize) -> Decoded<()> {
    if left > 0 { Err(DecodeError::custom(format!("{left} columns without a field"))) } else { Ok(()) }
}

fn get<T>(value: Result<T, TryGetError>) -> Decoded<T> {
    value.map_err(DecodeError::custom)
}

/// The values of a record or of an array of records.
struct Fields<'a> {
    rest: &'a [u8],
    left: usize,
    /// The type of an array's elements. A record's values have one each.
    element: Option<u32>,
}

impl<'a> Fields<'a> {
    fn of_record(mut rest: &'a [u8]) -> Decoded<Self> {
        let left = usize::try_from(get(rest.try_get_i32())?).unwrap_or(0);
        Ok(Self { rest, left, element: None })
    }

    fn of_array(mut rest: &'a [u8]) -> Decoded<Self> {
        let (dimensions, _has_nulls) = (get(rest.try_get_i32())?, get(rest.try_get_i32())?);
        let element = Some(get(rest.try_get_u32())?);
        let left = match dimensions {
            0 => 0,
            1 => {
                let (length, _lower_bound) = (get(rest.try_get_i32())?, get(rest.try_get_i32())?);
                usize::try_from(length).unwrap_or(0)
            }
            _ => return Err(DecodeError::custom("an array of arrays")),
        };
        Ok(Self { rest, left, element })
    }

    fn visit<V: Visitor<'a>>(mut self, visitor: V) -> Decoded<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        check_all_read(self.left).map(|()| value)
    }
}

impl<'a> SeqAccess<'a> for &mut Fields<'a> {
    type Error = DecodeError;

    fn next_element_seed<S: de::DeserializeSeed<'a>>(&mut self, seed: S) -> Decoded<Option<S::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let oid = match self.element {
            Some(oid) => oid,
            None => get(self.rest.try_get_u32())?,
        };
        // A negative length is NULL.
        let bytes = match usize::try_from(get(self.rest.try_get_i32())?) {
            Err(_) => None,
            Ok(length) => {
                let split = self.rest.split_at_checked(length);
                let (bytes, rest) = split.ok_or_else(|| DecodeError::custom("a record is cut off"))?;
                self.rest = rest;
                Some(bytes)
            }
        };
        seed.deserialize(Field { oid, bytes }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A value in PostgreSQL's binary format; NULL has no bytes.
#[derive(Clone, Copy)]
struct Field<'a> {
    oid: u32,
    bytes: Option<&'a [u8]>,
}

impl<'a> Field<'a> {
    fn new(value: PgValueRef<'a>) -> Decoded<Self> {
        if value.format() != PgValueFormat::Binary {
            return Err(DecodeError::custom("only prepared statements return values in binary format"));
        }
        let oid = value.type_info().oid().map_or(oid::RECORD_ARRAY, |oid| oid.0);
        let bytes = if value.is_null() { None } else { Some(value.as_bytes().map_err(DecodeError::custom)?) };
        Ok(Self { oid, bytes })
    }

    /// The text of a JSON value. JSONB has a version number before it.
    fn json(&self) -> Option<&'a [u8]> {
        match (self.oid, self.bytes?) {
            (oid::JSON, text) | (oid::JSONB, [1, text @ ..]) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserializer<'de> for Field<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        if let Some(text) = self.json() {
            return serde_json::Deserializer::from_slice(text).deserialize_any(visitor).map_err(DecodeError::custom);
        }
        let Some(mut bytes) = self.bytes else { return visitor.visit_unit() };
        match self.oid {
            oid::BOOL => visitor.visit_bool(bytes != [0]),
            oid::INT2 => visitor.visit_i16(get(bytes.try_get_i16())?),
            oid::INT4 => visitor.visit_i32(get(bytes.try_get_i32())?),
            oid::INT8 => visitor.visit_i64(get(bytes.try_get_i64())?),
            oid::FLOAT8 => visitor.visit_f64(get(bytes.try_get_f64())?),
            oid::TEXT | oid::VARCHAR | oid::UNKNOWN => {
                visitor.visit_borrowed_str(str::from_utf8(bytes).map_err(DecodeError::custom)?)
            }
            oid::UUID => visitor.visit_borrowed_bytes(bytes),
            // chrono deserializes text only.
            oid::DATE => visitor.visit_string(timestamps::date::<DecodeError>(get(bytes.try_get_i32())?)?.to_string()),
            oid::TIMESTAMPTZ => {
                let at = timestamps::timestamp::<DecodeError>(get(bytes.try_get_i64())?)?;
                visitor.visit_string(at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
            }
            oid::RECORD => Fields::of_record(bytes)?.visit(visitor),
            oid::RECORD_ARRAY => Fields::of_array(bytes)?.visit(visitor),
            oid => Err(DecodeError::custom(format!("a column of the unsupported type {oid}"))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        match self.bytes {
            Some(_) if self.json() != Some(b"null") => visitor.visit_some(self),
            _ => visitor.visit_none(),
        }
    }

    /// [`timestamps`] takes a timestamp as a number.
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        match (self.oid, self.bytes) {
            (oid::TIMESTAMPTZ, Some(mut bytes)) => visitor.visit_i64(get(bytes.try_get_i64())?),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Decoded<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    /// Text is the name of a variant; JSON has variants with content, too.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Decoded<V::Value> {
        if let Some(text) = self.json() {
            let mut json = serde_json::Deserializer::from_slice(text);
            return json.deserialize_enum(name, variants, visitor).map_err(DecodeError::custom);
        }
        let variant = str::from_utf8(self.bytes.unwrap_or_default()).map_err(DecodeError::custom)?;
        visitor.visit_enum(variant.into_deserializer())
    }

    /// `array_agg` of no rows is NULL.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Decoded<V::Value> {
        match self.bytes {
            None => Fields { rest: &[], left: 0, element: None }.visit(visitor),
            Some(_) => self.deserialize_any(visitor),
        }
    }

    /// UUIDs are bytes, not text.
    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple tuple_struct map struct identifier ignored_any
    }
}

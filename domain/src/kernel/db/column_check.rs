//! Test helper: checks that a column list names the fields of the struct it is decoded into, in order.
use super::ColumnSpec;
use serde::{Deserialize, Deserializer, de};
use std::cell::Cell;

/// A deserializer that records the field names of a struct and fails.
struct FieldNames<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = de::value::Error;

    fn deserialize_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.set(fields);
        Err(de::Error::custom("recorded"))
    }

    fn deserialize_any<V: de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not a struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// # Panics
/// When `columns` differ from the fields of `T`.
pub(crate) fn assert_columns_match<'de, T: Deserialize<'de>>(columns: &[ColumnSpec]) {
    let fields = Cell::new(&[][..]);
    assert!(T::deserialize(FieldNames(&fields)).is_err());
    assert_eq!(columns.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), fields.get());
}

//! Test that the columns a struct is read from name its fields in order.
use super::ColumnSpec;
use serde::{Deserialize, Deserializer, de};
use std::cell::Cell;

/// Asks a struct for the names of its fields instead of giving it any.
struct Ask<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = de::value::Error;

    fn deserialize_struct<V: de::Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.set(fields);
        Err(de::Error::custom("asked"))
    }

    fn deserialize_any<V: de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not a struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn agrees<'de, T: Deserialize<'de>>(columns: &[ColumnSpec]) {
    let fields = Cell::new(&[][..]);
    assert!(T::deserialize(Ask(&fields)).is_err());
    assert_eq!(columns.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), fields.get());
}

#[test]
fn column_specs_name_the_struct_fields_in_order() {
    agrees::<crate::spvs::Spv>(crate::spvs::store::COLUMNS);
    agrees::<crate::companies::Company>(crate::companies::store::COLUMNS);
    agrees::<crate::steps::Step>(crate::steps::store::COLUMNS);
    agrees::<crate::clients::Client>(crate::clients::store::COLUMNS);
    agrees::<crate::commissions::Commission>(crate::commissions::store::COLUMNS);
    agrees::<crate::activity::Activity>(crate::activity::store::COLUMNS);
    agrees::<crate::dashboards::store::Group>(crate::dashboards::store::GROUPS);
    agrees::<crate::finances::store::Cell>(crate::finances::store::CELLS);
    agrees::<crate::analytics::store::Orders>(crate::analytics::store::ORDERS);
    agrees::<crate::analytics::store::Steps>(crate::analytics::store::STEPS);
    agrees::<crate::analytics::store::Kept>(crate::analytics::store::KEPT);
    agrees::<crate::reports::store::Order>(crate::reports::store::ORDERS);
    agrees::<crate::reports::store::Step>(crate::reports::store::STEPS);
    agrees::<crate::auth::factors::Factor>(crate::auth::factors::store::COLUMNS);
    agrees::<crate::auth::identities::Identity>(crate::auth::identities::store::COLUMNS);
    agrees::<crate::auth::failures::Counted>(crate::auth::failures::store::COLUMNS);
}

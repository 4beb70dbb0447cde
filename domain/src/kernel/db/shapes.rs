//! Test that the columns a struct is read from name its fields in order.
use super::Shape;
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

fn agrees<'de, T: Deserialize<'de>>(columns: &Shape) {
    let fields = Cell::new(&[][..]);
    assert!(T::deserialize(Ask(&fields)).is_err());
    assert_eq!(columns.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), fields.get());
}

#[test]
fn shapes_name_the_fields_of_their_structs_in_order() {
    agrees::<crate::orders::spvs::Spv>(crate::orders::spvs::COLUMNS);
    agrees::<crate::directory::companies::Company>(crate::directory::companies::COLUMNS);
    agrees::<crate::orders::steps::Step>(crate::orders::steps::COLUMNS);
    agrees::<crate::directory::clients::Client>(crate::directory::clients::COLUMNS);
    agrees::<crate::orders::commissions::Commission>(crate::orders::commissions::COLUMNS);
    agrees::<crate::platform::activity::Activity>(crate::platform::activity::store::COLUMNS);
    agrees::<crate::reporting::dashboards::store::Group>(crate::reporting::dashboards::store::GROUPS);
    agrees::<crate::reporting::finances::store::Cell>(crate::reporting::finances::store::CELLS);
    agrees::<crate::reporting::analytics::store::Orders>(crate::reporting::analytics::store::ORDERS);
    agrees::<crate::reporting::analytics::store::Steps>(crate::reporting::analytics::store::STEPS);
    agrees::<crate::reporting::analytics::store::Kept>(crate::reporting::analytics::store::KEPT);
    agrees::<crate::reporting::reports::store::Order>(crate::reporting::reports::store::ORDERS);
    agrees::<crate::reporting::reports::store::Step>(crate::reporting::reports::store::STEPS);
    agrees::<crate::accounts::auth::factors::Factor>(crate::accounts::auth::factors::store::COLUMNS);
    agrees::<crate::accounts::auth::identities::Identity>(crate::accounts::auth::identities::store::COLUMNS);
    agrees::<crate::accounts::auth::failures::Counted>(crate::accounts::auth::failures::store::COLUMNS);
}

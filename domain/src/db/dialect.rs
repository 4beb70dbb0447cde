//! Where SQLite's SQL and PostgreSQL's must differ, and rows within a row, which each makes in its own way.
use std::sync::OnceLock;

/// Placeholders of a list: `$3, $4` from 3 on for two values.
pub fn params(first: usize, count: usize) -> String {
    (first..first + count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// Which SQL is spoken, for the few places where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// SQL that is put together once for each: to do so every time is half of what asking costs.
#[derive(Debug)]
pub struct PerDialect {
    written: fn(Dialect) -> String,
    sqlite: OnceLock<String>,
    postgres: OnceLock<String>,
}

impl PerDialect {
    pub const fn new(written: fn(Dialect) -> String) -> Self {
        Self { written, sqlite: OnceLock::new(), postgres: OnceLock::new() }
    }

    pub fn of(&'static self, dialect: Dialect) -> &'static str {
        let once = match dialect {
            Dialect::Sqlite => &self.sqlite,
            Dialect::Postgres => &self.postgres,
        };
        once.get_or_init(|| (self.written)(dialect))
    }
}

/// How a column goes into JSON on SQLite, which has neither ids nor booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Col {
    Plain,
    Id,
    Flag,
    /// JSON already: a JSON column, or a query that makes some.
    Json,
}

/// The columns of a row in the order of the struct's fields: the struct's name of each, its SQL expression and kind.
pub type Shape<'a> = [(&'a str, &'a str, Col)];

/// One row as a JSON array of its columns, which reads into a struct of as many fields. Names would be half of what
/// the database writes and we read; that a shape and its struct agree is tested.
pub fn json_row(dialect: Dialect, columns: &Shape) -> String {
    let values: Vec<String> = columns
        .iter()
        .map(|(_, expression, kind)| match (dialect, kind) {
            // Without its dashes, and in capitals: whoever reads it takes it either way.
            (Dialect::Sqlite, Col::Id) => format!("nullif(hex({expression}), '')"),
            (Dialect::Sqlite, Col::Json) => format!("json({expression})"),
            (Dialect::Sqlite, Col::Flag) => format!("json(iif({expression}, 'true', 'false'))"),
            _ => (*expression).to_owned(),
        })
        .collect();
    let function = if dialect == Dialect::Sqlite { "json_array" } else { "json_build_array" };
    format!("{function}({})", values.join(", "))
}

/// One row as one value, which [`Shaped`](super::Shaped) reads: JSON on SQLite, a record on PostgreSQL.
pub fn row_of(dialect: Dialect, columns: &Shape) -> String {
    match dialect {
        Dialect::Sqlite => json_row(dialect, columns),
        Dialect::Postgres => {
            let values: Vec<&str> = columns.iter().map(|(_, expression, _)| *expression).collect();
            format!("row({})", values.join(", "))
        }
    }
}

/// A statement for all rows of `from`, which [`Query::list`](super::Query::list) reads. sqlx hands every row of SQLite over
/// between two threads, so there they are one value in one row, several times cheaper than fifty rows. On PostgreSQL each
/// is a row as ever: to make one value of fifty orders it may take memory from the system each time and give it back, and
/// records cost it a quarter more than their columns do.
pub fn rows_of(dialect: Dialect, columns: &Shape, from: &str) -> String {
    match dialect {
        Dialect::Sqlite => list_of(dialect, columns, from),
        Dialect::Postgres => {
            let values: Vec<&str> = columns.iter().map(|(_, expression, _)| *expression).collect();
            format!("select {} from ({from}) t", values.join(", "))
        }
    }
}

/// A few rows of `from` as one value, as a part of a statement that asks for more.
pub fn list_of(dialect: Dialect, columns: &Shape, from: &str) -> String {
    let row = row_of(dialect, columns);
    match dialect {
        Dialect::Sqlite => format!("select json_group_array({row}) from ({from}) t"),
        Dialect::Postgres => format!("select array_agg({row}) from ({from}) t"),
    }
}

/// A [`list_of`] as a value inside another or inside [`rows_of`]. SQLite forgets that a subquery's text is JSON and reads it once more, so
/// a list that is not one of many goes into a column of its own.
pub fn within(dialect: Dialect, list: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("json(({list}))"),
        Dialect::Postgres => format!("({list})"),
    }
}

/// Writes `text` with its placeholders `$1…` moved up by `by`.
pub(super) fn renumber(text: &str, by: usize, to: &mut String) {
    put(text, "$", by, to);
}

/// Writes `text` with something else in place of its placeholders `$1…`: a word and the number moved up by `by`.
pub(super) fn put(text: &str, word: &str, by: usize, to: &mut String) {
    let mut parts = text.split('$');
    to.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        match part[..digits].parse::<usize>() {
            Ok(n) => {
                to.push_str(word);
                to.push_str(&(n + by).to_string());
            }
            Err(_) => {
                to.push('$');
                to.push_str(&part[..digits]);
            }
        }
        to.push_str(&part[digits..]);
    }
}

/// A statement that finds a row by its only value `$1`, a uuid, for `n` such values on PostgreSQL: its columns, and behind
/// them which of the values it was found by, from zero. Not an array, of which PostgreSQL does not know how many there
/// will be, and so plans every time anew.
pub fn of_each(text: &str, n: usize) -> String {
    debug_assert!(!text.contains("$2") && !text.contains("$10"), "{text}");
    let keys: Vec<String> = (0..n).map(|nth| format!("(cast(${} as uuid), {nth})", nth + 1)).collect();
    let text = text.replace("$1", "asked.key");
    format!("select t.*, asked.nth from (values {}) asked (key, nth) cross join lateral ({text}) t", keys.join(", "))
}

/// A condition that no index is chosen by, beside one that finds fewer rows. Both databases take the first index that
/// an equality fits, however many rows have the value; that something is true is no equality to them.
pub fn beside(condition: &str) -> String {
    format!("({condition}) is true")
}

/// The condition that an id is one of a list, which is bound to `$1` as one value: a JSON array of ids.
pub fn in_list(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "in (select unhex(replace(value, '-', '')) from json_each($1))",
        Dialect::Postgres => "in (select cast(value as uuid) from json_array_elements_text(cast($1 as json)))",
    }
}

/// The condition that `text` contains the value of `placeholder`.
pub fn contains(dialect: Dialect, text: &str, placeholder: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("instr({text}, {placeholder}) > 0"),
        Dialect::Postgres => format!("strpos({text}, {placeholder}) > 0"),
    }
}

/// What keeps a selected row from other writers until the transaction ends, as if it were written already. SQLite
/// needs nothing: a transaction that writes is alone from its beginning. (To write `id = id` would do on both, but
/// SQLite then looks through every table that refers to the row.) New rows may refer to it meanwhile.
pub fn for_update(dialect: Dialect, table: &str) -> String {
    match dialect {
        Dialect::Sqlite => String::new(),
        Dialect::Postgres => format!(" for no key update of {table}"),
    }
}

/// Which of the slots of a kept figure a transaction adds to: that of its connection, so that those who write at the same
/// time do not wait for one another. A figure is the sum of its slots. SQLite has one writer.
pub fn slot(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "0",
        Dialect::Postgres => "pg_backend_pid() % 16",
    }
}

/// Whole seconds between two instants, never less than none.
pub fn elapsed(dialect: Dialect, from: &str, to: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("max(0, unixepoch({to}) - unixepoch({from}))"),
        Dialect::Postgres => format!("greatest(0, cast(floor(extract(epoch from {to} - {from})) as bigint))"),
    }
}

/// Sets `seq` and `hash` of many activity rows, given as JSON `[{id, seq, hash}]`, in one statement.
pub fn number_activity(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => {
            "update activity set seq = j.value ->> 'seq', hash = j.value ->> 'hash' from json_each($1) j \
             where activity.id = unhex(replace(j.value ->> 'id', '-', ''))"
        }
        Dialect::Postgres => {
            "update activity set seq = j.seq, hash = j.hash \
             from json_to_recordset($1::json) as j (id uuid, seq bigint, hash text) where activity.id = j.id"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn placeholders_move_up_and_other_dollars_stay() {
        let mut text = String::new();
        renumber("update t set a = $2, b = c ->> '$.x' where id = $1 and n = $10", 7, &mut text);
        assert_eq!(text, "update t set a = $9, b = c ->> '$.x' where id = $8 and n = $17");
    }

    #[test]
    fn a_statement_for_one_row_is_put_for_several() {
        assert_eq!(
            of_each("select a from t where id = $1", 2),
            "select t.*, asked.nth from (values (cast($1 as uuid), 0), (cast($2 as uuid), 1)) asked (key, nth) \
             cross join lateral (select a from t where id = asked.key) t"
        );
    }

    #[test]
    fn shapes_name_the_fields_of_their_structs_in_order() {
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
}

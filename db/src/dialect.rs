//! Where SQLite's SQL and PostgreSQL's must differ, and rows within a row, which each makes in its own way.
use std::sync::OnceLock;

/// Placeholders of a list: `$3, $4` from 3 on for two values.
pub fn placeholders(first: usize, count: usize) -> String {
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

    pub fn get(&'static self, dialect: Dialect) -> &'static str {
        let once = match dialect {
            Dialect::Sqlite => &self.sqlite,
            Dialect::Postgres => &self.postgres,
        };
        once.get_or_init(|| (self.written)(dialect))
    }
}

/// How a column goes into JSON on SQLite, which has neither ids nor booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Plain,
    Uuid,
    Bool,
    /// JSON already: a JSON column, or a query that makes some.
    Json,
}

/// A column of a nested row: the name of the struct's field, the SQL expression and the kind. A row's columns are in the
/// order of the fields.
pub type ColumnSpec<'a> = (&'a str, &'a str, ColumnKind);

/// One row as a JSON array of its columns, which reads into a struct of as many fields. Names would be half of what
/// the database writes and we read; that a shape and its struct agree is tested.
pub fn json_row(dialect: Dialect, columns: &[ColumnSpec]) -> String {
    let values: Vec<String> = columns
        .iter()
        .map(|(_, expression, kind)| match (dialect, kind) {
            // Without dashes and in capitals, which `Uuid` reads as well.
            (Dialect::Sqlite, ColumnKind::Uuid) => format!("nullif(hex({expression}), '')"),
            (Dialect::Sqlite, ColumnKind::Json) => format!("json({expression})"),
            (Dialect::Sqlite, ColumnKind::Bool) => format!("json(iif({expression}, 'true', 'false'))"),
            _ => (*expression).to_owned(),
        })
        .collect();
    let function = if dialect == Dialect::Sqlite { "json_array" } else { "json_build_array" };
    format!("{function}({})", values.join(", "))
}

/// One row as one value, which [`Nested`](crate::Nested) reads: JSON on SQLite, a record on PostgreSQL.
pub fn nested_row(dialect: Dialect, columns: &[ColumnSpec]) -> String {
    match dialect {
        Dialect::Sqlite => json_row(dialect, columns),
        Dialect::Postgres => {
            let values: Vec<&str> = columns.iter().map(|(_, expression, _)| *expression).collect();
            format!("row({})", values.join(", "))
        }
    }
}

/// A statement for all rows of `from`, which [`Query::list`](crate::Query::list) reads. sqlx hands every row of SQLite over
/// between two threads, so there they are one value in one row, several times cheaper than fifty rows. On PostgreSQL each
/// is a row as ever: to make one value of fifty orders it may take memory from the system each time and give it back, and
/// records cost it a quarter more than their columns do.
pub fn select_rows(dialect: Dialect, columns: &[ColumnSpec], from: &str) -> String {
    match dialect {
        Dialect::Sqlite => select_nested(dialect, columns, from),
        Dialect::Postgres => {
            let values: Vec<&str> = columns.iter().map(|(_, expression, _)| *expression).collect();
            format!("select {} from ({from}) t", values.join(", "))
        }
    }
}

/// A few rows of `from` as one value, as a part of a statement that asks for more.
pub fn select_nested(dialect: Dialect, columns: &[ColumnSpec], from: &str) -> String {
    let row = nested_row(dialect, columns);
    match dialect {
        Dialect::Sqlite => format!("select json_group_array({row}) from ({from}) t"),
        Dialect::Postgres => format!("select array_agg({row}) from ({from}) t"),
    }
}

/// A [`select_nested`] as a value inside another or inside [`select_rows`]. SQLite forgets that a subquery's text is JSON and reads it once more, so
/// a list that is not one of many goes into a column of its own.
pub fn nested_subquery(dialect: Dialect, list: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("json(({list}))"),
        Dialect::Postgres => format!("({list})"),
    }
}

/// A condition that no index is chosen by, beside one that finds fewer rows. Both databases take the first index that
/// an equality fits, however many rows have the value; that something is true is no equality to them.
pub fn unindexed(condition: &str) -> String {
    format!("({condition}) is true")
}

/// The condition that an id is one of a list, which is bound to `$1` as one value: a JSON array of ids.
pub fn in_id_list(dialect: Dialect) -> &'static str {
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

/// The slot of a sharded counter that a transaction adds to: that of its connection, so that transactions at the same
/// time do not wait for one another. A figure is the sum of its slots. SQLite has one writer.
pub fn counter_shard(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "0",
        Dialect::Postgres => "pg_backend_pid() % 16",
    }
}

/// Whole seconds between two instants, never less than none.
pub fn elapsed_seconds(dialect: Dialect, from: &str, to: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("max(0, unixepoch({to}) - unixepoch({from}))"),
        Dialect::Postgres => format!("greatest(0, cast(floor(extract(epoch from {to} - {from})) as bigint))"),
    }
}

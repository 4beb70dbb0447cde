//! SQL fragments that differ between SQLite and PostgreSQL, and nested rows, which each database builds its own way.
use std::sync::OnceLock;

/// Placeholders for `count` values, separated by commas and numbered from `first`: `$3, $4`.
pub fn placeholders(first: usize, count: usize) -> String {
    (first..first + count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// The SQL dialect of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// A cache for SQL that is built once per dialect: building it for every call is half of what the query costs us.
#[derive(Debug)]
pub struct PerDialect {
    build: fn(Dialect) -> String,
    built: [OnceLock<String>; 2],
}

impl PerDialect {
    /// Caches the SQL that `build` returns.
    pub const fn new(build: fn(Dialect) -> String) -> Self {
        Self { build, built: [OnceLock::new(), OnceLock::new()] }
    }

    /// The SQL for `dialect`.
    pub fn get(&'static self, dialect: Dialect) -> &'static str {
        self.built[dialect as usize].get_or_init(|| (self.build)(dialect))
    }
}

/// How SQLite writes a column as JSON: it has neither UUIDs nor booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text, number, date or timestamp.
    Plain,
    /// A UUID, stored as a blob.
    Uuid,
    /// A boolean, stored as 0 or 1.
    Bool,
    /// JSON: a JSON column or an expression that builds it.
    Json,
}

/// A column of a nested row: the struct's field, the SQL expression and the kind. Columns are in the order of the fields.
pub type ColumnSpec<'a> = (&'a str, &'a str, ColumnKind);

/// An expression for one row as a JSON array of its columns, which deserializes into a struct with as many fields. An
/// object with the field names would be twice as long.
pub fn json_row(dialect: Dialect, columns: &[ColumnSpec]) -> String {
    let values: Vec<String> = columns
        .iter()
        .map(|(_, expression, kind)| match (dialect, kind) {
            // Upper case without dashes, which `Uuid` parses as well.
            (Dialect::Sqlite, ColumnKind::Uuid) => format!("nullif(hex({expression}), '')"),
            (Dialect::Sqlite, ColumnKind::Json) => format!("json({expression})"),
            (Dialect::Sqlite, ColumnKind::Bool) => format!("json(iif({expression}, 'true', 'false'))"),
            _ => (*expression).to_owned(),
        })
        .collect();
    let function = if dialect == Dialect::Sqlite { "json_array" } else { "json_build_array" };
    format!("{function}({})", values.join(", "))
}

/// An expression for one row as one value, to be read as [`Nested`](crate::Nested): JSON on SQLite, a record on
/// PostgreSQL.
pub fn nested_row(dialect: Dialect, columns: &[ColumnSpec]) -> String {
    match dialect {
        Dialect::Sqlite => json_row(dialect, columns),
        Dialect::Postgres => format!("row({})", expressions(columns)),
    }
}

/// A statement for the rows of `from`, to be run with [`Query::list`](crate::Query::list). `from` is a query; its rows are
/// named `t` in the columns.
///
/// SQLite returns all of them as one JSON value: sqlx passes each row between two threads, which makes fifty rows several
/// times as expensive. PostgreSQL returns ordinary rows: one value of fifty orders costs it three times as much, and
/// records a quarter more.
pub fn select_rows(dialect: Dialect, columns: &[ColumnSpec], from: &str) -> String {
    match dialect {
        Dialect::Sqlite => select_nested(dialect, columns, from),
        Dialect::Postgres => format!("select {} from ({from}) t", expressions(columns)),
    }
}

/// A statement for the rows of `from` as one value, to be read as [`Nested<Vec<_>>`](crate::Nested): for a few rows beside
/// other columns.
pub fn select_nested(dialect: Dialect, columns: &[ColumnSpec], from: &str) -> String {
    let aggregate = if dialect == Dialect::Sqlite { "json_group_array" } else { "array_agg" };
    format!("select {aggregate}({}) from ({from}) t", nested_row(dialect, columns))
}

fn expressions(columns: &[ColumnSpec]) -> String {
    columns.iter().map(|(_, expression, _)| *expression).collect::<Vec<_>>().join(", ")
}

/// The statement of a [`select_nested`] as a column of another nested row. SQLite does not keep the JSON subtype of a
/// subquery and parses it once more, so a list outside nested rows is better a column of its own.
pub fn nested_subquery(dialect: Dialect, select: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("json(({select}))"),
        Dialect::Postgres => format!("({select})"),
    }
}

/// `condition` in a form that no index is used for, beside a condition that finds fewer rows. Both planners prefer an
/// index on an equality, even where most rows have that value.
pub fn unindexed(condition: &str) -> String {
    format!("({condition}) is true")
}

/// The condition `in (…)` for a list of ids, bound to `$1` as one JSON array.
pub fn in_id_list(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "in (select unhex(replace(value, '-', '')) from json_each($1))",
        Dialect::Postgres => "in (select cast(value as uuid) from json_array_elements_text(cast($1 as json)))",
    }
}

/// The condition that `text` contains the value of `placeholder`.
pub fn contains(dialect: Dialect, text: &str, placeholder: &str) -> String {
    let function = if dialect == Dialect::Sqlite { "instr" } else { "strpos" };
    format!("{function}({text}, {placeholder}) > 0")
}

/// The row lock of a `select`: other writers of the row wait until the transaction ends, new rows may refer to it. Empty on
/// SQLite, where a transaction that writes is the only one.
pub fn for_update(dialect: Dialect, table: &str) -> String {
    match dialect {
        Dialect::Sqlite => String::new(),
        Dialect::Postgres => format!(" for no key update of {table}"),
    }
}

/// The shard of a counter that this connection adds to, so that concurrent transactions do not wait for one row. A
/// counter's value is the sum of its shards. SQLite, with one writer, has one shard.
pub fn counter_shard(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "0",
        Dialect::Postgres => "pg_backend_pid() % 16",
    }
}

/// Whole seconds between two timestamps, at least 0.
pub fn elapsed_seconds(dialect: Dialect, from: &str, to: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("max(0, unixepoch({to}) - unixepoch({from}))"),
        Dialect::Postgres => format!("greatest(0, cast(floor(extract(epoch from {to} - {from})) as bigint))"),
    }
}

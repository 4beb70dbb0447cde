//! Nested rows decode alike on both databases.
use crate::support::{TestDb, on_both};
use chrono::{DateTime, NaiveDate, Utc};
use db::{
    ColumnKind, ColumnSpec, Dialect, Error, Json, Nested, Sql, Tx, nested_row, nested_subquery, select_nested,
    select_rows, timestamps,
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    WithUnderscore,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Read {
    id: Uuid,
    reference: Option<Uuid>,
    text: String,
    none: Option<String>,
    kind: Kind,
    number: i64,
    part: f64,
    yes: bool,
    day: NaiveDate,
    at: DateTime<Utc>,
    never: Option<DateTime<Utc>>,
    data: Value,
    absent: Option<Value>,
    lines: Vec<(String, i64)>,
    named: Option<Named>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Named {
    name: String,
}

/// Timestamps read by `timestamps`.
#[derive(Debug, Deserialize, PartialEq)]
struct Times {
    #[serde(deserialize_with = "timestamps::deserialize")]
    at: DateTime<Utc>,
    #[serde(deserialize_with = "timestamps::deserialize_option")]
    never: Option<DateTime<Utc>>,
}

impl Times {
    fn of(row: &Read) -> Self {
        Self { at: row.at, never: row.never }
    }
}

const TIMES: &[ColumnSpec] = &[("at", "t.at", ColumnKind::Plain), ("never", "t.never", ColumnKind::Plain)];

const LINES: &[ColumnSpec] = &[("text", "t.text", ColumnKind::Plain), ("n", "t.n", ColumnKind::Plain)];

fn columns(lines: &str) -> Vec<(&str, &str, ColumnKind)> {
    vec![
        ("id", "t.id", ColumnKind::Uuid),
        ("reference", "t.reference", ColumnKind::Uuid),
        ("text", "t.text", ColumnKind::Plain),
        ("none", "t.none", ColumnKind::Plain),
        ("kind", "t.kind", ColumnKind::Plain),
        ("number", "t.number", ColumnKind::Plain),
        ("part", "t.part", ColumnKind::Plain),
        ("yes", "t.yes", ColumnKind::Bool),
        ("day", "t.day", ColumnKind::Plain),
        ("at", "t.at", ColumnKind::Plain),
        ("never", "t.never", ColumnKind::Plain),
        ("data", "t.data", ColumnKind::Json),
        ("absent", "t.absent", ColumnKind::Json),
        ("lines", lines, ColumnKind::Plain),
        ("named", "t.named", ColumnKind::Json),
    ]
}

/// Two tables with every column type, in a transaction that is rolled back.
async fn create_tables(fresh: &TestDb) -> Tx {
    let mut tx = fresh.db.begin_bulk().await.unwrap();
    let [id, flag, day, at, json] = match tx.dialect() {
        Dialect::Sqlite => ["blob", "integer", "text", "text", "text"],
        Dialect::Postgres => ["uuid", "boolean", "date", "timestamptz", "jsonb"],
    };
    tx.sql_built(format!(
        "create table kinds (id {id} primary key, reference {id}, text text not null, none text, kind text not null, \
         number bigint not null, part double precision not null, yes {flag} not null, day {day} not null, \
         at {at} not null, never {at}, data {json} not null, absent {json}, named {json})"
    ))
    .run()
    .await
    .unwrap();
    tx.sql_built(format!(
        "create table lines (owner {id} not null references kinds (id), text text not null, n bigint not null)"
    ))
    .run()
    .await
    .unwrap();
    tx
}

async fn insert(tx: &mut Tx, row: &Read) {
    tx.sql(
        "insert into kinds (id, reference, text, none, kind, number, part, yes, day, at, never, data, absent, named) \
         values ($1, $2, $3, $4, 'with_underscore', $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(row.id)
    .bind(row.reference)
    .bind(row.text.clone())
    .bind(row.none.clone())
    .bind(row.number)
    .bind(row.part)
    .bind(row.yes)
    .bind(row.day)
    .bind(row.at)
    .bind(row.never)
    .bind(Json(row.data.clone()))
    .bind(row.absent.clone().map(Json))
    .bind(row.named.as_ref().map(|named| Json(json!({"name": named.name}))))
    .run()
    .await
    .unwrap();
    for (text, n) in &row.lines {
        let sql = "insert into lines (owner, text, n) values ($1, $2, $3)";
        tx.sql(sql).bind(row.id).bind(text.clone()).bind(*n).run().await.unwrap();
    }
}

fn is_decode_error<T>(read: Result<Vec<T>, Error>) -> bool {
    matches!(read, Err(Error::Other(why)) if why.to_string().contains("decoding"))
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A value in every column.
fn full() -> Read {
    Read {
        id: Uuid::from_u128(7),
        reference: Some(Uuid::from_u128(u128::MAX)),
        text: "Zoë \"quoted\" \\ back, (a) {b}\n\tand 🏛".to_owned(),
        none: Some(String::new()),
        kind: Kind::WithUnderscore,
        number: i64::MIN,
        part: 0.1,
        yes: true,
        day: NaiveDate::from_ymd_opt(1969, 12, 31).unwrap(),
        at: at("1999-12-31T23:59:59.999999Z"),
        never: Some(at("9999-12-31T00:00:00.000001Z")),
        data: json!({"a": [1, null, "b"], "c": {"d": true}}),
        absent: Some(json!([])),
        lines: vec![("one".to_owned(), 1), ("two, \"and\" so on".to_owned(), -2)],
        named: Some(Named { name: "Ada".to_owned() }),
    }
}

/// Nothing where nothing is allowed.
fn bare() -> Read {
    Read {
        id: Uuid::from_u128(8),
        reference: None,
        text: String::new(),
        none: None,
        kind: Kind::WithUnderscore,
        number: 0,
        part: -3.0,
        yes: false,
        day: NaiveDate::from_ymd_opt(2000, 1, 1).unwrap(),
        at: at("2026-11-23T10:00:00Z"),
        never: None,
        data: json!("text"),
        absent: None,
        lines: vec![],
        named: None,
    }
}

#[tokio::test]
async fn nested_rows_round_trip_and_reject_missing_or_extra_columns() {
    on_both(async |fresh| {
        let mut tx = create_tables(&fresh).await;
        let dialect = tx.dialect();
        let lines = nested_subquery(
            dialect,
            &select_nested(dialect, LINES, "select * from lines where owner = t.id order by n desc"),
        );
        let columns = columns(&lines);
        let sql = select_rows(dialect, &columns, "select * from kinds order by id");
        let list = format!("select ({})", select_nested(dialect, &columns, "select * from kinds order by id"));
        assert_eq!(tx.sql_built(sql.clone()).list::<Read>().await.unwrap(), [], "no rows");
        let none = tx.sql_built(list.clone()).one::<(Nested<Vec<Read>>,)>().await.unwrap().0.0;
        assert_eq!(none, [], "no nested rows");
        insert(&mut tx, &full()).await;
        insert(&mut tx, &bare()).await;
        assert_eq!(tx.sql_built(sql).list::<Read>().await.unwrap(), [full(), bare()]);
        assert_eq!(tx.sql_built(list).one::<(Nested<Vec<Read>>,)>().await.unwrap().0.0, [full(), bare()]);
        let one = format!("select {} from kinds t where number = 0", nested_row(dialect, &columns));
        assert_eq!(tx.sql_built(one).one::<(Nested<Read>,)>().await.unwrap().0.0, bare());
        let times = select_rows(dialect, TIMES, "select * from kinds order by id");
        let both = [Times::of(&full()), Times::of(&bare())];
        assert_eq!(tx.sql_built(times).list::<Times>().await.unwrap(), both);
        let times = format!("select ({})", select_nested(dialect, TIMES, "select * from kinds order by id"));
        assert_eq!(tx.sql_built(times).one::<(Nested<Vec<Times>>,)>().await.unwrap().0.0, both);
        let names = select_rows(dialect, LINES, "select * from lines");
        assert_eq!(tx.sql_built(names.clone()).list::<(String, i64)>().await.unwrap().len(), 2);
        // Extra columns.
        assert!(is_decode_error(tx.sql_built(names).list::<(String,)>().await));
        drop(tx);
        let mut tx = create_tables(&fresh).await;
        insert(&mut tx, &full()).await;
        // Missing columns.
        let short = select_rows(dialect, &columns[..3], "select * from kinds");
        assert!(is_decode_error(tx.sql_built(short).list::<Read>().await));
    })
    .await;
}

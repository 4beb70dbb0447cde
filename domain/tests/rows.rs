//! Rows within a row read alike on both databases, and statements that go together do what they did one by one.
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Error,
    db::{Col, Dialect, Shape, Shaped, Sql, Tx, list_of, row_of, rows_of, times, within},
    testing::{World, on_both},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    OfOurs,
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

/// Its times as the rows that are read most take them.
#[derive(Debug, Deserialize, PartialEq)]
struct Times {
    #[serde(deserialize_with = "times::instant")]
    at: DateTime<Utc>,
    #[serde(deserialize_with = "times::maybe_instant")]
    never: Option<DateTime<Utc>>,
}

impl Times {
    fn of(row: &Read) -> Self {
        Self { at: row.at, never: row.never }
    }
}

const TIMES: &Shape = &[("at", "t.at", Col::Plain), ("never", "t.never", Col::Plain)];

const LINES: &Shape = &[("text", "t.text", Col::Plain), ("n", "t.n", Col::Plain)];

fn shape(lines: &str) -> Vec<(&str, &str, Col)> {
    vec![
        ("id", "t.id", Col::Id),
        ("reference", "t.reference", Col::Id),
        ("text", "t.text", Col::Plain),
        ("none", "t.none", Col::Plain),
        ("kind", "t.kind", Col::Plain),
        ("number", "t.number", Col::Plain),
        ("part", "t.part", Col::Plain),
        ("yes", "t.yes", Col::Flag),
        ("day", "t.day", Col::Plain),
        ("at", "t.at", Col::Plain),
        ("never", "t.never", Col::Plain),
        ("data", "t.data", Col::Json),
        ("absent", "t.absent", Col::Json),
        ("lines", lines, Col::Plain),
        ("named", "t.named", Col::Json),
    ]
}

/// Two tables with every type that a column of ours has, in a transaction that is rolled back.
async fn tables(world: &World) -> Tx {
    let mut tx = world.db.begin().await.unwrap();
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
         values ($1, $2, $3, $4, 'of_ours', $5, $6, $7, $8, $9, $10, $11, $12, $13)",
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
    .bind(domain::db::Json(row.data.clone()))
    .bind(row.absent.clone().map(domain::db::Json))
    .bind(row.named.as_ref().map(|named| domain::db::Json(json!({"name": named.name}))))
    .run()
    .await
    .unwrap();
    for (text, n) in &row.lines {
        let sql = "insert into lines (owner, text, n) values ($1, $2, $3)";
        tx.sql(sql).bind(row.id).bind(text.clone()).bind(*n).run().await.unwrap();
    }
}

fn is_unreadable<T>(read: Result<Vec<T>, Error>) -> bool {
    matches!(read, Err(Error::Internal(why)) if why.to_string().contains("decoding"))
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

#[tokio::test]
async fn rows_within_a_row_are_what_was_written() {
    let full = || Read {
        id: Uuid::from_u128(7),
        reference: Some(Uuid::from_u128(u128::MAX)),
        text: "Zoë \"quoted\" \\ back, (a) {b}\n\tand 🏛".to_owned(),
        none: Some(String::new()),
        kind: Kind::OfOurs,
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
    };
    let bare = || Read {
        id: Uuid::from_u128(8),
        reference: None,
        text: String::new(),
        none: None,
        kind: Kind::OfOurs,
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
    };
    on_both(async |world| {
        let mut tx = tables(&world).await;
        let dialect = tx.dialect();
        let lines = within(dialect, &list_of(dialect, LINES, "select * from lines where owner = t.id order by n desc"));
        let shape = shape(&lines);
        let sql = rows_of(dialect, &shape, "select * from kinds order by id");
        let list = format!("select ({})", list_of(dialect, &shape, "select * from kinds order by id"));
        assert_eq!(tx.sql_built(sql.clone()).list::<Read>().await.unwrap(), [], "none is an empty list");
        let none = tx.sql_built(list.clone()).one::<(Shaped<Vec<Read>>,)>().await.unwrap().0.0;
        assert_eq!(none, [], "and so it is within a row");
        insert(&mut tx, &full()).await;
        insert(&mut tx, &bare()).await;
        assert_eq!(tx.sql_built(sql).list::<Read>().await.unwrap(), [full(), bare()]);
        assert_eq!(tx.sql_built(list).one::<(Shaped<Vec<Read>>,)>().await.unwrap().0.0, [full(), bare()]);
        let one = format!("select {} from kinds t where number = 0", row_of(dialect, &shape));
        assert_eq!(tx.sql_built(one).one::<(Shaped<Read>,)>().await.unwrap().0.0, bare());
        let times = rows_of(dialect, TIMES, "select * from kinds order by id");
        let both = [Times::of(&full()), Times::of(&bare())];
        assert_eq!(tx.sql_built(times).list::<Times>().await.unwrap(), both);
        let times = format!("select ({})", list_of(dialect, TIMES, "select * from kinds order by id"));
        assert_eq!(tx.sql_built(times).one::<(Shaped<Vec<Times>>,)>().await.unwrap().0.0, both);
        let names = rows_of(dialect, LINES, "select * from lines");
        assert_eq!(tx.sql_built(names.clone()).list::<(String, i64)>().await.unwrap().len(), 2);
        // A row that is not what is read is an error, not half of it.
        assert!(is_unreadable(tx.sql_built(names).list::<(String,)>().await));
        drop(tx);
        let mut tx = tables(&world).await;
        insert(&mut tx, &full()).await;
        let short = rows_of(dialect, &shape[..3], "select * from kinds");
        assert!(is_unreadable(tx.sql_built(short).list::<Read>().await));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_of_one_statement_is_done_with_its_commit_and_not_before() {
    on_both(async |world| {
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("create table marks (id bigint primary key)").run().await.unwrap();
        tx.commit().await.unwrap();
        let marks = async || {
            let marks: Vec<(i64,)> = world.db.clone().sql("select id from marks order by id").all().await.unwrap();
            marks.into_iter().map(|(id,)| id).collect::<Vec<_>>()
        };
        let marked = async |ids: &[i64]| {
            let mut tx = world.db.begin().await.unwrap();
            for id in ids {
                tx.later("insert into marks (id) values ($1)").await.unwrap().bind(*id).run().await.unwrap();
            }
            tx
        };
        drop(marked(&[1]).await);
        assert!(marks().await.is_empty());
        let tx = marked(&[2]).await;
        assert!(marks().await.is_empty());
        tx.commit().await.unwrap();
        assert_eq!(marks().await, [2]);
        // All of it or nothing, as several statements in one, too.
        assert!(marked(&[3, 4, 2]).await.commit().await.is_err());
        assert_eq!(marks().await, [2]);
        marked(&[]).await.commit().await.unwrap();
        marked(&[3, 4]).await.commit().await.unwrap();
        assert_eq!(marks().await, [2, 3, 4]);
    })
    .await;
}

#[tokio::test]
async fn statements_for_later_do_what_they_did_one_by_one() {
    on_both(async |world| {
        let mut tx = tables(&world).await;
        tx.sql("create table sums (id bigint primary key, n bigint not null, other bigint not null)")
            .run()
            .await
            .unwrap();
        // More than go together, and all of one table.
        for n in 0_i64..20 {
            tx.later("insert into sums (id, n, other) values ($1, $2, 0)")
                .await
                .unwrap()
                .bind(n)
                .bind(n)
                .run()
                .await
                .unwrap();
        }
        // Each of them changes what the one before it wrote.
        tx.later("update sums set n = n + $1 where id = $2")
            .await
            .unwrap()
            .bind(10_i64)
            .bind(1_i64)
            .run()
            .await
            .unwrap();
        tx.later("update sums set n = n * $1 where id = $2")
            .await
            .unwrap()
            .bind(3_i64)
            .bind(1_i64)
            .run()
            .await
            .unwrap();
        tx.later("update sums set other = n").await.unwrap().run().await.unwrap();
        // What reads is behind all of them, and what it wrote before what comes then.
        tx.later("insert into sums (id, n, other) select $1, sum(n), count(*) from sums")
            .await
            .unwrap()
            .bind(100_i64)
            .run()
            .await
            .unwrap();
        tx.later("insert into sums (id, n, other) values ($1, 0, 0)").await.unwrap().bind(101_i64).run().await.unwrap();
        tx.later("delete from sums where id = $1").await.unwrap().bind(2_i64).run().await.unwrap();
        tx.later("insert into sums (id, n, other) values (2, -5, -5)").await.unwrap().run().await.unwrap();
        let rows: Vec<(i64, i64, i64)> =
            tx.sql("select id, n, other from sums where id in (1, 2, 3, 100, 101) order by id").all().await.unwrap();
        let sum = (0..20).sum::<i64>() - 1 + 33;
        assert_eq!(rows, [(1, 33, 33), (2, -5, -5), (3, 3, 3), (100, sum, 20), (101, 0, 0)]);
    })
    .await;
}

#[tokio::test]
async fn a_statement_for_later_that_is_refused_leaves_nothing() {
    on_both(async |world| {
        let mut tx = world.db.begin().await.unwrap();
        tx.later("insert into heartbeats (minute) values ($1)").await.unwrap().bind(1_i64).run().await.unwrap();
        tx.later("insert into heartbeats (minute) values ($1)").await.unwrap().bind(1_i64).run().await.unwrap();
        assert!(tx.commit().await.is_err());
        let count = "select count(*) from heartbeats";
        assert_eq!(world.db.clone().sql(count).scalar::<i64>().await.unwrap(), 0);

        // Whoever goes on after a refusal is told, whatever the database thinks of it.
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("insert into heartbeats (minute) values (2)").run().await.unwrap();
        assert!(tx.sql("insert into heartbeats (minute) values (2)").run().await.is_err());
        tx.later("insert into heartbeats (minute) values (3)").await.unwrap().run().await.unwrap();
        assert!(tx.commit().await.is_err());
        assert_eq!(world.db.clone().sql(count).scalar::<i64>().await.unwrap(), 0);
    })
    .await;
}

/// Rows that others change, too, are locked in the order in which they were before statements went together.
#[tokio::test]
async fn statements_that_go_together_come_in_their_order() {
    on_both(async |world| {
        let mut tx = world.db.begin().await.unwrap();
        if tx.dialect() == Dialect::Sqlite {
            return;
        }
        tx.sql("create sequence turns").run().await.unwrap();
        for table in ["one", "two", "three", "four", "five"] {
            let sql = format!("create table {table} (id bigint not null unique, turn bigint default nextval('turns'))");
            tx.sql_built(sql).run().await.unwrap();
            tx.sql_built(format!("insert into {table} (id, turn) values (1, 0)")).run().await.unwrap();
        }
        tx.later("update two set turn = nextval('turns') where id = 1").await.unwrap().run().await.unwrap();
        tx.later("insert into three (id) values (2)").await.unwrap().run().await.unwrap();
        tx.later("update one set turn = nextval('turns') where id = 1").await.unwrap().run().await.unwrap();
        tx.later("insert into three (id) values (3)").await.unwrap().run().await.unwrap();
        for sums in ["four", "five"] {
            let add = format!("insert into {sums} (id) values (1) on conflict (id) do update set turn = excluded.turn");
            tx.later(&add).await.unwrap().run().await.unwrap();
        }
        let turns: Vec<(i64,)> = tx
            .sql(
                "select turn from two union all select turn from three where id = 2 union all select turn from one \
                  union all select turn from three where id = 3 union all select turn from four \
                  union all select turn from five",
            )
            .all()
            .await
            .unwrap();
        assert_eq!(turns, [(1,), (2,), (3,), (4,), (5,), (6,)]);
    })
    .await;
}

#[tokio::test]
async fn nothing_is_kept_of_a_transaction_whose_statement_was_cut_off() {
    let Some(world) = World::postgres().await else { return };
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("insert into heartbeats (minute) values (1)").run().await.unwrap();
    let cut = tokio::time::timeout(Duration::from_millis(50), tx.sql("select pg_sleep(0.5)").run()).await;
    assert!(cut.is_err());
    assert!(tx.commit().await.is_err());
    assert_eq!(world.db.clone().sql("select count(*) from heartbeats").scalar::<i64>().await.unwrap(), 0);
}

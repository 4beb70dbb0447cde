//! Transactions on PostgreSQL that come to the same statement and wait together are one statement, and each is kept or
//! refused as it would have been alone.
use domain::{
    Error, counts,
    db::{Db, Sql},
    spvs, steps,
    testing::World,
};
use futures::future::join_all;
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};
use tokio::{task::JoinHandle, time::timeout};
use uuid::Uuid;

/// Whoever writes there waits until it is their turn.
const SLOW: &str = "create function be_slow() returns trigger language plpgsql as \
    $$ begin while not exists (select 1 from turns where nth = new.turn) loop perform pg_sleep(0.005); end loop; \
    return new; end $$";

/// Twenty rows with a number and a version each, sums, and a table that is slow to write to.
async fn world() -> Option<(World, Vec<Uuid>)> {
    let world = World::postgres().await?;
    let keys: Vec<Uuid> = (0..20).map(Uuid::from_u128).collect();
    let mut tx = world.db.begin().await.unwrap();
    for sql in [
        "create table things (id uuid primary key, n bigint not null, version bigint not null default 1)",
        "create table sums (name text, slot bigint, n bigint not null, primary key (name, slot))",
        "create table told (nth bigint primary key, thing uuid not null, said jsonb)",
        "create table slow (a bigint, turn bigint)",
        "create table turns (nth bigint)",
        SLOW,
        "create trigger slow before insert on slow for each row execute function be_slow()",
    ] {
        tx.sql(sql).run().await.unwrap();
    }
    for key in &keys {
        tx.sql("insert into things (id, n) values ($1, -1)").bind(*key).run().await.unwrap();
    }
    tx.commit().await.unwrap();
    Some((world, keys))
}

async fn slow(db: Db, sql: String, turn: i64) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    tx.later(&sql).await?.bind(turn).run().await?;
    tx.commit().await
}

async fn turn(world: &World, nth: i64) {
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("insert into turns values ($1)").bind(nth).run().await.unwrap();
    tx.commit().await.unwrap();
}

/// How many are slow right now.
async fn sleeping(world: &World) -> i64 {
    let sleeping =
        "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
    world.db.clone().sql(sleeping).scalar().await.unwrap()
}

/// Comes back once what it waits for is so.
async fn until(so: impl AsyncFn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !so().await {
        assert!(Instant::now() < end, "it never is so");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Both connections for what goes together are taken, until [`Crowd::goes`], and whoever writes meanwhile waits: for no more
/// than three seconds.
struct Crowd(Vec<JoinHandle<Result<(), Error>>>);

impl Crowd {
    async fn comes(world: &World) -> Self {
        let mut crowd = Vec::new();
        // Each with a statement of its own.
        for nth in 1..=2 {
            let sql = format!("insert into slow (a, turn) values ({nth}, $1)");
            crowd.push(tokio::spawn(slow(world.db.clone(), sql, 1)));
            until(async || sleeping(world).await == nth).await;
        }
        Self(crowd)
    }

    /// Once so many wait behind them.
    async fn goes(self, world: &World, behind: usize) {
        world.until_waiting(behind).await;
        turn(world, 1).await;
        for one in self.0 {
            one.await.unwrap().unwrap();
        }
    }
}

/// Sets a row's number, as seen at a version, adds to a sum and tells of it.
async fn write(db: Db, key: Uuid, n: i64, version: i64) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    tx.later("insert into told (nth, thing, said) values ($1, $2, $3)")
        .await?
        .bind(n)
        .bind(key)
        .bind((n % 2 == 0).then(|| domain::db::Json(serde_json::json!({ "n": n }))))
        .run()
        .await?;
    tx.later("update things set n = $2, version = case when version + 1 = $3 then $3 end where id = $1")
        .await?
        .bind(key)
        .bind(n)
        .bind(version + 1)
        .run()
        .await?;
    tx.later("insert into sums (name, slot, n) values ($1, 7, $2) on conflict (name, slot) do update set n = sums.n + excluded.n")
        .await?
        .bind(if n % 5 == 0 { "fives" } else { "others" }.to_owned())
        .bind(n)
        .run()
        .await?;
    tx.commit().await
}

async fn things(db: &Db) -> Vec<(i64, i64)> {
    db.clone().sql("select n, version from things order by id").all().await.unwrap()
}

/// How many statements wrote what was told of.
async fn statements(db: &Db) -> i64 {
    db.clone().sql("select count(distinct cast(xmin as text)) from told").scalar().await.unwrap()
}

async fn sum(db: &Db, name: &str) -> i64 {
    let sums = "select cast(coalesce(sum(n), 0) as bigint) from sums where name = $1";
    db.clone().sql(sums).bind(name.to_owned()).scalar().await.unwrap()
}

#[tokio::test]
async fn what_waits_together_is_one_statement_and_each_writes_its_own() {
    let Some((world, keys)) = world().await else { return };
    let crowd = Crowd::comes(&world).await;
    let writing = (0..).zip(&keys).map(|(n, key)| write(world.db.clone(), *key, n, 1));
    let (written, ()) = tokio::join!(join_all(writing), crowd.goes(&world, 20));
    for written in written {
        written.unwrap();
    }
    assert_eq!(things(&world.db).await, (0..20).map(|n| (n, 2)).collect::<Vec<_>>());
    let told: Vec<(i64, Uuid, Option<i64>)> = world
        .db
        .clone()
        .sql("select nth, thing, cast(said ->> 'n' as bigint) from told order by nth")
        .all()
        .await
        .unwrap();
    let wanted = (0..).zip(&keys).map(|(n, key)| (n, *key, (n % 2 == 0).then_some(n)));
    assert_eq!(told, wanted.collect::<Vec<_>>());
    assert_eq!((sum(&world.db, "fives").await, sum(&world.db, "others").await), (30, 160));
    assert_eq!(statements(&world.db).await, 3, "eight, eight and four");

    write(world.db.clone(), keys[3], 100, 2).await.unwrap();
    assert_eq!(things(&world.db).await[3], (100, 3), "alone");
}

#[tokio::test]
async fn who_comes_second_to_a_row_is_refused_and_nobody_else() {
    let Some((world, keys)) = world().await else { return };
    let crowd = Crowd::comes(&world).await;
    // Two of each of the first five rows, all having seen the same version.
    let rows = keys.iter().take(5).chain(&keys[..5]).chain(&keys[5..]);
    let writing = (0..).zip(rows).map(|(n, key)| write(world.db.clone(), *key, n, 1));
    let (written, ()) = tokio::join!(join_all(writing), crowd.goes(&world, 25));
    let refused: Vec<usize> = (0..written.len()).filter(|n| written[*n].is_err()).collect();
    assert_eq!(refused.len(), 5, "{written:?}");
    let won = |row: usize| i64::try_from(if refused.contains(&row) { row + 5 } else { row }).unwrap();
    assert_eq!(refused.iter().map(|n| n % 5).collect::<BTreeSet<_>>().len(), 5, "one of each: {refused:?}");
    let wanted = (0..20).map(|row| (if row < 5 { won(row) } else { i64::try_from(row + 5).unwrap() }, 2));
    assert_eq!(things(&world.db).await, wanted.clone().collect::<Vec<_>>());
    let both = sum(&world.db, "fives").await + sum(&world.db, "others").await;
    assert_eq!(both, wanted.map(|(n, _)| n).sum::<i64>(), "nothing is kept of those who were refused");
    let told: i64 = world.db.clone().sql("select count(*) from told").scalar().await.unwrap();
    assert_eq!(told, 20);
}

#[tokio::test]
async fn one_that_is_refused_is_refused_alone() {
    let Some((world, keys)) = world().await else { return };
    // The fourth says what was told already, the sixth has seen another version.
    write(world.db.clone(), keys[19], 3, 1).await.unwrap();
    let crowd = Crowd::comes(&world).await;
    let before = statements(&world.db).await;
    let writing = (0..8).zip(&keys).map(|(n, key)| write(world.db.clone(), *key, n, if n == 5 { 9 } else { 1 }));
    let (written, ()) = tokio::join!(join_all(writing), crowd.goes(&world, 8));
    for (n, outcome) in written.iter().enumerate() {
        assert_eq!(outcome.is_ok(), n != 3 && n != 5, "{n}: {outcome:?}");
    }
    assert!(written[3].as_ref().is_err_and(Error::is_unique_violation), "each hears what is its own");
    let wanted = (0..8).map(|n| if n == 3 || n == 5 { (-1, 1) } else { (n, 2) });
    assert_eq!(things(&world.db).await[..8], wanted.collect::<Vec<_>>());
    assert_eq!(statements(&world.db).await, before + 6);
}

#[tokio::test]
async fn whoever_waits_for_a_lock_holds_up_nobody() {
    let Some((world, keys)) = world().await else { return };
    let mut holding = world.db.begin().await.unwrap();
    holding.sql("select n from things where id = $1 for update").bind(keys[2]).one::<(i64,)>().await.unwrap();
    let crowd = Crowd::comes(&world).await;
    let mut writing: Vec<_> =
        (0..).zip(&keys[..6]).map(|(n, key)| tokio::spawn(write(world.db.clone(), *key, n, 1))).collect();
    let held = writing.remove(2);
    crowd.goes(&world, 6).await;
    let others = timeout(Duration::from_secs(10), join_all(writing)).await.expect("nobody holds them up");
    for written in others {
        written.unwrap().unwrap();
    }
    assert!(!held.is_finished());
    assert_eq!(things(&world.db).await[2], (-1, 1));
    holding.commit().await.unwrap();
    held.await.unwrap().unwrap();
    assert_eq!(things(&world.db).await[2], (2, 2));
}

#[tokio::test]
async fn who_goes_away_while_waiting_writes_nothing_and_takes_nobody_along() {
    let Some((world, keys)) = world().await else { return };
    let crowd = Crowd::comes(&world).await;
    let writing: Vec<_> =
        (0..).zip(&keys[..6]).map(|(n, key)| tokio::spawn(write(world.db.clone(), *key, n, 1))).collect();
    world.until_waiting(6).await;
    writing[0].abort();
    writing[4].abort();
    crowd.goes(&world, 6).await;
    for (n, outcome) in join_all(writing).await.into_iter().enumerate() {
        match outcome {
            Ok(written) => written.unwrap(),
            Err(gone) => assert!(gone.is_cancelled() && (n == 0 || n == 4)),
        }
    }
    let wanted = (0..6).map(|n| if n == 0 || n == 4 { (-1, 1) } else { (n, 2) });
    assert_eq!(things(&world.db).await[..6], wanted.collect::<Vec<_>>());
}

#[tokio::test]
async fn when_a_connection_ends_all_who_wrote_on_it_hear_so_and_the_next_go_on() {
    let Some((world, keys)) = world().await else { return };
    let crowd = Crowd::comes(&world).await;
    let sql = "insert into slow (turn) values ($1)";
    let together: Vec<_> = (0..3).map(|_| tokio::spawn(slow(world.db.clone(), sql.to_owned(), 2))).collect();
    crowd.goes(&world, 3).await;
    until(async || sleeping(&world).await == 1).await;
    let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
        where wait_event = 'PgSleep' and datname = current_database()";
    until(async || world.db.clone().sql(end).scalar::<i64>().await.unwrap() == 1).await;
    for one in together {
        let outcome = timeout(Duration::from_secs(10), one).await.expect("it is not tried again").unwrap();
        assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
    }
    let kept = "select count(*) from slow where turn = 2";
    assert_eq!(world.db.clone().sql(kept).scalar::<i64>().await.unwrap(), 0);
    write(world.db.clone(), keys[0], 1, 1).await.unwrap();
}

#[tokio::test]
async fn steps_of_different_orders_are_changed_together() {
    let Some((world, _)) = world().await else { return };
    let company = world.company("Northwind").await;
    let staff = world.employee("Sam").await;
    let start = steps::Change { status: Some("in_progress".to_owned()), ..Default::default() };
    let mut changing = Vec::new();
    for first in ["Ada", "Ben", "Cleo", "Dan", "Eve"] {
        let (_, spv, _) = world.client(first, company, None).await;
        let all = spvs::get(&staff, spv).await.unwrap().steps;
        // The first takes its order to processing, which is more than one statement.
        steps::update(&staff, all[0].id, None, start.clone()).await.unwrap();
        changing.push(all[1].id);
    }
    let crowd = Crowd::comes(&world).await;
    let moving = changing.iter().map(|step| steps::update(&staff, *step, None, start.clone()));
    let (moved, ()) = tokio::join!(join_all(moving), crowd.goes(&world, 5));
    for (step, moved) in changing.iter().zip(moved) {
        let (moved, order) = moved.unwrap();
        assert_eq!((moved.id, moved.status, order.id), (*step, steps::Status::InProgress, moved.spv_id));
        assert_eq!(order.steps_pending + 2, order.steps_total);
        assert_eq!(spvs::get(&staff, order.id).await.unwrap().spv, order);
    }
    let wrote = "select count(distinct cast(xmin as text)) from spv_steps where step_order = 2";
    assert_eq!(world.db.clone().sql(wrote).scalar::<i64>().await.unwrap(), 1);
    let told = "select count(*) from activity where action = 'step.updated'";
    assert_eq!(world.db.clone().sql(told).scalar::<i64>().await.unwrap(), 10);
    assert_eq!(counts::differ(&world.db).await.unwrap(), []);
}

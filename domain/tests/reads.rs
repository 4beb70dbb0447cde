//! What waits for a connection to PostgreSQL and asks the same is asked once, of what is so by then.
use domain::{
    Error,
    db::{Db, Sql, Tx},
    spvs, steps,
    testing::World,
};
use futures::{FutureExt, future::join_all};
use std::{collections::BTreeSet, time::Duration};
use uuid::Uuid;

/// More than there are connections for reads, on any machine.
const CROWD: i64 = 20;

/// Whoever reads what this holds waits until it commits.
async fn hold(world: &World) -> Tx {
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("select pg_advisory_xact_lock(7)").run().await.unwrap();
    tx
}

/// Takes all connections there are for reads, each with a question of its own, as long as what [`hold`] holds is held.
async fn crowd(db: &Db) {
    let held = |n: i64| {
        let mut db = db.clone();
        async move {
            let sql = "select cast(pg_advisory_xact_lock_shared(7) as text), $1";
            let (_, answer): (String, i64) = db.sql(sql).bind(n).one().await.unwrap();
            assert_eq!(answer, n);
        }
    };
    join_all((0..CROWD).map(held)).await;
}

async fn next(mut db: Db) -> i64 {
    db.sql("select nextval('asked')").scalar().await.unwrap()
}

/// A row to read, and a sequence that tells how often it was asked for a number.
async fn world() -> Option<World> {
    let world = World::postgres().await?;
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("create sequence asked").run().await.unwrap();
    tx.sql("create table told (n bigint)").run().await.unwrap();
    tx.sql("insert into told values (1)").run().await.unwrap();
    tx.commit().await.unwrap();
    Some(world)
}

/// Comes back once so many wait for what is held.
async fn begun(world: &World, wanted: i64) {
    let sql = "select count(*) from pg_locks where locktype = 'advisory' and not granted and database = \
        (select oid from pg_database where datname = current_database())";
    for _ in 0..2_000 {
        if world.db.clone().sql(sql).scalar::<i64>().await.unwrap() >= wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{wanted} were to be asked");
}

async fn tell(world: &World, n: i64) {
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("update told set n = $1").bind(n).run().await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn who_asks_the_same_while_all_wait_is_answered_together() {
    let Some(world) = world().await else { return };
    let held = hold(&world).await;
    let asking = join_all((0..30).map(|_| next(world.db.clone())));
    let (_, numbers, ()) = tokio::join!(crowd(&world.db), asking, async { held.commit().await.unwrap() });
    assert_eq!(numbers, [1; 30]);
    assert_eq!(next(world.db.clone()).await, 2, "asked again later");
}

#[tokio::test]
async fn who_asks_with_other_values_has_another_answer() {
    let Some(world) = world().await else { return };
    let held = hold(&world).await;
    let values = [None, Some(""), Some("a"), Some("b"), Some("aa"), None, Some("a")];
    let asking = values.map(|value: Option<&str>| {
        let mut db = world.db.clone();
        let value = value.map(str::to_owned);
        async move {
            let found = db.sql("select $1::text, $2::text, nextval('asked')").bind(value.clone()).bind("b".to_owned());
            let (said, b, n): (Option<String>, String, i64) = found.one().await.unwrap();
            assert_eq!((said, b.as_str()), (value, "b"));
            n
        }
    });
    let (_, n, ()) = tokio::join!(crowd(&world.db), join_all(asking), async { held.commit().await.unwrap() });
    assert_eq!((n[0], n[2]), (n[5], n[6]), "{n:?}");
    assert_eq!(n.iter().max(), Some(&5), "{n:?}");
    assert_eq!(n[..5].iter().sum::<i64>(), 15, "{n:?}");
}

/// Twenty rows with a number each, and their keys.
async fn things(world: &World) -> Vec<Uuid> {
    let keys: Vec<Uuid> = (0..20).map(Uuid::from_u128).collect();
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("create table things (id uuid primary key, n bigint)").run().await.unwrap();
    for (n, key) in (0_i64..).zip(&keys) {
        tx.sql("insert into things values ($1, $2)").bind(*key).bind(n).run().await.unwrap();
    }
    tx.commit().await.unwrap();
    keys
}

/// Within one statement it is always the same time.
const LOOK: &str = "select n, cast(statement_timestamp() as text) from things where id = $1";
/// The same, held up by whoever holds the lock.
const LOOK_LONG: &str = "select n, cast(pg_advisory_xact_lock_shared(8) as text) from things where id = $1";

async fn look(mut db: Db, sql: &'static str, key: Uuid) -> Option<(i64, String)> {
    db.sql(sql).by(key).await.unwrap()
}

#[tokio::test]
async fn who_looks_for_rows_by_their_keys_while_all_wait_is_answered_together() {
    let Some(world) = world().await else { return };
    let keys = things(&world).await;
    let look = |key: Uuid| look(world.db.clone(), LOOK, key);
    let held = hold(&world).await;
    let twice = join_all(keys.iter().chain(&keys[..3]).map(|key| look(*key)));
    let (_, found, missing, ()) =
        tokio::join!(crowd(&world.db), twice, look(Uuid::max()), async { held.commit().await.unwrap() });
    assert_eq!(missing, None);
    let (numbers, asked): (Vec<i64>, Vec<String>) = found.into_iter().map(Option::unwrap).unzip();
    assert_eq!(numbers, (0..20).chain(0..3).collect::<Vec<_>>());
    assert_eq!(asked[..3], asked[20..], "those had been asked for already");
    // Eight, eight, and four with the one that is not there.
    assert_eq!(BTreeSet::from_iter(&asked).len(), 3, "{asked:?}");

    assert_eq!(look(keys[7]).await.map(|(n, _)| n), Some(7), "alone");
    assert_eq!(look(Uuid::max()).await, None);
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("update things set n = 70 where id = $1").bind(keys[7]).run().await.unwrap();
    let within: Option<(i64, String)> = tx.sql(LOOK).by(keys[7]).await.unwrap();
    assert_eq!(within.map(|(n, _)| n), Some(70), "a transaction reads what it wrote");
}

#[tokio::test]
async fn who_goes_away_takes_no_row_from_those_who_stay() {
    let Some(world) = world().await else { return };
    let keys = things(&world).await;
    let held = hold(&world).await;
    let mut late = world.db.begin().await.unwrap();
    late.sql("select pg_advisory_xact_lock(8)").run().await.unwrap();
    let crowd = tokio::spawn({
        let db = world.db.clone();
        async move { crowd(&db).await }
    });
    tokio::task::yield_now().await;
    let asking: Vec<_> = keys[..4].iter().map(|key| tokio::spawn(look(world.db.clone(), LOOK_LONG, *key))).collect();
    tokio::task::yield_now().await;
    // One before it is asked for, one while it is.
    asking[0].abort();
    held.commit().await.unwrap();
    crowd.await.unwrap();
    begun(&world, 1).await;
    asking[1].abort();
    late.commit().await.unwrap();
    for (n, one) in asking.into_iter().enumerate() {
        match one.await {
            Ok(found) => assert_eq!(found.map(|(n, _)| n), i64::try_from(n).ok(), "{n}"),
            Err(gone) => assert!(gone.is_cancelled() && n < 2, "{n}"),
        }
    }
}

#[tokio::test]
async fn orders_that_are_read_together_are_what_they_are_alone() {
    let Some(world) = World::postgres().await else { return };
    let company = world.company("Northwind").await;
    let staff = world.employee("Sam").await;
    let mut orders = Vec::new();
    let mut clients = Vec::new();
    let mut alone = Vec::new();
    for first in ["Ada", "Ben", "Cleo"] {
        let (_, spv, client) = world.client(first, company, None).await;
        alone.push(spvs::get(&staff, spv).await.unwrap());
        orders.push(spv);
        clients.push(client);
    }
    let held = hold(&world).await;
    let asking = join_all(orders.iter().map(|spv| spvs::get(&staff, *spv)));
    let strangers = spvs::get(&clients[0], orders[1]);
    let (_, together, strangers, ()) =
        tokio::join!(crowd(&world.db), asking, strangers, async { held.commit().await.unwrap() });
    assert!(matches!(strangers, Err(Error::NotFound("spv"))), "{strangers:?}");
    let together: Vec<_> = together.into_iter().map(Result::unwrap).collect();
    assert_eq!(format!("{together:?}"), format!("{alone:?}"));

    // A step's order is read together with those of other steps, and each step is changed in its own.
    let held = hold(&world).await;
    let note = |n: usize| steps::Change { text_data: Some(format!("note {n}")), ..Default::default() };
    let changing = alone.iter().enumerate().map(|(n, order)| steps::update(&staff, order.steps[n].id, None, note(n)));
    let (_, changed, ()) = tokio::join!(crowd(&world.db), join_all(changing), async { held.commit().await.unwrap() });
    for (n, changed) in changed.into_iter().enumerate() {
        let (step, spv) = changed.unwrap();
        assert_eq!((step.id, spv.id), (alone[n].steps[n].id, orders[n]));
        assert_eq!(step.text_data, Some(format!("note {n}")));
        assert_eq!(step.step_name, alone[n].steps[n].step_name);
    }
}

#[tokio::test]
async fn nobody_is_told_what_was_so_before_they_asked() {
    let Some(world) = world().await else { return };
    let held = hold(&world).await;
    let ask = || {
        let mut db = world.db.clone();
        async move {
            let sql = "select n, cast(pg_advisory_xact_lock_shared(7) as text) from told";
            db.sql(sql).one::<(i64, String)>().await.unwrap().0
        }
    };
    let first = tokio::spawn(ask());
    begun(&world, 1).await;
    tell(&world, 2).await;
    let second = tokio::spawn(ask());
    begun(&world, 2).await;
    held.commit().await.unwrap();
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (1, 2));

    // Those who ask the same while a question waits hear what is so when it is put, which nobody asked before.
    let held = hold(&world).await;
    let told = || {
        let mut db = world.db.clone();
        async move { db.sql("select n from told").scalar::<i64>().await.unwrap() }
    };
    let later = async {
        tell(&world, 3).await;
        let third = told();
        tokio::join!(third, async { held.commit().await.unwrap() }).0
    };
    let (_, first, later) = tokio::join!(crowd(&world.db), told(), later);
    assert_eq!((first, later), (3, 3));
}

#[tokio::test]
async fn who_goes_away_takes_no_answer_from_those_who_stay() {
    let Some(world) = world().await else { return };
    let held = hold(&world).await;
    let mut crowd = Box::pin(crowd(&world.db));
    assert!(crowd.as_mut().now_or_never().is_none());
    let mut those = [(); 3].map(|()| Some(Box::pin(next(world.db.clone()))));
    for one in those.iter_mut().flatten() {
        assert!(one.as_mut().now_or_never().is_none());
    }
    let [first, second, third] = &mut those;
    *first = None;
    held.commit().await.unwrap();
    let (_, second, third) = tokio::join!(crowd, second.take().unwrap(), third.take().unwrap());
    assert_eq!((second, third), (1, 1));

    // A question that nobody waits for any more is not put, and can be asked anew.
    let held = hold(&world).await;
    let mut crowd = Box::pin(self::crowd(&world.db));
    assert!(crowd.as_mut().now_or_never().is_none());
    assert!(next(world.db.clone()).now_or_never().is_none());
    let again = next(world.db.clone());
    let (_, again, ()) = tokio::join!(crowd, again, async { held.commit().await.unwrap() });
    assert_eq!(again, 2);
}

#[tokio::test]
async fn what_goes_wrong_all_who_asked_hear_of() {
    let Some(world) = world().await else { return };
    for (sql, gone) in [
        ("select 1 / (nextval('asked') - nextval('asked') + 1)", false),
        ("select 1 from (select pg_terminate_backend(pg_backend_pid()), pg_sleep(60), nextval('asked')) t", true),
    ] {
        let held = hold(&world).await;
        let asking = join_all((0..5).map(|_| {
            let mut db = world.db.clone();
            async move { db.sql(sql).scalar::<i64>().await }
        }));
        let (_, answers, ()) = tokio::join!(crowd(&world.db), asking, async { held.commit().await.unwrap() });
        for answer in answers {
            match answer {
                Err(Error::Unavailable(_)) => assert!(gone, "{sql}"),
                Err(Error::Internal(_)) => assert!(!gone, "{sql}"),
                other => panic!("{sql}: {other:?}"),
            }
        }
    }
    assert_eq!(next(world.db.clone()).await, 3, "the first was put once, the second got no further");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_waits_for_ever_when_others_go_away() {
    let Some(world) = world().await else { return };
    let keys = things(&world).await;
    let everybody = async {
        for round in 0..100 {
            let asking = (0..64).map(|n| {
                let (db, key) = (world.db.clone(), keys[n % 20]);
                // Half of them the same, half of them rows.
                tokio::spawn(async move {
                    if n % 2 == 0 { Some(next(db).await) } else { look(db, LOOK, key).await.map(|(n, _)| n) }
                })
            });
            let asking = asking.collect::<Vec<_>>();
            let goes = |n: usize| n % 3 == round % 3;
            for (_, one) in asking.iter().enumerate().filter(|(n, _)| goes(*n)) {
                tokio::task::yield_now().await;
                one.abort();
            }
            for (n, one) in asking.into_iter().enumerate() {
                match one.await {
                    Ok(number) if n % 2 == 1 => assert_eq!(number, i64::try_from(n % 20).ok(), "{n} of {round}"),
                    Ok(number) => assert!(number.is_some()),
                    Err(_) => assert!(goes(n), "{n} of {round}"),
                }
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), everybody).await.expect("an answer for all who stayed");
}

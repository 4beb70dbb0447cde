//! What waits for a connection to PostgreSQL and asks the same is asked once, of what is so by then.
use domain::{
    Error,
    db::{Db, Sql, Tx},
    testing::World,
};
use futures::{FutureExt, future::join_all};
use std::time::Duration;

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
    let begun = |wanted: i64| {
        let mut db = world.db.clone();
        async move {
            let sql = "select count(*) from pg_locks where locktype = 'advisory' and not granted and database = \
                (select oid from pg_database where datname = current_database())";
            for _ in 0..2_000 {
                if db.sql(sql).scalar::<i64>().await.unwrap() >= wanted {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            panic!("{wanted} were to be asked");
        }
    };
    let first = tokio::spawn(ask());
    begun(1).await;
    tell(&world, 2).await;
    let second = tokio::spawn(ask());
    begun(2).await;
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
    let everybody = async {
        for round in 0..100 {
            let asking = (0..64).map(|_| tokio::spawn(next(world.db.clone()))).collect::<Vec<_>>();
            let goes = |n: usize| n % 3 == round % 3;
            for (_, one) in asking.iter().enumerate().filter(|(n, _)| goes(*n)) {
                tokio::task::yield_now().await;
                one.abort();
            }
            for (n, one) in asking.into_iter().enumerate() {
                assert!(one.await.is_ok() || goes(n), "{n} of {round}");
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), everybody).await.expect("an answer for all who stayed");
}

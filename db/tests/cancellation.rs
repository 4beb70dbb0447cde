//! Cancellation: a dropped future leaves no partial transaction and leaks no connection.
use crate::support::{REQUESTS, TestDb, on_both};
use db::{Dialect, ScopedFutureExt, Sql};
use futures::future::{join_all, poll_immediate};
use std::{
    pin::pin,
    time::{Duration, Instant},
};
use tokio::time::timeout;

const SHORT_TIMEOUT: Duration = Duration::from_millis(50);

/// Every connection of the pool can be acquired.
async fn assert_all_free(fresh: &TestDb) {
    let sleep = match fresh.db.dialect() {
        Dialect::Sqlite => "select 1 is null",
        Dialect::Postgres => "select pg_sleep(0.02) is null",
    };
    let reads = (0..REQUESTS).map(|_| {
        let mut db = fresh.db.clone();
        async move { db.sql(sleep).scalar::<bool>().await }
    });
    for read in timeout(Duration::from_secs(5), join_all(reads)).await.expect("no connection is leaked") {
        read.unwrap();
    }
}

#[tokio::test]
async fn transaction_cancelled_at_any_await_is_atomic() {
    on_both(async |fresh| {
        fresh.create_table(&[]).await;
        let mut ended = false;
        let mut polls = 0;
        while !ended {
            polls += 1;
            assert!(polls < 500, "it ends");
            let first = polls * 2;
            let mut work = pin!(fresh.db.transaction(move |tx| {
                async move {
                    tx.sql("insert into t (id) values ($1)").bind(first).run().await?;
                    tx.sql("select count(*) from t").scalar::<i64>().await?;
                    tx.sql("insert into t (id) values ($1)").bind(first + 1).run().await
                }
                .scope_boxed()
            }));
            for _ in 0..polls {
                if let Some(outcome) = poll_immediate(work.as_mut()).await {
                    outcome.unwrap();
                    ended = true;
                    break;
                }
                // Lets the database work.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
        assert_all_free(&fresh).await;
        let ids = fresh.ids().await;
        assert!(ids.len() >= 2);
        for pair in ids.chunks(2) {
            assert_eq!(pair, [pair[0], pair[0] + 1], "{ids:?}");
        }
        assert!(fresh.db.open_connections() <= REQUESTS.max(16));
    })
    .await;
}

#[tokio::test]
async fn transaction_with_a_cancelled_statement_cannot_commit() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[]).await;
    let mut tx = fresh.db.begin_bulk().await.unwrap();
    tx.sql("insert into t (id) values (1)").run().await.unwrap();
    assert!(timeout(SHORT_TIMEOUT, tx.sql("select pg_sleep(0.5)").run()).await.is_err());
    assert!(tx.commit().await.is_err());
    assert!(fresh.ids().await.is_empty());
}

#[tokio::test]
async fn abandoned_statement_keeps_its_pool_slot_until_it_ends() {
    let Some(fresh) = TestDb::postgres().await else { return };
    let abandon = (0..REQUESTS).map(|n| {
        let mut db = fresh.db.clone();
        async move {
            if n % 2 == 0 {
                timeout(SHORT_TIMEOUT, db.sql("select pg_sleep(1) is null").scalar::<bool>()).await.is_err()
            } else {
                let mut tx = db.begin_bulk().await.unwrap();
                timeout(SHORT_TIMEOUT, tx.sql("select pg_sleep(1) is null").scalar::<bool>()).await.is_err()
            }
        }
    });
    let began = Instant::now();
    assert_eq!(join_all(abandon).await, [true; REQUESTS]);
    // The pool is exhausted: the next statement waits for a connection, and no further one is opened.
    let mut db = fresh.db.clone();
    let pid: i32 = db.sql("select pg_backend_pid()").scalar().await.unwrap();
    assert!(began.elapsed() > Duration::from_millis(800), "{:?}", began.elapsed());
    assert!(pid > 0);
    assert!(fresh.backends().await <= i64::try_from(REQUESTS).unwrap());
    assert_all_free(&fresh).await;
}

/// Never ends.
const ENDLESS: &str =
    "with recursive c (n) as (select 1 union all select n + 1 from c) select count(*) from c where n < 0";

#[tokio::test]
async fn sqlite_interrupts_abandoned_reads() {
    let fresh = TestDb::sqlite().await;
    let endless = (0..16).map(|_| {
        let mut db = fresh.db.clone();
        async move { timeout(Duration::from_millis(300), db.sql(ENDLESS).scalar::<i64>()).await.is_err() }
    });
    assert!(join_all(endless).await.into_iter().all(|late| late));
    let one = fresh.db.clone();
    let read = async { one.clone().sql("select 1").scalar::<i64>().await.unwrap() };
    assert_eq!(timeout(Duration::from_secs(3), read).await.expect("a reader is free"), 1);
}

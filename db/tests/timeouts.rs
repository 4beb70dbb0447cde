//! Timeouts: blocked statements end with an error, and the pool recovers.
use crate::support::{REQUESTS, SIZES, TestDb};
use db::{Db, Durability, Error, Result, ScopedFutureExt, Sql};
use futures::future::join_all;
use std::time::{Duration, Instant};

/// The timeout of a request.
const DEADLINE: Duration = Duration::from_secs(7);

#[tokio::test]
async fn locked_table_times_out_and_writes_nothing_later() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[]).await;
    fresh.run("create table other (id bigint)").await;
    let holder = Db::open(&fresh.url, Durability::Full, SIZES).await.unwrap();
    let mut lock = holder.begin_bulk().await.unwrap();
    lock.sql("lock table t in access exclusive mode").run().await.unwrap();

    let calls = (0..4 * REQUESTS).map(|n| {
        let mut db = fresh.db.clone();
        async move {
            let began = Instant::now();
            let outcome: Result<()> = if n % 2 == 0 {
                db.sql("select count(*) from t").scalar::<i64>().await.map(drop)
            } else {
                let insert = db.transaction(move |tx| {
                    async move {
                        tx.sql("insert into t (id) values ($1)").bind(i64::try_from(n).unwrap()).run().await.map(drop)
                    }
                    .scope_boxed()
                });
                insert.await
            };
            (outcome, began.elapsed())
        }
    });
    for (outcome, took) in join_all(calls).await {
        assert!(outcome.as_ref().is_err_and(Error::is_transient), "{outcome:?}");
        assert!(took < DEADLINE, "{took:?}");
    }
    let backends = fresh.backends().await;
    // And the one that holds the lock.
    assert!(backends <= i64::try_from(REQUESTS).unwrap() + 1, "{backends}");
    // Statements on other tables are not blocked.
    fresh.run("insert into other (id) values (1)").await;

    drop(lock);
    let began = Instant::now();
    fresh.run("insert into t (id) values (100)").await;
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(fresh.ids().await, [100], "failed writes are not executed later");
}

#[tokio::test]
async fn requests_have_shorter_timeouts_than_background_work() {
    let Some(fresh) = TestDb::postgres().await else { return };
    let settings = async |mut db: Db| {
        let sql = "select current_setting('lock_timeout') || ' ' || current_setting('statement_timeout') || ' ' \
                   || current_setting('idle_in_transaction_session_timeout')";
        db.sql(sql).scalar::<String>().await.unwrap()
    };
    assert_eq!(settings(fresh.db.clone()).await, "4s 8s 15s");
    assert_eq!(settings(fresh.db.background()).await, "30s 30min 30min");
    let mut tx = fresh.db.begin_bulk().await.unwrap();
    let isolation: String = tx.sql("select current_setting('transaction_isolation')").scalar().await.unwrap();
    assert_eq!(isolation, "read committed");
}

#[tokio::test]
async fn sqlite_reads_have_a_statement_timeout() {
    let fresh = TestDb::sqlite().await;
    let began = Instant::now();
    let endless = "with recursive c (n) as (select 1 union all select n + 1 from c) select count(*) from c where n < 0";
    let outcome = fresh.db.clone().sql(endless).scalar::<i64>().await;
    assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
}

//! Transactions are closures that are committed, rolled back and retried as a whole.
use crate::support::{TestDb, on_both};
use db::{Error, Result, ScopedFutureExt, Sql, Tx, UnitOfWork};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use tokio::sync::Barrier;

fn raise(code: &str) -> String {
    format!("do $$ begin raise exception 'refused' using errcode = '{code}'; end $$")
}

#[tokio::test]
async fn transaction_commits_on_ok_and_rolls_back_on_err() {
    on_both(async |fresh| {
        fresh.create_table(&[]).await;
        let insert = |id: i64, keep: bool| {
            fresh.db.transaction(move |tx| {
                async move {
                    tx.sql("insert into t (id) values ($1)").bind(id).run().await?;
                    if keep { Ok(id) } else { Err(Error::other("no")) }
                }
                .scope_boxed()
            })
        };
        assert_eq!(insert(1, true).await.unwrap(), 1);
        assert!(matches!(insert(2, false).await, Err(Error::Other(_))));
        assert!(insert(1, true).await.unwrap_err().is_unique_violation());
        assert_eq!(fresh.ids().await, [1]);
    })
    .await;
}

#[tokio::test]
async fn transaction_with_an_ignored_failure_does_not_commit() {
    on_both(async |fresh| {
        fresh.create_table(&[1]).await;
        let ignored = fresh.db.transaction(|tx| {
            async move {
                tx.sql("insert into t (id) values (2)").run().await?;
                let twice = tx.sql("insert into t (id) values (1)").run().await;
                assert!(twice.unwrap_err().is_unique_violation());
                assert!(
                    tx.sql("insert into t (id) values (3)").run().await.is_err(),
                    "no statement runs after a failed one"
                );
                Ok(())
            }
            .scope_boxed()
        });
        assert!(ignored.await.is_err());
        assert_eq!(fresh.ids().await, [1]);
    })
    .await;
}

#[tokio::test]
async fn serialization_failures_and_deadlocks_are_retried_up_to_three_times() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[]).await;
    for (code, until, runs) in [("40001", 3, 3), ("40P01", 4, 4), ("40001", 9, 4), ("40P01", 9, 4), ("22012", 2, 1)] {
        fresh.run("delete from t").await;
        let count = &AtomicU32::new(0);
        let outcome = fresh
            .db
            .transaction(|tx| {
                async move {
                    let run = count.fetch_add(1, Ordering::Relaxed) + 1;
                    tx.sql("insert into t (id) values ($1)").bind(i64::from(run)).run().await?;
                    if run < until {
                        tx.sql_built(raise(code)).run().await?;
                    }
                    Ok(())
                }
                .scope_boxed()
            })
            .await;
        assert_eq!(count.load(Ordering::Relaxed), runs, "{code}");
        let expected: Vec<i64> = if outcome.is_ok() { vec![i64::from(until)] } else { vec![] };
        assert_eq!(outcome.is_ok(), until <= 4 && code != "22012", "{code}: {outcome:?}");
        assert_eq!(fresh.ids().await, expected, "{code}");
    }
}

/// The transaction records the failure, not the closure's error.
#[tokio::test]
async fn retry_does_not_depend_on_the_error_of_the_closure() {
    let Some(fresh) = TestDb::postgres().await else { return };
    let count = &AtomicU32::new(0);
    let outcome = fresh.db.transaction(|tx| {
        async move {
            count.fetch_add(1, Ordering::Relaxed);
            tx.sql_built(raise("40001")).run().await.map(drop).map_err(|_| Error::other("another error"))
        }
        .scope_boxed()
    });
    assert!(matches!(outcome.await, Err(Error::Other(_))));
    assert_eq!(count.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn deadlocked_transactions_both_commit() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[1, 2]).await;
    let met = Arc::new(Barrier::new(2));
    let write = |first: i64, second: i64| {
        let (db, met) = (fresh.db.clone(), met.clone());
        let runs = AtomicU32::new(0);
        async move {
            db.transaction(|tx| {
                let (met, runs) = (&met, &runs);
                async move {
                    let add = "update t set n = n + 1 where id = $1";
                    tx.sql(add).bind(first).run().await?;
                    if runs.fetch_add(1, Ordering::Relaxed) == 0 {
                        met.wait().await;
                    }
                    tx.sql(add).bind(second).run().await.map(drop)
                }
                .scope_boxed()
            })
            .await
        }
    };
    let (one, other) = tokio::join!(write(1, 2), write(2, 1));
    one.unwrap();
    other.unwrap();
    let sums: Vec<(i64,)> = fresh.db.clone().sql("select n from t").all().await.unwrap();
    assert_eq!(sums, [(2,), (2,)]);
}

#[tokio::test]
async fn version_conflict_updates_zero_rows() {
    on_both(async |fresh| {
        fresh.create_table(&[1]).await;
        let update = |seen: i64| {
            fresh.db.transaction(move |tx| {
                async move { tx.sql("update t set n = n + 1 where id = 1 and n = $1").bind(seen).run().await }
                    .scope_boxed()
            })
        };
        assert_eq!(update(0).await.unwrap(), 1);
        assert_eq!(update(0).await.unwrap(), 0);
    })
    .await;
}

/// Inserts `counted` before the commit, and counts commits.
struct Counting {
    tx: Tx,
    counted: i64,
    committed: Arc<AtomicU32>,
}

impl UnitOfWork for Counting {
    type Error = Error;

    fn tx(&mut self) -> &mut Tx {
        &mut self.tx
    }

    async fn before_commit(&mut self) -> Result<()> {
        self.tx.sql("insert into t (id) values ($1)").bind(self.counted).run().await.map(drop)
    }

    fn after_commit(self) {
        self.committed.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn unit_of_work_hooks_run_before_and_after_the_commit() {
    on_both(async |fresh| {
        fresh.create_table(&[]).await;
        let committed = Arc::new(AtomicU32::new(0));
        let new = |tx| Counting { tx, counted: 0, committed: committed.clone() };
        for n in [7, 7, 8] {
            let work = fresh.db.transaction_as(new, |unit| {
                async move {
                    unit.counted = n;
                    Ok(())
                }
                .scope_boxed()
            });
            // The second violates the primary key in `before_commit`.
            let _ = work.await;
        }
        assert_eq!(fresh.ids().await, [7, 8]);
        assert_eq!(committed.load(Ordering::Relaxed), 2);
    })
    .await;
}

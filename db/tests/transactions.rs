//! Transactions are closures: committed, rolled back and repeated as a whole.
use crate::support::{TestDb, on_both};
use db::{Error, Result, ScopedFutureExt, Sql, Tx, UnitOfWork};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use tokio::sync::Barrier;

fn refuse(code: &str) -> String {
    format!("do $$ begin raise exception 'refused' using errcode = '{code}'; end $$")
}

#[tokio::test]
async fn a_transaction_commits_on_ok_and_rolls_back_on_err() {
    on_both(async |fresh| {
        fresh.table(&[]).await;
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
async fn a_transaction_with_an_ignored_failure_is_not_committed() {
    on_both(async |fresh| {
        fresh.table(&[1]).await;
        let ignored = fresh.db.transaction(|tx| {
            async move {
                tx.sql("insert into t (id) values (2)").run().await?;
                let twice = tx.sql("insert into t (id) values (1)").run().await;
                assert!(twice.unwrap_err().is_unique_violation());
                assert!(tx.sql("insert into t (id) values (3)").run().await.is_err(), "nothing is sent after it");
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
async fn a_serialization_failure_or_deadlock_repeats_the_closure_at_most_three_times() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.table(&[]).await;
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
                        tx.sql_built(refuse(code)).run().await?;
                    }
                    Ok(())
                }
                .scope_boxed()
            })
            .await;
        assert_eq!(count.load(Ordering::Relaxed), runs, "{code}");
        let kept: Vec<i64> = if outcome.is_ok() { vec![i64::from(until)] } else { vec![] };
        assert_eq!(outcome.is_ok(), until <= 4 && code != "22012", "{code}: {outcome:?}");
        assert_eq!(fresh.ids().await, kept, "{code}");
    }
}

/// The failure is recorded in the transaction, whatever the closure makes of it.
#[tokio::test]
async fn a_transaction_is_repeated_whatever_error_the_closure_returns() {
    let Some(fresh) = TestDb::postgres().await else { return };
    let count = &AtomicU32::new(0);
    let outcome = fresh.db.transaction(|tx| {
        async move {
            count.fetch_add(1, Ordering::Relaxed);
            tx.sql_built(refuse("40001")).run().await.map(drop).map_err(|_| Error::other("another error"))
        }
        .scope_boxed()
    });
    assert!(matches!(outcome.await, Err(Error::Other(_))));
    assert_eq!(count.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn both_transactions_of_a_deadlock_are_committed() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.table(&[1, 2]).await;
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
async fn a_version_conflict_is_a_number_of_rows() {
    on_both(async |fresh| {
        fresh.table(&[1]).await;
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

/// Writes what it has counted before the commit, and counts commits.
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

    fn committed(self) {
        self.committed.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_unit_of_work_has_hooks_before_and_after_the_commit() {
    on_both(async |fresh| {
        fresh.table(&[]).await;
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
            // The second is refused by what it writes before the commit.
            let _ = work.await;
        }
        assert_eq!(fresh.ids().await, [7, 8]);
        assert_eq!(committed.load(Ordering::Relaxed), 2);
    })
    .await;
}

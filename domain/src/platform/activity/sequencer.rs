//! Sequencer of the activity log: numbers and hash-chains committed rows.
//!
//! Rows get no number in their own transaction, because numbers taken there would commit out of order. Any process may
//! sequence; the head of the chain is one row, and a process that finds it moved starts again.
use super::{Activity, chain_hash, store};
use crate::kernel::{
    access::Scope,
    ctx::Ctx,
    db::{Db, Dialect, ScopedFutureExt, Sql},
    error::Result,
};
use std::time::Duration;
use tokio::{sync::watch, time::timeout};

const CHANNEL: &str = "spv_activity";
/// Rows of one transaction: few, so that writers do not wait long for it.
const BATCH: usize = 50;
/// Rows read at a time, to be numbered or broadcast.
const READ_BATCH: usize = 200;
/// Rows of one transaction of [`sequence_all`], where nothing waits: most of its time goes to the disk.
const BULK_BATCH: usize = 10_000;
/// The shortest time between two rounds, so that rows are numbered in batches under load.
const MIN_INTERVAL: Duration = Duration::from_millis(100);
/// How long to wait for rows that nothing announces: another process on SQLite, a lost notification on PostgreSQL.
const SQLITE_POLL_INTERVAL: Duration = Duration::from_millis(200);
const POSTGRES_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Rows that have got their numbers.
pub(crate) struct Sequenced {
    /// With each whether it creates no notifications.
    pub rows: Vec<(Activity, bool)>,
    /// There may be others without a number.
    pub more: bool,
}

/// Waits for new rows of this process or another one.
pub(crate) struct ActivityWatcher {
    db: Db,
    signal: watch::Receiver<u64>,
    listener: Option<sqlx::postgres::PgListener>,
    poll_interval: Duration,
}

impl ActivityWatcher {
    pub fn new(db: &Db) -> Self {
        let poll_interval = match db.dialect() {
            Dialect::Sqlite => SQLITE_POLL_INTERVAL,
            Dialect::Postgres => POSTGRES_POLL_INTERVAL,
        };
        Self { db: db.clone(), signal: db.activity_signal(), listener: None, poll_interval }
    }

    /// Returns when there may be new rows, at the latest after the poll interval.
    pub async fn wait(&mut self) {
        if self.listener.is_none() {
            self.listener = self.db.listen(CHANNEL).await.ok().flatten();
        }
        let (signal, listener) = (&mut self.signal, &mut self.listener);
        let announced = async {
            match listener {
                Some(listener) => listener.recv().await.map(drop).map_err(drop),
                None => std::future::pending().await,
            }
        };
        let news = async {
            tokio::select! {
                changed = signal.changed() => changed.map_err(drop),
                announced = announced => announced,
            }
        };
        if let Ok(Err(())) = timeout(self.poll_interval, news).await {
            self.listener = None;
            tokio::time::sleep(MIN_INTERVAL).await;
        }
        tokio::time::sleep(MIN_INTERVAL).await;
    }
}

/// The number of the last row.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn last_number(ctx: &Ctx) -> Result<i64> {
    Ok(store::head(&mut ctx.db()).await?.0)
}

/// Rows after a number, oldest first, and whether there may be more.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn read_after(ctx: &Ctx, after: i64) -> Result<(Vec<Activity>, bool)> {
    let rows = store::since(&mut ctx.db(), Scope::All, None, after, READ_BATCH).await?;
    let more = rows.len() == READ_BATCH;
    Ok((rows, more))
}

/// Numbers a batch of committed rows and returns those that directly follow `after`. Calls `on_sequenced` for each row as
/// soon as it has its number.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn sequence_batch(ctx: &Ctx, mut after: i64, on_sequenced: impl Fn(&Activity)) -> Result<Sequenced> {
    let mut rows = Vec::new();
    while rows.len() < READ_BATCH {
        let some = sequence(ctx, READ_BATCH - rows.len(), BATCH, &on_sequenced).await?;
        let follows = some.rows.first().map(|(row, _)| row.seq == Some(after + 1));
        if follows == Some(false) || follows.is_none() && some.more {
            // Another process has numbered rows in between; they are read together with these.
            return Ok(Sequenced { rows, more: true });
        }
        after = some.rows.last().and_then(|(row, _)| row.seq).unwrap_or(after);
        rows.extend(some.rows);
        if !some.more {
            return Ok(Sequenced { rows, more: false });
        }
    }
    Ok(Sequenced { rows, more: true })
}

/// Numbers every committed row that has no number yet.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "activity.sequence_all", skip_all)]
pub async fn sequence_all(ctx: &Ctx) -> Result<()> {
    while sequence(ctx, BULK_BATCH, BULK_BATCH, |_| ()).await?.more {}
    Ok(())
}

/// Numbers up to `limit` committed rows, `batch` in each transaction.
///
/// Rows are read and chained before the transactions, so that writers wait only for the update of the numbers. A process
/// that numbered meanwhile has moved the head; then this one starts again.
///
/// # Errors
/// What the database refuses. Rows passed to `on_sequenced` have their numbers nevertheless.
async fn sequence(ctx: &Ctx, limit: usize, batch: usize, on_sequenced: impl Fn(&Activity)) -> Result<Sequenced> {
    let store::Unnumbered { mut seq, mut hash, mut rows } = store::unnumbered(&mut ctx.db(), limit).await?;
    let more = rows.len() == limit;
    let mut numbered = 0;
    for batch in rows.chunks_mut(batch) {
        let head = (seq, hash.clone());
        let mut numbers = Vec::with_capacity(batch.len());
        for (row, _) in &mut *batch {
            seq += 1;
            row.seq = Some(seq);
            hash = chain_hash(&hash, row);
            numbers.push(store::Number { id: row.id.0, seq, hash: hash.clone() });
        }
        let (head, next, numbers) = (&head, &(seq, hash.clone()), &numbers);
        let moved = ctx.transaction(|tx| {
            async move {
                if !store::move_head(tx, head, next).await? {
                    return Ok(false);
                }
                store::number(tx, numbers).await?;
                tx.notify(CHANNEL).await?;
                Ok(true)
            }
            .scope_boxed()
        });
        if !moved.await? {
            rows.truncate(numbered);
            return Ok(Sequenced { rows, more: true });
        }
        batch.iter().for_each(|(row, _)| on_sequenced(row));
        numbered += batch.len();
    }
    Ok(Sequenced { rows, more })
}

//! SQLite writer with group commit: each transaction is a savepoint, and up to [`MAX_GROUP`] of them share one commit, which
//! is one fsync.
//!
//! A group's first transaction runs in SQLite's transaction itself, each further one in a savepoint within it, which rolls
//! back alone. All are acknowledged when the group is committed: as soon as no transaction waits to join it, or when it is
//! full. Savepoints stay nested until then.
use super::{BUSY_TIMEOUT, SqliteConnector, checkpoint::Checkpointer, file::DatabaseFile};
use crate::{
    error::{Error, Result},
    pool::{Pool, PooledConnection},
};
use sqlx::SqliteConnection;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, oneshot},
    time::{Instant, timeout_at},
};

/// Bounds the latency of a group's first transaction, which waits for all others.
const MAX_GROUP: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct GroupCommitWriter {
    /// Of one connection.
    pub pool: Pool<SqliteConnector>,
    pub file: Arc<DatabaseFile>,
    checkpoints: Checkpointer,
    /// The open group. Locked while a transaction of it runs.
    group: Arc<Mutex<Option<Group>>>,
    /// Transactions that wait for the lock.
    waiting: Arc<AtomicUsize>,
    groups: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Group {
    id: usize,
    connection: PooledConnection<SqliteConnector>,
    transactions: usize,
    /// Transactions that have ended and wait for the commit.
    committing: Vec<oneshot::Sender<CommitResult>>,
}

impl Group {
    /// Whether SQLite's transaction holds no changes but those of the running one.
    const fn is_empty(&self) -> bool {
        self.committing.is_empty()
    }
}

type CommitResult = std::result::Result<(), Arc<str>>;
type GroupGuard = OwnedMutexGuard<Option<Group>>;

/// The exclusive right to write, for one transaction; rolls back when dropped without [`WriteSlot::commit`].
#[derive(Debug)]
pub(crate) struct WriteSlot {
    writer: GroupCommitWriter,
    /// None once the transaction has ended; the group within is there until then.
    group: Option<GroupGuard>,
    /// The transaction or savepoint was begun.
    begun: bool,
    /// The last statement failed or is still running.
    failed: bool,
}

impl GroupCommitWriter {
    pub fn new(pool: Pool<SqliteConnector>, checkpoints: Checkpointer, file: Arc<DatabaseFile>) -> Self {
        Self { pool, file, checkpoints, group: Arc::default(), waiting: Arc::default(), groups: Arc::default() }
    }

    pub async fn close(&self) {
        self.checkpoints.pool.close().await;
        self.pool.close().await;
    }

    #[cfg(feature = "testing")]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits for the write slot. The transaction begins with the first statement.
    ///
    /// # Errors
    /// Unavailable when other transactions take too long, and when the file was moved or replaced.
    pub async fn begin(&self) -> Result<WriteSlot> {
        let timed_out = |_| Error::Unavailable(format!("other transactions take longer than {BUSY_TIMEOUT:?}"));
        let deadline = Instant::now() + BUSY_TIMEOUT;
        let waiting = Waiting::new(&self.waiting);
        let mut guard = timeout_at(deadline, self.group.clone().lock_owned()).await.map_err(timed_out)?;
        drop(waiting);
        if let Some(full) = guard.take_if(|group| group.transactions == MAX_GROUP) {
            tokio::spawn(self.clone().commit(full));
        }
        match guard.as_mut() {
            Some(group) => group.transactions += 1,
            None => {
                self.file.verify_not_replaced()?;
                // While the last group is committed this waits for the connection, and others for the lock: they will
                // form a group.
                let connection = timeout_at(deadline, self.pool.acquire()).await.map_err(timed_out)??;
                let id = self.groups.fetch_add(1, Ordering::Relaxed);
                *guard = Some(Group { id, connection, transactions: 1, committing: Vec::new() });
            }
        }
        Ok(WriteSlot { writer: self.clone(), group: Some(guard), begun: false, failed: false })
    }

    /// Commits the group `id` once no transaction waits to join it, unless it was full and is committed already.
    async fn commit_when_idle(self, id: usize) {
        loop {
            // The mutex is fair: this waits behind all that wait now.
            let mut guard = self.group.clone().lock_owned().await;
            if guard.as_ref().is_none_or(|group| group.id != id) {
                return;
            }
            if self.waiting.load(Ordering::Relaxed) == 0 {
                let group = guard.take();
                drop(guard);
                if let Some(group) = group {
                    self.commit(group).await;
                }
                return;
            }
        }
    }

    /// Commits a group and reports the result to each of its transactions.
    async fn commit(self, mut group: Group) {
        let committed = match self.file.verify_not_replaced() {
            Ok(()) => sqlx::query("commit").execute(&mut group.connection.inner).await.map_err(|e| e.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match committed {
            Ok(_) => {
                group.connection.release();
                self.checkpoints.on_commit(group.transactions);
                send_all(group.committing, Ok(()));
            }
            Err(error) => fail_group(group, &error).await,
        }
    }
}

/// Rolls back one transaction. Where SQLite has rolled back the whole group by itself, as it does when the disk is full, each
/// transaction of it fails.
async fn rollback(mut guard: GroupGuard) {
    let Some(group) = guard.as_mut() else { return };
    let is_first = group.is_empty();
    let text = if is_first { "rollback" } else { "rollback to slot; release slot" };
    let outcome = sqlx::query(text).execute(&mut group.connection.inner).await;
    if outcome.is_ok() && !is_first {
        return;
    }
    let group = guard.take();
    drop(guard);
    match (outcome, group) {
        (Err(error), Some(group)) => fail_group(group, &error.to_string()).await,
        (Ok(_), Some(group)) => group.connection.release(),
        (_, None) => {}
    }
}

/// Rolls back a whole group and reports the error to each of its transactions.
async fn fail_group(group: Group, error: &str) {
    let Group { mut connection, committing, .. } = group;
    send_all(committing, Err(error.into()));
    // SQLite may have ended the transaction by itself, or failed to begin it; then another one can be begun.
    for text in ["rollback", "begin; rollback"] {
        if sqlx::query(text).execute(&mut connection.inner).await.is_ok() {
            return connection.release();
        }
    }
    connection.close().await;
}

fn send_all(committing: Vec<oneshot::Sender<CommitResult>>, result: CommitResult) {
    for sender in committing {
        // Fails where the transaction's caller was cancelled.
        let _ = sender.send(result.clone());
    }
}

/// Counts a waiting transaction, until it stops waiting or is cancelled.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WriteSlot {
    /// The connection for one statement, whose outcome goes to [`WriteSlot::record_outcome`].
    ///
    /// # Errors
    /// Other after a failed statement; Unavailable when the transaction cannot begin.
    pub async fn connection(&mut self) -> Result<&mut SqliteConnection> {
        if !self.begun {
            let begin = if self.group()?.is_empty() { "begin immediate" } else { "savepoint slot" };
            // Before it is sent: a cancelled `begin` may have taken effect.
            self.begun = true;
            let outcome = sqlx::query(begin).execute(self.start_statement()?).await;
            self.record_outcome(outcome)?;
        }
        self.start_statement()
    }

    pub fn record_outcome<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        self.failed = outcome.is_err();
        Ok(outcome?)
    }

    fn start_statement(&mut self) -> Result<&mut SqliteConnection> {
        self.check_not_failed()?;
        self.failed = true;
        Ok(&mut self.group()?.connection.inner)
    }

    /// After a failed statement SQLite may have ended the transaction, and would commit each further statement by itself.
    fn check_not_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::other("an earlier statement of the transaction failed"));
        }
        Ok(())
    }

    fn group(&mut self) -> Result<&mut Group> {
        self.group.as_mut().and_then(|group| group.as_mut()).ok_or_else(crate::transaction_ended)
    }

    /// Ends the transaction and waits until its group is committed, which a cancelled caller does not prevent.
    ///
    /// # Errors
    /// Unavailable when the group's commit failed: nothing of the group is saved.
    pub async fn commit(mut self) -> Result<()> {
        self.check_not_failed()?;
        if !self.begun {
            return Ok(());
        }
        let writer = self.writer.clone();
        let group = self.group()?;
        if group.is_empty() {
            tokio::spawn(writer.commit_when_idle(group.id));
        }
        let (sender, committed) = oneshot::channel();
        group.committing.push(sender);
        // Frees the write slot.
        drop(self.group.take());
        match committed.await {
            Ok(result) => result.map_err(|error| Error::Unavailable(error.to_string())),
            Err(_) => Err(Error::Unavailable("the writer was stopped".to_owned())),
        }
    }
}

impl Drop for WriteSlot {
    fn drop(&mut self) {
        let Some(mut guard) = self.group.take() else { return };
        if !self.begun {
            if let Some(group) = guard.take_if(|group| group.is_empty()) {
                group.connection.release();
            }
            return;
        }
        match Handle::try_current() {
            Ok(handle) => drop(handle.spawn(rollback(guard))),
            // The process is ending.
            Err(_) => {
                if let Some(group) = guard.take() {
                    group.connection.discard();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::checkpoint::{CHECKPOINT_EVERY, WAL_RESTART_PAGES};
    use crate::{Db, Durability, PoolSizes, Pools};
    use sqlx::Connection;
    use std::mem;

    async fn writer() -> (tempfile::TempDir, GroupCommitWriter) {
        let dir = tempfile::tempdir().expect("a directory");
        let url = format!("sqlite:{}", dir.path().join("test.db").display());
        let db = Db::open(&url, Durability::Normal, PoolSizes::default()).await.expect("opens");
        let Pools::Sqlite(sqlite) = &db.pools else { panic!("not SQLite") };
        let mut connection = sqlite.write.pool.acquire().await.expect("a connection");
        sqlx::raw_sql("create table t (n integer primary key)").execute(&mut connection.inner).await.expect("a table");
        connection.release();
        (dir, sqlite.write.clone())
    }

    async fn add(slot: &mut WriteSlot, n: i64) {
        let on = slot.connection().await.expect("a connection");
        let outcome = sqlx::query("insert into t values ($1)").bind(n).execute(on).await;
        slot.record_outcome(outcome).expect("is inserted");
    }

    async fn rows(writer: &GroupCommitWriter) -> Vec<i64> {
        sqlx::query_scalar("select n from t order by n")
            .fetch_all(&mut writer.pool.acquire().await.expect("a connection").inner)
            .await
            .expect("reads")
    }

    #[tokio::test]
    async fn waiting_transactions_commit_as_a_group_without_the_cancelled_ones() {
        let (_dir, writer) = writer().await;
        let first = writer.begin().await.expect("a slot");
        let others: Vec<_> = (1..10)
            .map(|n| {
                let writer = writer.clone();
                tokio::spawn(async move {
                    let mut slot = writer.begin().await?;
                    add(&mut slot, n).await;
                    // Every third is cancelled after it has written.
                    if n % 3 == 0 { Ok(()) } else { slot.commit().await }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        first.commit().await.expect("commits");
        for other in others {
            other.await.expect("runs").expect("commits");
        }
        assert_eq!(rows(&writer).await, [1, 2, 4, 5, 7, 8]);
    }

    #[tokio::test]
    async fn full_groups_commit_while_others_wait() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 0).await;
        let transactions = 3 * i64::try_from(MAX_GROUP).expect("a few");
        let others: Vec<_> = (1..transactions)
            .map(|n| {
                let writer = writer.clone();
                tokio::spawn(async move {
                    let mut slot = writer.begin().await?;
                    add(&mut slot, n).await;
                    slot.commit().await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        first.commit().await.expect("commits");
        for other in others {
            other.await.expect("runs").expect("commits");
        }
        assert_eq!(rows(&writer).await, (0..transactions).collect::<Vec<_>>());
        assert_eq!(writer.groups.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn checkpoints_copy_the_wal_and_restart_it_unless_a_reader_holds_it() {
        let (dir, writer) = writer().await;
        let mut connection = writer.pool.acquire().await.expect("a connection");
        sqlx::query("pragma wal_autocheckpoint = 0")
            .execute(&mut connection.inner)
            .await
            .expect("disables automatic checkpoints");
        connection.release();
        let file = dir.path().join("test.db");
        let size = || std::fs::metadata(&file).expect("a file").len();
        let before = size();
        for n in 0..i64::try_from(CHECKPOINT_EVERY).expect("a few") {
            let mut slot = writer.begin().await.expect("a slot");
            add(&mut slot, n).await;
            slot.commit().await.expect("commits");
        }
        // Waits for a running checkpoint and prevents others.
        let _lock = writer.checkpoints.running.lock().await;
        assert!(size() > before);
        let wal = dir.path().join("test.db-wal");
        let wal_size = || std::fs::metadata(&wal).expect("a WAL").len();
        let before = wal_size();
        writer.checkpoints.checkpoint(WAL_RESTART_PAGES).await.expect("is below the limit");
        sqlx::raw_sql("pragma busy_timeout = 50")
            .execute(&writer.checkpoints.pool)
            .await
            .expect("sets a shorter timeout");
        let write = async |n| {
            let mut slot = writer.begin().await.expect("a slot");
            add(&mut slot, n).await;
            slot.commit().await.expect("commits");
        };
        // A reader prevents a restart, which is then not retried at once.
        write(-1).await;
        let mut reader = SqliteConnection::connect(&format!("sqlite:{}", file.display())).await.expect("opens");
        sqlx::raw_sql("begin; select n from t").execute(&mut reader).await.expect("reads");
        writer.checkpoints.checkpoint(0).await.expect("is blocked");
        let (pages, _) = writer.checkpoints.checkpoint_passive().await.expect("a count");
        assert_eq!(writer.checkpoints.blocked_at.load(Ordering::Relaxed), pages);
        sqlx::raw_sql("commit").execute(&mut reader).await.expect("ends the snapshot");
        writer.checkpoints.checkpoint(0).await.expect("is skipped");
        assert_eq!(writer.checkpoints.blocked_at.load(Ordering::Relaxed), pages);
        // The WAL has grown.
        write(-2).await;
        write(-3).await;
        writer.checkpoints.checkpoint(0).await.expect("restarts");
        assert_eq!(writer.checkpoints.blocked_at.load(Ordering::Relaxed), 0);
        write(-4).await;
        assert_eq!(
            writer.checkpoints.checkpoint_passive().await.expect("a count").0,
            1,
            "the WAL is overwritten from its start"
        );
        assert!(wal_size() >= before, "the WAL file is not truncated");
    }

    #[tokio::test]
    async fn cancelled_commit_completes() {
        let (_dir, writer) = writer().await;
        let mut slot = writer.begin().await.expect("a slot");
        add(&mut slot, 1).await;
        let mut next = Box::pin(writer.begin());
        assert!(futures::poll!(&mut next).is_pending());
        // Waits for the next transaction, which joins the group.
        let mut cancelled = Box::pin(slot.commit());
        assert!(futures::poll!(&mut cancelled).is_pending());
        drop(cancelled);
        let mut next = next.await.expect("a slot");
        add(&mut next, 2).await;
        next.commit().await.expect("commits");
        assert_eq!(rows(&writer).await, [1, 2]);
    }

    #[tokio::test]
    async fn failed_statement_rolls_back_only_its_transaction() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 1).await;
        let on = first.connection().await.expect("a connection");
        let outcome = sqlx::query("insert into nowhere values (1)").execute(on).await;
        assert!(first.record_outcome(outcome).is_err());
        let mut second = Box::pin(writer.begin());
        assert!(futures::poll!(&mut second).is_pending());
        assert!(first.commit().await.is_err());
        let mut second = second.await.expect("a slot");
        add(&mut second, 2).await;
        second.commit().await.expect("commits");
        assert_eq!(rows(&writer).await, [2]);
    }

    #[tokio::test]
    async fn rollback_by_sqlite_fails_every_transaction_of_the_group() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 1).await;
        let mut second = Box::pin(writer.begin());
        assert!(futures::poll!(&mut second).is_pending());
        let first = tokio::spawn(first.commit());
        let mut second = second.await.expect("a slot of the same group");
        // As SQLite does by itself when the disk is full.
        let on = second.connection().await.expect("a connection");
        let outcome = sqlx::query("rollback").execute(on).await;
        second.record_outcome(outcome).expect("rolls back");
        assert!(second.commit().await.is_err());
        assert!(matches!(first.await.expect("runs"), Err(Error::Unavailable(_))));
        let mut third = writer.begin().await.expect("a slot");
        add(&mut third, 3).await;
        third.commit().await.expect("commits");
        assert_eq!(rows(&writer).await, [3]);
    }

    #[tokio::test]
    async fn failed_commit_is_an_error_and_the_next_transaction_succeeds() {
        let (_dir, writer) = writer().await;
        {
            let mut connection = writer.pool.acquire().await.expect("a connection");
            // The first commit becomes a rollback, as when the disk fails.
            let mut failed = false;
            let mut handle = connection.inner.lock_handle().await.expect("a handle");
            handle.set_commit_hook(move || mem::replace(&mut failed, true));
        }
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 1).await;
        assert!(matches!(first.commit().await, Err(Error::Unavailable(_))));
        let mut second = writer.begin().await.expect("a slot");
        add(&mut second, 2).await;
        second.commit().await.expect("commits");
        assert_eq!(rows(&writer).await, [2]);
    }
}

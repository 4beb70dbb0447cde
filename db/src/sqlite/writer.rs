//! SQLite writer with group commit: transactions take turns on one connection, and those that wait together are committed
//! together, with one flush to the disk.
//!
//! The first turn of a group has the transaction to itself; each after it is a savepoint inside, so that it can be rolled
//! back alone. All are acknowledged only when the whole group is on the disk. The group ends when no turn waits to join it,
//! or when it has [`MAX_GROUP`] turns.
use super::{SqliteConnector, checkpoint::Checkpointer, file::DatabaseFile};
use crate::{
    error::{Error, Result},
    pool::{Pool, PooledConnection},
};
use sqlx::SqliteConnection;
use std::{
    mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, oneshot},
    time::{Instant, timeout_at},
};

/// Turns of one group: the first of them waits for all.
const MAX_GROUP: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct GroupCommitWriter {
    /// Of one connection.
    pool: Pool<SqliteConnector>,
    pub file: Arc<DatabaseFile>,
    checkpoints: Checkpointer,
    turns: Arc<Mutex<Option<Group>>>,
    /// How many wait for their turn.
    waiting: Arc<AtomicUsize>,
    groups: Arc<AtomicUsize>,
    timeout: Duration,
}

/// Turns that will be committed together.
#[derive(Debug)]
struct Group {
    nth: usize,
    on: PooledConnection<SqliteConnector>,
    turns: usize,
    /// Turns that are over and wait for the commit.
    committing: Vec<oneshot::Sender<Outcome>>,
    /// A task waits to end it.
    ends: bool,
}

impl Group {
    /// The turn that has it is its first: its transaction holds no other turn's changes.
    const fn is_new(&self) -> bool {
        self.committing.is_empty()
    }
}

type Outcome = std::result::Result<(), Arc<str>>;

/// One transaction's turn; rolls back when dropped without [`WriteSlot::commit`].
#[derive(Debug)]
pub(crate) struct WriteSlot {
    writer: GroupCommitWriter,
    /// The group, which is there until the turn is over.
    group: Option<GroupGuard>,
    /// The transaction or savepoint was begun.
    begun: bool,
    /// The last statement failed, or is still running.
    failed: bool,
}

type GroupGuard = OwnedMutexGuard<Option<Group>>;

impl GroupCommitWriter {
    /// Writes on the only connection of `pool`, waiting for its turn at most for `timeout`.
    pub fn new(
        pool: Pool<SqliteConnector>,
        checkpoints: Checkpointer,
        file: Arc<DatabaseFile>,
        timeout: Duration,
    ) -> Self {
        Self {
            pool,
            file,
            checkpoints,
            turns: Arc::default(),
            waiting: Arc::default(),
            groups: Arc::default(),
            timeout,
        }
    }

    pub fn pool(&self) -> &Pool<SqliteConnector> {
        &self.pool
    }

    pub async fn close(&self) {
        self.checkpoints.close().await;
        self.pool.close().await;
    }

    /// How many wait for their turn.
    #[cfg(feature = "testing")]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits for its turn. The transaction begins with the first statement.
    ///
    /// # Errors
    /// Unavailable when other writers take too long, and when the file is not where it was opened.
    pub async fn begin(&self) -> Result<WriteSlot> {
        let late = |_| Error::Unavailable("other writers take too long".to_owned());
        let until = Instant::now() + self.timeout;
        let waiting = Waiting::new(&self.waiting);
        let mut place = timeout_at(until, self.turns.clone().lock_owned()).await.map_err(late)?;
        drop(waiting);
        match place.as_mut() {
            Some(group) => group.turns += 1,
            None => {
                self.file.verify_not_replaced()?;
                let on = timeout_at(until, self.pool.acquire()).await.map_err(late)??;
                let nth = self.groups.fetch_add(1, Ordering::Relaxed);
                *place = Some(Group { nth, on, turns: 1, committing: Vec::new(), ends: false });
            }
        }
        Ok(WriteSlot { writer: self.clone(), group: Some(place), begun: false, failed: false })
    }

    /// Commits the group that a turn left behind because others waited to join it, once none does any more.
    async fn end(self, nth: usize) {
        let mut group = loop {
            // Turns come in the order they were asked for: this is behind all that wait by now.
            let mut place = self.turns.clone().lock_owned().await;
            let joined = self.waiting.load(Ordering::Relaxed) > 0;
            match place.take() {
                None => return,
                Some(group) if group.nth != nth => {
                    *place = Some(group);
                    return;
                }
                Some(group) if joined && group.turns < MAX_GROUP => *place = Some(group),
                Some(group) => break group,
            }
        };
        // The place is free before the commit: while the disk works, the next group's first turn waits for the
        // connection and the others for theirs, and so they come together.
        let committed = match self.file.verify_not_replaced() {
            Ok(()) => sqlx::query("commit").execute(&mut **group.on).await.map(drop).map_err(|e| e.to_string()),
            Err(gone) => Err(gone.to_string()),
        };
        match committed {
            Ok(()) => self.committed(group),
            Err(why) => lose(group, &why).await,
        }
    }

    /// Acknowledges every turn of the group: it is on the disk.
    fn committed(&self, group: Group) {
        let Group { on, turns, committing, .. } = group;
        on.release();
        self.checkpoints.committed(turns);
        tell(committing, Ok(()));
    }

    /// Rolls back one turn, and says whether it was that alone. Where SQLite has rolled back the whole group by itself (the
    /// disk is full), every turn of it fails.
    async fn undo(self, mut place: GroupGuard) -> bool {
        let Some(group) = place.as_mut() else { return true };
        let alone = group.is_new();
        let text = if alone { "rollback" } else { "rollback to slot; release slot" };
        match sqlx::query(text).execute(&mut **group.on).await {
            Ok(_) if alone => {
                if let Some(group) = place.take() {
                    group.on.release();
                }
            }
            Ok(_) => {}
            Err(e) => {
                let group = place.take();
                drop(place);
                if let Some(group) = group {
                    lose(group, &e.to_string()).await;
                }
                return false;
            }
        }
        true
    }
}

/// Rolls back a whole group and reports the error to each of its transactions.
async fn lose(group: Group, why: &str) {
    let Group { mut on, committing, .. } = group;
    tell(committing, Err(why.into()));
    for end in ["rollback", "begin; rollback"] {
        // Where there is none to roll back, SQLite has ended it by itself or could not begin it; then one can be begun.
        if sqlx::query(end).execute(&mut **on).await.is_ok() {
            return on.release();
        }
    }
    on.close().await;
}

/// A turn that is waited for, also when the wait is given up.
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

/// Runs a future to its end, in a task of its own where its caller goes away.
struct Uncancelled<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> Uncancelled<F> {
    fn of(work: F) -> Self {
        Self(Some(Box::pin(work)))
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for Uncancelled<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // What panics is not polled again.
        let mut work = self.0.take().expect("a future is not polled after its end");
        let polled = work.as_mut().poll(context);
        if polled.is_pending() {
            self.0 = Some(work);
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for Uncancelled<F> {
    fn drop(&mut self) {
        if let (Some(work), Ok(handle)) = (self.0.take(), Handle::try_current()) {
            handle.spawn(work);
        }
    }
}

fn tell(committing: Vec<oneshot::Sender<Outcome>>, outcome: Outcome) {
    for one in committing {
        // One that was cancelled does not listen any more.
        let _ = one.send(outcome.clone());
    }
}

impl WriteSlot {
    /// The connection for the next statement; [`WriteSlot::record_outcome`] takes the statement's outcome.
    ///
    /// # Errors
    /// Other after a statement that failed; Unavailable when the transaction cannot begin.
    pub async fn connection(&mut self) -> Result<&mut SqliteConnection> {
        if !self.begun {
            let begin = if self.group()?.is_new() { "begin immediate" } else { "savepoint slot" };
            // Before it is sent: cut off in the middle, it may have begun.
            self.begun = true;
            let outcome = sqlx::query(begin).execute(self.sending()?).await;
            self.record_outcome(outcome)?;
        }
        self.sending()
    }

    pub fn record_outcome<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        self.failed = outcome.is_err();
        Ok(outcome?)
    }

    /// Nothing more is sent after a statement that failed: SQLite may have ended the transaction, and then each further
    /// statement would be committed by itself.
    fn check_not_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::other("an earlier statement of the transaction failed"));
        }
        Ok(())
    }

    fn group(&mut self) -> Result<&mut Group> {
        let group = self.group.as_mut().and_then(|group| group.as_mut());
        group.ok_or_else(|| Error::other("the transaction is over"))
    }

    fn sending(&mut self) -> Result<&mut SqliteConnection> {
        self.check_not_failed()?;
        self.failed = true;
        Ok(&mut self.group()?.on)
    }

    /// Ends the turn, and waits until the group is on the disk. Its caller must go on polling or drop it: others wait for
    /// their turn meanwhile. Dropped in the middle, it is committed all the same.
    ///
    /// # Errors
    /// Unavailable when the group could not be committed: nothing of it is kept then.
    pub async fn commit(self) -> Result<()> {
        self.check_not_failed()?;
        if !self.begun {
            return Ok(());
        }
        let Some(committed) = Uncancelled::of(self.release()).await? else { return Ok(()) };
        match committed.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(Error::Unavailable(why.to_string())),
            Err(_) => Err(Error::Unavailable("the writer was stopped".to_owned())),
        }
    }

    /// Ends the turn. Where no other waits to join its group, it commits the group with it; else it gives the receiver of
    /// the commit's outcome.
    async fn release(mut self) -> Result<Option<oneshot::Receiver<Outcome>>> {
        let (new, turns) = {
            let group = self.group()?;
            (group.is_new(), group.turns)
        };
        let last = turns >= MAX_GROUP || self.writer.waiting.load(Ordering::Relaxed) == 0;
        if last {
            self.writer.file.verify_not_replaced()?;
        }
        let sent = match (new, last) {
            (true, true) => sqlx::query("commit").execute(self.sending()?).await,
            (false, true) => sqlx::query("release slot; commit").execute(self.sending()?).await,
            (false, false) => sqlx::query("release slot").execute(self.sending()?).await,
            (true, false) => Ok(sqlx::sqlite::SqliteQueryResult::default()),
        };
        let writer = self.writer.clone();
        let Some(mut place) = self.group.take() else { return Ok(None) };
        if let Err(e) = sent {
            // When the turn cannot be rolled back alone, it was the commit that failed.
            return Err(if writer.undo(place).await { e.into() } else { Error::Unavailable(e.to_string()) });
        }
        if last {
            if let Some(group) = place.take() {
                drop(place);
                writer.committed(group);
            }
            return Ok(None);
        }
        let (told, committed) = oneshot::channel();
        if let Some(group) = place.as_mut() {
            group.committing.push(told);
            if !mem::replace(&mut group.ends, true) {
                tokio::spawn(writer.end(group.nth));
            }
        }
        Ok(Some(committed))
    }

    /// Rolls back and waits for it.
    pub async fn rollback(mut self) {
        if self.begun
            && let Some(place) = self.group.take()
        {
            Uncancelled::of(self.writer.clone().undo(place)).await;
        }
    }
}

impl Drop for WriteSlot {
    fn drop(&mut self) {
        let Some(mut place) = self.group.take() else { return };
        if !self.begun {
            // A turn before this one has seen to it that the group ends.
            if let Some(group) = place.take_if(|group| group.is_new()) {
                group.on.release();
            }
            return;
        }
        match Handle::try_current() {
            Ok(handle) => drop(handle.spawn(self.writer.clone().undo(place))),
            // The process is ending; what was not committed is not kept.
            Err(_) => {
                if let Some(group) = place.take() {
                    group.on.discard();
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

    async fn writer() -> (tempfile::TempDir, GroupCommitWriter) {
        let dir = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", dir.path().join("slots.db").display());
        let db = Db::open(&url, Durability::Normal, PoolSizes::default()).await.expect("opens");
        let Pools::Sqlite(sqlite) = &db.pools else { panic!("a file") };
        let mut connection = sqlite.write.pool().acquire().await.expect("a connection");
        sqlx::raw_sql("create table t (n integer primary key)").execute(&mut **connection).await.expect("a table");
        connection.release();
        (dir, sqlite.write.clone())
    }

    async fn add(slot: &mut WriteSlot, n: i64) {
        let on = slot.connection().await.expect("a connection");
        let outcome = sqlx::query("insert into t values ($1)").bind(n).execute(on).await;
        slot.record_outcome(outcome).expect("is inserted");
    }

    async fn kept(writer: &GroupCommitWriter) -> Vec<i64> {
        sqlx::query_scalar("select n from t order by n")
            .fetch_all(&mut **writer.pool().acquire().await.expect("a connection"))
            .await
            .expect("reads")
    }

    #[tokio::test]
    async fn waiting_turns_are_committed_as_a_group_and_a_dropped_one_is_rolled_back_alone() {
        let (_dir, writer) = writer().await;
        let first = writer.begin().await.expect("a slot");
        let others: Vec<_> = (1..10)
            .map(|n| {
                let writer = writer.clone();
                tokio::spawn(async move {
                    let mut slot = writer.begin().await?;
                    add(&mut slot, n).await;
                    // Every third goes away after it has written.
                    if n % 3 == 0 { Ok(()) } else { slot.commit().await }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        first.commit().await.expect("nothing to keep");
        for other in others {
            other.await.expect("runs").expect("is kept");
        }
        assert_eq!(kept(&writer).await, [1, 2, 4, 5, 7, 8]);
    }

    #[tokio::test]
    async fn checkpoints_run_beside_the_writer() {
        let (dir, writer) = writer().await;
        let mut on = writer.pool().acquire().await.expect("a connection");
        sqlx::query("pragma wal_autocheckpoint = 0").execute(&mut **on).await.expect("leaves it to us");
        on.release();
        let file = dir.path().join("slots.db");
        let size = || std::fs::metadata(&file).expect("a file").len();
        let before = size();
        for n in 0..i64::try_from(CHECKPOINT_EVERY).expect("a few") {
            let mut slot = writer.begin().await.expect("a slot");
            add(&mut slot, n).await;
            slot.commit().await.expect("is kept");
        }
        // Waits for a checkpoint that is running; none runs from here on.
        let _alone = writer.checkpoints.running.lock().await;
        assert!(size() > before);
        let log = dir.path().join("slots.db-wal");
        let log = || std::fs::metadata(&log).expect("a log").len();
        let long = log();
        writer.checkpoints.run(WAL_RESTART_PAGES).await.expect("is small");
        sqlx::raw_sql("pragma busy_timeout = 50").execute(&writer.checkpoints.pool).await.expect("waits less");
        let write = async |n| {
            let mut slot = writer.begin().await.expect("a slot");
            add(&mut slot, n).await;
            slot.commit().await.expect("is kept");
        };
        // A reader keeps the log from being begun anew, and then it is not tried again at once.
        write(-1).await;
        let mut reader = SqliteConnection::connect(&format!("sqlite:{}", file.display())).await.expect("opens");
        sqlx::raw_sql("begin; select n from t").execute(&mut reader).await.expect("reads");
        writer.checkpoints.run(0).await.expect("is tried");
        let (pages, _) = writer.checkpoints.passive().await.expect("a count");
        assert_eq!(writer.checkpoints.stayed.load(Ordering::Relaxed), pages);
        sqlx::raw_sql("commit").execute(&mut reader).await.expect("has read");
        writer.checkpoints.run(0).await.expect("is left");
        assert_eq!(writer.checkpoints.stayed.load(Ordering::Relaxed), pages);
        // Nothing of the first is moved when the second comes behind it.
        write(-2).await;
        write(-3).await;
        writer.checkpoints.run(0).await.expect("is begun anew");
        assert_eq!(writer.checkpoints.stayed.load(Ordering::Relaxed), 0);
        write(-4).await;
        assert_eq!(writer.checkpoints.passive().await.expect("a count").0, 1, "what was there is written over");
        assert!(log() >= long, "where it was");
    }

    #[tokio::test]
    async fn a_commit_whose_caller_is_cancelled_is_kept() {
        let (_dir, writer) = writer().await;
        let mut slot = writer.begin().await.expect("a slot");
        add(&mut slot, 1).await;
        let mut next = Box::pin(writer.begin());
        assert!(futures::poll!(&mut next).is_pending());
        // The next transaction joins the group, so this commit cannot end before that one.
        let mut leaving = Box::pin(slot.commit());
        assert!(futures::poll!(&mut leaving).is_pending());
        drop(leaving);
        let mut next = next.await.expect("a slot");
        add(&mut next, 2).await;
        next.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [1, 2]);
    }

    #[tokio::test]
    async fn a_turn_with_a_failed_statement_is_rolled_back_alone() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 1).await;
        let on = first.connection().await.expect("a connection");
        let refused = sqlx::query("insert into nowhere values (1)").execute(on).await;
        assert!(first.record_outcome(refused).is_err());
        let mut second = Box::pin(writer.begin());
        assert!(futures::poll!(&mut second).is_pending());
        assert!(first.commit().await.is_err());
        let mut second = second.await.expect("a slot");
        add(&mut second, 2).await;
        second.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [2]);
    }

    #[tokio::test]
    async fn a_rollback_of_the_whole_group_is_an_error_for_every_turn_of_it() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 1).await;
        let mut second = Box::pin(writer.begin());
        assert!(futures::poll!(&mut second).is_pending());
        let first = tokio::spawn(first.commit());
        let mut second = second.await.expect("a slot of the same group");
        // What SQLite does by itself when the disk is full.
        let on = second.connection().await.expect("a connection");
        let ended = sqlx::query("rollback").execute(on).await;
        second.record_outcome(ended).expect("ends it");
        assert!(second.commit().await.is_err());
        assert!(matches!(first.await.expect("runs"), Err(Error::Unavailable(_))));
        let mut third = writer.begin().await.expect("a slot");
        add(&mut third, 3).await;
        third.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [3]);
    }

    #[tokio::test]
    async fn a_failed_commit_is_an_error_for_the_whole_group_and_the_next_goes_on() {
        let (_dir, writer) = writer().await;
        {
            let mut connection = writer.pool().acquire().await.expect("a connection");
            // Once, SQLite ends a transaction instead of keeping it, as it does when the disk fails.
            let mut refused = false;
            let mut handle = connection.lock_handle().await.expect("a handle");
            handle.set_commit_hook(move || mem::replace(&mut refused, true));
        }
        let mut first = writer.begin().await.expect("a slot");
        add(&mut first, 1).await;
        assert!(matches!(first.commit().await, Err(Error::Unavailable(_))));
        let mut second = writer.begin().await.expect("a slot");
        add(&mut second, 2).await;
        second.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [2]);
    }
}

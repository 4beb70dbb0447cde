//! SQLite's one writer. Transactions take turns on one connection; those that wait for their turn together are
//! committed together, so that one flush to the disk acknowledges them all.
//!
//! The first turn of a group has the transaction to itself; each after it is a savepoint inside, so that it can be rolled
//! back alone. All are acknowledged only when the whole group is on the disk. The group ends when nobody waits any more,
//! or when it has become long.
//!
//! Every statement is handed over to the connection's thread, which costs more than most of ours do: they go together
//! where nobody waits for their rows.
use super::{
    File,
    connections::{Connections, Taken},
    renumber,
};
use crate::error::{Error, Result};
use sqlx::{
    Arguments, AssertSqlSafe, Encode, SqlSafeStr, SqlStr, Sqlite, SqliteConnection, SqlitePool, Type,
    sqlite::SqliteArguments,
};
use std::{
    mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    runtime::Handle,
    sync::{Mutex, OwnedMutexGuard, oneshot},
    time::{Instant, timeout_at},
};

/// Values bound to statements that wait to be sent; more are sent at once.
const MOST_WAITING: usize = 600;
/// Turns of one group: the first of them waits for all.
const MOST_TURNS: usize = 32;
/// Turns between two times that the log is emptied. Pages that many of them change are moved once, and few of them at a
/// time: the disk has not much to do before the next group is on it.
const TURNS: usize = 50;
/// Pages (of 4 kB) in the log from which on it is begun anew: whoever reads has ever more to look through, and where one
/// writes without a pause, it never happens to be empty when the next begins. What is there is written over, which is
/// less work for the disk's own log than a file that grows.
const MANY_PAGES: i64 = 8_000;

#[derive(Clone, Debug)]
pub(super) struct Writer {
    pub connection: Connections<Sqlite>,
    pub file: Arc<File>,
    log: Log,
    turns: Arc<Mutex<Option<Group>>>,
    /// How many wait for their turn.
    wanted: Arc<AtomicUsize>,
    groups: Arc<AtomicUsize>,
    patience: Duration,
}

/// What was committed and does not stand in the database's own file yet. SQLite moves it there when much has come
/// together, and nobody writes meanwhile; so it is moved before that, beside the writers.
#[derive(Clone, Debug)]
struct Log {
    pool: SqlitePool,
    writer: Connections<Sqlite>,
    turns: Arc<AtomicUsize>,
    moving: Arc<Mutex<()>>,
    /// How long it was when it could not be begun anew.
    stayed: Arc<AtomicI64>,
}

impl Log {
    /// A group of so many turns was committed. It counts as three at least: what is one turn alone may be a long one.
    fn grew(&self, turns: usize) {
        let turns = turns.max(3);
        if self.turns.fetch_add(turns, Ordering::Relaxed) + turns < TURNS {
            return;
        }
        let Ok(alone) = self.moving.clone().try_lock_owned() else { return };
        self.turns.store(0, Ordering::Relaxed);
        let log = self.clone();
        tokio::spawn(async move {
            // What cannot be moved now is moved the next time.
            let _ = log.empty(MANY_PAGES).await;
            drop(alone);
        });
    }

    /// Moves what is in the log into the database's own file. Where there are more than `many` pages it is begun anew: as
    /// soon as nobody here writes, and only where nobody reads from it for long, such as a backup. Writers wait for that;
    /// where others read or write all the same, not soon again.
    async fn empty(&self, many: i64) -> sqlx::Result<()> {
        let (pages, _) = self.moved().await?;
        let stayed = self.stayed.load(Ordering::Relaxed);
        // It may have been begun anew since.
        let grown = if pages < stayed { pages } else { pages - stayed };
        if pages <= many || grown <= many / 4 {
            return Ok(());
        }
        // What came meanwhile: writers are to wait for little.
        let (pages, moved) = self.moved().await?;
        if pages > many && pages - moved <= many / 8 {
            let writer = self.writer.take().await?;
            let begun = sqlx::query_as("pragma wal_checkpoint(restart)").fetch_one(&self.pool).await;
            writer.keep();
            let (busy, ..): (i64, i64, i64) = begun?;
            self.stayed.store(if busy == 0 { 0 } else { pages }, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Moves what can be moved beside writers and readers: how many pages there are, and how many of them are moved.
    async fn moved(&self) -> sqlx::Result<(i64, i64)> {
        let moved = sqlx::query_as("pragma wal_checkpoint(passive)").fetch_one(&self.pool).await?;
        let (_, pages, moved): (i64, i64, i64) = moved;
        Ok((pages, moved))
    }
}

/// Turns that will be committed together.
#[derive(Debug)]
struct Group {
    nth: usize,
    on: Taken<Sqlite>,
    turns: usize,
    /// Those whose turn is over and who wait for the commit.
    waiting: Vec<oneshot::Sender<Outcome>>,
    /// A task waits to end it.
    ends: bool,
}

impl Group {
    /// The turn that has it is its first: nothing in its transaction is anybody else's.
    const fn is_new(&self) -> bool {
        self.waiting.is_empty()
    }
}

type Outcome = std::result::Result<(), Arc<str>>;

/// One transaction's turn; rolls back when dropped without [`Turn::commit`].
#[derive(Debug)]
pub(crate) struct Turn {
    writer: Writer,
    /// The group, which is there until the turn is over.
    group: Option<Place>,
    /// Statements to be sent before the next one, and what is bound to them: each is a hand-over to the connection's
    /// thread saved.
    text: String,
    bound: SqliteArguments,
    /// One of them is the caller's.
    waits: bool,
    /// Something was sent, so there is a transaction or a savepoint.
    begun: bool,
    /// What was sent last may have been done in part only, or not at all.
    uncertain: bool,
}

type Place = OwnedMutexGuard<Option<Group>>;

impl Writer {
    /// Writes on the only one of the connections. `beside` empties the log; writers wait as long as it waits for readers.
    pub fn new(connection: Connections<Sqlite>, beside: SqlitePool, file: File, patience: Duration) -> Self {
        let log = Log {
            pool: beside,
            writer: connection.clone(),
            turns: Arc::default(),
            moving: Arc::default(),
            stayed: Arc::default(),
        };
        Self {
            connection,
            file: Arc::new(file),
            log,
            turns: Arc::default(),
            wanted: Arc::default(),
            groups: Arc::default(),
            patience,
        }
    }

    pub async fn close(&self) {
        self.log.pool.close().await;
        self.connection.close().await;
    }

    /// How many wait for their turn.
    #[cfg(feature = "testing")]
    pub fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Waits for its turn.
    pub async fn begin(&self) -> Result<Turn> {
        let late = |_| Error::Unavailable("other writers take too long".to_owned());
        let until = Instant::now() + self.patience;
        let waiting = Waiting::new(&self.wanted);
        let mut place = timeout_at(until, self.turns.clone().lock_owned()).await.map_err(late)?;
        drop(waiting);
        let begin = match place.as_mut() {
            Some(group) => {
                group.turns += 1;
                "savepoint turn"
            }
            None => {
                self.file.is_in_place().map_err(sqlx::Error::from)?;
                let on = timeout_at(until, self.connection.take()).await.map_err(late)??;
                let nth = self.groups.fetch_add(1, Ordering::Relaxed);
                *place = Some(Group { nth, on, turns: 1, waiting: Vec::new(), ends: false });
                "begin immediate"
            }
        };
        Ok(Turn {
            writer: self.clone(),
            group: Some(place),
            text: begin.to_owned(),
            bound: SqliteArguments::default(),
            waits: false,
            begun: false,
            uncertain: false,
        })
    }

    /// Commits the group that a turn left behind because others waited to join it, when nobody does any more.
    async fn end(self, nth: usize) {
        let mut group = loop {
            // Turns come in the order they were asked for: this is behind all that wait by now.
            let mut place = self.turns.clone().lock_owned().await;
            let joined = self.wanted.load(Ordering::Relaxed) > 0;
            match place.take() {
                None => return,
                Some(group) if group.nth != nth => {
                    *place = Some(group);
                    return;
                }
                Some(group) if joined && group.turns < MOST_TURNS => *place = Some(group),
                Some(group) => break group,
            }
        };
        // The place is free before the commit: while the disk works, the next group's first turn waits for the
        // connection and the others for theirs, and so they come together.
        let committed = match self.file.is_in_place() {
            Ok(()) => sqlx::query("commit").execute(&mut *group.on).await.map(drop),
            Err(gone) => Err(gone.into()),
        };
        match committed {
            Ok(()) => self.kept(group),
            Err(e) => lose(group, &e.to_string()).await,
        }
    }

    /// Tells everybody in the group that it is on the disk.
    fn kept(&self, group: Group) {
        let Group { on, turns, waiting, .. } = group;
        on.keep();
        self.log.grew(turns);
        tell(waiting, Ok(()));
    }

    /// Takes back what a turn did, and says whether it was that alone. Where SQLite has taken back the whole group by
    /// itself (the disk is full), everybody in it is told.
    async fn undo(self, mut place: Place) -> bool {
        let Some(group) = place.as_mut() else { return true };
        let alone = group.is_new();
        let text = if alone { "rollback" } else { "rollback to turn; release turn" };
        match sqlx::query(text).execute(&mut *group.on).await {
            Ok(_) if alone => {
                if let Some(group) = place.take() {
                    group.on.keep();
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

/// Ends a group of which nothing is kept.
async fn lose(group: Group, why: &str) {
    let Group { mut on, waiting, .. } = group;
    tell(waiting, Err(why.into()));
    for end in ["rollback", "begin; rollback"] {
        // Where there is none to roll back, SQLite has ended it by itself or could not begin it; then one can be begun.
        if sqlx::query(end).execute(&mut *on).await.is_ok() {
            return on.keep();
        }
    }
    on.close().await;
}

/// One who waits for a turn, also when the wait is given up.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(wanted: &'a AtomicUsize) -> Self {
        wanted.fetch_add(1, Ordering::Relaxed);
        Self(wanted)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What was begun is brought to its end, by a task of its own where whoever waits for it goes away.
struct ToItsEnd<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> ToItsEnd<F> {
    fn of(work: F) -> Self {
        Self(Some(Box::pin(work)))
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for ToItsEnd<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // What panics is not asked again.
        let mut work = self.0.take().expect("nobody asks for an outcome twice");
        let polled = work.as_mut().poll(context);
        if polled.is_pending() {
            self.0 = Some(work);
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for ToItsEnd<F> {
    fn drop(&mut self) {
        if let (Some(work), Ok(handle)) = (self.0.take(), Handle::try_current()) {
            handle.spawn(work);
        }
    }
}

fn tell(waiting: Vec<oneshot::Sender<Outcome>>, outcome: Outcome) {
    for one in waiting {
        // Whoever does not listen any more has gone away.
        let _ = one.send(outcome.clone());
    }
}

impl Turn {
    /// Adds a statement that is sent with the next one.
    pub async fn later(&mut self, text: &str) -> Result<()> {
        if self.bound.len() > MOST_WAITING {
            self.flush().await?;
        }
        if !self.text.is_empty() {
            self.text.push_str("; ");
        }
        renumber(text, self.bound.len(), &mut self.text);
        self.waits = true;
        Ok(())
    }

    pub fn bind<T: for<'q> Encode<'q, Sqlite> + Type<Sqlite>>(
        &mut self,
        value: T,
    ) -> std::result::Result<(), sqlx::error::BoxDynError> {
        self.bound.add(value)
    }

    /// The connection for a statement whose rows are wanted, and the statement with what must go before it.
    pub async fn reading(&mut self, text: SqlStr) -> Result<(&mut SqliteConnection, SqlStr)> {
        if self.waits {
            self.flush().await?;
        }
        let before = mem::take(&mut self.text);
        let text =
            if before.is_empty() { text } else { AssertSqlSafe(format!("{before}; {}", text.as_str())).into_sql_str() };
        Ok((self.sending()?, text))
    }

    /// The connection with nothing waiting before it.
    pub async fn writing(&mut self) -> Result<&mut SqliteConnection> {
        self.flush().await?;
        self.sending()
    }

    /// What was asked of the connection has been done.
    pub fn went_well(&mut self) {
        self.uncertain = false;
    }

    /// Nothing more is sent after what was not done: there may be no transaction, and then each statement would be kept by
    /// itself.
    ///
    /// # Errors
    /// Internal when something was not done.
    fn is_sound(&self) -> Result<()> {
        if self.uncertain {
            return Err(Error::internal("an earlier statement of the transaction failed"));
        }
        Ok(())
    }

    /// The connection, to which something is sent now; [`Turn::went_well`] says that it was done.
    fn sending(&mut self) -> Result<&mut SqliteConnection> {
        self.is_sound()?;
        self.uncertain = true;
        self.begun = true;
        let group = self.group.as_mut().and_then(|group| group.as_mut());
        let group = group.ok_or_else(|| Error::internal("the transaction is over"))?;
        Ok(&mut group.on)
    }

    async fn flush(&mut self) -> Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let text = AssertSqlSafe(mem::take(&mut self.text));
        let bound = mem::take(&mut self.bound);
        self.waits = false;
        sqlx::query_with(text, bound).execute(self.sending()?).await?;
        self.went_well();
        Ok(())
    }

    /// Ends the turn, and waits until the group is on the disk.
    /// Whoever begins to wait goes on, or goes away: others wait for a turn meanwhile.
    pub async fn commit(self) -> Result<()> {
        if !self.begun && !self.waits {
            return Ok(());
        }
        // A caller who goes away in the middle must not leave it half done.
        let Some(committed) = ToItsEnd::of(self.release()).await? else { return Ok(()) };
        match committed.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(Error::Unavailable(why.to_string())),
            Err(_) => Err(Error::Unavailable("the writer was stopped".to_owned())),
        }
    }

    /// Ends the turn. Where nobody waits to join its group, it ends the group with the same words, so that a transaction
    /// alone is one hand-over less to begin and one less to commit; else it says who will tell of the commit.
    async fn release(mut self) -> Result<Option<oneshot::Receiver<Outcome>>> {
        self.is_sound()?;
        let group = self.group.as_ref().and_then(|place| place.as_ref());
        let group = group.ok_or_else(|| Error::internal("the transaction is over"))?;
        let last = group.turns >= MOST_TURNS || self.writer.wanted.load(Ordering::Relaxed) == 0;
        if last {
            self.writer.file.is_in_place().map_err(sqlx::Error::from)?;
        }
        let end = match (group.is_new(), last) {
            (true, true) => "commit",
            (true, false) => "",
            (false, true) => "release turn; commit",
            (false, false) => "release turn",
        };
        if !self.text.is_empty() && !end.is_empty() {
            self.text.push_str("; ");
        }
        self.text.push_str(end);
        let flushed = self.flush().await;
        let writer = self.writer.clone();
        let Some(mut place) = self.group.take() else { return Ok(None) };
        if let Err(e) = flushed {
            // When it cannot be taken back alone, it was the commit that failed.
            return Err(if writer.undo(place).await { e } else { Error::Unavailable(e.to_string()) });
        }
        if last {
            if let Some(group) = place.take() {
                drop(place);
                writer.kept(group);
            }
            return Ok(None);
        }
        let (told, committed) = oneshot::channel();
        if let Some(group) = place.as_mut() {
            group.waiting.push(told);
            if !mem::replace(&mut group.ends, true) {
                tokio::spawn(writer.end(group.nth));
            }
        }
        Ok(Some(committed))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(mut place) = self.group.take() else { return };
        if !self.begun {
            // Whoever was here before has seen to it that the group ends.
            if let Some(group) = place.take_if(|group| group.is_new()) {
                group.on.keep();
            }
            return;
        }
        match Handle::try_current() {
            Ok(handle) => drop(handle.spawn(self.writer.clone().undo(place))),
            // The process is ending; what was not committed is not kept.
            Err(_) => {
                if let Some(group) = place.take() {
                    drop(group.on.forget());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Db, Durability, Pools};
    use sqlx::Connection;

    async fn writer() -> (tempfile::TempDir, Writer) {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("turns.db");
        let url = format!("sqlite:{}?mode=rwc", file.display());
        let open = || sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect(&url);
        let (pool, beside) = (open().await.expect("opens"), open().await.expect("opens"));
        sqlx::raw_sql("pragma journal_mode = wal; create table t (n integer primary key)")
            .execute(&pool)
            .await
            .expect("a table");
        (dir, Writer::new(Connections::new(pool, Duration::MAX), beside, File::opened(file), Duration::from_secs(5)))
    }

    async fn add(turn: &mut Turn, n: i64) {
        turn.later("insert into t values ($1)").await.expect("waits");
        turn.bind(n).expect("binds");
    }

    async fn kept(writer: &Writer) -> Vec<i64> {
        sqlx::query_scalar("select n from t order by n")
            .fetch_all(&mut *writer.connection.take().await.expect("a connection"))
            .await
            .expect("reads")
    }

    #[tokio::test]
    async fn turns_that_wait_together_are_kept_together_and_a_dropped_one_is_undone_alone() {
        let (_dir, writer) = writer().await;
        let first = writer.begin().await.expect("a turn");
        let others: Vec<_> = (1..10)
            .map(|n| {
                let writer = writer.clone();
                tokio::spawn(async move {
                    let mut turn = writer.begin().await?;
                    add(&mut turn, n).await;
                    turn.flush().await?;
                    // Every third goes away after it has written.
                    if n % 3 == 0 { Ok(()) } else { turn.commit().await }
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
    async fn the_log_is_emptied_beside_the_writers() {
        let (dir, writer) = writer().await;
        let mut on = writer.connection.take().await.expect("a connection");
        sqlx::query("pragma wal_autocheckpoint = 0").execute(&mut *on).await.expect("leaves it to us");
        on.keep();
        let file = dir.path().join("turns.db");
        let size = || std::fs::metadata(&file).expect("a file").len();
        let before = size();
        for n in 0..i64::try_from(TURNS).expect("a few") {
            let mut turn = writer.begin().await.expect("a turn");
            add(&mut turn, n).await;
            turn.commit().await.expect("is kept");
        }
        // Whoever moves it lets go when it is done, and nobody else does from here on.
        let _alone = writer.log.moving.lock().await;
        assert!(size() > before);
        let log = dir.path().join("turns.db-wal");
        let log = || std::fs::metadata(&log).expect("a log").len();
        let long = log();
        writer.log.empty(MANY_PAGES).await.expect("is small");
        sqlx::raw_sql("pragma busy_timeout = 50").execute(&writer.log.pool).await.expect("waits less");
        let write = async |n| {
            let mut turn = writer.begin().await.expect("a turn");
            add(&mut turn, n).await;
            turn.commit().await.expect("is kept");
        };
        // Whoever reads keeps it from being written over, and then it is not tried again at once.
        write(-1).await;
        let mut reader = SqliteConnection::connect(&format!("sqlite:{}", file.display())).await.expect("opens");
        sqlx::raw_sql("begin; select n from t").execute(&mut reader).await.expect("reads");
        writer.log.empty(0).await.expect("is tried");
        let (pages, _) = writer.log.moved().await.expect("a count");
        assert_eq!(writer.log.stayed.load(Ordering::Relaxed), pages);
        sqlx::raw_sql("commit").execute(&mut reader).await.expect("has read");
        writer.log.empty(0).await.expect("is left");
        assert_eq!(writer.log.stayed.load(Ordering::Relaxed), pages);
        // Nothing of the first is moved when the second comes behind it.
        write(-2).await;
        write(-3).await;
        writer.log.empty(0).await.expect("is begun anew");
        assert_eq!(writer.log.stayed.load(Ordering::Relaxed), 0);
        write(-4).await;
        assert_eq!(writer.log.moved().await.expect("a count").0, 1, "what was there is written over");
        assert!(log() >= long, "where it was");
    }

    #[tokio::test]
    async fn whoever_goes_away_while_committing_is_kept_all_the_same() {
        let (_dir, writer) = writer().await;
        let mut turn = writer.begin().await.expect("a turn");
        add(&mut turn, 1).await;
        let mut leaving = Box::pin(turn.commit());
        assert!(futures::poll!(&mut leaving).is_pending());
        drop(leaving);
        let mut next = writer.begin().await.expect("a turn");
        add(&mut next, 2).await;
        next.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [1, 2]);
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_turn_whose_statement_failed_also_where_another_waits_to_join() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a turn");
        add(&mut first, 1).await;
        let refused =
            sqlx::query("insert into nowhere values (1)").execute(first.writing().await.expect("a connection"));
        assert!(refused.await.is_err());
        let mut second = Box::pin(writer.begin());
        assert!(futures::poll!(&mut second).is_pending());
        assert!(first.commit().await.is_err());
        let mut second = second.await.expect("a turn");
        add(&mut second, 2).await;
        second.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [2]);
    }

    #[tokio::test]
    async fn when_the_database_takes_the_whole_group_back_everybody_in_it_is_told_and_the_next_goes_on() {
        let (_dir, writer) = writer().await;
        let mut first = writer.begin().await.expect("a turn");
        add(&mut first, 1).await;
        let mut second = Box::pin(writer.begin());
        assert!(futures::poll!(&mut second).is_pending());
        let first = tokio::spawn(first.commit());
        let mut second = second.await.expect("a turn of the same group");
        // What SQLite does by itself when the disk is full.
        sqlx::query("rollback").execute(second.writing().await.expect("a connection")).await.expect("ends it");
        second.went_well();
        assert!(second.commit().await.is_err());
        assert!(matches!(first.await.expect("runs"), Err(Error::Unavailable(_))));
        let mut third = writer.begin().await.expect("a turn");
        add(&mut third, 3).await;
        third.commit().await.expect("is kept");
        assert_eq!(kept(&writer).await, [3]);
    }

    #[tokio::test]
    async fn when_a_commit_fails_everybody_in_the_group_is_told_and_the_next_goes_on() {
        let dir = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", dir.path().join("turns.db").display());
        let db = Db::open(&url, Durability::Normal).await.expect("opens");
        let Pools::Sqlite { write: writer, .. } = &db.pools else { panic!("a file") };
        {
            let mut connection = writer.connection.take().await.expect("a connection");
            sqlx::raw_sql("create table t (n integer primary key)").execute(&mut *connection).await.expect("a table");
            // Once, SQLite ends a transaction instead of keeping it, as it does when the disk fails.
            let mut refused = false;
            let mut handle = connection.lock_handle().await.expect("a handle");
            handle.set_commit_hook(move || mem::replace(&mut refused, true));
        }
        let mut first = writer.begin().await.expect("a turn");
        add(&mut first, 1).await;
        assert!(matches!(first.commit().await, Err(Error::Unavailable(_))));
        let mut second = writer.begin().await.expect("a turn");
        add(&mut second, 2).await;
        second.commit().await.expect("is kept");
        assert_eq!(kept(writer).await, [2]);
    }
}

//! One API over two databases: SQL is written once, with `$1` placeholders, and run on SQLite or PostgreSQL.
//!
//! This is the only module that knows both drivers. Reads go through [`Db`], writes through a [`Tx`]; a store
//! function takes `&mut impl Sql` and works in either. Where the two dialects must differ, the difference is a
//! function in [`dialect`].
mod connections;
mod dialect;
mod file;
mod inspect;
mod limits;
mod parts;
mod pg;
mod reads;
mod shaped;
mod snapshot;
pub(crate) mod tables;
pub mod times;
mod writer;
mod writes;
mod zones;

use dialect::renumber;
pub use dialect::{
    Col, Dialect, PerDialect, Shape, beside, contains, elapsed, for_update, in_list, json_row, list_of,
    number_activity, of_each, params, row_of, rows_of, slot, within,
};
pub use inspect::{Existing, inspect, sqlite_file};
pub use limits::{ConnectionLimit, PoolSizes};
pub use shaped::Shaped;
pub use zones::local_date;

use crate::{
    counts::figures,
    error::{Error, Result},
    health_check::HealthCheck,
};
use connections::Connections;
use file::File;
use reads::{Reads, Values};
pub use scoped_futures::{ScopedBoxFuture, ScopedFutureExt};
use serde::de::DeserializeOwned;
use sqlx::{
    Arguments, ConnectOptions, Connection, Encode, FromRow, Postgres, SqlSafeStr, SqlStr, Sqlite, SqliteConnection,
    Type,
    migrate::{Migration, Migrator},
    postgres::{PgArguments, PgConnectOptions, PgListener, PgPoolOptions, PgRow},
    sqlite::{
        SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
    },
};
pub use sqlx::{AssertSqlSafe, PgPool, SqlitePool, types::Json};
use std::{collections::BTreeSet, str::FromStr, sync::Arc, time::Duration};
use tokio::sync::watch;
use uuid::Uuid;
use writer::{Turn, Writer};
use writes::{LANES, PATIENCE, SETTINGS, Writes};

static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");

/// How long a writer waits for another: less than a request may take, so that its caller hears "busy", not "late".
const BUSY: Duration = Duration::from_secs(8);

/// The same for the queue, where nobody waits for an answer.
const PATIENT: Duration = Duration::from_secs(30);

/// How long writers may wait until nobody reads any more what was committed, and no other process writes, so that SQLite's
/// log can be begun anew.
const BRIEF: Duration = Duration::from_millis(200);

/// How long a migration waits on PostgreSQL for those who use a table, and everybody behind it; how often it then tries
/// again, and after which pause: a few minutes in all, as a backup may take to read a table.
const MIGRATION_PATIENCE: &str = "set local lock_timeout = '500ms'";
const MIGRATION_TRIES: usize = 200;
const MIGRATION_PAUSE: Duration = Duration::from_millis(500);

/// Timeout of the readiness check, below the two seconds that load balancers wait, and how long its outcome is believed.
const READY_TIMEOUT: Duration = Duration::from_millis(1_500);
const READY_TTL: Duration = Duration::from_millis(500);

/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 300;

/// SQLite's page cache, in kilobytes (below zero). The writer's holds what a busy office changes again and again; a
/// reader forgets its pages at every commit anyway.
const WRITER_CACHE: &str = "-16000";
const READER_CACHE: &str = "-2000";
/// The writer's while very many rows come: every index of theirs, so that no page is written twice in a transaction.
const BULK_CACHE: &str = "-600000";

/// How long a connection to PostgreSQL is taken for alive after its last use. One to a file does not break by itself.
const FRESH: Duration = Duration::from_secs(1);
const FOR_EVER: Duration = Duration::MAX;
/// To find a row by an index costs PostgreSQL not much more than to read the row after it: what we ask for again and again
/// lies in memory, and disks have no arms any more. By its own reckoning it reads all companies to find the one of an
/// order. An operator who has set another cost knows better.
const PLANS: &str = "select set_config('random_page_cost', '1.1', false) from pg_settings \
    where name = 'random_page_cost' and source = 'default'";
/// Who writes at a time on PostgreSQL, unless the machine has many cores.
const WRITERS: usize = 12;

/// A handle to the database; cheap to clone. What it is asked changes nothing: two who ask the same may have one answer
/// ([`reads`]).
#[derive(Clone, Debug)]
pub struct Db {
    pools: Pools,
    signals: Arc<Signals>,
}

#[derive(Clone, Debug)]
enum Pools {
    /// SQLite has one writer, and readers that cannot write. The queue's own statements go their own way: apalis
    /// leaves a statement waiting that nobody drives any more when it stops, which must not stand before the writers, and
    /// takes connections from a pool, as does whoever listens.
    Sqlite { read: Connections<Sqlite>, write: Writer, queue: SqlitePool },
    /// The same connections for both, of which neither takes all. Reads are let at few: each has a process of its own
    /// there, which forgets what it knows of our tables whenever the processor takes up another. Writers may be more,
    /// because they wait for the disk together; still more would wait for one another. Transactions that are one statement
    /// go together, on connections of their own.
    Postgres { read: Reads, write: Writes, queue: PgPool },
}

/// Tells this process what a commit has brought: jobs to run, activity to number.
#[derive(Debug)]
struct Signals {
    jobs: watch::Sender<u64>,
    activity: watch::Sender<u64>,
    ready: HealthCheck,
    /// The reads since a test began to listen, for a look at their plans.
    #[cfg(feature = "testing")]
    reads: std::sync::Mutex<Option<std::collections::BTreeSet<String>>>,
}

/// An open transaction; rolls back when dropped without [`Tx::commit`].
#[derive(Debug)]
pub struct Tx {
    on: TxOn,
    signals: Arc<Signals>,
    jobs: bool,
    events: i64,
    figures: figures::Changes,
}

#[derive(Debug)]
pub(crate) enum TxOn {
    Sqlite(Turn),
    Postgres(pg::Open),
}

/// A value that can be bound in both databases.
pub trait Value:
    for<'q> Encode<'q, Sqlite> + Type<Sqlite> + for<'q> Encode<'q, Postgres> + Type<Postgres> + Send + Sync + 'static
{
}
impl<T> Value for T where
    T: for<'q> Encode<'q, Sqlite>
        + Type<Sqlite>
        + for<'q> Encode<'q, Postgres>
        + Type<Postgres>
        + Send
        + Sync
        + 'static
{
}

/// A struct or tuple that can be read from a row of both databases.
pub trait Record: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}
impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}

/// Anything SQL can be run on: a [`Db`] or a [`Tx`].
pub trait Sql: Send {
    fn dialect(&self) -> Dialect;
    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_>;

    /// SQL put together at run time, from constants of ours only: values are always bound.
    fn sql_built(&mut self, text: String) -> Query<'_> {
        self.sql(AssertSqlSafe(text))
    }
}

/// A statement with its bound values; run it with `all`, `one`, `optional` or `run`.
#[must_use]
pub struct Query<'c> {
    text: SqlStr,
    on: On<'c>,
    error: Option<sqlx::Error>,
}

enum On<'c> {
    SqliteAny(&'c Connections<Sqlite>, SqliteArguments),
    Sqlite(&'c mut Turn, SqliteArguments),
    /// A connection that is nobody else's.
    SqliteAlone(&'c mut SqliteConnection, SqliteArguments),
    PgAlone(&'c mut sqlx::PgConnection, PgArguments),
    /// Sent with the statement that comes next.
    Later(&'c mut Turn),
    PgAny(&'c Reads, PgArguments, Values),
    Pg(&'c mut pg::Open, PgArguments),
    /// Sent before whatever else comes next, and with others like it.
    PgLater(&'c mut pg::Open),
}

impl Sql for Db {
    fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite { .. } => Dialect::Sqlite,
            Pools::Postgres { .. } => Dialect::Postgres,
        }
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let error = self.is_in_place().err();
        let on = match &self.pools {
            Pools::Sqlite { read, .. } => On::SqliteAny(read, SqliteArguments::default()),
            Pools::Postgres { read, .. } => On::PgAny(read, PgArguments::default(), Values::default()),
        };
        let text = text.into_sql_str();
        #[cfg(feature = "testing")]
        if let Ok(mut reads) = self.signals.reads.lock()
            && let Some(reads) = reads.as_mut()
        {
            reads.insert(text.as_str().to_owned());
        }
        Query { text, on, error }
    }
}

impl Sql for Tx {
    fn dialect(&self) -> Dialect {
        match self.on {
            TxOn::Sqlite(_) => Dialect::Sqlite,
            TxOn::Postgres(_) => Dialect::Postgres,
        }
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let on = match &mut self.on {
            TxOn::Sqlite(turn) => On::Sqlite(turn, SqliteArguments::default()),
            TxOn::Postgres(tx) => On::Pg(tx, PgArguments::default()),
        };
        Query { text: text.into_sql_str(), on, error: None }
    }
}

/// Fetches by the same sqlx function from whichever database the query is for. In a box: a use case with many statements
/// would have the room for each of them on the stack.
macro_rules! fetch {
    ($query:expr, $method:ident, $answer:ident) => {
        Box::pin(async move {
            let Query { text, on, error } = $query;
            if let Some(error) = error {
                return Err(error.into());
            }
            Ok(match on {
                On::SqliteAny(from, args) => {
                    let mut to = from.take().await?;
                    let found = sqlx::query_as_with(text, args).$method(&mut *to).await?;
                    to.keep();
                    found
                }
                On::Sqlite(turn, args) => {
                    let (to, text) = turn.reading(text).await?;
                    let found = sqlx::query_as_with(text, args).$method(to).await?;
                    turn.went_well();
                    found
                }
                On::SqliteAlone(to, args) => sqlx::query_as_with(text, args).$method(to).await?,
                On::PgAlone(to, args) => sqlx::query_as_with(text, args).$method(to).await?,
                On::Later(_) | On::PgLater(_) => return Err(Error::internal("a statement for later has no rows")),
                On::PgAny(from, args, values) => from.ask(text, args, values).await?.$answer()?,
                On::Pg(open, args) => {
                    let found = sqlx::query_as_with(text, args).$method(open.writing().await?).await?;
                    open.went_well();
                    found
                }
            })
        })
        .await
    };
}

impl Query<'_> {
    pub fn bind<T: Value>(mut self, value: T) -> Self {
        let added = match &mut self.on {
            On::SqliteAny(_, args) | On::Sqlite(_, args) | On::SqliteAlone(_, args) => args.add(value),
            On::Later(turn) => turn.bind(value),
            On::PgLater(open) => {
                open.bind(value);
                Ok(())
            }
            On::PgAny(_, args, values) => values.add(&value).and_then(|()| args.add(value)),
            On::Pg(_, args) | On::PgAlone(_, args) => args.add(value),
        };
        if let Err(e) = added {
            self.error.get_or_insert(sqlx::Error::Encode(e));
        }
        self
    }

    pub async fn all<T: Record>(self) -> Result<Vec<T>> {
        fetch!(self, fetch_all, all)
    }

    pub async fn one<T: Record>(self) -> Result<T> {
        fetch!(self, fetch_one, one)
    }

    pub async fn optional<T: Record>(self) -> Result<Option<T>> {
        fetch!(self, fetch_optional, optional)
    }

    /// The row that the statement finds by its only value `$1`, a key. Those who look for others by it at the same time may
    /// be answered together ([`reads`]).
    pub async fn by<T: Record>(self, key: Uuid) -> Result<Option<T>> {
        match (self.on, self.error) {
            (On::PgAny(from, args, _), None) if args.len() == 0 => Box::pin(from.find(self.text, key)).await,
            (on, error) => Query { text: self.text, on, error }.bind(key).optional().await,
        }
    }

    /// Runs a statement and says how many rows it changed.
    pub async fn run(self) -> Result<u64> {
        let Query { text, on, error } = self;
        Box::pin(async move {
            if let Some(error) = error {
                return Err(error.into());
            }
            Ok(match on {
                On::SqliteAny(from, args) => {
                    let mut to = from.take().await?;
                    let changed = sqlx::query_with(text, args).execute(&mut *to).await?.rows_affected();
                    to.keep();
                    changed
                }
                On::Sqlite(turn, args) => {
                    let changed = sqlx::query_with(text, args).execute(turn.writing().await?).await?.rows_affected();
                    turn.went_well();
                    changed
                }
                On::SqliteAlone(to, args) => sqlx::query_with(text, args).execute(to).await?.rows_affected(),
                On::PgAlone(to, args) => sqlx::query_with(text, args).execute(to).await?.rows_affected(),
                On::Later(_) | On::PgLater(_) => 0,
                On::PgAny(from, args, _) => {
                    let mut to = from.connections().take().await?;
                    let changed = sqlx::query_with(text, args).execute(&mut *to).await?.rows_affected();
                    to.keep();
                    changed
                }
                On::Pg(open, args) => {
                    let changed = sqlx::query_with(text, args).execute(open.writing().await?).await?.rows_affected();
                    open.went_well();
                    changed
                }
            })
        })
        .await
    }

    /// The first column of the only row.
    pub async fn scalar<T>(self) -> Result<T>
    where
        T: Value + for<'r> sqlx::Decode<'r, Sqlite> + for<'r> sqlx::Decode<'r, Postgres> + Unpin,
    {
        Ok(self.one::<(T,)>().await?.0)
    }

    /// What [`rows_of`] selects.
    pub async fn list<T: DeserializeOwned + Send + Unpin + 'static>(self) -> Result<Vec<T>> {
        let rows: Vec<shaped::Listed<T>> = self.all().await?;
        Ok(rows.into_iter().flat_map(|shaped::Listed(rows)| rows).collect())
    }
}

/// How the embedded database trades safety for speed. [`Durability::Full`] unless the operator says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Every commit is on the disk before it is acknowledged.
    #[default]
    Full,
    /// A power failure may lose the last commits, never the database.
    Normal,
}

/// Whether a transaction can begin on a connection that comes back to its pool. Where the disk refuses a commit, SQLite
/// ends the transaction by itself and sqlx counts it for ever: another connection takes the place of that one.
fn is_free(connection: &SqliteConnection) -> bool {
    !connection.is_in_transaction()
}

impl Db {
    /// Gives SQLite's writer memory for very many rows, and takes it away again.
    ///
    /// # Errors
    /// Unavailable while others write for long.
    pub(crate) async fn writes_much(&self, much: bool) -> Result<()> {
        if let Pools::Sqlite { write, .. } = &self.pools {
            let mut writer = write.connection.take().await?;
            let pragma = format!("pragma cache_size = {}", if much { BULK_CACHE } else { WRITER_CACHE });
            sqlx::query(AssertSqlSafe(pragma)).execute(&mut *writer).await?;
            writer.keep();
        }
        Ok(())
    }

    /// Opens `sqlite:path` or `postgres://…`; the schema is [`Db::migrate`]'s business.
    ///
    /// # Errors
    /// Unavailable when the server or file cannot be reached, Internal when the address makes no sense.
    pub async fn open(url: &str, durability: Durability) -> Result<Self> {
        Self::open_with(url, durability, PoolSizes::default()).await
    }

    /// [`Db::open`] with connection pools of these sizes, which SQLite has no use for.
    ///
    /// # Errors
    /// As [`Db::open`].
    pub async fn open_with(url: &str, durability: Durability, sizes: PoolSizes) -> Result<Self> {
        let signals = Arc::new(Signals {
            jobs: watch::channel(0).0,
            activity: watch::channel(0).0,
            ready: HealthCheck::new(READY_TTL, READY_TIMEOUT),
            #[cfg(feature = "testing")]
            reads: std::sync::Mutex::default(),
        });
        // More than there are cores only wait for one, and each has its own memory.
        let readers = std::thread::available_parallelism().map_or(4, |cores| 2 * cores.get()).clamp(4, 16);
        if url.starts_with("postgres") {
            let options = PgConnectOptions::from_str(url)?
                .application_name("spvctl")
                .statement_cache_capacity(STATEMENTS)
                .disable_statement_logging();
            let pool = |most, more: &'static str| {
                PgPoolOptions::new()
                    .max_connections(most)
                    .acquire_timeout(Duration::from_secs(5))
                    // One that was in use a moment ago is there; asking every time costs as much as a small query.
                    .test_before_acquire(false)
                    .after_connect(move |connection, _| {
                        Box::pin(async move {
                            // To compile a statement takes longer than each of ours does.
                            let settings = format!("set jit = off; {PLANS}; {more}");
                            sqlx::raw_sql(AssertSqlSafe(settings)).execute(connection).await?;
                            Ok(())
                        })
                    })
                    .before_acquire(|connection, about| {
                        Box::pin(async move {
                            if about.idle_for > FRESH {
                                connection.ping().await?;
                            }
                            Ok(true)
                        })
                    })
            };
            let connected = pool(sizes.main, "").connect_with(options.clone()).await;
            let ours = match connected {
                Ok(pool) => Connections::new(pool, FRESH).at(&limits::place(&options)),
                Err(error) => return Err(limits::unreachable(&options, error).await),
            };
            // Neither reads nor writes take all of them.
            let most = usize::try_from(sizes.main).unwrap_or(usize::MAX).saturating_sub(2).max(1);
            let lanes = pool(LANES, SETTINGS).acquire_timeout(PATIENCE).connect_lazy_with(options.clone());
            let read = Reads::new(ours.gated(readers.min(most)));
            let write = Writes::new(ours.gated(readers.max(WRITERS).min(most)), Connections::new(lanes, FRESH));
            let queue = pool(sizes.queue, "").connect_lazy_with(options);
            return Ok(Self { pools: Pools::Postgres { read, write, queue }, signals });
        }
        let options = SqliteConnectOptions::from_str(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(match durability {
                Durability::Full => SqliteSynchronous::Full,
                Durability::Normal => SqliteSynchronous::Normal,
            })
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .statement_cache_capacity(STATEMENTS)
            .pragma("temp_store", "memory")
            // Pages (of 4 kB): so much may come together before whoever writes has to stop and move it into the database.
            .pragma("wal_autocheckpoint", "8000")
            // Bytes: what a backup, behind which nothing can be moved, has let grow beyond is cut off afterwards.
            .pragma("journal_size_limit", "128000000")
            .disable_statement_logging();
        File::may_be_made(options.get_filename())?;
        // The log is begun anew beside the writer before it comes to this.
        let writer = |options: SqliteConnectOptions| {
            options.pragma("cache_size", WRITER_CACHE).pragma("wal_autocheckpoint", "40000")
        };
        // A connection to a file does not break by itself: nothing is tested before it is used.
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(BUSY)
            .test_before_acquire(false)
            .connect_with(writer(options.clone()))
            .await?;
        File::make_private(options.get_filename());
        // Where the file is gone later, a new one would be another database.
        let options = options.create_if_missing(false);
        write.set_connect_options(writer(options.clone()));
        let file = File::opened(options.get_filename().to_owned());
        let queue = SqlitePoolOptions::new()
            .max_connections(3)
            .acquire_timeout(BUSY)
            // Apalis asks for connections by itself: none of them is made anew when the file may be another.
            .max_lifetime(None)
            .idle_timeout(None)
            .test_before_acquire(false)
            .after_release(|connection, _| Box::pin(async move { Ok(is_free(connection)) }))
            .connect_lazy_with(options.clone().busy_timeout(PATIENT).pragma("cache_size", "-1000"));
        let beside = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().busy_timeout(BRIEF).pragma("cache_size", "-100"));
        let write = Writer::new(Connections::new(write, FOR_EVER), beside, file, BUSY);
        let read = SqlitePoolOptions::new()
            .max_connections(u32::try_from(readers).unwrap_or(4))
            .acquire_timeout(Duration::from_secs(5))
            .test_before_acquire(false)
            .connect_lazy_with(options.read_only(true).pragma("cache_size", READER_CACHE));
        let read = Connections::new(read, FOR_EVER);
        Ok(Self { pools: Pools::Sqlite { read, write, queue }, signals })
    }

    /// Whether the database is the one that was opened: a connection that is made now would have another open.
    pub(crate) fn is_in_place(&self) -> sqlx::Result<()> {
        match &self.pools {
            Pools::Sqlite { write, .. } => Ok(write.file.is_in_place()?),
            Pools::Postgres { .. } => Ok(()),
        }
    }

    /// Brings the schema up to date, all of it or nothing: one transaction holds every pending migration.
    ///
    /// # Errors
    /// Internal, naming the migration, when one fails; the old schema stays.
    pub async fn migrate(&self) -> Result<()> {
        let mut tries = MIGRATION_TRIES;
        loop {
            let mut tx = self.begin().await?;
            match tx.migrate(|_| true).await {
                Ok(()) => return tx.commit().await,
                // Everybody else waits behind whoever waits for a whole table: they go first, and then it is tried again.
                Err(error) if tries > 0 && is_in_the_way(&error) => tries -= 1,
                Err(error) => return Err(error),
            }
            drop(tx);
            tokio::time::sleep(MIGRATION_PAUSE).await;
        }
    }

    /// The numbers of the migrations that have been applied.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub(crate) async fn migrations(db: &mut impl Sql) -> Result<BTreeSet<i64>> {
        let found: Vec<(i64,)> = db.sql("select version from _sqlx_migrations").all().await?;
        Ok(found.into_iter().map(|(version,)| version).collect())
    }

    /// The numbers of the migrations that this program knows; both databases have the same.
    pub(crate) fn known_migrations() -> BTreeSet<i64> {
        SQLITE.iter().map(|migration| migration.version).collect()
    }

    /// True when every migration of this binary has been applied, and none that it does not know.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn is_migrated(&self) -> Result<bool> {
        self.schema_is(|found, wanted| found == wanted).await
    }

    /// True when every migration of this binary has been applied, perhaps more: a newer one next to it has migrated, and
    /// each migration lets the version before it go on.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached, or its file is not where it was opened.
    pub async fn is_usable(&self) -> Result<bool> {
        self.is_in_place()?;
        self.schema_is(|found, wanted| found.is_superset(wanted)).await
    }

    /// Whether the database can be used and takes writes: a standby and a full disk do not. Answers within two seconds,
    /// from an outcome of a moment ago where there is one.
    ///
    /// # Errors
    /// Unavailable, saying why.
    pub async fn check_ready(&self) -> Result<()> {
        let this = self.clone();
        self.signals.ready.outcome(async move { this.takes_writes().await.map_err(|e| e.to_string()) }).await
    }

    async fn takes_writes(&self) -> Result<()> {
        if !self.is_usable().await? {
            let why = "the schema is not the one of this version: run `spvctl migrate`";
            return Err(Error::Unavailable(why.to_owned()));
        }
        match self.dialect() {
            Dialect::Sqlite => {
                let mut tx = self.begin().await?;
                // Changes nothing and is written all the same: a page and a commit, as of any other write.
                tx.sql("pragma user_version = 0").run().await?;
                tx.commit().await
            }
            Dialect::Postgres => {
                let sql = "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'";
                let read_only: bool = self.clone().sql(sql).scalar().await?;
                if read_only {
                    Err(Error::Unavailable("the database is a standby or read-only".to_owned()))
                } else {
                    Ok(())
                }
            }
        }
    }

    async fn schema_is(&self, good: impl FnOnce(&BTreeSet<i64>, &BTreeSet<i64>) -> bool) -> Result<bool> {
        let wanted = match &self.pools {
            Pools::Sqlite { .. } => &SQLITE,
            Pools::Postgres { .. } => &POSTGRES,
        };
        let wanted = wanted.iter().map(|m| m.version).collect();
        let found: Result<Vec<(i64,)>> = self.clone().sql("select version from _sqlx_migrations").all().await;
        match found {
            Ok(rows) => Ok(good(&rows.into_iter().map(|(version,)| version).collect(), &wanted)),
            Err(e @ Error::Unavailable(_)) => Err(e),
            Err(_) => Ok(false),
        }
    }

    /// True when no migration was ever applied: a new database.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn is_empty(&self) -> Result<bool> {
        let found: Result<i64> = self.clone().sql("select count(*) from _sqlx_migrations").scalar().await;
        match found {
            Ok(count) => Ok(count == 0),
            Err(e @ Error::Unavailable(_)) => Err(e),
            Err(_) => Ok(true),
        }
    }

    /// Runs `work` in a transaction, which is committed when it answers `Ok` and rolled back when it answers `Err` or is
    /// dropped. It may be run more than once, where PostgreSQL has rolled back in favour of another transaction, and so
    /// has no effect but through its [`Tx`].
    ///
    /// # Errors
    /// What `work` answers; Unavailable or Internal when the database refuses, and nothing is kept then.
    pub async fn transaction<'a, T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'a,
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<T>> + Send + Sync + 'a,
    {
        let mut tx = self.begin().await?;
        let done = work(&mut tx).await?;
        tx.commit().await?;
        Ok(done)
    }

    /// Starts a transaction. The database hears of it with its first statement, which on SQLite takes the write lock, so
    /// that it never fails half-way, and on PostgreSQL waits for a connection.
    ///
    /// Whoever answers from what it has read in one commits it, also when nothing was written: what it has read may
    /// be another's that is not on the disk yet.
    ///
    /// # Errors
    /// Unavailable when on SQLite other writers take too long.
    pub async fn begin(&self) -> Result<Tx> {
        let on = match &self.pools {
            Pools::Sqlite { write, .. } => TxOn::Sqlite(write.begin().await?),
            Pools::Postgres { write, .. } => TxOn::Postgres(pg::Open::begin(write)),
        };
        Ok(Tx { on, signals: self.signals.clone(), jobs: false, events: 0, figures: figures::Changes::default() })
    }

    /// Wakes at every commit of this process that queued a job.
    pub fn jobs_signal(&self) -> watch::Receiver<u64> {
        self.signals.jobs.subscribe()
    }

    /// Wakes at every commit of this process that wrote activity.
    pub fn activity_signal(&self) -> watch::Receiver<u64> {
        self.signals.activity.subscribe()
    }

    /// Hears what other processes announce on `channel`; SQLite has no such thing and is polled instead.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn listen(&self, channel: &str) -> Result<Option<PgListener>> {
        match &self.pools {
            Pools::Sqlite { .. } => Ok(None),
            Pools::Postgres { queue, .. } => {
                let mut listener = PgListener::connect_with(queue).await?;
                listener.listen(channel).await?;
                Ok(Some(listener))
            }
        }
    }

    /// The pool apalis works on.
    pub(crate) fn for_queue(&self) -> crate::queue::Pool {
        match &self.pools {
            Pools::Sqlite { queue, .. } => crate::queue::Pool::Sqlite(queue.clone()),
            Pools::Postgres { queue, .. } => crate::queue::Pool::Postgres(queue.clone()),
        }
    }

    /// How many wait for somebody else to be done writing: on SQLite for their turn, on PostgreSQL for a lock or to go
    /// together.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    #[cfg(feature = "testing")]
    pub async fn waiting(&self) -> Result<usize> {
        let together = match &self.pools {
            Pools::Sqlite { write, .. } => return Ok(write.wanted()),
            Pools::Postgres { write, .. } => write.waiting(),
        };
        let sql =
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        let found: i64 = self.clone().sql(sql).scalar().await?;
        Ok(together + usize::try_from(found).map_err(Error::internal)?)
    }

    /// Begins to keep the text of every read; [`Db::reads`] gives them.
    #[cfg(feature = "testing")]
    pub fn keep_reads(&self) {
        *self.signals.reads.lock().expect("no reader panics") = Some(std::collections::BTreeSet::new());
    }

    /// Ends what [`Db::keep_reads`] began.
    #[cfg(feature = "testing")]
    pub fn reads(&self) -> Vec<String> {
        self.signals.reads.lock().expect("no reader panics").take().into_iter().flatten().collect()
    }

    pub async fn close(&self) {
        match &self.pools {
            Pools::Sqlite { read, write, queue } => {
                read.close().await;
                queue.close().await;
                // The last to close leaves one file.
                write.close().await;
            }
            Pools::Postgres { write, queue, .. } => {
                queue.close().await;
                write.close().await;
            }
        }
    }
}

/// Whether a migration was refused because others hold what it wants (55P03), or wait for it crosswise (40P01).
fn is_in_the_way(error: &Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = match error {
        Error::Internal(error) => Some(error.as_ref()),
        _ => None,
    };
    while let Some(error) = cause {
        let code = error.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
        if code.and_then(|refused| refused.code()).is_some_and(|code| code == "55P03" || code == "40P01") {
            return true;
        }
        cause = error.source();
    }
    false
}

impl Tx {
    /// # Errors
    /// Unavailable or Internal when the database refuses; nothing is kept then.
    pub async fn commit(mut self) -> Result<()> {
        figures::write(&mut self).await?;
        match self.on {
            TxOn::Sqlite(turn) => turn.commit().await?,
            TxOn::Postgres(tx) => tx.commit().await?,
        }
        if self.jobs {
            self.signals.jobs.send_modify(|n| *n += 1);
        }
        if self.events > 0 {
            self.signals.activity.send_modify(|n| *n += 1);
        }
        Ok(())
    }

    /// A statement that answers nothing anybody waits for. It is sent with the next statement or the commit, which is
    /// refused in its place; run it with [`Query::run`].
    ///
    /// # Errors
    /// What the database refuses of earlier ones.
    pub async fn later(&mut self, text: &str) -> Result<Query<'_>> {
        Ok(match &mut self.on {
            TxOn::Sqlite(turn) => {
                turn.later(text).await?;
                Query { text: SqlStr::from_static(""), on: On::Later(turn), error: None }
            }
            TxOn::Postgres(open) => {
                open.later(text).await?;
                Query { text: SqlStr::from_static(""), on: On::PgLater(open), error: None }
            }
        })
    }

    /// Applies those of the wanted migrations that were not applied yet, and the queue's. On the queue's table comes an
    /// index of ours: nearly all of its jobs are done, and lists want the others.
    ///
    /// # Errors
    /// Internal, naming the migration, when one fails.
    pub(crate) async fn migrate(&mut self, wanted: impl Fn(i64) -> bool) -> Result<()> {
        let those = |all: &Migrator| {
            Migrator::with_migrations(all.iter().filter(|migration| wanted(migration.version)).cloned().collect())
        };
        // This is the transaction of them all: none begins one of its own.
        let within = |mut all: Migrator| {
            all.migrations = all.iter().cloned().map(|one| Migration { no_tx: true, ..one }).collect();
            // Its lock is the session's, which goes on after a migration that failed; ours is the transaction's.
            all.set_locking(false);
            all
        };

        // Held until the end: the locks of the two migrators go before what they did is there for others, and two nodes
        // that start together would each wait for the other.
        self.alone_with("migrate".to_owned()).await?;
        match &mut self.on {
            TxOn::Sqlite(turn) => {
                let conn = turn.writing().await?;
                within(those(&SQLITE)).run(&mut *conn).await.map_err(Error::internal)?;
                // Not apalis' own set-up: that lowers `synchronous` on our connection and shares our migration table.
                let mut apalis = within(apalis_sqlite::SqliteStorage::migrations());
                apalis.dangerous_set_table_name("_apalis_migrations");
                apalis.run(&mut *conn).await.map_err(Error::internal)?;
                // With this index SQLite's planner walks every job a worker ever did, for every batch.
                sqlx::query("drop index if exists LIdx").execute(&mut *conn).await?;
                sqlx::query("create index if not exists jobs_not_done on Jobs (id) where status <> 'Done'")
                    .execute(&mut *conn)
                    .await?;
                // By statistics, SQLite would answer in each office in another way than in the tests, and where one company
                // has all orders sort them for every page. Earlier versions took some. The connection forgets them, too.
                sqlx::raw_sql(
                    "drop table if exists sqlite_stat1; drop table if exists sqlite_stat4; pragma writable_schema = reset",
                )
                .execute(&mut *conn)
                .await?;
                turn.went_well();
            }
            TxOn::Postgres(open) => {
                let conn = open.writing().await?;
                sqlx::query(MIGRATION_PATIENCE).execute(&mut *conn).await?;
                within(those(&POSTGRES)).run(&mut *conn).await.map_err(Error::internal)?;
                within(apalis_postgres::PostgresStorage::migrations())
                    .run(&mut *conn)
                    .await
                    .map_err(Error::internal)?;
                // Not `if not exists`, which waits for everybody who has a job in an open transaction.
                sqlx::query(
                    "do $$ begin \
                     if to_regclass('apalis.jobs_not_done') is null then \
                     create index jobs_not_done on apalis.jobs (id) where status <> 'Done'; \
                     end if; end $$",
                )
                .execute(&mut *conn)
                .await?;
                open.went_well();
            }
        }
        Ok(())
    }

    pub(crate) fn on(&mut self) -> &mut TxOn {
        &mut self.on
    }

    pub(crate) fn has_jobs(&mut self) {
        self.jobs = true;
    }

    /// The figures that this transaction changes: they are written when it commits.
    pub(crate) fn figures(&mut self) -> &mut figures::Changes {
        &mut self.figures
    }

    /// The place of another row of activity in this transaction.
    pub(crate) fn next_event(&mut self) -> i64 {
        self.events += 1;
        self.events
    }

    /// Waits until no other transaction holds `name`, and holds it until this one ends. SQLite has one writer at a
    /// time anyway.
    pub(crate) async fn alone_with(&mut self, name: String) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            self.sql("select pg_advisory_xact_lock(hashtextextended($1, 0))").bind(name).run().await?;
        }
        Ok(())
    }

    /// Has PostgreSQL look at what it plans queries by, after very many rows have come: by itself it does so a minute
    /// later, and reads them one by one until then.
    pub(crate) async fn analyze(&mut self) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            self.sql("analyze").run().await?;
        }
        Ok(())
    }

    /// Tells other processes once this transaction commits; only PostgreSQL can.
    pub(crate) async fn announce(&mut self, channel: &'static str) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            self.sql("select pg_notify($1, '')").bind(channel).run().await?;
        }
        Ok(())
    }
}

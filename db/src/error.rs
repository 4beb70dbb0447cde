//! Errors of the database, by what a caller can do about them.
use sqlx::{
    error::{DatabaseError, ErrorKind},
    sqlite::SqliteError,
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why the database did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be used right now: no connection, a full pool or disk, a timeout, a standby. The text names the causes.
    #[error("{0}")]
    Unavailable(String),
    /// A lock was not granted within `lock_timeout` (SQLSTATE 55P03).
    #[error("{}", causes(.0))]
    LockTimeout(sqlx::Error),
    /// PostgreSQL rolled back in favour of another transaction: serialization failure (40001) or deadlock (40P01).
    /// [`Db::transaction`](crate::Db::transaction) repeats the transaction.
    #[error("{}", causes(.0))]
    Serialization(sqlx::Error),
    /// A unique index refused the row.
    #[error(transparent)]
    UniqueViolation(sqlx::Error),
    /// The row refers to one that is not there, or is referred to.
    #[error(transparent)]
    ForeignKeyViolation(sqlx::Error),
    /// Anything else: a fault of the statement or of its caller.
    #[error(transparent)]
    Other(BoxError),
}

impl Error {
    pub fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(error.into())
    }

    /// True where a unique index refused the row. PostgreSQL alone names the index, so callers know by what they wrote
    /// which one it was.
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, Self::UniqueViolation(_))
    }

    pub fn is_foreign_key_violation(&self) -> bool {
        matches!(self, Self::ForeignKeyViolation(_))
    }

    /// Whether to try again later without a change may help.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::LockTimeout(_) | Self::Serialization(_))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let refused = error.as_database_error();
        match (sqlstate(&error).as_deref(), refused.map(DatabaseError::kind)) {
            (Some("40001" | "40P01"), _) => Self::Serialization(error),
            (Some("55P03"), _) => Self::LockTimeout(error),
            (_, Some(ErrorKind::UniqueViolation)) => Self::UniqueViolation(error),
            (_, Some(ErrorKind::ForeignKeyViolation)) => Self::ForeignKeyViolation(error),
            _ if is_unavailable(&error) => Self::Unavailable(causes(&error)),
            _ => Self::other(error),
        }
    }
}

/// A migration that failed, by the database's own error where that is the cause.
impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(error) => error.into(),
            sqlx::migrate::MigrateError::ExecuteMigration(error, version) => match error.into() {
                Self::Other(error) => Self::other(format!("migration {version}: {}", causes(&*error))),
                error => error,
            },
            error => Self::other(error),
        }
    }
}

/// The error with its causes in one line: a driver's own first words are often only "error sending request".
pub fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |error| error.source()) {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
    }
    text
}

/// PostgreSQL's code; none for an error of SQLite or of the driver.
pub(crate) fn sqlstate(error: &sqlx::Error) -> Option<String> {
    let refused = error.as_database_error()?;
    if refused.try_downcast_ref::<SqliteError>().is_some() {
        return None;
    }
    refused.code().map(Into::into)
}

/// Whether the connection is of no use any more: it broke, or the server ended it (08, 57P).
pub(crate) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::Tls(_) => true,
        error => sqlstate(error).is_some_and(|code| code.starts_with("57P") || code.starts_with("08")),
    }
}

/// Whether the server takes no writes: a standby, as after a failover behind one address.
pub(crate) fn is_read_only(error: &sqlx::Error) -> bool {
    sqlstate(error).as_deref() == Some("25006")
}

fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        // Protocol: the answer is not PostgreSQL's, such as a proxy's without a server behind it.
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_) => true,
        // 57P: the server is stopping; 57014: statement timeout; 53: out of connections or disk; 08: connection lost; 40:
        // rolled back; 25006: a standby, or read-only; 25P03: idle in a transaction for too long. SQLite: busy, read-only,
        // interrupted, disk I/O, disk full, cannot open; the higher bytes say what exactly failed.
        sqlx::Error::Database(db) => db.code().is_some_and(|code| match db.try_downcast_ref::<SqliteError>() {
            Some(_) => code.parse().is_ok_and(|code: i32| matches!(code & 0xff, 5 | 8 | 9 | 10 | 13 | 14)),
            None => ["57P", "57014", "53", "08", "40", "25006", "25P03"].iter().any(|class| code.starts_with(class)),
        }),
        _ => false,
    }
}

//! Database errors, classified by what the caller can do about them.
use sqlx::{
    error::{DatabaseError, ErrorKind},
    sqlite::SqliteError,
};

/// A result with an [`Error`] of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A failed database operation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be used now: no connection, pool exhausted, disk full, timeout, standby. The text names the
    /// causes.
    #[error("{0}")]
    Unavailable(String),
    /// A lock was not granted within `lock_timeout` (SQLSTATE 55P03).
    #[error("{}", causes(.0))]
    LockTimeout(sqlx::Error),
    /// PostgreSQL rolled back in favour of another transaction: serialization failure (40001) or deadlock (40P01).
    /// [`Db::transaction`](crate::Db::transaction) retries these.
    #[error("{}", causes(.0))]
    Serialization(sqlx::Error),
    /// A unique index refused the row.
    #[error(transparent)]
    UniqueViolation(sqlx::Error),
    /// Another row refers to the row that was to be deleted.
    #[error(transparent)]
    ForeignKeyViolation(sqlx::Error),
    /// A fault of the statement or of its caller.
    #[error(transparent)]
    Other(BoxError),
}

impl Error {
    /// Wraps any error as [`Error::Other`].
    pub fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(error.into())
    }

    /// Whether a unique index refused the row. Only PostgreSQL names the index, so the caller must know from what it wrote
    /// which one it was.
    pub fn is_unique_violation(&self) -> bool {
        matches!(self, Self::UniqueViolation(_))
    }

    /// Whether another row refers to the row that was to be deleted.
    pub fn is_foreign_key_violation(&self) -> bool {
        matches!(self, Self::ForeignKeyViolation(_))
    }

    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::LockTimeout(_) | Self::Serialization(_))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let kind = error.as_database_error().map(DatabaseError::kind);
        match sqlstate(&error).as_deref() {
            Some("40001" | "40P01") => Self::Serialization(error),
            Some("55P03") => Self::LockTimeout(error),
            _ if matches!(kind, Some(ErrorKind::UniqueViolation)) => Self::UniqueViolation(error),
            _ if matches!(kind, Some(ErrorKind::ForeignKeyViolation)) => Self::ForeignKeyViolation(error),
            _ if is_unavailable(&error) => Self::Unavailable(match remedy(&error) {
                Some(remedy) => format!("{}; {remedy}", reason(&error)),
                None => reason(&error),
            }),
            _ => Self::other(error),
        }
    }
}

/// A failed migration: the database's own error where that is the cause.
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

/// Why the database is unavailable. Where the address of the server is wrong, in the server's or the system's words alone.
fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(cause) if remedy(error).is_some() => cause.message().to_owned(),
        sqlx::Error::Io(cause) if cause.kind() == std::io::ErrorKind::ConnectionRefused => cause.to_string(),
        error => causes(error),
    }
}

/// What an operator can do about a server that refuses a connection; none for other errors.
fn remedy(error: &sqlx::Error) -> Option<&'static str> {
    Some(match sqlstate(error)?.as_str() {
        "3D000" => "create the database with `createdb`, or correct the name at the end of its address",
        "28P01" | "28000" => "correct the user and the password in its address",
        "53300" => "the server has no connection left: raise `max_connections`, or lower the pools of the portal",
        _ => return None,
    })
}

/// The message of an error with those of its sources on one line: a driver's own message is often only "error sending
/// request".
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

/// PostgreSQL's SQLSTATE; none for an error of SQLite or of the driver.
fn sqlstate(error: &sqlx::Error) -> Option<String> {
    let error = error.as_database_error()?;
    if error.try_downcast_ref::<SqliteError>().is_some() {
        return None;
    }
    error.code().map(Into::into)
}

/// Whether the connection is unusable: it broke, or the server ended it (08, 57P).
pub(crate) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::Tls(_) => true,
        error => sqlstate(error).is_some_and(|code| code.starts_with("57P") || code.starts_with("08")),
    }
}

/// Whether the server refuses writes: a standby, as after a failover behind one address.
pub(crate) fn is_read_only(error: &sqlx::Error) -> bool {
    sqlstate(error).as_deref() == Some("25006")
}

fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        // Protocol: the response is not PostgreSQL's, such as that of a proxy without a server behind it.
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(db) => db.code().is_some_and(|code| match db.try_downcast_ref::<SqliteError>() {
            // The low byte is the primary result code: BUSY, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN.
            Some(_) => code.parse().is_ok_and(|code: i32| matches!(code & 0xff, 5 | 8 | 9 | 10 | 13 | 14)),
            // 3D000: no such database; 28: the user or the password is refused; 57P: the server stops; 57014: statement timeout; 53: out of connections or disk; 08: connection lost; 40:
            // rolled back; 25006: a standby, or read-only; 25P03: idle_in_transaction_session_timeout.
            None => ["57P", "57014", "53", "08", "40", "25006", "25P03", "3D000", "28"]
                .iter()
                .any(|class| code.starts_with(class)),
        }),
        _ => false,
    }
}

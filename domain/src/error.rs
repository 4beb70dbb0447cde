//! The one error type. It carries codes and parameters; words come from the catalogue at the edge.
use serde_json::{Map, Value};
use sqlx::{
    error::{DatabaseError, ErrorKind},
    sqlite::SqliteError,
};
use std::sync::Arc;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not exist, or it is not the actor's to know of (decision 25).
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The input is refused; each field says why.
    #[error("invalid input: {0:?}")]
    Invalid(Vec<FieldError>),
    /// The input is fine, the state of things is against it.
    #[error("conflict: {0:?}")]
    Conflict(Problem),
    /// The actor may see the row and may not do this with it.
    #[error("forbidden: {0:?}")]
    Forbidden(Problem),
    /// Nobody is signed in, or not any more.
    #[error("unauthenticated: {0:?}")]
    Unauthenticated(Problem),
    /// Too often; try again after so many seconds.
    #[error("too many attempts, again in {0} s")]
    TooMany(u64),
    /// The database cannot be used right now.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// Our fault. Logged once at the edge, never sent.
    #[error("internal: {0}")]
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// The error with its causes, in one line: what a driver says first is often only "error sending request".
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

/// A code of the catalogue with what its sentence names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: &'static str,
    pub params: Map<String, Value>,
}

/// A refused field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub field: String,
    pub problem: Problem,
}

impl Problem {
    pub fn new(code: &'static str) -> Self {
        Self { code, params: Map::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }
}

impl Error {
    pub fn conflict(code: &'static str) -> Self {
        Self::Conflict(Problem::new(code))
    }

    pub fn forbidden(code: &'static str) -> Self {
        Self::Forbidden(Problem::new(code))
    }

    pub fn unauthenticated(code: &'static str) -> Self {
        Self::Unauthenticated(Problem::new(code))
    }

    /// One refused field.
    pub fn field(field: &str, code: &'static str) -> Self {
        Self::field_with(field, Problem::new(code))
    }

    pub fn field_with(field: &str, problem: Problem) -> Self {
        Self::Invalid(vec![FieldError { field: field.to_owned(), problem }])
    }

    pub fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }

    /// True where a unique index refused the row. Its name is known on PostgreSQL only, so callers know by what
    /// they wrote which one it was.
    pub fn is_unique_violation(&self) -> bool {
        matches!(self.by_database(), Some(db) if db.is_unique_violation())
    }

    /// True where a row was written over that somebody else has written since it was read: it has no version then, or one
    /// that PostgreSQL cannot divide by zero (22012; SQLite has no version for that either). Or it is gone, and something was
    /// to hang on it.
    pub(crate) fn is_outdated(&self) -> bool {
        matches!(self.by_database(), Some(db) if match db.kind() {
            ErrorKind::NotNullViolation => db.message().contains("version"),
            ErrorKind::ForeignKeyViolation => true,
            _ => db.code().is_some_and(|code| code == "22012"),
        })
    }

    /// What the database refused, told to one or to several.
    fn by_database(&self) -> Option<&dyn DatabaseError> {
        let Self::Internal(error) = self else { return None };
        let told = || error.downcast_ref::<Arc<sqlx::Error>>().map(Arc::as_ref);
        error.downcast_ref().or_else(told)?.as_database_error()
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if is_gone(&error) { Self::Unavailable(causes(&error)) } else { Self::internal(error) }
    }
}

/// One that several hear of.
impl From<Arc<sqlx::Error>> for Error {
    fn from(error: Arc<sqlx::Error>) -> Self {
        if is_gone(&error) { Self::Unavailable(causes(&error)) } else { Self::internal(error) }
    }
}

/// Whether the database cannot be used right now, rather than refuses.
fn is_gone(error: &sqlx::Error) -> bool {
    match error {
        // Protocol: what answers is no PostgreSQL, such as a proxy without a server behind it.
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_) => true,
        // 57P: the server is stopping; 53: out of connections or disk; 08: connection lost; 40: rolled back in favour of
        // another, with which it waited crosswise; 25006: a standby, or read-only. SQLite: busy, read-only, disk I/O, disk
        // full, cannot open; what exactly failed is in the higher bytes.
        sqlx::Error::Database(db) => db.code().is_some_and(|code| match db.try_downcast_ref::<SqliteError>() {
            Some(_) => code.parse().is_ok_and(|code: i32| matches!(code & 0xff, 5 | 8 | 10 | 13 | 14)),
            None => ["57P", "53", "08", "40", "25006"].iter().any(|class| code.starts_with(class)),
        }),
        _ => false,
    }
}

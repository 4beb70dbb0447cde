//! The error type of all use cases: codes and parameters. Callers get the message from the catalog.
use serde_json::{Map, Value};

pub use ::db::causes;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such row in the actor's scope (visibility of rows, decision 25).
    #[error("{0} not found")]
    NotFound(&'static str),
    /// Invalid input, with one error per field.
    #[error("invalid input: {0:?}")]
    Invalid(Vec<FieldError>),
    /// The present state does not allow the action.
    #[error("conflict: {0:?}")]
    Conflict(Problem),
    /// The actor may see the row but not do this.
    #[error("forbidden: {0:?}")]
    Forbidden(Problem),
    /// Not signed in, or the session has ended.
    #[error("unauthenticated: {0:?}")]
    Unauthenticated(Problem),
    /// Rate limited; retry after so many seconds.
    #[error("rate limited, retry after {0} s")]
    RateLimited(u64),
    /// The database or another service cannot be reached.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// A bug. Logged once by the caller, never sent.
    #[error("internal: {0}")]
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// A message code with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: &'static str,
    pub params: Map<String, Value>,
}

/// A rejected field.
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

    /// Invalid with one field.
    pub fn field(field: &str, code: &'static str) -> Self {
        Self::field_with(field, Problem::new(code))
    }

    pub fn field_with(field: &str, problem: Problem) -> Self {
        Self::Invalid(vec![FieldError { field: field.to_owned(), problem }])
    }

    pub fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }

    /// Whether a unique index rejected the row. Only PostgreSQL names the index, so callers infer it from the statement.
    pub fn is_unique_violation(&self) -> bool {
        let Self::Internal(error) = self else { return false };
        error.downcast_ref::<::db::Error>().is_some_and(::db::Error::is_unique_violation)
    }

    /// Whether another row refers to the row that was to be deleted.
    pub fn is_foreign_key_violation(&self) -> bool {
        let Self::Internal(error) = self else { return false };
        error.downcast_ref::<::db::Error>().is_some_and(::db::Error::is_foreign_key_violation)
    }
}

impl From<::db::Error> for Error {
    fn from(error: ::db::Error) -> Self {
        if error.is_transient() { Self::Unavailable(error.to_string()) } else { Self::internal(error) }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        ::db::Error::from(error).into()
    }
}

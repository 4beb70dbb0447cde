//! The one error type. It carries codes and parameters; words come from the catalogue at the edge.
use serde_json::{Map, Value};

pub use ::db::causes;

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
        let Self::Internal(error) = self else { return false };
        error.downcast_ref::<::db::Error>().is_some_and(::db::Error::is_unique_violation)
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

//! Command failures: error messages and exit codes.
use domain::{
    Error,
    kernel::{error::FieldError, i18n},
};
use std::process::ExitCode;

pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// The language of all output of `spvctl`.
pub const LANGUAGE: &str = i18n::LANGUAGES[0];

/// Exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// Refused, or not found.
    Refused = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// Internal error, or unavailable database.
    Fault = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    Domain(Error),
    /// A check with findings, which have been printed.
    Found,
    Refused(String),
    Usage(String),
    Fault(anyhow::Error),
    /// The reader of our output closed the pipe, as `head` does. Not an error.
    ReaderGone,
}

impl Failure {
    pub fn exit(&self) -> Exit {
        match self {
            Self::Domain(error) => match error {
                Error::Invalid(_) => Exit::Usage,
                Error::Unavailable(_) | Error::Internal(_) => Exit::Fault,
                _ => Exit::Refused,
            },
            Self::Found | Self::Refused(_) => Exit::Refused,
            Self::Usage(_) => Exit::Usage,
            Self::Fault(_) => Exit::Fault,
            Self::ReaderGone => Exit::Done,
        }
    }

    /// The error message; `None` if everything has been printed.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Domain(Error::Invalid(fields)) => {
                let lines: Vec<String> = fields.iter().map(refused).collect();
                Some(if lines.len() == 1 {
                    lines.concat()
                } else {
                    format!("some values are refused\n  {}", lines.join("\n  "))
                })
            }
            // The operator sees the reason, which HTTP responses omit.
            Self::Domain(Error::Unavailable(why)) => Some(format!("the portal cannot be used right now: {why}")),
            Self::Domain(Error::Internal(why)) => Some(format!("something went wrong on our side: {why}")),
            Self::Domain(error) => Some(i18n::error(LANGUAGE, error)),
            Self::Refused(words) | Self::Usage(words) => Some(words.clone()),
            Self::Fault(error) => Some(format!("{error:#}")),
            Self::Found | Self::ReaderGone => None,
        }
    }
}

/// Message for an invalid field, prefixed with its flag: `--price: Enter an amount …`. A field of a file
/// (`US.steps.0.step_name`) has no flag.
fn refused(error: &FieldError) -> String {
    let words = i18n::field(LANGUAGE, error);
    if error.field.contains('.') {
        return format!("{}: {words}", error.field);
    }
    format!("--{}: {words}", flag(&error.field))
}

/// Flag name of a field: `company` for `company_id`.
pub fn flag(field: &str) -> String {
    field.strip_suffix("_id").unwrap_or(field).replace('_', "-")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Fault(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe { Self::ReaderGone } else { Self::Fault(error.into()) }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        if error.io_error_kind().is_some() {
            Self::from(std::io::Error::from(error))
        } else {
            Self::Fault(error.into())
        }
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            other => Self::Fault(anyhow::anyhow!("{other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_field_message_names_its_flag() {
        let one = Failure::from(Error::field("company_id", "required"));
        assert_eq!(one.message().unwrap(), "--company: Please fill in this field.");
        assert_eq!(one.exit(), Exit::Usage);
    }

    #[test]
    fn broken_pipe_is_not_an_error() {
        let gone = Failure::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert_eq!((gone.exit(), gone.message()), (Exit::Done, None));
    }
}

//! How a command ends: what it says and which number it gives to the shell.
use domain::{
    Error,
    kernel::{error::FieldError, i18n},
};
use std::process::ExitCode;

pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// The language of everything `spvctl` says.
pub const LANGUAGE: &str = i18n::LANGUAGES[0];

/// Exit codes of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// Refused, or not found.
    Refused = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// Our fault, or the machine's.
    Fault = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    Domain(Error),
    /// A check that found something; the words have been said already.
    Found,
    Refused(String),
    Usage(String),
    Fault(anyhow::Error),
    /// Whoever read our output has gone, which is no error.
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

    /// Sentences for the person at the terminal; none where all has been said.
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
            // On the machine itself the reason helps; over HTTP it would not be sent.
            Self::Domain(Error::Unavailable(why)) => Some(format!("the portal cannot be used right now: {why}")),
            Self::Domain(Error::Internal(why)) => Some(format!("something went wrong on our side: {why}")),
            Self::Domain(error) => Some(i18n::error(LANGUAGE, error)),
            Self::Refused(words) | Self::Usage(words) => Some(words.clone()),
            Self::Fault(error) => Some(format!("{error:#}")),
            Self::Found | Self::ReaderGone => None,
        }
    }
}

/// `--price: Enter an amount …`: a refused field, by the flag that set it. One inside a file (`US.steps.0.step_name`) has
/// no flag.
fn refused(error: &FieldError) -> String {
    let words = i18n::field(LANGUAGE, error);
    if error.field.contains('.') {
        return format!("{}: {words}", error.field);
    }
    format!("--{}: {words}", flag(&error.field))
}

/// The flag of a field: `company_id` is given as `--company`.
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

impl From<dialoguer::Error> for Failure {
    fn from(error: dialoguer::Error) -> Self {
        match error {
            dialoguer::Error::IO(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                Self::Refused("nothing was done".to_owned())
            }
            dialoguer::Error::IO(error) => Self::Fault(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_field_names_its_flag() {
        let one = Failure::from(Error::field("company_id", "required"));
        assert_eq!(one.message().unwrap(), "--company: Please fill in this field.");
        assert_eq!(one.exit(), Exit::Usage);
    }

    #[test]
    fn a_reader_who_has_left_is_no_error() {
        let gone = Failure::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert_eq!((gone.exit(), gone.message()), (Exit::Done, None));
    }
}

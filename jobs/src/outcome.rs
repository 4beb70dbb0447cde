//! Whether a failed job may succeed later.
use domain::{Error, queue::worker::Failure};

/// Another attempt helps when the database was away or something went wrong on our side; a row that is gone or
/// a rule that says no will not change by asking again.
pub fn of(error: Error) -> Failure {
    let why = error.to_string();
    match error {
        Error::Unavailable(_) | Error::Internal(_) | Error::TooMany(_) => Failure::Later(why),
        Error::NotFound(_)
        | Error::Invalid(_)
        | Error::Conflict(_)
        | Error::Forbidden(_)
        | Error::Unauthenticated(_) => Failure::Never(why),
    }
}

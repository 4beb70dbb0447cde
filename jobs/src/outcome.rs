//! Whether a failed job may succeed later.
use domain::{
    Error,
    kernel::i18n::{self, LANGUAGES},
    platform::queue::worker::Failure,
};

/// Another attempt helps when the database was away or something went wrong on our side; a row that is gone or
/// a rule that says no will not change by asking again.
///
/// What went wrong on our side is told in our words: what is handed on is kept and shown, and a driver names hosts, paths
/// and statements. The log has its own.
pub fn of(error: Error) -> Failure {
    match error {
        Error::Unavailable(_) | Error::Internal(_) => {
            tracing::warn!(%error, "a job went wrong");
            Failure::Retry(i18n::error(LANGUAGES[0], &error))
        }
        Error::TooMany(_) => Failure::Retry(error.to_string()),
        Error::NotFound(_)
        | Error::Invalid(_)
        | Error::Conflict(_)
        | Error::Forbidden(_)
        | Error::Unauthenticated(_) => Failure::Fail(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_says_stays_in_the_log() {
        for error in [Error::Unavailable("10.0.0.7:5432 refused".to_owned()), Error::internal("10.0.0.7:5432 refused")]
        {
            let sentence = i18n::error(LANGUAGES[0], &error);
            assert!(!sentence.contains("10.0.0.7"));
            assert_eq!(of(error), Failure::Retry(sentence));
        }
        assert_eq!(of(Error::NotFound("mail")), Failure::Fail("mail not found".to_owned()));
    }
}

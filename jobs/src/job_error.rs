//! Maps a use case's error to a retry or a permanent failure of the job.
use domain::{
    Error,
    kernel::i18n::{self, LANGUAGES},
    platform::queue::worker::Failure,
};

/// Retries when the database was unavailable, on internal errors and on rate limits. A missing row or a refusal by a rule
/// is permanent.
///
/// The result is stored and shown to users, so internal errors carry our own message: a driver's message names hosts, paths
/// and statements. The original goes to the log.
pub fn classify(error: Error) -> Failure {
    match error {
        Error::Unavailable(_) | Error::Internal(_) => {
            tracing::warn!(%error, "internal error in a job");
            Failure::Retry(i18n::error(LANGUAGES[0], &error))
        }
        Error::RateLimited(_) => Failure::Retry(error.to_string()),
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
    fn driver_messages_are_logged_and_not_stored() {
        for error in [Error::Unavailable("10.0.0.7:5432 refused".to_owned()), Error::internal("10.0.0.7:5432 refused")]
        {
            let sentence = i18n::error(LANGUAGES[0], &error);
            assert!(!sentence.contains("10.0.0.7"));
            assert_eq!(classify(error), Failure::Retry(sentence));
        }
        assert_eq!(classify(Error::NotFound("mail")), Failure::Fail("mail not found".to_owned()));
    }
}

//! Downloads of documents: logs those that are cut, and remembers those that have begun, so that their links may be
//! resumed after they have expired.
use crate::body::{Event, observe};
use axum::body::Body;
use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// How long a download that has begun may be resumed by its link.
pub const RESUMABLE: Duration = Duration::hours(12);
/// Downloads remembered at most; the oldest are forgotten, and resumed by a new link.
const MAX_DOWNLOADS: usize = 10_000;

/// The links whose downloads have begun in this process, by the hash of their tokens.
#[derive(Debug, Default)]
pub struct Begun(Mutex<HashMap<[u8; 32], DateTime<Utc>>>);

impl Begun {
    pub fn remember(&self, token: &str, now: DateTime<Utc>) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.len() >= MAX_DOWNLOADS {
            begun.retain(|_, at| now - *at < RESUMABLE);
            if let Some(oldest) = begun.iter().min_by_key(|(_, at)| **at).map(|(key, _)| *key)
                && begun.len() >= MAX_DOWNLOADS
            {
                begun.remove(&oldest);
            }
        }
        begun.entry(Sha256::digest(token).into()).or_insert(now);
    }

    pub fn has(&self, token: &str, now: DateTime<Utc>) -> bool {
        let key: [u8; 32] = Sha256::digest(token).into();
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.get(&key).is_some_and(|at| now - *at < RESUMABLE)
    }
}

/// `body`, of `total` bytes, with a warning in the log where it ends before all of them are sent.
pub fn logged(body: Body, version: String, total: u64) -> Body {
    let (mut sent, mut reason) = (0, None);
    observe(body, move |event| match event {
        Event::Data(bytes) => sent += bytes,
        Event::Failed(error) => reason = Some(error.to_string()),
        Event::Dropped if sent < total => {
            let reason = reason.as_deref().unwrap_or("the connection was closed");
            tracing::warn!(version, bytes_sent = sent, bytes_total = total, reason, "a download was cut");
        }
        Event::Dropped => {}
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_that_has_begun_is_remembered_for_hours_and_the_oldest_goes_first() {
        let (begun, now) = (Begun::default(), DateTime::UNIX_EPOCH);
        begun.remember("first", now);
        assert!(begun.has("first", now + Duration::hours(11)) && !begun.has("first", now + Duration::hours(12)));
        assert!(!begun.has("other", now));
        for n in 0..MAX_DOWNLOADS {
            begun.remember(&n.to_string(), now + Duration::seconds(1));
        }
        assert!(!begun.has("first", now) && begun.has("0", now + Duration::seconds(1)));
    }
}

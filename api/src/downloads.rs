//! Downloads of documents: logs incomplete ones and remembers started ones, so that they can be resumed with an expired
//! link.
use crate::body::{Event, observe};
use axum::body::Body;
use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// How long after its start a download may be resumed.
const RESUME_WINDOW: Duration = Duration::hours(12);
/// The oldest are forgotten and need a new link.
const MAX_DOWNLOADS: usize = 10_000;

/// Downloads started in this process, by the hash of their link token.
#[derive(Debug, Default)]
pub struct StartedDownloads(Mutex<HashMap<[u8; 32], DateTime<Utc>>>);

impl StartedDownloads {
    pub fn record(&self, token: &str, now: DateTime<Utc>) {
        let mut started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if started.len() >= MAX_DOWNLOADS {
            started.retain(|_, at| now - *at < RESUME_WINDOW);
            if let Some(oldest) = started.iter().min_by_key(|(_, at)| **at).map(|(key, _)| *key)
                && started.len() >= MAX_DOWNLOADS
            {
                started.remove(&oldest);
            }
        }
        started.entry(Sha256::digest(token).into()).or_insert(now);
    }

    pub fn contains(&self, token: &str, now: DateTime<Utc>) -> bool {
        let key: [u8; 32] = Sha256::digest(token).into();
        let started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        started.get(&key).is_some_and(|at| now - *at < RESUME_WINDOW)
    }
}

/// Logs a warning when `body` ends before all `total` bytes are sent.
pub fn log_incomplete(body: Body, version: String, total: u64) -> Body {
    let (mut sent, mut reason) = (0, None);
    observe(body, move |event| match event {
        Event::Data(bytes) => sent += bytes,
        Event::Failed(error) => reason = Some(error.to_string()),
        Event::Dropped if sent < total => {
            let reason = reason.as_deref().unwrap_or("the connection was closed");
            tracing::warn!(version, bytes_sent = sent, bytes_total = total, reason, "download incomplete");
        }
        Event::Dropped => {}
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn started_downloads_are_remembered_for_the_window_and_the_oldest_evicted() {
        let (started, now) = (StartedDownloads::default(), DateTime::UNIX_EPOCH);
        started.record("first", now);
        assert!(
            started.contains("first", now + Duration::hours(11))
                && !started.contains("first", now + Duration::hours(12))
        );
        assert!(!started.contains("other", now));
        for n in 0..MAX_DOWNLOADS {
            started.record(&n.to_string(), now + Duration::seconds(1));
        }
        assert!(!started.contains("first", now) && started.contains("0", now + Duration::seconds(1)));
    }
}

//! What every request is asked at the door: does it come from an address that is kept out, and is the portal being
//! maintained. Each process remembers the answers until the activity log tells of a change.
use crate::{
    accounts::ip_blocklist,
    kernel::{db::Db, error::Result, network::Network},
    platform::maintenance::{self, Maintenance},
};
use chrono::{DateTime, Duration, Utc};
use std::{
    net::IpAddr,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// A database that is away is asked again after so long; until then the last answers stand.
const PAUSE: Duration = Duration::seconds(1);
/// Remembered no longer than this: what changed while nobody heard of it, as after a restored backup, is found out.
const AGE: Duration = Duration::seconds(10);
/// Nobody waits longer than this for an answer.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);

/// How the door stands.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    pub maintenance: Option<Maintenance>,
    blocked: Vec<Network>,
}

impl Gate {
    /// Whether requests from this address are refused.
    pub fn keeps_out(&self, address: IpAddr) -> bool {
        self.blocked.iter().any(|network| network.contains(address))
    }
}

/// Remembers the gate for one process.
#[derive(Debug, Default)]
pub struct Gatekeeper {
    known: RwLock<Known>,
    changes: AtomicU64,
}

#[derive(Clone, Debug, Default)]
struct Known {
    gate: Arc<Gate>,
    /// The count of changes when it was read; none before the first time.
    read_at: Option<u64>,
    /// When somebody last went to read it; none where that failed.
    asked_at: Option<DateTime<Utc>>,
    failed_at: Option<DateTime<Utc>>,
}

impl Gatekeeper {
    /// The gate as it stands. Where the database cannot be asked: as it stood when it was asked last.
    pub async fn look(&self, db: &Db, now: DateTime<Utc>) -> Arc<Gate> {
        let changes = self.changes.load(Ordering::SeqCst);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        let failed = known.failed_at.is_some_and(|at| now - at < PAUSE);
        if failed || known.read_at == Some(changes) && !self.is_due(&known, now) {
            return known.gate;
        }
        let read = tokio::time::timeout(PATIENCE, Box::pin(read(db))).await;
        let mut kept = self.known.write().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(Ok(gate)) => {
                *kept = Known { gate: Arc::new(gate), read_at: Some(changes), asked_at: Some(now), failed_at: None };
            }
            Ok(Err(_)) | Err(_) => (kept.asked_at, kept.failed_at) = (None, Some(now)),
        }
        kept.gate.clone()
    }

    /// Whether what is remembered is too old. Only one is told so and reads it; the others go on with it meanwhile.
    fn is_due(&self, known: &Known, now: DateTime<Utc>) -> bool {
        // A clock that was set back is no reason to wait.
        let old = |asked: Option<DateTime<Utc>>| asked.is_none_or(|at| (now - at).abs() >= AGE);
        if !old(known.asked_at) {
            return false;
        }
        let mut kept = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let first = old(kept.asked_at);
        kept.asked_at = Some(now);
        first
    }

    /// Something about it has changed.
    pub fn forget(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

async fn read(db: &Db) -> Result<Gate> {
    let mut db = db.clone();
    Ok(Gate { maintenance: maintenance::read(&mut db).await?, blocked: ip_blocklist::networks(&mut db).await? })
}

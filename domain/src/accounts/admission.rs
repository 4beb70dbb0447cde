//! Admission of requests: IP blocklist and maintenance mode, cached per process and invalidated by the activity log.
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

/// Pause between attempts while the database is unavailable; the cached policy applies meanwhile.
const RETRY_DELAY: Duration = Duration::seconds(1);
/// Age at which the policy is reloaded without an invalidation, as after a restored backup.
const MAX_AGE: Duration = Duration::seconds(10);
/// Longest wait for the database.
const LOAD_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(1);

/// The policy: maintenance mode and blocked networks.
#[derive(Clone, Debug, Default)]
pub struct AdmissionPolicy {
    pub maintenance: Option<Maintenance>,
    blocked: Vec<Network>,
}

impl AdmissionPolicy {
    /// Whether requests from this address are refused.
    pub fn is_blocked(&self, address: IpAddr) -> bool {
        self.blocked.iter().any(|network| network.contains(address))
    }
}

/// Cache of the admission policy in one process.
#[derive(Debug, Default)]
pub struct AdmissionCache {
    cached: RwLock<CachedPolicy>,
    changes: AtomicU64,
}

#[derive(Clone, Debug, Default)]
struct CachedPolicy {
    policy: Arc<AdmissionPolicy>,
    /// Invalidation counter when it was loaded.
    read_at: Option<u64>,
    /// When a reload was last started; none after a failure.
    requested_at: Option<DateTime<Utc>>,
    failed_at: Option<DateTime<Utc>>,
}

impl AdmissionCache {
    /// The current policy; the last known one while the database is unavailable.
    pub async fn get(&self, db: &Db, now: DateTime<Utc>) -> Arc<AdmissionPolicy> {
        let changes = self.changes.load(Ordering::SeqCst);
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner).clone();
        let failed = cached.failed_at.is_some_and(|at| now - at < RETRY_DELAY);
        if failed || cached.read_at == Some(changes) && !self.claim_reload(&cached, now) {
            return cached.policy;
        }
        let read = tokio::time::timeout(LOAD_TIMEOUT, Box::pin(load(db))).await;
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(Ok(policy)) => {
                *cached = CachedPolicy {
                    policy: Arc::new(policy),
                    read_at: Some(changes),
                    requested_at: Some(now),
                    failed_at: None,
                };
            }
            Ok(Err(_)) | Err(_) => (cached.requested_at, cached.failed_at) = (None, Some(now)),
        }
        cached.policy.clone()
    }

    /// Claims the reload of an outdated policy: true for one caller, the others use the cached one.
    fn claim_reload(&self, cached: &CachedPolicy, now: DateTime<Utc>) -> bool {
        // `abs`: the clock may have been set back.
        let old = |asked: Option<DateTime<Utc>>| asked.is_none_or(|at| (now - at).abs() >= MAX_AGE);
        if !old(cached.requested_at) {
            return false;
        }
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        let first = old(cached.requested_at);
        cached.requested_at = Some(now);
        first
    }

    /// Invalidates the cached policy.
    pub fn invalidate(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

async fn load(db: &Db) -> Result<AdmissionPolicy> {
    let mut db = db.clone();
    Ok(AdmissionPolicy {
        maintenance: maintenance::read(&mut db).await?,
        blocked: ip_blocklist::networks(&mut db).await?,
    })
}

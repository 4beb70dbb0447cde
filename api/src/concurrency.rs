//! Per-user concurrency limits in this process: event streams, upload parts, exports; connections per peer address. A
//! [`Permit`] releases its slot on drop.
use domain::kernel::ids::UserId;
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// At most `limit` permits per key.
#[derive(Clone, Debug)]
pub struct ConcurrencyLimit<K: Eq + Hash + Clone = UserId> {
    held: Arc<Mutex<HashMap<K, usize>>>,
    limit: usize,
}

/// One slot of a key, released on drop.
#[derive(Debug)]
pub struct Permit<K: Eq + Hash + Clone = UserId> {
    limit: ConcurrencyLimit<K>,
    key: Option<K>,
}

impl<K: Eq + Hash + Clone> ConcurrencyLimit<K> {
    pub fn new(limit: usize) -> Self {
        Self { held: Arc::default(), limit }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None when the key has all its permits in use. Without a key there is no limit.
    pub fn try_acquire(&self, key: Option<K>) -> Option<Permit<K>> {
        if let Some(key) = &key {
            let mut held = self.held();
            let count = held.entry(key.clone()).or_default();
            if *count >= self.limit {
                return None;
            }
            *count += 1;
        }
        Some(Permit { limit: self.clone(), key })
    }
}

impl<K: Eq + Hash + Clone> Drop for Permit<K> {
    fn drop(&mut self) {
        let Some(key) = self.key.take() else { return };
        let mut held = self.limit.held();
        if let Entry::Occupied(mut count) = held.entry(key) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

//! Concurrency limits per key in this process: event streams, upload pieces and exports per person, connections per peer
//! address. A [`Place`] frees its slot on drop.
use domain::kernel::ids::UserId;
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The places of one kind.
#[derive(Clone, Debug)]
pub struct Places<K: Eq + Hash + Clone = UserId> {
    taken: Arc<Mutex<HashMap<K, usize>>>,
    /// Of each key.
    most: usize,
}

/// One slot of a key, until it is dropped.
#[derive(Debug)]
pub struct Place<K: Eq + Hash + Clone = UserId>(Places<K>, Option<K>);

impl<K: Eq + Hash + Clone> Places<K> {
    pub fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None when the key has as many as it may. Without a key there is no limit.
    pub fn place_of(&self, key: Option<K>) -> Option<Place<K>> {
        if let Some(key) = &key {
            let mut taken = self.taken();
            let count = taken.entry(key.clone()).or_default();
            if *count >= self.most {
                return None;
            }
            *count += 1;
        }
        Some(Place(self.clone(), key))
    }
}

impl<K: Eq + Hash + Clone> Drop for Place<K> {
    fn drop(&mut self) {
        let Some(id) = self.1.take() else { return };
        let mut taken = self.0.taken();
        if let Entry::Occupied(mut count) = taken.entry(id) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

//! How much of something one person has going at once in this process: event streams, pieces of uploads. Whoever has
//! a place holds it until it is dropped.
use domain::ids::UserId;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The places of one kind.
#[derive(Clone, Debug)]
pub struct Places {
    taken: Arc<Mutex<HashMap<UserId, usize>>>,
    /// Of each person.
    most: usize,
}

/// One of a person's places, until it is dropped.
#[derive(Debug)]
pub struct Place(Places, Option<UserId>);

impl Places {
    pub fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None when the person has as many as they may.
    pub fn place_of(&self, person: Option<UserId>) -> Option<Place> {
        if let Some(id) = person {
            let mut taken = self.taken();
            let count = taken.entry(id).or_default();
            if *count >= self.most {
                return None;
            }
            *count += 1;
        }
        Some(Place(self.clone(), person))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(id) = self.1 else { return };
        let mut taken = self.0.taken();
        if let Entry::Occupied(mut count) = taken.entry(id) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

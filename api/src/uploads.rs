//! Active upload appends: at most one append per upload in this process, or memory would hold the same part many times.
use domain::kernel::ids::UploadId;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, PoisonError},
};
use tokio_util::sync::CancellationToken;

/// The uploads with an append under way.
#[derive(Clone, Debug, Default)]
pub struct ActiveAppends(Arc<Mutex<HashMap<UploadId, CancellationToken>>>);

/// The append of one upload; ends on drop.
#[derive(Debug)]
pub struct AppendGuard {
    appends: ActiveAppends,
    id: UploadId,
    /// Cancelled when another request wants to append to the same upload.
    pub superseded: CancellationToken,
}

impl ActiveAppends {
    /// None while another append is under way: often one of the same person on a connection that is broken without the
    /// server noticing. It is cancelled and stores what it has received, so that a retry succeeds.
    pub fn start(&self, id: UploadId) -> Option<AppendGuard> {
        let superseded = CancellationToken::new();
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(id) {
            Entry::Occupied(active) => {
                active.get().cancel();
                return None;
            }
            Entry::Vacant(free) => free.insert(superseded.clone()),
        };
        Some(AppendGuard { appends: self.clone(), id, superseded })
    }
}

impl Drop for AppendGuard {
    fn drop(&mut self) {
        self.appends.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

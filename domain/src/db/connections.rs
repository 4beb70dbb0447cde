//! Connections between two statements. sqlx's pool asks each that comes back to it whether it still answers, in a task of
//! its own: one more hand-over to SQLite's thread or one more journey to PostgreSQL after every statement. So those whose
//! statement ended well stay here for the next, and go back to the pool when it did not or nobody has wanted them lately.
use sqlx::{Database, Pool, pool::PoolConnection};
use std::{
    mem,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// How long a connection is taken for alive after its last use.
pub(super) const FRESH: Duration = Duration::from_secs(1);

/// All connections of one pool, which nobody else takes any from.
#[derive(Debug)]
pub(super) struct Connections<D: Database> {
    pub pool: Pool<D>,
    free: Arc<Semaphore>,
    idle: Arc<Idle<D>>,
}

/// The last to be used comes first.
#[derive(Debug)]
struct Idle<D: Database>(Mutex<Vec<(PoolConnection<D>, Instant)>>);

/// A connection that is nobody else's. It goes back to the pool when dropped without [`Taken::keep`].
#[derive(Debug)]
pub(super) struct Taken<D: Database> {
    connection: PoolConnection<D>,
    from: Connections<D>,
    _permit: OwnedSemaphorePermit,
}

impl<D: Database> Clone for Connections<D> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), free: self.free.clone(), idle: self.idle.clone() }
    }
}

impl<D: Database> Connections<D> {
    pub fn new(pool: Pool<D>) -> Self {
        let most = usize::try_from(pool.options().get_max_connections()).unwrap_or(Semaphore::MAX_PERMITS);
        Self { pool, free: Arc::new(Semaphore::new(most)), idle: Arc::new(Idle(Mutex::default())) }
    }

    /// # Errors
    /// When none is to be had in time, and what opening one says.
    pub async fn take(&self) -> sqlx::Result<Taken<D>> {
        let patience = self.pool.options().get_acquire_timeout();
        let permit = timeout(patience, self.free.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        let connection = match self.idle.pop() {
            Some(connection) => connection,
            None => self.pool.acquire().await?,
        };
        Ok(Taken { connection, from: self.clone(), _permit: permit })
    }

    pub async fn close(&self) {
        let closing = self.pool.close();
        drop(self.idle.clear());
        closing.await;
    }
}

impl<D: Database> Idle<D> {
    /// The one that was used last. Where that was long ago, all go back to the pool, which looks whether they answer.
    fn pop(&self) -> Option<PoolConnection<D>> {
        let (connection, since) = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        if since.elapsed() < FRESH {
            return Some(connection);
        }
        drop(self.clear());
        None
    }

    fn clear(&self) -> Vec<(PoolConnection<D>, Instant)> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<D: Database> Drop for Idle<D> {
    fn drop(&mut self) {
        for (connection, _) in self.clear() {
            // The way back to the pool is a task, and the process may have none any more.
            drop(connection.detach());
        }
    }
}

impl<D: Database> Taken<D> {
    /// Its statement ended well: whoever comes next may have it as it is.
    pub fn keep(self) {
        let Self { connection, from, _permit } = self;
        let mut idle = from.idle.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Asked under the lock: whoever closes marks the pool first and then takes what is here.
        if !from.pool.is_closed() {
            idle.push((connection, Instant::now()));
        }
    }

    /// Lets go of it at once, without a runtime.
    pub fn forget(self) {
        drop(self.connection.detach());
    }

    /// Ends it: nobody knows any more what it is in the middle of.
    pub async fn close(self) {
        // It may have broken by itself.
        let _ = self.connection.close().await;
    }
}

impl<D: Database> Deref for Taken<D> {
    type Target = D::Connection;

    fn deref(&self) -> &D::Connection {
        &self.connection
    }
}

impl<D: Database> DerefMut for Taken<D> {
    fn deref_mut(&mut self) -> &mut D::Connection {
        &mut self.connection
    }
}

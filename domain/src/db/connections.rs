//! Connections between two statements. sqlx's pool asks each that comes back to it whether it still answers, in a task of
//! its own: one more hand-over to SQLite's thread or one more journey to PostgreSQL after every statement. So those whose
//! statement ended well stay here for the next; what is in the middle of something goes back to the pool, which ends it.
use super::limits;
use sqlx::{Connection, Database, Pool, pool::PoolConnection};
use std::{
    mem,
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// How long one may take to say that it is still there.
const SILENCE: Duration = Duration::from_secs(2);
/// How long one stays that nobody wants.
const IDLE: Duration = Duration::from_secs(600);

/// All connections of one pool, which nobody else takes any from.
#[derive(Debug)]
pub(super) struct Connections<D: Database> {
    pub pool: Pool<D>,
    /// How long one is taken for alive after its last use.
    fresh: Duration,
    free: Arc<Semaphore>,
    /// What must be had before one of them.
    gate: Option<Arc<Semaphore>>,
    idle: Arc<Idle<D>>,
    /// The server, for errors; empty for a file.
    place: Arc<str>,
}

/// The last to be used comes first.
#[derive(Debug)]
struct Idle<D: Database>(Mutex<Vec<(PoolConnection<D>, Instant)>>);

/// A connection that is nobody else's, until it is kept or dropped.
#[derive(Debug)]
pub(super) struct Taken<D: Database> {
    /// There until then.
    held: Option<(PoolConnection<D>, Permit)>,
    from: Connections<D>,
}

/// The right to have one, and to have passed the gate.
type Permit = (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

impl<D: Database> Clone for Connections<D> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            fresh: self.fresh,
            free: self.free.clone(),
            gate: self.gate.clone(),
            idle: self.idle.clone(),
            place: self.place.clone(),
        }
    }
}

impl<D: Database> Connections<D> {
    pub fn new(pool: Pool<D>, fresh: Duration) -> Self {
        let most = usize::try_from(pool.options().get_max_connections()).unwrap_or(Semaphore::MAX_PERMITS);
        let (free, idle) = (Arc::new(Semaphore::new(most)), Arc::new(Idle(Mutex::default())));
        Self { pool, fresh, free, gate: None, idle, place: "".into() }
    }

    /// The same connections, whose errors name the server.
    pub fn at(self, place: &str) -> Self {
        Self { place: place.into(), ..self }
    }

    /// The same connections for those who want no more than `most` of them at a time.
    pub fn gated(&self, most: usize) -> Self {
        Self { gate: Some(Arc::new(Semaphore::new(most))), ..self.clone() }
    }

    /// How long to wait for one that does not answer: one that breaks, breaks without a word.
    fn patience(&self) -> Duration {
        if self.fresh == Duration::MAX { self.fresh } else { self.pool.options().get_acquire_timeout() }
    }

    /// # Errors
    /// When none is to be had in time, and what opening one says.
    pub async fn take(&self) -> sqlx::Result<Taken<D>> {
        let taken = timeout(self.pool.options().get_acquire_timeout(), self.take_any());
        match taken.await.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Err(error) => Err(Box::pin(self.explained(error)).await),
            taken => taken,
        }
    }

    /// A pool that tries to connect until its time is over does not say what it failed with: where it is not full, one
    /// connection more does.
    async fn explained(&self, error: sqlx::Error) -> sqlx::Error {
        let full = self.pool.size() >= self.pool.options().get_max_connections();
        if !matches!(error, sqlx::Error::PoolTimedOut) || full || self.place.is_empty() {
            return limits::at(&self.place, error);
        }
        let found = limits::why::<D::Connection>(&self.pool.connect_options()).await;
        limits::at(&self.place, found.unwrap_or(error))
    }

    /// What is rare is in a place of its own: whoever finds one at hand has not to carry the room for it along.
    async fn take_any(&self) -> sqlx::Result<Taken<D>> {
        let closed = |_| sqlx::Error::PoolClosed;
        let passed = match &self.gate {
            Some(gate) => Some(gate.clone().acquire_owned().await.map_err(closed)?),
            None => None,
        };
        let permit = (self.free.clone().acquire_owned().await.map_err(closed)?, passed);
        let Some((connection, since)) = self.idle.lock().pop() else {
            let connection = Box::pin(self.pool.acquire()).await?;
            return Ok(Taken { held: Some((connection, permit)), from: self.clone() });
        };
        let mut taken = Taken { held: Some((connection, permit)), from: self.clone() };
        let fresh = since.elapsed() <= self.fresh;
        if !fresh && !matches!(timeout(SILENCE, Box::pin(taken.ping())).await, Ok(Ok(()))) {
            // As it has gone, so have those that were used before it.
            self.idle.forget();
            let permit = taken.forget();
            let connection = Box::pin(self.pool.acquire()).await?;
            return Ok(Taken { held: permit.map(|permit| (connection, permit)), from: self.clone() });
        }
        Ok(taken)
    }

    /// Waits until each of them has taken its leave.
    pub async fn close(&self) {
        let closing = self.pool.close();
        let idle = mem::take(&mut *self.idle.lock());
        drop(idle);
        closing.await;
    }
}

impl<D: Database> Idle<D> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(PoolConnection<D>, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self) {
        for (connection, _) in mem::take(&mut *self.lock()) {
            drop(connection.detach());
        }
    }
}

impl<D: Database> Drop for Idle<D> {
    fn drop(&mut self) {
        // The way back to the pool is a task, and the process may have none any more.
        self.forget();
    }
}

impl<D: Database> Taken<D> {
    /// Its statement ended well: whoever comes next may have it as it is.
    pub fn keep(mut self) {
        let Some((connection, permit)) = self.held.take() else { return };
        {
            let mut idle = self.from.idle.lock();
            let old = idle.iter().take_while(|(_, since)| since.elapsed() > IDLE).count();
            for (connection, _) in idle.drain(..old) {
                drop(connection.detach());
            }
            // Asked under the lock: whoever closes marks the pool first and then takes what is here.
            if !self.from.pool.is_closed() {
                idle.push((connection, Instant::now()));
                return;
            }
        }
        self.held = Some((connection, permit));
    }

    /// Ends it: nobody knows any more what it is in the middle of.
    pub async fn close(mut self) {
        if let Some((connection, _permit)) = self.held.take() {
            // It may have broken by itself.
            let _ = timeout(self.from.patience(), connection.close()).await;
        }
    }

    /// Lets go of it at once, without a runtime and without a word to whoever is at its other end.
    pub fn forget(mut self) -> Option<Permit> {
        let (connection, permit) = self.held.take()?;
        drop(connection.detach());
        Some(permit)
    }
}

impl<D: Database> Drop for Taken<D> {
    fn drop(&mut self) {
        let Some((mut connection, permit)) = self.held.take() else { return };
        let Ok(handle) = Handle::try_current() else { return drop(connection.detach()) };
        // What it is in the middle of is waited for: whoever comes next is not to wait for this very one.
        let back = connection.return_to_pool();
        let patience = self.from.patience();
        handle.spawn(async move {
            // A server that does not answer is let go; a statement on a file goes on until it has ended.
            let _ = timeout(patience, back).await;
            drop(permit);
        });
    }
}

impl<D: Database> Deref for Taken<D> {
    type Target = D::Connection;

    fn deref(&self) -> &D::Connection {
        &self.held.as_ref().expect("there until it is kept or dropped").0
    }
}

impl<D: Database> DerefMut for Taken<D> {
    fn deref_mut(&mut self) -> &mut D::Connection {
        &mut self.held.as_mut().expect("there until it is kept or dropped").0
    }
}

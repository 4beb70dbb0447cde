//! Connection pool: deadpool, with a [`PooledConnection`] for each use.
//!
//! A lease that is dropped in the middle of a statement keeps its slot until the connection is at rest again: a task waits
//! for the statement, or closes the connection after [`DRAIN_TIMEOUT`]. So a connection is never handed out, nor counted as
//! free, while a statement runs on it, and the number of connections stays within the pool.
use crate::error::{Error, Result};
use deadpool::{
    Runtime,
    managed::{self, Object, PoolError, TimeoutType, Timeouts},
};
use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{runtime::Handle, time::timeout};

/// How long an abandoned statement is waited for: longer than `statement_timeout` of a request's statement.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How often connections are looked through for those that are too old or unused.
const REAP_INTERVAL: Duration = Duration::from_secs(60);
const CLOSE_INTERVAL: Duration = Duration::from_millis(5);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens, resets and closes the connections of a [`Pool`].
pub(crate) trait Connector: managed::Manager<Error = sqlx::Error, Type: Sync> + 'static {
    /// The server as errors name it; empty for a file.
    fn address(&self) -> &str;
    /// Waits for what the connection is in the middle of, and rolls back its transaction.
    fn reset(connection: &mut Self::Type, in_transaction: bool) -> impl Future<Output = sqlx::Result<()>> + Send;
    fn close(connection: Self::Type) -> impl Future<Output = ()> + Send;
}

/// PoolOptions of a [`Pool`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolOptions {
    pub size: usize,
    /// How long to wait for a connection in all.
    pub acquire: Duration,
    /// How long opening one may take.
    pub connect: Duration,
    /// When an unused one is closed; none: never.
    pub idle: Option<Duration>,
    /// When one is closed however much it is used.
    pub lifetime: Option<Duration>,
}

pub(crate) struct Pool<C: Connector> {
    inner: managed::Pool<C>,
    limits: PoolOptions,
    closed: Arc<AtomicBool>,
}

impl<C: Connector> fmt::Debug for Pool<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<C: Connector> Clone for Pool<C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), limits: self.limits, closed: self.closed.clone() }
    }
}

impl<C: Connector> Pool<C> {
    /// # Errors
    /// None that a caller could cause.
    pub fn new(connector: C, limits: PoolOptions) -> Result<Self> {
        let inner = managed::Pool::builder(connector)
            .max_size(limits.size)
            .queue_mode(managed::QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::other)?;
        if limits.idle.is_some() || limits.lifetime.is_some() {
            tokio::spawn(reap(inner.weak(), limits));
        }
        Ok(Self { inner, limits, closed: Arc::default() })
    }

    /// Waits for a connection.
    ///
    /// # Errors
    /// Unavailable on timeout, naming the server.
    pub async fn acquire(&self) -> Result<PooledConnection<C>> {
        if self.closed.load(Ordering::Relaxed) {
            return Err(Error::Unavailable("the database is closed".to_owned()));
        }
        let PoolOptions { acquire, connect, .. } = self.limits;
        let timeouts = Timeouts { wait: Some(acquire), create: Some(connect), recycle: Some(connect) };
        let taken = timeout(acquire, Box::pin(self.inner.timeout_get(&timeouts))).await;
        let object = taken.unwrap_or(Err(PoolError::Timeout(TimeoutType::Wait))).map_err(|e| self.unavailable(e))?;
        Ok(PooledConnection { object: Some(object), in_transaction: false })
    }

    fn unavailable(&self, error: PoolError<sqlx::Error>) -> Error {
        let why = match error {
            PoolError::Backend(error) => match error.into() {
                Error::Other(error) => crate::error::causes(&*error),
                error => error.to_string(),
            },
            PoolError::Timeout(TimeoutType::Wait) => {
                format!("no connection became free within {:?} ({} in the pool)", self.limits.acquire, self.limits.size)
            }
            PoolError::Timeout(_) => format!("no connection within {:?}", self.limits.connect),
            PoolError::Closed => "the pool is closed".to_owned(),
            error => error.to_string(),
        };
        match self.inner.manager().address() {
            "" => Error::Unavailable(why),
            place => Error::Unavailable(format!("{place}: {why}")),
        }
    }

    /// Closes the connections that are not in use, so that the next ones are new: after one of them broke, or turned out
    /// to lead to a standby.
    pub fn discard_idle(&self) {
        let idle = self.inner.retain(|_, _| false).removed;
        if let Ok(handle) = Handle::try_current() {
            handle.spawn(close_all::<C>(idle));
        }
    }

    /// Refuses further use, and waits until every connection is closed.
    pub async fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let closing = async {
            loop {
                close_all::<C>(self.inner.retain(|_, _| false).removed).await;
                if self.inner.status().size == 0 {
                    return;
                }
                tokio::time::sleep(CLOSE_INTERVAL).await;
            }
        };
        // A longer statement ends with the process.
        let _ = timeout(CLOSE_TIMEOUT, closing).await;
        self.inner.close();
    }

    #[cfg(feature = "testing")]
    pub fn size(&self) -> usize {
        self.inner.status().size
    }
}

async fn close_all<C: Connector>(connections: Vec<C::Type>) {
    for connection in connections {
        let _ = timeout(CLOSE_TIMEOUT, C::close(connection)).await;
    }
}

/// Closes connections past their idle time or lifetime, until the pool is gone.
async fn reap<C: Connector>(pool: managed::WeakPool<C>, limits: PoolOptions) {
    loop {
        tokio::time::sleep(REAP_INTERVAL).await;
        let Some(pool) = pool.upgrade() else { return };
        let old = |limit: Option<Duration>, age: Duration| limit.is_some_and(|limit| age > limit);
        let removed = pool
            .retain(|_, metrics| !old(limits.idle, metrics.last_used()) && !old(limits.lifetime, metrics.age()))
            .removed;
        close_all::<C>(removed).await;
    }
}

/// A connection in exclusive use. [`PooledConnection::release`] returns it as it is; dropped, it is brought to rest first.
pub(crate) struct PooledConnection<C: Connector> {
    /// There until it is returned.
    object: Option<Object<C>>,
    in_transaction: bool,
}

impl<C: Connector> fmt::Debug for PooledConnection<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledConnection").field("in_transaction", &self.in_transaction).finish_non_exhaustive()
    }
}

impl<C: Connector> PooledConnection<C> {
    /// A transaction may be open from now on.
    pub fn mark_in_transaction(&mut self) {
        self.in_transaction = true;
    }

    /// Its last statement ended well, and no transaction is open: the next user may have it as it is.
    pub fn release(mut self) {
        drop(self.object.take());
    }

    /// Closes it without a word to the server. Needs no runtime.
    pub fn discard(mut self) {
        drop(self.object.take().map(Object::take));
    }

    /// Closes it, because its state is not known.
    pub async fn close(mut self) {
        if let Some(object) = self.object.take() {
            let _ = timeout(CLOSE_TIMEOUT, C::close(Object::take(object))).await;
        }
    }
}

impl<C: Connector> Drop for PooledConnection<C> {
    fn drop(&mut self) {
        let Some(mut object) = self.object.take() else { return };
        // Without a runtime the process is ending.
        let Ok(handle) = Handle::try_current() else { return drop(Object::take(object)) };
        let in_transaction = self.in_transaction;
        handle.spawn(async move {
            let reset = timeout(DRAIN_TIMEOUT, C::reset(&mut object, in_transaction)).await;
            match reset {
                Ok(Ok(())) => drop(object),
                _ => drop(Object::take(object)),
            }
        });
    }
}

impl<C: Connector> Deref for PooledConnection<C> {
    type Target = C::Type;

    fn deref(&self) -> &C::Type {
        self.object.as_ref().expect("there until it is returned")
    }
}

impl<C: Connector> DerefMut for PooledConnection<C> {
    fn deref_mut(&mut self) -> &mut C::Type {
        self.object.as_mut().expect("there until it is returned")
    }
}

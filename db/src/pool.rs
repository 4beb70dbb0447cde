//! Connection pool on deadpool. A [`PooledConnection`] is one use of a connection.
//!
//! A connection that is dropped in the middle of a statement keeps its place in the pool until the statement has ended, or
//! is closed after [`DRAIN_TIMEOUT`]. So the pool never hands out a connection on which a statement runs, and never opens
//! more connections than its size.
use crate::error::{Error, Result, causes};
use deadpool::{
    Runtime,
    managed::{self, Metrics, Object, PoolError, TimeoutType, Timeouts},
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

/// How long an abandoned statement may run on: longer than the `statement_timeout` of requests.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
const REAP_INTERVAL: Duration = Duration::from_secs(60);
const CLOSE_POLL_INTERVAL: Duration = Duration::from_millis(5);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens, resets and closes the connections of a [`Pool`].
pub(crate) trait Connector: managed::Manager<Error = sqlx::Error, Type: Sync> + 'static {
    /// The server's address for error messages; empty for a file.
    fn address(&self) -> &str;
    /// Whether a connection was idle or open for too long.
    fn is_expired(_: &Metrics) -> bool {
        false
    }
    /// Waits for a running statement, and rolls back the transaction.
    fn reset(connection: &mut Self::Type, in_transaction: bool) -> impl Future<Output = sqlx::Result<()>> + Send;
    fn close(connection: Self::Type) -> impl Future<Output = ()> + Send;
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolOptions {
    pub size: usize,
    /// Bounds [`Pool::acquire`] as a whole.
    pub acquire_timeout: Duration,
    /// Bounds opening or validating one connection.
    pub connect_timeout: Duration,
}

pub(crate) struct Pool<C: Connector> {
    inner: managed::Pool<C>,
    options: PoolOptions,
    closed: Arc<AtomicBool>,
}

impl<C: Connector> fmt::Debug for Pool<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<C: Connector> Clone for Pool<C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), options: self.options, closed: self.closed.clone() }
    }
}

impl<C: Connector> Pool<C> {
    pub fn new(connector: C, options: PoolOptions) -> Result<Self> {
        let inner = managed::Pool::builder(connector)
            .max_size(options.size)
            .queue_mode(managed::QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(Error::other)?;
        Ok(Self { inner, options, closed: Arc::default() })
    }

    /// Closes expired connections in the background, until the pool is dropped.
    pub fn spawn_reaper(&self) {
        let pool = self.inner.weak();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(REAP_INTERVAL).await;
                let Some(pool) = pool.upgrade() else { return };
                close_all::<C>(pool.retain(|_, metrics| !C::is_expired(&metrics)).removed).await;
            }
        });
    }

    /// Waits for a connection.
    ///
    /// # Errors
    /// Unavailable on timeout, naming the server.
    pub async fn acquire(&self) -> Result<PooledConnection<C>> {
        if self.closed.load(Ordering::Relaxed) {
            return Err(Error::Unavailable("the database is closed".to_owned()));
        }
        let PoolOptions { acquire_timeout, connect_timeout, .. } = self.options;
        let timeouts =
            Timeouts { wait: Some(acquire_timeout), create: Some(connect_timeout), recycle: Some(connect_timeout) };
        let acquired = timeout(acquire_timeout, Box::pin(self.inner.timeout_get(&timeouts))).await;
        let object = acquired.unwrap_or(Err(PoolError::Timeout(TimeoutType::Wait))).map_err(|e| self.unavailable(e))?;
        Ok(PooledConnection { object: Some(object), in_transaction: false })
    }

    fn unavailable(&self, error: PoolError<sqlx::Error>) -> Error {
        let PoolOptions { size, acquire_timeout, connect_timeout } = self.options;
        let why = match error {
            PoolError::Backend(error) => match error.into() {
                Error::Other(error) => causes(&*error),
                error => error.to_string(),
            },
            PoolError::Timeout(TimeoutType::Wait) => {
                format!("no connection became free within {acquire_timeout:?} (pool size {size})")
            }
            PoolError::Timeout(_) => format!("no connection within {connect_timeout:?}"),
            error => error.to_string(),
        };
        match self.inner.manager().address() {
            "" => Error::Unavailable(why),
            address => Error::Unavailable(format!("{address}: {why}")),
        }
    }

    /// Closes the idle connections: one of them broke or leads to a standby, and the others may, too.
    pub fn discard_idle(&self) {
        let idle = self.inner.retain(|_, _| false).removed;
        if let Ok(handle) = Handle::try_current() {
            handle.spawn(close_all::<C>(idle));
        }
    }

    /// Refuses further use, and waits up to [`CLOSE_TIMEOUT`] until every connection is closed.
    pub async fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let closing = async {
            loop {
                close_all::<C>(self.inner.retain(|_, _| false).removed).await;
                if self.inner.status().size == 0 {
                    return;
                }
                tokio::time::sleep(CLOSE_POLL_INTERVAL).await;
            }
        };
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

/// A connection in exclusive use. [`PooledConnection::release`] returns it to the pool at once; a drop resets it first.
pub(crate) struct PooledConnection<C: Connector> {
    /// None once it was returned or closed.
    object: Option<Object<C>>,
    in_transaction: bool,
}

impl<C: Connector> fmt::Debug for PooledConnection<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledConnection").field("in_transaction", &self.in_transaction).finish_non_exhaustive()
    }
}

impl<C: Connector> PooledConnection<C> {
    /// A reset must roll back from now on.
    pub fn mark_in_transaction(&mut self) {
        self.in_transaction = true;
    }

    /// Returns it to the pool. No statement may be running, and no transaction open.
    pub fn release(mut self) {
        drop(self.object.take());
    }

    /// Drops it without a goodbye to the server. Needs no runtime.
    pub fn discard(mut self) {
        drop(self.object.take().map(Object::take));
    }

    /// Closes it instead of returning it.
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
            if !matches!(reset, Ok(Ok(()))) {
                drop(Object::take(object));
            }
        });
    }
}

impl<C: Connector> Deref for PooledConnection<C> {
    type Target = C::Type;

    fn deref(&self) -> &C::Type {
        self.object.as_ref().expect("is taken on return only")
    }
}

impl<C: Connector> DerefMut for PooledConnection<C> {
    fn deref_mut(&mut self) -> &mut C::Type {
        self.object.as_mut().expect("is taken on return only")
    }
}

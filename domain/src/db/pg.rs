//! A transaction on PostgreSQL. Its connection is kept for the next one when it has ended, see
//! [`Connections`](super::connections::Connections).
//!
//! Statements whose rows nobody waits for go together ([`parts`](super::parts)). A transaction that comes to one statement
//! is that statement, without a beginning and a commit around it, and may go together with others
//! ([`writes`](super::writes)).
use super::{
    connections::Taken,
    parts::{Bound, Plain, Together, arguments},
    writes::{Statement, Writes},
};
use crate::error::{Error, Result};
use sqlx::{AssertSqlSafe, PgConnection, Postgres};
use std::time::Duration;
use tokio::{runtime::Handle, time::timeout};

/// How long a statement that was cut off may go on before the server is taken for gone.
const ROLLBACK: Duration = Duration::from_secs(60);

/// Rolls back when dropped without [`Open::commit`], also in the middle of a statement.
#[derive(Debug)]
pub(crate) struct Open {
    from: Writes,
    /// There once something was sent, until it has ended.
    on: Option<Taken<Postgres>>,
    /// Whether the server has heard of it.
    begun: bool,
    waiting: Together,
    /// What was sent last may have been done in part only, or not at all.
    uncertain: bool,
}

impl Open {
    pub(super) fn begin(from: &Writes) -> Self {
        Self { from: from.clone(), on: None, begun: false, waiting: Together::default(), uncertain: false }
    }

    /// Adds a statement whose rows nobody waits for; what is bound to it follows with [`Open::bind`]. One that cannot go
    /// together with others is sent with nothing else.
    pub(super) async fn later(&mut self, text: &str) -> Result<()> {
        let plain = Plain::of(text);
        if plain.as_ref().is_none_or(|plain| !self.waiting.welcomes(plain)) {
            self.flush().await?;
        }
        self.waiting.add(text, plain);
        Ok(())
    }

    pub(super) fn bind(&mut self, value: impl Bound + 'static) {
        self.waiting.bind(value);
    }

    /// The connection with nothing waiting before what is sent now; [`Open::went_well`] says that it was done.
    pub(crate) async fn writing(&mut self) -> Result<&mut PgConnection> {
        self.flush().await?;
        self.begun().await
    }

    /// What was asked of the connection has been done.
    pub(crate) fn went_well(&mut self) {
        self.uncertain = false;
    }

    /// The connection, with the transaction begun there.
    async fn begun(&mut self) -> Result<&mut PgConnection> {
        if !self.begun {
            // Before it is sent: cut off in the middle, it may have begun.
            self.begun = true;
            sqlx::raw_sql("begin").execute(self.sending().await?).await?;
            self.went_well();
        }
        self.sending().await
    }

    async fn sending(&mut self) -> Result<&mut PgConnection> {
        self.is_sound()?;
        self.uncertain = true;
        let on = match self.on.take() {
            Some(on) => on,
            // In a box: there is room on the stack for each of these, wherever something is sent.
            None => Box::pin(self.from.connections().take()).await?,
        };
        Ok(self.on.insert(on))
    }

    /// PostgreSQL has rolled back by itself when a statement failed, and says nothing of it when that is committed.
    ///
    /// # Errors
    /// Internal when something was not done.
    fn is_sound(&self) -> Result<()> {
        if self.uncertain {
            return Err(Error::internal("an earlier statement of the transaction failed"));
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let (text, bound) = self.waiting.take();
        let on = self.begun().await?;
        sqlx::query_with(AssertSqlSafe(text), arguments(&bound)?).execute(on).await?;
        self.went_well();
        Ok(())
    }

    pub async fn commit(mut self) -> Result<()> {
        self.is_sound()?;
        if !self.begun {
            if self.waiting.is_empty() {
                return Ok(());
            }
            let many = self.waiting.for_many();
            let (text, bound) = self.waiting.take();
            return Box::pin(self.from.run(Statement { text, bound, many })).await;
        }
        sqlx::raw_sql("commit").execute(self.writing().await?).await?;
        self.on.take().ok_or_else(|| Error::internal("the transaction is over"))?.keep();
        Ok(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let Some(mut on) = self.on.take() else { return };
        // Without a runtime the process is ending, and the server rolls back by itself.
        let Ok(handle) = Handle::try_current() else { return drop(on.forget()) };
        handle.spawn(async move {
            match timeout(ROLLBACK, sqlx::raw_sql("rollback").execute(&mut *on)).await {
                Ok(Ok(_)) => on.keep(),
                Ok(Err(_)) => on.close().await,
                Err(_) => drop(on.forget()),
            }
        });
    }
}

//! A transaction on PostgreSQL. Its connection is kept for the next one when it has ended, see [`Connections`].
use super::connections::{Connections, Taken};
use crate::error::{Error, Result};
use sqlx::{PgConnection, Postgres};
use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};
use tokio::{runtime::Handle, time::timeout};

/// How long a statement that was cut off may go on before the server is taken for gone.
const ROLLBACK: Duration = Duration::from_secs(60);

/// Rolls back when dropped without [`Open::commit`], also in the middle of a statement.
#[derive(Debug)]
pub(crate) struct Open {
    /// There until it has ended.
    on: Option<Taken<Postgres>>,
}

impl Open {
    pub(super) async fn begin(connections: &Connections<Postgres>) -> Result<Self> {
        let mut open = Self { on: Some(connections.take().await?) };
        sqlx::raw_sql("begin").execute(&mut *open).await?;
        Ok(open)
    }

    pub async fn commit(mut self) -> Result<()> {
        // To commit what was aborted is no error to PostgreSQL; to read in it is.
        sqlx::raw_sql("select 1; commit").execute(&mut *self).await?;
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

impl Deref for Open {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.on.as_ref().expect("there until it has ended")
    }
}

impl DerefMut for Open {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.on.as_mut().expect("there until it has ended")
    }
}

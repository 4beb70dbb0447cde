//! Writes on PostgreSQL. Most transactions come to one statement ([`parts`](super::parts)), and those that wait for a
//! connection with the same one are one statement together, for all their values: to begin a statement, to open the tables
//! and their indexes and to be on the disk costs the same for one row as for several.
//!
//! All of them are kept or none. Where PostgreSQL refuses them together, each goes alone and hears what is its own. So it
//! is, too, where two of them add to one sum in different parts of the statement.
use super::{
    connections::{Connections, Taken},
    parts::{Many, Values, arguments},
};
use crate::error::{Error, Result};
use sqlx::{AssertSqlSafe, Postgres};
use std::{
    borrow::Cow,
    collections::{BTreeSet, VecDeque},
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::timeout};

/// Connections for what goes together: while one of them waits for the disk, another writes.
pub(super) const LANES: u32 = 2;
/// What goes together waits for nobody else for long, since others wait with it who need not. It is less than PostgreSQL
/// lets two wait for one another crosswise (`deadlock_timeout`), so that it is not what somebody does alone that is refused.
/// And it is planned once, however many go together, not five times before its plan is kept: there is only one way to it.
pub(super) const SETTINGS: &str = "set lock_timeout = '100ms'; set plan_cache_mode = force_generic_plan";
/// Transactions in one statement; with more, the first of them would wait for the last.
const MOST_ALIKE: usize = 8;
/// How long one waits for such a connection, and goes alone then; and how long an answer may take before the server is
/// taken for gone. Both together are less than a request may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);
const ANSWER: Duration = Duration::from_secs(6);

/// How writers get at the connections.
#[derive(Clone, Debug)]
pub(super) struct Writes {
    alone: Connections<Postgres>,
    lanes: Connections<Postgres>,
    waiting: Arc<Mutex<Waiting>>,
}

/// The first to come is the first to go.
#[derive(Debug, Default)]
struct Waiting(VecDeque<One>);

/// A transaction that is one statement.
pub(super) struct Statement {
    pub text: String,
    pub bound: Values,
    /// How it goes together with others, if it does.
    pub many: Option<Many>,
}

/// One that waits.
#[derive(Debug)]
struct One {
    statement: Statement,
    told: oneshot::Sender<Told>,
}

/// What became of it.
#[derive(Debug)]
enum Told {
    Done(Result<()>),
    /// It was not done, and is to go alone.
    Alone(Statement),
}

impl fmt::Debug for Statement {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Statement").field("text", &self.text).finish_non_exhaustive()
    }
}

impl Writes {
    /// `lanes` are connections of their own, with these [`SETTINGS`].
    pub fn new(alone: Connections<Postgres>, lanes: Connections<Postgres>) -> Self {
        Self { alone, lanes, waiting: Arc::default() }
    }

    /// The connections, for transactions of more than one statement.
    pub fn connections(&self) -> &Connections<Postgres> {
        &self.alone
    }

    pub async fn close(&self) {
        self.lanes.close().await;
        self.alone.close().await;
    }

    /// Runs a transaction that is one statement. Whoever goes away while it waits has not written.
    ///
    /// # Errors
    /// Unavailable when no connection is to be had in time, and what PostgreSQL refuses.
    pub async fn run(&self, statement: Statement) -> Result<()> {
        if statement.many.is_none() {
            return self.send_alone(&statement).await;
        }
        let (told, outcome) = oneshot::channel();
        self.lock().0.push_back(One { statement, told });
        // Nobody who goes away takes others with them.
        tokio::spawn(self.clone().run_next());
        match outcome.await {
            Ok(Told::Done(outcome)) => outcome,
            Ok(Told::Alone(statement)) => self.send_alone(&statement).await,
            Err(_) => Err(Error::Unavailable("the writer was stopped".to_owned())),
        }
    }

    /// How many wait to go together.
    #[cfg(feature = "testing")]
    pub fn waiting(&self) -> usize {
        self.lock().0.len()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs whoever is first, and who goes together with them. There is one such task for each who waits, which takes one of
    /// them at least, and so nobody is left.
    async fn run_next(self) {
        let taken = self.lanes.take().await;
        let (group, others) = {
            let mut waiting = self.lock();
            let group = match &taken {
                Ok(_) => waiting.next(),
                Err(_) => Vec::from_iter(waiting.0.pop_front()),
            };
            (group, !waiting.0.is_empty())
        };
        match taken {
            // Who finds nobody to go with leaves the connection to others.
            Ok(on) if group.len() > 1 || !others => run_together(on, group).await,
            Ok(on) => {
                on.keep();
                group.into_iter().for_each(One::goes_alone);
            }
            Err(_) => group.into_iter().for_each(One::goes_alone),
        }
    }

    async fn send_alone(&self, statement: &Statement) -> Result<()> {
        let args = arguments(&statement.bound)?;
        let mut on = self.alone.take().await?;
        let sent = sqlx::query_with(AssertSqlSafe(statement.text.clone()), args).execute(&mut *on).await;
        if sent.as_ref().err().is_none_or(was_refused) {
            on.keep();
        }
        sent?;
        Ok(())
    }
}

impl Waiting {
    /// Takes who is first, and who goes together with them.
    fn next(&mut self) -> Vec<One> {
        let waiting = &mut self.0;
        waiting.retain(|one| !one.told.is_closed());
        let Some(first) = waiting.pop_front() else { return Vec::new() };
        let mut rows = BTreeSet::new();
        let mut apart = |one: &One| {
            let Some(Ok(own)) = one.statement.many.as_ref().map(|many| many.rows(&one.statement.bound)) else {
                return false;
            };
            let free = own.iter().all(|row| !rows.contains(row));
            if free {
                rows.extend(own);
            }
            free
        };
        let mut group = vec![first];
        if !apart(&group[0]) {
            return group;
        }
        let mut nth = 0;
        while let Some(one) = waiting.get(nth)
            && group.len() < MOST_ALIKE
        {
            if one.statement.text == group[0].statement.text && apart(one) {
                group.extend(waiting.remove(nth));
            } else {
                nth += 1;
            }
        }
        group
    }
}

impl One {
    fn hears(self, outcome: Result<()>) {
        // Whoever does not listen any more has gone away.
        let _ = self.told.send(Told::Done(outcome));
    }

    fn goes_alone(self) {
        let _ = self.told.send(Told::Alone(self.statement));
    }
}

async fn run_together(mut on: Taken<Postgres>, group: Vec<One>) {
    if group.is_empty() {
        return on.keep();
    }
    let gone = match timeout(ANSWER, send(&mut on, &group)).await {
        Ok(Ok(())) => {
            on.keep();
            return group.into_iter().for_each(|one| one.hears(Ok(())));
        }
        Ok(Err(e)) if was_refused(&e) => {
            on.keep();
            if !is_foreseen(&e) {
                tracing::warn!(error = %e, "what should go together was refused");
            }
            return group.into_iter().for_each(One::goes_alone);
        }
        Ok(Err(e)) => {
            drop(on);
            Arc::new(e)
        }
        Err(_) => {
            drop(on.forget());
            Arc::new(sqlx::Error::Io(io::ErrorKind::TimedOut.into()))
        }
    };
    // It may have been kept.
    for one in group {
        one.hears(Err(gone.clone().into()));
    }
}

/// Sends them as one statement.
async fn send(on: &mut Taken<Postgres>, group: &[One]) -> sqlx::Result<()> {
    let first = &group[0].statement;
    let text = match &first.many {
        Some(many) if group.len() > 1 => many.text(group.len()),
        _ => first.text.clone(),
    };
    let args = arguments(group.iter().flat_map(|one| &one.statement.bound))?;
    sqlx::query_with(AssertSqlSafe(text), args).execute(&mut **on).await?;
    Ok(())
}

/// Whether nothing was done and PostgreSQL has said why. A connection that was ended (57P, 08) may have kept it, and where
/// there is no room (53) there is none for it alone.
fn was_refused(error: &sqlx::Error) -> bool {
    let refused = |code: &str| !["57P", "08", "53"].iter().any(|class| code.starts_with(class));
    matches!(error, sqlx::Error::Encode(_)) || code(error).is_some_and(|code| refused(&code))
}

/// Whether it is the values that were refused, or others were in the way.
fn is_foreseen(error: &sqlx::Error) -> bool {
    code(error).is_some_and(|code| ["21", "22", "23", "40", "55"].iter().any(|class| code.starts_with(class)))
}

fn code(error: &sqlx::Error) -> Option<Cow<'_, str>> {
    error.as_database_error()?.code()
}

//! Reads on PostgreSQL. When something changes, all open pages that show it ask for it anew at the same moment. While they
//! wait for a connection, those that ask the same are one question: one of them puts it, and each has the answer.
//!
//! Nobody is told what was so before they asked: with a connection for it, and before PostgreSQL hears of it, a question
//! takes no more who ask it. Not so on SQLite, where two threads may not look at one value at the same time.
use super::connections::Connections;
use crate::error::{Error, Result};
use sqlx::{
    Encode, FromRow, Postgres, SqlStr,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgArguments, PgRow},
};
use std::{
    collections::BTreeMap,
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::sync::OnceCell;

/// How reads get at the connections.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    from: Connections<Postgres>,
    waiting: Waiting,
}

/// The questions that have no connection yet.
#[derive(Clone, Debug, Default)]
struct Waiting(Arc<Mutex<BTreeMap<Arc<Question>, Weak<Asked>>>>);

/// A statement and the values bound to it, which come first: they tell apart sooner.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    values: Vec<u8>,
    text: Box<str>,
}

/// A question that somebody waits for. The first puts it; when that one goes away the next does, behind all who wait for a
/// connection by then.
#[derive(Debug)]
struct Asked {
    question: Arc<Question>,
    rows: OnceCell<Rows>,
    waiting: Waiting,
}

type Rows = sqlx::Result<Arc<[PgRow]>, Arc<sqlx::Error>>;

/// The values of a question, each behind its length.
#[derive(Default)]
pub(super) struct Values(PgArgumentBuffer);

impl Values {
    pub fn add<T: for<'q> Encode<'q, Postgres>>(&mut self, value: &T) -> Result<(), BoxDynError> {
        let at = self.0.len();
        self.0.extend([0; 4]);
        let null = matches!(value.encode_by_ref(&mut self.0)?, IsNull::Yes);
        let long = if null { u32::MAX } else { u32::try_from(self.0.len() - at - 4)? };
        self.0[at..at + 4].copy_from_slice(&long.to_be_bytes());
        Ok(())
    }
}

/// What PostgreSQL has answered, to one or to many.
pub(super) struct Answer(Arc<[PgRow]>);

impl Answer {
    pub fn all<T: for<'r> FromRow<'r, PgRow>>(&self) -> sqlx::Result<Vec<T>> {
        self.0.iter().map(T::from_row).collect()
    }

    pub fn optional<T: for<'r> FromRow<'r, PgRow>>(&self) -> sqlx::Result<Option<T>> {
        self.0.first().map(T::from_row).transpose()
    }

    pub fn one<T: for<'r> FromRow<'r, PgRow>>(&self) -> sqlx::Result<T> {
        self.optional()?.ok_or(sqlx::Error::RowNotFound)
    }
}

impl Reads {
    pub fn new(from: Connections<Postgres>) -> Self {
        Self { from, waiting: Waiting::default() }
    }

    /// The connections, for what is no question.
    pub fn connections(&self) -> &Connections<Postgres> {
        &self.from
    }

    /// # Errors
    /// When no connection is to be had in time, which is the time of whoever puts it, and what PostgreSQL refuses. All who
    /// wait for the answer hear the same.
    pub async fn ask(&self, text: SqlStr, args: PgArguments, Values(values): Values) -> Result<Answer> {
        let asked = self.waiting.join(Question { values: values.to_vec(), text: text.as_str().into() });
        let rows = asked.rows.get_or_init(|| async {
            let taken = self.from.take().await;
            asked.close();
            let mut to = taken?;
            let rows = sqlx::query_with(text, args).fetch_all(&mut *to).await?;
            to.keep();
            Ok(rows.into())
        });
        rows.await.clone().map(Answer).map_err(Error::from)
    }
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<Question>, Weak<Asked>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question among those who ask it already, or as the first.
    fn join(&self, question: Question) -> Arc<Asked> {
        let mut waiting = self.lock();
        if let Some(asked) = waiting.get(&question).and_then(Weak::upgrade) {
            return asked;
        }
        let question = Arc::new(question);
        let asked = Asked { question: question.clone(), rows: OnceCell::new(), waiting: self.clone() };
        let asked = Arc::new(asked);
        waiting.insert(question, Arc::downgrade(&asked));
        asked
    }
}

impl Asked {
    /// From now on who asks the same asks anew.
    fn close(&self) {
        let mut waiting = self.waiting.lock();
        if waiting.get(&self.question).is_some_and(|open| ptr::eq(open.as_ptr(), self)) {
            waiting.remove(&self.question);
        }
    }
}

impl Drop for Asked {
    /// All may have gone away before it was put.
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(value: u8) -> Question {
        Question { values: vec![value], text: "select $1".into() }
    }

    #[test]
    fn a_question_is_open_until_it_is_closed_and_no_longer_than_somebody_waits() {
        let waiting = Waiting::default();
        let first = waiting.join(question(1));
        assert!(Arc::ptr_eq(&first, &waiting.join(question(1))));
        assert!(!Arc::ptr_eq(&first, &waiting.join(question(2))), "another question");
        first.close();
        let second = waiting.join(question(1));
        assert!(!Arc::ptr_eq(&first, &second), "that one takes no more who ask it");
        first.close();
        drop(first);
        assert!(Arc::ptr_eq(&second, &waiting.join(question(1))), "one that was closed closes no other");
        assert_eq!(waiting.lock().len(), 1);
        drop(second);
        assert!(waiting.lock().is_empty(), "nobody waits any more");
    }
}

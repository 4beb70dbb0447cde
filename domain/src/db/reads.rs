//! Reads on PostgreSQL. When something changes, all open pages that show it ask for it anew at the same moment. While they
//! wait for a connection, those that ask the same are one question: one of them puts it, and each has the answer. Those
//! that look for a row by its key are one question even where each looks for another: half of what it costs to find a row
//! is to begin a statement.
//!
//! Nobody is told what was so before they asked: with a connection for it, and before PostgreSQL hears of it, a question
//! takes no more who ask it. Not so on SQLite, where two threads may not look at one value at the same time.
use super::{connections::Connections, dialect::of_each};
use crate::error::{Error, Result};
use sqlx::{
    Arguments, AssertSqlSafe, Encode, FromRow, Postgres, Row, SqlSafeStr, SqlStr,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgArguments, PgRow},
};
use std::{
    collections::BTreeMap,
    ptr,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};
use tokio::sync::OnceCell;
use uuid::Uuid;

/// Rows that one statement looks for; with more, the first of them would wait for the last.
const MOST_KEYS: usize = 8;

/// How reads get at the connections.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    from: Connections<Postgres>,
    waiting: Waiting,
}

/// The questions that have no connection yet.
#[derive(Clone, Debug, Default)]
struct Waiting(Arc<Mutex<Open>>);

/// Of rows by their keys there may be several with the same text.
type Open = BTreeMap<Arc<Question>, Vec<Place>>;

/// A statement and the values bound to it, which come first: they tell apart sooner. None is one for rows by their keys.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    values: Option<Vec<u8>>,
    text: Box<str>,
}

/// Where to join a question.
#[derive(Debug)]
struct Place {
    asked: Weak<Asked>,
    /// Of the rows that are looked for, each once.
    keys: Vec<Uuid>,
}

/// A question that somebody waits for. The first puts it; when that one goes away the next does, behind all who wait for a
/// connection by then.
#[derive(Debug)]
struct Asked {
    question: Arc<Question>,
    /// There once it is closed.
    keys: OnceLock<Vec<Uuid>>,
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
        let asked = self.waiting.join(Question { values: Some(values.to_vec()), text: text.as_str().into() });
        self.answer(&asked, |_| Ok((text, args))).await.map(Answer)
    }

    /// The row that the statement finds by its only value.
    ///
    /// # Errors
    /// As [`Reads::ask`].
    pub async fn find<T: for<'r> FromRow<'r, PgRow>>(&self, text: SqlStr, key: Uuid) -> Result<Option<T>> {
        let (asked, nth) = self.waiting.join_by(text.as_str(), key);
        let statement = |keys: &[Uuid]| {
            let mut args = PgArguments::default();
            keys.iter().try_for_each(|key| args.add(*key)).map_err(sqlx::Error::Encode)?;
            let together = || AssertSqlSafe(of_each(text.as_str(), keys.len())).into_sql_str();
            Ok((if keys.len() == 1 { text.clone() } else { together() }, args))
        };
        let rows = self.answer(&asked, statement).await?;
        if asked.keys().len() == 1 {
            return Ok(Answer(rows).optional()?);
        }
        for row in rows.iter() {
            if usize::try_from(row.try_get::<i32, _>(row.len() - 1)?) == Ok(nth) {
                return Ok(Some(T::from_row(row)?));
            }
        }
        Ok(None)
    }

    async fn answer(
        &self,
        asked: &Asked,
        statement: impl FnOnce(&[Uuid]) -> sqlx::Result<(SqlStr, PgArguments)>,
    ) -> Result<Arc<[PgRow]>> {
        let rows = asked.rows.get_or_init(|| async {
            let taken = self.from.take().await;
            asked.close();
            let mut to = taken?;
            let (text, args) = statement(asked.keys())?;
            let rows = sqlx::query_with(text, args).fetch_all(&mut *to).await?;
            to.keep();
            Ok(rows.into())
        });
        rows.await.clone().map_err(Error::from)
    }
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question among those who ask it already, or as the first.
    fn join(&self, question: Question) -> Arc<Asked> {
        let question = Arc::new(question);
        let mut waiting = self.lock();
        // Whoever is found here is answered: nothing is let go of, which would want the lock.
        let known = waiting.get(&question).and_then(|places| places.iter().find_map(|place| place.asked.upgrade()));
        known.unwrap_or_else(|| self.first(&mut waiting, question, Vec::new()))
    }

    /// The same among those who look for rows by the same statement, and which of these rows is the one.
    fn join_by(&self, text: &str, key: Uuid) -> (Arc<Asked>, usize) {
        let question = Arc::new(Question { values: None, text: text.into() });
        let mut waiting = self.lock();
        for place in waiting.get_mut(&question).into_iter().flatten() {
            let known = place.keys.iter().position(|known| *known == key);
            if known.is_none() && place.keys.len() == MOST_KEYS {
                continue;
            }
            if let Some(asked) = place.asked.upgrade() {
                let nth = known.unwrap_or(place.keys.len());
                if known.is_none() {
                    place.keys.push(key);
                }
                return (asked, nth);
            }
        }
        (self.first(&mut waiting, question, vec![key]), 0)
    }

    fn first(&self, waiting: &mut Open, question: Arc<Question>, keys: Vec<Uuid>) -> Arc<Asked> {
        let asked = Arc::new(Asked {
            question: question.clone(),
            keys: OnceLock::new(),
            rows: OnceCell::new(),
            waiting: self.clone(),
        });
        waiting.entry(question).or_default().push(Place { asked: Arc::downgrade(&asked), keys });
        asked
    }
}

impl Asked {
    fn keys(&self) -> &[Uuid] {
        self.keys.get().map_or(&[], Vec::as_slice)
    }

    /// From now on who asks the same asks anew.
    fn close(&self) {
        let mut waiting = self.waiting.lock();
        let Some(places) = waiting.get_mut(&self.question) else { return };
        if let Some(nth) = places.iter().position(|place| ptr::eq(place.asked.as_ptr(), self)) {
            // Closed for the first time.
            let _ = self.keys.set(places.remove(nth).keys);
        }
        if places.is_empty() {
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
        Question { values: Some(vec![value]), text: "select $1".into() }
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

    #[test]
    fn rows_are_looked_for_together_each_once_and_not_too_many() {
        let waiting = Waiting::default();
        let join = |key: usize| waiting.join_by("select $1", Uuid::from_u128(key as u128));
        let (first, _) = join(0);
        for key in 0..MOST_KEYS {
            let (asked, nth) = join(key);
            assert_eq!((Arc::ptr_eq(&first, &asked), nth), (true, key));
        }
        let (second, nth) = join(MOST_KEYS);
        assert!(!Arc::ptr_eq(&first, &second), "one too many");
        assert_eq!(nth, 0);
        for key in 0..=MOST_KEYS {
            let (asked, nth) = join(key);
            assert_eq!((Arc::ptr_eq(&first, &asked), nth), (key < MOST_KEYS, key % MOST_KEYS), "looked for already");
        }
        let other = waiting.join(Question { values: Some(Vec::new()), text: "select $1".into() });
        assert!(!Arc::ptr_eq(&second, &other), "another question");

        first.close();
        assert_eq!(first.keys(), (0..MOST_KEYS).map(|key| Uuid::from_u128(key as u128)).collect::<Vec<_>>());
        let (asked, nth) = join(1);
        assert_eq!((Arc::ptr_eq(&second, &asked), nth), (true, 1), "the first takes no more");
        first.close();
        assert_eq!(first.keys().len(), MOST_KEYS, "whoever puts it next puts the same");
        second.close();
        assert_eq!(second.keys(), [MOST_KEYS, 1].map(|key| Uuid::from_u128(key as u128)));
        drop(other);
        assert!(waiting.lock().is_empty());
    }
}

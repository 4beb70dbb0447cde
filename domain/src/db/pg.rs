//! A transaction on PostgreSQL. Its connection is kept for the next one when it has ended, see [`Connections`].
//!
//! Every statement is a journey of its own, which costs as much as a small one of ours does. Those whose rows nobody waits
//! for go together, as parts of one statement, where none of them has to see what another does. A transaction that comes
//! to one statement is that statement, without a beginning and a commit around it.
use super::{
    connections::{Connections, Taken},
    renumber,
};
use crate::error::{Error, Result};
use sqlx::{Arguments, AssertSqlSafe, Encode, PgConnection, Postgres, Type, postgres::PgArguments};
use std::{fmt::Write, mem, time::Duration};
use tokio::{runtime::Handle, time::timeout};

/// How long a statement that was cut off may go on before the server is taken for gone.
const ROLLBACK: Duration = Duration::from_secs(60);
/// Statements that go together; more would be as many different ones to plan.
const MOST_TOGETHER: usize = 8;

/// Rolls back when dropped without [`Open::commit`], also in the middle of a statement.
#[derive(Debug)]
pub(crate) struct Open {
    /// There until it has ended.
    on: Option<Taken<Postgres>>,
    /// Whether the server has heard of it.
    begun: bool,
    waiting: Together,
    /// What was sent last may have been done in part only, or not at all.
    uncertain: bool,
}

/// Statements to be sent with the next of their kind, or before whatever else comes next.
#[derive(Debug, Default)]
struct Together {
    statements: Vec<String>,
    /// What they do, as far as others can go with them.
    plain: Vec<Plain>,
    bound: PgArguments,
}

/// What a statement does that can go together with others: it writes to one table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plain {
    kind: Kind,
    table: String,
    /// The tables it looks something up in.
    reads: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Insert,
    Upsert,
    Update,
}

impl Plain {
    fn of(text: &str) -> Option<Self> {
        let mut said = text.split(|c: char| !c.is_ascii_alphabetic() && c != '_').filter(|word| !word.is_empty());
        let mut words = text.split([' ', '(']);
        let (kind, table) = match (words.next()?, words.next()?, words.next()?) {
            ("insert", "into", table) if said.clone().any(|word| word == "conflict") => (Kind::Upsert, table),
            ("insert", "into", table) => (Kind::Insert, table),
            ("update", table, "set") => (Kind::Update, table),
            _ => return None,
        };
        let mut reads = Vec::new();
        while let Some(word) = said.next() {
            match word {
                // So it is written where we look something up; of what else may be read nothing is known.
                "from" if kind == Kind::Update => match (said.next()?, said.next()?) {
                    (read, "where") if read != table => reads.push(read.to_owned()),
                    _ => return None,
                },
                "from" | "join" => return None,
                "select" if kind != Kind::Update => return None,
                _ => {}
            }
        }
        Some(Self { kind, table: table.to_owned(), reads })
    }
}

impl Together {
    /// Whether it makes no difference that the statement does not see what those do that are here.
    fn welcomes(&self, statement: &Plain) -> bool {
        // What looks something up goes first: one before it may have to wait for others, and what these did meanwhile it
        // would not see.
        (statement.reads.is_empty() || self.statements.is_empty())
            // One with which no other can go is here alone.
            && self.plain.len() == self.statements.len()
            && self.statements.len() < MOST_TOGETHER
            && !self.plain.iter().any(|before| {
                before.reads.contains(&statement.table)
                    || match (before.kind, statement.kind) {
                        (Kind::Upsert, Kind::Upsert) => true,
                        (Kind::Insert, Kind::Insert) => false,
                        _ => before.table == statement.table,
                    }
            })
    }

    /// As one statement, and what is bound to it.
    fn take(&mut self) -> (String, PgArguments) {
        let Self { mut statements, plain, bound } = mem::take(self);
        if statements.len() == 1 {
            return (statements.remove(0), bound);
        }
        // Whoever looks for a row may have to wait for others, and so comes last.
        if let Some(upsert) = plain.iter().position(|statement| statement.kind == Kind::Upsert) {
            let last = statements.remove(upsert);
            statements.push(last);
        }
        // PostgreSQL begins with the last part: written backwards they take their locks in the order of the code, as they
        // did one by one, so that two transactions do not wait for one another crosswise. No manual promises it; a test
        // does.
        let mut text = "with ".to_owned();
        for (n, statement) in statements.iter().rev().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            // Writing to a String does not fail.
            let _ = write!(text, "{comma}part{n} as ({statement})");
        }
        text.push_str(" select 1");
        (text, bound)
    }
}

impl Open {
    pub(super) async fn begin(connections: &Connections<Postgres>) -> Result<Self> {
        Ok(Self { on: Some(connections.take().await?), begun: false, waiting: Together::default(), uncertain: false })
    }

    /// Adds a statement whose rows nobody waits for; what is bound to it follows with [`Open::bind`]. One that cannot go
    /// together with others is sent with nothing else.
    pub(super) async fn later(&mut self, text: &str) -> Result<()> {
        let plain = Plain::of(text);
        if plain.as_ref().is_none_or(|plain| !self.waiting.welcomes(plain)) {
            self.flush().await?;
        }
        let mut statement = String::with_capacity(text.len() + 20);
        renumber(text, self.waiting.bound.len(), &mut statement);
        self.waiting.statements.push(statement);
        self.waiting.plain.extend(plain);
        Ok(())
    }

    pub(super) fn bind<T: for<'q> Encode<'q, Postgres> + Type<Postgres>>(
        &mut self,
        value: T,
    ) -> std::result::Result<(), sqlx::error::BoxDynError> {
        self.waiting.bound.add(value)
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
            sqlx::raw_sql("begin").execute(self.sending()?).await?;
            self.went_well();
        }
        self.sending()
    }

    fn sending(&mut self) -> Result<&mut PgConnection> {
        self.is_sound()?;
        self.uncertain = true;
        Ok(self.on.as_mut().ok_or_else(|| Error::internal("the transaction is over"))?)
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
        if self.waiting.statements.is_empty() {
            return Ok(());
        }
        let (text, bound) = self.waiting.take();
        sqlx::query_with(AssertSqlSafe(text), bound).execute(self.begun().await?).await?;
        self.went_well();
        Ok(())
    }

    pub async fn commit(mut self) -> Result<()> {
        if self.begun {
            sqlx::raw_sql("commit").execute(self.writing().await?).await?;
        } else if !self.waiting.statements.is_empty() {
            let (text, bound) = self.waiting.take();
            sqlx::query_with(AssertSqlSafe(text), bound).execute(self.sending()?).await?;
        }
        self.on.take().ok_or_else(|| Error::internal("the transaction is over"))?.keep();
        Ok(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let Some(mut on) = self.on.take() else { return };
        if !self.begun && !self.uncertain {
            return on.keep();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(kind: Kind, table: &str) -> Plain {
        Plain { kind, table: table.to_owned(), reads: Vec::new() }
    }

    fn insert(into: &str) -> Plain {
        plain(Kind::Insert, into)
    }

    fn update(table: &str) -> Plain {
        plain(Kind::Update, table)
    }

    fn together(statements: &[&str]) -> Together {
        Together {
            statements: statements.iter().map(|&text| text.to_owned()).collect(),
            plain: statements.iter().filter_map(|text| Plain::of(text)).collect(),
            ..Together::default()
        }
    }

    #[test]
    fn what_looks_at_other_rows_goes_alone() {
        assert_eq!(Plain::of("insert into t (id) values ($1)"), Some(insert("t")));
        assert_eq!(Plain::of("insert into t(id) values ($1)"), Some(insert("t")));
        let upsert = "insert into t (id) values ($1) on conflict (id) do update set n = t.n + 1";
        assert_eq!(Plain::of(upsert), Some(plain(Kind::Upsert, "t")));
        assert_eq!(Plain::of("update t set held_from = $1 where id = $2"), Some(update("t")));
        for text in [
            "insert into t (id) values ((select 1))",
            "insert into t (id) values ((select 1)) on conflict (id) do nothing",
            "insert into t (id) select id from u",
            "update t set a = (select max(a) from t)",
            "update t set a = u.a from u, v where u.id = t.id",
            "update t set a = (select max(u.a) from u join v on v.id = u.id)",
            "update t set a = (select a from (values (1)) u where a > 0)",
            "update t set a = 1 where a is distinct from b",
            "update t as other set a = 1",
            "delete from t where id = $1",
            "with u as (values (1)) insert into t (id) values (1)",
            "select 1",
            "",
        ] {
            assert_eq!(Plain::of(text), None, "{text}");
        }
    }

    #[test]
    fn nothing_goes_together_with_what_it_would_not_see() {
        let both = together(&["update t set a = 1", "insert into u (a) values (1)"]);
        assert!(both.welcomes(&update("v")) && both.welcomes(&insert("u")) && both.welcomes(&insert("v")));
        assert!(!both.welcomes(&update("t")) && !both.welcomes(&update("u")) && !both.welcomes(&insert("t")));
        assert!(!together(&["delete from t"]).welcomes(&insert("u")));
        let upsert = |into: &str| plain(Kind::Upsert, into);
        assert!(both.welcomes(&upsert("v")) && !both.welcomes(&upsert("t")) && !both.welcomes(&upsert("u")));
        let waits = together(&["insert into u (a) values (1) on conflict do nothing"]);
        assert!(waits.welcomes(&insert("v")) && waits.welcomes(&update("v")) && !waits.welcomes(&upsert("v")));
        assert!(!waits.welcomes(&insert("u")) && !waits.welcomes(&update("u")));
        assert!(!together(&["insert into t (a) values (1)"; MOST_TOGETHER]).welcomes(&insert("t")));
    }

    #[test]
    fn what_an_update_looks_up_nobody_may_change_beside_it() {
        let looks = "update t set a = case when exists (select 1 from u where id = 1) then a end where id = $1";
        let looks = Plain::of(looks).expect("looks up in one table");
        assert_eq!(looks, Plain { reads: vec!["u".to_owned()], ..update("t") });
        assert!(together(&[]).welcomes(&looks));
        assert!(!together(&["insert into v (a) values (1)"]).welcomes(&looks), "it may have waited");
        let waits = Together { statements: vec![String::new()], plain: vec![looks], ..Together::default() };
        assert!(waits.welcomes(&insert("v")) && waits.welcomes(&update("v")));
        assert!(!waits.welcomes(&insert("u")) && !waits.welcomes(&update("u")));
    }

    #[test]
    fn one_statement_stays_as_it_is_and_several_are_parts_of_one() {
        assert_eq!(together(&["update t set a = $1"]).take().0, "update t set a = $1");
        let (text, _) = together(&["update t set a = $1", "insert into u (b) values ($2)"]).take();
        assert_eq!(text, "with part0 as (insert into u (b) values ($2)), part1 as (update t set a = $1) select 1");
        let upsert = "insert into u (b) values ($1) on conflict (b) do nothing";
        let (text, _) = together(&[upsert, "update t set a = $2"]).take();
        assert_eq!(text, format!("with part0 as ({upsert}), part1 as (update t set a = $2) select 1"));
    }
}

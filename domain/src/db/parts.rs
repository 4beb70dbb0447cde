//! Statements as parts of one. Every statement is a journey to PostgreSQL of its own, which costs as much as a small one of
//! ours does. Those whose rows nobody waits for go together, where none of them has to see what another does.
//!
//! What a statement does is read off its text, as far as it is written in one of a few ways; one of which nothing is
//! known goes alone.
use super::dialect::{put, renumber};
use sqlx::{
    Arguments, Encode, Postgres, Type,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgArguments},
};
use std::{
    fmt::{self, Write as _},
    mem,
};

/// Statements that go together; more would be as many different ones to plan.
const MOST_TOGETHER: usize = 8;

/// A value as it was bound, to be sent in this statement or in another.
pub(super) trait Bound: Send + Sync {
    fn add_to(&self, args: &mut PgArguments) -> Result<(), BoxDynError>;
    /// The same for the same value.
    fn bytes(&self) -> Result<Vec<u8>, BoxDynError>;
}

impl<T: for<'q> Encode<'q, Postgres> + Type<Postgres> + Send + Sync> Bound for T {
    fn add_to(&self, args: &mut PgArguments) -> Result<(), BoxDynError> {
        args.add(self)
    }

    fn bytes(&self) -> Result<Vec<u8>, BoxDynError> {
        let mut bytes = PgArgumentBuffer::default();
        // Where it is nothing there are no bytes.
        let _ = self.encode_by_ref(&mut bytes)?;
        Ok(bytes.to_vec())
    }
}

pub(super) type Values = Vec<Box<dyn Bound>>;

/// # Errors
/// When a value cannot be written.
pub(super) fn arguments<'a>(values: impl IntoIterator<Item = &'a Box<dyn Bound>>) -> sqlx::Result<PgArguments> {
    let mut args = PgArguments::default();
    values.into_iter().try_for_each(|value| value.add_to(&mut args)).map_err(sqlx::Error::Encode)?;
    Ok(args)
}

/// Statements to be sent with the next of their kind, or before whatever else comes next.
#[derive(Default)]
pub(super) struct Together {
    statements: Vec<String>,
    /// What they do, as far as others can go with them.
    plain: Vec<Plain>,
    bound: Values,
}

impl fmt::Debug for Together {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Together").field("statements", &self.statements).finish_non_exhaustive()
    }
}

/// What a statement does that can go together with others: it writes to one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plain {
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
    pub fn of(text: &str) -> Option<Self> {
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

    /// The statement for all rows of [`GIVEN`], whose columns stand for its values; and which of these says what row it
    /// updates. Known of an insert of one row, an update of the row with an id, and an insert that adds to what is there.
    fn of_given(&self, text: &str) -> Option<(String, Option<usize>)> {
        let (text, key) = match self.kind {
            _ if !self.reads.is_empty() => return None,
            Kind::Update => {
                let (set, key) = text.rsplit_once(" where id = $")?;
                let nth = key.parse().ok()?;
                (format!("{set} from {GIVEN} where {}.id = ${key}", self.table), Some(nth))
            }
            Kind::Insert => {
                let (into, values) = text.split_once(" values (")?;
                let values = values.strip_suffix(')').filter(|values| !values.contains("), ("))?;
                (format!("{into} select {values} from {GIVEN}"), None)
            }
            Kind::Upsert => (self.sums(text)?, None),
        };
        let mut of_given = String::with_capacity(2 * text.len());
        put(&text, "given.c", 0, &mut of_given);
        Some((of_given, key))
    }

    /// What an insert adds to what is there, as sums of all that is to be added to one row: a statement changes none twice.
    fn sums(&self, text: &str) -> Option<String> {
        let (insert, sets) = text.split_once(") do update set ")?;
        let (insert, keys) = insert.split_once(" on conflict (")?;
        let (into, values) = insert.split_once(" values (")?;
        let values: Vec<&str> = values.strip_suffix(')')?.split(", ").collect();
        let columns: Vec<&str> = into.split_once(" (")?.1.strip_suffix(')')?.split(", ").collect();
        let keys: Vec<&str> = keys.split(", ").collect();
        let added: Vec<&str> = sets.split(", ").collect();
        if columns.len() != values.len() || columns.len() != keys.len() + added.len() {
            return None;
        }
        let (mut selected, mut by) = (Vec::new(), Vec::new());
        for (nth, (column, value)) in columns.iter().zip(values).enumerate() {
            if keys.contains(column) {
                selected.push(value.to_owned());
                by.push((nth + 1).to_string());
            } else if added.contains(&&*format!("{column} = {}.{column} + excluded.{column}", self.table)) {
                selected.push(format!("sum({value})"));
            } else {
                return None;
            }
        }
        let (selected, by, keys) = (selected.join(", "), by.join(", "), keys.join(", "));
        // In one order for all who write several of them in one part.
        Some(format!(
            "{into} select {selected} from {GIVEN} group by {by} order by {by} on conflict ({keys}) do update set {sets}"
        ))
    }
}

impl Together {
    /// Whether it makes no difference that the statement does not see what those do that are here.
    pub fn welcomes(&self, statement: &Plain) -> bool {
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

    /// Adds one; what is bound to it follows with [`Together::bind`].
    pub fn add(&mut self, text: &str, plain: Option<Plain>) {
        let mut statement = String::with_capacity(text.len() + 20);
        renumber(text, self.bound.len(), &mut statement);
        self.statements.push(statement);
        self.plain.extend(plain);
    }

    pub fn bind(&mut self, value: impl Bound + 'static) {
        self.bound.push(Box::new(value));
    }

    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// As one statement, and what is bound to it.
    pub fn take(&mut self) -> (String, Values) {
        let mut text = String::new();
        match self.statements.as_slice() {
            [one] => text.push_str(one),
            _ => {
                text.push_str("with ");
                write_parts(self.in_order().into_iter().map(|(part, _)| part), &mut text);
            }
        }
        (text, mem::take(self).bound)
    }

    /// The same for several such transactions at once, where that can be said.
    pub fn for_many(&self) -> Option<Many> {
        if self.plain.len() != self.statements.len() {
            return None;
        }
        let (mut parts, mut keys) = (Vec::new(), Vec::new());
        for (text, plain) in self.in_order() {
            let (of_given, key) = plain?.of_given(text)?;
            parts.push(of_given);
            keys.extend(key);
        }
        let mut text = String::new();
        write_parts(parts.iter().map(String::as_str), &mut text);
        Some(Many { parts: text, columns: self.bound.len(), keys })
    }

    /// In the order in which they are written.
    fn in_order(&self) -> Vec<(&str, Option<&Plain>)> {
        let mut parts: Vec<_> =
            self.statements.iter().enumerate().map(|(nth, text)| (text.as_str(), self.plain.get(nth))).collect();
        // Whoever looks for a row may have to wait for others, and so comes last.
        parts.sort_by_key(|(_, plain)| plain.is_some_and(|plain| plain.kind == Kind::Upsert));
        // PostgreSQL begins with the last part: written backwards they take their locks in the order of the code, as they
        // did one by one, so that two transactions do not wait for one another crosswise. No manual promises it; a test
        // does.
        parts.reverse();
        parts
    }
}

fn write_parts<'a>(parts: impl Iterator<Item = &'a str>, to: &mut String) {
    for (nth, part) in parts.enumerate() {
        let comma = if nth == 0 { "" } else { ", " };
        // Writing to a String does not fail.
        let _ = write!(to, "{comma}part{nth} as ({part})");
    }
    to.push_str(" select 1");
}

/// The rows that stand for the values of several statements.
const GIVEN: &str = "given";

/// Statements that differ only in their values, as one.
#[derive(Clone, Debug)]
pub(super) struct Many {
    parts: String,
    /// Values of each.
    columns: usize,
    /// Which of them say what rows are updated, from 1.
    keys: Vec<usize>,
}

impl Many {
    /// For so many; the values of one stand behind those of the one before.
    pub fn text(&self, many: usize) -> String {
        let row = |first: usize, word: &str, to: &mut String| {
            for nth in 0..self.columns {
                let comma = if nth == 0 { "" } else { ", " };
                let _ = write!(to, "{comma}{word}{}", first + nth);
            }
        };
        let mut text = format!("with {GIVEN} (");
        row(1, "c", &mut text);
        text.push_str(") as (values ");
        for nth in 0..many {
            text.push_str(if nth == 0 { "(" } else { ", (" });
            row(1 + nth * self.columns, "$", &mut text);
            text.push(')');
        }
        text.push_str("), ");
        text.push_str(&self.parts);
        text
    }

    /// The rows that one with these values updates: in one statement, only the first to update a row would.
    pub fn rows(&self, bound: &Values) -> Result<Vec<(usize, Vec<u8>)>, BoxDynError> {
        let bytes = |key: usize| bound.get(key.wrapping_sub(1)).ok_or("a value is missing")?.bytes();
        self.keys.iter().map(|key| Ok((*key, bytes(*key)?))).collect()
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

    fn of(statements: &[&str], values: i64) -> Together {
        let mut together = Together::default();
        for text in statements {
            together.add(text, Plain::of(text));
        }
        (0..values).for_each(|value| together.bind(value));
        together
    }

    #[test]
    fn a_transaction_is_put_for_several() {
        let mut one = Together::default();
        let insert = "insert into t (id, a) values ($1, 0)";
        one.add(insert, Plain::of(insert));
        one.bind(7_i64);
        let update = "update u set a = $2, version = case when version = $3 then version end where id = $1";
        one.add(update, Plain::of(update));
        (0..3_i64).for_each(|value| one.bind(value));
        let add = "insert into s (name, slot, n) values ($1, pg_backend_pid() % 16, $2) \
            on conflict (name, slot) do update set n = s.n + excluded.n";
        one.add(add, Plain::of(add));
        one.bind("name".to_owned());
        one.bind(1_i64);
        let many = one.for_many().expect("is known");
        assert_eq!(
            many.text(2),
            "with given (c1, c2, c3, c4, c5, c6) as (values ($1, $2, $3, $4, $5, $6), ($7, $8, $9, $10, $11, $12)), \
             part0 as (insert into s (name, slot, n) select given.c5, pg_backend_pid() % 16, sum(given.c6) from given \
             group by 1, 2 order by 1, 2 on conflict (name, slot) do update set n = s.n + excluded.n), \
             part1 as (update u set a = given.c3, version = case when version = given.c4 then version end from given \
             where u.id = given.c2), part2 as (insert into t (id, a) select given.c1, 0 from given) select 1"
        );
        let (_, values) = one.take();
        let mut same = of(&[insert], 6).take().1;
        same[1] = Box::new(0_i64);
        assert_eq!(many.rows(&values).expect("are written"), many.rows(&same).expect("are written"));
        same[1] = Box::new(1_i64);
        assert_ne!(many.rows(&values).expect("are written"), many.rows(&same).expect("are written"), "another row");
        assert!(many.rows(&Values::new()).is_err(), "nothing was bound");
    }

    #[test]
    fn what_would_be_something_else_for_several_is_not_put_for_them() {
        assert!(of(&["update t set a = $1 where id = $2"], 2).for_many().is_some());
        for text in [
            "update t set a = $1",
            "update t set a = $1 where id = $2 and a = 3",
            "update t set a = $1 where id = 2",
            "update t set a = $1 where t.id = $2",
            "update t set a = $1 where other = $2",
            "update t set a = case when exists (select 1 from u where id = $1) then a end where id = $2",
            "insert into t (a) values ($1), ($2)",
            "insert into t (a) values ($1) returning a",
            "insert into t (a, b) values ($1, $2) on conflict do nothing",
            "insert into t (a, b) values ($1, $2) on conflict (a) do nothing",
            "insert into t (a, b) values ($1, $2) on conflict (a) do update set b = excluded.b",
            "insert into t (a, b) values ($1, $2) on conflict (a) do update set b = t.b + 1",
            "insert into t (a, b, c) values ($1, $2, 0) on conflict (a) do update set b = t.b + excluded.b",
            "delete from t where id = $1",
            "select 1 from t where id = $1 for update",
        ] {
            assert!(of(&[text], 2).for_many().is_none(), "{text}");
        }
    }
}

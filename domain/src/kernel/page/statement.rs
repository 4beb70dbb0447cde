//! The statement of a list: conditions with their values, the position of the page, the sort order, and the number of rows.
use super::{
    PageQuery, Total,
    order::{Nulls, Order, SortColumn, SortKey, SortValue},
};
use crate::kernel::{
    access::Scope,
    db::{Dialect, Query, Record, Sql, in_id_list, unindexed},
    error::Result,
    money::Currency,
    search::SearchCondition,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::de::DeserializeOwned;
use std::fmt::Write;
use uuid::Uuid;

/// Rows up to which a list is filtered first and then sorted. A longer one is read in its order by the index of the sort
/// key, each row compared with the filters, which fills a page soon as so many match.
const MAX_SORTED_ROWS: usize = 2_000;
/// Rows up to which a list is counted exactly.
pub const MAX_COUNTED_ROWS: usize = 10_000;
/// The same for a search by common words, which compares the words of each row.
const MAX_SEARCHED_ROWS: usize = 2_000;

/// The conditions of a list, in the order of their values.
#[derive(Clone, Debug)]
pub struct Conditions {
    dialect: Dialect,
    all: Vec<Condition>,
    values: Vec<SortValue>,
    searched: bool,
}

#[derive(Clone, Debug)]
struct Condition {
    sql: String,
    /// Whether an index may be used for it.
    indexed: bool,
}

impl Conditions {
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, all: Vec::new(), values: Vec::new(), searched: false }
    }

    /// A condition without values.
    pub fn and(&mut self, sql: impl Into<String>) {
        self.all.push(Condition { sql: sql.into(), indexed: true });
    }

    /// Binds a value for another part of the statement, and returns its placeholder.
    pub fn placeholder(&mut self, value: impl Into<SortValue>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// A condition with one value, written `$` in `sql`.
    pub fn and_value(&mut self, sql: &str, value: impl Into<SortValue>) {
        let sql = sql.replace('$', &self.placeholder(value));
        self.all.push(Condition { sql, indexed: true });
    }

    /// `column = id`.
    pub fn and_id(&mut self, column: &str, id: Option<Uuid>) {
        if let Some(id) = id {
            self.and_value(&format!("{column} = $"), id);
        }
    }

    /// The rows of a scope, where the columns hold the ids of its company, ISO partner and client. A scope without a
    /// column sees nothing.
    pub fn and_scope(&mut self, scope: Scope, company: Option<&str>, iso: Option<&str>, client: Option<&str>) {
        let (column, id) = match scope {
            Scope::All => return,
            Scope::Company(id) => (company, id.0),
            Scope::Iso(id) => (iso, id.0),
            Scope::Client(id) => (client, id.0),
            Scope::Nothing => (None, Uuid::nil()),
        };
        match column {
            Some(column) => self.and_id(column, Some(id)),
            None => self.and("1 = 0"),
        }
    }

    /// The rows with these ids, of a selection or a search.
    pub fn and_among(&mut self, column: &str, ids: Option<&[Uuid]>) {
        if let Some(ids) = ids {
            let ids = serde_json::to_string(ids).expect("ids are plain data");
            let list = in_id_list(self.dialect).replace("$1", "$");
            self.and_value(&format!("{column} {list}"), ids);
        }
    }

    /// The rows that a search finds.
    pub fn and_search(&mut self, search: &SearchCondition, column: &str) {
        let (sql, words) = search.sql(self.dialect, column, self.values.len() + 1);
        if let Some(sql) = sql.strip_prefix(" and ") {
            self.all.push(Condition { sql: sql.to_owned(), indexed: true });
        }
        self.searched |= matches!(search, SearchCondition::Containing(_));
        self.values.extend(words.into_iter().map(SortValue::Text));
    }

    /// Keeps the conditions so far from using an index, beside one that finds fewer rows.
    pub fn unindex(&mut self) {
        for condition in &mut self.all {
            condition.indexed = false;
        }
    }

    /// The condition of a statement; its values are bound from `$1` on.
    pub fn sql(&self) -> String {
        let mut sql = String::from("1 = 1");
        for Condition { sql: condition, indexed } in &self.all {
            let _ =
                if *indexed { write!(sql, " and {condition}") } else { write!(sql, " and {}", unindexed(condition)) };
        }
        sql
    }

    /// Binds the values of [`Conditions::sql`].
    pub fn bind<'q>(&self, query: Query<'q>) -> Query<'q> {
        self.values.iter().cloned().fold(query, bind)
    }

    /// Whether more than `most` rows of `from` match.
    async fn exceeds(&self, db: &mut impl Sql, from: &str, most: usize) -> Result<bool> {
        let sql = format!("select count(*) from (select 1 from {from} where {} limit {}) found", self.sql(), most + 1);
        let count: i64 = self.bind(db.sql_built(sql)).scalar().await?;
        Ok(count > most as i64)
    }

    /// The number of rows of `from` and their sums by currency: of `amount`, a pair of expressions for currency and minor
    /// units. Without sums where there are more rows than are counted.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn total(&self, db: &mut impl Sql, from: &str, amount: Option<(&str, &str)>) -> Result<Total> {
        let most = if self.searched { MAX_SEARCHED_ROWS } else { MAX_COUNTED_ROWS };
        let conditions = self.sql();
        let (currency, minor) = amount.unwrap_or(("'USD'", "0"));
        let sql = format!(
            "select currency, count(*), cast(coalesce(sum(minor), 0) as bigint) from \
             (select {currency} as currency, {minor} as minor from {from} where {conditions} limit {}) found \
             group by currency order by currency",
            most + 1
        );
        let rows: Vec<(Currency, i64, i64)> = self.bind(db.sql_built(sql)).all().await?;
        let count: i64 = rows.iter().map(|(_, count, _)| count).sum();
        let exact = count <= most as i64;
        let sums = rows.into_iter().map(|(currency, _, minor)| (currency, minor));
        Ok(Total {
            rows: count.min(most as i64),
            exact,
            sums: if exact && amount.is_some() { sums.collect() } else { Vec::new() },
        })
    }
}

/// A page of a list: its conditions, its order and where it begins.
#[derive(Clone, Debug)]
pub struct Keyset {
    columns: &'static [SortColumn],
    descending: bool,
    after: Option<Vec<SortValue>>,
    limit: usize,
    is_default: bool,
}

impl PageQuery {
    /// The position of the page in a list of this order. One row more than the page is read.
    ///
    /// # Errors
    /// Invalid `limit` outside 1..=500, `cursor` that no list of this order issued.
    pub fn keyset<K: SortKey>(&self, order: Order<K>) -> Result<Keyset> {
        let after = self.after()?.map(|cursor| order.position(cursor)).transpose()?;
        Ok(Keyset {
            columns: order.key.columns(),
            descending: order.descending,
            after,
            limit: self.limit()? + 1,
            is_default: order == K::DEFAULT,
        })
    }
}

impl Keyset {
    /// Decides between sorting the few rows that match and reading the index of the sort key: see [`MAX_SORTED_ROWS`].
    /// Not needed where each filter of the list has an index in this order. `from` are the tables that the conditions name.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn choose_index(&self, db: &mut impl Sql, from: &str, conditions: &mut Conditions) -> Result<()> {
        if conditions.exceeds(db, from, MAX_SORTED_ROWS).await? {
            conditions.unindex();
        }
        Ok(())
    }

    /// Whether the list is in its default order, for which filters have their own indexes.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// Reads the rows of `select`, a statement up to its joins.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn rows<T: Record>(&self, db: &mut impl Sql, select: &str, conditions: &Conditions) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        for segment in self.segments() {
            let sql = self.sql(select, conditions, &segment, self.limit - rows.len());
            rows.extend(segment.bind(conditions.bind(db.sql_built(sql))).all::<T>().await?);
            if rows.len() >= self.limit {
                break;
            }
        }
        Ok(rows)
    }

    /// [`Keyset::rows`] by a statement that `nest` makes of the select, for [`Query::list`].
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn nested_rows<T: DeserializeOwned + Send + Unpin + 'static>(
        &self,
        db: &mut impl Sql,
        select: &str,
        conditions: &Conditions,
        nest: impl Fn(&str) -> String,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        for segment in self.segments() {
            let sql = nest(&self.sql(select, conditions, &segment, self.limit - rows.len()));
            rows.extend(segment.bind(conditions.bind(db.sql_built(sql))).list::<T>().await?);
            if rows.len() >= self.limit {
                break;
            }
        }
        Ok(rows)
    }

    /// Reads the rows after the first `offset`, without a cursor.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn rows_from<T: Record>(
        &self,
        db: &mut impl Sql,
        select: &str,
        conditions: &Conditions,
        offset: i64,
    ) -> Result<Vec<T>> {
        let mut sql = self.sql(select, conditions, &Segment::default(), self.limit);
        let _ = write!(sql, " offset {offset}");
        conditions.bind(db.sql_built(sql)).all().await
    }

    /// The statement for `limit` rows of a segment.
    fn sql(&self, select: &str, conditions: &Conditions, segment: &Segment, limit: usize) -> String {
        let mut sql = format!("{select} where {}", conditions.sql());
        let mut n = conditions.values.len();
        for condition in &segment.conditions {
            sql.push_str(" and ");
            for part in condition.split_inclusive('$') {
                sql.push_str(part);
                if part.ends_with('$') {
                    n += 1;
                    let _ = write!(sql, "{n}");
                }
            }
        }
        let direction = if self.descending { " desc" } else { "" };
        let by = |column: &SortColumn| {
            // Within a segment nulls are alone: the order of the index, whichever that is.
            let nulls = match column.nulls {
                Some(nulls) if segment.conditions.is_empty() => {
                    if nulls.come_first(self.descending) {
                        " nulls first"
                    } else {
                        " nulls last"
                    }
                }
                _ => "",
            };
            format!("{}{direction}{nulls}", column.expression)
        };
        let by: Vec<String> = self.columns.iter().map(by).collect();
        let _ = write!(sql, " order by {} limit {limit}", by.join(", "));
        sql
    }

    /// The rows after the position, in parts that follow each other and are each read from the index of the order. One part,
    /// unless the order has nulls or expressions: for those neither a row comparison nor `or` uses the index.
    fn segments(&self) -> Vec<Segment> {
        let greater = if self.descending { "<" } else { ">" };
        let Some(after) = &self.after else { return self.columns[0].segments(self.descending) };
        let is_plain = |column: &SortColumn| column.nulls.is_none() && !column.computed;
        if self.columns.iter().all(is_plain) {
            let columns: Vec<&str> = self.columns.iter().map(|column| column.expression).collect();
            let values = vec!["$"; columns.len()].join(", ");
            let condition = format!("({}) {greater} ({values})", columns.join(", "));
            return vec![Segment { conditions: vec![condition], values: after.clone() }];
        }
        let mut segments = Vec::new();
        for last in (0..self.columns.len()).rev() {
            let mut equal = Segment::default();
            for (column, value) in self.columns.iter().zip(after).take(last) {
                match value {
                    SortValue::Null => equal.conditions.push(format!("{} is null", column.expression)),
                    value => equal.push(format!("{} = $", column.expression), value),
                }
            }
            let (column, value) = (self.columns[last], &after[last]);
            let nulls_first = column.nulls.is_some_and(|nulls| nulls.come_first(self.descending));
            match value {
                SortValue::Null if nulls_first => {
                    equal.conditions.push(format!("{} is not null", column.expression));
                    segments.push(equal);
                }
                SortValue::Null => {}
                value => {
                    let mut rest = equal.clone();
                    equal.push(format!("{} {greater} $", column.expression), value);
                    segments.push(equal);
                    if column.nulls.is_some() && !nulls_first {
                        rest.conditions.push(format!("{} is null", column.expression));
                        segments.push(rest);
                    }
                }
            }
        }
        segments
    }
}

/// Conditions of a part of a list, with `$` for their values.
#[derive(Clone, Debug, Default)]
struct Segment {
    conditions: Vec<String>,
    values: Vec<SortValue>,
}

impl Segment {
    fn push(&mut self, condition: String, value: &SortValue) {
        self.conditions.push(condition);
        self.values.push(value.clone());
    }

    fn bind<'q>(&self, query: Query<'q>) -> Query<'q> {
        self.values.iter().cloned().fold(query, bind)
    }
}

impl SortColumn {
    /// A whole list that begins with this column: the rows with and those without a value.
    fn segments(self, descending: bool) -> Vec<Segment> {
        let part = |is: &str| Segment { conditions: vec![format!("{} is {is}", self.expression)], values: Vec::new() };
        match self.nulls.map(|nulls: Nulls| nulls.come_first(descending)) {
            None => vec![Segment::default()],
            Some(true) => vec![part("null"), part("not null")],
            Some(false) => vec![part("not null"), part("null")],
        }
    }
}

fn bind(query: Query<'_>, value: SortValue) -> Query<'_> {
    match value {
        SortValue::Null => query.bind(None::<String>),
        SortValue::Text(text) => query.bind(text),
        SortValue::Integer(number) => query.bind(number),
        SortValue::Date(date) => query.bind(date),
        SortValue::Instant(at) => query.bind(at),
        SortValue::Id(id) => query.bind(id),
    }
}

impl From<String> for SortValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for SortValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<NaiveDate> for SortValue {
    fn from(date: NaiveDate) -> Self {
        Self::Date(date)
    }
}

impl From<DateTime<Utc>> for SortValue {
    fn from(at: DateTime<Utc>) -> Self {
        Self::Instant(at)
    }
}

impl From<Uuid> for SortValue {
    fn from(id: Uuid) -> Self {
        Self::Id(id)
    }
}

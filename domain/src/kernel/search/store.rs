//! SQL of the search index: SQLite's FTS5 and PostgreSQL's GIN over the table `search_rows`.
use super::words::Term;
use crate::kernel::{
    access::Scope,
    db::{Dialect, Sql, Tx, contains},
    error::Result,
    ids::{CompanyId, IsoId},
};
use uuid::Uuid;

/// Rows per insert statement.
const ROWS_PER_INSERT: usize = 500;
/// Matches up to which a list is restricted to their ids. With more, the list is read in its own order and each row
/// compared.
const MAX_IDS: usize = 2_000;
/// Newest rows that PostgreSQL compares before it uses its index, which would read all matches of a common word.
const RECENT_ROWS: usize = 400;
/// Matches among the newest rows from which on a word counts as common.
const MIN_COMMON_MATCHES: usize = 8;

/// Whose rows a search reads, as keys that are indexed with the words of each row.
#[derive(Clone, Debug, Default)]
pub struct SearchScope {
    keys: Vec<String>,
    /// The scope has so few rows that the list compares each.
    few: bool,
}

impl SearchScope {
    pub fn company(mut self, id: Option<CompanyId>) -> Self {
        self.keys.extend(id.map(company_key));
        self
    }

    pub fn iso(mut self, id: Option<IsoId>) -> Self {
        self.keys.extend(id.map(iso_key));
        self
    }

    pub(crate) fn is_few(&self) -> bool {
        self.few
    }

    pub(crate) fn is_all(&self) -> bool {
        !self.few && self.keys.is_empty()
    }

    /// Marks a list that reads few rows anyway: those of one client or order.
    pub fn few(mut self, few: bool) -> Self {
        self.few |= few;
        self
    }
}

impl From<Scope> for SearchScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::All => Self::default(),
            Scope::Company(id) => Self::default().company(Some(id)),
            Scope::Iso(id) => Self::default().iso(Some(id)),
            Scope::Client(_) | Scope::Nothing => Self::default().few(true),
        }
    }
}

pub(super) fn kind_key(kind: &str) -> String {
    format!("={kind}")
}

/// The first 48 bits of an id: enough to restrict a search, as the list checks access itself.
fn short(id: Uuid) -> String {
    id.simple().to_string()[..12].to_owned()
}

pub(super) fn company_key(id: CompanyId) -> String {
    format!("=c{}", short(id.0))
}

pub(super) fn iso_key(id: IsoId) -> String {
    format!("=i{}", short(id.0))
}

/// Upserts the words of one subject.
pub(super) async fn put(tx: &mut Tx, kind: &'static str, subject: Uuid, words: String) -> Result<()> {
    let sql = format!("insert into search_rows (kind, subject_id, words) select $1, $2, $3 where true {ON_CONFLICT}");
    tx.sql_built(sql).bind(kind).bind(subject).bind(words).run().await?;
    Ok(())
}

const ON_CONFLICT: &str = "on conflict (subject_id) do update set kind = excluded.kind, words = excluded.words \
    where search_rows.words <> excluded.words";

/// Upserts the words of many subjects.
pub(super) async fn put_all(tx: &mut Tx, kind: &'static str, rows: &[(Uuid, String)]) -> Result<()> {
    for some in rows.chunks(ROWS_PER_INSERT) {
        let values: Vec<String> = (0..some.len()).map(|n| format!("($1, ${}, ${})", 2 * n + 2, 2 * n + 3)).collect();
        let sql =
            format!("insert into search_rows (kind, subject_id, words) values {} {ON_CONFLICT}", values.join(", "));
        let mut insert = tx.sql_built(sql).bind(kind);
        for (id, words) in some {
            insert = insert.bind(*id).bind(words.clone());
        }
        insert.run().await?;
    }
    Ok(())
}

/// Removes a deleted row from the index.
///
/// # Errors
/// What the database refuses.
pub async fn remove(tx: &mut Tx, subject: Uuid) -> Result<()> {
    tx.sql("delete from search_rows where subject_id = $1").bind(subject).run().await?;
    Ok(())
}

/// Rebuilds SQLite's index and PostgreSQL's id sequence after a restore has inserted the rows directly.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn rebuild(tx: &mut Tx) -> Result<()> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => "insert into search_index (search_index) values ('rebuild')",
        Dialect::Postgres => {
            "select setval(pg_get_serial_sequence('search_rows', 'id'), coalesce((select max(id) from search_rows), 0) + 1)"
        }
    };
    tx.sql(sql).run().await?;
    Ok(())
}

/// The full-text query: every key and every term must match.
fn expression(dialect: Dialect, kind: &str, scope: &SearchScope, terms: &[Term], exact: bool) -> String {
    let keys = std::iter::once(kind_key(kind)).chain(scope.keys.iter().cloned()).map(|key| (key, false));
    let tokens = keys.chain(terms.iter().flat_map(|term| term.tokens(exact)));
    match dialect {
        Dialect::Sqlite => {
            let parts: Vec<String> =
                tokens.map(|(token, prefix)| format!("\"{token}\"{}", if prefix { " *" } else { "" })).collect();
            parts.join(" AND ")
        }
        Dialect::Postgres => {
            let parts: Vec<String> =
                tokens.map(|(token, prefix)| format!("'{token}'{}", if prefix { ":*" } else { "" })).collect();
            parts.join(" & ")
        }
    }
}

/// Conditions that the words of a row contain each of the values bound from `$first` on.
fn contains_all(dialect: Dialect, first: usize, n: usize) -> String {
    let each = (first..first + n).map(|nth| contains(dialect, "words", &format!("${nth}")));
    each.collect::<Vec<_>>().join(" and ")
}

const MATCHES: &str = "array_to_tsvector(string_to_array(btrim(words), ' ')) @@ cast($1 as tsquery)";

/// Ids of up to `limit` matching rows, newest first. `exact`: whole words only, not prefixes.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn newest_matches(
    db: &mut impl Sql,
    kind: &'static str,
    scope: &SearchScope,
    terms: &[Term],
    exact: bool,
    limit: usize,
) -> Result<Vec<Uuid>> {
    let mut needles: Vec<String> = terms.iter().map(|term| term.needle(exact)).collect();
    let dialect = db.dialect();
    let sql = match dialect {
        Dialect::Sqlite => {
            let contain = contains_all(dialect, 2, needles.len());
            format!(
                "select r.subject_id from search_index cross join search_rows r on r.id = search_index.rowid \
                 where search_index match $1 and {} order by search_index.rowid desc limit {limit}",
                contain.replace("words", "r.words")
            )
        }
        Dialect::Postgres => {
            // The keys, too: the newest rows are those of every company.
            needles.extend(scope.keys.iter().map(|key| format!(" {key} ")));
            let contain = contains_all(dialect, 2, needles.len());
            format!(
                "with recent as materialized (select id, subject_id, words from search_rows where kind = '{kind}' \
                 order by id desc limit {RECENT_ROWS}), \
                 hits as materialized (select id, subject_id from recent where {contain} order by id desc limit {limit}), \
                 rest as materialized (select id, subject_id from search_rows where {MATCHES} and {contain} \
                 and (select count(*) from hits) < {limit} and (select count(*) from recent) = {RECENT_ROWS} \
                 and id < (select min(id) from recent) order by id + 0 desc limit {limit}) \
                 select subject_id from (select id, subject_id from hits union all select id, subject_id from rest) found \
                 order by id desc limit {limit}"
            )
        }
    };
    let mut query = db.sql_built(sql).bind(expression(dialect, kind, scope, terms, exact));
    for needle in needles {
        query = query.bind(needle);
    }
    Ok(query.all::<(Uuid,)>().await?.into_iter().map(|(id,)| id).collect())
}

/// How a list is restricted to the rows that a search matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchCondition {
    /// No restriction: the query has no words.
    All,
    /// The rows with these ids.
    Ids(Vec<Uuid>),
    /// Rows whose words contain each of these: chosen if matches are so frequent that a page fills soon, or rows few.
    Containing(Vec<String>),
}

/// The condition for rows of `kind` that match every term.
pub(super) async fn condition(
    db: &mut impl Sql,
    kind: &'static str,
    scope: &SearchScope,
    terms: &[Term],
) -> Result<SearchCondition> {
    if terms.is_empty() {
        return Ok(SearchCondition::All);
    }
    let needles: Vec<String> = terms.iter().map(|term| term.needle(false)).collect();
    if scope.few {
        return Ok(SearchCondition::Containing(needles));
    }
    let ids = match db.dialect() {
        Dialect::Sqlite => newest_matches(db, kind, scope, terms, false, MAX_IDS + 1).await?,
        Dialect::Postgres => match matches_unless_common(db, kind, scope, terms).await? {
            Some(ids) => ids,
            None => return Ok(SearchCondition::Containing(needles)),
        },
    };
    Ok(if ids.len() > MAX_IDS { SearchCondition::Containing(needles) } else { SearchCondition::Ids(ids) })
}

/// Ids of up to `MAX_IDS + 1` matching rows; `None` if the terms are common among the newest rows.
async fn matches_unless_common(
    db: &mut impl Sql,
    kind: &'static str,
    scope: &SearchScope,
    terms: &[Term],
) -> Result<Option<Vec<Uuid>>> {
    let keys = scope.keys.iter().map(|key| format!(" {key} "));
    let needles: Vec<String> = terms.iter().map(|term| term.needle(false)).chain(keys).collect();
    let contain = contains_all(Dialect::Postgres, 2, needles.len());
    let sql = format!(
        "with common as materialized (select count(*) as n from (select words from search_rows where kind = '{kind}' \
         order by id desc limit {RECENT_ROWS}) recent where {contain}) \
         select subject_id from search_rows where (select n from common) < {MIN_COMMON_MATCHES} and {MATCHES} and {contain} \
         union all select cast(null as uuid) where (select n from common) >= {MIN_COMMON_MATCHES} limit {}",
        MAX_IDS + 1
    );
    let mut query = db.sql_built(sql).bind(expression(Dialect::Postgres, kind, scope, terms, false));
    for needle in needles {
        query = query.bind(needle);
    }
    let found: Vec<(Option<Uuid>,)> = query.all().await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

impl SearchCondition {
    /// The condition on `column`, a row's id, with placeholders from `$first` on; and the values to bind to them.
    pub fn sql(&self, dialect: Dialect, column: &str, first: usize) -> (String, Vec<String>) {
        match self {
            Self::All => (String::new(), Vec::new()),
            Self::Ids(ids) if ids.is_empty() => (" and 1 = 0".to_owned(), Vec::new()),
            Self::Ids(ids) => {
                let hex: Vec<String> = ids.iter().map(|id| id.simple().to_string()).collect();
                match dialect {
                    Dialect::Sqlite => (
                        format!(" and {column} in (select unhex(value) from json_each(${first}))"),
                        vec![format!("[\"{}\"]", hex.join("\",\""))],
                    ),
                    Dialect::Postgres => (
                        format!(" and {column} = any(cast(${first} as uuid[]))"),
                        vec![format!("{{{}}}", hex.join(","))],
                    ),
                }
            }
            // A subquery, so that neither database starts from `search_rows`; it selects no `id`, which would shadow the list's.
            Self::Containing(needles) => (
                format!(
                    " and (select {} from (select subject_id, words from search_rows) found \
                     where found.subject_id = {column})",
                    contains_all(dialect, first, needles.len())
                ),
                needles.clone(),
            ),
        }
    }
}

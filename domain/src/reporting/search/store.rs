//! SQL of the search: SQLite's FTS5 and PostgreSQL's GIN index over the same rows of words.
use super::words::Term;
use crate::kernel::{
    access::Scope,
    db::{Dialect, Sql, Tx, contains},
    error::Result,
    ids::{CompanyId, IsoId},
};
use uuid::Uuid;

/// Rows of one statement that adds many.
const BATCH: usize = 500;
/// Matches that a list is narrowed to by their ids; with more of them it is read in its own order, each row compared.
const MAX_IDS: usize = 2_000;
/// Newest rows that PostgreSQL compares before it asks its index, which finds all matches of a common word.
const WINDOW: usize = 400;
/// So many matches among the newest rows make a word common.
const COMMON: usize = 8;

/// Whose rows are looked through, as keys that stand among the words of each row.
#[derive(Clone, Debug, Default)]
pub struct Within {
    keys: Vec<String>,
    /// So few rows that the list compares each.
    few: bool,
}

impl Within {
    pub fn company(mut self, id: Option<CompanyId>) -> Self {
        self.keys.extend(id.map(company_key));
        self
    }

    pub fn iso(mut self, id: Option<IsoId>) -> Self {
        self.keys.extend(id.map(iso_key));
        self
    }

    pub(super) fn is_few(&self) -> bool {
        self.few
    }

    pub(super) fn is_all(&self) -> bool {
        !self.few && self.keys.is_empty()
    }

    /// The list reads few rows, whatever is looked for: those of one client or order.
    pub fn few(mut self, few: bool) -> Self {
        self.few |= few;
        self
    }
}

impl From<Scope> for Within {
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

/// Enough of an id to narrow a search: who may see a row is for its list to say.
fn short(id: Uuid) -> String {
    id.simple().to_string()[..12].to_owned()
}

pub(super) fn company_key(id: CompanyId) -> String {
    format!("=c{}", short(id.0))
}

pub(super) fn iso_key(id: IsoId) -> String {
    format!("=i{}", short(id.0))
}

/// Writes the words of one subject, over those it had.
pub(super) async fn put(tx: &mut Tx, kind: &'static str, subject: Uuid, words: String) -> Result<()> {
    let sql = format!("insert into search_rows (kind, subject_id, words) select $1, $2, $3 where true {REPLACES}");
    tx.sql_built(sql).bind(kind).bind(subject).bind(words).run().await?;
    Ok(())
}

const REPLACES: &str = "on conflict (subject_id) do update set kind = excluded.kind, words = excluded.words \
    where search_rows.words <> excluded.words";

/// Writes the words of many subjects.
pub(super) async fn put_all(tx: &mut Tx, kind: &'static str, rows: &[(Uuid, String)]) -> Result<()> {
    for some in rows.chunks(BATCH) {
        let values: Vec<String> = (0..some.len()).map(|n| format!("($1, ${}, ${})", 2 * n + 2, 2 * n + 3)).collect();
        let sql = format!("insert into search_rows (kind, subject_id, words) values {} {REPLACES}", values.join(", "));
        let mut insert = tx.sql_built(sql).bind(kind);
        for (id, words) in some {
            insert = insert.bind(*id).bind(words.clone());
        }
        insert.run().await?;
    }
    Ok(())
}

pub(super) async fn remove(tx: &mut Tx, subject: Uuid) -> Result<()> {
    tx.sql("delete from search_rows where subject_id = $1").bind(subject).run().await?;
    Ok(())
}

/// Rebuilds what the database keeps beside the rows, after these were put in without its knowing: SQLite's index, and
/// PostgreSQL's next number.
pub(super) async fn rebuild(tx: &mut Tx) -> Result<()> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => "insert into search_index (search_index) values ('rebuild')",
        Dialect::Postgres => {
            "select setval(pg_get_serial_sequence('search_rows', 'id'), coalesce((select max(id) from search_rows), 0) + 1)"
        }
    };
    tx.sql(sql).run().await?;
    Ok(())
}

/// What the index is asked: every key and every term.
fn expression(dialect: Dialect, kind: &str, within: &Within, terms: &[Term], exact: bool) -> String {
    let keys = std::iter::once(kind_key(kind)).chain(within.keys.iter().cloned()).map(|key| (key, false));
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
fn contain(dialect: Dialect, first: usize, n: usize) -> String {
    let each = (first..first + n).map(|nth| contains(dialect, "words", &format!("${nth}")));
    each.collect::<Vec<_>>().join(" and ")
}

const MATCHES: &str = "array_to_tsvector(string_to_array(btrim(words), ' ')) @@ cast($1 as tsquery)";

/// Matching subjects, the newest first, as many as `limit`.
pub(super) async fn newest(
    db: &mut impl Sql,
    kind: &'static str,
    within: &Within,
    terms: &[Term],
    exact: bool,
    limit: usize,
) -> Result<Vec<Uuid>> {
    let mut needles: Vec<String> = terms.iter().map(|term| term.needle(exact)).collect();
    let dialect = db.dialect();
    let sql = match dialect {
        Dialect::Sqlite => {
            let contain = contain(dialect, 2, needles.len());
            format!(
                "select r.subject_id from search_index cross join search_rows r on r.id = search_index.rowid \
                 where search_index match $1 and {} order by search_index.rowid desc limit {limit}",
                contain.replace("words", "r.words")
            )
        }
        Dialect::Postgres => {
            // The keys, too: the window is of every company.
            needles.extend(within.keys.iter().map(|key| format!(" {key} ")));
            let contain = contain(dialect, 2, needles.len());
            format!(
                "with recent as materialized (select id, subject_id, words from search_rows where kind = '{kind}' \
                 order by id desc limit {WINDOW}), \
                 hits as materialized (select id, subject_id from recent where {contain} order by id desc limit {limit}), \
                 rest as materialized (select id, subject_id from search_rows where {MATCHES} and {contain} \
                 and (select count(*) from hits) < {limit} and (select count(*) from recent) = {WINDOW} \
                 and id < (select min(id) from recent) order by id + 0 desc limit {limit}) \
                 select subject_id from (select id, subject_id from hits union all select id, subject_id from rest) found \
                 order by id desc limit {limit}"
            )
        }
    };
    let mut query = db.sql_built(sql).bind(expression(dialect, kind, within, terms, exact));
    for needle in needles {
        query = query.bind(needle);
    }
    Ok(query.all::<(Uuid,)>().await?.into_iter().map(|(id,)| id).collect())
}

/// How a list is narrowed to the rows that a search finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// Nothing was looked for.
    All,
    /// The only rows that match.
    Ids(Vec<Uuid>),
    /// Rows whose words contain each of these: so many that a list meets them soon, or few to compare.
    Containing(Vec<String>),
}

/// Narrows a list of `kind` to what matches every term.
pub(super) async fn narrow(db: &mut impl Sql, kind: &'static str, within: &Within, terms: &[Term]) -> Result<Narrow> {
    if terms.is_empty() {
        return Ok(Narrow::All);
    }
    let needles: Vec<String> = terms.iter().map(|term| term.needle(false)).collect();
    if within.few {
        return Ok(Narrow::Containing(needles));
    }
    let ids = match db.dialect() {
        Dialect::Sqlite => newest(db, kind, within, terms, false, MAX_IDS + 1).await?,
        Dialect::Postgres => match unless_common(db, kind, within, terms).await? {
            Some(ids) => ids,
            None => return Ok(Narrow::Containing(needles)),
        },
    };
    Ok(if ids.len() > MAX_IDS { Narrow::Containing(needles) } else { Narrow::Ids(ids) })
}

/// Matching subjects, as many as tell that there are too many; none where they are common among the newest rows.
async fn unless_common(
    db: &mut impl Sql,
    kind: &'static str,
    within: &Within,
    terms: &[Term],
) -> Result<Option<Vec<Uuid>>> {
    let keys = within.keys.iter().map(|key| format!(" {key} "));
    let needles: Vec<String> = terms.iter().map(|term| term.needle(false)).chain(keys).collect();
    let contain = contain(Dialect::Postgres, 2, needles.len());
    let sql = format!(
        "with common as materialized (select count(*) as n from (select words from search_rows where kind = '{kind}' \
         order by id desc limit {WINDOW}) recent where {contain}) \
         select subject_id from search_rows where (select n from common) < {COMMON} and {MATCHES} and {contain} \
         union all select cast(null as uuid) where (select n from common) >= {COMMON} limit {}",
        MAX_IDS + 1
    );
    let mut query = db.sql_built(sql).bind(expression(Dialect::Postgres, kind, within, terms, false));
    for needle in needles {
        query = query.bind(needle);
    }
    let found: Vec<(Option<Uuid>,)> = query.all().await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

impl Narrow {
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
            // A subquery of its own, so that neither database begins with the words; without an `id`, which is the list's.
            Self::Containing(needles) => (
                format!(
                    " and (select {} from (select subject_id, words from search_rows) found \
                     where found.subject_id = {column})",
                    contain(dialect, first, needles.len())
                ),
                needles.clone(),
            ),
        }
    }
}

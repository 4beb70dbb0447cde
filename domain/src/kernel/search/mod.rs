//! Full-text search index: finds rows of every noun by word prefixes, and text in scripts without spaces by any part.
//!
//! The index is SQLite's FTS5 or PostgreSQL's GIN over one table of words, folded and split in Rust ([`words`]). Queries are
//! restricted to the actor's scope and stop at a limit before anything is joined; each noun's list still decides what the
//! actor may see.
mod store;
mod words;

pub use store::{SearchCondition, SearchScope};
pub(crate) use store::{newest_matches, rebuild, remove};
pub(crate) use words::{Term, query as terms};

use crate::kernel::{
    access::Role,
    db::{Sql, Tx},
    error::Result,
    ids::{CompanyId, IsoId},
};
use uuid::Uuid;

/// The condition that restricts a list of `kind` to the rows matching `q`; all rows if `q` has no words.
///
/// # Errors
/// What the database refuses.
pub async fn condition(
    db: &mut impl Sql,
    kind: &'static str,
    scope: SearchScope,
    q: Option<&str>,
) -> Result<SearchCondition> {
    store::condition(db, kind, &scope, &terms(q.unwrap_or_default())).await
}

/// [`condition`] for a list of accounts of one role or all. Clients are indexed as `client`, other accounts as `user`.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn accounts_condition(
    db: &mut impl Sql,
    role: Option<Role>,
    q: Option<&str>,
) -> Result<SearchCondition> {
    let kinds: &[&'static str] = match role {
        Some(Role::Client) => &["client"],
        Some(_) => &["user"],
        None => &["client", "user"],
    };
    let mut ids = Vec::new();
    for kind in kinds {
        match condition(db, kind, SearchScope::default(), q).await? {
            SearchCondition::Ids(some) => ids.extend(some),
            other => return Ok(other),
        }
    }
    Ok(SearchCondition::Ids(ids))
}

/// A row to index: its kind, its owners and its texts.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    pub kind: &'static str,
    pub subject: Uuid,
    /// The company and the ISO partner whose lists show the row, for [`SearchScope`].
    pub company: Option<CompanyId>,
    pub iso: Option<IsoId>,
    pub texts: Vec<&'t str>,
}

impl Entry<'_> {
    fn words(&self) -> Option<String> {
        let keys: Vec<String> = std::iter::once(store::kind_key(self.kind))
            .chain(self.company.map(store::company_key))
            .chain(self.iso.map(store::iso_key))
            .collect();
        words::row(&keys, self.texts.iter().copied())
    }
}

/// Indexes a row, replacing its earlier words.
///
/// # Errors
/// What the database refuses.
pub async fn index(tx: &mut Tx, entry: Entry<'_>) -> Result<()> {
    match entry.words() {
        Some(words) => store::put(tx, entry.kind, entry.subject, words).await,
        None => store::remove(tx, entry.subject).await,
    }
}

/// Indexes many rows of one kind.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn index_all(tx: &mut Tx, kind: &'static str, entries: &[Entry<'_>]) -> Result<()> {
    let rows: Vec<(Uuid, String)> = entries.iter().filter_map(|entry| Some((entry.subject, entry.words()?))).collect();
    store::put_all(tx, kind, &rows).await
}

//! Full-text search: orders, clients, companies, ISO partners, documents, requests, leads and people by the beginnings
//! of their words, in scripts without spaces by any part.
//!
//! The databases' own engines find rows: SQLite's FTS5 and PostgreSQL's GIN index over one table of words, which are folded
//! and split in Rust ([`words`]). Both search within the actor's scope and stop at a limit before anything is joined; what
//! the actor may see is still decided by each noun's list.
mod store;
mod words;

pub use store::{Narrow, Within};

use crate::{
    desk::requests,
    directory::{clients, companies},
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Sql, Tx},
        error::Result,
        ids::{CompanyId, IsoId},
        page::PageQuery,
    },
    orders::{documents, spvs, templates},
};
use serde::Serialize;
use std::collections::HashMap;
use uuid::Uuid;
use words::Term;

/// Rows of each kind in an answer.
const MAX_HITS: usize = 5;
/// Matches read for them, as lists hide some (archived clients, internal documents).
const CANDIDATES: usize = 2 * MAX_HITS;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SearchKind)]
pub enum Kind {
    Client,
    Spv,
    Company,
    Document,
    Request,
}

/// A row that was found, as one line and a half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub id: Uuid,
    pub title: String,
    pub text: String,
}

/// Orders, clients, companies and documents that the actor's lists show, requests too for the staff: a few of each, best
/// match first. Whole words match better than beginnings; of equal matches the newest comes first.
///
/// # Errors
/// Unauthenticated.
pub async fn find(ctx: &Ctx, q: &str) -> Result<Vec<Hit>> {
    let scope = ctx.scope()?;
    let terms = words::query(q);
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut kinds = vec![Kind::Spv, Kind::Client, Kind::Company, Kind::Document];
    if ctx.can(Action::View, Resource::Requests) {
        kinds.push(Kind::Request);
    }
    let mut found = Vec::new();
    for kind in kinds {
        found.extend(best(ctx, kind, Within::from(scope), q, &terms).await?);
    }
    Ok(found)
}

/// The best matches of one kind.
async fn best(ctx: &Ctx, kind: Kind, within: Within, q: &str, terms: &[Term]) -> Result<Vec<Hit>> {
    // One client's rows are few, and a company is found by whoever belongs to it.
    if within.is_few() || (kind == Kind::Company && !within.is_all()) {
        return listed(ctx, kind, Only::Search(q)).await;
    }
    let name = kind.name();
    let mut db = ctx.db();
    let mut ids = store::newest(&mut db, name, &within, terms, true, CANDIDATES).await?;
    let mut more = ids.len() == CANDIDATES;
    if ids.len() < MAX_HITS {
        let begun = store::newest(&mut db, name, &within, terms, false, CANDIDATES).await?;
        more = begun.len() == CANDIDATES;
        ids.extend(begun.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rank: HashMap<Uuid, usize> = ids.iter().enumerate().map(|(rank, id)| (*id, rank)).collect();
    let mut hits = listed(ctx, kind, Only::Ids(ids)).await?;
    hits.sort_by_key(|hit| rank.get(&hit.id).copied());
    // Where the list hides too many of the best, others that match may follow them.
    if hits.len() < MAX_HITS && more {
        let others = listed(ctx, kind, Only::Search(q)).await?;
        hits.extend(others.into_iter().filter(|hit| !rank.contains_key(&hit.id)));
    }
    hits.truncate(MAX_HITS);
    Ok(hits)
}

/// What a list is narrowed to.
#[derive(Clone, Debug)]
enum Only<'q> {
    Search(&'q str),
    Ids(Vec<Uuid>),
}

/// Rows of a noun's list, as hits.
async fn listed(ctx: &Ctx, kind: Kind, only: Only<'_>) -> Result<Vec<Hit>> {
    let (q, ids) = match only {
        Only::Search(q) => (Some(q.to_owned()), None),
        Only::Ids(ids) => (None, Some(ids)),
    };
    let limit = u32::try_from(ids.as_ref().map_or(MAX_HITS, Vec::len)).unwrap_or(u32::MAX);
    let page = PageQuery { limit: Some(limit), cursor: None };
    let hit = |id, title, text| Hit { kind, id, title, text };
    Ok(match kind {
        Kind::Spv => {
            let rows = spvs::list(ctx, &spvs::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, row.identifier(), row.client_name())).collect()
        }
        Kind::Client => {
            let rows = clients::list(ctx, &clients::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, row.name(), row.email)).collect()
        }
        Kind::Company => {
            let rows = match ids {
                Some(ids) => companies::among(ctx, ids, &page).await?.items,
                None => companies::list(ctx, q.as_deref(), false, &page).await?.items,
            };
            rows.into_iter().map(|row| hit(row.id.0, row.name, row.business_name)).collect()
        }
        Kind::Document => {
            let rows = documents::list(ctx, &documents::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, templates::shown(ctx, &row.name), row.client_name())).collect()
        }
        Kind::Request => {
            let rows = requests::list(ctx, &requests::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, row.reference(), row.name)).collect()
        }
    })
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Spv => "spv",
            Self::Company => "company",
            Self::Document => "document",
            Self::Request => "request",
        }
    }
}

/// What a list of `kind` is narrowed to by what was typed; by nothing where that has no words.
///
/// # Errors
/// What the database refuses.
pub async fn narrow(db: &mut impl Sql, kind: &'static str, within: Within, q: Option<&str>) -> Result<Narrow> {
    store::narrow(db, kind, &within, &words::query(q.unwrap_or_default())).await
}

/// A row that can be found: what it is, whose, and its texts.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    pub kind: &'static str,
    pub subject: Uuid,
    /// Whose lists show it, as far as these are narrowed by company or ISO partner.
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

/// Replaces the words under which a row is found.
///
/// # Errors
/// What the database refuses.
pub async fn index(tx: &mut Tx, entry: Entry<'_>) -> Result<()> {
    match entry.words() {
        Some(words) => store::put(tx, entry.kind, entry.subject, words).await,
        None => store::remove(tx, entry.subject).await,
    }
}

/// Replaces the words of many rows of one kind.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn index_all(tx: &mut Tx, kind: &'static str, entries: &[Entry<'_>]) -> Result<()> {
    let rows: Vec<(Uuid, String)> = entries.iter().filter_map(|entry| Some((entry.subject, entry.words()?))).collect();
    store::put_all(tx, kind, &rows).await
}

/// Takes a row that is deleted out of the search.
///
/// # Errors
/// What the database refuses.
pub async fn forget(tx: &mut Tx, subject: Uuid) -> Result<()> {
    store::remove(tx, subject).await
}

/// Rebuilds the index over rows that a restore has put in.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn rebuild(tx: &mut Tx) -> Result<()> {
    store::rebuild(tx).await
}

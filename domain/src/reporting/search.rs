//! Global search: the best matches among orders, clients, companies, documents, requests and services, and invoices and credit
//! notes by their number, for the search field at the top of every page.
//!
//! The index of [`kernel::search`](crate::kernel::search) finds candidates; each noun's list decides what the actor may see.
use crate::{
    desk::requests,
    directory::{clients, companies},
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        error::{Error, Result},
        ids::InvoiceId,
        page::PageQuery,
        search::{self, SearchScope, Term},
    },
    orders::{
        documents,
        invoices::{self, credit_notes},
        services, spvs, templates,
    },
};
use std::collections::HashMap;
use uuid::Uuid;

/// Hits of each kind in a response.
const MAX_HITS: usize = 5;
/// Ids read from the index for them: more than are shown, because lists leave out archived clients and internal documents.
const MAX_CANDIDATES: usize = 2 * MAX_HITS;

crate::kernel::text_enum! {
    #[schema(as = SearchKind)]
    pub enum Kind {
        Client = "client",
        Spv = "spv",
        Company = "company",
        Document = "document",
        Request = "request",
        /// Also for a credit note, which is shown with its invoice.
        Invoice = "invoice",
        /// A service of the price list.
        Service = "service",
    }
}

/// A row that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub id: Uuid,
    pub title: String,
    pub text: String,
}

/// The best matches of each kind that the actor's lists show; requests and services for the staff only, invoices by their whole
/// number.
/// Whole words rank above prefixes, newer rows above older ones.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "search.find", skip_all)]
pub async fn find(ctx: &Ctx, q: &str) -> Result<Vec<Hit>> {
    let scope = ctx.scope()?;
    let terms = search::terms(q);
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut kinds = vec![Kind::Spv, Kind::Client, Kind::Company, Kind::Document];
    if ctx.can(Action::View, Resource::Requests) {
        kinds.push(Kind::Request);
    }
    let mut hits = by_number(ctx, q).await?;
    for kind in kinds {
        hits.extend(best_hits(ctx, kind, SearchScope::from(scope), q, &terms).await?);
    }
    if ctx.can(Action::View, Resource::Requests) {
        hits.extend(list_hits(ctx, Kind::Service, HitFilter::Search(q)).await?);
    }
    Ok(hits)
}

/// The invoice or the invoice of the credit note with this number.
async fn by_number(ctx: &Ctx, q: &str) -> Result<Vec<Hit>> {
    let hit = |id: InvoiceId, title, client| Hit { kind: Kind::Invoice, id: id.0, title, text: client };
    let found = if q.trim().to_ascii_uppercase().starts_with("CN-") {
        credit_notes::find(ctx, q).await.map(|note| hit(note.invoice_id, note.name(), note.client_name()))
    } else {
        invoices::find(ctx, q)
            .await
            .map(|found| hit(found.invoice.id, found.invoice.name(), found.invoice.client_name()))
    };
    match found {
        Ok(hit) => Ok(vec![hit]),
        Err(Error::NotFound(_) | Error::Forbidden(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

async fn best_hits(ctx: &Ctx, kind: Kind, scope: SearchScope, q: &str, terms: &[Term]) -> Result<Vec<Hit>> {
    // A client has few rows, and members of a company see only their own company: the list is short, no index needed.
    if scope.is_few() || (kind == Kind::Company && !scope.is_all()) {
        return list_hits(ctx, kind, HitFilter::Search(q)).await;
    }
    let name = kind.name();
    let mut db = ctx.db();
    let mut ids = search::newest_matches(&mut db, name, &scope, terms, true, MAX_CANDIDATES).await?;
    let mut has_more = ids.len() == MAX_CANDIDATES;
    if ids.len() < MAX_HITS {
        let prefixes = search::newest_matches(&mut db, name, &scope, terms, false, MAX_CANDIDATES).await?;
        has_more = prefixes.len() == MAX_CANDIDATES;
        ids.extend(prefixes.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rank: HashMap<Uuid, usize> = ids.iter().enumerate().map(|(rank, id)| (*id, rank)).collect();
    let mut hits = list_hits(ctx, kind, HitFilter::Ids(ids)).await?;
    hits.sort_by_key(|hit| rank.get(&hit.id).copied());
    // The list may have left out most candidates: fill up from the list's own search.
    if hits.len() < MAX_HITS && has_more {
        let others = list_hits(ctx, kind, HitFilter::Search(q)).await?;
        hits.extend(others.into_iter().filter(|hit| !rank.contains_key(&hit.id)));
    }
    hits.truncate(MAX_HITS);
    Ok(hits)
}

#[derive(Clone, Debug)]
enum HitFilter<'q> {
    Search(&'q str),
    Ids(Vec<Uuid>),
}

/// Rows of a noun's list, as hits.
async fn list_hits(ctx: &Ctx, kind: Kind, filter: HitFilter<'_>) -> Result<Vec<Hit>> {
    let (q, ids) = match filter {
        HitFilter::Search(q) => (Some(q.to_owned()), None),
        HitFilter::Ids(ids) => (None, Some(ids)),
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
            let rows = companies::list(ctx, &companies::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, row.name, row.business_name)).collect()
        }
        Kind::Service => {
            let rows = services::named(ctx, q.as_deref().unwrap_or_default()).await?;
            let price = |row: &services::Service| {
                let (currency, country) = (row.currency, row.country.code());
                format!("{country} · {} {}", currency.code(), currency.format(row.price_minor))
            };
            rows.into_iter().take(MAX_HITS).map(|row| hit(row.id.0, row.name.clone(), price(&row))).collect()
        }
        Kind::Document => {
            let rows = documents::list(ctx, &documents::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, templates::shown(ctx, &row.name), row.client_name())).collect()
        }
        Kind::Request => {
            let rows = requests::list(ctx, &requests::Filter { q, ids, ..Default::default() }, &page).await?.items;
            rows.into_iter().map(|row| hit(row.id.0, row.reference(), row.name)).collect()
        }
        // By number only.
        Kind::Invoice => Vec::new(),
    })
}

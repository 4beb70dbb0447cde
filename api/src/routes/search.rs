//! Global search over orders, clients, companies, documents, requests, services and invoices.
use crate::{
    error::Result,
    extract::{Query, SignedIn},
    response::{ItemList, JsonBody},
};
use domain::reporting::search::{self, Kind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Word prefixes; no results without any.
    #[serde(default)]
    #[param(required = false)]
    q: String,
}

/// A search result.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchHit {
    kind: Kind,
    id: Uuid,
    title: String,
    text: String,
}

/// Orders, clients, companies and documents you may see, and requests and services for staff: the five best matches of each. An invoice or
/// credit note by its number; a credit note leads to its invoice.
#[utoipa::path(get, path = "/search", operation_id = "search_find", tag = "search", params(SearchQuery),
    responses((status = 200, body = ItemList<SearchHit>)))]
pub async fn find(SignedIn(ctx): SignedIn, Query(query): Query<SearchQuery>) -> Result<JsonBody<ItemList<SearchHit>>> {
    let found = search::find(&ctx, &query.q).await?.into_iter();
    let items = found.map(|hit| SearchHit { kind: hit.kind, id: hit.id, title: hit.title, text: hit.text }).collect();
    Ok(JsonBody(ItemList { items }))
}

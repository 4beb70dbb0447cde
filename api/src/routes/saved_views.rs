//! Saved views of lists.
use crate::{
    error::Result,
    extract::{CreateRequest, Json, Path, Query, SignedIn},
    response::{Created, ItemList, JsonBody, Versioned},
};
use axum::http::StatusCode;
use domain::{
    accounts::saved_views::{self, Change, Input, List},
    kernel::ids::SavedViewId,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A view of a list: filters and order under a name.
#[derive(Debug, Serialize, ToSchema)]
pub struct SavedView {
    id: SavedViewId,
    list: List,
    name: String,
    /// Query string of the list's page, without `?`.
    #[schema(example = "due=overdue&sort=-total")]
    query: String,
    /// From 0 among your views of the list.
    position: i64,
}

impl From<saved_views::SavedView> for SavedView {
    fn from(view: saved_views::SavedView) -> Self {
        Self { id: view.id, list: view.list, name: view.name, query: view.query, position: view.position }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListSavedViewsQuery {
    list: List,
}

/// Your saved views of a list, in your order.
#[utoipa::path(get, path = "/me/views", operation_id = "saved_view_list", tag = "me", params(ListSavedViewsQuery),
    responses((status = 200, body = ItemList<SavedView>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListSavedViewsQuery>,
) -> Result<JsonBody<ItemList<SavedView>>> {
    let found = saved_views::list(&ctx, query.list).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(SavedView::from).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSavedView {
    list: List,
    /// Up to 60 characters.
    #[serde(default)]
    #[schema(required)]
    name: String,
    /// Query string of the list's page, without `?`; up to 1,000 characters.
    #[serde(default)]
    #[schema(example = "due=overdue&sort=-total")]
    query: String,
}

/// Saves a view of a list, after your others; up to 30 of each list.
#[utoipa::path(post, path = "/me/views", operation_id = "saved_view_create", tag = "me", request_body = NewSavedView,
    responses((status = 201, body = SavedView)))]
pub async fn create(
    CreateRequest { ctx, input: NewSavedView { list, name, query }, .. }: CreateRequest<NewSavedView>,
) -> Result<Created<SavedView>> {
    let view = saved_views::create(&ctx, Input { list, name, query }).await?;
    Ok(Created { location: format!("/rest/v1/me/views/{}", view.id), version: view.version, view: view.into() })
}

/// A field left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedViewChange {
    name: Option<String>,
    query: Option<String>,
    /// From 0; past the end is the end.
    position: Option<usize>,
}

/// Renames, replaces or moves one of your saved views.
#[utoipa::path(patch, path = "/me/views/{id}", operation_id = "saved_view_update", tag = "me",
    params(("id" = SavedViewId, Path)), request_body = SavedViewChange, responses((status = 200, body = SavedView)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SavedViewId>,
    Json(SavedViewChange { name, query, position }): Json<SavedViewChange>,
) -> Result<Versioned<SavedView>> {
    let view = saved_views::update(&ctx, id, Change { name, query, position }).await?;
    Ok(Versioned { version: view.version, view: view.into() })
}

/// Deletes one of your saved views.
#[utoipa::path(delete, path = "/me/views/{id}", operation_id = "saved_view_delete", tag = "me",
    params(("id" = SavedViewId, Path)), responses((status = 204)))]
pub async fn delete(SignedIn(ctx): SignedIn, Path(id): Path<SavedViewId>) -> Result<StatusCode> {
    saved_views::delete(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

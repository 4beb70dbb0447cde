//! ISO partners.
use crate::{
    error::Result,
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, clearable, empty_string_as_none, id_list,
        sort_order,
    },
    response::{Created, JsonBody, Page, Versioned},
    routes::companies::Depends,
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    directory::isos::{self, Change, Filter, Input},
    kernel::{
        ids::{CompanyId, IsoId, RequestId, UserId},
        page::PageQuery,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct Iso {
    id: IsoId,
    user_id: UserId,
    first_name: String,
    last_name: String,
    email: String,
    phone: Option<String>,
    company_id: CompanyId,
    company_name: String,
    archived_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `update`, `archive`, `restore`, `delete`.
    can: Vec<&'static str>,
}

impl Iso {
    fn of(ctx: &Ctx, row: isos::Iso) -> Self {
        Self {
            can: isos::can(ctx, &row),
            id: row.id,
            user_id: row.user_id,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone: row.phone,
            company_id: row.company_id,
            company_name: row.company_name,
            archived_at: row.archived_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

fn row(ctx: &Ctx, iso: isos::Iso) -> Versioned<Iso> {
    Versioned { version: iso.version, view: Iso::of(ctx, iso) }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct IsoDetail {
    #[serde(flatten)]
    iso: Iso,
    /// Staff only; null for others.
    depends: Option<Depends>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListIsosQuery {
    /// Search by word prefixes in name and email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// True lists archived ones instead.
    #[serde(default)]
    archived: bool,
    /// Only these partners: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `first_name` (default), `created_at`, or either with `-` before it for descending.
    order: Option<String>,
    /// True adds the number of all partners of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// ISO partners you may see, by default by first name.
#[utoipa::path(get, path = "/isos", operation_id = "iso_list", tag = "isos", params(ListIsosQuery),
    responses((status = 200, body = Page<Iso>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListIsosQuery>) -> Result<JsonBody<Page<Iso>>> {
    let order = sort_order(query.order.as_deref())?;
    let filter = Filter { q: query.q, company_id: query.company_id, archived: query.archived, order, ids: query.ids };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = isos::list(&ctx, &filter, &page).await?;
    let page = Page::of(found, |iso| Iso::of(&ctx, iso));
    Ok(JsonBody(page.counted(query.count, isos::total(&ctx, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewIso {
    #[serde(default)]
    #[schema(required)]
    first_name: String,
    #[serde(default)]
    #[schema(required)]
    last_name: String,
    #[serde(default)]
    #[schema(required)]
    email: String,
    phone: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = CompanyId)]
    company_id: Option<CompanyId>,
    /// The application to approve with this.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    request_id: Option<RequestId>,
}

/// Creates an ISO partner with its account, and mails a link to set a password.
#[utoipa::path(post, path = "/isos", operation_id = "iso_create", tag = "isos", request_body = NewIso,
    responses((status = 201, body = Iso)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewIso>) -> Result<Created<Iso>> {
    let input = Input {
        first_name: input.first_name,
        last_name: input.last_name,
        email: input.email,
        phone: input.phone,
        company_id: input.company_id,
        request_id: input.request_id,
    };
    let iso = isos::create(&ctx, input).await?;
    Ok(Created { location: format!("/rest/v1/isos/{}", iso.id), version: iso.version, view: Iso::of(&ctx, iso) })
}

/// One ISO partner, with the number of rows that depend on it.
#[utoipa::path(get, path = "/isos/{id}", operation_id = "iso_get", tag = "isos", params(("id" = IsoId, Path)),
    responses((status = 200, body = IsoDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<IsoId>) -> Result<Versioned<IsoDetail>> {
    let iso = isos::get(&ctx, id).await?;
    let depends = isos::depends(&ctx, &iso).await?.map(Depends::from);
    Ok(Versioned { version: iso.version, view: IsoDetail { iso: Iso::of(&ctx, iso), depends } })
}

/// A patch: omitted fields stay unchanged, null clears. The email address is not among them: the partner changes and
/// confirms it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IsoChange {
    first_name: Option<String>,
    last_name: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    phone: Option<String>,
    /// Another company only while the partner has no clients, leads and orders.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
}

/// Corrects an ISO partner and its account.
#[utoipa::path(patch, path = "/isos/{id}", operation_id = "iso_update", tag = "isos", params(("id" = IsoId, Path)),
    request_body = IsoChange, responses((status = 200, body = Iso)))]
pub async fn update(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(change): Json<IsoChange>,
) -> Result<Versioned<Iso>> {
    let IsoChange { first_name, last_name, phone, company_id } = change;
    let iso = isos::update(&ctx, id, version, Change { first_name, last_name, phone, company_id }).await?;
    app.auth.token_cache.forget_user(iso.user_id);
    Ok(row(&ctx, iso))
}

/// Deletes an ISO partner without dependent rows; its account is archived.
#[utoipa::path(delete, path = "/isos/{id}", operation_id = "iso_delete", tag = "isos", params(("id" = IsoId, Path)),
    responses((status = 204)))]
pub async fn delete(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
) -> Result<StatusCode> {
    isos::delete(&ctx, id, version).await?;
    // Rare: clears the whole session cache.
    app.auth.token_cache.clear();
    Ok(StatusCode::NO_CONTENT)
}

/// Archives an ISO partner and blocks sign-in.
#[utoipa::path(post, path = "/isos/{id}/archive", operation_id = "iso_archive", tag = "isos",
    params(("id" = IsoId, Path)), request_body = EmptyBody, responses((status = 200, body = Iso)))]
pub async fn archive(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Iso>> {
    let iso = isos::archive(&ctx, id, version).await?;
    app.auth.token_cache.forget_user(iso.user_id);
    Ok(row(&ctx, iso))
}

/// Restores an archived ISO partner.
#[utoipa::path(post, path = "/isos/{id}/restore", operation_id = "iso_restore", tag = "isos",
    params(("id" = IsoId, Path)), request_body = EmptyBody, responses((status = 200, body = Iso)))]
pub async fn restore(
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Iso>> {
    Ok(row(&ctx, isos::restore(&ctx, id, version).await?))
}

//! Companies.
use crate::{
    error::Result,
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, clearable, empty_string_as_none, id_list,
        sort_order,
    },
    response::{Created, JsonBody, Page, Versioned},
    routes::company_portal,
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    directory::companies::{self, Filter, Input},
    kernel::{
        ids::{CompanyId, RequestId},
        money::Currency,
        page::PageQuery,
    },
    platform::settings,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct Company {
    id: CompanyId,
    name: String,
    business_name: String,
    email: Option<String>,
    phone: Option<String>,
    logo_url: Option<String>,
    domain: Option<String>,
    /// URL of the logo, if there is one.
    logo: Option<String>,
    /// IANA time zone name, for the times in its portal.
    time_zone: String,
    /// Default of new orders.
    currency: Currency,
    archived_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `update`, `archive`, `restore`, `delete`.
    can: Vec<&'static str>,
}

impl Company {
    fn of(ctx: &Ctx, office: Currency, row: companies::Company) -> Self {
        Self {
            can: companies::can(ctx, &row),
            id: row.id,
            name: row.name,
            business_name: row.business_name,
            email: row.email,
            phone: row.phone,
            logo_url: row.logo_url,
            domain: row.domain,
            logo: company_portal::logo_path(ctx, row.logo_id),
            time_zone: row.time_zone,
            currency: row.currency.unwrap_or(office),
            archived_at: row.archived_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

async fn row(ctx: &Ctx, company: companies::Company) -> Result<Versioned<Company>> {
    Ok(Versioned { version: company.version, view: Company::of(ctx, settings::currency(ctx).await?, company) })
}

/// Number of rows that prevent deletion.
#[derive(Debug, Serialize, ToSchema)]
pub struct Depends {
    clients: i64,
    isos: i64,
    spvs: i64,
    users: i64,
}

impl From<companies::DependencyCounts> for Depends {
    fn from(found: companies::DependencyCounts) -> Self {
        Self { clients: found.clients, isos: found.isos, spvs: found.spvs, users: found.users }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyDetail {
    #[serde(flatten)]
    company: Company,
    /// Staff only; null for others.
    depends: Option<Depends>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListCompaniesQuery {
    /// Search by word prefixes in names and email.
    q: Option<String>,
    /// True lists archived ones instead.
    #[serde(default)]
    archived: bool,
    /// Only these companies: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `name` (default), `created_at`, or either with `-` before it for descending.
    order: Option<String>,
    /// True adds the number of all companies of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Companies you may see, by default by name.
#[utoipa::path(get, path = "/companies", operation_id = "company_list", tag = "companies", params(ListCompaniesQuery),
    responses((status = 200, body = Page<Company>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListCompaniesQuery>) -> Result<JsonBody<Page<Company>>> {
    let order = sort_order(query.order.as_deref())?;
    let filter = Filter { q: query.q, archived: query.archived, order, ids: query.ids };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = companies::list(&ctx, &filter, &page).await?;
    let office = settings::currency(&ctx).await?;
    let page = Page::of(found, |company| Company::of(&ctx, office, company));
    Ok(JsonBody(page.counted(query.count, companies::total(&ctx, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCompany {
    #[serde(default)]
    #[schema(required)]
    name: String,
    #[serde(default)]
    #[schema(required)]
    business_name: String,
    email: Option<String>,
    phone: Option<String>,
    /// https only.
    logo_url: Option<String>,
    domain: Option<String>,
    /// The application to approve with this; its sender becomes the first admin.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    request_id: Option<RequestId>,
}

/// Creates a company.
#[utoipa::path(post, path = "/companies", operation_id = "company_create", tag = "companies", request_body = NewCompany,
    responses((status = 201, body = Company)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewCompany>) -> Result<Created<Company>> {
    let input = Input {
        name: Some(input.name),
        business_name: Some(input.business_name),
        email: input.email,
        phone: input.phone,
        logo_url: input.logo_url,
        domain: input.domain,
        request_id: input.request_id,
    };
    let company = companies::create(&ctx, input).await?;
    Ok(Created {
        location: format!("/rest/v1/companies/{}", company.id),
        version: company.version,
        view: Company::of(&ctx, settings::currency(&ctx).await?, company),
    })
}

/// One company, with the number of rows that depend on it.
#[utoipa::path(get, path = "/companies/{id}", operation_id = "company_get", tag = "companies",
    params(("id" = CompanyId, Path)), responses((status = 200, body = CompanyDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<CompanyId>) -> Result<Versioned<CompanyDetail>> {
    let company = companies::get(&ctx, id).await?;
    let depends = companies::depends(&ctx, id).await?.map(Depends::from);
    Ok(Versioned {
        version: company.version,
        view: CompanyDetail { company: Company::of(&ctx, settings::currency(&ctx).await?, company), depends },
    })
}

/// A patch: omitted fields stay unchanged, null clears.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompanyChange {
    name: Option<String>,
    business_name: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    email: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    phone: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    logo_url: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    domain: Option<String>,
}

/// Changes a company.
#[utoipa::path(patch, path = "/companies/{id}", operation_id = "company_update", tag = "companies",
    params(("id" = CompanyId, Path)), request_body = CompanyChange, responses((status = 200, body = Company)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    IfMatch(version): IfMatch,
    Json(change): Json<CompanyChange>,
) -> Result<Versioned<Company>> {
    let input = Input {
        name: change.name,
        business_name: change.business_name,
        email: change.email,
        phone: change.phone,
        logo_url: change.logo_url,
        domain: change.domain,
        request_id: None,
    };
    row(&ctx, companies::update(&ctx, id, version, input).await?).await
}

/// Deletes a company without dependent rows.
#[utoipa::path(delete, path = "/companies/{id}", operation_id = "company_delete", tag = "companies",
    params(("id" = CompanyId, Path)), responses((status = 204)))]
pub async fn delete(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    IfMatch(version): IfMatch,
) -> Result<StatusCode> {
    companies::delete(&ctx, id, version).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Archives a company and blocks its members' sign-in.
#[utoipa::path(post, path = "/companies/{id}/archive", operation_id = "company_archive", tag = "companies",
    params(("id" = CompanyId, Path)), request_body = EmptyBody, responses((status = 200, body = Company)))]
pub async fn archive(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Company>> {
    let company = companies::archive(&ctx, id, version).await?;
    // Rare and affects all members: clears the whole session cache.
    app.auth.token_cache.clear();
    row(&ctx, company).await
}

/// Restores an archived company.
#[utoipa::path(post, path = "/companies/{id}/restore", operation_id = "company_restore", tag = "companies",
    params(("id" = CompanyId, Path)), request_body = EmptyBody, responses((status = 200, body = Company)))]
pub async fn restore(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Company>> {
    row(&ctx, companies::restore(&ctx, id, version).await?).await
}

//! Company portal: settings, logo, members, clients.
use crate::{
    error::Result,
    extract::{CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, body, clearable, sort_order},
    response::{Created, JsonBody, Page, Versioned},
    routes::clients::Client,
    state::AppState,
};
use axum::{
    extract::{Request, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    Actor, Ctx,
    accounts::users::Status,
    directory::companies::{self, Industry, Member, MemberFilter, MemberInput, SettingsInput, Size},
    kernel::{
        ctx::Origin,
        ids::{CompanyId, UserId},
        money::Currency,
        page::PageQuery,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct CompanySettings {
    id: CompanyId,
    name: String,
    /// The business name in the staff's table.
    legal_name: String,
    /// In the format of `country`: an EIN in the United States.
    tax_id: Option<String>,
    /// Alpha-2.
    country: String,
    industry: Option<Industry>,
    size: Option<Size>,
    email: Option<String>,
    phone: Option<String>,
    website: Option<String>,
    address: Option<String>,
    /// IANA time zone name, for times in its portal and in mails to its members.
    time_zone: String,
    /// Language of mails to recipients without a language setting.
    language: String,
    /// Default of new orders; null: the office's.
    currency: Option<Currency>,
    logo: Option<String>,
    version: i64,
}

impl CompanySettings {
    fn of(ctx: &Ctx, row: companies::Company) -> Self {
        Self {
            logo: logo_path(ctx, row.logo_id),
            id: row.id,
            name: row.name,
            legal_name: row.business_name,
            tax_id: row.tax_id,
            country: row.country,
            industry: row.industry,
            size: row.size,
            email: row.email,
            phone: row.phone,
            website: row.website,
            address: row.address,
            time_zone: row.time_zone,
            language: row.language,
            currency: row.currency,
            version: row.version,
        }
    }
}

/// URL path of the logo.
pub fn logo_path(ctx: &Ctx, logo: Option<Uuid>) -> Option<String> {
    logo.map(|id| format!("{}/storage/v1/logos/{id}", ctx.options.base_path()))
}

fn row(ctx: &Ctx, company: companies::Company) -> Versioned<CompanySettings> {
    Versioned { version: company.version, view: CompanySettings::of(ctx, company) }
}

/// The settings of a company, for its admins and super admins.
#[utoipa::path(get, path = "/companies/{id}/settings", operation_id = "company_settings_get", tag = "companies",
    params(("id" = CompanyId, Path)), responses((status = 200, body = CompanySettings)))]
pub async fn settings(SignedIn(ctx): SignedIn, Path(id): Path<CompanyId>) -> Result<Versioned<CompanySettings>> {
    Ok(row(&ctx, companies::portal(&ctx, Some(id)).await?))
}

/// A patch: omitted fields stay unchanged, null clears.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompanySettingsChange {
    name: Option<String>,
    legal_name: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "12-3456789")]
    tax_id: Option<String>,
    country: Option<String>,
    /// `technology`, `finance`, `healthcare` or `manufacturing`.
    #[serde(default, deserialize_with = "clearable")]
    industry: Option<String>,
    /// `1-10`, `11-50`, `51-200` or `201+`.
    #[serde(default, deserialize_with = "clearable")]
    size: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    email: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    phone: Option<String>,
    /// https only.
    #[serde(default, deserialize_with = "clearable")]
    website: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    address: Option<String>,
    time_zone: Option<String>,
    language: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    currency: Option<String>,
}

/// Changes the settings of a company.
#[utoipa::path(patch, path = "/companies/{id}/settings", operation_id = "company_settings_set", tag = "companies",
    params(("id" = CompanyId, Path)), request_body = CompanySettingsChange,
    responses((status = 200, body = CompanySettings)))]
pub async fn set_settings(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    IfMatch(version): IfMatch,
    Json(change): Json<CompanySettingsChange>,
) -> Result<Versioned<CompanySettings>> {
    let input = SettingsInput {
        name: change.name,
        legal_name: change.legal_name,
        tax_id: change.tax_id,
        country: change.country,
        industry: change.industry,
        size: change.size,
        email: change.email,
        phone: change.phone,
        website: change.website,
        address: change.address,
        time_zone: change.time_zone,
        language: change.language,
        currency: change.currency,
    };
    Ok(row(&ctx, companies::set(&ctx, id, version, input).await?))
}

/// Uploads a logo: the image itself, PNG or JPEG, at most 256 kB.
#[utoipa::path(put, path = "/companies/{id}/logo", operation_id = "company_logo_set", tag = "companies",
    params(("id" = CompanyId, Path)), request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 200, body = CompanySettings)))]
pub async fn set_logo(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    State(app): State<AppState>,
    request: Request,
) -> Result<Versioned<CompanySettings>> {
    let bytes = body(request, &app).await?;
    Ok(row(&ctx, companies::set_logo(&ctx, id, bytes.to_vec()).await?))
}

/// Removes the logo.
#[utoipa::path(delete, path = "/companies/{id}/logo", operation_id = "company_logo_remove", tag = "companies",
    params(("id" = CompanyId, Path)), responses((status = 200, body = CompanySettings)))]
pub async fn remove_logo(SignedIn(ctx): SignedIn, Path(id): Path<CompanyId>) -> Result<Versioned<CompanySettings>> {
    Ok(row(&ctx, companies::remove_logo(&ctx, id).await?))
}

/// A company's logo. Public, because mails contain it and image tags cannot send a token. A new logo gets a new URL.
#[utoipa::path(get, path = "/storage/v1/logos/{id}", operation_id = "company_logo_get", tag = "companies",
    params(("id" = Uuid, Path)), security(()),
    responses((status = 200, content_type = "image/png", body = String)))]
pub async fn logo(State(app): State<AppState>, Path(id): Path<Uuid>) -> Result<Response> {
    let logo = companies::logo(&app.ctx(Actor::Anonymous, Origin::default()), id).await?;
    let kind = HeaderValue::from_str(&logo.media_type).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let mut response = ([(header::CONTENT_TYPE, kind)], logo.bytes).into_response();
    for (name, value) in [
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::CONTENT_DISPOSITION, "inline"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// A member of the company portal.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyMember {
    id: UserId,
    first_name: String,
    last_name: String,
    email: String,
    phone: Option<String>,
    status: Status,
    last_sign_in_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    /// Actions allowed to the caller: `invite`, `remove`, `restore`.
    can: Vec<&'static str>,
}

impl CompanyMember {
    fn of(ctx: &Ctx, row: Member) -> Self {
        Self {
            can: companies::can_member(ctx, &row),
            id: row.id,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone: row.phone,
            status: row.status,
            last_sign_in_at: row.last_sign_in_at,
            created_at: row.created_at,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListMembersQuery {
    /// Search by word prefixes in name and email.
    q: Option<String>,
    /// True lists removed members instead.
    #[serde(default)]
    removed: bool,
    /// `-created_at` (default), `first_name` or `last_sign_in_at`; `-` before it means descending.
    order: Option<String>,
    /// True adds the number of all members of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The admins of a company, by default newest first.
#[utoipa::path(get, path = "/companies/{id}/members", operation_id = "company_member_list", tag = "companies",
    params(("id" = CompanyId, Path), ListMembersQuery), responses((status = 200, body = Page<CompanyMember>)))]
pub async fn members(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    Query(query): Query<ListMembersQuery>,
) -> Result<JsonBody<Page<CompanyMember>>> {
    let filter = MemberFilter { q: query.q, removed: query.removed, order: sort_order(query.order.as_deref())? };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = companies::members(&ctx, id, &filter, &page).await?;
    let page = Page::of(found, |member| CompanyMember::of(&ctx, member));
    Ok(JsonBody(page.counted(query.count, companies::total_members(&ctx, id, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCompanyMember {
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
}

/// Invites a company admin: mails a link to set a password.
#[utoipa::path(post, path = "/companies/{id}/members", operation_id = "company_member_create", tag = "companies",
    params(("id" = CompanyId, Path)), request_body = NewCompanyMember, responses((status = 201, body = CompanyMember)))]
pub async fn create_member(
    Path(id): Path<CompanyId>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewCompanyMember>,
) -> Result<Created<CompanyMember>> {
    let NewCompanyMember { first_name, last_name, email, phone } = input;
    let made = companies::invite_member(&ctx, id, MemberInput { first_name, last_name, email, phone }).await?;
    Ok(Created {
        location: format!("/rest/v1/companies/{id}/members"),
        version: 1,
        view: CompanyMember::of(&ctx, made),
    })
}

/// Mails a new link to set a password.
#[utoipa::path(post, path = "/members/{id}/invite", operation_id = "company_member_invite", tag = "companies",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = CompanyMember)))]
pub async fn invite_member(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<JsonBody<CompanyMember>> {
    let found = companies::invite_member_again(&ctx, id).await?;
    Ok(JsonBody(CompanyMember::of(&ctx, found)))
}

/// Removes a member from the company portal, and ends their sessions.
#[utoipa::path(post, path = "/members/{id}/remove", operation_id = "company_member_remove", tag = "companies",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = CompanyMember)))]
pub async fn remove_member(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<JsonBody<CompanyMember>> {
    let found = companies::remove_member(&ctx, id).await?;
    app.auth.token_cache.forget_user(id);
    Ok(JsonBody(CompanyMember::of(&ctx, found)))
}

/// Restores a removed member.
#[utoipa::path(post, path = "/members/{id}/restore", operation_id = "company_member_restore", tag = "companies",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = CompanyMember)))]
pub async fn restore_member(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<JsonBody<CompanyMember>> {
    let found = companies::restore_member(&ctx, id).await?;
    Ok(JsonBody(CompanyMember::of(&ctx, found)))
}

/// A client and the progress of the company's orders for it. A client who has moved to another company has only the
/// fields of these orders; `company_id` is then null.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyClient {
    #[serde(flatten)]
    client: Client,
    /// Whether there is an order, also a cancelled one: the overview counts these among active clients.
    ordered: bool,
    /// Orders that are not cancelled.
    spvs: i64,
    closed: i64,
    /// Completed steps of all of these orders, in whole percent.
    percent: i64,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListCompanyClientsQuery {
    /// Search by word prefixes in name, email and order identifiers; for the company's own clients also phone.
    q: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Clients with an order of the company, and its own clients without one, newest first, with progress.
#[utoipa::path(get, path = "/companies/{id}/clients", operation_id = "company_client_list", tag = "companies",
    params(("id" = CompanyId, Path), ListCompanyClientsQuery), responses((status = 200, body = Page<CompanyClient>)))]
pub async fn clients(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CompanyId>,
    Query(query): Query<ListCompanyClientsQuery>,
) -> Result<JsonBody<Page<CompanyClient>>> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = companies::clients(&ctx, id, query.q.as_deref(), &page).await?;
    Ok(JsonBody(Page::of(found, |row| CompanyClient {
        ordered: row.ordered,
        spvs: row.progress.spvs,
        closed: row.progress.closed,
        percent: row.progress.percent(),
        client: Client::of(&ctx, row.client),
    })))
}

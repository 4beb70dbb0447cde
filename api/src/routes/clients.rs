//! Clients.
use crate::{
    error::Result,
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, clearable, empty_name_as_none,
        empty_string_as_none, id_list, patch_field, sort_order,
    },
    response::{Created, JsonBody, Page, Versioned, full_name},
    routes::spvs::Spv,
    state::AppState,
};
use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    accounts::users::Status,
    desk::people,
    directory::clients::{self, Change, Filter},
    kernel::{
        access::Role,
        ids::{CompanyId, IsoId, RequestId, SpvId, UserId},
        page::PageQuery,
    },
    orders::onboarding::{self, ClientInput, Setup},
    outbox::mails,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct Client {
    id: UserId,
    user_id: UserId,
    role: Role,
    first_name: String,
    last_name: String,
    email: String,
    phone: Option<String>,
    address: Option<String>,
    company_id: Option<CompanyId>,
    company_name: Option<String>,
    iso_id: Option<IsoId>,
    iso_name: Option<String>,
    status: Status,
    /// Their newest order, of any company and partner. Staff only.
    latest_spv_id: Option<SpvId>,
    /// The last email to their address was not delivered. Staff only; set for a single client and in lists.
    email_failure: Option<EmailFailure>,
    created_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `update`, `invite`, `suspend`, `restore`, `archive`, `create_spv`.
    can: Vec<&'static str>,
}

/// An address at which the last email was not delivered.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmailFailure {
    at: DateTime<Utc>,
    /// The mail server's response. Super admins only.
    reason: Option<String>,
}

impl From<mails::EmailFailure> for EmailFailure {
    fn from(failure: mails::EmailFailure) -> Self {
        Self { at: failure.at, reason: failure.reason }
    }
}

impl Client {
    pub fn of(ctx: &Ctx, row: clients::Client) -> Self {
        Self {
            can: clients::can(ctx, &row),
            id: row.id,
            user_id: row.id,
            role: Role::Client,
            iso_name: full_name(row.iso_first_name, row.iso_last_name),
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone: row.phone,
            address: row.address,
            company_id: row.company_id,
            company_name: row.company_name,
            iso_id: row.iso_id,
            status: row.status,
            email_failure: None,
            latest_spv_id: row.latest_spv_id.filter(|_| ctx.actor.is_staff()),
            created_at: row.created_at,
            version: row.version,
        }
    }
}

/// A client in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedClient {
    #[serde(flatten)]
    client: Client,
    /// Only for the partner of the client.
    progress: Option<ClientProgress>,
}

/// Progress of the partner's orders of this client.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientProgress {
    /// Orders that are not cancelled.
    spvs: i64,
    /// Completed steps of all of these orders, in whole percent.
    percent: i64,
}

fn row(ctx: &Ctx, client: clients::Client) -> Versioned<Client> {
    Versioned { version: client.version, view: Client::of(ctx, client) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListClientsQuery {
    /// Search by word prefixes in name, email and phone.
    q: Option<String>,
    /// `pending`, `active`, `suspended` or `archived`; default: all but archived ones.
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<String>)]
    status: Option<Status>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// Only these clients: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `-created_at` (default), `created_at`, `first_name` or `-first_name`.
    order: Option<String>,
    /// True adds the number of all clients of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Clients you may see; default order: newest first.
#[utoipa::path(get, path = "/clients", operation_id = "client_list", tag = "clients", params(ListClientsQuery),
    responses((status = 200, body = Page<ListedClient>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListClientsQuery>,
) -> Result<JsonBody<Page<ListedClient>>> {
    let order = sort_order(query.order.as_deref())?;
    let ListClientsQuery { q, status, company_id, iso_id, ids, count, .. } = query;
    let filter = Filter { q, status, company_id, iso_id, ids, order };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = clients::list(&ctx, &filter, &page).await?;
    let progress = clients::progress(&ctx, &found.items).await?;
    let ids: Vec<UserId> = found.items.iter().map(|client| client.id).collect();
    let mut failures = mails::email_failures(&ctx, &ids).await?;
    let page = Page::of(found, |row| ListedClient {
        progress: progress.as_ref().map(|all| {
            let of = all.get(&row.id).copied().unwrap_or_default();
            ClientProgress { spvs: of.spvs, percent: of.percent() }
        }),
        client: Client { email_failure: failures.remove(&row.id).map(Into::into), ..Client::of(&ctx, row) },
    });
    Ok(JsonBody(page.counted(count, clients::total(&ctx, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewClient {
    /// `quick`: mails a link to set a password. `full`: the profile is active immediately.
    setup: SetUp,
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
    address: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = CompanyId)]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    country: Option<String>,
    currency: Option<String>,
    /// Our fee, as a decimal number.
    #[schema(required, value_type = String, example = "1250.00")]
    price: Option<String>,
    /// Fee of the authority, a line of its own on the invoice.
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    /// Required with an ISO, invalid without.
    #[schema(example = "50.00")]
    commission: Option<String>,
    /// Default: today in your time zone.
    #[schema(example = "2026-11-21")]
    ordered_date: Option<String>,
    /// The application to approve with this.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    request_id: Option<RequestId>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ClientSetup)]
pub enum SetUp {
    Quick,
    Full,
}

impl From<SetUp> for Setup {
    fn from(setup: SetUp) -> Self {
        match setup {
            SetUp::Quick => Self::Quick,
            SetUp::Full => Self::Full,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ClientCreated {
    client: Client,
    spv: Spv,
}

/// Creates a client with its first order.
#[utoipa::path(post, path = "/clients", operation_id = "client_create", tag = "clients", request_body = NewClient,
    responses((status = 201, body = ClientCreated)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewClient>) -> Result<Created<ClientCreated>> {
    let setup = match input.setup {
        SetUp::Quick => Setup::Quick,
        SetUp::Full => Setup::Full,
    };
    let made = onboarding::create_client(&ctx, setup, input.into()).await?;
    Ok(Created {
        location: format!("/rest/v1/clients/{}", made.client.id),
        version: made.client.version,
        view: ClientCreated { spv: Spv::of(&ctx, made.spv), client: Client::of(&ctx, made.client) },
    })
}

impl From<NewClient> for ClientInput {
    fn from(new: NewClient) -> Self {
        Self {
            first_name: new.first_name,
            last_name: new.last_name,
            email: new.email,
            phone: new.phone,
            address: new.address,
            company_id: new.company_id,
            iso_id: new.iso_id,
            price: new.price,
            filing_fee: new.filing_fee,
            commission: new.commission,
            country: new.country,
            currency: new.currency,
            ordered_date: new.ordered_date,
            without_invoice: false,
            request_id: new.request_id,
        }
    }
}

/// One client.
#[utoipa::path(get, path = "/clients/{id}", operation_id = "client_get", tag = "clients",
    params(("id" = UserId, Path)), responses((status = 200, body = Client)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<UserId>) -> Result<Versioned<Client>> {
    let mut found = row(&ctx, clients::get(&ctx, id).await?);
    found.view.email_failure = mails::email_failures(&ctx, &[id]).await?.remove(&id).map(Into::into);
    Ok(found)
}

/// A patch: omitted fields stay unchanged, null clears.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientChange {
    first_name: Option<String>,
    last_name: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    phone: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    address: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// Affects later orders only.
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<IsoId>)]
    iso_id: Option<Option<IsoId>>,
}

/// Changes a client's profile.
#[utoipa::path(patch, path = "/clients/{id}", operation_id = "client_update", tag = "clients",
    params(("id" = UserId, Path)), request_body = ClientChange, responses((status = 200, body = Client)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(version): IfMatch,
    Json(change): Json<ClientChange>,
) -> Result<Versioned<Client>> {
    let change = Change {
        first_name: change.first_name,
        last_name: change.last_name,
        phone: change.phone,
        address: change.address,
        company_id: change.company_id,
        iso_id: change.iso_id,
    };
    Ok(row(&ctx, people::update_client(&ctx, id, version, change).await?))
}

/// Mails a new link to set a password.
#[utoipa::path(post, path = "/clients/{id}/invite", operation_id = "client_invite", tag = "clients",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Client)))]
pub async fn invite(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Client>> {
    Ok(row(&ctx, clients::invite(&ctx, id).await?))
}

/// Suspends a client: sign-in is blocked until restored.
#[utoipa::path(post, path = "/clients/{id}/suspend", operation_id = "client_suspend", tag = "clients",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Client)))]
pub async fn suspend(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Client>> {
    let client = clients::suspend(&ctx, id, version).await?;
    app.auth.token_cache.forget_user(id);
    Ok(row(&ctx, client))
}

/// Restores a suspended or archived client.
#[utoipa::path(post, path = "/clients/{id}/restore", operation_id = "client_restore", tag = "clients",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Client)))]
pub async fn restore(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Client>> {
    Ok(row(&ctx, clients::restore(&ctx, id, version).await?))
}

/// Archives a client and blocks sign-in. The orders stay.
#[utoipa::path(post, path = "/clients/{id}/archive", operation_id = "client_archive", tag = "clients",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Client)))]
pub async fn archive(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Client>> {
    let client = clients::archive(&ctx, id, version).await?;
    app.auth.token_cache.forget_user(id);
    Ok(row(&ctx, client))
}

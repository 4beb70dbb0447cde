//! Dashboards of the portals.
use crate::{
    error::Result,
    extract::{Query, SignedIn, empty_string_as_none},
    response::JsonBody,
    routes::{activity::Activity, clients::Client, me::Named, spvs::Spv},
};
use chrono::{DateTime, Utc};
use domain::{
    accounts::users,
    kernel::{
        access::Role,
        ids::{CompanyId, IsoId, UserId},
        money::Currency,
        page::PageQuery,
    },
    platform::settings::{self, Representative},
    reporting::dashboards::{self, CurrencyTotal},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A sum in one currency: sums are never made across currencies.
#[derive(Debug, Serialize, ToSchema)]
pub struct Amount {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
}

/// The sum in somebody's own currency, for the card, and every sum, for the tooltip.
fn sums_in(own: Currency, found: Vec<CurrencyTotal>) -> (String, Currency, Vec<Amount>) {
    let minor = found.iter().find(|sum| sum.currency == own).map_or(0, |sum| sum.minor);
    let all = found.iter().map(|sum| Amount { currency: sum.currency, amount: sum.currency.format(sum.minor) });
    (own.format(minor), own, all.collect())
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ClientDashboard {
    processing: i64,
    pending: i64,
    completed: i64,
    /// The two newest.
    spvs: Vec<Spv>,
    activity: Vec<Activity>,
    representative: Option<Representative>,
}

/// A client's own orders at a glance.
#[utoipa::path(get, path = "/dashboards/client", operation_id = "dashboard_client", tag = "dashboards",
    responses((status = 200, body = ClientDashboard)))]
pub async fn client(SignedIn(ctx): SignedIn) -> Result<JsonBody<ClientDashboard>> {
    let found = dashboards::client(&ctx).await?;
    Ok(JsonBody(ClientDashboard {
        processing: found.processing,
        pending: found.pending,
        completed: found.completed,
        spvs: found.spvs.into_iter().map(|spv| Spv::of(&ctx, spv)).collect(),
        activity: found.activity.into_iter().map(|row| Activity::of(&ctx, row)).collect(),
        representative: found.representative,
    }))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeDashboard {
    total_clients: i64,
    active_spvs: i64,
    /// Pending steps of open orders.
    pending_reviews: i64,
    /// Prices of active orders; 0 for all but super admins.
    revenue: String,
    currency: Currency,
    revenue_by_currency: Vec<Amount>,
    activity: Vec<Activity>,
}

/// The staff's counters.
#[utoipa::path(get, path = "/dashboards/employee", operation_id = "dashboard_employee", tag = "dashboards",
    responses((status = 200, body = EmployeeDashboard)))]
pub async fn employee(SignedIn(ctx): SignedIn) -> Result<JsonBody<EmployeeDashboard>> {
    let found = dashboards::employee(&ctx).await?;
    let (revenue, currency, revenue_by_currency) = sums_in(found.currency, found.revenue);
    Ok(JsonBody(EmployeeDashboard {
        total_clients: found.total_clients,
        active_spvs: found.active_spvs,
        pending_reviews: found.pending_reviews,
        revenue,
        currency,
        revenue_by_currency,
        activity: found.activity.into_iter().map(|row| Activity::of(&ctx, row)).collect(),
    }))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct IsoDashboard {
    active_clients: i64,
    /// What the ledger says was earned this month.
    monthly_commissions: String,
    currency: Currency,
    commissions_by_currency: Vec<Amount>,
    pending_leads: i64,
    completed_spvs: i64,
    clients: Vec<IsoClient>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct IsoClient {
    client: Client,
    /// How many orders it has.
    spvs: i64,
    latest: Option<Activity>,
}

/// An ISO partner's own clients and commissions.
#[utoipa::path(get, path = "/dashboards/iso", operation_id = "dashboard_iso", tag = "dashboards",
    responses((status = 200, body = IsoDashboard)))]
pub async fn iso(SignedIn(ctx): SignedIn) -> Result<JsonBody<IsoDashboard>> {
    let found = dashboards::iso(&ctx).await?;
    let (monthly_commissions, currency, commissions_by_currency) = sums_in(found.currency, found.monthly_commissions);
    let clients = found.clients.into_iter().map(|row| IsoClient {
        client: Client::of(&ctx, row.client),
        spvs: row.spvs,
        latest: row.latest.map(|row| Activity::of(&ctx, row)),
    });
    Ok(JsonBody(IsoDashboard {
        active_clients: found.active_clients,
        monthly_commissions,
        currency,
        commissions_by_currency,
        pending_leads: found.pending_leads,
        completed_spvs: found.completed_spvs,
        clients: clients.collect(),
    }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompanyDashboardQuery {
    /// The company whose portal it is. A super admin must pick one; a company admin has only the own.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// Orders, up to 500; 50 unless told. 0 for the figures alone.
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyDashboard {
    company: Named,
    total_spvs: i64,
    active_clients: i64,
    total_revenue: String,
    currency: Currency,
    revenue_by_currency: Vec<Amount>,
    iso_partners: i64,
    partners: Vec<Partner>,
    activity: Vec<Activity>,
    /// Orders, to be grouped by `iso_id`.
    items: Vec<Spv>,
    next_cursor: Option<String>,
}

/// A group of 'Clients by ISO Partner'; null is 'Unassigned'.
#[derive(Debug, Serialize, ToSchema)]
pub struct Partner {
    iso_id: Option<IsoId>,
    name: Option<String>,
    spvs: i64,
}

/// A company's portfolio.
#[utoipa::path(get, path = "/dashboards/company", operation_id = "dashboard_company", tag = "dashboards",
    params(CompanyDashboardQuery), responses((status = 200, body = CompanyDashboard)))]
pub async fn company(
    SignedIn(ctx): SignedIn,
    Query(query): Query<CompanyDashboardQuery>,
) -> Result<JsonBody<CompanyDashboard>> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = dashboards::company(&ctx, query.company_id, &page).await?;
    let (total_revenue, currency, revenue_by_currency) = sums_in(found.currency, found.revenue);
    let partners = found.partners.into_iter();
    Ok(JsonBody(CompanyDashboard {
        company: Named { id: found.company.id.0, name: found.company.name },
        total_spvs: found.total_spvs,
        active_clients: found.active_clients,
        total_revenue,
        currency,
        revenue_by_currency,
        iso_partners: found.iso_partners,
        partners: partners.map(|p| Partner { iso_id: p.iso_id, name: p.name, spvs: p.spvs }).collect(),
        activity: found.activity.into_iter().map(|row| Activity::of(&ctx, row)).collect(),
        items: found.spvs.items.into_iter().map(|spv| Spv::of(&ctx, spv)).collect(),
        next_cursor: found.spvs.next_cursor,
    }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageParams {
    /// 1 to 500; 50 unless told.
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AdminDashboard {
    users: i64,
    /// The share of minutes in which a worker was alive.
    uptime_percent: Option<f64>,
    sessions: i64,
    /// What documents take.
    storage_bytes: i64,
    /// Null where the operator has set none.
    storage_quota_bytes: Option<u64>,
    items: Vec<AdminUser>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AdminUser {
    id: UserId,
    first_name: String,
    last_name: String,
    email: String,
    role: Role,
    status: users::Status,
    last_sign_in_at: Option<DateTime<Utc>>,
}

impl From<dashboards::UserRow> for AdminUser {
    fn from(row: dashboards::UserRow) -> Self {
        Self {
            id: row.id,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            role: row.role,
            status: row.status,
            last_sign_in_at: row.last_sign_in_at,
        }
    }
}

/// The super admins' counters, and everybody who may sign in.
#[utoipa::path(get, path = "/dashboards/admin", operation_id = "dashboard_admin", tag = "dashboards",
    params(PageParams), responses((status = 200, body = AdminDashboard)))]
pub async fn admin(SignedIn(ctx): SignedIn, Query(query): Query<PageParams>) -> Result<JsonBody<AdminDashboard>> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = dashboards::admin(&ctx, &page).await?;
    Ok(JsonBody(AdminDashboard {
        users: found.users,
        uptime_percent: found.uptime_percent,
        sessions: found.sessions,
        storage_bytes: found.storage_bytes,
        storage_quota_bytes: settings::get(&ctx).await?.storage_quota(&ctx.options),
        items: found.people.items.into_iter().map(AdminUser::from).collect(),
        next_cursor: found.people.next_cursor,
    }))
}

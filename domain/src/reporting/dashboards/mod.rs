//! Dashboards of the portals: counters and the main table. Amounts are summed per currency (decision 13).
mod store;

pub use crate::kernel::money::CurrencyTotal;
pub use store::UserRow;

use crate::{
    accounts::auth::sessions,
    directory::{
        clients::{self, Client},
        companies::{self, Company},
        leads,
    },
    kernel::{
        access::{Action, Portal, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        ids::{CompanyId, IsoId, UserId},
        money::{self, Currency},
        page::{Page, PageQuery},
    },
    orders::spvs::{self, Spv},
    platform::{
        activity::{self, Activity},
        rollups::{self, Counter, Metric},
        settings::{self, Representative},
    },
};
use chrono::{DateTime, Utc};

/// Dashboard of a client.
#[derive(Clone, Debug)]
pub struct ClientDashboard {
    /// Open orders that are not pending: the three counters add up to all that are not cancelled (decision 9).
    pub processing: i64,
    pub pending: i64,
    pub completed: i64,
    /// The two newest orders.
    pub spvs: Vec<Spv>,
    pub activity: Vec<Activity>,
    pub representative: Option<Representative>,
}

/// Dashboard of the client who asks.
///
/// # Errors
/// Forbidden for other roles.
#[tracing::instrument(level = "debug", name = "dashboards.client", skip_all)]
pub async fn client(ctx: &Ctx) -> Result<ClientDashboard> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Client))?;
    let id = ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))?;
    let counted = store::client_orders(&mut ctx.db(), id).await?;
    let count = |wanted: &[spvs::Status]| {
        counted.iter().filter(|(status, _)| wanted.contains(status)).map(|(_, n)| n).sum::<i64>()
    };
    let newest = PageQuery { limit: Some(2), cursor: None };
    Ok(ClientDashboard {
        processing: count(&[spvs::Status::Processing, spvs::Status::Active, spvs::Status::OnHold]),
        pending: count(&[spvs::Status::Pending]),
        completed: count(&[spvs::Status::Closed]),
        spvs: spvs::list(ctx, &spvs::Filter::default(), &newest).await?.items,
        activity: recent_activity(ctx, 5).await?,
        representative: settings::get(ctx).await?.representative,
    })
}

/// Dashboard of the staff.
#[derive(Clone, Debug)]
pub struct EmployeeDashboard {
    pub total_clients: i64,
    pub active_spvs: i64,
    pub pending_reviews: i64,
    /// Prices of active orders by currency. Only super admins see it (decision 14).
    pub revenue: Vec<CurrencyTotal>,
    /// Currency of the headline, see [`money::headline`].
    pub currency: Currency,
    pub activity: Vec<Activity>,
}

/// Dashboard of the staff.
///
/// # Errors
/// Forbidden for other roles.
#[tracing::instrument(level = "debug", name = "dashboards.employee", skip_all)]
pub async fn employee(ctx: &Ctx) -> Result<EmployeeDashboard> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let office = store::staff_overview(&mut ctx.db(), 8).await?;
    let value = |count: Counter| office.counts.iter().find(|(name, _)| *name == count.name()).map_or(0, |(_, n)| *n);
    let mut revenue = Vec::new();
    if ctx.can(Action::View, Resource::Revenue) {
        for currency in Currency::ALL {
            match value(Counter::Revenue(currency)) {
                0 => {}
                minor => revenue.push(CurrencyTotal { currency, minor }),
            }
        }
    }
    let currency = money::headline(&revenue, office.currency.unwrap_or(ctx.options.default_currency));
    Ok(EmployeeDashboard {
        total_clients: value(Counter::Clients),
        active_spvs: value(Counter::ActiveSpvs),
        pending_reviews: value(Counter::PendingReviews),
        revenue,
        currency,
        activity: office.activity.into_iter().map(|row| activity::redact(&ctx.actor, row)).collect(),
    })
}

/// Dashboard of an ISO partner.
#[derive(Clone, Debug)]
pub struct IsoDashboard {
    /// Active and pending clients.
    pub active_clients: i64,
    /// Commissions earned this month.
    pub monthly_commissions: Vec<CurrencyTotal>,
    /// Currency of the headline, see [`money::headline`].
    pub currency: Currency,
    pub pending_leads: i64,
    pub completed_spvs: i64,
    pub clients: Vec<IsoClient>,
}

/// A client of the partner with its number of orders and newest activity.
#[derive(Clone, Debug)]
pub struct IsoClient {
    pub client: Client,
    pub spvs: i64,
    pub latest: Option<Activity>,
}

/// Clients under "Recent Client Activities" (specification, section 9).
const RECENT_CLIENTS: u32 = 3;

/// Dashboard of the ISO partner who asks.
///
/// # Errors
/// Forbidden for other roles.
#[tracing::instrument(level = "debug", name = "dashboards.iso", skip_all)]
pub async fn iso(ctx: &Ctx) -> Result<IsoDashboard> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Iso))?;
    let crate::kernel::access::Scope::Iso(id) = ctx.scope()? else { return Err(Error::forbidden("forbidden")) };
    let home = companies::defaults(ctx, ctx.actor.company_id()).await?;
    let mut db = ctx.db();
    let counts = store::iso(&mut db, id, home.today.format("%Y-%m").to_string()).await?;
    let newest = PageQuery { limit: Some(RECENT_CLIENTS), cursor: None };
    let shown = clients::list(ctx, &clients::Filter::default(), &newest).await?.items;
    let ids: Vec<UserId> = shown.iter().map(|client| client.id).collect();
    let orders = store::iso_orders(&mut db, id, &ids).await?;
    let pending_leads = leads::count_pending(&mut db, id).await?;
    let mut clients = Vec::new();
    for client in shown {
        let of = activity::Filter { client_id: Some(client.id), ..activity::Filter::default() };
        let latest = activity::list(ctx, &of, &PageQuery { limit: Some(1), cursor: None }).await?.items.pop();
        let spvs = orders.iter().find(|(id, _)| *id == client.id).map_or(0, |(_, n)| *n);
        clients.push(IsoClient { client, spvs, latest });
    }
    let count = |wanted: Metric| counts.iter().filter(|row| row.what == wanted).map(|row| row.n).sum();
    let earned = counts.iter().filter(|row| row.what == Metric::Commission);
    let monthly_commissions: Vec<CurrencyTotal> =
        earned.filter_map(|row| Some(CurrencyTotal { currency: row.currency?, minor: row.minor })).collect();
    Ok(IsoDashboard {
        active_clients: count(Metric::Clients),
        currency: money::headline(&monthly_commissions, home.currency),
        monthly_commissions,
        pending_leads,
        completed_spvs: count(Metric::Closed),
        clients,
    })
}

/// Dashboard of a company.
#[derive(Clone, Debug)]
pub struct CompanyDashboard {
    pub company: Company,
    /// Orders that are not cancelled.
    pub total_spvs: i64,
    /// Number of clients with such an order.
    pub active_clients: i64,
    /// Purchase amounts, else prices, of orders that are not cancelled.
    pub revenue: Vec<CurrencyTotal>,
    /// Currency of the headline, see [`money::headline`].
    pub currency: Currency,
    pub iso_partners: i64,
    pub partners: Vec<Partner>,
    /// Newest activity visible to the company.
    pub activity: Vec<Activity>,
    pub spvs: Page<Spv>,
}

/// A group of "Clients by ISO Partner"; without id it is "Unassigned".
#[derive(Clone, Debug, PartialEq)]
pub struct Partner {
    pub iso_id: Option<IsoId>,
    pub name: Option<String>,
    pub spvs: i64,
}

/// Dashboard of a company: for its admins, and for a company that a super admin picks (decision 25). With a page limit
/// of 0 it has figures only, as the tables load when they are opened.
///
/// # Errors
/// As [`crate::directory::companies::portal`] says.
#[tracing::instrument(level = "debug", name = "dashboards.company", skip_all)]
pub async fn company(ctx: &Ctx, picked: Option<CompanyId>, page: &PageQuery) -> Result<CompanyDashboard> {
    let id = ctx.actor.company(picked)?;
    let spvs = match page.limit {
        Some(0) => Page { items: Vec::new(), next_cursor: None },
        _ => {
            let filter = spvs::Filter { company_id: Some(id), ..spvs::Filter::default() };
            spvs::list(ctx, &filter, page).await?
        }
    };
    let store::CompanyOverview {
        mut company,
        currency,
        clients: active_clients,
        partners: iso_partners,
        groups,
        activity,
    } = store::company(&mut ctx.db(), id, 8).await?;
    let company = company.pop().ok_or(Error::NotFound("company"))?;
    let mut revenue: Vec<CurrencyTotal> = Vec::new();
    let mut partners: Vec<Partner> = Vec::new();
    for group in &groups {
        match revenue.iter_mut().find(|sum| sum.currency == group.currency) {
            Some(sum) => sum.minor += group.minor,
            None => revenue.push(CurrencyTotal { currency: group.currency, minor: group.minor }),
        }
        let iso_id = Some(group.iso_id).filter(|id| *id != rollups::NO_PARTNER);
        match partners.iter_mut().find(|partner| partner.iso_id == iso_id) {
            Some(partner) => partner.spvs += group.spvs,
            None => partners.push(Partner { iso_id, name: group.name(), spvs: group.spvs }),
        }
    }
    revenue.sort_by_key(|sum| sum.currency);
    // By name, "Unassigned" last.
    partners.sort_by(|a, b| (a.name.is_none(), &a.name).cmp(&(b.name.is_none(), &b.name)));
    Ok(CompanyDashboard {
        currency: money::headline(&revenue, company.currency.or(currency).unwrap_or(ctx.options.default_currency)),
        company,
        total_spvs: groups.iter().map(|group| group.spvs - group.cancelled).sum(),
        active_clients,
        revenue,
        iso_partners,
        partners,
        activity: activity.into_iter().map(|row| activity::redact(&ctx.actor, row)).collect(),
        spvs,
    })
}

/// Dashboard of the super admins.
#[derive(Clone, Debug)]
pub struct AdminDashboard {
    pub users: i64,
    /// Share of the minutes of the last 30 days, or since the first start, in which a server ran.
    pub uptime_percent: Option<f64>,
    pub sessions: i64,
    pub storage_bytes: i64,
    pub people: Page<UserRow>,
}

/// Dashboard of the super admins.
///
/// # Errors
/// Forbidden for other roles.
#[tracing::instrument(level = "debug", name = "dashboards.admin", skip_all)]
pub async fn admin(ctx: &Ctx, page: &PageQuery) -> Result<AdminDashboard> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Admin))?;
    let limit = page.limit()?;
    let mut db = ctx.db();
    let users = store::users(&mut db, page.after::<(DateTime<Utc>, UserId)>()?, limit + 1).await?;
    let counted = rollups::all(&mut db).await?;
    Ok(AdminDashboard {
        users: counted.get(&Counter::Users.name()).copied().unwrap_or(0),
        uptime_percent: uptime(ctx).await?,
        sessions: sessions::count_live(ctx).await?,
        storage_bytes: counted.get(&Counter::StorageBytes.name()).copied().unwrap_or(0),
        people: Page::from_rows(users, limit, |person| (person.created_at, person.id)),
    })
}

const UPTIME_WINDOW_MINUTES: i64 = 30 * 24 * 60;

async fn uptime(ctx: &Ctx) -> Result<Option<f64>> {
    let minute = ctx.now().timestamp() / 60;
    let (first, alive) = store::heartbeats(&mut ctx.db(), minute - UPTIME_WINDOW_MINUTES, minute).await?;
    Ok(first.map(|first| {
        // The current minute may have no heartbeat yet and is not counted.
        let minutes = (minute - first).clamp(0, UPTIME_WINDOW_MINUTES - 1);
        if minutes == 0 {
            return 100.0;
        }
        (1000.0 * alive as f64 / minutes as f64).min(1000.0).floor() / 10.0
    }))
}

/// Records a heartbeat for this minute. Idempotent across servers.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "dashboards.heartbeat", skip_all)]
pub async fn heartbeat(ctx: &Ctx) -> Result<()> {
    let minute = ctx.now().timestamp() / 60;
    ctx.transaction(|tx| store::insert_heartbeat(tx, minute, minute - UPTIME_WINDOW_MINUTES).scope_boxed()).await
}

async fn recent_activity(ctx: &Ctx, limit: u32) -> Result<Vec<Activity>> {
    let page = PageQuery { limit: Some(limit), cursor: None };
    let filter = activity::Filter { work_only: true, ..activity::Filter::default() };
    Ok(activity::list(ctx, &filter, &page).await?.items)
}

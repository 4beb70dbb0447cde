//! Past orders of the demo office: two years of closed and cancelled orders, of companies and partners beside those of
//! the demo sign-ins. The newest rows of every list stay those of the demo accounts.
use super::{
    addresses,
    demo::{OrderTimeline, days_ago, demo_employee, replay},
    ensure_account, ensure_company, ensure_iso, vehicle_name,
};
use crate::{
    accounts::users::{self, NewUser},
    directory::isos,
    kernel::{
        access::{Actor, Role},
        clock::RandomSource,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::{CommissionId, CompanyId, IsoId, SpvId, UserId},
        page::{MAX_LIMIT, PageQuery},
    },
    orders::{
        commissions::{self, Filter},
        onboarding,
        spvs::{Country, Status},
    },
    platform::settings,
};
use chrono::{Duration, NaiveDate};

type Name = (&'static str, &'static str);

/// Companies, each with the names of an admin and two partners.
const COMPANIES: [(&str, &str, [Name; 3]); 3] = [
    (
        "Cedar Quay Partners",
        "Cedar Quay Partners LLP",
        [("Alice", "Fontaine"), ("Stefan", "Maric"), ("Joy", "Adeyemi")],
    ),
    ("Pacific Gate Ventures", "Pacific Gate Ventures Inc.", [("Henry", "Cho"), ("Naomi", "Sato"), ("Ravi", "Menon")]),
    ("Silverline Estates", "Silverline Estates Ltd", [("Eve", "Larsson"), ("Bilal", "Aziz"), ("Carla", "Conti")]),
];

const FIRST: [&str; 20] = [
    "Adrian", "Bianca", "Caspar", "Dalia", "Emil", "Farah", "Gustav", "Hiroko", "Ivan", "Jasmin", "Karim", "Laura",
    "Malee", "Niklas", "Olivia", "Paulo", "Qiang", "Rosa", "Somchai", "Thandi",
];
const LAST: [&str; 19] = [
    "Abbott", "Barros", "Cohen", "Dlamini", "Eriksson", "Fischer", "Greco", "Hussain", "Ito", "Jensen", "Kowalski",
    "Lopez", "Mahfouz", "Nguyen", "Okada", "Park", "Quinn", "Rossi", "Suwan",
];

const ORDER_COUNT: usize = 240;
/// Number of steps of each country's template.
const STEP_COUNT: usize = 8;
/// The youngest is older than the orders that the demo accounts see first, and closed.
const MIN_AGE_DAYS: i64 = 52;
/// About ten orders a month.
const SPACING_DAYS: i64 = 3;
/// Age in days of the payout of all commissions earned until then.
const PAYOUT_AGE_DAYS: i64 = 45;

/// Companies with the partners that their orders are assigned to in turn; None is no partner.
type Parties = Vec<(CompanyId, Vec<Option<IsoId>>)>;

/// Inserts the past orders. Returns the invoiced ones with their age in days. `others` are existing companies, each with
/// the name of one of its partners.
pub(super) async fn insert(
    ctx: &Ctx,
    random: &RandomSource,
    others: &[(CompanyId, &str, &str)],
) -> Result<Vec<(i64, SpvId)>> {
    let first = MIN_AGE_DAYS + SPACING_DAYS * ORDER_COUNT as i64;
    let parties = parties(ctx, &days_ago(ctx, first + 10), others).await?;
    let staff = demo_employee(ctx).await?;
    let mut invoiced = Vec::new();
    let mut clients: Vec<UserId> = Vec::new();
    for n in 0..ORDER_COUNT {
        // Two orders for each client, the second one long after the first.
        let who = n % (ORDER_COUNT / 2);
        let (company, partners) = &parties[who % parties.len()];
        let partner = partners[who / parties.len() % partners.len()];
        let age = first - SPACING_DAYS * n as i64 - random.below(3) as i64;
        let day = days_ago(ctx, age).acting_as(staff.clone());
        let amount_minor = 20_000_000 + 125_000 * random.below(2_200) as i64;
        let country = Country::ALL[random.below(5) as usize];
        let ordered_date = settings::office_today(&day).await?;
        let days = 18 + random.below(30) as i64;
        let (end, done) = if n % 9 == 4 { (Status::Cancelled, n % 4) } else { (Status::Closed, STEP_COUNT) };
        let timeline = OrderTimeline { age, days, end, done, trouble: false };
        let (known, day, staff) = (clients.get(who).copied(), &day, &staff);
        let created = ctx.transaction(|tx| {
            async move {
                let client_id = match known {
                    Some(id) => id,
                    None => insert_client(tx, day, who, country, *company, partner).await?,
                };
                let order = new_order(ctx, (client_id, *company, partner), country, amount_minor, ordered_date);
                let vehicle_name = Some(vehicle_name(LAST[who % LAST.len()], n));
                let new = onboarding::NewOrder { vehicle_name, ..order };
                let id = onboarding::insert_order(tx, day, new).await?;
                replay(tx, ctx, staff, random, id, timeline).await?;
                Ok((client_id, id))
            }
            .scope_boxed()
        });
        let (client, id) = created.await?;
        if known.is_none() {
            clients.push(client);
        }
        if n.is_multiple_of(3) && end == Status::Closed {
            invoiced.push((age, id));
        }
    }
    // One suspended account.
    users::suspend(ctx, clients[0], None).await?;
    pay_commissions(ctx, &staff, parties).await?;
    Ok(invoiced)
}

/// Creates the companies with an admin and two partners each, and adds `others`.
async fn parties(ctx: &Ctx, start: &Ctx, others: &[(CompanyId, &str, &str)]) -> Result<Parties> {
    let mut parties = Parties::new();
    for (name, business, [admin, partner, second]) in COMPANIES {
        let id = ensure_company(start, name, business).await?;
        ensure_account(start, Role::CompanyAdmin, admin.0, admin.1, &email_of(admin), Some(id)).await?;
        let mut partners = vec![None];
        for name in [partner, second] {
            partners.push(Some(ensure_iso(start, id, name.0, name.1, &email_of(name)).await?));
        }
        parties.push((id, partners));
    }
    for (id, first, last) in others {
        let partner = isos::find(ctx, &email_of((first, last))).await.ok().map(|iso| iso.id);
        parties.push((*id, vec![None, partner]));
    }
    Ok(parties)
}

fn new_order(
    ctx: &Ctx,
    (client_id, company_id, iso_id): (UserId, CompanyId, Option<IsoId>),
    country: Country,
    amount_minor: i64,
    ordered_date: NaiveDate,
) -> onboarding::NewOrder {
    onboarding::NewOrder {
        iso_id,
        country,
        price_minor: Some(amount_minor / 50),
        purchase_amount_minor: Some(amount_minor),
        iso_commission_percentage: iso_id.map(|_| 10_000),
        status: Status::Active,
        invoiced: false,
        ..onboarding::NewOrder::new(client_id, company_id, ctx.options.default_currency, ordered_date)
    }
}

async fn insert_client(
    tx: &mut Tx,
    day: &Ctx,
    nth: usize,
    country: Country,
    company: CompanyId,
    partner: Option<IsoId>,
) -> Result<UserId> {
    let name = (FIRST[nth % FIRST.len()], LAST[nth % LAST.len()]);
    let new = NewUser {
        status: users::Status::Active,
        phone: Some(addresses::phone(country, 700 + nth)),
        company_id: Some(company),
        iso_id: partner,
        ..NewUser::new(Role::Client, name.0.to_owned(), name.1.to_owned(), email_of(name))
    };
    let client = users::insert(tx, day, new).await?.id;
    addresses::set_address(tx, client, country, 700 + nth).await?;
    Ok(client)
}

/// Approves and pays the commissions of the partners.
async fn pay_commissions(ctx: &Ctx, staff: &Actor, parties: Parties) -> Result<()> {
    let day = days_ago(ctx, PAYOUT_AGE_DAYS).acting_as(staff.clone());
    let all = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let to = Some(settings::office_today(&day).await? - Duration::days(30));
    let mut ids: Vec<CommissionId> = Vec::new();
    for iso in parties.into_iter().flat_map(|(_, partners)| partners).flatten() {
        let until = Filter { iso_id: Some(iso), to, ..Filter::default() };
        ids.extend(commissions::list(ctx, &until, &all).await?.items.iter().map(|row| row.id));
    }
    if ids.is_empty() {
        return Ok(());
    }
    for some in ids.chunks(commissions::MAX_BULK) {
        commissions::approve(&day, some).await?;
    }
    let run = commissions::open(&day).await?;
    commissions::pay(&day, run.run.id, None, None).await.map(drop)
}

fn email_of((first, last): (&str, &str)) -> String {
    format!("{}.{}@example.com", first.to_lowercase().replace(' ', ""), last.to_lowercase())
}

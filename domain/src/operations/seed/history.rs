//! The office's older business: two years of orders that are done with, of companies and partners beside those of the
//! demo sign-ins. What is new in every list stays the demo's own.
use super::{
    account, company,
    demo::{Life, elias, lived},
    homes, iso,
};
use crate::{
    accounts::users::{self, NewUser},
    directory::isos,
    kernel::{
        access::{Actor, Role},
        clock::{Chance, Clock},
        ctx::Ctx,
        db::ScopedFutureExt,
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
use chrono::Duration;

type Name = (&'static str, &'static str);

/// Companies with an admin and two partners each.
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

const ORDERS: usize = 160;
/// Of each country's template.
const STEPS: usize = 8;
/// Days: the youngest is older than anything that the demo's own people look at first.
const YOUNGEST: i64 = 130;
const APART: i64 = 4;
/// When the partners were paid what they had earned until then.
const PAID: i64 = 45;

/// Makes the orders: how many days ago each that is invoiced was made, and the order. `others` are companies that are
/// there, with one of their partners.
pub(super) async fn orders(
    ctx: &Ctx,
    chance: &Chance,
    others: &[(CompanyId, &str, &str)],
) -> Result<Vec<(i64, SpvId)>> {
    let first = YOUNGEST + APART * ORDERS as i64;
    let start = ago(ctx, first + 10);
    let mut parties: Vec<(CompanyId, Vec<Option<IsoId>>)> = Vec::new();
    for (name, business, [admin, partner, second]) in COMPANIES {
        let id = company(&start, name, business).await?;
        account(&start, Role::CompanyAdmin, admin.0, admin.1, &address(admin), Some(id)).await?;
        let mut partners = vec![None];
        for one in [partner, second] {
            partners.push(Some(iso(&start, id, one.0, one.1, &address(one)).await?));
        }
        parties.push((id, partners));
    }
    for (id, first, last) in others {
        let partner = isos::find(ctx, &address((first, last))).await.ok().map(|iso| iso.id);
        parties.push((*id, vec![None, partner]));
    }
    let staff = elias(ctx).await?;
    let mut invoiced = Vec::new();
    let mut clients: Vec<UserId> = Vec::new();
    for n in 0..ORDERS {
        // Two orders for each client: one soon, and one long after the first.
        let who = n % (ORDERS / 2);
        let (company, partners) = &parties[who % parties.len()];
        let partner = partners[who / parties.len() % partners.len()];
        let age = first - APART * n as i64 - chance.below(3) as i64;
        let day = ago(ctx, age).acting_as(staff.clone());
        let amount_minor = (20 + 5 * chance.below(60) as i64) * 1_000_000;
        let country = Country::ALL[chance.below(5) as usize];
        let ordered_date = settings::office_today(&day).await?;
        let days = 18 + chance.below(30) as i64;
        let (end, done) = if n % 9 == 4 { (Status::Cancelled, n % 4) } else { (Status::Closed, STEPS) };
        let life = Life { age, days, end, done };
        let (known, day, staff) = (clients.get(who).copied(), &day, &staff);
        let made = ctx.transaction(|tx| {
            async move {
                let client_id = match known {
                    Some(id) => id,
                    None => {
                        let name = (FIRST[who % FIRST.len()], LAST[who % LAST.len()]);
                        let new = NewUser {
                            role: Role::Client,
                            status: users::Status::Active,
                            first_name: name.0.to_owned(),
                            last_name: name.1.to_owned(),
                            email: address(name),
                            phone: Some(homes::phone(country, 700 + who)),
                            address: None,
                            company_id: Some(*company),
                            iso_id: partner,
                            password_hash: None,
                            must_change_password: false,
                            language: "en-US".to_owned(),
                        };
                        let client = users::insert(tx, day, new).await?.id;
                        homes::settle(tx, client, country, 700 + who).await?;
                        client
                    }
                };
                let new = onboarding::NewOrder {
                    iso_id: partner,
                    country,
                    price_minor: Some(amount_minor / 50),
                    purchase_amount_minor: Some(amount_minor),
                    iso_commission_percentage: partner.map(|_| 10_000),
                    status: Status::Active,
                    invoiced: false,
                    ..onboarding::NewOrder::new(client_id, *company, ctx.options.default_currency, ordered_date)
                };
                let id = onboarding::insert_order(tx, day, new).await?;
                lived(tx, ctx, staff, chance, id, life).await?;
                Ok((client_id, id))
            }
            .scope_boxed()
        });
        let (client, id) = made.await?;
        if known.is_none() {
            clients.push(client);
        }
        if n % 3 == 0 && end == Status::Closed {
            invoiced.push((age, id));
        }
    }
    // Somebody who may not come in any more.
    users::suspend(ctx, clients[0], None).await?;
    let partners = parties.into_iter().flat_map(|(_, partners)| partners).flatten().collect();
    paid(ctx, &staff, partners).await?;
    Ok(invoiced)
}

/// Pays the partners of these companies what they earned.
async fn paid(ctx: &Ctx, staff: &Actor, partners: Vec<IsoId>) -> Result<()> {
    let day = ago(ctx, PAID).acting_as(staff.clone());
    let all = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let to = Some(settings::office_today(&day).await? - Duration::days(30));
    let mut ids: Vec<CommissionId> = Vec::new();
    for iso in partners {
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

fn ago(ctx: &Ctx, days: i64) -> Ctx {
    Ctx { clock: Clock::fixed(ctx.now() - Duration::days(days)), ..ctx.clone() }
}

fn address((first, last): (&str, &str)) -> String {
    format!("{}.{}@example.com", first.to_lowercase().replace(' ', ""), last.to_lowercase())
}

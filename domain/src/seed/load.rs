//! Load for benchmarks: many orders with their clients, companies, ISOs and steps, in big transactions.
use super::{company, iso, store};
use crate::{
    access::{Action, Resource, Role},
    activity,
    auth::passwords::{self, PasswordHash},
    counts,
    ctx::Ctx,
    db::Tx,
    error::Result,
    ids::{CompanyId, IsoId, UserId},
    isos,
    spvs::{self, Country, Status},
    users::{self, NewUser},
};
use chrono::Days;

/// Every country's template has so many steps.
const STEPS: i64 = 8;
/// Orders in one transaction: long enough to be quick, short enough to be stopped between two.
const BATCH: u64 = 250;

/// How many there shall be.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub orders: u64,
    /// One for every four hundred orders unless told.
    pub companies: Option<u64>,
    /// In each company: one for every hundred of its orders, up to four, unless told.
    pub isos: Option<u64>,
}

impl From<u64> for Load {
    fn from(orders: u64) -> Self {
        Self { orders, companies: None, isos: None }
    }
}

/// Makes orders, a client for every four, ISOs and companies; clients and ISOs sign in with the demo password. `told` hears how many there are, and stops the work by answering false.
/// Repeatable: a second call makes as many more.
///
/// # Errors
/// Forbidden for all but the operator and super admins; what the database refuses.
pub async fn load(ctx: &Ctx, load: impl Into<Load>, mut told: impl FnMut(u64) -> bool) -> Result<u64> {
    ctx.may(Action::Create, Resource::Users)?;
    let Load { orders, companies, isos } = load.into();
    let ctx = &ctx.silently();
    let run = u32::from_be_bytes(ctx.chance.bytes());
    let hash = passwords::hash(ctx, ctx.options.demo_password.clone()).await?;
    let companies = companies.unwrap_or(orders / 400).max(1);
    let mut parties: Vec<(CompanyId, Vec<IsoId>)> = Vec::new();
    for n in 0..companies {
        let id = company(ctx, &format!("Load Company {run:08x}-{n:03}"), "Load Company LLC").await?;
        let mut partners = Vec::new();
        for k in 0..isos.unwrap_or(4.min(orders / 100 / companies)).max(1) {
            let email = format!("iso.{run:08x}.{n}.{k}@load.example");
            let partner = iso(ctx, id, &format!("Partner {k}"), &format!("Load {n:03}"), &email).await?;
            let user = isos::get(ctx, partner).await?.user_id;
            let mut tx = ctx.begin().await?;
            store::open_account(&mut tx, user, hash.clone()).await?;
            tx.commit().await?;
            partners.push(partner);
        }
        parties.push((id, partners));
    }
    let mut made = 0;
    let mut client: Option<(UserId, usize)> = None;
    while made < orders {
        let mut tx = ctx.begin().await?;
        for n in made..orders.min(made + BATCH) {
            let of = (n / 4 % companies) as usize;
            let (company, partners) = &parties[of];
            // Every fifth client came without a partner.
            let iso = (n / 4 % 5 != 4).then(|| partners[(n / 20) as usize % partners.len()]);
            let owner = match client {
                Some((id, _)) if n % 4 != 0 => id,
                _ => account(&mut tx, ctx, run, n / 4, *company, iso, &hash).await?,
            };
            client = Some((owner, of));
            order(&mut tx, ctx, n, owner, *company, iso).await?;
        }
        made = orders.min(made + BATCH);
        // The rows were moved past the state machine, so the counters are counted once.
        if made == orders {
            counts::repair(&mut tx).await?;
        }
        tx.commit().await?;
        if !told(made) {
            let mut tx = ctx.begin().await?;
            counts::repair(&mut tx).await?;
            tx.commit().await?;
            break;
        }
    }
    // Rows of the log are read by their numbers, so they are looked at when they have theirs.
    activity::number_all(ctx).await?;
    let mut tx = ctx.begin().await?;
    tx.analyze().await?;
    tx.commit().await?;
    Ok(made)
}

async fn account(
    tx: &mut Tx,
    ctx: &Ctx,
    run: u32,
    n: u64,
    company: CompanyId,
    iso: Option<IsoId>,
    hash: &PasswordHash,
) -> Result<UserId> {
    let new = NewUser {
        role: Role::Client,
        status: users::Status::Active,
        first_name: format!("Client {n:05}"),
        last_name: format!("Load {run:08x}"),
        email: format!("client.{run:08x}.{n}@load.example"),
        phone: None,
        address: None,
        company_id: Some(company),
        iso_id: iso,
        password_hash: Some(hash.clone()),
        must_change_password: false,
        language: "en-US".to_owned(),
    };
    Ok(users::insert(tx, ctx, new).await?.id)
}

/// One order somewhere on its way, spread over the last two years.
async fn order(tx: &mut Tx, ctx: &Ctx, n: u64, client: UserId, company: CompanyId, iso: Option<IsoId>) -> Result<()> {
    let today = ctx.today();
    let new = spvs::New {
        client_id: client,
        company_id: company,
        iso_id: iso,
        custom_identifier: None,
        country: Country::ALL[(n % 5) as usize],
        currency: ctx.options.default_currency,
        price_minor: Some(150_000 + (n % 40) as i64 * 2_500),
        commission_minor: iso.map(|_| 15_000),
        purchase_amount_minor: n.is_multiple_of(2).then_some(25_000_000 + (n % 97) as i64 * 1_000_000),
        iso_commission_percentage: None,
        status: Status::Active,
        ordered_date: today.checked_sub_days(Days::new(n * 7 % 730)).unwrap_or(today),
        invoiced: false,
    };
    let id = spvs::make(tx, ctx, new).await?;
    let done = (n * 5) as i64 % (STEPS + 1);
    if done > 0 {
        store::advance(tx, id, done, STEPS, ctx.now()).await?;
    }
    if done == STEPS && iso.is_some() { store::earn(tx, id, ctx.chance.uuid()).await } else { Ok(()) }
}

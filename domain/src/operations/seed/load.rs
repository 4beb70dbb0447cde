//! Load for benchmarks: many orders with their clients, companies, ISOs and steps, by bulk inserts in big transactions,
//! past the use cases and without the documents that an office's own templates ask for.
use super::{
    company, iso,
    store::{self, LoadClient, LoadOrder, LoadStep, Stamp},
};
use crate::{
    accounts::auth::passwords,
    directory::isos,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::{CompanyId, IsoId, SpvId, StepId, UserId},
        search::{self, Entry},
    },
    orders::{
        spvs::{self, Country, Status},
        steps,
        templates::{self, TemplateStep},
    },
    platform::{
        activity::{self, Event},
        rollups, settings,
    },
};
use chrono::{Days, NaiveDate};

/// Orders in one transaction: each page of an index is written once for all of them. Short enough to be stopped between
/// two.
const BATCH: u64 = 20_000;
/// Of each client; a batch begins with a client's first.
const ORDERS_OF_CLIENT: u64 = 4;

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
    let ctx = &ctx.silently().background();
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
            let hash = &hash;
            ctx.transaction(|tx| store::open_account(tx, user, hash.clone()).scope_boxed()).await?;
            partners.push(partner);
        }
        parties.push((id, partners));
    }
    let read = ctx.transaction(|tx| {
        async move {
            let mut templates = Vec::new();
            for country in Country::ALL {
                templates.push(templates::steps_for(tx, country).await?);
            }
            Ok((templates, settings::within(tx).await?.time_zone().to_owned()))
        }
        .scope_boxed()
    });
    let (templates, time_zone) = read.await?;
    let currency = ctx.options.default_currency;
    let stamp = &Stamp { at: ctx.now(), by: ctx.who(), currency, time_zone, password_hash: hash };
    ctx.db.set_bulk_cache(true).await?;
    let today = settings::office_today(ctx).await?;
    let mut made = 0;
    while made < orders {
        let to = orders.min(made + BATCH);
        let batch = &Batch::new(ctx, run, today, (made, to), &parties, &templates);
        let last = to == orders;
        ctx.transaction(|tx| {
            async move {
                batch.write(tx, ctx, stamp).await?;
                // The rows were put past the use cases, so the counters are counted once.
                if last {
                    rollups::rebuild(tx).await?;
                }
                Ok(())
            }
            .scope_boxed()
        })
        .await?;
        made = to;
        if !told(made) {
            if !last {
                ctx.transaction(|tx| rollups::rebuild(tx).scope_boxed()).await?;
            }
            break;
        }
    }
    // Rows of the log are read by their numbers, so they are looked at when they have theirs.
    activity::sequence_all(ctx).await?;
    ctx.db.set_bulk_cache(false).await?;
    ctx.transaction(|tx| tx.analyze().scope_boxed()).await?;
    Ok(made)
}

/// Rows of one transaction: clients, their orders somewhere on their way, spread over the last two years.
struct Batch<'t> {
    clients: Vec<LoadClient>,
    /// As many for each client.
    orders: Vec<LoadOrder>,
    steps: Vec<LoadStep<'t>>,
}

impl<'t> Batch<'t> {
    /// Orders number `from` up to `to`, from the first of a client on.
    fn new(
        ctx: &Ctx,
        run: u32,
        today: NaiveDate,
        (from, to): (u64, u64),
        parties: &[(CompanyId, Vec<IsoId>)],
        templates: &'t [Vec<TemplateStep>],
    ) -> Self {
        let mut batch = Self { clients: Vec::new(), orders: Vec::new(), steps: Vec::new() };
        for n in from..to {
            let (company_id, partners) = &parties[(n / ORDERS_OF_CLIENT) as usize % parties.len()];
            // Every fifth client came without a partner.
            let iso_id = (n / ORDERS_OF_CLIENT % 5 != 4).then(|| partners[(n / 20) as usize % partners.len()]);
            if n.is_multiple_of(ORDERS_OF_CLIENT) {
                let nth = n / ORDERS_OF_CLIENT;
                batch.clients.push(LoadClient {
                    id: UserId(ctx.chance.uuid()),
                    first_name: format!("Client {nth:05}"),
                    last_name: format!("Load {run:08x}"),
                    email: format!("client.{run:08x}.{nth}@load.example"),
                    company_id: *company_id,
                    iso_id,
                });
            }
            let Some(client) = batch.clients.last() else { continue };
            let template = &templates[(n % Country::ALL.len() as u64) as usize];
            let total = template.len() as i64;
            let done = (n * 5) as i64 % (total + 1);
            let order = LoadOrder {
                id: SpvId(ctx.chance.uuid()),
                client_id: client.id,
                company_id: *company_id,
                iso_id,
                country: Country::ALL[(n % Country::ALL.len() as u64) as usize],
                price_minor: 150_000 + (n % 40) as i64 * 2_500,
                commission_minor: iso_id.map(|_| 15_000),
                purchase_amount_minor: n.is_multiple_of(2).then_some(25_000_000 + (n % 97) as i64 * 1_000_000),
                ordered_date: today.checked_sub_days(Days::new(n * 7 % 730)).unwrap_or(today),
                steps_total: total,
                steps_completed: done,
                current_step: template.get(done as usize).map(|step| step.step_name.clone()),
            };
            batch.steps.extend(template.iter().zip(0..).map(|(of, nth)| LoadStep {
                id: StepId(ctx.chance.uuid_at(ctx.now())),
                spv_id: order.id,
                of,
                due_date: steps::business_days_after(order.ordered_date, of.business_days),
                done: nth < done,
            }));
            batch.orders.push(order);
        }
        batch
    }

    /// What they are found by, as of any client and order.
    async fn index(&self, tx: &mut Tx) -> Result<()> {
        let texts = |client: &'_ LoadClient| [&client.first_name, &client.last_name, &client.email].map(String::clone);
        let texts: Vec<[String; 3]> = self.clients.iter().map(texts).collect();
        let entries: Vec<Entry<'_>> = self
            .clients
            .iter()
            .zip(&texts)
            .map(|(client, texts)| Entry {
                kind: "client",
                subject: client.id.0,
                company: Some(client.company_id),
                iso: client.iso_id,
                texts: texts.iter().map(String::as_str).collect(),
            })
            .collect();
        search::index_all(tx, "client", &entries).await?;
        let names: Vec<String> = self.orders.iter().map(|order| spvs::display_identifier(order.id, None)).collect();
        let entries: Vec<Entry<'_>> = self
            .orders
            .iter()
            .zip(&names)
            .zip(texts.iter().flat_map(|texts| [texts; ORDERS_OF_CLIENT as usize]))
            .map(|((order, name), client)| {
                let texts = std::iter::once(name).chain(client).map(String::as_str).collect();
                spvs::search_entry(order.id, order.company_id, order.iso_id, texts)
            })
            .collect();
        search::index_all(tx, "spv", &entries).await
    }

    async fn write(&self, tx: &mut Tx, ctx: &Ctx, stamp: &Stamp) -> Result<()> {
        store::insert_clients(tx, stamp, &self.clients).await?;
        store::insert_orders(tx, stamp, &self.orders).await?;
        store::insert_steps(tx, stamp, &self.steps).await?;
        self.index(tx).await?;
        let orders = &self.orders;
        let closed = orders.iter().filter(|order| order.status() == Status::Closed);
        let earned: Vec<_> = closed
            .filter_map(|order| Some((ctx.chance.uuid(), order.iso_id?, order.commission_minor?, order)))
            .collect();
        store::insert_earned(tx, stamp, &earned).await?;
        for client in &self.clients {
            let name = format!("{} {}", client.first_name, client.last_name);
            let event = Event::new("user.created", "user", client.id.0, name)
                .of(Some(client.id), Some(client.company_id), client.iso_id)
                .with("role", Role::Client.name());
            activity::append(tx, ctx, event).await?;
        }
        for order in orders {
            let event = Event::new("spv.created", "spv", order.id.0, spvs::display_identifier(order.id, None))
                .of(Some(order.client_id), Some(order.company_id), order.iso_id)
                .spv(order.id)
                .with("status", Status::Active.name())
                .public();
            activity::append(tx, ctx, event).await?;
        }
        Ok(())
    }
}

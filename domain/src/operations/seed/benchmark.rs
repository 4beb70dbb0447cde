//! Benchmark load: many orders with their clients, companies, ISO partners and steps, in bulk inserts and large
//! transactions. It bypasses the use cases and leaves out the document requests of the office's own templates.
use super::{
    ensure_company, ensure_iso,
    store::{self, BenchmarkClient, BenchmarkOrder, BenchmarkStep, CommonValues},
};
use crate::{
    accounts::auth::passwords::{self, PasswordHash},
    directory::isos,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::{CompanyId, IsoId, SpvId, StepId, UserId},
        search::{self, Entry},
    },
    operations::recount,
    orders::{
        spvs::{self, Country, Status},
        templates::{self, TemplateStep},
    },
    platform::{
        activity::{self, Event},
        holidays::BusinessDays,
        settings,
    },
};
use chrono::{Days, NaiveDate};
use std::ops::RangeInclusive;

/// Orders per transaction. Large, so that an index page is written once for many orders; small enough to stop and to show
/// progress between two.
const BATCH: RangeInclusive<u64> = 1_000..=20_000;
/// A batch begins with the first order of a client.
const ORDERS_PER_CLIENT: u64 = 4;

/// Number of rows to insert.
#[derive(Clone, Copy, Debug)]
pub struct BenchmarkSize {
    pub orders: u64,
    /// Default: one for every 400 orders.
    pub companies: Option<u64>,
    /// Per company. Default: one for every 100 of its orders, up to four.
    pub isos: Option<u64>,
}

impl From<u64> for BenchmarkSize {
    fn from(orders: u64) -> Self {
        Self { orders, companies: None, isos: None }
    }
}

/// Inserts orders with a client for every four, ISO partners and companies. Clients and ISO partners sign in with the
/// demo password. `progress` receives the number of orders so far and stops the work by returning false. Each call adds
/// rows.
///
/// # Errors
/// Forbidden for all but the operator and super admins; Internal if the database fails.
#[tracing::instrument(level = "debug", name = "seed.insert_benchmark_data", skip_all)]
pub async fn insert_benchmark_data(
    ctx: &Ctx,
    size: impl Into<BenchmarkSize>,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<u64> {
    ctx.may(Action::Create, Resource::Users)?;
    let size = size.into();
    let ctx = &ctx.without_notifications().background();
    let run = u32::from_be_bytes(ctx.random.bytes());
    let hash = passwords::hash(ctx, ctx.options.demo_password.clone()).await?;
    let parties = create_parties(ctx, run, size, &hash).await?;
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
    let common = &CommonValues { at: ctx.now(), by: ctx.actor_name(), currency, time_zone, password_hash: hash };
    ctx.db.set_bulk_cache(true).await?;
    let today = settings::office_today(ctx).await?;
    let mut inserted = 0;
    let batch_size = (size.orders / 10).clamp(*BATCH.start(), *BATCH.end());
    while inserted < size.orders {
        let to = size.orders.min(inserted + batch_size);
        let batch = &Batch::new(ctx, run, today, (inserted, to), &parties, &templates);
        let last = to == size.orders;
        ctx.transaction(|tx| {
            async move {
                batch.write(tx, ctx, common).await?;
                // The rows bypass the rollups, which are recounted once.
                if last {
                    recount::rebuild(tx).await?;
                }
                Ok(())
            }
            .scope_boxed()
        })
        .await?;
        inserted = to;
        if !progress(inserted) {
            if !last {
                ctx.transaction(|tx| recount::rebuild(tx).scope_boxed()).await?;
            }
            break;
        }
    }
    // Activity rows are read by their sequence numbers, so these are assigned before the tables are analysed.
    activity::sequence_all(ctx).await?;
    ctx.db.set_bulk_cache(false).await?;
    ctx.transaction(|tx| tx.analyze().scope_boxed()).await?;
    Ok(inserted)
}

/// Creates the companies and their ISO partners, who sign in with the demo password.
async fn create_parties(
    ctx: &Ctx,
    run: u32,
    BenchmarkSize { orders, companies, isos }: BenchmarkSize,
    hash: &PasswordHash,
) -> Result<Vec<(CompanyId, Vec<IsoId>)>> {
    let companies = companies.unwrap_or(orders / 400).max(1);
    let mut parties: Vec<(CompanyId, Vec<IsoId>)> = Vec::new();
    for n in 0..companies {
        let id = ensure_company(ctx, &format!("Load Company {run:08x}-{n:03}"), "Load Company LLC").await?;
        let mut partners = Vec::new();
        for k in 0..isos.unwrap_or(4.min(orders / 100 / companies)).max(1) {
            let email = format!("iso.{run:08x}.{n}.{k}@load.example");
            let partner = ensure_iso(ctx, id, &format!("Partner {k}"), &format!("Load {n:03}"), &email).await?;
            let user = isos::get(ctx, partner).await?.user_id;
            ctx.transaction(|tx| store::activate_account(tx, user, hash.clone()).scope_boxed()).await?;
            partners.push(partner);
        }
        parties.push((id, partners));
    }
    Ok(parties)
}

/// Rows of one transaction: clients, and their orders in all stages, spread over the last two years.
struct Batch<'t> {
    clients: Vec<BenchmarkClient>,
    /// [`ORDERS_PER_CLIENT`] for each client.
    orders: Vec<BenchmarkOrder>,
    steps: Vec<BenchmarkStep<'t>>,
}

impl<'t> Batch<'t> {
    /// Builds the orders from number `from` up to `to`. `from` is the first order of a client.
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
            let (company_id, partners) = &parties[(n / ORDERS_PER_CLIENT) as usize % parties.len()];
            // Every fifth client has no partner.
            let iso_id = (n / ORDERS_PER_CLIENT % 5 != 4).then(|| partners[(n / 20) as usize % partners.len()]);
            if n.is_multiple_of(ORDERS_PER_CLIENT) {
                let nth = n / ORDERS_PER_CLIENT;
                batch.clients.push(BenchmarkClient {
                    id: UserId(ctx.random.uuid()),
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
            let order = BenchmarkOrder {
                id: SpvId(ctx.random.uuid()),
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
            batch.steps.extend(template.iter().zip(0..).map(|(of, nth)| BenchmarkStep {
                id: StepId(ctx.random.uuid_at(ctx.now())),
                spv_id: order.id,
                of,
                due_date: BusinessDays::of_table(order.country, order.ordered_date).after(of.business_days),
                done: nth < done,
            }));
            batch.orders.push(order);
        }
        batch
    }

    /// Writes the search index entries, as the use cases do for a client and an order.
    async fn index(&self, tx: &mut Tx) -> Result<()> {
        let texts =
            |client: &'_ BenchmarkClient| [&client.first_name, &client.last_name, &client.email].map(String::clone);
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
            .zip(texts.iter().flat_map(|texts| [texts; ORDERS_PER_CLIENT as usize]))
            .map(|((order, name), client)| {
                let texts = std::iter::once(name).chain(client).map(String::as_str).collect();
                spvs::search_entry(order.id, order.company_id, order.iso_id, texts)
            })
            .collect();
        search::index_all(tx, "spv", &entries).await
    }

    async fn write(&self, tx: &mut Tx, ctx: &Ctx, common: &CommonValues) -> Result<()> {
        store::insert_clients(tx, common, &self.clients).await?;
        store::insert_orders(tx, common, &self.orders).await?;
        store::insert_steps(tx, common, &self.steps).await?;
        self.index(tx).await?;
        let orders = &self.orders;
        let closed = orders.iter().filter(|order| order.status() == Status::Closed);
        let earned: Vec<_> = closed
            .filter_map(|order| Some((ctx.random.uuid(), order.iso_id?, order.commission_minor?, order)))
            .collect();
        store::insert_commissions(tx, common, &earned).await?;
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

//! Seed data: the rows of the Seed Test Data button, the demo office, and load for benchmarks.
//!
//! Except for benchmark load it goes through the ordinary use cases, with mails off (decision 1).
mod addresses;
mod benchmark;
mod billing;
mod demo;
mod documents;
mod partner;
mod past_orders;
mod requests;
mod store;

pub use benchmark::{BenchmarkSize, insert_benchmark_data};
pub use demo::demo;

use crate::{
    accounts::{
        auth::passwords,
        users::{self, NewUser},
    },
    directory::{companies, isos},
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        idempotency,
        ids::{CompanyId, IsoId, UserId},
    },
    operations::demo_accounts::find as find_user,
    orders::{onboarding, spvs},
    platform::{
        activity::{self, Event},
        queue::{self, Job},
    },
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Job behind `spvctl seed` and the Seed Test Data button. It ends with the event `seed.finished` or `seed.failed` of
/// this id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeedTestData {
    pub id: Uuid,
}

impl Job for SeedTestData {
    const NAME: &'static str = "seed.test_data";
    /// Few attempts: a person waits for the toast.
    const ATTEMPTS: usize = 3;
}

/// Enqueues the creation of test data. Staff in demo mode, and the operator.
///
/// # Errors
/// Forbidden; `not_demo` for staff outside demo mode.
#[tracing::instrument(level = "debug", name = "seed.enqueue", skip_all)]
pub async fn enqueue(ctx: &Ctx) -> Result<Uuid> {
    ctx.may(Action::Seed, Resource::TestData)?;
    if ctx.actor.user_id().is_some() && !ctx.options.demo {
        return Err(Error::forbidden("not_demo"));
    }
    let id = ctx.random.uuid();
    ctx.transaction(|tx| {
        async move {
            if let Some(queued) = idempotency::find_previous(tx, ctx).await? {
                return Ok(queued);
            }
            queue::enqueue(tx, &SeedTestData { id }).await?;
            idempotency::store(tx, ctx, id).await?;
            Ok(id)
        }
        .scope_boxed()
    })
    .await
}

/// Creates the test ISO partner, client, company and order, and records `seed.finished`. Rows that exist are left alone
/// (specification, section 7). Jobs.
///
/// # Errors
/// Errors of the use cases; report them with [`record_failure`].
#[tracing::instrument(level = "debug", name = "seed.run", skip_all)]
pub async fn run(ctx: &Ctx, id: Uuid) -> Result<()> {
    test_data(&ctx.without_notifications()).await?;
    append_event(ctx, id, "seed.finished", None).await
}

/// Records `seed.failed` with the reason.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "seed.record_failure", skip_all)]
pub async fn record_failure(ctx: &Ctx, id: Uuid, why: &str) -> Result<()> {
    append_event(ctx, id, "seed.failed", Some(why)).await
}

async fn append_event(ctx: &Ctx, id: Uuid, action: &'static str, why: Option<&str>) -> Result<()> {
    let mut event = Event::new(action, "job", id, "Test data").with("job_id", id.to_string());
    if let Some(why) = why {
        event = event.with("reason", why);
    }
    let event = &event;
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
}

async fn test_data(ctx: &Ctx) -> Result<()> {
    // The client is created last: if it exists, so did the rest, whatever was changed since.
    if find_user(ctx, "test.client@example.com").await?.is_some() {
        return Ok(());
    }
    let company = ensure_company(ctx, "Test Company", "Test Company LLC").await?;
    let iso = ensure_iso(ctx, company, "Test", "Partner", "test.iso@example.com").await?;
    let client = onboarding::ClientInput {
        first_name: "Test".to_owned(),
        last_name: "Client".to_owned(),
        email: "test.client@example.com".to_owned(),
        company_id: Some(company),
        iso_id: Some(iso),
        price: Some("2500.00".to_owned()),
        commission: Some("250.00".to_owned()),
        ..onboarding::ClientInput::default()
    };
    match onboarding::create_client(ctx, onboarding::Setup::Full, client).await {
        Ok(_) => Ok(()),
        Err(Error::Conflict(problem)) if problem.code == "email_taken" => Ok(()),
        Err(e) => Err(e),
    }
}

/// The company of this name, created if it does not exist.
async fn ensure_company(ctx: &Ctx, name: &str, business_name: &str) -> Result<CompanyId> {
    match companies::find(ctx, name).await {
        Ok(company) => Ok(company.id),
        Err(Error::NotFound(_)) => {
            let input = companies::Input {
                name: Some(name.to_owned()),
                business_name: Some(business_name.to_owned()),
                ..companies::Input::default()
            };
            Ok(companies::create(ctx, input).await?.id)
        }
        Err(e) => Err(e),
    }
}

/// The ISO partner with this address, created if it does not exist.
async fn ensure_iso(ctx: &Ctx, company: CompanyId, first: &str, last: &str, email: &str) -> Result<IsoId> {
    match isos::find(ctx, email).await {
        Ok(iso) => Ok(iso.id),
        Err(Error::NotFound(_)) => {
            let input = isos::Input {
                first_name: first.to_owned(),
                last_name: last.to_owned(),
                email: email.to_owned(),
                phone: None,
                company_id: Some(company),
                request_id: None,
            };
            Ok(isos::create(ctx, input).await?.id)
        }
        Err(e) => Err(e),
    }
}

/// An active account of this role with the demo password, created if it does not exist.
async fn ensure_account(
    ctx: &Ctx,
    role: Role,
    first: &str,
    last: &str,
    email: &str,
    company: Option<CompanyId>,
) -> Result<UserId> {
    if let Some(user) = find_user(ctx, email).await? {
        return Ok(user.id);
    }
    let password_hash = Some(passwords::hash(ctx, ctx.options.demo_password.clone()).await?);
    let new = &NewUser {
        status: users::Status::Active,
        company_id: company,
        password_hash,
        ..NewUser::new(role, first.to_owned(), last.to_owned(), email.to_owned())
    };
    Ok(ctx.transaction(|tx| users::insert(tx, ctx, new.clone()).scope_boxed()).await?.id)
}

const SECTORS: [&str; 11] = [
    "Maritime",
    "Aviation",
    "Real Estate",
    "Energy",
    "Logistics",
    "Timber",
    "Media",
    "Robotics",
    "Vineyards",
    "Biotech",
    "Rail",
];
const FORMS: [&str; 4] = ["Holdings", "Ventures", "Assets", "Capital"];

/// The name of the `n`th vehicle, of a family or firm: "Okafor Maritime Holdings".
fn vehicle_name(of: &str, n: usize) -> String {
    format!("{of} {} {}", SECTORS[n % SECTORS.len()], FORMS[n % FORMS.len()])
}

/// An order of the demo office to insert.
struct NewOrder<'a> {
    vehicle_name: String,
    client: UserId,
    company: CompanyId,
    iso: Option<IsoId>,
    identifier: Option<&'a str>,
    country: spvs::Country,
    amount_minor: i64,
    status: spvs::Status,
}

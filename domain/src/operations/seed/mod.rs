//! Made-up data: the test rows of the Seed Test Data button, the demo office, and load for benchmarks.
//!
//! All of it goes through the use cases that people's own orders go through, with the mails off (decision 1).
mod asked;
mod billing;
mod brought;
mod demo;
mod history;
mod homes;
mod load;
mod papers;
mod store;

pub use demo::demo;
pub use load::{Load, load};

use crate::{
    accounts::{
        auth::passwords::{self, PasswordCheck},
        users::{self, NewUser, User},
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
    orders::{onboarding, spvs},
    platform::{
        activity::{self, Event},
        queue::{self, Job},
    },
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The accounts of the demo that its people are told of.
pub const SIGN_INS: [&str; 5] =
    ["client@example.com", "employee@example.com", "super@example.com", "company@example.com", "iso@example.com"];

/// The job behind `spvctl seed` and the Seed Test Data button. Its outcome is the event `seed.finished` or
/// `seed.failed` with this id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub id: Uuid,
}

impl Job for Run {
    const NAME: &'static str = "seed.test_data";
    /// Few: somebody waits for the toast.
    const ATTEMPTS: usize = 3;
}

/// Queues the making of test data. Staff in demo mode, and the operator.
///
/// # Errors
/// Forbidden, also to staff when demo mode is off.
pub async fn queue(ctx: &Ctx) -> Result<Uuid> {
    ctx.may(Action::Seed, Resource::TestData)?;
    if ctx.actor.user_id().is_some() && !ctx.options.demo {
        return Err(Error::forbidden("not_demo"));
    }
    let id = ctx.chance.uuid();
    ctx.transaction(|tx| {
        async move {
            if let Some(queued) = idempotency::made_before(tx, ctx).await? {
                return Ok(queued);
            }
            queue::enqueue(tx, &Run { id }).await?;
            idempotency::remember(tx, ctx, id).await?;
            Ok(id)
        }
        .scope_boxed()
    })
    .await
}

/// Makes the test ISO, client, company and SPV, and tells that it is done. What is there already is left alone
/// (specification, section 7).
///
/// # Errors
/// What a use case refuses; tell it with [`failed`].
pub async fn run(ctx: &Ctx, id: Uuid) -> Result<()> {
    test_data(&ctx.silently()).await?;
    tell(ctx, id, "seed.finished", None).await
}

/// Tells that the making of test data failed, and why.
///
/// # Errors
/// What the database refuses.
pub async fn failed(ctx: &Ctx, id: Uuid, why: &str) -> Result<()> {
    tell(ctx, id, "seed.failed", Some(why)).await
}

async fn tell(ctx: &Ctx, id: Uuid, action: &'static str, why: Option<&str>) -> Result<()> {
    let mut event = Event::new(action, "job", id, "Test data").with("job_id", id.to_string());
    if let Some(why) = why {
        event = event.with("reason", why);
    }
    let event = &event;
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
}

async fn test_data(ctx: &Ctx) -> Result<()> {
    // It is made last: where it is, so was the rest, whatever somebody has done with that since.
    if known(ctx, "test.client@example.com").await?.is_some() {
        return Ok(());
    }
    let company = company(ctx, "Test Company", "Test Company LLC").await?;
    let iso = iso(ctx, company, "Test", "Partner", "test.iso@example.com").await?;
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

/// The company of this name, made when it is not there.
async fn company(ctx: &Ctx, name: &str, business_name: &str) -> Result<CompanyId> {
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

/// The ISO with this address, made when it is not there.
async fn iso(ctx: &Ctx, company: CompanyId, first: &str, last: &str, email: &str) -> Result<IsoId> {
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

/// An active account of this role with the demo password, made when it is not there.
async fn account(
    ctx: &Ctx,
    role: Role,
    first: &str,
    last: &str,
    email: &str,
    company: Option<CompanyId>,
) -> Result<UserId> {
    if let Some(user) = known(ctx, email).await? {
        return Ok(user.id);
    }
    let password_hash = Some(passwords::hash(ctx, ctx.options.demo_password.clone()).await?);
    let new = &NewUser {
        role,
        status: users::Status::Active,
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        email: email.to_owned(),
        phone: None,
        address: None,
        company_id: company,
        iso_id: None,
        password_hash,
        must_change_password: false,
        language: "en-US".to_owned(),
    };
    Ok(ctx.transaction(|tx| users::insert(tx, ctx, new.clone()).scope_boxed()).await?.id)
}

/// The demo sign-ins that are open with the demo's password, which everybody knows. Outside demo mode none of them is:
/// signing in refuses them.
///
/// # Errors
/// What the database refuses.
pub async fn open_sign_ins(ctx: &Ctx) -> Result<Vec<String>> {
    if !ctx.options.demo {
        return Ok(Vec::new());
    }
    Ok(demo_accounts(ctx).await?.into_iter().map(|user| user.email).collect())
}

/// Ends the sessions that demo accounts began in demo mode, once that is over. Says whose accounts these are.
///
/// # Errors
/// What the database refuses.
pub async fn sign_out_demo_accounts(ctx: &Ctx) -> Result<Vec<String>> {
    let mut emails = Vec::new();
    for user in demo_accounts(ctx).await? {
        users::sign_out(ctx, user.id).await?;
        emails.push(user.email);
    }
    Ok(emails)
}

async fn demo_accounts(ctx: &Ctx) -> Result<Vec<User>> {
    let mut open = Vec::new();
    for email in SIGN_INS {
        let Some(user) = known(ctx, email).await? else { continue };
        let active = matches!(user.status, users::Status::Active | users::Status::Pending);
        if active
            && passwords::verify(user.password_hash.as_ref(), &ctx.options.demo_password).await?
                != PasswordCheck::Invalid
        {
            open.push(user);
        }
    }
    Ok(open)
}

/// The account with this address, if there is one.
async fn known(ctx: &Ctx, email: &str) -> Result<Option<User>> {
    match users::find(ctx, email).await {
        Ok(user) => Ok(Some(user)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// An order of the demo office.
struct Order<'a> {
    client: UserId,
    company: CompanyId,
    iso: Option<IsoId>,
    identifier: Option<&'a str>,
    country: spvs::Country,
    amount_minor: i64,
    status: spvs::Status,
}

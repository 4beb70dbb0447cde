//! The demo office: five demo sign-ins, three companies with partners, clients, and orders in every state, dated
//! relative to today. The same seed makes the same office.
use super::{
    NewOrder, addresses, billing, documents, ensure_account, ensure_company, ensure_iso, find_user, partner,
    past_orders, requests, store, vehicle_name,
};
use crate::{
    accounts::auth::{login_throttle, passwords},
    directory::companies,
    kernel::{
        access::{Action, Actor, Role},
        clock::{Clock, RandomSource},
        ctx::{Ctx, DEMO_SUPER_ADMIN, Options, Origin},
        db::{Db, Durability, ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, IsoId, SessionId, SpvId, StepId},
    },
    operations::{
        alerts,
        backups::{self, TempDir},
        health_checks,
    },
    orders::{
        corrections::{self, Correction},
        onboarding,
        spvs::{self, Country, Event, Status},
        steps::{self, Change},
        templates,
    },
    outbox::notifications,
    platform::{
        activity::{self, Event as ActivityEvent},
        queue::Job,
        settings,
    },
    reporting::reports,
};
use chrono::Duration;
use std::sync::Arc;

const COMPANIES: [(&str, &str); 3] = [
    ("Meridian Ventures", "Meridian Ventures Group LLC"),
    ("Harborline Capital", "Harborline Capital Partners LP"),
    ("Northstar Holdings", "Northstar Holdings Pte. Ltd."),
];

/// Tax id, country, industry, size and time zone of each company.
const SETTINGS: [[&str; 5]; 3] = [
    ["27-4815162", "US", "finance", "51-200", "America/New_York"],
    ["45-2319870", "US", "technology", "11-50", "America/New_York"],
    ["201912345K", "SG", "manufacturing", "201+", "Asia/Singapore"],
];

/// Logo of the first company.
const LOGO: &[u8] = include_bytes!("meridian.png");

const PARTNERS: [(&str, &str, usize); 5] = [
    ("Ingrid", "Solberg", 0),
    ("Marcus", "Bell", 0),
    ("Priya", "Raman", 1),
    ("Tomás", "Herrera", 1),
    ("Wei Ling", "Tan", 2),
];

const CLIENTS: [(&str, &str); 24] = [
    ("Amara", "Okafor"),
    ("Lukas", "Meyer"),
    ("Sofia", "Castellanos"),
    ("Kenji", "Watanabe"),
    ("Hannah", "Whitfield"),
    ("Omar", "Al Mansoori"),
    ("Chloe", "Dubois"),
    ("Arthit", "Srisai"),
    ("Elena", "Petrova"),
    ("Daniel", "Achterberg"),
    ("Mei", "Chen"),
    ("Rafael", "Duarte"),
    ("Grace", "Mbeki"),
    ("Jonas", "Lindqvist"),
    ("Fatima", "Haddad"),
    ("Owen", "Gallagher"),
    ("Yuki", "Tanaka"),
    ("Isabel", "Moreno"),
    ("Samir", "Kapoor"),
    ("Nora", "Eriksen"),
    ("Viktor", "Hahn"),
    ("Leila", "Rahimi"),
    ("Patrick", "O'Neill"),
    ("Anong", "Boonmee"),
];

/// Final status of an order and its number of completed steps.
const ORDER_OUTCOMES: [(Status, usize); 12] = [
    (Status::Active, 0),
    (Status::Processing, 3),
    (Status::Closed, 8),
    (Status::Pending, 0),
    (Status::Processing, 5),
    (Status::Closed, 8),
    (Status::Active, 0),
    (Status::Processing, 1),
    (Status::OnHold, 2),
    (Status::Closed, 8),
    (Status::Processing, 7),
    (Status::Cancelled, 2),
];

/// Two clients whose vehicles are late: blocked for weeks, with steps overdue.
const IN_TROUBLE: [usize; 2] = [4, 13];
const TROUBLE_AGE_DAYS: i64 = 74;

/// Seed of all random choices.
const SEED: u64 = 20_261_121;

/// Accounts created first and last: an office with the first and without the last is incomplete.
const FIRST: &str = "employee@example.com";
const LAST: &str = DEMO_SUPER_ADMIN;

/// Creates the demo office once; later calls change nothing and return false. In an empty portal it is one transaction,
/// so that an interrupted call can be repeated.
///
/// # Errors
/// Forbidden for all but the operator and super admins; Conflict `demo_unfinished` if an earlier call beside other rows
/// did not finish; errors of the use cases.
#[tracing::instrument(level = "debug", name = "seed.demo", skip_all)]
pub async fn demo(ctx: &Ctx) -> Result<bool> {
    ctx.may(Action::Create, crate::kernel::access::Resource::Users)?;
    if find_user(ctx, LAST).await?.is_some() {
        return Ok(false);
    }
    if backups::is_used(ctx).await? {
        if find_user(ctx, FIRST).await?.is_some() {
            return Err(Error::conflict("demo_unfinished"));
        }
        create_office(ctx).await?;
        return Ok(true);
    }
    match create_in_temp_database(ctx).await {
        Ok(()) => Ok(true),
        // Another node created it at the same time.
        Err(_) if find_user(ctx, LAST).await?.is_some() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates the demo office in a temporary database and copies it over in one transaction.
async fn create_in_temp_database(ctx: &Ctx) -> Result<()> {
    let temp = TempDir::for_demo(ctx).await?;
    let db = Db::open(&format!("sqlite:{}", temp.0.join("demo.db").display()), Durability::Normal).await?;
    db.migrate().await?;
    let there = Ctx { db: db.clone(), ..ctx.clone() };
    create_office(&there).await?;
    let copied = backups::copy_into_empty(&there, &ctx.db, &temp.0).await;
    db.close().await;
    temp.remove().await?;
    copied
}

/// Creates the demo office in the database of `ctx`, one use case at a time.
async fn create_office(ctx: &Ctx) -> Result<()> {
    // The demo accounts have the public password, not the default password that the operator configured.
    let options = Options { default_password: None, ..(*ctx.options).clone() };
    let ctx = &Ctx { options: Arc::new(options), random: ctx.random.with_ids(SEED), ..ctx.without_notifications() };
    let random = RandomSource::seeded(SEED);
    let start = days_ago(ctx, 120);
    ensure_account(&start, Role::Employee, "Elias", "Brandt", FIRST, None).await?;
    let company_ids = create_companies(ctx, &start).await?;
    let mut partners: Vec<(IsoId, usize)> = Vec::new();
    for (n, (first, last, of)) in PARTNERS.iter().enumerate() {
        let email = if n == 0 { "iso@example.com".to_owned() } else { email_of(first, last) };
        partners.push((ensure_iso(&start, company_ids[*of], first, last, &email).await?, *of));
    }
    activate_account(ctx, "iso@example.com").await?;
    // The age in days of each order with a price.
    let mut priced: Vec<(i64, SpvId)> = Vec::new();
    for n in 0..CLIENTS.len() {
        priced.extend(create_client(ctx, &random, n, &company_ids, &partners).await?);
    }
    priced.extend(partner::clients(ctx, &random, company_ids[0], partners[0].0).await?);
    settings::set(ctx, |_| demo_settings()).await?;
    billing::price_list(ctx).await?;
    documents::exchange(ctx, &priced).await?;
    let others = [(company_ids[1], "Priya", "Raman"), (company_ids[2], "Wei Ling", "Tan")];
    priced.extend(past_orders::insert(ctx, &random, &others).await?);
    billing::invoices(ctx, priced).await?;
    billing::requests(ctx).await?;
    add_document_requests_to_japan(ctx).await?;
    partner::activities(ctx, &partners.iter().map(|(iso, _)| *iso).collect::<Vec<_>>()).await?;
    requests::insert_year(ctx).await?;
    schedule_weekly_report(ctx).await?;
    open_and_end_alerts(ctx).await?;
    activity::sequence_all(ctx).await?;
    notifications::process_pending(ctx).await?;
    notifications::mute(ctx).await?;
    ctx.transaction(|tx| store::set_last_active(tx, ctx.now()).scope_boxed()).await?;
    // Last: [`demo`] takes its presence as the mark of a complete office.
    ensure_account(&start, Role::SuperAdmin, "Sigrid", "Aalto", LAST, None).await?;
    Ok(())
}

/// Creates the companies with their settings, the admins of the first one and an invited member.
async fn create_companies(ctx: &Ctx, start: &Ctx) -> Result<Vec<CompanyId>> {
    let mut ids: Vec<CompanyId> = Vec::new();
    for (name, business) in COMPANIES {
        ids.push(ensure_company(start, name, business).await?);
    }
    for (id, [tax_id, country, industry, size, time_zone]) in ids.iter().zip(SETTINGS) {
        let text = |text: &str| Some(text.to_owned());
        let input = companies::SettingsInput {
            tax_id: text(tax_id),
            country: text(country),
            industry: text(industry),
            size: text(size),
            time_zone: text(time_zone),
            ..Default::default()
        };
        companies::set(start, *id, None, input).await?;
    }
    companies::set_logo(start, ids[0], LOGO.to_vec()).await?;
    ensure_account(start, Role::CompanyAdmin, "Clara", "Voss", "company@example.com", Some(ids[0])).await?;
    ensure_account(start, Role::CompanyAdmin, "Theo", "Lang", "theo.lang@example.com", Some(ids[0])).await?;
    let invited = companies::MemberInput {
        first_name: "Mira".to_owned(),
        last_name: "Costa".to_owned(),
        email: "mira.costa@example.com".to_owned(),
        phone: Some("+1 555 0144".to_owned()),
    };
    companies::invite_member(&days_ago(ctx, 2).acting_as(start.actor.clone()), ids[0], invited).await?;
    Ok(ids)
}

/// Creates client number `n` with its first order, and a second order for every third client. Returns the age in days of
/// each order.
async fn create_client(
    ctx: &Ctx,
    random: &RandomSource,
    n: usize,
    company_ids: &[CompanyId],
    partners: &[(IsoId, usize)],
) -> Result<Vec<(i64, SpvId)>> {
    let (first, last) = CLIENTS[n];
    // In pairs, so that the orders of one company do not all have the same outcome.
    let of = n / 2 % company_ids.len();
    let partner = partners.iter().filter(|(_, company)| *company == of).map(|(iso, _)| *iso).nth(n % 3);
    let email = if n == 0 { "client@example.com".to_owned() } else { email_of(first, last) };
    // The demo client's first order is under way, so that its dashboard has something to show.
    let outcome = if n == 0 { (Status::Processing, 3) } else { ORDER_OUTCOMES[n % ORDER_OUTCOMES.len()] };
    let client_age = if IN_TROUBLE.contains(&n) { TROUBLE_AGE_DAYS } else { order_age(outcome, n) };
    let day = days_ago(ctx, client_age).acting_as(demo_employee(ctx).await?);
    let country = Country::ALL[random.below(5) as usize];
    let price = 11_800 + 350 * random.below(72);
    let input = onboarding::ClientInput {
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        email: email.clone(),
        phone: Some(addresses::phone(country, 100 + n)),
        company_id: Some(company_ids[of]),
        iso_id: partner,
        price: Some(format!("{price}.00")),
        commission: partner.map(|_| format!("{}.00", price / 10)),
        country: Some(country.code().to_owned()),
        without_invoice: true,
        ..onboarding::ClientInput::default()
    };
    let created = onboarding::create_client(&day, onboarding::Setup::Full, input).await?;
    let client = created.client.id;
    // Some clients have not chosen a name yet.
    if n % 7 != 6 {
        let named = Correction { vehicle_name: Some(vehicle_name(last, n + 4)), ..Correction::default() };
        corrections::correct(&day, created.spv.id, None, named).await?;
    }
    ctx.transaction(|tx| addresses::set_address(tx, client, country, 100 + n).scope_boxed()).await?;
    if n == 0 {
        activate_account(ctx, &email).await?;
    }
    let life = OrderTimeline { trouble: IN_TROUBLE.contains(&n), ..OrderTimeline::until_today(client_age, outcome) };
    replay_order(ctx, random, created.spv.id, life).await?;
    let mut orders = vec![(client_age, created.spv.id)];
    if n.is_multiple_of(3) {
        let identifier = format!("SPV-2026-{:03}", n + 1);
        let order = NewOrder {
            vehicle_name: vehicle_name(last, n),
            client,
            company: company_ids[of],
            iso: partner,
            identifier: Some(&identifier),
            country,
            amount_minor: 25_000_000 + 175_000 * random.below(1_150) as i64,
            status: Status::Pending,
        };
        let outcome = if n.is_multiple_of(2) { (Status::Pending, 0) } else { (Status::Processing, 1) };
        // Not older than its client.
        let age = order_age(outcome, n).min(client_age);
        let id = insert_order(&days_ago(ctx, age).acting_as(demo_employee(ctx).await?), order).await?;
        replay_order(ctx, random, id, OrderTimeline::until_today(age, outcome)).await?;
        orders.push((age, id));
    }
    Ok(orders)
}

/// The same context so many days ago.
pub(super) fn days_ago(ctx: &Ctx, days: i64) -> Ctx {
    Ctx { clock: Clock::fixed(ctx.now() - Duration::days(days)), ..ctx.clone() }
}

/// One alert that ended last week and one that is open, both from the alert rules.
async fn open_and_end_alerts(ctx: &Ctx) -> Result<()> {
    let last_week = days_ago(ctx, 6);
    simulate_password_spraying(&last_week, "198.51.100.23").await?;
    check_alerts(&last_week).await?;
    last_week.clock.advance(Duration::minutes(20));
    check_alerts(&last_week).await?;
    simulate_password_spraying(ctx, "203.0.113.45").await?;
    check_alerts(ctx).await
}

/// Records failed sign-ins for many accounts from one address.
async fn simulate_password_spraying(ctx: &Ctx, from: &str) -> Result<()> {
    let origin = Origin { address: Some(from.to_owned()), user_agent: None };
    let ctx = Ctx { origin, ..ctx.acting_as(Actor::Anonymous) };
    let event = ActivityEvent::new("sign_in.failed", "user", uuid::Uuid::nil(), "an unknown account");
    let event = event.with("method", "password").with("reason", "wrong_password").with("count", 64);
    let (ctx, event) = (&ctx, &event);
    ctx.transaction(|tx| {
        async move {
            login_throttle::record_source(tx, ctx, 64).await?;
            activity::append(tx, ctx, event.clone()).await
        }
        .scope_boxed()
    })
    .await
}

/// Evaluates the alert rules as the scheduled job does.
async fn check_alerts(ctx: &Ctx) -> Result<()> {
    let job = ctx.acting_as(Actor::System(health_checks::RunHealthChecks::NAME));
    alerts::check(&job, &alerts::Metrics::default()).await
}

/// Mails the portfolio report to the admin of the demo company each week.
async fn schedule_weekly_report(ctx: &Ctx) -> Result<()> {
    let clara = find_user(ctx, "company@example.com").await?.ok_or(Error::NotFound("user"))?;
    let acting = ctx.acting_as(Actor::User(Arc::new(clara.signed_in(SessionId(clara.id.0)))));
    let schedule = reports::Input {
        company_id: None,
        report: Some(reports::Report::Portfolio.name().to_owned()),
        period: None,
        every: Some(reports::Frequency::Weekly.name().to_owned()),
        recipients: vec![clara.id],
    };
    reports::create(&acting, schedule).await.map(drop)
}

/// Adds document requests to the first step of the template for Japan.
async fn add_document_requests_to_japan(ctx: &Ctx) -> Result<()> {
    let template = templates::get(ctx, Country::Jp).await?;
    let step = |step: templates::TemplateStep| {
        let first = step.step_order == 1;
        let asked = ["Passport of each member", "Seal certificate"].map(|name| templates::DocumentInput {
            name: name.to_owned(),
            instructions: Some("A certified copy, not older than three months".to_owned()),
            required: true,
        });
        templates::StepInput {
            step_name: step.step_name,
            owner: step.owner.name().to_owned(),
            business_days: step.business_days,
            completes_with_documents: first,
            depends_on: step.depends_on,
            documents: if first { asked.to_vec() } else { Vec::new() },
        }
    };
    let steps = template.steps.into_iter().map(step).collect();
    templates::set(ctx, Country::Jp, None, templates::Input { name: template.name, steps }).await.map(drop)
}

/// Age of an order in days, chosen so that few of its steps are overdue today.
fn order_age((end, done): (Status, usize), n: usize) -> i64 {
    let (done, n) = (done as i64, n as i64);
    match end {
        Status::Pending | Status::Active => 1 + n % 4,
        Status::Processing => 3 + 4 * done + n % 6,
        Status::OnHold => 12 + n % 5,
        Status::Cancelled => 30 + n,
        Status::Closed => 45 + 3 * n,
    }
}

fn email_of(first: &str, last: &str) -> String {
    let plain: String = format!("{first}.{last}").to_lowercase().replace('á', "a");
    format!("{}@example.com", plain.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect::<String>())
}

fn demo_settings() -> settings::Settings {
    settings::Settings {
        brand_name: None,
        support_email: Some("support@example.com".to_owned()),
        support_phone: Some("+1 555 0100".to_owned()),
        representative: Some(settings::Representative {
            name: "Elias Brandt".to_owned(),
            email: "employee@example.com".to_owned(),
            phone: Some("+1 555 0101".to_owned()),
        }),
        require_mfa: settings::RequireMfa::default(),
        billing: billing::office(),
        pages: settings::Pages::default(),
        ..settings::Settings::default()
    }
}

/// Sets the demo password and activates the account.
async fn activate_account(ctx: &Ctx, email: &str) -> Result<()> {
    let hash = &passwords::hash(ctx, ctx.options.demo_password.clone()).await?;
    let user = find_user(ctx, email).await?.ok_or(Error::NotFound("user"))?.id;
    ctx.transaction(|tx| store::activate_account(tx, user, hash.clone()).scope_boxed()).await
}

/// Inserts an order as of `ctx`.
async fn insert_order(ctx: &Ctx, order: NewOrder<'_>) -> Result<SpvId> {
    let (currency, today) = (ctx.options.default_currency, settings::office_today(ctx).await?);
    let new = &onboarding::NewOrder {
        iso_id: order.iso,
        custom_identifier: order.identifier.map(str::to_owned),
        vehicle_name: Some(order.vehicle_name),
        country: order.country,
        // The price is a fiftieth of the purchase amount.
        price_minor: Some(order.amount_minor / 50),
        purchase_amount_minor: Some(order.amount_minor),
        iso_commission_percentage: order.iso.map(|_| 15_000),
        status: order.status,
        invoiced: false,
        ..onboarding::NewOrder::new(order.client, order.company, currency, today)
    };
    ctx.transaction(|tx| onboarding::insert_order(tx, ctx, new.clone()).scope_boxed()).await
}

/// Course of an order to replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderTimeline {
    /// Age in days, and its duration in days.
    pub age: i64,
    pub days: i64,
    /// Final status, and the number of completed steps.
    pub end: Status,
    pub done: usize,
    /// Its next step is blocked, early in its life.
    pub trouble: bool,
}

impl OrderTimeline {
    /// The course of an order of `age` days until today.
    pub fn until_today(age: i64, (end, done): (Status, usize)) -> Self {
        Self { age, days: age, end, done, trouble: false }
    }
}

/// Replays an order, with the demo employee as actor.
pub(super) async fn replay_order(ctx: &Ctx, random: &RandomSource, id: SpvId, life: OrderTimeline) -> Result<()> {
    let staff = &demo_employee(ctx).await?;
    ctx.transaction(|tx| replay(tx, ctx, staff, random, id, life).scope_boxed()).await
}

/// [`replay_order`] inside the caller's transaction: a transaction for each step would take a second per hundred.
pub(super) async fn replay(
    tx: &mut Tx,
    ctx: &Ctx,
    staff: &Actor,
    random: &RandomSource,
    id: SpvId,
    life: OrderTimeline,
) -> Result<()> {
    let OrderTimeline { age, days, end, done, trouble } = life;
    let clock = Clock::fixed(ctx.now() - Duration::days(age));
    let day = Ctx { clock: clock.clone(), actor: staff.clone(), ..ctx.clone() };
    let top = Ctx { clock: clock.clone(), ..ctx.clone() };
    // The start, the steps, one more and the end are spread evenly over the duration.
    let spread = if trouble { days / 3 } else { days };
    let gap = spread * 24 * 60 / (done as i64 + 4);
    let wait = || clock.advance(Duration::minutes(gap - random.below(90) as i64));
    wait();
    let (spv, steps) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    if spv.status == Status::Pending && !matches!(end, Status::Pending | Status::Active) {
        spvs::transition(tx, &top, id, None, Action::Start, Event::Start, None).await?;
    }
    for step in steps.iter().take(done) {
        wait();
        move_to(tx, &day, step.id, "completed").await?;
    }
    if let Some(next) = steps.get(done)
        && end == Status::Processing
    {
        wait();
        move_to(tx, &day, next.id, "in_progress").await?;
        if random.below(4) == 0 || trouble {
            let change = Change {
                status: Some("blocked".to_owned()),
                blocked_reason: Some("Waiting for a certified copy".to_owned()),
                waiting_on: Some("client".to_owned()),
                ..Change::default()
            };
            steps::update_within(tx, &day, next.id, None, change).await?;
        }
    }
    wait();
    let (action, event, reason) = match end {
        Status::OnHold => (Action::Hold, Event::Hold, "The client asked to wait for a board decision"),
        Status::Cancelled => (Action::Cancel, Event::Cancel, "The deal did not go ahead"),
        _ => return Ok(()),
    };
    spvs::transition(tx, &day, id, None, action, event, Some(reason)).await.map(drop)
}

async fn move_to(tx: &mut Tx, ctx: &Ctx, step: StepId, status: &str) -> Result<()> {
    let change = Change { status: Some(status.to_owned()), ..Change::default() };
    steps::update_within(tx, ctx, step, None, change).await.map(drop)
}

/// The demo employee as the actor.
pub(super) async fn demo_employee(ctx: &Ctx) -> Result<Actor> {
    let user = find_user(ctx, "employee@example.com").await?.ok_or(Error::NotFound("user"))?;
    Ok(Actor::User(Arc::new(user.signed_in(SessionId(user.id.0)))))
}

//! The demo office: the five demo sign-ins, three companies and their partners, clients and orders in every
//! state, dated relative to today. The same seed makes the same office.
use super::{Order, account, asked, billing, brought, company, history, homes, iso, known, papers, store};
use crate::{
    accounts::auth::{login_throttle, passwords},
    directory::companies,
    kernel::{
        access::{Action, Actor, Role},
        clock::{Chance, Clock},
        ctx::{Ctx, Options, Origin},
        db::{Db, Durability, ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, IsoId, SessionId, SpvId, StepId},
    },
    operations::{
        alerts,
        backups::{self, Trial},
        health_checks,
    },
    orders::{
        onboarding,
        spvs::{self, Country, Event, Status},
        steps::{self, Change},
        templates,
    },
    outbox::notifications,
    platform::{
        activity::{self, Event as Told},
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

/// What each says of itself: tax id, country, industry, size, time zone.
const SETTINGS: [[&str; 5]; 3] = [
    ["27-4815162", "US", "finance", "51-200", "America/New_York"],
    ["45-2319870", "US", "technology", "11-50", "America/New_York"],
    ["201912345K", "SG", "manufacturing", "201+", "Asia/Singapore"],
];

/// The first company's.
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

/// What becomes of an order: the status it ends in, and how many steps are done by then.
const FATES: [(Status, usize); 12] = [
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

/// What everything that is chance follows from.
const SEED: u64 = 20_261_121;

/// Who is made first and last: by them an office is known that was not made to its end.
const FIRST: &str = "employee@example.com";
const LAST: &str = "super@example.com";

/// Makes the demo office once; a second call leaves everything as it is. In an empty portal it is made in one transaction:
/// killed while it is made, it begins anew.
///
/// # Errors
/// Forbidden for all but the operator and super admins; Conflict `demo_unfinished` where it was begun beside other rows and
/// not finished; what a use case refuses.
pub async fn demo(ctx: &Ctx) -> Result<bool> {
    ctx.may(Action::Create, crate::kernel::access::Resource::Users)?;
    if known(ctx, LAST).await?.is_some() {
        return Ok(false);
    }
    if backups::is_used(ctx).await? {
        if known(ctx, FIRST).await?.is_some() {
            return Err(Error::conflict("demo_unfinished"));
        }
        office(ctx).await?;
        return Ok(true);
    }
    match aside(ctx).await {
        Ok(()) => Ok(true),
        // Another node was faster.
        Err(_) if known(ctx, LAST).await?.is_some() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes the demo office in a database of its own and copies it over in one transaction.
async fn aside(ctx: &Ctx) -> Result<()> {
    let room = Trial::for_demo(ctx).await?;
    let db = Db::open(&format!("sqlite:{}", room.0.join("demo.db").display()), Durability::Normal).await?;
    db.migrate().await?;
    let there = Ctx { db: db.clone(), ..ctx.clone() };
    office(&there).await?;
    let copied = backups::copy_into_empty(&there, &ctx.db, &room.0).await;
    db.close().await;
    room.over().await?;
    copied
}

/// Makes the demo office in the database of `ctx`, a use case at a time.
async fn office(ctx: &Ctx) -> Result<()> {
    // Its people have the demo's password, whatever the operator gives to others.
    let options = Options { default_password: None, ..(*ctx.options).clone() };
    let ctx = &Ctx { options: Arc::new(options), chance: ctx.chance.with_ids(SEED), ..ctx.silently() };
    let chance = Chance::seeded(SEED);
    let past = |days: i64| Ctx { clock: Clock::fixed(ctx.now() - Duration::days(days)), ..ctx.clone() };
    let start = past(120);
    account(&start, Role::Employee, "Elias", "Brandt", FIRST, None).await?;
    let mut offices: Vec<CompanyId> = Vec::new();
    for (name, business) in COMPANIES {
        offices.push(company(&start, name, business).await?);
    }
    for (id, [tax_id, country, industry, size, time_zone]) in offices.iter().zip(SETTINGS) {
        let text = |text: &str| Some(text.to_owned());
        let said = companies::SettingsInput {
            tax_id: text(tax_id),
            country: text(country),
            industry: text(industry),
            size: text(size),
            time_zone: text(time_zone),
            ..Default::default()
        };
        companies::set(&start, *id, None, said).await?;
    }
    companies::set_logo(&start, offices[0], LOGO.to_vec()).await?;
    account(&start, Role::CompanyAdmin, "Clara", "Voss", "company@example.com", Some(offices[0])).await?;
    account(&start, Role::CompanyAdmin, "Theo", "Lang", "theo.lang@example.com", Some(offices[0])).await?;
    let invited = companies::MemberInput {
        first_name: "Mira".to_owned(),
        last_name: "Costa".to_owned(),
        email: "mira.costa@example.com".to_owned(),
        phone: Some("+1 555 0144".to_owned()),
    };
    companies::invite_member(&past(2).acting_as(start.actor.clone()), offices[0], invited).await?;
    let mut partners: Vec<(IsoId, usize)> = Vec::new();
    // How many days ago each order with a price was made.
    let mut priced: Vec<(i64, SpvId)> = Vec::new();
    for (n, (first, last, of)) in PARTNERS.iter().enumerate() {
        let email = if n == 0 { "iso@example.com".to_owned() } else { address(first, last) };
        partners.push((iso(&start, offices[*of], first, last, &email).await?, *of));
    }
    open(ctx, "iso@example.com").await?;
    for (n, (first, last)) in CLIENTS.iter().enumerate() {
        // Pairs, so that no company gets all orders of one fate.
        let of = n / 2 % offices.len();
        let partner = partners.iter().filter(|(_, company)| *company == of).map(|(iso, _)| *iso).nth(n % 3);
        let email = if n == 0 { "client@example.com".to_owned() } else { address(first, last) };
        // The demo client's first order is under way, so that its dashboard has something to follow.
        let fate = if n == 0 { (Status::Processing, 3) } else { FATES[n % FATES.len()] };
        let day = past(age(fate, n)).acting_as(elias(ctx).await?);
        let country = Country::ALL[chance.below(5) as usize];
        let price = 12_000 + 1_500 * chance.below(20);
        let input = onboarding::ClientInput {
            first_name: (*first).to_owned(),
            last_name: (*last).to_owned(),
            email: email.clone(),
            phone: Some(homes::phone(country, 100 + n)),
            company_id: Some(offices[of]),
            iso_id: partner,
            price: Some(format!("{price}.00")),
            commission: partner.map(|_| format!("{}.00", price / 10)),
            country: Some(country.code().to_owned()),
            without_invoice: true,
            ..onboarding::ClientInput::default()
        };
        let made = onboarding::create_client(&day, onboarding::Setup::Full, input).await?;
        let client = made.client.id;
        ctx.transaction(|tx| homes::settle(tx, client, country, 100 + n).scope_boxed()).await?;
        if n == 0 {
            open(ctx, &email).await?;
        }
        live(ctx, &chance, made.spv.id, age(fate, n), fate).await?;
        let age_of_client = age(fate, n);
        priced.push((age_of_client, made.spv.id));
        if n % 3 == 0 {
            let identifier = format!("SPV-2026-{:03}", n + 1);
            let order = Order {
                client: made.client.id,
                company: offices[of],
                iso: partner,
                identifier: Some(&identifier),
                country,
                amount_minor: (25 + 5 * chance.below(40) as i64) * 1_000_000,
                status: Status::Pending,
            };
            let fate = if n % 2 == 0 { (Status::Pending, 0) } else { (Status::Processing, 1) };
            // Never before its client.
            let age = age(fate, n).min(age_of_client);
            let id = place(&past(age).acting_as(elias(ctx).await?), order).await?;
            live(ctx, &chance, id, age, fate).await?;
            priced.push((age, id));
        }
    }
    priced.extend(brought::clients(ctx, &chance, offices[0], partners[0].0).await?);
    settings::set(ctx, |_| office_settings()).await?;
    papers::papers(ctx, &priced).await?;
    let others = [(offices[1], "Priya", "Raman"), (offices[2], "Wei Ling", "Tan")];
    priced.extend(history::orders(ctx, &chance, &others).await?);
    billing::invoices(ctx, priced).await?;
    billing::requests(ctx).await?;
    japan(ctx).await?;
    brought::partner(ctx, &partners.iter().map(|(iso, _)| *iso).collect::<Vec<_>>()).await?;
    asked::requests(ctx).await?;
    mailed(ctx).await?;
    // One of last week is over, one is there now: as the rules of the alerts find both.
    let then = past(6);
    storm(&then, "198.51.100.23").await?;
    look(&then).await?;
    then.clock.advance(Duration::minutes(20));
    look(&then).await?;
    storm(ctx, "203.0.113.45").await?;
    look(ctx).await?;
    activity::sequence_all(ctx).await?;
    notifications::process_pending(ctx).await?;
    notifications::mute(ctx).await?;
    ctx.transaction(|tx| store::were_here(tx, ctx.now()).scope_boxed()).await?;
    // Last: its presence says that the office is complete.
    account(&start, Role::SuperAdmin, "Sigrid", "Aalto", LAST, None).await?;
    Ok(())
}

/// Somebody tries many names at the door.
async fn storm(ctx: &Ctx, from: &str) -> Result<()> {
    let origin = Origin { address: Some(from.to_owned()), user_agent: None };
    let ctx = Ctx { origin, ..ctx.acting_as(Actor::Anonymous) };
    let event = Told::new("sign_in.failed", "user", uuid::Uuid::nil(), "an unknown account");
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

/// Opens and ends alerts, as the scheduled job does.
async fn look(ctx: &Ctx) -> Result<()> {
    let job = ctx.acting_as(Actor::System(health_checks::Watch::NAME));
    alerts::check(&job, &alerts::Readings::default()).await
}

/// The demo company's admin is mailed its portfolio from next Monday on.
async fn mailed(ctx: &Ctx) -> Result<()> {
    let clara = known(ctx, "company@example.com").await?.ok_or(Error::NotFound("user"))?;
    let acting = ctx.acting_as(Actor::User(Arc::new(clara.signed_in(SessionId(clara.id.0)))));
    let schedule = reports::Input {
        company_id: None,
        report: Some(reports::Report::Portfolio.name().to_owned()),
        period: None,
        every: Some(reports::Every::Weekly.name().to_owned()),
        recipients: vec![clara.id],
    };
    reports::create(&acting, schedule).await.map(drop)
}

/// One template asks for documents, as a super admin would have it.
async fn japan(ctx: &Ctx) -> Result<()> {
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

/// How many days ago an order was made, so that little of it is overdue today.
fn age((end, done): (Status, usize), n: usize) -> i64 {
    let (done, n) = (done as i64, n as i64);
    match end {
        Status::Pending | Status::Active => 1 + n % 4,
        Status::Processing => 3 + 4 * done + n % 6,
        Status::OnHold => 12 + n % 5,
        Status::Cancelled => 30 + n,
        Status::Closed => 45 + 3 * n,
    }
}

fn address(first: &str, last: &str) -> String {
    let plain: String = format!("{first}.{last}").to_lowercase().replace('á', "a");
    format!("{}@example.com", plain.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect::<String>())
}

fn office_settings() -> settings::Settings {
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

/// Gives an account the demo password and makes it active.
async fn open(ctx: &Ctx, email: &str) -> Result<()> {
    let hash = &passwords::hash(ctx, ctx.options.demo_password.clone()).await?;
    let user = known(ctx, email).await?.ok_or(Error::NotFound("user"))?.id;
    ctx.transaction(|tx| store::open_account(tx, user, hash.clone()).scope_boxed()).await
}

async fn place(ctx: &Ctx, order: Order<'_>) -> Result<SpvId> {
    let (currency, today) = (ctx.options.default_currency, settings::office_today(ctx).await?);
    let new = &onboarding::NewOrder {
        iso_id: order.iso,
        custom_identifier: order.identifier.map(str::to_owned),
        country: order.country,
        // A fiftieth of what is bought.
        price_minor: Some(order.amount_minor / 50),
        purchase_amount_minor: Some(order.amount_minor),
        iso_commission_percentage: order.iso.map(|_| 15_000),
        status: order.status,
        invoiced: false,
        ..onboarding::NewOrder::new(order.client, order.company, currency, today)
    };
    ctx.transaction(|tx| onboarding::insert_order(tx, ctx, new.clone()).scope_boxed()).await
}

/// What becomes of an order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// How many days ago it began, and how many it has had.
    pub age: i64,
    pub days: i64,
    /// The status it ends in, and how many steps are done by then.
    pub end: Status,
    pub done: usize,
}

/// Lets an order of `age` days live until today, moved by the demo employee.
pub(super) async fn live(ctx: &Ctx, chance: &Chance, id: SpvId, age: i64, (end, done): (Status, usize)) -> Result<()> {
    let staff = &elias(ctx).await?;
    let life = Life { age, days: age, end, done };
    ctx.transaction(|tx| lived(tx, ctx, staff, chance, id, life).scope_boxed()).await
}

/// The same in a transaction that does more: one for each step would cost a second in a hundred.
pub(super) async fn lived(tx: &mut Tx, ctx: &Ctx, staff: &Actor, chance: &Chance, id: SpvId, life: Life) -> Result<()> {
    let Life { age, days, end, done } = life;
    let clock = Clock::fixed(ctx.now() - Duration::days(age));
    let day = Ctx { clock: clock.clone(), actor: staff.clone(), ..ctx.clone() };
    let top = Ctx { clock: clock.clone(), ..ctx.clone() };
    // A start, the steps, one more and an end share the time that the order has had.
    let gap = days * 24 * 60 / (done as i64 + 4);
    let wait = || clock.advance(Duration::minutes(gap - chance.below(90) as i64));
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
        if chance.below(4) == 0 {
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

/// The demo employee, so that the log names a person.
pub(super) async fn elias(ctx: &Ctx) -> Result<Actor> {
    let user = known(ctx, "employee@example.com").await?.ok_or(Error::NotFound("user"))?;
    Ok(Actor::User(Arc::new(user.signed_in(SessionId(user.id.0)))))
}

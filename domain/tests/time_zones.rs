//! Time zones: dates of deadlines, invoices and payouts use the office's time zone, forms and defaults the user's, and
//! reminders are sent in the recipient's morning.
use chrono::{DateTime, Duration, Utc};
use domain::{
    Ctx,
    accounts::users::{self, Preferences, UpdateProfile},
    desk::{people, requests, tasks},
    kernel::{
        clock::Clock,
        db::Sql,
        ids::{CompanyId, SpvId},
        page::PageQuery,
    },
    orders::{
        document_requests,
        invoices::{self, ManualPayment},
        onboarding::{self, Setup},
        spvs, steps,
    },
    platform::settings,
    reporting::exports,
    testing::{World, code, on_both},
};

fn parse_time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// The same office at another time.
fn at_time(world: &World, instant: &str) -> World {
    World { clock: Clock::fixed(parse_time(instant)), ..world.clone() }
}

async fn set_office_zone(world: &World, zone: &str) {
    let zone = Some(zone.to_owned());
    settings::set(&world.operator(), |now| settings::Settings { default_time_zone: zone, ..now }).await.unwrap();
}

/// Sets the user's time zone and signs in again.
async fn set_user_zone(world: &World, who: &Ctx, zone: &str) -> Ctx {
    let preferences = Preferences { time_zone: Some(zone.to_owned()), ..Preferences::default() };
    world.signed_in(&users::set_preferences(who, preferences).await.unwrap())
}

async fn invoice(ctx: &Ctx, spv: SpvId) -> invoices::Invoice {
    let filter = invoices::Filter { spv_id: Some(spv), ..invoices::Filter::default() };
    invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap().items.remove(0)
}

/// Makes everything in an order due on one day, with one more document request.
async fn due_on(world: &World, spv: SpvId, day: &str) {
    let passport = document_requests::Input { name: Some("Passport".to_owned()), ..Default::default() };
    document_requests::create(&world.operator().without_notifications(), spv, passport).await.unwrap();
    let mut tx = world.db.begin().await.unwrap();
    let day: chrono::NaiveDate = day.parse().unwrap();
    for table in ["invoices", "document_requests", "spv_steps"] {
        let sql = format!("update {table} set due_date = $2, warned_date = $2 where spv_id = $1");
        tx.sql_built(sql).bind(spv).bind(day).run().await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Sends reminders and returns how many overdue entries the log has: steps, documents, invoices.
async fn overdue_reminders(world: &World) -> [i64; 3] {
    let operator = world.operator();
    steps::remind_overdue(&operator).await.unwrap();
    document_requests::remind(&operator).await.unwrap();
    invoices::remind(&operator).await.unwrap();
    let mut counts = [0; 3];
    for (count, action) in counts.iter_mut().zip(["step.overdue", "document_request.overdue", "invoice.overdue"]) {
        let sql = "select count(*) from activity where action = $1";
        *count = world.db.clone().sql(sql).bind(action.to_owned()).scalar().await.unwrap();
    }
    counts
}

#[tokio::test]
async fn nothing_is_overdue_before_the_offices_day_ends() {
    on_both(async |world| {
        let la = "America/Los_Angeles";
        set_office_zone(&world, la).await;
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        set_user_zone(&world, &maya, la).await;
        due_on(&world, spv, "2026-12-11").await;
        let overdue = async |instant: &str| {
            let world = at_time(&world, instant);
            let erin = Ctx { clock: world.clock.clone(), ..erin.clone() };
            let owed = invoices::billing(&erin, None).await.unwrap().owed[0].overdue;
            let row =
                &exports::rows(&erin, &exports::Table::Invoices(invoices::Filter::default()), None).await.unwrap();
            let table = exports::columns(&erin, &exports::Table::Invoices(invoices::Filter::default()));
            let cell = &row.items[0][table.iter().position(|name| *name == "overdue").unwrap()];
            (owed, cell.clone(), tasks::performance(&erin).await.unwrap().overdue > 0, overdue_reminders(&world).await)
        };
        // 17:30 and 23:59 on December 11 in Los Angeles, then 00:00 and 07:00 on the next day.
        for evening in ["2026-12-12T01:30:00Z", "2026-12-12T07:59:59Z"] {
            assert_eq!(overdue(evening).await, (0, "false".to_owned(), false, [0, 0, 0]), "{evening}");
        }
        let (owed, cell, late, counts) = overdue("2026-12-12T08:00:00Z").await;
        assert_eq!(
            (owed, cell.as_str(), late, counts),
            (1, "true", true, [0, 0, 0]),
            "overdue, but reminders wait for the morning"
        );
        let (.., counts) = overdue("2026-12-12T15:00:00Z").await;
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        let (.., again) = overdue("2026-12-12T16:00:00Z").await;
        assert_eq!(again, counts, "sent once each");
    })
    .await;
}

#[tokio::test]
async fn reminders_wait_for_the_recipients_morning_and_the_offices_day() {
    on_both(async |world| {
        set_office_zone(&world, "Pacific/Kiritimati").await;
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        set_user_zone(&world, &maya, "Pacific/Honolulu").await;
        due_on(&world, spv, "2026-12-11").await;
        // In Kiritimati, December 12 begins at 10:00 UTC on the 11th; in Honolulu a day later.
        assert_eq!(overdue_reminders(&at_time(&world, "2026-12-11T20:00:00Z")).await[1..], [0, 0]);
        assert_eq!(overdue_reminders(&at_time(&world, "2026-12-12T16:59:00Z")).await[1..], [0, 0]);
        let counts = overdue_reminders(&at_time(&world, "2026-12-12T17:00:00Z")).await;
        assert!(counts[1] > 0 && counts[2] == 1, "{counts:?}");
    })
    .await;
}

#[tokio::test]
async fn payments_and_due_dates_use_the_office_time_zone() {
    on_both(async |world| {
        set_office_zone(&world, "Pacific/Kiritimati").await;
        let acme = world.company("Acme").await;
        let (_, spv, _) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        // January 1 in Kiritimati, still December 31 in UTC and in New York, where Erin is.
        let world = at_time(&world, "2026-12-31T14:05:00Z");
        let erin = Ctx { clock: world.clock.clone(), ..erin };
        let bill = invoice(&erin, spv).await;
        let typed = |date: Option<&str>| ManualPayment {
            amount: Some("1.00".to_owned()),
            received_date: date.map(str::to_owned),
            ..ManualPayment::default()
        };
        let early = invoices::pay(&erin, bill.id, None, typed(Some("2027-01-02"))).await.unwrap_err();
        assert_eq!(code(&early), "received_date future");
        invoices::pay(&erin, bill.id, None, typed(None)).await.unwrap();
        let paid = invoices::pay(&erin, bill.id, None, typed(Some("2027-01-01"))).await.unwrap();
        let dates: Vec<String> = paid.payments.iter().map(|payment| payment.received_date.to_string()).collect();
        assert_eq!(dates, ["2027-01-01", "2027-01-01"]);
        // Zero business days from now is today in the office's time zone, for existing and new steps.
        let step = spvs::get(&erin, spv).await.unwrap().steps[0].id;
        let due = steps::Change { business_days: Some(0), ..steps::Change::default() };
        let (changed, _) = steps::update(&erin, step, None, due).await.unwrap();
        assert_eq!(changed.due_date.unwrap().to_string(), "2027-01-01");
        let new =
            steps::NewStep { step_name: "Translate".to_owned(), business_days: Some(1), ..steps::NewStep::default() };
        let (added, _) = steps::add(&erin, spv, new).await.unwrap();
        assert_eq!(added.due_date.unwrap().to_string(), "2027-01-04", "a Monday");
    })
    .await;
}

#[tokio::test]
async fn payout_runs_use_the_office_time_zone() {
    on_both(async |world| {
        for (zone, instant, year, day) in [
            ("Pacific/Kiritimati", "2026-12-31T14:05:00Z", "PAY-2027-", "2027-01-01"),
            ("Pacific/Honolulu", "2027-01-01T09:55:00Z", "PAY-2026-", "2026-12-31"),
        ] {
            set_office_zone(&world, zone).await;
            let world = at_time(&world, instant);
            let acme = world.company(zone).await;
            let (iso, _) = world.iso(zone.rsplit('/').next().unwrap(), acme).await;
            let (_, spv, _) = world.client(&format!("Maya{year}"), acme, Some(iso)).await;
            let sam = world.super_admin(&format!("Sam{}", &zone[8..])).await;
            for step in spvs::get(&sam, spv).await.unwrap().steps {
                let done = steps::Change { status: Some("completed".to_owned()), ..steps::Change::default() };
                steps::update(&sam, step.id, None, done).await.unwrap();
            }
            let pending = domain::orders::commissions::pending(&sam, Some(iso)).await.unwrap();
            domain::orders::commissions::approve_all(&sam, &pending.approvable).await.unwrap();
            let run = domain::orders::commissions::open(&sam).await.unwrap().run;
            assert!(run.name().starts_with(year), "{} in {zone}", run.name());
            let paid = domain::orders::commissions::pay(&sam, run.id, None, None).await.unwrap().run;
            assert_eq!(paid.paid_date.unwrap().to_string(), day, "{zone}");
        }
    })
    .await;
}

#[tokio::test]
async fn order_dates_default_to_the_users_today() {
    on_both(async |world| {
        let acme: CompanyId = world.company("Acme").await;
        let elias = world.employee("Elias").await;
        let world = at_time(&world, "2026-11-28T03:00:00Z");
        let in_zone = async |zone: &str| {
            let elias = Ctx { clock: world.clock.clone(), ..elias.clone() };
            set_user_zone(&world, &elias, zone).await
        };
        let ordered = async |zone: &str, n: u32, date: Option<&str>| {
            let input = onboarding::ClientInput {
                first_name: "Ana".to_owned(),
                last_name: "Ruiz".to_owned(),
                email: format!("ana{n}@example.com"),
                company_id: Some(acme),
                price: Some("10".to_owned()),
                ordered_date: date.map(str::to_owned),
                ..onboarding::ClientInput::default()
            };
            let made = onboarding::create_client(&in_zone(zone).await, Setup::Full, input).await.unwrap();
            made.spv.ordered_date.to_string()
        };
        assert_eq!(ordered("Pacific/Kiritimati", 1, None).await, "2026-11-28");
        assert_eq!(ordered("Pacific/Honolulu", 2, None).await, "2026-11-27");
        assert_eq!(ordered("Pacific/Honolulu", 3, Some("2026-11-02")).await, "2026-11-02");
        // The same for file names and the latest allowed date of birth.
        let honolulu = in_zone("Pacific/Honolulu").await;
        assert_eq!(settings::person_today(&honolulu).await.unwrap().to_string(), "2026-11-27");
        let born = |day: &str| UpdateProfile { dob: Some(day.to_owned()), ..UpdateProfile::default() };
        let tomorrow = people::update_profile(&honolulu, None, born("2026-11-28")).await.unwrap_err();
        assert_eq!(code(&tomorrow), "dob future");
        let tokyo = in_zone("Asia/Tokyo").await;
        people::update_profile(&tokyo, None, born("2026-11-28")).await.unwrap();
        // The operator uses the office's time zone.
        assert_eq!(settings::person_today(&world.operator()).await.unwrap().to_string(), "2026-11-27");
    })
    .await;
}

#[tokio::test]
async fn tasks_and_request_desk_agree_on_overdue() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let acme = world.company("Acme").await;
        let (_, spv, _) = world.client("Maya", acme, None).await;
        let me = elias.actor.user_id().unwrap();
        let input = requests::Input {
            kind: "other".to_owned(),
            name: "Elias Test".to_owned(),
            email: "elias@example.com".to_owned(),
            message: "Please call.".to_owned(),
            priority: Some("high".to_owned()),
            assignee_id: Some(me),
            ..requests::Input::default()
        };
        let request = requests::create(&elias, input).await.unwrap();
        let mine = steps::Change { assignee_id: Some(Some(me)), ..steps::Change::default() };
        let step = spvs::get(&elias, spv).await.unwrap().steps[0].id;
        steps::update(&elias, step, None, mine).await.unwrap();
        due_on(&world, spv, "2026-11-20").await;
        // One hour before and after the due time, on the same day.
        for (minutes, late) in [(-60, false), (60, true)] {
            let clock = Clock::fixed(request.due_at + Duration::minutes(minutes));
            let elias = Ctx { clock, ..elias.clone() };
            let desk = requests::summary(&elias).await.unwrap();
            let counted: i64 = desk.queue.iter().map(|queue| queue.overdue).sum();
            let (found, _) = tasks::mine(&elias).await.unwrap();
            let task = found.iter().find(|task| task.kind == tasks::Kind::Request).unwrap();
            assert_eq!((counted > 0, task.overdue, task.due_at), (late, late, Some(request.due_at)), "{minutes}");
        }
        // A step is overdue after the office's day has ended, as the performance card counts; a step of a held order is
        // not.
        let late = async || {
            let (found, _) = tasks::mine(&elias).await.unwrap();
            found.iter().filter(|task| task.kind == tasks::Kind::Step && task.overdue).count()
        };
        assert_eq!(late().await, 1);
        assert!(tasks::performance(&elias).await.unwrap().overdue > 0);
        spvs::hold(&elias, spv, None, "Waits").await.unwrap();
        assert_eq!((late().await, tasks::performance(&elias).await.unwrap().overdue), (0, 0));
    })
    .await;
}

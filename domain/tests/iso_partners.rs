//! ISO partners: leads and their protection, calls, notes and clients, and isolation between partners.
use chrono::{DateTime, Duration};
use domain::{
    Ctx, Error,
    accounts::users,
    desk::{
        people,
        requests::{self, Kind, Priority, Request, ResultKind},
    },
    directory::{
        calls::{self, Status},
        clients, companies, iso_notes, isos,
        leads::{self, Change, Input, Stage},
    },
    kernel::{
        access::Role,
        db::{Dialect, Sql},
        page::PageQuery,
    },
    operations::recount,
    orders::{
        commissions,
        onboarding::{self, ConversionTerms, Setup},
        spvs, steps,
    },
    outbox::notifications,
    platform::activity,
    reporting::{dashboards, search},
    testing::{World, code, on_both},
};

fn lead(first: &str, phone: Option<&str>) -> Input {
    Input {
        first_name: first.to_owned(),
        last_name: "Lead".to_owned(),
        email: format!("{}@lead.example", first.to_lowercase()),
        phone: phone.map(str::to_owned),
        ..Input::default()
    }
}

fn terms() -> ConversionTerms {
    ConversionTerms { price: Some("1000".to_owned()), commission: Some("100".to_owned()), ..ConversionTerms::default() }
}

#[tokio::test]
async fn lead_is_protected_for_ninety_days() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (_, igor) = world.iso("Igor", company).await;
        world.client("Maya", company, Some(iso)).await;
        let lena = leads::create(&ingrid, lead("Lena", Some("+1 (555) 010-2030"))).await.unwrap();
        assert_eq!((lena.stage, lena.protected_until.to_string().as_str()), (Stage::New, "2027-02-19"));
        assert_eq!(lena.protected_days(ingrid.now()), Some(90));

        // The same error whether another partner, the partner itself or the office has the person.
        let same = Input { email: "LENA@lead.example".to_owned(), ..lead("Someone", None) };
        let phone = lead("Other", Some("15550102030"));
        let client = Input { email: "maya@example.com".to_owned(), ..lead("Maya", None) };
        for taken in [same.clone(), phone.clone(), client] {
            for who in [&ingrid, &igor] {
                let error = leads::create(who, taken.clone()).await.unwrap_err();
                let Error::Conflict(problem) = &error else { panic!("{error:?}") };
                assert_eq!((problem.code, problem.params.len()), ("lead_taken", 0));
            }
        }
        assert_eq!(
            code(&leads::create(&ingrid, Input::default()).await.unwrap_err()),
            "first_name required, last_name required, email required"
        );
        let bad = Input { next_step_date: Some("soon".to_owned()), ..lead("Bad", None) };
        assert_eq!(code(&leads::create(&ingrid, bad).await.unwrap_err()), "next_step_date invalid_date");

        // A lost lead, or 90 days, frees the person.
        let stage = |stage: &str| Change { stage: Some(stage.to_owned()), ..Change::default() };
        let lost = leads::update(&ingrid, lena.id, Some(lena.version), stage("lost")).await.unwrap();
        assert_eq!(
            code(&leads::update(&ingrid, lena.id, Some(lena.version), stage("new")).await.unwrap_err()),
            "stale"
        );
        let igors = leads::create(&igor, phone.clone()).await.unwrap();
        assert_eq!(code(&leads::update(&ingrid, lost.id, None, stage("contacted")).await.unwrap_err()), "lead_taken");
        world.clock.advance(Duration::days(90));
        assert_eq!(igors.protected_days(igor.now()), Some(0), "0 on the last day");
        assert_eq!(code(&leads::update(&ingrid, lost.id, None, stage("contacted")).await.unwrap_err()), "lead_taken");
        world.clock.advance(Duration::days(1));
        assert_eq!(igors.protected_days(igor.now()), None);
        leads::update(&ingrid, lost.id, None, stage("contacted")).await.unwrap();
        assert_eq!(
            code(&leads::update(&ingrid, lost.id, None, stage("won")).await.unwrap_err()),
            "stage won_by_conversion"
        );
        assert_eq!(code(&leads::update(&ingrid, lost.id, None, stage("gone")).await.unwrap_err()), "stage unknown");
    })
    .await;
}

#[tokio::test]
async fn lead_protection_uses_the_company_time_zone() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (_, ingrid) = world.iso("Ingrid", company).await;
        let orbis = world.company("Orbis").await;
        let (_, igor) = world.iso("Igor", orbis).await;
        let (clara, oscar) = (world.company_admin("Clara", company).await, world.company_admin("Oscar", orbis).await);
        // Noon UTC is the next day in Kiritimati and 7:00 in New York.
        for (admin, company, zone) in [(&clara, company, "Pacific/Kiritimati"), (&oscar, orbis, "America/New_York")] {
            let there = companies::SettingsInput { time_zone: Some(zone.to_owned()), ..Default::default() };
            companies::set(admin, company, None, there).await.unwrap();
        }
        let lena = leads::create(&ingrid, lead("Lena", None)).await.unwrap();
        assert_eq!(lena.protected_until.to_string(), "2027-02-20");
        assert_eq!(lena.protected_days(ingrid.now()), Some(90));
        // The request is due when the last day ends in the company's time zone.
        let otto = leads::create(&igor, lead("Otto", None)).await.unwrap();
        assert_eq!(otto.protected_until.to_string(), "2027-02-19");
        let all = requests_of(&world.employee("Elias").await, Kind::Lead).await;
        for (lead, due) in [(&lena, "2027-02-20T10:00:00+00:00"), (&otto, "2027-02-20T05:00:00+00:00")] {
            let due_at = all.iter().find(|request| request.lead_id == Some(lead.id)).unwrap().due_at;
            assert_eq!(due_at.to_rfc3339(), due);
            assert_eq!(lead.protected_days(due_at - Duration::seconds(1)), Some(0));
            assert_eq!(lead.protected_days(due_at), None);
        }
        // The last hour of the last day there and the first of the next, both on the same UTC day.
        world.clock.advance(Duration::days(90) + Duration::hours(21));
        assert_eq!(lena.protected_days(igor.now()), Some(0));
        assert_eq!(code(&leads::create(&igor, lead("Lena", None)).await.unwrap_err()), "lead_taken");
        world.clock.advance(Duration::hours(1));
        assert_eq!(lena.protected_days(igor.now()), None);
        leads::create(&igor, lead("Lena", None)).await.unwrap();
    })
    .await;
}

/// Both check whether the person is free before either writes.
#[tokio::test]
async fn creating_a_client_waits_for_concurrent_leads() {
    on_both(async |world: World| {
        if world.db.clone().dialect() == Dialect::Sqlite {
            return;
        }
        let company = world.company("Meridian").await;
        let elias = world.super_admin("Elias").await;
        let mut adding = world.db.begin().await.unwrap();
        adding.sql("select pg_advisory_xact_lock(hashtextextended('leads', 0))").run().await.unwrap();
        let lena = people::CreateUser {
            first_name: "Lena".to_owned(),
            last_name: "Lead".to_owned(),
            email: "lena@lead.example".to_owned(),
            company_id: Some(company),
            ..people::CreateUser::default()
        };
        let making = tokio::spawn(async move { people::create(&elias, Role::Client, lena).await });
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert!(!making.is_finished());
        adding.commit().await.unwrap();
        making.await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn partner_sees_progress_of_its_own_orders_only() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (other, _) = world.iso("Igor", company).await;
        let (sam, clara) = (world.super_admin("Sam").await, world.company_admin("Clara", company).await);
        let (maya, spv, me) = world.client("Maya", company, Some(iso)).await;
        let ordered = async |iso| {
            let input = onboarding::OrderInput {
                client_id: Some(maya),
                company_id: Some(company),
                iso_id: iso,
                purchase_amount: Some("1000".to_owned()),
                ..onboarding::OrderInput::default()
            };
            onboarding::create_order(&sam, input).await.unwrap().spv.id
        };
        let finish = async |spv| {
            let ids: Vec<_> = spvs::get(&sam, spv).await.unwrap().steps.iter().map(|step| step.id).collect();
            steps::complete(&sam, spv, None, &ids).await.unwrap();
        };
        finish(spv).await;
        for foreign in [Some(other), None] {
            ordered(foreign).await;
        }
        let gone = ordered(Some(iso)).await;
        spvs::cancel(&sam, gone, None, "The deal is off").await.unwrap();
        let listed = async |ctx: &Ctx| {
            clients::list(ctx, &clients::Filter::default(), &PageQuery::default()).await.unwrap().items
        };
        let mine = listed(&ingrid).await;
        let progress = clients::progress(&ingrid, &mine).await.unwrap().unwrap();
        assert_eq!((progress[&maya].spvs, progress[&maya].percent()), (1, 100));
        for ctx in [&sam, &clara, &me] {
            assert_eq!(clients::progress(ctx, &listed(ctx).await).await.unwrap(), None);
        }
        // An archived client stays in the company's client list, like in its figures.
        clients::archive(&sam, maya, None).await.unwrap();
        assert!(listed(&clara).await.is_empty());
        let found = companies::clients(&clara, company, None, &PageQuery::default()).await.unwrap().items;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].client.status, found[0].progress.spvs), (users::Status::Archived, 3));
    })
    .await;
}

/// The list contains every client that the overview counts, wherever they belong now, and marks those not counted.
#[tokio::test]
async fn company_sees_former_clients_with_order_data_only() {
    on_both(async |world: World| {
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harbor").await);
        let (iso, _) = world.iso("Ingrid", harbor).await;
        let sam = world.super_admin("Sam").await;
        let clara = world.company_admin("Clara", meridian).await;
        let hanna = world.company_admin("Hanna", harbor).await;
        let (maya, here, _) = world.client("Maya", meridian, None).await;
        let noah = world.user(Role::Client, "Noah", Some(meridian), None).await.id;
        let (olaf, gone, _) = world.client("Olaf", meridian, None).await;
        spvs::cancel(&sam, gone, None, "The deal is off").await.unwrap();
        let moved = clients::Change {
            phone: Some("+15550143999".to_owned()),
            address: Some("1 Main Street".to_owned()),
            company_id: Some(harbor),
            iso_id: Some(Some(iso)),
            ..clients::Change::default()
        };
        people::update_client(&sam, maya, None, moved).await.unwrap();
        let input = onboarding::OrderInput {
            client_id: Some(maya),
            company_id: Some(harbor),
            purchase_amount: Some("1000".to_owned()),
            ..onboarding::OrderInput::default()
        };
        let there = onboarding::create_order(&sam, input).await.unwrap().spv.id;

        let listed = async |ctx: &Ctx, company, q: Option<&str>| {
            let mut rows = Vec::new();
            let mut page = PageQuery { limit: Some(1), cursor: None };
            loop {
                let found = companies::clients(ctx, company, q, &page).await.unwrap();
                rows.extend(found.items);
                page.cursor = found.next_cursor;
                if page.cursor.is_none() {
                    break;
                }
            }
            rows.sort_by_key(|row| row.client.first_name.clone());
            rows
        };
        let all = PageQuery::default();
        for ctx in [&clara, &sam] {
            let rows = listed(ctx, meridian, None).await;
            let notified: Vec<_> = rows.iter().map(|row| (row.client.id, row.ordered, row.progress.spvs)).collect();
            assert_eq!(notified, [(maya, true, 1), (noah, false, 0), (olaf, true, 0)]);
            let counted = dashboards::company(ctx, Some(meridian), &all).await.unwrap().active_clients;
            assert_eq!(counted, 1, "the order of Olaf was cancelled");
            let client = &rows[0].client;
            assert_eq!((client.name().as_str(), client.email.as_str()), ("Maya Test", "maya@example.com"));
            assert_eq!((client.company_id, client.iso_id, client.latest_spv_id), (None, None, None));
            for text in [&client.phone, &client.address, &client.company_name, &client.iso_first_name] {
                assert_eq!(*text, None);
            }
            for (q, found) in [("may", vec![maya]), ("noah", vec![noah]), ("olaf", vec![olaf]), ("15550143", vec![])] {
                let rows = listed(ctx, meridian, Some(q)).await;
                assert_eq!(rows.iter().map(|row| row.client.id).collect::<Vec<_>>(), found, "{q}");
            }
        }
        for q in [None, Some("maya"), Some("15550143")] {
            let rows = listed(&hanna, harbor, q).await;
            assert_eq!(rows.len(), 1, "{q:?}");
            assert_eq!((rows[0].client.id, rows[0].ordered, rows[0].progress.spvs), (maya, true, 1));
            assert_eq!(rows[0].client.phone.as_deref(), Some("+15550143999"));
        }

        // The list grants no access to the listed clients or their other orders.
        for (ctx, own, other) in [(&clara, here, there), (&hanna, there, here)] {
            assert!(spvs::get(ctx, own).await.is_ok());
            assert_eq!(code(&spvs::get(ctx, other).await.unwrap_err()), "not_found");
            let filter = spvs::Filter { client_id: Some(maya), ..spvs::Filter::default() };
            let orders = spvs::list(ctx, &filter, &all).await.unwrap().items;
            assert_eq!(orders.iter().map(|spv| spv.id).collect::<Vec<_>>(), [own]);
        }
        assert_eq!(code(&clients::get(&clara, maya).await.unwrap_err()), "not_found");
        let own = clients::list(&clara, &clients::Filter::default(), &all).await.unwrap().items;
        assert!(own.iter().all(|client| client.id != maya));
        let hits: Vec<_> = search::find(&clara, "maya").await.unwrap().iter().map(|hit| hit.id).collect();
        assert_eq!(hits, [here.0]);

        // Rows of a version that does not store when the client was created.
        let mut tx = clara.begin().await.unwrap();
        tx.sql("update company_clients set client_created_at = $1").bind(DateTime::UNIX_EPOCH).run().await.unwrap();
        tx.commit().await.unwrap();
        assert!(listed(&clara, meridian, None).await.len() <= 3, "pagination ends");
        assert!(!recount::diff(&world.db).await.unwrap().is_empty());
        let mut tx = clara.begin().await.unwrap();
        recount::rebuild(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        let rows = listed(&clara, meridian, None).await;
        assert_eq!(rows.iter().map(|row| row.client.id).collect::<Vec<_>>(), [maya, noah, olaf]);
    })
    .await;
}

#[tokio::test]
async fn protected_lead_cannot_become_another_partners_client() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (other, igor) = world.iso("Igor", company).await;
        let elias = world.employee("Elias").await;
        let lena = leads::create(&ingrid, lead("Lena", Some("+1 (555) 010-2030"))).await.unwrap();
        let make = async |email: &str, phone: Option<&str>, iso: Option<domain::kernel::ids::IsoId>| {
            let input = onboarding::ClientInput {
                first_name: "Lena".to_owned(),
                last_name: "Lead".to_owned(),
                email: email.to_owned(),
                phone: phone.map(str::to_owned),
                company_id: Some(company),
                iso_id: iso,
                price: Some("1000".to_owned()),
                commission: iso.map(|_| "100".to_owned()),
                ..onboarding::ClientInput::default()
            };
            onboarding::create_client(&elias, Setup::Quick, input).await
        };
        for (email, phone, iso) in [
            ("LENA@lead.example", None, Some(other)),
            ("lena@lead.example", None, None),
            ("else@lead.example", Some("1-555-010.2030"), Some(other)),
        ] {
            let error = make(email, phone, iso).await.unwrap_err();
            let Error::Conflict(problem) = &error else { panic!("{error:?}") };
            assert_eq!(problem.code, "lead_protected");
            assert_eq!(problem.params["iso"], "Ingrid Test");
        }
        // With the partner who has the lead, the client is created.
        make("lena@lead.example", None, Some(iso)).await.unwrap();

        // A lost or expired lead frees the person; a conversion checks who has the person now.
        let nora = leads::create(&ingrid, lead("Nora", Some("5550102031"))).await.unwrap();
        world.clock.advance(Duration::days(91));
        let igors =
            leads::create(&igor, Input { email: "n@lead.example".to_owned(), ..lead("Nora", Some("555-0102031")) });
        let igors = igors.await.unwrap();
        let refused = onboarding::convert_lead(&elias, nora.id, None, Setup::Quick, terms()).await.unwrap_err();
        assert_eq!(code(&refused), "lead_protected");
        let lost = Change { stage: Some("lost".to_owned()), ..Change::default() };
        leads::update(&elias, igors.id, None, lost).await.unwrap();
        onboarding::convert_lead(&elias, nora.id, None, Setup::Quick, terms()).await.unwrap();

        // A client is also recognized by the phone's digits.
        make("omar@elsewhere.example", Some("+49 (0)30 / 901-820.11"), None).await.unwrap();
        let same = leads::create(&igor, lead("Omar", Some("+49 030 90182011"))).await.unwrap_err();
        let Error::Conflict(problem) = &same else { panic!("{same:?}") };
        assert_eq!((problem.code, problem.params.len()), ("lead_taken", 0));
        drop(lena);
    })
    .await;
}

/// Concurrent leads of one person.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_leads_of_one_person_succeed_once() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let mut attempts = Vec::new();
        for n in 0..6 {
            let (_, partner) = world.iso(&format!("Ingrid{n}"), company).await;
            attempts.push(tokio::spawn(async move { leads::create(&partner, lead("Lena", Some("5550102030"))).await }));
        }
        let mut made = 0;
        for one in attempts {
            match one.await.unwrap() {
                Ok(_) => made += 1,
                Err(e) => assert_eq!(code(&e), "lead_taken"),
            }
        }
        assert_eq!(made, 1);
    })
    .await;
}

#[tokio::test]
async fn lead_converts_once_and_keeps_its_partner() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (sam, elias) = (world.super_admin("Sam").await, world.employee("Elias").await);
        let lena = leads::create(&ingrid, lead("Lena", None)).await.unwrap();
        assert_eq!(dashboards::iso(&ingrid).await.unwrap().pending_leads, 1);
        assert_eq!(
            code(&onboarding::convert_lead(&ingrid, lena.id, None, Setup::Quick, terms()).await.unwrap_err()),
            "forbidden"
        );
        let none = onboarding::convert_lead(&elias, lena.id, None, Setup::Quick, ConversionTerms::default())
            .await
            .unwrap_err();
        assert_eq!(code(&none), "price required, commission required");
        let attempts = futures::future::join_all(
            (0..5).map(|_| onboarding::convert_lead(&elias, lena.id, None, Setup::Quick, terms())),
        )
        .await;
        let refused: Vec<_> = attempts.iter().filter_map(|t| t.as_ref().err()).map(code).collect();
        assert_eq!(refused.len(), 4, "{refused:?}");
        assert!(refused.iter().all(|code| ["lead_won", "stale"].contains(&code.as_str())), "{refused:?}");
        let won = leads::get(&ingrid, lena.id).await.unwrap();
        let (client, spv) = (won.client_id.unwrap(), won.spv_id.unwrap());
        let made = clients::get(&ingrid, client).await.unwrap();
        assert_eq!((made.iso_id, made.email.as_str(), won.stage), (Some(iso), "lena@lead.example", Stage::Won));
        let order = spvs::get(&ingrid, spv).await.unwrap();
        assert_eq!(
            (order.spv.iso_id, order.spv.client_id, order.spv.iso_commission_minor),
            (Some(iso), client, Some(10_000))
        );
        assert_eq!(code(&leads::update(&ingrid, lena.id, None, Change::default()).await.unwrap_err()), "lead_won");

        // The partner's dashboard shows the latest entry of each client.
        activity::sequence_all(&world.operator()).await.unwrap();
        let latest = async || {
            activity::sequence_all(&world.operator()).await.unwrap();
            let shown = dashboards::iso(&ingrid).await.unwrap().clients.remove(0);
            (shown.client.id, shown.latest.unwrap().action)
        };
        spvs::hold(&elias, spv, None, "A paper is missing").await.unwrap();
        assert_eq!(latest().await, (client, "spv.held".to_owned()));
        spvs::resume(&elias, spv, None).await.unwrap();
        assert_eq!(latest().await, (client, "spv.resumed".to_owned()));

        // The order closes, the commission is approved and paid; the partner and its company see the same amounts.
        let ids: Vec<_> = order.steps.iter().map(|step| step.id).collect();
        steps::complete(&sam, spv, None, &ids).await.unwrap();
        let rows = commissions::list(&ingrid, &Default::default(), &PageQuery::default()).await.unwrap().items;
        commissions::approve(&elias, &[rows[0].id]).await.unwrap();
        let run = commissions::open(&elias).await.unwrap();
        commissions::pay(&elias, run.run.id, None, None).await.unwrap();
        let cards = commissions::overview(&ingrid, None, commissions::Period::ThisMonth).await.unwrap().cards;
        assert_eq!((cards[0].paid_minor, cards[0].total_minor), (10_000, 10_000));
        let board = dashboards::iso(&ingrid).await.unwrap();
        assert_eq!((board.pending_leads, board.completed_spvs, board.monthly_commissions[0].minor), (0, 1, 10_000));
        let clara = world.company_admin("Clara", company).await;
        assert_eq!(commissions::totals(&clara, &Default::default()).await.unwrap()[0].paid_minor, 10_000);
    })
    .await;
}

#[tokio::test]
async fn call_is_confirmed_at_a_proposed_time() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, ingrid) = world.iso("Ingrid", company).await;
        let elias = world.employee("Elias").await;
        let now = ingrid.now();
        let at = |days: i64| now + Duration::days(days);
        let ask = |times: Vec<_>| calls::Input { topic: "Terms".to_owned(), times, ..Default::default() };
        for (times, refused) in [
            (vec![], "times required"),
            (vec![at(-1)], "times past"),
            (vec![at(1), at(1)], "times twice"),
            (vec![at(1), at(2), at(3), at(4)], "times too_many"),
            (vec![at(400)], "times too_far"),
        ] {
            assert_eq!(code(&calls::create(&ingrid, ask(times)).await.unwrap_err()), refused);
        }
        let long = calls::Input { minutes: Some(600), topic: String::new(), ..ask(vec![at(1)]) };
        assert_eq!(code(&calls::create(&ingrid, long).await.unwrap_err()), "topic required, minutes out_of_range");
        assert_eq!(code(&calls::create(&elias, ask(vec![at(1)])).await.unwrap_err()), "forbidden");
        let call = calls::create(&ingrid, ask(vec![at(2), at(1)])).await.unwrap();
        assert_eq!((call.proposed.clone(), call.status), (vec![at(1), at(2)], Status::Requested));
        assert_eq!(code(&calls::confirm(&ingrid, call.id, None, Some(at(1)), None).await.unwrap_err()), "forbidden");
        assert_eq!(
            code(&calls::confirm(&elias, call.id, None, Some(at(3)), None).await.unwrap_err()),
            "begins_at not_proposed"
        );
        assert_eq!(code(&calls::confirm(&elias, call.id, None, None, None).await.unwrap_err()), "begins_at required");
        assert_eq!(code(&calls::decline(&elias, call.id, None, " ").await.unwrap_err()), "reason required");
        let confirmed = calls::confirm(&elias, call.id, Some(1), Some(at(2)), Some("+1 555 0100")).await.unwrap();
        assert_eq!((confirmed.status, confirmed.begins_at), (Status::Confirmed, Some(at(2))));
        assert_eq!(code(&calls::decline(&elias, call.id, None, "No").await.unwrap_err()), "call_answered");
        assert_eq!(code(&calls::cancel(&ingrid, call.id, Some(1)).await.unwrap_err()), "stale");
        assert_eq!(calls::cancel(&ingrid, call.id, None).await.unwrap().status, Status::Cancelled);
        assert_eq!(code(&calls::cancel(&ingrid, call.id, None).await.unwrap_err()), "call_answered");
    })
    .await;
}

/// All requests of a kind.
async fn requests_of(ctx: &Ctx, kind: Kind) -> Vec<Request> {
    let filter = requests::Filter { kind: Some(kind), ..Default::default() };
    requests::list(ctx, &filter, &PageQuery::default()).await.unwrap().items
}

/// Notified actions, newest first.
async fn notified_actions(ctx: &Ctx) -> Vec<String> {
    activity::sequence_all(ctx).await.unwrap();
    notifications::process_pending(ctx).await.unwrap();
    let page = notifications::list(ctx, false, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|notified| notified.activity.action).collect()
}

fn stage(stage: Stage) -> Change {
    Change { stage: Some(stage.name().to_owned()), ..Change::default() }
}

#[tokio::test]
async fn lead_request_follows_the_lead() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (_, ingrid) = world.iso("Ingrid", company).await;
        let (_, igor) = world.iso("Igor", company).await;
        let (clara, elias) = (world.company_admin("Clara", company).await, world.employee("Elias").await);
        let notified_before = notified_actions(&elias).await.len();
        let lena = Input { note: Some("Wants a fund.".to_owned()), ..lead("Lena", None) };
        let lena = leads::create(&ingrid, lena).await.unwrap().id;
        let all = requests_of(&elias, Kind::Lead).await;
        assert_eq!(all.len(), 1);
        let id = all[0].id;
        let is = async || {
            let found = requests::get(&elias, id).await.unwrap();
            (found.status, found.reason)
        };
        assert_eq!((all[0].lead_id, all[0].user_id), (Some(lena), ingrid.actor.user_id()));
        assert_eq!((all[0].name.as_str(), all[0].message.as_str()), ("Lena Lead", "Wants a fund."));
        // The request is due when the lead's protection ends, in New York.
        assert_eq!(
            (all[0].priority, all[0].due_at.to_rfc3339().as_str()),
            (Priority::Low, "2027-02-20T05:00:00+00:00")
        );
        assert_eq!(requests::can(&elias, &all[0]), ["convert", "reject", "review", "update"]);
        assert_eq!(requests::can(&ingrid, &requests_of(&ingrid, Kind::Lead).await[0]), ["withdraw"]);
        for stranger in [&igor, &clara] {
            assert!(requests_of(stranger, Kind::Lead).await.is_empty());
            assert_eq!(code(&requests::get(stranger, id).await.unwrap_err()), "not_found");
            assert_eq!(code(&requests::withdraw(stranger, id, None).await.unwrap_err()), "not_found");
            assert_eq!(code(&requests::reject(stranger, id, None, "No").await.unwrap_err()), "not_found");
        }
        assert_eq!(code(&requests::reject(&ingrid, id, None, "No").await.unwrap_err()), "forbidden");
        assert_eq!(code(&requests::withdraw(&elias, id, None).await.unwrap_err()), "forbidden");
        assert_eq!(code(&requests::approve(&elias, id, None, None).await.unwrap_err()), "approved_by_lead");
        // The lead's stage does not change the request, its name does.
        let change = Change { first_name: Some("Magdalena".to_owned()), ..stage(Stage::Contacted) };
        leads::update(&ingrid, lena, None, change).await.unwrap();
        assert_eq!(is().await, (requests::Status::Pending, None));
        let named = requests::Filter { q: Some("magdal".to_owned()), ..Default::default() };
        assert_eq!(requests::list(&elias, &named, &PageQuery::default()).await.unwrap().items[0].id, id);
        assert_eq!(requests::review(&elias, id, None).await.unwrap().status, requests::Status::InReview);
        // The assignee does not change the due date; a note written since makes the version stale.
        let version = requests::get(&elias, id).await.unwrap().version;
        let nobody = requests::Change { assignee_id: Some(None), ..Default::default() };
        let due = requests::update(&elias, id, Some(version), nobody).await.unwrap().due_at;
        assert_eq!(due, all[0].due_at);
        let note = Change { note: Some("Wants two funds.".to_owned()), ..Change::default() };
        leads::update(&ingrid, lena, None, note).await.unwrap();
        let reworded = requests::get(&elias, id).await.unwrap();
        assert_eq!(reworded.message, "Wants two funds.");
        assert_eq!(code(&requests::reject(&elias, id, Some(version + 1), "No").await.unwrap_err()), "stale");
        // Withdrawn with the lead or as a request, then reopened.
        leads::update(&ingrid, lena, None, stage(Stage::Lost)).await.unwrap();
        assert_eq!(is().await, (requests::Status::Withdrawn, None));
        leads::update(&ingrid, lena, None, stage(Stage::New)).await.unwrap();
        assert_eq!(is().await, (requests::Status::Pending, None));
        requests::withdraw(&ingrid, id, None).await.unwrap();
        assert_eq!(leads::get(&elias, lena).await.unwrap().stage, Stage::Lost);
        leads::update(&elias, lena, None, stage(Stage::Qualified)).await.unwrap();
        // Rejected by the staff, with a reason that the partner reads.
        assert_eq!(code(&requests::reject(&elias, id, Some(1), "No").await.unwrap_err()), "stale");
        assert_eq!(code(&requests::reject(&elias, id, None, " ").await.unwrap_err()), "reason required");
        let refused = requests::reject(&elias, id, None, "Not our business").await.unwrap();
        assert_eq!((refused.status, refused.reason.as_deref()), (requests::Status::Rejected, Some("Not our business")));
        assert_eq!(requests::get(&ingrid, id).await.unwrap().reason.as_deref(), Some("Not our business"));
        assert_eq!(leads::get(&ingrid, lena).await.unwrap().stage, Stage::Lost);
        assert_eq!(code(&requests::reject(&elias, id, None, "No").await.unwrap_err()), "request_decided");
        leads::update(&ingrid, lena, None, stage(Stage::Qualified)).await.unwrap();
        let won = onboarding::convert_lead(&elias, lena, None, Setup::Quick, terms()).await.unwrap();
        let approved = requests::get(&elias, id).await.unwrap();
        assert_eq!((approved.status, approved.reason), (requests::Status::Approved, None));
        assert_eq!((approved.made_kind, approved.made_id), (Some(ResultKind::Client), won.client_id.map(|id| id.0)));
        assert_eq!((approved.spv_id, approved.decided_by.as_deref()), (won.spv_id, Some("Elias Test")));
        // One request throughout, and one notification per event.
        let counted = requests::summary(&elias).await.unwrap().statuses;
        assert_eq!(counted.iter().map(|(_, count)| count).sum::<i64>(), 1);
        let staff = notified_actions(&elias).await;
        let new = &staff[..staff.len() - notified_before];
        assert_eq!(new.iter().filter(|action| action.as_str() == "lead.created").count(), 1, "{new:?}");
        assert!(!new.iter().any(|action| action.starts_with("request.")), "{new:?}");
        let partner = notified_actions(&ingrid).await;
        assert!(partner.contains(&"lead.converted".to_owned()), "{partner:?}");
        // The partner is notified of the rejection, once, and not of its own actions.
        assert_eq!(partner.iter().filter(|action| action.as_str() == "lead.lost").count(), 1, "{partner:?}");
        assert!(!partner.iter().any(|action| action.starts_with("request.")), "{partner:?}");
    })
    .await;
}

#[tokio::test]
async fn call_request_follows_the_call() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (_, ingrid) = world.iso("Ingrid", company).await;
        let (sam, elias) = (world.super_admin("Sam").await, world.employee("Elias").await);
        let at = |hours: i64| ingrid.now() + Duration::hours(hours);
        let ask = async |topic: &str| {
            let note = Some("Two vehicles.".to_owned());
            let input =
                calls::Input { topic: topic.to_owned(), note, times: vec![at(30), at(90)], ..Default::default() };
            let call = calls::create(&ingrid, input).await.unwrap();
            let found = requests_of(&elias, Kind::Call).await;
            (call.id, found.into_iter().find(|request| request.call_id == Some(call.id)).unwrap())
        };
        let (call, request) = ask("Terms").await;
        assert_eq!(
            (request.message.as_str(), request.email.as_str()),
            ("Terms\n\nTwo vehicles.", "ingrid@example.com")
        );
        // An answer is due before the first proposed time.
        assert_eq!((request.priority, request.due_at), (Priority::Medium, at(30)));
        assert_eq!(requests::can(&elias, &request), ["confirm", "reject", "review", "update"]);
        assert_eq!(code(&requests::approve(&elias, request.id, None, None).await.unwrap_err()), "approved_by_call");
        calls::confirm(&elias, call, None, Some(at(90)), Some("We call you.")).await.unwrap();
        let confirmed = requests::get(&ingrid, request.id).await.unwrap();
        assert_eq!((confirmed.status, confirmed.reason.as_deref()), (requests::Status::Approved, Some("We call you.")));
        calls::cancel(&ingrid, call, None).await.unwrap();
        assert_eq!(requests::get(&elias, request.id).await.unwrap().status, requests::Status::Approved);

        let (call, request) = ask("Fees").await;
        let declined = requests::reject(&elias, request.id, None, "Unassigned is here").await.unwrap();
        assert_eq!(declined.status, requests::Status::Rejected);
        let answer = calls::get(&ingrid, call).await.unwrap();
        assert_eq!((answer.status, answer.answer.as_deref()), (Status::Declined, Some("Unassigned is here")));

        let (call, request) = ask("Banks").await;
        assert_eq!(requests::withdraw(&ingrid, request.id, None).await.unwrap().status, requests::Status::Withdrawn);
        assert_eq!(calls::get(&elias, call).await.unwrap().status, Status::Cancelled);

        // Concurrent confirmation of the call and rejection of its request: one succeeds.
        for n in 0..5 {
            let (call, request) = ask(&format!("At once {n}")).await;
            let (confirmed, declined) = tokio::join!(
                calls::confirm(&sam, call, None, Some(at(30)), None),
                requests::reject(&elias, request.id, None, "No")
            );
            let refused: Vec<_> = [confirmed.err(), declined.err()].iter().flatten().map(code).collect();
            assert_eq!(refused.len(), 1, "{refused:?}");
            assert!(["call_answered", "request_decided"].contains(&refused[0].as_str()), "{refused:?}");
            let (call, request) =
                (calls::get(&sam, call).await.unwrap(), requests::get(&sam, request.id).await.unwrap());
            assert_eq!(call.status == Status::Confirmed, request.status == requests::Status::Approved);
            assert_eq!(call.status == Status::Declined, request.status == requests::Status::Rejected);
        }
        let notified = notified_actions(&elias).await;
        assert!(!notified.iter().any(|action| action.starts_with("request.")), "{notified:?}");
    })
    .await;
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn partner_is_corrected_with_its_account() {
    on_both(async |world: World| {
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harbor").await);
        let (iso, _) = world.iso("Inse", meridian).await;
        let (elias, sam) = (world.employee("Elias").await, world.super_admin("Sam").await);
        let (clara, hanna) = (world.company_admin("Clara", meridian).await, world.company_admin("Hanna", harbor).await);
        let before = isos::get(&elias, iso).await.unwrap();
        assert!(isos::can(&elias, &before).contains(&"update") && !isos::can(&clara, &before).contains(&"update"));
        let change = isos::Change {
            first_name: text(" Ines "),
            last_name: text("Vega"),
            phone: text("+1 555 0142"),
            company_id: Some(harbor),
        };
        let after = isos::update(&elias, iso, Some(before.version), change.clone()).await.unwrap();
        assert_eq!((after.name().as_str(), after.phone.as_deref()), ("Ines Vega", Some("+1 555 0142")));
        assert_eq!((after.company_id, after.company_name.as_str()), (harbor, "Harbor"));
        assert_eq!((after.email.as_str(), after.version), ("inse@example.com", before.version + 1));
        let account = users::get(&sam, after.user_id).await.unwrap();
        assert_eq!((account.name(), account.phone, account.company_id), (after.name(), after.phone, Some(harbor)));
        assert_eq!(isos::update(&elias, iso, None, change).await.unwrap().version, after.version, "no difference");

        // Both are found by the new name, and by the new company's admins only.
        let found = async |ctx: &Ctx, q: &str| {
            let filter = isos::Filter { q: text(q), ..Default::default() };
            isos::list(ctx, &filter, &PageQuery::default()).await.unwrap().items.len()
        };
        assert_eq!([found(&elias, "vega").await, found(&elias, "test").await], [1, 0]);
        assert_eq!([found(&hanna, "vega").await, found(&clara, "vega").await], [1, 0]);
        assert_eq!(code(&isos::get(&clara, iso).await.unwrap_err()), "not_found");
        let query = users::UserQuery { q: text("vega"), ..Default::default() };
        assert_eq!(users::page(&sam, &query, &PageQuery::default()).await.unwrap().page.items.len(), 1);
        assert!(recount::diff(&world.db).await.unwrap().is_empty());

        activity::sequence_all(&world.operator()).await.unwrap();
        let log = activity::list(&sam, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        let entries: Vec<_> = log.iter().filter(|entry| entry.action == "iso.updated").collect();
        assert_eq!(entries.len(), 1);
        for (field, was, is) in [
            ("first_name", Some("Inse"), "Ines"),
            ("last_name", Some("Test"), "Vega"),
            ("phone", None, "+1 555 0142"),
            ("company_name", Some("Meridian"), "Harbor"),
        ] {
            let data = &entries[0].data;
            assert_eq!((data["before"][field].as_str(), data["after"][field].as_str()), (was, Some(is)), "{field}");
        }

        // An empty phone clears; fields left out stay.
        let cleared = isos::Change { phone: text(""), ..Default::default() };
        let cleared = isos::update(&sam, iso, Some(after.version), cleared).await.unwrap();
        assert_eq!((cleared.name().as_str(), cleared.phone, cleared.company_id), ("Ines Vega", None, harbor));
    })
    .await;
}

#[tokio::test]
async fn only_staff_correct_a_partner_and_only_its_current_row() {
    on_both(async |world: World| {
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harbor").await);
        let (iso, ingrid) = world.iso("Ingrid", meridian).await;
        let (_, igor) = world.iso("Igor", meridian).await;
        let (_, _, maya) = world.client("Maya", meridian, Some(iso)).await;
        let (clara, hanna) = (world.company_admin("Clara", meridian).await, world.company_admin("Hanna", harbor).await);
        let (elias, sam) = (world.employee("Elias").await, world.super_admin("Sam").await);
        let named = |name: &str| isos::Change { first_name: text(name), ..Default::default() };
        for (ctx, refusal) in [
            (&world.anonymous(), "unauthenticated"),
            (&maya, "not_found"),
            (&ingrid, "forbidden"),
            (&igor, "not_found"),
            (&clara, "forbidden"),
            (&hanna, "not_found"),
        ] {
            assert_eq!(code(&isos::update(ctx, iso, None, named("Inga")).await.unwrap_err()), refusal);
        }
        let mut version = isos::get(&elias, iso).await.unwrap().version;
        for (ctx, name) in [(&elias, "Inga"), (&sam, "Inge"), (&world.operator(), "Ines")] {
            let after = isos::update(ctx, iso, Some(version), named(name)).await.unwrap();
            assert_eq!((after.first_name.as_str(), after.version), (name, version + 1));
            assert_eq!(code(&isos::update(ctx, iso, Some(version), named("Old")).await.unwrap_err()), "stale");
            version = after.version;
        }
        let unknown = domain::kernel::ids::IsoId(world.random.uuid());
        assert_eq!(code(&isos::update(&elias, unknown, None, named("Inga")).await.unwrap_err()), "not_found");

        // What the partner itself has changed meanwhile is not overwritten.
        let own = users::UpdateProfile { phone: text("+1 555 0142"), ..Default::default() };
        people::update_profile(&ingrid, None, own).await.unwrap();
        assert_eq!(code(&isos::update(&elias, iso, Some(version), named("Inga")).await.unwrap_err()), "stale");
        let own = users::UpdateProfile { city: text("Lisbon"), ..Default::default() };
        people::update_profile(&ingrid, None, own).await.unwrap();
        isos::update(&elias, iso, Some(version + 1), named("Inga"))
            .await
            .expect("the city is not on the partner's row");

        let archived = isos::archive(&elias, iso, None).await.unwrap();
        assert!(!isos::can(&elias, &archived).contains(&"update"));
        assert_eq!(code(&isos::update(&elias, iso, None, named("Ines")).await.unwrap_err()), "archived");
    })
    .await;
}

#[tokio::test]
async fn wrong_fields_of_a_partner_are_refused_by_name() {
    on_both(async |world: World| {
        let (meridian, closed) = (world.company("Meridian").await, world.company("Closed").await);
        let (iso, _) = world.iso("Ingrid", meridian).await;
        let elias = world.employee("Elias").await;
        companies::archive(&elias, closed, None).await.unwrap();
        let before = isos::get(&elias, iso).await.unwrap();
        let unknown = domain::kernel::ids::CompanyId(world.random.uuid());
        let long = "x".repeat(1_000);
        let none = isos::Change::default;
        for (change, refusal) in [
            (isos::Change { first_name: text(" "), ..none() }, "first_name required"),
            (isos::Change { first_name: text(&long), ..none() }, "first_name too_long"),
            (isos::Change { last_name: text(""), ..none() }, "last_name required"),
            (isos::Change { last_name: text(&long), ..none() }, "last_name too_long"),
            (isos::Change { phone: text("unknown"), ..none() }, "phone invalid_phone"),
            (isos::Change { company_id: Some(unknown), ..none() }, "company_id not_found"),
            (isos::Change { company_id: Some(closed), ..none() }, "company_id not_found"),
            (
                isos::Change { first_name: text(""), last_name: text(""), phone: text("unknown"), ..none() },
                "first_name required, last_name required, phone invalid_phone",
            ),
        ] {
            assert_eq!(code(&isos::update(&elias, iso, None, change).await.unwrap_err()), refusal);
        }
        assert_eq!(isos::get(&elias, iso).await.unwrap(), before);
    })
    .await;
}

#[tokio::test]
async fn partner_with_clients_leads_or_orders_keeps_its_company() {
    on_both(async |world: World| {
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harbor").await);
        let (iso, _) = world.iso("Ingrid", meridian).await;
        let (solo, sol) = world.iso("Sol", meridian).await;
        world.client("Maya", meridian, Some(iso)).await;
        leads::create(&sol, lead("Lena", None)).await.unwrap();
        let elias = world.employee("Elias").await;
        let moved = isos::Change { company_id: Some(harbor), last_name: text("Vega"), ..Default::default() };
        for (iso, spvs) in [(iso, 1), (solo, 0)] {
            let error = isos::update(&elias, iso, None, moved.clone()).await.unwrap_err();
            let Error::Conflict(problem) = &error else { panic!("{error:?}") };
            let count = |noun: &str| problem.params[noun].as_i64();
            assert_eq!((problem.code, count("clients"), count("spvs")), ("has_dependents", Some(1), Some(spvs)));
            assert_eq!(isos::get(&elias, iso).await.unwrap().last_name, "Test", "all or nothing");
            // The company as it is does no harm.
            let same = isos::Change { company_id: Some(meridian), ..moved.clone() };
            let after = isos::update(&elias, iso, None, same).await.unwrap();
            assert_eq!((after.last_name.as_str(), after.company_id), ("Vega", meridian));
        }
        assert!(recount::diff(&world.db).await.unwrap().is_empty());
    })
    .await;
}

/// Everything a partner can read, as text.
async fn readable_text(ctx: &Ctx) -> String {
    let page = PageQuery { limit: Some(500), cursor: None };
    let board = dashboards::iso(ctx).await.unwrap();
    let statement =
        commissions::statement(ctx, None, "2026-01-01".parse().unwrap(), "2026-12-31".parse().unwrap()).await.unwrap();
    let mut text = format!(
        "{board:?} {statement:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        clients::list(ctx, &Default::default(), &page).await.unwrap().items,
        spvs::list(ctx, &Default::default(), &page).await.unwrap().items,
        leads::list(ctx, &Default::default(), &page).await.unwrap().items,
        calls::list(ctx, &Default::default(), &page).await.unwrap().items,
        commissions::list(ctx, &Default::default(), &page).await.unwrap().items,
        activity::list(ctx, &Default::default(), &page).await.unwrap().items,
        activity::since(ctx, 0, 1_000).await.unwrap(),
        search::find(ctx, "Sol").await.unwrap(),
    );
    for client in clients::list(ctx, &Default::default(), &page).await.unwrap().items {
        text.push_str(&format!("{:?}", iso_notes::list(ctx, client.id).await.unwrap()));
    }
    text
}

/// Three partners with similar names, two of the same company.
#[tokio::test]
async fn partners_are_isolated_from_each_other() {
    on_both(async |world: World| {
        let meridian = world.company("Meridian").await;
        let harbor = world.company("Harbor").await;
        let sam = world.super_admin("Sam").await;
        let mut partners = Vec::new();
        for (n, (name, company)) in
            [("Sol", meridian), ("Solberg", meridian), ("Solveig", harbor)].into_iter().enumerate()
        {
            let (iso, ctx) = world.iso(name, company).await;
            let mark = format!("Mark{n}of");
            let (client, spv, _) = world.client(&format!("Solange{mark}"), company, Some(iso)).await;
            let ids: Vec<_> = spvs::get(&sam, spv).await.unwrap().steps.iter().map(|step| step.id).collect();
            steps::complete(&sam, spv, None, &ids).await.unwrap();
            iso_notes::create(&ctx, client, &format!("Secret {mark}")).await.unwrap();
            let lead = leads::create(&ctx, lead(&format!("Sola{mark}"), None)).await.unwrap();
            let topic = format!("Solo {mark}");
            let times = vec![ctx.now() + Duration::days(1)];
            let call = calls::create(&ctx, calls::Input { topic, times, ..Default::default() }).await.unwrap();
            partners.push((ctx, mark, client, spv, lead.id, call.id));
        }
        activity::sequence_all(&sam).await.unwrap();
        for (ctx, own, ..) in &partners {
            let text = readable_text(ctx).await;
            for (_, mark, client, spv, lead, call) in &partners {
                assert_eq!(text.contains(mark), mark == own, "{own} and {mark}");
                let notes = iso_notes::list(ctx, *client).await.map(|found| found.len());
                let seen = [
                    clients::get(ctx, *client).await.is_ok(),
                    spvs::get(ctx, *spv).await.is_ok(),
                    leads::get(ctx, *lead).await.is_ok(),
                    calls::get(ctx, *call).await.is_ok(),
                    notes.is_ok(),
                ];
                assert_eq!(seen, [mark == own; 5], "{own} and {mark}");
                if mark != own {
                    let error = leads::update(ctx, *lead, None, Change::default()).await.unwrap_err();
                    assert_eq!(code(&error), "not_found");
                    assert_eq!(code(&calls::cancel(ctx, *call, None).await.unwrap_err()), "not_found");
                    assert_eq!(code(&iso_notes::create(ctx, *client, "x").await.unwrap_err()), "not_found");
                }
            }
        }
        // Notes are visible to the partner only, leads and calls not to the company.
        let clara = world.company_admin("Clara", meridian).await;
        let (_, _, client, _, lead, call) = &partners[0];
        for other in [&sam, &clara] {
            assert_eq!(code(&iso_notes::list(other, *client).await.unwrap_err()), "forbidden");
        }
        assert_eq!(code(&leads::get(&clara, *lead).await.unwrap_err()), "not_found");
        assert_eq!(code(&calls::get(&clara, *call).await.unwrap_err()), "not_found");
        assert_eq!(
            code(&leads::list(&clara, &Default::default(), &PageQuery::default()).await.unwrap_err()),
            "forbidden"
        );
        let notified = format!("{:?}", activity::since(&clara, 0, 1_000).await.unwrap());
        assert!(!notified.contains("SolaMark") && !notified.contains("Solo Mark"), "{notified}");
    })
    .await;
}

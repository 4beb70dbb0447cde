//! Order lifecycle: quick setup, step completion, hold, cancel, reopen, identifiers and idempotency. On both databases.
use domain::{
    Ctx, Error,
    directory::clients,
    kernel::{ids::StepId, page::PageQuery},
    operations::recount,
    orders::{onboarding, spvs, steps},
    platform::{
        activity::{self, Filter},
        queue,
    },
    testing::{World, on_both},
};

fn with_status(status: &str) -> steps::Change {
    steps::Change { status: Some(status.to_owned()), ..steps::Change::default() }
}

async fn complete(ctx: &Ctx, step: StepId) -> spvs::Spv {
    steps::update(ctx, step, None, with_status("completed")).await.expect("the step completes").1
}

fn code(error: &Error) -> &str {
    match error {
        Error::Conflict(p) | Error::Forbidden(p) | Error::Unauthenticated(p) => p.code,
        Error::Invalid(fields) => fields[0].problem.code,
        Error::NotFound(_) => "not_found",
        _ => "other",
    }
}

async fn queued_jobs(world: &World) -> Vec<String> {
    let page = PageQuery { limit: Some(100), cursor: None };
    let jobs = queue::list(&world.operator(), None, &page).await.expect("jobs").items;
    jobs.into_iter().map(|job| job.job).collect()
}

/// Sequences the log and returns the actions visible to the reader, oldest first.
async fn logged_actions(world: &World, ctx: &Ctx) -> Vec<String> {
    activity::sequence_all(&world.operator()).await.expect("sequenced");
    let page = PageQuery { limit: Some(200), cursor: None };
    let mut found: Vec<String> = activity::list(ctx, &Filter::default(), &page)
        .await
        .expect("activity")
        .items
        .into_iter()
        .map(|a| a.action)
        .collect();
    found.reverse();
    found
}

#[tokio::test]
async fn order_goes_from_quick_setup_to_closed() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let elias = world.employee("Elias").await;
        let company = world.company("Meridian").await;
        let input = onboarding::ClientInput {
            first_name: "Maya".into(),
            last_name: "Ortiz".into(),
            email: "Maya.Ortiz@example.com".into(),
            company_id: Some(company),
            price: Some("1250.00".into()),
            ..onboarding::ClientInput::default()
        };
        let made = onboarding::create_client(&elias, onboarding::Setup::Quick, input).await.unwrap();
        assert_eq!(made.client.status, domain::accounts::users::Status::Pending);
        assert_eq!(made.spv.status, spvs::Status::Active);
        assert_eq!(made.spv.steps_total, 8);
        assert_eq!(made.spv.identifier(), format!("SPV-{}", &made.spv.id.to_string()[..8]));
        assert_eq!(queued_jobs(&world).await, ["mails.send", "mails.send"], "the set-up mail and the notification");

        let id = made.spv.id;
        assert_eq!(
            code(&spvs::start(&elias, id, None).await.unwrap_err()),
            "forbidden",
            "employees do not start orders"
        );
        assert_eq!(code(&spvs::start(&sigrid, id, None).await.unwrap_err()), "wrong_status", "it is active already");
        let detail = spvs::get(&elias, id).await.unwrap();
        let first = complete(&elias, detail.steps[0].id).await;
        assert_eq!((first.status, first.percent()), (spvs::Status::Processing, 13));
        assert_eq!(first.current_step.as_deref(), Some(detail.steps[1].step_name.as_str()));
        for step in &detail.steps[1..8] {
            complete(&elias, step.id).await;
        }
        let closed = spvs::get(&elias, id).await.unwrap().spv;
        assert_eq!((closed.status, closed.percent(), closed.current_step), (spvs::Status::Closed, 100, None));
        assert!(closed.closed_at.is_some());
        assert_eq!(queued_jobs(&world).await.len(), 3, "the client is mailed");

        let maya = world.signed_in(&domain::accounts::users::get(&world.operator(), made.client.id).await.unwrap());
        let seen = logged_actions(&world, &maya).await;
        assert_eq!(seen.iter().filter(|a| *a == "spv.closed").count(), 1);
        assert_eq!(seen.iter().filter(|a| *a == "step.updated").count(), 8);
        assert!(activity::verify(&world.operator()).await.unwrap() > 0);

        assert_eq!(
            code(&steps::update(&elias, detail.steps[0].id, None, with_status("pending")).await.unwrap_err()),
            "forbidden"
        );
        assert_eq!(
            code(&steps::update(&sigrid, detail.steps[0].id, None, with_status("pending")).await.unwrap_err()),
            "required"
        );
        let reason = steps::Change { reason: Some("The filing was rejected".into()), ..with_status("pending") };
        let (step, spv) = steps::update(&sigrid, detail.steps[0].id, None, reason).await.unwrap();
        assert_eq!((step.completed_at, spv.status, spv.closed_at), (None, spvs::Status::Processing, None));
    })
    .await;
}

#[tokio::test]
async fn concurrent_completion_of_the_last_steps_closes_once() {
    on_both(async |world| {
        let (elias, nora) = (world.employee("Elias").await, world.employee("Nora").await);
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let steps = spvs::get(&elias, id).await.unwrap().steps;
        for step in &steps[..6] {
            complete(&elias, step.id).await;
        }
        let (a, b) = tokio::join!(
            steps::update(&elias, steps[6].id, Some(steps[6].version), with_status("completed")),
            steps::update(&nora, steps[7].id, Some(steps[7].version), with_status("completed")),
        );
        a.unwrap();
        b.unwrap();
        assert_eq!(spvs::get(&elias, id).await.unwrap().spv.status, spvs::Status::Closed);
        let seen = logged_actions(&world, &maya).await;
        assert_eq!(seen.iter().filter(|a| *a == "spv.closed").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn stale_write_returns_409_with_last_editor() {
    on_both(async |world| {
        let (elias, nora) = (world.employee("Elias").await, world.employee("Nora").await);
        let company = world.company("Meridian").await;
        let (_, id, _) = world.client("Maya", company, None).await;
        let step = spvs::get(&elias, id).await.unwrap().steps[0].clone();
        steps::update(&nora, step.id, Some(step.version), with_status("in_progress")).await.unwrap();
        let Err(Error::Conflict(problem)) =
            steps::update(&elias, step.id, Some(step.version), with_status("completed")).await
        else {
            panic!("refused")
        };
        assert_eq!((problem.code, problem.params["changed_by"].as_str()), ("stale", Some("Nora Test")));
    })
    .await;
}

#[tokio::test]
async fn held_or_cancelled_order_rejects_step_changes() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let company = world.company("Meridian").await;
        let (_, id, _) = world.client("Maya", company, None).await;
        let step = spvs::get(&elias, id).await.unwrap().steps[0].id;
        assert_eq!(code(&spvs::hold(&elias, id, None, "  ").await.unwrap_err()), "required");
        let held = spvs::hold(&elias, id, None, "The client asked to wait").await.unwrap().spv;
        assert_eq!(held.status_reason.as_deref(), Some("The client asked to wait"));
        let open = spvs::Filter { open: true, ..spvs::Filter::default() };
        let listed = async || spvs::list(&elias, &open, &PageQuery::default()).await.unwrap().items.len();
        assert_eq!(
            (listed().await, spvs::total(&elias, &open).await.unwrap().rows),
            (1, 1),
            "an order on hold is open"
        );
        assert_eq!(
            code(&steps::update(&elias, step, None, with_status("completed")).await.unwrap_err()),
            "wrong_status"
        );
        assert_eq!(spvs::resume(&elias, id, None).await.unwrap().spv.status, spvs::Status::Active);
        spvs::cancel(&elias, id, None, "No deal").await.unwrap();
        assert_eq!((listed().await, spvs::total(&elias, &open).await.unwrap().rows), (0, 0));
        assert_eq!(
            code(&steps::update(&elias, step, None, with_status("completed")).await.unwrap_err()),
            "wrong_status"
        );
        assert_eq!(code(&spvs::reopen(&elias, id, None, "It is on again").await.unwrap_err()), "forbidden");
        let sigrid = world.super_admin("Sigrid").await;
        assert_eq!(spvs::reopen(&sigrid, id, None, "It is on again").await.unwrap().spv.status, spvs::Status::Active);
    })
    .await;
}

#[tokio::test]
async fn reopened_order_closes_when_a_step_is_completed_again() {
    on_both(async |world| {
        let (elias, sigrid) = (world.employee("Elias").await, world.super_admin("Sigrid").await);
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let mut ids: Vec<_> = spvs::get(&elias, id).await.unwrap().steps.iter().map(|step| step.id).collect();
        assert_eq!(steps::complete(&elias, id, None, &ids).await.unwrap().spv.status, spvs::Status::Closed);
        spvs::reopen(&sigrid, id, None, "A name was wrong").await.unwrap();
        ids.reverse();
        assert!(steps::reorder(&elias, id, None, &ids).await.unwrap().spv.status.is_open());
        let renamed = steps::Change { step_name: Some("Name".into()), ..steps::Change::default() };
        assert!(steps::update(&elias, ids[0], None, renamed).await.unwrap().1.status.is_open());
        assert!(steps::update(&elias, ids[0], None, with_status("pending")).await.unwrap().1.status.is_open());
        assert_eq!(
            steps::update(&elias, ids[0], None, with_status("completed")).await.unwrap().1.status,
            spvs::Status::Closed
        );
        let closed = logged_actions(&world, &maya).await;
        assert_eq!(closed.iter().filter(|action| *action == "spv.closed").count(), 2);
    })
    .await;
}

#[tokio::test]
async fn changed_blocked_reason_is_public() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let step = spvs::get(&elias, id).await.unwrap().steps[0].id;
        let blocked = |reason: &str| steps::Change {
            blocked_reason: Some(reason.into()),
            waiting_on: Some("client".into()),
            ..with_status("blocked")
        };
        for (reason, heard) in [("No passport", 1), ("The passport has expired", 2)] {
            steps::update(&elias, step, None, blocked(reason)).await.unwrap();
            let seen = logged_actions(&world, &maya).await;
            assert_eq!(seen.iter().filter(|action| *action == "step.updated").count(), heard, "{reason}");
        }
        let noted = steps::Change { text_data: Some("Asked twice".into()), ..steps::Change::default() };
        steps::update(&elias, step, None, noted).await.unwrap();
        let seen = logged_actions(&world, &maya).await;
        assert_eq!(seen.iter().filter(|action| *action == "step.updated").count(), 2);
    })
    .await;
}

#[tokio::test]
async fn failed_create_leaves_no_row_job_or_event() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harborline").await);
        let (stranger, _) = world.iso("Priya", harbor).await;
        let before = (queued_jobs(&world).await.len(), logged_actions(&world, &elias).await.len());
        let input = onboarding::ClientInput {
            first_name: "Maya".into(),
            last_name: "Ortiz".into(),
            email: "maya@example.com".into(),
            company_id: Some(meridian),
            iso_id: Some(stranger),
            price: Some("10".into()),
            commission: Some("1".into()),
            ..onboarding::ClientInput::default()
        };
        let refused = onboarding::create_client(&elias, onboarding::Setup::Quick, input).await.unwrap_err();
        assert_eq!(code(&refused), "not_in_company");
        assert_eq!((queued_jobs(&world).await.len(), logged_actions(&world, &elias).await.len()), before);
        assert!(matches!(clients::find(&elias, "maya@example.com").await, Err(Error::NotFound(_))));
    })
    .await;
}

#[tokio::test]
async fn default_identifiers_are_timestamps_and_duplicates_ignore_case() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let company = world.company("Meridian").await;
        let (client, _, _) = world.client("Maya", company, None).await;
        let input = |custom: Option<&str>| onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            purchase_amount: Some("1000000".into()),
            custom_identifier: custom.map(str::to_owned),
            ..onboarding::OrderInput::default()
        };
        let first = onboarding::create_order(&elias, input(None)).await.unwrap().spv;
        assert_eq!(first.custom_identifier.as_deref(), Some("SPV-20261121120000"));
        let second = onboarding::create_order(&elias, input(None)).await.unwrap().spv;
        assert_eq!(second.custom_identifier.as_deref(), Some("SPV-20261121120000-2"));
        onboarding::create_order(&elias, input(Some("Alpha"))).await.unwrap();
        assert_eq!(code(&onboarding::create_order(&elias, input(Some("aLPHA "))).await.unwrap_err()), "duplicate");
        assert_eq!(spvs::find(&elias, "alpha").await.unwrap().spv.identifier(), "Alpha");
        assert_eq!(spvs::find(&elias, &first.order_number()).await.unwrap().spv.id, first.id);
    })
    .await;
}

#[tokio::test]
async fn identifiers_resolve_within_the_company() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let mut homes = Vec::new();
        for (company, client, admin) in
            [("Meridian", "Maya", "Clara"), ("Northwind", "Nora", "Carl"), ("Atlas", "Ada", "Cleo")]
        {
            let company = world.company(company).await;
            let (client, _, _) = world.client(client, company, None).await;
            let input = onboarding::OrderInput {
                client_id: Some(client),
                company_id: Some(company),
                purchase_amount: Some("1000000".into()),
                custom_identifier: Some("Alpha".into()),
                ..onboarding::OrderInput::default()
            };
            let spv = onboarding::create_order(&elias, input).await.unwrap().spv.id;
            homes.push((world.company_admin(admin, company).await, spv));
        }
        for (admin, spv) in &homes {
            assert_eq!(spvs::find(admin, "alpha").await.unwrap().spv.id, *spv);
        }
        assert_eq!(code(&spvs::find(&elias, "alpha").await.unwrap_err()), "ambiguous");
        let other = world.company("Elsewhere").await;
        let other = world.company_admin("Cora", other).await;
        assert!(matches!(spvs::find(&other, "alpha").await, Err(Error::NotFound(_))));
    })
    .await;
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_order() {
    on_both(async |world| {
        let elias = Ctx { idempotency: Some(("k1".into(), "h1".into())), ..world.employee("Elias").await };
        let company = world.company("Meridian").await;
        let (client, _, _) = world.client("Maya", company, None).await;
        let input = onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            purchase_amount: Some("5".into()),
            ..onboarding::OrderInput::default()
        };
        let once = onboarding::create_order(&elias, input.clone()).await.unwrap().spv.id;
        assert_eq!(onboarding::create_order(&elias, input.clone()).await.unwrap().spv.id, once);
        let other = Ctx { idempotency: Some(("k1".into(), "h2".into())), ..elias };
        assert_eq!(code(&onboarding::create_order(&other, input).await.unwrap_err()), "idempotency_key_reused");
    })
    .await;
}

#[tokio::test]
async fn step_counters_equal_a_recount_after_any_history() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let mut orders = Vec::new();
        for n in 0..4 {
            orders.push(world.client(&format!("Client{n}"), company, (n % 2 == 0).then_some(iso)).await);
        }
        let random = domain::kernel::clock::RandomSource::seeded(7);
        for n in 0..200 {
            let (client, id, _) = &orders[random.below(4) as usize];
            let detail = spvs::get(&sigrid, *id).await.unwrap();
            let any = |random: &domain::kernel::clock::RandomSource| {
                detail.steps[random.below(detail.steps.len() as u64) as usize].id
            };
            // A refused transition is part of the history.
            let _ = match random.below(13) {
                9 => {
                    let depends_on = if random.below(2) == 0 { vec![any(&random)] } else { Vec::new() };
                    let new =
                        steps::NewStep { step_name: format!("More {n}"), depends_on, ..steps::NewStep::default() };
                    steps::add(&sigrid, *id, new).await.map(drop)
                }
                10 if detail.steps.len() > 2 => steps::remove(&sigrid, any(&random), None).await.map(drop),
                11 => {
                    let mut ids: Vec<_> = detail.steps.iter().map(|step| step.id).collect();
                    ids.rotate_left(random.below(3) as usize);
                    steps::reorder(&sigrid, *id, None, &ids).await.map(drop)
                }
                12 => {
                    let change = steps::Change {
                        step_name: Some(format!("Renamed {n}")),
                        depends_on: Some(vec![any(&random)]),
                        ..Default::default()
                    };
                    steps::update(&sigrid, any(&random), None, change).await.map(drop)
                }
                0 => spvs::start(&sigrid, *id, None).await.map(drop),
                1 => spvs::hold(&sigrid, *id, None, "wait").await.map(drop),
                2 => spvs::resume(&sigrid, *id, None).await.map(drop),
                3 => spvs::cancel(&sigrid, *id, None, "no").await.map(drop),
                4 => spvs::reopen(&sigrid, *id, None, "yes").await.map(drop),
                5 => clients::archive(&sigrid, *client, None).await.map(drop),
                6 => clients::restore(&sigrid, *client, None).await.map(drop),
                n => {
                    let step = any(&random);
                    let status = if n == 7 {
                        "completed"
                    } else {
                        ["pending", "in_progress", "completed"][random.below(3) as usize]
                    };
                    let change = steps::Change { reason: Some("again".into()), ..with_status(status) };
                    steps::update(&sigrid, step, None, change).await.map(drop)
                }
            };
        }
        let mut db = world.db.clone();
        let stored = recount::stored(&mut db).await.unwrap();
        assert!(stored.keys().any(|name| name.ends_with(".unassigned.USD.spvs")), "{stored:?}");
        let differing = recount::diff(&db).await.unwrap();
        assert!(differing.is_empty(), "{differing:?}");
        for (_, id, _) in &orders {
            let detail = spvs::get(&sigrid, *id).await.unwrap();
            let done = detail.steps.iter().filter(|s| s.status == steps::Status::Completed).count() as i64;
            assert_eq!(detail.spv.steps_completed, done);
            assert_eq!(detail.spv.steps_total, detail.steps.len() as i64);
            let pending = detail.steps.iter().filter(|s| s.status == steps::Status::Pending).count() as i64;
            assert_eq!(detail.spv.steps_pending, pending);
            let current = detail.steps.iter().find(|s| s.status != steps::Status::Completed);
            assert_eq!(detail.spv.current_step.as_ref(), current.map(|s| &s.step_name));
            let numbers: Vec<_> = detail.steps.iter().map(|s| s.step_order).collect();
            assert_eq!(numbers, (1..=detail.steps.len() as i64).collect::<Vec<_>>());
        }
    })
    .await;
}

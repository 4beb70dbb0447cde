//! Concurrent writes, repeated submits and references to missing rows. On both databases.
use domain::{
    Ctx, Error,
    accounts::users::{self, Status},
    directory::clients,
    kernel::{
        access::Role,
        ctx::Options,
        ids::{CompanyId, IsoId, UserId},
        page::PageQuery,
    },
    orders::{
        onboarding::{self, Setup},
        spvs,
    },
    platform::activity,
    testing::{World, on_both},
};
use std::sync::Arc;

fn client(email: &str, company: CompanyId) -> onboarding::ClientInput {
    onboarding::ClientInput {
        first_name: "Maya".to_owned(),
        last_name: "Ortiz".to_owned(),
        email: email.to_owned(),
        company_id: Some(company),
        price: Some("10".to_owned()),
        ..Default::default()
    }
}

fn order(client: UserId, company: CompanyId) -> onboarding::OrderInput {
    onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        purchase_amount: Some("5".to_owned()),
        ..Default::default()
    }
}

fn error_codes<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result.expect_err("is refused") {
        Error::Conflict(p) | Error::Forbidden(p) => p.code.to_owned(),
        Error::Invalid(fields) => {
            fields.iter().map(|f| format!("{} {}", f.field, f.problem.code)).collect::<Vec<_>>().join(", ")
        }
        other => panic!("{other:?}"),
    }
}

/// Creates ten orders concurrently.
async fn create_ten(ctx: &Ctx, input: &onboarding::OrderInput) -> Vec<spvs::Spv> {
    let tries: Vec<_> = (0..10)
        .map(|_| {
            let (ctx, input) = (ctx.clone(), input.clone());
            tokio::spawn(async move { onboarding::create_order(&ctx, input).await })
        })
        .collect();
    let mut made = Vec::new();
    for one in tries {
        made.push(one.await.expect("no panic").expect("an order").spv);
    }
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_idempotency_key_create_one_order() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (client, ..) = world.client("Clara", company, None).await;
        let key = Some(("click".to_owned(), "hash".to_owned()));
        let ctx = Ctx { idempotency: key, ..world.employee("Finn").await };
        let named = onboarding::OrderInput { custom_identifier: Some("Harbor 1".to_owned()), ..order(client, company) };
        let made = create_ten(&ctx, &named).await;
        assert!(made.iter().all(|spv| spv.id == made[0].id));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_created_in_one_second_get_distinct_identifiers() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (client, ..) = world.client("Clara", company, None).await;
        let made = create_ten(&world.employee("Finn").await, &order(client, company)).await;
        let names: std::collections::BTreeSet<_> = made.iter().map(spvs::Spv::identifier).collect();
        assert_eq!(names.len(), 10, "{names:?}");
    })
    .await;
}

#[tokio::test]
async fn missing_company_or_iso_is_reported_by_its_field() {
    on_both(async |world: World| {
        let finn = world.employee("Finn").await;
        let company = world.company("Harbor").await;
        let nowhere = client("maya@example.com", CompanyId(world.random.uuid()));
        assert_eq!(error_codes(onboarding::create_client(&finn, Setup::Quick, nowhere).await), "company_id not_found");
        let nobody = onboarding::ClientInput {
            iso_id: Some(IsoId(world.random.uuid())),
            commission: Some("1".to_owned()),
            ..client("maya@example.com", company)
        };
        assert_eq!(error_codes(onboarding::create_client(&finn, Setup::Full, nobody).await), "iso_id not_found");
        onboarding::create_client(&finn, Setup::Quick, client("maya@example.com", company)).await.expect("a client");
    })
    .await;
}

#[tokio::test]
async fn restored_client_returns_to_its_previous_status() {
    on_both(async |world: World| {
        let options =
            Options { default_password: Some("portal-demo-2026".to_owned()), ..Options::clone(&world.options) };
        let finn = Ctx { options: Arc::new(options), ..world.employee("Finn").await };
        let company = world.company("Harbor").await;
        let made =
            onboarding::create_client(&finn, Setup::Full, client("maya@example.com", company)).await.expect("a client");
        let (id, version) = (made.client.id, made.client.version);
        // Restoring an active account changes nothing.
        let same = clients::restore(&finn, id, None).await.expect("nothing to do");
        assert_eq!((same.status, same.version), (Status::Active, version));
        assert_eq!(clients::suspend(&finn, id, None).await.expect("shut").status, Status::Suspended);
        // Never signed in, but with the default password.
        assert_eq!(clients::restore(&finn, id, None).await.expect("open").status, Status::Active);
        let archived = clients::archive(&finn, id, None).await.expect("hidden");
        assert_eq!(error_codes(clients::suspend(&finn, id, None).await), "archived");
        let again = clients::archive(&finn, id, None).await.expect("nothing to do");
        assert_eq!((again.status, again.version), (Status::Archived, archived.version));
        let quick = onboarding::create_client(&finn, Setup::Quick, client("nora@example.com", company))
            .await
            .expect("a client");
        clients::suspend(&finn, quick.client.id, None).await.expect("shut");
        let open = clients::restore(&finn, quick.client.id, None).await.expect("open");
        assert_eq!(open.status, Status::Pending);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_verifies_during_concurrent_writes() {
    on_both(async |world: World| {
        let operator = world.operator();
        let writer = {
            let (world, operator) = (world.clone(), operator.clone());
            tokio::spawn(async move {
                for n in 0..60 {
                    world.company(&format!("C{n}")).await;
                    activity::sequence_all(&operator).await.expect("numbered");
                }
            })
        };
        while !writer.is_finished() {
            activity::verify(&operator).await.expect("whole");
        }
        writer.await.expect("written");
        assert!(activity::verify(&operator).await.expect("whole") >= 60);
    })
    .await;
}

#[tokio::test]
async fn notify_client_resolves_identifiers_shared_by_companies() {
    on_both(async |world: World| {
        let finn = world.employee("Finn").await;
        let mut clara = None;
        for name in ["Harbor", "Meridian", "Summit"] {
            let company = world.company(name).await;
            let (client, first, _) = world.client(&format!("Clara{name}"), company, None).await;
            let same =
                onboarding::OrderInput { custom_identifier: Some("SPV-001".to_owned()), ..order(client, company) };
            onboarding::create_order(&finn, same).await.expect("an order");
            clara = Some((format!("clara{}@example.com", name.to_lowercase()), first));
        }
        let (email, first) = clara.expect("one of them");
        spvs::notify_client(&finn, &email, "spv-001").await.expect("a mail");
        spvs::notify_client(&finn, &email, &first.to_string()[..8]).await.expect("a mail");
        let other = spvs::notify_client(&finn, "claraharbor@example.com", &first.to_string()[..8]).await;
        assert_eq!(error_codes(other), "spvIdentifier not_found");
        let staff = world.user(Role::Employee, "Elias", None, None).await;
        assert_eq!(error_codes(spvs::notify_client(&finn, &staff.email, "SPV-001").await), "clientEmail not_found");
    })
    .await;
}

#[tokio::test]
async fn required_password_change_blocks_other_use_cases() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, spv, _) = world.client("Maya", company, None).await;
        let mut user = users::get(&world.operator(), client).await.unwrap();
        user.must_change_password = true;
        let maya = world.signed_in(&user);
        let is_blocked = |error: Error| matches!(error, Error::Forbidden(p) if p.code == "password_change_required");
        assert!(is_blocked(spvs::get(&maya, spv).await.unwrap_err()));
        assert!(is_blocked(spvs::list(&maya, &spvs::Filter::default(), &PageQuery::default()).await.unwrap_err()));
        assert!(is_blocked(domain::reporting::dashboards::client(&maya).await.unwrap_err()));
        assert!(domain::platform::activity::since(&maya, 0, 10).await.is_err());
        assert_eq!(users::me(&maya).await.unwrap().user.id, client, "who they are is theirs to know");
    })
    .await;
}

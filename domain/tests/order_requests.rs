//! Order requests: created by clients, accepted once by staff, rejected with a reason, withdrawn. On both databases.
use domain::{
    Ctx,
    desk::requests::{self, Filter, Input, OrderForm, Request, Status},
    kernel::{
        ids::{CompanyId, RequestId},
        page::PageQuery,
    },
    orders::{onboarding, spvs},
    platform::activity,
    testing::{World, code, on_both},
};

fn form() -> OrderForm {
    OrderForm {
        country: Some("SG".to_owned()),
        service_id: None,
        service_version: None,
        purpose: Some("To buy a warehouse".to_owned()),
        proposed_names: vec!["Harbor One".to_owned(), " Harbor Two ".to_owned()],
        purchase_amount: Some("250000.5".to_owned()),
        currency: Some("USD".to_owned()),
        document_ids: Vec::new(),
    }
}

fn order(form: OrderForm) -> Input {
    Input { kind: "order".to_owned(), order: Some(form), ..Input::default() }
}

/// The terms that staff send to accept a request.
fn terms(company: CompanyId) -> onboarding::OrderInput {
    onboarding::OrderInput {
        company_id: Some(company),
        purchase_amount: Some("250000.50".to_owned()),
        country: Some("SG".to_owned()),
        price: Some("1250.00".to_owned()),
        ..onboarding::OrderInput::default()
    }
}

async fn orders(world: &World) -> usize {
    spvs::list(&world.operator(), &spvs::Filter::default(), &PageQuery::default()).await.unwrap().items.len()
}

async fn logged_actions(ctx: &Ctx, request: RequestId) -> Vec<String> {
    activity::sequence_all(ctx).await.unwrap();
    let seen = activity::since(ctx, 0, 500).await.unwrap();
    seen.into_iter().filter(|row| row.subject_id == Some(request.0)).map(|row| row.action).collect()
}

#[tokio::test]
async fn accepted_request_becomes_a_pending_order() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, _, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let request = requests::create(&maya, order(form())).await.unwrap();
        let order_form = request.order().unwrap();
        assert_eq!(order_form.proposed_names, ["Harbor One", "Harbor Two"]);
        assert_eq!((order_form.purchase_amount.as_str(), order_form.currency.code()), ("250000.50", "USD"));
        assert_eq!((request.name.as_str(), request.email.as_str()), ("Maya Test", "maya@example.com"));
        assert_eq!(requests::can(&maya, &request), ["withdraw"]);
        assert_eq!(requests::can(&elias, &request), ["accept", "reject", "review", "update"]);

        let accepted = requests::accept(&elias, request.id, Some(1), terms(company)).await.unwrap();
        assert_eq!(accepted.status, Status::Approved);
        let spv = spvs::get(&maya, accepted.spv_id.unwrap()).await.unwrap().spv;
        assert_eq!((spv.client_id, spv.status, spv.country.code()), (client, spvs::Status::Pending, "SG"));
        assert_eq!((spv.purchase_amount_minor, spv.price_minor), (Some(25_000_050), Some(125_000)));
        assert_eq!(requests::get(&maya, request.id).await.unwrap().spv_identifier(), Some(spv.identifier()));
        assert_eq!(requests::can(&maya, &accepted), Vec::<&str>::new());
        assert_eq!(logged_actions(&maya, request.id).await, ["request.created", "request.approved"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_acceptances_create_one_order() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let staff = [world.employee("Elias").await, world.employee("Nora").await];
        let request = requests::create(&maya, order(form())).await.unwrap();
        let before = orders(&world).await;
        let attempts: Vec<_> = (0..8)
            .map(|n| {
                let ctx = staff[n % 2].clone();
                tokio::spawn(async move { requests::accept(&ctx, request.id, None, terms(company)).await })
            })
            .collect();
        let mut made = Vec::new();
        for one in attempts {
            match one.await.expect("no panic") {
                Ok(request) => made.push(request.spv_id),
                Err(e) => assert_eq!(code(&e), "request_decided"),
            }
        }
        assert_eq!(made.len(), 1);
        assert_eq!(orders(&world).await, before + 1);
        let rejected = requests::reject(&staff[0], request.id, None, "Too late").await.unwrap_err();
        assert_eq!(code(&rejected), "request_decided");
        let withdrawn = requests::withdraw(&maya, request.id, None).await.unwrap_err();
        assert_eq!(code(&withdrawn), "request_decided");
    })
    .await;
}

#[tokio::test]
async fn failed_acceptance_leaves_the_request_open() {
    on_both(async |world| {
        let (meridian, other) = (world.company("Meridian").await, world.company("Harbor").await);
        let (.., maya) = world.client("Maya", meridian, None).await;
        let elias = world.employee("Elias").await;
        let request = requests::create(&maya, order(form())).await.unwrap();
        let before = orders(&world).await;
        for (terms, refused) in [
            (onboarding::OrderInput::default(), "company_id required, purchase_amount required"),
            (terms(other), "client_id not_in_company"),
            (onboarding::OrderInput { price: Some("-1".to_owned()), ..terms(meridian) }, "price negative"),
        ] {
            assert_eq!(code(&requests::accept(&elias, request.id, None, terms).await.unwrap_err()), refused);
        }
        assert_eq!(orders(&world).await, before);
        assert!(requests::get(&maya, request.id).await.unwrap().status.is_open());
        let support = Input {
            kind: "support".to_owned(),
            name: "A".to_owned(),
            email: "a@example.com".to_owned(),
            message: "Hello".to_owned(),
            ..Input::default()
        };
        let support = requests::create(&world.anonymous(), support).await.unwrap();
        let refused = requests::accept(&elias, support.id, None, terms(meridian)).await.unwrap_err();
        assert_eq!(code(&refused), "not_an_order");
    })
    .await;
}

#[tokio::test]
async fn rejection_needs_a_reason_and_clients_may_withdraw() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let request = requests::create(&maya, order(form())).await.unwrap();
        assert_eq!(code(&requests::reject(&elias, request.id, None, " ").await.unwrap_err()), "reason required");
        assert_eq!(code(&requests::withdraw(&elias, request.id, None).await.unwrap_err()), "forbidden");
        assert_eq!(code(&requests::reject(&maya, request.id, None, "No").await.unwrap_err()), "forbidden");
        requests::reject(&elias, request.id, None, "Not there").await.unwrap();
        let seen = requests::get(&maya, request.id).await.unwrap();
        assert_eq!((seen.status, seen.reason.as_deref()), (Status::Rejected, Some("Not there")));
        let second = requests::create(&maya, order(form())).await.unwrap();
        let withdrawn = requests::withdraw(&maya, second.id, Some(1)).await.unwrap();
        assert_eq!(withdrawn.status, Status::Withdrawn);
        let late = requests::accept(&elias, second.id, None, terms(company)).await.unwrap_err();
        assert_eq!(code(&late), "request_decided");
    })
    .await;
}

#[tokio::test]
async fn request_is_visible_to_its_sender_and_staff_only() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (.., maya) = world.client("Maya", company, Some(iso)).await;
        let (.., nils) = world.client("Nils", company, Some(iso)).await;
        let cora = world.company_admin("Cora", company).await;
        let request = requests::create(&maya, order(form())).await.unwrap();
        let ids = async |ctx: &Ctx| -> Vec<RequestId> {
            let page = requests::list(ctx, &Filter::default(), &PageQuery::default()).await.unwrap();
            page.items.iter().map(|request: &Request| request.id).collect()
        };
        for stranger in [&nils, &ivan, &cora] {
            assert!(ids(stranger).await.is_empty());
            assert!(logged_actions(stranger, request.id).await.is_empty());
            assert_eq!(code(&requests::get(stranger, request.id).await.unwrap_err()), "not_found");
            assert_eq!(code(&requests::withdraw(stranger, request.id, None).await.unwrap_err()), "not_found");
            let accepted = requests::accept(stranger, request.id, None, terms(company)).await.unwrap_err();
            assert_eq!(code(&accepted), "not_found");
            assert_eq!(code(&requests::find(stranger, &request.reference()).await.unwrap_err()), "forbidden");
        }
        assert_eq!(ids(&maya).await, [request.id]);
        for other in [&ivan, &cora, &world.employee("Elias").await] {
            assert_eq!(code(&requests::create(other, order(form())).await.unwrap_err()), "forbidden");
        }
        assert_eq!(code(&requests::create(&world.anonymous(), order(form())).await.unwrap_err()), "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn validation_reports_all_errors_at_once() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let empty = requests::create(&maya, order(OrderForm::default())).await.unwrap_err();
        assert_eq!(
            code(&empty),
            "order.purpose required, order.proposed_names required, order.purchase_amount required"
        );
        let four = ["A", "B", "C", "D"].map(str::to_owned).to_vec();
        let wrong = OrderForm {
            country: Some("Mars".to_owned()),
            proposed_names: four,
            purchase_amount: Some("a lot".to_owned()),
            ..form()
        };
        assert_eq!(
            code(&requests::create(&maya, order(wrong)).await.unwrap_err()),
            "order.country unknown, order.proposed_names too_many, order.purchase_amount invalid_amount"
        );
        let twice = OrderForm { proposed_names: vec!["One".to_owned(), "one ".to_owned()], ..form() };
        assert_eq!(code(&requests::create(&maya, order(twice)).await.unwrap_err()), "order.proposed_names twice");
        let other = Input { email: "other@example.com".to_owned(), ..order(form()) };
        assert_eq!(code(&requests::create(&maya, other).await.unwrap_err()), "email not_allowed");
    })
    .await;
}

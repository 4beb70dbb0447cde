//! Price list: who may what, what is refused, and orders with a filing fee: their invoices and corrections.
use domain::{
    Ctx,
    desk::requests::{self, OrderForm},
    kernel::{geo::Country, ids::SpvId, money::Currency, page::PageQuery},
    operations::recount,
    orders::{
        corrections::{self, Consequence, Correction},
        invoices::{self, Filter, Invoice, InvoiceChange, LineKind, ManualPayment, Status, credit_notes},
        onboarding,
        services::{self, Input},
        spvs,
    },
    platform::settings::{self, Settings},
    testing::{World, code, on_both},
};

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn service(name: &str, price: &str, filing_fee: &str) -> Input {
    Input {
        country: text("US"),
        name: text(name),
        price: text(price),
        filing_fee: text(filing_fee),
        ..Input::default()
    }
}

async fn refusal(ctx: &Ctx, input: Input) -> String {
    code(&services::create(ctx, input).await.unwrap_err())
}

/// An order with a price of 1,250.00 and a filing fee of 90.00.
async fn order(world: &World, elias: &Ctx) -> (SpvId, Ctx) {
    let company = world.company("Acme").await;
    let (client, _, maya) = world.client("Maya", company, None).await;
    let input = onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        purchase_amount: text("50000"),
        price: text("1250"),
        filing_fee: text("90"),
        ..onboarding::OrderInput::default()
    };
    (onboarding::create_order(elias, input).await.unwrap().spv.id, maya)
}

async fn invoices_of(ctx: &Ctx, id: SpvId) -> Vec<Invoice> {
    let filter = Filter { spv_id: Some(id), ..Filter::default() };
    let mut found = invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap().items;
    found.reverse();
    found
}

fn amounts(invoice: &Invoice) -> Vec<(LineKind, i64)> {
    invoice.lines.iter().map(|line| (line.kind, line.amount_minor)).collect()
}

async fn assert_exact(world: &World) {
    let differing = recount::diff(&world.db).await.unwrap();
    assert!(differing.is_empty(), "{differing:?}");
}

#[tokio::test]
async fn super_admins_keep_the_price_list() {
    on_both(async |world| {
        let company = world.company("Acme").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (_, _, maya) = world.client("Maya", company, Some(iso)).await;
        let (elias, sam) = (world.employee("Elias").await, world.super_admin("Sam").await);
        for ctx in [&elias, &maya, &ingrid] {
            assert_eq!(refusal(ctx, service("Delaware LLC", "1250", "90")).await, "forbidden");
        }
        for (input, refused) in [
            (Input::default(), "country required, name required, price required"),
            (Input { country: text("XX"), ..service("x", "1", "1") }, "country unknown"),
            (service(" ", "1", "1"), "name required"),
            (service(&"x".repeat(121), "1", "1"), "name too_long"),
            (service("x", "-1", "1.001"), "price negative, filing_fee ambiguous_amount"),
            (Input { currency: text("XAU"), ..service("x", "1", "1") }, "currency unknown_currency"),
            (Input { currency: text("KWD"), ..service("x", "1", "1") }, "currency currency_not_offered"),
        ] {
            assert_eq!(refusal(&sam, input).await, refused);
        }
        let made = services::create(&sam, service("Delaware LLC", "1,250.00", "90")).await.unwrap();
        assert_eq!((made.price_minor, made.filing_fee_minor, made.currency), (125_000, 9_000, Currency::Usd));
        assert_eq!(refusal(&sam, service("DELAWARE llc", "1", "")).await, "name duplicate");
        let other = Input { country: text("JP"), currency: text("JPY"), ..service("Godo Kaisha", "250000", "") };
        let other = services::create(&sam, other).await.unwrap();
        assert_eq!((other.price_minor, other.filing_fee_minor), (250_000, 0));

        // Inactive services are for the staff only.
        let update = async |input| services::update(&sam, made.id, None, input).await.unwrap();
        update(Input { active: Some(false), ..Input::default() }).await;
        let listed = async |ctx: &Ctx, country| services::list(ctx, country).await.map(|all| all.len());
        assert_eq!(listed(&elias, None).await.unwrap(), 2);
        assert_eq!(listed(&maya, None).await.unwrap(), 1);
        assert_eq!(listed(&maya, Some(Country::Us)).await.unwrap(), 0);
        assert_eq!(code(&listed(&ingrid, None).await.unwrap_err()), "forbidden");
        assert_eq!(code(&services::get(&maya, made.id).await.unwrap_err()), "not_found");
        let active = update(Input { active: Some(true), price: text("1400"), ..Input::default() }).await;
        assert_eq!((active.price_minor, active.filing_fee_minor, active.version), (140_000, 9_000, 3));
        // Another currency keeps the decimal numbers.
        let in_yen = update(Input { currency: text("JPY"), ..Input::default() }).await;
        assert_eq!((in_yen.price_minor, in_yen.filing_fee_minor), (1_400, 90));
        let stale = services::update(&sam, made.id, Some(1), Input::default()).await.unwrap_err();
        assert_eq!(code(&stale), "stale");
        assert_eq!(code(&services::delete(&elias, made.id, None).await.unwrap_err()), "forbidden");
        assert_eq!(code(&services::delete(&sam, made.id, Some(1)).await.unwrap_err()), "stale");
        services::delete(&sam, made.id, None).await.unwrap();
        assert_eq!(code(&services::delete(&sam, made.id, None).await.unwrap_err()), "not_found");
    })
    .await;
}

#[tokio::test]
async fn a_filing_fee_is_a_line_of_the_first_invoice() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let (id, maya) = order(&world, &elias).await;
        let [invoice] = &invoices_of(&maya, id).await[..] else { panic!("one invoice") };
        assert_eq!(amounts(invoice), [(LineKind::Fee, 125_000), (LineKind::FilingFee, 9_000)]);
        assert_eq!((invoice.total_minor, invoice.lines[1].description.as_str()), (134_000, "Filing fee"));
        // A fee needs a price, in the form and afterwards.
        let bare = onboarding::OrderInput { purchase_amount: text("1"), filing_fee: text("90"), ..Default::default() };
        let refused = code(&onboarding::create_order(&elias, bare).await.unwrap_err());
        assert!(refused.contains("filing_fee needs_price"), "{refused}");
        let without = Correction { price: text(""), ..Correction::default() };
        let refused = corrections::correct(&elias, id, None, without).await.unwrap_err();
        assert_eq!(code(&refused), "filing_fee needs_price");
        // Raised again, it bills both.
        let void = invoices::void(&elias, invoice.id, None, "A wrong address").await.unwrap().invoice;
        let raised = invoices::raise(&elias, void.id, None).await.unwrap().invoice;
        assert_eq!(amounts(&raised), amounts(invoice));
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn invoices_follow_a_corrected_filing_fee() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let (id, maya) = order(&world, &elias).await;
        let correct = async |price: Option<&str>, fee: &str| {
            let correction =
                Correction { price: price.map(str::to_owned), filing_fee: text(fee), ..Correction::default() };
            corrections::correct(&elias, id, None, correction).await.unwrap().consequences
        };
        // The sum stays, and the lines of the unpaid invoice change.
        let changes = correct(Some("1240"), "100").await;
        assert!(
            matches!(
                &changes[..],
                [
                    Consequence::Invoice(InvoiceChange::Voided { minor: 134_000, .. }),
                    Consequence::Invoice(InvoiceChange::Raised { minor: 134_000, .. })
                ]
            ),
            "{changes:?}"
        );
        let invoice = invoices_of(&maya, id).await.pop().unwrap();
        assert_eq!(amounts(&invoice), [(LineKind::Fee, 124_000), (LineKind::FilingFee, 10_000)]);
        // A paid invoice is credited, or followed by a further one.
        let pay = ManualPayment { amount: text("1340"), ..ManualPayment::default() };
        invoices::pay(&elias, invoice.id, None, pay).await.unwrap();
        let changes = correct(None, "40").await;
        assert!(
            matches!(&changes[..], [Consequence::Invoice(InvoiceChange::Credited { minor: 6_000, .. }), ..]),
            "{changes:?}"
        );
        let changes = correct(None, "90").await;
        assert!(
            matches!(&changes[..], [Consequence::Invoice(InvoiceChange::Further { minor: 5_000, .. })]),
            "{changes:?}"
        );
        let further = invoices_of(&maya, id).await.pop().unwrap();
        assert_eq!((amounts(&further), further.status), (vec![(LineKind::FilingFee, 5_000)], Status::Due));
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn tax_is_on_our_fee_only_after_each_correction() {
    on_both(async |world| {
        let company = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let tax = |now: Settings| {
            let billing = settings::Billing { tax_percent: Some("20".to_owned()), ..now.billing };
            Settings { billing, ..now }
        };
        settings::set(&world.operator(), tax).await.unwrap();
        let input = onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            purchase_amount: text("250000"),
            price: text("1200"),
            filing_fee: text("90"),
            ..onboarding::OrderInput::default()
        };
        let id = onboarding::create_order(&elias, input).await.unwrap().spv.id;
        let first = invoices_of(&maya, id).await.pop().unwrap();
        // 1200 / 1.2 × 0.2.
        assert_eq!((first.total_minor, first.tax_minor), (129_000, 20_000));
        let pay = ManualPayment { amount: text("1290"), ..ManualPayment::default() };
        invoices::pay(&elias, first.id, None, pay).await.unwrap();
        let correct = async |price: &str, filing_fee: &str| {
            let version = spvs::get(&elias, id).await.unwrap().spv.version;
            let correction = Correction { price: text(price), filing_fee: text(filing_fee), ..Correction::default() };
            corrections::correct(&elias, id, Some(version), correction).await.unwrap();
            let order = spvs::get(&elias, id).await.unwrap().spv;
            let all = invoices_of(&maya, id).await;
            let notes = credit_notes::list(&maya, &Default::default(), &PageQuery::default()).await.unwrap().items;
            let notes: Vec<_> = notes.into_iter().filter(|note| note.spv_id == id).collect();
            let live = all.iter().filter(|invoice| invoice.status != Status::Void);
            let billed: i64 = live.clone().map(|invoice| invoice.billed_minor()).sum();
            let filing: i64 = live.clone().map(|invoice| invoice.filing_fee_minor()).sum::<i64>()
                - notes.iter().map(|note| note.filing_fee_minor).sum::<i64>();
            let tax = live.map(|invoice| invoice.tax_minor).sum::<i64>()
                - notes.iter().map(|note| note.tax_minor).sum::<i64>();
            assert_eq!((billed - filing, filing), (order.price_minor.unwrap(), order.filing_fee_minor.unwrap_or(0)));
            tax
        };
        // The tax is that of the fee, whatever the filing fee.
        assert_eq!(correct("1200", "190").await, 20_000);
        assert_eq!(correct("1200", "40").await, 20_000);
        // The sum stays, and the fee gives way to the filing fee.
        assert_eq!(correct("1080", "160").await, 18_000);
        assert_eq!(correct("1200", "40").await, 20_000);
        assert_eq!(correct("600", "0").await, 10_000);
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn clients_request_an_order_of_a_service() {
    on_both(async |world| {
        let company = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", company, None).await;
        let sam = world.super_admin("Sam").await;
        let made = services::create(&sam, service("Delaware LLC", "1250", "90")).await.unwrap();
        let form = |country: &str| OrderForm {
            country: text(country),
            service_id: Some(made.id),
            purpose: text("Ships"),
            proposed_names: vec!["Okafor Maritime".to_owned()],
            purchase_amount: text("250000"),
            ..OrderForm::default()
        };
        let ask = async |form: OrderForm| {
            let input = requests::Input { kind: "order".to_owned(), order: Some(form), ..requests::Input::default() };
            requests::create(&maya, input).await
        };
        assert_eq!(code(&ask(form("JP")).await.unwrap_err()), "order.service_id not_found");
        let asked = ask(form("US")).await.unwrap().order().unwrap().service.unwrap();
        assert_eq!(
            (asked.name.as_str(), asked.price.as_str(), asked.filing_fee.as_str()),
            ("Delaware LLC", "1250.00", "90.00")
        );
        // The price that the client saw is another one by now.
        let seen = |version| OrderForm { service_version: Some(version), ..form("US") };
        assert!(ask(seen(1)).await.is_ok());
        services::update(&sam, made.id, None, Input { price: text("1350"), ..Input::default() }).await.unwrap();
        assert_eq!(code(&ask(seen(1)).await.unwrap_err()), "order.service_id service_changed");
        assert_eq!(ask(seen(2)).await.unwrap().order().unwrap().service.unwrap().price, "1350.00");
        services::update(&sam, made.id, None, Input { active: Some(false), ..Input::default() }).await.unwrap();
        assert_eq!(code(&ask(form("US")).await.unwrap_err()), "order.service_id not_found");
    })
    .await;
}

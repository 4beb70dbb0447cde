//! Invoices: issued with orders, numbered without gaps, paid and voided by staff, visible to their client only.
use domain::{
    Ctx, Error,
    directory::clients,
    kernel::{
        db::Sql,
        ids::{CompanyId, InvoiceId, UserId},
        page::PageQuery,
    },
    orders::{
        invoices::{self, Due, Filter, Invoice, ManualPayment, Status},
        onboarding,
    },
    platform::activity,
    testing::{World, on_both},
};

fn order_with_price(client: UserId, company: CompanyId, price: Option<&str>) -> onboarding::OrderInput {
    onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        purchase_amount: Some("250000".to_owned()),
        price: price.map(str::to_owned),
        ..onboarding::OrderInput::default()
    }
}

fn payment(amount: &str) -> ManualPayment {
    ManualPayment { amount: Some(amount.to_owned()), ..ManualPayment::default() }
}

async fn list_all(ctx: &Ctx) -> Vec<Invoice> {
    let mut found = Vec::new();
    let mut page = PageQuery { limit: Some(500), cursor: None };
    loop {
        let part = invoices::list(ctx, &Filter::default(), &page).await.unwrap();
        found.extend(part.items);
        match part.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return found,
        }
    }
}

fn code(error: &Error) -> String {
    match error {
        Error::NotFound(_) => "not_found".to_owned(),
        Error::Conflict(p) | Error::Forbidden(p) | Error::Unauthenticated(p) => p.code.to_owned(),
        Error::Invalid(fields) => {
            fields.iter().map(|f| format!("{} {}", f.field, f.problem.code)).collect::<Vec<_>>().join(", ")
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn order_with_a_price_issues_an_invoice() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, first, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let [invoice] = &list_all(&maya).await[..] else { panic!("expected the invoice of the quick setup") };
        assert_eq!((invoice.name().as_str(), invoice.spv_id, invoice.status), ("2026-0001", first, Status::Due));
        assert_eq!((invoice.total_minor, invoice.due_minor(), invoice.currency.code()), (125_000, 125_000, "USD"));
        assert_eq!((invoice.issued_date.to_string(), invoice.due_date.to_string()).1, "2026-12-05");
        assert_eq!(invoice.lines[0].description, format!("Formation of {} (United States)", invoice.spv_identifier()));
        assert_eq!(invoice.billed_to, "Maya Test");

        for price in [None, Some("0")] {
            onboarding::create_order(&elias, order_with_price(client, company, price)).await.unwrap();
        }
        assert_eq!(list_all(&maya).await.len(), 1, "no price, no invoice");
        let spv = onboarding::create_order(&elias, order_with_price(client, company, Some("99.90"))).await.unwrap().spv;
        let of_order = Filter { spv_id: Some(spv.id), ..Filter::default() };
        let found = invoices::list(&maya, &of_order, &PageQuery::default()).await.unwrap().items;
        assert_eq!((found.len(), found[0].name().as_str(), found[0].total_minor), (1, "2026-0002", 9_990));
        let billing = invoices::billing(&maya, None).await.unwrap();
        assert_eq!((billing.owed[0].minor, billing.owed[0].invoices, billing.owed[0].overdue), (134_990, 2, 0));
        world.clock.advance(chrono::Duration::days(15));
        assert_eq!(invoices::billing(&elias, None).await.unwrap().owed[0].overdue, 2);
    })
    .await;
}

/// Each open invoice is in one age, and the list of an age has its invoices.
#[tokio::test]
async fn open_invoices_are_summed_by_days_past_due() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, _, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let limits = [0, 1, 30, 31, 60, 61, 90, 91];
        let today = list_all(&maya).await[0].due_date + chrono::Days::new(100);
        for (n, days) in limits.into_iter().enumerate() {
            let price = (n + 1).to_string();
            let spv =
                onboarding::create_order(&elias, order_with_price(client, company, Some(&price))).await.unwrap().spv;
            let sql = "update invoices set due_date = $2 where spv_id = $1";
            let mut tx = world.db.begin().await.unwrap();
            tx.sql(sql).bind(spv.id).bind(today - chrono::Days::new(days)).run().await.unwrap();
            tx.commit().await.unwrap();
        }
        world.clock.advance(chrono::Duration::days(114));
        for ctx in [&elias, &maya] {
            let owed = invoices::billing(ctx, None).await.unwrap().owed.remove(0);
            let aging = [
                owed.aging.not_due,
                owed.aging.overdue_30,
                owed.aging.overdue_60,
                owed.aging.overdue_90,
                owed.aging.overdue_older,
            ];
            // The first invoice, of 1,250.00, is 100 days overdue.
            assert_eq!(aging, [100, 500, 900, 1_300, 125_800]);
            assert_eq!(aging.iter().sum::<i64>(), owed.minor);
        }
        for (age, expected) in Due::AGES.into_iter().zip([1, 2, 2, 2, 2]) {
            let filter = Filter { due: Some(age), ..Filter::default() };
            assert_eq!(
                invoices::list(&elias, &filter, &PageQuery::default()).await.unwrap().items.len(),
                expected,
                "{age:?}"
            );
        }
    })
    .await;
}

/// Half of them fail after taking a number: a failed order leaves no gap.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_orders_leave_no_gaps_in_invoice_numbers() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (client, ..) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let attempts: Vec<_> = (0..24)
            .map(|n| {
                let elias = elias.clone();
                // Of the even ones, only the first of each identifier succeeds; the others fail at the order's row.
                let name = if n % 2 == 0 { format!("SAME-{}", n % 4) } else { format!("OTHER-{n}") };
                let input = onboarding::OrderInput {
                    custom_identifier: Some(name),
                    ..order_with_price(client, company, Some("10"))
                };
                tokio::spawn(async move { onboarding::create_order(&elias, input).await.is_ok() })
            })
            .collect();
        // Rolled back explicitly after taking a number.
        let rolled = (0..6).map(|n| {
            let (ctx, world) = (elias.clone(), world.clone());
            tokio::spawn(async move {
                let mut tx = world.db.begin().await.unwrap();
                let (usd, today) = (domain::kernel::money::Currency::Usd, ctx.now().date_naive());
                let new = onboarding::NewOrder {
                    custom_identifier: Some(format!("GONE-{n}")),
                    price_minor: Some(1),
                    ..onboarding::NewOrder::new(client, company, usd, today)
                };
                onboarding::insert_order(&mut tx, &ctx, new).await.unwrap();
                drop(tx);
            })
        });
        for one in rolled.collect::<Vec<_>>() {
            one.await.expect("no panic");
        }
        let mut made = 0;
        for one in attempts {
            made += i64::from(one.await.expect("no panic"));
        }
        assert_eq!(made, 12 + 2);
        let mut numbers: Vec<i64> = list_all(&elias).await.iter().map(|invoice| invoice.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=made + 1).collect::<Vec<_>>());
        world.clock.advance(chrono::Duration::days(60));
        onboarding::create_order(&elias, order_with_price(client, company, Some("10"))).await.unwrap();
        assert_eq!(list_all(&elias).await[0].name(), "2027-0001", "numbers restart each year");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_payments_never_exceed_the_amount_due() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let id = list_all(&maya).await[0].id;
        for (wrong, refused) in [
            (ManualPayment::default(), "amount required"),
            (payment("0"), "amount not_positive"),
            (payment("-5"), "amount negative"),
            (payment("12.345"), "amount ambiguous_amount"),
            (payment("1250.01"), "amount more_than_due"),
            (
                ManualPayment { amount_again: Some("1250.00".to_owned()), ..payment("125.00") },
                "amount_again amounts_differ",
            ),
            (ManualPayment { received_date: Some("2026-12-31".to_owned()), ..payment("1") }, "received_date future"),
        ] {
            assert_eq!(code(&invoices::pay(&elias, id, None, wrong).await.unwrap_err()), refused);
        }
        let once = Ctx { idempotency: Some(("pay".to_owned(), "hash".to_owned())), ..elias.clone() };
        for _ in 0..2 {
            world.clock.advance(chrono::Duration::seconds(1));
            let paid = invoices::pay(&once, id, None, payment("250.5")).await.unwrap();
            assert_eq!((paid.invoice.status, paid.invoice.due_minor()), (Status::PartPaid, 99_950));
            assert_eq!(paid.payments.len(), 1, "a repeated request is one payment");
        }
        assert_eq!(code(&invoices::pay(&elias, id, Some(1), payment("1")).await.unwrap_err()), "stale");
        assert_eq!(code(&invoices::void(&elias, id, None, "No").await.unwrap_err()), "invoice_has_payments");
        world.clock.advance(chrono::Duration::seconds(1));
        // Ten concurrent payments of the rest: one succeeds.
        let attempts: Vec<_> = (0..10)
            .map(|_| {
                let elias = elias.clone();
                let rest = ManualPayment { amount_again: Some("999.50".to_owned()), ..payment("999.5") };
                tokio::spawn(async move { invoices::pay(&elias, id, None, rest).await })
            })
            .collect();
        let mut paid = 0;
        for one in attempts {
            match one.await.expect("no panic") {
                Ok(_) => paid += 1,
                Err(e) => assert_eq!(code(&e), "invoice_settled"),
            }
        }
        assert_eq!(paid, 1);
        let detail = invoices::get(&maya, id).await.unwrap();
        assert_eq!((detail.invoice.status, detail.invoice.paid_minor), (Status::Paid, 125_000));
        assert_eq!(detail.payments.iter().map(|payment| payment.amount_minor).sum::<i64>(), 125_000);
        assert!(invoices::billing(&maya, None).await.unwrap().owed.is_empty());
        activity::sequence_all(&elias).await.unwrap();
        let logged: Vec<_> = activity::since(&maya, 0, 500).await.unwrap();
        let logged: Vec<_> = logged.iter().filter(|row| row.subject_kind == "invoice").collect();
        let actions: Vec<&str> = logged.iter().map(|row| row.action.as_str()).collect();
        assert_eq!(actions, ["invoice.raised", "invoice.part_paid", "invoice.paid"]);
        assert!(logged.iter().all(|row| row.data.is_empty()), "no amounts in the log, from which mails are made");
    })
    .await;
}

#[tokio::test]
async fn voided_invoice_keeps_its_number_and_reason() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, _, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let id = list_all(&maya).await[0].id;
        assert_eq!(code(&invoices::void(&elias, id, None, " ").await.unwrap_err()), "reason required");
        let void = invoices::void(&elias, id, Some(1), "Wrong price").await.unwrap().invoice;
        assert_eq!((void.status, void.void_reason.as_deref()), (Status::Void, Some("Wrong price")));
        assert_eq!(code(&invoices::pay(&elias, id, None, payment("1")).await.unwrap_err()), "invoice_settled");
        onboarding::create_order(&elias, order_with_price(client, company, Some("10"))).await.unwrap();
        assert_eq!(list_all(&maya).await[0].name(), "2026-0002");
    })
    .await;
}

#[tokio::test]
async fn invoice_is_visible_to_its_client_and_staff_only() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (.., maya) = world.client("Maya", company, Some(iso)).await;
        let (.., nils) = world.client("Nils", company, Some(iso)).await;
        let cora = world.company_admin("Cora", company).await;
        let sam = world.super_admin("Sam").await;
        let hers = list_all(&maya).await[0].clone();
        activity::sequence_all(&sam).await.unwrap();
        let knows = async |ctx: &Ctx, id: InvoiceId| {
            let logged = activity::since(ctx, 0, 500).await.unwrap();
            logged.iter().any(|row| row.subject_id == Some(id.0)) || list_all(ctx).await.iter().any(|one| one.id == id)
        };
        for stranger in [&nils, &ivan, &cora] {
            assert!(!knows(stranger, hers.id).await);
            assert_eq!(code(&invoices::get(stranger, hers.id).await.unwrap_err()), "not_found");
            assert_eq!(code(&invoices::find(stranger, &hers.name()).await.unwrap_err()), "not_found");
            assert_eq!(code(&invoices::pay(stranger, hers.id, None, payment("1")).await.unwrap_err()), "not_found");
            assert_eq!(code(&invoices::void(stranger, hers.id, None, "No").await.unwrap_err()), "not_found");
            let filter = Filter { client_id: Some(hers.client_id), ..Filter::default() };
            let found = invoices::list(stranger, &filter, &PageQuery::default()).await.unwrap();
            assert!(found.items.is_empty());
        }
        for outsider in [&ivan, &cora] {
            assert_eq!(code(&invoices::billing(outsider, None).await.unwrap_err()), "forbidden");
        }
        assert!(knows(&maya, hers.id).await && knows(&sam, hers.id).await);
        assert_eq!(code(&invoices::pay(&maya, hers.id, None, payment("1")).await.unwrap_err()), "forbidden");
        assert_eq!(code(&invoices::void(&maya, hers.id, None, "No").await.unwrap_err()), "forbidden");
        assert_eq!(invoices::can(&maya, &hers), ["send_receipt"]);
        assert_eq!(invoices::can(&sam, &hers), ["pay", "void", "set_installments", "send_receipt"]);
        assert!(invoices::list(&world.anonymous(), &Filter::default(), &PageQuery::default()).await.is_err());
        // Invoices of archived clients stay visible to staff.
        clients::archive(&sam, hers.client_id, None).await.unwrap();
        assert!(knows(&sam, hers.id).await);
    })
    .await;
}

#[tokio::test]
async fn invoices_of_a_company_are_those_of_its_orders() {
    on_both(async |world| {
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harbor").await);
        let (client, _, maya) = world.client("Maya", meridian, None).await;
        world.client("Nils", harbor, None).await;
        let cora = world.company_admin("Cora", meridian).await;
        let elias = world.employee("Elias").await;
        onboarding::create_order(&elias, order_with_price(client, meridian, Some("300"))).await.unwrap();
        let of_company = async |ctx: &Ctx, company: CompanyId| {
            let filter = Filter { company_id: Some(company), ..Filter::default() };
            let page = invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap();
            let total = invoices::total(ctx, &filter).await.unwrap();
            assert_eq!(i64::try_from(page.items.len()).unwrap(), total.rows);
            total.sums.into_iter().map(|(_, due)| due).collect::<Vec<_>>()
        };
        assert_eq!(of_company(&elias, meridian).await, [155_000]);
        assert_eq!(of_company(&elias, harbor).await, [125_000]);
        assert_eq!(of_company(&maya, meridian).await, [155_000]);
        assert_eq!(of_company(&maya, harbor).await, [0_i64; 0]);
        assert_eq!(of_company(&cora, meridian).await, [0_i64; 0], "invoices are between the office and the client");
    })
    .await;
}

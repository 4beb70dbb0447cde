//! Installments of invoices: plans that add up, payments in parts and beyond what is due, due dates, and what is to be paid next.
use chrono::{Days, Duration};
use domain::{
    Ctx,
    kernel::{ids::InvoiceId, page::PageQuery},
    operations::recount,
    orders::{
        corrections::{self, Consequence, Correction},
        invoices::{
            self, Due, Filter, Invoice, InvoiceChange, ManualPayment, NewInstallment, NewInvoice, NewLine, Status,
        },
    },
    platform::activity,
    testing::{code, on_both},
};

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn part(due_date: &str, amount: &str) -> NewInstallment {
    NewInstallment { due_date: text(due_date), amount: text(amount) }
}

fn payment(amount: &str) -> ManualPayment {
    ManualPayment { amount: text(amount), ..ManualPayment::default() }
}

async fn pay(ctx: &Ctx, id: InvoiceId, amount: &str) -> Invoice {
    invoices::pay(ctx, id, None, payment(amount)).await.unwrap().invoice
}

async fn first(ctx: &Ctx) -> Invoice {
    invoices::list(ctx, &Filter::default(), &PageQuery::default()).await.unwrap().items.pop().unwrap()
}

async fn to_pay(ctx: &Ctx) -> Vec<(String, i64)> {
    let found = invoices::billing(ctx, None).await.unwrap().payments;
    found.into_iter().map(|(_, next)| (next.due_date.to_string(), next.amount_minor)).collect()
}

#[tokio::test]
async fn deposit_and_balance_are_paid_in_parts_each_by_its_due_date() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let id = first(&maya).await.id;
        assert_eq!(to_pay(&maya).await, [("2026-12-05".to_owned(), 125_000)]);
        let plan = vec![part("2026-12-01", "500"), part("2027-01-31", "750.00")];
        let planned = invoices::set_installments(&elias, id, Some(1), plan).await.unwrap().invoice;
        assert_eq!((planned.due_date.to_string(), planned.version), ("2026-12-01".to_owned(), 2));
        assert_eq!(to_pay(&maya).await, [("2026-12-01".to_owned(), 50_000)]);
        assert!(to_pay(&elias).await.is_empty(), "the staff pay nothing");

        let part_paid = pay(&elias, id, "200").await;
        assert_eq!((part_paid.status, part_paid.due_date.to_string()), (Status::PartPaid, "2026-12-01".to_owned()));
        assert_eq!(to_pay(&maya).await, [("2026-12-01".to_owned(), 30_000)]);
        // More than the deposit is a part of the balance.
        let deposit = pay(&elias, id, "400").await;
        assert_eq!(deposit.due_date.to_string(), "2027-01-31");
        assert_eq!(to_pay(&maya).await, [("2027-01-31".to_owned(), 65_000)]);
        let states: Vec<_> =
            deposit.installment_states().iter().map(|state| (state.amount_minor, state.paid_minor)).collect();
        assert_eq!(states, [(50_000, 50_000), (75_000, 10_000)]);
        // A lower price is taken off the balance.
        let lower = Correction { price: text("1000"), ..Correction::default() };
        corrections::correct(&elias, deposit.spv_id, None, lower).await.unwrap();
        assert_eq!(to_pay(&maya).await, [("2027-01-31".to_owned(), 40_000)]);
        assert_eq!(pay(&elias, id, "400").await.status, Status::Paid);
        assert!(to_pay(&maya).await.is_empty());
        assert!(recount::diff(&world.db).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_correction_that_raises_an_invoice_anew_says_that_its_installments_end() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let invoice = first(&maya).await;
        let plan = vec![part("2026-12-01", "500"), part("2027-01-31", "750.00")];
        invoices::set_installments(&elias, invoice.id, Some(1), plan).await.unwrap();
        let higher = Correction { price: text("1400"), ..Correction::default() };
        let preview = corrections::preview(&elias, invoice.spv_id, None, higher).await.unwrap();
        let voided =
            matches!(preview.consequences[0], Consequence::Invoice(InvoiceChange::Voided { installments: 2, .. }));
        assert!(voided, "{:?}", preview.consequences);
    })
    .await;
}

#[tokio::test]
async fn plan_that_does_not_add_up_is_refused_beside_its_fields() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let cora = world.company_admin("Cora", company).await;
        let elias = world.employee("Elias").await;
        let invoice = first(&maya).await;
        for (plan, refused) in [
            (vec![part("2026-12-01", "500"), part("2027-01-31", "749.99")], "installments installments_differ"),
            (
                vec![part("2026-12-01", "500"), NewInstallment::default()],
                "installments.1.due_date required, installments.1.amount required",
            ),
            (vec![part("2026-12-01", "0"), part("2027-01-31", "1250")], "installments.0.amount not_positive"),
            (vec![part("2026-12-01", "-1"), part("2027-01-31", "1251")], "installments.0.amount negative"),
            (vec![part("2027-01-31", "500"), part("2026-12-01", "750")], "installments.1.due_date not_after_previous"),
            (vec![part("2026-12-01", "500"), part("2026-12-01", "750")], "installments.1.due_date not_after_previous"),
            (vec![part("2020-12-01", "500"), part("2026-12-01", "750")], "installments.0.due_date before_issue"),
            (vec![part("2026-12-01", "1"); 37], "installments too_many"),
        ] {
            let found = invoices::set_installments(&elias, invoice.id, None, plan.clone()).await.unwrap_err();
            assert_eq!(code(&found), refused);
            let line = NewLine { description: text("Renewal"), unit_price: text("1250"), ..NewLine::default() };
            let new = NewInvoice {
                spv_id: Some(invoice.spv_id),
                lines: vec![line],
                installments: plan,
                ..NewInvoice::default()
            };
            let found = code(&invoices::create(&elias, new).await.unwrap_err());
            assert_eq!(found, refused);
        }
        let plan = || vec![part("2026-12-01", "1250")];
        let refusal =
            async |ctx: &Ctx| code(&invoices::set_installments(ctx, invoice.id, None, plan()).await.unwrap_err());
        assert_eq!(refusal(&maya).await, "forbidden");
        assert_eq!(refusal(&cora).await, "not_found");
        let stale = invoices::set_installments(&elias, invoice.id, Some(7), plan()).await.unwrap_err();
        assert_eq!(code(&stale), "stale");
        pay(&elias, invoice.id, "1250").await;
        assert_eq!(refusal(&elias).await, "invoice_settled");
    })
    .await;
}

#[tokio::test]
async fn overpayment_is_refused_unless_it_is_kept_as_credit() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let id = first(&maya).await.id;
        let more = || ManualPayment { amount_again: text("1300"), ..payment("1300") };
        let refused = invoices::pay(&elias, id, None, more()).await.unwrap_err();
        assert_eq!(code(&refused), "amount more_than_due");
        let kept = ManualPayment { keep_excess: true, ..more() };
        let paid = invoices::pay(&elias, id, None, kept.clone()).await.unwrap().invoice;
        assert_eq!((paid.status, paid.due_minor(), paid.credit_minor()), (Status::Paid, 0, 5_000));
        let again = invoices::pay(&elias, id, None, kept).await.unwrap_err();
        assert_eq!(code(&again), "invoice_settled");
        let credit = invoices::billing(&maya, None).await.unwrap().credit;
        assert_eq!(credit.iter().map(|sum| (sum.currency.code(), sum.minor)).collect::<Vec<_>>(), [("USD", 5_000)]);
        assert!(recount::diff(&world.db).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn each_installment_is_reminded_of_before_and_after_its_due_date() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let operator = world.operator();
        let invoice = first(&maya).await;
        let (soon, later) = (invoice.issued_date + Days::new(10), invoice.issued_date + Days::new(60));
        let plan = vec![part(&soon.to_string(), "500"), part(&later.to_string(), "750")];
        invoices::set_installments(&elias, invoice.id, None, plan).await.unwrap();
        let mut sent = Vec::new();
        for _ in 0..70 {
            world.clock.advance(Duration::days(1));
            invoices::remind(&operator).await.unwrap();
            if world.clock.now().date_naive() == soon + Days::new(5) {
                let overdue = Filter { due: Some(Due::Overdue), ..Filter::default() };
                assert_eq!(invoices::list(&elias, &overdue, &PageQuery::default()).await.unwrap().items.len(), 1);
                pay(&elias, invoice.id, "500").await;
                assert!(invoices::list(&elias, &overdue, &PageQuery::default()).await.unwrap().items.is_empty());
            }
        }
        activity::sequence_all(&elias).await.unwrap();
        for row in activity::since(&maya, 0, 500).await.unwrap() {
            if matches!(row.action.as_str(), "invoice.due_soon" | "invoice.overdue") {
                sent.push((row.action.clone(), row.data["due_date"].as_str().unwrap().to_owned()));
            }
        }
        let all: Vec<_> = [soon, later]
            .into_iter()
            .flat_map(|date| {
                ["invoice.due_soon", "invoice.overdue"].map(|action| (action.to_owned(), date.to_string()))
            })
            .collect();
        assert_eq!(sent, all);
    })
    .await;
}

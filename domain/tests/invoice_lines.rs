//! Manual invoices with lines and tax: sums to the minor unit, refusals per field, visibility, and raising again.
use domain::{
    Ctx, Error,
    kernel::{ids::SpvId, money::Currency, page::PageQuery},
    operations::recount,
    orders::{
        corrections::{self, Correction},
        invoices::{self, Filter, Invoice, LineKind, ManualPayment, NewInvoice, NewLine, Status},
        onboarding,
    },
    platform::settings::{self, TaxRounding},
    testing::{World, code, on_both},
};

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn line(kind: &str, description: &str, quantity: &str, unit_price: &str, tax_percent: Option<&str>) -> NewLine {
    NewLine {
        description: text(description),
        kind: text(kind),
        quantity: text(quantity),
        unit_price: text(unit_price),
        tax_percent: tax_percent.map(str::to_owned),
    }
}

fn of(spv: SpvId, lines: Vec<NewLine>) -> NewInvoice {
    NewInvoice { spv_id: Some(spv), lines, ..NewInvoice::default() }
}

async fn of_order(ctx: &Ctx, id: SpvId) -> Vec<Invoice> {
    let filter = Filter { spv_id: Some(id), ..Filter::default() };
    let mut found = invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap().items;
    found.reverse();
    found
}

async fn set_tax(world: &World, rate: &str, rounding: TaxRounding) {
    let rate = text(rate);
    settings::set(&world.operator(), |mut now| {
        now.billing.tax_name = text("VAT");
        now.billing.tax_percent = rate;
        now.billing.tax_rounding = Some(rounding);
        now.billing.payment_terms = text("Net 14 days");
        now
    })
    .await
    .unwrap();
}

async fn assert_exact(world: &World) {
    let differing = recount::diff(&world.db).await.unwrap();
    assert!(differing.is_empty(), "{differing:?}");
}

#[tokio::test]
async fn lines_sum_to_the_minor_unit_with_the_offices_tax_and_overrides() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        set_tax(&world, "20", TaxRounding::Line).await;
        let lines = vec![
            line("fee", "Registered agent", "3", "33.33", None),
            line("fee", "Counsel", "2.5", "19.99", Some("7.7")),
            line("filing_fee", "Franchise tax", "1", "150", None),
            line("discount", "Loyal client", "", "25.00", None),
        ];
        let preview = invoices::preview(&elias, of(id, lines.clone())).await.unwrap();
        let invoice = invoices::create(&elias, of(id, lines)).await.unwrap().invoice;
        assert_eq!(preview.lines, invoice.lines);
        assert_eq!((preview.totals.total_minor, preview.totals.tax_minor), (invoice.total_minor, invoice.tax_minor));
        assert_eq!((invoice.total_minor, invoice.tax_minor, invoice.due_minor()), (29_382, 1_885, 29_382));
        let amounts: Vec<_> = invoice.lines.iter().map(|line| (line.kind, line.quantity, line.amount_minor)).collect();
        assert_eq!(
            amounts,
            [
                (LineKind::Fee, 3_000, 9_999),
                (LineKind::Fee, 2_500, 4_998),
                (LineKind::FilingFee, 1_000, 15_000),
                (LineKind::Discount, 1_000, -2_500)
            ]
        );
        let rows: Vec<_> = invoice.taxes().iter().map(|row| (row.percent, row.net_minor, row.tax_minor)).collect();
        assert_eq!(rows, [(200_000, 7_499, 1_500), (77_000, 4_998, 385), (0, 15_000, 0)]);
        assert_eq!((invoice.tax_name.as_deref(), invoice.terms.as_deref()), (Some("VAT"), Some("Net 14 days")));
        assert!(invoice.manual && !invoice.tax_included);
        // The office's settings of later do not change it.
        set_tax(&world, "7", TaxRounding::Total).await;
        assert_eq!(invoices::get(&maya, invoice.id).await.unwrap().invoice, invoice);
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn the_price_of_an_order_includes_the_tax() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        set_tax(&world, "20", TaxRounding::Line).await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let [invoice] = &of_order(&maya, id).await[..] else { panic!("the invoice of the order") };
        assert_eq!((invoice.total_minor, invoice.tax_minor, invoice.tax_included), (125_000, 20_833, true));
        // Credit notes over the whole carry its whole tax.
        let pay = ManualPayment { amount: text("1250"), ..ManualPayment::default() };
        invoices::pay(&elias, invoice.id, None, pay).await.unwrap();
        for price in ["1000", "333.33", "0"] {
            let lower = Correction { price: text(price), ..Correction::default() };
            corrections::correct(&elias, id, None, lower).await.unwrap();
        }
        let notes = invoices::get(&maya, invoice.id).await.unwrap().credit_notes;
        assert_eq!(notes.iter().map(|note| note.amount_minor).sum::<i64>(), 125_000);
        assert_eq!(notes.iter().map(|note| note.tax_minor).sum::<i64>(), 20_833);
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn manual_invoice_leaves_the_invoices_of_the_price_alone() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let extra = NewInvoice { currency: text("jpy"), ..of(id, vec![line("fee", "Name change", "1", "9000", None)]) };
        let extra = invoices::create(&elias, extra).await.unwrap().invoice;
        assert_eq!((extra.currency.code(), extra.total_minor, extra.name()), ("JPY", 9_000, "2026-0002".to_owned()));
        let pay = ManualPayment { amount: text("4000"), ..ManualPayment::default() };
        invoices::pay(&elias, extra.id, None, pay).await.unwrap();
        // Price and currency of the order are corrected although the manual invoice is paid in part.
        let change = Correction { price: text("900"), currency: text("EUR"), ..Correction::default() };
        corrections::correct(&elias, id, None, change).await.unwrap();
        let states: Vec<_> =
            of_order(&maya, id).await.iter().map(|one| (one.status, one.currency.code(), one.total_minor)).collect();
        assert_eq!(
            states,
            [(Status::Void, "USD", 125_000), (Status::PartPaid, "JPY", 9_000), (Status::Due, "EUR", 90_000)]
        );
        // A void one is raised again with its lines.
        let second = invoices::create(&elias, of(id, vec![line("fee", "Apostille", "2", "80", Some("19"))]))
            .await
            .unwrap()
            .invoice;
        invoices::void(&elias, second.id, None, "Wrong year").await.unwrap();
        let again = invoices::raise(&elias, second.id, None).await.unwrap().invoice;
        assert_eq!((&again.lines, again.total_minor, again.manual), (&second.lines, 19_040, true));
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn reverse_charge_charges_no_tax_and_says_why_in_the_clients_language() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, id, _) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        set_tax(&world, "20", TaxRounding::Line).await;
        let new = NewInvoice { reverse_charge: true, ..of(id, vec![line("fee", "Advice", "1", "100", None)]) };
        let invoice = invoices::create(&elias, new.clone()).await.unwrap().invoice;
        assert_eq!((invoice.total_minor, invoice.tax_minor, invoice.taxes()), (10_000, 0, vec![]));
        assert_eq!(invoice.tax_note.as_deref(), Some("Reverse charge: the recipient accounts for the tax."));
        let taxed = NewInvoice { lines: vec![line("fee", "Advice", "1", "100", Some("20"))], ..new };
        let refused = invoices::create(&elias, taxed).await.unwrap_err();
        assert_eq!(code(&refused), "lines.0.tax_percent no_tax_with_reverse_charge");
    })
    .await;
}

#[tokio::test]
async fn each_wrong_field_of_an_invoice_is_refused_beside_it() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let cora = world.company_admin("Cora", company).await;
        let elias = world.employee("Elias").await;
        let good = || line("fee", "Advice", "1", "100", None);
        let refusal = async |new: NewInvoice| {
            let preview = code(&invoices::preview(&elias, new.clone()).await.unwrap_err());
            assert_eq!(code(&invoices::create(&elias, new).await.unwrap_err()), preview);
            preview
        };
        for (wrong, refused) in [
            (NewInvoice::default(), "spv_id required"),
            (of(SpvId(uuid::Uuid::nil()), vec![good()]), "spv_id not_found"),
            (of(id, vec![]), "lines required"),
            (of(id, vec![good(); 101]), "lines too_many"),
            (of(id, vec![good(), NewLine::default()]), "lines.1.description required, lines.1.unit_price required"),
            (of(id, vec![line("gift", "Advice", "1", "1", None)]), "lines.0.kind unknown"),
            (of(id, vec![line("fee", "Advice", "-1", "1", None)]), "lines.0.quantity negative"),
            (of(id, vec![line("fee", "Advice", "0", "1", None)]), "lines.0.quantity not_positive"),
            (of(id, vec![line("fee", "Advice", "1.0001", "1", None)]), "lines.0.quantity invalid_quantity"),
            (of(id, vec![line("fee", "Advice", "1000001", "1", None)]), "lines.0.quantity out_of_range"),
            (of(id, vec![line("fee", "Advice", "1", "-1", None)]), "lines.0.unit_price negative"),
            (of(id, vec![line("fee", "Advice", "1", "0", None)]), "lines.0.unit_price not_positive"),
            (of(id, vec![line("fee", "Advice", "1", "1.005", None)]), "lines.0.unit_price ambiguous_amount"),
            (of(id, vec![line("fee", "Advice", "1000", "10000000", None); 2]), "lines too_large"),
            (of(id, vec![line("fee", "Advice", "1001", "10000000", None)]), "lines.0.unit_price too_large"),
            (of(id, vec![line("fee", "Advice", "1", "1", Some("200"))]), "lines.0.tax_percent percent_too_large"),
            (of(id, vec![line("fee", "Advice", "1", "1", Some("-1"))]), "lines.0.tax_percent negative"),
            (of(id, vec![good(), line("discount", "All", "1", "100", None)]), "lines total_not_positive"),
            (NewInvoice { currency: text("XXX"), ..of(id, vec![good()]) }, "currency unknown_currency"),
            (NewInvoice { due_date: text("2020-01-01"), ..of(id, vec![good()]) }, "due_date before_today"),
            (NewInvoice { due_date: text("soon"), ..of(id, vec![good()]) }, "due_date invalid_date"),
        ] {
            assert_eq!(refusal(wrong).await, refused);
        }
        for outsider in [&maya, &cora] {
            assert_eq!(code(&invoices::create(outsider, of(id, vec![good()])).await.unwrap_err()), "forbidden");
            assert_eq!(code(&invoices::preview(outsider, of(id, vec![good()])).await.unwrap_err()), "forbidden");
        }
        assert!(matches!(
            invoices::create(&world.anonymous(), of(id, vec![good()])).await.unwrap_err(),
            Error::Unauthenticated(_)
        ));
        assert_eq!(of_order(&maya, id).await.len(), 1, "nothing was issued");
        let once = Ctx { idempotency: Some(("new".to_owned(), "hash".to_owned())), ..elias.clone() };
        for _ in 0..2 {
            invoices::create(&once, of(id, vec![good()])).await.unwrap();
        }
        assert_eq!(of_order(&maya, id).await.len(), 2, "a repeated request is one invoice");
    })
    .await;
}

#[tokio::test]
async fn amounts_have_the_minor_units_of_an_offered_currency() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, id, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let sam = world.super_admin("Sam").await;
        let in_dinars = |price: &str| NewInvoice {
            currency: text("KWD"),
            ..of(id, vec![line("fee", "Advice", "1", price, Some("5"))])
        };
        let refused = invoices::create(&elias, in_dinars("10.5")).await.unwrap_err();
        assert_eq!(code(&refused), "currency currency_not_offered");
        settings::set(&sam, |now| settings::Settings { currencies: Some(vec![Currency::Kwd, Currency::Jpy]), ..now })
            .await
            .unwrap();
        let invoice = invoices::create(&elias, in_dinars("10,555")).await;
        assert_eq!(code(&invoice.unwrap_err()), "lines.0.unit_price ambiguous_amount");
        let invoice = invoices::create(&elias, in_dinars("10.555")).await.unwrap().invoice;
        assert_eq!(invoice.lines[0].amount_minor, 10_555);
        let invoice = invoices::create(&elias, in_dinars("1010.555")).await.unwrap().invoice;
        assert_eq!((invoice.total_minor, invoice.tax_minor), (1_061_083, 50_528));
        assert_eq!(invoice.currency.format(invoice.total_minor), "1061.083");
        // The order stays in its currency, and another order cannot be in one that is not offered.
        let order = |currency: Option<&str>| onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            purchase_amount: text("1000"),
            currency: currency.map(str::to_owned),
            ..onboarding::OrderInput::default()
        };
        let refused = onboarding::create_order(&elias, order(Some("EUR"))).await.unwrap_err();
        assert_eq!(code(&refused), "currency currency_not_offered");
        onboarding::create_order(&elias, order(Some("jpy"))).await.unwrap();
        let refused = settings::set(&sam, |now| settings::Settings { currencies: Some(vec![]), ..now }).await;
        assert_eq!(code(&refused.unwrap_err()), "currencies required");
        let change = |now| settings::Settings { default_currency: Some(Currency::Eur), ..now };
        let refused = settings::set(&sam, change).await;
        assert_eq!(code(&refused.unwrap_err()), "default_currency currency_not_offered");
        // Each currency by itself.
        let owed = invoices::billing(&maya, None).await.unwrap().owed;
        let owed: Vec<_> = owed.iter().map(|owed| (owed.currency.code(), owed.minor)).collect();
        assert_eq!(owed, [("KWD", 1_061_083 + 11_083), ("USD", 125_000)]);
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn a_tax_rate_of_the_office_is_a_percentage() {
    on_both(async |world| {
        let sam = world.super_admin("Sam").await;
        let set = async |rate: &str| {
            let rate = text(rate);
            settings::set(&sam, |mut now| {
                now.billing.tax_percent = rate;
                now
            })
            .await
        };
        assert_eq!(code(&set("200").await.unwrap_err()), "billing.tax_percent percent_too_large");
        assert_eq!(code(&set("much").await.unwrap_err()), "billing.tax_percent invalid_percent");
        assert_eq!(set("8.8750").await.unwrap().billing.tax_percent.as_deref(), Some("8.875"));
    })
    .await;
}

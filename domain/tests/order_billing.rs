//! Invoices, credit notes and commissions after corrections of their order's price.
use domain::{
    Ctx,
    kernel::{
        clock::RandomSource,
        date_range::DateRangeQuery,
        ids::{IsoId, SpvId},
        money::Currency,
        page::PageQuery,
    },
    operations::recount,
    orders::{
        commissions::{self, Commission},
        corrections::{self, Consequence, Corrected, Correction},
        invoices::{self, Filter, Invoice, InvoiceChange, ManualPayment, Status, credit_notes},
        onboarding, spvs, steps,
    },
    platform::activity,
    reporting::{finances, search},
    testing::{World, code, on_both},
};
use std::collections::BTreeMap;

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn price(amount: &str) -> Correction {
    Correction { price: text(amount), ..Correction::default() }
}

async fn correct(ctx: &Ctx, id: SpvId, correction: Correction) -> Corrected {
    corrections::correct(ctx, id, None, correction).await.unwrap()
}

async fn refusal(ctx: &Ctx, id: SpvId, correction: Correction) -> String {
    code(&corrections::correct(ctx, id, None, correction).await.unwrap_err())
}

/// The invoices of an order, oldest first.
async fn of_order(ctx: &Ctx, id: SpvId) -> Vec<Invoice> {
    let filter = Filter { spv_id: Some(id), ..Filter::default() };
    let page = PageQuery { limit: Some(500), cursor: None };
    let mut found = invoices::list(ctx, &filter, &page).await.unwrap().items;
    found.reverse();
    found
}

async fn pay(ctx: &Ctx, invoice: &Invoice, minor: i64) {
    let amount = Some(invoice.currency.format(minor));
    invoices::pay(ctx, invoice.id, None, ManualPayment { amount, ..ManualPayment::default() }).await.unwrap();
}

async fn ledger(ctx: &Ctx, id: SpvId) -> Vec<Commission> {
    let filter = commissions::Filter { spv_id: Some(id), ..Default::default() };
    let mut rows = commissions::list(ctx, &filter, &PageQuery::default()).await.unwrap().items;
    rows.sort_by_key(|row| (row.adjusts_id.is_some(), row.created_at));
    rows
}

/// Closes an order; of a reopened one the last step is done again.
async fn close(ctx: &Ctx, id: SpvId) {
    let order = spvs::get(ctx, id).await.unwrap();
    let all: Vec<_> = order.steps.iter().map(|step| step.id).collect();
    if order.spv.steps_completed == order.spv.steps_total {
        let again = steps::Change { status: text("in_progress"), ..Default::default() };
        steps::update(ctx, *all.last().unwrap(), None, again).await.unwrap();
    }
    assert_eq!(steps::complete(ctx, id, None, &all).await.unwrap().spv.status, spvs::Status::Closed);
}

async fn assert_exact(world: &World) {
    let differing = recount::diff(&world.db).await.unwrap();
    assert!(differing.is_empty(), "{differing:?}");
}

#[tokio::test]
async fn unpaid_invoice_is_voided_and_raised_anew_as_the_preview_says() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., id, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let version = spvs::get(&elias, id).await.unwrap().spv.version;
        let preview = corrections::preview(&elias, id, Some(version), price("1400")).await.unwrap();
        assert_eq!(spvs::get(&elias, id).await.unwrap().spv.version, version, "nothing is saved");
        assert_eq!(of_order(&maya, id).await.len(), 1);
        let corrected = corrections::correct(&elias, id, Some(version), price("1400")).await.unwrap();
        assert_eq!(preview.consequences, corrected.consequences);
        assert_eq!(preview.spv.price_minor, corrected.spv.price_minor);
        let usd = Currency::Usd;
        assert_eq!(
            corrected.consequences,
            [
                Consequence::Invoice(InvoiceChange::Voided {
                    invoice: "2026-0001".to_owned(),
                    minor: 125_000,
                    currency: usd,
                    installments: 0
                }),
                Consequence::Invoice(InvoiceChange::Raised {
                    invoice: "2026-0002".to_owned(),
                    replaces: text("2026-0001"),
                    minor: 140_000,
                    currency: usd
                }),
            ]
        );
        let [void, anew] = &of_order(&maya, id).await[..] else { panic!("two invoices") };
        assert_eq!((void.status, void.void_reason.as_deref()), (Status::Void, Some("Price corrected")));
        assert_eq!(void.replaced_by(), Some(anew.name()));
        assert_eq!((anew.status, anew.due_minor()), (Status::Due, 140_000));
        assert!(anew.lines[0].description.starts_with("Formation of "), "{:?}", anew.lines);
        assert_exact(&world).await;

        // Another field does not touch the invoices, and the same price is no correction.
        let named = Correction { vehicle_name: text("Okeanos"), ..price("1400.00") };
        assert!(correct(&elias, id, named).await.consequences.is_empty());
        // To nothing, and from nothing.
        let gone = correct(&elias, id, price("0")).await.consequences;
        assert!(matches!(&gone[..], [Consequence::Invoice(InvoiceChange::Voided { .. })]), "{gone:?}");
        let first = correct(&elias, id, price("10")).await.consequences;
        assert!(matches!(&first[..], [Consequence::Invoice(InvoiceChange::Raised { minor: 1_000, .. })]), "{first:?}");
        assert_exact(&world).await;
        activity::sequence_all(&elias).await.unwrap();
        let log = activity::since(&maya, 0, 500).await.unwrap();
        assert_eq!(log.iter().filter(|row| row.action == "spv.price_corrected").count(), 3);
        assert!(log.iter().all(|row| !row.data.contains_key("after")), "no values for the client");
    })
    .await;
}

#[tokio::test]
async fn paid_invoice_gets_a_credit_note_and_its_overpayment_is_credit() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, id, maya) = world.client("Maya", company, None).await;
        let (.., nils) = world.client("Nils", company, None).await;
        let (_, ivan) = world.iso("Ivan", company).await;
        let cora = world.company_admin("Cora", company).await;
        let elias = world.employee("Elias").await;
        let invoice = of_order(&elias, id).await.remove(0);
        pay(&elias, &invoice, 100_000).await;
        let lower = correct(&elias, id, price("1100")).await.consequences;
        assert!(
            matches!(&lower[..], [Consequence::Invoice(InvoiceChange::Credited { minor: 15_000, .. })]),
            "{lower:?}"
        );
        let detail = invoices::get(&maya, invoice.id).await.unwrap();
        assert_eq!((detail.invoice.status, detail.invoice.due_minor()), (Status::PartPaid, 10_000));
        assert_eq!(invoices::billing(&maya, None).await.unwrap().owed[0].minor, 10_000);
        let note = &detail.credit_notes[0];
        assert_eq!((note.name().as_str(), note.invoice(), note.amount_minor), ("CN-2026-0001", invoice.name(), 15_000));

        let overpaid = correct(&elias, id, price("900")).await.consequences;
        assert!(
            matches!(
                &overpaid[..],
                [
                    Consequence::Invoice(InvoiceChange::Credited { minor: 20_000, .. }),
                    Consequence::Invoice(InvoiceChange::ClientCredit { minor: 10_000, .. })
                ]
            ),
            "{overpaid:?}"
        );
        let paid = invoices::get(&maya, invoice.id).await.unwrap().invoice;
        assert_eq!((paid.status, paid.due_minor(), paid.credit_minor()), (Status::Paid, 0, 10_000));
        assert_eq!((paid.total_minor, paid.paid_minor), (125_000, 100_000), "what was billed and paid stays");
        for ctx in [&maya, &elias] {
            let billing = invoices::billing(ctx, None).await.unwrap();
            assert_eq!((billing.credit[0].currency, billing.credit[0].minor), (Currency::Usd, 10_000));
        }
        assert!(invoices::billing(&maya, None).await.unwrap().owed.is_empty());
        assert!(invoices::billing(&nils, None).await.unwrap().credit.is_empty());
        // One client's credit, for the staff; a client sees nothing of another's.
        let credits = async |ctx: &Ctx, of| invoices::billing(ctx, Some(of)).await.unwrap().credit.len();
        let (maya_id, nils_id) = (maya.actor.user_id().unwrap(), nils.actor.user_id().unwrap());
        assert_eq!((credits(&elias, maya_id).await, credits(&elias, nils_id).await), (1, 0));
        assert_eq!((credits(&nils, maya_id).await, credits(&maya, nils_id).await), (0, 0));
        assert_exact(&world).await;

        // A higher price is billed by a further invoice.
        let higher = correct(&elias, id, price("1000")).await.consequences;
        assert!(
            matches!(&higher[..], [Consequence::Invoice(InvoiceChange::Further { minor: 10_000, .. })]),
            "{higher:?}"
        );
        let further = of_order(&maya, id).await.pop().unwrap();
        assert!(further.lines[0].description.starts_with("Difference to the corrected price"), "{:?}", further.lines);

        let notes = credit_notes::Filter { client_id: Some(client), ..Default::default() };
        let page = PageQuery::default();
        for ctx in [&maya, &elias] {
            assert_eq!(credit_notes::list(ctx, &notes, &page).await.unwrap().items.len(), 2);
            assert_eq!(credit_notes::find(ctx, "cn-2026-0001").await.unwrap().id, note.id);
            let hits = search::find(ctx, "cn-2026-0001").await.unwrap();
            let found: Vec<_> = hits.iter().map(|hit| (hit.kind, hit.id, hit.title.as_str())).collect();
            assert_eq!(found, [(search::Kind::Invoice, note.invoice_id.0, "CN-2026-0001")]);
        }
        for ctx in [&nils, &ivan, &cora] {
            assert!(credit_notes::list(ctx, &notes, &page).await.unwrap().items.is_empty());
            assert_eq!(search::find(ctx, "cn-2026-0001").await.unwrap(), []);
            assert_eq!(code(&credit_notes::get(ctx, note.id).await.unwrap_err()), "not_found");
        }
        assert!(credit_notes::list(&world.anonymous(), &notes, &page).await.is_err());
        activity::sequence_all(&elias).await.unwrap();
        for ctx in [&ivan, &cora] {
            let log = activity::since(ctx, 0, 500).await.unwrap();
            assert!(log.iter().all(|row| row.subject_kind != "invoice"));
        }
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn void_invoice_is_raised_again_once_and_never_beyond_the_price() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., id, maya) = world.client("Maya", company, None).await;
        let (.., nils) = world.client("Nils", company, None).await;
        let elias = world.employee("Elias").await;
        let invoice = of_order(&elias, id).await.remove(0);
        let raise = async |ctx: &Ctx, invoice: &Invoice, version| {
            code(&invoices::raise(ctx, invoice.id, version).await.unwrap_err())
        };
        assert_eq!(raise(&elias, &invoice, None).await, "invoice_not_void");
        invoices::void(&elias, invoice.id, None, "Sent to the wrong address").await.unwrap();
        assert_eq!(raise(&maya, &invoice, None).await, "forbidden");
        assert_eq!(raise(&nils, &invoice, None).await, "not_found");
        assert_eq!(raise(&elias, &invoice, Some(1)).await, "stale");
        let void = invoices::get(&elias, invoice.id).await.unwrap().invoice;
        assert_eq!(invoices::can(&elias, &void), ["raise"]);
        let again = invoices::raise(&elias, invoice.id, Some(void.version)).await.unwrap().invoice;
        assert_eq!((again.status, again.total_minor, again.number), (Status::Due, 125_000, invoice.number + 2));
        assert_eq!(raise(&elias, &invoice, None).await, "invoice_raised_again");
        assert!(invoices::can(&elias, &invoices::get(&elias, invoice.id).await.unwrap().invoice).is_empty());

        // The successor is void, too; another price bills the whole anew.
        invoices::void(&elias, again.id, None, "Again").await.unwrap();
        correct(&elias, id, price("700")).await;
        assert_eq!(raise(&elias, &again, None).await, "invoice_raised_again");
        let last = of_order(&elias, id).await.pop().unwrap();
        assert_eq!((last.total_minor, last.status), (70_000, Status::Due));
        spvs::cancel(&elias, id, None, "Withdrawn").await.unwrap();
        invoices::void(&elias, last.id, None, "Withdrawn").await.unwrap();
        assert_eq!(raise(&elias, &last, None).await, "wrong_status");
        assert_exact(&world).await;
    })
    .await;
}

#[tokio::test]
async fn wrong_prices_currencies_and_commissions_are_refused_by_field() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (.., id, maya) = world.client("Maya", company, Some(iso)).await;
        let (.., without, nils) = world.client("Nils", company, None).await;
        let elias = world.employee("Elias").await;
        let of = Correction::default;
        for (correction, refused) in [
            (price("-1"), "price negative"),
            (price("a lot"), "price invalid_amount"),
            (price("1.2345"), "price too_many_decimals"),
            (Correction { currency: text("XXX"), ..of() }, "currency unknown_currency"),
            (Correction { currency: text(""), ..of() }, "currency required"),
            (Correction { currency: text("JPY"), price: text("12.50"), ..of() }, "price too_many_decimals"),
            (Correction { commission: text("x"), ..of() }, "commission invalid_amount"),
            (
                Correction { iso_commission_percentage: text("101"), ..of() },
                "iso_commission_percentage percent_too_large",
            ),
            (
                Correction { commission: text("1"), iso_commission_percentage: text("1"), ..of() },
                "iso_commission_percentage not_allowed",
            ),
        ] {
            let input = format!("{correction:?}");
            assert_eq!(refusal(&elias, id, correction).await, refused, "{input}");
        }
        for correction in
            [Correction { commission: text("1"), ..of() }, Correction { iso_commission_percentage: text("1"), ..of() }]
        {
            assert!(refusal(&elias, without, correction).await.ends_with(" needs_iso"));
        }
        for (ctx, refused) in [(&maya, "forbidden"), (&nils, "not_found"), (&ivan, "forbidden")] {
            assert_eq!(refusal(ctx, id, price("1")).await, refused);
            assert_eq!(code(&corrections::preview(ctx, id, None, price("1")).await.unwrap_err()), refused);
        }
        assert_eq!(code(&corrections::preview(&elias, id, Some(99), price("1")).await.unwrap_err()), "stale");

        // In yen the amounts stay the same numbers, and the invoice is raised anew.
        let yen = correct(&elias, id, Correction { currency: text("jpy"), ..of() }).await;
        assert_eq!((yen.spv.price_minor, yen.spv.commission_minor), (Some(1_250), Some(50)));
        let last = of_order(&elias, id).await.pop().unwrap();
        assert_eq!((last.currency, last.total_minor), (Currency::Jpy, 1_250));
        assert_exact(&world).await;
        pay(&elias, &last, 1).await;
        assert_eq!(refusal(&elias, id, Correction { currency: text("USD"), ..of() }).await, "currency_has_payments");
        spvs::cancel(&elias, id, None, "Withdrawn").await.unwrap();
        assert_eq!(refusal(&elias, id, price("1")).await, "wrong_status");
    })
    .await;
}

async fn closed_order(ctx: &Ctx, client: domain::kernel::ids::UserId, iso: IsoId) -> SpvId {
    let company = spvs::list(ctx, &Default::default(), &PageQuery::default()).await.unwrap().items[0].company_id;
    let input = onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        iso_id: Some(iso),
        purchase_amount: text("1000"),
        price: text("100"),
        iso_commission_percentage: text("10"),
        ..Default::default()
    };
    let id = onboarding::create_order(ctx, input).await.unwrap().spv.id;
    close(ctx, id).await;
    id
}

#[tokio::test]
async fn settled_commission_gets_a_row_for_the_difference_and_pending_follows() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (client, _, maya) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        let id = closed_order(&sam, client, iso).await;
        let amount = |amount: &str| Correction { purchase_amount: text(amount), ..Correction::default() };
        assert_eq!(refusal(&sam, id, amount("1")).await, "wrong_status", "closed");
        // Pending: recalculated in place.
        spvs::reopen(&sam, id, None, "The amount was wrong").await.unwrap();
        let found = correct(&sam, id, amount("2000")).await.consequences;
        let commission = |from, to| Consequence::Commission {
            from: Some(from),
            from_currency: Currency::Usd,
            to: Some(to),
            currency: Currency::Usd,
        };
        assert_eq!(found, [commission(10_000, 20_000)]);
        let rows = ledger(&ingrid, id).await;
        assert_eq!((rows.len(), rows[0].amount_minor, rows[0].base_minor), (1, 20_000, Some(200_000)));
        assert_exact(&world).await;
        close(&sam, id).await;

        // Paid: a row for the difference, which then follows while it is pending.
        commissions::approve(&sam, &[rows[0].id]).await.unwrap();
        let run = commissions::open(&sam).await.unwrap();
        commissions::pay(&sam, run.run.id, None, None).await.unwrap();
        spvs::reopen(&sam, id, None, "The amount was wrong again").await.unwrap();
        let found = correct(&sam, id, amount("1500")).await.consequences;
        let row = Consequence::CommissionRow { minor: -5_000, currency: Currency::Usd };
        assert_eq!(found, [commission(20_000, 15_000), row]);
        let rows = ledger(&ingrid, id).await;
        assert_eq!(rows.iter().map(|row| row.amount_minor).collect::<Vec<_>>(), [20_000, -5_000]);
        assert_eq!((rows[1].adjusts_id, rows[1].kind), (Some(rows[0].id), commissions::Kind::Reversed));
        assert_eq!(
            code(&commissions::void(&sam, rows[1].id, None, "No").await.unwrap_err()),
            "commission_reversed",
            "they belong together"
        );
        correct(&sam, id, amount("2300")).await;
        let rows = ledger(&ingrid, id).await;
        assert_eq!((rows[1].amount_minor, rows[1].kind), (3_000, commissions::Kind::Earned));
        assert_exact(&world).await;
        // Back to what was paid: the difference is void. Then lower again, and closed.
        correct(&sam, id, amount("2000")).await;
        let rows = ledger(&ingrid, id).await;
        assert_eq!((rows[1].amount_minor, rows[1].status), (0, commissions::Status::Void));
        assert_eq!(rows[1].reason.as_deref(), Some("Commission corrected"));
        correct(&sam, id, amount("1900")).await;
        close(&sam, id).await;
        let rows = ledger(&ingrid, id).await;
        assert_eq!(rows.iter().map(|row| row.amount_minor).sum::<i64>(), 19_000);
        assert_exact(&world).await;

        // A run leaves out a partner whose total is not positive, and the next one makes up for it.
        let pending: Vec<_> = rows.iter().filter(|row| row.status == commissions::Status::Pending).collect();
        commissions::approve(&sam, &pending.iter().map(|row| row.id).collect::<Vec<_>>()).await.unwrap();
        assert_eq!(code(&commissions::open(&sam).await.unwrap_err()), "nothing_approved");
        let next = closed_order(&sam, client, iso).await;
        commissions::approve(&sam, &[ledger(&sam, next).await[0].id]).await.unwrap();
        let run = commissions::open(&sam).await.unwrap();
        assert_eq!(run.payouts.iter().map(|payout| payout.amount_minor).collect::<Vec<_>>(), [9_000]);
        assert_exact(&world).await;

        // The client learns nothing of it, the partner of each correction.
        activity::sequence_all(&sam).await.unwrap();
        let of = |rows: &[activity::Activity]| rows.iter().filter(|row| row.action == "commission.corrected").count();
        assert_eq!(of(&activity::since(&maya, 0, 500).await.unwrap()), 0);
        assert_eq!(of(&activity::since(&ingrid, 0, 500).await.unwrap()), 5);
    })
    .await;
}

#[tokio::test]
async fn currency_changes_with_a_pending_commission_only() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let (client, ..) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        let id = closed_order(&sam, client, iso).await;
        let in_currency = |code: &str| Correction { currency: text(code), ..Correction::default() };
        spvs::reopen(&sam, id, None, "The currency was wrong").await.unwrap();
        correct(&sam, id, in_currency("JPY")).await;
        let rows = ledger(&sam, id).await;
        assert_eq!((rows[0].currency, rows[0].amount_minor), (Currency::Jpy, 100));
        assert_exact(&world).await;
        close(&sam, id).await;
        commissions::approve(&sam, &[rows[0].id]).await.unwrap();
        commissions::open(&sam).await.unwrap();
        spvs::reopen(&sam, id, None, "The currency was right").await.unwrap();
        assert_eq!(refusal(&sam, id, in_currency("USD")).await, "currency_has_commission");
    })
    .await;
}

/// Billed by currency: invoices without void ones, less credit notes.
fn billed(found: &[Invoice]) -> BTreeMap<&'static str, i64> {
    let mut sums = BTreeMap::new();
    for invoice in found.iter().filter(|invoice| invoice.status != Status::Void) {
        *sums.entry(invoice.currency.code()).or_default() += invoice.total_minor - invoice.credited_minor;
    }
    sums.retain(|_, minor| *minor != 0);
    sums
}

/// Over random histories of corrections, payments, credit notes, voided and raised invoices: what is billed is the price
/// without what was voided by hand, and the stored sums equal a recount.
#[tokio::test]
async fn random_histories_bill_the_price_to_the_minor_unit() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let sam = world.super_admin("Sam").await;
        let random = RandomSource::seeded(39);
        let pick = |len: usize| random.below(len.max(1) as u64) as usize;
        let mut orders = Vec::new();
        for name in ["Maya", "Nils", "Olga"] {
            // The order, and what is missing since an invoice was voided by hand.
            orders.push((world.client(name, company, Some(iso)).await.1, 0));
        }
        for n in 0..150 {
            let at = pick(orders.len());
            let (id, missing) = &mut orders[at];
            let spv = spvs::get(&sam, *id).await.unwrap().spv;
            let found = of_order(&sam, *id).await;
            let invoice = &found[pick(found.len())];
            match random.below(7) {
                6 => {
                    let minor = [0, 1, 9_000, random.below(30_000) as i64][pick(4)];
                    let fee = Correction { filing_fee: text(&spv.currency.format(minor)), ..Correction::default() };
                    correct(&sam, *id, fee).await;
                    if spv.filing_fee_minor.unwrap_or(0) != minor {
                        *missing = 0;
                    }
                }
                0 | 1 => {
                    let minor = [0, 1, 99_999, 125_000, random.below(300_000) as i64][pick(5)];
                    let corrected = correct(&sam, *id, price(&spv.currency.format(minor))).await;
                    if spv.price_minor != Some(minor) {
                        *missing = 0;
                    } else {
                        assert!(corrected.consequences.is_empty());
                    }
                }
                2 | 3 if invoice.due_minor() > 0 => {
                    let minor = 1 + random.below(invoice.due_minor() as u64) as i64;
                    pay(&sam, invoice, if random.below(2) == 0 { invoice.due_minor() } else { minor }).await;
                }
                4 if invoice.status == Status::Due => {
                    invoices::void(&sam, invoice.id, None, "By hand").await.unwrap();
                    *missing += invoice.total_minor;
                }
                5 => match invoices::raise(&sam, invoice.id, None).await {
                    Ok(raised) => *missing -= raised.invoice.total_minor,
                    Err(error) => {
                        let refused = code(&error);
                        let known = ["invoice_not_void", "invoice_raised_again", "order_invoiced"];
                        assert!(known.contains(&refused.as_str()), "{refused}");
                    }
                },
                _ => {}
            }
            let spv = spvs::get(&sam, *id).await.unwrap().spv;
            let found = of_order(&sam, *id).await;
            let minor = spv.billable_minor().unwrap_or(0) - *missing;
            let expected = BTreeMap::from([(spv.currency.code(), minor)]);
            let expected = expected.into_iter().filter(|(_, minor)| *minor != 0).collect::<BTreeMap<_, _>>();
            assert_eq!(billed(&found), expected, "step {n}");
            for invoice in &found {
                let detail = invoices::get(&sam, invoice.id).await.unwrap();
                let credited: i64 = detail.credit_notes.iter().map(|note| note.amount_minor).sum();
                let paid: i64 = detail.payments.iter().map(|payment| payment.amount_minor).sum();
                assert_eq!((credited, paid), (invoice.credited_minor, invoice.paid_minor), "step {n}");
                assert!(credited <= invoice.total_minor);
                assert_eq!(invoice.status == Status::Paid, paid > 0 && paid >= invoice.billed_minor(), "step {n}");
            }
            if n % 10 == 9 {
                assert_exact(&world).await;
            }
        }
        // The finances of the company are sums of the same rows.
        let cora = world.company_admin("Cora", company).await;
        let all_days = DateRangeQuery { period: None, from: text("2026-01-01"), to: text("2026-12-31") };
        let accounts = finances::get(&cora, None, &all_days).await.unwrap().accounts;
        let mut rows = Vec::new();
        for (id, _) in &orders {
            rows.extend(of_order(&sam, *id).await);
        }
        let sum = |of: fn(&Invoice) -> i64| rows.iter().map(of).sum::<i64>();
        let usd = accounts.iter().find(|account| account.currency == Currency::Usd).unwrap();
        assert_eq!(usd.total.invoiced_minor, sum(Invoice::billed_minor));
        assert_eq!(usd.total.paid_minor, sum(|invoice| invoice.paid_minor));
        assert_eq!(usd.due_minor, sum(Invoice::due_minor));
        // The numbers of both series have no gaps.
        let all = PageQuery { limit: Some(500), cursor: None };
        let mut numbers: Vec<i64> =
            invoices::list(&sam, &Filter::default(), &all).await.unwrap().items.iter().map(|one| one.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=numbers.len() as i64).collect::<Vec<_>>());
        let notes = credit_notes::list(&sam, &Default::default(), &all).await.unwrap().items;
        assert!(notes.len() >= 3, "{}", notes.len());
        let numbers: Vec<i64> = notes.iter().rev().map(|note| note.number).collect();
        assert_eq!(numbers, (1..=numbers.len() as i64).collect::<Vec<_>>());
    })
    .await;
}

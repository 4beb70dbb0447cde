//! Import of invoices and payments of another system, and its undo.
use domain::{
    Ctx, Error,
    kernel::{
        db::Sql,
        ids::{ImportId, InvoiceId},
        page::PageQuery,
    },
    operations::{
        imports::{self, Import, ImportOptions, Kind, Outcome, Row, reading::ImportLine},
        recount,
    },
    orders::invoices::{self, Invoice, ManualPayment, NewInvoice, NewLine, Status},
    testing::{World, code, on_both},
};

type Cells<'a> = &'a [(&'static str, &'a str)];

fn begin(ctx: &Ctx, kind: Kind, options: ImportOptions) -> Import {
    imports::start(ctx, kind, "file.csv", options, &[]).unwrap()
}

/// Imports a row; later cells replace earlier ones.
async fn import(import: &mut Import, cells: Cells<'_>) -> String {
    let row: Row = cells.iter().map(|(name, cell)| (*name, (*cell).to_owned())).collect();
    match import.row(&row).await.unwrap() {
        Outcome::Created => "created".to_owned(),
        Outcome::Present(_) => "present".to_owned(),
        Outcome::Updated(found) | Outcome::Differs(found) => {
            let shown = found.iter().map(|of| format!("{} {}>{}", of.column, of.portal, of.file));
            shown.collect::<Vec<_>>().join(", ")
        }
        Outcome::Rejected { error, .. } => code(&error),
    }
}

/// An office with Maya and Noah, whose orders FORM-1 and FORM-2 have no invoice.
async fn office(world: &World) -> Ctx {
    let company = world.company("Meridian").await;
    let operator = world.operator();
    let people = [
        ("first_name", "Maya"),
        ("last_name", "Ortiz"),
        ("email", "maya@example.com"),
        ("company_name", "Meridian"),
        ("status", "active"),
    ];
    let mut clients = begin(&operator, Kind::Clients, ImportOptions::default());
    for email in ["maya@example.com", "noah@example.com"] {
        assert_eq!(import(&mut clients, &[&people[..], &[("email", email)]].concat()).await, "created");
    }
    let order = [
        ("identifier", "FORM-1"),
        ("client_email", "maya@example.com"),
        ("company_name", "Meridian"),
        ("price", "1000"),
    ];
    let mut orders = begin(&operator, Kind::Spvs, ImportOptions::default());
    assert_eq!(import(&mut orders, &order).await, "created");
    let other = [("identifier", "FORM-2"), ("client_email", "noah@example.com"), ("price", "500")];
    assert_eq!(import(&mut orders, &[&order[..], &other].concat()).await, "created");
    let _ = company;
    operator
}

const INVOICE: [(&str, &str); 5] = [
    ("number", "2025-0041"),
    ("client_email", "maya@example.com"),
    ("spv_identifier", "FORM-1"),
    ("issued_date", "2025-03-01"),
    ("total", "1190.00"),
];

const PAYMENT: [(&str, &str); 3] =
    [("invoice_number", "2025-0041"), ("received_date", "2025-03-20"), ("amount", "600.00")];

async fn find(ctx: &Ctx, number: &str) -> Invoice {
    invoices::find(ctx, number).await.unwrap().invoice
}

async fn assert_no_drift(world: &World) {
    assert_eq!(recount::diff(&world.db).await.unwrap(), []);
}

#[tokio::test]
async fn invoices_keep_their_number_or_show_it_as_the_former_one() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let mut file = begin(&ctx, Kind::Invoices, ImportOptions::default());
        let tax = [("tax_percent", "19"), ("tax", "190.00"), ("description", "Formation"), ("due_date", "2025-03-31")];
        assert_eq!(import(&mut file, &[&INVOICE[..], &tax].concat()).await, "created");
        let other = [
            ("number", "INV/17"),
            ("spv_identifier", "form-2"),
            ("client_email", "NOAH@example.com"),
            ("total", "500"),
        ];
        assert_eq!(import(&mut file, &[&INVOICE[..], &other].concat()).await, "created");
        let void = [("number", "2025-0040"), ("status", "void"), ("void_reason", "Wrong client")];
        assert_eq!(import(&mut file, &[&INVOICE[..], &void].concat()).await, "created");
        file.finish().await.unwrap();

        let own = find(&ctx, "2025-0041").await;
        assert_eq!(
            (own.total_minor, own.tax_minor, own.due_minor(), own.status),
            (119_000, 19_000, 119_000, Status::Due)
        );
        assert_eq!((own.description().as_str(), own.billed_to.as_str()), ("Formation", "Maya Ortiz"));
        assert_eq!(
            (own.issued_date.to_string().as_str(), own.due_date.to_string().as_str()),
            ("2025-03-01", "2025-03-31")
        );
        assert_eq!(own.created_at.date_naive().to_string(), "2025-03-01");
        // The next number is higher than the highest one of the file.
        let former = find(&ctx, "inv/17").await;
        assert_eq!((former.name().as_str(), former.former_number.as_deref()), ("2025-0042", Some("INV/17")));
        assert!(former.description().contains("FORM-2"), "{}", former.description());
        let filter = invoices::Filter { q: Some("INV/17".to_owned()), ..Default::default() };
        assert_eq!(
            invoices::list(&ctx, &filter, &PageQuery::default()).await.unwrap().items,
            std::slice::from_ref(&former)
        );
        assert_eq!(find(&ctx, "2025-0040").await.status, Status::Void);

        // Another time they are there.
        let mut again = begin(&ctx, Kind::Invoices, ImportOptions::default());
        assert_eq!(import(&mut again, &[&INVOICE[..], &tax].concat()).await, "present");
        assert_eq!(import(&mut again, &[&INVOICE[..], &other].concat()).await, "present");
        assert_eq!(import(&mut again, &[&INVOICE[..], &void].concat()).await, "present");
        let mut changed = begin(&ctx, Kind::Invoices, ImportOptions::default());
        let cells = [&INVOICE[..], &[("total", "1200.00")]].concat();
        assert_eq!(import(&mut changed, &cells).await, "total 1190.00>1200.00");
        let mut update = begin(&ctx, Kind::Invoices, ImportOptions { update: true, ..Default::default() });
        assert_eq!(import(&mut update, &cells).await, "total not_updatable");
        assert_no_drift(&world).await;
    })
    .await;
}

#[tokio::test]
async fn an_imported_invoice_is_its_client_s_and_reminds_of_nothing_past() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let mut file = begin(&ctx, Kind::Invoices, ImportOptions::default());
        assert_eq!(import(&mut file, &INVOICE).await, "created");
        let user =
            |email: &'static str| async { domain::accounts::users::find(&world.operator(), email).await.unwrap() };
        let maya = world.signed_in(&user("maya@example.com").await);
        let noah = world.signed_in(&user("noah@example.com").await);
        let own = find(&maya, "2025-0041").await;
        let hidden = invoices::find(&noah, "2025-0041").await.unwrap_err();
        assert!(matches!(hidden, Error::NotFound(_)));
        let system = world.as_actor(domain::Actor::System("test"));
        world.clock.advance(chrono::Duration::hours(24));
        assert_eq!(invoices::remind(&system).await.unwrap(), 0);
        assert!(own.is_overdue(world.clock.now().date_naive()));
        let mails: i64 = world.db.clone().sql("select count(*) from mails").scalar().await.unwrap();
        assert_eq!(mails, 0);
    })
    .await;
}

#[tokio::test]
async fn wrong_cells_are_rejected_by_column() {
    on_both(async |world| {
        let ctx = office(&world).await;
        for (cells, expected) in [
            (&[("number", " ")][..], "number required"),
            (&[("client_email", "unknown@example.com")], "client_email not_found"),
            (&[("client_email", "x")], "client_email invalid_email"),
            (&[("spv_identifier", "FORM-2")], "spv_identifier not_found"),
            (&[("spv_identifier", "")], "spv_identifier required"),
            (&[("total", "0")], "total not_positive"),
            (&[("total", "-5")], "total negative"),
            (&[("total", "12.345")], "total ambiguous_amount"),
            (&[("total", "99999999999999999")], "total too_large"),
            (&[("currency", "XXX")], "currency unknown_currency"),
            (&[("currency", "JPY")], "total too_many_decimals"),
            (&[("issued_date", "2026-11-23")], "issued_date future"),
            (&[("issued_date", "2026-02-30")], "issued_date invalid_date"),
            (&[("due_date", "2025-02-28")], "due_date before_issue"),
            (&[("tax", "190.00")], "tax_percent one_tax_rate"),
            (&[("tax", "190.01"), ("tax_percent", "19")], "tax tax_differs"),
            (&[("tax_percent", "200")], "tax_percent percent_too_large"),
            (&[("credited", "1.00")], "credited credit_not_imported"),
            (&[("status", "void")], "void_reason required"),
            (&[("status", "gone")], "status unknown"),
            (&[("void_reason", "Why")], "void_reason not_allowed"),
            (&[("number", "INV-1"), ("former_number", "INV-2")], "former_number not_allowed"),
        ] {
            let mut file = begin(&ctx, Kind::Invoices, ImportOptions::default());
            assert_eq!(import(&mut file, &[&INVOICE[..], cells].concat()).await, expected, "{cells:?}");
        }
        let mut file = begin(&ctx, Kind::Invoices, ImportOptions::default());
        assert_eq!(import(&mut file, &INVOICE).await, "created");
        let other = [("spv_identifier", "FORM-2"), ("client_email", "noah@example.com")];
        let mut second = begin(&ctx, Kind::Invoices, ImportOptions::default());
        assert_eq!(import(&mut second, &[&INVOICE[..], &other].concat()).await, "number invoice_number_taken");
        for (cells, expected) in [
            (&[("invoice_number", "2025-0099")][..], "invoice_number not_found"),
            (&[("invoice_number", "")], "invoice_number required"),
            (&[("amount", "0.00")], "amount not_positive"),
            (&[("amount", "")], "amount required"),
            (&[("received_date", "2026-11-23")], "received_date future"),
            (&[("currency", "EUR")], "currency other_currency"),
        ] {
            let mut file = begin(&ctx, Kind::Payments, ImportOptions::default());
            assert_eq!(import(&mut file, &[&PAYMENT[..], cells].concat()).await, expected, "{cells:?}");
        }
        // Only super admins import.
        let clerk = world.employee("Emil").await;
        assert!(imports::start(&clerk, Kind::Invoices, "file.csv", ImportOptions::default(), &[]).is_err());
        assert_no_drift(&world).await;
    })
    .await;
}

#[tokio::test]
async fn payments_count_once_however_often_their_file_is_imported() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let mut file = begin(&ctx, Kind::Invoices, ImportOptions::default());
        assert_eq!(import(&mut file, &INVOICE).await, "created");
        let rows: [Cells<'_>; 3] = [&PAYMENT, &[("amount", "300.00"), ("note", "By check")], &[("amount", "300.00")]];
        for (round, expected) in [(0, "created"), (1, "present")] {
            let mut payments = begin(&ctx, Kind::Payments, ImportOptions::default());
            for cells in rows {
                assert_eq!(import(&mut payments, &[&PAYMENT[..], cells].concat()).await, expected, "{round} {cells:?}");
            }
        }
        // The last one is 10.00 more than was due.
        let paid = invoices::find(&ctx, "2025-0041").await.unwrap();
        assert_eq!(
            (paid.invoice.status, paid.invoice.paid_minor, paid.invoice.credit_minor()),
            (Status::Paid, 120_000, 1_000)
        );
        assert_eq!(paid.payments.len(), 3);
        // Another one, though nothing is due, in any order of the file.
        let mut more = begin(&ctx, Kind::Payments, ImportOptions::default());
        assert_eq!(import(&mut more, &[&PAYMENT[..], &[("amount", "5")]].concat()).await, "created");
        assert_eq!(find(&ctx, "2025-0041").await.credit_minor(), 1_500);
        let mut void = begin(&ctx, Kind::Invoices, ImportOptions::default());
        let cells = [("number", "2025-0042"), ("status", "void"), ("void_reason", "Wrong client")];
        assert_eq!(import(&mut void, &[&INVOICE[..], &cells].concat()).await, "created");
        let mut on_void = begin(&ctx, Kind::Payments, ImportOptions::default());
        let cells = [("invoice_number", "2025-0042")];
        assert_eq!(import(&mut on_void, &[&PAYMENT[..], &cells].concat()).await, "invoice_settled");
        assert_no_drift(&world).await;
    })
    .await;
}

/// Imports all rows as one batch, as files are.
async fn batch(ctx: &Ctx, kind: Kind, options: ImportOptions, rows: &[Vec<(&'static str, &str)>]) -> Vec<String> {
    let lines: Vec<ImportLine> = rows
        .iter()
        .enumerate()
        .map(|(n, cells)| {
            let row: Row = cells.iter().map(|(name, cell)| (*name, (*cell).to_owned())).collect();
            ImportLine { number: n + 2, row: Ok(row) }
        })
        .collect();
    let mut file = imports::start(ctx, kind, "file.csv", options, &lines).unwrap();
    let outcome = |done: imports::LineOutcome| match done.outcome {
        Outcome::Created => "created".to_owned(),
        Outcome::Rejected { error, .. } => code(&error),
        other => format!("{other:?}"),
    };
    file.batch(lines).await.unwrap().into_iter().map(outcome).collect()
}

#[tokio::test]
async fn numbers_of_a_file_do_not_get_in_each_other_s_way() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let row = |number: &'static str, issued: &'static str| {
            [&INVOICE[..], &[("number", number), ("issued_date", issued)]].concat()
        };
        // INV-7 would take the number that the file keeps below it; a yearly series begins anew; a fiscal year's is another one's.
        let rows = [
            row("INV-7", "2025-01-05"),
            row("2025-0001", "2025-01-06"),
            row("2025-0002", "2025-02-01"),
            row("7", "2024-03-01"),
            row("7", "2023-03-01"),
            row("2024-1", "2024-05-01"),
            row("2025-0002", "2024-06-01"),
        ];
        for (dry_run, expected) in [(true, "created"), (false, "created")] {
            let options = ImportOptions { dry_run, ..Default::default() };
            assert_eq!(batch(&ctx, Kind::Invoices, options, &rows).await, [expected; 7], "{dry_run}");
        }
        let named: Vec<_> = {
            let all = invoices::list(&ctx, &invoices::Filter::default(), &PageQuery::default()).await.unwrap().items;
            all.iter().map(|invoice| (invoice.name(), invoice.former_number.clone().unwrap_or_default())).collect()
        };
        let expected = [
            ("2025-0003", "INV-7"),
            ("2025-0002", ""),
            ("2025-0001", ""),
            ("2024-0003", "2025-0002"),
            ("2024-0002", "2024-1"),
            ("2024-0001", "7"),
            ("2023-0001", "7"),
        ];
        assert_eq!(named, expected.map(|(name, former)| (name.to_owned(), former.to_owned())));

        // A payment finds an invoice by its own or former number, and none that two have or had.
        let pay = |number: &'static str| [&PAYMENT[..], &[("invoice_number", number)]].concat();
        let payments = ["2024-1", "2024-0001", "7", "2025-0002", "inv-7", "2025-3"].map(pay);
        let paid = batch(&ctx, Kind::Payments, ImportOptions::default(), &payments);
        let ambiguous = "invoice_number ambiguous_number";
        assert_eq!(paid.await, ["created", "created", ambiguous, ambiguous, "created", "invoice_number not_found"]);
        assert_eq!(find(&ctx, "2024-0002").await.paid_minor, 60_000);
        // The list finds it by its former number, too.
        let filter = invoices::Filter { q: Some("2024-1".to_owned()), ..Default::default() };
        let found = invoices::list(&ctx, &filter, &PageQuery::default()).await.unwrap().items;
        assert_eq!(found.iter().map(Invoice::name).collect::<Vec<_>>(), ["2024-0002", "2024-0001"]);
        assert_no_drift(&world).await;
    })
    .await;
}

#[tokio::test]
async fn dry_run_stores_nothing() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let dry = ImportOptions { dry_run: true, ..Default::default() };
        let mut file = begin(&ctx, Kind::Invoices, dry);
        assert_eq!(import(&mut file, &INVOICE).await, "created");
        assert!(invoices::find(&ctx, "2025-0041").await.is_err());
        assert_no_drift(&world).await;
    })
    .await;
}

/// Imports rows and returns the import.
async fn imported(ctx: &Ctx, kind: Kind, rows: &[Vec<(&'static str, &str)>]) -> ImportId {
    let mut file = begin(ctx, kind, ImportOptions::default());
    for cells in rows {
        assert_eq!(import(&mut file, cells).await, "created");
    }
    let id = file.id();
    file.finish().await.unwrap();
    id
}

async fn undo(ctx: &Ctx, id: ImportId) -> (u64, Vec<String>) {
    let outcome = imports::undo(ctx, id).await.unwrap();
    let reason = |row: &imports::KeptRow| format!("{} {}", row.label, code(&row.reason));
    (outcome.removed, outcome.kept.iter().map(reason).collect())
}

#[tokio::test]
async fn undo_removes_payments_then_invoices_and_the_series_goes_on_where_it_was() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let first = [&INVOICE[..], &[("number", "2026-0001"), ("issued_date", "2026-01-05")]].concat();
        let second = [&INVOICE[..], &[("number", "X-9"), ("issued_date", "2026-02-05")]].concat();
        let invoices = imported(&ctx, Kind::Invoices, &[first, second]).await;
        let pay = [&PAYMENT[..], &[("invoice_number", "X-9"), ("received_date", "2026-03-01")]].concat();
        let payments = imported(&ctx, Kind::Payments, &[pay]).await;
        world.clock.advance(chrono::Duration::minutes(5));
        // The paid one stays, and the one before it, as the series has no gaps.
        let (removed, kept) = undo(&ctx, invoices).await;
        assert_eq!(
            (removed, kept),
            (0, vec!["2026-0001 later_invoices".to_owned(), "X-9 used_since_import".to_owned()])
        );
        assert_eq!(undo(&ctx, payments).await, (1, vec![]));
        let open = find(&ctx, "X-9").await;
        assert_eq!((open.status, open.paid_minor), (Status::Due, 0));
        assert_no_drift(&world).await;
        assert_eq!(undo(&ctx, invoices).await, (2, vec![]));
        assert!(invoices::find(&ctx, "2026-0001").await.is_err());
        assert_no_drift(&world).await;
        let spv = domain::orders::spvs::find(&ctx, "FORM-1").await.unwrap().spv.id;
        let line = NewLine {
            description: Some("Renewal".to_owned()),
            unit_price: Some("10".to_owned()),
            ..Default::default()
        };
        let new = NewInvoice { spv_id: Some(spv), lines: vec![line], ..Default::default() };
        assert_eq!(invoices::create(&ctx, new).await.unwrap().invoice.name(), "2026-0001");
    })
    .await;
}

#[tokio::test]
async fn undo_leaves_what_was_used_since() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let import = imported(&ctx, Kind::Invoices, &[INVOICE.to_vec()]).await;
        world.clock.advance(chrono::Duration::minutes(5));
        let id: InvoiceId = find(&ctx, "2025-0041").await.id;
        let payment = ManualPayment { amount: Some("100".to_owned()), ..Default::default() };
        invoices::pay(&ctx, id, Some(1), payment).await.unwrap();
        assert_eq!(undo(&ctx, import).await, (0, vec!["2025-0041 changed_since_import".to_owned()]));
        assert_no_drift(&world).await;
    })
    .await;
}

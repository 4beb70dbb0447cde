//! Import of whole files: as offices have them, round trips of exports, existing rows, batches.
use domain::{
    Ctx,
    directory::{clients, companies, isos, leads},
    kernel::{csv, i18n, page::PageQuery},
    operations::{
        imports::{
            self, BATCH_ROWS, ImportOptions, ImportTotals, Kind, Outcome, Row,
            reading::{self, Container, DateOrder, ImportFile, ReadOptions},
        },
        recount, seed,
    },
    orders::{invoices, spvs},
    reporting::exports::{self, Table},
    testing::{World, code, on_both},
};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, XlsxError};
use std::collections::BTreeSet;

fn read(kind: Kind, bytes: &[u8], options: &ReadOptions) -> ImportFile {
    reading::read(kind, bytes, options).unwrap()
}

/// Imports a file that has no problems.
async fn import(ctx: &Ctx, kind: Kind, bytes: &[u8], options: ImportOptions) -> (ImportTotals, Vec<String>) {
    let file = read(kind, bytes, &ReadOptions::default());
    assert_eq!(file.problems, []);
    let mut import = imports::start(ctx, kind, "file.csv", options, &file.lines).unwrap();
    let mut lines = file.lines.into_iter().peekable();
    let mut outcomes = Vec::new();
    while lines.peek().is_some() {
        let batch = lines.by_ref().take(BATCH_ROWS).collect();
        for done in import.batch(batch).await.unwrap() {
            let differences = |found: &[imports::Difference]| {
                let shown = found.iter().map(|of| format!("{} {}>{}", of.column, of.portal, of.file));
                shown.collect::<Vec<_>>().join(", ")
            };
            outcomes.push(match &done.outcome {
                Outcome::Created => continue,
                Outcome::Present(None) => "present".to_owned(),
                Outcome::Present(Some(spelling)) => format!("present as {spelling}"),
                Outcome::Updated(found) => format!("{} updated {}", done.line, differences(found)),
                Outcome::Differs(found) => format!("{} differs {}", done.line, differences(found)),
                Outcome::Rejected { error, value } => {
                    format!("{} {} {}", done.line, code(error), value.as_deref().unwrap_or("-"))
                }
            });
        }
    }
    (import.finish().await.unwrap(), outcomes)
}

const TEXT: &str = "Identifier;Client E-Mail;Company Name;Price;Ordered Date\n\
                    É-1;maya@example.com;Müller;1.250,00;31.12.2025\nÉ-2;maya@example.com;Müller;12.500;03.04.2026\n";

fn utf16(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(encode).collect()
}

fn windows_1252(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn workbook() -> Vec<u8> {
    let build = || -> Result<Vec<u8>, XlsxError> {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet();
        for (column, name) in
            ["Identifier", "Client E-Mail", "Company Name", "Price", "Ordered Date"].iter().enumerate()
        {
            sheet.write(0, column as u16, *name)?;
        }
        let date = Format::new().set_num_format("dd.mm.yyyy");
        for (row, identifier, price, on) in [(1, "É-1", 1_250.0, (2025, 12, 31)), (2, "É-2", 12_500.0, (2026, 4, 3))]
        {
            sheet.write(row, 0, identifier)?.write(row, 1, "maya@example.com")?.write(row, 2, "Müller")?;
            let day = ExcelDateTime::from_ymd(on.0, on.1, on.2)?;
            sheet.write(row, 3, price)?.write_with_format(row, 4, &day, &date)?;
        }
        workbook.save_to_buffer()
    };
    build().unwrap()
}

#[test]
fn files_are_read_as_offices_have_them() {
    let options = ReadOptions::default;
    let comma = TEXT.replace("1.250,00", "1250.00").replace("12.500", "12500").replace(';', ",");
    let american = comma.replace("31.12.2025", "12/31/2025").replace("03.04.2026", "04/03/2026");
    let british = comma.replace("31.12.2025", "31/12/2025").replace("03.04.2026", "03/04/2026");
    let human = comma
        .replace("Identifier,Client E-Mail", "Our number,clientEmail")
        .replace("\nÉ", "\n\"É")
        .replace(",maya", "\",maya");
    let json = "{\"identifier\":\"É-1\",\"client_email\":\"maya@example.com\",\"company_name\":\"Müller\",\"price\":1250.00,\
                \"ordered_date\":\"2025-12-31\"}\r\n{\"identifier\":\"É-2\",\"client_email\":\"maya@example.com\",\
                \"company_name\":\"Müller\",\"price\":12500,\"ordered_date\":\"2026-04-03\"}\r\n";
    let mapped = ReadOptions { map: vec![("our number".to_owned(), "identifier".to_owned())], ..options() };
    let cases: Vec<(&str, Vec<u8>, ReadOptions)> = vec![
        (
            "comma UTF-8 ISO",
            comma.replace("31.12.2025", "2025-12-31").replace("03.04.2026", "2026-04-03").into(),
            options(),
        ),
        ("semicolon UTF-8 comma DD.MM.YYYY", TEXT.into(), options()),
        ("semicolon UTF-8 comma DD.MM.YYYY", [b"\xef\xbb\xbf", TEXT.as_bytes()].concat(), options()),
        ("semicolon windows-1252 comma DD.MM.YYYY", windows_1252(&TEXT.replace('\n', "\r\n")), options()),
        ("semicolon UTF-8 comma DD.MM.YYYY", format!("sep=;\r\n{TEXT}").into(), options()),
        ("tab UTF-16LE comma DD.MM.YYYY", utf16(&TEXT.replace(';', "\t"), u16::to_le_bytes), options()),
        ("tab UTF-16BE comma DD.MM.YYYY", utf16(&TEXT.replace(';', "\t"), u16::to_be_bytes), options()),
        ("comma UTF-8 MM/DD/YYYY", american.into(), options()),
        ("comma UTF-8 DD/MM/YYYY", british.into(), options()),
        ("comma UTF-8 DD.MM.YYYY", human.into(), mapped),
        ("lines UTF-8 ISO", json.into(), options()),
        ("Sheet1 ISO", workbook(), options()),
    ];
    for (words, bytes, options) in cases {
        let file = read(Kind::Spvs, &bytes, &options);
        assert_eq!(file.problems, [], "{words}");
        let container = match &file.format.container {
            Container::Csv { delimiter, encoding } => format!("{} {encoding}", delimiter.name()),
            Container::JsonLines { encoding } => format!("lines {encoding}"),
            Container::Workbook { sheet } => sheet.clone(),
        };
        let comma = if file.format.decimal_comma == Some(true) { " comma" } else { "" };
        let dates = file.format.dates.as_deref().unwrap_or("ISO");
        assert_eq!(format!("{container}{comma} {dates}"), words);
        let rows: Vec<Row> = file.lines.into_iter().map(|line| line.row.unwrap()).collect();
        let of = |column: &str| rows.iter().map(|row| row[column].as_str()).collect::<Vec<_>>();
        assert_eq!(of("identifier"), ["É-1", "É-2"], "{words}");
        assert_eq!(
            (of("company_name"), of("ordered_date")),
            (vec!["Müller"; 2], vec!["2025-12-31", "2026-04-03"]),
            "{words}"
        );
        let amounts: Vec<_> =
            of("price").iter().map(|price| domain::kernel::money::Currency::Eur.parse(price)).collect();
        assert_eq!(amounts, [Ok(125_000), Ok(1_250_000)], "{words}");
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_refused_until_the_options_decide() {
    let text = "identifier,client_email,company_name,price,ordered_date,shoe\nA,a@example.com,B,1.250,03/04/2026,x\n";
    let file = read(Kind::Spvs, text.as_bytes(), &ReadOptions::default());
    let fields: BTreeSet<&str> = file.problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, BTreeSet::from(["date_format", "decimal_comma", "map"]));
    assert!(file.lines.is_empty() && file.columns.len() == 6);
    let decided = ReadOptions {
        ignore_unknown: true,
        date_order: Some(DateOrder::DayFirst),
        decimal_comma: Some(true),
        ..ReadOptions::default()
    };
    let file = read(Kind::Spvs, text.as_bytes(), &decided);
    assert_eq!(file.problems, []);
    let row = file.lines.into_iter().next().unwrap().row.unwrap();
    assert_eq!((row["price"].as_str(), row["ordered_date"].as_str()), ("1250", "2026-04-03"));
    for (bytes, code) in [(&b"[{}]"[..], "json_array"), (b"PK\x03\x04x", "no_workbook"), (b"a\nb\x81", "not_utf8")] {
        let error = reading::read(Kind::Clients, bytes, &ReadOptions::default()).unwrap_err();
        assert_eq!(domain::testing::code(&error), format!("file {code}"));
    }
    let empty = read(Kind::Clients, b" \r\n", &ReadOptions::default());
    assert_eq!(i18n::field("en-US", &empty.problems[0]), "This file is empty.");
}

/// An export of everything of this kind, active and archived, as CSV, without what differs between portals.
async fn export(ctx: &Ctx, kind: Kind) -> Vec<u8> {
    let tables = match kind {
        Kind::Clients => [None, Some(domain::accounts::users::Status::Archived)]
            .map(|status| Table::Clients(clients::Filter { status, ..Default::default() }))
            .to_vec(),
        Kind::Companies => [false, true]
            .map(|archived| Table::Companies(companies::Filter { archived, ..Default::default() }))
            .to_vec(),
        Kind::Isos => {
            [false, true].map(|archived| Table::Isos(isos::Filter { archived, ..Default::default() })).to_vec()
        }
        Kind::Spvs => vec![Table::Spvs(spvs::Filter::default())],
        Kind::Invoices => vec![Table::Invoices(invoices::Filter::default())],
        Kind::Payments => vec![Table::Payments(invoices::PaymentFilter::default())],
    };
    let own = ["id", "created_at", "current_step", "recorded_by", "recorded_at"];
    let names = exports::columns(ctx, &tables[0]);
    let kept: Vec<usize> = (0..names.len()).filter(|n| !own.contains(&names[*n])).collect();
    let pick = |cells: &[String]| kept.iter().map(|n| cells[*n].clone()).collect::<Vec<_>>();
    let mut lines = BTreeSet::new();
    for table in &tables {
        let mut cursor = None;
        loop {
            let page = exports::rows(ctx, table, cursor).await.unwrap();
            lines.extend(page.items.iter().map(|cells| {
                let mut line = String::new();
                csv::write_line(&mut line, pick(cells));
                line
            }));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
    }
    let mut text = String::new();
    csv::write_line(&mut text, kept.iter().map(|n| names[*n].to_owned()));
    text.extend(lines);
    text.into_bytes()
}

const KINDS: [Kind; 4] = [Kind::Companies, Kind::Isos, Kind::Clients, Kind::Spvs];

#[tokio::test]
async fn exports_of_an_office_import_whole_into_an_empty_portal() {
    let office = World::sqlite().await;
    let source = office.operator();
    assert!(seed::demo(&source).await.unwrap());
    // Orders of a suspended client, an archived one, an archived partner and an archived company.
    let company = office.company("Gone & Söhne; \"Ltd\"").await;
    let (iso, _) = office.iso("Igor", company).await;
    for (name, partner) in [("Susan", Some(iso)), ("Otto", None)] {
        office.client(name, company, partner).await;
    }
    let id = async |email: &str| clients::find(&source, email).await.unwrap().id;
    clients::suspend(&source, id("susan@example.com").await, None).await.unwrap();
    clients::archive(&source, id("otto@example.com").await, None).await.unwrap();
    isos::archive(&source, iso, None).await.unwrap();
    companies::archive(&source, company, None).await.unwrap();
    let (mut files, mut billing) = (Vec::new(), Vec::new());
    for kind in KINDS {
        files.push((kind, export(&source, kind).await));
    }
    for kind in [Kind::Invoices, Kind::Payments] {
        billing.push((kind, export(&source, kind).await));
    }
    // In the office itself, every row is there.
    for (kind, file) in &billing {
        let (totals, outcomes) = import(&source, *kind, file, ImportOptions::default()).await;
        assert_eq!((totals.created, totals.differing), (0, 0), "{kind:?}");
        let is_known = |outcome: &String| outcome == "present" || outcome.contains("spv_identifier not_found");
        assert!(outcomes.iter().all(is_known), "{outcomes:?}");
    }
    let (files, billing) = (&files, &billing);
    on_both(async |world| {
        let ctx = world.operator();
        for (kind, file) in files {
            let rows = String::from_utf8_lossy(file).matches("\r\n").count() as u64 - 1;
            let (totals, outcomes) = import(&ctx, *kind, file, ImportOptions::default()).await;
            assert_eq!(outcomes, Vec::<String>::new(), "{kind:?}");
            assert_eq!(totals, ImportTotals { created: rows, ..ImportTotals::default() }, "{kind:?}");
        }
        for (kind, file) in files {
            let (wanted, found) = (String::from_utf8_lossy(file), export(&ctx, *kind).await);
            assert_eq!(String::from_utf8_lossy(&found), wanted, "{kind:?}");
            let (totals, _) = import(&ctx, *kind, file, ImportOptions::default()).await;
            assert_eq!((totals.created, totals.differing, totals.rejected), (0, 0, 0), "{kind:?}");
        }
        import_billing(&ctx, billing).await;
        assert_eq!(recount::diff(&world.db).await.unwrap(), []);
    })
    .await;
}

/// Imports the invoices and payments of an office whose orders are there, and compares what is exported again.
async fn import_billing(ctx: &Ctx, billing: &[(Kind, Vec<u8>)]) {
    let mut refused = Vec::new();
    for (kind, file) in billing {
        let rows = String::from_utf8_lossy(file).matches("\r\n").count() as u64 - 1;
        let (totals, outcomes) = import(ctx, *kind, file, ImportOptions::default()).await;
        assert!(totals.created > rows * 3 / 4, "{kind:?} {totals:?}");
        assert_eq!(totals.created + totals.rejected, rows, "{kind:?}");
        refused.extend(outcomes);
    }
    assert!(refused.iter().any(|refused| refused.contains(REFUSED[0])), "{refused:?}");
    for refused in &refused {
        assert!(REFUSED.iter().any(|code| refused.contains(code)), "{refused}");
    }
    for (kind, file) in billing {
        let (wanted, found) = (String::from_utf8_lossy(file), export(ctx, *kind).await);
        for line in String::from_utf8_lossy(&found).lines() {
            assert!(wanted.lines().any(|wanted| wanted == line), "{kind:?} {line}");
        }
        let (totals, _) = import(ctx, *kind, file, ImportOptions::default()).await;
        assert_eq!((totals.created, totals.differing), (0, 0), "{kind:?}");
    }
}

/// Invoices that an import refuses: with credit notes, with several tax rates or sums of rounded lines, and of an order that is
/// another client's by now; and their payments.
const REFUSED: [&str; 5] = [
    "credited credit_not_imported",
    "tax_percent one_tax_rate",
    "tax tax_differs",
    "spv_identifier not_found",
    "invoice_number not_found",
];

/// A company with a partner, its client Maya, and Noah.
async fn office(world: &World) -> Ctx {
    let company = world.company("Meridian").await;
    let (iso, _) = world.iso("Ingrid", company).await;
    world.client("Maya", company, Some(iso)).await;
    world.client("Noah", company, None).await;
    world.operator()
}

#[tokio::test]
async fn existing_rows_with_other_values_are_listed_and_updated_only_when_wanted() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let orders = "identifier,client_email,company_name,price,reference\nF-1,maya@example.com,Meridian,1250,PO 1\n";
        import(&ctx, Kind::Spvs, orders.as_bytes(), ImportOptions::default()).await;
        let files = [
            (
                Kind::Clients,
                "first_name,last_name,email,company_name,phone,iso_name,status\n\
                 Maya,Test,MAYA@example.com,Meridian,+1 555 0144,,active\nNoah,Prophet,noah@example.com,Meridian,,Ingrid Test,suspended\n",
                vec!["2 differs phone >+1 555 0144", "3 differs last_name Test>Prophet, iso_name >Ingrid Test, status active>suspended"],
            ),
            (
                Kind::Companies,
                "name,business_name,tax_id,currency,archived_at\nMeridian,Meridian Group LLC,,EUR,2026-01-31\n",
                vec!["2 differs business_name Meridian LLC>Meridian Group LLC, currency >EUR, archived_at >2026-01-31"],
            ),
            (
                Kind::Isos,
                "first_name,last_name,email,company_name,phone,archived_at\n\
                 Inga,Test,ingrid@example.com,Meridian,+1 555 0145,2026-02-01\n",
                vec!["2 differs first_name Ingrid>Inga, phone >+1 555 0145, archived_at >2026-02-01"],
            ),
            (
                Kind::Spvs,
                "identifier,client_email,company_name,price,reference,vehicle_name,ordered_date\n\
                 f-1,maya@example.com,Meridian,1250,PO 2,Fund One,2026-11-02\n",
                vec!["2 differs vehicle_name >Fund One, reference PO 1>PO 2, ordered_date 2026-11-21>2026-11-02"],
            ),
        ];
        for (kind, text, wanted) in &files {
            let (totals, outcomes) = import(&ctx, *kind, text.as_bytes(), ImportOptions::default()).await;
            assert_eq!(outcomes, *wanted);
            assert_eq!(totals, ImportTotals { differing: wanted.len() as u64, ..ImportTotals::default() });
        }
        // The company last: its partner and clients are found either way.
        let update = ImportOptions { update: true, dry_run: false };
        for dry_run in [true, false] {
            for (kind, text, wanted) in &files {
                let (_, outcomes) = import(&ctx, *kind, text.as_bytes(), ImportOptions { dry_run, ..update }).await;
                let wanted: Vec<_> = wanted.iter().map(|words| words.replace("differs", "updated")).collect();
                if *kind != Kind::Spvs || dry_run {
                    assert_eq!(outcomes, wanted, "{dry_run}");
                }
            }
        }
        for (kind, text, _) in &files {
            let text = text.replace("Ingrid Test", "Inga Test");
            let (totals, outcomes) = import(&ctx, *kind, text.as_bytes(), update).await;
            assert_eq!((totals.updated, totals.rejected), (0, 0), "{outcomes:?}");
        }
        let noah = clients::find(&ctx, "noah@example.com").await.unwrap();
        assert_eq!((noah.last_name.as_str(), noah.status.name(), noah.iso_first_name.as_deref()), ("Prophet", "suspended", Some("Inga")));
        let order = spvs::find(&ctx, "F-1").await.unwrap().spv;
        assert_eq!((order.reference.as_deref(), order.vehicle_name.as_deref(), order.price_minor), (Some("PO 2"), Some("Fund One"), Some(125_000)));
        assert_eq!(recount::diff(&world.db).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn what_an_import_cannot_change_is_rejected() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let update = ImportOptions { update: true, dry_run: false };
        let orders = "identifier,client_email,company_name,price\nF-1,maya@example.com,Meridian,1250\n";
        import(&ctx, Kind::Spvs, orders.as_bytes(), update).await;
        let changed =
            "identifier,client_email,company_name,price,status\nF-1,noah@example.com,Meridian,7777,processing\n";
        let (_, outcomes) = import(&ctx, Kind::Spvs, changed.as_bytes(), update).await;
        assert_eq!(
            outcomes,
            ["2 client_email not_updatable, price not_updatable, status not_updatable noah@example.com"]
        );
        world.company("Beta").await;
        let partner = "first_name,last_name,email,company_name\nIngrid,Test,ingrid@example.com,Beta\n";
        let (_, outcomes) = import(&ctx, Kind::Isos, partner.as_bytes(), update).await;
        assert_eq!(outcomes, ["2 company_name not_updatable Beta"]);
        let client = "first_name,last_name,email,company_name,status\nMaya,Test,maya@example.com,Meridian,pending\n";
        let (_, outcomes) = import(&ctx, Kind::Clients, client.as_bytes(), update).await;
        assert_eq!(outcomes, ["2 status not_updatable pending"]);
    })
    .await;
}

#[tokio::test]
async fn a_row_that_repeats_another_with_other_values_is_rejected() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let orders = "identifier,client_email,company_name,price\nE1,maya@example.com,Meridian,1250\n\
                      e1,maya@example.com,Meridian,1250\nE1,maya@example.com,Meridian,9999\nE2,maya@example.com,Meridian,x\n\
                      E2,maya@example.com,Meridian,7\n";
        let wanted = ["present as E1", "4 price repeated_row 9999", "5 price invalid_amount x"];
        for dry_run in [true, false] {
            let options = ImportOptions { dry_run, ..ImportOptions::default() };
            let (totals, outcomes) = import(&ctx, Kind::Spvs, orders.as_bytes(), options).await;
            assert_eq!(outcomes, wanted, "{dry_run}");
            assert_eq!((totals.created, totals.present, totals.rejected), (2, 1, 2));
        }
        // An archived company may have the name of an open one.
        let twins = "name,business_name,archived_at\nTwin,Twin LLC,\nTwin,Twin Old LLC,2025-01-31\n";
        for created in [2, 0] {
            let (totals, _) = import(&ctx, Kind::Companies, twins.as_bytes(), ImportOptions::default()).await;
            assert_eq!((totals.created, totals.present), (created, 2 - created));
        }
    })
    .await;
}

fn client_rows(count: usize) -> String {
    let row = |n: usize| format!("Ada,Number {n},ada{n}@example.com,Meridian\n");
    format!("first_name,last_name,email,company_name\n{}", (0..count).map(row).collect::<String>())
}

#[tokio::test]
async fn a_row_that_is_refused_late_does_not_stop_its_batch() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let company = companies::find(&ctx, "Meridian").await.unwrap().id;
        let (_, ingrid) = world.iso("Ivan", company).await;
        let lead = leads::Input {
            first_name: "Lena".to_owned(),
            last_name: "Maric".to_owned(),
            email: "ada1@example.com".to_owned(),
            ..leads::Input::default()
        };
        leads::create(&ingrid, lead).await.unwrap();
        let (totals, outcomes) = import(&ctx, Kind::Clients, client_rows(5).as_bytes(), ImportOptions::default()).await;
        assert_eq!(outcomes, ["3 lead_protected -"]);
        assert_eq!((totals.created, totals.rejected), (4, 1));
        assert_eq!(recount::diff(&world.db).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn an_interrupted_import_continues_where_it_stopped() {
    on_both(async |world| {
        let ctx = office(&world).await;
        let text = client_rows(BATCH_ROWS + 50);
        let file = read(Kind::Clients, text.as_bytes(), &ReadOptions::default());
        let mut first = imports::start(&ctx, Kind::Clients, "file.csv", ImportOptions::default(), &file.lines).unwrap();
        first.batch(file.lines.into_iter().take(BATCH_ROWS).collect()).await.unwrap();
        // A process that is killed stores nothing of the batch that it is in.
        let rest = read(Kind::Clients, text.as_bytes(), &ReadOptions::default()).lines.split_off(BATCH_ROWS);
        let mut killed = imports::start(&ctx, Kind::Clients, "file.csv", ImportOptions::default(), &rest).unwrap();
        let mut batch = Box::pin(killed.batch(rest));
        let begun = tokio::time::timeout(std::time::Duration::from_millis(5), &mut batch).await;
        assert!(begun.is_err(), "50 rows take longer");
        drop(batch);
        let (totals, _) = import(&ctx, Kind::Clients, text.as_bytes(), ImportOptions::default()).await;
        let wanted = ImportTotals { created: 50, present: BATCH_ROWS as u64, ..ImportTotals::default() };
        assert_eq!(totals, wanted);
        let page = PageQuery { limit: Some(500), cursor: None };
        let found = clients::list(&ctx, &clients::Filter::default(), &page).await.unwrap().items;
        assert_eq!(found.len(), BATCH_ROWS + 52);
    })
    .await;
}

//! Import of rows: validated like manual input, without notifications, idempotent.
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    accounts::users,
    directory::{clients, companies, isos, leads},
    kernel::{access::Role, db::Sql, page::PageQuery},
    operations::imports::{self, Import, ImportOptions, ImportTotals, Kind, Outcome, Row},
    operations::recount,
    orders::{
        commissions, document_requests,
        spvs::{self, Country, Detail},
        steps, templates,
    },
    platform::activity,
    testing::{World, code, on_both},
};

type Cells<'a> = &'a [(&'static str, &'a str)];

/// A row; later cells replace earlier ones.
fn row(cells: Cells<'_>) -> Row {
    cells.iter().map(|(name, cell)| (*name, (*cell).to_owned())).collect()
}

async fn import_row(import: &mut Import, cells: Cells<'_>) -> String {
    match import.row(&row(cells)).await.unwrap() {
        Outcome::Created => "made".to_owned(),
        Outcome::Present(_) => "there".to_owned(),
        Outcome::Updated(found) => changed("updated", &found),
        Outcome::Differs(found) => changed("differs", &found),
        Outcome::Rejected { error, .. } => code(&error),
    }
}

/// The word and each difference: column, the portal's value, the file's.
fn changed(word: &str, found: &[imports::Difference]) -> String {
    let shown = found.iter().map(|of| format!(" {} {}>{}", of.column, of.portal, of.file));
    format!("{word}{}", shown.collect::<Vec<_>>().join(","))
}

fn begin_import(ctx: &Ctx, kind: Kind) -> Import {
    imports::start(ctx, kind, "file.csv", ImportOptions::default(), &[]).unwrap()
}

/// Row counts of the tables and the rollups.
async fn row_counts(world: &World) -> Vec<(String, i64)> {
    let mut db = world.db.clone();
    let mut found: Vec<_> = recount::stored(&mut db).await.unwrap().into_iter().collect();
    for table in [
        "activity",
        "commissions",
        "document_requests",
        "figures",
        "invoices",
        "mails",
        "search_rows",
        "spv_steps",
        "spvs",
        "step_dependencies",
        "users",
    ] {
        let count = db.sql_built(format!("select count(*) from {table}")).scalar().await.unwrap();
        found.push((table.to_owned(), count));
    }
    found
}

async fn count(world: &World, table: &str) -> i64 {
    let of = |(name, _): &(String, i64)| name == table;
    row_counts(world).await.into_iter().find(of).unwrap().1
}

async fn assert_no_drift(world: &World) {
    let differing = recount::diff(&world.db).await.unwrap();
    assert!(differing.is_empty(), "{differing:?}");
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

const ADA: [(&str, &str); 4] =
    [("first_name", "Ada"), ("last_name", "Lima"), ("email", "ada@example.com"), ("company_name", "Meridian")];

#[tokio::test]
async fn client_rows_are_imported_once() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let operator = world.operator();
        let mails = count(&world, "mails").await;
        let mut import = begin_import(&operator, Kind::Clients);
        let more =
            [("phone", "+1 555 0144"), ("address", "1 Main St\nSpringfield"), ("iso_email", "INGRID@Example.com")];
        assert_eq!(import_row(&mut import, &[&ADA[..], &more].concat()).await, "made");
        assert_eq!(import_row(&mut import, &[&ADA[..], &[("email", " ADA@Example.com ")]].concat()).await, "there");
        for (email, status) in [("noah@example.com", "Active"), ("olga@example.com", "suspended")] {
            let other = [("email", email), ("iso_name", "Ingrid Test"), ("status", status)];
            assert_eq!(import_row(&mut import, &[&ADA[..], &other].concat()).await, "made");
        }
        let other = [("email", "otto@example.com"), ("status", "archived"), ("iso_name", " ")];
        assert_eq!(import_row(&mut import, &[&ADA[..], &other].concat()).await, "made");
        let totals = import.finish().await.unwrap();
        assert_eq!(totals, ImportTotals { created: 4, present: 1, ..ImportTotals::default() });

        let ada = clients::find(&operator, "ada@example.com").await.unwrap();
        assert_eq!((ada.name().as_str(), ada.company_id, ada.iso_id), ("Ada Lima", Some(company), Some(iso)));
        assert_eq!(ada.phone.as_deref(), Some("+1 555 0144"));
        assert_eq!(ada.address.as_deref(), Some("1 Main St\nSpringfield"));
        let mut found = Vec::new();
        for email in ["ada@example.com", "noah@example.com", "olga@example.com", "otto@example.com"] {
            let user = users::find(&operator, email).await.unwrap();
            assert!(user.password_hash.is_none() && user.role == Role::Client);
            found.push((user.status.name(), user.iso_id == Some(iso)));
        }
        assert_eq!(found, [("pending", true), ("active", true), ("suspended", true), ("archived", false)]);
        let otto = users::find(&operator, "otto@example.com").await.unwrap().id;
        assert_eq!(clients::restore(&operator, otto, None).await.unwrap().status, users::Status::Pending);
        assert_eq!(count(&world, "mails").await, mails, "no mails are sent");
        assert_no_drift(&world).await;

        activity::sequence_all(&operator).await.unwrap();
        let log = activity::list(&operator, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        let made: Vec<_> = log.iter().filter(|event| event.action == "client.created").collect();
        assert!(made.len() == 4 && made.iter().all(|event| event.data["setup"] == "import" && event.public));
        let noted = log.iter().find(|event| event.action == "import.made").unwrap();
        assert_eq!(
            (noted.subject_label.as_str(), &noted.data["made"], &noted.data["there"]),
            ("clients", &4.into(), &1.into())
        );
        for (action, email) in [("client.suspended", "olga@example.com"), ("client.archived", "otto@example.com")] {
            let id = users::find(&operator, email).await.unwrap().id;
            assert!(log.iter().any(|event| event.action == action && event.client_id == Some(id)), "{action}");
        }
    })
    .await;
}

#[tokio::test]
async fn invalid_client_rows_are_rejected_by_column() {
    on_both(async |world| {
        let (company, beta) = (world.company("Meridian").await, world.company("Beta").await);
        let (_, ingrid) = world.iso("Ingrid", company).await;
        let (igor, _) = world.iso("Igor", beta).await;
        let operator = world.operator();
        // Two companies with one name are possible if one is archived.
        let twin = world.company("Twin").await;
        companies::archive(&operator, twin, None).await.unwrap();
        world.company("Twin").await;
        world.employee("Elias").await;
        let lead = leads::Input {
            first_name: "Lena".to_owned(),
            last_name: "Maric".to_owned(),
            email: "lena@example.com".to_owned(),
            ..leads::Input::default()
        };
        leads::create(&ingrid, lead).await.unwrap();
        let before = row_counts(&world).await;
        let mut import = begin_import(&operator, Kind::Clients);
        let long = "x".repeat(201);
        let cases: &[(Cells<'_>, &str)] = &[
            (&[("first_name", " ")], "first_name required"),
            (&[("last_name", "Ev\u{7}il"), ("phone", &long)], "last_name control_characters, phone too_long"),
            (&[("email", "nonsense"), ("first_name", &long)], "email invalid_email, first_name too_long"),
            (&[("email", "a\0@example.com")], "email control_characters, email invalid_email"),
            (&[("email", "ELIAS@example.com")], "email email_taken"),
            (&[("company_name", "")], "company_name required"),
            (&[("company_name", "Meridián")], "company_name not_found"),
            (&[("company_name", "Meridian\0")], "company_name control_characters"),
            (&[("company_name", "Twin")], "company_name ambiguous"),
            (&[("iso_email", "igor@example.com")], "iso_email not_in_company"),
            (&[("iso_email", "ada@example.com")], "iso_email not_found"),
            (&[("iso_email", "nobody")], "iso_email invalid_email"),
            (&[("iso_name", "Igor Test")], "iso_name not_found"),
            (&[("status", "closed")], "status unknown"),
            (&[("email", "lena@example.com")], "lead_protected"),
        ];
        for (cells, refused) in cases {
            assert_eq!(import_row(&mut import, &[&ADA[..], cells].concat()).await, *refused, "{cells:?}");
        }
        assert_eq!(row_counts(&world).await, before, "rejected rows write nothing");
        // An ambiguous partner name.
        let again = isos::Input {
            first_name: "Igor".to_owned(),
            last_name: "Test".to_owned(),
            email: "igor.two@example.com".to_owned(),
            company_id: Some(beta),
            ..isos::Input::default()
        };
        isos::create(&operator, again).await.unwrap();
        let cells = [("company_name", "Beta"), ("iso_name", "Igor Test")];
        assert_eq!(import_row(&mut import, &[&ADA[..], &cells].concat()).await, "iso_name ambiguous");
        let cells = [("company_name", "Beta"), ("iso_name", "Igor Test"), ("iso_email", "igor@example.com")];
        assert_eq!(import_row(&mut import, &[&ADA[..], &cells].concat()).await, "made");
        assert_eq!(clients::find(&operator, "ada@example.com").await.unwrap().iso_id, Some(igor));
    })
    .await;
}

const ORDER: [(&str, &str); 5] = [
    ("identifier", "F-1"),
    ("client_email", "Maya@example.com"),
    ("company_name", "Meridian"),
    ("purchase_amount", "1000.00"),
    ("ordered_date", "2026-01-05"),
];

/// A company, a partner and the partner's client Maya with one order.
async fn office(world: &World) -> Ctx {
    let company = world.company("Meridian").await;
    let (iso, _) = world.iso("Ingrid", company).await;
    world.client("Maya", company, Some(iso)).await;
    world.operator()
}

async fn order(ctx: &Ctx, identifier: &str) -> Detail {
    spvs::find(ctx, identifier).await.unwrap()
}

/// Number of steps by status: completed, in progress, pending.
fn step_counts(order: &Detail) -> [usize; 3] {
    let of = |status| order.steps.iter().filter(|step| step.status == status).count();
    [of(steps::Status::Completed), of(steps::Status::InProgress), of(steps::Status::Pending)]
}

#[tokio::test]
async fn order_rows_are_imported_with_status_and_steps() {
    on_both(async |world| {
        let operator = office(&world).await;
        // Sends the reminders of existing rows.
        steps::remind_overdue(&operator).await.unwrap();
        document_requests::remind(&operator).await.unwrap();
        let [mails, invoices] = [count(&world, "mails").await, count(&world, "invoices").await];
        let mut import = begin_import(&operator, Kind::Spvs);
        let on_hold = [("status", "on_hold"), ("status_reason", "The bank asks")];
        let cancelled = [("status", "cancelled"), ("status_reason", "Off")];
        let cases: [(&str, Cells<'_>, &str, [usize; 3]); 10] = [
            ("A", &[], "pending", [0, 0, 8]),
            ("B", &[("steps_completed", "2")], "pending", [2, 0, 6]),
            ("C", &[("status", "active"), ("steps_completed", "0"), ("price", "50")], "active", [0, 0, 8]),
            ("D", &[("status", "processing")], "processing", [0, 1, 7]),
            ("E", &[("status", "processing"), ("steps_completed", "3")], "processing", [3, 1, 4]),
            ("F", &on_hold, "on_hold", [0, 0, 8]),
            ("G", &[&on_hold[..], &[("steps_completed", "2")]].concat(), "on_hold", [2, 0, 6]),
            ("H", &[&cancelled[..], &[("steps_completed", "1")]].concat(), "cancelled", [1, 0, 7]),
            ("I", &[("status", "Completed"), ("steps_completed", "8")], "closed", [8, 0, 0]),
            ("J", &[("status", "closed"), ("country", "UAE"), ("currency", "eur")], "closed", [8, 0, 0]),
        ];
        for (identifier, cells, status, steps) in &cases {
            let cells = [&ORDER[..], &[("identifier", *identifier)], *cells].concat();
            assert_eq!(import_row(&mut import, &cells).await, "made", "{identifier}");
            let made = order(&operator, identifier).await;
            assert_eq!((made.spv.status.name(), step_counts(&made)), (*status, *steps), "{identifier}");
            assert_eq!(made.spv.steps_completed as usize, steps[0]);
            assert_eq!(made.spv.ordered_date, date("2026-01-05"));
            assert_eq!(made.spv.closed_at, (*status == "closed").then(|| world.clock.now()));
            assert_eq!(made.spv.created_at, world.clock.now());
        }
        let held = order(&operator, "F").await.spv;
        assert_eq!(
            (held.status_reason.as_deref(), held.held_from),
            (Some("The bank asks"), Some(spvs::Status::Pending))
        );
        assert_eq!(order(&operator, "G").await.spv.held_from, Some(spvs::Status::Processing));
        assert_eq!(order(&operator, "H").await.spv.cancelled_from, Some(spvs::Status::Processing));
        let other = order(&operator, "J").await.spv;
        assert_eq!((other.country, other.currency.code(), other.iso_id), (Country::Ae, "EUR", None));
        assert_eq!(other.purchase_amount_minor, Some(100_000));
        let mut again = begin_import(&operator, Kind::Spvs);
        for (identifier, cells, _, _) in &cases {
            let lower = identifier.to_lowercase();
            let cells = [&ORDER[..], *cells, &[("identifier", &lower)]].concat();
            assert_eq!(import_row(&mut again, &cells).await, "there", "{identifier}");
        }
        // Steps that were overdue when imported are not reminded of.
        let late = "select count(*) from spv_steps where due_date < '2026-06-01' and completed_at is null";
        assert!(world.db.clone().sql(late).scalar::<i64>().await.unwrap() > 20);
        assert_eq!(steps::remind_overdue(&operator).await.unwrap(), 0);
        assert_eq!(document_requests::remind(&operator).await.unwrap(), 0);
        let reminded = "select count(*) from activity where action = 'step.due_soon'";
        assert_eq!(world.db.clone().sql(reminded).scalar::<i64>().await.unwrap(), 0);
        assert_eq!([count(&world, "mails").await, count(&world, "invoices").await], [mails, invoices]);
        assert_no_drift(&world).await;
    })
    .await;
}

#[tokio::test]
async fn closed_order_rows_earn_commission_at_their_close_date() {
    on_both(async |world| {
        let operator = office(&world).await;
        let mut import = begin_import(&operator, Kind::Spvs);
        let closed = [("status", "closed"), ("iso_name", "Ingrid Test")];
        let cases: [(&str, Cells<'_>); 4] = [
            // Still the ninth in New York, the company's time zone.
            ("A", &[("closed_at", "2026-02-10T03:00:00+00:00"), ("iso_commission_percentage", "2.5")]),
            ("B", &[("closed_at", "2026-02-10"), ("commission", "12.34")]),
            ("C", &[("closed_at", "2026-01-05"), ("commission", "5")]),
            ("D", &[("commission", "7")]),
        ];
        for (identifier, cells) in cases {
            let cells = [&ORDER[..], &closed, &[("identifier", identifier)], cells].concat();
            assert_eq!(import_row(&mut import, &cells).await, "made", "{identifier}");
        }
        let mut found = Vec::new();
        for row in
            commissions::list(&operator, &commissions::Filter::default(), &PageQuery::default()).await.unwrap().items
        {
            let of = order(&operator, &row.spv_identifier()).await;
            assert!(of.steps.iter().all(|step| step.completed_at == of.spv.closed_at));
            assert!(of.spv.created_at <= of.spv.closed_at.unwrap());
            found.push((
                row.spv_identifier(),
                row.amount_minor,
                row.earned_date,
                of.spv.closed_at.unwrap(),
                of.spv.created_at,
            ));
        }
        found.sort();
        let (now, ordered) = (world.clock.now(), at("2026-01-05T05:00:00Z"));
        assert_eq!(
            found,
            [
                ("A".to_owned(), 2_500, date("2026-02-09"), at("2026-02-10T03:00:00Z"), ordered),
                ("B".to_owned(), 1_234, date("2026-02-10"), at("2026-02-10T05:00:00Z"), ordered),
                ("C".to_owned(), 500, date("2026-01-05"), ordered, ordered),
                ("D".to_owned(), 700, date("2026-11-21"), now, now),
            ]
        );
        assert_no_drift(&world).await;
        assert!(activity::sequence_all(&operator).await.is_ok());
        activity::verify(&operator).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn invalid_order_rows_are_rejected_by_column() {
    on_both(async |world| {
        let operator = office(&world).await;
        let beta = world.company("Beta").await;
        world.iso("Igor", beta).await;
        let before = row_counts(&world).await;
        let mut import = begin_import(&operator, Kind::Spvs);
        let iso = ("iso_email", "ingrid@example.com");
        let closed = ("status", "closed");
        let cases: &[(Cells<'_>, &str)] = &[
            (&[("identifier", "")], "identifier required"),
            (&[("identifier", &"x".repeat(65))], "identifier too_long"),
            (&[("company_name", "Nowhere")], "company_name not_found"),
            (&[("client_email", "nobody@example.com")], "client_email not_found"),
            (&[("client_email", "ingrid@example.com")], "client_email not_found"),
            (&[("company_name", "Beta")], "client_email not_in_company"),
            (&[("iso_email", "igor@example.com")], "iso_email not_in_company"),
            (&[("iso_name", "Igor Test")], "iso_name not_found"),
            (&[("country", "Atlantis")], "country unknown"),
            (&[("currency", "XYZ")], "currency unknown_currency"),
            (&[("purchase_amount", "")], "purchase_amount required"),
            (&[("purchase_amount", "many"), ("price", "-1")], "purchase_amount invalid_amount, price negative"),
            (&[("price", "1234567890123")], "price too_large"),
            (
                &[("commission", "5"), ("iso_commission_percentage", "1")],
                "commission needs_iso, iso_commission_percentage needs_iso",
            ),
            (&[iso, ("commission", "5"), ("iso_commission_percentage", "1")], "iso_commission_percentage not_allowed"),
            (&[iso, ("iso_commission_percentage", "101")], "iso_commission_percentage percent_too_large"),
            (&[("status", "done")], "status unknown"),
            (&[("status", "on_hold")], "status_reason required"),
            (&[("status", "cancelled"), ("status_reason", " ")], "status_reason required"),
            (&[("status_reason", "Why not")], "status_reason not_allowed"),
            (&[("ordered_date", "31.12.2026")], "ordered_date invalid_date"),
            (&[closed, ("ordered_date", "2026-11-22")], "ordered_date future"),
            (&[closed, ("closed_at", "soon")], "closed_at invalid_date"),
            (&[closed, ("closed_at", "2026-11-22")], "closed_at future"),
            (&[closed, ("closed_at", "2026-11-21T12:00:01Z")], "closed_at future"),
            (&[closed, ("closed_at", "2026-01-05T04:59:59Z")], "closed_at before_ordered"),
            (&[closed, ("closed_at", "2026-01-05"), ("ordered_date", "")], "ordered_date required"),
            (&[("status", "processing"), ("closed_at", "2026-01-05")], "closed_at not_allowed"),
            (&[("steps_completed", "-1")], "steps_completed malformed"),
            (&[closed, ("steps_completed", "9")], "steps_completed out_of_range"),
            (&[("status", "processing"), ("steps_completed", "8")], "steps_completed out_of_range"),
            (&[("status", "active"), ("steps_completed", "1")], "steps_completed out_of_range"),
        ];
        for (cells, refused) in cases {
            assert_eq!(import_row(&mut import, &[&ORDER[..], cells].concat()).await, *refused, "{cells:?}");
        }
        assert_eq!(row_counts(&world).await, before, "rejected rows write nothing");
        assert_eq!(import_row(&mut import, &ORDER).await, "made", "valid rows are still imported");
    })
    .await;
}

#[tokio::test]
async fn dry_run_reports_the_same_and_writes_nothing() {
    on_both(async |world| {
        let operator = office(&world).await;
        let before = row_counts(&world).await;
        let people: &[Cells<'_>] = &[
            &[],
            &[("email", "ADA@example.com")],
            &[("email", "maya@example.com")],
            &[("email", "x")],
            &[("email", "olga@example.com"), ("status", "archived")],
        ];
        let orders: &[Cells<'_>] = &[
            &[("status", "closed"), ("closed_at", "2026-02-10"), ("iso_name", "Ingrid Test"), ("commission", "5")],
            &[("identifier", "f-1")],
            &[("identifier", "F-2"), ("status", "processing"), ("steps_completed", "9")],
            &[("identifier", "F-2"), ("status", "on_hold"), ("status_reason", "Bank"), ("steps_completed", "2")],
            &[("identifier", "F-3"), ("client_email", "ada@example.com")],
        ];
        let outcomes = async |dry: bool| {
            let mut outcomes = Vec::new();
            let mut import = imports::start(
                &operator,
                Kind::Spvs,
                "file.csv",
                ImportOptions { dry_run: dry, ..ImportOptions::default() },
                &[],
            )
            .unwrap();
            for cells in orders {
                outcomes.push(import_row(&mut import, &[&ORDER[..], cells].concat()).await);
            }
            import.finish().await.unwrap();
            let mut import = imports::start(
                &operator,
                Kind::Clients,
                "file.csv",
                ImportOptions { dry_run: dry, ..ImportOptions::default() },
                &[],
            )
            .unwrap();
            for cells in people {
                outcomes.push(import_row(&mut import, &[&ADA[..], cells].concat()).await);
            }
            import.finish().await.unwrap();
            outcomes
        };
        let dry = outcomes(true).await;
        assert_eq!(dry[..5], ["made", "there", "steps_completed out_of_range", "made", "client_email not_found"]);
        let maya = "differs first_name Maya>Ada, last_name Test>Lima";
        assert_eq!(dry[5..], ["made", "there", maya, "email invalid_email", "made"]);
        assert_eq!(row_counts(&world).await, before);
        assert_no_drift(&world).await;
        assert_eq!(outcomes(false).await, dry);
        assert_no_drift(&world).await;
    })
    .await;
}

#[tokio::test]
async fn order_number_identifies_orders_without_identifier() {
    on_both(async |world| {
        let operator = office(&world).await;
        let other = world.company("Beta").await;
        world.client("Noah", other, None).await;
        let filter = spvs::Filter::default();
        let mut import = begin_import(&operator, Kind::Spvs);
        for spv in spvs::list(&operator, &filter, &PageQuery::default()).await.unwrap().items {
            let cells = [("identifier", &*spv.identifier()), ("company_name", &spv.company_name)];
            let found = import_row(&mut import, &[&ORDER[..], &cells].concat()).await;
            assert!(found.starts_with("differs "), "{found}");
            // In another company it is a custom identifier.
            let (company, email) =
                if spv.company_id == other { ("Meridian", "maya@example.com") } else { ("Beta", "noah@example.com") };
            let cells = [("identifier", &*spv.identifier()), ("company_name", company), ("client_email", email)];
            assert_eq!(import_row(&mut import, &[&ORDER[..], &cells].concat()).await, "made");
        }
    })
    .await;
}

#[tokio::test]
async fn imported_steps_complete_in_dependency_order() {
    on_both(async |world| {
        let operator = office(&world).await;
        let step = |name: &str, depends_on: &[i64]| templates::StepInput {
            step_name: name.to_owned(),
            owner: "staff".to_owned(),
            business_days: 1,
            depends_on: depends_on.to_vec(),
            ..templates::StepInput::default()
        };
        let steps = vec![step("Signing", &[2]), step("Papers", &[]), step("Filing", &[4]), step("Visa", &[])];
        let input = templates::Input { name: "LLC".to_owned(), steps };
        templates::set(&operator, Country::Us, None, input).await.unwrap();
        let mut import = begin_import(&operator, Kind::Spvs);
        let processing = [("status", "processing"), ("identifier", "A")];
        let done = |n| [&ORDER[..], &processing, &[("steps_completed", n)]].concat();
        assert_eq!(import_row(&mut import, &done("1")).await, "step_waits", "signing waits for papers");
        assert_eq!(import_row(&mut import, &done("2")).await, "made");
        let made = order(&operator, "A").await;
        let begun = made.steps.iter().find(|step| step.status == steps::Status::InProgress).unwrap();
        assert_eq!((step_counts(&made), begun.step_name.as_str()), ([2, 1, 1], "Visa"), "filing waits for the visa");
        let closed = [("status", "closed"), ("identifier", "B")];
        assert_eq!(import_row(&mut import, &[&ORDER[..], &closed].concat()).await, "made");
        assert_eq!(step_counts(&order(&operator, "B").await), [4, 0, 0]);
        let more = [("status", "closed"), ("identifier", "C"), ("steps_completed", "5")];
        assert_eq!(import_row(&mut import, &[&ORDER[..], &more].concat()).await, "steps_completed out_of_range");
        assert_no_drift(&world).await;
    })
    .await;
}

#[tokio::test]
async fn import_requires_super_admin_or_operator() {
    let world = World::sqlite().await;
    let company = world.company("Meridian").await;
    for other in [world.anonymous(), world.employee("Elias").await, world.company_admin("Clara", company).await] {
        assert!(imports::start(&other, Kind::Clients, "file.csv", ImportOptions::default(), &[]).is_err());
    }
    let mut import = begin_import(&world.super_admin("Sam").await, Kind::Clients);
    assert_eq!(import_row(&mut import, &ADA).await, "made");
}

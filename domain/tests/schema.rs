//! Database schema: SQLite and PostgreSQL have the same columns, migrations are atomic, and no query scans a growing
//! table.
use domain::{
    Error,
    accounts::{auth, users},
    desk::{messages, requests, tasks},
    directory::{calls, clients, companies, iso_notes, isos, leads},
    kernel::{
        access::Role,
        date_range,
        db::{Db, Dialect, Durability, Sql},
        page::{Order, PageQuery},
        schema,
    },
    operations::{alerts, backups, security_scan, seed},
    orders::{
        commissions, document_requests,
        documents::{self, uploads},
        invoices, onboarding, spvs, steps,
    },
    outbox::{mails, notifications},
    platform::{activity, queue},
    reporting::{analytics, dashboards, finances, reports},
    testing::{World, on_both},
};
use std::collections::BTreeSet;

async fn columns(world: &World) -> BTreeSet<String> {
    let mut db = world.db.clone();
    let sql = match db.dialect() {
        Dialect::Sqlite => {
            "select m.name || '.' || c.name || case when c.\"notnull\" = 1 or c.pk > 0 then ' not null' else '' end \
             from sqlite_master m join pragma_table_info(m.name) c \
             where m.type = 'table' and m.name not like 'sqlite_%' and m.name not in ('Jobs', 'Workers') and m.name not like '_%migrations' \
             and m.name not like 'search_index%'"
        }
        Dialect::Postgres => {
            "select cast(table_name || '.' || column_name || case when is_nullable = 'NO' then ' not null' else '' end as text) \
             from information_schema.columns where table_schema = 'public' and table_name not like '\\_%'"
        }
    };
    db.sql(sql).all::<(String,)>().await.expect("columns").into_iter().map(|(name,)| name).collect()
}

#[tokio::test]
async fn sqlite_and_postgres_have_the_same_columns() {
    let sqlite = World::sqlite().await;
    let Some(postgres) = World::postgres().await else { return };
    assert_eq!(columns(&sqlite).await, columns(&postgres).await);
}

#[tokio::test]
async fn migration_is_idempotent() {
    on_both(async |world| {
        let before = columns(&world).await;
        world.db.migrate().await.expect("nothing to do");
        assert_eq!(columns(&world).await, before);
        assert!(world.db.is_migrated().await.unwrap());
    })
    .await;
}

/// The queue's migrations come last and fail because of an existing table: all earlier ones must be rolled back.
#[tokio::test]
async fn failed_migration_is_rolled_back() {
    let world = World::sqlite().await;
    let url = format!("sqlite:{}", world.dir.path.join("old.db").display());
    let db = Db::open(&url, Durability::Normal).await.unwrap();
    let mut tx = db.begin().await.unwrap();
    tx.sql("create table Jobs (unexpected text)").run().await.unwrap();
    tx.commit().await.unwrap();
    assert!(matches!(db.migrate().await, Err(Error::Internal(_))));
    let tables: Vec<(String,)> =
        db.clone().sql("select name from sqlite_master where type = 'table'").all().await.unwrap();
    assert_eq!(tables, [("Jobs".to_owned(),)]);
    assert!(!db.is_migrated().await.unwrap());
}

/// The queue's statements use these columns of apalis, which another version may change.
#[tokio::test]
async fn queue_tables_have_the_expected_columns() {
    on_both(async |world| {
        let mut db = world.db.clone();
        let (sql, expected) = match db.dialect() {
            Dialect::Sqlite => (
                "select lower(m.name) || '.' || c.name || ' ' || lower(c.type) from sqlite_master m \
                 join pragma_table_info(m.name) c where m.name in ('Jobs', 'Workers') order by m.name, c.cid",
                "jobs.job blob, jobs.id text, jobs.job_type text, jobs.status text, jobs.attempts integer, \
                 jobs.max_attempts integer, jobs.run_at integer, jobs.last_result text, jobs.lock_at integer, \
                 jobs.lock_by text, jobs.done_at integer, jobs.priority integer, jobs.metadata text, \
                 jobs.idempotency_key text, workers.id text, workers.worker_type text, workers.storage_name text, \
                 workers.layers text, workers.last_seen integer, workers.started_at integer",
            ),
            Dialect::Postgres => (
                "select cast(table_name || '.' || column_name || ' ' || udt_name as text) \
                 from information_schema.columns where table_schema = 'apalis' and table_name in ('jobs', 'workers') \
                 order by table_name, ordinal_position",
                "jobs.job bytea, jobs.id text, jobs.job_type text, jobs.status text, jobs.attempts int4, \
                 jobs.max_attempts int4, jobs.run_at timestamptz, jobs.last_result jsonb, jobs.lock_at timestamptz, \
                 jobs.lock_by text, jobs.done_at timestamptz, jobs.priority int4, jobs.idempotency_key text, \
                 jobs.metadata hstore, workers.id text, workers.worker_type text, workers.storage_name text, \
                 workers.layers text, workers.last_seen timestamptz, workers.started_at timestamptz",
            ),
        };
        let found: Vec<(String,)> = db.sql(sql).all().await.unwrap();
        let found: Vec<String> = found.into_iter().map(|(column,)| column).collect();
        assert_eq!(found.join(", "), expected);
    })
    .await;
}

/// Compares with the committed `schema.txt`. `UPDATE_SCHEMA=1` rewrites it after adding a migration.
#[tokio::test]
async fn schema_matches_the_committed_text() {
    on_both(async |world| {
        let mut db = world.db.clone();
        let name = match db.dialect() {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgres",
        };
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            let path = format!("{}/../migrations/{name}/schema.txt", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, schema::text(&mut db).await.unwrap()).unwrap();
            return;
        }
        assert_eq!(schema::differences(&mut db).await.unwrap(), [""; 0]);
        let mut tx = db.begin().await.unwrap();
        tx.sql("drop index spvs_by_client").run().await.unwrap();
        tx.sql("alter table companies add column unexpected text not null default ''").run().await.unwrap();
        tx.commit().await.unwrap();
        let differences = schema::differences(&mut db).await.unwrap();
        assert!(differences.iter().any(|line| line.starts_with("- ") && line.contains("spvs_by_client")));
        assert!(differences.iter().any(|line| line.starts_with("+ ") && line.contains("unexpected")));
    })
    .await;
}

/// SQLite's extended error codes name the cause: a locked or broken disk is `Unavailable`, not `Internal`.
#[tokio::test]
async fn unopenable_database_is_unavailable() {
    let world = World::sqlite().await;
    let folder = format!("sqlite:{}", world.dir.path.display());
    assert!(matches!(Db::open(&folder, Durability::Full).await, Err(Error::Unavailable(_))));
}

/// Reads every list and dashboard as each role, with enough rows for scans to be costly, and checks the query plans.
#[tokio::test]
async fn no_query_scans_a_growing_table() {
    on_both(async |world| {
        let operator = world.operator();
        // Many companies, so that none of them holds a large share of the rows.
        let load = seed::BenchmarkSize { orders: 1_000, companies: Some(20), isos: None };
        seed::insert_benchmark_data(&operator, load, |_| true).await.expect("load");
        let company =
            companies::list(&operator, &companies::Filter::default(), &PageQuery::default()).await.unwrap().items[0].id;
        let (iso, partner) = world.iso("Ingrid", company).await;
        let (client, spv, maya) = world.client("Maya", company, Some(iso)).await;
        // More than one page of archived rows.
        for nth in 0..3 {
            let gone = world.company(&format!("Gone {nth}")).await;
            let (former, ..) = world.client(&format!("Former{nth}"), gone, None).await;
            let (retired, _) = world.iso(&format!("Retired{nth}"), gone).await;
            clients::archive(&operator, former, None).await.unwrap();
            isos::archive(&operator, retired, None).await.unwrap();
            companies::archive(&operator, gone, None).await.unwrap();
        }
        let sigrid = world.super_admin("Sigrid").await;
        let clara = world.company_admin("Clara", company).await;
        let hello = messages::Input { spv_id: Some(spv), body: "Hello".to_owned(), ..Default::default() };
        let thread = messages::send(&maya, hello.clone()).await.unwrap().thread_id;
        messages::send(&sigrid, hello.clone()).await.unwrap();
        let olga = world.employee("Olga").await;
        let many = PageQuery { limit: Some(200), cursor: None };
        for spv in spvs::list(&olga, &spvs::Filter::default(), &many).await.unwrap().items {
            messages::send(&olga, messages::Input { spv_id: Some(spv.id), ..hello.clone() }).await.unwrap();
        }
        // Most open invoices belong to other clients.
        let of_company = clients::Filter { company_id: Some(company), ..Default::default() };
        let others = clients::list(&operator, &of_company, &many).await.unwrap().items;
        let others = others.iter().map(|other| other.id).filter(|other| *other != client).cycle().take(200);
        for client in std::iter::repeat_n(client, 60).chain(others) {
            let priced = onboarding::OrderInput {
                client_id: Some(client),
                company_id: Some(company),
                purchase_amount: Some("1".to_owned()),
                price: Some("1".to_owned()),
                ..onboarding::OrderInput::default()
            };
            onboarding::create_order(&operator, priced).await.unwrap();
        }
        let mut papers = Vec::new();
        for _ in 0..40 {
            let new = uploads::CreateUpload { file_name: "passport.pdf".to_owned(), bytes: 1, ..Default::default() };
            let upload = uploads::create(&maya, new).await.unwrap();
            let byte = futures::stream::iter([Ok::<_, std::convert::Infallible>(bytes::Bytes::from_static(b"x"))]);
            papers.extend(uploads::append(&maya, upload.id, 0, byte).await.unwrap().saved_document_id);
        }
        // Attaches the documents to everything that takes attachments.
        let owed = invoices::list(&maya, &invoices::Filter::default(), &many).await.unwrap().items;
        for (invoice, paper) in owed.iter().zip(papers) {
            let order = requests::OrderForm {
                purpose: Some("A ship".to_owned()),
                proposed_names: vec!["Okeanos".to_owned()],
                purchase_amount: Some("1".to_owned()),
                document_ids: vec![paper],
                ..Default::default()
            };
            let order = requests::Input { kind: "order".to_owned(), order: Some(order), ..Default::default() };
            requests::create(&maya, order).await.unwrap();
            messages::send(&maya, messages::Input { spv_id: None, document_ids: vec![paper], ..hello.clone() })
                .await
                .unwrap();
            invoices::send_receipt(&maya, invoice.id, Some(paper)).await.unwrap();
        }
        let owed = owed[0].id;
        activity::sequence_all(&operator).await.unwrap();
        notifications::process_pending(&operator).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        let jobs = if tx.dialect() == Dialect::Postgres { "apalis.jobs" } else { "Jobs" };
        let done = format!("update {jobs} set status = 'Done' where id < (select max(id) from {jobs})");
        tx.sql_built(done).run().await.unwrap();
        tx.commit().await.unwrap();
        world.counts_its_rows().await;
        world.db.keep_reads();
        for ctx in [&sigrid, &clara, &partner, &maya] {
            let first = PageQuery { limit: Some(2), cursor: None };
            for filter in [
                spvs::Filter::default(),
                spvs::Filter { company_id: Some(company), ..Default::default() },
                spvs::Filter { company_id: Some(company), iso: Some(spvs::IsoFilter::One(iso)), ..Default::default() },
                spvs::Filter { company_id: Some(company), iso: Some(spvs::IsoFilter::None), ..Default::default() },
                spvs::Filter { client_id: Some(client), ..Default::default() },
                spvs::Filter { open: true, company_id: Some(company), ..Default::default() },
                spvs::Filter { open: true, ..Default::default() },
                spvs::Filter { status: Some(spvs::Status::Active), ..Default::default() },
                spvs::Filter { q: Some("client load".to_owned()), ..Default::default() },
            ] {
                let page = spvs::list(ctx, &filter, &first).await.unwrap();
                let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
                spvs::list(ctx, &filter, &next).await.unwrap();
            }
            for filter in [
                clients::Filter::default(),
                clients::Filter { company_id: Some(company), ..Default::default() },
                clients::Filter { status: Some(users::Status::Pending), ..Default::default() },
                clients::Filter { status: Some(users::Status::Archived), ..Default::default() },
                clients::Filter { q: Some("maya".to_owned()), ..Default::default() },
                clients::Filter { order: Order::ascending(clients::ClientSort::CreatedAt), ..Default::default() },
                clients::Filter { order: Order::ascending(clients::ClientSort::FirstName), ..Default::default() },
                clients::Filter {
                    order: Order::descending(clients::ClientSort::FirstName),
                    company_id: Some(company),
                    ..Default::default()
                },
            ] {
                let page = clients::list(ctx, &filter, &first).await.unwrap();
                clients::progress(ctx, &page.items).await.unwrap();
                clients::list(ctx, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
            }
            for (q, archived) in [(None, false), (Some("load"), false), (None, true), (Some("gone"), true)] {
                let filter = companies::Filter { q: q.map(str::to_owned), archived, ..Default::default() };
                let page = companies::list(ctx, &filter, &first).await.unwrap();
                let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
                companies::list(ctx, &filter, &next).await.unwrap();
            }
            for filter in [
                isos::Filter::default(),
                isos::Filter { company_id: Some(company), ..Default::default() },
                isos::Filter { q: Some("test".to_owned()), ..Default::default() },
                isos::Filter { archived: true, ..Default::default() },
                isos::Filter { q: Some("test".to_owned()), archived: true, ..Default::default() },
            ] {
                let page = isos::list(ctx, &filter, &first).await.unwrap();
                isos::list(ctx, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
            }
            spvs::get(ctx, spv).await.unwrap();
            for filter in [
                documents::Filter::default(),
                documents::Filter { spv_id: Some(spv), ..Default::default() },
                documents::Filter { client_id: Some(client), ..Default::default() },
                documents::Filter { request_status: Some(document_requests::Status::Submitted), ..Default::default() },
                documents::Filter { request_status: Some(document_requests::Status::Approved), ..Default::default() },
                documents::Filter { q: Some("passport".to_owned()), ..Default::default() },
            ] {
                let page = documents::list(ctx, &filter, &first).await.unwrap();
                documents::list(ctx, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
            }
            activity::list(ctx, &activity::Filter::default(), &first).await.unwrap();
            activity::list(ctx, &activity::Filter { spv_id: Some(spv), ..Default::default() }, &first).await.unwrap();
            for subject in [client.0, company.0, iso.0] {
                let filter = activity::Filter { subject_id: Some(subject), ..Default::default() };
                let page = activity::list(ctx, &filter, &first).await.unwrap();
                activity::list(ctx, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
            }
            activity::since(ctx, 5, 10).await.unwrap();
            for filter in [
                messages::Filter::default(),
                messages::Filter { unread: true, ..Default::default() },
                messages::Filter { spv_id: Some(spv), ..Default::default() },
                messages::Filter { client_id: Some(client), ..Default::default() },
            ] {
                let page = messages::threads(ctx, &filter, &first).await.unwrap();
                messages::threads(ctx, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
            }
            messages::unread(ctx).await.unwrap();
            for unread in [true, false] {
                let page = notifications::list(ctx, unread, &first).await.unwrap();
                notifications::list(ctx, unread, &PageQuery { limit: Some(1), cursor: page.next_cursor })
                    .await
                    .unwrap();
            }
            notifications::unread(ctx).await.unwrap();
            notifications::choices(ctx).await.unwrap();
            if let Ok(page) = messages::list(ctx, thread, &first).await {
                messages::list(ctx, thread, &PageQuery { limit: Some(1), cursor: page.next_cursor }).await.unwrap();
            }
        }
        for ctx in [&sigrid, &maya] {
            for filter in [
                invoices::Filter::default(),
                invoices::Filter { spv_id: Some(spv), ..Default::default() },
                invoices::Filter { client_id: Some(client), ..Default::default() },
                invoices::Filter { company_id: Some(company), ..Default::default() },
                invoices::Filter { status: Some(invoices::Status::Due), ..Default::default() },
            ] {
                let page = invoices::list(ctx, &filter, &PageQuery { limit: Some(1), cursor: None }).await.unwrap();
                let next = PageQuery { limit: Some(1), cursor: page.next_cursor };
                invoices::list(ctx, &filter, &next).await.unwrap();
            }
            let invoice = invoices::list(ctx, &invoices::Filter::default(), &PageQuery::default()).await.unwrap();
            invoices::get(ctx, invoice.items[0].id).await.unwrap();
            invoices::get(ctx, owed).await.unwrap();
            invoices::find(ctx, &invoice.items[0].name()).await.unwrap();
            invoices::billing(ctx, None).await.unwrap();
            activity::own(ctx, &PageQuery::default()).await.unwrap();
            users::profile(ctx).await.unwrap();
        }
        let document = documents::list(&maya, &documents::Filter::default(), &PageQuery::default()).await.unwrap();
        documents::get(&maya, document.items[0].id).await.unwrap();
        documents::readable_version(&maya, document.items[0].latest.id).await.unwrap();
        document_requests::list(&maya, spv).await.unwrap();
        spvs::find(&sigrid, "SPV-1234abcd").await.unwrap_err();
        dashboards::client(&maya).await.unwrap();
        dashboards::employee(&sigrid).await.unwrap();
        tasks::mine(&sigrid).await.unwrap();
        tasks::staff(&sigrid).await.unwrap();
        tasks::performance(&sigrid).await.unwrap();
        dashboards::iso(&partner).await.unwrap();
        for ctx in [&sigrid, &clara, &partner] {
            let first = PageQuery { limit: Some(2), cursor: None };
            for filter in [
                commissions::Filter::default(),
                commissions::Filter { iso_id: Some(iso), ..Default::default() },
                commissions::Filter { spv_id: Some(spv), ..Default::default() },
                commissions::Filter { status: Some(commissions::Status::Pending), ..Default::default() },
            ] {
                let page = commissions::list(ctx, &filter, &first).await.unwrap();
                let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
                commissions::list(ctx, &filter, &next).await.unwrap();
            }
            commissions::overview(ctx, Some(iso), commissions::Period::ThisMonth).await.unwrap();
        }
        for ctx in [&clara, &partner] {
            commissions::overview(ctx, None, commissions::Period::ThisMonth).await.unwrap();
        }
        for ctx in [&sigrid, &partner] {
            for filter in [
                leads::Filter::default(),
                leads::Filter { stage: Some(leads::Stage::New), ..Default::default() },
                leads::Filter { q: Some("lena".to_owned()), ..Default::default() },
                leads::Filter { iso_id: Some(iso), ..Default::default() },
            ] {
                leads::list(ctx, &filter, &PageQuery::default()).await.unwrap();
            }
            for status in [None, Some(calls::Status::Requested)] {
                calls::list(ctx, &calls::Filter { status, ..Default::default() }, &PageQuery::default()).await.unwrap();
            }
        }
        iso_notes::list(&partner, client).await.unwrap();
        let first = PageQuery { limit: Some(1), cursor: None };
        let page = messages::internal_notes(&sigrid, client, &first).await.unwrap();
        let next = PageQuery { limit: Some(1), cursor: page.next_cursor };
        messages::internal_notes(&sigrid, client, &next).await.unwrap();
        commissions::runs(&sigrid, &PageQuery::default()).await.unwrap();
        dashboards::company(&clara, None, &PageQuery::default()).await.unwrap();
        for filter in [
            companies::MemberFilter::default(),
            companies::MemberFilter { q: Some("clara".to_owned()), ..Default::default() },
            companies::MemberFilter { removed: true, ..Default::default() },
        ] {
            companies::members(&clara, company, &filter, &PageQuery::default()).await.unwrap();
        }
        for q in [None, Some("client load")] {
            let page =
                companies::clients(&clara, company, q, &PageQuery { limit: Some(2), cursor: None }).await.unwrap();
            let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
            companies::clients(&clara, company, q, &next).await.unwrap();
        }
        for order in [
            Order::ascending(spvs::SpvSort::OrderedDate),
            Order::descending(spvs::SpvSort::Amount),
            Order::ascending(spvs::SpvSort::Amount),
        ] {
            let filter = spvs::Filter { company_id: Some(company), order, ..spvs::Filter::default() };
            let first = PageQuery { limit: Some(2), cursor: None };
            let page = spvs::list(&clara, &filter, &first).await.unwrap();
            spvs::list(&clara, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
        }
        let recipients = vec![clara.actor.user_id().unwrap()];
        let schedule = reports::Input {
            company_id: None,
            report: Some("portfolio".to_owned()),
            every: Some("weekly".to_owned()),
            period: None,
            recipients,
        };
        reports::create(&clara, schedule).await.unwrap();
        for period in date_range::Period::ALL {
            let asked = date_range::DateRangeQuery { period: Some(period.name().to_owned()), ..Default::default() };
            finances::get(&clara, None, &asked).await.unwrap();
            analytics::get(&clara, None, &asked).await.unwrap();
            for report in reports::Report::ALL {
                let wanted = reports::ReportQuery { report, company_id: None, asked: asked.clone() };
                reports::totals(&clara, &wanted).await.unwrap();
                let first = PageQuery { limit: Some(2), cursor: None };
                let page = reports::page(&clara, &wanted, &first).await.unwrap().rows;
                let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
                reports::page(&clara, &wanted, &next).await.unwrap();
            }
        }
        reports::list(&clara, None).await.unwrap();
        for wanted in [
            activity::Search::default(),
            activity::Search { who: Some("sigrid".to_owned()), ..Default::default() },
            activity::Search { who: Some("root".to_owned()), role: Some("operator".to_owned()), ..Default::default() },
            activity::Search { what: Some("spv".to_owned()), ..Default::default() },
            activity::Search { what: Some("spv.created".to_owned()), ..Default::default() },
            activity::Search { subject: Some(spv.to_string()), ..Default::default() },
            activity::Search { subject: Some("acme".to_owned()), ..Default::default() },
            activity::Search { address: Some("192.0.2.1".to_owned()), ..Default::default() },
            in_november(activity::Search::default()),
            in_november(activity::Search { what: Some("spv.created".to_owned()), ..Default::default() }),
            in_november(activity::Search { address: Some("192.0.2.1".to_owned()), ..Default::default() }),
            in_november(activity::Search { who: Some(client.to_string()), ..Default::default() }),
        ] {
            let page = activity::search(&sigrid, &wanted, &PageQuery { limit: Some(2), cursor: None }).await.unwrap();
            let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
            activity::search(&sigrid, &wanted, &next).await.unwrap();
        }
        let asked = date_range::DateRangeQuery { period: Some("last_month".to_owned()), ..Default::default() };
        analytics::staff(&sigrid, &asked).await.unwrap();
        alerts::list(&sigrid, Some(true), &PageQuery::default()).await.unwrap();
        alerts::list(&sigrid, None, &PageQuery::default()).await.unwrap();
        alerts::check(&operator, &alerts::Metrics::default()).await.unwrap();
        security_scan::latest(&sigrid).await.unwrap();
        backups::list(&sigrid).await.unwrap();
        backups::last_good(&sigrid).await.unwrap();
        reports::admins(&clara, None).await.unwrap();
        reports::mail_due(&operator).await.unwrap();
        let people = dashboards::admin(&sigrid, &PageQuery { limit: Some(2), cursor: None }).await.unwrap().people;
        dashboards::admin(&sigrid, &PageQuery { limit: Some(2), cursor: people.next_cursor }).await.unwrap();
        mails::list(&sigrid, None, &PageQuery::default()).await.unwrap();
        mails::list(&sigrid, Some(mails::Status::Failed), &PageQuery::default()).await.unwrap();
        for ctx in [&sigrid, &maya] {
            for filter in [
                requests::Filter::default(),
                requests::Filter { kind: Some(requests::Kind::Order), ..Default::default() },
                requests::Filter {
                    kind: Some(requests::Kind::Order),
                    status: Some(requests::Status::Pending),
                    ..Default::default()
                },
                requests::Filter { status: Some(requests::Status::Pending), ..Default::default() },
                requests::Filter {
                    open: true,
                    order: Order::ascending(requests::RequestSort::CreatedAt),
                    ..Default::default()
                },
                requests::Filter { q: Some("maya".to_owned()), ..Default::default() },
            ] {
                let page = requests::list(ctx, &filter, &PageQuery { limit: Some(2), cursor: None }).await.unwrap();
                let next = PageQuery { limit: Some(2), cursor: page.next_cursor };
                requests::list(ctx, &filter, &next).await.unwrap();
            }
        }
        for wanted in [
            users::UserQuery::default(),
            users::UserQuery { order: Order::ascending(users::UserSort::Name), ..Default::default() },
            users::UserQuery { order: Order::descending(users::UserSort::LastActive), ..Default::default() },
            users::UserQuery { role: Some(Role::Client), ..Default::default() },
            users::UserQuery { status: Some(users::Status::Suspended), ..Default::default() },
            users::UserQuery { company_id: Some(company), ..Default::default() },
            users::UserQuery { q: Some("maya".to_owned()), ..Default::default() },
        ] {
            users::page(&sigrid, &wanted, &PageQuery { limit: Some(2), cursor: None }).await.unwrap();
        }
        users::row(&sigrid, client).await.unwrap();
        users::activity_of(&sigrid, client, &PageQuery::default()).await.unwrap();
        auth::sign_in_history::list_of(&sigrid, client, &PageQuery::default()).await.unwrap();
        for filter in [
            requests::Filter { order: Order::ascending(requests::RequestSort::DueAt), ..Default::default() },
            requests::Filter { order: Order::ascending(requests::RequestSort::Priority), ..Default::default() },
            requests::Filter {
                open: true,
                order: Order::ascending(requests::RequestSort::DueAt),
                ..Default::default()
            },
            requests::Filter { priority: Some(requests::Priority::Medium), ..Default::default() },
            requests::Filter { assignee: Some(requests::Assignee::Unassigned), ..Default::default() },
            requests::Filter {
                assignee: sigrid.actor.user_id().map(requests::Assignee::One),
                priority: Some(requests::Priority::High),
                ..Default::default()
            },
        ] {
            let page = requests::list(&sigrid, &filter, &PageQuery { limit: Some(2), cursor: None }).await.unwrap();
            requests::list(&sigrid, &filter, &PageQuery { limit: Some(2), cursor: page.next_cursor }).await.unwrap();
        }
        requests::summary(&sigrid).await.unwrap();
        let first = PageQuery { limit: Some(2), cursor: None };
        let next = PageQuery { limit: Some(2), cursor: queue::list(&sigrid, None, &first).await.unwrap().next_cursor };
        for page in [&first, &next] {
            for status in [None, Some("pending"), Some("failed"), Some("dead"), Some("done")] {
                queue::list(&sigrid, status, page).await.unwrap();
            }
        }
        let step = spvs::get(&sigrid, spv).await.unwrap().steps[0].id;
        steps::update(&sigrid, step, None, steps::Change::default()).await.unwrap();
        queue::unfinished(&sigrid).await.unwrap();
        users::page(&sigrid, &users::UserQuery::default(), &PageQuery::default()).await.unwrap();
        auth::sessions::list(&sigrid, client).await.unwrap();
        auth::sessions::count_live(&sigrid).await.unwrap();
        let history = auth::sign_in_history::list(&sigrid, &PageQuery { limit: Some(2), cursor: None }).await.unwrap();
        auth::sign_in_history::list(&sigrid, &PageQuery { limit: Some(2), cursor: history.next_cursor }).await.unwrap();
        for (q, oldest_first) in [(None, false), (None, true), (Some("maya"), false), (Some("maya"), true)] {
            auth::admin::list(&sigrid, q, oldest_first, 0, 2).await.unwrap();
        }
        for query in ["author:Sigrid Test", "author:root", "action:user.created", "type:session"]
            .map(auth::admin::AuditQuery::parse)
        {
            auth::admin::audit(&sigrid, query.as_ref(), 0, 2).await.unwrap();
        }
        auth::admin::audit(&sigrid, None, 0, 2).await.unwrap();
        users::waiting_for_email(&mut world.db.clone(), "new@example.com").await.unwrap();
        let reads = world.db.reads();
        assert!(reads.len() > 60, "{} statements were looked at", reads.len());
        // Staff lists, first and second page: an index provides the order.
        for (list, place, index) in [
            ("from companies where 1 = 1 and archived_at is", "(name, id) >", "companies_by_name"),
            (
                "k.id = i.company_id where 1 = 1 and i.archived_at is",
                "(i.first_name, i.last_name, i.id) >",
                "isos_by_name",
            ),
        ] {
            for shown in ["null", "not null"] {
                for page in ["order by", &format!("and {place}")] {
                    let fragment = format!("{list} {shown} {page}");
                    let sql = reads.iter().find(|sql| sql.contains(&fragment));
                    let sql = sql.unwrap_or_else(|| panic!("no statement reads {fragment}"));
                    let plan = world.plan(sql).await.join("\n");
                    let sorts = plan.contains("TEMP B-TREE") || plan.contains("Sort");
                    assert!(plan.contains(index) && !sorts, "{index} in\n{plan}\n    {sql}");
                }
            }
        }
        // Timelines as read by staff: each part uses an index.
        let timelines: Vec<&String> =
            reads.iter().filter(|sql| sql.contains("where subject_id = $1 and seq is not null order by")).collect();
        assert!(!timelines.is_empty());
        for sql in timelines {
            let plan = world.plan(sql).await.join("\n");
            for index in ["activity_by_subject", "activity_by_client", "activity_by_company", "activity_by_iso"] {
                assert!(plan.contains(index), "{index} in\n{plan}\n    {sql}");
            }
        }
        // A company's clients: clients with orders and its own clients, each by an index in order.
        let listed: Vec<&String> = reads.iter().filter(|sql| sql.contains(") newest cross join")).collect();
        assert!(listed.len() >= 4, "{listed:?}");
        for sql in listed.iter().filter(|sql| !sql.contains("search_rows")) {
            let plan = world.plan(sql).await.join("\n");
            // With few users PostgreSQL filters the company's from the newest of all.
            for indices in [&["company_clients_newest"][..], &["users_by_company", "users_newest"]] {
                assert!(indices.iter().any(|index| plan.contains(index)), "{indices:?} in\n{plan}\n    {sql}");
            }
        }
        // The company overview counts no clients, and the commission overview reads no open orders.
        for (kept, counted) in
            [("company_client_counts", "from company_clients"), ("expected_commissions", "iso_commission_minor -")]
        {
            let found: Vec<&String> = reads.iter().filter(|sql| sql.contains(kept)).collect();
            assert!(!found.is_empty(), "no statement reads {kept}");
            for sql in found {
                assert!(!sql.contains(counted), "{sql}");
            }
        }
        // Activity search by time: an index provides the order with every filter.
        for (narrowed, index) in [
            (" order by", "activity_by_time"),
            (" and (at, seq) < ($3, ", "activity_by_time"),
            (" and action = $3 order by", "activity_by_action"),
            (" and address = $3 order by", "activity_by_address"),
            (" and actor_id = $3 order by", "activity_by_actor_and_time"),
        ] {
            let fragment = format!("seq is not null and at >= $1 and at < $2{narrowed}");
            let found = reads.iter().find(|sql| sql.contains(&fragment) && !sql.contains("$4"));
            let sql = found.unwrap_or_else(|| panic!("no statement reads {fragment}"));
            let plan = world.plan(sql).await.join("\n");
            let sorts = plan.contains("TEMP B-TREE") || plan.contains("Sort");
            assert!(plan.contains(index) && !sorts, "{index} in\n{plan}\n    {sql}");
        }
        // Activity by scope: the newest entries of the scope by its own index.
        for (scope, index) in
            [("company_id", "activity_by_company"), ("iso_id", "activity_by_iso"), ("client_id", "activity_by_client")]
        {
            let fragment = format!("({scope}, seq) < ($1, ");
            let found: Vec<&String> = reads.iter().filter(|sql| sql.contains(&fragment)).collect();
            assert!(!found.is_empty(), "no statement reads {fragment}");
            for sql in found {
                let plan = world.plan(sql).await.join("\n");
                // A dashboard also sorts its partners.
                let sorts = !sql.contains(" as groups") && (plan.contains("TEMP B-TREE") || plan.contains("Sort"));
                assert!(plan.contains(index) && !sorts, "{index} in\n{plan}\n    {sql}");
            }
        }
        // All users, page by page: in index order.
        let all_users = reads.iter().filter(|sql| {
            let parts = ["order by", "and u.last_active_at is"];
            parts.iter().any(|part| sql.contains(&format!("where 1 = 1 and u.status <> 'archived' {part}")))
        });
        let all_users: Vec<&String> = all_users.collect();
        assert!(all_users.len() >= 3, "{all_users:?}");
        for sql in all_users {
            let plan = world.plan(sql).await.join("\n");
            assert!(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "{plan}\n    {sql}");
        }
        let mut scans = Vec::new();
        for sql in &reads {
            let plan = world.plan(sql).await;
            for (nth, line) in plan.iter().enumerate() {
                if is_table_scan(line) || is_full_index_scan(sql, &plan, nth) {
                    scans.push(format!("{line}\n    {sql}"));
                }
            }
        }
        assert!(scans.is_empty(), "{}", scans.join("\n"));
        // Few dead jobs among many done: the portal's own index, apalis has none.
        let dead = reads.iter().filter(|sql| sql.contains("'Done' and (status = 'Killed' or"));
        let dead: Vec<&String> = dead.collect();
        assert_eq!(dead.len(), 2, "{dead:?}");
        for sql in dead {
            let plan = world.plan(sql).await.join("\n");
            assert!(plan.contains("jobs_not_done"), "{plan}\n    {sql}");
        }
        // The partial index lists the kinds of recent work; it is useless for other kinds.
        let mut plans = Vec::new();
        for sql in reads.iter().filter(|sql| sql.contains("'document_request', 'invoice'")) {
            plans.extend(world.plan(sql).await);
        }
        assert!(plans.iter().any(|line| line.contains("activity_work")), "{plans:?}");
        let plan = world.plan(&domain::directory::leads::client_with_phone_sql("'5550102030'")).await;
        assert!(plan.iter().any(|line| line.contains("users_by_phone")), "{plan:?}");
    })
    .await;
}

fn in_november(wanted: activity::Search) -> activity::Search {
    activity::Search { from: Some("2026-11-01".to_owned()), to: Some("2026-11-30".to_owned()), ..wanted }
}

#[tokio::test]
async fn sqlite_plans_do_not_depend_on_statistics() {
    let world = World::sqlite().await;
    let load = seed::BenchmarkSize { orders: 400, companies: Some(1), isos: Some(1) };
    seed::insert_benchmark_data(&world.operator(), load, |_| true).await.expect("load");
    let page = "select s.id, k.name from spvs s join companies k on k.id = s.company_id where s.company_id = $1 \
        order by s.ordered_date desc, s.created_at desc, s.id desc limit 1";
    let before = world.plan(page).await;
    assert!(before.iter().any(|line| line.contains("spvs_by_company")), "{before:?}");
    let mut tx = world.db.begin().await.expect("begins");
    tx.sql("analyze").run().await.expect("counts, as earlier versions did");
    tx.commit().await.expect("commits");
    assert_ne!(world.plan(page).await, before);
    world.db.migrate().await.expect("migrates");
    assert_eq!(world.plan(page).await, before);
    let sql = "select count(*) from sqlite_master where name in ('sqlite_stat1', 'sqlite_stat4')";
    assert_eq!(world.db.clone().sql(sql).scalar::<i64>().await.expect("is read"), 0);
}

/// Tables that grow with daily use.
const GROWING: &[&str] = &[
    "users",
    "companies",
    "isos",
    "spvs",
    "spv_steps",
    "activity",
    "search_rows",
    "mails",
    "requests",
    "links",
    "sessions",
    "threads",
    "messages",
    "thread_unread",
    "notifications",
    "notification_choices",
    "notification_event_choices",
    "invoices",
    "invoice_installments",
    "invoice_lines",
    "invoice_payments",
    "invoice_receipts",
    "credit_notes",
    "message_documents",
    "request_documents",
    "documents",
    "document_versions",
    "document_requests",
    "uploads",
    "commissions",
    "payouts",
    "leads",
    "calls",
    "iso_notes",
    "saved_views",
    "report_schedules",
    "report_recipients",
    "figures",
    "company_clients",
    "company_client_counts",
    "expected_commissions",
    "sign_in_failures",
    "Jobs",
    "jobs",
];

fn is_table_scan(line: &str) -> bool {
    let line = line.trim_start();
    let sqlite = line.starts_with("SCAN") && !line.contains("USING INDEX") && !line.contains("USING COVERING INDEX");
    let postgres = line.contains("Seq Scan on ");
    (sqlite || postgres)
        && GROWING.iter().any(|table| line.split([' ', '.']).any(|word| word == *table || alias(word) == *table))
}

/// Full index scans that are intended, by a part of the plan line or the statement.
const INTENDED_SCANS: &[&str] = &[
    // Open requests: a few dozen, however many are decided.
    "requests_open",
    // Submitted documents awaiting review.
    "document_requests_submitted",
    // The sum of all open invoices.
    "where 1 = 1 and v.status in ('due', 'part_paid') group by v.currency",
    // Invoices of which more was paid than is left of them: few.
    "invoices_overpaid",
    // Pending and dead jobs: few compared with a month of done jobs.
    "jobs_not_done",
    // The number of users a search finds, for scripts that paginate: a few thousand index entries.
    "select count(*) from users where status <> 'archived' and (",
];

/// Whether a plan line reads a whole index of a growing table without a limit. Statements that list every value of a
/// column are not detected: the users page counts a few thousand users that way by index only.
fn is_full_index_scan(sql: &str, plan: &[String], nth: usize) -> bool {
    let line = plan[nth].as_str();
    let depth = |line: &str| line.len() - line.trim_start().len();
    if INTENDED_SCANS.iter().any(|intended| line.contains(intended) || sql.contains(intended)) {
        return false;
    }
    if let Some((_, index)) = line.trim_start().strip_prefix("SCAN ").and_then(|scan| scan.split_once(" INDEX ")) {
        // By the index name, because the statement may alias the table.
        let grows = GROWING.iter().any(|table| match index.strip_prefix("sqlite_autoindex_") {
            Some(own) => own.rsplit_once('_').is_some_and(|(of, _)| of == *table),
            None => index.strip_prefix(table).is_some_and(|rest| rest.starts_with('_')),
        });
        // SQLite plans do not show limits; PostgreSQL is checked with the same statement.
        let same = plan[nth + 1..].iter().take_while(|next| depth(next) >= depth(line));
        let sorts = same
            .filter(|next| depth(next) == depth(line))
            .any(|next| ["USE TEMP B-TREE FOR ORDER BY", "USE TEMP B-TREE FOR GROUP BY"].contains(&next.trim_start()));
        return grows && (sorts || !sql.contains(" limit "));
    }
    let scans = line.contains("Scan") && line.contains(" using ");
    // A node's own lines precede its child nodes.
    let mut own = plan[nth + 1..].iter().take_while(|line| !line.contains("->"));
    if !scans || own.any(|line| line.contains("Index Cond:")) || !line.split(' ').any(|word| GROWING.contains(&word)) {
        return false;
    }
    let (mut within, mut sorts) = (depth(line), false);
    for above in plan[..nth].iter().rev() {
        if depth(above) >= within {
            continue;
        }
        within = depth(above);
        let node = above.trim_start().trim_start_matches("->").trim_start();
        if node.starts_with("Limit") {
            return sorts;
        }
        // PostgreSQL scans small tables for joins; SQLite is checked with the same statement.
        if node.contains("Join") || node.starts_with("Nested Loop") {
            return false;
        }
        // A separate plan, to which an outer limit does not apply.
        if ["InitPlan", "SubPlan", "CTE"].iter().any(|part| node.starts_with(part)) {
            return true;
        }
        sorts |= node.starts_with("Sort") || node.contains("Aggregate");
    }
    true
}

#[test]
fn full_index_scans_are_distinguished_from_limited_ones() {
    let found = |sql: &str, plan: &str| {
        let plan: Vec<String> = plan.lines().map(str::to_owned).collect();
        (0..plan.len()).filter(|nth| is_full_index_scan(sql, &plan, *nth)).count()
    };
    let (all, first) = ("select count(*) from requests group by status", "select id from requests r limit 3");
    let sqlite = "SCAN r USING COVERING INDEX requests_by_status";
    assert_eq!((found(all, sqlite), found(first, sqlite)), (1, 0));
    assert_eq!(found(first, &format!("{sqlite}\nUSE TEMP B-TREE FOR ORDER BY")), 1);
    let part = "CORRELATED SCALAR SUBQUERY 1\n  SEARCH t USING INDEX spv_steps_by_spv (spv_id=?)";
    assert_eq!(found(first, &format!("{sqlite}\n{part}\n  USE TEMP B-TREE FOR ORDER BY")), 0);
    for bounded in [
        "SEARCH requests USING COVERING INDEX requests_by_status (status=?)",
        "SCAN b USING INDEX backups_newest",
        "SCAN activity_head USING INDEX sqlite_autoindex_activity_head_1",
        "SCAN r USING INDEX requests_open",
    ] {
        assert_eq!(found(all, bounded), 0, "{bounded}");
    }
    let scan = "Index Only Scan using requests_by_status on requests r  (cost=0.1..8.1 rows=1 width=32)";
    for whole in [
        scan.to_owned(),
        format!("GroupAggregate\n  Group Key: status\n  ->  {scan}\n        Filter: (priority = 'low'::text)"),
        format!("Limit\n  ->  Sort\n        Sort Key: name\n        ->  {scan}"),
        format!("Limit\n  InitPlan 1 (returns $0)\n    ->  {scan}\n  ->  Result"),
    ] {
        assert_eq!(found(all, &whole), 1, "{whole}");
    }
    for bounded in [
        format!("Aggregate\n  ->  {scan}\n        Index Cond: (status = 'pending'::text)"),
        format!("Aggregate\n  ->  Limit\n        ->  {scan}\n              Filter: (priority = 'low'::text)"),
        format!("Aggregate\n  ->  Hash Join\n        ->  Hash\n              ->  {scan}"),
        "Index Scan using backups_newest on backups b  (cost=0.1..8.1 rows=1 width=32)".to_owned(),
    ] {
        assert_eq!(found(all, &bounded), 0, "{bounded}");
    }
}

/// Table aliases used in the statements.
fn alias(word: &str) -> &str {
    match word {
        "k" => "companies",
        "i" => "isos",
        "s" => "spvs",
        "h" => "threads",
        "m" => "messages",
        "n" => "notifications",
        "u" | "c" => "users",
        "v" => "invoices",
        "d" => "documents",
        "r" => "document_requests",
        "e" => "commissions",
        "w" => "report_schedules",
        "y" => "report_recipients",
        _ => "",
    }
}

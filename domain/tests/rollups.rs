//! Rollups of companies and partners: stored figures equal a recount of the rows after any history, and dashboards and
//! finances read only rollups.
use chrono::{Duration, NaiveDate};
use domain::{
    Ctx,
    accounts::users,
    desk::people,
    directory::{clients, leads},
    kernel::{
        access::Role,
        clock::RandomSource,
        date_range::DateRangeQuery,
        db::{Db, Dialect, Sql, Value},
        ids::{CompanyId, IsoId, SpvId},
        page::PageQuery,
    },
    operations::recount,
    operations::seed,
    orders::{
        commissions, invoices,
        onboarding::{self, Setup},
        spvs, steps,
    },
    reporting::{dashboards, finances},
    testing::{World, on_both},
};

async fn assert_no_drift(db: &Db) {
    let differing = recount::diff(db).await.unwrap();
    assert!(differing.is_empty(), "{differing:?}");
}

type Sums = Vec<(String, i64)>;

/// Totals of the finances page for a date range, by currency: ordered, invoiced, paid, earned. Zero sums are left out.
async fn finance_totals(ctx: &Ctx, days: (NaiveDate, NaiveDate)) -> [Sums; 4] {
    let asked = DateRangeQuery { period: None, from: Some(days.0.to_string()), to: Some(days.1.to_string()) };
    let mut accounts = finances::get(ctx, None, &asked).await.unwrap().accounts;
    accounts.sort_by_key(|account| account.currency.code());
    let of = |figure: fn(&finances::Figures) -> i64| {
        let sums = accounts.iter().map(|account| (account.currency.code().to_owned(), figure(&account.total)));
        sums.filter(|(_, sum)| *sum != 0).collect()
    };
    [of(|f| f.ordered_minor), of(|f| f.invoiced_minor), of(|f| f.paid_minor), of(|f| f.commission_minor)]
}

/// The same totals, counted from the rows.
async fn recounted_totals(db: &Db, company: CompanyId, days: (NaiveDate, NaiveDate)) -> [Sums; 4] {
    let mut found = Vec::new();
    for (currency, minor, date, rows) in [
        (
            "s",
            "coalesce(s.purchase_amount_minor, s.price_minor)",
            "s.ordered_date",
            "spvs s where s.status <> 'cancelled'",
        ),
        ("v", "v.total_minor", "v.issued_date", "invoices v join spvs s on s.id = v.spv_id where v.status <> 'void'"),
        (
            "v",
            "p.amount_minor",
            "p.received_date",
            "invoice_payments p join invoices v on v.id = p.invoice_id join spvs s on s.id = v.spv_id where 1 = 1",
        ),
        ("s", "s.amount_minor", "s.earned_date", "commissions s where s.status <> 'void'"),
    ] {
        let sql = format!(
            "select {currency}.currency, cast(coalesce(sum({minor}), 0) as bigint) from {rows} and s.company_id = $1 \
             and {date} >= $2 and {date} <= $3 group by {currency}.currency order by {currency}.currency"
        );
        let sums: Sums = db.clone().sql_built(sql).bind(company).bind(days.0).bind(days.1).all().await.unwrap();
        found.push(sums.into_iter().filter(|(_, sum)| *sum != 0).collect());
    }
    found.try_into().unwrap()
}

/// Expected commissions of open orders by currency, counted from orders and ledger, for one company or partner.
async fn recounted_expected(db: &Db, of: &str, id: impl Value) -> Sums {
    let sql = format!(
        "select r.currency, cast(sum(r.minor) as bigint) from ( \
             select s.currency, s.iso_commission_minor \
                 - coalesce((select sum(e.amount_minor) from commissions e where e.spv_id = s.id), 0) as minor \
             from spvs s where s.{of} = $1 and s.status not in ('closed', 'cancelled') and s.iso_id is not null \
         ) r where r.minor > 0 group by r.currency order by r.currency"
    );
    db.clone().sql_built(sql).bind(id).all().await.unwrap()
}

/// Counters, a company's orders and the requests, counted by SQL: `recount` uses the definition that changes use, and would
/// agree with a wrong one.
async fn assert_counters_equal_rows(db: &Db) {
    let (stored, mut db) = (recount::stored(&mut db.clone()).await.unwrap(), db.clone());
    for (name, sql) in [
        ("clients", "select count(*) from users where role = 'client' and status <> 'archived'"),
        ("users", "select count(*) from users where status <> 'archived'"),
        ("active_spvs", "select count(*) from spvs where status = 'active'"),
        (
            "pending_reviews",
            "select count(*) from spv_steps t join spvs s on s.id = t.spv_id \
             where t.status = 'pending' and s.status not in ('closed', 'cancelled')",
        ),
        (
            "storage_bytes",
            "select cast(coalesce(sum(bytes), 0) as bigint) from document_versions where restored_from is null",
        ),
        (
            "revenue.USD",
            "select cast(coalesce(sum(price_minor), 0) as bigint) from spvs where status = 'active' and currency = 'USD'",
        ),
    ] {
        let counted: i64 = db.sql(sql).scalar().await.unwrap();
        assert_eq!(stored.get(name).copied().unwrap_or(0), counted, "{name}");
    }
    let sum = |ending: &str, start: &str| {
        let fits = stored.iter().filter(|(name, _)| name.starts_with(start) && name.ends_with(ending));
        fits.map(|(_, value)| *value).sum::<i64>()
    };
    let orders: (i64, i64, i64, i64, i64) = db
        .sql(
            "select count(*), count(*) filter (where status = 'cancelled'), cast(coalesce(sum( \
                 case when status <> 'cancelled' then coalesce(purchase_amount_minor, price_minor) end), 0) as bigint), \
             (select count(*) from (select distinct company_id, client_id from spvs) t), \
             (select count(*) from (select distinct company_id, client_id from spvs where status <> 'cancelled') t) \
             from spvs",
        )
        .one()
        .await
        .unwrap();
    let shown = [".spvs", ".cancelled", ".revenue", ".listed", ".active_clients"].map(|ending| sum(ending, "company."));
    assert_eq!(shown, <[i64; 5]>::from(orders));
    let requests: i64 = db.sql("select count(*) from requests").scalar().await.unwrap();
    assert_eq!(stored.iter().filter(|(name, _)| name.contains(".requests.")).map(|(_, n)| n).sum::<i64>(), requests);
}

async fn expected_commissions(ctx: &Ctx) -> Sums {
    let overview = commissions::overview(ctx, None, commissions::Period::ThisYear).await.unwrap();
    overview.expected.iter().map(|(currency, minor)| (currency.code().to_owned(), *minor)).collect()
}

/// Counts of a partner's clients, leads and closed orders.
async fn partner_counts(db: &Db, iso: IsoId) -> (i64, i64, i64) {
    let sql = "select (select count(*) from users where iso_id = $1 and role = 'client' and status in ('active', 'pending')), \
        (select count(*) from leads where iso_id = $1 and stage in ('new', 'contacted', 'qualified')), \
        (select count(*) from spvs where iso_id = $1 and status = 'closed')";
    db.clone().sql(sql).bind(iso).one().await.unwrap()
}

/// Two companies, the first with two partners, their clients and their orders.
struct Office {
    company: CompanyId,
    partners: Vec<(IsoId, Ctx)>,
    sam: Ctx,
    clara: Ctx,
}

impl Office {
    async fn new(world: &World) -> Self {
        let company = world.company("Meridian").await;
        let partners = vec![world.iso("Ingrid", company).await, world.iso("Igor", company).await];
        for (first, iso) in [("Maya", Some(partners[0].0)), ("Noah", Some(partners[1].0)), ("Olga", None)] {
            world.client(first, company, iso).await;
        }
        world.client("Zoe", world.company("Meridian Two").await, None).await;
        let sam = world.super_admin("Sam").await;
        Self { company, partners, sam, clara: world.company_admin("Clara", company).await }
    }

    async fn orders(&self) -> Vec<SpvId> {
        let page = PageQuery { limit: Some(500), cursor: None };
        let mut ids: Vec<_> = spvs::list(&self.sam, &spvs::Filter::default(), &page).await.unwrap().items;
        // Sorted by nothing random, so that the seed replays the same history.
        ids.sort_by_key(|spv| {
            (spv.ordered_date, spv.custom_identifier.clone(), spv.company_name.clone(), spv.client_name())
        });
        ids.into_iter().map(|spv| spv.id).collect()
    }

    async fn clients(&self) -> Vec<users::UserRow> {
        let query = users::UserQuery { role: Some(Role::Client), ..Default::default() };
        let mut found = users::page(&self.sam, &query, &PageQuery::default()).await.unwrap().page.items;
        found.retain(|user| user.company_id == Some(self.company));
        found.sort_by_key(|user| user.email.clone());
        found
    }

    async fn invoice(&self, spv: SpvId) -> Option<invoices::Invoice> {
        let filter = invoices::Filter { spv_id: Some(spv), ..Default::default() };
        invoices::list(&self.sam, &filter, &PageQuery::default()).await.unwrap().items.pop()
    }

    async fn ledger(&self) -> Vec<commissions::Commission> {
        let all = commissions::Filter::default();
        let mut rows = commissions::list(&self.sam, &all, &PageQuery::default()).await.unwrap().items;
        rows.sort_by_key(|row| {
            (row.spv_custom_identifier.clone(), row.client_name(), row.created_at, row.amount_minor)
        });
        rows
    }

    /// One random action. An action that the state refuses is part of the history.
    async fn random_action(&self, world: &World, random: &RandomSource, n: usize) {
        let pick = |len: usize| random.below(len.max(1) as u64) as usize;
        let sam = &self.sam;
        let orders = self.orders().await;
        let spv = orders[pick(orders.len())];
        let clients = self.clients().await;
        let client = &clients[pick(clients.len())];
        let (iso, partner) = &self.partners[pick(2)];
        match random.below(20) {
            0..=2 => {
                let iso = Some(*iso).filter(|_| pick(3) > 0);
                let input = onboarding::OrderInput {
                    client_id: Some(client.id),
                    company_id: Some(self.company),
                    iso_id: iso,
                    purchase_amount: Some((1 + pick(90_000)).to_string()).filter(|_| pick(4) > 0),
                    price: Some("99.99".to_owned()),
                    currency: Some(["USD", "EUR"][pick(2)].to_owned()),
                    country: Some(["US", "AE", "SG"][pick(3)].to_owned()),
                    iso_commission_percentage: iso.map(|_| "2.5".to_owned()),
                    ..onboarding::OrderInput::default()
                };
                drop(onboarding::create_order(sam, input).await);
            }
            3 => drop(spvs::cancel(sam, spv, None, "Off").await),
            4 => drop(spvs::reopen(sam, spv, None, "On").await),
            5 | 6 => {
                drop(spvs::start(sam, spv, None).await);
                let ids: Vec<_> = spvs::get(sam, spv).await.unwrap().steps.iter().map(|step| step.id).collect();
                drop(steps::complete(sam, spv, None, &ids).await);
            }
            7 | 8 => {
                let Some(invoice) = self.invoice(spv).await else { return };
                let amount = Some(["0.01", "10.50", "99.99"][pick(3)].to_owned());
                drop(
                    invoices::pay(sam, invoice.id, None, invoices::ManualPayment { amount, ..Default::default() })
                        .await,
                );
            }
            9 => {
                let Some(invoice) = self.invoice(spv).await else { return };
                drop(invoices::void(sam, invoice.id, None, "Off").await);
            }
            10 => {
                let rows = self.ledger().await;
                if !rows.is_empty() {
                    drop(commissions::void(sam, rows[pick(rows.len())].id, None, "Off").await);
                }
            }
            11 => {
                let ids: Vec<_> = self.ledger().await.iter().map(|row| row.id).collect();
                drop(commissions::approve(sam, &ids[..pick(ids.len() + 1)]).await);
                if let Ok(run) = commissions::open(sam).await {
                    drop(match pick(2) {
                        0 => commissions::pay(sam, run.run.id, None, None).await,
                        _ => commissions::discard(sam, run.run.id, None).await,
                    });
                }
            }
            12 => {
                let input = leads::Input {
                    first_name: "Lena".to_owned(),
                    last_name: format!("Number {n}"),
                    email: format!("lena.{n}@lead.example"),
                    ..Default::default()
                };
                leads::create(partner, input).await.unwrap();
            }
            13 | 14 => {
                let mut found = leads::list(sam, &leads::Filter::default(), &PageQuery::default()).await.unwrap().items;
                found.sort_by_key(|lead| lead.email.clone());
                if found.is_empty() {
                    return;
                }
                let id = found[pick(found.len())].id;
                let terms = onboarding::ConversionTerms {
                    price: Some("500".to_owned()),
                    commission: Some("50".to_owned()),
                    ..Default::default()
                };
                let stage = Some(["new", "contacted", "lost"][pick(3)].to_owned());
                drop(match pick(3) {
                    0 => onboarding::convert_lead(sam, id, None, Setup::Quick, terms).await,
                    _ => leads::update(sam, id, None, leads::Change { stage, ..Default::default() }).await,
                });
            }
            15 => drop(match pick(3) {
                0 => clients::suspend(sam, client.id, None).await,
                1 => clients::archive(sam, client.id, None).await,
                _ => clients::restore(sam, client.id, None).await,
            }),
            16 => {
                let iso_id = Some(Some(*iso).filter(|_| pick(3) > 0));
                drop(
                    people::update_client(sam, client.id, None, clients::Change { iso_id, ..Default::default() }).await,
                );
            }
            17 => {
                // Without an order: a client with orders cannot change role.
                let user = world.user(Role::Client, &format!("Pia{n}"), Some(self.company), Some(*iso)).await;
                if pick(2) == 0 {
                    let role = Role::CompanyAdmin;
                    people::set_role(sam, user.id, role, Some(self.company), None, None).await.unwrap();
                }
            }
            _ => {
                world.clock.advance(Duration::days(pick(25) as i64));
            }
        }
    }

    async fn assert_consistent(&self, world: &World, random: &RandomSource) {
        assert_no_drift(&world.db).await;
        assert_counters_equal_rows(&world.db).await;
        for (iso, partner) in &self.partners {
            let board = dashboards::iso(partner).await.unwrap();
            let shown = (board.active_clients, board.pending_leads, board.completed_spvs);
            assert_eq!(shown, partner_counts(&world.db, *iso).await);
            let overview = commissions::overview(partner, None, commissions::Period::ThisMonth).await.unwrap();
            let earned: Vec<_> = overview.cards.iter().map(|cards| (cards.currency, cards.total_minor)).collect();
            let shown: Vec<_> = board.monthly_commissions.iter().map(|sum| (sum.currency, sum.minor)).collect();
            assert_eq!(shown, earned);
            assert_eq!(expected_commissions(partner).await, recounted_expected(&world.db, "iso_id", *iso).await);
        }
        assert_eq!(
            expected_commissions(&self.clara).await,
            recounted_expected(&world.db, "company_id", self.company).await
        );
        let today = world.clock.now().date_naive();
        for _ in 0..4 {
            let from = today - Duration::days(random.below(250) as i64);
            let days = (from, from + Duration::days(random.below(120) as i64));
            assert_eq!(
                finance_totals(&self.clara, days).await,
                recounted_totals(&world.db, self.company, days).await,
                "{days:?}"
            );
        }
    }
}

#[tokio::test]
async fn rollups_equal_a_recount_after_any_history() {
    on_both(async |world| {
        let random = RandomSource::seeded(21);
        let office = Office::new(&world).await;
        for n in 0..240 {
            office.random_action(&world, &random, n).await;
            if n % 20 == 19 {
                office.assert_consistent(&world, &random).await;
            }
        }
        // Every kind of figure occurred.
        let kinds: Vec<(String,)> =
            world.db.clone().sql("select distinct what from figures where n > 0 order by what").all().await.unwrap();
        let kinds: Vec<_> = kinds.iter().map(|(what,)| what.as_str()).collect();
        assert_eq!(kinds, ["clients", "closed", "commission", "due", "invoiced", "ordered", "paid", "requests"]);
    })
    .await;
}

#[tokio::test]
async fn recount_finds_and_repairs_wrong_rollups() {
    on_both(async |world| {
        assert!(seed::demo(&world.operator()).await.unwrap());
        let db = &world.db;
        assert_no_drift(db).await;
        let mut tx = db.begin().await.unwrap();
        for sql in [
            "update figures set n = n + 1 where what = 'clients'",
            "delete from figures where what = 'paid'",
            "delete from expected_commissions",
            "delete from company_client_counts",
        ] {
            tx.sql(sql).run().await.unwrap();
        }
        tx.commit().await.unwrap();
        let differing = recount::diff(db).await.unwrap();
        assert!(differing.iter().any(|(name, kept, found)| name.ends_with(".clients.count") && kept - 1 == *found));
        for name in ["expected.", "company."] {
            assert!(differing.iter().any(|(of, kept, found)| of.starts_with(name) && *kept == 0 && *found > 0));
        }
        let mut tx = db.begin().await.unwrap();
        recount::rebuild(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        assert_no_drift(db).await;
    })
    .await;
}

#[tokio::test]
async fn finances_and_iso_dashboard_read_rollups_by_primary_key() {
    on_both(async |world| {
        let operator = world.operator();
        seed::insert_benchmark_data(&operator, 1_000, |_| true).await.unwrap();
        if world.db.dialect() == Dialect::Postgres {
            let planned_by = "select reltuples from pg_class where oid = 'spvs'::regclass";
            let rows: f32 = world.db.clone().sql(planned_by).scalar().await.unwrap();
            assert!(rows > 999.0, "the planner has statistics after seeding, {rows}");
        }
        let page = PageQuery::default();
        let company =
            domain::directory::companies::list(&operator, &Default::default(), &page).await.unwrap().items[0].id;
        let (_, partner) = world.iso("Ingrid", company).await;
        let clara = world.company_admin("Clara", company).await;
        world.counts_its_rows().await;
        world.db.keep_reads();
        let asked =
            DateRangeQuery { from: Some("2026-01-15".to_owned()), to: Some("2026-10-15".to_owned()), period: None };
        finances::get(&clara, None, &asked).await.unwrap();
        dashboards::iso(&partner).await.unwrap();
        let reads = world.db.reads();
        let mut kept = 0;
        for sql in &reads {
            let counts = sql.contains("count(*) from") && !sql.contains("from leads");
            assert!(!counts && !sql.contains("commissions"), "{sql}");
            if !sql.contains("from figures") {
                continue;
            }
            kept += 1;
            assert!(!["spvs", "invoices", "users"].iter().any(|table| sql.contains(table)), "{sql}");
            let plan = world.plan(sql).await;
            let by_key = |line: &String| line.contains("figures_pkey") || line.contains("figures USING PRIMARY KEY");
            assert!(plan.iter().any(by_key), "{}\n    {sql}", plan.join("\n"));
            assert!(!plan.iter().any(|line| line.contains("SCAN figures") || line.contains("Seq Scan on figures")));
        }
        assert_eq!(kept, 2, "{reads:?}");
    })
    .await;
}

#[tokio::test]
async fn cancelled_orders_are_not_counted_in_the_overview() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let sam = world.super_admin("Sam").await;
        let (maya, first, _) = world.client("Maya", company, None).await;
        let order = onboarding::OrderInput {
            client_id: Some(maya),
            company_id: Some(company),
            purchase_amount: Some("5".to_owned()),
            ..onboarding::OrderInput::default()
        };
        let second = onboarding::create_order(&sam, order).await.unwrap().spv.id;
        let cards = async || {
            let board = dashboards::company(&sam, Some(company), &PageQuery::default()).await.unwrap();
            assert_no_drift(&world.db).await;
            let minor: i64 = board.revenue.iter().map(|sum| sum.minor).sum();
            (board.total_spvs, board.active_clients, minor)
        };
        assert_eq!(cards().await, (2, 1, 125_500));
        spvs::cancel(&sam, second, None, "No").await.unwrap();
        assert_eq!(cards().await, (1, 1, 125_000));
        spvs::cancel(&sam, first, None, "No").await.unwrap();
        assert_eq!(cards().await, (0, 0, 0));
        // The tables still list them.
        let board = dashboards::company(&sam, Some(company), &PageQuery::default()).await.unwrap();
        assert_eq!((board.partners[0].spvs, board.spvs.items.len()), (2, 2));
        spvs::reopen(&sam, first, None, "Yes").await.unwrap();
        assert_eq!(cards().await, (1, 1, 125_000));
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update company_clients set spvs = 7").run().await.unwrap();
        tx.commit().await.unwrap();
        assert!(!recount::diff(&world.db).await.unwrap().is_empty());
        let mut tx = world.db.begin().await.unwrap();
        recount::rebuild(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(cards().await, (1, 1, 125_000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn company_clients_are_counted_once_and_repaired() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let sam = world.super_admin("Sam").await;
        let (maya, ..) = world.client("Maya", company, Some(iso)).await;
        let noah = world.user(Role::Client, "Noah", Some(company), None).await.id;
        let active =
            async || dashboards::company(&sam, Some(company), &PageQuery::default()).await.unwrap().active_clients;
        assert_eq!(active().await, 1);
        // Each has a custom identifier: generating one serializes the inserts.
        let order = |client, n: i32| onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            custom_identifier: Some(format!("Order {n}")),
            purchase_amount: Some("5".to_owned()),
            ..onboarding::OrderInput::default()
        };
        // Concurrent orders of a client that is already counted and of one that is not.
        let attempts: Vec<_> = (0..12)
            .map(|n| {
                let (sam, input) = (sam.clone(), order(if n % 3 == 0 { maya } else { noah }, n));
                tokio::spawn(async move { onboarding::create_order(&sam, input).await })
            })
            .collect();
        for one in attempts {
            one.await.unwrap().unwrap();
        }
        assert_eq!(active().await, 2);
        assert_no_drift(&world.db).await;

        // A rolled-back insert is not counted. An archived client, or one of an archived company, stays counted.
        let olga = world.user(Role::Client, "Olga", Some(company), None).await.id;
        let mut tx = world.db.begin().await.unwrap();
        let insert = "insert into company_clients (company_id, client_id) values ($1, $2) on conflict do nothing";
        assert_eq!(tx.sql(insert).bind(company).bind(olga).run().await.unwrap(), 1);
        assert_eq!(tx.sql(insert).bind(company).bind(olga).run().await.unwrap(), 0);
        drop(tx);
        clients::archive(&sam, noah, None).await.unwrap();
        domain::directory::companies::archive(&sam, company, None).await.unwrap();
        assert!(matches!(
            domain::directory::companies::delete(&sam, company, None).await,
            Err(domain::Error::Conflict(_))
        ));
        assert_eq!(active().await, 2);
        assert_no_drift(&world.db).await;

        // Deleted rows lower the count, a repair restores it.
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("delete from company_clients where client_id = $1").bind(noah).run().await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(active().await, 1);
        let repair = async || {
            let mut tx = world.db.begin().await.unwrap();
            recount::rebuild(&mut tx).await.unwrap();
            tx.commit().await.unwrap();
            assert_no_drift(&world.db).await;
        };
        repair().await;
        assert_eq!(active().await, 2);
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update company_client_counts set clients = clients + 3 where clients > 0").run().await.unwrap();
        tx.sql("update expected_commissions set minor = minor - 1").run().await.unwrap();
        tx.commit().await.unwrap();
        assert!(active().await > 2);
        let differing = recount::diff(&world.db).await.unwrap();
        let names: Vec<_> = differing.iter().map(|(name, ..)| name.as_str()).collect();
        let wrong = [format!("company.{company}.active_clients"), format!("expected.{iso}.{company}.USD")];
        assert_eq!(names, wrong);
        repair().await;
        assert_eq!(active().await, 2);
        // A company without orders can still be deleted.
        let empty = world.company("Empty").await;
        domain::directory::companies::delete(&sam, empty, None).await.unwrap();
    })
    .await;
}

/// Concurrent payments, orders and cancellations of one company neither deadlock nor lose an update.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_of_one_rollup_are_all_counted() {
    on_both(async |world: World| {
        let office = Office::new(&world).await;
        let client = office.clients().await[0].id;
        let (iso, _) = office.partners[0];
        let input = onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(office.company),
            iso_id: Some(iso),
            price: Some("100".to_owned()),
            purchase_amount: Some("1000".to_owned()),
            iso_commission_percentage: Some("1".to_owned()),
            ..onboarding::OrderInput::default()
        };
        let attempts: Vec<_> = (0..16)
            .map(|n| {
                // A custom identifier: generating one serializes the inserts.
                let input = onboarding::OrderInput { custom_identifier: Some(format!("Order {n}")), ..input.clone() };
                let sam = office.sam.clone();
                tokio::spawn(async move {
                    let made = onboarding::create_order(&sam, input).await.unwrap().spv.id;
                    let filter = invoices::Filter { spv_id: Some(made), ..Default::default() };
                    let owed = invoices::list(&sam, &filter, &PageQuery::default()).await.unwrap().items;
                    let typed = invoices::ManualPayment { amount: Some("60".to_owned()), ..Default::default() };
                    match n % 3 {
                        0 => drop(invoices::pay(&sam, owed[0].id, None, typed).await.unwrap()),
                        1 => {
                            spvs::start(&sam, made, None).await.unwrap();
                            let ids: Vec<_> =
                                spvs::get(&sam, made).await.unwrap().steps.iter().map(|step| step.id).collect();
                            steps::complete(&sam, made, None, &ids).await.unwrap();
                        }
                        _ => drop(spvs::cancel(&sam, made, None, "Off").await.unwrap()),
                    }
                })
            })
            .collect();
        for one in attempts {
            one.await.unwrap();
        }
        assert_no_drift(&world.db).await;
    })
    .await;
}

/// SQLite has one writer, so a repair excludes all others.
#[tokio::test(flavor = "multi_thread")]
async fn repair_runs_beside_concurrent_writers() {
    let Some(world) = World::postgres().await else { return };
    let company = world.company("Meridian").await;
    let sam = world.super_admin("Sam").await;
    let (maya, first, _) = world.client("Maya", company, None).await;
    let step = spvs::get(&sam, first).await.unwrap().steps[0].id;
    let mut others = Vec::new();
    for n in 0..24 {
        let sam = sam.clone();
        others.push(tokio::spawn(async move {
            let input = onboarding::OrderInput {
                client_id: Some(maya),
                company_id: Some(company),
                custom_identifier: Some(format!("Order {n}")),
                purchase_amount: Some("5".to_owned()),
                ..onboarding::OrderInput::default()
            };
            onboarding::create_order(&sam, input).await.unwrap();
            let status = if n % 2 == 0 { "in_progress" } else { "pending" };
            let change = steps::Change { status: Some(status.to_owned()), ..steps::Change::default() };
            steps::update(&sam, step, None, change).await.unwrap();
        }));
    }
    while others.iter().any(|other| !other.is_finished()) {
        let mut tx = world.db.begin().await.unwrap();
        recount::rebuild(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
    }
    for other in others {
        other.await.unwrap();
    }
    assert_no_drift(&world.db).await;
}

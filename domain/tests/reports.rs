//! Company reports, finances and analytics: totals equal the sum of the rows, access is limited to the company, and
//! scheduled reports are mailed once.
use chrono::Duration;
use domain::{
    Ctx,
    accounts::mail_delivery,
    directory::companies,
    kernel::{
        clock::RandomSource,
        date_range::{DateRangeQuery, Period},
        ids::{CompanyId, IsoId, UserId},
        money::Currency,
        page::PageQuery,
    },
    orders::{commissions, invoices, onboarding, spvs, steps},
    outbox::mails::{self, Kind},
    platform::activity,
    reporting::{
        analytics, dashboards,
        finances::{self, Account, Figures},
        reports::{self, Change, Input, Report, ReportQuery},
    },
    testing::{World, code, on_both},
};
use serde_json::json;
use std::collections::BTreeMap;

fn period(name: Period) -> DateRangeQuery {
    DateRangeQuery { period: Some(name.name().to_owned()), ..DateRangeQuery::default() }
}

async fn order(ctx: &Ctx, client: UserId, company: CompanyId, iso: Option<IsoId>, made: [&str; 3]) -> spvs::Spv {
    let [currency, amount, country] = made;
    let input = onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        iso_id: iso,
        purchase_amount: Some(amount.to_owned()),
        price: Some("99.99".to_owned()).filter(|_| currency != "JPY"),
        currency: Some(currency.to_owned()),
        country: Some(country.to_owned()),
        iso_commission_percentage: iso.map(|_| "2.5".to_owned()),
        ..onboarding::OrderInput::default()
    };
    onboarding::create_order(ctx, input).await.unwrap().spv
}

async fn close(ctx: &Ctx, spv: domain::kernel::ids::SpvId) {
    spvs::start(ctx, spv, None).await.unwrap();
    let ids: Vec<_> = spvs::get(ctx, spv).await.unwrap().steps.iter().map(|step| step.id).collect();
    steps::complete(ctx, spv, None, &ids).await.unwrap();
}

async fn pay(ctx: &Ctx, spv: domain::kernel::ids::SpvId, amount: &str) {
    let filter = invoices::Filter { spv_id: Some(spv), ..Default::default() };
    let found = invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap();
    let typed = invoices::ManualPayment { amount: Some(amount.to_owned()), ..Default::default() };
    invoices::pay(ctx, found.items[0].id, None, typed).await.unwrap();
}

/// All rows of a report by column name, read two at a time.
async fn report_rows(ctx: &Ctx, wanted: &ReportQuery) -> Vec<BTreeMap<&'static str, String>> {
    let mut page = PageQuery { limit: Some(2), cursor: None };
    let mut found = Vec::new();
    loop {
        let part = reports::page(ctx, wanted, &page).await.unwrap().rows;
        for cells in part.items {
            found.push(wanted.report.columns().iter().map(|(name, _)| *name).zip(cells).collect());
        }
        match part.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return found,
        }
    }
}

fn minor(currency: &str, text: &str) -> i64 {
    let currency: Currency = currency.parse().unwrap();
    text.strip_prefix('-').map_or_else(|| currency.parse(text).unwrap(), |rest| -currency.parse(rest).unwrap())
}

/// Sums of a column by currency, without zeros.
fn sum_by_currency(rows: &[BTreeMap<&str, String>], column: &str) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for row in rows {
        *sums.entry(row["currency"].clone()).or_insert(0) += minor(&row["currency"], &row[column]);
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

fn totals_by_currency(accounts: &[Account], figure: impl Fn(&Figures) -> i64) -> BTreeMap<String, i64> {
    let sums = accounts.iter().map(|account| (account.currency.code().to_owned(), figure(&account.total)));
    sums.filter(|(_, sum)| *sum != 0).collect()
}

fn csv(text: &str) -> Vec<BTreeMap<&str, String>> {
    // Names in these tests contain no commas.
    let mut lines = text.lines().map(|line| line.split(','));
    let names: Vec<&str> = lines.next().unwrap().collect();
    lines.map(|cells| names.iter().copied().zip(cells.map(str::to_owned)).collect()).collect()
}

/// Compares the company's totals across all pages and files.
async fn assert_consistent(ctx: &Ctx, company: CompanyId, history: &str) {
    let picked = Some(company);
    for name in Period::ALL {
        let asked = period(name);
        let found = finances::get(ctx, picked, &asked).await.unwrap();
        for account in &found.accounts {
            let parts: [Vec<Figures>; 3] = [
                account.months.iter().map(|(_, of)| *of).collect(),
                account.partners.iter().map(|row| row.figures).collect(),
                account.countries.iter().map(|(_, of)| *of).collect(),
            ];
            for lines in parts {
                let sum = |figure: fn(&Figures) -> i64| lines.iter().map(figure).sum::<i64>();
                let total = Figures {
                    spvs: sum(|of| of.spvs),
                    ordered_minor: sum(|of| of.ordered_minor),
                    invoiced_minor: sum(|of| of.invoiced_minor),
                    paid_minor: sum(|of| of.paid_minor),
                    commission_minor: sum(|of| of.commission_minor),
                };
                assert_eq!(total, account.total, "{history}");
            }
        }
        let file = finances::csv(ctx, picked, &asked).await.unwrap();
        let lines = csv(&file);
        let accounts = &found.accounts;
        assert_eq!(sum_by_currency(&lines, "ordered"), totals_by_currency(accounts, |f| f.ordered_minor), "{history}");
        assert_eq!(
            sum_by_currency(&lines, "invoiced"),
            totals_by_currency(accounts, |f| f.invoiced_minor),
            "{history}"
        );
        assert_eq!(sum_by_currency(&lines, "paid"), totals_by_currency(accounts, |f| f.paid_minor), "{history}");
        assert_eq!(
            sum_by_currency(&lines, "commission"),
            totals_by_currency(accounts, |f| f.commission_minor),
            "{history}"
        );
        let many: i64 = lines.iter().map(|line| line["spvs"].parse::<i64>().unwrap()).sum();
        assert_eq!(many, accounts.iter().map(|account| account.total.spvs).sum::<i64>(), "{history}");

        for report in Report::ALL {
            let wanted = ReportQuery { report, company_id: picked, asked: asked.clone() };
            let found = report_rows(ctx, &wanted).await;
            let totals = reports::totals(ctx, &wanted).await.unwrap();
            assert_eq!(totals.rows, found.len() as i64, "{} {history}", report.name());
            for sum in &totals.sums {
                for (column, amount) in &sum.amounts {
                    let by_rows = sum_by_currency(&found, column).get(sum.currency.code()).copied().unwrap_or(0);
                    assert_eq!(by_rows, *amount, "{} {column} {history}", report.name());
                }
            }
            let file = reports::first_page(ctx, &wanted).await.unwrap();
            assert_eq!(csv(&file.text), found, "{} {history}", report.name());
            match report {
                Report::Portfolio => {
                    assert_eq!(
                        sum_by_currency(&found, "amount"),
                        totals_by_currency(accounts, |f| f.ordered_minor),
                        "{history}"
                    );
                    if name == Period::AllTime {
                        assert_eq!(
                            sum_by_currency(&found, "invoiced"),
                            totals_by_currency(accounts, |f| f.invoiced_minor),
                            "{history}"
                        );
                        assert_eq!(
                            sum_by_currency(&found, "paid"),
                            totals_by_currency(accounts, |f| f.paid_minor),
                            "{history}"
                        );
                    }
                }
                Report::Commissions => {
                    assert_eq!(
                        sum_by_currency(&found, "amount"),
                        totals_by_currency(accounts, |f| f.commission_minor),
                        "{history}"
                    );
                }
                Report::StepTimes => {
                    let shown = analytics::get(ctx, picked, &asked).await.unwrap();
                    let steps: i64 = shown.steps.iter().map(|step| step.completed).sum();
                    assert_eq!(steps, totals.rows, "{history}");
                    let kept = found.iter().filter(|row| row["on_time"] == "yes").count() as i64;
                    assert_eq!(shown.on_time.kept, kept, "{history}");
                    for step in &shown.steps {
                        let mut days: Vec<f64> = found
                            .iter()
                            .filter(|row| row["step_name"] == step.name)
                            .map(|row| row["days"].parse().unwrap())
                            .collect();
                        days.sort_by(f64::total_cmp);
                        let middle = (days[(days.len() - 1) / 2] + days[days.len() / 2]) / 2.0;
                        assert!((middle - step.median_days).abs() < 0.11, "{middle} {step:?} {history}");
                        assert!((days[days.len() - 1] - step.longest_days).abs() < 0.01, "{step:?} {history}");
                    }
                    for total in [
                        shown.months.iter().map(|month| month.placed).sum::<i64>(),
                        shown.countries.iter().map(|(_, n)| n).sum(),
                        shown.statuses.iter().map(|(_, n)| n).sum(),
                    ] {
                        assert_eq!(total, shown.total, "{history}");
                    }
                }
            }
        }
    }
    // The overview counts all orders except cancelled ones.
    let overview = dashboards::company(ctx, picked, &PageQuery::default()).await.unwrap();
    let all = finances::get(ctx, picked, &period(Period::AllTime)).await.unwrap();
    let cards = overview.revenue.iter().map(|sum| (sum.currency.code().to_owned(), sum.minor));
    let cards: BTreeMap<_, _> = cards.filter(|(_, sum)| *sum != 0).collect();
    assert_eq!(cards, totals_by_currency(&all.accounts, |f| f.ordered_minor), "{history}");
    let shown = analytics::get(ctx, picked, &period(Period::AllTime)).await.unwrap();
    let cancelled = shown.statuses.iter().find(|(status, _)| *status == spvs::Status::Cancelled).map_or(0, |(_, n)| *n);
    assert_eq!(overview.total_spvs, shown.total - cancelled, "{history}");
}

/// A random history of orders, invoices and commissions.
#[tokio::test]
async fn pages_and_files_agree_after_any_history() {
    on_both(async |world| {
        let random = RandomSource::seeded(20_261_121);
        let company = world.company("Meridian").await;
        let other = world.company("Meridian Two").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let (client, first, _) = world.client("Maya", company, Some(iso)).await;
        let (stranger, ..) = world.client("Zoe", other, None).await;
        let sam = world.super_admin("Sam").await;
        let clara = world.company_admin("Clara", company).await;
        let mut orders = vec![first];
        let mut history = String::new();
        for n in 0..40 {
            let what = random.below(8);
            history.push_str(&format!("{what} "));
            let spv = orders[random.below(orders.len() as u64) as usize];
            match what {
                0..=2 => {
                    let currency = ["USD", "EUR", "JPY"][random.below(3) as usize];
                    let country = ["US", "AE", "SG"][random.below(3) as usize];
                    let iso = Some(iso).filter(|_| random.below(3) > 0);
                    let amount = (1 + random.below(90_000)).to_string();
                    orders.push(order(&sam, client, company, iso, [currency, &amount, country]).await.id);
                    // A similar order of another company is not counted.
                    order(&sam, stranger, other, None, [currency, &amount, country]).await;
                }
                3 => drop(spvs::cancel(&sam, spv, None, "Off").await),
                4 => {
                    if spvs::get(&sam, spv).await.unwrap().spv.status == spvs::Status::Pending {
                        close(&sam, spv).await;
                    }
                }
                5 | 6 => {
                    let filter = invoices::Filter { spv_id: Some(spv), ..Default::default() };
                    for invoice in invoices::list(&sam, &filter, &PageQuery::default()).await.unwrap().items {
                        let amount = ["0.01", "10.50", "99.99"][random.below(3) as usize].to_owned();
                        let typed = invoices::ManualPayment { amount: Some(amount), ..Default::default() };
                        drop(match what {
                            5 => invoices::pay(&sam, invoice.id, None, typed).await,
                            _ => invoices::void(&sam, invoice.id, None, "Off").await,
                        });
                    }
                }
                _ => {
                    world.clock.advance(Duration::days(random.below(40) as i64));
                }
            }
            if n % 13 == 12 {
                assert_consistent(&clara, company, &history).await;
            }
        }
        assert_consistent(&sam, company, &history).await;
        let statement =
            commissions::statement(&clara, None, "2026-01-01".parse().unwrap(), "2031-12-31".parse().unwrap());
        let statement = statement.await.unwrap();
        let all = finances::get(&clara, None, &period(Period::AllTime)).await.unwrap();
        let sums = statement.sums.iter().map(|sums| (sums.currency.code().to_owned(), sums.total_minor()));
        assert_eq!(
            sums.filter(|(_, n)| *n != 0).collect::<BTreeMap<_, _>>(),
            totals_by_currency(&all.accounts, |f| f.commission_minor)
        );
    })
    .await;
}

#[tokio::test]
async fn amounts_are_counted_in_the_month_of_their_date() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let (client, first, _) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        let clara = world.company_admin("Clara", company).await;
        let bought = order(&sam, client, company, Some(iso), ["USD", "1000", "AE"]).await;
        order(&sam, client, company, None, ["EUR", "70", "JP"]).await;
        world.clock.advance(Duration::days(20));
        pay(&sam, first, "250.00").await;
        close(&sam, bought.id).await;
        let found = finances::get(&clara, None, &DateRangeQuery::default()).await.unwrap();
        assert_eq!(found.accounts.len(), 2);
        let usd = &found.accounts[0];
        assert_eq!(usd.total.spvs, 2);
        assert_eq!(usd.total.ordered_minor, 225_000, "1,250.00 by its price and 1,000.00 by what it buys");
        assert_eq!((usd.total.invoiced_minor, usd.total.paid_minor, usd.due_minor), (134_999, 25_000, 109_999));
        assert_eq!(usd.total.commission_minor, 2_500);
        let months: Vec<_> =
            usd.months.iter().map(|(month, of)| (month.as_str(), of.ordered_minor, of.paid_minor)).collect();
        assert_eq!((months.len(), months[0], months[9]), (12, ("2026-01", 0, 0), ("2026-10", 0, 0)));
        assert_eq!(months[10..], [("2026-11", 225_000, 0), ("2026-12", 0, 25_000)]);
        assert_eq!(usd.partners.iter().map(|row| row.name.as_deref()).collect::<Vec<_>>(), [Some("Ingrid Test")]);
        let eur = &found.accounts[1];
        assert_eq!((eur.currency.code(), eur.total.ordered_minor, eur.partners[0].iso_id), ("EUR", 7_000, None));
        let december = finances::get(&clara, None, &period(Period::ThisMonth)).await.unwrap();
        assert_eq!(december.accounts[0].total.ordered_minor, 0);
        assert_eq!((december.accounts[0].total.paid_minor, december.accounts[0].due_minor), (25_000, 109_999));

        let shown = analytics::get(&clara, None, &DateRangeQuery::default()).await.unwrap();
        assert_eq!(shown.total, 3);
        let november = shown.months.iter().find(|month| month.month == "2026-11").unwrap();
        assert_eq!((november.placed, november.closed, november.cancelled), (3, 1, 0));
        let step = shown.steps.iter().find(|step| step.completed == 1 && step.median_days > 19.0).unwrap();
        assert_eq!((step.median_days, step.longest_days), (20.0, 20.0));
        assert!(shown.on_time.due > 0 && shown.on_time.percent().unwrap() < 100, "twenty days late for some");
        let empty = analytics::get(&clara, None, &period(Period::LastYear)).await.unwrap();
        assert_eq!((empty.total, empty.on_time.percent(), empty.months.len()), (0, None, 12));
    })
    .await;
}

fn schedule(report: &str, every: &str, recipients: Vec<UserId>) -> Input {
    Input {
        company_id: None,
        report: Some(report.to_owned()),
        period: Some("last_month".to_owned()),
        every: Some(every.to_owned()),
        recipients,
    }
}

#[tokio::test]
async fn only_the_company_and_super_admins_have_access() {
    on_both(async |world| {
        let (company, beta) = (world.company("Meridian").await, world.company("Meridian Beta").await);
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (_, _, maya) = world.client("Maya", company, Some(iso)).await;
        let (sam, elias) = (world.super_admin("Sam").await, world.employee("Elias").await);
        let clara = world.company_admin("Clara", company).await;
        let bella = world.company_admin("Bella", beta).await;
        let made = reports::create(&clara, schedule("portfolio", "weekly", vec![clara.actor.user_id().unwrap()])).await;
        let id = made.unwrap().id;
        let nobodys = Some(CompanyId(uuid::Uuid::nil()));
        for (who, picked, expected) in [
            (&bella, Some(company), "not_found"),
            (&clara, Some(beta), "not_found"),
            (&clara, nobodys, "not_found"),
            (&sam, nobodys, "not_found"),
            (&sam, None, "company_id required"),
            (&elias, Some(company), "forbidden"),
            (&ingrid, None, "forbidden"),
            (&maya, None, "forbidden"),
            (&world.anonymous(), Some(company), "unauthenticated"),
        ] {
            let asked = DateRangeQuery::default();
            let wanted = ReportQuery { report: Report::Portfolio, company_id: picked, asked: asked.clone() };
            assert_eq!(code(&finances::get(who, picked, &asked).await.unwrap_err()), expected);
            assert_eq!(code(&finances::csv(who, picked, &asked).await.unwrap_err()), expected);
            assert_eq!(code(&analytics::get(who, picked, &asked).await.unwrap_err()), expected);
            assert_eq!(code(&reports::page(who, &wanted, &PageQuery::default()).await.unwrap_err()), expected);
            assert_eq!(code(&reports::totals(who, &wanted).await.unwrap_err()), expected);
            assert_eq!(code(&reports::first_page(who, &wanted).await.unwrap_err()), expected);
            assert_eq!(code(&reports::all_rows(who, &wanted).await.unwrap_err()), expected);
            assert_eq!(code(&reports::list(who, picked).await.unwrap_err()), expected);
            assert_eq!(code(&reports::admins(who, picked).await.unwrap_err()), expected);
            let input = Input { company_id: picked, ..schedule("portfolio", "weekly", vec![]) };
            assert_eq!(code(&reports::create(who, input).await.unwrap_err()), expected);
        }
        for stranger in [&bella, &elias, &ingrid, &maya] {
            assert_eq!(code(&reports::get(stranger, id).await.unwrap_err()), "not_found");
            assert_eq!(code(&reports::update(stranger, id, None, Change::default()).await.unwrap_err()), "not_found");
            assert_eq!(code(&reports::delete(stranger, id).await.unwrap_err()), "not_found");
        }
        assert!(reports::list(&bella, None).await.unwrap().is_empty());
        assert!(finances::get(&bella, None, &period(Period::AllTime)).await.unwrap().accounts.is_empty());
        assert_eq!(reports::list(&sam, Some(company)).await.unwrap().len(), 1);
        // The log entries are visible to the company only.
        activity::sequence_all(&world.operator()).await.unwrap();
        for (who, heard) in [(&clara, true), (&bella, false), (&ingrid, false), (&maya, false)] {
            let found = activity::list(who, &activity::Filter::default(), &PageQuery::default()).await.unwrap();
            assert_eq!(found.items.iter().any(|row| row.action.starts_with("report_schedule")), heard);
        }
    })
    .await;
}

#[tokio::test]
async fn schedules_are_validated_updated_and_deleted() {
    on_both(async |world| {
        let (company, beta) = (world.company("Meridian").await, world.company("Beta").await);
        let clara = world.company_admin("Clara", company).await;
        let bella = world.company_admin("Bella", beta).await;
        let (ours, theirs) = (clara.actor.user_id().unwrap(), bella.actor.user_id().unwrap());
        for (input, expected) in [
            (Input::default(), "report required, every required, recipients required"),
            (schedule("gossip", "hourly", vec![ours]), "report unknown, every unknown"),
            (schedule("portfolio", "weekly", vec![theirs]), "recipients not_found"),
            (schedule("portfolio", "weekly", vec![ours; 2]), ""),
            (Input { period: Some("x".to_owned()), ..schedule("portfolio", "weekly", vec![ours]) }, "period unknown"),
        ] {
            let made = reports::create(&clara, input).await;
            assert_eq!(made.as_ref().map_or_else(code, |_| String::new()), expected);
        }
        let made = reports::list(&clara, None).await.unwrap().remove(0);
        assert_eq!((made.next_date.to_string().as_str(), made.recipients.len()), ("2026-11-23", 1));
        let monthly = Change { every: Some("monthly".to_owned()), ..Change::default() };
        let changed = reports::update(&clara, made.id, Some(1), monthly.clone()).await.unwrap();
        assert_eq!((changed.next_date.to_string().as_str(), changed.version), ("2026-12-01", 2));
        assert_eq!(changed.recipients, made.recipients);
        assert_eq!(code(&reports::update(&clara, made.id, Some(1), monthly).await.unwrap_err()), "stale");
        let nobody = Change { recipients: Some(vec![]), ..Change::default() };
        assert_eq!(code(&reports::update(&clara, made.id, None, nobody).await.unwrap_err()), "recipients required");
        assert_eq!(reports::can(&clara, &changed), ["update", "delete"]);
        reports::delete(&clara, made.id).await.unwrap();
        assert_eq!(code(&reports::delete(&clara, made.id).await.unwrap_err()), "not_found");
        assert!(reports::list(&clara, None).await.unwrap().is_empty());
    })
    .await;
}

/// Recipients of the queued report mails, sorted.
async fn mailed(world: &World) -> Vec<String> {
    let found = mails::list(&world.operator(), None, &PageQuery { limit: Some(500), cursor: None }).await.unwrap();
    let mut to: Vec<_> =
        found.items.into_iter().filter(|mail| mail.kind == Kind::Report).map(|mail| mail.to_name).collect();
    to.sort();
    to
}

#[tokio::test]
async fn scheduled_report_is_mailed_once_on_its_morning() {
    on_both(async |world| {
        let (company, beta) = (world.company("Meridian").await, world.company("Beta").await);
        let clara = world.company_admin("Clara", company).await;
        let sam = world.super_admin("Sam").await;
        let mut ids = vec![clara.actor.user_id().unwrap()];
        for name in ["Carl", "Cleo", "Cass"] {
            ids.push(world.company_admin(name, company).await.actor.user_id().unwrap());
        }
        let made = reports::create(&clara, schedule("commissions", "weekly", ids.clone())).await.unwrap();
        let job = world.as_actor(domain::Actor::System("reports.mail"));
        assert_eq!(reports::mail_due(&job).await.unwrap(), 0, "it is Saturday");
        assert_eq!(code(&reports::mail_due(&clara).await.unwrap_err()), "forbidden");
        world.clock.advance(Duration::hours(48));
        assert_eq!(reports::mail_due(&job).await.unwrap(), 0, "Monday, seven o'clock where the company is");
        world.clock.advance(Duration::hours(2));
        // Two concurrent workers.
        let both = futures::future::join(reports::mail_due(&job), reports::mail_due(&job)).await;
        assert_eq!(both.0.unwrap() + both.1.unwrap(), 4);
        assert_eq!(reports::mail_due(&job).await.unwrap(), 0);
        assert_eq!(mailed(&world).await, ["Carl Test", "Cass Test", "Clara Test", "Cleo Test"]);
        let mail = mails::list(&world.operator(), None, &PageQuery::default()).await.unwrap().items.remove(0);
        // The mail has names and dates but no amounts. The dates are those of the period when it was queued.
        let expected = json!({ "company": "Meridian", "company_id": company, "from": "2026-10-01", "period": "last_month",
            "report": "commissions", "schedule_id": made.id, "to": "2026-10-31" });
        assert_eq!(serde_json::to_value(&mail.data).unwrap(), expected);
        let next = reports::get(&clara, made.id).await.unwrap();
        assert_eq!((next.next_date.to_string().as_str(), next.last_sent_at), ("2026-11-30", Some(clara.now())));

        // Seven weeks without a server send one mail. Meanwhile one recipient was suspended, one changed company, one
        // changed role.
        let mut tx = world.db.begin().await.unwrap();
        use domain::kernel::db::Sql;
        tx.sql("update users set status = 'suspended' where id = $1").bind(ids[1]).run().await.unwrap();
        tx.sql("update users set company_id = $2 where id = $1").bind(ids[2]).bind(beta).run().await.unwrap();
        tx.sql("update users set role = 'employee' where id = $1").bind(ids[3]).run().await.unwrap();
        tx.commit().await.unwrap();
        world.clock.advance(Duration::days(50));
        assert_eq!(reports::mail_due(&job).await.unwrap(), 1);
        assert_eq!(mailed(&world).await, ["Carl Test", "Cass Test", "Clara Test", "Clara Test", "Cleo Test"]);
        let next = reports::get(&clara, made.id).await.unwrap();
        assert_eq!(next.next_date.to_string(), "2027-01-18");
        let gone: Vec<_> = next.recipients.iter().filter(|of| !of.may_see).map(|of| of.name.as_str()).collect();
        assert_eq!(gone, ["Carl Test", "Cass Test", "Cleo Test"]);

        // A queued mail is not sent to recipients who lost access.
        let waiting =
            mails::list(&world.operator(), None, &PageQuery { limit: Some(500), cursor: None }).await.unwrap();
        let mut sent = Vec::new();
        for mail in waiting.items.iter().filter(|mail| mail.kind == Kind::Report) {
            sent.extend(mail_delivery::load_for_sending(&job, mail.id).await.unwrap().map(|out| out.mail.to_name));
        }
        assert_eq!(sent, ["Clara Test", "Clara Test"]);

        // Archived companies get no reports.
        companies::archive(&sam, company, None).await.unwrap();
        world.clock.advance(Duration::days(30));
        assert_eq!(reports::mail_due(&job).await.unwrap(), 0);
    })
    .await;
}

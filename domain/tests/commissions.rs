//! Commission ledger: entries follow orders, payout runs pay each entry once, and every total equals the sum of the
//! entries.
use chrono::Duration;
use domain::{
    Ctx,
    directory::companies,
    kernel::{
        clock::RandomSource,
        date_range,
        ids::{CompanyId, IsoId, SpvId, UserId},
        page::PageQuery,
    },
    operations::recount,
    orders::{
        commissions::{self, Commission, Filter, Kind, Period, Status},
        onboarding, spvs, steps,
    },
    reporting::{dashboards, exports, finances},
    testing::{World, code, on_both},
};
use std::collections::BTreeMap;

/// A started order with a commission of `percent` of its purchase amount.
async fn order(ctx: &Ctx, client: UserId, company: CompanyId, iso: IsoId, amount: &str, percent: &str) -> SpvId {
    let input = onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        iso_id: Some(iso),
        purchase_amount: Some(amount.to_owned()),
        iso_commission_percentage: Some(percent.to_owned()),
        ..onboarding::OrderInput::default()
    };
    let spv = onboarding::create_order(ctx, input).await.unwrap().spv;
    spvs::start(ctx, spv.id, None).await.unwrap().spv.id
}

async fn close(ctx: &Ctx, spv: SpvId) {
    let ids: Vec<_> = spvs::get(ctx, spv).await.unwrap().steps.iter().map(|step| step.id).collect();
    let spv = steps::complete(ctx, spv, None, &ids).await.unwrap().spv;
    assert_eq!(spv.status, spvs::Status::Closed);
}

async fn list_entries(ctx: &Ctx, filter: &Filter) -> Vec<Commission> {
    let page = PageQuery { limit: Some(500), cursor: None };
    commissions::list(ctx, filter, &page).await.unwrap().items
}

#[tokio::test]
async fn closed_order_earns_and_cancelled_order_reverses_commission() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (client, first, maya) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        let clara = world.company_admin("Clara", company).await;
        assert!(list_entries(&ingrid, &Filter::default()).await.is_empty(), "an open order earns nothing");
        let overview = commissions::overview(&ingrid, None, Period::ThisMonth).await.unwrap();
        assert!(overview.projected && overview.cards.is_empty());
        assert_eq!(overview.expected[0].1, 5_000);

        close(&sam, first).await;
        let second = order(&sam, client, company, iso, "100.01", "2.5").await;
        close(&sam, second).await;
        let found = list_entries(&ingrid, &Filter::default()).await;
        let mut facts: Vec<_> = found.iter().map(|r| (r.amount_minor, r.rule.name(), r.rate, r.base_minor)).collect();
        facts.sort();
        assert_eq!(facts, [(250, "percent", Some(25_000), Some(10_001)), (5_000, "fixed", None, None)]);
        assert_eq!(list_entries(&clara, &Filter::default()).await, found);
        assert_eq!(
            code(&commissions::list(&maya, &Filter::default(), &PageQuery::default()).await.unwrap_err()),
            "forbidden"
        );

        // A reopened order keeps its entry pending: not approvable until closed, and not earned twice.
        let ids = |of: &[Commission]| of.iter().map(|row| row.id).collect::<Vec<_>>();
        commissions::approve(&sam, &ids(&found)).await.unwrap();
        spvs::reopen(&sam, second, None, "A name was wrong").await.unwrap();
        let held = list_entries(&sam, &Filter { spv_id: Some(second), ..Filter::default() }).await;
        assert_eq!(held[0].status, Status::Pending);
        let overview = commissions::overview(&ingrid, None, Period::ThisMonth).await.unwrap();
        assert!(overview.expected.is_empty(), "it is earned already: {:?}", overview.expected);
        assert_eq!(code(&commissions::approve(&sam, &ids(&held)).await.unwrap_err()), "order_not_closed");

        // Cancelling adds a negative entry beside the original.
        spvs::cancel(&sam, second, None, "The deal fell through").await.unwrap();
        let pair = list_entries(&sam, &Filter { spv_id: Some(second), ..Filter::default() }).await;
        assert_eq!(pair.len(), 2);
        assert_eq!(pair.iter().map(|r| r.amount_minor).sum::<i64>(), 0);
        assert!(pair.iter().any(|r| r.kind == Kind::Reversed && r.amount_minor == -250));
        for row in &pair {
            assert_eq!(code(&commissions::void(&sam, row.id, None, "No").await.unwrap_err()), "commission_reversed");
        }
        for row in &pair {
            assert_eq!(code(&commissions::approve(&sam, &[row.id]).await.unwrap_err()), "approve_together");
        }
        commissions::approve(&sam, &ids(&pair)).await.unwrap();

        // A discarded run has no bank file, and its entries are pending again.
        let run = commissions::open(&sam).await.unwrap();
        commissions::discard(&sam, run.run.id, None).await.unwrap();
        assert_eq!(code(&commissions::bank(&sam, run.run.id).await.unwrap_err()), "run_ended");
        let all = list_entries(&sam, &Filter::default()).await;
        assert!(all.iter().all(|row| row.status == Status::Pending));
        commissions::approve(&sam, &ids(&all)).await.unwrap();

        // One run pays the rest, once.
        let preview = commissions::preview(&sam).await.unwrap();
        assert_eq!(preview.len(), 1);
        assert_eq!(
            (preview[0].iso_name().as_str(), preview[0].amount_minor, preview[0].entries),
            ("Ingrid Test", 5_000, 3)
        );
        let run = commissions::open(&sam).await.unwrap();
        assert_eq!((run.payouts.len(), run.payouts[0].amount_minor, run.payouts[0].entries), (1, 5_000, 3));
        assert_eq!(run.run.name(), "PAY-2026-002");
        assert_eq!(code(&commissions::open(&sam).await.unwrap_err()), "nothing_approved");
        assert!(commissions::preview(&sam).await.unwrap().is_empty());
        let row = list_entries(&sam, &Filter::default()).await[0].id;
        assert_eq!(code(&commissions::void(&sam, row, None, "No").await.unwrap_err()), "commission_settled");
        let bank = commissions::bank(&sam, run.run.id).await.unwrap();
        assert!(bank.contains("Ingrid Test,ingrid@example.com,Meridian,,,,,,50.00,USD,PAY-2026-002 "), "{bank}");
        let future = commissions::pay(&sam, run.run.id, None, Some("2026-11-23")).await.unwrap_err();
        assert_eq!(code(&future), "paid_date future");
        commissions::pay(&sam, run.run.id, None, None).await.unwrap();
        assert_eq!(code(&commissions::pay(&sam, run.run.id, None, None).await.unwrap_err()), "run_ended");
        assert_eq!(code(&commissions::discard(&sam, run.run.id, None).await.unwrap_err()), "run_ended");
        let overview = commissions::overview(&ingrid, None, Period::ThisYear).await.unwrap();
        assert!(!overview.projected);
        let cards = overview.cards[0];
        assert_eq!((cards.total_minor, cards.paid_minor, cards.pending_minor, cards.next_minor), (5_000, 5_000, 0, 0));

        // Paid entries do not change: cancelling a paid order adds a negative entry.
        spvs::reopen(&sam, first, None, "Fraud").await.unwrap();
        spvs::cancel(&sam, first, None, "Fraud").await.unwrap();
        let owed = list_entries(&ingrid, &Filter { spv_id: Some(first), ..Filter::default() }).await;
        let states: Vec<_> = owed.iter().map(|r| (r.amount_minor, r.status)).collect();
        assert!(states.contains(&(5_000, Status::Paid)) && states.contains(&(-5_000, Status::Pending)), "{states:?}");
        commissions::approve(&sam, &ids(&owed.iter().filter(|r| r.amount_minor < 0).cloned().collect::<Vec<_>>()))
            .await
            .unwrap();
        // Neither opened nor previewed: the partner owes the office.
        assert!(commissions::preview(&sam).await.unwrap().is_empty());
        assert_eq!(
            code(&commissions::open(&sam).await.unwrap_err()),
            "nothing_approved",
            "a negative balance is not paid out"
        );
    })
    .await;
}

/// 01:30 UTC on the first is still the month before in New York, the company's time zone.
#[tokio::test]
async fn commission_month_uses_the_company_time_zone() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let sam = world.super_admin("Sam").await;
        let clara = world.company_admin("Clara", company).await;
        world.clock.advance(Duration::days(9) + Duration::minutes(13 * 60 + 30));
        assert_eq!(world.clock.now().to_rfc3339(), "2026-12-01T01:30:00+00:00");
        let (client, first, _) = world.client("Maya", company, Some(iso)).await;
        let second = order(&sam, client, company, iso, "1000", "1").await;
        for spv in [first, second] {
            assert_eq!(spvs::get(&sam, spv).await.unwrap().spv.ordered_date.to_string(), "2026-11-30");
            close(&sam, spv).await;
        }
        let earned = list_entries(&ingrid, &Filter::default()).await;
        assert!(earned.len() == 2 && earned.iter().all(|row| row.earned_date.to_string() == "2026-11-30"));
        let asked = || date_range::DateRangeQuery {
            period: Some("this_month".to_owned()),
            ..date_range::DateRangeQuery::default()
        };
        // Commission of this month from each source.
        let totals = async || {
            let (from, to) = commissions::days(&ingrid, None, Period::ThisMonth).await.unwrap();
            let statement = commissions::statement(&ingrid, None, from, to).await.unwrap();
            let overviews = [
                commissions::overview(&ingrid, None, Period::ThisMonth).await.unwrap(),
                commissions::overview(&sam, Some(iso), Period::ThisMonth).await.unwrap(),
                commissions::overview(&clara, None, Period::ThisMonth).await.unwrap(),
            ];
            let board = dashboards::iso(&ingrid).await.unwrap();
            let finances = finances::get(&clara, None, &asked()).await.unwrap();
            let mut all = vec![
                statement.sums.iter().map(commissions::Totals::total_minor).sum::<i64>(),
                board.monthly_commissions.iter().map(|sum| sum.minor).sum(),
                finances.accounts.iter().map(|account| account.total.commission_minor).sum(),
            ];
            all.extend(overviews.iter().map(|found| found.cards.iter().map(|cards| cards.total_minor).sum::<i64>()));
            all
        };
        assert_eq!(totals().await, [6_000; 6]);
        // Midnight in New York.
        world.clock.advance(Duration::minutes(3 * 60 + 30));
        assert_eq!(totals().await, [0; 6]);
        assert!(recount::diff(&world.db).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn overview_uses_the_company_currency() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let sam = world.super_admin("Sam").await;
        let euro = companies::SettingsInput { currency: Some("EUR".to_owned()), ..Default::default() };
        companies::set(&sam, company, None, euro).await.unwrap();
        assert_eq!(dashboards::iso(&ingrid).await.unwrap().currency.code(), "EUR");
        for (ctx, whose, currency) in [(&ingrid, None, "EUR"), (&sam, Some(iso), "EUR"), (&sam, None, "USD")] {
            let found = commissions::overview(ctx, whose, Period::ThisMonth).await.unwrap();
            assert_eq!(found.currency.code(), currency);
        }
    })
    .await;
}

#[tokio::test]
async fn only_staff_approve_void_and_pay() {
    on_both(async |world| {
        let (company, beta) = (world.company("Meridian").await, world.company("Beta").await);
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (_, igor) = world.iso("Igor", beta).await;
        let (_, spv, maya) = world.client("Maya", company, Some(iso)).await;
        let (sam, elias) = (world.super_admin("Sam").await, world.employee("Elias").await);
        let clara = world.company_admin("Clara", company).await;
        let bella = world.company_admin("Bella", beta).await;
        close(&sam, spv).await;
        let id = list_entries(&elias, &Filter::default()).await[0].id;
        for stranger in [&igor, &bella] {
            assert!(list_entries(stranger, &Filter::default()).await.is_empty());
            assert!(list_entries(stranger, &Filter { iso_id: Some(iso), ..Filter::default() }).await.is_empty());
            assert_eq!(code(&commissions::get(stranger, id).await.unwrap_err()), "not_found");
            assert_eq!(code(&commissions::void(stranger, id, None, "x").await.unwrap_err()), "not_found");
            assert_eq!(
                code(&commissions::overview(stranger, Some(iso), Period::ThisMonth).await.unwrap_err()),
                "not_found"
            );
        }
        for other in [&ingrid, &clara, &igor, &bella, &maya] {
            assert_eq!(code(&commissions::approve(other, &[id]).await.unwrap_err()), "forbidden");
            assert_eq!(code(&commissions::open(other).await.unwrap_err()), "forbidden");
            assert_eq!(code(&commissions::runs(other, &PageQuery::default()).await.unwrap_err()), "forbidden");
        }
        assert_eq!(code(&commissions::void(&ingrid, id, None, "x").await.unwrap_err()), "forbidden");
        assert_eq!(code(&commissions::get(&maya, id).await.unwrap_err()), "not_found");
        assert_eq!(code(&commissions::approve(&elias, &[]).await.unwrap_err()), "ids required");
        assert_eq!(code(&commissions::void(&elias, id, None, " ").await.unwrap_err()), "reason required");
        assert_eq!(code(&commissions::void(&elias, id, Some(7), "x").await.unwrap_err()), "stale");
        assert_eq!(commissions::overview(&elias, None, Period::ThisMonth).await.unwrap().cards[0].total_minor, 5_000);
        assert!(commissions::overview(&bella, None, Period::ThisMonth).await.unwrap().cards.is_empty());
        let backwards =
            commissions::statement(&ingrid, None, "2026-11-02".parse().unwrap(), "2026-11-01".parse().unwrap());
        assert_eq!(code(&backwards.await.unwrap_err()), "to before_from");
        let voided = commissions::void(&elias, id, None, "Agreed otherwise").await.unwrap();
        assert_eq!((voided.status, voided.reason.as_deref()), (Status::Void, Some("Agreed otherwise")));
        assert!(commissions::totals(&ingrid, &Filter::default()).await.unwrap().is_empty());
        assert_eq!(code(&commissions::approve(&elias, &[id]).await.unwrap_err()), "commission_settled");
    })
    .await;
}

#[tokio::test]
async fn pending_rows_of_reopened_orders_are_not_approved() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let (other, _) = world.iso("Ivan", company).await;
        let (client, first, maya) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        close(&sam, first).await;
        let taken_back = order(&sam, client, company, iso, "100.00", "10").await;
        let reopened = order(&sam, client, company, iso, "200.00", "10").await;
        let others = order(&sam, client, company, other, "300.00", "10").await;
        for spv in [taken_back, reopened, others] {
            close(&sam, spv).await;
        }
        spvs::reopen(&sam, taken_back, None, "The deal fell through").await.unwrap();
        spvs::cancel(&sam, taken_back, None, "The deal fell through").await.unwrap();
        spvs::reopen(&sam, reopened, None, "A name was wrong").await.unwrap();

        assert_eq!(code(&commissions::pending(&maya, None).await.unwrap_err()), "forbidden");
        let amounts = async |iso| {
            let pending = commissions::pending(&sam, iso).await.unwrap();
            let all: Vec<_> = pending.approvable.iter().chain(&pending.reopened).cloned().collect();
            let approved = commissions::approve_all(&sam, &all).await.unwrap();
            assert_eq!(approved.len(), pending.approvable.len());
            assert_eq!(pending.reopened.iter().map(|row| row.amount_minor).collect::<Vec<_>>(), [2_000]);
            let mut amounts: Vec<_> = approved.into_iter().map(|row| row.amount_minor).collect();
            amounts.sort_unstable();
            amounts
        };
        assert_eq!(amounts(Some(iso)).await, [-1_000, 1_000, 5_000]);
        assert_eq!(amounts(None).await, [3_000]);
        assert!(amounts(None).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn voided_commission_stays_void_after_reopening() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (client, _, _) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        let spv = order(&sam, client, company, iso, "1000", "10").await;
        let of = Filter { spv_id: Some(spv), ..Filter::default() };
        close(&sam, spv).await;
        let earned = list_entries(&ingrid, &of).await.remove(0);
        commissions::void(&sam, earned.id, None, "Agreed otherwise").await.unwrap();
        let again = async || {
            spvs::reopen(&sam, spv, None, "A name was wrong").await.unwrap();
            let step = spvs::get(&sam, spv).await.unwrap().steps.remove(0);
            let status = |name: &str| steps::Change { status: Some(name.to_owned()), ..steps::Change::default() };
            steps::update(&sam, step.id, None, status("in_progress")).await.unwrap();
            steps::update(&sam, step.id, None, status("completed")).await.unwrap();
        };
        again().await;
        again().await;
        let found = list_entries(&ingrid, &of).await;
        assert_eq!(
            found.iter().map(|row| (row.status, row.amount_minor)).collect::<Vec<_>>(),
            [(Status::Void, 10_000)]
        );
        spvs::reopen(&sam, spv, None, "Again").await.unwrap();
        spvs::cancel(&sam, spv, None, "The deal is off").await.unwrap();
        assert_eq!(list_entries(&ingrid, &of).await.len(), 1, "a void entry is not reversed");
        assert!(commissions::totals(&ingrid, &of).await.unwrap().is_empty());
    })
    .await;
}

/// Ten concurrent runs: each entry is in one run, each run is paid once.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_runs_pay_each_entry_once() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let sam = world.super_admin("Sam").await;
        for n in 0..3 {
            let (_, spv, _) = world.client(&format!("Maya{n}"), company, Some(iso)).await;
            close(&sam, spv).await;
        }
        let ids: Vec<_> = list_entries(&sam, &Filter::default()).await.iter().map(|row| row.id).collect();
        commissions::approve(&sam, &ids).await.unwrap();
        let attempts: Vec<_> = (0..10)
            .map(|_| {
                let sam = sam.clone();
                tokio::spawn(async move { commissions::open(&sam).await })
            })
            .collect();
        let mut runs = Vec::new();
        for one in attempts {
            match one.await.unwrap() {
                Ok(run) => runs.push(run),
                Err(e) => assert_eq!(code(&e), "nothing_approved"),
            }
        }
        let paid: i64 = runs.iter().flat_map(|run| &run.payouts).map(|payout| payout.amount_minor).sum();
        assert_eq!(paid, 15_000);
        let id = runs[0].run.id;
        let pays = futures::future::join_all((0..5).map(|_| commissions::pay(&sam, id, None, None))).await;
        assert_eq!(pays.iter().filter(|result| result.is_ok()).count(), 1);
    })
    .await;
}

/// Compares the totals by currency without void entries: entries, SQL sums, overview, statement and export.
async fn assert_consistent(ctx: &Ctx, iso: IsoId, history: &str) {
    for period in Period::ALL {
        let (from, to) = commissions::days(ctx, Some(iso), period).await.unwrap();
        let filter = Filter { iso_id: Some(iso), from: Some(from), to: Some(to), ..Filter::default() };
        let live = |found: &[Commission]| {
            let mut sums = BTreeMap::new();
            for row in found.iter().filter(|row| row.status != Status::Void) {
                *sums.entry(row.currency.code().to_owned()).or_insert(0) += row.amount_minor;
            }
            sums
        };
        let expected = live(&list_entries(ctx, &filter).await);
        let sums = commissions::totals(ctx, &filter).await.unwrap();
        let by_sums = sums.iter().map(|s| (s.currency.code().to_owned(), s.total_minor())).collect::<BTreeMap<_, _>>();
        assert_eq!(by_sums, expected, "{history}");
        let overview = commissions::overview(ctx, Some(iso), period).await.unwrap();
        assert!(overview.cards.iter().map(|cards| cards.currency.code()).eq(expected.keys()), "{history}");
        for cards in &overview.cards {
            assert_eq!(cards.total_minor, expected[cards.currency.code()], "{history}");
            assert_eq!(cards.paid_minor + cards.pending_minor, cards.total_minor, "{history}");
        }
        let statement = commissions::statement(ctx, Some(iso), from, to).await.unwrap();
        assert_eq!(live(&statement.rows), expected, "{history}");
        assert_eq!(statement.sums, sums, "{history}");
        let file = exports::first_page(ctx, &exports::Table::Commissions(filter)).await.unwrap();
        let mut by_file = BTreeMap::new();
        for line in file.text.lines().skip(1) {
            // Names in this test contain no commas.
            let cells: Vec<_> = line.split(',').collect();
            let currency: domain::kernel::money::Currency = cells[9].parse().unwrap();
            let (sign, digits) = cells[10].strip_prefix('-').map_or((1, cells[10]), |rest| (-1, rest));
            let minor = if cells[11] == "void" { 0 } else { currency.parse(digits).unwrap() };
            assert!(minor > 0 || digits.trim_matches(['0', '.']).is_empty(), "{line}");
            if cells[11] != "void" {
                *by_file.entry(cells[9].to_owned()).or_insert(0) += sign * minor;
            }
        }
        assert_eq!(by_file, expected, "{history}");
    }
}

/// Random histories: totals equal the sum of the entries, an order never earns more than its commission, and paid
/// entries never change.
#[tokio::test]
async fn totals_equal_the_sum_of_entries_after_any_history() {
    on_both(async |world| {
        for seed in [1, 20_261_121, 77] {
            let random = RandomSource::seeded(seed);
            let company = world.company(&format!("Meridian {seed}")).await;
            let (iso, partner) = world.iso(&format!("Ingrid{seed}"), company).await;
            let (client, ..) = world.client(&format!("Maya{seed}"), company, Some(iso)).await;
            let sam = world.super_admin(&format!("Sam{seed}")).await;
            let mut orders = Vec::new();
            let mut history = String::new();
            let mut paid: BTreeMap<_, i64> = BTreeMap::new();
            let of = Filter { iso_id: Some(iso), ..Filter::default() };
            for n in 0..45 {
                let pick = |len: usize| random.below(len as u64) as usize;
                let what = random.below(10);
                history.push_str(&format!("{what} "));
                match what {
                    0..=2 => {
                        let currency = ["USD", "EUR", "JPY"][pick(3)];
                        let input = onboarding::OrderInput {
                            client_id: Some(client),
                            company_id: Some(company),
                            iso_id: Some(iso),
                            custom_identifier: Some(format!("S{seed}-{n}")),
                            purchase_amount: Some(format!("{}", 1 + random.below(90_000))),
                            currency: Some(currency.to_owned()),
                            iso_commission_percentage: Some(format!("{}.{:04}", random.below(9), random.below(10_000))),
                            ..onboarding::OrderInput::default()
                        };
                        let spv = onboarding::create_order(&sam, input).await.unwrap().spv.id;
                        spvs::start(&sam, spv, None).await.unwrap();
                        close(&sam, spv).await;
                        orders.push(spv);
                    }
                    3 | 4 if !orders.is_empty() => {
                        drop(spvs::reopen(&sam, orders[pick(orders.len())], None, "Again").await);
                    }
                    5 if !orders.is_empty() => {
                        drop(spvs::cancel(&sam, orders[pick(orders.len())], None, "Off").await);
                    }
                    6 if !orders.is_empty() => {
                        let spv = orders[pick(orders.len())];
                        let found = spvs::get(&sam, spv).await.unwrap();
                        if found.spv.status == spvs::Status::Processing {
                            // Completes the last step again.
                            let step = found.steps.last().unwrap();
                            for status in ["in_progress", "completed"] {
                                let status = Some(status.to_owned());
                                steps::update(&sam, step.id, None, steps::Change { status, ..Default::default() })
                                    .await
                                    .unwrap();
                            }
                        }
                    }
                    7 => {
                        for spv in &orders {
                            let filter =
                                Filter { spv_id: Some(*spv), status: Some(Status::Pending), ..Filter::default() };
                            let mut ids: Vec<_> = list_entries(&sam, &filter).await.iter().map(|row| row.id).collect();
                            // Sometimes only a part, which is refused if it would split a pair.
                            ids.truncate(1 + pick(3));
                            if !ids.is_empty() && random.below(3) > 0 {
                                drop(commissions::approve(&sam, &ids).await);
                            }
                        }
                    }
                    8 => {
                        if let Ok(run) = commissions::open(&sam).await {
                            if random.below(3) == 0 {
                                commissions::discard(&sam, run.run.id, None).await.unwrap();
                            } else {
                                commissions::pay(&sam, run.run.id, None, None).await.unwrap();
                            }
                        }
                    }
                    _ => {
                        let found = list_entries(&sam, &of).await;
                        if !found.is_empty() {
                            drop(commissions::void(&sam, found[pick(found.len())].id, None, "Off").await);
                        }
                        world.clock.advance(chrono::Duration::days(random.below(20) as i64));
                    }
                }
                for row in list_entries(&sam, &of).await {
                    if row.status == Status::Paid {
                        assert_eq!(*paid.entry(row.id).or_insert(row.amount_minor), row.amount_minor, "{history}");
                    } else {
                        assert!(!paid.contains_key(&row.id), "{history}: a paid row moved");
                    }
                }
                if n % 5 == 0 {
                    assert_consistent(&partner, iso, &history).await;
                    assert_consistent(&sam, iso, &history).await;
                    let differing = recount::diff(&world.db).await.unwrap();
                    assert!(differing.is_empty(), "{history}: {differing:?}");
                }
            }
            for spv in orders {
                let order = spvs::get(&sam, spv).await.unwrap().spv;
                let found = list_entries(&sam, &Filter { spv_id: Some(spv), ..Filter::default() }).await;
                let net: i64 = found.iter().filter(|row| row.status != Status::Void).map(|row| row.amount_minor).sum();
                let most = order.iso_commission_minor.unwrap_or(0);
                assert!((0..=most).contains(&net), "{history}: {net} of {most}");
                if order.status == spvs::Status::Cancelled {
                    assert_eq!(net, 0, "{history}");
                }
            }
            assert_consistent(&partner, iso, &history).await;
        }
    })
    .await;
}

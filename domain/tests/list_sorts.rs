//! Sort orders of lists: reading a list page by page yields each row once and in order, for every order of every list.
use domain::{
    Ctx, Result,
    accounts::users::{self, UserSort},
    desk::requests::{self, RequestSort},
    directory::{
        calls::{self, CallSort},
        clients::{self, ClientSort},
        companies::{self, CompanySort, MemberSort},
        isos::{self, IsoSort},
        leads::{self, LeadSort},
    },
    kernel::page::{Order, Page, PageQuery, SortKey, Total},
    operations::seed,
    orders::{
        commissions::{self, CommissionSort},
        documents::{self, DocumentSort},
        invoices::{self, InvoiceSort},
        spvs::{self, SpvSort},
    },
    testing::{World, code, on_both},
};
use serde_json::Value;
use uuid::Uuid;

/// All rows in an order, in pages of `limit`.
async fn read_all<K: SortKey>(
    list: &impl AsyncFn(Order<K>, PageQuery) -> Result<Page<K::Row>>,
    order: Order<K>,
    limit: u32,
) -> Vec<K::Row> {
    let mut rows = Vec::new();
    let mut cursor = None;
    loop {
        let page = list(order, PageQuery { limit: Some(limit), cursor }).await.unwrap();
        assert!(page.items.len() <= limit as usize);
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return rows;
        }
    }
}

/// Whether `first` may come before `second`. Texts are left to the database, whose collation we do not know.
fn in_order(first: &Value, second: &Value, descending: bool) -> bool {
    let (Value::Array(first), Value::Array(second)) = (first, second) else { return false };
    for (one, two) in first.iter().zip(second) {
        if one == two {
            continue;
        }
        return match (one, two) {
            (Value::Number(one), Value::Number(two)) => (one.as_i64() > two.as_i64()) == descending,
            (Value::String(one), Value::String(two)) if is_time(one) && is_time(two) => (one > two) == descending,
            _ => true,
        };
    }
    true
}

fn is_time(text: &str) -> bool {
    text.get(..10).is_some_and(|date| date.parse::<chrono::NaiveDate>().is_ok())
}

/// Checks every order of one list; returns the number of its rows.
async fn check<K: SortKey>(
    name: &str,
    id: impl Fn(&K::Row) -> Uuid,
    list: impl AsyncFn(Order<K>, PageQuery) -> Result<Page<K::Row>>,
    total: impl Future<Output = Result<Total>>,
) -> usize {
    let mut expected: Option<Vec<Uuid>> = None;
    for key in K::ALL {
        let mut both = Vec::new();
        for order in [Order::ascending(*key), Order::descending(*key)] {
            let whole = read_all(&list, order, 500).await;
            let limit = if whole.len() > 300 { 97 } else { 3 };
            let ids: Vec<Uuid> = read_all(&list, order, limit).await.iter().map(&id).collect();
            assert_eq!(ids, whole.iter().map(&id).collect::<Vec<_>>(), "{name} by {}, in pages", order.name());
            let mut unique = ids.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), ids.len(), "{name} by {}: each row once", order.name());
            assert_eq!(&unique, expected.get_or_insert(unique.clone()), "{name} by {}: every row", order.name());
            let values: Vec<Value> = whole.iter().map(|row| key.values(row)).collect();
            for pair in values.windows(2) {
                assert!(in_order(&pair[0], &pair[1], order.descending), "{name} by {}: {pair:?}", order.name());
            }
            both.push(ids.into_iter().zip(values).collect::<Vec<_>>());
        }
        // The other direction is the reverse; rows without a value may come last in both.
        let has_null = |(_, values): &&(Uuid, Value)| values[0].is_null();
        for nulls in [true, false] {
            let of = |rows: &[(Uuid, Value)]| {
                rows.iter().filter(|row| has_null(row) == nulls).map(|(id, _)| *id).collect::<Vec<_>>()
            };
            let reversed: Vec<Uuid> = of(&both[1]).into_iter().rev().collect();
            assert_eq!(of(&both[0]), reversed, "{name} by {}", key.name());
        }
    }
    let expected = expected.unwrap_or_default();
    let total = total.await.unwrap();
    if total.exact {
        assert_eq!(total.rows as usize, expected.len(), "{name}: the total");
    }
    expected.len()
}

/// Checks the lists that `ctx` may read.
async fn check_all(ctx: &Ctx, staff: bool, partner: bool) {
    let of = |name: &str| format!("{name} of {}", ctx.actor_name());
    let filter = &spvs::Filter::default();
    let list = async |order, page| spvs::list(ctx, &spvs::Filter { order, ..filter.clone() }, &page).await;
    check::<SpvSort>(&of("orders"), |row| row.id.0, list, spvs::total(ctx, filter)).await;
    let filter = &clients::Filter::default();
    let list = async |order, page| clients::list(ctx, &clients::Filter { order, ..filter.clone() }, &page).await;
    check::<ClientSort>(&of("clients"), |row| row.id.0, list, clients::total(ctx, filter)).await;
    let filter = &companies::Filter::default();
    let list = async |order, page| companies::list(ctx, &companies::Filter { order, ..filter.clone() }, &page).await;
    check::<CompanySort>(&of("companies"), |row| row.id.0, list, companies::total(ctx, filter)).await;
    let filter = &isos::Filter::default();
    let list = async |order, page| isos::list(ctx, &isos::Filter { order, ..filter.clone() }, &page).await;
    check::<IsoSort>(&of("partners"), |row| row.id.0, list, isos::total(ctx, filter)).await;
    let filter = &invoices::Filter::default();
    let list = async |order, page| invoices::list(ctx, &invoices::Filter { order, ..filter.clone() }, &page).await;
    check::<InvoiceSort>(&of("invoices"), |row| row.id.0, list, invoices::total(ctx, filter)).await;
    let filter = &documents::Filter::default();
    let list = async |order, page| documents::list(ctx, &documents::Filter { order, ..filter.clone() }, &page).await;
    check::<DocumentSort>(&of("documents"), |row| row.id.0, list, documents::total(ctx, filter)).await;
    if staff || partner {
        let filter = &commissions::Filter::default();
        let list =
            async |order, page| commissions::list(ctx, &commissions::Filter { order, ..filter.clone() }, &page).await;
        check::<CommissionSort>(&of("commissions"), |row| row.id.0, list, commissions::total(ctx, filter)).await;
        let filter = &leads::Filter::default();
        let list = async |order, page| leads::list(ctx, &leads::Filter { order, ..filter.clone() }, &page).await;
        check::<LeadSort>(&of("leads"), |row| row.id.0, list, leads::total(ctx, filter)).await;
        let filter = &calls::Filter::default();
        let list = async |order, page| calls::list(ctx, &calls::Filter { order, ..filter.clone() }, &page).await;
        check::<CallSort>(&of("calls"), |row| row.id.0, list, calls::total(ctx, filter)).await;
    }
    if staff {
        let filter = &requests::Filter::default();
        let list = async |order, page| requests::list(ctx, &requests::Filter { order, ..filter.clone() }, &page).await;
        check::<RequestSort>(&of("requests"), |row| row.id.0, list, requests::total(ctx, filter)).await;
    }
}

/// Rows with equal dates, amounts and names, and some without a value.
/// Nine clients, each with the order of its setup, at 1,250 USD, and three more.
async fn fill(world: &World) {
    let operator = world.operator();
    let company = world.company("Meridian").await;
    let (iso, partner) = world.iso("Ingrid", company).await;
    for nth in 0..9 {
        let (client, ..) = world.client(&format!("Maya{nth}"), company, Some(iso)).await;
        for (price, vehicle) in [("100", Some("Okeanos")), ("100", None), ("250", Some("Aegir"))] {
            let input = domain::orders::onboarding::OrderInput {
                client_id: Some(client),
                company_id: Some(company),
                purchase_amount: Some(price.to_owned()),
                price: Some(price.to_owned()),
                currency: Some(["USD", "EUR"][nth % 2].to_owned()),
                vehicle_name: vehicle.map(str::to_owned),
                ..Default::default()
            };
            domain::orders::onboarding::create_order(&operator, input).await.unwrap();
        }
        let input = leads::Input {
            first_name: ["Lena", "Lars"][nth % 2].to_owned(),
            last_name: "Berg".to_owned(),
            email: format!("lead{nth}@example.com"),
            next_step: Some("Call".to_owned()),
            next_step_date: (nth % 3 > 0).then(|| format!("2026-12-0{}", nth % 3)),
            ..Default::default()
        };
        leads::create(&partner, input).await.unwrap();
    }
}

#[tokio::test]
async fn pages_of_a_sorted_list_yield_each_row_once_and_in_order() {
    on_both(async |world| {
        // More orders than are sorted: longer lists are read by the index of their order.
        let load = seed::BenchmarkSize { orders: 2_200, companies: Some(3), isos: Some(2) };
        seed::insert_benchmark_data(&world.operator(), load, |_| true).await.unwrap();
        fill(&world).await;
        let sigrid = world.super_admin("Sigrid").await;
        let company = companies::list(&sigrid, &Default::default(), &PageQuery::default()).await.unwrap().items;
        let company = company.iter().find(|company| company.name.contains("Meridian")).unwrap().id;
        let clara = world.company_admin("Clara", company).await;
        let (_, ingrid) = world.iso("Astrid", company).await;
        let (_, _, maya) = world.client("Zoe", company, None).await;
        let common = spvs::Filter { q: Some("example".to_owned()), ..Default::default() };
        let capped = spvs::total(&sigrid, &common).await.unwrap();
        assert_eq!((capped.rows, capped.exact, capped.sums), (2_000, false, Vec::new()), "without sums of a part");
        check_all(&sigrid, true, false).await;
        check_all(&clara, false, false).await;
        check_all(&ingrid, false, true).await;
        check_all(&maya, false, false).await;
        let query = users::UserQuery::default();
        let list = async |order, page: PageQuery| {
            Ok(users::page(&sigrid, &users::UserQuery { order, ..query.clone() }, &page).await?.page)
        };
        let total = async {
            let page = users::page(&sigrid, &query, &PageQuery::default()).await?;
            Ok(page.total)
        };
        assert!(check::<UserSort>("users", |row| row.id.0, list, total).await > 500);
        let filter = companies::MemberFilter::default();
        let list = async |order, page: PageQuery| {
            companies::members(&clara, company, &companies::MemberFilter { order, ..filter.clone() }, &page).await
        };
        let total = companies::total_members(&clara, company, &filter);
        check::<MemberSort>("members", |row| row.id.0, list, total).await;
    })
    .await;
}

#[tokio::test]
async fn sums_of_a_list_are_by_currency() {
    on_both(async |world| {
        fill(&world).await;
        let sigrid = world.super_admin("Sigrid").await;
        let due = invoices::total(&sigrid, &invoices::Filter::default()).await.unwrap();
        let amounts: Vec<(&str, i64)> = due.sums.iter().map(|(currency, minor)| (currency.code(), *minor)).collect();
        assert_eq!((due.rows, due.exact), (36, true));
        assert_eq!(amounts, [("EUR", 4 * 45_000), ("USD", 5 * 45_000 + 9 * 125_000)]);
        let overdue = invoices::Filter { due: Some(invoices::Due::Overdue), ..Default::default() };
        assert_eq!(invoices::total(&sigrid, &overdue).await.unwrap(), Total { exact: true, ..Total::default() });
        world.clock.advance(chrono::Duration::days(15));
        let late = invoices::list(&sigrid, &overdue, &PageQuery::default()).await.unwrap().items;
        assert_eq!(late.len(), 36);
        assert_eq!(invoices::total(&sigrid, &overdue).await.unwrap().rows, 36);
    })
    .await;
}

#[tokio::test]
async fn cursor_of_another_order_is_rejected() {
    on_both(async |world| {
        fill(&world).await;
        let sigrid = world.super_admin("Sigrid").await;
        let by = |order| spvs::Filter { order, ..Default::default() };
        let first = PageQuery { limit: Some(2), cursor: None };
        let cursor = spvs::list(&sigrid, &by(Order::ascending(SpvSort::Amount)), &first).await.unwrap().next_cursor;
        let next = PageQuery { limit: Some(2), cursor };
        for order in [Order::descending(SpvSort::Amount), Order::ascending(SpvSort::OrderedDate)] {
            let error = spvs::list(&sigrid, &by(order), &next).await.unwrap_err();
            assert_eq!(code(&error), "cursor invalid_cursor");
        }
        assert_eq!(Order::<SpvSort>::parse("-amount").unwrap(), Order::descending(SpvSort::Amount));
        let problem = Order::<SpvSort>::parse("price").unwrap_err();
        assert_eq!(problem.code, "unknown");
        assert_eq!(
            problem.params["allowed"],
            "-ordered_date, ordered_date, amount, -amount, vehicle_name, -vehicle_name"
        );
    })
    .await;
}

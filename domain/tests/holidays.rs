//! Public holidays: who corrects them, what is refused, and the due dates that follow.
use chrono::NaiveDate;
use domain::{
    Ctx,
    kernel::geo::Country,
    orders::{
        spvs,
        steps::{self, NewStep},
    },
    platform::holidays,
    testing::{code, on_both},
};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

async fn refusal(ctx: &Ctx, country: &str, on: &str, name: Option<&str>) -> String {
    code(&holidays::correct(ctx, country, on, name).await.unwrap_err())
}

#[tokio::test]
async fn super_admins_correct_holidays() {
    on_both(async |world| {
        let company = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", company, None).await;
        let (elias, sam) = (world.employee("Elias").await, world.super_admin("Sam").await);
        for ctx in [&elias, &maya] {
            assert_eq!(refusal(ctx, "US", "2026-11-23", Some("Office party")).await, "forbidden");
            assert!(holidays::list(ctx, Country::Us).await.unwrap().len() > 100);
        }
        assert_eq!(code(&holidays::list(&world.anonymous(), Country::Us).await.unwrap_err()), "unauthenticated");
        for (country, on, name, refused) in [
            ("", "", None, "country required, day required"),
            ("XX", "2026-11-23", Some("x"), "country unknown"),
            ("US", "23.11.2026", Some("x"), "day invalid_date"),
            ("US", "2026-11-23", Some(" "), "name required"),
        ] {
            assert_eq!(refusal(&sam, country, on, name).await, refused);
        }
        let long = "x".repeat(201);
        assert_eq!(refusal(&sam, "US", "2026-11-23", Some(&long)).await, "name too_long");
        let found = async |on: &str| {
            let all = holidays::list(&elias, Country::Us).await.unwrap();
            all.into_iter().find(|holiday| holiday.day == day(on)).map(|holiday| holiday.name)
        };
        let added = holidays::correct(&sam, "US", "2026-11-23", Some("Office party")).await.unwrap();
        assert_eq!(refusal(&sam, "US", "2026-11-23", Some("Another")).await, "holiday_corrected");
        let removed = holidays::correct(&sam, "US", "2026-11-26", None).await.unwrap();
        assert_eq!(found("2026-11-23").await, Some(Some("Office party".to_owned())));
        assert_eq!(found("2026-11-26").await, Some(None));
        assert_eq!(code(&holidays::restore(&elias, added.id).await.unwrap_err()), "forbidden");
        for correction in [added, removed] {
            holidays::restore(&sam, correction.id).await.unwrap();
            assert_eq!(code(&holidays::restore(&sam, correction.id).await.unwrap_err()), "not_found");
        }
        assert_eq!(found("2026-11-23").await, None);
        assert_eq!(found("2026-11-26").await, Some(Some("Thanksgiving Day".to_owned())));
    })
    .await;
}

/// Noon of the tests is Saturday, 21 November 2026.
#[tokio::test]
async fn due_dates_skip_the_holidays_of_the_orders_country() {
    on_both(async |world| {
        let company = world.company("Acme").await;
        let (_, id, _) = world.client("Maya", company, None).await;
        let sam = world.super_admin("Sam").await;
        assert_eq!(spvs::get(&sam, id).await.unwrap().spv.country, Country::Us);
        let due = async |business_days| {
            let new =
                NewStep { step_name: "Call".to_owned(), business_days: Some(business_days), ..NewStep::default() };
            let (step, _) = steps::add(&sam, id, new).await.unwrap();
            step.due_date.unwrap()
        };
        assert_eq!(due(3).await, day("2026-11-25"));
        assert_eq!(due(4).await, day("2026-11-27"), "the 26th is Thanksgiving");
        holidays::correct(&sam, "US", "2026-11-26", None).await.unwrap();
        holidays::correct(&sam, "US", "2026-11-23", Some("Office party")).await.unwrap();
        holidays::correct(&sam, "SG", "2026-11-24", Some("Elsewhere")).await.unwrap();
        assert_eq!((due(1).await, due(3).await), (day("2026-11-24"), day("2026-11-26")));
        // A new order of the template counts by them, too.
        let (_, next, _) = world.client("Nils", company, None).await;
        let first = spvs::get(&sam, next).await.unwrap().steps.remove(0);
        assert!(first.due_date.unwrap() > day("2026-11-23"));
    })
    .await;
}

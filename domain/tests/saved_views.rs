//! Saved views: each person has their own, in their own order, up to thirty of a list.
use domain::{
    Ctx,
    accounts::saved_views::{self, Change, Input, List, SavedView},
    testing::{World, code, on_both},
};

fn input(list: List, name: &str, query: &str) -> Input {
    Input { list, name: name.to_owned(), query: query.to_owned() }
}

async fn names(ctx: &Ctx, list: List) -> Vec<String> {
    let views = saved_views::list(ctx, list).await.unwrap();
    assert!(views.iter().enumerate().all(|(place, view)| view.position == place as i64), "{views:?}");
    views.into_iter().map(|view| view.name).collect()
}

async fn create(ctx: &Ctx, name: &str) -> SavedView {
    saved_views::create(ctx, input(List::Invoices, name, "due=overdue")).await.unwrap()
}

#[tokio::test]
async fn views_keep_their_order_when_one_is_moved_or_deleted() {
    on_both(async |world| {
        let elias = world.employee("Elias").await;
        let (first, second, third) =
            (create(&elias, "A").await, create(&elias, " B ").await, create(&elias, "C").await);
        saved_views::create(&elias, input(List::Spvs, "Elsewhere", "")).await.unwrap();
        assert_eq!(names(&elias, List::Invoices).await, ["A", "B", "C"]);
        let to = |position| Change { position: Some(position), ..Change::default() };
        saved_views::update(&elias, third.id, to(0)).await.unwrap();
        assert_eq!(names(&elias, List::Invoices).await, ["C", "A", "B"]);
        assert_eq!(saved_views::update(&elias, third.id, to(99)).await.unwrap().position, 2);
        let renamed = Change { name: Some("Late".to_owned()), query: Some("sort=-total".to_owned()), position: None };
        let view = saved_views::update(&elias, second.id, renamed).await.unwrap();
        assert_eq!((view.name.as_str(), view.query.as_str(), view.version), ("Late", "sort=-total", 2));
        saved_views::delete(&elias, first.id).await.unwrap();
        assert_eq!(names(&elias, List::Invoices).await, ["Late", "C"]);
        assert_eq!(names(&elias, List::Spvs).await, ["Elsewhere"]);
    })
    .await;
}

#[tokio::test]
async fn views_of_others_are_not_found() {
    on_both(async |world| {
        let (elias, olga) = (world.employee("Elias").await, world.employee("Olga").await);
        let view = create(&elias, "Mine").await;
        assert_eq!(names(&olga, List::Invoices).await, [""; 0]);
        let error = saved_views::update(&olga, view.id, Change::default()).await.unwrap_err();
        assert_eq!(code(&error), "not_found");
        assert_eq!(code(&saved_views::delete(&olga, view.id).await.unwrap_err()), "not_found");
        assert_eq!(names(&elias, List::Invoices).await, ["Mine"]);
        assert_eq!(code(&saved_views::list(&world.anonymous(), List::Spvs).await.unwrap_err()), "unauthenticated");
        assert_eq!(code(&saved_views::list(&world.operator(), List::Spvs).await.unwrap_err()), "forbidden");
    })
    .await;
}

#[tokio::test]
async fn more_than_thirty_views_of_a_list_are_refused() {
    on_both(async |world: World| {
        let elias = world.employee("Elias").await;
        for nth in 0..30 {
            create(&elias, &format!("View {nth}")).await;
        }
        let error = saved_views::create(&elias, input(List::Invoices, "One more", "")).await.unwrap_err();
        assert_eq!(code(&error), "too_many_views");
        saved_views::create(&elias, input(List::Spvs, "Another list", "")).await.unwrap();
    })
    .await;
}

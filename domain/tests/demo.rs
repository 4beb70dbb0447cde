//! The demo office: the same on both databases, and whole.
use domain::{
    counts,
    page::PageQuery,
    seed, spvs,
    testing::{World, on_both},
};
use std::sync::Mutex;

#[tokio::test]
async fn the_demo_office_is_the_same_everywhere_and_made_once() {
    let first: Mutex<Option<Vec<String>>> = Mutex::default();
    on_both(async |world: World| {
        let operator = world.operator();
        assert!(seed::demo(&operator).await.unwrap());
        let page = PageQuery { limit: Some(500), cursor: None };
        let orders = spvs::list(&operator, &spvs::Filter::default(), &page).await.unwrap().items;
        let mut told: Vec<String> = orders
            .iter()
            .map(|spv| {
                let (client, company, status) = (spv.client_name(), &spv.company_name, spv.status.name());
                let (price, done) = (spv.price_minor, spv.steps_completed);
                format!("{} {client} {company} {status} {price:?} {done} {:?}", spv.ordered_date, spv.closed_at)
            })
            .collect();
        told.sort();
        assert!(told.len() >= 150, "some hundred orders, not {}", told.len());
        for status in spvs::Status::ALL {
            assert!(orders.iter().any(|spv| spv.status == status), "none is {}", status.name());
        }
        let before = first.lock().unwrap().replace(told.clone());
        assert!(before.is_none_or(|before| before == told));
        let db = &mut world.db.clone();
        assert_eq!(counts::kept(db).await.unwrap(), counts::recount(db).await.unwrap());
        assert!(!seed::demo(&operator).await.unwrap());
    })
    .await;
}

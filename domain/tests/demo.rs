//! The demo office: the same on both databases, and whole.
use domain::{
    Ctx, Error,
    access::Role,
    activity, companies, counts,
    ctx::Options,
    page::PageQuery,
    requests, seed, spvs,
    testing::{World, on_both},
};
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn the_demo_office_is_the_same_everywhere_and_made_once() {
    let first: Mutex<Option<Vec<String>>> = Mutex::default();
    on_both(async |world: World| {
        let operator = world.operator();
        // Which its own people need not have.
        let options =
            Options { default_password: Some("First-Sign-In-2026".to_owned()), ..(*operator.options).clone() };
        let operator = Ctx { options: Arc::new(options), ..operator };
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
        let differing = counts::differ(db).await.unwrap();
        assert!(differing.is_empty(), "{differing:?}");
        let demo = companies::find(&operator, "Meridian Ventures").await.unwrap();
        let logo = companies::logo(&operator, demo.logo_id.expect("a logo")).await.unwrap();
        assert_eq!(logo.media_type, "image/png");
        // The figures of the specification, leads and calls of the partner among them.
        let statuses = requests::desk(&operator).await.unwrap().statuses;
        use requests::Status::{Approved, InReview, Pending, Rejected, Withdrawn};
        assert_eq!(statuses, [(Pending, 89), (InReview, 0), (Approved, 967), (Rejected, 191), (Withdrawn, 0)]);
        let mut of_partner = Vec::new();
        for kind in [requests::Kind::Lead, requests::Kind::Call] {
            let all = requests::Filter { kind: Some(kind), ..requests::Filter::default() };
            of_partner.extend(requests::list(&operator, &all, &page).await.unwrap().items);
        }
        assert_eq!(of_partner.iter().filter(|request| request.lead_id.is_some()).count(), 6);
        assert_eq!(of_partner.iter().filter(|request| request.call_id.is_some()).count(), 2);
        // However long ago a request was decided, the log has it, and the log holds.
        let oldest = requests::Filter {
            status: Some(requests::Status::Rejected),
            order: requests::ListOrder::Oldest,
            ..requests::Filter::default()
        };
        let one = PageQuery { limit: Some(1), cursor: None };
        let rejected = &requests::list(&operator, &oldest, &one).await.unwrap().items[0];
        let about = activity::Filter { subject_id: Some(rejected.id.0), ..activity::Filter::default() };
        let told = activity::list(&operator, &about, &page).await.unwrap().items;
        let told: Vec<&str> = told.iter().map(|row| row.action.as_str()).collect();
        assert_eq!(told, ["request.rejected", "request.created"]);
        activity::verify(&operator).await.unwrap();
        assert!(!seed::demo(&operator).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_demo_office_that_was_not_finished_is_said_to_be() {
    on_both(async |world: World| {
        let operator = world.operator();
        world.user(Role::Employee, "Employee", None, None).await;
        match seed::demo(&operator).await {
            Err(Error::Conflict(problem)) => assert_eq!(problem.code, "demo_unfinished"),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

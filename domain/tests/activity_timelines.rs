//! Activity timelines of a client, company or partner: their own entries and those of their orders, limited to what the
//! reader may see.
use domain::{
    Ctx,
    kernel::page::PageQuery,
    orders::{spvs, steps},
    platform::activity::{self, Activity, Filter},
    testing::{World, on_both},
};
use uuid::Uuid;

/// All entries of a subject, page by page.
async fn timeline(ctx: &Ctx, subject: Uuid) -> Vec<Activity> {
    let filter = Filter { subject_id: Some(subject), ..Filter::default() };
    let mut page = PageQuery { limit: Some(2), cursor: None };
    let mut rows: Vec<Activity> = Vec::new();
    loop {
        let found = activity::list(ctx, &filter, &page).await.unwrap();
        rows.extend(found.items);
        page.cursor = found.next_cursor;
        if page.cursor.is_none() {
            break;
        }
    }
    assert!(rows.is_sorted_by(|a, b| a.seq > b.seq), "newest first, each once");
    rows
}

fn actions(rows: &[Activity]) -> Vec<&str> {
    rows.iter().rev().map(|row| row.action.as_str()).collect()
}

#[tokio::test]
async fn timeline_includes_order_entries_the_reader_may_see() {
    on_both(async |world: World| {
        let (sigrid, elias) = (world.super_admin("Sigrid").await, world.employee("Elias").await);
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (maya, order, as_maya) = world.client("Maya", company, Some(iso)).await;
        let (noah, ..) = world.client("Noah", company, None).await;
        let clara = world.company_admin("Clara", company).await;
        let elsewhere = world.company("Meridian Two").await;
        let (igor, as_igor) = world.iso("Igor", elsewhere).await;
        let (ada, foreign, as_ada) = world.client("Ada", elsewhere, Some(igor)).await;
        for order in [order, foreign] {
            spvs::hold(&sigrid, order, None, "The bank asks").await.unwrap();
            spvs::resume(&sigrid, order, None).await.unwrap();
            let step = spvs::get(&elias, order).await.unwrap().steps[0].id;
            // An internal note.
            let note = steps::Change { text_data: Some("Ask the bank".to_owned()), ..steps::Change::default() };
            steps::update(&elias, step, None, note).await.unwrap();
        }
        activity::sequence_all(&world.operator()).await.unwrap();

        let seen = timeline(&elias, maya.0).await;
        let all = actions(&seen);
        for action in ["client.created", "spv.created", "spv.held", "step.updated"] {
            assert_eq!(all.iter().filter(|one| **one == action).count(), 1, "{action} of {all:?}");
        }
        assert!(seen.iter().all(|row| row.subject_id == Some(maya.0) || row.spv_id == Some(order)), "{all:?}");
        let seen = timeline(&elias, company.0).await;
        let all = actions(&seen);
        assert_eq!(all.iter().filter(|one| **one == "spv.created").count(), 2, "Maya's and Noah's: {all:?}");
        assert!(all.contains(&"company.created") && all.contains(&"step.updated"), "{all:?}");
        assert!(seen.iter().all(|row| row.spv_id != Some(foreign)), "{all:?}");
        let seen = timeline(&elias, iso.0).await;
        let all = actions(&seen);
        assert_eq!(all.iter().filter(|one| **one == "spv.created").count(), 1, "only Maya's: {all:?}");
        assert!(all.contains(&"iso.created") && all.contains(&"step.updated"), "{all:?}");

        // Others see public entries of their own clients and orders only.
        for (who, subject) in [
            (&as_maya, maya.0),
            (&clara, maya.0),
            (&ivan, maya.0),
            (&clara, company.0),
            (&clara, iso.0),
            (&ivan, iso.0),
        ] {
            let seen = timeline(who, subject).await;
            let all = actions(&seen);
            assert!(all.contains(&"spv.held") && !all.contains(&"step.updated"), "{all:?}");
            assert!(seen.iter().all(|row| row.public && row.spv_id != Some(foreign)), "{all:?}");
        }
        for (who, subject) in [
            (&as_ada, maya.0),
            (&as_ada, company.0),
            (&as_igor, maya.0),
            (&as_igor, iso.0),
            (&as_igor, company.0),
            (&as_maya, noah.0),
            (&ivan, noah.0),
            (&clara, ada.0),
            (&clara, igor.0),
            (&clara, elsewhere.0),
        ] {
            assert_eq!(actions(&timeline(who, subject).await), [""; 0]);
        }
    })
    .await;
}

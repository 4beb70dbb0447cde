//! Step plans: changes by staff, dependencies.

use crate::support::{TestUser, on_both};
use serde_json::{Value, json};

async fn steps(staff: &TestUser, spv: &str) -> Vec<Value> {
    staff.get(spv).await.ok()["steps"].as_array().unwrap().clone()
}

fn path(step: &Value) -> String {
    format!("/rest/v1/steps/{}", step["id"].as_str().unwrap())
}

#[tokio::test]
async fn step_plans_are_changed_by_staff_and_seen_by_all_parties() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let erin = app.employee("Erin").await;
        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let first = steps(&erin, &spv).await[0].clone();
        let plan = json!({ "step_name": "KYC of everybody", "owner": "staff", "due_date": "2026-12-24",
            "completes_with_documents": true });
        let planned = erin.patch(&path(&first), plan).if_match(1).await.ok();
        assert_eq!((&planned["due_date"], &planned["owner"]), (&json!("2026-12-24"), &json!("staff")));
        assert_eq!(planned["completes_with_documents"], true);
        assert_eq!(planned["spv"]["current_step"], "KYC of everybody", "it is the one that is next");
        let stale = erin.patch(&path(&first), json!({ "business_days": 1 })).if_match(1).await;
        stale.refused(409, "stale");
        // Saturday, 21 November: the third business day is a Wednesday.
        let soon = erin.patch(&path(&first), json!({ "business_days": 3 })).await.ok();
        assert_eq!(soon["due_date"], "2026-11-25");
        let seen = maya.get(&spv).await.ok();
        assert_eq!(seen["steps"][0]["due_date"], "2026-11-25");
        assert_eq!(seen["steps"][0]["can"], json!([]));
        let none = erin.patch(&path(&first), json!({ "due_date": null })).await.ok();
        assert_eq!(none["due_date"], Value::Null);
        for (wrong, field) in [
            (json!({ "due_date": "tomorrow" }), "due_date invalid_date"),
            (json!({ "business_days": -1 }), "business_days out_of_range"),
            (json!({ "business_days": 2, "due_date": "2026-12-24" }), "business_days not_allowed"),
            (json!({ "owner": "other" }), "owner unknown"),
            (json!({ "step_name": " " }), "step_name required"),
            (json!({ "step_name": "x".repeat(201) }), "step_name too_long"),
            (json!({ "depends_on": ["6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b"] }), "depends_on not_found"),
        ] {
            assert_eq!(erin.patch(&path(&first), wrong).await.fields(), [field]);
        }
    })
    .await;
}

#[tokio::test]
async fn steps_wait_for_their_dependencies() {
    on_both(|app| async move {
        let (maya, nils) = (app.client("Maya").await, app.client("Nils").await);
        let erin = app.employee("Erin").await;
        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let all = steps(&erin, &spv).await;
        let foreign = steps(&erin, &format!("/rest/v1/spvs/{}", nils.spv.unwrap())).await[0]["id"].clone();
        let needs =
            |ids: &[&Value]| json!({ "depends_on": ids.iter().map(|step| step["id"].clone()).collect::<Vec<_>>() });

        let waiting = erin.patch(&path(&all[2]), needs(&[&all[1], &all[0]])).await.ok();
        assert_eq!(waiting["depends_on"], json!([all[1]["id"], all[0]["id"]]));
        erin.patch(&path(&all[3]), needs(&[&all[2]])).await.ok();
        for (step, ids, field) in [
            (2, json!([all[2]["id"]]), "depends_on circle"),
            (0, json!([all[3]["id"]]), "depends_on circle"),
            (0, json!([foreign]), "depends_on not_found"),
            (4, json!([all[0]["id"], all[0]["id"]]), "depends_on twice"),
        ] {
            assert_eq!(erin.patch(&path(&all[step]), json!({ "depends_on": ids })).await.fields(), [field]);
        }
        for status in ["in_progress", "completed"] {
            let refused = erin.patch(&path(&all[2]), json!({ "status": status })).await.refused(409, "step_waits");
            let names = format!("{}, {}", all[0]["step_name"].as_str().unwrap(), all[1]["step_name"].as_str().unwrap());
            assert!(refused["message"].as_str().unwrap().contains(&names), "{refused}");
        }
        let blocked = json!({ "status": "blocked", "blocked_reason": "No stamp", "waiting_on": "client" });
        erin.patch(&path(&all[2]), blocked).await.ok();
        let together = format!("{spv}/steps/complete");
        erin.post(&together, json!({ "ids": [all[2]["id"]] })).await.refused(409, "step_waits");
        // It can be completed together with its dependency, in any order of the list.
        erin.patch(&path(&all[0]), needs(&[&all[4]])).await.ok();
        let ids = json!({ "ids": [all[0]["id"], all[1]["id"], all[2]["id"], all[4]["id"]] });
        assert_eq!(erin.post(&together, ids).await.ok()["progress"]["completed"], 4);
        let seen = maya.get(&spv).await.ok();
        assert_eq!(seen["steps"][3]["depends_on"], json!([all[2]["id"]]), "its client sees what comes first");
    })
    .await;
}

#[tokio::test]
async fn steps_are_added_reordered_and_deleted_while_pending() {
    on_both(|app| async move {
        let (maya, nils) = (app.client("Maya").await, app.client("Nils").await);
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let all = steps(&erin, &spv).await;
        let new = json!({ "step_name": "Apostille", "owner": "authority", "business_days": 5,
            "depends_on": [all[0]["id"]] });
        for (who, status) in [(&maya, 403), (&nils, 404)] {
            assert_eq!(who.post(&format!("{spv}/steps"), new.clone()).await.status, status);
            assert_eq!(who.post(&format!("{spv}/steps/order"), json!({ "ids": [] })).await.status, status);
            assert_eq!(who.delete(&path(&all[0])).await.status, status);
        }
        assert_eq!(erin.post(&format!("{spv}/steps"), json!({})).await.fields(), ["step_name required"]);
        let added = erin.post(&format!("{spv}/steps"), new.clone()).key("once").await.ok();
        let again = erin.post(&format!("{spv}/steps"), new).key("once").await.ok();
        assert_eq!((&added["id"], &added["step_order"]), (&again["id"], &json!(9)));
        // Five business days after Saturday the 21st, with Thanksgiving among them.
        assert_eq!((&added["due_date"], &added["depends_on"]), (&json!("2026-11-30"), &json!([all[0]["id"]])));
        assert_eq!(added["spv"]["progress"]["total"], 9);
        assert_eq!(added["can"], json!(["update", "delete"]));

        let mut ids: Vec<Value> = all.iter().map(|step| step["id"].clone()).collect();
        ids.insert(0, added["id"].clone());
        let order = format!("{spv}/steps/order");
        for (wrong, field) in [
            (ids[1..].to_vec(), "ids incomplete"),
            ([ids.clone(), vec![ids[0].clone()]].concat(), "ids twice"),
            ([ids.clone(), vec![json!("6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b")]].concat(), "ids not_found"),
        ] {
            assert_eq!(erin.post(&order, json!({ "ids": wrong })).await.fields(), [field]);
        }
        let sorted = erin.post(&order, json!({ "ids": ids })).await.ok();
        assert_eq!(sorted["current_step"], "Apostille");
        assert_eq!((&sorted["steps"][0]["id"], &sorted["steps"][1]["step_order"]), (&added["id"], &json!(2)));
        erin.post(&order, json!({ "ids": ids })).if_match(1).await.refused(409, "stale");
        assert_eq!(steps(&erin, &spv).await.iter().map(|s| s["id"].clone()).collect::<Vec<_>>(), ids);

        let gone = erin.delete(&path(&added)).await.ok();
        assert_eq!((&gone["progress"]["total"], &gone["current_step"]), (&json!(8), &all[0]["step_name"]));
        erin.get(&path(&added)).await.refused(404, "not_found");
        assert_eq!(steps(&erin, &spv).await[0]["step_order"], 1);
        erin.patch(&path(&all[0]), json!({ "status": "in_progress" })).await.ok();
        erin.delete(&path(&all[0])).await.refused(409, "step_not_pending");

        // Deleting the last open step closes the order.
        let done: Vec<_> = all[..7].iter().map(|step| step["id"].clone()).collect();
        erin.post(&format!("{spv}/steps/complete"), json!({ "ids": done })).await.ok();
        let closed = erin.delete(&path(&all[7])).await.ok();
        assert_eq!((&closed["status"], &closed["progress"]["percent"]), (&json!("closed"), &json!(100)));
        for staff in [&erin, &sam] {
            staff.post(&format!("{spv}/steps"), json!({ "step_name": "Late" })).await.refused(409, "wrong_status");
        }
        erin.post(&order, json!({ "ids": done })).await.refused(403, "forbidden");
        sam.post(&order, json!({ "ids": done })).await.ok();
    })
    .await;
}

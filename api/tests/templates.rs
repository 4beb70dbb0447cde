//! The work that orders begin with: read by the staff, changed by super admins.

use crate::support::on_both;
use serde_json::{Value, json};

fn step(name: &str, days: i64, documents: Value) -> Value {
    json!({ "step_name": name, "owner": "client", "business_days": days, "completes_with_documents": true,
        "documents": documents })
}

#[tokio::test]
async fn orders_begin_with_what_the_template_says_on_their_day() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let (path, spv) = (
            "/rest/v1/templates/SG",
            json!({ "client_id": maya.id, "company_id": app.acme,
            "purchase_amount": "1", "country": "SG" }),
        );
        let before = erin.post("/rest/v1/spvs", spv.clone()).await.ok();
        let old = erin.get(path).await.ok();
        assert_eq!((&old["version"], &old["can"]), (&json!(1), &json!([])));
        assert_eq!(sam.get(path).await.ok()["can"], json!(["update"]));
        let passport = json!([{ "name": "Passport", "instructions": "Certified", "required": true }, { "name": "CV" }]);
        let mut filing = step("Filing", 4, json!([]));
        filing["depends_on"] = json!([1]);
        let new = json!({ "name": "Private company", "steps": [step("Papers", 2, passport), filing] });
        erin.put(path, new.clone()).await.refused(403, "forbidden");
        maya.put(path, new.clone()).await.refused(403, "forbidden");
        maya.get(path).await.refused(403, "forbidden");
        maya.get("/rest/v1/templates").await.refused(403, "forbidden");
        let saved = sam.put(path, new.clone()).if_match(1).await.ok();
        assert_eq!((&saved["version"], &saved["updated_by"]), (&json!(2), &json!("Sam Test")));
        assert_eq!(saved["steps"][0]["documents"][0]["instructions"], "Certified");
        assert_eq!(saved["steps"][0]["documents"][1]["required"], false);
        assert_eq!(
            (&saved["steps"][0]["depends_on"], &saved["steps"][1]["depends_on"]),
            (&json!([]), &json!([1])),
            "by number"
        );
        sam.put(path, new).if_match(1).await.refused(409, "stale");
        assert_eq!(erin.get(path).await.ok()["steps"], saved["steps"], "as it was answered");

        let same = erin.get(&format!("/rest/v1/spvs/{}", before["id"].as_str().unwrap())).await.ok();
        assert_eq!(same["steps"].as_array().unwrap().len(), 8, "orders keep their steps");
        assert!(same["steps"].as_array().unwrap().iter().all(|one| one["depends_on"] == json!([])));
        let made = erin.post("/rest/v1/spvs", spv).await.ok();
        assert_eq!(made["progress"]["total"], 2);
        // Saturday, 21 November: the second business day is a Tuesday.
        assert_eq!(
            (&made["steps"][0]["due_date"], &made["steps"][0]["completes_with_documents"]),
            (&json!("2026-11-24"), &json!(true))
        );
        let (papers, filing) = (&made["steps"][0], &made["steps"][1]);
        assert_eq!((&papers["depends_on"], &filing["depends_on"]), (&json!([]), &json!([papers["id"]])));
        let begin = format!("/rest/v1/steps/{}", filing["id"].as_str().unwrap());
        erin.patch(&begin, json!({ "status": "in_progress" })).await.refused(409, "step_waits");
        let asked = maya.get(&format!("/rest/v1/spvs/{}/document-requests", made["id"].as_str().unwrap())).await.ok();
        let asked = asked["items"].as_array().unwrap();
        assert_eq!(asked.iter().map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>().len(), 2);
        assert!(asked.iter().all(|one| one["step_id"] == made["steps"][0]["id"] && one["due_date"] == "2026-11-24"));
        let letters = app.post().await;
        let about = letters.iter().filter(|letter| letter.kind == domain::mails::Kind::DocumentRequested);
        assert_eq!(about.count(), 1, "one mail about both");
        domain::activity::number_all(&app.world.operator()).await.unwrap();
        let history = sam.get("/rest/v1/activity?limit=100").await.ok();
        let event =
            history["items"].as_array().unwrap().iter().find(|one| one["action"] == "template.updated").unwrap();
        assert_eq!(event["data"]["was"]["steps"].as_array().unwrap().len(), 8, "what it was is kept");
        let hers = maya.get("/rest/v1/activity?limit=100").await.bytes;
        assert!(!String::from_utf8_lossy(&hers).contains("template.updated"));
    })
    .await;
}

#[tokio::test]
async fn a_template_that_makes_no_sense_is_refused_by_its_fields() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let path = "/rest/v1/templates/JP";
        assert_eq!(sam.put(path, json!({})).await.fields(), ["name required", "steps required"]);
        let steps = json!([
            { "step_name": " ", "owner": "other", "business_days": -1 },
            { "step_name": "Good", "owner": "staff", "business_days": 0, "documents": [{ "name": "" }] },
        ]);
        assert_eq!(
            sam.put(path, json!({ "name": "x".repeat(201), "steps": steps })).await.fields(),
            [
                "name too_long",
                "steps.0.step_name required",
                "steps.0.owner unknown",
                "steps.0.business_days out_of_range",
                "steps.1.documents.0.name required",
            ]
        );
        let many: Vec<Value> = (0..51).map(|n| step(&format!("{n}"), 1, json!([]))).collect();
        assert_eq!(sam.put(path, json!({ "name": "Many", "steps": many })).await.fields(), ["steps too_many"]);
        for (needs, fields) in [
            ([json!([]), json!([1]), json!([3])], vec!["steps.2.depends_on circle"]),
            ([json!([2]), json!([1]), json!([1])], vec!["steps.0.depends_on circle", "steps.1.depends_on circle"]),
            ([json!([3, 2]), json!([3, 3]), json!([])], vec!["steps.1.depends_on twice"]),
            ([json!([0]), json!([4]), json!([])], vec!["steps.0.depends_on not_found", "steps.1.depends_on not_found"]),
        ] {
            let after = |needs| {
                let mut step = step("One", 1, json!([]));
                step["depends_on"] = needs;
                step
            };
            let steps = needs.map(after);
            assert_eq!(sam.put(path, json!({ "name": "Circle", "steps": steps })).await.fields(), fields);
        }
        for nowhere in ["FR", "jp", "%20"] {
            sam.get(&format!("/rest/v1/templates/{nowhere}")).await.refused(404, "not_found");
        }
        assert_eq!(sam.get(path).await.ok()["version"], 1);
    })
    .await;
}

//! Step templates: read by staff, changed by super admins.

use crate::support::on_both;
use serde_json::{Value, json};

fn step(name: &str, days: i64, documents: Value) -> Value {
    json!({ "step_name": name, "owner": "client", "business_days": days, "completes_with_documents": true,
        "documents": documents })
}

#[tokio::test]
async fn orders_use_the_template_of_their_day() {
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
        let letters = app.deliver_mails().await;
        let about = letters.iter().filter(|letter| letter.kind == domain::outbox::mails::Kind::DocumentRequested);
        assert_eq!(about.count(), 1, "one mail about both");
        domain::platform::activity::sequence_all(&app.world.operator()).await.unwrap();
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
async fn invalid_templates_name_the_field() {
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

/// The values of a member in a list.
fn all(list: &Value, name: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|row| row[name].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn shipped_template_names_are_localized_and_stored_untranslated() {
    on_both(|app| async move {
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let maya = app.client("Maya").await;
        let english = sam.get("/rest/v1/templates").await.ok()["items"].clone();
        for person in [&maya, &sam] {
            person.patch("/rest/v1/me", json!({ "language": "es" })).await.ok();
        }
        let spv = maya.spv.unwrap().to_string();
        let asked = format!("/rest/v1/spvs/{spv}/document-requests");
        erin.post(&asked, json!({ "name": "Proof of address" })).await.ok();
        app.world.clock.advance(chrono::Duration::minutes(1));
        erin.post(&asked, json!({ "name": "Letter of the harbour" })).await.ok();
        let path = format!("/rest/v1/spvs/{spv}");
        let (hers, theirs) = (maya.get(&path).await.ok(), erin.get(&path).await.ok());
        assert_eq!(hers["steps"][0]["step_name"], "KYC y beneficiarios finales");
        assert_eq!(theirs["steps"][0]["step_name"], "KYC and beneficial owners");
        assert_eq!(hers["current_step"], "KYC y beneficiarios finales");
        assert_eq!(
            all(&maya.get(&asked).await.ok()["items"], "name"),
            ["Comprobante de domicilio", "Letter of the harbour"]
        );
        assert_eq!(all(&erin.get(&asked).await.ok()["items"], "name"), ["Proof of address", "Letter of the harbour"]);

        let first = theirs["steps"][0]["id"].as_str().unwrap();
        erin.patch(&format!("/rest/v1/steps/{first}"), json!({ "status": "in_progress" })).await.ok();
        domain::platform::activity::sequence_all(&app.world.operator()).await.unwrap();
        let feed = maya.get(&format!("/rest/v1/activity?spv_id={spv}")).await.ok().to_string();
        for (said, kept) in [("KYC y beneficiarios finales", "KYC and"), ("Comprobante de domicilio", "Proof of")] {
            assert!(feed.contains(said) && !feed.contains(kept), "{feed}");
        }
        let csv = String::from_utf8(sam.get("/rest/v1/spvs.csv").await.bytes.to_vec()).unwrap();
        assert!(csv.contains("KYC y beneficiarios finales"), "{csv}");

        // A response in Spanish, sent back, changes nothing.
        let spanish = sam.get("/rest/v1/templates/AE").await.ok();
        assert_eq!(spanish["name"], "Vehículo de propósito especial de ADGM");
        let mut steps = spanish["steps"].clone();
        for step in steps.as_array_mut().unwrap() {
            step.as_object_mut().unwrap().remove("step_order");
        }
        sam.put("/rest/v1/templates/AE", json!({ "name": spanish["name"], "steps": steps })).if_match(1).await.ok();
        let kept = erin.get("/rest/v1/templates").await.ok()["items"].clone();
        for (before, after) in english.as_array().unwrap().iter().zip(kept.as_array().unwrap()) {
            assert_eq!(
                (&before["name"], all(&before["steps"], "step_name")),
                (&after["name"], all(&after["steps"], "step_name"))
            );
        }
        let renamed = json!({ "step_name": "KYC y documentos de los accionistas" });
        sam.patch(&format!("/rest/v1/steps/{first}"), renamed).await.ok();
        assert_eq!(erin.get(&path).await.ok()["steps"][0]["step_name"], "KYC and shareholder documents");
        sam.patch(&format!("/rest/v1/steps/{first}"), json!({ "step_name": "Bendición del barco" })).await.ok();
        assert_eq!(erin.get(&path).await.ok()["steps"][0]["step_name"], "Bendición del barco", "an office's own");
    })
    .await;
}

//! Tasks of staff.

use crate::{documents::upload, support::on_both};
use serde_json::{Value, json};

#[tokio::test]
async fn assigned_steps_are_tasks_of_their_assignee() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let cora = app.company_admin("Cora", app.acme).await;
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let steps = erin.get(&spv).await.ok()["steps"].clone();
        let path = |n: usize| format!("/rest/v1/steps/{}", steps[n]["id"].as_str().unwrap());

        let given = sam.patch(&path(2), json!({ "assignee_id": erin.id })).await.ok();
        assert_eq!(given["assignee"]["id"], erin.id.to_string());
        assert_eq!(given["status"], "pending", "an assignment moves nothing");
        erin.patch(&path(1), json!({ "assignee_id": erin.id, "text_data": "mine" })).await.ok();
        let tasks = erin.get("/rest/v1/tasks").await.ok();
        let names: Vec<_> = tasks["items"].as_array().unwrap().iter().map(|task| task["step_name"].clone()).collect();
        assert_eq!(names, [steps[1]["step_name"].clone(), steps[2]["step_name"].clone()], "by due date");
        assert_eq!(tasks["items"][0]["client_id"], maya.id.to_string());
        assert_eq!(sam.get("/rest/v1/tasks").await.ok()["items"], json!([]));

        for (who, person) in [("its client", &maya), ("its ISO", &ivan), ("its company", &cora)] {
            assert_eq!(person.get(&path(2)).await.ok()["assignee"], Value::Null, "{who}");
            assert_eq!(person.get(&spv).await.ok()["steps"][2]["assignee"], Value::Null, "{who}");
            for closed in ["/rest/v1/tasks", "/rest/v1/staff", "/rest/v1/dashboards/performance"] {
                person.get(closed).await.refused(403, "forbidden");
            }
            let heard = person.get("/rest/v1/activity?limit=500").await;
            assert!(!String::from_utf8_lossy(&heard.bytes).contains("step.assigned"), "{who}");
        }
        for nobody in [maya.id, ivan.id, cora.id] {
            let refused = erin.patch(&path(3), json!({ "assignee_id": nobody })).await;
            assert_eq!(refused.fields(), ["assignee_id not_found"]);
        }

        erin.patch(&path(1), json!({ "status": "completed" })).await.ok();
        let taken = erin.patch(&path(2), json!({ "assignee_id": null })).await.ok();
        assert_eq!(taken["assignee"], Value::Null);
        assert_eq!(erin.get("/rest/v1/tasks").await.ok()["items"], json!([]));
        let staff = erin.get("/rest/v1/staff").await.ok();
        assert_eq!(staff["items"].as_array().unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn submitted_documents_are_tasks_of_the_steps_assignee() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let (erin, emil) = (app.employee("Erin").await, app.employee("Emil").await);
        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let steps = erin.get(&spv).await.ok()["steps"].clone();
        let step = steps[0]["id"].as_str().unwrap();
        erin.patch(&format!("/rest/v1/steps/{step}"), json!({ "assignee_id": erin.id })).await.ok();
        let mut asked = Vec::new();
        for (name, step, due) in [
            ("Passport", Some(step), "2020-01-02"),
            ("Photo", Some(step), "2020-01-01"),
            ("Address", None, "2020-01-01"),
        ] {
            let ask = json!({ "name": name, "step_id": step, "due_date": due });
            let request = erin.post(&format!("{spv}/document-requests"), ask).await.ok();
            let id = request["id"].as_str().unwrap().to_owned();
            asked.push(id);
        }
        let tasks = async |person: &crate::support::TestUser| {
            let found = person.get("/rest/v1/tasks").await.ok();
            let of = |task: &Value| format!("{} {}", task["kind"].as_str().unwrap(), task["name"].as_str().unwrap());
            found["items"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
        };
        let hers = format!("step {}", steps[0]["step_name"].as_str().unwrap());
        assert_eq!(tasks(&erin).await.join(", "), hers, "nothing has come yet");
        for id in &asked {
            upload(&maya, b"%PDF-1.4", &[("file_name", "scan.pdf"), ("request_id", id)]).await;
        }
        let all = ["document_request Photo".to_owned(), "document_request Passport".to_owned(), hers.clone()];
        assert_eq!(tasks(&erin).await, all, "by due date");
        assert_eq!(tasks(&emil).await, [] as [&str; 0]);
        // While the order is on hold nothing is decided.
        erin.post(&format!("{spv}/hold"), json!({ "reason": "Bank holiday" })).await.ok();
        assert_eq!(tasks(&erin).await.join(", "), hers);
        erin.post(&format!("{spv}/resume"), json!({})).await.ok();
        let status = async || maya.get("/rest/v1/documents").await.ok()["items"][0]["request_status"].clone();
        assert_eq!(status().await, "submitted");
        for id in &asked {
            erin.post(&format!("/rest/v1/document-requests/{id}/approve"), json!({})).await.ok();
        }
        assert_eq!(status().await, "approved");
        assert_eq!(tasks(&erin).await, [hers]);
    })
    .await;
}

#[tokio::test]
async fn assigned_requests_are_tasks_of_their_assignee() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let (erin, emil) = (app.employee("Erin").await, app.employee("Emil").await);
        let mut asked = Vec::new();
        for priority in ["low", "high"] {
            let ask = json!({ "kind": "support", "message": "Please help" });
            let made = maya.post("/rest/v1/requests", ask).await.ok();
            let path = format!("/rest/v1/requests/{}", made["id"].as_str().unwrap());
            erin.patch(&path, json!({ "priority": priority, "assignee_id": erin.id })).await.ok();
            asked.push((path, made["reference"].clone()));
        }
        let names = async |person: &crate::support::TestUser| {
            let found = person.get("/rest/v1/tasks").await.ok();
            found["items"].as_array().unwrap().iter().map(|task| task["name"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&erin).await, [asked[1].1.clone(), asked[0].1.clone()], "by due date");
        assert_eq!(names(&emil).await, [] as [Value; 0]);
        let tasks = erin.get("/rest/v1/tasks").await.ok();
        let first = &tasks["items"][0];
        assert_eq!((&first["kind"], &first["status"]), (&json!("request"), &json!("pending")));
        assert_eq!((&first["request_kind"], &first["request_subject"]), (&json!("support"), &json!("Please help")));
        assert_eq!((&first["client_name"], first["due_date"].is_string()), (&json!("Maya Test"), true));
        for field in ["spv_id", "spv_identifier", "client_id", "step_name"] {
            assert_eq!(first[field], Value::Null, "{field}");
        }
        erin.post(&format!("{}/reject", asked[1].0), json!({ "reason": "Answered by phone" })).await.ok();
        erin.patch(&asked[0].0, json!({ "assignee_id": emil.id })).await.ok();
        assert_eq!(names(&erin).await, [] as [Value; 0]);
        assert_eq!(names(&emil).await, [asked[0].1.clone()]);
    })
    .await;
}

#[tokio::test]
async fn performance_counts_done_and_overdue_steps() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let erin = app.employee("Erin").await;
        let card = async || erin.get("/rest/v1/dashboards/performance").await.ok();
        let empty = card().await;
        assert_eq!((&empty["on_time_percent"], &empty["completed"]), (&Value::Null, &json!(0)));
        let spv = erin.get(&format!("/rest/v1/spvs/{}", maya.spv.unwrap())).await.ok();
        for n in 0..2 {
            let path = format!("/rest/v1/steps/{}", spv["steps"][n]["id"].as_str().unwrap());
            erin.patch(&path, json!({ "status": "completed" })).await.ok();
        }
        let filled = card().await;
        assert_eq!((&filled["on_time_percent"], &filled["completed"]), (&json!(100), &json!(2)));
        assert!(filled["median_days"].as_f64().is_some_and(|days| days < 1.0), "{filled}");
        assert_eq!(filled["overdue"], 0);
    })
    .await;
}

#[tokio::test]
async fn bulk_completion_is_atomic() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nils = app.client("Nils").await;
        let erin = app.employee("Erin").await;
        let ids = async |spv: domain::kernel::ids::SpvId| {
            let order = erin.get(&format!("/rest/v1/spvs/{spv}")).await.ok();
            order["steps"].as_array().unwrap().iter().map(|step| step["id"].clone()).collect::<Vec<_>>()
        };
        let (hers, his) = (ids(maya.spv.unwrap()).await, ids(nils.spv.unwrap()).await);
        let path = format!("/rest/v1/spvs/{}/steps/complete", maya.spv.unwrap());
        assert_eq!(erin.post(&path, json!({})).await.fields(), ["ids required"]);
        erin.post(&path, json!({ "ids": [hers[0], his[0]] })).await.refused(404, "not_found");
        maya.post(&path, json!({ "ids": [hers[0]] })).await.refused(403, "forbidden");
        ivan.post(&path, json!({ "ids": [hers[0]] })).await.refused(403, "forbidden");
        nils.post(&path, json!({ "ids": [hers[0]] })).await.refused(404, "not_found");
        let order = erin.get(&format!("/rest/v1/spvs/{}", maya.spv.unwrap())).await.ok();
        assert_eq!(order["progress"]["completed"], 0, "nothing was written");

        let done = erin.post(&path, json!({ "ids": [hers[1], hers[0], hers[1]] })).await.ok();
        assert_eq!((&done["progress"]["completed"], &done["status"]), (&json!(2), &json!("processing")));
        let closed = erin.post(&path, json!({ "ids": hers })).await.ok();
        assert_eq!((&closed["progress"]["percent"], &closed["status"]), (&json!(100), &json!("closed")));
        let letters = app.deliver_mails().await;
        assert_eq!(letters.iter().filter(|letter| letter.kind == domain::outbox::mails::Kind::SpvClosed).count(), 1);
    })
    .await;
}

//! HTTP semantics of rows: version, URL, one row per `Idempotency-Key`, and fields visible to some roles only.

use crate::support::on_both;
use serde_json::{Value, json};

#[tokio::test]
async fn idempotency_key_creates_one_row() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let maya = app.client("Maya").await;
        for (path, body) in [
            ("companies", json!({ "name": "Twice", "business_name": "Twice LLC" })),
            (
                "isos",
                json!({ "first_name": "Twice", "last_name": "T", "email": "t1@example.com", "company_id": app.acme }),
            ),
            ("spvs", json!({ "client_id": maya.id, "company_id": app.acme, "purchase_amount": "1" })),
            (
                "clients",
                json!({ "setup": "quick", "first_name": "Twice", "last_name": "T", "email": "t2@example.com",
                    "company_id": app.acme, "price": "1" }),
            ),
        ] {
            let list = format!("/rest/v1/{path}?limit=500");
            let before = erin.get(&list).await.ok()["items"].as_array().unwrap().len();
            let send = || erin.post(&format!("/rest/v1/{path}"), body.clone()).key(&format!("key of {path}"));
            let first = send().await;
            let location = first.header("location").unwrap().to_owned();
            assert_eq!((first.status.as_u16(), first.etag().is_some()), (201, true));
            let second = send().await;
            assert_eq!((second.status.as_u16(), second.header("location")), (201, Some(location.as_str())));
            let at_once =
                futures::future::join_all((0..4).map(|_| {
                    erin.post(&format!("/rest/v1/{path}"), body.clone()).key(&format!("key of {path}")).open()
                }))
                .await;
            assert!(at_once.iter().all(|answer| answer.status() == 201));
            let after = erin.get(&list).await.ok()["items"].as_array().unwrap().len();
            assert_eq!(after, before + 1, "{path}");
            let row = erin.get(&location).await;
            assert_eq!(row.etag(), first.etag());

            let mut other = body.clone();
            other["phone"] = json!("555 0102");
            if path != "spvs" {
                let reused = erin.post(&format!("/rest/v1/{path}"), other).key(&format!("key of {path}")).await;
                reused.refused(409, "idempotency_key_reused");
            }
        }
        let request = json!({ "kind": "support", "name": "A", "email": "a@example.com", "message": "Hello" });
        let first = app.anonymous().post("/rest/v1/requests", request.clone()).key("contact").await.ok();
        let second = app.anonymous().post("/rest/v1/requests", request).key("contact").await.ok();
        assert_eq!(first["id"], second["id"]);

        let sam = app.super_admin("Sam").await;
        for (path, body) in [
            ("services", json!({ "country": "US", "name": "Twice LLC", "price": "1" })),
            ("holidays", json!({ "country": "US", "day": "2027-03-03", "name": "Twice" })),
            ("address-blocks", json!({ "network": "203.0.113.7" })),
        ] {
            let send = || sam.post(&format!("/rest/v1/{path}"), body.clone()).key(&format!("key of {path}"));
            let (first, second) = (send().await.ok(), send().await.ok());
            assert_eq!(first, second, "{path}");
        }
        // The setup above has sent mails too.
        app.deliver_mails().await;
        let order = maya.spv.unwrap().to_string();
        for (person, path, body) in [
            (&erin, "/functions/v1/send-notifications", json!({ "type": "welcome", "to": "maya@example.com" })),
            (
                &erin,
                "/functions/v1/notify-client-spv",
                json!({ "clientEmail": "maya@example.com", "spvIdentifier": &order[..8] }),
            ),
            (&sam, "/rest/v1/settings/test-mail", json!({})),
        ] {
            let first = person.post(path, body.clone()).key(path).await.ok();
            let second = person.post(path, body).key(path).await.ok();
            assert_eq!((first["id"].is_string(), &first["id"]), (true, &second["id"]), "{path}");
            app.only_mail().await;
        }

        let long = erin.post("/rest/v1/companies", json!({})).key(&"k".repeat(201)).await;
        assert_eq!(long.fields(), ["idempotency_key malformed"]);
    })
    .await;
}

#[tokio::test]
async fn job_list_pages_by_cursor() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        for _ in 0..5 {
            sam.post("/rest/v1/settings/test-mail", json!({})).await.ok();
        }
        for status in ["", "&status=pending", "&status=open"] {
            let ids = |page: &Value| -> Vec<String> {
                page["items"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect()
            };
            let (mut seen, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = sam.get(&format!("/rest/v1/jobs?limit=2{status}{cursor}")).await.ok();
                seen.extend(ids(&page));
                match page["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            let whole = sam.get(&format!("/rest/v1/jobs?limit=500{status}")).await.ok();
            assert!(seen.len() >= 5 && seen.is_sorted_by(|a, b| a > b), "{seen:?}");
            assert_eq!((seen, &whole["next_cursor"]), (ids(&whole), &Value::Null));
        }
        assert_eq!(sam.get("/rest/v1/jobs?cursor=nonsense").await.fields(), ["cursor invalid_cursor"]);
    })
    .await;
}

#[tokio::test]
async fn concurrent_requests_with_one_idempotency_key_create_one_row() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let body = json!({ "name": "Race", "business_name": "Race LLC" });
        let sent = futures::future::join_all((0..8).map(|_| {
            let asking = erin.post("/rest/v1/companies", body.clone()).key("race");
            tokio::spawn(asking.open())
        }))
        .await;
        for answer in sent {
            let status = answer.unwrap().status().as_u16();
            assert!(matches!(status, 201 | 409), "{status}");
        }
        let found = erin.get("/rest/v1/companies?q=race").await.ok();
        assert_eq!(found["items"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn clients_see_no_commissions_or_staff_notes() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let path = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let step = erin.get(&path).await.ok()["steps"][0]["id"].as_str().unwrap().to_owned();
        let change = json!({ "text_data": "passport looks odd", "status": "in_progress" });
        let changed = erin.patch(&format!("/rest/v1/steps/{step}"), change).await.ok();
        assert_eq!(
            (changed["text_data"].as_str(), changed["spv"]["status"].as_str()),
            (Some("passport looks odd"), Some("processing"))
        );

        let hers = maya.get(&path).await.ok();
        assert_eq!(hers["price"], "1250.00");
        for field in ["commission", "iso_commission", "iso_commission_percentage"] {
            assert_eq!(hers[field], Value::Null, "{field}");
        }
        assert_eq!((&hers["steps"][0]["text_data"], &hers["can"]), (&Value::Null, &json!(["upload"])));
        let his = ivan.get(&path).await.ok();
        assert_eq!((his["iso_commission"].as_str(), &his["steps"][0]["text_data"]), (Some("50.00"), &Value::Null));
        let staffs = erin.get(&path).await.ok();
        assert_eq!(
            (staffs["commission"].as_str(), staffs["steps"][0]["text_data"].as_str()),
            (Some("50.00"), Some("passport looks odd"))
        );
        let listed = maya.get("/rest/v1/spvs").await.ok();
        assert_eq!(listed["items"][0]["commission"], Value::Null);
        let board = maya.get("/rest/v1/dashboards/client").await.ok();
        assert_eq!(board["spvs"][0]["iso_commission"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn lists_page_by_cursor_within_the_scope() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (sam, bella) = (app.super_admin("Sam").await, app.company_admin("Bella", beta).await);
        for n in 0..5 {
            app.world.client(&format!("Client{n}"), app.acme, None).await;
        }
        app.world.client("Nora", beta, None).await;
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = sam.get(&format!("/rest/v1/spvs?limit=2{cursor}")).await.ok();
            seen.extend(page["items"].as_array().unwrap().iter().map(|spv| spv["id"].as_str().unwrap().to_owned()));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 6);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 6, "nothing twice");
        let hers = bella.get("/rest/v1/clients").await.ok();
        let names: Vec<_> =
            hers["items"].as_array().unwrap().iter().map(|c| c["first_name"].as_str().unwrap()).collect();
        assert_eq!(names, ["Nora"]);
        let none = bella.get(&format!("/rest/v1/spvs?company_id={}", app.acme)).await.ok();
        assert_eq!(none["items"], json!([]), "a filter never widens what is yours");
    })
    .await;
}

#[tokio::test]
async fn order_lifecycle_start_steps_complete() {
    on_both(|app| async move {
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let maya = app.client("Maya").await;
        let form =
            json!({ "client_id": maya.id, "company_id": app.acme, "purchase_amount": "250000", "country": "SG" });
        let made = erin.post("/rest/v1/spvs", form).await.ok();
        assert_eq!((made["status"].as_str(), made["progress"]["total"].as_i64()), (Some("pending"), Some(8)));
        let path = format!("/rest/v1/spvs/{}", made["id"].as_str().unwrap());
        let started = sam.post(&format!("{path}/start"), json!({})).await.ok();
        assert_eq!(started["status"], "processing");
        assert_eq!(erin.post(&format!("{path}/hold"), json!({ "reason": " " })).await.fields(), ["reason required"]);
        let held = erin.post(&format!("{path}/hold"), json!({ "reason": "bank holiday" })).await.ok();
        assert_eq!((held["status"].as_str(), held["status_reason"].as_str()), (Some("on_hold"), Some("bank holiday")));
        erin.post(&format!("{path}/resume"), json!({})).await.ok();
        for step in started["steps"].as_array().unwrap() {
            let done = erin
                .patch(&format!("/rest/v1/steps/{}", step["id"].as_str().unwrap()), json!({ "status": "completed" }));
            done.await.ok();
        }
        let closed = maya.get(&path).await.ok();
        assert_eq!((closed["status"].as_str(), closed["progress"]["percent"].as_i64()), (Some("closed"), Some(100)));
        sam.post(&format!("{path}/start"), json!({})).await.refused(409, "wrong_status");
    })
    .await;
}

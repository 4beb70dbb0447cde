//! Notification centre and preferences.

use crate::support::{TestApp, TestUser, on_both};
use domain::{outbox::notifications, platform::activity};
use serde_json::{Value, json};

async fn settle(app: &TestApp) {
    activity::sequence_all(&app.world.operator()).await.unwrap();
    notifications::process_pending(&app.world.operator()).await.unwrap();
}

async fn list(person: &TestUser, filter: &str) -> Vec<Value> {
    person.get(&format!("/rest/v1/notifications{filter}")).await.ok()["items"].as_array().unwrap().clone()
}

async fn unread(person: &TestUser) -> i64 {
    person.get("/rest/v1/notifications/unread").await.ok()["unread"].as_i64().unwrap()
}

#[tokio::test]
async fn notifications_are_per_user() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (erin, cora) = (app.employee("Erin").await, app.company_admin("Cora", app.acme).await);
        let (maya, nora) = (app.client_of("Maya", app.acme, Some(iso)).await, app.client("Nora").await);
        settle(&app).await;
        let spv = maya.spv.unwrap();
        erin.post("/rest/v1/messages", json!({ "spv_id": spv, "body": "for Maya alone" })).await.ok();
        erin.post("/rest/v1/messages", json!({ "spv_id": spv, "body": "SECRET", "internal": true })).await.ok();
        app.world.clock.advance(chrono::Duration::seconds(1));
        erin.post(&format!("/rest/v1/spvs/{spv}/hold"), json!({ "reason": "a holiday" })).await.ok();
        settle(&app).await;
        let actions = |items: &[Value]| -> Vec<String> {
            items.iter().map(|item| item["activity"]["action"].as_str().unwrap().to_owned()).collect()
        };
        let hers = list(&maya, "").await;
        assert_eq!(actions(&hers), ["spv.held", "message.sent"]);
        assert!(!Value::from(hers.clone()).to_string().contains("SECRET"));
        // The partner and the company are notified of the order only.
        for other in [&ivan, &cora] {
            assert_eq!(actions(&list(other, "").await), ["spv.held"]);
        }
        assert_eq!((list(&nora, "").await.len(), unread(&nora).await), (0, 0));

        // Another user's notification cannot be marked.
        let id = hers[0]["id"].as_str().unwrap();
        nora.post("/rest/v1/notifications/read", json!({ "ids": [id] })).await.ok();
        assert_eq!(unread(&maya).await, 2);
        maya.post("/rest/v1/notifications/read", json!({ "ids": [id] })).await.ok();
        assert_eq!((unread(&maya).await, list(&maya, "?unread=true").await.len()), (1, 1));
        maya.post("/rest/v1/notifications/read", json!({ "all": true })).await.ok();
        assert_eq!((unread(&maya).await, list(&maya, "").await.len()), (0, 2));
        assert_eq!(maya.post("/rest/v1/notifications/read", json!({})).await.fields(), ["ids required"]);
        app.anonymous().get("/rest/v1/notifications").await.refused(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn preferences_are_saved_for_the_roles_events_only() {
    on_both(|app| async move {
        let (_, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client("Maya").await;
        let path = "/rest/v1/me/notification-choices";
        let usual = maya.get(path).await.ok();
        let one = |event: &str, mail: &str| {
            json!({ "event": format!("messages.{event}"), "topic": "messages", "in_app": mail == "now", "mail": mail })
        };
        assert_eq!(usual["items"][0], one("message.sent", "now"));
        // A topic covers all of its events; one of them can be set separately.
        let choice = json!({ "event": "messages", "in_app": false, "mail": "daily" });
        let saved = maya.put(path, json!({ "choices": [choice] })).await.ok();
        assert_eq!(saved["items"][0], one("message.sent", "daily"));
        assert_eq!((&saved["items"][1], &saved["items"][2]), (&one("message.general", "daily"), &usual["items"][2]));
        let single = json!({ "event": "messages.message.general", "in_app": false, "mail": "off" });
        let saved = maya.put(path, json!({ "choices": [single] })).await.ok();
        assert_eq!(saved["items"][0], one("message.sent", "daily"));
        assert_eq!(saved["items"][1], one("message.general", "off"));
        assert_eq!(maya.get(path).await.ok(), saved);
        let topics = async |person: &TestUser| {
            let all = person.get(path).await.ok()["items"].as_array().unwrap().clone();
            let mut topics: Vec<String> = all.iter().map(|item| item["topic"].as_str().unwrap().to_owned()).collect();
            topics.dedup();
            topics
        };
        assert_eq!(topics(&ivan).await, ["progress", "requests"], "their orders and their requests");
        assert_eq!(topics(&maya).await.len(), 7);
        for event in ["messages", "messages.message.sent", "progress.step.updated", "messages.nothing", ""] {
            let foreign = json!({ "choices": [{ "event": event, "in_app": false, "mail": "daily" }] });
            assert_eq!(ivan.put(path, foreign).await.fields(), ["choices.0.event unknown"], "{event}");
        }
        let odd = json!({ "choices": [{ "event": "messages", "in_app": true, "mail": "hourly" }] });
        assert_eq!(maya.put(path, odd).await.status, 422);
    })
    .await;
}

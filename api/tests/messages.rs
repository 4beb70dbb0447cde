//! Conversations: scope, internal notes visible to staff only, unread counts.

use crate::support::{TestApp, TestUser, on_both};
use domain::platform::activity;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Writes a message, one second after the previous one.
async fn write(app: &TestApp, person: &TestUser, body: Value) -> Value {
    app.world.clock.advance(chrono::Duration::seconds(1));
    person.post("/rest/v1/messages", body).await.ok()
}

async fn threads(person: &TestUser, filter: &str) -> Vec<Value> {
    person.get(&format!("/rest/v1/threads{filter}")).await.ok()["items"].as_array().unwrap().clone()
}

async fn texts(person: &TestUser, thread: &str) -> Vec<String> {
    let page = person.get(&format!("/rest/v1/threads/{thread}/messages")).await.ok();
    page["items"].as_array().unwrap().iter().map(|message| message["body"].as_str().unwrap().to_owned()).collect()
}

async fn unread(person: &TestUser) -> (i64, i64) {
    let found = person.get("/rest/v1/threads/unread").await.ok();
    (found["threads"].as_i64().unwrap(), found["messages"].as_i64().unwrap())
}

/// Everything that a user's pages read, as one text.
async fn all_that_is_read_by(app: &TestApp, person: &TestUser, thread: &str) -> String {
    activity::sequence_all(&app.world.operator()).await.unwrap();
    let mut read = String::new();
    for path in [
        "/rest/v1/me".to_owned(),
        "/rest/v1/threads".to_owned(),
        "/rest/v1/threads?unread=true".to_owned(),
        "/rest/v1/threads/unread".to_owned(),
        format!("/rest/v1/threads/{thread}"),
        format!("/rest/v1/threads/{thread}/messages"),
        format!("/rest/v1/messages?thread_id={thread}"),
        "/rest/v1/activity?limit=500".to_owned(),
        format!("/rest/v1/activity?subject_id={thread}"),
        format!("/rest/v1/activity?spv_id={}", person.spv.unwrap()),
        "/rest/v1/dashboards/client".to_owned(),
        format!("/rest/v1/spvs/{}", person.spv.unwrap()),
    ] {
        read.push_str(&person.get(&path).await.ok().to_string());
        read.push('\n');
    }
    read
}

#[tokio::test]
async fn client_and_staff_exchange_messages() {
    on_both(|app| async move {
        let (erin, maya) = (app.employee("Erin").await, app.client("Maya").await);
        let spv = maya.spv.unwrap().to_string();
        let asked = write(&app, &maya, json!({ "spv_id": spv, "body": " When do you file?\n\nMaya " })).await;
        let thread = asked["thread_id"].as_str().unwrap();
        let answered = write(&app, &erin, json!({ "thread_id": thread, "body": "On Monday." })).await;
        assert_eq!(answered["thread_id"], thread);
        assert_eq!(answered["author"], json!({ "name": "Erin Test", "staff": true, "me": true }));
        assert_eq!(texts(&maya, thread).await, ["On Monday.", "When do you file?\n\nMaya"]);
        assert_eq!(threads(&maya, &format!("?spv_id={spv}")).await.len(), 1);
        // The same by the resource routes, in pages.
        let found = format!("/rest/v1/messages?thread_id={thread}");
        let whole = maya.get(&format!("/rest/v1/threads/{thread}/messages")).await.ok();
        assert_eq!(maya.get(&found).await.ok(), whole);
        let newest = maya.get(&format!("{found}&limit=1")).await.ok();
        let after = newest["next_cursor"].as_str().unwrap();
        let oldest = maya.get(&format!("{found}&limit=1&cursor={after}")).await.ok();
        assert_eq!((&newest["items"][0], &oldest["items"][0]), (&whole["items"][0], &whole["items"][1]));
        app.client("Nils").await.get(&found).await.refused(404, "not_found");

        // A client has one general conversation, addressed without a thread id.
        let first = write(&app, &maya, json!({ "body": "Hello" })).await;
        let general = first["thread_id"].as_str().unwrap();
        let second = write(&app, &erin, json!({ "client_id": maya.id, "body": "Hello Maya" })).await;
        assert_eq!(second["thread_id"], general);
        let hers = threads(&maya, "").await;
        assert_eq!(hers.iter().map(|t| t["id"].as_str().unwrap()).collect::<BTreeSet<_>>(), [thread, general].into());
        assert_eq!(hers[0]["last_message"]["author"], json!({ "name": "Erin Test", "staff": true, "me": false }));

        assert_eq!(maya.post("/rest/v1/messages", json!({ "body": " " })).await.fields(), ["body required"]);
        let both = json!({ "spv_id": spv, "client_id": maya.id, "body": "x" });
        assert_eq!(maya.post("/rest/v1/messages", both).await.fields(), ["thread_id not_allowed"]);
        assert_eq!(erin.post("/rest/v1/messages", json!({ "body": "x" })).await.fields(), ["client_id required"]);
        let nobody = json!({ "client_id": erin.id, "body": "x" });
        erin.post("/rest/v1/messages", nobody).await.refused(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn foreign_threads_return_404() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (erin, cora) = (app.employee("Erin").await, app.company_admin("Cora", app.acme).await);
        let (maya, nora) = (app.client_of("Maya", app.acme, Some(iso)).await, app.client("Nora").await);
        let sent = write(&app, &erin, json!({ "spv_id": maya.spv.unwrap(), "body": "for Maya alone" })).await;
        let general = write(&app, &maya, json!({ "body": "for the office alone" })).await;
        activity::sequence_all(&app.world.operator()).await.unwrap();
        for other in [&nora, &ivan, &cora] {
            for thread in [&sent["thread_id"], &general["thread_id"]] {
                let thread = thread.as_str().unwrap();
                other.get(&format!("/rest/v1/threads/{thread}")).await.refused(404, "not_found");
                other.get(&format!("/rest/v1/threads/{thread}/messages")).await.refused(404, "not_found");
                other.post(&format!("/rest/v1/threads/{thread}/read"), json!({})).await.refused(404, "not_found");
                let into = json!({ "thread_id": thread, "body": "me too" });
                other.post("/rest/v1/messages", into).await.refused(404, "not_found");
            }
            for body in
                [json!({ "spv_id": maya.spv.unwrap(), "body": "x" }), json!({ "client_id": maya.id, "body": "x" })]
            {
                other.post("/rest/v1/messages", body).await.refused(404, "not_found");
            }
            assert_eq!(threads(other, "").await, [] as [Value; 0]);
            assert_eq!(threads(other, &format!("?client_id={}", maya.id)).await, [] as [Value; 0]);
            assert_eq!(unread(other).await, (0, 0));
            other.get(&format!("/rest/v1/clients/{}/internal-notes", maya.id)).await.refused(404, "not_found");
            let log = other.get("/rest/v1/activity?limit=500").await.ok().to_string();
            assert!(!log.contains("message."), "{log}");
        }
        app.anonymous().get("/rest/v1/threads").await.refused(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn internal_notes_never_reach_clients() {
    on_both(|app| async move {
        let (erin, sam, maya) = (app.employee("Erin").await, app.super_admin("Sam").await, app.client("Maya").await);
        let spv = maya.spv.unwrap();
        // A conversation with nothing but notes does not exist for her.
        let hidden =
            write(&app, &erin, json!({ "client_id": maya.id, "body": "SECRET before all", "internal": true })).await;
        let path = format!("/rest/v1/threads/{}", hidden["thread_id"].as_str().unwrap());
        maya.get(&path).await.refused(404, "not_found");
        maya.get(&format!("{path}/messages")).await.refused(404, "not_found");
        assert_eq!(threads(&maya, "").await, [] as [Value; 0]);

        let said = write(&app, &erin, json!({ "spv_id": spv, "body": "Please sign." })).await;
        let thread = said["thread_id"].as_str().unwrap().to_owned();
        let before = all_that_is_read_by(&app, &maya, &thread).await;
        app.world.clock.advance(chrono::Duration::minutes(5));
        let note = json!({ "thread_id": thread, "body": "SECRET: she hesitates", "internal": true });
        assert_eq!(write(&app, &erin, note.clone()).await["internal"], true);
        let after = all_that_is_read_by(&app, &maya, &thread).await;
        assert_eq!(before, after, "a note changes nothing that a client can see");
        assert!(!after.contains("SECRET") && !after.contains("note."));
        maya.post("/rest/v1/messages", note).await.refused(403, "forbidden");
        for letter in app.deliver_mails().await {
            assert!(!format!("{letter:?}").contains("SECRET"));
        }

        // Staff get it, in the same fields.
        assert_eq!(texts(&sam, &thread).await, ["SECRET: she hesitates", "Please sign."]);
        assert_eq!(threads(&sam, "").await[0]["last_message"]["excerpt"], "SECRET: she hesitates");
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        let (hers, staffs) = (threads(&maya, "").await[0].clone(), threads(&sam, "").await[0].clone());
        assert_eq!(keys(&hers), keys(&staffs));
        assert_eq!((&hers["can"], &staffs["can"]), (&json!(["write"]), &json!(["write", "note"])));
    })
    .await;
}

#[tokio::test]
async fn staff_read_the_internal_notes_about_a_client() {
    on_both(|app| async move {
        let (erin, maya, nora) = (app.employee("Erin").await, app.client("Maya").await, app.client("Nora").await);
        let spv = maya.spv.unwrap().to_string();
        let note = |to: &str, id: &str, body: &str| json!({ to: id, "body": body, "internal": true });
        write(&app, &erin, note("client_id", &maya.id.to_string(), "Call in the mornings")).await;
        write(&app, &erin, note("spv_id", &spv, "Bank asks for a passport")).await;
        write(&app, &erin, json!({ "spv_id": spv, "body": "Please send your passport." })).await;
        write(&app, &erin, note("client_id", &nora.id.to_string(), "Another client")).await;

        let path = format!("/rest/v1/clients/{}/internal-notes", maya.id);
        let sam = app.super_admin("Sam").await;
        let first = sam.get(&format!("{path}?limit=1")).await.ok();
        let [newest] = first["items"].as_array().unwrap().as_slice() else { panic!("one note: {first}") };
        assert_eq!((&newest["body"], &newest["spv_id"]), (&json!("Bank asks for a passport"), &json!(spv)));
        assert_eq!(newest["author"], json!({ "name": "Erin Test", "staff": true, "me": false }));
        let rest = sam.get(&format!("{path}?limit=1&cursor={}", first["next_cursor"].as_str().unwrap())).await.ok();
        assert_eq!(rest["items"][0]["body"], "Call in the mornings");
        assert_eq!((&rest["items"][0]["spv_id"], &rest["next_cursor"]), (&Value::Null, &Value::Null));

        // A note does not mark what the client wrote as read.
        write(&app, &maya, json!({ "body": "When do you call?" })).await;
        write(&app, &erin, note("client_id", &maya.id.to_string(), "Called at nine")).await;
        assert_eq!(unread(&erin).await, (1, 1));

        maya.get(&path).await.refused(403, "forbidden");
        nora.get(&path).await.refused(404, "not_found");
        app.anonymous().get(&path).await.refused(401, "unauthenticated");
        erin.get(&format!("/rest/v1/clients/{}/internal-notes", sam.id)).await.refused(404, "not_found");
        assert_eq!(erin.get(&format!("{path}?cursor=x")).await.fields(), ["cursor invalid_cursor"]);
    })
    .await;
}

#[tokio::test]
async fn unread_counts_are_per_user() {
    on_both(|app| async move {
        let (erin, sam, maya) = (app.employee("Erin").await, app.super_admin("Sam").await, app.client("Maya").await);
        let asked = write(&app, &maya, json!({ "spv_id": maya.spv.unwrap(), "body": "One" })).await;
        write(&app, &maya, json!({ "spv_id": maya.spv.unwrap(), "body": "Two" })).await;
        write(&app, &maya, json!({ "body": "Three" })).await;
        assert_eq!((unread(&erin).await, unread(&sam).await, unread(&maya).await), ((2, 3), (2, 3), (0, 0)));
        let thread = asked["thread_id"].as_str().unwrap();
        erin.post(&format!("/rest/v1/threads/{thread}/read"), json!({})).await.ok();
        assert_eq!((unread(&erin).await, unread(&sam).await), ((1, 1), (2, 3)));
        assert_eq!(threads(&erin, "?unread=true").await.len(), 1);
        write(&app, &erin, json!({ "thread_id": thread, "body": "Answer" })).await;
        write(&app, &erin, json!({ "thread_id": thread, "body": "Note", "internal": true })).await;
        assert_eq!((unread(&erin).await, unread(&sam).await, unread(&maya).await), ((1, 1), (2, 5), (1, 1)));
        assert_eq!(threads(&maya, "").await[0]["unread"], 1);
        // Who answers has read the thread.
        write(&app, &sam, json!({ "thread_id": thread, "body": "Another" })).await;
        assert_eq!((unread(&sam).await, unread(&erin).await), ((1, 1), (2, 2)));
        write(&app, &maya, json!({ "thread_id": thread, "body": "Thanks" })).await;
        assert_eq!(unread(&maya).await, (0, 0));
    })
    .await;
}

#[tokio::test]
async fn concurrent_first_messages_create_one_thread() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let sent = (0..6).map(|n| {
            let asking = maya.post("/rest/v1/messages", json!({ "spv_id": maya.spv.unwrap(), "body": format!("{n}") }));
            tokio::spawn(async move { asking.await.ok()["thread_id"].as_str().unwrap().to_owned() })
        });
        let found: BTreeSet<String> =
            futures::future::join_all(sent.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(texts(&maya, found.first().unwrap()).await.len(), 6);
    })
    .await;
}

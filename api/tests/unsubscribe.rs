//! Unsubscribe links and mail failures.

use crate::support::{TestApp, on_both};
use axum::http::Method;
use domain::{
    Actor,
    accounts::mail_delivery,
    desk::messages::{self, Input},
    kernel::page::PageQuery,
    outbox::{
        mails::{self, Kind, Status},
        notifications,
    },
    platform::activity,
};
use serde_json::json;

/// The path and query of a link in notices for Maya, and Maya.
async fn link(app: &TestApp) -> (String, crate::support::TestUser) {
    let maya = app.client("Maya").await;
    let erin = app.world.employee("Erin").await;
    messages::send(&erin, Input { spv_id: maya.spv, body: "When?".to_owned(), ..Input::default() }).await.unwrap();
    activity::sequence_all(&app.world.operator()).await.unwrap();
    notifications::process_pending(&app.world.operator()).await.unwrap();
    app.world.clock.advance(notifications::READ_GRACE);
    let job = app.world.as_actor(Actor::System("mails"));
    assert!(notifications::send_immediate_mail(&job, maya.id).await.unwrap());
    let page = PageQuery { limit: Some(100), cursor: None };
    let queued = mails::list(&job, Some(Status::Queued), &page).await.unwrap().items;
    let mail = queued.iter().find(|mail| mail.kind == Kind::Notices).unwrap();
    let link = mail_delivery::load_for_sending(&job, mail.id).await.unwrap().unwrap().unsubscribe.unwrap();
    (link.strip_prefix(&job.options.public_url).unwrap().to_owned(), maya)
}

#[tokio::test]
async fn get_changes_nothing_and_post_unsubscribes() {
    on_both(async |app| {
        let (link, maya) = link(&app).await;
        let mailed_now = async || {
            let choices = maya.get("/rest/v1/me/notification-choices").await.ok();
            choices["items"]
                .as_array()
                .unwrap()
                .iter()
                .any(|c| c["event"] == "messages.message.sent" && c["mail"] == "now")
        };
        for method in [Method::GET, Method::HEAD] {
            let page = app.anonymous().ask(method, &link).open().await;
            assert_eq!(page.status(), 200);
        }
        assert!(mailed_now().await, "mail scanners open links");
        // As mail programs post (RFC 8058), and as a mail program retries.
        for _ in 0..2 {
            let form = app.anonymous().ask(Method::POST, &link).raw("List-Unsubscribe=One-Click");
            let done = form.header("content-type", "application/x-www-form-urlencoded").await.ok();
            assert_eq!(done, json!({ "kind": "notices" }));
        }
        assert!(!mailed_now().await);
        app.anonymous().post("/unsubscribe?token=unknown", json!({})).await.refused(404, "not_found");
        app.anonymous().post("/unsubscribe", json!({})).await.refused(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn mail_failures_are_shown_to_staff_only() {
    on_both(async |app| {
        let (acme, ivan) = (app.acme, app.iso("Ivan", app.acme).await);
        let maya = app.client_of("Maya", acme, Some(ivan.0)).await;
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let job = app.world.as_actor(Actor::System("mails"));
        erin.post(&format!("/rest/v1/clients/{}/invite", maya.id), json!({})).await;
        sam.post(&format!("/rest/v1/users/{}/invite", maya.id), json!({})).await;
        let page = PageQuery { limit: Some(100), cursor: None };
        let mails = mails::list(&job, None, &page).await.unwrap().items;
        let mail = mails.iter().find(|mail| mail.user_id == Some(maya.id)).unwrap();
        mails::mark_failed(&job, mail.id, "550 5.1.1 no such user", true).await.unwrap();
        for (who, path) in
            [(&erin, format!("/rest/v1/clients/{}", maya.id)), (&sam, format!("/rest/v1/users/{}", maya.id))]
        {
            let row = who.get(&path).await.ok();
            assert!(row["email_failure"]["at"].is_string(), "{row}");
            let said = (who.id == sam.id).then_some("550 5.1.1 no such user");
            assert_eq!(row["email_failure"]["reason"].as_str(), said, "{row}");
        }
        for (who, path) in [(&erin, "/rest/v1/clients"), (&sam, "/rest/v1/users?role=client")] {
            let rows = who.get(path).await.ok();
            assert!(rows["items"][0]["email_failure"]["at"].is_string(), "{rows}");
        }
        let seen = ivan.1.get(&format!("/rest/v1/clients/{}", maya.id)).await.ok();
        assert!(seen["email_failure"].is_null(), "{seen}");
    })
    .await;
}

//! Four eyes over HTTP: an act that waits answers 202 with its approval, on the auth admin routes an error.
use crate::support::{TestApp, TestUser, on_both};
use chrono::Duration;
use serde_json::{Value, json};

const APPROVALS: &str = "/rest/v1/approvals";

/// Sam, Susan, and four eyes switched on.
async fn super_admins(app: &TestApp) -> (TestUser, TestUser) {
    let both = (app.super_admin("Sam").await, app.super_admin("Susan").await);
    both.0.put("/rest/v1/settings", json!({ "four_eyes": { "enabled": true } })).await.ok();
    both
}

fn path(approval: &Value, act: &str) -> String {
    format!("{APPROVALS}/{}/{act}", approval["id"].as_str().unwrap())
}

#[tokio::test]
async fn act_that_waits_answers_202_and_is_carried_out_once_approved() {
    on_both(async |app: TestApp| {
        let (sam, susan) = super_admins(&app).await;
        let erin = app.employee("Erin").await;
        let role = format!("/rest/v1/users/{}/role", erin.id);
        let answer = sam.post(&role, json!({ "role": "super_admin" })).await;
        assert_eq!((answer.status.as_u16(), answer.etag()), (202, Some("\"1\"")));
        let asked = answer.ok();
        assert_eq!(
            (&asked["act"], &asked["status"], &asked["subject"], &asked["target_id"], &asked["can"]),
            (&json!("make_super_admin"), &json!("pending"), &json!("Erin Test"), &json!(erin.id), &json!(["withdraw"]))
        );
        assert_eq!(erin.get("/rest/v1/me").await.ok()["role"], "employee");

        let listed = susan.get(&format!("{APPROVALS}?status=pending")).await.ok();
        assert_eq!(listed["items"][0]["can"], json!(["approve", "decline"]));
        sam.post(&path(&asked, "approve"), json!({})).await.refused(403, "approval_own");
        susan.post(&path(&asked, "approve"), json!({})).if_match(3).await.refused(409, "stale");
        erin.post(&path(&asked, "approve"), json!({})).await.refused(404, "not_found");
        assert_eq!(erin.get(APPROVALS).await.ok()["items"], json!([]), "she has asked for nothing");
        let approved = susan.post(&path(&asked, "approve"), json!({})).if_match(1).await.ok();
        assert_eq!((&approved["status"], &approved["decided_by"]["name"]), (&json!("approved"), &json!("Susan Test")));
        // Her sessions ended with the role.
        erin.get("/rest/v1/me").await.refused(401, "unauthenticated");
        susan.post(&path(&asked, "approve"), json!({})).await.refused(409, "approval_ended");
    })
    .await;
}

#[tokio::test]
async fn invitations_settings_and_the_auth_admin_routes_wait() {
    on_both(async |app: TestApp| {
        let (sam, susan) = super_admins(&app).await;
        let nora =
            json!({ "first_name": "Nora", "last_name": "Lund", "email": "nora@example.com", "role": "super_admin" });
        let send = || sam.post("/rest/v1/users", nora.clone()).key("once");
        let (first, second) = (send().await, send().await);
        assert_eq!((first.status.as_u16(), second.status.as_u16()), (202, 202));
        let asked = first.ok();
        assert_eq!((&asked["email"], &second.ok()["id"]), (&json!("nora@example.com"), &asked["id"]));
        let declined = susan.post(&path(&asked, "decline"), json!({ "reason": "Not hers" })).await.ok();
        assert_eq!((&declined["status"], &declined["reason"]), (&json!("declined"), &json!("Not hers")));

        let rule = json!({ "four_eyes": { "enabled": true, "payout_limit": "12.5", "payout_currency": "EUR" } });
        let answer = sam.put("/rest/v1/settings", rule).await;
        assert_eq!(answer.status, 202);
        let asked = answer.ok();
        assert_eq!(asked["four_eyes"]["payout_limit"], "12.50");
        sam.post(&path(&asked, "withdraw"), json!({})).await.ok();
        let beside = json!({ "four_eyes": null, "support_phone": "+1 555 0100" });
        assert_eq!(sam.put("/rest/v1/settings", beside).await.fields(), ["four_eyes waits_alone"]);
        assert_eq!(susan.get("/rest/v1/settings").await.ok()["four_eyes"]["enabled"], true);
        let erin = app.employee("Erin").await;
        assert_eq!(erin.get("/rest/v1/settings").await.ok()["four_eyes"], Value::Null);

        // The protocol has no answer but the account or an error.
        let modern = |asking: crate::support::TestRequest| asking.header("x-supabase-api-version", "2024-01-01");
        let made = json!({ "email": "nils@example.com", "app_metadata": { "role": "super_admin" } });
        modern(sam.post("/auth/v1/admin/users", made.clone())).await.refused(409, "approval_pending");
        let role = json!({ "app_metadata": { "role": "super_admin" } });
        let admin_path = format!("/auth/v1/admin/users/{}", erin.id);
        modern(sam.put(&admin_path, role)).await.refused(409, "approval_pending");
        let waiting = susan.get(&format!("{APPROVALS}?status=pending")).await.ok();
        let acts: Vec<_> = waiting["items"].as_array().unwrap().iter().map(|one| one["act"].clone()).collect();
        assert!(acts.contains(&json!("create_super_admin")) && acts.contains(&json!("make_super_admin")), "{acts:?}");
        // Service tokens are not held up.
        let made = app.service().post("/auth/v1/admin/users", made).await.ok();
        assert_eq!(made["app_metadata"]["role"], "super_admin");
    })
    .await;
}

#[tokio::test]
async fn approval_needs_a_recent_proof() {
    on_both(async |app: TestApp| {
        let (sam, susan) = super_admins(&app).await;
        let erin = app.employee("Erin").await;
        let role = json!({ "role": "super_admin" });
        let asked = sam.post(&format!("/rest/v1/users/{}/role", erin.id), role).await.ok();
        app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        susan.post(&path(&asked, "approve"), json!({})).await.refused(409, "reauthentication_needed");
        let credential = json!({ "password": "correct horse battery staple" });
        let renewed = susan.post("/auth/v1/reauthenticate", credential).await.ok();
        susan.holding(&renewed).post(&path(&asked, "approve"), json!({})).await.ok();
    })
    .await;
}

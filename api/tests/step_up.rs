//! Step-up: acts with power over accounts and money need a proof of at most ten minutes.
use crate::support::{TestApp, TestUser, on_both};
use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const UNKNOWN: &str = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";

/// Each act with a body.
async fn acts(app: &TestApp) -> Vec<(Method, String, Value)> {
    let erin = app.employee("Erin").await.id;
    let susan = app.super_admin("Susan").await.id;
    let new =
        |role: &str| json!({ "first_name": "Nora", "last_name": "Lund", "email": "nora@example.com", "role": role });
    let users = "/rest/v1/users";
    vec![
        (Method::POST, users.to_owned(), new("super_admin")),
        (Method::POST, format!("{users}/{erin}/role"), json!({ "role": "super_admin" })),
        (Method::POST, format!("{users}/{susan}/role"), json!({ "role": "employee" })),
        (Method::POST, format!("{users}/{susan}/suspend"), json!({})),
        (Method::POST, format!("{users}/{susan}/archive"), json!({})),
        (Method::POST, format!("{users}/{erin}/reset-mfa"), json!({})),
        (Method::POST, format!("/rest/v1/payout-runs/{UNKNOWN}/pay"), json!({})),
        (Method::POST, "/auth/v1/admin/users".to_owned(), json!({ "email": "nils@example.com" })),
        (Method::PUT, format!("/auth/v1/admin/users/{erin}"), json!({ "user_metadata": { "note": "x" } })),
        (
            Method::POST,
            "/auth/v1/admin/generate_link".to_owned(),
            json!({ "type": "magiclink", "email": "nils@example.com" }),
        ),
        (Method::PUT, "/auth/v1/user".to_owned(), json!({ "email": "sam.two@example.com" })),
    ]
}

async fn code(user: &TestUser, (method, path, body): &(Method, String, Value)) -> String {
    let answer = user.ask(method.clone(), path).header("x-supabase-api-version", "2024-01-01").json(body).await;
    answer.body["code"].as_str().map_or_else(|| answer.status.as_u16().to_string(), str::to_owned)
}

#[tokio::test]
async fn a_stale_session_has_no_power_over_accounts_and_money() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        let acts = acts(&app).await;
        app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        for act in &acts {
            assert_eq!(code(&sam, act).await, "reauthentication_needed", "{} {}", act.0, act.1);
        }
        // The sign-in rules, too; the other settings and other work not.
        for rules in
            [json!({ "security": { "password_min_length": 14 } }), json!({ "require_mfa": { "employee": false } })]
        {
            sam.put("/rest/v1/settings", rules).await.refused(409, "reauthentication_needed");
        }
        sam.put("/rest/v1/settings", json!({ "support_phone": "+1 555 0100" })).await.ok();
        sam.post("/rest/v1/companies", json!({ "name": "Beta", "business_name": "Beta LLC" })).await.ok();

        let credential = json!({ "password": PASSWORD });
        let renewed = sam.post("/auth/v1/reauthenticate", credential).await.ok();
        let sam = sam.holding(&renewed);
        for act in &acts {
            assert_ne!(code(&sam, act).await, "reauthentication_needed", "{} {}", act.0, act.1);
        }
    })
    .await;
}

#[tokio::test]
async fn service_tokens_need_no_session() {
    on_both(async |app: TestApp| {
        app.world.clock.advance(Duration::hours(1));
        let made = app.service().post("/auth/v1/admin/users", json!({ "email": "nils@example.com" })).await.ok();
        assert_eq!(made["email"], "nils@example.com");
    })
    .await;
}

//! Step-up: acts with power over accounts and money need a proof of at most ten minutes.
use crate::support::{TestApp, TestRequest, TestUser, on_both, on_both_with};
use axum::http::Method;
use chrono::Duration;
use domain::testing::authenticator::Authenticator;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const ORIGIN: &str = "https://portal.example.com";
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
        (Method::DELETE, format!("/auth/v1/admin/users/{erin}/factors/{UNKNOWN}"), json!({})),
        (Method::DELETE, format!("/auth/v1/admin/users/{erin}/passkeys/{UNKNOWN}"), json!({})),
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

/// Enrolls a passkey as second factor: the factor and the session at aal2.
async fn enrolled(user: &TestUser) -> (String, TestUser) {
    let modern = |asking: TestRequest| asking.header("x-supabase-api-version", "2024-01-01");
    let body = json!({ "factor_type": "webauthn", "friendly_name": "Key" });
    let factor = modern(user.post("/auth/v1/factors", body)).await.ok()["id"].as_str().unwrap().to_owned();
    let challenge = modern(user.post(&format!("/auth/v1/factors/{factor}/challenge"), json!({}))).await.ok();
    let credential = Authenticator::new(ORIGIN).create(&challenge["webauthn"]["credential_options"]["publicKey"]);
    let body = json!({
        "challenge_id": challenge["id"],
        "webauthn": { "type": "create", "credential_response": credential },
    });
    let session = modern(user.post(&format!("/auth/v1/factors/{factor}/verify"), body)).await.ok();
    (factor, user.holding(&session))
}

/// Acts on one's own account that need more than a token. Identities are in `provider.rs`, as they need a provider.
fn own_acts(factor: &str) -> Vec<(Method, String, Value)> {
    let enroll = |kind: &str| json!({ "factor_type": kind, "friendly_name": "Thief" });
    vec![
        (Method::POST, "/auth/v1/factors".to_owned(), enroll("totp")),
        (Method::POST, "/auth/v1/factors".to_owned(), enroll("webauthn")),
        (Method::DELETE, format!("/auth/v1/factors/{factor}"), json!({})),
        (Method::POST, "/auth/v1/factors/recovery-codes".to_owned(), json!({})),
        (Method::POST, "/auth/v1/passkeys/registration/options".to_owned(), json!({})),
        (Method::DELETE, format!("/auth/v1/passkeys/{factor}"), json!({})),
        (Method::PUT, "/auth/v1/user".to_owned(), json!({ "email": "thief@example.com" })),
    ]
}

#[tokio::test]
async fn a_stolen_token_has_no_power_over_its_own_account() {
    let on_domain = |options: &mut domain::Options, http: &mut api::HttpConfig| {
        options.public_url = ORIGIN.to_owned();
        http.rate_limits = false;
    };
    on_both_with(on_domain, async |app: TestApp| {
        let maya = app.client("Maya").await;
        let (factor, maya) = enrolled(&maya).await;
        app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        let credential = json!({ "email": "maya@example.com", "password": PASSWORD });
        let by_password = app.anonymous().post("/auth/v1/token?grant_type=password", credential).await.ok();
        let aal1 = maya.holding(&by_password);
        app.deliver_all_mails().await;
        for act in own_acts(&factor) {
            assert_eq!(code(&maya, &act).await, "reauthentication_needed", "stale aal2: {} {}", act.0, act.1);
            let refused = code(&aal1, &act).await;
            assert!(["insufficient_aal", "mfa_required"].contains(&refused.as_str()), "{refused}: {} {}", act.0, act.1);
        }
        let password = json!({ "password": "chosen by a thief" });
        assert_eq!(
            code(&maya, &(Method::PUT, "/auth/v1/user".to_owned(), password)).await,
            "current_password_required"
        );
        assert!(app.deliver_all_mails().await.is_empty(), "nothing was changed");
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

#[tokio::test]
async fn a_new_password_without_the_old_one_is_no_proof() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        app.anonymous().post("/auth/v1/recover", json!({ "email": "sam@example.com" })).await.ok();
        let link = app.only_mail().await;
        let body = json!({ "type": "recovery", "token_hash": link.token });
        let session = app.anonymous().post("/auth/v1/verify", body).await.ok();
        let by_link = sam.holding(&session);
        let rules = |length: u32| json!({ "security": { "password_min_length": length } });
        by_link.put("/rest/v1/settings", rules(14)).await.ok();

        // The link allows a new password longer than it proves who opened it.
        app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        by_link.put("/rest/v1/settings", rules(15)).await.refused(409, "reauthentication_needed");
        by_link.put("/auth/v1/user", json!({ "password": "chosen by a thief" })).await.ok();
        by_link.put("/rest/v1/settings", rules(15)).await.refused(409, "reauthentication_needed");
        let body = json!({ "refresh_token": session["refresh_token"] });
        let refreshed = app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body).await.ok();
        let refreshed = by_link.holding(&refreshed);
        refreshed.put("/rest/v1/settings", rules(15)).await.refused(409, "reauthentication_needed");
        for act in acts(&app).await {
            assert_eq!(code(&refreshed, &act).await, "reauthentication_needed", "{} {}", act.0, act.1);
        }

        let proof = json!({ "password": "chosen by a thief" });
        let proved = refreshed.post("/auth/v1/reauthenticate", proof).await.ok();
        refreshed.holding(&proved).put("/rest/v1/settings", rules(15)).await.ok();
    })
    .await;
}

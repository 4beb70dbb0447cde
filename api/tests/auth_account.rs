//! `PUT /auth/v1/user`: password, email, metadata.

use crate::support::{TestApp, TestRequest, TestResponse, TestUser, on_both, on_both_with};
use chrono::Duration;
use domain::{accounts::auth::links::LinkKind, kernel::db::Sql, outbox::mails::Kind};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

async fn put(person: &TestUser, body: Value) -> TestResponse {
    modern(person.put("/auth/v1/user", body)).await
}

async fn verify(app: &TestApp, body: Value) -> TestResponse {
    modern(app.anonymous().post("/auth/v1/verify", body)).await
}

#[tokio::test]
async fn new_password_needs_old_password_code_or_fresh_link() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        put(&maya, json!({ "password": "a brand new one" })).await.refused(400, "current_password_required");
        put(&maya, json!({ "password": "a brand new one", "current_password": "x" }))
            .await
            .refused(400, "current_password_invalid");
        put(&maya, json!({ "password": PASSWORD, "current_password": PASSWORD })).await.refused(422, "same_password");
        put(&maya, json!({ "password": "short", "current_password": PASSWORD })).await.refused(422, "weak_password");
        put(&maya, json!({ "password": "a brand new one", "current_password": PASSWORD })).await.ok();

        // An access token expires within a day, the session does not.
        let sign_in = json!({ "email": "maya@example.com", "password": "a brand new one" });
        let session = app.anonymous().post("/auth/v1/token?grant_type=password", sign_in).await.ok();
        app.world.clock.advance(Duration::hours(25));
        let body = json!({ "refresh_token": session["refresh_token"] });
        let session = app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body).await.ok();
        let maya = maya.holding(&session);
        put(&maya, json!({ "password": "yet another one" })).await.refused(400, "reauthentication_needed");
        put(&maya, json!({ "password": "yet another one", "nonce": "000000" }))
            .await
            .refused(422, "reauthentication_not_valid");
        modern(maya.get("/auth/v1/reauthenticate")).await.ok();
        let said = modern(maya.get("/auth/v1/reauthenticate")).await.refused(429, "over_email_send_rate_limit");
        assert!(said["message"].as_str().unwrap().contains("after 60 seconds"));
        let letter = app.only_mail().await;
        assert_eq!((letter.kind, letter.to.as_str()), (Kind::Reauthentication, "maya@example.com"));
        verify(&app, json!({ "type": "email", "email": letter.to, "token": letter.code }))
            .await
            .refused(403, "otp_expired");
        verify(&app, json!({ "type": "recovery", "token_hash": letter.token })).await.refused(403, "otp_expired");
        let body = json!({ "password": "yet another one", "nonce": letter.code });
        put(&maya, body.clone()).await.ok();
        put(&maya, json!({ "password": "one more of them", "nonce": letter.code }))
            .await
            .refused(422, "reauthentication_not_valid");
        modern(app.anonymous().get("/auth/v1/reauthenticate")).await.refused(401, "no_authorization");
        let noah = app.employee("Noah").await;
        let mut tx = app.world.db.begin().await.unwrap();
        let waits =
            "update users set status = 'pending', awaits_confirmation = true where email_key = 'noah@example.com'";
        tx.sql(waits).run().await.unwrap();
        tx.commit().await.unwrap();
        modern(noah.get("/auth/v1/reauthenticate")).await.refused(422, "email_not_confirmed");

        app.world.clock.advance(Duration::seconds(60));
        app.anonymous().post("/auth/v1/recover", json!({ "email": "maya@example.com" })).await.ok();
        let letter = app.only_mail().await;
        let session = verify(&app, json!({ "type": "recovery", "token_hash": letter.token })).await.ok();
        let maya = maya.holding(&session);
        app.world.clock.advance(Duration::minutes(14));
        put(&maya, json!({ "password": "from a fresh link" })).await.ok();
    })
    .await;
}

#[tokio::test]
async fn user_metadata_is_merged() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        put(&maya, json!({ "data": { "a": 1, "b": { "c": 2 }, "role": "super_admin" } })).await.ok();
        let user = put(&maya, json!({ "data": { "a": null, "d": [1] } })).await.ok();
        let said = &user["user_metadata"];
        assert_eq!((said.get("a"), &said["b"], &said["d"]), (None, &json!({ "c": 2 }), &json!([1])));
        assert_eq!((&user["app_metadata"]["role"], &said["email_verified"]), (&json!("employee"), &json!(true)));
        assert_eq!(said["first_name"], "Maya", "we know it, and she has said none");
        for (name, found) in [(json!("May"), "May"), (json!(null), "Maya")] {
            let user = put(&maya, json!({ "data": { "first_name": name } })).await.ok();
            assert_eq!(user["user_metadata"]["first_name"], found);
            let read = maya.get("/auth/v1/user").await.ok();
            assert_eq!(read["user_metadata"], user["user_metadata"]);
        }
        put(&maya, json!({ "data": { "x": "y".repeat(20_000) } })).await.refused(422, "validation_failed");
        put(&maya, json!({ "data": [] })).await.refused(400, "bad_json");
        put(&maya, json!({ "phone": "+15550100" })).await.refused(400, "phone_provider_disabled");
        put(&maya, json!({ "app_metadata": {} })).await.refused(403, "not_admin");
        assert_eq!(maya.get("/rest/v1/me").await.ok()["role"], "employee");
    })
    .await;
}

#[tokio::test]
async fn email_change_is_confirmed_at_both_addresses() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        app.employee("Noah").await;
        put(&maya, json!({ "email": "NOAH@example.com" })).await.refused(422, "email_exists");
        put(&maya, json!({ "email": "maya" })).await.refused(400, "validation_failed");
        let user = put(&maya, json!({ "email": "MAYA@example.com" })).await.ok();
        assert_eq!((user["email"].as_str(), user.get("new_email")), (Some("maya@example.com"), None));
        let user = put(&maya, json!({ "email": "first@example.com" })).await.ok();
        assert_eq!(
            (user["email"].as_str(), user["new_email"].as_str()),
            (Some("maya@example.com"), Some("first@example.com"))
        );
        put(&maya, json!({ "email": "Ortiz@example.com" })).await.refused(429, "over_email_send_rate_limit");
        let first = app.deliver_mails().await;
        app.world.clock.advance(Duration::seconds(60));
        put(&maya, json!({ "email": "Ortiz@example.com" })).await.ok();
        // The first request is discarded.
        for letter in &first {
            verify(&app, json!({ "type": "email_change", "token_hash": letter.token }))
                .await
                .refused(403, "otp_expired");
        }
        let letters = app.deliver_mails().await;
        let to: Vec<_> = letters.iter().map(|letter| (letter.kind, letter.to.as_str())).collect();
        assert_eq!(to, [(Kind::EmailChangeCurrent, "maya@example.com"), (Kind::EmailChangeNew, "Ortiz@example.com")]);
        assert!(letters[0].url.contains("/auth/confirm?token_hash=") && letters[0].url.ends_with("&type=email_change"));

        let half =
            verify(&app, json!({ "type": "email_change", "email": "ortiz@example.com", "token": letters[1].code }))
                .await
                .ok();
        assert_eq!((half["code"].as_str(), half.get("access_token")), (Some("200"), None));
        verify(&app, json!({ "type": "email_change", "token_hash": letters[1].token }))
            .await
            .refused(403, "otp_expired");
        assert_eq!(maya.get("/auth/v1/user").await.ok()["email"], "maya@example.com");
        // The pending one, again.
        app.world.clock.advance(Duration::seconds(60));
        modern(app.anonymous().post("/auth/v1/resend", json!({ "type": "email_change", "email": "maya@example.com" })))
            .await
            .ok();
        let again = app.only_mail().await;
        assert_eq!(again.kind, Kind::EmailChangeCurrent);
        let session = verify(&app, json!({ "type": "email_change", "token_hash": again.token })).await.ok();
        assert_eq!(session["user"]["email"], "Ortiz@example.com");
        let user = maya.get("/auth/v1/user").await.ok();
        assert_eq!((user["email"].as_str(), user.get("new_email")), (Some("Ortiz@example.com"), None));
        verify(&app, json!({ "type": "email_change", "token_hash": letters[0].token }))
            .await
            .refused(403, "otp_expired");
        let sign_in = json!({ "email": "ortiz@example.com", "password": PASSWORD });
        app.anonymous().post("/auth/v1/token?grant_type=password", sign_in).await.ok();
    })
    .await;
}

#[tokio::test]
async fn email_change_is_cancelled_by_requesting_the_current_address() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        put(&maya, json!({ "email": "ortiz@example.com" })).await.ok();
        let letters = app.deliver_mails().await;
        let body = json!({ "type": "email_change", "token_hash": letters[0].token });
        assert_eq!(verify(&app, body).await.ok()["code"], "200");
        let user = put(&maya, json!({ "email": "maya@example.com" })).await.ok();
        assert_eq!((user["email"].as_str(), user.get("new_email")), (Some("maya@example.com"), None));
        for letter in &letters {
            let body = json!({ "type": "email_change", "token_hash": letter.token });
            verify(&app, body).await.refused(403, "otp_expired");
        }
    })
    .await;
}

#[tokio::test]
async fn first_confirmation_message_is_in_fragment_or_query() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        for pkce in [false, true] {
            let mut wish = json!({ "email": format!("pkce-{pkce}@example.com") });
            if pkce {
                wish["code_challenge"] = json!(CHALLENGE);
                wish["code_challenge_method"] = json!("s256");
            }
            put(&maya, wish).await.ok();
            let letters = app.deliver_mails().await;
            let body = json!({ "type": "email_change", "token_hash": letters[0].token, "skip_http_redirect": true });
            let url = verify(&app, body).await.ok()["url"].as_str().unwrap().to_owned();
            let (before, fragment) = url.split_once('#').unwrap();
            assert!(fragment.starts_with("message=Confirmation+link+accepted"), "{url}");
            assert_eq!(before.contains("?message=Confirmation+link+accepted"), pkce, "{url}");
            app.world.clock.advance(Duration::seconds(60));
        }
    })
    .await;
}

#[tokio::test]
async fn first_confirmed_email_change_wins() {
    on_both(async |app: TestApp| {
        let (maya, noah) = (app.employee("Maya").await, app.employee("Noah").await);
        let mut letters = Vec::new();
        for person in [&maya, &noah] {
            put(person, json!({ "email": "both@example.com" })).await.ok();
            letters.extend(app.deliver_mails().await);
        }
        for (n, status) in [(0, 200), (1, 200), (2, 200), (3, 422)] {
            let answer = verify(&app, json!({ "type": "email_change", "token_hash": letters[n].token })).await;
            assert_eq!(answer.status.as_u16(), status, "{}", answer.body);
        }
        assert_eq!(noah.get("/auth/v1/user").await.ok()["email"], "noah@example.com");
    })
    .await;
}

#[tokio::test]
async fn single_confirmation_mode_confirms_at_the_new_address() {
    on_both_with(
        |options, _| options.secure_email_change = false,
        async |app: TestApp| {
            assert_eq!(app.anonymous().get("/rest/v1/settings").await.ok()["secure_email_change"], false);
            let company = app.acme;
            let (_, ivan) = app.iso("Ivan", company).await;
            let body =
                json!({ "email": "ivan@example.org", "code_challenge": CHALLENGE, "code_challenge_method": "s256" });
            put(&ivan, body).await.ok();
            let letter = app.only_mail().await;
            assert_eq!((letter.kind, letter.to.as_str()), (Kind::EmailChangeNew, "ivan@example.org"));
            let body = json!({ "type": "email_change", "token_hash": letter.token, "skip_http_redirect": true });
            let url = verify(&app, body).await.ok()["url"].as_str().unwrap().to_owned();
            let code = url.split("code=").nth(1).unwrap();
            let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
            let session = app.anonymous().post("/auth/v1/token?grant_type=pkce", body).await.ok();
            let claims: Value = app.app.auth.keys.verify(session["access_token"].as_str().unwrap()).unwrap();
            assert_eq!(
                (&claims["amr"][0]["method"], &claims["email"]),
                (&json!("email_change"), &json!("ivan@example.org"))
            );
            assert_eq!(LinkKind::EmailChangeNew.verified_as(), "email_change");
            // The partner's row for staff has changed too.
            let isos = app.employee("Erin").await.get("/rest/v1/isos").await.ok();
            assert_eq!(isos["items"][0]["email"], "ivan@example.org");
        },
    )
    .await;
}

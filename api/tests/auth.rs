//! `/auth/v1` with `@supabase/auth-js`: statuses, codes, shapes and headers.

use crate::support::{TestApp, TestRequest, TestUser, on_both};
use axum::http::Method;
use domain::accounts::{
    auth::{
        links::{self, LinkKind},
        passwords,
    },
    users,
};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";

/// A request with the API version of the new error shape.
fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

/// The same user with another token.
fn holding(person: &TestUser, token: &Value) -> TestUser {
    let mut person = person.clone();
    person.token = token.as_str().map(str::to_owned);
    person
}

async fn link(app: &TestApp, person: &TestUser, email: &str) -> (String, String) {
    let mut tx = app.world.db.begin().await.expect("begins");
    let made = links::issue(&mut tx, &app.world.operator(), person.id, email, LinkKind::Recovery).await.expect("works");
    tx.commit().await.expect("commits");
    (made.url.split("token_hash=").nth(1).expect("works").split('&').next().expect("works").to_owned(), made.code)
}

#[tokio::test]
async fn session_lifecycle_token_refresh_logout() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let input =
            json!({ "email": "MAYA@example.com", "password": PASSWORD, "gotrue_meta_security": {}, "phone": null });
        let session = app.anonymous().post("/auth/v1/token?grant_type=password", input).await.ok();
        assert_eq!((session["token_type"].as_str(), session["expires_in"].as_i64()), (Some("bearer"), Some(900)));
        let user = &session["user"];
        assert_eq!(
            (user["id"].as_str(), user["aud"].as_str()),
            (Some(maya.id.to_string().as_str()), Some("authenticated"))
        );
        assert_eq!((user["phone"].as_str(), user["app_metadata"]["role"].as_str()), (Some(""), Some("employee")));
        assert_eq!(user["identities"][0]["provider"], "email");
        assert!(user.get("password_hash").is_none() && user.get("recovery_sent_at").is_none());

        let with = |token: &Value| holding(&maya, token);
        let me = with(&session["access_token"]).get("/auth/v1/user").await.ok();
        assert_eq!(me["email"], "maya@example.com");

        let body = json!({ "refresh_token": session["refresh_token"] });
        let next = app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body.clone()).await.ok();
        assert_ne!(next["refresh_token"], session["refresh_token"]);

        let out = with(&next["access_token"]).ask(Method::POST, "/auth/v1/logout?scope=local").await;
        assert_eq!((out.status.as_u16(), out.bytes.len()), (204, 0));
        modern(with(&next["access_token"]).get("/auth/v1/user")).await.refused(403, "session_not_found");
        with(&session["access_token"]).get("/rest/v1/me").await.refused(401, "unauthenticated");
        modern(app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body))
            .await
            .refused(400, "session_not_found");
        assert!(maya.get("/auth/v1/user").await.status.is_success(), "the other session goes on");
        modern(maya.ask(Method::POST, "/auth/v1/logout?scope=some")).await.refused(400, "validation_failed");
        maya.ask(Method::POST, "/auth/v1/logout").await.ok();
        modern(maya.get("/auth/v1/user")).await.refused(403, "session_not_found");
    })
    .await;
}

#[tokio::test]
async fn error_shape_follows_the_requested_api_version() {
    on_both(async |app: TestApp| {
        let wrong = || {
            app.anonymous()
                .post("/auth/v1/token?grant_type=password", json!({ "email": "a@example.com", "password": "x" }))
        };
        let new = modern(wrong()).await;
        assert_eq!(new.header("x-supabase-api-version"), Some("2024-01-01"));
        assert_eq!(new.header("x-sb-error-code"), Some("invalid_credentials"));
        assert_eq!(new.refused(400, "invalid_credentials")["message"], "Invalid login credentials");
        let old = wrong().await;
        assert_eq!(old.header("x-supabase-api-version"), None);
        assert_eq!(
            (old.body["code"].as_i64(), old.body["error_code"].as_str()),
            (Some(400), Some("invalid_credentials"))
        );
        assert_eq!(old.body["msg"], "Invalid login credentials");

        let spanish = modern(app.anonymous().post("/auth/v1/token?grant_type=password", json!([])))
            .header("accept-language", "es");
        let said = spanish.await.refused(400, "bad_json");
        assert_eq!(said["message"], "No se pudo leer la solicitud. Recargue la página e inténtelo de nuevo.");
    })
    .await;
}

#[tokio::test]
async fn malformed_requests_return_protocol_codes() {
    on_both(async |app: TestApp| {
        let nobody = app.anonymous();
        let token = |grant: &str, body: Value| modern(nobody.post(&format!("/auth/v1/token?grant_type={grant}"), body));
        for body in ["", "{", "null", "[]", "\"x\"", "{\"email\":5}"] {
            modern(nobody.ask(Method::POST, "/auth/v1/token?grant_type=password").raw(body))
                .await
                .refused(400, "bad_json");
        }
        let huge = format!("{{\"email\":\"{}\"}}", "a".repeat(2 << 20));
        modern(nobody.ask(Method::POST, "/auth/v1/recover").raw(huge)).await.refused(413, "request_entity_too_large");
        token("password", json!({})).await.refused(400, "validation_failed");
        token("password", json!({ "email": "a@example.com", "phone": "+1" })).await.refused(400, "validation_failed");
        token("password", json!({ "phone": "+1", "password": "x" })).await.refused(422, "phone_provider_disabled");
        token("password", json!({ "email": "a\u{0}@example.com" })).await.refused(400, "invalid_credentials");
        let said =
            token("refresh_token", json!({ "refresh_token": "dont exist" })).await.refused(400, "validation_failed");
        assert_eq!(said["message"], "Refresh token is not valid");
        token("refresh_token", json!({ "refresh_token": null })).await.refused(400, "validation_failed");
        token("pkce", json!({ "auth_code": "", "code_verifier": "x" })).await.refused(400, "validation_failed");
        token("pkce", json!({ "auth_code": "y", "code_verifier": "x" })).await.refused(404, "flow_state_not_found");
        token("id_token", json!({})).await.refused(400, "provider_disabled");
        token("web3", json!({})).await.refused(422, "web3_provider_disabled");
        token("magic", json!({})).await.refused(400, "invalid_credentials");
        let signup = |body: &'static str| modern(nobody.ask(Method::POST, "/auth/v1/signup").raw(body));
        for body in ["", "{", "{}"] {
            signup(body).await.refused(422, "signup_disabled");
        }

        let said = modern(nobody.get("/auth/v1/user")).await.refused(401, "no_authorization");
        assert!(said["message"].as_str().unwrap().contains("Bearer token"));
        modern(nobody.get("/auth/v1/user").header("authorization", "Basic eDp5"))
            .await
            .refused(401, "no_authorization");
        let stranger = holding(&nobody, &json!("not.a.token"));
        let said = modern(stranger.get("/auth/v1/user")).await.refused(403, "bad_jwt");
        let said = said["message"].as_str().unwrap();
        assert!(said.starts_with("invalid JWT") && said.contains("unable to parse or verify signature"), "{said}");
    })
    .await;
}

/// It was set under an older policy; the app may ask for a better one.
#[tokio::test]
async fn weak_password_is_reported_with_the_session() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let sign_in = async |password: &str| {
            let input = json!({ "email": "maya@example.com", "password": password });
            app.anonymous().post("/auth/v1/token?grant_type=password", input).await.ok()
        };
        let strong = sign_in(PASSWORD).await;
        assert!(strong.get("weak_password").is_none(), "{strong}");
        let hash = passwords::hash(&app.world.operator(), "short").await.expect("hashes");
        let mut tx = app.world.db.begin().await.expect("begins");
        users::set_password_hash(&mut tx, maya.id, &hash, false).await.expect("saves");
        tx.commit().await.expect("commits");
        let weak = sign_in("short").await;
        let told = json!({ "message": "Password should be at least 8 characters.", "reasons": ["length"] });
        assert_eq!(weak["weak_password"], told);
        let body = json!({ "refresh_token": weak["refresh_token"] });
        let next = app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body).await.ok();
        assert!(next.get("weak_password").is_none(), "{next}");
    })
    .await;
}

#[tokio::test]
async fn opening_a_link_consumes_nothing() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let (token, _) = link(&app, &maya, "maya@example.com").await;
        let address = format!("/auth/v1/verify?token={token}&type=recovery&redirect_to=https%3A%2F%2Fevil.example");
        for method in [Method::GET, Method::HEAD, Method::GET] {
            let answer = app.anonymous().ask(method, &address).await;
            assert_eq!(answer.status.as_u16(), 303);
            let page = format!("http://127.0.0.1:8080/auth/reset-password?token_hash={token}&type=recovery");
            assert_eq!(answer.header("location"), Some(page.as_str()), "our page, whatever was asked for");
        }
        modern(app.anonymous().get("/auth/v1/verify?type=recovery")).await.refused(400, "validation_failed");
        let body = json!({ "type": "recovery", "token_hash": token });
        let session = app.anonymous().post("/auth/v1/verify", body.clone()).await.ok();
        let holder = holding(&maya, &session["access_token"]);
        let said = modern(app.anonymous().post("/auth/v1/verify", body)).await.refused(403, "otp_expired");
        assert_eq!(said["message"], "Token has expired or is invalid");

        let put = |body: Value| modern(holder.ask(Method::PUT, "/auth/v1/user").json(&body));
        let weak = put(json!({ "password": "short" })).await.refused(422, "weak_password");
        assert_eq!(weak["weak_password"]["reasons"], json!(["length"]));
        put(json!({ "password": "x1".repeat(65) })).await.refused(422, "validation_failed");
        put(json!({ "password": PASSWORD })).await.refused(422, "same_password");
        put(json!({ "app_metadata": { "role": "super_admin" } })).await.refused(403, "not_admin");
        put(json!({ "password": "a brand new one", "current_password": "x" }))
            .await
            .refused(400, "current_password_invalid");
        let user = put(json!({ "password": "a brand new one", "email": "Maya@example.com" })).await.ok();
        assert_eq!(user["email"], "maya@example.com");
        modern(maya.get("/auth/v1/user")).await.refused(403, "session_not_found");
        assert!(holder.get("/rest/v1/me").await.status.is_success());
    })
    .await;
}

#[tokio::test]
async fn codes_work_once_and_wrong_ones_look_alike() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let (token, code) = link(&app, &maya, "maya@example.com").await;
        let verify = |body: Value| modern(app.anonymous().post("/auth/v1/verify", body));
        let right = json!({ "type": "recovery", "email": "maya@example.com", "token": code });
        for (body, status, code) in [
            (json!({ "token_hash": token }), 400, "validation_failed"),
            (json!({ "type": "recovery" }), 400, "validation_failed"),
            (json!({ "type": "recovery", "token_hash": token, "email": "maya@example.com" }), 400, "validation_failed"),
            (json!({ "type": "recovery", "token_hash": token, "token": code }), 400, "validation_failed"),
            (json!({ "type": "odd", "token_hash": token }), 400, "validation_failed"),
            (json!({ "type": "recovery", "email": "maya", "token": code }), 422, "validation_failed"),
            (json!({ "type": "sms", "phone": "invalid", "token": code }), 400, "validation_failed"),
            (json!({ "type": "sms", "phone": "+15550100", "token": code }), 403, "otp_expired"),
            (json!({ "type": "signup", "token_hash": token }), 403, "otp_expired"),
            (json!({ "type": "recovery", "token_hash": "unknown" }), 403, "otp_expired"),
            (json!({ "type": "recovery", "email": "nobody@example.com", "token": code }), 403, "otp_expired"),
        ] {
            verify(body).await.refused(status, code);
        }
        verify(right.clone()).await.ok();
        verify(right).await.refused(403, "otp_expired");
    })
    .await;
}

#[tokio::test]
async fn recovery_does_not_reveal_accounts() {
    on_both(async |app: TestApp| {
        app.employee("Maya").await;
        let recover = |body: Value| modern(app.anonymous().post("/auth/v1/recover", body));
        let challenge = "a".repeat(43);
        for email in ["maya@example.com", "nobody@example.com"] {
            let answer =
                recover(json!({ "email": email, "code_challenge": null, "code_challenge_method": null })).await;
            assert_eq!((answer.status.as_u16(), answer.body), (200, json!({})));
            app.world.clock.advance(chrono::Duration::seconds(18));
            let again = recover(json!({ "email": email })).await;
            assert_eq!(again.header("retry-after"), Some("42"));
            let said = again.refused(429, "over_email_send_rate_limit");
            assert!(said["message"].as_str().unwrap().contains("after 42 seconds"), "{said}");
            assert_eq!(said["retry_after"], 42);
            app.world.clock.advance(chrono::Duration::seconds(42));
            recover(json!({ "email": email, "code_challenge": challenge, "code_challenge_method": "s256" })).await.ok();
        }
        recover(json!({ "email": "maya@example.com", "code_challenge": challenge }))
            .await
            .refused(400, "validation_failed");
        recover(json!({ "email": "maya@" })).await.refused(400, "validation_failed");
        recover(json!({})).await.refused(400, "validation_failed");
        let resend = |body: Value| modern(app.anonymous().post("/auth/v1/resend", body));
        assert_eq!(resend(json!({ "type": "signup", "email": "nobody@example.com" })).await.ok(), json!({}));
        resend(json!({ "type": "recovery", "email": "a@example.com" })).await.refused(400, "validation_failed");
        resend(json!({ "type": "sms", "phone": "+15550100" })).await.refused(400, "phone_provider_disabled");
    })
    .await;
}

#[tokio::test]
async fn unsupported_features_return_protocol_errors() {
    on_both(async |app: TestApp| {
        let (nobody, maya) = (app.anonymous(), app.super_admin("Maya").await);
        let erin = app.employee("Erin").await;
        let id = uuid::Uuid::nil();
        for (person, method, path, body, status, code) in [
            (
                &nobody,
                Method::POST,
                "signup".to_owned(),
                json!({ "email": "a@example.com", "password": "x" }),
                422,
                "signup_disabled",
            ),
            (&nobody, Method::POST, "signup".to_owned(), json!({}), 422, "signup_disabled"),
            (&nobody, Method::POST, "otp".to_owned(), json!({ "email": "a@example.com" }), 422, "otp_disabled"),
            (&nobody, Method::POST, "otp".to_owned(), json!({ "phone": "+1" }), 400, "phone_provider_disabled"),
            (&nobody, Method::GET, "authorize?provider=google".to_owned(), json!(null), 400, "validation_failed"),
            (
                &nobody,
                Method::POST,
                "sso".to_owned(),
                json!({ "domain": "example.com" }),
                404,
                "saml_provider_disabled",
            ),
            (&nobody, Method::GET, "user/identities/authorize".to_owned(), json!(null), 401, "no_authorization"),
            (&maya, Method::GET, "user/identities/authorize".to_owned(), json!(null), 404, "manual_linking_disabled"),
            (&maya, Method::DELETE, format!("user/identities/{id}"), json!(null), 404, "manual_linking_disabled"),
            (&maya, Method::POST, "factors".to_owned(), json!({}), 400, "validation_failed"),
            (&maya, Method::POST, format!("factors/{id}/challenge"), json!({}), 404, "mfa_factor_not_found"),
            (&maya, Method::POST, "factors/x/challenge".to_owned(), json!({}), 404, "validation_failed"),
            (
                &maya,
                Method::POST,
                format!("factors/{id}/verify"),
                json!({ "challenge_id": id, "code": "000000" }),
                422,
                "mfa_factor_not_found",
            ),
            (&maya, Method::DELETE, format!("factors/{id}"), json!(null), 404, "mfa_factor_not_found"),
            (&nobody, Method::GET, "admin/users".to_owned(), json!(null), 401, "no_authorization"),
            (&erin, Method::GET, "admin/users".to_owned(), json!(null), 403, "not_admin"),
            (&erin, Method::PUT, format!("admin/users/{id}"), json!({}), 403, "not_admin"),
            (&erin, Method::POST, "invite".to_owned(), json!({}), 403, "not_admin"),
            (&erin, Method::GET, "admin/sso/providers".to_owned(), json!(null), 403, "not_admin"),
            (&maya, Method::GET, "admin/sso/providers".to_owned(), json!(null), 404, "not_found"),
            (&nobody, Method::GET, "oauth/authorize".to_owned(), json!(null), 404, "feature_disabled"),
            (&maya, Method::POST, "oauth/token".to_owned(), json!({}), 404, "feature_disabled"),
            (&nobody, Method::GET, "nothing/here".to_owned(), json!(null), 404, "not_found"),
            (&nobody, Method::DELETE, "token".to_owned(), json!(null), 405, "method_not_allowed"),
        ] {
            let mut asking = modern(person.ask(method, &format!("/auth/v1/{path}")));
            if !body.is_null() {
                asking = asking.json(&body);
            }
            asking.await.refused(status, code);
        }
        let back = nobody.get("/auth/v1/callback?state=x").await;
        assert_eq!(back.status.as_u16(), 303);
        assert!(
            back.header("location")
                .unwrap()
                .starts_with("http://127.0.0.1:8080/?error=invalid_request&error_code=bad_oauth_state")
        );
    })
    .await;
}

#[tokio::test]
async fn jwks_health_and_settings_are_public() {
    on_both(async |app: TestApp| {
        let keys = app.anonymous().get("/auth/v1/.well-known/jwks.json").await;
        assert_eq!(keys.header("cache-control"), Some("public, max-age=600"));
        assert_eq!((keys.body["keys"][0]["alg"].as_str(), keys.body["keys"][0].get("d")), (Some("ES256"), None));
        assert_eq!(app.anonymous().get("/auth/v1/settings").await.ok()["disable_signup"], true);
        assert_eq!(app.anonymous().get("/auth/v1/health").await.ok()["name"], "SPV Portal");
        let private = app.anonymous().get("/auth/v1/settings").await;
        assert_eq!(private.header("cache-control"), Some("no-store"));
    })
    .await;
}

#[tokio::test]
async fn timeouts_have_the_protocols_shape() {
    let http = api::HttpConfig { time_limit: std::time::Duration::from_millis(1), ..api::HttpConfig::default() };
    let app = TestApp::new(domain::testing::World::sqlite().await, http).await;
    let asking =
        || app.anonymous().post("/auth/v1/token?grant_type=password", json!({ "email": "a@b.co", "password": "x" }));
    modern(asking()).await.refused(504, "request_timeout");
    let old = asking().await;
    assert_eq!((old.body["code"].as_i64(), old.body["error_code"].as_str()), (Some(504), Some("request_timeout")));
    assert!(old.body["error_id"].is_string());
}

#[tokio::test]
async fn database_outage_returns_503() {
    let app = TestApp::new(domain::testing::World::sqlite().await, api::HttpConfig::default()).await;
    app.world.db.close().await;
    let answer = modern(
        app.anonymous()
            .post("/auth/v1/token?grant_type=password", json!({ "email": "a@example.com", "password": "x" })),
    )
    .await;
    assert_eq!(answer.header("retry-after"), Some("2"));
    answer.refused(503, "unavailable");
}

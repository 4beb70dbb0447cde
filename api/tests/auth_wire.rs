//! Protocol details beside sessions: token headers, audiences, times and limits of mails, and expired links.

use crate::support::{TestApp, TestRequest, TestResponse, on_both, on_both_with};
use axum::http::Method;
use chrono::Duration;
use domain::accounts::{auth::links::LinkKind, users};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

async fn post(app: &TestApp, path: &str, body: Value) -> TestResponse {
    modern(app.anonymous().post(&format!("/auth/v1/{path}"), body)).await
}

#[tokio::test]
async fn token_responses_have_debug_headers() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let body = json!({ "email": "maya@example.com", "password": PASSWORD });
        let answer = post(&app, "token?grant_type=password", body).await;
        assert_eq!(answer.header("sb-auth-user-id"), Some(maya.id.to_string().as_str()));
        assert_eq!(answer.header("sb-auth-refresh-token-counter"), Some("0"));
        assert_eq!(answer.header("sb-auth-refresh-token-reuse"), None);
        let session = answer.header("sb-auth-session-id").unwrap().to_owned();
        let body = json!({ "refresh_token": answer.ok()["refresh_token"] });
        for reuse in [None, Some("true")] {
            let answer = post(&app, "token?grant_type=refresh_token", body.clone()).await;
            assert_eq!(answer.header("sb-auth-session-id"), Some(session.as_str()));
            assert_eq!(answer.header("sb-auth-refresh-token-counter"), Some("1"));
            assert_eq!(answer.header("sb-auth-refresh-token-reuse"), reuse);
            answer.ok();
        }
        assert_eq!(app.anonymous().get("/auth/v1/health").await.header("sb-auth-user-id"), None);
    })
    .await;
}

#[tokio::test]
async fn other_audiences_have_no_accounts() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let body = json!({ "email": "maya@example.com", "password": PASSWORD });
        let with = |asking: TestRequest, name: &str| modern(asking).header("x-jwt-aud", name);
        let sign_in = || app.anonymous().post("/auth/v1/token?grant_type=password", body.clone());
        for ours in ["authenticated", ""] {
            with(sign_in(), ours).await.ok();
            with(maya.get("/auth/v1/user"), ours).await.ok();
        }
        with(sign_in(), "partners").await.refused(400, "invalid_credentials");
        with(maya.get("/auth/v1/user"), "partners").await.refused(400, "validation_failed");
        with(maya.put("/auth/v1/user", json!({ "data": {} })), "partners").await.refused(400, "validation_failed");
        let address = json!({ "email": "maya@example.com" });
        with(app.anonymous().post("/auth/v1/recover", address.clone()), "partners").await.ok();
        with(app.anonymous().post("/auth/v1/otp", address), "partners").await.refused(422, "otp_disabled");
        assert!(app.deliver_mails().await.is_empty(), "an unknown address gets no email");
    })
    .await;
}

#[tokio::test]
async fn users_have_mail_timestamps() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let user = async || maya.get("/auth/v1/user").await.ok();
        let times =
            ["confirmation", "recovery", "email_change", "reauthentication"].map(|name| format!("{name}_sent_at"));
        let before = user().await;
        assert!(times.iter().all(|name| before.get(name).is_none()), "{before}");
        post(&app, "recover", json!({ "email": "maya@example.com" })).await.ok();
        maya.get("/auth/v1/reauthenticate").await.ok();
        let asked = maya.put("/auth/v1/user", json!({ "email": "new@example.com" })).await.ok();
        assert!(asked["email_change_sent_at"].is_string());
        app.deliver_mails().await;
        let after = user().await;
        for name in &times[1..] {
            assert!(after[name].is_string(), "{name}: {after}");
        }
        assert!(after.get("confirmation_sent_at").is_none() && after.get("invited_at").is_none());
        let invited = modern(app.service().post("/auth/v1/invite", json!({ "email": "ina@example.com" }))).await.ok();
        let path = format!("/auth/v1/admin/users/{}", invited["id"].as_str().unwrap());
        let again = modern(app.service().get(&path)).await.ok();
        assert!(again["invited_at"].is_string() && again["confirmation_sent_at"].is_string());
        assert_eq!(again["invited_at"], invited["invited_at"]);
    })
    .await;
}

#[tokio::test]
async fn auth_mails_have_an_hourly_quota() {
    let choose = |options: &mut domain::Options, http: &mut api::HttpConfig| {
        options.mails_per_hour = 20;
        options.signup = true;
        http.rate_limits = false;
    };
    on_both_with(choose, async |app: TestApp| {
        let maya = app.client("Maya").await;
        let ask = async |email: &str| post(&app, "recover", json!({ "email": email })).await;
        // Unknown addresses do not count towards the limit.
        for n in 0..30 {
            ask(&format!("nobody{n}@example.com")).await.ok();
        }
        assert!(app.deliver_mails().await.is_empty());
        for n in 0..20 {
            let name = format!("P{n}");
            app.world.user(domain::kernel::access::Role::Client, &name, Some(app.acme), None).await;
            ask(&format!("{name}@example.com")).await.ok();
        }
        assert_eq!(app.deliver_mails().await.len(), 20);
        // This reveals no accounts: only repeated requests per address are refused.
        for email in ["maya@example.com", "somebody@example.com"] {
            ask(email).await.ok();
            ask(email).await.refused(429, "over_email_send_rate_limit");
            let answer = post(&app, "signup", json!({ "email": email, "password": "sparrow-copper-window-88" })).await;
            assert_eq!(answer.header("retry-after"), Some("180"));
            let said = answer.refused(429, "over_email_send_rate_limit");
            assert!(said["message"].as_str().unwrap().contains("180 seconds") && said["retry_after"] == 180, "{said}");
        }
        assert!(app.deliver_mails().await.is_empty());
        // Signed-in users have their own limit and do not count towards the one of visitors.
        modern(maya.get("/auth/v1/reauthenticate")).await.ok();
        modern(maya.put("/auth/v1/user", json!({ "email": "ortiz@example.com" }))).await.ok();
        assert_eq!(app.deliver_mails().await.len(), 3);
        app.world.clock.advance(Duration::seconds(180));
        ask("maya@example.com").await.ok();
        ask("p1@example.com").await.ok();
        assert_eq!(app.deliver_mails().await.len(), 1);
    })
    .await;
}

/// Browsers get a page or a redirect, never JSON.
#[tokio::test]
async fn rate_limited_browsers_are_redirected() {
    on_both_with(
        |_, http| http.rate_limits = true,
        async |app: TestApp| {
            let visit = |path: &str| app.anonymous().get(&format!("/auth/v1/{path}")).header("accept-language", "es");
            let held = |answer: &TestResponse, to: &str| {
                let seconds = answer.header("retry-after").unwrap().to_owned();
                assert_eq!(answer.status, 302);
                let found = url::Url::parse(answer.header("location").unwrap()).unwrap();
                let said: std::collections::HashMap<_, _> = found.query_pairs().into_owned().collect();
                assert!(found.as_str().starts_with(to), "{found}");
                assert_eq!(said["error_code"], "over_request_rate_limit");
                assert!(said["error_description"].contains(&format!("Espere {seconds} s ")), "{said:?}");
            };
            let home = "http://127.0.0.1:4100/in";
            let there = format!("authorize?provider=google&redirect_to={home}");
            for _ in 0..30 {
                modern(visit(&there)).await.refused(400, "validation_failed");
            }
            held(&visit(&there).await, &format!("{home}?"));
            held(&visit("authorize?redirect_to=https://evil.example").await, "http://127.0.0.1:8080/?");
            // The callback is another route, with a higher limit.
            for _ in 0..300 {
                assert_eq!(visit("callback?state=x&code=y").await.status, 303);
            }
            held(&visit("callback?state=x&code=y").await, "http://127.0.0.1:8080/?");
            modern(app.anonymous().post("/auth/v1/sso", json!({}))).await.refused(404, "saml_provider_disabled");
        },
    )
    .await;
}

#[tokio::test]
async fn malformed_input_returns_protocol_messages() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let mine = [
            (Method::DELETE, "factors/%FF"),
            (Method::POST, "factors/%FF/challenge"),
            (Method::POST, "factors/%FF/verify"),
            (Method::DELETE, "user/identities/%FF"),
            (Method::DELETE, "sessions/%FF"),
        ];
        for (method, path) in mine {
            let asked = maya.ask(method, &format!("/auth/v1/{path}")).json(&json!({}));
            modern(asked).await.refused(404, "validation_failed");
        }
        let user = format!("admin/users/{}/factors/%FF", maya.id);
        let programs = [
            (Method::GET, "admin/users/%FF"),
            (Method::PUT, "admin/users/%FF"),
            (Method::DELETE, "admin/users/%FF"),
            (Method::GET, "admin/users/%FF/factors"),
            (Method::DELETE, "admin/users/%FF/factors/%FF"),
            (Method::DELETE, user.as_str()),
        ];
        for (method, path) in programs {
            let asked = app.service().ask(method, &format!("/auth/v1/{path}")).json(&json!({}));
            modern(asked).await.refused(404, "validation_failed");
        }
        for path in ["factors/recovery-codes", "callback", "verify", "recover"] {
            let asked = maya.ask(Method::POST, &format!("/auth/v1/{path}")).raw("x".repeat((1 << 20) + 1));
            modern(asked).await.refused(413, "request_entity_too_large");
        }
    })
    .await;
}

#[tokio::test]
async fn unsupported_admin_routes_answer_404() {
    on_both(async |app: TestApp| {
        let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        for (path, code) in [
            ("oauth/clients", "feature_disabled"),
            ("oauth/clients/7/regenerate_secret", "feature_disabled"),
            ("sso/providers", "not_found"),
            ("custom-providers", "not_found"),
        ] {
            for method in &methods {
                let path = format!("/auth/v1/admin/{path}");
                modern(app.service().ask(method.clone(), &path)).await.refused(404, code);
                modern(app.anonymous().ask(method.clone(), &path)).await.refused(401, "no_authorization");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn otp_does_not_reveal_accounts_when_configured() {
    on_both_with(
        |options, _| options.otp_alike = true,
        async |app: TestApp| {
            app.client("Maya").await;
            for email in ["maya@example.com", "nobody@example.com"] {
                let body = json!({ "email": email, "create_user": false });
                assert_eq!(post(&app, "otp", body.clone()).await.ok(), json!({}));
                post(&app, "otp", body).await.refused(429, "over_email_send_rate_limit");
            }
            assert_eq!(app.only_mail().await.to, "maya@example.com");
        },
    )
    .await;
}

#[tokio::test]
async fn links_and_codes_expire() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let user = users::get(&app.world.operator(), maya.id).await.unwrap();
        let make = async |kind: LinkKind| {
            let mut tx = app.world.db.begin().await.unwrap();
            let ctx = app.world.operator();
            let made = domain::accounts::auth::links::issue(&mut tx, &ctx, user.id, &user.email, kind).await.unwrap();
            tx.commit().await.unwrap();
            made
        };
        for (kind, name, hours) in [
            (LinkKind::Recovery, "recovery", 1),
            (LinkKind::Magiclink, "magiclink", 1),
            (LinkKind::Invite, "invite", 24),
            (LinkKind::Signup, "signup", 24),
        ] {
            let (early, late) = (make(kind).await, make(kind).await);
            app.world.clock.advance(Duration::hours(hours));
            let by_link = json!({ "type": name, "token_hash": late.token });
            post(&app, "verify", by_link.clone()).await.refused(403, "otp_expired");
            let by_code = json!({ "type": name, "email": user.email, "token": late.code });
            post(&app, "verify", by_code).await.refused(403, "otp_expired");
            // A form is redirected with the error.
            let form = format!("type={name}&token_hash={}", late.token);
            let asking = app.anonymous().ask(axum::http::Method::POST, "/auth/v1/verify").raw(form);
            let led = asking.header("content-type", "application/x-www-form-urlencoded").await;
            assert_eq!(led.status, 303);
            assert!(led.header("location").unwrap().contains("#error=access_denied&error_code=otp_expired"));
            // They are valid until the last second.
            app.world.clock.advance(Duration::seconds(-1));
            post(&app, "verify", json!({ "type": name, "token_hash": early.token })).await.ok();
        }
    })
    .await;
}

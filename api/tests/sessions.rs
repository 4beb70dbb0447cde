//! Sessions, sign-in history, throttling, security headers.

use crate::support::{TestApp, TestRequest, TestUser, on_both};
use api::HttpConfig;
use axum::http::Method;
use chrono::Duration;
use domain::{platform::activity, testing};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

fn try_password(app: &TestApp, email: &str, password: &str) -> TestRequest {
    let body = json!({ "email": email, "password": password });
    modern(app.anonymous().post("/auth/v1/token?grant_type=password", body)).header("user-agent", FIREFOX)
}

async fn sign_in(app: &TestApp, person: &TestUser, first: &str) -> TestUser {
    app.world.clock.advance(Duration::seconds(1));
    let granted = try_password(app, &format!("{first}@example.com"), PASSWORD).await.ok();
    let mut person = person.clone();
    person.token = granted["access_token"].as_str().map(str::to_owned);
    person
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let here = sign_in(&app, &maya, "maya").await;
        let found = here.get("/auth/v1/sessions").await.ok();
        let rows = found.as_array().expect("a list");
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0]["current"].as_bool(), rows[1]["current"].as_bool()), (Some(true), Some(false)));
        assert_eq!((rows[0]["device"].as_str(), rows[0]["aal"].as_str()), (Some("Firefox on Linux"), Some("aal1")));
        assert_eq!((rows[0]["user_agent"].as_str(), rows[0]["address"].as_str()), (Some(FIREFOX), Some("127.0.0.1")));
        assert!(rows[1]["device"].is_null() && rows[0]["last_used_at"].is_string());

        // The same by the resource routes, scoped to the user.
        let own = here.get("/rest/v1/sessions").await.ok();
        let ids =
            |rows: &[Value]| rows.iter().map(|row| (row["id"].clone(), row["current"].clone())).collect::<Vec<_>>();
        assert_eq!(ids(own["items"].as_array().expect("a list")), ids(rows));
        let noah = app.employee("Noah").await;
        let his = noah.get("/rest/v1/sessions").await.ok();
        assert_eq!((his["items"].as_array().map(Vec::len), &his["items"][0]["current"]), (Some(1), &json!(true)));
        let other = format!("/auth/v1/sessions/{}", rows[1]["id"].as_str().expect("an id"));
        modern(noah.delete(&other)).await.refused(404, "not_found");
        modern(here.delete("/auth/v1/sessions/x")).await.refused(404, "not_found");
        assert_eq!(here.delete(&other).await.status, 204);
        modern(maya.get("/auth/v1/user")).await.refused(403, "session_not_found");
        modern(here.delete(&other)).await.refused(404, "not_found");
        assert_eq!(here.get("/auth/v1/sessions").await.ok().as_array().map(Vec::len), Some(1));
        modern(app.anonymous().get("/auth/v1/sessions")).await.refused(401, "no_authorization");
    })
    .await;
}

#[tokio::test]
async fn users_see_their_sign_ins_and_failed_attempts() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let noah = app.employee("Noah").await;
        app.world.clock.advance(Duration::seconds(1));
        try_password(&app, "maya@example.com", "hunter2-hunter2").await.refused(400, "invalid_credentials");
        let here = sign_in(&app, &maya, "maya").await;
        app.world.clock.advance(Duration::seconds(1));
        maya.ask(Method::POST, "/auth/v1/logout?scope=local").await.ok();
        activity::sequence_all(&app.world.operator()).await.expect("numbers");
        let page = here.get("/rest/v1/me/sign-ins?limit=3").await.ok();
        let told: Vec<_> = page["items"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|row| {
                let text = |name: &str| row[name].as_str();
                (text("outcome").unwrap_or("?"), text("method"), text("reason"), text("device"))
            })
            .collect();
        assert_eq!(
            told,
            [
                ("ended", None, Some("signed_out"), None),
                ("succeeded", Some("password"), None, Some("Firefox on Linux")),
                ("failed", Some("password"), Some("wrong_password"), Some("Firefox on Linux")),
            ]
        );
        assert!(!page.to_string().contains("hunter2"));
        let cursor = page["next_cursor"].as_str().expect("there is more");
        let rest = here.get(&format!("/rest/v1/me/sign-ins?limit=3&cursor={cursor}")).await.ok();
        assert_eq!((rest["items"].as_array().map(Vec::len), rest["next_cursor"].as_str()), (Some(1), None));
        let noahs = noah.get("/rest/v1/me/sign-ins").await.ok();
        assert_eq!(noahs["items"].as_array().map(Vec::len), Some(1), "nobody else's");
        app.anonymous().get("/rest/v1/me/sign-ins").await.refused(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn wrong_passwords_are_throttled_for_known_and_unknown_accounts() {
    on_both(async |app: TestApp| {
        app.client("Maya").await;
        let after_five = async |email: &str| {
            for _ in 0..5 {
                try_password(&app, email, "wrong-wrong-wrong").await.refused(400, "invalid_credentials");
            }
            let mut waits = Vec::new();
            for _ in 0..4 {
                let answer = try_password(&app, email, PASSWORD).await;
                let seconds: i64 = answer.header("retry-after").and_then(|text| text.parse().ok()).expect("seconds");
                let said = answer.refused(429, "over_request_rate_limit");
                assert_eq!(said["retry_after"], seconds);
                assert!(said["message"].as_str().expect("words").contains(&format!("{seconds} s")), "{said}");
                waits.push(seconds);
                app.world.clock.advance(Duration::seconds(seconds));
                try_password(&app, email, "wrong-wrong-wrong").await.refused(400, "invalid_credentials");
            }
            waits
        };
        assert_eq!(after_five("maya@example.com").await, [1, 2, 4, 8]);
        assert_eq!(after_five("nobody@example.com").await, [1, 2, 4, 8]);
        try_password(&app, "MAYA@example.com", PASSWORD).await.refused(429, "over_request_rate_limit");
        app.world.clock.advance(Duration::seconds(16));
        try_password(&app, "maya@example.com", PASSWORD).await.ok();
        try_password(&app, "maya@example.com", "wrong-wrong-wrong").await.refused(400, "invalid_credentials");
        try_password(&app, "maya@example.com", PASSWORD).await.ok();
    })
    .await;
}

#[tokio::test]
async fn attempts_at_unknown_accounts_are_logged_sampled() {
    on_both(async |app: TestApp| {
        for n in 0..20 {
            try_password(&app, &format!("nobody{n}@example.com"), PASSWORD).await.refused(400, "invalid_credentials");
        }
        activity::sequence_all(&app.world.operator()).await.expect("numbers");
        let ada = app.super_admin("Ada").await;
        let log = ada.get("/rest/v1/activity?limit=500").await.ok();
        let failed = log["items"].as_array().expect("rows").iter().filter(|row| row["action"] == "sign_in.failed");
        assert_eq!(failed.count(), 5, "of 1, 2, 4, 8 and 16");
        assert!(!log.to_string().contains("nobody7"), "what was typed may be a password");
    })
    .await;
}

#[tokio::test]
async fn auth_routes_are_limited_by_address_and_account() {
    testing::on_both(async |world| {
        let app = TestApp::new(
            world,
            HttpConfig { trusted_proxies: vec!["127.0.0.1".parse().unwrap()], ..HttpConfig::default() },
        )
        .await;
        let ask = |path: &str, body: Value, from: &str| {
            modern(app.anonymous().post(&format!("/auth/v1/{path}"), body)).header("x-forwarded-for", from)
        };
        for (path, body) in [
            ("token?grant_type=pkce", json!({ "email": "nobody@example.com" })),
            ("verify", json!({ "type": "recovery", "token_hash": "x" })),
        ] {
            for _ in 0..30 {
                assert_ne!(ask(path, body.clone(), "192.0.2.1").await.status, 429, "{path}");
            }
            let limited = ask(path, body.clone(), "192.0.2.1").await;
            let seconds: u64 = limited.header("retry-after").and_then(|text| text.parse().ok()).expect("seconds");
            let said = limited.refused(429, "over_request_rate_limit");
            assert!((1..=10).contains(&seconds) && said["retry_after"] == seconds, "{said}");
            // The owner, on another network, is not limited by it.
            assert_ne!(ask(path, body.clone(), "192.0.2.2").await.status, 429, "{path}");
        }
        // From many networks it is still the same account; another account is not affected.
        let guess = |email: &str, from: String| ask("token?grant_type=pkce", json!({ "email": email }), &from);
        let mut passed = 0;
        while guess("nobody@example.com", format!("198.18.{}.{}", passed / 200, passed % 200)).await.status != 429 {
            passed += 1;
            assert!(passed < 600, "never too many");
        }
        assert!(passed > 200, "{passed}");
        assert_ne!(guess("other@example.com", "198.19.0.1".to_owned()).await.status, 429);
        for _ in 0..100 {
            let answer = ask("token?grant_type=refresh_token", json!({ "refresh_token": "x" }), "192.0.2.9").await;
            assert_eq!(answer.status, 400, "refreshing is generous");
        }
        // An account's refreshes are counted by its live tokens only: neither its name nor a token of an ended session
        // uses up its limit.
        let maya = app.client("Maya").await;
        let enter = async || try_password(&app, "maya@example.com", PASSWORD).await.ok();
        let (gone, here) = (enter().await, enter().await);
        assert_eq!(maya.holding(&gone).ask(Method::POST, "/auth/v1/logout?scope=local").await.status, 204);
        let refresh = async |session: &Value, n: usize| {
            let body = json!({ "refresh_token": session["refresh_token"], "email": maya.id });
            ask("token?grant_type=refresh_token", body, &format!("198.18.{}.{}", n / 200, n % 200)).await
        };
        for n in 0..320 {
            assert_eq!(refresh(&gone, n).await.status, 400);
        }
        let mut passed = 0;
        let limited = loop {
            let answer = refresh(&here, passed).await;
            if answer.status != 200 {
                break answer;
            }
            passed += 1;
            assert!(passed < 600, "never too many");
        };
        assert!(passed >= 300, "{passed}");
        let seconds = limited.header("retry-after").map(str::to_owned);
        let said = limited.refused(429, "over_request_rate_limit");
        assert_eq!(seconds, Some(said["retry_after"].to_string()));
        // She can sign in from a known location, whatever the number of attempts by others.
        let home = "192.0.2.50";
        let right = json!({ "email": "maya@example.com", "password": PASSWORD });
        ask("token?grant_type=password", right.clone(), home).await.ok();
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let (mut asked, mut away) = (0, 51);
        loop {
            while guess("maya@example.com", format!("198.18.{}.{}", asked / 200, asked % 200)).await.status != 429 {
                asked += 1;
                assert!(asked < 900, "never too many");
            }
            // The account's bucket refills one request every 200 ms, so this one may just pass: try from another address.
            let answer = ask("token?grant_type=password", right.clone(), &format!("192.0.2.{away}")).await;
            if answer.status != 200 {
                answer.refused(429, "over_request_rate_limit");
                break;
            }
            away += 1;
            assert!(away < 71, "the account is not limited away from home");
        }
        ask("token?grant_type=password", right, home).await.ok();
        // No session ends, and other users are not delayed.
        maya.holding(&here).get("/auth/v1/user").await.ok();
        app.client("Nils").await;
        let other = try_password(&app, "nils@example.com", PASSWORD).await.ok();
        assert_eq!(refresh(&other, 0).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn responses_have_security_headers_and_hsts_over_https() {
    let world = testing::World::sqlite().await;
    let app = TestApp::new(world.clone(), HttpConfig::default()).await;
    for path in ["/", "/auth/v1/health", "/rest/v1/settings", "/nothing"] {
        let answer = app.anonymous().get(path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        assert!(answer.header("permissions-policy").expect("there").contains("camera=()"));
        let policy = answer.header("content-security-policy").expect("there");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(answer.header("strict-transport-security"), None, "not over http");
    }
    let options = domain::Options { public_url: "https://portal.example.com".to_owned(), ..(*world.options).clone() };
    let options = std::sync::Arc::new(options);
    for (hsts_subdomains, sent) in [(false, "max-age=63072000"), (true, "max-age=63072000; includeSubDomains")] {
        let http = HttpConfig { hsts_subdomains, ..HttpConfig::default() };
        // Separate fixtures: `TestApp::new` creates its company, whose name is unique.
        let secure = testing::World { options: options.clone(), ..testing::World::sqlite().await };
        let hsts = TestApp::new(secure, http).await.anonymous().get("/").await;
        assert_eq!(hsts.header("strict-transport-security"), Some(sent));
    }
}

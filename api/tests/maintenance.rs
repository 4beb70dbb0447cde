//! Maintenance mode, blocked addresses, sign-in settings.

use crate::support::{TestApp, TestUser, on_both, on_both_with};
use axum::http::Method;
use chrono::Duration;
use domain::{accounts::auth::sessions, platform::activity};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";

async fn token(app: &TestApp, grant: &str, body: Value) -> crate::support::TestResponse {
    let asking = app.anonymous().post(&format!("/auth/v1/token?grant_type={grant}"), body);
    asking.header("x-supabase-api-version", "2024-01-01").await
}

#[tokio::test]
async fn maintenance_allows_reads_and_super_admin_writes() {
    on_both(async |app: TestApp| {
        let (sam, erin, maya) = (app.super_admin("Sam").await, app.employee("Erin").await, app.client("Maya").await);
        let said = json!({ "message": "Back at 18:00 UTC" });
        for who in [&erin, &maya] {
            who.put("/rest/v1/maintenance", said.clone()).await.refused(403, "forbidden");
            who.delete("/rest/v1/maintenance").await.refused(403, "forbidden");
        }
        let long = json!({ "message": "x".repeat(301) });
        assert_eq!(sam.put("/rest/v1/maintenance", long).await.fields(), ["message too_long"]);
        sam.put("/rest/v1/maintenance", said).await.ok();
        let settings = app.anonymous().get("/rest/v1/settings").await.ok();
        assert_eq!(settings["maintenance"]["message"], "Back at 18:00 UTC");

        maya.get("/rest/v1/spvs").await.ok();
        let message = json!({ "body": "Hello" });
        let refused = maya.post("/rest/v1/messages", message.clone()).await.refused(409, "maintenance");
        assert_eq!(refused["params"]["text"], "Back at 18:00 UTC");
        erin.post("/rest/v1/companies", json!({ "name": "A", "business_name": "B" })).await.refused(409, "maintenance");
        let contact = json!({ "kind": "support", "name": "A", "email": "a@example.com", "message": "Hello" });
        app.anonymous().post("/rest/v1/requests", contact).await.refused(409, "maintenance");
        let v1 = |asking: crate::support::TestRequest| asking.header("x-supabase-api-version", "2024-01-01");
        v1(maya.put("/auth/v1/user", json!({ "data": { "a": 1 } }))).await.refused(409, "maintenance");
        v1(maya.get("/auth/v1/reauthenticate")).await.refused(409, "maintenance");
        // A file link writes nothing.
        let link = format!("/storage/v1/versions/{}/link", uuid::Uuid::nil());
        maya.post(&link, json!({})).await.refused(404, "not_found");
        // Sign-in and sign-out stay open, and super admins can write.
        let granted = token(&app, "password", json!({ "email": "maya@example.com", "password": PASSWORD })).await.ok();
        let here = maya.holding(&granted);
        let refresh = json!({ "refresh_token": granted["refresh_token"] });
        token(&app, "refresh_token", refresh).await.ok();
        here.ask(Method::POST, "/auth/v1/logout?scope=local").await.ok();
        sam.post("/rest/v1/companies", json!({ "name": "A", "business_name": "B" })).await.ok();
        let service = app.service();
        let new = json!({ "email": "made@example.com" });
        assert!(service.post("/auth/v1/admin/users", new).await.status.is_success());
        // Jobs continue to run.
        activity::sequence_all(&app.world.operator()).await.unwrap();
        domain::outbox::notifications::process_pending(&app.world.operator()).await.unwrap();

        assert_eq!(sam.delete("/rest/v1/maintenance").await.status, 204);
        assert!(app.anonymous().get("/rest/v1/settings").await.ok()["maintenance"].is_null());
        maya.post("/rest/v1/messages", message).await.ok();
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let page = sam.get("/rest/v1/activity?limit=100").await.ok();
        let actions: Vec<&str> =
            page["items"].as_array().unwrap().iter().filter_map(|row| row["action"].as_str()).collect();
        assert!(actions.contains(&"maintenance.started") && actions.contains(&"maintenance.ended"), "{actions:?}");
    })
    .await;
}

#[tokio::test]
async fn maintenance_reaches_other_processes() {
    on_both(async |app: TestApp| {
        let maya = app.client("Maya").await;
        app.run_sequencer();
        maya.get("/rest/v1/me").await.ok();
        domain::platform::maintenance::start(&app.world.operator(), None).await.unwrap();
        for _ in 0..100 {
            if maya.post("/rest/v1/messages", json!({ "body": "Hello" })).await.status == 409 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("nobody heard of it");
    })
    .await;
}

#[tokio::test]
async fn blocked_addresses_return_403() {
    on_both_with(
        |_, http| {
            http.rate_limits = false;
            http.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")];
        },
        async |app: TestApp| {
            let sam = app.super_admin("Sam").await;
            let erin = app.employee("Erin").await;
            let block = |who: &TestUser, network: &str| {
                let body = json!({ "network": network, "reason": "Guesses passwords" });
                who.post("/rest/v1/address-blocks", body).header("x-forwarded-for", "198.51.100.7")
            };
            block(&erin, "203.0.113.7").await.refused(403, "forbidden");
            for own in ["198.51.100.7", "198.51.100.0/24", "128.0.0.0/1"] {
                block(&sam, own).await.refused(409, "own_address");
            }
            for all in ["0.0.0.0/0", "::/0", "::/1"] {
                assert_eq!(block(&sam, all).await.fields(), ["network too_wide"], "{all}");
            }
            for wrong in ["", "x", "203.0.113.0/33", "203.0.113"] {
                let code = if wrong.is_empty() { "network required" } else { "network invalid_network" };
                assert_eq!(block(&sam, wrong).await.fields(), [code], "{wrong}");
            }
            let made = block(&sam, "203.0.113.9/24").await.ok();
            assert_eq!(
                (made["network"].as_str(), made["created_by"].as_str()),
                (Some("203.0.113.0/24"), Some("Sam Test"))
            );
            assert_eq!(block(&sam, "203.0.113.0/24").await.ok()["id"], made["id"]);

            let from = |asking: crate::support::TestRequest, address: &str| asking.header("x-forwarded-for", address);
            from(sam.get("/rest/v1/me"), "203.0.113.44").await.refused(403, "address_blocked");
            let sign_in = app.anonymous().post("/auth/v1/token?grant_type=password", json!({ "email": "a@b.c" }));
            let refused = from(sign_in, "203.0.113.44").header("x-supabase-api-version", "2024-01-01").await;
            refused.refused(403, "address_blocked");
            let page =
                from(app.anonymous().get("/auth/login/client"), "203.0.113.44").header("accept-language", "es").await;
            assert_eq!(page.status, 403);
            assert!(String::from_utf8_lossy(&page.bytes).contains("su red"), "{:?}", page.bytes);
            assert_eq!(from(app.anonymous().get("/healthz"), "203.0.113.44").await.status, 200);
            from(sam.get("/rest/v1/me"), "203.0.114.1").await.ok();

            let listed = sam.get("/rest/v1/address-blocks").await.ok();
            assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
            let one = format!("/rest/v1/address-blocks/{}", made["id"].as_str().unwrap());
            erin.delete(&one).await.refused(403, "forbidden");
            assert_eq!(sam.delete(&one).await.status, 204);
            sam.delete(&one).await.refused(404, "not_found");
            from(sam.get("/rest/v1/me"), "203.0.113.44").await.ok();
        },
    )
    .await;
}

#[tokio::test]
async fn session_lifetime_follows_settings() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        app.client("Maya").await;
        let rules = json!({ "security": { "session_idle_hours": 2, "session_max_hours": 5 } });
        sam.put("/rest/v1/settings", rules).await.ok();
        let granted =
            async || token(&app, "password", json!({ "email": "maya@example.com", "password": PASSWORD })).await.ok();
        let refresh = async |session: &Value| {
            token(&app, "refresh_token", json!({ "refresh_token": session["refresh_token"] })).await
        };
        let mut session = granted().await;
        for _ in 0..4 {
            app.world.clock.advance(Duration::minutes(70));
            session = refresh(&session).await.ok();
        }
        app.world.clock.advance(Duration::minutes(30));
        refresh(&session).await.refused(400, "session_expired");
        let session = granted().await;
        app.world.clock.advance(Duration::minutes(121));
        refresh(&session).await.refused(400, "session_expired");
        // The next request reports why the session ended.
        refresh(&session).await.refused(400, "session_expired");
        for (rules, field) in [
            (json!({ "session_idle_hours": 0 }), "security.session_idle_hours out_of_range"),
            (json!({ "session_max_hours": 9000 }), "security.session_max_hours out_of_range"),
            (json!({ "staff_session_idle_hours": 2161 }), "security.staff_session_idle_hours out_of_range"),
            (json!({ "staff_session_max_hours": 0 }), "security.staff_session_max_hours out_of_range"),
            (json!({ "password_min_length": 7 }), "security.password_min_length out_of_range"),
            (json!({ "password_min_length": 65 }), "security.password_min_length out_of_range"),
        ] {
            let sam = app.sign_in(sam.id, "Sam").await;
            assert_eq!(sam.put("/rest/v1/settings", json!({ "security": rules })).await.fields(), [field]);
        }
    })
    .await;
}

#[tokio::test]
async fn staff_sessions_end_earlier_than_those_of_clients() {
    on_both_with(
        |options, _| options.demo = false,
        async |app: TestApp| {
            let (erin, maya) = (app.employee("Erin").await, app.client("Maya").await);
            let enter =
                async |email: &str| token(&app, "password", json!({ "email": email, "password": PASSWORD })).await;
            let refresh = async |session: &Value| {
                token(&app, "refresh_token", json!({ "refresh_token": session["refresh_token"] })).await
            };
            // A password that the demo publishes is refused outside of it, so the tests have another.
            let (staff, client) = (enter("erin@example.com").await.ok(), enter("maya@example.com").await.ok());
            app.world.clock.advance(Duration::hours(11));
            let staff = refresh(&staff).await.ok();
            app.world.clock.advance(Duration::hours(12));
            refresh(&staff).await.refused(400, "session_expired");
            let mut client = refresh(&client).await.ok();
            app.world.clock.advance(Duration::days(30) - Duration::seconds(1));
            client = refresh(&client).await.ok();
            app.world.clock.advance(Duration::days(30));
            refresh(&client).await.refused(400, "session_expired");

            // In use all the time, a session of staff ends after seven days, one of a client after ninety.
            let (mut staff, mut client) = (enter("erin@example.com").await.ok(), enter("maya@example.com").await.ok());
            for _ in 0..6 {
                for _ in 0..3 {
                    app.world.clock.advance(Duration::hours(8));
                    staff = refresh(&staff).await.ok();
                }
            }
            client = refresh(&client).await.ok();
            for _ in 0..2 {
                app.world.clock.advance(Duration::hours(8));
                staff = refresh(&staff).await.ok();
            }
            app.world.clock.advance(Duration::hours(8));
            // The clean-up ends it as well, so that lists do not show it.
            sessions::clean_up(&app.world.operator(), app.world.clock.now() - Duration::days(30)).await.unwrap();
            let live = async |id| sessions::list(&app.world.operator(), id).await.unwrap().len();
            assert_eq!((live(erin.id).await, live(maya.id).await), (0, 1));
            refresh(&staff).await.refused(400, "session_expired");
            for _ in 0..3 {
                app.world.clock.advance(Duration::days(27));
                client = refresh(&client).await.ok();
            }
            app.world.clock.advance(Duration::days(2));
            refresh(&client).await.refused(400, "session_expired");
        },
    )
    .await;
}

#[tokio::test]
async fn password_length_follows_settings() {
    on_both(async |app: TestApp| {
        let (sam, maya) = (app.super_admin("Sam").await, app.client("Maya").await);
        sam.put("/rest/v1/settings", json!({ "security": { "password_min_length": 20 } })).await.ok();
        assert_eq!(app.anonymous().get("/rest/v1/settings").await.ok()["password_min_length"], 20);
        assert!(maya.get("/rest/v1/settings").await.ok()["security"].is_null());
        let change = |password: &str| json!({ "password": password, "current_password": PASSWORD });
        let asking =
            maya.put("/auth/v1/user", change("Heron-quiet-47-x")).header("x-supabase-api-version", "2024-01-01");
        let refused = asking.await.refused(422, "weak_password");
        assert_eq!(refused["weak_password"]["reasons"], json!(["length"]));
        maya.put("/auth/v1/user", change("Heron-quiet-47-amber-x")).await.ok();
    })
    .await;
}

#[tokio::test]
async fn attempts_at_suspended_accounts_are_logged() {
    on_both(async |app: TestApp| {
        let (sam, maya) = (app.super_admin("Sam").await, app.client("Maya").await);
        app.anonymous().post("/auth/v1/recover", json!({ "email": "maya@example.com" })).await.ok();
        let letter = app.deliver_mails().await.pop().expect("a mail");
        app.world.clock.advance(Duration::seconds(1));
        // Archiving a company blocks its members and leaves their links unchanged.
        sam.post(&format!("/rest/v1/companies/{}/archive", app.acme), json!({})).await.ok();
        app.world.clock.advance(Duration::seconds(1));
        token(&app, "password", json!({ "email": "maya@example.com", "password": PASSWORD }))
            .await
            .refused(400, "user_banned");
        app.world.clock.advance(Duration::seconds(1));
        let link = json!({ "type": "recovery", "token_hash": letter.token });
        let tried = app.anonymous().post("/auth/v1/verify", link).header("x-supabase-api-version", "2024-01-01").await;
        tried.refused(403, "user_banned");
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let page = sam.get(&format!("/rest/v1/users/{}/sign-ins?limit=2", maya.id)).await.ok();
        let told: Vec<(&str, &str)> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["method"].as_str().unwrap(), row["reason"].as_str().unwrap()))
            .collect();
        assert_eq!(told, [("otp", "account_shut"), ("password", "account_shut")]);
        assert!(page["items"][0]["address"].is_string());
        // A GET request that sends a mail records its origin.
        let erin = app.employee("Erin").await;
        erin.get("/auth/v1/reauthenticate")
            .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0")
            .await
            .ok();
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let found =
            activity::list(&app.world.operator(), &activity::Filter::default(), &Default::default()).await.unwrap();
        let asked = found
            .items
            .iter()
            .find(|row| row.action == "user.link_asked" && row.subject_label == "Erin Test")
            .expect("a row");
        assert_eq!(asked.address.as_deref(), Some("127.0.0.1"));
        assert!(asked.user_agent.as_deref().is_some_and(|agent| agent.contains("Firefox")));
    })
    .await;
}

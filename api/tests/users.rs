//! User administration by super admins.

use crate::support::{TestApp, TestUser, on_both, on_both_with};
use chrono::Duration;
use domain::platform::activity;
use serde_json::{Value, json};

fn names(page: &Value) -> Vec<&str> {
    page["items"].as_array().expect("rows").iter().map(|row| row["first_name"].as_str().expect("a name")).collect()
}

/// The activity entries of a user, by action.
async fn activity_of(app: &TestApp, who: &TestUser, id: &str) -> Vec<(String, Value)> {
    activity::sequence_all(&app.world.operator()).await.expect("numbers");
    let page = who.get(&format!("/rest/v1/users/{id}/activity?limit=50")).await.ok();
    let rows = page["items"].as_array().expect("rows").iter();
    rows.map(|row| (row["action"].as_str().expect("an action").to_owned(), row.clone())).collect()
}

#[tokio::test]
async fn users_are_filtered_sorted_counted_and_paged() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        let beta = app.world.company("Beta").await;
        for name in ["Anton", "Berta", "Carl"] {
            app.world.clock.advance(Duration::seconds(1));
            app.employee(name).await;
        }
        app.world.clock.advance(Duration::seconds(1));
        let maya = app.client("Maya").await;
        app.company_admin("Bella", beta).await;
        let all = sam.get("/rest/v1/users").await.ok();
        assert_eq!((all["total"].as_i64(), all["counts"]["active"].as_i64()), (Some(6), Some(6)));
        let first = sam.get("/rest/v1/users?order=name&limit=4").await.ok();
        assert_eq!(names(&first), ["Anton", "Bella", "Berta", "Carl"]);
        let cursor = first["next_cursor"].as_str().expect("more");
        let second = sam.get(&format!("/rest/v1/users?order=name&limit=4&cursor={cursor}")).await.ok();
        assert_eq!(names(&second), ["Maya", "Sam"]);
        assert_eq!(names(&sam.get("/rest/v1/users?order=name&limit=4&page=2").await.ok()), ["Maya", "Sam"]);
        assert!(second["next_cursor"].is_null());
        let found = async |query: &str| {
            let page = sam.get(&format!("/rest/v1/users?order=name&{query}")).await.ok();
            (names(&page).join(" "), page["total"].as_i64().expect("a total"))
        };
        assert_eq!(found("role=employee").await, ("Anton Berta Carl".to_owned(), 3));
        assert_eq!(found("q=ber").await, ("Berta".to_owned(), 1));
        assert_eq!(found("q=maya@example.com").await, ("Maya".to_owned(), 1));
        assert_eq!(found(&format!("company_id={beta}")).await, ("Bella".to_owned(), 1));
        assert_eq!(found("status=archived").await, (String::new(), 0));
        assert_eq!(found("page=9").await.0, "");
        sam.post(&format!("/rest/v1/users/{}/archive", maya.id), json!({})).await.ok();
        assert_eq!(found("status=archived").await, ("Maya".to_owned(), 1));
        assert_eq!(sam.get("/rest/v1/users").await.ok()["total"], 5);

        for (query, field) in [
            ("order=sideways", "order unknown"),
            ("role=king", "role unknown"),
            ("status=gone", "status unknown"),
            ("company_id=x", "company_id malformed"),
            ("page=0", "page out_of_range"),
            ("page=4000000000", "page out_of_range"),
            ("limit=0", "limit out_of_range"),
            ("cursor=x", "cursor invalid_cursor"),
        ] {
            assert_eq!(sam.get(&format!("/rest/v1/users?{query}")).await.fields(), [field], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn users_sort_by_last_activity() {
    let long = |options: &mut domain::Options, http: &mut api::HttpConfig| {
        options.access_token_seconds = 100_000;
        http.rate_limits = false;
    };
    on_both_with(long, async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        let maya = app.client("Maya").await;
        app.world.clock.advance(Duration::hours(1));
        app.employee("Erin").await;
        let order = async || {
            let page = sam.get("/rest/v1/users?order=-last_active_at").await.ok();
            names(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(order().await[0], "Erin");
        app.world.clock.advance(Duration::hours(1));
        let body = json!({ "email": "maya@example.com", "password": "correct horse battery staple" });
        let granted = app.anonymous().post("/auth/v1/token?grant_type=password", body).await.ok();
        app.world.clock.advance(Duration::hours(1));
        let refresh = json!({ "refresh_token": granted["refresh_token"] });
        app.anonymous().post("/auth/v1/token?grant_type=refresh_token", refresh).await.ok();
        assert_eq!(order().await[0], "Maya");
        let row = sam.get(&format!("/rest/v1/users/{}", maya.id)).await.ok();
        assert!(row["last_active_at"].as_str() > row["last_sign_in_at"].as_str(), "{row}");
        app.world.user(domain::kernel::access::Role::Employee, "Never", None, None).await;
        assert_eq!(order().await.last().map(String::as_str), Some("Never"));
    })
    .await;
}

#[tokio::test]
async fn users_of_all_roles_are_invited_and_reinvited() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        let (iso, _) = app.iso("Ivan", app.acme).await;
        app.deliver_mails().await;
        for (role, company, partner) in [
            ("employee", None, None),
            ("super_admin", None, None),
            ("company_admin", Some(app.acme), None),
            ("iso", None, Some(iso)),
            ("client", Some(app.acme), Some(iso)),
        ] {
            let email = format!("new.{role}@example.com");
            let new = json!({ "role": role, "first_name": "New", "last_name": role, "email": email,
                "company_id": company, "iso_id": partner });
            let made = sam.post("/rest/v1/users", new.clone()).key(role).await;
            assert_eq!(made.status, 201, "{role}: {}", made.body);
            assert_eq!((made.body["role"].as_str(), made.body["status"].as_str()), (Some(role), Some("pending")));
            // Repeating it creates no second account.
            let again = sam.post("/rest/v1/users", new).key(role).await;
            assert_eq!(again.body["id"], made.body["id"], "{role}");
            assert_eq!(app.only_mail().await.to, email);
        }
        let taken = json!({ "role": "employee", "first_name": "N", "last_name": "O", "email": "NEW.iso@example.com" });
        sam.post("/rest/v1/users", taken).await.refused(409, "email_taken");
        let empty = sam.post("/rest/v1/users", json!({ "role": "company_admin" })).await.fields();
        assert_eq!(empty, ["first_name required", "last_name required", "email required", "company_id required"]);
        let nobody = sam.post("/rest/v1/users", json!({ "role": null, "email": "nowhere" })).await.fields();
        assert_eq!(nobody, ["role required", "first_name required", "last_name required", "email invalid_email"]);
        assert_eq!(sam.post("/rest/v1/users", json!({ "role": "boss" })).await.fields(), ["role unknown"]);
        let odd = json!({ "role": "employee", "first_name": "N", "last_name": "O", "email": "o@example.com",
            "company_id": app.acme });
        assert_eq!(sam.post("/rest/v1/users", odd).await.fields(), ["company_id not_allowed"]);

        let page = sam.get("/rest/v1/users?q=new.employee@example.com").await.ok();
        let id = page["items"][0]["id"].as_str().expect("an id");
        let invite = format!("/rest/v1/users/{id}/invite");
        sam.post(&invite, json!({})).await.ok();
        sam.post(&invite, json!({})).await.refused(409, "over_email_send_rate_limit");
        assert_eq!(app.only_mail().await.to, "new.employee@example.com");
        sam.post(&format!("/rest/v1/users/{}/invite", sam.id), json!({})).await.refused(409, "not_invitable");
    })
    .await;
}

#[tokio::test]
async fn account_changes_end_sessions_and_are_logged() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        // Without an order: a client with orders stays one.
        let maya = app.world.user(domain::kernel::access::Role::Client, "Maya", Some(app.acme), None).await;
        let id = maya.id.to_string();
        let path = |verb: &str| format!("/rest/v1/users/{id}/{verb}");
        for verb in ["suspend", "sign-out", "reset-mfa", "archive"] {
            let maya = app.sign_in(maya.id, "Maya").await;
            maya.get("/rest/v1/me").await.ok();
            sam.post(&path(verb), json!({})).await.ok();
            maya.get("/rest/v1/me").await.refused(401, "unauthenticated");
            sam.post(&path("restore"), json!({})).await.ok();
        }
        let there = app.sign_in(maya.id, "Maya").await;
        let seen = sam.get(&format!("/rest/v1/users/{id}")).await;
        let version: i64 = seen.etag().and_then(|tag| tag.trim_matches('"').parse().ok()).expect("a version");
        let role = json!({ "role": "employee" });
        sam.post(&path("role"), role.clone()).if_match(version - 1).await.refused(409, "stale");
        sam.post(&path("role"), role).if_match(version).await.ok();
        there.get("/rest/v1/me").await.refused(401, "unauthenticated");
        assert_eq!(sam.post(&path("role"), json!({})).await.fields(), ["role required"]);
        assert_eq!(sam.post(&path("role"), json!({ "role": "iso" })).await.fields(), ["iso_id required"]);

        let entries = activity_of(&app, &sam, &id).await;
        let find = |action: &str| {
            let row =
                entries.iter().find(|(name, _)| name == action).unwrap_or_else(|| panic!("{action}: {entries:?}"));
            (row.1["actor"]["name"].clone(), row.1["data"]["from"].clone(), row.1["data"]["to"].clone())
        };
        for (action, from, to) in [
            ("user.suspended", "active", "suspended"),
            ("user.archived", "active", "archived"),
            ("user.role_changed", "client", "employee"),
        ] {
            assert_eq!(find(action), ("Sam Test".into(), from.into(), to.into()));
        }
        assert_eq!(find("user.mfa_reset").0, "Sam Test");
        assert!(!format!("{entries:?}").contains("argon2"));
    })
    .await;
}

#[tokio::test]
async fn suspending_a_client_partner_or_member_ends_sessions() {
    on_both(async |app: TestApp| {
        let erin = app.employee("Erin").await;
        let (maya, noah) = (app.client("Maya").await, app.client("Noah").await);
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let beta = app.world.company("Beta").await;
        let (bella, boris) = (app.company_admin("Bella", beta).await, app.company_admin("Boris", beta).await);
        // No log follower runs here: the routes themselves clear the caches of this process.
        for (by, path, whom) in [
            (&erin, format!("clients/{}/suspend", maya.id), &maya),
            (&erin, format!("clients/{}/archive", noah.id), &noah),
            (&erin, format!("isos/{iso}/archive"), &ivan),
            (&bella, format!("members/{}/remove", boris.id), &boris),
            (&erin, format!("companies/{beta}/archive"), &bella),
        ] {
            whom.get("/rest/v1/me").await.ok();
            by.post(&format!("/rest/v1/{path}"), json!({})).await.ok();
            whom.get("/rest/v1/me").await.refused(401, "unauthenticated");
        }
    })
    .await;
}

#[tokio::test]
async fn moving_a_client_clears_its_partner() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        let (iso, _) = app.iso("Ivan", app.acme).await;
        let beta = app.world.company("Beta").await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let path = format!("/rest/v1/users/{}/role", maya.id);
        let same = sam.post(&path, json!({ "role": "client" })).await.ok();
        assert_eq!((&same["company_id"], &same["iso_id"]), (&json!(app.acme), &json!(iso)));
        let kept = sam.post(&path, json!({ "role": "client", "company_id": beta })).await;
        assert_eq!(kept.fields(), ["iso_id not_in_company"]);
        let moved = sam.post(&path, json!({ "role": "client", "company_id": beta, "iso_id": null })).await.ok();
        assert_eq!((&moved["company_id"], &moved["iso_id"]), (&json!(beta), &Value::Null));
        sam.post(&path, json!({ "role": "employee" })).await.refused(409, "has_orders");
    })
    .await;
}

#[tokio::test]
async fn only_sessions_of_the_user_are_ended() {
    on_both(async |app: TestApp| {
        let (sam, maya, noah) = (app.super_admin("Sam").await, app.client("Maya").await, app.employee("Noah").await);
        let path = format!("/rest/v1/users/{}/sessions", maya.id);
        let other = app.sign_in(maya.id, "Maya").await;
        let live = sam.get(&path).await.ok();
        let ids: Vec<&str> = live["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 2);
        let noahs = sam.get(&format!("/rest/v1/users/{}/sessions", noah.id)).await.ok();
        let noahs = noahs["items"][0]["id"].as_str().unwrap();
        sam.delete(&format!("{path}/{noahs}")).await.refused(404, "not_found");
        noah.get("/rest/v1/me").await.ok();
        app.world.clock.advance(Duration::seconds(1));
        for id in ids {
            assert_eq!(sam.delete(&format!("{path}/{id}")).await.status, 204);
            sam.delete(&format!("{path}/{id}")).await.refused(404, "not_found");
        }
        for gone in [&maya, &other] {
            gone.get("/rest/v1/me").await.refused(401, "unauthenticated");
        }
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let page = sam.get(&format!("/rest/v1/users/{}/sign-ins", maya.id)).await.ok();
        assert_eq!(
            (page["items"][0]["outcome"].as_str(), page["items"][0]["reason"].as_str()),
            (Some("ended"), Some("revoked"))
        );
        let seen = sam.get(&format!("/rest/v1/users/{}", maya.id)).await.ok();
        assert_eq!((seen["has_password"].as_bool(), seen["company_name"].as_str()), (Some(true), Some("Acme")));
        assert!(!seen.to_string().contains("argon2"));
        noah.get(&path).await.refused(403, "forbidden");
    })
    .await;
}

#[tokio::test]
async fn concurrent_demotions_keep_one_super_admin() {
    on_both(async |app: TestApp| {
        let (ada, bea) = (app.super_admin("Ada").await, app.super_admin("Bea").await);
        let demote = |by: &TestUser, who: &TestUser| {
            let path = format!("/rest/v1/users/{}/role", who.id);
            let asking = by.post(&path, json!({ "role": "employee" }));
            async move { asking.await.status.as_u16() }
        };
        let (one, two) = tokio::join!(demote(&ada, &bea), demote(&bea, &ada));
        assert!((one == 200) != (two == 200), "{one} {two}");
        let (left, id) = if one == 200 { (&ada, ada.id) } else { (&bea, bea.id) };
        for verb in ["suspend", "archive"] {
            left.post(&format!("/rest/v1/users/{id}/{verb}"), json!({})).await.refused(409, "last_super_admin");
        }
        let role = json!({ "role": "employee" });
        left.post(&format!("/rest/v1/users/{id}/role"), role).await.refused(409, "last_super_admin");
    })
    .await;
}

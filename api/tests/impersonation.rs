//! Impersonation: read-only, logged, limited to half an hour.

use crate::{
    documents::{pdf, upload},
    support::{TestApp, TestUser, on_both},
};
use axum::http::Method;
use chrono::Duration;
use domain::{
    kernel::{
        access::Role,
        db::{Dialect, Sql},
    },
    platform::activity,
    testing::World,
};
use serde_json::{Value, json};

/// Signs a file link and writes nothing: allowed during impersonation.
const LINK: &str = "/storage/v1/versions/{id}/link";

/// All rows of the database, by table.
async fn everything(world: &World) -> Vec<(String, String)> {
    let mut db = world.db.clone();
    let postgres = db.dialect() == Dialect::Postgres;
    let tables = if postgres {
        "select cast(table_schema || '.\"' || table_name || '\"' as text) from information_schema.tables \
         where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE' order by 1"
    } else {
        "select '\"' || name || '\"' from sqlite_master where type = 'table' and name not like 'sqlite_%' order by 1"
    };
    let tables: Vec<(String,)> = db.sql(tables).all().await.expect("tables");
    let mut found = Vec::new();
    for (table,) in tables {
        let sql = if postgres {
            format!(
                "select coalesce(string_agg(r, '|' order by r), '') from (select cast(t as text) r from {table} t) x"
            )
        } else {
            let columns = format!("select name from pragma_table_info('{}')", table.trim_matches('"'));
            let columns: Vec<(String,)> = db.sql_built(columns).all().await.expect("columns");
            let row: Vec<String> = columns.iter().map(|(name,)| format!("quote(\"{name}\")")).collect();
            format!(
                "select coalesce(group_concat(r, '|'), '') from (select {} r from {table} order by 1) x",
                row.join(" || ',' || ")
            )
        };
        let rows: String = db.sql_built(sql).scalar().await.expect("rows");
        found.push((table, rows));
    }
    found
}

async fn looks_as(admin: &TestUser, who: &TestUser) -> TestUser {
    let path = format!("/rest/v1/users/{}/impersonate", who.id);
    let begun = admin.post(&path, json!({ "reason": "Cannot find the invoice" })).await.ok();
    who.holding(&begun)
}

#[tokio::test]
async fn impersonation_is_read_only() {
    on_both(async |app: TestApp| {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let erin = app.employee("Erin").await;
        let cora = app.company_admin("Cora", app.acme).await;
        let sam = app.super_admin("Sam").await;
        let spv = maya.spv.unwrap().to_string();
        let (_, version) = upload(&maya, &pdf(100), &[("file_name", "deed.pdf"), ("spv_id", &spv)]).await;
        let document: Value = serde_json::from_str(api::openapi()).unwrap();
        let mut tries: Vec<(Method, String)> = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                tries.push((method.to_uppercase().parse().unwrap(), path.clone()));
            }
        }
        for (method, path) in [
            (Method::POST, "/token?grant_type=password"),
            (Method::POST, "/logout"),
            (Method::PUT, "/user"),
            (Method::POST, "/recover"),
            (Method::POST, "/verify"),
            (Method::POST, "/resend"),
            (Method::POST, "/otp"),
            (Method::POST, "/signup"),
            (Method::POST, "/invite"),
            (Method::POST, "/factors"),
            (Method::DELETE, "/factors/{id}"),
            (Method::POST, "/factors/recovery-codes"),
            (Method::POST, "/passkeys/registration/options"),
            (Method::POST, "/passkeys/registration/verify"),
            (Method::PATCH, "/passkeys/{id}"),
            (Method::DELETE, "/passkeys/{id}"),
            (Method::DELETE, "/sessions/{id}"),
            (Method::DELETE, "/user/identities/{id}"),
            (Method::POST, "/admin/users"),
            (Method::GET, "/reauthenticate"),
            (Method::GET, "/user/identities/authorize?provider=google"),
        ] {
            tries.push((method, format!("/auth/v1{path}")));
        }
        tries.push((Method::DELETE, "/rest/v1/nothing-here".to_owned()));
        // An impersonator cannot read a partner's private notes.
        let notes = format!("/rest/v1/clients/{}/notes", maya.id);
        ivan.post(&notes, json!({ "body": "Prefers mornings" })).await.ok();
        looks_as(&sam, &ivan).await.get(&notes).await.refused(403, "forbidden");
        for who in [&maya, &ivan, &erin, &cora] {
            let looking = looks_as(&sam, who).await;
            let before = everything(&app.world).await;
            for (method, path) in &tries {
                let changing = path.starts_with("/auth/v1/") || !matches!(*method, Method::GET | Method::HEAD);
                if !changing || path == "/rest/v1/impersonation/end" {
                    continue;
                }
                if path == LINK {
                    let path = path.replace("{id}", &version.to_string());
                    let (theirs, seen) = (who.post(&path, json!({})).await, looking.post(&path, json!({})).await);
                    assert_eq!(theirs.status, seen.status, "{path}: {} {}", theirs.body, seen.body);
                    assert!(seen.status == 200 || who.id != maya.id, "{}", seen.body);
                    continue;
                }
                let id = maya.spv.unwrap().to_string();
                let path = path.replace("{id}", &id).replace("{session}", &id);
                let asking = looking.ask(method.clone(), &path).header("x-supabase-api-version", "2024-01-01");
                let asking = if *method == Method::GET { asking } else { asking.json(&json!({ "reason": "x" })) };
                asking.await.refused(403, "read_only");
            }
            for (method, path) in &tries {
                let reads = *method == Method::GET && path.starts_with("/rest/v1/") && !path.contains('{');
                if !reads || path.ends_with("openapi.json") || path.ends_with(".csv") {
                    continue;
                }
                let company = if who.id == cora.id { "" } else { "?" };
                let (theirs, seen) =
                    (who.get(&(path.clone() + company)).await, looking.get(&(path.clone() + company)).await);
                assert_eq!(theirs.status, seen.status, "{path}: {} {}", theirs.body, seen.body);
            }
            // An export writes a log entry, so it is refused.
            let files = who.id == erin.id;
            if files {
                looking.get("/rest/v1/clients.csv").await.refused(403, "read_only");
            }
            let after = everything(&app.world).await;
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(before, after);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn impersonator_is_logged_and_can_end() {
    on_both(async |app: TestApp| {
        let (sam, maya, erin) = (app.super_admin("Sam").await, app.client("Maya").await, app.employee("Erin").await);
        let path = format!("/rest/v1/users/{}/impersonate", maya.id);
        assert_eq!(sam.post(&path, json!({ "reason": " " })).await.fields(), ["reason required"]);
        assert_eq!(sam.post(&path, json!({ "reason": "x".repeat(301) })).await.fields(), ["reason too_long"]);
        for who in [&maya, &erin] {
            who.post(&path, json!({ "reason": "x" })).await.refused(403, "forbidden");
        }
        app.world.clock.advance(Duration::seconds(1));
        let looking = looks_as(&sam, &maya).await;
        app.world.clock.advance(Duration::seconds(1));
        let me = looking.get("/rest/v1/me").await.ok();
        assert_eq!((me["id"].clone(), me["impersonation"]["by"].as_str()), (json!(maya.id), Some("Sam Test")));
        assert!(maya.get("/rest/v1/me").await.ok()["impersonation"].is_null());
        // It has no refresh token, and is valid for no other API.
        looking.post(&path, json!({ "reason": "x" })).await.refused(403, "read_only");
        looking.get("/rest/v1/users").await.refused(403, "forbidden");

        assert_eq!(looking.post("/rest/v1/impersonation/end", json!({})).await.status, 204);
        looking.get("/rest/v1/me").await.refused(401, "unauthenticated");
        sam.post("/rest/v1/impersonation/end", json!({})).await.refused(409, "not_impersonating");
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let page = sam.get("/rest/v1/activity?limit=2").await.ok();
        for (row, action) in
            page["items"].as_array().unwrap().iter().zip(["impersonation.ended", "impersonation.started"])
        {
            assert_eq!(row["action"], action);
            assert_eq!(
                (row["actor"]["name"].as_str(), row["actor"]["kind"].as_str()),
                (Some("Sam Test"), Some("super_admin"))
            );
            assert_eq!(row["data"]["on_behalf_of"], "Maya Test");
        }
        assert_eq!(page["items"][1]["data"]["reason"], "Cannot find the invoice");
        // Staff see that a user was impersonated, not the reason.
        let olaf = app.employee("Olaf").await;
        let heard = olaf.get("/rest/v1/activity?limit=50").await.ok();
        let heard: Vec<_> = heard["items"].as_array().unwrap().iter().collect();
        let looks = heard.iter().filter(|row| row["action"].as_str().unwrap().starts_with("impersonation."));
        assert_eq!(looks.map(|row| &row["data"]).collect::<Vec<_>>(), [&json!({}), &json!({})]);
        let of_others = |row: &&&Value| row["action"] == "session.started" && row["subject_id"] != json!(olaf.id);
        let others: Vec<_> = heard.iter().filter(of_others).collect();
        assert!(!others.is_empty() && others.iter().all(|row| row["data"]["session_id"].is_null()), "{others:?}");
        // The entry is about her account.
        let hers = sam.get(&format!("/rest/v1/users/{}/activity?limit=2", maya.id)).await.ok();
        assert_eq!(hers["items"][0]["action"], "impersonation.ended");
    })
    .await;
}

#[tokio::test]
async fn impersonation_ends_with_time_session_role_or_account() {
    on_both(async |app: TestApp| {
        let (sam, maya) = (app.super_admin("Sam").await, app.client("Maya").await);
        let root = app.world.operator();
        let over = async |looking: &TestUser| looking.get("/rest/v1/me").await.refused(401, "unauthenticated");

        let looking = looks_as(&sam, &maya).await;
        app.world.clock.advance(Duration::minutes(14));
        looking.get("/rest/v1/me").await.ok();
        // Another impersonation in the same session replaces the first.
        let second = looks_as(&app.sign_in(sam.id, "Sam").await, &maya).await;
        app.world.clock.advance(Duration::minutes(17));
        over(&looking).await;
        second.get("/rest/v1/me").await.ok();

        let sam = app.sign_in(sam.id, "Sam").await;
        let first = looks_as(&sam, &maya).await;
        app.world.clock.advance(Duration::seconds(1));
        let looking = looks_as(&sam, &maya).await;
        over(&first).await;
        activity::sequence_all(&root).await.unwrap();
        let page = sam.get("/rest/v1/activity?limit=2").await.ok();
        for (row, action) in
            page["items"].as_array().unwrap().iter().zip(["impersonation.started", "impersonation.ended"])
        {
            assert_eq!(row["action"], action);
            assert_eq!(row["data"]["on_behalf_of"], "Maya Test");
        }
        sam.ask(Method::POST, "/auth/v1/logout?scope=local").await.ok();
        over(&looking).await;

        let sam = app.sign_in(sam.id, "Sam").await;
        let looking = looks_as(&sam, &maya).await;
        sam.post(&format!("/rest/v1/users/{}/suspend", maya.id), json!({})).await.ok();
        over(&looking).await;
        let path = format!("/rest/v1/users/{}/impersonate", maya.id);
        sam.post(&path, json!({ "reason": "x" })).await.refused(409, "account_shut");
        sam.post(&format!("/rest/v1/users/{}/restore", maya.id), json!({})).await.ok();

        let erin = app.employee("Erin").await;
        let looking = looks_as(&sam, &erin).await;
        let ada = app.super_admin("Ada").await;
        let path = |id| format!("/rest/v1/users/{id}/impersonate");
        sam.post(&path(ada.id), json!({ "reason": "x" })).await.refused(409, "impersonate_super_admin");
        sam.post(&path(sam.id), json!({ "reason": "x" })).await.refused(409, "impersonate_self");
        domain::desk::people::set_role(&root, erin.id, Role::SuperAdmin, None, None, None).await.unwrap();
        app.app.auth.token_cache.forget_user(erin.id);
        over(&looking).await;
        domain::desk::people::set_role(&root, sam.id, Role::Employee, None, None, None).await.unwrap();
        app.app.auth.token_cache.forget_user(sam.id);
        sam.get("/rest/v1/me").await.refused(401, "unauthenticated");
    })
    .await;
}

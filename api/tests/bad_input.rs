//! Invalid input and database outages: the errors that users get.

use crate::support::{TestApp, on_both};
use domain::{
    kernel::db::{Db, Durability},
    testing::World,
};
use serde_json::{Value, json};
use std::{net::SocketAddr, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Mutex,
    task::{JoinHandle, JoinSet},
};

fn client(app: &TestApp) -> Value {
    json!({ "setup": "quick", "first_name": "Maya", "last_name": "Ortiz", "email": "maya@example.com",
        "company_id": app.acme, "price": "1250.00" })
}

fn with(mut body: Value, name: &str, value: Value) -> Value {
    body[name] = value;
    body
}

#[tokio::test]
async fn empty_input_lists_all_required_fields() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let blank = |names: &[&str]| Value::Object(names.iter().map(|n| ((*n).to_owned(), json!(" "))).collect());
        for (path, required) in [
            ("clients", &["first_name", "last_name", "email", "company_id", "price"][..]),
            ("companies", &["name", "business_name"]),
            ("isos", &["first_name", "last_name", "email", "company_id"]),
            ("spvs", &["client_id", "company_id", "purchase_amount"]),
            ("requests", &["name", "email", "message"]),
        ] {
            for mut body in [json!({}), blank(required)] {
                match path {
                    "clients" => body["setup"] = json!("full"),
                    "requests" => body["kind"] = json!("support"),
                    _ => {}
                }
                // A user with an account need not send name or address in a request.
                let refused = match path {
                    "requests" => app.anonymous().post("/rest/v1/requests", body).await.fields(),
                    _ => erin.post(&format!("/rest/v1/{path}"), body).await.fields(),
                };
                let missing: Vec<&str> =
                    required.iter().copied().filter(|n| refused.contains(&format!("{n} required"))).collect();
                assert_eq!(missing, required, "{path}: {refused:?}");
            }
        }
        assert_eq!(erin.post("/rest/v1/clients", json!({})).await.fields(), ["setup required"]);
    })
    .await;
}

#[tokio::test]
async fn unparseable_values_name_the_field() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let post = |body: &str| erin.post("/rest/v1/companies", Value::Null).raw(body.to_owned());
        for broken in
            ["{", "[]", "null", "\"name\"", "{\"name\":\"A\"} {}", "name=A&business_name=B", "\u{feff}{}", "\u{0}"]
        {
            post(broken).await.refused(400, "bad_json");
        }
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        post(&deep).await.refused(400, "bad_json");
        assert_eq!(post(&format!("{{\"name\":{deep}}}")).await.fields(), ["name malformed"]);
        erin.post("/rest/v1/companies", Value::Null).raw(&b"{\"name\":\"\xff\"}"[..]).await.refused(400, "bad_json");
        let unknown = post(r#"{"name":"A","business_name":"B","owner":"me"}"#).await.refused(400, "unknown_field");
        assert_eq!(unknown["params"]["field"], "owner");
        assert!(unknown["message"].as_str().unwrap().contains("owner"));
        assert_eq!(post(r#"{"name":7,"business_name":"B"}"#).await.fields(), ["name malformed"]);
        let slow = with(client(&app), "setup", json!("slow"));
        let slow = erin.post("/rest/v1/clients", slow).await;
        assert_eq!(slow.body["fields"][0]["params"]["allowed"], "quick, full");
        assert_eq!(slow.fields(), ["setup unknown"]);
    })
    .await;
}

#[tokio::test]
async fn oversized_bodies_return_413_with_or_without_content_length() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let huge = format!("{{\"name\":\"{}\"}}", "a".repeat(10 << 20));
        let silent = erin.post("/rest/v1/companies", Value::Null).raw(huge.clone()).await;
        silent.refused(413, "too_large");
        let honest = erin.post("/rest/v1/companies", Value::Null).raw(huge.clone());
        honest.header("content-length", &huge.len().to_string()).await.refused(413, "too_large");
        app.anonymous().post("/rest/v1/requests", Value::Null).raw(huge).await.refused(413, "too_large");
    })
    .await;
}

#[tokio::test]
async fn malformed_ids_are_404_in_paths_and_422_in_fields() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        erin.get("/rest/v1/spvs/1234").await.refused(404, "not_found");
        erin.get("/rest/v1/nothing").await.refused(404, "not_found");
        erin.post("/rest/v1/settings", json!({})).await.refused(405, "method_not_allowed");
        let form = with(client(&app), "company_id", json!("Acme"));
        assert_eq!(erin.post("/rest/v1/clients", form).await.fields(), ["company_id malformed"]);
        for (query, refused) in [
            ("clients?company_id=Acme", "company_id malformed"),
            ("spvs?iso_id=nobody", "iso_id malformed"),
            ("spvs?status=lost", "status unknown"),
            ("clients?status=lost", "status unknown"),
            ("clients?limit=many", "limit malformed"),
            ("clients?limit=0", "limit out_of_range"),
            ("clients?limit=501", "limit out_of_range"),
            ("clients?cursor=yesterday", "cursor invalid_cursor"),
            ("companies?archived=perhaps", "archived malformed"),
            ("spvs?order=price", "order unknown"),
            // Without an id it would be taken for a filter that matches everything.
            ("activity?subject_kind=client", "subject_id required"),
            ("activity?subject_kind=client&subject_id=", "subject_id required"),
            ("messages", "thread_id required"),
            ("messages?thread_id=first", "thread_id malformed"),
            ("document-requests", "spv_id required"),
            ("document-requests?spv_id=6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b&status=lost", "status unknown"),
        ] {
            assert_eq!(erin.get(&format!("/rest/v1/{query}")).await.fields(), [refused], "{query}");
        }
        erin.get("/rest/v1/clients?compnay_id=x").await.refused(400, "unknown_field");
        // Empty filters are ignored, and special characters in a search are literal.
        for query in [
            "spvs?status=&company_id=&iso_id=&client_id=",
            "clients?status=",
            "clients.csv?status=",
            "documents?request_status=",
            "billing?client_id=",
            "clients?q=%00%25_'%22%3C",
            "spvs?iso_id=none",
            "spvs?order=-ordered_date",
            "activity?subject_kind=",
            "activity?subject_kind=client&subject_id=6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b",
        ] {
            erin.get(&format!("/rest/v1/{query}")).await.ok();
        }
    })
    .await;
}

#[tokio::test]
async fn amounts_and_percentages_are_range_checked() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let (iso, _) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        for (price, code) in [
            ("-1", "negative"),
            ("1234567890123", "too_large"),
            ("10000000000.01", "too_large"),
            ("1.001", "ambiguous_amount"),
            ("1,250", "ambiguous_amount"),
            ("1.2500", "too_many_decimals"),
            ("1e9", "invalid_amount"),
            ("NaN", "invalid_amount"),
        ] {
            let form = with(client(&app), "price", json!(price));
            assert_eq!(erin.post("/rest/v1/clients", form).await.fields(), [format!("price {code}")], "{price}");
        }
        let form = with(client(&app), "price", json!(1250));
        assert_eq!(erin.post("/rest/v1/clients", form).await.fields(), ["price malformed"]);
        let order = json!({ "client_id": maya.id, "company_id": app.acme, "iso_id": iso, "purchase_amount": "1000" });
        for (percent, code) in
            [("101", "percent_too_large"), ("-1", "negative"), ("2.00001", "invalid_percent"), ("a", "invalid_percent")]
        {
            let form = with(order.clone(), "iso_commission_percentage", json!(percent));
            let refused = erin.post("/rest/v1/spvs", form).await.fields();
            assert_eq!(refused, [format!("iso_commission_percentage {code}")]);
        }
        for (field, value) in [("country", "Atlantis"), ("currency", "XYZ"), ("ordered_date", "31.12.2026")] {
            let refused = erin.post("/rest/v1/spvs", with(order.clone(), field, json!(value))).await.fields();
            assert!(refused.len() == 1 && refused[0].starts_with(field), "{refused:?}");
        }
        let made = erin.post("/rest/v1/spvs", with(order, "country", json!("UAE"))).await.ok();
        assert_eq!((made["country"].as_str(), made["purchase_amount"].as_str()), (Some("AE"), Some("1000.00")));
    })
    .await;
}

#[tokio::test]
async fn unrelated_references_are_refused() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let beta = app.world.company("Beta").await;
        let (foreign, _) = app.iso("Igor", beta).await;
        let form = with(with(client(&app), "iso_id", json!(foreign)), "commission", json!("50"));
        assert_eq!(erin.post("/rest/v1/clients", form).await.fields(), ["iso_id not_in_company"]);
        let form = with(client(&app), "commission", json!("50"));
        assert_eq!(erin.post("/rest/v1/clients", form).await.fields(), ["commission needs_iso"]);
        let nora = app.client_of("Nora", beta, None).await;
        let order = json!({ "client_id": nora.id, "company_id": app.acme, "purchase_amount": "1" });
        assert_eq!(erin.post("/rest/v1/spvs", order).await.fields(), ["client_id not_in_company"]);
    })
    .await;
}

#[tokio::test]
async fn emails_and_identifiers_are_unique_case_insensitively() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let made = erin.post("/rest/v1/clients", client(&app)).await.ok();
        let again = with(client(&app), "email", json!(" MAYA@Example.COM"));
        let taken = erin.post("/rest/v1/clients", again).await.refused(409, "email_taken");
        assert_eq!(taken["params"]["client_id"], made["client"]["id"]);

        let order = |identifier: &str| {
            json!({ "client_id": made["client"]["id"], "company_id": app.acme, "purchase_amount": "1",
                "custom_identifier": identifier })
        };
        erin.post("/rest/v1/spvs", order("Fund-1")).await.ok();
        assert_eq!(erin.post("/rest/v1/spvs", order("fund-1")).await.fields(), ["custom_identifier duplicate"]);
    })
    .await;
}

#[tokio::test]
async fn stale_write_returns_409_with_last_editor() {
    on_both(|app| async move {
        let (erin, emil) = (app.employee("Erin").await, app.employee("Emil").await);
        let maya = app.client("Maya").await;
        let path = format!("/rest/v1/clients/{}", maya.id);
        let seen = erin.get(&path).await;
        let version = seen.body["version"].as_i64().unwrap();
        assert_eq!(seen.etag(), Some(format!("\"{version}\"").as_str()));
        emil.patch(&path, json!({ "phone": "555 0101" })).if_match(version).await.ok();
        let late = erin.patch(&path, json!({ "phone": "555 0102" })).if_match(version).await.refused(409, "stale");
        assert_eq!(late["params"]["changed_by"], "Emil Test");
        assert!(late["message"].as_str().unwrap().contains("Emil Test"));
        assert_eq!(erin.get(&path).await.ok()["phone"], "555 0101");
        // A write without a version overwrites; a malformed version is an error.
        erin.patch(&path, json!({ "phone": null })).await.ok();
        assert_eq!(erin.get(&path).await.ok()["phone"], Value::Null);
        let bad = erin.patch(&path, json!({})).header("if-match", "\"three\"").await;
        assert_eq!(bad.fields(), ["if_match malformed"]);

        let step = erin.get(&format!("/rest/v1/spvs/{}", maya.spv.unwrap())).await.ok()["steps"][0].clone();
        let path = format!("/rest/v1/steps/{}", step["id"].as_str().unwrap());
        let version = step["version"].as_i64().unwrap();
        emil.patch(&path, json!({ "status": "in_progress" })).if_match(version).await.ok();
        erin.patch(&path, json!({ "status": "completed" })).if_match(version).await.refused(409, "stale");

        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let seen = erin.get(&spv).await.ok();
        let version = seen["version"].as_i64().unwrap();
        let ids = json!({ "ids": [seen["steps"][0]["id"], seen["steps"][1]["id"]] });
        emil.post(&format!("{spv}/hold"), json!({ "reason": "Wait" })).await.ok();
        emil.post(&format!("{spv}/resume"), json!({})).await.ok();
        let done = format!("{spv}/steps/complete");
        let late = erin.post(&done, ids.clone()).if_match(version).await.refused(409, "stale");
        assert_eq!(late["params"]["changed_by"], "Emil Test");
        assert_eq!(erin.get(&spv).await.ok()["progress"]["completed"], 0);
        let now = erin.get(&spv).await.ok()["version"].as_i64().unwrap();
        assert_eq!(erin.post(&done, ids).if_match(now).await.ok()["progress"]["completed"], 2);
    })
    .await;
}

#[tokio::test]
async fn stale_delete_returns_409() {
    on_both(|app| async move {
        let (sam, erin) = (app.super_admin("Sam").await, app.employee("Erin").await);
        let beta = app.world.company("Beta").await;
        let (igor, _) = app.iso("Igor", app.acme).await;
        for path in [format!("/rest/v1/companies/{beta}"), format!("/rest/v1/isos/{igor}")] {
            let version = sam.get(&path).await.ok()["version"].as_i64().unwrap();
            erin.post(&format!("{path}/archive"), json!({})).await.ok();
            let late = sam.delete(&path).if_match(version).await.refused(409, "stale");
            assert_eq!(late["params"]["changed_by"], "Erin Test", "{path}");
            let now = sam.get(&path).await.ok()["version"].as_i64().unwrap();
            assert!(now > version, "{path}");
            assert_eq!(sam.delete(&path).if_match(now).await.status, 204, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_list_orders_are_refused() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let maya = app.client("Maya").await;
        let spv = maya.spv.unwrap();
        let sent = sam.post("/rest/v1/messages", json!({ "spv_id": spv, "body": "Hello" })).await.ok();
        let thread = sent["thread_id"].as_str().unwrap();
        for (list, order) in [
            ("leads".to_owned(), "-created_at"),
            ("invoices".to_owned(), "-number"),
            ("commissions".to_owned(), "-earned_date"),
            ("payout-runs".to_owned(), "-number"),
            ("calls".to_owned(), "-created_at"),
            ("jobs".to_owned(), "-id"),
            ("alerts".to_owned(), "-opened_at"),
            ("notifications".to_owned(), "-created_at"),
            ("threads".to_owned(), "-last_message"),
            (format!("threads/{thread}/messages"), "-created_at"),
            (format!("messages?thread_id={thread}"), "-created_at"),
            (format!("document-requests?spv_id={spv}"), "created_at"),
        ] {
            let sign = if list.contains('?') { '&' } else { '?' };
            sam.get(&format!("/rest/v1/{list}{sign}order={order}")).await.ok();
            sam.get(&format!("/rest/v1/{list}{sign}order=")).await.ok();
            let other = sam.get(&format!("/rest/v1/{list}{sign}order=name")).await;
            assert_eq!(other.fields(), ["order unknown"], "{list}");
        }
    })
    .await;
}

#[tokio::test]
async fn markup_is_stored_as_text_and_control_characters_refused() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let name = "<script>alert('1')</script> & {{7*7}}";
        let form = json!({ "name": name, "business_name": "B" });
        let made = erin.post("/rest/v1/companies", form).await;
        assert_eq!(made.header("content-type"), Some("application/json"));
        assert_eq!(made.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(made.ok()["name"], name);
        for evil in ["bell\u{7}", "nul\u{0}", "esc\u{1b}[31m", "rtl\u{202e}gnp", "two\nlines"] {
            let form = json!({ "name": evil, "business_name": "B" });
            assert_eq!(erin.post("/rest/v1/companies", form).await.fields(), ["name control_characters"], "{evil:?}");
        }
        let form = json!({ "name": "a".repeat(201), "business_name": "B", "logo_url": "javascript:alert(1)" });
        assert_eq!(erin.post("/rest/v1/companies", form).await.fields(), ["name too_long", "logo_url invalid_url"]);
        let emptied = erin.patch(&format!("/rest/v1/companies/{}", app.acme), json!({ "name": "" })).await;
        assert_eq!(emptied.fields(), ["name required"]);
    })
    .await;
}

#[tokio::test]
async fn errors_are_in_the_users_language() {
    on_both(|app| async move {
        let nobody = app.anonymous();
        let english = nobody.get("/rest/v1/me").await.refused(401, "unauthenticated");
        let spanish =
            nobody.get("/rest/v1/me").header("accept-language", "es-MX").await.refused(401, "unauthenticated");
        assert_ne!(english["message"], spanish["message"]);
        let erin = app.employee("Erin").await;
        erin.patch("/rest/v1/me", json!({ "language": "es" })).await.ok();
        app.app.auth.token_cache.clear();
        let own = erin.post("/rest/v1/companies", json!({})).header("accept-language", "en").await;
        assert!(own.body["fields"][0]["message"].as_str().is_some_and(|text| !text.contains("Please")), "{}", own.body);
        assert_eq!(erin.patch("/rest/v1/me", json!({ "language": "fr" })).await.fields(), ["language unknown"]);
        let zone = erin.patch("/rest/v1/me", json!({ "time_zone": "Mars/Olympus Mons" })).await;
        assert_eq!(zone.fields(), ["time_zone invalid_time_zone"]);
    })
    .await;
}

#[tokio::test]
async fn contact_requests_are_rate_limited_per_address() {
    on_both(|app| async move {
        let ask = || {
            let body = json!({ "kind": "support", "name": "A", "email": "a@example.com", "message": "Hello" });
            app.anonymous().post("/rest/v1/requests", body)
        };
        for _ in 0..3 {
            let made = ask().await.ok();
            assert!(made["reference"].as_str().unwrap().starts_with("REQ-"));
        }
        let refused = ask().await;
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        refused.refused(429, "too_many_requests");
        // A forged client address has no effect: no proxy is trusted.
        ask().header("x-forwarded-for", "198.51.100.7").await.refused(429, "too_many_requests");
    })
    .await;
}

/// The database becomes unavailable and returns while the portal runs.
async fn without_database(app: &TestApp, stop: impl AsyncFnOnce()) {
    let erin = app.employee("Erin").await;
    erin.get("/rest/v1/me").await.ok();
    app.anonymous().get("/readyz").await.ok();
    stop().await;
    // Longer than the outcome of a readiness check is cached (`READY_TTL`).
    tokio::time::sleep(Duration::from_millis(600)).await;
    for asking in [
        erin.get("/rest/v1/clients"),
        erin.post("/rest/v1/companies", json!({ "name": "A", "business_name": "B" })),
        app.anonymous().get("/readyz"),
    ] {
        let answer = asking.await;
        assert!(answer.header("retry-after").is_some_and(|seconds| seconds.parse::<u32>().is_ok()));
        answer.refused(503, "unavailable");
    }
    // Liveness and routes without database access still answer.
    app.anonymous().get("/healthz").await.ok();
    assert_eq!(app.anonymous().get("/about").await.status, 200);
}

#[tokio::test]
async fn sqlite_outage_returns_503_and_stays_alive() {
    let app = TestApp::new(World::sqlite().await, api::HttpConfig::default()).await;
    let db = app.world.db.clone();
    without_database(&app, async || db.close().await).await;
}

#[tokio::test]
async fn postgres_outage_returns_503_and_recovers() {
    let Some(world) = World::postgres().await else { return };
    let (server, rest) = world.url.split_once('@').map_or(("", ""), |(_, rest)| rest.split_once('/').unwrap());
    let wire = Wire::to(server).await;
    let url = world.url.replace(&format!("@{server}/{rest}"), &format!("@{}/{rest}", wire.address));
    let db = Db::open(&url, Durability::Full).await.unwrap();
    let app = TestApp::new(World { db, ..world }, api::HttpConfig::default()).await;
    without_database(&app, async || wire.cut().await).await;
    wire.mend().await;
    // A connection used within the last second is not checked: a request may get a dead one.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    app.anonymous().get("/readyz").await.ok();
    let erin = app.employee("Emil").await;
    erin.post("/rest/v1/companies", json!({ "name": "A", "business_name": "B" })).await.ok();
}

/// A proxy to a database server that can be interrupted.
struct Wire {
    server: String,
    address: SocketAddr,
    open: Mutex<Option<JoinHandle<()>>>,
}

impl Wire {
    async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let wire = Self { server: server.to_owned(), address, open: Mutex::new(None) };
        wire.carry(listener).await;
        wire
    }

    async fn carry(&self, listener: TcpListener) {
        let server = self.server.clone();
        let carrying = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let server = server.clone();
                connections.spawn(async move {
                    if let Ok(mut far) = TcpStream::connect(server).await {
                        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                    }
                });
            }
        });
        *self.open.lock().await = Some(carrying);
    }

    /// Closes every connection, and refuses new ones.
    async fn cut(&self) {
        let carrying = self.open.lock().await.take().unwrap();
        carrying.abort();
        let _ = carrying.await;
    }

    async fn mend(&self) {
        self.carry(TcpListener::bind(self.address).await.unwrap()).await;
    }
}

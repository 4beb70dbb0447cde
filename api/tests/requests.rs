//! Application forms: validation, privacy, rate limits.

use crate::support::{TestApp, TestResponse};
use api::HttpConfig;
use domain::{kernel::page::PageQuery, outbox::mails, testing};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

fn form(account: &str) -> Value {
    match account {
        "client" => json!({ "first_name": " Maya ", "last_name": "Ortiz", "phone": "", "country": "UAE",
            "company": "Ortiz & Söhne", "purpose": "A fund.\nTwo lines." }),
        "employee" => {
            json!({ "first_name": "Emil", "last_name": "Berg", "job_title": "Analyst", "reason": "New here" })
        }
        "iso" => {
            json!({ "first_name": "Ivan", "last_name": "Petrov", "phone": "+1 555 0100", "business_name": "Petrov LLC",
            "website": "https://petrov.example", "clients_per_year": "11-50" })
        }
        _ => json!({ "first_name": "Cora", "last_name": "Lee", "name": "Harbor", "business_name": "Harbor LLC",
            "company_size": "201+" }),
    }
}

fn application(account: &str, form: &Value) -> Value {
    json!({ "kind": "account", "account_type": account, "email": "someone@example.com", "application": form })
}

/// A portal behind a proxy, so that each request can have another address.
async fn on_both<F: Future<Output = ()>>(test: impl Fn(TestApp) -> F) {
    let http = || HttpConfig { trusted_proxies: vec!["127.0.0.1".parse().unwrap()], ..HttpConfig::default() };
    testing::on_both(|world| async { test(TestApp::new(world, http()).await).await }).await;
}

/// Sent from an unused address.
async fn ask(app: &TestApp, body: Value) -> TestResponse {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let address = std::net::Ipv4Addr::from(0xc633_0000 + NEXT.fetch_add(1, Ordering::Relaxed));
    app.anonymous().post("/rest/v1/requests", body).header("x-forwarded-for", &address.to_string()).await
}

async fn refused(app: &TestApp, body: Value) -> Vec<String> {
    ask(app, body).await.fields()
}

#[tokio::test]
async fn all_forms_are_stored_for_staff() {
    on_both(|app| async move {
        let (erin, maya) = (app.employee("Erin").await, app.client("Maya").await);
        for account in ["client", "employee", "iso", "company"] {
            let made = ask(&app, application(account, &form(account))).await.ok();
            let path = format!("/rest/v1/requests/{}", made["id"].as_str().unwrap());
            let seen = erin.get(&path).await.ok();
            assert_eq!((&seen["reference"], &seen["status"]), (&made["reference"], &json!("pending")));
            assert_eq!((&seen["data"]["account_type"], &seen["message"]), (&json!(account), &json!("")));
            assert!(!seen["data"]["application"]["first_name"].as_str().unwrap().contains(' '));
            maya.get(&path).await.refused(404, "not_found");
            app.anonymous().get(&path).await.refused(401, "unauthenticated");
        }
        let all = erin.get("/rest/v1/requests?limit=10").await.ok();
        let client = all["items"].as_array().unwrap().iter().find(|item| item["name"] == "Maya Ortiz").unwrap();
        assert_eq!(
            client["data"]["application"],
            json!({ "first_name": "Maya", "last_name": "Ortiz", "phone": null, "company": "Ortiz & Söhne",
                "country": "AE", "purpose": "A fund.\nTwo lines." })
        );
    })
    .await;
}

#[tokio::test]
async fn applications_do_not_reveal_accounts() {
    on_both(|app| async move {
        app.client("Maya").await;
        let from = async |email: &str| {
            let mut body = application("client", &form("client"));
            body["email"] = json!(email);
            ask(&app, body).await
        };
        let (known, unknown) = (from("maya@example.com").await, from("nobody@example.com").await);
        assert_eq!(known.status, unknown.status);
        let names = |answer: Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(known.ok()), names(unknown.ok()));
    })
    .await;
}

#[tokio::test]
async fn form_errors_name_the_nested_field() {
    on_both(|app| async move {
        for (account, required) in [
            ("client", &["first_name", "last_name", "country"][..]),
            ("employee", &["first_name", "last_name", "job_title", "reason"]),
            ("iso", &["first_name", "last_name", "phone", "business_name"]),
            ("company", &["first_name", "last_name", "name", "business_name"]),
        ] {
            let all: Vec<_> = required.iter().map(|name| format!("application.{name} required")).collect();
            assert_eq!(refused(&app, application(account, &json!({}))).await, all);
            assert_eq!(refused(&app, application(account, &Value::Null)).await, all, "no form at all");
            let blank = json!({ "first_name": " ", "last_name": null, "phone": "\u{200b}" });
            assert_eq!(refused(&app, application(account, &blank)).await, all);
        }
        let long = "a".repeat(201);
        for (account, name, value, code) in [
            ("client", "first_name", long.as_str(), "too_long"),
            ("client", "first_name", "be\u{7}ll", "control_characters"),
            ("client", "last_name", "two\nlines", "control_characters"),
            ("client", "country", "Atlantis", "unknown"),
            ("client", "job_title", "Analyst", "not_allowed"),
            ("client", "purpose", &"a".repeat(10_001), "too_long"),
            ("employee", "country", "US", "not_allowed"),
            ("employee", "department", &long, "too_long"),
            ("iso", "website", "http://petrov.example", "invalid_url"),
            ("iso", "website", "javascript:alert(1)", "invalid_url"),
            ("iso", "clients_per_year", "12", "unknown"),
            ("iso", "company_size", "1-10", "not_allowed"),
            ("company", "company_size", "some", "unknown"),
            ("company", "clients_per_year", "1-10", "not_allowed"),
        ] {
            let mut form = form(account);
            form[name] = json!(value);
            assert_eq!(refused(&app, application(account, &form)).await, [format!("application.{name} {code}")]);
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_request_kinds_are_refused() {
    on_both(|app| async move {
        let mut odd = form("client");
        odd["admin"] = json!(true);
        let unknown = ask(&app, application("client", &odd)).await.refused(400, "unknown_field");
        assert_eq!(unknown["params"]["field"], "admin");
        assert_eq!(refused(&app, application("client", &json!("Maya"))).await, ["application malformed"]);
        let mut number = form("client");
        number["first_name"] = json!(7);
        assert_eq!(refused(&app, application("client", &number)).await, ["application.first_name malformed"]);
        assert_eq!(refused(&app, application("king", &form("client"))).await, ["account_type unknown"]);
        let mut without = application("client", &form("client"));
        without["email"] = json!("nonsense");
        assert_eq!(refused(&app, without).await, ["email invalid_email"]);
        let support = json!({ "kind": "support", "name": "A", "email": "a@example.com", "message": "Hello",
            "account_type": "client", "application": form("client") });
        assert_eq!(refused(&app, support).await, ["account_type not_allowed", "application not_allowed"]);
    })
    .await;
}

#[tokio::test]
async fn rejected_applicants_get_the_reason_by_mail() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        let decline = async |id: &Value, reason: &str| {
            let path = format!("/rest/v1/requests/{}/reject", id.as_str().unwrap());
            erin.post(&path, json!({ "reason": reason })).await.ok()
        };
        let support =
            json!({ "kind": "support", "name": "Ana Paz", "email": "ana@example.com", "message": "¿Pueden?" });
        let made = app
            .anonymous()
            .post("/rest/v1/requests", support)
            .header("accept-language", "es-MX,en;q=0.5")
            .header("x-forwarded-for", "203.0.113.200")
            .await
            .ok();
        let refused = decline(&made["id"], "No trabajamos con particulares.").await;
        assert_eq!(refused["status"], "rejected");
        let application = ask(&app, application("client", &form("client"))).await.ok();
        decline(&application["id"], "We need <b>references</b> first.").await;
        // A user with an account reads it there, and is notified.
        let maya = app.client("Maya").await;
        let order =
            json!({ "kind": "order", "order": { "purpose": "A", "proposed_names": ["B"], "purchase_amount": "1" } });
        let order = maya.post("/rest/v1/requests", order).await.ok();
        decline(&order["id"], "Not this one").await;

        let page = PageQuery { limit: Some(50), cursor: None };
        let mut mails = mails::list(&app.world.operator(), None, &page).await.unwrap().items;
        mails.retain(|mail| mail.kind == mails::Kind::RequestDeclined);
        mails.sort_by_key(|mail| mail.language.clone());
        let [english, spanish] = &mails[..] else { panic!("{mails:?}") };
        assert_eq!((spanish.language.as_str(), spanish.to_email.as_str()), ("es", "ana@example.com"));
        assert_eq!((spanish.to_name.as_str(), spanish.user_id), ("Ana Paz", None));
        assert_eq!(
            (&spanish.data["reference"], &spanish.data["reason"]),
            (&made["reference"], &json!("No trabajamos con particulares."))
        );
        assert_eq!((english.language.as_str(), english.to_email.as_str()), ("en-US", "someone@example.com"));
        let sent = app.deliver_mails().await;
        assert_eq!(sent.iter().filter(|letter| letter.kind == mails::Kind::RequestDeclined).count(), 2);
    })
    .await;
}

#[tokio::test]
async fn requests_are_rate_limited_per_user_except_staff() {
    on_both(|app| async move {
        let (maya, noah, erin) = (app.client("Maya").await, app.client("Noah").await, app.employee("Erin").await);
        let question = || json!({ "kind": "support", "message": "Hello" });
        let mut made = 0;
        // A slow machine refills some tokens meanwhile.
        let refused = loop {
            let answer = maya.post("/rest/v1/requests", question()).await;
            if answer.status.as_u16() != 201 || made == 100 {
                break answer;
            }
            made += 1;
        };
        assert!(made >= 60, "{made}");
        assert_eq!(refused.status.as_u16(), 429);
        noah.post("/rest/v1/requests", question()).await.ok();
        for _ in 0..30 {
            erin.post("/rest/v1/requests", question()).await.ok();
        }
    })
    .await;
}

#[tokio::test]
async fn writes_that_notify_staff_are_rate_limited() {
    on_both(|app| async move {
        let (maya, noah, erin) = (app.client("Maya").await, app.client("Noah").await, app.employee("Erin").await);
        let ((_, ingrid), (_, igor)) = (app.iso("Ingrid", app.acme).await, app.iso("Igor", app.acme).await);
        let hello = json!({ "spv_id": maya.spv, "body": "Hello" });
        let nothing = "00000000-0000-4000-8000-000000000000";
        for (who, path, body) in [
            (&maya, "messages".to_owned(), hello.clone()),
            // Whatever the outcome.
            (&noah, format!("invoices/{nothing}/receipts"), json!({ "document_id": nothing })),
            (&ingrid, "leads".to_owned(), json!({ "first_name": "", "last_name": "", "email": "" })),
            (&igor, "calls".to_owned(), json!({ "topic": "", "times": [] })),
        ] {
            let path = format!("/rest/v1/{path}");
            let mut passed = 0;
            let refused = loop {
                let answer = who.post(&path, body.clone()).await;
                if answer.status.as_u16() == 429 || passed == 100 {
                    break answer;
                }
                passed += 1;
            };
            assert!(passed >= 60, "{path}: {passed}");
            assert!(refused.header("retry-after").is_some());
            refused.refused(429, "too_many_requests");
        }
        for _ in 0..65 {
            erin.post("/rest/v1/messages", hello.clone()).await.ok();
        }
    })
    .await;
}

#[tokio::test]
async fn partner_leads_and_calls_are_handled_from_the_request_desk() {
    on_both(|app| async move {
        let company = app.world.company("Meridian").await;
        let ((_, ingrid), (_, igor)) = (app.iso("Ingrid", company).await, app.iso("Igor", company).await);
        let (erin, clara) = (app.employee("Erin").await, app.company_admin("Clara", company).await);
        let lead = json!({ "first_name": "Lena", "last_name": "Lead", "email": "lena@lead.example" });
        let lead = ingrid.post("/rest/v1/leads", lead).await.ok();
        let time = app.world.clock.now() + chrono::Duration::days(2);
        let call = ingrid.post("/rest/v1/calls", json!({ "topic": "Terms", "times": [time] })).await.ok();
        let desk = erin.get("/rest/v1/requests?order=created_at").await.ok();
        let of = |kind: &str| {
            let all = desk["items"].as_array().unwrap();
            all.iter().find(|item| item["kind"] == kind).cloned().unwrap_or_else(|| panic!("{desk}"))
        };
        let (brought, called) = (of("lead"), of("call"));
        assert_eq!((&brought["lead_id"], &brought["call_id"]), (&lead["id"], &Value::Null));
        assert_eq!((&called["lead_id"], &called["call_id"]), (&Value::Null, &call["id"]));
        assert_eq!(brought["can"], json!(["convert", "reject", "review", "update"]));
        for request in [&brought, &called] {
            let path = format!("/rest/v1/requests/{}", request["id"].as_str().unwrap());
            for stranger in [&igor, &clara] {
                stranger.get(&path).await.refused(404, "not_found");
                stranger.post(&format!("{path}/withdraw"), json!({})).await.refused(404, "not_found");
                stranger.post(&format!("{path}/reject"), json!({ "reason": "No" })).await.refused(404, "not_found");
            }
            let own = ingrid.get(&path).await.ok();
            // Priority, due time and assignee are visible to staff only.
            assert_eq!((&own["can"], &own["priority"]), (&json!(["withdraw"]), &Value::Null));
            let code = if request == &called { "approved_by_call" } else { "approved_by_lead" };
            erin.post(&format!("{path}/approve"), json!({})).await.refused(409, code);
            let rejected = erin.post(&format!("{path}/reject"), json!({ "reason": "Not now" })).await.ok();
            assert_eq!((&rejected["status"], &rejected["reason"]), (&json!("rejected"), &json!("Not now")));
            erin.post(&format!("{path}/reject"), json!({ "reason": "No" })).await.refused(409, "request_decided");
        }
        let lead = ingrid.get(&format!("/rest/v1/leads/{}", lead["id"].as_str().unwrap())).await.ok();
        let call = ingrid.get(&format!("/rest/v1/calls/{}", call["id"].as_str().unwrap())).await.ok();
        assert_eq!(
            (&lead["stage"], &call["status"], &call["answer"]),
            (&json!("lost"), &json!("declined"), &json!("Not now"))
        );
    })
    .await;
}

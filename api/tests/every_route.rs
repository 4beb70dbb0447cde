//! Every operation of the OpenAPI document, tried by everybody. The table is a reviewed text: a new route without
//! a line here, or a line that changes, is seen in a diff.

use crate::support::{TestApp, TestRequest, TestUser, on_both};
use axum::http::Method;
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::{
    accounts::{ip_blocklist, users},
    desk::requests,
    directory::{calls, companies, iso_notes, isos, leads},
    kernel::ids::CompanyId,
    orders::{commissions, document_requests, documents::uploads, onboarding, steps},
    platform::maintenance,
    reporting::reports,
};
use serde_json::{Value, json};
use std::fmt::Write;

/// The only operations for which nobody needs to sign in.
const PUBLIC: [&str; 7] = [
    "settings_get",
    "request_create",
    "health_alive",
    "health_ready",
    "file_get",
    "company_logo_get",
    "email_unsubscribe",
];

/// Nobody's.
const NO_SESSION: &str = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";

/// The rows that an operation is tried on: Acme's, with Ivan as its ISO and Maya as its client.
struct Rows {
    acme: CompanyId,
    iso: String,
    maya: String,
    /// Maya's order, pending, and its first step.
    spv: String,
    step: String,
    /// All of them, in order.
    steps: Vec<Value>,
    /// Invoices of Maya's orders, one to be paid and one to be voided.
    invoice: String,
    void: String,
    /// Maya's request for an order, and another that Maya takes back.
    request: String,
    withdrawn: String,
    /// Maya's question, which is answered.
    asked: String,
    /// The conversation about it.
    thread: String,
    /// Rows that nobody is signed in from, to be shut and deleted.
    other_client: String,
    other_company: String,
    /// An admin of Acme's.
    member: String,
    /// Acme's.
    logo: String,
    other_iso: String,
    /// What Maya sent in for that order, its first version, something on its way, and what she is asked for.
    document: String,
    version: String,
    upload: String,
    document_request: String,
    /// A document of Maya's that belongs to no order.
    free: String,
    /// What Ivan earned with an order of Maya's, and the payout run it is in.
    commission: String,
    run: String,
    /// What Ivan brings, notes and asks for, and the time that would suit.
    lead: String,
    note: String,
    call: String,
    time: String,
    /// A report that is mailed, and the admin to whom.
    schedule: String,
    admin: String,
    /// A network that is kept out.
    block: String,
}

/// A closed order's commission, approved and in a run as far as the operation wants it.
async fn earned(app: &TestApp, operation: &str, acme: CompanyId, iso: &str, maya: &TestUser) -> (String, String) {
    if !operation.starts_with("commission_") && !operation.starts_with("payout_run_") {
        return Default::default();
    }
    let root = app.world.operator();
    let input = onboarding::OrderInput {
        client_id: Some(maya.id),
        company_id: Some(acme),
        iso_id: iso.parse().ok(),
        purchase_amount: Some("1000".to_owned()),
        iso_commission_percentage: Some("2.5".to_owned()),
        ..Default::default()
    };
    let order = onboarding::create_order(&root, input).await.expect("an order");
    let steps: Vec<_> = order.steps.iter().map(|step| step.id).collect();
    steps::complete(&root, order.spv.id, None, &steps).await.expect("is closed");
    let of = commissions::Filter { spv_id: Some(order.spv.id), ..Default::default() };
    let id = commissions::list(&root, &of, &Default::default()).await.expect("a list").items[0].id;
    let mut run = String::new();
    if operation.starts_with("payout_run_") {
        commissions::approve(&root, &[id]).await.expect("is approved");
        if operation != "payout_run_open" {
            run = commissions::open(&root).await.expect("a run").run.id.to_string();
        }
    }
    (id.to_string(), run)
}

/// A lead, a note about Maya and a call of Ivan's.
async fn brought(app: &TestApp, iso: &str, maya: &TestUser, n: usize) -> [String; 4] {
    let root = app.world.operator();
    let iso = isos::get(&root, iso.parse().expect("an id")).await.expect("Ivan");
    let ivan = app.world.signed_in(&users::get(&root, iso.user_id).await.expect("Ivan"));
    let lead = leads::Input {
        first_name: "Lena".to_owned(),
        last_name: format!("Lead {n}"),
        email: format!("lena.{n}@example.com"),
        ..Default::default()
    };
    let lead = leads::create(&ivan, lead).await.expect("a lead");
    let note = iso_notes::create(&ivan, maya.id, "Prefers mornings").await.expect("a note");
    let time = app.world.clock.now() + chrono::Duration::days(1);
    let call = calls::Input { topic: "Terms".to_owned(), times: vec![time], ..Default::default() };
    let call = calls::create(&ivan, call).await.expect("a call");
    [lead.id.to_string(), note.id.to_string(), call.id.to_string(), time.to_rfc3339()]
}

async fn rows(
    app: &TestApp,
    staff: &TestUser,
    acme: CompanyId,
    iso: &str,
    maya: &TestUser,
    (n, operation): (usize, &str),
) -> Rows {
    let id = |answer: &Value, of: &str| answer.pointer(of).and_then(Value::as_str).expect("an id").to_owned();
    let spv = staff
        .post(
            "/rest/v1/spvs",
            json!({ "client_id": maya.id, "company_id": acme, "iso_id": iso, "purchase_amount": "1000" }),
        )
        .await
        .ok();
    let company = app.world.company(&format!("Company {n}")).await;
    // By hand: over the API somebody asks only so often.
    let root = app.world.operator();
    let client = app.world.signed_in(&users::get(&root, maya.id).await.expect("Maya"));
    let asks = async |input: requests::Input| requests::create(&client, input).await.expect("a request").id.to_string();
    let order = requests::OrderForm {
        purpose: Some("Tried".to_owned()),
        proposed_names: vec!["One".to_owned()],
        purchase_amount: Some("1".to_owned()),
        ..Default::default()
    };
    let order = requests::Input { kind: "order".to_owned(), order: Some(order), ..Default::default() };
    let request = asks(order.clone()).await;
    let withdrawn = asks(order).await;
    let message = "How long does it take?".to_owned();
    let question = asks(requests::Input { kind: "support".to_owned(), message, ..Default::default() }).await;
    let message = json!({ "spv_id": id(&spv, "/id"), "body": "Hello" });
    let message = staff.post("/rest/v1/messages", message).await.ok();
    let priced = json!({ "client_id": maya.id, "company_id": acme, "purchase_amount": "1000", "price": "10" });
    let invoice = async |spv: &Value| {
        let found = staff.get(&format!("/rest/v1/invoices?spv_id={}", id(spv, "/id"))).await.ok();
        id(&found, "/items/0/id")
    };
    let (other_iso, _) = app.world.iso(&format!("Iso{n}"), company).await;
    let (other_client, ..) = app.world.client(&format!("Client{n}"), app.acme, None).await;
    let maya_acts = app.world.signed_in(&users::get(&app.world.operator(), maya.id).await.expect("Maya"));
    let spv_id = id(&spv, "/id").parse().expect("an id");
    let new = || uploads::CreateUpload {
        file_name: "a.txt".to_owned(),
        bytes: 3,
        spv_id: Some(spv_id),
        ..Default::default()
    };
    let kept = uploads::create(&maya_acts, new()).await.expect("an upload");
    let content = futures::stream::iter([Ok::<_, std::convert::Infallible>(axum::body::Bytes::from_static(b"abc"))]);
    let kept = uploads::append(&maya_acts, kept.id, 0, content).await.expect("a document");
    let free = uploads::CreateUpload { spv_id: None, attach: true, ..new() };
    let free = uploads::create(&maya_acts, free).await.expect("an upload");
    let content = futures::stream::iter([Ok::<_, std::convert::Infallible>(axum::body::Bytes::from_static(b"abc"))]);
    let free = uploads::append(&maya_acts, free.id, 0, content).await.expect("a document");
    let upload = uploads::create(&maya_acts, new()).await.expect("an upload");
    let asked = document_requests::Input { name: Some("Passport".to_owned()), ..Default::default() };
    let document_request =
        document_requests::create(&app.world.operator(), spv_id, asked).await.expect("a document request");
    let [lead, note, call, time] = brought(app, iso, maya, n).await;
    let (commission, run) = earned(app, operation, acme, iso, maya).await;
    let root = app.world.operator();
    let admin = reports::admins(&root, Some(acme)).await.expect("admins")[0].id;
    let schedule = reports::Input {
        company_id: Some(acme),
        report: Some("portfolio".to_owned()),
        every: Some("weekly".to_owned()),
        recipients: vec![admin],
        ..Default::default()
    };
    // A company may have only so many.
    let there = reports::list(&root, Some(acme)).await.expect("schedules").into_iter().next();
    let schedule = match there {
        Some(there) => there,
        None => reports::create(&root, schedule).await.expect("a schedule"),
    };
    Rows {
        schedule: schedule.id.to_string(),
        block: ip_blocklist::add(&root, "198.51.100.9", None).await.expect("a block").id.to_string(),
        admin: admin.to_string(),
        free: free.saved_document_id.expect("is kept").to_string(),
        commission,
        run,
        lead,
        note,
        call,
        time,
        document: kept.saved_document_id.expect("is kept").to_string(),
        version: kept.version_id.expect("is kept").to_string(),
        upload: upload.id.to_string(),
        document_request: document_request.id.to_string(),
        acme,
        iso: iso.to_owned(),
        maya: maya.id.to_string(),
        step: id(&spv, "/steps/0/id"),
        steps: spv["steps"].as_array().expect("steps").iter().map(|step| step["id"].clone()).collect(),
        request,
        withdrawn,
        asked: question,
        thread: id(&message, "/thread_id"),
        invoice: invoice(&staff.post("/rest/v1/spvs", priced.clone()).await.ok()).await,
        void: invoice(&staff.post("/rest/v1/spvs", priced).await.ok()).await,
        spv: id(&spv, "/id"),
        other_client: other_client.to_string(),
        other_company: company.to_string(),
        member: app.world.company_admin(&format!("Member{n}"), acme).await.actor.user_id().expect("a user").to_string(),
        logo: logo(app, operation, acme).await,
        other_iso: other_iso.to_string(),
    }
}

/// Which row an operation is tried on, and with what; none for an operation that this file does not know.
fn trial(operation: &str, rows: &Rows, who: &str) -> Option<(String, Value)> {
    let none = || json!({});
    let reason = || json!({ "reason": "tried" });
    let unique = format!("{}@example.com", uuid_like(operation, who));
    Some(match operation {
        "me_get"
        | "session_list"
        | "message_find"
        | "document_request_find"
        | "me_sign_ins"
        | "me_activity"
        | "profile_get"
        | "place_list"
        | "billing_get"
        | "invoice_list"
        | "settings_get"
        | "client_list"
        | "company_list"
        | "iso_list"
        | "spv_list"
        | "template_list"
        | "activity_list"
        | "dashboard_client"
        | "dashboard_employee"
        | "dashboard_iso"
        | "dashboard_company"
        | "dashboard_admin"
        | "job_list"
        | "request_list"
        | "request_summary"
        | "event_stream"
        | "thread_list"
        | "thread_unread"
        | "notification_list"
        | "notification_unread"
        | "notification_choices"
        | "client_export"
        | "company_export"
        | "iso_export"
        | "spv_export"
        | "request_export"
        | "invoice_export"
        | "document_export"
        | "lead_export"
        | "call_export"
        | "task_export"
        | "commission_export"
        | "commission_list"
        | "commission_overview"
        | "commission_statement"
        | "payout_run_list"
        | "payout_run_open"
        | "lead_list"
        | "call_list"
        | "search_find"
        | "task_list"
        | "staff_list"
        | "dashboard_performance"
        | "finances_get"
        | "finances_export"
        | "analytics_get"
        | "analytics_office"
        | "log_list"
        | "log_export"
        | "probe_list"
        | "probe_check"
        | "alert_list"
        | "scan_latest"
        | "scan_create"
        | "backup_list"
        | "backup_create"
        | "settings_logo_set"
        | "settings_logo_remove"
        | "settings_test_mail"
        | "report_get"
        | "report_csv"
        | "report_xlsx"
        | "report_schedule_list"
        | "user_list"
        | "impersonation_end"
        | "maintenance_end"
        | "address_block_list"
        | "key_list"
        | "key_rotate"
        | "health_alive"
        | "health_ready"
        // Without a link's token there is nothing to stop, whoever asks.
        | "email_unsubscribe" => (String::new(), none()),
        "me_update" => (String::new(), json!({ "language": "en-US" })),
        "profile_update" => (String::new(), json!({ "city": "Tried" })),
        "settings_set" => (String::new(), json!({ "support_phone": "+1 555 0100" })),
        "job_retry" => ("01JDXWZ0000000000000000000".to_owned(), none()),
        "alert_resolve" => (uuid::Uuid::nil().to_string(), none()),
        "client_get" => (rows.maya.clone(), none()),
        "client_update" => (rows.maya.clone(), json!({ "phone": "555 0101" })),
        "client_invite" => (rows.maya.clone(), none()),
        "client_suspend" | "client_restore" | "client_archive" => (rows.other_client.clone(), none()),
        "client_create" => (
            String::new(),
            json!({ "setup": "quick", "first_name": "New", "last_name": "One", "email": unique, "company_id": rows.acme,
                "price": "1" }),
        ),
        "user_create" => {
            (String::new(), json!({ "role": "employee", "first_name": "New", "last_name": "One", "email": unique }))
        }
        "user_get" | "user_session_list" | "user_session_end" | "user_sign_ins" | "user_activity" | "user_suspend"
        | "user_restore" | "user_archive" | "user_invite" | "user_reset_mfa" | "user_sign_out" => {
            (rows.other_client.clone(), none())
        }
        // Who has orders stays a client.
        "user_set_role" => (rows.other_client.clone(), json!({ "role": "client" })),
        "user_impersonate" => (rows.other_client.clone(), reason()),
        "maintenance_start" => (String::new(), json!({ "message": "tried" })),
        "address_block_create" => (String::new(), json!({ "network": "203.0.113.7" })),
        "address_block_delete" => (rows.block.clone(), none()),
        "company_get" => (rows.acme.to_string(), none()),
        "company_update" => (rows.acme.to_string(), json!({ "phone": "555 0101" })),
        "company_archive" | "company_restore" | "company_delete" => (rows.other_company.clone(), none()),
        "company_settings_get"
        | "company_logo_set"
        | "company_logo_remove"
        | "company_member_list"
        | "company_client_list" => (rows.acme.to_string(), none()),
        "company_settings_set" => (rows.acme.to_string(), json!({ "phone": "555 0101" })),
        "company_logo_get" => (rows.logo.clone(), none()),
        "company_member_create" => {
            (rows.acme.to_string(), json!({ "first_name": "New", "last_name": "One", "email": unique }))
        }
        "company_member_invite" => (rows.member.clone(), none()),
        "company_member_remove" | "company_member_restore" => (rows.member.clone(), none()),
        "company_create" => (String::new(), json!({ "name": unique, "business_name": "New LLC" })),
        "iso_get" => (rows.iso.clone(), none()),
        "iso_archive" | "iso_restore" | "iso_delete" => (rows.other_iso.clone(), none()),
        "iso_create" => (
            String::new(),
            json!({ "first_name": "New", "last_name": "One", "email": unique, "company_id": rows.acme }),
        ),
        "spv_get" | "step_list" | "spv_start" | "spv_resume" => (rows.spv.clone(), none()),
        "spv_hold" | "spv_cancel" | "spv_reopen" => (rows.spv.clone(), reason()),
        "spv_create" => {
            (String::new(), json!({ "client_id": rows.maya, "company_id": rows.acme, "purchase_amount": "1" }))
        }
        "step_get" => (rows.step.clone(), none()),
        "template_get" => ("SG".to_owned(), none()),
        "template_set" => (
            "SG".to_owned(),
            json!({ "name": "Tried", "steps": [{ "step_name": "One", "owner": "staff", "business_days": 1 }] }),
        ),
        "step_create" => (rows.spv.clone(), json!({ "step_name": "Apostille" })),
        // Each deletes one of their own.
        "step_delete" => (rows.steps[usize::from(who == "super admin")].as_str()?.to_owned(), none()),
        "step_order" => (rows.spv.clone(), json!({ "ids": rows.steps })),
        "step_complete" => (rows.spv.clone(), json!({ "ids": [rows.step] })),
        "step_update" => (rows.step.clone(), json!({ "text_data": "tried" })),
        "invoice_get" | "invoice_pdf" => (rows.invoice.clone(), none()),
        "lead_get" => (rows.lead.clone(), none()),
        "lead_update" => (rows.lead.clone(), json!({ "stage": "contacted" })),
        "lead_convert" => (rows.lead.clone(), json!({ "setup": "quick", "price": "10", "commission": "1" })),
        "lead_create" => (String::new(), json!({ "first_name": "New", "last_name": "One", "email": unique })),
        "client_note_list" => (rows.maya.clone(), none()),
        "client_note_create" => (rows.maya.clone(), json!({ "body": "tried" })),
        "client_note_delete" => (rows.note.clone(), none()),
        "call_create" => (String::new(), json!({ "topic": "tried", "times": [rows.time] })),
        "call_get" | "call_cancel" | "call_calendar" => (rows.call.clone(), none()),
        "call_confirm" => (rows.call.clone(), json!({ "begins_at": rows.time })),
        "call_decline" => (rows.call.clone(), reason()),
        "report_schedule_get" | "report_schedule_update" | "report_schedule_delete" => (rows.schedule.clone(), none()),
        "report_schedule_create" => (
            String::new(),
            json!({ "company_id": rows.acme, "report": "portfolio", "every": "weekly", "recipients": [rows.admin] }),
        ),
        "commission_get" => (rows.commission.clone(), none()),
        "commission_approve" => (String::new(), json!({ "ids": [rows.commission] })),
        "commission_void" => (rows.commission.clone(), reason()),
        "payout_run_get" | "payout_run_csv" | "payout_run_pay" | "payout_run_discard" => (rows.run.clone(), none()),
        "invoice_pay" => (rows.invoice.clone(), json!({ "amount": "0.01" })),
        "invoice_send_receipt" => (rows.invoice.clone(), json!({ "document_id": rows.free })),
        "invoice_void" => (rows.void.clone(), reason()),
        "document_list" | "file_get" | "upload_create" => (String::new(), none()),
        "document_get" => (rows.document.clone(), none()),
        "document_restore" => (rows.document.clone(), json!({ "version_id": rows.version })),
        "version_link" => (rows.version.clone(), none()),
        "upload_get" | "upload_append" | "upload_delete" => (rows.upload.clone(), none()),
        "document_request_list" => (rows.spv.clone(), none()),
        "document_request_create" => (rows.spv.clone(), json!({ "name": "Proof of address" })),
        "document_request_get" | "document_request_approve" => (rows.document_request.clone(), none()),
        "document_request_update" => (rows.document_request.clone(), json!({ "name": "Proof of address" })),
        "document_request_return" | "document_request_waive" => (rows.document_request.clone(), reason()),
        "job_create" => (String::new(), json!({ "name": "seed" })),
        "request_get" | "request_review" => (rows.request.clone(), none()),
        "request_update" => (rows.request.clone(), json!({ "priority": "high" })),
        "request_approve" => (rows.asked.clone(), json!({ "reply": "tried" })),
        "request_accept" => (
            rows.request.clone(),
            json!({ "company_id": rows.acme, "iso_id": rows.iso, "purchase_amount": "1", "price": "1" }),
        ),
        "request_reject" => (rows.request.clone(), reason()),
        "request_withdraw" => (rows.withdrawn.clone(), none()),
        "request_create" => {
            (String::new(), json!({ "kind": "support", "name": "A", "email": unique, "message": "Hello" }))
        }
        "thread_get" | "message_list" | "thread_read" => (rows.thread.clone(), none()),
        "message_create" => (String::new(), json!({ "thread_id": rows.thread, "body": "tried" })),
        "notification_read" => (String::new(), json!({ "all": true })),
        "notification_choose" => (String::new(), json!({ "choices": [] })),
        "notification_send" => (String::new(), json!({ "type": "password_setup", "to": "maya@example.com" })),
        "notification_send_spv" => {
            (String::new(), json!({ "clientEmail": "maya@example.com", "spvIdentifier": rows.spv }))
        }
        _ => return None,
    })
}

/// The smallest picture there can be: only its head is looked at.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

async fn logo(app: &TestApp, operation: &str, acme: CompanyId) -> String {
    if operation != "company_logo_get" {
        return String::new();
    }
    let company = companies::set_logo(&app.world.operator(), acme, PICTURE.to_vec()).await.expect("a logo");
    company.logo_id.expect("a logo").to_string()
}

/// The company whose portal is looked at; a super admin must say which.
fn query(operation: &str, rows: &Rows) -> String {
    match operation {
        "dashboard_company" | "finances_get" | "finances_export" | "analytics_get" | "report_schedule_list" => {
            format!("?company_id={}", rows.acme)
        }
        "report_get" | "report_csv" | "report_xlsx" => format!("?company_id={}&report=portfolio", rows.acme),
        "message_find" => format!("?thread_id={}", rows.thread),
        "document_request_find" => format!("?spv_id={}", rows.spv),
        _ => String::new(),
    }
}

/// What the upload protocol wants to hear beside the body.
fn headers(asking: TestRequest, operation: &str, rows: &Rows) -> TestRequest {
    if !operation.starts_with("upload_") {
        return asking;
    }
    let client = format!("client_id {}", BASE64_STANDARD.encode(&rows.maya));
    let asking = asking.header("tus-resumable", "1.0.0").header("upload-length", "3").header("upload-offset", "0");
    asking.header("upload-metadata", &client).header("content-type", "application/offset+octet-stream")
}

fn uuid_like(operation: &str, who: &str) -> String {
    format!("{operation}.{}", who.replace(' ', "."))
}

fn operations() -> Vec<(String, Method, String)> {
    let document: Value = serde_json::from_str(api::openapi()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            found.push((name, method.to_uppercase().parse().unwrap(), path.clone()));
        }
    }
    found
}

#[tokio::test]
async fn access_matrix_of_all_operations() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (_, igor) = app.iso("Igor", beta).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let cora = app.company_admin("Cora", app.acme).await;
        let bella = app.company_admin("Bella", beta).await;
        let nils = app.client("Nils").await;
        let erin = app.employee("Erin").await;
        let sam = app.super_admin("Sam").await;
        // The staff come last: what they do to a row must not be in the way of those who may not.
        let people = [
            ("nobody", app.anonymous()),
            ("its client", maya.clone()),
            ("a client", nils),
            ("its iso", ivan),
            ("an iso", igor),
            ("its company", cora),
            ("a company", bella),
            ("employee", erin.clone()),
            ("super admin", sam),
        ];
        let mut table = format!("{:<24}", "");
        for (who, _) in &people {
            write!(table, "{who:>12}").unwrap();
        }
        for (n, (operation, method, path)) in operations().into_iter().enumerate() {
            let rows = rows(&app, &erin, app.acme, &iso.to_string(), &maya, (n, &operation)).await;
            write!(table, "\n{operation:<24}").unwrap();
            for (who, person) in &people {
                let (id, body) = trial(&operation, &rows, who)
                    .unwrap_or_else(|| panic!("{operation} is new: say in this file who may and what it is tried on"));
                let asking = person.ask(
                    method.clone(),
                    &(path.replace("{id}", &id).replace("{session}", NO_SESSION) + &query(&operation, &rows)),
                );
                let bare = matches!(method, Method::GET | Method::HEAD);
                let asking = if bare { asking } else { asking.json(&body) };
                let asking = headers(asking, &operation, &rows);
                let asking = if operation.ends_with("_logo_set") { asking.raw(PICTURE) } else { asking };
                let status = asking.open().await.status().as_u16();
                let public = PUBLIC.contains(&operation.as_str());
                assert_eq!(
                    *who == "nobody" && status == 401,
                    *who == "nobody" && !public,
                    "{operation} as {who}: {status}"
                );
                assert!(status < 500 && status != 400 && status != 422, "{operation} as {who}: {status}");
                write!(table, "{status:>12}").unwrap();
            }
            if operation == "maintenance_start" {
                maintenance::end(&app.world.operator()).await.expect("ends");
                app.app.auth.token_cache.admission.invalidate();
            }
            // Nobody may have too many on their way.
            let _ = uploads::cancel(&app.world.operator(), rows.upload.parse().expect("an id")).await;
            // One person may have only so many on their way, and this is tried often.
            let maya = app.world.signed_in(&users::get(&app.world.operator(), maya.id).await.unwrap());
            let _ = uploads::cancel(&maya, rows.upload.parse().unwrap()).await;
        }
        insta::assert_snapshot!("access_matrix", table);
    })
    .await;
}

#[tokio::test]
async fn missing_rows_return_404_for_all_roles() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let nobodys = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";
        for (operation, method, path) in operations() {
            if !path.contains("{id}") {
                continue;
            }
            for id in [nobodys, "not-an-id", "1", "%00", "..%2F..%2Fetc"] {
                let answer = sam.ask(method.clone(), &path.replace("{id}", id)).raw("{\"reason\":\"x\"}").await;
                if method == Method::HEAD {
                    assert_eq!(answer.status, 404, "{operation} {id}");
                    continue;
                }
                // Where the body is read first it may be what is refused.
                if answer.body["code"] == "unknown_field" {
                    let answer = sam.ask(method.clone(), &path.replace("{id}", id)).await;
                    answer.refused(404, "not_found");
                } else {
                    assert_eq!(answer.status, 404, "{operation} {id}: {}", answer.body);
                    answer.refused(404, "not_found");
                }
            }
        }
    })
    .await;
}

/// Whoever sends the version that was seen relies on it: nobody may be told that it counts where nothing reads it.
#[tokio::test]
async fn if_match_is_documented_where_it_is_read() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let document: Value = serde_json::from_str(api::openapi()).unwrap();
        for (operation, method, path) in operations() {
            if operation == "event_stream" || method == Method::GET || method == Method::HEAD {
                continue;
            }
            let described = &document["paths"][&path][method.as_str().to_lowercase()];
            let said =
                described["parameters"].as_array().is_some_and(|all| all.iter().any(|p| p["name"] == "If-Match"));
            let id = if operation == "template_set" { "SG" } else { NO_SESSION };
            let path = path.replace("{id}", id).replace("{session}", NO_SESSION);
            let answer = sam.ask(method, &path).raw("{\"no_such_field\":1}").header("if-match", "seen").await;
            let read = answer.status == 422 && answer.body["fields"][0]["field"] == "if_match";
            assert_eq!(read, said, "{operation}: {} {}", answer.status, answer.body);
        }
    })
    .await;
}

#[tokio::test]
async fn invalid_tokens_return_401_on_public_routes() {
    on_both(|app| async move {
        let mut mallory = app.anonymous();
        for token in ["", "x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."] {
            mallory.token = Some(token.to_owned());
            for path in ["/rest/v1/me", "/rest/v1/settings", "/rest/v1/clients", "/realtime/v1/events"] {
                let answer = mallory.get(path).await;
                assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
                answer.refused(401, "unauthenticated");
            }
        }
    })
    .await;
}

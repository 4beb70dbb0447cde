//! Access matrix: every operation of the OpenAPI document, called by every role. The table of statuses is a reviewed
//! snapshot, as are the responses: a new route without a line, or a changed line, shows up in a diff.

use crate::{
    operation_snapshots::{self, Answer},
    support::{TestApp, TestRequest, TestUser, on_both},
};
use axum::{
    body::{Body, Bytes},
    http::Method,
    response::Response,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Duration, Utc};
use domain::{
    Ctx,
    accounts::{ip_blocklist, saved_views, users},
    desk::{people, requests},
    directory::{calls, companies, iso_notes, isos, leads},
    kernel::{
        access::Role,
        ids::{CommissionId, CompanyId, IsoId, SpvId, UserId},
        page::PageQuery,
    },
    operations::imports::{self, ImportOptions, Kind, reading::ReadOptions},
    orders::{
        commissions,
        corrections::{self, Correction},
        document_requests,
        documents::uploads,
        invoices::{self, ManualPayment},
        onboarding, services, steps,
    },
    outbox::notifications,
    platform::{
        activity, approvals, holidays, maintenance,
        settings::{self, FourEyes, Settings},
    },
    reporting::reports,
    testing::noon,
};
use futures::stream;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt::{Debug, Write},
    str::FromStr,
    sync::Mutex,
};

/// The only operations without sign-in.
const PUBLIC: [&str; 8] = [
    "settings_get",
    "request_create",
    "health_alive",
    "health_ready",
    "file_get",
    "company_logo_get",
    "email_unsubscribe",
    "account_secure",
];

/// An id without a row.
const NO_SESSION: &str = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";

/// The rows that operations are called with: Acme's, with Ivan as its ISO and Maya as its client. Each is created when it
/// is first needed.
struct Rows<'a> {
    app: &'a TestApp,
    staff: &'a TestUser,
    acme: CompanyId,
    iso: IsoId,
    maya: &'a TestUser,
    /// Part of the names of its rows: the operation.
    name: String,
    created: Mutex<BTreeMap<&'static str, String>>,
}

/// Every row, for the operations that read.
const ALL_ROWS: [&str; 31] = [
    "view",
    "import",
    "spv",
    "step",
    "second_step",
    "invoice",
    "void_invoice",
    "credit_note",
    "request",
    "withdrawn_request",
    "question",
    "thread",
    "other_client",
    "other_company",
    "other_iso",
    "member",
    "logo",
    "document",
    "version",
    "upload",
    "document_request",
    "document_without_order",
    "commission",
    "run",
    "lead",
    "note",
    "call",
    "confirmed_call",
    "schedule",
    "block",
    "approval",
];

impl Rows<'_> {
    fn root(&self) -> Ctx {
        self.app.world.operator()
    }

    /// The context of an account.
    async fn acting(&self, user: UserId) -> Ctx {
        self.app.world.signed_in(&users::get(&self.root(), user).await.expect("a user"))
    }

    async fn ivan(&self) -> Ctx {
        let iso = isos::get(&self.root(), self.iso).await.expect("Ivan");
        self.acting(iso.user_id).await
    }

    /// The id of a row.
    async fn id(&self, row: &'static str) -> String {
        let found = self.created.lock().expect("one at a time").get(row).cloned();
        match found {
            Some(id) => id,
            None => {
                let id = Box::pin(self.create(row)).await;
                self.created.lock().expect("one at a time").insert(row, id.clone());
                id
            }
        }
    }

    async fn parsed<T: FromStr<Err: Debug>>(&self, row: &'static str) -> T {
        self.id(row).await.parse().expect("an id")
    }

    async fn create(&self, row: &'static str) -> String {
        let (root, world) = (self.root(), &self.app.world);
        match row {
            // Of Maya, pending.
            "spv" => self.order(None).await["id"].as_str().expect("an id").to_owned(),
            "step" => self.steps().await.swap_remove(0),
            // Each role deletes its own.
            "second_step" => self.steps().await.swap_remove(1),
            "invoice" | "void_invoice" => {
                let order = self.order(Some("10")).await;
                let path = format!("/rest/v1/invoices?spv_id={}", order["id"].as_str().expect("an id"));
                id(&self.staff.get(&path).await.ok(), "/items/0/id")
            }
            "voided_invoice" => {
                let invoice = self.invoice_over("10").await;
                invoices::void(&root, invoice.id, None, "Tried").await.expect("is voided").invoice.id.to_string()
            }
            "credit_note" => {
                let invoice = self.invoice_over("10").await;
                let half = ManualPayment { amount: Some("5".to_owned()), ..Default::default() };
                invoices::pay(&root, invoice.id, None, half).await.expect("is paid in part");
                let lower = Correction { price: Some("4".to_owned()), ..Default::default() };
                corrections::correct(&root, invoice.spv_id, None, lower).await.expect("is corrected");
                invoices::get(&root, invoice.id).await.expect("the invoice").credit_notes[0].id.to_string()
            }
            "request" | "withdrawn_request" => {
                let order = requests::OrderForm {
                    purpose: Some("Tried".to_owned()),
                    proposed_names: vec!["One".to_owned()],
                    purchase_amount: Some("1".to_owned()),
                    ..Default::default()
                };
                self.request(requests::Input { kind: "order".to_owned(), order: Some(order), ..Default::default() })
                    .await
            }
            "question" => {
                let message = "How long does it take?".to_owned();
                self.request(requests::Input { kind: "support".to_owned(), message, ..Default::default() }).await
            }
            "thread" => {
                let message = json!({ "spv_id": self.id("spv").await, "body": "Hello" });
                id(&self.staff.post("/rest/v1/messages", message).await.ok(), "/thread_id")
            }
            // Accounts that no test user is signed in with, to suspend and delete.
            "other_client" => {
                let (client, ..) = world.client(&format!("Client.{}", self.name), self.acme, None).await;
                client.to_string()
            }
            "other_company" => world.company(&format!("Company {}", self.name)).await.to_string(),
            "other_iso" => {
                let company = self.parsed("other_company").await;
                let (iso, _) = world.iso(&format!("Iso.{}", self.name), company).await;
                iso.to_string()
            }
            // An admin of Acme's.
            "member" => {
                let admin = world.company_admin(&format!("Member.{}", self.name), self.acme).await;
                admin.actor.user_id().expect("a user").to_string()
            }
            "logo" => {
                let company = companies::set_logo(&root, self.acme, PICTURE.to_vec()).await.expect("a logo");
                company.logo_id.expect("a logo").to_string()
            }
            "document" | "version" => {
                let kept = self.document(Some(self.parsed("spv").await)).await;
                let version = kept.version_id.expect("is kept").to_string();
                let document = kept.saved_document_id.expect("is kept").to_string();
                let (made, other, id) =
                    if row == "version" { (version, "document", document) } else { (document, "version", version) };
                self.created.lock().expect("one at a time").insert(other, id);
                made
            }
            "document_without_order" => self.document(None).await.saved_document_id.expect("is kept").to_string(),
            "loose_document" | "second_loose_document" => {
                self.document(None).await.saved_document_id.expect("is kept").to_string()
            }
            "deleted_document" | "second_deleted_document" => {
                let id = self.document(None).await.saved_document_id.expect("is kept");
                domain::orders::documents::delete(&root, id, None).await.expect("is deleted");
                id.to_string()
            }
            // Unfinished.
            "upload" => self.upload(Some(self.parsed("spv").await)).await.id.to_string(),
            "document_request" => {
                let asked = document_requests::Input { name: Some("Passport".to_owned()), ..Default::default() };
                let made = document_requests::create(&root, self.parsed("spv").await, asked).await;
                made.expect("a document request").id.to_string()
            }
            // For a closed order.
            "commission" => self.commission().await.to_string(),
            "approved_commission" | "run" => {
                let commission = self.commission().await;
                commissions::approve(&root, &[commission]).await.expect("is approved");
                match row {
                    "run" => commissions::open(&root).await.expect("a run").run.id.to_string(),
                    _ => commission.to_string(),
                }
            }
            "lead" => {
                let lead = leads::Input {
                    first_name: "Lena".to_owned(),
                    last_name: format!("Lead {}", self.name),
                    email: format!("lena.{}@example.com", self.name),
                    ..Default::default()
                };
                leads::create(&self.ivan().await, lead).await.expect("a lead").id.to_string()
            }
            "note" => {
                let note = iso_notes::create(&self.ivan().await, self.maya.id, "Prefers mornings").await;
                note.expect("a note").id.to_string()
            }
            "call" | "confirmed_call" => {
                let input = calls::Input { topic: "Terms".to_owned(), times: vec![tomorrow()], ..Default::default() };
                let call = calls::create(&self.ivan().await, input).await.expect("a call");
                if row == "confirmed_call" {
                    let erin = self.acting(self.staff.id).await;
                    calls::confirm(&erin, call.id, None, Some(tomorrow()), None).await.expect("is confirmed");
                }
                call.id.to_string()
            }
            "schedule" => {
                // A company has a maximum number.
                let there = reports::list(&root, Some(self.acme)).await.expect("schedules").into_iter().next();
                let schedule = match there {
                    Some(there) => there,
                    None => {
                        let schedule = reports::Input {
                            company_id: Some(self.acme),
                            report: Some("portfolio".to_owned()),
                            every: Some("weekly".to_owned()),
                            recipients: vec![self.parsed("admin").await],
                            ..Default::default()
                        };
                        reports::create(&root, schedule).await.expect("a schedule")
                    }
                };
                schedule.id.to_string()
            }
            // A recipient of reports.
            "admin" => reports::admins(&root, Some(self.acme)).await.expect("admins")[0].id.to_string(),
            // Of Maya.
            "view" => {
                let maya = self.acting(self.maya.id).await;
                let input = saved_views::Input {
                    list: saved_views::List::Documents,
                    name: self.name.clone(),
                    query: "q=deed".to_owned(),
                };
                saved_views::create(&maya, input).await.expect("a view").id.to_string()
            }
            "import" => {
                let options = ReadOptions::default();
                let text = format!("name,business_name\nImported {0},Imported LLC\n", self.name);
                let file = imports::reading::read(Kind::Companies, text.as_bytes(), &options).expect("a file");
                let mut import =
                    imports::start(&root, Kind::Companies, "companies.csv", ImportOptions::default(), &file.lines)
                        .expect("starts");
                import.batch(file.lines).await.expect("imports");
                let id = import.id().to_string();
                import.finish().await.expect("ends");
                id
            }
            "holiday" => holidays::correct(&root, "AE", "2027-03-08", Some("Eid al-Fitr"))
                .await
                .expect("a holiday")
                .id
                .to_string(),
            "service" => {
                let input = services::Input {
                    country: Some("US".to_owned()),
                    name: Some(format!("Service {}", self.app.world.random.uuid())),
                    price: Some("1250.00".to_owned()),
                    ..services::Input::default()
                };
                services::create(&root, input).await.expect("a service").id.to_string()
            }
            // Asked for while four eyes was on; the other operations are tried without.
            "approval" => {
                let asker = world.super_admin(&format!("Asker.{}", self.name)).await;
                world.super_admin(&format!("Second.{}", self.name)).await;
                let erin = world.employee(&format!("Chosen.{}", self.name)).await.actor.user_id().expect("a user");
                let rule = |enabled| async move {
                    let four_eyes = FourEyes { enabled, ..FourEyes::default() };
                    settings::set(&self.root(), |now| Settings { four_eyes, ..now }).await.expect("is set");
                };
                rule(Some(true)).await;
                people::set_role(&asker, erin, Role::SuperAdmin, None, None, None).await.expect_err("waits");
                rule(None).await;
                let pending = approvals::list(&root, Some(approvals::Status::Pending), &PageQuery::default()).await;
                let pending = pending.expect("approvals").items;
                pending.iter().find(|one| one.target == erin.to_string()).expect("it waits").id.to_string()
            }
            "block" => ip_blocklist::add(&root, "198.51.100.9", None).await.expect("a block").id.to_string(),
            _ => panic!("no such row: {row}"),
        }
    }

    /// An order of Maya's.
    async fn order(&self, price: Option<&str>) -> Value {
        let amount = json!({ "client_id": self.maya.id, "company_id": self.acme, "purchase_amount": "1000" });
        let mut order = amount;
        match price {
            Some(price) => order["price"] = price.into(),
            None => order["iso_id"] = self.iso.to_string().into(),
        }
        self.staff.post("/rest/v1/spvs", order).await.ok()
    }

    /// The steps of [`Self::order`], in order.
    async fn steps(&self) -> Vec<String> {
        let path = format!("/rest/v1/spvs/{}", self.id("spv").await);
        let order = self.staff.get(&path).await.ok();
        order["steps"].as_array().expect("steps").iter().map(|step| id(step, "/id")).collect()
    }

    /// A request of Maya's. Created directly: the API has a rate limit.
    async fn request(&self, input: requests::Input) -> String {
        let maya = self.acting(self.maya.id).await;
        requests::create(&maya, input).await.expect("a request").id.to_string()
    }

    async fn upload(&self, spv: Option<SpvId>) -> uploads::Upload {
        let new = uploads::CreateUpload {
            file_name: "a.txt".to_owned(),
            bytes: 3,
            attach: spv.is_none(),
            spv_id: spv,
            ..Default::default()
        };
        uploads::create(&self.acting(self.maya.id).await, new).await.expect("an upload")
    }

    async fn document(&self, spv: Option<SpvId>) -> uploads::Upload {
        let upload = self.upload(spv).await;
        let content = stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"abc"))]);
        uploads::append(&self.acting(self.maya.id).await, upload.id, 0, content).await.expect("a document")
    }

    /// The invoice of a new order of Maya with this price.
    async fn invoice_over(&self, price: &str) -> invoices::Invoice {
        let order = self.order(Some(price)).await;
        let spv_id = order["id"].as_str().expect("an id").parse().ok();
        let filter = invoices::Filter { spv_id, ..Default::default() };
        invoices::list(&self.root(), &filter, &Default::default()).await.expect("a list").items.remove(0)
    }

    /// Ivan with an account that is not confirmed.
    async fn account(&self) -> String {
        let account = isos::NewPayoutAccount {
            account_holder: Some("Ivan Test".to_owned()),
            iban: Some("DE89370400440532013000".to_owned()),
            ..Default::default()
        };
        isos::set_payout_account(&self.root(), self.iso, None, account).await.expect("an account");
        self.iso.to_string()
    }

    /// Ivan's commission for a closed order of Maya's.
    async fn commission(&self) -> CommissionId {
        let root = self.root();
        let input = onboarding::OrderInput {
            client_id: Some(self.maya.id),
            company_id: Some(self.acme),
            iso_id: Some(self.iso),
            purchase_amount: Some("1000".to_owned()),
            iso_commission_percentage: Some("2.5".to_owned()),
            ..Default::default()
        };
        let order = onboarding::create_order(&root, input).await.expect("an order");
        let steps: Vec<_> = order.steps.iter().map(|step| step.id).collect();
        steps::complete(&root, order.spv.id, None, &steps).await.expect("is closed");
        let of = commissions::Filter { spv_id: Some(order.spv.id), ..Default::default() };
        commissions::list(&root, &of, &Default::default()).await.expect("a list").items[0].id
    }
}

/// The time that is proposed for calls.
fn tomorrow() -> DateTime<Utc> {
    noon() + Duration::days(1)
}

fn id(answer: &Value, pointer: &str) -> String {
    answer.pointer(pointer).and_then(Value::as_str).expect("an id").to_owned()
}

/// The row and the body that an operation is called with; none for an operation that is not listed here.
async fn trial(operation: &str, rows: &Rows<'_>, who: &str) -> Option<(String, Value)> {
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
        | "credit_note_list"
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
        | "mail_list"
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
        | "credit_note_export"
        | "payment_export"
        | "service_export"
        | "document_export"
        | "lead_export"
        | "call_export"
        | "task_export"
        | "commission_export"
        | "commission_list"
        | "commission_overview"
        | "commission_statement"
        | "payout_run_list"
        | "payout_run_preview"
        | "lead_list"
        | "call_list"
        | "search_find"
        | "task_list"
        | "staff_list"
        | "dashboard_performance"
        | "finances_get"
        | "finances_export"
        | "analytics_get"
        | "holiday_list"
        | "service_list"
        | "analytics_office"
        | "log_list"
        | "log_export"
        | "probe_list"
        | "probe_check"
        | "alert_list"
        | "scan_latest"
        | "scan_create"
        | "import_list"
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
        | "approval_list"
        | "health_alive"
        | "health_ready"
        // Without a link's token there is nothing to unsubscribe, for any role.
        | "email_unsubscribe" => (String::new(), none()),
        // Nor to secure.
        "account_secure" => (String::new(), json!({ "token": "unknown" })),
        "approval_get" | "approval_approve" | "approval_decline" | "approval_withdraw" => {
            (rows.id("approval").await, none())
        }
        "import_create" => (String::new(), none()),
        "import_undo" => (rows.id("import").await, none()),
        "payout_run_open" => {
            rows.id("approved_commission").await;
            (String::new(), none())
        }
        "me_update" => (String::new(), json!({ "language": "en-US" })),
        "profile_update" => (String::new(), json!({ "city": "Tried" })),
        "settings_set" => (String::new(), json!({ "support_phone": "+1 555 0100" })),
        "job_retry" => ("01JDXWZ0000000000000000000".to_owned(), none()),
        "alert_resolve" | "mail_resend" => (uuid::Uuid::nil().to_string(), none()),
        "client_get" => (rows.maya.id.to_string(), none()),
        "client_update" => (rows.maya.id.to_string(), json!({ "phone": "555 0101" })),
        "client_invite" => (rows.maya.id.to_string(), none()),
        "client_suspend" | "client_restore" | "client_archive" => (rows.id("other_client").await, none()),
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
            (rows.id("other_client").await, none())
        }
        // A client with orders stays one.
        "user_set_role" => (rows.id("other_client").await, json!({ "role": "client" })),
        "user_impersonate" => (rows.id("other_client").await, reason()),
        "maintenance_start" => (String::new(), json!({ "message": "tried" })),
        "holiday_create" => (String::new(), json!({ "country": "SG", "day": "2027-03-11", "name": "Eid al-Fitr" })),
        "service_get" | "service_delete" => (rows.id("service").await, none()),
        "service_create" => (String::new(), json!({ "country": "SG", "name": "Private company", "price": "900.00" })),
        "service_update" => (rows.id("service").await, json!({ "price": "1400.00" })),
        "holiday_delete" => (rows.id("holiday").await, none()),
        "address_block_create" => (String::new(), json!({ "network": "203.0.113.7" })),
        "address_block_delete" => (rows.id("block").await, none()),
        "company_get" => (rows.acme.to_string(), none()),
        "company_update" => (rows.acme.to_string(), json!({ "phone": "555 0101" })),
        "company_archive" | "company_restore" | "company_delete" => (rows.id("other_company").await, none()),
        "company_settings_get"
        | "company_logo_set"
        | "company_logo_remove"
        | "company_member_list"
        | "company_client_list" => (rows.acme.to_string(), none()),
        "company_settings_set" => (rows.acme.to_string(), json!({ "phone": "555 0101" })),
        "company_logo_get" => (rows.id("logo").await, none()),
        "company_member_create" => {
            (rows.acme.to_string(), json!({ "first_name": "New", "last_name": "One", "email": unique }))
        }
        "company_member_invite" => (rows.id("member").await, none()),
        "company_member_remove" | "company_member_restore" => (rows.id("member").await, none()),
        "company_create" => (String::new(), json!({ "name": unique, "business_name": "New LLC" })),
        "iso_get" => (rows.iso.to_string(), none()),
        "iso_archive" | "iso_restore" | "iso_delete" => (rows.id("other_iso").await, none()),
        "iso_update" => (rows.iso.to_string(), json!({ "phone": "555 0101" })),
        "iso_create" => (
            String::new(),
            json!({ "first_name": "New", "last_name": "One", "email": unique, "company_id": rows.acme }),
        ),
        "spv_get" | "step_list" | "spv_start" | "spv_resume" => (rows.id("spv").await, none()),
        "spv_hold" | "spv_cancel" | "spv_reopen" => (rows.id("spv").await, reason()),
        "spv_update" => (rows.id("spv").await, json!({ "vehicle_name": "Okeanos Holdings" })),
        "spv_preview" => (rows.id("spv").await, json!({ "price": "12" })),
        "spv_create" => {
            (String::new(), json!({ "client_id": rows.maya.id, "company_id": rows.acme, "purchase_amount": "1" }))
        }
        "step_get" => (rows.id("step").await, none()),
        "template_get" => ("SG".to_owned(), none()),
        "template_set" => (
            "SG".to_owned(),
            json!({ "name": "Tried", "steps": [{ "step_name": "One", "owner": "staff", "business_days": 1 }] }),
        ),
        "step_create" => (rows.id("spv").await, json!({ "step_name": "Apostille" })),
        "step_delete" => (rows.id(if who == "super admin" { "second_step" } else { "step" }).await, none()),
        "step_order" => (rows.id("spv").await, json!({ "ids": rows.steps().await })),
        "step_complete" => (rows.id("spv").await, json!({ "ids": [rows.id("step").await] })),
        "step_update" => (rows.id("step").await, json!({ "text_data": "tried" })),
        "invoice_get" | "invoice_pdf" => (rows.id("invoice").await, none()),
        "credit_note_get" | "credit_note_pdf" => (rows.id("credit_note").await, none()),
        "saved_view_list" => (String::new(), none()),
        "saved_view_create" => (String::new(), json!({ "list": "documents", "name": who, "query": "q=deed" })),
        "saved_view_update" => (rows.id("view").await, json!({ "name": "Tried" })),
        "saved_view_delete" => (rows.id("view").await, none()),
        "lead_get" => (rows.id("lead").await, none()),
        "lead_update" => (rows.id("lead").await, json!({ "stage": "contacted" })),
        "lead_convert" => (rows.id("lead").await, json!({ "setup": "quick", "price": "10", "commission": "1" })),
        "lead_create" => (String::new(), json!({ "first_name": "New", "last_name": "One", "email": unique })),
        "client_note_list" | "internal_note_list" => (rows.maya.id.to_string(), none()),
        "client_note_create" => (rows.maya.id.to_string(), json!({ "body": "tried" })),
        "client_note_delete" => (rows.id("note").await, none()),
        "call_create" => (String::new(), json!({ "topic": "tried", "times": [tomorrow()] })),
        "call_get" | "call_cancel" => (rows.id("call").await, none()),
        "call_calendar" => (rows.id("confirmed_call").await, none()),
        "call_confirm" => (rows.id("call").await, json!({ "begins_at": tomorrow() })),
        "call_decline" => (rows.id("call").await, reason()),
        "report_schedule_get" | "report_schedule_update" | "report_schedule_delete" => (rows.id("schedule").await, none()),
        "report_schedule_create" => (
            String::new(),
            json!({ "company_id": rows.acme, "report": "portfolio", "every": "weekly", "recipients": [rows.id("admin").await] }),
        ),
        "commission_get" => (rows.id("commission").await, none()),
        "commission_approve" => (String::new(), json!({ "ids": [rows.id("commission").await] })),
        "commission_void" => (rows.id("commission").await, reason()),
        "payout_run_get" | "payout_run_csv" | "payout_run_sepa" | "payout_run_pay" | "payout_run_discard" => (rows.id("run").await, none()),
        "invoice_create" | "invoice_preview" => {
            let line = json!({ "description": "Renewal", "unit_price": "100", "quantity": "2", "tax_percent": "20" });
            (String::new(), json!({ "spv_id": rows.id("spv").await, "lines": [line] }))
        }
        "invoice_set_installments" => {
            let part = |date: &str, amount: &str| json!({ "due_date": date, "amount": amount });
            let installments = [part("2027-01-01", "4"), part("2027-02-01", "6")];
            (rows.id("void_invoice").await, json!({ "installments": installments }))
        }
        "iso_account_get" => (rows.account().await, none()),
        "iso_account_set" => {
            (rows.iso.to_string(), json!({ "account_holder": "Ivan Test", "iban": "DE89370400440532013000" }))
        }
        "iso_account_confirm" => (rows.account().await, json!({ "number": "DE89370400440532013000" })),
        "invoice_pay" => (rows.id("invoice").await, json!({ "amount": "0.01" })),
        "invoice_send_receipt" => (rows.id("invoice").await, json!({ "document_id": rows.id("document_without_order").await })),
        "invoice_void" => (rows.id("void_invoice").await, reason()),
        "invoice_raise" => (rows.id("voided_invoice").await, none()),
        "document_list" | "file_get" | "upload_create" => (String::new(), none()),
        "document_get" => (rows.id("document").await, none()),
        "document_update" => (rows.id("document").await, json!({ "name": "Deed" })),
        "document_delete" => {
            let row = if who == "super admin" { "second_loose_document" } else { "loose_document" };
            (rows.id(row).await, none())
        }
        "document_undelete" => {
            let row = if who == "super admin" { "second_deleted_document" } else { "deleted_document" };
            (rows.id(row).await, none())
        }
        "document_restore" => (rows.id("document").await, json!({ "version_id": rows.id("version").await })),
        "version_link" => (rows.id("version").await, none()),
        "upload_get" | "upload_append" | "upload_delete" => (rows.id("upload").await, none()),
        "document_request_list" => (rows.id("spv").await, none()),
        "document_request_create" => (rows.id("spv").await, json!({ "name": "Proof of address" })),
        "document_request_get" | "document_request_approve" => (rows.id("document_request").await, none()),
        "document_request_update" => (rows.id("document_request").await, json!({ "name": "Proof of address" })),
        "document_request_return" | "document_request_waive" => (rows.id("document_request").await, reason()),
        "job_create" => (String::new(), json!({ "name": "seed" })),
        "request_get" | "request_review" => (rows.id("request").await, none()),
        "request_update" => (rows.id("request").await, json!({ "priority": "high" })),
        "request_approve" => (rows.id("question").await, json!({ "reply": "tried" })),
        "request_accept" => (
            rows.id("request").await,
            json!({ "company_id": rows.acme, "iso_id": rows.iso, "purchase_amount": "1", "price": "1" }),
        ),
        "request_reject" => (rows.id("request").await, reason()),
        "request_withdraw" => (rows.id("withdrawn_request").await, none()),
        "request_create" => {
            (String::new(), json!({ "kind": "support", "name": "A", "email": unique, "message": "Hello" }))
        }
        "thread_get" | "message_list" | "thread_read" => (rows.id("thread").await, none()),
        "message_create" => (String::new(), json!({ "thread_id": rows.id("thread").await, "body": "tried" })),
        "notification_read" => (String::new(), json!({ "all": true })),
        "notification_choose" => (String::new(), json!({ "choices": [] })),
        "notification_send" => (String::new(), json!({ "type": "password_setup", "to": "maya@example.com" })),
        "notification_send_spv" => {
            (String::new(), json!({ "clientEmail": "maya@example.com", "spvIdentifier": rows.id("spv").await }))
        }
        _ => return None,
    })
}

/// The smallest valid image: only its header is read.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

/// A file of a company.
const COMPANIES: &[u8] = b"Name;Business name\nTried;Tried LLC\n;Nameless\n";

/// The company of the portal; required for super admins.
async fn query(operation: &str, rows: &Rows<'_>) -> String {
    match operation {
        "dashboard_company" | "finances_get" | "finances_export" | "analytics_get" | "report_schedule_list" => {
            format!("?company_id={}", rows.acme)
        }
        "report_get" | "report_csv" | "report_xlsx" => format!("?company_id={}&report=portfolio", rows.acme),
        "saved_view_list" => "?list=documents".to_owned(),
        "holiday_list" => "?country=AE".to_owned(),
        "message_find" => format!("?thread_id={}", rows.id("thread").await),
        "document_request_find" => format!("?spv_id={}", rows.id("spv").await),
        // More than there are.
        "activity_list" | "log_list" => "?limit=100".to_owned(),
        "job_list" => "?limit=500".to_owned(),
        "import_create" => "?kind=companies&file_name=companies.csv".to_owned(),
        _ => String::new(),
    }
}

/// The headers that the upload protocol requires.
fn headers(asking: TestRequest, operation: &str, rows: &Rows<'_>) -> TestRequest {
    if !operation.starts_with("upload_") {
        return asking;
    }
    let client = format!("client_id {}", BASE64_STANDARD.encode(rows.maya.id.to_string()));
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
        // Staff come last: their writes must not affect the responses to roles that are refused.
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
        let (mut lines, mut files) = (Vec::new(), BTreeMap::new());
        let rows = |name: &str| Rows {
            app: &app,
            staff: &erin,
            acme: app.acme,
            iso,
            maya: &maya,
            name: name.to_owned(),
            created: Mutex::default(),
        };
        let to_read = rows("read");
        for row in ALL_ROWS {
            to_read.id(row).await;
            // Lists by time have one order.
            app.world.clock.advance(Duration::seconds(1));
        }
        activity::sequence_all(&app.world.operator()).await.expect("is sequenced");
        notifications::process_pending(&app.world.operator()).await.expect("are notified");
        // Reads come first and share their rows; so a response does not depend on what other operations write.
        let (reads, writes): (Vec<_>, Vec<_>) =
            operations().into_iter().enumerate().partition(|(_, (_, method, _))| is_read(method));
        for (n, (operation, method, path)) in reads.into_iter().chain(writes) {
            let own = rows(&operation);
            let rows = if is_read(&method) { &to_read } else { &own };
            let (mut line, mut answers) = (format!("{operation:<24}"), Vec::new());
            for (who, person) in &people {
                let answer = Answer::read(call(person, (&operation, &method, &path), rows, who).await).await;
                let status = answer.status;
                let public = PUBLIC.contains(&operation.as_str());
                assert_eq!(
                    *who == "nobody" && status == 401,
                    *who == "nobody" && !public,
                    "{operation} as {who}: {status}"
                );
                assert!(status < 500 && status != 400 && status != 422, "{operation} as {who}: {status}");
                write!(line, "{status:>12}").unwrap();
                answers.push((*who, answer));
            }
            files.insert(operation.clone(), operation_snapshots::render(&format!("{method} {path}"), &answers));
            lines.push((n, line));
            if operation == "maintenance_start" {
                maintenance::end(&app.world.operator()).await.expect("ends");
                app.app.auth.token_cache.admission.invalidate();
            }
            // Users have a maximum number of unfinished uploads.
            if operation.starts_with("upload_") {
                let upload = rows.parsed("upload").await;
                let _ = uploads::cancel(&app.world.operator(), upload).await;
                let _ = uploads::cancel(&rows.acting(maya.id).await, upload).await;
            }
        }
        lines.sort();
        let mut table = format!("{:<24}", "");
        for (who, _) in &people {
            write!(table, "{who:>12}").unwrap();
        }
        for (_, line) in lines {
            write!(table, "\n{line}").unwrap();
        }
        insta::assert_snapshot!("access_matrix", table);
        operation_snapshots::assert_all(&files);
    })
    .await;
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

async fn call(
    person: &TestUser,
    (operation, method, path): (&str, &Method, &str),
    rows: &Rows<'_>,
    who: &str,
) -> Response<Body> {
    let (id, body) = trial(operation, rows, who)
        .await
        .unwrap_or_else(|| panic!("{operation} is new: say in this file who may and what it is tried on"));
    let path = path.replace("{id}", &id).replace("{session}", NO_SESSION) + &query(operation, rows).await;
    let asking = person.ask(method.clone(), &path);
    let asking = if is_read(method) { asking } else { asking.json(&body) };
    let asking = headers(asking, operation, rows);
    let asking = match operation {
        "company_logo_set" | "settings_logo_set" => asking.raw(PICTURE),
        "import_create" => asking.raw(COMPANIES),
        _ => asking,
    };
    asking.open().await
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
                let asking = || sam.ask(method.clone(), &path.replace("{id}", id));
                let answer = asking().raw("{\"reason\":\"x\"}").await;
                if method == Method::HEAD {
                    assert_eq!(answer.status, 404, "{operation} {id}");
                    continue;
                }
                // Routes that read the body first may reject its fields instead of the id.
                if answer.body["code"] == "unknown_field" {
                    let answer = asking().await;
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

/// A change must name the version that it changes.
#[tokio::test]
async fn changes_without_a_version_return_428() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let document: Value = serde_json::from_str(api::openapi()).unwrap();
        let mut count = 0;
        for (operation, method, path) in operations() {
            let described = &document["paths"][&path][method.as_str().to_lowercase()]["parameters"];
            if !described.as_array().is_some_and(|all| all.iter().any(|p| p["name"] == "If-Match")) {
                continue;
            }
            count += 1;
            let id = if operation == "template_set" { "SG" } else { NO_SESSION };
            let answer = sam.ask(method, &path.replace("{id}", id)).without_version().await;
            assert_eq!(answer.status, 428, "{operation}: {}", answer.body);
            answer.refused(428, "version_required");
        }
        assert!(count > 45, "{count} operations");
        let maya = app.client_of("Maya", app.acme, None).await;
        let orders = sam.get(&format!("/rest/v1/spvs?client_id={}", maya.id)).await.ok();
        let path = format!("/rest/v1/spvs/{}", id(&orders, "/items/0/id"));
        let asking = |version| sam.patch(&path, json!({ "reference": "PO 4711" })).if_match(version);
        asking(77).await.refused(409, "stale");
        assert_eq!(asking(1).await.ok()["reference"], "PO 4711");
    })
    .await;
}

/// `If-Match` protects only where it is read: an operation may document it only then.
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

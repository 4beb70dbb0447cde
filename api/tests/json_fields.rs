//! Fields of JSON responses by role: a reviewed table, so that a new staff-only field is noticed when others get it.

use crate::{
    documents::{pdf, upload},
    support::{TestUser, on_both},
};
use domain::platform::activity;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};

/// Every field by its path: `+` if it has a value anywhere, `0` if it is always null.
fn fields(value: &Value, path: &str, found: &mut BTreeMap<String, char>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                fields(value, &path, found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                fields(item, &format!("{path}[]"), found);
            }
        }
        Value::Null => {
            found.entry(path.to_owned()).or_insert('0');
        }
        _ => {
            found.insert(path.to_owned(), '+');
        }
    }
}

#[tokio::test]
async fn staff_only_fields_are_sent_to_staff_only() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let cora = app.company_admin("Cora", app.acme).await;
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        // Every nullable field has a value.
        let spv = format!("/rest/v1/spvs/{}", maya.spv.unwrap());
        let steps = erin.get(&spv).await.ok()["steps"].clone();
        let step = format!("/rest/v1/steps/{}", text(&steps[0]["id"]));
        let change = json!({ "status": "blocked", "blocked_reason": "No stamp", "waiting_on": "client",
            "text_data": "SECRET notes", "assignee_id": erin.id, "document_url": "https://example.com/a" });
        erin.patch(&step, change).await.ok();
        let ask = json!({ "name": "Passport", "instructions": "Certified", "due_date": "2026-12-01",
            "step_id": steps[0]["id"] });
        let request = erin.post(&format!("{spv}/document-requests"), ask).await.ok();
        let (document, _) =
            upload(&maya, &pdf(100), &[("file_name", "passport.pdf"), ("request_id", request["id"].as_str().unwrap())])
                .await;
        let request = format!("/rest/v1/document-requests/{}", text(&request["id"]));
        erin.post(&format!("{request}/return"), json!({ "reason": "Too dark" })).await.ok();
        let said = erin.post("/rest/v1/messages", json!({ "spv_id": maya.spv.unwrap(), "body": "Hello" })).await.ok();
        let note = json!({ "spv_id": maya.spv.unwrap(), "body": "SECRET note", "internal": true });
        erin.post("/rest/v1/messages", note).await.ok();
        let thread = format!("/rest/v1/threads/{}", text(&said["thread_id"]));
        let invoices = erin.get(&format!("/rest/v1/invoices?spv_id={}", maya.spv.unwrap())).await.ok();
        let invoice = format!("/rest/v1/invoices/{}", text(&invoices["items"][0]["id"]));
        // A receipt, a payment with an internal note, a file with a message, and a version uploaded by staff.
        let order = maya.spv.unwrap().to_string();
        let paper = [("attach", "it"), ("spv_id", order.as_str())];
        let (receipt, _) = upload(&maya, &pdf(50), &[&[("file_name", "transfer.pdf")], &paper[..]].concat()).await;
        maya.post(&format!("{invoice}/receipts"), json!({ "document_id": receipt })).await.ok();
        let paid = json!({ "amount": "100.00", "note": "SECRET of the bank" });
        erin.post(&format!("{invoice}/payments"), paid).await.ok();
        let (file, _) = upload(&erin, &pdf(50), &[&[("file_name", "draft.pdf")], &paper[..]].concat()).await;
        let with_file = json!({ "spv_id": order, "body": "See here", "document_ids": [file] });
        erin.post("/rest/v1/messages", with_file).await.ok();
        let of = document.to_string();
        upload(&erin, &pdf(70), &[("file_name", "passport better.pdf"), ("document_id", &of)]).await;
        erin.post(&format!("{request}/return"), json!({ "reason": "Too dark" })).await.ok();
        let order = json!({ "kind": "order",
            "order": { "purpose": "Buy a house", "proposed_names": ["One"], "purchase_amount": "1" } });
        let wanted = format!("/rest/v1/requests/{}", text(&maya.post("/rest/v1/requests", order).await.ok()["id"]));
        activity::sequence_all(&app.world.operator()).await.unwrap();

        let roles = [("client", &maya), ("iso", &ivan), ("company", &cora), ("employee", &erin), ("super admin", &sam)];
        let things = [
            ("order", spv.clone()),
            ("clients", "/rest/v1/clients".to_owned()),
            ("client", format!("/rest/v1/clients/{}", maya.id)),
            ("step", step),
            ("document", format!("/rest/v1/documents/{document}")),
            ("document request", request),
            ("document the staff attached", format!("/rest/v1/documents/{file}")),
            ("tasks", "/rest/v1/tasks".to_owned()),
            ("thread", thread.clone()),
            ("messages", format!("{thread}/messages")),
            ("invoice", invoice),
            ("request", wanted),
            ("finances", format!("/rest/v1/finances?period=all_time&company_id={}", app.acme)),
            ("analytics", format!("/rest/v1/analytics?period=all_time&company_id={}", app.acme)),
            ("report", format!("/rest/v1/reports?report=portfolio&period=all_time&company_id={}", app.acme)),
            ("activity", format!("/rest/v1/activity?limit=100&spv_id={}", maya.spv.unwrap())),
        ];
        // The newest order may be another company's, or another partner's.
        for (n, (who, person)) in roles.iter().enumerate() {
            let client = TestUser::get(person, &format!("/rest/v1/clients/{}", maya.id)).await.ok();
            assert_eq!(client["latest_spv_id"].is_string(), n >= 3, "{who}");
        }
        let mut table = String::new();
        let mut seen = Vec::new();
        for (thing, path) in things {
            let mut rows: BTreeMap<String, Vec<char>> = BTreeMap::new();
            let mut status = Vec::new();
            for (n, (who, person)) in roles.iter().enumerate() {
                let answer = TestUser::get(person, &path).await;
                let staff = n >= 3;
                assert!(staff || !String::from_utf8_lossy(&answer.bytes).contains("SECRET"), "{thing} as {who}");
                status.push(answer.status.as_u16());
                seen.push((path.clone(), n, answer.status));
                let mut found = BTreeMap::new();
                if answer.status.is_success() {
                    fields(&answer.body, "", &mut found);
                }
                for (path, mark) in found {
                    rows.entry(path).or_insert_with(|| vec!['-'; roles.len()])[n] = mark;
                }
            }
            write!(table, "{thing:<40}").unwrap();
            for ((who, _), status) in roles.iter().zip(status) {
                write!(table, "{:>16}", format!("{who} {status}")).unwrap();
            }
            for (path, marks) in rows {
                write!(table, "\n  {path:<38}").unwrap();
                for mark in marks {
                    write!(table, "{mark:>16}").unwrap();
                }
            }
            table.push_str("\n\n");
        }
        insta::assert_snapshot!("fields_by_role", table);

        // Rolling upgrade: this node has prepared all these statements, and a newer one adds columns.
        app.world.migrate_ahead().await;
        for (path, n, status) in seen {
            let (who, person) = &roles[n];
            assert_eq!(TestUser::get(person, &path).await.status, status, "{path} as {who}");
        }
    })
    .await;
}

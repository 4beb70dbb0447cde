//! Attachments: receipts on invoices, documents on order requests, files on messages. Attachments of internal notes are
//! visible to staff only.

use crate::{
    documents::{link, upload},
    support::{TestApp, TestUser, on_both},
};
use domain::{kernel::ids::DocumentId, outbox::notifications, platform::activity};
use serde_json::{Value, json};

/// A document to attach, and its version.
async fn file(person: &TestUser, name: &str, of: &[(&str, &str)]) -> DocumentId {
    upload(person, b"%PDF-1.4 paper", &[&[("file_name", name), ("attach", "it")], of].concat()).await.0
}

async fn invoice_of(person: &TestUser) -> String {
    person.get("/rest/v1/invoices").await.ok()["items"][0]["id"].as_str().unwrap().to_owned()
}

/// Names in alphabetical order: in a test all documents have the same time.
fn names(documents: &Value) -> Vec<&str> {
    let found = documents.as_array().unwrap().iter().map(|document| document["name"].as_str().unwrap());
    found.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// Actions of a user's notifications.
async fn notified_actions(app: &TestApp, person: &TestUser) -> Vec<String> {
    let operator = app.world.operator();
    activity::sequence_all(&operator).await.unwrap();
    notifications::process_pending(&operator).await.unwrap();
    let page = person.get("/rest/v1/notifications").await.ok();
    let items = page["items"].as_array().unwrap();
    items.iter().map(|item| item["activity"]["action"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn receipts_are_documents_of_the_order() {
    on_both(|app| async move {
        let (erin, maya) = (app.employee("Erin").await, app.client("Maya").await);
        let invoice = invoice_of(&maya).await;
        let path = format!("/rest/v1/invoices/{invoice}/receipts");
        let shown = maya.get(&format!("/rest/v1/invoices/{invoice}")).await.ok();
        assert_eq!((&shown["receipts"], &shown["can"]), (&json!([]), &json!(["send_receipt"])));
        assert_eq!(maya.post(&path, json!({})).await.fields(), ["document_id required"]);
        maya.post(&path, json!({ "document_id": uuid::Uuid::nil() })).await.refused(404, "not_found");

        let document = file(&maya, "transfer.pdf", &[]).await;
        let body = json!({ "document_id": document });
        let first = maya.post(&path, body.clone()).key("receipt").await;
        assert_eq!((first.status.as_u16(), first.etag().is_some()), (201, true));
        let sent = first.ok();
        assert_eq!(sent["receipts"][0]["document"]["name"], "transfer.pdf");
        assert_eq!(sent["receipts"][0]["sent_by"], "Maya Test");
        // Sending it twice adds it once, and records no payment.
        for key in ["receipt", "other"] {
            let again = maya.post(&path, body.clone()).key(key).await.ok();
            assert_eq!(again["receipts"].as_array().unwrap().len(), 1);
            assert_eq!((&again["status"], &again["version"]), (&json!("due"), &shown["version"]));
        }
        let theirs = maya.get(&format!("/rest/v1/documents?spv_id={}", maya.spv.unwrap())).await.ok();
        assert_eq!(names(&theirs["items"]), ["transfer.pdf"]);
        let seen = erin.get(&format!("/rest/v1/invoices/{invoice}")).await.ok();
        let version = seen["receipts"][0]["document"]["latest"]["id"].as_str().unwrap().parse().unwrap();
        let content = app.anonymous().get(&link(&erin, domain::kernel::ids::VersionId(version), "inline").await).await;
        assert_eq!(content.bytes.as_ref(), b"%PDF-1.4 paper");
        // Staff are notified of the receipt, not of the upload as well.
        let heard = notified_actions(&app, &erin).await;
        assert!(heard.contains(&"invoice.receipt_sent".to_owned()), "{heard:?}");
        assert!(!heard.contains(&"document.uploaded".to_owned()), "{heard:?}");

        // Staff may submit one, too: until then their upload is internal.
        let of = maya.spv.unwrap().to_string();
        let staffs = file(&erin, "from the bank.pdf", &[("spv_id", &of)]).await;
        maya.get(&format!("/rest/v1/documents/{staffs}")).await.refused(404, "not_found");
        let both = erin.post(&path, json!({ "document_id": staffs })).await.ok();
        assert_eq!(both["receipts"].as_array().unwrap().len(), 2);
        maya.get(&format!("/rest/v1/documents/{staffs}")).await.ok();

        let settled = json!({ "amount": "1250.00" });
        erin.post(&format!("/rest/v1/invoices/{invoice}/payments"), settled).await.ok();
        maya.post(&path, body).await.refused(409, "invoice_settled");
    })
    .await;
}

#[tokio::test]
async fn receipts_need_own_invoice_and_own_document() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (erin, cora) = (app.employee("Erin").await, app.company_admin("Cora", app.acme).await);
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nils = app.client_of("Nils", app.acme, Some(iso)).await;
        let (hers, his) = (invoice_of(&maya).await, invoice_of(&nils).await);
        let (paper, other) = (file(&maya, "hers.pdf", &[]).await, file(&nils, "his.pdf", &[]).await);
        let send = async |person: &TestUser, invoice: &str, document: DocumentId| {
            person.post(&format!("/rest/v1/invoices/{invoice}/receipts"), json!({ "document_id": document })).await
        };
        for stranger in [&ivan, &cora, &nils] {
            send(stranger, &hers, paper).await.refused(404, "not_found");
            send(stranger, &hers, other).await.refused(404, "not_found");
        }
        send(&nils, &his, paper).await.refused(404, "not_found");
        send(&maya, &hers, other).await.refused(404, "not_found");
        // Staff cannot mix documents of two clients, or of two orders, either.
        send(&erin, &his, paper).await.refused(404, "not_found");
        let second = json!({ "client_id": maya.id, "company_id": app.acme, "purchase_amount": "1" });
        let second = erin.post("/rest/v1/spvs", second).await.ok();
        let elsewhere = file(&maya, "elsewhere.pdf", &[("spv_id", second["id"].as_str().unwrap())]).await;
        send(&maya, &hers, elsewhere).await.refused(404, "not_found");
        send(&maya, &hers, paper).await.ok();
        activity::sequence_all(&app.world.operator()).await.unwrap();
        for stranger in [&ivan, &cora, &nils] {
            let log = stranger.get("/rest/v1/activity?limit=500").await.ok().to_string();
            assert!(!log.contains("receipt_sent") && !log.contains("hers.pdf"), "{log}");
        }
    })
    .await;
}

#[tokio::test]
async fn request_attachments_belong_to_the_order() {
    on_both(|app| async move {
        let (erin, maya, nils) = (app.employee("Erin").await, app.client("Maya").await, app.client("Nils").await);
        let (plan, deed) = (file(&maya, "plan.pdf", &[]).await, file(&maya, "deed.pdf", &[]).await);
        let foreign = file(&nils, "his.pdf", &[]).await;
        let ask = async |documents: Value| {
            let order = json!({ "purpose": "A ship", "proposed_names": ["Okeanos"], "purchase_amount": "1000",
                "document_ids": documents });
            maya.post("/rest/v1/requests", json!({ "kind": "order", "order": order })).await
        };
        for wrong in [json!([foreign]), json!([uuid::Uuid::nil()])] {
            assert_eq!(ask(wrong).await.fields(), ["order.document_ids not_found"]);
        }
        let many: Vec<_> = (0..21).map(|_| uuid::Uuid::nil()).collect();
        assert_eq!(ask(json!(many)).await.fields(), ["order.document_ids too_many"]);
        let made = ask(json!([plan, deed, plan])).await.ok();
        let path = format!("/rest/v1/requests/{}", made["id"].as_str().unwrap());
        for reader in [&maya, &erin] {
            assert_eq!(names(&reader.get(&path).await.ok()["documents"]), ["deed.pdf", "plan.pdf"]);
            let list = reader.get("/rest/v1/requests?kind=order").await.ok();
            assert_eq!(names(&list["items"][0]["documents"]), ["deed.pdf", "plan.pdf"]);
        }
        nils.get(&path).await.refused(404, "not_found");
        // Staff open one before they decide.
        let seen = erin.get(&path).await.ok();
        let version = seen["documents"][0]["latest"]["id"].as_str().unwrap().parse().unwrap();
        link(&erin, domain::kernel::ids::VersionId(version), "inline").await;

        let terms = json!({ "company_id": app.acme, "purchase_amount": "1000" });
        let accepted = erin.post(&format!("{path}/accept"), terms).await.ok();
        let spv = accepted["spv"]["id"].as_str().unwrap();
        let found = maya.get(&format!("/rest/v1/documents?spv_id={spv}")).await.ok();
        assert_eq!(names(&found["items"]), ["deed.pdf", "plan.pdf"]);
        assert!(!notified_actions(&app, &erin).await.contains(&"document.uploaded".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn messages_carry_files_both_ways() {
    on_both(|app| async move {
        let (erin, maya, nils) = (app.employee("Erin").await, app.client("Maya").await, app.client("Nils").await);
        let spv = maya.spv.unwrap().to_string();
        let photo = file(&maya, "photo.pdf", &[("spv_id", &spv)]).await;
        // A file is enough; an empty message is not.
        assert_eq!(maya.post("/rest/v1/messages", json!({ "spv_id": spv })).await.fields(), ["body required"]);
        let sent = maya.post("/rest/v1/messages", json!({ "spv_id": spv, "document_ids": [photo] })).await.ok();
        assert_eq!((&sent["body"], names(&sent["documents"])), (&json!(""), vec!["photo.pdf"]));
        let thread = sent["thread_id"].as_str().unwrap().to_owned();

        let draft = file(&erin, "draft.pdf", &[("spv_id", &spv)]).await;
        let path = format!("/rest/v1/documents/{draft}");
        maya.get(&path).await.refused(404, "not_found");
        let answer = json!({ "thread_id": thread, "body": "Please sign", "document_ids": [draft] });
        app.world.clock.advance(chrono::Duration::seconds(1));
        let first = erin.post("/rest/v1/messages", answer.clone()).key("answer").await.ok();
        let again = erin.post("/rest/v1/messages", answer).key("answer").await.ok();
        assert_eq!(first, again);
        assert_eq!(maya.get(&path).await.ok()["internal"], false);
        let page = maya.get(&format!("/rest/v1/threads/{thread}/messages")).await.ok();
        assert_eq!(names(&page["items"][0]["documents"]), ["draft.pdf"]);
        assert_eq!(names(&page["items"][1]["documents"]), ["photo.pdf"]);
        let library = maya.get(&format!("/rest/v1/documents?spv_id={spv}")).await.ok();
        assert_eq!(library["items"].as_array().unwrap().len(), 2);
        for heard in [notified_actions(&app, &maya).await, notified_actions(&app, &erin).await] {
            assert!(heard.contains(&"message.sent".to_owned()), "{heard:?}");
            assert!(!heard.iter().any(|action| action.starts_with("document.")), "{heard:?}");
        }

        // In a client's general conversation.
        let id = maya.id.to_string();
        let letter = file(&erin, "letter.pdf", &[("client_id", &id)]).await;
        let general = json!({ "client_id": maya.id, "body": "Hello", "document_ids": [letter] });
        erin.post("/rest/v1/messages", general).await.ok();
        maya.get(&format!("/rest/v1/documents/{letter}")).await.ok();

        let foreign = file(&nils, "his.pdf", &[]).await;
        for (writer, document) in [(&maya, foreign), (&nils, photo), (&erin, foreign)] {
            let body = json!({ "spv_id": spv, "body": "x", "document_ids": [document] });
            writer.post("/rest/v1/messages", body).await.refused(404, "not_found");
        }
        let many: Vec<_> = (0..21).map(uuid::Uuid::from_u128).collect();
        let body = json!({ "spv_id": spv, "body": "x", "document_ids": many });
        assert_eq!(maya.post("/rest/v1/messages", body).await.fields(), ["document_ids too_many"]);
    })
    .await;
}

#[tokio::test]
async fn attachments_of_internal_notes_are_staff_only() {
    on_both(|app| async move {
        let (erin, sam, maya) = (app.employee("Erin").await, app.super_admin("Sam").await, app.client("Maya").await);
        let spv = maya.spv.unwrap().to_string();
        let hers = file(&maya, "passport.pdf", &[]).await;
        let said = erin.post("/rest/v1/messages", json!({ "spv_id": spv, "body": "Hello" })).await.ok();
        let thread = said["thread_id"].as_str().unwrap().to_owned();
        let everything = async || {
            notified_actions(&app, &maya).await;
            let mut all = String::new();
            for path in [
                "/rest/v1/notifications/unread".to_owned(),
                "/rest/v1/documents?limit=500".to_owned(),
                format!("/rest/v1/documents?spv_id={spv}"),
                "/rest/v1/documents?q=secret".to_owned(),
                format!("/rest/v1/documents/{hers}"),
                "/rest/v1/activity?limit=500".to_owned(),
                "/rest/v1/me/activity".to_owned(),
                format!("/rest/v1/activity?spv_id={spv}"),
                format!("/rest/v1/threads/{thread}/messages"),
                "/rest/v1/threads".to_owned(),
                "/rest/v1/dashboards/client".to_owned(),
                "/rest/v1/search?q=secret".to_owned(),
                format!("/rest/v1/spvs/{spv}"),
            ] {
                all.push_str(&maya.get(&path).await.ok().to_string());
            }
            all
        };
        let before = everything().await;
        app.world.clock.advance(chrono::Duration::seconds(1));
        let secret =
            upload(&erin, b"%PDF-1.4", &[("file_name", "SECRET.pdf"), ("spv_id", &spv), ("attach", "it")]).await;
        let (secret, version) = secret;
        let note = json!({ "thread_id": thread, "body": "SECRET", "internal": true, "document_ids": [secret, hers] });
        let note = erin.post("/rest/v1/messages", note).await.ok();
        assert_eq!(note["documents"].as_array().unwrap().len(), 2);
        let notes = sam.get(&format!("/rest/v1/clients/{}/internal-notes", maya.id)).await.ok();
        assert_eq!(notes["items"][0]["documents"].as_array().unwrap().len(), 2);
        let path = format!("/rest/v1/documents/{secret}");
        // Another version is internal like the first.
        upload(&erin, b"%PDF-1.5", &[("file_name", "SECRET 2.pdf"), ("document_id", &secret.to_string())]).await;
        erin.post(&format!("{path}/restore"), json!({ "version_id": version })).await.ok();
        assert_eq!(everything().await, before, "a note changes nothing that a client can see");

        maya.get(&path).await.refused(404, "not_found");
        maya.post(&format!("/storage/v1/versions/{version}/link"), json!({})).await.refused(404, "not_found");
        let announced = crate::documents::announce(&maya, 3, &[("document_id", &secret.to_string())]).await;
        announced.refused(404, "not_found");
        let take = json!({ "thread_id": thread, "body": "x", "document_ids": [secret] });
        maya.post("/rest/v1/messages", take).await.refused(404, "not_found");
        let invoice = invoice_of(&maya).await;
        let take = json!({ "document_id": secret });
        maya.post(&format!("/rest/v1/invoices/{invoice}/receipts"), take).await.refused(404, "not_found");
        assert!(!notified_actions(&app, &maya).await.iter().any(|action| action.starts_with("document.")));
        for letter in app.deliver_mails().await {
            assert!(!format!("{letter:?}").contains("SECRET"));
        }
        // Staff see it in the order, in the search and in the note.
        assert_eq!(sam.get(&path).await.ok()["internal"], true);
        let found = sam.get(&format!("/rest/v1/documents?spv_id={spv}&q=secret")).await.ok();
        assert_eq!(found["items"].as_array().unwrap().len(), 1);
        let page = sam.get(&format!("/rest/v1/threads/{thread}/messages")).await.ok();
        assert_eq!(page["items"][0]["documents"].as_array().unwrap().len(), 2);
    })
    .await;
}

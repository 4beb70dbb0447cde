//! Tenant isolation: three companies and four ISO partners with similar names in one office, two of them partners of
//! one company. No response to a company admin or a partner contains data of the others. Driven by the OpenAPI
//! document, so that new routes are covered.
use crate::{
    documents::{pdf, upload},
    support::{TestApp, TestUser, on_both},
};
use axum::http::{Method, StatusCode};
use domain::{
    accounts::users,
    directory::companies,
    kernel::{
        ids::{CompanyId, UserId},
        page::PageQuery,
    },
    orders::corrections::{self, Correction},
    outbox::mails,
    platform::activity,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Cursor, Read},
};

/// Rows of the office, which belong to no company: step templates, the price list, approvals, and payout runs for all partners.
const OFFICES: [&str; 4] = ["templates", "payout-runs", "approvals", "services"];

/// Lists scoped to the user: there `company_id` only filters. Elsewhere it selects the company.
const NARROWED: [&str; 8] = [
    "client_list",
    "client_export",
    "invoice_list",
    "invoice_export",
    "iso_list",
    "iso_export",
    "spv_list",
    "spv_export",
];

/// Marks of one company, or of one partner, that occur nowhere else.
struct Part {
    company: CompanyId,
    /// The partner; none for the company itself.
    partner: Option<UserId>,
    /// Its rows by the noun of their paths.
    ids: Vec<(&'static str, String)>,
    /// Texts that no other row contains.
    words: Vec<String>,
}

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A company and its admin.
async fn company(app: &TestApp, n: &str) -> (Part, TestUser) {
    // All names begin alike, so that a prefix search would find them all.
    let company = app.world.company(&format!("Meridian {n}")).await;
    let admin = app.company_admin(&format!("Clara{n}"), company).await;
    let weekly = json!({ "report": "commissions", "every": "weekly", "recipients": [admin.id] });
    let schedule = admin.post("/rest/v1/report-schedules", weekly).await.ok();
    let settings = json!({ "tax_id": "12-3456789", "website": format!("https://{n}.example.com"),
        "address": format!("{n} Main Street") });
    admin.patch(&format!("/rest/v1/companies/{company}/settings"), settings).await.ok();
    companies::set_logo(&app.world.operator(), company, PICTURE.to_vec()).await.unwrap();
    let ids = vec![
        ("companies", company.to_string()),
        ("members", admin.id.to_string()),
        ("report-schedules", text(&schedule["id"])),
    ];
    let words =
        vec![format!("Meridian {n}"), format!("Clara{n}"), format!("{n}.example.com"), format!("{n} Main Street")];
    (Part { company, partner: None, ids, words }, admin)
}

/// A partner of the company with a client, orders, a lead and a call.
async fn partner(app: &TestApp, staff: &TestUser, n: &str, company: CompanyId) -> (Part, TestUser) {
    // Amounts without a common sum.
    let at = n.bytes().last().map_or(0, |last| u32::from(last - b'a') + 1);
    let (purchase, price) = (format!("{}", 7_100_037 * at), format!("{}", 31_013 * at));
    let (iso_id, iso) = app.iso(&format!("Ingrid{n}"), company).await;
    let client = app.client_of(&format!("Maya{n}"), company, Some(iso_id)).await;
    let identifier = format!("SPV-{n}-1");
    let order = json!({ "client_id": client.id, "company_id": company, "iso_id": iso_id, "purchase_amount": purchase,
        "price": &price, "iso_commission_percentage": "1", "custom_identifier": identifier });
    let spv = staff.post("/rest/v1/spvs", order).await.ok();
    // Closed, so that the partner has a commission and every report has a row.
    let link = format!("https://files.example.com/{n}");
    let first = format!("/rest/v1/steps/{}", spv["steps"][0]["id"].as_str().unwrap());
    staff.patch(&first, json!({ "document_url": link })).await.ok();
    let steps: Vec<&Value> = spv["steps"].as_array().unwrap().iter().map(|step| &step["id"]).collect();
    // Paid in part, corrected and corrected back, so that it has a credit note.
    let invoice = staff.get(&format!("/rest/v1/invoices?client_id={}", client.id)).await.ok()["items"][0].clone();
    let paid = format!("/rest/v1/invoices/{}/payments", invoice["id"].as_str().unwrap());
    staff.post(&paid, json!({ "amount": "1", "amount_again": "1" })).await.ok();
    for price in [format!("{}", 31_013 * at - 1), price.clone()] {
        let correction = Correction { price: Some(price), ..Correction::default() };
        let spv_id = spv["id"].as_str().unwrap().parse().unwrap();
        corrections::correct(&app.world.operator(), spv_id, None, correction).await.unwrap();
    }
    let notes = staff.get(&format!("/rest/v1/credit-notes?client_id={}", client.id)).await.ok();
    let done = format!("/rest/v1/spvs/{}/steps/complete", spv["id"].as_str().unwrap());
    assert_eq!(staff.post(&done, json!({ "ids": steps })).await.ok()["status"], "closed");
    let ledger = iso.get("/rest/v1/commissions").await.ok();
    let lead =
        json!({ "first_name": format!("Lena{n}"), "last_name": "Lead", "email": format!("lena{n}@example.com") });
    let lead = iso.post("/rest/v1/leads", lead).await.ok();
    let message = json!({ "spv_id": spv["id"], "body": format!("Between us {n}") });
    let message = staff.post("/rest/v1/messages", message).await.ok();
    let times = [app.world.clock.now() + chrono::Duration::days(2)];
    let call = iso.post("/rest/v1/calls", json!({ "topic": format!("Terms {n}"), "times": times })).await.ok();
    let desk = staff.get("/rest/v1/requests?order=created_at").await.ok();
    let called = desk["items"].as_array().unwrap().iter().find(|item| item["call_id"] == call["id"]).unwrap();
    // Confirmed, so that it has a calendar file.
    let confirm = format!("/rest/v1/calls/{}/confirm", call["id"].as_str().unwrap());
    staff.post(&confirm, json!({ "begins_at": call["times"][0] })).await.ok();
    let question = json!({ "kind": "support", "message": format!("Question of {n}") });
    let question = client.post("/rest/v1/requests", question).await.ok();
    // A closed order accepts no more documents.
    let open = client.spv.unwrap().to_string();
    let file = format!("deed-{n}.pdf");
    let (document, _) = upload(&client, &pdf(20), &[("file_name", &file), ("spv_id", &open)]).await;
    let wanted = json!({ "name": format!("Passport of {n}") });
    let wanted = staff.post(&format!("/rest/v1/spvs/{open}/document-requests"), wanted).await.ok();
    let ids = vec![
        ("isos", iso_id.to_string()),
        ("clients", client.id.to_string()),
        ("users", client.id.to_string()),
        ("spvs", text(&spv["id"])),
        ("steps", text(&spv["steps"][0]["id"])),
        ("leads", text(&lead["id"])),
        ("invoices", text(&invoice["id"])),
        ("credit-notes", text(&notes["items"][0]["id"])),
        ("commissions", text(&ledger["items"][0]["id"])),
        ("threads", text(&message["thread_id"])),
        ("calls", text(&call["id"])),
        ("requests", text(&called["id"])),
        ("requests", text(&question["id"])),
        ("documents", document.to_string()),
        ("document-requests", text(&wanted["id"])),
    ];
    let words = vec![
        format!("Ingrid{n}"),
        format!("Maya{n}"),
        format!("Lena{n}"),
        identifier,
        format!("Between us {n}"),
        format!("\"{purchase}.00\""),
        format!("\"{price}.00\""),
        // As workbooks write them.
        format!("<v>{purchase}</v>"),
        format!("<v>{price}</v>"),
        format!("Terms {n}"),
        format!("Question of {n}"),
        format!("Passport of {n}"),
        file,
        link,
    ];
    (Part { company, partner: Some(iso.id), ids, words }, iso)
}

/// Every read: its name, its path, whether it takes `company_id`.
fn reads() -> Vec<(String, String, bool)> {
    let document: Value = serde_json::from_str(api::openapi()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(get) = item.get("get") else { continue };
        let name = get["operationId"].as_str().unwrap().to_owned();
        // A stream does not end, and a file link needs no user.
        if name == "event_stream" || name == "file_get" || name == "company_logo_get" {
            continue;
        }
        let takes = |name: &str| get["parameters"].as_array().is_some_and(|all| all.iter().any(|p| p["name"] == name));
        let company = takes("company_id");
        // Required search words get the common prefix; required ids get the row's.
        let path = match name.as_str() {
            "search_find" => format!("{path}?q=me"),
            "message_find" => format!("{path}?thread_id={{id}}"),
            "document_request_find" => format!("{path}?spv_id={{id}}"),
            _ => path.clone(),
        };
        if path.starts_with("/rest/v1/reports") {
            for report in ["portfolio", "commissions", "step_times"] {
                found.push((name.clone(), format!("{path}?report={report}"), company));
            }
            continue;
        }
        found.push((name, path, company));
    }
    found
}

/// All members of a workbook: it is compressed, so its bytes contain no text.
fn unpacked(bytes: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a workbook is a ZIP file");
    let mut text = String::new();
    for n in 0..archive.len() {
        archive.by_index(n).expect("a part").read_to_string(&mut text).expect("the part is text");
    }
    text
}

fn refused(status: StatusCode) -> bool {
    status == StatusCode::NOT_FOUND || status == StatusCode::FORBIDDEN
}

/// The response text, which must not contain data of the others.
async fn reads_own(person: &TestUser, path: &str, others: &[&Part], who: &str) -> (StatusCode, String) {
    let answer = person.ask(Method::GET, path).await;
    let packed = answer.bytes.starts_with(b"PK");
    let text = if packed { unpacked(&answer.bytes) } else { String::from_utf8_lossy(&answer.bytes).into_owned() };
    assert!(answer.status.as_u16() < 500, "{path} as {who}: {}", answer.status);
    for part in others {
        for word in part.words.iter().chain(part.ids.iter().map(|(_, id)| id)) {
            assert!(!text.contains(word.as_str()), "{path} as {who} tells of {word}: {text}");
        }
    }
    (answer.status, text)
}

#[tokio::test]
async fn companies_and_partners_see_nothing_of_each_other() {
    on_both(|app| async move {
        let staff = app.super_admin("Sam").await;
        let (mut parts, mut people) = (Vec::new(), Vec::new());
        // Two of the partners are of one company: its admin sees both, they do not see each other.
        for (n, partners) in [("alpha", vec!["alpha", "alphd"]), ("alphb", vec!["alphb"]), ("alphc", vec!["alphc"])] {
            let (part, admin) = company(&app, n).await;
            let id = part.company;
            parts.push(part);
            people.push(("a company admin", admin, id));
            for n in partners {
                let (part, iso) = partner(&app, &staff, n, id).await;
                parts.push(part);
                people.push(("a partner", iso, id));
            }
        }
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let mut told: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for &(who, ref person, company) in &people {
            let (own, others): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| {
                let theirs = who == "a company admin" || part.partner.is_none_or(|partner| partner == person.id);
                part.company == company && theirs
            });
            let tells = |status: StatusCode, text: &str| {
                status == StatusCode::OK && own.iter().flat_map(|part| &part.words).any(|word| text.contains(word))
            };
            let mut seen = BTreeSet::new();
            for (name, path, takes_company) in reads() {
                if path.contains("{id}") {
                    let noun = match name.as_str() {
                        "message_find" => "threads",
                        "document_request_find" => "spvs",
                        _ => path.split('/').nth(3).unwrap_or(""),
                    };
                    if OFFICES.contains(&noun) {
                        continue;
                    }
                    let of = |parts: &[&Part]| -> Vec<String> {
                        let ids = parts.iter().flat_map(|part| &part.ids).filter(|(of, _)| *of == noun);
                        ids.map(|(_, id)| path.replace("{id}", id)).collect()
                    };
                    assert!(!of(&own).is_empty(), "{name} is new: give each company or partner a row of {noun}");
                    for path in of(&others) {
                        let (status, _) = reads_own(person, &path, &others, who).await;
                        assert!(refused(status), "{name} of another as {who}: {status}");
                    }
                    for address in of(&own) {
                        let (status, text) = reads_own(person, &address, &others, who).await;
                        if tells(status, &text) {
                            seen.insert(format!("{name} {path}"));
                        }
                    }
                    continue;
                }
                let (status, text) = reads_own(person, &path, &others, who).await;
                let full = tells(status, &text);
                assert!(full || refused(status) || name != "report_xlsx", "{path} as {who} has nothing: {text}");
                if takes_company {
                    for other in others.iter().filter(|other| other.partner.is_none()) {
                        let sign = if path.contains('?') { '&' } else { '?' };
                        let path = format!("{path}{sign}company_id={}", other.company);
                        let (status, text) = reads_own(person, &path, &others, who).await;
                        if NARROWED.contains(&name.as_str()) {
                            let csv = name.ends_with("_export");
                            let none = if csv { text.lines().count() == 1 } else { text.contains("\"items\":[]") };
                            assert!(status == StatusCode::OK && none, "{path} as {who}: {status} {text}");
                        } else {
                            assert!(refused(status), "{path} as {who}: {status}");
                        }
                    }
                }
                if full {
                    seen.insert(format!("{name} {path}"));
                }
            }
            // The same role reads the same routes.
            let first = told.entry(who).or_insert_with(|| seen.clone());
            assert_eq!(*first, seen, "{who}");
        }
        // A response without rows would prove nothing.
        let mut table = Vec::new();
        for (who, seen) in told {
            table.extend(seen.into_iter().map(|read| format!("{who}: {read}")));
        }
        insta::assert_snapshot!("routes_with_own_rows", table.join("\n"));
    })
    .await;
}

#[tokio::test]
async fn company_portal_is_for_its_admins_and_super_admins() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (clara, sam) = (app.company_admin("Clara", app.acme).await, app.super_admin("Sam").await);
        let path = "/rest/v1/dashboards/company";
        let own = clara.get(path).await.ok();
        assert_eq!(own["company"]["name"], "Acme");
        clara.get(&format!("{path}?company_id={beta}")).await.refused(404, "not_found");
        // A super admin sees what the company's own admin sees.
        let refused = sam.get(path).await;
        assert_eq!((refused.status.as_u16(), &refused.body["fields"][0]["field"]), (422, &json!("company_id")));
        assert_eq!(sam.get(&format!("{path}?company_id={}", app.acme)).await.ok(), own);
        let erin = app.employee("Erin").await;
        erin.get(&format!("{path}?company_id={beta}")).await.refused(403, "forbidden");
    })
    .await;
}

#[tokio::test]
async fn last_member_and_oneself_cannot_be_removed() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let clara = app.company_admin("Clara", app.acme).await;
        let bella = app.company_admin("Bella", beta).await;
        let sam = app.super_admin("Sam").await;
        let list = format!("/rest/v1/companies/{}/members", app.acme);
        let new = json!({ "first_name": "Dora", "last_name": "Test", "email": "dora@example.com" });
        let dora = clara.post(&list, new.clone()).await.ok();
        assert_eq!((&dora["status"], &dora["can"]), (&json!("pending"), &json!(["invite", "remove"])));
        // An existing address: the response reveals nothing more.
        let again =
            clara.post(&list, json!({ "email": "bella@example.com", "first_name": "B", "last_name": "B" })).await;
        assert_eq!((again.status.as_u16(), &again.body["fields"][0]["code"]), (422, &json!("email_taken")));
        bella.post(&list, new).await.refused(404, "not_found");
        let of = |id: &Value, action: &str| format!("/rest/v1/members/{}/{action}", id.as_str().unwrap());
        bella.post(&of(&dora["id"], "remove"), json!({})).await.refused(404, "not_found");
        clara.post(&of(&json!(clara.id.to_string()), "remove"), json!({})).await.refused(409, "own_account");
        sam.post(&of(&json!(clara.id.to_string()), "remove"), json!({})).await.refused(409, "last_company_admin");
        clara.post(&of(&dora["id"], "invite"), json!({})).await.ok();
        let gone = clara.post(&of(&dora["id"], "remove"), json!({})).await.ok();
        assert_eq!((&gone["status"], &gone["can"]), (&json!("archived"), &json!(["restore"])));
        assert_eq!(clara.get(&list).await.ok()["items"].as_array().unwrap().len(), 1);
        assert_eq!(clara.get(&format!("{list}?removed=true")).await.ok()["items"][0]["id"], dora["id"]);
        assert_eq!(clara.get(&format!("{list}?q=dor")).await.ok()["items"], json!([]));
        clara.post(&of(&dora["id"], "invite"), json!({})).await.refused(409, "not_invitable");
        clara.post(&of(&dora["id"], "restore"), json!({})).await.ok();
        assert_eq!(clara.get(&format!("{list}?q=dor")).await.ok()["items"][0]["id"], dora["id"]);
        // A suspension by the office cannot be lifted by the company.
        let dora_id = UserId(dora["id"].as_str().unwrap().parse().unwrap());
        users::suspend(&app.world.operator(), dora_id, None).await.unwrap();
        assert_eq!(clara.get(&format!("{list}?q=dor")).await.ok()["items"][0]["can"], json!([]));
        clara.post(&of(&dora["id"], "remove"), json!({})).await.refused(409, "shut_by_office");
        users::archive(&app.world.operator(), dora_id, None).await.unwrap();
        clara.post(&of(&dora["id"], "restore"), json!({})).await.refused(409, "shut_by_office");
        sam.post(&of(&dora["id"], "restore"), json!({})).await.ok();
        // Accounts outside the company are not members.
        let maya = app.client("Maya").await;
        sam.post(&of(&json!(maya.id.to_string()), "remove"), json!({})).await.refused(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn company_settings_are_validated_and_applied() {
    on_both(|app| async move {
        let clara = app.company_admin("Clara", app.acme).await;
        let erin = app.employee("Erin").await;
        let path = format!("/rest/v1/companies/{}/settings", app.acme);
        let wrong = json!({ "name": " ", "legal_name": "", "tax_id": "123", "country": "XX", "industry": "farming",
            "size": "50-200", "email": "nobody", "website": "http://a.example", "time_zone": "EST", "language": "fr",
            "currency": "XXX" });
        let refused = clara.patch(&path, wrong).await;
        assert_eq!(refused.status, 422);
        let fields: Vec<&str> =
            refused.body["fields"].as_array().unwrap().iter().map(|field| field["field"].as_str().unwrap()).collect();
        assert_eq!(
            fields,
            [
                "name",
                "legal_name",
                "country",
                "industry",
                "size",
                "email",
                "website",
                "time_zone",
                "language",
                "currency",
                "tax_id"
            ]
        );
        erin.patch(&path, json!({ "phone": "555 0101" })).await.refused(403, "forbidden");
        let before = clara.get(&path).await.ok();
        let change = json!({ "legal_name": "Acme Holdings", "tax_id": "123456789", "industry": "finance",
            "size": "51-200", "website": "https://acme.example", "time_zone": "Asia/Tokyo", "language": "es",
            "currency": "EUR" });
        let saved = clara.patch(&path, change).if_match(before["version"].as_i64().unwrap()).await.ok();
        assert_eq!((&saved["tax_id"], &saved["size"]), (&json!("12-3456789"), &json!("51-200")));
        // A number that is valid in one country is invalid in another.
        let moved = clara.patch(&path, json!({ "country": "JP" })).await;
        assert_eq!((moved.status.as_u16(), &moved.body["fields"][0]["code"]), (422, &json!("invalid_tax_id")));
        // New orders get the currency, and the card names it.
        let maya = app.client("Maya").await;
        let order = json!({ "client_id": maya.id, "company_id": app.acme, "purchase_amount": "5" });
        assert_eq!(erin.post("/rest/v1/spvs", order).await.ok()["currency"], "EUR");
        assert_eq!(clara.get("/rest/v1/dashboards/company").await.ok()["currency"], "EUR");
        assert_eq!(clara.get(&format!("/rest/v1/companies/{}", app.acme)).await.ok()["time_zone"], "Asia/Tokyo");
        // Mails use the company's language until a user sets their own.
        let language = async |to: &str| {
            let sent = mails::list(&app.world.operator(), None, &PageQuery::default()).await.unwrap().items;
            sent.into_iter().find(|mail| mail.to_email == to).unwrap().language
        };
        let list = format!("/rest/v1/companies/{}/members", app.acme);
        let dora = json!({ "first_name": "Dora", "last_name": "Test", "email": "dora@example.com" });
        clara.post(&list, dora).await.ok();
        assert_eq!(language("dora@example.com").await, "es");
        let forgot = async || {
            app.anonymous().post("/auth/v1/recover", json!({ "email": "clara@example.com" })).await.ok();
            app.deliver_mails().await;
        };
        forgot().await;
        assert_eq!(language("clara@example.com").await, "es");
        clara.patch("/rest/v1/me", json!({ "language": "en-GB" })).await.ok();
        app.world.clock.advance(chrono::Duration::minutes(1));
        forgot().await;
        assert_eq!(language("clara@example.com").await, "en-GB");
    })
    .await;
}

#[tokio::test]
async fn logos_must_be_images() {
    on_both(|app| async move {
        let clara = app.company_admin("Clara", app.acme).await;
        let path = format!("/rest/v1/companies/{}/logo", app.acme);
        for (bytes, code) in [
            (&b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"[..], "logo_kind"),
            (b"", "logo_kind"),
            (&[0x89; 300 << 10], "logo_too_large"),
        ] {
            let refused = clara.ask(Method::PUT, &path).raw(bytes.to_vec()).await;
            assert_eq!((refused.status.as_u16(), &refused.body["fields"][0]["code"]), (422, &json!(code)));
        }
        let saved = clara.ask(Method::PUT, &path).raw(PICTURE).await.ok();
        let logo = saved["logo"].as_str().unwrap().to_owned();
        let sent = app.anonymous().get(&logo).await;
        assert_eq!((sent.status.as_u16(), &sent.bytes[..]), (200, PICTURE));
        assert_eq!(sent.header("content-type"), Some("image/png"));
        assert_eq!(sent.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(clara.delete(&path).await.ok()["logo"], Value::Null);
        app.anonymous().get(&logo).await.refused(404, "not_found");
    })
    .await;
}

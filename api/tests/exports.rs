//! CSV exports: complete, escaped, within the scope.

use crate::{
    documents::{pdf, upload},
    support::{TestResponse, TestUser, on_both},
};
use domain::kernel::db::Sql;
use futures::StreamExt;
use serde_json::{Value, json};

/// Lines of a CSV file as cells; no test has a cell with a comma.
#[track_caller]
fn rows(answer: &TestResponse) -> Vec<Vec<String>> {
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = std::str::from_utf8(&answer.bytes).unwrap().strip_prefix('\u{feff}').expect("the sign for Excel");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[track_caller]
fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let n = rows[0].iter().position(|head| head == name).unwrap_or_else(|| panic!("no {name} in {:?}", rows[0]));
    rows[1..].iter().map(|row| row[n].clone()).collect()
}

#[tokio::test]
async fn exports_contain_all_pages() {
    on_both(|app| async move {
        let erin = app.employee("Erin").await;
        for n in 0..503 {
            let name = format!("Company {n:03}");
            erin.post("/rest/v1/companies", json!({ "name": name, "business_name": "=cmd|' /C calc'!A0" })).await.ok();
        }
        let answer = erin.get("/rest/v1/companies.csv").await;
        let disposition = answer.header("content-disposition").unwrap().to_owned();
        assert!(disposition.starts_with("attachment; filename=\"companies-2") && disposition.ends_with(".csv\""));
        let table = rows(&answer);
        let mut names = column(&table, "name");
        assert_eq!((names.len(), names[0].as_str(), names[503].as_str()), (504, "Acme", "Company 502"));
        names.dedup();
        assert_eq!(names.len(), 504, "nothing twice");
        assert_eq!(column(&table, "business_name")[1], "'=cmd|' /C calc'!A0");

        for coding in ["gzip", "br"] {
            let packed = erin.get("/rest/v1/companies.csv").header("accept-encoding", coding).await;
            assert_eq!((packed.status.as_u16(), packed.header("content-encoding")), (200, Some(coding)));
            assert!((100..answer.bytes.len()).contains(&packed.bytes.len()));
        }

        let narrowed = rows(&erin.get("/rest/v1/companies.csv?q=company%20017").await);
        assert_eq!(column(&narrowed, "name"), ["Company 017"]);
        assert_eq!(rows(&erin.get("/rest/v1/companies.csv?archived=true").await).len(), 1);
        erin.get("/rest/v1/companies.csv?limit=5").await.refused(400, "unknown_field");
        let log = app.super_admin("Sam").await.get("/rest/v1/activity?limit=1").await.ok();
        assert!(log["items"].is_array());
    })
    .await;
}

/// A part is 500 rows.
#[tokio::test]
async fn slow_exports_stop_when_the_session_ends() {
    on_both(|app| async move {
        for n in 0..501 {
            app.world.company(&format!("Company {n:03}")).await;
        }
        let (erin, olga) = (app.employee("Erin").await, app.employee("Olga").await);
        let open = async |person: &TestUser| {
            let mut body = person.get("/rest/v1/companies.csv").open().await.into_body().into_data_stream();
            let first = body.next().await.unwrap().unwrap();
            assert!(first.starts_with("\u{feff}id,".as_bytes()));
            body
        };
        let (mut erins, mut olgas) = (open(&erin).await, open(&olga).await);
        domain::accounts::users::suspend(&app.world.operator(), erin.id, None).await.unwrap();
        erins.next().await.unwrap().unwrap_err();
        assert!(erins.next().await.is_none());
        // A slow reader gets the complete file, even after its token has expired.
        app.world.clock.advance(chrono::Duration::hours(1));
        olgas.next().await.unwrap().unwrap();
        assert!(olgas.next().await.is_none());
    })
    .await;
}

#[tokio::test]
async fn exports_omit_staff_only_columns_and_foreign_rows() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (_, igor) = app.iso("Igor", beta).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nils = app.client_of("Nils", beta, None).await;
        let (cora, erin) = (app.company_admin("Cora", app.acme).await, app.employee("Erin").await);
        let sam = app.super_admin("Sam").await;
        for (who, person, clients, isos, companies) in [
            ("its client", &maya, vec!["Maya"], vec![], vec!["Acme"]),
            ("a client", &nils, vec!["Nils"], vec![], vec!["Beta"]),
            ("its ISO", &ivan, vec!["Maya"], vec!["Ivan"], vec!["Acme"]),
            ("an ISO", &igor, vec![], vec!["Igor"], vec!["Beta"]),
            ("its company", &cora, vec!["Maya"], vec!["Ivan"], vec!["Acme"]),
            ("an employee", &erin, vec!["Maya", "Nils"], vec!["Igor", "Ivan"], vec!["Acme", "Beta"]),
            ("a super admin", &sam, vec!["Maya", "Nils"], vec!["Igor", "Ivan"], vec!["Acme", "Beta"]),
        ] {
            let of = async |table: &str, name: &str| {
                let mut found = column(&rows(&person.get(&format!("/rest/v1/{table}.csv")).await), name);
                found.sort();
                found
            };
            assert_eq!(of("clients", "first_name").await, clients, "{who}");
            assert_eq!(of("isos", "first_name").await, isos, "{who}");
            assert_eq!(of("companies", "name").await, companies, "{who}");
            let orders = of("spvs", "client_name").await;
            assert!(orders.iter().zip(&clients).all(|(order, client)| order.starts_with(client)), "{who}: {orders:?}");
            assert_eq!(orders.len(), clients.len(), "{who}");
        }
        let other = maya.get(&format!("/rest/v1/spvs.csv?client_id={}", nils.id)).await;
        assert_eq!(rows(&other).len(), 1, "a filter never widens what is yours");

        let hers = rows(&maya.get("/rest/v1/spvs.csv").await);
        assert!(!hers[0].iter().any(|name| name.contains("commission")), "{:?}", hers[0]);
        assert_eq!(column(&hers, "price"), ["1250.00"]);
        let his = rows(&ivan.get("/rest/v1/spvs.csv").await);
        assert_eq!(column(&his, "iso_commission"), ["50.00"]);
        assert_eq!(column(&his, "amount"), ["1250.00"]);
        let cancel = format!("/rest/v1/spvs/{}/cancel", maya.spv.unwrap());
        erin.post(&cancel, json!({ "reason": "The deal is off" })).await.ok();
        let his = rows(&ivan.get("/rest/v1/spvs.csv").await);
        assert_eq!((column(&his, "price"), column(&his, "amount")), (vec!["1250.00".into()], vec!["0.00".into()]));
        // A cancelled order is not open, in the file and in the list.
        assert_eq!(column(&rows(&ivan.get("/rest/v1/spvs.csv?open=true").await), "price"), [] as [String; 0]);
        assert_eq!(ivan.get("/rest/v1/spvs?open=true").await.ok()["items"], json!([]));
        app.anonymous().get("/rest/v1/spvs.csv").await.refused(401, "unauthenticated");
        erin.get("/rest/v1/spvs.csv?status=soon").await.fields();
    })
    .await;
}

#[tokio::test]
async fn invoices_and_documents_are_exported_for_clients_and_staff_only() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nils = app.client_of("Nils", beta, None).await;
        let (cora, erin) = (app.company_admin("Cora", app.acme).await, app.employee("Erin").await);
        // Visitors can write this text, and staff open the file.
        let visit = json!({ "kind": "support", "name": "=1+1", "email": "eve@example.com", "message": "@sum(A1)" });
        app.anonymous().post("/rest/v1/requests", visit).await.ok();
        for client in [&maya, &nils] {
            client.post("/rest/v1/requests", json!({ "kind": "support", "message": "Hello" })).await.ok();
            upload(client, &pdf(20), &[("file_name", "passport.pdf")]).await;
        }
        let hers = maya.get("/rest/v1/requests").await.ok()["items"][0]["id"].as_str().unwrap().to_owned();
        let urgent = json!({ "priority": "high", "assignee_id": erin.id });
        erin.patch(&format!("/rest/v1/requests/{hers}"), urgent).await.ok();
        erin.post(&format!("/rest/v1/requests/{hers}/approve"), json!({ "reply": "Done" })).await.ok();
        // It is internal until it is sent with a message.
        let whose = maya.id.to_string();
        upload(&erin, &pdf(30), &[("file_name", "draft.pdf"), ("client_id", &whose), ("attach", "it")]).await;

        for (who, person, requests, clients, files) in [
            ("its client", &maya, vec!["Maya Test"], vec!["Maya Test"], vec!["passport.pdf"]),
            ("a client", &nils, vec!["Nils Test"], vec!["Nils Test"], vec!["passport.pdf"]),
            ("its ISO", &ivan, vec![], vec![], vec![]),
            ("its company", &cora, vec![], vec![], vec![]),
            (
                "an employee",
                &erin,
                vec!["'=1+1", "Maya Test", "Nils Test"],
                vec!["Maya Test", "Nils Test"],
                vec!["draft.pdf", "passport.pdf", "passport.pdf"],
            ),
        ] {
            let of = async |path: &str, name: &str| {
                let mut found = column(&rows(&person.get(&format!("/rest/v1/{path}")).await), name);
                found.sort();
                found
            };
            assert_eq!(of("requests.csv", "name").await, requests, "{who}");
            assert_eq!(of("invoices.csv", "client_name").await, clients, "{who}");
            assert_eq!(of("documents.csv", "name").await, files, "{who}");
            // A filter never widens the scope.
            let (whose, order) = (format!("client_id={}", nils.id), format!("spv_id={}", nils.spv.unwrap()));
            let seen = usize::from(clients.contains(&"Nils Test"));
            assert_eq!(of(&format!("invoices.csv?{whose}"), "id").await.len(), seen, "{who}");
            assert_eq!(of(&format!("invoices.csv?{order}"), "id").await.len(), seen, "{who}");
            assert_eq!(of(&format!("documents.csv?{whose}"), "id").await.len(), seen, "{who}");
        }
        for (table, inner) in [
            ("requests", &["priority", "due_at", "overdue", "assignee_name", "decided_by"][..]),
            ("invoices", &[]),
            ("documents", &["internal"]),
        ] {
            let path = format!("/rest/v1/{table}.csv");
            let staffs = rows(&erin.get(&path).await)[0].clone();
            for other in [&maya, &ivan, &cora] {
                let theirs = rows(&other.get(&path).await)[0].clone();
                let missing: Vec<_> = staffs.iter().filter(|name| !theirs.contains(name)).collect();
                assert_eq!(missing, inner, "{table}");
            }
            app.anonymous().get(&path).await.refused(401, "unauthenticated");
        }
        let own = rows(&maya.get("/rest/v1/requests.csv").await);
        assert_eq!((column(&own, "status"), column(&own, "reason")), (vec!["approved".into()], vec!["Done".into()]));
        assert!(!own[1].iter().any(|cell| cell.contains("Erin")), "{own:?}");
        let urgent = rows(&erin.get("/rest/v1/requests.csv?priority=high").await);
        assert_eq!(column(&urgent, "assignee_name"), ["Erin Test"]);
        assert_eq!(column(&urgent, "decided_by"), ["Erin Test"]);
        let strange = rows(&erin.get("/rest/v1/requests.csv?q=eve").await);
        assert_eq!(column(&strange, "message"), ["'@sum(A1)"]);
        assert_eq!(maya.get("/rest/v1/requests.csv?priority=high").await.fields(), ["priority not_allowed"]);
        erin.get("/rest/v1/invoices.csv?status=soon").await.fields();
        erin.get("/rest/v1/documents.csv?order=size").await.fields();
    })
    .await;
}

#[tokio::test]
async fn partners_export_own_leads_and_staff_own_tasks() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (_, igor) = app.iso("Igor", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let cora = app.company_admin("Cora", app.acme).await;
        let (erin, emil) = (app.employee("Erin").await, app.employee("Emil").await);
        let time = app.world.clock.now() + chrono::Duration::days(2);
        for (partner, name) in [(&ivan, "Lena"), (&ivan, "Lukas"), (&igor, "Ludo")] {
            let email = format!("{}@example.com", name.to_lowercase());
            let lead = json!({ "first_name": name, "last_name": "Lead", "email": email, "note": "=1+1" });
            partner.post("/rest/v1/leads", lead).await.ok();
            let call = json!({ "topic": format!("@Terms {name}"), "times": [time] });
            partner.post("/rest/v1/calls", call).await.ok();
        }
        for (who, person, leads) in [
            ("its ISO", &ivan, vec!["Lena", "Lukas"]),
            ("an ISO", &igor, vec!["Ludo"]),
            ("an employee", &erin, vec!["Lena", "Ludo", "Lukas"]),
        ] {
            let of = async |path: &str, name: &str| {
                let mut found = column(&rows(&person.get(&format!("/rest/v1/{path}")).await), name);
                found.sort();
                found
            };
            assert_eq!(of("leads.csv", "first_name").await, leads, "{who}");
            assert_eq!(of("leads.csv", "note").await, vec!["'=1+1"; leads.len()], "{who}");
            let topics: Vec<_> = leads.iter().map(|name| format!("'@Terms {name}")).collect();
            assert_eq!(of("calls.csv", "topic").await, topics, "{who}");
            // The filters of the table apply, and none widens the scope.
            let lena: Vec<_> = leads.iter().copied().filter(|name| *name == "Lena").collect();
            assert_eq!(of("leads.csv?q=lena", "first_name").await, lena, "{who}");
            assert_eq!(of("leads.csv?stage=new", "stage").await.len(), leads.len(), "{who}");
            assert_eq!(of("leads.csv?stage=lost", "id").await.len(), 0, "{who}");
            assert_eq!(of("calls.csv?status=requested", "id").await.len(), leads.len(), "{who}");
            assert_eq!(of("calls.csv?status=confirmed", "id").await.len(), 0, "{who}");
            let ivans = leads.iter().filter(|name| **name != "Ludo").count();
            assert_eq!(of(&format!("leads.csv?iso_id={iso}"), "id").await.len(), ivans, "{who}");
        }
        erin.get("/rest/v1/leads.csv?stage=soon").await.fields();
        erin.get("/rest/v1/calls.csv?status=soon").await.fields();
        for table in ["leads", "calls", "tasks"] {
            let path = format!("/rest/v1/{table}.csv");
            for other in [&maya, &cora] {
                other.get(&path).await.refused(403, "forbidden");
            }
            app.anonymous().get(&path).await.refused(401, "unauthenticated");
        }
        ivan.get("/rest/v1/tasks.csv").await.refused(403, "forbidden");

        let steps = erin.get(&format!("/rest/v1/spvs/{}", maya.spv.unwrap())).await.ok()["steps"].clone();
        for (n, person) in [(1, &erin), (2, &erin), (3, &emil)] {
            let step = format!("/rest/v1/steps/{}", steps[n]["id"].as_str().unwrap());
            erin.patch(&step, json!({ "assignee_id": person.id })).await.ok();
        }
        let asked = maya.post("/rest/v1/requests", json!({ "kind": "support", "message": "Hello" })).await.ok();
        let asked = format!("/rest/v1/requests/{}", asked["id"].as_str().unwrap());
        erin.patch(&asked, json!({ "assignee_id": erin.id })).await.ok();
        for (person, count) in [(&erin, 3), (&emil, 1)] {
            let table = rows(&person.get("/rest/v1/tasks.csv").await);
            let page = person.get("/rest/v1/tasks").await.ok();
            let list = page["items"].as_array().unwrap().clone();
            assert_eq!((list.len(), &page["more"]), (count, &json!(false)));
            for name in ["kind", "id", "name", "step_name", "spv_identifier", "client_name", "status", "due_date"] {
                let listed: Vec<_> = list.iter().map(|task| task[name].as_str().unwrap_or_default()).collect();
                assert_eq!(column(&table, name), listed, "{name}");
            }
        }
        // The page shows the first 200 of them; the file has all.
        domain::operations::seed::insert_benchmark_data(&app.world.operator(), 150, |_| true).await.unwrap();
        let mut tx = app.world.db.begin().await.unwrap();
        tx.sql("update spv_steps set assignee_id = $1").bind(erin.id).run().await.unwrap();
        tx.commit().await.unwrap();
        let open: i64 = app
            .world
            .db
            .clone()
            .sql(
                "select count(*) from spv_steps t join spvs s on s.id = t.spv_id \
                 where t.status <> 'completed' and s.status not in ('closed', 'cancelled')",
            )
            .scalar()
            .await
            .unwrap();
        assert!(open > 200, "{open}");
        let kinds = column(&rows(&erin.get("/rest/v1/tasks.csv").await), "kind");
        assert_eq!(kinds.iter().filter(|kind| *kind == "step").count() as i64, open);
        let page = erin.get("/rest/v1/tasks").await.ok();
        assert_eq!((page["items"].as_array().unwrap().len(), &page["more"]), (200, &json!(true)));
    })
    .await;
}

/// All rows of a list, in pages.
async fn listed(person: &TestUser, path: &str) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let joint = if path.contains('?') { '&' } else { '?' };
        let after = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = person.get(&format!("{path}{joint}limit=2{after}")).await.ok();
        found.extend(page["items"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return found,
        }
    }
}

#[tokio::test]
async fn exports_match_the_filtered_list() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (iso, _) = app.iso("Ivan", app.acme).await;
        app.iso("Igor", beta).await;
        let mut clients = Vec::new();
        for (n, name) in ["Maya", "Mona", "Nils", "Nora", "Olga"].into_iter().enumerate() {
            let (company, of) = if n < 3 { (app.acme, Some(iso)) } else { (beta, None) };
            clients.push(app.client_of(name, company, of).await);
        }
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        // Rows in every status: sent, requested, closed, on hold, archived, suspended, approved, paid, void.
        let order = clients[0].spv.unwrap().to_string();
        upload(&clients[0], &pdf(20), &[("file_name", "deed.pdf"), ("spv_id", &order)]).await;
        upload(&clients[1], &pdf(30), &[("file_name", "letter.pdf")]).await;
        let asked = json!({ "kind": "document", "message": "A copy" });
        let asked = clients[1].post("/rest/v1/requests", asked).await.ok()["id"].as_str().unwrap().to_owned();
        erin.post(&format!("/rest/v1/requests/{asked}/reject"), json!({ "reason": "Not now" })).await.ok();
        clients[0].post("/rest/v1/requests", json!({ "kind": "support", "message": "Hello" })).await.ok();
        let call = json!({ "kind": "call", "name": "Otto", "email": "otto@example.com", "message": "Call me",
            "priority": "high", "assignee_id": erin.id });
        erin.post("/rest/v1/requests", call).await.ok();
        for (client, action, body) in [
            (0, "payments", json!({ "amount": "1250.00" })),
            (1, "void", json!({ "reason": "By mistake" })),
            (3, "payments", json!({ "amount": "250.50" })),
        ] {
            let owed = erin.get(&format!("/rest/v1/invoices?client_id={}", clients[client].id)).await.ok();
            let invoice = owed["items"][0]["id"].as_str().unwrap();
            erin.post(&format!("/rest/v1/invoices/{invoice}/{action}"), body).await.ok();
        }
        for closed in &clients[..2] {
            let order = format!("/rest/v1/spvs/{}", closed.spv.unwrap());
            let steps = erin.get(&order).await.ok()["steps"].as_array().unwrap().clone();
            let ids: Vec<_> = steps.iter().map(|step| step["id"].clone()).collect();
            erin.post(&format!("{order}/steps/complete"), json!({ "ids": ids })).await.ok();
        }
        erin.post(&format!("/rest/v1/spvs/{}/hold", clients[3].spv.unwrap()), json!({ "reason": "Wait" })).await.ok();
        erin.post(&format!("/rest/v1/clients/{}/suspend", clients[2].id), json!({})).await.ok();
        erin.post(&format!("/rest/v1/clients/{}/archive", clients[4].id), json!({})).await.ok();
        let gone = erin.post("/rest/v1/companies", json!({ "name": "Gone", "business_name": "Gone Ltd" })).await.ok();
        sam.post(&format!("/rest/v1/companies/{}/archive", gone["id"].as_str().unwrap()), json!({})).await.ok();
        let ledger = erin.get("/rest/v1/commissions").await.ok();
        erin.post("/rest/v1/commissions/approve", json!({ "ids": [ledger["items"][0]["id"]] })).await.ok();

        let (acme, maya) = (app.acme, clients[0].id);
        let owed = erin.get(&format!("/rest/v1/invoices?client_id={maya}")).await.ok();
        let number = owed["items"][0]["number"].as_str().unwrap().to_owned();
        for (list, found) in [("invoices", "maya"), ("invoices", number.as_str()), ("commissions", "maya")] {
            let found = listed(&erin, &format!("/rest/v1/{list}?q={found}")).await;
            assert_eq!((found.len(), &found[0]["spv_id"]), (1, &json!(order)), "{list}: {found:?}");
        }
        let tables: [(&str, Vec<String>); 8] = [
            (
                "clients",
                vec![
                    String::new(),
                    "q=m".into(),
                    "status=archived".into(),
                    "status=suspended".into(),
                    "status=pending".into(),
                    format!("company_id={acme}"),
                    format!("iso_id={iso}"),
                    format!("q=n&company_id={acme}&iso_id={iso}&status=suspended"),
                ],
            ),
            ("companies", vec![String::new(), "q=be".into(), "archived=true".into(), "archived=true&q=gone".into()]),
            ("isos", vec![String::new(), "q=igor".into(), format!("company_id={acme}"), "archived=true".into()]),
            (
                "spvs",
                vec![
                    String::new(),
                    "q=mona".into(),
                    "status=closed".into(),
                    "status=on_hold".into(),
                    "status=active".into(),
                    "status=cancelled".into(),
                    "open=true".into(),
                    format!("company_id={beta}"),
                    format!("iso_id={iso}"),
                    "iso_id=none".into(),
                    format!("client_id={maya}"),
                    format!("q=maya&status=closed&company_id={acme}&iso_id={iso}&client_id={maya}"),
                ],
            ),
            (
                "requests",
                vec![
                    String::new(),
                    "q=otto".into(),
                    "kind=document".into(),
                    "status=rejected".into(),
                    "status=withdrawn".into(),
                    "open=true".into(),
                    "priority=high".into(),
                    format!("assignee_id={}", erin.id),
                    "unassigned=true".into(),
                    format!("user_id={maya}"),
                    "order=created_at".into(),
                    "order=due_at".into(),
                    "order=priority".into(),
                    format!("q=otto&kind=call&status=pending&priority=high&assignee_id={}", erin.id),
                ],
            ),
            (
                "invoices",
                vec![
                    String::new(),
                    "status=due".into(),
                    "status=part_paid".into(),
                    "status=paid".into(),
                    "status=void".into(),
                    format!("client_id={maya}"),
                    format!("company_id={beta}"),
                    format!("spv_id={order}"),
                    "q=maya".into(),
                    format!("q={}", &order[..8]),
                    format!("q={number}"),
                    format!("q=maya%20test&status=paid&client_id={maya}"),
                ],
            ),
            (
                "documents",
                vec![
                    String::new(),
                    "order=-updated_at".into(),
                    "q=deed".into(),
                    "request_status=submitted".into(),
                    "request_status=approved".into(),
                    format!("client_id={maya}"),
                    format!("spv_id={order}"),
                ],
            ),
            (
                "commissions",
                vec![
                    String::new(),
                    "status=pending".into(),
                    "status=approved".into(),
                    "status=paid".into(),
                    "status=void".into(),
                    format!("iso_id={iso}"),
                    format!("spv_id={}", clients[0].spv.unwrap()),
                    "from=2026-01-01&to=2027-12-31".into(),
                    "to=2020-01-01".into(),
                    "q=maya".into(),
                    format!("q={}", &order[..8]),
                    format!("q=mona&iso_id={iso}&from=2026-01-01&to=2027-12-31"),
                ],
            ),
        ];
        for (table, filters) in tables {
            let whole = listed(&erin, &format!("/rest/v1/{table}")).await.len();
            for filter in filters {
                let rows = rows(&erin.get(&format!("/rest/v1/{table}.csv?{filter}")).await);
                let mut list = listed(&erin, &format!("/rest/v1/{table}?{filter}")).await;
                let lines = column(&rows, "id");
                // Files are sorted by columns that cannot change during the read; otherwise the order is the list's.
                if table == "documents" || ["order=due_at", "order=priority"].contains(&filter.as_str()) {
                    list.sort_by_key(|row| lines.iter().position(|id| id == row["id"].as_str().unwrap()));
                }
                let ids: Vec<_> = list.iter().map(|row| row["id"].as_str().unwrap()).collect();
                assert_eq!(lines, ids, "{table} {filter}");
                // Cells present in both are equal.
                for name in [
                    "name",
                    "first_name",
                    "email",
                    "status",
                    "identifier",
                    "company_name",
                    "iso_name",
                    "amount",
                    "reference",
                    "kind",
                    "message",
                    "priority",
                    "number",
                    "total",
                    "paid",
                    "due",
                ] {
                    let Some(place) = rows[0].iter().position(|head| head == name) else { continue };
                    for (line, row) in rows[1..].iter().zip(&list).filter(|(_, row)| row.get(name).is_some()) {
                        assert_eq!(line[place], row[name].as_str().unwrap_or_default(), "{table} {filter} {name}");
                    }
                }
                let everything = matches!(filter.as_str(), "" | "from=2026-01-01&to=2027-12-31")
                    || filter.starts_with("order=")
                    || (table == "commissions" && filter.starts_with("iso_id"));
                assert!(
                    everything || list.len() < whole || filter.contains("archived"),
                    "{table} {filter} narrows nothing"
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn actors_in_exports_are_localized() {
    on_both(|app| async move {
        let (sam, erin) = (app.super_admin("Sam").await, app.employee("Erin").await);
        let support = json!({ "kind": "support", "name": "Vera", "email": "vera@example.com", "message": "Hello" });
        app.anonymous().post("/rest/v1/requests", support).await.ok();
        domain::platform::activity::sequence_all(&app.world.operator()).await.unwrap();
        let request = erin.get("/rest/v1/requests").await.ok()["items"][0].clone();
        let path = format!("/rest/v1/requests/{}", request["id"].as_str().unwrap());
        for (language, visitor, operator) in
            [("en-US", "Visitor", "Operator root"), ("es", "Visitante", "Operador root")]
        {
            for who in [&sam, &erin] {
                who.patch("/rest/v1/me", json!({ "language": language })).await.ok();
            }
            let log = rows(&sam.get("/rest/v1/logs.csv?what=request").await);
            assert_eq!(
                (column(&log, "actor_kind"), column(&log, "actor_name")),
                (vec!["anonymous".to_owned()], vec![visitor.to_owned()])
            );
            let log = rows(&sam.get("/rest/v1/logs.csv?role=operator&what=company.created").await);
            assert!(column(&log, "actor_name").iter().all(|name| name == operator), "{log:?}");
            // The later writer gets the name of the earlier one.
            let late = erin.patch(&path, json!({ "priority": "high" })).header("if-match", "\"99\"").await;
            let refused = late.refused(409, "stale");
            assert_eq!(refused["params"]["changed_by"], "actor:anonymous");
            assert!(refused["message"].as_str().unwrap().contains(visitor), "{refused}");
        }
        // An actor has a name beside its kind only if it is a person.
        let shown = sam.get("/rest/v1/logs?what=request").await.ok();
        assert_eq!(shown["items"][0]["actor"], json!({ "kind": "anonymous", "name": "" }));
    })
    .await;
}

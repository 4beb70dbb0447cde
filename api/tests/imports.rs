//! Import of files over HTTP: trial, report, undo, limits.
use crate::support::{TestApp, TestUser, on_both};
use axum::http::Method;
use domain::{accounts::users, directory::calls, operations::recount};
use serde_json::{Value, json};

async fn post(user: &TestUser, query: &str, bytes: impl Into<Vec<u8>>) -> Value {
    user.ask(Method::POST, &format!("/rest/v1/imports?{query}")).raw(bytes.into()).await.ok()
}

async fn count(app: &TestApp, user: &TestUser, list: &str) -> usize {
    assert_eq!(recount::diff(&app.world.db).await.unwrap(), []);
    user.get(&format!("/rest/v1/{list}?limit=500")).await.ok()["items"].as_array().unwrap().len()
}

/// The id of an order by its exact identifier: a search finds the beginnings of order numbers, too.
async fn order_id(user: &TestUser, identifier: &str) -> String {
    let orders = user.get("/rest/v1/spvs?limit=500").await.ok();
    let order = orders["items"].as_array().unwrap().iter().find(|order| order["custom_identifier"] == identifier);
    order.unwrap()["id"].as_str().unwrap().to_owned()
}

const CLIENTS: &str = "Given name;Last Name;E-Mail;Company Name;Colour\n\
                       Ada;Lima;ada@example.com;Acme;red\nBen;Lima;ben@example.com;Nowhere;red\nCleo;Lima;cleo@example.com;Acme;\n";

#[tokio::test]
async fn a_trial_shows_what_to_decide_and_the_import_does_it() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let before = count(&app, &sam, "clients").await;
        let query = "kind=clients&file_name=clients.csv";
        let trial = post(&sam, &format!("{query}&dry_run=true"), CLIENTS).await;
        assert_eq!(trial["format"]["separator"], "semicolon");
        let columns: Vec<_> = trial["columns"].as_array().unwrap().iter().map(|of| &of["use_as"]).collect();
        assert_eq!(columns, ["unknown", "read", "read", "read", "unknown"]);
        assert_eq!(trial["columns"][1]["samples"], json!(["Lima", "Lima", "Lima"]));
        assert_eq!(trial["available_columns"][0], json!({ "name": "first_name", "required": true }));
        let fields: Vec<_> = trial["problems"].as_array().unwrap().iter().map(|of| &of["code"]).collect();
        assert_eq!(fields, ["unknown_column", "unknown_column", "missing_columns"]);
        sam.ask(Method::POST, &format!("/rest/v1/imports?{query}")).raw(CLIENTS).await.refused(422, "invalid");

        let map = "map=%7B%22Given%20name%22%3A%22first_name%22%2C%22colour%22%3A%22%22%7D";
        let trial = post(&sam, &format!("{query}&{map}&dry_run=true"), CLIENTS).await;
        assert_eq!((&trial["problems"], &trial["id"], &trial["rows_total"]), (&json!([]), &Value::Null, &json!(3)));
        assert_eq!(count(&app, &sam, "clients").await, before);
        let report = post(&sam, &format!("{query}&{map}"), CLIENTS).await;
        assert_eq!(
            report["counts"],
            json!({ "created": 2, "updated": 0, "present": 0, "differing": 0, "rejected": 1 })
        );
        assert_eq!((&report["counts"], &report["rows"]), (&trial["counts"], &trial["rows"]));
        let row = json!({
            "line": 3, "label": "Ben Lima", "outcome": "rejected", "fields": ["company_name"], "value": "Nowhere",
            "reason": "Not found. Choose another.", "differences": [],
        });
        assert_eq!(report["rows"], json!([row]));
        assert_eq!(count(&app, &sam, "clients").await, before + 2);

        let changed = CLIENTS.replace("Cleo;Lima", "Cleo;Limes");
        let again = post(&sam, &format!("{query}&{map}"), changed.clone()).await;
        let difference = json!({ "column": "last_name", "portal": "Lima", "file": "Limes" });
        assert_eq!(
            (&again["rows"][1]["outcome"], &again["rows"][1]["differences"]),
            (&json!("differs"), &json!([difference]))
        );
        assert_eq!((&again["id"], &again["counts"]["present"]), (&Value::Null, &json!(1)));
        let updated = post(&sam, &format!("{query}&{map}&update=true"), changed).await;
        assert_eq!(updated["counts"]["updated"], 1);
    })
    .await;
}

#[tokio::test]
async fn an_import_is_undone_where_nothing_depends_on_its_rows() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let before = [count(&app, &sam, "companies").await, count(&app, &sam, "clients").await, count(&app, &sam, "spvs").await];
        let mut ids = Vec::new();
        for (kind, text) in [
            ("companies", "name,business_name\nOld,Old LLC\nOlder,Older LLC\n"),
            ("isos", "first_name,last_name,email,company_name\nIda,Vega,ida@example.com,Old\n"),
            (
                "clients",
                "first_name,last_name,email,company_name,iso_name,status\nAda,Lima,ada@example.com,Old,Ida Vega,archived\n\
                 Ben,Lima,ben@example.com,Old,,\n",
            ),
            (
                "spvs",
                "identifier,client_email,company_name,price,status,steps_completed\nF-1,ada@example.com,Old,7,processing,2\n\
                 F-2,ben@example.com,Old,9,,\n",
            ),
        ] {
            let report = post(&sam, &format!("kind={kind}&file_name={kind}.csv"), text).await;
            assert_eq!(report["rows"], json!([]), "{kind}");
            app.world.clock.advance(chrono::Duration::seconds(1));
            ids.push(report["id"].as_str().unwrap().to_owned());
        }
        let listed = sam.get("/rest/v1/imports").await.ok();
        assert_eq!((&listed["items"][0]["file_name"], &listed["items"][0]["created"]), (&json!("spvs.csv"), &json!(2)));
        let undo = async |id: &str| sam.ask(Method::POST, &format!("/rest/v1/imports/{id}/undo")).await.ok();
        // What depends on a row keeps it.
        let clients = undo(&ids[2]).await;
        assert_eq!((&clients["removed"], &clients["kept_total"]), (&json!(0), &json!(2)));
        let companies = undo(&ids[0]).await;
        assert_eq!((&companies["removed"], &companies["kept"][0]["label"]), (&json!(1), &json!("Old")));
        assert!(companies["kept"][0]["reason"].as_str().unwrap().starts_with("It has clients (2)"), "{companies}");
        // So does a change.
        let path = format!("/rest/v1/spvs/{}", order_id(&sam, "F-2").await);
        sam.ask(Method::PATCH, &path).json(&json!({ "reference": "PO 7" })).await.ok();
        let orders = undo(&ids[3]).await;
        assert_eq!((&orders["removed"], &orders["kept"][0]["reason"]), (&json!(1), &json!("It was changed after the import.")));
        let clients = undo(&ids[2]).await;
        assert_eq!((&clients["removed"], &clients["kept"][0]["label"]), (&json!(1), &json!("Ben Lima")));
        assert_eq!(undo(&ids[1]).await["removed"], 1);
        let after = [count(&app, &sam, "companies").await, count(&app, &sam, "clients").await, count(&app, &sam, "spvs").await];
        assert_eq!(after, before.map(|n| n + 1));
        // The same file can be imported again.
        let again = "first_name,last_name,email,company_name\nIda,Vega,ida@example.com,Old\n";
        assert_eq!(post(&sam, "kind=isos", again).await["counts"]["created"], 1);
        app.world.clock.advance(chrono::Duration::hours(25));
        let sam = app.super_admin("Susan").await;
        let late = sam.ask(Method::POST, &format!("/rest/v1/imports/{}/undo", ids[0])).await;
        late.refused(409, "undo_expired");
    })
    .await;
}

#[tokio::test]
async fn an_undo_keeps_what_was_changed_or_used_since() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let before = count(&app, &sam, "spvs").await;
        let import = async |kind: &str, text: &str| {
            let report = post(&sam, &format!("kind={kind}"), text).await;
            assert_eq!(report["rows"], json!([]), "{kind}");
            app.world.clock.advance(chrono::Duration::seconds(1));
            report["id"].as_str().unwrap().to_owned()
        };
        let undo = async |id: &str| {
            let report = sam.ask(Method::POST, &format!("/rest/v1/imports/{id}/undo")).await.ok();
            let kept = report["kept"].as_array().unwrap().iter();
            let kept =
                kept.map(|row| format!("{}: {}", row["label"].as_str().unwrap(), row["reason"].as_str().unwrap()));
            (report["removed"].as_u64().unwrap(), kept.collect::<Vec<_>>())
        };
        let companies = import("companies", "name,business_name\nOld,Old LLC\n").await;
        let isos = import(
            "isos",
            "first_name,last_name,email,company_name\nIda,Vega,ida@example.com,Old\nIvo,Vega,ivo@example.com,Old\n",
        )
        .await;
        let clients = "first_name,last_name,email,company_name\nAda,Lima,ada@example.com,Old\n";
        let clients = import("clients", clients).await;
        let orders = import(
            "spvs",
            "identifier,client_email,company_name,price,ordered_date,iso_name,commission,status,closed_at\n\
             F-1,ada@example.com,Old,9,2026-01-05,Ida Vega,5,closed,2026-01-10\n\
             F-2,ada@example.com,Old,9,,,,,\nF-3,ada@example.com,Old,9,,,,,\n",
        )
        .await;
        assert_eq!(sam.get("/rest/v1/commissions").await.ok()["items"].as_array().unwrap().len(), 1);
        // A note on a step changes the step alone, a note about a partner and its sign-in neither of them.
        let order = sam.get(&format!("/rest/v1/spvs/{}", order_id(&sam, "F-2").await)).await.ok();
        let step = format!("/rest/v1/steps/{}", order["steps"][0]["id"].as_str().unwrap());
        sam.ask(Method::PATCH, &step).json(&json!({ "text_data": "Call the bank" })).await.ok();
        let changed = "F-2: It was changed after the import.".to_owned();
        assert_eq!(undo(&orders).await, (2, vec![changed.clone()]));
        assert_eq!(sam.get("/rest/v1/commissions").await.ok()["items"], json!([]));
        assert_eq!(count(&app, &sam, "spvs").await, before + 1);
        let used = "Other records refer to it: orders, commissions, invoices, payments, credit notes, documents, messages or emails.";
        assert_eq!(undo(&clients).await, (0, vec![format!("Ada Lima: {used}")]));
        // A partner that has proposed a call stays.
        let ivo = users::find(&app.world.operator(), "ivo@example.com").await.unwrap();
        let time = app.world.clock.now() + chrono::Duration::days(1);
        let call = calls::Input { topic: "Terms".to_owned(), note: None, minutes: None, times: vec![time] };
        calls::create(&app.world.signed_in(&ivo), call).await.unwrap();
        let (removed, kept) = undo(&isos).await;
        assert_eq!((removed, kept.len()), (1, 1), "{kept:?}");
        assert!(kept[0].starts_with("Ivo Vega: "), "{kept:?}");
        assert_eq!(undo(&companies).await.0, 0);
        assert_eq!(recount::diff(&app.world.db).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn files_have_limits_and_need_a_super_admin() {
    on_both(|app| async move {
        let (sam, erin) = (app.super_admin("Sam").await, app.employee("Erin").await);
        let path = "/rest/v1/imports?kind=clients";
        erin.ask(Method::POST, path).raw(CLIENTS).await.refused(403, "forbidden");
        erin.get("/rest/v1/imports").await.refused(403, "forbidden");
        let large = vec![b'x'; (10 << 20) + 1];
        sam.ask(Method::POST, path).raw(large).await.refused(413, "too_large");
        // More than other requests may send.
        let row = |n: usize| format!("Ada,Number {n},ada{n}@example.com,Acme,{}\n", "x".repeat(100));
        let rows: String = (0..20_001).map(row).collect();
        let text = format!("first_name,last_name,email,company_name,address\n{rows}");
        let many = sam.ask(Method::POST, &format!("{path}&dry_run=true")).raw(text).await;
        assert_eq!(many.fields(), ["file too_many_file_rows"]);
        let answer = sam.ask(Method::POST, path).raw("PK\u{3}\u{4}").await;
        answer.refused(422, "invalid");
        for query in ["map=%5B%5D", "date_format=soon", "kind=users", "shoe=1"] {
            let answer = sam.ask(Method::POST, &format!("{path}&dry_run=true&{query}")).raw(CLIENTS).await;
            assert!(matches!(answer.status.as_u16(), 400 | 422), "{query}: {}", answer.body);
        }
        let sheet = post(&sam, "kind=clients&dry_run=true", "first_name,last_name,email,company_name\n").await;
        assert_eq!((&sheet["rows_total"], &sheet["problems"]), (&json!(0), &json!([])));
    })
    .await;
}

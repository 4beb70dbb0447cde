//! Tables as CSV: complete, harmless, and never more than the list of the same name.

use crate::support::{Answer, on_both};
use serde_json::json;

/// The lines of a file, each as its cells; no test has a cell with a comma.
#[track_caller]
fn rows(answer: &Answer) -> Vec<Vec<String>> {
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
async fn a_file_is_complete_whatever_a_page_holds() {
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

#[tokio::test]
async fn everybody_gets_their_own_rows_and_columns_only() {
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
        app.nobody().get("/rest/v1/spvs.csv").await.refused(401, "unauthenticated");
        erin.get("/rest/v1/spvs.csv?status=soon").await.fields();
    })
    .await;
}

//! Reports as JSON, CSV and XLSX.

use crate::support::{TestUser, on_both};
use serde_json::{Value, json};
use std::io::{Cursor, Read};

/// A member of a workbook, which is a ZIP file.
fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a workbook is a ZIP file");
    let mut text = String::new();
    archive.by_name(name).expect("the part is there").read_to_string(&mut text).expect("the part is text");
    text
}

/// A column of numeric cells.
fn numbers(sheet: &str, column: char) -> Vec<String> {
    let cells = sheet.split("<c r=\"").skip(1).filter(|cell| cell.starts_with(column));
    cells
        .filter(|cell| !cell.contains("t=\"s\""))
        .filter_map(|cell| Some(cell.split_once("<v>")?.1.split_once("</v>")?.0.to_owned()))
        .collect()
}

async fn order(erin: &TestUser, client: &str, company: &str, identifier: &str, amount: &str) {
    let order = json!({ "client_id": client, "company_id": company, "custom_identifier": identifier,
        "purchase_amount": amount, "price": "99.99" });
    erin.post("/rest/v1/spvs", order).await.ok();
}

#[tokio::test]
async fn json_csv_and_xlsx_reports_agree() {
    on_both(|app| async move {
        let maya = app.client_of("Maya", app.acme, None).await;
        let (cora, erin) = (app.company_admin("Cora", app.acme).await, app.employee("Erin").await);
        let (client, acme) = (maya.id.to_string(), app.acme.to_string());
        let bad = "=HYPERLINK(\"http://evil.example\")";
        for (identifier, amount) in [(bad, "1234567.89"), ("@SUM(A1)", "0.01"), ("Good 1", "70")] {
            order(&erin, &client, &acme, identifier, amount).await;
        }
        let query = "report=portfolio&period=all_time";
        let screen = cora.get(&format!("/rest/v1/reports?{query}")).await.ok();
        let columns = screen["columns"].as_array().unwrap();
        let at = |name: &str| columns.iter().position(|column| column["name"] == name).unwrap();
        let of = |name: &str| -> Vec<String> {
            let n = at(name);
            screen["items"].as_array().unwrap().iter().map(|row| row[n].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(screen["total"], 4);
        assert!(of("identifier").contains(&bad.to_owned()), "the screen says what it is called");
        assert_eq!(screen["sums"][0]["amounts"][0], json!({ "column": "amount", "amount": "1235887.90" }));

        // Totals are computed once, not for every page.
        let first = cora.get(&format!("/rest/v1/reports?{query}&limit=3")).await.ok();
        assert_eq!((&first["total"], &first["sums"]), (&screen["total"], &screen["sums"]));
        let cursor = first["next_cursor"].as_str().unwrap();
        let second = cora.get(&format!("/rest/v1/reports?{query}&limit=3&cursor={cursor}")).await.ok();
        assert_eq!((&second["total"], &second["sums"]), (&Value::Null, &Value::Null));
        assert_eq!(second["items"].as_array().unwrap().len(), 1);

        let csv = cora.get(&format!("/rest/v1/reports.csv?{query}")).await;
        let text = String::from_utf8(csv.bytes.to_vec()).unwrap();
        assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
        assert!(
            text.contains("\"'=HYPERLINK(\"\"http://evil.example\"\")\"") && text.contains("\n'@SUM(A1),"),
            "{text}"
        );

        let xlsx = cora.get(&format!("/rest/v1/reports.xlsx?{query}")).await;
        assert!(xlsx.header("content-disposition").unwrap().starts_with("attachment; filename=\"portfolio-2"));
        let sheet = part(&xlsx.bytes, "xl/worksheets/sheet1.xml");
        assert!(!sheet.contains("<f>"), "no cell is a formula");
        let words = part(&xlsx.bytes, "xl/sharedStrings.xml");
        assert!(words.contains("&apos;=HYPERLINK") || words.contains("'=HYPERLINK"), "{words}");
        assert!(words.contains(">SPV Identifier<") && words.contains(">Pending<"), "{words}");
        let letter = char::from(b'A' + u8::try_from(at("amount")).unwrap());
        let cents = |texts: Vec<String>| -> i64 {
            texts.iter().map(|text| (text.parse::<f64>().unwrap() * 100.0).round() as i64).sum()
        };
        assert_eq!(cents(numbers(&sheet, letter)), 123_588_790);
        assert_eq!(cents(of("amount")), 123_588_790);

        let finances = cora.get("/rest/v1/finances?period=all_time").await.ok();
        assert_eq!(finances["accounts"][0]["total"]["ordered"], "1235887.90");
        let csv = String::from_utf8(cora.get("/rest/v1/finances.csv?period=all_time").await.bytes.to_vec()).unwrap();
        assert!(csv.starts_with("\u{feff}month,iso_name,country,currency,spvs,ordered,"), "{csv}");

        // The log records each export.
        domain::platform::activity::sequence_all(&app.world.operator()).await.unwrap();
        let log = app.super_admin("Sam").await.get("/rest/v1/activity?limit=100").await.ok();
        let taken = |row: &&Value| row["action"] == "export.made";
        assert_eq!(log["items"].as_array().unwrap().iter().filter(taken).count(), 3);
    })
    .await;
}

#[tokio::test]
async fn invalid_report_parameters_are_refused() {
    on_both(|app| async move {
        let cora = app.company_admin("Cora", app.acme).await;
        for (query, field) in [
            ("", "report"),
            ("report=gossip", "report"),
            ("report=portfolio&period=decade", "period"),
            ("report=portfolio&from=2026-02-30", "from"),
            ("report=portfolio&from=2026-02-02&to=2026-02-01", "to"),
            ("report=portfolio&limit=0", "limit"),
            ("report=portfolio&cursor=x", "cursor"),
        ] {
            let answer = cora.get(&format!("/rest/v1/reports?{query}")).await;
            assert_eq!(
                (answer.status.as_u16(), answer.body["fields"][0]["field"].as_str()),
                (422, Some(field)),
                "{query}"
            );
        }
        cora.get("/rest/v1/reports?report=portfolio&colour=red").await.refused(400, "unknown_field");
        for path in ["finances", "analytics"] {
            let answer = cora.get(&format!("/rest/v1/{path}?period=decade")).await;
            assert_eq!((answer.status.as_u16(), answer.body["fields"][0]["field"].as_str()), (422, Some("period")));
        }
        let sam = app.super_admin("Sam").await;
        let answer = sam.get("/rest/v1/finances").await;
        assert_eq!(answer.body["fields"][0]["field"], "company_id");
    })
    .await;
}

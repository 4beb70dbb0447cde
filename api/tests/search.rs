//! Global search stays within the scope.

use crate::{
    documents::{pdf, upload},
    support::{TestUser, on_both},
};
use serde_json::json;

#[tokio::test]
async fn search_stays_within_the_scope() {
    on_both(|app| async move {
        let beta = app.world.company("Beta").await;
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let (_, igor) = app.iso("Igor", beta).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nils = app.client_of("Nils", beta, None).await;
        let (cora, bella) = (app.company_admin("Cora", app.acme).await, app.company_admin("Bella", beta).await);
        let (erin, sam) = (app.employee("Erin").await, app.super_admin("Sam").await);
        upload(&maya, &pdf(50), &[("file_name", "Zeppelin deed.pdf")]).await;
        for (who, person, hers, acme) in [
            ("its client", &maya, true, true),
            ("a client", &nils, false, false),
            ("its ISO", &ivan, true, true),
            ("an ISO", &igor, false, false),
            ("its company", &cora, true, true),
            ("a company", &bella, false, false),
            ("an employee", &erin, true, true),
            ("a super admin", &sam, true, true),
        ] {
            let kinds = async |q: &str| {
                let found = person.get(&format!("/rest/v1/search?q={q}")).await.ok();
                let items = found["items"].as_array().unwrap().clone();
                let kinds = items.iter().map(|hit| hit["kind"].as_str().unwrap().to_owned());
                kinds.filter(|kind| kind != "document" || q == "zepp").collect::<Vec<_>>()
            };
            assert_eq!(kinds("may").await, if hers { vec!["spv", "client"] } else { vec![] }, "{who}");
            let order = &maya.spv.unwrap().to_string()[..8];
            assert_eq!(kinds(order).await, if hers { vec!["spv"] } else { vec![] }, "{who}");
            assert_eq!(kinds("acme").await, if acme { vec!["company"] } else { vec![] }, "{who}");
            // A document is found by its client's name, too.
            let papers = hers && !["its ISO", "its company"].contains(&who);
            assert_eq!(kinds("zepp").await, if papers { vec!["document"] } else { vec![] }, "{who}");
            for nothing in ["", "%20", "--", "%27%3B", "nobody"] {
                assert!(kinds(nothing).await.is_empty(), "{who} {nothing}");
            }
        }
        let invoice = maya.get("/rest/v1/invoices").await.ok()["items"][0].clone();
        let number = invoice["number"].as_str().unwrap();
        for (person, sees) in [(&maya, true), (&erin, true), (&nils, false), (&ivan, false), (&cora, false)] {
            let found = person.get(&format!("/rest/v1/search?q=%20{number}")).await.ok();
            let expected = json!([{ "kind": "invoice", "id": invoice["id"], "title": number, "text": "Maya Test" }]);
            assert_eq!(found["items"], if sees { expected } else { json!([]) });
        }
        app.anonymous().get("/rest/v1/search?q=maya").await.refused(401, "unauthenticated");
        // A service of the price list, for the staff.
        let service = json!({ "country": "US", "name": "Delaware Ørsted LLC", "price": "1250.00" });
        sam.post("/rest/v1/services", service).await.ok();
        let services = async |person: &TestUser| {
            let found = person.get("/rest/v1/search?q=del%20%C3%B8rs").await.ok();
            let hits = found["items"].as_array().unwrap().iter().filter(|hit| hit["kind"] == "service");
            hits.map(|hit| (hit["title"].clone(), hit["text"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(services(&erin).await, [(json!("Delaware Ørsted LLC"), json!("US · USD 1250.00"))]);
        assert_eq!(services(&maya).await, []);
        let hit = erin.get("/rest/v1/search?q=maya").await.ok()["items"][1].clone();
        assert_eq!(hit["id"], maya.id.to_string());
        assert_eq!(hit["text"], "maya@example.com");
    })
    .await;
}

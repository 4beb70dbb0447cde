//! Demo data: complete, idempotent and identical on both databases.
use domain::{
    Ctx, Error,
    accounts::users,
    desk::requests,
    directory::companies,
    kernel::{
        access::Role,
        ctx::Options,
        page::{Order, PageQuery},
    },
    operations::recount,
    operations::{alerts, seed},
    orders::{
        invoices::{self, credit_notes},
        spvs,
    },
    platform::activity,
    testing::{World, on_both},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

#[tokio::test]
async fn demo_data_is_identical_on_both_databases_and_seeded_once() {
    let first: Mutex<Option<Vec<String>>> = Mutex::default();
    on_both(async |world: World| {
        let operator = world.operator();
        // Demo users do not use the default password.
        let options =
            Options { default_password: Some("First-Sign-In-2026".to_owned()), ..(*operator.options).clone() };
        let operator = Ctx { options: Arc::new(options), ..operator };
        assert!(seed::demo(&operator).await.unwrap());
        let page = PageQuery { limit: Some(500), cursor: None };
        let orders = spvs::list(&operator, &spvs::Filter::default(), &page).await.unwrap().items;
        let mut rows: Vec<String> = orders
            .iter()
            .map(|spv| {
                let (client, company, status) = (spv.client_name(), &spv.company_name, spv.status.name());
                let (price, done) = (spv.price_minor, spv.steps_completed);
                let (id, identifier, client_id) = (spv.id, spv.identifier(), spv.client_id);
                format!(
                    "{} {client} {company} {status} {price:?} {done} {:?} {id} {identifier} {client_id}",
                    spv.ordered_date, spv.closed_at
                )
            })
            .collect();
        let all = requests::list(&operator, &requests::Filter::default(), &page).await.unwrap().items;
        rows.extend(all.iter().map(requests::Request::reference));
        rows.sort();
        assert!(orders.len() >= 150, "some hundred orders, not {}", orders.len());
        for status in spvs::Status::ALL {
            assert!(orders.iter().any(|spv| spv.status == status), "none is {}", status.name());
        }
        let before = first.lock().unwrap().replace(rows.clone());
        assert!(before.is_none_or(|before| before == rows));
        let differing = recount::diff(&world.db).await.unwrap();
        assert!(differing.is_empty(), "{differing:?}");
        let demo = companies::find(&operator, "Meridian Ventures").await.unwrap();
        let logo = companies::logo(&operator, demo.logo_id.expect("a logo")).await.unwrap();
        assert_eq!(logo.media_type, "image/png");
        // The counts of the specification, including the partner's leads and calls.
        let statuses = requests::summary(&operator).await.unwrap().statuses;
        use requests::Status::{Approved, InReview, Pending, Rejected, Withdrawn};
        assert_eq!(statuses, [(Pending, 89), (InReview, 0), (Approved, 967), (Rejected, 191), (Withdrawn, 0)]);
        let mut of_partner = Vec::new();
        for kind in [requests::Kind::Lead, requests::Kind::Call] {
            let all = requests::Filter { kind: Some(kind), ..requests::Filter::default() };
            of_partner.extend(requests::list(&operator, &all, &page).await.unwrap().items);
        }
        assert_eq!(of_partner.iter().filter(|request| request.lead_id.is_some()).count(), 6);
        assert_eq!(of_partner.iter().filter(|request| request.call_id.is_some()).count(), 2);
        // Clients live in the country of their first order, as stated in their application.
        let mut homes = BTreeMap::new();
        for spv in orders.iter().rev() {
            homes.entry(spv.client_id).or_insert(spv.country.code());
        }
        for (client, country) in &homes {
            let lives = users::profile_of(&mut world.db.clone(), *client).await.unwrap();
            let begins = match *country {
                "AE" => "+971 ",
                "JP" => "+81 ",
                "SG" => "+65 ",
                "TH" => "+66 ",
                _ => "+1 ",
            };
            assert!(lives.city.is_some() && lives.street_address.is_some(), "{lives:?}");
            assert_eq!(lives.country.as_deref(), Some(*country), "{lives:?}");
            assert!(lives.phone.as_deref().is_some_and(|phone| phone.starts_with(begins)), "{lives:?}");
        }
        let five = BTreeSet::from(["AE", "JP", "SG", "TH", "US"]);
        assert_eq!(homes.into_values().collect::<BTreeSet<_>>(), five);
        let applied = requests::Filter {
            kind: Some(requests::Kind::Account),
            status: Some(Approved),
            ..requests::Filter::default()
        };
        let applied = requests::list(&operator, &applied, &page).await.unwrap().items;
        let from = applied.iter().filter_map(|request| request.data["application"]["country"].as_str());
        assert_eq!(from.collect::<BTreeSet<_>>(), five);
        // The six users of the specification: every role and all three statuses.
        use users::Status::{Active, Pending as Invited, Suspended};
        for (email, role, status) in [
            ("super@example.com", Role::SuperAdmin, Active),
            ("employee@example.com", Role::Employee, Active),
            ("iso@example.com", Role::Iso, Active),
            ("client@example.com", Role::Client, Active),
            ("mira.costa@example.com", Role::CompanyAdmin, Invited),
            ("adrian.abbott@example.com", Role::Client, Suspended),
        ] {
            let user = users::find(&operator, email).await.unwrap();
            assert_eq!((user.role, user.status), (role, status), "{email}");
        }
        // One corrected order with an invoice raised anew, and one with a credit note.
        let notes = credit_notes::list(&operator, &credit_notes::Filter::default(), &page).await.unwrap().items;
        assert_eq!(notes.len(), 1);
        let bills = invoices::list(&operator, &invoices::Filter::default(), &page).await.unwrap().items;
        assert_eq!(bills.iter().filter(|bill| bill.replaced_by_id.is_some()).count(), 1);
        // A renewal with tax whose deposit is paid.
        let [renewal] = &bills.iter().filter(|bill| bill.manual).collect::<Vec<_>>()[..] else { panic!("one renewal") };
        assert_eq!((renewal.lines.len(), renewal.tax_minor > 0, renewal.installments.len()), (4, true, 2));
        assert_eq!(renewal.paid_minor, renewal.installments[0].amount_minor);
        // One open alert and one resolved.
        alerts::check(&operator, &alerts::Metrics::default()).await.unwrap();
        let open = alerts::list(&operator, Some(true), &page).await.unwrap().items;
        let open: Vec<_> = open.iter().map(|alert| (alert.kind.as_str(), alert.subject.as_str())).collect();
        assert_eq!(open, [("sign_in_storm", "203.0.113.45")]);
        let alerts = alerts::list(&operator, None, &page).await.unwrap().items;
        assert_eq!(alerts.iter().filter(|alert| alert.resolved_at.is_some()).count(), 1);
        // Old decisions are in the log, and the log verifies.
        let oldest = requests::Filter {
            status: Some(requests::Status::Rejected),
            order: Order::ascending(requests::RequestSort::CreatedAt),
            ..requests::Filter::default()
        };
        let one = PageQuery { limit: Some(1), cursor: None };
        let rejected = &requests::list(&operator, &oldest, &one).await.unwrap().items[0];
        let about = activity::Filter { subject_id: Some(rejected.id.0), ..activity::Filter::default() };
        let rows = activity::list(&operator, &about, &page).await.unwrap().items;
        let rows: Vec<&str> = rows.iter().map(|row| row.action.as_str()).collect();
        assert_eq!(rows, ["request.rejected", "request.created"]);
        activity::verify(&operator).await.unwrap();
        assert!(!seed::demo(&operator).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn partial_demo_data_returns_demo_unfinished() {
    on_both(async |world: World| {
        let operator = world.operator();
        world.user(Role::Employee, "Employee", None, None).await;
        match seed::demo(&operator).await {
            Err(Error::Conflict(problem)) => assert_eq!(problem.code, "demo_unfinished"),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

//! Corrections of an order's details: who may, what is refused, and what follows from them.
use bytes::Bytes;
use domain::{
    Ctx,
    kernel::{ids::SpvId, page::PageQuery},
    operations::recount,
    orders::{
        commissions,
        corrections::{self, Correction},
        documents::{self, uploads},
        onboarding, spvs, steps,
    },
    platform::activity,
    testing::{World, code, on_both},
};
use serde_json::json;
use std::convert::Infallible;

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

async fn found(ctx: &Ctx, q: &str) -> usize {
    let filter = spvs::Filter { q: text(q), ..Default::default() };
    spvs::list(ctx, &filter, &PageQuery::default()).await.unwrap().items.len()
}

async fn counts_are_exact(world: &World) {
    let differing = recount::diff(&world.db).await.unwrap();
    assert!(differing.is_empty(), "{differing:?}");
}

#[tokio::test]
async fn open_order_is_corrected_by_staff_and_found_by_its_new_words() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, id, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let new = uploads::CreateUpload {
            file_name: "deed.txt".to_owned(),
            bytes: 3,
            spv_id: Some(id),
            ..Default::default()
        };
        let upload = uploads::create(&maya, new).await.unwrap();
        let content = futures::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"abc"))]);
        uploads::append(&maya, upload.id, 0, content).await.unwrap();
        let version = spvs::get(&elias, id).await.unwrap().spv.version;
        let correction = Correction {
            custom_identifier: text(" OKEANOS-1 "),
            reference: text("PO 4711"),
            vehicle_name: text("Okeanos Holdings"),
            purchase_amount: text("300000"),
            ordered_date: text("2026-10-02"),
            ..Correction::default()
        };
        let spv = corrections::correct(&elias, id, Some(version), correction).await.unwrap().spv;
        assert_eq!((spv.identifier().as_str(), spv.reference.as_deref()), ("OKEANOS-1", Some("PO 4711")));
        assert_eq!((spv.purchase_amount_minor, spv.version), (Some(30_000_000), version + 1));
        assert_eq!(spvs::get(&maya, id).await.unwrap().spv, spv);
        for q in ["okeanos", "4711", "holdings", "maya"] {
            assert_eq!(found(&elias, q).await, 1, "{q}");
        }
        let by_identifier = documents::Filter { q: text("okeanos-1"), ..Default::default() };
        let found = documents::list(&elias, &by_identifier, &PageQuery::default()).await.unwrap().items;
        assert_eq!(found.len(), 1, "its documents are found by the new identifier");
        counts_are_exact(&world).await;

        activity::sequence_all(&world.operator()).await.unwrap();
        let sam = world.super_admin("Sam").await;
        let log = activity::list(&sam, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        let entry = log.iter().find(|entry| entry.action == "spv.updated").unwrap();
        assert_eq!(entry.data["after"]["vehicle_name"], json!("Okeanos Holdings"));
        assert_eq!(entry.data["before"]["purchase_amount"], json!(null));

        // An empty text clears, a field left out stays, and nothing is written for no change.
        let cleared = Correction { reference: text(""), ..Correction::default() };
        let spv = corrections::correct(&elias, id, None, cleared.clone()).await.unwrap().spv;
        assert_eq!((spv.reference.as_deref(), spv.vehicle_name.as_deref()), (None, Some("Okeanos Holdings")));
        assert_eq!(corrections::correct(&elias, id, None, cleared).await.unwrap().spv.version, spv.version);
    })
    .await;
}

#[tokio::test]
async fn correction_is_refused_with_its_field_or_its_reason() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, id, maya) = world.client("Maya", company, None).await;
        let (_, other, nils) = world.client("Nils", world.company("Beta").await, None).await;
        let elias = world.employee("Elias").await;
        let input = onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            custom_identifier: text("TAKEN-1"),
            purchase_amount: text("1"),
            ..Default::default()
        };
        onboarding::create_order(&elias, input).await.unwrap();
        let correct = async |ctx: &Ctx, id: SpvId, version, correction: Correction| {
            code(&corrections::correct(ctx, id, version, correction).await.unwrap_err())
        };
        let of = Correction::default;
        for (correction, refusal) in [
            (Correction { custom_identifier: text(&"x".repeat(65)), ..of() }, "custom_identifier too_long"),
            (Correction { custom_identifier: text("taken-1"), ..of() }, "custom_identifier duplicate"),
            (Correction { reference: text(&"x".repeat(65)), ..of() }, "reference too_long"),
            (Correction { vehicle_name: text(&"x".repeat(201)), ..of() }, "vehicle_name too_long"),
            (Correction { purchase_amount: text("a lot"), ..of() }, "purchase_amount invalid_amount"),
            (Correction { ordered_date: text("yesterday"), ..of() }, "ordered_date invalid_date"),
            (Correction { ordered_date: text(""), ..of() }, "ordered_date required"),
        ] {
            assert_eq!(correct(&elias, id, None, correction).await, refusal);
        }
        let named = || Correction { vehicle_name: text("Okeanos"), ..Correction::default() };
        assert_eq!(correct(&maya, id, None, named()).await, "forbidden");
        assert_eq!(correct(&nils, id, None, named()).await, "not_found");
        assert_eq!(correct(&elias, id, Some(77), named()).await, "stale");
        assert_eq!(corrections::correct(&elias, other, None, named()).await.unwrap().spv.id, other);

        spvs::cancel(&elias, id, None, "Withdrawn").await.unwrap();
        assert_eq!(correct(&elias, id, None, named()).await, "wrong_status");
        assert!(!spvs::can(&elias, &spvs::get(&elias, id).await.unwrap().spv).contains(&"update"));
    })
    .await;
}

/// A percentage is of the purchase amount; the pending commission of a reopened order follows.
#[tokio::test]
async fn commission_by_percentage_follows_the_purchase_amount() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        let (client, ..) = world.client("Maya", company, Some(iso)).await;
        let sam = world.super_admin("Sam").await;
        let input = onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            iso_id: Some(iso),
            purchase_amount: text("1000"),
            iso_commission_percentage: text("2.5"),
            ..Default::default()
        };
        let detail = onboarding::create_order(&sam, input).await.unwrap();
        let (id, ids) = (detail.spv.id, detail.steps.iter().map(|step| step.id).collect::<Vec<_>>());
        let amount = |amount: &str| Correction { purchase_amount: text(amount), ..Correction::default() };
        let spv = corrections::correct(&sam, id, None, amount("2000")).await.unwrap().spv;
        assert_eq!(spv.iso_commission_minor, Some(5_000));
        counts_are_exact(&world).await;
        steps::complete(&sam, id, None, &ids).await.unwrap();
        spvs::reopen(&sam, id, None, "The amount was wrong").await.unwrap();
        let spv = corrections::correct(&sam, id, None, amount("3000")).await.unwrap().spv;
        assert_eq!(spv.iso_commission_minor, Some(7_500));
        counts_are_exact(&world).await;
        let of_order = commissions::Filter { spv_id: Some(id), ..Default::default() };
        let ledger = commissions::list(&ingrid, &of_order, &PageQuery::default()).await.unwrap().items;
        assert_eq!(ledger.iter().map(|row| row.amount_minor).collect::<Vec<_>>(), [7_500]);
    })
    .await;
}

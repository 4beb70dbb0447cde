//! Client, company, ISO partner and country of an order, corrected: who may, what is refused, and that every number follows.
use bytes::Bytes;
use domain::{
    Ctx,
    accounts::mail_delivery,
    desk::messages,
    kernel::{access::Role, db::Sql, geo::Country, ids::SpvId, page::PageQuery},
    operations::recount,
    orders::{
        commissions,
        corrections::{self, Consequence, Correction},
        document_requests,
        documents::uploads::{self, CreateUpload},
        invoices::{self, InvoiceChange},
        onboarding, spvs, steps,
    },
    outbox::mails,
    platform::activity,
    testing::{World, code, on_both},
};
use std::convert::Infallible;

async fn correct(ctx: &Ctx, id: SpvId, correction: Correction) -> corrections::Corrected {
    corrections::correct(ctx, id, None, correction).await.unwrap()
}

async fn refusal(ctx: &Ctx, id: SpvId, correction: Correction) -> String {
    code(&corrections::correct(ctx, id, None, correction).await.unwrap_err())
}

async fn counts_are_exact(world: &World) {
    assert_eq!(recount::diff(&world.db).await.unwrap(), []);
}

async fn upload(ctx: &Ctx, new: CreateUpload) {
    let upload = uploads::create(ctx, CreateUpload { file_name: "a.txt".to_owned(), bytes: 3, ..new }).await.unwrap();
    let content = futures::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"abc"))]);
    uploads::append(ctx, upload.id, 0, content).await.unwrap();
}

#[tokio::test]
async fn another_client_company_and_partner_take_over_an_untouched_order() {
    on_both(async |world| {
        let (acme, beta) = (world.company("Acme").await, world.company("Beta").await);
        let (ivan, ivan_ctx) = world.iso("Ivan", acme).await;
        let (ingrid, ingrid_ctx) = world.iso("Ingrid", beta).await;
        let (maya, id, maya_ctx) = world.client("Maya", acme, Some(ivan)).await;
        let (nils, _, nils_ctx) = world.client("Nils", beta, None).await;
        let (elias, sam) = (world.employee("Elias").await, world.super_admin("Sam").await);
        let detail = Correction { reference: Some("Maya's own".to_owned()), ..Correction::default() };
        correct(&elias, id, detail).await;
        let all = || Correction {
            reference: Some("Nils' own".to_owned()),
            client_id: Some(nils),
            company_id: Some(beta),
            iso_id: Some(Some(ingrid)),
            ..Correction::default()
        };
        assert_eq!(refusal(&elias, id, all()).await, "forbidden");
        assert_eq!(refusal(&maya_ctx, id, all()).await, "forbidden");
        for (correction, field) in [
            (Correction { client_id: None, ..all() }, "client_id not_in_company"),
            (Correction { company_id: None, ..all() }, "client_id not_in_company, iso_id not_in_company"),
            (Correction { iso_id: None, ..all() }, "iso_id not_in_company"),
            (Correction { iso_id: Some(Some(ingrid)), ..Correction::default() }, "iso_id not_in_company"),
        ] {
            assert_eq!(refusal(&sam, id, correction).await, field);
        }
        counts_are_exact(&world).await;

        let spv = spvs::get(&sam, id).await.unwrap().spv;
        let preview = corrections::preview(&sam, id, Some(spv.version), all()).await.unwrap();
        assert_eq!(spvs::get(&sam, id).await.unwrap().spv, spv, "a preview saves nothing");
        let corrected = correct(&sam, id, all()).await;
        assert_eq!(corrected.consequences, preview.consequences);
        assert!(matches!(
            corrected.consequences[..],
            [
                Consequence::Invoice(InvoiceChange::Voided { minor: 125_000, .. }),
                Consequence::Invoice(InvoiceChange::Raised { minor: 125_000, replaces: Some(_), .. })
            ]
        ));
        let spv = corrected.spv;
        assert_eq!((spv.client_id, spv.company_id, spv.iso_id), (nils, beta, Some(ingrid)));
        assert_eq!((spv.client_name(), spv.company_name.as_str()), ("Nils Test".to_owned(), "Beta"));
        assert_eq!(spv.iso_commission_minor, Some(5_000), "the terms stay");
        counts_are_exact(&world).await;

        // It is the new parties' order, and no longer the old ones'.
        for ctx in [&maya_ctx, &ivan_ctx] {
            assert_eq!(code(&spvs::get(ctx, id).await.unwrap_err()), "not_found");
        }
        for ctx in [&nils_ctx, &ingrid_ctx] {
            assert_eq!(spvs::get(ctx, id).await.unwrap().spv.id, id);
        }
        let found = async |q: &str| {
            let filter = spvs::Filter { q: Some(q.to_owned()), client_id: None, ..Default::default() };
            let page = spvs::list(&sam, &filter, &PageQuery::default()).await.unwrap();
            page.items.iter().filter(|spv| spv.id == id).count()
        };
        assert_eq!((found("maya").await, found("nils").await), (0, 1));
        let of = async |ctx: &Ctx| {
            let filter = invoices::Filter { spv_id: Some(id), ..Default::default() };
            let page = invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap();
            page.items.iter().map(|invoice| (invoice.client_id, invoice.status)).collect::<Vec<_>>()
        };
        assert_eq!(of(&maya_ctx).await, [(maya, invoices::Status::Void)]);
        assert_eq!(of(&nils_ctx).await, [(nils, invoices::Status::Due)]);
        let by_words = async |ctx: &Ctx, q: &str| {
            let filter = invoices::Filter { q: Some(q.to_owned()), ..Default::default() };
            let found = invoices::list(ctx, &filter, &PageQuery::default()).await.unwrap().items;
            found.into_iter().map(|invoice| (invoice.reference.clone(), invoice.replaced_by())).collect::<Vec<_>>()
        };
        assert_eq!(by_words(&maya_ctx, "nils").await, []);
        assert_eq!(by_words(&maya_ctx, "").await, [(None, None)], "nothing of the new client's order");
        assert_eq!(by_words(&nils_ctx, "nils").await.len(), 2, "of both orders");
        let asked = document_requests::list(&nils_ctx, id).await.unwrap();
        assert!(asked.iter().all(|request| request.client_id == nils));

        // The old parties do not learn the names of the new ones, nor the new ones those of the old.
        activity::sequence_all(&world.operator()).await.unwrap();
        for (ctx, other) in [(&maya_ctx, "Nils"), (&ivan_ctx, "Nils"), (&nils_ctx, "Maya"), (&ingrid_ctx, "Maya")] {
            let log = activity::list(ctx, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
            let text = format!("{:?}", log.iter().map(|entry| (&entry.action, &entry.data)).collect::<Vec<_>>());
            assert!(text.contains("assigned"), "is notified: {text}");
            assert!(!text.contains(other), "{text}");
        }
    })
    .await;
}

/// Open pages are refreshed by events.
#[tokio::test]
async fn company_and_partner_that_keep_an_order_learn_that_it_changed() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (ivan, ivan_ctx) = world.iso("Ivan", acme).await;
        let (_, id, _) = world.client("Maya", acme, Some(ivan)).await;
        let (nils, ..) = world.client("Nils", acme, None).await;
        let cora = world.user(Role::CompanyAdmin, "Cora", Some(acme), None).await;
        let (sam, cora_ctx) = (world.super_admin("Sam").await, world.signed_in(&cora));
        correct(&sam, id, Correction { client_id: Some(nils), ..Correction::default() }).await;
        activity::sequence_all(&world.operator()).await.unwrap();
        for ctx in [&ivan_ctx, &cora_ctx] {
            let log = activity::list(ctx, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
            let updated = log.iter().find(|entry| entry.action == "spv.updated").expect("an event");
            assert!(updated.data.is_empty(), "{:?}", updated.data);
        }
    })
    .await;
}

#[tokio::test]
async fn order_without_a_partner_has_no_commission() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (ivan, ivan_ctx) = world.iso("Ivan", acme).await;
        let (_, id, _) = world.client("Maya", acme, Some(ivan)).await;
        let sam = world.super_admin("Sam").await;
        let spv = correct(&sam, id, Correction { iso_id: Some(None), ..Correction::default() }).await.spv;
        assert_eq!((spv.iso_id, spv.commission_minor, spv.iso_commission_minor), (None, None, None));
        assert_eq!(code(&spvs::get(&ivan_ctx, id).await.unwrap_err()), "not_found");
        counts_are_exact(&world).await;
        let back = Correction {
            iso_id: Some(Some(ivan)),
            iso_commission_percentage: Some("10".to_owned()),
            ..Correction::default()
        };
        let spv = correct(&sam, id, back).await.spv;
        assert_eq!(spv.iso_commission_minor, Some(12_500));
        counts_are_exact(&world).await;
    })
    .await;
}

/// What a client sent, was sent or paid stays theirs.
#[tokio::test]
async fn order_that_its_client_has_used_keeps_its_client() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (ivan, _) = world.iso("Ivan", acme).await;
        let (nils, _, _) = world.client("Nils", acme, None).await;
        let sam = world.super_admin("Sam").await;
        let to_nils = || Correction { client_id: Some(nils), ..Correction::default() };

        let (_, documented, dora) = world.client("Dora", acme, None).await;
        upload(&dora, CreateUpload { spv_id: Some(documented), ..Default::default() }).await;
        assert_eq!(refusal(&sam, documented, to_nils()).await, "order_has_documents");

        let (_, talking, tom) = world.client("Tom", acme, None).await;
        let note = |internal| messages::Input {
            spv_id: Some(talking),
            body: "Hello".to_owned(),
            internal,
            ..Default::default()
        };
        messages::send(&sam, note(true)).await.unwrap();
        messages::send(&tom, note(false)).await.unwrap();
        assert_eq!(refusal(&sam, talking, to_nils()).await, "order_has_messages");

        let (_, paid, _) = world.client("Pia", acme, None).await;
        let filter = invoices::Filter { spv_id: Some(paid), ..Default::default() };
        let invoice = invoices::list(&sam, &filter, &PageQuery::default()).await.unwrap().items.remove(0);
        let payment = invoices::ManualPayment { amount: Some("1".to_owned()), ..Default::default() };
        invoices::pay(&sam, invoice.id, None, payment).await.unwrap();
        assert_eq!(refusal(&sam, paid, to_nils()).await, "order_has_payments");
        // A partner is no party to it.
        correct(&sam, paid, Correction { iso_id: Some(Some(ivan)), ..Correction::default() }).await;

        let (_, renewed, _) = world.client("Rita", acme, None).await;
        let line = invoices::NewLine {
            description: Some("Renewal".to_owned()),
            unit_price: Some("100".to_owned()),
            ..Default::default()
        };
        let new = invoices::NewInvoice { spv_id: Some(renewed), lines: vec![line], ..Default::default() };
        let manual = invoices::create(&sam, new).await.unwrap().invoice;
        assert_eq!(refusal(&sam, renewed, to_nils()).await, "order_has_manual_invoices");
        invoices::void(&sam, manual.id, None, "Another client").await.unwrap();
        correct(&sam, renewed, to_nils()).await;
        let raised = invoices::raise(&sam, manual.id, None).await;
        assert_eq!(code(&raised.unwrap_err()), "invoice_of_former_client");

        let (_, earned, _) = world.client("Eve", acme, Some(ivan)).await;
        let ids = spvs::get(&sam, earned).await.unwrap().steps.iter().map(|step| step.id).collect::<Vec<_>>();
        steps::complete(&sam, earned, None, &ids).await.unwrap();
        spvs::reopen(&sam, earned, None, "The client was wrong").await.unwrap();
        assert_eq!(refusal(&sam, earned, to_nils()).await, "order_has_commission");
        let without = Correction { iso_id: Some(None), ..Correction::default() };
        assert_eq!(refusal(&sam, earned, without).await, "order_has_commission");
        counts_are_exact(&world).await;

        // An internal note moves with the order.
        let (_, noted, _) = world.client("Nora", acme, None).await;
        messages::send(&sam, messages::Input { spv_id: Some(noted), ..note(true) }).await.unwrap();
        assert_eq!(correct(&sam, noted, to_nils()).await.spv.client_id, nils);
    })
    .await;
}

/// A message and another client at the same moment: the message is of the client that the order has afterwards, or is refused.
#[tokio::test]
async fn thread_belongs_to_the_client_of_its_order() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (nils, ..) = world.client("Nils", acme, None).await;
        let sam = world.super_admin("Sam").await;
        for n in 0..8 {
            let (_, id, maya) = world.client(&format!("Maya{n}"), acme, None).await;
            let hello = messages::Input { spv_id: Some(id), body: "Hello".to_owned(), ..Default::default() };
            let to_nils = Correction { client_id: Some(nils), ..Correction::default() };
            let (sent, corrected) =
                tokio::join!(messages::send(&maya, hello), corrections::correct(&sam, id, None, to_nils));
            assert_ne!(sent.is_ok(), corrected.is_ok(), "one of them is refused");
            let foreign =
                "select count(*) from threads h join spvs s on s.id = h.spv_id where h.client_id <> s.client_id";
            assert_eq!(world.db.clone().sql(foreign).scalar::<i64>().await.unwrap(), 0);
        }
    })
    .await;
}

/// A mail that waits is given up once its order is another client's.
#[tokio::test]
async fn former_client_gets_no_mail_about_the_order() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (maya, ..) = world.client("Maya", acme, None).await;
        let (nils, ..) = world.client("Nils", acme, None).await;
        let sam = world.super_admin("Sam").await;
        let input = onboarding::OrderInput {
            client_id: Some(maya),
            company_id: Some(acme),
            purchase_amount: Some("1000".to_owned()),
            ..Default::default()
        };
        let id = onboarding::create_order(&sam, input).await.unwrap().spv.id;
        let queued = mails::list(&sam, None, &PageQuery::default()).await.unwrap().items;
        let mail = queued.iter().find(|mail| mail.spv_id == Some(id) && mail.user_id == Some(maya)).unwrap().id;
        assert!(mail_delivery::load_for_sending(&world.operator(), mail).await.unwrap().is_some());
        correct(&sam, id, Correction { client_id: Some(nils), ..Correction::default() }).await;
        assert!(mail_delivery::load_for_sending(&world.operator(), mail).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn another_country_brings_its_own_steps() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (ivan, _) = world.iso("Ivan", acme).await;
        let (_, id, maya) = world.client("Maya", acme, Some(ivan)).await;
        let elias = world.employee("Elias").await;
        let before = spvs::get(&elias, id).await.unwrap();
        let to = |country: &str| Correction { country: Some(country.to_owned()), ..Correction::default() };
        assert_eq!(refusal(&elias, id, to("FR")).await, "country unknown");
        let corrected = correct(&elias, id, to("JP")).await;
        assert_eq!(corrected.spv.country, Country::Jp);
        let added = corrected.steps.len() as i64;
        let counted = (corrected.spv.steps_total, corrected.spv.steps_pending, corrected.spv.current_step.is_some());
        assert_eq!(counted, (added, added, added > 0));
        assert!(matches!(
            corrected.consequences[..],
            [
                Consequence::Steps { .. },
                Consequence::Invoice(InvoiceChange::Voided { .. }),
                Consequence::Invoice(InvoiceChange::Raised { .. })
            ]
        ));
        let old: Vec<_> = before.steps.iter().map(|step| step.id).collect();
        assert!(corrected.steps.iter().all(|step| !old.contains(&step.id)));
        counts_are_exact(&world).await;

        let first = corrected.steps[0].id;
        let assign = |to| steps::Change { assignee_id: Some(to), ..Default::default() };
        steps::update(&elias, first, None, assign(elias.actor.user_id())).await.unwrap();
        assert_eq!(refusal(&elias, id, to("US")).await, "steps_begun", "the assignment would be lost");
        steps::update(&elias, first, None, assign(None)).await.unwrap();
        let step = steps::Change { status: Some("in_progress".to_owned()), ..Default::default() };
        steps::update(&elias, first, None, step).await.unwrap();
        assert_eq!(refusal(&elias, id, to("US")).await, "steps_begun");
        let back = steps::Change { status: Some("pending".to_owned()), ..Default::default() };
        steps::update(&elias, first, None, back).await.unwrap();
        assert_eq!(refusal(&maya, id, to("US")).await, "forbidden");
        correct(&elias, id, to("US")).await;
        counts_are_exact(&world).await;

        // Earned commissions and payments are counted for the new country, too.
        let ids = spvs::get(&elias, id).await.unwrap().steps.iter().map(|step| step.id).collect::<Vec<_>>();
        let filter = invoices::Filter { spv_id: Some(id), ..Default::default() };
        let invoice = invoices::list(&elias, &filter, &PageQuery::default()).await.unwrap().items.remove(0);
        let payment = invoices::ManualPayment { amount: Some("700".to_owned()), ..Default::default() };
        invoices::pay(&elias, invoice.id, None, payment).await.unwrap();
        let sam = world.super_admin("Sam").await;
        steps::complete(&sam, id, None, &ids).await.unwrap();
        spvs::reopen(&sam, id, None, "The country was wrong").await.unwrap();
        for step in ids {
            let back = steps::Change { status: Some("pending".to_owned()), ..Default::default() };
            steps::update(&sam, step, None, back).await.unwrap();
        }
        correct(&sam, id, to("SG")).await;
        counts_are_exact(&world).await;
        let of_order = commissions::Filter { spv_id: Some(id), ..Default::default() };
        assert_eq!(commissions::list(&sam, &of_order, &PageQuery::default()).await.unwrap().items.len(), 1);
    })
    .await;
}

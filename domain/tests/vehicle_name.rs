//! The vehicle name of an order: validated, found by the search, taken from a request, and imported.
use domain::{
    Ctx,
    desk::requests::{self, Input, OrderForm},
    kernel::{
        ids::{CompanyId, UserId},
        page::PageQuery,
    },
    operations::imports::{self, ImportOptions, Kind, Outcome},
    orders::{
        onboarding::{self, OrderInput},
        spvs::{self, Filter},
    },
    testing::{code, on_both},
};

fn input(client: Option<UserId>, company: CompanyId, name: Option<&str>) -> OrderInput {
    OrderInput {
        client_id: client,
        company_id: Some(company),
        purchase_amount: Some("250000".to_owned()),
        vehicle_name: name.map(str::to_owned),
        ..OrderInput::default()
    }
}

async fn found(ctx: &Ctx, q: &str) -> Vec<Option<String>> {
    let filter = Filter { q: Some(q.to_owned()), ..Filter::default() };
    let page = spvs::list(ctx, &filter, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|spv| spv.vehicle_name).collect()
}

#[tokio::test]
async fn vehicle_name_is_trimmed_validated_and_searchable() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, _, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let create = |name: Option<&str>| onboarding::create_order(&elias, input(Some(client), company, name));
        let named = create(Some("  Hafen Straße 7 GmbH ")).await.unwrap().spv;
        assert_eq!(named.vehicle_name.as_deref(), Some("Hafen Straße 7 GmbH"));
        assert_eq!(create(Some("   ")).await.unwrap().spv.vehicle_name, None);
        for (name, refusal) in
            [("x".repeat(201), "vehicle_name too_long"), ("a\u{7}b".to_owned(), "vehicle_name control")]
        {
            assert!(code(&create(Some(&name)).await.unwrap_err()).starts_with("vehicle_name "), "{refusal}");
        }
        assert_eq!(create(Some(&"x".repeat(200))).await.unwrap().spv.vehicle_name.unwrap().len(), 200);
        for q in ["hafen", "strasse", "HAFEN stra"] {
            assert_eq!(found(&elias, q).await, [Some("Hafen Straße 7 GmbH".to_owned())], "{q}");
            assert_eq!(found(&maya, q).await.len(), 1, "{q}");
        }
        // A new name of the client is indexed beside the vehicle's.
        let change = domain::directory::clients::Change { last_name: Some("Okafor".to_owned()), ..Default::default() };
        domain::desk::people::update_client(&elias, client, None, change).await.unwrap();
        assert_eq!(found(&elias, "hafen okafor").await.len(), 1);
        let (_, _, other) = world.client("Omar", world.company("Orion").await, None).await;
        assert_eq!(found(&other, "hafen").await.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn accepted_request_names_the_vehicle_by_its_first_proposal_unless_the_staff_choose() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        for (chosen, expected) in [(None, Some("Harbor One")), (Some("Pier 3"), Some("Pier 3")), (Some(""), None)] {
            let order = OrderForm {
                country: Some("SG".to_owned()),
                service_id: None,
                service_version: None,
                purpose: Some("To buy a warehouse".to_owned()),
                proposed_names: vec!["Harbor One".to_owned(), "Harbor Two".to_owned()],
                purchase_amount: Some("250000".to_owned()),
                currency: Some("USD".to_owned()),
                document_ids: Vec::new(),
            };
            let request = Input { kind: "order".to_owned(), order: Some(order), ..Input::default() };
            let request = requests::create(&maya, request).await.unwrap();
            let accepted = requests::accept(&elias, request.id, None, input(None, company, chosen)).await.unwrap();
            let spv = spvs::get(&maya, accepted.spv_id.unwrap()).await.unwrap().spv;
            assert_eq!(spv.vehicle_name.as_deref(), expected);
        }
    })
    .await;
}

#[tokio::test]
async fn import_reads_the_vehicle_name() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        world.client("Maya", company, None).await;
        let mut import =
            imports::start(&world.operator(), Kind::Spvs, "file.csv", ImportOptions::default(), &[]).unwrap();
        let cells = [
            ("identifier", "FUND-7"),
            ("client_email", "maya@example.com"),
            ("company_name", "Meridian"),
            ("purchase_amount", "1000"),
            ("vehicle_name", "Fund Seven Ltd"),
        ];
        let row = cells.into_iter().map(|(name, cell)| (name, cell.to_owned())).collect();
        assert!(matches!(import.row(&row).await.unwrap(), Outcome::Created));
        assert_eq!(found(&world.operator(), "seven").await, [Some("Fund Seven Ltd".to_owned())]);
    })
    .await;
}

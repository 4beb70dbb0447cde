//! Concurrent writes: idempotency keys, generated identifiers, and verifying the log. On both databases.
use domain::{
    Ctx,
    kernel::ids::{CompanyId, UserId},
    orders::{onboarding, spvs},
    platform::activity,
    testing::{World, on_both},
};

fn order(client: UserId, company: CompanyId) -> onboarding::OrderInput {
    onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        purchase_amount: Some("5".to_owned()),
        ..Default::default()
    }
}

/// Creates ten orders concurrently.
async fn create_ten(ctx: &Ctx, input: &onboarding::OrderInput) -> Vec<spvs::Spv> {
    let attempts: Vec<_> = (0..10)
        .map(|_| {
            let (ctx, input) = (ctx.clone(), input.clone());
            tokio::spawn(async move { onboarding::create_order(&ctx, input).await })
        })
        .collect();
    let mut made = Vec::new();
    for one in attempts {
        made.push(one.await.expect("no panic").expect("an order").spv);
    }
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_idempotency_key_create_one_order() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (client, ..) = world.client("Clara", company, None).await;
        let key = Some(("click".to_owned(), "hash".to_owned()));
        let ctx = Ctx { idempotency: key, ..world.employee("Finn").await };
        let named = onboarding::OrderInput { custom_identifier: Some("Harbor 1".to_owned()), ..order(client, company) };
        let made = create_ten(&ctx, &named).await;
        assert!(made.iter().all(|spv| spv.id == made[0].id));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_created_in_one_second_get_distinct_identifiers() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (client, ..) = world.client("Clara", company, None).await;
        let made = create_ten(&world.employee("Finn").await, &order(client, company)).await;
        let names: std::collections::BTreeSet<_> = made.iter().map(spvs::Spv::identifier).collect();
        assert_eq!(names.len(), 10, "{names:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_verifies_during_concurrent_writes() {
    on_both(async |world: World| {
        let operator = world.operator();
        let writer = {
            let (world, operator) = (world.clone(), operator.clone());
            tokio::spawn(async move {
                for n in 0..60 {
                    world.company(&format!("C{n}")).await;
                    activity::sequence_all(&operator).await.expect("sequenced");
                }
            })
        };
        while !writer.is_finished() {
            activity::verify(&operator).await.expect("valid");
        }
        writer.await.expect("written");
        assert!(activity::verify(&operator).await.expect("valid") >= 60);
    })
    .await;
}

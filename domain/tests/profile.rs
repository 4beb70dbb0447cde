//! Profiles and one's own activity.
use domain::{
    Ctx,
    accounts::users::{self, DateFormat, Preferences, Theme, UpdateProfile},
    desk::people,
    directory::{clients, isos},
    kernel::page::PageQuery,
    orders::spvs,
    platform::activity,
    testing::{World, code, on_both},
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn profile_name_is_updated_in_search_and_orders() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (_, spv, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let before = users::profile(&maya).await.unwrap();
        assert_eq!((before.email.as_str(), before.country.as_deref()), ("maya@example.com", None));
        let change = UpdateProfile {
            first_name: some("Mayra"),
            phone: some("+1 555 0142"),
            company: some("Ortiz & Söhne"),
            job_title: some("Founder"),
            dob: some("1984-05-17"),
            street_address: some("1 Ocean Drive"),
            city: some("Los Angeles"),
            state: some("US-CA"),
            zip_code: some("90001"),
            country: some("US"),
            ..UpdateProfile::default()
        };
        let saved = people::update_profile(&maya, Some(before.version), change).await.unwrap();
        assert_eq!((saved.first_name.as_str(), saved.last_name.as_str()), ("Mayra", "Test"));
        assert_eq!(
            (saved.state.as_deref(), saved.dob.map(|dob| dob.to_string())),
            (some("US-CA").as_deref(), some("1984-05-17"))
        );
        assert_eq!(users::profile(&maya).await.unwrap(), saved);
        // Client and order are found by the new name.
        let by_name = clients::Filter { q: some("mayra"), ..clients::Filter::default() };
        assert_eq!(
            clients::list(&elias, &by_name, &PageQuery::default()).await.unwrap().items[0].phone,
            some("+1 555 0142")
        );
        let orders = spvs::Filter { q: some("mayra"), ..spvs::Filter::default() };
        assert_eq!(spvs::list(&elias, &orders, &PageQuery::default()).await.unwrap().items[0].id, spv);

        let stale = people::update_profile(&maya, Some(before.version), UpdateProfile::default()).await.unwrap_err();
        assert_eq!(code(&stale), "stale");
        // Another country removes the state; an empty text clears a field.
        let moved = UpdateProfile { country: some("GB"), job_title: some(""), ..UpdateProfile::default() };
        let moved = people::update_profile(&maya, None, moved).await.unwrap();
        assert_eq!((moved.country.as_deref(), moved.state, moved.job_title), (Some("GB"), None, None));
    })
    .await;
}

#[tokio::test]
async fn update_returns_all_invalid_fields() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let long = "x".repeat(201);
        for (change, refused) in [
            (
                UpdateProfile { first_name: some(" "), last_name: some(&long), ..Default::default() },
                "first_name required, last_name too_long",
            ),
            (
                UpdateProfile { dob: some("1984-13-01"), zip_code: some(&long), ..Default::default() },
                "zip_code too_long, dob invalid_date",
            ),
            (UpdateProfile { dob: some("2026-11-22"), ..Default::default() }, "dob future"),
            (UpdateProfile { country: some("Mars"), ..Default::default() }, "country unknown_place"),
            (UpdateProfile { state: some("US-CA"), ..Default::default() }, "state needs_country"),
            (UpdateProfile { country: some("CA"), state: some("US-CA"), ..Default::default() }, "state unknown_place"),
            (UpdateProfile { city: some("Bad\u{202e}city"), ..Default::default() }, "city control_characters"),
        ] {
            assert_eq!(code(&people::update_profile(&maya, None, change).await.unwrap_err()), refused);
        }
        assert_eq!(code(&users::profile(&world.anonymous()).await.unwrap_err()), "unauthenticated");
        assert_eq!(code(&users::profile(&world.operator()).await.unwrap_err()), "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn iso_name_follows_its_persons_profile() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let change = UpdateProfile { last_name: some("Petrov"), ..UpdateProfile::default() };
        people::update_profile(&ivan, None, change).await.unwrap();
        assert_eq!(isos::get(&world.operator(), iso).await.unwrap().name(), "Ivan Petrov");
        let found = isos::Filter { q: some("petrov"), ..isos::Filter::default() };
        assert_eq!(isos::list(&world.operator(), &found, &PageQuery::default()).await.unwrap().items.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn own_activity_lists_actions_by_and_about_the_user() {
    on_both(async |world: World| {
        let company = world.company("Meridian").await;
        let (client, spv, maya) = world.client("Maya", company, None).await;
        let (.., nils) = world.client("Nils", company, None).await;
        let elias = world.employee("Elias").await;
        world.clock.advance(chrono::Duration::seconds(1));
        let preferences =
            Preferences { theme: Some(Theme::Dark), date_format: Some(DateFormat::Ymd), ..Preferences::default() };
        let me = users::set_preferences(&maya, preferences).await.unwrap();
        assert_eq!((me.theme, me.date_format, me.language.as_str()), (Theme::Dark, DateFormat::Ymd, "en-US"));
        people::update_profile(&nils, None, UpdateProfile { city: some("Oslo"), ..Default::default() }).await.unwrap();
        spvs::hold(&elias, spv, None, "Wait").await.unwrap();
        activity::sequence_all(&elias).await.unwrap();
        let log = async |ctx: &Ctx| {
            let mut seen = Vec::new();
            let mut page = PageQuery { limit: Some(1), cursor: None };
            loop {
                let part = activity::own(ctx, &page).await.unwrap();
                seen.extend(part.items.into_iter().map(|row| (row.action, row.actor_id)));
                match part.next_cursor {
                    Some(cursor) => page.cursor = Some(cursor),
                    None => return seen,
                }
            }
        };
        let hers = log(&maya).await;
        assert_eq!(hers, [("user.updated".to_owned(), Some(client)), ("user.created".to_owned(), None)]);
        let his = log(&elias).await;
        assert_eq!(his.iter().map(|(action, _)| action.as_str()).collect::<Vec<_>>(), ["spv.held", "user.created"]);
        assert!(activity::own(&world.anonymous(), &PageQuery::default()).await.is_err());
    })
    .await;
}

//! Full-text search: what is found, in which order, and that each finds only and all of what is theirs.
use domain::{
    Ctx,
    accounts::users,
    desk::people,
    directory::{clients, companies, isos, leads},
    kernel::{
        access::Role,
        db::Sql,
        ids::{CompanyId, IsoId, UserId},
        page::PageQuery,
    },
    orders::{
        onboarding::{self, Setup},
        spvs,
    },
    reporting::search::{self, Kind},
    testing::{World, on_both},
};
use uuid::Uuid;

/// A client with an order, by a name of two words.
async fn client(world: &World, first: &str, last: &str, company: CompanyId, iso: Option<IsoId>) -> UserId {
    let count: i64 = world.db.clone().sql("select count(*) from users").scalar().await.unwrap();
    let input = onboarding::ClientInput {
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        email: format!("person{count}@example.com"),
        company_id: Some(company),
        iso_id: iso,
        price: Some("1250.00".to_owned()),
        commission: iso.map(|_| "50.00".to_owned()),
        ..Default::default()
    };
    onboarding::create_client(&world.operator().silently(), Setup::Quick, input).await.unwrap().client.id
}

async fn found(ctx: &Ctx, q: &str, kind: Kind) -> Vec<Uuid> {
    let hits = search::find(ctx, q).await.unwrap();
    hits.into_iter().filter(|hit| hit.kind == kind).map(|hit| hit.id).collect()
}

async fn listed(ctx: &Ctx, q: &str) -> Vec<UserId> {
    let filter = clients::Filter { q: Some(q.to_owned()), ..Default::default() };
    let page = PageQuery { limit: Some(500), cursor: None };
    clients::list(ctx, &filter, &page).await.unwrap().items.into_iter().map(|client| client.id).collect()
}

#[tokio::test]
async fn names_are_found_as_people_type_them() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let erin = world.employee("Erin").await;
        for (first, last, typed) in [
            ("Zoe\u{308}", "Ångström", ["zoe", "ANGSTROM", "zoë ång"]),
            ("Δήμητρα", "ΣΊΣΥΦΟΣ", ["δημητρα", "σίσυφος", "Σισυφ"]),
            ("Seán", "O’Brien", ["obrien", "o'brien", "sean brien"]),
            ("Ｙｕｋｉ", "東京太郎", ["yuki", "京太", "郎"]),
            ("สมชาย", "ใจดีมาก", ["ดีมาก", "สมช", "ใจดี"]),
            ("Straße", "soft\u{ad}ware", ["STRASSE", "software", "strasse soft"]),
        ] {
            let id = client(&world, first, last, company, None).await;
            for q in typed {
                assert_eq!(found(&erin, q, Kind::Client).await, [id.0], "{first} {last} by {q}");
                assert_eq!(listed(&erin, q).await, [id], "{first} {last} by {q}");
                assert_eq!(found(&erin, q, Kind::Spv).await.len(), 1, "the order of {first} {last} by {q}");
            }
        }
        assert!(listed(&erin, "京東").await.is_empty());
        assert!(found(&erin, "ngstrom", Kind::Client).await.is_empty(), "words by their beginnings");
    })
    .await;
}

#[tokio::test]
async fn whole_words_come_before_beginnings_and_the_newest_first() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let erin = world.employee("Erin").await;
        let mut an = Vec::new();
        for _ in 0..2 {
            an.push(client(&world, "An", "Li", company, None).await.0);
            world.clock.advance(chrono::Duration::seconds(1));
        }
        let mut anna = Vec::new();
        for _ in 0..12 {
            anna.push(client(&world, "Anna", "Lima", company, None).await.0);
            world.clock.advance(chrono::Duration::seconds(1));
        }
        anna.reverse();
        let best = [an[1], an[0], anna[0], anna[1], anna[2]];
        assert_eq!(found(&erin, "an", Kind::Client).await, best);
        assert_eq!(found(&erin, "li an", Kind::Client).await, best);
        assert_eq!(found(&erin, "ann", Kind::Client).await, anna[..5]);
        assert_eq!(found(&erin, "an", Kind::Spv).await.len(), 5);
        // A list keeps its own order, page after page.
        let filter = clients::Filter { q: Some("an".to_owned()), ..Default::default() };
        let (mut all, mut page) = (Vec::new(), PageQuery { limit: Some(5), cursor: None });
        loop {
            let next = clients::list(&erin, &filter, &page).await.unwrap();
            all.extend(next.items.into_iter().map(|client| client.id.0));
            match next.next_cursor {
                Some(cursor) => page.cursor = Some(cursor),
                None => break,
            }
        }
        assert_eq!(all, [anna, vec![an[1], an[0]]].concat());
        // What the list hides takes no place among the best.
        for id in &all[..11] {
            clients::archive(&world.operator(), UserId(*id), None).await.unwrap();
        }
        assert_eq!(found(&erin, "lima", Kind::Client).await, all[11..12]);
        assert_eq!(listed(&erin, "lima").await, [UserId(all[11])]);
    })
    .await;
}

#[tokio::test]
async fn what_is_rare_among_many_matches_is_found_by_those_whose_it_is() {
    on_both(async |world| {
        let (meridian, harbor) = (world.company("Meridian").await, world.company("Harbor").await);
        let (iso, ingrid) = world.iso("Ingrid", meridian).await;
        let max = client(&world, "Max", "Own", meridian, Some(iso)).await;
        for _ in 0..30 {
            client(&world, "Max", "Other", harbor, None).await;
        }
        let clara = world.company_admin("Clara", meridian).await;
        for ctx in [&clara, &ingrid] {
            for q in ["max", "ma", "own max"] {
                assert_eq!(found(ctx, q, Kind::Client).await, [max.0], "{q}");
                assert_eq!(listed(ctx, q).await, [max], "{q}");
                assert_eq!(found(ctx, q, Kind::Spv).await.len(), 1, "{q}");
            }
            assert!(found(ctx, "other", Kind::Client).await.is_empty());
        }
        let erin = world.employee("Erin").await;
        let of = spvs::Filter { q: Some("max".to_owned()), company_id: Some(meridian), ..Default::default() };
        assert_eq!(spvs::list(&erin, &of, &PageQuery::default()).await.unwrap().items.len(), 1);
        assert_eq!(listed(&erin, "max").await.len(), 31);
        let user = users::get(&world.operator(), max).await.unwrap();
        let maxs = world.signed_in(&user);
        assert_eq!(found(&maxs, "max", Kind::Spv).await.len(), 1);
        assert_eq!(listed(&maxs, "max").await, [max]);
    })
    .await;
}

#[tokio::test]
async fn changed_people_are_found_by_what_they_are_now() {
    on_both(async |world| {
        let (meridian, sam) = (world.company("Meridian").await, world.super_admin("Sam").await);
        let (one, ingrid) = world.iso("Ingrid", meridian).await;
        let (other, igor) = world.iso("Igor", meridian).await;
        let maya = client(&world, "Maya", "Ortiz", meridian, Some(one)).await;
        let (erin, clara) = (world.employee("Erin").await, world.company_admin("Clara", meridian).await);
        let change =
            clients::Change { iso_id: Some(Some(other)), last_name: Some("Quintana".to_owned()), ..Default::default() };
        people::update_client(&erin, maya, None, change).await.unwrap();
        assert_eq!((listed(&ingrid, "maya").await, listed(&igor, "maya").await), (vec![], vec![maya]));
        assert_eq!((listed(&clara, "ortiz").await, listed(&clara, "quint").await), (vec![], vec![maya]));
        // The order stays with the partner that brought it.
        assert_eq!(found(&ingrid, "quintana", Kind::Spv).await.len(), 1);
        assert!(found(&igor, "quintana", Kind::Spv).await.is_empty());

        // Every text that a list shows is found.
        let input = companies::Input { phone: Some("+1 555 0177".to_owned()), ..Default::default() };
        companies::update(&sam, meridian, None, input).await.unwrap();
        assert_eq!(found(&erin, "0177", Kind::Company).await, [meridian.0]);
        let lead = leads::Input {
            first_name: "Lena".to_owned(),
            last_name: "Lead".to_owned(),
            email: "lena@lead.example".to_owned(),
            phone: Some("+1 555 0188".to_owned()),
            ..Default::default()
        };
        let lena = leads::create(&ingrid, lead).await.unwrap();
        for q in ["lena", "0188", "lead.example"] {
            let filter = leads::Filter { q: Some(q.to_owned()), ..Default::default() };
            let rows = leads::list(&ingrid, &filter, &PageQuery::default()).await.unwrap().items;
            assert_eq!(rows.iter().map(|lead| lead.id).collect::<Vec<_>>(), [lena.id], "{q}");
        }
        let filter = isos::Filter { q: Some("ing".to_owned()), ..Default::default() };
        assert_eq!(isos::list(&clara, &filter, &PageQuery::default()).await.unwrap().items.len(), 1);
        let filter = users::Filter { q: Some("maya".to_owned()), ..Default::default() };
        assert_eq!(users::list(&sam, &filter, &PageQuery::default()).await.unwrap().items.len(), 1);
        let filter = users::Filter { q: Some("erin".to_owned()), role: Some(Role::Employee), ..Default::default() };
        assert_eq!(users::list(&sam, &filter, &PageQuery::default()).await.unwrap().items.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn every_word_of_a_row_is_found() {
    on_both(async |world| {
        let words: Vec<String> = (0..60).map(|n| format!("w{n}x")).collect();
        let company = world.company(&words[..30].join(" ")).await;
        let change = companies::Input { business_name: Some(words[30..].join(" ")), ..Default::default() };
        companies::update(&world.super_admin("Sam").await, company, None, change).await.unwrap();
        let erin = world.employee("Erin").await;
        for word in &words {
            assert_eq!(found(&erin, word, Kind::Company).await, [company.0], "{word}");
        }
        assert_eq!(found(&erin, &words[20..40].join(" "), Kind::Company).await, [company.0]);
        assert!(found(&erin, "w3x w61x", Kind::Company).await.is_empty());
    })
    .await;
}

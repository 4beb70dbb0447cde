//! Full-text search: matching of names and scripts, ranking, and access scopes. On both databases.
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

/// A client with an order and a two-part name.
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
    onboarding::create_client(&world.operator().without_notifications(), Setup::Quick, input).await.unwrap().client.id
}

async fn search_ids(ctx: &Ctx, q: &str, kind: Kind) -> Vec<Uuid> {
    let hits = search::find(ctx, q).await.unwrap();
    hits.into_iter().filter(|hit| hit.kind == kind).map(|hit| hit.id).collect()
}

async fn list_clients(ctx: &Ctx, q: &str) -> Vec<UserId> {
    let filter = clients::Filter { q: Some(q.to_owned()), ..Default::default() };
    let page = PageQuery { limit: Some(500), cursor: None };
    clients::list(ctx, &filter, &page).await.unwrap().items.into_iter().map(|client| client.id).collect()
}

#[tokio::test]
async fn search_ignores_case_accents_width_and_word_order() {
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
                assert_eq!(search_ids(&erin, q, Kind::Client).await, [id.0], "{first} {last} by {q}");
                assert_eq!(list_clients(&erin, q).await, [id], "{first} {last} by {q}");
                assert_eq!(search_ids(&erin, q, Kind::Spv).await.len(), 1, "the order of {first} {last} by {q}");
            }
        }
        assert!(list_clients(&erin, "京東").await.is_empty());
        assert!(search_ids(&erin, "ngstrom", Kind::Client).await.is_empty(), "words match by prefix");
    })
    .await;
}

#[tokio::test]
async fn whole_words_rank_before_prefixes_then_newest_first() {
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
        assert_eq!(search_ids(&erin, "an", Kind::Client).await, best);
        assert_eq!(search_ids(&erin, "li an", Kind::Client).await, best);
        assert_eq!(search_ids(&erin, "ann", Kind::Client).await, anna[..5]);
        assert_eq!(search_ids(&erin, "an", Kind::Spv).await.len(), 5);
        // A filtered list keeps its own order across pages.
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
        // Hidden rows do not take a place among the best hits.
        for id in &all[..11] {
            clients::archive(&world.operator(), UserId(*id), None).await.unwrap();
        }
        assert_eq!(search_ids(&erin, "lima", Kind::Client).await, all[11..12]);
        assert_eq!(list_clients(&erin, "lima").await, [UserId(all[11])]);
    })
    .await;
}

#[tokio::test]
async fn scoped_search_finds_rare_rows_among_many_matches() {
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
                assert_eq!(search_ids(ctx, q, Kind::Client).await, [max.0], "{q}");
                assert_eq!(list_clients(ctx, q).await, [max], "{q}");
                assert_eq!(search_ids(ctx, q, Kind::Spv).await.len(), 1, "{q}");
            }
            assert!(search_ids(ctx, "other", Kind::Client).await.is_empty());
        }
        let erin = world.employee("Erin").await;
        let of = spvs::Filter { q: Some("max".to_owned()), company_id: Some(meridian), ..Default::default() };
        assert_eq!(spvs::list(&erin, &of, &PageQuery::default()).await.unwrap().items.len(), 1);
        assert_eq!(list_clients(&erin, "max").await.len(), 31);
        let user = users::get(&world.operator(), max).await.unwrap();
        let maxs = world.signed_in(&user);
        assert_eq!(search_ids(&maxs, "max", Kind::Spv).await.len(), 1);
        assert_eq!(list_clients(&maxs, "max").await, [max]);
    })
    .await;
}

#[tokio::test]
async fn search_index_follows_changes() {
    on_both(async |world| {
        let (meridian, sam) = (world.company("Meridian").await, world.super_admin("Sam").await);
        let (one, ingrid) = world.iso("Ingrid", meridian).await;
        let (other, igor) = world.iso("Igor", meridian).await;
        let maya = client(&world, "Maya", "Ortiz", meridian, Some(one)).await;
        let (erin, clara) = (world.employee("Erin").await, world.company_admin("Clara", meridian).await);
        let change =
            clients::Change { iso_id: Some(Some(other)), last_name: Some("Quintana".to_owned()), ..Default::default() };
        people::update_client(&erin, maya, None, change).await.unwrap();
        assert_eq!((list_clients(&ingrid, "maya").await, list_clients(&igor, "maya").await), (vec![], vec![maya]));
        assert_eq!((list_clients(&clara, "ortiz").await, list_clients(&clara, "quint").await), (vec![], vec![maya]));
        // The order stays with its partner.
        assert_eq!(search_ids(&ingrid, "quintana", Kind::Spv).await.len(), 1);
        assert!(search_ids(&igor, "quintana", Kind::Spv).await.is_empty());

        // Every text shown in a list is searchable.
        let input = companies::Input { phone: Some("+1 555 0177".to_owned()), ..Default::default() };
        companies::update(&sam, meridian, None, input).await.unwrap();
        assert_eq!(search_ids(&erin, "0177", Kind::Company).await, [meridian.0]);
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
        let query = users::UserQuery { q: Some("maya".to_owned()), ..Default::default() };
        assert_eq!(users::page(&sam, &query, &PageQuery::default()).await.unwrap().page.items.len(), 1);
        let query = users::UserQuery { role: Some(Role::Employee), q: Some("erin".to_owned()), ..Default::default() };
        assert_eq!(users::page(&sam, &query, &PageQuery::default()).await.unwrap().page.items.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn every_word_of_a_row_is_indexed() {
    on_both(async |world| {
        let words: Vec<String> = (0..60).map(|n| format!("w{n}x")).collect();
        let company = world.company(&words[..30].join(" ")).await;
        let change = companies::Input { business_name: Some(words[30..].join(" ")), ..Default::default() };
        companies::update(&world.super_admin("Sam").await, company, None, change).await.unwrap();
        let erin = world.employee("Erin").await;
        for word in &words {
            assert_eq!(search_ids(&erin, word, Kind::Company).await, [company.0], "{word}");
        }
        assert_eq!(search_ids(&erin, &words[20..40].join(" "), Kind::Company).await, [company.0]);
        assert!(search_ids(&erin, "w3x w61x", Kind::Company).await.is_empty());
    })
    .await;
}

//! Text normalization (lookalike texts, decision 41): NFC and NFD, case, width and invisible characters do not make a
//! different name, identifier or address.
use domain::{
    Ctx, Error,
    accounts::{
        auth::{self, Auth, Keys, passwords},
        users::{self, NewUser},
    },
    desk::people,
    directory::{
        clients::{self, Filter},
        companies,
    },
    kernel::{
        access::Role,
        page::{Order, PageQuery},
    },
    operations::imports::{self, ImportOptions, Kind, Outcome},
    orders::{
        onboarding::{self, Setup},
        spvs,
    },
    platform::activity::{self, Search},
    testing::{code, on_both},
};

/// `Société-1` in NFC, and six other spellings.
const IDENTIFIER: &str = "Soci\u{e9}t\u{e9}-1";
const SPELLINGS: [&str; 6] = [
    "Socie\u{301}te\u{301}-1",
    "SOCIÉTÉ-1",
    "ＳＯＣＩÉＴÉ－１",
    " Soci\u{200b}\u{e9}t\u{e9}-1\u{feff}",
    "So\u{ad}ciété-1",
    "Soci\u{e9}t\u{200d}\u{e9}-1",
];

async fn order(ctx: &Ctx, client: domain::kernel::ids::UserId, identifier: &str) -> Result<spvs::Spv, Error> {
    let input = onboarding::OrderInput {
        client_id: Some(client),
        custom_identifier: Some(identifier.to_owned()),
        purchase_amount: Some("1000".to_owned()),
        company_id: clients::get(ctx, client).await?.company_id,
        ..onboarding::OrderInput::default()
    };
    Ok(onboarding::create_order(ctx, input).await?.spv)
}

#[tokio::test]
async fn identifiers_are_unique_across_spellings() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, ..) = world.client("Maya", company, None).await;
        let operator = world.operator();
        let made = order(&operator, client, SPELLINGS[0]).await.unwrap();
        assert_eq!(made.custom_identifier.as_deref(), Some(IDENTIFIER), "stored in NFC");
        for twin in SPELLINGS.into_iter().chain([IDENTIFIER]) {
            let refusal = order(&operator, client, twin).await.unwrap_err();
            assert_eq!(code(&refusal), "custom_identifier duplicate", "{twin:?}");
            assert_eq!(spvs::find(&operator, twin).await.unwrap().spv.id, made.id, "{twin:?}");
            spvs::notify_client(&operator, "maya@example.com", twin).await.unwrap();
        }
        // Different accents make a different identifier.
        order(&operator, client, "Societe-1").await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn import_recognizes_other_spellings() {
    on_both(async |world| {
        let company = world.company("Société Générale").await;
        world.client("Maya", company, None).await;
        let mut import =
            imports::start(&world.operator(), Kind::Spvs, "file.csv", ImportOptions::default(), &[]).unwrap();
        let mut outcomes = Vec::new();
        for identifier in [SPELLINGS[0], IDENTIFIER, SPELLINGS[2], "Societe-1"] {
            let row = [
                ("identifier", identifier),
                ("client_email", "MAYA@example.com"),
                ("company_name", "SOCIE\u{301}TE\u{301}  ge\u{301}ne\u{301}rale"),
                ("purchase_amount", "1000"),
            ];
            let row = row.map(|(name, cell)| (name, cell.to_owned())).into_iter().collect();
            outcomes.push(match import.row(&row).await.unwrap() {
                Outcome::Created => "made".to_owned(),
                Outcome::Present(existing) => format!("there as {}", existing.unwrap_or_default()),
                Outcome::Rejected { error, .. } => code(&error),
                other => format!("{other:?}"),
            });
        }
        assert_eq!(outcomes, ["made", "there as ", "there as Soci\u{e9}t\u{e9}-1", "made"]);
    })
    .await;
}

#[tokio::test]
async fn company_names_are_unique_across_spellings() {
    on_both(async |world| {
        let id = world.company("Zoe\u{308} Café").await;
        let operator = world.operator();
        let again = |name: &str| companies::Input {
            name: Some(name.to_owned()),
            business_name: Some("Other LLC".to_owned()),
            ..companies::Input::default()
        };
        for twin in ["Zoë Café", "ZOË CAFÉ", "zoe\u{308}\u{3000}cafe\u{301}", "Zo\u{200b}ë Café"] {
            assert_eq!(companies::find(&operator, twin).await.unwrap().id, id, "{twin:?}");
            assert_eq!(code(&companies::create(&operator, again(twin)).await.unwrap_err()), "name duplicate");
        }
        assert_eq!(companies::get(&operator, id).await.unwrap().name, "Zoë Café");
        let other = companies::create(&operator, again("Zoe Cafe")).await.unwrap();
        assert_eq!(
            code(&companies::update(&operator, other.id, None, again("ZOË CAFÉ")).await.unwrap_err()),
            "name duplicate"
        );
        // The name of an archived company is free; restoring it requires another name.
        companies::archive(&operator, id, None).await.unwrap();
        companies::update(&operator, other.id, None, again("ZOË CAFÉ")).await.unwrap();
        assert_eq!(code(&companies::restore(&operator, id, None).await.unwrap_err()), "name duplicate");
    })
    .await;
}

fn account(email: &str) -> NewUser {
    NewUser {
        status: users::Status::Active,
        ..NewUser::new(Role::Employee, "Ada".to_owned(), "Test".to_owned(), email.to_owned())
    }
}

#[tokio::test]
async fn email_addresses_are_unique_across_spellings() {
    on_both(async |world| {
        let operator = world.operator();
        let create = async |email: &str| {
            let input = people::CreateUser {
                first_name: "Ada".to_owned(),
                last_name: "Test".to_owned(),
                email: email.to_owned(),
                ..people::CreateUser::default()
            };
            people::create(&operator, Role::Employee, input).await
        };
        let made = create("Ada@xn--mller-kva.example").await.unwrap();
        assert_eq!((made.email.as_str(), made.email_key.as_str()), ("Ada@müller.example", "ada@xn--mller-kva.example"));
        for twin in
            ["ada@müller.example", "ADA@MU\u{308}LLER.EXAMPLE", "ada@XN--MLLER-KVA.example", "ａｄａ＠müller.example"]
        {
            assert_eq!(users::find(&operator, twin).await.unwrap().id, made.id, "{twin}");
            assert_eq!(code(&create(twin).await.unwrap_err()), "email_taken", "{twin}");
        }
        create("ada@muller.example").await.unwrap();
        for unsendable in ["josé@example.com", "jose\u{301}@müller.example"] {
            assert_eq!(code(&create(unsendable).await.unwrap_err()), "email email_local_part");
        }

        let password = "Zoe\u{308}s-Schlüssel-42";
        let mut tx = world.db.begin().await.unwrap();
        let hash = passwords::hash(&operator, password).await.unwrap();
        let user = NewUser { password_hash: Some(hash), ..account("zoe@müller.example") };
        users::insert(&mut tx, &operator, user).await.unwrap();
        tx.commit().await.unwrap();
        let auth = Auth::new(Keys::for_tests());
        for (email, password) in [
            ("zoe@xn--mller-kva.example", "Zoës-Schlüssel-42"),
            ("ZOE@Mu\u{308}ller.example", "Zoës-Schlu\u{308}ssel-42"),
        ] {
            auth::sign_in(&world.anonymous(), &auth, email, password).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn activity_search_ignores_case_and_accents() {
    on_both(async |world| {
        world.company("E\u{301}toile Łódź Straße").await;
        let operator = world.operator();
        activity::sequence_all(&operator).await.unwrap();
        for words in ["étoile", "ETOILE", "lodz", "STRASSE", "e\u{301}toile lo"] {
            let search = Search {
                subject: Some(words.to_owned()),
                what: Some("company.created".to_owned()),
                ..Search::default()
            };
            let found = activity::search(&operator, &search, &PageQuery::default()).await.unwrap().items;
            assert_eq!(found.len(), 1, "{words}");
        }
        let search = Search { who: Some("ROOT".to_owned()), ..Search::default() };
        assert!(!activity::search(&operator, &search, &PageQuery::default()).await.unwrap().items.is_empty());
    })
    .await;
}

#[tokio::test]
async fn clients_are_sorted_by_name_across_pages() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (iso, ingrid) = world.iso("Ingrid", company).await;
        for first in ["Maya", "Ada", "Noah", "Bela"] {
            world.client(first, company, Some(iso)).await;
        }
        let names = async |ctx: &Ctx, order: &str| {
            let filter = Filter { order: Order::parse(order).unwrap(), ..Filter::default() };
            let (mut found, mut cursor) = (Vec::new(), None);
            loop {
                let page = clients::list(ctx, &filter, &PageQuery { limit: Some(3), cursor }).await.unwrap();
                found.extend(page.items.into_iter().map(|client| client.first_name));
                match page.next_cursor {
                    Some(next) => cursor = Some(next),
                    None => return found.join(" "),
                }
            }
        };
        for ctx in [&world.operator(), &ingrid] {
            assert_eq!(names(ctx, "first_name").await, "Ada Bela Maya Noah");
            assert_eq!(names(ctx, "-first_name").await, "Noah Maya Bela Ada");
            assert_eq!(names(ctx, "-created_at").await, names(ctx, "").await);
            assert_eq!(names(ctx, "created_at").await.split(' ').count(), 4);
        }
        let page =
            clients::list(&ingrid, &Filter::default(), &PageQuery { limit: Some(1), cursor: None }).await.unwrap();
        let by_name = Filter { order: Order::ascending(clients::ClientSort::FirstName), ..Filter::default() };
        let wrong = PageQuery { limit: None, cursor: page.next_cursor };
        assert_eq!(code(&clients::list(&ingrid, &by_name, &wrong).await.unwrap_err()), "cursor invalid_cursor");
        assert!(Order::<clients::ClientSort>::parse("last_name").is_err());
    })
    .await;
}

#[tokio::test]
async fn phone_numbers_are_validated_everywhere() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let operator = world.operator();
        let input = |phone: &str| onboarding::ClientInput {
            first_name: "Maya".to_owned(),
            last_name: "Test".to_owned(),
            email: "maya@example.com".to_owned(),
            company_id: Some(company),
            price: Some("10.00".to_owned()),
            phone: Some(phone.to_owned()),
            ..onboarding::ClientInput::default()
        };
        let refusal = onboarding::create_client(&operator, Setup::Quick, input("abc")).await.unwrap_err();
        assert_eq!(code(&refusal), "phone invalid_phone");
        onboarding::create_client(&operator, Setup::Quick, input("+1 (555) 010-0199 ext. 12")).await.unwrap();
        let maya = world.signed_in(&users::find(&operator, "maya@example.com").await.unwrap());
        let change = users::UpdateProfile { phone: Some("call me".to_owned()), ..users::UpdateProfile::default() };
        assert_eq!(code(&people::update_profile(&maya, None, change).await.unwrap_err()), "phone invalid_phone");
    })
    .await;
}

//! Signing in, staying in and getting out, on both databases.
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::Duration;
use domain::{
    Ctx, Error, Origin,
    accounts::{
        auth::{
            self, Auth, Came, Change, Granted, Keys, Purpose, Ticket, Wanted, Way, Which, asked, factors, flows,
            identities::{self, Arrival, Landing, ProviderTokens},
            links::{self, LinkKind},
            passwords::{self, PasswordHash},
            sessions,
        },
        users::{self, NewUser, Status, User},
    },
    directory::{clients, companies},
    kernel::{
        access::Role,
        db::{Dialect, Sql},
        ids::ChallengeId,
    },
    orders::onboarding,
    outbox::activity_feed,
    platform::{
        activity,
        settings::{self, Settings},
    },
    testing::{World, on_both},
};
use std::sync::Arc;
use tokio::sync::broadcast;
use totp_rs::{Builder, Secret};

const PASSWORD: &str = "correct horse battery";

fn node() -> Auth {
    Auth::new(Keys::for_tests())
}

/// An active user who has a password.
async fn person(world: &World, role: Role, first: &str) -> User {
    let user = world.user(role, first, None, None).await;
    give_password(world, &user).await;
    user
}

async fn give_password(world: &World, user: &User) {
    let hash = passwords::hash(&world.operator(), PASSWORD).await.expect("hashes");
    let mut tx = world.db.begin().await.expect("begins");
    users::store::save_password(&mut tx, user.id, &hash, false).await.expect("works");
    tx.commit().await.expect("commits");
}

async fn sign_in(world: &World, auth: &Auth, first: &str) -> Granted {
    auth::sign_in(&world.nobody(), auth, &format!("{first}@example.com"), PASSWORD).await.expect("works")
}

/// The context of whoever holds this access token.
async fn holder(world: &World, auth: &Auth, token: &str) -> Result<Ctx, Error> {
    let who = auth::authenticate(auth, &world.db, &world.options, world.clock.now(), token).await?;
    Ok(world.as_actor(domain::Actor::User(who)))
}

async fn link(world: &World, user: &User, kind: LinkKind) -> (String, String) {
    let mut tx = world.db.begin().await.expect("begins");
    let made = links::make(&mut tx, &world.operator(), user.id, &user.email, kind).await.expect("works");
    tx.commit().await.expect("commits");
    let token = made.url.split("token_hash=").nth(1).expect("works").split('&').next().expect("works").to_owned();
    (token, made.code)
}

/// Uses a link or code and takes the session that comes of it.
async fn verify(world: &World, auth: &Auth, ticket: Ticket) -> Result<Granted, Error> {
    match auth::verify(&world.nobody(), auth, Purpose::Recovery, &ticket, false).await? {
        Came::Session(granted) => Ok(*granted),
        other => panic!("{other:?}"),
    }
}

async fn told(world: &World, action: &str) -> Vec<serde_json::Value> {
    let rows: Vec<(String,)> = world
        .db
        .clone()
        .sql("select cast(data as text) from activity where action = $1 order by at, id")
        .bind(action.to_owned())
        .all()
        .await
        .expect("works");
    rows.into_iter().map(|(data,)| serde_json::from_str(&data).expect("works")).collect()
}

/// Which sessions ended, and why.
async fn ends(world: &World) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().expect("works").to_owned();
    let told = told(world, "session.ended").await;
    told.iter().map(|data| (text(&data["session_id"]), text(&data["reason"]))).collect()
}

/// How and why sign-ins of somebody were refused, of which the log says from where and with what.
async fn refusals(world: &World, whose: &User) -> Vec<String> {
    let mut db = world.db.clone();
    let sql = "select cast(data as text) from activity where action = 'sign_in.failed' and subject_id = $1 \
         and address is not null and user_agent is not null";
    let rows: Vec<(String,)> = db.sql(sql).bind(whose.id).all().await.expect("works");
    let mut told: Vec<String> = rows
        .into_iter()
        .map(|(data,)| {
            let data: serde_json::Value = serde_json::from_str(&data).expect("works");
            format!("{} {}", data["method"].as_str().expect("works"), data["reason"].as_str().expect("works"))
        })
        .collect();
    told.sort();
    told
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    match result.expect_err("is refused") {
        Error::Unauthenticated(p) | Error::Conflict(p) | Error::Forbidden(p) => p.code,
        Error::Invalid(fields) => fields[0].problem.code,
        Error::NotFound(_) => "not_found",
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_password_signs_in_whatever_the_letter_case_of_the_address() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let granted = auth::sign_in(&world.nobody(), &auth, " MAYA@Example.com ", PASSWORD).await.unwrap();
        let ctx = holder(&world, &auth, &granted.access_token).await.unwrap();
        assert_eq!(ctx.actor.user_id(), Some(maya.id));
        assert_eq!(granted.expires_in, 900);
        assert!(users::get(&ctx, maya.id).await.unwrap().last_sign_in_at.is_some());
        let started = told(&world, "session.started").await;
        assert_eq!(started[0]["session_id"], granted.session.id.to_string());

        world.clock.advance(Duration::seconds(901));
        assert_eq!(code(holder(&world, &auth, &granted.access_token).await), "bad_jwt");
    })
    .await;
}

#[tokio::test]
async fn whoever_is_restored_comes_in_as_before() {
    on_both(async |world: World| {
        let (auth, op) = (node(), world.operator());
        let company = world.company("Harbor").await;
        let maya = person(&world, Role::Employee, "maya").await;
        users::suspend(&op, maya.id, None).await.unwrap();
        users::archive(&op, maya.id, None).await.unwrap();
        assert_eq!(users::restore(&op, maya.id, None).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "maya").await;

        let clara = world.user(Role::Client, "clara", Some(company), None).await;
        give_password(&world, &clara).await;
        clients::archive(&op, clara.id, None).await.unwrap();
        assert_eq!(clients::restore(&op, clara.id, None).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "clara").await;

        let cora = world.company_admin("cora", company).await;
        let dora = world.user(Role::CompanyAdmin, "dora", Some(company), None).await;
        give_password(&world, &dora).await;
        companies::remove_member(&cora, dora.id).await.unwrap();
        assert_eq!(companies::restore_member(&cora, dora.id).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "dora").await;
    })
    .await;
}

#[tokio::test]
async fn whoever_has_not_set_a_password_is_to_do_so_once_restored() {
    on_both(async |world: World| {
        let (auth, op) = (node(), world.operator());
        let input = onboarding::ClientInput {
            first_name: "Quinn".to_owned(),
            last_name: "Test".to_owned(),
            email: "quinn@example.com".to_owned(),
            company_id: Some(world.company("Harbor").await),
            price: Some("1250.00".to_owned()),
            ..Default::default()
        };
        let quinn = onboarding::create_client(&op, onboarding::Setup::Quick, input).await.unwrap().client.id;
        clients::suspend(&op, quinn, None).await.unwrap();
        assert_eq!(clients::restore(&op, quinn, None).await.unwrap().status, Status::Pending);
        clients::archive(&op, quinn, None).await.unwrap();
        assert_eq!(users::restore(&op, quinn, None).await.unwrap().status, Status::Pending);

        // Unless one was set for the account meanwhile.
        users::suspend(&op, quinn, None).await.unwrap();
        let given = auth::admin::Update { password: Some(PASSWORD.to_owned()), ..Default::default() };
        let shut = auth::admin::update(&op, &auth, quinn, given).await.unwrap();
        assert_eq!(shut.status, Status::Suspended);
        assert_eq!(users::restore(&op, quinn, None).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "quinn").await;
    })
    .await;
}

#[tokio::test]
async fn a_password_whose_hash_is_cheaper_or_costlier_than_todays_is_hashed_again() {
    for params in [(8_192, 1, 1), (passwords::MEMORY_KIB + 8, passwords::PASSES, 2)] {
        is_hashed_again(params).await;
    }
}

async fn is_hashed_again((memory, passes, lanes): (u32, u32, u32)) {
    use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
    on_both(async |world: World| {
        let auth = node();
        let maya = world.user(Role::Employee, "maya", None, None).await;
        let other = Params::new(memory, passes, lanes, None).unwrap();
        let old = Argon2::new(Algorithm::Argon2id, Version::V0x13, other).hash_password(PASSWORD.as_bytes()).unwrap();
        let imported = PasswordHash::imported(&old.to_string()).unwrap();
        let mut tx = world.db.begin().await.unwrap();
        users::store::save_password(&mut tx, maya.id, &imported, true).await.unwrap();
        tx.commit().await.unwrap();
        let kept = async || -> String {
            let mut db = world.db.clone();
            db.sql("select password_hash from users where id = $1").bind(maya.id).scalar().await.unwrap()
        };
        // A wrong one changes nothing.
        let wrong = auth::sign_in(&world.nobody(), &auth, "maya@example.com", "wrong-wrong").await;
        assert_eq!((code(wrong), kept().await), ("invalid_credentials", old.to_string()));

        let granted = sign_in(&world, &auth, "maya").await;
        let new = kept().await;
        let today =
            format!("$argon2id$v=19$m={},t={},p={}$", passwords::MEMORY_KIB, passwords::PASSES, passwords::LANES);
        assert!(new.starts_with(&today), "{new}");
        let ctx = holder(&world, &auth, &granted.access_token).await.unwrap();
        assert_eq!(ctx.actor.user_id(), Some(maya.id));
        assert!(granted.user.must_change_password, "that it is to be changed stays so");
        auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await.unwrap();
        // From now on it is what it is.
        sign_in(&world, &auth, "maya").await;
        assert_eq!(kept().await, new);
    })
    .await;
}

#[tokio::test]
async fn unknown_wrong_and_not_set_up_are_answered_alike() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let noah = person(&world, Role::Employee, "noah").await;
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update users set status = 'pending' where id = $1").bind(noah.id).run().await.unwrap();
        tx.commit().await.unwrap();
        world.user(Role::Employee, "olga", None, None).await;
        for (email, password) in [
            ("nobody@example.com", PASSWORD),
            ("nobody\0@example.com", PASSWORD),
            ("maya@example.com", "wrong"),
            ("maya@example.com", ""),
            ("noah@example.com", PASSWORD),
            ("olga@example.com", PASSWORD),
        ] {
            let answer = auth::sign_in(&world.nobody(), &auth, email, password).await;
            assert_eq!(code(answer), "invalid_credentials", "{email} {password}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_shut_account_is_told_so_after_the_right_password_only() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let before = sign_in(&world, &auth, "maya").await;
        users::suspend(&world.operator(), maya.id, None).await.unwrap();
        let try_with =
            async |password: &str| code(auth::sign_in(&world.nobody(), &auth, "maya@example.com", password).await);
        assert_eq!(try_with("wrong").await, "invalid_credentials");
        assert_eq!(try_with(PASSWORD).await, "user_banned");
        assert_eq!(
            code(auth::refresh(&world.nobody(), &auth, &before.refresh_token).await),
            "refresh_session_not_found"
        );
        let (token, _) = link(&world, &maya, LinkKind::Recovery).await;
        assert_eq!(code(verify(&world, &auth, Ticket::Token(token)).await), "user_banned");

        users::restore(&world.operator(), maya.id, None).await.unwrap();
        sign_in(&world, &auth, "maya").await;
        users::archive(&world.operator(), maya.id, None).await.unwrap();
        assert_eq!(try_with(PASSWORD).await, "user_banned");
    })
    .await;
}

#[tokio::test]
async fn archiving_a_company_or_an_iso_signs_its_people_out() {
    on_both(async |world: World| {
        let auth = node();
        let company = world.company("Harbor").await;
        let (iso, iso_ctx) = world.iso("ivan", company).await;
        let iso_user = users::get(&iso_ctx, iso_ctx.actor.user_id().unwrap()).await.unwrap();
        let (client, _, client_ctx) = world.client("clara", company, Some(iso)).await;
        let client_user = users::get(&client_ctx, client).await.unwrap();
        give_password(&world, &iso_user).await;
        give_password(&world, &client_user).await;
        let (ivan, clara) = (sign_in(&world, &auth, "ivan").await, sign_in(&world, &auth, "clara").await);

        domain::directory::isos::archive(&world.operator(), iso, None).await.unwrap();
        assert_eq!(code(holder(&world, &node(), &ivan.access_token).await), "session_not_found");
        assert_eq!(code(auth::sign_in(&world.nobody(), &auth, "ivan@example.com", PASSWORD).await), "user_banned");
        assert!(holder(&world, &node(), &clara.access_token).await.is_ok(), "an ISO's client stays the office's");

        domain::directory::companies::archive(&world.operator(), company, None).await.unwrap();
        assert_eq!(code(holder(&world, &node(), &clara.access_token).await), "session_not_found");
        assert_eq!(code(auth::sign_in(&world.nobody(), &auth, "clara@example.com", PASSWORD).await), "user_banned");
    })
    .await;
}

#[tokio::test]
async fn refreshing_rotates_and_a_stolen_old_token_ends_the_session() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let refresh = async |token: &str| auth::refresh(&world.nobody(), &auth, token).await;
        let first = sign_in(&world, &auth, "maya").await;
        let second = refresh(&first.refresh_token).await.unwrap();
        assert_ne!(first.refresh_token, second.refresh_token);
        assert_eq!(first.session.id, second.session.id);

        // The parent of the active one, as long as the session may lie unused: a tab that slept.
        world.clock.advance(sessions::IDLE - Duration::seconds(1));
        assert_eq!(refresh(&first.refresh_token).await.unwrap().refresh_token, second.refresh_token);

        let third = refresh(&second.refresh_token).await.unwrap();
        world.clock.advance(Duration::seconds(10));
        assert_eq!(
            refresh(&first.refresh_token).await.unwrap().refresh_token,
            third.refresh_token,
            "within ten seconds"
        );
        world.clock.advance(Duration::seconds(1));
        let ctx = holder(&world, &auth, &third.access_token).await.unwrap();
        assert_eq!(sessions::list(&ctx, third.user.id).await.unwrap().len(), 1);
        assert_eq!(code(refresh(&first.refresh_token).await), "refresh_token_already_used");
        assert_eq!(code(refresh(&third.refresh_token).await), "refresh_session_not_found");
        assert_eq!(code(holder(&world, &auth, &third.access_token).await), "session_not_found");
        assert_eq!(told(&world, "session.ended").await[0]["reason"], "refresh_token_reused");

        assert_eq!(code(refresh("nonsense").await), "refresh_token_not_valid");
        let stranger = Keys::for_tests().refresh_token(domain::kernel::ids::SessionId(world.chance.uuid()), 0);
        assert_eq!(code(refresh(&stranger).await), "refresh_token_not_found");
    })
    .await;
}

#[tokio::test]
async fn a_hundred_tabs_that_refresh_at_once_stay_signed_in() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let first = sign_in(&world, &auth, "maya").await;
        let tabs = (0..100).map(|_| {
            let (ctx, auth, token) = (world.nobody(), auth.clone(), first.refresh_token.clone());
            tokio::spawn(async move { auth::refresh(&ctx, &auth, &token).await })
        });
        let mut answers = std::collections::BTreeSet::new();
        for tab in tabs.collect::<Vec<_>>() {
            answers.insert(tab.await.unwrap().unwrap().refresh_token);
        }
        assert_eq!(answers.len(), 1, "all were given the one active token");
        let active = answers.pop_first().unwrap();
        auth::refresh(&world.nobody(), &auth, &active).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_link_works_once_and_takes_the_others_with_it() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let (one, code_of_one) = link(&world, &maya, LinkKind::Invite).await;
        let (two, _) = link(&world, &maya, LinkKind::Recovery).await;
        let verify = async |ticket: Ticket| verify(&world, &auth, ticket).await;
        let granted = verify(Ticket::Token(one.clone())).await.unwrap();
        assert_eq!(granted.user.id, maya.id);
        assert_eq!(granted.session.amr[0].method, "otp");
        for used in [one, two] {
            assert_eq!(code(verify(Ticket::Token(used)).await), "otp_expired");
        }
        let by_code = Ticket::Code { email: maya.email.clone(), code: code_of_one };
        assert_eq!(code(verify(by_code).await), "otp_expired");

        let (late, _) = link(&world, &maya, LinkKind::Recovery).await;
        let (day, _) = link(&world, &maya, LinkKind::Invite).await;
        world.clock.advance(Duration::minutes(61));
        assert_eq!(code(verify(Ticket::Token(late)).await), "otp_expired");
        verify(Ticket::Token(day.clone())).await.unwrap();
        // What the owner may want to know is in the log, and nobody fills it with a link that they have; a link that never
        // was says nothing.
        for _ in 0..9 {
            assert_eq!(code(verify(Ticket::Token(day.clone())).await), "otp_expired");
        }
        assert_eq!(code(verify(Ticket::Token("never a link".to_owned())).await), "otp_expired");
        let told = told(&world, "sign_in.failed").await;
        let mut reasons: Vec<_> = told.iter().map(|data| data["reason"].as_str().unwrap()).collect();
        reasons.sort_unstable();
        let used = ["link_used"; 6];
        assert_eq!(reasons, [["link_expired"].as_slice(), &used, &["wrong_mailed_code"]].concat());
        world.clock.advance(Duration::days(2));
        assert!(links::clean_up(&world.operator(), world.clock.now()).await.unwrap() >= 4);
    })
    .await;
}

#[tokio::test]
async fn of_two_who_use_one_link_at_once_one_gets_in() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let (token, _) = link(&world, &maya, LinkKind::Recovery).await;
        let tries = (0..10).map(|_| {
            let (ctx, auth, ticket) = (world.nobody(), auth.clone(), Ticket::Token(token.clone()));
            tokio::spawn(async move { auth::verify(&ctx, &auth, Purpose::Recovery, &ticket, false).await.is_ok() })
        });
        let mut entered = 0;
        for attempt in tries.collect::<Vec<_>>() {
            entered += usize::from(attempt.await.unwrap());
        }
        assert_eq!(entered, 1);
    })
    .await;
}

#[tokio::test]
async fn many_mails_make_no_more_codes_to_hit() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let with = async |code: &str| {
            let ticket = Ticket::Code { email: maya.email.clone(), code: code.to_owned() };
            verify(&world, &auth, ticket).await
        };
        let (token, old) = link(&world, &maya, LinkKind::Recovery).await;
        world.clock.advance(Duration::minutes(1));
        let (_, new) = link(&world, &maya, LinkKind::Recovery).await;
        if old != new {
            assert_eq!(code(with(&old).await), "otp_expired");
        }
        with(&new).await.unwrap();
        assert_eq!(code(verify(&world, &auth, Ticket::Token(token)).await), "otp_expired");
    })
    .await;
}

#[tokio::test]
async fn a_code_is_taken_until_ten_wrong_ones() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let with = async |email: &str, code: &str| {
            let ticket = Ticket::Code { email: email.to_owned(), code: code.to_owned() };
            verify(&world, &auth, ticket).await
        };
        let wrong = |right: &str| if right == "000000" { "000001" } else { "000000" };
        let (_, right) = link(&world, &maya, LinkKind::Recovery).await;
        for _ in 0..9 {
            assert_eq!(code(with("maya@example.com", wrong(&right)).await), "otp_expired");
        }
        assert_eq!(code(with("nobody@example.com", &right).await), "otp_expired");
        with("Maya@Example.com", &right).await.unwrap();

        let (token, right) = link(&world, &maya, LinkKind::Recovery).await;
        for _ in 0..10 {
            assert_eq!(code(with("maya@example.com", wrong(&right)).await), "otp_expired");
        }
        let too_soon = with("maya@example.com", &right).await;
        assert!(matches!(too_soon, Err(Error::TooMany(1))), "{too_soon:?}");
        world.clock.advance(Duration::seconds(1));
        assert_eq!(code(with("maya@example.com", &right).await), "otp_expired", "the right one comes too late");
        world.clock.advance(Duration::seconds(2));
        let (_, fresh) = link(&world, &maya, LinkKind::Recovery).await;
        assert_eq!(code(with("maya@example.com", &fresh).await), "otp_expired", "a new mail gives no new tries");
        // The link is not held up by it; and an address that nobody has is answered in the same way.
        verify(&world, &auth, Ticket::Token(token)).await.unwrap();
        for n in 0..12 {
            let answer = with("nobody@example.com", "123456").await;
            // One wrong code was counted above.
            if n < 9 {
                assert_eq!(code(answer), "otp_expired", "{n}");
            } else {
                assert!(matches!(answer, Err(Error::TooMany(1))), "{n} {answer:?}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_new_password_activates_and_ends_the_other_sessions_and_links() {
    on_both(async |world: World| {
        let auth = node();
        let mut tx = world.db.begin().await.unwrap();
        let new = NewUser {
            role: Role::Employee,
            status: Status::Pending,
            first_name: "Maya".to_owned(),
            last_name: "Ortiz".to_owned(),
            email: "maya@example.com".to_owned(),
            phone: None,
            address: None,
            company_id: None,
            iso_id: None,
            password_hash: None,
            must_change_password: true,
            language: "en-US".to_owned(),
        };
        let maya = users::insert(&mut tx, &world.operator(), new).await.unwrap();
        tx.commit().await.unwrap();
        let (token, _) = link(&world, &maya, LinkKind::Invite).await;
        let invited = verify(&world, &auth, Ticket::Token(token)).await.unwrap();
        let me = holder(&world, &auth, &invited.access_token).await.unwrap();
        let set = async |ctx: &Ctx, password: &str| {
            let change = Change { password: Some(password.to_owned()), ..Change::default() };
            auth::update_user(ctx, &auth, &change).await
        };
        assert_eq!(code(set(&me, "short").await), "weak_password");
        assert_eq!(code(set(&me, "maya@example.com").await), "weak_password");
        assert_eq!(code(set(&me, &"x1".repeat(65)).await), "too_long");
        let changed = set(&me, PASSWORD).await.unwrap();
        assert_eq!((changed.status, changed.must_change_password), (Status::Active, false));
        assert_eq!(code(set(&me, PASSWORD).await), "same_password");

        let elsewhere = sign_in(&world, &auth, "maya").await;
        assert!(holder(&world, &auth, &elsewhere.access_token).await.is_ok());
        let (pending, _) = link(&world, &maya, LinkKind::Recovery).await;
        let guess = Change {
            password: Some("another good one".to_owned()),
            current_password: Some("guess".to_owned()),
            ..Change::default()
        };
        assert_eq!(code(auth::update_user(&me, &auth, &guess).await), "current_password_invalid");
        set(&me, "another good one").await.unwrap();
        assert!(holder(&world, &auth, &invited.access_token).await.is_ok(), "this session goes on");
        assert_eq!(code(holder(&world, &auth, &elsewhere.access_token).await), "session_not_found");
        assert_eq!(code(verify(&world, &auth, Ticket::Token(pending)).await), "otp_expired");
        assert_eq!(
            code(auth::sign_in(&world.nobody(), &auth, "maya@example.com", PASSWORD).await),
            "invalid_credentials"
        );
        assert_eq!(told(&world, "user.password_changed").await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn signing_out_ends_what_was_asked_for() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let (a, b, c) = (
            sign_in(&world, &auth, "maya").await,
            sign_in(&world, &auth, "maya").await,
            sign_in(&world, &auth, "maya").await,
        );
        let live = async |granted: &Granted| holder(&world, &auth, &granted.access_token).await.is_ok();
        let ctx = holder(&world, &auth, &a.access_token).await.unwrap();
        assert!(live(&b).await && live(&c).await);
        auth::sign_out(&holder(&world, &auth, &b.access_token).await.unwrap(), &auth, Which::Local).await.unwrap();
        assert!(live(&a).await && !live(&b).await && live(&c).await);
        auth::sign_out(&ctx, &auth, Which::Others).await.unwrap();
        assert!(live(&a).await && !live(&c).await);
        auth::sign_out(&ctx, &auth, Which::Global).await.unwrap();
        assert!(!live(&a).await);
        assert_eq!(told(&world, "session.ended").await.len(), 3);

        let other = sign_in(&world, &auth, "maya").await;
        person(&world, Role::Employee, "noah").await;
        let noah = sign_in(&world, &auth, "noah").await;
        let noah = holder(&world, &auth, &noah.access_token).await.unwrap();
        assert_eq!(code(sessions::end(&noah, other.session.id).await), "not_found", "another's session is not known");
        sessions::end(&holder(&world, &auth, &other.access_token).await.unwrap(), other.session.id).await.unwrap();
        assert_eq!(code(holder(&world, &node(), &other.access_token).await), "session_not_found");
    })
    .await;
}

#[tokio::test]
async fn another_node_refuses_an_ended_session_within_a_second() {
    on_both(async |world: World| {
        let (here, there) = (node(), node());
        let (feed, _) = broadcast::channel(64);
        let memory = there.verified.clone();
        let following = tokio::spawn(activity_feed::run(world.operator(), feed, move |event| memory.forget(event)));
        let maya = person(&world, Role::Employee, "maya").await;
        let refused_within_a_second = async |token: &str, why: &str| {
            for _ in 0..20 {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                if let Err(e) = holder(&world, &there, token).await {
                    return assert_eq!(code::<Ctx>(Err(e)), "session_not_found", "{why}");
                }
            }
            panic!("{why}: still taken after a second");
        };
        let granted = sign_in(&world, &here, "maya").await;
        let ctx = holder(&world, &here, &granted.access_token).await.unwrap();
        assert!(holder(&world, &there, &granted.access_token).await.is_ok());
        auth::sign_out(&ctx, &here, Which::Local).await.unwrap();
        assert!(holder(&world, &here, &granted.access_token).await.is_err(), "at once where it happened");
        refused_within_a_second(&granted.access_token, "signed out").await;

        let granted = sign_in(&world, &here, "maya").await;
        assert!(holder(&world, &there, &granted.access_token).await.is_ok());
        users::set_role(&world.operator(), maya.id, Role::SuperAdmin, None, None, None).await.unwrap();
        refused_within_a_second(&granted.access_token, "role changed").await;
        following.abort();
    })
    .await;
}

#[tokio::test]
async fn the_memory_answers_without_the_database() {
    let world = World::sqlite().await;
    let auth = node();
    person(&world, Role::Employee, "maya").await;
    let granted = sign_in(&world, &auth, "maya").await;
    let first =
        auth::authenticate(&auth, &world.db, &world.options, world.clock.now(), &granted.access_token).await.unwrap();
    world.db.close().await;
    let again =
        auth::authenticate(&auth, &world.db, &world.options, world.clock.now(), &granted.access_token).await.unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    let unknown =
        auth::authenticate(&node(), &world.db, &world.options, world.clock.now(), &granted.access_token).await;
    assert!(matches!(unknown, Err(Error::Unavailable(_))), "a token that is new cannot be looked up");
}

#[tokio::test]
async fn a_token_of_another_session_owner_is_refused() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let noah = person(&world, Role::SuperAdmin, "noah").await;
        let maya = sign_in(&world, &auth, "maya").await;
        let forged = |claims: serde_json::Value| auth.keys.sign(&claims).unwrap();
        let exp = world.clock.now().timestamp() + 60;
        let id = maya.session.id;
        for (claims, refusal) in [
            (serde_json::json!({ "sub": noah.id, "session_id": id, "exp": exp }), "session_not_found"),
            (serde_json::json!({ "sub": maya.user.id, "exp": exp }), "session_not_found"),
            (serde_json::json!({ "sub": "maya", "session_id": id, "exp": exp }), "bad_jwt_subject"),
            (serde_json::json!({ "sub": maya.user.id, "aud": "x", "session_id": id, "exp": exp }), "bad_jwt_audience"),
            (serde_json::json!({ "session_id": id, "exp": exp }), "bad_jwt"),
            (serde_json::json!({ "sub": maya.user.id, "session_id": id }), "bad_jwt"),
            (serde_json::json!({ "sub": world.chance.uuid(), "session_id": id, "exp": exp }), "user_not_found"),
        ] {
            assert_eq!(code(holder(&world, &auth, &forged(claims.clone())).await), refusal, "{claims}");
        }
    })
    .await;
}

#[tokio::test]
async fn recovery_mails_go_to_open_accounts_once_a_minute() {
    on_both(async |world: World| {
        let maya = person(&world, Role::Employee, "maya").await;
        let mails = async || -> i64 {
            world.db.clone().sql("select count(*) from mails where kind = 'recovery'").scalar().await.unwrap()
        };
        // The question and, as the worker would, its answer.
        let ask = async |email: &str| {
            auth::ask(&world.nobody(), Wanted::Recovery, email, Way::default()).await?;
            let asked = asked::Asked {
                wanted: Wanted::Recovery,
                email: email.to_owned(),
                way: Way::default(),
                origin: domain::Origin { address: Some("192.0.2.1".to_owned()), user_agent: None },
            };
            asked::answer(&world.as_actor(domain::Actor::System("mails")), &asked).await
        };
        ask("nobody@example.com").await.unwrap();
        assert_eq!(mails().await, 0);
        assert_eq!(code(ask("nobody@example.com").await), "over_email_send_rate_limit", "as for a known one");
        ask("MAYA@example.com").await.unwrap();
        assert_eq!(code(ask("maya@example.com").await), "over_email_send_rate_limit");
        assert_eq!(mails().await, 1);
        world.clock.advance(Duration::seconds(60));
        ask("maya@example.com").await.unwrap();
        assert_eq!(mails().await, 2);
        users::suspend(&world.operator(), maya.id, None).await.unwrap();
        world.clock.advance(Duration::seconds(61));
        ask("maya@example.com").await.unwrap();
        assert_eq!(mails().await, 2);
        assert_eq!(told(&world, "user.link_asked").await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_code_becomes_a_session_once_for_whoever_has_the_verifier() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), world.user(Role::Employee, "maya", None, None).await);
        let verifier = "v".repeat(50);
        let tokens = ProviderTokens {
            access_token: "the provider's own".to_owned(),
            refresh_token: Some("and another".to_owned()),
        };
        let kept = async || {
            let mut db = world.db.clone();
            let rows: Vec<(Option<String>,)> = db.sql("select provider_tokens from flows").all().await.unwrap();
            rows.into_iter().map(|(sealed,)| sealed).collect::<Vec<_>>()
        };
        let begin = async || {
            let mut tx = world.db.begin().await.unwrap();
            let new = flows::New {
                method: "oauth",
                challenge: flows::Challenge::read(&verifier, "plain"),
                redirect_to: "http://127.0.0.1:8080/".to_owned(),
                ..flows::New::default()
            };
            let flow = flows::begin(&mut tx, &world.nobody(), new).await.unwrap();
            tx.commit().await.unwrap();
            flow
        };
        let back = async |flow: &flows::Flow| {
            let mut tx = world.db.begin().await.unwrap();
            let flow = flows::take(&mut tx, &world.nobody(), flow.id).await?;
            let code = flows::issue_code(&mut tx, &world.nobody(), &flow, maya.id, Some(&tokens)).await.unwrap();
            tx.commit().await.unwrap();
            Ok::<_, Error>(code)
        };
        let exchange =
            async |auth_code: &str, verifier: &str| flows::exchange(&world.nobody(), &auth, auth_code, verifier).await;

        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        assert_eq!(code(back(&flow).await), "flow_state_already_used");
        assert_eq!(code(exchange("unknown", &verifier).await), "flow_state_not_found");
        assert_eq!(code(exchange(&auth_code, "wrong").await), "bad_code_verifier");
        // What the provider gave waits with the code, which alone opens it, and goes with it.
        let sealed = kept().await[0].clone().unwrap();
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("own"));
        let granted = exchange(&auth_code, &verifier).await.unwrap();
        assert_eq!(granted.session.amr[0].method, "oauth");
        assert!(!format!("{:?}", (&granted, &granted.provider_tokens)).contains("own"));
        let given = granted.provider_tokens.unwrap();
        assert_eq!(given.access_token, tokens.access_token);
        assert_eq!(given.refresh_token, tokens.refresh_token);
        assert!(kept().await.is_empty());
        assert!(auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await.unwrap().provider_tokens.is_none());
        assert_eq!(code(exchange(&auth_code, &verifier).await), "flow_state_not_found");

        let flow = begin().await;
        world.clock.advance(Duration::seconds(300));
        assert_eq!(code(back(&flow).await), "bad_oauth_state");
        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        world.clock.advance(Duration::seconds(300));
        assert_eq!(code(exchange(&auth_code, &verifier).await), "flow_state_expired");
        assert_eq!(flows::clean_up(&world.operator(), world.clock.now()).await.unwrap(), 1);

        // Whoever asked for it before the owner chose another password gets nothing for it after.
        give_password(&world, &maya).await;
        let session = sign_in(&world, &auth, "maya").await;
        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        let change = Change {
            password: Some("another horse battery".to_owned()),
            current_password: Some(PASSWORD.to_owned()),
            ..Change::default()
        };
        let mine = holder(&world, &auth, &session.access_token).await.unwrap();
        auth::update_user(&mine, &auth, &change).await.unwrap();
        assert_eq!(code(exchange(&auth_code, &verifier).await), "flow_state_not_found");

        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        users::suspend(&world.operator(), maya.id, None).await.unwrap();
        assert_eq!(code(exchange(&auth_code, &verifier).await), "user_banned");
        let told = told(&world, "sign_in.failed").await;
        let mut reasons: Vec<_> = told.iter().map(|data| data["reason"].as_str().unwrap()).collect();
        reasons.sort_unstable();
        assert_eq!(reasons, ["account_shut", "too_late", "wrong_verifier"]);
    })
    .await;
}

#[tokio::test]
async fn whoever_is_refused_at_an_account_that_is_known_is_told_of_in_the_log() {
    on_both(async |world: World| {
        let auth = node();
        let (maya, noah) = (person(&world, Role::Employee, "maya").await, person(&world, Role::Employee, "noah").await);
        let origin = |address: &str| domain::Origin {
            address: Some(address.to_owned()),
            user_agent: Some("Firefox".to_owned()),
        };
        let visitor = Ctx { origin: origin("192.0.2.1"), ..world.nobody() };

        // The right password, and an address that is still to be confirmed.
        let olga = person(&world, Role::Employee, "olga").await;
        let mut tx = world.db.begin().await.unwrap();
        let sql = "update users set status = 'pending', awaits_confirmation = true where id = $1";
        tx.sql(sql).bind(olga.id).run().await.unwrap();
        tx.commit().await.unwrap();
        let answer = auth::sign_in(&visitor, &auth, "olga@example.com", PASSWORD).await;
        assert_eq!(code(answer), "email_not_confirmed");
        assert_eq!(refusals(&world, &olga).await, ["password not_confirmed"]);
        // Whoever has the password does not have to wait, and does not fill the log.
        for _ in 0..8 {
            let answer = auth::sign_in(&visitor, &auth, "olga@example.com", PASSWORD).await;
            assert_eq!(code(answer), "email_not_confirmed");
        }
        assert_eq!(refusals(&world, &olga).await, ["password not_confirmed"; 4], "of 1, 2, 4 and 8");
        users::suspend(&world.operator(), olga.id, None).await.unwrap();
        for _ in 0..9 {
            let answer = auth::sign_in(&visitor, &auth, "olga@example.com", PASSWORD).await;
            assert_eq!(code(answer), "user_banned");
        }
        let shut = ["password account_shut"; 4];
        assert_eq!(refusals(&world, &olga).await, [shut, ["password not_confirmed"; 4]].concat());

        // An address that the provider has not verified is somebody's or nobody's, and is answered alike.
        let verifier = "v".repeat(50);
        let challenge = || flows::Challenge::read(&verifier, "plain");
        let to = "http://127.0.0.1:8080/";
        let there = async || identities::begin(&visitor, "google", challenge(), to.to_owned()).await.unwrap();
        let back = async |flow: &flows::Flow, subject: &str, email: &str, email_verified: bool| {
            let arrival = Arrival {
                subject: subject.to_owned(),
                email: Some(email.to_owned()),
                email_verified,
                name: None,
                tokens: None,
            };
            identities::arrive(&visitor, &auth, flow, &arrival).await
        };
        for email in ["maya@example.com", "nobody@example.com"] {
            let answer = back(&there().await, "one", email, false).await;
            assert_eq!(code(answer), "provider_email_needs_verification");
        }
        assert_eq!(refusals(&world, &maya).await, ["oauth unverified_address"]);

        // Hers by now, or by the time that the other comes for it.
        back(&there().await, "one", "maya@example.com", true).await.unwrap();
        let granted = sign_in(&world, &auth, "noah").await;
        let me = Ctx { origin: origin("192.0.2.1"), ..holder(&world, &auth, &granted.access_token).await.unwrap() };
        let linking =
            async || identities::begin_linking(&me, "google", challenge().unwrap(), to.to_owned()).await.unwrap();
        let answer = back(&linking().await, "one", "noah@example.com", true).await;
        assert_eq!(code(answer), "identity_already_exists");
        let late = match back(&linking().await, "two", "noah@example.com", true).await {
            Ok(Landing::Code(given)) => given,
            other => panic!("{other:?}"),
        };
        back(&there().await, "two", "maya@example.com", true).await.unwrap();
        assert_eq!(code(flows::exchange(&visitor, &auth, &late, &verifier).await), "identity_already_exists");
        let twice = ["oauth identity_taken"; 2];
        assert_eq!(refusals(&world, &noah).await, twice);

        // A second factor that is shown from elsewhere, or too late.
        let made = factors::enroll(&me, &auth, Some("Phone"), None).await.unwrap();
        let totp = Builder::new().with_secret(Secret::try_from_base32(&made.secret).unwrap()).build().unwrap();
        let shown = totp.generate(u64::try_from(world.clock.now().timestamp()).unwrap()).to_string();
        let asked = async || factors::challenge(&me, made.factor.id).await.unwrap().id;
        let show = async |ctx: &Ctx, challenge: ChallengeId| {
            factors::verify(ctx, &auth, made.factor.id, challenge, &shown).await
        };
        let first = asked().await;
        let elsewhere = Ctx { origin: origin("192.0.2.2"), ..me.clone() };
        assert_eq!(code(show(&elsewhere, first).await), "mfa_ip_address_mismatch");
        show(&me, first).await.unwrap();
        let late = asked().await;
        world.clock.advance(Duration::seconds(300));
        assert_eq!(code(show(&me, late).await), "mfa_challenge_expired");
        let others = ["totp too_late", "totp wrong_challenge"];
        assert_eq!(refusals(&world, &noah).await, [twice, others].concat());
        for _ in 0..8 {
            assert_eq!(code(show(&me, late).await), "mfa_challenge_expired");
            assert_eq!(code(show(&elsewhere, first).await), "mfa_ip_address_mismatch");
        }
        // The first one from elsewhere was five minutes ago, and counts on.
        let many = [["totp too_late"; 4], ["totp wrong_challenge"; 4]].concat();
        assert_eq!(refusals(&world, &noah).await, [twice.to_vec(), many].concat());
    })
    .await;
}

/// Whoever measures must not learn which addresses have an account. A missing hash is two orders of magnitude.
#[tokio::test]
async fn an_unknown_address_takes_as_long_as_a_wrong_password() {
    let world = World::sqlite().await;
    let auth = node();
    person(&world, Role::Employee, "maya").await;
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..31 {
        for (email, took) in ["maya@example.com", "nobody@example.com"].iter().zip(&mut took) {
            // Beyond every wait.
            world.clock.advance(Duration::days(2));
            let began = std::time::Instant::now();
            assert_eq!(code(auth::sign_in(&world.nobody(), &auth, email, "wrong-wrong").await), "invalid_credentials");
            took.push(began.elapsed());
        }
    }
    let [known, unknown] = took.map(|mut took| {
        took.sort();
        took[took.len() / 2].as_secs_f64()
    });
    assert!((0.5..2.0).contains(&(unknown / known)), "medians {known} s and {unknown} s");
}

#[tokio::test]
async fn of_many_guesses_at_once_only_the_first_few_learn_anything() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let guesses = (0..14).map(|_| async {
            match auth::sign_in(&world.nobody(), &auth, "maya@example.com", "wrong-wrong").await {
                Err(Error::TooMany(_)) => 0,
                other => {
                    assert_eq!(code(other), "invalid_credentials");
                    1
                }
            }
        });
        let answered: i32 = futures::future::join_all(guesses).await.into_iter().sum();
        assert_eq!(answered, 5, "each comes after those before it were counted");
    })
    .await;
}

#[tokio::test]
async fn who_comes_from_where_they_signed_in_before_waits_for_no_guesses_from_elsewhere() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let from = |address: &str| Ctx {
            origin: Origin { address: Some(address.to_owned()), user_agent: None },
            ..world.nobody()
        };
        let tries = async |address: &str, password: &str| {
            auth::sign_in(&from(address), &auth, "maya@example.com", password).await
        };
        tries("2001:db8:1:2::1", PASSWORD).await.expect("signs in");
        activity::sequence_all(&world.operator()).await.expect("numbers");
        for n in 0..55 {
            // As patient as is asked of whoever comes from somewhere new.
            world.clock.advance(Duration::seconds(31));
            let refused = tries(&format!("203.0.113.{n}"), "wrong-wrong").await;
            assert_eq!(code(refused), "invalid_credentials", "{n}");
        }
        let elsewhere = tries("198.51.100.1", PASSWORD).await;
        assert!(matches!(elsewhere, Err(Error::TooMany(_))), "{elsewhere:?}");
        // Another device of the same household.
        tries("2001:db8:1:2:ffff::9", PASSWORD).await.expect("is let in");

        // Whoever guesses at home waits like everybody who guesses from one place.
        let mut judged = 0;
        while let Err(Error::Unauthenticated(_)) = tries("2001:db8:1:2::1", "wrong-wrong").await {
            judged += 1;
        }
        assert_eq!(judged, 5);
        world.clock.advance(Duration::days(91));
        assert!(!auth::is_at_home(&from("2001:db8:1:2::1"), "maya@example.com").await.expect("is told"));
        assert!(!auth::is_at_home(&from("2001:db8:1:2::1"), "nobody@example.com").await.expect("is told"));
    })
    .await;
}

/// Not even the right password, when it was compared before the others were counted.
#[tokio::test]
async fn a_guess_that_is_right_learns_nothing_when_too_many_went_before_it() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let guess = |password: &'static str| {
            let (ctx, auth) = (world.nobody(), auth.clone());
            tokio::spawn(async move { auth::sign_in(&ctx, &auth, "maya@example.com", password).await })
        };
        let wrong = || (0..6).map(|_| guess("wrong-wrong")).collect::<Vec<_>>();
        // All of them wait for their turn to count, in the order in which they came.
        let mut held = world.db.begin().await.unwrap();
        match held.dialect() {
            Dialect::Sqlite => held.sql("select 1"),
            Dialect::Postgres => held.sql("lock table failures in exclusive mode"),
        }
        .run()
        .await
        .unwrap();
        let before = wrong();
        world.until_waiting(before.len()).await;
        let right = guess(PASSWORD);
        world.until_waiting(before.len() + 1).await;
        drop(held);
        let answer = right.await.unwrap();
        assert!(matches!(answer, Err(Error::TooMany(_))), "{answer:?}");
    })
    .await;
}

#[tokio::test]
async fn a_session_that_nobody_uses_ends_and_is_forgotten_later() {
    on_both(async |world: World| {
        let auth = node();
        let user = person(&world, Role::Employee, "maya").await;
        let idle = sign_in(&world, &auth, "maya").await;
        let clean = async || {
            let now = world.clock.now();
            sessions::clean_up(&world.operator(), now - Duration::days(90), now - Duration::days(30)).await.unwrap()
        };
        world.clock.advance(Duration::days(89));
        assert_eq!((clean().await, sessions::list(&world.operator(), user.id).await.unwrap().len()), (0, 1));
        world.clock.advance(Duration::days(2));
        let used = sign_in(&world, &auth, "maya").await;
        assert_eq!(clean().await, 0);
        let live = sessions::list(&world.operator(), user.id).await.unwrap();
        assert_eq!(live.iter().map(|session| session.id).collect::<Vec<_>>(), [used.session.id]);
        assert_eq!(ends(&world).await, [(idle.session.id.to_string(), "expired".to_owned())]);
        let refused = async || auth::refresh(&world.nobody(), &auth, &idle.refresh_token).await;
        assert_eq!(code(refused().await), "refresh_session_expired");
        world.clock.advance(Duration::days(31));
        assert_eq!(clean().await, 1, "gone a month after its end");
        assert_eq!(code(refused().await), "refresh_token_not_found");
    })
    .await;
}

/// The clean-up may be late.
#[tokio::test]
async fn a_session_that_lay_unused_for_too_long_is_not_taken_up_again() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya").await;
        world.clock.advance(sessions::IDLE - Duration::seconds(1));
        let granted = auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await.unwrap();
        world.clock.advance(sessions::IDLE);
        for _ in 0..2 {
            let refused = auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await;
            assert_eq!(code(refused), "refresh_session_expired");
        }
        assert_eq!(ends(&world).await, [(granted.session.id.to_string(), "expired".to_owned())]);

        // Whoever signs out is told what happened, whatever comes later.
        let granted = sign_in(&world, &auth, "maya").await;
        let maya = holder(&world, &auth, &granted.access_token).await.unwrap();
        auth::sign_out(&maya, &auth, Which::Local).await.unwrap();
        world.clock.advance(sessions::IDLE * 2);
        let refused = auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await;
        assert_eq!(code(refused), "refresh_session_not_found");
    })
    .await;
}

#[tokio::test]
async fn of_two_changes_to_the_settings_at_once_neither_is_lost() {
    on_both(async |world: World| {
        let sam = world.super_admin("Sam").await;
        let (brand, phone) = tokio::join!(
            settings::set(&sam, |now| Settings { brand_name: Some("Northern Formations".to_owned()), ..now }),
            settings::set(&sam, |now| Settings { support_phone: Some("+1 555 0100".to_owned()), ..now }),
        );
        brand.unwrap();
        phone.unwrap();
        let now = settings::get(&sam).await.unwrap();
        assert_eq!(now.brand_name.as_deref(), Some("Northern Formations"));
        assert_eq!(now.support_phone.as_deref(), Some("+1 555 0100"));
    })
    .await;
}

//! Sign-in, sessions and sign-out, on both databases.
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::Duration;
use domain::{
    Ctx, Error, Origin,
    accounts::{
        auth::{
            self, Auth, Keys, MailRequestKind, Purpose, RedirectContext, SignOutScope, TokenGrant, UpdateAccount,
            VerificationInput, VerifyOutcome, factors, flows,
            identities::{self, CallbackOutcome, ProviderClaims, ProviderTokens},
            links::{self, LinkKind},
            mail_request,
            passwords::{self, PasswordHash},
            sessions,
        },
        users::{self, NewUser, Status, User},
    },
    desk::people,
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

/// An active user with a password.
async fn person(world: &World, role: Role, first: &str) -> User {
    let user = world.user(role, first, None, None).await;
    set_password(world, &user).await;
    user
}

async fn set_password(world: &World, user: &User) {
    let hash = passwords::hash(&world.operator(), PASSWORD).await.expect("hashes");
    let mut tx = world.db.begin().await.expect("begins");
    users::set_password_hash(&mut tx, user.id, &hash, false).await.expect("works");
    tx.commit().await.expect("commits");
}

async fn sign_in(world: &World, auth: &Auth, first: &str) -> TokenGrant {
    auth::sign_in(&world.anonymous(), auth, &format!("{first}@example.com"), PASSWORD).await.expect("works")
}

/// The context of an access token.
async fn ctx_of_token(world: &World, auth: &Auth, token: &str) -> Result<Ctx, Error> {
    let who = auth::authenticate(auth, &world.db, &world.options, world.clock.now(), token).await?;
    Ok(world.as_actor(domain::Actor::User(who)))
}

async fn link(world: &World, user: &User, kind: LinkKind) -> (String, String) {
    let mut tx = world.db.begin().await.expect("begins");
    let made = links::issue(&mut tx, &world.operator(), user.id, &user.email, kind).await.expect("works");
    tx.commit().await.expect("commits");
    let token = made.url.split("token_hash=").nth(1).expect("works").split('&').next().expect("works").to_owned();
    (token, made.code)
}

/// Verifies a link or code and returns the session.
async fn verify(world: &World, auth: &Auth, input: VerificationInput) -> Result<TokenGrant, Error> {
    match people::verify(&world.anonymous(), auth, Purpose::Recovery, &input, false).await? {
        VerifyOutcome::Session(granted) => Ok(*granted),
        other => panic!("{other:?}"),
    }
}

async fn logged(world: &World, action: &str) -> Vec<serde_json::Value> {
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

/// Ended sessions with their reasons.
async fn session_ends(world: &World) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().expect("works").to_owned();
    let entries = logged(world, "session.ended").await;
    entries.iter().map(|data| (text(&data["session_id"]), text(&data["reason"]))).collect()
}

/// Refused sign-ins of an account from the log: method and reason.
async fn refusals(world: &World, whose: &User) -> Vec<String> {
    let mut db = world.db.clone();
    let sql = "select cast(data as text) from activity where action = 'sign_in.failed' and subject_id = $1 \
         and address is not null and user_agent is not null";
    let rows: Vec<(String,)> = db.sql(sql).bind(whose.id).all().await.expect("works");
    let mut entries: Vec<String> = rows
        .into_iter()
        .map(|(data,)| {
            let data: serde_json::Value = serde_json::from_str(&data).expect("works");
            format!("{} {}", data["method"].as_str().expect("works"), data["reason"].as_str().expect("works"))
        })
        .collect();
    entries.sort();
    entries
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    match result.expect_err("is refused") {
        Error::Unauthenticated(p) | Error::Conflict(p) | Error::Forbidden(p) => p.code,
        Error::Invalid(fields) => fields[0].problem.code,
        Error::NotFound(_) => "not_found",
        other => panic!("{other:?}"),
    }
}

/// Of demo mode, in which the tests run.
const MAX_IDLE: Duration = Duration::days(90);

#[tokio::test]
async fn sign_in_ignores_the_case_of_the_address() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let granted = auth::sign_in(&world.anonymous(), &auth, " MAYA@Example.com ", PASSWORD).await.unwrap();
        let ctx = ctx_of_token(&world, &auth, &granted.access_token).await.unwrap();
        assert_eq!(ctx.actor.user_id(), Some(maya.id));
        assert_eq!(granted.expires_in, 900);
        assert!(users::get(&ctx, maya.id).await.unwrap().last_sign_in_at.is_some());
        let started = logged(&world, "session.started").await;
        assert_eq!(started[0]["session_id"], granted.session.id.to_string());

        world.clock.advance(Duration::seconds(901));
        assert_eq!(code(ctx_of_token(&world, &auth, &granted.access_token).await), "bad_jwt");
    })
    .await;
}

#[tokio::test]
async fn restored_account_signs_in_with_its_password() {
    on_both(async |world: World| {
        let (auth, op) = (node(), world.operator());
        let company = world.company("Harbor").await;
        let maya = person(&world, Role::Employee, "maya").await;
        users::suspend(&op, maya.id, None).await.unwrap();
        users::archive(&op, maya.id, None).await.unwrap();
        assert_eq!(users::restore(&op, maya.id, None).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "maya").await;

        let clara = world.user(Role::Client, "clara", Some(company), None).await;
        set_password(&world, &clara).await;
        clients::archive(&op, clara.id, None).await.unwrap();
        assert_eq!(clients::restore(&op, clara.id, None).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "clara").await;

        let cora = world.company_admin("cora", company).await;
        let dora = world.user(Role::CompanyAdmin, "dora", Some(company), None).await;
        set_password(&world, &dora).await;
        companies::remove_member(&cora, dora.id).await.unwrap();
        assert_eq!(companies::restore_member(&cora, dora.id).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "dora").await;
    })
    .await;
}

#[tokio::test]
async fn restored_pending_account_is_pending_again() {
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

        // Unless a password was set meanwhile.
        users::suspend(&op, quinn, None).await.unwrap();
        let given = auth::admin::Update { password: Some(PASSWORD.to_owned()), ..Default::default() };
        let shut = people::update_by_admin(&op, &auth, quinn, given).await.unwrap();
        assert_eq!(shut.status, Status::Suspended);
        assert_eq!(users::restore(&op, quinn, None).await.unwrap().status, Status::Active);
        sign_in(&world, &auth, "quinn").await;
    })
    .await;
}

#[tokio::test]
async fn outdated_hash_parameters_are_rehashed_at_sign_in() {
    for params in [(8_192, 1, 1), (passwords::MEMORY_KIB + 8, passwords::PASSES, 2)] {
        assert_rehashed(params).await;
    }
}

async fn assert_rehashed((memory, passes, lanes): (u32, u32, u32)) {
    use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
    on_both(async |world: World| {
        let auth = node();
        let maya = world.user(Role::Employee, "maya", None, None).await;
        let other = Params::new(memory, passes, lanes, None).unwrap();
        let old = Argon2::new(Algorithm::Argon2id, Version::V0x13, other).hash_password(PASSWORD.as_bytes()).unwrap();
        let imported = PasswordHash::imported(&old.to_string()).unwrap();
        let mut tx = world.db.begin().await.unwrap();
        users::set_password_hash(&mut tx, maya.id, &imported, true).await.unwrap();
        tx.commit().await.unwrap();
        let kept = async || -> String {
            let mut db = world.db.clone();
            db.sql("select password_hash from users where id = $1").bind(maya.id).scalar().await.unwrap()
        };
        // A wrong password changes nothing.
        let wrong = auth::sign_in(&world.anonymous(), &auth, "maya@example.com", "wrong-wrong").await;
        assert_eq!((code(wrong), kept().await), ("invalid_credentials", old.to_string()));

        let granted = sign_in(&world, &auth, "maya").await;
        let new = kept().await;
        let today =
            format!("$argon2id$v=19$m={},t={},p={}$", passwords::MEMORY_KIB, passwords::PASSES, passwords::LANES);
        assert!(new.starts_with(&today), "{new}");
        let ctx = ctx_of_token(&world, &auth, &granted.access_token).await.unwrap();
        assert_eq!(ctx.actor.user_id(), Some(maya.id));
        assert!(granted.user.must_change_password, "the password must still be changed");
        auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await.unwrap();
        // Rehashed once only.
        sign_in(&world, &auth, "maya").await;
        assert_eq!(kept().await, new);
    })
    .await;
}

#[tokio::test]
async fn failed_sign_ins_do_not_reveal_accounts() {
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
            let answer = auth::sign_in(&world.anonymous(), &auth, email, password).await;
            assert_eq!(code(answer), "invalid_credentials", "{email} {password}");
        }
    })
    .await;
}

#[tokio::test]
async fn suspended_account_is_revealed_after_the_right_password_only() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let before = sign_in(&world, &auth, "maya").await;
        users::suspend(&world.operator(), maya.id, None).await.unwrap();
        let try_with =
            async |password: &str| code(auth::sign_in(&world.anonymous(), &auth, "maya@example.com", password).await);
        assert_eq!(try_with("wrong").await, "invalid_credentials");
        assert_eq!(try_with(PASSWORD).await, "user_banned");
        assert_eq!(
            code(auth::refresh(&world.anonymous(), &auth, &before.refresh_token).await),
            "refresh_session_not_found"
        );
        let (token, _) = link(&world, &maya, LinkKind::Recovery).await;
        assert_eq!(code(verify(&world, &auth, VerificationInput::Token(token)).await), "user_banned");

        users::restore(&world.operator(), maya.id, None).await.unwrap();
        sign_in(&world, &auth, "maya").await;
        users::archive(&world.operator(), maya.id, None).await.unwrap();
        assert_eq!(try_with(PASSWORD).await, "user_banned");
    })
    .await;
}

#[tokio::test]
async fn archiving_a_company_or_iso_ends_its_sessions() {
    on_both(async |world: World| {
        let auth = node();
        let company = world.company("Harbor").await;
        let (iso, iso_ctx) = world.iso("ivan", company).await;
        let iso_user = users::get(&iso_ctx, iso_ctx.actor.user_id().unwrap()).await.unwrap();
        let (client, _, client_ctx) = world.client("clara", company, Some(iso)).await;
        let client_user = users::get(&client_ctx, client).await.unwrap();
        set_password(&world, &iso_user).await;
        set_password(&world, &client_user).await;
        let (ivan, clara) = (sign_in(&world, &auth, "ivan").await, sign_in(&world, &auth, "clara").await);

        domain::directory::isos::archive(&world.operator(), iso, None).await.unwrap();
        assert_eq!(code(ctx_of_token(&world, &node(), &ivan.access_token).await), "session_not_found");
        assert_eq!(code(auth::sign_in(&world.anonymous(), &auth, "ivan@example.com", PASSWORD).await), "user_banned");
        assert!(
            ctx_of_token(&world, &node(), &clara.access_token).await.is_ok(),
            "clients of an archived ISO stay active"
        );

        domain::directory::companies::archive(&world.operator(), company, None).await.unwrap();
        assert_eq!(code(ctx_of_token(&world, &node(), &clara.access_token).await), "session_not_found");
        assert_eq!(code(auth::sign_in(&world.anonymous(), &auth, "clara@example.com", PASSWORD).await), "user_banned");
    })
    .await;
}

#[tokio::test]
async fn refresh_rotates_and_a_replayed_token_ends_the_session() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let refresh = async |token: &str| auth::refresh(&world.anonymous(), &auth, token).await;
        let first = sign_in(&world, &auth, "maya").await;
        let second = refresh(&first.refresh_token).await.unwrap();
        assert_ne!(first.refresh_token, second.refresh_token);
        assert_eq!(first.session.id, second.session.id);

        // The previous token stays valid as long as the session may idle.
        world.clock.advance(MAX_IDLE - Duration::seconds(1));
        assert_eq!(refresh(&first.refresh_token).await.unwrap().refresh_token, second.refresh_token);

        let third = refresh(&second.refresh_token).await.unwrap();
        world.clock.advance(Duration::seconds(10));
        assert_eq!(
            refresh(&first.refresh_token).await.unwrap().refresh_token,
            third.refresh_token,
            "within ten seconds"
        );
        world.clock.advance(Duration::seconds(1));
        let ctx = ctx_of_token(&world, &auth, &third.access_token).await.unwrap();
        assert_eq!(sessions::list(&ctx, third.user.id).await.unwrap().len(), 1);
        assert_eq!(code(refresh(&first.refresh_token).await), "refresh_token_already_used");
        assert_eq!(code(refresh(&third.refresh_token).await), "refresh_session_not_found");
        assert_eq!(code(ctx_of_token(&world, &auth, &third.access_token).await), "session_not_found");
        assert_eq!(logged(&world, "session.ended").await[0]["reason"], "refresh_token_reused");

        assert_eq!(code(refresh("nonsense").await), "refresh_token_not_valid");
        let stranger = Keys::for_tests().refresh_token(domain::kernel::ids::SessionId(world.random.uuid()), 0);
        assert_eq!(code(refresh(&stranger).await), "refresh_token_not_found");
    })
    .await;
}

#[tokio::test]
async fn concurrent_refreshes_keep_the_session() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let first = sign_in(&world, &auth, "maya").await;
        let tabs = (0..100).map(|_| {
            let (ctx, auth, token) = (world.anonymous(), auth.clone(), first.refresh_token.clone());
            tokio::spawn(async move { auth::refresh(&ctx, &auth, &token).await })
        });
        let mut answers = std::collections::BTreeSet::new();
        for tab in tabs.collect::<Vec<_>>() {
            answers.insert(tab.await.unwrap().unwrap().refresh_token);
        }
        assert_eq!(answers.len(), 1, "all got the same active token");
        let active = answers.pop_first().unwrap();
        auth::refresh(&world.anonymous(), &auth, &active).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn consumed_link_revokes_the_other_links() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let (one, code_of_one) = link(&world, &maya, LinkKind::Invite).await;
        let (two, _) = link(&world, &maya, LinkKind::Recovery).await;
        let verify = async |input: VerificationInput| verify(&world, &auth, input).await;
        let granted = verify(VerificationInput::Token(one.clone())).await.unwrap();
        assert_eq!(granted.user.id, maya.id);
        assert_eq!(granted.session.amr[0].method, "otp");
        for used in [one, two] {
            assert_eq!(code(verify(VerificationInput::Token(used)).await), "otp_expired");
        }
        let by_code = VerificationInput::Code { email: maya.email.clone(), code: code_of_one };
        assert_eq!(code(verify(by_code).await), "otp_expired");

        let (late, _) = link(&world, &maya, LinkKind::Recovery).await;
        let (day, _) = link(&world, &maya, LinkKind::Invite).await;
        world.clock.advance(Duration::minutes(61));
        assert_eq!(code(verify(VerificationInput::Token(late)).await), "otp_expired");
        verify(VerificationInput::Token(day.clone())).await.unwrap();
        // Outdated links are logged at powers of two, unknown ones never.
        for _ in 0..9 {
            assert_eq!(code(verify(VerificationInput::Token(day.clone())).await), "otp_expired");
        }
        assert_eq!(code(verify(VerificationInput::Token("never a link".to_owned())).await), "otp_expired");
        let entries = logged(&world, "sign_in.failed").await;
        let mut reasons: Vec<_> = entries.iter().map(|data| data["reason"].as_str().unwrap()).collect();
        reasons.sort_unstable();
        let used = ["link_used"; 6];
        assert_eq!(reasons, [["link_expired"].as_slice(), &used, &["wrong_mailed_code"]].concat());
        world.clock.advance(Duration::days(2));
        assert!(links::clean_up(&world.operator(), world.clock.now()).await.unwrap() >= 4);
    })
    .await;
}

#[tokio::test]
async fn concurrent_use_of_a_link_succeeds_once() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let (token, _) = link(&world, &maya, LinkKind::Recovery).await;
        let attempts = (0..10).map(|_| {
            let (ctx, auth, input) = (world.anonymous(), auth.clone(), VerificationInput::Token(token.clone()));
            tokio::spawn(async move { people::verify(&ctx, &auth, Purpose::Recovery, &input, false).await.is_ok() })
        });
        let mut entered = 0;
        for attempt in attempts.collect::<Vec<_>>() {
            entered += usize::from(attempt.await.unwrap());
        }
        assert_eq!(entered, 1);
    })
    .await;
}

#[tokio::test]
async fn only_the_newest_mailed_code_is_valid() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let with = async |code: &str| {
            let input = VerificationInput::Code { email: maya.email.clone(), code: code.to_owned() };
            verify(&world, &auth, input).await
        };
        let (token, old) = link(&world, &maya, LinkKind::Recovery).await;
        world.clock.advance(Duration::minutes(1));
        let (_, new) = link(&world, &maya, LinkKind::Recovery).await;
        if old != new {
            assert_eq!(code(with(&old).await), "otp_expired");
        }
        with(&new).await.unwrap();
        assert_eq!(code(verify(&world, &auth, VerificationInput::Token(token)).await), "otp_expired");
    })
    .await;
}

#[tokio::test]
async fn mailed_codes_are_refused_after_ten_wrong_ones() {
    on_both(async |world: World| {
        let (auth, maya) = (node(), person(&world, Role::Employee, "maya").await);
        let with = async |email: &str, code: &str| {
            let input = VerificationInput::Code { email: email.to_owned(), code: code.to_owned() };
            verify(&world, &auth, input).await
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
        assert!(matches!(too_soon, Err(Error::RateLimited(1))), "{too_soon:?}");
        world.clock.advance(Duration::seconds(1));
        assert_eq!(code(with("maya@example.com", &right).await), "otp_expired", "the right code comes too late");
        world.clock.advance(Duration::seconds(2));
        let (_, fresh) = link(&world, &maya, LinkKind::Recovery).await;
        assert_eq!(
            code(with("maya@example.com", &fresh).await),
            "otp_expired",
            "a new mail does not reset the failures"
        );
        // The link is not throttled; unknown addresses get the same response.
        verify(&world, &auth, VerificationInput::Token(token)).await.unwrap();
        for n in 0..12 {
            let answer = with("nobody@example.com", "123456").await;
            // One wrong code was counted above.
            if n < 9 {
                assert_eq!(code(answer), "otp_expired", "{n}");
            } else {
                assert!(matches!(answer, Err(Error::RateLimited(1))), "{n} {answer:?}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn new_password_activates_and_ends_other_sessions_and_links() {
    on_both(async |world: World| {
        let auth = node();
        let mut tx = world.db.begin().await.unwrap();
        let new = NewUser {
            must_change_password: true,
            ..NewUser::new(Role::Employee, "Maya".to_owned(), "Ortiz".to_owned(), "maya@example.com".to_owned())
        };
        let maya = users::insert(&mut tx, &world.operator(), new).await.unwrap();
        tx.commit().await.unwrap();
        let (token, _) = link(&world, &maya, LinkKind::Invite).await;
        let invited = verify(&world, &auth, VerificationInput::Token(token)).await.unwrap();
        let me = ctx_of_token(&world, &auth, &invited.access_token).await.unwrap();
        let set = async |ctx: &Ctx, password: &str| {
            let change = UpdateAccount { password: Some(password.to_owned()), ..UpdateAccount::default() };
            auth::update_user(ctx, &auth, &change).await
        };
        assert_eq!(code(set(&me, "short").await), "weak_password");
        assert_eq!(code(set(&me, "maya@example.com").await), "weak_password");
        assert_eq!(code(set(&me, &"x1".repeat(65)).await), "too_long");
        let changed = set(&me, PASSWORD).await.unwrap();
        assert_eq!((changed.status, changed.must_change_password), (Status::Active, false));
        assert_eq!(code(set(&me, PASSWORD).await), "same_password");

        let elsewhere = sign_in(&world, &auth, "maya").await;
        assert!(ctx_of_token(&world, &auth, &elsewhere.access_token).await.is_ok());
        let (pending, _) = link(&world, &maya, LinkKind::Recovery).await;
        let guess = UpdateAccount {
            password: Some("another good one".to_owned()),
            current_password: Some("guess".to_owned()),
            ..UpdateAccount::default()
        };
        assert_eq!(code(auth::update_user(&me, &auth, &guess).await), "current_password_invalid");
        set(&me, "another good one").await.unwrap();
        assert!(ctx_of_token(&world, &auth, &invited.access_token).await.is_ok(), "the current session continues");
        assert_eq!(code(ctx_of_token(&world, &auth, &elsewhere.access_token).await), "session_not_found");
        assert_eq!(code(verify(&world, &auth, VerificationInput::Token(pending)).await), "otp_expired");
        assert_eq!(
            code(auth::sign_in(&world.anonymous(), &auth, "maya@example.com", PASSWORD).await),
            "invalid_credentials"
        );
        assert_eq!(logged(&world, "user.password_changed").await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn sign_out_ends_the_sessions_of_its_scope() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let (a, b, c) = (
            sign_in(&world, &auth, "maya").await,
            sign_in(&world, &auth, "maya").await,
            sign_in(&world, &auth, "maya").await,
        );
        let live = async |granted: &TokenGrant| ctx_of_token(&world, &auth, &granted.access_token).await.is_ok();
        let ctx = ctx_of_token(&world, &auth, &a.access_token).await.unwrap();
        assert!(live(&b).await && live(&c).await);
        auth::sign_out(&ctx_of_token(&world, &auth, &b.access_token).await.unwrap(), &auth, SignOutScope::Local)
            .await
            .unwrap();
        assert!(live(&a).await && !live(&b).await && live(&c).await);
        auth::sign_out(&ctx, &auth, SignOutScope::Others).await.unwrap();
        assert!(live(&a).await && !live(&c).await);
        auth::sign_out(&ctx, &auth, SignOutScope::Global).await.unwrap();
        assert!(!live(&a).await);
        assert_eq!(logged(&world, "session.ended").await.len(), 3);

        let other = sign_in(&world, &auth, "maya").await;
        person(&world, Role::Employee, "noah").await;
        let noah = sign_in(&world, &auth, "noah").await;
        let noah = ctx_of_token(&world, &auth, &noah.access_token).await.unwrap();
        assert_eq!(code(sessions::end(&noah, other.session.id).await), "not_found", "sessions of others are not found");
        sessions::end(&ctx_of_token(&world, &auth, &other.access_token).await.unwrap(), other.session.id)
            .await
            .unwrap();
        assert_eq!(code(ctx_of_token(&world, &node(), &other.access_token).await), "session_not_found");
    })
    .await;
}

#[tokio::test]
async fn ended_session_is_refused_by_other_nodes_within_a_second() {
    on_both(async |world: World| {
        let (here, there) = (node(), node());
        let (feed, _) = broadcast::channel(64);
        let memory = there.token_cache.clone();
        let following = tokio::spawn(activity_feed::run(world.operator(), feed, move |event| memory.forget(event)));
        let maya = person(&world, Role::Employee, "maya").await;
        let refused_within_a_second = async |token: &str, why: &str| {
            for _ in 0..20 {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                if let Err(e) = ctx_of_token(&world, &there, token).await {
                    return assert_eq!(code::<Ctx>(Err(e)), "session_not_found", "{why}");
                }
            }
            panic!("{why}: still accepted after a second");
        };
        let granted = sign_in(&world, &here, "maya").await;
        let ctx = ctx_of_token(&world, &here, &granted.access_token).await.unwrap();
        assert!(ctx_of_token(&world, &there, &granted.access_token).await.is_ok());
        auth::sign_out(&ctx, &here, SignOutScope::Local).await.unwrap();
        assert!(
            ctx_of_token(&world, &here, &granted.access_token).await.is_err(),
            "immediately on the node of the sign-out"
        );
        refused_within_a_second(&granted.access_token, "signed out").await;

        let granted = sign_in(&world, &here, "maya").await;
        assert!(ctx_of_token(&world, &there, &granted.access_token).await.is_ok());
        people::set_role(&world.operator(), maya.id, Role::SuperAdmin, None, None, None).await.unwrap();
        refused_within_a_second(&granted.access_token, "role changed").await;
        following.abort();
    })
    .await;
}

#[tokio::test]
async fn cached_token_needs_no_database() {
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
    assert!(matches!(unknown, Err(Error::Unavailable(_))), "an uncached token needs the database");
}

#[tokio::test]
async fn token_with_another_users_session_is_refused() {
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
            (serde_json::json!({ "sub": world.random.uuid(), "session_id": id, "exp": exp }), "user_not_found"),
        ] {
            assert_eq!(code(ctx_of_token(&world, &auth, &forged(claims.clone())).await), refusal, "{claims}");
        }
    })
    .await;
}

#[tokio::test]
async fn recovery_mails_have_a_cooldown_and_need_an_open_account() {
    on_both(async |world: World| {
        let maya = person(&world, Role::Employee, "maya").await;
        let mails = async || -> i64 {
            world.db.clone().sql("select count(*) from mails where kind = 'recovery'").scalar().await.unwrap()
        };
        // The request and its job.
        let ask = async |email: &str| {
            auth::request_mail(&world.anonymous(), MailRequestKind::Recovery, email, RedirectContext::default())
                .await?;
            let job = mail_request::SendAuthMailJob {
                kind: MailRequestKind::Recovery,
                email: email.to_owned(),
                redirect: RedirectContext::default(),
                origin: domain::Origin { address: Some("192.0.2.1".to_owned()), user_agent: None },
            };
            mail_request::handle_mail_request(&world.as_actor(domain::Actor::System("mails")), &job).await
        };
        ask("nobody@example.com").await.unwrap();
        assert_eq!(mails().await, 0);
        assert_eq!(code(ask("nobody@example.com").await), "over_email_send_rate_limit", "as for a known address");
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
        assert_eq!(logged(&world, "user.link_asked").await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn pkce_code_is_exchanged_once_with_its_verifier() {
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
            let new = flows::CreateFlow {
                method: "oauth",
                challenge: flows::Challenge::read(&verifier, "plain"),
                redirect_to: "http://127.0.0.1:8080/".to_owned(),
                ..flows::CreateFlow::default()
            };
            let flow = flows::create(&mut tx, &world.anonymous(), new).await.unwrap();
            tx.commit().await.unwrap();
            flow
        };
        let back = async |flow: &flows::Flow| {
            let mut tx = world.db.begin().await.unwrap();
            let flow = flows::consume(&mut tx, &world.anonymous(), flow.id).await?;
            let code = flows::issue_code(&mut tx, &world.anonymous(), &flow, maya.id, Some(&tokens)).await.unwrap();
            tx.commit().await.unwrap();
            Ok::<_, Error>(code)
        };
        let exchange = async |auth_code: &str, verifier: &str| {
            flows::exchange(&world.anonymous(), &auth, auth_code, verifier).await
        };

        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        assert_eq!(code(back(&flow).await), "flow_state_already_used");
        assert_eq!(code(exchange("unknown", &verifier).await), "flow_state_not_found");
        assert_eq!(code(exchange(&auth_code, "wrong").await), "bad_code_verifier");
        // The provider's tokens are stored encrypted under the code.
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
        assert!(
            auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await.unwrap().provider_tokens.is_none()
        );
        assert_eq!(code(exchange(&auth_code, &verifier).await), "flow_state_not_found");

        let flow = begin().await;
        world.clock.advance(Duration::seconds(300));
        assert_eq!(code(back(&flow).await), "bad_oauth_state");
        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        world.clock.advance(Duration::seconds(300));
        assert_eq!(code(exchange(&auth_code, &verifier).await), "flow_state_expired");
        assert_eq!(flows::clean_up(&world.operator(), world.clock.now()).await.unwrap(), 1);

        // A password change revokes issued codes.
        set_password(&world, &maya).await;
        let session = sign_in(&world, &auth, "maya").await;
        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        let change = UpdateAccount {
            password: Some("another horse battery".to_owned()),
            current_password: Some(PASSWORD.to_owned()),
            ..UpdateAccount::default()
        };
        let mine = ctx_of_token(&world, &auth, &session.access_token).await.unwrap();
        auth::update_user(&mine, &auth, &change).await.unwrap();
        assert_eq!(code(exchange(&auth_code, &verifier).await), "flow_state_not_found");

        let flow = begin().await;
        let auth_code = back(&flow).await.unwrap();
        users::suspend(&world.operator(), maya.id, None).await.unwrap();
        assert_eq!(code(exchange(&auth_code, &verifier).await), "user_banned");
        let entries = logged(&world, "sign_in.failed").await;
        let mut reasons: Vec<_> = entries.iter().map(|data| data["reason"].as_str().unwrap()).collect();
        reasons.sort_unstable();
        assert_eq!(reasons, ["account_shut", "too_late", "wrong_verifier"]);
    })
    .await;
}

#[tokio::test]
async fn refused_sign_ins_of_known_accounts_are_logged() {
    on_both(async |world: World| {
        let auth = node();
        let (maya, noah) = (person(&world, Role::Employee, "maya").await, person(&world, Role::Employee, "noah").await);
        let origin = |address: &str| domain::Origin {
            address: Some(address.to_owned()),
            user_agent: Some("Firefox".to_owned()),
        };
        let visitor = Ctx { origin: origin("192.0.2.1"), ..world.anonymous() };

        // The right password of an account with an unconfirmed address.
        let olga = person(&world, Role::Employee, "olga").await;
        let mut tx = world.db.begin().await.unwrap();
        let sql = "update users set status = 'pending', awaits_confirmation = true where id = $1";
        tx.sql(sql).bind(olga.id).run().await.unwrap();
        tx.commit().await.unwrap();
        let answer = auth::sign_in(&visitor, &auth, "olga@example.com", PASSWORD).await;
        assert_eq!(code(answer), "email_not_confirmed");
        assert_eq!(refusals(&world, &olga).await, ["password not_confirmed"]);
        // With the right password there is no delay, and the log is sampled.
        for _ in 0..8 {
            let answer = auth::sign_in(&visitor, &auth, "olga@example.com", PASSWORD).await;
            assert_eq!(code(answer), "email_not_confirmed");
        }
        assert_eq!(refusals(&world, &olga).await, ["password not_confirmed"; 4], "logged at 1, 2, 4 and 8");
        users::suspend(&world.operator(), olga.id, None).await.unwrap();
        for _ in 0..9 {
            let answer = auth::sign_in(&visitor, &auth, "olga@example.com", PASSWORD).await;
            assert_eq!(code(answer), "user_banned");
        }
        let shut = ["password account_shut"; 4];
        assert_eq!(refusals(&world, &olga).await, [shut, ["password not_confirmed"; 4]].concat());

        // Unverified addresses get the same response, known or not.
        let verifier = "v".repeat(50);
        let challenge = || flows::Challenge::read(&verifier, "plain");
        let to = "http://127.0.0.1:8080/";
        let there = async || identities::start_sign_in(&visitor, "google", challenge(), to.to_owned()).await.unwrap();
        let back = async |flow: &flows::Flow, subject: &str, email: &str, email_verified: bool| {
            let arrival = ProviderClaims {
                subject: subject.to_owned(),
                email: Some(email.to_owned()),
                email_verified,
                name: None,
                tokens: None,
            };
            people::sign_in_with_provider(&visitor, &auth, flow, &arrival).await
        };
        for email in ["maya@example.com", "nobody@example.com"] {
            let answer = back(&there().await, "one", email, false).await;
            assert_eq!(code(answer), "provider_email_needs_verification");
        }
        assert_eq!(refusals(&world, &maya).await, ["oauth unverified_address"]);

        // Linked by now, or before the other flow completes.
        back(&there().await, "one", "maya@example.com", true).await.unwrap();
        let granted = sign_in(&world, &auth, "noah").await;
        let me =
            Ctx { origin: origin("192.0.2.1"), ..ctx_of_token(&world, &auth, &granted.access_token).await.unwrap() };
        let linking =
            async || identities::start_linking(&me, "google", challenge().unwrap(), to.to_owned()).await.unwrap();
        let answer = back(&linking().await, "one", "noah@example.com", true).await;
        assert_eq!(code(answer), "identity_already_exists");
        let late = match back(&linking().await, "two", "noah@example.com", true).await {
            Ok(CallbackOutcome::Code(given)) => given,
            other => panic!("{other:?}"),
        };
        back(&there().await, "two", "maya@example.com", true).await.unwrap();
        assert_eq!(code(flows::exchange(&visitor, &auth, &late, &verifier).await), "identity_already_exists");
        let twice = ["oauth identity_taken"; 2];
        assert_eq!(refusals(&world, &noah).await, twice);

        // A second factor from another address, or too late.
        let made = factors::enroll(&me, &auth, Some("Phone"), None).await.unwrap();
        let totp = Builder::new().with_secret(Secret::try_from_base32(&made.secret).unwrap()).build().unwrap();
        let shown = totp.generate(u64::try_from(world.clock.now().timestamp()).unwrap()).to_string();
        let new_challenge = async || factors::challenge(&me, made.factor.id).await.unwrap().id;
        let show = async |ctx: &Ctx, challenge: ChallengeId| {
            factors::verify(ctx, &auth, made.factor.id, challenge, &shown).await
        };
        let first = new_challenge().await;
        let elsewhere = Ctx { origin: origin("192.0.2.2"), ..me.clone() };
        assert_eq!(code(show(&elsewhere, first).await), "mfa_ip_address_mismatch");
        show(&me, first).await.unwrap();
        let late = new_challenge().await;
        world.clock.advance(Duration::seconds(300));
        assert_eq!(code(show(&me, late).await), "mfa_challenge_expired");
        let others = ["totp too_late", "totp wrong_challenge"];
        assert_eq!(refusals(&world, &noah).await, [twice, others].concat());
        for _ in 0..8 {
            assert_eq!(code(show(&me, late).await), "mfa_challenge_expired");
            assert_eq!(code(show(&elsewhere, first).await), "mfa_ip_address_mismatch");
        }
        // The first refusal from elsewhere was five minutes ago and still counts.
        let many = [["totp too_late"; 4], ["totp wrong_challenge"; 4]].concat();
        assert_eq!(refusals(&world, &noah).await, [twice.to_vec(), many].concat());
    })
    .await;
}

/// Timing must not reveal accounts. A missing hash would be two orders of magnitude faster.
#[tokio::test]
async fn unknown_address_takes_as_long_as_a_wrong_password() {
    let world = World::sqlite().await;
    let auth = node();
    person(&world, Role::Employee, "maya").await;
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..31 {
        for (email, took) in ["maya@example.com", "nobody@example.com"].iter().zip(&mut took) {
            // Past every delay.
            world.clock.advance(Duration::days(2));
            let began = std::time::Instant::now();
            assert_eq!(
                code(auth::sign_in(&world.anonymous(), &auth, email, "wrong-wrong").await),
                "invalid_credentials"
            );
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
async fn concurrent_guesses_are_throttled() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let guesses = (0..14).map(|_| async {
            match auth::sign_in(&world.anonymous(), &auth, "maya@example.com", "wrong-wrong").await {
                Err(Error::RateLimited(_)) => 0,
                other => {
                    assert_eq!(code(other), "invalid_credentials");
                    1
                }
            }
        });
        let answered: i32 = futures::future::join_all(guesses).await.into_iter().sum();
        assert_eq!(answered, 5, "attempts are counted one after the other");
    })
    .await;
}

#[tokio::test]
async fn known_location_is_not_throttled_by_failures_elsewhere() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let from = |address: &str| Ctx {
            origin: Origin { address: Some(address.to_owned()), user_agent: None },
            ..world.anonymous()
        };
        let attempts = async |address: &str, password: &str| {
            auth::sign_in(&from(address), &auth, "maya@example.com", password).await
        };
        attempts("2001:db8:1:2::1", PASSWORD).await.expect("signs in");
        activity::sequence_all(&world.operator()).await.expect("sequences");
        for n in 0..55 {
            // Past the delay at unknown locations.
            world.clock.advance(Duration::seconds(31));
            let refused = attempts(&format!("203.0.113.{n}"), "wrong-wrong").await;
            assert_eq!(code(refused), "invalid_credentials", "{n}");
        }
        let elsewhere = attempts("198.51.100.1", PASSWORD).await;
        assert!(matches!(elsewhere, Err(Error::RateLimited(_))), "{elsewhere:?}");
        // Another device in the same /64.
        attempts("2001:db8:1:2:ffff::9", PASSWORD).await.expect("signs in");

        // At a known location guesses are throttled like anywhere.
        let mut verified = 0;
        while let Err(Error::Unauthenticated(_)) = attempts("2001:db8:1:2::1", "wrong-wrong").await {
            verified += 1;
        }
        assert_eq!(verified, 5);
        world.clock.advance(Duration::days(91));
        assert!(!auth::is_known_location(&from("2001:db8:1:2::1"), "maya@example.com").await.expect("is known"));
        assert!(!auth::is_known_location(&from("2001:db8:1:2::1"), "nobody@example.com").await.expect("is known"));
    })
    .await;
}

/// Applies to the right password too, when it was compared before the others were counted.
#[tokio::test]
async fn correct_guess_is_throttled_like_wrong_ones() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let guess = |password: &'static str| {
            let (ctx, auth) = (world.anonymous(), auth.clone());
            tokio::spawn(async move { auth::sign_in(&ctx, &auth, "maya@example.com", password).await })
        };
        let wrong = || (0..6).map(|_| guess("wrong-wrong")).collect::<Vec<_>>();
        // All wait for the lock, in order.
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
        assert!(matches!(answer, Err(Error::RateLimited(_))), "{answer:?}");
    })
    .await;
}

#[tokio::test]
async fn idle_sessions_end_and_are_deleted_later() {
    on_both(async |world: World| {
        let auth = node();
        let user = person(&world, Role::Employee, "maya").await;
        let idle = sign_in(&world, &auth, "maya").await;
        let clean = async || {
            let now = world.clock.now();
            sessions::clean_up(&world.operator(), now - Duration::days(30)).await.unwrap()
        };
        world.clock.advance(Duration::days(89));
        assert_eq!((clean().await, sessions::list(&world.operator(), user.id).await.unwrap().len()), (0, 1));
        world.clock.advance(Duration::days(2));
        let used = sign_in(&world, &auth, "maya").await;
        assert_eq!(clean().await, 0);
        let live = sessions::list(&world.operator(), user.id).await.unwrap();
        assert_eq!(live.iter().map(|session| session.id).collect::<Vec<_>>(), [used.session.id]);
        assert_eq!(session_ends(&world).await, [(idle.session.id.to_string(), "expired".to_owned())]);
        let refused = async || auth::refresh(&world.anonymous(), &auth, &idle.refresh_token).await;
        assert_eq!(code(refused().await), "refresh_session_expired");
        world.clock.advance(Duration::days(31));
        assert_eq!(clean().await, 1, "deleted 30 days after its end");
        assert_eq!(code(refused().await), "refresh_token_not_found");
    })
    .await;
}

/// The clean-up may run late.
#[tokio::test]
async fn idle_session_cannot_be_refreshed() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya").await;
        world.clock.advance(MAX_IDLE - Duration::seconds(1));
        let granted = auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await.unwrap();
        world.clock.advance(MAX_IDLE);
        for _ in 0..2 {
            let refused = auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await;
            assert_eq!(code(refused), "refresh_session_expired");
        }
        assert_eq!(session_ends(&world).await, [(granted.session.id.to_string(), "expired".to_owned())]);

        // A sign-out stays the recorded reason.
        let granted = sign_in(&world, &auth, "maya").await;
        let maya = ctx_of_token(&world, &auth, &granted.access_token).await.unwrap();
        auth::sign_out(&maya, &auth, SignOutScope::Local).await.unwrap();
        world.clock.advance(MAX_IDLE * 2);
        let refused = auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await;
        assert_eq!(code(refused), "refresh_session_not_found");
    })
    .await;
}

#[tokio::test]
async fn concurrent_settings_changes_are_both_kept() {
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

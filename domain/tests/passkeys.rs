//! Passkeys: what the routes do not show.
use chrono::Duration;
use domain::{
    Ctx, DEMO_PASSWORD, Options,
    accounts::{
        auth::{self, Auth, Keys, factors, passkeys, passwords},
        users::{self, User},
    },
    kernel::{access::Role, db::Sql},
    testing::{World, authenticator::Authenticator, code, on_both},
};
use std::sync::Arc;

const ORIGIN: &str = "https://portal.example.com";
const PASSWORD: &str = "correct horse battery";

fn with_domain(world: &World, demo: bool) -> World {
    let options = Options { public_url: ORIGIN.to_owned(), demo, ..(*world.options).clone() };
    World { options: Arc::new(options), ..world.clone() }
}

async fn set_password(world: &World, user: &User, password: &str) {
    let hash = passwords::hash(&world.operator(), password).await.expect("hashes");
    let mut tx = world.db.begin().await.expect("begins");
    users::set_password_hash(&mut tx, user.id, &hash, false).await.expect("works");
    tx.commit().await.expect("commits");
}

/// A signed-in user with a session that was just begun.
async fn signed_in(world: &World, auth: &Auth, first: &str) -> (User, Ctx) {
    let user = world.user(Role::Employee, first, None, None).await;
    set_password(world, &user, PASSWORD).await;
    let granted = auth::sign_in(&world.anonymous(), auth, &user.email, PASSWORD).await.expect("signs in");
    let now = world.clock.now();
    let who = auth::authenticate(auth, &world.db, &world.options, now, &granted.access_token).await.expect("works");
    (user, world.as_actor(domain::Actor::User(who)))
}

async fn add(ctx: &Ctx, auth: &Auth, key: &mut Authenticator) {
    let started = passkeys::start_registration(ctx).await.expect("starts");
    passkeys::register(ctx, auth, started.id, &key.create(&started.options)).await.expect("registers");
}

async fn sign_in(ctx: &Ctx, auth: &Auth, key: &mut Authenticator) -> Result<(), String> {
    let started = passkeys::start_sign_in(ctx).await.expect("starts");
    passkeys::sign_in(ctx, auth, started.id, &key.get(&started.options)).await.map(|_| ()).map_err(|e| code(&e))
}

#[tokio::test]
async fn passkeys_of_demo_accounts_end_with_the_demo() {
    on_both(async |world| {
        let (auth, demo) = (Auth::new(Keys::for_tests()), with_domain(&world, true));
        let (user, maya) = signed_in(&demo, &auth, "Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        add(&maya, &auth, &mut key).await;
        let office = with_domain(&world, false);
        assert_eq!(sign_in(&office.anonymous(), &auth, &mut key).await, Ok(()), "a password of its own");
        set_password(&world, &user, DEMO_PASSWORD).await;
        assert_eq!(sign_in(&demo.anonymous(), &auth, &mut key).await, Ok(()));
        let failed = Err("webauthn_verification_failed".to_owned());
        assert_eq!(sign_in(&office.anonymous(), &auth, &mut key).await, failed);
        assert_eq!(sign_in(&demo.anonymous(), &auth, &mut key).await, Ok(()));
    })
    .await;
}

#[tokio::test]
async fn passkeys_are_bound_to_the_public_url() {
    on_both(async |world| {
        let (auth, old) = (Auth::new(Keys::for_tests()), with_domain(&world, true));
        let (_, maya) = signed_in(&old, &auth, "Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        add(&maya, &auth, &mut key).await;
        let options = Options { public_url: "https://new.example.com".to_owned(), ..(*old.options).clone() };
        let new = World { options: Arc::new(options), ..old.clone() };
        let failed = Err("webauthn_verification_failed".to_owned());
        assert_eq!(sign_in(&new.anonymous(), &auth, &mut key).await, failed);
        key.origin = "https://new.example.com".to_owned();
        assert_eq!(sign_in(&new.anonymous(), &auth, &mut key).await, failed, "the key is for the old domain");
    })
    .await;
}

#[tokio::test]
async fn expired_challenges_and_enrollments_are_deleted() {
    on_both(async |world| {
        let (auth, world) = (Auth::new(Keys::for_tests()), with_domain(&world, true));
        let (user, maya) = signed_in(&world, &auth, "Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        add(&maya, &auth, &mut key).await;
        passkeys::start_sign_in(&world.anonymous()).await.expect("starts");
        passkeys::factor::enroll(&maya, Some("Key")).await.expect("enrolls");
        let rows = async |table: &str| -> i64 {
            world.db.clone().sql_built(format!("select count(*) from {table}")).scalar().await.expect("counts")
        };
        assert_eq!((rows("webauthn_challenges").await, rows("passkeys").await), (1, 2));
        let later = World { clock: world.clock.clone(), ..world.clone() };
        later.clock.advance(Duration::minutes(6));
        assert_eq!(factors::clean_up(&later.operator()).await.expect("cleans up"), 1);
        assert_eq!((rows("webauthn_challenges").await, rows("passkeys").await), (0, 1));
        assert_eq!(passkeys::list_of(&world.operator(), user.id).await.expect("lists").len(), 1);
    })
    .await;
}

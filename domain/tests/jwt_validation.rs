//! Registered claims (RFC 7519) and critical headers (RFC 7515) of accepted access tokens and service tokens, which may
//! be signed with a shared secret.
use domain::{
    Actor, Error,
    accounts::{
        auth::{self, Auth, Keys, admin, passwords},
        users,
    },
    kernel::access::Role,
    testing::{World, on_both},
};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

const SECRET: &str = "a secret that several programs share, long enough";
const PASSWORD: &str = "correct horse battery";

fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

fn sign(header: Header, claims: &Value) -> String {
    jsonwebtoken::encode(&header, claims, &EncodingKey::from_secret(SECRET.as_bytes())).expect("signs")
}

fn plain() -> Header {
    Header::new(Algorithm::HS256)
}

fn critical() -> Header {
    Header { crit: Some(vec!["x".to_owned()]), ..plain() }
}

/// Actor of a token on the routes of users and on those of administrators.
async fn actors_of(world: &World, auth: &Auth, token: &str) -> (String, String) {
    let (options, now) = (&world.options, world.clock.now());
    let outcome = |result: Result<String, Error>| match result {
        Ok(who) => who,
        Err(Error::Unauthenticated(problem)) => problem.code.to_owned(),
        Err(other) => panic!("{other:?}"),
    };
    let person = auth::authenticate(auth, &world.db, options, now, token).await.map(|who| who.email.clone());
    let admin = admin::authenticate(auth, &world.db, options, now, token).await.map(|who| match who {
        Actor::User(who) => who.email.clone(),
        other => other.kind().to_owned(),
    });
    (outcome(person), outcome(admin))
}

#[tokio::test]
async fn tokens_not_yet_valid_foreign_or_with_critical_headers_are_rejected() {
    on_both(async |world: World| {
        let auth = Auth::new(Keys::for_tests().with_secret(SECRET));
        let maya = world.user(Role::Employee, "maya", None, None).await;
        let hash = passwords::hash(&world.operator(), PASSWORD).await.expect("hashes");
        let mut tx = world.db.begin().await.expect("begins");
        users::set_password_hash(&mut tx, maya.id, &hash, false).await.expect("saves");
        tx.commit().await.expect("commits");
        let granted = auth::sign_in(&world.anonymous(), &auth, &maya.email, PASSWORD).await.expect("signs in");

        let own: Value = auth.keys.verify(&granted.access_token).expect("is ours");
        let program = json!({ "role": "service_role" });
        let now = world.clock.now().timestamp();
        let ours = format!("{}/auth/v1", world.options.public_url);
        assert_eq!(own["iss"], ours.as_str());
        for (name, value) in [("nbf", json!(now)), ("iss", json!(ours)), ("exp", json!(now + 1))] {
            let own = sign(plain(), &with(&own, name, value.clone()));
            assert_eq!(
                actors_of(&world, &auth, &own).await,
                (maya.email.clone(), maya.email.clone()),
                "{name} {value}"
            );
            let program = sign(plain(), &with(&program, name, value.clone()));
            assert_eq!(actors_of(&world, &auth, &program).await.1, "service", "{name} {value}");
        }
        let refused = ("bad_jwt".to_owned(), "bad_jwt".to_owned());
        for (name, value) in [
            ("nbf", json!(now + 1)),
            ("nbf", json!(1e30)),
            ("nbf", json!("soon")),
            ("exp", json!(now)),
            ("iss", json!("https://elsewhere.example/auth/v1")),
            ("iss", json!(world.options.public_url)),
            ("iss", json!([ours])),
        ] {
            for claims in [&own, &program] {
                let token = sign(plain(), &with(claims, name, value.clone()));
                assert_eq!(actors_of(&world, &auth, &token).await, refused, "{name} {value}");
            }
        }
        for claims in [&own, &program] {
            assert_eq!(actors_of(&world, &auth, &sign(critical(), claims)).await, refused);
        }
    })
    .await;
}

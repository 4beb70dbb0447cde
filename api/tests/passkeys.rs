//! Passkeys: sign-in without a password, as second factor, their list, and every refusal.
use crate::support::{TestApp, TestRequest, TestUser, on_both, on_both_with};
use axum::http::Method;
use chrono::Duration;
use domain::{
    kernel::db::Sql,
    outbox::mails::SecurityAct,
    platform::{
        activity,
        settings::{self, RequireMfa, Settings},
    },
    testing::authenticator::Authenticator,
};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const ORIGIN: &str = "https://portal.example.com";
const BITWARDEN: [u8; 16] = *uuid::uuid!("d548826e-79b4-db40-a3d8-11116f7e8349").as_bytes();
const UNKNOWN: &str = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

/// A portal with a domain, on both databases.
async fn on_domain<F: Future<Output = ()>>(test: impl Fn(TestApp) -> F) {
    let configure = |options: &mut domain::Options, http: &mut api::HttpConfig| {
        options.public_url = ORIGIN.to_owned();
        http.rate_limits = false;
        http.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")];
    };
    on_both_with(configure, test).await;
}

/// A copy of an authenticator with a change.
fn altered(key: &Authenticator, change: impl FnOnce(&mut Authenticator)) -> Authenticator {
    let mut key = key.clone();
    change(&mut key);
    key
}

async fn registration(user: &TestUser) -> Value {
    modern(user.post("/auth/v1/passkeys/registration/options", json!({}))).await.ok()
}

fn register_with(user: &TestUser, options: &Value, credential: &Value) -> TestRequest {
    let body = json!({ "challenge_id": options["challenge_id"], "credential": credential });
    modern(user.post("/auth/v1/passkeys/registration/verify", body))
}

/// Registers a passkey.
async fn register(user: &TestUser, key: &mut Authenticator) -> Value {
    let options = registration(user).await;
    let credential = key.create(&options["options"]);
    register_with(user, &options, &credential).await.ok()
}

async fn sign_in_options(app: &TestApp) -> Value {
    modern(app.anonymous().post("/auth/v1/passkeys/authentication/options", json!({}))).await.ok()
}

fn sign_in_with(app: &TestApp, options: &Value, credential: &Value) -> TestRequest {
    let body = json!({ "challenge_id": options["challenge_id"], "credential": credential });
    modern(app.anonymous().post("/auth/v1/passkeys/authentication/verify", body))
}

async fn sign_in(app: &TestApp, key: &mut Authenticator) -> TestRequest {
    let options = sign_in_options(app).await;
    let credential = key.get(&options["options"]);
    sign_in_with(app, &options, &credential)
}

async fn sign_in_by_password(app: &TestApp, first: &str) -> Value {
    let body = json!({ "email": format!("{first}@example.com"), "password": PASSWORD });
    modern(app.anonymous().post("/auth/v1/token?grant_type=password", body)).await.ok()
}

async fn challenge(user: &TestUser, factor: &Value) -> Value {
    let id = factor.as_str().expect("an id");
    let body = json!({ "factorId": id, "webauthn": { "rpId": "elsewhere.example.com", "rpOrigins": [] } });
    modern(user.post(&format!("/auth/v1/factors/{id}/challenge"), body)).await.ok()
}

fn verify_with(user: &TestUser, factor: &Value, challenge: &Value, credential: &Value) -> TestRequest {
    let id = factor.as_str().expect("an id");
    let body = json!({
        "challenge_id": challenge["id"],
        "webauthn": { "type": challenge["webauthn"]["type"], "credential_response": credential },
    });
    modern(user.post(&format!("/auth/v1/factors/{id}/verify"), body))
}

/// Verifies a passkey as second factor, or makes that of an enrolled one; the response is a session.
async fn verify(user: &TestUser, factor: &Value, key: &mut Authenticator) -> Value {
    let made = challenge(user, factor).await;
    let options = &made["webauthn"]["credential_options"]["publicKey"];
    let credential = match made["webauthn"]["type"].as_str() {
        Some("create") => key.create(options),
        _ => key.get(options),
    };
    verify_with(user, factor, &made, &credential).await.ok()
}

/// Enrolls a passkey as second factor: the factor's id and the session with it.
async fn enroll(user: &TestUser, name: &str, key: &mut Authenticator) -> (Value, TestUser) {
    let body = json!({ "factor_type": "webauthn", "friendly_name": name });
    let made = modern(user.post("/auth/v1/factors", body)).await.ok();
    assert_eq!((made["type"].as_str(), made["friendly_name"].as_str()), (Some("webauthn"), Some(name)));
    let session = verify(user, &made["id"], key).await;
    (made["id"].clone(), user.holding(&session))
}

async fn passkeys(user: &TestUser) -> Value {
    modern(user.get("/auth/v1/passkeys")).await.ok()
}

fn remove(user: &TestUser, passkey: &Value) -> TestRequest {
    modern(user.delete(&format!("/auth/v1/passkeys/{}", passkey["id"].as_str().expect("an id"))))
}

fn claims(token: &Value) -> Value {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    let part = token.as_str().expect("a token").split('.').nth(1).expect("three parts").to_owned();
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).expect("base64")).expect("JSON")
}

/// Reasons of the refused sign-ins by passkey of an account, sorted.
async fn refusals(app: &TestApp, user: &TestUser) -> Vec<String> {
    let sam = app.super_admin("Sam").await;
    activity::sequence_all(&app.world.operator()).await.unwrap();
    let found = sam.get(&format!("/rest/v1/users/{}/sign-ins", user.id)).await.ok();
    let by_passkey = found["items"].as_array().expect("rows").iter().filter(|row| row["method"] == "passkey");
    let mut reasons: Vec<_> = by_passkey.filter_map(|row| row["reason"].as_str().map(str::to_owned)).collect();
    reasons.sort_unstable();
    reasons
}

#[tokio::test]
async fn passkey_signs_in_without_a_password_at_aal2() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let options = registration(&maya).await;
        assert_eq!(options["options"]["rp"]["id"], "portal.example.com");
        assert_eq!(options["options"]["user"]["name"], "maya@example.com");
        let selection = &options["options"]["authenticatorSelection"];
        assert_eq!(
            (selection["residentKey"].as_str(), &selection["requireResidentKey"]),
            (Some("required"), &json!(true))
        );
        assert_eq!(selection["userVerification"], "required");
        assert_eq!(options["expires_at"], json!(app.world.clock.now().timestamp() + 300));
        let credential = key.create(&options["options"]);
        let made = register_with(&maya, &options, &credential).await.ok();
        assert_eq!(made["friendly_name"], "Security key");

        let asked = sign_in_options(&app).await;
        assert_eq!(asked["options"]["rpId"], "portal.example.com");
        assert_eq!(
            (&asked["options"]["allowCredentials"], &asked["options"]["userVerification"]),
            (&json!([]), &json!("required"))
        );
        let session = sign_in(&app, &mut key).await.await.ok();
        assert_eq!(
            (session["token_type"].as_str(), &session["user"]["email"]),
            (Some("bearer"), &json!("maya@example.com"))
        );
        let said = claims(&session["access_token"]);
        let methods: Vec<&Value> = said["amr"].as_array().unwrap().iter().map(|proof| &proof["method"]).collect();
        assert_eq!((&said["aal"], methods), (&json!("aal2"), vec![&json!("mfa/webauthn"), &json!("passkey")]));
        maya.holding(&session).get("/rest/v1/clients").await.ok();

        // It is no second factor: the password signs in alone.
        let by_password = sign_in_by_password(&app, "maya").await;
        assert_eq!(by_password["user"].get("factors"), None);
        maya.holding(&by_password).get("/rest/v1/clients").await.ok();
        let listed = passkeys(&maya).await;
        assert_eq!(listed[0]["last_used_at"], json!(app.world.clock.now()));
        assert_eq!((&listed[0]["device_kind"], &listed[0]["second_factor"]), (&json!("security_key"), &json!(false)));
    })
    .await;
}

#[tokio::test]
async fn passkeys_are_named_after_their_maker_and_renamed() {
    on_domain(async |app: TestApp| {
        let maya = app.client("Maya").await;
        let mut manager = altered(&Authenticator::new(ORIGIN), |manager| {
            manager.model = BITWARDEN;
            manager.synced = true;
        });
        let first = register(&maya, &mut manager).await;
        app.world.clock.advance(Duration::seconds(1));
        register(&maya, &mut manager).await;
        let named = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|row| row["friendly_name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(named(&passkeys(&maya).await), ["Bitwarden", "Bitwarden 2"]);
        assert_eq!(passkeys(&maya).await[0]["device_kind"], "synced");

        let path = format!("/auth/v1/passkeys/{}", first["id"].as_str().unwrap());
        let renamed = modern(maya.patch(&path, json!({ "friendly_name": "Vault at home" }))).await.ok();
        assert_eq!(renamed["friendly_name"], "Vault at home");
        assert_eq!(named(&passkeys(&maya).await), ["Vault at home", "Bitwarden 2"]);
        for wrong in [json!({}), json!({ "friendly_name": " " }), json!({ "friendly_name": "x".repeat(121) })] {
            modern(maya.patch(&path, wrong)).await.refused(400, "validation_failed");
        }

        // Another's passkey and an id that is none are unknown.
        let noah = app.client("Noah").await;
        for path in [path.as_str(), "/auth/v1/passkeys/x"] {
            modern(noah.patch(path, json!({ "friendly_name": "Mine" }))).await.refused(404, "validation_failed");
            modern(noah.delete(path)).await.refused(404, "validation_failed");
        }
        assert_eq!(passkeys(&noah).await, json!([]));
        modern(app.anonymous().get("/auth/v1/passkeys")).await.refused(401, "no_authorization");
    })
    .await;
}

#[tokio::test]
async fn adding_and_removing_need_a_recent_proof_and_are_mailed() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let deliver = async || {
            let mails = app.deliver_all_mails().await;
            mails.into_iter().filter_map(|mail| Some((mail.act?, mail.to))).collect::<Vec<_>>()
        };
        let to_maya = |act| vec![(act, "maya@example.com".to_owned())];
        let passkey = register(&maya, &mut key).await;
        assert_eq!(deliver().await, to_maya(SecurityAct::PasskeyAdded));

        let begun = registration(&maya).await;
        app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        let fresh = |user: &TestUser| modern(user.post("/auth/v1/passkeys/registration/options", json!({})));
        fresh(&maya).await.refused(400, "reauthentication_needed");
        remove(&maya, &passkey).await.refused(400, "reauthentication_needed");
        let credential = key.clone().create(&begun["options"]);
        register_with(&maya, &begun, &credential).await.refused(400, "webauthn_challenge_expired");

        // An enrollment begun with a proof is verified with one.
        let maya = maya.holding(&sign_in_by_password(&app, "maya").await);
        app.world.clock.advance(Duration::minutes(7));
        let body = json!({ "factor_type": "webauthn", "friendly_name": "Late" });
        let factor = modern(maya.post("/auth/v1/factors", body)).await.ok()["id"].clone();
        let begun = challenge(&maya, &factor).await;
        app.world.clock.advance(Duration::minutes(3) + Duration::seconds(1));
        let credential = key.clone().create(&begun["webauthn"]["credential_options"]["publicKey"]);
        verify_with(&maya, &factor, &begun, &credential).await.refused(400, "reauthentication_needed");

        // The passkey is a proof itself.
        let session = sign_in(&app, &mut key).await.await.ok();
        let maya = maya.holding(&session);
        fresh(&maya).await.ok();
        let gone = remove(&maya, &passkey).await;
        assert_eq!((gone.status.as_u16(), gone.bytes.len()), (204, 0));
        assert_eq!(deliver().await, to_maya(SecurityAct::PasskeyRemoved));
        assert_eq!(passkeys(&maya).await, json!([]));
        sign_in(&app, &mut key).await.await.refused(400, "webauthn_verification_failed");

        activity::sequence_all(&app.world.operator()).await.unwrap();
        let log = app.super_admin("Sam").await.get("/rest/v1/activity?limit=50").await.ok();
        let actions: Vec<&str> =
            log["items"].as_array().unwrap().iter().filter_map(|row| row["action"].as_str()).collect();
        assert!(actions.contains(&"user.passkey_added") && actions.contains(&"user.passkey_removed"), "{actions:?}");
    })
    .await;
}

#[tokio::test]
async fn challenges_work_once_and_expire() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let options = registration(&maya).await;
        let credential = key.create(&options["options"]);
        // A challenge is its user's and of its kind.
        let noah = app.employee("Noah").await;
        register_with(&noah, &options, &credential).await.refused(400, "webauthn_challenge_not_found");
        sign_in_with(&app, &options, &credential).await.refused(400, "webauthn_challenge_not_found");
        register_with(&maya, &options, &credential).await.ok();
        register_with(&maya, &options, &credential).await.refused(400, "webauthn_challenge_not_found");

        let options = sign_in_options(&app).await;
        let credential = key.get(&options["options"]);
        sign_in_with(&app, &options, &credential).await.ok();
        sign_in_with(&app, &options, &credential).await.refused(400, "webauthn_challenge_not_found");

        let options = sign_in_options(&app).await;
        let credential = key.get(&options["options"]);
        app.world.clock.advance(Duration::minutes(5));
        sign_in_with(&app, &options, &credential).await.refused(400, "webauthn_challenge_expired");
        // A signature is for its challenge.
        let other = sign_in_options(&app).await;
        sign_in_with(&app, &other, &credential).await.refused(400, "webauthn_verification_failed");

        for (body, code) in [
            (json!({}), "validation_failed"),
            (json!({ "challenge_id": UNKNOWN }), "validation_failed"),
            (json!({ "challenge_id": "x", "credential": {} }), "validation_failed"),
            (json!({ "challenge_id": UNKNOWN, "credential": {} }), "webauthn_challenge_not_found"),
        ] {
            for (user, kind) in [(&maya, "registration"), (&app.anonymous(), "authentication")] {
                modern(user.post(&format!("/auth/v1/passkeys/{kind}/verify"), body.clone())).await.refused(400, code);
            }
        }
        let options = sign_in_options(&app).await;
        sign_in_with(&app, &options, &json!({ "id": "x" })).await.refused(400, "webauthn_verification_failed");
    })
    .await;
}

#[tokio::test]
async fn wrong_passkeys_are_refused_alike() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        register(&maya, &mut key).await;
        let failed = "webauthn_verification_failed";

        let mut phished = altered(&key, |key| key.origin = "https://portal.example.com.evil.example".to_owned());
        sign_in(&app, &mut phished).await.await.refused(400, failed);
        key.passkeys = phished.passkeys;
        let mut unverified = altered(&key, |key| key.verifies_user = false);
        sign_in(&app, &mut unverified).await.await.refused(400, failed);
        let mut unknown = Authenticator::new(ORIGIN);
        unknown.create(&registration(&maya).await["options"]);
        sign_in(&app, &mut unknown).await.await.refused(400, failed);
        // The signature of one with the id of another.
        let options = sign_in_options(&app).await;
        let mut forged = unknown.get(&options["options"]);
        for name in ["id", "rawId"] {
            forged[name] = key.get(&options["options"])[name].clone();
        }
        sign_in_with(&app, &options, &forged).await.refused(400, failed);
        // Another account's handle.
        let noah = app.employee("Noah").await;
        let mut of_noah = Authenticator::new(ORIGIN);
        register(&noah, &mut of_noah).await;
        let options = sign_in_options(&app).await;
        let mut mixed = key.get(&options["options"]);
        mixed["response"]["userHandle"] = of_noah.get(&options["options"])["response"]["userHandle"].clone();
        sign_in_with(&app, &options, &mixed).await.refused(400, failed);

        // A copy has counted on: the original's counter goes back.
        key.passkeys[0].counter = 20;
        sign_in(&app, &mut key).await.await.ok();
        let mut copy = key.clone();
        copy.passkeys[0].counter = 7;
        sign_in(&app, &mut copy).await.await.refused(400, failed);
        sign_in(&app, &mut key).await.await.ok();
        assert_eq!(refusals(&app, &maya).await, ["counter", "wrong_origin", "wrong_passkey", "wrong_passkey"]);
    })
    .await;
}

#[tokio::test]
async fn registrations_are_verified() {
    on_domain(async |app: TestApp| {
        let (maya, noah) = (app.employee("Maya").await, app.employee("Noah").await);
        let failed = "webauthn_verification_failed";
        for mut wrong in [
            Authenticator::new("https://evil.example"),
            Authenticator::new("http://portal.example.com"),
            altered(&Authenticator::new(ORIGIN), |key| key.verifies_user = false),
        ] {
            let options = registration(&maya).await;
            let credential = wrong.create(&options["options"]);
            register_with(&maya, &options, &credential).await.refused(400, failed);
        }
        let options = registration(&maya).await;
        register_with(&maya, &options, &json!({ "id": 7 })).await.refused(400, failed);

        // One credential is one account's: its private key may be known to both.
        let mut key = Authenticator::new(ORIGIN);
        let options = registration(&maya).await;
        let credential = key.create(&options["options"]);
        register_with(&maya, &options, &credential).await.ok();
        assert_eq!(registration(&maya).await["options"]["excludeCredentials"][0]["id"], credential["id"]);
        let options = registration(&noah).await;
        let taken = key.create(&options["options"]);
        let sql = "update passkeys set credential_id = $1";
        let mut tx = app.world.db.begin().await.unwrap();
        tx.sql(sql).bind(taken["id"].as_str().unwrap().to_owned()).run().await.unwrap();
        tx.commit().await.unwrap();
        register_with(&noah, &options, &taken).await.refused(422, "webauthn_credential_exists");
        assert_eq!(passkeys(&noah).await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn parallel_registrations_of_one_credential_succeed_once() {
    on_domain(async |app: TestApp| {
        let users = [app.employee("Maya").await, app.employee("Noah").await];
        let id = [7; 32];
        let registering = users.iter().map(async |user| {
            let options = registration(user).await;
            let credential = Authenticator::new(ORIGIN).create_with_id(id, &options["options"]);
            register_with(user, &options, &credential).await
        });
        let answers = futures::future::join_all(registering).await;
        let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status.is_success());
        assert_eq!((made.len(), refused.len()), (1, 1));
        for answer in refused {
            answer.refused(422, "webauthn_credential_exists");
        }
    })
    .await;
}

#[tokio::test]
async fn at_most_ten_passkeys() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let begun = registration(&maya).await;
        for _ in 0..10 {
            register(&maya, &mut key).await;
        }
        modern(maya.post("/auth/v1/passkeys/registration/options", json!({}))).await.refused(422, "too_many_passkeys");
        let credential = key.create(&begun["options"]);
        register_with(&maya, &begun, &credential).await.refused(422, "too_many_passkeys");
    })
    .await;
}

#[tokio::test]
async fn shut_accounts_do_not_sign_in_by_passkey() {
    on_domain(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        for (first, act) in [("Maya", "suspend"), ("Noah", "archive")] {
            let user = app.employee(first).await;
            let mut key = Authenticator::new(ORIGIN);
            register(&user, &mut key).await;
            sam.post(&format!("/rest/v1/users/{}/{act}", user.id), json!({})).await.ok();
            sign_in(&app, &mut key).await.await.refused(403, "user_banned");
            sam.post(&format!("/rest/v1/users/{}/restore", user.id), json!({})).await.ok();
            sign_in(&app, &mut key).await.await.ok();
        }
    })
    .await;
}

#[tokio::test]
async fn passkey_is_a_second_factor_where_it_is_enrolled() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let (id, raised) = enroll(&maya, "Key on my ring", &mut key).await;
        let said = claims(&json!(raised.token));
        assert_eq!((&said["aal"], &said["amr"][0]["method"]), (&json!("aal2"), &json!("mfa/webauthn")));
        assert_eq!(app.deliver_all_mails().await[0].act, Some(SecurityAct::PasskeyAdded));
        raised.get("/rest/v1/clients").await.ok();

        app.world.clock.advance(Duration::seconds(60));
        let next = sign_in_by_password(&app, "maya").await;
        let factor = &next["user"]["factors"][0];
        assert_eq!(
            (&factor["id"], &factor["factor_type"], &factor["status"]),
            (&id, &json!("webauthn"), &json!("verified"))
        );
        let next = maya.holding(&next);
        next.get("/rest/v1/clients").await.refused(403, "mfa_required");
        let begun = challenge(&next, &id).await;
        assert_eq!((&begun["type"], &begun["webauthn"]["type"]), (&json!("webauthn"), &json!("request")));
        let options = &begun["webauthn"]["credential_options"]["publicKey"];
        assert_eq!(
            (&options["rpId"], options["allowCredentials"].as_array().map(Vec::len)),
            (&json!("portal.example.com"), Some(1))
        );

        // A failure uses the challenge up.
        let mut phished = altered(&key, |key| key.origin = "https://evil.example".to_owned());
        let wrong = phished.get(options);
        key.passkeys = phished.passkeys;
        let refused = verify_with(&next, &id, &begun, &wrong).await.refused(422, "mfa_verification_failed");
        assert!(!refused["message"].as_str().unwrap().contains("TOTP"), "{refused}");
        let right = key.get(options);
        verify_with(&next, &id, &begun, &right).await.refused(422, "mfa_factor_not_found");
        let session = verify(&next, &id, &mut key).await;
        maya.holding(&session).get("/rest/v1/clients").await.ok();

        // It signs in without the password, too.
        let session = sign_in(&app, &mut key).await.await.ok();
        assert_eq!(claims(&session["access_token"])["aal"], "aal2");
        let raised = maya.holding(&session);
        modern(raised.post("/auth/v1/factors/recovery-codes", json!({}))).await.ok();
        // By either route; with the last one the recovery codes go.
        modern(raised.ask(Method::DELETE, &format!("/auth/v1/factors/{}", id.as_str().unwrap()))).await.ok();
        let next = maya.holding(&sign_in_by_password(&app, "maya").await);
        next.get("/rest/v1/clients").await.ok();
        modern(next.get("/auth/v1/factors/recovery-codes")).await.refused(404, "mfa_factor_not_found");
    })
    .await;
}

#[tokio::test]
async fn factor_challenges_expire_and_are_bound_to_the_address() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let (id, maya) = enroll(&maya, "Key", &mut key).await;
        let begun = challenge(&maya, &id).await;
        let credential = key.get(&begun["webauthn"]["credential_options"]["publicKey"]);
        let elsewhere = verify_with(&maya, &id, &begun, &credential).header("x-forwarded-for", "198.51.100.7");
        elsewhere.await.refused(422, "mfa_ip_address_mismatch");
        app.world.clock.advance(Duration::minutes(5));
        verify_with(&maya, &id, &begun, &credential).await.refused(422, "mfa_challenge_expired");

        let path = format!("/auth/v1/factors/{}/verify", id.as_str().unwrap());
        for body in [
            json!({ "challenge_id": begun["id"], "code": "123456" }),
            json!({ "challenge_id": begun["id"], "webauthn": { "type": "other", "credential_response": {} } }),
            json!({ "challenge_id": begun["id"], "webauthn": { "type": "request" } }),
        ] {
            modern(maya.post(&path, body)).await.refused(400, "validation_failed");
        }
        let unknown = format!("/auth/v1/factors/{UNKNOWN}/challenge");
        modern(maya.post(&unknown, json!({}))).await.refused(404, "mfa_factor_not_found");

        // An enrollment that is not verified ends, and its name is free again.
        let body = json!({ "factor_type": "webauthn", "friendly_name": "Second" });
        modern(maya.post("/auth/v1/factors", body.clone())).await.ok();
        modern(maya.post("/auth/v1/factors", body.clone())).await.refused(422, "mfa_factor_name_conflict");
        app.world.clock.advance(Duration::minutes(5));
        modern(maya.post("/auth/v1/factors", body)).await.ok();
        assert_eq!(passkeys(&maya).await.as_array().map(Vec::len), Some(1));
    })
    .await;
}

#[tokio::test]
async fn a_required_second_factor_is_met_by_a_passkey() {
    on_domain(async |app: TestApp| {
        // Added before the role required a second factor.
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let passkey = register(&maya, &mut key).await;
        let require = RequireMfa { employee: Some(true), ..RequireMfa::default() };
        settings::set(&app.world.operator(), |now| Settings { require_mfa: require, ..now }).await.unwrap();
        app.app.auth.token_cache.clear();

        let session = sign_in(&app, &mut key).await.await.ok();
        maya.holding(&session).get("/rest/v1/clients").await.ok();
        let by_password = maya.holding(&sign_in_by_password(&app, "maya").await);
        assert_eq!(by_password.get("/rest/v1/me").await.ok()["mfa"]["due"], "challenge");
        // The password alone enrolls no other factor.
        for kind in ["totp", "webauthn"] {
            let body = json!({ "factor_type": kind, "friendly_name": "Mine" });
            modern(by_password.post("/auth/v1/factors", body)).await.refused(403, "insufficient_aal");
        }
        let options = by_password.post("/auth/v1/passkeys/registration/options", json!({}));
        modern(options).await.refused(403, "insufficient_aal");
        remove(&by_password, &passkey).await.refused(403, "insufficient_aal");
        let path = format!("/auth/v1/passkeys/{}", passkey["id"].as_str().unwrap());
        modern(by_password.patch(&path, json!({ "friendly_name": "Mine" }))).await.refused(403, "insufficient_aal");
        let raised = maya.holding(&verify(&by_password, &passkey["id"], &mut key).await);
        raised.get("/rest/v1/clients").await.ok();
        // Verified after a password, it is a second factor from then on.
        assert_eq!(passkeys(&raised).await[0]["second_factor"], true);
    })
    .await;
}

#[tokio::test]
async fn a_passkey_proves_again_who_it_is_without_a_second_factor() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let elsewhere = maya.holding(&sign_in_by_password(&app, "maya").await);
        let mut key = Authenticator::new(ORIGIN);
        let passkey = register(&maya, &mut key).await;
        app.world.clock.advance(Duration::minutes(11));
        let proved = maya.holding(&verify(&maya, &passkey["id"], &mut key).await);
        assert_eq!(claims(&json!(proved.token))["aal"], "aal1");
        registration(&proved).await;
        // It turns no second factor on, and other sessions stay.
        assert_eq!(passkeys(&proved).await[0]["second_factor"], false);
        elsewhere.get("/rest/v1/clients").await.ok();
    })
    .await;
}

#[tokio::test]
async fn a_second_passkey_turns_no_second_factor_on() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        register(&maya, &mut key).await;
        // A session of the passkey is at aal2, although the account has no second factor.
        let maya = maya.holding(&sign_in(&app, &mut key).await.await.ok());
        app.world.clock.advance(Duration::seconds(1));
        let second = register(&maya, &mut Authenticator::new(ORIGIN)).await;
        assert_eq!(passkeys(&maya).await.as_array().unwrap().len(), 2);
        assert_eq!(second["second_factor"], false);
        let by_password = maya.holding(&sign_in_by_password(&app, "maya").await);
        by_password.get("/rest/v1/clients").await.ok();
    })
    .await;
}

#[tokio::test]
async fn no_passkey_in_a_session_that_an_administrator_began() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let link = json!({ "type": "magiclink", "email": "maya@example.com" });
        let made = modern(app.service().post("/auth/v1/admin/generate_link", link)).await.ok();
        let body = json!({ "type": "magiclink", "token_hash": made["hashed_token"] });
        let there = maya.holding(&modern(app.anonymous().post("/auth/v1/verify", body)).await.ok());
        let refused = modern(there.post("/auth/v1/passkeys/registration/options", json!({})));
        refused.await.refused(403, "session_begun_by_administrator");
        registration(&maya).await;
    })
    .await;
}

#[tokio::test]
async fn administrators_list_and_remove_passkeys() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let mut key = Authenticator::new(ORIGIN);
        let passkey = register(&maya, &mut key).await;
        let (service, path) = (app.service(), format!("/auth/v1/admin/users/{}/passkeys", maya.id));
        modern(maya.get(&path)).await.refused(403, "not_admin");
        assert_eq!(modern(service.get(&path)).await.ok()[0]["id"], passkey["id"]);
        let one = format!("{path}/{}", passkey["id"].as_str().unwrap());
        modern(maya.delete(&one)).await.refused(403, "not_admin");
        modern(service.delete(&format!("{path}/{UNKNOWN}"))).await.refused(404, "validation_failed");
        assert_eq!(modern(service.delete(&one)).await.status.as_u16(), 204);
        assert_eq!(modern(service.get(&path)).await.ok(), json!([]));

        // A reset takes those, too, that are no second factor.
        register(&maya, &mut key).await;
        app.deliver_all_mails().await;
        let sam = app.super_admin("Sam").await;
        sam.post(&format!("/rest/v1/users/{}/reset-mfa", maya.id), json!({})).await.ok();
        assert_eq!(modern(service.get(&path)).await.ok(), json!([]));
        let acts: Vec<_> = app.deliver_all_mails().await.into_iter().filter_map(|mail| mail.act).collect();
        assert_eq!(acts, [SecurityAct::FactorsReset]);
    })
    .await;
}

#[tokio::test]
async fn passkeys_added_by_an_intruder_go_with_this_was_not_me() {
    on_domain(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let (mut own, mut intruders) = (Authenticator::new(ORIGIN), Authenticator::new(ORIGIN));
        register(&maya, &mut own).await;
        app.world.clock.advance(Duration::days(8));
        let maya = maya.holding(&sign_in_by_password(&app, "maya").await);
        app.deliver_all_mails().await;
        register(&maya, &mut intruders).await;
        let mail = app.deliver_all_mails().await.into_iter().find(|mail| mail.act == Some(SecurityAct::PasskeyAdded));
        let token = mail.expect("a mail").token;
        app.anonymous().post("/rest/v1/secure-account", json!({ "token": token })).await.ok();
        sign_in(&app, &mut intruders).await.await.refused(400, "webauthn_verification_failed");
        sign_in(&app, &mut own).await.await.ok();
    })
    .await;
}

#[tokio::test]
async fn no_passkeys_without_a_domain() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let options = |kind: &str| format!("/auth/v1/passkeys/{kind}/options");
        modern(maya.post(&options("registration"), json!({}))).await.refused(404, "passkey_disabled");
        modern(app.anonymous().post(&options("authentication"), json!({}))).await.refused(404, "passkey_disabled");
        let body = json!({ "factor_type": "webauthn", "friendly_name": "Key" });
        modern(maya.post("/auth/v1/factors", body)).await.refused(422, "mfa_webauthn_enroll_not_enabled");
        assert_eq!(app.anonymous().get("/auth/v1/settings").await.ok()["passkeys_enabled"], false);
    })
    .await;
}

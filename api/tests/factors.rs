//! Second factors: authenticators, recovery codes, required MFA.

use crate::support::{TestApp, TestRequest, TestUser, on_both};
use axum::http::Method;
use chrono::Duration;
use domain::kernel::db::Sql;
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

const PASSWORD: &str = "correct horse battery staple";

/// A request of a client that knows the new shape of errors.
fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

/// The same person with another token.
fn holding(person: &TestUser, token: &Value) -> TestUser {
    let mut person = person.clone();
    person.token = token.as_str().map(str::to_owned);
    person
}

/// An authenticator app.
#[derive(Clone)]
struct Phone {
    factor: String,
    totp: Totp,
}

impl Phone {
    fn code(&self, app: &TestApp) -> String {
        self.totp.generate(app.world.clock.now().timestamp() as u64).to_string()
    }
}

async fn enrol(person: &TestUser, name: &str) -> Phone {
    let made =
        modern(person.post("/auth/v1/factors", json!({ "factor_type": "totp", "friendly_name": name }))).await.ok();
    let secret = made["totp"]["secret"].as_str().expect("a secret");
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).expect("base 32")).build().expect("builds");
    Phone { factor: made["id"].as_str().expect("an id").to_owned(), totp }
}

async fn challenge(person: &TestUser, phone: &Phone) -> String {
    let path = format!("/auth/v1/factors/{}/challenge", phone.factor);
    let made = modern(person.post(&path, json!({ "factorId": phone.factor }))).await.ok();
    made["id"].as_str().expect("an id").to_owned()
}

fn try_code(person: &TestUser, phone: &Phone, challenge: &str, code: &str) -> TestRequest {
    let path = format!("/auth/v1/factors/{}/verify", phone.factor);
    modern(person.post(&path, json!({ "challenge_id": challenge, "code": code })))
}

/// Shows the authenticator; the answer is a session.
async fn show(app: &TestApp, person: &TestUser, phone: &Phone) -> Value {
    let challenge = challenge(person, phone).await;
    try_code(person, phone, &challenge, &phone.code(app)).await.ok()
}

async fn sign_in(app: &TestApp, first: &str) -> Value {
    let body = json!({ "email": format!("{first}@example.com"), "password": PASSWORD });
    app.anonymous().post("/auth/v1/token?grant_type=password", body).await.ok()
}

fn refresh(app: &TestApp, token: &Value) -> TestRequest {
    modern(app.anonymous().post("/auth/v1/token?grant_type=refresh_token", json!({ "refresh_token": token })))
}

fn claims(token: &Value) -> Value {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    let part = token.as_str().expect("a token").split('.').nth(1).expect("three parts").to_owned();
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).expect("base64")).expect("JSON")
}

#[tokio::test]
async fn enrolled_authenticator_is_required() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let elsewhere = sign_in(&app, "maya").await;
        let made = modern(maya.post(
            "/auth/v1/factors",
            json!({ "factor_type": "totp", "friendly_name": "Phone", "issuer": "SPV Portal" }),
        ))
        .await
        .ok();
        assert_eq!((made["type"].as_str(), made["friendly_name"].as_str()), (Some("totp"), Some("Phone")));
        assert!(made["totp"]["qr_code"].as_str().expect("markup").starts_with("<svg "));
        let uri = made["totp"]["uri"].as_str().expect("an address");
        assert!(uri.starts_with("otpauth://totp/SPV%20Portal:maya%40example.com?secret="), "{uri}");
        let secret = made["totp"]["secret"].as_str().expect("a secret").to_owned();
        assert!(uri.contains(&secret) && uri.contains("issuer=SPV%20Portal"));
        let mut db = app.world.db.clone();
        let kept: i64 = db
            .sql("select count(*) from factors where key_id like '%' || $1 || '%'")
            .bind(secret.clone())
            .scalar()
            .await
            .unwrap();
        assert_eq!(kept, 0);

        let totp = Builder::new().with_secret(Secret::try_from_base32(&secret).unwrap()).build().unwrap();
        let phone = Phone { factor: made["id"].as_str().unwrap().to_owned(), totp };
        let me = maya.get("/auth/v1/user").await.ok();
        assert_eq!((me["factors"][0]["status"].as_str(), me["factors"][0].get("secret")), (Some("unverified"), None));
        assert_eq!(me["factors"][0]["phone"], "");
        assert_eq!(
            maya.get("/rest/v1/me").await.ok()["mfa"],
            json!({ "required": false, "enrolled": false, "aal": "aal1", "due": null })
        );

        let session = show(&app, &maya, &phone).await;
        assert_eq!(
            (session["token_type"].as_str(), session["user"]["factors"][0]["status"].as_str()),
            (Some("bearer"), Some("verified"))
        );
        let said = claims(&session["access_token"]);
        assert_eq!(
            (said["aal"].as_str(), said["amr"][0]["method"].as_str(), said["amr"][1]["method"].as_str()),
            (Some("aal2"), Some("totp"), Some("password"))
        );
        let raised = holding(&maya, &session["access_token"]);
        assert_eq!(
            raised.get("/rest/v1/me").await.ok()["mfa"],
            json!({ "required": false, "enrolled": true, "aal": "aal2", "due": null })
        );
        raised.get("/rest/v1/clients").await.ok();

        // Other sessions have shown nothing and end; this one's old token stays what it was.
        modern(holding(&maya, &elsewhere["access_token"]).get("/auth/v1/user")).await.refused(403, "session_not_found");
        maya.get("/rest/v1/clients").await.refused(403, "mfa_required");
        modern(maya.ask(Method::DELETE, &format!("/auth/v1/factors/{}", phone.factor)))
            .await
            .refused(422, "insufficient_aal");

        // The next sign-in owes the second factor.
        app.world.clock.advance(Duration::seconds(60));
        let next = sign_in(&app, "maya").await;
        assert_eq!(next["user"]["factors"][0]["status"], "verified");
        let next_person = holding(&maya, &next["access_token"]);
        let me = next_person.get("/rest/v1/me").await.ok();
        assert_eq!((me["mfa"]["due"].as_str(), me["can"].as_array().map(Vec::len)), (Some("challenge"), Some(0)));
        next_person.get("/rest/v1/clients").await.refused(403, "mfa_required");
        modern(next_person.post("/auth/v1/factors", json!({ "factor_type": "totp", "friendly_name": "Mine" })))
            .await
            .refused(403, "insufficient_aal");
        modern(next_person.get("/auth/v1/sessions")).await.refused(403, "insufficient_aal");
        next_person.get("/rest/v1/sessions").await.refused(403, "insufficient_aal");
        // 403 would read as done.
        for scope in ["", "?scope=global", "?scope=others"] {
            let leaves = modern(next_person.ask(Method::POST, &format!("/auth/v1/logout{scope}")));
            leaves.await.refused(422, "insufficient_aal");
        }
        let session = show(&app, &next_person, &phone).await;
        holding(&maya, &session["access_token"]).get("/rest/v1/clients").await.ok();
        assert!(raised.get("/rest/v1/clients").await.status.is_success(), "a session at aal2 goes on");
    })
    .await;
}

#[tokio::test]
async fn totp_codes_work_once_within_their_window() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let phone = enrol(&maya, "Phone").await;
        let first = challenge(&maya, &phone).await;
        let said = try_code(&maya, &phone, &first, "000000").await.refused(422, "mfa_verification_failed");
        assert_eq!(said["message"], "Invalid TOTP code entered");
        let code = phone.code(&app);
        let session = try_code(&maya, &phone, &first, &code).await.ok();
        let maya = holding(&maya, &session["access_token"]);
        try_code(&maya, &phone, &first, &code).await.refused(422, "mfa_ip_address_mismatch");
        let second = challenge(&maya, &phone).await;
        try_code(&maya, &phone, &second, &code).await.refused(422, "mfa_verification_failed");
        app.world.clock.advance(Duration::seconds(30));
        try_code(&maya, &phone, &second, &code).await.refused(422, "mfa_verification_failed");
        try_code(&maya, &phone, &second, &phone.code(&app)).await.ok();

        let late = challenge(&maya, &phone).await;
        app.world.clock.advance(Duration::seconds(301));
        try_code(&maya, &phone, &late, &phone.code(&app)).await.refused(422, "mfa_challenge_expired");
        let unknown = app.world.random.uuid().to_string();
        try_code(&maya, &phone, &unknown, &phone.code(&app)).await.refused(422, "mfa_factor_not_found");
        try_code(&maya, &phone, "x", &phone.code(&app)).await.refused(422, "mfa_factor_not_found");
        try_code(&maya, &phone, &unknown, "").await.refused(400, "validation_failed");
    })
    .await;
}

#[tokio::test]
async fn factor_errors_have_protocol_codes() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let ask = |body: Value| modern(maya.post("/auth/v1/factors", body));
        ask(json!({ "factor_type": "phone" })).await.refused(422, "mfa_phone_enroll_not_enabled");
        ask(json!({ "factor_type": "webauthn" })).await.refused(422, "mfa_webauthn_enroll_not_enabled");
        ask(json!({ "factor_type": "smoke" })).await.refused(400, "validation_failed");
        ask(json!({ "factor_type": "totp", "friendly_name": "a\u{0}b" })).await.refused(400, "validation_failed");
        ask(json!({ "factor_type": "totp" })).await.ok();
        ask(json!({ "factor_type": "totp", "friendly_name": "" })).await.refused(422, "mfa_factor_name_conflict");
        for n in 1..10 {
            ask(json!({ "factor_type": "totp", "friendly_name": n.to_string() })).await.ok();
        }
        ask(json!({ "factor_type": "totp", "friendly_name": "11" }))
            .await
            .refused(422, "too_many_enrolled_mfa_factors");
        app.world.clock.advance(Duration::seconds(301));
        assert!(maya.get("/auth/v1/user").await.ok().get("factors").is_none(), "what was not shown in time is gone");
        let phone = enrol(&maya, "").await;

        let noah = app.employee("Noah").await;
        let path = format!("/auth/v1/factors/{}", phone.factor);
        modern(noah.post(&format!("{path}/challenge"), json!({}))).await.refused(404, "mfa_factor_not_found");
        modern(noah.delete(&path)).await.refused(404, "mfa_factor_not_found");
        modern(maya.post("/auth/v1/factors/x/challenge", json!({}))).await.refused(404, "validation_failed");
        modern(maya.delete("/auth/v1/factors/x")).await.refused(404, "validation_failed");
        modern(app.anonymous().post("/auth/v1/factors", json!({ "factor_type": "totp" })))
            .await
            .refused(401, "no_authorization");
        assert_eq!(
            modern(maya.delete(&path)).await.ok()["id"],
            phone.factor.as_str(),
            "what does not count is removed at aal1"
        );
    })
    .await;
}

#[tokio::test]
async fn wrong_totp_codes_are_throttled() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let phone = enrol(&maya, "Phone").await;
        let first = challenge(&maya, &phone).await;
        for _ in 0..5 {
            try_code(&maya, &phone, &first, "000000").await.refused(422, "mfa_verification_failed");
        }
        let wait = try_code(&maya, &phone, &first, &phone.code(&app)).await;
        assert_eq!(wait.header("retry-after"), Some("1"));
        let said = wait.refused(429, "over_request_rate_limit");
        assert!(said["retry_after"] == 1 && said["message"].as_str().expect("words").contains("1 s"), "{said}");
        app.world.clock.advance(Duration::seconds(1));
        try_code(&maya, &phone, &first, "000000").await.refused(422, "mfa_verification_failed");
        assert_eq!(
            try_code(&maya, &phone, &first, "000000").await.refused(429, "over_request_rate_limit")["retry_after"],
            2
        );
        app.world.clock.advance(Duration::seconds(2));
        try_code(&maya, &phone, &first, &phone.code(&app)).await.ok();
    })
    .await;
}

#[tokio::test]
async fn aal1_tokens_stay_aal1_after_elevation() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let before = sign_in(&app, "maya").await;
        let maya = holding(&maya, &before["access_token"]);
        let phone = enrol(&maya, "Phone").await;
        let session = show(&app, &maya, &phone).await;
        assert_eq!(claims(&session["access_token"])["session_id"], claims(&before["access_token"])["session_id"]);
        refresh(&app, &before["refresh_token"]).await.refused(400, "refresh_token_not_found");
        let next = refresh(&app, &session["refresh_token"]).await.ok();
        assert_eq!(claims(&next["access_token"])["aal"], "aal2");
        app.world.clock.advance(Duration::seconds(11));
        refresh(&app, &session["refresh_token"]).await.ok();
        refresh(&app, &before["refresh_token"]).await.refused(400, "refresh_token_already_used");
        refresh(&app, &next["refresh_token"]).await.refused(400, "session_not_found");
    })
    .await;
}

#[tokio::test]
async fn removing_the_factor_drops_the_session_to_aal1() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let phone = enrol(&maya, "Phone").await;
        let maya = holding(&maya, &show(&app, &maya, &phone).await["access_token"]);
        let codes = modern(maya.ask(Method::POST, "/auth/v1/factors/recovery-codes")).await.ok();
        assert_eq!(codes["total"], 10);
        modern(maya.delete(&format!("/auth/v1/factors/{}", phone.factor))).await.ok();
        let me = maya.get("/auth/v1/user").await.ok();
        assert!(me.get("factors").is_none(), "recovery codes are never alone: {me}");
        assert_eq!(
            maya.get("/rest/v1/me").await.ok()["mfa"],
            json!({ "required": false, "enrolled": false, "aal": "aal1", "due": null })
        );
    })
    .await;
}

#[tokio::test]
async fn recovery_codes_work_once() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let path = "/auth/v1/factors/recovery-codes";
        let verify =
            |person: &TestUser, code: &str| modern(person.post(&format!("{path}/verify"), json!({ "code": code })));
        modern(maya.get(path)).await.refused(404, "mfa_factor_not_found");
        modern(maya.ask(Method::POST, path)).await.refused(422, "mfa_recovery_codes_sole_factor");
        verify(&maya, "k4m9x7qp2ab8ht3z").await.refused(422, "mfa_verification_failed");
        let phone = enrol(&maya, "Phone").await;
        let raised = holding(&maya, &show(&app, &maya, &phone).await["access_token"]);
        let made = modern(raised.post(path, json!({ "friendly_name": "On paper" }))).await.ok();
        assert_eq!((made["type"].as_str(), made["friendly_name"].as_str()), (Some("recovery_code"), Some("On paper")));
        let codes: Vec<String> = serde_json::from_value(made["codes"].clone()).expect("texts");
        assert!(codes.len() == 10 && codes.iter().all(|code| code.len() == 16));
        let mut db = app.world.db.clone();
        let kept: i64 = db
            .sql("select count(*) from recovery_codes where code_hash = $1")
            .bind(codes[0].clone())
            .scalar()
            .await
            .unwrap();
        assert_eq!(kept, 0);
        modern(raised.ask(Method::POST, path)).await.refused(422, "mfa_verified_factor_exists");
        assert_eq!(
            modern(raised.get(path)).await.ok(),
            json!({ "id": made["id"], "type": "recovery_code", "total": 10, "remaining": 10 })
        );
        let factors = raised.get("/auth/v1/user").await.ok()["factors"].clone();
        assert_eq!(
            (factors[1]["factor_type"].as_str(), factors[1]["status"].as_str()),
            (Some("recovery_code"), Some("verified"))
        );

        // The telephone is lost.
        let next = holding(&maya, &sign_in(&app, "maya").await["access_token"]);
        modern(next.ask(Method::POST, &format!("{path}/regenerate"))).await.refused(403, "insufficient_aal");
        modern(next.delete(path)).await.refused(403, "insufficient_aal");
        let typed = codes[3]
            .to_uppercase()
            .as_bytes()
            .chunks(4)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect::<Vec<_>>()
            .join("-");
        let session = verify(&next, &typed).await.ok();
        let said = claims(&session["access_token"]);
        assert_eq!(
            (said["aal"].as_str(), said["amr"][0]["method"].as_str()),
            (Some("aal2"), Some("mfa/recovery_code"))
        );
        let next = holding(&maya, &session["access_token"]);
        next.get("/rest/v1/clients").await.ok();
        assert_eq!(modern(next.get(path)).await.ok()["remaining"], 9);
        verify(&next, &codes[3]).await.refused(422, "mfa_verification_failed");
        let remade = modern(next.ask(Method::POST, &format!("{path}/regenerate"))).await.ok();
        assert_eq!((remade["id"].as_str(), remade["friendly_name"].as_str()), (made["id"].as_str(), Some("On paper")));
        for _ in 0..5 {
            verify(&next, &codes[4]).await.refused(422, "mfa_verification_failed");
        }
        let locked = verify(&next, &codes[4]).await;
        assert_eq!(locked.header("retry-after"), Some("1"));
        locked.refused(429, "mfa_recovery_codes_locked");
        assert_eq!(modern(next.delete(path)).await.ok()["id"], made["id"]);
        assert_eq!(
            next.get("/rest/v1/me").await.ok()["mfa"]["due"],
            "challenge",
            "what had raised the session is gone"
        );
    })
    .await;
}

#[tokio::test]
async fn roles_with_required_mfa_are_blocked_without_it() {
    on_both(async |app: TestApp| {
        app.run_sequencer();
        let ada = app.super_admin("Ada").await;
        let maya = app.employee("Maya").await;
        maya.get("/rest/v1/clients").await.ok();
        let all_off =
            json!({ "client": false, "iso": false, "employee": false, "company_admin": false, "super_admin": false });
        assert_eq!(maya.get("/rest/v1/settings").await.ok()["require_mfa"], all_off);
        let wanted = json!({ "require_mfa": { "employee": true } });
        maya.ask(Method::PUT, "/rest/v1/settings").json(&wanted).await.refused(403, "forbidden");
        let set = ada.ask(Method::PUT, "/rest/v1/settings").json(&wanted).await.ok();
        assert_eq!(set["require_mfa"]["employee"], true);
        // What it remembers of her is forgotten soon; how soon is not what is tried here.
        for _ in 0..100 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            if maya.get("/rest/v1/clients").await.status == 403 {
                break;
            }
        }
        maya.get("/rest/v1/clients").await.refused(403, "mfa_enrolment_required");
        maya.get("/rest/v1/me/sign-ins").await.refused(403, "mfa_enrolment_required");
        assert_eq!(
            maya.get("/rest/v1/me").await.ok()["mfa"],
            json!({ "required": true, "enrolled": false, "aal": "aal1", "due": "enrol" })
        );
        maya.get("/rest/v1/settings").await.ok();
        ada.get("/rest/v1/clients").await.ok();
        let phone = enrol(&maya, "Phone").await;
        let maya = holding(&maya, &show(&app, &maya, &phone).await["access_token"]);
        maya.get("/rest/v1/clients").await.ok();
    })
    .await;
}

/// Every change to second factors, as one person would try it: what each was answered, by code or `ok`.
async fn changes(person: &TestUser, phone: &Phone, name: &str) -> Vec<String> {
    let codes = "/auth/v1/factors/recovery-codes";
    let name = json!({ "factor_type": "totp", "friendly_name": name });
    let mut told = Vec::new();
    for asking in [
        person.post("/auth/v1/factors", name),
        person.ask(Method::POST, codes),
        person.ask(Method::POST, &format!("{codes}/regenerate")),
        person.ask(Method::DELETE, codes),
        person.delete(&format!("/auth/v1/factors/{}", phone.factor)),
    ] {
        let answer = modern(asking).await;
        told.push(answer.body["code"].as_str().unwrap_or("ok").to_owned());
    }
    told
}

#[tokio::test]
async fn factor_changes_need_recent_reauthentication() {
    on_both(async |app: TestApp| {
        app.client("Maya").await;
        let mut session = sign_in(&app, "maya").await;
        let maya = |session: &Value| app.anonymous().holding(session);
        // As old as may be; a refresh is no proof, however many there were.
        app.world.clock.advance(Duration::minutes(10));
        session = refresh(&app, &session["refresh_token"]).await.ok();
        let early = enrol(&maya(&session), "Early").await;
        let shown = challenge(&maya(&session), &early).await;
        app.world.clock.advance(Duration::seconds(1));
        for _ in 0..3 {
            session = refresh(&app, &session["refresh_token"]).await.ok();
        }
        try_code(&maya(&session), &early, &shown, &early.code(&app)).await.refused(400, "reauthentication_needed");
        modern(maya(&session).post("/auth/v1/factors", json!({ "factor_type": "totp", "friendly_name": "Late" })))
            .await
            .refused(400, "reauthentication_needed");
        modern(maya(&session).delete(&format!("/auth/v1/factors/{}", early.factor))).await.ok();

        // Signing in again does: it is another session, or this one with another proof.
        let again = sign_in(&app, "maya").await;
        let phone = enrol(&maya(&again), "Phone").await;
        let raised = show(&app, &maya(&again), &phone).await;
        app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        let late = refresh(&app, &raised["refresh_token"]).await.ok();
        assert_eq!(
            changes(&maya(&late), &phone, "Phone 2").await,
            [
                "reauthentication_needed",
                "reauthentication_needed",
                "mfa_factor_not_found",
                "mfa_factor_not_found",
                "reauthentication_needed"
            ]
        );
        let renewed = show(&app, &maya(&late), &phone).await;
        assert_eq!(changes(&maya(&renewed), &phone, "Phone 3").await, ["ok", "ok", "ok", "ok", "ok"]);
    })
    .await;
}

#[tokio::test]
async fn password_or_mailed_code_reauthenticates_the_session() {
    on_both(async |app: TestApp| {
        app.client("Maya").await;
        let old = sign_in(&app, "maya").await;
        app.world.clock.advance(Duration::minutes(11));
        let prove = async |session: &Value, body: Value| {
            modern(app.anonymous().holding(session).post("/auth/v1/reauthenticate", body)).await
        };
        for wrong in [json!({}), json!({ "password": PASSWORD, "nonce": "123456" }), json!({ "password": "" })] {
            prove(&old, wrong).await.refused(400, "validation_failed");
        }
        prove(&old, json!({ "password": "wrong" })).await.refused(400, "current_password_invalid");
        prove(&old, json!({ "nonce": "000000" })).await.refused(422, "reauthentication_not_valid");
        let first = prove(&old, json!({ "password": PASSWORD })).await.ok();
        assert_eq!(claims(&first["access_token"])["session_id"], claims(&old["access_token"])["session_id"]);
        let add = |session: &Value, name: &str| {
            let body = json!({ "factor_type": "totp", "friendly_name": name });
            modern(app.anonymous().holding(session).post("/auth/v1/factors", body))
        };
        add(&first, "One").await.ok();
        // A token from before may have been stolen.
        add(&old, "Thief").await.refused(400, "reauthentication_needed");

        app.world.clock.advance(Duration::minutes(11));
        add(&first, "Two").await.refused(400, "reauthentication_needed");
        modern(app.anonymous().holding(&first).get("/auth/v1/reauthenticate")).await.ok();
        let code = app.only_mail().await.code;
        let proven = prove(&first, json!({ "nonce": code })).await.ok();
        let said = claims(&proven["access_token"]);
        assert_eq!(
            (said["amr"][0]["method"].as_str(), said["amr"][1]["method"].as_str()),
            (Some("otp"), Some("password")),
            "the newest first"
        );
        prove(&first, json!({ "nonce": code })).await.refused(422, "reauthentication_not_valid");
        add(&proven, "Three").await.ok();

        // Guessing takes longer and longer, for whoever holds the token too.
        let mut told = Vec::new();
        for _ in 0..6 {
            told.push(prove(&proven, json!({ "password": "a guess" })).await.status.as_u16());
        }
        assert_eq!(told, [400, 400, 400, 400, 400, 429]);
        modern(app.anonymous().post("/auth/v1/reauthenticate", json!({ "password": PASSWORD })))
            .await
            .refused(401, "no_authorization");
    })
    .await;
}

//! Mails of `/auth/v1`: recovery, magic link, sign-up, invitations.

use crate::support::{SentMail, TestApp, TestRequest, TestResponse, on_both, on_both_with};
use axum::http::Method;
use chrono::Duration;
use domain::{
    accounts::{mail_delivery, users},
    kernel::page::PageQuery,
    outbox::mails::{self, Kind},
    platform::queue::{self, Job},
};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

async fn post(app: &TestApp, path: &str, body: Value) -> TestResponse {
    modern(app.anonymous().post(&format!("/auth/v1/{path}"), body)).await
}

fn pkce(mut body: Value) -> Value {
    body["code_challenge"] = CHALLENGE.into();
    body["code_challenge_method"] = "s256".into();
    body
}

/// Posts the form of our page, which expects a redirect.
async fn click(app: &TestApp, letter: &SentMail, kind: &str) -> String {
    let body = json!({ "type": kind, "token_hash": letter.token, "skip_http_redirect": true });
    post(app, "verify", body).await.ok()["url"].as_str().unwrap().to_owned()
}

fn query(url: &str, name: &str) -> Option<String> {
    let url = url::Url::parse(url).unwrap();
    url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
}

async fn exchange(app: &TestApp, code: &str, verifier: &str) -> TestResponse {
    post(app, "token?grant_type=pkce", json!({ "auth_code": code, "code_verifier": verifier })).await
}

fn methods(app: &TestApp, session: &Value) -> String {
    let claims: Value = app.app.auth.keys.verify(session["access_token"].as_str().unwrap()).unwrap();
    claims["amr"][0]["method"].as_str().unwrap().to_owned()
}

/// Per mail job: the mail's kind, and its delay in hours. Other jobs start by the real clock.
async fn sends(app: &TestApp) -> Vec<(Kind, i64)> {
    let ctx = app.world.operator();
    let page = PageQuery { limit: Some(100), cursor: None };
    let mut sends = Vec::new();
    for job in queue::list(&ctx, None, &page).await.unwrap().items.into_iter().rev() {
        if job.job == mails::Send::NAME {
            let id = job.payload["mail_id"].as_str().unwrap().parse().unwrap();
            let mail = mails::get(&ctx, id).await.unwrap();
            let waits = job.run_at == Some(mail.created_at + Duration::hours(24));
            sends.push((mail.kind, if waits { 24 } else { 0 }));
        }
    }
    sends.sort_by_key(|(kind, wait)| (*wait, kind.name()));
    sends
}

async fn mail_of(app: &TestApp, kind: Kind) -> mail_delivery::Outgoing {
    let ctx = app.world.operator();
    let page = PageQuery { limit: Some(100), cursor: None };
    let found = mails::list(&ctx, None, &page).await.unwrap().items.into_iter().find(|mail| mail.kind == kind);
    mail_delivery::load_for_sending(&ctx, found.unwrap().id).await.unwrap().unwrap()
}

#[tokio::test]
async fn first_order_mail_waits_for_account_setup() {
    for (setup, first) in [("quick", Kind::PasswordSetup), ("full", Kind::WelcomeSetup)] {
        on_both(async |app: TestApp| {
            let erin = app.employee("Erin").await;
            let client = json!({ "setup": setup, "first_name": "Nora", "last_name": "Lund", "email": "nora@example.com",
                "company_id": app.acme, "price": "100.00" });
            erin.post("/rest/v1/clients", client).await.ok();
            assert_eq!(sends(&app).await, [(first, 0), (Kind::SpvCreated, 24)], "{setup}");

            let link = mail_of(&app, first).await.link.unwrap();
            let body = json!({ "type": "recovery", "token_hash": link.token });
            let session = post(&app, "verify", body).await.ok();
            let nora = app.anonymous().holding(&session);
            assert_eq!(nora.get("/rest/v1/me").await.ok()["first_password"], true);
            modern(nora.put("/auth/v1/user", json!({ "password": PASSWORD }))).await.ok();
            assert_eq!(nora.get("/rest/v1/me").await.ok()["first_password"], false);
            let mut expected: [(Kind, i64); 3] = [(first, 0), (Kind::SpvCreated, 0), (Kind::SpvCreated, 24)];
            expected.sort_by_key(|(kind, wait)| (*wait, kind.name()));
            assert_eq!(sends(&app).await, expected, "{setup}");

            // The later job finds it sent; its button is a sign-in link that works now.
            let ordered = mail_of(&app, Kind::SpvCreated).await;
            assert!(!ordered.before_setup);
            mails::mark_sent(&app.world.operator(), ordered.mail.id, None).await.unwrap();
            assert!(mail_delivery::load_for_sending(&app.world.operator(), ordered.mail.id).await.unwrap().is_none());
        })
        .await;
    }
}

#[tokio::test]
async fn first_order_mail_goes_without_link_after_a_day() {
    on_both(async |app: TestApp| {
        let erin = app.employee("Erin").await;
        let client = json!({ "setup": "quick", "first_name": "Nora", "last_name": "Lund", "email": "nora@example.com",
            "company_id": app.acme, "price": "100.00" });
        let made = erin.post("/rest/v1/clients", client).await.ok();
        assert!(mail_of(&app, Kind::SpvCreated).await.before_setup);
        app.world.clock.advance(Duration::hours(1));
        let identifier = made["spv"]["identifier"].as_str().unwrap();
        let wish = json!({ "clientEmail": "nora@example.com", "spvIdentifier": identifier });
        // Erin's access token has expired.
        let noah = app.employee("Noah").await;
        noah.post("/functions/v1/notify-client-spv", wish).await.ok();
        assert!(!mail_of(&app, Kind::SpvCreated).await.before_setup, "what staff ask for is sent as ever");
        let due: Vec<_> = sends(&app).await.into_iter().map(|(kind, wait)| (kind, wait > 0)).collect();
        let expected = [(Kind::PasswordSetup, false), (Kind::SpvCreated, false), (Kind::SpvCreated, true)];
        assert_eq!(due, expected);
    })
    .await;
}

#[tokio::test]
async fn job_list_hides_mail_requesters() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        app.employee("Maya").await;
        let wish = json!({ "email": "maya@example.com", "code_challenge": VERIFIER, "code_challenge_method": "plain" });
        post(&app, "recover", wish).await.ok();
        let jobs = sam.get("/rest/v1/jobs?limit=100").await.ok();
        let asked = jobs["items"].as_array().unwrap().iter().find(|job| job["name"] == "auth.mail_asked").unwrap();
        assert_eq!(asked["payload"], json!({ "wanted": "recovery" }));
        let kept = queue::get(&app.world.operator(), asked["id"].as_str().unwrap()).await.unwrap().payload;
        assert!(!kept.to_string().contains(VERIFIER), "{kept}");
        let code = query(&click(&app, &app.only_mail().await, "recovery").await, "code").unwrap();
        exchange(&app, &code, CHALLENGE).await.refused(400, "bad_code_verifier");
        exchange(&app, &code, VERIFIER).await.ok();
    })
    .await;
}

#[tokio::test]
async fn pkce_recovery_returns_a_code_to_the_same_browser() {
    on_both(async |app: TestApp| {
        app.employee("Maya").await;
        let to = "http%3A%2F%2F127.0.0.1%3A8080%2Fauth%2Freset-password%3Fflow%3D1";
        post(&app, &format!("recover?redirect_to={to}"), pkce(json!({ "email": "maya@example.com" }))).await.ok();
        let letter = app.only_mail().await;
        assert_eq!(letter.kind, Kind::Recovery);
        assert!(letter.token.starts_with("pkce_") && letter.url.ends_with(&format!("&redirect_to={to}")), "{letter:?}");
        let back = click(&app, &letter, "recovery").await;
        assert!(back.starts_with("http://127.0.0.1:8080/auth/reset-password?flow=1&code="), "{back}");
        let code = query(&back, "code").unwrap();
        exchange(&app, &code, "wrong").await.refused(400, "bad_code_verifier");
        exchange(&app, "", VERIFIER).await.refused(400, "validation_failed");
        let session = exchange(&app, &code, VERIFIER).await.ok();
        assert_eq!(
            (session["user"]["email"].as_str(), methods(&app, &session)),
            (Some("maya@example.com"), "recovery".to_owned())
        );
        exchange(&app, &code, VERIFIER).await.refused(404, "flow_state_not_found");
        post(&app, "verify", json!({ "type": "recovery", "token_hash": letter.token }))
            .await
            .refused(403, "otp_expired");

        // `redirect_to` has priority over the referring page.
        app.world.clock.advance(Duration::seconds(60));
        let body = json!({ "email": "maya@example.com", "redirect_to": "http://127.0.0.1:3000/asked" });
        let asking = app.anonymous().post("/auth/v1/recover", body);
        asking.header("referer", "http://127.0.0.1:3000/page").await.ok();
        assert!(app.only_mail().await.url.ends_with("&redirect_to=http%3A%2F%2F127.0.0.1%3A3000%2Fasked"));

        app.world.clock.advance(Duration::seconds(60));
        post(&app, "recover", pkce(json!({ "email": "maya@example.com" }))).await.ok();
        let back = click(&app, &app.only_mail().await, "recovery").await;
        app.world.clock.advance(Duration::seconds(300));
        exchange(&app, &query(&back, "code").unwrap(), VERIFIER).await.refused(422, "flow_state_expired");

        // In another browser: the code, or the link without a redirect.
        post(&app, "recover", pkce(json!({ "email": "maya@example.com" }))).await.ok();
        let letter = app.only_mail().await;
        let typed = json!({ "type": "recovery", "email": "maya@example.com", "token": letter.code });
        assert_eq!(methods(&app, &post(&app, "verify", typed).await.ok()), "otp");
        app.world.clock.advance(Duration::seconds(60));
        post(&app, "recover", pkce(json!({ "email": "maya@example.com" }))).await.ok();
        let clicked = json!({ "type": "recovery", "token_hash": app.only_mail().await.token });
        assert_eq!(methods(&app, &post(&app, "verify", clicked).await.ok()), "otp");
    })
    .await;
}

#[tokio::test]
async fn verify_form_redirects_with_session_or_error() {
    on_both(async |app: TestApp| {
        app.employee("Maya").await;
        post(&app, "recover", json!({ "email": "maya@example.com" })).await.ok();
        let letter = app.only_mail().await;
        let send = async |token: &str| {
            let form = format!("token={token}&type=recovery&redirect_to=http%3A%2F%2F127.0.0.1%3A3000%2Fin%3Fa%3D1");
            let asking = app.anonymous().ask(Method::POST, "/auth/v1/verify").raw(form);
            let answer = asking.header("content-type", "application/x-www-form-urlencoded").await;
            assert_eq!(answer.status.as_u16(), 303);
            answer.header("location").unwrap().to_owned()
        };
        let to = send(&letter.token).await;
        assert!(to.starts_with("http://127.0.0.1:3000/in?a=1#access_token=ey"), "{to}");
        for part in
            ["&expires_at=", "&expires_in=900", "&refresh_token=", "&sb=", "&token_type=bearer", "&type=recovery"]
        {
            assert!(to.contains(part), "{part}: {to}");
        }
        let to = send(&letter.token).await;
        let said = "error=access_denied&error_code=otp_expired&error_description=Token+has+expired+or+is+invalid";
        assert_eq!(to, format!("http://127.0.0.1:3000/in?a=1&{said}#{said}&sb="));
        let open = "token=x&type=recovery&redirect_to=https%3A%2F%2Fevil.example";
        let asking = app.anonymous().ask(Method::POST, "/auth/v1/verify").raw(open);
        let answer = asking.header("content-type", "application/x-www-form-urlencoded").await;
        assert!(answer.header("location").unwrap().starts_with("http://127.0.0.1:8080/?error="));
    })
    .await;
}

#[tokio::test]
async fn magic_links_need_an_account() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        for path in ["otp", "magiclink"] {
            post(&app, path, json!({ "email": "maya@example.com", "create_user": false })).await.ok();
            post(&app, path, json!({ "email": "maya@example.com" })).await.refused(429, "over_email_send_rate_limit");
            app.world.clock.advance(Duration::seconds(60));
            let letter = app.only_mail().await;
            assert_eq!(letter.kind, Kind::MagicLink);
            assert!(letter.url.contains("/auth/confirm?token_hash=") && letter.url.contains("&type=magiclink"));
            let session =
                post(&app, "verify", json!({ "type": "email", "email": "Maya@example.com", "token": letter.code }))
                    .await
                    .ok();
            maya.holding(&session).get("/auth/v1/user").await.ok();
            post(&app, "verify", json!({ "type": "magiclink", "token_hash": letter.token }))
                .await
                .refused(403, "otp_expired");
        }
        for (body, status, code) in [
            (json!({ "email": "nobody@example.com", "create_user": false }), 422, "otp_disabled"),
            (json!({ "email": "nobody@example.com" }), 422, "otp_disabled"),
            (json!({ "phone": "+15550100" }), 400, "phone_provider_disabled"),
            (json!({ "email": "maya@example.com", "phone": "+15550100" }), 400, "validation_failed"),
            (json!({ "email": "maya@example.com", "channel": "sms" }), 400, "validation_failed"),
            (json!({ "email": "maya@" }), 400, "validation_failed"),
            (json!({}), 400, "validation_failed"),
            (json!({ "email": "maya@example.com", "code_challenge": CHALLENGE }), 400, "validation_failed"),
        ] {
            post(&app, "otp", body).await.refused(status, code);
        }
        post(&app, "otp", pkce(json!({ "email": "maya@example.com" }))).await.ok();
        let back = click(&app, &app.only_mail().await, "magiclink").await;
        let session = exchange(&app, &query(&back, "code").unwrap(), VERIFIER).await.ok();
        assert_eq!(methods(&app, &session), "magiclink");
        users::suspend(&app.world.operator(), maya.id, None).await.unwrap();
        app.world.clock.advance(Duration::seconds(60));
        post(&app, "otp", json!({ "email": "maya@example.com" })).await.ok();
        assert!(app.deliver_mails().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn opening_any_link_consumes_nothing() {
    on_both(async |app: TestApp| {
        app.employee("Maya").await;
        post(&app, "otp", json!({ "email": "maya@example.com" })).await.ok();
        let letter = app.only_mail().await;
        for (kind, page, shown) in [
            ("magiclink", "/auth/confirm", "magiclink"),
            ("signup", "/auth/confirm", "signup"),
            ("email_change", "/auth/confirm", "email_change"),
            ("email", "/auth/confirm", "email"),
            ("invite", "/auth/reset-password", "recovery"),
            ("recovery", "/auth/reset-password", "recovery"),
        ] {
            for method in [Method::GET, Method::HEAD] {
                let path = format!("/auth/v1/verify?token={}&type={kind}&redirect_to=http%3A%2F%2F127.0.0.1%3A3000", letter.token);
                let answer = app.anonymous().ask(method, &path).await;
                assert_eq!(answer.status.as_u16(), 303);
                let to = format!(
                    "http://127.0.0.1:8080{page}?token_hash={}&type={shown}&redirect_to=http%3A%2F%2F127.0.0.1%3A3000%2F",
                    letter.token
                );
                assert_eq!(answer.header("location"), Some(to.as_str()));
            }
        }
        modern(app.anonymous().get("/auth/v1/verify?type=odd&token=x")).await.refused(400, "validation_failed");
        post(&app, "verify", json!({ "type": "magiclink", "token_hash": letter.token })).await.ok();
    })
    .await;
}

fn open(options: &mut domain::Options, _: &mut api::HttpConfig) {
    options.signup = true;
}

#[tokio::test]
async fn sign_up_is_complete_after_confirmation() {
    on_both_with(open, async |app: TestApp| {
        assert_eq!(app.anonymous().get("/auth/v1/settings").await.ok()["disable_signup"], false);
        let new = json!({ "email": "Nora@example.com", "password": PASSWORD,
            "data": { "first_name": "Nora", "role": "super_admin", "colour": "blue", "sub": "x" } });
        let user = post(&app, "signup", new.clone()).await.ok();
        assert!(user["confirmation_sent_at"].is_string() && user.get("access_token").is_none());
        assert_eq!(user["user_metadata"], new["data"], "as it was given, until it is confirmed");
        let known = &user["identities"][0]["identity_data"];
        assert_eq!((&known["colour"], &known["first_name"]), (&json!("blue"), &json!("Nora")));
        assert_eq!((&known["sub"], &known["email"]), (&user["id"], &user["email"]));
        assert_eq!((user["app_metadata"]["role"].as_str(), user.get("email_confirmed_at")), (Some("client"), None));
        let wrong = json!({ "email": "nora@example.com", "password": "x" });
        post(&app, "token?grant_type=password", wrong).await.refused(400, "invalid_credentials");
        let right = json!({ "email": "nora@example.com", "password": PASSWORD });
        post(&app, "token?grant_type=password", right.clone()).await.refused(400, "email_not_confirmed");

        // Again: the same account, another mail, and the password unchanged.
        let again = json!({ "email": "nora@example.com", "password": "another good password" });
        post(&app, "signup", again.clone()).await.refused(429, "over_email_send_rate_limit");
        app.world.clock.advance(Duration::seconds(60));
        assert_eq!(post(&app, "signup", again).await.ok()["id"], user["id"]);
        app.world.clock.advance(Duration::seconds(60));
        post(&app, "resend", json!({ "type": "signup", "email": "nora@example.com" })).await.ok();
        let letters = app.deliver_mails().await;
        assert!(letters.len() == 3 && letters.iter().all(|letter| letter.kind == Kind::ConfirmSignup), "{letters:?}");
        assert!(letters[2].url.contains("/auth/confirm?token_hash=") && letters[2].url.ends_with("&type=signup"));
        let session = post(&app, "verify", json!({ "type": "signup", "token_hash": letters[2].token })).await.ok();
        assert!(session["user"]["email_confirmed_at"].is_string());
        assert_eq!(session["user"]["user_metadata"]["email_verified"], true);
        assert_eq!(session["user"]["user_metadata"]["colour"], "blue");
        post(&app, "verify", json!({ "type": "signup", "token_hash": letters[0].token }))
            .await
            .refused(403, "otp_expired");
        post(&app, "token?grant_type=password", right).await.ok();

        // Now it is known, which only its owner learns.
        app.world.clock.advance(Duration::seconds(60));
        let fake = post(&app, "signup", new).await.ok();
        assert_ne!(fake["id"], user["id"]);
        assert_eq!((fake["identities"].clone(), fake["role"].as_str()), (json!([]), Some("")));
        assert_eq!(app.only_mail().await.kind, Kind::AlreadyRegistered);
        app.world.clock.advance(Duration::seconds(60));
        post(&app, "resend", json!({ "type": "signup", "email": "nora@example.com" })).await.ok();
        assert!(app.deliver_mails().await.is_empty(), "nothing is waited for");

        post(&app, "otp", pkce(json!({ "email": "otto@example.com", "data": { "name": "Otto Ott" } }))).await.ok();
        let letter = app.only_mail().await;
        assert_eq!(letter.kind, Kind::ConfirmSignup);
        let back = click(&app, &letter, "magiclink").await;
        let session = exchange(&app, &query(&back, "code").unwrap(), VERIFIER).await.ok();
        assert_eq!(methods(&app, &session), "email/signup");
        assert_eq!(session["user"]["user_metadata"]["first_name"], "Otto");
    })
    .await;
}

#[tokio::test]
async fn sign_up_errors_name_the_field() {
    on_both_with(open, async |app: TestApp| {
        for (body, status, code, text) in [
            (json!({}), 422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled"),
            (json!({ "data": {} }), 422, "anonymous_provider_disabled", ""),
            (json!({ "phone": "+15550100", "password": PASSWORD }), 400, "phone_provider_disabled", ""),
            (json!({ "phone": "+1", "email": "a@example.com", "password": PASSWORD }), 400, "validation_failed", ""),
            (json!({ "email": "a@example.com" }), 400, "validation_failed", "password"),
            (json!({ "email": "a@example.com", "password": "x1".repeat(65) }), 400, "validation_failed", ""),
            (
                json!({ "email": "a@example.com", "password": "short" }),
                422,
                "weak_password",
                "Password should be at least 8 characters",
            ),
            (
                json!({ "email": "a@", "password": PASSWORD }),
                400,
                "validation_failed",
                "Unable to validate email address: invalid format",
            ),
            (
                json!({ "email": "a@example.com", "password": PASSWORD, "code_challenge": CHALLENGE }),
                400,
                "validation_failed",
                "",
            ),
            (
                json!({ "email": "a@example.com", "password": PASSWORD, "data": { "x": "a\u{0}" } }),
                422,
                "validation_failed",
                "",
            ),
            (json!({ "email": "a@example.com", "password": PASSWORD, "data": 5 }), 400, "bad_json", ""),
        ] {
            let said = post(&app, "signup", body).await.refused(status, code);
            assert!(said["message"].as_str().unwrap().contains(text), "{said}");
        }
    })
    .await;
    on_both_with(
        |options, http| {
            open(options, http);
            options.autoconfirm = true;
        },
        async |app: TestApp| {
            let new = json!({ "email": "nora@example.com", "password": PASSWORD });
            let session = post(&app, "signup", new.clone()).await.ok();
            assert!(session["access_token"].is_string() && session["user"]["email_confirmed_at"].is_string());
            let said = post(&app, "signup", new).await.refused(422, "user_already_exists");
            assert_eq!(said["message"], "User already registered");
        },
    )
    .await;
}

//! Security mails: each act with power over an account is mailed to its owner, and "This wasn't me" secures the account.
use crate::support::{SentMail, TestApp, TestRequest, TestUser, on_both, on_both_with};
use axum::http::Method;
use chrono::Duration;
use domain::outbox::mails::{Kind, SecurityAct};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

const PASSWORD: &str = "correct horse battery staple";
const NEW_PASSWORD: &str = "another horse with batteries";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const CHROME: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HOME: &str = "203.0.113.7";
const CAFE: &str = "198.51.100.7";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

/// Delivers the outbox and returns its security mails by act and recipient.
async fn deliver_security_mails(app: &TestApp) -> Vec<(SecurityAct, String)> {
    let mails = app.deliver_all_mails().await;
    mails.into_iter().filter_map(|mail| Some((mail.act?, mail.to))).collect()
}

async fn only_act(app: &TestApp) -> (SecurityAct, String) {
    let mails = deliver_security_mails(app).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    mails.into_iter().next().unwrap()
}

fn to_maya(act: SecurityAct) -> (SecurityAct, String) {
    (act, "maya@example.com".to_owned())
}

/// The token of the only security mail about this act.
async fn link_of(app: &TestApp, act: SecurityAct) -> SentMail {
    let mails = app.deliver_all_mails().await;
    mails.into_iter().find(|mail| mail.act == Some(act)).unwrap_or_else(|| panic!("no mail about {act:?}"))
}

fn password_grant(app: &TestApp, email: &str, password: &str) -> TestRequest {
    let body = json!({ "email": email, "password": password });
    modern(app.anonymous().post("/auth/v1/token?grant_type=password", body))
}

fn refresh(app: &TestApp, session: &Value, from: &str, agent: &str) -> TestRequest {
    let body = json!({ "refresh_token": session["refresh_token"] });
    let asking = modern(app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body));
    asking.header("x-forwarded-for", from).header("user-agent", agent)
}

fn secure(app: &TestApp, token: &str) -> TestRequest {
    app.anonymous().post("/rest/v1/secure-account", json!({ "token": token }))
}

/// Enrols an authenticator; the session with it.
async fn enrol(app: &TestApp, user: &TestUser) -> (String, TestUser) {
    let made = modern(user.post("/auth/v1/factors", json!({ "factor_type": "totp", "friendly_name": "Phone" })));
    let made = made.await.ok();
    let secret = Secret::try_from_base32(made["totp"]["secret"].as_str().unwrap()).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let code = totp.generate(app.world.clock.now().timestamp() as u64).to_string();
    let factor = made["id"].as_str().unwrap().to_owned();
    let challenge = modern(user.post(&format!("/auth/v1/factors/{factor}/challenge"), json!({}))).await.ok();
    let body = json!({ "challenge_id": challenge["id"], "code": code });
    let session = modern(user.post(&format!("/auth/v1/factors/{factor}/verify"), body)).await.ok();
    (factor, user.holding(&session))
}

#[tokio::test]
async fn changes_of_second_factors_are_mailed() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let (factor, maya) = enrol(&app, &maya).await;
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::FactorAdded));
        modern(maya.post("/auth/v1/factors/recovery-codes", json!({}))).await.ok();
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::RecoveryCodesMade));
        // With the last authenticator the codes go, too: one act, one mail.
        modern(maya.delete(&format!("/auth/v1/factors/{factor}"))).await.ok();
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::FactorRemoved));

        enrol(&app, &maya.holding(&password_grant(&app, "maya@example.com", PASSWORD).await.ok())).await;
        let sam = app.super_admin("Sam").await;
        deliver_security_mails(&app).await;
        sam.post(&format!("/rest/v1/users/{}/reset-mfa", maya.id), json!({})).await.ok();
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::FactorsReset));
        // Nothing was there to be reset.
        sam.post(&format!("/rest/v1/users/{}/reset-mfa", maya.id), json!({})).await.ok();
        assert_eq!(deliver_security_mails(&app).await, []);
    })
    .await;
}

#[tokio::test]
async fn changed_passwords_and_addresses_are_mailed() {
    on_both_with(
        |options, _| options.secure_email_change = false,
        async |app: TestApp| {
            let maya = app.employee("Maya").await;
            let change = json!({ "password": NEW_PASSWORD, "current_password": PASSWORD });
            modern(maya.put("/auth/v1/user", change)).await.ok();
            assert_eq!(only_act(&app).await, to_maya(SecurityAct::PasswordChanged));

            modern(maya.put("/auth/v1/user", json!({ "email": "ortiz@example.com" }))).await.ok();
            let confirmation = app.only_mail().await;
            let body = json!({ "type": "email_change", "token_hash": confirmation.token });
            modern(app.anonymous().post("/auth/v1/verify", body)).await.ok();
            let changed = |to: &str| (SecurityAct::EmailChanged, to.to_owned());
            let mut mails = deliver_security_mails(&app).await;
            mails.sort_by(|a, b| a.1.cmp(&b.1));
            assert_eq!(mails, [changed("maya@example.com"), changed("ortiz@example.com")]);
        },
    )
    .await;
}

#[tokio::test]
async fn acts_of_administrators_are_mailed() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let service = app.service();
        service.put(&format!("/auth/v1/admin/users/{}", maya.id), json!({ "password": NEW_PASSWORD })).await.ok();
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::PasswordSet));
        let link = json!({ "type": "magiclink", "email": "maya@example.com" });
        service.post("/auth/v1/admin/generate_link", link).await.ok();
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::LinkMade));
        // An account that was never used has no owner to tell.
        service
            .post("/auth/v1/admin/generate_link", json!({ "type": "invite", "email": "nils@example.com" }))
            .await
            .ok();
        assert_eq!(deliver_security_mails(&app).await, []);

        let (sam, _) = (app.super_admin("Sam").await, app.super_admin("Susan").await);
        deliver_security_mails(&app).await;
        sam.post(&format!("/rest/v1/users/{}/role", maya.id), json!({ "role": "super_admin" })).await.ok();
        let mut mails = deliver_security_mails(&app).await;
        mails.sort_by(|a, b| a.1.cmp(&b.1));
        let by_other = |to: &str| (SecurityAct::SuperAdminMadeByOther, to.to_owned());
        let own = (SecurityAct::SuperAdminMade, "sam@example.com".to_owned());
        assert_eq!(mails, [by_other("maya@example.com"), own, by_other("susan@example.com")]);
    })
    .await;
}

#[tokio::test]
async fn sign_ins_from_new_places_and_devices_are_mailed() {
    let proxied = |_: &mut domain::Options, http: &mut api::HttpConfig| {
        http.trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    };
    on_both_with(proxied, async |app: TestApp| {
        let enter = async |from: &str, agent: &str| {
            app.world.clock.advance(Duration::seconds(1));
            let asking = password_grant(&app, "maya@example.com", PASSWORD).header("user-agent", agent);
            asking.header("x-forwarded-for", from).await.ok()
        };
        app.employee("Maya").await;
        assert_eq!(deliver_security_mails(&app).await, [], "the first sign-in is expected");
        for (from, agent, news) in [
            (HOME, FIREFOX, true),
            (HOME, FIREFOX, false),
            ("203.0.200.1", FIREFOX, false),
            (HOME, CHROME, true),
            (CAFE, CHROME, true),
            (HOME, CHROME, false),
        ] {
            enter(from, agent).await;
            let expected: Vec<_> = news.then(|| to_maya(SecurityAct::NewSignIn)).into_iter().collect();
            assert_eq!(deliver_security_mails(&app).await, expected, "{from} {agent}");
        }
    })
    .await;
}

#[tokio::test]
async fn copied_refresh_tokens_end_the_session_with_a_mail() {
    let proxied = |_: &mut domain::Options, http: &mut api::HttpConfig| {
        http.trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    };
    on_both_with(proxied, async |app: TestApp| {
        app.employee("Maya").await;
        let enter = async || {
            let asking = password_grant(&app, "maya@example.com", PASSWORD).header("user-agent", FIREFOX);
            let session = asking.header("x-forwarded-for", HOME).await.ok();
            deliver_security_mails(&app).await;
            session
        };
        // The parent of the active token, from the same device: its answer may have been lost.
        let session = enter().await;
        let next = refresh(&app, &session, HOME, FIREFOX).await.ok();
        app.world.clock.advance(Duration::minutes(1));
        refresh(&app, &session, HOME, FIREFOX).await.ok();
        assert_eq!(deliver_security_mails(&app).await, []);
        // From another network: a mail, once a day.
        for _ in 0..3 {
            refresh(&app, &session, CAFE, FIREFOX).await.ok();
        }
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::SessionElsewhere));
        // From another device: a copy.
        refresh(&app, &session, HOME, CHROME).await.refused(400, "refresh_token_already_used");
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::SessionReused));
        refresh(&app, &next, HOME, FIREFOX).await.refused(400, "session_not_found");

        // A token before the parent, from any device.
        let session = enter().await;
        let second = refresh(&app, &session, HOME, FIREFOX).await.ok();
        refresh(&app, &second, HOME, FIREFOX).await.ok();
        app.world.clock.advance(Duration::minutes(1));
        refresh(&app, &session, HOME, FIREFOX).await.refused(400, "refresh_token_already_used");
        assert_eq!(only_act(&app).await, to_maya(SecurityAct::SessionReused));
    })
    .await;
}

#[tokio::test]
async fn this_was_not_me_ends_sessions_and_the_password() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        app.world.clock.advance(Duration::hours(1));
        // An intruder knows the password, adds an authenticator and stays signed in.
        let asking = password_grant(&app, "maya@example.com", PASSWORD).header("user-agent", CHROME);
        let intruder = maya.holding(&asking.await.ok());
        let news = link_of(&app, SecurityAct::NewSignIn).await;
        app.world.clock.advance(Duration::minutes(5));
        let (_, intruder) = enrol(&app, &intruder).await;

        // A mail scanner opens the link: nothing changes.
        let path = news.url.strip_prefix(&app.world.options.public_url).unwrap();
        assert!(path.starts_with("/auth/secure-account?token="), "{path}");
        for method in [Method::GET, Method::HEAD] {
            assert_eq!(app.anonymous().ask(method, path).open().await.status(), 200);
        }
        intruder.get("/auth/v1/user").await.ok();

        assert_eq!(secure(&app, &news.token).await.ok(), json!({ "email": "maya@example.com" }));
        modern(intruder.get("/auth/v1/user")).await.refused(403, "session_not_found");
        password_grant(&app, "maya@example.com", PASSWORD).await.refused(400, "invalid_credentials");
        secure(&app, &news.token).await.refused(409, "secure_link_not_valid");
        secure(&app, "unknown").await.refused(409, "secure_link_not_valid");

        // The mailed link is the way back; the intruder's authenticator is gone.
        let recovery = app.only_mail().await;
        assert_eq!((recovery.kind, recovery.to.as_str()), (Kind::Recovery, "maya@example.com"));
        let body = json!({ "type": "recovery", "token_hash": recovery.token });
        let session = modern(app.anonymous().post("/auth/v1/verify", body)).await.ok();
        assert_eq!(session["user"]["factors"].as_array().map(Vec::len), None, "{session}");
        let maya = maya.holding(&session);
        modern(maya.put("/auth/v1/user", json!({ "password": NEW_PASSWORD }))).await.ok();
        password_grant(&app, "maya@example.com", NEW_PASSWORD).await.ok();
    })
    .await;
}

/// An intruder may have added them before the act whose mail is answered.
#[tokio::test]
async fn this_was_not_me_removes_authenticators_of_the_last_seven_days() {
    for (age, kept) in [(Duration::hours(1), vec![]), (Duration::days(8), vec!["totp", "recovery_code"])] {
        on_both(async |app: TestApp| {
            let (_, maya) = enrol(&app, &app.employee("Maya").await).await;
            modern(maya.post("/auth/v1/factors/recovery-codes", json!({}))).await.ok();
            app.deliver_all_mails().await;
            app.world.clock.advance(age);
            let path = format!("/auth/v1/admin/users/{}", maya.id);
            app.service().put(&path, json!({ "password": NEW_PASSWORD })).await.ok();
            let news = link_of(&app, SecurityAct::PasswordSet).await;
            secure(&app, &news.token).await.ok();
            let sam = app.super_admin("Sam").await;
            let account = sam.get(&format!("/rest/v1/users/{}", maya.id)).await.ok();
            let kinds: Vec<_> = account["factors"].as_array().unwrap().iter().map(|f| f["kind"].clone()).collect();
            assert_eq!(kinds, kept, "{age}");
            assert_eq!(account["has_password"], false);
        })
        .await;
    }
}

/// Whose address was changed to an intruder's, and the tokens of the mails to the old and to the new one.
async fn with_changed_address(app: &TestApp) -> (TestUser, String, String) {
    let client = app.client("Maya").await;
    modern(client.put("/auth/v1/user", json!({ "email": "intruder@example.com" }))).await.ok();
    let confirmation = app.only_mail().await;
    let body = json!({ "type": "email_change", "token_hash": confirmation.token });
    modern(app.anonymous().post("/auth/v1/verify", body)).await.ok();
    let mails = app.deliver_all_mails().await;
    let token_to = |to: &str| mails.iter().find(|mail| mail.to == to).unwrap().token.clone();
    (client, token_to("maya@example.com"), token_to("intruder@example.com"))
}

#[tokio::test]
async fn this_was_not_me_restores_the_address() {
    let single_confirmation =
        |options: &mut domain::Options, _: &mut api::HttpConfig| options.secure_email_change = false;
    on_both_with(single_confirmation, async |app: TestApp| {
        let (client, old, new) = with_changed_address(&app).await;
        assert_eq!(secure(&app, &old).await.ok()["email"], "maya@example.com");
        let recovery = app.only_mail().await;
        assert_eq!((recovery.kind, recovery.to.as_str()), (Kind::Recovery, "maya@example.com"));
        // The intruder's mailbox cannot take it back.
        secure(&app, &new).await.refused(409, "secure_link_not_valid");
        let erin = app.employee("Erin").await;
        let shown = erin.get(&format!("/rest/v1/clients/{}", client.id)).await.ok();
        assert_eq!(shown["email"], "maya@example.com");
    })
    .await;
    // Nor use up the owner's link.
    on_both_with(single_confirmation, async |app: TestApp| {
        let (_, old, new) = with_changed_address(&app).await;
        assert_eq!(secure(&app, &new).await.ok()["email"], "intruder@example.com");
        assert_eq!(app.only_mail().await.to, "intruder@example.com");
        assert_eq!(secure(&app, &old).await.ok()["email"], "maya@example.com");
        assert_eq!(app.only_mail().await.to, "maya@example.com");
    })
    .await;
}

#[tokio::test]
async fn this_was_not_me_mails_no_link_to_a_taken_address_or_a_suspended_account() {
    let single_confirmation =
        |options: &mut domain::Options, _: &mut api::HttpConfig| options.secure_email_change = false;
    on_both_with(single_confirmation, async |app: TestApp| {
        let (_, old, _) = with_changed_address(&app).await;
        let service = app.service();
        service
            .post("/auth/v1/admin/users", json!({ "email": "maya@example.com", "password": NEW_PASSWORD }))
            .await
            .ok();
        app.deliver_all_mails().await;
        assert_eq!(secure(&app, &old).await.ok(), json!({ "email": null }));
        assert_eq!(app.deliver_mails().await.len(), 0);

        let nora = app.client("Nora").await;
        service.put(&format!("/auth/v1/admin/users/{}", nora.id), json!({ "password": NEW_PASSWORD })).await.ok();
        let news = link_of(&app, SecurityAct::PasswordSet).await;
        let sam = app.super_admin("Sam").await;
        sam.post(&format!("/rest/v1/users/{}/suspend", nora.id), json!({})).await.ok();
        app.deliver_all_mails().await;
        assert_eq!(secure(&app, &news.token).await.ok(), json!({ "email": null }));
        assert_eq!(app.deliver_mails().await.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn this_was_not_me_keeps_an_address_that_others_corrected() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let service = app.service();
        let path = format!("/auth/v1/admin/users/{}", maya.id);
        service.put(&path, json!({ "password": NEW_PASSWORD })).await.ok();
        let before = link_of(&app, SecurityAct::PasswordSet).await;
        service.put(&path, json!({ "email": "maya.ortiz@example.com" })).await.ok();
        let mails = app.deliver_all_mails().await;
        let old = mails.iter().find(|mail| mail.to == "maya@example.com").unwrap();
        secure(&app, &before.token).await.refused(409, "secure_link_not_valid");
        assert_eq!(secure(&app, &old.token).await.ok()["email"], "maya.ortiz@example.com");
        assert_eq!(app.only_mail().await.to, "maya.ortiz@example.com");
    })
    .await;
}

#[tokio::test]
async fn this_was_not_me_expires_after_a_week() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let path = format!("/auth/v1/admin/users/{}", maya.id);
        app.service().put(&path, json!({ "password": NEW_PASSWORD })).await.ok();
        let news = link_of(&app, SecurityAct::PasswordSet).await;
        app.world.clock.advance(Duration::days(7));
        secure(&app, &news.token).await.refused(409, "secure_link_not_valid");
        password_grant(&app, "maya@example.com", NEW_PASSWORD).await.ok();
    })
    .await;
}

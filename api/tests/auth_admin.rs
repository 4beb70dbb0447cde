//! `/auth/v1/admin` and `/auth/v1/invite`: service tokens and super admins.

use crate::support::{TestApp, TestRequest, TestResponse, TestUser, on_both};
use chrono::Duration;
use domain::{kernel::db::Sql, outbox::mails::Kind, platform::activity};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const NEW_PASSWORD: &str = "another horse with batteries";

fn modern(asking: TestRequest) -> TestRequest {
    asking.header("x-supabase-api-version", "2024-01-01")
}

async fn post(person: &TestUser, path: &str, body: Value) -> TestResponse {
    modern(person.post(&format!("/auth/v1/{path}"), body)).await
}

async fn sign_in(app: &TestApp, email: &str, password: &str) -> TestResponse {
    post(&app.anonymous(), "token?grant_type=password", json!({ "email": email, "password": password })).await
}

#[tokio::test]
async fn admin_api_needs_service_token_or_super_admin() {
    on_both(async |app: TestApp| {
        let sign =
            |claims: Value| app.anonymous().holding(&json!({ "access_token": app.app.auth.keys.sign(&claims).unwrap() }));
        let (past, future) = (app.world.clock.now().timestamp() - 1, app.world.clock.now().timestamp() + 60);
        for (person, status, code) in [
            (app.anonymous(), 401, "no_authorization"),
            (app.anonymous().holding(&json!({ "access_token": "x.y.z" })), 403, "bad_jwt"),
            (app.employee("Erin").await, 403, "not_admin"),
            (app.client("Maya").await, 403, "not_admin"),
            (sign(json!({ "role": "service_role", "exp": past })), 403, "bad_jwt"),
            (sign(json!({ "role": "service_role", "nbf": future })), 403, "bad_jwt"),
            (sign(json!({ "role": "service_role", "aud": "storage" })), 403, "bad_jwt"),
            (sign(json!({ "role": "service_role", "aud": ["storage", "realtime"] })), 403, "bad_jwt"),
            (sign(json!({ "role": "anon" })), 403, "bad_jwt"),
            (sign(json!({ "role": "service_role", "sub": uuid::Uuid::nil(), "session_id": uuid::Uuid::nil(), "exp": future })), 403, "user_not_found"),
        ] {
            modern(person.get("/auth/v1/admin/users")).await.refused(status, code);
        }
        for person in [
            app.service(),
            app.super_admin("Sam").await,
            sign(json!({ "role": "supabase_admin", "sub": "not an id", "exp": future })),
            sign(json!({ "role": "service_role", "aud": "authenticated", "nbf": past })),
            sign(json!({ "role": "service_role", "aud": ["storage", "authenticated"] })),
        ] {
            modern(person.get("/auth/v1/admin/users")).await.ok();
        }
        modern(app.service().get("/auth/v1/user")).await.refused(403, "bad_jwt");
        app.service().get("/rest/v1/me").await.refused(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn user_list_has_total_and_link_headers() {
    on_both(async |app: TestApp| {
        for name in ["Ada", "Ben", "Cy"] {
            app.world.user(domain::kernel::access::Role::Employee, name, None, None).await;
            app.world.clock.advance(Duration::seconds(1));
        }
        let list = async |query: &str| modern(app.service().get(&format!("/auth/v1/admin/users{query}"))).await;
        for (sort, first) in [("", "cy"), ("created_at", "cy"), ("created_at%20desc", "cy"), ("created_at+asc", "ada")]
        {
            let found = list(&format!("?sort={sort}")).await.ok();
            assert_eq!(found["users"][0]["email"], format!("{first}@example.com"), "{sort}");
        }
        let first = list("?page=1&per_page=2").await;
        assert_eq!(first.header("x-total-count"), Some("3"));
        let links: Vec<_> = first.header("link").unwrap().split(',').collect();
        assert_eq!(links.len(), 2);
        for (link, (page, rel)) in links.iter().zip([("2", "\"next\""), ("2", "\"last\"")]) {
            // As the client does.
            let parts: Vec<_> = link.split(';').collect();
            assert_eq!(parts[0].split('=').nth(1).and_then(|text| text.get(..1)), Some(page));
            assert_eq!(parts[1].split('=').nth(1), Some(rel));
        }
        assert_eq!(
            (first.body["users"].as_array().unwrap().len(), first.body["aud"].as_str()),
            (2, Some("authenticated"))
        );
        let last = list("?page=2&per_page=2").await;
        assert_eq!(last.body["users"].as_array().unwrap().len(), 1);
        assert!(!last.header("link").unwrap().contains("next"));
        assert_eq!(list("?page=&per_page=").await.ok()["users"].as_array().unwrap().len(), 3);
        assert_eq!(list("?filter=ben").await.ok()["users"][0]["email"], "ben@example.com");
        // Page links keep the filter and the sort order.
        let asked = "filter=%40example.com&sort=created_at+asc";
        let found = list("?sort=created_at%20asc&filter=%40example.com&per_page=1").await;
        let links: Vec<_> = found.header("link").unwrap().split(',').collect();
        for (link, page) in links.iter().zip(["2", "3"]) {
            assert!(link.contains(&format!("?page={page}&per_page=1&{asked}>; rel=")), "{link}");
        }
        let next = list(&format!("?page=2&per_page=1&{asked}")).await.ok();
        assert_eq!(next["users"][0]["email"], "ben@example.com");
        let none = list("?filter=zzz").await;
        assert_eq!((none.header("link"), none.header("x-total-count")), (None, Some("0")));
        for wrong in ["?page=-1", "?per_page=-5", "?page=x", "?sort=email", "?sort=created_at%20up"] {
            list(wrong).await.refused(400, "validation_failed");
        }
    })
    .await;
}

#[tokio::test]
async fn accounts_are_created_updated_banned_and_archived() {
    on_both(async |app: TestApp| {
        let service = app.service();
        let said = json!({ "profile_image": "x.png", "role": "super_admin" });
        let body = json!({ "email": "Ada@example.com", "password": PASSWORD, "user_metadata": said, "app_metadata": { "roles": ["editor"] } });
        let ada = post(&service, "admin/users", body.clone()).await.ok();
        assert_eq!((&ada["user_metadata"], &ada["app_metadata"]["role"], &ada["app_metadata"]["roles"]), (&said, &json!("client"), &json!(["editor"])));
        assert_eq!(ada.get("email_confirmed_at"), None);
        assert!(app.deliver_mails().await.is_empty(), "no email is sent");
        post(&service, "admin/users", body).await.refused(422, "email_exists");
        for (body, status, code) in [
            (json!({}), 400, "validation_failed"),
            (json!({ "email": "x" }), 400, "validation_failed"),
            (json!({ "phone": "+15550100" }), 400, "phone_provider_disabled"),
            (json!({ "email": "b@example.com", "password": "short" }), 422, "weak_password"),
            (json!({ "email": "b@example.com", "password_hash": "secret" }), 400, "validation_failed"),
            (json!({ "email": "b@example.com", "ban_duration": "soon" }), 400, "validation_failed"),
            (json!({ "email": "b@example.com", "app_metadata": { "role": "king" } }), 400, "validation_failed"),
            (json!({ "email": "b@example.com", "app_metadata": { "role": "company_admin" } }), 400, "validation_failed"),
            (json!({ "email": "b@example.com", "id": ada["id"] }), 422, "user_already_exists"),
        ] {
            post(&service, "admin/users", body).await.refused(status, code);
        }
        let own = uuid::Uuid::from_u128(7);
        let body = json!({ "id": own, "email": "cora@example.com", "email_confirm": true, "app_metadata": { "role": "company_admin", "company_id": app.acme } });
        let cora = post(&service, "admin/users", body).await.ok();
        assert_eq!((&cora["id"], &cora["app_metadata"]["role"]), (&json!(own), &json!("company_admin")));

        let path = format!("/auth/v1/admin/users/{}", ada["id"].as_str().unwrap());
        let put = async |body: Value| modern(service.put(&path, body)).await;
        sign_in(&app, "ada@example.com", PASSWORD).await.refused(400, "email_not_confirmed");
        assert!(put(json!({ "email_confirm": true })).await.ok()["email_confirmed_at"].is_string());
        let session = sign_in(&app, "ada@example.com", PASSWORD).await.ok();
        let held = app.anonymous().holding(&session);
        let user = put(json!({ "user_metadata": { "profile_image": null, "x": 1 }, "app_metadata": { "roles": null, "plan": "a" } })).await.ok();
        assert_eq!((user["user_metadata"].get("profile_image"), &user["user_metadata"]["x"]), (None, &json!(1)));
        assert_eq!((user["app_metadata"].get("roles"), &user["app_metadata"]["plan"]), (None, &json!("a")));
        held.get("/auth/v1/user").await.ok();
        put(json!({ "password": "another good password" })).await.ok();
        modern(held.get("/auth/v1/user")).await.refused(403, "session_not_found");
        // An imported hash works like the password itself.
        let known = "select password_hash from users where email_key = 'ada@example.com'";
        let hash: String = app.world.db.clone().sql(known).scalar().await.unwrap();
        put(json!({ "password": "one more good password" })).await.ok();
        put(json!({ "password_hash": "secret" })).await.refused(400, "validation_failed");
        put(json!({ "password": PASSWORD, "password_hash": hash })).await.refused(400, "validation_failed");
        sign_in(&app, "ada@example.com", "another good password").await.refused(400, "invalid_credentials");
        put(json!({ "password_hash": hash })).await.ok();
        sign_in(&app, "ada@example.com", "another good password").await.ok();
        assert_eq!(put(json!({ "email": "lovelace@example.com" })).await.ok()["email"], "lovelace@example.com");
        put(json!({ "email": "cora@example.com" })).await.refused(422, "email_exists");
        assert_eq!(put(json!({ "app_metadata": { "role": "employee" } })).await.ok()["app_metadata"]["role"], "employee");

        assert!(put(json!({ "ban_duration": "24h" })).await.ok()["banned_until"].is_string());
        sign_in(&app, "lovelace@example.com", "another good password").await.refused(400, "user_banned");
        app.world.clock.advance(Duration::hours(24));
        sign_in(&app, "lovelace@example.com", "another good password").await.ok();
        put(json!({ "ban_duration": "876600h" })).await.ok();
        assert_eq!(put(json!({ "ban_duration": "none" })).await.ok().get("banned_until"), None);

        assert_eq!(modern(service.get(&path)).await.ok()["email"], "lovelace@example.com");
        let gone = modern(service.delete(&path).json(&json!({ "should_soft_delete": false }))).await;
        assert_eq!(gone.ok(), json!({}));
        modern(service.get(&path)).await.refused(404, "user_not_found");
        modern(service.delete(&path)).await.refused(404, "user_not_found");
        modern(service.put(&path, json!({}))).await.refused(404, "user_not_found");
        modern(service.get("/auth/v1/admin/users/x")).await.refused(404, "validation_failed");
        sign_in(&app, "lovelace@example.com", "another good password").await.refused(400, "user_banned");

        let sam = app.super_admin("Sam").await;
        let only = format!("/auth/v1/admin/users/{}", sam.id);
        modern(service.delete(&only)).await.refused(409, "last_super_admin");
        modern(service.put(&only, json!({ "ban_duration": "1h" }))).await.refused(409, "last_super_admin");
        modern(service.put(&only, json!({ "app_metadata": { "role": "client" } }))).await;
        assert_eq!(modern(service.get(&only)).await.ok()["app_metadata"]["role"], "super_admin");

        // A password set by another person must be changed soon.
        post(&sam, "admin/users", json!({ "email": "dan@example.com", "password": PASSWORD, "email_confirm": true })).await.ok();
        let dan = sign_in(&app, "dan@example.com", PASSWORD).await.ok();
        assert_eq!(dan["user"]["user_metadata"]["must_change_password"], true);
    })
    .await;
}

#[tokio::test]
async fn links_are_generated_and_invitations_sent() {
    on_both(async |app: TestApp| {
        let service = app.service();
        let verify = async |body: Value| post(&app.anonymous(), "verify", body).await;
        let link = async |body: Value| post(&service, "admin/generate_link", body).await;
        for (body, status, code) in [
            (json!({ "type": "recovery", "email": "nobody@example.com" }), 404, "user_not_found"),
            (
                json!({ "type": "email_change_new", "email": "nobody@example.com", "new_email": "x@example.com" }),
                404,
                "user_not_found",
            ),
            (json!({ "type": "odd", "email": "nobody@example.com" }), 400, "validation_failed"),
            (json!({ "type": "signup", "email": "nobody@example.com" }), 400, "validation_failed"),
            (json!({ "type": "recovery", "email": "x" }), 400, "validation_failed"),
        ] {
            link(body).await.refused(status, code);
        }
        for (n, kind) in ["signup", "invite", "magiclink", "recovery"].into_iter().enumerate() {
            let email = if kind == "recovery" { "u0@example.com".to_owned() } else { format!("u{n}@example.com") };
            let made =
                link(json!({ "type": kind, "email": email, "password": PASSWORD, "data": { "n": n } })).await.ok();
            let action = made["action_link"].as_str().unwrap();
            for part in ["/auth/v1/verify?token=", &format!("&type={kind}"), "&redirect_to=http"] {
                assert!(action.contains(part), "{action}");
            }
            assert_eq!(
                (made["email"].as_str(), made["verification_type"].as_str()),
                (Some(email.as_str()), Some(kind))
            );
            let session = match n % 2 {
                0 => verify(json!({ "type": kind, "token_hash": made["hashed_token"] })).await,
                _ => verify(json!({ "type": kind, "email": email, "token": made["email_otp"] })).await,
            };
            assert_eq!(session.ok()["user"]["email"], email);
        }
        link(json!({ "type": "signup", "email": "u0@example.com", "password": PASSWORD }))
            .await
            .refused(422, "email_exists");
        link(json!({ "type": "email_change_current", "email": "u0@example.com", "new_email": "u1@example.com" }))
            .await
            .refused(422, "email_exists");
        let change = |kind: &str| json!({ "type": kind, "email": "u0@example.com", "new_email": "new@example.com" });
        let (one, two) = (link(change("email_change_current")).await.ok(), link(change("email_change_new")).await.ok());
        assert!(one["action_link"].as_str().unwrap().contains("&type=email_change&"));
        verify(json!({ "type": "email_change", "token_hash": one["hashed_token"] })).await.ok();
        let session = verify(json!({ "type": "email_change", "token_hash": two["hashed_token"] })).await.ok();
        assert_eq!(session["user"]["email"], "new@example.com");
        assert!(app.deliver_mails().await.is_empty());

        let user =
            post(&service, "invite", json!({ "email": "ina@example.com", "data": { "name": "Ina Ito" } })).await.ok();
        assert!(user["invited_at"].is_string());
        post(&service, "invite", json!({ "email": "ina@example.com" })).await.ok();
        post(&service, "invite", json!({ "email": "new@example.com" })).await.refused(422, "email_exists");
        post(&service, "invite", json!({ "email": "" })).await.refused(400, "validation_failed");
        let letters = app.deliver_mails().await;
        assert!(
            letters.len() == 2 && letters[0].kind == Kind::Invite && letters[0].url.contains("/auth/reset-password?")
        );
        let session = verify(json!({ "type": "invite", "token_hash": letters[1].token })).await.ok();
        let ina = app.anonymous().holding(&session);
        modern(ina.put("/auth/v1/user", json!({ "password": PASSWORD }))).await.ok();
        sign_in(&app, "ina@example.com", PASSWORD).await.ok();
    })
    .await;
}

#[tokio::test]
async fn audit_log_names_actor_and_action() {
    on_both(async |app: TestApp| {
        let sam = app.super_admin("Sam").await;
        app.world.clock.advance(Duration::seconds(1));
        post(&sam, "admin/users", json!({ "email": "ada@example.com" })).await.ok();
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let audit = async |query: &str| modern(app.service().get(&format!("/auth/v1/admin/audit{query}"))).await;
        let all = audit("").await.ok();
        assert_eq!(all[0]["payload"]["action"], "user.created");
        assert_eq!(all[0]["payload"]["actor_name"], "Sam Test");
        let count = |found: Value| found.as_array().unwrap().len();
        assert_eq!(count(audit("?query=action:session.started").await.ok()), 1);
        assert_eq!(count(audit("?query=author:nobody").await.ok()), 0);
        assert!(count(audit("?query=author:Sam").await.ok()) >= 1);
        assert_eq!(audit("?query=author:sam%40example.com").await.ok(), audit("?query=author:Sam").await.ok());
        assert!(count(audit("?query=author:root").await.ok()) >= 1, "the operator is no account");
        assert!(count(audit("?query=type:user").await.ok()) >= 2);
        assert_eq!(count(audit("?page=2&per_page=1").await.ok()), 1);
        audit("?query=x").await.refused(400, "validation_failed");
        modern(app.employee("Erin").await.get("/auth/v1/admin/audit")).await.refused(403, "not_admin");
    })
    .await;
}

#[tokio::test]
async fn email_change_invalidates_links_sent_to_the_old_address() {
    on_both(async |app: TestApp| {
        let service = app.service();
        let maya = app.client("Maya").await;
        let link = json!({ "type": "recovery", "email": "maya@example.com" });
        let made = post(&service, "admin/generate_link", link).await.ok();
        modern(maya.put("/auth/v1/user", json!({ "email": "wanted@example.com" }))).await.ok();
        let path = format!("/auth/v1/admin/users/{}", maya.id);
        // The address is taken: nothing of the change is applied, not the role either.
        app.client("Noah").await;
        let both = json!({ "email": "noah@example.com", "app_metadata": { "role": "employee" } });
        modern(service.put(&path, both)).await.refused(422, "email_exists");
        assert_eq!(modern(service.get(&path)).await.ok()["app_metadata"]["role"], "client");

        let moved = modern(service.put(&path, json!({ "email": "maya@example.org" }))).await.ok();
        assert_eq!((moved["email"].as_str(), moved.get("new_email")), (Some("maya@example.org"), None));
        let old = json!({ "type": "recovery", "token_hash": made["hashed_token"] });
        post(&app.anonymous(), "verify", old).await.refused(403, "otp_expired");
        for letter in app.deliver_mails().await {
            post(&app.anonymous(), "verify", json!({ "type": "email_change", "token_hash": letter.token }))
                .await
                .refused(403, "otp_expired");
        }
    })
    .await;
}

#[tokio::test]
async fn banned_super_admins_do_not_count_as_the_last_one() {
    on_both(async |app: TestApp| {
        let service = app.service();
        let (one, two) = (app.super_admin("Sam").await, app.super_admin("Ida").await);
        let path = |person: &TestUser| format!("/auth/v1/admin/users/{}", person.id);
        let ban = json!({ "ban_duration": "1h" });
        modern(service.put(&path(&one), ban.clone())).await.ok();
        modern(service.put(&path(&two), ban)).await.refused(409, "last_super_admin");
        modern(service.delete(&path(&two))).await.refused(409, "last_super_admin");
        modern(service.put(&path(&two), json!({ "app_metadata": { "role": "employee" } })))
            .await
            .refused(409, "last_super_admin");
        app.world.clock.advance(Duration::hours(1));
        modern(service.delete(&path(&two))).await.ok();
    })
    .await;
}

/// One query for all users' factors, and one for all identities.
#[tokio::test]
async fn user_page_is_loaded_in_constant_queries() {
    on_both(async |app: TestApp| {
        let service = app.service();
        for n in 0..12 {
            post(&service, "admin/users", json!({ "email": format!("u{n}@example.com") })).await.ok();
        }
        app.world.db.keep_reads();
        let page = modern(service.get("/auth/v1/admin/users?per_page=12")).await.ok();
        assert_eq!(page["users"].as_array().map(Vec::len), Some(12));
        let reads = app.world.db.reads();
        for table in ["factors", "identities"] {
            let from_table = reads.iter().filter(|sql| sql.contains(&format!("from {table} ")));
            assert_eq!(from_table.count(), 1, "{reads:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn links_do_not_open_or_take_over_an_account_in_use() {
    on_both(async |app: TestApp| {
        let (sam, service) = (app.super_admin("Sam").await, app.service());
        let (maya, pia) = (app.client("Maya").await, app.super_admin("Pia").await);
        // An active account without sign-in so far and a suspended one both count as in use.
        let erin = app.world.user(domain::kernel::access::Role::Employee, "Erin", None, None).await.id;
        let noah = app.client("Noah").await;
        sam.post(&format!("/rest/v1/users/{}/suspend", noah.id), json!({})).await.ok();
        for (email, id) in [("maya", maya.id), ("pia", pia.id), ("erin", erin), ("noah", noah.id)]
            .map(|(n, id)| (format!("{n}@example.com"), id))
        {
            for kind in ["magiclink", "recovery", "email_change_current", "email_change_new"] {
                let body = json!({ "type": kind, "email": email, "new_email": "thief@example.com" });
                let (status, code) = if id == noah.id { (404, "user_not_found") } else { (403, "account_in_use") };
                post(&sam, "admin/generate_link", body).await.refused(status, code);
            }
            let path = format!("/auth/v1/admin/users/{id}");
            let hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
            for body in [
                json!({ "password": "a password of theirs", "email_confirm": true }),
                json!({ "password_hash": hash }),
                json!({ "email": "thief@example.com" }),
            ] {
                modern(sam.put(&path, body)).await.refused(403, "account_in_use");
            }
            // Changes that give no access are allowed, and service tokens may make any.
            modern(sam.put(&path, json!({ "user_metadata": { "x": 1 }, "email": email }))).await.ok();
            modern(service.put(&path, json!({ "password": "a program's own choice" }))).await.ok();
            if id != noah.id {
                post(&service, "admin/generate_link", json!({ "type": "recovery", "email": email })).await.ok();
            }
        }

        // These accounts have no sign-in yet.
        let new = json!({ "type": "invite", "email": "ina@example.com" });
        let made = post(&sam, "admin/generate_link", new.clone()).await.ok();
        post(&sam, "admin/generate_link", new.clone()).await.ok();
        let path = format!("/auth/v1/admin/users/{}", made["id"].as_str().unwrap());
        modern(sam.put(&path, json!({ "email": "ina.ito@example.com" }))).await.ok();
        modern(sam.put(&path, json!({ "password": PASSWORD, "email_confirm": true }))).await.ok();
        modern(sam.put(&path, json!({ "password": "another good password" }))).await.refused(403, "account_in_use");
        let bob = post(&sam, "invite", json!({ "email": "bob@example.com" })).await.ok();
        post(&sam, "invite", json!({ "email": "bob@example.com" })).await.ok();
        assert_eq!(app.deliver_mails().await.len(), 2);
        let link = json!({ "type": "recovery", "email": "bob@example.com" });
        post(&sam, "admin/generate_link", link).await.ok();
        assert!(bob["invited_at"].is_string());
    })
    .await;
}

/// Sessions of a user with the administrator who began them, newest first.
async fn sessions_by(user: &TestUser) -> Vec<Value> {
    let found = user.get("/auth/v1/sessions").await.ok();
    found.as_array().unwrap().iter().map(|row| row["begun_by"].clone()).collect()
}

#[tokio::test]
async fn sessions_begun_by_an_administrator_are_marked() {
    on_both(async |app: TestApp| {
        let maya = app.employee("Maya").await;
        let (service, sam) = (app.service(), app.super_admin("Sam").await);
        let path = format!("/auth/v1/admin/users/{}", maya.id);
        let link = json!({ "type": "magiclink", "email": "maya@example.com" });
        // The refusal of a person names the alternative: a password reset mail to the owner.
        for refused in [
            modern(sam.post("/auth/v1/admin/generate_link", link.clone())),
            modern(sam.put(&path, json!({ "password": NEW_PASSWORD }))),
        ] {
            let said = refused.await.refused(403, "account_in_use");
            assert!(said["message"].as_str().unwrap().contains("Send them a password reset email"), "{said}");
        }
        modern(app.anonymous().post("/auth/v1/recover", json!({ "email": "maya@example.com" }))).await.ok();
        assert_eq!(app.only_mail().await.kind, Kind::Recovery);
        assert_eq!(sessions_by(&maya).await, [json!(null)]);

        let made = modern(service.post("/auth/v1/admin/generate_link", link)).await.ok();
        app.world.clock.advance(Duration::seconds(1));
        let body = json!({ "type": "magiclink", "token_hash": made["hashed_token"] });
        let there = maya.holding(&modern(app.anonymous().post("/auth/v1/verify", body)).await.ok());
        assert_eq!(sessions_by(&there).await, [json!("Service"), json!(null)]);
        // Its writes name both.
        modern(there.put("/auth/v1/user", json!({ "data": { "note": "x" } }))).await.ok();
        // A password that is set in it is the administrator's, too.
        modern(there.put("/auth/v1/user", json!({ "password": NEW_PASSWORD }))).await.ok();
        let grant = async |password: &str| {
            app.world.clock.advance(Duration::seconds(1));
            let body = json!({ "email": "maya@example.com", "password": password });
            maya.holding(&modern(app.anonymous().post("/auth/v1/token?grant_type=password", body)).await.ok())
        };
        let again = grant(NEW_PASSWORD).await;
        assert_eq!(sessions_by(&again).await, [json!("Service"), json!("Service")]);

        // Until the owner chooses one.
        app.world.clock.advance(Duration::seconds(60));
        modern(app.anonymous().post("/auth/v1/recover", json!({ "email": "maya@example.com" }))).await.ok();
        let mails = app.deliver_mails().await;
        let recovery = mails.iter().find(|mail| mail.kind == Kind::Recovery).unwrap();
        let body = json!({ "type": "recovery", "token_hash": recovery.token });
        let own = maya.holding(&modern(app.anonymous().post("/auth/v1/verify", body)).await.ok());
        modern(own.put("/auth/v1/user", json!({ "password": "a third horse with batteries" }))).await.ok();
        assert_eq!(sessions_by(&grant("a third horse with batteries").await).await[0], json!(null));
        service.put(&path, json!({ "password": NEW_PASSWORD })).await.ok();
        assert_eq!(sessions_by(&grant(NEW_PASSWORD).await).await, [json!("Service")]);

        activity::sequence_all(&app.world.operator()).await.unwrap();
        let log = sam.get("/rest/v1/activity?limit=500").await.ok();
        let marked: Vec<_> = log["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["data"]["session_begun_by"] == "actor:service")
            .map(|row| (row["action"].as_str().unwrap(), row["actor"]["name"].as_str().unwrap()))
            .collect();
        for action in ["session.started", "user.updated", "user.password_changed"] {
            assert!(marked.contains(&(action, "Maya Test")), "{action}: {marked:?}");
        }
        let account = sam.get(&format!("/rest/v1/users/{}/sessions", maya.id)).await.ok();
        assert_eq!(account["items"][0]["begun_by"], "Service");
    })
    .await;
}

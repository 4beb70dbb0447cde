//! Sign-in with a real OpenID provider on loopback: redirects, callbacks and errors.

use crate::support::{TestApp, TestRequest, TestResponse, TestUser};
use api::{HttpConfig, ProviderKind, ProviderSettings};
use chrono::Duration;
use domain::{
    kernel::{clock::Clock, db::Sql},
    outbox::mails::SecurityAct,
    testing::{self, World},
};
use reqwest::{Client, Response, redirect::Policy};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
};
use url::Url;

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256";
const HOME: &str = "http://127.0.0.1:8080/auth/portal-selector";

/// A provider in a separate process, which ends with it.
struct Provider {
    child: Child,
    /// Kept open, because the provider writes to it.
    _said: std::io::Lines<BufReader<ChildStdout>>,
    issuer: String,
}

impl Provider {
    fn start(claims_in_token: bool) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/e2e/support/openid.mjs");
        let mut child = Command::new("node")
            .args([script, "google", "azure"])
            .env("CLAIMS_IN_TOKEN", if claims_in_token { "1" } else { "0" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node is installed");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let issuer = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("http://")).expect("it listens");
        Self { child, _said: lines, issuer }
    }

    fn settings(&self, kind: ProviderKind, id: &str, domains: &[&str]) -> ProviderSettings {
        let secret = "a-secret-that-only-the-tests-know".to_owned();
        let domains = domains.iter().map(ToString::to_string).collect();
        ProviderSettings::new(kind, id.to_owned(), secret, self.issuer.clone(), domains)
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The portal with Google and Microsoft, both served by one provider.
struct Office {
    app: TestApp,
    provider: Provider,
}

async fn on_both<F: Future<Output = ()>>(claims_in_token: bool, test: impl Fn(Office) -> F) {
    testing::on_both(|world| async {
        let provider = Provider::start(claims_in_token);
        let providers = vec![
            provider.settings(ProviderKind::Google, "google", &["acme.example"]),
            provider.settings(ProviderKind::Microsoft, "azure", &["example.com"]),
        ];
        // The provider has its own clock.
        let world = World { clock: Clock::fixed(Clock::system().now()), ..world };
        let app = TestApp::new(world, HttpConfig { providers, ..HttpConfig::default() }).await;
        test(Office { app, provider }).await;
    })
    .await;
}

fn as_(email: &str) -> Vec<(&'static str, String)> {
    vec![("decision", "allow".to_owned()), ("email", email.to_owned())]
}

impl Office {
    /// Where the portal redirects a browser that signs in.
    async fn way_there(&self, query: &str) -> String {
        let answer = self.app.anonymous().get(&format!("/auth/v1/authorize?redirect_to={HOME}&{query}")).await;
        assert_eq!(answer.status, 302, "{}", answer.body);
        answer.header("location").unwrap().to_owned()
    }

    /// Submits the provider's form, and follows redirects until they return to us.
    async fn at_provider(&self, address: &str, form: &[(&'static str, String)]) -> String {
        let browser = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        let mut cookies = HashMap::new();
        let keep = |cookies: &mut HashMap<String, String>, answer: &Response| {
            for cookie in answer.headers().get_all("set-cookie") {
                let (name, value) = cookie.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
                cookies.insert(name.to_owned(), value.to_owned());
            }
        };
        let mut next = address.to_owned();
        loop {
            let cookie: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let asking = match next.contains("/interaction/") {
                true => {
                    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
                    browser.post(&next).body(body)
                }
                false => browser.get(&next),
            };
            let answer = asking.header("cookie", cookie.join("; ")).send().await.unwrap();
            keep(&mut cookies, &answer);
            let status = answer.status();
            let Some(location) = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned()) else {
                panic!("{next}: {status} {}", answer.text().await.unwrap());
            };
            next = Url::parse(&self.provider.issuer).unwrap().join(&location).unwrap().to_string();
            if next.contains("/auth/v1/callback") {
                return next;
            }
        }
    }

    /// Calls the callback; returns the redirect.
    async fn way_back(&self, callback: &str) -> Url {
        let url = Url::parse(callback).unwrap();
        let path = format!("{}?{}", url.path(), url.query().unwrap_or(""));
        let answer = self.app.anonymous().get(&path).header("user-agent", "Firefox/140 (Test)").await;
        assert!(answer.status.is_redirection(), "{} {}", answer.status, answer.body);
        Url::parse(answer.header("location").unwrap()).unwrap()
    }

    async fn there_and_back(&self, query: &str, form: &[(&'static str, String)]) -> Url {
        let there = self.way_there(query).await;
        self.way_back(&self.at_provider(&there, form).await).await
    }

    async fn exchange(&self, back: &Url) -> TestResponse {
        let code = of(back, "code").unwrap_or_else(|| panic!("no code in {back}"));
        self.redeem(&code, VERIFIER).await
    }

    async fn redeem(&self, code: &str, verifier: &str) -> TestResponse {
        let body = json!({ "auth_code": code, "code_verifier": verifier });
        self.app
            .anonymous()
            .post("/auth/v1/token?grant_type=pkce", body)
            .header("x-supabase-api-version", "2024-01-01")
            .await
    }

    async fn signed_in(&self, email: &str) -> (TestUser, Value) {
        let back = self.there_and_back(&format!("provider=google&{CHALLENGE}"), &as_(email)).await;
        let session = self.exchange(&back).await.ok();
        let mut person = self.app.anonymous();
        person.token = session["access_token"].as_str().map(str::to_owned);
        (person, session)
    }

    /// Log entries of an action, newest first.
    async fn logged_entries(&self, staff: &TestUser, action: &str) -> Vec<Value> {
        domain::platform::activity::sequence_all(&self.app.world.operator()).await.unwrap();
        let all = staff.get("/rest/v1/activity?limit=200").await.ok();
        all["items"].as_array().unwrap().iter().filter(|item| item["action"] == action).cloned().collect()
    }
}

fn of(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
}

/// The error code, which is both in the query and in the fragment.
#[track_caller]
fn refused(back: &Url) -> (String, String) {
    let query = (of(back, "error"), of(back, "error_code"));
    let fragment = Url::parse(&format!("http://x/?{}", back.fragment().unwrap_or(""))).unwrap();
    assert_eq!(query, (of(&fragment, "error"), of(&fragment, "error_code")), "{back}");
    assert!(of(back, "error_description").unwrap().contains(' ') && of(back, "code").is_none(), "{back}");
    (query.0.unwrap(), query.1.unwrap())
}

fn denied(code: &str) -> (String, String) {
    ("access_denied".to_owned(), code.to_owned())
}

fn claims(session: &Value) -> Value {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    let token = session["access_token"].as_str().unwrap();
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap()
}

#[tokio::test]
async fn provider_sign_in_links_the_identity() {
    on_both(false, |office| async move {
        let maya = office.app.client("Maya").await;
        let there =
            Url::parse(&office.way_there(&format!("provider=google&{CHALLENGE}&prompt=login&client_secret=x")).await)
                .unwrap();
        assert_eq!(of(&there, "prompt").as_deref(), Some("login"));
        assert!(
            of(&there, "client_secret").is_none()
                && of(&there, "nonce").is_some()
                && of(&there, "code_challenge").is_some()
        );
        assert_eq!(of(&there, "scope").as_deref(), Some("openid email profile"));
        // Additional scopes, without duplicates and invalid names.
        let wanted = "scopes=openid,email%20calendar.read,https://api.example/mail+calendar.read,a%22b,%0d%0ac&scope=x";
        for path in ["provider=google", "provider=azure"] {
            let there = Url::parse(&office.way_there(&format!("{path}&{wanted}")).await).unwrap();
            let scope = of(&there, "scope").unwrap();
            assert_eq!(scope, "openid email profile calendar.read https://api.example/mail");
            assert!(of(&there, "scopes").is_none());
        }
        let path = format!("/auth/v1/user/identities/authorize?provider=google&skip_http_redirect=true&{CHALLENGE}");
        let url = maya.get(&format!("{path}&{wanted}")).await.ok()["url"].as_str().unwrap().to_owned();
        assert!(of(&Url::parse(&url).unwrap(), "scope").unwrap().ends_with(" https://api.example/mail"));

        let (me, session) = office.signed_in("Maya@Example.com").await;
        assert_eq!(session["user"]["id"], json!(maya.id));
        let claims = claims(&session);
        assert_eq!((&claims["amr"][0]["method"], &claims["amr"][0]["provider"]), (&json!("oauth"), &json!("google")));
        assert_eq!(claims["aal"], "aal1");
        me.get("/rest/v1/me").await.ok();

        // The provider has another address for them now; the identity stays linked.
        let mut form = as_("maya.lopez@example.org");
        form.push(("sub", "sub-Maya@Example.com".to_owned()));
        let back = office.there_and_back(&format!("provider=google&{CHALLENGE}"), &form).await;
        assert_eq!(office.exchange(&back).await.ok()["user"]["id"], json!(maya.id));

        let erin = office.app.employee("Erin").await;
        assert_eq!(office.logged_entries(&erin, "identity.linked").await.len(), 1);
        let started = office.logged_entries(&erin, "session.started").await;
        let with_provider: Vec<_> = started.iter().filter(|event| event["data"]["method"] == "oauth").collect();
        assert_eq!(with_provider.len(), 2);
        assert_eq!(with_provider[0]["data"]["provider"], "google");
    })
    .await;
}

#[tokio::test]
async fn authorization_code_works_once_with_its_verifier() {
    on_both(true, |office| async move {
        office.app.client("Maya").await;
        let there = office.way_there(&format!("provider=google&{CHALLENGE}")).await;
        let callback = office.at_provider(&there, &as_("maya@example.com")).await;
        let back = office.way_back(&callback).await;
        assert!(back.as_str().starts_with(HOME));
        let code = of(&back, "code").unwrap();
        office.redeem(&code, &"x".repeat(43)).await.refused(400, "bad_code_verifier");
        office.redeem(&code, VERIFIER).await.ok();
        office.redeem(&code, VERIFIER).await.refused(404, "flow_state_not_found");
        office.redeem("6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b", VERIFIER).await.refused(404, "flow_state_not_found");

        // A used state redirects to our own first page: the original redirect is no longer known.
        let again = office.way_back(&callback).await;
        assert!(again.as_str().starts_with("http://127.0.0.1:8080/?"), "{again}");
        assert!(["flow_state_already_used", "bad_oauth_state"].contains(&of(&again, "error_code").unwrap().as_str()));
        for state in ["", "junk", "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b"] {
            let back = office.way_back(&format!("http://x/auth/v1/callback?code=c&state={state}")).await;
            assert_eq!((of(&back, "error_code").as_deref(), back.fragment()), (Some("bad_oauth_state"), None));
        }

        let late = office.way_there(&format!("provider=google&{CHALLENGE}")).await;
        let callback = office.at_provider(&late, &as_("maya@example.com")).await;
        office.app.world.clock.advance(Duration::seconds(301));
        assert_eq!(of(&office.way_back(&callback).await, "error_code").as_deref(), Some("bad_oauth_state"));
        office.app.world.clock.advance(Duration::seconds(-301));
        let back = office.there_and_back(&format!("provider=google&{CHALLENGE}"), &as_("maya@example.com")).await;
        office.app.world.clock.advance(Duration::seconds(301));
        office.exchange(&back).await.refused(422, "flow_state_expired");
    })
    .await;
}

/// The client uses the provider's tokens to query the provider about the user.
#[tokio::test]
async fn provider_tokens_are_returned_once() {
    on_both(false, |office| async move {
        let maya = office.app.client("Maya").await;
        let whose = async |token: &str| {
            let browser = Client::builder().no_proxy().build().unwrap();
            let asking = browser.get(format!("{}/me", office.provider.issuer)).bearer_auth(token);
            let said: Value = serde_json::from_str(&asking.send().await.unwrap().text().await.unwrap()).unwrap();
            said["email"].clone()
        };
        // The provider issues a refresh token under that name only.
        for (name, refreshes) in [("google", true), ("azure", false)] {
            let back = office.there_and_back(&format!("provider={name}&{CHALLENGE}"), &as_("maya@example.com")).await;
            assert!(!back.as_str().contains("provider_"), "{back}");
            let session = office.exchange(&back).await.ok();
            assert_eq!(whose(session["provider_token"].as_str().unwrap()).await, "maya@example.com");
            assert_eq!(session.get("provider_refresh_token").is_some_and(Value::is_string), refreshes, "{name}");
            let body = json!({ "refresh_token": session["refresh_token"] });
            let next = office.app.anonymous().post("/auth/v1/token?grant_type=refresh_token", body).await.ok();
            assert!(next["access_token"].is_string(), "{next}");
            assert!(next.get("provider_token").is_none() && next.get("provider_refresh_token").is_none());

            let back = office.there_and_back(&format!("provider={name}"), &as_("maya@example.com")).await;
            let fragment = Url::parse(&format!("http://x/?{}", back.fragment().unwrap())).unwrap();
            assert_eq!(whose(&of(&fragment, "provider_token").unwrap()).await, "maya@example.com");
            assert_eq!(of(&fragment, "provider_refresh_token").is_some(), refreshes, "{name}");
        }
        // Also for linking; the address need not be the account's there.
        let path = format!(
            "/auth/v1/user/identities/authorize?provider=google&redirect_to={HOME}&skip_http_redirect=true&{CHALLENGE}"
        );
        let there = maya.get(&path).await.ok()["url"].as_str().unwrap().to_owned();
        let back = office.way_back(&office.at_provider(&there, &as_("m@home.example")).await).await;
        let rows: Vec<(Option<String>,)> = office
            .app
            .world
            .db
            .clone()
            .sql("select cast(arrival as text) from flows where linking_user_id is not null")
            .all()
            .await
            .unwrap();
        let session = office.exchange(&back).await.ok();
        let token = session["provider_token"].as_str().unwrap();
        assert_eq!(whose(token).await, "m@home.example");
        let kept = rows[0].0.as_deref().unwrap();
        assert!(kept.contains("m@home.example") && !kept.contains(token));
    })
    .await;
}

#[tokio::test]
async fn replayed_state_is_refused() {
    on_both(false, |office| async move {
        office.app.client("Maya").await;
        let there = office.way_there(&format!("provider=google&{CHALLENGE}")).await;
        let callback = office.at_provider(&there, &as_("maya@example.com")).await;
        office.way_back(&callback).await;
        let again = office.way_back(&callback).await;
        assert_eq!(of(&again, "error_code").as_deref(), Some("flow_state_already_used"));
    })
    .await;
}

#[tokio::test]
async fn refused_sign_ins_redirect_with_the_reason() {
    on_both(false, |office| async move {
        let app = &office.app;
        let (maya, erin) = (app.client("Maya").await, app.employee("Erin").await);
        let query = format!("provider=google&{CHALLENGE}");

        let denial = [("decision", "deny".to_owned())];
        assert_eq!(refused(&office.there_and_back(&query, &denial).await), denied("access_denied"));

        let mut unverified = as_("maya@example.com");
        unverified.push(("unverified", "1".to_owned()));
        let back = office.there_and_back(&query, &unverified).await;
        assert_eq!(refused(&back), denied("provider_email_needs_verification"));

        // Unknown address: one account request each, whatever the number of sign-ins.
        for email in ["noa@example.com", "NOA@example.com", "noa@example.com"] {
            assert_eq!(refused(&office.there_and_back(&query, &as_(email)).await), denied("account_requested"));
        }
        let requests = erin.get("/rest/v1/requests").await.ok();
        assert_eq!(requests["items"].as_array().unwrap().len(), 1, "{requests}");
        let request = &requests["items"][0];
        assert_eq!((&request["kind"], &request["email"]), (&json!("account"), &json!("noa@example.com")));
        assert_eq!((&request["name"], &request["data"]["provider"]), (&json!("Test Person"), &json!("Google")));

        office.signed_in("maya@example.com").await;
        erin.post(&format!("/rest/v1/clients/{}/suspend", maya.id), json!({})).await.ok();
        let back = office.there_and_back(&query, &as_("maya@example.com")).await;
        assert_eq!(refused(&back), denied("user_banned"), "by the identity");
        let other = format!("provider=azure&{CHALLENGE}");
        assert_eq!(refused(&office.there_and_back(&other, &as_("maya@example.com")).await), denied("user_banned"));

        // Another user's code, and a response of another issuer.
        let there = office.way_there(&query).await;
        let state = of(&Url::parse(&there).unwrap(), "state").unwrap();
        let back = office.way_back(&format!("http://x/auth/v1/callback?state={state}&code=made-up")).await;
        assert_eq!(refused(&back), ("invalid_request".to_owned(), "bad_oauth_callback".to_owned()));
        let callback = office.at_provider(&office.way_there(&query).await, &as_("erin@example.com")).await;
        let forged = callback.replace("iss=http", "iss=https");
        assert_ne!(forged, callback);
        assert_eq!(refused(&office.way_back(&forged).await).1, "bad_oauth_callback");
    })
    .await;
}

#[tokio::test]
async fn id_tokens_before_nbf_are_refused() {
    on_both(true, |office| async move {
        office.app.client("Maya").await;
        let query = format!("provider=google&{CHALLENGE}");
        let now = office.app.world.clock.now().timestamp();
        for (nbf, refusal) in [(now + 3_600, Some("bad_oauth_callback")), (now - 3_600, None)] {
            let mut form = as_("maya@example.com");
            form.push(("claims", json!({ "nbf": nbf }).to_string()));
            let back = office.there_and_back(&query, &form).await;
            assert_eq!(of(&back, "error_code").as_deref(), refusal, "{back}");
        }
    })
    .await;
}

#[tokio::test]
async fn provider_sign_in_activates_a_pending_account_without_its_password() {
    on_both(false, |office| async move {
        let erin = office.app.employee("Erin").await;
        let form = json!({ "setup": "quick", "first_name": "Pia", "last_name": "Ng", "email": "pia@example.com",
            "company_id": office.app.acme, "price": "1" });
        let made = erin.post("/rest/v1/clients", form).await.ok();
        assert_eq!(made["client"]["status"], "pending");
        let (pia, _) = office.signed_in("pia@example.com").await;
        assert_eq!(pia.get("/rest/v1/me").await.ok()["status"], "active");
        let logged = office.logged_entries(&erin, "user.activated").await;
        assert_eq!((logged.len(), &logged[0]["data"]["provider"]), (1, &json!("Google")));
        // It is the only sign-in method left, so it stays.
        let user = pia.get("/auth/v1/user").await.ok();
        let identities = user["identities"].as_array().unwrap();
        assert_eq!((identities.len(), &identities[0]["provider"]), (1, &json!("google")), "{user}");
        assert_eq!(user["app_metadata"]["providers"], json!(["google"]));
        let path = format!("/auth/v1/user/identities/{}", identities[0]["identity_id"].as_str().unwrap());
        let answer = pia.delete(&path).header("x-supabase-api-version", "2024-01-01").await;
        answer.refused(422, "single_identity_not_deletable");
    })
    .await;
}

#[tokio::test]
async fn identities_are_linked_and_unlinked_by_their_owner() {
    on_both(false, |office| async move {
        let (maya, nils) = (office.app.client("Maya").await, office.app.client("Nils").await);
        let path = |provider: &str| {
            format!("/auth/v1/user/identities/authorize?provider={provider}&redirect_to={HOME}&skip_http_redirect=true&{CHALLENGE}")
        };
        let new = |asking: TestRequest| asking.header("x-supabase-api-version", "2024-01-01");
        new(office.app.anonymous().get(&path("google"))).await.refused(401, "no_authorization");
        new(maya.get(&path("github"))).await.refused(400, "validation_failed");
        let unbound = "/auth/v1/user/identities/authorize?provider=google&skip_http_redirect=true";
        new(maya.get(unbound)).await.refused(400, "validation_failed");

        // An address other than the account's is allowed here: both accounts are authenticated.
        let link = async |person: &TestUser, provider: &str, email: &str| {
            let there = person.get(&path(provider)).await.ok()["url"].as_str().unwrap().to_owned();
            office.way_back(&office.at_provider(&there, &as_(email)).await).await
        };
        let back = link(&maya, "google", "m@home.example").await;
        // Nothing is linked until the browser that began the flow sends its verifier.
        assert_eq!(maya.get("/auth/v1/user").await.ok()["identities"].as_array().unwrap().len(), 1);
        office.redeem(&of(&back, "code").unwrap(), &"x".repeat(43)).await.refused(400, "bad_code_verifier");
        let user = office.exchange(&back).await.ok()["user"].clone();
        let providers: Vec<_> = user["identities"].as_array().unwrap().iter().map(|i| i["provider"].clone()).collect();
        assert_eq!(providers, ["email", "google"]);
        let linked = &user["identities"][1];
        assert_eq!((&linked["id"], &linked["email"]), (&json!("sub-m@home.example"), &json!("m@home.example")));
        assert_eq!(linked["identity_data"]["email"], "m@home.example");

        // It is linked to her account only.
        for (person, provider) in [(&maya, "google"), (&nils, "google")] {
            let back = link(person, provider, "m@home.example").await;
            assert_eq!(refused(&back).1, "identity_already_exists");
        }
        let session = {
            let back = office.there_and_back(&format!("provider=google&{CHALLENGE}"), &as_("m@home.example")).await;
            office.exchange(&back).await.ok()
        };
        assert_eq!(session["user"]["id"], json!(maya.id));

        let unlink = |person: &TestUser, id: &str| new(person.delete(&format!("/auth/v1/user/identities/{id}")));
        let id = linked["identity_id"].as_str().unwrap();
        unlink(&nils, id).await.refused(422, "identity_not_found");
        unlink(&maya, "junk").await.refused(404, "validation_failed");
        unlink(&maya, &maya.id.to_string()).await.refused(422, "email_conflict_identity_not_deletable");
        unlink(&nils, &nils.id.to_string()).await.refused(422, "single_identity_not_deletable");
        let deliver = async || -> Vec<_> {
            office.app.deliver_all_mails().await.into_iter().map(|mail| (mail.act, mail.to)).collect()
        };
        let to_maya = |act| (Some(act), "maya@example.com".to_owned());
        assert_eq!(deliver().await, [to_maya(SecurityAct::IdentityLinked)]);
        assert_eq!(unlink(&maya, id).await.ok(), json!({}));
        assert_eq!(deliver().await, [to_maya(SecurityAct::IdentityUnlinked)]);
        unlink(&maya, id).await.refused(422, "identity_not_found");
        let back = office.there_and_back(&format!("provider=google&{CHALLENGE}"), &as_("m@home.example")).await;
        assert_eq!(refused(&back), denied("account_requested"));
        let erin = office.app.employee("Erin").await;
        assert_eq!(office.logged_entries(&erin, "identity.unlinked").await.len(), 1);

        // Neither with a token whose proof is old.
        office.app.world.clock.advance(Duration::minutes(10) + Duration::seconds(1));
        new(maya.get(&path("google"))).await.refused(400, "reauthentication_needed");
        unlink(&maya, id).await.refused(400, "reauthentication_needed");
    })
    .await;
}

#[tokio::test]
async fn this_was_not_me_unlinks_the_identity() {
    on_both(false, |office| async move {
        office.app.client("Maya").await;
        office.signed_in("maya@example.com").await;
        let news = office.app.deliver_all_mails().await.into_iter().find(|mail| mail.act.is_some()).unwrap();
        assert_eq!(news.act, Some(SecurityAct::IdentityLinked));
        office.app.anonymous().post("/rest/v1/secure-account", json!({ "token": news.token })).await.ok();
        let erin = office.app.employee("Erin").await;
        assert_eq!(office.logged_entries(&erin, "identity.unlinked").await.len(), 1);
    })
    .await;
}

/// A stolen session begins to link an identity, and completes after the owner has secured the account.
#[tokio::test]
async fn linking_needs_the_session_that_began_it() {
    on_both(false, |office| async move {
        let maya = office.app.client("Maya").await;
        let operator = office.app.world.operator();
        let begin = async |person: &TestUser| {
            let query = format!("provider=google&redirect_to={HOME}&skip_http_redirect=true&{CHALLENGE}");
            let there = person.get(&format!("/auth/v1/user/identities/authorize?{query}")).await.ok()["url"]
                .as_str()
                .unwrap()
                .to_owned();
            office.at_provider(&there, &as_("thief@elsewhere.example")).await
        };
        for ended_by in ["local", "global", "office"] {
            let stolen = office.app.sign_in(maya.id, "Maya").await;
            let callback = begin(&stolen).await;
            let brought = office.way_back(&begin(&stolen).await).await;
            match ended_by {
                "office" => assert_eq!(domain::accounts::users::sign_out(&operator, maya.id).await.unwrap(), 1),
                scope => {
                    let answer = stolen.post(&format!("/auth/v1/logout?scope={scope}"), json!({})).await;
                    assert_eq!(answer.status, 204);
                }
            }
            assert_eq!(refused(&office.way_back(&callback).await).1, "bad_oauth_state", "{ended_by}");
            office.exchange(&brought).await.refused(404, "flow_state_not_found");
        }
        // A new password ends it for the remaining session, too: its token may have been copied.
        let stolen = office.app.sign_in(maya.id, "Maya").await;
        let callback = begin(&stolen).await;
        let brought = office.way_back(&begin(&stolen).await).await;
        let new = json!({ "password": "another good one, twice", "current_password": "correct horse battery staple" });
        stolen.put("/auth/v1/user", new).await.ok();
        assert_eq!(of(&office.way_back(&callback).await, "error_code").as_deref(), Some("bad_oauth_state"));
        office.exchange(&brought).await.refused(404, "flow_state_not_found");
        assert_eq!(stolen.get("/auth/v1/user").await.ok()["identities"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn implicit_flow_returns_the_session_in_the_fragment() {
    on_both(false, |office| async move {
        let maya = office.app.client("Maya").await;
        let back = office.there_and_back("provider=google", &as_("maya@example.com")).await;
        assert!(back.query().is_none(), "{back}");
        let fragment = Url::parse(&format!("http://x/?{}", back.fragment().unwrap())).unwrap();
        let token = of(&fragment, "access_token");
        assert!(of(&fragment, "refresh_token").is_some() && of(&fragment, "token_type").as_deref() == Some("bearer"));
        let mut me = office.app.anonymous();
        me.token = token;
        assert_eq!(me.get("/rest/v1/me").await.ok()["id"], json!(maya.id));
        let sessions = domain::accounts::auth::sessions::list(&office.app.world.operator(), maya.id).await.unwrap();
        // All begun at the same time of a stopped clock.
        let session = sessions.iter().find(|session| session.amr[0].method == "oauth").unwrap();
        assert_eq!(session.user_agent.as_deref(), Some("Firefox/140 (Test)"));
        assert!(session.address.is_some());
    })
    .await;
}

#[tokio::test]
async fn microsoft_emails_are_trusted_for_configured_domains_only() {
    on_both(true, |office| async move {
        office.app.client("Maya").await;
        let query = format!("provider=azure&{CHALLENGE}");
        let mut form = as_("maya@example.com");
        form.push(("unverified", "1".to_owned()));
        office.exchange(&office.there_and_back(&query, &form).await).await.ok();
        // An address of another domain is not trusted, unless the organisation owns the domain.
        let mut form = as_("noa@example.org");
        form.push(("unverified", "1".to_owned()));
        let back = office.there_and_back(&query, &form).await;
        assert_eq!(refused(&back), denied("provider_email_needs_verification"));
        form.push(("claims", json!({ "xms_edov": "1" }).to_string()));
        assert_eq!(refused(&office.there_and_back(&query, &form).await), denied("account_requested"));
    })
    .await;
}

#[tokio::test]
async fn sso_finds_the_provider_by_email_domain() {
    on_both(false, |office| async move {
        // Takes ownership of `office`, so that its provider ends here.
        let office = office;
        let sso = async |body: Value| {
            office.app.anonymous().post("/auth/v1/sso", body).header("x-supabase-api-version", "2024-01-01").await
        };
        let of_client = |body: Value| {
            let mut body = body;
            body["skip_http_redirect"] = json!(true);
            body["code_challenge"] = Value::Null;
            body
        };
        let url = sso(of_client(json!({ "domain": "ACME.example" }))).await.ok()["url"].as_str().unwrap().to_owned();
        assert_eq!(of(&Url::parse(&url).unwrap(), "client_id").as_deref(), Some("google"));
        let url = sso(of_client(json!({ "provider_id": "azure" }))).await.ok()["url"].as_str().unwrap().to_owned();
        assert_eq!(of(&Url::parse(&url).unwrap(), "client_id").as_deref(), Some("azure"));
        assert_eq!(sso(json!({ "domain": "example.com" })).await.status, 303);
        for body in [json!({}), json!({ "domain": "acme.example", "provider_id": "google" })] {
            sso(body).await.refused(400, "validation_failed");
        }
        sso(json!({ "domain": "nowhere.example" })).await.refused(404, "sso_provider_not_found");
        sso(json!({ "provider_id": "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b" }))
            .await
            .refused(404, "sso_provider_not_found");
        sso(json!({ "domain": "acme.example", "code_challenge": "short", "code_challenge_method": "s256" }))
            .await
            .refused(400, "validation_failed");
    })
    .await;
}

#[tokio::test]
async fn settings_list_configured_providers() {
    on_both(false, |office| async move {
        let nobody = office.app.anonymous();
        let external = nobody.get("/auth/v1/settings").await.ok()["external"].clone();
        assert_eq!((&external["google"], &external["azure"]), (&json!(true), &json!(true)));
        assert_eq!(nobody.get("/rest/v1/settings").await.ok()["sign_in_providers"], json!(["google", "azure"]));
        let new = |path: &str| nobody.get(path).header("x-supabase-api-version", "2024-01-01");
        for query in
            ["", "provider=github", "provider=google&code_challenge=x", "provider=google&code_challenge_method=s256"]
        {
            new(&format!("/auth/v1/authorize?{query}")).await.refused(400, "validation_failed");
        }
        let invited = "/auth/v1/authorize?provider=google&invite_token=x";
        new(invited).await.refused(404, "user_not_found");
        // A redirect that is not allowed silently becomes our own URL.
        let there = nobody.get("/auth/v1/authorize?provider=google&redirect_to=https://evil.example").await;
        let callback = office.at_provider(there.header("location").unwrap(), &[("decision", "deny".to_owned())]).await;
        assert!(office.way_back(&callback).await.as_str().starts_with("http://127.0.0.1:8080/?error="));
    })
    .await;
}

#[tokio::test]
async fn unreachable_provider_redirects_with_an_error() {
    testing::on_both(|world| async {
        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let issuer = format!("http://{gone}");
        let google =
            ProviderSettings::new(ProviderKind::Google, "google".to_owned(), "s".to_owned(), issuer, Vec::new());
        let app = TestApp::new(world, HttpConfig { providers: vec![google], ..HttpConfig::default() }).await;
        let maya = app.client("Maya").await;
        let answer = app.anonymous().get(&format!("/auth/v1/authorize?provider=google&redirect_to={HOME}")).await;
        let back = Url::parse(answer.header("location").unwrap()).unwrap();
        assert_eq!(refused(&back), ("temporarily_unavailable".to_owned(), "provider_unavailable".to_owned()));
        let path = format!("/auth/v1/user/identities/authorize?provider=google&{CHALLENGE}");
        let answer = maya.get(&path).header("x-supabase-api-version", "2024-01-01").await;
        assert!(answer.header("retry-after").is_some());
        answer.refused(503, "provider_unavailable");
        maya.get("/rest/v1/me").await.ok();
    })
    .await;
}

/// A provider that accepts connections and never responds.
#[tokio::test]
async fn hanging_provider_delays_no_other_requests() {
    let hanging = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://{}", hanging.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((connection, _)) = hanging.accept().await {
            open.push(connection);
            assert!(open.len() < 3, "it is asked once, not by everybody");
        }
    });
    let google = ProviderSettings::new(ProviderKind::Google, "google".to_owned(), "s".to_owned(), issuer, Vec::new());
    let http = HttpConfig { providers: vec![google], rate_limits: false, ..HttpConfig::default() };
    let app = TestApp::new(World::sqlite().await, http).await;
    let nobody = app.anonymous();
    let path = format!("/auth/v1/authorize?provider=google&redirect_to={HOME}");
    let began = std::time::Instant::now();
    let together = (0..12).map(|_| async { nobody.get(&path).await.header("location").unwrap().to_owned() });
    for back in futures::future::join_all(together).await {
        assert_eq!(refused(&Url::parse(&back).unwrap()).1, "provider_unavailable");
    }
    let waited = began.elapsed();
    assert!(waited.as_secs() < 8, "all of them for one question: {waited:?}");
    let began = std::time::Instant::now();
    nobody.get(&path).await;
    // A second fetch would wait for four seconds.
    assert!(began.elapsed().as_secs() < 3, "nobody asks again at once");
    assert!(!asked.is_finished());
    asked.abort();
}

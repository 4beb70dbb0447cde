//! Test fixtures: the portal on both databases, and its users: `let maya = app.client("Maya").await;
//! maya.get("/rest/v1/me").await.ok()`.
use api::{AppConfig, AppState, HttpConfig};
use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use domain::{
    Actor, Options,
    accounts::{
        auth::{
            Auth, Keys,
            mail_request::{self, SendAuthMailJob},
            passwords,
        },
        mail_delivery, users,
    },
    kernel::{
        access::Role,
        ids::{CompanyId, IsoId, SpvId, UserId},
        page::PageQuery,
    },
    outbox::{
        activity_feed,
        mails::{self, Kind, SecurityAct},
    },
    platform::{
        activity::Activity,
        queue::{self, Job},
    },
    testing::{self, World},
};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::{Arc, Mutex},
};
use tokio::sync::{OnceCell, broadcast};
use tower::ServiceExt;

const PASSWORD: &str = "correct horse battery staple";

/// A running portal with one company, Acme, and its ISO partner Ivan.
#[derive(Clone)]
pub struct TestApp {
    pub world: World,
    pub app: AppState,
    pub router: Router,
    pub acme: CompanyId,
    /// Mail request jobs that [`TestApp::deliver_mails`] has run.
    handled: Arc<Mutex<HashSet<String>>>,
}

/// Runs `test` on a new portal over SQLite, and over PostgreSQL if a server is configured.
pub async fn on_both<F: Future<Output = ()>>(test: impl Fn(TestApp) -> F) {
    testing::on_both(|world| async {
        test(TestApp::new(world, HttpConfig { rate_limits: false, ..HttpConfig::default() }).await).await
    })
    .await;
}

/// [`on_both`] with other options.
pub async fn on_both_with<F: Future<Output = ()>>(
    configure: impl Fn(&mut Options, &mut HttpConfig),
    test: impl Fn(TestApp) -> F,
) {
    testing::on_both(|mut world| async {
        let (mut options, mut http) = ((*world.options).clone(), HttpConfig::default());
        configure(&mut options, &mut http);
        world.options = Arc::new(options);
        test(TestApp::new(world, http).await).await;
    })
    .await;
}

/// A delivered mail.
#[derive(Clone, Debug)]
pub struct SentMail {
    pub kind: Kind,
    pub to: String,
    pub url: String,
    /// The token of the link and the six digits.
    pub token: String,
    pub code: String,
    /// The act that a security mail is about.
    pub act: Option<SecurityAct>,
}

impl TestApp {
    /// Runs mail request jobs and delivers the outbox, oldest first. Returns all but the security mails.
    pub async fn deliver_mails(&self) -> Vec<SentMail> {
        self.deliver_all_mails().await.into_iter().filter(|mail| mail.act.is_none()).collect()
    }

    /// [`TestApp::deliver_mails`] with the security mails.
    pub async fn deliver_all_mails(&self) -> Vec<SentMail> {
        let ctx = self.world.operator();
        let newest = PageQuery { limit: Some(500), cursor: None };
        for job in queue::list(&ctx, None, &newest).await.expect("jobs").items.into_iter().rev() {
            let is_new = job.job == SendAuthMailJob::NAME && self.handled.lock().expect("one at a time").insert(job.id);
            if is_new {
                let job = serde_json::from_value(job.payload).expect("an asked mail");
                mail_request::handle_mail_request(&ctx.acting_as(Actor::System("mails")), &job)
                    .await
                    .expect("is answered");
            }
        }
        let page = PageQuery { limit: Some(100), cursor: None };
        let mut sent = Vec::new();
        let mut queued = mails::list(&ctx, Some(mails::Status::Queued), &page).await.expect("mails").items;
        queued.sort_by_key(|mail| (mail.created_at, mail.kind.name()));
        for mail in queued {
            let Some(outgoing) = mail_delivery::load_for_sending(&ctx, mail.id).await.expect("is worded") else {
                continue;
            };
            mails::mark_sent(&ctx, mail.id, None).await.expect("is noted");
            let secure = outgoing.secure_account.map(|url| {
                let token = url.rsplit_once("token=").expect("a token").1.to_owned();
                (url, token, String::new())
            });
            let link = outgoing.link.map(|made| (made.url, made.token, made.code));
            let (url, token, code) = link.or(secure).unwrap_or_default();
            let act = mail.security_act();
            sent.push(SentMail { kind: mail.kind, to: mail.to_email, url, token, code, act });
        }
        sent
    }

    /// The only mail in the outbox beside security mails.
    pub async fn only_mail(&self) -> SentMail {
        let mails = self.deliver_mails().await;
        assert_eq!(mails.len(), 1, "{mails:?}");
        mails.into_iter().next().expect("one mail")
    }

    /// A client with a service token.
    pub fn service(&self) -> TestUser {
        let token = self.app.auth.keys.sign(&json!({ "role": "service_role" })).expect("signs");
        TestUser { token: Some(token), ..self.anonymous() }
    }

    pub async fn new(world: World, http: HttpConfig) -> Self {
        let app = AppState::new(AppConfig {
            db: world.db.clone(),
            clock: world.clock.clone(),
            random: world.random.clone(),
            options: world.options.clone(),
            auth: Auth::new(Keys::for_tests()),
            feed: broadcast::channel::<Arc<Activity>>(1_000).0,
            http,
        });
        let acme = world.company("Acme").await;
        Self { router: api::router(app.clone()), app, world, acme, handled: Arc::default() }
    }

    /// Runs the activity sequencer, as `spvctl serve` does.
    pub fn run_sequencer(&self) {
        let verified = self.app.auth.token_cache.clone();
        let following =
            activity_feed::run(self.world.operator(), self.app.feed.clone(), move |event| verified.forget(event));
        tokio::spawn(following);
    }

    /// Sends a custom request in a task.
    pub fn send(&self, request: Request<Body>) -> tokio::task::JoinHandle<TestResponse> {
        let (router, asked) = (self.router.clone(), format!("{} {}", request.method(), request.uri()));
        tokio::spawn(async move {
            TestResponse::of(asked, router.oneshot(request).await.expect("the router answers")).await
        })
    }

    pub fn anonymous(&self) -> TestUser {
        TestUser { router: self.router.clone(), token: None, id: UserId(uuid::Uuid::nil()), spv: None }
    }

    pub async fn super_admin(&self, first: &str) -> TestUser {
        let user = self.world.user(Role::SuperAdmin, first, None, None).await;
        self.sign_in(user.id, first).await
    }

    pub async fn employee(&self, first: &str) -> TestUser {
        let user = self.world.user(Role::Employee, first, None, None).await;
        self.sign_in(user.id, first).await
    }

    pub async fn company_admin(&self, first: &str, company: CompanyId) -> TestUser {
        let user = self.world.user(Role::CompanyAdmin, first, Some(company), None).await;
        self.sign_in(user.id, first).await
    }

    pub async fn iso(&self, first: &str, company: CompanyId) -> (IsoId, TestUser) {
        let (iso, ctx) = self.world.iso(first, company).await;
        let id = ctx.actor.user_id().expect("an ISO is a user");
        (iso, self.sign_in(id, first).await)
    }

    /// A client of Acme with one active order.
    pub async fn client(&self, first: &str) -> TestUser {
        self.client_of(first, self.acme, None).await
    }

    pub async fn client_of(&self, first: &str, company: CompanyId, iso: Option<IsoId>) -> TestUser {
        let (id, spv, _) = self.world.client(first, company, iso).await;
        TestUser { spv: Some(spv), ..self.sign_in(id, first).await }
    }

    /// Signs in at `/auth/v1/token`, as browsers do.
    pub async fn sign_in(&self, id: UserId, first: &str) -> TestUser {
        static HASH: OnceCell<passwords::PasswordHash> = OnceCell::const_new();
        let operator = self.world.operator();
        let hash = HASH.get_or_init(|| async { passwords::hash(&operator, PASSWORD).await.expect("hashes") }).await;
        let mut tx = self.world.db.begin().await.expect("begins");
        users::set_password_hash(&mut tx, id, hash, false).await.expect("saves");
        tx.commit().await.expect("commits");
        let email = format!("{}@example.com", first.to_lowercase());
        let granted = self
            .anonymous()
            .post("/auth/v1/token?grant_type=password", json!({ "email": email, "password": PASSWORD }))
            .await
            .ok();
        let token = granted["access_token"].as_str().expect("a token").to_owned();
        TestUser { token: Some(token), id, ..self.anonymous() }
    }
}

/// A user with or without a session.
#[derive(Clone)]
pub struct TestUser {
    router: Router,
    pub token: Option<String>,
    pub id: UserId,
    /// A client's first order.
    pub spv: Option<SpvId>,
}

impl TestUser {
    /// The same user with the access token of another response.
    #[must_use]
    pub fn holding(&self, session: &Value) -> Self {
        Self { token: session["access_token"].as_str().map(str::to_owned), ..self.clone() }
    }

    pub fn get(&self, path: &str) -> TestRequest {
        self.ask(Method::GET, path)
    }

    pub fn post(&self, path: &str, body: Value) -> TestRequest {
        self.ask(Method::POST, path).json(&body)
    }

    pub fn put(&self, path: &str, body: Value) -> TestRequest {
        self.ask(Method::PUT, path).json(&body)
    }

    pub fn patch(&self, path: &str, body: Value) -> TestRequest {
        self.ask(Method::PATCH, path).json(&body)
    }

    pub fn delete(&self, path: &str) -> TestRequest {
        self.ask(Method::DELETE, path)
    }

    /// A request; a write accepts any version unless the test names one.
    pub fn ask(&self, method: Method, path: &str) -> TestRequest {
        let method_takes_version = !matches!(method, Method::GET | Method::HEAD);
        let mut asking = TestRequest {
            router: self.router.clone(),
            method,
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        if let Some(token) = &self.token {
            asking = asking.header("authorization", &format!("Bearer {token}"));
        }
        if method_takes_version { asking.header("if-match", "*") } else { asking }
    }
}

/// A request; await it to send it.
pub struct TestRequest {
    router: Router,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

impl TestRequest {
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().expect("a header"));
        self
    }

    pub fn json(self, body: &Value) -> Self {
        self.raw(body.to_string())
    }

    pub fn raw(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", "application/json")
    }

    pub fn if_match(self, version: i64) -> Self {
        self.header("if-match", &format!("\"{version}\""))
    }

    pub fn without_version(mut self) -> Self {
        self.headers.remove("if-match");
        self
    }

    pub fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Sends the request and returns the response before its body is read.
    pub async fn open(self) -> axum::response::Response {
        let mut request =
            Request::builder().method(self.method).uri(self.path).body(Body::from(self.body)).expect("a request");
        *request.headers_mut() = self.headers;
        self.router.oneshot(request).await.expect("the router answers")
    }
}

impl IntoFuture for TestRequest {
    type Output = TestResponse;
    type IntoFuture = Pin<Box<dyn Future<Output = TestResponse> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let asked = format!("{} {}", self.method, self.path);
            TestResponse::of(asked, self.open().await).await
        })
    }
}

pub struct TestResponse {
    asked: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body as JSON; null when it is none.
    pub body: Value,
    pub bytes: Bytes,
}

impl TestResponse {
    async fn of(asked: String, response: axum::response::Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Self { asked, status: parts.status, headers: parts.headers, body, bytes }
    }

    /// The body of a 2xx answer.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {} {}", self.asked, self.status, self.body);
        self.body
    }

    /// The body of an error response with this status and code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(
            (self.status.as_u16(), self.body["code"].as_str()),
            (status, Some(code)),
            "{}: {}",
            self.asked,
            self.body
        );
        assert!(self.body["message"].as_str().is_some_and(|message| message.contains(' ')), "words: {}", self.body);
        assert_eq!(self.body["request_id"].as_str(), self.header("x-request-id"), "{}", self.asked);
        self.body
    }

    /// `field code` of every field that a 422 refuses.
    #[track_caller]
    pub fn fields(self) -> Vec<String> {
        let body = self.refused(422, "invalid");
        let fields = body["fields"].as_array().expect("fields").iter();
        fields
            .map(|field| {
                assert!(field["message"].as_str().is_some_and(|message| message.contains(' ')), "words: {field}");
                format!("{} {}", field["field"].as_str().unwrap_or("?"), field["code"].as_str().unwrap_or("?"))
            })
            .collect()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub fn etag(&self) -> Option<&str> {
        self.header(header::ETAG.as_str())
    }
}

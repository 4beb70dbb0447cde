//! Application state of the router: what a [`Ctx`] is built from, caches, rate and concurrency limits, HTTP configuration.
use crate::{
    client_ip::Network,
    concurrency::ConcurrencyLimit,
    downloads::StartedDownloads,
    figures_cache::FiguresCache,
    oidc::{ProviderSettings, Providers},
    rate_limit::{AuthRateLimits, Limiter},
    redirect_allow_list::RedirectAllowList,
    uploads::ActiveAppends,
};
use domain::{
    Actor, Ctx, Error, Options, Origin,
    accounts::auth::{self, Auth},
    kernel::{
        access::SignedIn,
        clock::{Clock, RandomSource},
        db::Db,
        ids::UserId,
    },
    outbox::activity_feed::ActivityBroadcast,
};
use std::{
    net::IpAddr,
    num::NonZeroU32,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Event streams of one person: one per tab, also while the server is unreachable and all of them retry.
const MAX_EVENT_STREAMS_PER_USER: usize = 100;
const MAX_EXPORTS_PER_USER: usize = 4;
/// Upload parts of one person: each is held in memory until it is stored.
const MAX_UPLOAD_PARTS_PER_USER: usize = 8;

/// The state of the router; cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState(Arc<AppInner>);

/// The dependencies and the configuration of [`AppState::new`].
#[derive(Clone, Debug)]
pub struct AppConfig {
    pub db: Db,
    pub clock: Clock,
    pub random: RandomSource,
    pub options: Arc<Options>,
    pub auth: Auth,
    /// Filled by [`domain::outbox::activity_feed::run`], which the caller runs.
    pub feed: ActivityBroadcast,
    pub http: HttpConfig,
}

/// Configuration of the HTTP server.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Origins of other sites whose pages may call us: `https://app.example.com`.
    pub cors_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is trusted; none by default.
    pub trusted_proxies: Vec<Network>,
    /// Where mails and sign-in providers may redirect, beside our own URL.
    pub redirects: RedirectAllowList,
    /// Largest body of a request, in bytes.
    pub body_limit: usize,
    /// Request timeout until the response begins; streaming its body has no limit.
    pub time_limit: Duration,
    /// OpenID sign-in providers.
    pub providers: Vec<ProviderSettings>,
    /// Rate limits of the auth routes; off for measuring only.
    pub rate_limits: bool,
    /// Open connections per peer address; 0 for any number.
    pub max_connections_per_address: usize,
    /// Timeout of the first request's headers on a new connection.
    pub first_header_timeout: Duration,
    /// HSTS `includeSubDomains`.
    pub hsts_subdomains: bool,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            cors_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            redirects: RedirectAllowList::default(),
            body_limit: 1 << 20,
            time_limit: Duration::from_secs(10),
            providers: Vec::new(),
            rate_limits: true,
            max_connections_per_address: 256,
            first_header_timeout: Duration::from_secs(10),
            hsts_subdomains: false,
        }
    }
}

#[derive(Debug)]
pub struct AppInner {
    config: AppConfig,
    /// Contact requests, which need no sign-in, per address.
    pub contact_limit: Limiter<IpAddr>,
    /// Requests, messages and the like per user: each notifies the staff.
    pub request_limit: Limiter<UserId>,
    pub providers: Providers,
    pub auth_rate_limits: AuthRateLimits,
    /// Cancelled when shutdown begins: the node is no longer ready, and responses close their connections.
    pub draining: CancellationToken,
    /// Ends the event streams, so that shutdown need not wait for them.
    pub shutdown: CancellationToken,
    pub event_streams: ConcurrencyLimit,
    /// PDFs, exports and reports being made.
    pub running_exports: ConcurrencyLimit,
    pub figures_cache: FiguresCache,
    pub downloads: StartedDownloads,
    pub upload_parts: ConcurrencyLimit,
    pub active_appends: ActiveAppends,
    request_ids: AtomicU64,
    https: bool,
}

impl Deref for AppState {
    type Target = AppInner;
    fn deref(&self) -> &AppInner {
        &self.0
    }
}

impl Deref for AppInner {
    type Target = AppConfig;
    fn deref(&self) -> &AppConfig {
        &self.config
    }
}

impl AppState {
    pub fn new(config: AppConfig) -> Self {
        const THREE: NonZeroU32 = NonZeroU32::new(3).expect("three is not zero");
        const TWENTY: NonZeroU32 = NonZeroU32::new(20).expect("twenty is not zero");
        const SIXTY: NonZeroU32 = NonZeroU32::new(60).expect("sixty is not zero");
        let first_id = u64::from_le_bytes(config.random.bytes());
        let auth_rate_limits = AuthRateLimits::new(config.http.rate_limits);
        let https = config.options.public_url.starts_with("https://");
        let providers = Providers::new(&config.http.providers, &config.options.public_url);
        Self(Arc::new(AppInner {
            config,
            providers,
            auth_rate_limits,
            contact_limit: Limiter::per_minute(THREE, THREE),
            request_limit: Limiter::per_minute(TWENTY, SIXTY),
            draining: CancellationToken::new(),
            shutdown: CancellationToken::new(),
            event_streams: ConcurrencyLimit::new(MAX_EVENT_STREAMS_PER_USER),
            running_exports: ConcurrencyLimit::new(MAX_EXPORTS_PER_USER),
            figures_cache: FiguresCache::default(),
            downloads: StartedDownloads::default(),
            upload_parts: ConcurrencyLimit::new(MAX_UPLOAD_PARTS_PER_USER),
            active_appends: ActiveAppends::default(),
            request_ids: AtomicU64::new(first_id),
            https,
        }))
    }

    /// A context for `actor`, whose request came from `origin`.
    pub fn ctx(&self, actor: Actor, origin: Origin) -> Ctx {
        Ctx {
            actor,
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            options: self.options.clone(),
            origin,
            idempotency: None,
            suppress_notifications: false,
        }
    }

    /// The user of an access token.
    ///
    /// # Errors
    /// `unauthenticated`; Unavailable when the token is not cached and the database is down.
    pub async fn authenticate(&self, token: &str) -> Result<Arc<SignedIn>, Error> {
        match auth::authenticate(&self.auth, &self.db, &self.options, self.clock.now(), token).await {
            // Only the auth routes report the reason.
            Err(Error::Unauthenticated(_)) => Err(Error::unauthenticated("unauthenticated")),
            other => other,
        }
    }

    /// Rate limit for requests and messages to the staff. Staff have none; visitors have `contact_limit`.
    ///
    /// # Errors
    /// RateLimited with the seconds until the next is allowed.
    pub fn check_request_limit(&self, actor: &Actor) -> Result<(), Error> {
        match actor.user_id() {
            Some(user) if !actor.is_staff() => self.request_limit.check(&user),
            _ => Ok(()),
        }
    }

    /// Whether the public URL is https.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Sixteen hexadecimal digits, unique in this process; they do not reveal the number of requests.
    pub fn next_request_id(&self) -> String {
        let mut id = self.request_ids.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        id = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        id = (id ^ (id >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", id ^ (id >> 31))
    }
}

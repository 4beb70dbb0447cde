//! What every handler shares: the parts of a [`Ctx`], the sign-in cache, the live feed, how HTTP is configured.
use crate::{
    address::Network,
    downloads::Begun,
    exports::MAX_EXPORTS_PER_PERSON,
    figures_cache::FiguresCache,
    limits::{Limiter, Limits},
    oidc::{self, Providers},
    places::Places,
    routes::{
        auth::redirect::Redirects,
        events,
        storage::{self, Appending},
    },
};
use domain::{
    Actor, Ctx, Error, Options, Origin,
    accounts::auth::{self, Auth},
    kernel::{
        access::SignedIn,
        clock::{Chance, Clock},
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

/// The state of the router; cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Shared>);

/// What [`App::new`] is made of.
#[derive(Clone, Debug)]
pub struct Parts {
    pub db: Db,
    pub clock: Clock,
    pub chance: Chance,
    pub options: Arc<Options>,
    pub auth: Auth,
    /// Filled by [`domain::outbox::activity_feed::run`], which the caller runs.
    pub feed: ActivityBroadcast,
    pub http: Http,
}

/// How HTTP is configured.
#[derive(Clone, Debug)]
pub struct Http {
    /// Origins of other sites whose pages may call us: `https://app.example.com`.
    pub cors_origins: Vec<String>,
    /// Whose `X-Forwarded-For` is believed; nobody's unless told.
    pub trusted_proxies: Vec<Network>,
    /// Where mails and providers may send a browser, beside our own address.
    pub redirects: Redirects,
    /// Largest body of a request, in bytes.
    pub body_limit: usize,
    /// Longest time until an answer begins. An event stream begins at once and then takes as long as it likes.
    pub time_limit: Duration,
    /// Where people may sign in beside here.
    pub providers: Vec<oidc::Settings>,
    /// Whether the sign-in routes are limited for each address and account; off for measuring only.
    pub rate_limits: bool,
    /// Open connections per peer address; 0 for any number.
    pub max_connections_per_address: usize,
    /// Timeout of the first request's headers on a new connection.
    pub first_header_timeout: Duration,
    /// Whether HSTS speaks for the subdomains of the public address, too.
    pub hsts_subdomains: bool,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            cors_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            redirects: Redirects::default(),
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
pub struct Shared {
    parts: Parts,
    /// Contact requests need no sign-in: a few a minute for each address.
    pub contact_limit: Limiter<IpAddr>,
    /// What people write who are signed in, of whatever kind: each of it is read by the staff, and told to them.
    pub request_limit: Limiter<UserId>,
    pub providers: Providers,
    /// How often the sign-in routes may be asked.
    pub limits: Limits,
    /// Cancelled when shutdown begins: the node is no longer ready, and responses close their connections.
    pub draining: CancellationToken,
    /// Ends the event streams, so that a stopping server need not wait for them.
    pub closing: CancellationToken,
    /// How many event streams each person has open.
    pub streams: Places,
    /// PDFs, exports and reports each person is being made.
    pub exports: Places,
    pub figures_cache: FiguresCache,
    /// Downloads that have begun, whose links may be resumed.
    pub downloads: Begun,
    /// How many pieces of uploads each person is sending.
    pub pieces: Places,
    /// Who goes on with which upload.
    pub appending: Appending,
    request_ids: AtomicU64,
    https: bool,
}

impl Deref for App {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Deref for Shared {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl App {
    pub fn new(parts: Parts) -> Self {
        const THREE: NonZeroU32 = NonZeroU32::new(3).expect("three is not zero");
        const TWENTY: NonZeroU32 = NonZeroU32::new(20).expect("twenty is not zero");
        const SIXTY: NonZeroU32 = NonZeroU32::new(60).expect("sixty is not zero");
        let first_id = u64::from_le_bytes(parts.chance.bytes());
        let limits = Limits::new(parts.http.rate_limits);
        let https = parts.options.public_url.starts_with("https://");
        let providers = Providers::new(&parts.http.providers, &parts.options.public_url);
        Self(Arc::new(Shared {
            parts,
            providers,
            limits,
            contact_limit: Limiter::per_minute(THREE, THREE),
            request_limit: Limiter::per_minute(TWENTY, SIXTY),
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
            streams: Places::new(events::EACH),
            exports: Places::new(MAX_EXPORTS_PER_PERSON),
            figures_cache: FiguresCache::default(),
            downloads: Begun::default(),
            pieces: Places::new(storage::PIECES),
            appending: Appending::default(),
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
            chance: self.chance.clone(),
            options: self.options.clone(),
            origin,
            idempotency: None,
            silent: false,
        }
    }

    /// Whose access token this is.
    ///
    /// # Errors
    /// Unauthenticated; Unavailable when the token is new here and the database cannot be asked.
    pub async fn who(&self, token: &str) -> Result<Arc<SignedIn>, Error> {
        match auth::authenticate(&self.auth, &self.db, &self.options, self.clock.now(), token).await {
            // Which of the reasons it was is the sign-in protocol's business.
            Err(Error::Unauthenticated(_)) => Err(Error::unauthenticated("unauthenticated")),
            other => other,
        }
    }

    /// Whether the actor may write to the staff once more. The staff themselves, as often as they like; visitors have a
    /// limit of their own.
    ///
    /// # Errors
    /// TooMany with the seconds until the next is allowed.
    pub fn may_write(&self, actor: &Actor) -> Result<(), Error> {
        match actor.user_id() {
            Some(user) if !actor.is_staff() => self.request_limit.check(&user),
            _ => Ok(()),
        }
    }

    /// True when browsers reach us by https, by the public address.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Sixteen hexadecimal digits that no other request of this process has; they say nothing of how many
    /// there were.
    pub fn next_request_id(&self) -> String {
        let mut id = self.request_ids.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        id = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        id = (id ^ (id >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", id ^ (id >> 31))
    }
}

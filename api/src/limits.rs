//! How often a caller may ask.
use axum::http::Method;
use domain::Error;
pub use domain::accounts::auth::login_throttle::network_prefix;
use governor::{
    DefaultKeyedRateLimiter, Quota,
    clock::{Clock, DefaultClock},
};
use sha2::{Digest, Sha256};
use std::{
    hash::Hash,
    net::IpAddr,
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Callers remembered before those who have gone quiet are forgotten, and after how many questions that is looked at.
const REMEMBERED: usize = 10_000;
const SELDOM: u32 = 1_000;

/// So many at once for each key, and so many a minute in the long run.
#[derive(Debug)]
pub struct Limiter<K: Hash + Eq + Clone> {
    keyed: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    asked: AtomicU32,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// One in so long, and so many at once after a rest.
    fn every(period: Duration, burst: u32) -> Self {
        let quota = Quota::with_period(period).expect("a period that is not zero");
        let burst = NonZeroU32::new(burst).expect("a burst that is not zero");
        Self::of(quota.allow_burst(burst))
    }

    pub fn per_minute(each: NonZeroU32, burst: NonZeroU32) -> Self {
        Self::of(Quota::per_minute(each).allow_burst(burst))
    }

    fn of(quota: Quota) -> Self {
        Self {
            keyed: DefaultKeyedRateLimiter::keyed(quota),
            clock: DefaultClock::default(),
            asked: AtomicU32::default(),
        }
    }

    /// # Errors
    /// TooMany with the seconds until the next is allowed.
    pub fn check(&self, key: &K) -> Result<(), Error> {
        // Not for every one of a flood: looking through them all takes longer than the question.
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(SELDOM) && self.keyed.len() > REMEMBERED {
            self.keyed.retain_recent();
        }
        self.keyed.check_key(key).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            Error::TooMany(wait.as_secs() + 1)
        })
    }
}

/// What a sign-in route costs or gives away, and so how often it may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tokens for a password or a code.
    SignIn,
    /// Generous: a client that is refused signs its person out.
    Refresh,
    /// Links and codes from mails.
    Verify,
    /// What sends a mail or changes the account.
    Mail,
    /// Sign-in at other providers.
    Provider,
    /// The way back from one. Wide: whoever comes by it has gone through `Provider`, and many share an address.
    Callback,
    /// Second factors.
    Factor,
}

/// The requests that are counted together: by their cost, and each route for itself, so that whoever asks one too often
/// may still ask the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub kind: Kind,
    route: &'static str,
}

impl Bucket {
    /// Refreshing, which only its own route can tell the account of.
    pub const REFRESH: Self = Self { kind: Kind::Refresh, route: "/token" };

    /// Of a route under `/auth/v1`.
    pub fn of(method: &Method, path: &str, query: &str) -> Option<Self> {
        let post = method == Method::POST;
        let found = |kind, route| Some(Self { kind, route });
        match path.trim_start_matches("/auth/v1") {
            // By the same reading as the route's own: the first of that name.
            "/token" if grant(query).as_deref() == Some("refresh_token") => Some(Self::REFRESH),
            "/token" => found(Kind::SignIn, "/token"),
            "/verify" if post => found(Kind::Verify, "/verify"),
            "/signup" if post => found(Kind::Mail, "/signup"),
            "/otp" if post => found(Kind::Mail, "/otp"),
            "/magiclink" if post => found(Kind::Mail, "/magiclink"),
            "/recover" if post => found(Kind::Mail, "/recover"),
            "/resend" if post => found(Kind::Mail, "/resend"),
            "/user" if method == Method::PUT => found(Kind::Mail, "/user"),
            "/reauthenticate" => found(Kind::Mail, "/reauthenticate"),
            "/sso" => found(Kind::Provider, "/sso"),
            "/authorize" => found(Kind::Provider, "/authorize"),
            "/callback" => found(Kind::Callback, "/callback"),
            "/factors/recovery-codes/verify" => found(Kind::Factor, "/factors/recovery-codes"),
            // A challenge and its answer are one try.
            path if post && path.starts_with("/factors/") && path.ends_with("/challenge") => {
                found(Kind::Factor, "/factors")
            }
            path if post && path.starts_with("/factors/") && path.ends_with("/verify") => {
                found(Kind::Factor, "/factors")
            }
            _ => None,
        }
    }

    /// Whether a browser is on its way there, which can do nothing with an answer that is no page.
    pub fn is_visited(self) -> bool {
        matches!(self.route, "/authorize" | "/callback")
    }
}

fn grant(query: &str) -> Option<String> {
    url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "grant_type").map(|(_, value)| value.into())
}

/// How much wider the bucket of an account is than that of an address: nobody who asks from one place can use up what
/// its owner needs, and many places together are slowed down all the same.
const WIDER: u32 = 10;

/// The hash of an account's name: the memory is nobody's address book.
type Account = [u8; 32];

/// The limits of the sign-in routes, for each client address and for each account. What guessing costs beyond these is
/// the domain's business, and shared by all nodes.
#[derive(Debug)]
pub struct Limits {
    on: bool,
    addresses: ByKind<IpAddr>,
    accounts: ByKind<Account>,
}

/// One limiter for each kind of route, which counts every route for itself.
#[derive(Debug)]
struct ByKind<K: Hash + Eq + Clone> {
    sign_in: Limiter<(&'static str, K)>,
    refresh: Limiter<(&'static str, K)>,
    verify: Limiter<(&'static str, K)>,
    mail: Limiter<(&'static str, K)>,
    provider: Limiter<(&'static str, K)>,
    callback: Limiter<(&'static str, K)>,
    factor: Limiter<(&'static str, K)>,
}

impl<K: Hash + Eq + Clone> ByKind<K> {
    fn new(wider: u32) -> Self {
        let every = |milliseconds, burst: u32| {
            Limiter::every(Duration::from_millis(milliseconds) / wider, burst.saturating_mul(wider))
        };
        Self {
            sign_in: every(2_000, 30),
            refresh: every(100, 300),
            verify: every(10_000, 30),
            mail: every(10_000, 30),
            provider: every(10_000, 30),
            callback: every(1_000, 300),
            factor: every(4_000, 30),
        }
    }

    fn check(&self, bucket: Bucket, key: K) -> Result<(), Error> {
        let limiter = match bucket.kind {
            Kind::SignIn => &self.sign_in,
            Kind::Refresh => &self.refresh,
            Kind::Verify => &self.verify,
            Kind::Mail => &self.mail,
            Kind::Provider => &self.provider,
            Kind::Callback => &self.callback,
            Kind::Factor => &self.factor,
        };
        limiter.check(&(bucket.route, key))
    }
}

impl Limits {
    pub fn new(on: bool) -> Self {
        // Nobody but its owner has the tokens that are counted for an account here, so this need not be wider than an
        // address's: any number of tabs at once, and then one a second.
        let refresh = Limiter::every(Duration::from_secs(1), 300);
        Self { on, addresses: ByKind::new(1), accounts: ByKind { refresh, ..ByKind::new(WIDER) } }
    }

    /// # Errors
    /// TooMany with the seconds until the next is allowed.
    pub fn address(&self, bucket: Bucket, address: IpAddr) -> Result<(), Error> {
        if self.on { self.addresses.check(bucket, network_prefix(address)) } else { Ok(()) }
    }

    /// # Errors
    /// TooMany with the seconds until the next is allowed.
    pub fn account(&self, bucket: Bucket, name: &str) -> Result<(), Error> {
        let account = || Sha256::digest(domain::accounts::users::email_key(name)).into();
        if self.on { self.accounts.check(bucket, account()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_burst_passes_and_the_next_is_told_when() {
        let limiter = Limiter::per_minute(NonZeroU32::new(6).unwrap(), NonZeroU32::new(2).unwrap());
        let (one, other) = ("192.0.2.1".parse::<IpAddr>().unwrap(), "192.0.2.2".parse().unwrap());
        assert!(limiter.check(&one).is_ok() && limiter.check(&one).is_ok());
        assert!(matches!(limiter.check(&one), Err(Error::TooMany(1..=10))));
        assert!(limiter.check(&other).is_ok(), "somebody else is not held up");
    }

    #[test]
    fn addresses_of_one_ipv6_customer_count_together() {
        let near = |text: &str| network_prefix(text.parse().unwrap());
        assert_eq!(near("2001:db8:1:2::1"), near("2001:db8:1:2:ffff::9"));
        assert_ne!(near("2001:db8:1:2::1"), near("2001:db8:1:3::1"));
        assert_eq!(near("::ffff:192.0.2.1"), near("192.0.2.1"));
    }

    #[test]
    fn routes_are_counted_by_what_they_cost() {
        let kind = |method: &Method, path: &str, query: &str| Bucket::of(method, path, query).map(|bucket| bucket.kind);
        for (path, query, found) in [
            ("/token", "grant_type=password", Some(Kind::SignIn)),
            ("/token", "grant_type=refresh_token", Some(Kind::Refresh)),
            // The route reads the first of that name, so a second one is no way into the wider bucket.
            ("/token", "grant_type=password&grant_type=refresh_token", Some(Kind::SignIn)),
            ("/token", "x=grant_type=refresh_token&grant_type=password", Some(Kind::SignIn)),
            ("/token", "grant%5Ftype=refresh%5Ftoken", Some(Kind::Refresh)),
            ("/auth/v1/recover", "", Some(Kind::Mail)),
            ("/verify", "", Some(Kind::Verify)),
            ("/factors/7/verify", "", Some(Kind::Factor)),
            ("/factors/recovery-codes/verify", "", Some(Kind::Factor)),
            ("/factors", "", None),
            ("/logout", "", None),
        ] {
            assert_eq!(kind(&Method::POST, path, query), found, "{path}");
        }
        assert_eq!(kind(&Method::GET, "/verify", ""), None, "it uses nothing up");
        assert_eq!((kind(&Method::PUT, "/user", ""), kind(&Method::GET, "/user", "")), (Some(Kind::Mail), None));
    }

    #[test]
    fn every_route_is_counted_for_itself() {
        let of = |method: &Method, path: &str| Bucket::of(method, path, "").unwrap_or_else(|| panic!("{path}"));
        let post = ["/signup", "/otp", "/magiclink", "/recover", "/resend", "/sso", "/verify", "/token"];
        let mut buckets: Vec<Bucket> = post.iter().map(|path| of(&Method::POST, path)).collect();
        buckets.push(of(&Method::PUT, "/user"));
        buckets.extend(["/reauthenticate", "/authorize", "/callback"].map(|path| of(&Method::GET, path)));
        let limits = Limits::new(true);
        let here = "192.0.2.1".parse().unwrap();
        for (n, bucket) in buckets.iter().enumerate() {
            assert!(limits.address(*bucket, here).is_ok(), "{bucket:?} has not been asked yet");
            assert!(!buckets[..n].contains(bucket), "{bucket:?} is one of its own");
            while limits.address(*bucket, here).is_ok() {}
        }
        let (challenge, verify) = (of(&Method::POST, "/factors/7/challenge"), of(&Method::POST, "/factors/7/verify"));
        assert_eq!(challenge, verify, "a challenge and its answer are one try");
        let callback = of(&Method::GET, "/callback");
        let there = "192.0.2.2".parse().unwrap();
        assert!((0..300).all(|_| limits.address(callback, there).is_ok()), "an office may come back at once");
    }

    #[test]
    fn an_address_and_an_account_are_counted_apart() {
        let limits = Limits::new(true);
        let (here, there) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let verify = Bucket { kind: Kind::Verify, route: "/verify" };
        for _ in 0..30 {
            limits.address(verify, here).unwrap();
        }
        assert!(matches!(limits.address(verify, here), Err(Error::TooMany(1..=10))));
        for _ in 0..300 {
            limits.account(verify, "Maya@example.com").unwrap();
        }
        assert!(matches!(limits.account(verify, "maya@example.com "), Err(Error::TooMany(1..=2))));
        assert!(limits.address(verify, there).is_ok() && limits.account(verify, "noah@example.com").is_ok());
        for _ in 0..300 {
            limits.account(Bucket::REFRESH, "maya").unwrap();
        }
        assert!(matches!(limits.account(Bucket::REFRESH, "maya"), Err(Error::TooMany(1..=2))));
        let off = Limits::new(false);
        assert!((0..1_000).all(|_| off.address(verify, here).is_ok()));
    }
}

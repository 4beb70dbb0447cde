//! Rate limits per address, account or user, in this process.
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

/// Above this many keys, idle ones are removed every `CLEANUP_EVERY` checks.
const MAX_KEYS: usize = 10_000;
const CLEANUP_EVERY: u32 = 1_000;

/// A rate with a burst, per key.
#[derive(Debug)]
pub struct Limiter<K: Hash + Eq + Clone> {
    keyed: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    checks: AtomicU32,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// One per `period`, with bursts.
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
            checks: AtomicU32::default(),
        }
    }

    /// # Errors
    /// RateLimited with the seconds until the next is allowed.
    pub fn check(&self, key: &K) -> Result<(), Error> {
        // Not at each check: scanning all keys takes much longer than a check.
        if self.checks.fetch_add(1, Ordering::Relaxed).is_multiple_of(CLEANUP_EVERY) && self.keyed.len() > MAX_KEYS {
            self.keyed.retain_recent();
        }
        self.keyed.check_key(key).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            Error::RateLimited(wait.as_secs() + 1)
        })
    }
}

/// Groups of auth routes with the same limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Tokens for a password, a code or a passkey.
    SignIn,
    /// Generous: a limited client signs its user out.
    Refresh,
    /// Links and codes from mails.
    Verify,
    /// Routes that send a mail or change the account.
    Mail,
    /// Sign-in at other providers.
    Provider,
    /// The provider's redirect back. Generous: it follows a request limited by `Provider`, and offices share an address.
    Callback,
    /// Second factors.
    Factor,
}

/// The key under which requests are counted: each route by itself, so that one exhausted limit leaves the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitKey {
    pub kind: LimitKind,
    route: &'static str,
}

impl RateLimitKey {
    /// Refresh: its route learns the account from the token.
    pub const REFRESH: Self = Self { kind: LimitKind::Refresh, route: "/token" };

    /// The key of a request under `/auth/v1`; none where there is no limit.
    pub fn of(method: &Method, path: &str, query: &str) -> Option<Self> {
        let post = method == Method::POST;
        let found = |kind, route| Some(Self { kind, route });
        match path.trim_start_matches("/auth/v1") {
            // The first `grant_type`, as the route reads it.
            "/token" if grant(query).as_deref() == Some("refresh_token") => Some(Self::REFRESH),
            "/token" => found(LimitKind::SignIn, "/token"),
            "/verify" if post => found(LimitKind::Verify, "/verify"),
            "/signup" if post => found(LimitKind::Mail, "/signup"),
            "/otp" if post => found(LimitKind::Mail, "/otp"),
            "/magiclink" if post => found(LimitKind::Mail, "/magiclink"),
            "/recover" if post => found(LimitKind::Mail, "/recover"),
            "/resend" if post => found(LimitKind::Mail, "/resend"),
            "/user" if method == Method::PUT => found(LimitKind::Mail, "/user"),
            "/reauthenticate" => found(LimitKind::Mail, "/reauthenticate"),
            "/sso" => found(LimitKind::Provider, "/sso"),
            "/authorize" => found(LimitKind::Provider, "/authorize"),
            "/callback" => found(LimitKind::Callback, "/callback"),
            "/factors/recovery-codes/verify" => found(LimitKind::Factor, "/factors/recovery-codes"),
            "/passkeys/authentication/options" => found(LimitKind::SignIn, "/passkeys/authentication/options"),
            "/passkeys/authentication/verify" => found(LimitKind::SignIn, "/passkeys/authentication/verify"),
            "/passkeys/registration/options" | "/passkeys/registration/verify" => {
                found(LimitKind::Factor, "/passkeys/registration")
            }
            // A challenge and its verification count as one attempt.
            path if post && path.starts_with("/factors/") && path.ends_with("/challenge") => {
                found(LimitKind::Factor, "/factors")
            }
            path if post && path.starts_with("/factors/") && path.ends_with("/verify") => {
                found(LimitKind::Factor, "/factors")
            }
            _ => None,
        }
    }

    /// Whether browsers navigate to the route, so that errors must be redirects.
    pub fn is_visited(self) -> bool {
        matches!(self.route, "/authorize" | "/callback")
    }
}

fn grant(query: &str) -> Option<String> {
    url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "grant_type").map(|(_, value)| value.into())
}

/// How much higher the limit of an account is than that of an address: one address cannot exhaust it, many together can.
const ACCOUNT_MULTIPLIER: u32 = 10;

/// The hash of an account's email address or id, so that memory holds no addresses.
type AccountKey = [u8; 32];

/// Rate limits of the auth routes per client address and per account, in this process. Login throttling, shared by all
/// nodes, is `domain`'s.
#[derive(Debug)]
pub struct AuthRateLimits {
    enabled: bool,
    addresses: ByKind<IpAddr>,
    accounts: ByKind<AccountKey>,
}

/// One limiter per kind; its keys contain the route.
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
    fn new(multiplier: u32) -> Self {
        let every = |milliseconds, burst: u32| {
            Limiter::every(Duration::from_millis(milliseconds) / multiplier, burst.saturating_mul(multiplier))
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

    fn check(&self, route: RateLimitKey, key: K) -> Result<(), Error> {
        let limiter = match route.kind {
            LimitKind::SignIn => &self.sign_in,
            LimitKind::Refresh => &self.refresh,
            LimitKind::Verify => &self.verify,
            LimitKind::Mail => &self.mail,
            LimitKind::Provider => &self.provider,
            LimitKind::Callback => &self.callback,
            LimitKind::Factor => &self.factor,
        };
        limiter.check(&(route.route, key))
    }
}

impl AuthRateLimits {
    pub fn new(enabled: bool) -> Self {
        // Only the owner has the account's refresh tokens, so the multiplier is not needed: a burst for many tabs, then one
        // per second.
        let refresh = Limiter::every(Duration::from_secs(1), 300);
        Self { enabled, addresses: ByKind::new(1), accounts: ByKind { refresh, ..ByKind::new(ACCOUNT_MULTIPLIER) } }
    }

    /// # Errors
    /// RateLimited with the seconds until the next is allowed.
    pub fn address(&self, key: RateLimitKey, address: IpAddr) -> Result<(), Error> {
        if self.enabled { self.addresses.check(key, network_prefix(address)) } else { Ok(()) }
    }

    /// # Errors
    /// RateLimited with the seconds until the next is allowed.
    pub fn account(&self, key: RateLimitKey, name: &str) -> Result<(), Error> {
        let account = || Sha256::digest(domain::accounts::users::email_key(name)).into();
        if self.enabled { self.accounts.check(key, account()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_above_the_burst_are_refused_with_retry_after() {
        let limiter = Limiter::per_minute(NonZeroU32::new(6).unwrap(), NonZeroU32::new(2).unwrap());
        let (one, other) = ("192.0.2.1".parse::<IpAddr>().unwrap(), "192.0.2.2".parse().unwrap());
        assert!(limiter.check(&one).is_ok() && limiter.check(&one).is_ok());
        assert!(matches!(limiter.check(&one), Err(Error::RateLimited(1..=10))));
        assert!(limiter.check(&other).is_ok(), "other keys are not limited");
    }

    #[test]
    fn ipv6_addresses_count_by_network() {
        let near = |text: &str| network_prefix(text.parse().unwrap());
        assert_eq!(near("2001:db8:1:2::1"), near("2001:db8:1:2:ffff::9"));
        assert_ne!(near("2001:db8:1:2::1"), near("2001:db8:1:3::1"));
        assert_eq!(near("::ffff:192.0.2.1"), near("192.0.2.1"));
    }

    #[test]
    fn routes_have_the_limit_of_their_kind() {
        let kind = |method: &Method, path: &str, query: &str| RateLimitKey::of(method, path, query).map(|key| key.kind);
        for (path, query, found) in [
            ("/token", "grant_type=password", Some(LimitKind::SignIn)),
            ("/token", "grant_type=refresh_token", Some(LimitKind::Refresh)),
            // The route reads the first of that name, so a second one is no way into the wider key.
            ("/token", "grant_type=password&grant_type=refresh_token", Some(LimitKind::SignIn)),
            ("/token", "x=grant_type=refresh_token&grant_type=password", Some(LimitKind::SignIn)),
            ("/token", "grant%5Ftype=refresh%5Ftoken", Some(LimitKind::Refresh)),
            ("/auth/v1/recover", "", Some(LimitKind::Mail)),
            ("/verify", "", Some(LimitKind::Verify)),
            ("/factors/7/verify", "", Some(LimitKind::Factor)),
            ("/factors/recovery-codes/verify", "", Some(LimitKind::Factor)),
            ("/factors", "", None),
            ("/passkeys/authentication/options", "", Some(LimitKind::SignIn)),
            ("/passkeys/authentication/verify", "", Some(LimitKind::SignIn)),
            ("/passkeys/registration/verify", "", Some(LimitKind::Factor)),
            ("/passkeys", "", None),
            ("/logout", "", None),
        ] {
            assert_eq!(kind(&Method::POST, path, query), found, "{path}");
        }
        assert_eq!(kind(&Method::GET, "/verify", ""), None, "it uses nothing up");
        assert_eq!((kind(&Method::PUT, "/user", ""), kind(&Method::GET, "/user", "")), (Some(LimitKind::Mail), None));
    }

    #[test]
    fn each_route_has_its_own_count() {
        let of = |method: &Method, path: &str| RateLimitKey::of(method, path, "").unwrap_or_else(|| panic!("{path}"));
        let post = ["/signup", "/otp", "/magiclink", "/recover", "/resend", "/sso", "/verify", "/token"];
        let mut keys: Vec<RateLimitKey> = post.iter().map(|path| of(&Method::POST, path)).collect();
        keys.push(of(&Method::PUT, "/user"));
        keys.extend(["/reauthenticate", "/authorize", "/callback"].map(|path| of(&Method::GET, path)));
        let limits = AuthRateLimits::new(true);
        let here = "192.0.2.1".parse().unwrap();
        for (n, key) in keys.iter().enumerate() {
            assert!(limits.address(*key, here).is_ok(), "{key:?} has not been asked yet");
            assert!(!keys[..n].contains(key), "{key:?} is one of its own");
            while limits.address(*key, here).is_ok() {}
        }
        let (challenge, verify) = (of(&Method::POST, "/factors/7/challenge"), of(&Method::POST, "/factors/7/verify"));
        assert_eq!(challenge, verify, "a challenge and its answer are one try");
        let callback = of(&Method::GET, "/callback");
        let there = "192.0.2.2".parse().unwrap();
        assert!((0..300).all(|_| limits.address(callback, there).is_ok()), "an office may come back at once");
    }

    #[test]
    fn addresses_and_accounts_have_separate_counts() {
        let limits = AuthRateLimits::new(true);
        let (here, there) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let verify = RateLimitKey { kind: LimitKind::Verify, route: "/verify" };
        for _ in 0..30 {
            limits.address(verify, here).unwrap();
        }
        assert!(matches!(limits.address(verify, here), Err(Error::RateLimited(1..=10))));
        for _ in 0..300 {
            limits.account(verify, "Maya@example.com").unwrap();
        }
        assert!(matches!(limits.account(verify, "maya@example.com "), Err(Error::RateLimited(1..=2))));
        assert!(limits.address(verify, there).is_ok() && limits.account(verify, "noah@example.com").is_ok());
        for _ in 0..300 {
            limits.account(RateLimitKey::REFRESH, "maya").unwrap();
        }
        assert!(matches!(limits.account(RateLimitKey::REFRESH, "maya"), Err(Error::RateLimited(1..=2))));
        let off = AuthRateLimits::new(false);
        assert!((0..1_000).all(|_| off.address(verify, here).is_ok()));
    }
}

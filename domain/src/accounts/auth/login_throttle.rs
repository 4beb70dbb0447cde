//! Login throttling: failed attempts are counted, and each doubles the delay before the next. Never locks an account.
//!
//! Counters are keyed by a hash of account and network, so the table reveals no address; all nodes share it. Unknown
//! accounts are counted like known ones.
//!
//! Refused sign-ins are also counted by source for an hour, to detect password spraying.
pub(crate) mod store;

use super::secret;
use crate::{
    kernel::{
        ctx::{Ctx, Origin},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Result},
        ids::UserId,
    },
    platform::activity,
};
use chrono::{DateTime, Duration, SubsecRound, Utc};
use serde::Deserialize;
use std::net::IpAddr;

/// Counting restarts after this time without a failure.
const FAILURE_WINDOW: Duration = Duration::days(1);
/// [`FAILURE_WINDOW`] of counters that only thin out the log: unknown accounts, and refusals without a delay.
const SAMPLED_LOG_WINDOW: Duration = Duration::minutes(15);
/// Retention of the counters by source; longer than the window of the spraying alert.
const SOURCE_WINDOW: Duration = Duration::hours(1);
/// A location is known for this time, and within this number of latest sign-ins.
const KNOWN_LOCATION_MAX_AGE: Duration = Duration::days(90);
const KNOWN_LOCATION_SIGN_INS: usize = 50;
/// Network part of keys that count attempts from anywhere; equals no address.
const ANY_ADDRESS: &str = "*";

/// A failure counter with its delay rule.
#[derive(Clone, Debug)]
pub(super) struct ThrottleKey {
    pub hash: String,
    /// Number of failures from which attempts are delayed, by one second at first.
    threshold: i64,
    /// Longest delay in seconds.
    max_seconds: i64,
}

crate::kernel::db::row! {
    /// A row of `failures`.
    #[derive(Debug, Deserialize, sqlx::FromRow)]
    pub(crate) struct FailureCount {
        key: String,
        failures: i64,
        last_at: DateTime<Utc>,
    }
}

impl ThrottleKey {
    fn new(kind: &str, whom: &str, address: &str, threshold: i64, max_seconds: i64) -> Self {
        Self { hash: secret::token_hash(&format!("{kind}\n{whom}\n{address}")), threshold, max_seconds }
    }

    /// Wrong passwords of one account: from one network, and with a high threshold and a short delay from anywhere, so
    /// that a botnet cannot guess faster. An attack from many networks delays all sign-ins at new locations; at known
    /// ones [`ThrottleKey::for_known_location`] applies.
    pub fn for_sign_in(account: &str, origin: &Origin) -> [Self; 2] {
        [
            Self::new("sign-in", account, &origin_prefix(origin), 5, 900),
            Self::new("sign-in", account, ANY_ADDRESS, 50, 30),
        ]
    }

    /// The keys at a location where the account has signed in before: failures elsewhere do not delay it.
    pub fn for_known_location([near, far]: [Self; 2]) -> [Self; 2] {
        [near, Self { threshold: i64::MAX, ..far }]
    }

    /// Wrong codes of a second factor or wrong current passwords within a session: from one network and from anywhere,
    /// so that an attacker with the password cannot block the owner for long.
    pub fn for_session(kind: &'static str, user: UserId, origin: &Origin) -> [Self; 2] {
        let user = user.to_string();
        [Self::new(kind, &user, &origin_prefix(origin), 5, 900), Self::new(kind, &user, ANY_ADDRESS, 20, 300)]
    }

    /// Wrong six-digit codes of one address, known or not: ten without delay, then up to a day, so that a million codes
    /// cannot be tried. The link in the same mail is not throttled.
    pub fn for_mailed_code(email: &str) -> [Self; 1] {
        [Self::new("mailed-code", email, ANY_ADDRESS, 10, 86_400)]
    }

    /// Attempts at unknown accounts from one network: counted for the log only, never delayed.
    fn for_unknown_account(origin: &Origin) -> Self {
        Self::new("unknown", "", &origin_prefix(origin), i64::MAX, 0)
    }

    /// Refusals of one account by method, reason and network: counted for the log only, never delayed.
    fn for_refusal(user: UserId, method: &str, reason: &str, origin: &Origin) -> Self {
        Self::new("refusal", &format!("{user} {method} {reason}"), &origin_prefix(origin), i64::MAX, 0)
    }

    fn delay(&self, failures: i64) -> Duration {
        if failures < self.threshold {
            return Duration::zero();
        }
        let doubled = u32::try_from(failures - self.threshold).ok().and_then(|n| 1_i64.checked_shl(n.min(40)));
        Duration::seconds(doubled.unwrap_or(self.max_seconds).min(self.max_seconds))
    }
}

/// The /64 of an IPv6 address, which one customer has; an IPv4 address as it is.
pub fn network_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 => v4,
    }
}

fn origin_prefix(origin: &Origin) -> String {
    origin.address.as_deref().and_then(parse_prefix).map(|prefix| prefix.to_string()).unwrap_or_default()
}

fn parse_prefix(address: &str) -> Option<IpAddr> {
    address.parse().ok().map(network_prefix)
}

/// Whether the account has recently signed in from the actor's network. Takes as long for unknown accounts.
///
/// # Errors
/// Database errors.
pub(super) async fn is_known_location(ctx: &Ctx, user: Option<UserId>) -> Result<bool> {
    let whose = user.map_or(uuid::Uuid::nil(), |user| user.0);
    let sign_ins =
        activity::of_subject(&mut ctx.db(), whose, &["session.started"], None, KNOWN_LOCATION_SIGN_INS).await?;
    let here = ctx.origin.address.as_deref().and_then(parse_prefix);
    Ok(here.is_some()
        && sign_ins.iter().any(|sign_in| {
            sign_in.at > ctx.now() - KNOWN_LOCATION_MAX_AGE && sign_in.address.as_deref().and_then(parse_prefix) == here
        }))
}

/// Checks whether an attempt is delayed, under the advisory lock of its counters: parallel attempts are counted one
/// after the other.
///
/// # Errors
/// RateLimited with the seconds left.
pub(super) async fn check_locked(tx: &mut Tx, now: DateTime<Utc>, keys: &[ThrottleKey]) -> Result<()> {
    tx.advisory_lock(lock_key(keys)).await?;
    check(tx, now, keys).await
}

/// Key of the advisory lock: that of the widest counter.
pub(super) fn lock_key(keys: &[ThrottleKey]) -> String {
    format!("failures {}", keys.last().map_or("", |widest| &widest.hash))
}

/// [`check_locked`] without the lock, for a first check.
///
/// # Errors
/// As [`check_locked`].
pub(super) async fn check(db: &mut impl Sql, now: DateTime<Utc>, keys: &[ThrottleKey]) -> Result<()> {
    let hashes: Vec<_> = keys.iter().map(|key| key.hash.as_str()).collect();
    check_loaded(&store::get(db, &hashes).await?, now, keys)
}

/// [`check_locked`] with counters that are loaded already.
///
/// # Errors
/// As [`check_locked`].
pub(super) fn check_loaded(counts: &[FailureCount], now: DateTime<Utc>, keys: &[ThrottleKey]) -> Result<()> {
    let mut left = Duration::zero();
    for count in counts {
        for key in keys.iter().filter(|key| key.hash == count.key) {
            left = left.max(count.last_at + key.delay(count.failures) - now);
        }
    }
    if left <= Duration::zero() {
        return Ok(());
    }
    // Rounded up: a client that waits as long must not be refused again.
    Err(Error::RateLimited(u64::try_from((left.num_milliseconds() + 999) / 1_000).unwrap_or(1)))
}

/// Counts a failure. The caller commits.
///
/// # Errors
/// Database errors.
pub(super) async fn record_failure(tx: &mut Tx, now: DateTime<Utc>, keys: &[ThrottleKey]) -> Result<()> {
    for key in keys {
        store::increment(tx, &key.hash, now, now - FAILURE_WINDOW).await?;
    }
    Ok(())
}

/// Counts an attempt at an unknown account. Returns the count when it is to be logged: at powers of two, so that the
/// log cannot be flooded.
///
/// # Errors
/// Database errors.
pub(super) async fn record_unknown_account(tx: &mut Tx, ctx: &Ctx) -> Result<Option<i64>> {
    sample(tx, ctx, &ThrottleKey::for_unknown_account(&ctx.origin)).await
}

/// Counts a refused attempt at a known account. Returns the count when it is to be logged, as
/// [`record_unknown_account`].
///
/// # Errors
/// Database errors.
pub(super) async fn record_refusal(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    method: &str,
    reason: &str,
) -> Result<Option<i64>> {
    sample(tx, ctx, &ThrottleKey::for_refusal(user, method, reason, &ctx.origin)).await
}

async fn sample(tx: &mut Tx, ctx: &Ctx, key: &ThrottleKey) -> Result<Option<i64>> {
    let failures = store::increment(tx, &key.hash, ctx.now(), ctx.now() - SAMPLED_LOG_WINDOW).await?;
    Ok((failures.count_ones() == 1).then_some(failures))
}

/// Counts refused sign-ins by source and second, logged or not; bounded to one row a second and source. The caller
/// commits.
///
/// # Errors
/// Database errors.
pub(crate) async fn record_source(tx: &mut Tx, ctx: &Ctx, times: i64) -> Result<()> {
    // The operator's terminal has no address.
    let Some(address) = &ctx.origin.address else { return Ok(()) };
    store::add_to_source(tx, ctx.now().trunc_subsecs(0), &source_of(address), times).await
}

/// The source as it can be blocked: an IPv4 address or an IPv6 /64.
fn source_of(address: &str) -> String {
    match address.parse().map(network_prefix) {
        Ok(IpAddr::V6(network)) => format!("{network}/64"),
        Ok(v4) => v4.to_string(),
        Err(_) => address.to_owned(),
    }
}

/// Sources with at least `least` refused sign-ins in this time and their number, worst first, at most a hundred.
///
/// # Errors
/// Database errors.
pub(crate) async fn detect_password_spraying(ctx: &Ctx, within: Duration, least: i64) -> Result<Vec<(String, i64)>> {
    store::sources_over(&mut ctx.db(), ctx.now().trunc_subsecs(0) - within, least).await
}

/// Resets the counters after a success.
///
/// # Errors
/// Database errors.
pub(super) async fn reset(tx: &mut Tx, keys: &[ThrottleKey]) -> Result<()> {
    for key in keys {
        store::delete(tx, &key.hash).await?;
    }
    Ok(())
}

/// Deletes outdated counters and returns their number. Scheduled.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.login_throttle.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| {
        async move {
            let gone = store::delete_before(tx, ctx.now() - FAILURE_WINDOW).await?;
            let places = store::delete_sources_before(tx, ctx.now() - SOURCE_WINDOW).await?;
            Ok(gone + places)
        }
        .scope_boxed()
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_starts_at_the_threshold_and_doubles_to_its_maximum() {
        let [near, far] = ThrottleKey::for_sign_in("maya@example.com", &Origin::default());
        let [mailed] = ThrottleKey::for_mailed_code("maya@example.com");
        let waits = |key: &ThrottleKey, failures: &[i64]| -> Vec<i64> {
            failures.iter().map(|n| key.delay(*n).num_seconds()).collect()
        };
        assert_eq!(waits(&near, &[0, 4, 5, 6, 7, 14, 15, 100, i64::MAX]), [0, 0, 1, 2, 4, 512, 900, 900, 900]);
        assert_eq!(waits(&far, &[49, 50, 54, 55, 1_000]), [0, 1, 16, 30, 30]);
        assert_eq!(waits(&mailed, &[9, 10, 11, 26, 27, 1_000]), [0, 1, 2, 65_536, 86_400, 86_400]);
    }

    #[test]
    fn networks_are_ipv4_addresses_and_ipv6_64_prefixes() {
        let at = |address: &str| {
            ThrottleKey::for_sign_in("a", &Origin { address: Some(address.to_owned()), user_agent: None })[0]
                .hash
                .clone()
        };
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_eq!(source_of("2001:db8:1:2:ffff::9"), "2001:db8:1:2::/64");
        assert_eq!(source_of("::ffff:192.0.2.1"), "192.0.2.1");
    }
}

//! What slows guessing down: failures are counted, and each makes the next wait longer. Nobody is ever locked out.
//!
//! Counted is by the hash of whom and where from, so the table tells nobody's address. It is one table for all
//! nodes. An account that does not exist is counted like one that does.
//!
//! Beside it every refused sign-in is counted where it came from, for a short time: storms are made out by that.
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

/// After so long without a failure, counting begins anew.
const MEMORY: Duration = Duration::days(1);
/// The same for tries of which the log hears the more rarely the more there are: at accounts that do not exist, and
/// those after which nobody has to wait.
const RARELY_MEMORY: Duration = Duration::minutes(15);
/// So long it is known from where sign-ins were refused: longer than any storm is looked for.
const PLACES_MEMORY: Duration = Duration::hours(1);
/// From where somebody signed in so lately, and with one of their last so many sign-ins, they may be expected again.
const HOME: Duration = Duration::days(90);
const HOMES: usize = 50;
/// In the place of an address; no address is like it.
const ANYWHERE: &str = "*";

/// Failures that are counted together.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub key: String,
    /// The failure from which on there is a wait: of one second at first.
    from: i64,
    /// The longest wait, in seconds.
    most: i64,
}

/// A row of `failures`.
#[derive(Debug, Deserialize, sqlx::FromRow)]
pub(crate) struct Counted {
    key: String,
    failures: i64,
    last_at: DateTime<Utc>,
}

impl Counter {
    fn new(kind: &str, whom: &str, address: &str, from: i64, most: i64) -> Self {
        Self { key: secret::token_hash(&format!("{kind}\n{whom}\n{address}")), from, most }
    }

    /// Wrong passwords for one account: from one place, and, far more of them and with a short wait only, from
    /// anywhere, so that many places together cannot guess faster. Many places at once make everybody wait who comes from
    /// a new one; where the owner has signed in before, [`Counter::at_home`] counts.
    pub fn sign_in(account: &str, origin: &Origin) -> [Self; 2] {
        [
            Self::new("sign-in", account, &neighbourhood_of(origin), 5, 900),
            Self::new("sign-in", account, ANYWHERE, 50, 30),
        ]
    }

    /// The same for whoever comes from where somebody has signed in to the account before: what others do elsewhere holds
    /// up nobody there.
    pub fn at_home([near, far]: [Self; 2]) -> [Self; 2] {
        [near, Self { from: i64::MAX, ..far }]
    }

    /// Wrong codes of a second factor, or wrong current passwords: whoever tries has a session already. From one place,
    /// and from anywhere, so that somebody who knows the password cannot keep the owner out for long.
    pub fn of_session(kind: &'static str, user: UserId, origin: &Origin) -> [Self; 2] {
        let user = user.to_string();
        [Self::new(kind, &user, &neighbourhood_of(origin), 5, 900), Self::new(kind, &user, ANYWHERE, 20, 300)]
    }

    /// Wrong six-digit codes for one address, known to us or not: ten a day, and then a wait that grows to a day, so that
    /// a million codes are never gone through. The link beside the code does as well, and is not held up.
    pub fn of_mailed_code(email: &str) -> [Self; 1] {
        [Self::new("mailed-code", email, ANYWHERE, 10, 86_400)]
    }

    /// Tries at accounts that do not exist, from one place: never a wait, only a count for the log.
    fn unknown(origin: &Origin) -> Self {
        Self::new("unknown", "", &neighbourhood_of(origin), i64::MAX, 0)
    }

    /// Refusals of one account, of one kind and from one place: never a wait, only a count for the log.
    fn refusal(user: UserId, method: &str, reason: &str, origin: &Origin) -> Self {
        Self::new("refusal", &format!("{user} {method} {reason}"), &neighbourhood_of(origin), i64::MAX, 0)
    }

    fn wait(&self, failures: i64) -> Duration {
        if failures < self.from {
            return Duration::zero();
        }
        let doubled = u32::try_from(failures - self.from).ok().and_then(|n| 1_i64.checked_shl(n.min(40)));
        Duration::seconds(doubled.unwrap_or(self.most).min(self.most))
    }
}

/// One household or office: an IPv6 customer has a whole /64 to choose addresses from.
pub fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 => v4,
    }
}

fn neighbourhood_of(origin: &Origin) -> String {
    origin.address.as_deref().and_then(near).map(|place| place.to_string()).unwrap_or_default()
}

fn near(address: &str) -> Option<IpAddr> {
    address.parse().ok().map(neighbourhood)
}

/// Whether somebody has signed in to the account from where this comes from, lately. It takes as long for an account that
/// there is as for one that there is not.
///
/// # Errors
/// What the database refuses.
pub(super) async fn is_at_home(ctx: &Ctx, user: Option<UserId>) -> Result<bool> {
    let whose = user.map_or(uuid::Uuid::nil(), |user| user.0);
    let begun = activity::of_subject(&mut ctx.db(), whose, &["session.started"], None, HOMES).await?;
    let here = ctx.origin.address.as_deref().and_then(near);
    Ok(here.is_some()
        && begun.iter().any(|one| one.at > ctx.now() - HOME && one.address.as_deref().and_then(near) == here))
}

/// Whether whoever comes must wait. Of many at once each comes here alone: whoever went before has been counted.
///
/// # Errors
/// TooMany with the seconds that are left to wait.
pub(super) async fn check(tx: &mut Tx, now: DateTime<Utc>, counters: &[Counter]) -> Result<()> {
    tx.advisory_lock(turn(counters)).await?;
    peek(tx, now, counters).await
}

/// What those hold who are counted together (`Tx::advisory_lock`): the last of the counters counts them all.
pub(super) fn turn(counters: &[Counter]) -> String {
    format!("failures {}", counters.last().map_or("", |widest| &widest.key))
}

/// [`check`], where those who come at the same moment do not matter yet.
///
/// # Errors
/// As [`check`].
pub(super) async fn peek(db: &mut impl Sql, now: DateTime<Utc>, counters: &[Counter]) -> Result<()> {
    let keys: Vec<_> = counters.iter().map(|counter| counter.key.as_str()).collect();
    look(&store::get(db, &keys).await?, now, counters)
}

/// [`check`], where what was counted has been read.
///
/// # Errors
/// As [`check`].
pub(super) fn look(counted: &[Counted], now: DateTime<Utc>, counters: &[Counter]) -> Result<()> {
    let mut left = Duration::zero();
    for Counted { key, failures, last_at } in counted {
        for counter in counters.iter().filter(|counter| counter.key == *key) {
            left = left.max(*last_at + counter.wait(*failures) - now);
        }
    }
    if left <= Duration::zero() {
        return Ok(());
    }
    // A whole second more than a part of one, so that whoever waits as told is not told again.
    Err(Error::TooMany(u64::try_from((left.num_milliseconds() + 999) / 1_000).unwrap_or(1)))
}

/// Counts one more; the caller commits.
///
/// # Errors
/// What the database refuses.
pub(super) async fn note(tx: &mut Tx, now: DateTime<Utc>, counters: &[Counter]) -> Result<()> {
    for counter in counters {
        store::add(tx, &counter.key, now, now - MEMORY).await?;
    }
    Ok(())
}

/// Counts a try at an account that does not exist, and says whether the log should hear of it: of the first, the
/// second, the fourth and so on from one place, so that nobody can fill it. Then it says how many there were.
///
/// # Errors
/// What the database refuses.
pub(super) async fn note_unknown(tx: &mut Tx, ctx: &Ctx) -> Result<Option<i64>> {
    now_and_then(tx, ctx, &Counter::unknown(&ctx.origin)).await
}

/// Counts a try at this account that was refused so, and says whether the log should hear of it, as [`note_unknown`]:
/// whoever has a link that is good no more, or the password of a shut account, must not fill it either.
///
/// # Errors
/// What the database refuses.
pub(super) async fn note_refusal(
    tx: &mut Tx,
    ctx: &Ctx,
    user: UserId,
    method: &str,
    reason: &str,
) -> Result<Option<i64>> {
    now_and_then(tx, ctx, &Counter::refusal(user, method, reason, &ctx.origin)).await
}

async fn now_and_then(tx: &mut Tx, ctx: &Ctx, counter: &Counter) -> Result<Option<i64>> {
    let failures = store::add(tx, &counter.key, ctx.now(), ctx.now() - RARELY_MEMORY).await?;
    Ok((failures.count_ones() == 1).then_some(failures))
}

/// Counts refused sign-ins where they come from: all of them, whether the log hears of each or not. By the second, so
/// that a million of them are no more rows than a quarter of an hour has seconds. The caller commits.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn note_place(tx: &mut Tx, ctx: &Ctx, times: i64) -> Result<()> {
    // Without an address it is the operator's own terminal.
    let Some(address) = &ctx.origin.address else { return Ok(()) };
    store::add_at(tx, ctx.now().trunc_subsecs(0), &place(address), times).await
}

/// As people block it: one address, or the network of an IPv6 customer.
fn place(address: &str) -> String {
    match address.parse().map(neighbourhood) {
        Ok(IpAddr::V6(network)) => format!("{network}/64"),
        Ok(v4) => v4.to_string(),
        Err(_) => address.to_owned(),
    }
}

/// Places from which at least so many sign-ins were refused within this time, to the second, and how many: the worst
/// first, a hundred at most.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn storms(ctx: &Ctx, within: Duration, least: i64) -> Result<Vec<(String, i64)>> {
    store::places(&mut ctx.db(), ctx.now().trunc_subsecs(0) - within, least).await
}

/// Begins counting anew: it was the right person.
///
/// # Errors
/// What the database refuses.
pub(super) async fn forget(tx: &mut Tx, counters: &[Counter]) -> Result<()> {
    for counter in counters {
        store::delete(tx, &counter.key).await?;
    }
    Ok(())
}

/// Deletes what counts no more; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| {
        async move {
            let gone = store::delete_before(tx, ctx.now() - MEMORY).await?;
            let places = store::delete_places_before(tx, ctx.now() - PLACES_MEMORY).await?;
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
    fn the_wait_begins_after_the_fifth_failure_and_doubles_up_to_a_quarter_of_an_hour() {
        let [near, far] = Counter::sign_in("maya@example.com", &Origin::default());
        let [mailed] = Counter::of_mailed_code("maya@example.com");
        let waits = |counter: &Counter, failures: &[i64]| -> Vec<i64> {
            failures.iter().map(|n| counter.wait(*n).num_seconds()).collect()
        };
        assert_eq!(waits(&near, &[0, 4, 5, 6, 7, 14, 15, 100, i64::MAX]), [0, 0, 1, 2, 4, 512, 900, 900, 900]);
        assert_eq!(waits(&far, &[49, 50, 54, 55, 1_000]), [0, 1, 16, 30, 30]);
        assert_eq!(waits(&mailed, &[9, 10, 11, 26, 27, 1_000]), [0, 1, 2, 65_536, 86_400, 86_400]);
    }

    #[test]
    fn places_are_told_apart_and_an_ipv6_customer_is_one_place() {
        let at = |address: &str| {
            Counter::sign_in("a", &Origin { address: Some(address.to_owned()), user_agent: None })[0].key.clone()
        };
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_eq!(place("2001:db8:1:2:ffff::9"), "2001:db8:1:2::/64");
        assert_eq!(place("::ffff:192.0.2.1"), "192.0.2.1");
    }
}

//! How often a caller may ask.
use domain::Error;
use governor::{
    DefaultKeyedRateLimiter, Quota,
    clock::{Clock, DefaultClock},
};
use std::{hash::Hash, net::IpAddr, num::NonZeroU32};

/// Callers remembered before those who have gone quiet are forgotten.
const REMEMBERED: usize = 10_000;

/// So many at once for each key, and so many a minute in the long run.
#[derive(Debug)]
pub struct Limiter<K: Hash + Eq + Clone> {
    keyed: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    pub fn per_minute(each: NonZeroU32, burst: NonZeroU32) -> Self {
        let quota = Quota::per_minute(each).allow_burst(burst);
        Self { keyed: DefaultKeyedRateLimiter::keyed(quota), clock: DefaultClock::default() }
    }

    /// # Errors
    /// TooMany with the seconds until the next is allowed.
    pub fn check(&self, key: &K) -> Result<(), Error> {
        if self.keyed.len() > REMEMBERED {
            self.keyed.retain_recent();
        }
        self.keyed.check_key(key).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            Error::TooMany(wait.as_secs() + 1)
        })
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
        let near = |text: &str| neighbourhood(text.parse().unwrap());
        assert_eq!(near("2001:db8:1:2::1"), near("2001:db8:1:2:ffff::9"));
        assert_ne!(near("2001:db8:1:2::1"), near("2001:db8:1:3::1"));
        assert_eq!(near("::ffff:192.0.2.1"), near("192.0.2.1"));
    }
}

//! Clock and random source, the only access to wall clock and system randomness.
//!
//! Other uses are forbidden by `.clippy.toml`, so that a test that fixes both gets the same rows, links and mails on every run.
use chrono::{DateTime, Duration, NaiveDate, NaiveTime, SubsecRound, TimeZone, Utc};
use chrono_tz::Tz;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};
use uuid::Uuid;

/// The current time in microseconds, the precision of PostgreSQL, so that both databases return the value written.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    /// Unix time in microseconds, advanced by a test.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stops until [`Clock::advance`].
    pub fn fixed(at: DateTime<Utc>) -> Self {
        Self(Source::Fixed(Arc::new(AtomicI64::new(at.timestamp_micros()))))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one real clock")]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::System => Utc::now().trunc_subsecs(6),
            Source::Fixed(at) => DateTime::from_timestamp_micros(at.load(Ordering::SeqCst))
                .expect("a fixed clock holds a time it was given"),
        }
    }

    /// Advances a fixed clock; has no effect on the system clock.
    pub fn advance(&self, by: Duration) {
        if let Source::Fixed(at) = &self.0 {
            at.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

/// The local day in a time zone; in UTC for an unknown zone.
pub fn day(now: DateTime<Utc>, zone: &str) -> NaiveDate {
    now.with_timezone(&zone.parse().unwrap_or(Tz::UTC)).date_naive()
}

/// The latest local day of any time zone: what is due after it is due nowhere yet.
pub(crate) fn latest_day(now: DateTime<Utc>) -> NaiveDate {
    (now + Duration::hours(14)).date_naive()
}

/// The start of a local day. Some zones have no midnight on the day that summer time starts, and one skipped a day when it
/// crossed the date line.
pub fn start_of_day(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    let midnight = day.and_time(NaiveTime::MIN);
    (0..=24)
        .find_map(|hour| zone.from_local_datetime(&(midnight + Duration::hours(hour))).earliest())
        .map_or_else(|| midnight.and_utc(), |at| at.with_timezone(&Utc))
}

/// Random ids, tokens and codes, from the system or from a seed.
#[derive(Clone, Debug)]
pub struct RandomSource {
    any: Arc<Mutex<StdRng>>,
    /// The same generator unless [`RandomSource::with_ids`] replaced it.
    ids: Arc<Mutex<StdRng>>,
}

impl RandomSource {
    #[expect(clippy::disallowed_methods, reason = "this is the one source of randomness")]
    pub fn system() -> Self {
        Self::of(StdRng::from_rng(&mut rand::rng()))
    }

    pub fn seeded(seed: u64) -> Self {
        Self::of(StdRng::seed_from_u64(seed))
    }

    fn of(rng: StdRng) -> Self {
        let any = Arc::new(Mutex::new(rng));
        Self { ids: any.clone(), any }
    }

    /// With ids from a seed, for reproducible demo data. Passwords, salts and tokens stay unpredictable.
    #[must_use]
    pub fn with_ids(&self, seed: u64) -> Self {
        Self { ids: Self::seeded(seed).any, ..self.clone() }
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        with(&self.any, |rng| rng.fill(&mut bytes[..]));
        bytes
    }

    /// A version 4 id, not ordered by time: its first eight characters are an order number (identifiers, decision 7).
    pub fn uuid(&self) -> Uuid {
        let mut bytes = [0_u8; 16];
        with(&self.ids, |rng| rng.fill(&mut bytes[..]));
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// A version 7 id, ordered by time, so that consecutive rows share index pages. Not for ids whose first characters are
    /// shown.
    pub fn uuid_at(&self, at: DateTime<Utc>) -> Uuid {
        let [_, _, _, _, _, _, rest @ ..] = self.uuid().into_bytes();
        let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &rest).into_uuid()
    }

    /// A six-digit code.
    pub fn code(&self) -> String {
        format!("{:06}", self.below(1_000_000))
    }

    /// A number from 0 up to, not including, `end`.
    pub fn below(&self, end: u64) -> u64 {
        with(&self.any, |rng| rng.random_range(0..end.max(1)))
    }

    /// A random password that is never shown, for Quick Setup (Quick Setup and Full Setup, decision 20).
    pub fn password(&self, length: usize) -> String {
        const SIGNS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%+:=?@_-";
        (0..length).map(|_| char::from(SIGNS[self.below(SIGNS.len() as u64) as usize])).collect()
    }
}

fn with<T>(rng: &Mutex<StdRng>, f: impl FnOnce(&mut StdRng) -> T) -> T {
    f(&mut rng.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_start_at_midnight_or_after_a_skipped_hour() {
        for (zone, day, begins) in [
            (Tz::America__New_York, "2027-02-20", "2027-02-20T05:00:00+00:00"),
            (Tz::Pacific__Kiritimati, "2027-02-20", "2027-02-19T10:00:00+00:00"),
            // The hour from midnight on was left out.
            (Tz::America__Havana, "2026-03-08", "2026-03-08T05:00:00+00:00"),
            // So was the whole day.
            (Tz::Pacific__Apia, "2011-12-30", "2011-12-30T10:00:00+00:00"),
        ] {
            assert_eq!(start_of_day(day.parse().expect("a day"), zone).to_rfc3339(), begins, "{zone}");
        }
    }

    #[test]
    fn seeded_ids_are_reproducible_but_secrets_are_not() {
        let [one, other] = [RandomSource::system(), RandomSource::system()].map(|random| random.with_ids(7));
        let ids = |random: &RandomSource| [random.uuid(), random.uuid()];
        assert_eq!(ids(&one), ids(&other));
        assert_ne!(one.bytes::<32>(), other.bytes::<32>());
        assert_ne!(one.password(12), other.password(12));
        let seeded = RandomSource::seeded(7);
        assert_eq!(uuid::Builder::from_random_bytes(RandomSource::seeded(7).bytes()).into_uuid(), seeded.uuid());
    }

    #[test]
    fn time_ordered_ids_sort_by_time_and_are_unique() {
        let random = RandomSource::seeded(7);
        let at = |text: &str| random.uuid_at(text.parse().expect("a time"));
        let ids = ["2026-11-26T12:00:00.001Z", "2026-11-26T12:00:00.002Z", "2027-01-01T00:00:00Z"].map(at);
        assert!(ids.is_sorted(), "{ids:?}");
        assert_ne!(at("2027-01-01T00:00:00Z"), ids[2]);
        assert_eq!(ids[2].get_version_num(), 7);
        assert_eq!(at("1969-12-31T23:59:59Z").as_bytes()[..6], [0; 6], "before all times");
    }
}

//! The one door through which time and chance come in.
//!
//! Everything else is forbidden to read the wall clock or the system's randomness (`.clippy.toml`), so that a
//! test that fixes both sees the same rows, links and mails on every run.
use chrono::{DateTime, Duration, NaiveDate, SubsecRound, Utc};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};
use uuid::Uuid;

/// Says what time it is, in microseconds: what PostgreSQL keeps, so both databases give the same value back.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    /// Microseconds since 1970, moved by the test that owns it.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still until [`Clock::advance`].
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

    pub fn today(&self) -> NaiveDate {
        self.now().date_naive()
    }

    /// Moves a fixed clock; the system's clock moves by itself.
    pub fn advance(&self, by: Duration) {
        if let Source::Fixed(at) = &self.0 {
            at.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}

/// Random ids, tokens and codes, from the system or, in tests, from a seed.
#[derive(Clone, Debug)]
pub struct Chance(Arc<Mutex<StdRng>>);

impl Chance {
    #[expect(clippy::disallowed_methods, reason = "this is the one source of randomness")]
    pub fn system() -> Self {
        Self(Arc::new(Mutex::new(StdRng::from_rng(&mut rand::rng()))))
    }

    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.with(|rng| rng.fill(&mut bytes[..]));
        bytes
    }

    /// A version 4 id: never ordered by time, so its first eight characters tell orders apart (decision 7).
    pub fn uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.bytes()).into_uuid()
    }

    /// Six digits, as written in a mail.
    pub fn code(&self) -> String {
        format!("{:06}", self.below(1_000_000))
    }

    /// A number from 0 up to, not including, `end`.
    pub fn below(&self, end: u64) -> u64 {
        self.with(|rng| rng.random_range(0..end.max(1)))
    }

    /// The random password of Quick Setup: `length` characters that nobody sees (decision 20).
    pub fn password(&self, length: usize) -> String {
        const SIGNS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%+:=?@_-";
        (0..length).map(|_| char::from(SIGNS[self.below(SIGNS.len() as u64) as usize])).collect()
    }

    fn with<T>(&self, f: impl FnOnce(&mut StdRng) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

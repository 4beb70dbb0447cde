//! Points in time and days of the rows that are read most. chrono's own reading goes by texts, in whatever form they may
//! be: PostgreSQL's numbers would be written out for it first, and a page of fifty orders has two hundred of them.
//! For `#[serde(deserialize_with = …)]`; other rows do without.
use chrono::{DateTime, Days, Duration, NaiveDate, NaiveTime, Utc};
use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
};
use std::fmt;

/// PostgreSQL counts days and microseconds from here.
const BEGIN: NaiveDate = NaiveDate::from_ymd_opt(2000, 1, 1).expect("there was that day");

/// So many microseconds after PostgreSQL's beginning; none where that is beyond all times.
pub(super) fn at(microseconds: i64) -> Option<DateTime<Utc>> {
    let at = BEGIN.and_time(NaiveTime::MIN).checked_add_signed(Duration::microseconds(microseconds));
    at.map(|at| at.and_utc())
}

/// So many days after PostgreSQL's beginning.
pub(super) fn on(days: i32) -> Option<NaiveDate> {
    let many = Days::new(u64::from(days.unsigned_abs()));
    if days < 0 { BEGIN.checked_sub_days(many) } else { BEGIN.checked_add_days(many) }
}

struct At(DateTime<Utc>);

struct On(NaiveDate);

struct Reads<T>(std::marker::PhantomData<T>);

impl Visitor<'_> for Reads<At> {
    type Value = At;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a point in time")
    }

    fn visit_i64<E: de::Error>(self, microseconds: i64) -> Result<At, E> {
        at(microseconds).map(At).ok_or_else(|| E::custom("a time beyond all times"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<At, E> {
        DateTime::parse_from_rfc3339(text).map(|at| At(at.to_utc())).map_err(E::custom)
    }
}

impl Visitor<'_> for Reads<On> {
    type Value = On;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a day")
    }

    fn visit_i32<E: de::Error>(self, days: i32) -> Result<On, E> {
        on(days).map(On).ok_or_else(|| E::custom("a day beyond all days"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<On, E> {
        text.parse().map(On).map_err(E::custom)
    }
}

/// JSON has texts; whatever is not for people to read has numbers.
impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let reads = Reads(std::marker::PhantomData::<Self>);
        if from.is_human_readable() { from.deserialize_str(reads) } else { from.deserialize_i64(reads) }
    }
}

impl<'de> Deserialize<'de> for On {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let reads = Reads(std::marker::PhantomData::<Self>);
        if from.is_human_readable() { from.deserialize_str(reads) } else { from.deserialize_i32(reads) }
    }
}

/// A point in time.
///
/// # Errors
/// What is none.
pub fn instant<'de, D: Deserializer<'de>>(from: D) -> Result<DateTime<Utc>, D::Error> {
    At::deserialize(from).map(|At(at)| at)
}

/// One that there may not be.
///
/// # Errors
/// As [`instant`].
pub fn maybe_instant<'de, D: Deserializer<'de>>(from: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    Option::<At>::deserialize(from).map(|at| at.map(|At(at)| at))
}

/// A day.
///
/// # Errors
/// What is none.
pub fn day<'de, D: Deserializer<'de>>(from: D) -> Result<NaiveDate, D::Error> {
    On::deserialize(from).map(|On(day)| day)
}

/// One that there may not be.
///
/// # Errors
/// As [`day`].
pub fn maybe_day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NaiveDate>, D::Error> {
    Option::<On>::deserialize(from).map(|on| on.map(|On(day)| day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::value::{Error, I32Deserializer, I64Deserializer, StrDeserializer};

    #[test]
    fn a_number_and_a_text_are_the_same_time() {
        for (microseconds, text) in [
            (0, "2000-01-01T00:00:00Z"),
            (-1, "1999-12-31T23:59:59.999999Z"),
            (846_000_000_123_456, "2026-10-22T16:00:00.123456+00:00"),
            (846_000_000_123_456, "2026-10-22T18:00:00.123456+02:00"),
        ] {
            let number = instant(I64Deserializer::<Error>::new(microseconds)).expect("is one");
            assert_eq!(Ok(number), instant(StrDeserializer::<Error>::new(text)), "{text}");
            assert_eq!(number, text.parse::<DateTime<Utc>>().expect("chrono reads it"), "{text}");
        }
        for (days, text) in [(0, "2000-01-01"), (-1, "1999-12-31"), (9791, "2026-10-22")] {
            let number = day(I32Deserializer::<Error>::new(days)).expect("is one");
            assert_eq!(Ok(number), day(StrDeserializer::<Error>::new(text)), "{text}");
        }
    }

    #[test]
    fn what_is_beyond_all_times_is_refused() {
        assert!(instant(I64Deserializer::<Error>::new(i64::MAX)).is_err());
        assert!(day(I32Deserializer::<Error>::new(i32::MIN)).is_err());
        assert!(instant(StrDeserializer::<Error>::new("yesterday")).is_err());
        assert!(day(StrDeserializer::<Error>::new("2026-02-30")).is_err());
    }
}

//! Timestamps of the rows that are read most, for `#[serde(deserialize_with = …)]`. chrono's own `Deserialize` parses text:
//! PostgreSQL's numbers would be formatted for it first, and a page of fifty rows has more than a hundred of them.
use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};
use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
};
use std::fmt;

/// PostgreSQL counts days and microseconds from here.
pub(super) const BEGIN: NaiveDate = NaiveDate::from_ymd_opt(2000, 1, 1).expect("there was that day");

/// So many microseconds after PostgreSQL's beginning; none where that is beyond all times.
pub(super) fn at(microseconds: i64) -> Option<DateTime<Utc>> {
    let at = BEGIN.and_time(NaiveTime::MIN).checked_add_signed(Duration::microseconds(microseconds));
    at.map(|at| at.and_utc())
}

struct At(DateTime<Utc>);

struct AtVisitor;

impl Visitor<'_> for AtVisitor {
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

/// Text in JSON, a number in PostgreSQL's binary format.
impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() { from.deserialize_str(AtVisitor) } else { from.deserialize_i64(AtVisitor) }
    }
}

/// A point in time.
///
/// # Errors
/// An error of `D` for anything else.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DateTime<Utc>, D::Error> {
    At::deserialize(from).map(|At(at)| at)
}

/// One that there may not be.
///
/// # Errors
/// As [`deserialize`].
pub fn deserialize_option<'de, D: Deserializer<'de>>(from: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    Option::<At>::deserialize(from).map(|at| at.map(|At(at)| at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::value::{Error, I64Deserializer, StrDeserializer};

    #[test]
    fn a_number_and_a_text_are_the_same_time() {
        for (microseconds, text) in [
            (0, "2000-01-01T00:00:00Z"),
            (-1, "1999-12-31T23:59:59.999999Z"),
            (846_000_000_123_456, "2026-10-22T16:00:00.123456+00:00"),
            (846_000_000_123_456, "2026-10-22T18:00:00.123456+02:00"),
        ] {
            let number = deserialize(I64Deserializer::<Error>::new(microseconds)).expect("is one");
            assert_eq!(Ok(number), deserialize(StrDeserializer::<Error>::new(text)), "{text}");
            assert_eq!(number, text.parse::<DateTime<Utc>>().expect("chrono reads it"), "{text}");
        }
    }

    #[test]
    fn what_is_beyond_all_times_is_refused() {
        assert!(deserialize(I64Deserializer::<Error>::new(i64::MAX)).is_err());
        assert!(deserialize(StrDeserializer::<Error>::new("yesterday")).is_err());
    }
}

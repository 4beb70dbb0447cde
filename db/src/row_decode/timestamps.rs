//! Timestamps for `#[serde(deserialize_with = …)]`, for the structs that are read most. chrono's own `Deserialize` takes text
//! only, so PostgreSQL's binary timestamps would be formatted and parsed: a twelfth of our time for a company's dashboard.
use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use std::fmt;

/// PostgreSQL counts days and microseconds from here.
const EPOCH: NaiveDate = NaiveDate::from_ymd_opt(2000, 1, 1).expect("is a date");

/// The date `days` after PostgreSQL's epoch.
pub(super) fn date<E: Error>(days: i32) -> Result<NaiveDate, E> {
    EPOCH.checked_add_signed(Duration::days(days.into())).ok_or_else(|| E::custom("a date out of range"))
}

/// The timestamp so many microseconds after PostgreSQL's epoch.
pub(super) fn timestamp<E: Error>(microseconds: i64) -> Result<DateTime<Utc>, E> {
    let at = EPOCH.and_time(NaiveTime::MIN).checked_add_signed(Duration::microseconds(microseconds));
    at.map(|at| at.and_utc()).ok_or_else(|| E::custom("a timestamp out of range"))
}

struct Timestamp(DateTime<Utc>);

struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp")
    }

    fn visit_i64<E: Error>(self, microseconds: i64) -> Result<Timestamp, E> {
        timestamp(microseconds).map(Timestamp)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Timestamp, E> {
        DateTime::parse_from_rfc3339(text).map(|at| Timestamp(at.to_utc())).map_err(E::custom)
    }
}

/// Text in JSON, a number in PostgreSQL's binary format.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            from.deserialize_str(TimestampVisitor)
        } else {
            from.deserialize_i64(TimestampVisitor)
        }
    }
}

/// Deserializes a timestamp.
///
/// # Errors
/// For any other value.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DateTime<Utc>, D::Error> {
    Timestamp::deserialize(from).map(|Timestamp(at)| at)
}

/// Deserializes a timestamp or NULL.
///
/// # Errors
/// For any other value.
pub fn deserialize_option<'de, D: Deserializer<'de>>(from: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    Option::<Timestamp>::deserialize(from).map(|at| at.map(|Timestamp(at)| at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::value::{Error, I64Deserializer, StrDeserializer};

    #[test]
    fn numbers_and_rfc_3339_text_deserialize_alike() {
        for (microseconds, text) in [
            (0, "2000-01-01T00:00:00Z"),
            (-1, "1999-12-31T23:59:59.999999Z"),
            (846_000_000_123_456, "2026-10-22T16:00:00.123456+00:00"),
            (846_000_000_123_456, "2026-10-22T18:00:00.123456+02:00"),
        ] {
            let number = deserialize(I64Deserializer::<Error>::new(microseconds)).expect("is in range");
            assert_eq!(Ok(number), deserialize(StrDeserializer::<Error>::new(text)), "{text}");
            assert_eq!(number, text.parse::<DateTime<Utc>>().expect("chrono reads it"), "{text}");
        }
    }

    #[test]
    fn out_of_range_and_invalid_timestamps_are_errors() {
        assert!(deserialize(I64Deserializer::<Error>::new(i64::MAX)).is_err());
        assert!(deserialize(StrDeserializer::<Error>::new("yesterday")).is_err());
    }
}

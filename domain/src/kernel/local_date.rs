//! The local date of an instant in a time zone, as SQL: SQLite knows no time zones, so the offsets from UTC are written into
//! the statement for both databases.
use crate::kernel::db::Dialect;
use chrono::{DateTime, Duration, Offset, TimeZone, Utc};
use chrono_tz::Tz;

/// Before this the clock is taken to have stood as then.
const FIRST: &str = "2015-01-01T00:00:00Z";
/// No clock is put forward and back within this time.
const STEP: Duration = Duration::days(14);

fn offset(zone: Tz, at: DateTime<Utc>) -> i32 {
    zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}

/// From when on the clock stood how far from UTC, in seconds, up to `until`.
fn offsets(zone: Tz, until: DateTime<Utc>) -> Vec<(DateTime<Utc>, i32)> {
    let mut at: DateTime<Utc> = FIRST.parse().unwrap_or_default();
    let mut found = vec![(at, offset(zone, at))];
    while at < until {
        let next = at + STEP;
        let (before, after) = (offset(zone, at), offset(zone, next));
        if before != after {
            let (mut low, mut high) = (at, next);
            while high - low > Duration::seconds(1) {
                let middle = low + (high - low) / 2;
                if offset(zone, middle) == before { low = middle } else { high = middle }
            }
            // Clocks are put at a whole minute.
            let seconds = (high.timestamp() + 30).div_euclid(60) * 60;
            found.push((DateTime::from_timestamp(seconds, 0).unwrap_or(high), after));
        }
        at = next;
    }
    found
}

/// The date of an instant in `column` by the clock of `zone`, as text like `2026-11-21`.
pub fn local_date(dialect: Dialect, column: &str, zone: Tz, until: DateTime<Utc>) -> String {
    let offsets = offsets(zone, until);
    let last = offsets.last().map_or(0, |(_, seconds)| *seconds);
    let mut seconds = String::new();
    for pair in offsets.windows(2) {
        let (next, before) = (pair[1].0, pair[0].1);
        let next = match dialect {
            Dialect::Sqlite => format!("'{}'", next.format("%Y-%m-%dT%H:%M:%S")),
            Dialect::Postgres => format!("timestamptz '{}'", next.format("%Y-%m-%d %H:%M:%S+00")),
        };
        seconds.push_str(&format!(" when {column} < {next} then {before}"));
    }
    let seconds = if seconds.is_empty() { last.to_string() } else { format!("case{seconds} else {last} end") };
    match dialect {
        Dialect::Sqlite => format!("date({column}, ({seconds}) || ' seconds')"),
        Dialect::Postgres => {
            format!("cast(cast(({column} at time zone 'UTC') + ({seconds}) * interval '1 second' as date) as text)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_new_york_is_put_forward_and_back() {
        let until = "2016-12-31T00:00:00Z".parse().expect("a time");
        let found = offsets(Tz::America__New_York, until);
        let times: Vec<_> = found.iter().map(|(at, seconds)| format!("{} {seconds}", at.to_rfc3339())).collect();
        assert_eq!(
            times,
            [
                "2015-01-01T00:00:00+00:00 -18000",
                "2015-03-08T07:00:00+00:00 -14400",
                "2015-11-01T06:00:00+00:00 -18000",
                "2016-03-13T07:00:00+00:00 -14400",
                "2016-11-06T06:00:00+00:00 -18000",
            ]
        );
        assert_eq!(offsets(Tz::Asia__Singapore, until).len(), 1);
    }
}

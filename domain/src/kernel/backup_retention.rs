//! Retention of backups: the newest of each of the last days, weeks and months, the newest ones of any day, and the one before
//! the last upgrade.
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    str::FromStr,
};

/// How many backups of each kind are kept. Days, weeks (from Monday) and months are those of UTC that have a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupRetention {
    /// Newest ones of any day, so that a second backup of a day does not replace the first.
    pub newest: usize,
    pub daily: usize,
    pub weekly: usize,
    pub monthly: usize,
}

impl Default for BackupRetention {
    fn default() -> Self {
        Self { newest: 3, daily: 7, weekly: 4, monthly: 6 }
    }
}

/// End of the name of a backup that was made before an upgrade. The newest one is always kept: it is the way back.
pub const UPGRADE_SUFFIX: &str = "-upgrade";
/// Upper bound of each number.
const MAX: usize = 1_000;

impl FromStr for BackupRetention {
    type Err = ();

    /// Parses `3 newest, 7 daily, 4 weekly, 6 monthly`. What is left out is 0; a number alone counts the newest. At least
    /// one backup is kept.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut found = Self { newest: 0, daily: 0, weekly: 0, monthly: 0 };
        let mut named = HashSet::new();
        for part in text.split(',') {
            let (number, kind) = part.trim().split_once(' ').unwrap_or((part.trim(), "newest"));
            let kind = kind.trim();
            let number = number.parse().ok().filter(|number| *number <= MAX).ok_or(())?;
            *match kind {
                "newest" => &mut found.newest,
                "daily" => &mut found.daily,
                "weekly" => &mut found.weekly,
                "monthly" => &mut found.monthly,
                _ => return Err(()),
            } = number;
            if !named.insert(kind) {
                return Err(());
            }
        }
        if found.newest + found.daily + found.weekly + found.monthly == 0 { Err(()) } else { Ok(found) }
    }
}

impl fmt::Display for BackupRetention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { newest, daily, weekly, monthly } = self;
        write!(f, "{newest} newest, {daily} daily, {weekly} weekly, {monthly} monthly")
    }
}

impl BackupRetention {
    /// Names of the backups that are not kept, of all with the times of their snapshots.
    pub fn expired(self, backups: &[(String, DateTime<Utc>)]) -> Vec<String> {
        let mut newest_first: Vec<&(String, DateTime<Utc>)> = backups.iter().collect();
        newest_first.sort_by_key(|(name, made_at)| std::cmp::Reverse((*made_at, name)));
        let mut kept: HashSet<&str> = newest_first.iter().take(self.newest).map(|(name, _)| name.as_str()).collect();
        kept.extend(newest_first.iter().map(|(name, _)| name.as_str()).find(|name| name.ends_with(UPGRADE_SUFFIX)));
        kept.extend(newest_of_each(&newest_first, |day| (day.year(), day.ordinal())).take(self.daily));
        kept.extend(
            newest_of_each(&newest_first, |day| (day.iso_week().year(), day.iso_week().week())).take(self.weekly),
        );
        kept.extend(newest_of_each(&newest_first, |day| (day.year(), day.month())).take(self.monthly));
        newest_first.iter().filter(|(name, _)| !kept.contains(name.as_str())).map(|(name, _)| name.clone()).collect()
    }
}

/// The newest backup of each period, the newest period first.
fn newest_of_each<'a>(
    newest_first: &[&'a (String, DateTime<Utc>)],
    period: impl Fn(NaiveDate) -> (i32, u32),
) -> impl Iterator<Item = &'a str> {
    let mut found = BTreeMap::new();
    for (name, made_at) in newest_first {
        found.entry(period(made_at.date_naive())).or_insert(name.as_str());
    }
    found.into_values().rev()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Duration, TimeZone};

    /// Names are days and hours, as `0228-02`.
    fn nightly(from: (i32, u32, u32), days: i64) -> Vec<(String, DateTime<Utc>)> {
        let first = Utc.with_ymd_and_hms(from.0, from.1, from.2, 2, 0, 0).single().expect("a time");
        let times = (0..days).map(|day| first + Duration::days(day));
        times.map(|at| (at.format("%m%d-%H").to_string(), at)).collect()
    }

    fn kept(retention: BackupRetention, backups: &[(String, DateTime<Utc>)]) -> Vec<String> {
        let expired: HashSet<String> = retention.expired(backups).into_iter().collect();
        backups.iter().map(|(name, _)| name.clone()).filter(|name| !expired.contains(name)).collect()
    }

    #[test]
    fn a_year_of_nights_keeps_seven_days_four_weeks_and_six_months() {
        let year = nightly((2026, 1, 1), 365);
        let found = kept(BackupRetention::default(), &year);
        // December 31 is a Thursday: Sundays end the weeks before, the 31st is the newest of its week and its month.
        let expected = [
            "0731-02", "0831-02", "0930-02", "1031-02", "1130-02", "1213-02", "1220-02", "1225-02", "1226-02",
            "1227-02", "1228-02", "1229-02", "1230-02", "1231-02",
        ];
        assert_eq!(found, expected);
        // Removing every night leads to the same as removing at the end of the year.
        let mut there = Vec::new();
        for backup in year {
            there.push(backup);
            let expired = BackupRetention::default().expired(&there);
            there.retain(|(name, _)| !expired.contains(name));
        }
        assert_eq!(there.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_second_backup_of_a_day_stays_while_it_is_among_the_newest() {
        let mut backups = nightly((2026, 5, 4), 2);
        let noon = backups[1].1 + Duration::hours(10);
        backups.push(("0505-12".to_owned(), noon));
        let daily = BackupRetention { newest: 0, daily: 7, weekly: 0, monthly: 0 };
        assert_eq!(kept(daily, &backups), ["0504-02", "0505-12"]);
        assert_eq!(kept(BackupRetention { newest: 2, ..daily }, &backups), ["0504-02", "0505-02", "0505-12"]);
    }

    #[test]
    fn the_backup_before_the_last_upgrade_is_kept() {
        let mut backups = nightly((2026, 5, 4), 5);
        for upgraded in [1, 3] {
            backups[upgraded].0.push_str(UPGRADE_SUFFIX);
        }
        let newest = BackupRetention { newest: 1, daily: 0, weekly: 0, monthly: 0 };
        assert_eq!(kept(newest, &backups), ["0507-02-upgrade", "0508-02"]);
    }

    #[test]
    fn retention_is_parsed_and_printed() {
        let text = "3 newest, 7 daily, 4 weekly, 6 monthly";
        assert_eq!(text.parse(), Ok(BackupRetention::default()));
        assert_eq!(BackupRetention::default().to_string(), text);
        assert_eq!("14".parse(), Ok(BackupRetention { newest: 14, daily: 0, weekly: 0, monthly: 0 }));
        assert_eq!("30 daily,12 monthly".parse(), Ok(BackupRetention { newest: 0, daily: 30, weekly: 0, monthly: 12 }));
        for refused in ["", "0", "0 daily", "7 days", "-1", "1001", "7 daily, 3 daily", "daily", "7,"] {
            assert_eq!(refused.parse::<BackupRetention>(), Err(()), "{refused}");
        }
    }
}

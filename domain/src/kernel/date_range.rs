//! Date ranges of reports: a named period, or a first and a last day.
use crate::kernel::{
    error::{Error, Result},
    validate::{self, Validator},
};
use chrono::{Datelike, Days, Months, NaiveDate};

crate::kernel::text_enum! {
    /// A named period, relative to a day.
    #[derive(Default)]
    #[schema(as = ReportPeriod)]
    pub enum Period {
        ThisMonth = "this_month",
        LastMonth = "last_month",
        #[default]
        ThisYear = "this_year",
        LastYear = "last_year",
        AllTime = "all_time",
    }
}

impl Period {
    pub fn span(self, today: NaiveDate) -> DateRange {
        let month = today - Days::new(u64::from(today.day0()));
        let year = month - Months::new(month.month0());
        let months =
            |first: NaiveDate, n| DateRange { from: Some(first), to: Some(first + Months::new(n) - Days::new(1)) };
        match self {
            Self::ThisMonth => months(month, 1),
            Self::LastMonth => months(month - Months::new(1), 1),
            Self::ThisYear => months(year, 12),
            Self::LastYear => months(year - Months::new(12), 12),
            Self::AllTime => DateRange { from: None, to: None },
        }
    }
}

/// A first and a last day, both included; open where one is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRange {
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
}

/// The days of a report as requested: two dates, else a period, else this year.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DateRangeQuery {
    pub period: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
}

impl DateRangeQuery {
    /// # Errors
    /// Invalid `period`, `from`, `to`; `to` before `from`.
    pub fn span(&self, today: NaiveDate) -> Result<DateRange> {
        let mut check = Validator::new();
        let period = check.optional("period", self.period.as_deref(), str::parse::<Period>);
        let from = check.optional("from", self.from.as_deref(), validate::date);
        let to = check.optional("to", self.to.as_deref(), validate::date);
        check.finish()?;
        if from.is_none() && to.is_none() {
            return Ok(period.unwrap_or_default().span(today));
        }
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            return Err(Error::field("to", "before_from"));
        }
        Ok(DateRange { from, to })
    }
}

/// A date range as whole months and the days before and after them, for rollups kept by day and by month. Each is the
/// first and the last as text; the last is before the first where there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthSplit {
    pub months: (String, String),
    pub before: (String, String),
    pub after: (String, String),
}

/// A longer range lists only the months that have figures.
const MAX_FILLED_MONTHS: usize = 120;

impl DateRange {
    /// Both days for a query, an open side as far away as a date may be.
    pub fn days(self) -> (NaiveDate, NaiveDate) {
        let far = |year| NaiveDate::from_ymd_opt(year, 1, 1).unwrap_or_default();
        (self.from.unwrap_or(far(1900)), self.to.unwrap_or(far(2201)))
    }

    /// Monthly rollups cover most of a range, daily rollups the rest.
    pub fn parts(self) -> MonthSplit {
        let (from, to) = self.days();
        let day = Days::new(1);
        let month_of = |date: NaiveDate| date - Days::new(u64::from(date.day0()));
        // The first days of the first whole month, and of the month after the last.
        let first = if from.day0() == 0 { from } else { month_of(from) + Months::new(1) };
        let end = month_of(to + day);
        let month = |date: NaiveDate| date.format("%Y-%m").to_string();
        MonthSplit {
            months: (month(first), month(end - day)),
            before: (from.to_string(), to.min(first - day).to_string()),
            after: (end.max(first).to_string(), to.to_string()),
        }
    }

    /// Every month of the span as `2026-11`, also those in which nothing was: from its first day or the first of
    /// `found`, to its last day but not beyond today or the last of `found`.
    pub fn months(self, mut found: Vec<String>, today: NaiveDate) -> Vec<String> {
        found.sort_unstable();
        found.dedup();
        let name = |date: NaiveDate| date.format("%Y-%m").to_string();
        let first = self.from.map(name).or_else(|| found.first().cloned()).unwrap_or_else(|| name(today));
        let known = found.last().cloned().unwrap_or_default().max(name(today));
        let last = self.to.map_or(known.clone(), |to| name(to).min(known));
        let mut months = Vec::new();
        let mut month = format!("{first}-01").parse::<NaiveDate>().unwrap_or(today);
        while name(month) <= last {
            if months.len() == MAX_FILLED_MONTHS {
                return found;
            }
            months.push(name(month));
            month = month + Months::new(1);
        }
        if months.is_empty() { found } else { months }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_period_is_what_its_name_says() {
        let today = day("2026-01-31");
        let days = |period: Period| {
            let (from, to) = period.span(today).days();
            format!("{from} {to}")
        };
        assert_eq!(days(Period::ThisMonth), "2026-01-01 2026-01-31");
        assert_eq!(days(Period::LastMonth), "2025-12-01 2025-12-31");
        assert_eq!(days(Period::ThisYear), "2026-01-01 2026-12-31");
        assert_eq!(days(Period::LastYear), "2025-01-01 2025-12-31");
        assert_eq!(days(Period::AllTime), "1900-01-01 2201-01-01");
    }

    #[test]
    fn what_was_asked_is_read_or_refused() {
        let asked = |period: &str, from: &str, to: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            DateRangeQuery { period: some(period), from: some(from), to: some(to) }.span(day("2026-11-21"))
        };
        assert_eq!(asked("", "", "").unwrap(), Period::ThisYear.span(day("2026-11-21")));
        let own = asked("last_year", "2026-02-01", "").unwrap();
        assert_eq!((own.from, own.to), (Some(day("2026-02-01")), None), "days go before a period");
        for (period, from, to) in
            [("decade", "", ""), ("", "2026-13-01", ""), ("", "", "tomorrow"), ("", "2026-02-02", "2026-02-01")]
        {
            assert!(matches!(asked(period, from, to), Err(Error::Invalid(_))), "{period} {from} {to}");
        }
    }

    #[test]
    fn months_and_days_cover_a_span_once() {
        let days: Vec<NaiveDate> = day("2025-10-28").iter_days().take(130).collect();
        let within = |(first, last): &(String, String), name: &str| first.as_str() <= name && name <= last.as_str();
        for from in &days {
            for to in days.iter().filter(|to| *to >= from) {
                let parts = DateRange { from: Some(*from), to: Some(*to) }.parts();
                for date in &days {
                    let name = date.to_string();
                    let found = [(&parts.months, &name[..7]), (&parts.before, &name), (&parts.after, &name)]
                        .into_iter()
                        .filter(|(part, name)| within(part, name))
                        .count();
                    assert_eq!(found, usize::from(from <= date && date <= to), "{date} of {from} to {to}: {parts:?}");
                }
            }
        }
        let year = Period::ThisYear.span(day("2026-11-22")).parts();
        assert_eq!((year.months.0.as_str(), year.months.1.as_str()), ("2026-01", "2026-12"));
        assert!(year.before.0 > year.before.1 && year.after.0 > year.after.1, "{year:?}");
        let ever = Period::AllTime.span(day("2026-11-22")).parts();
        assert_eq!(ever.months, ("1900-01".to_owned(), "2200-12".to_owned()));
    }

    #[test]
    fn months_without_anything_are_named_too() {
        let today = day("2026-03-10");
        let months = |period: Period, found: &[&str]| {
            period.span(today).months(found.iter().map(|month| (*month).to_owned()).collect(), today).join(" ")
        };
        assert_eq!(months(Period::ThisYear, &["2026-02"]), "2026-01 2026-02 2026-03");
        assert_eq!(months(Period::ThisYear, &["2026-05"]), "2026-01 2026-02 2026-03 2026-04 2026-05");
        assert_eq!(months(Period::AllTime, &["2025-12", "2026-01"]), "2025-12 2026-01 2026-02 2026-03");
        assert_eq!(months(Period::AllTime, &[]), "2026-03");
        let long = DateRange { from: Some(day("1900-01-01")), to: None };
        assert_eq!(long.months(vec!["2026-01".to_owned()], today), ["2026-01"]);
    }
}

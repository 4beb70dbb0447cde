//! Reports and their columns, and schedules that mail them.
use crate::kernel::{
    date_range::Period,
    ids::{CompanyId, ReportScheduleId, UserId},
    money::Currency,
};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};

crate::kernel::text_enum! {
    #[schema(as = ReportName)]
    pub enum Report {
        /// Orders with invoiced and paid amounts.
        Portfolio = "portfolio",
        /// Commissions of the partners.
        Commissions = "commissions",
        /// Durations of completed steps.
        StepTimes = "step_times",
    }
}

impl Report {
    /// Columns, named as the fields of the API.
    pub fn columns(self) -> &'static [Column] {
        use Kind::{Amount, CommissionStatus, Country, Date, Days, Flag, Owner, Percent, SpvStatus, Text};
        match self {
            Self::Portfolio => &[
                ("identifier", Text),
                ("client_name", Text),
                ("iso_name", Text),
                ("country", Country),
                ("status", SpvStatus),
                ("ordered_date", Date),
                ("closed_date", Date),
                ("progress", Percent),
                ("currency", Text),
                ("amount", Amount),
                ("invoiced", Amount),
                ("paid", Amount),
            ],
            Self::Commissions => &[
                ("earned_date", Date),
                ("iso_name", Text),
                ("identifier", Text),
                ("client_name", Text),
                ("status", CommissionStatus),
                ("paid_date", Date),
                ("payout_run", Text),
                ("currency", Text),
                ("amount", Amount),
            ],
            Self::StepTimes => &[
                ("identifier", Text),
                ("client_name", Text),
                ("country", Country),
                ("step_name", Text),
                ("owner", Owner),
                ("ordered_date", Date),
                ("due_date", Date),
                ("completed_date", Date),
                ("days", Days),
                ("on_time", Flag),
            ],
        }
    }
}

crate::kernel::text_enum! {
    /// How a column's cells are to be read.
    #[schema(as = ReportColumnKind)]
    pub enum Kind {
        Text = "text",
        /// `2026-11-21`
        Date = "date",
        /// A decimal number in the row's `currency`.
        Amount = "amount",
        /// Days to one decimal.
        Days = "days",
        /// A whole percent.
        Percent = "percent",
        /// `yes`, `no` or empty.
        Flag = "flag",
        Country = "country",
        SpvStatus = "spv_status",
        CommissionStatus = "commission_status",
        Owner = "owner",
    }
}

/// A column's name and kind.
pub type Column = (&'static str, Kind);

/// Cells of a row as text in the format of their columns; empty without a value.
pub type Cells = Vec<String>;

/// Totals of the whole report, whatever page is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    pub rows: i64,
    pub sums: Vec<Sum>,
}

/// Sums of the amount columns in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub currency: Currency,
    pub amounts: Vec<(&'static str, i64)>,
}

crate::kernel::text_enum! {
    /// How often a report is mailed.
    #[schema(as = ReportInterval)]
    pub enum Frequency {
        /// On Mondays.
        Weekly = "weekly",
        /// On the first of the month.
        Monthly = "monthly",
    }
}

impl Frequency {
    /// The next day after `day`. Skips days that were missed.
    pub fn after(self, day: NaiveDate) -> NaiveDate {
        match self {
            Self::Weekly => day + Days::new(u64::from(7 - day.weekday().num_days_from_monday())),
            Self::Monthly => day - Days::new(u64::from(day.day0())) + Months::new(1),
        }
    }
}

crate::kernel::db::row! {
    /// A report that is mailed regularly.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Schedule of w {
        pub id: ReportScheduleId,
        pub company_id: CompanyId,
        pub report: Report,
        /// Period of the report that the mail links to.
        pub period: Period,
        pub every: Frequency,
        pub next_date: NaiveDate,
        pub last_sent_at: Option<DateTime<Utc>>,
        /// By name.
        #[sqlx(skip)]
        pub recipients: Vec<Recipient> = _,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

/// A company admin who can receive reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    pub id: UserId,
    pub name: String,
    /// Whether the recipient may see the report now. Others stay listed and receive nothing.
    pub may_see: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedule_moves_to_its_next_day() {
        let after = |every: Frequency, day: &str| every.after(day.parse().unwrap()).to_string();
        assert_eq!(after(Frequency::Weekly, "2026-11-21"), "2026-11-23", "a Saturday");
        assert_eq!(after(Frequency::Weekly, "2026-11-23"), "2026-11-30", "a Monday");
        assert_eq!(after(Frequency::Monthly, "2026-11-21"), "2026-12-01");
        assert_eq!(after(Frequency::Monthly, "2026-12-01"), "2027-01-01");
    }
}

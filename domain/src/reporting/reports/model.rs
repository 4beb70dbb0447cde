//! Reports and their columns, and schedules that mail them.
use crate::kernel::{
    date_range::Period,
    error::{Problem, Result},
    ids::{CompanyId, ReportScheduleId, UserId},
    money::Currency,
};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = ReportName)]
pub enum Report {
    /// Orders with invoiced and paid amounts.
    Portfolio,
    /// Commissions of the partners.
    Commissions,
    /// Durations of completed steps.
    StepTimes,
}

impl Report {
    pub const ALL: [Self; 3] = [Self::Portfolio, Self::Commissions, Self::StepTimes];

    pub fn name(self) -> &'static str {
        match self {
            Self::Portfolio => "portfolio",
            Self::Commissions => "commissions",
            Self::StepTimes => "step_times",
        }
    }

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

impl std::str::FromStr for Report {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|report| report.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

/// How a column's cells are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReportColumnKind)]
pub enum Kind {
    Text,
    /// `2026-11-21`
    Date,
    /// A decimal number in the row's `currency`.
    Amount,
    /// Days to one decimal.
    Days,
    /// A whole percent.
    Percent,
    /// `yes`, `no` or empty.
    Flag,
    Country,
    SpvStatus,
    CommissionStatus,
    Owner,
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

/// How often a report is mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = ReportInterval)]
pub enum Frequency {
    /// On Mondays.
    Weekly,
    /// On the first of the month.
    Monthly,
}

impl Frequency {
    pub const ALL: [Self; 2] = [Self::Weekly, Self::Monthly];

    pub fn name(self) -> &'static str {
        match self {
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }

    /// The next day after `day`. Skips days that were missed.
    pub fn after(self, day: NaiveDate) -> NaiveDate {
        match self {
            Self::Weekly => day + Days::new(u64::from(7 - day.weekday().num_days_from_monday())),
            Self::Monthly => day - Days::new(u64::from(day.day0())) + Months::new(1),
        }
    }
}

impl std::str::FromStr for Frequency {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|every| every.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

/// A report that is mailed regularly.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    pub id: ReportScheduleId,
    pub company_id: CompanyId,
    pub report: Report,
    /// Period of the report that the mail links to.
    pub period: Period,
    pub every: Frequency,
    pub next_date: NaiveDate,
    pub last_sent_at: Option<DateTime<Utc>>,
    /// By name.
    pub recipients: Vec<Recipient>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
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

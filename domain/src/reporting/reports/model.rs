//! Which reports there are, and what their tables are made of.
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
    /// Orders with what was invoiced and paid.
    Portfolio,
    /// The ledger of what partners earn.
    Commissions,
    /// How long completed steps took.
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

    /// Named as the API's fields are.
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
    /// `yes`, `no` or nothing.
    Flag,
    Country,
    SpvStatus,
    CommissionStatus,
    Owner,
}

/// A column's name and kind.
pub type Column = (&'static str, Kind);

/// The report's rows as text, each cell as its column's kind says; empty where there is nothing.
pub type Cells = Vec<String>;

/// What the whole report comes to, whatever page is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    pub rows: i64,
    pub sums: Vec<Sum>,
}

/// The amount columns of one currency, by their names.
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
pub enum Every {
    /// On Mondays.
    Weekly,
    /// On the first of the month.
    Monthly,
}

impl Every {
    pub const ALL: [Self; 2] = [Self::Weekly, Self::Monthly];

    pub fn name(self) -> &'static str {
        match self {
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }

    /// Its next day after this one: however many went by without a server, one is left.
    pub fn after(self, day: NaiveDate) -> NaiveDate {
        match self {
            Self::Weekly => day + Days::new(u64::from(7 - day.weekday().num_days_from_monday())),
            Self::Monthly => day - Days::new(u64::from(day.day0())) + Months::new(1),
        }
    }
}

impl std::str::FromStr for Every {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|every| every.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

/// A report that is mailed again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    pub id: ReportScheduleId,
    pub company_id: CompanyId,
    pub report: Report,
    /// Which days it is about when it is opened.
    pub period: Period,
    pub every: Every,
    pub next_date: NaiveDate,
    pub last_sent_at: Option<DateTime<Utc>>,
    /// By name.
    pub recipients: Vec<Recipient>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
}

/// A company admin whom reports may be mailed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    pub id: UserId,
    pub name: String,
    /// May still see it. Others stay on the list and are sent nothing.
    pub may_see: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_goes_on_at_its_next_day() {
        let after = |every: Every, day: &str| every.after(day.parse().unwrap()).to_string();
        assert_eq!(after(Every::Weekly, "2026-11-21"), "2026-11-23", "a Saturday");
        assert_eq!(after(Every::Weekly, "2026-11-23"), "2026-11-30", "a Monday");
        assert_eq!(after(Every::Monthly, "2026-11-21"), "2026-12-01");
        assert_eq!(after(Every::Monthly, "2026-12-01"), "2027-01-01");
    }
}

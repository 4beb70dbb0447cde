//! Rows of the commission ledger, payout runs, and totals.
use crate::{
    kernel::{
        ids::{CommissionId, CompanyId, IsoId, PayoutId, PayoutRunId, SpvId, UserId},
        money::{self, Currency},
    },
    orders::spvs,
};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};
use serde::Deserialize;

crate::kernel::text_enum! {
    /// Where a row of the ledger stands.
    #[schema(as = CommissionStatus)]
    pub enum Status {
        /// Earned and not reviewed.
        Pending = "pending",
        /// To be paid by the next payout run, or in one that is not paid yet.
        Approved = "approved",
        Paid = "paid",
        /// Voided by the staff; in no total.
        Void = "void",
    }
}

crate::kernel::text_enum! {
    /// Why a row is there.
    #[schema(as = CommissionKind)]
    pub enum Kind {
        /// The order closed, or its commission was corrected to a higher one.
        Earned = "earned",
        /// The order was cancelled after it had earned, or its commission was corrected to a lower one: a negative amount.
        Reversed = "reversed",
    }
}

crate::kernel::text_enum! {
    /// By which rule an order earns.
    // Decision 15.
    #[schema(as = CommissionRule)]
    pub enum Rule {
        Fixed = "fixed",
        /// A rate on the purchase amount, else on the price.
        Percent = "percent",
    }
}

/// By which terms a row was earned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub kind: Kind,
    pub rule: Rule,
    pub rate: Option<i64>,
    pub base_minor: Option<i64>,
}

impl Terms {
    /// The terms of an order, for a row of this amount.
    pub fn of(spv: &spvs::Spv, amount_minor: i64) -> Self {
        let fixed = spv.commission_minor.is_some();
        Self {
            kind: if amount_minor >= 0 { Kind::Earned } else { Kind::Reversed },
            rule: if fixed { Rule::Fixed } else { Rule::Percent },
            rate: spv.iso_commission_percentage.filter(|_| !fixed),
            base_minor: spv.amount_minor().filter(|_| !fixed),
        }
    }
}

crate::kernel::db::row! {
    /// A row of the ledger with the names around it.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Commission of e {
        pub id: CommissionId,
        pub iso_id: IsoId,
        pub iso_first_name: String = "i.first_name",
        pub iso_last_name: String = "i.last_name",
        pub company_id: CompanyId,
        pub spv_id: SpvId,
        pub spv_custom_identifier: Option<String> = "s.custom_identifier",
        /// The name of the company that the order forms.
        pub vehicle_name: Option<String> = "s.vehicle_name",
        pub client_id: UserId,
        pub client_first_name: String = "c.first_name",
        pub client_last_name: String = "c.last_name",
        pub kind: Kind,
        pub rule: Rule,
        /// Ten-thousandths of a percent.
        pub rate: Option<i64>,
        pub base_minor: Option<i64>,
        pub currency: Currency,
        /// Negative for a reversal and for a difference to a lower commission.
        pub amount_minor: i64,
        pub status: Status,
        pub earned_date: NaiveDate,
        pub paid_date: Option<NaiveDate>,
        /// The reason it was voided for.
        pub reason: Option<String>,
        /// Of a difference after a correction of the order: the approved or paid row that it adjusts.
        pub adjusts_id: Option<CommissionId>,
        /// Its payout run.
        pub run_id: Option<PayoutRunId> = "p.run_id",
        pub run_year: Option<i64> = "g.year",
        pub run_number: Option<i64> = "g.number",
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

impl Commission {
    pub fn spv_identifier(&self) -> String {
        spvs::display_identifier(self.spv_id, self.spv_custom_identifier.as_deref())
    }

    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }

    pub fn iso_name(&self) -> String {
        format!("{} {}", self.iso_first_name, self.iso_last_name)
    }

    /// The amount that counts in totals: 0 once it is void.
    pub(crate) fn counted_minor(&self) -> i64 {
        if self.status == Status::Void { 0 } else { self.amount_minor }
    }

    /// The name of its payout run.
    pub fn run(&self) -> Option<String> {
        Some(run_name(self.run_year?, self.run_number?))
    }
}

/// The name of a payout run: `PAY-2026-001`.
pub fn run_name(year: i64, number: i64) -> String {
    format!("PAY-{year}-{number:03}")
}

crate::kernel::text_enum! {
    /// Where a payout run stands.
    #[schema(as = PayoutRunStatus)]
    pub enum RunStatus {
        /// Its transfers are to be made.
        Open = "open",
        Paid = "paid",
        /// Its rows wait for the next one.
        Discarded = "discarded",
    }
}

crate::kernel::db::row! {
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Run {
        pub id: PayoutRunId,
        pub year: i64,
        pub number: i64,
        pub status: RunStatus,
        pub created_at: DateTime<Utc>,
        pub created_by: String,
        pub paid_date: Option<NaiveDate>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

impl Run {
    pub fn name(&self) -> String {
        run_name(self.year, self.number)
    }
}

/// One transfer of a payout run.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Payout {
    pub id: PayoutId,
    pub run_id: PayoutRunId,
    pub iso_id: IsoId,
    pub iso_first_name: String,
    pub iso_last_name: String,
    pub iso_email: String,
    pub company_id: CompanyId,
    pub company_name: String,
    pub currency: Currency,
    pub amount_minor: i64,
    /// The number of ledger rows that it pays.
    pub entries: i64,
}

impl Payout {
    pub fn iso_name(&self) -> String {
        format!("{} {}", self.iso_first_name, self.iso_last_name)
    }
}

/// What the next payout run transfers to one partner in one currency.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct PayoutPreview {
    pub iso_id: IsoId,
    pub iso_first_name: String,
    pub iso_last_name: String,
    pub currency: Currency,
    pub amount_minor: i64,
    /// The number of ledger rows that it pays.
    pub entries: i64,
}

impl PayoutPreview {
    pub fn iso_name(&self) -> String {
        format!("{} {}", self.iso_first_name, self.iso_last_name)
    }
}

crate::kernel::text_enum! {
    /// Which months the cards are about.
    #[derive(Default)]
    pub enum Period {
        #[default]
        ThisMonth = "this_month",
        LastMonth = "last_month",
        ThisYear = "this_year",
    }
}

impl Period {
    /// The first and the last day.
    pub fn days(self, today: NaiveDate) -> (NaiveDate, NaiveDate) {
        let month = today - Days::new(u64::from(today.day0()));
        match self {
            Self::ThisMonth => (month, month + Months::new(1) - Days::new(1)),
            Self::LastMonth => (month - Months::new(1), month - Days::new(1)),
            Self::ThisYear => {
                let year = month - Months::new(month.month0());
                (year, year + Months::new(12) - Days::new(1))
            }
        }
    }
}

/// The totals of one currency by status, without void rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub currency: Currency,
    pub pending_minor: i64,
    pub approved_minor: i64,
    pub paid_minor: i64,
}

impl Totals {
    pub fn total_minor(&self) -> i64 {
        self.pending_minor + self.approved_minor + self.paid_minor
    }
}

/// The cards of one currency (decision 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverviewCards {
    pub currency: Currency,
    pub total_minor: i64,
    pub paid_minor: i64,
    /// Earned and not paid.
    pub pending_minor: i64,
    pub next_minor: i64,
}

/// The projected paid share before the first payout, in ten-thousandths of a percent (specification, section 9).
const PROJECTED_PAID_SHARE: i64 = 700_000;

impl OverviewCards {
    /// The cards of these totals; `projected` for the specification's split before the first payout.
    pub fn of(sums: &Totals, projected: bool) -> Self {
        let (currency, total_minor) = (sums.currency, sums.total_minor());
        if projected {
            let paid_minor = total_minor.signum() * money::share(total_minor.abs(), PROJECTED_PAID_SHARE);
            return Self {
                currency,
                total_minor,
                paid_minor,
                pending_minor: total_minor - paid_minor,
                next_minor: total_minor,
            };
        }
        Self {
            currency,
            total_minor,
            paid_minor: sums.paid_minor,
            pending_minor: sums.pending_minor + sums.approved_minor,
            next_minor: sums.approved_minor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_span_whole_months() {
        let days = |period: Period, today: &str| {
            let (from, to) = period.days(today.parse().unwrap());
            format!("{from} {to}")
        };
        assert_eq!(days(Period::ThisMonth, "2026-11-21"), "2026-11-01 2026-11-30");
        assert_eq!(days(Period::LastMonth, "2026-01-31"), "2025-12-01 2025-12-31");
        assert_eq!(days(Period::ThisYear, "2026-11-21"), "2026-01-01 2026-12-31");
        assert_eq!(days(Period::ThisMonth, "2028-02-29"), "2028-02-01 2028-02-29");
    }

    #[test]
    fn projected_split_adds_up_to_the_total() {
        for total in [0, 1, 5, 333, -333, 1_000_000_000_001] {
            let sums = Totals { currency: Currency::Usd, pending_minor: total, approved_minor: 0, paid_minor: 0 };
            let cards = OverviewCards::of(&sums, true);
            assert_eq!((cards.paid_minor + cards.pending_minor, cards.next_minor), (total, total));
        }
        let sums = Totals { currency: Currency::Usd, pending_minor: 100_000, approved_minor: 0, paid_minor: 0 };
        assert_eq!(OverviewCards::of(&sums, true).paid_minor, 70_000);
    }
}

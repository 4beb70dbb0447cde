//! An invoice and its status.
use super::installments::Installment;
use super::lines::{Line, LineKind, TaxRow, TaxTerms, totals};
use crate::{
    kernel::{
        error::{Error, Problem, Result},
        ids::{InvoiceId, PaymentId, SpvId, UserId},
        money::Currency,
    },
    orders::{documents::Document, spvs},
    platform::settings::TaxRounding,
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::Deserialize;

crate::kernel::text_enum! {
    #[schema(as = InvoiceStatus)]
    pub enum Status {
        Due = "due",
        PartPaid = "part_paid",
        Paid = "paid",
        Void = "void",
    }
}

impl Status {
    /// Not fully paid and not void.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Due | Self::PartPaid)
    }
}

crate::kernel::text_enum! {
    /// Open invoices by their due date, on the office's day.
    #[schema(as = InvoiceDue)]
    pub enum Due {
        /// Due before today.
        Overdue = "overdue",
        /// Due today or within the six days after it.
        Week = "week",
        /// Due today or later.
        NotDue = "not_due",
        /// Overdue by 1 to 30 days.
        Overdue30 = "overdue_30",
        /// Overdue by 31 to 60 days.
        Overdue60 = "overdue_60",
        /// Overdue by 61 to 90 days.
        Overdue90 = "overdue_90",
        /// Overdue by more than 90 days.
        OverdueOlder = "overdue_older",
    }
}

impl Due {
    /// The ages of open invoices, which together are all of them.
    pub const AGES: [Self; 5] = [Self::NotDue, Self::Overdue30, Self::Overdue60, Self::Overdue90, Self::OverdueOlder];

    /// The first and the last due date on a day; None where there is no limit.
    pub fn dates(self, today: NaiveDate) -> (Option<NaiveDate>, Option<NaiveDate>) {
        let ago = |days: u64| Some(today - Days::new(days));
        match self {
            Self::Overdue => (None, ago(1)),
            Self::Week => (Some(today), Some(today + Days::new(6))),
            Self::NotDue => (Some(today), None),
            Self::Overdue30 => (ago(30), ago(1)),
            Self::Overdue60 => (ago(60), ago(31)),
            Self::Overdue90 => (ago(90), ago(61)),
            Self::OverdueOlder => (None, ago(91)),
        }
    }
}

crate::kernel::db::row! {
    /// An invoice with its lines and the names around it. Amounts are minor units of `currency`.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Invoice of v {
        pub id: InvoiceId,
        pub year: i64,
        /// Sequential within the year, without gaps.
        pub number: i64,
        /// Of an imported invoice: its number in the system that issued it.
        pub former_number: Option<String>,
        pub spv_id: SpvId,
        pub spv_custom_identifier: Option<String> = "case when s.client_id = v.client_id then s.custom_identifier end",
        /// The name of the company that the order forms.
        pub vehicle_name: Option<String> = "case when s.client_id = v.client_id then s.vehicle_name end",
        /// The client's own reference of the order.
        pub reference: Option<String> = "case when s.client_id = v.client_id then s.reference end",
        pub client_id: UserId,
        pub client_first_name: String = "c.first_name",
        pub client_last_name: String = "c.last_name",
        pub client_email: String = "c.email",
        /// As printed.
        pub billed_to: String,
        pub billed_address: Option<String>,
        pub currency: Currency,
        pub total_minor: i64,
        pub paid_minor: i64,
        /// The sum of its credit notes.
        pub credited_minor: i64,
        /// Written by hand, beside the invoices over the order's price.
        pub manual: bool,
        /// The tax within the total.
        pub tax_minor: i64,
        /// The amounts of the lines include the tax.
        pub tax_included: bool,
        pub tax_rounding: TaxRounding,
        /// Name of the tax, such as VAT.
        pub tax_name: Option<String>,
        /// Why no tax is charged, such as reverse charge.
        pub tax_note: Option<String>,
        /// Payment terms, as printed.
        pub terms: Option<String>,
        pub status: Status,
        pub issued_date: NaiveDate,
        pub due_date: NaiveDate,
        pub void_reason: Option<String>,
        /// Of a void invoice: the one that was raised anew in its place.
        pub replaced_by_id: Option<InvoiceId>,
        pub replaced_by_year: Option<i64> = "n.year",
        pub replaced_by_number: Option<i64> = "n.number",
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
        pub lines: Vec<Line> = _,
        /// Empty for an invoice that is due at once.
        pub installments: Vec<Installment> = _,
    }
}

impl Invoice {
    /// The invoice number, which is the reference of a transfer: `2026-0001`.
    pub fn name(&self) -> String {
        invoice_name(self.year, self.number)
    }

    /// The number of the invoice that was raised anew in its place.
    pub fn replaced_by(&self) -> Option<String> {
        Some(invoice_name(self.replaced_by_year?, self.replaced_by_number?))
    }

    pub fn spv_identifier(&self) -> String {
        spvs::display_identifier(self.spv_id, self.spv_custom_identifier.as_deref())
    }

    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }

    /// The descriptions of its lines.
    pub fn description(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.description.as_str()).collect();
        lines.join("; ")
    }

    /// The filing fee within the total.
    pub fn filing_fee_minor(&self) -> i64 {
        let filing_fees = self.lines.iter().filter(|line| line.kind == LineKind::FilingFee);
        filing_fees.map(|line| line.amount_minor).sum()
    }

    /// What it bills: nothing once it is void, else the total without its credit notes.
    pub fn billed_minor(&self) -> i64 {
        if self.status == Status::Void { 0 } else { self.total_minor - self.credited_minor }
    }

    /// The outstanding amount in minor units.
    pub fn due_minor(&self) -> i64 {
        if self.status.is_open() { self.billed_minor() - self.paid_minor } else { 0 }
    }

    /// The client's credit: what was paid beyond [`Self::billed_minor`].
    pub fn credit_minor(&self) -> i64 {
        (self.paid_minor - self.billed_minor()).max(0)
    }

    /// How its tax follows from its lines.
    pub(super) fn tax_terms(&self) -> TaxTerms {
        TaxTerms {
            included: self.tax_included,
            rounding: self.tax_rounding,
            name: self.tax_name.clone(),
            note: self.tax_note.clone(),
        }
    }

    /// Tax by rate; empty where there is no tax.
    pub fn taxes(&self) -> Vec<TaxRow> {
        let rows = totals(&self.lines, self.tax_included, self.tax_rounding).taxes;
        if rows.iter().all(|row| row.percent == 0) { Vec::new() } else { rows }
    }

    pub fn is_overdue(&self, today: NaiveDate) -> bool {
        self.status.is_open() && self.due_date < today
    }

    /// The invoice after a payment. One beyond what is due becomes the client's credit where `keeps_excess`.
    ///
    /// # Errors
    /// Conflict `invoice_settled`; Invalid `amount` that is not positive or more than is due.
    pub(super) fn paid(&self, minor: i64, keeps_excess: bool) -> Result<Self> {
        self.check_open()?;
        if minor <= 0 {
            return Err(Error::field("amount", "not_positive"));
        }
        if minor > self.due_minor() && !keeps_excess {
            let due = format!("{} {}", self.currency.format(self.due_minor()), self.currency.code());
            return Err(Error::field_with("amount", Problem::new("more_than_due").with("due", due)));
        }
        let paid_minor = self.paid_minor + minor;
        let status = if paid_minor >= self.billed_minor() { Status::Paid } else { Status::PartPaid };
        Ok(Self { paid_minor, status, ..self.clone() }.with_next_due_date())
    }

    /// The invoice after a payment of another system, which may be more than is due.
    ///
    /// # Errors
    /// Conflict `invoice_settled` of a void invoice.
    pub(super) fn with_payment(&self, minor: i64) -> Result<Self> {
        if self.status == Status::Void {
            self.check_open()?;
        }
        let paid_minor = self.paid_minor + minor;
        let status = if paid_minor >= self.billed_minor() { Status::Paid } else { Status::PartPaid };
        Ok(Self { paid_minor, status, ..self.clone() }.with_next_due_date())
    }

    /// The invoice before a payment, which is removed.
    pub(super) fn without_payment(&self, minor: i64) -> Self {
        let paid_minor = self.paid_minor - minor;
        let status = match paid_minor {
            0 => Status::Due,
            paid if paid >= self.billed_minor() => Status::Paid,
            _ => Status::PartPaid,
        };
        Self { paid_minor, status, ..self.clone() }.with_next_due_date()
    }

    /// The invoice after a credit note. One that is not paid at all is voided instead.
    ///
    /// # Errors
    /// Internal for an amount that is not positive or more than it bills.
    pub(super) fn credited(&self, minor: i64) -> Result<Self> {
        if self.paid_minor == 0 || minor <= 0 || minor > self.billed_minor() {
            return Err(Error::internal(format!("a credit note of {minor} for invoice {}", self.name())));
        }
        let credited_minor = self.credited_minor + minor;
        let is_paid = self.paid_minor >= self.total_minor - credited_minor;
        let status = if is_paid { Status::Paid } else { Status::PartPaid };
        Ok(Self { credited_minor, status, ..self.clone() }.with_next_due_date())
    }

    /// Checks that it can be voided.
    ///
    /// # Errors
    /// As of the void: Conflict `invoice_settled`, `invoice_has_payments`.
    pub fn check_void(&self) -> Result<()> {
        self.voided(String::new()).map(drop)
    }

    /// Checks that it is void and was not raised again.
    ///
    /// # Errors
    /// Conflict `invoice_not_void`, `invoice_raised_again`.
    pub fn check_raise(&self) -> Result<()> {
        let refuse = |code, name: String| Err(Error::Conflict(Problem::new(code).with("name", name)));
        match self.replaced_by() {
            _ if self.status != Status::Void => refuse("invoice_not_void", self.name()),
            Some(name) => refuse("invoice_raised_again", name),
            None => Ok(()),
        }
    }

    /// The voided invoice.
    ///
    /// # Errors
    /// Conflict `invoice_settled`; `invoice_has_payments`, as payments cannot be reverted here.
    pub(super) fn voided(&self, reason: String) -> Result<Self> {
        self.check_open()?;
        if self.paid_minor > 0 {
            return Err(Error::conflict("invoice_has_payments"));
        }
        Ok(Self { status: Status::Void, void_reason: Some(reason), ..self.clone() })
    }

    /// # Errors
    /// Conflict `invoice_settled`.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.status.is_open() {
            return Ok(());
        }
        Err(Error::Conflict(Problem::new("invoice_settled").with("status", self.status.name())))
    }
}

/// An invoice number: `2026-0001`.
pub(super) fn invoice_name(year: i64, number: i64) -> String {
    format!("{year}-{number:04}")
}

/// A recorded payment.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Payment {
    pub id: PaymentId,
    /// The payment method: [`super::PaymentMethod::NAME`].
    pub way: String,
    pub amount_minor: i64,
    pub received_date: NaiveDate,
    /// Visible to the staff only.
    pub note: Option<String>,
    pub recorded_by: String,
    pub created_at: DateTime<Utc>,
}

/// A proof of payment.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    pub document: Document,
    pub sent_by: String,
    pub created_at: DateTime<Utc>,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use uuid::Uuid;

    pub fn invoice(total_minor: i64) -> Invoice {
        let at = DateTime::from_timestamp(1_795_262_400, 0).expect("a time in range");
        Invoice {
            id: InvoiceId(Uuid::nil()),
            year: 2026,
            number: 7,
            former_number: None,
            spv_id: SpvId(Uuid::nil()),
            spv_custom_identifier: None,
            vehicle_name: None,
            reference: None,
            client_id: UserId(Uuid::nil()),
            client_first_name: "Maya".to_owned(),
            client_last_name: "Ortiz".to_owned(),
            client_email: "maya@example.com".to_owned(),
            billed_to: "Maya Ortiz".to_owned(),
            billed_address: None,
            currency: Currency::Usd,
            total_minor,
            paid_minor: 0,
            credited_minor: 0,
            manual: false,
            tax_minor: 0,
            tax_included: true,
            tax_rounding: TaxRounding::Line,
            tax_name: None,
            tax_note: None,
            terms: None,
            status: Status::Due,
            issued_date: at.date_naive(),
            due_date: at.date_naive(),
            void_reason: None,
            replaced_by_id: None,
            replaced_by_year: None,
            replaced_by_number: None,
            created_at: at,
            updated_at: at,
            updated_by: String::new(),
            version: 1,
            lines: Vec::new(),
            installments: Vec::new(),
        }
    }

    #[test]
    fn payments_move_due_to_part_paid_to_paid() {
        let due = invoice(1_000);
        assert_eq!((due.name().as_str(), due.due_minor()), ("2026-0007", 1_000));
        let part = due.paid(1, false).unwrap();
        assert_eq!((part.status, part.due_minor()), (Status::PartPaid, 999));
        let paid = part.paid(999, false).unwrap();
        assert_eq!((paid.status, paid.due_minor()), (Status::Paid, 0));
        for (invoice, minor) in [(&due, 0), (&due, -1), (&due, 1_001), (&part, 1_000), (&paid, 1)] {
            assert!(invoice.paid(minor, false).is_err(), "{minor}");
        }
        assert!(part.voided("No".to_owned()).is_err() && paid.voided("No".to_owned()).is_err());
        let over = part.paid(1_500, true).unwrap();
        assert_eq!((over.status, over.due_minor(), over.credit_minor()), (Status::Paid, 0, 501));
        assert_eq!((over.without_payment(1_500), part.without_payment(1)), (part.clone(), due.clone()));
        assert_eq!(over.without_payment(1).status, Status::Paid);
        assert_eq!(paid.with_payment(501).unwrap().credit_minor(), 501);
        assert!(due.voided("No".to_owned()).unwrap().with_payment(1).is_err());
        assert!(paid.paid(1, true).is_err(), "nothing is due");
        let void = due.voided("Wrong price".to_owned()).unwrap();
        assert_eq!((void.status, void.due_minor()), (Status::Void, 0));
        assert!(void.paid(1, false).is_err() && void.voided("Again".to_owned()).is_err());
    }

    #[test]
    fn credit_notes_lower_what_is_due_and_leave_overpayment_as_credit() {
        let part = invoice(1_000).paid(600, false).unwrap();
        let credited = part.credited(300).unwrap();
        assert_eq!((credited.status, credited.due_minor(), credited.credit_minor()), (Status::PartPaid, 100, 0));
        let paid = credited.paid(100, false).unwrap();
        assert_eq!((paid.status, paid.due_minor(), paid.credit_minor()), (Status::Paid, 0, 0));
        let over = paid.credited(700).unwrap();
        assert_eq!((over.status, over.due_minor(), over.credit_minor()), (Status::Paid, 0, 700));
        assert_eq!(part.credited(400).unwrap().status, Status::Paid);
        for (invoice, minor) in [(&invoice(1_000), 1), (&part, 0), (&part, 1_001), (&over, 1)] {
            assert!(invoice.credited(minor).is_err(), "{minor}");
        }
    }
}

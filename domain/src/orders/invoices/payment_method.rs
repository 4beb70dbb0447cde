//! Payment methods of invoices. There is one: a bank transfer, which the staff record by hand. A card processor would be
//! another one, with a payment link as its instructions and a signed webhook as its notice.
use super::Invoice;
use crate::{
    kernel::{
        error::{Problem, Result},
        validate::{self, Validator},
    },
    platform::settings::{Bank, Settings},
};
use chrono::NaiveDate;

/// A payment that was received.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedPayment {
    pub amount_minor: i64,
    pub received_date: NaiveDate,
    /// Visible to the staff only.
    pub note: Option<String>,
    /// What is beyond the amount due becomes the client's credit.
    pub keeps_excess: bool,
}

/// A method by which clients pay.
pub trait PaymentMethod {
    /// The name that its payments are stored with.
    const NAME: &'static str;
    /// What the client reads before paying.
    type Instructions;
    /// What reports a payment.
    type Notice;

    /// None while the office has not configured them.
    fn instructions(settings: &Settings) -> Option<Self::Instructions>;

    /// Validates a notice about an invoice; `today` is the office's day.
    ///
    /// # Errors
    /// Invalid per field.
    fn received(today: NaiveDate, invoice: &Invoice, notice: Self::Notice) -> Result<ReceivedPayment>;
}

/// A bank transfer, recorded by the staff.
#[derive(Debug)]
pub struct BankTransfer;

/// The form of a payment that the staff record.
#[derive(Clone, Debug, Default)]
pub struct ManualPayment {
    pub amount: Option<String>,
    /// The amount typed a second time; programs that read it from a file may leave it out.
    pub amount_again: Option<String>,
    /// Today by default.
    pub received_date: Option<String>,
    pub note: Option<String>,
    /// The client paid more than is due: the rest is kept as credit.
    pub keep_excess: bool,
}

impl PaymentMethod for BankTransfer {
    const NAME: &'static str = "manual";
    type Instructions = Bank;
    type Notice = ManualPayment;

    fn instructions(settings: &Settings) -> Option<Bank> {
        settings.billing.bank.clone()
    }

    fn received(today: NaiveDate, invoice: &Invoice, payment: ManualPayment) -> Result<ReceivedPayment> {
        let mut check = Validator::new();
        let read = |text: &str| invoice.currency.parse(text);
        let amount = check.required("amount", payment.amount.as_deref(), read);
        if let Some(again) = payment.amount_again.as_deref()
            && let Some(amount) = amount
            && read(again) != Ok(amount)
        {
            check.reject("amount_again", Problem::new("amounts_differ"));
        }
        let received_date =
            check.optional("received_date", payment.received_date.as_deref(), validate::date).unwrap_or(today);
        if received_date > today {
            check.reject("received_date", Problem::new("future"));
        }
        let note = check.optional_text("note", payment.note.as_deref());
        check.finish()?;
        let keeps_excess = payment.keep_excess;
        Ok(ReceivedPayment { amount_minor: amount.unwrap_or_default(), received_date, note, keeps_excess })
    }
}

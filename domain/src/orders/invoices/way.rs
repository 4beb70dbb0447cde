//! How clients pay, and how the office learns of it. There is one way: a transfer that somebody sees on the office's
//! account and types in. A card processor would be another implementation, with a link to pay at for its instructions
//! and a signed call for its notice.
use super::Invoice;
use crate::{
    kernel::{
        error::{Problem, Result},
        validate::{self, Check},
    },
    platform::settings::{Bank, Settings},
};
use chrono::NaiveDate;

/// Money that is there: how much in minor units, since when.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    pub amount_minor: i64,
    pub received_date: NaiveDate,
    /// For the staff.
    pub note: Option<String>,
}

/// A way in which clients pay.
pub trait Way {
    /// What its payments are kept under.
    const NAME: &'static str;
    /// What the client is shown before paying.
    type Instructions;
    /// What tells of money that came.
    type Notice;

    /// None while the office has not said how.
    fn instructions(settings: &Settings) -> Option<Self::Instructions>;

    /// Reads a notice about an invoice on the office's day `today`.
    ///
    /// # Errors
    /// Invalid per field of what cannot be believed.
    fn received(today: NaiveDate, invoice: &Invoice, notice: Self::Notice) -> Result<Received>;
}

/// A bank transfer, typed in by the staff.
#[derive(Debug)]
pub struct Manual;

/// What somebody read off the account.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub amount: Option<String>,
    /// Typed a second time; a program that read the amount off a file may leave it out.
    pub amount_again: Option<String>,
    /// Today unless told.
    pub received_date: Option<String>,
    pub note: Option<String>,
}

impl Way for Manual {
    const NAME: &'static str = "manual";
    type Instructions = Bank;
    type Notice = Typed;

    fn instructions(settings: &Settings) -> Option<Bank> {
        settings.billing.bank.clone()
    }

    fn received(today: NaiveDate, invoice: &Invoice, typed: Typed) -> Result<Received> {
        let mut check = Check::new();
        let read = |text: &str| invoice.currency.parse(text);
        let amount = check.required("amount", typed.amount.as_deref(), read);
        if let Some(again) = typed.amount_again.as_deref()
            && let Some(amount) = amount
            && read(again) != Ok(amount)
        {
            check.refuse("amount_again", Problem::new("amounts_differ"));
        }
        let received_date =
            check.optional("received_date", typed.received_date.as_deref(), validate::date).unwrap_or(today);
        if received_date > today {
            check.refuse("received_date", Problem::new("future"));
        }
        let note = check.optional_text("note", typed.note.as_deref());
        check.done()?;
        Ok(Received { amount_minor: amount.unwrap_or_default(), received_date, note })
    }
}

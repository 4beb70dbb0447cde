//! What follows from the correction of an order, as it is shown before and after saving.
use domain::{
    kernel::money::Currency,
    orders::{corrections, invoices::InvoiceChange},
};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ConsequenceKind)]
pub enum Kind {
    /// `invoice` over `amount` is voided.
    InvoiceVoided,
    /// `invoice` over `amount` is raised: the first one, or in the place of the void invoice `replaces`.
    InvoiceRaised,
    /// `invoice` over `amount`, the difference, is raised beside paid ones.
    FurtherInvoice,
    /// `credit_note` over `amount` lowers `invoice`.
    CreditNote,
    /// The client's credit grows by `amount`, as more was paid than is left of `invoice`.
    ClientCredit,
    /// The agreed commission changes from `from` (`from_currency`) to `to`.
    CommissionRecalculated,
    /// A commission over `amount`, the difference to one that is approved or paid.
    CommissionRow,
    /// `steps_added` steps of another country's template replace `steps_removed` ones.
    StepsReplaced,
}

/// A consequence of a correction. Amounts are decimal numbers in `currency`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Consequence {
    kind: Kind,
    currency: Currency,
    #[schema(example = "250.00")]
    amount: Option<String>,
    #[schema(example = "2026-0002")]
    invoice: Option<String>,
    #[schema(example = "2026-0001")]
    replaces: Option<String>,
    #[schema(example = "CN-2026-0001")]
    credit_note: Option<String>,
    #[schema(example = "500.00")]
    from: Option<String>,
    from_currency: Option<Currency>,
    #[schema(example = "600.00")]
    to: Option<String>,
    steps_removed: Option<i64>,
    steps_added: Option<i64>,
    /// The installments of a void invoice, which a new one does not take over.
    installments_dropped: Option<usize>,
}

impl Consequence {
    fn new(kind: Kind, currency: Currency) -> Self {
        Self {
            kind,
            currency,
            amount: None,
            invoice: None,
            replaces: None,
            credit_note: None,
            from: None,
            from_currency: None,
            to: None,
            steps_removed: None,
            steps_added: None,
            installments_dropped: None,
        }
    }

    fn over(kind: Kind, currency: Currency, minor: i64) -> Self {
        Self { amount: Some(currency.format(minor)), ..Self::new(kind, currency) }
    }

    pub fn of(consequence: corrections::Consequence) -> Self {
        match consequence {
            corrections::Consequence::Invoice(change) => Self::of_invoice(change),
            corrections::Consequence::Commission { from, from_currency, to, currency } => Self {
                from: from.map(|minor| from_currency.format(minor)),
                from_currency: Some(from_currency),
                to: to.map(|minor| currency.format(minor)),
                ..Self::new(Kind::CommissionRecalculated, currency)
            },
            corrections::Consequence::CommissionRow { minor, currency } => {
                Self::over(Kind::CommissionRow, currency, minor)
            }
            corrections::Consequence::Steps { removed, added, currency } => Self {
                steps_removed: Some(removed),
                steps_added: Some(added),
                ..Self::new(Kind::StepsReplaced, currency)
            },
        }
    }

    fn of_invoice(change: InvoiceChange) -> Self {
        match change {
            InvoiceChange::Voided { invoice, minor, currency, installments } => Self {
                invoice: Some(invoice),
                installments_dropped: Some(installments).filter(|count| *count > 0),
                ..Self::over(Kind::InvoiceVoided, currency, minor)
            },
            InvoiceChange::Raised { invoice, replaces, minor, currency } => {
                Self { invoice: Some(invoice), replaces, ..Self::over(Kind::InvoiceRaised, currency, minor) }
            }
            InvoiceChange::Further { invoice, minor, currency } => {
                Self { invoice: Some(invoice), ..Self::over(Kind::FurtherInvoice, currency, minor) }
            }
            InvoiceChange::Credited { credit_note, invoice, minor, currency } => Self {
                credit_note: Some(credit_note),
                invoice: Some(invoice),
                ..Self::over(Kind::CreditNote, currency, minor)
            },
            InvoiceChange::ClientCredit { invoice, minor, currency } => {
                Self { invoice: Some(invoice), ..Self::over(Kind::ClientCredit, currency, minor) }
            }
        }
    }
}

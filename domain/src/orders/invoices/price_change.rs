//! Invoices after a correction of their order's price or client: what they bill adds up to the price again.
//!
//! - An invoice on which nothing is paid is voided and raised anew under the next number, the newest first.
//! - A paid or part-paid invoice is never changed: a lower price credits the difference, a higher one is billed by a further
//!   invoice. Our fee and the filing fee are followed apart, as only the first is taxed.
//! - An order whose price was never invoiced here, as an imported one, has no invoices afterwards either.
use super::{Invoice, InvoiceableOrder, LineText, Status, credit_notes, insert_next, set_replaced, store, void_within};
use crate::kernel::{ctx::Ctx, db::Tx, error::Result, i18n, ids::SpvId, money::Currency};
use serde_json::Map;

/// A change of an order's invoices that follows from its corrected price. Amounts are minor units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvoiceChange {
    Voided {
        invoice: String,
        minor: i64,
        currency: Currency,
        /// The number of its installments, which a new invoice does not take over.
        installments: usize,
    },
    /// `replaces` is the void invoice that it stands for; None for the first invoice of the order.
    Raised {
        invoice: String,
        replaces: Option<String>,
        minor: i64,
        currency: Currency,
    },
    /// A further invoice over the difference, beside paid ones.
    Further {
        invoice: String,
        minor: i64,
        currency: Currency,
    },
    Credited {
        credit_note: String,
        invoice: String,
        minor: i64,
        currency: Currency,
    },
    /// The client's credit grows: more was paid than is left of the invoice.
    ClientCredit {
        invoice: String,
        minor: i64,
        currency: Currency,
    },
}

/// What an order's invoices billed before a correction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormerPrice {
    pub minor: i64,
    /// Another currency or client: all invoices are voided and raised anew, as none is paid.
    pub billed_anew: bool,
}

/// An amount by what it bills, in minor units: our fee, which is taxed, and the filing fee, which is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub fee: i64,
    pub filing_fee: i64,
}

impl Parts {
    pub fn total(self) -> i64 {
        self.fee + self.filing_fee
    }

    /// What an order's price consists of.
    pub fn of_order(order: &InvoiceableOrder<'_>) -> Self {
        Self { fee: order.price_minor - order.filing_fee_minor, filing_fee: order.filing_fee_minor }
    }

    fn map(self, part: impl Fn(i64) -> i64) -> Self {
        Self { fee: part(self.fee), filing_fee: part(self.filing_fee) }
    }

    fn zip(self, other: Self, part: impl Fn(i64, i64) -> i64) -> Self {
        Self { fee: part(self.fee, other.fee), filing_fee: part(self.filing_fee, other.filing_fee) }
    }
}

impl std::ops::Add for Parts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl std::ops::Sub for Parts {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

/// An invoice over an order's price with what it bills after its credit notes.
#[derive(Debug)]
pub(super) struct Billed {
    pub invoice: Invoice,
    pub parts: Parts,
    /// The filing fee within its credit notes.
    pub credited_filing_fee_minor: i64,
}

impl Billed {
    fn new(invoice: Invoice, credited_filing_fee_minor: i64) -> Self {
        let filing_fee = match invoice.status {
            Status::Void => 0,
            _ => invoice.filing_fee_minor() - credited_filing_fee_minor,
        };
        let parts = Parts { fee: invoice.billed_minor() - filing_fee, filing_fee };
        Self { invoice, parts, credited_filing_fee_minor }
    }

    fn is_void(&self) -> bool {
        self.invoice.status == Status::Void
    }
}

/// The invoices over an order's price, newest first, locked until the transaction ends.
pub(super) async fn lock_billed(tx: &mut Tx, spv: SpvId) -> Result<Vec<Billed>> {
    let invoices = store::lock_of_order(tx, spv).await?;
    let credited = credit_notes::filing_fees(tx, spv).await?;
    let billed = |invoice: Invoice| {
        let credited = credited.get(&invoice.id).copied().unwrap_or_default();
        Billed::new(invoice, credited)
    };
    Ok(invoices.into_iter().map(billed).collect())
}

/// What is to be done with an order's invoices. Indexes of the invoices that bill something.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    void: Vec<usize>,
    credit: Vec<(usize, Parts)>,
    /// The amount of the new invoice; 0 for none.
    raise: Parts,
}

/// Plans the changes after which these invoices, newest first, bill `price`. `anew` voids all, as none is paid.
fn plan(invoices: &[&Billed], price: Parts, anew: bool) -> Plan {
    let mut plan = Plan::default();
    let mut missing = invoices.iter().fold(price, |missing, billed| missing - billed.parts);
    if missing == Parts::default() && !anew {
        return plan;
    }
    for (n, billed) in invoices.iter().enumerate().filter(|(_, billed)| billed.invoice.status == Status::Due) {
        let is_short = missing.fee > 0 || missing.filing_fee > 0;
        let bills_too_much =
            (missing.fee < 0 && billed.parts.fee > 0) || (missing.filing_fee < 0 && billed.parts.filing_fee > 0);
        if anew || bills_too_much || (is_short && plan.void.is_empty()) {
            plan.void.push(n);
            missing = missing + billed.parts;
        }
    }
    for (n, billed) in invoices.iter().enumerate().filter(|(n, _)| !plan.void.contains(n)) {
        let minor = missing.zip(billed.parts, |missing, billed| (-missing).clamp(0, billed));
        if minor.total() > 0 {
            plan.credit.push((n, minor));
            missing = missing + minor;
        }
    }
    plan.raise = missing.map(|minor| minor.max(0));
    plan
}

/// Makes the invoices of an order bill its corrected price, in the transaction of the correction; the order's row is locked.
/// Must come last in it, as [`super::issue`].
///
/// # Errors
/// What the database refuses.
pub(crate) async fn follow_price(
    tx: &mut Tx,
    ctx: &Ctx,
    order: InvoiceableOrder<'_>,
    former: FormerPrice,
) -> Result<Vec<InvoiceChange>> {
    let all = lock_billed(tx, order.spv_id).await?;
    if all.is_empty() && former.minor > 0 {
        return Ok(Vec::new());
    }
    let currency = order.dimensions.currency;
    let billing: Vec<&Billed> = all.iter().filter(|billed| !billed.is_void()).collect();
    let plan = plan(&billing, Parts::of_order(&order), former.billed_anew);
    let language = store::bill_to(tx, order.client_id).await?.language;
    let mut changes = Vec::new();
    let mut replaced: Option<Invoice> = None;
    for n in &plan.void {
        let former = &billing[*n].invoice;
        let (language, reason) = if former.client_id == order.client_id {
            (language.clone(), "void_reason.price_corrected")
        } else {
            (store::bill_to(tx, former.client_id).await?.language, "void_reason.client_corrected")
        };
        let reason = i18n::text(&language, "names", reason, &Map::new());
        let void = void_within(tx, ctx, former, reason).await?;
        let (invoice, minor, currency) = (void.name(), void.total_minor, void.currency);
        let installments = void.installments.len();
        changes.push(InvoiceChange::Voided { invoice, minor, currency, installments });
        replaced.get_or_insert(void);
    }
    for (n, parts) in &plan.credit {
        let before = billing[*n].invoice.credit_minor();
        let (note, invoice) = credit_notes::issue(tx, ctx, billing[*n], *parts, &language).await?;
        let name = invoice.name();
        let credit_minor = invoice.credit_minor() - before;
        changes.push(InvoiceChange::Credited {
            credit_note: note.name(),
            invoice: name.clone(),
            minor: parts.total(),
            currency,
        });
        if credit_minor > 0 {
            changes.push(InvoiceChange::ClientCredit { invoice: name, minor: credit_minor, currency });
        }
    }
    if plan.raise.total() > 0 {
        let beside = billing.len() > plan.void.len();
        if billing.is_empty() {
            let is_last = |billed: &&Billed| billed.invoice.replaced_by_id.is_none();
            replaced = all.iter().find(is_last).map(|billed| billed.invoice.clone());
        }
        let text = if beside { LineText::Difference } else { LineText::Formation };
        let (price_minor, filing_fee_minor) = (plan.raise.total(), plan.raise.filing_fee);
        let raised = insert_next(tx, ctx, InvoiceableOrder { price_minor, filing_fee_minor, ..order }, text).await?;
        let (invoice, minor) = (raised.name(), raised.total_minor);
        if let Some(void) = &replaced {
            set_replaced(tx, ctx, void, &raised).await?;
        }
        changes.push(match replaced {
            None if beside => InvoiceChange::Further { invoice, minor, currency },
            void => InvoiceChange::Raised { invoice, replaces: void.map(|void| void.name()), minor, currency },
        });
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::invoices::{LineKind, lines::Line, model::tests::invoice};

    const fn parts(fee: i64, filing_fee: i64) -> Parts {
        Parts { fee, filing_fee }
    }

    fn billed(invoice: Invoice) -> Billed {
        Billed::new(invoice, 0)
    }

    #[test]
    fn unpaid_is_raised_anew_and_paid_is_credited_or_followed_by_a_further_invoice() {
        let unpaid = billed(invoice(250));
        let paid = billed(invoice(1_000).paid(1_000, false).unwrap());
        let part = billed(invoice(1_000).paid(1, false).unwrap());
        let planned = |invoices: &[&Billed], price| {
            let Plan { void, credit, raise } = plan(invoices, parts(price, 0), false);
            let credit: Vec<_> = credit.into_iter().map(|(n, parts)| (n, parts.total())).collect();
            (void, credit, raise.total())
        };
        assert_eq!(planned(&[], 0), (vec![], vec![], 0));
        assert_eq!(planned(&[], 900), (vec![], vec![], 900));
        assert_eq!(planned(&[&unpaid], 250), (vec![], vec![], 0));
        assert_eq!(planned(&[&unpaid], 300), (vec![0], vec![], 300));
        assert_eq!(planned(&[&unpaid], 100), (vec![0], vec![], 100));
        assert_eq!(planned(&[&unpaid], 0), (vec![0], vec![], 0));
        assert_eq!(planned(&[&paid], 900), (vec![], vec![(0, 100)], 0));
        assert_eq!(planned(&[&part], 0), (vec![], vec![(0, 1_000)], 0));
        assert_eq!(planned(&[&part], 1_200), (vec![], vec![], 200));
        assert_eq!(planned(&[&unpaid, &paid], 1_100), (vec![0], vec![], 100));
        assert_eq!(planned(&[&unpaid, &paid], 1_400), (vec![0], vec![], 400));
        assert_eq!(planned(&[&unpaid, &paid], 900), (vec![0], vec![(1, 100)], 0));
        assert_eq!(planned(&[&unpaid, &unpaid, &paid], 1_100), (vec![0, 1], vec![], 100));
        assert_eq!(planned(&[&paid, &part], 500), (vec![], vec![(0, 1_000), (1, 500)], 0));
        let anew = Plan { void: vec![0, 1], credit: vec![], raise: parts(500, 0) };
        assert_eq!(plan(&[&unpaid, &unpaid], parts(500, 0), true), anew);
    }

    #[test]
    fn fee_and_filing_fee_are_followed_apart() {
        let line = |kind, minor| Line::single(String::new(), kind, minor, 0);
        let lines = vec![line(LineKind::Fee, 1_000), line(LineKind::FilingFee, 90)];
        let unpaid = billed(Invoice { lines, ..invoice(1_090) });
        let paid = billed(unpaid.invoice.paid(1_090, false).unwrap());
        assert_eq!(paid.parts, parts(1_000, 90));
        let of = |void: &[usize], credit: &[(usize, Parts)], raise| Plan {
            void: void.to_vec(),
            credit: credit.to_vec(),
            raise,
        };
        assert_eq!(plan(&[&paid], parts(1_000, 90), false), Plan::default());
        assert_eq!(plan(&[&paid], parts(1_000, 190), false), of(&[], &[], parts(0, 100)));
        assert_eq!(plan(&[&paid], parts(1_000, 40), false), of(&[], &[(0, parts(0, 50))], parts(0, 0)));
        // The sum stays.
        assert_eq!(plan(&[&paid], parts(900, 190), false), of(&[], &[(0, parts(100, 0))], parts(0, 100)));
        assert_eq!(plan(&[&unpaid], parts(900, 190), false), of(&[0], &[], parts(900, 190)));
        // An unpaid invoice over our fee alone stays when the filing fee gets lower.
        let further = billed(invoice(200));
        assert_eq!(plan(&[&further, &paid], parts(1_200, 40), false), of(&[], &[(1, parts(0, 50))], parts(0, 0)));
        // A credit note has taken back 50 of the filing fee.
        let credited = Billed::new(paid.invoice.credited(50).unwrap(), 50);
        assert_eq!(credited.parts, parts(1_000, 40));
    }
}

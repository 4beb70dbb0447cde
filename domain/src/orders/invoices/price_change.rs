//! Invoices after a correction of their order's price or client: what they bill adds up to the price again.
//!
//! - An invoice on which nothing is paid is voided and raised anew under the next number, the newest first.
//! - A paid or part-paid invoice is never changed: a lower price credits the difference, a higher one is billed by a further
//!   invoice.
//! - An order whose price was never invoiced here, as an imported one, has no invoices afterwards either.
use super::{Invoice, InvoiceableOrder, LineText, Status, credit_notes, insert_next, set_replaced, store, void_within};
use crate::kernel::{ctx::Ctx, db::Tx, error::Result, i18n, money::Currency};
use serde_json::Map;

/// A change of an order's invoices that follows from its corrected price. Amounts are minor units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvoiceChange {
    Voided {
        invoice: String,
        minor: i64,
        currency: Currency,
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

/// What is to be done with an order's invoices. Indexes of the invoices that bill something.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    void: Vec<usize>,
    credit: Vec<(usize, i64)>,
    /// The amount of the new invoice; 0 for none.
    raise_minor: i64,
}

/// Plans the changes after which these invoices, newest first, bill `price_minor`. `anew` voids all, as none is paid.
fn plan(invoices: &[&Invoice], price_minor: i64, anew: bool) -> Plan {
    let mut plan = Plan::default();
    let mut missing = price_minor - invoices.iter().map(|invoice| invoice.billed_minor()).sum::<i64>();
    if missing == 0 && !anew {
        return plan;
    }
    for (n, invoice) in invoices.iter().enumerate().filter(|(_, invoice)| invoice.status == Status::Due) {
        if missing >= 0 && !plan.void.is_empty() && !anew {
            break;
        }
        plan.void.push(n);
        missing += invoice.billed_minor();
    }
    for (n, invoice) in invoices.iter().enumerate().filter(|(n, _)| !plan.void.contains(n)) {
        let minor = (-missing).clamp(0, invoice.billed_minor());
        if minor > 0 {
            plan.credit.push((n, minor));
            missing += minor;
        }
    }
    plan.raise_minor = missing.max(0);
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
    let all = store::lock_of_order(tx, order.spv_id).await?;
    if all.is_empty() && former.minor > 0 {
        return Ok(Vec::new());
    }
    let currency = order.dimensions.currency;
    let billing: Vec<&Invoice> = all.iter().filter(|invoice| invoice.status != Status::Void).collect();
    let plan = plan(&billing, order.price_minor, former.billed_anew);
    let language = store::bill_to(tx, order.client_id).await?.language;
    let mut changes = Vec::new();
    let mut replaced: Option<Invoice> = None;
    for n in &plan.void {
        let former = billing[*n];
        let (language, reason) = if former.client_id == order.client_id {
            (language.clone(), "void_reason.price_corrected")
        } else {
            (store::bill_to(tx, former.client_id).await?.language, "void_reason.client_corrected")
        };
        let reason = i18n::text(&language, "names", reason, &Map::new());
        let void = void_within(tx, ctx, former, reason).await?;
        let (invoice, minor, currency) = (void.name(), void.total_minor, void.currency);
        changes.push(InvoiceChange::Voided { invoice, minor, currency });
        replaced.get_or_insert(void);
    }
    for (n, minor) in &plan.credit {
        let before = billing[*n].credit_minor();
        let (note, invoice) = credit_notes::issue(tx, ctx, billing[*n], *minor, &language).await?;
        let name = invoice.name();
        let credit_minor = invoice.credit_minor() - before;
        changes.push(InvoiceChange::Credited {
            credit_note: note.name(),
            invoice: name.clone(),
            minor: *minor,
            currency,
        });
        if credit_minor > 0 {
            changes.push(InvoiceChange::ClientCredit { invoice: name, minor: credit_minor, currency });
        }
    }
    if plan.raise_minor > 0 {
        let beside = billing.len() > plan.void.len();
        if billing.is_empty() {
            replaced = all.iter().find(|invoice| invoice.replaced_by_id.is_none()).cloned();
        }
        let text = if beside { LineText::Difference } else { LineText::Formation };
        let raised = insert_next(tx, ctx, InvoiceableOrder { price_minor: plan.raise_minor, ..order }, text).await?;
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
    use crate::orders::invoices::model::tests::invoice;

    #[test]
    fn unpaid_is_raised_anew_and_paid_is_credited_or_followed_by_a_further_invoice() {
        let unpaid = invoice(250);
        let paid = invoice(1_000).paid(1_000, false).unwrap();
        let part = invoice(1_000).paid(1, false).unwrap();
        let planned = |invoices: &[&Invoice], price| {
            let Plan { void, credit, raise_minor } = plan(invoices, price, false);
            (void, credit, raise_minor)
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
        assert_eq!(plan(&[&unpaid, &unpaid], 500, true), Plan { void: vec![0, 1], credit: vec![], raise_minor: 500 });
    }
}

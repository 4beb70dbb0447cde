//! Raising a void invoice again under the next number.
use super::{
    Bill, Detail, Invoice, InvoiceableOrder, LineText, Status, get, insert_bill, insert_next, lock,
    price_change::{Parts, lock_billed},
    set_replaced,
};
use crate::{
    kernel::{
        access::Action,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::InvoiceId,
    },
    orders::spvs::{self, Spv},
    platform::settings,
};

/// Raises a void invoice again: a manual one with its lines, another for as much of it as the order's other invoices leave of
/// its price. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `invoice_not_void`, `invoice_raised_again`, `order_invoiced` when the invoices bill the price
/// already, `invoice_of_former_client` of a manual one, `wrong_status` of a cancelled order; stale.
#[tracing::instrument(level = "debug", name = "invoices.raise", skip_all, fields(invoice_id = %id))]
pub async fn raise(ctx: &Ctx, id: InvoiceId, version: Option<i64>) -> Result<Detail> {
    let spv_id = get(ctx, id).await?.invoice.spv_id;
    let raised = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(InvoiceId(id));
            }
            spvs::lock(tx, spv_id).await?;
            let void = lock(tx, ctx, id, version, Action::Update).await?;
            let raised = raise_within(tx, ctx, &void).await?;
            idempotency::store(tx, ctx, raised.id.0).await?;
            Ok(raised.id)
        }
        .scope_boxed()
    });
    get(ctx, raised.await?).await
}

async fn raise_within(tx: &mut Tx, ctx: &Ctx, void: &Invoice) -> Result<Invoice> {
    void.check_raise()?;
    let (spv, _) = spvs::find_with_steps(tx, void.spv_id).await?.ok_or(Error::NotFound("spv"))?;
    if spv.status == spvs::Status::Cancelled {
        return Err(Error::wrong_status(spv.status));
    }
    if void.manual {
        if void.client_id != spv.client_id {
            return Err(Error::Conflict(Problem::new("invoice_of_former_client").with("client", void.client_name())));
        }
        return raise_manual(tx, ctx, void, &spv).await;
    }
    let identifier = spv.identifier();
    let order = InvoiceableOrder::of(&spv, &identifier);
    let others = lock_billed(tx, spv.id).await?;
    let missing = others.iter().fold(Parts::of_order(&order), |missing, other| missing - other.parts);
    if missing.total() <= 0 {
        return Err(Error::Conflict(Problem::new("order_invoiced").with("name", order.identifier)));
    }
    let is_same_currency = void.currency == spv.currency;
    let price_minor = if is_same_currency { missing.total().min(void.total_minor) } else { missing.total() };
    let filing_fee_minor = missing.filing_fee.clamp(0, price_minor);
    let is_first = others.iter().all(|other| other.invoice.status == Status::Void);
    let text = if is_first { LineText::Formation } else { LineText::Difference };
    let order = InvoiceableOrder { price_minor, filing_fee_minor, ..order };
    let raised = insert_next(tx, ctx, order, text).await?;
    set_replaced(tx, ctx, void, &raised).await?;
    Ok(raised)
}

/// A manual invoice with the lines and taxes of the void one.
async fn raise_manual(tx: &mut Tx, ctx: &Ctx, void: &Invoice, spv: &Spv) -> Result<Invoice> {
    let office = settings::within(tx).await?;
    let bill = Bill {
        currency: void.currency,
        manual: true,
        lines: void.lines.clone(),
        tax: void.tax_terms(),
        due_date: office.billing.due_date(office.day(ctx.now())),
        installments: Vec::new(),
        terms: void.terms.clone(),
        import: None,
    };
    let identifier = spv.identifier();
    let raised = insert_bill(tx, ctx, InvoiceableOrder::of(spv, &identifier), bill).await?;
    set_replaced(tx, ctx, void, &raised).await?;
    Ok(raised)
}

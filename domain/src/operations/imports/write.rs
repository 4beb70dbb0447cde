//! Writes of an import, in one transaction for a batch of rows.
use super::{Import, PendingRow, clients, companies, isos, label, orders, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::InvoiceId,
    },
    orders::invoices::{
        ReceivedPayment,
        imported::{self, ImportedInvoice},
    },
};
use uuid::Uuid;

/// What a row writes.
pub(super) enum Write {
    NewClient(clients::NewClient),
    UpdateClient(clients::UpdateClient),
    NewCompany(companies::NewCompany),
    UpdateCompany(companies::UpdateCompany),
    NewIso(isos::NewIso),
    UpdateIso(isos::UpdateIso),
    NewOrder(Box<orders::NewImportedOrder>),
    CorrectOrder(orders::CorrectOrder),
    NewInvoice(Box<ImportedInvoice>),
    NewPayment(InvoiceId, ReceivedPayment),
}

impl Write {
    /// Writes the row and returns the id of a new one.
    ///
    /// # Errors
    /// Those of the use case.
    async fn apply(&self, tx: &mut Tx, ctx: &Ctx) -> Result<Option<Uuid>> {
        match self {
            Self::NewClient(new) => new.insert(tx, ctx).await.map(Some),
            Self::UpdateClient(update) => update.apply(tx, ctx).await.map(|()| None),
            Self::NewCompany(new) => new.insert(tx, ctx).await.map(Some),
            Self::UpdateCompany(update) => update.apply(tx, ctx).await.map(|()| None),
            Self::NewIso(new) => new.insert(tx, ctx).await.map(Some),
            Self::UpdateIso(update) => update.apply(tx, ctx).await.map(|()| None),
            Self::NewOrder(new) => new.insert(tx, ctx).await.map(Some),
            Self::CorrectOrder(update) => update.apply(tx, ctx).await.map(|()| None),
            Self::NewInvoice(new) => imported::insert(tx, ctx, new).await.map(|id| Some(id.0)),
            Self::NewPayment(invoice, new) => {
                imported::insert_payment(tx, ctx, *invoice, new).await.map(|id| Some(id.0))
            }
        }
    }
}

/// Locks what the rows of a batch change, in the order of the other writers.
async fn lock_rows(tx: &mut Tx, rows: &[PendingRow]) -> Result<()> {
    let orders = rows.iter().filter_map(|row| match &row.write {
        Write::NewInvoice(new) => Some(new.spv_id),
        _ => None,
    });
    let invoices = rows.iter().filter_map(|row| match &row.write {
        Write::NewPayment(invoice, _) => Some(*invoice),
        _ => None,
    });
    imported::lock_all(tx, orders.collect(), invoices.collect()).await
}

/// Writes all rows in one transaction, which a dry run rolls back. New rows are recorded, so that the import can be undone.
///
/// # Errors
/// That of the first row that is refused; nothing is stored then.
pub(super) async fn write_batch(import: &Import, rows: &[PendingRow]) -> Result<()> {
    const DRY_RUN: &str = "dry_run";
    let ctx = &import.ctx;
    let done = ctx.transaction(|tx| {
        async move {
            let mut created = 0;
            lock_rows(tx, rows).await?;
            for row in rows {
                let Some(id) = row.write.apply(tx, ctx).await? else { continue };
                if created == 0 {
                    store::record(tx, ctx, import.id, import.kind, &import.file_name).await?;
                }
                created += 1;
                let label = label(import.kind, &row.row);
                store::record_row(tx, ctx, (import.id, import.kind), id, row.line, &label).await?;
            }
            store::count_created(tx, import.id, created).await?;
            if import.options.dry_run { Err(Error::conflict(DRY_RUN)) } else { Ok(()) }
        }
        .scope_boxed()
    });
    match done.await {
        Err(Error::Conflict(problem)) if problem.code == DRY_RUN => Ok(()),
        done => done,
    }
}

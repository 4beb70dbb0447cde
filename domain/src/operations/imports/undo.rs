//! Undo of an import: removes the rows that it created, unless they were changed or used since.
use super::{
    BATCH_ROWS, Kind, check_access,
    store::{self, CreatedRow, ImportRecord},
};
use crate::{
    accounts::users::{self, User},
    directory::{companies, isos},
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, ImportId, InvoiceId, IsoId, PaymentId, SpvId, UserId},
    },
    orders::{invoices::imported, spvs},
    platform::activity::{self, Event},
};

/// Outcome of an undo.
#[derive(Debug)]
pub struct UndoOutcome {
    pub import: ImportRecord,
    /// Rows that were removed.
    pub removed: u64,
    /// Rows that stay, by line.
    pub kept: Vec<KeptRow>,
}

/// A row that an undo leaves, and why.
#[derive(Debug)]
pub struct KeptRow {
    pub line: i64,
    pub label: String,
    pub reason: Error,
}

/// The newest imports that created rows. Who may import.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "imports.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<ImportRecord>> {
    check_access(ctx)?;
    store::list(&mut ctx.db()).await
}

/// Removes the rows that an import created within the last 24 hours. Rows that were changed since or that others refer to
/// stay; values that an import has updated stay, too. Who may import.
///
/// # Errors
/// Forbidden; NotFound; Conflict `undo_expired`.
#[tracing::instrument(level = "debug", name = "imports.undo", skip_all, fields(import_id = %id))]
pub async fn undo(ctx: &Ctx, id: ImportId) -> Result<UndoOutcome> {
    check_access(ctx)?;
    // A batch takes longer than a request may.
    let ctx = &ctx.background();
    let import = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("import"))?;
    if ctx.now() > import.undo_until() {
        return Err(Error::conflict("undo_expired"));
    }
    let rows = store::created_rows(&mut ctx.db(), id).await?;
    let mut outcome = UndoOutcome { import, removed: 0, kept: Vec::new() };
    let stopped = remove_all(ctx, &rows, &mut outcome).await;
    // What was removed before an error is logged, too.
    log(ctx, &outcome).await?;
    stopped?;
    outcome.kept.sort_by_key(|row| row.line);
    outcome.import = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("import"))?;
    Ok(outcome)
}

/// Removes the rows batch by batch; those of a batch with a row that stays one by one.
async fn remove_all(ctx: &Ctx, rows: &[CreatedRow], outcome: &mut UndoOutcome) -> Result<()> {
    for batch in rows.chunks(BATCH_ROWS) {
        match remove(ctx, &outcome.import, batch).await {
            Ok(()) => {
                outcome.removed += batch.len() as u64;
                continue;
            }
            Err(error) => reason(error)?,
        };
        for row in batch {
            match remove(ctx, &outcome.import, std::slice::from_ref(row)).await {
                Ok(()) => outcome.removed += 1,
                Err(error) => {
                    let (line, label) = (row.line, row.label.clone());
                    outcome.kept.push(KeptRow { line, label, reason: reason(error)? });
                }
            }
        }
    }
    Ok(())
}

/// Deletes the names of rows that can no longer be removed. The clean-up job.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "imports.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    ctx.transaction(|tx| store::delete_expired_rows(tx, ctx.now()).scope_boxed()).await
}

/// Removes the rows in one transaction.
async fn remove(ctx: &Ctx, import: &ImportRecord, rows: &[CreatedRow]) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            store::lock(tx, import.id).await?;
            for row in rows {
                remove_row(tx, ctx, import.kind, row).await?;
                store::mark_removed(tx, import.id, row, ctx.now()).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

async fn remove_row(tx: &mut Tx, ctx: &Ctx, kind: Kind, row: &CreatedRow) -> Result<()> {
    let (id, version) = (row.subject_id, row.version);
    // A version does not tell everything: steps, notes, members and settings have rows of their own.
    let order = (kind == Kind::Spvs).then_some(SpvId(id));
    if activity::has_later(tx, id, order, row.created_at).await? {
        return Err(Error::conflict("changed_since_import"));
    }
    match kind {
        Kind::Companies => companies::delete_within(tx, ctx, CompanyId(id), Some(version)).await,
        Kind::Isos => isos::remove_imported(tx, ctx, IsoId(id), version).await,
        Kind::Spvs => spvs::remove_imported(tx, ctx, SpvId(id), version).await,
        // What changes them is in the activity log, or refers to them.
        Kind::Invoices => imported::remove(tx, ctx, InvoiceId(id)).await,
        Kind::Payments => imported::remove_payment(tx, ctx, PaymentId(id)).await,
        Kind::Clients => {
            let User { first_name, last_name, company_id, iso_id, .. } =
                users::remove_imported(tx, UserId(id), version).await?;
            let event = Event::new("client.removed", "client", id, format!("{first_name} {last_name}"));
            activity::append(tx, ctx, event.of(Some(UserId(id)), company_id, iso_id)).await
        }
    }
}

/// Why a row stays.
fn reason(error: Error) -> Result<Error> {
    match error {
        Error::Conflict(problem) if problem.code == "stale" => Ok(Error::conflict("changed_since_import")),
        Error::Conflict(_) | Error::Forbidden(_) => Ok(error),
        Error::NotFound(_) => Ok(Error::conflict("removed_since_import")),
        error if error.is_foreign_key_violation() => Ok(Error::conflict("used_since_import")),
        error => Err(error),
    }
}

async fn log(ctx: &Ctx, UndoOutcome { import, removed, kept }: &UndoOutcome) -> Result<()> {
    let event = &Event::new("import.undone", "import", import.id.0, import.kind.name())
        .with("removed", *removed)
        .with("kept", kept.len());
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
}

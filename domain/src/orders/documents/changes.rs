//! Changes of a document beside its content: renamed, moved to another order, deleted and restored.
use super::{Detail, event, index, model::Document, resource, store, uploads};
use crate::{
    kernel::{
        access::Action,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{DocumentId, SpvId},
        search,
        validate::{LINE, Validator},
    },
    orders::spvs,
    platform::activity,
};
use chrono::{DateTime, Duration, Utc};
use serde_json::json;

/// How long a deleted document can be restored. Its content is deleted afterwards.
pub const RESTORABLE: Duration = Duration::days(30);

/// How many deleted documents one run of [`clean_up`] removes.
const CLEANUP_BATCH: i64 = 500;

/// A field left out stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub name: Option<String>,
    /// Another order of the same client; None: the client without an order.
    pub spv_id: Option<Option<SpvId>>,
}

/// Renames a document or moves it to another order of its client, or to the client. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, `other_client` for an order of another client; Conflict `stale`, and
/// `document_in_use` for moving one that answers a request for a document or proves a payment.
#[tracing::instrument(level = "debug", name = "documents.update", skip_all, fields(document_id = %id))]
pub async fn update(ctx: &Ctx, id: DocumentId, seen: Option<i64>, change: Change) -> Result<Detail> {
    let change = &change;
    ctx.transaction(|tx| update_within(tx, ctx, id, seen, change).scope_boxed()).await?;
    super::get(ctx, id).await
}

async fn update_within(tx: &mut Tx, ctx: &Ctx, id: DocumentId, seen: Option<i64>, change: &Change) -> Result<()> {
    // Lock order: the order before the document.
    if let Some(Some(to)) = change.spv_id {
        spvs::lock(tx, to).await?;
    }
    let before = lock_for(tx, ctx, id, seen, Action::Update).await?;
    let mut check = Validator::new();
    let name = match &change.name {
        Some(name) => check.single_line("name", name, LINE),
        None => before.name.clone(),
    };
    check.finish()?;
    let spv_id = change.spv_id.unwrap_or(before.spv_id);
    if spv_id != before.spv_id {
        check_move(tx, &before, spv_id).await?;
    } else if name == before.name {
        return Ok(());
    }
    store::save(tx, ctx, id, &name, spv_id).await?;
    let after = store::get(tx, id).await?.ok_or(Error::NotFound("document"))?;
    index(tx, &after).await?;
    if after.name != before.name {
        let renamed =
            event("document.renamed", &after).with("from", before.name.clone()).with("to", after.name.clone());
        activity::append(tx, ctx, renamed).await?;
    }
    if after.spv_id != before.spv_id {
        let moved =
            event("document.moved", &after).with("from", before.spv_identifier()).with("to", after.spv_identifier());
        activity::append(tx, ctx, moved).await?;
    }
    Ok(())
}

/// Checks that a document may be moved to this order.
async fn check_move(tx: &mut Tx, document: &Document, to: Option<SpvId>) -> Result<()> {
    if let Some(to) = to {
        let found = spvs::find_with_steps(tx, to).await?;
        let (spv, _) = found.ok_or_else(|| Error::field("spv_id", "not_found"))?;
        if spv.client_id != document.client_id {
            return Err(Error::field("spv_id", "other_client"));
        }
    }
    let uses = store::uses(tx, document.id).await?;
    if uses.requests > 0 || uses.invoices > 0 { Err(in_use(document)) } else { Ok(()) }
}

fn in_use(document: &Document) -> Error {
    Error::Conflict(Problem::new("document_in_use").with("name", document.name.clone()))
}

/// Deletes a document: it is in no list, and its content cannot be opened. The staff restore it within [`RESTORABLE`]; the
/// activity log keeps its name and the hashes of its versions. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, and `document_in_use` for one that is attached to a message, request or invoice or
/// answers a request for a document.
#[tracing::instrument(level = "debug", name = "documents.delete", skip_all, fields(document_id = %id))]
pub async fn delete(ctx: &Ctx, id: DocumentId, seen: Option<i64>) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            let document = lock_for(tx, ctx, id, seen, Action::Delete).await?;
            if store::uses(tx, id).await?.any() {
                return Err(in_use(&document));
            }
            store::save_deletion(tx, ctx, id, Some(ctx.now())).await?;
            search::remove(tx, id.0).await?;
            uploads::end_of_document(tx, id).await?;
            let versions = store::versions(tx, id).await?;
            let versions: Vec<_> =
                versions.iter().map(|v| json!({ "file_name": v.file_name, "sha256": v.sha256 })).collect();
            activity::append(tx, ctx, event("document.deleted", &document).with("versions", versions)).await
        }
        .scope_boxed()
    })
    .await?;
    super::get(ctx, id).await
}

/// Restores a deleted document, to its order as far as that is still its client's. Staff.
///
/// # Errors
/// NotFound, also once [`RESTORABLE`] is over; Forbidden; Conflict `stale`, `not_deleted`.
#[tracing::instrument(level = "debug", name = "documents.undelete", skip_all, fields(document_id = %id))]
pub async fn undelete(ctx: &Ctx, id: DocumentId, seen: Option<i64>) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            // Lock order: the order before the document.
            if let Some(spv) = store::find(tx, id).await?.and_then(|document| document.spv_id) {
                spvs::lock(tx, spv).await?;
            }
            store::lock(tx, id).await?;
            let document = store::find(tx, id).await?.ok_or(Error::NotFound("document"))?;
            ctx.may(Action::Delete, resource(&document))?;
            fresh(seen, document.version, &document.updated_by, document.updated_at)?;
            let deleted_at = document.deleted_at.ok_or_else(|| Error::conflict("not_deleted"))?;
            if deleted_at <= oldest_restorable(ctx) {
                return Err(Error::NotFound("document"));
            }
            store::save_deletion(tx, ctx, id, None).await?;
            if document.spv_client_id.is_some_and(|client| client != document.client_id) {
                store::save(tx, ctx, id, &document.name, None).await?;
            }
            let document = store::get(tx, id).await?.ok_or(Error::NotFound("document"))?;
            index(tx, &document).await?;
            activity::append(tx, ctx, event("document.undeleted", &document)).await
        }
        .scope_boxed()
    })
    .await?;
    super::get(ctx, id).await
}

/// Deletes contents and rows of documents that can no longer be restored, after [`super::uploads::clean_up`], as rows of
/// uploads refer to them; returns the number of documents. A scheduled job.
///
/// # Errors
/// The first error of the storage, after everything else was deleted.
#[tracing::instrument(level = "debug", name = "documents.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<usize> {
    let cutoff = oldest_restorable(ctx);
    let (mut removed, mut first_error) = (0, None);
    for id in store::deleted_before(&mut ctx.db(), cutoff, CLEANUP_BATCH).await? {
        match remove(ctx, id, cutoff).await {
            Ok(gone) => removed += usize::from(gone),
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    first_error.map_or(Ok(removed), Err)
}

/// Deletes the contents and then the rows of a document, which stay for the next run where the storage fails. False for one
/// that was restored meanwhile.
async fn remove(ctx: &Ctx, id: DocumentId, cutoff: DateTime<Utc>) -> Result<bool> {
    // From here on no clock allows to restore it.
    if !ctx.transaction(|tx| store::seal(tx, id, cutoff).scope_boxed()).await? {
        return Ok(false);
    }
    for key in store::storage_keys(&mut ctx.db(), id).await? {
        ctx.options.storage.delete(&key).await?;
    }
    ctx.transaction(|tx| store::remove(tx, id).scope_boxed()).await?;
    Ok(true)
}

fn oldest_restorable(ctx: &Ctx) -> DateTime<Utc> {
    ctx.now() - RESTORABLE
}

/// Locks a document for a change by the actor; refuses a stale version.
async fn lock_for(tx: &mut Tx, ctx: &Ctx, id: DocumentId, seen: Option<i64>, action: Action) -> Result<Document> {
    let document = store::lock(tx, id).await?.ok_or(Error::NotFound("document"))?;
    ctx.may(action, resource(&document))?;
    fresh(seen, document.version, &document.updated_by, document.updated_at)?;
    Ok(document)
}

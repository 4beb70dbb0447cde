//! SQL of corrections: what an order shares with its client, and its steps.
use crate::kernel::{
    ctx::Ctx,
    db::{Sql, Tx},
    error::Result,
    ids::{SpvId, UserId},
};

/// How much of an order its client has sent or was sent, which must not reach another client.
#[derive(Debug, sqlx::FromRow)]
pub struct Shared {
    /// Documents and unfinished uploads.
    pub documents: i64,
    /// Messages, without internal notes.
    pub messages: i64,
}

pub async fn shared_with_client(tx: &mut Tx, spv: SpvId) -> Result<Shared> {
    tx.sql(
        "select (select count(*) from documents where spv_id = $1 and deleted_at is null) \
         + (select count(*) from uploads where spv_id = $1 and version_id is null) as documents, \
         (select count(*) from messages m join threads t on t.id = m.thread_id where t.spv_id = $1 and not m.internal) \
         as messages",
    )
    .bind(spv)
    .one()
    .await
}

/// Moves the order's requests for documents, and its internal notes, to another client, who is reminded anew.
pub async fn move_to_client(tx: &mut Tx, ctx: &Ctx, spv: SpvId, client: UserId) -> Result<()> {
    tx.sql(
        "update document_requests set client_id = $2, updated_at = $3, updated_by = $4, version = version + 1, \
         warned_date = null, reminded_date = null where spv_id = $1",
    )
    .bind(spv)
    .bind(client)
    .bind(ctx.now())
    .bind(ctx.actor_name())
    .run()
    .await?;
    tx.sql("update threads set client_id = $2 where spv_id = $1").bind(spv).bind(client).run().await?;
    Ok(())
}

/// Whether a document was or is being uploaded for a request of one of the order's steps.
pub async fn has_documents_of_steps(tx: &mut Tx, spv: SpvId) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from document_requests r where r.spv_id = $1 and r.step_id is not null \
         and (exists (select 1 from documents d where d.request_id = r.id) \
         or exists (select 1 from uploads u where u.request_id = r.id)))",
    )
    .bind(spv)
    .scalar()
    .await
}

/// Deletes an order's steps with their dependencies and requests for documents.
///
/// # Errors
/// A foreign key violation if a document was uploaded for one of the requests.
pub async fn remove_steps(tx: &mut Tx, spv: SpvId) -> Result<()> {
    for sql in [
        "delete from document_requests where spv_id = $1 and step_id is not null",
        "delete from step_dependencies where spv_id = $1",
        "delete from spv_steps where spv_id = $1",
    ] {
        tx.sql(sql).bind(spv).run().await?;
    }
    Ok(())
}

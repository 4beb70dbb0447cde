//! SQL of document requests.
use super::model::DocumentRequest;
use crate::{
    db::{Sql, Tx},
    error::Result,
    ids::{DocumentRequestId, SpvId, StepId},
};

const WITH_DOCUMENT: &str =
    "select r.*, (select d.id from documents d where d.request_id = r.id) as document_id from document_requests r";

pub async fn insert(tx: &mut Tx, request: &DocumentRequest) -> Result<()> {
    tx.sql(
        "insert into document_requests (id, spv_id, client_id, step_id, name, instructions, required, due_date, status, \
         created_at, updated_at, updated_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)",
    )
    .bind(request.id)
    .bind(request.spv_id)
    .bind(request.client_id)
    .bind(request.step_id)
    .bind(request.name.clone())
    .bind(request.instructions.clone())
    .bind(request.required)
    .bind(request.due_date)
    .bind(request.status)
    .bind(request.created_at)
    .bind(request.updated_by.clone())
    .run()
    .await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, request: &DocumentRequest) -> Result<()> {
    tx.sql(
        "update document_requests set step_id = $2, name = $3, instructions = $4, required = $5, due_date = $6, \
         status = $7, reason = $8, updated_at = $9, updated_by = $10, version = $11 where id = $1",
    )
    .bind(request.id)
    .bind(request.step_id)
    .bind(request.name.clone())
    .bind(request.instructions.clone())
    .bind(request.required)
    .bind(request.due_date)
    .bind(request.status)
    .bind(request.reason.clone())
    .bind(request.updated_at)
    .bind(request.updated_by.clone())
    .bind(request.version)
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: DocumentRequestId) -> Result<Option<DocumentRequest>> {
    db.sql_built(format!("{WITH_DOCUMENT} where r.id = $1")).bind(id).optional().await
}

/// The row, kept from others until the transaction ends.
pub async fn lock(tx: &mut Tx, id: DocumentRequestId) -> Result<Option<DocumentRequest>> {
    tx.sql("update document_requests set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

/// An order's requests, in the order they were made.
pub async fn of_order(db: &mut impl Sql, spv: SpvId) -> Result<Vec<DocumentRequest>> {
    let sql = format!("{WITH_DOCUMENT} where r.spv_id = $1 order by r.created_at, r.id limit 500");
    db.sql_built(sql).bind(spv).all().await
}

/// How many required ones a step has, and how many of those are still open.
pub async fn required(tx: &mut Tx, step: StepId) -> Result<(i64, i64)> {
    tx.sql(
        "select count(*), count(*) filter (where status not in ('approved', 'waived')) from document_requests \
         where step_id = $1 and required",
    )
    .bind(step)
    .one()
    .await
}

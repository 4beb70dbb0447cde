//! SQL of document requests.
use super::model::DocumentRequest;
use crate::kernel::{
    db::{Sql, Tx, insert, placeholders},
    error::Result,
    ids::{DocumentRequestId, SpvId},
};
use chrono::NaiveDate;

const SELECT_WITH_DOCUMENT: &str = "select r.id, r.spv_id, r.client_id, r.step_id, r.name, r.instructions, r.required, r.due_date, r.status, \
     r.reason, r.created_at, r.updated_at, r.updated_by, r.version, \
     (select d.id from documents d where d.request_id = r.id) as document_id, \
     s.status as spv_status from document_requests r join spvs s on s.id = r.spv_id";

pub async fn insert(tx: &mut Tx, request: &DocumentRequest) -> Result<()> {
    insert!(tx, "document_requests", {
        id: request.id,
        spv_id: request.spv_id,
        client_id: request.client_id,
        step_id: request.step_id,
        name: request.name.clone(),
        instructions: request.instructions.clone(),
        required: request.required,
        due_date: request.due_date,
        status: request.status,
        created_at: request.created_at,
        updated_at: request.created_at,
        updated_by: request.updated_by.clone(),
    })
    .run()
    .await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, request: &DocumentRequest) -> Result<()> {
    tx.sql(
        "update document_requests set step_id = $2, name = $3, instructions = $4, required = $5, due_date = $6, \
         status = $7, reason = $8, updated_at = $9, updated_by = $10, version = $11, \
         warned_date = case when due_date = $6 then warned_date end, \
         reminded_date = case when due_date = $6 then reminded_date end where id = $1",
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
    db.sql_built(format!("{SELECT_WITH_DOCUMENT} where r.id = $1")).bind(id).optional().await
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: DocumentRequestId) -> Result<Option<DocumentRequest>> {
    tx.sql("update document_requests set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

/// An order's requests, oldest first.
pub async fn of_order(db: &mut impl Sql, spv: SpvId) -> Result<Vec<DocumentRequest>> {
    let sql = format!("{SELECT_WITH_DOCUMENT} where r.spv_id = $1 order by r.created_at, r.id limit 500");
    db.sql_built(sql).bind(spv).all().await
}

/// Open requests that are due between two days, of clients in one of `zones`, without the reminder of the column `mark`.
pub async fn due(
    tx: &mut Tx,
    (from, until): (NaiveDate, NaiveDate),
    mark: &'static str,
    zones: &[String],
    limit: i64,
) -> Result<Vec<DocumentRequest>> {
    let sql = format!(
        "{SELECT_WITH_DOCUMENT} join users c on c.id = r.client_id where r.status in ('requested', 'needs_revision') and r.due_date >= $1 and r.due_date <= $2 \
         and r.{mark} is null and s.status in ('pending', 'active', 'processing') and c.time_zone in ({}) \
         order by r.due_date, r.id limit {limit}",
        placeholders(3, zones.len())
    );
    let query = tx.sql_built(sql).bind(from).bind(until);
    zones.iter().fold(query, |query, zone| query.bind(zone.clone())).all().await
}

/// Marks a reminder as sent; false where the request has changed since it was read, or another process sent it.
pub async fn mark_reminded(
    tx: &mut Tx,
    request: &DocumentRequest,
    mark: &'static str,
    today: NaiveDate,
) -> Result<bool> {
    let sql = format!("update document_requests set {mark} = $2 where id = $1 and {mark} is null and version = $3");
    Ok(tx.sql_built(sql).bind(request.id).bind(today).bind(request.version).run().await? == 1)
}

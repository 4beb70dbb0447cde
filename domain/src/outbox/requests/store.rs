//! SQL of request rows.
use super::{
    model::{Kind, LinkedEntity, Request, Status},
    rollup,
};
use crate::kernel::{
    db::{Json, Sql, Tx},
    email,
    error::Result,
    ids::{IsoId, RequestId},
};
use std::fmt::Write;

/// Selects a [`Request`]; without the identifier of an order that is another client's by now. Rows written by a release without the desk have no due time and no last change.
pub const SELECT_WITH_NAMES: &str = "select r.id, r.kind, r.status, r.priority, r.user_id, r.name, r.email, r.message, r.data, \
    r.assignee_id, r.created_at, coalesce(r.due_at, r.created_at) as due_at, r.language, r.spv_id, r.made_kind, \
    r.made_id, r.reason, r.decided_at, r.decided_by, coalesce(r.updated_at, r.created_at) as updated_at, \
    coalesce(r.updated_by, r.name) as updated_by, r.version, r.lead_id, r.call_id, \
    case when r.kind <> 'order' or s.client_id = r.user_id then s.custom_identifier end as spv_custom_identifier, \
    (select a.first_name || ' ' || a.last_name from users a where a.id = r.assignee_id) as assignee_name \
    from requests r left join spvs s on s.id = r.spv_id";

const COLUMNS: [&str; 26] = [
    "id",
    "kind",
    "status",
    "priority",
    "user_id",
    "name",
    "email",
    "message",
    "data",
    "address",
    "assignee_id",
    "created_at",
    "due_at",
    "language",
    "spv_id",
    "made_kind",
    "made_id",
    "reason",
    "decided_at",
    "decided_by",
    "updated_at",
    "updated_by",
    "version",
    "lead_id",
    "call_id",
    "email_key",
];

/// Rows in one statement: SQLite binds up to 32,766 values, PostgreSQL 65,535.
const ROWS_PER_STATEMENT: usize = 500;

/// Inserts rows, [`ROWS_PER_STATEMENT`] in one statement. `address` is the client IP they came from.
pub async fn insert(tx: &mut Tx, requests: &[Request], address: Option<&str>) -> Result<()> {
    for some in requests.chunks(ROWS_PER_STATEMENT) {
        let width = COLUMNS.len();
        let mut sql = format!("insert into requests ({}) values ", COLUMNS.join(", "));
        for row in 0..some.len() {
            let values: Vec<String> = (1..=width).map(|n| format!("${}", row * width + n)).collect();
            let _ = write!(sql, "{}({})", if row == 0 { "" } else { ", " }, values.join(", "));
        }
        let mut query = tx.sql_built(sql);
        for request in some {
            query = query
                .bind(request.id)
                .bind(request.kind)
                .bind(request.status)
                .bind(request.priority)
                .bind(request.user_id)
                .bind(request.name.clone())
                .bind(request.email.clone())
                .bind(request.message.clone())
                .bind(Json(request.data.clone()))
                .bind(address.map(str::to_owned))
                .bind(request.assignee_id)
                .bind(request.created_at)
                .bind(request.due_at)
                .bind(request.language.clone())
                .bind(request.spv_id)
                .bind(request.made_kind)
                .bind(request.made_id)
                .bind(request.reason.clone())
                .bind(request.decided_at)
                .bind(request.decided_by.clone())
                .bind(request.updated_at)
                .bind(request.updated_by.clone())
                .bind(request.version)
                .bind(request.lead_id)
                .bind(request.call_id)
                .bind(email::key(&request.email));
        }
        query.run().await?;
        for request in some {
            rollup::count_change(tx, None, Some(request.status));
        }
    }
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: RequestId) -> Result<Option<Request>> {
    db.sql_built(format!("{SELECT_WITH_NAMES} where r.id = $1")).bind(id).optional().await
}

/// Reads the row and locks it until the transaction ends.
pub async fn lock(tx: &mut Tx, id: RequestId) -> Result<Option<Request>> {
    tx.sql("update requests set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

/// Reads the request that is linked to a lead or a call, and locks it until the transaction ends.
pub async fn lock_linked(tx: &mut Tx, entity: LinkedEntity) -> Result<Option<Request>> {
    let (column, id) = match entity {
        LinkedEntity::Lead(id) => ("lead_id", id.0),
        LinkedEntity::Call(id) => ("call_id", id.0),
    };
    tx.sql_built(format!("update requests set version = version where {column} = $1")).bind(id).run().await?;
    tx.sql_built(format!("{SELECT_WITH_NAMES} where r.{column} = $1")).bind(id).optional().await
}

/// Saves name, email and message, after a change of the linked lead. Its row is locked.
pub async fn update_text(tx: &mut Tx, request: &Request) -> Result<()> {
    tx.sql(
        "update requests set name = $2, email = $3, message = $4, updated_at = $5, updated_by = $6, version = $7, \
         email_key = $8 where id = $1",
    )
    .bind(request.id)
    .bind(request.name.clone())
    .bind(request.email.clone())
    .bind(request.message.clone())
    .bind(request.updated_at)
    .bind(request.updated_by.clone())
    .bind(request.version)
    .bind(email::key(&request.email))
    .run()
    .await?;
    Ok(())
}

/// Saves status, decision, priority and assignee, and the counts by status. Its row is locked.
pub async fn save(tx: &mut Tx, request: &Request) -> Result<()> {
    let before: (Status,) = tx.sql("select status from requests where id = $1").bind(request.id).one().await?;
    rollup::count_change(tx, Some(before.0), Some(request.status));
    tx.sql(
        "update requests set status = $2, spv_id = $3, reason = $4, decided_at = $5, decided_by = $6, version = $7, \
         priority = $8, due_at = $9, assignee_id = $10, made_kind = $11, made_id = $12, updated_at = $13, \
         updated_by = $14 where id = $1",
    )
    .bind(request.id)
    .bind(request.status)
    .bind(request.spv_id)
    .bind(request.reason.clone())
    .bind(request.decided_at)
    .bind(request.decided_by.clone())
    .bind(request.version)
    .bind(request.priority)
    .bind(request.due_at)
    .bind(request.assignee_id)
    .bind(request.made_kind)
    .bind(request.made_id)
    .bind(request.updated_at)
    .bind(request.updated_by.clone())
    .run()
    .await?;
    Ok(())
}

/// Whether a request of this kind from this address is open.
pub async fn has_open(tx: &mut Tx, kind: Kind, email: &str) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from requests where kind = $1 and email_key = $2 and status in ('pending', 'in_review'))",
    )
    .bind(kind)
    .bind(email::key(email))
    .scalar()
    .await
}

/// Deletes the requests of an ISO partner's calls, with what they are found by.
pub async fn delete_of_iso(tx: &mut Tx, iso: IsoId) -> Result<()> {
    let of_calls = "select r.id from requests r join calls c on c.id = r.call_id where c.iso_id = $1";
    let index_rows = format!("delete from search_rows where kind = 'request' and subject_id in ({of_calls})");
    tx.sql_built(index_rows).bind(iso).run().await?;
    let requests = format!("delete from requests where id in ({of_calls}) returning status");
    let statuses: Vec<(Status,)> = tx.sql_built(requests).bind(iso).all().await?;
    for (status,) in statuses {
        rollup::count_change(tx, Some(status), None);
    }
    Ok(())
}

//! SQL of approvals.
use super::model::{Act, Approval, Status};
use crate::kernel::{
    ctx::DEMO_SUPER_ADMIN,
    db::{Row, Sql, Tx, const_concat, for_update, insert},
    error::Result,
    ids::{ApprovalId, UserId},
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

const SELECT: &str = const_concat!("select ", Approval::LIST, " from approvals");

pub async fn insert(tx: &mut Tx, approval: &Approval) -> Result<()> {
    insert!(tx, "approvals", approval).run().await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: ApprovalId) -> Result<Option<Approval>> {
    db.sql_built(format!("{SELECT} where id = $1")).bind(id).optional().await
}

/// [`get`] with a lock until the transaction ends.
pub async fn lock(tx: &mut Tx, id: ApprovalId) -> Result<Option<Approval>> {
    let sql = format!("{SELECT} where id = $1{}", for_update(tx.dialect(), "approvals"));
    tx.sql_built(sql).bind(id).optional().await
}

/// The one that waits for this act on this target. Without a lock: the caller holds that of the target, which an approval
/// takes last.
pub async fn pending(tx: &mut Tx, act: Act, target: &str) -> Result<Option<Approval>> {
    tx.sql_built(format!("{SELECT} where act = $1 and target = $2 and status = 'pending'"))
        .bind(act)
        .bind(target.to_owned())
        .optional()
        .await
}

/// Targets of the pending approvals of an act that have not expired: [`Approval::is_open`] in SQL.
pub async fn open_targets(db: &mut impl Sql, act: Act, now: DateTime<Utc>) -> Result<Vec<String>> {
    let rows: Vec<(String,)> = db
        .sql("select target from approvals where status = 'pending' and act = $1 and expires_at > $2")
        .bind(act)
        .bind(now)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(target,)| target).collect())
}

/// Those whose time is over.
pub async fn due(tx: &mut Tx, now: DateTime<Utc>) -> Result<Vec<ApprovalId>> {
    let rows: Vec<(ApprovalId,)> = tx
        .sql("select id from approvals where status = 'pending' and expires_at <= $1 order by requested_at, id")
        .bind(now)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// A page, newest first.
pub async fn list(
    db: &mut impl Sql,
    status: Option<Status>,
    requester: Option<UserId>,
    before: Option<(DateTime<Utc>, ApprovalId)>,
    limit: usize,
) -> Result<Vec<Approval>> {
    let mut conditions = Vec::new();
    if status.is_some() {
        conditions.push("status = $1".to_owned());
    }
    if requester.is_some() {
        conditions.push(format!("requested_by = ${}", conditions.len() + 1));
    }
    if before.is_some() {
        let n = conditions.len() + 1;
        conditions.push(format!("(requested_at, id) < (${n}, ${})", n + 1));
    }
    let all = if conditions.is_empty() { "1 = 1".to_owned() } else { conditions.join(" and ") };
    let mut query = db.sql_built(format!("{SELECT} where {all} order by requested_at desc, id desc limit {limit}"));
    if let Some(status) = status {
        query = query.bind(status);
    }
    if let Some(requester) = requester {
        query = query.bind(requester);
    }
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

pub async fn save(tx: &mut Tx, approval: &Approval) -> Result<()> {
    tx.sql(
        "update approvals set status = $2, decided_by = $3, decider = $4, decided_at = $5, reason = $6, version = $7 \
         where id = $1",
    )
    .bind(approval.id)
    .bind(approval.status)
    .bind(approval.decided_by)
    .bind(approval.decider.clone())
    .bind(approval.decided_at)
    .bind(approval.reason.clone())
    .bind(approval.version)
    .run()
    .await?;
    Ok(())
}

/// The number of active super admins but `but`. The demo's counts only in demo mode, as its password is refused elsewhere.
pub async fn count_super_admins(tx: &mut Tx, but: Option<UserId>, demo: bool, now: DateTime<Utc>) -> Result<i64> {
    tx.sql(
        "select count(*) from users where role = 'super_admin' and status = 'active' and id <> $1 \
         and (banned_until is null or banned_until <= $2) and ($3 or email <> $4)",
    )
    .bind(but.map_or(Uuid::nil(), |id| id.0))
    .bind(now)
    .bind(demo)
    .bind(DEMO_SUPER_ADMIN.to_owned())
    .scalar()
    .await
}

/// The targets of approved acts that were asked for after this time.
pub async fn approved_since(tx: &mut Tx, act: Act, since: DateTime<Utc>) -> Result<Vec<String>> {
    let rows: Vec<(String,)> = tx
        .sql("select target from approvals where status = 'approved' and act = $1 and requested_at > $2")
        .bind(act)
        .bind(since)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(target,)| target).collect())
}

/// Whether the account got its present power after this time: created, given a role, or let in again.
pub async fn became_after(tx: &mut Tx, user: UserId, since: DateTime<Utc>) -> Result<bool> {
    // Each part has an index: entries without a number are few.
    const BECOMES: &str = "subject_id = $1 and at > $2 \
        and action in ('user.created', 'user.role_changed', 'user.restored', 'user.banned', 'user.unbanned')";
    tx.sql_built(format!(
        "select exists (select 1 from activity where seq is null and {BECOMES} \
         union all select 1 from activity where seq is not null and {BECOMES})"
    ))
    .bind(user)
    .bind(since)
    .scalar()
    .await
}

/// Whether an account of the staff is active, as a super admin where `top`.
pub async fn may_ask(tx: &mut Tx, user: UserId, top: bool, now: DateTime<Utc>) -> Result<bool> {
    let roles = if top { "('super_admin')" } else { "('employee', 'super_admin')" };
    tx.sql_built(format!(
        "select exists (select 1 from users where id = $1 and role in {roles} and status = 'active' \
         and (banned_until is null or banned_until <= $2))"
    ))
    .bind(user)
    .bind(now)
    .scalar()
    .await
}

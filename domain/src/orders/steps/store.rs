//! SQL of steps.
use super::{ListedStep, Step};
use crate::{
    kernel::{
        ctx::{Ctx, check_version},
        db::{ColumnKind, ColumnSpec, Db, Row, Sql, Tx, insert, placeholders},
        error::Result,
        ids::{CompanyId, IsoId, SpvId, StepId, UserId},
    },
    orders::{steps::Party, templates::TemplateStep},
    platform::holidays::BusinessDays,
};
use chrono::NaiveDate;

/// Steps of all orders after a place, order by order.
pub async fn all(db: &mut Db, after: Option<(SpvId, i64, StepId)>, limit: usize) -> Result<Vec<ListedStep>> {
    let mut sql = format!(
        "select {} from spv_steps t join spvs s on s.id = t.spv_id join companies k on k.id = s.company_id",
        ListedStep::LIST
    );
    if after.is_some() {
        sql.push_str(" where (t.spv_id, t.step_order, t.id) > ($1, $2, $3)");
    }
    sql.push_str(&format!(" order by t.spv_id, t.step_order, t.id limit {limit}"));
    let query = db.sql_built(sql);
    match after {
        Some((spv, order, id)) => query.bind(spv).bind(order).bind(id).all().await,
        None => query.all().await,
    }
}

/// Inserts the steps of a template in one statement and their dependencies in another; returns their ids.
pub async fn copy(
    tx: &mut Tx,
    ctx: &Ctx,
    spv: SpvId,
    from: &BusinessDays,
    template: &[TemplateStep],
) -> Result<Vec<StepId>> {
    let ids: Vec<StepId> = template.iter().map(|_| StepId(ctx.random.uuid())).collect();
    if template.is_empty() {
        return Ok(ids);
    }
    let rows: Vec<String> = (0..template.len())
        .map(|n| {
            let p = 4 + n * 6;
            format!("(${}, $1, ${}, ${}, 'pending', ${}, ${}, ${}, $2, $3)", p, p + 1, p + 2, p + 3, p + 4, p + 5)
        })
        .collect();
    let mut insert = tx
        .sql_built(format!(
            "insert into spv_steps (id, spv_id, step_order, step_name, status, owner, due_date, \
             completes_with_documents, updated_at, updated_by) values {}",
            rows.join(", ")
        ))
        .bind(spv)
        .bind(ctx.now())
        .bind(ctx.actor_name());
    for (id, step) in ids.iter().zip(template) {
        insert = insert
            .bind(*id)
            .bind(step.step_order)
            .bind(step.step_name.clone())
            .bind(step.owner)
            .bind(from.after(step.business_days))
            .bind(step.completes_with_documents);
    }
    insert.run().await?;
    let mut dependencies = Vec::new();
    for (id, step) in ids.iter().zip(template) {
        let first = ids.iter().zip(template).filter(|(_, other)| step.depends_on.contains(&other.step_order));
        dependencies.extend(first.map(|(first, _)| (*id, *first)));
    }
    insert_dependencies(tx, spv, &dependencies).await?;
    Ok(ids)
}

async fn insert_dependencies(tx: &mut Tx, spv: SpvId, dependencies: &[(StepId, StepId)]) -> Result<()> {
    if dependencies.is_empty() {
        return Ok(());
    }
    let rows: Vec<String> = (0..dependencies.len()).map(|n| format!("($1, ${}, ${})", 2 + n * 2, 3 + n * 2)).collect();
    let mut insert = tx
        .sql_built(format!("insert into step_dependencies (spv_id, step_id, depends_on) values {}", rows.join(", ")))
        .bind(spv);
    for (step, first) in dependencies {
        insert = insert.bind(*step).bind(*first);
    }
    insert.run().await?;
    Ok(())
}

/// Saves the fields of a step's work.
///
/// # Errors
/// Conflict `stale` where the stored version is another one.
pub async fn save(tx: &mut Tx, step: &Step) -> Result<()> {
    let changed = tx.sql(
        "update spv_steps set status = $2, text_data = $3, document_url = $4, completed_at = $5, blocked_reason = $6, \
         waiting_on = $7, updated_at = $8, updated_by = $9, assignee_id = $11, \
         version = $10 where id = $1 and version = $12",
    )
    .bind(step.id)
    .bind(step.status)
    .bind(step.text_data.clone())
    .bind(step.document_url.clone())
    .bind(step.completed_at)
    .bind(step.blocked_reason.clone())
    .bind(step.waiting_on)
    .bind(step.updated_at)
    .bind(step.updated_by.clone())
    .bind(step.version)
    .bind(step.assignee_id)
    .bind(step.version - 1)
    .run()
    .await?;
    check_version(changed)
}

/// Saves the plan of a step. A new due date resets its reminders.
pub async fn save_plan(tx: &mut Tx, step: &Step, new_date: bool) -> Result<()> {
    let reminders = if new_date { ", due_date = $5, warned_date = null, reminded_date = null" } else { "" };
    let mut update = tx
        .sql_built(format!(
            "update spv_steps set step_name = $2, owner = $3, completes_with_documents = $4{reminders} where id = $1"
        ))
        .bind(step.id)
        .bind(step.step_name.clone())
        .bind(step.owner)
        .bind(step.completes_with_documents);
    if new_date {
        update = update.bind(step.due_date);
    }
    update.run().await?;
    Ok(())
}

/// Replaces the dependencies of a step.
pub async fn save_dependencies(tx: &mut Tx, step: &Step) -> Result<()> {
    tx.sql("delete from step_dependencies where step_id = $1").bind(step.id).run().await?;
    let dependencies: Vec<_> = step.depends_on.iter().map(|first| (step.id, *first)).collect();
    insert_dependencies(tx, step.spv_id, &dependencies).await
}

pub async fn insert(tx: &mut Tx, step: &Step) -> Result<()> {
    insert!(tx, "spv_steps", {
        id: step.id,
        spv_id: step.spv_id,
        step_order: step.step_order,
        step_name: step.step_name.clone(),
        status: step.status,
        owner: step.owner,
        due_date: step.due_date,
        completes_with_documents: step.completes_with_documents,
        updated_at: step.updated_at,
        updated_by: step.updated_by.clone(),
    })
    .run()
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: StepId) -> Result<()> {
    tx.sql("delete from spv_steps where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn save_step_order(tx: &mut Tx, id: StepId, step_order: i64) -> Result<()> {
    tx.sql("update spv_steps set step_order = $2 where id = $1").bind(id).bind(step_order).run().await?;
    Ok(())
}

/// Selects the dependencies among an order's steps; `t` is the order.
pub const SELECT_DEPENDENCIES: &str =
    "select d.step_id, d.depends_on from step_dependencies d where d.spv_id = t.id order by d.step_id, d.depends_on";

pub(crate) const DEPENDENCY_COLUMNS: &[ColumnSpec] =
    &[("step_id", "t.step_id", ColumnKind::Uuid), ("depends_on", "t.depends_on", ColumnKind::Uuid)];

/// A step to remind of, with its order.
#[derive(Debug, sqlx::FromRow)]
pub struct DueStep {
    pub id: StepId,
    pub spv_id: SpvId,
    pub step_name: String,
    pub due_date: NaiveDate,
    pub owner: Party,
    pub waiting_on: Option<Party>,
    pub assignee_id: Option<UserId>,
    pub custom_identifier: Option<String>,
    pub client_id: UserId,
    pub company_id: CompanyId,
    pub iso_id: Option<IsoId>,
}

/// A cross join, so that SQLite begins with the steps by due date and not with all open orders.
const SELECT_DUE: &str = "select t.id, t.spv_id, t.step_name, t.due_date, t.owner, t.waiting_on, t.assignee_id, \
    s.custom_identifier, s.client_id, s.company_id, s.iso_id from spv_steps t cross join spvs s cross join users c \
    where s.id = t.spv_id and c.id = s.client_id and t.completed_at is null \
    and s.status in ('pending', 'active', 'processing')";

/// Steps that are due between two days and have no reminder yet by the column `mark`, in one of `zones`: the client's
/// time zone for a step that waits for the client, otherwise the office's.
pub async fn due(
    tx: &mut Tx,
    (from, until): (NaiveDate, NaiveDate),
    mark: &'static str,
    (zones, office): (&[String], &str),
    limit: i64,
) -> Result<Vec<DueStep>> {
    let sql = format!(
        "{SELECT_DUE} and t.due_date >= $1 and t.due_date <= $2 and t.{mark} is null \
         and case when coalesce(t.waiting_on, t.owner) = 'client' then c.time_zone else $3 end in ({}) \
         order by t.due_date, t.id limit {limit}",
        placeholders(4, zones.len())
    );
    let query = tx.sql_built(sql).bind(from).bind(until).bind(office.to_owned());
    zones.iter().fold(query, |query, zone| query.bind(zone.clone())).all().await
}

/// Marks the reminder before the due date as sent; false where another process did.
pub async fn mark_warned(tx: &mut Tx, id: StepId, today: NaiveDate) -> Result<bool> {
    let sql = "update spv_steps set warned_date = $2 where id = $1 and warned_date is null";
    Ok(tx.sql(sql).bind(id).bind(today).run().await? == 1)
}

/// Marks the reminder of an overdue step as sent; false where another process did.
pub async fn mark_reminded(tx: &mut Tx, id: StepId, today: NaiveDate) -> Result<bool> {
    Ok(tx
        .sql("update spv_steps set reminded_date = $2 where id = $1 and reminded_date is null")
        .bind(id)
        .bind(today)
        .run()
        .await?
        == 1)
}

/// Active staff who chose an immediate mail about overdue steps.
pub async fn reminder_recipients(tx: &mut Tx) -> Result<Vec<UserId>> {
    let rows: Vec<(UserId,)> = tx
        .sql(
            "select u.id from users u left join notification_choices c on c.user_id = u.id and c.topic = 'reminders' \
             left join notification_event_choices o on o.user_id = u.id and o.event = 'reminders.step.overdue' \
             where u.role in ('employee', 'super_admin') and u.status = 'active' \
             and coalesce(o.mail, c.mail, 'now') = 'now'",
        )
        .all()
        .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The steps of an order that have required document requests, all of which are approved or waived.
pub async fn with_all_documents(tx: &mut Tx, spv: SpvId) -> Result<Vec<StepId>> {
    let rows: Vec<(StepId,)> = tx
        .sql(
            "select step_id from document_requests where spv_id = $1 and required and step_id is not null \
             group by step_id having count(*) filter (where status not in ('approved', 'waived')) = 0",
        )
        .bind(spv)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

//! SQL that only made-up data may use: it moves rows past the rules that people's orders go through.
use crate::{
    auth::passwords::PasswordHash,
    db::{Sql, Tx},
    error::Result,
    ids::{SpvId, UserId},
    spvs::Status,
};
use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

pub async fn open_account(tx: &mut Tx, id: UserId, hash: PasswordHash) -> Result<()> {
    tx.sql("update users set password_hash = $2, status = 'active' where id = $1").bind(id).bind(hash).run().await?;
    Ok(())
}

/// Completes the first `done` of an order's `steps` steps. Counters are the caller's to repair.
pub async fn advance(tx: &mut Tx, id: SpvId, done: i64, steps: i64, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update spv_steps set status = 'completed', completed_at = $3 where spv_id = $1 and step_order <= $2")
        .bind(id)
        .bind(done)
        .bind(at)
        .run()
        .await?;
    tx.sql(
        "update spvs set status = $3, steps_completed = $2, steps_pending = steps_total - $2, closed_at = $4, \
         current_step = (select step_name from spv_steps where spv_id = $1 and step_order = $2 + 1) where id = $1",
    )
    .bind(id)
    .bind(done)
    .bind(if done == steps { Status::Closed } else { Status::Processing })
    .bind((done == steps).then_some(at))
    .run()
    .await?;
    Ok(())
}

/// What a partner earned with an order that was closed past the rules.
pub async fn earn(tx: &mut Tx, spv: SpvId, id: Uuid) -> Result<()> {
    tx.later(
        "insert into commissions (id, iso_id, company_id, spv_id, client_id, kind, rule, currency, amount_minor, status, \
         earned_date, created_at, updated_at, updated_by) \
         select $2, iso_id, company_id, id, client_id, 'earned', 'fixed', currency, commission_minor, 'pending', \
         ordered_date, closed_at, closed_at, updated_by from spvs where id = $1",
    )
    .await?
    .bind(spv)
    .bind(id)
    .run()
    .await?;
    Ok(())
}

/// People of the demo office were here at different times, the first of them a moment ago.
pub async fn were_here(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    let people: Vec<(UserId,)> = tx.sql("select id from users where status = 'active' order by email").all().await?;
    for (n, (id,)) in (0_i64..).zip(people) {
        let at = now - Duration::minutes(3 + 41 * n * n);
        tx.later("update users set last_active_at = $2 where id = $1").await?.bind(id).bind(at).run().await?;
    }
    Ok(())
}

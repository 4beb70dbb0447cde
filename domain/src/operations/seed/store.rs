//! SQL that only made-up data may use: it moves rows past the rules that people's orders go through.
use crate::{
    accounts::{
        auth::passwords::PasswordHash,
        users::{self, email_key},
    },
    kernel::{
        access::Role,
        db::{Dialect, Query, Sql, Tx},
        error::Result,
        ids::{CompanyId, IsoId, SpvId, StepId, UserId},
        money::Currency,
    },
    orders::{
        spvs::{Country, Status},
        steps,
        templates::TemplateStep,
    },
};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use uuid::Uuid;

pub async fn open_account(tx: &mut Tx, id: UserId, hash: PasswordHash) -> Result<()> {
    tx.sql("update users set password_hash = $2, status = 'active' where id = $1").bind(id).bind(hash).run().await?;
    Ok(())
}

/// A client's account of a load.
pub struct LoadClient {
    pub id: UserId,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub company_id: CompanyId,
    pub iso_id: Option<IsoId>,
}

/// An order of a load, as far as its steps have brought it.
pub struct LoadOrder {
    pub id: SpvId,
    pub client_id: UserId,
    pub company_id: CompanyId,
    pub iso_id: Option<IsoId>,
    pub country: Country,
    pub price_minor: i64,
    pub commission_minor: Option<i64>,
    pub purchase_amount_minor: Option<i64>,
    pub ordered_date: NaiveDate,
    pub steps_total: i64,
    pub steps_completed: i64,
    pub current_step: Option<String>,
}

impl LoadOrder {
    pub fn status(&self) -> Status {
        match self.steps_completed {
            0 => Status::Active,
            done if done == self.steps_total => Status::Closed,
            _ => Status::Processing,
        }
    }
}

/// A step of such an order.
pub struct LoadStep<'t> {
    pub id: StepId,
    pub spv_id: SpvId,
    pub of: &'t TemplateStep,
    pub due_date: NaiveDate,
    pub done: bool,
}

/// What every row of a load has in common.
pub struct Stamp {
    pub at: DateTime<Utc>,
    pub by: String,
    pub currency: Currency,
    pub time_zone: String,
    pub password_hash: PasswordHash,
}

/// Values bound to one statement.
const MAX_VALUES: usize = 6_000;

/// Inserts rows, many in one statement; `bind` binds the values of one, `columns` of them. SQLite looks a numbered
/// placeholder up among all others, so there they have no numbers.
async fn insert<T>(
    tx: &mut Tx,
    into: &str,
    columns: usize,
    rows: &[T],
    bind: impl for<'c> Fn(Query<'c>, &T) -> Query<'c>,
) -> Result<()> {
    for some in rows.chunks(MAX_VALUES / columns) {
        let row = |n: usize| match tx.dialect() {
            Dialect::Sqlite => format!("({})", vec!["?"; columns].join(", ")),
            Dialect::Postgres => {
                let values: Vec<String> = (1..=columns).map(|k| format!("${}", n * columns + k)).collect();
                format!("({})", values.join(", "))
            }
        };
        let values: Vec<String> = (0..some.len()).map(row).collect();
        let insert = tx.sql_built(format!("insert into {into} values {}", values.join(", ")));
        some.iter().fold(insert, &bind).run().await?;
    }
    Ok(())
}

pub async fn insert_clients(tx: &mut Tx, stamp: &Stamp, rows: &[LoadClient]) -> Result<()> {
    let into = "users (id, email, email_key, role, status, first_name, last_name, company_id, iso_id, password_hash, \
        language, time_zone, created_at, updated_at, updated_by)";
    insert(tx, into, 15, rows, |query, row| {
        query
            .bind(row.id)
            .bind(row.email.clone())
            .bind(email_key(&row.email))
            .bind(Role::Client)
            .bind(users::Status::Active)
            .bind(row.first_name.clone())
            .bind(row.last_name.clone())
            .bind(row.company_id)
            .bind(row.iso_id)
            .bind(stamp.password_hash.clone())
            .bind("en-US")
            .bind(stamp.time_zone.clone())
            .bind(stamp.at)
            .bind(stamp.at)
            .bind(stamp.by.clone())
    })
    .await
}

pub async fn insert_orders(tx: &mut Tx, stamp: &Stamp, rows: &[LoadOrder]) -> Result<()> {
    let into = "spvs (id, client_id, company_id, iso_id, country, currency, price_minor, commission_minor, \
        purchase_amount_minor, iso_commission_minor, status, ordered_date, closed_at, steps_total, steps_completed, \
        steps_pending, current_step, created_at, updated_at, updated_by)";
    insert(tx, into, 20, rows, |query, row| {
        query
            .bind(row.id)
            .bind(row.client_id)
            .bind(row.company_id)
            .bind(row.iso_id)
            .bind(row.country)
            .bind(stamp.currency)
            .bind(row.price_minor)
            .bind(row.commission_minor)
            .bind(row.purchase_amount_minor)
            .bind(row.commission_minor)
            .bind(row.status())
            .bind(row.ordered_date)
            .bind((row.status() == Status::Closed).then_some(stamp.at))
            .bind(row.steps_total)
            .bind(row.steps_completed)
            .bind(row.steps_total - row.steps_completed)
            .bind(row.current_step.clone())
            .bind(stamp.at)
            .bind(stamp.at)
            .bind(stamp.by.clone())
    })
    .await
}

pub async fn insert_steps(tx: &mut Tx, stamp: &Stamp, rows: &[LoadStep<'_>]) -> Result<()> {
    let into = "spv_steps (id, spv_id, step_order, step_name, status, owner, due_date, completes_with_documents, \
        completed_at, updated_at, updated_by)";
    insert(tx, into, 11, rows, |query, row| {
        query
            .bind(row.id)
            .bind(row.spv_id)
            .bind(row.of.step_order)
            .bind(row.of.step_name.clone())
            .bind(if row.done { steps::Status::Completed } else { steps::Status::Pending })
            .bind(row.of.owner)
            .bind(row.due_date)
            .bind(row.of.completes_with_documents)
            .bind(row.done.then_some(stamp.at))
            .bind(stamp.at)
            .bind(stamp.by.clone())
    })
    .await
}

/// What partners earned with orders that were closed past the rules.
pub async fn insert_earned(tx: &mut Tx, stamp: &Stamp, rows: &[(Uuid, IsoId, i64, &LoadOrder)]) -> Result<()> {
    let into = "commissions (id, iso_id, company_id, spv_id, client_id, kind, rule, currency, amount_minor, status, \
        earned_date, created_at, updated_at, updated_by)";
    insert(tx, into, 14, rows, |query, (id, iso, amount_minor, order)| {
        query
            .bind(*id)
            .bind(*iso)
            .bind(order.company_id)
            .bind(order.id)
            .bind(order.client_id)
            .bind("earned")
            .bind("fixed")
            .bind(stamp.currency)
            .bind(*amount_minor)
            .bind("pending")
            .bind(order.ordered_date)
            .bind(stamp.at)
            .bind(stamp.at)
            .bind(stamp.by.clone())
    })
    .await
}

/// People of the demo office were here at different times, the first of them a moment ago.
pub async fn were_here(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    let people: Vec<(UserId,)> = tx.sql("select id from users where status = 'active' order by email").all().await?;
    for (n, (id,)) in (0_i64..).zip(people) {
        let at = now - Duration::minutes(3 + 41 * n * n);
        tx.sql("update users set last_active_at = $2 where id = $1").bind(id).bind(at).run().await?;
    }
    Ok(())
}

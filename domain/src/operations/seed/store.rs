//! SQL for seed data only: it bypasses the rules of the use cases.
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

/// Sets a password and makes an account active.
pub async fn activate_account(tx: &mut Tx, id: UserId, hash: PasswordHash) -> Result<()> {
    tx.sql("update users set password_hash = $2, status = 'active' where id = $1").bind(id).bind(hash).run().await?;
    Ok(())
}

/// A client of the benchmark load.
pub struct BenchmarkClient {
    pub id: UserId,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub company_id: CompanyId,
    pub iso_id: Option<IsoId>,
}

/// An order of the benchmark load. Its status follows from its steps.
pub struct BenchmarkOrder {
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

impl BenchmarkOrder {
    pub fn status(&self) -> Status {
        match self.steps_completed {
            0 => Status::Active,
            done if done == self.steps_total => Status::Closed,
            _ => Status::Processing,
        }
    }
}

/// A step of a [`BenchmarkOrder`].
pub struct BenchmarkStep<'t> {
    pub id: StepId,
    pub spv_id: SpvId,
    pub of: &'t TemplateStep,
    pub due_date: NaiveDate,
    pub done: bool,
}

/// Values that all rows of a load share.
pub struct CommonValues {
    pub at: DateTime<Utc>,
    pub by: String,
    pub currency: Currency,
    pub time_zone: String,
    pub password_hash: PasswordHash,
}

/// Maximum number of values bound to one statement.
const MAX_VALUES: usize = 6_000;

/// Inserts many rows per statement; `bind` binds the `columns` values of one row. SQLite searches numbered placeholders
/// linearly, so they are not numbered there.
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

pub async fn insert_clients(tx: &mut Tx, common: &CommonValues, rows: &[BenchmarkClient]) -> Result<()> {
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
            .bind(common.password_hash.clone())
            .bind("en-US")
            .bind(common.time_zone.clone())
            .bind(common.at)
            .bind(common.at)
            .bind(common.by.clone())
    })
    .await
}

pub async fn insert_orders(tx: &mut Tx, common: &CommonValues, rows: &[BenchmarkOrder]) -> Result<()> {
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
            .bind(common.currency)
            .bind(row.price_minor)
            .bind(row.commission_minor)
            .bind(row.purchase_amount_minor)
            .bind(row.commission_minor)
            .bind(row.status())
            .bind(row.ordered_date)
            .bind((row.status() == Status::Closed).then_some(common.at))
            .bind(row.steps_total)
            .bind(row.steps_completed)
            .bind(row.steps_total - row.steps_completed)
            .bind(row.current_step.clone())
            .bind(common.at)
            .bind(common.at)
            .bind(common.by.clone())
    })
    .await
}

pub async fn insert_steps(tx: &mut Tx, common: &CommonValues, rows: &[BenchmarkStep<'_>]) -> Result<()> {
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
            .bind(row.done.then_some(common.at))
            .bind(common.at)
            .bind(common.by.clone())
    })
    .await
}

/// Commissions of orders that were closed without the use cases.
pub async fn insert_commissions(
    tx: &mut Tx,
    common: &CommonValues,
    rows: &[(Uuid, IsoId, i64, &BenchmarkOrder)],
) -> Result<()> {
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
            .bind(common.currency)
            .bind(*amount_minor)
            .bind("pending")
            .bind(order.ordered_date)
            .bind(common.at)
            .bind(common.at)
            .bind(common.by.clone())
    })
    .await
}

/// Spreads the last activity of active accounts over time, the first one a moment ago.
pub async fn set_last_active(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    let people: Vec<(UserId,)> = tx.sql("select id from users where status = 'active' order by email").all().await?;
    for (n, (id,)) in (0_i64..).zip(people) {
        let at = now - Duration::minutes(3 + 41 * n * n);
        tx.sql("update users set last_active_at = $2 where id = $1").bind(id).bind(at).run().await?;
    }
    Ok(())
}

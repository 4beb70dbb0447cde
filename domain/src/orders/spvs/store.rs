//! SQL of orders. Each read is one statement.
use super::{
    Country, Status,
    model::{NewOrder, Spv, State},
};
use crate::{
    kernel::{
        access::Scope,
        ctx::check_version,
        db::{
            Db, Dialect, Nested, PerDialect, Row, Sql, Tx, const_concat, for_update, insert, nested_row, select_nested,
            select_rows, unindexed,
        },
        error::{Problem, Result},
        ids::{CompanyId, IsoId, SpvId, StepId, UserId},
        money::Currency,
        search::{self, SearchCondition, SearchScope},
        text::unique_key,
    },
    orders::steps::{self, Step},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

const SELECT_WITH_NAMES: &str = const_concat!(
    "select ",
    Spv::LIST,
    " from spvs s join users c on c.id = s.client_id join companies k on k.id = s.company_id \
     left join isos i on i.id = s.iso_id"
);

const OF_STEP: &str = "(select spv_id from spv_steps where id = $1)";

/// The order with its steps, in one query.
pub async fn get(db: &mut impl Sql, id: SpvId) -> Result<Option<(Spv, Vec<Step>)>> {
    static BY_ID: PerDialect = PerDialect::new(|dialect| with_steps(dialect, "$1"));
    let found = db.sql(BY_ID.get(db.dialect())).bind(id).optional().await?;
    Ok(found.map(read))
}

/// The order of a step with all its steps.
pub async fn of_step(db: &mut impl Sql, step: StepId) -> Result<Option<(Spv, Vec<Step>)>> {
    static BY_STEP: PerDialect = PerDialect::new(|dialect| with_steps(dialect, OF_STEP));
    let found = db.sql(BY_STEP.get(db.dialect())).bind(step).optional().await?;
    Ok(found.map(read))
}

/// The order of a step with all its steps, locked until the transaction ends.
pub async fn lock_of_step(tx: &mut Tx, step: StepId) -> Result<Option<(Spv, Vec<Step>)>> {
    // SQLite has one writer. PostgreSQL must lock first, so that the read sees what was committed while it waited.
    if tx.dialect() == Dialect::Postgres {
        let text = format!("select s.id from spvs s where s.id = {OF_STEP}{}", for_update(tx.dialect(), "s"));
        tx.sql_built(text).bind(step).optional::<(SpvId,)>().await?;
    }
    of_step(tx, step).await
}

/// An order, its steps, and the dependencies among them.
type WithSteps = (Nested<Spv>, Nested<Vec<Step>>, Nested<Vec<(StepId, StepId)>>);

/// `which` is an SQL expression of the order's id, with the parameter `$1`.
fn with_steps(dialect: Dialect, which: &str) -> String {
    let steps = format!("select {} from spv_steps where spv_id = t.id order by step_order, id", Step::LIST);
    format!(
        "select {}, ({}), ({}) from ({SELECT_WITH_NAMES} where s.id = {which}) t",
        nested_row(dialect, Spv::COLUMNS),
        select_nested(dialect, Step::COLUMNS, &steps),
        select_nested(dialect, steps::DEPENDENCY_COLUMNS, steps::SELECT_DEPENDENCIES),
    )
}

fn read((Nested(spv), Nested(mut steps), Nested(needs)): WithSteps) -> (Spv, Vec<Step>) {
    let order: Vec<StepId> = steps.iter().map(|step| step.id).collect();
    for step in steps.iter_mut().filter(|_| !needs.is_empty()) {
        let needed = |id: &&StepId| needs.contains(&(step.id, **id));
        step.depends_on = order.iter().filter(needed).copied().collect();
    }
    (spv, steps)
}

/// Locks the order until the transaction ends.
pub async fn lock(tx: &mut Tx, id: SpvId) -> Result<()> {
    if tx.dialect() == Dialect::Postgres {
        let text = format!("select s.id from spvs s where s.id = $1{}", for_update(tx.dialect(), "s"));
        tx.sql_built(text).bind(id).optional::<(SpvId,)>().await?;
    }
    Ok(())
}

pub async fn spv_of_step(db: &mut Db, step: StepId) -> Result<Option<SpvId>> {
    Ok(db.sql("select spv_id from spv_steps where id = $1").bind(step).optional::<(SpvId,)>().await?.map(|(id,)| id))
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub status: Option<Status>,
    pub company_id: Option<CompanyId>,
    pub iso: Option<IsoFilter>,
    pub client_id: Option<UserId>,
    pub country: Option<Country>,
    pub order: Order,
    /// Only these ids, which a search found.
    pub ids: Option<Vec<Uuid>>,
}

/// The sort order of a list. Amounts are sorted within each currency, as amounts of two currencies do not compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Newest,
    Oldest,
    Largest,
    Smallest,
}

impl Order {
    /// # Errors
    /// `unknown` with what is allowed.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        Ok(match text {
            "" | "-ordered_date" => Self::Newest,
            "ordered_date" => Self::Oldest,
            "-amount" => Self::Largest,
            "amount" => Self::Smallest,
            _ => {
                return Err(Problem::new("unknown").with("allowed", "-ordered_date, ordered_date, -amount, amount"));
            }
        })
    }

    fn by_amount(self) -> bool {
        matches!(self, Self::Largest | Self::Smallest)
    }

    /// The sort columns, all ascending or all descending.
    fn columns(self) -> [&'static str; 3] {
        if self.by_amount() { ["s.currency", AMOUNT, "s.id"] } else { ["s.ordered_date", "s.created_at", "s.id"] }
    }

    fn direction(self) -> (&'static str, &'static str) {
        if matches!(self, Self::Newest | Self::Largest) { ("<", " desc") } else { (">", "") }
    }
}

const AMOUNT: &str = "coalesce(s.purchase_amount_minor, s.price_minor, 0)";

#[derive(Clone, Copy, Debug)]
pub enum IsoFilter {
    One(IsoId),
    /// Orders without a partner, shown as 'Unassigned'.
    None,
}

/// A cursor: the last row of a page, by the columns of its sort order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cursor {
    Date(NaiveDate, DateTime<Utc>, SpvId),
    Amount(Currency, i64, SpvId),
}

impl Cursor {
    pub fn of(order: Order, spv: &Spv) -> Self {
        if order.by_amount() {
            Self::Amount(spv.currency, spv.amount_minor().unwrap_or(0), spv.id)
        } else {
            Self::Date(spv.ordered_date, spv.created_at, spv.id)
        }
    }

    /// Whether the cursor is of a list in this order.
    pub fn fits(&self, order: Order) -> bool {
        matches!(self, Self::Amount(..)) == order.by_amount()
    }
}

fn list_sql(
    dialect: Dialect,
    scope: Scope,
    filter: &Filter,
    narrow: &SearchCondition,
    after: bool,
    limit: usize,
) -> (String, Vec<Uuid>, Vec<String>) {
    let mut sql = format!("{SELECT_WITH_NAMES} where 1 = 1");
    let mut ids = Vec::new();
    // A client has few orders: the other conditions must not keep SQLite from the client's index.
    let few = filter.client_id.is_some() || matches!(scope, Scope::Client(_));
    let by = |column: &str, id: Uuid, sql: &mut String, ids: &mut Vec<Uuid>| {
        ids.push(id);
        let condition = format!("s.{column} = ${}", ids.len());
        let condition = if few && column != "client_id" { unindexed(&condition) } else { condition };
        sql.push_str(&format!(" and {condition}"));
    };
    match scope {
        Scope::All => {}
        Scope::Company(id) => by("company_id", id.0, &mut sql, &mut ids),
        Scope::Iso(id) => by("iso_id", id.0, &mut sql, &mut ids),
        Scope::Client(id) => by("client_id", id.0, &mut sql, &mut ids),
        Scope::Nothing => sql.push_str(" and 1 = 0"),
    }
    if let Some(id) = filter.company_id {
        by("company_id", id.0, &mut sql, &mut ids);
    }
    match filter.iso {
        Some(IsoFilter::One(id)) => by("iso_id", id.0, &mut sql, &mut ids),
        Some(IsoFilter::None) => sql.push_str(" and s.iso_id is null"),
        None => {}
    }
    if let Some(id) = filter.client_id {
        by("client_id", id.0, &mut sql, &mut ids);
    }
    if let Some(status) = filter.status {
        sql.push_str(&format!(" and s.status = '{}'", status.name()));
    }
    if let Some(country) = filter.country {
        sql.push_str(&format!(" and s.country = '{}'", country.code()));
    }
    let (search, words) = narrow.sql(dialect, "s.id", ids.len() + 1);
    sql.push_str(&search);
    let columns = filter.order.columns();
    let (comparison, direction) = filter.order.direction();
    if after {
        let n = ids.len() + words.len();
        sql.push_str(&format!(" and ({}) {comparison} (${}, ${}, ${})", columns.join(", "), n + 1, n + 2, n + 3));
    }
    sql.push_str(&format!(
        " order by {} limit {limit}",
        columns.map(|column| format!("{column}{direction}")).join(", ")
    ));
    (sql, ids, words)
}

async fn narrow_filter(db: &mut Db, scope: Scope, filter: &Filter) -> Result<SearchCondition> {
    if let Some(ids) = &filter.ids {
        return Ok(SearchCondition::Ids(ids.clone()));
    }
    let iso = match filter.iso {
        Some(IsoFilter::One(id)) => Some(id),
        _ => None,
    };
    let within = SearchScope::from(scope).company(filter.company_id).iso(iso).few(filter.client_id.is_some());
    search::condition(db, "spv", within, filter.q.as_deref()).await
}

/// A page of orders after the cursor.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, after: Option<Cursor>, limit: usize) -> Result<Vec<Spv>> {
    let narrow = narrow_filter(db, scope, filter).await?;
    let (rows, ids, words) = list_sql(db.dialect(), scope, filter, &narrow, after.is_some(), limit);
    let mut query = db.sql_built(select_rows(db.dialect(), Spv::COLUMNS, &rows));
    for id in ids {
        query = query.bind(id);
    }
    for word in words {
        query = query.bind(word);
    }
    let query = match after {
        Some(Cursor::Date(date, at, id)) => query.bind(date).bind(at).bind(id),
        Some(Cursor::Amount(currency, minor, id)) => query.bind(currency).bind(minor).bind(id),
        None => query,
    };
    query.list().await
}

/// Orders of this identifier, which is unique within a company, or else of this order number.
pub async fn named(db: &mut Db, name: &str) -> Result<Vec<SpvId>> {
    let bare = unique_key(name);
    let short = bare.strip_prefix("spv-").unwrap_or(&bare).to_owned();
    let mut ids: Vec<(SpvId,)> =
        db.sql("select id from spvs where custom_identifier_key = $1").bind(bare.clone()).all().await?;
    if ids.is_empty()
        && let Some((low, high)) = id_range(&short)
    {
        ids = db.sql("select id from spvs where id >= $1 and id <= $2").bind(low).bind(high).all().await?;
    }
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

/// The ids that begin with eight or more hexadecimal digits.
fn id_range(start: &str) -> Option<(Uuid, Uuid)> {
    let digits: String = start.chars().filter(|c| *c != '-').collect();
    if !(8..=32).contains(&digits.len()) || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    Some((format!("{digits:0<32}").parse().ok()?, format!("{digits:f<32}").parse().ok()?))
}

/// An order as it was created.
#[derive(Debug, sqlx::FromRow)]
pub struct CreatedOrder {
    pub id: SpvId,
    #[sqlx(flatten)]
    pub order: NewOrder,
}

/// A client's orders.
pub async fn of_client(tx: &mut Tx, client: UserId) -> Result<Vec<CreatedOrder>> {
    const SQL: &str = const_concat!("select id, ", NewOrder::LIST, " from spvs where client_id = $1");
    tx.sql(SQL).bind(client).all().await
}

/// A new order's row: what was asked for, and what follows from it.
pub struct InsertOrder<'a> {
    pub id: SpvId,
    pub order: &'a NewOrder,
    pub iso_commission_minor: Option<i64>,
    pub steps: i64,
    pub current_step: Option<String>,
    pub at: DateTime<Utc>,
    pub by: String,
}

pub async fn insert(tx: &mut Tx, row: &InsertOrder<'_>) -> Result<()> {
    let values = insert!(tx, "spvs", row.order, {
        id: row.id,
        custom_identifier_key: row.order.custom_identifier.as_deref().map(unique_key),
        iso_commission_minor: row.iso_commission_minor,
        steps_total: row.steps,
        steps_pending: row.steps,
        current_step: row.current_step.clone(),
        created_at: row.at,
        updated_at: row.at,
        updated_by: row.by.clone(),
    });
    values.run().await?;
    Ok(())
}

pub async fn identifier_taken(tx: &mut Tx, company: CompanyId, identifier: &str) -> Result<bool> {
    tx.sql("select exists (select 1 from spvs where company_id = $1 and custom_identifier_key = $2)")
        .bind(company)
        .bind(unique_key(identifier))
        .scalar()
        .await
}

/// Saves the progress of the steps within a status. The status is left out, as SQLite would rewrite it in every index
/// that contains it.
///
/// # Errors
/// Conflict `stale` where the stored version is another one.
pub async fn save_progress(tx: &mut Tx, spv: &Spv) -> Result<()> {
    let changed = tx.sql(
        "update spvs set steps_completed = $2, steps_pending = $3, current_step = $4, updated_at = $5, updated_by = $6, \
         steps_total = $7, version = $8 where id = $1 and version = $9",
    )
    .bind(spv.id)
    .bind(spv.steps_completed)
    .bind(spv.steps_pending)
    .bind(spv.current_step.clone())
    .bind(spv.updated_at)
    .bind(spv.updated_by.clone())
    .bind(spv.steps_total)
    .bind(spv.version)
    .bind(spv.version - 1)
    .run()
    .await?;
    check_version(changed)
}

/// Saves the state and the progress of the steps.
///
/// # Errors
/// Conflict `stale` where the stored version is another one.
pub async fn save(tx: &mut Tx, spv: &Spv, state: State, at: DateTime<Utc>, by: &str) -> Result<()> {
    let changed = tx
        .sql(
            "update spvs set status = $2, held_from = $3, cancelled_from = $4, status_reason = $5, closed_at = $6, \
         steps_completed = $7, steps_pending = $8, current_step = $9, updated_at = $10, updated_by = $11, \
         steps_total = $12, version = $13 where id = $1 and version = $14",
        )
        .bind(spv.id)
        .bind(state.status)
        .bind(state.held_from)
        .bind(state.cancelled_from)
        .bind(spv.status_reason.clone())
        .bind(spv.closed_at)
        .bind(spv.steps_completed)
        .bind(spv.steps_pending)
        .bind(spv.current_step.clone())
        .bind(at)
        .bind(by.to_owned())
        .bind(spv.steps_total)
        .bind(spv.version)
        .bind(spv.version - 1)
        .run()
        .await?;
    check_version(changed)
}

/// Company, client and ISO of a new order, as far as they exist.
#[derive(Debug, sqlx::FromRow)]
pub struct OrderParties {
    pub company_archived_at: Option<DateTime<Utc>>,
    pub client_company_id: Option<CompanyId>,
    pub client_role: Option<crate::kernel::access::Role>,
    pub client_status: Option<crate::accounts::users::Status>,
    pub client_first_name: Option<String>,
    pub client_last_name: Option<String>,
    pub client_email: Option<String>,
    pub iso_company_id: Option<CompanyId>,
    pub iso_archived_at: Option<DateTime<Utc>>,
}

pub async fn parties(
    tx: &mut Tx,
    company: CompanyId,
    client: UserId,
    iso: Option<IsoId>,
) -> Result<Option<OrderParties>> {
    tx.sql(
        "select k.archived_at as company_archived_at, c.company_id as client_company_id, c.role as client_role, \
         c.status as client_status, c.first_name as client_first_name, c.last_name as client_last_name, \
         c.email as client_email, i.company_id as iso_company_id, i.archived_at as iso_archived_at \
         from companies k left join users c on c.id = $2 left join isos i on i.id = $3 where k.id = $1",
    )
    .bind(company)
    .bind(client)
    .bind(iso)
    .optional()
    .await
}

/// The orders of a client with their custom identifiers.
pub async fn identifiers_of_client(tx: &mut Tx, client: UserId) -> Result<Vec<(SpvId, Option<String>)>> {
    tx.sql("select id, custom_identifier from spvs where client_id = $1").bind(client).all().await
}

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
            select_rows,
        },
        error::Result,
        ids::{CompanyId, IsoId, SpvId, StepId, UserId, range_of_prefix},
        page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
        search::{self, SearchCondition, SearchScope},
        text::unique_key,
    },
    orders::steps::{self, Step},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
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

/// [`Status::is_open`] in SQL, of `spvs s`.
pub const IS_OPEN: &str = "s.status not in ('closed', 'cancelled')";

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub status: Option<Status>,
    /// Neither closed nor cancelled.
    pub open: bool,
    pub company_id: Option<CompanyId>,
    pub iso: Option<IsoFilter>,
    pub client_id: Option<UserId>,
    pub country: Option<Country>,
    /// The first and the last ordered date.
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
    pub order: Order<SpvSort>,
    /// Only these ids, of a search or a selection.
    pub ids: Option<Vec<Uuid>>,
}

/// The sort keys of a list. Amounts are sorted within each currency, as amounts of two currencies do not compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpvSort {
    OrderedDate,
    Amount,
    VehicleName,
}

impl SortKey for SpvSort {
    type Row = Spv;
    const ALL: &'static [Self] = &[Self::OrderedDate, Self::Amount, Self::VehicleName];
    const DEFAULT: Order<Self> = Order::descending(Self::OrderedDate);

    fn name(self) -> &'static str {
        match self {
            Self::OrderedDate => "ordered_date",
            Self::Amount => "amount",
            Self::VehicleName => "vehicle_name",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("s.id");
        match self {
            Self::OrderedDate => {
                const { &[SortColumn::date("s.ordered_date"), SortColumn::instant("s.created_at"), ID] }
            }
            Self::Amount => const { &[SortColumn::text("s.currency"), SortColumn::integer(AMOUNT).computed(), ID] },
            Self::VehicleName => const { &[SortColumn::text("s.vehicle_name").nulls_lowest(), ID] },
        }
    }

    fn values(self, row: &Spv) -> Value {
        match self {
            Self::OrderedDate => values((row.ordered_date, row.created_at, row.id)),
            Self::Amount => values((row.currency, row.amount_minor().unwrap_or(0), row.id)),
            Self::VehicleName => values((&row.vehicle_name, row.id)),
        }
    }
}

const AMOUNT: &str = "coalesce(s.purchase_amount_minor, s.price_minor, 0)";

#[derive(Clone, Copy, Debug)]
pub enum IsoFilter {
    One(IsoId),
    /// Orders without a partner, shown as 'Unassigned'.
    None,
}

const TABLE: &str = "spvs s";

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    let client = match scope {
        Scope::Client(id) => Some(id),
        _ => filter.client_id,
    };
    if !matches!(scope, Scope::Client(_)) {
        all.and_scope(scope, Some("s.company_id"), Some("s.iso_id"), None);
    }
    all.and_id("s.company_id", filter.company_id.map(|id| id.0));
    match filter.iso {
        Some(IsoFilter::One(id)) => all.and_id("s.iso_id", Some(id.0)),
        Some(IsoFilter::None) => all.and("s.iso_id is null"),
        None => {}
    }
    if client.is_some() {
        // A client has few orders: the other conditions must not keep SQLite from the client's index.
        all.unindex();
    }
    all.and_id("s.client_id", client.map(|id| id.0));
    if matches!(scope, Scope::Client(_)) {
        all.and_id("s.client_id", filter.client_id.map(|id| id.0));
    }
    if let Some(status) = filter.status {
        all.and(format!("s.status = '{}'", status.name()));
    }
    if filter.open {
        all.and(IS_OPEN);
    }
    if let Some(country) = filter.country {
        all.and(format!("s.country = '{}'", country.code()));
    }
    for (sign, date) in [(">=", filter.from), ("<=", filter.to)] {
        if let Some(date) = date {
            all.and_value(&format!("s.ordered_date {sign} $"), date);
        }
    }
    all.and_search(&narrow_filter(db, scope, filter).await?, "s.id");
    Ok(all)
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

/// A page of the list.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Spv>> {
    let mut all = conditions(db, scope, filter).await?;
    let of_company = matches!(scope, Scope::Company(_)) || filter.company_id.is_some();
    let has_index = keyset.is_default() || (of_company && filter.order.key == SpvSort::Amount);
    if !has_index {
        keyset.choose_index(db, TABLE, &mut all).await?;
    }
    let dialect = db.dialect();
    keyset.nested_rows(db, SELECT_WITH_NAMES, &all, |rows| select_rows(dialect, Spv::COLUMNS, rows)).await
}

/// The number of orders, and the sums of their amounts.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db, scope, filter).await?.total(db, TABLE, Some(("s.currency", AMOUNT))).await
}

/// Digits of an order number, the beginning of its id.
const ORDER_NUMBER_DIGITS: usize = 8;

/// Orders of this identifier, which is unique within a company, or else of this order number.
pub async fn named(db: &mut Db, name: &str) -> Result<Vec<SpvId>> {
    let bare = unique_key(name);
    let short = bare.strip_prefix("spv-").unwrap_or(&bare).to_owned();
    let mut ids: Vec<(SpvId,)> =
        db.sql("select id from spvs where custom_identifier_key = $1").bind(bare.clone()).all().await?;
    if ids.is_empty()
        && let Some((low, high)) = range_of_prefix(&short, ORDER_NUMBER_DIGITS)
    {
        ids = db.sql("select id from spvs where id >= $1 and id <= $2").bind(low).bind(high).all().await?;
    }
    Ok(ids.into_iter().map(|(id,)| id).collect())
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

/// Locks which client the order has until the transaction ends, without its row: for what is written for that client while
/// others work on the order.
pub async fn lock_client(tx: &mut Tx, id: SpvId) -> Result<()> {
    tx.advisory_lock(format!("client of {id}")).await
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

/// Saves the details of an order that are corrected.
///
/// # Errors
/// Conflict `stale` where the stored version is another one; a unique violation when the company already uses the identifier.
pub async fn save_details(tx: &mut Tx, spv: &Spv) -> Result<()> {
    let changed = tx
        .sql(
            "update spvs set custom_identifier = $2, custom_identifier_key = $3, vehicle_name = $4, reference = $5, \
         purchase_amount_minor = $6, iso_commission_minor = $7, ordered_date = $8, updated_at = $9, updated_by = $10, \
         currency = $11, price_minor = $12, commission_minor = $13, iso_commission_percentage = $14, client_id = $15, \
         company_id = $16, iso_id = $17, country = $18, steps_total = $19, steps_pending = $20, steps_completed = $21, \
         current_step = $22, version = $23, filing_fee_minor = $25 where id = $1 and version = $24",
        )
        .bind(spv.id)
        .bind(spv.custom_identifier.clone())
        .bind(spv.custom_identifier.as_deref().map(unique_key))
        .bind(spv.vehicle_name.clone())
        .bind(spv.reference.clone())
        .bind(spv.purchase_amount_minor)
        .bind(spv.iso_commission_minor)
        .bind(spv.ordered_date)
        .bind(spv.updated_at)
        .bind(spv.updated_by.clone())
        .bind(spv.currency)
        .bind(spv.price_minor)
        .bind(spv.commission_minor)
        .bind(spv.iso_commission_percentage)
        .bind(spv.client_id)
        .bind(spv.company_id)
        .bind(spv.iso_id)
        .bind(spv.country)
        .bind(spv.steps_total)
        .bind(spv.steps_pending)
        .bind(spv.steps_completed)
        .bind(spv.current_step.clone())
        .bind(spv.version)
        .bind(spv.version - 1)
        .bind(spv.filing_fee_minor)
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

/// Deletes an order with its steps and requests for documents.
///
/// # Errors
/// A foreign key violation if other rows refer to one of them.
pub async fn remove(tx: &mut Tx, id: SpvId) -> Result<()> {
    for table in ["document_requests", "step_dependencies", "spv_steps"] {
        tx.sql_built(format!("delete from {table} where spv_id = $1")).bind(id).run().await?;
    }
    tx.sql("delete from spvs where id = $1").bind(id).run().await?;
    Ok(())
}

/// The orders of a client with their custom identifiers.
pub async fn identifiers_of_client(tx: &mut Tx, client: UserId) -> Result<Vec<(SpvId, Option<String>)>> {
    tx.sql("select id, custom_identifier from spvs where client_id = $1").bind(client).all().await
}

//! Commissions of ISO partners: a ledger that follows their orders, and the payout runs that pay it (decision 16).
//!
//! A closed order adds a row, and a cancelled one a negative row. A corrected order changes its pending row, or adds a row
//! for the difference to an approved or paid one, whose amounts never change. Every card, statement and file is a sum of
//! these rows.
mod correction;
mod model;
pub(crate) mod rollup;
mod runs;
mod sepa;
mod store;

pub(crate) use correction::sync_with_correction;
use model::Terms;
pub use model::{Commission, Kind, OverviewCards, Payout, PayoutPreview, Period, Rule, Run, RunStatus, Status, Totals};
pub(crate) use rollup::count_moved;
pub(crate) use runs::pay_approved;
pub use runs::{RunDetail, bank, can_run, discard, find_run, open, pay, preview, run, runs};
pub use sepa::sepa;
pub use store::{CommissionSort, Filter};
pub(crate) use store::{count, has_rows, has_settled, lock_of_order, totals as total_rows};

use crate::{
    directory::{companies, isos},
    kernel::{
        access::{Action, Resource, Scope},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{CommissionId, IsoId, SpvId},
        money::{self, Currency, CurrencyTotal},
        page::{MAX_LIMIT, Page, PageQuery, Total, at_most},
        validate::Validator,
    },
    orders::spvs::{self, Spv},
    platform::{
        activity::{self, Event},
        rollups,
    },
};
use chrono::NaiveDate;
use rollup::CommissionFacts;
use std::collections::BTreeMap;

/// Appends the row by which an order's change of status earns a commission or takes it back, in the transaction of the
/// change. Called from the one function that saves such a change. Returns the total of the order's rows before, void ones
/// included, where the change opens or closes the order; else 0.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn sync_with_order_status(tx: &mut Tx, ctx: &Ctx, before: &Spv, after: &Spv) -> Result<i64> {
    let Some(iso_id) = after.iso_id.filter(|_| before.status != after.status) else { return Ok(0) };
    if before.status == spvs::Status::Closed {
        // Must be approved again once the order is closed again.
        store::revoke_approval(tx, after.id, ctx.now(), &ctx.actor_name()).await?;
    }
    if before.status.is_open() && after.status.is_open() {
        return Ok(0);
    }
    let whole = after.iso_commission_minor.unwrap_or(0);
    let earned = store::earned_by_order(tx, after.id).await?;
    let voided = store::voided_of_order(tx, after.id).await?;
    let ledger_minor = earned + voided;
    let wanted = match after.status {
        spvs::Status::Closed => whole,
        spvs::Status::Cancelled => 0,
        _ => return Ok(ledger_minor),
    };
    let missing = wanted - earned;
    // A voided amount is never earned again by reopening and closing the order.
    let amount_minor = match missing {
        1.. => (missing - voided).max(0),
        _ => missing,
    };
    if amount_minor == 0 {
        return Ok(ledger_minor);
    }
    let id = insert_row(tx, ctx, after, iso_id, amount_minor, None).await?;
    let action = if amount_minor > 0 { "commission.earned" } else { "commission.reversed" };
    // Without amounts, as notification mails are rendered from it, and without the client, who must not see it.
    let event = Event::new(action, "commission", id.0, after.identifier())
        .of(None, Some(after.company_id), Some(iso_id))
        .spv(after.id)
        .public();
    activity::append(tx, ctx, event).await?;
    Ok(ledger_minor)
}

/// Removes the commissions of a removed order that were never changed after they were earned.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn remove_unreviewed(tx: &mut Tx, spv: &Spv) -> Result<()> {
    let of = spv.dimensions();
    for (earned_date, amount_minor) in store::remove_unreviewed(tx, spv.id).await? {
        rollup::count_removal(tx, CommissionFacts { of, status: Status::Pending, earned_date, amount_minor });
    }
    Ok(())
}

/// Inserts a pending row of an order, earned today. `adjusts` is the row to which it is a difference.
async fn insert_row(
    tx: &mut Tx,
    ctx: &Ctx,
    spv: &Spv,
    iso_id: IsoId,
    amount_minor: i64,
    adjusts: Option<CommissionId>,
) -> Result<CommissionId> {
    let company = companies::by_id(tx, spv.company_id).await?.ok_or(Error::NotFound("company"))?;
    let row = store::InsertCommission {
        id: CommissionId(ctx.random.uuid()),
        iso_id,
        spv,
        terms: Terms::of(spv, amount_minor),
        amount_minor,
        adjusts,
        earned_date: company.today(ctx.now()),
        at: ctx.now(),
        by: ctx.actor_name(),
    };
    store::insert(tx, &row).await?;
    let (of, earned_date) = (spv.dimensions(), row.earned_date);
    rollup::count_change(tx, None, CommissionFacts { of, status: Status::Pending, earned_date, amount_minor });
    Ok(row.id)
}

/// The total of an order's rows in the ledger, void ones included.
pub(crate) async fn ledger_minor(tx: &mut Tx, spv: SpvId) -> Result<i64> {
    Ok(store::earned_by_order(tx, spv).await? + store::voided_of_order(tx, spv).await?)
}

/// Rows of the ledger, by default by the day they were earned, newest first: an ISO's own, those of a company's partners, the staff
/// all.
///
/// # Errors
/// Forbidden for clients; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "commissions.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Commission>> {
    ctx.may(Action::View, Resource::Commissions)?;
    list_in(ctx, ctx.scope()?, filter, page).await
}

/// [`list`] in a scope that the caller has checked.
///
/// # Errors
/// Invalid for a wrong limit or cursor.
pub(crate) async fn list_in(ctx: &Ctx, scope: Scope, filter: &Filter, page: &PageQuery) -> Result<Page<Commission>> {
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), scope, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of rows of a list, and the sums of their amounts.
///
/// # Errors
/// As [`list`].
#[tracing::instrument(level = "debug", name = "commissions.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    ctx.may(Action::View, Resource::Commissions)?;
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// The totals of the same rows, by currency.
///
/// # Errors
/// As [`list`].
#[tracing::instrument(level = "debug", name = "commissions.totals", skip_all)]
pub async fn totals(ctx: &Ctx, filter: &Filter) -> Result<Vec<Totals>> {
    ctx.may(Action::View, Resource::Commissions)?;
    store::totals(&mut ctx.db(), ctx.scope()?, filter).await
}

/// One row. As [`list`].
///
/// # Errors
/// NotFound, also for a row that the actor may not see.
#[tracing::instrument(level = "debug", name = "commissions.get", skip_all, fields(commission_id = %id))]
pub async fn get(ctx: &Ctx, id: CommissionId) -> Result<Commission> {
    let row = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("commission"))?;
    ctx.may(Action::View, resource(&row))?;
    Ok(row)
}

/// The overview of a period.
#[derive(Clone, Debug)]
pub struct Overview {
    pub from: NaiveDate,
    pub to: NaiveDate,
    /// No payout was ever made: the cards show the specification's split of the total.
    pub projected: bool,
    /// The currency that the cards show first ([`money::headline`]).
    pub currency: Currency,
    /// One for each currency.
    pub cards: Vec<OverviewCards>,
    /// The commissions of open orders; in no card.
    pub expected: Vec<(Currency, i64)>,
}

/// The overview of a period: an ISO's own; for others that of the named partner, or of all partners they may see.
///
/// # Errors
/// NotFound; Forbidden for clients.
#[tracing::instrument(level = "debug", name = "commissions.overview", skip_all)]
pub async fn overview(ctx: &Ctx, iso: Option<IsoId>, period: Period) -> Result<Overview> {
    let iso = find_partner(ctx, iso).await?;
    let home = company_defaults(ctx, iso.as_ref()).await?;
    let iso_id = iso.map(|iso| iso.id);
    let (from, to) = period.days(home.today);
    let all = Filter { iso_id, ..Filter::default() };
    let filter = Filter { from: Some(from), to: Some(to), ..all.clone() };
    let scope = ctx.scope()?;
    let mut db = ctx.db();
    let sums = store::totals(&mut db, scope, &filter).await?;
    let cards_of = |sums: &Totals| CurrencyTotal { currency: sums.currency, minor: sums.total_minor() };
    let currency = money::headline(&sums.iter().map(cards_of).collect::<Vec<_>>(), home.currency);
    let projected = !store::has_payouts(&mut db, scope, &all).await?;
    Ok(Overview {
        from,
        to,
        projected,
        currency,
        cards: sums.iter().map(|sums| OverviewCards::of(sums, projected)).collect(),
        expected: store::expected(&mut db, scope, iso_id).await?,
    })
}

/// The first and the last day of a period of [`overview`].
///
/// # Errors
/// As [`overview`].
#[tracing::instrument(level = "debug", name = "commissions.days", skip_all)]
pub async fn days(ctx: &Ctx, iso: Option<IsoId>, period: Period) -> Result<(NaiveDate, NaiveDate)> {
    let iso = find_partner(ctx, iso).await?;
    Ok(period.days(company_defaults(ctx, iso.as_ref()).await?.today))
}

/// The statement of a date range.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The partner, where it is one partner's.
    pub iso: Option<isos::Iso>,
    pub from: NaiveDate,
    pub to: NaiveDate,
    /// Oldest first.
    pub rows: Vec<Commission>,
    pub sums: Vec<Totals>,
}

/// A statement: an ISO's own; for others that of the named partner, or of all partners they may see.
///
/// # Errors
/// As [`overview`]; Invalid `to` before `from`, `period` where there are more than [`crate::kernel::page::MAX_EXPORT_ROWS`].
#[tracing::instrument(level = "debug", name = "commissions.statement", skip_all)]
pub async fn statement(ctx: &Ctx, iso: Option<IsoId>, from: NaiveDate, to: NaiveDate) -> Result<Statement> {
    let iso = find_partner(ctx, iso).await?;
    if to < from {
        return Err(Error::field("to", "before_from"));
    }
    let iso_id = iso.as_ref().map(|iso| iso.id);
    let filter = Filter { iso_id, from: Some(from), to: Some(to), ..Filter::default() };
    let found = store::count(&mut ctx.db(), ctx.scope()?, &filter).await?;
    at_most(usize::try_from(found).map_err(Error::internal)?)?;
    let mut page = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let mut rows = Vec::new();
    loop {
        let part = list(ctx, &filter, &page).await?;
        rows.extend(part.items);
        match part.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => break,
        }
    }
    rows.reverse();
    Ok(Statement { iso, from, to, sums: totals_of(&rows), rows })
}

/// The totals of these rows, so that a statement is consistent despite concurrent changes.
fn totals_of(rows: &[Commission]) -> Vec<Totals> {
    let mut found: Vec<Totals> = Vec::new();
    for currency in Currency::ALL {
        let sum = |status: Status| {
            let of = rows.iter().filter(|row| row.currency == currency && row.status == status);
            of.map(|row| row.amount_minor).sum::<i64>()
        };
        if rows.iter().any(|row| row.currency == currency && row.status != Status::Void) {
            found.push(Totals {
                currency,
                pending_minor: sum(Status::Pending),
                approved_minor: sum(Status::Approved),
                paid_minor: sum(Status::Paid),
            });
        }
    }
    found.sort_by_key(|sums| sums.currency.code());
    found
}

/// The partner whose ledger is shown; None for those of all partners.
async fn find_partner(ctx: &Ctx, named: Option<IsoId>) -> Result<Option<isos::Iso>> {
    ctx.may(Action::View, Resource::Commissions)?;
    match (ctx.scope()?, named) {
        (Scope::Iso(id), None) | (_, Some(id)) => isos::get(ctx, id).await.map(Some),
        (_, None) => Ok(None),
    }
}

/// Today and the currency of a ledger: those of the partner's company, or of the actor's company, else the office's.
async fn company_defaults(ctx: &Ctx, iso: Option<&isos::Iso>) -> Result<companies::Defaults> {
    let company = match (iso, ctx.scope()?) {
        (Some(iso), _) => Some(iso.company_id),
        (None, Scope::Company(id)) => Some(id),
        (None, _) => None,
    };
    companies::defaults(ctx, company).await
}

/// The rows that one request may approve.
pub(crate) const MAX_BULK: usize = 200;

/// Approves rows for the next payout run, all or none. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid `ids`; Conflict `commission_settled` for a row that is not pending, `order_not_closed`
/// for one whose order was reopened, `approve_together` for less than all that is pending of an order.
#[tracing::instrument(level = "debug", name = "commissions.approve", skip_all)]
pub async fn approve(ctx: &Ctx, ids: &[CommissionId]) -> Result<Vec<Commission>> {
    ctx.may(Action::Update, Resource::Commissions)?;
    if ids.is_empty() {
        return Err(Error::field("ids", "required"));
    }
    if ids.len() > MAX_BULK {
        return Err(Error::field_with("ids", Problem::new("too_many").with("max", MAX_BULK)));
    }
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let ids = &ids;
    ctx.transaction(|tx| {
        async move {
            let rows = store::lock_rows(tx, ids).await?;
            if rows.len() < ids.len() || rows.iter().any(|row| !ctx.can(Action::View, resource(row))) {
                return Err(Error::NotFound("commission"));
            }
            if let Some(row) = rows.iter().find(|row| row.status != Status::Pending) {
                return Err(already_settled(row));
            }
            let refuse = |code, spv| {
                let identifier = rows.iter().find(|row| row.spv_id == spv).map(Commission::spv_identifier);
                Err(Error::Conflict(Problem::new(code).with("identifier", identifier.unwrap_or_default())))
            };
            if let Some(spv) = store::open_orders(tx, ids).await?.first() {
                return refuse("order_not_closed", *spv);
            }
            store::approve(tx, ids, ctx.now(), &ctx.actor_name()).await?;
            // A row and its reversal must be approved together, otherwise only one of them would be paid.
            if let Some(spv) = store::find_partially_approved(tx, ids).await? {
                return refuse("approve_together", spv);
            }
            for row in &rows {
                activity::append(tx, ctx, event("commission.approved", row)).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    store::of_ids(&mut ctx.db(), ids).await
}

/// Pending rows, by whether they can be approved.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    pub approvable: Vec<Commission>,
    /// Rows of orders that were reopened: they can be approved once those are closed again.
    pub reopened: Vec<Commission>,
}

/// All pending rows, of one partner or of all. Staff.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "commissions.pending", skip_all)]
pub async fn pending(ctx: &Ctx, iso_id: Option<IsoId>) -> Result<Pending> {
    ctx.may(Action::Update, Resource::Commissions)?;
    let filter = Filter { iso_id, status: Some(Status::Pending), ..Filter::default() };
    let mut page = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let mut found = Pending::default();
    loop {
        let part = list(ctx, &filter, &page).await?;
        let ids: Vec<CommissionId> = part.items.iter().map(|row| row.id).collect();
        let open = store::open_orders(&mut ctx.db(), &ids).await?;
        for row in part.items {
            let rows = if open.contains(&row.spv_id) { &mut found.reopened } else { &mut found.approvable };
            rows.push(row);
        }
        match part.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return Ok(found),
        }
    }
}

/// Approves rows of any number of orders, each order's together. Rows of an order that was reopened meanwhile are
/// skipped. Staff.
///
/// # Errors
/// As [`approve`]. Rows that were approved before an error stay approved.
#[tracing::instrument(level = "debug", name = "commissions.approve_all", skip_all)]
pub async fn approve_all(ctx: &Ctx, rows: &[Commission]) -> Result<Vec<Commission>> {
    let mut orders = BTreeMap::<_, Vec<_>>::new();
    for row in rows {
        orders.entry(row.spv_id).or_default().push(row.id);
    }
    let mut approved = Vec::new();
    for ids in orders.values() {
        match approve(ctx, ids).await {
            Ok(rows) => approved.extend(rows),
            Err(Error::Conflict(problem)) if problem.code == "order_not_closed" => {}
            Err(e) => return Err(e),
        }
    }
    Ok(approved)
}

/// Voids a row, which then counts in no total, with a reason for the partner. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid without a reason; Conflict `commission_settled` once it is in a run or paid,
/// `commission_reversed` where the order has another row beside it: a reversal or a difference; stale.
#[tracing::instrument(level = "debug", name = "commissions.void", skip_all, fields(commission_id = %id))]
pub async fn void(ctx: &Ctx, id: CommissionId, version: Option<i64>, reason: &str) -> Result<Commission> {
    let seen = get(ctx, id).await?;
    ctx.may(Action::Update, Resource::Commissions)?;
    let mut check = Validator::new();
    let reason = check.text("reason", reason);
    check.finish()?;
    let (seen, reason) = (&seen, &reason);
    ctx.transaction(|tx| {
        async move {
            let row = lock(tx, seen).await?;
            fresh(version, row.version, &row.updated_by, row.updated_at)?;
            if !matches!(row.status, Status::Pending | Status::Approved) || row.run_id.is_some() {
                return Err(already_settled(&row));
            }
            // A row with a reversal cannot be voided alone: the other one would be owed.
            if store::earned_by_order(tx, row.spv_id).await? != row.amount_minor {
                return Err(Error::conflict("commission_reversed"));
            }
            store::set_status(tx, id, Status::Void, Some(reason.clone()), ctx.now(), &ctx.actor_name()).await?;
            let of = rollups::dimensions_of(tx, row.spv_id).await?;
            let facts = CommissionFacts {
                of,
                status: row.status,
                earned_date: row.earned_date,
                amount_minor: row.amount_minor,
            };
            rollup::count_change(tx, Some(facts), CommissionFacts { status: Status::Void, ..facts });
            activity::append(tx, ctx, event("commission.voided", &row).with("reason", reason.clone())).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Locks the order and the row, and reads the row.
async fn lock(tx: &mut Tx, row: &Commission) -> Result<Commission> {
    spvs::lock(tx, row.spv_id).await?;
    store::lock(tx, row.id).await?;
    store::get(tx, row.id).await?.ok_or(Error::NotFound("commission"))
}

fn already_settled(row: &Commission) -> Error {
    Error::Conflict(Problem::new("commission_settled").with("identifier", row.spv_identifier()))
}

fn event(action: &'static str, row: &Commission) -> Event {
    Event::new(action, "commission", row.id.0, row.spv_identifier())
        .of(None, Some(row.company_id), Some(row.iso_id))
        .spv(row.spv_id)
        .public()
}

fn resource(row: &Commission) -> Resource {
    Resource::Commission { company_id: row.company_id, iso_id: row.iso_id }
}

/// The actions that the actor may take on this row: its buttons.
pub fn can(ctx: &Ctx, row: &Commission) -> Vec<&'static str> {
    let open = matches!(row.status, Status::Pending | Status::Approved) && row.run_id.is_none();
    [("approve", row.status == Status::Pending), ("void", open)]
        .into_iter()
        .filter(|(_, fits)| *fits && ctx.can(Action::Update, Resource::Commissions))
        .map(|(name, _)| name)
        .collect()
}

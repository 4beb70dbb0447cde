//! Payout runs: all approved commissions, as one transfer for each partner and currency.
//!
//! A run never transfers a negative amount: where the approved rows of a partner in one currency, negative ones included, do
//! not add up to more than 0, the run leaves all of them out, and they wait for the next run, whose rows make up for them.
use super::{
    model::{Payout, PayoutPreview, Run, RunStatus},
    store,
};
use crate::{
    accounts::users,
    directory::isos::{self, PayoutAccount},
    kernel::{
        access::{Action, Resource},
        csv,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{PayoutId, PayoutRunId},
        page::{Page, PageQuery},
        text::unique_key,
        validate,
    },
    platform::{
        activity::{self, Event},
        approvals::{self, Act, Request, Total},
        settings,
    },
};
use chrono::{Datelike, Duration, NaiveDate};
use std::collections::BTreeMap;

/// The period whose payouts count together against the limit of four eyes.
const LIMIT_PERIOD: Duration = Duration::hours(24);

/// A run with its transfers.
#[derive(Clone, Debug)]
pub struct RunDetail {
    pub run: Run,
    pub payouts: Vec<Payout>,
    /// Whether its payment waits for the approval of a super admin.
    pub awaits_approval: bool,
}

/// What [`open`] would transfer, by partner and currency. Staff.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "commissions.preview", skip_all)]
pub async fn preview(ctx: &Ctx) -> Result<Vec<PayoutPreview>> {
    ctx.may(Action::Create, Resource::Payouts)?;
    store::due(&mut ctx.db()).await
}

/// Opens a run with all approved rows, except those of partners whose total is not positive. Staff.
///
/// # Errors
/// Forbidden; Conflict `nothing_approved`.
#[tracing::instrument(level = "debug", name = "commissions.open", skip_all)]
pub async fn open(ctx: &Ctx) -> Result<RunDetail> {
    ctx.may(Action::Create, Resource::Payouts)?;
    let opened = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(PayoutRunId(id));
            }
            let year = i64::from(settings::within(tx).await?.day(ctx.now()).year());
            let new = Run {
                id: PayoutRunId(ctx.random.uuid()),
                year,
                number: store::next_number(tx, year).await?,
                status: RunStatus::Open,
                created_at: ctx.now(),
                created_by: ctx.actor_name(),
                paid_date: None,
                updated_at: ctx.now(),
                updated_by: ctx.actor_name(),
                version: 1,
            };
            store::insert_run(tx, &new).await?;
            let mut transfers = 0;
            for due in store::due(tx).await? {
                let id = PayoutId(ctx.random.uuid());
                if store::claim(tx, id, new.id, due.iso_id, due.currency).await? > 0 {
                    transfers += 1;
                }
            }
            if transfers == 0 {
                return Err(Error::conflict("nothing_approved"));
            }
            let event = Event::new("payout_run.opened", "payout_run", new.id.0, new.name()).with("payouts", transfers);
            activity::append(tx, ctx, event).await?;
            idempotency::store(tx, ctx, new.id.0).await?;
            Ok(new.id)
        }
        .scope_boxed()
    });
    run(ctx, opened.await?).await
}

/// Marks a run as paid; its rows never change again. Where the payouts of a day pass the limit of four eyes it waits for
/// a second super admin. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid `paid_date`, also in the future; Conflict `run_ended`, `reauthentication_needed`; stale;
/// `approval_pending` and others of [`approvals::request`] where it waits.
#[tracing::instrument(level = "debug", name = "commissions.pay", skip_all, fields(payout_run_id = %id))]
pub async fn pay(ctx: &Ctx, id: PayoutRunId, version: Option<i64>, paid_date: Option<&str>) -> Result<RunDetail> {
    ctx.may(Action::Update, Resource::Payouts)?;
    ctx.require_recent_proof()?;
    let mut check = validate::Validator::new();
    let today = settings::office_today(ctx).await?;
    let date = check.optional("paid_date", paid_date, validate::date).unwrap_or(today);
    if date > today {
        check.reject("paid_date", Problem::new("future"));
    }
    check.finish()?;
    ctx.transaction(|tx| {
        async move {
            let before = lock_open(tx, id, version).await?;
            let totals = totals(&store::payouts(tx, &[id]).await?);
            let counted = with_recent(tx, ctx, &totals).await?;
            if approvals::is_required(tx, ctx, |rule| rule.holds_payouts(&counted)).await? {
                let request = Request::PayRun { version: before.version, paid_date: date, totals };
                return approvals::request(tx, ctx, &request, id.to_string(), before.name()).await.map(Err);
            }
            mark_paid(tx, ctx, before, date).await.map(Ok)
        }
        .scope_boxed()
    })
    .await??;
    run(ctx, id).await
}

/// [`pay`] of an approved run.
///
/// # Errors
/// NotFound; Conflict `run_ended`; stale.
pub(crate) async fn pay_approved(
    tx: &mut Tx,
    ctx: &Ctx,
    id: PayoutRunId,
    version: i64,
    paid_date: NaiveDate,
) -> Result<()> {
    let before = lock_open(tx, id, Some(version)).await?;
    mark_paid(tx, ctx, before, paid_date).await
}

/// The totals of a run with those that were paid in the last day without an approval, so that several runs below the limit of
/// four eyes are no way around it. Other payments wait meanwhile.
async fn with_recent(tx: &mut Tx, ctx: &Ctx, run: &[Total]) -> Result<Vec<Total>> {
    users::lock_super_admins(tx, ctx.now()).await?;
    let recent = store::paid_since(tx, ctx.now() - LIMIT_PERIOD).await?;
    let approved = approvals::approved_targets(tx, ctx, Act::PayRun, LIMIT_PERIOD).await?;
    let alone: Vec<PayoutRunId> = recent.into_iter().filter(|run| !approved.contains(&run.to_string())).collect();
    let paid = totals(&store::payouts(tx, &alone).await?);
    let sum = |total: &Total| {
        let before: i64 =
            paid.iter().filter(|paid| paid.currency == total.currency).map(|paid| paid.amount_minor).sum();
        Total { amount_minor: total.amount_minor + before, ..*total }
    };
    Ok(run.iter().map(sum).collect())
}

/// What a run transfers, by currency.
fn totals(payouts: &[Payout]) -> Vec<Total> {
    let mut sums: BTreeMap<&str, Total> = BTreeMap::new();
    for payout in payouts {
        let currency = payout.currency;
        sums.entry(currency.code()).or_insert(Total { currency, amount_minor: 0 }).amount_minor += payout.amount_minor;
    }
    sums.into_values().collect()
}

/// Discards a run whose transfers were not made. Its rows are pending again, as an order may have been reopened since
/// their approval. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `run_ended`; stale.
#[tracing::instrument(level = "debug", name = "commissions.discard", skip_all, fields(payout_run_id = %id))]
pub async fn discard(ctx: &Ctx, id: PayoutRunId, version: Option<i64>) -> Result<RunDetail> {
    ctx.may(Action::Update, Resource::Payouts)?;
    ctx.transaction(|tx| {
        async move {
            let before = lock_open(tx, id, version).await?;
            let discarded = end(tx, ctx, Run { status: RunStatus::Discarded, ..before }).await?;
            let event = Event::new("payout_run.discarded", "payout_run", id.0, discarded.name());
            activity::append(tx, ctx, event).await
        }
        .scope_boxed()
    })
    .await?;
    run(ctx, id).await
}

/// Locks a run that is neither paid nor discarded.
async fn lock_open(tx: &mut Tx, id: PayoutRunId, version: Option<i64>) -> Result<Run> {
    let run = store::lock_run(tx, id).await?.ok_or(Error::NotFound("payout_run"))?;
    fresh(version, run.version, &run.updated_by, run.updated_at)?;
    if run.status != RunStatus::Open {
        return Err(Error::Conflict(Problem::new("run_ended").with("name", run.name())));
    }
    Ok(run)
}

async fn mark_paid(tx: &mut Tx, ctx: &Ctx, before: Run, date: NaiveDate) -> Result<()> {
    let paid = end(tx, ctx, Run { status: RunStatus::Paid, paid_date: Some(date), ..before }).await?;
    activity::append(tx, ctx, Event::new("payout_run.paid", "payout_run", paid.id.0, paid.name())).await?;
    for payout in store::payouts(tx, &[paid.id]).await? {
        let event = Event::new("commission.paid", "payout", payout.id.0, paid.name())
            .of(None, Some(payout.company_id), Some(payout.iso_id))
            .public();
        activity::append(tx, ctx, event).await?;
    }
    Ok(())
}

/// Saves a locked run with its last status.
async fn end(tx: &mut Tx, ctx: &Ctx, run: Run) -> Result<Run> {
    let version = run.version + 1;
    let ended = Run { updated_at: ctx.now(), updated_by: ctx.actor_name(), version, ..run };
    store::end_run(tx, &ended).await?;
    Ok(ended)
}

/// One run. Staff.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "commissions.run", skip_all, fields(payout_run_id = %id))]
pub async fn run(ctx: &Ctx, id: PayoutRunId) -> Result<RunDetail> {
    ctx.may(Action::View, Resource::Payouts)?;
    let run = store::run(&mut ctx.db(), id).await?.ok_or(Error::NotFound("payout_run"))?;
    let payouts = store::payouts(&mut ctx.db(), &[id]).await?;
    let waiting = approvals::open_targets(ctx, Act::PayRun).await?;
    Ok(RunDetail { awaits_approval: awaits_approval(&run, &waiting), run, payouts })
}

/// Whether the payment of the run is among the acts that wait. A run may end meanwhile, paid by a service token or discarded.
fn awaits_approval(run: &Run, waiting: &[String]) -> bool {
    run.status == RunStatus::Open && waiting.contains(&run.id.to_string())
}

/// Finds a run by its name, `PAY-2026-001`, or id.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "commissions.find_run", skip_all)]
pub async fn find_run(ctx: &Ctx, name: &str) -> Result<RunDetail> {
    ctx.may(Action::View, Resource::Payouts)?;
    if let Ok(id) = name.parse() {
        return run(ctx, id).await;
    }
    let bare = unique_key(name);
    let parts = bare.strip_prefix("pay-").unwrap_or(&bare).split_once('-');
    let (year, number) =
        parts.and_then(|(year, n)| Some((year.parse().ok()?, n.parse().ok()?))).ok_or(Error::NotFound("payout_run"))?;
    let id = store::run_by_number(&mut ctx.db(), year, number).await?.ok_or(Error::NotFound("payout_run"))?;
    run(ctx, id).await
}

/// Runs with their transfers, newest first. Staff.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "commissions.runs", skip_all)]
pub async fn runs(ctx: &Ctx, page: &PageQuery) -> Result<Page<RunDetail>> {
    ctx.may(Action::View, Resource::Payouts)?;
    let limit = page.limit()?;
    let mut db = ctx.db();
    let found = store::runs(&mut db, page.after()?, limit + 1).await?;
    let found = Page::from_rows(found, limit, |run| (run.year, run.number));
    let ids: Vec<_> = found.items.iter().map(|run| run.id).collect();
    let payouts = store::payouts(&mut db, &ids).await?;
    let waiting = approvals::open_targets(ctx, Act::PayRun).await?;
    let of = |run: Run| RunDetail {
        payouts: payouts.iter().filter(|payout| payout.run_id == run.id).cloned().collect(),
        awaits_approval: awaits_approval(&run, &waiting),
        run,
    };
    Ok(Page { items: found.items.into_iter().map(of).collect(), next_cursor: found.next_cursor })
}

/// The transfers of a run as a CSV file for the bank; logged as an export. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `run_ended` for a discarded run, whose rows may be in another run.
#[tracing::instrument(level = "debug", name = "commissions.bank", skip_all, fields(payout_run_id = %id))]
pub async fn bank(ctx: &Ctx, id: PayoutRunId) -> Result<String> {
    let RunDetail { run, payouts, .. } = run(ctx, id).await?;
    if run.status == RunStatus::Discarded {
        return Err(Error::Conflict(Problem::new("run_ended").with("name", run.name())));
    }
    let accounts = isos::confirmed_accounts(&mut ctx.db()).await?;
    let mut text = String::new();
    csv::write_line(&mut text, BANK_COLUMNS.map(str::to_owned));
    for payout in payouts {
        // Empty until the staff have confirmed the partner's account.
        let account = accounts.get(&payout.iso_id);
        let cell = |of: fn(&PayoutAccount) -> Option<&String>| account.and_then(of).cloned().unwrap_or_default();
        let cells = [
            payout.iso_name(),
            payout.iso_email.clone(),
            payout.company_name.clone(),
            cell(|account| Some(&account.account_holder)),
            cell(|account| account.iban.as_ref()),
            cell(|account| account.account_number.as_ref()),
            cell(|account| account.routing_number.as_ref()),
            cell(|account| account.bic.as_ref()),
            payout.currency.format(payout.amount_minor),
            payout.currency.code().to_owned(),
            reference(&run, &payout),
        ];
        csv::write_line(&mut text, cells);
    }
    let event = &Event::new("export.made", "export", id.0, run.name());
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await?;
    Ok(text)
}

/// Columns of the bank's CSV file.
const BANK_COLUMNS: [&str; 11] = [
    "payee",
    "email",
    "company",
    "account_holder",
    "iban",
    "account_number",
    "routing_number",
    "bic",
    "amount",
    "currency",
    "reference",
];

/// The reference of a transfer: the run and the partner.
pub(super) fn reference(run: &Run, payout: &Payout) -> String {
    format!("{} {}", run.name(), &payout.iso_id.to_string()[..8])
}

/// The actions that the actor may take on this run: the buttons of its row.
pub fn can_run(ctx: &Ctx, RunDetail { run, awaits_approval, .. }: &RunDetail) -> Vec<&'static str> {
    let open = run.status == RunStatus::Open;
    let held = *awaits_approval && approvals::is_subject(&ctx.actor);
    [("bank", run.status != RunStatus::Discarded), ("pay", open && !held), ("discard", open)]
        .into_iter()
        .filter(|(_, fits)| *fits && ctx.can(Action::Update, Resource::Payouts))
        .map(|(name, _)| name)
        .collect()
}

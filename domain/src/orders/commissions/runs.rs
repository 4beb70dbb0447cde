//! Payout runs: all approved commissions, as one transfer for each partner and currency.
//!
//! A run never transfers a negative amount: where the approved rows of a partner in one currency, negative ones included, do
//! not add up to more than 0, the run leaves all of them out, and they wait for the next run, whose rows make up for them.
use super::{
    model::{Payout, PayoutPreview, Run, RunStatus},
    store,
};
use crate::{
    directory::isos::{self, PayoutAccount},
    kernel::{
        access::{Action, Resource},
        csv,
        ctx::{Ctx, fresh},
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        idempotency,
        ids::{PayoutId, PayoutRunId},
        page::{Page, PageQuery},
        text::unique_key,
        validate,
    },
    platform::{
        activity::{self, Event},
        settings,
    },
};
use chrono::Datelike;

/// A run with its transfers.
#[derive(Clone, Debug)]
pub struct RunDetail {
    pub run: Run,
    pub payouts: Vec<Payout>,
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

/// Marks a run as paid; its rows never change again. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid `paid_date`, also in the future; Conflict `run_ended`, `reauthentication_needed`; stale.
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
    end(ctx, id, version, |run| Run { status: RunStatus::Paid, paid_date: Some(date), ..run }).await
}

/// Discards a run whose transfers were not made. Its rows are pending again, as an order may have been reopened since
/// their approval. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `run_ended`; stale.
#[tracing::instrument(level = "debug", name = "commissions.discard", skip_all, fields(payout_run_id = %id))]
pub async fn discard(ctx: &Ctx, id: PayoutRunId, version: Option<i64>) -> Result<RunDetail> {
    ctx.may(Action::Update, Resource::Payouts)?;
    end(ctx, id, version, |run| Run { status: RunStatus::Discarded, ..run }).await
}

async fn end(
    ctx: &Ctx,
    id: PayoutRunId,
    version: Option<i64>,
    ended: impl Fn(Run) -> Run + Send + Sync,
) -> Result<RunDetail> {
    let ended = &ended;
    ctx.transaction(|tx| {
        async move {
            let before = store::lock_run(tx, id).await?.ok_or(Error::NotFound("payout_run"))?;
            fresh(version, before.version, &before.updated_by, before.updated_at)?;
            if before.status != RunStatus::Open {
                return Err(Error::Conflict(Problem::new("run_ended").with("name", before.name())));
            }
            let version = before.version + 1;
            let after = ended(Run { updated_at: ctx.now(), updated_by: ctx.actor_name(), version, ..before });
            store::end_run(tx, &after).await?;
            let paid = after.status == RunStatus::Paid;
            let action = if paid { "payout_run.paid" } else { "payout_run.discarded" };
            activity::append(tx, ctx, Event::new(action, "payout_run", id.0, after.name())).await?;
            if paid {
                for payout in store::payouts(tx, &[id]).await? {
                    let event = Event::new("commission.paid", "payout", payout.id.0, after.name())
                        .of(None, Some(payout.company_id), Some(payout.iso_id))
                        .public();
                    activity::append(tx, ctx, event).await?;
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    run(ctx, id).await
}

/// One run. Staff.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "commissions.run", skip_all, fields(payout_run_id = %id))]
pub async fn run(ctx: &Ctx, id: PayoutRunId) -> Result<RunDetail> {
    ctx.may(Action::View, Resource::Payouts)?;
    let mut db = ctx.db();
    let run = store::run(&mut db, id).await?.ok_or(Error::NotFound("payout_run"))?;
    Ok(RunDetail { payouts: store::payouts(&mut db, &[id]).await?, run })
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
    let of = |run: Run| RunDetail {
        payouts: payouts.iter().filter(|payout| payout.run_id == run.id).cloned().collect(),
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
    let RunDetail { run, payouts } = run(ctx, id).await?;
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
pub fn can_run(ctx: &Ctx, run: &Run) -> Vec<&'static str> {
    let open = run.status == RunStatus::Open;
    [("bank", run.status != RunStatus::Discarded), ("pay", open), ("discard", open)]
        .into_iter()
        .filter(|(_, fits)| *fits && ctx.can(Action::Update, Resource::Payouts))
        .map(|(name, _)| name)
        .collect()
}

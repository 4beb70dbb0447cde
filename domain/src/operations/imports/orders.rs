//! Imports an order and replays its steps and state transitions (order status table, decision 3).
use super::{Columns, CompanyContext, Import, Outcome, Row, cell, is_filled, store, text, valid};
use crate::{
    accounts::users,
    directory::clients,
    kernel::{
        access::Action,
        clock::{self, Clock},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{SpvId, StepId, UserId},
        money::{self, Currency},
        text::unique_key,
        validate::{self, LINE, Validator},
    },
    orders::{
        onboarding,
        spvs::{self, Country, Event, Status},
        steps::{self, Change},
    },
    platform::settings,
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::Tz;

pub(super) const COLUMNS: Columns = Columns {
    required: &["identifier", "client_email", "company_name"],
    optional: &[
        "iso_email",
        "iso_name",
        "vehicle_name",
        "reference",
        "country",
        "currency",
        "purchase_amount",
        "price",
        "commission",
        "iso_commission_percentage",
        "status",
        "status_reason",
        "ordered_date",
        "closed_at",
        "steps_completed",
    ],
    unread: &["id", "client_name", "amount", "iso_commission", "steps_total", "current_step"],
};

/// Values of a row.
struct OrderFields {
    vehicle_name: Option<String>,
    reference: Option<String>,
    country: Country,
    currency: Currency,
    purchase_amount_minor: Option<i64>,
    price_minor: Option<i64>,
    commission_minor: Option<i64>,
    iso_commission_percentage: Option<i64>,
    ordered_date: NaiveDate,
    progress: OrderProgress,
}

/// Status and progress of an order.
struct OrderProgress {
    status: Status,
    reason: Option<String>,
    steps_completed: Option<usize>,
    closed_at: Option<DateTime<Utc>>,
}

/// Creates the order of a row, unless its company has one with this identifier in any letter case (decision 7). Client,
/// partner and company must match and be active, as for other orders (decision 12).
///
/// An order with a known closing time is created as of its ordered date and closed as of that time, which its steps,
/// commissions and activity get. The steps of other orders are completed now, as their times are unknown.
///
/// # Errors
/// Invalid per field; Conflict `step_waits` if completed steps depend on others.
pub(super) async fn row(import: &mut Import, row: &Row) -> Result<Outcome> {
    let ctx = &import.ctx.clone();
    let mut check = Validator::new();
    let context = import.company(&mut check, row).await?;
    let read =
        |check: &mut Validator| check.single_line("identifier", text(row, "identifier"), spvs::MAX_IDENTIFIER_LENGTH);
    let identifier = valid(&mut check, read).unwrap_or_default();
    let Some(context) = context else {
        return Err(check.finish().err().unwrap_or(Error::NotFound("company")));
    };
    let company_id = context.company.id;
    let key = format!("{company_id} {}", unique_key(&identifier));
    let existing = match import.dry_run_keys.get(&key) {
        Some(spelling) => Some(spelling.clone()),
        None => store::find_existing(&mut ctx.db(), company_id, &identifier).await?,
    };
    if let Some(existing) = existing {
        return Ok(Outcome::exists(&identifier, &existing));
    }
    let iso_id = import.partner(&mut check, row, company_id).await?;
    let client_id = find_client(&mut check, ctx, row).await?;
    let fields = read_row(&mut check, row, &context, ctx.now());
    check.finish()?;
    let client_id = client_id.ok_or(Error::NotFound("client"))?;
    let new = &onboarding::NewOrder {
        iso_id,
        custom_identifier: Some(identifier.clone()),
        vehicle_name: fields.vehicle_name,
        reference: fields.reference,
        country: fields.country,
        price_minor: fields.price_minor,
        commission_minor: fields.commission_minor,
        purchase_amount_minor: fields.purchase_amount_minor,
        iso_commission_percentage: fields.iso_commission_percentage,
        status: if fields.progress.status == Status::Active { Status::Active } else { Status::Pending },
        invoiced: false,
        ..onboarding::NewOrder::new(client_id, company_id, fields.currency, fields.ordered_date)
    };
    let as_of = |at| Ctx { clock: Clock::fixed(at), ..ctx.clone() };
    let (at_start, at_end) = match fields.progress.closed_at {
        Some(at) => (as_of(clock::start_of_day(fields.ordered_date, zone(&context)).min(at)), as_of(at)),
        None => (ctx.clone(), ctx.clone()),
    };
    let (at_start, at_end, progress) = (&at_start, &at_end, &fields.progress);
    let made = import.create(key, &identifier, |tx| {
        async move {
            let id = onboarding::insert_order(tx, at_start, new.clone()).await?;
            replay_progress(tx, at_end, id, progress).await?;
            let today = settings::within(tx).await?.day(ctx.now());
            store::suppress_reminders(tx, id, today, today + Days::new(steps::DUE_SOON_DAYS)).await
        }
        .scope_boxed()
    });
    match made.await {
        // A concurrent import of the same file inserted it first.
        Err(e) if e.is_unique_violation() => Ok(Outcome::Exists(None)),
        made => made,
    }
}

/// Finds the client of a row by email.
async fn find_client(check: &mut Validator, ctx: &Ctx, row: &Row) -> Result<Option<UserId>> {
    let Some(email) = valid(check, |check| check.email("client_email", text(row, "client_email"))) else {
        return Ok(None);
    };
    let found = clients::by_email(&mut ctx.db(), &users::email_key(&email)).await?;
    Ok(check.read("client_email", found.ok_or_else(|| Problem::new("not_found"))))
}

/// Reads the cells that need no lookup. Defaults as in the forms: ordered today, in the US, in the company's currency.
/// One of the two amounts is required.
fn read_row(check: &mut Validator, row: &Row, context: &CompanyContext, now: DateTime<Utc>) -> OrderFields {
    let defaults = &context.defaults;
    let vehicle_name = check.optional_line("vehicle_name", cell(row, "vehicle_name"), LINE);
    let reference = check.optional_line("reference", cell(row, "reference"), spvs::MAX_IDENTIFIER_LENGTH);
    let country = check.optional("country", cell(row, "country"), str::parse).unwrap_or_default();
    let currency: Currency = check.optional("currency", cell(row, "currency"), str::parse).unwrap_or(defaults.currency);
    let mut amount = |name| check.optional(name, cell(row, name), |text| currency.parse(text));
    let [purchase_amount_minor, price_minor, commission_minor] =
        ["purchase_amount", "price", "commission"].map(&mut amount);
    if !is_filled(row, "purchase_amount") && !is_filled(row, "price") {
        check.reject("purchase_amount", Problem::new("required"));
    }
    let percent = "iso_commission_percentage";
    let iso_commission_percentage = check.optional(percent, cell(row, percent), money::parse_percent);
    // Commission rules, decision 15.
    if !is_filled(row, "iso_email") && !is_filled(row, "iso_name") {
        for name in ["commission", percent].into_iter().filter(|name| is_filled(row, name)) {
            check.reject(name, Problem::new("needs_iso"));
        }
    } else if is_filled(row, "commission") && is_filled(row, percent) {
        check.reject(percent, Problem::new("not_allowed"));
    }
    let ordered_date =
        check.optional("ordered_date", cell(row, "ordered_date"), validate::date).unwrap_or(defaults.today);
    let progress = read_progress(check, row, context, ordered_date, now);
    OrderFields {
        vehicle_name,
        reference,
        country,
        currency,
        purchase_amount_minor,
        price_minor,
        commission_minor,
        iso_commission_percentage,
        ordered_date,
        progress,
    }
}

/// Reads the status. On hold and cancelled require a reason, other statuses refuse one (decision 3).
fn read_progress(
    check: &mut Validator,
    row: &Row,
    context: &CompanyContext,
    ordered_date: NaiveDate,
    now: DateTime<Utc>,
) -> OrderProgress {
    let status = check.optional("status", cell(row, "status"), |text| unique_key(text).parse::<Status>());
    let status = status.unwrap_or(Status::Pending);
    let reason = check.optional_text("status_reason", cell(row, "status_reason"));
    match (matches!(status, Status::OnHold | Status::Cancelled), &reason) {
        (true, None) => check.reject("status_reason", Problem::new("required")),
        (false, Some(_)) => check.reject("status_reason", Problem::new("not_allowed")),
        _ => {}
    }
    let steps_completed = check.optional("steps_completed", cell(row, "steps_completed"), |text| {
        text.parse::<usize>().map_err(|_| Problem::new("malformed"))
    });
    let closed_at = check.optional("closed_at", cell(row, "closed_at"), |text| instant(text, zone(context)));
    if let Some(at) = closed_at {
        if status != Status::Closed {
            check.reject("closed_at", Problem::new("not_allowed"));
        } else if at > now {
            check.reject("closed_at", Problem::new("future"));
        } else if !is_filled(row, "ordered_date") {
            check.reject("ordered_date", Problem::new("required"));
        } else if context.company.today(at) < ordered_date {
            check.reject("closed_at", Problem::new("before_ordered"));
        }
    }
    // Without a closing time it is closed by its steps, today.
    if status == Status::Closed && closed_at.is_none() && context.company.today(now) < ordered_date {
        check.reject("ordered_date", Problem::new("future"));
    }
    OrderProgress { status, reason, steps_completed, closed_at }
}

/// Time zone of the company.
fn zone(context: &CompanyContext) -> Tz {
    context.company.time_zone.parse().unwrap_or(Tz::UTC)
}

/// An instant as exported, or the start of a day in the zone.
fn instant(text: &str, zone: Tz) -> std::result::Result<DateTime<Utc>, Problem> {
    match DateTime::parse_from_rfc3339(text) {
        Ok(at) => Ok(at.to_utc()),
        Err(_) => Ok(clock::start_of_day(validate::date(text)?, zone)),
    }
}

/// Replays the progress of a new order. Only a closed order has all steps completed, as the last one closes it. An
/// order on hold or cancelled was processed before if any step is completed.
async fn replay_progress(tx: &mut Tx, ctx: &Ctx, id: SpvId, progress: &OrderProgress) -> Result<()> {
    let (order, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    let total = usize::try_from(order.steps_total).map_err(Error::internal)?;
    let most = match progress.status {
        Status::Closed => total,
        Status::Active => 0,
        _ => total.saturating_sub(1),
    };
    let mut done = progress.steps_completed.unwrap_or(0);
    if done > most {
        let problem = Problem::new("out_of_range").with("min", 0).with("max", most);
        return Err(Error::field_with("steps_completed", problem));
    }
    if progress.status == Status::Closed {
        done = total;
    }
    let rests = matches!(progress.status, Status::OnHold | Status::Cancelled);
    if progress.status == Status::Processing || (rests && done > 0) {
        spvs::transition(tx, ctx, id, None, Action::Start, Event::Start, None).await?;
    }
    while let Some(step) = next(tx, id, done).await? {
        set_step_status(tx, ctx, step, steps::Status::Completed).await?;
    }
    let (action, event) = match progress.status {
        Status::Processing => {
            if let Some(step) = next(tx, id, total).await? {
                set_step_status(tx, ctx, step, steps::Status::InProgress).await?;
            }
            return Ok(());
        }
        Status::OnHold => (Action::Hold, Event::Hold),
        Status::Cancelled => (Action::Cancel, Event::Cancel),
        Status::Pending | Status::Active | Status::Closed => return Ok(()),
    };
    spvs::transition(tx, ctx, id, None, action, event, progress.reason.as_deref()).await.map(drop)
}

/// The next of the first `done` steps that is not completed, dependencies first. If all wait for later steps it is the
/// first one, whose completion is refused.
async fn next(tx: &mut Tx, id: SpvId, done: usize) -> Result<Option<StepId>> {
    let (_, steps) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    let mut left = steps.iter().take(done).filter(|step| step.status != steps::Status::Completed).peekable();
    let first = left.peek().map(|step| step.id);
    Ok(left.find(|step| step.open_dependencies(&steps).next().is_none()).map(|step| step.id).or(first))
}

async fn set_step_status(tx: &mut Tx, ctx: &Ctx, step: StepId, status: steps::Status) -> Result<()> {
    let change = Change { status: Some(status.name().to_owned()), ..Change::default() };
    steps::update_within(tx, ctx, step, None, change).await.map(drop)
}

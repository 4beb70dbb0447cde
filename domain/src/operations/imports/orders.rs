//! An order from a file, brought to where it stands by its steps and by the state machine (decision 3).
use super::{Home, Import, Outcome, Row, cell, is_filled, sound, store, text};
use crate::{
    accounts::users,
    directory::clients,
    kernel::{
        access::Action,
        clock::{self, Clock},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{SpvId, StepId},
        money::{self, Currency},
        text::unique_key,
        validate::{self, Check, LINE},
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

/// As the SPV tab takes them.
const IDENTIFIER: usize = 64;

/// What a row says of its order.
struct Said {
    vehicle_name: Option<String>,
    country: Country,
    currency: Currency,
    purchase_amount_minor: Option<i64>,
    price_minor: Option<i64>,
    commission_minor: Option<i64>,
    iso_commission_percentage: Option<i64>,
    ordered_date: NaiveDate,
    fate: Fate,
}

/// How far an order has come.
struct Fate {
    status: Status,
    reason: Option<String>,
    steps_completed: Option<usize>,
    closed_at: Option<DateTime<Utc>>,
}

/// Makes the order of a row, unless its company has one of this identifier, in any letter case (decision 7). Client,
/// ISO and company belong together and none of them is shut, as for an order made by hand (decision 12).
///
/// An order that was closed at a known time is made as of its ordered date and closed as of then: its steps, what its
/// partner earned and its entries of the log have that time. Of any other nobody knows when its steps were completed:
/// they are as of now.
///
/// # Errors
/// Invalid per field; Conflict `step_waits` where the steps that are completed wait for others.
pub(super) async fn row(import: &mut Import, row: &Row) -> Result<Outcome> {
    let ctx = &import.ctx.clone();
    let mut check = Check::new();
    let home = import.home(&mut check, row).await?;
    let read = |check: &mut Check| check.line("identifier", text(row, "identifier"), IDENTIFIER);
    let identifier = sound(&mut check, read).unwrap_or_default();
    let Some(home) = home else {
        return Err(check.done().err().unwrap_or(Error::NotFound("company")));
    };
    let company_id = home.company.id;
    let key = format!("{company_id} {}", unique_key(&identifier));
    let existing = match import.seen.get(&key) {
        Some(spelling) => Some(spelling.clone()),
        None => store::existing(&mut ctx.db(), company_id, &identifier).await?,
    };
    if let Some(existing) = existing {
        return Ok(Outcome::there(&identifier, &existing));
    }
    let iso_id = import.partner(&mut check, row, company_id).await?;
    let client_id = match sound(&mut check, |check| check.email("client_email", text(row, "client_email"))) {
        Some(email) => {
            let found = clients::by_email(&mut ctx.db(), &users::email_key(&email)).await?;
            check.read("client_email", found.ok_or_else(|| Problem::new("not_found")))
        }
        None => None,
    };
    let said = read_row(&mut check, row, &home, ctx.now());
    check.done()?;
    let client_id = client_id.ok_or(Error::NotFound("client"))?;
    let new = &onboarding::NewOrder {
        iso_id,
        custom_identifier: Some(identifier.clone()),
        vehicle_name: said.vehicle_name,
        country: said.country,
        price_minor: said.price_minor,
        commission_minor: said.commission_minor,
        purchase_amount_minor: said.purchase_amount_minor,
        iso_commission_percentage: said.iso_commission_percentage,
        status: if said.fate.status == Status::Active { Status::Active } else { Status::Pending },
        invoiced: false,
        ..onboarding::NewOrder::new(client_id, company_id, said.currency, said.ordered_date)
    };
    let as_of = |at| Ctx { clock: Clock::fixed(at), ..ctx.clone() };
    let (begun, ended) = match said.fate.closed_at {
        Some(at) => (as_of(clock::start_of_day(said.ordered_date, zone(&home)).min(at)), as_of(at)),
        None => (ctx.clone(), ctx.clone()),
    };
    let (begun, ended, fate) = (&begun, &ended, &said.fate);
    let made = import.make(key, &identifier, |tx| {
        async move {
            let id = onboarding::insert_order(tx, begun, new.clone()).await?;
            bring(tx, ended, id, fate).await?;
            let today = settings::within(tx).await?.day(ctx.now());
            store::hush(tx, id, today, today + Days::new(steps::DUE_SOON_DAYS)).await
        }
        .scope_boxed()
    });
    match made.await {
        // Another import of the same file inserted it first.
        Err(e) if e.is_unique_violation() => Ok(Outcome::There(None)),
        made => made,
    }
}

/// What the cells say that needs no look at the database. As in the forms an order is of today and of the US, and in the
/// currency of its company, unless it says otherwise; one of the two amounts is there.
fn read_row(check: &mut Check, row: &Row, home: &Home, now: DateTime<Utc>) -> Said {
    let usual = &home.usual;
    let vehicle_name = check.optional_line("vehicle_name", cell(row, "vehicle_name"), LINE);
    let country = check.optional("country", cell(row, "country"), str::parse).unwrap_or_default();
    let currency: Currency = check.optional("currency", cell(row, "currency"), str::parse).unwrap_or(usual.currency);
    let mut amount = |name| check.optional(name, cell(row, name), |text| currency.parse(text));
    let [purchase_amount_minor, price_minor, commission_minor] =
        ["purchase_amount", "price", "commission"].map(&mut amount);
    if !is_filled(row, "purchase_amount") && !is_filled(row, "price") {
        check.refuse("purchase_amount", Problem::new("required"));
    }
    let percent = "iso_commission_percentage";
    let iso_commission_percentage = check.optional(percent, cell(row, percent), money::parse_percent);
    // Decision 15.
    if !is_filled(row, "iso_email") && !is_filled(row, "iso_name") {
        for name in ["commission", percent].into_iter().filter(|name| is_filled(row, name)) {
            check.refuse(name, Problem::new("needs_iso"));
        }
    } else if is_filled(row, "commission") && is_filled(row, percent) {
        check.refuse(percent, Problem::new("not_allowed"));
    }
    let ordered_date = check.optional("ordered_date", cell(row, "ordered_date"), validate::date).unwrap_or(usual.today);
    let fate = read_fate(check, row, home, ordered_date, now);
    Said {
        vehicle_name,
        country,
        currency,
        purchase_amount_minor,
        price_minor,
        commission_minor,
        iso_commission_percentage,
        ordered_date,
        fate,
    }
}

/// An order on hold and a cancelled one have a reason, as people must give one, and no other has (decision 3).
fn read_fate(check: &mut Check, row: &Row, home: &Home, ordered_date: NaiveDate, now: DateTime<Utc>) -> Fate {
    let status = check.optional("status", cell(row, "status"), |text| unique_key(text).parse::<Status>());
    let status = status.unwrap_or(Status::Pending);
    let reason = check.optional_text("status_reason", cell(row, "status_reason"));
    match (matches!(status, Status::OnHold | Status::Cancelled), &reason) {
        (true, None) => check.refuse("status_reason", Problem::new("required")),
        (false, Some(_)) => check.refuse("status_reason", Problem::new("not_allowed")),
        _ => {}
    }
    let steps_completed = check.optional("steps_completed", cell(row, "steps_completed"), |text| {
        text.parse::<usize>().map_err(|_| Problem::new("malformed"))
    });
    let closed_at = check.optional("closed_at", cell(row, "closed_at"), |text| instant(text, zone(home)));
    if let Some(at) = closed_at {
        if status != Status::Closed {
            check.refuse("closed_at", Problem::new("not_allowed"));
        } else if at > now {
            check.refuse("closed_at", Problem::new("future"));
        } else if !is_filled(row, "ordered_date") {
            check.refuse("ordered_date", Problem::new("required"));
        } else if home.company.today(at) < ordered_date {
            check.refuse("closed_at", Problem::new("before_ordered"));
        }
    }
    // By its steps, today.
    if status == Status::Closed && closed_at.is_none() && home.company.today(now) < ordered_date {
        check.refuse("ordered_date", Problem::new("future"));
    }
    Fate { status, reason, steps_completed, closed_at }
}

/// Where the clock of the company stands.
fn zone(home: &Home) -> Tz {
    home.company.time_zone.parse().unwrap_or(Tz::UTC)
}

/// An instant as an export writes it, or the beginning of a day there.
fn instant(text: &str, zone: Tz) -> std::result::Result<DateTime<Utc>, Problem> {
    match DateTime::parse_from_rfc3339(text) {
        Ok(at) => Ok(at.to_utc()),
        Err(_) => Ok(clock::start_of_day(validate::date(text)?, zone)),
    }
}

/// Brings a new order to where it stands. Only a closed one has all of its steps completed: any other would close by
/// itself. One on hold or cancelled was processed before if any of its steps is completed.
async fn bring(tx: &mut Tx, ctx: &Ctx, id: SpvId, fate: &Fate) -> Result<()> {
    let (order, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    let total = usize::try_from(order.steps_total).map_err(Error::internal)?;
    let most = match fate.status {
        Status::Closed => total,
        Status::Active => 0,
        _ => total.saturating_sub(1),
    };
    let mut done = fate.steps_completed.unwrap_or(0);
    if done > most {
        let problem = Problem::new("out_of_range").with("min", 0).with("max", most);
        return Err(Error::field_with("steps_completed", problem));
    }
    if fate.status == Status::Closed {
        done = total;
    }
    let rests = matches!(fate.status, Status::OnHold | Status::Cancelled);
    if fate.status == Status::Processing || (rests && done > 0) {
        spvs::transition(tx, ctx, id, None, Action::Start, Event::Start, None).await?;
    }
    while let Some(step) = next(tx, id, done).await? {
        move_to(tx, ctx, step, steps::Status::Completed).await?;
    }
    let (action, event) = match fate.status {
        Status::Processing => {
            if let Some(step) = next(tx, id, total).await? {
                move_to(tx, ctx, step, steps::Status::InProgress).await?;
            }
            return Ok(());
        }
        Status::OnHold => (Action::Hold, Event::Hold),
        Status::Cancelled => (Action::Cancel, Event::Cancel),
        Status::Pending | Status::Active | Status::Closed => return Ok(()),
    };
    spvs::transition(tx, ctx, id, None, action, event, fate.reason.as_deref()).await.map(drop)
}

/// The next of the first `done` steps that is not completed. What others wait for comes first; where all of them wait
/// for later ones, the first is answered, and refused when it is moved.
async fn next(tx: &mut Tx, id: SpvId, done: usize) -> Result<Option<StepId>> {
    let (_, steps) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    let mut left = steps.iter().take(done).filter(|step| step.status != steps::Status::Completed).peekable();
    let first = left.peek().map(|step| step.id);
    Ok(left.find(|step| step.open_dependencies(&steps).next().is_none()).map(|step| step.id).or(first))
}

async fn move_to(tx: &mut Tx, ctx: &Ctx, step: StepId, status: steps::Status) -> Result<()> {
    let change = Change { status: Some(status.name().to_owned()), ..Change::default() };
    steps::update_within(tx, ctx, step, None, change).await.map(drop)
}

//! The steps of orders: staff move them, and with the last one the order closes (decisions 3 to 6).
mod model;
mod plan;
mod settle;
pub(crate) mod store;

pub(crate) use model::wrong_needs;
pub use model::{Change, MOST_DAYS, Party, Status, Step, business_days_after, is_overdue, owner};
pub use plan::{New, add, remove, reorder};
pub(crate) use settle::settle;
pub(crate) use store::copy;

use crate::{
    accounts::users,
    desk::tasks,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{SpvId, StepId, UserId},
        validate::Check,
    },
    orders::spvs::{self, Event, Spv},
    outbox::mails,
    platform::{activity, settings},
};
use chrono::{Days, NaiveDate};
use serde_json::Map;

/// One step with its order. Whoever may see the order.
///
/// # Errors
/// NotFound, also when the order is not the actor's to know of.
pub async fn get(ctx: &Ctx, id: StepId) -> Result<(Step, Spv)> {
    let spv = spvs::store::spv_of_step(&mut ctx.db(), id).await?.ok_or(Error::NotFound("step"))?;
    of(spvs::get(ctx, spv).await.map_err(as_step)?, id)
}

fn of(detail: spvs::Detail, id: StepId) -> Result<(Step, Spv)> {
    let step = detail.steps.into_iter().find(|step| step.id == id).ok_or(Error::NotFound("step"))?;
    Ok((step, detail.spv))
}

fn as_step(error: Error) -> Error {
    if matches!(error, Error::NotFound(_)) { Error::NotFound("step") } else { error }
}

/// Changes a step, and moves its order along: the first step that leaves pending takes an active order to
/// processing, the last completed one closes it and tells the client. Staff; once the order is closed, its
/// steps are a super admin's, and moving one needs a reason and reopens the order.
///
/// # Errors
/// Invalid per field; Conflict `wrong_status` while the order is on hold or cancelled, stale when `version` is
/// not the row's.
pub async fn update(ctx: &Ctx, id: StepId, version: Option<i64>, change: Change) -> Result<(Step, Spv)> {
    ctx.transaction(|tx| {
        let change = change.clone();
        async move { work(tx, ctx, id, version, change).await }.scope_boxed()
    })
    .await
}

/// [`update`] in a transaction that may do more.
pub(crate) async fn work(
    tx: &mut Tx,
    ctx: &Ctx,
    id: StepId,
    version: Option<i64>,
    change: Change,
) -> Result<(Step, Spv)> {
    let changed = self::change(tx, ctx, id, version, change).await?;
    settled(tx, ctx, changed).await
}

/// The step and its order, once what the step set free is done where it is done by itself.
async fn settled(tx: &mut Tx, ctx: &Ctx, (step, spv, free): Changed) -> Result<(Step, Spv)> {
    if free.is_empty() {
        return Ok((step, spv));
    }
    match Box::pin(settle(tx, ctx, spv.id, free)).await? {
        Some(detail) => of(detail, step.id),
        None => Ok((step, spv)),
    }
}

/// A step and its order, and the steps that it may have set free, for [`settle`].
type Changed = (Step, Spv, Vec<StepId>);

/// [`update`] in a transaction that may move more. Locks the order; the order is written before its step.
async fn change(tx: &mut Tx, ctx: &Ctx, id: StepId, version: Option<i64>, change: Change) -> Result<Changed> {
    let (before, mut steps) = spvs::store::lock_of_step(tx, id).await?.ok_or(Error::NotFound("step"))?;
    let resource = spvs::resource(&before);
    ctx.may(Action::UpdateSteps, resource).map_err(as_step)?;
    let place = steps.iter().position(|step| step.id == id).ok_or(Error::NotFound("step"))?;
    let old = steps[place].clone();
    fresh(version, old.version, &old.updated_by, old.updated_at)?;
    if matches!(before.status, spvs::Status::OnHold | spvs::Status::Cancelled) {
        return Err(Error::wrong_status(before.status));
    }
    let today = match change.business_days {
        Some(_) => Some(settings::within(tx).await?.day(ctx.now())),
        None => None,
    };
    let mut new = old.changed(&change, ctx.now(), today)?;
    assign(tx, &mut new, change.assignee_id).await?;
    if let Some(needs) = change.depends_on {
        new.depends_on = needs;
        plan::check_needs(&new, &steps)?;
    }
    (new.updated_at, new.updated_by, new.version) = (ctx.now(), ctx.who(), old.version + 1);
    let moved = new.status != old.status;
    if moved && matches!(new.status, Status::InProgress | Status::Completed) {
        plan::nothing_first(ctx, &new, &steps)?;
    }
    let mut state = before.state();
    let mut events = Vec::new();
    if before.status == spvs::Status::Closed {
        ctx.may(Action::UpdateClosedSteps, resource)?;
    }
    if moved && before.status == spvs::Status::Closed {
        let mut check = Check::new();
        let reason = check.text("reason", change.reason.as_deref().unwrap_or(""));
        check.done()?;
        state = state.after(Event::Reopen)?;
        events.push(spvs::told("spv.reopened", &before, state.status, Some(&reason)));
    }
    let planned = plan::is_changed(&old, &new);
    if planned {
        activity::append(tx, ctx, plan::told("step.planned", &before, &new)).await?;
    }
    let assigned = new.assignee_id != old.assignee_id;
    if assigned {
        activity::append(tx, ctx, self::assigned(&before, &new)).await?;
    }
    if differs(&old, &new) || !(assigned || planned) {
        activity::append(tx, ctx, told(&before, &old, &new)).await?;
    }
    let free = settle::set_free(&old, &new, &steps);
    // What others that are changed meanwhile may set free hangs on it: the order's version tells them.
    let waits = |step: &Step| (step.depends_on.clone(), step.completes_with_documents);
    let stays = !moved && new.step_name == old.step_name && waits(&new) == waits(&old);
    let spv = if stays {
        before
    } else {
        steps[place] = new.clone();
        if moved && old.status == Status::Pending && state.status == spvs::Status::Active {
            state = state.after(Event::FirstStepMoved)?;
            events.push(spvs::told("spv.processing", &before, state.status, None));
        }
        follow(tx, ctx, &before, &steps, state, events).await?
    };
    store::save(tx, &new).await?;
    plan::save(tx, &old, &new).await?;
    Ok((new, spv, free))
}

/// Brings an order after its steps: its progress, and its close with the last completed one, of which its client is
/// told.
async fn follow(
    tx: &mut Tx,
    ctx: &Ctx,
    before: &Spv,
    steps: &[Step],
    mut state: spvs::State,
    mut events: Vec<activity::Event>,
) -> Result<Spv> {
    let mut after = with_progress(before.clone(), steps);
    let done = |spv: &Spv| spv.steps_total > 0 && spv.steps_completed == spv.steps_total;
    // One that was reopened stays open until there was something left to do.
    if done(&after) && !done(before) && state.status.is_open() {
        state = state.after(Event::LastStepCompleted)?;
        after.closed_at = Some(ctx.now());
        events.push(spvs::told("spv.closed", before, state.status, None));
        spvs::mail(tx, ctx, mails::Kind::SpvClosed, before.client_id, before.id).await?;
    } else if state.status.is_open() {
        after.closed_at = None;
    }
    for event in events {
        activity::append(tx, ctx, event).await?;
    }
    spvs::moved(tx, ctx, before, after, state).await
}

/// Completes several steps of one order, all of them or none; what others wait for comes first. Staff.
///
/// # Errors
/// NotFound, also for a step of another order; Invalid `ids` without any; Conflict `stale` for an order that was
/// changed since; else as [`update`].
pub async fn complete(ctx: &Ctx, spv: SpvId, version: Option<i64>, ids: &[StepId]) -> Result<spvs::Detail> {
    let order = &spvs::get(ctx, spv).await?;
    ctx.may(Action::UpdateSteps, spvs::resource(&order.spv))?;
    if ids.is_empty() {
        return Err(Error::field("ids", "required"));
    }
    if ids.iter().any(|id| order.steps.iter().all(|step| step.id != *id)) {
        return Err(Error::NotFound("step"));
    }
    ctx.transaction(|tx| {
        async move {
            if version.is_some() {
                let (now, _) = plan::lock(tx, ctx, spv).await?;
                fresh(version, now.version, &now.updated_by, now.updated_at)?;
            }
            let chosen = |step: &&Step| ids.contains(&step.id) && step.status != Status::Completed;
            let mut left: Vec<&Step> = order.steps.iter().filter(chosen).collect();
            let mut set_free = Vec::new();
            while !left.is_empty() {
                let free = |step: &&Step| !left.iter().any(|other| step.depends_on.contains(&other.id));
                // There is always one: no step waits for itself.
                let step = left.remove(left.iter().position(free).unwrap_or(0));
                let done = Change { status: Some(Status::Completed.name().to_owned()), ..Change::default() };
                set_free.extend(change(tx, ctx, step.id, Some(step.version), done).await?.2);
            }
            settle(tx, ctx, spv, set_free).await.map(drop)
        }
        .scope_boxed()
    })
    .await?;
    spvs::get(ctx, spv).await
}

/// Gives a step to somebody of the staff, or to nobody.
async fn assign(tx: &mut Tx, step: &mut Step, to: Option<Option<UserId>>) -> Result<()> {
    let Some(to) = to.filter(|to| *to != step.assignee_id) else { return Ok(()) };
    step.assignee_name = match to {
        Some(id) => Some(tasks::is_staff(tx, id).await?.ok_or_else(|| Error::field("assignee_id", "not_found"))?),
        None => None,
    };
    step.assignee_id = to;
    Ok(())
}

/// Whether there is more to tell of than who has the step.
fn differs(old: &Step, new: &Step) -> bool {
    let told = |step: &Step| {
        (step.status, step.text_data.clone(), step.document_url.clone(), step.blocked_reason.clone(), step.waiting_on)
    };
    told(old) != told(new)
}

/// Who of the staff has a step is the staff's business.
fn assigned(spv: &Spv, step: &Step) -> activity::Event {
    let action = if step.assignee_id.is_some() { "step.assigned" } else { "step.unassigned" };
    let event = activity::Event::new(action, "step", step.id.0, spv.identifier())
        .of(Some(spv.client_id), Some(spv.company_id), spv.iso_id)
        .spv(spv.id)
        .with("step_name", step.step_name.clone());
    match (step.assignee_id, &step.assignee_name) {
        (Some(id), Some(name)) => event.with("assignee_id", id.to_string()).with("assignee", name.clone()),
        _ => event,
    }
}

/// Completed and pending steps and the current one, counted from the steps themselves.
fn with_progress(mut spv: Spv, steps: &[Step]) -> Spv {
    let count = |status| steps.iter().filter(|step| step.status == status).count() as i64;
    spv.steps_total = steps.len() as i64;
    spv.steps_completed = count(Status::Completed);
    spv.steps_pending = count(Status::Pending);
    spv.current_step = steps.iter().find(|step| step.status != Status::Completed).map(|step| step.step_name.clone());
    spv
}

/// What everybody whose order it is can see is told to all of them; a change of notes is for the staff.
fn told(spv: &Spv, old: &Step, new: &Step) -> activity::Event {
    let event = activity::Event::new("step.updated", "step", new.id.0, spv.identifier())
        .of(Some(spv.client_id), Some(spv.company_id), spv.iso_id)
        .spv(spv.id)
        .with("step_name", new.step_name.clone())
        .with("from", old.status.name())
        .with("to", new.status.name())
        .with("owner", new.owner.name());
    let event = match new.waiting_on {
        Some(party) => event.with("waiting_on", party.name()),
        None => event,
    };
    let shown = |step: &Step| (step.status, step.document_url.clone(), step.waiting_on, step.blocked_reason.clone());
    if shown(old) == shown(new) { event } else { event.public() }
}

/// Whether the steps of this order are the actor's to change as it stands.
pub fn may_update(ctx: &Ctx, spv: &Spv) -> bool {
    let action = match spv.status {
        spvs::Status::OnHold | spvs::Status::Cancelled => return false,
        spvs::Status::Closed => Action::UpdateClosedSteps,
        _ => Action::UpdateSteps,
    };
    ctx.can(action, spvs::resource(spv))
}

/// What the actor may do with this step as it stands: its buttons.
pub fn can(ctx: &Ctx, spv: &Spv, step: &Step) -> Vec<&'static str> {
    if !may_update(ctx, spv) {
        return Vec::new();
    }
    let removable = step.status == Status::Pending && spv.status.is_open();
    if removable { vec!["update", "delete"] } else { vec!["update"] }
}

/// How many days before its date people hear of a step, and of whatever else is due.
pub(crate) const SOON: u64 = 3;

/// What the log says of a date that is near or past. A step that waits for the client is the client's to hear of;
/// any other is for whoever of the staff has it, which is the staff's business.
fn due(action: &'static str, step: &store::Overdue) -> activity::Event {
    let identifier = spvs::display_identifier(step.spv_id, step.custom_identifier.as_deref());
    let event = activity::Event::new(action, "step", step.id.0, identifier)
        .of(Some(step.client_id), Some(step.company_id), step.iso_id)
        .spv(step.spv_id)
        .with("step_name", step.step_name.clone())
        .with("due_date", step.due_date.to_string());
    let clients = step.waiting_on.unwrap_or(step.owner) == Party::Client;
    match step.assignee_id {
        _ if clients => event.public(),
        Some(id) => event.with("assignee_id", id.to_string()),
        None => event,
    }
}

/// Reminds, once for each step, that its date is near, and once that it is past: in the morning of the client it waits
/// for, or of the office. The staff get one mail a person with all that became late, unless they chose the digest or
/// none. A scheduled job.
///
/// # Errors
/// Forbidden for people who may not send; what the database refuses.
pub async fn remind_overdue(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            let office = settings::within(tx).await?;
            let own = office.time_zone();
            let mut zones = users::client_zones(tx).await?;
            if !zones.iter().any(|zone| zone == own) {
                zones.push(own.to_owned());
            }
            let mut late = Vec::new();
            for (today, zones) in office.reminder_days(ctx.now(), zones) {
                let soon = (today, today + Days::new(SOON));
                for step in store::due(tx, soon, "warned_date", (&zones, own), 500).await? {
                    if store::warned(tx, step.id, today).await? {
                        activity::append(tx, ctx, due("step.due_soon", &step)).await?;
                    }
                }
                let past = (NaiveDate::default(), today - Days::new(1));
                for step in store::due(tx, past, "reminded_date", (&zones, own), 500).await? {
                    if store::reminded(tx, step.id, today).await? {
                        activity::append(tx, ctx, due("step.overdue", &step)).await?;
                        late.push(serde_json::json!({
                            "identifier": spvs::display_identifier(step.spv_id, step.custom_identifier.as_deref()),
                            "step_name": step.step_name,
                            "due_date": step.due_date,
                        }));
                    }
                }
            }
            let count = late.len();
            if count > 0 {
                let data = Map::from_iter([("count".to_owned(), count.into()), ("steps".to_owned(), late.into())]);
                for reader in store::staff(tx).await? {
                    mails::queue(tx, ctx, mails::Kind::StepOverdue, reader, None, data.clone()).await?;
                }
            }
            Ok(count)
        }
        .scope_boxed()
    })
    .await
}

/// The steps of one order, in order.
///
/// # Errors
/// NotFound, also when the order is not the actor's to know of.
pub async fn list(ctx: &Ctx, spv: SpvId) -> Result<Vec<Step>> {
    Ok(spvs::get(ctx, spv).await?.steps)
}

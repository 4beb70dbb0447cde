//! The steps of orders: the staff change them, and the last completed one closes the order (decisions 3 to 6).
mod auto_complete;
mod model;
mod plan;
mod store;

pub(crate) use auto_complete::auto_complete;
pub(crate) use model::find_dependency_problem;
pub use model::{Change, ListedStep, MAX_OFFSET_DAYS, Party, Status, Step, is_overdue, owner};
pub use plan::{NewStep, add, remove, reorder};
pub(crate) use store::{DEPENDENCY_COLUMNS, SELECT_DEPENDENCIES, copy};

use crate::{
    accounts::users,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{SpvId, StepId, UserId},
        page::{Page, PageQuery},
        validate::Validator,
    },
    orders::spvs::{self, Event, Spv},
    outbox::mails,
    platform::{activity, holidays, settings},
};
use chrono::{Days, NaiveDate};
use serde_json::Map;

/// One step with its order. Those who may see the order.
///
/// # Errors
/// NotFound, also for an order that the actor may not see.
#[tracing::instrument(level = "debug", name = "steps.get", skip_all, fields(step_id = %id))]
pub async fn get(ctx: &Ctx, id: StepId) -> Result<(Step, Spv)> {
    let spv = spvs::spv_of_step(&mut ctx.db(), id).await?.ok_or(Error::NotFound("step"))?;
    step_of(spvs::get(ctx, spv).await.map_err(map_not_found)?, id)
}

fn step_of(detail: spvs::Detail, id: StepId) -> Result<(Step, Spv)> {
    let step = detail.steps.into_iter().find(|step| step.id == id).ok_or(Error::NotFound("step"))?;
    Ok((step, detail.spv))
}

/// An order that the actor may not see is a step that is not found.
fn map_not_found(error: Error) -> Error {
    if matches!(error, Error::NotFound(_)) { Error::NotFound("step") } else { error }
}

/// Changes a step, and its order with it: the first step that leaves pending moves an active order to processing, the
/// last completed one closes it and mails the client. Staff. The steps of a closed order are a super admin's to change;
/// a change of status needs a reason then and reopens the order.
///
/// # Errors
/// Invalid per field; Conflict `wrong_status` while the order is on hold or cancelled, stale when `version` is
/// not the row's.
#[tracing::instrument(level = "debug", name = "steps.update", skip_all, fields(step_id = %id))]
pub async fn update(ctx: &Ctx, id: StepId, version: Option<i64>, change: Change) -> Result<(Step, Spv)> {
    ctx.transaction(|tx| {
        let change = change.clone();
        async move { update_within(tx, ctx, id, version, change).await }.scope_boxed()
    })
    .await
}

/// [`update`] in the caller's transaction.
pub(crate) async fn update_within(
    tx: &mut Tx,
    ctx: &Ctx,
    id: StepId,
    version: Option<i64>,
    change: Change,
) -> Result<(Step, Spv)> {
    let StepUpdate { step, spv, unblocked } = apply(tx, ctx, id, version, change).await?;
    if unblocked.is_empty() {
        return Ok((step, spv));
    }
    match Box::pin(auto_complete(tx, ctx, spv.id, unblocked)).await? {
        Some(detail) => step_of(detail, step.id),
        None => Ok((step, spv)),
    }
}

/// A changed step with its order, and the steps that the change may have unblocked, for [`auto_complete`].
struct StepUpdate {
    step: Step,
    spv: Spv,
    unblocked: Vec<StepId>,
}

/// [`update`] without the automatic completion of other steps. Locks the order, which is saved before the step.
async fn apply(tx: &mut Tx, ctx: &Ctx, id: StepId, version: Option<i64>, change: Change) -> Result<StepUpdate> {
    let (before, mut steps) = spvs::lock_of_step(tx, id).await?.ok_or(Error::NotFound("step"))?;
    ctx.may(Action::UpdateSteps, spvs::resource(&before)).map_err(map_not_found)?;
    let place = steps.iter().position(|step| step.id == id).ok_or(Error::NotFound("step"))?;
    let old = steps[place].clone();
    fresh(version, old.version, &old.updated_by, old.updated_at)?;
    if matches!(before.status, spvs::Status::OnHold | spvs::Status::Cancelled) {
        return Err(Error::wrong_status(before.status));
    }
    let reason = change.reason.clone();
    let new = changed(tx, ctx, (&before, &old), change, &steps).await?;
    let moved = new.status != old.status;
    if moved && matches!(new.status, Status::InProgress | Status::Completed) {
        plan::check_dependencies_done(ctx, &new, &steps)?;
    }
    let mut state = before.state();
    let mut events = Vec::new();
    if before.status == spvs::Status::Closed {
        ctx.may(Action::UpdateClosedSteps, spvs::resource(&before))?;
    }
    if moved && before.status == spvs::Status::Closed {
        let mut check = Validator::new();
        let reason = check.text("reason", reason.as_deref().unwrap_or(""));
        check.finish()?;
        state = state.after(Event::Reopen)?;
        events.push(spvs::status_event("spv.reopened", &before, state.status, Some(&reason)));
    }
    log_update(tx, ctx, &before, &old, &new).await?;
    let unblocked = auto_complete::newly_unblocked(&old, &new, &steps);
    // The order's version guards its progress, the name of its current step and the dependencies of other steps.
    let waits = |step: &Step| (step.depends_on.clone(), step.completes_with_documents);
    let order_unchanged = !moved && new.step_name == old.step_name && waits(&new) == waits(&old);
    let spv = if order_unchanged {
        before
    } else {
        steps[place] = new.clone();
        if moved && old.status == Status::Pending && state.status == spvs::Status::Active {
            state = state.after(Event::FirstStepMoved)?;
            events.push(spvs::status_event("spv.processing", &before, state.status, None));
        }
        update_order(tx, ctx, &before, &steps, state, events).await?
    };
    store::save(tx, &new).await?;
    plan::save(tx, &old, &new).await?;
    Ok(StepUpdate { step: new, spv, unblocked })
}

/// The step with a validated change.
async fn changed(tx: &mut Tx, ctx: &Ctx, (spv, old): (&Spv, &Step), change: Change, steps: &[Step]) -> Result<Step> {
    let office_days = match change.business_days {
        Some(_) => {
            let today = settings::within(tx).await?.day(ctx.now());
            Some(holidays::business_days(tx, spv.country, today).await?)
        }
        None => None,
    };
    let mut new = old.changed(&change, ctx.now(), office_days.as_ref())?;
    assign(tx, &mut new, change.assignee_id).await?;
    if let Some(dependencies) = change.depends_on {
        new.depends_on = dependencies;
        plan::check_dependencies(&new, steps)?;
    }
    (new.updated_at, new.updated_by, new.version) = (ctx.now(), ctx.actor_name(), old.version + 1);
    Ok(new)
}

/// Logs a change of the plan, of the assignee and of the rest, each for those who may see it.
async fn log_update(tx: &mut Tx, ctx: &Ctx, spv: &Spv, old: &Step, new: &Step) -> Result<()> {
    let planned = plan::is_changed(old, new);
    if planned {
        activity::append(tx, ctx, plan::event("step.planned", spv, new)).await?;
    }
    let assigned = new.assignee_id != old.assignee_id;
    if assigned {
        activity::append(tx, ctx, assigned_event(spv, new)).await?;
    }
    if work_changed(old, new) || !(assigned || planned) {
        activity::append(tx, ctx, updated_event(spv, old, new)).await?;
    }
    Ok(())
}

/// Saves an order's progress after its steps, and closes it with the last completed one. The client is emailed about the closing.
async fn update_order(
    tx: &mut Tx,
    ctx: &Ctx,
    before: &Spv,
    steps: &[Step],
    mut state: spvs::State,
    mut events: Vec<activity::Event>,
) -> Result<Spv> {
    let mut after = with_progress(before.clone(), steps);
    let done = |spv: &Spv| spv.steps_total > 0 && spv.steps_completed == spv.steps_total;
    // A reopened order closes only after a step was open again.
    if done(&after) && !done(before) && state.status.is_open() {
        state = state.after(Event::LastStepCompleted)?;
        after.closed_at = Some(ctx.now());
        events.push(spvs::status_event("spv.closed", before, state.status, None));
        spvs::mail(tx, ctx, mails::Kind::SpvClosed, before.client_id, before.id).await?;
    } else if state.status.is_open() {
        after.closed_at = None;
    }
    for event in events {
        activity::append(tx, ctx, event).await?;
    }
    spvs::save_change(tx, ctx, before, after, state).await
}

/// Completes several steps of one order, all or none, in the order of their dependencies. Staff.
///
/// # Errors
/// NotFound, also for a step of another order; Invalid `ids` without any; Conflict `stale` for another
/// version of the order; otherwise as [`update`].
#[tracing::instrument(level = "debug", name = "steps.complete", skip_all, fields(spv_id = %spv))]
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
            let to_complete = |step: &&Step| ids.contains(&step.id) && step.status != Status::Completed;
            let mut left: Vec<&Step> = order.steps.iter().filter(to_complete).collect();
            let mut unblocked = Vec::new();
            while !left.is_empty() {
                let free = |step: &&Step| !left.iter().any(|other| step.depends_on.contains(&other.id));
                // There is always one, as dependencies have no cycle.
                let step = left.remove(left.iter().position(free).unwrap_or(0));
                let done = Change { status: Some(Status::Completed.name().to_owned()), ..Change::default() };
                unblocked.extend(apply(tx, ctx, step.id, Some(step.version), done).await?.unblocked);
            }
            auto_complete(tx, ctx, spv, unblocked).await.map(drop)
        }
        .scope_boxed()
    })
    .await?;
    spvs::get(ctx, spv).await
}

/// Assigns a step to an active member of the staff, or to no one.
async fn assign(tx: &mut Tx, step: &mut Step, to: Option<Option<UserId>>) -> Result<()> {
    let Some(to) = to.filter(|to| *to != step.assignee_id) else { return Ok(()) };
    step.assignee_name = match to {
        Some(id) => {
            Some(users::active_staff_name(tx, id).await?.ok_or_else(|| Error::field("assignee_id", "not_found"))?)
        }
        None => None,
    };
    step.assignee_id = to;
    Ok(())
}

/// Whether more has changed than plan and assignee.
fn work_changed(old: &Step, new: &Step) -> bool {
    let work = |step: &Step| {
        (step.status, step.text_data.clone(), step.document_url.clone(), step.blocked_reason.clone(), step.waiting_on)
    };
    work(old) != work(new)
}

/// The event of a new assignee, for the staff only.
fn assigned_event(spv: &Spv, step: &Step) -> activity::Event {
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

/// The event of a change: public, except where only the staff's notes have changed.
fn updated_event(spv: &Spv, old: &Step, new: &Step) -> activity::Event {
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

/// Whether the actor may change the steps of this order in its present status.
pub fn may_update(ctx: &Ctx, spv: &Spv) -> bool {
    let action = match spv.status {
        spvs::Status::OnHold | spvs::Status::Cancelled => return false,
        spvs::Status::Closed => Action::UpdateClosedSteps,
        _ => Action::UpdateSteps,
    };
    ctx.can(action, spvs::resource(spv))
}

/// The actions that the actor may take on this step: its buttons.
pub fn can(ctx: &Ctx, spv: &Spv, step: &Step) -> Vec<&'static str> {
    if !may_update(ctx, spv) {
        return Vec::new();
    }
    let removable = step.status == Status::Pending && spv.status.is_open();
    if removable { vec!["update", "delete"] } else { vec!["update"] }
}

/// The days before a due date from which steps, document requests and invoices are reminded of.
pub(crate) const DUE_SOON_DAYS: u64 = 3;

/// The event of a due date that is near or past: public for a step that waits for the client, otherwise for its assignee
/// or the staff.
fn due_event(action: &'static str, step: &store::DueStep) -> activity::Event {
    let identifier = spvs::display_identifier(step.spv_id, step.custom_identifier.as_deref());
    let event = activity::Event::new(action, "step", step.id.0, identifier)
        .of(Some(step.client_id), Some(step.company_id), step.iso_id)
        .spv(step.spv_id)
        .with("step_name", step.step_name.clone())
        .with("due_date", step.due_date.to_string());
    let waits_for_client = step.waiting_on.unwrap_or(step.owner) == Party::Client;
    match step.assignee_id {
        _ if waits_for_client => event.public(),
        Some(id) => event.with("assignee_id", id.to_string()),
        None => event,
    }
}

/// Sends each step's reminders, one before its due date and one after it: in the morning of the client it waits for, or
/// of the office. Each member of the staff gets one mail with all steps that became overdue, unless they chose the
/// digest or no mail. A scheduled job; returns the number of overdue steps.
///
/// # Errors
/// Forbidden for people who may not send mails.
#[tracing::instrument(level = "debug", name = "steps.remind_overdue", skip_all)]
pub async fn remind_overdue(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            let office = settings::within(tx).await?;
            let own = office.time_zone();
            let mut zones = users::client_time_zones(tx).await?;
            if !zones.iter().any(|zone| zone == own) {
                zones.push(own.to_owned());
            }
            let mut late = Vec::new();
            for (today, zones) in office.reminder_days(ctx.now(), zones) {
                let soon = (today, today + Days::new(DUE_SOON_DAYS));
                for step in store::due(tx, soon, "warned_date", (&zones, own), 500).await? {
                    if store::mark_warned(tx, step.id, today).await? {
                        activity::append(tx, ctx, due_event("step.due_soon", &step)).await?;
                    }
                }
                let past = (NaiveDate::default(), today - Days::new(1));
                for step in store::due(tx, past, "reminded_date", (&zones, own), 500).await? {
                    if store::mark_reminded(tx, step.id, today).await? {
                        activity::append(tx, ctx, due_event("step.overdue", &step)).await?;
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
                for reader in store::reminder_recipients(tx).await? {
                    mails::queue(tx, ctx, mails::Kind::StepOverdue, reader, None, data.clone()).await?;
                }
            }
            Ok(count)
        }
        .scope_boxed()
    })
    .await
}

/// The steps of all orders, notes included, order by order. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "steps.all", skip_all)]
pub async fn all(ctx: &Ctx, page: &PageQuery) -> Result<Page<ListedStep>> {
    ctx.may(Action::View, Resource::System)?;
    let limit = page.limit()?;
    let rows = store::all(&mut ctx.db(), page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |step| (step.spv_id, step.step_order, step.id)))
}

/// The steps of one order, in order.
///
/// # Errors
/// NotFound, also for an order that the actor may not see.
#[tracing::instrument(level = "debug", name = "steps.list", skip_all, fields(spv_id = %spv))]
pub async fn list(ctx: &Ctx, spv: SpvId) -> Result<Vec<Step>> {
    Ok(spvs::get(ctx, spv).await?.steps)
}

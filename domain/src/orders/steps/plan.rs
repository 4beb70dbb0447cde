//! The plan of an order's work: adding, removing and reordering steps, and their dependencies.
use super::{
    auto_complete::{self, auto_complete},
    model::{Change, Status, Step, find_dependency_problem},
    store,
};
use crate::{
    kernel::{
        access::Action,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{SpvId, StepId},
        validate::Validator,
    },
    orders::{
        spvs::{self, Spv},
        templates,
    },
    platform::{activity, holidays, settings},
};

const MAX_STEPS: usize = 100;

/// The form of a step to add; by default the staff's, without a due date.
#[derive(Clone, Debug, Default)]
pub struct NewStep {
    pub step_name: String,
    pub owner: Option<String>,
    pub due_date: Option<String>,
    /// The due date in business days from the office's today, instead of a date.
    pub business_days: Option<i64>,
    pub completes_with_documents: bool,
    pub depends_on: Vec<StepId>,
}

/// Adds a pending step at the end of an open order. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `wrong_status` for an order on hold, cancelled or closed.
#[tracing::instrument(level = "debug", name = "steps.add", skip_all, fields(spv_id = %spv))]
pub async fn add(ctx: &Ctx, spv: SpvId, new: NewStep) -> Result<(Step, Spv)> {
    let new = &new;
    match ctx.transaction(|tx| add_in(tx, ctx, spv, new).scope_boxed()).await? {
        Added::Now(added) => Ok(*added),
        Added::Before(id) => super::get(ctx, id).await,
    }
}

/// The outcome of [`add_in`].
enum Added {
    Now(Box<(Step, Spv)>),
    /// An earlier request with the same idempotency key added it.
    Before(StepId),
}

/// [`add`] in its transaction.
async fn add_in(tx: &mut Tx, ctx: &Ctx, spv: SpvId, new: &NewStep) -> Result<Added> {
    let (before, mut steps) = lock(tx, ctx, spv).await?;
    if let Some(id) = idempotency::find_previous(tx, ctx).await? {
        return Ok(Added::Before(StepId(id)));
    }
    check_open(&before)?;
    let mut check = Validator::new();
    let mut step = Step {
        id: StepId(ctx.random.uuid()),
        spv_id: before.id,
        step_order: steps.iter().map(|step| step.step_order).max().unwrap_or(0) + 1,
        step_name: String::new(),
        status: Status::Pending,
        owner: super::Party::Staff,
        text_data: None,
        document_url: None,
        completed_at: None,
        due_date: None,
        blocked_reason: None,
        waiting_on: None,
        completes_with_documents: false,
        assignee_id: None,
        assignee_name: None,
        updated_at: ctx.now(),
        updated_by: ctx.actor_name(),
        version: 1,
        depends_on: new.depends_on.clone(),
    };
    let plan = Change {
        step_name: Some(new.step_name.clone()),
        owner: new.owner.clone(),
        due_date: new.due_date.clone(),
        business_days: new.business_days,
        completes_with_documents: Some(new.completes_with_documents),
        ..Change::default()
    };
    let today = settings::within(tx).await?.day(ctx.now());
    let office_days = holidays::business_days(tx, before.country, today).await?;
    step.plan(&plan, Some(&office_days), &mut check);
    if steps.len() >= MAX_STEPS {
        check.reject("step_name", Problem::new("too_many").with("max", MAX_STEPS));
    }
    check.finish()?;
    check_dependencies(&step, &steps)?;
    store::insert(tx, &step).await?;
    store::save_dependencies(tx, &step).await?;
    steps.push(step.clone());
    let added = event("step.added", &before, &step);
    let after = super::update_order(tx, ctx, &before, &steps, before.state(), vec![added]).await?;
    idempotency::store(tx, ctx, step.id.0).await?;
    Ok(Added::Now(Box::new((step, after))))
}

/// Removes a pending step from an open order, which closes where all other steps are completed. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `step_not_pending`, `wrong_status`, stale.
#[tracing::instrument(level = "debug", name = "steps.remove", skip_all, fields(step_id = %id))]
pub async fn remove(ctx: &Ctx, id: StepId, version: Option<i64>) -> Result<Spv> {
    ctx.transaction(|tx| {
        async move {
            let (before, mut steps) = spvs::lock_of_step(tx, id).await?.ok_or(Error::NotFound("step"))?;
            ctx.may(Action::UpdateSteps, spvs::resource(&before)).map_err(super::map_not_found)?;
            let place = steps.iter().position(|step| step.id == id).ok_or(Error::NotFound("step"))?;
            let step = steps.remove(place);
            fresh(version, step.version, &step.updated_by, step.updated_at)?;
            check_open(&before)?;
            if step.status != Status::Pending {
                return Err(Error::conflict("step_not_pending"));
            }
            store::delete(tx, id).await?;
            for later in &mut steps[place..] {
                later.step_order -= 1;
                store::save_step_order(tx, later.id, later.step_order).await?;
            }
            let removed = event("step.removed", &before, &step);
            let after = super::update_order(tx, ctx, &before, &steps, before.state(), vec![removed]).await?;
            let completed = auto_complete(tx, ctx, after.id, auto_complete::dependents(id, &steps)).await?;
            Ok(completed.map_or(after, |detail| detail.spv))
        }
        .scope_boxed()
    })
    .await
}

/// Reorders the steps of an order. Staff; of a closed order, super admins.
///
/// # Errors
/// NotFound; Forbidden; Invalid `ids` that are not exactly the order's steps; Conflict `wrong_status`, stale.
#[tracing::instrument(level = "debug", name = "steps.reorder", skip_all, fields(spv_id = %spv))]
pub async fn reorder(ctx: &Ctx, spv: SpvId, version: Option<i64>, ids: &[StepId]) -> Result<spvs::Detail> {
    ctx.transaction(|tx| {
        async move {
            let (before, steps) = lock(tx, ctx, spv).await?;
            fresh(version, before.version, &before.updated_by, before.updated_at)?;
            match before.status {
                spvs::Status::Closed => ctx.may(Action::UpdateClosedSteps, spvs::resource(&before))?,
                _ => check_open(&before)?,
            }
            let mut sorted = Vec::with_capacity(steps.len());
            for id in ids {
                let step = steps.iter().find(|step| step.id == *id).ok_or_else(|| Error::field("ids", "not_found"))?;
                if sorted.iter().any(|other: &Step| other.id == *id) {
                    return Err(Error::field("ids", "twice"));
                }
                sorted.push(step.clone());
            }
            // Another request added a step meanwhile, or ids are missing.
            if sorted.len() != steps.len() {
                return Err(Error::field("ids", "incomplete"));
            }
            let mut moved = false;
            for (n, step) in sorted.iter_mut().enumerate() {
                let place = n as i64 + 1;
                if step.step_order != place {
                    step.step_order = place;
                    store::save_step_order(tx, step.id, place).await?;
                    moved = true;
                }
            }
            let mut after = before.clone();
            if moved {
                let event = activity::Event::new("spv.reordered", "spv", before.id.0, before.identifier())
                    .of(Some(before.client_id), Some(before.company_id), before.iso_id)
                    .spv(before.id)
                    .public();
                after = super::update_order(tx, ctx, &before, &sorted, before.state(), vec![event]).await?;
            }
            Ok(spvs::Detail { spv: after, steps: sorted })
        }
        .scope_boxed()
    })
    .await
}

/// Locks the order and reads its steps. Staff.
pub(super) async fn lock(tx: &mut Tx, ctx: &Ctx, spv: SpvId) -> Result<(Spv, Vec<Step>)> {
    spvs::lock(tx, spv).await?;
    let (spv, steps) = spvs::find_with_steps(tx, spv).await?.ok_or(Error::NotFound("spv"))?;
    ctx.may(Action::UpdateSteps, spvs::resource(&spv))?;
    Ok((spv, steps))
}

/// Refuses a change of the set of steps of an order that is on hold, cancelled or closed.
fn check_open(spv: &Spv) -> Result<()> {
    match spv.status {
        spvs::Status::OnHold | spvs::Status::Cancelled | spvs::Status::Closed => Err(Error::wrong_status(spv.status)),
        _ => Ok(()),
    }
}

/// Refuses unknown, repeated and cyclic dependencies.
pub(super) fn check_dependencies(step: &Step, steps: &[Step]) -> Result<()> {
    let after = steps.iter().filter(|other| other.id != step.id).chain([step]);
    let dependencies: Vec<(StepId, &[StepId])> = after.map(|step| (step.id, step.depends_on.as_slice())).collect();
    find_dependency_problem(step.id, &dependencies).map_or(Ok(()), |problem| Err(Error::field("depends_on", problem)))
}

/// Refuses to begin or complete a step with open dependencies.
pub(super) fn check_dependencies_done(ctx: &Ctx, step: &Step, steps: &[Step]) -> Result<()> {
    let open: Vec<String> = step.open_dependencies(steps).map(|need| templates::shown(ctx, &need.step_name)).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(Error::Conflict(Problem::new("step_waits").with("steps", open.join(", "))))
}

/// Whether name, owner, due date or automatic completion have changed.
fn fields_changed(old: &Step, new: &Step) -> bool {
    old.due_date != new.due_date
        || old.step_name != new.step_name
        || old.owner != new.owner
        || old.completes_with_documents != new.completes_with_documents
}

/// Whether the plan of a step has changed.
pub(super) fn is_changed(old: &Step, new: &Step) -> bool {
    fields_changed(old, new) || old.depends_on != new.depends_on
}

/// Saves the changes of a step's plan.
pub(super) async fn save(tx: &mut Tx, old: &Step, new: &Step) -> Result<()> {
    if fields_changed(old, new) {
        store::save_plan(tx, new, old.due_date != new.due_date).await?;
    }
    if old.depends_on != new.depends_on {
        store::save_dependencies(tx, new).await?;
    }
    Ok(())
}

/// The event of a change of the plan, for those who may see the order.
pub(super) fn event(action: &'static str, spv: &Spv, step: &Step) -> activity::Event {
    activity::Event::new(action, "step", step.id.0, spv.identifier())
        .of(Some(spv.client_id), Some(spv.company_id), spv.iso_id)
        .spv(spv.id)
        .with("step_name", step.step_name.clone())
        .public()
}

//! How the work on an order is laid out: which steps it has, in which order, and which of them waits for which.
use super::{
    model::{Change, Status, Step, wrong_needs},
    settle::{self, settle},
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
        validate::Check,
    },
    orders::{
        spvs::{self, Spv},
        templates,
    },
    platform::{activity, settings},
};

/// An order has at most so many steps.
const MOST: usize = 100;

/// A step to be added. What is left out is as in a template: the staff's, without a date.
#[derive(Clone, Debug, Default)]
pub struct New {
    pub step_name: String,
    pub owner: Option<String>,
    pub due_date: Option<String>,
    /// Due so many business days from today, instead of a date.
    pub business_days: Option<i64>,
    pub completes_with_documents: bool,
    pub depends_on: Vec<StepId>,
}

/// Adds a pending step at the end of an open order. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `wrong_status` for an order that rests or is closed.
pub async fn add(ctx: &Ctx, spv: SpvId, new: New) -> Result<(Step, Spv)> {
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
async fn add_in(tx: &mut Tx, ctx: &Ctx, spv: SpvId, new: &New) -> Result<Added> {
    let (before, mut steps) = lock(tx, ctx, spv).await?;
    if let Some(id) = idempotency::made_before(tx, ctx).await? {
        return Ok(Added::Before(StepId(id)));
    }
    open(&before)?;
    let mut check = Check::new();
    let mut step = Step {
        id: StepId(ctx.chance.uuid()),
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
        updated_by: ctx.who(),
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
    step.plan(&plan, Some(today), &mut check);
    if steps.len() >= MOST {
        check.refuse("step_name", Problem::new("too_many").with("max", MOST));
    }
    check.done()?;
    check_needs(&step, &steps)?;
    store::insert(tx, &step).await?;
    store::save_needs(tx, &step).await?;
    steps.push(step.clone());
    let event = told("step.added", &before, &step);
    let after = super::follow(tx, ctx, &before, &steps, before.state(), vec![event]).await?;
    idempotency::remember(tx, ctx, step.id.0).await?;
    Ok(Added::Now(Box::new((step, after))))
}

/// Takes a pending step out of an open order, which closes when nothing is left to do. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `step_not_pending`, `wrong_status`, stale.
pub async fn remove(ctx: &Ctx, id: StepId, version: Option<i64>) -> Result<Spv> {
    ctx.transaction(|tx| {
        async move {
            let (before, mut steps) = spvs::store::lock_of_step(tx, id).await?.ok_or(Error::NotFound("step"))?;
            ctx.may(Action::UpdateSteps, spvs::resource(&before)).map_err(super::as_step)?;
            let place = steps.iter().position(|step| step.id == id).ok_or(Error::NotFound("step"))?;
            let step = steps.remove(place);
            fresh(version, step.version, &step.updated_by, step.updated_at)?;
            open(&before)?;
            if step.status != Status::Pending {
                return Err(Error::conflict("step_not_pending"));
            }
            store::delete(tx, id).await?;
            for later in &mut steps[place..] {
                later.step_order -= 1;
                store::place(tx, later.id, later.step_order).await?;
            }
            let event = told("step.removed", &before, &step);
            let after = super::follow(tx, ctx, &before, &steps, before.state(), vec![event]).await?;
            let settled = settle(tx, ctx, after.id, settle::after(id, &steps)).await?;
            Ok(settled.map_or(after, |detail| detail.spv))
        }
        .scope_boxed()
    })
    .await
}

/// Puts the steps of an order into another order. Staff; once the order is closed, super admins.
///
/// # Errors
/// NotFound; Forbidden; Invalid `ids` that are not exactly the order's steps; Conflict `wrong_status`, stale.
pub async fn reorder(ctx: &Ctx, spv: SpvId, version: Option<i64>, ids: &[StepId]) -> Result<spvs::Detail> {
    ctx.transaction(|tx| {
        async move {
            let (before, steps) = lock(tx, ctx, spv).await?;
            fresh(version, before.version, &before.updated_by, before.updated_at)?;
            match before.status {
                spvs::Status::Closed => ctx.may(Action::UpdateClosedSteps, spvs::resource(&before))?,
                _ => open(&before)?,
            }
            let mut sorted = Vec::with_capacity(steps.len());
            for id in ids {
                let step = steps.iter().find(|step| step.id == *id).ok_or_else(|| Error::field("ids", "not_found"))?;
                if sorted.iter().any(|other: &Step| other.id == *id) {
                    return Err(Error::field("ids", "twice"));
                }
                sorted.push(step.clone());
            }
            // Somebody else added one in the meantime, or some were left out.
            if sorted.len() != steps.len() {
                return Err(Error::field("ids", "incomplete"));
            }
            let mut moved = false;
            for (n, step) in sorted.iter_mut().enumerate() {
                let place = n as i64 + 1;
                if step.step_order != place {
                    step.step_order = place;
                    store::place(tx, step.id, place).await?;
                    moved = true;
                }
            }
            let mut after = before.clone();
            if moved {
                let event = activity::Event::new("spv.reordered", "spv", before.id.0, before.identifier())
                    .of(Some(before.client_id), Some(before.company_id), before.iso_id)
                    .spv(before.id)
                    .public();
                after = super::follow(tx, ctx, &before, &sorted, before.state(), vec![event]).await?;
            }
            Ok(spvs::Detail { spv: after, steps: sorted })
        }
        .scope_boxed()
    })
    .await
}

/// The order and its steps, kept from others until the transaction ends. Staff.
pub(super) async fn lock(tx: &mut Tx, ctx: &Ctx, spv: SpvId) -> Result<(Spv, Vec<Step>)> {
    spvs::store::lock(tx, spv).await?;
    let (spv, steps) = spvs::store::get(tx, spv).await?.ok_or(Error::NotFound("spv"))?;
    ctx.may(Action::UpdateSteps, spvs::resource(&spv))?;
    Ok((spv, steps))
}

/// Orders that rest or are closed keep the steps that they have.
fn open(spv: &Spv) -> Result<()> {
    match spv.status {
        spvs::Status::OnHold | spvs::Status::Cancelled | spvs::Status::Closed => Err(Error::wrong_status(spv.status)),
        _ => Ok(()),
    }
}

/// A step waits for others of its order, each once, and never for itself.
pub(super) fn check_needs(step: &Step, steps: &[Step]) -> Result<()> {
    let after = steps.iter().filter(|other| other.id != step.id).chain([step]);
    let needs: Vec<(StepId, &[StepId])> = after.map(|step| (step.id, step.depends_on.as_slice())).collect();
    wrong_needs(step.id, &needs).map_or(Ok(()), |problem| Err(Error::field("depends_on", problem)))
}

/// What waits for an open step cannot be begun, and even less completed.
pub(super) fn nothing_first(ctx: &Ctx, step: &Step, steps: &[Step]) -> Result<()> {
    let first: Vec<String> = step.open_needs(steps).map(|need| templates::shown(ctx, &need.step_name)).collect();
    if first.is_empty() {
        return Ok(());
    }
    Err(Error::Conflict(Problem::new("step_waits").with("steps", first.join(", "))))
}

/// Whether what a step is has changed: its name, whose, until when.
fn is_other(old: &Step, new: &Step) -> bool {
    old.due_date != new.due_date
        || old.step_name != new.step_name
        || old.owner != new.owner
        || old.completes_with_documents != new.completes_with_documents
}

/// Whether anything has changed in a step's plan.
pub(super) fn is_changed(old: &Step, new: &Step) -> bool {
    is_other(old, new) || old.depends_on != new.depends_on
}

/// Writes what has changed in a step's plan.
pub(super) async fn save(tx: &mut Tx, old: &Step, new: &Step) -> Result<()> {
    if is_other(old, new) {
        store::save_plan(tx, new, old.due_date != new.due_date).await?;
    }
    if old.depends_on != new.depends_on {
        store::save_needs(tx, new).await?;
    }
    Ok(())
}

/// A change of the plan is for everybody whose order it is.
pub(super) fn told(action: &'static str, spv: &Spv, step: &Step) -> activity::Event {
    activity::Event::new(action, "step", step.id.0, spv.identifier())
        .of(Some(spv.client_id), Some(spv.company_id), spv.iso_id)
        .spv(spv.id)
        .with("step_name", step.step_name.clone())
        .public()
}

//! Automatic completion: a step that completes with its documents is completed once the last required one is approved or
//! waived and no dependency is open.
use super::{Change, Status, Step, StepUpdate, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        ids::{SpvId, StepId},
    },
    orders::spvs,
};

/// Completes those of `candidates` that are ready, and in turn the steps that this unblocks. Returns the order with its
/// steps, or None where there was no candidate. The order is locked.
///
/// Candidates are only steps that something has just happened to: a step that the staff reopened stays open.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn auto_complete(
    tx: &mut Tx,
    ctx: &Ctx,
    spv: SpvId,
    mut candidates: Vec<StepId>,
) -> Result<Option<spvs::Detail>> {
    if candidates.is_empty() {
        return Ok(None);
    }
    let (mut spv, mut steps) = spvs::find_with_steps(tx, spv).await?.ok_or(Error::NotFound("spv"))?;
    let with_all_documents = store::with_all_documents(tx, spv.id).await?;
    while let Some(id) = candidates.pop() {
        let Some(place) = steps.iter().position(|step| step.id == id) else { continue };
        let ready = waits_for_documents(&steps[place])
            && with_all_documents.contains(&id)
            && steps[place].open_dependencies(&steps).next().is_none();
        if !ready || !spv.status.is_worked_on() {
            continue;
        }
        let completed = Change { status: Some(Status::Completed.name().to_owned()), ..Change::default() };
        let StepUpdate { step, spv: after, unblocked } = super::apply(tx, ctx, id, None, completed).await?;
        steps[place] = step;
        spv = after;
        candidates.extend(unblocked);
    }
    Ok(Some(spvs::Detail { spv, steps }))
}

fn waits_for_documents(step: &Step) -> bool {
    step.completes_with_documents && step.status != Status::Completed
}

/// The steps that a change may have unblocked: dependents of a step that was completed, and the step itself where it
/// waits for less than before.
pub(super) fn newly_unblocked(old: &Step, new: &Step, steps: &[Step]) -> Vec<StepId> {
    let moved = old.status != new.status;
    let mut unblocked = if moved && new.status == Status::Completed { dependents(new.id, steps) } else { Vec::new() };
    let plan_changed = !old.completes_with_documents || old.depends_on != new.depends_on;
    if !moved && plan_changed && waits_for_documents(new) {
        unblocked.push(new.id);
    }
    unblocked
}

/// The steps that depend on this one and wait for documents.
pub(super) fn dependents(id: StepId, steps: &[Step]) -> Vec<StepId> {
    let depends = |step: &&Step| step.depends_on.contains(&id) && waits_for_documents(step);
    steps.iter().filter(depends).map(|step| step.id).collect()
}

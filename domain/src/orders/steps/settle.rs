//! Steps that are done with their documents: they complete by themselves once the last required one is approved or
//! waived, and nothing comes before them any more.
use super::{Change, Status, Step};
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        ids::{SpvId, StepId},
    },
    orders::{document_requests, spvs},
};

/// Completes those of `asked` that are so far, and what that sets free in turn; says how the order is then, where it
/// had to look. The order is locked.
///
/// Only steps for which something has just happened are asked about: one that somebody opened again stays open.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn settle(tx: &mut Tx, ctx: &Ctx, spv: SpvId, mut asked: Vec<StepId>) -> Result<Option<spvs::Detail>> {
    if asked.is_empty() {
        return Ok(None);
    }
    let (mut spv, mut steps) = spvs::store::get(tx, spv).await?.ok_or(Error::NotFound("spv"))?;
    let ready = document_requests::store::steps_without_open(tx, spv.id).await?;
    while let Some(id) = asked.pop() {
        let Some(place) = steps.iter().position(|step| step.id == id) else { continue };
        let free = waits_for_documents(&steps[place]) && steps[place].open_needs(&steps).next().is_none();
        let in_work = spv.status.is_open() && spv.status != spvs::Status::OnHold;
        if !in_work || !free || !ready.contains(&id) {
            continue;
        }
        let completed = Change { status: Some(Status::Completed.name().to_owned()), ..Change::default() };
        let (step, after, next) = super::change(tx, ctx, id, None, completed).await?;
        steps[place] = step;
        spv = after;
        asked.extend(next);
    }
    Ok(Some(spvs::Detail { spv, steps }))
}

fn waits_for_documents(step: &Step) -> bool {
    step.completes_with_documents && step.status != Status::Completed
}

/// Which steps a change of one may have set free: those that came after it, and itself where it now waits for less.
pub(super) fn set_free(old: &Step, new: &Step, steps: &[Step]) -> Vec<StepId> {
    let moved = old.status != new.status;
    let mut free = if moved && new.status == Status::Completed { after(new.id, steps) } else { Vec::new() };
    let now_waits = !old.completes_with_documents || old.depends_on != new.depends_on;
    if !moved && now_waits && waits_for_documents(new) {
        free.push(new.id);
    }
    free
}

/// The steps that come after this one and wait for documents, too.
pub(super) fn after(id: StepId, steps: &[Step]) -> Vec<StepId> {
    let next = |step: &&Step| step.depends_on.contains(&id) && waits_for_documents(step);
    steps.iter().filter(next).map(|step| step.id).collect()
}

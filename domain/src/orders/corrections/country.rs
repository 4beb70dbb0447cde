//! The country of an order, corrected while every step is pending: the steps of the new country's template, and its requests
//! for documents, replace the old ones.
use super::store;
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
    },
    orders::{
        document_requests,
        spvs::Spv,
        steps::{self, Step},
        templates,
    },
    platform::holidays,
};

/// Replaces the steps; sets their counts in `after`.
///
/// # Errors
/// Conflict `steps_begun` where a step is no longer pending, is assigned or has a text, and `step_has_documents` where a
/// document was uploaded for one of their requests.
pub(super) async fn change(tx: &mut Tx, ctx: &Ctx, before: &Spv, steps: &[Step], after: &mut Spv) -> Result<()> {
    let refuse = |code| Err(Error::Conflict(Problem::new(code).with("country", before.country.code())));
    let is_used = |step: &Step| step.assignee_id.is_some() || step.text_data.is_some() || step.document_url.is_some();
    if before.steps_pending < before.steps_total || steps.iter().any(is_used) {
        return refuse("steps_begun");
    }
    if store::has_documents_of_steps(tx, before.id).await? {
        return refuse("step_has_documents");
    }
    store::remove_steps(tx, before.id).await?;
    let template = templates::steps_for(tx, after.country).await?;
    let from = holidays::business_days(tx, after.country, after.ordered_date).await?;
    let ids = steps::copy(tx, ctx, after.id, &from, &template).await?;
    after.steps_total = template.len() as i64;
    after.steps_pending = after.steps_total;
    after.steps_completed = 0;
    after.current_step = template.first().map(|step| step.step_name.clone());
    let steps = ids.into_iter().zip(&template);
    document_requests::create_from_template(tx, ctx, after.id, after.client_id, &from, steps).await
}

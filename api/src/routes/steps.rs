//! The steps of orders.
use crate::{
    answer::Row,
    error::Result,
    extract::{IfMatch, Json, Path, SignedIn, changed, chosen, emptied},
    routes::spvs::Progress,
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    ids::{SpvId, StepId, UserId},
    spvs,
    steps::{self, Change, Party, Status},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct Step {
    id: StepId,
    spv_id: SpvId,
    step_order: i64,
    step_name: String,
    status: Status,
    owner: Party,
    /// The staff's notes; null for others.
    text_data: Option<String>,
    document_url: Option<String>,
    completed_at: Option<DateTime<Utc>>,
    due_date: Option<NaiveDate>,
    blocked_reason: Option<String>,
    waiting_on: Option<Party>,
    /// Done once the last document required for it is approved or waived.
    completes_with_documents: bool,
    /// Who of the staff sees to it; null for others.
    assignee: Option<Assignee>,
    version: i64,
    /// What the caller may do with it: `update`.
    can: Vec<&'static str>,
}

/// Somebody of the staff.
#[derive(Debug, Serialize, ToSchema)]
pub struct Assignee {
    pub id: UserId,
    pub name: String,
}

impl Step {
    /// `open`: whether the caller may change the steps of its order.
    pub fn of(ctx: &Ctx, open: bool, row: steps::Step) -> Self {
        Self {
            id: row.id,
            spv_id: row.spv_id,
            step_order: row.step_order,
            step_name: row.step_name,
            status: row.status,
            owner: row.owner,
            text_data: row.text_data.filter(|_| ctx.actor.is_staff()),
            document_url: row.document_url,
            completed_at: row.completed_at,
            due_date: row.due_date,
            blocked_reason: row.blocked_reason,
            waiting_on: row.waiting_on,
            completes_with_documents: row.completes_with_documents,
            assignee: row
                .assignee_id
                .zip(row.assignee_name)
                .filter(|_| ctx.actor.is_staff())
                .map(|(id, name)| Assignee { id, name }),
            version: row.version,
            can: if open { vec!["update"] } else { Vec::new() },
        }
    }
}

/// One step.
#[utoipa::path(get, path = "/steps/{id}", operation_id = "step_get", tag = "steps", params(("id" = StepId, Path)),
    responses((status = 200, body = Step)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<StepId>) -> Result<Row<Step>> {
    let (step, spv) = steps::get(&ctx, id).await?;
    Ok(Row { version: step.version, view: Step::of(&ctx, steps::may_update(&ctx, &spv), step) })
}

/// What is left out stays as it is; null and empty texts clear.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StepChange {
    #[serde(default, deserialize_with = "chosen")]
    #[schema(value_type = Option<Status>)]
    status: Option<String>,
    #[serde(default, deserialize_with = "emptied")]
    text_data: Option<String>,
    /// https only.
    #[serde(default, deserialize_with = "emptied")]
    document_url: Option<String>,
    /// Required while blocked.
    #[serde(default, deserialize_with = "emptied")]
    blocked_reason: Option<String>,
    /// Required while blocked.
    #[serde(default, deserialize_with = "emptied")]
    #[schema(value_type = Option<Party>)]
    waiting_on: Option<String>,
    /// Of the active staff; null takes the step from whoever has it.
    #[serde(default, deserialize_with = "changed")]
    #[schema(value_type = Option<UserId>)]
    assignee_id: Option<Option<UserId>>,
    /// Required on a closed order, which it reopens.
    reason: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StepChanged {
    #[serde(flatten)]
    step: Step,
    spv: Moved,
}

/// What the change did to the step's order.
#[derive(Debug, Serialize, ToSchema)]
pub struct Moved {
    id: SpvId,
    status: spvs::Status,
    version: i64,
    progress: Progress,
    current_step: Option<String>,
    can: Vec<&'static str>,
}

/// Changes a step, and moves its order along.
#[utoipa::path(patch, path = "/steps/{id}", operation_id = "step_update", tag = "steps", params(("id" = StepId, Path)),
    request_body = StepChange, responses((status = 200, body = StepChanged)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<StepId>,
    IfMatch(version): IfMatch,
    Json(change): Json<StepChange>,
) -> Result<Row<StepChanged>> {
    let change = Change {
        status: change.status,
        text_data: change.text_data,
        document_url: change.document_url,
        blocked_reason: change.blocked_reason,
        waiting_on: change.waiting_on,
        assignee_id: change.assignee_id,
        reason: change.reason,
    };
    let (step, spv) = steps::update(&ctx, id, version, change).await?;
    let moved = Moved {
        id: spv.id,
        status: spv.status,
        version: spv.version,
        progress: Progress::of(&spv),
        can: spvs::can(&ctx, &spv),
        current_step: spv.current_step.clone(),
    };
    let step_version = step.version;
    let step = Step::of(&ctx, steps::may_update(&ctx, &spv), step);
    Ok(Row { version: step_version, view: StepChanged { step, spv: moved } })
}

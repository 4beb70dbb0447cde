//! Steps of orders.
use crate::{
    error::Result,
    extract::{CreateRequest, IfMatch, Json, Path, SignedIn, clearable, empty_string_as_none, patch_field},
    response::{self, Created, Versioned},
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    kernel::{
        access::{Action, Resource},
        ids::{SpvId, StepId, UserId},
    },
    orders::{
        spvs,
        steps::{self, Change, Party, Status},
        templates,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct Progress {
    completed: i64,
    total: i64,
    /// Whole percent; 0 without steps.
    percent: i64,
}

impl Progress {
    pub fn of(spv: &spvs::Spv) -> Self {
        Self { completed: spv.steps_completed, total: spv.steps_total, percent: spv.percent() }
    }
}

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
    #[serde(serialize_with = "response::maybe_instant")]
    completed_at: Option<DateTime<Utc>>,
    due_date: Option<NaiveDate>,
    blocked_reason: Option<String>,
    waiting_on: Option<Party>,
    /// Done once the last document required for it is approved or waived.
    completes_with_documents: bool,
    /// Steps of the same order that must be completed before it can be begun.
    depends_on: Vec<StepId>,
    /// Who of the staff sees to it; null for others.
    assignee: Option<Assignee>,
    version: i64,
    /// What the caller may do with it: `update`, `delete`.
    can: Vec<&'static str>,
}

/// Somebody of the staff.
#[derive(Debug, Serialize, ToSchema)]
pub struct Assignee {
    pub id: UserId,
    pub name: String,
}

impl Step {
    /// `spv`: its order.
    pub fn of(ctx: &Ctx, spv: &spvs::Spv, row: steps::Step) -> Self {
        let document = Resource::Document { client_id: spv.client_id, internal: false };
        Self {
            can: steps::can(ctx, spv, &row),
            id: row.id,
            spv_id: row.spv_id,
            step_order: row.step_order,
            step_name: templates::shown(ctx, &row.step_name),
            status: row.status,
            owner: row.owner,
            text_data: row.text_data.filter(|_| ctx.actor.is_staff()),
            document_url: row.document_url.filter(|_| ctx.can(Action::View, document)),
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
            depends_on: row.depends_on,
            version: row.version,
        }
    }
}

/// One step.
#[utoipa::path(get, path = "/steps/{id}", operation_id = "step_get", tag = "steps", params(("id" = StepId, Path)),
    responses((status = 200, body = Step)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<StepId>) -> Result<Versioned<Step>> {
    let (step, spv) = steps::get(&ctx, id).await?;
    Ok(Versioned { version: step.version, view: Step::of(&ctx, &spv, step) })
}

/// What is left out stays as it is; null and empty texts clear.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StepChange {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = Option<Status>)]
    status: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    text_data: Option<String>,
    /// https only.
    #[serde(default, deserialize_with = "clearable")]
    document_url: Option<String>,
    /// Required while blocked.
    #[serde(default, deserialize_with = "clearable")]
    blocked_reason: Option<String>,
    /// Required while blocked.
    #[serde(default, deserialize_with = "clearable")]
    #[schema(value_type = Option<Party>)]
    waiting_on: Option<String>,
    /// Of the active staff; null takes the step from whoever has it.
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<UserId>)]
    assignee_id: Option<Option<UserId>>,
    step_name: Option<String>,
    /// Whose work it is: staff, client, iso or authority.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = Option<Party>)]
    owner: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    #[schema(value_type = Option<NaiveDate>)]
    due_date: Option<String>,
    /// Due so many business days from the office's today, instead of a date.
    business_days: Option<i64>,
    completes_with_documents: Option<bool>,
    /// Steps of the same order, all of them; a circle is refused.
    depends_on: Option<Vec<StepId>>,
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
) -> Result<Versioned<StepChanged>> {
    let change = Change {
        status: change.status,
        text_data: change.text_data,
        document_url: change.document_url,
        blocked_reason: change.blocked_reason,
        waiting_on: change.waiting_on,
        assignee_id: change.assignee_id,
        step_name: change.step_name,
        owner: change.owner,
        due_date: change.due_date,
        business_days: change.business_days,
        completes_with_documents: change.completes_with_documents,
        depends_on: change.depends_on,
        reason: change.reason,
    };
    let (step, spv) = steps::update(&ctx, id, version, change).await?;
    let moved = Moved::of(&ctx, &spv);
    let step_version = step.version;
    Ok(Versioned { version: step_version, view: StepChanged { step: Step::of(&ctx, &spv, step), spv: moved } })
}

impl Moved {
    fn of(ctx: &Ctx, spv: &spvs::Spv) -> Self {
        Self {
            id: spv.id,
            status: spv.status,
            version: spv.version,
            progress: Progress::of(spv),
            can: spvs::can(ctx, spv),
            current_step: spv.current_step.as_deref().map(|name| templates::shown(ctx, name)),
        }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStep {
    #[serde(default)]
    #[schema(required)]
    step_name: String,
    /// Whose work it is: staff (unless told), client, iso or authority.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = Option<Party>)]
    owner: Option<String>,
    #[schema(value_type = Option<NaiveDate>)]
    due_date: Option<String>,
    /// Due so many business days from the office's today, instead of a date.
    business_days: Option<i64>,
    #[serde(default)]
    completes_with_documents: bool,
    /// Steps of the same order.
    #[serde(default)]
    depends_on: Vec<StepId>,
}

/// Adds a pending step at the end of an open order.
#[utoipa::path(post, path = "/spvs/{id}/steps", operation_id = "step_create", tag = "steps",
    params(("id" = SpvId, Path)), request_body = NewStep, responses((status = 201, body = StepChanged)))]
pub async fn create(
    Path(id): Path<SpvId>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewStep>,
) -> Result<Created<StepChanged>> {
    let new = steps::NewStep {
        step_name: input.step_name,
        owner: input.owner,
        due_date: input.due_date,
        business_days: input.business_days,
        completes_with_documents: input.completes_with_documents,
        depends_on: input.depends_on,
    };
    let (step, spv) = steps::add(&ctx, id, new).await?;
    let moved = Moved::of(&ctx, &spv);
    Ok(Created {
        location: format!("/rest/v1/steps/{}", step.id),
        version: step.version,
        view: StepChanged { step: Step::of(&ctx, &spv, step), spv: moved },
    })
}

/// Takes a pending step out of an open order, which closes when nothing is left to do.
#[utoipa::path(delete, path = "/steps/{id}", operation_id = "step_delete", tag = "steps",
    params(("id" = StepId, Path)), responses((status = 200, body = Moved)))]
pub async fn delete(
    SignedIn(ctx): SignedIn,
    Path(id): Path<StepId>,
    IfMatch(version): IfMatch,
) -> Result<Versioned<Moved>> {
    let spv = steps::remove(&ctx, id, version).await?;
    Ok(Versioned { version: spv.version, view: Moved::of(&ctx, &spv) })
}

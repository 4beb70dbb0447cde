//! Acts that wait for a second super admin.
use crate::{
    error::Result,
    extract::{EmptyBody, IfMatch, Json, Path, Query, SignedIn, empty_name_as_none},
    response::{JsonBody, Page, Versioned},
    state::AppState,
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx, Error, desk,
    kernel::{
        ids::{ApprovalId, UserId},
        money::Currency,
        page::PageQuery,
    },
    platform::{
        approvals::{self, Act, Request, Status},
        settings::FourEyes,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// An act that waits, or waited, for a second super admin.
#[derive(Debug, Serialize, ToSchema)]
pub struct Approval {
    id: ApprovalId,
    act: Act,
    /// The payout run or account; null for acts on neither.
    target_id: Option<Uuid>,
    /// Display name of the target: a payout run, a person, a key.
    #[schema(example = "PAY-2026-001")]
    subject: String,
    status: Status,
    requested_by: ApprovalPerson,
    requested_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    /// Null while it waits, and where it expired.
    decided_by: Option<ApprovalPerson>,
    decided_at: Option<DateTime<Utc>>,
    /// Why it was declined.
    reason: Option<String>,
    /// Of a payout run: what it transfers, by currency.
    totals: Vec<ApprovalTotal>,
    /// Of a payout run: the day to record.
    paid_date: Option<NaiveDate>,
    /// Of a new account.
    email: Option<String>,
    /// The setting as it is to become.
    four_eyes: Option<FourEyes>,
    version: i64,
    /// Actions allowed to the caller: `approve`, `decline`, `withdraw`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ApprovalPerson {
    id: UserId,
    name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ApprovalTotal {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
}

impl Approval {
    fn of(ctx: &Ctx, approval: approvals::Approval) -> Result<Self> {
        let can = approvals::can(ctx, &approval);
        let is_due = approval.status == Status::Pending && !approval.is_open(ctx.now());
        let mut view = Self {
            can,
            id: approval.id,
            act: approval.act,
            target_id: approval.target.parse().ok(),
            status: if is_due { Status::Expired } else { approval.status },
            requested_by: ApprovalPerson { id: approval.requested_by, name: approval.requester.clone() },
            requested_at: approval.requested_at,
            expires_at: approval.expires_at,
            decided_by: approval
                .decided_by
                .map(|id| ApprovalPerson { id, name: approval.decider.clone().unwrap_or_default() }),
            decided_at: approval.decided_at,
            totals: Vec::new(),
            paid_date: None,
            email: None,
            four_eyes: None,
            version: approval.version,
            subject: approval.subject.clone(),
            reason: approval.reason.clone(),
        };
        match approval.request()? {
            Request::PayRun { paid_date, totals, .. } => {
                let total = |total: approvals::Total| ApprovalTotal {
                    currency: total.currency,
                    amount: total.currency.format(total.amount_minor),
                };
                view.totals = totals.into_iter().map(total).collect();
                view.paid_date = Some(paid_date);
            }
            Request::CreateSuperAdmin(new) => view.email = Some(new.email),
            Request::ChangeFourEyes { to, .. } => view.four_eyes = Some(to),
            Request::MakeSuperAdmin { .. } | Request::RestoreSuperAdmin { .. } | Request::RotateKeys { .. } => {}
        }
        Ok(view)
    }
}

/// The answer to an act, or 202 with the approval that it waits for.
#[derive(Debug)]
pub enum Answer<T> {
    Done(T),
    Waiting(Waiting),
}

#[derive(Debug)]
pub struct Waiting(Box<Versioned<Approval>>);

impl<T> From<Waiting> for Answer<T> {
    fn from(waiting: Waiting) -> Self {
        Self::Waiting(waiting)
    }
}

impl<T: IntoResponse> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Done(answer) => answer.into_response(),
            Self::Waiting(Waiting(approval)) => (StatusCode::ACCEPTED, *approval).into_response(),
        }
    }
}

/// The result of an act, or the approval that it waits for.
pub async fn done_or_waiting<T>(ctx: &Ctx, result: domain::Result<T>) -> Result<Result<T, Waiting>> {
    let error = match result {
        Ok(done) => return Ok(Ok(done)),
        Err(error) => error,
    };
    let id = match &error {
        Error::Conflict(problem) if problem.code == "approval_pending" => problem.params.get("approval_id"),
        _ => None,
    };
    match id.and_then(|id| id.as_str()?.parse().ok()) {
        Some(id) => Ok(Err(Waiting(Box::new(row(ctx, approvals::get(ctx, id).await?)?)))),
        None => Err(error.into()),
    }
}

fn row(ctx: &Ctx, approval: approvals::Approval) -> Result<Versioned<Approval>> {
    Ok(Versioned { version: approval.version, view: Approval::of(ctx, approval)? })
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListApprovalsQuery {
    /// Default: all.
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<Status>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Acts that wait or waited for a second super admin, newest first. Super admins.
#[utoipa::path(get, path = "/approvals", operation_id = "approval_list", tag = "approvals", params(ListApprovalsQuery),
    responses((status = 200, body = Page<Approval>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListApprovalsQuery>,
) -> Result<JsonBody<Page<Approval>>> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = approvals::list(&ctx, query.status, &page).await?;
    let items = found.items.into_iter().map(|approval| Approval::of(&ctx, approval)).collect::<Result<_>>()?;
    Ok(JsonBody(Page { items, next_cursor: found.next_cursor, total: None }))
}

/// One act that waits or waited. Super admins and the person who asked.
#[utoipa::path(get, path = "/approvals/{id}", operation_id = "approval_get", tag = "approvals",
    params(("id" = ApprovalId, Path)), responses((status = 200, body = Approval)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<ApprovalId>) -> Result<Versioned<Approval>> {
    row(&ctx, approvals::get(&ctx, id).await?)
}

/// Approves an act, which is then carried out. Super admins with a recent proof, but not the person who asked.
#[utoipa::path(post, path = "/approvals/{id}/approve", operation_id = "approval_approve", tag = "approvals",
    params(("id" = ApprovalId, Path)), request_body = EmptyBody, responses((status = 200, body = Approval)))]
pub async fn approve(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<ApprovalId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Approval>> {
    let approved = desk::approvals::approve(&ctx, id, version, app.auth.keys.path()).await?;
    // A role may have changed.
    app.auth.token_cache.clear();
    row(&ctx, approved)
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalDeclined {
    reason: Option<String>,
}

/// Declines an act. Super admins, but not the person who asked.
#[utoipa::path(post, path = "/approvals/{id}/decline", operation_id = "approval_decline", tag = "approvals",
    params(("id" = ApprovalId, Path)), request_body = ApprovalDeclined, responses((status = 200, body = Approval)))]
pub async fn decline(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ApprovalId>,
    IfMatch(version): IfMatch,
    Json(input): Json<ApprovalDeclined>,
) -> Result<Versioned<Approval>> {
    row(&ctx, approvals::decline(&ctx, id, version, input.reason.as_deref()).await?)
}

/// Withdraws an act. The person who asked.
#[utoipa::path(post, path = "/approvals/{id}/withdraw", operation_id = "approval_withdraw", tag = "approvals",
    params(("id" = ApprovalId, Path)), request_body = EmptyBody, responses((status = 200, body = Approval)))]
pub async fn withdraw(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ApprovalId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Approval>> {
    row(&ctx, approvals::withdraw(&ctx, id, version).await?)
}

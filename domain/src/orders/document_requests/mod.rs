//! Document requests: what the staff ask an order's client for. Answered by an upload, then approved, sent back or waived.
mod model;
mod store;

pub use model::{DocumentRequest, Event, Input, Status};

use crate::{
    accounts::users,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{DocumentRequestId, SpvId, StepId, UserId},
        page::{Page, PageQuery},
        validate::Validator,
    },
    orders::{
        documents::{self, Document},
        spvs, steps,
        templates::TemplateStep,
    },
    outbox::{mails, notifications},
    platform::{activity, holidays::BusinessDays},
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use serde_json::{Map, Value, json};

/// The reminders of one kind that one run sends in one group of time zones.
const REMINDER_BATCH: i64 = 500;

/// Requests a document from an order's client and mails them. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `wrong_status` for an order on hold, cancelled or closed.
#[tracing::instrument(level = "debug", name = "document_requests.create", skip_all, fields(spv_id = %spv))]
pub async fn create(ctx: &Ctx, spv: SpvId, input: Input) -> Result<DocumentRequest> {
    let spv = spvs::get(ctx, spv).await?.spv;
    ctx.may(Action::Create, Resource::DocumentRequest { client_id: spv.client_id })?;
    let now = ctx.now();
    let mut request = DocumentRequest {
        id: DocumentRequestId(ctx.random.uuid()),
        spv_id: spv.id,
        client_id: spv.client_id,
        step_id: None,
        name: String::new(),
        instructions: None,
        required: true,
        due_date: None,
        status: Status::Requested,
        reason: None,
        created_at: now,
        updated_at: now,
        updated_by: ctx.actor_name(),
        version: 1,
        document_id: None,
        spv_status: spv.status,
    };
    request.set(&input)?;
    let (spv, new) = (&spv, &request);
    let earlier = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(Some(DocumentRequestId(id)));
            }
            lock_order(tx, spv.id, new, false).await?;
            let (locked, _) = spvs::find_with_steps(tx, spv.id).await?.ok_or(Error::NotFound("spv"))?;
            if locked.client_id != new.client_id {
                return Err(Error::conflict("conflict"));
            }
            store::insert(tx, new).await?;
            activity::append(tx, ctx, event("document_request.created", new)).await?;
            let summary = json!({ "name": new.name, "due_date": new.due_date });
            let data = Map::from_iter([("documents".to_owned(), json!([summary]))]);
            mail(tx, ctx, mails::Kind::DocumentRequested, spv.client_id, spv.id, data).await?;
            idempotency::store(tx, ctx, new.id.0).await?;
            Ok(None)
        }
        .scope_boxed()
    });
    match earlier.await? {
        Some(id) => get(ctx, id).await,
        None => Ok(request),
    }
}

/// Creates the document requests of a new order's template, each due with its step, and queues one mail about all of
/// them. In the transaction that inserts the order.
pub(crate) async fn create_from_template(
    tx: &mut Tx,
    ctx: &Ctx,
    spv: SpvId,
    client: UserId,
    from: &BusinessDays,
    steps: impl Iterator<Item = (StepId, &TemplateStep)>,
) -> Result<()> {
    let mut summaries = Vec::new();
    for (step_id, step) in steps {
        for document in &step.documents {
            let request = DocumentRequest {
                id: DocumentRequestId(ctx.random.uuid()),
                spv_id: spv,
                client_id: client,
                step_id: Some(step_id),
                name: document.name.clone(),
                instructions: document.instructions.clone(),
                required: document.required,
                due_date: Some(from.after(step.business_days)),
                status: Status::Requested,
                reason: None,
                created_at: ctx.now(),
                updated_at: ctx.now(),
                updated_by: ctx.actor_name(),
                version: 1,
                document_id: None,
                spv_status: spvs::Status::Pending,
            };
            store::insert(tx, &request).await?;
            activity::append(tx, ctx, event("document_request.created", &request)).await?;
            summaries.push(json!({ "name": request.name, "due_date": request.due_date }));
        }
    }
    if !summaries.is_empty() {
        let data = Map::from_iter([("documents".to_owned(), summaries.into())]);
        mail(tx, ctx, mails::Kind::DocumentRequested, client, spv, data).await?;
    }
    Ok(())
}

/// Queues a mail to a client who chose immediate mails; others have the digest, or the notification only.
async fn mail(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: mails::Kind,
    client: UserId,
    spv: SpvId,
    data: Map<String, Value>,
) -> Result<()> {
    let returned = kind == mails::Kind::DocumentReturned;
    let action = if returned { "document_request.returned" } else { "document_request.created" };
    if notifications::wants_mail_now(tx, client, notifications::Topic::Tasks, action).await? {
        mails::queue_after_setup(tx, ctx, kind, client, spv, data).await?;
    }
    Ok(())
}

/// Locks the order of a request and refuses one that is not worked on, and a step of another order. With `review`, the
/// requests of a closed order are accepted, too.
async fn lock_order(tx: &mut Tx, spv: SpvId, request: &DocumentRequest, review: bool) -> Result<()> {
    spvs::lock(tx, spv).await?;
    let (spv, steps) = spvs::find_with_steps(tx, spv).await?.ok_or(Error::NotFound("spv"))?;
    if is_resting(spv.status, review) {
        return Err(Error::wrong_status(spv.status));
    }
    if request.step_id.is_some_and(|id| !steps.iter().any(|step| step.id == id)) {
        return Err(Error::field("step_id", "not_found"));
    }
    Ok(())
}

/// Whether requests of an order with this status cannot change, or with `review` cannot be reviewed.
fn is_resting(status: spvs::Status, review: bool) -> bool {
    match status {
        spvs::Status::OnHold | spvs::Status::Cancelled => true,
        spvs::Status::Closed => !review,
        _ => false,
    }
}

/// The document requests of an order, oldest first. Its client, staff.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "document_requests.list", skip_all, fields(spv_id = %spv))]
pub async fn list(ctx: &Ctx, spv: SpvId) -> Result<Vec<DocumentRequest>> {
    let spv = spvs::get(ctx, spv).await?.spv;
    ctx.may(Action::View, Resource::DocumentRequest { client_id: spv.client_id })?;
    store::of_order(&mut ctx.db(), spv.id).await
}

/// A page of an order's document requests, optionally of one status. Its client, staff.
///
/// # Errors
/// NotFound; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "document_requests.page", skip_all, fields(spv_id = %spv))]
pub async fn page(ctx: &Ctx, spv: SpvId, status: Option<Status>, page: &PageQuery) -> Result<Page<DocumentRequest>> {
    let limit = page.limit()?;
    let after = page.after::<(DateTime<Utc>, DocumentRequestId)>()?;
    let place = |request: &DocumentRequest| (request.created_at, request.id);
    // An order has few requests: filtered in memory.
    let mut rows = list(ctx, spv).await?;
    rows.retain(|request| status.is_none_or(|status| request.status == status));
    rows.retain(|request| after.is_none_or(|after| place(request) > after));
    Ok(Page::from_rows(rows, limit, place))
}

/// One request. Its client, staff.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "document_requests.get", skip_all, fields(document_request_id = %id))]
pub async fn get(ctx: &Ctx, id: DocumentRequestId) -> Result<DocumentRequest> {
    let request = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("document_request"))?;
    ctx.may(Action::View, resource(&request))?;
    Ok(request)
}

/// Changes an open request. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; stale; Conflict `wrong_status`, `request_status`.
#[tracing::instrument(level = "debug", name = "document_requests.update", skip_all, fields(document_request_id = %id))]
pub async fn update(ctx: &Ctx, id: DocumentRequestId, version: Option<i64>, input: Input) -> Result<DocumentRequest> {
    change(ctx, id, version, Action::Update, "document_request.updated", |request| {
        if request.status.is_settled() {
            return Err(Error::Conflict(Problem::new("request_status").with("status", request.status.name())));
        }
        request.set(&input)
    })
    .await
}

/// Approves the uploaded document. Completes the step where this was the last document that it waits for. Staff.
///
/// # Errors
/// As [`update`]; Conflict `infected`, `being_scanned`.
#[tracing::instrument(level = "debug", name = "document_requests.approve", skip_all, fields(document_request_id = %id))]
pub async fn approve(ctx: &Ctx, id: DocumentRequestId, version: Option<i64>) -> Result<DocumentRequest> {
    change(ctx, id, version, Action::Review, "document_request.approved", |request| {
        request.status = request.status.after(Event::Approve)?;
        request.reason = None;
        Ok(())
    })
    .await
}

/// Sends the uploaded document back to the client with a reason. Staff.
///
/// # Errors
/// As [`update`]; Invalid without a reason.
#[tracing::instrument(
    level = "debug",
    name = "document_requests.send_back",
    skip_all,
    fields(document_request_id = %id)
)]
pub async fn send_back(
    ctx: &Ctx,
    id: DocumentRequestId,
    version: Option<i64>,
    reason: &str,
) -> Result<DocumentRequest> {
    change(ctx, id, version, Action::Review, "document_request.returned", |request| {
        let mut check = Validator::new();
        let reason = check.text("reason", reason);
        check.finish()?;
        request.status = request.status.after(Event::SendBack)?;
        request.reason = Some(reason);
        Ok(())
    })
    .await
}

/// Waives a request with a reason; counts for its step as an approval does. Staff.
///
/// # Errors
/// As [`update`]; Invalid without a reason.
#[tracing::instrument(level = "debug", name = "document_requests.waive", skip_all, fields(document_request_id = %id))]
pub async fn waive(ctx: &Ctx, id: DocumentRequestId, version: Option<i64>, reason: &str) -> Result<DocumentRequest> {
    change(ctx, id, version, Action::Review, "document_request.waived", |request| {
        let mut check = Validator::new();
        let reason = check.text("reason", reason);
        check.finish()?;
        request.status = request.status.after(Event::Waive)?;
        request.reason = Some(reason);
        Ok(())
    })
    .await
}

async fn change(
    ctx: &Ctx,
    id: DocumentRequestId,
    version: Option<i64>,
    action: Action,
    name: &'static str,
    apply: impl Fn(&mut DocumentRequest) -> Result<()> + Send + Sync,
) -> Result<DocumentRequest> {
    // Lock order: the order before the request.
    let found = get(ctx, id).await?;
    ctx.may(action, resource(&found))?;
    let (found, apply) = (&found, &apply);
    ctx.transaction(|tx| {
        async move {
            spvs::lock(tx, found.spv_id).await?;
            let mut request = lock(tx, id).await?;
            fresh(version, request.version, &request.updated_by, request.updated_at)?;
            let (before, awaited_by) = (request.status, request.awaited_by());
            apply(&mut request)?;
            let new_status = (request.status != before).then_some(request.status);
            if new_status == Some(Status::Approved)
                && let Some(document) = request.document_id
            {
                documents::require_latest_clean(tx, ctx, document).await?;
            }
            lock_order(tx, request.spv_id, &request, action == Action::Review).await?;
            save_change(tx, ctx, &mut request, name).await?;
            if new_status == Some(Status::NeedsRevision) {
                let data = Map::from_iter([
                    ("document".to_owned(), Value::from(request.name.clone())),
                    ("reason".to_owned(), request.reason.clone().into()),
                ]);
                let kind = mails::Kind::DocumentReturned;
                mail(tx, ctx, kind, request.client_id, request.spv_id, data).await?;
            }
            let unblocked = awaited_by.filter(|step| request.awaited_by() != Some(*step));
            steps::auto_complete(tx, ctx, request.spv_id, unblocked.into_iter().collect()).await?;
            Ok(request)
        }
        .scope_boxed()
    })
    .await
}

/// Sends each open request's reminders, one before its due date and one after it, in the morning of its client. A
/// scheduled job; returns the number of reminders.
///
/// # Errors
/// Forbidden for people who may not send mails.
#[tracing::instrument(level = "debug", name = "document_requests.remind", skip_all)]
pub async fn remind(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            let mut count = 0;
            for (today, zones) in users::client_reminder_days(ctx, tx).await? {
                for (action, from, until, mark) in [
                    ("document_request.due_soon", today, today + Days::new(steps::DUE_SOON_DAYS), "warned_date"),
                    ("document_request.overdue", NaiveDate::default(), today - Days::new(1), "reminded_date"),
                ] {
                    for request in store::due(tx, (from, until), mark, &zones, REMINDER_BATCH).await? {
                        if store::mark_reminded(tx, &request, mark, today).await? {
                            let due_date = request.due_date.unwrap_or(today).to_string();
                            activity::append(tx, ctx, event(action, &request).with("due_date", due_date)).await?;
                            count += 1;
                        }
                    }
                }
            }
            Ok(count)
        }
        .scope_boxed()
    })
    .await
}

async fn save_change(tx: &mut Tx, ctx: &Ctx, request: &mut DocumentRequest, name: &'static str) -> Result<()> {
    (request.updated_at, request.updated_by, request.version) = (ctx.now(), ctx.actor_name(), request.version + 1);
    store::save(tx, request).await?;
    activity::append(tx, ctx, event(name, request)).await
}

/// Locks a request until the transaction ends.
///
/// # Errors
/// NotFound.
pub(crate) async fn lock(tx: &mut Tx, id: DocumentRequestId) -> Result<DocumentRequest> {
    store::lock(tx, id).await?.ok_or(Error::NotFound("document_request"))
}

/// Checks that the actor may upload a document for this request in its present status and that of its order.
///
/// # Errors
/// NotFound; Conflict `request_status` for a settled request, `wrong_status` for an order that is closed or cancelled.
pub(crate) fn check_accepts_upload(ctx: &Ctx, request: &DocumentRequest) -> Result<()> {
    ctx.may(Action::Upload, resource(request))?;
    spvs::check_accepts_documents(ctx, Some(request.spv_status))?;
    request.status.after(Event::Upload).map(drop)
}

/// Marks a locked request as submitted, in the transaction that saves the uploaded version.
pub(crate) async fn mark_submitted(
    tx: &mut Tx,
    ctx: &Ctx,
    mut request: DocumentRequest,
    document: &Document,
) -> Result<()> {
    request.status = request.status.after(Event::Upload)?;
    request.reason = None;
    (request.updated_at, request.updated_by, request.version) = (ctx.now(), ctx.actor_name(), request.version + 1);
    store::save(tx, &request).await?;
    let event = event("document_request.submitted", &request)
        .with("document_id", document.id.to_string())
        .with("file_name", document.latest.file_name.clone())
        .with("number", document.versions_count);
    activity::append(tx, ctx, event).await
}

fn event(action: &'static str, request: &DocumentRequest) -> activity::Event {
    let event = activity::Event::new(action, "document_request", request.id.0, request.name.clone())
        .of(Some(request.client_id), None, None)
        .spv(request.spv_id)
        .public();
    match &request.reason {
        Some(reason) => event.with("reason", reason.clone()),
        None => event,
    }
}

fn resource(request: &DocumentRequest) -> Resource {
    Resource::DocumentRequest { client_id: request.client_id }
}

/// The actions that the actor may take on this request: its buttons.
pub fn can(ctx: &Ctx, request: &DocumentRequest) -> Vec<&'static str> {
    let open = !request.status.is_settled();
    let reviewed = !is_resting(request.spv_status, true);
    let fits = |event| request.status.after(event).is_ok() && (reviewed || event == Event::Upload);
    [
        ("upload", Action::Upload, check_accepts_upload(ctx, request).is_ok()),
        ("update", Action::Update, open && !is_resting(request.spv_status, false)),
        ("approve", Action::Review, fits(Event::Approve)),
        ("return", Action::Review, fits(Event::SendBack)),
        ("waive", Action::Review, fits(Event::Waive)),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource(request)))
    .map(|(name, ..)| name)
    .collect()
}

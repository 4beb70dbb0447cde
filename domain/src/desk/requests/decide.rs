//! Review, assignment and decision of requests. A request is approved, rejected or withdrawn once, under a row lock.
use super::{get, linked};
use crate::{
    accounts::users,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{RequestId, UserId},
        validate::Validator,
    },
    orders::{
        documents::{self, AttachmentOwner},
        onboarding,
    },
    outbox::{
        mails,
        requests::{
            self as rows, AccountType, Kind, LinkedEntity, Priority, Request, ResultRef, Status, event, lock_open,
            resource, staff_event,
        },
    },
    platform::activity::{self, Event},
};
use serde_json::{Map, Value};

/// Accepts an order request: creates a pending order, once however many try at a time. `input` is the order form as the
/// staff completed it; the client is that of the request. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, `not_an_order`, or an outdated version; Invalid per field of the
/// order.
#[tracing::instrument(level = "debug", name = "requests.accept", skip_all, fields(desk_request_id = %id))]
pub async fn accept(ctx: &Ctx, id: RequestId, version: Option<i64>, input: onboarding::OrderInput) -> Result<Request> {
    let input = &input;
    ctx.transaction(|tx| {
        async move {
            let request = lock_open(tx, ctx, id, version, Action::Update).await?;
            let Some(order) = request.order() else { return Err(Error::conflict("not_an_order")) };
            // The client's first proposal, unless the staff choose another name.
            let vehicle_name = input.vehicle_name.clone().or_else(|| order.proposed_names.first().cloned());
            let new = onboarding::validate_order(
                tx,
                ctx,
                &onboarding::OrderInput { client_id: request.user_id, vehicle_name, ..input.clone() },
            )
            .await?;
            let spv = onboarding::insert_with_identifier(tx, ctx, new).await.map_err(onboarding::map_duplicate)?;
            let client = request.user_id.ok_or_else(|| Error::conflict("not_an_order"))?;
            let mut held = documents::attachments_of(tx, ctx, AttachmentOwner::Request, vec![id.0]).await?;
            for document in held.remove(&id.0).unwrap_or_default() {
                // A document assigned to another order in the meantime stays there.
                match documents::assign(tx, document.id, client, spv).await {
                    Ok(()) | Err(Error::NotFound(_)) => {}
                    Err(e) => return Err(e),
                }
            }
            let decided = Request { spv_id: Some(spv), ..request.decided(ctx, Status::Approved, None) };
            let event = event("request.approved", &decided).spv(spv);
            save_decision(tx, ctx, &decided, event).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Approves a request that creates nothing, with an optional `answer` to its sender. An application of a colleague is
/// approved by inviting them. Staff; colleagues only super admins.
///
/// # Errors
/// NotFound; Forbidden; Invalid `reply`; Conflict `request_decided`, an outdated version, `approved_by_order`,
/// `approved_by_account`, `approved_by_lead` and `approved_by_call` for kinds that are approved by creating something,
/// `email_taken`.
#[tracing::instrument(level = "debug", name = "requests.approve", skip_all, fields(desk_request_id = %id))]
pub async fn approve(ctx: &Ctx, id: RequestId, version: Option<i64>, answer: Option<&str>) -> Result<Request> {
    ctx.transaction(|tx| {
        async move {
            let request = lock_open(tx, ctx, id, version, Action::Update).await?;
            let mut check = Validator::new();
            let answer = check.optional_text("reply", answer);
            check.finish()?;
            if let Some(entity) = request.linked() {
                return Err(linked::approved_elsewhere(entity));
            }
            match request.kind {
                Kind::Order => Err(Error::conflict("approved_by_order")),
                Kind::Account => create_colleague(tx, ctx, &request, answer).await,
                Kind::Lead | Kind::Document | Kind::Support | Kind::Call | Kind::Other => {
                    write_back(tx, ctx, &request, mails::Kind::RequestAnswered, answer.as_deref()).await?;
                    let decided = request.decided(ctx, Status::Approved, answer);
                    let event = event("request.approved", &decided);
                    save_decision(tx, ctx, &decided, event).await
                }
            }
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Rejects a request with a reason for its sender. Declines a linked call, and marks a linked lead as lost. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid without a reason; Conflict `request_decided`, or an outdated version.
#[tracing::instrument(level = "debug", name = "requests.reject", skip_all, fields(desk_request_id = %id))]
pub async fn reject(ctx: &Ctx, id: RequestId, version: Option<i64>, reason: &str) -> Result<Request> {
    if let Some(entity) = linked_entity(ctx, id, version, Action::Update).await? {
        linked::reject(ctx, entity, reason).await?;
        return get(ctx, id).await;
    }
    ctx.transaction(|tx| {
        async move {
            let request = lock_open(tx, ctx, id, version, Action::Update).await?;
            let mut check = Validator::new();
            let reason = check.text("reason", reason);
            check.finish()?;
            write_back(tx, ctx, &request, mails::Kind::RequestDeclined, Some(&reason)).await?;
            let event = event("request.rejected", &request).with("reason", reason.clone());
            save_decision(tx, ctx, &request.decided(ctx, Status::Rejected, Some(reason)), event).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Mails the answer to a sender without an account; users get a notification.
async fn write_back(tx: &mut Tx, ctx: &Ctx, request: &Request, kind: mails::Kind, text: Option<&str>) -> Result<()> {
    // Leads are written down by the staff and expect no answer.
    if request.user_id.is_some() || request.kind == Kind::Lead {
        return Ok(());
    }
    let data = Map::from_iter([
        ("reference".to_owned(), Value::from(request.reference())),
        ("reason".to_owned(), text.unwrap_or_default().into()),
    ]);
    let to = (request.email.clone(), request.name.clone());
    mails::queue_answer(tx, ctx, kind, to, request.language.clone(), data).await
}

/// Withdraws the actor's own request, and the lead or call it is linked to. Not for staff.
///
/// # Errors
/// NotFound; Forbidden for all others; Conflict `request_decided`, `call_answered`, or an outdated version.
#[tracing::instrument(level = "debug", name = "requests.withdraw", skip_all, fields(desk_request_id = %id))]
pub async fn withdraw(ctx: &Ctx, id: RequestId, version: Option<i64>) -> Result<Request> {
    if let Some(entity) = linked_entity(ctx, id, version, Action::Cancel).await? {
        if ctx.actor.is_staff() {
            return Err(Error::forbidden("forbidden"));
        }
        linked::withdraw(ctx, entity).await?;
        return get(ctx, id).await;
    }
    ctx.transaction(|tx| {
        async move {
            let request = lock_open(tx, ctx, id, version, Action::Cancel).await?;
            let event = event("request.withdrawn", &request);
            save_decision(tx, ctx, &request.decided(ctx, Status::Withdrawn, None), event).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Takes a request into review and assigns it to the actor, unless it is assigned. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, `in_review`, or an outdated version.
#[tracing::instrument(level = "debug", name = "requests.review", skip_all, fields(desk_request_id = %id))]
pub async fn review(ctx: &Ctx, id: RequestId, version: Option<i64>) -> Result<Request> {
    ctx.transaction(|tx| {
        async move {
            let request = lock_open(tx, ctx, id, version, Action::Update).await?;
            if request.status == Status::InReview {
                return Err(Error::conflict("in_review"));
            }
            let assignee_id = request.assignee_id.or(ctx.actor.user_id());
            let taken = Request { status: Status::InReview, assignee_id, ..request.bump_version(ctx) };
            let event = event("request.in_review", &request);
            save_decision(tx, ctx, &taken, event).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Changes of a request; None leaves a field.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Also recomputes the due time.
    pub priority: Option<String>,
    /// `Some(None)` unassigns.
    pub assignee_id: Option<Option<UserId>>,
}

/// Changes priority and assignee of an open request. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `request_decided`, or an outdated version.
#[tracing::instrument(level = "debug", name = "requests.update", skip_all, fields(desk_request_id = %id))]
pub async fn update(ctx: &Ctx, id: RequestId, version: Option<i64>, change: Change) -> Result<Request> {
    let change = &change;
    ctx.transaction(|tx| update_in(tx, ctx, id, version, change).scope_boxed()).await?;
    get(ctx, id).await
}

/// [`update`] in its transaction.
async fn update_in(tx: &mut Tx, ctx: &Ctx, id: RequestId, version: Option<i64>, change: &Change) -> Result<()> {
    let request = lock_open(tx, ctx, id, version, Action::Update).await?;
    let mut check = Validator::new();
    let priority = check.optional("priority", change.priority.as_deref(), str::parse::<Priority>);
    let assignee = change.assignee_id.unwrap_or(request.assignee_id);
    let new = assignee.filter(|id| request.assignee_id != Some(*id));
    let new = assignable(tx, &mut check, new).await?;
    check.finish()?;
    let priority = priority.unwrap_or(request.priority);
    if (priority, assignee) == (request.priority, request.assignee_id) {
        return Ok(());
    }
    let due_at = match request.linked() {
        _ if priority == request.priority => request.due_at,
        // Not later than the first proposed time.
        Some(LinkedEntity::Call(_)) => priority.due(request.created_at).min(request.due_at),
        _ => priority.due(request.created_at),
    };
    let changed = Request { priority, due_at, assignee_id: assignee, ..request.bump_version(ctx) };
    if priority != request.priority {
        let event = staff_event("request.prioritised", &request).with("priority", priority.name());
        activity::append(tx, ctx, event).await?;
    }
    if assignee != request.assignee_id {
        activity::append(tx, ctx, assigned_event(&request, new)).await?;
    }
    rows::save(tx, &changed).await
}

/// Id and name of an assignee, who must be active staff. Others are rejected in `check`.
pub(super) async fn assignable(
    tx: &mut Tx,
    check: &mut Validator,
    id: Option<UserId>,
) -> Result<Option<(UserId, String)>> {
    let Some(id) = id else { return Ok(None) };
    let name = users::active_staff_name(tx, id).await?;
    if name.is_none() {
        check.reject("assignee_id", Problem::new("not_found"));
    }
    Ok(name.map(|name| (id, name)))
}

/// Activity of an assignment or its removal.
pub(super) fn assigned_event(request: &Request, assignee: Option<(UserId, String)>) -> Event {
    match assignee {
        Some((id, name)) => {
            staff_event("request.assigned", request).with("assignee_id", id.to_string()).with("assignee", name)
        }
        None => staff_event("request.unassigned", request),
    }
}

async fn save_decision(tx: &mut Tx, ctx: &Ctx, decided: &Request, event: Event) -> Result<()> {
    rows::save(tx, decided).await?;
    activity::append(tx, ctx, event).await
}

/// The linked lead or call of an open request. Its own lock is taken before that of the request.
async fn linked_entity(ctx: &Ctx, id: RequestId, version: Option<i64>, action: Action) -> Result<Option<LinkedEntity>> {
    let request = rows::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("request"))?;
    let Some(entity) = request.linked() else { return Ok(None) };
    rows::check_open(ctx, &request, version, action)?;
    Ok(Some(entity))
}

/// Invites the colleague of an application and approves it. Super admins.
async fn create_colleague(tx: &mut Tx, ctx: &Ctx, request: &Request, answer: Option<String>) -> Result<()> {
    if request.account_type() != Some(AccountType::Employee) {
        return Err(Error::conflict("approved_by_account"));
    }
    ctx.may(Action::Create, Resource::Users)?;
    let user = users::invite_applicant(tx, ctx, request, Role::Employee, None).await?;
    rows::approve(tx, ctx, request, ResultRef::User(user.id), answer).await
}

/// Actions of the actor on a request, for its buttons. `accept` creates an order; `create_client`, `create_iso` and
/// `create_company` an account with the id of the request; `convert` the client and order of its lead; `confirm` sets a
/// time of its call; `approve` is for all others.
pub fn can(ctx: &Ctx, request: &Request) -> Vec<&'static str> {
    use AccountType::{Client, Company, Employee, Iso};
    let applies = request.kind == Kind::Account;
    let account = request.account_type().filter(|_| applies);
    let unsaid = applies && account.is_none();
    let plain = !applies && request.kind != Kind::Order && request.linked().is_none();
    let colleague = account == Some(Employee) && ctx.can(Action::Create, Resource::Users);
    let mine = ctx.actor.user_id().is_some_and(|id| request.user_id == Some(id));
    [
        ("accept", Action::Update, request.order().is_some()),
        ("approve", Action::Update, plain || colleague),
        ("create_client", Action::Update, unsaid || account == Some(Client)),
        ("create_iso", Action::Update, unsaid || account == Some(Iso)),
        ("create_company", Action::Update, account == Some(Company)),
        ("convert", Action::Update, request.lead_id.is_some()),
        ("confirm", Action::Update, request.call_id.is_some()),
        ("reject", Action::Update, true),
        ("review", Action::Update, request.status == Status::Pending),
        ("update", Action::Update, true),
        ("withdraw", Action::Cancel, mine && (request.linked().is_none() || !ctx.actor.is_staff())),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && request.status.is_open() && ctx.can(*action, resource(request)))
    .map(|(name, ..)| name)
    .collect()
}

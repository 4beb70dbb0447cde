//! Four eyes: acts of the staff that wait for a second super admin, where the settings say so.
//!
//! A use case calls [`is_required`] in its transaction, and [`request`] instead of acting. `desk::approvals` carries an
//! approved act out. The operator and service tokens are not held up: they hold the machine or its keys.
mod model;
mod store;

pub use model::{Act, Approval, NewSuperAdmin, Request, Status, TTL, Total};

use crate::{
    kernel::{
        access::{Action, Actor, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{ApprovalId, UserId},
        page::{Page, PageQuery},
        validate::Validator,
    },
    platform::{
        activity::{self, Event},
        settings::{self, FourEyes},
    },
};
use chrono::Duration;
use serde_json::Value;

/// Whether four eyes apply to this actor: to people, not to the operator and service tokens.
pub(crate) fn is_subject(actor: &Actor) -> bool {
    matches!(actor, Actor::User(_))
}

/// Whether an act of this actor waits, by the settings in force.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn is_required(tx: &mut Tx, ctx: &Ctx, holds: impl FnOnce(&FourEyes) -> bool) -> Result<bool> {
    if !is_subject(&ctx.actor) {
        return Ok(false);
    }
    let rule = settings::within(tx).await?.four_eyes;
    Ok(rule.is_on() && holds(&rule))
}

/// Asks for approval of an act that [`is_required`], in the transaction that would have carried it out. The transaction must
/// commit; its caller then returns the error: Conflict `approval_pending` with the `approval_id`.
///
/// # Errors
/// Conflict `approval_waits`, `approval_waits_own` while the act waits already, `no_second_super_admin`.
pub(crate) async fn request(
    tx: &mut Tx,
    ctx: &Ctx,
    request: &Request,
    target: String,
    subject: String,
) -> Result<Error> {
    let Actor::User(me) = &ctx.actor else { return Err(Error::forbidden("forbidden")) };
    let Value::Object(payload) = serde_json::to_value(request).map_err(Error::internal)? else {
        return Err(Error::internal("a request is an object"));
    };
    let pending =
        |id: ApprovalId| Error::Conflict(Problem::new("approval_pending").with("approval_id", id.to_string()));
    if let Some(other) = store::pending(tx, request.act(), &target).await? {
        if !other.is_open(ctx.now()) {
            expire(tx, ctx, other.id).await?;
        } else if other.requested_by == me.id && other.payload == payload {
            return Ok(pending(other.id));
        } else if other.requested_by == me.id {
            return Err(Error::conflict("approval_waits_own"));
        } else {
            return Err(waits(&other.requester));
        }
    }
    if count_others(tx, ctx, Some(me.id)).await? == 0 {
        return Err(Error::conflict("no_second_super_admin"));
    }
    let approval = Approval {
        id: ApprovalId(ctx.random.uuid()),
        act: request.act(),
        target,
        subject,
        payload,
        status: Status::Pending,
        requested_by: me.id,
        requester: me.name.clone(),
        requested_at: ctx.now(),
        expires_at: ctx.now() + TTL,
        decided_by: None,
        decider: None,
        decided_at: None,
        reason: None,
        version: 1,
    };
    // The check above and the insert race: the unique index decides.
    store::insert(tx, &approval)
        .await
        .map_err(|e| if e.is_unique_violation() { Error::conflict("conflict") } else { e })?;
    activity::append(tx, ctx, event("approval.requested", &approval)).await?;
    Ok(pending(approval.id))
}

fn waits(requester: &str) -> Error {
    Error::Conflict(Problem::new("approval_waits").with("requester", requester))
}

/// The targets of an act that a second super admin approved lately: within [`TTL`] and `period`.
pub(crate) async fn approved_targets(tx: &mut Tx, ctx: &Ctx, act: Act, period: Duration) -> Result<Vec<String>> {
    store::approved_since(tx, act, ctx.now() - TTL - period).await
}

/// Targets of the pending approvals of an act that have not expired.
pub(crate) async fn open_targets(ctx: &Ctx, act: Act) -> Result<Vec<String>> {
    store::open_targets(&mut ctx.db(), act, ctx.now()).await
}

/// Refuses to switch four eyes on where no second super admin could approve.
///
/// # Errors
/// Conflict `two_super_admins_required`.
pub(crate) async fn check_two_super_admins(tx: &mut Tx, ctx: &Ctx) -> Result<()> {
    if count_others(tx, ctx, None).await? < 2 {
        return Err(Error::conflict("two_super_admins_required"));
    }
    Ok(())
}

async fn count_others(tx: &mut Tx, ctx: &Ctx, but: Option<UserId>) -> Result<i64> {
    store::count_super_admins(tx, but, ctx.options.demo, ctx.now()).await
}

/// Approvals, newest first: all for super admins and the operator, for employees those that they asked for.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "approvals.list", skip_all)]
pub async fn list(ctx: &Ctx, status: Option<Status>, page: &PageQuery) -> Result<Page<Approval>> {
    ctx.may(Action::View, Resource::Approvals)?;
    let requester = if ctx.can(Action::Review, Resource::Approvals) { None } else { ctx.actor.user_id() };
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), status, requester, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |row| (row.requested_at, row.id)))
}

/// One approval. Super admins, the operator and the person who asked.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "approvals.get", skip_all, fields(approval_id = %id))]
pub async fn get(ctx: &Ctx, id: ApprovalId) -> Result<Approval> {
    let approval = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("approval"));
    authorize(ctx, Action::View, approval)
}

/// Declines an act. Super admins, but for the one who asked.
///
/// # Errors
/// NotFound; Forbidden, also `approval_own`; Invalid `reason`; Conflict `approval_ended`; stale.
#[tracing::instrument(level = "debug", name = "approvals.decline", skip_all, fields(approval_id = %id))]
pub async fn decline(ctx: &Ctx, id: ApprovalId, version: Option<i64>, reason: Option<&str>) -> Result<Approval> {
    let mut check = Validator::new();
    let reason = &check.optional_text("reason", reason);
    check.finish()?;
    ctx.transaction(|tx| {
        async move {
            let approval = lock(tx, ctx, Action::Review, id, version).await?;
            if ctx.actor.user_id() == Some(approval.requested_by) {
                return Err(Error::forbidden("approval_own"));
            }
            decide(tx, ctx, Approval { reason: reason.clone(), ..approval }, Status::Declined).await
        }
        .scope_boxed()
    })
    .await
}

/// Takes an act back. The person who asked.
///
/// # Errors
/// NotFound; Forbidden; Conflict `approval_ended`; stale.
#[tracing::instrument(level = "debug", name = "approvals.withdraw", skip_all, fields(approval_id = %id))]
pub async fn withdraw(ctx: &Ctx, id: ApprovalId, version: Option<i64>) -> Result<Approval> {
    ctx.transaction(|tx| {
        async move {
            let approval = lock(tx, ctx, Action::Cancel, id, version).await?;
            decide(tx, ctx, approval, Status::Withdrawn).await
        }
        .scope_boxed()
    })
    .await
}

/// Locks an approval that the actor is about to approve, and checks that they may: with a recent proof, not the person who
/// asked, nor an account that became a super admin since.
///
/// # Errors
/// NotFound; Forbidden, also `approval_own`, `approval_new_super_admin`; Conflict `reauthentication_needed`,
/// `approval_ended`, `approval_requester_gone`; stale.
pub(crate) async fn lock_for_approval(
    tx: &mut Tx,
    ctx: &Ctx,
    id: ApprovalId,
    version: Option<i64>,
) -> Result<Approval> {
    let approval = lock(tx, ctx, Action::Review, id, version).await?;
    let me = ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))?;
    if me == approval.requested_by {
        return Err(Error::forbidden("approval_own"));
    }
    ctx.require_recent_proof()?;
    if store::became_after(tx, me, approval.requested_at).await? {
        return Err(Error::forbidden("approval_new_super_admin"));
    }
    let top = approval.act != Act::PayRun;
    if !store::may_ask(tx, approval.requested_by, top, ctx.now()).await? {
        return Err(Error::conflict("approval_requester_gone"));
    }
    Ok(approval)
}

/// Locks an open approval and checks the version that was seen.
async fn lock(tx: &mut Tx, ctx: &Ctx, action: Action, id: ApprovalId, version: Option<i64>) -> Result<Approval> {
    let approval = store::lock(tx, id).await?.ok_or(Error::NotFound("approval"));
    let approval = authorize(ctx, action, approval)?;
    if ctx.actor.user_id().is_none() {
        return Err(Error::forbidden("forbidden"));
    }
    if !approval.is_open(ctx.now()) {
        return Err(Error::conflict("approval_ended"));
    }
    fresh(version, approval.version, &approval.requester, approval.requested_at)?;
    Ok(approval)
}

/// A row that is not there has the same answer as a hidden one.
fn authorize(ctx: &Ctx, action: Action, approval: Result<Approval>) -> Result<Approval> {
    let requester = approval.as_ref().ok().map(|approval| approval.requested_by);
    ctx.may(Action::View, Resource::Approval { requester })?;
    let approval = approval?;
    ctx.may(action, Resource::Approval { requester })?;
    Ok(approval)
}

/// Records the decision of the actor on a locked approval.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn decide(tx: &mut Tx, ctx: &Ctx, approval: Approval, status: Status) -> Result<Approval> {
    let action = match status {
        Status::Approved => "approval.approved",
        Status::Declined => "approval.declined",
        Status::Withdrawn => "approval.withdrawn",
        Status::Pending | Status::Expired => "approval.expired",
    };
    let decided = Approval {
        status,
        decided_by: ctx.actor.user_id(),
        decider: ctx.actor.user_id().map(|_| ctx.actor.name()),
        decided_at: Some(ctx.now()),
        version: approval.version + 1,
        ..approval
    };
    store::save(tx, &decided).await?;
    activity::append(tx, ctx, event(action, &decided)).await?;
    Ok(decided)
}

async fn expire(tx: &mut Tx, ctx: &Ctx, id: ApprovalId) -> Result<()> {
    let Some(approval) = store::lock(tx, id).await?.filter(|approval| approval.status == Status::Pending) else {
        return Ok(());
    };
    decide(tx, &ctx.acting_as(Actor::System("approvals")), approval, Status::Expired).await.map(drop)
}

/// Ends approvals whose time is over and returns how many. For the schedule.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "approvals.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<usize> {
    ctx.transaction(|tx| {
        async move {
            let due = store::due(tx, ctx.now()).await?;
            let count = due.len();
            for id in due {
                expire(tx, ctx, id).await?;
            }
            Ok(count)
        }
        .scope_boxed()
    })
    .await
}

fn event(action: &'static str, approval: &Approval) -> Event {
    let event = Event::new(action, "approval", approval.id.0, approval.subject.clone())
        .with("act", approval.act.name())
        .with("requester", approval.requester.clone())
        .with("requester_id", approval.requested_by.to_string());
    approval.reason.iter().fold(event, |event, reason| event.with("reason", reason.clone()))
}

/// What the actor may do with an approval: the buttons of its row.
pub fn can(ctx: &Ctx, approval: &Approval) -> Vec<&'static str> {
    if !approval.is_open(ctx.now()) || ctx.actor.user_id().is_none() {
        return Vec::new();
    }
    if ctx.actor.user_id() == Some(approval.requested_by) {
        return vec!["withdraw"];
    }
    let resource = Resource::Approval { requester: Some(approval.requested_by) };
    if ctx.can(Action::Review, resource) { vec!["approve", "decline"] } else { Vec::new() }
}

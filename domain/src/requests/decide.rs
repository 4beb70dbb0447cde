//! What becomes of a request: an order, a refusal with its reason, or nothing any more.
use super::{Request, Status, get, store};
use crate::{
    access::{Action, Resource},
    activity::{self, Event},
    check::Check,
    ctx::Ctx,
    db::Tx,
    documents::{self, Holder},
    error::{Error, Problem, Result},
    ids::RequestId,
    mails, spvs,
};
use serde_json::{Map, Value};

/// Accepts the order that a client asks for: a pending order by the one order function, made once however many
/// try at a time. `input` is the order's form as the staff filled it in; whose it is, the request says. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, `not_an_order`, stale; Invalid per field of the order.
pub async fn accept(ctx: &Ctx, id: RequestId, version: Option<i64>, input: spvs::Input) -> Result<Request> {
    let mut tx = ctx.begin().await?;
    let request = locked(&mut tx, ctx, id, version, Action::Update).await?;
    if request.order().is_none() {
        return Err(Error::conflict("not_an_order"));
    }
    let new = spvs::checked(ctx, &spvs::Input { client_id: request.user_id, ..input }).await?;
    let spv = spvs::place(&mut tx, ctx, new).await.map_err(spvs::taken)?;
    let client = request.user_id.ok_or_else(|| Error::conflict("not_an_order"))?;
    let mut held = documents::held(&mut tx, ctx, Holder::Request, vec![id.0]).await?;
    for document in held.remove(&id.0).unwrap_or_default() {
        // One that has gone to another order meanwhile stays there.
        match documents::assign(&mut tx, document.id, client, spv).await {
            Ok(()) | Err(Error::NotFound(_)) => {}
            Err(e) => return Err(e),
        }
    }
    let decided = Request { spv_id: Some(spv), ..decided(ctx, &request, Status::Approved, None) };
    store::decide(&mut tx, &decided).await?;
    activity::append(&mut tx, ctx, told("request.approved", &decided).spv(spv)).await?;
    tx.commit().await?;
    get(ctx, id).await
}

/// Refuses a request, with a reason that whoever sent it reads. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid without a reason; Conflict `request_decided`, stale.
pub async fn reject(ctx: &Ctx, id: RequestId, version: Option<i64>, reason: &str) -> Result<Request> {
    let mut tx = ctx.begin().await?;
    let request = locked(&mut tx, ctx, id, version, Action::Update).await?;
    let mut check = Check::new();
    let reason = check.text("reason", reason);
    check.done()?;
    let event = told("request.rejected", &request).with("reason", reason.clone());
    // A client reads it beside the order that was asked for; everything else has no page to read it on.
    if request.user_id.is_none() || request.kind != "order" {
        let data = Map::from_iter([
            ("reference".to_owned(), Value::from(request.reference())),
            ("reason".to_owned(), reason.clone().into()),
        ]);
        let to = (request.email.clone(), request.name.clone());
        mails::queue_answer(&mut tx, ctx, mails::Kind::RequestDeclined, to, request.language.clone(), data).await?;
    }
    settle(tx, ctx, decided(ctx, &request, Status::Rejected, Some(reason)), event).await
}

/// Takes one's own request back.
///
/// # Errors
/// NotFound; Forbidden for everybody else; Conflict `request_decided`, stale.
pub async fn withdraw(ctx: &Ctx, id: RequestId, version: Option<i64>) -> Result<Request> {
    let mut tx = ctx.begin().await?;
    let request = locked(&mut tx, ctx, id, version, Action::Cancel).await?;
    let event = told("request.withdrawn", &request);
    settle(tx, ctx, decided(ctx, &request, Status::Withdrawn, None), event).await
}

async fn settle(mut tx: Tx, ctx: &Ctx, decided: Request, event: Event) -> Result<Request> {
    store::decide(&mut tx, &decided).await?;
    activity::append(&mut tx, ctx, event).await?;
    tx.commit().await?;
    get(ctx, decided.id).await
}

/// The request kept from others, once the actor may, nobody was faster and it is still to be decided.
async fn locked(tx: &mut Tx, ctx: &Ctx, id: RequestId, version: Option<i64>, action: Action) -> Result<Request> {
    let request = store::lock(tx, id).await?.ok_or(Error::NotFound("request"))?;
    ctx.may(action, resource(&request))?;
    if !request.status.is_open() {
        return Err(Error::Conflict(Problem::new("request_decided").with("status", request.status.name())));
    }
    if version.is_some_and(|version| version != request.version) {
        return Err(Error::conflict("conflict"));
    }
    Ok(request)
}

fn decided(ctx: &Ctx, request: &Request, status: Status, reason: Option<String>) -> Request {
    Request {
        status,
        reason,
        decided_at: Some(ctx.now()),
        decided_by: Some(ctx.who()),
        version: request.version + 1,
        ..request.clone()
    }
}

/// Whoever sent it hears of it; nobody else but the staff.
pub(super) fn told(action: &'static str, request: &Request) -> Event {
    let event = Event::new(action, "request", request.id.0, request.reference()).with("kind", request.kind.clone());
    match request.user_id {
        Some(user) => event.of(Some(user), None, None).public(),
        None => event,
    }
}

pub(super) fn resource(request: &Request) -> Resource {
    Resource::Request { user_id: request.user_id }
}

/// What the actor may do with this request: the buttons of its row.
pub fn can(ctx: &Ctx, request: &Request) -> Vec<&'static str> {
    [
        ("accept", Action::Update, request.order().is_some()),
        ("reject", Action::Update, true),
        ("withdraw", Action::Cancel, ctx.actor.user_id().is_some_and(|id| request.user_id == Some(id))),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && request.status.is_open() && ctx.can(*action, resource(request)))
    .map(|(name, ..)| name)
    .collect()
}

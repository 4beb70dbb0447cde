//! Orders: read, listed and moved by the order status table (decisions 3 and 6). `onboarding` creates them.
mod model;
mod notify;
pub(crate) mod rollup;
mod store;

pub use crate::kernel::{
    geo::Country,
    order::{OrderStatus as Status, display_identifier, percent},
};
pub(crate) use model::MAX_IDENTIFIER_LENGTH;
pub use model::{Event, NewOrder, Spv, State};
pub use notify::notify_client;
pub use store::{Filter, IsoFilter, SpvSort};
pub(crate) use store::{
    IS_OPEN, InsertOrder, OrderParties, get as find_with_steps, identifier_taken, lock, lock_client, lock_of_step,
    parties, spv_of_step,
};

use crate::{
    directory::clients,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, IsoId, SpvId, UserId},
        page::{Page, PageQuery, Total},
        search::{self, Entry},
        validate::Validator,
    },
    orders::{
        commissions,
        steps::{self, Step},
    },
    outbox::{mails, notifications},
    platform::activity,
};
use rollup::OrderFacts;
use serde_json::Map;

/// An order with its steps.
#[derive(Clone, Debug)]
pub struct Detail {
    pub spv: Spv,
    pub steps: Vec<Step>,
}

/// Queues a mail to the order's client, unless they chose the digest or no mail.
pub(crate) async fn mail(tx: &mut Tx, ctx: &Ctx, kind: mails::Kind, client: UserId, spv: SpvId) -> Result<()> {
    let action = if kind == mails::Kind::SpvClosed { "spv.closed" } else { "spv.created" };
    if !ctx.suppress_notifications
        && notifications::wants_mail_now(tx, client, notifications::Topic::Progress, action).await?
    {
        mails::queue_after_setup(tx, ctx, kind, client, spv, Map::new()).await?;
    }
    Ok(())
}

/// One order with its steps. Staff, its client, its ISO, its company's admins.
///
/// # Errors
/// NotFound, also for an order that the actor may not see.
#[tracing::instrument(level = "debug", name = "spvs.get", skip_all, fields(spv_id = %id))]
pub async fn get(ctx: &Ctx, id: SpvId) -> Result<Detail> {
    let (spv, steps) = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("spv"))?;
    ctx.may(Action::View, resource(&spv))?;
    Ok(Detail { spv, steps })
}

/// Finds an order by its id, identifier or order number.
///
/// # Errors
/// NotFound; Conflict `ambiguous` where it fits several.
#[tracing::instrument(level = "debug", name = "spvs.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<Detail> {
    if let Ok(id) = name.parse::<SpvId>() {
        return get(ctx, id).await;
    }
    ctx.scope()?;
    let mut found = None;
    for id in store::named(&mut ctx.db(), name).await? {
        match get(ctx, id).await {
            Ok(_) if found.is_some() => return Err(Error::conflict("ambiguous")),
            Ok(detail) => found = Some(detail),
            // An order of the same name that the actor may not see.
            Err(Error::NotFound(_)) => {}
            Err(e) => return Err(e),
        }
    }
    found.ok_or(Error::NotFound("spv"))
}

/// The search entry of an order: its [`NewOrder::search_words`], and its client's name and email.
pub(crate) fn search_entry(id: SpvId, company: CompanyId, iso: Option<IsoId>, texts: Vec<&str>) -> Entry<'_> {
    Entry { kind: "spv", subject: id.0, company: Some(company), iso, texts }
}

/// Indexes a client's orders by the client's new name or email.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn on_client_renamed(tx: &mut Tx, client: &clients::Client) -> Result<()> {
    let orders = store::of_client(tx, client.id).await?;
    let words: Vec<String> = orders.iter().map(|row| row.order.search_words(row.id)).collect();
    let entries: Vec<_> = orders
        .iter()
        .zip(&words)
        .map(|(row, words)| {
            let texts = vec![&**words, &client.first_name, &client.last_name, &client.email];
            search_entry(row.id, row.order.company_id, row.order.iso_id, texts)
        })
        .collect();
    search::index_all(tx, "spv", &entries).await
}

/// Orders the actor may see, by default newest first by ordered date (decision 8).
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "spvs.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Spv>> {
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of orders of a list, and the sums of their amounts.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "spvs.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// Start Processing. Super admins.
///
/// # Errors
/// Conflict `wrong_status`, `no_steps`, or stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "spvs.start", skip_all, fields(spv_id = %id))]
pub async fn start(ctx: &Ctx, id: SpvId, version: Option<i64>) -> Result<Detail> {
    change(ctx, id, version, Action::Start, Event::Start, None).await
}

/// Puts an open order on hold, with a reason its client reads. Staff.
///
/// # Errors
/// Invalid without a reason; Conflict as [`start`].
#[tracing::instrument(level = "debug", name = "spvs.hold", skip_all, fields(spv_id = %id))]
pub async fn hold(ctx: &Ctx, id: SpvId, version: Option<i64>, reason: &str) -> Result<Detail> {
    change(ctx, id, version, Action::Hold, Event::Hold, Some(reason)).await
}

/// Takes an order off hold, back to the status it had. Staff.
///
/// # Errors
/// Conflict as [`start`].
#[tracing::instrument(level = "debug", name = "spvs.resume", skip_all, fields(spv_id = %id))]
pub async fn resume(ctx: &Ctx, id: SpvId, version: Option<i64>) -> Result<Detail> {
    change(ctx, id, version, Action::Resume, Event::Resume, None).await
}

/// Cancels an open order, with a reason. Staff.
///
/// # Errors
/// Invalid without a reason; Conflict as [`start`].
#[tracing::instrument(level = "debug", name = "spvs.cancel", skip_all, fields(spv_id = %id))]
pub async fn cancel(ctx: &Ctx, id: SpvId, version: Option<i64>, reason: &str) -> Result<Detail> {
    change(ctx, id, version, Action::Cancel, Event::Cancel, Some(reason)).await
}

/// Reopens a closed order to processing, a cancelled one to the status it had. Super admins, with a reason.
///
/// # Errors
/// Invalid without a reason; Conflict as [`start`].
#[tracing::instrument(level = "debug", name = "spvs.reopen", skip_all, fields(spv_id = %id))]
pub async fn reopen(ctx: &Ctx, id: SpvId, version: Option<i64>, reason: &str) -> Result<Detail> {
    change(ctx, id, version, Action::Reopen, Event::Reopen, Some(reason)).await
}

async fn change(
    ctx: &Ctx,
    id: SpvId,
    version: Option<i64>,
    action: Action,
    event: Event,
    reason: Option<&str>,
) -> Result<Detail> {
    ctx.transaction(|tx| transition(tx, ctx, id, version, action, event, reason).scope_boxed()).await
}

/// Moves an order by one event of the order status table, in the caller's transaction.
///
/// # Errors
/// As [`start`]; Invalid with an empty reason.
pub(crate) async fn transition(
    tx: &mut Tx,
    ctx: &Ctx,
    id: SpvId,
    version: Option<i64>,
    action: Action,
    event: Event,
    reason: Option<&str>,
) -> Result<Detail> {
    store::lock(tx, id).await?;
    let (before, steps) = store::get(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    ctx.may(action, resource(&before))?;
    let mut check = Validator::new();
    let reason = reason.map(|text| check.text("reason", text));
    check.finish()?;
    fresh(version, before.version, &before.updated_by, before.updated_at)?;
    let state = before.state().after(event)?;
    let mut after = before.clone();
    after.status_reason = matches!(event, Event::Hold | Event::Cancel).then(|| reason.clone()).flatten();
    if event == Event::Reopen {
        after.closed_at = None;
    }
    let spv = save_change(tx, ctx, &before, after, state).await?;
    let name = match event {
        Event::Start => "spv.started",
        Event::Hold => "spv.held",
        Event::Resume => "spv.resumed",
        Event::Cancel => "spv.cancelled",
        Event::Reopen => "spv.reopened",
        Event::FirstStepMoved => "spv.processing",
        Event::LastStepCompleted => "spv.closed",
    };
    activity::append(tx, ctx, status_event(name, &before, state.status, reason.as_deref())).await?;
    Ok(Detail { spv, steps })
}

/// Inserts an order and counts it.
pub(crate) async fn insert(tx: &mut Tx, row: &InsertOrder<'_>) -> Result<()> {
    store::insert(tx, row).await?;
    rollup::count_change(tx, None, row.into());
    Ok(())
}

/// Saves a change of an order's state or steps, with the commissions and the rollups that follow from it.
pub(crate) async fn save_change(tx: &mut Tx, ctx: &Ctx, before: &Spv, mut after: Spv, state: State) -> Result<Spv> {
    (after.status, after.held_from, after.cancelled_from) = (state.status, state.held_from, state.cancelled_from);
    (after.updated_at, after.updated_by, after.version) = (ctx.now(), ctx.actor_name(), before.version + 1);
    if state == before.state() {
        store::save_progress(tx, &after).await?;
    } else {
        store::save(tx, &after, state, ctx.now(), &ctx.actor_name()).await?;
    }
    let ledger_minor = commissions::sync_with_order_status(tx, ctx, before, &after).await?;
    let facts = |spv| OrderFacts::of(spv, ledger_minor);
    rollup::count_change(tx, Some(facts(before)), facts(&after));
    Ok(after)
}

/// Saves corrected details of an order, with the search entry, the commissions and the rollups that follow from them.
/// Returns the order and the row for the difference to a settled commission.
pub(crate) async fn save_details(tx: &mut Tx, ctx: &Ctx, before: &Spv, mut after: Spv) -> Result<(Spv, Option<i64>)> {
    (after.updated_at, after.updated_by, after.version) = (ctx.now(), ctx.actor_name(), before.version + 1);
    store::save_details(tx, &after).await?;
    let words = after.search_words();
    let texts = vec![&*words, &after.client_first_name, &after.client_last_name, &after.client_email];
    search::index(tx, search_entry(after.id, after.company_id, after.iso_id, texts)).await?;
    let ledger = commissions::sync_with_correction(tx, ctx, before, &after).await?;
    let facts = OrderFacts::of(&after, ledger.after_minor);
    rollup::count_change(tx, Some(OrderFacts::of(before, ledger.before_minor)), facts);
    Ok((after, ledger.difference_minor))
}

/// Removes an order that an import created, with its steps, requests for documents and a commission that was not reviewed
/// yet, within a use case that has authorized the actor.
///
/// # Errors
/// NotFound; Conflict `stale` when `version` is not the row's; a foreign key violation if other rows refer to it.
pub(crate) async fn remove_imported(tx: &mut Tx, ctx: &Ctx, id: SpvId, version: i64) -> Result<()> {
    store::lock(tx, id).await?;
    let (spv, _) = store::get(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    fresh(Some(version), spv.version, &spv.updated_by, spv.updated_at)?;
    let ledger_minor = commissions::ledger_minor(tx, id).await?;
    commissions::remove_unreviewed(tx, &spv).await?;
    store::remove(tx, id).await?;
    search::remove(tx, id.0).await?;
    rollup::count_removal(tx, OrderFacts::of(&spv, ledger_minor));
    let event = activity::Event::new("spv.removed", "spv", id.0, spv.identifier());
    activity::append(tx, ctx, event.of(Some(spv.client_id), Some(spv.company_id), spv.iso_id)).await
}

/// The event of a change of status, for those who may see the order.
pub(crate) fn status_event(action: &'static str, spv: &Spv, to: Status, reason: Option<&str>) -> activity::Event {
    let event = activity::Event::new(action, "spv", spv.id.0, spv.identifier())
        .of(Some(spv.client_id), Some(spv.company_id), spv.iso_id)
        .spv(spv.id)
        .with("from", spv.status.name())
        .with("to", to.name())
        .public();
    match reason {
        Some(reason) => event.with("reason", reason),
        None => event,
    }
}

/// Checks that an order of this status accepts documents from the actor: from its client while it is open, also on hold;
/// from the staff always.
///
/// # Errors
/// Conflict `wrong_status`.
pub(crate) fn check_accepts_documents(ctx: &Ctx, order: Option<Status>) -> Result<()> {
    match order.filter(|status| !status.is_open() && !ctx.actor.is_staff()) {
        Some(status) => Err(Error::wrong_status(status)),
        None => Ok(()),
    }
}

fn may_upload(ctx: &Ctx, spv: &Spv) -> bool {
    let document = Resource::Document { client_id: spv.client_id, internal: false };
    ctx.can(Action::Upload, document) && check_accepts_documents(ctx, Some(spv.status)).is_ok()
}

/// Whether the actor may correct the order's details: the staff, while it is open.
pub(crate) fn may_correct(ctx: &Ctx, spv: &Spv) -> bool {
    spv.status.is_open() && ctx.can(Action::Update, resource(spv))
}

pub fn resource(spv: &Spv) -> Resource {
    Resource::Spv { client_id: spv.client_id, company_id: spv.company_id, iso_id: spv.iso_id }
}

/// The actions that the actor may take on this order: the buttons of its screens.
pub fn can(ctx: &Ctx, spv: &Spv) -> Vec<&'static str> {
    let actions = [
        ("start", Action::Start, Event::Start),
        ("hold", Action::Hold, Event::Hold),
        ("resume", Action::Resume, Event::Resume),
        ("cancel", Action::Cancel, Event::Cancel),
        ("reopen", Action::Reopen, Event::Reopen),
    ];
    let mut can: Vec<_> = actions
        .into_iter()
        .filter(|(_, action, event)| ctx.can(*action, resource(spv)) && spv.state().next(*event).is_some())
        .map(|(name, ..)| name)
        .collect();
    if may_correct(ctx, spv) {
        can.push("update");
        if ctx.can(Action::Reassign, resource(spv)) {
            can.push("reassign");
        }
    }
    if steps::may_update(ctx, spv) {
        can.push("update_steps");
    }
    if may_upload(ctx, spv) {
        can.push("upload");
    }
    can
}

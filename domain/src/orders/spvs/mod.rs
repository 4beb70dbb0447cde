//! Orders: made in one way whoever asks for them, moved by one table of transitions (decisions 1, 3 and 6).
mod model;
mod notify;
pub(crate) mod store;

pub use crate::kernel::{
    geo::Country,
    order::{OrderStatus as Status, display_identifier, percent},
};
pub use model::{Event, Spv, State};
pub use notify::notify_client;
pub use store::{ByIso, Filter, Key, Order};

use crate::{
    directory::{clients, companies},
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, SpvId, UserId},
        money::{self, Currency},
        page::{Page, PageQuery},
        search::{self, Entry},
        validate::{self, Check},
    },
    orders::{
        commissions, document_requests, documents, invoices,
        steps::{self, Step},
        templates,
    },
    outbox::{mails, notifications},
    platform::{
        activity,
        rollups::{self, Counter, CounterDeltas, dated, expected_commissions},
        settings,
    },
};
use chrono::NaiveDate;
use serde_json::Map;

/// An order with its steps.
#[derive(Clone, Debug)]
pub struct Detail {
    pub spv: Spv,
    pub steps: Vec<Step>,
}

/// What the SPV tab asks for (specification, section 5).
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub client_id: Option<UserId>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    pub custom_identifier: Option<String>,
    pub purchase_amount: Option<String>,
    pub currency: Option<String>,
    /// Our fee, if it is known.
    pub price: Option<String>,
    pub iso_commission_percentage: Option<String>,
    pub country: Option<String>,
    pub ordered_date: Option<String>,
}

/// An order about to be made, its values checked.
#[derive(Clone, Debug)]
pub struct New {
    pub client_id: UserId,
    pub company_id: CompanyId,
    pub iso_id: Option<IsoId>,
    pub custom_identifier: Option<String>,
    pub country: Country,
    pub currency: Currency,
    pub price_minor: Option<i64>,
    pub commission_minor: Option<i64>,
    pub purchase_amount_minor: Option<i64>,
    pub iso_commission_percentage: Option<i64>,
    pub status: Status,
    pub ordered_date: NaiveDate,
    /// An invoice is raised over the price; off for load, and where it is raised later.
    pub invoiced: bool,
}

/// Makes a pending order from the SPV tab. Staff.
///
/// # Errors
/// Forbidden; Invalid per field: a client or ISO of another company, an identifier the company already uses.
pub async fn create(ctx: &Ctx, input: Input) -> Result<Detail> {
    ctx.may(Action::Create, Resource::NewSpv)?;
    let new = &checked(&mut ctx.db(), ctx, &input).await?;
    // The default identifier is a time; of two people in one second, the second takes the next.
    let mut tries = 0;
    loop {
        let made = ctx.transaction(|tx| {
            async move {
                if let Some(id) = idempotency::made_before(tx, ctx).await? {
                    return Ok(SpvId(id));
                }
                let id = place(tx, ctx, new.clone()).await?;
                idempotency::remember(tx, ctx, id.0).await?;
                Ok(id)
            }
            .scope_boxed()
        });
        match made.await {
            Err(e) if e.is_unique_violation() && new.custom_identifier.is_none() && tries < 5 => tries += 1,
            made => return get(ctx, made.map_err(taken)?).await,
        }
    }
}

/// What the form of a pending order says.
///
/// # Errors
/// Invalid per field.
pub(crate) async fn checked(db: &mut impl Sql, ctx: &Ctx, input: &Input) -> Result<New> {
    let mut check = Check::new();
    let mut needed = |field: &str, missing: bool| {
        if missing {
            check.refuse(field, Problem::new("required"));
        }
    };
    needed("company_id", input.company_id.is_none());
    needed("client_id", input.client_id.is_none());
    let custom_identifier = check.optional_line("custom_identifier", input.custom_identifier.as_deref(), 64);
    let usual = companies::defaults_within(db, ctx, input.company_id).await?;
    let currency = check.optional("currency", input.currency.as_deref(), str::parse).unwrap_or(usual.currency);
    let amount = check.required("purchase_amount", input.purchase_amount.as_deref(), |text| currency.parse(text));
    let price_minor = check.optional("price", input.price.as_deref(), |text| currency.parse(text));
    let percent =
        check.optional("iso_commission_percentage", input.iso_commission_percentage.as_deref(), money::parse_percent);
    if percent.is_some() && input.iso_id.is_none() {
        check.refuse("iso_commission_percentage", Problem::new("needs_iso"));
    }
    let country = check.optional("country", input.country.as_deref(), str::parse).unwrap_or_default();
    let ordered_date = check
        .optional("ordered_date", input.ordered_date.as_deref(), validate::date)
        .unwrap_or(settings::person_today_within(db, ctx).await?);
    check.done()?;
    let (Some(client_id), Some(company_id)) = (input.client_id, input.company_id) else {
        return Err(Error::field("client_id", "required"));
    };
    Ok(New {
        client_id,
        company_id,
        iso_id: input.iso_id,
        custom_identifier,
        country,
        currency,
        price_minor,
        commission_minor: None,
        purchase_amount_minor: amount,
        iso_commission_percentage: percent,
        status: Status::Pending,
        ordered_date,
        invoiced: true,
    })
}

/// [`make`] for an order of the SPV tab, which gets an identifier where it was given none.
///
/// # Errors
/// As [`make`].
pub(crate) async fn place(tx: &mut Tx, ctx: &Ctx, mut new: New) -> Result<SpvId> {
    if new.custom_identifier.is_none() {
        new.custom_identifier = Some(default_identifier(tx, ctx, new.company_id).await?);
    }
    make(tx, ctx, new).await
}

/// A unique violation is the identifier's.
pub(crate) fn taken(error: Error) -> Error {
    if error.is_unique_violation() { Error::field("custom_identifier", "duplicate") } else { error }
}

/// The office's prefix, `SPV-` unless told, and the UTC time, with a counter when the company has it already (decision 7).
async fn default_identifier(tx: &mut Tx, ctx: &Ctx, company: CompanyId) -> Result<String> {
    tx.advisory_lock(format!("identifiers {company}")).await?;
    let settings = crate::platform::settings::within(tx).await?;
    let base = format!("{}{}", settings.identifier_prefix(), ctx.now().format("%Y%m%d%H%M%S"));
    let mut identifier = base.clone();
    let mut n = 1;
    while store::identifier_taken(tx, company, &identifier).await? {
        n += 1;
        identifier = format!("{base}-{n}");
    }
    Ok(identifier)
}

/// The one way an order comes to be: the row, the template's steps, the activity, the mail and the invoice, in the
/// caller's transaction (decision 1).
///
/// # Errors
/// Invalid when client, ISO and company do not belong together (decision 12); a unique violation when the
/// company already uses the identifier.
pub async fn make(tx: &mut Tx, ctx: &Ctx, new: New) -> Result<SpvId> {
    let parties = belong_together(tx, &new).await?;
    let template = templates::steps_for(tx, new.country).await?;
    let id = SpvId(ctx.chance.uuid());
    let base = new.purchase_amount_minor.or(new.price_minor);
    let row = store::NewRow {
        id,
        client_id: new.client_id,
        company_id: new.company_id,
        iso_id: new.iso_id,
        custom_identifier: new.custom_identifier.clone(),
        country: new.country,
        currency: new.currency,
        price_minor: new.price_minor,
        commission_minor: new.commission_minor,
        purchase_amount_minor: new.purchase_amount_minor,
        iso_commission_percentage: new.iso_commission_percentage,
        iso_commission_minor: new
            .commission_minor
            .or_else(|| Some(money::share(base?, new.iso_commission_percentage?))),
        status: new.status,
        ordered_date: new.ordered_date,
        steps: template.len() as i64,
        current_step: template.first().map(|step| step.step_name.clone()),
        at: ctx.now(),
        by: ctx.who(),
    };
    store::insert(tx, &row).await?;
    let steps = steps::copy(tx, ctx, id, new.ordered_date, &template).await?;
    let identifier = display_identifier(id, new.custom_identifier.as_deref());
    let (first, last) = (parties.client_first_name.unwrap_or_default(), parties.client_last_name.unwrap_or_default());
    let email = parties.client_email.unwrap_or_default();
    let number = id.to_string()[..8].to_owned();
    let texts = vec![&*identifier, &*number, &*first, &*last, &*email];
    search::index(tx, entry(id, new.company_id, new.iso_id, texts)).await?;
    let event = activity::Event::new("spv.created", "spv", id.0, identifier.clone())
        .of(Some(new.client_id), Some(new.company_id), new.iso_id)
        .spv(id)
        .with("status", new.status.name())
        .public();
    activity::append(tx, ctx, event).await?;
    mail(tx, ctx, mails::Kind::SpvCreated, new.client_id, id).await?;
    document_requests::ask(tx, ctx, id, new.client_id, new.ordered_date, steps.into_iter().zip(&template)).await?;
    let mut changes = CounterDeltas::default();
    changes.add(Counter::PendingReviews, template.len() as i64);
    if new.status == Status::Active {
        changes.add(Counter::ActiveSpvs, 1);
        changes.add(Counter::Revenue(new.currency), new.price_minor.unwrap_or(0));
    }
    changes.write(tx).await?;
    let order = rollups::companies::Order {
        company: new.company_id,
        iso: new.iso_id,
        client: new.client_id,
        currency: new.currency,
    };
    let cancelled = new.status == Status::Cancelled;
    let revenue = if cancelled { None } else { base };
    rollups::companies::add_order(tx, order, cancelled, revenue.unwrap_or(0)).await?;
    let place =
        dated::Dimensions { company: new.company_id, iso: new.iso_id, country: new.country, currency: new.currency };
    dated::add_order(tx, place, new.status, new.ordered_date, base.unwrap_or(0), 1);
    if new.status.is_open() {
        expected_commissions::add(tx, place, row.iso_commission_minor.unwrap_or(0));
    }
    if let Some(price_minor) = new.price_minor.filter(|_| new.invoiced) {
        let order =
            invoices::Priced { spv_id: id, identifier: &identifier, client_id: new.client_id, place, price_minor };
        invoices::raise(tx, ctx, order).await?;
    }
    Ok(id)
}

/// Mails an order's client, unless they want to hear of it with the digest, or by no mail.
pub(crate) async fn mail(tx: &mut Tx, ctx: &Ctx, kind: mails::Kind, client: UserId, spv: SpvId) -> Result<()> {
    let action = if kind == mails::Kind::SpvClosed { "spv.closed" } else { "spv.created" };
    if !ctx.silent && notifications::wants_mail_now(tx, client, notifications::Topic::Progress, action).await? {
        mails::queue_after_setup(tx, ctx, kind, client, spv, Map::new()).await?;
    }
    Ok(())
}

/// Decision 12: the ISO and the client are the company's, and none of them is archived.
async fn belong_together(tx: &mut Tx, new: &New) -> Result<store::Parties> {
    use crate::accounts::users::Status::{Archived, Suspended};
    let Some(parties) = store::parties(tx, new.company_id, new.client_id, new.iso_id).await? else {
        return Err(Error::field("company_id", "not_found"));
    };
    let mut check = Check::new();
    if parties.company_archived_at.is_some() {
        check.refuse("company_id", Problem::new("archived"));
    }
    if parties.client_role != Some(crate::kernel::access::Role::Client) {
        check.refuse("client_id", Problem::new("not_found"));
    } else if parties.client_status == Some(Archived) {
        check.refuse("client_id", Problem::new("archived"));
    } else if parties.client_status == Some(Suspended) {
        check.refuse("client_id", Problem::new("suspended"));
    } else if parties.client_company_id != Some(new.company_id) {
        check.refuse("client_id", Problem::new("not_in_company"));
    }
    if new.iso_id.is_some() {
        match parties.iso_company_id {
            None => check.refuse("iso_id", Problem::new("not_found")),
            Some(company) if company != new.company_id => check.refuse("iso_id", Problem::new("not_in_company")),
            Some(_) if parties.iso_archived_at.is_some() => check.refuse("iso_id", Problem::new("archived")),
            Some(_) => {}
        }
    }
    check.done()?;
    Ok(parties)
}

/// One order with its steps. Staff, its client, its ISO, its company's admins.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of.
pub async fn get(ctx: &Ctx, id: SpvId) -> Result<Detail> {
    let (spv, steps) = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("spv"))?;
    ctx.may(Action::View, resource(&spv))?;
    Ok(Detail { spv, steps })
}

/// The one order that people call `name`: an id, an identifier, or an order number.
///
/// # Errors
/// NotFound; Conflict `ambiguous` when several answer to it.
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
            // Another's order may be called the same.
            Err(Error::NotFound(_)) => {}
            Err(e) => return Err(e),
        }
    }
    found.ok_or(Error::NotFound("spv"))
}

/// What an order is found by: its identifier, the first characters of its id, and its client.
pub(crate) fn entry(id: SpvId, company: CompanyId, iso: Option<IsoId>, texts: Vec<&str>) -> Entry<'_> {
    Entry { kind: "spv", subject: id.0, company: Some(company), iso, texts }
}

/// A client has another name or email: its orders are found by that from now on.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn client_renamed(tx: &mut Tx, client: &clients::Client) -> Result<()> {
    let orders = store::of_client(tx, client.id).await?;
    let identifiers: Vec<String> = orders
        .iter()
        .map(|(id, _, _, custom)| format!("{} {}", display_identifier(*id, custom.as_deref()), &id.to_string()[..8]))
        .collect();
    let entries: Vec<_> = orders
        .iter()
        .zip(&identifiers)
        .map(|((id, company, iso, _), identifier)| {
            entry(*id, *company, *iso, vec![identifier, &client.first_name, &client.last_name, &client.email])
        })
        .collect();
    search::index_all(tx, "spv", &entries).await
}

/// Orders the actor may see, newest first by ordered date (decision 8).
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Spv>> {
    let after = page.after::<Key>()?;
    if after.as_ref().is_some_and(|key| !key.fits(filter.order)) {
        return Err(Error::field("cursor", "invalid_cursor"));
    }
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, after, limit + 1).await?;
    Ok(Page::cut(rows, limit, |spv| Key::of(filter.order, spv)))
}

/// Start Processing. Super admins.
///
/// # Errors
/// Conflict `wrong_status`, `no_steps`, or stale when `version` is not the row's.
pub async fn start(ctx: &Ctx, id: SpvId, version: Option<i64>) -> Result<Detail> {
    change(ctx, id, version, Action::Start, Event::Start, None).await
}

/// Puts an open order on hold, with a reason its client reads. Staff.
///
/// # Errors
/// Invalid without a reason; Conflict as [`start`].
pub async fn hold(ctx: &Ctx, id: SpvId, version: Option<i64>, reason: &str) -> Result<Detail> {
    change(ctx, id, version, Action::Hold, Event::Hold, Some(reason)).await
}

/// Takes an order off hold, back to the status it had. Staff.
///
/// # Errors
/// Conflict as [`start`].
pub async fn resume(ctx: &Ctx, id: SpvId, version: Option<i64>) -> Result<Detail> {
    change(ctx, id, version, Action::Resume, Event::Resume, None).await
}

/// Cancels an open order, with a reason. Staff.
///
/// # Errors
/// Invalid without a reason; Conflict as [`start`].
pub async fn cancel(ctx: &Ctx, id: SpvId, version: Option<i64>, reason: &str) -> Result<Detail> {
    change(ctx, id, version, Action::Cancel, Event::Cancel, Some(reason)).await
}

/// Reopens a closed order to processing, a cancelled one to the status it had. Super admins, with a reason.
///
/// # Errors
/// Invalid without a reason; Conflict as [`start`].
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
    ctx.transaction(|tx| turn(tx, ctx, id, version, action, event, reason).scope_boxed()).await
}

/// [`start`] and its kind in a transaction that may do more.
pub(crate) async fn turn(
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
    let mut check = Check::new();
    let reason = reason.map(|text| check.text("reason", text));
    check.done()?;
    fresh(version, before.version, &before.updated_by, before.updated_at)?;
    let state = before.state().after(event)?;
    let mut after = before.clone();
    after.status_reason = matches!(event, Event::Hold | Event::Cancel).then(|| reason.clone()).flatten();
    if event == Event::Reopen {
        after.closed_at = None;
    }
    let spv = moved(tx, ctx, &before, after, state).await?;
    let name = match event {
        Event::Start => "spv.started",
        Event::Hold => "spv.held",
        Event::Resume => "spv.resumed",
        Event::Cancel => "spv.cancelled",
        Event::Reopen => "spv.reopened",
        Event::FirstStepMoved => "spv.processing",
        Event::LastStepCompleted => "spv.closed",
    };
    activity::append(tx, ctx, told(name, &before, state.status, reason.as_deref())).await?;
    Ok(Detail { spv, steps })
}

/// Saves an order whose state or steps have moved, and its counters.
pub(crate) async fn moved(tx: &mut Tx, ctx: &Ctx, before: &Spv, mut after: Spv, state: State) -> Result<Spv> {
    (after.status, after.held_from, after.cancelled_from) = (state.status, state.held_from, state.cancelled_from);
    (after.updated_at, after.updated_by, after.version) = (ctx.now(), ctx.who(), before.version + 1);
    if state == before.state() {
        store::save_progress(tx, &after).await?;
    } else {
        store::save(tx, &after, state, ctx.now(), &ctx.who()).await?;
    }
    commissions::follow(tx, ctx, before, &after).await?;
    let mut changes = CounterDeltas::default();
    for (spv, sign) in [(before, -1), (&after, 1)] {
        if spv.status == Status::Active {
            changes.add(Counter::ActiveSpvs, sign);
            changes.add(Counter::Revenue(spv.currency), sign * spv.price_minor.unwrap_or(0));
        }
        if spv.status.is_open() {
            changes.add(Counter::PendingReviews, sign * spv.steps_pending);
        }
    }
    changes.write(tx).await?;
    let order = rollups::companies::Order {
        company: before.company_id,
        iso: before.iso_id,
        client: before.client_id,
        currency: before.currency,
    };
    let cancelled = i64::from(after.status == Status::Cancelled) - i64::from(before.status == Status::Cancelled);
    rollups::companies::change_order(tx, order, cancelled, after.revenue_minor() - before.revenue_minor()).await?;
    for (spv, by) in [(before, -1), (&after, 1)] {
        dated::add_order(tx, spv.place(), spv.status, spv.ordered_date, spv.amount_minor().unwrap_or(0), by);
    }
    Ok(after)
}

/// The public event of an order's change of status.
pub(crate) fn told(action: &'static str, spv: &Spv, to: Status, reason: Option<&str>) -> activity::Event {
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

pub fn resource(spv: &Spv) -> Resource {
    Resource::Spv { client_id: spv.client_id, company_id: spv.company_id, iso_id: spv.iso_id }
}

/// What the actor may do with this order as it stands: the buttons of its screens.
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
    if steps::may_update(ctx, spv) {
        can.push("update_steps");
    }
    if documents::may_send(ctx, spv) {
        can.push("upload");
    }
    can
}

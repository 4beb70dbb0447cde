//! Leads: people whom an ISO partner wants to bring as clients. The partner who adds a lead first is protected for
//! [`PROTECTED_DAYS`] and stays the client's partner after its conversion. Each lead has a request on the request desk.
mod model;
mod request;
mod store;

pub use model::{Lead, Stage};
pub use store::{Filter, LeadSort, client_with_phone_sql};

use crate::{
    accounts::users::email_key,
    directory::{companies, isos},
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{IsoId, LeadId, SpvId, UserId},
        page::{Page, PageQuery, Total},
        validate::{self, LINE, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Days, Utc};

/// The days for which no other partner can add the same person.
pub const PROTECTED_DAYS: u64 = 90;

/// The form of a lead.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub organisation: Option<String>,
    pub note: Option<String>,
    pub next_step: Option<String>,
    pub next_step_date: Option<String>,
}

/// The number of a partner's leads that are neither won nor lost.
pub(crate) async fn count_pending(db: &mut impl Sql, iso: IsoId) -> Result<i64> {
    store::count_pending(db, iso).await
}

/// Adds a lead. ISO partners.
///
/// # Errors
/// Forbidden; Invalid per field; Conflict `lead_taken` where a client or a protected lead has this email address or
/// phone number.
#[tracing::instrument(level = "debug", name = "leads.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Lead> {
    ctx.may(Action::Create, Resource::NewLead)?;
    create_of(ctx, own(ctx)?, input).await
}

/// Adds a lead of a partner. The operator and super admins.
///
/// # Errors
/// As [`create`]; NotFound.
#[tracing::instrument(level = "debug", name = "leads.create_for", skip_all, fields(%iso_id))]
pub async fn create_for(ctx: &Ctx, iso_id: IsoId, input: Input) -> Result<Lead> {
    ctx.may(Action::Update, Resource::System)?;
    create_of(ctx, iso_id, input).await
}

async fn create_of(ctx: &Ctx, iso_id: IsoId, input: Input) -> Result<Lead> {
    let iso = isos::get(ctx, iso_id).await?;
    let today = companies::defaults(ctx, Some(iso.company_id)).await?.today;
    let id = LeadId(ctx.random.uuid());
    let fields = validate_fields(input)?;
    let row = &store::InsertLead {
        id,
        iso_id,
        company_id: iso.company_id,
        fields,
        protected_until: today + Days::new(PROTECTED_DAYS),
        at: ctx.now(),
        by: ctx.actor_name(),
    };
    let made = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(LeadId(id));
            }
            check_not_taken(tx, &row.fields.email, row.fields.phone.as_deref(), None, ctx.now()).await?;
            store::insert(tx, row).await?;
            let name = format!("{} {}", row.fields.first_name, row.fields.last_name);
            activity::append(tx, ctx, event("lead.created", id, name, iso_id)).await?;
            let lead = store::get(tx, id).await?.ok_or(Error::NotFound("lead"))?;
            request::on_created(tx, ctx, &lead).await?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, made.await?).await
}

fn own(ctx: &Ctx) -> Result<IsoId> {
    match ctx.scope()? {
        crate::kernel::access::Scope::Iso(id) => Ok(id),
        _ => Err(Error::forbidden("forbidden")),
    }
}

/// Refuses a person who is a client, or a protected lead that is not lost. The error does not tell which, or of which
/// partner.
async fn check_not_taken(
    tx: &mut Tx,
    email: &str,
    phone: Option<&str>,
    but: Option<LeadId>,
    now: DateTime<Utc>,
) -> Result<()> {
    // Serializes two partners who add one person.
    tx.advisory_lock("leads".to_owned()).await?;
    if store::is_known(tx, &email_key(email), phone.and_then(digits).as_deref(), but, now).await? {
        return Err(Error::conflict("lead_taken"));
    }
    Ok(())
}

/// Refuses a new client who is another partner's protected lead: the staff convert that lead, or mark it as lost first.
/// Only the staff create clients, so the error names the partner.
///
/// # Errors
/// Conflict `lead_protected`.
pub(crate) async fn check_not_protected(
    tx: &mut Tx,
    ctx: &Ctx,
    email: &str,
    phone: Option<&str>,
    partner: Option<IsoId>,
) -> Result<()> {
    // Serializes with a partner who adds the person as a lead.
    tx.advisory_lock("leads".to_owned()).await?;
    let phone = phone.and_then(digits);
    match store::find_protected(tx, &email_key(email), phone.as_deref(), partner, ctx.now()).await? {
        Some(lead) => Err(Error::Conflict(
            Problem::new("lead_protected")
                .with("name", lead.name())
                .with("iso", lead.iso_name())
                .with("until", lead.protected_until.to_string()),
        )),
        None => Ok(()),
    }
}

/// The digits of a phone number; None where they are too few to identify a person.
pub(crate) fn digits(phone: &str) -> Option<String> {
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    (digits.len() >= 7).then_some(digits)
}

fn validate_fields(input: Input) -> Result<model::Fields> {
    let mut check = Validator::new();
    let fields = model::Fields {
        first_name: check.single_line("first_name", &input.first_name, LINE),
        last_name: check.single_line("last_name", &input.last_name, LINE),
        email: check.email("email", &input.email),
        phone: check.phone("phone", input.phone.as_deref()),
        organisation: check.optional_line("organisation", input.organisation.as_deref(), LINE),
        note: check.optional_text("note", input.note.as_deref()),
        next_step: check.optional_line("next_step", input.next_step.as_deref(), LINE),
        next_step_date: check.optional("next_step_date", input.next_step_date.as_deref(), validate::date),
    };
    check.finish()?;
    Ok(fields)
}

/// One lead. Its partner, and the staff.
///
/// # Errors
/// NotFound, also for a lead that the actor may not see.
#[tracing::instrument(level = "debug", name = "leads.get", skip_all, fields(lead_id = %id))]
pub async fn get(ctx: &Ctx, id: LeadId) -> Result<Lead> {
    let lead = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("lead"))?;
    ctx.may(Action::View, resource(&lead))?;
    Ok(lead)
}

/// Leads, by default newest first: a partner's own, the staff's all.
///
/// # Errors
/// Forbidden for others; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "leads.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Lead>> {
    ctx.may(Action::View, Resource::Leads)?;
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of leads of a list.
///
/// # Errors
/// As [`list`].
#[tracing::instrument(level = "debug", name = "leads.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    ctx.may(Action::View, Resource::Leads)?;
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// The changes of a lead; a field left out stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub organisation: Option<String>,
    pub note: Option<String>,
    pub next_step: Option<String>,
    pub next_step_date: Option<String>,
    pub stage: Option<String>,
}

/// Changes the fields and the stage of a lead. Its partner, and the staff.
///
/// # Errors
/// NotFound; Invalid per field; Conflict `lead_won` once it is a client, `lead_taken` as [`create`], stale.
#[tracing::instrument(level = "debug", name = "leads.update", skip_all, fields(lead_id = %id))]
pub async fn update(ctx: &Ctx, id: LeadId, version: Option<i64>, change: Change) -> Result<Lead> {
    change_and_get(ctx, id, version, change, None).await
}

/// Marks a lead as lost by the rejection or withdrawal of its request, which keeps the reason.
///
/// # Errors
/// NotFound; Invalid with an empty reason; Conflict `lead_won`, `lead_lost`, stale.
pub(crate) async fn mark_lost(ctx: &Ctx, id: LeadId, reason: Option<&str>) -> Result<Lead> {
    let mut check = Validator::new();
    let reason = reason.map(|reason| check.text("reason", reason));
    check.finish()?;
    let seen = get(ctx, id).await?;
    if seen.stage == Stage::Lost {
        return Err(Error::Conflict(Problem::new("lead_lost").with("name", seen.name())));
    }
    let lost = Change { stage: Some(Stage::Lost.name().to_owned()), ..Change::default() };
    change_and_get(ctx, id, Some(seen.version), lost, reason).await
}

async fn change_and_get(
    ctx: &Ctx,
    id: LeadId,
    version: Option<i64>,
    change: Change,
    reason: Option<String>,
) -> Result<Lead> {
    let (change, reason) = (&change, reason.as_deref());
    ctx.transaction(|tx| change_in(tx, ctx, id, version, change, reason).scope_boxed()).await?;
    get(ctx, id).await
}

/// [`update`] in its transaction.
async fn change_in(
    tx: &mut Tx,
    ctx: &Ctx,
    id: LeadId,
    version: Option<i64>,
    change: &Change,
    reason: Option<&str>,
) -> Result<()> {
    let lead = lock(tx, ctx, id, version).await?;
    let or = |new: &Option<String>, old: &str| new.as_deref().unwrap_or(old).to_owned();
    let maybe = |new: &Option<String>, old: &Option<String>| new.as_ref().or(old.as_ref()).cloned();
    let stage = match change.stage.as_deref() {
        Some(text) => text.parse::<Stage>().map_err(|problem| Error::field_with("stage", problem))?,
        None => lead.stage,
    };
    if stage == Stage::Won {
        return Err(Error::field("stage", "won_by_conversion"));
    }
    let fields = validate_fields(Input {
        first_name: or(&change.first_name, &lead.first_name),
        last_name: or(&change.last_name, &lead.last_name),
        email: or(&change.email, &lead.email),
        phone: maybe(&change.phone, &lead.phone),
        organisation: maybe(&change.organisation, &lead.organisation),
        note: maybe(&change.note, &lead.note),
        next_step: maybe(&change.next_step, &lead.next_step),
        next_step_date: maybe(&change.next_step_date, &lead.next_step_date.map(|date| date.to_string())),
    })?;
    let moved = email_key(&fields.email) != email_key(&lead.email)
        || fields.phone.as_deref().and_then(digits) != lead.phone.as_deref().and_then(digits);
    if moved || (lead.stage == Stage::Lost && stage != Stage::Lost) {
        check_not_taken(tx, &fields.email, fields.phone.as_deref(), Some(id), ctx.now()).await?;
    }
    let name = format!("{} {}", fields.first_name, fields.last_name);
    store::save(tx, id, &fields, stage, ctx.now(), &ctx.actor_name()).await?;
    store::index(tx, id, lead.iso_id, &fields).await?;
    let lost = stage == Stage::Lost && lead.stage != Stage::Lost;
    let action = if lost { "lead.lost" } else { "lead.updated" };
    let event = event(action, id, name, lead.iso_id).with("stage", stage.name());
    let event = match reason {
        Some(reason) => event.with("reason", reason),
        None => event,
    };
    let now = store::get(tx, id).await?.ok_or(Error::NotFound("lead"))?;
    activity::append(tx, ctx, event.changed(&lead, &now)?).await?;
    request::on_updated(tx, ctx, &now, reason.map(str::to_owned)).await
}

/// Locks a lead for its conversion: neither won nor lost, and no other partner's protected lead of the same person.
///
/// # Errors
/// NotFound; Forbidden; Conflict `lead_won`, `lead_lost`, `lead_protected`, stale.
pub(crate) async fn lock_for_conversion(tx: &mut Tx, ctx: &Ctx, id: LeadId, version: Option<i64>) -> Result<Lead> {
    let lead = lock(tx, ctx, id, version).await?;
    if lead.stage == Stage::Lost {
        return Err(Error::Conflict(Problem::new("lead_lost").with("name", lead.name())));
    }
    check_not_protected(tx, ctx, &lead.email, lead.phone.as_deref(), Some(lead.iso_id)).await?;
    Ok(lead)
}

/// Marks a locked lead as won by the client and the order that were created of it, and approves its request.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn mark_won(tx: &mut Tx, ctx: &Ctx, lead: &Lead, client: UserId, spv: SpvId) -> Result<()> {
    store::mark_won(tx, lead.id, client, spv, ctx.now(), &ctx.actor_name()).await?;
    request::on_converted(tx, ctx, lead.id, client, spv).await?;
    activity::append(tx, ctx, event("lead.converted", lead.id, lead.name(), lead.iso_id).spv(spv)).await
}

/// Locks a lead that is not won, for a change by the actor; refuses a stale version.
async fn lock(tx: &mut Tx, ctx: &Ctx, id: LeadId, version: Option<i64>) -> Result<Lead> {
    store::lock(tx, id).await?;
    let lead = store::get(tx, id).await?.ok_or(Error::NotFound("lead"))?;
    ctx.may(Action::Update, resource(&lead))?;
    if lead.stage == Stage::Won {
        return Err(Error::Conflict(Problem::new("lead_won").with("name", lead.name())));
    }
    fresh(version, lead.version, &lead.updated_by, lead.updated_at)?;
    Ok(lead)
}

/// An event for the staff and the lead's partner; the partner's company does not see it.
fn event(action: &'static str, id: LeadId, name: String, iso: IsoId) -> Event {
    Event::new(action, "lead", id.0, name).of(None, None, Some(iso)).public()
}

fn resource(lead: &Lead) -> Resource {
    Resource::Lead { iso_id: lead.iso_id }
}

/// The actions that the actor may take on this lead: the buttons of its row.
pub fn can(ctx: &Ctx, lead: &Lead) -> Vec<&'static str> {
    let open = lead.stage != Stage::Won;
    [
        ("update", open && ctx.can(Action::Update, resource(lead))),
        ("convert", open && lead.stage != Stage::Lost && ctx.can(Action::Create, Resource::NewClient)),
    ]
    .into_iter()
    .filter_map(|(name, may)| may.then_some(name))
    .collect()
}

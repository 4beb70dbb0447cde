//! Scheduled report mails. A mail links to the report and contains no amounts and no documents. It goes only to admins
//! who may see the report on that day.
use super::{
    model::{Frequency, Recipient, Report, Schedule},
    schedule_store as store,
};
use crate::{
    directory::companies,
    kernel::{
        access::{Action, Actor, Resource},
        clock,
        ctx::{Ctx, fresh},
        date_range::Period,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, ReportScheduleId, UserId},
        validate::Validator,
    },
    outbox::{
        mails::{self, Kind},
        notifications,
    },
    platform::activity::{self, Event},
};
use chrono::NaiveDate;
use serde_json::Map;

/// Input of a new schedule.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub company_id: Option<CompanyId>,
    pub report: Option<String>,
    pub period: Option<String>,
    pub every: Option<String>,
    pub recipients: Vec<UserId>,
}

/// Changes of a schedule; None leaves a field.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub report: Option<String>,
    pub period: Option<String>,
    pub every: Option<String>,
    pub recipients: Option<Vec<UserId>>,
}

/// Schedules of a company, the oldest first. Its admins and super admins.
///
/// # Errors
/// As [`companies::portal`].
#[tracing::instrument(level = "debug", name = "reports.list", skip_all)]
pub async fn list(ctx: &Ctx, picked: Option<CompanyId>) -> Result<Vec<Schedule>> {
    let company = companies::portal(ctx, picked).await?;
    store::list(&mut ctx.db(), company.id).await
}

/// Possible recipients: the admins of the company by name.
///
/// # Errors
/// As [`companies::portal`].
#[tracing::instrument(level = "debug", name = "reports.admins", skip_all)]
pub async fn admins(ctx: &Ctx, picked: Option<CompanyId>) -> Result<Vec<Recipient>> {
    let company = companies::portal(ctx, picked).await?;
    let found = store::admins(&mut ctx.db(), company.id).await?;
    let named =
        found.into_iter().map(|(id, first, last)| Recipient { id, name: format!("{first} {last}"), may_see: true });
    Ok(named.collect())
}

/// # Errors
/// NotFound, also when it is not the actor's to know of.
#[tracing::instrument(level = "debug", name = "reports.get", skip_all, fields(report_schedule_id = %id))]
pub async fn get(ctx: &Ctx, id: ReportScheduleId) -> Result<Schedule> {
    let mut db = ctx.db();
    let found = store::get(&mut db, id).await?.ok_or(Error::NotFound("report_schedule"))?;
    ctx.may(Action::View, resource(&found))?;
    let all = store::list(&mut db, found.company_id).await?;
    all.into_iter().find(|row| row.id == id).ok_or(Error::NotFound("report_schedule"))
}

/// Creates a schedule. It is first mailed on its next date, not immediately.
///
/// # Errors
/// As [`companies::portal`]; Invalid per field.
#[tracing::instrument(level = "debug", name = "reports.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Schedule> {
    let company = companies::portal(ctx, input.company_id).await?;
    let mut check = Validator::new();
    let report = check.required("report", input.report.as_deref(), str::parse::<Report>);
    let period = check.optional("period", input.period.as_deref(), str::parse::<Period>).unwrap_or_default();
    let every = check.required("every", input.every.as_deref(), str::parse::<Frequency>);
    let recipients = recipients(ctx, &mut check, company.id, input.recipients).await?;
    check.finish()?;
    let (Some(report), Some(every)) = (report, every) else { return Err(Error::field("report", "required")) };
    let row = Schedule {
        id: ReportScheduleId(ctx.random.uuid()),
        company_id: company.id,
        report,
        period,
        every,
        next_date: every.after(company.today(ctx.now())),
        last_sent_at: None,
        recipients: vec![],
        updated_at: ctx.now(),
        updated_by: ctx.actor_name(),
        version: 1,
    };
    ctx.may(Action::Create, resource(&row))?;
    let (row, recipients) = (&row, &recipients);
    let made = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(ReportScheduleId(id));
            }
            if store::count(tx, row.company_id).await? >= store::MAX_SCHEDULES as i64 {
                return Err(Error::field_with("report", Problem::new("too_many").with("max", store::MAX_SCHEDULES)));
            }
            store::insert(tx, row, ctx.now()).await?;
            store::set_recipients(tx, row.id, recipients).await?;
            activity::append(tx, ctx, event("report_schedule.created", row)).await?;
            idempotency::store(tx, ctx, row.id.0).await?;
            Ok(row.id)
        }
        .scope_boxed()
    });
    get(ctx, made.await?).await
}

/// Changes a schedule. Changing the frequency moves its next date.
///
/// # Errors
/// NotFound; Invalid per field; Conflict for an outdated `version`.
#[tracing::instrument(level = "debug", name = "reports.update", skip_all, fields(report_schedule_id = %id))]
pub async fn update(ctx: &Ctx, id: ReportScheduleId, version: Option<i64>, change: Change) -> Result<Schedule> {
    let company = companies::get(ctx, get(ctx, id).await?.company_id).await?;
    let mut check = Validator::new();
    let report = check.optional("report", change.report.as_deref(), str::parse::<Report>);
    let period = check.optional("period", change.period.as_deref(), str::parse::<Period>);
    let every = check.optional("every", change.every.as_deref(), str::parse::<Frequency>);
    let recipients = match change.recipients {
        Some(user_ids) => Some(recipients(ctx, &mut check, company.id, user_ids).await?),
        None => None,
    };
    check.finish()?;
    let (company, recipients) = (&company, &recipients);
    ctx.transaction(|tx| {
        async move {
            let mut row = locked(tx, ctx, id, version, Action::Update).await?;
            row.report = report.unwrap_or(row.report);
            row.period = period.unwrap_or(row.period);
            if let Some(every) = every.filter(|every| *every != row.every) {
                row.every = every;
                row.next_date = every.after(company.today(ctx.now()));
            }
            row.version += 1;
            row.updated_at = ctx.now();
            row.updated_by = ctx.actor_name();
            store::save(tx, &row).await?;
            if let Some(recipients) = recipients {
                store::set_recipients(tx, id, recipients).await?;
            }
            activity::append(tx, ctx, event("report_schedule.updated", &row)).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Deletes a schedule.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "reports.delete", skip_all, fields(report_schedule_id = %id))]
pub async fn delete(ctx: &Ctx, id: ReportScheduleId) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            let row = locked(tx, ctx, id, None, Action::Delete).await?;
            store::delete(tx, id).await?;
            activity::append(tx, ctx, event("report_schedule.deleted", &row)).await
        }
        .scope_boxed()
    })
    .await
}

/// Removes a recipient through the unsubscribe link. A schedule without recipients mails nothing.
///
/// # Errors
/// Internal if the database fails.
pub(crate) async fn remove_recipient(tx: &mut Tx, ctx: &Ctx, id: ReportScheduleId, user: UserId) -> Result<()> {
    let Some(row) = store::lock(tx, id).await? else { return Ok(()) };
    if store::remove_recipient(tx, id, user).await? {
        let ctx = ctx.acting_as(Actor::System("reports.unsubscribe"));
        let row = Schedule { version: row.version + 1, updated_at: ctx.now(), updated_by: ctx.actor_name(), ..row };
        store::save(tx, &row).await?;
        activity::append(tx, &ctx, event("report_schedule.updated", &row)).await?;
    }
    Ok(())
}

async fn locked(
    tx: &mut Tx,
    ctx: &Ctx,
    id: ReportScheduleId,
    version: Option<i64>,
    action: Action,
) -> Result<Schedule> {
    let row = store::lock(tx, id).await?.ok_or(Error::NotFound("report_schedule"))?;
    ctx.may(action, resource(&row))?;
    fresh(version, row.version, &row.updated_by, row.updated_at)?;
    Ok(row)
}

/// Maximum number of recipients of a schedule.
const MAX_RECIPIENTS: usize = 50;

async fn recipients(
    ctx: &Ctx,
    check: &mut Validator,
    company: CompanyId,
    mut user_ids: Vec<UserId>,
) -> Result<Vec<UserId>> {
    user_ids.sort_unstable();
    user_ids.dedup();
    let known = store::admins(&mut ctx.db(), company).await?;
    if user_ids.is_empty() {
        check.reject("recipients", Problem::new("required"));
    } else if user_ids.len() > MAX_RECIPIENTS {
        check.reject("recipients", Problem::new("too_many").with("max", MAX_RECIPIENTS));
    } else if !user_ids.iter().all(|id| known.iter().any(|(admin, ..)| admin == id)) {
        check.reject("recipients", Problem::new("not_found"));
    }
    Ok(user_ids)
}

/// Mails the reports that are due where it is morning, each once even after weeks without a server. Returns the number
/// of mails. Jobs.
///
/// # Errors
/// Forbidden without the permission to send mails; Internal if the database fails.
#[tracing::instrument(level = "debug", name = "reports.mail_due", skip_all)]
pub async fn mail_due(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut mailed = 0;
    // The company's time zone may be a day ahead.
    for due in &store::due(&mut ctx.db(), clock::latest_day(ctx.now())).await? {
        let Some(today) = notifications::digest_day(ctx.now(), &due.time_zone) else { continue };
        if due.next_date > today {
            continue;
        }
        mailed += ctx.transaction(|tx| mail_schedule(tx, ctx, due, today).scope_boxed()).await?;
    }
    Ok(mailed)
}

/// [`mail_due`] for one schedule in its transaction. Returns the number of mails.
async fn mail_schedule(tx: &mut Tx, ctx: &Ctx, due: &store::Due, today: NaiveDate) -> Result<usize> {
    if !store::advance(tx, due.id, due.next_date, due.every.after(today), ctx.now()).await? {
        return Ok(0);
    }
    let readers = store::recipients_with_access(tx, due.id).await?;
    // Dates of the period today, so that the link shows the same days next month.
    let span = due.period.span(today);
    for (reader,) in &readers {
        let data = Map::from_iter([
            ("report".to_owned(), due.report.name().into()),
            ("period".to_owned(), due.period.name().into()),
            ("from".to_owned(), span.from.map(|day| day.to_string()).into()),
            ("to".to_owned(), span.to.map(|day| day.to_string()).into()),
            ("company".to_owned(), due.company_name.clone().into()),
            ("company_id".to_owned(), due.company_id.to_string().into()),
            ("schedule_id".to_owned(), due.id.to_string().into()),
        ]);
        mails::queue(tx, ctx, Kind::Report, *reader, None, data).await?;
    }
    if !readers.is_empty() {
        let event = Event::new("report_schedule.mailed", "report_schedule", due.id.0, due.report.name());
        activity::append(tx, ctx, event.of(None, Some(due.company_id), None).public()).await?;
    }
    Ok(readers.len())
}

fn resource(row: &Schedule) -> Resource {
    Resource::ReportSchedule { company_id: row.company_id }
}

fn event(action: &'static str, row: &Schedule) -> Event {
    Event::new(action, "report_schedule", row.id.0, row.report.name())
        .of(None, Some(row.company_id), None)
        .public()
        .with("every", row.every.name())
}

/// Actions that the actor may do with a schedule, for the buttons of its row.
pub fn can(ctx: &Ctx, row: &Schedule) -> Vec<&'static str> {
    [("update", Action::Update), ("delete", Action::Delete)]
        .into_iter()
        .filter(|(_, action)| ctx.can(*action, resource(row)))
        .map(|(name, _)| name)
        .collect()
}

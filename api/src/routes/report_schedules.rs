//! Scheduled reports by mail.
use crate::{
    error::Result,
    extract::{CreateRequest, IfMatch, Json, Path, Query, SignedIn, empty_string_as_none},
    response::{Created, JsonBody, Versioned},
};
use axum::http::StatusCode;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    kernel::{
        date_range::Period,
        ids::{CompanyId, ReportScheduleId, UserId},
    },
    reporting::reports::{self, Change, Frequency, Input, Report},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Serialize, ToSchema)]
pub struct ReportSchedule {
    id: ReportScheduleId,
    company_id: CompanyId,
    report: Report,
    period: Period,
    every: Frequency,
    /// The morning on which it is mailed next.
    next_date: NaiveDate,
    last_sent_at: Option<DateTime<Utc>>,
    recipients: Vec<ReportRecipient>,
    version: i64,
    /// What the caller may do with it: `update`, `delete`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ReportRecipient {
    id: UserId,
    name: String,
    /// False for whoever may not see the report any more: nothing is sent to them.
    may_see: bool,
}

impl From<reports::Recipient> for ReportRecipient {
    fn from(of: reports::Recipient) -> Self {
        Self { id: of.id, name: of.name, may_see: of.may_see }
    }
}

impl ReportSchedule {
    fn of(ctx: &Ctx, row: reports::Schedule) -> Self {
        Self {
            can: reports::can(ctx, &row),
            id: row.id,
            company_id: row.company_id,
            report: row.report,
            period: row.period,
            every: row.every,
            next_date: row.next_date,
            last_sent_at: row.last_sent_at,
            recipients: row.recipients.into_iter().map(ReportRecipient::from).collect(),
            version: row.version,
        }
    }
}

/// A company's schedules, and who can be named in one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportSchedules {
    items: Vec<ReportSchedule>,
    /// The company's admins.
    admins: Vec<ReportRecipient>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OfCompany {
    /// The company whose portal it is. A super admin must pick one; a company admin has only the own.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
}

/// The reports that a company is mailed.
#[utoipa::path(get, path = "/report-schedules", operation_id = "report_schedule_list", tag = "company",
    params(OfCompany), responses((status = 200, body = ReportSchedules)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(of): Query<OfCompany>) -> Result<JsonBody<ReportSchedules>> {
    let found = reports::list(&ctx, of.company_id).await?;
    let admins = reports::admins(&ctx, of.company_id).await?;
    Ok(JsonBody(ReportSchedules {
        items: found.into_iter().map(|row| ReportSchedule::of(&ctx, row)).collect(),
        admins: admins.into_iter().map(ReportRecipient::from).collect(),
    }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReportSchedule {
    /// A super admin must pick one; a company admin has only the own.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// `portfolio`, `commissions` or `step_times`.
    #[schema(required, value_type = String)]
    report: Option<String>,
    /// Which days the report is about when it is opened; this year unless told.
    period: Option<String>,
    /// `weekly`, on Mondays, or `monthly`, on the first.
    #[schema(required, value_type = String)]
    every: Option<String>,
    /// Admins of the company.
    #[serde(default)]
    #[schema(required)]
    recipients: Vec<UserId>,
}

/// Has a report mailed from now on, first on its next day. The mail leads to the report and carries no figures.
#[utoipa::path(post, path = "/report-schedules", operation_id = "report_schedule_create", tag = "company",
    request_body = NewReportSchedule, responses((status = 201, body = ReportSchedule)))]
pub async fn create(
    CreateRequest { ctx, input, .. }: CreateRequest<NewReportSchedule>,
) -> Result<Created<ReportSchedule>> {
    let NewReportSchedule { company_id, report, period, every, recipients } = input;
    let made = reports::create(&ctx, Input { company_id, report, period, every, recipients }).await?;
    Ok(Created {
        location: format!("/rest/v1/report-schedules/{}", made.id),
        version: made.version,
        view: ReportSchedule::of(&ctx, made),
    })
}

/// One schedule.
#[utoipa::path(get, path = "/report-schedules/{id}", operation_id = "report_schedule_get", tag = "company",
    params(("id" = ReportScheduleId, Path)), responses((status = 200, body = ReportSchedule)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<ReportScheduleId>) -> Result<Versioned<ReportSchedule>> {
    let found = reports::get(&ctx, id).await?;
    Ok(Versioned { version: found.version, view: ReportSchedule::of(&ctx, found) })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportScheduleChange {
    report: Option<String>,
    period: Option<String>,
    every: Option<String>,
    recipients: Option<Vec<UserId>>,
}

/// Changes a schedule.
#[utoipa::path(patch, path = "/report-schedules/{id}", operation_id = "report_schedule_update", tag = "company",
    params(("id" = ReportScheduleId, Path)), request_body = ReportScheduleChange,
    responses((status = 200, body = ReportSchedule)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ReportScheduleId>,
    IfMatch(version): IfMatch,
    Json(input): Json<ReportScheduleChange>,
) -> Result<Versioned<ReportSchedule>> {
    let ReportScheduleChange { report, period, every, recipients } = input;
    let found = reports::update(&ctx, id, version, Change { report, period, every, recipients }).await?;
    Ok(Versioned { version: found.version, view: ReportSchedule::of(&ctx, found) })
}

/// Ends a schedule.
#[utoipa::path(delete, path = "/report-schedules/{id}", operation_id = "report_schedule_delete", tag = "company",
    params(("id" = ReportScheduleId, Path)), responses((status = 204)))]
pub async fn delete(SignedIn(ctx): SignedIn, Path(id): Path<ReportScheduleId>) -> Result<StatusCode> {
    reports::delete(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! System status for super admins: health checks, alerts, security scan.
use crate::{
    error::Result,
    extract::{CreateRequest, EmptyBody, Path, Query, SignedIn, reject_unknown_order},
    response::{ItemList, JsonBody, Page},
};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{
    kernel::{
        ids::{AlertId, ScanId},
        page::PageQuery,
    },
    operations::{
        alerts, health_checks,
        security_scan::{self, State, Texts},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// The last health check of a component.
#[derive(Debug, Serialize, ToSchema)]
pub struct Probe {
    /// `web_server`, `database`, `api_gateway`, `file_storage`, `virus_scanner` (where there is one), `mail` or `queue`.
    name: String,
    ok: bool,
    latency_ms: Option<i64>,
    /// Its response, or the error.
    detail: Option<String>,
    last_error: Option<String>,
    last_error_at: Option<DateTime<Utc>>,
    checked_at: DateTime<Utc>,
    /// False when the check is too old to be current.
    fresh: bool,
}

impl From<health_checks::Probe> for Probe {
    fn from(row: health_checks::Probe) -> Self {
        Self {
            name: row.name,
            ok: row.ok,
            latency_ms: row.latency_ms,
            detail: row.detail,
            last_error: row.last_error,
            last_error_at: row.last_error_at,
            checked_at: row.checked_at,
            fresh: row.fresh,
        }
    }
}

/// Health of each component, checked every minute. Super admins.
#[utoipa::path(get, path = "/probes", operation_id = "probe_list", tag = "system",
    responses((status = 200, body = ItemList<Probe>)))]
pub async fn probes(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<Probe>>> {
    Ok(JsonBody(ItemList { items: health_checks::list(&ctx).await?.into_iter().map(Probe::from).collect() }))
}

/// Checks all components now; `checked_at` changes when done. Super admins.
#[utoipa::path(post, path = "/probes/check", operation_id = "probe_check", tag = "system", responses((status = 202)))]
pub async fn check(CreateRequest { ctx, .. }: CreateRequest<EmptyBody>) -> Result<StatusCode> {
    health_checks::enqueue(&ctx).await?;
    Ok(StatusCode::ACCEPTED)
}

/// An alert.
#[derive(Debug, Serialize, ToSchema)]
pub struct Alert {
    id: AlertId,
    /// `sign_in_storm`, `mail_failing`, `dead_jobs`, `disk_low`, `probe_failing`, `key_expiring`,
    /// `backup_old`, `backup_incomplete` or `backup_not_copied`.
    kind: String,
    /// Subject: an address or a component.
    subject: String,
    /// Parameters of the sentence.
    #[schema(value_type = HashMap<String, Value>)]
    data: Map<String, Value>,
    opened_at: DateTime<Utc>,
    /// When the cause was last seen.
    seen_at: DateTime<Utc>,
    resolved_at: Option<DateTime<Utc>>,
    /// Null while it is open, or when its cause ended by itself.
    resolved_by: Option<String>,
}

impl From<alerts::Alert> for Alert {
    fn from(row: alerts::Alert) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            subject: row.subject,
            data: row.data,
            opened_at: row.opened_at,
            seen_at: row.seen_at,
            resolved_at: row.resolved_at,
            resolved_by: row.resolved_by,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListAlertsQuery {
    /// True lists only open ones.
    #[serde(default)]
    open: bool,
    /// Sort order; only `-opened_at` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Alerts, newest first. Super admins.
#[utoipa::path(get, path = "/alerts", operation_id = "alert_list", tag = "system", params(ListAlertsQuery),
    responses((status = 200, body = Page<Alert>)))]
pub async fn alerts(SignedIn(ctx): SignedIn, Query(query): Query<ListAlertsQuery>) -> Result<JsonBody<Page<Alert>>> {
    reject_unknown_order(query.order.as_deref(), "-opened_at")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(alerts::list(&ctx, query.open.then_some(true), &page).await?, Alert::from)))
}

/// Acknowledges an alert. It is raised again if its cause persists for an hour. Super admins.
#[utoipa::path(post, path = "/alerts/{id}/resolve", operation_id = "alert_resolve", tag = "system",
    params(("id" = AlertId, Path)), responses((status = 200, body = Alert)))]
pub async fn resolve(SignedIn(ctx): SignedIn, Path(id): Path<AlertId>) -> Result<JsonBody<Alert>> {
    Ok(JsonBody(alerts::resolve(&ctx, id).await?.into()))
}

/// A security scan.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SecurityScan)]
pub struct Scan {
    id: ScanId,
    asked_at: DateTime<Utc>,
    asked_by: String,
    /// Null while it runs.
    finished_at: Option<DateTime<Utc>>,
    /// Error of a failed scan.
    error: Option<String>,
    findings: Vec<Finding>,
}

/// A finding, in the language of the reader.
#[derive(Debug, Serialize, ToSchema)]
pub struct Finding {
    check: String,
    state: State,
    /// What was found: `no_workers`, `backup_fresh`.
    code: String,
    /// Name of the check.
    name: String,
    text: String,
    /// What to do; null if nothing is to be done.
    remedy: Option<String>,
}

impl Scan {
    fn new(row: security_scan::Scan, language: &str) -> Self {
        let finding = |found: security_scan::Finding| {
            let Texts { name, text, remedy } = found.texts(language);
            Finding { check: found.check, state: found.state, code: found.code, name, text, remedy }
        };
        Self {
            id: row.id,
            asked_at: row.asked_at,
            asked_by: row.asked_by,
            finished_at: row.finished_at,
            error: row.error,
            findings: row.findings.into_iter().map(finding).collect(),
        }
    }
}

/// The newest security scan, if there is one.
#[derive(Debug, Serialize, ToSchema)]
pub struct LatestScan {
    scan: Option<Scan>,
}

/// Findings of the newest security scan. Super admins.
#[utoipa::path(get, path = "/scans/latest", operation_id = "scan_latest", tag = "system",
    responses((status = 200, body = LatestScan)))]
pub async fn latest_scan(SignedIn(ctx): SignedIn) -> Result<JsonBody<LatestScan>> {
    Ok(JsonBody(LatestScan { scan: security_scan::latest(&ctx).await?.map(|scan| Scan::new(scan, ctx.language())) }))
}

/// Starts a security and performance scan. Its outcome arrives as the event `scan.finished` or `scan.failed` of this
/// id. Super admins.
#[utoipa::path(post, path = "/scans", operation_id = "scan_create", tag = "system",
    responses((status = 202, body = Scan)))]
pub async fn scan(CreateRequest { ctx, .. }: CreateRequest<EmptyBody>) -> Result<(StatusCode, JsonBody<Scan>)> {
    let scan = security_scan::enqueue(&ctx).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(Scan::new(scan, ctx.language()))))
}

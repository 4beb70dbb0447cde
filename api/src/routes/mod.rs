//! The route table and the router. A route's inputs and responses are declared at its handler.
mod activity;
mod analytics;
mod approvals;
mod auth;
mod backups;
mod calls;
mod client_notes;
mod clients;
mod commissions;
mod companies;
mod company_portal;
mod consequences;
mod credit_notes;
mod dashboards;
mod document_requests;
mod documents;
mod events;
mod exports;
mod finances;
mod functions;
mod health;
mod holidays;
mod impersonation;
pub(crate) mod imports;
mod invoices;
mod isos;
mod jobs;
mod leads;
mod logs;
mod mails;
mod maintenance;
mod me;
mod messages;
mod network_security;
mod notifications;
mod payout_accounts;
mod profile;
mod report_schedules;
mod reports;
mod requests;
mod saved_views;
mod search;
mod secure_account;
mod services;
mod settings;
mod spvs;
mod steps;
mod storage;
mod system;
mod tasks;
mod templates;
mod unsubscribe;
mod users;

use crate::{assets, base_path, error::ApiError, middleware, openapi, request_meta::is_api_path, state::AppState};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderName, HeaderValue, Method, header},
    response::{IntoResponse, Response},
    routing::get,
};
use domain::{Actor, Origin, platform::settings::Pages};
use std::{sync::LazyLock, time::Duration};
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The resources under `/rest/v1`.
#[expect(clippy::too_many_lines, reason = "a list of routes")]
fn rest_router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(me::get, me::update))
        .routes(routes!(me::sign_ins))
        .routes(routes!(users::own_sessions))
        .routes(routes!(profile::get, profile::update))
        .routes(routes!(profile::log))
        .routes(routes!(profile::places))
        .routes(routes!(secure_account::secure_account))
        .routes(routes!(settings::get, settings::set))
        // Users.
        .routes(routes!(users::list, users::create))
        .routes(routes!(users::get))
        .routes(routes!(users::set_role))
        .routes(routes!(users::suspend))
        .routes(routes!(users::restore))
        .routes(routes!(users::archive))
        .routes(routes!(users::invite))
        .routes(routes!(users::reset_mfa))
        .routes(routes!(users::sign_out))
        .routes(routes!(users::session_list))
        .routes(routes!(users::session_end))
        .routes(routes!(users::sign_ins))
        .routes(routes!(users::activity))
        .routes(routes!(impersonation::start))
        .routes(routes!(impersonation::end))
        // Maintenance, network security, approvals, settings.
        .routes(routes!(maintenance::start, maintenance::end))
        .routes(routes!(network_security::blocks, network_security::block))
        .routes(routes!(network_security::unblock))
        .routes(routes!(network_security::keys))
        .routes(routes!(network_security::rotate))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::get))
        .routes(routes!(approvals::approve))
        .routes(routes!(approvals::decline))
        .routes(routes!(approvals::withdraw))
        .routes(routes!(settings::set_logo, settings::remove_logo))
        .routes(routes!(holidays::list, holidays::create))
        .routes(routes!(holidays::delete))
        .routes(routes!(settings::test_mail))
        .routes(routes!(services::list, services::create))
        .routes(routes!(services::get, services::update, services::delete))
        // Clients, companies, ISO partners.
        .routes(routes!(clients::list, clients::create))
        .routes(routes!(clients::get, clients::update))
        .routes(routes!(clients::invite))
        .routes(routes!(clients::suspend))
        .routes(routes!(clients::restore))
        .routes(routes!(clients::archive))
        .routes(routes!(companies::list, companies::create))
        .routes(routes!(companies::get, companies::update, companies::delete))
        .routes(routes!(companies::archive))
        .routes(routes!(companies::restore))
        .routes(routes!(company_portal::settings, company_portal::set_settings))
        .routes(routes!(company_portal::set_logo, company_portal::remove_logo))
        .routes(routes!(company_portal::clients))
        .routes(routes!(company_portal::members, company_portal::create_member))
        .routes(routes!(company_portal::invite_member))
        .routes(routes!(company_portal::remove_member))
        .routes(routes!(company_portal::restore_member))
        .routes(routes!(isos::list, isos::create))
        .routes(routes!(isos::get, isos::update, isos::delete))
        .routes(routes!(payout_accounts::get, payout_accounts::set))
        .routes(routes!(payout_accounts::confirm))
        .routes(routes!(isos::archive))
        .routes(routes!(isos::restore))
        // Exports, search, imports.
        .routes(routes!(exports::clients))
        .routes(routes!(exports::companies))
        .routes(routes!(exports::isos))
        .routes(routes!(exports::spvs))
        .routes(routes!(exports::requests))
        .routes(routes!(exports::invoices))
        .routes(routes!(exports::credit_notes))
        .routes(routes!(exports::payments))
        .routes(routes!(exports::services))
        .routes(routes!(exports::documents))
        .routes(routes!(exports::leads))
        .routes(routes!(exports::calls))
        .routes(routes!(exports::tasks))
        .routes(routes!(search::find))
        .routes(routes!(imports::list, imports::create))
        .routes(routes!(imports::undo))
        // Orders and their steps.
        .routes(routes!(spvs::list, spvs::create))
        .routes(routes!(spvs::get, spvs::update))
        .routes(routes!(spvs::preview))
        .routes(routes!(spvs::steps, steps::create))
        .routes(routes!(spvs::start))
        .routes(routes!(spvs::hold))
        .routes(routes!(spvs::resume))
        .routes(routes!(spvs::cancel))
        .routes(routes!(spvs::reopen))
        .routes(routes!(spvs::complete_steps))
        .routes(routes!(spvs::order_steps))
        .routes(routes!(steps::get, steps::update, steps::delete))
        .routes(routes!(tasks::list))
        .routes(routes!(tasks::staff))
        .routes(routes!(tasks::performance))
        .routes(routes!(templates::list))
        .routes(routes!(templates::get, templates::set))
        // Messages.
        .routes(routes!(messages::threads))
        .routes(routes!(messages::unread))
        .routes(routes!(messages::thread))
        .routes(routes!(messages::list))
        .routes(routes!(messages::internal_notes))
        .routes(routes!(messages::read))
        .routes(routes!(messages::find, messages::create))
        // Invoices.
        .routes(routes!(invoices::billing))
        .routes(routes!(invoices::list, invoices::create))
        .routes(routes!(invoices::preview))
        .routes(routes!(invoices::get))
        .routes(routes!(invoices::set_installments))
        .routes(routes!(invoices::pdf))
        .routes(routes!(invoices::pay))
        .routes(routes!(invoices::send_receipt))
        .routes(routes!(invoices::void))
        .routes(routes!(invoices::raise))
        .routes(routes!(credit_notes::list))
        .routes(routes!(credit_notes::get))
        .routes(routes!(credit_notes::pdf))
        // Leads, client notes, calls.
        .routes(routes!(leads::list, leads::create))
        .routes(routes!(leads::get, leads::update))
        .routes(routes!(leads::convert))
        .routes(routes!(saved_views::list, saved_views::create))
        .routes(routes!(saved_views::update, saved_views::delete))
        .routes(routes!(client_notes::list, client_notes::create))
        .routes(routes!(client_notes::delete))
        .routes(routes!(calls::list, calls::create))
        .routes(routes!(calls::get))
        .routes(routes!(calls::confirm))
        .routes(routes!(calls::decline))
        .routes(routes!(calls::cancel))
        .routes(routes!(calls::calendar))
        // Commissions and payouts.
        .routes(routes!(commissions::list))
        .routes(routes!(commissions::overview))
        .routes(routes!(commissions::statement))
        .routes(routes!(exports::commissions))
        .routes(routes!(commissions::approve))
        .routes(routes!(commissions::get))
        .routes(routes!(commissions::void))
        .routes(routes!(commissions::runs, commissions::open_run))
        .routes(routes!(commissions::preview_run))
        .routes(routes!(commissions::run))
        .routes(routes!(commissions::bank))
        .routes(routes!(commissions::sepa))
        .routes(routes!(commissions::pay_run))
        .routes(routes!(commissions::discard_run))
        // Finances, analytics, reports.
        .routes(routes!(finances::get))
        .routes(routes!(finances::csv))
        .routes(routes!(analytics::get))
        .routes(routes!(analytics::office))
        .routes(routes!(reports::get))
        .routes(routes!(reports::csv))
        .routes(routes!(reports::workbook))
        .routes(routes!(report_schedules::list, report_schedules::create))
        .routes(routes!(report_schedules::get, report_schedules::update, report_schedules::delete))
        // Documents and document requests.
        .routes(routes!(documents::list))
        .routes(routes!(documents::get, documents::update, documents::delete))
        .routes(routes!(documents::restore))
        .routes(routes!(documents::undelete))
        .routes(routes!(document_requests::list, document_requests::create))
        .routes(routes!(document_requests::find))
        .routes(routes!(document_requests::get, document_requests::update))
        .routes(routes!(document_requests::approve))
        .routes(routes!(document_requests::send_back))
        .routes(routes!(document_requests::waive))
        // Notifications.
        .routes(routes!(notifications::list))
        .routes(routes!(notifications::unread))
        .routes(routes!(notifications::read))
        .routes(routes!(notifications::choices, notifications::choose))
        // Activity, logs, dashboards.
        .routes(routes!(activity::list))
        .routes(routes!(logs::list))
        .routes(routes!(logs::csv))
        .routes(routes!(dashboards::client))
        .routes(routes!(dashboards::employee))
        .routes(routes!(dashboards::iso))
        .routes(routes!(dashboards::company))
        .routes(routes!(dashboards::admin))
        // Health checks, alerts, security scan, backups, jobs, requests.
        .routes(routes!(system::probes))
        .routes(routes!(system::check))
        .routes(routes!(system::alerts))
        .routes(routes!(system::resolve))
        .routes(routes!(system::latest_scan))
        .routes(routes!(system::scan))
        .routes(routes!(backups::list, backups::create))
        .routes(routes!(jobs::list, jobs::create))
        .routes(routes!(jobs::retry))
        .routes(routes!(mails::list))
        .routes(routes!(mails::resend))
        .routes(routes!(requests::list, requests::create))
        .routes(routes!(requests::desk))
        .routes(routes!(requests::get, requests::update))
        .routes(routes!(requests::review))
        .routes(routes!(requests::accept))
        .routes(routes!(requests::approve))
        .routes(routes!(requests::reject))
        .routes(routes!(requests::withdraw))
}

/// The documented routes outside `/rest/v1`: functions, events, uploads and files, health.
fn protocol_router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(functions::send_notifications))
        .routes(routes!(functions::notify_client_spv))
        .routes(routes!(events::stream))
        .routes(routes!(storage::create))
        .routes(routes!(storage::get, storage::append, storage::cancel))
        .routes(routes!(storage::link))
        .routes(routes!(storage::read))
        .routes(routes!(company_portal::logo))
        .routes(routes!(unsubscribe::unsubscribe))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
}

/// The OpenAPI document as pretty JSON, with a line end.
pub fn openapi_json() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let (_, document) = OpenApiRouter::with_openapi(openapi::base())
            .nest("/rest/v1", rest_router())
            .merge(protocol_router())
            .split_for_parts();
        openapi::render(document)
    });
    &TEXT
}

async fn openapi_document(State(app): State<AppState>) -> Response {
    let document = openapi::with_base_path(openapi_json(), app.options.base_path());
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")], document).into_response()
}

/// The whole router: REST, auth, protocol routes and the web app, with all middleware, below the base path.
pub fn router(app: AppState) -> Router {
    let (documented, _) =
        OpenApiRouter::new().nest("/rest/v1", rest_router()).merge(protocol_router()).split_for_parts();
    let router = documented
        .route("/rest/v1/openapi.json", get(openapi_document))
        .route("/storage/v1/uploads", axum::routing::options(storage::options))
        .route("/unsubscribe", get(fallback))
        .nest("/auth/v1", auth::router(&app))
        .fallback(fallback)
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(DefaultBodyLimit::max(app.http.body_limit))
        .layer(axum::middleware::from_fn_with_state(app.clone(), middleware::request_middleware))
        .layer(middleware::compression());
    let router = match cors(&app.http.cors_origins) {
        Some(cors) => router.layer(cors),
        None => router,
    };
    base_path::below(app.options.base_path(), router.with_state(app.clone()))
}

/// A file or page of the web app; API paths get an error body.
async fn fallback(State(app): State<AppState>, request: Request) -> Response {
    if is_api_path(request.uri().path()) {
        return ApiError::not_found().into_response();
    }
    match *request.method() {
        Method::GET | Method::HEAD => {
            let path = request.uri().path();
            let empty = is_unwritten(&app, path).await;
            assets::serve(&app.random, app.options.base_path(), path, request.headers(), empty)
        }
        _ => ApiError::method_not_allowed().into_response(),
    }
}

/// Whether `path` is a page for the operator to write that has no text yet. False while the database is unavailable: the
/// page itself finds out later.
async fn is_unwritten(app: &AppState, path: &str) -> bool {
    if assets::operator_text(path, &Pages::default()).is_none() {
        return false;
    }
    let settings = domain::platform::settings::get(&app.ctx(Actor::Anonymous, Origin::default())).await;
    settings.is_ok_and(|settings| assets::operator_text(path, &settings.pages).is_some_and(Option::is_none))
}

/// CORS for the operator's other sites; none without any.
fn cors(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let named = |names: &[&'static str]| names.iter().copied().map(HeaderName::from_static).collect::<Vec<_>>();
    (!origins.is_empty()).then(|| {
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_credentials(true)
            .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD])
            .allow_headers(
                [header::ACCEPT, header::AUTHORIZATION, header::CONTENT_TYPE, header::IF_MATCH]
                    .into_iter()
                    .chain(named(&[
                        "apikey",
                        "idempotency-key",
                        "last-event-id",
                        "tus-resumable",
                        "upload-length",
                        "upload-metadata",
                        "upload-offset",
                        "x-client-info",
                        "x-client-ip",
                        "x-jwt-aud",
                        "x-supabase-api-version",
                        "x-use-cookie",
                    ]))
                    .collect::<Vec<_>>(),
            )
            .expose_headers(
                [header::ETAG, header::LOCATION, header::RETRY_AFTER, header::LINK]
                    .into_iter()
                    .chain(named(&[
                        "spv-document-id",
                        "spv-version-id",
                        "tus-resumable",
                        "upload-expires",
                        "upload-length",
                        "upload-offset",
                        "x-request-id",
                        "x-supabase-api-version",
                        "x-total-count",
                    ]))
                    .collect::<Vec<_>>(),
            )
            .max_age(Duration::from_secs(600))
    })
}

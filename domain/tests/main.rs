//! Integration tests of the domain on SQLite and PostgreSQL, in one binary so that it links once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]
#![expect(clippy::too_many_lines, reason = "a scenario is read from top to bottom")]

mod access_matrix;
mod activity_log;
mod activity_timelines;
mod antivirus;
mod auth;
mod auth_attacks;
mod backups;
mod clients;
mod commission_statements;
mod commissions;
mod concurrency;
mod corrections;
mod demo_seed;
mod documents;
mod imports;
mod invoices;
mod iso_partners;
mod jwt_validation;
mod layers;
mod list_sorts;
mod notifications;
mod operations;
mod order_lifecycle;
mod order_requests;
mod profile;
mod readiness;
mod reports;
mod request_desk;
mod rollups;
mod row_locks;
mod saved_views;
mod schema;
mod search;
mod select_star;
mod session_revalidation;
mod storage;
mod templates;
mod text_normalization;
mod time_zones;
mod unsubscribe;
mod uploads;
mod use_case_spans;
mod users;
mod vehicle_name;

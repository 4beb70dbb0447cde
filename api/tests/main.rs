//! API tests in one binary, so that it is linked once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]
#![expect(clippy::too_many_lines, reason = "a scenario is read from top to bottom")]

mod assets;
mod attachments;
mod auth;
mod auth_account;
mod auth_admin;
mod auth_mail;
mod auth_wire;
mod bad_input;
mod base_path;
mod documents;
mod events;
mod every_route;
mod exports;
mod factors;
mod four_eyes;
mod functions;
mod impersonation;
mod imports;
mod json_fields;
mod layers;
mod maintenance;
mod messages;
mod notifications;
mod openapi;
mod operation_snapshots;
mod passkeys;
mod provider;
mod reports;
mod request_span;
mod requests;
mod search;
mod security_mails;
mod serve;
mod sessions;
mod step_up;
mod steps;
mod support;
mod tasks;
mod templates;
mod tenant_isolation;
mod unsubscribe;
mod uploads;
mod users;
mod versioned_rows;

//! Everything the API is asked in tests: one binary, so that it is linked once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod assets;
mod attachments;
mod auth;
mod auth_account;
mod auth_admin;
mod auth_mail;
mod auth_wire;
mod bad_input;
mod documents;
mod events;
mod every_route;
mod exports;
mod factors;
mod functions;
mod impersonation;
mod keys;
mod maintenance;
mod messages;
mod notifications;
mod openapi;
mod provider;
mod reports;
mod requests;
mod rows;
mod scopes;
mod search;
mod serve;
mod sessions;
mod steps;
mod support;
mod tasks;
mod templates;
mod unsubscribe;
mod uploads;
mod users;

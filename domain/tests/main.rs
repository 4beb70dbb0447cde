//! What must hold across the nouns of the domain: one binary, so that it is linked once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod access_matrix;
mod again;
mod auth;
mod backups;
mod commissions;
mod demo;
mod documents;
mod figures;
mod hard_use;
mod harm;
mod imports;
mod invoices;
mod locks;
mod log;
mod notifications;
mod operations;
mod order_requests;
mod partners;
mod profile;
mod reads;
mod reports;
mod request_desk;
mod rows;
mod scanning;
mod schema;
mod search;
mod statements;
mod storage;
mod story;
mod templates;
mod timelines;
mod unsubscribe;
mod uploads;
mod users;
mod writes;

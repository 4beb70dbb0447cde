//! Read models: dashboards, analytics, finances, reports, exports and the global search.

pub mod analytics;
pub mod dashboards;
pub mod exports;
pub mod finances;
pub mod reports;
pub mod search;
pub mod unsubscribe;

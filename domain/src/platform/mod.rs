//! Platform services: activity log, approvals, public holidays, job queue, settings, maintenance mode and rollups.

pub mod activity;
pub mod approvals;
pub mod holidays;
pub mod maintenance;
pub mod queue;
pub mod rollups;
pub mod settings;

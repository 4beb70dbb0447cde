//! Platform services: activity log, job queue, settings, maintenance mode and rollups.

pub mod activity;
pub mod maintenance;
pub mod queue;
pub mod rollups;
pub mod settings;

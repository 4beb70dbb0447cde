//! Services of the portal itself: the activity log, the job queue, the office's settings, maintenance and rollups.

pub mod activity;
pub mod maintenance;
pub mod queue;
pub mod rollups;
pub mod settings;

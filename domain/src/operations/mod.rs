//! Running the portal: backups, imports, alerts, health checks, the security scan and seed data.

pub mod alerts;
pub mod backups;
pub mod demo_accounts;
pub mod health_checks;
pub mod imports;
pub mod names;
pub mod recount;
pub mod security_scan;
pub mod seed;

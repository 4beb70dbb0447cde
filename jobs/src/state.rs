//! State shared by all job handlers: context and mail transport.
use crate::mail::Mailer;
use domain::{Actor, Ctx, operations::security_scan::ProgramChecks};
use std::sync::Arc;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct State {
    ctx: Ctx,
    pub mailer: Arc<Mailer>,
    /// Part of the security scan.
    pub program_checks: ProgramChecks,
}

impl State {
    pub fn new(ctx: Ctx, mailer: Mailer) -> Self {
        Self { ctx, mailer: Arc::new(mailer), program_checks: ProgramChecks::new(|_| async { Vec::new() }) }
    }

    /// With the checks of the program that runs the jobs.
    #[must_use]
    pub fn with_program_checks(self, program_checks: ProgramChecks) -> Self {
        Self { program_checks, ..self }
    }

    /// The context of job `name`: the system as actor, connections of the background pool.
    pub fn ctx(&self, name: &'static str) -> Ctx {
        self.ctx.acting_as(Actor::System(name)).background()
    }
}

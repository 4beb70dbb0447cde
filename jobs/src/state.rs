//! State shared by all job handlers: context and mail transport.
use crate::mail::Mailer;
use domain::{Actor, Ctx};
use std::sync::Arc;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct State {
    ctx: Ctx,
    pub mailer: Arc<Mailer>,
}

impl State {
    pub fn new(ctx: Ctx, mailer: Mailer) -> Self {
        Self { ctx, mailer: Arc::new(mailer) }
    }

    /// The context of job `name`: the system as actor, connections of the background pool.
    pub fn ctx(&self, name: &'static str) -> Ctx {
        self.ctx.acting_as(Actor::System(name)).background()
    }
}

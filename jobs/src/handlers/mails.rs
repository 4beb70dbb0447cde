//! Sends what is in the outbox.
use crate::{outcome, state::State, templates};
use domain::{
    auth::asked::{self, Asked},
    mails::{self, Send},
    queue::{Job, worker::Failure},
};

/// What the office is called in mails until its settings say otherwise.
const BRAND: &str = "SPV Portal";

/// Sends one mail. A second run of a mail that has left finds it sent and does nothing; only a crash between the
/// server's yes and our note of it sends twice, with the same Message-ID.
pub async fn send(state: State, job: Send) -> Result<(), Failure> {
    let ctx = state.ctx(Send::NAME);
    let Some(outgoing) = mails::attempt(&ctx, job.mail_id).await.map_err(outcome::of)? else { return Ok(()) };
    let settings = domain::settings::get(&ctx).await.map_err(outcome::of)?;
    let brand = settings.brand_name.as_deref().unwrap_or(BRAND);
    let letter = templates::letter(&outgoing, ctx.now(), &ctx.options.public_url, brand)
        .map_err(|e| Failure::Never(format!("cannot be worded: {e}")))?;
    state.mailer.send(&letter, ctx.now()).await?;
    mails::sent(&ctx, job.mail_id).await.map_err(outcome::of)
}

/// Writes into the outbox why an attempt failed.
pub async fn failed(state: State, job: Send, why: String, last: bool) {
    let ctx = state.ctx(Send::NAME);
    if let Err(error) = mails::failed(&ctx, job.mail_id, &why, last).await {
        tracing::warn!(mail = %job.mail_id, %error, "the failure could not be noted");
    }
}

/// Writes to whoever asked, if there is somebody to write to.
pub async fn answer(state: State, job: Asked) -> Result<(), Failure> {
    asked::answer(&state.ctx(Asked::NAME), &job).await.map_err(outcome::of)
}

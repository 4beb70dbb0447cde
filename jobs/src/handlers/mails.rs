//! Sends what is in the outbox.
use crate::{outcome, state::State, templates};
use domain::{
    Ctx,
    auth::asked::{self, Asked},
    ids::MailId,
    mails::{self, Send, SendTest},
    queue::{Job, worker::Failure},
};

/// What the office is called in mails until its settings say otherwise.
const BRAND: &str = "SPV Portal";

/// Sends one mail. A second run of a mail that has left finds it sent and does nothing; only a crash between the
/// server's yes and our note of it sends twice, with the same Message-ID.
pub async fn send(state: State, job: Send) -> Result<(), Failure> {
    let ctx = state.ctx(Send::NAME);
    leave(&state, &ctx, job.mail_id).await
}

/// Sends a test mail, which is not tried again: whoever asked for it is told at once why it did not leave.
pub async fn send_test(state: State, job: SendTest) -> Result<(), Failure> {
    let ctx = state.ctx(SendTest::NAME);
    match leave(&state, &ctx, job.mail_id).await {
        Ok(()) => Ok(()),
        Err(Failure::Later(why) | Failure::Never(why)) => {
            mails::failed(&ctx, job.mail_id, &why, true).await.map_err(outcome::of)
        }
    }
}

/// Writes into the outbox why a test mail did not leave, where even that could not be noted or took too long.
pub async fn test_failed(state: State, job: SendTest, why: String, last: bool) {
    failed(state, Send { mail_id: job.mail_id }, why, last).await;
}

async fn leave(state: &State, ctx: &Ctx, id: MailId) -> Result<(), Failure> {
    let Some(outgoing) = mails::attempt(ctx, id).await.map_err(outcome::of)? else { return Ok(()) };
    let settings = domain::settings::get(ctx).await.map_err(outcome::of)?;
    let brand = settings.brand_name.as_deref().unwrap_or(BRAND);
    let letter = templates::letter(&outgoing, ctx.now(), &ctx.options.public_url, brand)
        .map_err(|e| Failure::Never(format!("cannot be worded: {e}")))?;
    state.mailer.send(&letter, settings.mail_sender.as_deref(), ctx.now()).await?;
    mails::sent(ctx, id).await.map_err(outcome::of)
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

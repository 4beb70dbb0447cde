//! Delivers mails of the outbox.
use crate::{job_error, mail::Sender, state::State, templates};
use domain::{
    Ctx,
    accounts::{
        auth::mail_request::{self, SendAuthMailJob},
        mail_delivery,
    },
    kernel::ids::MailId,
    outbox::mails::{self, Send, SendTest},
    platform::queue::{Job, worker::Failure},
};

/// Sends one mail. A second run finds it sent and does nothing. Only a crash between the server's acceptance and our commit
/// sends it twice, with the same Message-ID.
pub async fn send(state: State, job: Send) -> Result<(), Failure> {
    let ctx = state.ctx(Send::NAME);
    deliver(&state, &ctx, job.mail_id, false).await
}

/// Sends a test mail. Never retried: the page that requested it shows the error at once.
pub async fn send_test(state: State, job: SendTest) -> Result<(), Failure> {
    let ctx = state.ctx(SendTest::NAME);
    match deliver(&state, &ctx, job.mail_id, true).await {
        Ok(()) => Ok(()),
        Err(Failure::Retry(why) | Failure::Fail(why)) => {
            mails::mark_failed(&ctx, job.mail_id, &why, true).await.map_err(job_error::classify)
        }
    }
}

/// Records why a test mail failed, when [`send_test`] could not record it or timed out.
pub async fn record_test_failure(state: State, job: SendTest, why: String, last: bool) {
    record_failure(state, Send { mail_id: job.mail_id }, why, last).await;
}

/// Subject and text of a mail as it would be sent now, with placeholders for one-time links.
#[derive(Clone, Debug)]
pub struct Preview {
    pub subject: String,
    pub text: String,
}

/// # Errors
/// As of [`mail_delivery::preview`].
pub async fn preview(ctx: &Ctx, id: MailId) -> domain::Result<Preview> {
    let outgoing = mail_delivery::preview(ctx, id).await?;
    let settings = domain::platform::settings::get(ctx).await?;
    let support = settings.support_email.as_deref();
    let office = templates::Office { public_url: &ctx.options.public_url, brand: settings.brand(), support };
    let rendered = templates::render(&outgoing, ctx.now(), office).map_err(domain::Error::internal)?;
    Ok(Preview { subject: rendered.subject, text: rendered.text })
}

/// Sends a test mail of the outbox now, outside the queue; the error says why it failed, and is recorded.
///
/// # Errors
/// What the transport answers.
pub async fn send_test_now(state: &State, ctx: &Ctx, id: MailId) -> domain::Result<Result<(), String>> {
    match deliver(state, ctx, id, true).await {
        Ok(()) => Ok(Ok(())),
        Err(Failure::Retry(why) | Failure::Fail(why)) => {
            mails::mark_failed(ctx, id, &why, true).await?;
            Ok(Err(why))
        }
    }
}

/// Sends a mail and marks it as sent; for a test mail also with the encryption of the connection.
async fn deliver(state: &State, ctx: &Ctx, id: MailId, test: bool) -> Result<(), Failure> {
    let Some(outgoing) = mail_delivery::load_for_sending(ctx, id).await.map_err(job_error::classify)? else {
        return Ok(());
    };
    let settings = domain::platform::settings::get(ctx).await.map_err(job_error::classify)?;
    let support = settings.support_email.as_deref();
    let office = templates::Office { public_url: &ctx.options.public_url, brand: settings.brand(), support };
    let rendered =
        templates::render(&outgoing, ctx.now(), office).map_err(|e| Failure::Fail(format!("cannot be worded: {e}")))?;
    let sender = Sender { from: settings.mail_sender.as_deref(), reply_to: support };
    state.mailer.send(&rendered, sender, ctx.now()).await?;
    let over = if test { state.mailer.negotiate().await.ok().flatten() } else { None };
    mails::mark_sent(ctx, id, over.map(|negotiated| negotiated.data())).await.map_err(job_error::classify)
}

/// Records in the outbox why an attempt failed.
pub async fn record_failure(state: State, job: Send, why: String, last: bool) {
    let ctx = state.ctx(Send::NAME);
    if let Err(error) = mails::mark_failed(&ctx, job.mail_id, &why, last).await {
        tracing::warn!(mail = %job.mail_id, %error, "failure not recorded");
    }
}

/// Queues the authentication mail that was requested, if the account exists.
pub async fn handle_mail_request(state: State, job: SendAuthMailJob) -> Result<(), Failure> {
    mail_request::handle_mail_request(&state.ctx(SendAuthMailJob::NAME), &job).await.map_err(job_error::classify)
}

#[cfg(test)]
mod tests;

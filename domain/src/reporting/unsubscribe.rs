//! Unsubscribes from notification mails, digests and reports by the link in each of them. What the portal shows stays.
use super::reports::schedules;
use crate::{
    kernel::{
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
    },
    outbox::{
        mails::{self, Kind},
        notifications::{self, MailFrequency},
    },
};
use serde_json::Value;

/// Stops mails of the kind that carried this link: notification mails or the digest in the recipient's preferences, or the
/// recipient's place in a report schedule. Anyone with the link; repeating it changes nothing.
///
/// # Errors
/// NotFound for an unknown link.
#[tracing::instrument(level = "debug", name = "unsubscribe.unsubscribe", skip_all)]
pub async fn unsubscribe(ctx: &Ctx, token: &str) -> Result<Kind> {
    ctx.transaction(|tx| {
        async move {
            let (mail, user) = mails::by_unsubscribe_link(tx, token).await?;
            match mail.kind {
                Kind::Notices => notifications::stop_mail(tx, user, MailFrequency::Now).await?,
                Kind::Digest => notifications::stop_mail(tx, user, MailFrequency::Daily).await?,
                Kind::Report => {
                    let schedule = mail.data.get("schedule_id").and_then(Value::as_str).and_then(|id| id.parse().ok());
                    if let Some(schedule) = schedule {
                        schedules::remove_recipient(tx, ctx, schedule, user).await?;
                    }
                }
                _ => return Err(Error::NotFound("unsubscribe_link")),
            }
            Ok(mail.kind)
        }
        .scope_boxed()
    })
    .await
}

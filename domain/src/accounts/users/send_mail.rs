//! Account mails that staff send by hand.
use super::{Status, email_key, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        idempotency,
        ids::MailId,
        validate::Validator,
    },
    outbox::mails::{self, Kind},
};
use serde_json::Map;

/// Mails an account a link to set a password (`password_setup`) or a welcome (`welcome`); server function of the specification
/// (the two server functions, decision 30). Staff.
///
/// # Errors
/// Forbidden; Invalid for another `kind`, and for an address `to` without an open account.
#[tracing::instrument(level = "debug", name = "users.send_notification", skip_all)]
pub async fn send_notification(ctx: &Ctx, kind: &str, to: &str) -> Result<MailId> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut check = Validator::new();
    let to = check.email("to", to);
    if !matches!(kind, "password_setup" | "welcome") {
        check.reject("type", Problem::new("unknown").with("allowed", "password_setup, welcome"));
    }
    check.finish()?;
    let to = &email_key(&to);
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(MailId(id));
            }
            let user = store::by_email(tx, to).await?;
            let Some(user) = user.filter(|user| matches!(user.status, Status::Pending | Status::Active)) else {
                return Err(Error::field("to", "not_found"));
            };
            let can_sign_in = user.password_hash.is_some() || user.last_sign_in_at.is_some();
            let mut data = Map::new();
            let kind = match kind {
                "password_setup" => Kind::PasswordSetup,
                _ if !can_sign_in || user.status != Status::Active => Kind::WelcomeSetup,
                _ => {
                    // The text asks to change the password only if someone else chose it.
                    if !user.must_change_password {
                        data.insert("context".to_owned(), "own_password".into());
                    }
                    Kind::Welcome
                }
            };
            let id = mails::queue(tx, ctx, kind, user.id, None, data).await?.ok_or(Error::NotFound("mail"))?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    })
    .await
}

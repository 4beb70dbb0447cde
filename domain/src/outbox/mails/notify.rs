//! The two server functions of the specification (decision 30): mails that staff ask for, to people we know, with
//! links of our own making.
use super::{Kind, queue};
use crate::{
    accounts::users::{self, Status},
    directory::clients,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        idempotency,
        ids::MailId,
        text::unique_key,
        validate::Check,
    },
};
use serde_json::Map;

/// Mails somebody with an account a link to set a password (`password_setup`), or a welcome (`welcome`). Staff.
///
/// # Errors
/// Forbidden; Invalid for another `kind`, and for an address `to` that no open account has.
pub async fn send_notification(ctx: &Ctx, kind: &str, to: &str) -> Result<MailId> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut check = Check::new();
    let to = check.email("to", to);
    if !matches!(kind, "password_setup" | "welcome") {
        check.refuse("type", Problem::new("unknown").with("allowed", "password_setup, welcome"));
    }
    check.done()?;
    let to = &users::email_key(&to);
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(MailId(id));
            }
            let user = users::by_email(tx, to).await?;
            let Some(user) = user.filter(|user| matches!(user.status, Status::Pending | Status::Active)) else {
                return Err(Error::field("to", "not_found"));
            };
            let can_sign_in = user.password_hash.is_some() || user.last_sign_in_at.is_some();
            let mut data = Map::new();
            let kind = match kind {
                "password_setup" => Kind::PasswordSetup,
                _ if !can_sign_in || user.status != Status::Active => Kind::WelcomeSetup,
                _ => {
                    // Only a password that somebody else chose is to be changed.
                    if !user.must_change_password {
                        data.insert("context".to_owned(), "own_password".into());
                    }
                    Kind::Welcome
                }
            };
            let id = queue(tx, ctx, kind, user.id, None, data).await?.ok_or(Error::NotFound("mail"))?;
            idempotency::remember(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    })
    .await
}

/// Mails a client about one of its orders, named by its identifier. Staff.
///
/// # Errors
/// Forbidden; Invalid for an address that is no client's, and for an identifier that is none of its orders'.
pub async fn notify_client_spv(ctx: &Ctx, client_email: &str, spv_identifier: &str) -> Result<MailId> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut check = Check::new();
    let email = check.email("clientEmail", client_email);
    let identifier = check.line("spvIdentifier", spv_identifier, crate::kernel::validate::LINE);
    check.done()?;
    let client = users::by_email(&mut ctx.db(), &users::email_key(&email)).await?;
    let Some(client) = client.filter(|user| user.role == Role::Client) else {
        return Err(Error::field("clientEmail", "not_found"));
    };
    let (client, wanted) = (client.id, &unique_key(&identifier));
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(MailId(id));
            }
            // Among this client's own: another company may call an order the same.
            let number = wanted.strip_prefix("spv-").unwrap_or(wanted);
            let own = clients::orders(tx, client).await?;
            let named = own.iter().find(|(_, custom)| custom.as_ref().is_some_and(|text| unique_key(text) == *wanted));
            let spv =
                named.or_else(|| own.iter().find(|(id, _)| number.len() >= 8 && id.to_string().starts_with(number)));
            let Some(&(spv, _)) = spv else { return Err(Error::field("spvIdentifier", "not_found")) };
            let id = queue(tx, ctx, Kind::SpvCreated, client, Some(spv), Map::new())
                .await?
                .ok_or(Error::NotFound("mail"))?;
            idempotency::remember(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    })
    .await
}

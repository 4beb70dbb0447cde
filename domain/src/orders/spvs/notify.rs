//! Mail to a client about an order, sent by hand.
use super::store;
use crate::{
    accounts::users,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        idempotency,
        ids::MailId,
        text::unique_key,
        validate::{LINE, Validator},
    },
    outbox::mails::{self, Kind},
};
use serde_json::Map;

/// Mails a client about one of its orders, by the identifier; server function of the specification (the two server functions, decision 30). Staff.
///
/// # Errors
/// Forbidden; Invalid for an address without a client, and for an identifier without an order of the client.
#[tracing::instrument(level = "debug", name = "spvs.notify_client", skip_all)]
pub async fn notify_client(ctx: &Ctx, client_email: &str, spv_identifier: &str) -> Result<MailId> {
    ctx.may(Action::Send, Resource::Mails)?;
    let mut check = Validator::new();
    let email = check.email("clientEmail", client_email);
    let identifier = check.single_line("spvIdentifier", spv_identifier, LINE);
    check.finish()?;
    let client = users::by_email(&mut ctx.db(), &users::email_key(&email)).await?;
    let Some(client) = client.filter(|user| user.role == Role::Client) else {
        return Err(Error::field("clientEmail", "not_found"));
    };
    let (client, key) = (client.id, &unique_key(&identifier));
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(MailId(id));
            }
            // Only among this client's orders: another company may use the same identifier.
            let number = key.strip_prefix("spv-").unwrap_or(key);
            let own = store::identifiers_of_client(tx, client).await?;
            let named = own.iter().find(|(_, custom)| custom.as_ref().is_some_and(|text| unique_key(text) == *key));
            let spv =
                named.or_else(|| own.iter().find(|(id, _)| number.len() >= 8 && id.to_string().starts_with(number)));
            let Some(&(spv, _)) = spv else { return Err(Error::field("spvIdentifier", "not_found")) };
            let id = mails::queue(tx, ctx, Kind::SpvCreated, client, Some(spv), Map::new())
                .await?
                .ok_or(Error::NotFound("mail"))?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    })
    .await
}

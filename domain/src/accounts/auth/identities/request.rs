//! Somebody without an account came by way of a provider: the staff decide (decision 22).
use super::Arrival;
use crate::{
    kernel::{ctx::Ctx, db::Tx, error::Result, text},
    outbox::requests::{self, Applicant},
};

/// One open request for each address, however often they come.
///
/// # Errors
/// What the database refuses.
pub async fn make(tx: &mut Tx, ctx: &Ctx, provider: &str, arrival: &Arrival) -> Result<()> {
    let email = arrival.email.as_deref().unwrap_or_default();
    let email = crate::kernel::email::normalise(email).unwrap_or_else(|_| email.to_owned());
    // A name is a line of text that a stranger chose.
    let name = arrival.name.as_deref().unwrap_or_default();
    let shown = |c: &char| !c.is_control() && !text::is_bidi_control(*c);
    let name = text::line(&name.chars().filter(shown).take(crate::kernel::validate::LINE).collect::<String>());
    let name = if name.is_empty() { email.clone() } else { name };
    requests::apply_for_account(tx, ctx, Applicant { name, email, provider: provider.to_owned() }).await
}

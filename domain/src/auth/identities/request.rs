//! Somebody without an account came by way of a provider: the staff decide (decision 22).
use super::Arrival;
use crate::{
    ctx::Ctx,
    db::Tx,
    error::Result,
    requests::{self, Applicant},
};

/// One open request for each address, however often they come.
///
/// # Errors
/// What the database refuses.
pub async fn make(tx: &mut Tx, ctx: &Ctx, provider: &str, arrival: &Arrival) -> Result<()> {
    let email = arrival.email.clone().unwrap_or_default();
    // A name is a line of text that a stranger chose.
    let name = arrival.name.as_deref().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(crate::check::LINE).collect();
    let name = if name.trim().is_empty() { email.clone() } else { name.trim().to_owned() };
    requests::apply(tx, ctx, Applicant { name, email, provider: provider.to_owned() }).await
}

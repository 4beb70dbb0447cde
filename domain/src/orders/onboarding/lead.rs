//! Conversion of a lead into a client with an order of the same ISO partner.
use super::client::{self, ClientInput, Setup};
use crate::{
    directory::leads::{self, Lead},
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::Result,
        ids::LeadId,
    },
};

/// The terms of the order that a lead becomes.
#[derive(Clone, Debug, Default)]
pub struct ConversionTerms {
    pub price: Option<String>,
    pub commission: Option<String>,
    pub country: Option<String>,
    pub currency: Option<String>,
}

/// Converts a lead into a client with an order, in one transaction and only once. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `lead_won`, `lead_lost`, `lead_protected` where another partner has
/// a protected lead of the same person, `email_taken`, stale.
#[tracing::instrument(level = "debug", name = "onboarding.convert_lead", skip_all, fields(lead_id = %id))]
pub async fn convert_lead(
    ctx: &Ctx,
    id: LeadId,
    version: Option<i64>,
    setup: Setup,
    terms: ConversionTerms,
) -> Result<Lead> {
    let seen = leads::get(ctx, id).await?;
    ctx.may(Action::Create, Resource::NewClient)?;
    let input = ClientInput {
        first_name: seen.first_name.clone(),
        last_name: seen.last_name.clone(),
        email: seen.email.clone(),
        phone: seen.phone.clone(),
        company_id: Some(seen.company_id),
        iso_id: Some(seen.iso_id),
        price: terms.price,
        commission: terms.commission,
        country: terms.country,
        currency: terms.currency,
        ..ClientInput::default()
    };
    // Password hashing takes too long for a transaction.
    let validated = &client::validate(ctx, setup, &input).await?;
    ctx.transaction(|tx| {
        async move {
            let lead = leads::lock_for_conversion(tx, ctx, id, version.or(Some(seen.version))).await?;
            let (client, spv) = client::insert_client(tx, ctx, setup, validated.clone()).await?;
            leads::mark_won(tx, ctx, &lead, client, spv).await
        }
        .scope_boxed()
    })
    .await?;
    leads::get(ctx, id).await
}

//! Bank accounts of ISO partners for payouts: entered by the partner, confirmed by the staff, never sent in full.
use crate::{
    error::Result,
    extract::{IfMatch, Json, Path, SignedIn},
    response::{JsonBody, Versioned},
};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    directory::isos::{self, NewPayoutAccount},
    kernel::{
        access::{Action, Resource},
        ids::IsoId,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The bank account of a partner, masked.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoutAccount {
    account_holder: String,
    /// The last four characters of the IBAN or account number.
    #[schema(example = "•••• 3000")]
    number: String,
    has_iban: bool,
    bic: Option<String>,
    routing_number: Option<String>,
    entered_at: DateTime<Utc>,
    /// Null until the staff have confirmed it; only then it is in the bank's file.
    confirmed_at: Option<DateTime<Utc>>,
    version: i64,
    /// Actions allowed to the caller: `update`, `confirm`.
    can: Vec<&'static str>,
}

impl PayoutAccount {
    fn of(ctx: &Ctx, account: isos::PayoutAccount) -> Self {
        let resource = Resource::PayoutAccount { iso_id: account.iso_id };
        let can = [
            ("update", ctx.can(Action::Update, resource)),
            ("confirm", !account.is_confirmed() && ctx.can(Action::Review, resource)),
        ];
        Self {
            number: account.masked(),
            has_iban: account.iban.is_some(),
            account_holder: account.account_holder,
            bic: account.bic,
            routing_number: account.routing_number,
            entered_at: account.entered_at,
            confirmed_at: account.confirmed_at,
            version: account.version,
            can: can.into_iter().filter(|(_, may)| *may).map(|(name, _)| name).collect(),
        }
    }
}

/// The bank account of a partner; null before it was entered. The partner and staff.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoutAccountState {
    account: Option<PayoutAccount>,
}

/// The bank account for a partner's payouts, masked. The partner and staff.
#[utoipa::path(get, path = "/isos/{id}/account", operation_id = "iso_account_get", tag = "isos",
    params(("id" = IsoId, Path)), responses((status = 200, body = PayoutAccountState)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<IsoId>) -> Result<JsonBody<PayoutAccountState>> {
    let account = isos::payout_account(&ctx, id).await?.map(|account| PayoutAccount::of(&ctx, account));
    Ok(JsonBody(PayoutAccountState { account }))
}

/// An IBAN, or an account and a routing number.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayoutAccountChange {
    #[schema(required, value_type = String)]
    account_holder: Option<String>,
    #[schema(example = "DE89370400440532013000")]
    iban: Option<String>,
    account_number: Option<String>,
    #[schema(example = "021000021")]
    routing_number: Option<String>,
    #[schema(example = "COBADEFFXXX")]
    bic: Option<String>,
}

/// Enters the bank account for your payouts. The staff confirm it before the next payout. ISO partners.
#[utoipa::path(put, path = "/isos/{id}/account", operation_id = "iso_account_set", tag = "isos",
    params(("id" = IsoId, Path)), request_body = PayoutAccountChange, responses((status = 200, body = PayoutAccount)))]
pub async fn set(
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(change): Json<PayoutAccountChange>,
) -> Result<Versioned<PayoutAccount>> {
    let PayoutAccountChange { account_holder, iban, account_number, routing_number, bic } = change;
    let new = NewPayoutAccount { account_holder, iban, account_number, routing_number, bic };
    let account = isos::set_payout_account(&ctx, id, version, new).await?;
    Ok(Versioned { version: account.version, view: PayoutAccount::of(&ctx, account) })
}

/// The number that the partner gave by another way, such as by phone.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayoutAccountConfirmed {
    /// IBAN or account number in full.
    #[serde(default)]
    #[schema(required)]
    number: String,
}

/// Confirms a partner's bank account by its number, as the partner gave it by another way. Staff.
#[utoipa::path(post, path = "/isos/{id}/account/confirm", operation_id = "iso_account_confirm", tag = "isos",
    params(("id" = IsoId, Path)), request_body = PayoutAccountConfirmed, responses((status = 200, body = PayoutAccount)))]
pub async fn confirm(
    SignedIn(ctx): SignedIn,
    Path(id): Path<IsoId>,
    IfMatch(version): IfMatch,
    Json(input): Json<PayoutAccountConfirmed>,
) -> Result<Versioned<PayoutAccount>> {
    let account = isos::confirm_payout_account(&ctx, id, version, &input.number).await?;
    Ok(Versioned { version: account.version, view: PayoutAccount::of(&ctx, account) })
}

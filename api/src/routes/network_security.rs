//! IP blocklist and signing keys.
use crate::{
    error::Result,
    extract::{CreateRequest, EmptyBody, Json, Path, SignedIn},
    response::{Created, ItemList, JsonBody},
    routes::approvals::{Answer, Approval, done_or_waiting},
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Ctx, Error,
    accounts::{
        auth::keys::{self, KeyInfo},
        ip_blocklist,
    },
    kernel::ids::BlockId,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A blocked network.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddressBlock {
    id: BlockId,
    #[schema(example = "203.0.113.0/24")]
    network: String,
    reason: Option<String>,
    created_at: DateTime<Utc>,
    created_by: String,
}

impl From<ip_blocklist::Block> for AddressBlock {
    fn from(block: ip_blocklist::Block) -> Self {
        Self {
            id: block.id,
            network: block.network,
            reason: block.reason,
            created_at: block.created_at,
            created_by: block.created_by,
        }
    }
}

/// Blocked networks, newest first. Super admins.
#[utoipa::path(get, path = "/address-blocks", operation_id = "address_block_list", tag = "security",
    responses((status = 200, body = ItemList<AddressBlock>)))]
pub async fn blocks(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<AddressBlock>>> {
    let found = ip_blocklist::list(&ctx).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(AddressBlock::from).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAddressBlock {
    /// An address, or a network such as 203.0.113.0/24.
    #[serde(default)]
    #[schema(required)]
    network: String,
    reason: Option<String>,
}

/// Blocks an address or a network from the next request on; never the caller's own. Super admins.
#[utoipa::path(post, path = "/address-blocks", operation_id = "address_block_create", tag = "security",
    request_body = NewAddressBlock, responses((status = 201, body = AddressBlock)))]
pub async fn block(
    State(app): State<AppState>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewAddressBlock>,
) -> Result<Created<AddressBlock>> {
    let made = ip_blocklist::add(&ctx, &input.network, input.reason.as_deref()).await?;
    app.auth.token_cache.admission.invalidate();
    Ok(Created { location: format!("/rest/v1/address-blocks/{}", made.id), version: 1, view: made.into() })
}

/// Unblocks a network. Super admins.
#[utoipa::path(delete, path = "/address-blocks/{id}", operation_id = "address_block_delete", tag = "security",
    params(("id" = BlockId, Path)), responses((status = 204)))]
pub async fn unblock(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<BlockId>,
) -> Result<StatusCode> {
    ip_blocklist::remove(&ctx, id).await?;
    app.auth.token_cache.admission.invalidate();
    Ok(StatusCode::NO_CONTENT)
}

/// A key that signs access tokens, or used to, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct SigningKey {
    kid: String,
    algorithm: &'static str,
    /// True for the key in use; the others only verify.
    signs: bool,
    /// Null if unknown.
    made_at: Option<DateTime<Utc>>,
}

impl From<KeyInfo> for SigningKey {
    fn from(key: KeyInfo) -> Self {
        Self { kid: key.kid, algorithm: key.algorithm, signs: key.signs, made_at: key.made_at }
    }
}

/// The keys that sign access tokens, the one in use first. Super admins.
#[utoipa::path(get, path = "/keys", operation_id = "key_list", tag = "security",
    responses((status = 200, body = ItemList<SigningKey>)))]
pub async fn keys(State(app): State<AppState>, SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<SigningKey>>> {
    let found = keys::list(&ctx, path(&app, &ctx)?)?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(SigningKey::from).collect() }))
}

/// Rotates the signing key. Tokens of the old keys stay valid, so sessions continue. Where four eyes is on it waits for a
/// second super admin. Super admins.
#[utoipa::path(post, path = "/keys/rotate", operation_id = "key_rotate", tag = "security", request_body = EmptyBody,
    responses((status = 200, body = ItemList<SigningKey>), (status = 202, body = Approval)))]
pub async fn rotate(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Answer<JsonBody<ItemList<SigningKey>>>> {
    let rotated = keys::rotate(&ctx, path(&app, &ctx)?).await;
    Ok(match done_or_waiting(&ctx, rotated).await? {
        Ok(found) => Answer::Done(JsonBody(ItemList { items: found.into_iter().map(SigningKey::from).collect() })),
        Err(waiting) => waiting.into(),
    })
}

fn path<'a>(app: &'a AppState, ctx: &Ctx) -> Result<&'a std::path::Path> {
    ctx.may(domain::Action::Update, domain::kernel::access::Resource::Settings)?;
    Ok(app.auth.keys.path().ok_or(Error::conflict("keys_elsewhere"))?)
}

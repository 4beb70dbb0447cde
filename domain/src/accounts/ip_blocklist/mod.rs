//! IP blocklist: networks whose requests are refused. Super admins and the operator.
mod store;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Db, ScopedFutureExt},
        error::{Error, Problem, Result},
        ids::BlockId,
        network::Network,
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use std::net::IpAddr;

/// Every request is compared with each entry.
const MAX_BLOCKS: usize = 1_000;

/// A network whose requests are refused.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Block {
    pub id: BlockId,
    pub network: String,
    pub reason: Option<String>,
    pub created_at: DateTime<Utc>,
    pub created_by: String,
}

/// Blocked networks, newest first.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "ip_blocklist.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<Block>> {
    ctx.may(Action::Update, Resource::Settings)?;
    store::list(&mut ctx.db()).await
}

/// Blocks a network; an existing entry is returned unchanged.
///
/// # Errors
/// Forbidden; Invalid `network`, `reason`; Conflict `own_address` when it contains the actor's address,
/// `too_many_blocks`.
#[tracing::instrument(level = "debug", name = "ip_blocklist.add", skip_all)]
pub async fn add(ctx: &Ctx, network: &str, reason: Option<&str>) -> Result<Block> {
    ctx.may(Action::Update, Resource::Settings)?;
    let mut check = Validator::new();
    let network = check.required("network", Some(network), |text| match text.parse::<Network>() {
        Ok(network) if network.is_everybody() => Err(Problem::new("too_wide")),
        Ok(network) => Ok(network),
        Err(_) => Err(Problem::new("invalid_network")),
    });
    let reason = check.optional_line("reason", reason, LINE);
    check.finish()?;
    let network = network.ok_or_else(|| Error::field("network", "required"))?;
    let own = ctx.origin.address.as_deref().and_then(|text| text.parse::<IpAddr>().ok());
    if own.is_some_and(|own| network.contains(own)) {
        return Err(Error::conflict("own_address"));
    }
    let block = &Block {
        id: BlockId(ctx.random.uuid()),
        network: network.to_string(),
        reason,
        created_at: ctx.now(),
        created_by: ctx.actor_name(),
    };
    ctx.transaction(|tx| {
        async move {
            let all = store::lock(tx).await?;
            if let Some(there) = all.iter().find(|there| there.network == block.network) {
                return Ok(there.clone());
            }
            if all.len() >= MAX_BLOCKS {
                return Err(Error::Conflict(Problem::new("too_many_blocks").with("max", MAX_BLOCKS)));
            }
            store::insert(tx, block).await?;
            let event = event("address.blocked", block);
            let event = block.reason.iter().fold(event, |event, why| event.with("reason", why.clone()));
            activity::append(tx, ctx, event).await?;
            Ok(block.clone())
        }
        .scope_boxed()
    })
    .await
}

/// Unblocks a network.
///
/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "ip_blocklist.remove", skip_all, fields(block_id = %id))]
pub async fn remove(ctx: &Ctx, id: BlockId) -> Result<()> {
    ctx.may(Action::Update, Resource::Settings)?;
    ctx.transaction(|tx| {
        async move {
            let block = store::delete(tx, id).await?.ok_or(Error::NotFound("address_block"))?;
            activity::append(tx, ctx, event("address.unblocked", &block)).await
        }
        .scope_boxed()
    })
    .await
}

/// Networks for the admission check.
pub(crate) async fn networks(db: &mut Db) -> Result<Vec<Network>> {
    Ok(store::list(db).await?.into_iter().filter_map(|block| block.network.parse().ok()).collect())
}

fn event(action: &'static str, block: &Block) -> Event {
    Event::new(action, "address_block", block.id.0, block.network.clone())
}

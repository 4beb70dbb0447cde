//! Carries out acts that a second super admin approves ([`crate::platform::approvals`]).
use super::people;
use crate::{
    accounts::{
        auth::keys::{KeyInfo, RotationDraft},
        users,
    },
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::ApprovalId,
    },
    orders::commissions,
    platform::{
        approvals::{self, Act, Approval, Request, Status},
        settings,
    },
};
use std::path::Path;

/// Approves an act and carries it out in the same transaction, on the state at that time; `keys` is the file of the signing
/// keys. Super admins with a recent proof, but for the one who asked.
///
/// # Errors
/// NotFound; Forbidden, also `approval_own`, `approval_new_super_admin`; Conflict `reauthentication_needed`,
/// `approval_ended`, `approval_requester_gone`, `approval_outdated` where the target was changed since, `keys_elsewhere`;
/// stale; those of the act.
#[tracing::instrument(level = "debug", name = "approvals.approve", skip_all, fields(approval_id = %id))]
pub async fn approve(ctx: &Ctx, id: ApprovalId, version: Option<i64>, keys: Option<&Path>) -> Result<Approval> {
    let act = approvals::get(ctx, id).await?.act;
    let draft = match act {
        Act::RotateKeys => Some(RotationDraft::write(ctx, keys.ok_or_else(|| Error::conflict("keys_elsewhere"))?)?),
        _ => None,
    };
    let new_keys = draft.as_ref();
    let approved = ctx.transaction(|tx| {
        async move {
            let approval = approvals::lock_for_approval(tx, ctx, id, version).await?;
            // The decision is written last: two approvals lock their targets in one order.
            carry_out(tx, ctx, &approval, new_keys).await.map_err(outdated)?;
            approvals::decide(tx, ctx, approval, Status::Approved).await
        }
        .scope_boxed()
    });
    let approved = approved.await?;
    draft.map(RotationDraft::install).transpose().map(|_: Option<Vec<KeyInfo>>| approved)
}

async fn carry_out(tx: &mut Tx, ctx: &Ctx, approval: &Approval, new_keys: Option<&RotationDraft>) -> Result<()> {
    let target = || Error::internal(format!("the target of approval {}", approval.id));
    match approval.request()? {
        Request::PayRun { version, paid_date, .. } => {
            let run = approval.target.parse().map_err(|_| target())?;
            commissions::pay_approved(tx, ctx, run, version, paid_date).await
        }
        Request::MakeSuperAdmin { version } => {
            let user = approval.target.parse().map_err(|_| target())?;
            people::make_super_admin(tx, ctx, user, version).await
        }
        Request::RestoreSuperAdmin { version } => {
            let user = approval.target.parse().map_err(|_| target())?;
            users::restore_super_admin(tx, ctx, user, version).await
        }
        Request::CreateSuperAdmin(new) => people::create_super_admin(tx, ctx, new).await,
        Request::RotateKeys { kid } => new_keys.ok_or_else(target)?.log_approved(tx, ctx, &kid).await,
        Request::ChangeFourEyes { from, to } => settings::change_four_eyes(tx, ctx, &from, &to).await,
    }
}

/// A version conflict is about the target, not about the approval that was read.
fn outdated(error: Error) -> Error {
    match error {
        Error::Conflict(problem) if problem.code == "stale" => {
            Error::Conflict(Problem { code: "approval_outdated", ..problem })
        }
        other => other,
    }
}

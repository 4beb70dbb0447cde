//! The client, company and ISO partner of an order, corrected by super admins (decision 12).
//!
//! What a client or partner was shown, sent or paid stays theirs: an order with documents, messages, payments or commissions
//! keeps them. Its unpaid invoices are raised anew for the new client, and requests for documents go to them.
use super::store;
use crate::{
    kernel::{
        access::Action,
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId, UserId},
    },
    orders::{
        commissions, invoices,
        onboarding::{self, Inactive, Parties},
        spvs::{self, Spv},
    },
    platform::activity,
};
use serde::Serialize;

impl From<&Spv> for Parties {
    fn from(spv: &Spv) -> Self {
        Self { company: spv.company_id, client: spv.client_id, iso: spv.iso_id }
    }
}

/// What the activity log compares, for the staff: an old party must not learn of the new one.
#[derive(PartialEq, Serialize)]
struct Names {
    client: String,
    client_id: UserId,
    company: String,
    company_id: CompanyId,
    iso: Option<String>,
    iso_id: Option<IsoId>,
}

impl From<&Spv> for Names {
    fn from(spv: &Spv) -> Self {
        Self {
            client: spv.client_name(),
            client_id: spv.client_id,
            company: spv.company_name.clone(),
            company_id: spv.company_id,
            iso: spv.iso_name(),
            iso_id: spv.iso_id,
        }
    }
}

pub(super) fn is_changed(before: &Spv, after: &Spv) -> bool {
    Parties::from(before) != Parties::from(after)
}

/// Checks that the new parties belong together and that the order may change them, moves its requests for documents to the
/// new client, and sets the names of `after`.
///
/// # Errors
/// Forbidden but to super admins; Invalid per field; Conflict `order_has_payments`, `order_has_manual_invoices`,
/// `order_has_documents`, `order_has_messages`, `order_has_commission`.
pub(super) async fn change(tx: &mut Tx, ctx: &Ctx, before: &Spv, after: &mut Spv) -> Result<()> {
    ctx.may(Action::Reassign, spvs::resource(before))?;
    let (old, new) = (Parties::from(before), Parties::from(&*after));
    let inactive =
        Inactive { company: old.company == new.company, client: old.client == new.client, iso: old.iso == new.iso };
    let found = onboarding::check_parties(tx, new, inactive).await?;
    let refuse = |code| Err(Error::Conflict(Problem::new(code).with("client", before.client_name())));
    if commissions::has_rows(tx, before.id).await? {
        return refuse("order_has_commission");
    }
    if old.client != new.client || old.company != new.company {
        spvs::lock_client(tx, before.id).await?;
        if invoices::has_payments(tx, before.id).await? {
            return refuse("order_has_payments");
        }
        if invoices::has_manual(tx, before.id).await? {
            return refuse("order_has_manual_invoices");
        }
        let shared = store::shared_with_client(tx, before.id).await?;
        if shared.documents > 0 {
            return refuse("order_has_documents");
        }
        if shared.messages > 0 {
            return refuse("order_has_messages");
        }
        store::move_to_client(tx, ctx, before.id, new.client).await?;
    }
    after.client_first_name = found.client_first_name.unwrap_or_default();
    after.client_last_name = found.client_last_name.unwrap_or_default();
    after.client_email = found.client_email.unwrap_or_default();
    Ok(())
}

/// Logs the change for the staff, and tells the old and the new parties of their own part.
pub(super) async fn log(tx: &mut Tx, ctx: &Ctx, before: &Spv, after: &Spv) -> Result<()> {
    let event = |action, spv: &Spv| activity::Event::new(action, "spv", spv.id.0, spv.identifier());
    let changed = event("spv.reassigned", after).spv(after.id).changed(&Names::from(before), &Names::from(after))?;
    activity::append(tx, ctx, changed).await?;
    let client = |spv: &Spv| (before.client_id != after.client_id).then_some(spv.client_id);
    let company = |spv: &Spv| (before.company_id != after.company_id).then_some(spv.company_id);
    let iso = |spv: &Spv| spv.iso_id.filter(|_| before.iso_id != after.iso_id);
    let parties = |spv: &Spv| (client(spv), company(spv), iso(spv));
    for (action, spv) in [("spv.unassigned", before), ("spv.assigned", after)] {
        let (client, company, iso) = parties(spv);
        if client.is_none() && company.is_none() && iso.is_none() {
            continue;
        }
        let event = event(action, spv).of(client, company, iso).public();
        let event = if action == "spv.assigned" { event.spv(after.id) } else { event };
        activity::append(tx, ctx, event).await?;
    }
    // A company and a partner that keep the order learn that it changed, without names: their open pages are refreshed.
    let company = (before.company_id == after.company_id).then_some(after.company_id);
    let iso = after.iso_id.filter(|_| before.iso_id == after.iso_id);
    if company.is_some() || iso.is_some() {
        let kept = event("spv.updated", after).spv(after.id).of(None, company, iso).public();
        activity::append(tx, ctx, kept).await?;
    }
    Ok(())
}

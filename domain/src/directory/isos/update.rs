//! Corrections of an ISO partner: its row, its account, and what finds both.
use super::{Iso, event, get, resource, search_entry, store};
use crate::{
    accounts::users::{self, User},
    directory::companies,
    kernel::{
        access::Action,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, IsoId},
        search,
        validate::{LINE, Validator},
    },
    platform::activity,
};

/// The changes of an ISO; a field left out stays, an empty phone is cleared. The email address is none of them: its owner
/// changes and confirms it.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub phone: Option<String>,
    /// Another one only while the ISO has no clients, leads and orders.
    pub company_id: Option<CompanyId>,
}

/// Corrects an ISO and its account; without a difference nothing is written. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `stale`, `archived`, `has_dependents` with the counts for another
/// company.
#[tracing::instrument(level = "debug", name = "isos.update", skip_all, fields(iso_id = %id))]
pub async fn update(ctx: &Ctx, id: IsoId, version: Option<i64>, change: Change) -> Result<Iso> {
    let change = &change;
    ctx.transaction(|tx| update_within(tx, ctx, id, version, change).scope_boxed()).await?;
    get(ctx, id).await
}

/// [`update`] within its transaction.
async fn update_within(tx: &mut Tx, ctx: &Ctx, id: IsoId, version: Option<i64>, change: &Change) -> Result<()> {
    let (before, user) = lock(tx, ctx, id, version).await?;
    if before.archived_at.is_some() {
        return Err(Error::conflict("archived"));
    }
    let after = before.apply(change)?;
    if after == before {
        return Ok(());
    }
    if after.company_id != before.company_id {
        check_company_change(tx, &after).await?;
    }
    let account = User {
        first_name: after.first_name.clone(),
        last_name: after.last_name.clone(),
        phone: after.phone.clone(),
        company_id: Some(after.company_id),
        ..users::bump_version(ctx, user.clone())
    };
    users::save(tx, &user, &account).await?;
    users::index(tx, &account).await?;
    store::save(tx, &after, ctx.now(), &ctx.actor_name()).await?;
    // With the name of the new company.
    let after = store::get(tx, id).await?.ok_or(Error::NotFound("iso"))?;
    let texts = [&after.first_name, &after.last_name, &after.email].into_iter().chain(&after.phone);
    search::index(tx, search_entry(id, after.company_id, texts.map(String::as_str).collect())).await?;
    activity::append(tx, ctx, event(&after, "iso.updated").changed(&before, &after)?).await
}

/// Locks the account, then the ISO, as a restore and a change of the account do; refuses a stale version.
async fn lock(tx: &mut Tx, ctx: &Ctx, id: IsoId, version: Option<i64>) -> Result<(Iso, User)> {
    let account = store::account(tx, id).await?.ok_or(Error::NotFound("iso"))?;
    let user = users::lock(tx, account, None).await?;
    let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
    ctx.may(Action::Update, resource(&iso))?;
    fresh(version, iso.version, &iso.updated_by, iso.updated_at)?;
    Ok((iso, user))
}

/// Refuses an archived company, and another one than that of the ISO's clients, leads and orders (decision 12).
async fn check_company_change(tx: &mut Tx, after: &Iso) -> Result<()> {
    if !companies::is_open(tx, after.company_id).await? {
        return Err(Error::field("company_id", "not_found"));
    }
    let depends = store::depends(tx, after.id).await?;
    if depends.any() {
        return Err(Error::Conflict(depends.problem().with("context", "company")));
    }
    Ok(())
}

impl Iso {
    /// # Errors
    /// Invalid per field.
    fn apply(&self, change: &Change) -> Result<Self> {
        let mut iso = self.clone();
        let mut check = Validator::new();
        if let Some(name) = &change.first_name {
            iso.first_name = check.single_line("first_name", name, LINE);
        }
        if let Some(name) = &change.last_name {
            iso.last_name = check.single_line("last_name", name, LINE);
        }
        if change.phone.is_some() {
            iso.phone = check.phone("phone", change.phone.as_deref());
        }
        check.finish()?;
        iso.company_id = change.company_id.unwrap_or(iso.company_id);
        Ok(iso)
    }
}

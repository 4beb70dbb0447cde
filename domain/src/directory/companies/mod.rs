//! Companies, to whose portfolios orders belong. The staff maintain them; company admins see their own.
mod import;
mod members;
mod model;
mod portfolio;
mod settings;
mod store;
mod tax;

pub use crate::kernel::logo::{Logo, MAX_BYTES as MAX_LOGO_BYTES};
pub(crate) use import::{ImportedCompany, insert_imported, named, update_by_import};
pub use members::{
    Member, MemberFilter, MemberInput, MemberSort, can_member, invite_member, invite_member_again, members,
    remove_member, restore_member, total_members,
};
pub use model::{Company, DependencyCounts, Industry, Input, Size};
pub use portfolio::{PortfolioClient, Progress, clients};
pub(crate) use settings::{Defaults, defaults, defaults_within};
pub use settings::{SettingsInput, remove_logo, set, set_logo};
pub use store::{CompanySort, Filter};
pub(crate) use store::{get as by_id, is_open, progress};

use crate::{
    accounts::{auth::sessions, users},
    kernel::{
        access::{Action, Resource, Role},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::CompanyId,
        page::{Page, PageQuery, Total},
        search::{self, Entry},
    },
    outbox::requests::{self, AccountType, ResultRef},
    platform::activity::{self, Event},
};
use uuid::Uuid;

/// Creates a company; with an application, its applicant becomes the first admin. Staff.
///
/// # Errors
/// Forbidden; Invalid per field, `name` `duplicate` where another company that is not archived has it; Conflict
/// `email_taken`, `request_decided` and `not_this_account` for the application.
#[tracing::instrument(level = "debug", name = "companies.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Company> {
    ctx.may(Action::Create, Resource::NewCompany)?;
    let company = &Company::new(CompanyId(ctx.random.uuid()), &input, ctx.now(), ctx.actor_name())?;
    let request_id = input.request_id;
    let created = ctx.transaction(|tx| {
        async move {
            let time_zone = crate::platform::settings::within(tx).await?.time_zone().to_owned();
            let company = Company { time_zone, ..company.clone() };
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(Err(CompanyId(id)));
            }
            let request = requests::lock_application(tx, ctx, request_id, AccountType::Company, None).await?;
            store::insert(tx, &company).await?;
            index(tx, &company).await?;
            activity::append(tx, ctx, event(&company, "company.created").public()).await?;
            if let Some(request) = &request {
                // The applicant becomes the first admin.
                users::invite_applicant(tx, ctx, request, Role::CompanyAdmin, Some(company.id)).await?;
            }
            requests::approve_application(tx, ctx, request.as_ref(), ResultRef::Company(company.id)).await?;
            idempotency::store(tx, ctx, company.id.0).await?;
            Ok(Ok(company))
        }
        .scope_boxed()
    });
    match created.await? {
        Ok(company) => Ok(company),
        Err(made_before) => get(ctx, made_before).await,
    }
}

/// One company. Staff, its members, its ISOs and its clients.
///
/// # Errors
/// NotFound, also for a company that the actor may not see.
#[tracing::instrument(level = "debug", name = "companies.get", skip_all, fields(company_id = %id))]
pub async fn get(ctx: &Ctx, id: CompanyId) -> Result<Company> {
    ctx.may(Action::View, Resource::Company { id })?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("company"))
}

/// The company of the company portal: a company admin's own, or the one that a super admin picks (decision 25). Every
/// use case of the company portal calls this first and reads only rows of the returned company.
///
/// # Errors
/// As [`crate::kernel::access::Actor::company`].
#[tracing::instrument(level = "debug", name = "companies.portal", skip_all)]
pub async fn portal(ctx: &Ctx, picked: Option<CompanyId>) -> Result<Company> {
    let id = ctx.actor.company(picked)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("company"))
}

/// A company's or the office's logo by its id. Public, as mails show it; the id cannot be guessed.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "companies.logo", skip_all)]
pub async fn logo(ctx: &Ctx, id: Uuid) -> Result<Logo> {
    let mut db = ctx.db();
    match store::logo(&mut db, id).await? {
        Some(logo) => Ok(logo),
        None => crate::platform::settings::logo(&mut db, id).await?.ok_or(Error::NotFound("logo")),
    }
}

/// Finds a company that the actor may see by name or id.
///
/// # Errors
/// NotFound; Conflict `ambiguous` when several have the name.
#[tracing::instrument(level = "debug", name = "companies.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<Company> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let found = store::named(&mut ctx.db(), ctx.scope()?, name).await?;
    match <[Company; 1]>::try_from(found) {
        Ok([one]) => Ok(one),
        Err(none) if none.is_empty() => Err(Error::NotFound("company")),
        Err(_) => Err(Error::conflict("ambiguous")),
    }
}

/// Companies, by default by name; either archived ones or the others.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "companies.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Company>> {
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of companies of a list.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "companies.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// The numbers of rows that prevent a deletion, for the staff; None for others.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "companies.depends", skip_all, fields(company_id = %id))]
pub async fn depends(ctx: &Ctx, id: CompanyId) -> Result<Option<DependencyCounts>> {
    if !ctx.can(Action::Archive, Resource::Company { id }) {
        return Ok(None);
    }
    store::depends(&mut ctx.db(), id).await.map(Some)
}

/// Changes a company. Staff.
///
/// # Errors
/// NotFound; Invalid per field; stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "companies.update", skip_all, fields(company_id = %id))]
pub async fn update(ctx: &Ctx, id: CompanyId, version: Option<i64>, input: Input) -> Result<Company> {
    change(ctx, id, version, Action::Update, "company.updated", |company| company.set(&input.or_values_of(company)))
        .await
}

/// Archives a company, whose members can then not sign in (decision 26). Staff.
///
/// # Errors
/// NotFound; Forbidden; stale.
#[tracing::instrument(level = "debug", name = "companies.archive", skip_all, fields(company_id = %id))]
pub async fn archive(ctx: &Ctx, id: CompanyId, version: Option<i64>) -> Result<Company> {
    let now = ctx.now();
    change(ctx, id, version, Action::Archive, "company.archived", |company| {
        company.archived_at = company.archived_at.or(Some(now));
        Ok(())
    })
    .await
}

/// Restores an archived company. Staff.
///
/// # Errors
/// NotFound; Forbidden; stale.
#[tracing::instrument(level = "debug", name = "companies.restore", skip_all, fields(company_id = %id))]
pub async fn restore(ctx: &Ctx, id: CompanyId, version: Option<i64>) -> Result<Company> {
    change(ctx, id, version, Action::Archive, "company.restored", |company| {
        company.archived_at = None;
        Ok(())
    })
    .await
}

async fn change(
    ctx: &Ctx,
    id: CompanyId,
    version: Option<i64>,
    action: Action,
    name: &'static str,
    apply: impl FnOnce(&mut Company) -> Result<()> + Clone + Send + Sync,
) -> Result<Company> {
    let apply = &apply;
    ctx.transaction(|tx| {
        async move {
            let mut company = store::lock(tx, id).await?.ok_or(Error::NotFound("company"))?;
            ctx.may(action, Resource::Company { id })?;
            fresh(version, company.version, &company.updated_by, company.updated_at)?;
            let before = company.clone();
            apply.clone()(&mut company)?;
            company.version += 1;
            company.updated_at = ctx.now();
            company.updated_by = ctx.actor_name();
            store::save(tx, &company).await?;
            index(tx, &company).await?;
            if company.archived_at.is_some() && before.archived_at.is_none() {
                sessions::end_all_of_company(tx, ctx, id).await?;
            }
            activity::append(tx, ctx, event(&company, name).changed(&before, &company)?).await?;
            Ok(company)
        }
        .scope_boxed()
    })
    .await
}

/// Deletes a company that nothing depends on. Super admins (decision 26).
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `has_dependents` with the counts.
#[tracing::instrument(level = "debug", name = "companies.delete", skip_all, fields(company_id = %id))]
pub async fn delete(ctx: &Ctx, id: CompanyId, version: Option<i64>) -> Result<()> {
    ctx.transaction(|tx| delete_within(tx, ctx, id, version).scope_boxed()).await
}

/// [`delete`] in the caller's transaction.
///
/// # Errors
/// As [`delete`].
pub(crate) async fn delete_within(tx: &mut Tx, ctx: &Ctx, id: CompanyId, version: Option<i64>) -> Result<()> {
    let company = store::lock(tx, id).await?.ok_or(Error::NotFound("company"))?;
    ctx.may(Action::Delete, Resource::Company { id })?;
    fresh(version, company.version, &company.updated_by, company.updated_at)?;
    let depends = store::depends(tx, id).await?;
    if depends.any() {
        return Err(Error::Conflict(depends.problem()));
    }
    search::remove(tx, id.0).await?;
    store::delete(tx, id).await?;
    activity::append(tx, ctx, event(&company, "company.deleted")).await
}

async fn index(tx: &mut Tx, company: &Company) -> Result<()> {
    let more = [&company.email, &company.phone, &company.domain, &company.website, &company.tax_id];
    let texts = [&company.name, &company.business_name].into_iter().chain(more.into_iter().flatten());
    let texts = texts.map(String::as_str).collect();
    search::index(tx, Entry { kind: "company", subject: company.id.0, company: Some(company.id), iso: None, texts })
        .await
}

fn event(company: &Company, action: &'static str) -> Event {
    Event::new(action, "company", company.id.0, company.name.clone()).of(None, Some(company.id), None)
}

/// The actions that the actor may take on this company: the buttons of its row.
pub fn can(ctx: &Ctx, company: &Company) -> Vec<&'static str> {
    let resource = Resource::Company { id: company.id };
    let archived = company.archived_at.is_some();
    [
        ("update", Action::Update, true),
        ("archive", Action::Archive, !archived),
        ("restore", Action::Archive, archived),
        ("delete", Action::Delete, true),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource))
    .map(|(name, ..)| name)
    .collect()
}

impl DependencyCounts {
    pub(crate) fn problem(&self) -> Problem {
        Problem::new("has_dependents")
            .with("clients", self.clients)
            .with("isos", self.isos)
            .with("spvs", self.spvs)
            .with("users", self.users)
    }
}

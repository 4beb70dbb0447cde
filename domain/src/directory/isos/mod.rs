//! ISO partners, who bring clients to a company and earn commissions. Each has an account of its own.
mod import;
mod payout_account;
mod store;
mod update;

pub(crate) use import::{insert_imported, remove_imported, set_archived_by_import};
pub(crate) use payout_account::confirmed_accounts;
pub use payout_account::{NewPayoutAccount, PayoutAccount, confirm_payout_account, payout_account, set_payout_account};
pub use store::{Iso, IsoSort};
pub(crate) use store::{account, company, of_person as active_iso_of_user, once_of_person as iso_of_user};
pub use update::{Change, update};

use crate::{
    accounts::{
        auth::sessions,
        users::{self, NewUser, rollup::UserFacts},
    },
    directory::companies::{self, DependencyCounts},
    kernel::{
        access::{Action, Resource, Role},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, RequestId, UserId},
        page::{Order, Page, PageQuery, Total},
        search::{self, Entry},
        validate::{LINE, Validator},
    },
    outbox::{
        mails,
        requests::{self, AccountType, ResultRef},
    },
    platform::activity::{self, Event},
};
use serde_json::Map;
use uuid::Uuid;

/// The form of an ISO. First name, last name, email and company are required (specification, section 5).
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub company_id: Option<CompanyId>,
    /// The application that the account answers: approved in the same transaction.
    pub request_id: Option<RequestId>,
}

/// Creates an ISO with its account, and mails it a link to set a password. Staff.
///
/// # Errors
/// Forbidden; Invalid per field; Conflict `email_taken`, `request_decided` and `not_this_account` for the application.
#[tracing::instrument(level = "debug", name = "isos.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Iso> {
    ctx.may(Action::Create, Resource::NewIso)?;
    let mut check = Validator::new();
    let first_name = check.single_line("first_name", &input.first_name, LINE);
    let last_name = check.single_line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.phone("phone", input.phone.as_deref());
    if input.company_id.is_none() {
        check.reject("company_id", Problem::new("required"));
    }
    check.finish()?;
    let company_id = input.company_id.ok_or_else(|| Error::field("company_id", "required"))?;
    let language = companies::defaults(ctx, Some(company_id)).await?.language;
    let id = IsoId(ctx.random.uuid());
    let account = &NewUser {
        phone,
        company_id: Some(company_id),
        iso_id: Some(id),
        language,
        ..NewUser::new(Role::Iso, first_name, last_name, email)
    };
    let request_id = input.request_id;
    let created = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(IsoId(id));
            }
            let request =
                requests::lock_application(tx, ctx, request_id, AccountType::Iso, Some(&account.email)).await?;
            if !companies::is_open(tx, company_id).await? {
                return Err(Error::field("company_id", "not_found"));
            }
            let user = insert_account(tx, ctx, id, company_id, account).await?;
            mails::queue(tx, ctx, mails::Kind::PasswordSetup, user, None, Map::new()).await?;
            requests::approve_application(tx, ctx, request.as_ref(), ResultRef::Iso(id)).await?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, created.await?).await
}

/// Inserts an ISO with its account and logs it.
async fn insert_account(tx: &mut Tx, ctx: &Ctx, id: IsoId, company_id: CompanyId, account: &NewUser) -> Result<UserId> {
    let user = users::insert(tx, ctx, account.clone()).await?;
    let NewUser { first_name, last_name, email, phone, .. } = account.clone();
    let row = store::InsertIso { id, user_id: user.id, first_name, last_name, email, phone, company_id };
    store::insert(tx, &row, ctx.now(), &ctx.actor_name()).await?;
    let texts = [&row.first_name, &row.last_name, &row.email].into_iter().chain(&row.phone);
    search::index(tx, search_entry(id, row.company_id, texts.map(String::as_str).collect())).await?;
    let event = Event::new("iso.created", "iso", id.0, format!("{} {}", row.first_name, row.last_name))
        .of(None, Some(row.company_id), Some(id))
        .public();
    activity::append(tx, ctx, event).await?;
    Ok(user.id)
}

/// One ISO. Staff, itself, its company's admins.
///
/// # Errors
/// NotFound, also for an ISO that the actor may not see.
#[tracing::instrument(level = "debug", name = "isos.get", skip_all, fields(iso_id = %id))]
pub async fn get(ctx: &Ctx, id: IsoId) -> Result<Iso> {
    let iso = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("iso"))?;
    ctx.may(Action::View, resource(&iso))?;
    Ok(iso)
}

/// Finds an ISO by its email address or id.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "isos.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<Iso> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let id = store::by_email(&mut ctx.db(), &users::email_key(name)).await?.ok_or(Error::NotFound("iso"))?;
    get(ctx, id).await
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub company_id: Option<CompanyId>,
    pub archived: bool,
    pub order: Order<IsoSort>,
    /// Only these ids.
    pub ids: Option<Vec<Uuid>>,
}

/// ISOs, by default by first name; either archived ones or the others.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "isos.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Iso>> {
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of ISOs of a list.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "isos.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// The numbers of rows that prevent a deletion, for the staff; None for others.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "isos.depends", skip_all)]
pub async fn depends(ctx: &Ctx, iso: &Iso) -> Result<Option<DependencyCounts>> {
    if !ctx.can(Action::Archive, resource(iso)) {
        return Ok(None);
    }
    store::depends(&mut ctx.db(), iso.id).await.map(Some)
}

/// Archives an ISO, which can then not sign in (decision 26). Staff.
///
/// # Errors
/// NotFound; Forbidden; stale.
#[tracing::instrument(level = "debug", name = "isos.archive", skip_all, fields(iso_id = %id))]
pub async fn archive(ctx: &Ctx, id: IsoId, version: Option<i64>) -> Result<Iso> {
    set_archived(ctx, id, version, true).await
}

/// Restores an archived ISO. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `iso_person_moved` where its user has another role by now.
#[tracing::instrument(level = "debug", name = "isos.restore", skip_all, fields(iso_id = %id))]
pub async fn restore(ctx: &Ctx, id: IsoId, version: Option<i64>) -> Result<Iso> {
    set_archived(ctx, id, version, false).await
}

async fn set_archived(ctx: &Ctx, id: IsoId, version: Option<i64>, archived: bool) -> Result<Iso> {
    ctx.transaction(|tx| {
        async move {
            if !archived && let Some(iso) = store::get(tx, id).await? {
                // Serializes with a concurrent change of the user's role.
                users::lock_row(tx, iso.user_id).await?;
            }
            let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
            ctx.may(Action::Archive, resource(&iso))?;
            fresh(version, iso.version, &iso.updated_by, iso.updated_at)?;
            if !archived {
                // Without its user there would be no sign-in for the ISO, and the user could get no other role.
                let person = users::by_id(tx, iso.user_id).await?.ok_or(Error::NotFound("user"))?;
                if person.role != Role::Iso || person.iso_id != Some(id) {
                    return Err(Error::Conflict(Problem::new("iso_person_moved").with("name", person.name())));
                }
            }
            let at = archived.then(|| iso.archived_at.unwrap_or(ctx.now()));
            store::set_archived(tx, id, at, ctx.now(), &ctx.actor_name()).await?;
            if archived {
                sessions::end_all_of_iso(tx, ctx, id).await?;
            }
            activity::append(tx, ctx, event(&iso, if archived { "iso.archived" } else { "iso.restored" })).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Deletes an ISO without dependent rows, and archives its account where that is still the ISO's. Super admins (decision
/// 26).
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `has_dependents` with the counts.
#[tracing::instrument(level = "debug", name = "isos.delete", skip_all, fields(iso_id = %id))]
pub async fn delete(ctx: &Ctx, id: IsoId, version: Option<i64>) -> Result<()> {
    ctx.transaction(|tx| delete_within(tx, ctx, id, version).scope_boxed()).await
}

/// [`delete`] in the caller's transaction.
///
/// # Errors
/// As [`delete`].
pub(crate) async fn delete_within(tx: &mut Tx, ctx: &Ctx, id: IsoId, version: Option<i64>) -> Result<()> {
    let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
    ctx.may(Action::Delete, resource(&iso))?;
    fresh(version, iso.version, &iso.updated_by, iso.updated_at)?;
    let depends = store::depends(tx, id).await?;
    if depends.any() {
        return Err(Error::Conflict(depends.problem()));
    }
    sessions::end_all_of_iso(tx, ctx, id).await?;
    search::remove(tx, id.0).await?;
    if store::delete(tx, id, iso.user_id, ctx.now(), &ctx.actor_name()).await? {
        let before = UserFacts { role: Role::Iso, status: users::Status::Active, iso_id: None };
        let after = UserFacts { status: users::Status::Archived, ..before };
        users::rollup::count_change(tx, Some(before), after);
    }
    activity::append(tx, ctx, event(&iso, "iso.deleted")).await
}

/// Copies the new name, address and phone number of an ISO's user to the ISO's row and indexes both.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn on_user_renamed(tx: &mut Tx, user: &users::User) -> Result<()> {
    store::save_person(tx, user).await?;
    users::index(tx, user).await?;
    let (Some(id), Some(company)) = (user.iso_id, user.company_id) else { return Ok(()) };
    let texts = [&user.first_name, &user.last_name, &user.email].into_iter().chain(&user.phone);
    search::index(tx, search_entry(id, company, texts.map(String::as_str).collect())).await
}

fn search_entry(id: IsoId, company: CompanyId, texts: Vec<&str>) -> Entry<'_> {
    Entry { kind: "iso", subject: id.0, company: Some(company), iso: Some(id), texts }
}

fn event(iso: &Iso, action: &'static str) -> Event {
    Event::new(action, "iso", iso.id.0, iso.name()).of(None, Some(iso.company_id), Some(iso.id))
}

fn resource(iso: &Iso) -> Resource {
    Resource::Iso { id: iso.id, company_id: iso.company_id }
}

/// The actions that the actor may take on this ISO: the buttons of its row.
pub fn can(ctx: &Ctx, iso: &Iso) -> Vec<&'static str> {
    let archived = iso.archived_at.is_some();
    [
        ("update", Action::Update, !archived),
        ("archive", Action::Archive, !archived),
        ("restore", Action::Archive, archived),
        ("delete", Action::Delete, true),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource(iso)))
    .map(|(name, ..)| name)
    .collect()
}

impl Iso {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}

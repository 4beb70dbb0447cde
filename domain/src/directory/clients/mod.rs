//! Clients: people with orders. `orders::onboarding` creates them with their first order.
mod store;

pub use store::{Client, ClientSort, Filter};
pub(crate) use store::{are_known as company_and_iso_exist, by_email, of_company};

use crate::{
    accounts::users::{self, User, rollup::UserFacts},
    directory::{
        companies::{self, Progress},
        isos,
    },
    kernel::{
        access::{Action, Resource, Scope},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId, UserId},
        page::{Page, PageQuery, Total},
        search::{self, Entry},
        validate::{LINE, Validator},
    },
    outbox::mails,
    platform::activity::{self, Event},
};
use serde_json::Map;
use std::collections::HashMap;

/// One client. Staff, itself, its ISO, its company's admins.
///
/// # Errors
/// NotFound, also for a client that the actor may not see.
#[tracing::instrument(level = "debug", name = "clients.get", skip_all, fields(user_id = %id))]
pub async fn get(ctx: &Ctx, id: UserId) -> Result<Client> {
    let client = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("client"))?;
    ctx.may(Action::View, resource(&client))?;
    Ok(client)
}

/// The one client with this email address, or id.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "clients.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<Client> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let id = store::by_email(&mut ctx.db(), &users::email_key(name)).await?.ok_or(Error::NotFound("client"))?;
    get(ctx, id).await
}

/// Clients that the actor may see, newest first by default; archived ones only with a filter by that status.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit, or a cursor of another sort order.
#[tracing::instrument(level = "debug", name = "clients.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Client>> {
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of clients of a list.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "clients.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// The progress of a partner's orders, by client; None for other actors, whose lists do not show it.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "clients.progress", skip_all)]
pub async fn progress(ctx: &Ctx, clients: &[Client]) -> Result<Option<HashMap<UserId, Progress>>> {
    let scope = ctx.scope()?;
    if !matches!(scope, Scope::Iso(_)) {
        return Ok(None);
    }
    let ids: Vec<UserId> = clients.iter().map(|client| client.id).collect();
    companies::progress(&mut ctx.db(), scope, &ids).await.map(Some)
}

/// The changes of a client's profile; a field left out stays, an empty phone or address is cleared.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub company_id: Option<CompanyId>,
    /// `Some(None)` removes the ISO. Existing orders keep theirs (decision 12).
    pub iso_id: Option<Option<IsoId>>,
}

/// Changes a client's profile in the caller's transaction, which also reindexes what is found by the client's name.
/// Returns the client before and after. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `archived`; stale when `version` is not the row's.
pub(crate) async fn change(
    tx: &mut Tx,
    ctx: &Ctx,
    id: UserId,
    version: Option<i64>,
    input: &Change,
) -> Result<(Client, Client)> {
    let (mut client, user) = lock(tx, ctx, id, version, Action::Update).await?;
    if client.status == users::Status::Archived {
        return Err(Error::conflict("archived"));
    }
    let before = client.clone();
    let mut check = Validator::new();
    if let Some(name) = &input.first_name {
        client.first_name = check.single_line("first_name", name, LINE);
    }
    if let Some(name) = &input.last_name {
        client.last_name = check.single_line("last_name", name, LINE);
    }
    if input.phone.is_some() {
        client.phone = check.phone("phone", input.phone.as_deref());
    }
    if input.address.is_some() {
        client.address = check.optional_text("address", input.address.as_deref());
    }
    check.finish()?;
    client.company_id = input.company_id.or(client.company_id);
    client.iso_id = input.iso_id.unwrap_or(client.iso_id);
    if (client.company_id, client.iso_id) != (before.company_id, before.iso_id) {
        check_iso_of_company(tx, &client).await?;
    }
    store::save(tx, &client, ctx.now(), &ctx.actor_name()).await?;
    let facts = UserFacts::from(&user);
    users::rollup::count_change(tx, Some(facts), UserFacts { iso_id: client.iso_id, ..facts });
    index(tx, &client).await?;
    activity::append(tx, ctx, event(&client, "client.updated").changed(&before, &client)?).await?;
    Ok((before, client))
}

/// Ends a client's sessions and refuses its sign-in until it is restored. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `archived`; stale.
#[tracing::instrument(level = "debug", name = "clients.suspend", skip_all, fields(user_id = %id))]
pub async fn suspend(ctx: &Ctx, id: UserId, version: Option<i64>) -> Result<Client> {
    set_status(ctx, id, version, Action::Suspend, "client.suspended", |user| match user.status {
        users::Status::Archived => Err(Error::conflict("archived")),
        users::Status::Suspended => Ok(None),
        _ => Ok(Some(users::Status::Suspended)),
    })
    .await
}

/// Hides a client; it cannot sign in. Its orders stay. Staff.
///
/// # Errors
/// NotFound; Forbidden; stale.
#[tracing::instrument(level = "debug", name = "clients.archive", skip_all, fields(user_id = %id))]
pub async fn archive(ctx: &Ctx, id: UserId, version: Option<i64>) -> Result<Client> {
    set_status(ctx, id, version, Action::Archive, "client.archived", |user| {
        Ok((user.status != users::Status::Archived).then_some(users::Status::Archived))
    })
    .await
}

/// Restores a suspended or archived client to its former status. Staff.
///
/// # Errors
/// NotFound; Forbidden; stale.
#[tracing::instrument(level = "debug", name = "clients.restore", skip_all, fields(user_id = %id))]
pub async fn restore(ctx: &Ctx, id: UserId, version: Option<i64>) -> Result<Client> {
    set_status(ctx, id, version, Action::Archive, "client.restored", |user| {
        Ok(matches!(user.status, users::Status::Suspended | users::Status::Archived)
            .then(|| user.status_after_restore()))
    })
    .await
}

/// Mails a new link to set a password. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `not_invitable` for a suspended or archived client.
#[tracing::instrument(level = "debug", name = "clients.invite", skip_all, fields(user_id = %id))]
pub async fn invite(ctx: &Ctx, id: UserId) -> Result<Client> {
    let client = get(ctx, id).await?;
    ctx.may(Action::Invite, resource(&client))?;
    if !matches!(client.status, users::Status::Pending | users::Status::Active) {
        return Err(Error::conflict("not_invitable"));
    }
    let found = &client;
    ctx.transaction(|tx| {
        async move {
            mails::queue(tx, ctx, mails::Kind::PasswordSetup, id, None, Map::new()).await?;
            activity::append(tx, ctx, event(found, "client.invited")).await
        }
        .scope_boxed()
    })
    .await?;
    Ok(client)
}

/// Changes the status as `decide` says; None leaves it.
async fn set_status(
    ctx: &Ctx,
    id: UserId,
    version: Option<i64>,
    action: Action,
    name: &'static str,
    decide: impl Fn(&User) -> Result<Option<users::Status>> + Send + Sync,
) -> Result<Client> {
    let decide = &decide;
    let unchanged = ctx.transaction(|tx| {
        async move {
            let (client, user) = lock(tx, ctx, id, version, action).await?;
            let Some(status) = decide(&user)? else { return Ok(Some(client)) };
            users::change_status(tx, ctx, &user, status).await?;
            activity::append(tx, ctx, event(&client, name)).await?;
            Ok(None)
        }
        .scope_boxed()
    });
    match unchanged.await? {
        Some(client) => Ok(client),
        None => get(ctx, id).await,
    }
}

/// Locks a client and its account for a change by the actor; refuses a stale version.
async fn lock(tx: &mut Tx, ctx: &Ctx, id: UserId, version: Option<i64>, action: Action) -> Result<(Client, User)> {
    let client = store::get(tx, id).await?.ok_or(Error::NotFound("client"))?;
    ctx.may(action, resource(&client))?;
    let user = users::lock(tx, id, version).await?;
    // Read again under the lock: role, company or partner may have changed.
    let client = store::get(tx, id).await?.ok_or(Error::NotFound("client"))?;
    ctx.may(action, resource(&client))?;
    Ok((client, user))
}

/// Refuses an archived company, and an ISO of another company (decision 12).
async fn check_iso_of_company(tx: &mut Tx, client: &Client) -> Result<()> {
    let mut check = Validator::new();
    match client.company_id {
        Some(company) if companies::is_open(tx, company).await? => {}
        _ => check.reject("company_id", Problem::new("not_found")),
    }
    if let Some(iso) = client.iso_id
        && isos::company(tx, iso).await? != client.company_id
    {
        check.reject("iso_id", Problem::new("not_in_company"));
    }
    check.finish()
}

/// Indexes a client by its present name, email and phone; returns the client.
///
/// # Errors
/// NotFound.
pub(crate) async fn reindex(tx: &mut Tx, id: UserId) -> Result<Client> {
    let client = store::get(tx, id).await?.ok_or(Error::NotFound("client"))?;
    index(tx, &client).await?;
    Ok(client)
}

async fn index(tx: &mut Tx, client: &Client) -> Result<()> {
    let texts = [&client.first_name, &client.last_name, &client.email].into_iter().chain(&client.phone);
    let texts = texts.map(String::as_str).collect();
    let (company, iso) = (client.company_id, client.iso_id);
    search::index(tx, Entry { kind: "client", subject: client.id.0, company, iso, texts }).await
}

fn event(client: &Client, action: &'static str) -> Event {
    Event::new(action, "client", client.id.0, client.name()).of(Some(client.id), client.company_id, client.iso_id)
}

fn resource(client: &Client) -> Resource {
    Resource::Client { id: client.id, company_id: client.company_id, iso_id: client.iso_id }
}

/// The actions that the actor may take on this client: the buttons of its row.
pub fn can(ctx: &Ctx, client: &Client) -> Vec<&'static str> {
    use users::Status::{Active, Archived, Pending, Suspended};
    let fits = |states: &[users::Status]| states.contains(&client.status);
    [
        ("update", Action::Update, fits(&[Pending, Active, Suspended])),
        ("invite", Action::Invite, fits(&[Pending, Active])),
        ("suspend", Action::Suspend, fits(&[Pending, Active])),
        ("restore", Action::Archive, fits(&[Suspended, Archived])),
        ("archive", Action::Archive, fits(&[Pending, Active, Suspended])),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource(client)))
    .map(|(name, ..)| name)
    .chain((fits(&[Pending, Active]) && ctx.can(Action::Create, Resource::NewSpv)).then_some("create_spv"))
    .collect()
}

impl Client {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}

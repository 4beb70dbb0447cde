//! Clients: people with orders. Made by the two set-up flows, account and order in one transaction (decision 19).
pub(crate) mod store;

pub use store::{Client, Filter, Order};

use crate::{
    accounts::{
        auth::passwords,
        users::{self, NewUser, User},
    },
    desk::requests::{self, AccountType},
    directory::{
        companies::{self, Progress},
        isos, leads,
    },
    kernel::{
        access::{Action, Resource, Role, Scope},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, RequestId, SpvId, UserId},
        money::Currency,
        page::{Page, PageQuery},
        search::{self, Entry},
        validate::{self, Check, LINE},
    },
    orders::{
        documents,
        spvs::{self, Spv},
    },
    outbox::mails,
    platform::{
        activity::{self, Event},
        settings,
    },
};
use serde_json::Map;
use std::collections::HashMap;

/// How a client is set up (decision 20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setup {
    /// A random password nobody sees, a pending profile, a link to set a password by mail.
    Quick,
    /// An active profile and a welcome mail; the operator's default password, where there is one.
    Full,
}

/// First name, last name, e-mail, company and price are required, the commission with an ISO
/// (specification, section 5; decision 15).
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    pub price: Option<String>,
    pub commission: Option<String>,
    pub country: Option<String>,
    pub currency: Option<String>,
    pub ordered_date: Option<String>,
    /// No invoice is raised with the order: whoever makes many at once raises them in the order of their dates.
    pub without_invoice: bool,
    /// The application that this answers: approved in the same transaction.
    pub request_id: Option<RequestId>,
}

/// A new client and its first order.
#[derive(Clone, Debug)]
pub struct Made {
    pub client: Client,
    pub spv: Spv,
}

/// Makes account, profile, order and steps in one transaction, and queues the mails. Staff.
///
/// # Errors
/// Forbidden; Invalid per field; Conflict `email_taken`, naming the client who has the address (decision 23),
/// `lead_protected` for another partner's lead, `request_decided` and `not_this_account` for the application.
pub async fn create(ctx: &Ctx, setup: Setup, input: Input) -> Result<Made> {
    ctx.may(Action::Create, Resource::NewClient)?;
    let checked = &checked(ctx, setup, &input).await?;
    let request_id = input.request_id;
    let order = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(SpvId(id));
            }
            let (account, _) = checked;
            let request = requests::claim(tx, ctx, request_id, AccountType::Client, Some(&account.email)).await?;
            leads::not_protected(tx, ctx, &account.email, account.phone.as_deref(), account.iso_id).await?;
            let (client, order) = place(tx, ctx, setup, checked.clone()).await?;
            requests::fulfil(tx, ctx, request, requests::Made::Client(client, order)).await?;
            idempotency::remember(tx, ctx, order.0).await?;
            Ok(order)
        }
        .scope_boxed()
    });
    made(ctx, order.await?).await
}

/// What the forms say, once it is checked.
pub(crate) type Checked = (NewUser, spvs::New);

/// The one way a client comes to be with a first order, in the caller's transaction.
///
/// # Errors
/// As [`create`].
pub(crate) async fn place(tx: &mut Tx, ctx: &Ctx, setup: Setup, (account, order): Checked) -> Result<(UserId, SpvId)> {
    known(tx, &order).await?;
    let user = users::insert(tx, ctx, account).await?;
    // First how to sign in, then what there is to see.
    let mail = match setup {
        Setup::Quick => mails::Kind::PasswordSetup,
        Setup::Full if ctx.options.default_password.is_some() => mails::Kind::Welcome,
        Setup::Full => mails::Kind::WelcomeSetup,
    };
    mails::queue(tx, ctx, mail, user.id, None, Map::new()).await?;
    let order = spvs::make(tx, ctx, spvs::New { client_id: user.id, ..order }).await?;
    let event = Event::new("client.created", "client", user.id.0, format!("{} {}", user.first_name, user.last_name))
        .of(Some(user.id), user.company_id, user.iso_id)
        .with("setup", if setup == Setup::Quick { "quick" } else { "full" })
        .public();
    activity::append(tx, ctx, event).await?;
    Ok((user.id, order))
}

/// Reads the form, and hashes the password while no transaction is open.
///
/// # Errors
/// Invalid per field.
pub(crate) async fn checked(ctx: &Ctx, setup: Setup, input: &Input) -> Result<Checked> {
    let mut check = Check::new();
    let first_name = check.line("first_name", &input.first_name, LINE);
    let last_name = check.line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.phone("phone", input.phone.as_deref());
    let address = check.optional_text("address", input.address.as_deref());
    if input.company_id.is_none() {
        check.refuse("company_id", Problem::new("required"));
    }
    let defaults = companies::defaults(ctx, input.company_id).await?;
    let currency = check.optional("currency", input.currency.as_deref(), str::parse).unwrap_or(defaults.currency);
    let amount = |text: &str| Currency::parse(currency, text);
    let price_minor = check.required("price", input.price.as_deref(), amount);
    let commission_minor = if input.iso_id.is_some() {
        check.required("commission", input.commission.as_deref(), amount)
    } else {
        if input.commission.as_deref().is_some_and(|text| !text.trim().is_empty()) {
            check.refuse("commission", Problem::new("needs_iso"));
        }
        None
    };
    let country = check.optional("country", input.country.as_deref(), str::parse).unwrap_or_default();
    let ordered_date = check
        .optional("ordered_date", input.ordered_date.as_deref(), validate::date)
        .unwrap_or(settings::person_today(ctx).await?);
    check.done()?;
    let company_id = input.company_id.ok_or_else(|| Error::field("company_id", "required"))?;
    let (password, must_change_password) = match (setup, &ctx.options.default_password) {
        (Setup::Full, Some(default)) => (Some(default.clone()), true),
        (Setup::Full, None) => (None, false),
        (Setup::Quick, _) => (Some(ctx.chance.password(12)), false),
    };
    let password_hash = match password {
        Some(password) => Some(passwords::hash(ctx, password).await?),
        None => None,
    };
    let account = NewUser {
        role: Role::Client,
        status: if setup == Setup::Quick { users::Status::Pending } else { users::Status::Active },
        first_name,
        last_name,
        email,
        phone,
        address,
        company_id: Some(company_id),
        iso_id: input.iso_id,
        password_hash,
        must_change_password,
        language: defaults.language,
    };
    let order = spvs::New {
        client_id: UserId(uuid::Uuid::nil()),
        company_id,
        iso_id: input.iso_id,
        custom_identifier: None,
        country,
        currency,
        price_minor,
        commission_minor,
        purchase_amount_minor: None,
        iso_commission_percentage: None,
        status: spvs::Status::Active,
        ordered_date,
        invoiced: !input.without_invoice,
    };
    Ok((account, order))
}

/// The account's row names company and ISO before the order is looked at, so they must be there.
async fn known(tx: &mut Tx, order: &spvs::New) -> Result<()> {
    let (company, iso) = store::are_known(tx, order.company_id, order.iso_id).await?;
    let mut check = Check::new();
    if !company {
        check.refuse("company_id", Problem::new("not_found"));
    }
    if order.iso_id.is_some() && !iso {
        check.refuse("iso_id", Problem::new("not_found"));
    }
    check.done()
}

/// The order that a client came with, and the client.
async fn made(ctx: &Ctx, order: SpvId) -> Result<Made> {
    let spv = spvs::get(ctx, order).await?.spv;
    Ok(Made { client: get(ctx, spv.client_id).await?, spv })
}

/// One client. Staff, itself, its ISO, its company's admins.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of.
pub async fn get(ctx: &Ctx, id: UserId) -> Result<Client> {
    let client = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("client"))?;
    ctx.may(Action::View, resource(&client))?;
    Ok(client)
}

/// The one client with this e-mail address, or id.
///
/// # Errors
/// NotFound.
pub async fn find(ctx: &Ctx, name: &str) -> Result<Client> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let id = store::by_email(&mut ctx.db(), &users::email_key(name)).await?.ok_or(Error::NotFound("client"))?;
    get(ctx, id).await
}

/// Clients the actor may see, newest first or in the order asked for; archived ones only when asked for by status.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit, or a cursor that is none of this order.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Client>> {
    let limit = page.limit()?;
    let after: Option<store::Key> = page.after()?;
    if after.as_ref().is_some_and(|key| !key.fits(filter.order)) {
        return Err(Error::field("cursor", "invalid_cursor"));
    }
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, after, limit + 1).await?;
    Ok(Page::cut(rows, limit, |client| store::Key::of(filter.order, client)))
}

/// How far the orders are that a partner brought, by client. None for everybody else, whose lists do not tell.
///
/// # Errors
/// Unauthenticated.
pub async fn progress(ctx: &Ctx, clients: &[Client]) -> Result<Option<HashMap<UserId, Progress>>> {
    let scope = ctx.scope()?;
    if !matches!(scope, Scope::Iso(_)) {
        return Ok(None);
    }
    let ids: Vec<UserId> = clients.iter().map(|client| client.id).collect();
    companies::store::progress(&mut ctx.db(), scope, &ids).await.map(Some)
}

/// What is to change; a field left out stays, an empty phone or address is cleared.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub company_id: Option<CompanyId>,
    /// `Some(None)` takes the ISO away. Later orders only: running ones keep theirs (decision 12).
    pub iso_id: Option<Option<IsoId>>,
}

/// Changes a client's profile. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `archived`; stale when `version` is not the row's.
pub async fn update(ctx: &Ctx, id: UserId, version: Option<i64>, input: Change) -> Result<Client> {
    let input = &input;
    ctx.transaction(|tx| {
        async move {
            let (mut client, user) = locked(tx, ctx, id, version, Action::Update).await?;
            if client.status == users::Status::Archived {
                return Err(Error::conflict("archived"));
            }
            let before = client.clone();
            let mut check = Check::new();
            if let Some(name) = &input.first_name {
                client.first_name = check.line("first_name", name, LINE);
            }
            if let Some(name) = &input.last_name {
                client.last_name = check.line("last_name", name, LINE);
            }
            if input.phone.is_some() {
                client.phone = check.phone("phone", input.phone.as_deref());
            }
            if input.address.is_some() {
                client.address = check.optional_text("address", input.address.as_deref());
            }
            check.done()?;
            client.company_id = input.company_id.or(client.company_id);
            client.iso_id = input.iso_id.unwrap_or(client.iso_id);
            if (client.company_id, client.iso_id) != (before.company_id, before.iso_id) {
                belongs(tx, &client).await?;
            }
            store::save(tx, &client, ctx.now(), &ctx.who()).await?;
            users::count_brought(tx, &user, -1);
            users::count_brought(tx, &User { iso_id: client.iso_id, ..user }, 1);
            index(tx, &client).await?;
            if client.name() != before.name() {
                documents::renamed(tx, id).await?;
            }
            activity::append(tx, ctx, told(&client, "client.updated").changed(&before, &client)?).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Ends a client's sessions and keeps it from signing in until restored. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `archived`; stale.
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
pub async fn archive(ctx: &Ctx, id: UserId, version: Option<i64>) -> Result<Client> {
    set_status(ctx, id, version, Action::Archive, "client.archived", |user| {
        Ok((user.status != users::Status::Archived).then_some(users::Status::Archived))
    })
    .await
}

/// Brings a suspended or archived client back, with the status it had. Staff.
///
/// # Errors
/// NotFound; Forbidden; stale.
pub async fn restore(ctx: &Ctx, id: UserId, version: Option<i64>) -> Result<Client> {
    set_status(ctx, id, version, Action::Archive, "client.restored", |user| {
        Ok(matches!(user.status, users::Status::Suspended | users::Status::Archived).then(|| user.restored()))
    })
    .await
}

/// Mails a new link to set a password. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `not_invitable` for a suspended or archived client.
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
            activity::append(tx, ctx, told(found, "client.invited")).await
        }
        .scope_boxed()
    })
    .await?;
    Ok(client)
}

/// One change of status, or none when it stands there already.
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
            let (client, user) = locked(tx, ctx, id, version, action).await?;
            let Some(status) = decide(&user)? else { return Ok(Some(client)) };
            users::change_status(tx, ctx, &user, status).await?;
            activity::append(tx, ctx, told(&client, name)).await?;
            Ok(None)
        }
        .scope_boxed()
    });
    match unchanged.await? {
        Some(client) => Ok(client),
        None => get(ctx, id).await,
    }
}

/// The client and its account, kept from others, once the actor may and nobody was faster.
async fn locked(tx: &mut Tx, ctx: &Ctx, id: UserId, version: Option<i64>, action: Action) -> Result<(Client, User)> {
    let client = store::get(tx, id).await?.ok_or(Error::NotFound("client"))?;
    ctx.may(action, resource(&client))?;
    let user = users::lock(tx, id, version).await?;
    // Another role, company or partner since.
    let client = store::get(tx, id).await?.ok_or(Error::NotFound("client"))?;
    ctx.may(action, resource(&client))?;
    Ok((client, user))
}

/// A client's ISO is its company's (decision 12).
async fn belongs(tx: &mut Tx, client: &Client) -> Result<()> {
    let mut check = Check::new();
    match client.company_id {
        Some(company) if companies::store::is_open(tx, company).await? => {}
        _ => check.refuse("company_id", Problem::new("not_found")),
    }
    if let Some(iso) = client.iso_id
        && isos::store::company(tx, iso).await? != client.company_id
    {
        check.refuse("iso_id", Problem::new("not_in_company"));
    }
    check.done()
}

/// A client has another name or number: it and its orders are found by that from now on.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn renamed(tx: &mut Tx, id: UserId) -> Result<()> {
    let client = store::get(tx, id).await?.ok_or(Error::NotFound("client"))?;
    index(tx, &client).await
}

async fn index(tx: &mut Tx, client: &Client) -> Result<()> {
    let texts = [&client.first_name, &client.last_name, &client.email].into_iter().chain(&client.phone);
    let texts = texts.map(String::as_str).collect();
    let (company, iso) = (client.company_id, client.iso_id);
    search::index(tx, Entry { kind: "client", subject: client.id.0, company, iso, texts }).await?;
    spvs::client_renamed(tx, client).await
}

fn told(client: &Client, action: &'static str) -> Event {
    Event::new(action, "client", client.id.0, client.name()).of(Some(client.id), client.company_id, client.iso_id)
}

fn resource(client: &Client) -> Resource {
    Resource::Client { id: client.id, company_id: client.company_id, iso_id: client.iso_id }
}

/// What the actor may do with this client: the buttons of its row.
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

//! A client with a first order: the Quick and the Full Setup (decisions 19 and 20).
use super::{NewOrder, insert_order, order::filing_fee};
use crate::{
    accounts::{
        auth::passwords::{self, PasswordHash},
        users::{self, NewUser},
    },
    directory::{
        clients::{self, Client},
        companies, leads,
    },
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, RequestId, SpvId, UserId},
        money::Currency,
        validate::{self, LINE, Validator},
    },
    orders::spvs::{self, Spv},
    outbox::{
        mails,
        requests::{self, AccountType, ResultRef},
    },
    platform::{
        activity::{self, Event},
        settings,
    },
};
use serde_json::Map;

/// How a client is set up (decision 20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setup {
    /// A random password that is shown nowhere, a pending profile, and a mail with a link to set a password.
    Quick,
    /// An active profile and a welcome mail, with the operator's default password where one is configured.
    Full,
}

/// The form of a new client. First name, last name, email, company and price are required, the commission with an ISO
/// (specification, section 5; decision 15).
#[derive(Clone, Debug, Default)]
pub struct ClientInput {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    pub price: Option<String>,
    /// The fee of the authority, which the office passes on.
    pub filing_fee: Option<String>,
    pub commission: Option<String>,
    pub country: Option<String>,
    pub currency: Option<String>,
    pub ordered_date: Option<String>,
    /// Creates no invoice: bulk creation issues the invoices later, in the order of their dates.
    pub without_invoice: bool,
    /// The application that the account answers: approved in the same transaction.
    pub request_id: Option<RequestId>,
}

/// A new client with its first order.
#[derive(Clone, Debug)]
pub struct CreatedClient {
    pub client: Client,
    pub spv: Spv,
}

/// Creates account, profile, order and steps in one transaction, and queues the mails. Staff.
///
/// # Errors
/// Forbidden; Invalid per field; Conflict `email_taken` with the client who has the address (decision 23),
/// `lead_protected` for another partner's lead, `request_decided` and `not_this_account` for the application.
#[tracing::instrument(level = "debug", name = "onboarding.create_client", skip_all)]
pub async fn create_client(ctx: &Ctx, setup: Setup, input: ClientInput) -> Result<CreatedClient> {
    ctx.may(Action::Create, Resource::NewClient)?;
    let validated = &validate(ctx, setup, &input).await?;
    let request_id = input.request_id;
    let order = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(SpvId(id));
            }
            let (account, _) = validated;
            let request =
                requests::lock_application(tx, ctx, request_id, AccountType::Client, Some(&account.email)).await?;
            leads::check_not_protected(tx, ctx, &account.email, account.phone.as_deref(), account.iso_id).await?;
            let (client, order) = insert_client(tx, ctx, setup, validated.clone()).await?;
            requests::approve_application(tx, ctx, request.as_ref(), ResultRef::Client(client, order)).await?;
            idempotency::store(tx, ctx, order.0).await?;
            Ok(order)
        }
        .scope_boxed()
    });
    created(ctx, order.await?).await
}

/// The rows of a validated form. The client of the order is set with the account.
pub(super) type ClientAndOrder = (NewUser, NewOrder);

/// Inserts a client with its first order and queues its mail.
///
/// # Errors
/// As [`create_client`].
pub(super) async fn insert_client(
    tx: &mut Tx,
    ctx: &Ctx,
    setup: Setup,
    (account, order): ClientAndOrder,
) -> Result<(UserId, SpvId)> {
    check_exist(tx, &order).await?;
    let user = users::insert(tx, ctx, account).await?;
    // Queued before the mail about the order, so that it is sent first.
    let mail = match setup {
        Setup::Quick => mails::Kind::PasswordSetup,
        Setup::Full if ctx.options.default_password.is_some() => mails::Kind::Welcome,
        Setup::Full => mails::Kind::WelcomeSetup,
    };
    mails::queue(tx, ctx, mail, user.id, None, Map::new()).await?;
    let order = insert_order(tx, ctx, NewOrder { client_id: user.id, ..order }).await?;
    let event = Event::new("client.created", "client", user.id.0, format!("{} {}", user.first_name, user.last_name))
        .of(Some(user.id), user.company_id, user.iso_id)
        .with("setup", if setup == Setup::Quick { "quick" } else { "full" })
        .public();
    activity::append(tx, ctx, event).await?;
    Ok((user.id, order))
}

/// Validates the form and hashes the password, outside of a transaction.
///
/// # Errors
/// Invalid per field.
pub(super) async fn validate(ctx: &Ctx, setup: Setup, input: &ClientInput) -> Result<ClientAndOrder> {
    let mut check = Validator::new();
    let first_name = check.single_line("first_name", &input.first_name, LINE);
    let last_name = check.single_line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.phone("phone", input.phone.as_deref());
    let address = check.optional_text("address", input.address.as_deref());
    if input.company_id.is_none() {
        check.reject("company_id", Problem::new("required"));
    }
    let defaults = companies::defaults(ctx, input.company_id).await?;
    let currency = check
        .optional("currency", input.currency.as_deref(), |text| defaults.office.parse_currency(text))
        .unwrap_or(defaults.currency);
    let amount = |text: &str| Currency::parse(currency, text);
    let price_minor = check.required("price", input.price.as_deref(), amount);
    let filing_fee_minor = filing_fee(&mut check, currency, input.filing_fee.as_deref(), price_minor);
    let commission_minor = if input.iso_id.is_some() {
        check.required("commission", input.commission.as_deref(), amount)
    } else {
        if input.commission.as_deref().is_some_and(|text| !text.trim().is_empty()) {
            check.reject("commission", Problem::new("needs_iso"));
        }
        None
    };
    let country = check.optional("country", input.country.as_deref(), str::parse).unwrap_or_default();
    let ordered_date = check
        .optional("ordered_date", input.ordered_date.as_deref(), validate::date)
        .unwrap_or(settings::person_today(ctx).await?);
    check.finish()?;
    let company_id = input.company_id.ok_or_else(|| Error::field("company_id", "required"))?;
    let (password_hash, must_change_password) = initial_password(ctx, setup).await?;
    let account = NewUser {
        status: if setup == Setup::Quick { users::Status::Pending } else { users::Status::Active },
        phone,
        address,
        company_id: Some(company_id),
        iso_id: input.iso_id,
        password_hash,
        must_change_password,
        language: defaults.language,
        ..NewUser::new(Role::Client, first_name, last_name, email)
    };
    let client_id = UserId(uuid::Uuid::nil());
    let order = NewOrder {
        iso_id: input.iso_id,
        country,
        price_minor,
        filing_fee_minor,
        commission_minor,
        status: spvs::Status::Active,
        invoiced: !input.without_invoice,
        ..NewOrder::new(client_id, company_id, currency, ordered_date)
    };
    Ok((account, order))
}

/// The hash of the first password (decision 20), and whether it must be changed.
async fn initial_password(ctx: &Ctx, setup: Setup) -> Result<(Option<PasswordHash>, bool)> {
    let (password, must_change) = match (setup, &ctx.options.default_password) {
        (Setup::Full, Some(default)) => (default.clone(), true),
        (Setup::Full, None) => return Ok((None, false)),
        (Setup::Quick, _) => (ctx.random.password(12), false),
    };
    Ok((Some(passwords::hash(ctx, password).await?), must_change))
}

/// Refuses an unknown company or ISO, which the account's row references.
async fn check_exist(tx: &mut Tx, order: &NewOrder) -> Result<()> {
    let (company, iso) = clients::company_and_iso_exist(tx, order.company_id, order.iso_id).await?;
    let mut check = Validator::new();
    if !company {
        check.reject("company_id", Problem::new("not_found"));
    }
    if order.iso_id.is_some() && !iso {
        check.reject("iso_id", Problem::new("not_found"));
    }
    check.finish()
}

/// Reads the order with its client.
async fn created(ctx: &Ctx, order: SpvId) -> Result<CreatedClient> {
    let spv = spvs::get(ctx, order).await?.spv;
    Ok(CreatedClient { client: clients::get(ctx, spv.client_id).await?, spv })
}

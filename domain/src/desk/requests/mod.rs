//! Requests to the staff: from the contact page and the application forms without an account, for new orders by
//! clients, of other types by users, and by the staff for others (decision 22 and the table of dead elements).
//!
//! Leads and calls of partners are nouns of their own, whose requests follow them ([`crate::outbox::requests`]).
//! Documents that the staff request from clients are not requests to the office: see
//! [`crate::orders::document_requests`].
mod application;
mod decide;
mod linked;
mod order;
mod store;
mod summary;

pub use crate::outbox::requests::{AccountType, Kind, Priority, Request, ResultKind, Status};
pub use application::{Application, Form, Person};
pub use decide::{Change, accept, approve, can, reject, review, update, withdraw};
pub use order::{OrderForm, OrderRequest, RequestedService};
pub(crate) use store::count_by_status;
pub use store::{Assignee, Filter, RequestSort};
pub use summary::{PriorityBucket, RequestSummary, WEEKS, Week, summary};

use crate::{
    accounts::users,
    directory::companies,
    kernel::{
        access::{Action, Actor, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        idempotency,
        ids::{RequestId, UserId},
        page::{Page, PageQuery, Total},
        text::unique_key,
        validate::{LINE, Validator},
    },
    orders::{
        documents::{self, AttachmentOwner, Document},
        services,
    },
    outbox::requests as rows,
    platform::activity,
};
use serde_json::Map;
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// Input of a new request.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Kinds per actor are in [`Kind::of`]: `support` and `account` without an account, `order` for clients, the rest
    /// for users.
    pub kind: String,
    /// From the application if there is one, else from the account. Only the staff enter others.
    pub name: String,
    pub email: String,
    /// May be empty with an application.
    pub message: String,
    /// Type of the account: client, employee, iso or company.
    pub account_type: Option<String>,
    /// Application form for that account.
    pub application: Option<Form>,
    /// Form of the requested order.
    pub order: Option<OrderForm>,
    /// Default: medium. Staff.
    pub priority: Option<String>,
    /// Assignee. Staff.
    pub assignee_id: Option<UserId>,
    /// Language of the answer to a person without an account.
    pub language: Option<String>,
}

/// Creates a request. [`Kind::of`] says who may create which kind; the caller limits the rate.
///
/// # Errors
/// Invalid per field; Unauthenticated and Forbidden for an order.
#[tracing::instrument(level = "debug", name = "requests.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Request> {
    if input.kind.trim() == Kind::Order.name() {
        return create_order(ctx, input).await;
    }
    let mut check = Validator::new();
    let allowed = Kind::of(&ctx.actor);
    let known = input.kind.trim().parse().ok().filter(|kind| allowed.contains(kind));
    if known.is_none() {
        let names = allowed.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        check.reject("kind", Problem::new("unknown").with("allowed", names));
    }
    let kind = known.unwrap_or(Kind::Other);
    if input.order.is_some() {
        check.reject("order", Problem::new("not_allowed"));
    }
    let application = application(&mut check, known, &input);
    let who = sender(&mut check, ctx, kind, application.as_ref(), &input).await?;
    let message = match known {
        Some(Kind::Account) => check.optional_text("message", Some(&input.message)).unwrap_or_default(),
        _ => check.text("message", &input.message),
    };
    let priority = check.optional("priority", input.priority.as_deref(), str::parse).unwrap_or_default();
    if !ctx.actor.is_staff() {
        refuse_staff_fields(&mut check, &input);
    }
    let data = application.map_or_else(|| Ok(Map::new()), |application| application.data())?;
    let new = Request {
        user_id: who.user_id,
        priority,
        due_at: priority.due(ctx.now()),
        // The language of the browser is that of the staff, not of the person they write down.
        language: input.language.filter(|_| matches!(ctx.actor, Actor::Anonymous)),
        ..Request::new(ctx, kind, who.name, who.email, message, data)
    };
    let assignee_id = input.assignee_id.filter(|_| ctx.actor.is_staff());
    let (check, new) = (&check, &new);
    ctx.transaction(|tx| {
        async move {
            let mut check = check.clone();
            let assignee = decide::assignable(tx, &mut check, assignee_id).await?;
            check.finish()?;
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return rows::get(tx, RequestId(id)).await?.ok_or(Error::NotFound("request"));
            }
            let request = Request { assignee_id: assignee.as_ref().map(|(id, _)| *id), ..new.clone() };
            rows::insert(tx, ctx, &request).await?;
            if assignee.is_some() {
                activity::append(tx, ctx, decide::assigned_event(&request, assignee)).await?;
            }
            idempotency::store(tx, ctx, request.id.0).await?;
            Ok(request)
        }
        .scope_boxed()
    })
    .await
}

/// Reads the application form; refuses its fields for other kinds.
fn application(check: &mut Validator, kind: Option<Kind>, input: &Input) -> Option<Application> {
    let account_type = input.account_type.as_deref().filter(|text| !text.trim().is_empty());
    if kind == Some(Kind::Account) {
        let account = check.required("account_type", account_type, str::parse::<AccountType>)?;
        return Some(Application::read(check, account, input.application.clone().unwrap_or_default()));
    }
    if account_type.is_some() {
        check.reject("account_type", Problem::new("not_allowed"));
    }
    if kind.is_some() && input.application.is_some() {
        check.reject("application", Problem::new("not_allowed"));
    }
    None
}

/// Refuses fields that only the staff may set.
fn refuse_staff_fields(check: &mut Validator, input: &Input) {
    for (field, left) in [("priority", input.priority.is_some()), ("assignee_id", input.assignee_id.is_some())] {
        if left {
            check.reject(field, Problem::new("not_allowed"));
        }
    }
}

/// Name, address and account of the person a request is from.
struct Sender {
    user_id: Option<UserId>,
    name: String,
    email: String,
}

async fn sender(
    check: &mut Validator,
    ctx: &Ctx,
    kind: Kind,
    application: Option<&Application>,
    input: &Input,
) -> Result<Sender> {
    let me = ctx.actor.user_id();
    let staff = ctx.actor.is_staff();
    let unsaid = input.name.trim().is_empty() && input.email.trim().is_empty();
    // Only the staff enter other people: the input of others is not verified.
    if me.is_some() && kind != Kind::Account && (unsaid || !staff) {
        let user = users::me(ctx).await?.user;
        return Ok(Sender { user_id: me, name: user.name(), email: user.email });
    }
    let name = match application.map(Application::person) {
        Some(person) => format!("{} {}", person.first_name, person.last_name),
        // Without an account type the name is unknown; the missing type is refused first.
        None if kind == Kind::Account => String::new(),
        None => check.single_line("name", &input.name, LINE),
    };
    let email = check.email("email", &input.email);
    // A lead is not sent by the person it is about.
    let theirs = staff && !matches!(kind, Kind::Account | Kind::Lead);
    let user_id = if theirs && !email.is_empty() {
        // If the person has an account, the request appears there.
        users::by_email(&mut ctx.db(), &users::email_key(&email)).await?.map(|user| user.id)
    } else {
        me.filter(|_| !staff)
    };
    Ok(Sender { user_id, name, email })
}

/// Creates the order request of a client, with name and address of the account.
async fn create_order(ctx: &Ctx, input: Input) -> Result<Request> {
    ctx.may(Action::Create, Resource::OrderRequest)?;
    let mut check = Validator::new();
    for (field, left) in [
        ("name", !input.name.is_empty()),
        ("email", !input.email.is_empty()),
        ("message", !input.message.is_empty()),
        ("account_type", input.account_type.is_some()),
        ("application", input.application.is_some()),
    ] {
        if left {
            check.reject(field, Problem::new("not_allowed"));
        }
    }
    refuse_staff_fields(&mut check, &input);
    check.finish()?;
    let form = input.order.unwrap_or_default();
    let service = match form.service_id {
        Some(id) => services::offered(&mut ctx.db(), id).await?,
        None => None,
    };
    if let (Some(seen), Some(service)) = (form.service_version, &service)
        && seen != service.version
    {
        return Err(Error::field("order.service_id", "service_changed"));
    }
    let order = OrderRequest::read(&companies::defaults(ctx, ctx.actor.company_id()).await?, &form, service)?;
    let user = users::me(ctx).await?.user;
    let client = user.id;
    let new = &Request::new(ctx, Kind::Order, user.name(), user.email, order.purpose.clone(), order.data()?);
    let documents = &form.document_ids.into_iter().collect::<BTreeSet<_>>();
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return rows::get(tx, RequestId(id)).await?.ok_or(Error::NotFound("request"));
            }
            rows::insert(tx, ctx, new).await?;
            for document in documents {
                // Documents of others are not found.
                match documents::attach(tx, ctx, *document, client, None, false).await {
                    Err(Error::NotFound(_)) => return Err(Error::field("order.document_ids", "not_found")),
                    attached => attached?,
                }
                documents::link_attachment(tx, AttachmentOwner::Request, new.id.0, *document).await?;
            }
            idempotency::store(tx, ctx, new.id.0).await?;
            Ok(new.clone())
        }
        .scope_boxed()
    })
    .await
}

/// Lists requests, the newest first by default. Staff see all, others their own.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor, and for filters reserved to the staff.
#[tracing::instrument(level = "debug", name = "requests.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Request>> {
    let of = own_only(ctx, filter)?;
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), of, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of requests of a list.
///
/// # Errors
/// As [`list`].
#[tracing::instrument(level = "debug", name = "requests.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    store::total(&mut ctx.db(), own_only(ctx, filter)?, filter).await
}

/// The user whose requests the actor may list; None for the staff, who may list all and use every filter.
fn own_only(ctx: &Ctx, filter: &Filter) -> Result<Option<UserId>> {
    ctx.scope()?;
    let of = ctx.actor.user_id().filter(|_| !ctx.can(Action::View, Resource::Requests));
    if of.is_some() {
        let mut check = Validator::new();
        for (field, wanted) in [
            ("priority", filter.priority.is_some()),
            ("assignee_id", filter.assignee.is_some()),
            ("user_id", filter.sender.is_some()),
            ("order", filter.order.key != RequestSort::CreatedAt),
        ] {
            if wanted {
                check.reject(field, Problem::new("not_allowed"));
            }
        }
        check.finish()?;
    }
    Ok(of)
}

/// Loads a request. Staff, and the user who sent it.
///
/// # Errors
/// NotFound, also for requests of others.
#[tracing::instrument(level = "debug", name = "requests.get", skip_all, fields(desk_request_id = %id))]
pub async fn get(ctx: &Ctx, id: RequestId) -> Result<Request> {
    let request = rows::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("request"))?;
    ctx.may(Action::View, rows::resource(&request))?;
    Ok(request)
}

/// Documents attached to these requests, by request id.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "requests.documents", skip_all)]
pub async fn documents<'r>(
    ctx: &Ctx,
    requests: impl IntoIterator<Item = &'r Request>,
) -> Result<HashMap<Uuid, Vec<Document>>> {
    let ids = requests.into_iter().map(|request| request.id.0).collect();
    documents::attachments_of(&mut ctx.db(), ctx, AttachmentOwner::Request, ids).await
}

/// Finds a request by its reference, as `REQ-6f1c2d3e`. Staff.
///
/// # Errors
/// Forbidden; NotFound; Conflict `ambiguous`.
#[tracing::instrument(level = "debug", name = "requests.find", skip_all)]
pub async fn find(ctx: &Ctx, reference: &str) -> Result<Request> {
    ctx.may(Action::View, Resource::Requests)?;
    let digits = unique_key(reference);
    let digits = digits.strip_prefix("req-").unwrap_or(&digits);
    let end = |rest: &str| format!("{digits}-{rest}").parse().map_err(|_| Error::NotFound("request"));
    let (first, last) = (end("0000-0000-0000-000000000000")?, end("ffff-ffff-ffff-ffffffffffff")?);
    let mut found = store::in_id_range(&mut ctx.db(), first, last).await?;
    match found.len() {
        0 | 1 => found.pop().ok_or(Error::NotFound("request")),
        _ => Err(Error::conflict("ambiguous")),
    }
}

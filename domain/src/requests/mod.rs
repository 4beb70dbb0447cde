//! Requests to the staff: from the contact page and the application forms, by people without an account, and for new
//! orders, by clients (decisions 22 and the table of dead elements).
mod application;
mod decide;
mod order;
mod store;

pub use application::{AccountType, Application, Form, Person};
pub use decide::{accept, can, reject, withdraw};
pub use order::{Form as OrderForm, Order};
pub use store::{Filter, Request, Status};

use crate::{
    access::{Action, Actor, Resource},
    activity, catalogue,
    check::{Check, LINE},
    companies,
    ctx::Ctx,
    db::Tx,
    documents::{self, Holder},
    error::{Error, Problem, Result},
    idempotency,
    ids::RequestId,
    page::{Page, PageQuery},
    users,
};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// `support` from the contact page, `account` from an application form, `order` from a client.
    pub kind: String,
    /// Taken from the application where there is one.
    pub name: String,
    pub email: String,
    /// May be empty in an application, whose form says it all.
    pub message: String,
    /// Which account is applied for: client, employee, iso or company.
    pub account_type: Option<String>,
    /// The form of that account.
    pub application: Option<Form>,
    /// The order that a client asks for.
    pub order: Option<OrderForm>,
    /// In which language somebody without an account reads the answer.
    pub language: Option<String>,
}

/// Takes a request in. Anybody, but for orders, which are for clients; the caller limits how often.
///
/// # Errors
/// Invalid per field; Unauthenticated and Forbidden for an order.
pub async fn create(ctx: &Ctx, input: Input) -> Result<Request> {
    let mut check = Check::new();
    let kind = input.kind.trim();
    if kind == "order" {
        return create_order(ctx, input).await;
    }
    if !matches!(kind, "support" | "account") {
        check.refuse("kind", Problem::new("unknown").with("allowed", "support, account, order"));
    }
    if input.order.is_some() {
        check.refuse("order", Problem::new("not_allowed"));
    }
    let account_type = input.account_type.as_deref().filter(|text| !text.trim().is_empty());
    let account = match (kind, account_type) {
        ("account", given) => check.required("account_type", given, str::parse::<AccountType>),
        (_, Some(_)) => {
            check.refuse("account_type", Problem::new("not_allowed"));
            None
        }
        _ => None,
    };
    if kind == "support" && input.application.is_some() {
        check.refuse("application", Problem::new("not_allowed"));
    }
    let form = input.application.unwrap_or_default();
    let application = account.map(|account| Application::read(&mut check, account, form));
    let name = match application.as_ref().map(Application::person) {
        Some(person) => format!("{} {}", person.first_name, person.last_name),
        // Which account it is was not said, and is asked for first.
        None if kind == "account" => String::new(),
        None => check.line("name", &input.name, LINE),
    };
    let email = check.email("email", &input.email);
    let message = match kind {
        "account" => check.optional_text("message", Some(&input.message)).unwrap_or_default(),
        _ => check.text("message", &input.message),
    };
    check.done()?;
    let mut tx = ctx.begin().await?;
    if let Some(id) = idempotency::made_before(&mut tx, ctx).await? {
        let found = store::get(&mut tx, RequestId(id)).await?.ok_or(Error::NotFound("request"))?;
        tx.commit().await?;
        return Ok(found);
    }
    let data = application.map_or_else(|| Ok(Map::new()), |application| application.data())?;
    let language = input.language.filter(|_| ctx.actor.user_id().is_none());
    let request = Request { language, ..Request::new(ctx, kind, name, email, message, data) };
    insert(&mut tx, ctx, &request).await?;
    idempotency::remember(&mut tx, ctx, request.id.0).await?;
    tx.commit().await?;
    Ok(request)
}

/// A client asks for a new order. Who it is, the account says.
async fn create_order(ctx: &Ctx, input: Input) -> Result<Request> {
    ctx.may(Action::Create, Resource::OrderRequest)?;
    let mut check = Check::new();
    for (field, left) in [
        ("name", !input.name.is_empty()),
        ("email", !input.email.is_empty()),
        ("message", !input.message.is_empty()),
        ("account_type", input.account_type.is_some()),
        ("application", input.application.is_some()),
    ] {
        if left {
            check.refuse(field, Problem::new("not_allowed"));
        }
    }
    check.done()?;
    let form = input.order.unwrap_or_default();
    let company = match &ctx.actor {
        Actor::User(user) => user.company_id,
        _ => None,
    };
    let order = Order::read(companies::defaults(ctx, company).await?.currency, &form)?;
    let user = users::me(ctx).await?.user;
    let mut tx = ctx.begin().await?;
    if let Some(id) = idempotency::made_before(&mut tx, ctx).await? {
        let found = store::get(&mut tx, RequestId(id)).await?.ok_or(Error::NotFound("request"))?;
        tx.commit().await?;
        return Ok(found);
    }
    let request = Request::new(ctx, "order", user.name(), user.email, order.purpose.clone(), order.data()?);
    insert(&mut tx, ctx, &request).await?;
    for document in form.document_ids.into_iter().collect::<BTreeSet<_>>() {
        // To whoever it does not belong there is none.
        match documents::attach(&mut tx, ctx, document, user.id, None, false).await {
            Err(Error::NotFound(_)) => return Err(Error::field("order.document_ids", "not_found")),
            attached => attached?,
        }
        documents::hang(&mut tx, Holder::Request, request.id.0, document).await?;
    }
    idempotency::remember(&mut tx, ctx, request.id.0).await?;
    tx.commit().await?;
    Ok(request)
}

/// Who came without an account, and who vouches for the address.
#[derive(Debug)]
pub(crate) struct Applicant {
    pub name: String,
    pub email: String,
    pub provider: String,
}

/// Asks for an account within the use case that turned somebody away; nothing while such a request of theirs is open.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn apply(tx: &mut Tx, ctx: &Ctx, from: Applicant) -> Result<()> {
    if store::is_open(tx, "account", &from.email.to_lowercase()).await? {
        return Ok(());
    }
    let data = Map::from_iter([("provider".to_owned(), Value::from(from.provider))]);
    let message = catalogue::text(catalogue::LANGUAGES[0], "names", "request.by_provider", &data);
    insert(tx, ctx, &Request::new(ctx, "account", from.name, from.email, message, data)).await
}

/// Writes a request within a use case and tells of it.
async fn insert(tx: &mut Tx, ctx: &Ctx, request: &Request) -> Result<()> {
    store::insert(tx, request, ctx.origin.address.as_deref()).await?;
    activity::append(tx, ctx, decide::told("request.created", request)).await
}

/// The newest requests: everybody's for the staff, their own for others.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Request>> {
    ctx.scope()?;
    let of = ctx.actor.user_id().filter(|_| !ctx.can(Action::View, Resource::Requests));
    let limit = page.limit()?;
    let mut rows = store::list(&mut ctx.db(), of, filter, page.after()?, limit + 1).await?;
    let ids = rows.iter().map(|request| request.id.0).collect();
    let mut held = documents::held(&mut ctx.db(), ctx, Holder::Request, ids).await?;
    for request in &mut rows {
        request.documents = held.remove(&request.id.0).unwrap_or_default();
    }
    Ok(Page::cut(rows, limit, |request| (request.created_at, request.id)))
}

/// One request. Staff, and whoever sent it.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of.
pub async fn get(ctx: &Ctx, id: RequestId) -> Result<Request> {
    let mut request = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("request"))?;
    ctx.may(Action::View, decide::resource(&request))?;
    let mut held = documents::held(&mut ctx.db(), ctx, Holder::Request, vec![id.0]).await?;
    request.documents = held.remove(&id.0).unwrap_or_default();
    Ok(request)
}

/// The request with this reference, as people quote it: `REQ-6f1c2d3e`. Staff.
///
/// # Errors
/// Forbidden; NotFound; Conflict `ambiguous`.
pub async fn find(ctx: &Ctx, reference: &str) -> Result<Request> {
    ctx.may(Action::View, Resource::Requests)?;
    let digits = reference.trim().to_lowercase();
    let digits = digits.strip_prefix("req-").unwrap_or(&digits);
    let end = |rest: &str| format!("{digits}-{rest}").parse().map_err(|_| Error::NotFound("request"));
    let (first, last) = (end("0000-0000-0000-000000000000")?, end("ffff-ffff-ffff-ffffffffffff")?);
    let mut found = store::between(&mut ctx.db(), first, last).await?;
    match found.len() {
        0 | 1 => found.pop().ok_or(Error::NotFound("request")),
        _ => Err(Error::conflict("ambiguous")),
    }
}

impl Request {
    /// One that has just come in.
    fn new(ctx: &Ctx, kind: &str, name: String, email: String, message: String, data: Map<String, Value>) -> Self {
        Self {
            id: RequestId(ctx.chance.uuid()),
            kind: kind.to_owned(),
            status: Status::Pending,
            user_id: ctx.actor.user_id(),
            name,
            email,
            message,
            data,
            created_at: ctx.now(),
            spv_id: None,
            spv_custom_identifier: None,
            reason: None,
            decided_at: None,
            decided_by: None,
            version: 1,
            language: None,
            documents: Vec::new(),
        }
    }

    /// What the person who asked can quote.
    pub fn reference(&self) -> String {
        format!("REQ-{}", &self.id.to_string()[..8])
    }
}

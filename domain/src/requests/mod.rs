//! Requests to the staff: from the contact page and the application forms, by people without an account
//! (decisions 22 and the table of dead elements).
mod store;

pub use store::Request;

use crate::{
    access::{Action, Resource},
    activity::{self, Event},
    check::{Check, LINE},
    ctx::Ctx,
    error::{Error, Problem, Result},
    idempotency,
    ids::RequestId,
    page::{Page, PageQuery},
};

/// What somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// `support` from the contact page, `account` from an application form.
    pub kind: String,
    pub name: String,
    pub email: String,
    pub message: String,
    /// Which account is applied for: client, employee, iso or company.
    pub account_type: Option<String>,
}

/// Takes a request in. Anybody; the caller limits how often.
///
/// # Errors
/// Invalid per field.
pub async fn create(ctx: &Ctx, input: Input) -> Result<Request> {
    let mut check = Check::new();
    let kind = input.kind.trim();
    if !matches!(kind, "support" | "account") {
        check.refuse("kind", Problem::new("unknown").with("allowed", "support, account"));
    }
    let account = input.account_type.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let known = account.is_some_and(|account| matches!(account, "client" | "employee" | "iso" | "company"));
    if (kind == "account") != account.is_some() || (account.is_some() && !known) {
        check.refuse("account_type", Problem::new("unknown").with("allowed", "client, employee, iso, company"));
    }
    let name = check.line("name", &input.name, LINE);
    let email = check.email("email", &input.email);
    let message = check.text("message", &input.message);
    check.done()?;
    let mut tx = ctx.begin().await?;
    if let Some(id) = idempotency::made_before(&mut tx, ctx).await? {
        return store::get(&mut tx, RequestId(id)).await?.ok_or(Error::NotFound("request"));
    }
    let id = RequestId(ctx.chance.uuid());
    let data = account
        .map_or_else(serde_json::Map::new, |a| serde_json::Map::from_iter([("account_type".to_owned(), a.into())]));
    let request = Request {
        id,
        kind: kind.to_owned(),
        status: "pending".to_owned(),
        user_id: ctx.actor.user_id(),
        name,
        email,
        message,
        data,
        created_at: ctx.now(),
        version: 1,
    };
    store::insert(&mut tx, &request, ctx.origin.address.as_deref()).await?;
    let event = Event::new("request.created", "request", id.0, request.reference()).with("kind", request.kind.clone());
    activity::append(&mut tx, ctx, event).await?;
    idempotency::remember(&mut tx, ctx, id.0).await?;
    tx.commit().await?;
    Ok(request)
}

/// The newest requests. Staff.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, page: &PageQuery) -> Result<Page<Request>> {
    ctx.may(Action::View, Resource::Requests)?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |request| (request.created_at, request.id)))
}

impl Request {
    /// What the person who asked can quote.
    pub fn reference(&self) -> String {
        format!("REQ-{}", &self.id.to_string()[..8])
    }
}

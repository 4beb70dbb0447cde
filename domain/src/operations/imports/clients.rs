//! Imports a client: an account without an order and without a password.
use super::{Columns, Import, Outcome, Row, cell, text, valid};
use crate::{
    accounts::users::{self, NewUser, Status, User},
    directory::leads,
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        text::unique_key,
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};

pub(super) const COLUMNS: Columns = Columns {
    required: &["first_name", "last_name", "email", "company_name"],
    optional: &["phone", "address", "iso_email", "iso_name", "status"],
    unread: &["id", "created_at"],
};

/// Creates the client of a row, unless its email exists (decision 23). The staff send the link to set a password later.
/// A suspended or archived client becomes pending when it is restored.
///
/// # Errors
/// Invalid per field; Conflict `lead_protected` for another partner's lead.
pub(super) async fn row(import: &mut Import, row: &Row) -> Result<Outcome> {
    let ctx = &import.ctx.clone();
    let mut check = Validator::new();
    let email = valid(&mut check, |check| check.email("email", text(row, "email"))).unwrap_or_default();
    let key = users::email_key(&email);
    if let Some(spelling) = import.dry_run_keys.get(&key) {
        return Ok(Outcome::exists(&email, spelling));
    }
    match users::by_email(&mut ctx.db(), &key).await? {
        Some(user) if user.role == Role::Client => return Ok(Outcome::exists(&email, &user.email)),
        Some(_) => return Err(Error::field("email", "email_taken")),
        None => {}
    }
    let first_name = check.single_line("first_name", text(row, "first_name"), LINE);
    let last_name = check.single_line("last_name", text(row, "last_name"), LINE);
    let phone = check.phone("phone", cell(row, "phone"));
    let address = check.optional_text("address", cell(row, "address"));
    let status = check.optional("status", cell(row, "status"), |text| unique_key(text).parse::<Status>());
    let status = status.unwrap_or(Status::Pending);
    let Some(context) = import.company(&mut check, row).await? else {
        return Err(check.finish().err().unwrap_or(Error::NotFound("company")));
    };
    let iso_id = import.partner(&mut check, row, context.company.id).await?;
    let company_id = Some(context.company.id);
    let (company_id, iso_id) = users::validate_affiliation(&mut check, ctx, Role::Client, company_id, iso_id).await?;
    check.finish()?;
    let account = &NewUser {
        status: if status.is_shut() { Status::Pending } else { status },
        phone,
        address,
        company_id,
        iso_id,
        language: context.defaults.language.clone(),
        ..NewUser::new(Role::Client, first_name, last_name, email)
    };
    let made = import.create(key, &account.email, |tx| {
        async move {
            leads::check_not_protected(tx, ctx, &account.email, account.phone.as_deref(), iso_id).await?;
            let user = users::insert(tx, ctx, account.clone()).await?;
            activity::append(tx, ctx, event("client.created", &user).with("setup", "import").public()).await?;
            if status.is_shut() {
                close_account(tx, ctx, &user, status).await?;
            }
            Ok(())
        }
        .scope_boxed()
    });
    match made.await {
        // A concurrent import of the same file inserted it first.
        Err(Error::Conflict(problem)) if problem.code == "email_taken" && problem.params.contains_key("client_id") => {
            Ok(Outcome::Exists(None))
        }
        made => made,
    }
}

async fn close_account(tx: &mut Tx, ctx: &Ctx, user: &User, status: Status) -> Result<()> {
    users::change_status(tx, ctx, user, status).await?;
    let action = if status == Status::Archived { "client.archived" } else { "client.suspended" };
    activity::append(tx, ctx, event(action, user)).await
}

fn event(action: &'static str, user: &User) -> Event {
    let name = format!("{} {}", user.first_name, user.last_name);
    Event::new(action, "client", user.id.0, name).of(Some(user.id), user.company_id, user.iso_id)
}

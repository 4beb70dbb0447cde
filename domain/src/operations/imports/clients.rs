//! Imports a client: an account without an order and without a password.
use super::{
    Columns, Import, Row, RowPlan, cell,
    differences::Comparison,
    lookup::{self, CompanyContext},
    text, valid,
    write::Write,
};
use crate::{
    accounts::users::{self, NewUser, Status, User},
    desk::people,
    directory::{
        clients::{self, Change, Client},
        isos::Iso,
        leads,
    },
    kernel::{
        access::Role,
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        ids::UserId,
        text::unique_key,
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};
use std::sync::Arc;
use uuid::Uuid;

pub(super) const COLUMNS: Columns = Columns {
    required: &["first_name", "last_name", "email", "company_name"],
    optional: &["phone", "address", "iso_email", "iso_name", "status"],
    unread: &["id", "created_at"],
};

/// Columns that an update changes.
const UPDATABLE: [&str; 8] =
    ["first_name", "last_name", "phone", "address", "company_name", "iso_email", "iso_name", "status"];

/// The account of a new client and its status: a suspended or archived one becomes pending when it is restored.
pub(super) struct NewClient {
    account: NewUser,
    status: Status,
}

pub(super) struct UpdateClient {
    id: UserId,
    change: Change,
    /// The new status, if it differs.
    status: Option<Status>,
}

/// Plans a row: the client is the one with its email, else a new one. The staff send the link to set a password later
/// (decision 23).
///
/// # Errors
/// Invalid per field, `email_taken` for an account of another role.
pub(super) async fn plan(import: &mut Import, row: &Row) -> Result<RowPlan> {
    let mut check = Validator::new();
    let email = valid(&mut check, |check| check.email("email", text(row, "email"))).unwrap_or_default();
    let user = users::by_email(&mut import.ctx.db(), &users::email_key(&email)).await?;
    if user.as_ref().is_some_and(|user| user.role != Role::Client) {
        return Err(Error::field("email", "email_taken"));
    }
    let first_name = check.single_line("first_name", text(row, "first_name"), LINE);
    let last_name = check.single_line("last_name", text(row, "last_name"), LINE);
    let phone = check.phone("phone", cell(row, "phone"));
    let address = check.optional_text("address", cell(row, "address"));
    let status = check.optional("status", cell(row, "status"), |text| unique_key(text).parse::<Status>());
    let Some(context) = import.company(&mut check, row).await? else {
        return Err(check.finish().err().unwrap_or(Error::NotFound("company")));
    };
    let iso = import.partner(&mut check, row, context.company.id).await?;
    check.finish()?;
    let status = status.unwrap_or(Status::Pending);
    let account = NewUser {
        status: if status.is_shut() { Status::Pending } else { status },
        phone,
        address,
        company_id: Some(context.company.id),
        iso_id: lookup::id(iso.as_ref()),
        language: context.defaults.language.clone(),
        ..NewUser::new(Role::Client, first_name, last_name, email)
    };
    let new = NewClient { account, status };
    match user {
        None => Ok(RowPlan::New(Write::NewClient(new))),
        Some(user) => compare(import, row, &user, new, &context, iso.as_ref()).await,
    }
}

/// Compares an existing client with the row.
async fn compare(
    import: &Import,
    row: &Row,
    user: &User,
    NewClient { account, status }: NewClient,
    context: &CompanyContext,
    iso: Option<&Arc<Iso>>,
) -> Result<RowPlan> {
    let client = clients::get(&import.ctx, user.id).await?;
    let mut found = Comparison::new(row);
    found.text("first_name", Some(&client.first_name), Some(&account.first_name));
    found.text("last_name", Some(&client.last_name), Some(&account.last_name));
    found.text("phone", client.phone.as_deref(), account.phone.as_deref());
    found.text("address", client.address.as_deref(), account.address.as_deref());
    let same = client.company_id == account.company_id;
    found.value("company_name", same, client.company_name.as_deref().unwrap_or_default(), &context.company.name);
    let iso_column = if super::is_filled(row, "iso_email") { "iso_email" } else { "iso_name" };
    let iso_name = iso.map(|iso| iso.name()).unwrap_or_default();
    found.value(iso_column, client.iso_id == account.iso_id, &iso_of(&client), &iso_name);
    found.text("status", Some(client.status.name()), Some(status.name()));
    let update = if import.options.update {
        found.check_only(&UPDATABLE)?;
        let has_iso = found.has(iso_column);
        Some(Write::UpdateClient(UpdateClient {
            id: user.id,
            change: Change {
                first_name: found.changed("first_name"),
                last_name: found.changed("last_name"),
                phone: found.changed("phone"),
                address: found.changed("address"),
                company_id: account.company_id.filter(|_| found.has("company_name")),
                iso_id: has_iso.then_some(account.iso_id),
            },
            status: found.has("status").then_some(status),
        }))
    } else {
        None
    };
    let spelling = (account.email != user.email).then(|| user.email.clone());
    Ok(RowPlan::Existing { spelling, differences: found.differences, update })
}

fn iso_of(client: &Client) -> String {
    let names = client.iso_first_name.as_ref().zip(client.iso_last_name.as_ref());
    names.map(|(first, last)| format!("{first} {last}")).unwrap_or_default()
}

impl NewClient {
    /// # Errors
    /// Conflict `lead_protected` for another partner's lead, `email_taken`.
    pub async fn insert(&self, tx: &mut Tx, ctx: &Ctx) -> Result<Uuid> {
        let NewUser { email, phone, iso_id, .. } = &self.account;
        leads::check_not_protected(tx, ctx, email, phone.as_deref(), *iso_id).await?;
        let user = users::insert(tx, ctx, self.account.clone()).await?;
        activity::append(tx, ctx, event("client.created", &user).with("setup", "import").public()).await?;
        if self.status.is_shut() {
            set_status(tx, ctx, &user, self.status).await?;
        }
        Ok(user.id.0)
    }
}

impl UpdateClient {
    /// # Errors
    /// As [`people::update_client`]; Invalid `status` `not_updatable` where no restore leads to it.
    pub async fn apply(&self, tx: &mut Tx, ctx: &Ctx) -> Result<()> {
        // An archived client is restored before its profile changes, any other one is archived after it.
        let opens = self.status.is_some_and(|status| !status.is_shut());
        if opens {
            self.apply_status(tx, ctx).await?;
        }
        let Change { first_name, last_name, phone, address, company_id, iso_id } = &self.change;
        let texts = [first_name, last_name, phone, address];
        if texts.iter().any(|text| text.is_some()) || company_id.is_some() || iso_id.is_some() {
            people::update_client_within(tx, ctx, self.id, None, &self.change).await?;
        }
        if opens { Ok(()) } else { self.apply_status(tx, ctx).await }
    }

    async fn apply_status(&self, tx: &mut Tx, ctx: &Ctx) -> Result<()> {
        let Some(status) = self.status else { return Ok(()) };
        let user = users::lock(tx, self.id, None).await?;
        if !status.is_shut() && (!user.status.is_shut() || user.status_after_restore() != status) {
            let problem = Problem::new("not_updatable").with("value", user.status.name());
            return Err(Error::field_with("status", problem));
        }
        set_status(tx, ctx, &user, status).await
    }
}

async fn set_status(tx: &mut Tx, ctx: &Ctx, user: &User, status: Status) -> Result<()> {
    users::change_status(tx, ctx, user, status).await?;
    let action = match status {
        Status::Archived => "client.archived",
        Status::Suspended => "client.suspended",
        Status::Pending | Status::Active => "client.restored",
    };
    activity::append(tx, ctx, event(action, user)).await
}

fn event(action: &'static str, user: &User) -> Event {
    let name = format!("{} {}", user.first_name, user.last_name);
    Event::new(action, "client", user.id.0, name).of(Some(user.id), user.company_id, user.iso_id)
}

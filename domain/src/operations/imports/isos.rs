//! Imports an ISO partner: its account has no password and gets no email.
use super::{
    Columns, Import, Row, RowPlan, cell, differences::Comparison, progress::instant, text, valid, write::Write,
};
use crate::{
    accounts::users::{self, NewUser, UpdateProfile},
    desk::people,
    directory::isos::{self, Iso},
    kernel::{
        access::Role,
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        ids::CompanyId,
        validate::{LINE, Validator},
    },
    platform::settings,
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

pub(super) const COLUMNS: Columns = Columns {
    required: &["first_name", "last_name", "email", "company_name"],
    optional: &["phone", "archived_at"],
    unread: &["id", "created_at"],
};

pub(super) struct NewIso {
    account: NewUser,
    company_id: CompanyId,
    archived_at: Option<DateTime<Utc>>,
}

pub(super) struct UpdateIso {
    iso: Iso,
    change: UpdateProfile,
    archived_at: Option<DateTime<Utc>>,
}

/// Plans a row: the partner is the one with its email, else a new one.
///
/// # Errors
/// Invalid per field, `email_taken` for an account of another role.
pub(super) async fn plan(import: &mut Import, row: &Row) -> Result<RowPlan> {
    let mut check = Validator::new();
    let email = valid(&mut check, |check| check.email("email", text(row, "email"))).unwrap_or_default();
    let user = users::by_email(&mut import.ctx.db(), &users::email_key(&email)).await?;
    let first_name = check.single_line("first_name", text(row, "first_name"), LINE);
    let last_name = check.single_line("last_name", text(row, "last_name"), LINE);
    let phone = check.phone("phone", cell(row, "phone"));
    let Some(context) = import.company(&mut check, row).await? else {
        return Err(check.finish().err().unwrap_or(Error::NotFound("company")));
    };
    let zone = super::progress::zone(&context);
    let archived_at = check.optional("archived_at", cell(row, "archived_at"), |text| instant(text, zone));
    if archived_at.is_some_and(|at| at > import.ctx.now()) {
        check.reject("archived_at", Problem::new("future"));
    }
    check.finish()?;
    if let Some(user) = user {
        let iso = match user.iso_id {
            Some(id) if user.role == Role::Iso => isos::get(&import.ctx, id).await?,
            _ => return Err(Error::field("email", "email_taken")),
        };
        let mut found = Comparison::new(row);
        found.text("first_name", Some(&iso.first_name), Some(&first_name));
        found.text("last_name", Some(&iso.last_name), Some(&last_name));
        found.text("phone", iso.phone.as_deref(), phone.as_deref());
        found.value("company_name", iso.company_id == context.company.id, &iso.company_name, &context.company.name);
        let day = |at: Option<DateTime<Utc>>| at.map(|at| context.company.today(at).to_string());
        found.text("archived_at", day(iso.archived_at).as_deref(), day(archived_at).as_deref());
        return plan_update(import, iso, found, &email, archived_at);
    }
    let company_id = context.company.id;
    let language = context.defaults.language.clone();
    let account = NewUser { phone, language, ..NewUser::new(Role::Iso, first_name, last_name, email) };
    Ok(RowPlan::New(Write::NewIso(NewIso { account, company_id, archived_at })))
}

fn plan_update(
    import: &Import,
    iso: Iso,
    found: Comparison<'_>,
    email: &str,
    archived_at: Option<DateTime<Utc>>,
) -> Result<RowPlan> {
    let spelling = (email != iso.email).then(|| iso.email.clone());
    let update = if import.options.update {
        found.check_only(&["first_name", "last_name", "phone", "archived_at"])?;
        let change = UpdateProfile {
            first_name: found.changed("first_name"),
            last_name: found.changed("last_name"),
            phone: found.changed("phone"),
            ..UpdateProfile::default()
        };
        let archived_at = archived_at.filter(|_| found.has("archived_at"));
        Some(Write::UpdateIso(UpdateIso { iso, change, archived_at }))
    } else {
        None
    };
    Ok(RowPlan::Existing { spelling, differences: found.differences, update })
}

impl NewIso {
    /// # Errors
    /// Conflict `email_taken`.
    pub async fn insert(&self, tx: &mut Tx, ctx: &Ctx) -> Result<Uuid> {
        Ok(isos::insert_imported(tx, ctx, &self.account, self.company_id, self.archived_at).await?.0)
    }
}

impl UpdateIso {
    /// # Errors
    /// As [`people::correct_profile`] and [`isos::archive`].
    pub async fn apply(&self, tx: &mut Tx, ctx: &Ctx) -> Result<()> {
        let UpdateProfile { first_name, last_name, phone, .. } = &self.change;
        if [first_name, last_name, phone].iter().any(|text| text.is_some()) {
            let today = settings::within(tx).await?.day(ctx.now());
            people::correct_profile_within(tx, ctx, self.iso.user_id, today, &self.change).await?;
        }
        if let Some(archived_at) = self.archived_at {
            isos::set_archived_by_import(tx, ctx, self.iso.id, archived_at).await?;
        }
        Ok(())
    }
}

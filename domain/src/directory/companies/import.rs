//! Companies of an import, within its transaction: with their settings, also archived ones.
use super::{Company, Input, SettingsInput, event, index, store};
use crate::{
    accounts::auth::sessions,
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        ids::CompanyId,
    },
    platform::{activity, settings},
};
use chrono::{DateTime, Utc};

/// The forms of a company as a file has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportedCompany {
    pub form: Input,
    pub settings: SettingsInput,
    pub archived_at: Option<DateTime<Utc>>,
}

impl ImportedCompany {
    /// The company with the values of the file; what the file leaves out stays.
    ///
    /// # Errors
    /// Invalid per field.
    pub fn applied_to(&self, company: &Company) -> Result<Company> {
        let mut after = company.clone();
        let form = after.set(&self.form.clone().or_values_of(company));
        let settings = self.settings.clone().apply(&mut after);
        match (form, settings) {
            (Err(Error::Invalid(form)), Err(Error::Invalid(settings))) => {
                return Err(Error::Invalid([form, settings].concat()));
            }
            (form, settings) => form.and(settings)?,
        }
        after.archived_at = self.archived_at.or(after.archived_at);
        Ok(after)
    }

    /// The new company of the file.
    ///
    /// # Errors
    /// As [`ImportedCompany::applied_to`].
    pub fn company(&self, ctx: &Ctx) -> Result<Company> {
        let blank = Input { name: Some("-".to_owned()), business_name: Some("-".to_owned()), ..Input::default() };
        let company = Company::new(CompanyId(ctx.random.uuid()), &blank, ctx.now(), ctx.actor_name())?;
        self.applied_to(&company)
    }
}

/// The companies that the actor may see with this name, archived ones as well.
///
/// # Errors
/// Unauthenticated.
pub(crate) async fn named(ctx: &Ctx, name: &str) -> Result<Vec<Company>> {
    store::named(&mut ctx.db(), ctx.scope()?, name).await
}

/// Inserts a company of [`ImportedCompany::company`]; without a time zone of its own it has the office's. Staff.
///
/// # Errors
/// Forbidden; Invalid `name` `duplicate`.
pub(crate) async fn insert_imported(tx: &mut Tx, ctx: &Ctx, company: &Company, has_zone: bool) -> Result<()> {
    ctx.may(Action::Create, Resource::NewCompany)?;
    let office = settings::within(tx).await?.time_zone().to_owned();
    let company = Company { time_zone: if has_zone { company.time_zone.clone() } else { office }, ..company.clone() };
    store::insert(tx, &company).await?;
    index(tx, &company).await?;
    activity::append(tx, ctx, event(&company, "company.created").public()).await?;
    if company.archived_at.is_some() {
        activity::append(tx, ctx, event(&company, "company.archived")).await?;
    }
    Ok(())
}

/// Applies the values of a file to a company. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field.
pub(crate) async fn update_by_import(tx: &mut Tx, ctx: &Ctx, id: CompanyId, file: &ImportedCompany) -> Result<()> {
    let before = store::lock(tx, id).await?.ok_or(Error::NotFound("company"))?;
    ctx.may(Action::Update, Resource::Company { id })?;
    let after = Company {
        version: before.version + 1,
        updated_at: ctx.now(),
        updated_by: ctx.actor_name(),
        ..file.applied_to(&before)?
    };
    store::save(tx, &after).await?;
    store::save_settings(tx, &after).await?;
    index(tx, &after).await?;
    if after.archived_at.is_some() && before.archived_at.is_none() {
        ctx.may(Action::Archive, Resource::Company { id })?;
        sessions::end_all_of_company(tx, ctx, id).await?;
        activity::append(tx, ctx, event(&after, "company.archived")).await?;
    }
    activity::append(tx, ctx, event(&after, "company.updated").changed(&before, &after)?).await
}

//! Imports a company with its settings.
use super::{
    Columns, Import, Row, RowPlan, cell, differences::Comparison, filled, is_filled, progress::instant, text,
    write::Write,
};
use crate::{
    directory::companies::{self, Company, ImportedCompany, Input, SettingsInput},
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        ids::CompanyId,
        text::unique_key,
        validate::Validator,
    },
};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

pub(super) const COLUMNS: Columns = Columns {
    required: &["name", "business_name"],
    optional: &[
        "email",
        "phone",
        "logo_url",
        "domain",
        "country",
        "tax_id",
        "industry",
        "size",
        "website",
        "address",
        "time_zone",
        "language",
        "currency",
        "archived_at",
    ],
    unread: &["id", "created_at"],
};

pub(super) struct NewCompany {
    company: Company,
    has_zone: bool,
}

pub(super) struct UpdateCompany {
    id: CompanyId,
    file: ImportedCompany,
}

/// The key of a row: an archived company may have the name of another one.
pub(super) fn key(row: &Row) -> String {
    format!("{}\n{}", unique_key(text(row, "name")), is_filled(row, "archived_at"))
}

/// Plans a row: the company is the one with its name, else a new one.
///
/// # Errors
/// Invalid per field, `name` `ambiguous` for several archived ones.
pub(super) async fn plan(import: &mut Import, row: &Row) -> Result<RowPlan> {
    let mut check = Validator::new();
    let zone: Tz = text(row, "time_zone").trim().parse().unwrap_or(Tz::UTC);
    let archived_at = check.optional("archived_at", cell(row, "archived_at"), |text| instant(text, zone));
    if archived_at.is_some_and(|at| at > import.ctx.now()) {
        check.reject("archived_at", Problem::new("future"));
    }
    check.finish()?;
    let form = Input {
        name: Some(text(row, "name").to_owned()),
        business_name: Some(text(row, "business_name").to_owned()),
        email: filled(row, "email"),
        phone: filled(row, "phone"),
        logo_url: filled(row, "logo_url"),
        domain: filled(row, "domain"),
        request_id: None,
    };
    let settings = SettingsInput {
        tax_id: filled(row, "tax_id"),
        country: filled(row, "country"),
        industry: filled(row, "industry"),
        size: filled(row, "size"),
        website: filled(row, "website"),
        address: filled(row, "address"),
        time_zone: filled(row, "time_zone").map(|zone| zone.trim().to_owned()),
        language: filled(row, "language"),
        currency: filled(row, "currency"),
        ..SettingsInput::default()
    };
    let file = ImportedCompany { form, settings, archived_at };
    match existing(import, row).await? {
        None => {
            let new = NewCompany { company: file.company(&import.ctx)?, has_zone: is_filled(row, "time_zone") };
            Ok(RowPlan::New(Write::NewCompany(new)))
        }
        Some(company) => {
            let after = file.applied_to(&company)?;
            Ok(compare(import, row, &company, &after, file))
        }
    }
}

/// The company that a row names: an open one for a row that is not archived, else an archived one. A file may have both.
///
/// # Errors
/// Invalid `name` `ambiguous`; Conflict `archived` if only an archived one has the name of an open row.
async fn existing(import: &Import, row: &Row) -> Result<Option<Company>> {
    let archived = is_filled(row, "archived_at");
    let found = companies::named(&import.ctx, text(row, "name")).await?;
    let (mut same, other): (Vec<Company>, Vec<Company>) =
        found.into_iter().partition(|company| company.archived_at.is_some() == archived);
    match (same.len(), other.len()) {
        (1, _) => Ok(same.pop()),
        (0, 0) => Ok(None),
        // The other one is another row of this file.
        (0, 1) if import.keys.contains(&format!("{}\n{}", unique_key(text(row, "name")), !archived)) => Ok(None),
        (0, 1) if archived => Ok(other.into_iter().next()),
        // The row would be read as of an open company.
        (0, 1) => Err(Error::conflict("archived")),
        _ => Err(Error::field("name", "ambiguous")),
    }
}

fn compare(import: &Import, row: &Row, company: &Company, after: &Company, file: ImportedCompany) -> RowPlan {
    let mut found = Comparison::new(row);
    let name = |value: Option<&'static str>| value;
    let pairs: [(&'static str, Option<&str>, Option<&str>); 13] = [
        ("business_name", Some(&company.business_name), Some(&after.business_name)),
        ("email", company.email.as_deref(), after.email.as_deref()),
        ("phone", company.phone.as_deref(), after.phone.as_deref()),
        ("logo_url", company.logo_url.as_deref(), after.logo_url.as_deref()),
        ("domain", company.domain.as_deref(), after.domain.as_deref()),
        ("country", Some(&company.country), Some(&after.country)),
        ("tax_id", company.tax_id.as_deref(), after.tax_id.as_deref()),
        ("industry", name(company.industry.map(|value| value.name())), name(after.industry.map(|value| value.name()))),
        ("size", name(company.size.map(|value| value.name())), name(after.size.map(|value| value.name()))),
        ("website", company.website.as_deref(), after.website.as_deref()),
        ("address", company.address.as_deref(), after.address.as_deref()),
        ("time_zone", Some(&company.time_zone), Some(&after.time_zone)),
        ("language", Some(&company.language), Some(&after.language)),
    ];
    for (column, portal, file) in pairs {
        found.text(column, portal, file);
    }
    let code = |company: &Company| company.currency.map(|currency| currency.code());
    found.text("currency", code(company), code(after));
    // The day tells: the file of an office has the instant in its own zone.
    let day = |company: &Company| company.archived_at.map(|at| at.date_naive().to_string());
    found.text("archived_at", day(company).as_deref(), day(after).as_deref());
    let update = import.options.update.then(|| {
        let file = changes(&found, file.archived_at);
        Write::UpdateCompany(UpdateCompany { id: company.id, file })
    });
    let spelling = (after.name != company.name).then(|| company.name.clone());
    RowPlan::Existing { spelling, differences: found.differences, update }
}

/// The values that differ. The name stays as the portal spells it.
fn changes(found: &Comparison<'_>, archived_at: Option<DateTime<Utc>>) -> ImportedCompany {
    let changed = |column| found.changed(column);
    ImportedCompany {
        form: Input {
            business_name: changed("business_name"),
            email: changed("email"),
            phone: changed("phone"),
            logo_url: changed("logo_url"),
            domain: changed("domain"),
            ..Input::default()
        },
        settings: SettingsInput {
            tax_id: changed("tax_id"),
            country: changed("country"),
            industry: changed("industry"),
            size: changed("size"),
            website: changed("website"),
            address: changed("address"),
            time_zone: changed("time_zone").map(|zone| zone.trim().to_owned()),
            language: changed("language"),
            currency: changed("currency"),
            ..SettingsInput::default()
        },
        archived_at: archived_at.filter(|_| found.has("archived_at")),
    }
}

impl NewCompany {
    /// # Errors
    /// Invalid `name` `duplicate`.
    pub async fn insert(&self, tx: &mut Tx, ctx: &Ctx) -> Result<Uuid> {
        companies::insert_imported(tx, ctx, &self.company, self.has_zone).await?;
        Ok(self.company.id.0)
    }
}

impl UpdateCompany {
    /// # Errors
    /// Invalid per field.
    pub async fn apply(&self, tx: &mut Tx, ctx: &Ctx) -> Result<()> {
        companies::update_by_import(tx, ctx, self.id, &self.file).await
    }
}

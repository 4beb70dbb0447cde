//! A company and what may be typed into its form.
use crate::{
    check::{Check, LINE},
    error::Result,
    ids::CompanyId,
};
use chrono::{DateTime, Utc};
use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Deserialize, sqlx::FromRow)]
pub struct Company {
    pub id: CompanyId,
    pub name: String,
    pub business_name: String,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub logo_url: Option<String>,
    pub domain: Option<String>,
    pub archived_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
}

/// Name and business name are required; an empty e-mail, phone or logo is stored as null (specification, section 5).
/// In a change, a field left out stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: Option<String>,
    pub business_name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub logo_url: Option<String>,
    pub domain: Option<String>,
}

impl Input {
    /// Fields that were left out take what the company has.
    pub(super) fn over(self, company: &Company) -> Self {
        Self {
            name: self.name.or_else(|| Some(company.name.clone())),
            business_name: self.business_name.or_else(|| Some(company.business_name.clone())),
            email: self.email.or_else(|| company.email.clone()),
            phone: self.phone.or_else(|| company.phone.clone()),
            logo_url: self.logo_url.or_else(|| company.logo_url.clone()),
            domain: self.domain.or_else(|| company.domain.clone()),
        }
    }
}

impl Company {
    pub(super) fn new(id: CompanyId, input: &Input, at: DateTime<Utc>, by: String) -> Result<Self> {
        let mut company = Self {
            id,
            name: String::new(),
            business_name: String::new(),
            email: None,
            phone: None,
            logo_url: None,
            domain: None,
            archived_at: None,
            created_at: at,
            updated_at: at,
            updated_by: by,
            version: 1,
        };
        company.set(input)?;
        Ok(company)
    }

    /// # Errors
    /// Invalid with every refused field.
    pub(super) fn set(&mut self, input: &Input) -> Result<()> {
        let mut check = Check::new();
        self.name = check.line("name", input.name.as_deref().unwrap_or(""), LINE);
        self.business_name = check.line("business_name", input.business_name.as_deref().unwrap_or(""), LINE);
        self.email = check.optional_email("email", input.email.as_deref());
        self.phone = check.optional_line("phone", input.phone.as_deref(), 40);
        self.logo_url = check.optional_https("logo_url", input.logo_url.as_deref());
        self.domain = check.optional_line("domain", input.domain.as_deref(), 253);
        check.done()
    }
}

/// How many rows keep a company or an ISO from being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Depends {
    pub clients: i64,
    pub isos: i64,
    pub spvs: i64,
    pub users: i64,
}

impl Depends {
    pub fn any(&self) -> bool {
        self.clients + self.isos + self.spvs + self.users > 0
    }
}

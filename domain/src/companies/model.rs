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
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: String,
    pub business_name: String,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub logo_url: Option<String>,
    pub domain: Option<String>,
}

impl Input {
    /// # Errors
    /// Invalid with every refused field.
    pub fn checked(mut self) -> Result<Self> {
        let mut check = Check::new();
        self.name = check.line("name", &self.name, LINE);
        self.business_name = check.line("business_name", &self.business_name, LINE);
        self.email = check.optional_email("email", self.email.as_deref());
        self.phone = check.optional_line("phone", self.phone.as_deref(), 40);
        self.logo_url = check.optional_https("logo_url", self.logo_url.as_deref());
        self.domain = check.optional_line("domain", self.domain.as_deref(), 253);
        check.done()?;
        Ok(self)
    }

    /// Fields that were left out keep what the company has.
    pub(super) fn over(self, company: &Company) -> Self {
        let keep = |new: Option<String>, old: &Option<String>| new.or_else(|| old.clone());
        let name = |new: String, old: &str| if new.is_empty() { old.to_owned() } else { new };
        Self {
            name: name(self.name, &company.name),
            business_name: name(self.business_name, &company.business_name),
            email: keep(self.email, &company.email),
            phone: keep(self.phone, &company.phone),
            logo_url: keep(self.logo_url, &company.logo_url),
            domain: keep(self.domain, &company.domain),
        }
    }
}

impl Company {
    pub(super) fn new(id: CompanyId, input: Input, at: DateTime<Utc>, by: String) -> Self {
        Self {
            id,
            name: input.name,
            business_name: input.business_name,
            email: input.email,
            phone: input.phone,
            logo_url: input.logo_url,
            domain: input.domain,
            archived_at: None,
            created_at: at,
            updated_at: at,
            updated_by: by,
            version: 1,
        }
    }

    pub(super) fn set(&mut self, input: Input) {
        self.name = input.name;
        self.business_name = input.business_name;
        self.email = input.email;
        self.phone = input.phone;
        self.logo_url = input.logo_url;
        self.domain = input.domain;
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

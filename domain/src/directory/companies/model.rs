//! A company and its form.
use crate::kernel::{
    clock,
    error::Result,
    i18n::LANGUAGES,
    ids::{CompanyId, RequestId},
    money::Currency,
    validate::{LINE, Validator},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

crate::kernel::db::row! {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
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
        /// In the format of `country`.
        pub tax_id: Option<String>,
        /// ISO 3166 alpha-2.
        pub country: String,
        pub industry: Option<Industry>,
        pub size: Option<Size>,
        pub website: Option<String>,
        pub address: Option<String>,
        /// The IANA time zone of its portal.
        pub time_zone: String,
        /// The language of mails to members who chose none.
        pub language: String,
        /// The currency of new orders; None for the office's.
        pub currency: Option<Currency>,
        pub logo_id: Option<Uuid>,
    }
}

crate::kernel::text_enum! {
    /// What a company does.
    pub enum Industry {
        Technology = "technology",
        Finance = "finance",
        Healthcare = "healthcare",
        Manufacturing = "manufacturing",
    }
}

crate::kernel::text_enum! {
    /// How many people work there.
    // Decision 35.
    #[schema(as = CompanySize)]
    pub enum Size {
        UpTo10 = "1-10",
        UpTo50 = "11-50",
        UpTo200 = "51-200",
        Over200 = "201+",
    }
}

/// The form of a company. Name and business name are required; an empty email, phone or logo is stored as null
/// (specification, section 5). In a change, a field left out stays.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: Option<String>,
    pub business_name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub logo_url: Option<String>,
    pub domain: Option<String>,
    /// The application that a new company answers: approved in the same transaction, and its applicant becomes the first
    /// admin.
    pub request_id: Option<RequestId>,
}

impl Input {
    /// The form with the company's values for the fields that were left out.
    pub(super) fn or_values_of(self, company: &Company) -> Self {
        Self {
            name: self.name.or_else(|| Some(company.name.clone())),
            business_name: self.business_name.or_else(|| Some(company.business_name.clone())),
            email: self.email.or_else(|| company.email.clone()),
            phone: self.phone.or_else(|| company.phone.clone()),
            logo_url: self.logo_url.or_else(|| company.logo_url.clone()),
            domain: self.domain.or_else(|| company.domain.clone()),
            request_id: None,
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
            tax_id: None,
            country: "US".to_owned(),
            industry: None,
            size: None,
            website: None,
            address: None,
            time_zone: crate::accounts::users::TIME_ZONE.to_owned(),
            language: LANGUAGES[0].to_owned(),
            currency: None,
            logo_id: None,
        };
        company.set(input)?;
        Ok(company)
    }

    /// Today in the company's time zone.
    pub fn today(&self, now: DateTime<Utc>) -> NaiveDate {
        clock::day(now, &self.time_zone)
    }

    /// Applies the form.
    ///
    /// # Errors
    /// Invalid per field.
    pub(super) fn set(&mut self, input: &Input) -> Result<()> {
        let mut check = Validator::new();
        self.name = check.single_line("name", input.name.as_deref().unwrap_or(""), LINE);
        self.business_name = check.single_line("business_name", input.business_name.as_deref().unwrap_or(""), LINE);
        self.email = check.optional_email("email", input.email.as_deref());
        self.phone = check.phone("phone", input.phone.as_deref());
        self.logo_url = check.optional_https("logo_url", input.logo_url.as_deref());
        self.domain = check.optional_line("domain", input.domain.as_deref(), 253);
        check.finish()
    }
}

/// The numbers of rows that prevent the deletion of a company or an ISO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct DependencyCounts {
    pub clients: i64,
    pub isos: i64,
    pub spvs: i64,
    pub users: i64,
}

impl DependencyCounts {
    pub fn any(&self) -> bool {
        self.clients + self.isos + self.spvs + self.users > 0
    }
}

//! Application forms for the four types of account (decision 22).
use super::AccountType;
use crate::{
    kernel::{
        error::{Error, Problem, Result},
        validate::{LINE, Validator},
    },
    orders::spvs::Country,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Size ranges of the forms: clients per year, people in a company (decision 35).
const SIZES: [&str; 4] = ["1-10", "11-50", "51-200", "201+"];

/// A form as it was filled in. Which fields there are depends on the account: see [`Application`].
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApplicationForm)]
pub struct Form {
    #[schema(required)]
    pub first_name: Option<String>,
    #[schema(required)]
    pub last_name: Option<String>,
    /// ISO partners must give one.
    pub phone: Option<String>,
    /// Clients: the company they act for.
    pub company: Option<String>,
    /// Clients, who must choose one: US, AE, JP, SG or TH.
    pub country: Option<String>,
    /// Clients: what the vehicle is for.
    pub purpose: Option<String>,
    /// Employees, who must give one, and companies.
    pub job_title: Option<String>,
    /// Employees.
    pub department: Option<String>,
    /// Employees, who must give one, and companies.
    pub reason: Option<String>,
    /// Companies, which must give one.
    pub name: Option<String>,
    /// ISO partners and companies, who must give one.
    pub business_name: Option<String>,
    /// ISO partners and companies: https.
    pub website: Option<String>,
    /// ISO partners: 1-10, 11-50, 51-200 or 201+.
    pub clients_per_year: Option<String>,
    /// ISO partners.
    pub experience: Option<String>,
    /// Companies: 1-10, 11-50, 51-200 or 201+.
    pub company_size: Option<String>,
}

/// A validated application, stored in the `data` of a request as `{ account_type, application }`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "account_type", content = "application", rename_all = "snake_case")]
pub enum Application {
    Client {
        #[serde(flatten)]
        person: Person,
        company: Option<String>,
        country: Option<Country>,
        purpose: Option<String>,
    },
    Employee {
        #[serde(flatten)]
        person: Person,
        job_title: String,
        department: Option<String>,
        reason: String,
    },
    Iso {
        #[serde(flatten)]
        person: Person,
        business_name: String,
        website: Option<String>,
        clients_per_year: Option<String>,
        experience: Option<String>,
    },
    Company {
        #[serde(flatten)]
        person: Person,
        job_title: Option<String>,
        name: String,
        business_name: String,
        website: Option<String>,
        company_size: Option<String>,
        reason: Option<String>,
    },
}

/// The applicant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Person {
    pub first_name: String,
    pub last_name: String,
    pub phone: Option<String>,
}

impl Application {
    /// Validates a form. Errors go to `check` under `application.…`, also for fields of other types of account.
    pub fn read(check: &mut Validator, account: AccountType, form: Form) -> Self {
        let mut fields = Fields { check, form };
        let person = Person {
            first_name: fields.line("first_name", |form| &mut form.first_name),
            last_name: fields.line("last_name", |form| &mut form.last_name),
            phone: fields.phone(account),
        };
        let read = match account {
            AccountType::Client => Self::Client {
                person,
                company: fields.optional_line("company", |form| &mut form.company),
                country: fields.country(),
                purpose: fields.optional_text("purpose", |form| &mut form.purpose),
            },
            AccountType::Employee => Self::Employee {
                person,
                job_title: fields.line("job_title", |form| &mut form.job_title),
                department: fields.optional_line("department", |form| &mut form.department),
                reason: fields.text("reason", |form| &mut form.reason),
            },
            AccountType::Iso => Self::Iso {
                person,
                business_name: fields.line("business_name", |form| &mut form.business_name),
                website: fields.website(),
                clients_per_year: fields.size("clients_per_year", |form| &mut form.clients_per_year),
                experience: fields.optional_text("experience", |form| &mut form.experience),
            },
            AccountType::Company => Self::Company {
                person,
                job_title: fields.optional_line("job_title", |form| &mut form.job_title),
                name: fields.line("name", |form| &mut form.name),
                business_name: fields.line("business_name", |form| &mut form.business_name),
                website: fields.website(),
                company_size: fields.size("company_size", |form| &mut form.company_size),
                reason: fields.optional_text("reason", |form| &mut form.reason),
            },
        };
        fields.nothing_else();
        read
    }

    /// The `data` of the request.
    ///
    /// # Errors
    /// None: every form serializes to an object.
    pub fn data(&self) -> Result<Map<String, Value>> {
        match serde_json::to_value(self).map_err(Error::internal)? {
            Value::Object(data) => Ok(data),
            _ => Ok(Map::new()),
        }
    }

    /// The applicant.
    pub fn person(&self) -> &Person {
        match self {
            Self::Client { person, .. }
            | Self::Employee { person, .. }
            | Self::Iso { person, .. }
            | Self::Company { person, .. } => person,
        }
    }
}

/// Removes each field that is read, so that the rest belongs to other types of account.
struct Fields<'a> {
    check: &'a mut Validator,
    form: Form,
}

type Field = fn(&mut Form) -> &mut Option<String>;

impl Fields<'_> {
    fn line(&mut self, name: &str, field: Field) -> String {
        let value = field(&mut self.form).take().unwrap_or_default();
        self.check.single_line(&path(name), &value, LINE)
    }

    fn optional_line(&mut self, name: &str, field: Field) -> Option<String> {
        let value = field(&mut self.form).take();
        self.check.optional_line(&path(name), value.as_deref(), LINE)
    }

    fn phone(&mut self, account: AccountType) -> Option<String> {
        let value = self.form.phone.take();
        let phone = self.check.phone(&path("phone"), value.as_deref());
        if phone.is_none() && account == AccountType::Iso {
            self.check.reject(&path("phone"), Problem::new("required"));
        }
        phone
    }

    fn text(&mut self, name: &str, field: Field) -> String {
        let value = field(&mut self.form).take().unwrap_or_default();
        self.check.text(&path(name), &value)
    }

    fn optional_text(&mut self, name: &str, field: Field) -> Option<String> {
        let value = field(&mut self.form).take();
        self.check.optional_text(&path(name), value.as_deref())
    }

    fn country(&mut self) -> Option<Country> {
        let value = self.form.country.take();
        self.check.required(&path("country"), value.as_deref(), str::parse)
    }

    fn website(&mut self) -> Option<String> {
        let value = self.form.website.take();
        self.check.optional_https(&path("website"), value.as_deref())
    }

    fn size(&mut self, name: &str, field: Field) -> Option<String> {
        let value = field(&mut self.form).take();
        self.check.optional(&path(name), value.as_deref(), |text| {
            let known = SIZES.contains(&text).then(|| text.to_owned());
            known.ok_or_else(|| Problem::new("unknown").with("allowed", SIZES.join(", ")))
        })
    }

    fn nothing_else(self) {
        let Form {
            first_name: _,
            last_name: _,
            phone: _,
            company,
            country,
            purpose,
            job_title,
            department,
            reason,
            name,
            business_name,
            website,
            clients_per_year,
            experience,
            company_size,
        } = self.form;
        for (name, left) in [
            ("company", company),
            ("country", country),
            ("purpose", purpose),
            ("job_title", job_title),
            ("department", department),
            ("reason", reason),
            ("name", name),
            ("business_name", business_name),
            ("website", website),
            ("clients_per_year", clients_per_year),
            ("experience", experience),
            ("company_size", company_size),
        ] {
            if left.is_some_and(|text| !text.trim().is_empty()) {
                self.check.reject(&path(name), Problem::new("not_allowed"));
            }
        }
    }
}

fn path(name: &str) -> String {
    format!("application.{name}")
}

//! An account: one row for every person who may sign in, whatever the role.
use crate::{
    accounts::auth::{links::LinkKind, passwords::PasswordHash},
    kernel::{
        access::{Mfa, Role, SignedIn},
        error::Problem,
        ids::{CompanyId, IsoId, SessionId, UserId},
        locale::DateFormat,
    },
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where an account stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = UserStatus)]
pub enum Status {
    /// Made, and its owner has not set a password yet (decision 20).
    Pending,
    Active,
    Suspended,
    Archived,
}

impl Status {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Active, Self::Suspended, Self::Archived];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Suspended => "suspended",
            Self::Archived => "archived",
        }
    }

    /// Nobody comes in, whatever they know.
    pub fn is_shut(self) -> bool {
        matches!(self, Self::Suspended | Self::Archived)
    }
}

impl std::str::FromStr for Status {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|status| status.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

/// The colours of the portal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Theme {
    /// As the device has it.
    #[default]
    Auto,
    Light,
    Dark,
}

/// A row of `users`. A client's profile is this row too.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct User {
    pub id: UserId,
    pub email: String,
    /// The address in the form in which it is compared (decision 23).
    #[serde(skip)]
    pub email_key: String,
    pub role: Role,
    pub status: Status,
    /// What a suspended or archived account was before, and is again once it is restored.
    #[serde(skip)]
    pub status_before: Option<Status>,
    pub first_name: String,
    pub last_name: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    #[serde(skip)]
    pub password_hash: Option<PasswordHash>,
    pub must_change_password: bool,
    pub language: String,
    pub time_zone: String,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
    /// What they say of themselves over the protocol; never believed for anything.
    #[serde(skip)]
    #[sqlx(json)]
    pub metadata: Map<String, Value>,
    /// What an admin of the protocol notes about them; never believed for anything either.
    #[serde(skip)]
    #[sqlx(json)]
    pub app_metadata: Map<String, Value>,
    /// An address that waits for its confirmations.
    #[serde(skip)]
    pub new_email: Option<String>,
    #[serde(skip)]
    pub new_email_key: Option<String>,
    /// The one of the two confirmations that has come: `current` or `new`.
    #[serde(skip)]
    pub new_email_confirmed: Option<String>,
    #[serde(skip)]
    pub banned_until: Option<DateTime<Utc>>,
    /// Made over the protocol: a link confirms the address and opens the account.
    #[serde(skip)]
    pub awaits_confirmation: bool,
    /// Made by whoever came, who chose the password before showing that the address is theirs.
    #[serde(skip)]
    pub self_made: bool,
    #[serde(skip)]
    #[sqlx(flatten)]
    pub mailed: Mailed,
    pub theme: Theme,
    pub date_format: DateFormat,
}

/// When a mail was last asked for, by what for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Mailed {
    pub confirmation_sent_at: Option<DateTime<Utc>>,
    /// For a new password, or to sign in without one.
    pub recovery_sent_at: Option<DateTime<Utc>>,
    pub email_change_sent_at: Option<DateTime<Utc>>,
    pub reauthentication_sent_at: Option<DateTime<Utc>>,
    pub invited_at: Option<DateTime<Utc>>,
}

impl Mailed {
    /// After a mail with this link was queued.
    #[must_use]
    pub fn with(self, link: LinkKind, at: DateTime<Utc>) -> Self {
        let at = Some(at);
        match link {
            LinkKind::Signup => Self { confirmation_sent_at: at, ..self },
            LinkKind::Recovery | LinkKind::Magiclink => Self { recovery_sent_at: at, ..self },
            LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => Self { email_change_sent_at: at, ..self },
            LinkKind::Reauthentication => Self { reauthentication_sent_at: at, ..self },
            LinkKind::Invite => Self { confirmation_sent_at: at, invited_at: at, ..self },
        }
    }
}

impl User {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name).trim().to_owned()
    }

    /// What a session of this user may act as, as long as no second factor is due.
    pub fn signed_in(&self, session_id: SessionId) -> SignedIn {
        SignedIn {
            id: self.id,
            session_id,
            role: self.role,
            name: self.name(),
            email: self.email.clone(),
            company_id: self.company_id,
            iso_id: self.iso_id,
            language: self.language.clone(),
            time_zone: self.time_zone.clone(),
            must_change_password: self.must_change_password,
            mfa: Mfa::default(),
            proven_at: None,
            impersonator: None,
        }
    }

    /// The status a suspended or archived account goes back to. A hash does not tell: Quick Setup makes one of a password
    /// that nobody knows (decision 20).
    pub fn restored(&self) -> Status {
        // Shut before it was noted: whoever came in, or was given a password by the staff, was active.
        let guessed = || {
            if self.last_sign_in_at.is_some() || self.must_change_password { Status::Active } else { Status::Pending }
        };
        self.status_before.unwrap_or_else(guessed)
    }
}

/// An account to be made by the use case of its noun (clients, ISOs, users); the fields are checked already.
#[derive(Clone, Debug)]
pub struct NewUser {
    pub role: Role,
    pub status: Status,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    pub password_hash: Option<PasswordHash>,
    pub must_change_password: bool,
    /// One of [`crate::kernel::i18n::LANGUAGES`].
    pub language: String,
}

/// What only accounts made over the protocol have.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    pub id: Option<UserId>,
    pub metadata: Map<String, Value>,
    pub app_metadata: Map<String, Value>,
    pub awaits_confirmation: bool,
    pub self_made: bool,
}

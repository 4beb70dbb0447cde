//! A user account: one row for every person who can sign in, whatever the role.
use crate::{
    accounts::auth::{links::LinkKind, passwords::PasswordHash},
    kernel::{
        access::{Mfa, Role, SignedIn},
        i18n::LANGUAGES,
        ids::{CompanyId, IsoId, SessionId, UserId},
        locale::DateFormat,
    },
};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

crate::kernel::text_enum! {
    /// Status of an account.
    #[schema(as = UserStatus)]
    pub enum Status {
        /// Created; the owner has not set a password yet (decision 20).
        Pending = "pending",
        Active = "active",
        Suspended = "suspended",
        Archived = "archived",
    }
}

impl Status {
    /// Suspended or archived: no sign-in.
    pub fn is_shut(self) -> bool {
        matches!(self, Self::Suspended | Self::Archived)
    }
}

crate::kernel::text_enum! {
    /// Color scheme of the portal.
    #[derive(Default)]
    pub enum Theme {
        /// The device's.
        #[default]
        Auto = "auto",
        Light = "light",
        Dark = "dark",
    }
}

crate::kernel::db::row! {
    /// A row of `users`. A client's profile is this row too.
    #[derive(Clone, Debug, Serialize, sqlx::FromRow)]
    pub struct User {
        pub id: UserId,
        pub email: String,
        /// Normalized address for comparison (decision 23).
        #[serde(skip)]
        pub email_key: String,
        pub role: Role,
        pub status: Status,
        /// Status before the account was suspended or archived, for its restore.
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
        /// The administrator who set the password of the account in use ([`crate::Actor::code`]).
        #[serde(skip)]
        pub password_set_by: Option<String>,
        pub language: String,
        pub time_zone: String,
        pub last_sign_in_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
        /// `user_metadata` of the auth protocol, written by the user: display only, never trusted.
        #[serde(skip)]
        #[sqlx(json)]
        pub metadata: Map<String, Value>,
        /// `app_metadata` of the auth protocol, written by administrators: display only, never trusted.
        #[serde(skip)]
        #[sqlx(json)]
        pub app_metadata: Map<String, Value>,
        /// A new address that is not confirmed yet.
        #[serde(skip)]
        pub new_email: Option<String>,
        #[serde(skip)]
        pub new_email_key: Option<String>,
        /// Which of the two confirmations was given: `current` or `new`.
        #[serde(skip)]
        pub new_email_confirmed: Option<String>,
        #[serde(skip)]
        pub banned_until: Option<DateTime<Utc>>,
        /// Created through the auth protocol: a link confirms the address and activates the account.
        #[serde(skip)]
        pub awaits_confirmation: bool,
        /// Created by sign-up: its password was chosen before the address was confirmed.
        #[serde(skip)]
        pub self_made: bool,
        #[serde(skip)]
        #[sqlx(flatten)]
        pub mailed: MailTimestamps = ..,
        pub theme: Theme,
        pub date_format: DateFormat,
    }
}

crate::kernel::db::row! {
    /// When a mail of each purpose was last requested.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
    pub struct MailTimestamps {
        pub confirmation_sent_at: Option<DateTime<Utc>>,
        /// Password recovery or magic link.
        pub recovery_sent_at: Option<DateTime<Utc>>,
        pub email_change_sent_at: Option<DateTime<Utc>>,
        pub reauthentication_sent_at: Option<DateTime<Utc>>,
        pub invited_at: Option<DateTime<Utc>>,
    }
}

impl MailTimestamps {
    /// With the time of a mail that carries this link.
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

    /// The actor of a session of this user, before second-factor requirements.
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
            begun_by: None,
            impersonator: None,
        }
    }

    /// Status after a restore. The password hash does not tell: Quick Setup stores the hash of a random password
    /// (decision 20).
    pub fn status_after_restore(&self) -> Status {
        // Rows from before `status_before` existed: an account that was used, or given a password by staff, was active.
        let guessed = || {
            if self.last_sign_in_at.is_some() || self.must_change_password { Status::Active } else { Status::Pending }
        };
        self.status_before.unwrap_or_else(guessed)
    }
}

/// Validated fields of an account to be created by the use case of a noun (clients, ISO partners, users).
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
    /// One of [`LANGUAGES`].
    pub language: String,
}

impl NewUser {
    /// A pending account with nothing but what each must have.
    pub fn new(role: Role, first_name: String, last_name: String, email: String) -> Self {
        Self {
            role,
            status: Status::Pending,
            first_name,
            last_name,
            email,
            phone: None,
            address: None,
            company_id: None,
            iso_id: None,
            password_hash: None,
            must_change_password: false,
            language: LANGUAGES[0].to_owned(),
        }
    }
}

/// Fields of accounts created through the auth protocol.
#[derive(Clone, Debug, Default)]
pub struct ProtocolFields {
    pub id: Option<UserId>,
    pub metadata: Map<String, Value>,
    pub app_metadata: Map<String, Value>,
    pub awaits_confirmation: bool,
    pub self_made: bool,
}

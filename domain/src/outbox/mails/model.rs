//! A mail of the outbox, its kinds and its states.
use crate::kernel::ids::{FlowId, MailId, SpvId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The kind of a mail; its texts are in the messages under this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Kind {
    /// To a new account: a link to set a password.
    PasswordSetup,
    /// To an account made by Full Setup.
    Welcome,
    /// To an account made by Full Setup without a password: welcome, with a link to set one (Quick Setup and Full Setup, decision 20).
    WelcomeSetup,
    /// To reset a forgotten password.
    Recovery,
    /// To a client: an order was created.
    SpvCreated,
    /// To a client: an order was closed.
    SpvClosed,
    /// To the staff: a step is past its due date.
    StepOverdue,
    /// To a client: the office asks for a document.
    DocumentRequested,
    /// To a client: an uploaded document was rejected, with the reason.
    DocumentReturned,
    /// To a sender without an account: a request was declined, with the reason.
    RequestDeclined,
    /// To a sender without an account: a request was approved, with the answer.
    RequestAnswered,
    /// A link to sign in without a password.
    MagicLink,
    /// After sign-up: confirm the address.
    ConfirmSignup,
    /// After sign-up with the address of an existing account.
    AlreadyRegistered,
    /// To an account created over the auth protocol.
    Invite,
    /// A change of address, to be confirmed at the present and at the new one.
    EmailChangeCurrent,
    EmailChangeNew,
    /// A code for reauthentication.
    Reauthentication,
    /// Unread notifications.
    Notices,
    /// The daily digest of notifications.
    Digest,
    /// To a company admin: a scheduled report.
    Report,
    /// To a super admin: a test of the mail server.
    Test,
}

impl Kind {
    pub const ALL: [Self; 22] = [
        Self::PasswordSetup,
        Self::Welcome,
        Self::WelcomeSetup,
        Self::Recovery,
        Self::SpvCreated,
        Self::SpvClosed,
        Self::StepOverdue,
        Self::DocumentRequested,
        Self::DocumentReturned,
        Self::RequestDeclined,
        Self::RequestAnswered,
        Self::MagicLink,
        Self::ConfirmSignup,
        Self::AlreadyRegistered,
        Self::Invite,
        Self::EmailChangeCurrent,
        Self::EmailChangeNew,
        Self::Reauthentication,
        Self::Notices,
        Self::Digest,
        Self::Report,
        Self::Test,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::PasswordSetup => "password_setup",
            Self::Welcome => "welcome",
            Self::WelcomeSetup => "welcome_setup",
            Self::Recovery => "recovery",
            Self::SpvCreated => "spv_created",
            Self::SpvClosed => "spv_closed",
            Self::StepOverdue => "step_overdue",
            Self::DocumentRequested => "document_requested",
            Self::DocumentReturned => "document_returned",
            Self::RequestDeclined => "request_declined",
            Self::RequestAnswered => "request_answered",
            Self::MagicLink => "magic_link",
            Self::ConfirmSignup => "confirm_signup",
            Self::AlreadyRegistered => "already_registered",
            Self::Invite => "invite",
            Self::EmailChangeCurrent => "email_change_current",
            Self::EmailChangeNew => "email_change_new",
            Self::Reauthentication => "reauthentication",
            Self::Notices => "notices",
            Self::Digest => "digest",
            Self::Report => "report",
            Self::Test => "test",
        }
    }

    /// The one-time link this mail carries.
    pub fn link(self) -> Option<LinkKind> {
        match self {
            Self::PasswordSetup | Self::WelcomeSetup | Self::Invite => Some(LinkKind::Invite),
            Self::Recovery => Some(LinkKind::Recovery),
            Self::MagicLink => Some(LinkKind::Magiclink),
            Self::ConfirmSignup => Some(LinkKind::Signup),
            Self::EmailChangeCurrent => Some(LinkKind::EmailChangeCurrent),
            Self::EmailChangeNew => Some(LinkKind::EmailChangeNew),
            Self::Reauthentication => Some(LinkKind::Reauthentication),
            _ => None,
        }
    }
}

/// The kind of a one-time link in a mail. Its rules are in `accounts/auth/links.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum LinkKind {
    /// Resets a forgotten password.
    Recovery,
    /// Sets the password of an account that someone else created.
    Invite,
    /// Confirms the address after sign-up.
    Signup,
    /// Signs in without a password.
    Magiclink,
    /// Confirms a new address at the old one, and at the new one.
    EmailChangeCurrent,
    EmailChangeNew,
    /// A code only, for reauthentication.
    Reauthentication,
}

impl LinkKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Invite => "invite",
            Self::Signup => "signup",
            Self::Magiclink => "magiclink",
            Self::EmailChangeCurrent => "email_change_current",
            Self::EmailChangeNew => "email_change_new",
            Self::Reauthentication => "reauthentication",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    Queued,
    Sent,
    Failed,
}

/// A row of the outbox.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct Mail {
    pub id: MailId,
    pub kind: Kind,
    /// `None` for recipients without an account.
    pub user_id: Option<UserId>,
    pub spv_id: Option<SpvId>,
    pub to_email: String,
    pub to_name: String,
    pub language: String,
    #[sqlx(json)]
    pub data: Map<String, Value>,
    pub message_id: String,
    pub status: Status,
    pub attempts: i64,
    pub last_error: Option<String>,
    pub created_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    /// The sign-in flow that the link continues.
    #[serde(skip)]
    pub flow_id: Option<FlowId>,
}

/// The failure of the newest mail to an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailFailure {
    pub at: DateTime<Utc>,
    /// The reply of the mail server; only for actors who may read the outbox, as it names hosts.
    pub reason: Option<String>,
}

/// Parameters of a mail with a link.
#[derive(Clone, Debug, Default)]
pub struct LinkParams {
    /// The recipient, if not the account's address.
    pub email: Option<String>,
    pub flow: Option<FlowId>,
    /// The validated redirect after the click.
    pub redirect_to: Option<String>,
    /// The address to confirm.
    pub new_email: Option<String>,
}

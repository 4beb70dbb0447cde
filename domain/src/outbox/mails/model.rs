//! A mail and its states.
use crate::{
    accounts::{
        auth::links::{IssuedLink, LinkKind},
        users::DateFormat,
    },
    directory::companies::Logo,
    kernel::{
        access::Role,
        ids::{FlowId, MailId, SpvId, UserId},
    },
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a mail is about; its words are in the catalogue under this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Kind {
    /// To a new account: set a password through this link.
    PasswordSetup,
    /// To an account of Full Setup.
    Welcome,
    /// To an account of Full Setup that has no password yet: welcome, with a set-up link (decision 20).
    WelcomeSetup,
    /// To somebody who forgot the password.
    Recovery,
    /// To a client: an order was made.
    SpvCreated,
    /// To a client: the last step is done.
    SpvClosed,
    /// To the staff: a step is past its due date.
    StepOverdue,
    /// To a client: the office asks for a document.
    DocumentRequested,
    /// To a client: what was sent in will not do, and why.
    DocumentReturned,
    /// To somebody without an account: what they asked for will not be, and why.
    RequestDeclined,
    /// To somebody without an account: what they asked for is done, and what the staff say to it.
    RequestAnswered,
    /// Sign in without a password, through this link.
    MagicLink,
    /// To whoever made an account: confirm the address.
    ConfirmSignup,
    /// To whoever tried to make an account and has one.
    AlreadyRegistered,
    /// To somebody for whom an account was made over the protocol.
    Invite,
    /// A new address of an account: to be confirmed at the present one, and at the new one.
    EmailChangeCurrent,
    EmailChangeNew,
    /// A code that proves once more who sits there.
    Reauthentication,
    /// What somebody was told of and has not read.
    Notices,
    /// The same, of a whole day.
    Digest,
    /// To a company's admin: a report is ready.
    Report,
    /// To a super admin who wants to see whether mails arrive.
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
    /// None: somebody without an account.
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
    /// What the click leads back to.
    #[serde(skip)]
    pub flow_id: Option<FlowId>,
}

/// An address that the newest mail did not reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailFailure {
    pub at: DateTime<Utc>,
    /// What the mail server said: for whoever may read the outbox, as it names hosts.
    pub reason: Option<String>,
}

/// What a mail with a link is told of it.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// Where it goes, if not to the account's address.
    pub email: Option<String>,
    pub flow: Option<FlowId>,
    /// Where to go after the click, checked.
    pub redirect_to: Option<String>,
    /// The address that the mail asks to confirm.
    pub new_email: Option<String>,
}

/// Everything the text of one attempt needs.
#[derive(Debug)]
pub struct Outgoing {
    pub mail: Mail,
    /// The reader's role now: it says where they sign in. None without an account.
    pub role: Option<Role>,
    /// Where the reader's clock stands, and how they want dates written.
    pub time_zone: String,
    pub date_format: DateFormat,
    /// IssuedLink for this attempt; earlier ones of the same mail stay good until one is used.
    pub link: Option<IssuedLink>,
    /// The order as it is now: its display identifier and country.
    pub spv: Option<(String, String)>,
    /// Of the reader's company.
    pub logo: Option<Logo>,
    /// Where mails of this kind are stopped, for those that are a list.
    pub unsubscribe: Option<String>,
    /// The reader has no password yet: a button would lead to a sign-in that is not theirs to pass.
    pub before_setup: bool,
}

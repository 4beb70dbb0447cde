//! A mail of the outbox, its kinds and its states.
use crate::kernel::ids::{FlowId, MailId, SpvId, UserId};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

crate::kernel::text_enum! {
    /// The kind of a mail; its texts are in the messages under this name.
    #[schema(as = MailKind)]
    pub enum Kind {
        /// To a new account: a link to set a password.
        PasswordSetup = "password_setup",
        /// To an account made by Full Setup.
        Welcome = "welcome",
        /// To an account made by Full Setup without a password: welcome, with a link to set one (Quick Setup and Full Setup, decision 20).
        WelcomeSetup = "welcome_setup",
        /// To reset a forgotten password.
        Recovery = "recovery",
        /// To a client: an order was created.
        SpvCreated = "spv_created",
        /// To a client: an order was closed.
        SpvClosed = "spv_closed",
        /// To the staff: a step is past its due date.
        StepOverdue = "step_overdue",
        /// To a client: the office asks for a document.
        DocumentRequested = "document_requested",
        /// To a client: an uploaded document was rejected, with the reason.
        DocumentReturned = "document_returned",
        /// To a sender without an account: a request was declined, with the reason.
        RequestDeclined = "request_declined",
        /// To a sender without an account: a request was approved, with the answer.
        RequestAnswered = "request_answered",
        /// A link to sign in without a password.
        MagicLink = "magic_link",
        /// After sign-up: confirm the address.
        ConfirmSignup = "confirm_signup",
        /// After sign-up with the address of an existing account.
        AlreadyRegistered = "already_registered",
        /// To an account created over the auth protocol.
        Invite = "invite",
        /// A change of address, to be confirmed at the present and at the new one.
        EmailChangeCurrent = "email_change_current",
        EmailChangeNew = "email_change_new",
        /// A code for reauthentication.
        Reauthentication = "reauthentication",
        /// Unread notifications.
        Notices = "notices",
        /// The daily digest of notifications.
        Digest = "digest",
        /// To a company admin: a scheduled report.
        Report = "report",
        /// To the owner of an account: an act with power over it ([`SecurityAct`]), with "This wasn't me".
        SecurityNotice = "security_notice",
        /// To a super admin: a test of the mail server.
        Test = "test",
    }
}

impl Kind {
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

crate::kernel::text_enum! {
    /// An act with power over an account, of which a security mail tells. Its texts are those of
    /// [`Kind::SecurityNotice`] in this context.
    pub enum SecurityAct {
        FactorAdded = "factor_added",
        FactorRemoved = "factor_removed",
        PasskeyAdded = "passkey_added",
        PasskeyRemoved = "passkey_removed",
        /// All second factors, by an administrator.
        FactorsReset = "factors_reset",
        RecoveryCodesMade = "recovery_codes_made",
        RecoveryCodesRemoved = "recovery_codes_removed",
        PasswordChanged = "password_changed",
        /// By an administrator.
        PasswordSet = "password_set",
        /// A sign-in link that an administrator made.
        LinkMade = "link_made",
        /// To the old and to the new address.
        EmailChanged = "email_changed",
        IdentityLinked = "identity_linked",
        IdentityUnlinked = "identity_unlinked",
        /// A sign-in from a new place or device.
        NewSignIn = "new_sign_in",
        /// A session ended as its refresh token was used again.
        SessionReused = "session_reused",
        /// A refresh token and its parent came from different networks.
        SessionElsewhere = "session_elsewhere",
        /// To the super admin who made another one.
        SuperAdminMade = "super_admin_made",
        /// To the other super admins.
        SuperAdminMadeByOther = "super_admin_made_by_other",
    }
}

impl SecurityAct {
    /// Whether its mail has the button "This wasn't me". The news of another super admin's act leads to the account.
    pub fn secures_account(self) -> bool {
        self != Self::SuperAdminMadeByOther
    }
}

crate::kernel::text_enum! {
    /// The kind of a one-time link in a mail. Its rules are in `accounts/auth/links.rs`.
    pub enum LinkKind {
        /// Resets a forgotten password.
        Recovery = "recovery",
        /// Sets the password of an account that someone else created.
        Invite = "invite",
        /// Confirms the address after sign-up.
        Signup = "signup",
        /// Signs in without a password.
        Magiclink = "magiclink",
        /// Confirms a new address at the old one, and at the new one.
        EmailChangeCurrent = "email_change_current",
        EmailChangeNew = "email_change_new",
        /// A code only, for reauthentication.
        Reauthentication = "reauthentication",
    }
}

crate::kernel::text_enum! {
    #[schema(as = MailStatus)]
    pub enum Status {
        Queued = "queued",
        Sent = "sent",
        Failed = "failed",
    }
}

crate::kernel::db::row! {
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
}

impl Mail {
    /// The act that a security mail tells of.
    pub fn security_act(&self) -> Option<SecurityAct> {
        let act = self.data.get("context").and_then(Value::as_str)?;
        (self.kind == Kind::SecurityNotice).then(|| act.parse().ok()).flatten()
    }
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

//! Kinds of notifications and the preferences for their delivery.
use crate::{
    kernel::{
        access::Role,
        ids::{NotificationId, UserId},
    },
    platform::activity::Activity,
};
use chrono::{DateTime, Utc};

crate::kernel::text_enum! {
    /// Groups kinds of events in the preferences.
    #[schema(as = NotificationTopic)]
    pub enum Topic {
        Messages = "messages",
        /// A document to upload, a step that waits for one, an assignment.
        Tasks = "tasks",
        /// Progress of orders, leads, calls and commissions.
        Progress = "progress",
        Documents = "documents",
        Invoices = "invoices",
        Requests = "requests",
        /// Due dates, near or past.
        Reminders = "reminders",
    }
}

/// A kind of event that creates notifications; preferences are per kind.
#[derive(Debug, PartialEq, Eq)]
pub struct EventKind {
    pub topic: Topic,
    /// An action of the log. One action may belong to two topics.
    pub action: &'static str,
    /// The roles that are ever notified of it.
    pub roles: &'static [Role],
}

impl EventKind {
    pub fn name(&self) -> String {
        format!("{}.{}", self.topic.name(), self.action)
    }

    /// The preference of a role until a user chooses.
    pub fn default_preference(&self, role: Role) -> Channels {
        let mail = match (role, self.topic, self.action) {
            // The specification has immediate mails for these, and none for steps in between.
            (Role::Client, _, "spv.created" | "spv.closed") => MailFrequency::Now,
            (_, _, "request.in_review") => MailFrequency::Off,
            (Role::Client, Topic::Progress | Topic::Documents, _) => MailFrequency::Daily,
            (Role::Client, ..) | (Role::Employee | Role::SuperAdmin, Topic::Tasks | Topic::Reminders, _) => {
                MailFrequency::Now
            }
            (Role::Employee | Role::SuperAdmin, ..) => MailFrequency::Daily,
            (Role::Iso | Role::CompanyAdmin, Topic::Requests, _) => MailFrequency::Now,
            (Role::Iso | Role::CompanyAdmin, ..) => MailFrequency::Off,
        };
        Channels { in_app: true, mail }
    }
}

crate::kernel::text_enum! {
    #[schema(as = NotificationMail)]
    pub enum MailFrequency {
        /// After [`super::READ_GRACE`], unless it was read in the app.
        Now = "now",
        /// In the daily digest.
        Daily = "daily",
        Off = "off",
    }
}

/// The channels of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    pub in_app: bool,
    pub mail: MailFrequency,
}

/// A user's preference for one kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub event: &'static EventKind,
    pub channels: Channels,
}

/// A preference to set: for one kind of event by name, or for a whole topic.
#[derive(Clone, Debug)]
pub struct SetChoice {
    pub event: String,
    pub channels: Channels,
}

#[derive(Clone, Debug)]
pub struct Notification {
    pub id: NotificationId,
    pub topic: Topic,
    pub created_at: DateTime<Utc>,
    pub read_at: Option<DateTime<Utc>>,
    pub activity: Activity,
}

/// A user to notify, with their preference.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Recipient {
    pub id: UserId,
    pub role: Role,
    pub in_app: Option<bool>,
    pub mail: Option<MailFrequency>,
}

impl Recipient {
    pub fn channels(&self, event: &EventKind) -> Channels {
        match (self.in_app, self.mail) {
            (Some(in_app), Some(mail)) => Channels { in_app, mail },
            _ => event.default_preference(self.role),
        }
    }
}

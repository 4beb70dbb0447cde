//! What people can choose to be told of, and how.
use crate::{
    kernel::{
        access::Role,
        ids::{NotificationId, UserId},
    },
    platform::activity::Activity,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What a notification is about: kinds of events that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = NotificationTopic)]
pub enum Topic {
    Messages,
    /// Something to do: a document to send, a step that waits for one.
    Tasks,
    /// Orders that move.
    Progress,
    Documents,
    Invoices,
    Requests,
    /// Dates that come near or are past.
    Reminders,
}

impl Topic {
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Tasks => "tasks",
            Self::Progress => "progress",
            Self::Documents => "documents",
            Self::Invoices => "invoices",
            Self::Requests => "requests",
            Self::Reminders => "reminders",
        }
    }
}

/// A kind of event that people are told of: what they make their choices for.
#[derive(Debug, PartialEq, Eq)]
pub struct EventKind {
    pub topic: Topic,
    /// Of the log. One action may be two things to be told of, by topic.
    pub action: &'static str,
    /// Who is ever told of it.
    pub roles: &'static [Role],
}

impl EventKind {
    pub fn name(&self) -> String {
        format!("{}.{}", self.topic.name(), self.action)
    }

    /// How people of this role are told unless they choose otherwise.
    pub fn usual(&self, role: Role) -> Way {
        let mail = match (role, self.topic, self.action) {
            // The mails of the specification go out at once; of a step on the way there is none.
            (Role::Client, _, "spv.created" | "spv.closed") => Mailed::Now,
            (_, _, "request.in_review") => Mailed::Off,
            (Role::Client, Topic::Progress | Topic::Documents, _) => Mailed::Daily,
            (Role::Client, ..) | (Role::Employee | Role::SuperAdmin, Topic::Tasks | Topic::Reminders, _) => Mailed::Now,
            (Role::Employee | Role::SuperAdmin, ..) => Mailed::Daily,
            (Role::Iso | Role::CompanyAdmin, Topic::Requests, _) => Mailed::Now,
            (Role::Iso | Role::CompanyAdmin, ..) => Mailed::Off,
        };
        Way { in_app: true, mail }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = NotificationMail)]
pub enum Mailed {
    /// In a moment, if it was not read by then.
    Now,
    /// With everything else of the day, in the morning.
    Daily,
    Off,
}

/// How somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub in_app: bool,
    pub mail: Mailed,
}

/// How a person is told of one kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub event: &'static EventKind,
    pub way: Way,
}

/// A choice as it is sent in: for one kind of event, or for all of a topic.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub event: String,
    pub way: Way,
}

/// Something a person was told.
#[derive(Clone, Debug)]
pub struct Notification {
    pub id: NotificationId,
    pub topic: Topic,
    pub created_at: DateTime<Utc>,
    pub read_at: Option<DateTime<Utc>>,
    pub activity: Activity,
}

/// Somebody to be told, with what they chose.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Recipient {
    pub id: UserId,
    pub role: Role,
    pub in_app: Option<bool>,
    pub mail: Option<Mailed>,
}

impl Recipient {
    pub fn way(&self, event: &EventKind) -> Way {
        match (self.in_app, self.mail) {
            (Some(in_app), Some(mail)) => Way { in_app, mail },
            _ => event.usual(self.role),
        }
    }
}

//! What people can choose to be told of, and how.
use crate::{
    access::Role,
    activity::Activity,
    error::Problem,
    ids::{NotificationId, UserId},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What a notification is about: what people make their choices for.
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
    pub const ALL: [Self; 7] =
        [Self::Messages, Self::Tasks, Self::Progress, Self::Documents, Self::Invoices, Self::Requests, Self::Reminders];

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

    /// What somebody of this role is ever told of.
    pub fn of(role: Role) -> Vec<Self> {
        match role {
            Role::Client => Self::ALL.to_vec(),
            Role::Employee | Role::SuperAdmin => {
                Self::ALL.into_iter().filter(|topic| *topic != Self::Progress).collect()
            }
            Role::Iso | Role::CompanyAdmin => vec![Self::Progress, Self::Requests],
        }
    }

    /// How people of this role are told unless they choose otherwise.
    pub fn usual(self, role: Role) -> Way {
        let mail = match (role, self) {
            (Role::Client, Self::Progress | Self::Documents) => Mailed::Daily,
            (Role::Client, _) | (Role::Employee | Role::SuperAdmin, Self::Tasks | Self::Reminders) => Mailed::Now,
            (Role::Employee | Role::SuperAdmin, _) => Mailed::Daily,
            (Role::Iso | Role::CompanyAdmin, Self::Requests) => Mailed::Now,
            (Role::Iso | Role::CompanyAdmin, _) => Mailed::Off,
        };
        Way { in_app: true, mail }
    }
}

impl std::str::FromStr for Topic {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        let known = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|topic| topic.name() == text);
        found.ok_or_else(|| Problem::new("unknown").with("allowed", known))
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

/// A person's choice for one topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub topic: Topic,
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
    pub fn way(&self, topic: Topic) -> Way {
        match (self.in_app, self.mail) {
            (Some(in_app), Some(mail)) => Way { in_app, mail },
            _ => topic.usual(self.role),
        }
    }
}

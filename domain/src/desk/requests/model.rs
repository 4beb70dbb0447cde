//! What can be asked for, where it stands, how urgent it is and when it is due.
use super::application::AccountType;
use crate::orders::documents::Document;
use crate::{
    kernel::{
        access::{Actor, Role},
        error::{Problem, Result},
        ids::{CallId, CompanyId, IsoId, LeadId, RequestId, SpvId, UserId},
    },
    orders::spvs,
};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::str::FromStr;
use uuid::Uuid;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = RequestKind)]
pub enum Kind {
    /// A new order, by a client: approved by making it.
    Order,
    /// An account, by somebody without one: approved by making it.
    Account,
    /// Somebody who may become a client.
    Lead,
    /// A paper that somebody wants to have, or to have changed.
    Document,
    Support,
    /// To be called back.
    Call,
    Other,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Order, Self::Account, Self::Lead, Self::Document, Self::Support, Self::Call, Self::Other];

    pub fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Account => "account",
            Self::Lead => "lead",
            Self::Document => "document",
            Self::Support => "support",
            Self::Call => "call",
            Self::Other => "other",
        }
    }

    /// What this actor may ask for. Partners add leads and arrange calls on pages of their own.
    pub fn of(actor: &Actor) -> &'static [Self] {
        use Kind::{Account, Call, Document, Lead, Order, Other, Support};
        match actor.role() {
            None if actor.is_staff() => &[Account, Lead, Document, Support, Call, Other],
            None => &[Account, Support],
            Some(Role::Client) => &[Order, Account, Document, Support, Call, Other],
            Some(Role::Iso) => &[Account, Document, Support, Other],
            Some(Role::CompanyAdmin) => &[Account, Document, Support, Call, Other],
            Some(Role::Employee | Role::SuperAdmin) => &[Account, Lead, Document, Support, Call, Other],
        }
    }
}

/// Names, one after the other.
fn names<const N: usize>(names: [&'static str; N]) -> String {
    names.join(", ")
}

impl FromStr for Kind {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| Problem::new("unknown").with("allowed", names(Self::ALL.map(Self::name))))
    }
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = RequestStatus)]
pub enum Status {
    Pending,
    /// Somebody works on it.
    InReview,
    Approved,
    Rejected,
    /// Whoever sent it took it back.
    Withdrawn,
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Pending, Self::InReview, Self::Approved, Self::Rejected, Self::Withdrawn];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InReview => "in_review",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Still to be decided.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InReview)
    }
}

impl FromStr for Status {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| Problem::new("unknown").with("allowed", names(Self::ALL.map(Self::name))))
    }
}

/// How urgent a request is: medium until the staff say otherwise. It says when an answer is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = RequestPriority)]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

/// How long after it was sent a request is due, by its priority. By the clock: an urgent one does not wait for a Monday.
const DUE_HIGH: Duration = Duration::days(1);
const DUE_MEDIUM: Duration = Duration::days(3);
const DUE_LOW: Duration = Duration::days(7);

impl Priority {
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// When a request of this priority is due that was sent then.
    pub fn due(self, sent: DateTime<Utc>) -> DateTime<Utc> {
        sent + match self {
            Self::High => DUE_HIGH,
            Self::Medium => DUE_MEDIUM,
            Self::Low => DUE_LOW,
        }
    }

    /// The most urgent first.
    pub fn rank(self) -> i64 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }
}

impl FromStr for Priority {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        let found = Self::ALL.into_iter().find(|priority| priority.name() == text);
        found.ok_or_else(|| Problem::new("unknown").with("allowed", names(Self::ALL.map(Self::name))))
    }
}

/// What an application became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = RequestMadeKind)]
pub enum MadeKind {
    Client,
    Iso,
    Company,
    User,
}

/// What came of an application, by the use case that made it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Made {
    Client(UserId, SpvId),
    Iso(IsoId),
    Company(CompanyId),
    User(UserId),
}

impl Made {
    pub fn parts(self) -> (MadeKind, Uuid, Option<SpvId>) {
        match self {
            Self::Client(id, order) => (MadeKind::Client, id.0, Some(order)),
            Self::Iso(id) => (MadeKind::Iso, id.0, None),
            Self::Company(id) => (MadeKind::Company, id.0, None),
            Self::User(id) => (MadeKind::User, id.0, None),
        }
    }
}

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Request {
    pub id: RequestId,
    pub kind: Kind,
    pub status: Status,
    pub priority: Priority,
    /// Who sent it, or whom it was written down for, where they have an account; never whom a lead is about.
    pub user_id: Option<UserId>,
    pub name: String,
    pub email: String,
    pub message: String,
    #[sqlx(json)]
    pub data: Map<String, Value>,
    pub assignee_id: Option<UserId>,
    #[sqlx(default)]
    pub assignee_name: Option<String>,
    pub created_at: DateTime<Utc>,
    pub due_at: DateTime<Utc>,
    /// The order that it was accepted as.
    pub spv_id: Option<SpvId>,
    #[sqlx(default)]
    pub spv_custom_identifier: Option<String>,
    pub made_kind: Option<MadeKind>,
    pub made_id: Option<Uuid>,
    /// Why it was rejected, or what was said with its approval.
    pub reason: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub decided_by: Option<String>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
    /// Of whoever has no account.
    pub language: Option<String>,
    /// The lead that a partner brought: the request follows it.
    pub lead_id: Option<LeadId>,
    /// The call that a partner asked for: the request follows it.
    pub call_id: Option<CallId>,
    /// What goes with it.
    #[sqlx(skip)]
    pub documents: Vec<Document>,
}

impl Request {
    /// What the person who asked can quote.
    pub fn reference(&self) -> String {
        format!("REQ-{}", &self.id.to_string()[..8])
    }

    /// What people call the order that it was accepted as.
    pub fn spv_identifier(&self) -> Option<String> {
        Some(spvs::display_identifier(self.spv_id?, self.spv_custom_identifier.as_deref()))
    }

    /// Which account an application is for; none for a person who came by a provider and did not say.
    pub fn account_type(&self) -> Option<AccountType> {
        self.data.get("account_type")?.as_str()?.parse().ok()
    }

    /// A field of the application's form.
    pub fn applied(&self, field: &str) -> Option<&str> {
        self.data.get("application")?.get(field)?.as_str()
    }

    /// Past its due time, and nobody has decided.
    pub fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        self.status.is_open() && self.due_at < now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_more_urgent_is_due_earlier() {
        let sent = DateTime::UNIX_EPOCH;
        let due = Priority::ALL.map(|priority| priority.due(sent));
        assert!(sent < due[0] && due[0] < due[1] && due[1] < due[2]);
        assert!(Priority::ALL.is_sorted_by_key(|priority| priority.rank()));
    }

    #[test]
    fn every_name_is_read_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        for status in Status::ALL {
            assert_eq!(status.name().parse(), Ok(status));
        }
        for priority in Priority::ALL {
            assert_eq!(priority.name().parse(), Ok(priority));
        }
        assert!("urgent".parse::<Priority>().is_err());
    }
}

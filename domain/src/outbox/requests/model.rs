//! A request to the staff: its kind, status, priority and due time.
use crate::kernel::{
    access::{Actor, Role},
    ctx::Ctx,
    ids::{CallId, CompanyId, IsoId, LeadId, RequestId, SpvId, UserId},
    order::display_identifier,
};
use chrono::{DateTime, Duration, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

crate::kernel::text_enum! {
    /// The kind of a request.
    #[schema(as = RequestKind)]
    pub enum Kind {
        /// A client's new order: approved by creating it.
        Order = "order",
        /// An account: approved by creating it.
        Account = "account",
        /// A person who may become a client.
        Lead = "lead",
        /// A document to be sent or corrected.
        Document = "document",
        Support = "support",
        /// A call back.
        Call = "call",
        Other = "other",
    }
}

impl Kind {
    /// The kinds that this actor may send. Partners add leads and calls through `leads` and `calls`.
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

crate::kernel::text_enum! {
    /// Where a request stands.
    #[schema(as = RequestStatus)]
    pub enum Status {
        Pending = "pending",
        /// A member of the staff works on it.
        InReview = "in_review",
        Approved = "approved",
        Rejected = "rejected",
        /// Taken back by its sender.
        Withdrawn = "withdrawn",
    }
}

impl Status {
    /// Not decided yet.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InReview)
    }
}

crate::kernel::text_enum! {
    /// How urgent a request is: medium until the staff say otherwise. It says when an answer is due.
    #[derive(Default)]
    #[schema(as = RequestPriority)]
    pub enum Priority {
        High = "high",
        #[default]
        Medium = "medium",
        Low = "low",
    }
}

/// The time to answer a request of each priority, in hours by the clock: weekends count.
const HIGH_DUE_WITHIN: Duration = Duration::days(1);
const MEDIUM_DUE_WITHIN: Duration = Duration::days(3);
const LOW_DUE_WITHIN: Duration = Duration::days(7);

impl Priority {
    /// The due time of a request of this priority that was sent at `sent`.
    pub fn due(self, sent: DateTime<Utc>) -> DateTime<Utc> {
        sent + match self {
            Self::High => HIGH_DUE_WITHIN,
            Self::Medium => MEDIUM_DUE_WITHIN,
            Self::Low => LOW_DUE_WITHIN,
        }
    }

    /// The place in the order of urgency, the most urgent first.
    pub fn rank(self) -> i64 {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }
}

crate::kernel::text_enum! {
    /// The account that an application asks for.
    pub enum AccountType {
        Client = "client",
        Employee = "employee",
        Iso = "iso",
        Company = "company",
    }
}

crate::kernel::text_enum! {
    /// What an application became.
    #[schema(as = RequestMadeKind)]
    pub enum ResultKind {
        Client = "client",
        Iso = "iso",
        Company = "company",
        User = "user",
    }
}

/// The row that an application or a lead became, named by the use case that inserted it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResultRef {
    Client(UserId, SpvId),
    Iso(IsoId),
    Company(CompanyId),
    User(UserId),
}

impl ResultRef {
    pub fn parts(self) -> (ResultKind, Uuid, Option<SpvId>) {
        match self {
            Self::Client(id, order) => (ResultKind::Client, id.0, Some(order)),
            Self::Iso(id) => (ResultKind::Iso, id.0, None),
            Self::Company(id) => (ResultKind::Company, id.0, None),
            Self::User(id) => (ResultKind::User, id.0, None),
        }
    }
}

/// A request's row, with the names that it refers to.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Request {
    pub id: RequestId,
    pub kind: Kind,
    pub status: Status,
    pub priority: Priority,
    /// The account of the sender, or of the person the staff wrote it down for; never the person a lead is about.
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
    pub made_kind: Option<ResultKind>,
    pub made_id: Option<Uuid>,
    /// The reason of a rejection, or the reply of an approval.
    pub reason: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub decided_by: Option<String>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
    /// The language of the answer to a sender without an account.
    pub language: Option<String>,
    /// The lead that it is linked to.
    pub lead_id: Option<LeadId>,
    /// The call that it is linked to.
    pub call_id: Option<CallId>,
}

/// The lead or the call that a request is linked to: it is decided there, and the request follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkedEntity {
    Lead(LeadId),
    Call(CallId),
}

impl Request {
    /// A pending request of the actor's, of medium priority.
    pub(crate) fn new(
        ctx: &Ctx,
        kind: Kind,
        name: String,
        email: String,
        message: String,
        data: Map<String, Value>,
    ) -> Self {
        let priority = Priority::default();
        Self {
            id: RequestId(ctx.random.uuid()),
            kind,
            status: Status::Pending,
            priority,
            user_id: ctx.actor.user_id(),
            name,
            email,
            message,
            data,
            assignee_id: None,
            assignee_name: None,
            created_at: ctx.now(),
            due_at: priority.due(ctx.now()),
            spv_id: None,
            spv_custom_identifier: None,
            made_kind: None,
            made_id: None,
            reason: None,
            decided_at: None,
            decided_by: None,
            updated_at: ctx.now(),
            updated_by: ctx.actor_name(),
            version: 1,
            language: None,
            lead_id: None,
            call_id: None,
        }
    }

    /// The same, decided now by the actor.
    pub(crate) fn decided(&self, ctx: &Ctx, status: Status, reason: Option<String>) -> Self {
        Self {
            status,
            reason,
            decided_at: Some(ctx.now()),
            decided_by: Some(ctx.actor_name()),
            ..self.bump_version(ctx)
        }
    }

    /// The same, changed now by the actor.
    pub(crate) fn bump_version(&self, ctx: &Ctx) -> Self {
        Self { updated_at: ctx.now(), updated_by: ctx.actor_name(), version: self.version + 1, ..self.clone() }
    }

    pub(crate) fn linked(&self) -> Option<LinkedEntity> {
        self.lead_id.map(LinkedEntity::Lead).or(self.call_id.map(LinkedEntity::Call))
    }

    /// The reference that the sender can quote: `REQ-6f1c2d3e`.
    pub fn reference(&self) -> String {
        format!("REQ-{}", &self.id.to_string()[..8])
    }

    /// The identifier of the order that it was accepted as.
    pub fn spv_identifier(&self) -> Option<String> {
        Some(display_identifier(self.spv_id?, self.spv_custom_identifier.as_deref()))
    }

    /// The account that an application asks for; None after a sign-in through a provider, where no form was filled in.
    pub fn account_type(&self) -> Option<AccountType> {
        self.data.get("account_type")?.as_str()?.parse().ok()
    }

    /// A field of the application's form.
    pub fn applied(&self, field: &str) -> Option<&str> {
        self.data.get("application")?.get(field)?.as_str()
    }

    /// Still open after its due time.
    pub fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        self.status.is_open() && self.due_at < now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_times_follow_the_rank_of_priorities() {
        let sent = DateTime::UNIX_EPOCH;
        let due = Priority::ALL.map(|priority| priority.due(sent));
        assert!(sent < due[0] && due[0] < due[1] && due[1] < due[2]);
        assert!(Priority::ALL.is_sorted_by_key(|priority| priority.rank()));
    }

    #[test]
    fn names_parse_back_to_their_values() {
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

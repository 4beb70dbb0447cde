//! Who is told of what: one line for each action of the log. The only place that says so.
use super::model::Topic;
use crate::{access::Role, activity::Activity, ids::UserId};

/// Who is told; who did it never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The client whose it is.
    Client,
    /// Everybody of our team.
    Staff,
    /// The ISO partner of the order.
    Partner,
    /// The admins of the order's company.
    Company,
    Person(UserId),
}

/// Somebody to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Telling {
    pub audience: Audience,
    pub topic: Topic,
    pub letter: Letter,
}

/// Which mail says it to those who want to be mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// One about everything that one was told of.
    Common,
    /// A mail of its own, sent by the use case to who wants mails at once ([`super::wants_mail_now`]); with the digest
    /// to others.
    OwnOrDigest,
    /// A mail of its own, sent by the use case at once to who wants any ([`super::wants_mail`]), or none.
    Elsewhere,
}

/// Every action that [`tellings`] has a line for: the log is searched for these.
pub const ACTIONS: &[&str] = &[
    "call.cancelled",
    "call.confirmed",
    "call.declined",
    "call.requested",
    "commission.approved",
    "commission.paid",
    "commission.reversed",
    "commission.voided",
    "document.infected",
    "document.uploaded",
    "document_request.approved",
    "document_request.created",
    "document_request.due_soon",
    "document_request.overdue",
    "document_request.returned",
    "document_request.submitted",
    "document_request.waived",
    "invoice.due_soon",
    "invoice.overdue",
    "invoice.paid",
    "invoice.part_paid",
    "invoice.raised",
    "invoice.receipt_sent",
    "invoice.voided",
    "lead.converted",
    "lead.created",
    "lead.lost",
    "message.general",
    "message.sent",
    "note.general",
    "note.written",
    "request.approved",
    "request.assigned",
    "request.created",
    "request.in_review",
    "request.rejected",
    "request.withdrawn",
    "spv.cancelled",
    "spv.closed",
    "spv.created",
    "spv.held",
    "spv.processing",
    "spv.reopened",
    "spv.resumed",
    "spv.started",
    "step.assigned",
    "step.due_soon",
    "step.overdue",
    "step.updated",
];

/// Who is told of `event`.
pub fn tellings(event: &Activity) -> Vec<Telling> {
    use Audience::{Client, Company, Partner, Person, Staff};
    use Topic::{Documents, Invoices, Messages, Progress, Reminders, Requests, Tasks};
    let said = |name: &str| event.data.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let by_client = event.actor_kind == Role::Client.name();
    let tell = |audience, topic| Telling { audience, topic, letter: Letter::Common };
    let own = |audience, topic| Telling { audience, topic, letter: Letter::OwnOrDigest };
    let show = |audience, topic| Telling { audience, topic, letter: Letter::Elsewhere };
    let of_order = |client: Telling| vec![client, tell(Partner, Progress), tell(Company, Progress)];
    match event.action.as_str() {
        "message.sent" | "message.general" if event.data.get("by_staff") == Some(&false.into()) => {
            vec![tell(Staff, Messages)]
        }
        "message.sent" | "message.general" => vec![tell(Client, Messages)],
        "note.written" | "note.general" => vec![tell(Staff, Messages)],
        // The mails of the specification go out at once.
        "spv.created" | "spv.closed" => of_order(show(Client, Progress)),
        "spv.started" | "spv.processing" | "spv.held" | "spv.resumed" | "spv.cancelled" | "spv.reopened" => {
            of_order(tell(Client, Progress))
        }
        "step.updated" if !event.public => Vec::new(),
        "step.updated" => match (said("to"), said("waiting_on"), said("owner")) {
            ("completed", ..) => vec![tell(Client, Progress)],
            ("blocked", "client", _) | ("in_progress", _, "client") => vec![tell(Client, Tasks)],
            _ => Vec::new(),
        },
        "step.assigned" | "request.assigned" => {
            let person = said("assignee_id").parse().ok();
            person.map(|id| tell(Person(id), Tasks)).into_iter().collect()
        }
        "step.due_soon" if event.public => vec![tell(Client, Reminders)],
        // The staff have one mail about all that is late each morning.
        "step.overdue" if event.public => vec![tell(Client, Reminders), own(Staff, Reminders)],
        "step.overdue" => vec![own(Staff, Reminders)],
        "document_request.due_soon" | "document_request.overdue" | "invoice.due_soon" | "invoice.overdue" => {
            vec![tell(Client, Reminders)]
        }
        "document_request.created" | "document_request.returned" => vec![own(Client, Tasks)],
        "document_request.approved" | "document_request.waived" => vec![tell(Client, Documents)],
        "document_request.submitted" => vec![tell(Staff, Documents)],
        "document.infected" if event.public => vec![tell(Staff, Documents), tell(Client, Documents)],
        "document.infected" => vec![tell(Staff, Documents)],
        // What it hangs on tells of it.
        "document.uploaded" if event.data.get("attach") == Some(&true.into()) => Vec::new(),
        "document.uploaded" if by_client => vec![tell(Staff, Documents)],
        "document.uploaded" => vec![tell(Client, Documents)],
        "invoice.raised" | "invoice.paid" | "invoice.part_paid" | "invoice.voided" => vec![tell(Client, Invoices)],
        "invoice.receipt_sent" => vec![tell(Staff, Invoices)],
        "lead.created" | "call.requested" => vec![tell(Staff, Requests)],
        "call.cancelled" if event.actor_kind == Role::Iso.name() => vec![tell(Staff, Requests)],
        "lead.lost" if event.actor_kind == Role::Iso.name() => Vec::new(),
        "lead.converted" | "lead.lost" | "call.confirmed" | "call.declined" | "call.cancelled" => {
            vec![tell(Partner, Progress)]
        }
        "commission.approved" => vec![show(Partner, Progress)],
        "commission.paid" | "commission.reversed" | "commission.voided" => vec![tell(Partner, Progress)],
        // Of a lead and a call they are told as such.
        "request.created" | "request.withdrawn"
            if ["lead_id", "call_id"].iter().any(|of| event.data.contains_key(*of)) =>
        {
            Vec::new()
        }
        "request.created" | "request.withdrawn" => vec![tell(Staff, Requests)],
        // Whoever sent it, in whichever role.
        "request.approved" | "request.rejected" => vec![tell(Client, Requests)],
        "request.in_review" => vec![show(Client, Requests)],
        _ => Vec::new(),
    }
}

//! Who is told of what: one line for each action of the log. The only place that says so.
use super::model::{EventKind, Topic};
use crate::{
    kernel::{access::Role, ids::UserId},
    platform::activity::Activity,
};

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
    /// One of our team, for as long as they are: what they were given stays theirs when their role changes.
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
}

const CLIENT: &[Role] = &[Role::Client];
const STAFF: &[Role] = &[Role::Employee, Role::SuperAdmin];
const BOTH: &[Role] = &[Role::Client, Role::Employee, Role::SuperAdmin];
const PARTNER: &[Role] = &[Role::Iso];
const OF_ORDER: &[Role] = &[Role::Client, Role::Iso, Role::CompanyAdmin];
const ALL: &[Role] = &Role::ALL;

/// Everything that [`tellings`] has a line for, as people choose it, in the order in which they see it. The log is
/// searched for these actions.
pub const EVENTS: &[EventKind] = &[
    told("message.sent", Topic::Messages, BOTH),
    told("message.general", Topic::Messages, BOTH),
    told("note.written", Topic::Messages, STAFF),
    told("note.general", Topic::Messages, STAFF),
    told("document_request.created", Topic::Tasks, CLIENT),
    told("document_request.returned", Topic::Tasks, CLIENT),
    told("step.updated", Topic::Tasks, CLIENT),
    told("step.assigned", Topic::Tasks, STAFF),
    told("request.assigned", Topic::Tasks, STAFF),
    told("spv.created", Topic::Progress, OF_ORDER),
    told("spv.started", Topic::Progress, OF_ORDER),
    told("spv.processing", Topic::Progress, OF_ORDER),
    told("step.updated", Topic::Progress, CLIENT),
    told("spv.held", Topic::Progress, OF_ORDER),
    told("spv.resumed", Topic::Progress, OF_ORDER),
    told("spv.closed", Topic::Progress, OF_ORDER),
    told("spv.cancelled", Topic::Progress, OF_ORDER),
    told("spv.reopened", Topic::Progress, OF_ORDER),
    told("commission.approved", Topic::Progress, PARTNER),
    told("commission.paid", Topic::Progress, PARTNER),
    told("commission.reversed", Topic::Progress, PARTNER),
    told("commission.voided", Topic::Progress, PARTNER),
    told("lead.converted", Topic::Progress, PARTNER),
    told("lead.lost", Topic::Progress, PARTNER),
    told("call.confirmed", Topic::Progress, PARTNER),
    told("call.declined", Topic::Progress, PARTNER),
    told("call.cancelled", Topic::Progress, PARTNER),
    told("document.uploaded", Topic::Documents, BOTH),
    told("document_request.submitted", Topic::Documents, STAFF),
    told("document_request.approved", Topic::Documents, CLIENT),
    told("document_request.waived", Topic::Documents, CLIENT),
    told("document.infected", Topic::Documents, BOTH),
    told("invoice.raised", Topic::Invoices, CLIENT),
    told("invoice.part_paid", Topic::Invoices, CLIENT),
    told("invoice.paid", Topic::Invoices, CLIENT),
    told("invoice.voided", Topic::Invoices, CLIENT),
    told("invoice.receipt_sent", Topic::Invoices, STAFF),
    told("request.created", Topic::Requests, STAFF),
    told("request.withdrawn", Topic::Requests, STAFF),
    told("lead.created", Topic::Requests, STAFF),
    told("call.requested", Topic::Requests, STAFF),
    told("call.cancelled", Topic::Requests, STAFF),
    told("request.in_review", Topic::Requests, ALL),
    told("request.approved", Topic::Requests, ALL),
    told("request.rejected", Topic::Requests, ALL),
    told("document_request.due_soon", Topic::Reminders, CLIENT),
    told("document_request.overdue", Topic::Reminders, CLIENT),
    told("invoice.due_soon", Topic::Reminders, CLIENT),
    told("invoice.overdue", Topic::Reminders, CLIENT),
    told("step.due_soon", Topic::Reminders, BOTH),
    told("step.overdue", Topic::Reminders, BOTH),
];

const fn told(action: &'static str, topic: Topic, roles: &'static [Role]) -> EventKind {
    EventKind { topic, action, roles }
}

/// What somebody of this role is ever told of.
pub fn events_of(role: Role) -> impl Iterator<Item = &'static EventKind> {
    EVENTS.iter().filter(move |event| event.roles.contains(&role))
}

pub fn event_kind(topic: Topic, action: &str) -> Option<&'static EventKind> {
    EVENTS.iter().find(|event| event.topic == topic && event.action == action)
}

/// Whether a use case mails clients of it itself ([`Letter::OwnOrDigest`]): such a mail is about one order or document
/// and no list to unsubscribe from.
pub fn has_own_letter(kind: &EventKind, role: Role) -> bool {
    match (kind.topic, kind.action) {
        (Topic::Progress, "spv.created" | "spv.closed") => role == Role::Client,
        (Topic::Tasks, "document_request.created" | "document_request.returned") => role == Role::Client,
        (Topic::Reminders, "step.overdue") => STAFF.contains(&role),
        _ => false,
    }
}

/// Who is told of `event`.
pub fn tellings(event: &Activity) -> Vec<Telling> {
    use Audience::{Client, Company, Partner, Person, Staff};
    use Topic::{Documents, Invoices, Messages, Progress, Reminders, Requests, Tasks};
    let said = |name: &str| event.data.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let by_client = event.actor_kind == Role::Client.name();
    let tell = |audience, topic| Telling { audience, topic, letter: Letter::Common };
    let own = |audience, topic| Telling { audience, topic, letter: Letter::OwnOrDigest };
    let of_order = |client: Telling| vec![client, tell(Partner, Progress), tell(Company, Progress)];
    let assignee = |topic| -> Vec<Telling> {
        let person = said("assignee_id").parse().ok();
        person.map(|id| tell(Person(id), topic)).into_iter().collect()
    };
    match event.action.as_str() {
        "message.sent" | "message.general" if event.data.get("by_staff") == Some(&false.into()) => {
            vec![tell(Staff, Messages)]
        }
        "message.sent" | "message.general" => vec![tell(Client, Messages)],
        "note.written" | "note.general" => vec![tell(Staff, Messages)],
        "spv.created" | "spv.closed" => of_order(own(Client, Progress)),
        "spv.started" | "spv.processing" | "spv.held" | "spv.resumed" | "spv.cancelled" | "spv.reopened" => {
            of_order(tell(Client, Progress))
        }
        "step.updated" if !event.public => Vec::new(),
        "step.updated" => match (said("to"), said("waiting_on"), said("owner")) {
            ("completed", ..) => vec![tell(Client, Progress)],
            ("blocked", "client", _) | ("in_progress", _, "client") => vec![tell(Client, Tasks)],
            _ => Vec::new(),
        },
        "step.assigned" | "request.assigned" => assignee(Tasks),
        "step.due_soon" if event.public => vec![tell(Client, Reminders)],
        "step.due_soon" => assignee(Reminders),
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
        "commission.approved" | "commission.paid" | "commission.reversed" | "commission.voided" => {
            vec![tell(Partner, Progress)]
        }
        // Of a lead and a call they are told as such.
        "request.created" | "request.withdrawn"
            if ["lead_id", "call_id"].iter().any(|of| event.data.contains_key(*of)) =>
        {
            Vec::new()
        }
        "request.created" | "request.withdrawn" => vec![tell(Staff, Requests)],
        // Whoever sent it, in whichever role.
        "request.in_review" | "request.approved" | "request.rejected" => vec![tell(Client, Requests)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{i18n, ids::ActivityId};
    use serde_json::{Map, Value, json};
    use std::collections::HashSet;
    use uuid::Uuid;

    fn event(action: &str, actor: Role, public: bool, data: &Value) -> Activity {
        Activity {
            id: ActivityId(Uuid::nil()),
            seq: None,
            at: chrono::DateTime::UNIX_EPOCH,
            actor_kind: actor.name().to_owned(),
            actor_id: None,
            actor_name: String::new(),
            action: action.to_owned(),
            subject_kind: String::new(),
            subject_id: None,
            subject_label: String::new(),
            company_id: None,
            client_id: None,
            iso_id: None,
            spv_id: None,
            public,
            address: None,
            user_agent: None,
            data: data.as_object().cloned().unwrap_or_default(),
        }
    }

    #[test]
    fn everything_that_can_be_chosen_has_words() {
        for key in EVENTS.iter().map(|event| format!("told.{}", event.name())) {
            for language in i18n::LANGUAGES {
                assert!(i18n::find(language, "names", &key, &Map::new()).is_some(), "{language} {key}");
            }
        }
    }

    /// What one could choose and is never told of would be as wrong as what one is told of and cannot choose.
    #[test]
    fn each_role_can_choose_what_it_is_told_of_and_nothing_else() {
        let said = [
            json!({}),
            json!({ "by_staff": false }),
            json!({ "to": "completed" }),
            json!({ "to": "blocked", "waiting_on": "client" }),
            json!({ "assignee_id": Uuid::nil().to_string() }),
        ];
        let mut reached = HashSet::new();
        for action in EVENTS.iter().map(|event| event.action) {
            for actor in Role::ALL {
                for data in &said {
                    let both = [true, false].map(|public| tellings(&event(action, actor, public, data)));
                    for telling in both.into_iter().flatten() {
                        let roles: &[Role] = match telling.audience {
                            // Whoever sent it, in whichever role.
                            Audience::Client if telling.topic == Topic::Requests => ALL,
                            Audience::Client => CLIENT,
                            Audience::Staff | Audience::Person(_) => STAFF,
                            Audience::Partner => PARTNER,
                            Audience::Company => &[Role::CompanyAdmin],
                        };
                        reached.extend(roles.iter().map(|role| (telling.topic, action, *role)));
                    }
                }
            }
        }
        let chosen: HashSet<_> =
            EVENTS.iter().flat_map(|event| event.roles.iter().map(|role| (event.topic, event.action, *role))).collect();
        assert_eq!(reached, chosen);
    }
}

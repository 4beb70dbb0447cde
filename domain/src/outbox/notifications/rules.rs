//! Notification rules: who is notified of which action of the log, one line per action.
use super::model::{EventKind, Topic};
use crate::{
    kernel::{access::Role, ids::UserId},
    platform::activity::Activity,
};

/// The recipients of an event; its actor is never notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The client of the subject.
    Client,
    /// Employees and super admins.
    Staff,
    SuperAdmins,
    /// The ISO partner of the order.
    Partner,
    /// The admins of the order's company.
    Company,
    /// One employee or super admin. An assignment may outlast the role; then there is no notification.
    Person(UserId),
}

/// A delivery to one audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub audience: Audience,
    pub topic: Topic,
    pub form: MailForm,
}

/// How an event is mailed to recipients who chose mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailForm {
    /// With the recipient's other notifications.
    Common,
    /// Immediate mail: one of its own, sent by the use case ([`super::wants_mail_now`]). Daily mail: in the digest.
    OwnOrDigest,
}

const CLIENT: &[Role] = &[Role::Client];
const STAFF: &[Role] = &[Role::Employee, Role::SuperAdmin];
const SUPER_ADMIN: &[Role] = &[Role::SuperAdmin];
const BOTH: &[Role] = &[Role::Client, Role::Employee, Role::SuperAdmin];
const PARTNER: &[Role] = &[Role::Iso];
const OF_ORDER: &[Role] = &[Role::Client, Role::Iso, Role::CompanyAdmin];
const ALL: &[Role] = &Role::ALL;

/// Every kind of event for which [`deliveries_for`] has a rule, in the order of the preferences. Only these actions are read
/// from the log.
pub const EVENTS: &[EventKind] = &[
    kind("message.sent", Topic::Messages, BOTH),
    kind("message.general", Topic::Messages, BOTH),
    kind("note.written", Topic::Messages, STAFF),
    kind("note.general", Topic::Messages, STAFF),
    kind("document_request.created", Topic::Tasks, CLIENT),
    kind("document_request.returned", Topic::Tasks, CLIENT),
    kind("step.updated", Topic::Tasks, CLIENT),
    kind("step.assigned", Topic::Tasks, STAFF),
    kind("request.assigned", Topic::Tasks, STAFF),
    kind("approval.requested", Topic::Tasks, SUPER_ADMIN),
    kind("approval.approved", Topic::Tasks, STAFF),
    kind("approval.declined", Topic::Tasks, STAFF),
    kind("approval.expired", Topic::Tasks, STAFF),
    kind("spv.created", Topic::Progress, OF_ORDER),
    kind("spv.assigned", Topic::Progress, OF_ORDER),
    kind("spv.unassigned", Topic::Progress, OF_ORDER),
    kind("spv.started", Topic::Progress, OF_ORDER),
    kind("spv.processing", Topic::Progress, OF_ORDER),
    kind("step.updated", Topic::Progress, CLIENT),
    kind("spv.held", Topic::Progress, OF_ORDER),
    kind("spv.resumed", Topic::Progress, OF_ORDER),
    kind("spv.closed", Topic::Progress, OF_ORDER),
    kind("spv.cancelled", Topic::Progress, OF_ORDER),
    kind("spv.reopened", Topic::Progress, OF_ORDER),
    kind("commission.approved", Topic::Progress, PARTNER),
    kind("commission.paid", Topic::Progress, PARTNER),
    kind("commission.reversed", Topic::Progress, PARTNER),
    kind("commission.voided", Topic::Progress, PARTNER),
    kind("commission.corrected", Topic::Progress, PARTNER),
    kind("lead.converted", Topic::Progress, PARTNER),
    kind("lead.lost", Topic::Progress, PARTNER),
    kind("call.confirmed", Topic::Progress, PARTNER),
    kind("call.declined", Topic::Progress, PARTNER),
    kind("call.cancelled", Topic::Progress, PARTNER),
    kind("document.uploaded", Topic::Documents, BOTH),
    kind("document.moved", Topic::Documents, CLIENT),
    kind("document_request.submitted", Topic::Documents, STAFF),
    kind("document_request.approved", Topic::Documents, CLIENT),
    kind("document_request.waived", Topic::Documents, CLIENT),
    kind("document.infected", Topic::Documents, BOTH),
    kind("invoice.raised", Topic::Invoices, CLIENT),
    kind("invoice.part_paid", Topic::Invoices, CLIENT),
    kind("invoice.paid", Topic::Invoices, CLIENT),
    kind("invoice.voided", Topic::Invoices, CLIENT),
    kind("invoice.credited", Topic::Invoices, CLIENT),
    kind("invoice.planned", Topic::Invoices, CLIENT),
    kind("spv.price_corrected", Topic::Invoices, CLIENT),
    kind("invoice.receipt_sent", Topic::Invoices, STAFF),
    kind("request.created", Topic::Requests, STAFF),
    kind("request.withdrawn", Topic::Requests, STAFF),
    kind("lead.created", Topic::Requests, STAFF),
    kind("call.requested", Topic::Requests, STAFF),
    kind("iso.account_entered", Topic::Requests, STAFF),
    kind("iso.account_confirmed", Topic::Progress, PARTNER),
    kind("call.cancelled", Topic::Requests, STAFF),
    kind("request.in_review", Topic::Requests, ALL),
    kind("request.approved", Topic::Requests, ALL),
    kind("request.rejected", Topic::Requests, ALL),
    kind("document_request.due_soon", Topic::Reminders, CLIENT),
    kind("document_request.overdue", Topic::Reminders, CLIENT),
    kind("invoice.due_soon", Topic::Reminders, CLIENT),
    kind("invoice.overdue", Topic::Reminders, CLIENT),
    kind("step.due_soon", Topic::Reminders, BOTH),
    kind("step.overdue", Topic::Reminders, BOTH),
];

const fn kind(action: &'static str, topic: Topic, roles: &'static [Role]) -> EventKind {
    EventKind { topic, action, roles }
}

/// The kinds of events that a role is notified of.
pub fn events_of(role: Role) -> impl Iterator<Item = &'static EventKind> {
    EVENTS.iter().filter(move |event| event.roles.contains(&role))
}

pub fn event_kind(topic: Topic, action: &str) -> Option<&'static EventKind> {
    EVENTS.iter().find(|event| event.topic == topic && event.action == action)
}

/// Whether a use case mails it itself ([`MailForm::OwnOrDigest`]). Such a mail is about one order or document and has no
/// unsubscribe link.
pub fn has_own_mail(kind: &EventKind, role: Role) -> bool {
    match (kind.topic, kind.action) {
        (Topic::Progress, "spv.created" | "spv.closed") => role == Role::Client,
        (Topic::Tasks, "document_request.created" | "document_request.returned") => role == Role::Client,
        (Topic::Reminders, "step.overdue") => STAFF.contains(&role),
        _ => false,
    }
}

/// The deliveries of an event.
#[expect(clippy::too_many_lines, reason = "a table of events and recipients")]
pub fn deliveries_for(event: &Activity) -> Vec<Delivery> {
    use Audience::{Client, Company, Partner, Person, Staff, SuperAdmins};
    use Topic::{Documents, Invoices, Messages, Progress, Reminders, Requests, Tasks};
    let data = |name: &str| event.data.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let by_client = event.actor_kind == Role::Client.name();
    let notify = |audience, topic| Delivery { audience, topic, form: MailForm::Common };
    let own = |audience, topic| Delivery { audience, topic, form: MailForm::OwnOrDigest };
    let of_order = |client: Delivery| vec![client, notify(Partner, Progress), notify(Company, Progress)];
    let person = |name, topic| -> Vec<Delivery> {
        let person = data(name).parse().ok();
        person.map(|id| notify(Person(id), topic)).into_iter().collect()
    };
    let assignee = |topic| person("assignee_id", topic);
    match event.action.as_str() {
        "message.sent" | "message.general" if event.data.get("by_staff") == Some(&false.into()) => {
            vec![notify(Staff, Messages)]
        }
        "message.sent" | "message.general" => vec![notify(Client, Messages)],
        "note.written" | "note.general" => vec![notify(Staff, Messages)],
        "spv.created" | "spv.closed" => of_order(own(Client, Progress)),
        "spv.assigned" | "spv.unassigned" | "spv.started" | "spv.processing" | "spv.held" | "spv.resumed"
        | "spv.cancelled" | "spv.reopened" => of_order(notify(Client, Progress)),
        "step.updated" if !event.public => Vec::new(),
        "step.updated" => match (data("to"), data("waiting_on"), data("owner")) {
            ("completed", ..) => vec![notify(Client, Progress)],
            ("blocked", "client", _) | ("in_progress", _, "client") => vec![notify(Client, Tasks)],
            _ => Vec::new(),
        },
        "step.assigned" | "request.assigned" => assignee(Tasks),
        "approval.requested" => vec![notify(SuperAdmins, Tasks)],
        "approval.approved" | "approval.declined" | "approval.expired" => person("requester_id", Tasks),
        "step.due_soon" if event.public => vec![notify(Client, Reminders)],
        "step.due_soon" => assignee(Reminders),
        // The staff have one mail about all that is late each morning.
        "step.overdue" if event.public => vec![notify(Client, Reminders), own(Staff, Reminders)],
        "step.overdue" => vec![own(Staff, Reminders)],
        "document_request.due_soon" | "document_request.overdue" | "invoice.due_soon" | "invoice.overdue" => {
            vec![notify(Client, Reminders)]
        }
        "document_request.created" | "document_request.returned" => vec![own(Client, Tasks)],
        "document_request.approved" | "document_request.waived" => vec![notify(Client, Documents)],
        "document_request.submitted" => vec![notify(Staff, Documents)],
        "document.infected" if event.public => vec![notify(Staff, Documents), notify(Client, Documents)],
        "document.infected" => vec![notify(Staff, Documents)],
        // What it hangs on tells of it.
        "document.uploaded" if event.data.get("attach") == Some(&true.into()) => Vec::new(),
        "document.uploaded" if by_client => vec![notify(Staff, Documents)],
        "document.uploaded" => vec![notify(Client, Documents)],
        "document.moved" if event.public => vec![notify(Client, Documents)],
        "invoice.raised"
        | "invoice.paid"
        | "invoice.part_paid"
        | "invoice.voided"
        | "invoice.credited"
        | "invoice.planned"
        | "spv.price_corrected" => vec![notify(Client, Invoices)],
        "invoice.receipt_sent" => vec![notify(Staff, Invoices)],
        "lead.created" | "call.requested" | "iso.account_entered" => vec![notify(Staff, Requests)],
        "iso.account_confirmed" => vec![notify(Partner, Progress)],
        "call.cancelled" if event.actor_kind == Role::Iso.name() => vec![notify(Staff, Requests)],
        "lead.lost" if event.actor_kind == Role::Iso.name() => Vec::new(),
        "lead.converted" | "lead.lost" | "call.confirmed" | "call.declined" | "call.cancelled" => {
            vec![notify(Partner, Progress)]
        }
        "commission.approved"
        | "commission.paid"
        | "commission.reversed"
        | "commission.voided"
        | "commission.corrected" => vec![notify(Partner, Progress)],
        // Leads and calls have events of their own.
        "request.created" | "request.withdrawn"
            if ["lead_id", "call_id"].iter().any(|of| event.data.contains_key(*of)) =>
        {
            Vec::new()
        }
        "request.created" | "request.withdrawn" => vec![notify(Staff, Requests)],
        // The sender, in any role.
        "request.in_review" | "request.approved" | "request.rejected" => vec![notify(Client, Requests)],
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
    fn every_kind_of_event_has_a_name_in_each_language() {
        for key in EVENTS.iter().map(|event| format!("told.{}", event.name())) {
            for language in i18n::LANGUAGES {
                assert!(i18n::find(language, "names", &key, &Map::new()).is_some(), "{language} {key}");
            }
        }
    }

    #[test]
    fn preferences_of_each_role_are_the_events_it_is_notified_of() {
        let said = [
            json!({}),
            json!({ "by_staff": false }),
            json!({ "to": "completed" }),
            json!({ "to": "blocked", "waiting_on": "client" }),
            json!({ "assignee_id": Uuid::nil().to_string() }),
            json!({ "requester_id": Uuid::nil().to_string() }),
        ];
        let mut reached = HashSet::new();
        for action in EVENTS.iter().map(|event| event.action) {
            for actor in Role::ALL {
                for data in &said {
                    let both = [true, false].map(|public| deliveries_for(&event(action, actor, public, data)));
                    for delivery in both.into_iter().flatten() {
                        let roles: &[Role] = match delivery.audience {
                            // A sender may have any role.
                            Audience::Client if delivery.topic == Topic::Requests => ALL,
                            Audience::Client => CLIENT,
                            Audience::Staff | Audience::Person(_) => STAFF,
                            Audience::SuperAdmins => SUPER_ADMIN,
                            Audience::Partner => PARTNER,
                            Audience::Company => &[Role::CompanyAdmin],
                        };
                        reached.extend(roles.iter().map(|role| (delivery.topic, action, *role)));
                    }
                }
            }
        }
        let chosen: HashSet<_> =
            EVENTS.iter().flat_map(|event| event.roles.iter().map(|role| (event.topic, event.action, *role))).collect();
        assert_eq!(reached, chosen);
    }
}

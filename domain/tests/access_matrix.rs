//! Access matrix: role × action × resource as a reviewed snapshot. Changing a permission changes that file.
use domain::{
    Action,
    kernel::{
        access::{Actor, Portal, Resource, Role, SignedIn},
        ids::{CompanyId, IsoId, SessionId, UserId},
    },
};
use std::{fmt::Write, sync::Arc};
use uuid::Uuid;

const OWN: u128 = 1;
const FOREIGN: u128 = 2;

fn actor(role: Role) -> Actor {
    Actor::User(Arc::new(SignedIn {
        id: UserId(Uuid::from_u128(OWN)),
        session_id: SessionId(Uuid::nil()),
        role,
        name: "Somebody".to_owned(),
        email: "somebody@example.com".to_owned(),
        company_id: matches!(role, Role::Client | Role::CompanyAdmin | Role::Iso)
            .then(|| CompanyId(Uuid::from_u128(OWN))),
        iso_id: matches!(role, Role::Client | Role::Iso).then(|| IsoId(Uuid::from_u128(OWN))),
        language: "en-US".to_owned(),
        time_zone: "UTC".to_owned(),
        must_change_password: false,
        proven_at: None,
        mfa: domain::kernel::access::Mfa::default(),
        begun_by: None,
        impersonator: None,
    }))
}

fn resources() -> Vec<(&'static str, Resource)> {
    let user = |n| UserId(Uuid::from_u128(n));
    let company = |n| CompanyId(Uuid::from_u128(n));
    let iso = |n| IsoId(Uuid::from_u128(n));
    vec![
        ("own client", Resource::Client { id: user(OWN), company_id: Some(company(OWN)), iso_id: Some(iso(OWN)) }),
        (
            "foreign client",
            Resource::Client { id: user(FOREIGN), company_id: Some(company(FOREIGN)), iso_id: Some(iso(FOREIGN)) },
        ),
        ("unassigned client", Resource::Client { id: user(FOREIGN), company_id: None, iso_id: None }),
        ("own company", Resource::Company { id: company(OWN) }),
        ("foreign company", Resource::Company { id: company(FOREIGN) }),
        ("own iso", Resource::Iso { id: iso(OWN), company_id: company(OWN) }),
        ("foreign iso", Resource::Iso { id: iso(FOREIGN), company_id: company(FOREIGN) }),
        ("own spv", Resource::Spv { client_id: user(OWN), company_id: company(OWN), iso_id: Some(iso(OWN)) }),
        (
            "foreign spv",
            Resource::Spv { client_id: user(FOREIGN), company_id: company(FOREIGN), iso_id: Some(iso(FOREIGN)) },
        ),
        ("own document", Resource::Document { client_id: user(OWN), internal: false }),
        ("internal document", Resource::Document { client_id: user(OWN), internal: true }),
        ("foreign document", Resource::Document { client_id: user(FOREIGN), internal: false }),
        ("own doc. request", Resource::DocumentRequest { client_id: user(OWN) }),
        ("foreign doc. request", Resource::DocumentRequest { client_id: user(FOREIGN) }),
        ("own upload", Resource::Upload { user_id: Some(user(OWN)) }),
        ("foreign upload", Resource::Upload { user_id: Some(user(FOREIGN)) }),
        ("new client", Resource::NewClient),
        ("new company", Resource::NewCompany),
        ("new iso", Resource::NewIso),
        ("new spv", Resource::NewSpv),
        ("own thread", Resource::Thread { client_id: user(OWN) }),
        ("foreign thread", Resource::Thread { client_id: user(FOREIGN) }),
        ("revenue", Resource::Revenue),
        ("template", Resource::Template),
        ("users", Resource::Users),
        ("imports", Resource::Imports),
        ("mails", Resource::Mails),
        ("jobs", Resource::Jobs),
        ("requests", Resource::Requests),
        ("own request", Resource::Request { user_id: Some(user(OWN)) }),
        ("foreign request", Resource::Request { user_id: Some(user(FOREIGN)) }),
        ("anonymous request", Resource::Request { user_id: None }),
        ("order request", Resource::OrderRequest),
        ("own invoice", Resource::Invoice { client_id: user(OWN) }),
        ("foreign invoice", Resource::Invoice { client_id: user(FOREIGN) }),
        ("billing", Resource::Billing),
        ("ledger", Resource::Commissions),
        ("own commission", Resource::Commission { company_id: company(OWN), iso_id: iso(OWN) }),
        ("foreign commission", Resource::Commission { company_id: company(FOREIGN), iso_id: iso(FOREIGN) }),
        ("payouts", Resource::Payouts),
        ("own account", Resource::PayoutAccount { iso_id: iso(OWN) }),
        ("foreign account", Resource::PayoutAccount { iso_id: iso(FOREIGN) }),
        ("leads", Resource::Leads),
        ("own lead", Resource::Lead { iso_id: iso(OWN) }),
        ("foreign lead", Resource::Lead { iso_id: iso(FOREIGN) }),
        ("new lead", Resource::NewLead),
        ("calls", Resource::Calls),
        ("own call", Resource::Call { iso_id: iso(OWN) }),
        ("foreign call", Resource::Call { iso_id: iso(FOREIGN) }),
        ("new call", Resource::NewCall),
        ("iso notes", Resource::IsoNotes),
        ("own schedule", Resource::ReportSchedule { company_id: company(OWN) }),
        ("foreign schedule", Resource::ReportSchedule { company_id: company(FOREIGN) }),
        ("settings", Resource::Settings),
        ("system", Resource::System),
        ("approvals", Resource::Approvals),
        ("own approval", Resource::Approval { requester: Some(user(OWN)) }),
        ("other approval", Resource::Approval { requester: Some(user(FOREIGN)) }),
        ("activity log", Resource::Activity),
        ("test data", Resource::TestData),
        ("client dashboard", Resource::Dashboard(Portal::Client)),
        ("employee dashboard", Resource::Dashboard(Portal::Employee)),
        ("iso dashboard", Resource::Dashboard(Portal::Iso)),
        ("company dashboard", Resource::Dashboard(Portal::Company)),
        ("admin dashboard", Resource::Dashboard(Portal::Admin)),
    ]
}

#[test]
fn access_matrix() {
    let mut table = String::from("y: may   -: sees it and may not (403)   .: does not exist for them (404)\n\n");
    let _ = write!(table, "{:<20}{:<20}", "", "");
    for role in Role::ALL {
        let _ = write!(table, "{:>15}", role.name());
    }
    table.push('\n');
    for (name, resource) in resources() {
        for action in Action::ALL {
            let answers: Vec<char> = Role::ALL
                .iter()
                .map(|role| match actor(*role).may(action, resource) {
                    Ok(()) => 'y',
                    Err(domain::Error::NotFound(_)) => '.',
                    Err(_) => '-',
                })
                .collect();
            // Omitted: an action that no role has on a resource is a meaningless combination.
            if !answers.contains(&'y') {
                continue;
            }
            let _ = write!(table, "{name:<20}{:<20}", format!("{action:?}"));
            for answer in answers {
                let _ = write!(table, "{answer:>15}");
            }
            table.push('\n');
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn anonymous_is_denied_everything_and_the_operator_nothing() {
    for (name, resource) in resources() {
        for action in Action::ALL {
            assert!(matches!(Actor::Anonymous.may(action, resource), Err(domain::Error::Unauthenticated(_))), "{name}");
            assert!(Actor::Operator("root".to_owned()).may(action, resource).is_ok(), "{name}");
        }
    }
}

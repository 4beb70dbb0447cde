//! Access policy: every authorization rule of the five roles (roles, decision 18; visibility of rows, decision 25; archive and
//! delete, decision 26).
//!
//! A use case calls `ctx.may(action, resource)` before anything else. Rows outside the actor's scope are `NotFound`; rows that
//! the actor may see but not change are `Forbidden`. Lists take a [`Scope`].
use crate::kernel::{
    error::{Error, Result},
    ids::{CompanyId, IsoId, SessionId, UserId},
};
use chrono::{DateTime, Utc};
use std::sync::Arc;

crate::kernel::text_enum! {
    /// The role of an account, from our tables only: roles in sign-up metadata are ignored (roles, decision 18).
    pub enum Role {
        Client = "client",
        Iso = "iso",
        Employee = "employee",
        CompanyAdmin = "company_admin",
        SuperAdmin = "super_admin",
    }
}

/// Prefix of [`Actor::code`] for actors without a name.
pub(crate) const ACTOR_PREFIX: &str = "actor:";

/// The actor of a use case.
#[derive(Clone, Debug)]
pub enum Actor {
    /// Not signed in: may read public content and send a contact request.
    Anonymous,
    User(Arc<SignedIn>),
    /// A background job, by name.
    System(&'static str),
    /// A user of the command line, by operating system user. Has the rights of a super admin.
    Operator(String),
    /// A program with a service token. Has the rights of a super admin.
    Service,
}

/// The user of a session, read from our tables.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub id: UserId,
    pub session_id: SessionId,
    pub role: Role,
    pub name: String,
    pub email: String,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    pub language: String,
    pub time_zone: String,
    /// The password was set by someone else and must be changed first (Quick Setup and Full Setup, decision 20).
    pub must_change_password: bool,
    pub mfa: Mfa,
    /// Unix time of the last authentication, from the token; a refresh is none. Unset outside of a session.
    pub proven_at: Option<i64>,
    /// The administrator by whose link or password the session began ([`Actor::code`]); its writes name both.
    pub begun_by: Option<String>,
    /// The impersonating super admin; impersonated sessions are read-only.
    pub impersonator: Option<Impersonator>,
}

/// A super admin who impersonates a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonator {
    pub id: UserId,
    pub name: String,
    /// The super admin's own session; the impersonation ends with it.
    pub session_id: SessionId,
    pub until: DateTime<Utc>,
}

/// The second-factor state of a session (multi-factor authentication). Default: not required, not verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mfa {
    /// The settings require one for this role.
    pub required: bool,
    /// The user has one.
    pub enrolled: bool,
    /// It was verified in this session.
    pub aal2: bool,
}

/// The second-factor step that a session must complete first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingRequirement {
    /// Verify the second factor.
    Challenge,
    /// Enroll one.
    Enrol,
}

impl Mfa {
    /// Users with a factor must verify it; users whose role requires one must enroll first.
    pub fn pending(self) -> Option<PendingRequirement> {
        match self {
            Self { aal2: true, .. } => None,
            Self { enrolled: true, .. } => Some(PendingRequirement::Challenge),
            Self { required, .. } => required.then_some(PendingRequirement::Enrol),
        }
    }

    pub fn aal(self) -> &'static str {
        if self.aal2 { "aal2" } else { "aal1" }
    }
}

impl SignedIn {
    /// Whether the user may write in maintenance mode.
    pub fn may_write_in_maintenance(&self) -> bool {
        self.role == Role::SuperAdmin
    }

    /// Checks that no second factor and no password change is pending.
    ///
    /// # Errors
    /// Forbidden `mfa_required`, `password_change_required`, `mfa_enrolment_required`.
    pub fn check_fully_authenticated(&self) -> Result<()> {
        match self.mfa.pending() {
            Some(PendingRequirement::Challenge) => Err(Error::forbidden("mfa_required")),
            _ if self.must_change_password => Err(Error::forbidden("password_change_required")),
            Some(PendingRequirement::Enrol) => Err(Error::forbidden("mfa_enrolment_required")),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    View,
    Create,
    Update,
    Invite,
    Suspend,
    Archive,
    Delete,
    Start,
    Hold,
    Resume,
    Cancel,
    Reopen,
    /// Another client, company or ISO partner of an order.
    Reassign,
    UpdateSteps,
    /// Change a step of a closed order, which reopens it (reopened steps, decision 4).
    UpdateClosedSteps,
    Seed,
    Send,
    /// Upload a document.
    Upload,
    /// Restore an older version.
    Restore,
    /// Approve or reject an upload.
    Review,
    /// View the portal as another user.
    Impersonate,
}

impl Action {
    pub const ALL: [Self; 21] = [
        Self::View,
        Self::Create,
        Self::Update,
        Self::Invite,
        Self::Suspend,
        Self::Archive,
        Self::Delete,
        Self::Start,
        Self::Hold,
        Self::Resume,
        Self::Cancel,
        Self::Reopen,
        Self::Reassign,
        Self::UpdateSteps,
        Self::UpdateClosedSteps,
        Self::Seed,
        Self::Send,
        Self::Upload,
        Self::Restore,
        Self::Review,
        Self::Impersonate,
    ];
}

/// The resource of an action: the noun and its owners.
#[derive(Clone, Copy, Debug)]
pub enum Resource {
    Client {
        id: UserId,
        company_id: Option<CompanyId>,
        iso_id: Option<IsoId>,
    },
    /// A client, company, ISO partner or order to create.
    NewClient,
    Company {
        id: CompanyId,
    },
    NewCompany,
    Iso {
        id: IsoId,
        company_id: CompanyId,
    },
    NewIso,
    Spv {
        client_id: UserId,
        company_id: CompanyId,
        iso_id: Option<IsoId>,
    },
    NewSpv,
    /// For the client and staff only; internal documents for staff only.
    Document {
        client_id: UserId,
        internal: bool,
    },
    /// A request for a document from a client.
    DocumentRequest {
        client_id: UserId,
    },
    /// An upload in progress; only for its sender.
    Upload {
        user_id: Option<UserId>,
    },
    /// The revenue of the office: super admins only (price and purchase amount, decision 14).
    Revenue,
    /// Accounts of every role, sessions included.
    Users,
    /// Import of files, and its undo.
    Imports,
    /// The mail outbox, and sending mails by hand.
    Mails,
    Jobs,
    /// The request desk.
    Requests,
    /// A request; its sender, if signed in, may see it.
    Request {
        user_id: Option<UserId>,
    },
    /// A client's request for an order.
    OrderRequest,
    /// An invoice; for the client and staff.
    Invoice {
        client_id: UserId,
    },
    /// The overview of invoices, and new ones.
    Billing,
    /// The commission ledger.
    Commissions,
    /// A row of the ledger.
    Commission {
        company_id: CompanyId,
        iso_id: IsoId,
    },
    /// Payout runs.
    Payouts,
    /// The bank account of an ISO partner; for the partner and staff.
    PayoutAccount {
        iso_id: IsoId,
    },
    /// Leads of ISO partners, for the partner and staff.
    Leads,
    Lead {
        iso_id: IsoId,
    },
    NewLead,
    /// Calls that ISO partners request.
    Calls,
    Call {
        iso_id: IsoId,
    },
    NewCall,
    /// Private notes of an ISO partner.
    IsoNotes,
    Settings,
    /// Health checks, alerts and the security scan.
    System,
    /// The step template of new orders.
    Template,
    /// The price list.
    Services,
    /// Acts that wait for a second super admin.
    Approvals,
    /// One of them; its requester sees it and may withdraw it.
    Approval {
        requester: Option<UserId>,
    },
    /// The activity log of the whole office.
    Activity,
    TestData,
    /// The message thread with a client.
    Thread {
        client_id: UserId,
    },
    /// A scheduled report; for the company's admins and super admins.
    ReportSchedule {
        company_id: CompanyId,
    },
    /// The counters of a portal's dashboard.
    Dashboard(Portal),
}

/// The portals of the roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portal {
    Client,
    Employee,
    Iso,
    Company,
    Admin,
}

impl Resource {
    pub fn noun(self) -> &'static str {
        match self {
            Self::Client { .. } | Self::NewClient => "client",
            Self::Company { .. } | Self::NewCompany => "company",
            Self::Iso { .. } | Self::NewIso => "iso",
            Self::Spv { .. } | Self::NewSpv => "spv",
            Self::Document { .. } => "document",
            Self::DocumentRequest { .. } => "document_request",
            Self::Upload { .. } => "upload",
            Self::Revenue => "revenue",
            Self::Users => "user",
            Self::Imports => "import",
            Self::Mails => "mail",
            Self::Jobs => "job",
            Self::Requests | Self::Request { .. } | Self::OrderRequest => "request",
            Self::Invoice { .. } => "invoice",
            Self::Billing => "billing",
            Self::Commissions | Self::Commission { .. } => "commission",
            Self::Payouts => "payout_run",
            Self::PayoutAccount { .. } => "iso",
            Self::Leads | Self::Lead { .. } | Self::NewLead => "lead",
            Self::Calls | Self::Call { .. } | Self::NewCall => "call",
            Self::IsoNotes => "note",
            Self::Settings => "settings",
            Self::System => "system",
            Self::Template => "template",
            Self::Services => "service",
            Self::Approvals | Self::Approval { .. } => "approval",
            Self::Activity => "activity",
            Self::TestData => "test_data",
            Self::Thread { .. } => "thread",
            Self::ReportSchedule { .. } => "report_schedule",
            Self::Dashboard(_) => "dashboard",
        }
    }
}

/// The rows of a list that an actor may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    All,
    Company(CompanyId),
    Iso(IsoId),
    Client(UserId),
    /// No rows: a company admin without a company, for example.
    Nothing,
}

/// The result of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Allow,
    Deny,
    /// Denied without revealing the row.
    Hide,
}

impl Actor {
    /// Authorizes an action; see [`crate::Ctx::may`].
    ///
    /// # Errors
    /// Unauthenticated, NotFound or Forbidden.
    pub fn may(&self, action: Action, resource: Resource) -> Result<()> {
        let decision = match self {
            Self::Anonymous => return Err(Error::unauthenticated("unauthenticated")),
            Self::System(_) | Self::Operator(_) | Self::Service => Decision::Allow,
            Self::User(user) => {
                user.check_fully_authenticated()?;
                rule(user, action, resource)
            }
        };
        match decision {
            Decision::Allow => Ok(()),
            Decision::Deny => Err(Error::forbidden("forbidden")),
            Decision::Hide => Err(Error::NotFound(resource.noun())),
        }
    }

    /// The scope of the actor's lists.
    ///
    /// # Errors
    /// Unauthenticated; Forbidden as [`SignedIn::check_fully_authenticated`].
    pub fn scope(&self) -> Result<Scope> {
        if let Self::User(user) = self {
            user.check_fully_authenticated()?;
        }
        Ok(match self {
            Self::Anonymous => return Err(Error::unauthenticated("unauthenticated")),
            Self::System(_) | Self::Operator(_) | Self::Service => Scope::All,
            Self::User(user) => match user.role {
                Role::SuperAdmin | Role::Employee => Scope::All,
                Role::CompanyAdmin => user.company_id.map_or(Scope::Nothing, Scope::Company),
                Role::Iso => user.iso_id.map_or(Scope::Nothing, Scope::Iso),
                Role::Client => Scope::Client(user.id),
            },
        })
    }

    /// The company of the company portal: a company admin's own, or the one a super admin selects (visibility of rows,
    /// decision 25).
    /// Use cases ask through `companies::portal`, which reads the row too.
    ///
    /// # Errors
    /// Unauthenticated; Forbidden for other roles; NotFound for another company; Invalid
    /// `company_id` if a super admin selects none.
    pub fn company(&self, picked: Option<CompanyId>) -> Result<CompanyId> {
        self.may(Action::View, Resource::Dashboard(Portal::Company))?;
        match (self.scope()?, picked) {
            (Scope::Company(own), Some(id)) if id != own => Err(Error::NotFound("company")),
            (Scope::Company(own), _) => Ok(own),
            (_, Some(id)) => Ok(id),
            (_, None) => Err(Error::field("company_id", "required")),
        }
    }

    pub fn role(&self) -> Option<Role> {
        match self {
            Self::User(user) => Some(user.role),
            _ => None,
        }
    }

    pub fn user_id(&self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user.id),
            _ => None,
        }
    }

    /// The company of the actor's account.
    pub fn company_id(&self) -> Option<CompanyId> {
        match self {
            Self::User(user) => user.company_id,
            _ => None,
        }
    }

    /// The impersonating super admin, if there is one.
    pub fn impersonator(&self) -> Option<&Impersonator> {
        match self {
            Self::User(user) => user.impersonator.as_ref(),
            _ => None,
        }
    }

    /// Staff, the operator and our own jobs read staff-only fields (notes, authors of changes).
    pub fn is_staff(&self) -> bool {
        match self {
            Self::Anonymous => false,
            Self::System(_) | Self::Operator(_) | Self::Service => true,
            Self::User(user) => matches!(user.role, Role::Employee | Role::SuperAdmin),
        }
    }

    /// Commissions are for the office, ISO partners and companies; never for clients.
    pub fn sees_commission(&self) -> bool {
        !matches!(self.role(), Some(Role::Client)) && !matches!(self, Self::Anonymous)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::User(user) => user.role.name(),
            Self::System(_) => "system",
            Self::Operator(_) => "operator",
            Self::Service => "service",
        }
    }

    /// The name of a user, operator or job; empty for visitors and programs, which are named by their kind
    /// ([`crate::kernel::i18n::actor`]).
    pub fn name(&self) -> String {
        match self {
            Self::User(user) => user.name.clone(),
            Self::System(job) => (*job).to_owned(),
            Self::Operator(name) => name.clone(),
            Self::Anonymous | Self::Service => String::new(),
        }
    }

    /// The actor as one text, as stored in `updated_by`: a name, or a code such as `actor:anonymous`
    /// ([`crate::kernel::i18n::actor_of_code`]).
    pub fn code(&self) -> String {
        match self {
            Self::Anonymous | Self::Service | Self::System(_) => format!("{ACTOR_PREFIX}{}", self.kind()),
            _ => self.name(),
        }
    }
}

/// SQL condition: whether an account of this company, ISO partner and role is shut out because the company, or the partner
/// whose person it is, is archived (archive and delete, decision 26). A client of an archived partner is not shut out.
pub(crate) fn is_shut_out_sql(company: &str, iso: &str, role: &str) -> String {
    format!(
        "(exists (select 1 from companies where id = {company} and archived_at is not null) \
         or ({role} = 'iso' and exists (select 1 from isos where id = {iso} and archived_at is not null)))"
    )
}

#[expect(clippy::too_many_lines, reason = "a table of actions and resources")]
fn rule(user: &SignedIn, action: Action, resource: Resource) -> Decision {
    use Action::{
        Archive, Cancel, Create, Delete, Hold, Impersonate, Invite, Reassign, Reopen, Restore, Resume, Review, Seed,
        Send, Start, Suspend, Update, UpdateClosedSteps, UpdateSteps, Upload, View,
    };
    let staff = matches!(user.role, Role::Employee | Role::SuperAdmin);
    let own = match resource {
        Resource::Client { id, company_id, iso_id } => is_in_scope(user, Some(id), company_id, iso_id),
        Resource::Company { id } => is_in_scope(user, None, Some(id), None) || user.company_id == Some(id),
        Resource::Iso { id, company_id } => is_in_scope(user, None, Some(company_id), Some(id)),
        Resource::Spv { client_id, company_id, iso_id } => is_in_scope(user, Some(client_id), Some(company_id), iso_id),
        Resource::Commission { company_id, iso_id } => {
            user.role != Role::Client && is_in_scope(user, None, Some(company_id), Some(iso_id))
        }
        Resource::Lead { iso_id } | Resource::Call { iso_id } | Resource::PayoutAccount { iso_id } => {
            staff || (user.role == Role::Iso && user.iso_id == Some(iso_id))
        }
        Resource::Thread { client_id } => is_in_scope(user, Some(client_id), None, None),
        Resource::Document { client_id, internal } => {
            staff || (user.role == Role::Client && user.id == client_id && !internal)
        }
        Resource::DocumentRequest { client_id } => staff || (user.role == Role::Client && user.id == client_id),
        Resource::Upload { user_id } => user_id == Some(user.id),
        Resource::ReportSchedule { company_id } => {
            user.role == Role::SuperAdmin || (user.role == Role::CompanyAdmin && user.company_id == Some(company_id))
        }
        _ => false,
    };
    let top = user.role == Role::SuperAdmin;
    let when = |allowed: bool| if allowed { Decision::Allow } else { Decision::Deny };
    match (resource, action) {
        (
            Resource::Client { .. }
            | Resource::Company { .. }
            | Resource::Iso { .. }
            | Resource::Spv { .. }
            | Resource::Thread { .. }
            | Resource::Document { .. }
            | Resource::DocumentRequest { .. }
            | Resource::Upload { .. }
            | Resource::Commission { .. }
            | Resource::Lead { .. }
            | Resource::Call { .. }
            | Resource::PayoutAccount { .. }
            | Resource::ReportSchedule { .. },
            _,
        ) if !own => Decision::Hide,
        (Resource::Client { .. }, View) => Decision::Allow,
        (Resource::Client { .. }, Update | Invite | Suspend | Archive) => when(staff),
        (Resource::Company { .. } | Resource::Iso { .. }, View) => Decision::Allow,
        (Resource::Company { .. } | Resource::Iso { .. }, Update | Archive) => when(staff),
        (Resource::Company { .. } | Resource::Iso { .. }, Delete) => when(top),
        (Resource::Spv { .. }, View) => Decision::Allow,
        (Resource::Spv { .. }, Update | Hold | Resume | Cancel | UpdateSteps | Send) => when(staff),
        (Resource::Spv { .. }, Start | Reopen | Reassign | UpdateClosedSteps) => when(top),
        (Resource::Document { .. } | Resource::DocumentRequest { .. }, View | Upload) => Decision::Allow,
        (Resource::Document { .. }, Restore | Update | Delete) => when(staff),
        (Resource::DocumentRequest { .. }, Create | Update | Review) => when(staff),
        (Resource::Upload { .. }, Upload) => Decision::Allow,
        (Resource::NewClient | Resource::NewCompany | Resource::NewIso | Resource::NewSpv, Create) => when(staff),
        (Resource::Requests, View) => when(staff),
        (Resource::Request { user_id }, _) if !staff && user_id != Some(user.id) => Decision::Hide,
        (Resource::Request { .. }, View) => Decision::Allow,
        // Staff decide; only the sender withdraws.
        (Resource::Request { .. }, Update) => when(staff),
        (Resource::Request { user_id }, Cancel) => when(user_id == Some(user.id)),
        (Resource::Invoice { client_id }, _) if !staff && (user.role != Role::Client || client_id != user.id) => {
            Decision::Hide
        }
        (Resource::Invoice { .. }, View | Send) => Decision::Allow,
        (Resource::Invoice { .. }, Update | Cancel) => when(staff),
        (Resource::Billing, View) => when(staff || user.role == Role::Client),
        (Resource::Billing, Create) => when(staff),
        (Resource::Leads | Resource::Calls, View) => when(staff || user.role == Role::Iso),
        (Resource::NewLead | Resource::NewCall | Resource::IsoNotes, Create | View) => {
            when(user.role == Role::Iso && user.iso_id.is_some())
        }
        (Resource::Lead { .. }, View | Update) => Decision::Allow,
        (Resource::Call { .. }, View | Cancel) => Decision::Allow,
        (Resource::Call { .. }, Review) => when(staff),
        (Resource::Commissions, View) => when(user.role != Role::Client),
        (Resource::Commission { .. }, View) => Decision::Allow,
        (Resource::Commissions, Update) | (Resource::Payouts, View | Create | Update) => when(staff),
        // Employees see those that they asked for.
        (Resource::Approvals, View) => when(staff),
        (Resource::Approvals, Review) => when(top),
        (Resource::Approval { requester }, _) if !top && (!staff || requester != Some(user.id)) => Decision::Hide,
        (Resource::Approval { .. }, View) => Decision::Allow,
        (Resource::Approval { .. }, Review) => when(top),
        (Resource::Approval { requester }, Cancel) => when(requester == Some(user.id)),
        (Resource::PayoutAccount { .. }, View) => Decision::Allow,
        // The partner enters it, the staff confirm it.
        (Resource::PayoutAccount { .. }, Update) => when(!staff),
        (Resource::PayoutAccount { .. }, Review) => when(staff),
        (Resource::OrderRequest, Create) => when(user.role == Role::Client),
        (Resource::ReportSchedule { .. }, View | Create | Update | Delete) => Decision::Allow,
        (Resource::Dashboard(portal), View) => when(match portal {
            Portal::Client => user.role == Role::Client,
            Portal::Employee => staff,
            Portal::Iso => user.role == Role::Iso && user.iso_id.is_some(),
            Portal::Company => top || (user.role == Role::CompanyAdmin && user.company_id.is_some()),
            Portal::Admin => top,
        }),
        (Resource::Mails, Send) => when(staff),
        (
            Resource::Mails
            | Resource::Jobs
            | Resource::Activity
            | Resource::Users
            | Resource::Revenue
            | Resource::System
            | Resource::Imports,
            View,
        ) => when(top),
        (Resource::Imports, Create) => when(top),
        (Resource::Users, Create | Update | Suspend | Archive | Impersonate) => when(top),
        (Resource::Template, View) => when(staff),
        // Clients choose from it when they request an order.
        (Resource::Services, View) => when(staff || user.role == Role::Client),
        (Resource::Settings | Resource::System | Resource::Template | Resource::Services, Update)
        | (Resource::Jobs, Update) => when(top),
        (Resource::TestData, Seed) => when(staff),
        (Resource::Thread { .. }, View | Send) => Decision::Allow,
        // Internal notes.
        (Resource::Thread { .. }, Update) => when(staff),
        _ => Decision::Deny,
    }
}

/// Whether a row of this client, company and ISO partner is in the user's scope.
fn is_in_scope(user: &SignedIn, client: Option<UserId>, company: Option<CompanyId>, iso: Option<IsoId>) -> bool {
    match user.role {
        Role::SuperAdmin | Role::Employee => true,
        Role::CompanyAdmin => user.company_id.is_some() && user.company_id == company,
        Role::Iso => user.iso_id.is_some() && user.iso_id == iso,
        Role::Client => client == Some(user.id),
    }
}

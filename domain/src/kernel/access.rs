//! Who may do what: every rule of the five roles, in this one file (decisions 18, 25 and 26).
//!
//! A use case asks `ctx.may(action, resource)` before it decides anything. A row that is not yours does not
//! exist (`NotFound`); a row that you may see and not change is `Forbidden`. Lists take [`Scope`] instead.
use crate::kernel::{
    error::{Error, Problem, Result},
    ids::{CompanyId, IsoId, SessionId, UserId},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Roles live in our tables only; what sign-up metadata claims is ignored.
// Decision 18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Role {
    Client,
    Iso,
    Employee,
    CompanyAdmin,
    SuperAdmin,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Client, Self::Iso, Self::Employee, Self::CompanyAdmin, Self::SuperAdmin];

    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Iso => "iso",
            Self::Employee => "employee",
            Self::CompanyAdmin => "company_admin",
            Self::SuperAdmin => "super_admin",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|role| role.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

/// What the code of an actor without a name begins with.
pub(crate) const ACTOR: &str = "actor:";

/// Who acts.
#[derive(Clone, Debug)]
pub enum Actor {
    /// Nobody signed in: may read what is public and write a contact request.
    Anonymous,
    User(Arc<SignedIn>),
    /// A background job, by name.
    System(&'static str),
    /// Somebody with a shell on the machine, by operating system user. May do what a super admin may.
    Operator(String),
    /// A program that holds a service token, which the operator gave it. May do what a super admin may.
    Service,
}

/// What a session says about its user, read from our tables.
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
    /// Signed in with a password that somebody else chose: nothing is open until there is an own one (decision 20).
    pub must_change_password: bool,
    pub mfa: Mfa,
    /// When the token says that somebody proved last who they are, in seconds since 1970; refreshes are no proof.
    pub proven_at: Option<i64>,
    /// A super admin who only looks: nothing is written in this person's name.
    pub impersonator: Option<Impersonator>,
}

/// Who looks at the portal as somebody else sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonator {
    pub id: UserId,
    pub name: String,
    /// The super admin's own session, with which this ends.
    pub session_id: SessionId,
    pub until: DateTime<Utc>,
}

/// How a session stands with second factors. Default: none is needed and none was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mfa {
    /// The office wants one of everybody with this role.
    pub required: bool,
    /// The person has one.
    pub enrolled: bool,
    /// It was shown in this session.
    pub aal2: bool,
}

/// What a session owes before anything of the office opens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Showing the second factor.
    Challenge,
    /// Getting one.
    Enrol,
}

impl Mfa {
    /// Whoever has a factor must always show it; whose role needs one must get it first.
    pub fn due(self) -> Option<Due> {
        match self {
            Self { aal2: true, .. } => None,
            Self { enrolled: true, .. } => Some(Due::Challenge),
            Self { required, .. } => required.then_some(Due::Enrol),
        }
    }

    pub fn aal(self) -> &'static str {
        if self.aal2 { "aal2" } else { "aal1" }
    }
}

impl SignedIn {
    /// Goes on changing things while the portal is being maintained.
    pub fn maintains(&self) -> bool {
        self.role == Role::SuperAdmin
    }

    /// # Errors
    /// Forbidden `mfa_required`, `password_change_required`, `mfa_enrolment_required`: what is due first.
    pub fn owes_nothing(&self) -> Result<()> {
        match self.mfa.due() {
            Some(Due::Challenge) => Err(Error::forbidden("mfa_required")),
            _ if self.must_change_password => Err(Error::forbidden("password_change_required")),
            Some(Due::Enrol) => Err(Error::forbidden("mfa_enrolment_required")),
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
    UpdateSteps,
    /// Change a step of a closed order, which reopens it (decision 4).
    UpdateClosedSteps,
    Seed,
    Send,
    /// Send a file in.
    Upload,
    /// Bring an older version back.
    Restore,
    /// Say whether what was sent in will do.
    Review,
    /// See the portal as somebody else does.
    Impersonate,
}

impl Action {
    pub const ALL: [Self; 20] = [
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

/// What it is done to: the noun, and whose it is.
#[derive(Clone, Copy, Debug)]
pub enum Resource {
    Client {
        id: UserId,
        company_id: Option<CompanyId>,
        iso_id: Option<IsoId>,
    },
    /// A client, company, ISO or order that is still to be made.
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
    /// Between a client and the staff; partners and companies have no part in it. Nor has the client in an internal one.
    Document {
        client_id: UserId,
        internal: bool,
    },
    /// What the staff ask a client for.
    DocumentRequest {
        client_id: UserId,
    },
    /// Something on its way in: its sender's alone.
    Upload {
        user_id: Option<UserId>,
    },
    /// The sum of fees: super admins only (decision 14).
    Revenue,
    /// Accounts of every role, sessions included.
    Users,
    /// The outbox and the sending of mails.
    Mails,
    Jobs,
    /// Everybody's requests.
    Requests,
    /// A request; whoever sent it signed in may know of it.
    Request {
        user_id: Option<UserId>,
    },
    /// An order that its client asks for.
    OrderRequest,
    /// What a client owes; between the client and the office.
    Invoice {
        client_id: UserId,
    },
    /// What is owed in all.
    Billing,
    /// The ledger of what partners earn.
    Commissions,
    /// A row of it.
    Commission {
        company_id: CompanyId,
        iso_id: IsoId,
    },
    /// The runs in which it is paid.
    Payouts,
    /// People whom partners may bring: a partner's own, and the staff's.
    Leads,
    Lead {
        iso_id: IsoId,
    },
    NewLead,
    /// Conversations that partners ask for.
    Calls,
    Call {
        iso_id: IsoId,
    },
    NewCall,
    /// What a partner keeps for itself.
    IsoNotes,
    Settings,
    /// How the portal runs: what was probed, what went wrong, what was looked through.
    System,
    /// The work that orders begin with.
    Template,
    /// The office's own log.
    Activity,
    TestData,
    /// The conversation with a client: theirs and the staff's.
    Thread {
        client_id: UserId,
    },
    /// A report that is mailed again and again: the company's admins', and the super admins'.
    ReportSchedule {
        company_id: CompanyId,
    },
    /// The counters of a portal's dashboard.
    Dashboard(Portal),
}

/// The portals people sign in to.
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
            Self::Mails => "mail",
            Self::Jobs => "job",
            Self::Requests | Self::Request { .. } | Self::OrderRequest => "request",
            Self::Invoice { .. } => "invoice",
            Self::Billing => "billing",
            Self::Commissions | Self::Commission { .. } => "commission",
            Self::Payouts => "payout_run",
            Self::Leads | Self::Lead { .. } | Self::NewLead => "lead",
            Self::Calls | Self::Call { .. } | Self::NewCall => "call",
            Self::IsoNotes => "note",
            Self::Settings => "settings",
            Self::System => "system",
            Self::Template => "template",
            Self::Activity => "activity",
            Self::TestData => "test_data",
            Self::Thread { .. } => "thread",
            Self::ReportSchedule { .. } => "report_schedule",
            Self::Dashboard(_) => "dashboard",
        }
    }
}

/// Which rows of a list an actor may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    All,
    Company(CompanyId),
    Iso(IsoId),
    Client(UserId),
    /// A role without what it needs: a company admin without a company.
    Nothing,
}

/// The rule's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    Hidden,
}

impl Actor {
    /// # Errors
    /// Unauthenticated, NotFound or Forbidden, as [`crate::Ctx::may`] says.
    pub fn may(&self, action: Action, resource: Resource) -> Result<()> {
        let verdict = match self {
            Self::Anonymous => return Err(Error::unauthenticated("unauthenticated")),
            Self::System(_) | Self::Operator(_) | Self::Service => Verdict::Yes,
            Self::User(user) => {
                user.owes_nothing()?;
                rule(user, action, resource)
            }
        };
        match verdict {
            Verdict::Yes => Ok(()),
            Verdict::No => Err(Error::forbidden("forbidden")),
            Verdict::Hidden => Err(Error::NotFound(resource.noun())),
        }
    }

    /// # Errors
    /// Unauthenticated for nobody; Forbidden as [`SignedIn::owes_nothing`] says.
    pub fn scope(&self) -> Result<Scope> {
        if let Self::User(user) = self {
            user.owes_nothing()?;
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

    /// Whose company portal it is: a company admin's own, and the one that a super admin picks (decision 25).
    /// Use cases ask through `companies::portal`, which reads the row too.
    ///
    /// # Errors
    /// Unauthenticated; Forbidden for other roles; NotFound for a company that is not the actor's; Invalid
    /// `company_id` where one must be picked and none was.
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

    /// The company that the actor's account belongs to.
    pub fn company_id(&self) -> Option<CompanyId> {
        match self {
            Self::User(user) => user.company_id,
            _ => None,
        }
    }

    /// The super admin behind it, where somebody only looks at the portal as this person.
    pub fn impersonator(&self) -> Option<&Impersonator> {
        match self {
            Self::User(user) => user.impersonator.as_ref(),
            _ => None,
        }
    }

    /// Staff, the operator and our own jobs read staff-only fields (notes, who changed what).
    pub fn is_staff(&self) -> bool {
        match self {
            Self::Anonymous => false,
            Self::System(_) | Self::Operator(_) | Self::Service => true,
            Self::User(user) => matches!(user.role, Role::Employee | Role::SuperAdmin),
        }
    }

    /// Commission is between the office, the ISO and the company; clients never see it.
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

    /// The name of a person, of the operator's login or of a job. Visitors and programs have none: beside the
    /// [`Actor::kind`] the reader's catalogue has a word for them ([`crate::kernel::i18n::actor`]).
    pub fn name(&self) -> String {
        match self {
            Self::User(user) => user.name.clone(),
            Self::System(job) => (*job).to_owned(),
            Self::Operator(name) => name.clone(),
            Self::Anonymous | Self::Service => String::new(),
        }
    }

    /// What is written where only one text says who it was, as in `updated_by`: a name, or a code that
    /// [`crate::kernel::i18n::who`] words (`actor:anonymous`).
    pub fn code(&self) -> String {
        match self {
            Self::Anonymous | Self::Service | Self::System(_) => format!("{ACTOR}{}", self.kind()),
            _ => self.name(),
        }
    }
}

/// SQL condition: whether an account of this company, ISO partner and role is shut out because the company, or the partner
/// whose person it is, is archived (archived partners, decision 26). A client of an archived partner is not shut out.
pub(crate) fn shut_out_sql(company: &str, iso: &str, role: &str) -> String {
    format!(
        "(exists (select 1 from companies where id = {company} and archived_at is not null) \
         or ({role} = 'iso' and exists (select 1 from isos where id = {iso} and archived_at is not null)))"
    )
}

fn rule(user: &SignedIn, action: Action, resource: Resource) -> Verdict {
    use Action::{
        Archive, Cancel, Create, Delete, Hold, Impersonate, Invite, Reopen, Restore, Resume, Review, Seed, Send, Start,
        Suspend, Update, UpdateClosedSteps, UpdateSteps, Upload, View,
    };
    let staff = matches!(user.role, Role::Employee | Role::SuperAdmin);
    let own = match resource {
        Resource::Client { id, company_id, iso_id } => sees(user, Some(id), company_id, iso_id),
        Resource::Company { id } => sees(user, None, Some(id), None) || user.company_id == Some(id),
        Resource::Iso { id, company_id } => sees(user, None, Some(company_id), Some(id)),
        Resource::Spv { client_id, company_id, iso_id } => sees(user, Some(client_id), Some(company_id), iso_id),
        Resource::Commission { company_id, iso_id } => {
            user.role != Role::Client && sees(user, None, Some(company_id), Some(iso_id))
        }
        Resource::Lead { iso_id } | Resource::Call { iso_id } => {
            staff || (user.role == Role::Iso && user.iso_id == Some(iso_id))
        }
        Resource::Thread { client_id } => sees(user, Some(client_id), None, None),
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
    let when = |allowed: bool| if allowed { Verdict::Yes } else { Verdict::No };
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
            | Resource::ReportSchedule { .. },
            _,
        ) if !own => Verdict::Hidden,
        (Resource::Client { .. }, View) => Verdict::Yes,
        (Resource::Client { .. }, Update | Invite | Suspend | Archive) => when(staff),
        (Resource::Company { .. } | Resource::Iso { .. }, View) => Verdict::Yes,
        (Resource::Company { .. } | Resource::Iso { .. }, Update | Archive) => when(staff),
        (Resource::Company { .. } | Resource::Iso { .. }, Delete) => when(top),
        (Resource::Spv { .. }, View) => Verdict::Yes,
        (Resource::Spv { .. }, Hold | Resume | Cancel | UpdateSteps | Send) => when(staff),
        (Resource::Spv { .. }, Start | Reopen | UpdateClosedSteps) => when(top),
        (Resource::Document { .. } | Resource::DocumentRequest { .. }, View | Upload) => Verdict::Yes,
        (Resource::Document { .. }, Restore) => when(staff),
        (Resource::DocumentRequest { .. }, Create | Update | Review) => when(staff),
        (Resource::Upload { .. }, Upload) => Verdict::Yes,
        (Resource::NewClient | Resource::NewCompany | Resource::NewIso | Resource::NewSpv, Create) => when(staff),
        (Resource::Requests, View) => when(staff),
        (Resource::Request { user_id }, _) if !staff && user_id != Some(user.id) => Verdict::Hidden,
        (Resource::Request { .. }, View) => Verdict::Yes,
        // Staff decide; taking a request back is for whoever sent it.
        (Resource::Request { .. }, Update) => when(staff),
        (Resource::Request { user_id }, Cancel) => when(user_id == Some(user.id)),
        (Resource::Invoice { client_id }, _) if !staff && (user.role != Role::Client || client_id != user.id) => {
            Verdict::Hidden
        }
        (Resource::Invoice { .. }, View | Send) => Verdict::Yes,
        (Resource::Invoice { .. }, Update | Cancel) => when(staff),
        (Resource::Billing, View) => when(staff || user.role == Role::Client),
        (Resource::Leads | Resource::Calls, View) => when(staff || user.role == Role::Iso),
        (Resource::NewLead | Resource::NewCall | Resource::IsoNotes, Create | View) => {
            when(user.role == Role::Iso && user.iso_id.is_some())
        }
        (Resource::Lead { .. }, View | Update) => Verdict::Yes,
        (Resource::Call { .. }, View | Cancel) => Verdict::Yes,
        (Resource::Call { .. }, Review) => when(staff),
        (Resource::Commissions, View) => when(user.role != Role::Client),
        (Resource::Commission { .. }, View) => Verdict::Yes,
        (Resource::Commissions, Update) | (Resource::Payouts, View | Create | Update) => when(staff),
        (Resource::OrderRequest, Create) => when(user.role == Role::Client),
        (Resource::ReportSchedule { .. }, View | Create | Update | Delete) => Verdict::Yes,
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
            | Resource::System,
            View,
        ) => when(top),
        (Resource::Users, Create | Update | Suspend | Archive | Impersonate) => when(top),
        (Resource::Template, View) => when(staff),
        (Resource::Settings | Resource::System | Resource::Template, Update) | (Resource::Jobs, Update) => when(top),
        (Resource::TestData, Seed) => when(staff),
        (Resource::Thread { .. }, View | Send) => Verdict::Yes,
        // Internal notes.
        (Resource::Thread { .. }, Update) => when(staff),
        _ => Verdict::No,
    }
}

/// Whether a row of this client, company and ISO is the user's to know of.
fn sees(user: &SignedIn, client: Option<UserId>, company: Option<CompanyId>, iso: Option<IsoId>) -> bool {
    match user.role {
        Role::SuperAdmin | Role::Employee => true,
        Role::CompanyAdmin => user.company_id.is_some() && user.company_id == company,
        Role::Iso => user.iso_id.is_some() && user.iso_id == iso,
        Role::Client => client == Some(user.id),
    }
}

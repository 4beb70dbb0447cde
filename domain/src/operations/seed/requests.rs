//! A year of demo requests: as many as the specification shows, of every type and priority, with their outcomes.
//! Inserted in few statements without the use cases, so that no notifications are sent.
use super::{addresses, demo::demo_employee, find_user};
use crate::{
    accounts::users,
    desk,
    directory::{clients, companies, isos},
    kernel::{
        access::Role,
        clock::RandomSource,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{ActivityId, RequestId, UserId},
        page::{MAX_LIMIT, PageQuery},
        search,
    },
    orders::spvs,
    outbox::requests::{self, Kind, Priority, Request, ResultKind, Status},
    platform::{
        activity::{self, Activity},
        settings,
    },
};
use chrono::{DateTime, Duration, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde_json::{Map, Value, json};

/// Numbers of the specification: 1,247 in all.
const REQUESTS_BY_STATUS: [(Status, i64); 3] =
    [(Status::Pending, 89), (Status::Approved, 967), (Status::Rejected, 191)];

const FIRST: [&str; 24] = [
    "Adele", "Anders", "Bianca", "Carlos", "Dana", "Emeka", "Farah", "Gustav", "Hana", "Ivo", "Jasmin", "Karl", "Lina",
    "Marek", "Nadia", "Oskar", "Paula", "Quentin", "Rosa", "Stefan", "Tamar", "Ulf", "Vera", "Yusuf",
];
const LAST: [&str; 20] = [
    "Adeyemi", "Bergmann", "Castro", "Dimitrov", "Engel", "Fischer", "Garcia", "Hoffmann", "Ito", "Jansen", "Kowalski",
    "Larsen", "Moretti", "Nakamura", "Olsen", "Pereira", "Rossi", "Svensson", "Tran", "Weber",
];

/// Sample messages by type of request.
const SUPPORT_MESSAGES: [&str; 8] = [
    "How long does a formation in Singapore take at the moment?",
    "I cannot find the invoice of my last order. Where is it?",
    "Which documents does the bank ask for?",
    "May a second director sign with a digital signature?",
    "The link in your email had expired when I opened it.",
    "We have moved. Please change our address on all papers.",
    "Is a registered agent included in the fee?",
    "What happens if the chosen name is taken?",
];
const DOCUMENT_MESSAGES: [&str; 6] = [
    "Please send a certified copy of the articles.",
    "Our auditor needs the register of members as of the end of the quarter.",
    "The certificate of good standing is older than three months. We need a new one.",
    "Please correct the spelling of our business name on the invoice.",
    "We need the bank's confirmation letter in English.",
    "Could you send us the signed operating agreement again?",
];
const CALL_MESSAGES: [&str; 4] = [
    "Please call me about the timetable of our order.",
    "I would like to talk about a second vehicle before the end of the month.",
    "Our lawyer has two questions about the operating agreement.",
    "Please call back: the bank wants to hear from you directly.",
];
const LEAD_MESSAGES: [&str; 4] = [
    "Met at a conference: plans a fund with three vehicles.",
    "Was recommended by a client. Wants to hear about Japan.",
    "Asked by phone what a vehicle in Dubai costs.",
    "Family office that looks for a new provider.",
];
const OTHER_MESSAGES: [&str; 4] = [
    "Please take us off the list for printed letters.",
    "May we mention your office as a reference?",
    "We would like to visit you in spring.",
    "Please tell us your data protection contact.",
];
const ANSWERS: [&str; 4] =
    ["Done.", "We have sent it by email.", "We spoke on the phone today.", "It is among your documents now."];
const REJECTION_REASONS: [&str; 5] = [
    "We need a reference of your bank first.",
    "This is asked for twice: the other request is being worked on.",
    "We do not form vehicles for this purpose.",
    "We could not reach you under the number you gave.",
    "This lies with the registry, which we cannot hurry.",
];
const VENTURES: [&str; 8] =
    ["Borealis", "Cascade", "Delta Quay", "Evergreen", "Fjordview", "Granite Point", "Highland", "Ironwood"];

/// Person or visitor who sends a request.
#[derive(Clone)]
struct Requester {
    user_id: Option<UserId>,
    role: Option<Role>,
    name: String,
    email: String,
}

struct RequestHistory<'a> {
    ctx: &'a Ctx,
    today: NaiveDate,
    random: RandomSource,
    staff: (UserId, String),
    clients: Vec<Requester>,
    partners: Vec<Requester>,
    rows: Vec<(Request, Option<Role>)>,
}

pub(super) async fn insert_year(ctx: &Ctx) -> Result<()> {
    let staff = demo_employee(ctx).await?;
    let staff = (staff.user_id().ok_or(Error::NotFound("user"))?, staff.name());
    let mut history = RequestHistory {
        ctx,
        today: settings::office_today(ctx).await?,
        random: RandomSource::seeded(1_247),
        staff,
        clients: Vec::new(),
        partners: Vec::new(),
        rows: Vec::new(),
    };
    history.add_existing_accounts().await?;
    let there = desk::requests::count_by_status(&mut ctx.db()).await?;
    for (status, wanted) in REQUESTS_BY_STATUS {
        let there = there.iter().find(|(is, _)| *is == status).map_or(0, |(_, count)| *count);
        let linked = history.rows.iter().filter(|(request, _)| request.status == status).count() as i64;
        for nth in 0..wanted - there - linked {
            history.add_random(status, nth);
        }
    }
    history.write().await
}

impl RequestHistory<'_> {
    /// Adds the applications that led to the existing clients, partners and companies, and the requests for the
    /// clients' orders.
    async fn add_existing_accounts(&mut self) -> Result<()> {
        let all = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
        for client in clients::list(self.ctx, &clients::Filter::default(), &all).await?.items {
            let requester = Requester {
                user_id: Some(client.id),
                role: Some(Role::Client),
                name: client.name(),
                email: client.email.clone(),
            };
            let country = users::profile_of(&mut self.ctx.db(), client.id).await?.country;
            let form = json!({ "first_name": client.first_name, "last_name": client.last_name, "phone": client.phone,
                "company": client.company_name, "country": country, "purpose": null });
            self.add_application(&requester, "client", form, client.created_at, (ResultKind::Client, client.id.0));
            // The public demo client keeps few requests.
            if client.email != "client@example.com" {
                self.clients.push(requester);
            }
        }
        for iso in isos::list(self.ctx, &isos::Filter::default(), &all).await?.items {
            let name = format!("{} {}", iso.first_name, iso.last_name);
            let requester =
                Requester { user_id: Some(iso.user_id), role: Some(Role::Iso), name, email: iso.email.clone() };
            let form = json!({ "first_name": iso.first_name, "last_name": iso.last_name,
                "phone": iso.phone.as_deref().unwrap_or("+1 555 0190"), "business_name": format!("{} Advisory", iso.last_name),
                "website": null, "clients_per_year": "11-50", "experience": null });
            self.add_application(&requester, "iso", form, iso.created_at, (ResultKind::Iso, iso.id.0));
            self.partners.push(requester);
        }
        for company in companies::list(self.ctx, &companies::Filter::default(), &all).await?.items {
            let requester = Requester { user_id: None, role: None, ..self.random_stranger() };
            let form = json!({ "first_name": requester.name.split(' ').next(), "last_name": requester.name.split(' ').next_back(),
                "phone": null, "job_title": "Managing director", "name": company.name,
                "business_name": company.business_name, "website": null, "company_size": "11-50", "reason": null });
            self.add_application(&requester, "company", form, company.created_at, (ResultKind::Company, company.id.0));
        }
        if let Some(clara) = find_user(self.ctx, "company@example.com").await? {
            let role = Some(Role::CompanyAdmin);
            self.partners.push(Requester { user_id: Some(clara.id), role, name: clara.name(), email: clara.email });
        }
        for spv in spvs::list(self.ctx, &spvs::Filter::default(), &all).await?.items {
            let Some(requester) =
                self.clients.iter().find(|requester| requester.user_id == Some(spv.client_id)).cloned()
            else {
                continue;
            };
            let sent = spv.created_at - self.random_hours(5, 60);
            let purchase_minor = spv.purchase_amount_minor.or(spv.price_minor.map(|price| price * 50));
            let data = json!({ "order": { "country": spv.country.code(), "purpose": "As agreed with your partner.",
                "proposed_names": [spv.identifier()], "currency": spv.currency.code(),
                "purchase_amount": spv.currency.format(purchase_minor.unwrap_or_default()) } });
            let message = "As agreed with your partner.".to_owned();
            let mut request = self.new_request(Kind::Order, &requester, message, data, sent);
            request.spv_id = Some(spv.id);
            self.decide(&mut request, Status::Approved, None, spv.created_at);
            self.rows.push((request, requester.role));
        }
        Ok(())
    }

    /// Adds an approved application that created the account.
    fn add_application(
        &mut self,
        requester: &Requester,
        account: &str,
        form: Value,
        made: DateTime<Utc>,
        became: (ResultKind, uuid::Uuid),
    ) {
        let sent = made - self.random_hours(3, 70);
        let data = json!({ "account_type": account, "application": form });
        let mut request = self.new_request(Kind::Account, requester, String::new(), data, sent);
        // Applicants have no account yet.
        request.user_id = None;
        (request.made_kind, request.made_id) = (Some(became.0), Some(became.1));
        self.decide(&mut request, Status::Approved, None, made);
        self.rows.push((request, None));
    }

    /// Adds a random request with this outcome.
    fn add_random(&mut self, status: Status, nth: i64) {
        let kind = self.pick_kind(status);
        let priority = match (status, nth) {
            // Chosen so that few open requests are overdue.
            (Status::Pending, ..14) => Priority::High,
            (Status::Pending, ..52) => Priority::Medium,
            (Status::Pending, _) => Priority::Low,
            _ => [Priority::High, Priority::Low, Priority::Medium, Priority::Medium, Priority::Medium]
                [self.random.below(5) as usize],
        };
        let sent = match (status, priority) {
            (Status::Pending, Priority::High) => self.ctx.now() - self.random_hours(1, 27),
            (Status::Pending, Priority::Medium) => self.ctx.now() - self.random_hours(1, 80),
            (Status::Pending, Priority::Low) => self.ctx.now() - self.random_hours(2, 180),
            _ => self.random_work_hour(),
        };
        let requester = self.pick_requester(kind);
        let (message, data) = self.compose(kind, &requester);
        let mut request = self.new_request(kind, &requester, message, data, sent);
        (request.priority, request.due_at) = (priority, priority.due(sent));
        match status {
            Status::Pending if self.random.below(5) < 2 => request.assignee_id = Some(self.staff.0),
            Status::Pending => {}
            _ => {
                let took = self.random_hours(1, if priority == Priority::High { 20 } else { 66 });
                let at = (sent + took).min(self.ctx.now() - Duration::minutes(10 + self.random.below(300) as i64));
                let words: &[&str] = if status == Status::Rejected { &REJECTION_REASONS } else { &ANSWERS };
                let said = self.pick(words).to_owned();
                // A rejection needs a reason; an approval does not.
                let said = (status == Status::Rejected || self.random.below(2) == 0).then_some(said);
                request.assignee_id = Some(self.staff.0);
                self.decide(&mut request, status, said, at);
            }
        }
        self.rows.push((request, requester.role));
    }

    /// Type of a random request. Account and order requests are never approved here, as an approval creates the account
    /// or order.
    fn pick_kind(&self, status: Status) -> Kind {
        use Kind::{Account, Call, Document, Lead, Order, Other, Support};
        let shares: [(Kind, u64); 7] = match status {
            Status::Approved => {
                [(Support, 38), (Document, 25), (Call, 16), (Lead, 12), (Other, 9), (Order, 0), (Account, 0)]
            }
            Status::Rejected => {
                [(Account, 32), (Order, 16), (Support, 16), (Document, 12), (Lead, 12), (Call, 6), (Other, 6)]
            }
            _ => [(Support, 24), (Account, 22), (Document, 16), (Order, 14), (Call, 12), (Lead, 7), (Other, 5)],
        };
        let mut at = self.random.below(100);
        for (kind, share) in shares {
            if at < share {
                return kind;
            }
            at -= share;
        }
        Support
    }

    fn pick_requester(&self, kind: Kind) -> Requester {
        let clients = self.random.below(self.clients.len() as u64) as usize;
        match (kind, self.random.below(10)) {
            (Kind::Account | Kind::Lead, _) | (Kind::Support, ..5) => self.random_stranger(),
            (Kind::Document | Kind::Support | Kind::Other, ..7) if !self.partners.is_empty() => {
                self.partners[self.random.below(self.partners.len() as u64) as usize].clone()
            }
            _ => self.clients.get(clients).cloned().unwrap_or_else(|| self.random_stranger()),
        }
    }

    fn random_stranger(&self) -> Requester {
        let (first, last) = (self.pick(&FIRST), self.pick(&LAST));
        let email = format!("{}.{}@example.net", first.to_lowercase(), last.to_lowercase());
        Requester { user_id: None, role: None, name: format!("{first} {last}"), email }
    }

    fn compose(&self, kind: Kind, requester: &Requester) -> (String, Value) {
        let (first, last) = requester.name.split_once(' ').unwrap_or((&requester.name, ""));
        let venture = self.pick(&VENTURES);
        let words = |said: &[&'static str]| (self.pick(said).to_owned(), json!({}));
        match kind {
            Kind::Support => words(&SUPPORT_MESSAGES),
            Kind::Document => words(&DOCUMENT_MESSAGES),
            Kind::Call => words(&CALL_MESSAGES),
            Kind::Lead => words(&LEAD_MESSAGES),
            Kind::Other => words(&OTHER_MESSAGES),
            Kind::Order => {
                let purpose = format!("To hold what {venture} buys.");
                let amount = format!("{}.00", 50_000 * (1 + self.random.below(60)));
                let country = spvs::Country::ALL[self.random.below(5) as usize].code();
                let order = json!({ "country": country, "purpose": purpose, "currency": "USD",
                    "proposed_names": [format!("{venture} One"), format!("{venture} Two")], "purchase_amount": amount });
                (purpose, json!({ "order": order }))
            }
            Kind::Account => {
                let country = spvs::Country::ALL[requester.name.len() % 5];
                let phone = addresses::phone(country, 188);
                let person = json!({ "first_name": first, "last_name": last, "phone": phone });
                let (account, form) = match self.random.below(8) {
                    0 => (
                        "employee",
                        json!({ "job_title": "Analyst", "department": null, "reason": "I know the registries of Asia." }),
                    ),
                    1 => (
                        "company",
                        json!({ "job_title": "Director", "name": venture, "business_name": format!("{venture} LLC"),
                        "website": null, "company_size": "11-50", "reason": null }),
                    ),
                    2 | 3 => (
                        "iso",
                        json!({ "business_name": format!("{venture} Advisory"), "website": null,
                        "clients_per_year": "1-10", "experience": "Twelve years in fund administration." }),
                    ),
                    _ => (
                        "client",
                        json!({ "company": format!("{venture} Ltd."), "country": country.code(),
                        "purpose": "A holding." }),
                    ),
                };
                let mut all = Map::new();
                for part in [person, form] {
                    all.extend(part.as_object().cloned().unwrap_or_default());
                }
                (String::new(), json!({ "account_type": account, "application": all }))
            }
        }
    }

    fn new_request(
        &self,
        kind: Kind,
        requester: &Requester,
        message: String,
        data: Value,
        sent: DateTime<Utc>,
    ) -> Request {
        let data = data.as_object().cloned().unwrap_or_default();
        let priority = Priority::Medium;
        Request {
            id: RequestId(self.random.uuid()),
            user_id: requester.user_id,
            created_at: sent,
            due_at: priority.due(sent),
            updated_at: sent,
            updated_by: requester.name.clone(),
            priority,
            ..Request::new(self.ctx, kind, requester.name.clone(), requester.email.clone(), message, data)
        }
    }

    fn decide(&self, request: &mut Request, status: Status, reason: Option<String>, at: DateTime<Utc>) {
        request.status = status;
        request.reason = reason;
        request.decided_at = Some(at);
        request.decided_by = Some(self.staff.1.clone());
        (request.updated_at, request.updated_by) = (at, self.staff.1.clone());
        request.version = 2;
    }

    /// A random working hour of the last year, more often a recent one.
    fn random_work_hour(&self) -> DateTime<Utc> {
        let luck = self.random.below(1_000_000) as f64 / 1_000_000.0;
        let mut days = 1 + (358.0 * (1.0 - luck.sqrt())) as i64;
        // Most recent requests are still open.
        if days < 9 && self.random.below(3) > 0 {
            days += 9 + self.random.below(60) as i64;
        }
        let day = self.today - TimeDelta::days(days);
        let (hour, minute) = (8 + self.random.below(10) as u32, self.random.below(60) as u32);
        day.and_time(NaiveTime::from_hms_opt(hour, minute, 0).unwrap_or_default()).and_utc()
    }

    fn random_hours(&self, from: i64, to: i64) -> Duration {
        Duration::minutes(60 * from + self.random.below((60 * (to - from)) as u64) as i64)
    }

    fn pick<'s>(&self, of: &[&'s str]) -> &'s str {
        of[self.random.below(of.len() as u64) as usize]
    }

    /// Inserts everything in one transaction and few statements, with the activity of each request.
    async fn write(mut self) -> Result<()> {
        self.rows.sort_by_key(|(request, _)| (request.created_at, request.id));
        let history = &self;
        self.ctx.transaction(|tx| history.insert(tx).scope_boxed()).await
    }

    async fn insert(&self, tx: &mut Tx) -> Result<()> {
        let rows: Vec<Request> = self.rows.iter().map(|(request, _)| request.clone()).collect();
        requests::insert_rows(tx, &rows, None).await?;
        let texts: Vec<_> = rows.iter().map(requests::search_texts).collect();
        let entries: Vec<_> = rows.iter().zip(&texts).map(|(row, texts)| requests::search_entry(row, texts)).collect();
        search::index_all(tx, "request", &entries).await?;
        for (request, role) in &self.rows {
            let mut events = vec![("request.created", request.created_at, false)];
            if let Some(at) = request.decided_at {
                let approved = request.status == Status::Approved;
                events.push((if approved { "request.approved" } else { "request.rejected" }, at, true));
            }
            for (action, at, by_staff) in events {
                let nth = tx.next_event();
                activity::insert_row(tx, &self.event(request, *role, action, at, by_staff), nth, true).await?;
            }
        }
        Ok(())
    }

    fn event(
        &self,
        request: &Request,
        role: Option<Role>,
        action: &str,
        at: DateTime<Utc>,
        by_staff: bool,
    ) -> Activity {
        let (kind, id, name) = match (by_staff, role) {
            (true, _) => (Role::Employee.name(), Some(self.staff.0), self.staff.1.clone()),
            (false, Some(role)) => (role.name(), request.user_id, request.name.clone()),
            (false, None) => ("anonymous", None, String::new()),
        };
        let mut data = Map::from_iter([("kind".to_owned(), Value::from(request.kind.name()))]);
        if let Some(reason) = request.reason.clone().filter(|_| request.status == Status::Rejected && by_staff) {
            data.insert("reason".to_owned(), reason.into());
        }
        Activity {
            id: ActivityId(self.random.uuid_at(at)),
            seq: None,
            at,
            actor_kind: kind.to_owned(),
            actor_id: id,
            actor_name: name,
            action: action.to_owned(),
            subject_kind: "request".to_owned(),
            subject_id: Some(request.id.0),
            subject_label: request.reference(),
            company_id: None,
            client_id: request.user_id,
            iso_id: None,
            spv_id: request.spv_id.filter(|_| by_staff),
            public: request.user_id.is_some(),
            address: None,
            user_agent: None,
            data,
        }
    }
}

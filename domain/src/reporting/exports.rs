//! Tables as CSV: every row that a list would show the actor, narrowed as the list is, a page at a time.
//!
//! A spreadsheet runs a cell that begins with `=`, so such cells get an apostrophe before them. Amounts are
//! written exactly, as the API writes them.
use crate::{
    accounts::auth,
    desk::{
        requests::{self, Order, Request},
        tasks::{self, Task},
    },
    directory::{
        calls::{self, Call},
        clients, companies, isos,
        leads::{self, Lead},
    },
    kernel::{
        csv,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::Result,
        i18n, money,
        page::{MAX_LIMIT, Page, PageQuery},
    },
    orders::{
        commissions::{self, Commission},
        documents::{self, Document},
        invoices::{self, Invoice},
        spvs::{self, Spv},
        templates,
    },
    platform::{
        activity::{self, Activity, Event},
        settings,
    },
};
use chrono::NaiveDate;
use uuid::Uuid;

/// What to write, and what it is narrowed to.
#[derive(Clone, Debug)]
pub enum Table {
    Clients(clients::Filter),
    Companies {
        q: Option<String>,
        archived: bool,
    },
    Isos(isos::Filter),
    Spvs(spvs::Filter),
    Requests(requests::Filter),
    Invoices(invoices::Filter),
    Documents(documents::Filter),
    Leads(leads::Filter),
    Calls(calls::Filter),
    /// The actor's own.
    Tasks,
    Commissions(commissions::Filter),
    Activity(activity::Filter),
    /// All of the log that a search finds.
    Log(activity::Search),
}

impl Table {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clients(_) => "clients",
            Self::Companies { .. } => "companies",
            Self::Isos(_) => "isos",
            Self::Spvs(_) => "spvs",
            Self::Requests(_) => "requests",
            Self::Invoices(_) => "invoices",
            Self::Documents(_) => "documents",
            Self::Leads(_) => "leads",
            Self::Calls(_) => "calls",
            Self::Tasks => "tasks",
            Self::Commissions(_) => "commissions",
            Self::Activity(_) => "activity",
            Self::Log(_) => "logs",
        }
    }
}

/// A part of the file, and where the next one begins.
#[derive(Clone, Debug)]
pub struct Part {
    pub text: String,
    pub next_cursor: Option<String>,
}

/// The first part, with the names of the columns. Whoever may see the list; the log keeps who took a copy.
///
/// # Errors
/// What the list refuses.
pub async fn begin(ctx: &Ctx, table: &Table) -> Result<Part> {
    let rest = more(ctx, table, None).await?;
    let mut text = String::new();
    csv::write_line(&mut text, columns(ctx, table).into_iter().map(str::to_owned));
    text.push_str(&rest.text);
    taken(ctx, table).await?;
    Ok(Part { text, ..rest })
}

/// Notes in the log who took a copy of a table.
///
/// # Errors
/// What the database refuses.
pub async fn taken(ctx: &Ctx, table: &Table) -> Result<()> {
    let who = ctx.actor.user_id().map_or(Uuid::nil(), |id| id.0);
    let event = &Event::new("export.made", "export", who, table.name());
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
}

/// The part after `cursor`. Each but the first asks again who it is for: the parts may be hours apart.
///
/// # Errors
/// What the list refuses; Unauthenticated once who began it may not be here any more.
pub async fn more(ctx: &Ctx, table: &Table, cursor: Option<String>) -> Result<Part> {
    if cursor.is_some() {
        auth::revalidate_session(&mut ctx.db(), ctx).await?;
    }
    let found = rows(ctx, table, cursor).await?;
    let mut text = String::new();
    found.items.into_iter().for_each(|cells| csv::write_line(&mut text, cells));
    Ok(Part { text, next_cursor: found.next_cursor })
}

/// The rows after `cursor`, cell by cell as [`columns`] names them, and as they are: nothing is done to them for
/// spreadsheets.
///
/// # Errors
/// What the list refuses.
pub async fn rows(ctx: &Ctx, table: &Table, cursor: Option<String>) -> Result<Page<Vec<String>>> {
    let page = PageQuery { limit: Some(MAX_LIMIT), cursor };
    Ok(match table {
        Table::Clients(filter) => clients::list(ctx, filter, &page).await?.map(client),
        Table::Companies { q, archived } => companies::list(ctx, q.as_deref(), *archived, &page).await?.map(company),
        Table::Isos(filter) => isos::list(ctx, filter, &page).await?.map(iso),
        Table::Spvs(filter) => {
            let earned = ctx.actor.sees_commission();
            spvs::list(ctx, filter, &page).await?.map(|row| spv(ctx, row, earned))
        }
        Table::Requests(filter) => requests::list(ctx, &filter.unmoved(), &page).await?.map(|row| request(ctx, row)),
        Table::Invoices(filter) => {
            let today = settings::office_today(ctx).await?;
            invoices::list(ctx, filter, &page).await?.map(|row| invoice(today, row))
        }
        Table::Documents(filter) => {
            // A document that gets a version meanwhile goes to the end, where it is still to be read.
            let filter = documents::Filter { oldest_first: true, ..filter.clone() };
            documents::list(ctx, &filter, &page).await?.map(|row| document(ctx, row))
        }
        Table::Leads(filter) => leads::list(ctx, filter, &page).await?.map(lead),
        Table::Calls(filter) => calls::list(ctx, filter, &page).await?.map(|row| call(ctx, row)),
        Table::Tasks => {
            Page { items: tasks::all(ctx).await?.into_iter().map(|row| task(ctx, row)).collect(), next_cursor: None }
        }
        Table::Commissions(filter) => commissions::list(ctx, filter, &page).await?.map(commission),
        Table::Activity(filter) => activity::list(ctx, filter, &page).await?.map(|row| event(ctx, row)),
        Table::Log(wanted) => activity::search(ctx, wanted, &page).await?.map(|row| entry(ctx, row)),
    })
}

/// Named as the API's fields are, so that a program can read the file back.
pub fn columns(ctx: &Ctx, table: &Table) -> Vec<&'static str> {
    match table {
        Table::Clients(_) => vec![
            "id",
            "first_name",
            "last_name",
            "email",
            "phone",
            "address",
            "company_name",
            "iso_name",
            "status",
            "created_at",
        ],
        Table::Companies { .. } => {
            vec!["id", "name", "business_name", "email", "phone", "logo_url", "domain", "archived_at", "created_at"]
        }
        Table::Isos(_) => {
            vec!["id", "first_name", "last_name", "email", "phone", "company_name", "archived_at", "created_at"]
        }
        Table::Requests(_) => {
            let mut names = vec![
                "id",
                "reference",
                "kind",
                "status",
                "name",
                "email",
                "account_type",
                "country",
                "proposed_names",
                "purchase_amount",
                "currency",
                "message",
                "reason",
                "spv_identifier",
                "created_at",
                "decided_at",
            ];
            if ctx.actor.is_staff() {
                names.extend(["priority", "due_at", "overdue", "assignee_name", "decided_by"]);
            }
            names
        }
        Table::Invoices(_) => vec![
            "id",
            "number",
            "client_name",
            "spv_identifier",
            "billed_to",
            "issued_date",
            "due_date",
            "status",
            "overdue",
            "currency",
            "total",
            "paid",
            "due",
            "void_reason",
        ],
        Table::Documents(_) => {
            let mut names = vec![
                "id",
                "reference",
                "name",
                "client_name",
                "spv_identifier",
                "file_name",
                "media_type",
                "bytes",
                "sha256",
                "scan",
                "uploaded_by",
                "versions_count",
                "updated_at",
            ];
            if ctx.actor.is_staff() {
                names.push("internal");
            }
            names
        }
        Table::Leads(_) => vec![
            "id",
            "iso_name",
            "first_name",
            "last_name",
            "email",
            "phone",
            "organisation",
            "stage",
            "next_step",
            "next_step_date",
            "protected_until",
            "note",
            "converted_at",
            "created_at",
        ],
        Table::Calls(_) => vec![
            "id",
            "iso_name",
            "topic",
            "note",
            "minutes",
            "times",
            "status",
            "begins_at",
            "answer",
            "answered_by",
            "created_at",
        ],
        Table::Tasks => {
            vec![
                "kind",
                "id",
                "name",
                "step_name",
                "spv_identifier",
                "client_name",
                "status",
                "waiting_on",
                "due_date",
                "due_at",
                "overdue",
            ]
        }
        Table::Commissions(_) => vec![
            "id",
            "earned_date",
            "iso_name",
            "identifier",
            "client_name",
            "kind",
            "rule",
            "rate",
            "base",
            "currency",
            "amount",
            "status",
            "paid_date",
            "payout_run",
            "reason",
        ],
        Table::Log(_) => {
            [columns(ctx, &Table::Activity(activity::Filter::default())), vec!["address", "user_agent"]].concat()
        }
        Table::Activity(_) => vec![
            "seq",
            "id",
            "at",
            "actor_kind",
            "actor_id",
            "actor_name",
            "action",
            "subject_kind",
            "subject_id",
            "subject_label",
            "spv_id",
            "data",
        ],
        Table::Spvs(_) => {
            let mut names = vec![
                "id",
                "identifier",
                "client_name",
                "client_email",
                "company_name",
                "iso_name",
                "country",
                "currency",
                "purchase_amount",
                "price",
                "amount",
            ];
            if ctx.actor.sees_commission() {
                names.extend(["commission", "iso_commission_percentage", "iso_commission"]);
            }
            names.extend([
                "status",
                "status_reason",
                "ordered_date",
                "closed_at",
                "steps_completed",
                "steps_total",
                "current_step",
            ]);
            names
        }
    }
}

fn client(row: clients::Client) -> Vec<String> {
    let iso = row.iso_first_name.zip(row.iso_last_name).map(|(first, last)| format!("{first} {last}"));
    vec![
        row.id.to_string(),
        row.first_name,
        row.last_name,
        row.email,
        row.phone.unwrap_or_default(),
        row.address.unwrap_or_default(),
        row.company_name.unwrap_or_default(),
        iso.unwrap_or_default(),
        row.status.name().to_owned(),
        row.created_at.to_rfc3339(),
    ]
}

fn company(row: companies::Company) -> Vec<String> {
    vec![
        row.id.to_string(),
        row.name,
        row.business_name,
        row.email.unwrap_or_default(),
        row.phone.unwrap_or_default(),
        row.logo_url.unwrap_or_default(),
        row.domain.unwrap_or_default(),
        row.archived_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
        row.created_at.to_rfc3339(),
    ]
}

fn iso(row: isos::Iso) -> Vec<String> {
    vec![
        row.id.to_string(),
        row.first_name,
        row.last_name,
        row.email,
        row.phone.unwrap_or_default(),
        row.company_name,
        row.archived_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
        row.created_at.to_rfc3339(),
    ]
}

fn spv(ctx: &Ctx, row: Spv, earned: bool) -> Vec<String> {
    let amount = |minor: Option<i64>| minor.map(|minor| row.currency.format(minor)).unwrap_or_default();
    // The column sums to what the portfolio is worth.
    let counted = row.counted_minor();
    let mut cells = vec![
        row.id.to_string(),
        row.identifier(),
        row.client_name(),
        row.client_email.clone(),
        row.company_name.clone(),
        row.iso_name().unwrap_or_default(),
        row.country.code().to_owned(),
        row.currency.code().to_owned(),
        amount(row.purchase_amount_minor),
        amount(row.price_minor),
        amount(counted),
    ];
    if earned {
        cells.extend([
            amount(row.commission_minor),
            row.iso_commission_percentage.map(money::format_percent).unwrap_or_default(),
            amount(row.iso_commission_minor),
        ]);
    }
    cells.extend([
        row.status.name().to_owned(),
        row.status_reason.unwrap_or_default(),
        row.ordered_date.to_string(),
        row.closed_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
        row.steps_completed.to_string(),
        row.steps_total.to_string(),
        row.current_step.map(|name| templates::shown(ctx, &name)).unwrap_or_default(),
    ]);
    cells
}

/// How urgent it is and whose, only the staff read.
fn request(ctx: &Ctx, row: Request) -> Vec<String> {
    let (order, spv, overdue) = (row.order(), row.spv_identifier(), row.is_overdue(ctx.now()));
    let account_type = row.data.get("account_type").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let asked = |cell: fn(&Order) -> String| order.as_ref().map(cell).unwrap_or_default();
    let mut cells = vec![
        row.id.to_string(),
        row.reference(),
        row.kind.name().to_owned(),
        row.status.name().to_owned(),
        row.name,
        row.email,
        account_type,
        asked(|order| order.country.code().to_owned()),
        asked(|order| order.proposed_names.join("; ")),
        asked(|order| order.purchase_amount.clone()),
        asked(|order| order.currency.code().to_owned()),
        row.message,
        row.reason.unwrap_or_default(),
        spv.unwrap_or_default(),
        row.created_at.to_rfc3339(),
        row.decided_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
    ];
    if ctx.actor.is_staff() {
        cells.extend([
            row.priority.name().to_owned(),
            row.due_at.to_rfc3339(),
            overdue.to_string(),
            row.assignee_name.unwrap_or_default(),
            row.decided_by.map(|by| i18n::actor_of_code(ctx.language(), &by)).unwrap_or_default(),
        ]);
    }
    cells
}

fn invoice(today: NaiveDate, row: Invoice) -> Vec<String> {
    let amount = |minor: i64| row.currency.format(minor);
    vec![
        row.id.to_string(),
        row.name(),
        row.client_name(),
        row.spv_identifier(),
        row.billed_to.clone(),
        row.issued_date.to_string(),
        row.due_date.to_string(),
        row.status.name().to_owned(),
        row.is_overdue(today).to_string(),
        row.currency.code().to_owned(),
        amount(row.total_minor),
        amount(row.paid_minor),
        amount(row.due_minor()),
        row.void_reason.unwrap_or_default(),
    ]
}

/// Its newest version. That some are theirs alone, only the staff read.
fn document(ctx: &Ctx, row: Document) -> Vec<String> {
    let mut cells = vec![
        row.id.to_string(),
        row.reference(),
        templates::shown(ctx, &row.name),
        row.client_name(),
        row.spv_identifier().unwrap_or_default(),
        row.latest.file_name,
        row.latest.media_type,
        row.latest.bytes.to_string(),
        row.latest.sha256,
        row.latest.scan.name().to_owned(),
        i18n::actor_of_code(ctx.language(), &row.latest.uploaded_by),
        row.versions_count.to_string(),
        row.updated_at.to_rfc3339(),
    ];
    if ctx.actor.is_staff() {
        cells.push(row.internal.to_string());
    }
    cells
}

fn lead(row: Lead) -> Vec<String> {
    vec![
        row.id.to_string(),
        row.iso_name(),
        row.first_name,
        row.last_name,
        row.email,
        row.phone.unwrap_or_default(),
        row.organisation.unwrap_or_default(),
        row.stage.name().to_owned(),
        row.next_step.unwrap_or_default(),
        row.next_step_date.map(|date| date.to_string()).unwrap_or_default(),
        row.protected_until.to_string(),
        row.note.unwrap_or_default(),
        row.converted_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
        row.created_at.to_rfc3339(),
    ]
}

fn call(ctx: &Ctx, row: Call) -> Vec<String> {
    let times: Vec<String> = row.proposed.iter().map(|at| at.to_rfc3339()).collect();
    vec![
        row.id.to_string(),
        row.iso_name(),
        row.topic,
        row.note.unwrap_or_default(),
        row.minutes.to_string(),
        times.join("; "),
        row.status.name().to_owned(),
        row.begins_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
        row.answer.unwrap_or_default(),
        row.answered_by.map(|by| i18n::actor_of_code(ctx.language(), &by)).unwrap_or_default(),
        row.created_at.to_rfc3339(),
    ]
}

fn task(ctx: &Ctx, row: Task) -> Vec<String> {
    let identifier = row.identifier();
    vec![
        row.kind.name().to_owned(),
        row.id.to_string(),
        templates::shown(ctx, &row.name),
        row.step_name.map(|name| templates::shown(ctx, &name)).unwrap_or_default(),
        identifier.unwrap_or_default(),
        row.client_name,
        row.status,
        row.waiting_on.map(|party| party.name().to_owned()).unwrap_or_default(),
        row.due_date.map(|date| date.to_string()).unwrap_or_default(),
        row.due_at.map(|at| at.to_rfc3339()).unwrap_or_default(),
        row.overdue.to_string(),
    ]
}

fn commission(row: Commission) -> Vec<String> {
    vec![
        row.id.to_string(),
        row.earned_date.to_string(),
        row.iso_name(),
        row.spv_identifier(),
        row.client_name(),
        row.kind.name().to_owned(),
        row.rule.name().to_owned(),
        row.rate.map(money::format_percent).unwrap_or_default(),
        row.base_minor.map(|minor| row.currency.format(minor)).unwrap_or_default(),
        row.currency.code().to_owned(),
        // The column sums to the statement.
        row.currency.format(row.counted_minor()),
        row.status.name().to_owned(),
        row.paid_date.map(|date| date.to_string()).unwrap_or_default(),
        row.run().unwrap_or_default(),
        row.reason.unwrap_or_default(),
    ]
}

/// With where it came from.
fn entry(ctx: &Ctx, row: Activity) -> Vec<String> {
    let from = [row.address.clone().unwrap_or_default(), row.user_agent.clone().unwrap_or_default()];
    let mut cells = event(ctx, row);
    cells.extend(from);
    cells
}

fn event(ctx: &Ctx, row: Activity) -> Vec<String> {
    let actor = i18n::actor(ctx.language(), &row.actor_kind, &row.actor_name);
    vec![
        row.seq.map(|seq| seq.to_string()).unwrap_or_default(),
        row.id.to_string(),
        row.at.to_rfc3339(),
        row.actor_kind,
        row.actor_id.map(|id| id.to_string()).unwrap_or_default(),
        actor,
        row.action,
        row.subject_kind,
        row.subject_id.map(|id| id.to_string()).unwrap_or_default(),
        row.subject_label,
        row.spv_id.map(|id| id.to_string()).unwrap_or_default(),
        serde_json::Value::Object(row.data).to_string(),
    ]
}

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
    line(&mut text, columns(ctx, table).into_iter().map(str::to_owned));
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
    found.items.into_iter().for_each(|cells| line(&mut text, cells));
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

/// One line as RFC 4180 has it.
pub fn line(text: &mut String, cells: impl IntoIterator<Item = String>) {
    for (n, cell) in cells.into_iter().enumerate() {
        if n > 0 {
            text.push(',');
        }
        let cell = csv_guarded(&cell);
        if cell.contains([',', '"', '\r', '\n']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&cell);
        }
    }
    text.push_str("\r\n");
}

/// What a spreadsheet would run begins with one of these, also in their full-width forms.
const RUN: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// An amount below zero is a number, and stays one so that the file can be summed.
pub fn harmless(cell: String) -> String {
    let number = cell.strip_prefix('-').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    if cell.starts_with(RUN) && !number { format!("'{cell}") } else { cell }
}

/// Where a spreadsheet may end a cell: at its own separator (`;` in Spanish and German, a tab), which quotation marks of
/// ours inside a line do not keep it from, and at a line break.
const SEPARATORS: [char; 6] = [';', ',', '\t', '|', '\r', '\n'];

/// A CSV cell no part of which a spreadsheet runs, whatever it splits at: an apostrophe stands before each sign of
/// [`RUN`] that begins the cell or a part of it, behind spaces, quotation marks and apostrophes too. [`csv_unguarded`]
/// is the exact reverse.
pub fn csv_guarded(cell: &str) -> String {
    marked(cell, |kept, _| kept.push('\''))
}

/// A cell as it was before [`csv_guarded`]; one that was not guarded stays as it is.
pub fn csv_unguarded(cell: &str) -> String {
    let plain = marked(cell, |kept, run| {
        if run.ends_with('\'') {
            kept.pop();
        }
    });
    if csv_guarded(&plain) == cell { plain } else { cell.to_owned() }
}

/// The cell, with `mark` called before each sign that would run; it is given what stands between the sign and the
/// beginning of its part.
fn marked(cell: &str, mark: impl Fn(&mut String, &str)) -> String {
    let mut kept = String::with_capacity(cell.len() + 2);
    // Where the run before a sign begins, while there is nothing else since the last separator.
    let mut begins = Some(0);
    for (at, c) in cell.char_indices() {
        let breaks = SEPARATORS.contains(&c);
        // A separator that begins the whole cell is taken off by some programs, and what follows runs.
        let runs = RUN.contains(&c) && (!breaks || matches!(c, '\t' | '\r' | '\n') && begins == Some(0));
        if let Some(start) = begins
            && runs
            && !is_number(&cell[at..])
        {
            mark(&mut kept, &cell[start..at]);
        }
        kept.push(c);
        begins = match c {
            _ if breaks => Some(at + c.len_utf8()),
            ' ' | '\u{a0}' | '"' | '\'' => begins,
            _ => None,
        };
    }
    kept
}

/// Whether a part begins as an amount below zero, and has nothing else: it stays a number, so that a file can be summed.
fn is_number(part: &str) -> bool {
    let end = |c: char| SEPARATORS.contains(&c) || matches!(c, ']' | '}');
    let number = part.split(end).next().unwrap_or(part);
    number.strip_prefix('-').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula_and_never_two_cells() {
        let mut text = String::new();
        let cells = [
            "=1+1",
            "+1 555",
            "-2+1",
            "-2.50",
            "@sum",
            "\tx",
            "＝1",
            "a,b",
            "say \"hi\"",
            "two\nlines",
            "",
            "Zoë",
            "1250.00",
        ];
        line(&mut text, cells.map(str::to_owned));
        assert_eq!(
            text,
            "'=1+1,'+1 555,'-2+1,-2.50,'@sum,'\tx,'＝1,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,Zoë,1250.00\r\n"
        );
    }

    #[test]
    fn no_part_of_a_cell_runs_whatever_a_spreadsheet_splits_at() {
        for (cell, guarded) in [
            ("x;=1+2;y", "x;'=1+2;y"),
            ("x; =1+2", "x; '=1+2"),
            ("x;\"=1+2\"", "x;\"'=1+2\""),
            ("x\t@sum", "x\t'@sum"),
            ("x|+1 555", "x|'+1 555"),
            ("x,-2+1", "x,'-2+1"),
            ("x\n=1\r\n＝1", "x\n'=1\r\n'＝1"),
            (";=1;=2", ";'=1;'=2"),
            ("x;\u{a0}=1", "x;\u{a0}'=1"),
            ("x;'=1", "x;''=1"),
            // Numbers, and signs in the midst of words, are no formulas.
            ("1;-2.50;3", "1;-2.50;3"),
            (r#"{"a":[1,-2]}"#, r#"{"a":[1,-2]}"#),
            ("a=b; c+d", "a=b; c+d"),
            ("maya@example.com;ana@example.com", "maya@example.com;ana@example.com"),
            ("-2.50", "-2.50"),
        ] {
            assert_eq!(csv_guarded(cell), guarded, "{cell:?}");
        }
    }

    #[test]
    fn a_cell_is_read_as_it_was_written() {
        assert_eq!(csv_unguarded("'-2.50"), "'-2.50", "somebody's own");
        assert_eq!(csv_unguarded("'=1+1"), "=1+1");
        assert_eq!(csv_unguarded("x;'=1+2"), "x;=1+2");
        // Written by something else, which does not guard.
        assert_eq!(csv_unguarded("=1;'=2"), "=1;'=2");
    }

    proptest::proptest! {
        #[test]
        fn every_cell_is_read_as_it_was_written(cell in "[-=+@;,|\t\n\r '\"a1.＝]{0,12}") {
            let guarded = csv_guarded(&cell);
            proptest::prop_assert_eq!(csv_unguarded(&guarded), cell);
            for part in guarded.split(SEPARATORS) {
                let run = part.trim_start_matches([' ', '"', '\'']);
                let begin = &part[..part.len() - run.len()];
                let runs = run.starts_with(['=', '+', '-', '@', '＝']) && !is_number(run);
                proptest::prop_assert!(!runs || begin.ends_with('\''), "{}", guarded);
            }
        }
    }
}

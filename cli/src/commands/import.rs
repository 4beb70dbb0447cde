//! `spvctl import …`
use crate::{
    context::CliContext,
    exit::{Failure, LANGUAGE, Result},
    output::{Format, Record, counted, info},
    progress, shutdown,
};
use clap::Subcommand;
use domain::{
    Ctx, Error,
    kernel::{error::FieldError, i18n},
    operations::imports::{
        self, Difference, Import, ImportOptions, ImportRecord, ImportTotals, Kind, LineOutcome, Outcome,
        reading::{self, Container, DateOrder, FileFormat, ImportLine, ReadOptions},
    },
};
use std::io::Read;

/// Long help of `spvctl import`.
pub const ABOUT: &str = "\
Import clients, companies, ISO partners, orders, invoices or payments from a file

CSV with commas, semicolons or tabs, JSON Lines, or an XLSX workbook, with the columns that `spvctl export` writes. Headers \
may have any letter case and spelling: `First Name` is first_name. Encoding, delimiter, order of the dates and decimal comma \
are detected; what can be read in two ways is refused with the flag that decides.

A client needs first_name, last_name, email and company_name; it may have phone, address, iso_email or iso_name, and a \
status: pending, active, suspended or archived. It gets no password: send the link with `spvctl client invite`.

A company needs name and business_name, an ISO partner first_name, last_name, email and company_name. An archived_at archives \
them.

An order needs identifier, client_email, company_name, and purchase_amount or price; it may have iso_email or iso_name, \
country, currency, commission or iso_commission_percentage, status, ordered_date, closed_at and steps_completed. On hold \
or cancelled it needs a status_reason. Import companies, partners and clients first.

An invoice needs number, client_email, spv_identifier, issued_date and total, with the tax; it may have due_date, currency, \
tax_percent, description, billed_to, and status void with a void_reason. A number such as 2025-0007, of the year of issue, is \
kept, and the next invoice of that year follows it. With any other number the invoice gets the next one of its year and shows \
its former number. Then import what was paid: a payment needs invoice_number, received_date and amount; it may have a note.

No emails are sent, and an imported order is not invoiced. Existing rows are compared by their filled cells: other values are listed, and \
left unchanged without --update. A rejected row is listed with its line, and the others are imported. Rows are stored in \
batches; after an interruption run it again.";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Import clients
    Clients(FileArgs),
    /// Import companies
    Companies(FileArgs),
    /// Import ISO partners
    Isos(FileArgs),
    /// Import orders
    Spvs(FileArgs),
    /// Import invoices of another system
    Invoices(FileArgs),
    /// Import payments of invoices
    Payments(FileArgs),
    /// List the last imports
    #[command(after_help = "Examples:\n  spvctl import list")]
    List,
    /// Remove the rows that an import created, within a day; those that were changed or are used stay
    #[command(after_help = "Examples:\n  spvctl import undo 6f1c2d3e")]
    Undo(TargetArgs),
}

#[derive(Debug, clap::Args)]
pub struct TargetArgs {
    /// Id as `import list` shows it, or its first characters
    import: String,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl import clients clients.csv --dry-run\n  spvctl import clients clients.xlsx --sheet Clients --map \"Given name=first_name\" --ignore-unknown\n  spvctl import spvs spvs.csv --date-format DD.MM.YYYY --decimal-comma\n  spvctl import companies companies.csv --update\n  spvctl import spvs spvs.jsonl --format csv > rejected.csv\n  spvctl --data-dir /srv/one export clients | spvctl --data-dir /srv/two import clients -"
)]
pub struct FileArgs {
    /// File to read, - for standard input
    file: String,
    /// Say what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Apply the file's values to rows that exist with other ones
    #[arg(long)]
    update: bool,
    /// Read a column of the file as another one; without a name after the sign it is skipped. May be repeated
    #[arg(long, value_name = "HEADER=COLUMN", value_parser = parse_pair)]
    map: Vec<(String, String)>,
    /// Skip unknown columns
    #[arg(long)]
    ignore_unknown: bool,
    /// Order of day, month and year, such as DD.MM.YYYY or MM/DD/YYYY
    #[arg(long, value_name = "FORMAT", value_parser = parse_date_order)]
    date_format: Option<DateOrder>,
    /// Amounts have a decimal comma: `1.250,00`; with =false a decimal point
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    decimal_comma: Option<bool>,
    /// Sheet of a workbook [default: the first]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.rsplit_once('=').ok_or("expected HEADER=COLUMN, for example \"First name=first_name\"")?;
    Ok((pair.0.to_owned(), pair.1.trim().to_owned()))
}

fn parse_date_order(text: &str) -> Result<DateOrder, String> {
    text.parse().map_err(|_| "expected an order such as DD.MM.YYYY, MM/DD/YYYY or YYYY-MM-DD".to_owned())
}

/// Why a row is refused: the columns at fault, if known, and a message.
struct Refusal {
    field: Option<String>,
    reason: String,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    match verb {
        Verb::Clients(args) => import(Kind::Clients, args, cli).await,
        Verb::Companies(args) => import(Kind::Companies, args, cli).await,
        Verb::Isos(args) => import(Kind::Isos, args, cli).await,
        Verb::Spvs(args) => import(Kind::Spvs, args, cli).await,
        Verb::Invoices(args) => import(Kind::Invoices, args, cli).await,
        Verb::Payments(args) => import(Kind::Payments, args, cli).await,
        Verb::List => {
            let found = imports::list(&cli.ctx).await?;
            cli.out.list(found.iter().map(|import| import_record(import, &cli.ctx)).collect(), "imports")
        }
        Verb::Undo(args) => undo(&args.import, cli).await,
    }
}

fn import_record(import: &ImportRecord, ctx: &Ctx) -> Record {
    let undoable = import.undo_until() > ctx.now() && import.created_rows > import.removed_rows;
    Record::new()
        .with("id", import.id.to_string())
        .with("table", import.kind.name())
        .with("file", import.file_name.clone())
        .with("created", import.created_rows)
        .hidden_in_table("updated", import.updated_rows)
        .hidden_in_table("rejected", import.rejected_rows)
        .with_room("removed", import.removed_rows)
        .with_room("by", import.created_by.clone())
        .with("at", import.created_at.to_rfc3339())
        .with("undo_until", undoable.then(|| import.undo_until().to_rfc3339()))
}

/// Undoes an import after a yes. Prints the rows that stay as data.
async fn undo(id: &str, cli: &CliContext) -> Result {
    let typed = id.to_lowercase();
    let found = imports::list(&cli.ctx).await?;
    let mut matching = found.into_iter().filter(|import| import.id.to_string().starts_with(&typed));
    let (import, None) = (matching.next(), matching.next()) else {
        return Err(Failure::Refused(format!("several imports begin with {id}; give more characters")));
    };
    let import =
        import.ok_or_else(|| Failure::Refused(format!("there is no import {id}; see `spvctl import list`")))?;
    let rows = import.created_rows - import.removed_rows;
    cli.prompt.confirm(&format!(
        "Remove the {} of {} that {} imported from {}? Those that were changed or are used stay.",
        counted(rows, "row"),
        import.kind.name(),
        if rows == 1 { "was" } else { "were" },
        import.file_name
    ))?;
    let outcome = imports::undo(&cli.ctx, import.id).await?;
    let kept = outcome.kept.iter().map(|row| {
        let reason = refusal(&row.reason).reason;
        Record::new().with("line", row.line).with("name", row.label.clone()).with("reason", reason)
    });
    let kept: Vec<Record> = kept.collect();
    let stay = kept.len();
    if stay > 0 || cli.out.format == Format::Json {
        cli.out.wrapped().list(kept, "rows that stay")?;
    }
    let stay = if stay == 1 { "1 stays".to_owned() } else { format!("{stay} stay") };
    info(&format!("Removed {}; {stay}.", counted(outcome.removed, "row")));
    Ok(())
}

/// Imports a file. Prints rejected and differing rows as data and the totals as a message.
async fn import(kind: Kind, args: FileArgs, cli: &CliContext) -> Result {
    let file = if args.file == "-" { "standard input" } else { args.file.as_str() };
    let bytes = read_bytes(&args.file).map_err(|e| Failure::Refused(format!("{file}: cannot be read: {e}")))?;
    let options = ReadOptions {
        map: args.map,
        ignore_unknown: args.ignore_unknown,
        date_order: args.date_format,
        decimal_comma: args.decimal_comma,
        sheet: args.sheet,
        max_rows: None,
    };
    let found = reading::read(kind, &bytes, &options).map_err(|error| unreadable(file, kind, true, error))?;
    if found.columns.is_empty() {
        info(&format!("{file} is empty."));
        return Ok(());
    }
    if !found.problems.is_empty() {
        let has_unread = found.columns.iter().any(|column| !matches!(column.target, reading::Target::Read(_)));
        return Err(unreadable(file, kind, has_unread, Error::Invalid(found.problems)));
    }
    if let Some(words) = format_words(&found.format) {
        info(&words);
    }
    let lines = found.lines;
    if lines.is_empty() {
        info(&format!("{file} has a header but no rows."));
        return Ok(());
    }
    let options = ImportOptions { dry_run: args.dry_run, update: args.update };
    let mut started = imports::start(&cli.ctx, kind, file, options, &lines)?;
    let mut records = Vec::new();
    let stopped = import_lines(&mut started, lines, args.dry_run, &mut records).await;
    let totals = started.totals();
    // Imported rows are kept, so the totals are printed even after an error.
    let noted = started.finish().await;
    if !records.is_empty() || cli.out.format == Format::Json {
        cli.out.wrapped().list(records, "rows to report")?;
    }
    info(&totals_words(totals, args.dry_run));
    stopped?;
    noted?;
    if totals.rejected > 0 { Err(Failure::Found) } else { Ok(()) }
}

/// Imports the lines batch by batch; a signal stops it between two.
async fn import_lines(import: &mut Import, lines: Vec<ImportLine>, dry_run: bool, records: &mut Vec<Record>) -> Result {
    let stop = shutdown::on_signal();
    let bar = progress::bar(lines.len() as u64, "rows");
    let mut lines = lines.into_iter().peekable();
    while let Some(next) = lines.peek() {
        if *stop.borrow() {
            bar.finish_and_clear();
            let line = next.number;
            let rest = if dry_run { "nothing was imported" } else { "run it again to import the rest" };
            return Err(Failure::Refused(format!("stopped before line {line}; {rest}")));
        }
        let batch: Vec<ImportLine> = lines.by_ref().take(imports::BATCH_ROWS).collect();
        let rows = batch.len() as u64;
        for done in import.batch(batch).await? {
            if let Outcome::Present(Some(spelling)) = &done.outcome {
                let LineOutcome { line, label, .. } = &done;
                bar.suspend(|| info(&format!("Line {line}: {label} is already present as {spelling}.")));
            }
            records.extend(outcome_records(done));
        }
        bar.inc(rows);
    }
    bar.finish_and_clear();
    Ok(())
}

/// What is reported of a line: why it is rejected, or each value that is not the portal's.
fn outcome_records(LineOutcome { line, label, outcome }: LineOutcome) -> Vec<Record> {
    let record = |outcome: &str, field: Option<String>, portal: Option<String>, file: Option<String>| {
        let record = Record::new().with("line", line).with("name", label.as_str()).with("outcome", outcome);
        record.with("field", field).with("portal", portal).with("file", file)
    };
    match outcome {
        Outcome::Created | Outcome::Present(_) => Vec::new(),
        Outcome::Rejected { error, value } => {
            let Refusal { field, reason } = refusal(&error);
            vec![record("rejected", field, None, value).with("reason", reason)]
        }
        Outcome::Differs(found) => differences("differs", "left unchanged", found, record),
        Outcome::Updated(found) => differences("updated", "updated", found, record),
    }
}

fn differences(
    outcome: &str,
    reason: &str,
    found: Vec<Difference>,
    record: impl Fn(&str, Option<String>, Option<String>, Option<String>) -> Record,
) -> Vec<Record> {
    let row = |of: Difference| record(outcome, Some(of.column.to_owned()), Some(of.portal), Some(of.file));
    found.into_iter().map(|of| row(of).with("reason", reason)).collect()
}

fn totals_words(totals: ImportTotals, dry_run: bool) -> String {
    let ImportTotals { created, updated, present, differing, rejected } = totals;
    let some = |count: u64, words: &str| if count > 0 { format!(", {count} {words}") } else { String::new() };
    if dry_run {
        let (updated, differing) = (some(updated, "to update"), some(differing, "with other values"));
        return format!(
            "Dry run: {created} to import{updated}, {present} already present{differing}, {rejected} rejected. \
             Nothing was changed."
        );
    }
    let (updated, differing) = (some(updated, "updated"), some(differing, "with other values left unchanged"));
    format!("Imported {created}{updated}, already present {present}{differing}, rejected {rejected}.")
}

fn refusal(error: &Error) -> Refusal {
    let Error::Invalid(fields) = error else {
        return Refusal { field: None, reason: i18n::error(LANGUAGE, error) };
    };
    let names: Vec<&str> = fields.iter().map(|error| error.field.as_str()).collect();
    let reasons: Vec<String> = fields.iter().map(|error| i18n::field(LANGUAGE, error)).collect();
    Refusal { field: Some(names.join(", ")), reason: reasons.join(" ") }
}

/// Reads a file or standard input.
fn read_bytes(file: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match file {
        "-" => std::io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        path => std::fs::read(path),
    }
}

/// The failure of a file that cannot be read as it is, with the flags that help; `has_unread` is whether it has columns that
/// could be mapped.
fn unreadable(file: &str, kind: Kind, has_unread: bool, error: Error) -> Failure {
    let Error::Invalid(fields) = error else { return error.into() };
    let mut lines: Vec<String> = fields.iter().map(|error| i18n::field(LANGUAGE, error)).collect();
    let has = |field: &str| fields.iter().any(|error: &FieldError| error.field == field);
    let missing = fields.iter().find(|error| error.problem.code == "missing_columns");
    let lacks = |name: &str| {
        let columns = missing.and_then(|error| error.problem.params.get("columns")?.as_str()).unwrap_or_default();
        columns.split(", ").any(|column| column == name)
    };
    match kind {
        Kind::Clients if lacks("company_name") => lines.push(
            "Each client belongs to a company: name it in a column company_name; `spvctl company list` shows them."
                .to_owned(),
        ),
        Kind::Isos if lacks("company_name") => lines.push(
            "Each ISO partner belongs to a company: name it in a column company_name; `spvctl company list` shows them."
                .to_owned(),
        ),
        _ if missing.is_some() && !has_unread => {
            lines.push("Add them to the file; `spvctl import --help` says what they hold.".to_owned());
        }
        _ => {}
    }
    let is_mapping = |error: &FieldError| error.field == "map" && error.problem.code != "missing_columns";
    if fields.iter().any(is_mapping) || (missing.is_some() && has_unread) {
        lines.push("Map a column with --map \"Header=column\", or skip unknown ones with --ignore-unknown.".to_owned());
    }
    for (field, remedy) in [
        ("date_format", "Give --date-format DD/MM/YYYY or --date-format MM/DD/YYYY."),
        ("decimal_comma", "Give --decimal-comma, or --decimal-comma=false."),
    ] {
        if has(field) {
            lines.push(remedy.to_owned());
        }
    }
    Failure::Usage(format!("{file}: {}", lines.join("\n  ")))
}

/// How the file was read, unless it has the form of an export.
fn format_words(format: &FileFormat) -> Option<String> {
    let container = match &format.container {
        Container::Csv { delimiter, encoding } => {
            format!("{}-separated {}", delimiter.name(), encoding.replace("windows", "Windows"))
        }
        Container::JsonLines { encoding } => format!("JSON Lines in {encoding}"),
        Container::Workbook { sheet } => format!("sheet {sheet}"),
    };
    let comma = if format.decimal_comma == Some(true) { " with decimal comma" } else { "" };
    let dates = format.dates.as_ref().map(|dates| format!("; dates as {dates}")).unwrap_or_default();
    let words = format!("{container}{comma}{dates}");
    (!matches!(words.as_str(), "comma-separated UTF-8" | "JSON Lines in UTF-8")).then(|| format!("Read as {words}."))
}

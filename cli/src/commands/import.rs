//! `spvctl import …`
use crate::{
    context::CliContext,
    exit::{Failure, LANGUAGE, Result},
    output::{Format, Record, info},
    shutdown,
};
use clap::ValueEnum;
use domain::{
    Error,
    kernel::{csv::unescape_formulas, i18n},
    operations::imports::{self, Column, Import, ImportTotals, Kind, Outcome, Row},
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::value::RawValue;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

/// Long help of `spvctl import`.
pub const ABOUT: &str = "\
Clients or orders from a file, CSV or JSON Lines

The file has a header line or is JSON Lines, as `spvctl export` writes them.

A client needs first_name, last_name, email and company_name; it may have phone, address, iso_email or iso_name, and a \
status: pending, active, suspended or archived. It gets no password: send the link with `spvctl client invite`.

An order needs identifier, client_email, company_name, and purchase_amount or price; it may have iso_email or iso_name, \
country, currency, commission or iso_commission_percentage, status, ordered_date, closed_at and steps_completed. On hold \
or cancelled it needs a status_reason. Import its client first; suspended and archived clients get no \
orders.

No emails are sent and no invoices are issued. Existing rows are left unchanged. A refused row is listed with its \
line, and the others are imported.";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl import clients clients.csv --dry-run\n  spvctl import spvs spvs.jsonl\n  spvctl import spvs spvs.csv --format csv > refused.csv\n  spvctl --data-dir /srv/one export clients | spvctl --data-dir /srv/two import clients -"
)]
pub struct Args {
    #[arg(value_enum)]
    table: TableName,
    /// File to read, - for standard input
    file: String,
    /// Say what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TableName {
    Clients,
    Spvs,
}

/// A row of the file, or why it is refused.
struct ImportLine {
    /// Line number of its start, from 1.
    number: usize,
    row: Result<Row, Refusal>,
}

/// Why a row is refused: the columns at fault, if known, and a message.
struct Refusal {
    field: Option<String>,
    reason: String,
}

/// Imports row by row. Prints refused rows as data and the totals as a message.
pub async fn run(args: Args, cli: &CliContext) -> Result {
    let kind = match args.table {
        TableName::Clients => Kind::Clients,
        TableName::Spvs => Kind::Spvs,
    };
    let file = if args.file == "-" { "standard input" } else { args.file.as_str() };
    let wrong = |words: String| Failure::Usage(format!("{file}: {words}"));
    let text = read_text(&args.file).map_err(wrong)?;
    if text.trim().is_empty() {
        info(&format!("{file} is empty."));
        return Ok(());
    }
    if text.trim_start().starts_with('[') {
        return Err(wrong("expected one JSON object per line, as `spvctl export --format json` writes it".to_owned()));
    }
    let lines = if text.trim_start().starts_with('{') { parse_json_lines(kind, &text) } else { parse_csv(kind, &text) };
    let lines = lines.map_err(wrong)?;
    if lines.is_empty() {
        info(&format!("{file} has a header but no rows."));
        return Ok(());
    }
    let mut import = imports::start(&cli.ctx, kind, args.dry_run)?;
    let mut sums = ImportTotals::default();
    let mut refused = Vec::new();
    let stopped = import_rows(&mut import, kind, lines, &mut sums, &mut refused).await;
    // Imported rows are kept, so the totals are printed even after an error.
    let noted = import.finish(sums).await;
    if !refused.is_empty() || cli.out.format == Format::Json {
        cli.out.list(refused, "refused rows")?;
    }
    let ImportTotals { created: made, existing: there, rejected: refused } = sums;
    info(&match args.dry_run {
        true => format!("Dry run: {made} to import, {there} already present, {refused} rejected. Nothing was changed."),
        false => format!("Imported {made}, already present {there}, rejected {refused}."),
    });
    stopped?;
    noted?;
    if refused > 0 { Err(Failure::Found) } else { Ok(()) }
}

/// Imports the rows one by one; a signal stops it between two.
async fn import_rows(
    import: &mut Import,
    kind: Kind,
    lines: Vec<ImportLine>,
    sums: &mut ImportTotals,
    refused: &mut Vec<Record>,
) -> Result {
    let stop = shutdown::on_signal();
    // Hidden by indicatif when stderr is no terminal.
    let bar = ProgressBar::new(lines.len() as u64).with_style(
        ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} rows, {per_sec}, {eta} left")
            .expect("the template is well formed"),
    );
    for ImportLine { number, row } in lines {
        if *stop.borrow() {
            bar.finish_and_clear();
            return Err(Failure::Refused(format!("stopped before line {number}; run it again to go on")));
        }
        let name = row.as_ref().map(|row| row_label(kind, row)).unwrap_or_default();
        let why = match row {
            Ok(row) => match import.row(&row).await? {
                Outcome::Created => {
                    sums.created += 1;
                    None
                }
                Outcome::Exists(existing) => {
                    sums.existing += 1;
                    if let Some(existing) = existing {
                        bar.suspend(|| info(&format!("Line {number}: {name} is already there as {existing}.")));
                    }
                    None
                }
                Outcome::Rejected(error) => Some(refusal(&error)),
            },
            Err(why) => Some(why),
        };
        if let Some(Refusal { field, reason }) = why {
            sums.rejected += 1;
            let record = Record::new().with("line", number).with("name", name);
            refused.push(record.with("field", field).with("reason", reason));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// Label of a row in messages.
fn row_label(kind: Kind, row: &Row) -> String {
    let cell = |name: &str| row.get(name).map(|cell| cell.trim()).unwrap_or_default();
    match kind {
        Kind::Clients => format!("{} {}", cell("first_name"), cell("last_name")).trim().to_owned(),
        Kind::Spvs => cell("identifier").to_owned(),
    }
}

fn refusal(error: &Error) -> Refusal {
    let Error::Invalid(fields) = error else {
        return Refusal { field: None, reason: i18n::error(LANGUAGE, error) };
    };
    let names: Vec<&str> = fields.iter().map(|error| error.field.as_str()).collect();
    let reasons: Vec<String> = fields.iter().map(|error| i18n::field(LANGUAGE, error)).collect();
    Refusal { field: Some(names.join(", ")), reason: reasons.join(" ") }
}

/// Reads a file or standard input as UTF-8, without byte-order mark.
fn read_text(file: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().read_to_end(&mut bytes).map(drop),
        path => std::fs::read(path).map(|found| bytes = found),
    };
    read.map_err(|e| format!("cannot be read: {e}"))?;
    let mut text = String::from_utf8(bytes).map_err(|e| {
        let line = 1 + count_line_breaks(&e.as_bytes()[..e.utf8_error().valid_up_to()]);
        format!("line {line} is not UTF-8; save the file as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Counts line breaks: LF, CRLF and CR.
fn count_line_breaks(bytes: &[u8]) -> usize {
    let ends = |n: usize| bytes[n] == b'\n' || (bytes[n] == b'\r' && bytes.get(n + 1) != Some(&b'\n'));
    (0..bytes.len()).filter(|n| ends(*n)).count()
}

/// Maps the header of a file to known columns.
fn map_columns<'a>(kind: Kind, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Column>, String> {
    let known = imports::columns(kind);
    let mut found = Vec::new();
    for name in names {
        let Some(column) = known.find(name) else {
            let read = [known.required, known.optional].concat().join(", ");
            return Err(format!(
                "the column `{name}` is not known. Columns are {read}. Accepted but ignored: {}",
                known.unread.join(", ")
            ));
        };
        if column != Column::Unread && found.contains(&column) {
            return Err(format!("the column `{name}` appears twice"));
        }
        found.push(column);
    }
    let missing = known.required.iter().copied().filter(|name| !found.contains(&Column::Read(name)));
    match missing.collect::<Vec<_>>().as_slice() {
        [] => Ok(found),
        missing => Err(format!("these columns are missing: {}", missing.join(", "))),
    }
}

/// Parses a CSV file.
fn parse_csv(kind: Kind, text: &str) -> Result<Vec<ImportLine>, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let mut header: Option<Vec<Column>> = None;
    let mut lines = Vec::new();
    // Line number, and the byte offset up to which line breaks are counted.
    let (mut line, mut counted) = (1, 0);
    loop {
        let start = reader.position().byte() as usize;
        if !reader.read_record(&mut record).map_err(|e| e.to_string())? {
            break;
        }
        let whole = &text[start..reader.position().byte() as usize];
        // Leading line breaks belong to the previous record or to empty lines.
        let begins = start + whole.len() - whole.trim_start_matches(['\r', '\n']).len();
        line += count_line_breaks(&text.as_bytes()[counted..begins]);
        counted = begins;
        let open = !has_closed_quotes(whole);
        let Some(header) = &header else {
            if open {
                return Err("a quotation mark of the header is not closed".to_owned());
            }
            header = Some(map_columns(kind, record.iter().map(str::trim))?);
            continue;
        };
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let row = if open {
            Err(malformed(UNCLOSED_QUOTE.to_owned()))
        } else if record.len() != header.len() {
            Err(malformed(format!("There are {} cells, and {} columns.", record.len(), header.len())))
        } else {
            let cells = header.iter().zip(&record);
            Ok(cells.filter_map(|(column, cell)| Some((column_name(*column)?, unescape_formulas(cell)))).collect())
        };
        lines.push(ImportLine { number: line, row });
    }
    Ok(lines)
}

/// Whether every quoted cell of a record is closed. A quotation mark inside an unquoted cell, as for inches, opens no quote.
fn has_closed_quotes(record: &str) -> bool {
    let mut rest = record.trim_matches(['\r', '\n']);
    loop {
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let Some((_, next)) = rest.split_once(',') else { return true };
            rest = next;
            continue;
        };
        let after = loop {
            let Some((_, after)) = quoted.split_once('"') else { return false };
            // A doubled mark is an escaped one.
            match after.strip_prefix('"') {
                Some(more) => quoted = more,
                None => break after,
            }
        };
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return after.is_empty(),
        }
    }
}

/// Refusal of a row with an open quote, which would swallow the rows below.
const UNCLOSED_QUOTE: &str = "A quotation mark is not closed.";

fn malformed(reason: String) -> Refusal {
    Refusal { field: None, reason }
}

fn column_name(column: Column) -> Option<&'static str> {
    match column {
        Column::Read(name) => Some(name),
        Column::Unread => None,
    }
}

type Object = BTreeMap<String, Box<RawValue>>;

/// Parses JSON Lines. Malformed lines do not count for the columns.
fn parse_json_lines(kind: Kind, text: &str) -> Result<Vec<ImportLine>, String> {
    let read = |(n, line): (usize, &str)| {
        let object = serde_json::from_str::<Object>(line);
        (n + 1, object.map_err(|_| malformed("This is no JSON object.".to_owned())))
    };
    let read: Vec<_> = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(read).collect();
    let objects: Vec<&Object> = read.iter().filter_map(|(_, object)| object.as_ref().ok()).collect();
    if !objects.is_empty() {
        let names: BTreeSet<&str> = objects.into_iter().flat_map(Object::keys).map(String::as_str).collect();
        map_columns(kind, names)?;
    }
    let line = |(number, object): (usize, Result<Object, Refusal>)| ImportLine {
        number,
        row: object.and_then(|of| parse_object(kind, of)),
    };
    Ok(read.into_iter().map(line).collect())
}

/// Columns whose cells are amounts.
const AMOUNTS: [&str; 3] = ["purchase_amount", "price", "commission"];

/// A JSON number as a cell, in its notation. Amounts lose trailing zeros: the point of a JSON number is always a decimal
/// point, so `1.250` is not ambiguous as it would be in text.
fn number_cell(column: &str, number: &str) -> String {
    let is_decimal = number.contains('.') && !number.contains(['e', 'E']);
    if is_decimal && AMOUNTS.contains(&column) {
        return number.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    number.to_owned()
}

/// Converts a JSON object to a row; null is an empty cell.
fn parse_object(kind: Kind, object: Object) -> Result<Row, Refusal> {
    let known = imports::columns(kind);
    let mut row = Row::new();
    for (name, value) in object {
        let Some(Column::Read(column)) = known.find(&name) else { continue };
        let cell = match value.get() {
            "null" => continue,
            digits if digits.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => number_cell(column, digits),
            text => serde_json::from_str(text)
                .map_err(|_| Refusal { field: Some(name), reason: "Must be a text or a number.".to_owned() })?,
        };
        row.insert(column, cell);
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "first_name,last_name,email,company_name,address,created_at";

    /// Line number and address, or refusal, of each row.
    fn addresses(lines: Vec<ImportLine>) -> Vec<(usize, String)> {
        let said = |row: Result<Row, Refusal>| match row {
            Ok(row) => row.get("address").cloned().unwrap_or_default(),
            Err(why) => why.reason,
        };
        lines.into_iter().map(|ImportLine { number, row }| (number, said(row))).collect()
    }

    #[test]
    fn line_numbers_match_those_of_an_editor() {
        for end in ["\n", "\r\n", "\r"] {
            let text = [
                HEADER,
                "a,a,a,a,one,",
                "",
                "b,b,b,b,\"two",
                "",
                "lines\",",
                "c,c,c",
                ",,,,,",
                "d,d,d,d,\"'quoted\"\"\",",
                "e,e,e,e,'+1,",
                "f,f,f,f,\"six,",
            ]
            .join(end);
            let wanted = [
                (2, "one".to_owned()),
                (4, format!("two{end}{end}lines")),
                (7, "There are 3 cells, and 6 columns.".to_owned()),
                (9, "'quoted\"".to_owned()),
                (10, "+1".to_owned()),
                (11, UNCLOSED_QUOTE.to_owned()),
            ];
            let read = addresses(parse_csv(Kind::Clients, &text).unwrap_or_default());
            assert_eq!(read, wanted, "{end:?}");
        }
    }

    #[test]
    fn quotation_mark_inside_a_cell_opens_no_quote() {
        let text = "first_name,last_name,email,company_name,address\nA,A,a,B,the 6\" pipe\nA,A,b,B,\"the 6 pipe\n";
        let read = addresses(parse_csv(Kind::Clients, text).unwrap_or_default());
        assert_eq!(read, [(2, "the 6\" pipe".to_owned()), (3, UNCLOSED_QUOTE.to_owned())]);
        let text = "first_name,last_name,email,company_name,address\nA,A,a,\"B, Inc\",6\" pipe\n";
        assert_eq!(addresses(parse_csv(Kind::Clients, text).unwrap_or_default()), [(2, "6\" pipe".to_owned())]);
    }

    #[test]
    fn an_unclosed_quote_does_not_swallow_following_rows() {
        let text = "first_name,last_name,email,company_name,address\n\
                    A,A,a,B,\"12 Main St\nC,C,c,B,\"14 Oak Rd\nD,D,d,B,one\n";
        let read = addresses(parse_csv(Kind::Clients, text).unwrap_or_default());
        assert_eq!(read[0], (2, UNCLOSED_QUOTE.to_owned()), "{read:?}");
        assert_eq!(read.last(), Some(&(4, "one".to_owned())), "{read:?}");
    }

    #[test]
    fn json_objects_may_omit_empty_columns() {
        let text = "\n{\"email\":\"a\",\"first_name\":\"A\",\"last_name\":\"A\",\"company_name\":\"B\",\"address\":1250.10}\n\
                    {\"email\":\"b\",\"created_at\":[],\"address\":null}\n{\"email\":\n[]\n{\"address\":true}\n";
        let read = addresses(parse_json_lines(Kind::Clients, text).unwrap_or_default());
        let wanted = [
            (2, "1250.10"),
            (3, ""),
            (4, "This is no JSON object."),
            (5, "This is no JSON object."),
            (6, "Must be a text or a number."),
        ];
        assert_eq!(read, wanted.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn json_amounts_lose_trailing_zeros() {
        for (written, read) in
            [("0.070", "0.07"), ("1.250", "1.25"), ("7.000", "7"), ("100", "100"), ("1.0e2", "1.0e2")]
        {
            assert_eq!(number_cell("price", written), read);
        }
        assert_eq!(number_cell("identifier", "1250.10"), "1250.10");
    }

    #[test]
    fn files_with_unknown_columns_are_refused() {
        let refused = |text: &str| parse_csv(Kind::Spvs, text).err().unwrap_or_default();
        assert!(refused("identifier,client_email,company_name,password\n").starts_with("the column `password` is not"));
        assert_eq!(refused("identifier,price\n"), "these columns are missing: client_email, company_name");
        let twice = "identifier,client_email,company_name,custom_identifier\n";
        assert_eq!(refused(twice), "the column `custom_identifier` appears twice");
        assert_eq!(refused("custom_identifier,client_email,company_name,amount\n"), "");
        let unknown = parse_json_lines(Kind::Spvs, "{\"identifier\":\"a\"}\n{\"colour\":\"red\"}\n");
        assert!(
            unknown.is_err_and(|words| words.starts_with("the column `colour` is not known. Columns are identifier,"))
        );
    }
}

//! Output: data to stdout as table, JSON or CSV; messages to stderr.
mod table;

use crate::exit::{Failure, Result};
use chrono::{DateTime, NaiveDate};
use clap::ValueEnum;
use domain::kernel::{csv::escape_formulas, nearest::nearest, page::MAX_LIMIT};
use serde_json::{Map, Value, json};
use std::{
    fmt::Display,
    io::{IsTerminal, Write},
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Table,
    Json,
    Csv,
}

/// One row of data: names, values, and which of them the table of a list shows.
#[derive(Clone, Debug, Default)]
pub struct Record(Vec<Cell>);

#[derive(Clone, Debug)]
struct Cell {
    name: &'static str,
    value: Value,
    shown: Shown,
    /// The rows of a list inside the row.
    rows: Option<Vec<Record>>,
}

/// Where the table of a list shows a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Always,
    WhereThereIsRoom,
    Never,
}

impl Record {
    pub fn new() -> Self {
        Self::default()
    }

    fn cell(mut self, name: &'static str, value: impl Into<Value>, shown: Shown) -> Self {
        self.0.push(Cell { name, value: value.into(), shown, rows: None });
        self
    }

    /// Adds a value that every format shows.
    #[must_use]
    pub fn with(self, name: &'static str, value: impl Into<Value>) -> Self {
        self.cell(name, value, Shown::Always)
    }

    /// Adds a value that the table of a list leaves out first on a narrow terminal.
    #[must_use]
    pub fn with_room(self, name: &'static str, value: impl Into<Value>) -> Self {
        self.cell(name, value, Shown::WhereThereIsRoom)
    }

    /// Adds a value that the table of a list omits.
    #[must_use]
    pub fn hidden_in_table(self, name: &'static str, value: impl Into<Value>) -> Self {
        self.cell(name, value, Shown::Never)
    }

    /// Replaces a value.
    #[must_use]
    pub fn replace(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Some(cell) = self.0.iter_mut().find(|cell| cell.name == name) {
            cell.value = value.into();
        }
        self
    }

    /// Adds a list inside the row, which [`Output::one`] prints as a table of its own; lists omit it.
    #[must_use]
    pub fn nested(mut self, name: &'static str, records: Vec<Record>) -> Self {
        let value = records.iter().cloned().map(Self::json).collect::<Vec<_>>().into();
        self.0.push(Cell { name, value, shown: Shown::Never, rows: Some(records) });
        self
    }

    fn table_cells(&self) -> impl Iterator<Item = &Cell> + Clone {
        self.0.iter().filter(|cell| cell.shown != Shown::Never)
    }

    fn json(self) -> Value {
        self.0.into_iter().map(|cell| (cell.name.to_owned(), cell.value)).collect::<Map<_, _>>().into()
    }

    /// The fields that `--fields` names, in its order.
    fn select(self, fields: &[String]) -> Result<Self> {
        if fields.is_empty() {
            return Ok(self);
        }
        let find = |wanted: &String| {
            let found = self.0.iter().find(|cell| cell.name == wanted).cloned();
            found.map(|cell| Cell { shown: Shown::Always, ..cell }).ok_or_else(|| self.unknown_field(wanted))
        };
        Ok(Self(fields.iter().map(find).collect::<Result<_>>()?))
    }

    fn unknown_field(&self, wanted: &str) -> Failure {
        let names: Vec<&str> = self.0.iter().map(|cell| cell.name).collect();
        let near = nearest(wanted, names.iter().copied()).map(|name| format!("; did you mean {name}?"));
        let (near, names) = (near.unwrap_or_default(), names.join(", "));
        Failure::Usage(format!("--fields: there is no field {wanted}{near} (there are {names})"))
    }
}

/// Writes records to stdout in the chosen format.
#[derive(Clone, Debug)]
pub struct Output {
    pub format: Format,
    terminal: bool,
    /// Width of a line in columns; `None` where the output is not a terminal.
    width: Option<usize>,
    colours: bool,
    /// Fields to show; all if empty.
    fields: Vec<String>,
    /// Whether the last column of a table is wrapped rather than cut.
    wrapped: bool,
}

/// Width of a terminal that does not report one.
const DEFAULT_WIDTH: usize = 100;

/// The width that tables are fitted to: of `COLUMNS`, else of the terminal.
fn line_width(terminal: bool) -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|columns| *columns > 0);
    let reported = || dialoguer::console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    given.or_else(|| terminal.then(|| reported().filter(|columns| *columns >= 20).unwrap_or(DEFAULT_WIDTH)))
}

impl Output {
    pub fn new(format: Format, fields: Vec<String>) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let colours = terminal && !is_set("NO_COLOR") && !dumb;
        Self { format, terminal, width: line_width(terminal), colours, fields, wrapped: false }
    }

    /// The same with the last column wrapped: for texts that are read to their end.
    #[must_use]
    pub fn wrapped(&self) -> Self {
        Self { wrapped: true, ..self.clone() }
    }

    /// Prints a whole list. For an empty table or CSV prints "No {nothing}." to stderr.
    pub fn list(&self, records: Vec<Record>, nothing: &str) -> Result {
        self.page(records, nothing, None)
    }

    /// Prints one page of a list, and the cursor of the next.
    pub fn page(&self, records: Vec<Record>, nothing: &str, next: Option<String>) -> Result {
        let records = records.into_iter().map(|record| record.select(&self.fields)).collect::<Result<Vec<_>>>()?;
        let shown = records.len();
        match self.format {
            Format::Json => {
                let items: Vec<Value> = records.into_iter().map(Record::json).collect();
                return self.json(&json!({ "items": items, "next_cursor": next }));
            }
            Format::Csv if records.is_empty() => self.empty_csv(nothing)?,
            Format::Csv => self.csv(records)?,
            Format::Table if records.is_empty() => info(&format!("No {nothing}.")),
            Format::Table => {
                let lines = if self.wrapped { table::wrapped_lines } else { table::lines };
                self.print(&lines(&self.columns(&records), self.width, self.colours))?;
            }
        }
        if let Some(next) = next {
            info(&self.more(&next, shown));
        }
        Ok(())
    }

    /// Paging hint: flags for the next page. A terminal gets no cursor, as it is longer than a line.
    fn more(&self, cursor: &str, shown: usize) -> String {
        let most = MAX_LIMIT as usize;
        match (self.terminal, shown < most) {
            (false, _) => format!("There is more: add --cursor {cursor}, or --all"),
            (true, true) => format!("There is more: --limit {most}, or --all."),
            (true, false) => "There is more: --all.".to_owned(),
        }
    }

    fn columns(&self, records: &[Record]) -> Vec<table::Column> {
        let titles = records.first().map(|record| record.table_cells().collect::<Vec<_>>()).unwrap_or_default();
        let column = |(n, first): (usize, &Cell)| {
            let cells: Vec<&Cell> = records.iter().filter_map(|record| record.table_cells().nth(n)).collect();
            let every = |is: fn(&Cell) -> bool| {
                let mut values = cells.iter().filter(|cell| cell.has_value());
                values.clone().next().is_some() && values.all(|cell| is(cell))
            };
            table::Column {
                title: title(first.name),
                whole: first.is_name() || every(Cell::is_number) || every(Cell::is_date),
                // Whole where `--fields` names it.
                ids: first.name == "id" && self.fields.is_empty(),
                optional: first.shown == Shown::WhereThereIsRoom,
                essential: first.is_status() || every(Cell::is_amount),
                numeric: every(Cell::is_number),
                status: first.is_status(),
                cells: cells
                    .iter()
                    .map(|cell| if self.width.is_some() && !self.wrapped { short(cell) } else { display(cell) })
                    .collect(),
            }
        };
        titles.into_iter().enumerate().map(column).collect()
    }

    /// Prints one row with all its values; in a table its lists follow, as tables of their own.
    pub fn one(&self, record: Record) -> Result {
        let record = record.select(&self.fields)?;
        match self.format {
            Format::Json => self.json(&record.json()),
            Format::Csv => self.csv(vec![record]),
            Format::Table => {
                let pair = |cell: &Cell| (title(cell.name), display(cell), cell.is_status());
                let values = record.0.iter().filter(|cell| cell.rows.is_none());
                let pairs: Vec<_> = values.map(pair).collect();
                self.print(&table::pairs(&pairs, self.colours))?;
                let lists = record.0.iter().filter_map(|cell| Some((cell.name, cell.rows.as_ref()?)));
                for (n, (name, rows)) in lists.filter(|(_, rows)| !rows.is_empty()).enumerate() {
                    if n > 0 || !pairs.is_empty() {
                        self.print(&[String::new()])?;
                    }
                    self.print(&[table::heading(&title(name), self.colours)])?;
                    self.print(&table::lines(&self.columns(rows), self.width, self.colours))?;
                }
                Ok(())
            }
        }
    }

    /// Prints JSON. Control characters are escaped, so that it is harmless on a terminal.
    pub fn json(&self, value: &Value) -> Result {
        writeln!(std::io::stdout().lock(), "{}", escaped(&serde_json::to_string_pretty(value)?))?;
        Ok(())
    }

    /// Prints raw bytes: the OpenAPI document, shell completions.
    pub fn raw(&self, text: &[u8]) -> Result {
        let mut out = std::io::stdout().lock();
        out.write_all(text)?;
        Ok(out.flush()?)
    }

    /// The header that `--fields` names, and "No {nothing}." to stderr. Without fields there is no header, as the columns of a
    /// list are those of its rows.
    fn empty_csv(&self, nothing: &str) -> Result {
        info(&format!("No {nothing}."));
        let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
        if !self.fields.is_empty() {
            writer.write_record(&self.fields)?;
        }
        Ok(writer.flush()?)
    }

    /// CSV with formula escaping, as the exports write it.
    fn csv(&self, records: Vec<Record>) -> Result {
        let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
        for (n, record) in records.iter().enumerate() {
            if n == 0 {
                writer.write_record(record.0.iter().map(|cell| cell.name))?;
            }
            writer.write_record(record.0.iter().map(|cell| {
                let text = value_text(&cell.value);
                escape_formulas(&if self.terminal { clean(&text) } else { text })
            }))?;
        }
        Ok(writer.flush()?)
    }

    fn print(&self, lines: &[String]) -> Result {
        let mut out = std::io::stdout().lock();
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

impl Cell {
    fn has_value(&self) -> bool {
        !self.value.is_null()
    }

    fn is_number(&self) -> bool {
        self.value.is_number() || self.is_amount()
    }

    /// Amounts are strings with a decimal point, so that no digit is lost.
    fn is_amount(&self) -> bool {
        self.value.as_str().is_some_and(|text| text.contains('.') && text.parse::<f64>().is_ok())
    }

    fn is_date(&self) -> bool {
        let date = |text: &str| DateTime::parse_from_rfc3339(text).is_ok() || text.parse::<NaiveDate>().is_ok();
        self.value.as_str().is_some_and(date)
    }

    /// A name that other commands take, or a word of a few.
    fn is_name(&self) -> bool {
        const NAMES: [&str; 18] = [
            "id",
            "identifier",
            "order",
            "order_number",
            "email",
            "phone",
            "client_email",
            "number",
            "reference",
            "run",
            "spv",
            "kid",
            "currency",
            "country",
            "job",
            "check",
            "language",
            "role",
        ];
        NAMES.contains(&self.name) || self.is_status()
    }

    fn is_status(&self) -> bool {
        ["status", "state", "stage", "scan", "priority", "severity"].contains(&self.name)
    }
}

/// Text of a table cell on a terminal: times to the minute.
fn short(cell: &Cell) -> String {
    let at = cell.value.as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    at.map_or_else(|| display(cell), |at| at.to_utc().format("%Y-%m-%d %H:%M").to_string())
}

/// Text of a table cell; for a list its length.
fn display(cell: &Cell) -> String {
    let text = match &cell.value {
        Value::Array(items) => return items.len().to_string(),
        value => value_text(value),
    };
    if cell.name == "country" && text == "AE" {
        return "UAE".to_owned();
    }
    match DateTime::parse_from_rfc3339(&text) {
        Ok(at) => at.to_utc().format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => clean(&text),
    }
}

/// A number of things, as `1 row` or `2 rows`.
pub fn counted(count: impl Display, singular: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {singular}{ending}")
}

/// Prints a message to stderr.
pub fn info(words: &str) {
    // A closed stderr cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "{}", words.lines().map(clean).collect::<Vec<_>>().join("\n"));
}

/// Column title of a field: `iso_commission` becomes "ISO commission".
fn title(name: &str) -> String {
    let words = name.split('_').enumerate().map(|(n, word)| match word {
        "id" | "iso" | "spv" => word.to_uppercase(),
        _ if n == 0 => {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Escapes control and direction characters in JSON strings. Outside of strings JSON has none.
fn escaped(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut out, c| {
        if c != '\n' && (c.is_control() || is_direction_mark(c)) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
        out
    })
}

/// Whether the character changes the writing direction.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Removes terminal escape sequences, control characters and direction marks from untrusted text.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // CSI ends with its final byte, OSC with its terminator; other sequences have one more character.
            '\u{1b}' => match rest.next() {
                Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => while rest.next().is_some_and(|c| !matches!(c, '\u{7}' | '\u{9c}' | '\\')) {},
                _ => {}
            },
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || is_direction_mark(c) => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_direction_marks_are_removed() {
        assert_eq!(clean("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{202e}y\u{7}\r"), "red xy");
        let name = serde_json::json!(["\u{9b}31mred\u{1b}[0m\u{7f} \u{202e}x\n <b>Söhne & Co</b>"]);
        let json = escaped(&serde_json::to_string_pretty(&name).unwrap());
        assert!(json.chars().all(|c| c == '\n' || !c.is_control() && !is_direction_mark(c)), "{json:?}");
        assert!(json.contains("<b>Söhne & Co</b>"), "{json}");
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), name);
        assert_eq!(clean("two\nlines <b>Söhne & Co</b>"), "two lines <b>Söhne & Co</b>");
    }

    #[test]
    fn table_cells_are_formatted_for_people() {
        assert_eq!(title("iso_commission"), "ISO commission");
        assert_eq!(title("client_id"), "Client ID");
        let cell = |name, value: Value| Cell { name, value, shown: Shown::Always, rows: None };
        assert_eq!(display(&cell("country", "AE".into())), "UAE");
        assert_eq!(display(&cell("name", "AE".into())), "AE");
        assert_eq!(display(&cell("at", "2026-11-25T19:03:04.993364+01:00".into())), "2026-11-25 18:03:04 UTC");
        assert_eq!(display(&cell("due_date", "2026-11-25".into())), "2026-11-25");
        assert_eq!(display(&cell("steps", vec![1, 2].into())), "2");
        for (value, is_number) in [
            (Value::from(13), true),
            ("-1250.00".into(), true),
            ("2026-11-25".into(), false),
            ("996d5802".into(), false),
            ("12345678".into(), false),
            ("192.0.2.1".into(), false),
            ("".into(), false),
        ] {
            assert_eq!(cell("total", value.clone()).is_number(), is_number, "{value}");
        }
    }
}

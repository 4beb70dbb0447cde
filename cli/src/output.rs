//! Output: data to stdout as table, JSON or CSV; messages to stderr.
use crate::exit::Result;
use chrono::DateTime;
use clap::ValueEnum;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use domain::kernel::csv::escape_formulas;
use serde_json::{Map, Value};
use std::io::{IsTerminal, Write};

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
    in_table: bool,
}

impl Record {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value that every format shows.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push(Cell { name, value: value.into(), in_table: true });
        self
    }

    /// Adds a value that the table of a list omits.
    #[must_use]
    pub fn hidden_in_table(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push(Cell { name, value: value.into(), in_table: false });
        self
    }

    /// Replaces a value.
    #[must_use]
    pub fn replace(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Some(cell) = self.0.iter_mut().find(|cell| cell.name == name) {
            cell.value = value.into();
        }
        self
    }

    /// Adds a list inside the row, for JSON; tables show its length.
    #[must_use]
    pub fn nested(self, name: &'static str, records: Vec<Record>) -> Self {
        self.hidden_in_table(name, records.into_iter().map(Self::json).collect::<Vec<_>>())
    }

    fn table_cells(&self) -> impl Iterator<Item = &Cell> + Clone {
        self.0.iter().filter(|cell| cell.in_table)
    }

    fn json(self) -> Value {
        self.0.into_iter().map(|cell| (cell.name.to_owned(), cell.value)).collect::<Map<_, _>>().into()
    }
}

/// Writes records to stdout in the chosen format.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    pub format: Format,
    terminal: bool,
}

impl Output {
    pub fn new(format: Format) -> Self {
        Self { format, terminal: std::io::stdout().is_terminal() }
    }

    /// Prints a list. For an empty table prints "No {nothing}." to stderr.
    pub fn list(&self, records: Vec<Record>, nothing: &str) -> Result {
        match self.format {
            Format::Json => self.json(&records.into_iter().map(Record::json).collect::<Vec<_>>().into()),
            Format::Csv => self.csv(records),
            Format::Table if records.is_empty() => {
                info(&format!("No {nothing}."));
                Ok(())
            }
            Format::Table => {
                let mut table = self.table();
                table.set_header(records[0].table_cells().map(|cell| title(cell.name)));
                for record in &records {
                    table.add_row(record.table_cells().map(display));
                }
                for (n, column) in table.column_iter_mut().enumerate() {
                    let mut values =
                        records.iter().filter_map(|record| record.table_cells().nth(n)).filter(|cell| cell.has_value());
                    if values.clone().next().is_some() && values.all(Cell::is_number) {
                        column.set_cell_alignment(CellAlignment::Right);
                    }
                }
                self.print(&table)
            }
        }
    }

    /// Prints one page of a list, and the cursor of the next.
    pub fn page(&self, records: Vec<Record>, nothing: &str, next: Option<String>) -> Result {
        self.list(records, nothing)?;
        if let Some(next) = next {
            info(&format!("There is more: add --cursor {next}"));
        }
        Ok(())
    }

    /// Prints one row with all its values.
    pub fn one(&self, record: Record) -> Result {
        match self.format {
            Format::Json => self.json(&record.json()),
            Format::Csv => self.csv(vec![record]),
            Format::Table => {
                let mut table = self.table();
                for cell in &record.0 {
                    table.add_row([title(cell.name), display(cell)]);
                }
                self.print(&table)
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

    fn table(&self) -> Table {
        let mut table = Table::new();
        if self.terminal {
            table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
            // Some terminals do not report a width.
            if table.width().is_none_or(|columns| columns < 40) {
                table.set_width(100);
            }
        } else {
            table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        }
        table
    }

    fn print(&self, table: &Table) -> Result {
        let mut out = std::io::stdout().lock();
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Cell {
    fn has_value(&self) -> bool {
        !self.value.is_null()
    }

    /// A number, or an amount: amounts are strings with a decimal point, so that no digit is lost.
    fn is_number(&self) -> bool {
        match &self.value {
            Value::Number(_) => true,
            Value::String(text) => text.contains('.') && text.parse::<f64>().is_ok(),
            _ => false,
        }
    }
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
        let cell = |name, value: Value| Cell { name, value, in_table: true };
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

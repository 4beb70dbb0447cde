//! Data goes to stdout as table, JSON or CSV; words go to stderr.
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

/// One row of data: names, values, and whether a list's table shows them.
#[derive(Clone, Debug, Default)]
pub struct Record(Vec<Cell>);

#[derive(Clone, Debug)]
struct Cell {
    name: &'static str,
    value: Value,
    in_lists: bool,
}

impl Record {
    pub fn new() -> Self {
        Self::default()
    }

    /// A value that every form of output shows.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push(Cell { name, value: value.into(), in_lists: true });
        self
    }

    /// A value that a list's table leaves out.
    #[must_use]
    pub fn more(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push(Cell { name, value: value.into(), in_lists: false });
        self
    }

    /// A list inside the row, for JSON.
    #[must_use]
    pub fn nested(self, name: &'static str, records: Vec<Record>) -> Self {
        self.more(name, records.into_iter().map(Self::json).collect::<Vec<_>>())
    }

    fn listed(&self) -> impl Iterator<Item = &Cell> + Clone {
        self.0.iter().filter(|cell| cell.in_lists)
    }

    fn json(self) -> Value {
        self.0.into_iter().map(|cell| (cell.name.to_owned(), cell.value)).collect::<Map<_, _>>().into()
    }
}

/// Where and how to write.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    pub format: Format,
    terminal: bool,
}

impl Output {
    pub fn new(format: Format) -> Self {
        Self { format, terminal: std::io::stdout().is_terminal() }
    }

    /// A list. An empty table says so in words: `nothing` completes "no …".
    pub fn list(&self, records: Vec<Record>, nothing: &str) -> Result {
        match self.format {
            Format::Json => self.json(&records.into_iter().map(Record::json).collect::<Vec<_>>().into()),
            Format::Csv => self.csv(records),
            Format::Table if records.is_empty() => {
                say(&format!("No {nothing}."));
                Ok(())
            }
            Format::Table => {
                let mut table = self.table();
                table.set_header(records[0].listed().map(|cell| title(cell.name)));
                for record in &records {
                    table.add_row(record.listed().map(shown));
                }
                for (n, column) in table.column_iter_mut().enumerate() {
                    let mut told =
                        records.iter().filter_map(|record| record.listed().nth(n)).filter(|cell| cell.is_told());
                    if told.clone().next().is_some() && told.all(Cell::is_number) {
                        column.set_cell_alignment(CellAlignment::Right);
                    }
                }
                self.print(&table)
            }
        }
    }

    /// A list that goes on: tells how to see more.
    pub fn page(&self, records: Vec<Record>, nothing: &str, next: Option<String>) -> Result {
        self.list(records, nothing)?;
        if let Some(next) = next {
            say(&format!("There is more: add --cursor {next}"));
        }
        Ok(())
    }

    /// One row with all it has.
    pub fn one(&self, record: Record) -> Result {
        match self.format {
            Format::Json => self.json(&record.json()),
            Format::Csv => self.csv(vec![record]),
            Format::Table => {
                let mut table = self.table();
                for cell in &record.0 {
                    table.add_row([title(cell.name), shown(cell)]);
                }
                self.print(&table)
            }
        }
    }

    /// Any JSON: the same value for a program, and harmless on a terminal.
    pub fn json(&self, value: &Value) -> Result {
        writeln!(std::io::stdout().lock(), "{}", escaped(&serde_json::to_string_pretty(value)?))?;
        Ok(())
    }

    /// Text that is data: the API document, a shell's completions.
    pub fn raw(&self, text: &[u8]) -> Result {
        let mut out = std::io::stdout().lock();
        out.write_all(text)?;
        Ok(out.flush()?)
    }

    /// As the exports write it: what a spreadsheet would run has an apostrophe before it.
    fn csv(&self, records: Vec<Record>) -> Result {
        let mut writer = csv::Writer::from_writer(std::io::stdout().lock());
        for (n, record) in records.iter().enumerate() {
            if n == 0 {
                writer.write_record(record.0.iter().map(|cell| cell.name))?;
            }
            writer.write_record(record.0.iter().map(|cell| {
                let text = text(&cell.value);
                escape_formulas(&if self.terminal { clean(&text) } else { text })
            }))?;
        }
        Ok(writer.flush()?)
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        if self.terminal {
            table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
            // Some terminals do not know how wide they are.
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
    fn is_told(&self) -> bool {
        !self.value.is_null()
    }

    /// Amounts are text, so that no digit of them is lost, with a point. Order numbers and addresses are none.
    fn is_number(&self) -> bool {
        match &self.value {
            Value::Number(_) => true,
            Value::String(text) => text.contains('.') && text.parse::<f64>().is_ok(),
            _ => false,
        }
    }
}

/// For people, in a table. What is in a list is told beside it, or by JSON: here, how much that is.
fn shown(cell: &Cell) -> String {
    let text = match &cell.value {
        Value::Array(items) => return items.len().to_string(),
        value => text(value),
    };
    if cell.name == "country" && text == "AE" {
        return "UAE".to_owned();
    }
    match DateTime::parse_from_rfc3339(&text) {
        Ok(at) => at.to_utc().format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => clean(&text),
    }
}

/// Words for the person at the terminal.
pub fn say(words: &str) {
    // A closed stderr is nothing anybody could be told of.
    let _ = writeln!(std::io::stderr(), "{}", words.lines().map(clean).collect::<Vec<_>>().join("\n"));
}

/// The field's own name, which is what a script asks for in JSON, as it is written in a sentence.
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

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// JSON whose texts have as escapes what a terminal would act on. Outside its texts JSON has none of that.
fn escaped(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut out, c| {
        if c != '\n' && (c.is_control() || turns(c)) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
        out
    })
}

/// Whether what follows this character is written in another direction.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text of others, made harmless: what would move the cursor, recolour or turn the line around is left out.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // An escape sequence: CSI up to its final letter, OSC up to its end, else one more character.
            '\u{1b}' => match rest.next() {
                Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => while rest.next().is_some_and(|c| !matches!(c, '\u{7}' | '\u{9c}' | '\\')) {},
                _ => {}
            },
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || turns(c) => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_direction_marks_never_reach_a_terminal() {
        assert_eq!(clean("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}x\u{202e}y\u{7}\r"), "red xy");
        let name = serde_json::json!(["\u{9b}31mred\u{1b}[0m\u{7f} \u{202e}x\n <b>Söhne & Co</b>"]);
        let json = escaped(&serde_json::to_string_pretty(&name).unwrap());
        assert!(json.chars().all(|c| c == '\n' || !c.is_control() && !turns(c)), "{json:?}");
        assert!(json.contains("<b>Söhne & Co</b>"), "{json}");
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), name);
        assert_eq!(clean("two\nlines <b>Söhne & Co</b>"), "two lines <b>Söhne & Co</b>");
    }

    #[test]
    fn a_table_is_for_people() {
        assert_eq!(title("iso_commission"), "ISO commission");
        assert_eq!(title("client_id"), "Client ID");
        let cell = |name, value: Value| Cell { name, value, in_lists: true };
        assert_eq!(shown(&cell("country", "AE".into())), "UAE");
        assert_eq!(shown(&cell("name", "AE".into())), "AE");
        assert_eq!(shown(&cell("at", "2026-11-25T19:03:04.993364+01:00".into())), "2026-11-25 18:03:04 UTC");
        assert_eq!(shown(&cell("due_date", "2026-11-25".into())), "2026-11-25");
        assert_eq!(shown(&cell("steps", vec![1, 2].into())), "2");
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

//! Reads an import file as offices have it: CSV of any usual encoding and delimiter, JSON Lines or a workbook, with human
//! headers and the dates and amounts of the office's country.
//!
//! What can be read in two ways is a [`ImportFile::problems`], never a guess.
mod cell_formats;
mod delimited;
mod encoding;
mod header;
mod json_lines;
mod workbook;

pub use cell_formats::DateOrder;
pub use delimited::Delimiter;

pub(super) use header::key as header_key;
pub use header::{MappedColumn, Target};

use super::{Kind, Row};
use crate::kernel::error::{Error, FieldError, Problem, Result};
use cell_formats::CellFormats;

/// How to read a file, where its content does not say or says otherwise.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Pairs of a header and the column it is read as; an empty column skips it.
    pub map: Vec<(String, String)>,
    /// Skip unknown columns.
    pub ignore_unknown: bool,
    /// Order of day, month and year; unset: detected.
    pub date_order: Option<DateOrder>,
    /// Whether amounts have a decimal comma; unset: detected.
    pub decimal_comma: Option<bool>,
    /// Sheet of a workbook; unset: the first.
    pub sheet: Option<String>,
    /// Rows that a file may have; unset: any number.
    pub max_rows: Option<usize>,
}

/// Columns that a file may have.
const MAX_COLUMNS: usize = 256;

/// A file as it was read.
#[derive(Debug)]
pub struct ImportFile {
    pub format: FileFormat,
    /// Columns in the file's order; none if it is empty.
    pub columns: Vec<MappedColumn>,
    /// Columns of the kind that the file must have and has not.
    pub missing: Vec<&'static str>,
    /// What prevents an import: unknown or missing columns, ambiguous dates or amounts. Fields are `map`, `date_format`
    /// and `decimal_comma`, the options that solve them.
    pub problems: Vec<FieldError>,
    pub lines: Vec<ImportLine>,
}

/// The format of a file, as given or detected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFormat {
    pub container: Container,
    /// Whether amounts have a decimal comma; None if no amount tells.
    pub decimal_comma: Option<bool>,
    /// Format of the dates, such as `DD.MM.YYYY`; None for ISO 8601.
    pub dates: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    Csv { delimiter: Delimiter, encoding: &'static str },
    JsonLines { encoding: &'static str },
    Workbook { sheet: String },
}

/// A row with the line it starts on, from 1, or why it cannot be read.
#[derive(Debug)]
pub struct ImportLine {
    pub number: usize,
    pub row: Result<Row>,
}

/// The rows of a file under its header, up to a limit.
struct Table {
    header: Vec<String>,
    rows: Vec<TableRow>,
    max_rows: usize,
}

impl Table {
    fn new(max_rows: usize) -> Self {
        Self { header: Vec::new(), rows: Vec::new(), max_rows }
    }

    /// Adds the header.
    ///
    /// # Errors
    /// Invalid `file` for more than [`MAX_COLUMNS`].
    fn set_header(&mut self, header: Vec<String>) -> Result<()> {
        check_columns(header.len())?;
        self.header = header;
        Ok(())
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Invalid `file` for one more than the limit.
    fn push(&mut self, line: usize, cells: Result<Vec<Cell>>) -> Result<()> {
        if self.rows.len() == self.max_rows {
            return Err(Error::field_with("file", Problem::new("too_many_file_rows").with("max", self.max_rows)));
        }
        self.rows.push(TableRow { line, cells });
        Ok(())
    }
}

fn check_columns(count: usize) -> Result<()> {
    if count > MAX_COLUMNS {
        return Err(Error::field_with("file", Problem::new("too_many_columns").with("max", MAX_COLUMNS)));
    }
    Ok(())
}

struct TableRow {
    line: usize,
    /// One cell for each column of the header.
    cells: Result<Vec<Cell>>,
}

/// A cell. Numbers and dates of a workbook or JSON are typed: they cannot be read in two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    Text(String),
    Typed(String),
}

impl Cell {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Typed(text) => text,
        }
    }
}

/// Reads a file of this kind of rows.
///
/// # Errors
/// Invalid `file` if it is damaged, of another type or too large, `sheet` for an unknown sheet.
pub fn read(kind: Kind, bytes: &[u8], options: &ReadOptions) -> Result<ImportFile> {
    let max_rows = options.max_rows.unwrap_or(usize::MAX);
    let (container, table) = if workbook::is_workbook(bytes) {
        let (sheet, table) = workbook::parse(bytes, options.sheet.as_deref(), max_rows)?;
        (Container::Workbook { sheet }, table)
    } else {
        let (encoding, text) = encoding::decode(bytes)?;
        match text.trim_start().chars().next() {
            Some('[') => return Err(refused("json_array")),
            Some('{') => (Container::JsonLines { encoding }, json_lines::parse(kind, &text, options)?),
            _ => {
                let (delimiter, table) = delimited::parse(kind, &text, max_rows)?;
                (Container::Csv { delimiter, encoding }, table)
            }
        }
    };
    Ok(interpret(kind, container, table, options))
}

/// Maps the columns and reads dates and amounts.
fn interpret(kind: Kind, container: Container, table: Table, options: &ReadOptions) -> ImportFile {
    let (columns, missing, mut problems) = header::map(kind, &table, options);
    if columns.is_empty() {
        problems.clear();
        problems.push(FieldError { field: "file".to_owned(), problem: Problem::new("empty_file") });
    }
    let (formats, unclear) = CellFormats::detect(&columns, &table.rows, options);
    problems.extend(unclear);
    let lines = if problems.is_empty() {
        table.rows.into_iter().map(|row| line(&columns, &formats, row)).collect()
    } else {
        Vec::new()
    };
    let format = FileFormat { container, decimal_comma: formats.decimal_comma, dates: formats.dates_shown() };
    ImportFile { format, columns, missing, problems, lines }
}

fn line(columns: &[MappedColumn], formats: &CellFormats, row: TableRow) -> ImportLine {
    let read = |cells: Vec<Cell>| {
        let named = columns.iter().zip(cells).filter_map(|(column, cell)| match column.target {
            Target::Read(name) => Some((name, formats.normalise(name, cell))),
            Target::Skipped | Target::Unknown => None,
        });
        named.collect::<Row>()
    };
    ImportLine { number: row.line, row: row.cells.map(read) }
}

/// The file cannot be read.
fn refused(code: &'static str) -> Error {
    Error::field("file", code)
}

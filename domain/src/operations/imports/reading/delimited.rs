//! Delimited text (CSV, TSV): a comma, semicolon or tab between the cells.
use super::{Cell, Table, encoding::count_line_breaks, header, refused};
use crate::{
    kernel::{
        csv::unescape_formulas,
        error::{Error, Problem, Result},
    },
    operations::imports::Kind,
};

crate::kernel::text_enum! {
    /// Delimiter between the cells of a CSV file.
    pub enum Delimiter {
        Comma = "comma",
        Semicolon = "semicolon",
        Tab = "tab",
    }
}

impl Delimiter {
    fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// Parses CSV. The first line may be `sep=;`, as Excel writes and reads it.
///
/// # Errors
/// Invalid `file` for an open quotation mark in the header, another delimiter than the known ones, and too many rows or
/// columns.
pub(super) fn parse(kind: Kind, text: &str, max_rows: usize) -> Result<(Delimiter, Table)> {
    let first = text.split(['\r', '\n']).next().unwrap_or_default();
    let named = first.trim_matches('"').to_ascii_lowercase();
    let (delimiter, skipped) = match named.strip_prefix("sep=") {
        Some(named) => {
            let known = Delimiter::ALL.into_iter().find(|known| named.as_bytes().first() == Some(&known.byte()));
            (known.ok_or_else(|| refused("unknown_separator"))?, first.len())
        }
        None => (detect(kind, text), 0),
    };
    Ok((delimiter, records(text, skipped, delimiter.byte(), Table::new(max_rows))?))
}

/// The delimiter by which the header has most known columns, else most columns.
fn detect(kind: Kind, text: &str) -> Delimiter {
    let score = |delimiter: Delimiter| {
        let mut reader = reader(text, delimiter.byte());
        let mut record = csv::StringRecord::new();
        match reader.read_record(&mut record) {
            Ok(true) => (record.iter().filter(|name| header::is_known(kind, name)).count(), record.len()),
            _ => (0, 0),
        }
    };
    // Of equals, the last: the comma.
    [Delimiter::Tab, Delimiter::Semicolon, Delimiter::Comma]
        .into_iter()
        .max_by_key(|found| score(*found))
        .unwrap_or(Delimiter::Comma)
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes())
}

/// Reads the records after the first `skipped` bytes. After a record whose quotation mark is not closed, reading starts anew
/// at its second line, as the record may have swallowed others.
fn records(text: &str, skipped: usize, delimiter: u8, mut table: Table) -> Result<Table> {
    let mut record = csv::StringRecord::new();
    let mut has_header = false;
    let (mut reader, mut base) = (reader(&text[skipped..], delimiter), skipped);
    // Line number, and the byte offset up to which line breaks are counted.
    let (mut line, mut counted) = (1, 0);
    loop {
        let start = base + reader.position().byte() as usize;
        if !reader.read_record(&mut record).map_err(Error::internal)? {
            break;
        }
        let whole = &text[start..base + reader.position().byte() as usize];
        // Leading line breaks belong to the previous record or to empty lines.
        let begins = start + whole.len() - whole.trim_start_matches(['\r', '\n']).len();
        line += count_line_breaks(&text.as_bytes()[counted..begins]);
        counted = begins;
        let open = !has_closed_quotes(whole, char::from(delimiter));
        if !has_header {
            if open {
                return Err(refused("open_header"));
            }
            table.set_header(record.iter().map(|name| name.trim().to_owned()).collect())?;
            has_header = true;
        } else if open {
            table.push(line, Err(Error::conflict("unclosed_quote")))?;
            base = begins + text[begins..].find(['\r', '\n']).unwrap_or(text.len() - begins);
            reader = self::reader(&text[base..], delimiter);
        } else if record.iter().any(|cell| !cell.trim().is_empty()) {
            let cells = cells(&record, table.header.len());
            table.push(line, cells)?;
        }
    }
    if table.header.iter().all(String::is_empty) {
        table.header.clear();
    }
    Ok(table)
}

fn cells(record: &csv::StringRecord, columns: usize) -> Result<Vec<Cell>> {
    // Spreadsheets leave out or add empty cells at the end of a line.
    let extra = record.iter().skip(columns).all(str::is_empty);
    if record.len() < columns || !extra {
        return Err(Error::Conflict(Problem::new("cell_count").with("cells", record.len()).with("columns", columns)));
    }
    Ok(record.iter().take(columns).map(|cell| Cell::Text(unescape_formulas(cell))).collect())
}

/// Whether every quoted cell of a record is closed; an open one would swallow the rows below. A quotation mark inside an
/// unquoted cell, as for inches, opens no quote.
fn has_closed_quotes(record: &str, delimiter: char) -> bool {
    let mut rest = record.trim_matches(['\r', '\n']);
    loop {
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let Some((_, next)) = rest.split_once(delimiter) else { return true };
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
        match after.strip_prefix(delimiter) {
            Some(next) => rest = next,
            None => return after.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::MAX_COLUMNS, *};

    const HEADER: &str = "first_name,last_name,email,company_name,address,created_at";

    /// Line number and fifth cell, or code of the refusal, of each row.
    fn addresses(text: &str) -> Vec<(usize, String)> {
        let (_, table) = parse(Kind::Clients, text, usize::MAX).expect("the header is closed");
        let said = |cells: Result<Vec<Cell>>| match cells {
            Ok(cells) => cells[4].text().to_owned(),
            Err(Error::Conflict(problem)) => problem.code.to_owned(),
            Err(e) => e.to_string(),
        };
        table.rows.into_iter().map(|row| (row.line, said(row.cells))).collect()
    }

    #[test]
    fn line_numbers_match_those_of_an_editor() {
        for end in ["\n", "\r\n", "\r"] {
            for first in ["", "sep=,"] {
                let lines = [
                    HEADER,
                    "a,a,a,a,one,",
                    "",
                    "b,b,b,b,\"two",
                    "",
                    "lines\",",
                    "c,c,c",
                    ",,,,,",
                    "d,d,d,d,\"'quoted\"\"\",",
                    "e,e,e,e,'+1,,,",
                    "f,f,f,f,\"six,",
                ]
                .join(end);
                let text = if first.is_empty() { lines } else { [first, &lines].join(end) };
                let more = usize::from(!first.is_empty());
                let wanted = [
                    (2, "one".to_owned()),
                    (4, format!("two{end}{end}lines")),
                    (7, "cell_count".to_owned()),
                    (9, "'quoted\"".to_owned()),
                    (10, "+1".to_owned()),
                    (11, "unclosed_quote".to_owned()),
                ];
                assert_eq!(addresses(&text), wanted.map(|(line, text)| (line + more, text)), "{end:?} {first}");
            }
        }
    }

    #[test]
    fn quotation_mark_inside_a_cell_opens_no_quote() {
        let header = "first_name,last_name,email,company_name,address\n";
        let found = addresses(&format!("{header}A,A,a,B,the 6\" pipe\nA,A,b,B,\"the 6 pipe\n"));
        assert_eq!(found, [(2, "the 6\" pipe".to_owned()), (3, "unclosed_quote".to_owned())]);
        assert_eq!(addresses(&format!("{header}A,A,a,\"B, Inc\",6\" pipe\n")), [(2, "6\" pipe".to_owned())]);
    }

    #[test]
    fn an_unclosed_quote_does_not_swallow_following_rows() {
        let found = addresses(
            "first_name,last_name,email,company_name,address\n\
             A,A,a,B,\"12 Main St\nC,C,c,B,\"14 Oak Rd\nD,D,d,B,one\nE,E,e,B,\"two\nlines\"\nF,F,f,B,\"three\n\
             G,G,g,B,four\n",
        );
        let wanted = [
            (2, "unclosed_quote"),
            (3, "unclosed_quote"),
            (4, "one"),
            (5, "two\nlines"),
            (7, "unclosed_quote"),
            (8, "four"),
        ];
        assert_eq!(found, wanted.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn more_rows_or_columns_than_the_limits_are_refused() {
        let code = |text: &str, max_rows| match parse(Kind::Clients, text, max_rows) {
            Err(Error::Invalid(fields)) => fields[0].problem.code,
            _ => "none",
        };
        assert_eq!(code("email\na\nb\n", 2), "none");
        assert_eq!(code("email\na\n\nb\nc\n", 2), "too_many_file_rows");
        assert_eq!(code(&",".repeat(MAX_COLUMNS), 1), "too_many_columns");
    }

    #[test]
    fn delimiter_is_named_or_detected_by_the_header() {
        for (text, wanted) in [
            ("first_name;last_name;email;company_name\nA;B;a@b.c;\"C; D\"\n", Delimiter::Semicolon),
            ("\"Name, first\";Email\n", Delimiter::Semicolon),
            ("First Name\tLast Name\tEmail\n", Delimiter::Tab),
            ("sep=;\r\nemail;name\r\n", Delimiter::Semicolon),
            ("\"sep=\t\"\nemail\tname\n", Delimiter::Tab),
            ("email\n", Delimiter::Comma),
        ] {
            let (found, table) = parse(Kind::Clients, text, usize::MAX).expect("the header is closed");
            assert_eq!(found, wanted, "{text}");
            assert!(table.header.iter().all(|name| !name.starts_with("sep")), "{:?}", table.header);
        }
        assert!(parse(Kind::Clients, "sep=|\nemail|name\n", usize::MAX).is_err());
        assert!(parse(Kind::Clients, "\"email\nname\n", usize::MAX).is_err());
    }
}

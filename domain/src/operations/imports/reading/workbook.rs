//! XLSX workbooks: one sheet, with dates and numbers as the cells hold them.
use super::{Cell, Table, check_columns, refused};
use crate::kernel::error::{Error, Problem, Result};
use calamine::{DataRef, Reader, Xlsx};
use std::io::{Cursor, Read};

/// Begins a ZIP archive, which a workbook is, and the older format of Excel, which is refused.
const ZIP: &[u8] = b"PK\x03\x04";
const XLS: &[u8] = b"\xd0\xcf\x11\xe0";

/// Limits of memory: a small archive may unpack to more than it holds, and so may cells that share their texts.
const MAX_UNPACKED_BYTES: u64 = 128 << 20;
const MAX_TEXT_BYTES: usize = 64 << 20;

pub(super) fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(ZIP) || bytes.starts_with(XLS)
}

/// Parses the named sheet, or the first one, and returns its name.
///
/// # Errors
/// Invalid `file` for another format and for more than the limits; `sheet` for an unknown one.
pub(super) fn parse(bytes: &[u8], sheet: Option<&str>, max_rows: usize) -> Result<(String, Table)> {
    if unpacked_size(bytes).ok_or_else(no_workbook)? > MAX_UNPACKED_BYTES {
        return Err(refused("workbook_too_large"));
    }
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(|_| no_workbook())?;
    let names = workbook.sheet_names();
    let wanted = sheet.map(|wanted| names.iter().find(|name| name.to_lowercase() == wanted.to_lowercase()));
    let Some(name) = wanted.unwrap_or(names.first()).cloned() else {
        return Err(Error::field_with("sheet", Problem::new("unknown").with("allowed", names.join(", "))));
    };
    let mut table = Table::new(max_rows);
    let mut reader = workbook.worksheet_cells_reader(&name).map_err(|_| no_workbook())?;
    let (mut line, mut cells, mut text_bytes) = (0, Vec::new(), 0);
    while let Some(found) = reader.next_cell().map_err(|_| no_workbook())? {
        let (row, column) = found.get_position();
        let (row, column) = (row as usize + 1, column as usize);
        if row != line {
            add_row(&mut table, line, std::mem::take(&mut cells))?;
            line = row;
        }
        if matches!(found.get_value(), DataRef::Empty) {
            continue;
        }
        check_columns(column + 1)?;
        if let DataRef::String(text) = found.get_value() {
            text_bytes += text.len();
        } else if let DataRef::SharedString(text) = found.get_value() {
            text_bytes += text.len();
        }
        if text_bytes > MAX_TEXT_BYTES {
            return Err(refused("workbook_too_large"));
        }
        if cells.len() <= column {
            cells.resize(column + 1, Ok(Cell::Typed(String::new())));
        }
        cells[column] = cell(found.get_value());
    }
    add_row(&mut table, line, cells)?;
    Ok((name, table))
}

fn no_workbook() -> Error {
    refused("no_workbook")
}

/// Size of the unpacked archive, up to a little more than the limit; None if it is damaged. Unpacks it, as the sizes that
/// an archive declares may be wrong.
fn unpacked_size(bytes: &[u8]) -> Option<u64> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut size = 0;
    for n in 0..archive.len() {
        let rest = (MAX_UNPACKED_BYTES + 1).saturating_sub(size);
        size += std::io::copy(&mut archive.by_index(n).ok()?.take(rest), &mut std::io::sink()).ok()?;
    }
    Some(size)
}

/// A cell; None for the error value of a formula.
fn cell(value: &DataRef<'_>) -> std::result::Result<Cell, ()> {
    Ok(match value {
        DataRef::String(text) => Cell::Text(text.clone()),
        DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
        DataRef::Int(number) => Cell::Typed(number.to_string()),
        DataRef::Float(number) => Cell::Typed(number.to_string()),
        DataRef::Bool(value) => Cell::Typed(value.to_string()),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Cell::Typed(text.clone()),
        DataRef::DateTime(at) => {
            let (year, month, day, ..) = at.to_ymd_hms_milli();
            Cell::Typed(format!("{year:04}-{month:02}-{day:02}"))
        }
        DataRef::Empty => Cell::Typed(String::new()),
        DataRef::Error(_) => return Err(()),
    })
}

/// Adds the row of a line; the first with content is the header. Rows without content are left out.
fn add_row(table: &mut Table, line: usize, cells: Vec<std::result::Result<Cell, ()>>) -> Result<()> {
    if cells.iter().all(|cell| cell.as_ref().is_ok_and(|cell| cell.text().trim().is_empty())) {
        return Ok(());
    }
    if table.header.is_empty() {
        let name = |cell: &std::result::Result<Cell, ()>| cell.as_ref().map_or("", Cell::text).trim().to_owned();
        return table.set_header(cells.iter().map(name).collect());
    }
    let columns = table.header.len();
    let extra = cells.iter().skip(columns).any(|cell| cell.as_ref().is_ok_and(|cell| !cell.text().trim().is_empty()));
    let mut cells: Vec<_> = cells.into_iter().take(columns).collect();
    cells.resize(columns, Ok(Cell::Typed(String::new())));
    let cells = match cells.into_iter().collect::<std::result::Result<Vec<Cell>, ()>>() {
        Err(()) => Err(Error::conflict("cell_with_error")),
        Ok(_) if extra => Err(Error::conflict("cell_without_header")),
        Ok(cells) => Ok(cells),
    };
    table.push(line, cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, XlsxError};

    /// A workbook with the sheets `Notes` and `Orders`.
    fn workbook() -> Vec<u8> {
        let build = || -> Result<Vec<u8>, XlsxError> {
            let mut workbook = Workbook::new();
            workbook.add_worksheet().set_name("Notes")?.write(0, 0, "Ask Maya")?;
            let sheet = workbook.add_worksheet().set_name("Orders")?;
            for (column, name) in ["Identifier", "Price", "Ordered Date", "Reference"].into_iter().enumerate() {
                sheet.write(2, column as u16, name)?;
            }
            let date = Format::new().set_num_format("dd/mm/yyyy");
            sheet.write(3, 0, "F-1")?.write(3, 1, 1_250.5)?;
            sheet.write_with_format(3, 2, ExcelDateTime::from_ymd(2026, 4, 3)?, &date)?;
            sheet.write(5, 0, 7)?.write(5, 1, "1.250")?.write(5, 3, true)?;
            sheet.write_formula(6, 0, Formula::new("=1/0").set_result("#DIV/0!"))?.write(7, 9, "Note")?;
            workbook.save_to_buffer()
        };
        build().expect("a workbook")
    }

    #[test]
    fn cells_of_a_sheet_are_read_with_their_types() {
        let (name, table) = parse(&workbook(), Some("orders"), usize::MAX).expect("a workbook");
        assert_eq!((name.as_str(), table.header.len()), ("Orders", 4));
        assert_eq!(table.header, ["Identifier", "Price", "Ordered Date", "Reference"]);
        let typed = |text: &str| Cell::Typed(text.to_owned());
        let text = |text: &str| Cell::Text(text.to_owned());
        let mut rows = table.rows.into_iter().map(|row| (row.line, row.cells));
        let first = rows.next().and_then(|(line, cells)| Some((line, cells.ok()?)));
        assert_eq!(first, Some((4, vec![text("F-1"), typed("1250.5"), typed("2026-04-03"), typed("")])));
        let second = rows.next().and_then(|(line, cells)| Some((line, cells.ok()?)));
        assert_eq!(second, Some((6, vec![typed("7"), text("1.250"), typed(""), typed("true")])));
        let rest: Vec<_> = rows.map(|(line, cells)| (line, cells.is_err())).collect();
        assert_eq!(rest, [(7, true), (8, true)]);
    }

    #[test]
    fn the_first_sheet_is_read_unless_one_is_named() {
        let (name, table) = parse(&workbook(), None, usize::MAX).expect("a workbook");
        assert_eq!((name.as_str(), table.header.as_slice()), ("Notes", &["Ask Maya".to_owned()][..]));
        for (bytes, sheet) in [(&workbook()[..], Some("Nope")), (b"PK\x03\x04", None), (XLS, None)] {
            assert!(parse(bytes, sheet, usize::MAX).is_err());
        }
    }

    #[test]
    fn an_archive_that_unpacks_to_too_much_is_refused() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("xl/workbook.xml", zip::write::SimpleFileOptions::default()).expect("a file");
        std::io::copy(&mut std::io::repeat(b' ').take(MAX_UNPACKED_BYTES + 1), &mut archive).expect("it is written");
        let bytes = archive.finish().expect("an archive").into_inner();
        assert!(bytes.len() < 1 << 20);
        let refused = parse(&bytes, None, usize::MAX).map(|_| ()).expect_err("it is too large");
        assert!(refused.to_string().contains("workbook_too_large"), "{refused}");
    }
}

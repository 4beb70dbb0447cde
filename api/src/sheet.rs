//! Reports as workbooks: dates, numbers and amounts are such in the cells, so that a spreadsheet can go on with them.
use domain::{
    Error, Result, catalogue,
    exports::harmless,
    reports::{Cells, Kind, Report},
};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::Map;

/// A workbook with one sheet: the titles in the reader's language, then the rows.
///
/// # Errors
/// What the library refuses.
pub fn workbook(report: Report, rows: &[Cells], language: &str) -> Result<Vec<u8>> {
    write(report, rows, language).map_err(Error::internal)
}

fn write(report: Report, rows: &[Cells], language: &str) -> std::result::Result<Vec<u8>, XlsxError> {
    let named = |key: String| catalogue::text(language, "names", &key, &Map::new());
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.set_name(named(format!("report.{}", report.name())))?;
    sheet.set_freeze_panes(1, 0)?;
    let bold = Format::new().set_bold();
    for (n, (name, kind)) in report.columns().iter().enumerate() {
        let column = u16::try_from(n).unwrap_or(u16::MAX);
        sheet.write_string_with_format(0, column, named(format!("report_column.{name}")), &bold)?;
        sheet.set_column_width(column, if *kind == Kind::Text { 24 } else { 14 })?;
    }
    let forms =
        Forms { date: Format::new().set_num_format("yyyy-mm-dd"), amount: Format::new().set_num_format("#,##0.00") };
    for (n, cells) in rows.iter().enumerate() {
        let row = u32::try_from(n + 1).unwrap_or(u32::MAX);
        for (n, ((_, kind), text)) in report.columns().iter().zip(cells).enumerate() {
            cell(sheet, (row, u16::try_from(n).unwrap_or(u16::MAX)), *kind, text, &forms, &named)?;
        }
    }
    book.save_to_buffer()
}

struct Forms {
    date: Format,
    amount: Format,
}

fn cell(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    kind: Kind,
    text: &str,
    forms: &Forms,
    named: &impl Fn(String) -> String,
) -> std::result::Result<(), XlsxError> {
    if text.is_empty() {
        return Ok(());
    }
    let coded = |list: &str| named(format!("{list}.{text}"));
    let number = || text.parse::<f64>().unwrap_or_default();
    match kind {
        // Excel never runs a text, and no text of ours becomes a formula where it is typed again.
        Kind::Text => sheet.write_string(row, column, harmless(text.to_owned()))?,
        Kind::Date => {
            sheet.write_datetime_with_format(row, column, ExcelDateTime::parse_from_str(text)?, &forms.date)?
        }
        // Fifteen digits are exact; the largest amount has thirteen.
        Kind::Amount => sheet.write_number_with_format(row, column, number(), &forms.amount)?,
        Kind::Days | Kind::Percent => sheet.write_number(row, column, number())?,
        Kind::Flag => sheet.write_string(row, column, coded("flag"))?,
        Kind::Country => sheet.write_string(row, column, coded("country"))?,
        Kind::SpvStatus => sheet.write_string(row, column, coded("spv_status"))?,
        Kind::CommissionStatus => sheet.write_string(row, column, coded("commission_status"))?,
        Kind::Owner => sheet.write_string(row, column, coded("owner"))?,
    };
    Ok(())
}

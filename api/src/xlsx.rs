//! Reports as workbooks: dates, numbers and amounts are such in the cells, so that a spreadsheet can go on with them.
use domain::{
    Error, Result,
    kernel::{csv::escape_formula, i18n, money::Currency},
    reporting::reports::{Cells, Kind, Report},
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
    let named = |key: String| i18n::text(language, "names", &key, &Map::new());
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
    let date = Format::new().set_num_format("yyyy-mm-dd");
    let currency = report.columns().iter().position(|(name, _)| *name == "currency");
    for (n, cells) in rows.iter().enumerate() {
        let row = u32::try_from(n + 1).unwrap_or(u32::MAX);
        let currency = currency.and_then(|column| cells.get(column)?.parse().ok()).unwrap_or_default();
        let forms = Forms { date: &date, amount: &amount_format(currency) };
        for (n, ((_, kind), text)) in report.columns().iter().zip(cells).enumerate() {
            cell(sheet, (row, u16::try_from(n).unwrap_or(u16::MAX)), *kind, text, &forms, &named)?;
        }
    }
    book.save_to_buffer()
}

/// `#,##0.00`, with as many decimals as the currency has.
fn amount_format(currency: Currency) -> Format {
    let decimals = "0".repeat(currency.digits() as usize);
    let point = if decimals.is_empty() { "" } else { "." };
    Format::new().set_num_format(format!("#,##0{point}{decimals}"))
}

struct Forms<'a> {
    date: &'a Format,
    amount: &'a Format,
}

fn cell(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    kind: Kind,
    text: &str,
    forms: &Forms<'_>,
    named: &impl Fn(String) -> String,
) -> std::result::Result<(), XlsxError> {
    if text.is_empty() {
        return Ok(());
    }
    let coded = |list: &str| named(format!("{list}.{text}"));
    let number = || text.parse::<f64>().unwrap_or_default();
    match kind {
        // Excel never runs a text, and no text of ours becomes a formula where it is typed again.
        Kind::Text => sheet.write_string(row, column, escape_formula(text.to_owned()))?,
        Kind::Date => {
            sheet.write_datetime_with_format(row, column, ExcelDateTime::parse_from_str(text)?, forms.date)?
        }
        // Fifteen digits are exact; the largest amount has thirteen.
        Kind::Amount => sheet.write_number_with_format(row, column, number(), forms.amount)?,
        Kind::Days | Kind::Percent => sheet.write_number(row, column, number())?,
        Kind::Flag => sheet.write_string(row, column, coded("flag"))?,
        Kind::Country => sheet.write_string(row, column, coded("country"))?,
        Kind::SpvStatus => sheet.write_string(row, column, coded("spv_status"))?,
        Kind::CommissionStatus => sheet.write_string(row, column, coded("commission_status"))?,
        Kind::Owner => sheet.write_string(row, column, coded("owner"))?,
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::HashMap,
        io::{Cursor, Read},
    };

    fn part(bytes: &[u8], name: &str) -> String {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut text = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
        element.split_once(&format!("{name}=\"")).unwrap().1.split_once('"').unwrap().0
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let row = |currency: &str, amount: &str| {
            let mut cells = vec![String::new(); Report::Commissions.columns().len()];
            let at = |name: &str| Report::Commissions.columns().iter().position(|(is, _)| *is == name).unwrap();
            cells[at("currency")] = currency.to_owned();
            cells[at("amount")] = amount.to_owned();
            cells
        };
        let rows = [row("JPY", "1250"), row("USD", "1250.00"), row("JPY", "7")];
        let bytes = workbook(Report::Commissions, &rows, "en-US").unwrap();
        let (styles, sheet) = (part(&bytes, "xl/styles.xml"), part(&bytes, "xl/worksheets/sheet1.xml"));
        // Formats below 164 are built in and have no code in the file: 3 and 4 are these.
        let mut codes = HashMap::from([("3", "#,##0"), ("4", "#,##0.00")]);
        codes.extend(
            styles
                .split("<numFmt ")
                .skip(1)
                .map(|format| (attribute(format, "numFmtId"), attribute(format, "formatCode"))),
        );
        let cell_formats = styles.split_once("<cellXfs").unwrap().1;
        let ids: Vec<&str> = cell_formats.split("<xf ").skip(1).map(|xf| attribute(xf, "numFmtId")).collect();
        let used: Vec<&str> = sheet
            .split("<c r=\"I")
            .skip(2)
            .map(|cell| codes[ids[attribute(cell, " s").parse::<usize>().unwrap()]])
            .collect();
        assert_eq!(used, ["#,##0", "#,##0.00", "#,##0"]);
    }
}

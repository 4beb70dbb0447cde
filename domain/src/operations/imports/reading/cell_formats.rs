//! Formats of a file's dates and amounts: the order of day and month, and the decimal separator, detected from all its cells.
use super::{Cell, MappedColumn, ReadOptions, TableRow, Target};
use crate::kernel::error::{FieldError, Problem};
use chrono::NaiveDate;

const AMOUNTS: [&str; 8] =
    ["purchase_amount", "price", "filing_fee", "commission", "total", "tax", "credited", "amount"];
const PERCENTS: [&str; 2] = ["iso_commission_percentage", "tax_percent"];
const DATES: [&str; 6] = ["ordered_date", "closed_at", "archived_at", "issued_date", "due_date", "received_date"];

/// Options that decide what the cells leave open.
const DECIMAL_COMMA: &str = "decimal_comma";
const DATE_FORMAT: &str = "date_format";

/// Whether the cells of a column are amounts of money.
fn is_amount(column: &str) -> bool {
    AMOUNTS.contains(&column)
}

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
    YearFirst,
}

impl std::str::FromStr for DateOrder {
    type Err = Problem;

    /// `DD.MM.YYYY`, `mm/dd/yyyy`, `YYYY-MM-DD` and the like; separators do not matter.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
        letters.dedup();
        match letters.as_slice() {
            ['d', 'm', 'y'] => Ok(Self::DayFirst),
            ['m', 'd', 'y'] => Ok(Self::MonthFirst),
            ['y', 'm', 'd'] => Ok(Self::YearFirst),
            _ => Err(Problem::new("unknown").with("allowed", "DD.MM.YYYY, MM/DD/YYYY, YYYY-MM-DD")),
        }
    }
}

/// Formats of the dates and amounts of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct CellFormats {
    date_order: Option<DateOrder>,
    /// Separator of the first date that is not ISO 8601.
    date_separator: Option<char>,
    pub decimal_comma: Option<bool>,
}

/// A cell that decides a format.
struct Evidence<'a> {
    line: usize,
    text: &'a str,
}

impl CellFormats {
    /// Detects the formats from the cells of the mapped columns, unless the options name them. Returns what stays unclear.
    pub(super) fn detect(
        columns: &[MappedColumn],
        rows: &[TableRow],
        options: &ReadOptions,
    ) -> (Self, Vec<FieldError>) {
        let mut problems = Vec::new();
        let decimal_comma = options.decimal_comma.or_else(|| {
            let found = evidence(columns, rows, |column, text| match number_form(column, text)? {
                NumberForm::Comma => Some(Reading::First),
                NumberForm::Point => Some(Reading::Second),
                NumberForm::Ambiguous => Some(Reading::Either),
            });
            found.decide(DECIMAL_COMMA, ["ambiguous_decimals", "mixed_decimals"], &mut problems)
        });
        let dates = evidence(columns, rows, date_reading);
        let date_separator = dates.any().and_then(|date| date.text.trim().chars().find(|c| !c.is_ascii_digit()));
        let date_order = options.date_order.or_else(|| {
            let day_first = dates.decide(DATE_FORMAT, ["ambiguous_dates", "mixed_dates"], &mut problems)?;
            Some(if day_first { DateOrder::DayFirst } else { DateOrder::MonthFirst })
        });
        (Self { date_order, date_separator, decimal_comma }, problems)
    }

    /// The format of the dates for people, unless all are ISO 8601.
    pub(super) fn dates_shown(&self) -> Option<String> {
        let parts = match self.date_order? {
            DateOrder::DayFirst => ["DD", "MM", "YYYY"],
            DateOrder::MonthFirst => ["MM", "DD", "YYYY"],
            DateOrder::YearFirst => ["YYYY", "MM", "DD"],
        };
        Some(parts.join(&self.date_separator.unwrap_or('-').to_string()))
    }

    /// A cell as the use cases read it: dates in ISO 8601, amounts without thousands separators where they decide. What
    /// fits no format stays as it is, so that its row is rejected with it.
    pub(super) fn normalise(&self, column: &str, cell: Cell) -> String {
        match cell {
            Cell::Text(text) if DATES.contains(&column) => self.date(&text).unwrap_or(text),
            Cell::Text(text) if number_form(column, &text) == Some(NumberForm::Ambiguous) => self.amount(text),
            Cell::Typed(number) if is_amount(column) => typed_amount(number),
            Cell::Text(text) | Cell::Typed(text) => text,
        }
    }

    fn date(&self, text: &str) -> Option<String> {
        let [first, second, third] = date_parts(text)?;
        let (year, month, day) = match self.date_order {
            _ if first.len() == 4 => (first, second, third),
            Some(DateOrder::DayFirst) => (third, second, first),
            Some(DateOrder::MonthFirst) => (third, first, second),
            Some(DateOrder::YearFirst) => return None,
            // Day and month are the same number, or the date is wrong in any order.
            _ => (third, second, first),
        };
        let date = NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
        (year.len() == 4).then(|| date.to_string())
    }

    /// An amount whose only separator stands before three digits.
    fn amount(&self, text: String) -> String {
        let (Some(comma), Some((whole, decimals))) = (self.decimal_comma, text.trim().split_once(['.', ','])) else {
            return text;
        };
        if text.contains(',') != comma {
            return format!("{whole}{decimals}");
        }
        with_decimals(whole, decimals)
    }
}

/// The amount of a typed cell: its point is a decimal point.
fn typed_amount(number: String) -> String {
    match number.split_once('.') {
        Some((whole, decimals)) if decimals.bytes().all(|digit| digit.is_ascii_digit()) => {
            with_decimals(whole, decimals)
        }
        _ => number,
    }
}

/// An amount that can be read in one way only.
fn with_decimals(whole: &str, decimals: &str) -> String {
    let decimals = decimals.trim_end_matches('0');
    match decimals.len() {
        0 => whole.to_owned(),
        // A fourth decimal, so that the three are not read as thousands.
        3 => format!("{whole}.{decimals}0"),
        _ => format!("{whole}.{decimals}"),
    }
}

/// How a cell can be read: in the first form (decimal comma, day first), in the second, or in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    First,
    Second,
    Either,
}

/// The first cell of each reading.
#[derive(Default)]
struct FirstCells<'a> {
    first: Option<Evidence<'a>>,
    second: Option<Evidence<'a>>,
    either: Option<Evidence<'a>>,
}

impl FirstCells<'_> {
    fn any(&self) -> Option<&Evidence<'_>> {
        self.first.as_ref().or(self.second.as_ref()).or(self.either.as_ref())
    }

    /// Whether the first form holds. With both forms in one file, or only cells that fit both, it is a problem of `option`.
    fn decide(
        &self,
        option: &str,
        [ambiguous, mixed]: [&'static str; 2],
        problems: &mut Vec<FieldError>,
    ) -> Option<bool> {
        let problem = match (&self.first, &self.second, &self.either) {
            // Each amount is clear by itself; a date is not.
            (Some(_), Some(_), None) if option == DECIMAL_COMMA => return None,
            (Some(one), Some(other), _) => Problem::new(mixed)
                .with("value", one.text.trim())
                .with("line", one.line)
                .with("other", other.text.trim())
                .with("other_line", other.line),
            (None, None, Some(cell)) => Problem::new(ambiguous).with("value", cell.text.trim()).with("line", cell.line),
            (Some(_), None, _) => return Some(true),
            (None, Some(_), _) => return Some(false),
            (None, None, None) => return None,
        };
        problems.push(FieldError { field: option.to_owned(), problem });
        None
    }
}

fn evidence<'a>(
    columns: &[MappedColumn],
    rows: &'a [TableRow],
    read: impl Fn(&str, &str) -> Option<Reading>,
) -> FirstCells<'a> {
    let mut found = FirstCells::default();
    for row in rows {
        for (column, cell) in columns.iter().zip(row.cells.iter().flatten()) {
            let (Target::Read(name), Cell::Text(text)) = (column.target, cell) else { continue };
            let slot = match read(name, text) {
                Some(Reading::First) => &mut found.first,
                Some(Reading::Second) => &mut found.second,
                Some(Reading::Either) => &mut found.either,
                None => continue,
            };
            slot.get_or_insert(Evidence { line: row.line, text });
        }
    }
    found
}

/// What the separators of an amount say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberForm {
    Comma,
    Point,
    /// One separator before three digits: `1.250`.
    Ambiguous,
}

/// None for other columns, numbers without separators, and what is no number.
fn number_form(column: &str, text: &str) -> Option<NumberForm> {
    if !is_amount(column) && !PERCENTS.contains(&column) {
        return None;
    }
    let text = text.trim().trim_start_matches('-');
    let is_group = |c: char| matches!(c, ' ' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    if !text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',') || is_group(c)) {
        return None;
    }
    let decimal = |c: char| if c == ',' { NumberForm::Comma } else { NumberForm::Point };
    let last = text.chars().rev().find(|c| matches!(c, '.' | ','))?;
    let other = if last == ',' { '.' } else { ',' };
    if text.contains(other) {
        return Some(decimal(last));
    }
    // Two of a kind are groups.
    if text.matches(last).count() > 1 {
        return Some(decimal(other));
    }
    let (whole, decimals) = text.split_once(last)?;
    let may_be_grouped =
        decimals.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0') && !whole.contains(is_group);
    match (may_be_grouped, last) {
        // The point of a percentage is always decimal, as in an export.
        (true, '.') if PERCENTS.contains(&column) => Some(NumberForm::Point),
        (true, _) => Some(NumberForm::Ambiguous),
        (false, last) => Some(decimal(last)),
    }
}

/// Three numbers between points, slashes or hyphens.
fn date_parts(text: &str) -> Option<[&str; 3]> {
    let text = text.trim();
    let separator = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '.' | '/' | '-'))?;
    let parts: Vec<&str> = text.split(separator).collect();
    let parts: [&str; 3] = parts.try_into().ok()?;
    let is_number = |part: &&str| matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|b| b.is_ascii_digit());
    parts.iter().all(is_number).then_some(parts)
}

fn date_reading(column: &str, text: &str) -> Option<Reading> {
    let [first, second, year] = date_parts(text).filter(|_| DATES.contains(&column))?;
    if first.len() == 4 || year.len() != 4 {
        return None;
    }
    let (first, second): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    match (first, second) {
        (13..=31, 1..=12) => Some(Reading::First),
        (1..=12, 13..=31) => Some(Reading::Second),
        // Points stand between day and month only where the day is first.
        (1..=12, 1..=12) if text.contains('.') => Some(Reading::First),
        (1..=12, 1..=12) if first != second => Some(Reading::Either),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The normalised cells of one column, or the problem.
    fn read(column: &'static str, cells: &[&str], options: &ReadOptions) -> Result<Vec<String>, String> {
        let mapped = MappedColumn {
            header: column.to_owned(),
            target: Target::Read(column),
            nearest: None,
            samples: Vec::new(),
        };
        let rows: Vec<TableRow> = (2..)
            .zip(cells)
            .map(|(line, cell)| TableRow { line, cells: Ok(vec![Cell::Text((*cell).to_owned())]) })
            .collect();
        let (formats, problems) = CellFormats::detect(&[mapped], &rows, options);
        match problems.first() {
            Some(problem) => Err(crate::kernel::i18n::field("en-US", problem)),
            None => Ok(cells.iter().map(|cell| formats.normalise(column, Cell::Text((*cell).to_owned()))).collect()),
        }
    }

    #[test]
    fn decimal_separator_is_detected_from_all_amounts() {
        let auto = ReadOptions::default();
        let given = |comma| ReadOptions { decimal_comma: Some(comma), ..ReadOptions::default() };
        for (cells, options, wanted) in [
            (&["1250,00", "1.250", "1,255"][..], &auto, &["1250,00", "1250", "1.2550"][..]),
            (&["1250.00", "1,250", "1.250"], &auto, &["1250.00", "1250", "1.25"]),
            (&["1.250,00", "12.500", "1 250"], &auto, &["1.250,00", "12500", "1 250"]),
            (&["1,250,000", "7,000"], &auto, &["1,250,000", "7000"]),
            (&["1250", "7,5", "7.5"], &auto, &["1250", "7,5", "7.5"]),
            (&["1.250"], &given(true), &["1250"]),
            (&["1.250", "1,000"], &given(false), &["1.25", "1000"]),
            (&["$1,250", "1e3", "many"], &auto, &["$1,250", "1e3", "many"]),
        ] {
            assert_eq!(
                read("price", cells, options),
                Ok(wanted.iter().map(|s| (*s).to_owned()).collect()),
                "{cells:?}"
            );
        }
        assert_eq!(
            read("iso_commission_percentage", &["2.125", "3"], &auto),
            Ok(vec!["2.125".to_owned(), "3".to_owned()])
        );
        assert_eq!(read("identifier", &["1.250"], &auto), Ok(vec!["1.250".to_owned()]));
        let ambiguous = read("price", &["7", "1.250"], &auto).expect_err("both readings fit");
        assert_eq!(ambiguous, "Line 3 has 1.250, which may have thousands or decimals. Say which.");
        let mixed = read("price", &["7,50", "1.250", "8.50"], &auto).expect_err("both forms");
        assert_eq!(mixed, "Line 2 has 7,50 and line 4 has 8.50. Say which decimal separator the others have.");
    }

    #[test]
    fn typed_amounts_have_a_decimal_point() {
        for (written, read) in [
            ("0.070", "0.07"),
            ("1.250", "1.25"),
            ("1.255", "1.2550"),
            ("7.000", "7"),
            ("100", "100"),
            ("-1250.5", "-1250.5"),
            ("1.0e2", "1.0e2"),
        ] {
            let formats = CellFormats { decimal_comma: Some(true), ..CellFormats::default() };
            assert_eq!(formats.normalise("price", Cell::Typed(written.to_owned())), read);
        }
        let formats = CellFormats::default();
        assert_eq!(formats.normalise("identifier", Cell::Typed("1250.10".to_owned())), "1250.10");
    }

    #[test]
    fn order_of_day_and_month_is_detected_from_all_dates() {
        let auto = ReadOptions::default();
        let given = |order| ReadOptions { date_order: Some(order), ..ReadOptions::default() };
        for (cells, options, wanted) in [
            (&["2026-01-31", "2026/2/1", ""][..], &auto, &["2026-01-31", "2026-02-01", ""][..]),
            (&["03.04.2026", "31.12.2025"], &auto, &["2026-04-03", "2025-12-31"]),
            (&["03/04/2026", "31/12/2025"], &auto, &["2026-04-03", "2025-12-31"]),
            (&["03/04/2026", "12/31/2025"], &auto, &["2026-03-04", "2025-12-31"]),
            (&["5-5-2026"], &auto, &["2026-05-05"]),
            (&["03/04/2026", "2026-01-31"], &given(DateOrder::MonthFirst), &["2026-03-04", "2026-01-31"]),
            (&["12/31/2025"], &given(DateOrder::DayFirst), &["12/31/2025"]),
            (&["03/04/2026", "2026-04-03"], &given(DateOrder::YearFirst), &["03/04/2026", "2026-04-03"]),
            (
                &["46022", "31.12.25", "32.12.2025", "soon", "2026-02-10T03:00:00+00:00"],
                &auto,
                &["46022", "31.12.25", "32.12.2025", "soon", "2026-02-10T03:00:00+00:00"],
            ),
        ] {
            assert_eq!(
                read("ordered_date", cells, options),
                Ok(wanted.iter().map(|s| (*s).to_owned()).collect()),
                "{cells:?}"
            );
        }
        let ambiguous = read("ordered_date", &["2026-01-01", "03/04/2026"], &auto).expect_err("both readings fit");
        assert_eq!(ambiguous, "Line 3 has 03/04/2026: day or month first? Say which.");
        let mixed = read("closed_at", &["03/04/2026", "13/04/2026", "04/13/2026"], &auto).expect_err("both forms");
        assert_eq!(
            mixed,
            "Line 3 has 13/04/2026 and line 4 has 04/13/2026. Say whether the day or the month is first."
        );
    }

    #[test]
    fn date_formats_are_read_from_their_letters() {
        for (text, wanted) in [
            ("DD.MM.YYYY", Some(DateOrder::DayFirst)),
            ("mm/dd/yyyy", Some(DateOrder::MonthFirst)),
            ("ymd", Some(DateOrder::YearFirst)),
            ("%d/%m/%Y", Some(DateOrder::DayFirst)),
            ("YYYY", None),
        ] {
            assert_eq!(text.parse::<DateOrder>().ok(), wanted, "{text}");
        }
    }
}

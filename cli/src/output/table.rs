//! Layout of tables: one line a row. Where the terminal is too narrow, ids are shortened to prefixes that commands accept,
//! texts are cut with `…` and the less important columns are left out. Amounts, dates and statuses are never cut, and amounts
//! and statuses are left out last.
use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};
use dialoguer::console::{measure_text_width, truncate_str};
use std::collections::HashSet;

/// Space between two columns.
const GAP: usize = 2;
/// Width to which texts are cut before columns are left out.
const SHORTEST_TEXT: usize = 12;
/// Width to which the title of a column is cut whose texts are never cut.
const SHORTEST_TITLE: usize = 8;
/// Width that the last column of a wrapped table keeps at the expense of the others.
const SHORTEST_WRAPPED: usize = 30;
/// Digits of a shortened UUID.
const SHORT_UUID: usize = 8;
/// Characters of a shortened ULID: its first ten are a time.
const SHORT_ULID: usize = 14;

/// One column with the texts of all its rows.
#[derive(Clone)]
pub struct Column {
    pub title: String,
    pub cells: Vec<String>,
    /// Whether its texts are copied or compared, so that they are never cut.
    pub whole: bool,
    /// Whether its texts are ids, which commands also accept as unique prefixes.
    pub ids: bool,
    /// Whether it is left out first.
    pub optional: bool,
    /// Whether it is left out last: amounts and statuses.
    pub essential: bool,
    pub numeric: bool,
    /// Whether its texts have a colour.
    pub status: bool,
}

impl Column {
    fn width(&self) -> usize {
        self.text_width().max(measure_text_width(&self.title))
    }

    fn text_width(&self) -> usize {
        self.cells.iter().map(|cell| measure_text_width(cell)).max().unwrap_or_default()
    }

    /// Width to which it can be cut.
    fn least_width(&self) -> usize {
        if self.whole {
            self.text_width().max(measure_text_width(&self.title).min(SHORTEST_TITLE))
        } else {
            self.width().min(SHORTEST_TEXT)
        }
    }

    fn is_empty(&self) -> bool {
        self.cells.iter().all(String::is_empty)
    }

    /// Shortens UUIDs and ULIDs to the length that tells the listed ones apart. Names such as those of backups stay.
    fn shorten_ids(&mut self) {
        let every = |is: fn(&str) -> bool| !self.cells.is_empty() && self.cells.iter().all(|cell| is(cell));
        let least = if every(|id| id.len() == 36 && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit())) {
            SHORT_UUID
        } else if every(|id| id.len() == 26 && id.chars().all(|c| c.is_ascii_alphanumeric())) {
            SHORT_ULID
        } else {
            return;
        };
        let ids: HashSet<&String> = self.cells.iter().collect();
        let is_unique =
            |length: usize| ids.iter().map(|id| id.get(..length)).collect::<HashSet<_>>().len() == ids.len();
        let longest = self.text_width();
        let length = (least..longest).find(|length| is_unique(*length)).unwrap_or(longest);
        for id in &mut self.cells {
            id.truncate(length);
        }
    }
}

/// The columns with short ids, if they are wider than `limit` as they are.
fn with_short_ids(columns: &[Column], limit: Option<usize>) -> Vec<Column> {
    let mut columns = columns.to_vec();
    let width = columns.iter().map(Column::width).sum::<usize>() + GAP * columns.len().saturating_sub(1);
    if limit.is_some_and(|limit| width > limit) {
        columns.iter_mut().filter(|column| column.ids).for_each(Column::shorten_ids);
    }
    columns
}

/// The columns that fit into `limit`, and the width of each.
fn fit(columns: &[Column], limit: Option<usize>) -> Vec<(usize, usize)> {
    let mut kept: Vec<(usize, usize)> = columns.iter().map(Column::width).enumerate().collect();
    let Some(limit) = limit else { return kept };
    let least_widths: Vec<usize> = columns.iter().map(Column::least_width).collect();
    loop {
        let gaps = GAP * kept.len().saturating_sub(1);
        let width: usize = gaps + kept.iter().map(|(_, width)| width).sum::<usize>();
        let least: usize = gaps + kept.iter().map(|(n, _)| least_widths[*n]).sum::<usize>();
        // The last empty column goes first, then the last optional one, then the last one whose texts may be cut, then the
        // last one that is no amount or status. The first stays: it names the row.
        let last = |is: &dyn Fn(&Column) -> bool| kept.iter().skip(1).rposition(|(n, _)| is(&columns[*n]));
        let empty = last(&|column| column.is_empty()).filter(|_| width > limit);
        if empty.is_none() && (least <= limit || kept.len() <= 1) {
            shrink(&mut kept, columns, &least_widths, limit.saturating_sub(gaps));
            return kept;
        }
        let gone = empty
            .or_else(|| last(&|column| column.optional))
            .or_else(|| last(&|column| !column.whole && !column.essential))
            .or_else(|| last(&|column| !column.essential))
            .or_else(|| last(&|_| true));
        kept.remove(gone.unwrap_or_default() + 1);
    }
}

/// Cuts the widest texts until the columns are as wide as `room`, or none can be cut further; titles of whole texts last.
fn shrink(kept: &mut [(usize, usize)], columns: &[Column], least_widths: &[usize], room: usize) {
    loop {
        let total: usize = kept.iter().map(|(_, width)| width).sum();
        let cuttable = kept.iter_mut().filter(|(n, width)| *width > least_widths[*n]);
        let widest = cuttable.max_by_key(|(n, width)| (!columns[*n].whole, *width));
        let Some((_, width)) = widest.filter(|_| total > room) else { return };
        *width -= 1;
    }
}

/// The lines of a table.
pub fn lines(columns: &[Column], limit: Option<usize>, colours: bool) -> Vec<String> {
    let columns = &with_short_ids(columns, limit);
    let kept = fit(columns, limit);
    let mut table = plain_table(colours);
    let bold = |text: &str| if colours { Cell::new(text).add_attribute(Attribute::Bold) } else { Cell::new(text) };
    table.set_header(kept.iter().map(|(n, width)| bold(&truncate_str(&columns[*n].title, *width, "…"))));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.add_row(kept.iter().map(|(n, width)| {
            let text = &columns[*n].cells[row];
            let cell = Cell::new(truncate_str(text, *width, "…"));
            match colour(text).filter(|_| colours && columns[*n].status) {
                Some(colour) => cell.fg(colour),
                None => cell,
            }
        }));
    }
    for (column, (n, _)) in table.column_iter_mut().zip(&kept) {
        if columns[*n].numeric {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    trimmed(&table)
}

/// The lines of a table whose texts are whole: they are wrapped at the limit, and empty columns are left out.
pub fn wrapped_lines(columns: &[Column], limit: Option<usize>, colours: bool) -> Vec<String> {
    let Some(limit) = limit else { return lines(columns, None, colours) };
    let mut columns: Vec<Column> = columns.iter().filter(|column| !column.is_empty()).cloned().collect();
    let mut widths: Vec<(usize, usize)> = columns.iter().map(Column::width).enumerate().collect();
    let least_widths: Vec<usize> = columns.iter().map(Column::least_width).collect();
    let room = limit.saturating_sub(GAP * widths.len().saturating_sub(1));
    if let Some(((_, last), others)) = widths.split_last_mut() {
        shrink(others, &columns, &least_widths, room.saturating_sub((*last).min(SHORTEST_WRAPPED)));
        let taken: usize = others.iter().map(|(_, width)| width).sum();
        *last = (*last).min(room.saturating_sub(taken).max(SHORTEST_TEXT));
    }
    for (column, (_, width)) in columns.iter_mut().zip(widths).filter(|(column, _)| !column.whole) {
        for text in &mut column.cells {
            *text = wrapped(text, width).join("\n");
        }
    }
    lines(&columns, None, colours)
}

/// Breaks a text between words, and words that are longer than a line.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 1 + measure_text_width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(pieces(word, room)),
        }
    }
    lines
}

/// A word in pieces of at most `room` columns.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut width = 0;
    for c in word.chars() {
        let of_character = measure_text_width(c.encode_utf8(&mut [0; 4]));
        if width > 0 && width + of_character > room {
            pieces.push(String::new());
            width = 0;
        }
        width += of_character;
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

/// The lines of one row as pairs of title and text; texts are whole.
pub fn pairs(rows: &[(String, String, bool)], colours: bool) -> Vec<String> {
    let mut table = plain_table(colours);
    for (title, text, status) in rows {
        let cell = Cell::new(text);
        let cell = match colour(text).filter(|_| colours && *status) {
            Some(colour) => cell.fg(colour),
            None => cell,
        };
        let title = Cell::new(title);
        table.add_row([if colours { title.add_attribute(Attribute::Bold) } else { title }, cell]);
    }
    trimmed(&table)
}

/// The heading of a table below others.
pub fn heading(text: &str, colours: bool) -> String {
    dialoguer::console::style(text).bold().force_styling(colours).to_string()
}

fn plain_table(colours: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    if colours {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

fn trimmed(table: &Table) -> Vec<String> {
    let mut table = table.clone();
    for column in table.column_iter_mut() {
        column.set_padding((0, u16::try_from(GAP).unwrap_or_default()));
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Colour of a status: green for done or healthy, yellow for waiting, red for what needs action.
fn colour(status: &str) -> Option<Color> {
    Some(match status {
        "active" | "approved" | "completed" | "closed" | "done" | "live" | "ok" | "paid" | "sent" | "signs"
        | "clean" | "won" | "whole" => Color::Green,
        "due" | "in_progress" | "incomplete" | "note" | "on_hold" | "part_paid" | "pending" | "processing"
        | "queued" | "running" | "reviewing" | "high" => Color::Yellow,
        "blocked" | "damaged" | "dead" | "failed" | "infected" | "missing" | "overdue" | "rejected" | "suspended"
        | "lost" => Color::Red,
        "archived" | "cancelled" | "void" | "withdrawn" => Color::DarkGrey,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_column_is_wrapped_between_words() {
        let columns = [
            column("Check", &["disk", "queue"], false, false),
            column("Detail", &["ok", "two jobs wait for a worker"], false, false),
        ];
        let expected = ["Check  Detail", "disk   ok", "queue  two jobs wait", "       for a worker"];
        assert_eq!(wrapped_lines(&columns, Some(20), false), expected);
        assert_eq!(wrapped_lines(&columns, None, false).len(), 3);
        assert_eq!(wrapped("one averyverylongword two", 5), ["one", "avery", "veryl", "ongwo", "rd", "two"]);
    }

    #[test]
    fn wrapped_table_fits_and_leaves_out_empty_columns() {
        let columns = [
            column("Line", &["2"], true, false),
            column("Portal", &[""], false, false),
            column("File", &["maya.ortiz.de.la.vega@example.com"], false, false),
            column("Reason", &["A company of this name is in the portal under another spelling"], false, false),
        ];
        let lines = wrapped_lines(&columns, Some(50), false);
        assert!(lines.iter().all(|line| measure_text_width(line) <= 50), "{lines:#?}");
        assert!(!lines[0].contains("Portal"), "{lines:#?}");
        let text: String = lines[1..].iter().flat_map(|line| line.split_whitespace()).collect();
        for word in ["spelling", "another", "company"] {
            assert!(text.contains(word) && !text.contains('…'), "{lines:#?}");
        }
    }

    #[test]
    fn amounts_and_statuses_stay_where_ids_are_shortened() {
        let ids = ["6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b", "6f0d2f4e-2b8a-4c58-9a30-0c1d2e3f4a5b"];
        let mut id = column("ID", &ids, true, false);
        id.ids = true;
        let mut amount = column("Amount", &["1250.00", "9.00"], true, false);
        let mut status = column("Status", &["pending", "paid"], true, false);
        (amount.essential, status.essential) = (true, true);
        let columns = [
            id,
            column("Partner", &["Ingrid Solberg", "Ines Vega"], false, false),
            column("Reason", &["", ""], false, false),
            amount,
            status,
        ];
        let row = |limit| lines(&columns, limit, false)[1].clone();
        assert!(row(None).starts_with(ids[0]) && row(Some(100)).starts_with(ids[0]));
        // Long enough to tell the listed ones apart; the empty column is left out.
        assert_eq!(row(Some(50)), "6f0d2f4e-1  Ingrid Solberg  1250.00  pending");
        assert_eq!(row(Some(30)), "6f0d2f4e-1  1250.00  pending");
        assert_eq!(lines(&columns, Some(50), false)[0], "ID          Partner         Amount   Status");
    }

    fn column(title: &str, cells: &[&str], whole: bool, optional: bool) -> Column {
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        Column {
            title: title.to_owned(),
            cells,
            whole,
            ids: false,
            optional,
            essential: false,
            numeric: false,
            status: false,
        }
    }

    fn orders() -> [Column; 4] {
        [
            column("Identifier", &["SPV-2026-001"], true, false),
            column("Client", &["Maximiliana Ortiz de la Vega"], false, false),
            column("Company", &["Harbor Capital"], false, true),
            column("Amount", &["1250000.00"], true, false),
        ]
    }

    #[test]
    fn texts_are_cut_before_columns_are_left_out() {
        let line = |limit| lines(&orders(), limit, false).pop().unwrap();
        assert_eq!(line(None), "SPV-2026-001  Maximiliana Ortiz de la Vega  Harbor Capital  1250000.00");
        assert_eq!(line(Some(60)), "SPV-2026-001  Maximiliana Ortiz…  Harbor Capital  1250000.00");
        assert_eq!(line(Some(45)), "SPV-2026-001  Maximiliana Ortiz …  1250000.00");
        assert_eq!(line(Some(24)), "SPV-2026-001  1250000.00");
        // An id is whole even where nothing else fits.
        assert_eq!(line(Some(5)), "SPV-2026-001");
    }

    #[test]
    fn wide_characters_are_measured_in_columns() {
        let names =
            [column("Client", &["渡辺さんのとても長い名前です"], false, false), column("Id", &["1"], true, false)];
        let line = lines(&names, Some(20), false).pop().unwrap();
        assert!(measure_text_width(&line) <= 20 && line.contains('…') && line.ends_with('1'), "{line}");
    }

    #[test]
    fn statuses_are_coloured_only_where_asked_for() {
        let mut status = column("Status", &["failed"], true, false);
        status.status = true;
        assert!(lines(&[status], None, true).pop().unwrap().contains("\u{1b}["));
        let mut status = column("Status", &["failed"], true, false);
        status.status = true;
        assert_eq!(lines(&[status], None, false).pop().unwrap(), "failed");
    }
}

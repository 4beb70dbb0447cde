//! Layout of tables: one line a row. Where the terminal is too narrow, texts are cut with `…` and the less important columns
//! are left out; ids, amounts, dates and statuses are never cut.
use comfy_table::{Attribute, Cell, CellAlignment, Color, Table, presets};
use dialoguer::console::{measure_text_width, truncate_str};

/// Space between two columns.
const GAP: usize = 2;
/// Width to which texts are cut before columns are left out.
const SHORTEST_TEXT: usize = 12;

/// One column with the texts of all its rows.
#[derive(Clone)]
pub struct Column {
    pub title: String,
    pub cells: Vec<String>,
    /// Whether its texts are copied or compared, so that they are never cut.
    pub whole: bool,
    /// Whether it is left out first.
    pub optional: bool,
    pub numeric: bool,
    /// Whether its texts have a colour.
    pub status: bool,
}

impl Column {
    fn width(&self) -> usize {
        let widths = self.cells.iter().map(|cell| measure_text_width(cell));
        widths.chain([measure_text_width(&self.title)]).max().unwrap_or_default()
    }
}

/// The columns that fit into `limit`, and the width of each.
pub fn fit(columns: &[Column], limit: Option<usize>) -> Vec<(usize, usize)> {
    let mut kept: Vec<(usize, usize)> = columns.iter().map(Column::width).enumerate().collect();
    let Some(limit) = limit else { return kept };
    loop {
        let shortest = |(n, width): (usize, usize)| if columns[n].whole { width } else { width.min(SHORTEST_TEXT) };
        let gaps = GAP * kept.len().saturating_sub(1);
        let least: usize = gaps + kept.iter().map(|column| shortest(*column)).sum::<usize>();
        if least <= limit || kept.len() <= 1 {
            shrink(&mut kept, columns, limit.saturating_sub(gaps));
            return kept;
        }
        // The last optional column goes first, then the last one whose texts may be cut, then the last one.
        let last = |is: &dyn Fn(&Column) -> bool| kept.iter().skip(1).rposition(|(n, _)| is(&columns[*n]));
        let gone =
            last(&|column| column.optional).or_else(|| last(&|column| !column.whole)).or_else(|| last(&|_| true));
        kept.remove(gone.unwrap_or_default() + 1);
    }
}

/// Cuts the widest texts until the columns are as wide as `room`, or none can be cut further.
fn shrink(kept: &mut [(usize, usize)], columns: &[Column], room: usize) {
    loop {
        let total: usize = kept.iter().map(|(_, width)| width).sum();
        let cuttable = kept.iter_mut().filter(|(n, width)| !columns[*n].whole && *width > SHORTEST_TEXT);
        let Some((_, width)) = cuttable.max_by_key(|(_, width)| *width).filter(|_| total > room) else { return };
        *width -= 1;
    }
}

/// The lines of a table.
pub fn lines(columns: &[Column], limit: Option<usize>, colours: bool) -> Vec<String> {
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

/// The lines of a table whose texts are whole: its last column is wrapped at the limit.
pub fn wrapped_lines(columns: &[Column], limit: Option<usize>, colours: bool) -> Vec<String> {
    let mut columns = columns.to_vec();
    if let (Some(limit), Some((last, others))) = (limit, columns.split_last_mut()) {
        let taken: usize = others.iter().map(|column| column.width() + GAP).sum();
        let room = limit.saturating_sub(taken).max(SHORTEST_TEXT);
        for text in &mut last.cells {
            *text = wrapped(text, room).join("\n");
        }
    }
    lines(&columns, None, colours)
}

/// Breaks a text between words.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 1 + measure_text_width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
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
        assert_eq!(wrapped("one averyverylongword two", 5), ["one", "averyverylongword", "two"]);
    }

    fn column(title: &str, cells: &[&str], whole: bool, optional: bool) -> Column {
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        Column { title: title.to_owned(), cells, whole, optional, numeric: false, status: false }
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

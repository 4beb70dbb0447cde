//! Invoices on paper: one page A4, drawn from the same rows as the screen.
mod faces;

use domain::{
    Error, Result, catalogue,
    invoices::{Detail, Status},
    money::Currency,
    users::DateFormat,
};
use faces::{
    Faces,
    Weight::{self, Plain, Strong},
};
use krilla::{
    Document,
    color::rgb,
    geom::{PathBuilder, Point},
    metadata::Metadata,
    page::PageSettings,
    paint::{Fill, Paint, Stroke},
    surface::Surface,
    text::TextDirection,
};
use serde_json::Map;

/// A4 in points.
const PAGE: (f32, f32) = (595.28, 841.89);
const LEFT: f32 = 56.0;
const RIGHT: f32 = PAGE.0 - 56.0;
/// Where the right half begins.
const MIDDLE: f32 = 340.0;
/// Lines of an address.
const ADDRESS: usize = 8;
const INK: [u8; 3] = [29, 34, 41];
const DIM: [u8; 3] = [95, 105, 117];
const RULE: [u8; 3] = [216, 220, 225];

/// The invoice as a PDF file, in the reader's language.
///
/// # Errors
/// Internal when it cannot be drawn.
pub fn invoice(detail: &Detail, office: &str, language: &str, format: DateFormat) -> Result<Vec<u8>> {
    let invoice = &detail.invoice;
    let word = |key: &str| catalogue::text(language, "names", key, &Map::new());
    let title = format!("{} {}", word("paper.invoice"), invoice.name());
    let mut document = Document::new();
    document.set_metadata(Metadata::new().title(title).language(language.to_owned()));
    let settings = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or_else(|| Error::internal("no such page"))?;
    let mut page = document.start_page_with(settings);
    let faces = Faces::new();
    let mut sheet = Sheet { surface: page.surface(), faces: &faces, y: 72.0 };
    let date = |day| catalogue::date(language, format, day);
    let amount = |minor: i64| money(invoice.currency, minor, language);
    let from = &detail.from;

    let name = from.legal_name.as_deref().unwrap_or(office);
    sheet.put(Strong, 20.0, INK, LEFT, &word("paper.invoice"));
    sheet.right(Strong, 11.0, INK, RIGHT, &cut(&faces, name, Strong, 11.0, RIGHT - MIDDLE));
    sheet.y += 16.0;
    sheet.put(Plain, 11.0, DIM, LEFT, &invoice.name());
    let top = sheet.y;
    let tax = from.tax_id.as_ref().map(|id| format!("{} {id}", word("paper.tax_id")));
    for line in wrap(&faces, from.address.as_deref().unwrap_or_default(), 9.0, RIGHT - MIDDLE).into_iter().chain(tax) {
        sheet.right(Plain, 9.0, DIM, RIGHT, &line);
        sheet.y += 13.0;
    }
    sheet.y = sheet.y.max(top) + 36.0;

    let facts = [
        ("paper.issued", date(invoice.issued_date)),
        ("paper.due_date", date(invoice.due_date)),
        ("paper.order", invoice.spv_identifier()),
    ];
    let begin = sheet.y;
    sheet.put(Plain, 9.0, DIM, LEFT, &word("paper.billed_to"));
    sheet.y += 15.0;
    let room = MIDDLE - LEFT - 20.0;
    sheet.put(Strong, 10.0, INK, LEFT, &cut(&faces, &invoice.billed_to, Strong, 10.0, room));
    for line in wrap(&faces, invoice.billed_address.as_deref().unwrap_or_default(), 10.0, room) {
        sheet.y += 13.0;
        sheet.put(Plain, 10.0, INK, LEFT, &line);
    }
    let end = sheet.y;
    sheet.y = begin;
    for (key, value) in facts {
        sheet.put(Plain, 9.0, DIM, MIDDLE, &word(key));
        sheet.right(Plain, 10.0, INK, RIGHT, &value);
        sheet.y += 15.0;
    }
    sheet.y = sheet.y.max(end) + 36.0;

    sheet.put(Plain, 9.0, DIM, LEFT, &word("paper.description"));
    sheet.right(Plain, 9.0, DIM, RIGHT, &word("paper.amount"));
    sheet.rule();
    for line in &invoice.lines {
        sheet.y += 20.0;
        sheet.put(Plain, 10.0, INK, LEFT, &cut(&faces, &line.description, Plain, 10.0, 380.0));
        sheet.right(Plain, 10.0, INK, RIGHT, &amount(line.amount_minor));
    }
    sheet.rule();
    for (key, minor, face) in [
        ("paper.total", invoice.total_minor, Strong),
        ("paper.paid", invoice.paid_minor, Plain),
        ("paper.due", invoice.due_minor(), Strong),
    ] {
        sheet.y += 19.0;
        sheet.put(face, 10.0, INK, MIDDLE, &word(key));
        sheet.right(face, 10.0, INK, RIGHT, &amount(minor));
    }
    sheet.y += 28.0;
    if !invoice.status.is_open() {
        let said = word(&format!("invoice_status.{}", invoice.status.name()));
        sheet.put(Strong, 12.0, INK, LEFT, &said);
        if let (Status::Void, Some(reason)) = (invoice.status, &invoice.void_reason) {
            sheet.y += 16.0;
            sheet.put(Plain, 9.0, DIM, LEFT, &cut(&faces, &reason.replace('\n', " "), Plain, 9.0, RIGHT - LEFT));
        }
    } else if let Some(bank) = &from.bank {
        sheet.put(Strong, 11.0, INK, LEFT, &word("paper.pay"));
        sheet.y += 6.0;
        for (key, value) in [
            ("paper.account_holder", Some(&bank.account_holder)),
            ("paper.bank", Some(&bank.bank_name)),
            ("paper.account_number", Some(&bank.account_number)),
            ("paper.bank_code", bank.bank_code.as_ref()),
            ("paper.reference", Some(&invoice.name())),
        ] {
            let Some(value) = value else { continue };
            sheet.y += 15.0;
            sheet.put(Plain, 9.0, DIM, LEFT, &word(key));
            sheet.put(Plain, 10.0, INK, 180.0, &cut(&faces, value, Plain, 10.0, RIGHT - 180.0));
        }
    }
    // The page is drawn when its surface goes.
    drop(sheet);
    page.finish();
    document.finish().map_err(|e| Error::internal(format!("the invoice cannot be drawn: {e:?}")))
}

/// Where the pen stands, from the top.
struct Sheet<'a> {
    surface: Surface<'a>,
    faces: &'a Faces,
    y: f32,
}

impl Sheet<'_> {
    fn put(&mut self, face: Weight, size: f32, color: [u8; 3], x: f32, text: &str) {
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(Fill { paint: paint(color), ..Fill::default() }));
        let mut x = x;
        for (font, piece) in self.faces.pieces(face, text) {
            let start = Point::from_xy(x, self.y);
            self.surface.draw_text(start, font.font.clone(), size, piece, false, TextDirection::Auto);
            x += font.width(piece, size);
        }
    }

    /// Ends at `x`.
    fn right(&mut self, face: Weight, size: f32, color: [u8; 3], x: f32, text: &str) {
        self.put(face, size, color, x - self.faces.width(face, size, text), text);
    }

    fn rule(&mut self) {
        self.y += 10.0;
        let mut line = PathBuilder::new();
        line.move_to(LEFT, self.y);
        line.line_to(RIGHT, self.y);
        let Some(path) = line.finish() else { return };
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(Stroke { paint: paint(RULE), width: 0.75, ..Stroke::default() }));
        self.surface.draw_path(&path);
    }
}

fn paint([red, green, blue]: [u8; 3]) -> Paint {
    rgb::Color::new(red, green, blue).into()
}

/// The lines of an address, broken between words where the room ends. So many that the page holds the rest of the paper:
/// the last one says when there would be more.
fn wrap(faces: &Faces, text: &str, size: f32, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut now = String::new();
        for word in line.split_whitespace() {
            let longer = if now.is_empty() { word.to_owned() } else { format!("{now} {word}") };
            if now.is_empty() || faces.width(Plain, size, &longer) <= room {
                now = longer;
            } else {
                lines.push(std::mem::replace(&mut now, word.to_owned()));
            }
        }
        lines.push(now);
    }
    if lines.len() > ADDRESS {
        lines.truncate(ADDRESS);
        lines.iter_mut().skip(ADDRESS - 1).for_each(|last| last.push_str(" …"));
    }
    lines.into_iter().map(|line| cut(faces, &line, Plain, size, room)).collect()
}

/// As much of a text as has room.
fn cut(faces: &Faces, text: &str, face: Weight, size: f32, room: f32) -> String {
    if faces.width(face, size, text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if faces.width(face, size, &format!("{short}{c}…")) > room {
            break;
        }
        short.push(c);
    }
    format!("{short}…")
}

/// `1,250.00 USD`, grouped as the language does.
fn money(currency: Currency, minor: i64, language: &str) -> String {
    let (thousand, point) = if language.starts_with("es") { ('.', ',') } else { (',', '.') };
    let text = currency.format(minor);
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            grouped.push(thousand);
        }
        grouped.push(digit);
    }
    if let Some(rest) = rest {
        grouped.push(point);
        grouped.push_str(rest);
    }
    format!("{grouped} {}", currency.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_grouped_by_threes() {
        assert_eq!(money(Currency::Usd, 125_000_000, "en-US"), "1,250,000.00 USD");
        assert_eq!(money(Currency::Eur, 125_050, "es"), "1.250,50 EUR");
        assert_eq!(money(Currency::Jpy, 999, "en-GB"), "999 JPY");
    }

    #[test]
    fn a_long_text_is_cut_where_the_room_ends() {
        let faces = Faces::new();
        let short = cut(&faces, &"Formation ".repeat(40), Plain, 10.0, 200.0);
        assert!(short.ends_with('…') && faces.width(Plain, 10.0, &short) <= 200.0);
        assert_eq!(cut(&faces, "Short", Plain, 10.0, 200.0), "Short");
    }

    #[test]
    fn an_address_is_broken_between_words_and_ends_in_time() {
        let faces = Faces::new();
        let lines =
            wrap(&faces, "1 Long Street, Building of the Harbour Authority, Third Floor\nSpringfield", 10.0, 200.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| faces.width(Plain, 10.0, line) <= 200.0), "{lines:?}");
        assert_eq!(lines.last().map(String::as_str), Some("Springfield"));
        let lines = wrap(&faces, &"one more line\n".repeat(500), 10.0, 200.0);
        assert_eq!((lines.len(), lines.last().map(String::as_str)), (ADDRESS, Some("one more line …")));
    }
}

//! PDFs of invoices and credit notes: A4 pages laid out from the same rows as the screen. Text wraps and pages break; nothing is truncated.
mod credit_note;
mod epc_code;
mod fonts;
mod line_breaking;
mod page_writer;

use crate::error::{ApiError, Result};
use axum::http::StatusCode;
use chrono::NaiveDate;
pub use credit_note::render_credit_note;
use domain::{
    accounts::users::DateFormat,
    kernel::{
        error::Problem,
        i18n,
        logo::Logo,
        money::{self, Currency},
    },
    orders::invoices::{Detail, Invoice, Status},
    platform::settings::{Bank, BankKind, Billing},
};
use fonts::{
    FontSet,
    Weight::{Plain, Strong},
};
pub use fonts::{missing_letters, missing_scripts, packages};
use krilla::{image::Image, metadata::Metadata};
use page_writer::{DIM, INK, LEFT, PageWriter, RIGHT, pen};
use serde_json::Map;

/// Left edge of the right half, in points.
const MIDDLE: f32 = 340.0;
/// Right edges of the columns of a line, in points.
const QUANTITY_RIGHT: f32 = 340.0;
const PRICE_RIGHT: f32 = 415.0;
const RATE_RIGHT: f32 = 465.0;
/// Left edge of the bank details, in points.
const BANK_LEFT: f32 = 180.0;
/// Side of the QR code, in points.
const CODE: f32 = 92.0;
/// Room of the logo, in points.
const LOGO: (f32, f32) = (160.0, 36.0);
/// Colors of the status mark.
const SETTLED: [u8; 3] = [29, 92, 39];
const LATE: [u8; 3] = [155, 28, 28];
/// Letters without a font that an error names.
const MAX_NAMED_LETTERS: usize = 20;

/// The office that issues the invoice, on the day on which it is read.
#[derive(Clone, Copy, Debug)]
pub struct Office<'a> {
    /// Printed where no legal name is set.
    pub brand: &'a str,
    pub logo: Option<&'a Logo>,
    pub today: NaiveDate,
}

/// The invoice as a PDF file, in the reader's language.
///
/// # Errors
/// `letters_without_font` when no font has some letter: a legal document must not contain empty boxes. Internal when the
/// PDF cannot be written.
pub fn render(detail: &Detail, office: Office<'_>, language: &str, format: DateFormat) -> Result<Vec<u8>> {
    let title = format!("{} {}", word(language, "paper.invoice"), detail.invoice.name());
    draw(&title, language, |fonts| lay_out(fonts, detail, office, language, format))
}

/// Draws a laid out document under its title.
///
/// # Errors
/// As [`render`].
fn draw(title: &str, language: &str, lay_out: impl FnOnce(&FontSet) -> PageWriter<'_>) -> Result<Vec<u8>> {
    let fonts = FontSet::new();
    let writer = lay_out(&fonts);
    let missing = fonts.missing();
    if !missing.is_empty() {
        let (letters, packages) = (letter_list(&missing), packages(&missing));
        tracing::error!(title, letters, packages, "PDF refused: no font for some letters");
        let problem = Problem::new("letters_without_font").with("letters", letters).with("packages", packages);
        return Err(ApiError::Http(StatusCode::INTERNAL_SERVER_ERROR, problem));
    }
    Ok(writer.draw(Metadata::new().title(title.to_owned()).language(language.to_owned()))?)
}

/// Letters with their code points, for an error message.
pub fn letter_list(letters: &std::collections::BTreeSet<char>) -> String {
    let mut list: Vec<String> = letters
        .iter()
        .take(MAX_NAMED_LETTERS)
        .map(|letter| format!("{letter} (U+{:04X})", u32::from(*letter)))
        .collect();
    if letters.len() > MAX_NAMED_LETTERS {
        list.push("…".to_owned());
    }
    list.join(", ")
}

fn word(language: &str, key: &str) -> String {
    i18n::text(language, "names", key, &Map::new())
}

fn lay_out<'a>(
    fonts: &'a FontSet,
    detail: &Detail,
    office: Office<'_>,
    language: &str,
    format: DateFormat,
) -> PageWriter<'a> {
    let invoice = &detail.invoice;
    let word = |key: &str| word(language, key);
    let mut writer = PageWriter::new(fonts);
    let name = invoice.name();
    let heading = Heading { title: word("paper.invoice"), name: &name, mark: mark(detail, office.today) };
    issuer(&mut writer, &detail.from, heading, office, language);
    let facts = [
        ("paper.issued", Some(i18n::date(language, format, invoice.issued_date))),
        ("paper.due_date", Some(i18n::date(language, format, invoice.due_date))),
        ("paper.order", Some(invoice.spv_identifier())),
        ("paper.reference", invoice.reference.clone()),
        ("paper.former_number", invoice.former_number.clone()),
    ];
    payer_and_facts(&mut writer, (&invoice.billed_to, invoice.billed_address.as_deref()), facts, language);

    lines(&mut writer, invoice, language);
    totals(&mut writer, detail, language);
    installments(&mut writer, invoice, language, format);
    notes(&mut writer, invoice);
    payment(&mut writer, detail, office.today, language);
    let issuer = detail.from.legal_name.as_deref().unwrap_or(office.brand);
    writer.foot(&format!("{} {name} · {issuer}", word("paper.invoice")));
    writer
}

/// The lines; quantities and tax rates only where they say something.
fn lines(writer: &mut PageWriter, invoice: &Invoice, language: &str) {
    let word = |key: &str| word(language, key);
    let amount = |minor: i64| grouped(invoice.currency, minor, language);
    let has_quantities = invoice.lines.iter().any(|line| line.amount_minor != line.unit_price_minor);
    let has_rates = !invoice.taxes().is_empty();
    let room = if has_quantities || has_rates { QUANTITY_RIGHT - 40.0 - LEFT } else { 380.0 };
    let head = pen(Plain, 9.0, DIM);
    writer.put(head, LEFT, &word("paper.description"));
    if has_quantities {
        writer.right(head, QUANTITY_RIGHT, &word("paper.quantity"));
        writer.right(head, PRICE_RIGHT, &word("paper.unit_price"));
    }
    if has_rates {
        writer.right(head, RATE_RIGHT, invoice.tax_name.as_deref().unwrap_or(&word("paper.tax")));
    }
    // The currency stands here, once for all amounts.
    writer.right(head, RIGHT, &format!("{} ({})", word("paper.amount"), invoice.currency.code()));
    writer.rule();
    let text = pen(Plain, 10.0, INK);
    for line in &invoice.lines {
        writer.down(20.0);
        if has_quantities {
            writer.right(text, QUANTITY_RIGHT, &decimal(&money::format_thousandths(line.quantity), language));
            writer.right(text, PRICE_RIGHT, &amount(line.unit_price_minor));
        }
        if has_rates {
            writer.right(text, RATE_RIGHT, &rate(line.tax_percent, language));
        }
        writer.right(text, RIGHT, &amount(line.amount_minor));
        writer.block(text, LEFT, room, &line.description);
    }
}

/// `7.7 %`, with the decimal point of the language.
fn rate(percent: i64, language: &str) -> String {
    format!("{} %", decimal(&money::format_percent(percent), language))
}

/// A decimal number without groups, as is usual in the language.
fn decimal(number: &str, language: &str) -> String {
    if language.starts_with("es") { number.replace('.', ",") } else { number.to_owned() }
}

/// Tax by rate: the net amount that it is on, and the tax.
fn taxes(writer: &mut PageWriter, invoice: &Invoice, language: &str) {
    let rows = invoice.taxes();
    if rows.is_empty() {
        return;
    }
    let amount = |minor: i64| grouped(invoice.currency, minor, language);
    let text = pen(Plain, 10.0, INK);
    writer.down(19.0);
    writer.put(text, MIDDLE, &word(language, "paper.net"));
    writer.right(text, RIGHT, &amount(invoice.total_minor - invoice.tax_minor));
    let name = invoice.tax_name.clone().unwrap_or_else(|| word(language, "paper.tax"));
    for row in rows {
        let params = Map::from_iter([
            ("tax".to_owned(), format!("{name} {}", rate(row.percent, language)).into()),
            ("net".to_owned(), amount(row.net_minor).into()),
        ]);
        writer.down(15.0);
        writer.right(text, RIGHT, &amount(row.tax_minor));
        writer.block(text, MIDDLE, RIGHT - MIDDLE - 70.0, &i18n::text(language, "names", "paper.tax_on", &params));
    }
}

/// Due dates and amounts of the installments.
fn installments(writer: &mut PageWriter, invoice: &Invoice, language: &str, format: DateFormat) {
    let states = invoice.installment_states();
    if states.is_empty() {
        return;
    }
    writer.down(28.0);
    writer.keep(60.0);
    writer.put(pen(Strong, 11.0, INK), LEFT, &word(language, "paper.installments"));
    for state in states {
        writer.down(15.0);
        let (text, is_paid) = (pen(Plain, 10.0, INK), state.due_minor() == 0);
        writer.put(text, LEFT, &i18n::date(language, format, state.due_date));
        if is_paid {
            writer.put(pen(Plain, 10.0, SETTLED), BANK_LEFT, &word(language, "invoice_status.paid"));
        }
        writer.right(text, RIGHT, &grouped(invoice.currency, state.amount_minor, language));
    }
}

/// Why no tax is charged, and the payment terms.
fn notes(writer: &mut PageWriter, invoice: &Invoice) {
    for text in [&invoice.tax_note, &invoice.terms].into_iter().flatten() {
        writer.down(22.0);
        writer.keep(40.0);
        writer.block(pen(Plain, 9.0, DIM), LEFT, RIGHT - LEFT, text);
    }
}

/// Tax, total, paid and due amounts.
fn totals(writer: &mut PageWriter, detail: &Detail, language: &str) {
    let invoice = &detail.invoice;
    writer.keep(108.0);
    writer.rule();
    taxes(writer, invoice, language);
    // What credit notes took off, and the credit that they left, only where there is one.
    let sums = [
        ("paper.total", Some(invoice.total_minor), Strong),
        ("paper.credited", Some(-invoice.credited_minor).filter(|minor| *minor != 0), Plain),
        ("paper.paid", Some(invoice.paid_minor), Plain),
        ("paper.due", Some(invoice.due_minor()), Strong),
        ("paper.credit", Some(invoice.credit_minor()).filter(|minor| *minor != 0), Strong),
    ];
    for (key, minor, weight) in sums.into_iter().filter_map(|(key, minor, weight)| Some((key, minor?, weight))) {
        writer.down(19.0);
        writer.put(pen(weight, 10.0, INK), MIDDLE, &word(language, key));
        writer.right(pen(weight, 10.0, INK), RIGHT, &grouped(invoice.currency, minor, language));
    }
}

/// The bank details to pay to, or the status of an invoice that is closed.
fn payment(writer: &mut PageWriter, detail: &Detail, today: NaiveDate, language: &str) {
    let invoice = &detail.invoice;
    let name = invoice.name();
    writer.down(28.0);
    if !invoice.status.is_open() {
        let state = word(language, &format!("invoice_status.{}", invoice.status.name()));
        writer.put(pen(Strong, 12.0, INK), LEFT, &state);
        if let (Status::Void, Some(reason)) = (invoice.status, &invoice.void_reason) {
            writer.down(16.0);
            writer.block(pen(Plain, 9.0, DIM), LEFT, RIGHT - LEFT, reason);
        }
    } else if let Some(bank) = &detail.from.bank {
        writer.keep(110.0);
        writer.put(pen(Strong, 11.0, INK), LEFT, &word(language, "paper.pay"));
        let next = invoice.next_payment(today).map_or(0, |next| next.amount_minor);
        let code = epc_code::of_transfer(invoice, bank, next);
        if let Some(code) = &code {
            writer.code(code, RIGHT, CODE);
        }
        let room = RIGHT - BANK_LEFT - if code.is_some() { CODE + 16.0 } else { 0.0 };
        writer.down(6.0);
        for (key, value) in [
            ("paper.account_holder", Some(&bank.account_holder)),
            ("paper.bank", Some(&bank.bank_name)),
            (number_key(bank.kind), Some(&number_text(bank))),
            (code_key(bank.kind), bank.bank_code.as_ref()),
            ("paper.reference", Some(&name)),
        ] {
            let Some(value) = value else { continue };
            writer.down(15.0);
            writer.put(pen(Plain, 9.0, DIM), LEFT, &word(language, key));
            writer.block(pen(Plain, 10.0, INK), BANK_LEFT, room, value);
        }
    }
}

fn number_key(kind: BankKind) -> &'static str {
    if kind == BankKind::Iban { "paper.iban" } else { "paper.account_number" }
}

fn code_key(kind: BankKind) -> &'static str {
    match kind {
        BankKind::Iban => "paper.bic",
        BankKind::Aba => "paper.routing_number",
        BankKind::Other => "paper.bank_code",
    }
}

/// An IBAN in groups of four.
fn number_text(bank: &Bank) -> String {
    if bank.kind != BankKind::Iban {
        return bank.account_number.clone();
    }
    let letters: Vec<char> = bank.account_number.chars().collect();
    letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// Title, number and status of a document.
struct Heading<'a> {
    title: String,
    name: &'a str,
    mark: Option<(&'static str, [u8; 3])>,
}

/// The logo and the heading on the left, the issuer on the right.
fn issuer(writer: &mut PageWriter, from: &Billing, heading: Heading<'_>, office: Office<'_>, language: &str) {
    let room = RIGHT - MIDDLE;
    let begin = writer.at;
    if let Some(image) = office.logo.and_then(image_of) {
        writer.image(image, LEFT, LOGO);
        writer.down(LOGO.1 + 18.0);
    }
    writer.put(pen(Strong, 20.0, INK), LEFT, &heading.title);
    writer.down(16.0);
    writer.put(pen(Plain, 11.0, DIM), LEFT, heading.name);
    if let Some((key, color)) = heading.mark {
        writer.down(18.0);
        writer.put(pen(Strong, 12.0, color), LEFT, &word(language, key));
    }
    let left = writer.at;
    writer.at = begin;
    writer.right_block(pen(Strong, 11.0, INK), RIGHT, room, from.legal_name.as_deref().unwrap_or(office.brand));
    writer.down(3.0);
    let tax = from.tax_id.as_ref().map(|id| format!("{} {id}", word(language, "paper.tax_id")));
    for text in [from.address.as_ref(), tax.as_ref()].into_iter().flatten() {
        writer.down(13.0);
        writer.right_block(pen(Plain, 9.0, DIM), RIGHT, room, text);
    }
    writer.at = writer.at.max(left);
    writer.down(36.0);
}

/// The status that the reader must see first; none while the invoice is due and in time.
fn mark(detail: &Detail, today: NaiveDate) -> Option<(&'static str, [u8; 3])> {
    match detail.invoice.status {
        Status::Paid => Some(("invoice_status.paid", SETTLED)),
        Status::Void => Some(("invoice_status.void", DIM)),
        _ if detail.invoice.is_overdue(today) => Some(("paper.overdue", LATE)),
        _ => None,
    }
}

/// The logo as an image; `None` for a file that cannot be decoded, because an invoice without a logo is valid.
fn image_of(logo: &Logo) -> Option<Image> {
    let data = logo.bytes.clone().into();
    let image = match logo.media_type.as_str() {
        "image/png" => Image::from_png(data, true),
        _ => Image::from_jpeg(data, true),
    };
    image.inspect_err(|error| tracing::warn!(error, "logo left out of an invoice")).ok()
}

/// The payer on the left, dates and references on the right.
fn payer_and_facts(
    writer: &mut PageWriter,
    (billed_to, billed_address): (&str, Option<&str>),
    facts: impl IntoIterator<Item = (&'static str, Option<String>)>,
    language: &str,
) {
    let begin = writer.at;
    let room = MIDDLE - LEFT - 20.0;
    writer.put(pen(Plain, 9.0, DIM), LEFT, &word(language, "paper.billed_to"));
    writer.down(15.0);
    writer.block(pen(Strong, 10.0, INK), LEFT, room, billed_to);
    if let Some(address) = billed_address {
        writer.down(13.0);
        writer.block(pen(Plain, 10.0, INK), LEFT, room, address);
    }
    let left = writer.at;
    writer.at = begin;
    for (key, value) in facts.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        writer.put(pen(Plain, 9.0, DIM), MIDDLE, &word(language, key));
        writer.right_block(pen(Plain, 10.0, INK), RIGHT, RIGHT - MIDDLE - 70.0, &value);
        writer.down(15.0);
    }
    writer.at = writer.at.max(left);
    writer.down(36.0);
}

/// `1,250.00`, grouped as is usual in the language.
fn grouped(currency: Currency, minor: i64, language: &str) -> String {
    let (thousand, point) = if language.starts_with("es") { ('.', ',') } else { (',', '.') };
    let text = currency.format(minor);
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let (whole, rest) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut digits = sign.to_owned();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            digits.push(thousand);
        }
        digits.push(digit);
    }
    if let Some(rest) = rest {
        digits.push(point);
        digits.push_str(rest);
    }
    digits
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::{
        kernel::ids::{InvoiceId, SpvId, UserId},
        orders::invoices::{Installment, Line, LineKind},
        platform::settings::TaxRounding,
    };

    #[test]
    fn amounts_are_grouped_by_language() {
        assert_eq!(grouped(Currency::Usd, 125_000_000, "en-US"), "1,250,000.00");
        assert_eq!(grouped(Currency::Eur, 125_050, "es"), "1.250,50");
        assert_eq!(grouped(Currency::Jpy, 999, "en-GB"), "999");
        assert_eq!(grouped(Currency::Usd, -12_500, "en-US"), "-125.00");
        assert_eq!(grouped(Currency::Usd, -125_000, "en-US"), "-1,250.00");
    }

    fn line(text: &str, quantity: i64, unit_price_minor: i64, amount_minor: i64, tax_percent: i64) -> Line {
        let (description, kind) = (text.to_owned(), LineKind::Fee);
        Line { description, kind, quantity, unit_price_minor, amount_minor, tax_percent }
    }

    pub fn detail(name: &str, address: &str) -> Detail {
        let at = DateTime::from_timestamp(1_795_262_400, 0).unwrap();
        let day = NaiveDate::from_ymd_opt(2026, 11, 27).unwrap();
        let line = line(&format!("Formation of {name}"), 1_000, 125_000, 125_000, 0);
        let invoice = Invoice {
            id: InvoiceId(uuid::Uuid::nil()),
            year: 2026,
            number: 7,
            former_number: None,
            spv_id: SpvId(uuid::Uuid::nil()),
            spv_custom_identifier: Some(name.to_owned()),
            vehicle_name: None,
            reference: None,
            client_id: UserId(uuid::Uuid::nil()),
            client_first_name: name.to_owned(),
            client_last_name: String::new(),
            client_email: String::new(),
            billed_to: name.to_owned(),
            billed_address: Some(address.to_owned()),
            currency: Currency::Usd,
            total_minor: 125_000,
            paid_minor: 0,
            credited_minor: 0,
            manual: false,
            tax_minor: 0,
            tax_included: false,
            tax_rounding: TaxRounding::Line,
            tax_name: None,
            tax_note: None,
            terms: None,
            status: Status::Due,
            issued_date: day,
            due_date: day,
            void_reason: None,
            replaced_by_id: None,
            replaced_by_year: None,
            replaced_by_number: None,
            created_at: at,
            updated_at: at,
            updated_by: String::new(),
            version: 1,
            lines: vec![line],
            installments: Vec::new(),
        };
        let bank = Bank { account_holder: name.to_owned(), bank_name: name.to_owned(), ..Bank::default() };
        let from = Billing {
            legal_name: Some(name.to_owned()),
            address: Some(address.to_owned()),
            tax_id: Some(name.to_owned()),
            bank: Some(bank),
            ..Billing::default()
        };
        Detail { invoice, payments: Vec::new(), receipts: Vec::new(), credit_notes: Vec::new(), from }
    }

    fn office(logo: Option<&Logo>) -> Office<'_> {
        Office { brand: "Office", logo, today: NaiveDate::from_ymd_opt(2026, 11, 27).unwrap() }
    }

    fn without_spaces(text: &str) -> String {
        text.chars().filter(|letter| !letter.is_whitespace()).collect()
    }

    /// The texts of each page in the order in which they were placed.
    fn placed(detail: &Detail) -> Vec<Vec<page_writer::PlacedText>> {
        let fonts = FontSet::new();
        lay_out(&fonts, detail, office(None), "en-US", DateFormat::Auto).texts()
    }

    #[test]
    fn long_texts_are_complete_and_inside_the_margins() {
        for (name, address) in [
            (
                "東京都千代田区丸の内特別目的会社設立支援株式会社".repeat(3),
                "東京都千代田区丸の内一丁目九番一号グラントウキョウノースタワー四十二階".repeat(3),
            ),
            (
                "บริษัทจัดตั้งนิติบุคคลเฉพาะกิจระหว่างประเทศจำกัดมหาชน".repeat(2),
                "ถนนสุขุมวิทแขวงคลองเตยเหนือเขตวัฒนากรุงเทพมหานคร".repeat(4),
            ),
            ("شركة تأسيس الشركات ذات الغرض الخاص الدولية المحدودة".to_owned(), "شارع الشيخ زايد دبي ".repeat(20)),
            ("x".repeat(120), "A".repeat(1_000)),
            (
                "Internationale Beteiligungsverwaltungsgesellschaft ".repeat(3),
                "12 Long Street, Springfield, ".repeat(36),
            ),
            ("Maya Ortiz".to_owned(), "one more line\n".repeat(150)),
        ] {
            let pages = placed(&detail(&name, &address));
            // By columns, without the pages' numbers: a text may go on at the top of the next page.
            let column = |within: &dyn Fn(f32, f32) -> bool| {
                let texts = pages.iter().flatten().filter(|(_, from, to, y)| *y < 800.0 && within(*from, *to));
                without_spaces(&texts.map(|(text, ..)| text.as_str()).collect::<String>())
            };
            let left = column(&|from, _| from < LEFT + 0.5);
            let right = column(&|_, to| to > RIGHT - 0.5);
            let bank = column(&|from, _| (from - BANK_LEFT).abs() < 0.5);
            // The payer and what for; the issuer, its tax number and the order; the account. None of them is cut.
            for (column, times) in [(&left, 2), (&right, 3), (&bank, 2)] {
                assert!(column.matches(&without_spaces(&name)).count() >= times, "{name} in {column}");
                assert!(!column.contains('…'));
            }
            for column in [&left, &right] {
                assert!(column.contains(&without_spaces(&address)), "{address} in {column}");
            }
            assert!(right.contains("Amount(USD)") && right.contains("1,250.00"));
            for (text, from, to, y) in pages.iter().flatten() {
                assert!(*from >= LEFT - 0.5 && *to <= RIGHT + 0.5, "{text} is wider than the paper");
                assert!((72.0..=810.0).contains(y), "{text} is below the paper");
            }
            for page in &pages {
                for (n, (text, from, to, y)) in page.iter().enumerate() {
                    let over = page[n + 1..].iter().find(|other| {
                        (other.3 - y).abs() < 8.0 && other.1 < to - 0.5 && *from < other.2 - 0.5 && !text.is_empty()
                    });
                    assert!(over.is_none(), "{text} and {over:?} lie over each other");
                }
            }
        }
    }

    #[test]
    fn pages_are_numbered_when_there_are_several() {
        let pages = placed(&detail("Maya Ortiz", &"one more line\n".repeat(150)));
        assert!(pages.len() > 2, "{}", pages.len());
        for (n, page) in pages.iter().enumerate() {
            assert!(page.iter().any(|(text, ..)| *text == format!("{} / {}", n + 1, pages.len())));
        }
        let short = placed(&detail("Maya Ortiz", "1 Main Street"));
        assert!(short.len() == 1 && !short[0].iter().any(|(text, ..)| text.contains('/')));
        let file =
            render(&detail("Maya Ortiz", &"one more line\n".repeat(150)), office(None), "en-US", DateFormat::Auto);
        let file = String::from_utf8_lossy(&file.unwrap()).into_owned();
        assert!(file.contains(&format!("/Count {}", pages.len())));
    }

    #[test]
    fn letters_without_a_font_are_refused_by_name() {
        let refused = render(&detail("Maya \u{10fffd}", "1 Main Street"), office(None), "en-US", DateFormat::Auto);
        let Err(ApiError::Http(status, problem)) = refused else { panic!("it was drawn") };
        assert_eq!((status.as_u16(), problem.code), (500, "letters_without_font"));
        assert_eq!(problem.params["letters"], "\u{10fffd} (U+10FFFD)");
        assert!(render(&detail("Maya Ortíz Ñandú", "1 Main Street"), office(None), "es", DateFormat::Auto).is_ok());
    }

    #[test]
    fn the_status_is_marked_and_the_foot_names_issuer_and_invoice() {
        let texts = |of: &Detail| -> Vec<String> { placed(of).into_iter().flatten().map(|(text, ..)| text).collect() };
        let mut invoice = detail("Maya Ortiz", "1 Main Street");
        assert!(texts(&invoice).iter().all(|text| text != "Overdue"));
        assert!(texts(&invoice).contains(&"Invoice 2026-0007 · Maya Ortiz".to_owned()));
        invoice.invoice.due_date = NaiveDate::from_ymd_opt(2026, 11, 26).unwrap();
        assert!(texts(&invoice).contains(&"Overdue".to_owned()));
        invoice.invoice.status = Status::Paid;
        assert!(texts(&invoice).contains(&word("en-US", "invoice_status.paid")));
    }

    #[test]
    fn credit_notes_are_subtracted_and_the_credit_is_shown() {
        let texts = |of: &Detail| -> Vec<String> { placed(of).into_iter().flatten().map(|(text, ..)| text).collect() };
        let mut invoice = detail("Maya Ortiz", "1 Main Street");
        invoice.invoice.paid_minor = 125_000;
        invoice.invoice.status = Status::Paid;
        assert!(!texts(&invoice).contains(&word("en-US", "paper.credited")));
        invoice.invoice.credited_minor = 25_000;
        let found = texts(&invoice);
        for text in ["Credited", "-250.00", "Credit", "250.00"] {
            assert!(found.iter().any(|placed| placed == text), "{text} in {found:?}");
        }
    }

    #[test]
    fn lines_taxes_and_terms_are_printed() {
        let mut of = detail("Maya Ortiz", "1 Main Street");
        of.invoice.lines = vec![
            line("Registered agent", 2_500, 100_000, 250_000, 200_000),
            line("State filing fee", 1_000, 9_000, 9_000, 0),
            line("Loyal client", 1_000, -50_000, -50_000, 200_000),
        ];
        of.invoice.tax_minor = 40_000;
        of.invoice.total_minor = 249_000;
        of.invoice.tax_name = Some("VAT".to_owned());
        of.invoice.terms = Some("Within ten days".to_owned());
        let installment = |month, amount_minor| Installment {
            due_date: NaiveDate::from_ymd_opt(2026, month, 1).unwrap(),
            amount_minor,
        };
        of.invoice.installments = vec![installment(11, 100_000), installment(12, 149_000)];
        let found: Vec<String> = placed(&of).into_iter().flatten().map(|(text, ..)| text).collect();
        for text in [
            "2.5",
            "1,000.00",
            "2,500.00",
            "20 %",
            "-500.00",
            "Net",
            "2,090.00",
            "VAT 20 % on 2,000.00",
            "400.00",
            "VAT 0 % on 90.00",
            "0.00",
            "2,490.00",
            "Within ten days",
            "Installments",
            "1,490.00",
        ] {
            assert!(found.iter().any(|placed| placed == text), "{text} in {found:?}");
        }
        of.invoice.tax_note = Some("Reverse charge".to_owned());
        let file = render(&of, office(None), "es", DateFormat::Auto).unwrap();
        assert!(file.starts_with(b"%PDF"));
    }

    #[test]
    fn bank_details_are_named_by_their_kind_and_euros_have_a_code() {
        let mut of = detail("Maya Ortiz", "1 Main Street");
        let bank = Bank {
            kind: BankKind::Iban,
            account_holder: "Office GmbH".to_owned(),
            bank_name: "Bank".to_owned(),
            account_number: "DE89370400440532013000".to_owned(),
            bank_code: Some("COBADEFFXXX".to_owned()),
        };
        of.from.bank = Some(bank.clone());
        let texts = |of: &Detail| -> Vec<String> { placed(of).into_iter().flatten().map(|(text, ..)| text).collect() };
        let size = |of: &Detail| render(of, office(None), "en-US", DateFormat::Auto).unwrap().len();
        for text in ["IBAN", "DE89 3704 0044 0532 0130 00", "BIC", "COBADEFFXXX"] {
            assert!(texts(&of).iter().any(|placed| placed == text), "{text}");
        }
        let without = size(&of);
        of.invoice.currency = Currency::Eur;
        assert!(size(&of) > without + 500, "the code is drawn");
        of.from.bank = Some(Bank { kind: BankKind::Aba, bank_code: Some("021000021".to_owned()), ..bank });
        assert!(texts(&of).iter().any(|placed| placed == "Routing number"));
    }

    #[test]
    fn the_logo_is_drawn_and_a_broken_one_left_out() {
        let bytes = include_bytes!("../../../domain/src/operations/seed/meridian.png").to_vec();
        let whole = Logo { media_type: "image/png".to_owned(), bytes };
        let broken = Logo { media_type: "image/png".to_owned(), bytes: b"no picture".to_vec() };
        let size = |logo: Option<&Logo>| {
            render(&detail("Maya Ortiz", "1 Main Street"), office(logo), "en-US", DateFormat::Auto).unwrap().len()
        };
        assert!(size(Some(&whole)) > size(None));
        assert_eq!(size(Some(&broken)), size(None));
    }
}

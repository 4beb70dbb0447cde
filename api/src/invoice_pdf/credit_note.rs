//! PDF of a credit note, laid out as an invoice.
use super::{
    DIM, Heading, INK, LEFT, MIDDLE, Office, PageWriter, Plain, RIGHT, Strong, draw, grouped, issuer, payer_and_facts,
    pen, word,
};
use crate::error::Result;
use domain::{accounts::users::DateFormat, kernel::i18n, orders::invoices::CreditNote, platform::settings::Billing};

/// The credit note as a PDF file, in the reader's language.
///
/// # Errors
/// As [`super::render`].
pub fn render_credit_note(
    note: &CreditNote,
    from: &Billing,
    office: Office<'_>,
    language: &str,
    format: DateFormat,
) -> Result<Vec<u8>> {
    let title = format!("{} {}", word(language, "paper.credit_note"), note.name());
    draw(&title, language, |fonts| {
        let mut writer = PageWriter::new(fonts);
        lay_out(&mut writer, note, from, office, language, format);
        writer
    })
}

fn lay_out(
    writer: &mut PageWriter<'_>,
    note: &CreditNote,
    from: &Billing,
    office: Office<'_>,
    language: &str,
    format: DateFormat,
) {
    let word = |key: &str| word(language, key);
    let name = note.name();
    issuer(writer, from, Heading { title: word("paper.credit_note"), name: &name, mark: None }, office, language);
    let facts = [
        ("paper.issued", Some(i18n::date(language, format, note.issued_date))),
        ("paper.for_invoice", Some(note.invoice())),
        ("paper.order", Some(note.spv_identifier())),
    ];
    payer_and_facts(writer, (&note.billed_to, note.billed_address.as_deref()), facts, language);
    writer.put(pen(Plain, 9.0, DIM), LEFT, &word("paper.description"));
    writer.right(pen(Plain, 9.0, DIM), RIGHT, &format!("{} ({})", word("paper.amount"), note.currency.code()));
    writer.rule();
    let amount = grouped(note.currency, note.amount_minor, language);
    writer.down(20.0);
    writer.right(pen(Plain, 10.0, INK), RIGHT, &amount);
    writer.block(pen(Plain, 10.0, INK), LEFT, 380.0, &note.description);
    writer.keep(60.0);
    writer.rule();
    if note.tax_minor != 0 {
        for (key, minor) in [("paper.net", note.amount_minor - note.tax_minor), ("paper.tax", note.tax_minor)] {
            writer.down(19.0);
            writer.put(pen(Plain, 10.0, INK), MIDDLE, &word(key));
            writer.right(pen(Plain, 10.0, INK), RIGHT, &grouped(note.currency, minor, language));
        }
    }
    writer.down(19.0);
    writer.put(pen(Strong, 10.0, INK), MIDDLE, &word("paper.credited"));
    writer.right(pen(Strong, 10.0, INK), RIGHT, &amount);
    let issuer = from.legal_name.as_deref().unwrap_or(office.brand);
    writer.foot(&format!("{} {name} · {issuer}", word("paper.credit_note")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invoice_pdf::fonts::FontSet;
    use chrono::{DateTime, NaiveDate};
    use domain::kernel::{
        ids::{CreditNoteId, InvoiceId, SpvId, UserId},
        money::Currency,
    };
    use uuid::Uuid;

    #[test]
    fn credit_note_names_its_invoice_and_amount() {
        let note = CreditNote {
            id: CreditNoteId(Uuid::nil()),
            year: 2026,
            number: 3,
            invoice_id: InvoiceId(Uuid::nil()),
            invoice_year: 2026,
            invoice_number: 7,
            spv_id: SpvId(Uuid::nil()),
            spv_custom_identifier: Some("OKEANOS-1".to_owned()),
            client_id: UserId(Uuid::nil()),
            client_first_name: "Maya".to_owned(),
            client_last_name: "Ortiz".to_owned(),
            billed_to: "Maya Ortiz".to_owned(),
            billed_address: Some("1 Main Street".to_owned()),
            currency: Currency::Usd,
            amount_minor: 125_050,
            tax_minor: 20_842,
            filing_fee_minor: 0,
            description: "Correction of the price of OKEANOS-1".to_owned(),
            issued_date: NaiveDate::from_ymd_opt(2026, 11, 27).unwrap(),
            created_at: DateTime::UNIX_EPOCH,
            created_by: String::new(),
        };
        let office = Office { brand: "Office", logo: None, today: note.issued_date };
        let fonts = FontSet::new();
        let mut writer = PageWriter::new(&fonts);
        lay_out(&mut writer, &note, &Billing::default(), office, "en-US", DateFormat::Auto);
        let texts: Vec<String> = writer.texts().into_iter().flatten().map(|(text, ..)| text).collect();
        for text in
            ["Credit note", "CN-2026-0003", "2026-0007", "OKEANOS-1", "1,250.50", "Maya Ortiz", "Credited", "208.42"]
        {
            assert!(texts.iter().any(|placed| placed == text), "{text} in {texts:?}");
        }
        let file = render_credit_note(&note, &Billing::default(), office, "es", DateFormat::Auto).unwrap();
        assert!(file.starts_with(b"%PDF"));
    }
}

//! EPC QR code of a SEPA credit transfer (EPC069-12, version 002), which banking apps read.
use domain::{
    kernel::money::Currency,
    orders::invoices::Invoice,
    platform::settings::{Bank, BankKind},
};
use qrcode::{Color, EcLevel, QrCode};

/// Longest name of the standard, in characters.
const MAX_NAME: usize = 70;

/// A QR code: its modules from the upper left, by row.
pub struct Code {
    pub width: usize,
    pub dark: Vec<bool>,
}

/// The code of a transfer in euros to an IBAN; none for other payments.
pub fn of_transfer(invoice: &Invoice, bank: &Bank, amount_minor: i64) -> Option<Code> {
    let code = QrCode::with_error_correction_level(payload(invoice, bank, amount_minor)?, EcLevel::M).ok()?;
    let dark = code.to_colors().into_iter().map(|color| color == Color::Dark).collect();
    Some(Code { width: code.width(), dark })
}

fn payload(invoice: &Invoice, bank: &Bank, amount_minor: i64) -> Option<String> {
    if bank.kind != BankKind::Iban || invoice.currency != Currency::Eur || amount_minor <= 0 {
        return None;
    }
    let name: String = bank.account_holder.chars().take(MAX_NAME).collect();
    let amount = format!("EUR{}", Currency::Eur.format(amount_minor));
    // Service tag, version, UTF-8, kind, BIC, name, IBAN, amount, purpose, structured reference, text.
    let lines = [
        "BCD",
        "002",
        "1",
        "SCT",
        bank.bank_code.as_deref().unwrap_or(""),
        &name,
        &bank.account_number,
        &amount,
        "",
        "",
        &invoice.name(),
    ];
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invoice_pdf::tests::detail;

    #[test]
    fn code_of_a_transfer_in_euros_has_iban_amount_and_invoice_number() {
        let mut invoice = detail("Maya Ortiz", "1 Main Street").invoice;
        let bank = Bank {
            kind: BankKind::Iban,
            account_holder: "Office GmbH".to_owned(),
            bank_name: "Bank".to_owned(),
            account_number: "DE89370400440532013000".to_owned(),
            bank_code: Some("COBADEFFXXX".to_owned()),
        };
        assert!(of_transfer(&invoice, &bank, 100).is_none(), "dollars");
        invoice.currency = Currency::Eur;
        assert_eq!(
            payload(&invoice, &bank, 123_450).as_deref(),
            Some("BCD\n002\n1\nSCT\nCOBADEFFXXX\nOffice GmbH\nDE89370400440532013000\nEUR1234.50\n\n\n2026-0007")
        );
        let code = of_transfer(&invoice, &bank, 123_450).unwrap();
        assert_eq!(code.dark.len(), code.width * code.width);
        assert!(of_transfer(&invoice, &Bank { kind: BankKind::Other, ..bank }, 1).is_none());
    }
}

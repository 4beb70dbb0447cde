//! Numbers of bank accounts: IBAN (ISO 13616) and BIC (ISO 9362), and the routing numbers of the American Bankers Association.
use crate::kernel::error::Problem;
use iban::{Iban, IbanLike, ParseBaseIbanError, ParseIbanError};

/// An IBAN without spaces, in capitals.
///
/// # Errors
/// `iban_check_digits`; `invalid_iban` for a country without IBAN and for another form or length than that of its country.
pub fn parse_iban(text: &str) -> Result<String, Problem> {
    compact(text).parse::<Iban>().map(|iban| iban.electronic_str().to_owned()).map_err(|error| {
        Problem::new(match error {
            ParseIbanError::InvalidBaseIban { source: ParseBaseIbanError::InvalidChecksum } => "iban_check_digits",
            _ => "invalid_iban",
        })
    })
}

/// Countries of SEPA, by the list of the European Payments Council (EPC409-09, 2025).
const SEPA: [&str; 42] = [
    "AD", "AL", "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GI", "GR", "HR", "HU",
    "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MC", "MD", "ME", "MK", "MT", "NL", "NO", "PL", "PT", "RO", "RS", "SE",
    "SI", "SK", "SM", "VA",
];

/// Whether SEPA transfers reach the bank of an IBAN.
pub fn is_in_sepa(iban: &str) -> bool {
    iban.get(..2).is_some_and(|country| SEPA.contains(&country))
}

/// A BIC of 8 or 11 characters, in capitals.
///
/// # Errors
/// `invalid_bic`.
pub fn parse_bic(text: &str) -> Result<String, Problem> {
    let bic = compact(text);
    let bytes = bic.as_bytes();
    let is_form = matches!(bytes.len(), 8 | 11)
        && bytes[..4].iter().all(u8::is_ascii_alphanumeric)
        && bytes[4..6].iter().all(u8::is_ascii_uppercase)
        && bytes[6..].iter().all(u8::is_ascii_alphanumeric);
    if is_form { Ok(bic) } else { Err(Problem::new("invalid_bic")) }
}

/// A routing number of nine digits.
///
/// # Errors
/// `invalid_routing_number`, also for a wrong check digit.
pub fn parse_routing_number(text: &str) -> Result<String, Problem> {
    let number = compact(text);
    let sum: u32 = number
        .bytes()
        .zip([3, 7, 1].into_iter().cycle())
        .map(|(digit, weight)| u32::from(digit.wrapping_sub(b'0')) * weight)
        .sum();
    let is_number = number.len() == 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && sum > 0 && sum.is_multiple_of(10) {
        Ok(number)
    } else {
        Err(Problem::new("invalid_routing_number"))
    }
}

/// An account number as banks without IBAN use it: 4 to 34 letters and digits; spaces and hyphens go.
///
/// # Errors
/// `invalid_account_number`.
pub fn parse_account_number(text: &str) -> Result<String, Problem> {
    let number: String = compact(text).chars().filter(|c| *c != '-').collect();
    let fits = (4..=34).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if fits { Ok(number) } else { Err(Problem::new("invalid_account_number")) }
}

/// The last four characters behind dots, as an account is shown.
pub fn mask(number: &str) -> String {
    let shown: String = number.chars().skip(number.chars().count().saturating_sub(4)).collect();
    format!("•••• {shown}")
}

fn compact(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_have_the_length_of_their_country_and_valid_check_digits() {
        let read = |text: &str| parse_iban(text).map_err(|problem| problem.code);
        // Examples of the registry.
        for iban in [
            "DE89 3704 0044 0532 0130 00",
            "GB29 NWBK 6016 1331 9268 19",
            "es91 2100 0418 4502 0005 1332",
            "AE07 0331 2345 6789 0123 456",
            "KW81 CBKU 0000 0000 0000 1234 5601 01",
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
            "NO93 8601 1117 947",
        ] {
            assert_eq!(read(iban), Ok(compact(iban)), "{iban}");
        }
        assert!(is_in_sepa("DE89370400440532013000") && !is_in_sepa("AE070331234567890123456") && !is_in_sepa(""));
        assert_eq!(read("DE88 3704 0044 0532 0130 00"), Err("iban_check_digits"));
        assert_eq!(read("DE89 3704 0044 0532 0130 01"), Err("iban_check_digits"));
        // The check digits of the last two are right: a German IBAN has 22 characters, and the United States have none.
        for bad in ["", "DE", "D€89370400440532013000", "0000 1234 5678", "DE86 3704 0044 0532 0130", "US5112345678"]
        {
            assert_eq!(read(bad), Err("invalid_iban"), "{bad}");
        }
    }

    #[test]
    fn bics_and_routing_numbers_have_their_form() {
        assert_eq!(parse_bic("deut de ff"), Ok("DEUTDEFF".to_owned()));
        assert_eq!(parse_bic("DEUTDEFF500"), Ok("DEUTDEFF500".to_owned()));
        for bad in ["DEUTDEF", "DEUT1EFF", "DEUTDEFF50", "DEUTDEFF-00"] {
            assert!(parse_bic(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_routing_number("021000021"), Ok("021000021".to_owned()));
        for bad in ["021000022", "02100002", "0210000210", "000000000", "02100002A"] {
            assert!(parse_routing_number(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_account_number("12-345 678"), Ok("12345678".to_owned()));
        assert!(parse_account_number("123").is_err() && parse_account_number("12/34").is_err());
        assert_eq!(mask("DE89370400440532013000"), "•••• 3000");
    }
}

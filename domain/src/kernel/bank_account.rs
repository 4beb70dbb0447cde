//! Numbers of bank accounts: IBAN (ISO 13616) and BIC (ISO 9362), and the routing numbers of the American Bankers Association.
use crate::kernel::error::Problem;

/// Lengths of IBANs by country, of the IBAN registry of SWIFT, release 99.
const LENGTHS: [(&str, usize); 88] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HN", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

/// An IBAN without spaces, in capitals.
///
/// # Errors
/// `invalid_iban` for another form, `iban_length` for a wrong number of characters in its country, `iban_check_digits`.
pub fn parse_iban(text: &str) -> Result<String, Problem> {
    let iban = compact(text);
    let bytes = iban.as_bytes();
    let is_form = bytes.len() >= 5
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    if !is_form {
        return Err(Problem::new("invalid_iban"));
    }
    let length = LENGTHS.iter().find(|(country, _)| *country == &iban[..2]).map(|(_, length)| *length);
    let length = length.ok_or_else(|| Problem::new("invalid_iban"))?;
    if bytes.len() != length {
        return Err(Problem::new("iban_length").with("length", length).with("given", bytes.len()));
    }
    if remainder(bytes) != 1 {
        return Err(Problem::new("iban_check_digits"));
    }
    Ok(iban)
}

/// MOD 97-10 of ISO/IEC 7064 over an IBAN whose first four characters are moved to its end; letters are 10 to 35.
fn remainder(iban: &[u8]) -> u32 {
    iban[4..].iter().chain(&iban[..4]).fold(0, |rest, byte| {
        let value = u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' + 10 });
        (rest * if value > 9 { 100 } else { 10 } + value) % 97
    })
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
        assert_eq!(read("DE88 3704 0044 0532 0130 00"), Err("iban_check_digits"));
        assert_eq!(read("DE89 3704 0044 0532 0130 01"), Err("iban_check_digits"));
        assert_eq!(read("DE89 3704 0044 0532 0130"), Err("iban_length"));
        for bad in
            ["", "DE", "ZZ89370400440532013000", "US89370400440532013000", "D€89370400440532013000", "0000 1234 5678"]
        {
            assert_eq!(read(bad), Err("invalid_iban"), "{bad}");
        }
        assert!(LENGTHS.is_sorted());
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

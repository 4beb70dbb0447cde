//! Formats of tax numbers by country. Only the format and the check digit are validated, not whether the number was issued.
use crate::kernel::error::Problem;

/// Validates a tax number and writes it in the format of its country.
///
/// # Errors
/// `invalid_tax_id` with an example; `invalid_utr` for Great Britain, which has several tax numbers.
pub fn validate_id(country: &str, text: &str) -> Result<String, Problem> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '.' | '/')).collect();
    let plain = plain.to_ascii_uppercase();
    let digits = plain.bytes().all(|b| b.is_ascii_digit());
    let (good, written, example) = match country {
        "US" => (digits && ein(&plain), dashed(&plain, 2), "12-3456789"),
        "AE" => (digits && plain.len() == 15 && plain.starts_with("100"), plain, "100123456700003"),
        "JP" => {
            let number = plain.strip_prefix('T').unwrap_or(&plain).to_owned();
            (corporate_number(&number), number, "7000012050002")
        }
        "SG" => (uen(&plain), plain, "201912345K"),
        "TH" => (thai(&plain), plain, "0105536000313"),
        "GB" => (digits && plain.len() == 10, plain, "1234567890"),
        _ => {
            let good = (4..=20).contains(&plain.len()) && plain.bytes().all(|b| b.is_ascii_alphanumeric());
            let written = text.trim().to_ascii_uppercase();
            let short = written.len() <= 40 && !written.contains(char::is_control);
            (good && short && plain.bytes().any(|b| b.is_ascii_digit()), written, "AB123456")
        }
    };
    match country {
        _ if good => Ok(written),
        "GB" => Err(Problem::new("invalid_utr").with("example", example)),
        _ => Err(Problem::new("invalid_tax_id").with("example", example)),
    }
}

/// A US EIN: nine digits with an assigned prefix.
fn ein(digits: &str) -> bool {
    const UNASSIGNED_PREFIXES: [&str; 17] =
        ["00", "07", "08", "09", "17", "18", "19", "28", "29", "49", "69", "70", "78", "79", "89", "96", "97"];
    digits.len() == 9 && !UNASSIGNED_PREFIXES.iter().any(|start| digits.starts_with(start))
}

fn dashed(digits: &str, after: usize) -> String {
    match digits.split_at_checked(after) {
        Some((start, rest)) => format!("{start}-{rest}"),
        None => digits.to_owned(),
    }
}

/// A Japanese corporate number: thirteen digits, the first of which is the check digit.
fn corporate_number(text: &str) -> bool {
    let Some(digits) = numbers(text).filter(|digits| digits.len() == 13) else { return false };
    let sum: u32 = digits[1..].iter().rev().enumerate().map(|(n, digit)| digit * if n % 2 == 0 { 1 } else { 2 }).sum();
    digits[0] == 9 - sum % 9
}

/// A Thai tax number: thirteen digits, the last of which is the check digit.
fn thai(text: &str) -> bool {
    let Some(digits) = numbers(text).filter(|digits| digits.len() == 13) else { return false };
    let sum: u32 = digits[..12].iter().zip((2..=13).rev()).map(|(digit, weight)| digit * weight).sum();
    digits[12] == (11 - sum % 11) % 10
}

/// A Singapore UEN: `53123456X`, `201912345K` or `T08LL1234A`.
fn uen(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let letters = |part: &[u8]| part.iter().all(u8::is_ascii_uppercase);
    match bytes.len() {
        9 => digits(&bytes[..8]) && letters(&bytes[8..]),
        10 => {
            digits(&bytes[..9]) && letters(&bytes[9..])
                || matches!(bytes[0], b'R' | b'S' | b'T')
                    && digits(&bytes[1..3])
                    && bytes[3].is_ascii_uppercase()
                    && bytes[4].is_ascii_alphanumeric()
                    && digits(&bytes[5..9])
                    && letters(&bytes[9..])
        }
        _ => false,
    }
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.chars().map(|c| c.to_digit(10)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_numbers_follow_the_format_of_their_country() {
        for (country, text, written) in [
            ("US", "12-3456789", Some("12-3456789")),
            ("US", " 123456789 ", Some("12-3456789")),
            ("US", "07-1234567", None),
            ("US", "12-345678", None),
            ("US", "12-34567890", None),
            ("US", "AB-3456789", None),
            ("AE", "100-1234-5670-0003", Some("100123456700003")),
            ("AE", "200123456700003", None),
            ("JP", "7000012050002", Some("7000012050002")),
            ("JP", "T7000012050002", Some("7000012050002")),
            ("JP", "8000012050002", None),
            ("SG", "201912345k", Some("201912345K")),
            ("SG", "T08LL1234A", Some("T08LL1234A")),
            ("SG", "201912345", None),
            ("TH", "0105536000313", Some("0105536000313")),
            ("TH", "0105536000314", None),
            ("GB", "12345 67890", Some("1234567890")),
            ("GB", "GB123456789", None),
            ("GB", "01234567", None),
            ("ES", "B-12345678", Some("B-12345678")),
            ("ES", "none", None),
            ("ES", &format!("1{}234", "-".repeat(60)), None),
            ("ES", "12\n34", None),
            ("ES", "<b>1</b>", None),
        ] {
            assert_eq!(validate_id(country, text).ok().as_deref(), written, "{country} {text}");
        }
        // Companies there also have a VAT and a register number, so the error names the UTR.
        assert_eq!(validate_id("GB", "GB123456789").unwrap_err().code, "invalid_utr");
        assert_eq!(validate_id("SG", "1").unwrap_err().code, "invalid_tax_id");
    }
}

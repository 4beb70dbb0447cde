//! Phone numbers: what a person may write, checked but kept as typed.
use crate::kernel::error::Problem;

/// Digits of a number without its extension: the shortest national ones to the longest of ITU-T E.164.
const DIGITS: std::ops::RangeInclusive<usize> = 5..=15;
const EXTENSION_DIGITS: std::ops::RangeInclusive<usize> = 1..=7;

/// A phone number: digits with spaces and `+ ( ) - . /` between them, and perhaps an extension (`ext. 5`, `x5`, `#5`).
/// Full-width digits and typographic hyphens are stored as ASCII.
///
/// # Errors
/// `invalid_phone`.
pub fn read(text: &str) -> Result<String, Problem> {
    let plain: String = text.chars().map(ascii).collect();
    let (number, extension) = split(&plain);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let known = number.chars().all(|c| c.is_ascii_digit() || " +()-./".contains(c));
    let plus = match number.rfind('+') {
        Some(at) => number[..at].chars().all(|c| " (".contains(c)),
        None => true,
    };
    let extended = extension.is_none_or(|extension| {
        let extension = extension.trim();
        extension.bytes().all(|b| b.is_ascii_digit()) && EXTENSION_DIGITS.contains(&extension.len())
    });
    if known && plus && extended && are_closed(number) && DIGITS.contains(&digits(number)) {
        Ok(plain)
    } else {
        Err(Problem::new("invalid_phone"))
    }
}

/// The number, and its extension if it has one.
fn split(text: &str) -> (&str, Option<&str>) {
    let lower = text.to_ascii_lowercase();
    // The longer words first: `ext.` contains `x`.
    for word in [";ext=", "extension", "ext.", "ext", "x", "#"] {
        if let Some(at) = lower.find(word) {
            return (text[..at].trim_end_matches([' ', ',', ';']), Some(&text[at + word.len()..]));
        }
    }
    (text, None)
}

/// Whether every bracket that is opened is closed, one at a time.
fn are_closed(number: &str) -> bool {
    let mut open = false;
    for c in number.chars().filter(|c| matches!(c, '(' | ')')) {
        if (c == '(') == open {
            return false;
        }
        open = !open;
    }
    !open
}

fn ascii(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() && !c.is_control() => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_a_number() {
        for text in [
            "+1 555 0100",
            "+15550143999",
            "(555) 010-0199",
            "+44 (0)20 7946 0018",
            "(+34) 912 345 678",
            "030/1234567",
            "555.0100",
            "110 12",
            "+1 555 010 0199 ext. 12",
            "+1-555-010-0199x12",
            "5550100 #7",
            "5550100, extension 1234",
        ] {
            assert_eq!(read(text).as_deref().ok(), Some(text));
        }
        assert_eq!(read("０３－１２３４－５６７８").as_deref().ok(), Some("03-1234-5678"));
        assert_eq!(read("+81\u{a0}3\u{2011}1234\u{2013}5678").as_deref().ok(), Some("+81 3-1234-5678"));
    }

    #[test]
    fn what_cannot_be_dialled_is_refused() {
        for text in [
            "abc",
            "1234",
            "+1",
            "1234567890123456",
            "555-CALL-NOW",
            "call 555 0100",
            "+1 +1 555 0100",
            "555+0100",
            "(555 0100",
            "555) 0100",
            "((555)) 0100",
            "5550100 ext",
            "5550100 ext abc",
            "5550100 ext 12345678",
            "x12345678",
            "5550100;drop",
            "=5550100",
            "-----",
            "٠١٢٣٤٥٦",
        ] {
            assert_eq!(read(text).map_err(|problem| problem.code), Err("invalid_phone"), "{text}");
        }
    }
}

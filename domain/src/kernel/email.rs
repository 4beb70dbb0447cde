//! Email addresses: the one form they are stored in, and the key that makes two spellings of one address equal.
//!
//! A domain is stored in Unicode where its letters cannot be mistaken for others (else in punycode) and compared in
//! punycode. The local part must be ASCII: SMTP without SMTPUTF8 cannot send to any other (`josé@example.com`). That
//! is checked where an address comes in, so the key of a local part outside ASCII only ever finds nothing.
use crate::kernel::{error::Problem, text};
use icu_properties::{CodePointMapData, props::Script};
use idna::AsciiDenyList;

/// Longest address (RFC 5321), in punycode.
pub const MAX_LENGTH: usize = 254;

/// The form in which an address is stored.
///
/// # Errors
/// `email_local_part` for letters before the @ that plain SMTP cannot send; `invalid_email`.
pub fn normalise(address: &str) -> Result<String, Problem> {
    let invalid = || Problem::new("invalid_email");
    let address = text::line(&narrow(address));
    let (local, domain) = address.rsplit_once('@').ok_or_else(invalid)?;
    if local.contains(['"', ' ']) || !domain.contains('.') || domain.starts_with('[') {
        return Err(invalid());
    }
    let ascii = domain_key(domain).ok_or_else(invalid)?;
    if !local.is_ascii() {
        let sendable = email_address::EmailAddress::is_valid(&format!("{local}@{ascii}"));
        return Err(if sendable { Problem::new("email_local_part") } else { invalid() });
    }
    let wire = format!("{local}@{ascii}");
    if wire.len() > MAX_LENGTH || !email_address::EmailAddress::is_valid(&wire) {
        return Err(invalid());
    }
    // As it was typed where it is ASCII: `Maya@Example.com` keeps its capitals on screen.
    let shown = if domain.is_ascii() && !has_punycode(domain) { domain.to_owned() } else { shown_domain(&ascii) };
    Ok(format!("{local}@{shown}"))
}

/// The key an address is compared by: without letter case and width, the domain in punycode.
pub fn key(address: &str) -> String {
    let address = text::line(&narrow(address));
    let Some((local, domain)) = address.rsplit_once('@') else { return text::unique_key(&address) };
    let domain = domain_key(domain).unwrap_or_else(|| text::unique_key(domain));
    let local = if local.is_ascii() { local.to_ascii_lowercase() } else { text::unique_key(local) };
    format!("{local}@{domain}")
}

/// A domain in punycode and lower case, as DNS knows it; `None` for an invalid domain.
pub fn domain_key(domain: &str) -> Option<String> {
    if domain.is_ascii() && !has_punycode(domain) {
        return Some(domain.to_ascii_lowercase());
    }
    let ascii = idna::domain_to_ascii_cow(domain.as_bytes(), AsciiDenyList::STD3).ok()?.into_owned();
    let fits = ascii.len() <= 253 && ascii.split('.').all(|label| label.len() <= 63);
    fits.then_some(ascii)
}

fn has_punycode(domain: &str) -> bool {
    domain.split('.').any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

/// The domain in Unicode, or as it is where its letters could be taken for those of another.
fn shown_domain(ascii: &str) -> String {
    match idna::domain_to_unicode(ascii) {
        (unicode, Ok(())) if is_plain(&unicode) => unicode,
        _ => ascii.to_owned(),
    }
}

/// Whether each label is of one script, or of those Chinese, Japanese and Korean are written in. Cyrillic, Greek and
/// Armenian, whose letters look like Latin ones, only below a top-level domain of their own.
fn is_plain(domain: &str) -> bool {
    let top = domain.rsplit('.').next().unwrap_or("");
    domain.split('.').all(|label| {
        let scripts = scripts(label);
        let among = |set: &[Script]| scripts.iter().all(|script| set.contains(script));
        among(&[Script::Latin, Script::Han, Script::Hiragana, Script::Katakana])
            || among(&[Script::Latin, Script::Han, Script::Hangul])
            || among(&[Script::Latin, Script::Han, Script::Bopomofo])
            || matches!(scripts[..], [only] if !is_lookalike(only) || self::scripts(top) == scripts)
    })
}

fn is_lookalike(script: Script) -> bool {
    [Script::Cyrillic, Script::Greek, Script::Armenian, Script::Cherokee, Script::Coptic].contains(&script)
}

fn scripts(label: &str) -> Vec<Script> {
    let of = CodePointMapData::<Script>::new();
    let mut found = Vec::new();
    for script in
        label.chars().map(|c| of.get(c)).filter(|script| ![Script::Common, Script::Inherited].contains(script))
    {
        if !found.contains(&script) {
            found.push(script);
        }
    }
    found
}

/// Full-width letters and signs, as Japanese and Chinese keyboards type them, in the width of ASCII.
fn narrow(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3002}' | '\u{ff61}' => '.',
        c => c,
    };
    text.chars().map(narrow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_one_address_have_one_key() {
        for (one, other) in [
            (" Maya.Ortiz@Example.COM ", "maya.ortiz@example.com"),
            ("a@müller.example", "a@xn--mller-kva.example"),
            ("a@mu\u{308}ller.example", "A@MÜLLER.example"),
            ("a@XN--MLLER-KVA.example", "a@müller.example"),
            ("info@例え。テスト", "info@xn--r8jz45g.xn--zckzah"),
            ("ｍａｙａ＠ｅｘａｍｐｌｅ．ｃｏｍ", "maya@example.com"),
            ("a@stra\u{ad}ße.example", "a@straße.example"),
            ("ma\u{200b}ya@example.com", "maya@example.com"),
        ] {
            assert_eq!(key(one), key(other), "{one} {other}");
        }
        for (one, other) in [
            ("José@example.com", "Jose@example.com"),
            ("a@straße.example", "a@strasse.example"),
            ("a@müller.example", "a@muller.example"),
        ] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
        assert_eq!(key("not an address"), "not an address");
        assert_eq!(key("NUL\0@x.y"), "nul\0@x.y");
    }

    #[test]
    fn an_address_has_one_stored_form() {
        for (typed, stored) in [
            ("Maya.Ortiz@Example.com", "Maya.Ortiz@Example.com"),
            ("a@xn--mller-kva.example", "a@müller.example"),
            ("a@Mu\u{308}ller.example", "a@müller.example"),
            ("info@xn--r8jz45g.xn--zckzah", "info@例え.テスト"),
            ("ｍａｙａ＠ｅｘａｍｐｌｅ．ｃｏｍ", "maya@example.com"),
            // Cyrillic that looks like apple.com, a Cyrillic а in a Latin word; a Russian domain is what it says.
            ("a@аррӏе.com", "a@xn--80ak6aa92e.com"),
            ("a@ex\u{430}mple.com", "a@xn--exmple-4nf.com"),
            ("a@пример.рф", "a@пример.рф"),
        ] {
            let found = normalise(typed).unwrap_or_else(|problem| panic!("{typed}: {problem:?}"));
            assert_eq!(found, stored, "{typed}");
            assert_eq!(normalise(&found).ok(), Some(found.clone()));
            assert_eq!(key(&found), key(typed));
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for (typed, code) in [
            ("josé@example.com", "email_local_part"),
            ("jose\u{301}@müller.example", "email_local_part"),
            ("用户@例え.テスト", "email_local_part"),
            ("maya", "invalid_email"),
            ("maya@localhost", "invalid_email"),
            ("maya@@example.com", "invalid_email"),
            ("maya@[127.0.0.1]", "invalid_email"),
            ("maya ortiz@example.com", "invalid_email"),
            ("maya@exa mple.com", "invalid_email"),
            ("maya@mül_ler.example", "invalid_email"),
            ("maya@xn--a.example", "invalid_email"),
            ("@example.com", "invalid_email"),
        ] {
            assert_eq!(normalise(typed).map_err(|problem| problem.code), Err(code), "{typed}");
        }
        let long = format!("a@{}.example", "ü".repeat(60));
        assert!(normalise(&long).is_err(), "a label of more than 63 octets");
    }
}

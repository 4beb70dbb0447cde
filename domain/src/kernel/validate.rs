//! Validation of input. Collects all errors, so that a form shows them at once. Returned texts are in NFC, as they are stored.
use crate::kernel::{
    email,
    error::{Error, FieldError, Problem, Result},
    phone,
    text::{self, is_bidi_control, is_blank},
};
use chrono::NaiveDate;
use serde_json::Value;
use std::ops::RangeInclusive;

/// Longest name, identifier or other single line.
pub const LINE: usize = 200;
/// Characters that a password must have, unless the settings demand more.
pub const MIN_PASSWORD_LENGTH: usize = 8;
/// Longest phone number, with separators and extension.
pub const PHONE: usize = 40;
/// Longest note or reason.
pub const TEXT: usize = 10_000;

#[derive(Clone, Debug, Default)]
pub struct Validator {
    errors: Vec<FieldError>,
}

impl Validator {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn reject(&mut self, field: &str, problem: Problem) {
        self.errors.push(FieldError { field: field.to_owned(), problem });
    }

    /// A required line, normalised by [`text::line`]: 1 to `max` characters, no control characters.
    pub fn single_line(&mut self, field: &str, value: &str, max: usize) -> String {
        let value = text::line(value);
        if value.is_empty() {
            self.reject(field, Problem::new("required"));
        }
        self.plain(field, &value, max, false);
        value
    }

    /// An optional line; empty is stored as null.
    pub fn optional_line(&mut self, field: &str, value: Option<&str>, max: usize) -> Option<String> {
        let value = value.map(text::line).filter(|value| !value.is_empty())?;
        self.plain(field, &value, max, false);
        Some(value)
    }

    /// An optional phone number.
    pub fn phone(&mut self, field: &str, value: Option<&str>) -> Option<String> {
        let errors = self.errors.len();
        let value = self.optional_line(field, value, PHONE)?;
        match phone::read(&value) {
            Ok(number) => Some(number),
            Err(_) if self.errors.len() > errors => Some(value),
            Err(problem) => {
                self.reject(field, problem);
                Some(value)
            }
        }
    }

    /// An optional text of several lines.
    pub fn optional_text(&mut self, field: &str, value: Option<&str>) -> Option<String> {
        let value = value.filter(|value| !is_blank(value)).map(text::nfc)?;
        let value = value.trim_matches(|c: char| text::is_space(c) || c == '\u{feff}');
        self.plain(field, value, TEXT, true);
        Some(value.to_owned())
    }

    /// A required text of several lines.
    pub fn text(&mut self, field: &str, value: &str) -> String {
        self.optional_text(field, Some(value)).unwrap_or_else(|| {
            self.reject(field, Problem::new("required"));
            String::new()
        })
    }

    /// A required email address, normalised by [`email::normalise`].
    pub fn email(&mut self, field: &str, value: &str) -> String {
        let value = self.single_line(field, value, email::MAX_LENGTH);
        if value.is_empty() { value } else { self.email_form(field, value) }
    }

    /// An optional email address.
    pub fn optional_email(&mut self, field: &str, value: Option<&str>) -> Option<String> {
        let value = self.optional_line(field, value, email::MAX_LENGTH)?;
        Some(self.email_form(field, value))
    }

    /// An optional https URL (links to documents, decision 37).
    pub fn optional_https(&mut self, field: &str, value: Option<&str>) -> Option<String> {
        let value = self.optional_line(field, value, 2_000)?;
        let host = value.strip_prefix("https://").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or(""));
        if host.is_none_or(|host| {
            host.is_empty() || host.contains(['@', ' ', '\\']) || value.contains([' ', '"', '<', '>'])
        }) {
            self.reject(field, Problem::new("invalid_url"));
        }
        Some(value)
    }

    /// A number within limits.
    pub fn range<T>(&mut self, field: &str, value: T, limits: RangeInclusive<T>) -> Option<T>
    where
        T: Copy + PartialOrd + Into<Value>,
    {
        let problem = || Problem::new("out_of_range").with("min", *limits.start()).with("max", *limits.end());
        self.read(field, limits.contains(&value).then_some(value).ok_or_else(problem))
    }

    /// The result of a parser; records its error.
    pub fn read<T>(&mut self, field: &str, read: std::result::Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.reject(field, problem)).ok()
    }

    /// A required value, parsed by `read`.
    pub fn required<T>(
        &mut self,
        field: &str,
        value: Option<&str>,
        read: impl FnOnce(&str) -> std::result::Result<T, Problem>,
    ) -> Option<T> {
        match value.map(str::trim).filter(|v| !is_blank(v)) {
            Some(value) => self.read(field, read(value)),
            None => {
                self.reject(field, Problem::new("required"));
                None
            }
        }
    }

    /// An optional value, parsed by `read`; empty counts as missing.
    pub fn optional<T>(
        &mut self,
        field: &str,
        value: Option<&str>,
        read: impl FnOnce(&str) -> std::result::Result<T, Problem>,
    ) -> Option<T> {
        value.map(str::trim).filter(|v| !is_blank(v)).and_then(|value| self.read(field, read(value)))
    }

    /// Ends the validation.
    ///
    /// # Errors
    /// Invalid with every rejected field.
    pub fn finish(self) -> Result<()> {
        if self.errors.is_empty() { Ok(()) } else { Err(Error::Invalid(self.errors)) }
    }

    fn plain(&mut self, field: &str, value: &str, max: usize, lines: bool) {
        if value.chars().count() > max {
            self.reject(field, Problem::new("too_long").with("max", max));
        }
        let breaks = |c| matches!(c, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
        if value.chars().any(|c| ((c.is_control() || breaks(c)) && !(lines && breaks(c))) || is_bidi_control(c)) {
            self.reject(field, Problem::new("control_characters"));
        }
    }

    fn email_form(&mut self, field: &str, value: String) -> String {
        match email::normalise(&value) {
            Ok(address) => address,
            Err(problem) => {
                self.reject(field, problem);
                value
            }
        }
    }
}

/// A calendar date as `2026-11-21`.
///
/// # Errors
/// `invalid_date`, also for years outside 1900 to 2200.
pub fn date(text: &str) -> std::result::Result<NaiveDate, Problem> {
    use chrono::Datelike;
    text.parse::<NaiveDate>()
        .ok()
        .filter(|date| (1900..=2200).contains(&date.year()))
        .ok_or_else(|| Problem::new("invalid_date"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(check: Validator) -> Vec<(String, &'static str)> {
        match check.finish() {
            Err(Error::Invalid(fields)) => fields.into_iter().map(|f| (f.field, f.problem.code)).collect(),
            _ => vec![],
        }
    }

    #[test]
    fn all_errors_are_collected() {
        let mut check = Validator::new();
        check.single_line("first_name", "  ", LINE);
        check.single_line("last_name", "Ev\u{7}il", LINE);
        check.phone("phone", Some(&"1".repeat(41)));
        check.email("email", "not an address");
        assert_eq!(
            rejected(check).iter().map(|(f, c)| format!("{f} {c}")).collect::<Vec<_>>(),
            ["first_name required", "last_name control_characters", "phone too_long", "email invalid_email"]
        );
    }

    #[test]
    fn invisible_text_counts_as_empty() {
        for (name, codes) in [
            ("\u{200b}", vec!["required"]),
            (" \u{ad}\u{3164}\u{feff} ", vec!["required"]),
            ("Ada\u{2028}Lovelace", vec!["control_characters"]),
            ("\u{646}\u{200c}\u{627}", vec![]),
        ] {
            let mut check = Validator::new();
            check.single_line("name", name, LINE);
            assert_eq!(rejected(check).iter().map(|(_, code)| *code).collect::<Vec<_>>(), codes, "{name:?}");
        }
        let mut check = Validator::new();
        assert_eq!(check.phone("phone", Some("\u{200b}")), None);
        check.text("reason", "\u{200b}");
        assert_eq!(check.optional_text("note", Some("one\u{2028}two")).as_deref(), Some("one\u{2028}two"));
        assert_eq!(rejected(check), [("reason".to_owned(), "required")]);
    }

    #[test]
    fn texts_are_normalised_to_nfc_without_invisible_characters() {
        let mut check = Validator::new();
        assert_eq!(check.single_line("name", " Zo\u{200b}e\u{308}\u{feff} ", LINE), "Zoë");
        assert_eq!(check.optional_line("name", Some("Ma\u{200d}ya"), LINE).as_deref(), Some("Maya"));
        assert_eq!(check.text("note", "\u{feff}Re\u{301}sume\u{301}\n\nZoe\u{308} "), "Résumé\n\nZoë");
        assert_eq!(check.email("email", "a@mu\u{308}ller.example"), "a@müller.example");
        assert_eq!(check.optional_email("email", Some("a@xn--mller-kva.example")).as_deref(), Some("a@müller.example"));
        assert_eq!(check.phone("phone", Some("０３-1234-5678")).as_deref(), Some("03-1234-5678"));
        assert!(rejected(check).is_empty());
        let mut check = Validator::new();
        check.email("email", "josé@example.com");
        check.optional_email("other", Some("josé@example.com"));
        check.phone("phone", Some("abc"));
        assert_eq!(
            rejected(check).iter().map(|(f, c)| format!("{f} {c}")).collect::<Vec<_>>(),
            ["email email_local_part", "other email_local_part", "phone invalid_phone"]
        );
    }

    #[test]
    fn ranges_include_their_limits() {
        let mut check = Validator::new();
        assert_eq!(
            [9, 10, 120, 121].map(|value| check.range("minutes", value, 10..=120)),
            [None, Some(10), Some(120), None]
        );
        assert_eq!(rejected(check), vec![("minutes".to_owned(), "out_of_range"); 2]);
    }

    #[test]
    fn markup_is_plain_text() {
        let mut check = Validator::new();
        assert_eq!(check.single_line("name", " <b>O'Neil & Söhne</b> ", LINE), "<b>O'Neil & Söhne</b>");
        assert!(rejected(check).is_empty());
    }

    #[test]
    fn urls_are_https_with_a_host() {
        for (link, good) in [
            ("https://files.example.com/a.pdf", true),
            ("http://files.example.com/a.pdf", false),
            ("javascript:alert(1)", false),
            ("https://", false),
            ("https://user@evil.example", false),
        ] {
            let mut check = Validator::new();
            check.optional_https("document_url", Some(link));
            assert_eq!(rejected(check).is_empty(), good, "{link}");
        }
    }

    #[test]
    fn email_addresses_have_a_local_part_and_a_domain() {
        for (address, good) in [
            ("maya@example.com", true),
            ("maya+spv@mail.example.co", true),
            ("maya@localhost", false),
            ("maya", false),
            ("maya@@example.com", false),
            ("maya@[127.0.0.1]", false),
        ] {
            let mut check = Validator::new();
            check.email("email", address);
            assert_eq!(rejected(check).is_empty(), good, "{address}");
        }
    }
}

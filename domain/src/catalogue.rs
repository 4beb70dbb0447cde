//! The message catalogue, shared with the web app: every sentence by language, namespace and key.
//!
//! The files in `domain/messages` are the web app's format too (`{{name}}` marks a value, `_one` and `_other`
//! a plural), so that an error reads the same beside a form field, in a terminal and in a mail.
use crate::{
    error::{Error, FieldError, Problem},
    users::DateFormat,
};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use chrono_tz::Tz;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::LazyLock};

/// The languages people may choose; the first is the default.
pub const LANGUAGES: [&str; 3] = ["en-US", "en-GB", "es"];

static MESSAGES: LazyLock<HashMap<&str, Value>> = LazyLock::new(|| {
    let files = [
        ("en/errors", include_str!("../messages/en/errors.json")),
        ("en/events", include_str!("../messages/en/events.json")),
        ("en/mails", include_str!("../messages/en/mails.json")),
        ("en/names", include_str!("../messages/en/names.json")),
        ("es/errors", include_str!("../messages/es/errors.json")),
        ("es/events", include_str!("../messages/es/events.json")),
        ("es/mails", include_str!("../messages/es/mails.json")),
        ("es/names", include_str!("../messages/es/names.json")),
    ];
    files.into_iter().map(|(name, text)| (name, serde_json::from_str(text).expect("the catalogue is JSON"))).collect()
});

static WORDS: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment
});

/// The message `key` (dots go deeper) of a namespace, with its values filled in; none when there is none. Where the values
/// say in which `context`, its own message comes first, as in the web app's library.
pub fn find(language: &str, namespace: &str, key: &str, params: &Map<String, Value>) -> Option<String> {
    let short = if language.starts_with("es") { "es" } else { "en" };
    let file = MESSAGES.get(format!("{short}/{namespace}").as_str())?;
    let plural = match params.get("count").and_then(Value::as_i64) {
        Some(1) => format!("{key}_one"),
        Some(_) => format!("{key}_other"),
        None => String::new(),
    };
    let context = params.get("context").and_then(Value::as_str).map(|context| format!("{key}_{context}"));
    let message = context.and_then(|own| at(file, &own)).or_else(|| at(file, &plural)).or_else(|| at(file, key))?;
    if !message.contains("{{") {
        return Some(message.to_owned());
    }
    WORDS.render_str(message, minijinja::value::Serde(params)).ok()
}

/// As [`find`]; the key itself when it has no words yet.
pub fn text(language: &str, namespace: &str, key: &str, params: &Map<String, Value>) -> String {
    find(language, namespace, key, params).unwrap_or_else(|| key.to_owned())
}

/// The sentence for a whole error.
pub fn error(language: &str, error: &Error) -> String {
    let none = Map::new();
    match error {
        Error::NotFound(_) => text(language, "errors", "not_found", &none),
        Error::Invalid(fields) => match fields.as_slice() {
            [only] => {
                let name = field_name(language, &only.field);
                format!("{name}: {}", field(language, only))
            }
            _ => text(language, "errors", "invalid", &none),
        },
        Error::Conflict(problem) | Error::Forbidden(problem) | Error::Unauthenticated(problem) => {
            whole(language, problem)
        }
        Error::TooMany(seconds) => text(
            language,
            "errors",
            "too_many_requests",
            &Map::from_iter([("seconds".to_owned(), Value::from(*seconds))]),
        ),
        Error::Unavailable(_) => text(language, "errors", "unavailable", &none),
        Error::Internal(_) => text(language, "errors", "internal", &none),
    }
}

/// The sentence beside a refused field.
pub fn field(language: &str, error: &FieldError) -> String {
    text(language, "errors", &format!("fields.{}", error.problem.code), &error.problem.params)
}

/// A calendar date as somebody wants it written.
pub fn date(language: &str, format: DateFormat, date: NaiveDate) -> String {
    let key = match format {
        DateFormat::Mdy => return date.format("%m/%d/%Y").to_string(),
        DateFormat::Dmy => return date.format("%d/%m/%Y").to_string(),
        DateFormat::Ymd => return date.format("%Y-%m-%d").to_string(),
        DateFormat::Auto if language == "en-US" => "date_american",
        DateFormat::Auto => "date",
    };
    let month = text(language, "mails", &format!("month.{}", date.month()), &Map::new());
    let params = Map::from_iter([
        ("day".to_owned(), date.day().into()),
        ("month".to_owned(), month.into()),
        ("year".to_owned(), date.year().into()),
    ]);
    text(language, "mails", key, &params)
}

/// An instant in somebody's time zone, with the zone's short name: `November 21, 2026, 7:00 AM EST`. In UTC where the
/// zone is unknown.
pub fn instant(language: &str, format: DateFormat, zone: &str, at: DateTime<Utc>) -> String {
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    let there = at.with_timezone(&zone);
    let clock = if language == "en-US" { "%-I:%M %p %Z" } else { "%H:%M %Z" };
    let params = Map::from_iter([
        ("date".to_owned(), date(language, format, there.date_naive()).into()),
        ("time".to_owned(), there.format(clock).to_string().into()),
    ]);
    text(language, "mails", "until", &params)
}

/// A field as people call it.
pub fn field_name(language: &str, field: &str) -> String {
    find(language, "names", &format!("field.{field}"), &Map::new()).unwrap_or_else(|| field.replace('_', " "))
}

fn whole(language: &str, problem: &Problem) -> String {
    text(language, "errors", problem.code, &problem.params)
}

fn at<'a>(file: &'a Value, key: &str) -> Option<&'a str> {
    // A key with dots may stand as it is (`spv.created`) or go deeper (`fields.required`).
    if let Some(found) = file.get(key) {
        return found.as_str();
    }
    key.split('.').try_fold(file, |value, part| value.get(part))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_by_an_orders_status_says_what_is_possible_in_each() {
        for status in crate::spvs::Status::ALL {
            for language in ["en-US", "es"] {
                let any = Error::conflict("wrong_status");
                let own = error(language, &Error::wrong_status(status));
                assert_ne!(own, error(language, &any), "{status:?} in {language}");
            }
        }
    }

    #[test]
    fn dates_are_written_as_people_want_them() {
        let at = DateTime::from_timestamp(1_795_309_200, 0).expect("a time in range");
        let day = at.date_naive();
        for (language, format, written) in [
            ("en-US", DateFormat::Auto, "November 22, 2026"),
            ("en-GB", DateFormat::Auto, "22 November 2026"),
            ("es", DateFormat::Auto, "22 de noviembre de 2026"),
            ("es", DateFormat::Mdy, "11/22/2026"),
            ("en-US", DateFormat::Dmy, "22/11/2026"),
            ("en-US", DateFormat::Ymd, "2026-11-22"),
        ] {
            assert_eq!(date(language, format, day), written);
        }
        let eastern = instant("en-US", DateFormat::Auto, "America/New_York", at);
        assert_eq!(eastern, "November 21, 2026, 8:00 PM EST");
        assert_eq!(instant("es", DateFormat::Ymd, "Europe/Madrid", at), "2026-11-22, 02:00 CET");
        assert_eq!(instant("en-GB", DateFormat::Dmy, "nowhere", at), "22/11/2026, 01:00 UTC");
    }
}

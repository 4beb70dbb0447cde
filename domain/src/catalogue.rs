//! The message catalogue, shared with the web app: every sentence by language, namespace and key.
//!
//! The files in `domain/messages` are the web app's format too (`{{name}}` marks a value, `_one` and `_other`
//! a plural), so that an error reads the same beside a form field, in a terminal and in a mail.
use crate::error::{Error, FieldError, Problem};
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

/// The message `key` (dots go deeper) of a namespace, with its values filled in; none when there is none.
pub fn find(language: &str, namespace: &str, key: &str, params: &Map<String, Value>) -> Option<String> {
    let short = if language.starts_with("es") { "es" } else { "en" };
    let file = MESSAGES.get(format!("{short}/{namespace}").as_str())?;
    let plural = match params.get("count").and_then(Value::as_i64) {
        Some(1) => format!("{key}_one"),
        Some(_) => format!("{key}_other"),
        None => String::new(),
    };
    let message = at(file, &plural).or_else(|| at(file, key))?;
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
        Error::NotFound(noun) => {
            let name = text(language, "names", &format!("nouns.{noun}"), &none);
            text(language, "errors", "not_found", &Map::from_iter([("noun".to_owned(), Value::from(name))]))
        }
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

/// A field as people call it.
pub fn field_name(language: &str, field: &str) -> String {
    text(language, "names", &format!("fields.{field}"), &Map::new()).trim_start_matches("fields.").replace('_', " ")
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

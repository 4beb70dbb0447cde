//! Message catalog (i18n), shared with the web app: every sentence by language, namespace and key.
//!
//! The files in `domain/messages` have the format of the web app's library (`{{name}}` is a placeholder, `_one` and `_other`
//! are plural forms), so that an error has the same text in a form, a terminal and a mail.
use crate::kernel::{
    error::{Error, FieldError, Problem},
    locale::DateFormat,
};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use chrono_tz::Tz;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::LazyLock};

/// Supported languages; the first is the default.
pub const LANGUAGES: [&str; 3] = ["en-US", "en-GB", "es"];

static MESSAGES: LazyLock<HashMap<&str, Value>> = LazyLock::new(|| {
    let files = [
        ("en/checks", include_str!("../../messages/en/checks.json")),
        ("en/errors", include_str!("../../messages/en/errors.json")),
        ("en/events", include_str!("../../messages/en/events.json")),
        ("en/mails", include_str!("../../messages/en/mails.json")),
        ("en/names", include_str!("../../messages/en/names.json")),
        ("es/checks", include_str!("../../messages/es/checks.json")),
        ("es/errors", include_str!("../../messages/es/errors.json")),
        ("es/events", include_str!("../../messages/es/events.json")),
        ("es/mails", include_str!("../../messages/es/mails.json")),
        ("es/names", include_str!("../../messages/es/names.json")),
    ];
    files.into_iter().map(|(name, text)| (name, serde_json::from_str(text).expect("the catalogue is JSON"))).collect()
});

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment
});

/// The message `key` (dots separate levels) of a namespace with its placeholders filled in, if there is one. A `context`
/// parameter selects `key_context` first, as in the web app's library.
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
    TEMPLATES.render_str(message, minijinja::value::Serde(params)).ok()
}

/// [`find`], or the key if there is no message.
pub fn text(language: &str, namespace: &str, key: &str, params: &Map<String, Value>) -> String {
    find(language, namespace, key, params).unwrap_or_else(|| key.to_owned())
}

/// The message of an error.
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
            self::problem(language, problem)
        }
        Error::RateLimited(seconds) => text(
            language,
            "errors",
            "too_many_requests",
            &Map::from_iter([("seconds".to_owned(), Value::from(*seconds))]),
        ),
        Error::Unavailable(_) => text(language, "errors", "unavailable", &none),
        Error::Internal(_) => text(language, "errors", "internal", &none),
    }
}

/// The message of an invalid field.
pub fn field(language: &str, error: &FieldError) -> String {
    text(language, "errors", &format!("fields.{}", error.problem.code), &error.problem.params)
}

/// A calendar date in the reader's format.
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

/// An instant in the reader's time zone with its abbreviation: `November 21, 2026, 7:00 AM EST`. UTC for an unknown zone.
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

/// The display name of an actor by kind and name, as the activity log stores them: users by name, others by a message.
pub fn actor(language: &str, kind: &str, name: &str) -> String {
    let named = Map::from_iter([("name".to_owned(), name.into())]);
    let word = match kind {
        // `operator` is the name where the shell names no user.
        "operator" if !name.is_empty() && name != kind => find(language, "names", "actor.operator_named", &named),
        _ => find(language, "names", &format!("actor.{kind}"), &named),
    };
    word.unwrap_or_else(|| name.to_owned())
}

/// [`actor`] of a stored [`crate::Actor::code`].
pub fn actor_of_code(language: &str, code: &str) -> String {
    match code.strip_prefix(crate::kernel::access::ACTOR_PREFIX) {
        Some(kind) => actor(language, kind, ""),
        None => code.to_owned(),
    }
}

/// The display name of a program or operator by its stored [`crate::Actor::code`].
pub fn administrator(language: &str, code: &str) -> String {
    match code.strip_prefix(crate::kernel::access::ACTOR_PREFIX) {
        Some(kind) => actor(language, kind, ""),
        None => actor(language, "operator", code),
    }
}

/// The display name of a field.
pub fn field_name(language: &str, field: &str) -> String {
    find(language, "names", &format!("field.{field}"), &Map::new()).unwrap_or_else(|| field.replace('_', " "))
}

fn problem(language: &str, problem: &Problem) -> String {
    let by = problem.params.get("changed_by").and_then(Value::as_str).map(|by| actor_of_code(language, by));
    let mut params = problem.params.clone();
    params.extend(by.map(|by| ("changed_by".to_owned(), by.into())));
    text(language, "errors", problem.code, &params)
}

fn at<'a>(file: &'a Value, key: &str) -> Option<&'a str> {
    // A key with dots may be a key as it is (`spv.created`) or a path (`fields.required`).
    if let Some(found) = file.get(key) {
        return found.as_str();
    }
    key.split('.').try_fold(file, |value, part| value.get(part))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    /// Codes that never reach a user: `api/src/routes/auth/error.rs` has messages of its own for them.
    const WITHOUT_MESSAGE: [&str; 5] = [
        "bad_code_verifier",
        "flow_state_expired",
        "flow_state_not_found",
        "mfa_challenge_not_found",
        "refresh_session_expired",
    ];

    /// The Rust files below `folder`, each as one line, without tests and comments.
    fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("the sources are here") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                found.extend(sources(&path));
            } else if path.extension().is_some_and(|kind| kind == "rs")
                && !["tests.rs", "testing.rs"].iter().any(|name| path.ends_with(name))
            {
                let text = fs::read_to_string(&path).expect("a text");
                let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
                // Without escaped quotation marks, as literals are found by counting quotation marks.
                found.push((path, lines.collect::<String>().replace("\\\"", "").replace("'\"'", "")));
            }
        }
        found
    }

    #[test]
    fn actors_without_a_name_have_one_in_each_language() {
        use crate::Actor;
        for (actor, en, es) in [
            (Actor::Anonymous, "Visitor", "Visitante"),
            (Actor::System("worker"), "The system", "El sistema"),
            (Actor::Service, "Service", "Servicio"),
            (Actor::Operator("root".to_owned()), "Operator root", "Operador root"),
            (Actor::Operator("operator".to_owned()), "Operator", "Operador"),
            (Actor::Operator(String::new()), "Operator", "Operador"),
        ] {
            let worded = |language| super::actor(language, actor.kind(), &actor.name());
            assert_eq!((worded("en-GB").as_str(), worded("es").as_str()), (en, es));
        }
        assert_eq!(super::actor("es", "client", "Maya Test"), "Maya Test");
        assert_eq!(actor_of_code("es", &Actor::Anonymous.code()), "Visitante");
        assert_eq!(actor_of_code("es", &Actor::System("worker").code()), "El sistema");
        assert_eq!(actor_of_code("es", &Actor::Operator("root".to_owned()).code()), "root");
    }

    /// For each call of `name`, the statement before it and its arguments.
    fn calls<'t>(text: &'t str, name: &str) -> Vec<(&'t str, &'t str)> {
        let mut found = Vec::new();
        for (begin, _) in text.match_indices(&format!("{name}(")) {
            let (before, given) = (&text[..begin], &text[begin + name.len() + 1..]);
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let (mut open, mut quoted) = (1, false);
            let end = given.find(|c| {
                quoted ^= c == '"';
                open += i32::from(c == '(' && !quoted) - i32::from(c == ')' && !quoted);
                open == 0
            });
            let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
            found.push((statement, &given[..end.unwrap_or(given.len())]));
        }
        found
    }

    /// String literals that may be a message key.
    fn keys(text: &str) -> impl Iterator<Item = &str> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '_';
        let may_be = move |word: &&str| !word.is_empty() && word.chars().all(fits);
        text.split('"').skip(1).step_by(2).filter(may_be)
    }

    /// The last argument of a call, if it is a literal.
    fn last_key(given: &str) -> Option<&str> {
        given.trim_end_matches(',').ends_with('"').then(|| keys(given).last())?
    }

    /// The messages that a source uses: a namespace and alternative keys, one of them must exist.
    fn used_messages(text: &str) -> Vec<(&str, Vec<String>)> {
        let (whole, field) = (|key: &str| key.to_owned(), |key: &str| format!("fields.{key}"));
        let mut found = Vec::new();
        for name in ["conflict", "forbidden", "unauthenticated", "redirect_with_error"] {
            let said = calls(text, name).into_iter().flat_map(|(_, given)| keys(given));
            found.extend(said.map(|key| ("errors", vec![whole(key)])));
        }
        for name in ["AuthError::new", "AuthError::with_message_key", "Self::with_message_key"] {
            let said = calls(text, name).into_iter().filter_map(|(_, given)| last_key(given));
            found.extend(said.map(|key| ("errors", vec![whole(key)])));
        }
        let refused = calls(text, "Error::field").into_iter().filter_map(|(_, given)| last_key(given));
        found.extend(refused.map(|key| ("errors", vec![field(key)])));
        for (statement, given) in calls(text, "Problem::new") {
            let is_in = |names: &[&str]| names.iter().any(|name| statement.contains(name));
            let of_field = is_in(&["reject(", "field_with("]);
            let of_all = is_in(&["Conflict(", "Forbidden(", "Unauthenticated(", "Http(", "worded: "]);
            found.extend(keys(given).map(|key| match (of_field, of_all) {
                (true, _) => ("errors", vec![field(key)]),
                (false, true) => ("errors", vec![whole(key)]),
                (false, false) => ("errors", vec![field(key), whole(key)]),
            }));
        }
        for name in ["text", "find"] {
            for (_, given) in calls(text, name) {
                let mut given = given.split(", ").skip(1).map(|part| keys(part).next());
                if let (Some(Some(namespace @ ("errors" | "events" | "mails" | "names"))), Some(Some(key))) =
                    (given.next(), given.next())
                {
                    found.push((namespace, vec![whole(key)]));
                }
            }
        }
        for name in ["word", "words"] {
            let said = calls(text, name).into_iter().flat_map(|(_, given)| keys(given)).filter(|key| key.contains('.'));
            found.extend(said.map(|key| ("names", vec![whole(key)])));
        }
        found
    }

    /// String literals that look like events, without names of jobs and spans.
    fn events(text: &str) -> Vec<&str> {
        let all = MESSAGES["en/events"].as_object().expect("an object");
        let like_known = |key: &str| {
            let Some((noun, verb)) = key.split_once('.') else { return false };
            let of_noun = |other: &String| other.split_once('.').is_some_and(|(of, _)| of == noun);
            !verb.is_empty() && !verb.contains('.') && all.keys().any(of_noun)
        };
        let is_job = |key: &str| text.contains(&format!("NAME: &'static str = \"{key}\""));
        let is_span = |key: &str| text.contains(&format!("name = \"{key}\""));
        keys(text).filter(|key| like_known(key) && !is_job(key) && !is_span(key)).collect()
    }

    #[test]
    fn every_used_message_exists_in_both_languages() {
        let has_words = |short: &str, namespace: &str, key: &str| {
            let file = &MESSAGES[format!("{short}/{namespace}").as_str()];
            at(file, key).or_else(|| at(file, &format!("{key}_other"))).is_some()
        };
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
        let (mut looked_at, mut without) = (0, Vec::new());
        for part in ["domain", "api", "jobs", "cli"] {
            for (path, text) in sources(&workspace.join(part).join("src")) {
                let mut told = used_messages(&text);
                if part == "domain" {
                    let events = events(&text).into_iter().filter(|key| !has_words("en", "names", key));
                    told.extend(events.map(|key| ("events", vec![key.to_owned()])));
                }
                told.retain(|(_, keys)| !WITHOUT_MESSAGE.contains(&keys[0].as_str()));
                looked_at += told.len();
                for (namespace, keys) in told {
                    for short in ["en", "es"] {
                        if !keys.iter().any(|key| has_words(short, namespace, key)) {
                            without.push(format!("{short}/{namespace} {keys:?} of {}", path.display()));
                        }
                    }
                }
            }
        }
        assert!(without.is_empty(), "no words for\n{}", without.join("\n"));
        assert!(
            looked_at > 600,
            "only {looked_at} keys were found: did the functions that take them change their names?"
        );
    }

    #[test]
    fn wrong_status_has_a_message_for_each_order_status() {
        for status in crate::kernel::order::OrderStatus::ALL {
            for language in ["en-US", "es"] {
                let any = Error::conflict("wrong_status");
                let own = error(language, &Error::wrong_status(status));
                assert_ne!(own, error(language, &any), "{status:?} in {language}");
            }
        }
    }

    #[test]
    fn dates_follow_the_readers_format_and_time_zone() {
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

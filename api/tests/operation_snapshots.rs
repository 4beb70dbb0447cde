//! Snapshots of responses: one reviewed file per operation in `snapshots/operations`, with what each role sees.
//!
//! A file has the response of the role that sees most, and how the others' differ. Lists are cut to one row. Ids, times
//! and random values are replaced, so that a file is the same on each database and on each day.
use axum::{
    body::{self, Body},
    http::{HeaderMap, header},
    response::Response,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    panic::{self, AssertUnwindSafe},
    path::Path,
};

const FOLDER: &str = "snapshots/operations";
/// Replaced values: `x` is a hexadecimal digit, `9` a digit, any other character itself. The longest come first.
const PATTERNS: [(&str, &str); 7] = [
    ("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "<id>"),
    ("99999999-999999-xxxx", "<backup>"),
    ("9999-99-99T99:99:99", "<time>"),
    ("99999999T999999", "<time>"),
    ("9999-99-99", "<date>"),
    // Order numbers, the first part of an id.
    ("xxxxxxxx", "<hex>"),
    ("9999-99", "<month>"),
];
/// A word of this length with digits or mixed case is random: a token, cursor, hash, name of a key, or identifier of an
/// order.
const RANDOM_LENGTH: usize = 16;
/// Headers that clients read.
const HEADERS: [&str; 6] = ["content-disposition", "etag", "location", "retry-after", "upload-length", "upload-offset"];

/// A response without what changes from run to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    headers: Vec<String>,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Json(Value),
    Error {
        code: String,
        message: String,
    },
    Text(String),
    /// Of this media type.
    Binary(String),
    None,
}

impl Answer {
    /// Reads a response. The content of an event stream, which has no end, is left out.
    pub async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let text = |headers: &HeaderMap, name: &str| {
            headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let media_type = text(&parts.headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();
        let kind = media_type.split(';').next().unwrap_or_default();
        let content = match kind {
            "text/event-stream" => Content::Binary(media_type),
            _ => {
                let bytes = body::to_bytes(body, usize::MAX).await.expect("a body");
                match kind {
                    _ if bytes.is_empty() => Content::None,
                    "application/json" => {
                        let value = redact(&serde_json::from_slice(&bytes).expect("is JSON"), "");
                        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
                        match parts.status.is_success() {
                            true => Content::Json(value),
                            false => Content::Error { code: text("code"), message: text("message") },
                        }
                    }
                    "text/csv" => Content::Text(first_rows(&String::from_utf8_lossy(&bytes))),
                    _ if kind.starts_with("text/") => Content::Text(redact_text(&String::from_utf8_lossy(&bytes))),
                    _ => Content::Binary(media_type),
                }
            }
        };
        let headers = HEADERS.into_iter().filter_map(|name| {
            let value = text(&parts.headers, name)?;
            Some(format!("{name}: {}", redact_text(&value)))
        });
        Self { status: parts.status.as_u16(), headers: headers.collect(), content }
    }

    /// Status and headers, with code and text of an error.
    fn head(&self) -> String {
        let mut head = self.status.to_string();
        if let Content::Error { code, message } = &self.content {
            write!(head, " {code}: {message}").expect("writes");
        }
        for header in &self.headers {
            write!(head, "\n{header}").expect("writes");
        }
        head
    }

    /// The content of a success.
    fn text(&self) -> String {
        match &self.content {
            Content::Json(value) => format!("{value:#}\n"),
            Content::Text(text) => format!("{}\n", text.trim_end()),
            Content::Binary(kind) => format!("({kind})\n"),
            Content::Error { .. } | Content::None => String::new(),
        }
    }
}

/// The file of an operation: roles with equal responses together, the last of `answers` first.
pub fn render(request: &str, answers: &[(&str, Answer)]) -> String {
    let mut groups: Vec<(Vec<&str>, &Answer)> = Vec::new();
    for (role, answer) in answers.iter().rev() {
        match groups.iter_mut().find(|(_, other)| *other == answer) {
            Some((roles, _)) => roles.push(role),
            None => groups.push((vec![role], answer)),
        }
    }
    groups.sort_by_key(|(_, answer)| answer.status);
    let most = groups.first().map(|(_, answer)| *answer);
    let mut file = format!("{request}\n");
    for (roles, answer) in groups {
        write!(file, "\n{}: {}\n", roles.join(", "), answer.head()).expect("writes");
        let text = answer.text();
        file += &match (most.map(|most| &most.content), &answer.content) {
            (Some(Content::Json(most)), Content::Json(value)) if most != value => {
                let mut differences = String::from("differs in\n");
                differ(most, value, "", &mut differences);
                if differences.len() < text.len() { differences } else { text }
            }
            _ => text,
        };
    }
    file
}

/// Writes a line per value of `value` that is not as in `most`.
fn differ(most: &Value, value: &Value, path: &str, lines: &mut String) {
    match (most, value) {
        (Value::Object(most), Value::Object(value)) => {
            let names: BTreeSet<&String> = most.keys().chain(value.keys()).collect();
            for name in names {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match (most.get(name), value.get(name)) {
                    (_, None) => writeln!(lines, "  {path}: absent").expect("writes"),
                    (None, Some(value)) => writeln!(lines, "  {path}: {value}").expect("writes"),
                    (Some(most), Some(value)) => differ(most, value, &path, lines),
                }
            }
        }
        (Value::Array(most), Value::Array(value)) if matches!((&most[..], &value[..]), ([Value::Object(_)], [_])) => {
            differ(&most[0], &value[0], &format!("{path}[]"), lines);
        }
        _ if most == value => {}
        _ => writeln!(lines, "  {path}: {value}").expect("writes"),
    }
}

/// Compares each file with its rendered snapshot, then the folder with the operations.
pub fn assert_all(files: &BTreeMap<String, String>) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(FOLDER);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let changed = settings.bind(|| {
        let changed = files.iter().filter(|(operation, file)| {
            panic::catch_unwind(AssertUnwindSafe(|| insta::assert_snapshot!(operation.as_str(), file))).is_err()
        });
        changed.map(|(operation, _)| operation.as_str()).collect::<Vec<_>>()
    });
    assert!(changed.is_empty(), "responses changed, see CONTRIBUTING.md: {}", changed.join(", "));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(FOLDER);
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    let known: BTreeSet<String> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "snap"))
        .filter_map(|path| path.file_stem()?.to_str().map(str::to_owned))
        .collect();
    let removed: Vec<&String> = known.iter().filter(|operation| !files.contains_key(*operation)).collect();
    assert!(removed.is_empty(), "delete the snapshots of operations that are gone: {removed:?}");
}

/// A value with one row per list and without what changes from run to run.
fn redact(value: &Value, name: &str) -> Value {
    match value {
        Value::String(text) => redact_text(text).into(),
        Value::Number(_) if is_measured(name) => "<number>".into(),
        Value::Array(items) => {
            let rows = items.iter().map(|item| redact(item, name));
            if items.iter().all(|item| item.is_object() || item.is_array()) {
                // Rows of one time are in the order of their random ids.
                return rows.min_by_key(Value::to_string).into_iter().collect();
            }
            let mut seen = BTreeSet::new();
            rows.filter(|row| seen.insert(row.to_string())).collect()
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (redact_text(name), redact(value, name))).collect()
        }
        other => other.clone(),
    }
}

/// Numbers that are measured or counted over everything that the test has done.
fn is_measured(name: &str) -> bool {
    name == "seq" || name.ends_with("_ms") || name.ends_with("_bytes")
}

/// Header and one row of a CSV file.
fn first_rows(csv: &str) -> String {
    let csv = redact_text(csv);
    let mut lines = csv.lines();
    let head = lines.next().unwrap_or_default();
    let row = lines.map(|line| match line.split_once(',') {
        Some((_, rest)) if head.trim_start_matches('\u{feff}').starts_with("seq,") => format!("<number>,{rest}"),
        _ => line.to_owned(),
    });
    format!("{head}\n{}", row.min().unwrap_or_default())
}

/// The text with its ids, times and random words replaced.
fn redact_text(text: &str) -> String {
    let (mut redacted, mut rest, mut inside_word) = (String::new(), text, false);
    while let Some(c) = rest.chars().next() {
        if !inside_word && let Some((length, replaced)) = replaced(rest) {
            redacted.push_str(replaced);
            rest = &rest[length..];
            continue;
        }
        redacted.push(c);
        inside_word = c.is_alphanumeric();
        rest = &rest[c.len_utf8()..];
    }
    redacted
}

/// Length and replacement of a value at the start of a text.
fn replaced(text: &str) -> Option<(usize, &'static str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    let word = &text[..end];
    let parts = word.match_indices('-').map(|(at, _)| at + 1);
    let is_random = word.len() >= RANDOM_LENGTH
        && word.contains(|c: char| c.is_ascii_alphabetic())
        && (word.contains(|c: char| c.is_ascii_digit())
            || (word.contains(|c: char| c.is_ascii_lowercase()) && word.contains(|c: char| c.is_ascii_uppercase())))
        && std::iter::once(0).chain(parts).all(|at| pattern_at(&text[at..]).is_none());
    if is_random { Some((end, "<random>")) } else { pattern_at(text) }
}

fn pattern_at(text: &str) -> Option<(usize, &'static str)> {
    PATTERNS.into_iter().find_map(|(pattern, replacement)| {
        let found = text.get(..pattern.len())?;
        let matches = found.bytes().zip(pattern.bytes()).all(|(found, expected)| match expected {
            b'x' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
            b'9' => found.is_ascii_digit(),
            _ => found == expected,
        });
        let after = &text[pattern.len()..];
        // Fraction and zone of a time.
        let zone = match replacement {
            "<time>" => after.find(|c: char| !(c.is_ascii_digit() || ".:+Z".contains(c))).unwrap_or(after.len()),
            _ => 0,
        };
        let ends = !after[zone..].starts_with(|c: char| c.is_ascii_alphanumeric());
        (matches && ends).then_some((pattern.len() + zone, replacement))
    })
}

#[test]
fn random_values_are_replaced_and_lists_are_cut() {
    let value = serde_json::json!({
        "id": "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b",
        "at": "2026-11-21T12:00:00Z", "exactly": "2026-11-21T12:00:00.123456+00:00",
        "note": "Due 2026-12-01 of 2026-11, order SPV-6f0d2f4e, file 6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b.pdf",
        "file": "commissions-2026-11-21.csv", "action": "document_requests",
        "cursor": "WyIyMDI2LTExLTIxVDEyOjAwOjAwWiJd",
        "phone": "+1 555 0100", "version": 3, "seq": 12,
        "can": ["edit", "start"],
        "items": [{ "name": "B" }, { "name": "A" }],
    });
    let expected = serde_json::json!({
        "id": "<id>",
        "at": "<time>", "exactly": "<time>",
        "note": "Due <date> of <month>, order SPV-<hex>, file <id>.pdf",
        "file": "commissions-<date>.csv", "action": "document_requests",
        "cursor": "<random>",
        "phone": "+1 555 0100", "version": 3, "seq": "<number>",
        "can": ["edit", "start"],
        "items": [{ "name": "A" }],
    });
    assert_eq!(redact(&value, ""), expected);
}

#[test]
fn roles_are_grouped_and_compared_with_the_one_that_sees_most() {
    let answer = |value: Value| Answer { status: 200, headers: Vec::new(), content: Content::Json(value) };
    let error = Content::Error { code: "not_found".to_owned(), message: "No such order.".to_owned() };
    let refused = Answer { status: 404, headers: Vec::new(), content: error };
    let client = answer(serde_json::json!({ "name": "Blue", "items": [{ "price": null }] }));
    let staff = answer(serde_json::json!({ "name": "Blue", "items": [{ "price": 1, "note": "x" }] }));
    let answers = [("client", client), ("iso", refused), ("employee", staff.clone()), ("admin", staff)];
    let expected = "GET /spvs\n\nadmin, employee: 200\n{\n  \"items\": [\n    {\n      \"note\": \"x\",\n      \"price\": 1\n    }\n  \
                    ],\n  \"name\": \"Blue\"\n}\n\nclient: 200\ndiffers in\n  items[].note: absent\n  items[].price: null\n\n\
                    iso: 404 not_found: No such order.\n";
    assert_eq!(render("GET /spvs", &answers), expected);
}

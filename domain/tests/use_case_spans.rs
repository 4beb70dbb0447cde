//! Tracing spans of use cases. A use case is a free `pub async fn` of a noun (every folder but `kernel`, every file but
//! `store.rs`) whose first parameter is `ctx: &Ctx`.
use crate::layers;
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_use_case_has_its_span() {
    let src = layers::root().join("src");
    let (mut names, mut faults) = (BTreeSet::new(), Vec::new());
    for path in layers::files(&src) {
        let inside = path.strip_prefix(&src).unwrap().with_extension("");
        let mut parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into()).collect();
        parts.pop_if(|name| name == "mod");
        if parts.len() < 2 || parts[0] == "kernel" || parts.iter().any(|part| part == "store") {
            continue;
        }
        let module = public_path(&src, &parts);
        for use_case in use_cases(&fs::read_to_string(&path).unwrap()) {
            let name = format!("{module}.{}", use_case.function);
            let expected = use_case.expected_span(&name);
            if use_case.attributes.iter().all(|found| *found != expected) {
                faults.push(format!("{}: {} needs {expected}", inside.display(), use_case.function));
            }
            assert!(names.insert(name.clone()), "two use cases are called {name}");
        }
    }
    assert!(names.len() > 300, "only {} use cases were found", names.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[derive(Debug, PartialEq)]
struct UseCase {
    function: String,
    /// Pairs of name and type, without the context.
    parameters: Vec<(String, String)>,
    /// Each on one line.
    attributes: Vec<String>,
}

impl UseCase {
    /// The attribute: `<noun>.<verb>`, and each id that the use case is called with, under the name of its type. Other
    /// parameters may hold personal data.
    fn expected_span(&self, name: &str) -> String {
        let ids = self.parameters.iter().filter_map(|(parameter, kind)| {
            let noun = kind.strip_suffix("Id").filter(|noun| noun.chars().all(char::is_alphanumeric))?;
            let field = match noun {
                // `request_id` is the HTTP request.
                "Request" => "desk_request_id".to_owned(),
                _ => snake_case(noun) + "_id",
            };
            Some(if field == *parameter { format!("%{field}") } else { format!("{field} = %{parameter}") })
        });
        let ids: Vec<String> = ids.collect();
        let fields = if ids.is_empty() { String::new() } else { format!(", fields({})", ids.join(", ")) };
        format!("#[tracing::instrument(level = \"debug\", name = \"{name}\", skip_all{fields})]")
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// The use cases of a file.
fn use_cases(code: &str) -> Vec<UseCase> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("\npub async fn ") {
        let before = &rest[..at];
        rest = &rest[at + "\npub async fn ".len()..];
        let Some(end) = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')) else { break };
        let (function, signature) = rest.split_at(end);
        let mut parameters = parameters(signature).into_iter();
        if parameters.next() == Some(("ctx".to_owned(), "&Ctx".to_owned())) {
            found.push(UseCase {
                function: function.to_owned(),
                parameters: parameters.collect(),
                attributes: attributes(before),
            });
        }
    }
    found
}

/// The attributes at the end of a text, without line breaks.
fn attributes(before: &str) -> Vec<String> {
    let lines: Vec<&str> = before.lines().collect();
    let start = lines.iter().rposition(|line| line.starts_with("///") || line.is_empty() || *line == "}");
    let mut found: Vec<String> = Vec::new();
    for line in &lines[start.map_or(0, |at| at + 1)..] {
        match found.last_mut() {
            Some(open) if !line.starts_with("#[") => {
                if open.ends_with(',') {
                    open.push(' ');
                }
                open.push_str(line.trim());
            }
            _ => found.push((*line).to_owned()),
        }
    }
    found
}

/// Name and type of each parameter of a signature, which begins after the function's name.
fn parameters(signature: &str) -> Vec<(String, String)> {
    let (mut depth, mut list, mut part, mut previous) = (0_i32, Vec::new(), String::new(), ' ');
    let mut inside = false;
    for c in signature.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if previous != '-' => depth -= 1,
            _ => {}
        }
        let opens = c == '(' && depth == 1 && !inside;
        let closes = inside && depth == 0;
        if closes || (inside && depth == 1 && c == ',') {
            list.push(std::mem::take(&mut part));
        } else if inside && !opens {
            part.push(c);
        }
        if closes {
            break;
        }
        inside |= opens;
        previous = c;
    }
    let pairs = list.iter().filter_map(|part| part.split_once(':'));
    pairs.map(|(name, kind)| (name.trim().to_owned(), kind.trim().to_owned())).collect()
}

/// The path by which callers name a module, below its layer: the names of private modules are left out.
fn public_path(src: &Path, names: &[String]) -> String {
    let mut path = vec![names[1].clone()];
    for at in 2..names.len() {
        let parent = src.join(names[..at].join("/"));
        let parent = [parent.join("mod.rs"), parent.with_extension("rs")].into_iter().find(|path| path.exists());
        let code = fs::read_to_string(parent.unwrap()).unwrap();
        if !code.lines().any(|line| line == format!("pub mod {};", names[at])) {
            break;
        }
        path.push(names[at].clone());
    }
    path.join(".")
}

#[test]
fn use_cases_are_read_with_attributes_and_ids() {
    let code = "\n/// Starts.\n#[must_use]\n#[tracing::instrument(\n    level = \"debug\",\n    skip_all\n)]\n\
                pub async fn start<S: Fn(u8) -> u8>(ctx: &Ctx, id: SpvId, pair: (IsoId, &str), seen: Option<i64>) -> X {\n}\n\
                pub async fn within(tx: &mut Tx, ctx: &Ctx) {\n}\npub(crate) async fn hidden(ctx: &Ctx) {\n}\n";
    let pair = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
    let start = UseCase {
        function: "start".to_owned(),
        parameters: vec![pair("id", "SpvId"), pair("pair", "(IsoId, &str)"), pair("seen", "Option<i64>")],
        attributes: vec!["#[must_use]".to_owned(), "#[tracing::instrument(level = \"debug\", skip_all)]".to_owned()],
    };
    assert_eq!(use_cases(code), [start]);
    let named = UseCase { function: "approve".to_owned(), parameters: Vec::new(), attributes: Vec::new() };
    let named = UseCase { parameters: vec![pair("id", "DocumentRequestId"), pair("step_id", "StepId")], ..named };
    let expected = "#[tracing::instrument(level = \"debug\", name = \"document_requests.approve\", skip_all, \
                    fields(document_request_id = %id, %step_id))]";
    assert_eq!(named.expected_span("document_requests.approve"), expected);
}

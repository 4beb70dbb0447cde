//! The layers of `domain/src`: imports go to lower folders or stay in their own, and circles among modules stay small.
//!
//! The order of the folders is the fenced list in `domain/README.md`. A module is `folder/name`; code under `#[cfg(test)]`
//! does not count.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Modules that may import each other in a circle.
const MAX_CIRCLE: usize = 4;

/// `folder/name`.
type Module = (String, String);

/// An import of another module, with its path as written.
struct Import {
    from: Module,
    to: Module,
    file: String,
    path: String,
}

#[test]
fn imports_go_to_lower_folders() {
    let order = folders();
    let rank = |folder: &String| order.iter().position(|name| name == folder);
    let upward: Vec<String> = imports(&order)
        .into_iter()
        .filter(|import| rank(&import.to.0) > rank(&import.from.0))
        .map(|import| format!("{} imports {}", import.file, import.path))
        .collect();
    assert!(upward.is_empty(), "imports of a higher folder:\n{}", upward.join("\n"));
}

#[test]
fn circles_of_modules_are_small() {
    let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for import in imports(&folders()) {
        graph.entry(import.from).or_default().insert(import.to);
    }
    let large: Vec<String> = circles(&graph)
        .into_iter()
        .filter(|circle| circle.len() > MAX_CIRCLE)
        .map(|circle| circle.iter().map(|(folder, name)| format!("{folder}/{name}")).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(large.is_empty(), "circles of more than {MAX_CIRCLE} modules:\n{}", large.join("\n"));
}

/// The folders match the list of the README.
#[test]
fn readme_lists_every_folder() {
    let listed: BTreeSet<String> = folders().into_iter().collect();
    let entries = fs::read_dir(root().join("src")).expect("the sources are here");
    let found = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    // `testing` is no part of the portal and stands above all layers.
    let found: BTreeSet<String> = found.map(|path| stem(&path)).filter(|name| name != "testing").collect();
    assert_eq!(listed, found);
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
}

/// The folders, lowest first: the first word of each line of the list that is not indented.
fn folders() -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    let list = readme.split("```").nth(1).expect("a fenced list");
    let entries = list.lines().skip(1).filter(|line| !line.starts_with(char::is_whitespace));
    entries.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Every import of one module by another.
fn imports(folders: &[String]) -> Vec<Import> {
    let src = root().join("src");
    let mut found = Vec::new();
    for folder in folders {
        for path in files(&src.join(folder)) {
            let inside = path.strip_prefix(&src).expect("a source");
            let mut module: Vec<String> =
                inside.with_extension("").iter().map(|part| part.to_string_lossy().into()).collect();
            if module.last().is_some_and(|name| name == "mod") {
                module.pop();
            }
            let [folder, name, ..] = module.as_slice() else { continue };
            let from = (folder.clone(), name.clone());
            let code = without_tests(&without_comments(&fs::read_to_string(&path).expect("a text")));
            for path in paths(&code, &module) {
                let mut parts = path.split("::").map(str::to_owned);
                if let (Some(folder), Some(name)) = (parts.next(), parts.next())
                    && folders.contains(&folder)
                    && (&folder, &name) != (&from.0, &from.1)
                {
                    let file = inside.display().to_string();
                    found.push(Import { from: from.clone(), to: (folder, name), file, path });
                }
            }
        }
    }
    assert!(found.len() > 500, "only {} imports were found", found.len());
    found
}

/// The Rust files below a folder, without those that are compiled for tests only.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let mut found: Vec<PathBuf> = folders.iter().flat_map(|folder| self::files(folder)).chain(files).collect();
    let tests: BTreeSet<PathBuf> = found
        .iter()
        .flat_map(|path| {
            let code = without_comments(&fs::read_to_string(path).expect("a text"));
            let inside = match stem(path).as_str() {
                "mod" => path.with_file_name(""),
                _ => path.with_extension(""),
            };
            let names = code.split("#[cfg(test)]").skip(1).filter_map(|rest| {
                let name = rest.trim_start().strip_prefix("mod ")?.split(';').next()?.trim();
                name.chars().all(|c| c.is_alphanumeric() || c == '_').then(|| name.to_owned())
            });
            names.map(|name| inside.join(name).with_extension("rs")).collect::<Vec<_>>()
        })
        .collect();
    found.retain(|path| !tests.contains(path));
    found
}

/// The code without comments and string contents.
fn without_comments(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            raw.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if c == '"' {
            text_length(rest)
        } else if c == '\'' && rest.chars().nth(2) == Some('\'') {
            2 + rest.chars().nth(1).map_or(0, char::len_utf8)
        } else if let Some(escaped) = rest.strip_prefix("'\\") {
            let mut chars = escaped.char_indices().skip(1);
            chars.find(|(_, c)| *c == '\'').map_or(rest.len(), |(end, _)| end + 3)
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    code
}

/// Length of a string literal.
fn text_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The code without the items under `#[cfg(test)]`.
fn without_tests(code: &str) -> String {
    let mut parts = code.split("#[cfg(test)]");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut depth = 0;
        let end = part.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0 && (*c == '}' || *c == ';')
        });
        kept.push_str(end.map_or("", |(at, _)| &part[at + 1..]));
    }
    kept
}

/// Every path of the code that begins with `crate` or `super`, from the root of the crate on; trees are expanded.
fn paths(code: &str, module: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut rest = &code[at..];
            let mut base: Vec<&str> = Vec::new();
            if let Some(inner) = rest.strip_prefix("crate::") {
                rest = inner;
            } else {
                base = module.iter().map(String::as_str).collect();
                while let Some(inner) = rest.strip_prefix("super::") {
                    base.pop();
                    rest = inner;
                }
            }
            for path in tree(rest).0 {
                found.push(base.iter().copied().chain([path.as_str()]).collect::<Vec<_>>().join("::"));
            }
        }
    }
    found
}

/// Paths of a use tree or single path, and its length in bytes.
fn tree(text: &str) -> (Vec<String>, usize) {
    let mut paths = Vec::new();
    if !text.starts_with('{') {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
        let path = &text[..end];
        if !text[end..].starts_with('{') {
            return (vec![path.trim_end_matches(':').to_owned()], end);
        }
        let (inner, length) = tree(&text[end..]);
        return (inner.into_iter().map(|rest| format!("{path}{rest}")).collect(), end + length);
    }
    let mut at = 1;
    while at < text.len() && !text[at..].starts_with('}') {
        if text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '{') {
            let (inner, length) = tree(&text[at..]);
            paths.extend(inner);
            at += length.max(1);
            // Skips the alias after `as`.
            if let Some(rest) = text[at..].strip_prefix(" as ") {
                at = text.len() - rest.len() + rest.find([',', '}']).unwrap_or(rest.len());
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    (paths, at + 1)
}

/// The strongly connected components of more than one module: modules that reach each other.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = open.pop() {
            for next in graph.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = graph.keys().map(|module| (module, reach(module))).collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (module, all) in &reached {
        let circle: BTreeSet<Module> =
            all.iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(*module))).cloned().collect();
        if circle.len() > 1 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

#[test]
fn paths_are_read_from_trees_and_relative_paths() {
    let module = ["orders".to_owned(), "spvs".to_owned(), "store".to_owned()];
    let code = without_tests(&without_comments(
        "use crate::{kernel::{db::{self, Tx}, ids as keys}, desk::tasks}; // crate::operations::seed\n\
         const A: &str = \"crate::reporting::reports\"; #[cfg(test)] mod tests { use crate::desk::messages; }\n\
         fn f() { super::super::steps::list(); crate::orders::invoices::issue() }",
    ));
    let mut found = paths(&code, &module);
    found.sort();
    let expected = [
        "desk::tasks",
        "kernel::db::Tx",
        "kernel::db::self",
        "kernel::ids",
        "orders::invoices::issue",
        "orders::steps::list",
    ];
    assert_eq!(found, expected);
}

//! SQL statements name their columns. With `*`, a migration that adds a column changes the result type of prepared
//! statements, and PostgreSQL answers "cached plan must not change result type".
use std::{fs, path::Path};

/// Whether a line of source has a statement that selects or returns all columns. Comments may speak of it.
fn selects_all(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with("//") {
        return false;
    }
    let text = line.to_lowercase();
    let qualified = text.match_indices(".*").any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        let after = text[at + 2..].chars().next().is_none_or(|c| " ,\"\\)".contains(c));
        before && after
    });
    text.contains("select *") || text.contains("returning *") || qualified
}

fn walk(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().enumerate().filter(|(_, line)| selects_all(line));
            found.extend(lines.map(|(n, line)| format!("{}:{}: {}", path.display(), n + 1, line.trim())));
        }
    }
}

#[test]
fn statements_name_their_columns() {
    for (line, refused) in [
        (r#"db.sql("select * from users")"#, true),
        (r#"tx.sql("update runs set version = 1 RETURNING *")"#, true),
        (r#"const SQL: &str = "select e.*, i.name from e""#, true),
        (r#"db.sql("select count(*) from users")"#, false),
        (r#"globs.push("*.pdf")"#, false),
        ("// select * is refused", false),
    ] {
        assert_eq!(selects_all(line), refused, "{line}");
    }
    let mut found = Vec::new();
    for package in ["db", "domain", "api", "jobs", "cli"] {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(package).join("src");
        if sources.exists() {
            walk(&sources, &mut found);
        }
    }
    assert!(found.is_empty(), "name the columns:\n{}", found.join("\n"));
}

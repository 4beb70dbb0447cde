//! Maps the headers of a file to the columns of its kind, in any letter case and spelling: `First Name` is `first_name`.
use super::{ReadOptions, Table};
use crate::{
    kernel::{
        error::{FieldError, Problem},
        nearest::nearest,
        text::nfc,
    },
    operations::imports::{Column, Columns, Kind, columns},
};

/// Cells of a column that people see when they map it.
const SAMPLES: usize = 3;

/// A column of the file.
#[derive(Clone, Debug)]
pub struct MappedColumn {
    pub header: String,
    pub target: Target,
    /// For an unknown column, the one that is probably meant.
    pub nearest: Option<&'static str>,
    /// The first cells that are filled.
    pub samples: Vec<String>,
}

/// What a column of the file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Read(&'static str),
    /// Follows from other columns, or was skipped by the options.
    Skipped,
    Unknown,
}

/// Whether a header names a column of the kind.
pub(super) fn is_known(kind: Kind, header: &str) -> bool {
    columns(kind).find(header).is_some()
}

/// The letters and digits of a header in lower case, with `%` as the word: `Tax %` is tax_percent, beside a column `Tax`.
pub(in crate::operations::imports) fn key(header: &str) -> String {
    nfc(header).replace('%', "percent").chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Maps the headers. Returns the columns, the required ones that are missing, and what is wrong with `map`.
pub(super) fn map(
    kind: Kind,
    table: &Table,
    options: &ReadOptions,
) -> (Vec<MappedColumn>, Vec<&'static str>, Vec<FieldError>) {
    let known = columns(kind);
    let headers = number_repeated(&table.header);
    let mut problems = check_options(&known, &headers, options);
    let mut mapped: Vec<MappedColumn> = Vec::new();
    for (n, (header, numbered)) in table.header.iter().zip(&headers).enumerate() {
        let target = match wanted(numbered, options) {
            Some(_) => target(&known, numbered, options),
            None => target(&known, header, options),
        };
        let nearest = match target {
            Target::Unknown if options.ignore_unknown => None,
            Target::Unknown => {
                let nearest = nearest(&key(header), known.read());
                problems.push(unknown(numbered, nearest));
                nearest
            }
            Target::Read(_) if mapped.iter().any(|column| column.target == target) => {
                problems.push(problem(Problem::new("column_twice").with("column", header.as_str())));
                None
            }
            _ => None,
        };
        mapped.push(MappedColumn { header: numbered.clone(), target, nearest, samples: samples(table, n) });
    }
    let has = |name: &&'static str| mapped.iter().any(|column| column.target == Target::Read(name));
    let missing: Vec<&'static str> = known.required.iter().copied().filter(|name| !has(name)).collect();
    if !missing.is_empty() {
        problems.push(problem(Problem::new("missing_columns").with("columns", missing.join(", "))));
    }
    (mapped, missing, problems)
}

/// Numbers repeated headers: `Phone`, `Phone (2)`.
fn number_repeated(headers: &[String]) -> Vec<String> {
    let mut numbered: Vec<String> = Vec::with_capacity(headers.len());
    for header in headers {
        let mut name = header.clone();
        let mut count = 2;
        while !header.is_empty() && numbered.contains(&name) {
            name = format!("{header} ({count})");
            count += 1;
        }
        numbered.push(name);
    }
    numbered
}

/// The column that the options name for a header: by its spelling, else in any.
fn wanted<'a>(header: &str, options: &'a ReadOptions) -> Option<&'a str> {
    let exact = options.map.iter().find(|(from, _)| from == header);
    exact.or_else(|| options.map.iter().find(|(from, _)| key(from) == key(header))).map(|(_, to)| to.as_str())
}

/// What a header is read as.
pub(super) fn target(known: &Columns, header: &str, options: &ReadOptions) -> Target {
    let wanted = wanted(header, options);
    match wanted {
        Some("") => return Target::Skipped,
        None if header.is_empty() => return Target::Skipped,
        _ => {}
    }
    match known.find(wanted.unwrap_or(header)) {
        Some(Column::Read(name)) => Target::Read(name),
        Some(Column::Unread) => Target::Skipped,
        None => Target::Unknown,
    }
}

/// Checks that `map` names headers of the file and columns of the kind.
fn check_options(known: &Columns, headers: &[String], options: &ReadOptions) -> Vec<FieldError> {
    let mut problems = Vec::new();
    for (from, to) in &options.map {
        if !headers.iter().any(|header| key(header) == key(from)) {
            problems.push(problem(Problem::new("no_such_header").with("column", from.as_str())));
        } else if !to.is_empty() && known.find(to).is_none() {
            problems.push(unknown(to, nearest(&key(to), known.read())));
        }
    }
    problems
}

fn samples(table: &Table, column: usize) -> Vec<String> {
    let cells = table.rows.iter().filter_map(|row| row.cells.as_ref().ok()?.get(column));
    cells.map(|cell| cell.text().trim()).filter(|text| !text.is_empty()).take(SAMPLES).map(str::to_owned).collect()
}

fn unknown(column: &str, nearest: Option<&'static str>) -> FieldError {
    let found = Problem::new("unknown_column").with("column", column);
    problem(match nearest {
        Some(nearest) => found.with("context", "near").with("nearest", nearest),
        None => found,
    })
}

fn problem(problem: Problem) -> FieldError {
    FieldError { field: "map".to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(header: &[&str], options: &ReadOptions) -> (Vec<Target>, Vec<String>) {
        let table = Table { header: header.iter().map(|name| (*name).to_owned()).collect(), ..Table::new(1) };
        let (columns, _, problems) = map(Kind::Clients, &table, options);
        let words = problems.iter().map(|problem| crate::kernel::i18n::field("en-US", problem)).collect();
        (columns.into_iter().map(|column| column.target).collect(), words)
    }

    const REQUIRED: [&str; 4] = ["first_name", "last_name", "email", "company_name"];

    #[test]
    fn headers_match_in_any_case_and_spelling() {
        for header in [
            ["first_name", "last_name", "email", "company_name"],
            ["First Name", "Last Name", "E-Mail", "Company Name"],
            ["First_Name", "LAST NAME", " email ", "company-name"],
            ["firstName", "lastName", "EMAIL", "CompanyName"],
        ] {
            let (targets, problems) = mapped(&header, &ReadOptions::default());
            assert_eq!(targets, REQUIRED.map(Target::Read));
            assert_eq!(problems, Vec::<String>::new());
        }
    }

    #[test]
    fn unknown_headers_are_refused_with_the_nearest_column() {
        let (_, problems) =
            mapped(&["Frist Name", "last_name", "email", "company_name", "Colour"], &ReadOptions::default());
        assert_eq!(
            problems,
            [
                "The column “Frist Name” is not known. Did you mean first_name?",
                "The column “Colour” is not known.",
                "These columns are missing: first_name.",
            ]
        );
    }

    #[test]
    fn repeated_headers_have_a_number() {
        let header = ["first_name", "last_name", "email", "company_name", "Phone", "Phone"];
        let (_, problems) = mapped(&header, &ReadOptions::default());
        assert_eq!(problems, ["The column “Phone” appears twice."]);
        let map = vec![("Phone (2)".to_owned(), String::new())];
        let (targets, problems) = mapped(&header, &ReadOptions { map, ..ReadOptions::default() });
        assert_eq!(targets[4..], [Target::Read("phone"), Target::Skipped]);
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn options_map_and_skip_columns() {
        let pairs = [("Given name", "first_name"), ("Colour", "")];
        let map = pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).to_vec();
        let header = ["given name", "last_name", "email", "company_name", "colour", "shoe", ""];
        let (targets, problems) =
            mapped(&header, &ReadOptions { map: map.clone(), ignore_unknown: true, ..ReadOptions::default() });
        let wanted = [&REQUIRED.map(Target::Read)[..], &[Target::Skipped, Target::Unknown, Target::Skipped]].concat();
        assert_eq!((targets, problems), (wanted, vec![]));
        let wrong = [("Nickname", "first_name"), ("Email", "emial"), ("First name", "last_name")];
        let map = wrong.map(|(from, to)| (from.to_owned(), to.to_owned())).to_vec();
        let header = ["First name", "last_name", "email", "company_name"];
        let (_, problems) = mapped(&header, &ReadOptions { map, ..ReadOptions::default() });
        assert_eq!(problems[0], "The file has no column “Nickname”.");
        assert_eq!(problems[1], "The column “emial” is not known. Did you mean email?");
        assert!(problems.contains(&"The column “last_name” appears twice.".to_owned()), "{problems:?}");
    }
}

//! JSON Lines: one object a line, with the columns as keys.
use super::{Cell, ReadOptions, Table, Target, check_columns, header};
use crate::{
    kernel::error::{Error, Result},
    operations::imports::{Kind, columns},
};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

type Object = BTreeMap<String, Box<RawValue>>;

/// Parses JSON Lines. The header has the keys of all objects, in the order of their first appearance by line and name.
///
/// # Errors
/// Invalid `file` for too many rows or keys.
pub(super) fn parse(kind: Kind, text: &str, options: &ReadOptions) -> Result<Table> {
    let mut header: Vec<String> = Vec::new();
    let mut objects = Vec::new();
    let mut table = Table::new(options.max_rows.unwrap_or(usize::MAX));
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let object = serde_json::from_str::<Object>(line).map_err(|_| Error::conflict("no_json_object"));
        for key in object.iter().flat_map(Object::keys) {
            if !header.contains(key) {
                check_columns(header.len() + 1)?;
                header.push(key.clone());
            }
        }
        if objects.len() > table.max_rows {
            break;
        }
        objects.push((n + 1, object));
    }
    let known = columns(kind);
    let is_read = |key: &String| matches!(header::target(&known, key, options), Target::Read(_));
    let keys: Vec<_> = header.iter().map(|key| (key, is_read(key))).collect();
    for (line, object) in objects {
        let cells = object.and_then(|object| {
            keys.iter().map(|(key, is_read)| cell(key, *is_read, object.get(*key).map(AsRef::as_ref))).collect()
        });
        table.push(line, cells)?;
    }
    table.set_header(header)?;
    Ok(table)
}

/// The value of a key; null is empty.
fn cell(key: &str, is_read: bool, value: Option<&RawValue>) -> Result<Cell> {
    let text = match value.map(RawValue::get) {
        None | Some("null") => return Ok(Cell::Typed(String::new())),
        Some(text) => text,
    };
    if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return Ok(Cell::Typed(text.to_owned()));
    }
    match serde_json::from_str(text) {
        Ok(text) => Ok(Cell::Text(text)),
        // A skipped column may have any value.
        Err(_) if !is_read => Ok(Cell::Typed(String::new())),
        Err(_) => Err(Error::field(key, "not_scalar")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_may_omit_empty_columns() {
        let text = "\n{\"email\":\"a\",\"address\":1250.10}\n{\"email\":\"b\",\"created_at\":[],\"address\":null}\n\
                    {\"email\":\n[]\n{\"address\":true}\n";
        let table = parse(Kind::Clients, text, &ReadOptions::default()).expect("rows");
        assert_eq!(table.header, ["address", "email", "created_at"]);
        let said = |cells: Result<Vec<Cell>>| match cells {
            Ok(cells) => cells[0].text().to_owned(),
            Err(Error::Conflict(problem)) => problem.code.to_owned(),
            Err(e) => crate::kernel::i18n::error("en-US", &e),
        };
        let found: Vec<_> = table.rows.into_iter().map(|row| (row.line, said(row.cells))).collect();
        let wanted = [
            (2, "1250.10"),
            (3, ""),
            (4, "no_json_object"),
            (5, "no_json_object"),
            (6, "Address: Must be a text or a number."),
        ];
        assert_eq!(found, wanted.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn a_key_that_the_options_map_is_read() {
        let map = vec![("Mail".to_owned(), "email".to_owned()), ("email".to_owned(), String::new())];
        let options = ReadOptions { map, ..ReadOptions::default() };
        let table = parse(Kind::Clients, "{\"Mail\":\"a\",\"email\":[]}\n{\"Mail\":[]}\n", &options).expect("rows");
        let found: Vec<_> =
            table.rows.into_iter().map(|row| row.cells.map(|cells| cells[0].text().to_owned())).collect();
        assert_eq!(found[0].as_deref().ok(), Some("a"));
        assert!(found[1].is_err(), "a mapped key holds a text or a number");
    }
}

//! JSON Lines: one object a line, with the columns as keys.
use super::{Cell, Table, TableRow, forms, header};
use crate::{
    kernel::error::{Error, Result},
    operations::imports::Kind,
};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

type Object = BTreeMap<String, Box<RawValue>>;

/// Parses JSON Lines. The header has the keys of all objects, in the order of their first appearance by line and name.
pub(super) fn parse(kind: Kind, text: &str) -> Table {
    let mut header: Vec<String> = Vec::new();
    let mut objects = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let object = serde_json::from_str::<Object>(line).map_err(|_| Error::conflict("no_json_object"));
        for key in object.iter().flat_map(Object::keys) {
            if !header.contains(key) {
                header.push(key.clone());
            }
        }
        objects.push((n + 1, object));
    }
    let columns: Vec<_> = header.iter().map(|key| (key, header::find(kind, key))).collect();
    let row = |(line, object): (usize, Result<Object>)| TableRow {
        line,
        cells: object.and_then(|object| {
            columns.iter().map(|(key, column)| cell(key, *column, object.get(*key).map(AsRef::as_ref))).collect()
        }),
    };
    let rows = objects.into_iter().map(row).collect();
    Table { header, rows }
}

/// A cell of a column, unless that is not read; null is empty.
fn cell(key: &str, column: Option<&'static str>, value: Option<&RawValue>) -> Result<Cell> {
    let text = match value.map(RawValue::get) {
        None | Some("null") => return Ok(Cell::Typed(String::new())),
        Some(text) => text,
    };
    if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return Ok(Cell::Typed(number(column, text)));
    }
    match serde_json::from_str(text) {
        Ok(text) => Ok(Cell::Text(text)),
        // What is not read may have any value.
        Err(_) if column.is_none() => Ok(Cell::Typed(String::new())),
        Err(_) => Err(Error::field(key, "not_scalar")),
    }
}

/// A JSON number in its notation. Amounts lose trailing zeros: its point is always a decimal point, so `1.250` is not
/// ambiguous as it would be in text.
fn number(column: Option<&str>, number: &str) -> String {
    let is_decimal = number.contains('.') && !number.contains(['e', 'E']);
    if is_decimal && column.is_some_and(forms::is_amount) {
        return number.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    number.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_may_omit_empty_columns() {
        let text = "\n{\"email\":\"a\",\"address\":1250.10}\n{\"email\":\"b\",\"created_at\":[],\"address\":null}\n\
                    {\"email\":\n[]\n{\"address\":true}\n";
        let table = parse(Kind::Clients, text);
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
    fn amounts_lose_trailing_zeros() {
        for (written, read) in
            [("0.070", "0.07"), ("1.250", "1.25"), ("7.000", "7"), ("100", "100"), ("1.0e2", "1.0e2")]
        {
            assert_eq!(number(Some("price"), written), read);
        }
        assert_eq!(number(Some("identifier"), "1250.10"), "1250.10");
    }
}

//! Cells of a row, its label and the key that identifies it within its file.
use super::{Kind, Row, companies};
use crate::{
    accounts::users,
    kernel::{
        email,
        text::{self, unique_key},
        validate::Validator,
    },
};

/// Label of a row in messages.
pub(super) fn label(kind: Kind, row: &Row) -> String {
    match kind {
        Kind::Clients | Kind::Isos => {
            format!("{} {}", text(row, "first_name").trim(), text(row, "last_name").trim()).trim().to_owned()
        }
        kind => text(row, key_column(kind)).trim().to_owned(),
    }
}

/// Key column of a kind.
pub(super) fn key_column(kind: Kind) -> &'static str {
    match kind {
        Kind::Clients | Kind::Isos => "email",
        Kind::Companies => "name",
        Kind::Spvs => "identifier",
        Kind::Invoices => "number",
        Kind::Payments => "invoice_number",
    }
}

/// Key that identifies a row within its file; none if its key column is not valid.
pub(super) fn key(kind: Kind, row: &Row) -> Option<String> {
    let key = text(row, key_column(kind));
    match kind {
        Kind::Clients | Kind::Isos => email::normalise(&text::line(key)).ok().map(|email| users::email_key(&email)),
        Kind::Companies => Some(companies::key(row)),
        // A series of numbers may begin anew each year.
        Kind::Invoices => {
            let year: String = text(row, "issued_date").trim().chars().take(4).collect();
            Some(format!("{year}\n{}", unique_key(key)))
        }
        // An invoice may have several.
        Kind::Payments => None,
        Kind::Spvs => Some(format!("{}\n{}", unique_key(text(row, "company_name")), unique_key(key))),
    }
}

pub(super) fn cell<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column).map(String::as_str)
}

pub(super) fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    cell(row, column).unwrap_or_default()
}

pub(super) fn is_filled(row: &Row, column: &str) -> bool {
    !text::is_blank(text(row, column))
}

/// The cell of a column, unless it is empty.
pub(super) fn filled(row: &Row, column: &str) -> Option<String> {
    is_filled(row, column).then(|| text(row, column).to_owned())
}

/// Reads a cell and returns its value only if it is valid, for lookups.
pub(super) fn valid<T>(check: &mut Validator, read: impl Fn(&mut Validator) -> T) -> Option<T> {
    let mut alone = Validator::new();
    let value = read(&mut alone);
    if alone.finish().is_ok() {
        return Some(value);
    }
    read(check);
    None
}

/// Maps a field of the use cases to the column it was read from.
pub(super) fn column_of(row: &Row, field: String) -> String {
    match field.as_str() {
        "company_id" => "company_name",
        "client_id" => "client_email",
        "iso_id" if is_filled(row, "iso_email") => "iso_email",
        "iso_id" => "iso_name",
        "custom_identifier" => "identifier",
        "reason" => "status_reason",
        "legal_name" => "business_name",
        _ => return field,
    }
    .to_owned()
}

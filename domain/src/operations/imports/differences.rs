//! Comparison of an existing row with the file's.
use super::{Row, is_filled};
use crate::kernel::error::{Error, FieldError, Problem, Result};

/// A column whose value in the portal is not the file's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub column: &'static str,
    /// Empty if the portal has none.
    pub portal: String,
    pub file: String,
}

/// Collects the differences of the filled cells of a row.
pub(super) struct Comparison<'a> {
    row: &'a Row,
    pub differences: Vec<Difference>,
}

impl<'a> Comparison<'a> {
    pub fn new(row: &'a Row) -> Self {
        Self { row, differences: Vec::new() }
    }

    /// Compares a column by its values as texts.
    pub fn text(&mut self, column: &'static str, portal: Option<&str>, file: Option<&str>) {
        let (portal, file) = (portal.unwrap_or_default(), file.unwrap_or_default());
        self.value(column, portal == file, portal, file);
    }

    /// Notes a difference of a column, shown as texts, unless the values are the same.
    pub fn value(&mut self, column: &'static str, same: bool, portal: &str, file: &str) {
        if !same && is_filled(self.row, column) {
            self.differences.push(Difference { column, portal: portal.to_owned(), file: file.to_owned() });
        }
    }

    pub fn has(&self, column: &str) -> bool {
        self.differences.iter().any(|difference| difference.column == column)
    }

    /// The file's cell of a column that differs.
    pub fn changed(&self, column: &str) -> Option<String> {
        let found = self.differences.iter().find(|difference| difference.column == column);
        found.and_then(|difference| self.row.get(difference.column).cloned())
    }

    /// Checks that only these columns differ.
    ///
    /// # Errors
    /// Invalid `not_updatable` for each other one.
    pub fn check_only(&self, columns: &[&str]) -> Result<()> {
        let others = self.differences.iter().filter(|difference| !columns.contains(&difference.column));
        let fields: Vec<FieldError> = others
            .map(|difference| FieldError {
                field: difference.column.to_owned(),
                problem: Problem::new("not_updatable").with("value", difference.portal.as_str()),
            })
            .collect();
        if fields.is_empty() { Ok(()) } else { Err(Error::Invalid(fields)) }
    }
}

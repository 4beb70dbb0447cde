//! Import of clients, companies, ISO partners, orders, invoices and payments: reads the columns that [`crate::reporting::exports`] writes.
//!
//! Rows go through the ordinary use cases, with mails off (decision 1), and orders without invoices. A batch of rows is one
//! transaction; a rejected row does not stop the rest. Existing rows are compared and left alone unless an update is wanted,
//! so that a file can be imported again, also after a run that was interrupted.
mod clients;
mod companies;
mod differences;
mod invoices;
mod isos;
mod lookup;
mod orders;
mod payments;
mod progress;
pub mod reading;
mod row;
mod store;
mod undo;
mod write;

pub use differences::Difference;
pub use store::ImportRecord;
pub use undo::{KeptRow, UndoOutcome, clean_up, list, undo};

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, FieldError, Problem, Result},
        ids::{ImportId, InvoiceId},
        text::{line, unique_key},
        validate::LINE,
    },
    platform::activity::{self, Event},
};
use chrono::NaiveDate;
use lookup::Lookups;
use reading::ImportLine;
use row::{cell, column_of, filled, is_filled, key, key_column, label, text, valid};
use std::collections::{HashMap, HashSet};
use write::Write;

/// Rows of one transaction. Callers may stop between two batches.
pub const BATCH_ROWS: usize = 100;

crate::kernel::text_enum! {
    /// Kind of the rows of a file.
    #[schema(as = ImportKind)]
    pub enum Kind {
        Clients = "clients",
        Companies = "companies",
        Isos = "isos",
        Spvs = "spvs",
        Invoices = "invoices",
        Payments = "payments",
    }
}

/// Columns that a file may have.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
    /// Columns of an export that are ignored, as they follow from the others.
    pub unread: &'static [&'static str],
}

/// How a column is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Read as the cell of this name.
    Read(&'static str),
    Unread,
}

/// The columns of a file of this kind.
pub fn columns(kind: Kind) -> Columns {
    match kind {
        Kind::Clients => clients::COLUMNS,
        Kind::Companies => companies::COLUMNS,
        Kind::Isos => isos::COLUMNS,
        Kind::Spvs => orders::COLUMNS,
        Kind::Invoices => invoices::COLUMNS,
        Kind::Payments => payments::COLUMNS,
    }
}

impl Columns {
    /// Looks up a column by name, in any letter case and with any signs between its words. The identifier of an order may
    /// have its name in the API.
    pub fn find(&self, name: &str) -> Option<Column> {
        let wanted = reading::header_key(name);
        let wanted = if wanted == "customidentifier" { "identifier" } else { &wanted };
        let is_wanted = |column: &&str| reading::header_key(column) == wanted;
        let read = self.read().find(is_wanted);
        let unread = self.unread.iter().any(is_wanted).then_some(Column::Unread);
        read.map(Column::Read).or(unread)
    }

    /// The columns that are read.
    pub fn read(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }
}

/// Cells of a row by column; a missing one is empty. An empty cell of an existing row is not compared.
pub type Row = HashMap<&'static str, String>;

/// Outcome of a row.
#[derive(Debug)]
pub enum Outcome {
    Created,
    /// Existed with other values, which were replaced by the file's.
    Updated(Vec<Difference>),
    /// Exists with the same values; holds the existing spelling of its key if it differs.
    Present(Option<String>),
    /// Exists with other values and was left alone.
    Differs(Vec<Difference>),
    /// Rejected, by a column of the file or by a conflict; with the cell of the first column.
    Rejected {
        error: Error,
        value: Option<String>,
    },
}

/// Number of rows by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportTotals {
    pub created: u64,
    pub updated: u64,
    /// Already there with the same values.
    pub present: u64,
    pub differing: u64,
    pub rejected: u64,
}

/// What an import does with rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportOptions {
    /// Store nothing: every transaction is rolled back.
    pub dry_run: bool,
    /// Apply the file's values to existing rows.
    pub update: bool,
}

/// The outcome of a line of the file.
#[derive(Debug)]
pub struct LineOutcome {
    pub line: usize,
    /// Name of the row for people; empty if it could not be read.
    pub label: String,
    pub outcome: Outcome,
}

/// An import of one file, with the companies and partners that its rows name cached.
#[derive(Debug)]
pub struct Import {
    ctx: Ctx,
    id: ImportId,
    kind: Kind,
    file_name: String,
    options: ImportOptions,
    totals: ImportTotals,
    lookups: Lookups,
    /// Keys of all rows of the file.
    keys: HashSet<String>,
    /// Accepted rows by key, with their lines.
    seen: HashMap<String, (usize, Row)>,
    /// Rows of payments so far, by invoice, date and amount.
    payments: HashMap<(InvoiceId, NaiveDate, i64), usize>,
    /// The last number that the file keeps, by year.
    kept_numbers: HashMap<i64, i64>,
}

/// What to do with a row.
enum RowPlan {
    New(Write),
    Existing {
        /// Spelling of its key in the portal.
        spelling: Option<String>,
        differences: Vec<Difference>,
        /// Applies the differences; None if no update is wanted.
        update: Option<Write>,
    },
}

/// A row that waits for the end of its batch.
struct PendingRow {
    line: usize,
    row: Row,
    key: Option<String>,
    write: Write,
    outcome: Outcome,
}

/// Checks that the actor may import. Super admins and the operator.
///
/// # Errors
/// Forbidden.
pub fn check_access(ctx: &Ctx) -> Result<()> {
    ctx.may(Action::Create, Resource::Imports)
}

/// Starts an import of the lines of a file, which the caller passes to [`Import::batch`]. Super admins and the operator.
///
/// # Errors
/// As [`check_access`].
pub fn start(ctx: &Ctx, kind: Kind, file_name: &str, options: ImportOptions, lines: &[ImportLine]) -> Result<Import> {
    check_access(ctx)?;
    Ok(Import {
        // A batch takes longer than a request may.
        ctx: ctx.without_notifications().background(),
        keys: lines.iter().filter_map(|line| key(kind, line.row.as_ref().ok()?)).collect(),
        id: ImportId(ctx.random.uuid()),
        kind,
        file_name: line(file_name).chars().take(LINE).collect(),
        options,
        totals: ImportTotals::default(),
        lookups: Lookups::default(),
        seen: HashMap::new(),
        payments: HashMap::new(),
        kept_numbers: if kind == Kind::Invoices { invoices::kept_numbers(lines) } else { HashMap::new() },
    })
}

impl Import {
    /// Its id, under which it can be undone if it creates rows.
    pub fn id(&self) -> ImportId {
        self.id
    }

    /// Number of rows so far.
    pub fn totals(&self) -> ImportTotals {
        self.totals
    }

    /// Imports up to [`BATCH_ROWS`] lines in one transaction, more of them if a row of the batch is rejected late.
    ///
    /// # Errors
    /// Internal and Unavailable if the database fails; the rows of the batch may be stored then. Errors of the use cases
    /// are an [`Outcome::Rejected`].
    pub async fn batch(&mut self, lines: Vec<ImportLine>) -> Result<Vec<LineOutcome>> {
        let mut done = Vec::with_capacity(lines.len());
        let mut pending: Vec<PendingRow> = Vec::new();
        for ImportLine { number, row } in lines {
            let row = match row {
                Ok(row) => row,
                Err(error) => {
                    self.add(&mut done, number, &Row::new(), Outcome::Rejected { error, value: None });
                    continue;
                }
            };
            let key = key(self.kind, &row);
            if key.is_some() && pending.iter().any(|earlier| earlier.key == key) {
                // Whether the earlier row is accepted decides about this one.
                self.store(std::mem::take(&mut pending), &mut done).await?;
            }
            match self.decide(&row, key.as_deref()).await? {
                Ok((write, outcome)) => pending.push(PendingRow { line: number, row, key, write, outcome }),
                Err(outcome) => {
                    let is_accepted = matches!(outcome, Outcome::Present(_) | Outcome::Differs(_));
                    self.add(&mut done, number, &row, outcome);
                    if let Some(key) = key.filter(|_| is_accepted) {
                        self.seen.entry(key).or_insert((number, row));
                    }
                }
            }
        }
        self.store(pending, &mut done).await?;
        done.sort_by_key(|outcome| outcome.line);
        Ok(done)
    }

    /// Imports one row as a batch.
    ///
    /// # Errors
    /// As [`Import::batch`].
    #[cfg(feature = "testing")]
    pub async fn row(&mut self, row: &Row) -> Result<Outcome> {
        let number = self.seen.len() + 2;
        let done = self.batch(vec![ImportLine { number, row: Ok(row.clone()) }]).await?;
        let outcome = done.into_iter().next().map(|line| line.outcome);
        outcome.ok_or(Error::NotFound("row"))
    }

    /// Records the import and its totals in the activity log, except for a dry run.
    ///
    /// # Errors
    /// Internal if the database fails.
    pub async fn finish(self) -> Result<ImportTotals> {
        let totals = self.totals;
        if self.options.dry_run {
            return Ok(totals);
        }
        let event = Event::new("import.made", "import", self.id.0, self.kind.name())
            .with("made", totals.created)
            .with("updated", totals.updated)
            .with("there", totals.present + totals.differing)
            .with("refused", totals.rejected);
        let (ctx, id, event, totals) = (&self.ctx, self.id, &event, &totals);
        ctx.transaction(|tx| {
            async move {
                store::save_totals(tx, id, totals).await?;
                activity::append(tx, ctx, event.clone()).await
            }
            .scope_boxed()
        })
        .await?;
        Ok(*totals)
    }

    /// What to write for a row, with the outcome once that is stored; or the outcome of a row without a write.
    async fn decide(&mut self, row: &Row, key: Option<&str>) -> Result<std::result::Result<(Write, Outcome), Outcome>> {
        if let Some(found) = key.and_then(|key| self.seen.get(key)) {
            return Ok(Err(self.repeated(row, found)));
        }
        let planned = match self.kind {
            Kind::Clients => clients::plan(self, row).await,
            Kind::Companies => companies::plan(self, row).await,
            Kind::Isos => isos::plan(self, row).await,
            Kind::Spvs => orders::plan(self, row).await,
            Kind::Invoices => invoices::plan(self, row).await,
            Kind::Payments => payments::plan(self, row).await,
        };
        Ok(match planned {
            Ok(RowPlan::New(write)) => Ok((write, Outcome::Created)),
            Ok(RowPlan::Existing { spelling, differences, .. }) if differences.is_empty() => {
                Err(Outcome::Present(spelling))
            }
            Ok(RowPlan::Existing { differences, update: Some(write), .. }) => {
                Ok((write, Outcome::Updated(differences)))
            }
            Ok(RowPlan::Existing { differences, update: None, .. }) => Err(Outcome::Differs(differences)),
            Err(error) => Err(rejected(row, error)?),
        })
    }

    /// The outcome of a row whose key an earlier row of the file has.
    fn repeated(&self, row: &Row, (first_line, first): &(usize, Row)) -> Outcome {
        let column = key_column(self.kind);
        let differs =
            |name: &&str| is_filled(row, name) && unique_key(text(row, name)) != unique_key(text(first, name));
        if let Some(name) = columns(self.kind).read().filter(|name| *name != column).find(differs) {
            let cell = text(row, name);
            let problem = Problem::new("repeated_row").with("line", *first_line).with("other", text(first, name));
            return Outcome::Rejected { error: Error::field_with(name, problem), value: Some(cell.to_owned()) };
        }
        let (written, existing) = (line(text(row, column)), line(text(first, column)));
        Outcome::Present((written != existing).then_some(existing))
    }

    /// Stores the rows in one transaction; if a row is refused, each in its own.
    async fn store(&mut self, pending: Vec<PendingRow>, done: &mut Vec<LineOutcome>) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        match write::write_batch(self, &pending).await {
            Ok(()) => pending.into_iter().for_each(|row| self.accept(row, done)),
            Err(error) if pending.len() == 1 => {
                let Some(row) = pending.into_iter().next() else { return Ok(()) };
                self.refuse(row, error, done)?;
            }
            Err(error) => {
                rejection(error)?;
                for row in pending {
                    match write::write_batch(self, std::slice::from_ref(&row)).await {
                        Ok(()) => self.accept(row, done),
                        Err(error) => self.refuse(row, error, done)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn accept(&mut self, PendingRow { line, row, key, outcome, .. }: PendingRow, done: &mut Vec<LineOutcome>) {
        self.add(done, line, &row, outcome);
        if let Some(key) = key {
            self.seen.insert(key, (line, row));
        }
    }

    fn refuse(
        &mut self,
        PendingRow { line, row, outcome, .. }: PendingRow,
        error: Error,
        done: &mut Vec<LineOutcome>,
    ) -> Result<()> {
        let exists = error.is_unique_violation()
            || matches!(&error, Error::Conflict(problem) if problem.code == "email_taken" && problem.params.contains_key("client_id"));
        // A concurrent import of the same file inserted it first.
        let outcome = match outcome {
            // Its number was taken by another one meanwhile.
            Outcome::Created if exists && self.kind == Kind::Invoices => {
                rejected(&row, Error::field("number", "invoice_number_taken"))?
            }
            Outcome::Created if exists => Outcome::Present(None),
            _ => rejected(&row, error)?,
        };
        self.add(done, line, &row, outcome);
        Ok(())
    }

    fn add(&mut self, done: &mut Vec<LineOutcome>, line: usize, row: &Row, outcome: Outcome) {
        let totals = &mut self.totals;
        *match outcome {
            Outcome::Created => &mut totals.created,
            Outcome::Updated(_) => &mut totals.updated,
            Outcome::Present(_) => &mut totals.present,
            Outcome::Differs(_) => &mut totals.differing,
            Outcome::Rejected { .. } => &mut totals.rejected,
        } += 1;
        done.push(LineOutcome { line, label: label(self.kind, row), outcome });
    }
}

/// Returns the error of a row that does not stop the import.
fn rejection(error: Error) -> Result<Error> {
    match error {
        Error::Invalid(_) | Error::NotFound(_) | Error::Conflict(_) => Ok(error),
        error if error.is_unique_violation() => Ok(error),
        error => Err(error),
    }
}

/// The outcome of a rejected row, by the columns of the file.
fn rejected(row: &Row, error: Error) -> Result<Outcome> {
    let error = match rejection(error)? {
        Error::Invalid(fields) => {
            let fields = fields.into_iter().map(|error| FieldError { field: column_of(row, error.field), ..error });
            Error::Invalid(fields.collect())
        }
        error => error,
    };
    let value = match &error {
        Error::Invalid(fields) => fields.iter().find_map(|error| row.get(error.field.as_str())),
        _ => None,
    };
    let value = value.filter(|cell| !cell.trim().is_empty()).cloned();
    Ok(Outcome::Rejected { error, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        directory,
        orders::{invoices, spvs},
        reporting::{exports, exports::Table},
        testing::World,
    };
    use std::collections::HashSet;

    #[tokio::test]
    async fn import_knows_every_exported_column() {
        let ctx = World::sqlite().await.operator();
        let tables = [
            (Kind::Clients, Table::Clients(directory::clients::Filter::default())),
            (Kind::Companies, Table::Companies(directory::companies::Filter::default())),
            (Kind::Isos, Table::Isos(directory::isos::Filter::default())),
            (Kind::Spvs, Table::Spvs(spvs::Filter::default())),
            (Kind::Invoices, Table::Invoices(invoices::Filter::default())),
            (Kind::Payments, Table::Payments(invoices::PaymentFilter::default())),
        ];
        for (kind, table) in tables {
            assert_eq!(kind.name(), table.name());
            for name in exports::columns(&ctx, &table) {
                assert!(columns(kind).find(name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn columns_are_unique_and_found_by_name() {
        for kind in Kind::ALL {
            let Columns { required, optional, unread } = columns(kind);
            let all = [required, optional, unread].concat();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        }
        assert_eq!(columns(Kind::Spvs).find("custom_identifier"), Some(Column::Read("identifier")));
        assert_eq!(columns(Kind::Spvs).find("amount"), Some(Column::Unread));
        assert_eq!(columns(Kind::Clients).find("E-Mail"), Some(Column::Read("email")));
        assert_eq!(columns(Kind::Invoices).find("Tax %"), Some(Column::Read("tax_percent")));
        assert_eq!(columns(Kind::Invoices).find("Tax"), Some(Column::Read("tax")));
        for name in ["custom_identifier", "password", ""] {
            assert_eq!(columns(Kind::Clients).find(name), None, "{name}");
        }
    }
}

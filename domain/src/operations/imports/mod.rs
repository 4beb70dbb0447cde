//! Import of clients and orders, row by row: reads the columns that [`crate::reporting::exports`] writes.
//!
//! Each row is a transaction of its own and goes through the ordinary use cases, with mails off (decision 1) and
//! without invoices. Existing rows are left alone, so that a file can be imported again. A rejected row does not stop
//! the rest.
mod clients;
mod orders;
mod store;

use crate::{
    accounts::users,
    directory::{
        companies::{self, Company, Defaults},
        isos,
    },
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedBoxFuture, ScopedFutureExt, Tx},
        error::{Error, FieldError, Problem, Result},
        ids::{CompanyId, IsoId},
        page::{MAX_LIMIT, PageQuery},
        text::unique_key,
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

crate::kernel::text_enum! {
    /// Kind of the rows of a file.
    pub enum Kind {
        Clients = "clients",
        Spvs = "spvs",
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
        Kind::Spvs => orders::COLUMNS,
    }
}

impl Columns {
    /// Looks up a column by name. The identifier of an order may have its name in the API.
    pub fn find(&self, name: &str) -> Option<Column> {
        let wanted = if name == "custom_identifier" { "identifier" } else { name };
        let read = self.required.iter().chain(self.optional).copied().find(|column| *column == wanted);
        let unread = self.unread.contains(&name).then_some(Column::Unread);
        read.map(Column::Read).or(unread)
    }
}

/// Cells of a row by column; a missing one is empty.
pub type Row = HashMap<&'static str, String>;

/// Outcome of a row.
#[derive(Debug)]
pub enum Outcome {
    Created,
    /// Already exists and is left alone; holds the existing spelling if it differs.
    Exists(Option<String>),
    /// Rejected, by a column of the file or by a conflict.
    Rejected(Error),
}

impl Outcome {
    fn exists(written: &str, existing: &str) -> Self {
        Self::Exists((written != existing).then(|| existing.to_owned()))
    }
}

/// Number of rows by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportTotals {
    pub created: u64,
    pub existing: u64,
    pub rejected: u64,
}

/// An import of one file, with the companies and partners that its rows name cached.
#[derive(Debug)]
pub struct Import {
    ctx: Ctx,
    kind: Kind,
    /// Dry run: every transaction is rolled back.
    dry: bool,
    companies: HashMap<String, Lookup<Arc<CompanyContext>>>,
    /// Partners by email, or by company and name.
    partners: HashMap<(Option<CompanyId>, String), Lookup<IsoId>>,
    /// Keys created by the dry run, with their spelling.
    dry_run_keys: HashMap<String, String>,
}

/// Result of a lookup by name, or why it fails.
type Lookup<T> = std::result::Result<T, Problem>;

/// A company and the defaults of its orders and accounts.
#[derive(Debug)]
struct CompanyContext {
    company: Company,
    defaults: Defaults,
}

/// Starts an import; with `dry` nothing is stored. Super admins and the operator.
///
/// # Errors
/// Forbidden.
pub fn start(ctx: &Ctx, kind: Kind, dry: bool) -> Result<Import> {
    ctx.may(Action::Create, Resource::Users)?;
    Ok(Import {
        ctx: ctx.without_notifications(),
        kind,
        dry,
        companies: HashMap::new(),
        partners: HashMap::new(),
        dry_run_keys: HashMap::new(),
    })
}

impl Import {
    /// Imports a row.
    ///
    /// # Errors
    /// Internal if the database fails. Errors of the use cases are an [`Outcome::Rejected`].
    pub async fn row(&mut self, row: &Row) -> Result<Outcome> {
        let done = match self.kind {
            Kind::Clients => clients::row(self, row).await,
            Kind::Spvs => orders::row(self, row).await,
        };
        match done {
            Err(Error::Invalid(fields)) => {
                let fields = fields.into_iter().map(|error| FieldError { field: column_of(row, error.field), ..error });
                Ok(Outcome::Rejected(Error::Invalid(fields.collect())))
            }
            Err(e @ (Error::NotFound(_) | Error::Conflict(_))) => Ok(Outcome::Rejected(e)),
            done => done,
        }
    }

    /// Records the import and its totals in the activity log, except for a dry run.
    ///
    /// # Errors
    /// Internal if the database fails.
    pub async fn finish(self, totals: ImportTotals) -> Result<()> {
        if self.dry {
            return Ok(());
        }
        let who = self.ctx.actor.user_id().map_or(Uuid::nil(), |id| id.0);
        let event = Event::new("import.made", "import", who, self.kind.name())
            .with("made", totals.created)
            .with("there", totals.existing)
            .with("refused", totals.rejected);
        let (ctx, event) = (&self.ctx, &event);
        ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
    }

    /// Runs `work` in a transaction. A dry run rolls it back and remembers `key` with its spelling for later rows.
    async fn create<'a, F>(&mut self, key: String, spelling: &str, work: F) -> Result<Outcome>
    where
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<()>> + Send + Sync + 'a,
    {
        const DRY: &str = "dry_run";
        let dry = self.dry;
        let work = &work;
        let done = self.ctx.transaction(|tx| {
            async move {
                work(tx).await?;
                if dry { Err(Error::conflict(DRY)) } else { Ok(()) }
            }
            .scope_boxed()
        });
        match done.await {
            Err(Error::Conflict(problem)) if problem.code == DRY => {
                self.dry_run_keys.insert(key, spelling.to_owned());
            }
            done => done?,
        }
        Ok(Outcome::Created)
    }

    /// Finds the company of a row.
    async fn company(&mut self, check: &mut Validator, row: &Row) -> Result<Option<Arc<CompanyContext>>> {
        let read = |check: &mut Validator| check.single_line("company_name", text(row, "company_name"), LINE);
        let Some(name) = valid(check, read) else { return Ok(None) };
        let key = unique_key(&name);
        if let Some(found) = self.companies.get(&key) {
            return Ok(check.read("company_name", found.clone()));
        }
        let found = match companies::find(&self.ctx, &name).await {
            Ok(company) => {
                let defaults = companies::defaults(&self.ctx, Some(company.id)).await?;
                Ok(Arc::new(CompanyContext { company, defaults }))
            }
            Err(Error::NotFound(_)) => Err(Problem::new("not_found")),
            Err(Error::Conflict(problem)) => Err(problem),
            Err(e) => return Err(e),
        };
        self.companies.insert(key, found.clone());
        Ok(check.read("company_name", found))
    }

    /// Finds the partner of a row by email, else by name within the company.
    async fn partner(&mut self, check: &mut Validator, row: &Row, company: CompanyId) -> Result<Option<IsoId>> {
        let read = |check: &mut Validator| check.optional_email("iso_email", cell(row, "iso_email"));
        let Some(email) = valid(check, read) else { return Ok(None) };
        if let Some(email) = email {
            let key = (None, users::email_key(&email));
            if !self.partners.contains_key(&key) {
                let found = match isos::find(&self.ctx, &email).await {
                    Ok(iso) => Ok(iso.id),
                    Err(Error::NotFound(_)) => Err(Problem::new("not_found")),
                    Err(e) => return Err(e),
                };
                self.partners.insert(key.clone(), found);
            }
            return Ok(check.read("iso_email", self.partners[&key].clone()));
        }
        let read = |check: &mut Validator| check.optional_line("iso_name", cell(row, "iso_name"), 2 * LINE + 1);
        let Some(Some(name)) = valid(check, read) else { return Ok(None) };
        let key = (Some(company), unique_key(&name));
        if !self.partners.contains_key(&key) {
            let found = self.find_partner_by_name(company, &name).await?;
            self.partners.insert(key.clone(), found);
        }
        Ok(check.read("iso_name", self.partners[&key].clone()))
    }

    /// Finds a partner of the company by name. Archived ones are considered last; the use case rejects them.
    async fn find_partner_by_name(&self, company: CompanyId, name: &str) -> Result<Lookup<IsoId>> {
        let key = unique_key(name);
        for archived in [false, true] {
            let filter =
                isos::Filter { q: Some(name.to_owned()), company_id: Some(company), archived, ..Default::default() };
            let page = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
            let found = isos::list(&self.ctx, &filter, &page).await?.items;
            let same: Vec<IsoId> =
                found.iter().filter(|iso| unique_key(&iso.name()) == key).map(|iso| iso.id).collect();
            match same.as_slice() {
                [] => {}
                [one] => return Ok(Ok(*one)),
                _ => return Ok(Err(Problem::new("ambiguous"))),
            }
        }
        Ok(Err(Problem::new("not_found")))
    }
}

fn cell<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column).map(String::as_str)
}

fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    cell(row, column).unwrap_or_default()
}

fn is_filled(row: &Row, column: &str) -> bool {
    !text(row, column).trim().is_empty()
}

/// Reads a cell and returns its value only if it is valid, for lookups.
fn valid<T>(check: &mut Validator, read: impl Fn(&mut Validator) -> T) -> Option<T> {
    let mut alone = Validator::new();
    let value = read(&mut alone);
    if alone.finish().is_ok() {
        return Some(value);
    }
    read(check);
    None
}

/// Maps a field of the use cases to the column it was read from.
fn column_of(row: &Row, field: String) -> String {
    match field.as_str() {
        "company_id" => "company_name",
        "client_id" => "client_email",
        "iso_id" if is_filled(row, "iso_email") => "iso_email",
        "iso_id" => "iso_name",
        "custom_identifier" => "identifier",
        "reason" => "status_reason",
        _ => return field,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        directory::clients,
        orders::spvs,
        reporting::{exports, exports::Table},
        testing::World,
    };
    use std::collections::HashSet;

    #[tokio::test]
    async fn import_knows_every_exported_column() {
        let ctx = World::sqlite().await.operator();
        let tables = [
            (Kind::Clients, Table::Clients(clients::Filter::default())),
            (Kind::Spvs, Table::Spvs(spvs::Filter::default())),
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
        for kind in [Kind::Clients, Kind::Spvs] {
            let Columns { required, optional, unread } = columns(kind);
            let all = [required, optional, unread].concat();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        }
        assert_eq!(columns(Kind::Spvs).find("custom_identifier"), Some(Column::Read("identifier")));
        assert_eq!(columns(Kind::Spvs).find("amount"), Some(Column::Unread));
        for name in ["custom_identifier", "password", "Email", ""] {
            assert_eq!(columns(Kind::Clients).find(name), None, "{name}");
        }
    }
}

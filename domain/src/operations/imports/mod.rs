//! Clients and orders from a file, row by row: the counterpart of [`crate::reporting::exports`], whose columns it reads back.
//!
//! Each row is a short transaction of its own and goes through what people's own forms go through, with the mails off
//! (decision 1) and no invoice raised. What is there already is left alone, so that a file may be read again. A row that
//! is refused keeps no other from being read.
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
        validate::{Check, LINE},
    },
    platform::activity::{self, Event},
};
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// What the rows of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Clients,
    Spvs,
}

/// What a file's columns may be called.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
    /// Written by an export and not read: what follows from the rest.
    pub unread: &'static [&'static str],
}

/// What becomes of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Read as the cell of this name.
    Read(&'static str),
    Unread,
}

const CLIENTS: Columns = Columns {
    required: &["first_name", "last_name", "email", "company_name"],
    optional: &["phone", "address", "iso_email", "iso_name", "status"],
    unread: &["id", "created_at"],
};

const SPVS: Columns = Columns {
    required: &["identifier", "client_email", "company_name"],
    optional: &[
        "iso_email",
        "iso_name",
        "vehicle_name",
        "country",
        "currency",
        "purchase_amount",
        "price",
        "commission",
        "iso_commission_percentage",
        "status",
        "status_reason",
        "ordered_date",
        "closed_at",
        "steps_completed",
    ],
    unread: &["id", "client_name", "amount", "iso_commission", "steps_total", "current_step"],
};

impl Kind {
    /// As the table is called that an export writes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clients => "clients",
            Self::Spvs => "spvs",
        }
    }
}

/// The columns of a file of this kind.
pub fn columns(kind: Kind) -> Columns {
    match kind {
        Kind::Clients => CLIENTS,
        Kind::Spvs => SPVS,
    }
}

impl Columns {
    /// The column called `name`, which for an order's identifier may be the API's name for it.
    pub fn find(&self, name: &str) -> Option<Column> {
        let wanted = if name == "custom_identifier" { "identifier" } else { name };
        let read = self.required.iter().chain(self.optional).copied().find(|column| *column == wanted);
        let unread = self.unread.contains(&name).then_some(Column::Unread);
        read.map(Column::Read).or(unread)
    }
}

/// The cells of a row by their columns; one that is missing is empty.
pub type Row = HashMap<&'static str, String>;

/// What became of a row.
#[derive(Debug)]
pub enum Outcome {
    Made,
    /// It already exists and stays as it is; the existing spelling, where the row spells it differently.
    There(Option<String>),
    /// By which field, as the file calls it, or by how things stand.
    Refused(Error),
}

impl Outcome {
    fn there(written: &str, existing: &str) -> Self {
        Self::There((written != existing).then(|| existing.to_owned()))
    }
}

/// What became of all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub made: u64,
    pub there: u64,
    pub refused: u64,
}

/// One reading of a file. It remembers the companies and partners that its rows name.
#[derive(Debug)]
pub struct Import {
    ctx: Ctx,
    kind: Kind,
    /// Nothing is kept of what is made.
    dry: bool,
    homes: HashMap<String, Found<Arc<Home>>>,
    /// Partners by their address, or by their company and name.
    partners: HashMap<(Option<CompanyId>, String), Found<IsoId>>,
    /// Keys that a dry run has made and not kept, with their spelling.
    seen: HashMap<String, String>,
}

/// What a name stands for, or why it does not.
type Found<T> = std::result::Result<T, Problem>;

/// A company, and what its orders and accounts begin with.
#[derive(Debug)]
struct Home {
    company: Company,
    usual: Defaults,
}

/// Begins to read a file; with `dry` nothing of it is kept. Super admins and the operator.
///
/// # Errors
/// Forbidden for others.
pub fn begin(ctx: &Ctx, kind: Kind, dry: bool) -> Result<Import> {
    ctx.may(Action::Create, Resource::Users)?;
    Ok(Import { ctx: ctx.silently(), kind, dry, homes: HashMap::new(), partners: HashMap::new(), seen: HashMap::new() })
}

impl Import {
    /// Makes what a row says.
    ///
    /// # Errors
    /// What the database refuses. What a use case refuses is an outcome.
    pub async fn row(&mut self, row: &Row) -> Result<Outcome> {
        let done = match self.kind {
            Kind::Clients => clients::row(self, row).await,
            Kind::Spvs => orders::row(self, row).await,
        };
        match done {
            Err(Error::Invalid(fields)) => {
                let fields = fields.into_iter().map(|error| FieldError { field: column_of(row, error.field), ..error });
                Ok(Outcome::Refused(Error::Invalid(fields.collect())))
            }
            Err(e @ (Error::NotFound(_) | Error::Conflict(_))) => Ok(Outcome::Refused(e)),
            done => done,
        }
    }

    /// Notes in the log that a file was read, and what became of it. Of a dry run nothing is noted.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn finish(self, sums: Sums) -> Result<()> {
        if self.dry {
            return Ok(());
        }
        let who = self.ctx.actor.user_id().map_or(Uuid::nil(), |id| id.0);
        let event = Event::new("import.made", "import", who, self.kind.name())
            .with("made", sums.made)
            .with("there", sums.there)
            .with("refused", sums.refused);
        let (ctx, event) = (&self.ctx, &event);
        ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
    }

    /// Runs `work` in a transaction. A dry run rolls it back, and remembers `key` and its spelling for the rows that follow.
    async fn make<'a, F>(&mut self, key: String, spelling: &str, work: F) -> Result<Outcome>
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
                self.seen.insert(key, spelling.to_owned());
            }
            done => done?,
        }
        Ok(Outcome::Made)
    }

    /// The company that a row names.
    async fn home(&mut self, check: &mut Check, row: &Row) -> Result<Option<Arc<Home>>> {
        let read = |check: &mut Check| check.line("company_name", text(row, "company_name"), LINE);
        let Some(name) = sound(check, read) else { return Ok(None) };
        let key = unique_key(&name);
        if let Some(found) = self.homes.get(&key) {
            return Ok(check.read("company_name", found.clone()));
        }
        let found = match companies::find(&self.ctx, &name).await {
            Ok(company) => {
                let usual = companies::defaults(&self.ctx, Some(company.id)).await?;
                Ok(Arc::new(Home { company, usual }))
            }
            Err(Error::NotFound(_)) => Err(Problem::new("not_found")),
            Err(Error::Conflict(problem)) => Err(problem),
            Err(e) => return Err(e),
        };
        self.homes.insert(key, found.clone());
        Ok(check.read("company_name", found))
    }

    /// The partner that a row names: by address, else by name within the company.
    async fn partner(&mut self, check: &mut Check, row: &Row, company: CompanyId) -> Result<Option<IsoId>> {
        let read = |check: &mut Check| check.optional_email("iso_email", cell(row, "iso_email"));
        let Some(email) = sound(check, read) else { return Ok(None) };
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
        let read = |check: &mut Check| check.optional_line("iso_name", cell(row, "iso_name"), 2 * LINE + 1);
        let Some(Some(name)) = sound(check, read) else { return Ok(None) };
        let key = (Some(company), unique_key(&name));
        if !self.partners.contains_key(&key) {
            let found = self.named(company, &name).await?;
            self.partners.insert(key.clone(), found);
        }
        Ok(check.read("iso_name", self.partners[&key].clone()))
    }

    /// The partner of a company who is called so. One that is archived only where no other is: it is refused by that.
    async fn named(&self, company: CompanyId, name: &str) -> Result<Found<IsoId>> {
        let key = unique_key(name);
        for archived in [false, true] {
            let filter = isos::Filter { q: Some(name.to_owned()), company_id: Some(company), archived };
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

/// What a cell says, where nothing is wrong with it: only that is looked up.
fn sound<T>(check: &mut Check, read: impl Fn(&mut Check) -> T) -> Option<T> {
    let mut alone = Check::new();
    let value = read(&mut alone);
    if alone.done().is_ok() {
        return Some(value);
    }
    read(check);
    None
}

/// The column of the row that a field of the use cases was read from.
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
    async fn every_column_of_an_export_is_known() {
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
    fn a_column_has_one_place() {
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

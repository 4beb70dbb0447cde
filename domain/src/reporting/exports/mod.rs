//! CSV export of lists: every row that the list shows the actor, with the same filter, a page at a time.
//!
//! Each exported noun has a file with its columns. Amounts are written exactly, as in the API; cells are escaped against
//! formulas ([`csv`]).
mod activity;
mod calls;
mod clients;
mod column;
mod commissions;
mod companies;
mod credit_notes;
mod documents;
mod invoices;
mod isos;
mod leads;
mod messages;
mod payments;
mod requests;
mod services;
mod spvs;
mod steps;
mod tasks;
mod users;

use crate::{
    accounts::{self, auth},
    desk, directory,
    kernel::{
        csv,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::Result,
        page::{MAX_LIMIT, Page, PageQuery},
    },
    orders,
    platform::activity::{Event, append},
};
use column::{cells, names};
use uuid::Uuid;

/// An exported list with its filter.
#[derive(Clone, Debug)]
pub enum Table {
    Clients(directory::clients::Filter),
    Companies(directory::companies::Filter),
    Isos(directory::isos::Filter),
    Spvs(orders::spvs::Filter),
    Requests(desk::requests::Filter),
    Invoices(orders::invoices::Filter),
    CreditNotes(orders::invoices::credit_notes::Filter),
    Payments(orders::invoices::PaymentFilter),
    /// The price list.
    Services,
    Documents(orders::documents::Filter),
    Leads(directory::leads::Filter),
    Calls(directory::calls::Filter),
    /// The tasks of the actor.
    Tasks,
    Commissions(orders::commissions::Filter),
    /// The steps of all orders.
    Steps,
    /// The messages of all threads.
    Messages,
    Users(accounts::users::UserQuery),
    Activity(crate::platform::activity::Filter),
    /// The activity log as super admins search it, with addresses and user agents.
    Log(crate::platform::activity::Search),
}

impl Table {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clients(_) => "clients",
            Self::Companies(_) => "companies",
            Self::Isos(_) => "isos",
            Self::Spvs(_) => "spvs",
            Self::Requests(_) => "requests",
            Self::Invoices(_) => "invoices",
            Self::CreditNotes(_) => "credit-notes",
            Self::Payments(_) => "payments",
            Self::Services => "services",
            Self::Documents(_) => "documents",
            Self::Leads(_) => "leads",
            Self::Calls(_) => "calls",
            Self::Tasks => "tasks",
            Self::Commissions(_) => "commissions",
            Self::Steps => "steps",
            Self::Messages => "messages",
            Self::Users(_) => "users",
            Self::Activity(_) => "activity",
            Self::Log(_) => "logs",
        }
    }
}

/// A part of a CSV file, and the cursor of the next one.
#[derive(Clone, Debug)]
pub struct CsvPage {
    pub text: String,
    pub next_cursor: Option<String>,
}

/// The first page, with the header line. Who may see the list; recorded in the activity log.
///
/// # Errors
/// Those of the list.
#[tracing::instrument(level = "debug", name = "exports.first_page", skip_all)]
pub async fn first_page(ctx: &Ctx, table: &Table) -> Result<CsvPage> {
    let rest = next_page(ctx, table, None).await?;
    let mut text = String::new();
    csv::write_line(&mut text, columns(ctx, table).into_iter().map(str::to_owned));
    text.push_str(&rest.text);
    log_export(ctx, table).await?;
    Ok(CsvPage { text, ..rest })
}

/// Records an export in the activity log.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "exports.log_export", skip_all)]
pub async fn log_export(ctx: &Ctx, table: &Table) -> Result<()> {
    let actor = ctx.actor.user_id().map_or(Uuid::nil(), |id| id.0);
    let event = &Event::new("export.made", "export", actor, table.name());
    ctx.transaction(|tx| append(tx, ctx, event.clone()).scope_boxed()).await
}

/// The page after `cursor`. Revalidates the session, as pages can be hours apart.
///
/// # Errors
/// Those of the list; Unauthenticated if the session ended since the first page.
#[tracing::instrument(level = "debug", name = "exports.next_page", skip_all)]
pub async fn next_page(ctx: &Ctx, table: &Table, cursor: Option<String>) -> Result<CsvPage> {
    if cursor.is_some() {
        auth::revalidate_session(&mut ctx.db(), ctx).await?;
    }
    let found = rows(ctx, table, cursor).await?;
    let mut text = String::new();
    found.items.into_iter().for_each(|cells| csv::write_line(&mut text, cells));
    Ok(CsvPage { text, next_cursor: found.next_cursor })
}

/// Rows after `cursor` as unescaped cells, in the order of [`columns`].
///
/// # Errors
/// Those of the list.
#[tracing::instrument(level = "debug", name = "exports.rows", skip_all)]
pub async fn rows(ctx: &Ctx, table: &Table, cursor: Option<String>) -> Result<Page<Vec<String>>> {
    let page = &PageQuery { limit: Some(MAX_LIMIT), cursor };
    Ok(match table {
        Table::Clients(filter) => cells(ctx, clients::COLUMNS, clients::list(ctx, filter, page).await?),
        Table::Companies(filter) => cells(ctx, companies::COLUMNS, companies::list(ctx, filter, page).await?),
        Table::Isos(filter) => cells(ctx, isos::COLUMNS, isos::list(ctx, filter, page).await?),
        Table::Spvs(filter) => cells(ctx, spvs::COLUMNS, spvs::list(ctx, filter, page).await?),
        Table::Requests(filter) => cells(ctx, requests::COLUMNS, requests::list(ctx, filter, page).await?),
        Table::Invoices(filter) => cells(ctx, invoices::COLUMNS, invoices::list(ctx, filter, page).await?),
        Table::CreditNotes(filter) => {
            cells(ctx, credit_notes::COLUMNS, orders::invoices::credit_notes::list(ctx, filter, page).await?)
        }
        Table::Payments(filter) => {
            cells(ctx, payments::COLUMNS, orders::invoices::payments::list(ctx, filter, page).await?)
        }
        Table::Services => cells(ctx, services::COLUMNS, services::list(ctx).await?),
        Table::Documents(filter) => cells(ctx, documents::COLUMNS, documents::list(ctx, filter, page).await?),
        Table::Leads(filter) => cells(ctx, leads::COLUMNS, leads::list(ctx, filter, page).await?),
        Table::Calls(filter) => cells(ctx, calls::COLUMNS, calls::list(ctx, filter, page).await?),
        Table::Tasks => cells(ctx, tasks::COLUMNS, tasks::list(ctx).await?),
        Table::Commissions(filter) => cells(ctx, commissions::COLUMNS, commissions::list(ctx, filter, page).await?),
        Table::Steps => cells(ctx, steps::COLUMNS, steps::all(ctx, page).await?),
        Table::Messages => cells(ctx, messages::COLUMNS, messages::all(ctx, page).await?),
        Table::Users(query) => cells(ctx, users::COLUMNS, users::list(ctx, query, page).await?),
        Table::Activity(filter) => cells(ctx, activity::COLUMNS, activity::list(ctx, filter, page).await?),
        Table::Log(search) => cells(ctx, activity::LOG_COLUMNS, activity::search(ctx, search, page).await?),
    })
}

/// Names of the columns that the actor may see. As in the API, so that a program can read the file back.
pub fn columns(ctx: &Ctx, table: &Table) -> Vec<&'static str> {
    match table {
        Table::Clients(_) => names(ctx, clients::COLUMNS),
        Table::Companies(_) => names(ctx, companies::COLUMNS),
        Table::Isos(_) => names(ctx, isos::COLUMNS),
        Table::Spvs(_) => names(ctx, spvs::COLUMNS),
        Table::Requests(_) => names(ctx, requests::COLUMNS),
        Table::Invoices(_) => names(ctx, invoices::COLUMNS),
        Table::CreditNotes(_) => names(ctx, credit_notes::COLUMNS),
        Table::Payments(_) => names(ctx, payments::COLUMNS),
        Table::Services => names(ctx, services::COLUMNS),
        Table::Documents(_) => names(ctx, documents::COLUMNS),
        Table::Leads(_) => names(ctx, leads::COLUMNS),
        Table::Calls(_) => names(ctx, calls::COLUMNS),
        Table::Tasks => names(ctx, tasks::COLUMNS),
        Table::Commissions(_) => names(ctx, commissions::COLUMNS),
        Table::Steps => names(ctx, steps::COLUMNS),
        Table::Messages => names(ctx, messages::COLUMNS),
        Table::Users(_) => names(ctx, users::COLUMNS),
        Table::Activity(_) => names(ctx, activity::COLUMNS),
        Table::Log(_) => names(ctx, activity::LOG_COLUMNS),
    }
}

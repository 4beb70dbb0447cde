//! A company's clients with the progress of their orders.
use super::{portal, store};
use crate::{
    directory::clients::{self, Client},
    kernel::{
        access::Scope,
        ctx::Ctx,
        error::Result,
        ids::{CompanyId, UserId},
        order,
        page::{Page, PageQuery},
    },
};

/// A client with the progress of its orders with the company.
#[derive(Clone, Debug)]
pub struct PortfolioClient {
    /// Of a client who belongs to another company by now, only what the orders show; that company is None.
    pub client: Client,
    /// Whether it has an order, including cancelled ones: an active client of the overview.
    pub ordered: bool,
    pub progress: Progress,
}

/// The numbers of orders that are not cancelled, and of their steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub spvs: i64,
    pub closed: i64,
    pub steps_total: i64,
    pub steps_completed: i64,
}

impl Progress {
    /// Completed steps of all, in whole percent; 0 without steps.
    pub fn percent(&self) -> i64 {
        order::percent(self.steps_completed, self.steps_total)
    }
}

/// Clients with an order of the company, and its own clients without one, newest first. Archived ones are included, as
/// their orders still count. Its admins, and the super admin who has picked it.
///
/// # Errors
/// As [`portal`]; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "companies.clients", skip_all, fields(company_id = %id))]
pub async fn clients(ctx: &Ctx, id: CompanyId, q: Option<&str>, page: &PageQuery) -> Result<Page<PortfolioClient>> {
    let company = portal(ctx, Some(id)).await?;
    let limit = page.limit()?;
    let rows = clients::of_company(&mut ctx.db(), company.id, q.unwrap_or(""), page.after()?, limit + 1).await?;
    let found = Page::from_rows(rows, limit, |client| (client.created_at, client.id));
    let ids: Vec<UserId> = found.items.iter().map(|client| client.id).collect();
    let progress = store::progress(&mut ctx.db(), Scope::Company(company.id), &ids).await?;
    Ok(found.map(|client| {
        let ordered = progress.get(&client.id).copied();
        let client = if client.company_id == Some(company.id) { client } else { visible_by_orders(client) };
        PortfolioClient { client, ordered: ordered.is_some(), progress: ordered.unwrap_or_default() }
    }))
}

/// The fields of another company's client that its orders show.
fn visible_by_orders(client: Client) -> Client {
    Client {
        phone: None,
        address: None,
        company_id: None,
        company_name: None,
        iso_id: None,
        iso_first_name: None,
        iso_last_name: None,
        latest_spv_id: None,
        last_sign_in_at: None,
        ..client
    }
}

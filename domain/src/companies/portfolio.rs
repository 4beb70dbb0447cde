//! A company's clients with how far their orders are.
use super::{portal, store};
use crate::{
    access::Scope,
    clients::{self, Client},
    ctx::Ctx,
    error::Result,
    ids::{CompanyId, UserId},
    page::{Page, PageQuery},
};

/// A client, and what of its orders are the company's.
#[derive(Clone, Debug)]
pub struct PortfolioClient {
    pub client: Client,
    pub progress: Progress,
}

/// Orders that are not cancelled, and their steps.
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
        crate::spvs::percent(self.steps_completed, self.steps_total)
    }
}

/// The company's clients, newest first, archived ones too: their orders count as before. Its admins, and the super admin who has picked it.
///
/// # Errors
/// As [`portal`] says; Invalid for a wrong limit or cursor.
pub async fn clients(
    ctx: &Ctx,
    id: CompanyId,
    filter: &clients::Filter,
    page: &PageQuery,
) -> Result<Page<PortfolioClient>> {
    let company = portal(ctx, Some(id)).await?;
    let filter = clients::Filter { company_id: Some(company.id), archived: true, ..filter.clone() };
    let found = clients::list(ctx, &filter, page).await?;
    let ids: Vec<UserId> = found.items.iter().map(|client| client.id).collect();
    let progress = store::progress(&mut ctx.db(), Scope::Company(company.id), &ids).await?;
    let of = |id: UserId| progress.get(&id).copied().unwrap_or_default();
    Ok(found.map(|client| PortfolioClient { progress: of(client.id), client }))
}

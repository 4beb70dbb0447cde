//! Lookup of rows by id, email or name, as flags give them, and prompts to choose one.
use crate::{
    context::CliContext,
    exit::{Failure, Result},
};
use domain::{
    Ctx, Error,
    accounts::users::{self, User},
    directory::{
        clients::Client,
        companies::{self, Company},
        isos::{self, Iso},
    },
    kernel::{
        ids::{CompanyId, IsoId},
        page::{MAX_LIMIT, PageQuery},
    },
};

/// Adds the flag to the error for an unknown name.
fn add_flag(flag: &str, name: &str, error: Error) -> Failure {
    match error {
        Error::NotFound(_) if name.trim().is_empty() => Error::field(flag, "required").into(),
        Error::NotFound(noun) => Failure::Refused(format!("--{flag}: there is no {noun} `{name}`")),
        other => other.into(),
    }
}

/// The id of the company called `name`, given as `--company`.
pub async fn company(ctx: &Ctx, name: Option<&str>) -> Result<Option<CompanyId>> {
    let Some(name) = name else { return Ok(None) };
    Ok(Some(companies::find(ctx, name).await.map_err(|e| add_flag("company", name, e))?.id))
}

/// The id of the ISO with the address `name`, given as `--iso`.
pub async fn iso(ctx: &Ctx, name: Option<&str>) -> Result<Option<IsoId>> {
    let Some(name) = name else { return Ok(None) };
    Ok(Some(isos::find(ctx, name).await.map_err(|e| add_flag("iso", name, e))?.id))
}

/// The client with the address `name`, given as `--client`.
pub async fn client(ctx: &Ctx, name: &str) -> Result<Client> {
    domain::directory::clients::find(ctx, name).await.map_err(|e| add_flag("client", name, e))
}

/// The account with this id or address.
pub async fn user(ctx: &Ctx, name: &str) -> Result<User> {
    Ok(match name.parse() {
        Ok(id) => users::get(ctx, id).await?,
        Err(_) => users::find(ctx, name).await?,
    })
}

/// Prompts for a company.
pub async fn choose_company(cli: &CliContext) -> Result<CompanyId> {
    let companies = companies::list(&cli.ctx, &companies::Filter::default(), &max_page()).await?.items;
    if companies.is_empty() {
        return Err(Failure::Refused("there is no company yet; make one with `spvctl company create`".to_owned()));
    }
    let names: Vec<String> = companies.iter().map(|company: &Company| company.name.clone()).collect();
    Ok(companies[cli.prompt.select("Company", &names)?].id)
}

/// Prompts for one of a company's ISO partners, or none.
pub async fn choose_iso(cli: &CliContext, company: CompanyId) -> Result<Option<IsoId>> {
    let filter = isos::Filter { company_id: Some(company), ..isos::Filter::default() };
    let partners = isos::list(&cli.ctx, &filter, &max_page()).await?.items;
    if partners.is_empty() {
        return Ok(None);
    }
    let mut names = vec!["No ISO partner".to_owned()];
    names.extend(partners.iter().map(|iso: &Iso| format!("{} <{}>", iso.name(), iso.email)));
    Ok(cli.prompt.select("ISO partner", &names)?.checked_sub(1).map(|n| partners[n].id))
}

fn max_page() -> PageQuery {
    PageQuery { limit: Some(MAX_LIMIT), cursor: None }
}

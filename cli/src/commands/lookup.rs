//! Lookup of rows by id, email or name, as arguments and flags give them, and prompts to choose one.
//!
//! A name that does not exist is taken as a prefix, if it is that of a single name; which one is printed. Otherwise the error
//! names the nearest.
use crate::{
    context::CliContext,
    exit::{Failure, Result},
    output::info,
    prompt::non_empty,
};
use domain::kernel::nearest::nearest;
use domain::{
    Ctx, Error,
    accounts::users::{self, User, UserQuery, UserRow},
    desk::requests::{self, Request},
    directory::{
        clients::{self, Client},
        companies::{self, Company},
        isos::{self, Iso},
    },
    kernel::{
        geo::Country,
        ids::{CommissionId, CompanyId, DocumentId, IsoId, MailId},
        page::{MAX_LIMIT, Page, PageQuery},
        text::{search_fold, unique_key},
    },
    operations::names::{self, Named, Noun},
    orders::{
        invoices,
        services::{self, Service},
        spvs::{self, Detail},
    },
};
use uuid::Uuid;

/// Rows that are searched for a similar name.
const SEARCHED: i64 = 20_000;
/// The shortest prefix of a name: with fewer letters a mistyped name would often be another one's prefix.
const MIN_PREFIX: usize = 3;
/// Names of an ambiguous prefix that are listed.
const LISTED: i64 = 6;

/// A client, ISO partner or account, for lookups by name.
struct Person {
    id: Uuid,
    name: String,
    email: String,
}

/// The row that `typed` names for `exact`, or the only one with this prefix of a name or id.
async fn find<T>(ctx: &Ctx, noun: Noun, typed: &str, exact: impl AsyncFn(&str) -> domain::Result<T>) -> Result<T> {
    find_or_search(ctx, noun, typed, exact, async || Ok(Page { items: Vec::new(), next_cursor: None })).await
}

/// [`find`], or the only person of a `search` for the name. Refuses where the name and the beginning of an address or id mean
/// two people.
async fn find_or_search<T>(
    ctx: &Ctx,
    noun: Noun,
    typed: &str,
    exact: impl AsyncFn(&str) -> domain::Result<T>,
    search: impl AsyncFn() -> domain::Result<Page<Person>>,
) -> Result<T> {
    if typed.trim().is_empty() {
        return Err(Failure::Usage(format!("the name of the {} is empty", noun.singular())));
    }
    match exact(typed).await {
        Err(Error::NotFound(_)) => {}
        found => return Ok(found?),
    }
    if typed.chars().count() < MIN_PREFIX {
        return Err(unknown(ctx, noun, typed).await?);
    }
    let searched = search().await?;
    if searched.next_cursor.is_some() {
        return Err(Failure::Refused(format!("many of the {} match `{typed}`; give the email address", noun.plural())));
    }
    let named = only_named(searched.items, typed);
    let mut found: Vec<(Uuid, String)> =
        named.iter().map(|person| (person.id, format!("{} <{}>", person.name, person.email))).collect();
    let beginning = names::beginning_with(ctx, noun, typed, LISTED).await?;
    let others = beginning.iter().filter(|row| named.iter().all(|person| person.id != row.id));
    found.extend(others.map(|row| (row.id, display(row))));
    match &found[..] {
        [] => Err(unknown(ctx, noun, typed).await?),
        [(id, shown)] => {
            info(&format!("{typed} is the {} {shown}", noun.singular()));
            Ok(exact(&id.to_string()).await?)
        }
        several => {
            let shown: Vec<&str> = several.iter().take(LISTED as usize).map(|(_, shown)| shown.as_str()).collect();
            let (plural, shown) = (noun.plural(), shown.join(", "));
            Err(Failure::Refused(match named.is_empty() {
                true => format!("several of the {plural} begin with `{typed}`: {shown}"),
                false => format!("several of the {plural} are called `{typed}`: {shown}; give the email address"),
            }))
        }
    }
}

/// People whose whole name was typed, else those whose name has all typed words: part of a word is not enough to act on.
fn only_named(mut found: Vec<Person>, typed: &str) -> Vec<Person> {
    let typed = search_fold(typed);
    let name = |person: &Person| search_fold(&person.name);
    // A search also finds addresses.
    found.retain(|person| typed.split(' ').all(|word| name(person).split(' ').any(|one| one == word)));
    if found.iter().any(|person| name(person) == typed) {
        found.retain(|person| name(person) == typed);
    }
    found
}

/// The query of a search for a name, and the page that is read of it.
fn name_search(name: &str) -> (Option<String>, PageQuery) {
    (Some(name.to_owned()), PageQuery { limit: Some(MAX_LIMIT), cursor: None })
}

fn display(row: &Named) -> String {
    if row.name.is_empty() { row.id.to_string() } else { row.name.clone() }
}

async fn unknown(ctx: &Ctx, noun: Noun, typed: &str) -> Result<Failure> {
    let all = names::beginning_with(ctx, noun, "", SEARCHED).await?;
    let near = nearest(typed, all.iter().map(|one| one.name.as_str()).filter(|name| !name.is_empty()));
    let near = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_else(|| ";".to_owned());
    Ok(Failure::Refused(format!(
        "there is no {} `{typed}`{near} `spvctl {} list` shows all",
        noun.singular(),
        noun.name()
    )))
}

/// Adds the flag to the error for an unknown name.
fn add_flag(flag: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Refused(words) => Failure::Refused(format!("--{flag}: {words}")),
        Failure::Usage(_) => Error::field(flag, "required").into(),
        other => other,
    }
}

/// The id of the company called `name`, given as `--company`.
pub async fn company(ctx: &Ctx, name: Option<&str>) -> Result<Option<CompanyId>> {
    let Some(name) = name else { return Ok(None) };
    Ok(Some(company_named(ctx, name).await.map_err(|e| add_flag("company", e))?.id))
}

/// The company with this name or id.
pub async fn company_named(ctx: &Ctx, name: &str) -> Result<Company> {
    find(ctx, Noun::Company, name, async |name| companies::find(ctx, name).await).await
}

/// The id of the ISO with the address `name`, given as `--iso`.
pub async fn iso(ctx: &Ctx, name: Option<&str>) -> Result<Option<IsoId>> {
    let Some(name) = name else { return Ok(None) };
    Ok(Some(iso_named(ctx, name).await.map_err(|e| add_flag("iso", e))?.id))
}

/// The ISO partner with this address, name or id.
pub async fn iso_named(ctx: &Ctx, name: &str) -> Result<Iso> {
    let search = async || {
        let (q, page) = name_search(name);
        let found = isos::list(ctx, &isos::Filter { q, ..isos::Filter::default() }, &page).await?;
        let person = |iso: Iso| Person { id: iso.id.0, name: iso.name(), email: iso.email };
        Ok::<Page<Person>, Error>(found.map(person))
    };
    find_or_search(ctx, Noun::Iso, name, async |name| isos::find(ctx, name).await, search).await
}

/// The client with the address `name`, given as `--client`.
pub async fn client(ctx: &Ctx, name: &str) -> Result<Client> {
    client_named(ctx, name).await.map_err(|e| add_flag("client", e))
}

/// The client with this address, name or id.
pub async fn client_named(ctx: &Ctx, name: &str) -> Result<Client> {
    let search = async || {
        let (q, page) = name_search(name);
        let found = clients::list(ctx, &clients::Filter { q, ..clients::Filter::default() }, &page).await?;
        let person = |client: Client| Person { id: client.id.0, name: client.name(), email: client.email };
        Ok::<Page<Person>, Error>(found.map(person))
    };
    find_or_search(ctx, Noun::Client, name, async |name| clients::find(ctx, name).await, search).await
}

/// The account with this id, name or address.
pub async fn user(ctx: &Ctx, name: &str) -> Result<User> {
    let exact = async |name: &str| match name.parse() {
        Ok(id) => users::get(ctx, id).await,
        Err(_) => users::find(ctx, name).await,
    };
    let search = async || {
        let (q, page) = name_search(name);
        let found = users::page(ctx, &UserQuery { q, ..UserQuery::default() }, &page).await?.page;
        let person = |user: UserRow| Person { id: user.id.0, name: user.name(), email: user.email };
        Ok::<Page<Person>, Error>(found.map(person))
    };
    find_or_search(ctx, Noun::User, name, exact, search).await
}

/// The order with this identifier, order number or id.
pub async fn spv(ctx: &Ctx, name: &str) -> Result<Detail> {
    find(ctx, Noun::Spv, name, async |name| spvs::find(ctx, name).await).await
}

/// The service of the price list with this name or id, in a country if given.
pub async fn service(ctx: &Ctx, name: &str, country: Option<Country>) -> Result<Service> {
    let mut all = services::list(ctx, country).await?;
    let key = unique_key(name);
    let found: Vec<usize> =
        (0..all.len()).filter(|n| unique_key(&all[*n].name) == key || all[*n].id.to_string() == name).collect();
    match found[..] {
        [one] => Ok(all.swap_remove(one)),
        [] => {
            let near = nearest(name, all.iter().map(|service| service.name.as_str()));
            let near = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_else(|| ";".to_owned());
            Err(Failure::Refused(format!("there is no service `{name}`{near} `spvctl service list` shows all")))
        }
        _ => Err(Failure::Refused(format!("several countries have a service `{name}`; give --country"))),
    }
}

/// The invoice with this number or id.
pub async fn invoice(ctx: &Ctx, name: &str) -> Result<invoices::Detail> {
    find(ctx, Noun::Invoice, name, async |name| invoices::find(ctx, name).await).await
}

/// The request with this reference or id.
pub async fn request(ctx: &Ctx, name: &str) -> Result<Request> {
    let exact = async |name: &str| match name.parse() {
        Ok(id) => requests::get(ctx, id).await,
        Err(_) => requests::find(ctx, name).await,
    };
    find(ctx, Noun::Request, name, exact).await
}

/// The id of the email with this id or prefix of it.
pub async fn mail(ctx: &Ctx, id: &str) -> Result<MailId> {
    find(ctx, Noun::Mail, id, async |id| parse_id(Noun::Mail, id)).await
}

/// The id of the document with this id or prefix of it.
pub async fn document(ctx: &Ctx, id: &str) -> Result<DocumentId> {
    find(ctx, Noun::Document, id, async |id| parse_id(Noun::Document, id)).await
}

/// The id of the commission with this id or prefix of it.
pub async fn commission(ctx: &Ctx, id: &str) -> Result<CommissionId> {
    find(ctx, Noun::Commission, id, async |id| parse_id(Noun::Commission, id)).await
}

fn parse_id<T: std::str::FromStr>(noun: Noun, id: &str) -> domain::Result<T> {
    id.parse().map_err(|_| Error::NotFound(noun.name()))
}

/// Prompts for a row by its name, until there is one.
pub async fn ask<T>(cli: &CliContext, question: &str, find: impl AsyncFn(&str) -> Result<T>) -> Result<T> {
    loop {
        match find(&cli.prompt.text(None, question, non_empty)?).await {
            Err(Failure::Refused(words)) => info(&words),
            found => return found,
        }
    }
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

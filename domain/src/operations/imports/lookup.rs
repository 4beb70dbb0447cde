//! Companies and ISO partners that the rows of a file name, cached for the file.
use super::{Import, Row, cell, text, valid};
use crate::{
    accounts::users,
    directory::{
        companies::{self, Company, Defaults},
        isos::{self, Iso},
    },
    kernel::{
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId},
        page::{MAX_LIMIT, PageQuery},
        text::unique_key,
        validate::{LINE, Validator},
    },
};
use std::{collections::HashMap, sync::Arc};

/// Result of a lookup by name, or why it fails.
type Lookup<T> = std::result::Result<T, Problem>;

#[derive(Debug, Default)]
pub(super) struct Lookups {
    companies: HashMap<String, Lookup<Arc<CompanyContext>>>,
    /// Partners by email, or by company and name.
    partners: HashMap<(Option<CompanyId>, String), Lookup<Arc<Iso>>>,
}

/// A company and the defaults of its orders and accounts.
#[derive(Debug)]
pub(super) struct CompanyContext {
    pub company: Company,
    pub defaults: Defaults,
}

impl Import {
    /// Finds the company of a row.
    pub(super) async fn company(&mut self, check: &mut Validator, row: &Row) -> Result<Option<Arc<CompanyContext>>> {
        let read = |check: &mut Validator| check.single_line("company_name", text(row, "company_name"), LINE);
        let Some(name) = valid(check, read) else { return Ok(None) };
        let key = unique_key(&name);
        if let Some(found) = self.lookups.companies.get(&key) {
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
        self.lookups.companies.insert(key, found.clone());
        Ok(check.read("company_name", found))
    }

    /// Finds the partner of a row by email, else by name within the company.
    pub(super) async fn partner(
        &mut self,
        check: &mut Validator,
        row: &Row,
        company: CompanyId,
    ) -> Result<Option<Arc<Iso>>> {
        let read = |check: &mut Validator| check.optional_email("iso_email", cell(row, "iso_email"));
        let Some(email) = valid(check, read) else { return Ok(None) };
        if let Some(email) = email {
            let key = (None, users::email_key(&email));
            if !self.lookups.partners.contains_key(&key) {
                let found = match isos::find(&self.ctx, &email).await {
                    Ok(iso) => Ok(Arc::new(iso)),
                    Err(Error::NotFound(_)) => Err(Problem::new("not_found")),
                    Err(e) => return Err(e),
                };
                self.lookups.partners.insert(key.clone(), found);
            }
            let found = self.lookups.partners[&key].clone();
            let within = |iso: &Arc<Iso>| iso.company_id == company;
            let found = found.and_then(|iso| if within(&iso) { Ok(iso) } else { Err(Problem::new("not_in_company")) });
            return Ok(check.read("iso_email", found));
        }
        let read = |check: &mut Validator| check.optional_line("iso_name", cell(row, "iso_name"), 2 * LINE + 1);
        let Some(Some(name)) = valid(check, read) else { return Ok(None) };
        let key = (Some(company), unique_key(&name));
        if !self.lookups.partners.contains_key(&key) {
            let found = self.find_partner_by_name(company, &name).await?;
            self.lookups.partners.insert(key.clone(), found);
        }
        Ok(check.read("iso_name", self.lookups.partners[&key].clone()))
    }

    /// Finds a partner of the company by name, archived ones last.
    async fn find_partner_by_name(&self, company: CompanyId, name: &str) -> Result<Lookup<Arc<Iso>>> {
        let key = unique_key(name);
        for archived in [false, true] {
            let filter =
                isos::Filter { q: Some(name.to_owned()), company_id: Some(company), archived, ..Default::default() };
            let page = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
            let found = isos::list(&self.ctx, &filter, &page).await?.items;
            let mut same = found.into_iter().filter(|iso| unique_key(&iso.name()) == key);
            match (same.next(), same.next()) {
                (None, _) => {}
                (Some(one), None) => return Ok(Ok(Arc::new(one))),
                _ => return Ok(Err(Problem::new("ambiguous"))),
            }
        }
        Ok(Err(Problem::new("not_found")))
    }
}

/// The id of a partner that was found.
pub(super) fn id(iso: Option<&Arc<Iso>>) -> Option<IsoId> {
    iso.map(|iso| iso.id)
}

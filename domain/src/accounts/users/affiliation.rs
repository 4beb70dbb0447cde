//! Affiliation rules: which company and ISO an account of a role must, may or must not belong to.
use super::store;
use crate::kernel::{
    access::Role,
    ctx::Ctx,
    error::{Problem, Result},
    ids::{CompanyId, IsoId},
    validate::Validator,
};

/// Validates the company and ISO given for a role and returns those that the role has. Staff have neither, a company
/// admin has a company, an ISO user an ISO and its company, a client a company and possibly one of its ISOs.
///
/// # Errors
/// Database errors; invalid fields are added to `check`.
pub(crate) async fn validate_affiliation(
    check: &mut Validator,
    ctx: &Ctx,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
) -> Result<(Option<CompanyId>, Option<IsoId>)> {
    let mut db = ctx.db();
    let iso_company = match iso_id {
        Some(id) => store::iso_company(&mut db, id).await?,
        None => None,
    };
    match role {
        Role::Employee | Role::SuperAdmin => {
            for (field, given) in [("company_id", company_id.is_some()), ("iso_id", iso_id.is_some())] {
                if given {
                    check.reject(field, Problem::new("not_allowed"));
                }
            }
            return Ok((None, None));
        }
        Role::Iso => {
            match (iso_id, iso_company) {
                (None, _) => check.reject("iso_id", Problem::new("required")),
                (Some(_), None) => check.reject("iso_id", Problem::new("archived")),
                (Some(_), Some(company)) if company_id.is_some_and(|id| id != company) => {
                    check.reject("iso_id", Problem::new("not_in_company"));
                }
                _ => {}
            }
            return Ok((iso_company, iso_id));
        }
        Role::CompanyAdmin | Role::Client => {}
    }
    match company_id {
        None => check.reject("company_id", Problem::new("required")),
        Some(id) if !store::is_company_open(&mut db, id).await? => check.reject("company_id", Problem::new("archived")),
        Some(_) => {}
    }
    if role == Role::CompanyAdmin {
        if iso_id.is_some() {
            check.reject("iso_id", Problem::new("not_allowed"));
        }
        return Ok((company_id, None));
    }
    match iso_company {
        None if iso_id.is_some() => check.reject("iso_id", Problem::new("archived")),
        Some(company) if Some(company) != company_id => check.reject("iso_id", Problem::new("not_in_company")),
        _ => {}
    }
    Ok((company_id, iso_id))
}

//! A saved view and its validation.
use crate::kernel::{
    error::{Problem, Result},
    ids::SavedViewId,
    validate::Validator,
};

const MAX_NAME_CHARS: usize = 60;
/// Characters of a query string: a search, a few filters and an order.
const MAX_QUERY_CHARS: usize = 1_000;

crate::kernel::text_enum! {
    /// The lists with saved views.
    #[schema(as = ListName)]
    pub enum List {
        Calls = "calls",
        Clients = "clients",
        Commissions = "commissions",
        Companies = "companies",
        CompanyClients = "company_clients",
        Documents = "documents",
        Invoices = "invoices",
        Isos = "isos",
        Leads = "leads",
        Members = "members",
        PayoutRuns = "payout_runs",
        Requests = "requests",
        Spvs = "spvs",
        Tasks = "tasks",
        Users = "users",
    }
}

/// A view of a list: its filters and its order, as the query string of the list's page.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SavedView {
    pub id: SavedViewId,
    pub list: List,
    pub name: String,
    pub query: String,
    /// From 0 among the views of its list.
    pub position: i64,
    pub version: i64,
}

#[derive(Clone, Debug)]
pub struct Input {
    pub list: List,
    pub name: String,
    pub query: String,
}

/// The changes of a view; a field left out stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub name: Option<String>,
    pub query: Option<String>,
    pub position: Option<usize>,
}

impl Input {
    pub(super) fn validated(self) -> Result<Self> {
        let mut check = Validator::new();
        let name = check.single_line("name", &self.name, MAX_NAME_CHARS);
        check_query(&mut check, &self.query);
        check.finish()?;
        Ok(Self { name, ..self })
    }
}

impl Change {
    pub(super) fn validated(self) -> Result<Self> {
        let mut check = Validator::new();
        let name = self.name.as_deref().map(|name| check.single_line("name", name, MAX_NAME_CHARS));
        if let Some(query) = &self.query {
            check_query(&mut check, query);
        }
        check.finish()?;
        Ok(Self { name, ..self })
    }
}

/// A query string as browsers write it, without `?`. It is only sent back.
fn check_query(check: &mut Validator, query: &str) {
    let is_query = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/%".contains(c);
    if query.len() > MAX_QUERY_CHARS {
        check.reject("query", Problem::new("too_long").with("max", MAX_QUERY_CHARS));
    } else if !query.chars().all(is_query) {
        check.reject("query", Problem::new("malformed"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &str, query: &str) -> Vec<String> {
        let input = Input { list: List::Invoices, name: name.to_owned(), query: query.to_owned() };
        match input.validated() {
            Err(crate::kernel::error::Error::Invalid(fields)) => {
                fields.iter().map(|field| format!("{} {}", field.field, field.problem.code)).collect()
            }
            other => {
                other.expect("valid");
                Vec::new()
            }
        }
    }

    #[test]
    fn names_and_queries_are_limited() {
        assert_eq!(fields("Late and large", "due=overdue&sort=-total&q=a+b%C3%A9"), [""; 0]);
        assert_eq!(fields("Everything", ""), [""; 0]);
        assert_eq!(fields(" ", ""), ["name required"]);
        assert_eq!(fields(&"x".repeat(61), ""), ["name too_long"]);
        assert_eq!(fields("x", &"a".repeat(1_001)), ["query too_long"]);
        for query in ["?q=a", "q=<b>", "q=é", "q=a\n", "q=a#b"] {
            assert_eq!(fields("x", query), ["query malformed"], "{query}");
        }
    }
}

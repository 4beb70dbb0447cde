//! Names of rows as a person types them: what begins with some letters, for unique prefixes, suggestions and completions of
//! the command line.
use crate::kernel::{
    access::{Action, Resource},
    ctx::Ctx,
    db::Sql,
    error::Result,
    text::unique_key,
};
use uuid::Uuid;

/// A kind of row that commands take by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    Client,
    Commission,
    Company,
    Document,
    Invoice,
    Iso,
    Mail,
    Request,
    Spv,
    User,
}

/// A row by its id and the name that commands take.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Named {
    pub id: Uuid,
    pub name: String,
}

/// Digits from which on a text is looked up as the beginning of an id.
const ID_PREFIX: usize = 4;

impl Noun {
    /// What the commands call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Commission => "commission",
            Self::Company => "company",
            Self::Document => "document",
            Self::Invoice => "invoice",
            Self::Iso => "iso",
            Self::Mail => "mail",
            Self::Request => "request",
            Self::Spv => "spv",
            Self::User => "user",
        }
    }

    /// Several of them, in messages.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Client => "clients",
            Self::Commission => "commissions",
            Self::Company => "companies",
            Self::Document => "documents",
            Self::Invoice => "invoices",
            Self::Iso => "ISO partners",
            Self::Mail => "emails",
            Self::Request => "requests",
            Self::Spv => "orders",
            Self::User => "accounts",
        }
    }

    /// The rows with their names.
    fn rows(self) -> &'static str {
        match self {
            Self::Client => "select id, email as name from users where role = 'client'",
            Self::Commission => "select id, cast(null as text) as name from commissions",
            Self::Company => "select id, name from companies",
            Self::Document => "select id, cast(null as text) as name from documents",
            Self::Invoice => {
                "select id, cast(year as text) || '-' || case when number < 1000 then substr('000', length(cast(number as text))) \
                 else '' end || cast(number as text) as name from invoices"
            }
            Self::Iso => "select id, email as name from isos",
            Self::Mail => "select id, cast(null as text) as name from mails",
            Self::Request => "select id, cast(null as text) as name from requests",
            Self::Spv => "select id, custom_identifier as name from spvs",
            Self::User => "select id, email as name from users",
        }
    }
}

/// The rows of a noun whose name, in any letter case, or id begins with `start`, by name; up to `limit`. The operator and
/// super admins.
///
/// # Errors
/// Forbidden; Unavailable.
#[tracing::instrument(level = "debug", name = "names.beginning_with", skip_all)]
pub async fn beginning_with(ctx: &Ctx, noun: Noun, start: &str, limit: i64) -> Result<Vec<Named>> {
    ctx.may(Action::View, Resource::System)?;
    let sql = format!(
        "select id, coalesce(name, '') as name from ({}) named \
         where lower(substr(coalesce(name, ''), 1, cast($1 as integer))) = $2 or (id >= $3 and id <= $4) order by name, id limit {limit}",
        noun.rows()
    );
    let typed = unique_key(start);
    let letters = i64::try_from(typed.chars().count()).unwrap_or(i64::MAX);
    let (first, last) = id_range(&typed, noun).unwrap_or((Uuid::max(), Uuid::nil()));
    let mut db = ctx.db();
    db.sql_built(sql).bind(letters).bind(typed).bind(first).bind(last).all().await
}

/// The first and the last id that begin with these digits, which may follow the prefix of a reference as `REQ-`.
fn id_range(typed: &str, noun: Noun) -> Option<(Uuid, Uuid)> {
    let digits = match noun {
        Noun::Spv => typed.strip_prefix("spv-"),
        Noun::Request => typed.strip_prefix("req-"),
        _ => None,
    };
    let digits: String = digits.unwrap_or(typed).chars().filter(|c| *c != '-').collect();
    if !(ID_PREFIX..=32).contains(&digits.len()) || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    Some((format!("{digits:0<32}").parse().ok()?, format!("{digits:f<32}").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_digits_are_a_range_of_ids() {
        let (first, last) = id_range("6f1c-2", Noun::Mail).unwrap();
        assert_eq!(first.to_string(), "6f1c2000-0000-0000-0000-000000000000");
        assert_eq!(last.to_string(), "6f1c2fff-ffff-ffff-ffff-ffffffffffff");
        assert_eq!(id_range("req-6f1c", Noun::Request), id_range("6f1c", Noun::Mail));
        for none in ["6f1", "maya", "req-6f1c", ""] {
            assert_eq!(id_range(none, Noun::Mail), None, "{none}");
        }
    }
}

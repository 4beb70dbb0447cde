//! Names of rows as a person types them: what begins with some letters, for unique prefixes, suggestions and completions of
//! the command line.
mod store;

use crate::kernel::{
    access::{Action, Resource},
    ctx::Ctx,
    error::Result,
    ids::range_of_prefix,
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
    /// The name of its command.
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

    /// One of them, in messages.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Iso => "ISO partner",
            Self::Mail => "email",
            Self::Spv => "order",
            Self::User => "account",
            other => other.name(),
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
}

/// The rows of a noun whose name, in any letter case, or id begins with `start`, by name; up to `limit`. The operator and
/// super admins.
///
/// # Errors
/// Forbidden; Unavailable.
#[tracing::instrument(level = "debug", name = "names.beginning_with", skip_all)]
pub async fn beginning_with(ctx: &Ctx, noun: Noun, start: &str, limit: i64) -> Result<Vec<Named>> {
    ctx.may(Action::View, Resource::System)?;
    let typed = unique_key(start);
    let ids = id_range(&typed, noun);
    store::beginning_with(&mut ctx.db(), noun, typed, ids, limit).await
}

/// The first and the last id that begin with these digits, which may follow the prefix of a reference as `REQ-`.
fn id_range(typed: &str, noun: Noun) -> Option<(Uuid, Uuid)> {
    let digits = match noun {
        Noun::Spv => typed.strip_prefix("spv-"),
        Noun::Request => typed.strip_prefix("req-"),
        _ => None,
    };
    range_of_prefix(digits.unwrap_or(typed), ID_PREFIX)
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

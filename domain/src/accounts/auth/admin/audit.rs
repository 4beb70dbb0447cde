//! What happened to accounts and sessions, for an administrator of the protocol.
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        error::Result,
    },
    platform::activity::{self, Activity},
};

/// What the list is narrowed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Who did it: people by the words of their name or address, programs by their name.
    Author(String),
    Action(String),
    /// The noun: `user`, `session`.
    Type(String),
}

impl Query {
    /// `author:maya`, `action:session.started`, `type:user`.
    pub fn read(text: &str) -> Option<Self> {
        let (name, value) = text.split_once(':')?;
        let value = value.trim().trim_matches('%').to_owned();
        match name.trim() {
            "author" => Some(Self::Author(value)),
            "action" => Some(Self::Action(value)),
            "type" => Some(Self::Type(value)),
            _ => None,
        }
    }
}

/// The newest first. Super admins, service tokens.
///
/// # Errors
/// Forbidden.
pub async fn audit(ctx: &Ctx, query: Option<&Query>, offset: i64, limit: i64) -> Result<Vec<Activity>> {
    ctx.may(Action::View, Resource::Activity)?;
    activity::store::of_accounts(&mut ctx.db(), query, offset, limit).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_names_what_it_looks_at() {
        assert_eq!(Query::read("author: maya%"), Some(Query::Author("maya".to_owned())));
        assert_eq!(Query::read("type:user"), Some(Query::Type("user".to_owned())));
        assert_eq!(Query::read("maya"), None);
    }
}

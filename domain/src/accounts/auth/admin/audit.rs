//! Audit log of accounts and sessions for administrators of the auth protocol.
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        error::Result,
    },
    platform::activity::{self, Activity},
};

/// Filter of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditQuery {
    /// Author: people by name or address, programs by name.
    Author(String),
    Action(String),
    /// Subject kind: `user`, `session`.
    Type(String),
}

impl AuditQuery {
    /// Parses `author:maya`, `action:session.started`, `type:user`.
    pub fn parse(text: &str) -> Option<Self> {
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

/// Entries, newest first. Super admins, service tokens.
///
/// # Errors
/// Forbidden.
pub async fn audit(ctx: &Ctx, query: Option<&AuditQuery>, offset: i64, limit: i64) -> Result<Vec<Activity>> {
    ctx.may(Action::View, Resource::Activity)?;
    activity::store::of_accounts(&mut ctx.db(), query, offset, limit).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audit_query_parses_field_and_value() {
        assert_eq!(AuditQuery::parse("author: maya%"), Some(AuditQuery::Author("maya".to_owned())));
        assert_eq!(AuditQuery::parse("type:user"), Some(AuditQuery::Type("user".to_owned())));
        assert_eq!(AuditQuery::parse("maya"), None);
    }
}

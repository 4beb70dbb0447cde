//! Search of the whole activity log by actor, action, subject, time and IP address, for super admins.
use super::{Activity, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock,
        ctx::Ctx,
        error::{Problem, Result},
        page::{Page, PageQuery},
        validate::{self, LINE, Validator},
    },
    platform::settings,
};
use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

/// The query as it is sent; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// A user by id, name or email address, or a job or operator by name.
    pub who: Option<String>,
    /// A role, `operator`, `system`, `service` or `anonymous`.
    pub role: Option<String>,
    /// An action such as `spv.started`, or a noun such as `spv` for all of its actions.
    pub what: Option<String>,
    /// The subject: an id, or part of its name.
    pub subject: Option<String>,
    /// The first and the last day, in the actor's time zone.
    pub from: Option<String>,
    pub to: Option<String>,
    pub address: Option<String>,
}

/// Kinds of actors.
const ACTOR_KINDS: [&str; 9] =
    ["client", "iso", "employee", "company_admin", "super_admin", "operator", "service", "system", "anonymous"];

/// A validated [`Search`].
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchFilter {
    pub who: Option<String>,
    pub role: Option<String>,
    pub action: Option<String>,
    pub noun: Option<String>,
    pub subject_id: Option<Uuid>,
    pub subject: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
    pub address: Option<String>,
}

impl Search {
    fn validate(&self, zone: Tz) -> Result<SearchFilter> {
        let mut check = Validator::new();
        let from = check.optional("from", self.from.as_deref(), validate::date);
        let to = check.optional("to", self.to.as_deref(), validate::date);
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            check.reject("to", Problem::new("before_from"));
        }
        let role = check.optional("role", self.role.as_deref(), |role| {
            let known = ACTOR_KINDS.contains(&role).then(|| role.to_owned());
            known.ok_or_else(|| Problem::new("unknown").with("allowed", ACTOR_KINDS.join(", ")))
        });
        let what = check.optional_line("what", self.what.as_deref(), 80);
        let who = check.optional_line("who", self.who.as_deref(), LINE);
        let subject = check.optional_line("subject", self.subject.as_deref(), LINE);
        let address = check.optional_line("address", self.address.as_deref(), 64);
        check.finish()?;
        let (action, noun) = match what {
            Some(what) if what.contains('.') => (Some(what), None),
            noun => (None, noun),
        };
        let subject_id = subject.as_deref().and_then(|text| text.parse().ok());
        Ok(SearchFilter {
            who,
            role,
            action,
            noun,
            subject_id,
            subject: subject.filter(|_| subject_id.is_none()),
            from: from.map(|from| clock::start_of_day(from, zone)),
            to: to.map(|to| clock::start_of_day(to + Days::new(1), zone)),
            address,
        })
    }
}

/// The matching entries by time, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid per field, or for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "activity.search", skip_all)]
pub async fn search(ctx: &Ctx, search: &Search, page: &PageQuery) -> Result<Page<Activity>> {
    ctx.may(Action::View, Resource::Activity)?;
    let filter = search.validate(settings::person_zone(ctx).await?)?;
    let limit = page.limit()?;
    let rows = store::search(&mut ctx.db(), &filter, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |row| (row.at, row.seq)))
}

/// Restricts the log of accounts and sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountFilter {
    /// The actor: users by words of their name or email address, programs by name.
    Author(String),
    Action(String),
    /// The noun: `user`, `session`.
    Type(String),
}

impl AccountFilter {
    /// `author:maya`, `action:session.started`, `type:user`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_filter_is_a_name_and_a_value() {
        assert_eq!(AccountFilter::parse("author: maya%"), Some(AccountFilter::Author("maya".to_owned())));
        assert_eq!(AccountFilter::parse("type:user"), Some(AccountFilter::Type("user".to_owned())));
        assert_eq!(AccountFilter::parse("maya"), None);
    }
}

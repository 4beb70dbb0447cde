//! The log as super admins look through it: all of it, narrowed by who, what, about whom, when and from where.
use super::{Activity, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock,
        ctx::Ctx,
        error::{Problem, Result},
        page::{Page, PageQuery},
        validate::{self, Check, LINE},
    },
    platform::settings,
};
use chrono::{DateTime, Days, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

/// What is looked for. Empty is anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// A person by id, name or e-mail address, or a job or operator by name.
    pub who: Option<String>,
    /// A role, `operator`, `system`, `service` or `anonymous`.
    pub role: Option<String>,
    /// An action as `spv.started`, or all of a noun as `spv`.
    pub what: Option<String>,
    /// What it was about: an id, or words of its name.
    pub subject: Option<String>,
    /// The first and the last day, by the clock of whoever asks.
    pub from: Option<String>,
    pub to: Option<String>,
    pub address: Option<String>,
}

/// Everybody who can be an actor.
const KINDS: [&str; 9] =
    ["client", "iso", "employee", "company_admin", "super_admin", "operator", "service", "system", "anonymous"];

/// A search that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
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
    fn read(&self, zone: Tz) -> Result<Wanted> {
        let mut check = Check::new();
        let from = check.optional("from", self.from.as_deref(), validate::date);
        let to = check.optional("to", self.to.as_deref(), validate::date);
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            check.refuse("to", Problem::new("before_from"));
        }
        let role = check.optional("role", self.role.as_deref(), |role| {
            let known = KINDS.contains(&role).then(|| role.to_owned());
            known.ok_or_else(|| Problem::new("unknown").with("allowed", KINDS.join(", ")))
        });
        let what = check.optional_line("what", self.what.as_deref(), 80);
        let who = check.optional_line("who", self.who.as_deref(), LINE);
        let subject = check.optional_line("subject", self.subject.as_deref(), LINE);
        let address = check.optional_line("address", self.address.as_deref(), 64);
        check.done()?;
        let (action, noun) = match what {
            Some(what) if what.contains('.') => (Some(what), None),
            noun => (None, noun),
        };
        let subject_id = subject.as_deref().and_then(|text| text.parse().ok());
        Ok(Wanted {
            who,
            role,
            action,
            noun,
            subject_id,
            subject: subject.filter(|_| subject_id.is_none()),
            from: from.map(|from| clock::begin(from, zone)),
            to: to.map(|to| clock::begin(to + Days::new(1), zone)),
            address,
        })
    }
}

/// The entries that match, by when they happened, the newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for what cannot be looked for, a wrong limit or cursor.
pub async fn search(ctx: &Ctx, wanted: &Search, page: &PageQuery) -> Result<Page<Activity>> {
    ctx.may(Action::View, Resource::Activity)?;
    let wanted = wanted.read(settings::person_zone(ctx).await?)?;
    let limit = page.limit()?;
    let rows = store::search(&mut ctx.db(), &wanted, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |row| (row.at, row.seq)))
}

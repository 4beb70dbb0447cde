//! Everybody who may sign in, as the users page shows them: narrowed, sorted, counted, page by page.
use super::{Status, event, lock, store};
use crate::{
    accounts::auth::gaps::{self, Gap},
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId, UserId},
        page::{Page, PageQuery},
    },
    outbox::mails,
    platform::activity::{self, Activity},
};
use chrono::{DateTime, Utc};
use serde_json::Map;

/// How far into the list a page may begin: beyond it a search finds people sooner.
const DEEPEST: i64 = 100_000;

/// How the list is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Newest,
    Name,
    /// Whoever was here last comes first.
    LastActive,
}

impl Order {
    /// The names under which it is asked for.
    pub const NAMES: [&'static str; 3] = ["-created_at", "name", "-last_active_at"];

    pub fn read(text: &str) -> Option<Self> {
        match text {
            "-created_at" => Some(Self::Newest),
            "name" => Some(Self::Name),
            "-last_active_at" => Some(Self::LastActive),
            _ => None,
        }
    }
}

/// Who is listed. Without a status: everybody who is not archived.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub role: Option<Role>,
    pub status: Option<Status>,
    pub company_id: Option<CompanyId>,
    pub q: Option<String>,
    pub order: Order,
    /// From 1; a page that does not exist is empty.
    pub page: Option<u32>,
}

impl Wanted {
    /// Nothing narrows the list.
    fn is_everybody(&self) -> bool {
        self.role.is_none() && self.status.is_none() && self.company_id.is_none() && self.q.is_none()
    }
}

/// A line of the list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Row {
    pub id: UserId,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub role: Role,
    pub status: Status,
    pub company_id: Option<CompanyId>,
    pub company_name: Option<String>,
    pub iso_id: Option<IsoId>,
    pub iso_name: Option<String>,
    /// Signed in, or went on with a session.
    pub last_active_at: Option<DateTime<Utc>>,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
}

impl Row {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name).trim().to_owned()
    }
}

/// How many accounts there are of each status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Counted {
    pub active: i64,
    pub pending: i64,
    pub suspended: i64,
}

impl Counted {
    /// All that are not archived.
    pub fn total(self) -> i64 {
        self.active + self.pending + self.suspended
    }
}

/// A page of the list, and how many rows there are in all.
#[derive(Clone, Debug)]
pub struct Listing {
    pub page: Page<Row>,
    pub total: i64,
    pub counted: Counted,
}

/// A page of accounts. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit, cursor or page.
pub async fn listing(ctx: &Ctx, wanted: &Wanted, page: &PageQuery) -> Result<Listing> {
    ctx.may(Action::View, Resource::Users)?;
    let limit = page.limit()?;
    let offset = match (page.after::<i64>()?, wanted.page) {
        (Some(offset), _) => offset,
        (None, Some(0)) => return Err(out_of_range(1, DEEPEST)),
        (None, Some(page)) => (i64::from(page) - 1).saturating_mul(limit as i64),
        (None, None) => 0,
    };
    if !(0..=DEEPEST).contains(&offset) {
        return Err(out_of_range(1, DEEPEST / limit as i64));
    }
    let mut db = ctx.db();
    let rows = store::listing(&mut db, wanted, offset, limit + 1).await?;
    let counted = store::counted(&mut db).await?;
    let total = if wanted.is_everybody() { counted.total() } else { store::listed(&mut db, wanted).await? };
    Ok(Listing { page: Page::cut(rows, limit, |_| offset + limit as i64), total, counted })
}

fn out_of_range(min: i64, max: i64) -> Error {
    Error::field_with("page", Problem::new("out_of_range").with("min", min).with("max", max))
}

/// One account as the list shows it. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound.
pub async fn row(ctx: &Ctx, id: UserId) -> Result<Row> {
    ctx.may(Action::View, Resource::Users)?;
    store::row(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))
}

/// What somebody did, and what others did with the account, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound; Invalid for a wrong limit or cursor.
pub async fn activity_of(ctx: &Ctx, id: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let row = row(ctx, id).await?;
    activity::of_user(ctx, row.id, page).await
}

/// Mails another link to set a password to whoever has not accepted the invitation. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `not_invitable` for whoever has accepted already or is shut out,
/// `over_email_send_rate_limit` within the pause between two mails to one address.
pub async fn invite_again(ctx: &Ctx, id: UserId) -> Result<()> {
    ctx.may(Action::Update, Resource::Users)?;
    ctx.transaction(|tx| {
        async move {
            let user = lock(tx, id, None).await?;
            if user.status != Status::Pending {
                return Err(Error::conflict("not_invitable"));
            }
            gaps::pause(tx, ctx, Gap::Invitation, &user.email).await?;
            mails::queue(tx, ctx, mails::Kind::PasswordSetup, id, None, Map::new()).await?;
            activity::append(tx, ctx, event("user.invited", &user)).await
        }
        .scope_boxed()
    })
    .await
}

/// What the actor may do with an account: the buttons of its row.
pub fn can(ctx: &Ctx, row: &Row) -> Vec<&'static str> {
    if !ctx.can(Action::Update, Resource::Users) {
        return vec![];
    }
    let own = ctx.actor.user_id() == Some(row.id);
    let person = matches!(ctx.actor, Actor::User(_));
    let open = matches!(row.status, Status::Pending | Status::Active);
    [
        ("invite", row.status == Status::Pending),
        ("role", row.status != Status::Archived && !own),
        ("suspend", open && !own),
        ("restore", !open),
        ("archive", row.status != Status::Archived && !own),
        ("reset_mfa", row.status != Status::Archived),
        ("sign_out", open),
        ("impersonate", person && open && !own && row.role != Role::SuperAdmin),
    ]
    .into_iter()
    .filter_map(|(name, fits)| fits.then_some(name))
    .collect()
}

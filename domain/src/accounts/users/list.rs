//! List of users for super admins: filtered, sorted, counted, paged.
use super::{Status, event, lock, store};
use crate::{
    accounts::auth::mail_rate_limit::{self, MailPurpose},
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId, UserId},
        page::{Order, Page, PageQuery, SortColumn, SortKey, Total, values},
    },
    outbox::mails,
    platform::activity::{self, Activity},
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

/// Largest offset of a page; beyond it a search is faster than paging.
const MAX_OFFSET: i64 = 100_000;

/// The sort keys of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserSort {
    CreatedAt,
    /// By first name, then last name.
    Name,
    /// Accounts that were never active are the oldest.
    LastActive,
}

impl SortKey for UserSort {
    type Row = UserRow;
    const ALL: &'static [Self] = &[Self::CreatedAt, Self::Name, Self::LastActive];
    const DEFAULT: Order<Self> = Order::descending(Self::CreatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::Name => "name",
            Self::LastActive => "last_active_at",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("u.id");
        match self {
            Self::CreatedAt => const { &[SortColumn::instant("u.created_at"), ID] },
            Self::Name => const { &[SortColumn::text("u.first_name"), SortColumn::text("u.last_name"), ID] },
            Self::LastActive => const { &[SortColumn::instant("u.last_active_at").nulls_lowest(), ID] },
        }
    }

    fn values(self, row: &UserRow) -> Value {
        match self {
            Self::CreatedAt => values((row.created_at, row.id)),
            Self::Name => values((&row.first_name, &row.last_name, row.id)),
            Self::LastActive => values((row.last_active_at, row.id)),
        }
    }
}

/// Filters and order of the list. Without a status, archived accounts are left out.
#[derive(Clone, Debug, Default)]
pub struct UserQuery {
    pub role: Option<Role>,
    pub status: Option<Status>,
    pub company_id: Option<CompanyId>,
    pub q: Option<String>,
    pub order: Order<UserSort>,
    /// From 1, instead of a cursor; a page past the end is empty.
    pub page: Option<u32>,
}

impl UserQuery {
    fn is_unfiltered(&self) -> bool {
        self.role.is_none() && self.status.is_none() && self.company_id.is_none() && self.q.is_none()
    }
}

/// A row of the list.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct UserRow {
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
    /// Last sign-in or session refresh.
    pub last_active_at: Option<DateTime<Utc>>,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
}

impl UserRow {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name).trim().to_owned()
    }
}

/// Number of accounts by status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct StatusCounts {
    pub active: i64,
    pub pending: i64,
    pub suspended: i64,
}

impl StatusCounts {
    /// Accounts that are not archived.
    pub fn total(self) -> i64 {
        self.active + self.pending + self.suspended
    }
}

/// A page of the list with the number of rows in all.
#[derive(Clone, Debug)]
pub struct UserPage {
    pub page: Page<UserRow>,
    pub total: Total,
    pub counts: StatusCounts,
}

/// A page of accounts. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit, cursor or page.
#[tracing::instrument(level = "debug", name = "users.page", skip_all)]
pub async fn page(ctx: &Ctx, query: &UserQuery, page: &PageQuery) -> Result<UserPage> {
    ctx.may(Action::View, Resource::Users)?;
    let limit = page.limit()? as i64;
    let offset = match query.page {
        Some(0) => return Err(out_of_range(1, MAX_OFFSET)),
        Some(number) if page.cursor.is_none() => (i64::from(number) - 1).saturating_mul(limit),
        _ => 0,
    };
    if offset > MAX_OFFSET {
        return Err(out_of_range(1, MAX_OFFSET / limit));
    }
    let keyset = page.keyset(query.order)?;
    let mut db = ctx.db();
    let rows = store::page_rows(&mut db, query, &keyset, offset).await?;
    let counts = store::status_counts(&mut db).await?;
    let total = match query.is_unfiltered() {
        true => Total { rows: counts.total(), exact: true, sums: Vec::new() },
        false => store::count_page(&mut db, query).await?,
    };
    Ok(UserPage { page: Page::sorted(rows, page, query.order)?, total, counts })
}

fn out_of_range(min: i64, max: i64) -> Error {
    Error::field_with("page", Problem::new("out_of_range").with("min", min).with("max", max))
}

/// One account as the list shows it. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "users.row", skip_all, fields(user_id = %id))]
pub async fn row(ctx: &Ctx, id: UserId) -> Result<UserRow> {
    ctx.may(Action::View, Resource::Users)?;
    store::row(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))
}

/// Activity by and about an account, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "users.activity_of", skip_all, fields(user_id = %id))]
pub async fn activity_of(ctx: &Ctx, id: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let row = row(ctx, id).await?;
    activity::of_user(ctx, row.id, page).await
}

/// Sends a pending account another link to set a password. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `not_invitable` for an account that is not pending, `over_email_send_rate_limit`
/// within the cooldown of the address.
#[tracing::instrument(level = "debug", name = "users.invite_again", skip_all, fields(user_id = %id))]
pub async fn invite_again(ctx: &Ctx, id: UserId) -> Result<()> {
    ctx.may(Action::Update, Resource::Users)?;
    ctx.transaction(|tx| {
        async move {
            let user = lock(tx, id, None).await?;
            if user.status != Status::Pending {
                return Err(Error::conflict("not_invitable"));
            }
            mail_rate_limit::check_cooldown(tx, ctx, MailPurpose::Invitation, &user.email).await?;
            mails::queue(tx, ctx, mails::Kind::PasswordSetup, id, None, Map::new()).await?;
            activity::append(tx, ctx, event("user.invited", &user)).await
        }
        .scope_boxed()
    })
    .await
}

/// Actions that the actor may take on an account (`can` of a row).
pub fn can(ctx: &Ctx, row: &UserRow) -> Vec<&'static str> {
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

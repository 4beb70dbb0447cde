//! Members of a company: its admins, who invite and remove each other, but neither the last one nor themselves.
use super::{Company, portal, store};
use crate::{
    accounts::{
        auth::mail_rate_limit::{self, MailPurpose},
        users::{self, NewUser, Status, User},
    },
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, UserId},
        page::{Order, Page, PageQuery, Total},
        validate::{LINE, Validator},
    },
    outbox::mails,
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use serde_json::Map;

/// The accounts of one company that are not archived.
const MAX_MEMBERS: i64 = 200;

/// An account of the company portal.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Member {
    pub id: UserId,
    pub company_id: CompanyId,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub status: Status,
    /// Removed by the company, which may restore it.
    pub removed_by_company: bool,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Debug, Default)]
pub struct MemberInput {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct MemberFilter {
    pub q: Option<String>,
    /// Removed members instead of present ones.
    pub removed: bool,
    pub order: Order<MemberSort>,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberSort {
    CreatedAt,
    /// By first name, then last name.
    FirstName,
    /// Members who never signed in first.
    LastSignIn,
}

/// The members of a company, by default newest first. Its admins, and the super admin who has picked it.
///
/// # Errors
/// As [`portal`]; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "companies.members", skip_all, fields(company_id = %id))]
pub async fn members(ctx: &Ctx, id: CompanyId, filter: &MemberFilter, page: &PageQuery) -> Result<Page<Member>> {
    let company = portal(ctx, Some(id)).await?;
    let keyset = page.keyset(filter.order)?;
    let rows = store::members(&mut ctx.db(), company.id, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of members of a list.
///
/// # Errors
/// As [`portal`].
#[tracing::instrument(level = "debug", name = "companies.total_members", skip_all, fields(company_id = %id))]
pub async fn total_members(ctx: &Ctx, id: CompanyId, filter: &MemberFilter) -> Result<Total> {
    let company = portal(ctx, Some(id)).await?;
    store::total_members(&mut ctx.db(), company.id, filter).await
}

/// Creates an account for a new member and mails a link to set its password. Those who may list members.
///
/// # Errors
/// As [`portal`]; Invalid per field; Conflict `archived`, `too_many_members`, `over_email_send_rate_limit` beyond the
/// company's hourly quota of invitations.
#[tracing::instrument(level = "debug", name = "companies.invite_member", skip_all, fields(company_id = %id))]
pub async fn invite_member(ctx: &Ctx, id: CompanyId, input: MemberInput) -> Result<Member> {
    let company = portal(ctx, Some(id)).await?;
    if company.archived_at.is_some() {
        return Err(Error::conflict("archived"));
    }
    let mut check = Validator::new();
    let first_name = check.single_line("first_name", &input.first_name, LINE);
    let last_name = check.single_line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.phone("phone", input.phone.as_deref());
    check.finish()?;
    let new = &NewUser {
        phone,
        company_id: Some(company.id),
        language: company.language.clone(),
        ..NewUser::new(Role::CompanyAdmin, first_name, last_name, email)
    };
    let company = &company;
    let created = ctx.transaction(|tx| {
        async move {
            if let Some(made) = idempotency::find_previous(tx, ctx).await? {
                return Ok(UserId(made));
            }
            if store::open_admins(tx, company.id).await? >= MAX_MEMBERS {
                return Err(Error::Conflict(Problem::new("too_many_members").with("max", MAX_MEMBERS)));
            }
            // Without the holder of the address, which belongs to another company.
            let user = users::insert(tx, ctx, new.clone()).await.map_err(|e| match e {
                Error::Conflict(problem) if problem.code == "email_taken" => Error::field("email", "email_taken"),
                other => other,
            })?;
            mail_rate_limit::check_company_invite_quota(tx, ctx, company.id).await?;
            mails::queue(tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
            activity::append(tx, ctx, event(company, "company.member_invited", &user)).await?;
            idempotency::store(tx, ctx, user.id.0).await?;
            Ok(user.id)
        }
        .scope_boxed()
    });
    member(ctx, created.await?).await
}

/// Mails a new link to set a password. Those who may list members.
///
/// # Errors
/// NotFound; Conflict `not_invitable` for a member who has accepted, was removed or is suspended,
/// `over_email_send_rate_limit` within the cooldown of the address, or beyond the company's hourly quota of invitations.
#[tracing::instrument(level = "debug", name = "companies.invite_member_again", skip_all, fields(user_id = %id))]
pub async fn invite_member_again(ctx: &Ctx, id: UserId) -> Result<Member> {
    let found = member(ctx, id).await?;
    if found.status != Status::Pending {
        return Err(Error::conflict("not_invitable"));
    }
    let (email, company) = (found.email.as_str(), found.company_id);
    ctx.transaction(|tx| {
        async move {
            mail_rate_limit::check_cooldown(tx, ctx, MailPurpose::Invitation, email).await?;
            mail_rate_limit::check_company_invite_quota(tx, ctx, company).await?;
            mails::queue(tx, ctx, mails::Kind::PasswordSetup, id, None, Map::new()).await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    Ok(found)
}

/// Removes a member: the account is archived and its sessions end. Those who may list members, except for themselves.
///
/// # Errors
/// NotFound; Conflict `own_account`, `last_company_admin`, `shut_by_office` for a member suspended by the office.
#[tracing::instrument(level = "debug", name = "companies.remove_member", skip_all, fields(user_id = %id))]
pub async fn remove_member(ctx: &Ctx, id: UserId) -> Result<Member> {
    change_status(ctx, id, "company.member_removed", |user| match user.status {
        Status::Archived => None,
        _ => Some(Status::Archived),
    })
    .await
}

/// Restores a removed member. Those who may list members; a member shut by the office, only actors who may suspend
/// accounts.
///
/// # Errors
/// NotFound; Conflict `shut_by_office`.
#[tracing::instrument(level = "debug", name = "companies.restore_member", skip_all, fields(user_id = %id))]
pub async fn restore_member(ctx: &Ctx, id: UserId) -> Result<Member> {
    change_status(ctx, id, "company.member_restored", |user| {
        (user.status == Status::Archived).then(|| user.status_after_restore())
    })
    .await
}

async fn change_status(
    ctx: &Ctx,
    id: UserId,
    action: &'static str,
    decide: impl Fn(&User) -> Option<Status> + Send + Sync,
) -> Result<Member> {
    let company = member(ctx, id).await?.company_id;
    let decide = &decide;
    ctx.transaction(|tx| {
        async move {
            // Serializes two members who remove each other.
            let company = store::lock(tx, company).await?.ok_or(Error::NotFound("member"))?;
            let user = users::lock(tx, id, None).await?;
            // Role or company may have changed.
            if user.role != Role::CompanyAdmin || user.company_id != Some(company.id) {
                return Err(Error::NotFound("member"));
            }
            if is_shut_by_office(ctx, user.status, store::removed_by_company(tx, id).await?) {
                return Err(Error::conflict("shut_by_office"));
            }
            let Some(status) = decide(&user) else { return Ok(()) };
            if status == Status::Archived {
                check_removable(tx, ctx, &company, &user).await?;
            }
            users::change_status(tx, ctx, &user, status).await?;
            store::mark_removed(tx, id, status == Status::Archived).await?;
            activity::append(tx, ctx, event(&company, action, &user)).await
        }
        .scope_boxed()
    })
    .await?;
    member(ctx, id).await
}

/// Whether the office has shut the account, which the company must not undo.
fn is_shut_by_office(ctx: &Ctx, status: Status, removed_by_company: bool) -> bool {
    let shut = status == Status::Suspended || (status == Status::Archived && !removed_by_company);
    shut && !ctx.can(Action::Suspend, Resource::Users)
}

async fn check_removable(tx: &mut Tx, ctx: &Ctx, company: &Company, user: &User) -> Result<()> {
    if ctx.actor.user_id() == Some(user.id) {
        return Err(Error::conflict("own_account"));
    }
    if user.status == Status::Active && store::other_admins(tx, company.id, user.id).await? == 0 {
        return Err(Error::conflict("last_company_admin"));
    }
    Ok(())
}

/// One member, of a company whose portal is open to the actor.
async fn member(ctx: &Ctx, id: UserId) -> Result<Member> {
    // The access to the portal is checked first, so that a refusal does not tell whether the member exists.
    let found = store::member(&mut ctx.db(), id).await?;
    let Some(found) = found else {
        return Err(match ctx.actor.company(None) {
            Ok(_) | Err(Error::Invalid(_)) => Error::NotFound("member"),
            Err(refused) => refused,
        });
    };
    ctx.actor.company(Some(found.company_id)).map_err(|e| match e {
        Error::NotFound(_) => Error::NotFound("member"),
        other => other,
    })?;
    Ok(found)
}

fn event(company: &Company, action: &'static str, user: &User) -> Event {
    Event::new(action, "company", company.id.0, company.name.clone())
        .of(None, Some(company.id), None)
        .with("member", user.name())
        .public()
}

/// The actions that the actor may take on a member: the buttons of its row.
pub fn can_member(ctx: &Ctx, member: &Member) -> Vec<&'static str> {
    if ctx.actor.company(Some(member.company_id)).is_err() {
        return vec![];
    }
    let own = ctx.actor.user_id() == Some(member.id);
    if is_shut_by_office(ctx, member.status, member.removed_by_company) {
        return vec![];
    }
    [
        ("invite", member.status == Status::Pending),
        ("remove", member.status != Status::Archived && !own),
        ("restore", member.status == Status::Archived),
    ]
    .into_iter()
    .filter_map(|(name, fits)| fits.then_some(name))
    .collect()
}

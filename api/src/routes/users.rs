//! Users, for super admins: accounts, sessions, and actions on them.
use crate::{
    error::Result,
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, empty_name_as_none, empty_string_as_none,
        patch_field, sort_order,
    },
    response::{Created, ItemList, JsonBody, Page, Versioned},
    routes::{
        activity::Activity,
        approvals::{Answer, Approval, done_or_waiting},
        clients::EmailFailure,
        me::SignIn,
    },
    state::AppState,
};
use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    Actor, Ctx, Error,
    accounts::{
        auth::{
            self, device,
            factors::{self, Factor},
            sessions::{self, Session},
            sign_in_history,
        },
        users::{self, Status},
    },
    desk::people,
    kernel::{
        access::Role,
        i18n,
        ids::{CompanyId, FactorId, IsoId, SessionId, UserId},
        page::PageQuery,
    },
    outbox::mails,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// An account.
#[derive(Debug, Serialize, ToSchema)]
pub struct Account {
    id: UserId,
    first_name: String,
    last_name: String,
    email: String,
    phone: Option<String>,
    role: Role,
    status: Status,
    company_id: Option<CompanyId>,
    company_name: Option<String>,
    iso_id: Option<IsoId>,
    iso_name: Option<String>,
    /// Last sign-in or session refresh.
    last_active_at: Option<DateTime<Utc>>,
    last_sign_in_at: Option<DateTime<Utc>>,
    /// The last email to their address was not delivered; set for a single account and in lists.
    email_failure: Option<EmailFailure>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    updated_by: String,
    version: i64,
    /// Actions allowed to the caller: `invite`, `role`, `suspend`, `restore`, `archive`, `reset_mfa`, `sign_out`,
    /// `impersonate`.
    can: Vec<&'static str>,
}

impl Account {
    fn of(ctx: &Ctx, row: users::UserRow) -> Self {
        Self {
            can: users::can(ctx, &row),
            id: row.id,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone: row.phone,
            role: row.role,
            status: row.status,
            company_id: row.company_id,
            company_name: row.company_name,
            iso_id: row.iso_id,
            iso_name: row.iso_name,
            email_failure: None,
            last_active_at: row.last_active_at,
            last_sign_in_at: row.last_sign_in_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            updated_by: row.updated_by,
            version: row.version,
        }
    }

    /// The account, after its cached tokens are dropped.
    async fn shut_out(app: &AppState, ctx: &Ctx, id: UserId) -> Result<Versioned<Self>> {
        app.auth.token_cache.forget_user(id);
        Self::now(ctx, id).await
    }

    /// The account after a change.
    async fn now(ctx: &Ctx, id: UserId) -> Result<Versioned<Self>> {
        let row = users::row(ctx, id).await?;
        Ok(Versioned { version: row.version, view: Self::of(ctx, row) })
    }
}

/// A page of accounts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Accounts {
    items: Vec<Account>,
    next_cursor: Option<String>,
    /// Number of matches, counted up to 10,000, with a search up to 2,000.
    total: i64,
    /// False where there are more matches than are counted.
    total_is_exact: bool,
    /// Number of accounts by status, regardless of filters.
    counts: AccountCounts,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AccountCounts {
    /// All but archived ones.
    total: i64,
    active: i64,
    pending: i64,
    suspended: i64,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListUsersQuery {
    /// Search by word prefixes in name, email and phone.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<Role>)]
    role: Option<Role>,
    /// Default: all but archived ones.
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<Status>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// `created_at`, `name` or `last_active_at`, with `-` before it for descending; default: `-created_at`.
    order: Option<String>,
    /// Page number from 1, instead of a cursor.
    page: Option<u32>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// All accounts. Super admins.
#[utoipa::path(get, path = "/users", operation_id = "user_list", tag = "users", params(ListUsersQuery),
    responses((status = 200, body = Accounts)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListUsersQuery>) -> Result<JsonBody<Accounts>> {
    let asked = users::UserQuery {
        role: query.role,
        status: query.status,
        company_id: query.company_id,
        q: query.q.filter(|q| !q.trim().is_empty()),
        order: sort_order(query.order.as_deref())?,
        page: query.page,
    };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = users::page(&ctx, &asked, &page).await?;
    let counted = found.counts;
    let ids: Vec<UserId> = found.page.items.iter().map(|row| row.id).collect();
    let mut failures = mails::email_failures(&ctx, &ids).await?;
    let mut account = |row: users::UserRow| Account {
        email_failure: failures.remove(&row.id).map(Into::into),
        ..Account::of(&ctx, row)
    };
    Ok(JsonBody(Accounts {
        items: found.page.items.into_iter().map(&mut account).collect(),
        next_cursor: found.page.next_cursor,
        total: found.total.rows,
        total_is_exact: found.total.exact,
        counts: AccountCounts {
            total: counted.total(),
            active: counted.active,
            pending: counted.pending,
            suspended: counted.suspended,
        },
    }))
}

/// An account with its sign-in methods.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountDetail {
    #[serde(flatten)]
    account: Account,
    has_password: bool,
    must_change_password: bool,
    #[schema(example = "en-US")]
    language: String,
    time_zone: String,
    factors: Vec<AccountFactor>,
    /// Linked providers: `google`, `azure`.
    providers: Vec<String>,
}

/// A second factor, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountFactor {
    id: FactorId,
    /// `totp`, `webauthn` (a passkey) or `recovery_code`.
    kind: &'static str,
    name: String,
    verified: bool,
    created_at: DateTime<Utc>,
}

impl From<Factor> for AccountFactor {
    fn from(factor: Factor) -> Self {
        Self {
            id: factor.id,
            kind: match factor.kind {
                factors::Kind::Totp => "totp",
                factors::Kind::Webauthn => "webauthn",
                factors::Kind::RecoveryCode => "recovery_code",
            },
            name: factor.friendly_name,
            verified: factor.status == factors::Status::Verified,
            created_at: factor.created_at,
        }
    }
}

/// One account. Super admins.
#[utoipa::path(get, path = "/users/{id}", operation_id = "user_get", tag = "users", params(("id" = UserId, Path)),
    responses((status = 200, body = AccountDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<UserId>) -> Result<Versioned<AccountDetail>> {
    let row = users::row(&ctx, id).await?;
    let account = auth::load_account(&ctx, users::get(&ctx, id).await?).await?;
    let user = account.user;
    let view = AccountDetail {
        has_password: user.password_hash.is_some(),
        must_change_password: user.must_change_password,
        language: user.language,
        time_zone: user.time_zone,
        factors: account.factors.into_iter().map(AccountFactor::from).collect(),
        providers: account.identities.into_iter().map(|identity| identity.provider).collect(),
        account: Account {
            email_failure: mails::email_failures(&ctx, &[id]).await?.remove(&id).map(Into::into),
            ..Account::of(&ctx, row)
        },
    };
    Ok(Versioned { version: user.version, view })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAccount {
    /// Null is invalid, reported with the other invalid fields.
    #[schema(required)]
    role: Option<Role>,
    #[serde(default)]
    #[schema(required)]
    first_name: String,
    #[serde(default)]
    #[schema(required)]
    last_name: String,
    #[serde(default)]
    #[schema(required)]
    email: String,
    phone: Option<String>,
    /// For company admins and clients.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = Option<CompanyId>)]
    company_id: Option<CompanyId>,
    /// For ISO partners, and clients who have one.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = Option<IsoId>)]
    iso_id: Option<IsoId>,
}

/// Invites a user of any role: mails a link to set a password; where four eyes is on, a super admin waits for a second one.
/// Super admins.
#[utoipa::path(post, path = "/users", operation_id = "user_create", tag = "users", request_body = NewAccount,
    responses((status = 201, body = Account), (status = 202, body = Approval)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewAccount>) -> Result<Answer<Created<Account>>> {
    let NewAccount { role, first_name, last_name, email, phone, company_id, iso_id } = input;
    let input =
        people::CreateUser { first_name, last_name, email, phone, company_id, iso_id, ..people::CreateUser::default() };
    let made = match done_or_waiting(&ctx, people::create(&ctx, role, input).await).await? {
        Ok(made) => made,
        Err(waiting) => return Ok(waiting.into()),
    };
    let row = users::row(&ctx, made.id).await?;
    let location = format!("/rest/v1/users/{}", made.id);
    Ok(Answer::Done(Created { location, version: row.version, view: Account::of(&ctx, row) }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRole {
    #[schema(required, nullable = false)]
    role: Option<Role>,
    /// For company admins and clients; default: unchanged.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = Option<CompanyId>)]
    company_id: Option<CompanyId>,
    /// For ISO partners, and clients who have one. Default: unchanged where the role has one; null clears. A former
    /// partner becomes the same one again by default.
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<IsoId>)]
    iso_id: Option<Option<IsoId>>,
}

/// Changes a user's role; their sessions end. Where four eyes is on, a super admin waits for a second one. Super admins.
#[utoipa::path(post, path = "/users/{id}/role", operation_id = "user_set_role", tag = "users",
    params(("id" = UserId, Path)), request_body = NewRole,
    responses((status = 200, body = Account), (status = 202, body = Approval)))]
pub async fn set_role(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(seen): IfMatch,
    Json(new): Json<NewRole>,
) -> Result<Answer<Versioned<Account>>> {
    let known = users::row(&ctx, id).await?;
    let role = new.role.ok_or_else(|| Error::field("role", "required"))?;
    let changed = people::set_role(&ctx, known.id, role, new.company_id, new.iso_id, seen).await;
    if let Err(waiting) = done_or_waiting(&ctx, changed).await? {
        return Ok(waiting.into());
    }
    Account::shut_out(&app, &ctx, id).await.map(Answer::Done)
}

/// Suspends an account until it is restored; its sessions end. Super admins.
#[utoipa::path(post, path = "/users/{id}/suspend", operation_id = "user_suspend", tag = "users",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Account)))]
pub async fn suspend(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(seen): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Account>> {
    users::suspend(&ctx, id, seen).await?;
    Account::shut_out(&app, &ctx, id).await
}

/// Restores a suspended or archived account. Where four eyes is on, a super admin waits for a second one. Super admins.
#[utoipa::path(post, path = "/users/{id}/restore", operation_id = "user_restore", tag = "users",
    params(("id" = UserId, Path)), request_body = EmptyBody,
    responses((status = 200, body = Account), (status = 202, body = Approval)))]
pub async fn restore(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(seen): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Answer<Versioned<Account>>> {
    if let Err(waiting) = done_or_waiting(&ctx, users::restore(&ctx, id, seen).await).await? {
        return Ok(waiting.into());
    }
    Account::now(&ctx, id).await.map(Answer::Done)
}

/// Archives an account and blocks sign-in; its data stays. Super admins.
#[utoipa::path(post, path = "/users/{id}/archive", operation_id = "user_archive", tag = "users",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Account)))]
pub async fn archive(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    IfMatch(seen): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Account>> {
    users::archive(&ctx, id, seen).await?;
    Account::shut_out(&app, &ctx, id).await
}

/// Mails a new link to set a password. Super admins.
#[utoipa::path(post, path = "/users/{id}/invite", operation_id = "user_invite", tag = "users",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Account)))]
pub async fn invite(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Account>> {
    users::invite_again(&ctx, id).await?;
    Account::now(&ctx, id).await
}

/// Resets all second factors of a user; their sessions end. Super admins.
#[utoipa::path(post, path = "/users/{id}/reset-mfa", operation_id = "user_reset_mfa", tag = "users",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Account)))]
pub async fn reset_mfa(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Account>> {
    factors::reset(&ctx, id).await?;
    Account::shut_out(&app, &ctx, id).await
}

/// Ends all sessions of a user. Super admins.
#[utoipa::path(post, path = "/users/{id}/sign-out", operation_id = "user_sign_out", tag = "users",
    params(("id" = UserId, Path)), request_body = EmptyBody, responses((status = 200, body = Account)))]
pub async fn sign_out(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Account>> {
    let found = users::row(&ctx, id).await?;
    users::sign_out(&ctx, found.id).await?;
    Account::shut_out(&app, &ctx, id).await
}

/// A session of a user.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountSession {
    id: SessionId,
    created_at: DateTime<Utc>,
    last_used_at: DateTime<Utc>,
    #[schema(example = "Chrome on Linux")]
    device: Option<String>,
    user_agent: Option<String>,
    address: Option<String>,
    /// `aal2` after a second factor.
    aal: String,
    /// The session of this request.
    current: bool,
    /// The administrator by whose link or password it began.
    #[schema(example = "Operator root")]
    begun_by: Option<String>,
}

impl AccountSession {
    fn of(ctx: &Ctx, session: Session) -> Self {
        let me = match &ctx.actor {
            Actor::User(me) => Some(me),
            _ => None,
        };
        Self {
            device: device::name(ctx.language(), session.user_agent.as_deref()),
            current: me.is_some_and(|me| me.session_id == session.id),
            begun_by: session.begun_by.as_deref().map(|by| i18n::administrator(ctx.language(), by)),
            id: session.id,
            created_at: session.created_at,
            last_used_at: session.refreshed_at,
            user_agent: session.user_agent,
            address: session.address,
            aal: session.aal,
        }
    }
}

/// Sessions of a user, newest first. Super admins.
#[utoipa::path(get, path = "/users/{id}/sessions", operation_id = "user_session_list", tag = "users",
    params(("id" = UserId, Path)), responses((status = 200, body = ItemList<AccountSession>)))]
pub async fn session_list(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
) -> Result<JsonBody<ItemList<AccountSession>>> {
    let row = users::row(&ctx, id).await?;
    let found = users::sessions(&ctx, row.id).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(|session| AccountSession::of(&ctx, session)).collect() }))
}

/// Your own sessions, newest first.
#[utoipa::path(get, path = "/sessions", operation_id = "session_list", tag = "me",
    responses((status = 200, body = ItemList<AccountSession>)))]
pub async fn own_sessions(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<AccountSession>>> {
    let found = match ctx.actor.user_id() {
        Some(me) => sessions::list(&ctx, me).await?,
        // A program with a service token has no session.
        None => Vec::new(),
    };
    Ok(JsonBody(ItemList { items: found.into_iter().map(|session| AccountSession::of(&ctx, session)).collect() }))
}

/// Ends one session of a user. Super admins.
#[utoipa::path(delete, path = "/users/{id}/sessions/{session}", operation_id = "user_session_end", tag = "users",
    params(("id" = UserId, Path), ("session" = SessionId, Path)), responses((status = 204)))]
pub async fn session_end(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path((id, session)): Path<(UserId, SessionId)>,
) -> Result<axum::http::StatusCode> {
    let row = users::row(&ctx, id).await?;
    if !users::sessions(&ctx, row.id).await?.iter().any(|live| live.id == session) {
        return Err(Error::NotFound("session").into());
    }
    sessions::end(&ctx, session).await?;
    app.auth.token_cache.forget_sessions(&[session]);
    Ok(axum::http::StatusCode::NO_CONTENT)
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageParams {
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl PageParams {
    fn into_query(self) -> PageQuery {
        PageQuery { limit: self.limit, cursor: self.cursor }
    }
}

/// Sign-in history of a user, newest first: sign-ins, failures, sign-outs. Super admins.
#[utoipa::path(get, path = "/users/{id}/sign-ins", operation_id = "user_sign_ins", tag = "users",
    params(("id" = UserId, Path), PageParams), responses((status = 200, body = Page<SignIn>)))]
pub async fn sign_ins(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Query(query): Query<PageParams>,
) -> Result<JsonBody<Page<SignIn>>> {
    let page = sign_in_history::list_of(&ctx, id, &query.into_query()).await?;
    Ok(JsonBody(Page::of(page, |row| SignIn::of(row, ctx.language()))))
}

/// Activity of a user, and of others on the account, newest first. Super admins.
#[utoipa::path(get, path = "/users/{id}/activity", operation_id = "user_activity", tag = "users",
    params(("id" = UserId, Path), PageParams), responses((status = 200, body = Page<Activity>)))]
pub async fn activity(
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Query(query): Query<PageParams>,
) -> Result<JsonBody<Page<Activity>>> {
    let page = users::activity_of(&ctx, id, &query.into_query()).await?;
    Ok(JsonBody(Page::of(page, |row| Activity::of(&ctx, row))))
}

//! Admin API: accounts, for service tokens and super admins.
use super::{
    extract::{self, Body, Path, QueryParams, non_empty},
    redirect::RedirectTo,
    view::{FactorView, UserView},
};
use crate::{
    auth_error::{AuthError, Result},
    extract::{bearer, origin},
    request_meta::RequestMeta,
    state::AppState,
};
use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
};
use domain::{
    Actor, Ctx, Error,
    accounts::auth::{
        self,
        admin::{self, AdminFields, AuditQuery, Ban, CreateAccount, LinkAction, Update},
        factors,
    },
    desk::people,
    kernel::{
        access::{Action, Resource},
        ids::{CompanyId, FactorId, IsoId, UserId},
    },
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// The context of a service token or super admin; 403 for others.
#[derive(Debug)]
pub struct Admin(pub Ctx);

impl FromRequestParts<AppState> for Admin {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self> {
        let token = bearer(&parts.headers).ok_or(Error::unauthenticated("no_authorization"))?;
        let actor = admin::authenticate(&app.auth, &app.db, &app.options, app.clock.now(), token).await?;
        if let (Actor::User(user), Some(meta)) = (&actor, parts.extensions.get::<Arc<RequestMeta>>()) {
            meta.set_signed_in(user);
        }
        let ctx = app.ctx(actor, origin(parts));
        ctx.may(Action::View, Resource::Users).map_err(|error| match error {
            // A super admin who has not passed the second factor.
            Error::Forbidden(problem) if problem.code.starts_with("mfa_") => {
                AuthError::new(StatusCode::FORBIDDEN, "insufficient_aal")
            }
            _ => AuthError::new(StatusCode::FORBIDDEN, "not_admin"),
        })?;
        Ok(Self(ctx))
    }
}

/// The errors of these routes where they differ from the others'.
pub(super) fn map_error(error: Error) -> AuthError {
    match &error {
        Error::NotFound(_) => AuthError::fixed(StatusCode::NOT_FOUND, "user_not_found", "User not found"),
        Error::Invalid(_) => {
            let error = AuthError::from(error);
            if error.code() == "validation_failed" { error.with_status(StatusCode::BAD_REQUEST) } else { error }
        }
        _ => error.into(),
    }
}

pub(super) fn id(text: &str) -> Result<UserId> {
    text.parse().map_err(|_| AuthError::validation("user_id must be an UUID").with_status(StatusCode::NOT_FOUND))
}

/// Page number, from 1, and page size.
fn page(params: &QueryParams) -> Result<(i64, i64)> {
    let number = |name: &str, default: i64, most: i64| match params.get(name).map(str::parse::<i64>) {
        None => Ok(default),
        Some(Ok(number)) if number >= 0 => Ok(if number == 0 { default } else { number.min(most) }),
        Some(_) => Err(AuthError::validation("Bad Pagination Parameters: page and per_page must be numbers")),
    };
    Ok((number("page", 1, 1_000_000)?, number("per_page", 50, 1_000)?))
}

/// `sort`: by `created_at` only, newest first by default.
fn oldest_first(params: &QueryParams) -> Result<bool> {
    let Some(sort) = params.get("sort") else { return Ok(false) };
    match sort.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>()[..] {
        ["created_at"] | ["created_at", "desc"] => Ok(false),
        ["created_at", "asc"] => Ok(true),
        _ => Err(AuthError::validation("Bad Sort Parameters: users are sorted by created_at, asc or desc")),
    }
}

pub async fn list(
    State(app): State<AppState>,
    params: QueryParams,
    Admin(ctx): Admin,
) -> Result<(HeaderMap, Json<Value>)> {
    let (page, per_page) = page(&params)?;
    let oldest_first = oldest_first(&params)?;
    let (users, all) = admin::list(&ctx, params.get("filter"), oldest_first, (page - 1) * per_page, per_page)
        .await
        .map_err(map_error)?;
    let views: Vec<UserView> = auth::load_accounts(&ctx, users).await?.into_iter().map(UserView::from).collect();
    let mut headers = HeaderMap::new();
    headers.insert(TOTAL, HeaderValue::from(all));
    // The client takes the first `=` of each link for the page's and cannot parse an empty header.
    let last = (all + per_page - 1) / per_page;
    let mut same = url::form_urlencoded::Serializer::new(String::new());
    for name in ["filter", "sort"] {
        if let Some(value) = params.get(name) {
            same.append_pair(name, value);
        }
    }
    let same = same.finish();
    let link = |page: i64, rel: &str| {
        let (url, and) = (&app.options.public_url, if same.is_empty() { "" } else { "&" });
        format!("<{url}/auth/v1/admin/users?page={page}&per_page={per_page}{and}{same}>; rel=\"{rel}\"")
    };
    let mut links = Vec::new();
    if page < last {
        links.push(link(page + 1, "next"));
    }
    if last > 0 {
        links.push(link(last, "last"));
    }
    if !links.is_empty()
        && let Ok(value) = HeaderValue::from_str(&links.join(", "))
    {
        headers.insert(header::LINK, value);
    }
    Ok((headers, Json(json!({ "users": views, "aud": "authenticated" }))))
}

/// `app_metadata`: role, company and partner, and free fields.
#[derive(Default, Deserialize)]
struct AppMetadata {
    role: Option<String>,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
    #[serde(flatten)]
    noted: Map<String, Value>,
}

impl From<AppMetadata> for AdminFields {
    fn from(metadata: AppMetadata) -> Self {
        let AppMetadata { role, company_id, iso_id, mut noted } = metadata;
        // Derived from the identities.
        noted.remove("provider");
        noted.remove("providers");
        Self { role, company_id, iso_id, app_metadata: noted }
    }
}

#[derive(Deserialize)]
pub struct Input {
    id: Option<UserId>,
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    password_hash: Option<String>,
    email_confirm: Option<bool>,
    user_metadata: Option<Map<String, Value>>,
    app_metadata: Option<AppMetadata>,
    ban_duration: Option<String>,
}

impl Input {
    fn ban(&self) -> Result<Option<Ban>> {
        match non_empty(self.ban_duration.as_ref()) {
            None => Ok(None),
            Some(text) => match Ban::read(text) {
                Some(ban) => Ok(Some(ban)),
                None => Err(AuthError::validation("invalid format for ban duration, like 24h or none")),
            },
        }
    }

    fn no_phone(&self) -> Result<()> {
        match non_empty(self.phone.as_ref()) {
            Some(_) => Err(extract::phone_disabled(StatusCode::BAD_REQUEST)),
            None => Ok(()),
        }
    }

    fn one_password(&self) -> Result<()> {
        if self.password.is_some() && self.password_hash.is_some() {
            return Err(AuthError::validation("Only a password or a password hash should be provided"));
        }
        Ok(())
    }
}

pub async fn create(
    State(app): State<AppState>,
    Admin(ctx): Admin,
    Body(input): Body<Input>,
) -> Result<Json<UserView>> {
    input.no_phone()?;
    let email = non_empty(input.email.as_ref())
        .ok_or(AuthError::validation("Cannot create a user without either an email or phone"))?
        .to_owned();
    extract::check_email(&email, StatusCode::BAD_REQUEST)?;
    let ban = input.ban()?;
    input.one_password()?;
    let new = CreateAccount {
        id: input.id,
        email,
        password: input.password.filter(|password| !password.is_empty()),
        password_hash: input.password_hash,
        confirmed: input.email_confirm == Some(true),
        data: input.user_metadata.unwrap_or_default(),
        fields: input.app_metadata.unwrap_or_default().into(),
    };
    let user = admin::create(&ctx, new).await.map_err(map_error)?;
    let user = match ban {
        Some(_) => people::update_by_admin(&ctx, &app.auth, user.id, Update { ban, ..Update::default() })
            .await
            .map_err(map_error)?,
        None => user,
    };
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

pub async fn get(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<UserView>> {
    let user = admin::get(&ctx, id(&user)?).await.map_err(map_error)?;
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

pub async fn update(
    State(app): State<AppState>,
    Path(user): Path<String>,
    Admin(ctx): Admin,
    Body(input): Body<Input>,
) -> Result<Json<UserView>> {
    let user = id(&user)?;
    input.no_phone()?;
    let email = non_empty(input.email.as_ref()).map(str::to_owned);
    if let Some(email) = &email {
        extract::check_email(email, StatusCode::BAD_REQUEST)?;
    }
    let ban = input.ban()?;
    input.one_password()?;
    let change = Update {
        email,
        password: input.password.filter(|password| !password.is_empty()),
        password_hash: input.password_hash,
        confirmed: input.email_confirm == Some(true),
        data: input.user_metadata,
        fields: input.app_metadata.unwrap_or_default().into(),
        ban,
    };
    let user = people::update_by_admin(&ctx, &app.auth, user, change).await.map_err(map_error)?;
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

/// Archives the account, also without `should_soft_delete`.
pub async fn delete(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<Value>> {
    admin::delete(&ctx, id(&user)?).await.map_err(map_error)?;
    Ok(Json(json!({})))
}

/// The factors of an account that is not archived.
pub async fn factors(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<Vec<FactorView>>> {
    let user = admin::get(&ctx, id(&user)?).await.map_err(map_error)?;
    let factors = factors::list(&ctx, user.id).await?;
    Ok(Json(factors.into_iter().map(FactorView::from).collect()))
}

pub async fn remove_factor(
    State(app): State<AppState>,
    Path((user, factor)): Path<(String, String)>,
    Admin(ctx): Admin,
) -> Result<Json<FactorView>> {
    let user = admin::get(&ctx, id(&user)?).await.map_err(map_error)?;
    let factor: FactorId = factor
        .parse()
        .map_err(|_| AuthError::validation("factor_id must be an UUID").with_status(StatusCode::NOT_FOUND))?;
    let gone = factors::remove_for_user(&ctx, &app.auth, user.id, factor).await.map_err(|error| {
        let error = AuthError::from(error);
        if error.code() == "mfa_factor_not_found" { error.with_status(StatusCode::NOT_FOUND) } else { error }
    })?;
    Ok(Json(gone.into()))
}

#[derive(Deserialize)]
pub struct Invite {
    email: Option<String>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
}

pub async fn invite(
    State(app): State<AppState>,
    Admin(ctx): Admin,
    redirect: RedirectTo,
    Body(input): Body<Invite>,
) -> Result<Json<UserView>> {
    let email = non_empty(input.email.as_ref()).unwrap_or("");
    extract::check_email(email, StatusCode::BAD_REQUEST)?;
    let to = redirect.or_from_body(&app, input.redirect_to.as_deref()).requested();
    let user = admin::invite(&ctx, email, input.data.unwrap_or_default(), to).await.map_err(map_error)?;
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

#[derive(Deserialize)]
pub struct GenerateLink {
    r#type: Option<String>,
    email: Option<String>,
    new_email: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
}

/// A link as a mail would contain it, with the account's fields.
pub async fn generate_link(
    State(app): State<AppState>,
    Admin(ctx): Admin,
    redirect: RedirectTo,
    Body(input): Body<GenerateLink>,
) -> Result<Json<Value>> {
    let email = non_empty(input.email.as_ref()).unwrap_or("");
    extract::check_email(email, StatusCode::BAD_REQUEST)?;
    let kind = non_empty(input.r#type.as_ref()).unwrap_or("");
    let Ok(action) = kind.parse() else {
        return Err(AuthError::validation("Invalid email action link type requested"));
    };
    let password = input.password.filter(|password| !password.is_empty());
    if action == LinkAction::Signup && password.is_none() {
        return Err(AuthError::validation("Signup requires a valid password"));
    }
    if let Some(new_email) = non_empty(input.new_email.as_ref()) {
        extract::check_email(new_email, StatusCode::BAD_REQUEST)?;
    }
    let to = redirect.or_from_body(&app, input.redirect_to.as_deref());
    let data = input.data.unwrap_or_default();
    let made = admin::generate_link(&ctx, action, email, password, non_empty(input.new_email.as_ref()), data)
        .await
        .map_err(map_error)?;
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("token", &made.link.token)
        .append_pair("type", action.kind().verified_as())
        .append_pair("redirect_to", to.url())
        .finish();
    let view = UserView::from(auth::load_account(&ctx, made.user).await?);
    let mut answer = serde_json::to_value(view).map_err(Error::internal)?;
    answer["action_link"] = format!("{}/auth/v1/verify?{query}", app.options.public_url).into();
    answer["email_otp"] = made.link.code.into();
    answer["hashed_token"] = made.link.token.into();
    answer["verification_type"] = kind.into();
    answer["redirect_to"] = to.url().into();
    Ok(Json(answer))
}

/// The activity log of accounts and sessions.
pub async fn audit(params: QueryParams, Admin(ctx): Admin) -> Result<Json<Value>> {
    let (page, per_page) = page(&params)?;
    let query = match params.get("query") {
        None => None,
        Some(text) => {
            Some(AuditQuery::parse(text).ok_or(AuthError::validation("bad query scope: author, action or type"))?)
        }
    };
    let rows = admin::audit(&ctx, query.as_ref(), (page - 1) * per_page, per_page).await.map_err(map_error)?;
    let entries = rows.into_iter().map(|row| {
        json!({
            "id": row.id,
            "created_at": row.at,
            "ip_address": row.address.unwrap_or_default(),
            "payload": {
                "action": row.action,
                "actor_id": row.actor_id,
                "actor_name": row.actor_name,
                "actor_username": row.actor_name,
                "log_type": row.action.split('.').next(),
                "timestamp": row.at,
                "traits": {
                    "user_id": row.subject_id, "user": row.subject_label, "user_agent": row.user_agent,
                    "data": row.data,
                },
            },
        })
    });
    Ok(Json(Value::Array(entries.collect())))
}

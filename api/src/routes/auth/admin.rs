//! Accounts for administrators: programs with a service token, and super admins.
use super::{
    error::{AuthError, Result},
    extract::{self, Asked, Body, Path, given},
    redirect::RedirectTo,
    view::{FactorView, UserView},
};
use crate::{
    extract::{bearer, origin},
    middleware::About,
    state::App,
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

/// The context of an administrator; anybody else is refused.
#[derive(Debug)]
pub struct Admin(pub Ctx);

impl FromRequestParts<App> for Admin {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let token = bearer(&parts.headers).ok_or(Error::unauthenticated("no_authorization"))?;
        let actor = admin::authenticate(&app.auth, &app.db, &app.options, app.clock.now(), token).await?;
        if let (Actor::User(user), Some(about)) = (&actor, parts.extensions.get::<Arc<About>>()) {
            let _ = about.signed_in.set(user.clone());
        }
        let ctx = app.ctx(actor, origin(parts));
        ctx.may(Action::View, Resource::Users).map_err(|error| match error {
            // A super admin all the same, once the second factor is shown.
            Error::Forbidden(problem) if problem.code.starts_with("mfa_") => {
                AuthError::new(StatusCode::FORBIDDEN, "insufficient_aal")
            }
            _ => AuthError::new(StatusCode::FORBIDDEN, "not_admin"),
        })?;
        Ok(Self(ctx))
    }
}

/// The refusals of these routes where they differ from the others'.
fn refused(error: Error) -> AuthError {
    match &error {
        Error::NotFound(_) => AuthError::fixed(StatusCode::NOT_FOUND, "user_not_found", "User not found"),
        Error::Invalid(_) => {
            let error = AuthError::from(error);
            if error.code() == "validation_failed" { error.with_status(StatusCode::BAD_REQUEST) } else { error }
        }
        _ => error.into(),
    }
}

fn id(text: &str) -> Result<UserId> {
    text.parse().map_err(|_| AuthError::validation("user_id must be an UUID").with_status(StatusCode::NOT_FOUND))
}

/// A page: its number, from 1, and how many stand on it.
fn page(asked: &Asked) -> Result<(i64, i64)> {
    let number = |name: &str, default: i64, most: i64| match asked.get(name).map(str::parse::<i64>) {
        None => Ok(default),
        Some(Ok(number)) if number >= 0 => Ok(if number == 0 { default } else { number.min(most) }),
        Some(_) => Err(AuthError::validation("Bad Pagination Parameters: page and per_page must be numbers")),
    };
    Ok((number("page", 1, 1_000_000)?, number("per_page", 50, 1_000)?))
}

/// Accounts are sorted by when they were made, which is all there is on offer: newest first unless asked otherwise.
fn oldest_first(asked: &Asked) -> Result<bool> {
    let Some(sort) = asked.get("sort") else { return Ok(false) };
    match sort.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>()[..] {
        ["created_at"] | ["created_at", "desc"] => Ok(false),
        ["created_at", "asc"] => Ok(true),
        _ => Err(AuthError::validation("Bad Sort Parameters: users are sorted by created_at, asc or desc")),
    }
}

pub async fn list(State(app): State<App>, asked: Asked, Admin(ctx): Admin) -> Result<(HeaderMap, Json<Value>)> {
    let (page, per_page) = page(&asked)?;
    let oldest_first = oldest_first(&asked)?;
    let (users, all) =
        admin::list(&ctx, asked.get("filter"), oldest_first, (page - 1) * per_page, per_page).await.map_err(refused)?;
    let views: Vec<UserView> = auth::load_accounts(&ctx, users).await?.into_iter().map(UserView::from).collect();
    let mut headers = HeaderMap::new();
    headers.insert(TOTAL, HeaderValue::from(all));
    // The client reads the first `=` of each link as the page's, and cannot read an empty header.
    let last = (all + per_page - 1) / per_page;
    let mut same = url::form_urlencoded::Serializer::new(String::new());
    for name in ["filter", "sort"] {
        if let Some(value) = asked.get(name) {
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

/// What is noted about an account: its role and where it belongs, and whatever else.
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
        // Those two are found out, not told.
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
        match given(self.ban_duration.as_ref()) {
            None => Ok(None),
            Some(text) => match Ban::read(text) {
                Some(ban) => Ok(Some(ban)),
                None => Err(AuthError::validation("invalid format for ban duration, like 24h or none")),
            },
        }
    }

    fn no_phone(&self) -> Result<()> {
        match given(self.phone.as_ref()) {
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

pub async fn create(State(app): State<App>, Admin(ctx): Admin, Body(input): Body<Input>) -> Result<Json<UserView>> {
    input.no_phone()?;
    let email = given(input.email.as_ref())
        .ok_or(AuthError::validation("Cannot create a user without either an email or phone"))?
        .to_owned();
    extract::email(&email, StatusCode::BAD_REQUEST)?;
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
    let user = admin::create(&ctx, new).await.map_err(refused)?;
    let user = match ban {
        Some(_) => people::update_by_admin(&ctx, &app.auth, user.id, Update { ban, ..Update::default() })
            .await
            .map_err(refused)?,
        None => user,
    };
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

pub async fn get(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<UserView>> {
    let user = admin::get(&ctx, id(&user)?).await.map_err(refused)?;
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

pub async fn update(
    State(app): State<App>,
    Path(user): Path<String>,
    Admin(ctx): Admin,
    Body(input): Body<Input>,
) -> Result<Json<UserView>> {
    let user = id(&user)?;
    input.no_phone()?;
    let email = given(input.email.as_ref()).map(str::to_owned);
    if let Some(email) = &email {
        extract::email(email, StatusCode::BAD_REQUEST)?;
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
    let user = people::update_by_admin(&ctx, &app.auth, user, change).await.map_err(refused)?;
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

/// The account is archived, whether a soft deletion was asked for or not.
pub async fn delete(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<Value>> {
    admin::delete(&ctx, id(&user)?).await.map_err(refused)?;
    Ok(Json(json!({})))
}

/// The factors of an account that is not archived.
pub async fn factors(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<Vec<FactorView>>> {
    let user = admin::get(&ctx, id(&user)?).await.map_err(refused)?;
    let factors = factors::list(&ctx, user.id).await?;
    Ok(Json(factors.into_iter().map(FactorView::from).collect()))
}

pub async fn remove_factor(
    State(app): State<App>,
    Path((user, factor)): Path<(String, String)>,
    Admin(ctx): Admin,
) -> Result<Json<FactorView>> {
    let user = admin::get(&ctx, id(&user)?).await.map_err(refused)?;
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
    State(app): State<App>,
    Admin(ctx): Admin,
    redirect: RedirectTo,
    Body(input): Body<Invite>,
) -> Result<Json<UserView>> {
    let email = given(input.email.as_ref()).unwrap_or("");
    extract::email(email, StatusCode::BAD_REQUEST)?;
    let to = redirect.or(&app, input.redirect_to.as_deref()).asked();
    let user = admin::invite(&ctx, email, input.data.unwrap_or_default(), to).await.map_err(refused)?;
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

/// A link as a mail would bring it, and the account's fields beside it.
pub async fn generate_link(
    State(app): State<App>,
    Admin(ctx): Admin,
    redirect: RedirectTo,
    Body(input): Body<GenerateLink>,
) -> Result<Json<Value>> {
    let email = given(input.email.as_ref()).unwrap_or("");
    extract::email(email, StatusCode::BAD_REQUEST)?;
    let kind = given(input.r#type.as_ref()).unwrap_or("");
    let action = LinkAction::read(kind).ok_or(AuthError::validation("Invalid email action link type requested"))?;
    let password = input.password.filter(|password| !password.is_empty());
    if action == LinkAction::Signup && password.is_none() {
        return Err(AuthError::validation("Signup requires a valid password"));
    }
    if let Some(new_email) = given(input.new_email.as_ref()) {
        extract::email(new_email, StatusCode::BAD_REQUEST)?;
    }
    let to = redirect.or(&app, input.redirect_to.as_deref());
    let data = input.data.unwrap_or_default();
    let made = admin::generate_link(&ctx, action, email, password, given(input.new_email.as_ref()), data)
        .await
        .map_err(refused)?;
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

/// What happened to accounts and sessions.
pub async fn audit(asked: Asked, Admin(ctx): Admin) -> Result<Json<Value>> {
    let (page, per_page) = page(&asked)?;
    let query = match asked.get("query") {
        None => None,
        Some(text) => {
            Some(AuditQuery::parse(text).ok_or(AuthError::validation("bad query scope: author, action or type"))?)
        }
    };
    let rows = admin::audit(&ctx, query.as_ref(), (page - 1) * per_page, per_page).await.map_err(refused)?;
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

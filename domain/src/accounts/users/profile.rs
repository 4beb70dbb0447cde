//! Profile of the signed-in person, in every role (decision 35): read and changed by its owner only.
use super::{User, bump_version, event, index, lock, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        geo,
        ids::UserId,
        validate::{self, LINE, Validator},
    },
    platform::activity,
};
use chrono::NaiveDate;
use serde::Serialize;

/// Profile of a person. The address changes through `auth` only.
#[derive(Clone, Debug, PartialEq, Serialize, sqlx::FromRow)]
pub struct Profile {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    /// Free text, not the company of the account.
    pub company: Option<String>,
    pub job_title: Option<String>,
    pub dob: Option<NaiveDate>,
    pub street_address: Option<String>,
    pub city: Option<String>,
    /// ISO 3166-2.
    pub state: Option<String>,
    pub zip_code: Option<String>,
    /// ISO 3166 alpha-2.
    pub country: Option<String>,
    pub version: i64,
}

/// Changes to a profile: `None` keeps a field, an empty text clears it.
#[derive(Clone, Debug, Default)]
pub struct UpdateProfile {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub phone: Option<String>,
    pub company: Option<String>,
    pub job_title: Option<String>,
    pub dob: Option<String>,
    pub street_address: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip_code: Option<String>,
    pub country: Option<String>,
}

/// The profile of the signed-in person.
///
/// # Errors
/// Unauthenticated for anonymous actors, jobs and the operator, which have no account; Forbidden while a requirement is
/// due.
#[tracing::instrument(level = "debug", name = "users.profile", skip_all)]
pub async fn profile(ctx: &Ctx) -> Result<Profile> {
    store::profile(&mut ctx.db(), require_account(ctx)?).await
}

/// The profile and account before and after [`save_profile`].
pub(crate) struct SavedProfile {
    pub user: User,
    pub before: Profile,
    pub after: Profile,
}

impl SavedProfile {
    pub fn is_renamed(&self) -> bool {
        (&self.before.first_name, &self.before.last_name) != (&self.after.first_name, &self.after.last_name)
    }
}

/// Validates and saves a change to one's own profile, within the use case that also updates what shows the name
/// (`desk::people::update_profile`).
///
/// # Errors
/// As [`get`]; Invalid per field; Conflict `stale`.
pub(crate) async fn save_profile(
    tx: &mut Tx,
    ctx: &Ctx,
    version: Option<i64>,
    today: NaiveDate,
    change: &UpdateProfile,
) -> Result<SavedProfile> {
    save_profile_of(tx, ctx, require_account(ctx)?, version, today, change).await
}

/// [`save_profile`] of another account.
///
/// # Errors
/// NotFound; Invalid per field; Conflict `stale`.
pub(crate) async fn save_profile_of(
    tx: &mut Tx,
    ctx: &Ctx,
    id: UserId,
    version: Option<i64>,
    today: NaiveDate,
    change: &UpdateProfile,
) -> Result<SavedProfile> {
    let user = lock(tx, id, version).await?;
    let before = store::profile(tx, id).await?;
    let after = before.apply(today, change)?;
    let user = User {
        first_name: after.first_name.clone(),
        last_name: after.last_name.clone(),
        phone: after.phone.clone(),
        ..bump_version(ctx, user)
    };
    store::save(tx, &user).await?;
    store::save_profile(tx, id, &after).await?;
    index(tx, &user).await?;
    activity::append(tx, ctx, event("user.updated", &user).changed(&before, &after)?).await?;
    Ok(SavedProfile { user, before, after })
}

/// The account of the signed-in person.
///
/// # Errors
/// As [`get`].
pub(crate) fn require_account(ctx: &Ctx) -> Result<UserId> {
    ctx.scope()?;
    ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))
}

impl Profile {
    fn apply(&self, today: NaiveDate, change: &UpdateProfile) -> Result<Self> {
        let mut check = Validator::new();
        let mut name = |field: &str, new: &Option<String>, now: &str| match new {
            Some(new) => check.single_line(field, new, LINE),
            None => now.to_owned(),
        };
        let first_name = name("first_name", &change.first_name, &self.first_name);
        let last_name = name("last_name", &change.last_name, &self.last_name);
        let mut line = |field: &str, new: &Option<String>, now: &Option<String>, max: usize| match new {
            Some(new) => check.optional_line(field, Some(new), max),
            None => now.clone(),
        };
        let company = line("company", &change.company, &self.company, LINE);
        let job_title = line("job_title", &change.job_title, &self.job_title, LINE);
        let street_address = line("street_address", &change.street_address, &self.street_address, LINE);
        let city = line("city", &change.city, &self.city, LINE);
        let zip_code = line("zip_code", &change.zip_code, &self.zip_code, 20);
        let phone = match &change.phone {
            Some(phone) => check.phone("phone", Some(phone)),
            None => self.phone.clone(),
        };
        let dob = match &change.dob {
            Some(dob) => check.optional("dob", Some(dob), validate::date),
            None => self.dob,
        };
        if dob.is_some_and(|dob| dob > today) {
            check.reject("dob", Problem::new("future"));
        }
        let country = match &change.country {
            Some(country) => check.optional("country", Some(country), geo::country),
            None => self.country.clone(),
        };
        // A state belongs to its country.
        let stays = self.state.as_ref().filter(|_| country == self.country);
        let state = match (change.state.as_ref().or(stays), &country) {
            (Some(state), Some(country)) => check.optional("state", Some(state), |state| geo::state(country, state)),
            (Some(state), None) if !state.trim().is_empty() => {
                check.reject("state", Problem::new("needs_country"));
                None
            }
            _ => None,
        };
        check.finish()?;
        Ok(Self {
            first_name,
            last_name,
            phone,
            company,
            job_title,
            dob,
            street_address,
            city,
            state,
            zip_code,
            country,
            ..self.clone()
        })
    }
}

//! Profile of the signed-in person, in every role (decision 35): read and changed by its owner only.
use super::{User, bump_version, event, index, lock, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        geo,
        ids::UserId,
        validate::{self, Check, LINE},
    },
    platform::activity,
};
use chrono::NaiveDate;
use serde::Serialize;

/// A person as they describe themselves. The e-mail address changes through sign-in only.
#[derive(Clone, Debug, PartialEq, Serialize, sqlx::FromRow)]
pub struct Profile {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    /// Free text; the company that an account belongs to is another thing.
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

/// What is to change; a field left out stays, an empty one is cleared.
#[derive(Clone, Debug, Default)]
pub struct Change {
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

/// One's own profile.
///
/// # Errors
/// Unauthenticated for nobody, and for jobs and the operator, who are no account; Forbidden while something is due.
pub async fn get(ctx: &Ctx) -> Result<Profile> {
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
    change: &Change,
) -> Result<SavedProfile> {
    let id = require_account(ctx)?;
    let user = lock(tx, id, version).await?;
    let before = store::profile(tx, id).await?;
    let after = before.changed(today, change)?;
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
/// Unauthenticated for nobody, and for jobs and the operator; Forbidden while something is due.
pub(crate) fn require_account(ctx: &Ctx) -> Result<UserId> {
    ctx.scope()?;
    ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))
}

impl Profile {
    fn changed(&self, today: NaiveDate, change: &Change) -> Result<Self> {
        let mut check = Check::new();
        let mut name = |field: &str, wanted: &Option<String>, now: &str| match wanted {
            Some(wanted) => check.line(field, wanted, LINE),
            None => now.to_owned(),
        };
        let first_name = name("first_name", &change.first_name, &self.first_name);
        let last_name = name("last_name", &change.last_name, &self.last_name);
        let mut line = |field: &str, wanted: &Option<String>, now: &Option<String>, max: usize| match wanted {
            Some(wanted) => check.optional_line(field, Some(wanted), max),
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
            check.refuse("dob", Problem::new("future"));
        }
        let country = match &change.country {
            Some(country) => check.optional("country", Some(country), geo::country),
            None => self.country.clone(),
        };
        // Of another country, the state that was there is nothing any more.
        let stays = self.state.as_ref().filter(|_| country == self.country);
        let state = match (change.state.as_ref().or(stays), &country) {
            (Some(state), Some(country)) => check.optional("state", Some(state), |state| geo::state(country, state)),
            (Some(state), None) if !state.trim().is_empty() => {
                check.refuse("state", Problem::new("needs_country"));
                None
            }
            _ => None,
        };
        check.done()?;
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

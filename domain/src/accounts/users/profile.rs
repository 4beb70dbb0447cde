//! What people say of themselves (decision 35): their own to read and to change, in every role.
use super::{index, lock, store, touched};
use crate::{
    directory::isos,
    kernel::{
        access::Role,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        geo,
        ids::UserId,
        validate::{self, Check, LINE},
    },
    orders::documents,
    platform::{activity, settings},
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
    store::profile(&mut ctx.db(), me(ctx)?).await
}

/// Changes one's own profile, and everything that knows people by their name.
///
/// # Errors
/// As [`get`]; Invalid per field; stale when `version` is not the row's.
pub async fn update(ctx: &Ctx, version: Option<i64>, change: Change) -> Result<Profile> {
    let id = me(ctx)?;
    let today = settings::person_today(ctx).await?;
    let change = &change;
    ctx.transaction(|tx| {
        async move {
            let user = lock(tx, id, version).await?;
            let before = store::profile(tx, id).await?;
            let after = before.changed(today, change)?;
            let user = super::User {
                first_name: after.first_name.clone(),
                last_name: after.last_name.clone(),
                phone: after.phone.clone(),
                ..touched(ctx, user)
            };
            store::save(tx, &user).await?;
            store::save_profile(tx, id, &after).await?;
            match user.role {
                Role::Client => {
                    crate::desk::people::reindex_client(tx, id).await?;
                    if (&before.first_name, &before.last_name) != (&after.first_name, &after.last_name) {
                        documents::on_client_renamed(tx, id).await?;
                    }
                }
                Role::Iso => isos::on_user_renamed(tx, &user).await?,
                _ => index(tx, &user).await?,
            }
            activity::append(tx, ctx, super::event("user.updated", &user).changed(&before, &after)?).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx).await
}

fn me(ctx: &Ctx) -> Result<UserId> {
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

//! The signed-in account and its display preferences.
use super::{DateFormat, Theme, User, event, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        i18n::LANGUAGES,
        ids::{CompanyId, IsoId},
        locale::is_zone,
        validate::Validator,
    },
    platform::activity,
};

/// The signed-in account, with the names of what it belongs to.
#[derive(Clone, Debug)]
pub struct Me {
    pub user: User,
    pub company: Option<(CompanyId, String)>,
    pub iso: Option<(IsoId, String)>,
}

/// The signed-in account.
///
/// # Errors
/// Unauthenticated for anonymous actors, jobs and the operator, which have no account.
#[tracing::instrument(level = "debug", name = "users.me", skip_all)]
pub async fn me(ctx: &Ctx) -> Result<Me> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    let mut db = ctx.db();
    let user = store::get(&mut db, id).await?.ok_or(Error::unauthenticated("unauthenticated"))?;
    let (company, iso) = store::names(&mut db, user.company_id, user.iso_id).await?;
    Ok(Me { company: user.company_id.zip(company), iso: user.iso_id.zip(iso), user })
}

/// Display preferences; a field that is not given stays.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    pub language: Option<String>,
    pub time_zone: Option<String>,
    pub theme: Option<Theme>,
    pub date_format: Option<DateFormat>,
}

/// Saves the display preferences of the signed-in account.
///
/// # Errors
/// Unauthenticated as [`me`]; Invalid `language`, `time_zone`.
#[tracing::instrument(level = "debug", name = "users.set_preferences", skip_all)]
pub async fn set_preferences(ctx: &Ctx, preferences: Preferences) -> Result<User> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    let mut check = Validator::new();
    let chosen = preferences.language.is_some();
    let new_language =
        preferences.language.as_deref().map(|preferences| validate_language(&mut check, Some(preferences)));
    if preferences.time_zone.as_deref().is_some_and(|zone| !is_zone(zone)) {
        check.reject("time_zone", Problem::new("invalid_time_zone"));
    }
    check.finish()?;
    let (preferences, new_language) = (&preferences, new_language.as_deref());
    ctx.transaction(|tx| {
        async move {
            let before = store::lock(tx, id).await?.ok_or(Error::unauthenticated("unauthenticated"))?;
            let user = User {
                language: new_language.unwrap_or(&before.language).to_owned(),
                time_zone: preferences.time_zone.as_ref().unwrap_or(&before.time_zone).clone(),
                theme: preferences.theme.unwrap_or(before.theme),
                date_format: preferences.date_format.unwrap_or(before.date_format),
                ..before.clone()
            };
            store::save_preferences(tx, &user).await?;
            if chosen {
                store::mark_language_chosen(tx, id).await?;
            }
            // Nodes cache the language with the session; the activity entry invalidates it.
            activity::append(tx, ctx, event("user.updated", &user).changed(&before, &user)?).await?;
            Ok(user)
        }
        .scope_boxed()
    })
    .await
}

/// Validates a language; without one it is the first of [`LANGUAGES`].
pub(crate) fn validate_language(check: &mut Validator, asked: Option<&str>) -> String {
    let language = asked.map(str::trim).filter(|l| !l.is_empty()).unwrap_or(LANGUAGES[0]);
    if !LANGUAGES.contains(&language) {
        check.reject("language", Problem::new("unknown").with("allowed", LANGUAGES.join(", ")));
    }
    language.to_owned()
}

//! The signed-in person's own account, and what they may choose about it.
use super::{DateFormat, Theme, User, create::language, event, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId},
        locale::is_zone,
        validate::Check,
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

/// # Errors
/// Unauthenticated for nobody, and for jobs and the operator, who are no account.
pub async fn me(ctx: &Ctx) -> Result<Me> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    let mut db = ctx.db();
    let user = store::get(&mut db, id).await?.ok_or(Error::unauthenticated("unauthenticated"))?;
    let (company, iso) = store::names(&mut db, user.company_id, user.iso_id).await?;
    Ok(Me { company: user.company_id.zip(company), iso: user.iso_id.zip(iso), user })
}

/// How somebody wants things shown; what is not given stays.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    pub language: Option<String>,
    pub time_zone: Option<String>,
    pub theme: Option<Theme>,
    pub date_format: Option<DateFormat>,
}

/// Chooses how one wants things shown.
///
/// # Errors
/// Unauthenticated as [`me`]; Invalid `language`, `time_zone`.
pub async fn set_preferences(ctx: &Ctx, wanted: Preferences) -> Result<User> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    let mut check = Check::new();
    let chosen = wanted.language.is_some();
    let new_language = wanted.language.as_deref().map(|wanted| language(&mut check, Some(wanted)));
    if wanted.time_zone.as_deref().is_some_and(|zone| !is_zone(zone)) {
        check.refuse("time_zone", Problem::new("invalid_time_zone"));
    }
    check.done()?;
    let (wanted, new_language) = (&wanted, new_language.as_deref());
    ctx.transaction(|tx| {
        async move {
            let before = store::lock(tx, id).await?.ok_or(Error::unauthenticated("unauthenticated"))?;
            let user = User {
                language: new_language.unwrap_or(&before.language).to_owned(),
                time_zone: wanted.time_zone.as_ref().unwrap_or(&before.time_zone).clone(),
                theme: wanted.theme.unwrap_or(before.theme),
                date_format: wanted.date_format.unwrap_or(before.date_format),
                ..before.clone()
            };
            store::save_preferences(tx, &user).await?;
            if chosen {
                store::language_chosen(tx, id).await?;
            }
            // Every node keeps the language with the session and must hear of it.
            activity::append(tx, ctx, event("user.updated", &user).changed(&before, &user)?).await?;
            Ok(user)
        }
        .scope_boxed()
    })
    .await
}

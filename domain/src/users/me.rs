//! The signed-in person's own account, and what they may choose about it.
use super::{User, create::language, event, store};
use crate::{
    activity,
    check::Check,
    ctx::Ctx,
    error::{Error, Problem, Result},
    ids::{CompanyId, IsoId},
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

/// Chooses one's own language and time zone; what is not given stays.
///
/// # Errors
/// Unauthenticated as [`me`]; Invalid `language`, `time_zone`.
pub async fn set_preferences(ctx: &Ctx, wanted: Option<&str>, time_zone: Option<&str>) -> Result<User> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    let mut check = Check::new();
    let wanted = wanted.map(|wanted| language(&mut check, Some(wanted)));
    if time_zone.is_some_and(|zone| !is_zone(zone)) {
        check.refuse("time_zone", Problem::new("invalid_time_zone"));
    }
    check.done()?;
    let mut tx = ctx.begin().await?;
    let user = store::lock(&mut tx, id).await?.ok_or(Error::unauthenticated("unauthenticated"))?;
    let user = User {
        language: wanted.unwrap_or_else(|| user.language.clone()),
        time_zone: time_zone.map_or_else(|| user.time_zone.clone(), str::to_owned),
        ..user
    };
    store::save_preferences(&mut tx, &user).await?;
    // Every node keeps the language with the session and must hear of it.
    activity::append(&mut tx, ctx, event("user.updated", &user)).await?;
    tx.commit().await?;
    Ok(user)
}

/// The form of an IANA name: `Europe/Madrid`, `America/Argentina/Salta`, `UTC`. The zones themselves are known
/// to whoever shows a time.
fn is_zone(text: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_+-".contains(&b))
    };
    text == "UTC" || (text.len() <= 64 && text.contains('/') && text.split('/').all(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_iana_names() {
        for good in ["UTC", "America/New_York", "America/Argentina/Salta", "Etc/GMT+5", "Asia/Dubai"] {
            assert!(is_zone(good), "{good}");
        }
        for wrong in ["", "EST", "+02:00", "Europe/", "/Madrid", "Europe/Mad rid", "Europe/<b>", "../../etc/passwd"] {
            assert!(!is_zone(wrong), "{wrong}");
        }
    }
}

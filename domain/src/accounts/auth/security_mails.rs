//! Security mails of accounts: which act is told to which address ([`SecurityAct`]), and whether a sign-in is from a new
//! place or device. They are queued in the transaction of the act.
use super::{device, sessions::Session, store};
use crate::{
    accounts::users::{self, User},
    kernel::{
        access::{Actor, Role},
        ctx::Ctx,
        db::Tx,
        error::Result,
    },
    outbox::mails::{self, SecurityAct, SecurityMail},
};
use chrono::Duration;
use std::net::IpAddr;

/// A place or device is known for this time, and within this number of latest sign-ins.
const KNOWN_MAX_AGE: Duration = Duration::days(90);
const KNOWN_SESSIONS: usize = 50;
/// Pause between mails about one session that is used from two networks.
const ELSEWHERE_COOLDOWN: Duration = Duration::days(1);

/// Tells the owner of an account of an act.
///
/// # Errors
/// Database errors.
pub(in crate::accounts) async fn notify(tx: &mut Tx, ctx: &Ctx, act: SecurityAct, user: &User) -> Result<()> {
    mails::queue_security_mail(tx, ctx, SecurityMail::new(act, user.id)).await
}

/// [`notify`] for an identity at a provider, by its display name.
///
/// # Errors
/// Database errors.
pub(super) async fn notify_identity(
    tx: &mut Tx,
    ctx: &Ctx,
    act: SecurityAct,
    user: &User,
    provider: &str,
) -> Result<()> {
    mails::queue_security_mail(tx, ctx, SecurityMail::new(act, user.id).with("provider", provider)).await
}

/// [`notify`] for a passkey, by its name.
///
/// # Errors
/// Database errors.
pub(super) async fn notify_passkey(tx: &mut Tx, ctx: &Ctx, act: SecurityAct, user: &User, name: &str) -> Result<()> {
    mails::queue_security_mail(tx, ctx, SecurityMail::new(act, user.id).with("passkey", name)).await
}

/// Tells the old and the new address of an account of the change. A change by others revokes the links of earlier mails: the
/// old mailbox must not take the account back.
///
/// # Errors
/// Database errors.
pub(super) async fn notify_email_changed(tx: &mut Tx, ctx: &Ctx, before: &User, after: &User) -> Result<()> {
    if ctx.actor.user_id() != Some(after.id) {
        mails::secure_links::revoke_all_of(tx, ctx, after.id).await?;
    }
    for address in [&before.email, &after.email] {
        let mail = SecurityMail::new(SecurityAct::EmailChanged, after.id)
            .addressed_to(address)
            .with("from", before.email.clone())
            .with("to", after.email.clone());
        mails::queue_security_mail(tx, ctx, mail).await?;
    }
    Ok(())
}

/// Tells the super admins where an account is created as one or becomes one. A new account is not told of itself.
///
/// # Errors
/// Database errors.
pub(in crate::accounts) async fn notify_role(tx: &mut Tx, ctx: &Ctx, before: Option<Role>, user: &User) -> Result<()> {
    if user.role != Role::SuperAdmin || before == Some(Role::SuperAdmin) {
        return Ok(());
    }
    for admin in users::store::super_admins(tx, ctx.now()).await? {
        if before.is_none() && admin == user.id {
            continue;
        }
        let act = match ctx.actor.user_id() == Some(admin) {
            true => SecurityAct::SuperAdminMade,
            false => SecurityAct::SuperAdminMadeByOther,
        };
        let mail = SecurityMail::new(act, admin).with("subject", user.name()).with("subject_id", user.id.to_string());
        mails::queue_security_mail(tx, ctx, mail).await?;
    }
    Ok(())
}

/// Tells the owner of a sign-in from a place or device that no sign-in of the last 90 days came from. The first sign-in of
/// an account is expected. `user` is the row before the sign-in; must be called before `session` is inserted.
///
/// # Errors
/// Database errors.
pub(super) async fn notify_sign_in(tx: &mut Tx, ctx: &Ctx, user: &User, session: &Session) -> Result<()> {
    if user.last_sign_in_at.is_none() {
        return Ok(());
    }
    let known = store::recent_sources(tx, user.id, ctx.now() - KNOWN_MAX_AGE, KNOWN_SESSIONS).await?;
    let is_known = |source: &store::SessionSource| {
        device_key(source.user_agent.as_deref()) == device_key(session.user_agent.as_deref())
    };
    let known_device = known.iter().any(is_known);
    let known_place = known.iter().any(|source| is_same_place(source.address.as_deref(), session.address.as_deref()));
    if known_device && known_place {
        return Ok(());
    }
    notify(tx, &ctx.acting_as(Actor::Anonymous), SecurityAct::NewSignIn, user).await
}

/// Tells the owner that the parent of an active refresh token came from another network, at most daily for a session.
///
/// # Errors
/// Database errors.
pub(super) async fn notify_elsewhere(tx: &mut Tx, ctx: &Ctx, user: &User, session: &Session) -> Result<()> {
    if is_same_place(session.address.as_deref(), ctx.origin.address.as_deref()) {
        return Ok(());
    }
    let mail = SecurityMail::new(SecurityAct::SessionElsewhere, user.id).with("session_id", session.id.to_string());
    if mails::has_recent_security_mail(tx, ctx, &mail, ELSEWHERE_COOLDOWN).await? {
        return Ok(());
    }
    mails::queue_security_mail(tx, ctx, mail).await
}

/// Whether two user agents are two devices. Programs that are no browsers are not told apart: one session may be used by a
/// browser and by the program that serves its pages.
pub(super) fn is_other_device(before: Option<&str>, now: Option<&str>) -> bool {
    let name = |agent| device::name("en-US", agent);
    matches!((name(before), name(now)), (Some(before), Some(now)) if before != now)
}

/// Browser and system without their versions, else the user agent as it is.
fn device_key(user_agent: Option<&str>) -> Option<String> {
    device::name("en-US", user_agent).or_else(|| user_agent.map(str::to_owned))
}

/// Whether two addresses are in one place. True where that is unknown: one is missing, or one is IPv4 and the other IPv6, as
/// browsers choose either for each connection.
fn is_same_place(one: Option<&str>, other: Option<&str>) -> bool {
    match (one.and_then(place), other.and_then(place)) {
        (Some(one), Some(other)) => one == other || one.is_ipv4() != other.is_ipv4(),
        _ => true,
    }
}

/// The /16 of an IPv4 address and the /32 of an IPv6 address, about the region of a provider: many networks give a new
/// address each day, which is no news.
fn place(address: &str) -> Option<IpAddr> {
    Some(match address.parse::<IpAddr>().ok()?.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            IpAddr::from([a, b, 0, 0])
        }
        IpAddr::V6(v6) => {
            let [a, b, ..] = v6.segments();
            IpAddr::from([a, b, 0, 0, 0, 0, 0, 0])
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    const NEWER_FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0";
    const CHROME: &str =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

    #[test]
    fn place_is_the_region_of_an_address() {
        for (one, other, same) in [
            ("203.0.113.7", "203.0.200.1", true),
            ("203.0.113.7", "203.1.113.7", false),
            ("2001:db8:1::7", "2001:db8:ffff::1", true),
            ("2001:db8::7", "2001:db9::7", false),
            ("::ffff:203.0.113.7", "203.0.1.1", true),
            ("203.0.113.7", "2001:db8::7", true),
        ] {
            assert_eq!(is_same_place(Some(one), Some(other)), same, "{one} {other}");
        }
        assert!(is_same_place(None, Some("203.0.113.7")));
    }

    #[test]
    fn device_is_browser_and_system() {
        assert_eq!(device_key(Some(FIREFOX)), device_key(Some(NEWER_FIREFOX)));
        assert_ne!(device_key(Some(FIREFOX)), device_key(Some(CHROME)));
        assert!(is_other_device(Some(FIREFOX), Some(CHROME)));
        assert!(!is_other_device(Some(FIREFOX), Some(NEWER_FIREFOX)));
        assert!(!is_other_device(Some(FIREFOX), Some("node")) && !is_other_device(None, Some(CHROME)));
    }
}

//! The outbox: every mail is a row, queued by the transaction that gives it its reason, and sent by a job.
//!
//! The text of a mail is made when it is sent, from the row and what is true then. A row never holds a secret:
//! one-time links are made for each attempt and kept as hashes (decision 21).
mod model;
mod notify;
mod store;
mod unsubscribe;

pub use model::{EmailFailure, Kind, Linked, Mail, Outgoing, Status};
pub use notify::{notify_client_spv, send_notification};
pub use unsubscribe::unsubscribe;

use crate::{
    accounts::{
        auth::links,
        users::{self, email_key},
    },
    directory::companies,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        i18n::LANGUAGES,
        idempotency,
        ids::{MailId, SpvId, UserId},
        page::{Page, PageQuery},
    },
    platform::{
        activity::{self, Event},
        queue::{self, Job},
        settings,
    },
};
use chrono::Duration;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The job that sends one mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Send {
    pub mail_id: MailId,
}

impl Job for Send {
    const NAME: &'static str = "mails.send";
    /// With pauses that grow to an hour: a mail server may be away for three days.
    const ATTEMPTS: usize = 80;
    /// Behind what is done here: a mail server that hangs keeps nothing else waiting for longer than it must.
    const PRIORITY: usize = 0;
}

/// The job that sends a test mail: sent once, because somebody waits for what becomes of it. It is done when that is
/// noted; another attempt follows only when its worker dies under it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendTest {
    pub mail_id: MailId,
}

impl Job for SendTest {
    const NAME: &'static str = "mails.send_test";
    const ATTEMPTS: usize = 3;
}

/// Sends a mail to whoever asks, as every mail is sent. Super admins. Its outcome is the event `mail.sent` or
/// `mail.failed` of this id.
///
/// # Errors
/// Forbidden, also for whoever is no person.
pub async fn test(ctx: &Ctx) -> Result<MailId> {
    ctx.may(Action::Update, Resource::Settings)?;
    let me = ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))?;
    let user = users::get(ctx, me).await?;
    let name = format!("{} {}", user.first_name, user.last_name);
    let mail = &Mail { user_id: Some(me), ..new(ctx, Kind::Test, user.email, name, user.language, Map::new()) };
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(MailId(id));
            }
            store::insert(tx, mail).await?;
            queue::enqueue(tx, &SendTest { mail_id: mail.id }).await?;
            idempotency::remember(tx, ctx, mail.id.0).await?;
            Ok(mail.id)
        }
        .scope_boxed()
    })
    .await
}

/// How long the news of an order waits for an account that is not set up yet: its link in mails would lead to a sign-in
/// for which there is no password.
const SETUP_WAIT: Duration = Duration::hours(24);
/// Marks such a mail in its data.
const AWAITS_SETUP: &str = "awaits_setup";

/// Puts a mail to a known user into the outbox and its job into the queue; none when the mails are off.
///
/// # Errors
/// What the database refuses.
pub async fn queue(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: UserId,
    spv: Option<SpvId>,
    data: Map<String, Value>,
) -> Result<Option<MailId>> {
    put(tx, ctx, kind, to, spv, data, Linked::default()).await
}

/// [`queue`] for what a client hears of an order: sent once the account is set up ([`release`]), at the latest after a day,
/// and then without a button.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn queue_after_setup(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: UserId,
    spv: SpvId,
    mut data: Map<String, Value>,
) -> Result<Option<MailId>> {
    if !ctx.silent && !store::is_set_up(tx, to).await? {
        data.insert(AWAITS_SETUP.to_owned(), true.into());
    }
    queue(tx, ctx, kind, to, Some(spv), data).await
}

/// Sends what waited until the account was set up, in the transaction that sets it up.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn release(tx: &mut Tx, user: UserId) -> Result<()> {
    for mail in store::waiting(tx, user).await? {
        if mail.data.contains_key(AWAITS_SETUP) {
            queue::enqueue(tx, &Send { mail_id: mail.id }).await?;
        }
    }
    Ok(())
}

/// [`queue`] for a mail whose link leads somewhere, or that goes to another address than the account's.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn queue_linked(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: UserId,
    linked: Linked,
) -> Result<Option<MailId>> {
    let mut data = Map::new();
    for (name, value) in [("redirect_to", &linked.redirect_to), ("new_email", &linked.new_email)] {
        if let Some(value) = value {
            data.insert(name.to_owned(), value.clone().into());
        }
    }
    put(tx, ctx, kind, to, None, data, linked).await
}

async fn put(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: UserId,
    spv: Option<SpvId>,
    data: Map<String, Value>,
    linked: Linked,
) -> Result<Option<MailId>> {
    if ctx.silent {
        return Ok(None);
    }
    let (email, name, language) = store::addressee(tx, to).await?;
    let mail = Mail {
        user_id: Some(to),
        spv_id: spv,
        flow_id: linked.flow,
        ..new(ctx, kind, linked.email.unwrap_or(email), name, language, data)
    };
    let id = mail.id;
    store::insert(tx, &mail).await?;
    if let Some(link) = kind.link() {
        users::record_mail(tx, to, link, mail.created_at).await?;
    }
    let job = Send { mail_id: id };
    if mail.data.contains_key(AWAITS_SETUP) {
        queue::enqueue_at(tx, &job, mail.created_at + SETUP_WAIT).await?;
    } else {
        queue::enqueue(tx, &job).await?;
    }
    Ok(Some(id))
}

/// Puts a mail to somebody without an account into the outbox: of a kind that answers what they asked, and carries no
/// link of theirs.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn queue_answer(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: (String, String),
    language: Option<String>,
    data: Map<String, Value>,
) -> Result<()> {
    if ctx.silent {
        return Ok(());
    }
    let (email, name) = to;
    let language = language.unwrap_or_else(|| LANGUAGES[0].to_owned());
    let mail = new(ctx, kind, email, name, language, data);
    store::insert(tx, &mail).await?;
    queue::enqueue(tx, &Send { mail_id: mail.id }).await
}

/// A mail to nobody's account yet.
fn new(ctx: &Ctx, kind: Kind, to_email: String, to_name: String, language: String, data: Map<String, Value>) -> Mail {
    let id = MailId(ctx.chance.uuid());
    let host = message_id_host(&ctx.options.public_url);
    Mail {
        id,
        kind,
        user_id: None,
        spv_id: None,
        to_email,
        to_name,
        language,
        data,
        // Fixed for the mail's life, so that a retry is recognised as the same mail.
        message_id: format!("<{id}@{host}>"),
        status: Status::Queued,
        attempts: 0,
        last_error: None,
        created_at: ctx.now(),
        sent_at: None,
        flow_id: None,
    }
}

/// What stands behind the `@` of a Message-ID: the public URL's host in punycode, an IP address as a literal (RFC 5321,
/// 4.1.3).
fn message_id_host(public_url: &str) -> String {
    let url = url::Url::parse(public_url).ok();
    match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) if !name.trim_matches('.').is_empty() => name.trim_matches('.').to_owned(),
        Some(url::Host::Ipv4(address)) => format!("[{address}]"),
        Some(url::Host::Ipv6(address)) => format!("[IPv6:{address}]"),
        _ => "portal".to_owned(),
    }
}

/// Begins an attempt to send: counts it, makes the one-time link the mail needs, and gives what it says.
/// None when the mail has been sent already, its reader has been archived or suspended or has another address since,
/// or what it asks to confirm is not wanted any more.
///
/// # Errors
/// NotFound; what the database refuses.
pub async fn attempt(ctx: &Ctx, id: MailId) -> Result<Option<Outgoing>> {
    ctx.transaction(|tx| attempt_in(tx, ctx, id).scope_boxed()).await
}

/// [`attempt`] in its transaction.
async fn attempt_in(tx: &mut Tx, ctx: &Ctx, id: MailId) -> Result<Option<Outgoing>> {
    let mail = store::lock(tx, id).await?.ok_or(Error::NotFound("mail"))?;
    if mail.status == Status::Sent {
        return Ok(None);
    }
    let Some(user_id) = mail.user_id else {
        store::count_attempt(tx, id).await?;
        let (time_zone, date_format) = ("UTC".to_owned(), users::DateFormat::Auto);
        return Ok(Some(Outgoing {
            mail,
            role: None,
            time_zone,
            date_format,
            link: None,
            spv: None,
            logo: None,
            unsubscribe: None,
            before_setup: false,
        }));
    };
    let reader = store::reader(tx, user_id).await?;
    let reader = match not_wanted(&mail, reader.as_ref()) {
        None => reader,
        Some(why) => {
            store::give_up(tx, id, why).await?;
            None
        }
    };
    let Some(reader) = reader else { return Ok(None) };
    store::count_attempt(tx, id).await?;
    let link = match mail.kind.link() {
        Some(kind) => {
            let redirect_to = mail.data.get("redirect_to").and_then(Value::as_str);
            Some(links::issue_for(tx, ctx, user_id, &mail.to_email, kind, mail.flow_id, redirect_to).await?)
        }
        None => None,
    };
    let spv = match mail.spv_id {
        Some(spv) => store::spv(tx, spv).await?,
        None => None,
    };
    let mut logo = companies::logo_of(tx, user_id).await?;
    if logo.is_none()
        && let Some(id) = settings::within(tx).await?.logo_id
    {
        logo = settings::logo(tx, id).await?;
    }
    let unsubscribe = unsubscribe::link(tx, ctx, &mail).await?;
    let store::Reader { role, time_zone, date_format, is_set_up, .. } = reader;
    let needs_sign_in = mail.data.contains_key(AWAITS_SETUP) || matches!(mail.kind, Kind::Notices | Kind::Digest);
    let before_setup = needs_sign_in && !is_set_up;
    let role = Some(role);
    Ok(Some(Outgoing { mail, role, time_zone, date_format, link, spv, logo, unsubscribe, before_setup }))
}

/// Why a mail must not be sent any more. It was addressed when it was queued, and the account may have changed since:
/// nothing goes to a mailbox that is not its owner's by now.
fn not_wanted(mail: &Mail, reader: Option<&store::Reader>) -> Option<&'static str> {
    let Some(reader) = reader else { return Some("the account is suspended or archived") };
    if let Some(asked) = mail.data.get("new_email").and_then(Value::as_str)
        && reader.new_email.as_deref() != Some(asked)
    {
        return Some("the address is not to be changed to this one any more");
    }
    let about = mail.data.get("company_id").and_then(Value::as_str);
    let theirs = reader.role == Role::CompanyAdmin && reader.company_id.map(|id| id.to_string()).as_deref() == about;
    if mail.kind == Kind::Report && !theirs {
        return Some("the report is not theirs to see any more");
    }
    let to = email_key(&mail.to_email);
    let theirs = to == reader.email_key || Some(&to) == reader.new_email_key.as_ref();
    (!theirs).then_some("the account has another address by now")
}

/// Notes that the mail left. `over` says how the connection was encrypted, for a test mail.
///
/// # Errors
/// What the database refuses.
pub async fn sent(ctx: &Ctx, id: MailId, over: Option<Map<String, Value>>) -> Result<()> {
    let over = &over.unwrap_or_default();
    ctx.transaction(|tx| {
        async move {
            store::sent(tx, id, ctx.now()).await?;
            if let Some(mail) = store::lock(tx, id).await? {
                let mut event = told(&mail, "mail.sent");
                for (name, value) in over {
                    event = event.with(name, value.clone());
                }
                activity::append(tx, ctx, event).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Notes why an attempt failed. The mail is tried again until `last`.
///
/// # Errors
/// What the database refuses.
pub async fn failed(ctx: &Ctx, id: MailId, why: &str, last: bool) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            if last {
                store::fail(tx, id, why, ctx.now()).await?;
                if let Some(mail) = store::lock(tx, id).await? {
                    activity::append(tx, ctx, told(&mail, "mail.failed").with("reason", why)).await?;
                }
            } else {
                store::note_error(tx, id, why).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Of these accounts, those whose present address the last mail did not reach. Empty for everybody but staff.
///
/// # Errors
/// What the database refuses.
pub async fn email_failures(ctx: &Ctx, users: &[UserId]) -> Result<HashMap<UserId, EmailFailure>> {
    if !ctx.actor.is_staff() || users.is_empty() {
        return Ok(HashMap::new());
    }
    let found = store::failed(&mut ctx.db(), users).await?;
    let present = found.into_iter().filter(|row| email_key(&row.to_email) == row.email_key);
    let reasons = ctx.can(Action::View, Resource::Mails);
    let failure = |row: store::Failed| EmailFailure { at: row.failed_at, reason: row.reason.filter(|_| reasons) };
    Ok(present.map(|row| (row.user_id, failure(row))).collect())
}

fn told(mail: &Mail, action: &'static str) -> Event {
    Event::new(action, "mail", mail.id.0, mail.to_email.clone()).with("kind", mail.kind.name())
}

/// The outbox, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, status: Option<Status>, page: &PageQuery) -> Result<Page<Mail>> {
    ctx.may(Action::View, Resource::Mails)?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), status, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |mail| (mail.created_at, mail.id)))
}

/// # Errors
/// NotFound; Forbidden for all but super admins and the operator.
pub async fn get(ctx: &Ctx, id: MailId) -> Result<Mail> {
    ctx.may(Action::View, Resource::Mails)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("mail"))
}

/// Sends a mail again, with the same Message-ID. Staff.
///
/// # Errors
/// NotFound; Forbidden.
pub async fn resend(ctx: &Ctx, id: MailId) -> Result<Mail> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            if !store::queue_again(tx, id).await? {
                return Err(Error::NotFound("mail"));
            }
            queue::enqueue(tx, &Send { mail_id: id }).await
        }
        .scope_boxed()
    })
    .await?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("mail"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_id_has_a_host_that_every_public_url_gives() {
        for (url, host) in [
            ("https://portal.example.com", "portal.example.com"),
            ("https://portal.example.com.:8443", "portal.example.com"),
            ("https://portal.müller.example", "portal.xn--mller-kva.example"),
            ("http://localhost:8080", "localhost"),
            ("http://127.0.0.1:8080", "[127.0.0.1]"),
            ("http://[::1]:8080", "[IPv6:::1]"),
            ("https://[2001:db8::7]", "[IPv6:2001:db8::7]"),
            ("", "portal"),
        ] {
            assert_eq!(message_id_host(url), host, "{url}");
        }
    }
}

//! Mail outbox (transactional outbox): every mail is a row, inserted in the transaction that causes it and sent by a job.
//!
//! The text is rendered for each attempt from the row and the present state. A row never holds a secret: one-time links are
//! issued for each attempt and stored as hashes (one-time links, decision 21).
mod model;
pub(crate) mod secure_links;
mod security;
mod store;
mod unsubscribe;

pub use model::{EmailFailure, Kind, LinkKind, LinkParams, Mail, SecurityAct, Status};
pub use secure_links::TTL as SECURE_LINK_TTL;
pub(crate) use security::{SecurityMail, give_up_security_mails, has_recent_security_mail, queue_security_mail};
/// For mail delivery, which knows recipients and links.
pub(crate) use store::{IS_SET_UP_SQL, count_attempt, give_up, lock, order_label};
pub(crate) use unsubscribe::{by_link as by_unsubscribe_link, issue_link as issue_unsubscribe_link};

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        email,
        error::{Error, Result},
        i18n::LANGUAGES,
        idempotency,
        ids::{MailId, SpvId, UserId},
        page::{Page, PageQuery},
        validate::Validator,
    },
    platform::{
        activity::{self, Event},
        queue::{self, Job},
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
    /// With backoff up to an hour: about three days without a mail server.
    const ATTEMPTS: usize = 80;
    /// Lowest, so that a hanging mail server delays no other job.
    const PRIORITY: usize = 0;
}

/// The job that sends a test mail once, as the sender waits for the outcome. Further attempts are for a worker that dies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendTest {
    pub mail_id: MailId,
}

impl Job for SendTest {
    const NAME: &'static str = "mails.send_test";
    const ATTEMPTS: usize = 3;
}

/// Sends a test mail to the actor. Super admins. The outcome is the event `mail.sent` or `mail.failed` with this id.
///
/// # Errors
/// Forbidden, also for actors without an account.
#[tracing::instrument(level = "debug", name = "mails.test", skip_all)]
pub async fn test(ctx: &Ctx) -> Result<MailId> {
    ctx.may(Action::Update, Resource::Settings)?;
    let me = ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))?;
    let (email, name, language) = store::addressee(&mut ctx.db(), me).await?;
    let mail = &Mail { user_id: Some(me), ..new(ctx, Kind::Test, email, name, language, Map::new()) };
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(MailId(id));
            }
            store::insert(tx, mail).await?;
            queue::enqueue(tx, &SendTest { mail_id: mail.id }).await?;
            idempotency::store(tx, ctx, mail.id.0).await?;
            Ok(mail.id)
        }
        .scope_boxed()
    })
    .await
}

/// Stores a test mail to any address, which the caller sends now. The operator.
///
/// # Errors
/// Forbidden; Invalid `to`.
#[tracing::instrument(level = "debug", name = "mails.insert_test", skip_all)]
pub async fn insert_test(ctx: &Ctx, to: &str) -> Result<MailId> {
    ctx.may(Action::Update, Resource::Settings)?;
    let mut check = Validator::new();
    let email = check.email("to", to);
    check.finish()?;
    let mail = &new(ctx, Kind::Test, email.clone(), email, LANGUAGES[0].to_owned(), Map::new());
    ctx.transaction(|tx| async move { store::insert(tx, mail).await.map(|()| mail.id) }.scope_boxed()).await
}

/// How long mails about an order wait until the account is set up: their links lead to a sign-in that needs a password.
const MAX_SETUP_WAIT: Duration = Duration::hours(24);
/// The flag of such a mail in its data.
const AWAITS_SETUP: &str = "awaits_setup";

/// Queues a mail to a user; `None` when notifications are suppressed.
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
    insert(tx, ctx, kind, to, spv, data, LinkParams::default()).await
}

/// [`queue`] for a mail about an order: sent once the account is set up ([`release`]), at the latest after
/// [`MAX_SETUP_WAIT`], then without a button.
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
    if !ctx.suppress_notifications && !store::is_set_up(tx, to).await? {
        data.insert(AWAITS_SETUP.to_owned(), true.into());
    }
    queue(tx, ctx, kind, to, Some(spv), data).await
}

/// Sends the mails that waited for the account to be set up, in the transaction that does so.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn release(tx: &mut Tx, user: UserId) -> Result<()> {
    for mail in store::waiting(tx, user).await? {
        if mail.awaits_setup() {
            queue::enqueue(tx, &Send { mail_id: mail.id }).await?;
        }
    }
    Ok(())
}

/// [`queue`] for a mail with link parameters, or to another address than the account's.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn queue_linked(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: UserId,
    params: LinkParams,
) -> Result<Option<MailId>> {
    let mut data = Map::new();
    for (name, value) in [("redirect_to", &params.redirect_to), ("new_email", &params.new_email)] {
        if let Some(value) = value {
            data.insert(name.to_owned(), value.clone().into());
        }
    }
    insert(tx, ctx, kind, to, None, data, params).await
}

async fn insert(
    tx: &mut Tx,
    ctx: &Ctx,
    kind: Kind,
    to: UserId,
    spv: Option<SpvId>,
    data: Map<String, Value>,
    params: LinkParams,
) -> Result<Option<MailId>> {
    if ctx.suppress_notifications {
        return Ok(None);
    }
    let (email, name, language) = store::addressee(tx, to).await?;
    let mail = Mail {
        user_id: Some(to),
        spv_id: spv,
        flow_id: params.flow,
        ..new(ctx, kind, params.email.unwrap_or(email), name, language, data)
    };
    let id = mail.id;
    store::insert(tx, &mail).await?;
    if let Some(link) = kind.link() {
        store::record_link_mail(tx, to, link, mail.created_at).await?;
    }
    let job = Send { mail_id: id };
    if mail.awaits_setup() {
        queue::enqueue_at(tx, &job, mail.created_at + MAX_SETUP_WAIT).await?;
    } else {
        queue::enqueue(tx, &job).await?;
    }
    Ok(Some(id))
}

/// Queues a mail to an address without an account, in answer to a request. Its kind must carry no one-time link.
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
    if ctx.suppress_notifications {
        return Ok(());
    }
    let (email, name) = to;
    let language = language.unwrap_or_else(|| LANGUAGES[0].to_owned());
    let mail = new(ctx, kind, email, name, language, data);
    store::insert(tx, &mail).await?;
    queue::enqueue(tx, &Send { mail_id: mail.id }).await
}

/// A mail without an account.
fn new(ctx: &Ctx, kind: Kind, to_email: String, to_name: String, language: String, data: Map<String, Value>) -> Mail {
    let id = MailId(ctx.random.uuid());
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
        // Fixed, so that retries are recognised as the same mail.
        message_id: format!("<{id}@{host}>"),
        status: Status::Queued,
        attempts: 0,
        last_error: None,
        created_at: ctx.now(),
        sent_at: None,
        flow_id: None,
    }
}

/// The domain of a Message-ID: the host of the public URL in punycode, an IP address as a literal (RFC 5321, 4.1.3).
fn message_id_host(public_url: &str) -> String {
    let url = url::Url::parse(public_url).ok();
    match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) if !name.trim_matches('.').is_empty() => name.trim_matches('.').to_owned(),
        Some(url::Host::Ipv4(address)) => format!("[{address}]"),
        Some(url::Host::Ipv6(address)) => format!("[IPv6:{address}]"),
        _ => "portal".to_owned(),
    }
}

/// Records that the mail was sent. `connection` describes the encryption, for a test mail.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "mails.mark_sent", skip_all, fields(mail_id = %id))]
pub async fn mark_sent(ctx: &Ctx, id: MailId, connection: Option<Map<String, Value>>) -> Result<()> {
    let connection = &connection.unwrap_or_default();
    ctx.transaction(|tx| {
        async move {
            store::mark_sent(tx, id, ctx.now()).await?;
            if let Some(mail) = store::lock(tx, id).await? {
                let mut event = event(&mail, "mail.sent");
                for (name, value) in connection {
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

/// Records why an attempt failed. The mail is retried until the `last` attempt.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "mails.mark_failed", skip_all, fields(mail_id = %id))]
pub async fn mark_failed(ctx: &Ctx, id: MailId, why: &str, last: bool) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            if last {
                store::fail(tx, id, why, ctx.now()).await?;
                if let Some(mail) = store::lock(tx, id).await? {
                    activity::append(tx, ctx, event(&mail, "mail.failed").with("reason", why)).await?;
                }
            } else {
                store::record_error(tx, id, why).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// The accounts whose newest mail to their present address failed. Staff; empty for others.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "mails.email_failures", skip_all)]
pub async fn email_failures(ctx: &Ctx, users: &[UserId]) -> Result<HashMap<UserId, EmailFailure>> {
    if !ctx.actor.is_staff() || users.is_empty() {
        return Ok(HashMap::new());
    }
    let found = store::failed(&mut ctx.db(), users).await?;
    let present = found.into_iter().filter(|row| email::key(&row.to_email) == row.email_key);
    let reasons = ctx.can(Action::View, Resource::Mails);
    let failure = |row: store::Failed| EmailFailure { at: row.failed_at, reason: row.reason.filter(|_| reasons) };
    Ok(present.map(|row| (row.user_id, failure(row))).collect())
}

fn event(mail: &Mail, action: &'static str) -> Event {
    Event::new(action, "mail", mail.id.0, mail.to_email.clone()).with("kind", mail.kind.name())
}

/// Lists the outbox, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "mails.list", skip_all)]
pub async fn list(ctx: &Ctx, status: Option<Status>, page: &PageQuery) -> Result<Page<Mail>> {
    ctx.may(Action::View, Resource::Mails)?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), status, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |mail| (mail.created_at, mail.id)))
}

/// A mail of the outbox. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "mails.get", skip_all, fields(mail_id = %id))]
pub async fn get(ctx: &Ctx, id: MailId) -> Result<Mail> {
    ctx.may(Action::View, Resource::Mails)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("mail"))
}

/// Sends a mail again, with the same Message-ID. Staff.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "mails.resend", skip_all, fields(mail_id = %id))]
pub async fn resend(ctx: &Ctx, id: MailId) -> Result<Mail> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            if !store::requeue(tx, id).await? {
                return Err(Error::NotFound("mail"));
            }
            queue::enqueue(tx, &Send { mail_id: id }).await
        }
        .scope_boxed()
    })
    .await?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("mail"))
}

impl Mail {
    /// Whether the mail waits, or waited, for its account to be set up.
    pub(crate) fn awaits_setup(&self) -> bool {
        self.data.contains_key(AWAITS_SETUP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_id_has_a_domain_for_every_public_url() {
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

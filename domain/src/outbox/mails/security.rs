//! Security mails: news of an act with power over an account, queued in the transaction of the act. No preference switches
//! them off and no quota delays them.
use super::{
    insert,
    model::{Kind, LinkParams, SecurityAct},
    store,
};
use crate::kernel::{access::Actor, ctx::Ctx, db::Tx, error::Result, ids::UserId};
use chrono::Duration;
use serde_json::{Map, Value};

/// A security mail to be queued.
#[derive(Clone, Debug)]
pub(crate) struct SecurityMail {
    act: SecurityAct,
    to: UserId,
    email: Option<String>,
    data: Map<String, Value>,
}

impl SecurityMail {
    pub fn new(act: SecurityAct, to: UserId) -> Self {
        Self { act, to, email: None, data: Map::new() }
    }

    /// To another address than the account's present one.
    #[must_use]
    pub fn addressed_to(mut self, email: &str) -> Self {
        self.email = Some(email.to_owned());
        self
    }

    /// Adds a value for the text; never a secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }
}

/// Queues a security mail with the place and device of the actor, and with the actor unless it is the recipient.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn queue_security_mail(tx: &mut Tx, ctx: &Ctx, mail: SecurityMail) -> Result<()> {
    let SecurityMail { act, to, email, mut data } = mail;
    data.insert("context".to_owned(), act.name().into());
    for (name, value) in [("address", &ctx.origin.address), ("user_agent", &ctx.origin.user_agent)] {
        if let Some(value) = value {
            data.insert(name.to_owned(), value.clone().into());
        }
    }
    let by_other = match &ctx.actor {
        Actor::User(me) => me.id != to,
        Actor::Operator(_) | Actor::Service => true,
        Actor::Anonymous | Actor::System(_) => false,
    };
    if by_other {
        data.insert("by_kind".to_owned(), ctx.actor.kind().into());
        data.insert("by".to_owned(), ctx.actor.name().into());
    }
    insert(tx, ctx, Kind::SecurityNotice, to, None, data, LinkParams { email, ..LinkParams::default() }).await?;
    Ok(())
}

/// Whether a security mail about this act with this value was queued within the last `window`: repeated requests must not
/// flood the mailbox.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn has_recent_security_mail(
    tx: &mut Tx,
    ctx: &Ctx,
    mail: &SecurityMail,
    window: Duration,
) -> Result<bool> {
    let recent = store::recent(tx, mail.to, Kind::SecurityNotice, ctx.now() - window).await?;
    let same = |data: &Map<String, Value>| mail.data.iter().all(|(name, value)| data.get(name) == Some(value));
    Ok(recent.iter().any(|sent| sent.security_act() == Some(mail.act) && same(&sent.data)))
}

/// Gives up the security mails to an address that are not sent yet, when its account is secured from there: their links would
/// be issued after those of the sent mails were revoked.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn give_up_security_mails(tx: &mut Tx, user: UserId, to: &str) -> Result<()> {
    store::give_up_queued(tx, user, Kind::SecurityNotice, to, "the account was secured").await
}

//! Mail delivery: loads what one attempt to send a queued mail needs, and issues its one-time link.
//!
//! The recipient is checked at each attempt: a mail was addressed when it was queued, and the account may have changed.
mod store;

use crate::{
    accounts::{
        auth::links::{self, IssuedLink, LinkContext},
        users::email_key,
    },
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{MailId, UserId},
        locale::DateFormat,
        logo::Logo,
    },
    outbox::mails::{self, Kind, Mail, SecurityAct, Status},
    platform::settings,
};
use serde_json::Value;
use store::Recipient;

/// A mail with everything that its text needs.
#[derive(Debug)]
pub struct Outgoing {
    pub mail: Mail,
    /// The recipient's present role, for the link to their portal; `None` without an account.
    pub role: Option<Role>,
    pub time_zone: String,
    pub date_format: DateFormat,
    /// Issued for this attempt; those of earlier attempts stay valid until one is used.
    pub link: Option<IssuedLink>,
    /// The order's present display identifier and country.
    pub spv: Option<(String, String)>,
    /// The logo of the recipient's company, else the office's.
    pub logo: Option<Logo>,
    /// The unsubscribe link of list mails.
    pub unsubscribe: Option<String>,
    /// The "This wasn't me" link of a security mail, issued for this attempt.
    pub secure_account: Option<String>,
    /// The recipient has no password yet, so the mail has no button to sign in.
    pub before_setup: bool,
}

/// Starts an attempt to send a mail: counts it, issues the one-time link and loads what the text needs. `None` when the mail
/// was sent already or must not be sent any more: its recipient is suspended or archived or has another address, or its
/// confirmation was cancelled.
///
/// # Errors
/// NotFound; what the database refuses.
#[tracing::instrument(level = "debug", name = "mail_delivery.load_for_sending", skip_all, fields(mail_id = %id))]
pub async fn load_for_sending(ctx: &Ctx, id: MailId) -> Result<Option<Outgoing>> {
    ctx.transaction(|tx| load(tx, ctx, id).scope_boxed()).await
}

async fn load(tx: &mut Tx, ctx: &Ctx, id: MailId) -> Result<Option<Outgoing>> {
    let mail = mails::lock(tx, id).await?.ok_or(Error::NotFound("mail"))?;
    if mail.status == Status::Sent {
        return Ok(None);
    }
    let Some(user_id) = mail.user_id else {
        mails::count_attempt(tx, id).await?;
        return Ok(Some(without_account(mail)));
    };
    let recipient = match store::recipient(tx, user_id).await? {
        None => Err("the account is suspended or archived"),
        Some(recipient) if !is_still_theirs(tx, &mail, user_id, &recipient).await? => {
            Err("the order is another client's by now")
        }
        Some(recipient) => check_still_wanted(&mail, &recipient).map(|()| recipient),
    };
    match recipient {
        Err(reason) => {
            mails::give_up(tx, id, reason).await?;
            Ok(None)
        }
        Ok(recipient) => {
            mails::count_attempt(tx, id).await?;
            let link = match mail.kind.link() {
                Some(kind) => {
                    let redirect_to = mail.data.get("redirect_to").and_then(Value::as_str);
                    let context = LinkContext { flow_id: mail.flow_id, redirect_to, issued_by: None };
                    Some(links::issue_with(tx, ctx, user_id, &mail.to_email, kind, context).await?)
                }
                None => None,
            };
            let unsubscribe = mails::issue_unsubscribe_link(tx, ctx, &mail).await?;
            let secure_account = mails::secure_links::issue(tx, ctx, &mail).await?;
            let outgoing = load_for(tx, mail, user_id, recipient).await?;
            Ok(Some(Outgoing { link, unsubscribe, secure_account, ..outgoing }))
        }
    }
}

/// What stands in a [`preview`] for a one-time link and for a one-time code.
pub const LINK_PLACEHOLDER: &str = "[link]";
const CODE_PLACEHOLDER: &str = "[code]";

/// A mail as it would be sent now, without counting an attempt: [`LINK_PLACEHOLDER`] stands for its one-time link. Staff.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "mail_delivery.preview", skip_all, fields(mail_id = %id))]
pub async fn preview(ctx: &Ctx, id: MailId) -> Result<Outgoing> {
    let mail = &mails::get(ctx, id).await?;
    ctx.transaction(|tx| {
        async move {
            let recipient = match mail.user_id {
                Some(user_id) => store::recipient(tx, user_id).await?.map(|recipient| (user_id, recipient)),
                None => None,
            };
            let outgoing = match recipient {
                Some((user_id, recipient)) => load_for(tx, mail.clone(), user_id, recipient).await?,
                None => without_account(mail.clone()),
            };
            let link = mail.kind.link().map(|_| IssuedLink {
                url: LINK_PLACEHOLDER.to_owned(),
                token: String::new(),
                code: CODE_PLACEHOLDER.to_owned(),
            });
            let secures = mail.security_act().is_some_and(SecurityAct::secures_account);
            let secure_account = secures.then(|| LINK_PLACEHOLDER.to_owned());
            Ok(Outgoing { link, secure_account, ..outgoing })
        }
        .scope_boxed()
    })
    .await
}

fn without_account(mail: Mail) -> Outgoing {
    Outgoing {
        mail,
        role: None,
        time_zone: "UTC".to_owned(),
        date_format: DateFormat::Auto,
        link: None,
        spv: None,
        logo: None,
        unsubscribe: None,
        secure_account: None,
        before_setup: false,
    }
}

/// What the text needs, without links.
async fn load_for(tx: &mut Tx, mail: Mail, user_id: UserId, recipient: Recipient) -> Result<Outgoing> {
    let spv = match mail.spv_id {
        Some(spv) => mails::order_label(tx, spv).await?,
        None => None,
    };
    let mut logo = store::company_logo(tx, user_id).await?;
    if logo.is_none()
        && let Some(id) = settings::within(tx).await?.logo_id
    {
        logo = settings::logo(tx, id).await?;
    }
    let needs_sign_in = mail.awaits_setup() || matches!(mail.kind, Kind::Notices | Kind::Digest);
    let before_setup = needs_sign_in && !recipient.is_set_up;
    let Recipient { role, time_zone, date_format, .. } = recipient;
    Ok(Outgoing {
        mail,
        role: Some(role),
        time_zone,
        date_format,
        link: None,
        spv,
        logo,
        unsubscribe: None,
        secure_account: None,
        before_setup,
    })
}

/// Whether the order of a client's mail is still theirs: it may have been corrected to another client.
async fn is_still_theirs(tx: &mut Tx, mail: &Mail, user_id: UserId, recipient: &Recipient) -> Result<bool> {
    match mail.spv_id.filter(|_| recipient.role == Role::Client) {
        Some(spv) => store::is_client_of(tx, spv, user_id).await,
        None => Ok(true),
    }
}

/// Checks that a mail still belongs to its recipient; the error is the reason to give it up.
fn check_still_wanted(mail: &Mail, recipient: &Recipient) -> std::result::Result<(), &'static str> {
    if let Some(new_email) = mail.data.get("new_email").and_then(Value::as_str)
        && recipient.new_email.as_deref() != Some(new_email)
    {
        return Err("the address is not to be changed to this one any more");
    }
    let company = mail.data.get("company_id").and_then(Value::as_str);
    let is_admin =
        recipient.role == Role::CompanyAdmin && recipient.company_id.map(|id| id.to_string()).as_deref() == company;
    if mail.kind == Kind::Report && !is_admin {
        return Err("the report is not theirs to see any more");
    }
    let to = email_key(&mail.to_email);
    // The old address of an account that was changed.
    let is_former = mail.security_act() == Some(SecurityAct::EmailChanged)
        && mail.data.get("from").and_then(Value::as_str).is_some_and(|from| email_key(from) == to);
    let is_own = to == recipient.email_key || Some(&to) == recipient.new_email_key.as_ref() || is_former;
    if is_own { Ok(()) } else { Err("the account has another address by now") }
}

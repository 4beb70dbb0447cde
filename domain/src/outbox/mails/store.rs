//! SQL of the outbox.
use super::model::{Kind, LinkKind, Mail, Status};
use crate::kernel::{
    db::{Db, Row, Sql, Tx, for_update, in_id_list, insert},
    error::{Error, Result},
    ids::{MailId, SpvId, UserId},
    order::display_identifier,
};
use chrono::{DateTime, Utc};

pub async fn insert(tx: &mut Tx, mail: &Mail) -> Result<()> {
    insert!(tx, "mails", mail, { link_kind: mail.kind.link() }).run().await?;
    Ok(())
}

const COLUMNS: &str = Mail::LIST;

/// The row, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: MailId) -> Result<Option<Mail>> {
    let sql = format!("select {COLUMNS} from mails where id = $1{}", for_update(tx.dialect(), "mails"));
    tx.sql_built(sql).bind(id).optional().await
}

pub async fn get(db: &mut Db, id: MailId) -> Result<Option<Mail>> {
    db.sql_built(format!("select {COLUMNS} from mails where id = $1")).bind(id).optional().await
}

pub async fn list(
    db: &mut Db,
    status: Option<Status>,
    before: Option<(DateTime<Utc>, MailId)>,
    limit: usize,
) -> Result<Vec<Mail>> {
    let mut sql = format!("select {COLUMNS} from mails where 1 = 1");
    let mut n = 0;
    if status.is_some() {
        n += 1;
        sql.push_str(" and status = $1");
    }
    if before.is_some() {
        sql.push_str(&format!(" and (created_at, id) < (${}, ${})", n + 1, n + 2));
    }
    sql.push_str(&format!(" order by created_at desc, id desc limit {limit}"));
    let mut query = db.sql_built(sql);
    if let Some(status) = status {
        query = query.bind(status);
    }
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

/// SQL condition: whether account `u` can sign in, by its password or as it has done before by other means.
pub(crate) const IS_SET_UP_SQL: &str =
    "(u.status = 'active' and (u.password_hash is not null or u.last_sign_in_at is not null))";

pub async fn is_set_up(tx: &mut Tx, id: UserId) -> Result<bool> {
    let sql = format!("select count(*) from users u where u.id = $1 and {IS_SET_UP_SQL}");
    Ok(tx.sql_built(sql).bind(id).scalar::<i64>().await? == 1)
}

/// The mails of an account without an attempt to send, oldest first.
pub async fn waiting(tx: &mut Tx, user: UserId) -> Result<Vec<Mail>> {
    tx.sql_built(format!(
        "select {COLUMNS} from mails where user_id = $1 and status = 'queued' and attempts = 0 order by created_at, id"
    ))
    .bind(user)
    .all()
    .await
}

/// The address, name and mail language of an account: its own language if it was chosen, else its company's.
pub async fn addressee(db: &mut impl Sql, id: UserId) -> Result<(String, String, String)> {
    let (email, first, last, language): (String, String, String, String) = db
        .sql(
            "select u.email, u.first_name, u.last_name, \
             case when u.language_chosen then u.language else coalesce(c.language, u.language) end \
             from users u left join companies c on c.id = u.company_id where u.id = $1",
        )
        .bind(id)
        .one()
        .await?;
    Ok((email, format!("{first} {last}"), language))
}

/// The label and country of an order: the vehicle's name with the identifier, else the identifier.
pub async fn order_label(tx: &mut Tx, id: SpvId) -> Result<Option<(String, String)>> {
    let row: Option<(Option<String>, Option<String>, String)> =
        tx.sql("select custom_identifier, vehicle_name, country from spvs where id = $1").bind(id).optional().await?;
    Ok(row.map(|(identifier, vehicle, country)| {
        let identifier = display_identifier(id, identifier.as_deref());
        (vehicle.map_or(identifier.clone(), |name| format!("{name} ({identifier})")), country)
    }))
}

pub async fn insert_unsubscribe_link(tx: &mut Tx, token_hash: &str, mail: MailId) -> Result<()> {
    insert!(tx, "unsubscribe_links", {
        token_hash: token_hash.to_owned(),
        mail_id: mail,
    })
    .run()
    .await?;
    Ok(())
}

/// The mail with this unsubscribe link, and its recipient.
pub async fn by_unsubscribe_link(tx: &mut Tx, token_hash: &str) -> Result<Option<(MailId, UserId)>> {
    tx.sql(
        "select m.id, m.user_id from unsubscribe_links l join mails m on m.id = l.mail_id \
         where l.token_hash = $1 and m.user_id is not null",
    )
    .bind(token_hash.to_owned())
    .optional()
    .await
}

/// The mails of this kind to a user since then.
pub async fn recent(tx: &mut Tx, user: UserId, kind: Kind, since: DateTime<Utc>) -> Result<Vec<Mail>> {
    tx.sql_built(format!("select {COLUMNS} from mails where user_id = $1 and kind = $2 and created_at >= $3"))
        .bind(user)
        .bind(kind)
        .bind(since)
        .all()
        .await
}

pub async fn insert_secure_link(tx: &mut Tx, token_hash: &str, mail: MailId, expires_at: DateTime<Utc>) -> Result<()> {
    insert!(tx, "secure_account_links", {
        token_hash: token_hash.to_owned(),
        mail_id: mail,
        expires_at: expires_at,
    })
    .run()
    .await?;
    Ok(())
}

/// Uses a valid link and returns its mail; `None` when it is unknown, used or expired.
pub async fn use_secure_link(tx: &mut Tx, token_hash: &str, at: DateTime<Utc>) -> Result<Option<MailId>> {
    let row: Option<(MailId,)> = tx
        .sql(
            "update secure_account_links set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2 \
             returning mail_id",
        )
        .bind(token_hash.to_owned())
        .bind(at)
        .optional()
        .await?;
    Ok(row.map(|(mail,)| mail))
}

/// Revokes the links of an account: all, or those mailed to one address.
pub async fn revoke_secure_links(tx: &mut Tx, user: UserId, to: Option<&str>, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "update secure_account_links set used_at = $2 where used_at is null and mail_id in \
         (select id from mails where user_id = $1 and kind = 'security_notice' \
         and (cast($3 as text) is null or to_email = $3))",
    )
    .bind(user)
    .bind(at)
    .bind(to.map(str::to_owned))
    .run()
    .await?;
    Ok(())
}

pub async fn delete_secure_links(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from secure_account_links where expires_at < $1").bind(before).run().await
}

pub async fn count_attempt(tx: &mut Tx, id: MailId) -> Result<()> {
    tx.sql("update mails set attempts = attempts + 1 where id = $1").bind(id).run().await?;
    Ok(())
}

/// Records the error of an attempt that is retried.
pub async fn record_error(tx: &mut Tx, id: MailId, why: &str) -> Result<()> {
    tx.sql("update mails set last_error = $2 where id = $1 and status <> 'sent'")
        .bind(id)
        .bind(why.to_owned())
        .run()
        .await?;
    Ok(())
}

/// Records the failure of the last attempt.
pub async fn fail(tx: &mut Tx, id: MailId, why: &str, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update mails set status = 'failed', last_error = $2, failed_at = $3 where id = $1 and status <> 'sent'")
        .bind(id)
        .bind(why.to_owned())
        .bind(at)
        .run()
        .await?;
    Ok(())
}

/// A failed mail, with the present address of its account.
#[derive(sqlx::FromRow)]
pub struct Failed {
    pub user_id: UserId,
    pub to_email: String,
    pub email_key: String,
    pub reason: Option<String>,
    pub failed_at: DateTime<Utc>,
}

/// Failed mails to these accounts without a later sent mail to the same address, oldest first.
pub async fn failed(db: &mut Db, users: &[UserId]) -> Result<Vec<Failed>> {
    let sql = format!(
        "select m.user_id, m.to_email, u.email_key, m.last_error as reason, m.failed_at \
         from mails m join users u on u.id = m.user_id where m.user_id {} and m.failed_at is not null \
         and not exists (select 1 from mails s where s.user_id = m.user_id and s.to_email = m.to_email \
         and s.sent_at > m.failed_at) order by m.failed_at",
        in_id_list(db.dialect())
    );
    let ids = serde_json::to_string(users).map_err(Error::internal)?;
    db.sql_built(sql).bind(ids).all().await
}

/// Marks a mail as failed that is not to be sent any more. No failure of the address.
pub async fn give_up(tx: &mut Tx, id: MailId, why: &str) -> Result<()> {
    tx.sql("update mails set status = 'failed', last_error = $2 where id = $1 and status <> 'sent'")
        .bind(id)
        .bind(why.to_owned())
        .run()
        .await?;
    Ok(())
}

/// [`give_up`] for every queued mail of this kind to a user.
pub async fn give_up_queued(tx: &mut Tx, user: UserId, kind: Kind, to: &str, why: &str) -> Result<()> {
    tx.sql(
        "update mails set status = 'failed', last_error = $3 \
         where user_id = $1 and kind = $2 and status = 'queued' and to_email = $4",
    )
    .bind(user)
    .bind(kind)
    .bind(why.to_owned())
    .bind(to.to_owned())
    .run()
    .await?;
    Ok(())
}

pub async fn mark_sent(tx: &mut Tx, id: MailId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update mails set status = 'sent', sent_at = $2, last_error = null, failed_at = null where id = $1")
        .bind(id)
        .bind(at)
        .run()
        .await?;
    Ok(())
}

/// Queues a mail again; false if there is none.
pub async fn requeue(tx: &mut Tx, id: MailId) -> Result<bool> {
    Ok(tx
        .sql("update mails set status = 'queued', last_error = null, failed_at = null where id = $1")
        .bind(id)
        .run()
        .await?
        == 1)
}

/// Records on the account when a mail with a link of this kind was queued.
pub async fn record_link_mail(tx: &mut Tx, id: UserId, link: LinkKind, at: DateTime<Utc>) -> Result<()> {
    let columns = match link {
        LinkKind::Signup => "confirmation_sent_at = $2",
        LinkKind::Recovery | LinkKind::Magiclink => "recovery_sent_at = $2",
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => "email_change_sent_at = $2",
        LinkKind::Reauthentication => "reauthentication_sent_at = $2",
        LinkKind::Invite => "confirmation_sent_at = $2, invited_at = $2",
    };
    tx.sql_built(format!("update users set {columns} where id = $1")).bind(id).bind(at).run().await?;
    Ok(())
}

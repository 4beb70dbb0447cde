//! SQL of mail delivery: the recipient as the account is now.
use crate::{
    kernel::{
        access::{Role, is_shut_out_sql},
        db::{Sql, Tx},
        error::Result,
        ids::{CompanyId, SpvId, UserId},
        locale::DateFormat,
        logo::Logo,
    },
    outbox::mails::IS_SET_UP_SQL,
};

#[derive(sqlx::FromRow)]
pub struct Recipient {
    pub role: Role,
    pub company_id: Option<CompanyId>,
    pub email_key: String,
    /// An address that is not confirmed yet.
    pub new_email: Option<String>,
    pub new_email_key: Option<String>,
    pub time_zone: String,
    pub date_format: DateFormat,
    pub is_set_up: bool,
}

/// `None` for an account that is suspended or archived, or whose company or partner is archived (archive and delete, decision 26).
pub async fn recipient(tx: &mut Tx, id: UserId) -> Result<Option<Recipient>> {
    tx.sql_built(format!(
        // A company admin's time zone is the company's, as in its portal.
        "select u.role, u.company_id, u.email_key, u.new_email, u.new_email_key, \
         case when u.role = 'company_admin' then coalesce(c.time_zone, u.time_zone) else u.time_zone end as time_zone, \
         u.date_format, {IS_SET_UP_SQL} as is_set_up from users u left join companies c on c.id = u.company_id \
         where u.id = $1 and u.status in ('pending', 'active') and not {}",
        is_shut_out_sql("u.company_id", "u.iso_id", "u.role")
    ))
    .bind(id)
    .optional()
    .await
}

/// The logo of the user's company.
pub async fn company_logo(db: &mut impl Sql, user: UserId) -> Result<Option<Logo>> {
    db.sql(
        "select l.media_type, l.bytes from users u join company_logos l on l.company_id = u.company_id where u.id = $1",
    )
    .bind(user)
    .optional()
    .await
}

/// Whether the order is this client's.
pub async fn is_client_of(tx: &mut Tx, spv: SpvId, client: UserId) -> Result<bool> {
    tx.sql("select exists (select 1 from spvs where id = $1 and client_id = $2)").bind(spv).bind(client).scalar().await
}

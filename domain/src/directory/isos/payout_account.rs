//! Bank account of an ISO partner for payouts: entered by the partner, confirmed by the staff, shown masked.
use super::{Iso, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        bank_account,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx, insert},
        error::{Error, Problem, Result},
        ids::IsoId,
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

crate::kernel::db::row! {
    /// A partner's account, either by IBAN or by account number. Its numbers leave the portal masked, and in full only in the
    /// bank's file.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct PayoutAccount {
        pub iso_id: IsoId,
        pub account_holder: String,
        pub iban: Option<String>,
        pub account_number: Option<String>,
        pub routing_number: Option<String>,
        pub bic: Option<String>,
        pub entered_at: DateTime<Utc>,
        pub entered_by: String,
        /// Only a confirmed account is in the bank's file.
        pub confirmed_at: Option<DateTime<Utc>>,
        pub confirmed_by: Option<String>,
        pub version: i64,
    }
}

impl PayoutAccount {
    /// The IBAN or the account number.
    fn number(&self) -> &str {
        self.iban.as_deref().or(self.account_number.as_deref()).unwrap_or("")
    }

    /// Its last four characters.
    pub fn masked(&self) -> String {
        bank_account::mask(self.number())
    }

    pub fn is_confirmed(&self) -> bool {
        self.confirmed_at.is_some()
    }
}

/// The form of an account.
#[derive(Clone, Debug, Default)]
pub struct NewPayoutAccount {
    pub account_holder: Option<String>,
    pub iban: Option<String>,
    pub account_number: Option<String>,
    pub routing_number: Option<String>,
    pub bic: Option<String>,
}

/// A partner's account; None before it was entered. The partner, and the staff.
///
/// # Errors
/// NotFound, also for an ISO that the actor may not see.
#[tracing::instrument(level = "debug", name = "isos.payout_account", skip_all, fields(iso_id = %id))]
pub async fn payout_account(ctx: &Ctx, id: IsoId) -> Result<Option<PayoutAccount>> {
    ctx.may(Action::View, Resource::PayoutAccount { iso_id: id })?;
    let mut db = ctx.db();
    store::get(&mut db, id).await?.ok_or(Error::NotFound("iso"))?;
    find(&mut db, id).await
}

/// Enters the account of one's own payouts; the staff confirm it anew. The partner.
///
/// # Errors
/// NotFound; Forbidden, also for the staff; Invalid per field; Conflict `reauthentication_needed`; stale.
#[tracing::instrument(level = "debug", name = "isos.set_payout_account", skip_all, fields(iso_id = %id))]
pub async fn set_payout_account(
    ctx: &Ctx,
    id: IsoId,
    version: Option<i64>,
    new: NewPayoutAccount,
) -> Result<PayoutAccount> {
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("iso"))?;
    ctx.may(Action::Update, Resource::PayoutAccount { iso_id: id })?;
    ctx.require_recent_proof()?;
    let account = PayoutAccount {
        iso_id: id,
        entered_at: ctx.now(),
        entered_by: ctx.actor_name(),
        confirmed_at: None,
        confirmed_by: None,
        version: 0,
        ..read(&new, id, ctx.now())?
    };
    let account = &account;
    ctx.transaction(|tx| {
        async move {
            let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
            let before = find(tx, id).await?;
            let last = before.as_ref().map_or(0, |before| before.version);
            if let Some(before) = &before {
                fresh(version, before.version, &before.entered_by, before.entered_at)?;
            }
            tx.sql("delete from iso_accounts where iso_id = $1").bind(id).run().await?;
            let row = PayoutAccount { version: last + 1, ..account.clone() };
            insert!(tx, "iso_accounts", &row).run().await?;
            activity::append(tx, ctx, event(&iso, "iso.account_entered")).await?;
            Ok(row)
        }
        .scope_boxed()
    })
    .await
}

/// Confirms a partner's account. `number` is the IBAN or account number that the partner gave by another way, such as by
/// phone. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid `number` that differs; Conflict `account_confirmed`, `reauthentication_needed`; stale.
#[tracing::instrument(level = "debug", name = "isos.confirm_payout_account", skip_all, fields(iso_id = %id))]
pub async fn confirm_payout_account(ctx: &Ctx, id: IsoId, version: Option<i64>, number: &str) -> Result<PayoutAccount> {
    ctx.may(Action::Review, Resource::PayoutAccount { iso_id: id })?;
    ctx.require_recent_proof()?;
    ctx.transaction(|tx| {
        async move {
            let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
            let before = find(tx, id).await?.ok_or(Error::NotFound("payout_account"))?;
            fresh(version, before.version, &before.entered_by, before.entered_at)?;
            if before.is_confirmed() {
                return Err(Error::conflict("account_confirmed"));
            }
            let mut check = Validator::new();
            let given = check.required("number", Some(number), bank_account::parse_account_number);
            if given.is_some_and(|given| given != before.number()) {
                check.reject("number", Problem::new("account_differs"));
            }
            check.finish()?;
            let after = PayoutAccount {
                confirmed_at: Some(ctx.now()),
                confirmed_by: Some(ctx.actor_name()),
                version: before.version + 1,
                ..before
            };
            save_confirmed(tx, &after).await?;
            activity::append(tx, ctx, event(&iso, "iso.account_confirmed")).await?;
            Ok(after)
        }
        .scope_boxed()
    })
    .await
}

async fn save_confirmed(tx: &mut Tx, account: &PayoutAccount) -> Result<()> {
    tx.sql("update iso_accounts set confirmed_at = $2, confirmed_by = $3, version = $4 where iso_id = $1")
        .bind(account.iso_id)
        .bind(account.confirmed_at)
        .bind(account.confirmed_by.clone())
        .bind(account.version)
        .run()
        .await?;
    Ok(())
}

/// The confirmed accounts of partners, for the bank's file.
pub(crate) async fn confirmed_accounts(db: &mut impl Sql) -> Result<BTreeMap<IsoId, PayoutAccount>> {
    let sql = crate::kernel::db::const_concat!(
        "select ",
        <PayoutAccount as crate::kernel::db::Row>::LIST,
        " from iso_accounts where confirmed_at is not null"
    );
    let rows: Vec<PayoutAccount> = db.sql(sql).all().await?;
    Ok(rows.into_iter().map(|account| (account.iso_id, account)).collect())
}

async fn find(db: &mut impl Sql, id: IsoId) -> Result<Option<PayoutAccount>> {
    let sql = crate::kernel::db::const_concat!(
        "select ",
        <PayoutAccount as crate::kernel::db::Row>::LIST,
        " from iso_accounts where iso_id = $1"
    );
    db.sql(sql).bind(id).optional().await
}

/// Reads the form: an IBAN, or an account and a routing number.
fn read(new: &NewPayoutAccount, iso_id: IsoId, at: DateTime<Utc>) -> Result<PayoutAccount> {
    let mut check = Validator::new();
    let account_holder = check.single_line("account_holder", new.account_holder.as_deref().unwrap_or(""), LINE);
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let has_number = is_given(&new.account_number) || is_given(&new.routing_number);
    if is_given(&new.iban) && has_number {
        check.reject("account_number", Problem::new("not_allowed"));
    }
    let iban = if has_number {
        check.optional("iban", new.iban.as_deref(), bank_account::parse_iban)
    } else {
        check.required("iban", new.iban.as_deref(), bank_account::parse_iban)
    };
    let (mut account_number, mut routing_number) = (None, None);
    if has_number {
        account_number =
            check.required("account_number", new.account_number.as_deref(), bank_account::parse_account_number);
        routing_number =
            check.required("routing_number", new.routing_number.as_deref(), bank_account::parse_routing_number);
    }
    let bic = check.optional("bic", new.bic.as_deref(), bank_account::parse_bic);
    check.finish()?;
    Ok(PayoutAccount {
        iso_id,
        account_holder,
        iban,
        account_number,
        routing_number,
        bic,
        entered_at: at,
        entered_by: String::new(),
        confirmed_at: None,
        confirmed_by: None,
        version: 0,
    })
}

/// An event for the partner and the staff, without the company's admins and without numbers.
fn event(iso: &Iso, action: &'static str) -> Event {
    Event::new(action, "iso", iso.id.0, format!("{} {}", iso.first_name, iso.last_name))
        .of(None, None, Some(iso.id))
        .public()
}

//! Four eyes: which acts wait for a second super admin. A change of the rule itself waits, too.
use super::{Settings, store, write};
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        money::Currency,
        validate::Validator,
    },
    platform::approvals::{self, Request, Total},
};
use serde::{Deserialize, Serialize};

/// The rule of four eyes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FourEyes {
    /// Payout runs above the limit, new super admins and key rotation wait for a second super admin; unset: they do not.
    pub enabled: Option<bool>,
    /// Largest total of a payout run that one person may record as paid; unset: each waits. A run with another currency
    /// waits whatever its total.
    #[schema(example = "5000.00")]
    pub payout_limit: Option<String>,
    /// Currency of the limit; unset: the office's at the time when the limit is set.
    pub payout_currency: Option<Currency>,
}

impl FourEyes {
    pub fn is_on(&self) -> bool {
        self.enabled == Some(true)
    }

    /// Whether a payout run with these totals waits.
    pub(crate) fn holds_payouts(&self, totals: &[Total]) -> bool {
        let limit = self.payout_currency.zip(self.payout_limit.as_deref());
        let limit = limit.and_then(|(currency, text)| Some((currency, currency.parse(text).ok()?)));
        let Some((currency, most)) = limit else { return true };
        totals.iter().any(|total| total.currency != currency || total.amount_minor > most)
    }
}

/// Validates the rule. The limit keeps its currency where that of the office changes later.
pub(super) fn validate(check: &mut Validator, new: FourEyes, office: Currency) -> FourEyes {
    let currency = new.payout_currency.unwrap_or(office);
    let limit = check.optional("four_eyes.payout_limit", new.payout_limit.as_deref(), |text| currency.parse(text));
    FourEyes {
        enabled: new.enabled.filter(|on| *on),
        payout_limit: limit.map(|minor| currency.format(minor)),
        payout_currency: limit.map(|_| currency),
    }
}

/// Checks a change of the rule. Returns the error to give after the commit where the change waits for a second super admin.
///
/// # Errors
/// Conflict `two_super_admins_required` to switch it on; Invalid `four_eyes` for a change that waits beside others;
/// as [`approvals::request`].
pub(super) async fn check_change(tx: &mut Tx, ctx: &Ctx, old: &Settings, new: &Settings) -> Result<Option<Error>> {
    if new.four_eyes == old.four_eyes {
        return Ok(None);
    }
    if !approvals::is_required(tx, ctx, |_| true).await? {
        if new.four_eyes.is_on() && !old.four_eyes.is_on() {
            approvals::check_two_super_admins(tx, ctx).await?;
        }
        return Ok(None);
    }
    let alone = Settings { four_eyes: new.four_eyes.clone(), version: new.version, ..old.clone() };
    if alone != *new {
        return Err(Error::field("four_eyes", "waits_alone"));
    }
    let request = Request::ChangeFourEyes { from: old.four_eyes.clone(), to: new.four_eyes.clone() };
    approvals::request(tx, ctx, &request, SETTING.to_owned(), SETTING.to_owned()).await.map(Some)
}

const SETTING: &str = "four_eyes";

/// Carries out an approved change.
///
/// # Errors
/// Conflict `approval_outdated` where the rule was changed since.
pub(crate) async fn change_four_eyes(tx: &mut Tx, ctx: &Ctx, from: &FourEyes, to: &FourEyes) -> Result<()> {
    let old = store::lock(tx).await?.unwrap_or_default();
    if old.four_eyes != *from {
        return Err(Error::conflict("approval_outdated"));
    }
    let new = Settings { four_eyes: to.clone(), version: old.version + 1, ..old.clone() };
    write(tx, ctx, &old, &new).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_for_one_currency_and_others_always_wait() {
        let rule = |limit: Option<&str>| {
            let mut check = Validator::new();
            let new = FourEyes { enabled: Some(true), payout_limit: limit.map(str::to_owned), payout_currency: None };
            let rule = validate(&mut check, new, Currency::Eur);
            check.finish().expect("valid");
            rule
        };
        let total = |currency, amount_minor| Total { currency, amount_minor };
        let limited = rule(Some("5,000.00"));
        assert_eq!((limited.payout_limit.as_deref(), limited.payout_currency), (Some("5000.00"), Some(Currency::Eur)));
        for (totals, holds) in [
            (vec![total(Currency::Eur, 500_000)], false),
            (vec![total(Currency::Eur, 500_001)], true),
            (vec![total(Currency::Usd, 1)], true),
            (vec![total(Currency::Eur, 1), total(Currency::Usd, 1)], true),
        ] {
            assert_eq!(limited.holds_payouts(&totals), holds, "{totals:?}");
        }
        assert!(rule(None).holds_payouts(&[total(Currency::Eur, 1)]), "without a limit each waits");
    }
}

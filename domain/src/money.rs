//! Exact amounts: integer minor units and a currency, from the form to the database and back (decisions 13–15).
use crate::error::Problem;
use serde::{Deserialize, Serialize};

/// The largest amount, in minor units (decision 13).
pub const MAX_MINOR: i64 = 1_000_000_000_000;
/// One hundred percent, in ten-thousandths of a percent.
pub const MAX_PERCENT: i64 = 1_000_000;

/// Currencies an amount may be in; US dollars unless told otherwise.
// Decision 13.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    sqlx::Type,
    utoipa::ToSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[sqlx(type_name = "text", rename_all = "UPPERCASE")]
pub enum Currency {
    #[default]
    Usd,
    Eur,
    Gbp,
    Aed,
    Jpy,
    Sgd,
    Thb,
}

impl Currency {
    pub const ALL: [Self; 7] = [Self::Usd, Self::Eur, Self::Gbp, Self::Aed, Self::Jpy, Self::Sgd, Self::Thb];

    pub fn code(self) -> &'static str {
        match self {
            Self::Usd => "USD",
            Self::Eur => "EUR",
            Self::Gbp => "GBP",
            Self::Aed => "AED",
            Self::Jpy => "JPY",
            Self::Sgd => "SGD",
            Self::Thb => "THB",
        }
    }

    /// Digits after the decimal point.
    pub fn digits(self) -> u32 {
        if self == Self::Jpy { 0 } else { 2 }
    }

    /// `"1250.5"` in this currency as minor units.
    ///
    /// # Errors
    /// `invalid_amount` (not a decimal number, or finer than the currency), `negative`, `too_large`.
    pub fn parse(self, text: &str) -> Result<i64, Problem> {
        let minor = decimal(text, self.digits()).map_err(|e| e.problem("invalid_amount"))?;
        if minor > i128::from(MAX_MINOR) {
            return Err(Problem::new("too_large").with("max", self.format(MAX_MINOR)));
        }
        Ok(minor as i64)
    }

    /// Minor units as a decimal number with all digits of the currency: `"1250.50"`.
    pub fn format(self, minor: i64) -> String {
        fixed(minor, self.digits())
    }
}

impl std::str::FromStr for Currency {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        let wanted = text.trim().to_ascii_uppercase();
        Self::ALL
            .into_iter()
            .find(|c| c.code() == wanted)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::code).join(", ")))
    }
}

/// `"2.5"` percent as ten-thousandths of a percent, up to four decimals (decision 13).
///
/// # Errors
/// `invalid_percent`, `negative`, and `percent_too_large` above 100.
pub fn parse_percent(text: &str) -> Result<i64, Problem> {
    let value = decimal(text, 4).map_err(|e| e.problem("invalid_percent"))?;
    if value > i128::from(MAX_PERCENT) {
        return Err(Problem::new("percent_too_large"));
    }
    Ok(value as i64)
}

/// Ten-thousandths of a percent without needless zeros: `"2.5"`.
pub fn format_percent(value: i64) -> String {
    let text = fixed(value, 4);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `percent` of an amount, rounded half to even to the minor unit (decision 15).
pub fn share(minor: i64, percent: i64) -> i64 {
    let product = i128::from(minor) * i128::from(percent);
    let unit = i128::from(MAX_PERCENT);
    let (whole, rest) = (product / unit, product % unit);
    let up = rest * 2 > unit || (rest * 2 == unit && whole % 2 == 1);
    (whole + i128::from(up)) as i64
}

enum NotDecimal {
    Negative,
    Malformed,
}

impl NotDecimal {
    fn problem(&self, malformed: &'static str) -> Problem {
        Problem::new(match self {
            Self::Negative => "negative",
            Self::Malformed => malformed,
        })
    }
}

fn decimal(text: &str, digits: u32) -> Result<i128, NotDecimal> {
    let text = text.trim();
    let (text, negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && rest.is_empty()) || !plain(whole) || !plain(rest) || whole.len() > 30 || rest.len() > 30 {
        return Err(NotDecimal::Malformed);
    }
    let rest = rest.trim_end_matches('0');
    if rest.len() > digits as usize {
        return Err(NotDecimal::Malformed);
    }
    let value: i128 =
        format!("0{whole}{rest:0<width$}", width = digits as usize).parse().map_err(|_| NotDecimal::Malformed)?;
    if negative && value != 0 { Err(NotDecimal::Negative) } else { Ok(value) }
}

fn fixed(value: i64, digits: u32) -> String {
    let digits = digits as usize;
    let mut text = value.unsigned_abs().to_string();
    while text.len() <= digits {
        text.insert(0, '0');
    }
    if digits > 0 {
        text.insert(text.len() - digits, '.');
    }
    if value < 0 {
        text.insert(0, '-');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_are_read_exactly_or_not_at_all() {
        let usd = |text: &str| Currency::Usd.parse(text).map_err(|p| p.code);
        assert_eq!(usd("1250"), Ok(125_000));
        assert_eq!(usd(" 1250.5 "), Ok(125_050));
        assert_eq!(usd("0.070"), Ok(7));
        assert_eq!(usd("-0"), Ok(0));
        assert_eq!(usd("10000000000.00"), Ok(MAX_MINOR));
        assert_eq!(usd("10000000000.01"), Err("too_large"));
        assert_eq!(usd("-1"), Err("negative"));
        for text in ["", ".", "1,250", "1e3", "0.001", "12 50", "NaN", "+1", "١٢"] {
            assert_eq!(usd(text), Err("invalid_amount"), "{text}");
        }
        assert_eq!(Currency::Jpy.parse("1250").map_err(|p| p.code), Ok(1250));
        assert_eq!(Currency::Jpy.parse("1250.5").map_err(|p| p.code), Err("invalid_amount"));
    }

    #[test]
    fn percentages_stop_at_one_hundred_and_four_decimals() {
        let read = |text: &str| parse_percent(text).map_err(|p| p.code);
        assert_eq!(read("2.5"), Ok(25_000));
        assert_eq!(read("100"), Ok(MAX_PERCENT));
        assert_eq!(read("101"), Err("percent_too_large"));
        assert_eq!(read("0.00001"), Err("invalid_percent"));
        assert_eq!(format_percent(25_000), "2.5");
        assert_eq!(format_percent(MAX_PERCENT), "100");
    }

    #[test]
    fn shares_round_half_to_even() {
        assert_eq!(share(100, 5_000), 0, "0.5 rounds to 0");
        assert_eq!(share(300, 5_000), 2, "1.5 rounds to 2");
        assert_eq!(share(250, 10_000), 2, "2.5 rounds to 2");
        assert_eq!(share(MAX_MINOR, MAX_PERCENT), MAX_MINOR);
    }

    #[test]
    fn amounts_are_written_with_the_digits_of_their_currency() {
        let written =
            |currency: Currency, amounts: &[i64]| amounts.iter().map(|n| currency.format(*n)).collect::<Vec<_>>();
        assert_eq!(
            written(Currency::Usd, &[0, 5, -5, 99, 100, -12_345]),
            ["0.00", "0.05", "-0.05", "0.99", "1.00", "-123.45"]
        );
        assert_eq!(written(Currency::Usd, &[i64::MIN]), ["-92233720368547758.08"]);
        assert_eq!(written(Currency::Jpy, &[0, -5, 1250]), ["0", "-5", "1250"]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(minor in 0..=MAX_MINOR) {
            for currency in Currency::ALL {
                prop_assert_eq!(currency.parse(&currency.format(minor)), Ok(minor));
            }
        }

        #[test]
        fn a_percentage_survives_text(percent in 0..=MAX_PERCENT) {
            prop_assert_eq!(parse_percent(&format_percent(percent)), Ok(percent));
        }

        #[test]
        fn a_share_is_within_half_a_unit(minor in 0..=MAX_MINOR, percent in 0..=MAX_PERCENT) {
            let twice = 2 * (i128::from(share(minor, percent)) * i128::from(MAX_PERCENT) - i128::from(minor) * i128::from(percent));
            prop_assert!(twice.abs() <= i128::from(MAX_PERCENT));
        }
    }
}

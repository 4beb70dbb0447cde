//! Exact amounts: integer minor units and a currency, from the form to the database and back (decisions 13–15).
pub use crate::kernel::currency::Currency;
use crate::kernel::error::Problem;

/// The largest amount, in minor units (decision 13).
pub const MAX_MINOR: i64 = 1_000_000_000_000;
/// One hundred percent, in ten-thousandths of a percent.
pub const MAX_PERCENT: i64 = 1_000_000;

impl Currency {
    /// An amount as people and programs write it, `1250.5` or `1,250.50`, as minor units. What can be read two ways
    /// is refused (ambiguous amounts, decision 40).
    ///
    /// # Errors
    /// `ambiguous_amount` with both readings (`1.250`), `too_many_decimals` for more than the currency has,
    /// `invalid_amount` for text that is not a decimal number, `negative`, `too_large`.
    pub fn parse(self, text: &str) -> Result<i64, Problem> {
        let number = Decimal::read(text).ok_or_else(|| Problem::new("invalid_amount"))?;
        // With three decimals a point is decimal, as in [`Currency::format`].
        let is_decimal = self.digits() == 3 && number.separator == Some('.');
        if number.may_be_grouped() && !is_decimal {
            return Err(number.ambiguous(self.digits()));
        }
        if number.decimals.len() > self.digits() as usize {
            return Err(Problem::new("too_many_decimals").with("max", self.digits()));
        }
        let minor = number.value(self.digits())?;
        if minor > i128::from(MAX_MINOR) {
            return Err(Problem::new("too_large").with("max", self.format(MAX_MINOR)));
        }
        Ok(minor as i64)
    }

    /// An amount of another currency as the same decimal number in this one.
    ///
    /// # Errors
    /// `too_many_decimals` for more than this currency has; `too_large`.
    pub(crate) fn restate(self, from: Self, minor: i64) -> Result<i64, Problem> {
        let too_large = || Problem::new("too_large").with("max", self.format(MAX_MINOR));
        let unit = 10_i64.pow(from.digits().saturating_sub(self.digits()));
        if minor % unit != 0 {
            return Err(Problem::new("too_many_decimals").with("max", self.digits()));
        }
        let scaled = (minor / unit).checked_mul(10_i64.pow(self.digits().saturating_sub(from.digits())));
        scaled.filter(|minor| *minor <= MAX_MINOR).ok_or_else(too_large)
    }

    /// Minor units as a decimal number with all digits of the currency: `"1250.50"`.
    pub fn format(self, minor: i64) -> String {
        fixed(minor, self.digits())
    }
}

impl std::str::FromStr for Currency {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        let code = text.trim().to_ascii_uppercase();
        Self::ALL.into_iter().find(|currency| currency.code() == code).ok_or_else(|| Problem::new("unknown_currency"))
    }
}

/// `"2.5"` percent as ten-thousandths of a percent, up to four decimals (decision 13). A point is always decimal, as in
/// [`format_percent`]; a comma with three digits behind it may be a thousands separator and is refused.
///
/// # Errors
/// `ambiguous_amount`, `invalid_percent`, `negative`, and `percent_too_large` above 100.
pub fn parse_percent(text: &str) -> Result<i64, Problem> {
    let number = Decimal::read(text).ok_or_else(|| Problem::new("invalid_percent"))?;
    if number.separator == Some(',') && number.may_be_grouped() {
        return Err(number.ambiguous(0));
    }
    if number.decimals.trim_end_matches('0').len() > 4 {
        return Err(Problem::new("invalid_percent"));
    }
    let value = number.value(4)?;
    if value > i128::from(MAX_PERCENT) {
        return Err(Problem::new("percent_too_large"));
    }
    Ok(value as i64)
}

/// A quantity such as `"2.5"` in thousandths, up to three decimals. Read as [`parse_percent`].
///
/// # Errors
/// `ambiguous_amount`, `invalid_quantity`, `negative`, `too_large`.
pub fn parse_thousandths(text: &str) -> Result<i64, Problem> {
    let number = Decimal::read(text).ok_or_else(|| Problem::new("invalid_quantity"))?;
    if number.separator == Some(',') && number.may_be_grouped() {
        return Err(number.ambiguous(0));
    }
    if number.decimals.trim_end_matches('0').len() > 3 {
        return Err(Problem::new("invalid_quantity"));
    }
    let value = number.value(3)?;
    i64::try_from(value).map_err(|_| Problem::new("too_large"))
}

/// Thousandths without needless zeros: `"2.5"`.
pub fn format_thousandths(value: i64) -> String {
    let text = fixed(value, 3);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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

/// An amount in one currency, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct CurrencyTotal {
    pub currency: Currency,
    pub minor: i64,
}

/// The currency that a card shows first: the default one where it has an amount, else the first that has one
/// (decision 14).
pub(crate) fn headline(totals: &[CurrencyTotal], default: Currency) -> Currency {
    let has = |currency: Currency| totals.iter().any(|total| total.currency == currency && total.minor != 0);
    if has(default) { default } else { Currency::ALL.into_iter().find(|currency| has(*currency)).unwrap_or(default) }
}

/// A decimal number as typed: groups of three between commas, points, spaces or apostrophes, then decimals.
struct Decimal {
    negative: bool,
    /// Without separators.
    whole: String,
    decimals: String,
    /// What stands before the decimals.
    separator: Option<char>,
    grouped: bool,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (text, negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
        if text.len() > 60 {
            return None;
        }
        let point = |c: char| matches!(c, '.' | ',');
        let separator = text.chars().rev().find(|c| point(*c));
        // Two of a kind are groups, one is where the decimals begin.
        let (whole, decimals, separator) = match separator {
            Some(last) if text.matches(last).count() == 1 => {
                let (whole, decimals) = text.split_once(last)?;
                (whole, decimals, Some(last))
            }
            _ => (text, "", None),
        };
        let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if !plain(decimals) || (whole.is_empty() && decimals.is_empty()) {
            return None;
        }
        let group = whole.chars().find(|c| !c.is_ascii_digit());
        if let Some(group) = group {
            let allowed = matches!(group, '.' | ',' | ' ' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' | '\u{2009}');
            let mut parts = whole.split(group);
            let first = parts.next().unwrap_or_default();
            let well_formed = (1..=3).contains(&first.len()) && plain(first) && parts.all(|p| p.len() == 3 && plain(p));
            if !allowed || separator == Some(group) || !well_formed {
                return None;
            }
        }
        Some(Self {
            negative,
            whole: whole.chars().filter(char::is_ascii_digit).collect(),
            decimals: decimals.to_owned(),
            separator,
            grouped: group.is_some(),
        })
    }

    /// Whether its only separator may stand before a group of three as well as before decimals.
    fn may_be_grouped(&self) -> bool {
        !self.grouped && self.decimals.len() == 3 && (1..=3).contains(&self.whole.len()) && !self.whole.starts_with('0')
    }

    /// Both readings, for people to choose from.
    fn ambiguous(&self, digits: u32) -> Problem {
        let whole = format!("{}{}", self.whole, self.decimals);
        let cents = if digits > 0 { format!(".{}", "0".repeat(digits as usize)) } else { String::new() };
        let decimals = format!("{:0<width$}", self.decimals.trim_end_matches('0'), width = digits as usize);
        let second = format!("{}.{decimals}", self.whole);
        Problem::new("ambiguous_amount")
            .with("grouped", format!("{whole}{cents}"))
            .with("decimal", second.trim_end_matches('.'))
    }

    /// In units of the last of `digits` decimals, which it does not exceed but for zeros.
    fn value(&self, digits: u32) -> Result<i128, Problem> {
        let width = digits as usize;
        let decimals: String = self.decimals.chars().take(width).collect();
        let value: i128 =
            format!("0{}{decimals:0<width$}", self.whole).parse().map_err(|_| Problem::new("too_large"))?;
        if self.negative && value != 0 { Err(Problem::new("negative")) } else { Ok(value) }
    }
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
        assert_eq!(usd("-0"), Ok(0));
        assert_eq!(usd("10000000000.00"), Ok(MAX_MINOR));
        assert_eq!(usd("10000000000.01"), Err("too_large"));
        assert_eq!(usd("-1"), Err("negative"));
        for text in
            ["", ".", "1e3", "12 50", "NaN", "+1", "١٢", "1,250,50", "12,50,00", "1.250.00", "1,250.500,25", "$1"]
        {
            assert_eq!(usd(text), Err("invalid_amount"), "{text}");
        }
    }

    #[test]
    fn groups_of_three_are_read_where_they_can_be_nothing_else() {
        for text in
            ["1,250.00", "1.250,00", "1 250,00", "1'250.00", "1\u{2019}250,0", "1\u{202f}250", "1 250", "1250,00"]
        {
            assert_eq!(Currency::Usd.parse(text), Ok(125_000), "{text}");
        }
        assert_eq!(Currency::Usd.parse("1,250,000"), Ok(125_000_000));
        assert_eq!(Currency::Usd.parse("1.250.000,5"), Ok(125_000_050));
        assert_eq!(Currency::Jpy.parse("1,250,000"), Ok(1_250_000));
        assert_eq!(Currency::Jpy.parse("1 250"), Ok(1_250));
    }

    #[test]
    fn an_amount_that_can_be_read_two_ways_is_refused_with_both() {
        let both = |currency: Currency, text: &str| {
            let problem = currency.parse(text).unwrap_err();
            let reading = |name: &str| problem.params[name].as_str().unwrap_or_default().to_owned();
            (problem.code, reading("grouped"), reading("decimal"))
        };
        let is = |grouped: &str, decimal: &str| ("ambiguous_amount", grouped.to_owned(), decimal.to_owned());
        assert_eq!(both(Currency::Usd, "1.250"), is("1250.00", "1.25"));
        assert_eq!(both(Currency::Usd, "1,250"), is("1250.00", "1.25"));
        assert_eq!(both(Currency::Eur, "12.500"), is("12500.00", "12.50"));
        assert_eq!(both(Currency::Usd, "100.000"), is("100000.00", "100.00"));
        assert_eq!(both(Currency::Usd, "1.001"), is("1001.00", "1.001"));
        assert_eq!(both(Currency::Jpy, "1,250"), is("1250", "1.25"));
    }

    #[test]
    fn more_decimals_than_the_currency_has_are_refused() {
        let refused = |currency: Currency, text: &str| currency.parse(text).map_err(|p| p.code);
        for text in ["1.2500", "0.001", "0.070", "1250.500", "1,250.000", "1 250,125", "1.23456"] {
            assert_eq!(refused(Currency::Usd, text), Err("too_many_decimals"), "{text}");
        }
        for text in ["1250.5", "1250.00", "1,250.00", "1250,5"] {
            assert_eq!(refused(Currency::Jpy, text), Err("too_many_decimals"), "{text}");
        }
    }

    #[test]
    fn a_percentage_may_have_a_comma_unless_it_may_group() {
        let read = |text: &str| parse_percent(text).map_err(|p| p.code);
        assert_eq!(
            (read("2,5"), read("2.125"), read("0,125"), read("2,1250")),
            (Ok(25_000), Ok(21_250), Ok(1_250), Ok(21_250))
        );
        assert_eq!(read("1,250"), Err("ambiguous_amount"));
        assert_eq!(read("1,250.5"), Err("percent_too_large"));
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
    fn quantities_have_at_most_three_decimals() {
        let read = |text: &str| parse_thousandths(text).map_err(|p| p.code);
        assert_eq!(
            (read("1"), read("2.5"), read("0,125"), read("1000")),
            (Ok(1_000), Ok(2_500), Ok(125), Ok(1_000_000))
        );
        assert_eq!(
            (read("-1"), read("0.0001"), read("two")),
            (Err("negative"), Err("invalid_quantity"), Err("invalid_quantity"))
        );
        assert_eq!(read("1,250"), Err("ambiguous_amount"));
        assert_eq!([1_000, 2_500, 125].map(format_thousandths), ["1", "2.5", "0.125"]);
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
        assert_eq!(written(Currency::Kwd, &[0, -5, 1250]), ["0.000", "-0.005", "1.250"]);
        assert_eq!(Currency::Kwd.parse("12.5"), Ok(12_500));
        // In three decimals a point before three digits is decimal only where it cannot group.
        assert_eq!(Currency::Kwd.parse("1234.567"), Ok(1_234_567));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(minor in prop_oneof![0..=MAX_MINOR, 0..=2_000_000_i64]) {
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

    #[test]
    fn headline_prefers_a_currency_with_an_amount() {
        let sum = |currency, minor| CurrencyTotal { currency, minor };
        let (usd, eur, jpy) = (Currency::Usd, Currency::Eur, Currency::Jpy);
        assert_eq!(headline(&[], eur), eur, "all are zero");
        assert_eq!(headline(&[sum(usd, 657_000_000)], eur), usd);
        assert_eq!(headline(&[sum(usd, 1), sum(eur, 1)], eur), eur);
        assert_eq!(headline(&[sum(usd, 0), sum(jpy, -5)], eur), jpy, "a negative amount counts");
    }
}

//! Lines of an invoice and their sums: amounts, tax by rate, net and total, exact in minor units.
use crate::{
    kernel::money::{MAX_MINOR, MAX_PERCENT},
    platform::settings::TaxRounding,
};
use serde::Deserialize;
use std::{cmp::Reverse, collections::BTreeMap};

/// One, in the thousandths of [`Line::quantity`].
pub const ONE: i64 = 1_000;
/// The largest quantity of a line, in thousandths.
pub const MAX_QUANTITY: i64 = 1_000_000 * ONE;

crate::kernel::text_enum! {
    /// What a line bills.
    #[schema(as = InvoiceLineKind)]
    #[derive(Default)]
    pub enum LineKind {
        /// The office's own service.
        #[default]
        Fee = "fee",
        /// An authority's fee that the office passes on; without tax unless the line has a rate.
        FilingFee = "filing_fee",
        /// Lowers the total; its price is negative.
        Discount = "discount",
    }
}

/// One line of an invoice. Amounts are minor units.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Line {
    pub description: String,
    pub kind: LineKind,
    /// In thousandths.
    pub quantity: i64,
    /// Negative for a discount.
    pub unit_price_minor: i64,
    /// Quantity × unit price, rounded to the minor unit.
    pub amount_minor: i64,
    /// Tax rate in ten-thousandths of a percent.
    pub tax_percent: i64,
}

impl Line {
    /// None for an amount beyond the largest.
    pub(super) fn new(
        description: String,
        kind: LineKind,
        quantity: i64,
        unit_price_minor: i64,
        tax_percent: i64,
    ) -> Option<Self> {
        let amount = round(i128::from(quantity) * i128::from(unit_price_minor), i128::from(ONE));
        let amount_minor = i64::try_from(amount).ok().filter(|minor| minor.abs() <= MAX_MINOR)?;
        Some(Self { description, kind, quantity, unit_price_minor, amount_minor, tax_percent })
    }

    /// One piece of a service.
    pub(super) fn single(description: String, kind: LineKind, amount_minor: i64, tax_percent: i64) -> Self {
        Self { description, kind, quantity: ONE, unit_price_minor: amount_minor, amount_minor, tax_percent }
    }
}

/// How tax follows from the lines of an invoice. Fixed when it is issued, as the office's settings may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaxTerms {
    /// The prices of the lines include the tax.
    pub included: bool,
    pub rounding: TaxRounding,
    /// Name of the tax, such as VAT.
    pub name: Option<String>,
    /// Why no tax is charged, such as reverse charge.
    pub note: Option<String>,
}

/// What the lines of one tax rate sum to, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaxRow {
    /// Tax rate in ten-thousandths of a percent.
    pub percent: i64,
    pub net_minor: i64,
    pub tax_minor: i64,
}

/// The sums of an invoice, in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// By rate, the highest first.
    pub taxes: Vec<TaxRow>,
    pub tax_minor: i64,
    pub total_minor: i64,
}

impl Totals {
    pub fn net_minor(&self) -> i64 {
        self.total_minor - self.tax_minor
    }
}

/// Sums lines. Tax is rounded for each line or once for each rate, half away from zero as a spreadsheet's `ROUND`.
pub fn totals(lines: &[Line], included: bool, rounding: TaxRounding) -> Totals {
    let mut rates: BTreeMap<Reverse<i64>, (i64, i64)> = BTreeMap::new();
    for line in lines {
        let (amount_minor, tax_minor) = rates.entry(Reverse(line.tax_percent)).or_default();
        *amount_minor += line.amount_minor;
        if rounding == TaxRounding::Line {
            *tax_minor += tax(line.amount_minor, line.tax_percent, included);
        }
    }
    let row = |(Reverse(percent), (amount_minor, of_lines)): (Reverse<i64>, (i64, i64))| {
        let tax_minor = if rounding == TaxRounding::Line { of_lines } else { tax(amount_minor, percent, included) };
        let net_minor = if included { amount_minor - tax_minor } else { amount_minor };
        TaxRow { percent, net_minor, tax_minor }
    };
    let taxes: Vec<TaxRow> = rates.into_iter().map(row).collect();
    Totals {
        tax_minor: taxes.iter().map(|row| row.tax_minor).sum(),
        total_minor: taxes.iter().map(|row| row.net_minor + row.tax_minor).sum(),
        taxes,
    }
}

/// The tax on an amount without it, or within an amount that includes it.
fn tax(amount_minor: i64, percent: i64, included: bool) -> i64 {
    let whole = i128::from(MAX_PERCENT) + if included { i128::from(percent) } else { 0 };
    round(i128::from(amount_minor) * i128::from(percent), whole) as i64
}

/// The part of an invoice's tax that belongs to a part of its total.
pub(super) fn tax_share(tax_minor: i64, total_minor: i64, part_minor: i64) -> i64 {
    if total_minor == 0 {
        return 0;
    }
    round(i128::from(tax_minor) * i128::from(part_minor), i128::from(total_minor)) as i64
}

/// A quotient, rounded half away from zero; the divisor is positive.
fn round(dividend: i128, divisor: i128) -> i128 {
    let magnitude = (2 * dividend.abs() + divisor) / (2 * divisor);
    if dividend < 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(amount_minor: i64, tax_percent: i64) -> Line {
        Line::single(String::new(), LineKind::Fee, amount_minor, tax_percent)
    }

    #[test]
    fn totals_are_those_of_a_spreadsheet() {
        // 3 × 33.33 at 20 %, 2.5 × 19.99 at 7.7 %, filing fee 150.00, discount 25.00 at 20 %.
        let lines = [
            Line::new(String::new(), LineKind::Fee, 3 * ONE, 3_333, 200_000).unwrap(),
            Line::new(String::new(), LineKind::Fee, 2_500, 1_999, 77_000).unwrap(),
            Line::new(String::new(), LineKind::FilingFee, ONE, 15_000, 0).unwrap(),
            Line::new(String::new(), LineKind::Discount, ONE, -2_500, 200_000).unwrap(),
        ];
        assert_eq!(lines.each_ref().map(|line| line.amount_minor), [9_999, 4_998, 15_000, -2_500]);
        let by_line = totals(&lines, false, TaxRounding::Line);
        let rows: Vec<_> = by_line.taxes.iter().map(|row| (row.percent, row.net_minor, row.tax_minor)).collect();
        // 20.00 - 5.00, 3.85, 0.
        assert_eq!(rows, [(200_000, 7_499, 1_500), (77_000, 4_998, 385), (0, 15_000, 0)]);
        assert_eq!((by_line.net_minor(), by_line.tax_minor, by_line.total_minor), (27_497, 1_885, 29_382));
        let included = totals(&lines, true, TaxRounding::Total);
        // 74.99 / 1.2 = 62.4917, 49.98 / 1.077 = 46.4067.
        let rows: Vec<_> = included.taxes.iter().map(|row| (row.percent, row.net_minor, row.tax_minor)).collect();
        assert_eq!(rows, [(200_000, 6_249, 1_250), (77_000, 4_641, 357), (0, 15_000, 0)]);
        assert_eq!(included.total_minor, 27_497);
    }

    #[test]
    fn rounding_by_line_and_by_total_differ() {
        // Three times 0.02 of tax 0.0033 each.
        let lines = vec![line(2, 166_500); 3];
        assert_eq!(totals(&lines, false, TaxRounding::Line).tax_minor, 0);
        assert_eq!(totals(&lines, false, TaxRounding::Total).tax_minor, 1);
    }

    #[test]
    fn tax_of_parts_adds_up_to_the_tax_of_the_whole() {
        let shares: Vec<i64> = (0..=3).map(|n| tax_share(1_000, 3_000, n * 1_000)).collect();
        assert_eq!(shares, [0, 333, 667, 1_000]);
    }

    /// An amount as an exact fraction, added without rounding.
    fn add((a, b): (i128, i128), (c, d): (i128, i128)) -> (i128, i128) {
        if b == d { (a + c, b) } else { (a * d + c * b, b * d) }
    }

    /// Whether `rounded` is the integer next to a fraction, and on a tie the one away from zero.
    fn is_nearest(rounded: i64, (numerator, denominator): (i128, i128)) -> bool {
        let twice = 2 * (i128::from(rounded) * denominator - numerator);
        let tie_away = (rounded > 0) == (numerator > 0) && i128::from(rounded).abs() * denominator > numerator.abs();
        twice.abs() < denominator || (twice.abs() == denominator && tie_away)
    }

    proptest! {
        #[test]
        fn totals_equal_an_exact_computation(
            rows in prop::collection::vec((-1_000_000_i64..1_000_000, 1_i64..50_000, prop::sample::select(vec![0_i64, 50_000, 77_000, 200_000, 1_000_000])), 1..8),
            included: bool, by_line: bool,
        ) {
            let rounding = if by_line { TaxRounding::Line } else { TaxRounding::Total };
            let lines: Vec<Line> = rows.iter()
                .map(|(price, quantity, percent)| Line::new(String::new(), LineKind::Fee, *quantity, *price, *percent).unwrap())
                .collect();
            for (line, (price, quantity, _)) in lines.iter().zip(&rows) {
                prop_assert!(is_nearest(line.amount_minor, (i128::from(*price) * i128::from(*quantity), 1_000)));
            }
            let sums = totals(&lines, included, rounding);
            let amounts: i64 = lines.iter().map(|line| line.amount_minor).sum();
            prop_assert_eq!(if included { sums.total_minor } else { sums.net_minor() }, amounts);
            prop_assert_eq!(sums.taxes.iter().map(|row| row.net_minor).sum::<i64>(), sums.net_minor());
            prop_assert_eq!(sums.taxes.iter().map(|row| row.tax_minor).sum::<i64>(), sums.tax_minor);
            for row in &sums.taxes {
                let whole = 1_000_000 + if included { i128::from(row.percent) } else { 0 };
                let of_rate = lines.iter().filter(|line| line.tax_percent == row.percent);
                let exact = |minor: i64| (i128::from(minor) * i128::from(row.percent), whole);
                let sum = of_rate.clone().map(|line| exact(line.amount_minor)).fold((0, whole), add);
                if by_line {
                    // Within half a unit for each line.
                    let off = 2 * (i128::from(row.tax_minor) * whole - sum.0).abs();
                    prop_assert!(off <= whole * of_rate.count() as i128);
                } else {
                    prop_assert!(is_nearest(row.tax_minor, sum));
                }
            }
        }
    }
}

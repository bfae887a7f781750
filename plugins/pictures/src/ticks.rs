//! Ticks of an axis: round numbers, 1, 2 or 5 times a power of ten apart.

use crate::number::grouped;
use crate::range::Range;

/// A round number on an axis.
#[derive(Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) text: String,
}

/// The round numbers in a range, about so many.
pub(crate) fn ticks(range: Range, about: usize) -> Vec<Tick> {
    let step = Step::for_range(range, about.clamp(2, 40) as f64);
    let first = (range.low() / step.size() - 1e-9).ceil() as i64;
    let last = (range.high() / step.size() + 1e-9).floor() as i64;
    let largest = range.low().abs().max(range.high().abs());
    let scientific = largest >= 1e7 || step.exponent < -5;
    (first..=last).take(100).map(|number| step.tick(number, scientific)).filter(|tick| tick.at.is_finite()).collect()
}

/// The range widened to the round numbers around it.
pub(crate) fn rounded(range: Range, about: usize) -> Range {
    let size = Step::for_range(range, about.clamp(2, 40) as f64).size();
    let low = (range.low() / size + 1e-9).floor() * size;
    let high = (range.high() / size - 1e-9).ceil() * size;
    if low.is_finite() && high.is_finite() { Range::between(low, high) } else { range }
}

/// The distance between ticks, in decimal, so that their texts are exact.
#[derive(Debug, Clone, Copy)]
struct Step {
    mantissa: i64,
    exponent: i32,
}

impl Step {
    fn for_range(range: Range, about: f64) -> Self {
        let wanted = range.high() / about - range.low() / about;
        let exponent = wanted.log10().floor() as i32;
        let fraction = wanted / decimal(1, exponent);
        let mantissa = [1, 2, 5].into_iter().find(|m| *m as f64 >= fraction * (1.0 - 1e-9));
        match mantissa {
            Some(mantissa) => Self { mantissa, exponent },
            None => Self { mantissa: 1, exponent: exponent + 1 },
        }
    }

    fn size(self) -> f64 {
        decimal(self.mantissa, self.exponent)
    }

    fn tick(self, number: i64, scientific: bool) -> Tick {
        let mantissa = number.saturating_mul(self.mantissa);
        let sign = if mantissa < 0 { "−" } else { "" };
        let size = mantissa.unsigned_abs();
        let text = match size {
            0 if scientific => "0".to_owned(),
            _ if scientific => in_powers(size, self.exponent),
            _ => in_full(size, self.exponent),
        };
        Tick { at: decimal(mantissa, self.exponent), text: format!("{sign}{text}") }
    }
}

/// The double nearest to mantissa × 10^exponent, which products of doubles are not.
fn decimal(mantissa: i64, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().unwrap_or(0.0)
}

/// `1.2e9`.
fn in_powers(mantissa: u64, exponent: i32) -> String {
    let digits = mantissa.to_string();
    let power = exponent + digits.len() as i32 - 1;
    match digits.trim_end_matches('0').split_at(1) {
        (first, "") => format!("{first}e{power}"),
        (first, rest) => format!("{first}.{rest}e{power}"),
    }
}

/// `1,200` or `0.05`; only for numbers that are neither large nor small.
fn in_full(mantissa: u64, exponent: i32) -> String {
    let power = 10_u64.saturating_pow(exponent.unsigned_abs());
    if exponent >= 0 {
        return grouped(mantissa.saturating_mul(power));
    }
    let decimals = exponent.unsigned_abs() as usize;
    format!("{}.{:0decimals$}", grouped(mantissa / power), mantissa % power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(low: f64, high: f64) -> Vec<String> {
        ticks(Range::between(low, high), 5).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-3.0, 12.0), ["0", "5", "10"]);
        assert_eq!(texts(-0.02, 0.03), ["−0.02", "−0.01", "0.00", "0.01", "0.02", "0.03"]);
        assert_eq!(texts(0.0, 4800.0), ["0", "1,000", "2,000", "3,000", "4,000"]);
        assert_eq!(texts(1e9, 2e9), ["1e9", "1.2e9", "1.4e9", "1.6e9", "1.8e9", "2e9"]);
        assert_eq!(texts(0.0, 2e-280), ["0", "5e-281", "1e-280", "1.5e-280", "2e-280"]);
    }

    #[test]
    fn a_range_grows_to_round_numbers() {
        assert_eq!(rounded(Range::between(0.03, 0.87), 5), Range::between(0.0, 1.0));
        assert_eq!(rounded(Range::between(0.0, 1.0), 5), Range::between(0.0, 1.0));
    }

    proptest! {
        #[test]
        fn every_range_has_a_few_ticks_inside(one in prop::num::f64::ANY, other in prop::num::f64::ANY) {
            prop_assume!(one.is_finite() && other.is_finite());
            let range = Range::between(one, other);
            let found = ticks(range, 6);
            prop_assert!((1..=14).contains(&found.len()), "{range:?} {found:?}");
            let margin = (range.high() / 1e6) - (range.low() / 1e6);
            for tick in &found {
                prop_assert!(tick.at >= range.low() - margin && tick.at <= range.high() + margin, "{range:?} {tick:?}");
            }
            prop_assert!(found.windows(2).all(|pair| pair[0].at < pair[1].at && pair[0].text != pair[1].text));
        }
    }
}

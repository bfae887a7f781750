//! A range of values that an axis can show: finite, and wide enough to tell its ends apart.

/// Narrower than this is no range for doubles.
const NARROWEST: f64 = 1e-290;

/// From the lowest to the highest value of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    low: f64,
    high: f64,
}

/// The lowest and the highest of the finite values.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    (low <= high).then_some((low, high))
}

impl Range {
    /// The range between two finite values, widened where they are the same or nearly so.
    pub(crate) fn between(one: f64, other: f64) -> Self {
        let (low, high) = (one.min(other), one.max(other));
        let size = low.abs().max(high.abs());
        if high - low > size * 1e-9 && high - low > NARROWEST {
            return Self { low, high };
        }
        let middle = low / 2.0 + high / 2.0;
        let margin = if middle.abs() < NARROWEST { 1.0 } else { middle.abs() / 2.0 };
        Self { low: (middle - margin).max(f64::MIN), high: (middle + margin).min(f64::MAX) }
    }

    /// What a caller asked for, or else what there is to show, or else 0 to 1.
    pub(crate) fn chosen(asked: Option<(f64, f64)>, shown: Option<(f64, f64)>) -> Self {
        let asked = asked.filter(|(low, high)| low.is_finite() && high.is_finite());
        let (low, high) = asked.or(shown).unwrap_or((0.0, 1.0));
        Self::between(low, high)
    }

    /// With a margin of a share of its width at both ends.
    pub(crate) fn padded(self, share: f64) -> Self {
        let margin = (self.high * share - self.low * share).min(f64::MAX / 4.0);
        Self { low: (self.low - margin).max(f64::MIN), high: (self.high + margin).min(f64::MAX) }
    }

    pub(crate) fn low(self) -> f64 {
        self.low
    }

    pub(crate) fn high(self) -> f64 {
        self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_values_get_room_on_both_sides() {
        assert_eq!(Range::between(4.0, 4.0), Range { low: 2.0, high: 6.0 });
        assert_eq!(Range::between(0.0, 0.0), Range { low: -1.0, high: 1.0 });
    }

    #[test]
    fn values_that_are_not_finite_have_no_extent() {
        assert_eq!(extent([f64::NAN, f64::INFINITY].into_iter()), None);
        assert_eq!(extent([f64::NAN, 2.0, -1.0].into_iter()), Some((-1.0, 2.0)));
    }

    proptest! {
        #[test]
        fn any_two_values_make_a_range(
            one in prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL,
            other in prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL,
        ) {
            let range = Range::between(one, other).padded(0.05);
            prop_assert!(range.low.is_finite() && range.high.is_finite() && range.low < range.high);
        }
    }
}

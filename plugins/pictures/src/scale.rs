//! A scale: where on the picture a value is.

use crate::range::Range;

/// Maps a range of values to a stretch of pixels; either may run backwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    range: Range,
    from: f64,
    to: f64,
    /// Keeps the width of the widest ranges finite.
    shrink: f64,
    per_value: f64,
}

impl Scale {
    pub(crate) fn new(range: Range, from: f64, to: f64) -> Self {
        let shrink = if (range.high() - range.low()).is_finite() { 1.0 } else { 0.25 };
        let per_value = (to - from) / (range.high() * shrink - range.low() * shrink);
        Self { range, from, to, shrink, per_value }
    }

    /// The pixel of a value; outside of the range, that of its nearer end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.range.low(), self.range.high());
        self.from + (value * self.shrink - self.range.low() * self.shrink) * self.per_value
    }

    pub(crate) fn range(&self) -> Range {
        self.range
    }

    pub(crate) fn from(&self) -> f64 {
        self.from
    }

    pub(crate) fn to(&self) -> f64 {
        self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_ends_even_of_the_widest_range() {
        for range in [Range::between(0.0, 1.0), Range::between(f64::MIN, f64::MAX), Range::between(1e-280, 3e-280)] {
            let scale = Scale::new(range, 100.0, 20.0);
            assert_eq!((scale.at(range.low()), scale.at(range.high())), (100.0, 20.0));
        }
        assert_eq!(Scale::new(Range::between(f64::MIN, f64::MAX), 0.0, 100.0).at(0.0), 50.0);
    }
}

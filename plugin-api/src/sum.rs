//! Sums that keep what ordinary addition rounds off: as good as with twice the digits, whatever the order.

/// A sum with the rounding errors of its additions beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    /// The sum of some numbers; that of none is 0.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> f64 {
        let mut sum = Self::default();
        numbers.into_iter().for_each(|number| sum.add(number));
        sum.value()
    }

    /// Adds a number. What the addition rounds off is known exactly, and summed up on its own.
    #[inline(always)]
    pub fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        let added = sum - self.sum;
        self.rest += (self.sum - (sum - added)) + (number - added);
        self.sum = sum;
    }

    /// Adds another sum.
    pub fn join(&mut self, other: &Self) {
        self.add(other.sum);
        self.rest += other.rest;
    }

    /// The number nearest to the sum. Beyond the largest number there is infinity, and not the nothing that its rest would be.
    pub fn value(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.rest } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_survive_large_ones() {
        assert_eq!(Sum::of([1e300, 1.0, 1e-5, -1e300]), 1.0 + 1e-5);
        assert_eq!(Sum::of(std::iter::repeat_n(0.1, 10)), 1.0);
        assert_eq!(Sum::of([f64::MAX, f64::MAX]), f64::INFINITY);
        assert!(Sum::of([]).is_sign_positive());
    }

    proptest! {
        #[test]
        fn sums_of_whole_numbers_are_exact(numbers in prop::collection::vec(-(1i64 << 60)..1 << 60, 0..200)) {
            // Whole numbers of up to 53 bits that are far apart in size.
            let numbers: Vec<i64> = numbers.into_iter().map(|number| number >> (number & 31) << 8).collect();
            let exact: i128 = numbers.iter().map(|number| i128::from(*number as f64 as i64)).sum();
            prop_assert_eq!(Sum::of(numbers.iter().map(|number| *number as f64)), exact as f64);
        }

        #[test]
        fn the_order_changes_nothing(numbers in prop::collection::vec(-1e12..1e12f64, 1..100)) {
            let mut reversed = numbers.clone();
            reversed.reverse();
            let halves = numbers.split_at(numbers.len() / 2);
            let mut joined = Sum::default();
            for half in [halves.1, halves.0] {
                let mut part = Sum::default();
                half.iter().for_each(|number| part.add(*number));
                joined.join(&part);
            }
            prop_assert_eq!(Sum::of(numbers.iter().copied()), Sum::of(reversed));
            prop_assert_eq!(Sum::of(numbers), joined.value());
        }
    }
}

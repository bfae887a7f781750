//! Sums that do not depend on the order of their terms beyond the last bit: what a term loses is carried along.

/// The sum of some numbers, with Neumaier's correction; that of none is 0.
pub(crate) fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(sum([1e16, 1.0, -1e16].into_iter()), 1.0);
        assert_eq!(sum(std::iter::repeat_n(0.1, 101)), 101.0 * 0.1);
        assert!(sum(std::iter::empty()).is_sign_positive());
    }

    proptest! {
        #[test]
        fn order_changes_the_last_bit_at_most(values in prop::collection::vec(0.0..1.0f64, 1..300)) {
            let (there, back) = (sum(values.iter().copied()), sum(values.iter().rev().copied()));
            prop_assert!((there - back).abs() <= f64::EPSILON * there);
        }
    }
}

//! Rates: shares, and how the document's program rounds them.

/// A share; 0 of nothing.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A share with so many digits behind the point. Ties go to the even digit, since the exact binary value decides.
pub(crate) fn rounded(part: usize, whole: usize, digits: usize) -> f64 {
    format!("{:.digits$}", share(part, whole)).parse().unwrap_or_default()
}

/// The harmonic mean of precision and recall.
pub(crate) fn f1(found: usize, said: usize, wanted: usize) -> f64 {
    share(2 * found, said + wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_even_digit() {
        assert_eq!(rounded(1, 16, 3), 0.062);
        assert_eq!(rounded(3, 16, 3), 0.188);
        assert_eq!(rounded(2, 3, 4), 0.6667);
        assert_eq!(rounded(1, 0, 3), 0.0);
    }

    #[test]
    fn f1_is_the_harmonic_mean() {
        let (precision, recall) = (0.25_f64, 0.5);
        assert!((f1(1, 4, 2) - 2.0 * precision * recall / (precision + recall)).abs() < 1e-15);
        assert_eq!(f1(0, 0, 0), 0.0);
    }
}

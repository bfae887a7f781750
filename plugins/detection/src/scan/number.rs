//! Decimal numbers: read eight digits at a time, rounded correctly to double precision.
//!
//! Numbers of up to 19 digits without an exponent, which is nearly all that detectors write, take one multiplication; whatever
//! is left, or too near the middle between two doubles, goes to the standard library.

/// The powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Of 19 digits one at least stands before the point.
const MAX_SCALE: usize = 18;

/// 1/5^k: the upper 64 bits, rounded down, and the power of two that goes with them.
const INVERSE_POWERS: [(u64, i32); MAX_SCALE + 1] = inverse_powers();

/// The number that begins here and the place after it; none if it is no plain decimal, or too close to the bytes' end.
#[inline]
pub(crate) fn decimal(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let negative = *bytes.get(start)? == b'-';
    let first = start + usize::from(negative);
    let (whole, mut at) = digits(bytes, first, 0)?;
    if at == first || at - first > 1 && bytes[first] == b'0' {
        return None;
    }
    let (mut mantissa, mut scale, mut count) = (whole, 0, at - first);
    if *bytes.get(at)? == b'.' {
        let (value, end) = digits(bytes, at + 1, mantissa)?;
        scale = end - (at + 1);
        if scale == 0 {
            return None;
        }
        (mantissa, at, count) = (value, end, count + scale);
    }
    let plain = !matches!(*bytes.get(at)?, b'e' | b'E') && count <= 19;
    let magnitude = match plain.then(|| scaled(mantissa, scale)).flatten() {
        Some(magnitude) => magnitude,
        None => return unusual(bytes, start),
    };
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// The whole number that begins here and the place after it; none if it does not fit, or is too close to the bytes' end.
#[inline]
pub(crate) fn integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let negative = *bytes.get(start)? == b'-';
    let first = start + usize::from(negative);
    let (value, at) = digits(bytes, first, 0)?;
    let length = at - first;
    if length == 0 || length > 18 || length > 1 && bytes[first] == b'0' {
        return None;
    }
    Some((if negative { -(value as i64) } else { value as i64 }, at))
}

/// The place after the digits that begin here.
#[inline]
pub(crate) fn after_digits(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let count = leading_digits(u64::from_le_bytes(*eight) ^ ZEROS);
        at += count;
        if count < 8 {
            return at;
        }
    }
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends the digits that begin here to a value (which wraps, if there are too many), and gives the place after them.
#[inline]
fn digits(bytes: &[u8], mut at: usize, mut value: u64) -> Option<(u64, usize)> {
    loop {
        let eight = u64::from_le_bytes(*bytes.get(at..)?.first_chunk::<8>()?) ^ ZEROS;
        let count = leading_digits(eight);
        if count > 0 {
            value = value.wrapping_mul(POWERS[count]).wrapping_add(joined(eight << (64 - 8 * count)));
        }
        at += count;
        if count < 8 {
            return Some((value, at));
        }
    }
}

/// How many of the eight bytes, from the lowest on, are digits (0 to 9, the ASCII offset taken off).
#[inline]
fn leading_digits(eight: u64) -> usize {
    let others = (eight.wrapping_add(0x7676_7676_7676_7676) | eight) & 0x8080_8080_8080_8080;
    // A carry out of a byte that is no digit can only reach the bytes above it, which no longer count.
    others.trailing_zeros() as usize / 8
}

/// Eight digits, the lowest byte first, as one number: pairs, then pairs of pairs, then the two halves.
#[inline]
fn joined(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10)).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100)).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000)).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// `mantissa` / 10^`scale`, correctly rounded; none where one multiplication cannot tell.
#[inline]
fn scaled(mantissa: u64, scale: usize) -> Option<f64> {
    if mantissa < 1 << 53 && scale < EXACT_POWERS.len() {
        // Both are exact, so the one division rounds once.
        return Some(mantissa as f64 / EXACT_POWERS[scale]);
    }
    let (inverse, exponent) = *INVERSE_POWERS.get(scale)?;
    let shift = mantissa.leading_zeros();
    // The inverse is too small by less than one unit, so the true product is less than one unit of `upper` above this one.
    let upper = ((u128::from(mantissa << shift) * u128::from(inverse)) >> 64) as u64;
    let lead = upper.leading_zeros();
    let normal = upper << lead;
    let (kept, rest) = (normal >> 11, normal & 0x7ff);
    // In units of `normal` that is at most four; around the middle between two doubles the sum might fall on either side.
    if (0x400 - 4..=0x400).contains(&rest) {
        return None;
    }
    let rounded = kept + u64::from(rest > 0x400);
    let power = exponent + 64 + 11 - (shift + lead) as i32;
    // 2^power is a normal double here, and multiplying by it is exact.
    Some(rounded as f64 * f64::from_bits(((1023 + power) as u64) << 52))
}

/// The careful way for exponents, many digits and near ties; the grammar up to the exponent has been checked.
#[cold]
fn unusual(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let mut cursor = super::cursor::Cursor::new(bytes, start);
    cursor.value().ok()?;
    let text = std::str::from_utf8(&bytes[start..cursor.at]).ok()?;
    Some((text.parse().ok()?, cursor.at))
}

const fn inverse_powers() -> [(u64, i32); MAX_SCALE + 1] {
    let mut table = [(0, 0); MAX_SCALE + 1];
    let (mut scale, mut power) = (0, 1u64);
    while scale <= MAX_SCALE {
        // 2^(63 + bits) / 5^k has 64 bits; for k = 0 it would have one more.
        let bits = if power == 1 { 0 } else { 64 - power.leading_zeros() as i32 };
        table[scale] = (((1u128 << (63 + bits)) / power as u128) as u64, -(63 + bits) - scale as i32);
        if scale < MAX_SCALE {
            power *= 5;
        }
        scale += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Read with bytes around it, as inside a file.
    fn read(text: &str) -> Option<f64> {
        let bytes = format!("[{text}, \"and more\"]").into_bytes();
        decimal(&bytes, 1).map(|(value, at)| {
            assert_eq!(at, 1 + text.len(), "{text}");
            value
        })
    }

    fn assert_exact(text: &str) {
        let expected: f64 = text.parse().unwrap();
        let found = read(text).unwrap_or_else(|| panic!("{text} is not read"));
        assert_eq!(found.to_bits(), expected.to_bits(), "{text}: {found} is not {expected}");
    }

    #[test]
    fn the_corners() {
        let texts = [
            "0",
            "-0",
            "0.0",
            "-0.0",
            "1",
            "9007199254740993",
            "9007199254740993.0",
            "0.1",
            "283.05999755859375",
            "0.9533451795578003",
            "1e22",
            "1e23",
            "3.2e-05",
            "1E+2",
            "123456789012345678901234567890",
            "0.000000000000000001",
            "1.7976931348623157e308",
            "5e-324",
            "2.2250738585072011e-308",
            "18446744073709551615",
            "9999999999999999999",
            "0.9999999999999999999",
            "12345678.12345678",
            "123456789.123456789",
            "0.00000000000000000000000001",
        ];
        for text in texts {
            assert_exact(text);
        }
        for text in ["", "-", ".5", "01", "1.", "00", "-01.5", "+1", "x"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(decimal(b"1.5", 0), None, "it may go on beyond the bytes");
    }

    #[test]
    fn whole_numbers() {
        let read = |text: &str| integer(format!("{text}, 12345678").as_bytes(), 0);
        assert_eq!(read("58"), Some((58, 2)));
        assert_eq!(read("-9007199254740993"), Some((-9_007_199_254_740_993, 17)));
        assert_eq!(read("0"), Some((0, 1)));
        for text in ["007", "-", "1234567890123456789", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn every_double_is_read_as_written(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            assert_exact(&format!("{value:?}"));
        }

        #[test]
        fn boxes_of_single_precision_are_read_as_written(value in -1e4f32..1e4) {
            assert_exact(&format!("{}", f64::from(value)));
            assert_exact(&format!("{:.9}", f64::from(value)));
        }

        #[test]
        fn any_digits_are_rounded_as_the_standard_library_does(text in "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,25})?(e-?[0-9]{1,2})?") {
            assert_exact(&text);
        }

        /// Numbers exactly in the middle between two doubles, and one digit beside it.
        #[test]
        fn ties_go_to_the_even_neighbour(whole in (1u64 << 53)..(1 << 54), beside in 0u32..3) {
            let middle = whole | 1;
            assert_exact(&format!("{middle}.{}", ["0", "01", "00"][beside as usize]));
            assert_exact(&format!("{}.{}", middle - 1, ["99", "9", "0"][beside as usize]));
        }
    }
}

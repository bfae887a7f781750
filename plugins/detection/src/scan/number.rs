//! Decimal numbers: read eight digits at a time, rounded correctly to double precision.
//!
//! Numbers of up to 19 digits without an exponent, which is nearly all that detectors write, take one multiplication; whatever
//! is left, or too near the middle between two doubles, goes to the standard library.

use super::cursor::{Cursor, Kind};

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A double holds that many digits of any number, and a word 19.
const MAX_DIGITS: usize = 19;

/// 1/5^k for as many digits as can stand after the point: the upper 64 bits, rounded down, and the power of two with them.
const INVERSE_POWERS: [(u64, i32); MAX_DIGITS] = inverse_powers();

/// The number that begins here and the place after it; none if it is no number, or too close to the bytes' end.
#[inline(always)]
pub(crate) fn decimal(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let negative = *bytes.get(start)? == b'-';
    let first = start + usize::from(negative);
    let (whole, count) = word(bytes, first)?;
    let point = first + count;
    if count == 0 || count == 8 || count > 1 && bytes[first] == b'0' {
        return unusual(bytes, start);
    }
    if *bytes.get(point)? != b'.' {
        return match bytes[point] {
            b'e' | b'E' => unusual(bytes, start),
            _ => Some((signed(whole as f64, negative), point)),
        };
    }
    let (mantissa, scale) = fraction(bytes, point + 1, whole)?;
    let at = point + 1 + scale;
    let plain = scale > 0 && count + scale <= MAX_DIGITS && !matches!(*bytes.get(at)?, b'e' | b'E');
    match plain.then(|| scaled(mantissa, scale)).flatten() {
        Some(magnitude) => Some((signed(magnitude, negative), at)),
        None => unusual(bytes, start),
    }
}

#[inline]
fn signed(magnitude: f64, negative: bool) -> f64 {
    if negative { -magnitude } else { magnitude }
}

/// The whole number that begins here and the place after it; none if it has more than 15 digits, or is too close to the bytes' end.
#[inline]
pub(crate) fn integer(bytes: &[u8], start: usize) -> Option<(i64, usize)> {
    let negative = *bytes.get(start)? == b'-';
    let first = start + usize::from(negative);
    let (mut value, mut length) = word(bytes, first)?;
    if length == 8 {
        let (more, count) = word(bytes, first + 8)?;
        (value, length) = (value * POWERS[count] + more, 8 + count);
    }
    if length == 0 || length == 16 || length > 1 && bytes[first] == b'0' {
        return None;
    }
    Some((if negative { -(value as i64) } else { value as i64 }, first + length))
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

/// The value of up to eight digits that begin here, and how many they are.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    Some(read_word(bytes.get(at..)?.first_chunk::<8>()?))
}

#[inline(always)]
fn read_word(eight: &[u8; 8]) -> (u64, usize) {
    let eight = u64::from_le_bytes(*eight) ^ ZEROS;
    let count = leading_digits(eight);
    // Digits go to the upper bytes; the lower ones become leading zeros.
    let kept = eight.wrapping_shl(64 - 8 * count as u32);
    (if count == 0 { 0 } else { joined(kept) }, count)
}

/// Appends the digits after a point to a value (which wraps, if there are too many), and tells how many they are.
#[inline(always)]
fn fraction(bytes: &[u8], at: usize, whole: u64) -> Option<(u64, usize)> {
    let sixteen: &[u8; 16] = bytes.get(at..)?.first_chunk()?;
    let [one, two] = [sixteen.first_chunk()?, sixteen.last_chunk()?].map(read_word);
    // Both halves are read in any case: which of them counts is no question for the branch predictor.
    let (second, second_count) = if one.1 == 8 { two } else { (0, 0) };
    let mut value = (whole.wrapping_mul(POWERS[one.1]) + one.0).wrapping_mul(POWERS[second_count]).wrapping_add(second);
    let mut count = one.1 + second_count;
    if count == 16 {
        let (third, third_count) = word(bytes, at + 16)?;
        value = value.wrapping_mul(POWERS[third_count]).wrapping_add(third);
        count = if third_count == 8 { usize::from(u8::MAX) } else { 16 + third_count };
    }
    Some((value, count))
}

/// How many of the eight bytes, from the lowest on, are digits (0 to 9, the ASCII offset taken off).
#[inline]
fn leading_digits(eight: u64) -> usize {
    others(eight).trailing_zeros() as usize / 8
}

/// The highest bit of every byte that is no digit.
#[inline]
fn others(eight: u64) -> u64 {
    (((eight & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | eight) & 0x8080_8080_8080_8080
}

/// The place after a number of up to seven characters, digits with or without a point among them, if such a one begins here.
/// Outlines of objects are made of nothing else, and of them only the grammar matters.
#[inline]
pub(crate) fn after_short(bytes: &[u8], at: usize) -> Option<usize> {
    let eight: &[u8; 8] = bytes.get(at..)?.first_chunk()?;
    let others = others(u64::from_le_bytes(*eight) ^ ZEROS);
    let whole = others.trailing_zeros() as usize / 8;
    let beyond = (others & others.wrapping_sub(1)).trailing_zeros() as usize / 8;
    if whole == 0 || whole > 1 && eight[0] == b'0' {
        return None;
    }
    let pointed = *eight.get(whole)? == b'.';
    let end = if pointed { beyond } else { whole };
    let ends = matches!(eight.get(end)?, b',' | b']' | b' ' | b'\n' | b'\r') && (!pointed || end > whole + 1);
    ends.then_some(at + end)
}

/// Eight digits, the lowest byte first, as one number: pairs, then pairs of pairs, then the two halves.
#[inline]
fn joined(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10)).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100)).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000)).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// `mantissa` / 10^`scale`, correctly rounded; none where one multiplication cannot tell.
#[inline(always)]
fn scaled(mantissa: u64, scale: usize) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let (inverse, exponent) = *INVERSE_POWERS.get(scale)?;
    let shift = mantissa.leading_zeros();
    // The inverse is too small by less than one unit, so the true product is less than two units of `upper` above it.
    let upper = ((u128::from(mantissa << shift) * u128::from(inverse)) >> 64) as u64;
    let lead = upper.leading_zeros();
    let normal = upper << lead;
    let (kept, rest) = (normal >> 11, normal & 0x7ff);
    // In units of `normal` that is less than four; around the middle between two doubles it might fall on either side.
    if (0x400 - 4..=0x400).contains(&rest) {
        return None;
    }
    let rounded = kept + u64::from(rest > 0x400);
    let power = exponent + 64 + 11 - (shift + lead) as i32;
    // 2^power is a normal double here, and multiplying by it is exact.
    Some(rounded as f64 * f64::from_bits(((1023 + power) as u64) << 52))
}

/// The careful way for exponents, many digits, near ties, and for what is no number.
#[cold]
fn unusual(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let mut cursor = Cursor::new(bytes, start);
    if cursor.value().ok()? != Kind::Number {
        return None;
    }
    let text = std::str::from_utf8(&bytes[start..cursor.at]).ok()?;
    Some((text.parse().ok()?, cursor.at))
}

const fn inverse_powers() -> [(u64, i32); MAX_DIGITS] {
    let mut table = [(0, 0); MAX_DIGITS];
    let (mut scale, mut power) = (0, 1u64);
    while scale < MAX_DIGITS {
        // 2^(63 + bits) / 5^k has 64 bits; for k = 0 it would have one more.
        let bits = if power == 1 { 0 } else { 64 - power.leading_zeros() as i32 };
        table[scale] = (((1u128 << (63 + bits)) / power as u128) as u64, -(63 + bits) - scale as i32);
        power *= 5;
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
        let bytes = format!("[{text}, \"and much more than that\"]").into_bytes();
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
        assert_eq!(decimal(b"\"1.5\", and more than sixteen bytes", 0), None);
        assert_eq!(decimal(b"[1.5], and more than sixteen bytes", 0), None);
    }

    #[test]
    fn short_numbers_are_gone_past() {
        let after = |text: &str| after_short(text.as_bytes(), 0);
        for text in ["0", "7", "283.05", "0.5", "1234567", "12345.6"] {
            assert_eq!(after(&format!("{text}, 12345")), Some(text.len()), "{text}");
            assert_eq!(after(&format!("{text}]\n\n\n\n\n\n\n")), Some(text.len()), "{text}");
        }
        for text in
            ["", "-1", "01", "1.", ".5", "1..2", "1.2.3", "1e5", "1.5e5", "12345678", "1x", "1:", "1}", "1\"", "1\0"]
        {
            assert_eq!(after(&format!("{text}, 12345")), None, "{text}");
        }
        assert_eq!(after("1, 2"), None, "too close to the end");
    }

    #[test]
    fn whole_numbers() {
        let read = |text: &str| integer(format!("{text}, 12345678").as_bytes(), 0);
        assert_eq!(read("58"), Some((58, 2)));
        assert_eq!(read("-900719925474099"), Some((-900_719_925_474_099, 16)));
        assert_eq!(read("12345678"), Some((12_345_678, 8)));
        assert_eq!(read("0"), Some((0, 1)));
        for text in ["007", "-", "9007199254740993", "1234567890123456789", ""] {
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

//! A line number as people and models write it: decimal digits of any script, a sign, single underscores between digits.

use super::space::trim;

/// A line of a file. Wide, since a reviewer may write any number and is shown what it wrote.
pub(crate) type Line = i128;

/// More digits than this are no number.
const MOST_DIGITS: usize = 4_300;

/// Reads a line number; `None` for whatever is none. One beyond all files is as far as a line can be.
pub(crate) fn line_of(text: &str) -> Option<Line> {
    let text = trim(text);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = magnitude(digits)?;
    Some(if negative { -size } else { size })
}

fn magnitude(digits: &str) -> Option<Line> {
    let (mut size, mut count, mut after_digit) = (0, 0, false);
    for c in digits.chars() {
        match digit(c) {
            Some(digit) => {
                size = Line::saturating_add(Line::saturating_mul(size, 10), digit);
                count += 1;
                after_digit = true;
            }
            None if c == '_' && after_digit => after_digit = false,
            None => return None,
        }
    }
    (after_digit && count <= MOST_DIGITS).then_some(size)
}

/// The zeros of the scripts that have decimal digits; nine digits follow each.
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620,
    0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0,
    0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60,
    0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

fn digit(c: char) -> Option<Line> {
    let code = u32::from(c);
    let zero = ZEROS.iter().rev().find(|zero| **zero <= code)?;
    (code - zero < 10).then_some(Line::from(code - zero))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_any_script_are_digits() {
        for (text, line) in [(" 10 ", 10), ("+7", 7), ("-3", -3), ("007", 7), ("1_0", 10), ("４２", 42), ("٣", 3)] {
            assert_eq!(line_of(text), Some(line), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_number_is_none() {
        for text in ["", "ten", "3-5", "1.0", "0x1f", "1__0", "_1", "1_", "²", "1 0", "- 1", "L7", "--1"] {
            assert_eq!(line_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_beyond_all_files_does_not_overflow() {
        assert_eq!(line_of("1000000000000000000000000000000"), Some(10_i128.pow(30)));
        assert_eq!(line_of(&"9".repeat(60)), Some(Line::MAX));
        assert_eq!(line_of(&"9".repeat(5_000)), None);
    }
}

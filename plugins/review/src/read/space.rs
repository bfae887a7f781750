//! White space and line ends of the comment format, which are those of the program that defined it.

/// Whether a character is white space there: Unicode's, and the four separators that Rust does not count.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The text without the white space around it.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The text with every line end as `\n`.
pub(crate) fn unix_lines(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_space_and_a_zero_width_space_is_not() {
        assert_eq!(trim("\u{1c}\u{a0} a b\u{3000}\u{1f}"), "a b");
        assert_eq!(trim("\u{200b}"), "\u{200b}");
    }

    #[test]
    fn line_ends_become_one_kind() {
        assert_eq!(unix_lines("a\r\nb\rc\nd".to_owned()), "a\nb\nc\nd");
    }
}

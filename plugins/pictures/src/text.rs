//! Text as a picture can hold it: one line of characters that XML allows, as wide as estimated, cut where it must be.

use std::borrow::Cow;

/// What stands for a character that cannot be shown.
const REPLACEMENT: char = '\u{FFFD}';

/// Nobody reads more of a label than this, not even in a tooltip.
const MAX_CHARS: usize = 300;

/// One line without characters that XML forbids or that would reorder the text around them.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_CHARS && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut line: String = text.chars().take(MAX_CHARS).map(shown).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        line.push('…');
    }
    Cow::Owned(line)
}

fn shown(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => REPLACEMENT,
        c if c.is_control() || u32::from(c) & 0xFFFE == 0xFFFE => REPLACEMENT,
        c => c,
    }
}

/// The label as a part of a longer text: whatever its script, the text around it keeps its order.
pub(crate) fn isolated(label: &str) -> String {
    let label = clean(label);
    if label.is_ascii() { label.into_owned() } else { format!("\u{2068}{label}\u{2069}") }
}

/// Appends clean text, with what XML takes for markup written out.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

/// The estimated width in units of the font's size. Fonts differ: this is a wide one.
pub(crate) fn ems(text: &str) -> f64 {
    text.chars().map(char_ems).sum()
}

fn char_ems(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.32,
        'f' | 'r' | 't' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '→' => 0.95,
        'A'..='Z' => 0.72,
        ' '..='~' => 0.62,
        _ if has_no_width(c) => 0.0,
        _ if is_wide(c) => 1.25,
        _ => 0.68,
    }
}

fn has_no_width(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}' | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}' | '\u{6D6}'..='\u{6DC}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{1F3FB}'..='\u{1F3FF}')
}

/// East Asian characters and emoji, which take two columns of a terminal.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115F}' | '\u{2600}'..='\u{27BF}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FDFD}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}' | '\u{1F000}'..='\u{1FAFF}' | '\u{20000}'..='\u{3FFFD}')
}

/// Clean text that is at most `max` ems wide, ended by … where something is missing.
pub(crate) fn cut(text: &str, max: f64) -> Cow<'_, str> {
    if ems(text) <= max {
        return Cow::Borrowed(text);
    }
    let (mut width, mut end, mut before) = (char_ems('…'), 0, ' ');
    for (at, c) in text.char_indices() {
        let joined = has_no_width(c) || before == '\u{200D}';
        if !joined {
            end = at;
        }
        width += char_ems(c);
        before = c;
        if width > max {
            break;
        }
    }
    Cow::Owned(format!("{}…", text[..end].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_xml_forbids_is_replaced_and_lines_are_joined() {
        assert_eq!(clean("a\u{0}b\u{FFFE}c\nd"), "a\u{FFFD}b\u{FFFD}c d");
        assert_eq!(clean("evil\u{202E}txt"), "evil\u{FFFD}txt");
        let mut escaped = String::new();
        escape_into(&mut escaped, "<a & \"b\">");
        assert_eq!(escaped, "&lt;a &amp; &quot;b&quot;&gt;");
    }

    #[test]
    fn wide_characters_count_double() {
        assert_eq!(ems("犬猫"), 2.5);
        assert_eq!(ems("e\u{301}"), ems("e"));
    }

    #[test]
    fn an_emoji_is_not_cut_in_two() {
        let family = "ab👩\u{200D}👩\u{200D}👧 and more words";
        assert_eq!(cut(family, 4.2), "ab…");
    }

    proptest! {
        #[test]
        fn cut_text_fits(text in any::<String>(), max in 1.0..20.0) {
            let text = clean(&text);
            let short = cut(&text, max);
            prop_assert!(ems(&short) <= max + 1e-9 || short.chars().count() <= 1, "{short:?}");
        }
    }
}

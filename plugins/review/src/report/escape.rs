//! Foreign text in a page: nothing in it is markup, and nothing in it is endless.

/// So many characters of a note are shown; the whole note is in `evaluation_results.json`.
const LONGEST: usize = 2_000;

/// A text that a page shows as it is.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Characters that turn the direction of what follows, or are no text at all, are shown as a sign.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// The same for a note, cut where it gets long.
pub(crate) fn note(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… <i>({} characters)</i>", escaped(&text[..end]), text.chars().count()),
        None => escaped(text),
    }
}

/// A picture as an address, so that its styles stay its own.
pub(crate) fn data_url(svg: &str) -> String {
    let mut url = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b' ' | b'/' | b':' | b'=' | b';' | b',' => {
                url.push(char::from(byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_note_is_text() {
        let hostile = "</pre><script>alert('x')</script>\u{202e}\u{0}\" onload=\"";
        let safe = note(hostile);
        assert!(!safe.contains('<') && !safe.contains('"') && !safe.contains('\u{202e}') && !safe.contains('\0'));
        assert!(data_url("<svg a=\"b\">#</svg>").chars().all(|c| !matches!(c, '"' | '<' | '>' | '#')));
    }

    #[test]
    fn a_note_without_end_is_cut() {
        let long = note(&"é".repeat(5_000_000));
        assert!(long.chars().count() < 2_100 && long.ends_with("<i>(5000000 characters)</i>"));
    }
}

//! Halves of surrogate pairs in JSON: other programs write them where they cut a text, and read them, but they are no characters.

/// Stands for what is no character.
const REPLACEMENT: &str = "\\ufffd";

/// The text with a replacement for every escape that is half of a pair, and the lines of these, counted from 1. Everything
/// stays where it is, so that what is said about the mended text is true of the file.
pub(crate) fn mended(text: String) -> (String, Vec<usize>) {
    let halves = halves(text.as_bytes());
    if halves.is_empty() {
        return (text, Vec::new());
    }
    let (mut mended, mut lines, mut done, mut line) = (String::with_capacity(text.len()), Vec::new(), 0, 1);
    for at in halves {
        let before = &text[done..at];
        line += before.bytes().filter(|byte| *byte == b'\n').count();
        lines.push(line);
        mended.extend([before, REPLACEMENT]);
        done = at + REPLACEMENT.len();
    }
    mended.push_str(&text[done..]);
    (mended, lines)
}

/// Where the escapes are that are half of a pair.
fn halves(text: &[u8]) -> Vec<usize> {
    let (mut halves, mut at) = (Vec::new(), 0);
    while let Some(ahead) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += ahead;
        match (unit(text, at), unit(text, at + REPLACEMENT.len())) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 2 * REPLACEMENT.len(),
            (Some(0xd800..=0xdfff), _) => {
                halves.push(at);
                at += REPLACEMENT.len();
            }
            // Whatever is escaped, a backslash above all, begins nothing.
            _ => at += 2,
        }
    }
    halves
}

/// The number of an escape such as `\u00e9`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + REPLACEMENT.len())?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_replaced_and_whole_pairs_stay() {
        let mended = |text: &str| mended(text.to_owned());
        for text in [r#"["\ud83d\ude00", "\\\\ud800", "é\n", "\u00e9"]"#, "", "\\", r"\u", r"\ud8", "é\\é"] {
            assert_eq!(mended(text), (text.to_owned(), vec![]));
        }
        let halves = "[\n\"\\ud800 \\uDFFF\",\n\"\\ud83d\\ud83d\\ude00\\ude00\"]";
        let whole = "[\n\"\\ufffd \\ufffd\",\n\"\\ufffd\\ud83d\\ude00\\ufffd\"]";
        assert_eq!(mended(halves), (whole.to_owned(), vec![2, 2, 3, 3]));
    }
}

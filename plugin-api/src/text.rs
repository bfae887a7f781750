//! Text that the compiler puts together, so that it lies in the file byte by byte: metadata, and schemas of parameters.

/// A text that the compiler can put together: the pieces of the metadata and of a params schema.
#[derive(Debug, Clone, Copy)]
pub enum Text {
    /// As it stands.
    Raw(&'static str),
    /// As a JSON string, with quotes and escapes.
    Quoted(&'static str),
    /// The lines of a doc comment as one JSON string.
    Doc(&'static [&'static str]),
    /// One after the other.
    Joined(&'static [Text]),
    /// One after the other, with commas between.
    Listed(&'static [Text]),
}

impl Text {
    /// The length of the rendered text in bytes.
    pub const fn len(&self) -> usize {
        self.write(&mut [], 0)
    }

    /// Whether there is nothing to render.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rendered text; `N` is [`Text::len`].
    pub const fn render<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        let end = self.write(&mut bytes, 0);
        assert!(end == N, "the length given is not the text's length");
        bytes
    }

    /// The text, when the program runs.
    pub fn to_text(&self) -> String {
        let mut bytes = vec![0; self.len()];
        self.write(&mut bytes, 0);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes the text from `end` on and returns the new end; beyond the buffer it only counts.
    const fn write(&self, bytes: &mut [u8], end: usize) -> usize {
        match self {
            Text::Raw(text) => put(text.as_bytes(), text.len(), bytes, end),
            Text::Quoted(text) => {
                let end = put(b"\"", 1, bytes, end);
                let end = put_escaped(text, 0, bytes, end);
                put(b"\"", 1, bytes, end)
            }
            Text::Doc(lines) => {
                let mut end = put(b"\"", 1, bytes, end);
                let mut at = 0;
                while at < lines.len() {
                    // Rustdoc keeps the space after `///`; between two lines it serves, before the first it does not.
                    let indent = !lines[at].is_empty() && lines[at].as_bytes()[0] == b' ' && at == 0;
                    end = put_escaped(lines[at], indent as usize, bytes, end);
                    at += 1;
                }
                put(b"\"", 1, bytes, end)
            }
            Text::Joined(pieces) => put_all(pieces, b"", bytes, end),
            Text::Listed(pieces) => put_all(pieces, b",", bytes, end),
        }
    }
}

const fn put_all(pieces: &[Text], between: &[u8], bytes: &mut [u8], mut end: usize) -> usize {
    let mut at = 0;
    while at < pieces.len() {
        if at > 0 {
            end = put(between, between.len(), bytes, end);
        }
        end = pieces[at].write(bytes, end);
        at += 1;
    }
    end
}

const fn put_escaped(text: &str, from: usize, bytes: &mut [u8], mut end: usize) -> usize {
    let mut at = from;
    while at < text.len() {
        let (escaped, length) = escape(text.as_bytes()[at]);
        end = put(&escaped, length, bytes, end);
        at += 1;
    }
    end
}

/// A byte of a JSON string, escaped where JSON wants it, and how many bytes that takes.
const fn escape(byte: u8) -> ([u8; 6], usize) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => ([b'\\', byte, 0, 0, 0, 0], 2),
        0..=0x1f => ([b'\\', b'u', b'0', b'0', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]], 6),
        _ => ([byte, 0, 0, 0, 0, 0], 1),
    }
}

const fn put(from: &[u8], length: usize, to: &mut [u8], start: usize) -> usize {
    let mut at = 0;
    while at < length && start + at < to.len() {
        to[start + at] = from[at];
        at += 1;
    }
    start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &str = "a \"quoted\" \\ path\nand \u{1} a tab\t, é 猫";
    const TEXT: Text =
        Text::Joined(&[Text::Raw("{"), Text::Quoted("k"), Text::Raw(":"), Text::Quoted(NASTY), Text::Raw("}")]);

    #[test]
    fn text_rendered_by_the_compiler_is_json() {
        const BYTES: [u8; TEXT.len()] = TEXT.render();
        let value: serde_json::Value = serde_json::from_slice(&BYTES).unwrap();
        assert_eq!(value["k"], NASTY);
    }
}

//! A cursor over JSON text: it accepts exactly the grammar, keeps its place, and tells a fault from an end of the bytes.

use super::number;

/// Values nested deeper than this are refused, so that no file can exhaust the stack.
const MAX_DEPTH: usize = 100;

/// What is expected where text is not UTF-8.
pub(crate) const UTF_8: &str = "UTF-8 text";

/// Why a cursor could not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The bytes are used up; with more of them it might go on.
    End,
    /// What stands here is no JSON.
    Syntax(Syntax),
}

/// A breach of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// The offset of the first byte that does not fit.
    pub(crate) at: usize,
    /// What would have fitted.
    pub(crate) expected: &'static str,
}

/// What kind of value stands somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    Array,
    Object,
    Boolean,
    Null,
}

/// A place in JSON text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
}

impl<'b> Cursor<'b> {
    pub(crate) fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The byte here.
    #[inline]
    pub(crate) fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Stop::End)
    }

    /// Goes past white space.
    #[inline]
    pub(crate) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// Goes past this byte.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8, expected: &'static str) -> Result<(), Stop> {
        if self.peek()? != byte {
            return self.fail(expected);
        }
        self.at += 1;
        Ok(())
    }

    /// Goes past this byte if it stands here.
    #[inline]
    pub(crate) fn try_eat(&mut self, byte: u8) -> Result<bool, Stop> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    pub(crate) fn fail<T>(&self, expected: &'static str) -> Result<T, Stop> {
        Err(Stop::Syntax(Syntax { at: self.at, expected }))
    }

    /// What kind of value begins here, by its first byte.
    pub(crate) fn kind(&self) -> Result<Kind, Stop> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b'"' => Ok(Kind::Text),
            b'[' => Ok(Kind::Array),
            b'{' => Ok(Kind::Object),
            b't' | b'f' => Ok(Kind::Boolean),
            b'n' => Ok(Kind::Null),
            _ => self.fail("a value"),
        }
    }

    /// Goes past any value.
    pub(crate) fn value(&mut self) -> Result<Kind, Stop> {
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Result<Kind, Stop> {
        if depth > MAX_DEPTH {
            return self.fail("at most 100 levels of nesting");
        }
        let kind = self.kind()?;
        match kind {
            Kind::Number => self.number()?,
            Kind::Text => drop(self.text()?),
            Kind::Array => self.array(depth)?,
            Kind::Object => self.object(depth)?,
            Kind::Boolean | Kind::Null => self.word()?,
        }
        Ok(kind)
    }

    fn array(&mut self, depth: usize) -> Result<(), Stop> {
        self.at += 1;
        self.space();
        if self.try_eat(b']')? {
            return Ok(());
        }
        loop {
            self.space();
            match number::after_short(self.bytes, self.at) {
                Some(end) => self.at = end,
                None => drop(self.nested(depth + 1)?),
            }
            self.space();
            if !self.try_eat(b',')? {
                return self.eat(b']', "',' or ']'");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Stop> {
        self.at += 1;
        self.space();
        if self.try_eat(b'}')? {
            return Ok(());
        }
        loop {
            self.space();
            self.key()?;
            self.nested(depth + 1)?;
            self.space();
            if !self.try_eat(b',')? {
                return self.eat(b'}', "',' or '}'");
            }
        }
    }

    /// Goes past a member's name, its colon, and the space up to its value.
    pub(crate) fn key(&mut self) -> Result<&'b [u8], Stop> {
        if self.peek()? != b'"' {
            return self.fail("a name in double quotes");
        }
        let key = self.text()?;
        self.space();
        self.eat(b':', "':'")?;
        self.space();
        Ok(key)
    }

    fn word(&mut self) -> Result<(), Stop> {
        let word: &[u8] = match self.peek()? {
            b't' => b"true",
            b'f' => b"false",
            _ => b"null",
        };
        for byte in word {
            self.eat(*byte, "true, false or null")?;
        }
        Ok(())
    }

    /// Goes past a number. One that the bytes end with may go on, so it is an end.
    #[inline]
    fn number(&mut self) -> Result<(), Stop> {
        self.at += usize::from(self.peek()? == b'-');
        let start = self.at;
        self.digits()?;
        if self.bytes[start] == b'0' && self.at > start + 1 {
            self.at = start + 1;
            return self.fail("no digit after a leading 0");
        }
        if self.try_eat(b'.')? {
            self.digits()?;
        }
        if matches!(self.peek()?, b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.peek()?, b'+' | b'-'));
            self.digits()?;
        }
        Ok(())
    }

    /// Goes past one or more digits, and sees what comes after them.
    #[inline]
    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.at = number::after_digits(self.bytes, start);
        self.peek()?;
        if self.at == start { self.fail("a digit") } else { Ok(()) }
    }

    /// Goes past a string and gives what stands between its quotes, escapes and all.
    pub(crate) fn text(&mut self) -> Result<&'b [u8], Stop> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.escape()?,
                0..=0x1f => return self.fail("no control character inside a string"),
                _ => self.at += 1,
            }
        }
        let text = &self.bytes[start..self.at];
        if let Err(error) = std::str::from_utf8(text) {
            self.at = start + error.valid_up_to();
            return self.fail(UTF_8);
        }
        self.at += 1;
        Ok(text)
    }

    fn escape(&mut self) -> Result<(), Stop> {
        self.at += 1;
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek()?.is_ascii_hexdigit() {
                        return self.fail("four hexadecimal digits");
                    }
                    self.at += 1;
                }
            }
            _ => return self.fail("a known escape sequence"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    /// A text is a value if the cursor goes past it and stops before the one space put after it.
    fn accepted(text: &[u8]) -> bool {
        let text = [text, b" "].concat();
        let mut cursor = Cursor::new(&text, 0);
        cursor.space();
        let read = cursor.value();
        cursor.space();
        read.is_ok() && cursor.at == text.len()
    }

    fn accepted_by_serde(text: &[u8]) -> bool {
        std::str::from_utf8(text).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
    }

    #[test]
    fn the_corners_of_the_grammar() {
        for text in ["-0", "0.5e+07", "1E9", r#""\u00e9\n/é""#, "[]", "[[],{}]", r#"{"a":[1,{"b":null}],"a":true}"#] {
            assert!(accepted(text.as_bytes()), "{text}");
        }
        let wrong = [
            "",
            "-",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "NaN",
            "Infinity",
            "nul",
            "truth",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{a:1}",
            "'a'",
            "\"a",
            "\"\t\"",
            r#""\x""#,
            r#""\u12g4""#,
            "[1 2]",
            "{\"a\" 1}",
            "[1}",
            "1 2",
            "\u{feff}1",
        ];
        for text in wrong {
            assert!(!accepted(text.as_bytes()), "{text}");
        }
        assert!(!accepted(b"\"\xff\""));
        assert!(accepted(format!("{}1{}", "[".repeat(100), "]".repeat(100)).as_bytes()));
        assert!(!accepted(format!("{}1{}", "[".repeat(102), "]".repeat(102)).as_bytes()));
    }

    #[test]
    fn a_number_that_may_go_on_is_an_end() {
        for text in ["12", "1.", "1e", "-", "tru", "\"ab", "[1", "{\"a\":", "\"\\u12"] {
            assert_eq!(Cursor::new(text.as_bytes(), 0).value(), Err(Stop::End), "{text}");
        }
    }

    proptest! {
        /// Texts made of the pieces that JSON is made of, so that many are nearly right and some are right.
        #[test]
        fn it_accepts_what_serde_json_accepts(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[", "]", "{", "}", ",", ":", "\"a\"", "1", "-", "0", ".5", "e3", " ", "\n",
                    "true", "null", "\"", "\\", "\\u0041", "é"]), 0..9)
        ) {
            let text = pieces.concat();
            prop_assert_eq!(accepted(text.as_bytes()), accepted_by_serde(text.as_bytes()), "{}", text);
        }

        #[test]
        fn it_accepts_every_value_written_by_serde_json(numbers in prop::collection::vec(any::<f64>(), 0..5), text: String) {
            let finite: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
            let value = serde_json::json!({"a": finite, &text: [text, null, true, {}]});
            prop_assert!(accepted(value.to_string().as_bytes()));
            prop_assert!(accepted(serde_json::to_string_pretty(&value).unwrap().as_bytes()));
        }
    }
}

//! A document: what surrounds the arrays of a file, and the way from one of them to the next.

use autoscorer_plugin_api::parallel::Workers;

use super::array::{Array, Failure};
use super::cursor::{Cursor, Kind, Stop};
use super::part::Collect;
use super::source::{Source, Window};

/// How much is read at a time outside the arrays.
const BLOCK: usize = 16 << 10;

/// A file on the way from its first byte to its last.
pub(crate) struct Document<'s> {
    source: &'s Source,
    window: Window<'s>,
    at: usize,
}

impl<'s> Document<'s> {
    /// A document before its first value; a byte order mark is left out.
    pub(crate) fn open(source: &'s Source) -> Result<Self, Failure> {
        let mut window = Window::new(source, 0, Vec::new());
        window.advance(0, BLOCK)?;
        let at = if window.bytes().starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Ok(Self { source, window, at })
    }

    /// What kind of value comes next.
    pub(crate) fn kind(&mut self) -> Result<Kind, Failure> {
        self.take(|cursor| {
            cursor.space();
            cursor.kind()
        })
    }

    /// Goes past a value of any kind.
    pub(crate) fn skip(&mut self) -> Result<(), Failure> {
        self.take(|cursor| cursor.value().map(drop))
    }

    /// Goes past the beginning of an object; false if it is empty, and so has ended.
    pub(crate) fn enter(&mut self) -> Result<bool, Failure> {
        self.take(|cursor| {
            cursor.eat(b'{', "'{'")?;
            cursor.space();
            Ok(!cursor.try_eat(b'}')?)
        })
    }

    /// Goes past a member's name to its value.
    pub(crate) fn key(&mut self) -> Result<String, Failure> {
        self.take(|cursor| {
            cursor.space();
            cursor.key().map(|key| String::from_utf8_lossy(key).into_owned())
        })
    }

    /// Goes past what stands after a member; false if the object has ended.
    pub(crate) fn more(&mut self) -> Result<bool, Failure> {
        self.take(|cursor| {
            cursor.space();
            if cursor.try_eat(b',')? {
                return Ok(true);
            }
            cursor.eat(b'}', "',' or '}'").map(|()| false)
        })
    }

    /// Reads the array that comes next.
    pub(crate) fn array<C: Collect>(&mut self, workers: Workers) -> Result<Array<C>, Failure> {
        self.take(|cursor| cursor.eat(b'[', "'['"))?;
        let array = Array::read(self.source, self.window.offset(self.at), workers)?;
        self.window = Window::new(self.source, array.end, Vec::new());
        self.at = 0;
        Ok(array)
    }

    /// Makes sure that nothing but white space is left.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        loop {
            let mut cursor = Cursor::new(self.window.bytes(), self.at);
            cursor.space();
            if cursor.at < self.window.bytes().len() {
                let expected = "nothing after the end of the document";
                return Err(Failure::Broken { offset: self.window.offset(cursor.at), expected });
            }
            if !self.window.advance(cursor.at, BLOCK)? {
                return Ok(());
            }
            self.at = 0;
        }
    }

    /// Reads something with a cursor; where the bytes do not suffice, more are fetched and it is read again.
    fn take<T>(&mut self, read: impl Fn(&mut Cursor<'_>) -> Result<T, Stop>) -> Result<T, Failure> {
        loop {
            let mut cursor = Cursor::new(self.window.bytes(), self.at);
            match read(&mut cursor) {
                Ok(value) => {
                    self.at = cursor.at;
                    return Ok(value);
                }
                Err(Stop::End) if self.window.advance(self.at, BLOCK)? => self.at = 0,
                Err(Stop::End) => {
                    let offset = self.window.offset(self.window.bytes().len());
                    return Err(Failure::Broken { offset, expected: "more: the file ends here" });
                }
                Err(Stop::Syntax(syntax)) => {
                    let offset = self.window.offset(syntax.at);
                    return Err(Failure::Broken { offset, expected: syntax.expected });
                }
            }
        }
    }
}

//! An item: one element of an array, read the careful way. What its members are is for the collector to judge.

use std::borrow::Cow;

use super::cursor::{Cursor, Kind, Stop};

/// How many members keep their order; an item with more has no shape to learn.
const MAX_MEMBERS: usize = 24;

/// The members that any collector knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Key {
    ImageId,
    CategoryId,
    Bbox,
    Score,
    Area,
    IsCrowd,
    Id,
    Name,
}

/// Every key with its name.
const KEYS: [(Key, &str); 8] = [
    (Key::ImageId, "image_id"),
    (Key::CategoryId, "category_id"),
    (Key::Bbox, "bbox"),
    (Key::Score, "score"),
    (Key::Area, "area"),
    (Key::IsCrowd, "iscrowd"),
    (Key::Id, "id"),
    (Key::Name, "name"),
];

impl Key {
    pub(crate) fn name(self) -> &'static str {
        KEYS[self as usize].1
    }

    fn of(name: &[u8]) -> Option<Self> {
        let name = match name.contains(&b'\\') {
            true => Cow::Owned(unescape(name)?),
            false => Cow::Borrowed(std::str::from_utf8(name).ok()?),
        };
        KEYS.iter().find(|(_, known)| *known == name).map(|(key, _)| *key)
    }
}

/// A value as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'b> {
    pub(crate) kind: Kind,
    /// Without the quotes, if it is a string.
    pub(crate) text: &'b [u8],
}

/// A member in the order of the file: its key, if it is a known one, and where its value stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) key: Option<Key>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// One element of an array.
#[derive(Debug)]
pub(crate) struct Item<'b> {
    /// What the element is; only an object has members.
    pub(crate) kind: Kind,
    /// From its first byte to behind its last.
    pub(crate) span: (usize, usize),
    members: [Member; MAX_MEMBERS],
    /// How many members there are, also if they are too many to be kept.
    count: usize,
    values: [Option<Value<'b>>; KEYS.len()],
}

impl<'b> Item<'b> {
    /// Reads the element under the cursor. Of two members with one name the later one counts.
    pub(crate) fn read(cursor: &mut Cursor<'b>) -> Result<Self, Stop> {
        let start = cursor.at;
        let kind = cursor.kind()?;
        let members = [Member { key: None, start, end: start }; MAX_MEMBERS];
        let mut item = Self { kind, span: (start, start), members, count: 0, values: [None; KEYS.len()] };
        match kind {
            Kind::Object => item.read_members(cursor)?,
            _ => drop(cursor.value()?),
        }
        item.span.1 = cursor.at;
        Ok(item)
    }

    fn read_members(&mut self, cursor: &mut Cursor<'b>) -> Result<(), Stop> {
        cursor.at += 1;
        cursor.space();
        if cursor.try_eat(b'}')? {
            return Ok(());
        }
        loop {
            cursor.space();
            let key = Key::of(cursor.key()?);
            let start = cursor.at;
            let kind = cursor.value()?;
            self.note(key, kind, start, cursor);
            cursor.space();
            if !cursor.try_eat(b',')? {
                return cursor.eat(b'}', "',' or '}'");
            }
        }
    }

    fn note(&mut self, key: Option<Key>, kind: Kind, start: usize, cursor: &Cursor<'b>) {
        if let Some(key) = key {
            let quotes = usize::from(kind == Kind::Text);
            let text = &cursor.bytes[start + quotes..cursor.at - quotes];
            self.values[key as usize] = Some(Value { kind, text });
        }
        if let Some(member) = self.members.get_mut(self.count) {
            *member = Member { key, start, end: cursor.at };
        }
        self.count += 1;
    }

    /// Its members in order, unless they are too many.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        self.members.get(..self.count)
    }

    /// The value of a member.
    pub(crate) fn get(&self, key: Key) -> Option<Value<'b>> {
        self.values[key as usize]
    }
}

/// The text of a string with its escapes resolved; none if half of a surrogate pair stands alone.
pub(crate) fn unescape(raw: &[u8]) -> Option<String> {
    // Rare enough to leave to the crate that does it right.
    let quoted = [b"\"", raw, b"\""].concat();
    serde_json::from_slice(&quoted).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Item<'_> {
        Item::read(&mut Cursor::new(text.as_bytes(), 0)).unwrap()
    }

    fn text_of(item: &Item<'_>, key: Key) -> Option<String> {
        item.get(key).map(|value| String::from_utf8(value.text.to_vec()).unwrap())
    }

    #[test]
    fn known_members_are_found_in_any_order_and_among_others() {
        let item = read(
            r#"{"x": {"score": 9, "l": [{"bbox": 0}]}, "score": 0.5, "im\u0061ge_id" : "a\"b", "bbox":[1, 2 ,3,4], "score": 1}"#,
        );
        assert_eq!(text_of(&item, Key::Score).as_deref(), Some("1"), "the later one counts");
        assert_eq!(text_of(&item, Key::ImageId).as_deref(), Some(r#"a\"b"#));
        assert_eq!(text_of(&item, Key::Bbox).as_deref(), Some("[1, 2 ,3,4]"));
        assert!(item.get(Key::CategoryId).is_none());
        assert_eq!(item.members().unwrap().len(), 5);
    }

    #[test]
    fn an_element_may_be_anything() {
        assert_eq!(read("[1, {}] ").kind, Kind::Array);
        assert_eq!(read("null ").span, (0, 4));
        assert!(read("{}").members().unwrap().is_empty());
        let many: Vec<String> = (0..30).map(|n| format!("\"k{n}\": {n}")).collect();
        assert!(read(&format!("{{{}}}", many.join(","))).members().is_none());
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(unescape(br"caf\u00e9\n\ud83d\ude00").as_deref(), Some("café\n😀"));
        assert_eq!(unescape(br"\ud83d"), None);
    }
}

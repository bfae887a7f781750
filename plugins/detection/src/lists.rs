//! The lists of a COCO file: its images, and its categories with their names.

use crate::columns::whole;
use crate::ids::Id;
use crate::scan::cursor::Kind;
use crate::scan::item::{Item, Key, unescape};
use crate::scan::part::{Collect, Wrong};

/// The ids of listed images.
#[derive(Debug, Default)]
pub(crate) struct ImageList(pub(crate) Vec<Id>);

/// Listed categories: id and name.
#[derive(Debug, Default)]
pub(crate) struct CategoryList(pub(crate) Vec<(i64, Option<String>)>);

impl Collect for ImageList {
    fn careful(&mut self, _bytes: &[u8], item: &Item<'_>, wrong: &mut Wrong<'_>) {
        let Some(value) = item.get(Key::Id) else {
            return wrong("has no id", None, "an id, a whole number or a string");
        };
        let id = match value.kind {
            Kind::Text => unescape(value.text).map(|name| Id::Name(name.into())),
            _ => whole(value).map(Id::Number),
        };
        match id {
            Some(id) => self.0.push(id),
            None => wrong("has a wrong id", Some(value.text), "a whole number or a string"),
        }
    }
}

impl Collect for CategoryList {
    fn careful(&mut self, _bytes: &[u8], item: &Item<'_>, wrong: &mut Wrong<'_>) {
        let name = item.get(Key::Name).filter(|name| name.kind == Kind::Text).and_then(|name| unescape(name.text));
        match item.get(Key::Id) {
            None => wrong("has no id", None, "an id, a whole number"),
            Some(value) => match whole(value) {
                Some(id) => self.0.push((id, name)),
                None => wrong("has a wrong id", Some(value.text), "a whole number"),
            },
        }
    }
}

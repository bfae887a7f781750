//! Columns: the boxes of a file, ground truth or predictions, one array for each of their members.

use crate::ids::{Categories, Images};
use crate::scan::cursor::{Cursor, Kind};
use crate::scan::item::{Item, Key, Value, unescape};
use crate::scan::part::{Collect, Wrong};
use crate::scan::shape::{ImageId, Row, Shape};

/// The boxes of a stretch of a file. Images and categories are codes into lists of their own.
#[derive(Debug, Default)]
pub(crate) struct Columns<const TRUTH: bool> {
    pub(crate) images: Images,
    pub(crate) categories: Categories,
    pub(crate) image: Vec<u32>,
    pub(crate) category: Vec<u32>,
    /// x, y, width, height.
    pub(crate) bbox: Vec<[f64; 4]>,
    /// The confidence of a prediction, the area of a true box.
    pub(crate) weight: Vec<f64>,
    /// Whether a true box stands for a crowd; empty for predictions.
    pub(crate) crowd: Vec<bool>,
    /// The annotation's own id, where it has one; empty for predictions.
    pub(crate) id: Vec<Option<i64>>,
    shapes: Vec<Shape>,
}

/// True boxes.
pub(crate) type Truths = Columns<true>;

/// Predicted boxes.
pub(crate) type Predictions = Columns<false>;

/// Items of more shapes than this are read the careful way.
const MAX_SHAPES: usize = 4;

const TRUTH_KEYS: [Key; 6] = [Key::ImageId, Key::CategoryId, Key::Bbox, Key::Area, Key::IsCrowd, Key::Id];
const PREDICTION_KEYS: [Key; 4] = [Key::ImageId, Key::CategoryId, Key::Bbox, Key::Score];

impl<const TRUTH: bool> Collect for Columns<TRUTH> {
    fn expect(&mut self, items: usize) {
        // A quarter more, so that a few shorter items do not move everything.
        let items = items + items / 4;
        self.image.reserve(items);
        self.category.reserve(items);
        self.bbox.reserve(items);
        self.weight.reserve(items);
        if TRUTH {
            self.crowd.reserve(items);
            self.id.reserve(items);
        }
    }

    #[inline]
    fn quick(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let (row, end) = self.shapes.iter().find_map(|shape| shape.read(bytes, at))?;
        if !is_box(&row.bbox) || !is_area(row.area.unwrap_or_default()) || !is_score(row.score) {
            return None;
        }
        self.push(&row);
        Some(end)
    }

    fn careful(&mut self, bytes: &[u8], item: &Item<'_>, wrong: &mut Wrong<'_>) {
        let mut name = String::new();
        if let Some(row) = judge::<TRUTH>(item, &mut name, wrong) {
            self.push(&row);
            if self.shapes.len() < MAX_SHAPES {
                let wanted: &[Key] = if TRUTH { &TRUTH_KEYS } else { &PREDICTION_KEYS };
                self.shapes.extend(Shape::learn(bytes, item, wanted));
            }
        }
    }
}

impl<const TRUTH: bool> Columns<TRUTH> {
    #[inline]
    fn push(&mut self, row: &Row<'_>) {
        self.image.push(self.images.code(row.image));
        self.category.push(self.categories.code(row.category));
        self.bbox.push(row.bbox);
        if TRUTH {
            self.weight.push(row.area.unwrap_or(row.bbox[2] * row.bbox[3]));
            self.crowd.push(row.crowd);
            self.id.push(row.id);
        } else {
            // Minus zero and zero are one score.
            self.weight.push(row.score + 0.0);
        }
    }
}

/// The row of an item, or everything that is wrong with it. `name` holds an image name that has escapes.
fn judge<'a, const TRUTH: bool>(item: &Item<'a>, name: &'a mut String, wrong: &mut Wrong<'_>) -> Option<Row<'a>> {
    let mut row: Row<'a> = Row::EMPTY;
    let mut fine = true;
    let mut check = |found: Option<()>| fine &= found.is_some();
    check(image(item, name, wrong).map(|id| row.image = id));
    check(need(item, Key::CategoryId, wrong).and_then(|value| {
        whole(value).or_else(|| tell(Key::CategoryId, value, "a whole number", wrong)).map(|id| row.category = id)
    }));
    check(need(item, Key::Bbox, wrong).and_then(|value| {
        let sides = sides(value).filter(is_box);
        sides.or_else(|| tell(Key::Bbox, value, BOX, wrong)).map(|sides| row.bbox = sides)
    }));
    if TRUTH {
        check(area(item, wrong).map(|area| row.area = area));
        check(crowd(item, wrong).map(|crowd| row.crowd = crowd));
        row.id = item.get(Key::Id).and_then(whole);
    } else {
        check(need(item, Key::Score, wrong).and_then(|value| {
            let score = number(value).filter(|score| is_score(*score));
            score.or_else(|| tell(Key::Score, value, "a number from 0 to 1", wrong)).map(|score| row.score = score)
        }));
    }
    fine.then_some(row)
}

const BOX: &str = "[x, y, width, height], four finite numbers, the last two not negative";

fn image<'a>(item: &Item<'a>, name: &'a mut String, wrong: &mut Wrong<'_>) -> Option<ImageId<'a>> {
    let value = need(item, Key::ImageId, wrong)?;
    let id = match value.kind {
        Kind::Text if value.text.contains(&b'\\') => unescape(value.text).map(|text| {
            *name = text;
            ImageId::Name(name)
        }),
        Kind::Text => std::str::from_utf8(value.text).ok().map(ImageId::Name),
        _ => whole(value).map(ImageId::Number),
    };
    id.or_else(|| tell(Key::ImageId, value, "a whole number or a string", wrong))
}

fn area(item: &Item<'_>, wrong: &mut Wrong<'_>) -> Option<Option<f64>> {
    let Some(value) = item.get(Key::Area) else { return Some(None) };
    let area = number(value).filter(|area| is_area(*area)).map(Some);
    area.or_else(|| tell(Key::Area, value, "a finite number, not negative", wrong))
}

fn crowd(item: &Item<'_>, wrong: &mut Wrong<'_>) -> Option<bool> {
    let Some(value) = item.get(Key::IsCrowd) else { return Some(false) };
    match value.text {
        b"0" | b"false" if value.kind != Kind::Text => Some(false),
        b"1" | b"true" if value.kind != Kind::Text => Some(true),
        _ => tell(Key::IsCrowd, value, "0 or 1", wrong),
    }
}

fn need<'b>(item: &Item<'b>, key: Key, wrong: &mut Wrong<'_>) -> Option<Value<'b>> {
    let value = item.get(key);
    if value.is_none() {
        wrong(&format!("has no {}", key.name()), None, "image_id, category_id, bbox, and a score for predictions");
    }
    value
}

fn tell<T>(key: Key, value: Value<'_>, expected: &'static str, wrong: &mut Wrong<'_>) -> Option<T> {
    let quoted = [b"\"", value.text, b"\""].concat();
    let found = if value.kind == Kind::Text { &quoted } else { value.text };
    wrong(&format!("has a wrong {}", key.name()), Some(found), expected);
    None
}

pub(crate) fn whole(value: Value<'_>) -> Option<i64> {
    if value.kind != Kind::Number {
        return None;
    }
    std::str::from_utf8(value.text).ok()?.parse().ok()
}

fn number(value: Value<'_>) -> Option<f64> {
    if value.kind != Kind::Number {
        return None;
    }
    std::str::from_utf8(value.text).ok()?.parse().ok()
}

/// Exactly four numbers in brackets.
fn sides(value: Value<'_>) -> Option<[f64; 4]> {
    if value.kind != Kind::Array {
        return None;
    }
    let mut sides = [0.0; 4];
    let mut cursor = Cursor::new(value.text, 1);
    for (place, side) in sides.iter_mut().enumerate() {
        cursor.space();
        let start = cursor.at;
        let kind = cursor.value().ok()?;
        *side = number(Value { kind, text: &value.text[start..cursor.at] })?;
        cursor.space();
        cursor.eat(if place < 3 { b',' } else { b']' }, "").ok()?;
    }
    Some(sides)
}

/// Finite, also where its far corner and its area are concerned, and not turned inside out.
#[inline]
fn is_box([x, y, width, height]: &[f64; 4]) -> bool {
    let reach = (x + width).abs() + (y + height).abs() + x.abs() + y.abs() + width * height;
    *width >= 0.0 && *height >= 0.0 && reach.is_finite()
}

#[inline]
fn is_area(area: f64) -> bool {
    area >= 0.0 && area.is_finite()
}

#[inline]
fn is_score(score: f64) -> bool {
    (0.0..=1.0).contains(&score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::scan::array::Array;
    use crate::scan::source::Source;
    use autoscorer_plugin_api::parallel::Workers;
    use proptest::prelude::*;

    /// Takes every item the careful way.
    #[derive(Default)]
    struct Careful(Predictions);

    impl Collect for Careful {
        fn careful(&mut self, bytes: &[u8], item: &Item<'_>, wrong: &mut Wrong<'_>) {
            self.0.careful(bytes, item, wrong);
        }
    }

    fn read<C: Collect>(text: &str) -> Result<Array<C>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), text).unwrap();
        let source = Source::open(folder.path(), "f").unwrap();
        Array::read(&source, 1, Workers::new(1)).map_err(|failure| format!("{failure:?}"))
    }

    /// The rows of all parts, with ids in place of codes and numbers by their bits.
    type Plain = Vec<(Id, i64, [u64; 4], u64)>;

    fn rows<'c>(parts: impl Iterator<Item = &'c Predictions>) -> Plain {
        parts.flat_map(|part| (0..part.image.len()).map(|row| plain(part, row))).collect()
    }

    fn plain(part: &Predictions, row: usize) -> (Id, i64, [u64; 4], u64) {
        (
            part.images.list[part.image[row] as usize].clone(),
            part.categories.list[part.category[row] as usize],
            part.bbox[row].map(f64::to_bits),
            part.weight[row].to_bits(),
        )
    }

    fn messages(text: &str) -> Vec<String> {
        let array = read::<Predictions>(text).unwrap();
        array
            .problems
            .list
            .iter()
            .map(|problem| format!("{} {}: {:?}", problem.index, problem.message, problem.found))
            .collect()
    }

    #[test]
    fn everything_wrong_with_an_item_is_told() {
        let text = r#"[{"image_id": 1.5, "category_id": "a", "bbox": [1, 2, -3, 4], "score": 2}, 7, {},
            {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1},
            {"image_id": true, "category_id": 1e2, "bbox": [1, 2, 3, 4, 5], "score": "0.5"},
            {"image_id": "\ud800", "category_id": 99999999999999999999, "bbox": ["1", 2, 3, 4], "score": 1e999},
            {"image_id": 1, "category_id": 1, "bbox": [1e308, 2, 1e308, 4], "score": -0.1}]"#;
        insta::assert_snapshot!(messages(text).join("\n"));
    }

    #[test]
    fn true_boxes_may_have_an_area_and_be_crowds() {
        let text = r#"[{"image_id": "a\u0062", "category_id": -1, "bbox": [0, 0, 4, 5]},
            {"image_id": "ab", "category_id": 0, "bbox": [0, 0, 4, 5], "area": 7.5, "iscrowd": 1, "id": 0},
            {"image_id": "ab", "category_id": 0, "bbox": [0, 0, 4, 5], "iscrowd": true, "area": null},
            {"image_id": "ab", "category_id": 0, "bbox": [0, 0, 4, 5], "iscrowd": "1", "area": -1}]"#;
        let array = read::<Truths>(text).unwrap();
        let part = &array.parts[0];
        assert_eq!(part.images.list, [Id::Name("ab".into())]);
        assert_eq!((&part.weight, &part.crowd), (&vec![20.0, 7.5], &vec![false, true]));
        assert_eq!(part.id, [None, Some(0)]);
        let found: Vec<_> =
            array.problems.list.iter().map(|problem| (problem.index, problem.message.as_str())).collect();
        assert_eq!(found, [(2, "has a wrong area"), (3, "has a wrong area"), (3, "has a wrong iscrowd")]);
    }

    #[test]
    fn alike_items_are_read_at_a_glance() {
        let item =
            |n: i32| format!(r#"{{"image_id": {n}, "category_id": 3, "bbox": [1.5, 2, {n}, 4e1], "score": 0.25}}"#);
        let mut columns = Predictions::default();
        let text = format!("{},{},{}", item(1), item(-22), item(333)) + &" ".repeat(64);
        let mut cursor = Cursor::new(text.as_bytes(), 0);
        assert_eq!(columns.quick(text.as_bytes(), 0), None, "nothing is learnt yet");
        let first = Item::read(&mut cursor).unwrap();
        columns.careful(text.as_bytes(), &first, &mut |_, _, _| panic!("it is right"));
        assert_eq!(columns.quick(text.as_bytes(), first.span.1 + 1), None, "a negative width is no box");
        let third = text.rfind('{').unwrap();
        assert!(columns.quick(text.as_bytes(), third).is_some());
        assert_eq!(columns.bbox, [[1.5, 2.0, 1.0, 40.0], [1.5, 2.0, 333.0, 40.0]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Items of a few layouts, some of them broken: the quick way and the careful way see the same.
        #[test]
        fn the_quick_way_sees_what_the_careful_way_sees(
            items in prop::collection::vec((0..9usize, prop::sample::select(vec!["1", "-7", "2.50", "0.1", "1e1", "12345678.9", "0",
                "283.05999755859375", "01", "1.", "-", "nan", "\"1\"", "1e999", "999999999999999999999"]), 0..200i64), 0..12)
        ) {
            let item = |(layout, number, image): &(usize, &str, i64)| match layout {
                0..=2 => format!(r#"{{"image_id": {image}, "category_id": 1, "bbox": [1, 2, {number}, 4], "score": 0.5}}"#),
                3 => format!(r#"{{"image_id": "n{image}", "category_id": 1, "bbox": [1, 2, 3, 4], "score": {number}}}"#),
                4 => format!(r#"{{"score":0.5,"x":[{number},{{}}],"bbox":[{number},2,3,4],"category_id":{image},"image_id":1}}"#),
                5 => format!(r#"{{"image_id": {number}, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}}"#),
                6 => format!(r#"{{"image_id": 1, "category_id": {number}, "bbox": [1, 2, 3, 4], "score": 0.5, "score": 1}}"#),
                7 => format!(r#"{{"image_id": "é\"{image}", "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}}"#),
                _ => format!(r#"{{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3], "score": {number}}}"#),
            };
            let text = format!("[{}]{}", items.iter().map(item).collect::<Vec<_>>().join(", "), " ".repeat(32));
            match (read::<Predictions>(&text), read::<Careful>(&text)) {
                (Ok(quick), Ok(careful)) => {
                    prop_assert_eq!(rows(quick.parts.iter()), rows(careful.parts.iter().map(|part| &part.0)));
                    prop_assert_eq!(quick.problems, careful.problems);
                    prop_assert_eq!(quick.items, careful.items);
                    prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok(), "{}", text);
                }
                (quick, careful) => prop_assert_eq!(quick.err(), careful.err(), "{}", text),
            }
        }
    }
}

//! An array of items, read by several threads at once and joined in order.
//!
//! The array is cut into stretches of a fixed length, and each stretch is read from the first place that looks like the
//! beginning of an item. The first stretch begins where the array begins, so its end is certain; a later one counts only if
//! the stretch before it ended exactly where it began, and is read again from there otherwise. So the result is that of reading
//! from the beginning to the end, whatever strings and nested values the file holds and however many threads there are.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use autoscorer_plugin_api::parallel::Workers;

use super::chain::Chain;
use super::part::{self, Collect};
use super::problem::Problems;
use super::source::Source;

/// The length of a stretch: little enough to stay in a core's cache.
const STRETCH: u64 = 1 << 20;

/// All items of an array.
#[derive(Debug)]
pub(crate) struct Array<C> {
    /// The items in order.
    pub(crate) parts: Vec<C>,
    pub(crate) items: u64,
    pub(crate) problems: Problems,
    /// The offset after the closing bracket.
    pub(crate) end: u64,
}

/// Why a file could not be read to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    Unreadable(io::Error),
    /// What stands at this offset is no JSON.
    Broken {
        offset: u64,
        expected: &'static str,
    },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl<C: Collect> Array<C> {
    /// Reads the array whose items begin at this offset, behind the bracket.
    pub(crate) fn read(source: &Source, start: u64, workers: Workers) -> Result<Self, Failure> {
        Self::read_in_stretches(source, start, workers, STRETCH)
    }

    fn read_in_stretches(source: &Source, start: u64, workers: Workers, length: u64) -> Result<Self, Failure> {
        let stretches = source.length.saturating_sub(start).div_ceil(length).max(1);
        let chain = Mutex::new(Chain::new(source, start, length));
        let next = AtomicU64::new(0);
        workers.at_most(stretches as usize).run(|| {
            let mut buffer = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= stretches || lock(&chain).is_done() {
                    return;
                }
                let (from, limit) = (start + number * length, start + (number + 1) * length);
                let supposed = match number {
                    0 => part::read(source, start, true, limit, &mut buffer).map(Some),
                    _ => part::suppose(source, from, limit, &mut buffer),
                };
                lock(&chain).add(number, supposed, &mut buffer);
            }
        });
        chain.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

fn lock<C>(chain: &Mutex<C>) -> MutexGuard<'_, C> {
    // A thread that panicked takes the whole job with it; what it left behind is not looked at.
    chain.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::item::{Item, Key};
    use crate::scan::part::Wrong;
    use proptest::prelude::*;
    use std::io::Write;

    /// Collects the texts of the members `id`.
    #[derive(Debug, Default, PartialEq)]
    struct Texts(Vec<String>);

    impl Collect for Texts {
        fn careful(&mut self, _bytes: &[u8], item: &Item<'_>, wrong: &mut Wrong<'_>) {
            match item.get(Key::Id) {
                Some(value) => self.0.push(String::from_utf8_lossy(value.text).into_owned()),
                None => wrong("has no id", None, "an id"),
            }
        }
    }

    fn source(text: &str) -> Source {
        let folder = tempfile::tempdir().unwrap();
        std::fs::File::create(folder.path().join("f")).unwrap().write_all(text.as_bytes()).unwrap();
        Source::open(folder.path(), "f").unwrap()
    }

    /// What comes out, in comparable form.
    fn read(text: &str, length: u64, threads: usize) -> Result<(Vec<String>, u64, Problems), String> {
        let array = Array::<Texts>::read_in_stretches(&source(text), 1, Workers::new(threads), length);
        let array = array.map_err(|failure| format!("{failure:?}"))?;
        Ok((array.parts.into_iter().flat_map(|part| part.0).collect(), array.end, array.problems))
    }

    #[test]
    fn strings_and_nested_values_that_look_like_items_do_not_mislead() {
        let items: Vec<String> = (0..40)
            .map(|n| format!(r#"{{"id": {n}, "t": "}}, {{ \"id\": 7 }},{{", "l": [{{"id": 1}}, {{"id": 2}}]}}"#))
            .collect();
        let text = format!("[{}]", items.join(", "));
        let expected: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        for length in [1, 3, 17, 64, 100, 1000, 100_000] {
            let (ids, end, _) = read(&text, length, 2).unwrap();
            assert_eq!((ids, end), (expected.clone(), text.len() as u64), "stretches of {length}");
        }
    }

    #[test]
    fn an_array_ends_where_it_ends() {
        assert_eq!(read("[] , {\"id\": 1}]", 3, 2).unwrap(), (vec![], 2, Problems::default()));
        assert_eq!(read("[{\"id\": 1} ] {\"id\": 2}", 5, 2).unwrap().1, 12);
        for wrong in ["[", "[{\"id\": 1}", "[{\"id\": 1},]", "[{\"id\": 1} {\"id\": 2}]", "[,]", "[{\"id\": 1}}"] {
            assert!(read(wrong, 4, 2).is_err(), "{wrong}");
        }
    }

    #[test]
    fn problems_have_their_index_in_the_whole_array() {
        let text = format!(
            "[{}]",
            (0..50).map(|n| if n % 20 == 7 { "{}" } else { r#"{"id":0}"# }).collect::<Vec<_>>().join(",")
        );
        for length in [10, 33, 1000] {
            let (_, _, problems) = read(&text, length, 2).unwrap();
            assert_eq!(problems.list.iter().map(|problem| problem.index).collect::<Vec<_>>(), [7, 27, 47]);
            assert_eq!(&text[problems.list[1].offset as usize..][..2], "{}");
        }
    }

    proptest! {
        #[test]
        fn neither_stretches_nor_threads_change_anything(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["{\"id\":1}", "{\"id\": \"},{\"}", ",", ", ", "{}", "[{},{}]", "\n", "3", "\"", "]"]), 0..12),
            length in 1u64..40,
            threads in 1usize..4,
        ) {
            let text = format!("[{}]", pieces.concat());
            prop_assert_eq!(read(&text, length, threads), read(&text, 1000, 1), "{}", text);
        }
    }
}

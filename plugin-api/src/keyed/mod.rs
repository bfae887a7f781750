//! A keyed file: ids with one value each, read from CSV in one pass and joined with another by id, for files of any size.
//!
//! The way here accepts files without faults and nothing else. Whatever looks odd to it is given to [`Table`], which finds
//! every fault with its line, or has the last word that there is none: what is fast stays simple, and what is slow explains.
//!
//! Data moves forward: [`blocks`] reads, [`scan`] finds the cells of each row, [`ids`] and [`values`] keep them under
//! [`key`]s, [`join`] brings two files together, and [`pair`] is all of that for ground truth and predictions.

mod blocks;
mod ids;
mod join;
mod key;
mod pair;
mod scan;
mod values;

pub use ids::Ids;
pub use join::NONE;
pub(crate) use join::join;
pub use pair::{Missing, Pair};
pub use values::{Labels, Numbers, Values};

use crate::context::Watch;
use crate::error::{ErrorCode, ScoreError};
use crate::table::Table;
use blocks::Blocks;
use scan::{Layout, Odd, Scanner};

/// Which columns of a file are read.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'c> {
    /// The column with the row's id.
    pub id: &'c str,
    /// The column with its value: the first of these that the header has.
    pub value: &'c [&'c str],
}

/// A CSV file whose rows have unique, non-empty ids and one value each.
#[derive(Debug)]
pub struct Keyed<V> {
    /// The id of each row.
    pub ids: Ids,
    /// The value of each row.
    pub values: V,
    /// The column that the values were found in.
    pub column: String,
}

impl<V: Values> Keyed<V> {
    /// Reads a file, or gives up on it at the first thing that is odd.
    fn read_clean(mut blocks: Blocks, columns: Columns<'_>, watch: Watch<'_>) -> Result<Option<Self>, ScoreError> {
        let Some((layout, column)) = Layout::find(&mut blocks, columns)? else { return Ok(None) };
        let mut scanner = Scanner::new(layout);
        let mut keyed = Self::with_capacity(blocks.lines_ahead(), column);
        loop {
            watch.check()?;
            let read = scanner.scan(blocks.bytes(), blocks.at_end(), |id, value| {
                keyed.ids.push(id)?;
                keyed.values.push(value)
            });
            match read {
                Ok(length) if simdutf8::basic::from_utf8(&blocks.bytes()[..length]).is_ok() => blocks.take(length),
                _ => return Ok(None),
            }
            if !blocks.refill()? {
                break;
            }
        }
        Ok(Some(keyed).filter(|keyed| keyed.ids.rows() > 0))
    }

    fn with_capacity(rows: usize, column: &str) -> Self {
        Self { ids: Ids::with_capacity(rows), values: V::with_capacity(rows), column: column.to_owned() }
    }

    /// The same from a table that has been read and checked.
    fn of(table: &Table<'_>) -> Result<Self, ScoreError> {
        let column = table.column(0);
        let mut values = V::with_capacity(table.rows());
        column.iter().try_for_each(|cell| values.push(cell.as_bytes())).map_err(|Odd| {
            let message = format!("{} has a cell in column '{}' that cannot be kept", table.name(), column.name());
            ScoreError::new(ErrorCode::ScoreError, message).file(table.name())
        })?;
        Ok(Self { ids: Ids::of(table)?, values, column: column.name().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::faults::Faults;
    use crate::testing::Workspace;
    use proptest::prelude::*;

    const COLUMNS: Columns<'_> = Columns { id: "id", value: &["label"] };

    /// What the fast way reads, in blocks of a size: ids and labels by row.
    fn clean(text: &str, block: usize) -> Option<Vec<(String, String)>> {
        let workspace = Workspace::new().file("pred.csv", text);
        let blocks = Blocks::of_size(workspace.path(), "pred.csv", block).unwrap();
        let watch = Context::idle(workspace.path(), None).watch();
        let keyed = Keyed::<Labels>::read_clean(blocks, COLUMNS, watch).unwrap()?;
        let rows: Vec<u32> = (0..keyed.ids.rows() as u32).collect();
        let names = keyed.values.names();
        let labels = keyed.values.codes().iter().map(|code| names[*code as usize].to_owned());
        Some(keyed.ids.of_rows(&rows).into_iter().zip(labels).collect())
    }

    /// What the careful way reads.
    fn careful(text: &str) -> Result<Vec<(String, String)>, Faults> {
        let table = Table::parse("pred.csv", text.strip_prefix('\u{feff}').unwrap_or(text), "id", &["label"])?;
        Ok(table.ids().iter().map(str::to_owned).zip(table.column(0).iter().map(str::to_owned)).collect())
    }

    #[test]
    fn ordinary_files_are_read_the_fast_way_whatever_the_blocks() {
        let files = [
            "id,label\n1,a\n2,b\n",
            "\u{feff}id,label\r\n1,a\r\n\r\n2,b",
            "\n\nlabel,more,id\n\"a, \"\"b\"\"\nc\",x,1\n\n d ,\"\",\"02\"",
            "id,label\n\"an id that is longer than sixteen bytes\",5\" pipe\n\"\"\"\",\"\"\"\"\n",
        ];
        for text in files {
            for block in 1..text.len() + 2 {
                assert_eq!(clean(text, block), careful(text).ok(), "{text:?} in blocks of {block}");
            }
        }
    }

    #[test]
    fn odd_files_are_left_to_the_careful_way() {
        let faults =
            ["", "id,label\n", "id,label\n1\n", "id,label\n1,a,b\n", "id,label\n,a\n", "id,label\n1,\u{3000}\n"];
        let rare = [
            "id,label\r1,a\r",
            "id,label\n1,\"a\" b\n",
            "id,label\n1,a\rb,c\n",
            "id,id,label\n1,2,a\n",
            "id,label\n1,\"a\n",
        ];
        for text in faults.into_iter().chain(rare) {
            assert_eq!(clean(text, 64), None, "{text:?}");
        }
    }

    #[test]
    fn a_block_that_is_no_utf_8_is_odd() {
        let workspace = Workspace::new().file("pred.csv", b"id,label\n1,caf\xe9\n");
        let blocks = Blocks::open(workspace.path(), "pred.csv").unwrap();
        let watch = Context::idle(workspace.path(), None).watch();
        assert!(Keyed::<Labels>::read_clean(blocks, COLUMNS, watch).unwrap().is_none());
    }

    proptest! {
        #[test]
        fn what_the_fast_way_accepts_is_what_the_careful_way_reads(text in "[\",\r\n a-cé]{0,40}", block in 1..50usize) {
            let text = format!("id,label\n{text}");
            if let Some(rows) = clean(&text, block) {
                match careful(&text) {
                    Ok(expected) => prop_assert_eq!(rows, expected),
                    // Ids that are there twice are found by the join.
                    Err(faults) => prop_assert!(faults.list.iter().all(|fault| fault.code == ErrorCode::Mismatch)),
                }
            }
        }

        #[test]
        fn what_a_csv_writer_writes_is_read_the_fast_way(labels in prop::collection::vec("[ -~é\n]*[a-z]", 1..12), block in 1..80usize) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["id", "label"]).unwrap();
            for (id, label) in labels.iter().enumerate() {
                writer.write_record([&id.to_string(), label]).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let expected = labels.into_iter().enumerate().map(|(id, label)| (id.to_string(), label)).collect();
            prop_assert_eq!(clean(&text, block), Some(expected));
        }
    }
}

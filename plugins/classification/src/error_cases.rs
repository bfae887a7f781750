//! The rows that were given a wrong label, most frequent mistakes first, as a table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use autoscorer_plugin_api::prelude::*;

use crate::confusion::{Cell, Confusion, numbers};
use crate::input::Input;

/// How many characters of an id or a label are listed.
const LONGEST: usize = 1_000;

/// The mistakes that are listed, each with its row.
pub(crate) struct ErrorCases<'c> {
    confusion: &'c Confusion<'c>,
    cases: Vec<(u32, Cell)>,
}

impl<'c> ErrorCases<'c> {
    /// Lists at most `most` rows: those of the most frequent mistake first, each mistake's in the order of the ground truth.
    pub(crate) fn of(input: &Input, confusion: &'c Confusion<'c>, most: usize) -> Self {
        let mut mistakes: Vec<Cell> =
            confusion.cells.iter().filter(|cell| cell.guess != Some(cell.truth)).copied().collect();
        mistakes.sort_by_key(|cell| (std::cmp::Reverse(cell.count), cell.truth, cell.guess));
        let mut room = most as u64;
        let mut wanted: HashMap<(u32, Option<u32>), (usize, u64)> = HashMap::new();
        for (place, cell) in mistakes.iter().enumerate() {
            let listed = cell.count.min(room);
            if listed == 0 {
                break;
            }
            wanted.insert((cell.truth, cell.guess), (place, listed));
            room -= listed;
        }
        let truths = numbers(&confusion.labels, &input.true_names());
        let guesses = numbers(&confusion.labels, &input.guessed_names());
        let mut cases = Vec::new();
        for (row, (truth, guess)) in input.codes().enumerate() {
            let (truth, guess) = (truths[truth as usize], guess.map(|guess| guesses[guess as usize]));
            if guess == Some(truth) {
                continue;
            }
            if let Some((place, left)) = wanted.get_mut(&(truth, guess)).filter(|(_, left)| *left > 0) {
                *left -= 1;
                cases.push((*place, row as u32));
            }
        }
        cases.sort_unstable();
        Self { confusion, cases: cases.into_iter().map(|(place, row)| (row, mistakes[place])).collect() }
    }

    /// Writes the table.
    pub(crate) fn write(&self, ctx: &Context<'_>, input: &Input) -> Result<(), ScoreError> {
        let rows: Vec<u32> = self.cases.iter().map(|(row, _)| *row).collect();
        let ids = input.ids(&rows);
        ctx.artifact("error_cases.csv", "text/csv", |file| self.write_rows(file, &ids))
    }

    fn write_rows(&self, file: &mut dyn Write, ids: &[String]) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(["id", "label", "predicted", "same_mistake"])?;
        let name = |label: u32| self.confusion.labels[label as usize];
        for (id, (_, cell)) in ids.iter().zip(&self.cases) {
            let cells = [id.as_str(), name(cell.truth), cell.guess.map_or("", name)].map(shortened);
            writer.write_record(cells.iter().map(Cow::as_ref).chain([cell.count.to_string().as_str()]))?;
        }
        writer.flush()
    }
}

/// The beginning of a text that is endless: a table of wrong rows must not outgrow the files.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_endless_texts_are_cut() {
        assert_eq!(shortened("東京"), "東京");
        assert_eq!(shortened(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
        assert_eq!(shortened(&"é".repeat(5_000_000)).chars().count(), LONGEST + 1);
    }
}

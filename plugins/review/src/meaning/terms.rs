//! The terms of a text: identifiers split into words, words brought to their stem, words that say nothing left out.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use super::stem::stem;

/// Words that are in every review and tell no two apart.
const COMMON: &str = "a about all also an and any are as at be been being but by can consider could current currently do does for \
    from had has have here how i if in instead into is it its just may might more must need nit not now of on \
    one only or other please rather same should so some such than that the their them then there these they \
    this to too use was we were what when where which while will with would you";

static COMMON_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());

/// The terms of a text, each once.
pub(crate) fn terms(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    let mut word = Word::default();
    for c in text.chars() {
        if is_ideograph(c) {
            word.end(&mut terms);
            terms.insert(c.to_string());
        } else if c.is_alphanumeric() {
            word.push(c, &mut terms);
        } else {
            word.end(&mut terms);
        }
    }
    word.end(&mut terms);
    terms
}

/// A word that is being read. `parseHTTPBody2` is four words.
#[derive(Default)]
struct Word {
    letters: Vec<char>,
}

impl Word {
    fn push(&mut self, c: char, terms: &mut BTreeSet<String>) {
        if let Some(last) = self.letters.last().copied() {
            let rises = last.is_lowercase() && c.is_uppercase();
            let between = last.is_numeric() != c.is_numeric();
            let acronym_ends = self.letters.len() > 1
                && c.is_lowercase()
                && last.is_uppercase()
                && self.letters[self.letters.len() - 2].is_uppercase();
            if acronym_ends {
                self.letters.pop();
                self.end(terms);
                self.letters.push(last);
            } else if rises || between {
                self.end(terms);
            }
        }
        self.letters.push(c);
    }

    fn end(&mut self, terms: &mut BTreeSet<String>) {
        let word: String = self.letters.drain(..).flat_map(char::to_lowercase).collect();
        if !word.is_empty() && !COMMON_WORDS.contains(word.as_str()) {
            terms.insert(stem(&word));
        }
    }
}

/// Scripts without spaces: every sign is a term.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        terms(text).into_iter().collect()
    }

    #[test]
    fn identifiers_are_words() {
        assert_eq!(of("parseHTTPBody2, max_retry_count"), ["2", "bodi", "count", "http", "max", "pars", "retri"]);
    }

    #[test]
    fn ideographs_stand_alone_and_common_words_fall_away() {
        assert_eq!(of("空指针 is the null"), ["null", "指", "空", "针"]);
    }
}

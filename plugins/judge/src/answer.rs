//! An answer: what a judge wrote, read strictly. What says neither yes nor no, or both, has no verdict.

use serde_json::{Map, Value};

use crate::words;

/// What a judge wrote, understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    /// Whether the two comments mean the same, if the answer says so.
    pub same: Option<bool>,
    pub confidence: Option<f64>,
    pub reason: Option<String>,
    /// The whole of it, thoughts included.
    pub raw: Option<String>,
}

/// A reason longer than this is cut.
const LONGEST_REASON: usize = 600;
/// And so is an answer.
const LONGEST_ANSWER: usize = 4_096;

/// Members that may hold the verdict, in lower case and without underscores.
const VERDICTS: [&str; 12] = [
    "same",
    "issame",
    "similar",
    "issimilar",
    "equivalent",
    "isequivalent",
    "match",
    "answer",
    "verdict",
    "result",
    "decision",
    "相同",
];

impl Answer {
    /// Reads an answer: first without the model's thoughts, then as JSON wherever it stands, else as words.
    pub(crate) fn read(whole: &str) -> Self {
        let (text, raw) = (without_thoughts(whole), cut_to(LONGEST_ANSWER, whole));
        let (objects, prose) = split_objects(text);
        let told: Vec<bool> = objects.iter().filter_map(told).collect();
        if let Some(object) = objects.iter().find(|object| told_in(object)) {
            let confidence = object.get("confidence").and_then(Value::as_f64).filter(|c| (0.0..=1.0).contains(c));
            let reason = ["reason", "explanation"].iter().find_map(|name| object.get(*name)?.as_str()).and_then(cut);
            return Self { same: agreed(&told).filter(|_| told.len() == known(&objects)), confidence, reason, raw };
        }
        // Words inside of a broken object are no sentence.
        let same = if text.starts_with('{') { None } else { words::read(&prose) };
        Self { same, confidence: None, reason: cut(text), raw }
    }
}

/// The text behind the model's thoughts. Thoughts that never end leave nothing; some servers leave out where they begin.
fn without_thoughts(text: &str) -> &str {
    let mut rest = text;
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")] {
        if let Some(end) = rest.rfind(close) {
            rest = &rest[end + close.len()..];
        }
        if let Some(start) = rest.find(open) {
            rest = &rest[..start];
        }
    }
    rest.trim()
}

/// The JSON objects in a text, and what stands around them.
fn split_objects(text: &str) -> (Vec<Map<String, Value>>, String) {
    let (mut objects, mut prose, mut rest) = (Vec::new(), String::new(), text);
    while let Some(start) = rest.find('{') {
        let mut values = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<Map<String, Value>>();
        let length = match values.next() {
            Some(Ok(object)) => {
                objects.push(object);
                values.byte_offset()
            }
            _ => 1,
        };
        prose.push_str(&rest[..start]);
        prose.push('\n');
        rest = &rest[start + length..];
    }
    prose.push_str(rest);
    (objects, prose)
}

/// The verdicts among an object's members.
fn verdicts(object: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let is_verdict = |name: &str| VERDICTS.contains(&name.to_lowercase().replace(['_', '-', ' '], "").as_str());
    object.iter().filter(move |(name, _)| is_verdict(name)).map(|(_, value)| value)
}

fn told_in(object: &Map<String, Value>) -> bool {
    verdicts(object).next().is_some()
}

fn known(objects: &[Map<String, Value>]) -> usize {
    objects.iter().filter(|object| told_in(object)).count()
}

/// What an object says; nothing if its members disagree or one of them cannot be read.
fn told(object: &Map<String, Value>) -> Option<bool> {
    let told: Option<Vec<bool>> = verdicts(object).map(meaning).collect();
    agreed(&told?)
}

fn meaning(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(same) => Some(*same),
        Value::Number(number) => {
            [(0, false), (1, true)].iter().find(|(n, _)| number.as_i64() == Some(*n)).map(|(_, s)| *s)
        }
        Value::String(text) => words::read(text),
        Value::Object(object) => told(object),
        Value::Null | Value::Array(_) => None,
    }
}

fn agreed(told: &[bool]) -> Option<bool> {
    told.first().copied().filter(|first| told.iter().all(|other| other == first))
}

/// A text of a reason's length, if there is any.
pub(crate) fn cut(text: &str) -> Option<String> {
    cut_to(LONGEST_REASON, text)
}

fn cut_to(longest: usize, text: &str) -> Option<String> {
    let text = text.trim();
    let end = text.char_indices().nth(longest).map_or(text.len(), |(end, _)| end);
    (!text.is_empty()).then(|| if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(text: &str) -> Option<bool> {
        Answer::read(text).same
    }

    #[test]
    fn thoughts_are_no_answer() {
        assert_eq!(same("<think>surely no</think>\n\nYes."), Some(true));
        assert_eq!(same("surely yes, but wait</think>No"), Some(false));
        assert_eq!(same("<think>yes</think><think>yes</think>no"), Some(false));
        assert_eq!(same("<thinking>I would say yes"), None);
        assert_eq!(same("<think>{\"same\": true}</think>{\"same\": false}"), Some(false));
    }

    #[test]
    fn json_counts_wherever_it_stands() {
        assert_eq!(same("{\"same\": true}"), Some(true));
        assert_eq!(same("Here you are:\n```json\n{\"same\": false, \"reason\": \"yes and no\"}\n```"), Some(false));
        assert_eq!(same("{\"Is_Same\": \"yes\"}"), Some(true));
        assert_eq!(same("{\"verdict\": {\"same\": 0}}"), Some(false));
        assert_eq!(same("The note says {x} and {y}. {\"answer\": \"No.\"}"), Some(false));
        let answer = Answer::read("{\"same\": true, \"confidence\": 0.75, \"reason\": \" both about a leak \"}");
        assert_eq!(answer.confidence, Some(0.75));
        assert_eq!(answer.reason.as_deref(), Some("both about a leak"));
        assert_eq!(Answer::read("{\"same\": true, \"confidence\": 75}").confidence, None);
    }

    #[test]
    fn json_that_contradicts_itself_or_breaks_off_says_nothing() {
        for text in [
            "{\"same\": true} or rather {\"same\": false}",
            "{\"same\": true, \"answer\": \"no\"}",
            "{\"same\": null}",
            "{\"same\": \"perhaps\"}",
            "{\"same\": true} {\"same\": null}",
            "{\"same\": true, \"reason\": \"both want yes",
            "{\"reason\": \"yes\"}",
            "{}",
            "",
            "   \n",
        ] {
            assert_eq!(same(text), None, "{text}");
        }
    }

    #[test]
    fn a_reason_is_cut_between_letters() {
        let Answer { reason, raw, .. } = Answer::read(&format!("yes, {}", "é".repeat(5_000)));
        assert_eq!(reason.unwrap().chars().count(), LONGEST_REASON + 1);
        assert_eq!(raw.unwrap().chars().count(), LONGEST_ANSWER + 1);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "(<think>|</think>|[{}\":,.?！是不é'-]|same|yes|no|true|\\PC){0,30}") {
            let answer = Answer::read(&text);
            prop_assert!(answer.reason.is_none_or(|reason| !reason.is_empty()));
        }

        #[test]
        fn thoughts_change_nothing(thought in "[a-z {}\":.]{0,40}", same in any::<bool>()) {
            let verdict = if same { "Yes." } else { "No." };
            prop_assert_eq!(Answer::read(&format!("<think>{thought}</think>{verdict}")).same, Some(same));
        }
    }
}

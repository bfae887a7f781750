//! The reference file: pull requests with the comments that people made, as a list, one object, or JSON lines.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use serde_json::{Map, Value};

use super::comment::Place;
use super::line::Line;
use super::pull::Pull;

/// A pull request with its reference comments.
#[derive(Debug, Clone)]
pub(crate) struct PullRequest {
    pub(crate) pull: Pull,
    pub(crate) category: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) references: Vec<Reference>,
}

/// One reference comment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reference {
    /// Its place in the file's list, from 0.
    pub(crate) index: usize,
    /// As the file gives it; most files give none.
    pub(crate) id: Option<Value>,
    pub(crate) note: String,
    pub(crate) place: Place,
    pub(crate) category: Option<String>,
    pub(crate) context: Option<String>,
    /// What results repeat about it: lines, category, context, source model, whether a machine wrote it.
    pub(crate) details: Map<String, Value>,
}

/// What results repeat about a reference, in this order.
const DETAILS: [&str; 6] = ["from_line", "to_line", "category", "context", "source_model", "is_ai_comment"];

/// Reads a reference file. All faults are found in one go, each with its place.
pub(crate) fn parse(text: &str, file: &str) -> Result<Vec<PullRequest>, Faults> {
    let mut faults = Faults::none();
    let mut pulls = Vec::new();
    for (at, value) in values(text, file)? {
        pulls.extend(faults.absorb(pull_request(&value, file, &at)));
    }
    if pulls.is_empty() && faults.is_empty() {
        faults.push(wrong(file, "the file", "has no pull request", "a list of pull requests"));
    }
    for (at, pull) in pulls.iter().enumerate() {
        if pulls[..at].iter().any(|earlier| earlier.pull.is_at(&pull.pull)) {
            faults.push(wrong(file, &pull.pull.url, "is there twice", "each pull request once"));
        }
    }
    faults.into_result().map(|()| pulls)
}

/// The objects of the file, each with what to call it.
fn values(text: &str, file: &str) -> Result<Vec<(String, Value)>, ScoreError> {
    let whole = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => {
            return Ok(list.into_iter().enumerate().map(|(at, value)| (format!("item {at}"), value)).collect());
        }
        Ok(value) => return Ok(vec![("the object".to_owned(), value)]),
        Err(error) => error,
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed: Result<Vec<_>, _> =
        lines.map(|(at, line)| Ok((format!("line {}", at + 1), serde_json::from_str::<Value>(line)?))).collect();
    // A file whose lines are no JSON either is a broken document, and its own error says where.
    parsed.map_err(|_: serde_json::Error| {
        ScoreError::new(ErrorCode::ParseError, format!("{file} is no JSON: {whole}"))
            .file(file)
            .line(whole.line() as u64)
            .expected("a list of pull requests, one, or one a line")
    })
}

fn pull_request(value: &Value, file: &str, at: &str) -> Result<PullRequest, Faults> {
    let Value::Object(fields) = value else {
        return Err(wrong(file, at, "is no object", "a pull request with githubPrUrl and comments").into());
    };
    let url = ["githubPrUrl", "github_pr_url", "pr_url"].iter().find_map(|key| text(fields, key));
    let Some(url) = url.filter(|url| !url.is_empty()) else {
        return Err(wrong(file, at, "has no githubPrUrl", "the address of the pull request").into());
    };
    let Some(comments) = fields.get("comments").and_then(Value::as_array) else {
        return Err(wrong(file, at, "has no list of comments", "\"comments\": [{\"note\": …, \"path\": …}]").into());
    };
    let mut faults = Faults::none();
    let mut references = Vec::new();
    for (index, comment) in comments.iter().enumerate() {
        match comment {
            Value::Object(fields) => references.push(Reference::of(fields, index)),
            _ => faults.push(wrong(file, &format!("{at}, comment {index}"), "is no object", "an object with a note")),
        }
    }
    faults.into_result()?;
    Ok(PullRequest {
        pull: Pull::of(&url),
        category: text(fields, "category"),
        language: text(fields, "project_main_language"),
        references,
    })
}

impl Reference {
    /// Reads a comment's fields; what is absent or of another type is absent.
    pub(crate) fn of(fields: &Map<String, Value>, index: usize) -> Self {
        let detail = |key: &&str| ((*key).to_owned(), fields.get(*key).cloned().unwrap_or_default());
        Self {
            index,
            id: fields.get("id").filter(|id| !id.is_null()).cloned(),
            note: note(fields),
            place: place(fields),
            category: text(fields, "category"),
            context: text(fields, "context"),
            details: DETAILS.iter().map(detail).collect(),
        }
    }

    /// What results call it: its own id, or one made of its index.
    pub(crate) fn name(&self) -> Value {
        self.id.clone().unwrap_or_else(|| format!("ref-{}", self.index).into())
    }
}

/// What a comment says. A number is taken for its digits; 0 says nothing, as an empty note does.
fn note(fields: &Map<String, Value>) -> String {
    match fields.get("note") {
        Some(Value::Number(number)) if number.as_f64() != Some(0.0) => number.to_string(),
        _ => text(fields, "note").unwrap_or_default(),
    }
}

/// Where a comment's fields say it points to. Where a line is missing or zero, that of `originLineRange` counts.
pub(crate) fn place(fields: &Map<String, Value>) -> Place {
    let origin = fields.get("originLineRange").and_then(Value::as_object);
    let end = |key| {
        let own = line(fields.get(key));
        own.filter(|line| *line != 0).or_else(|| origin.and_then(|origin| line(origin.get(key)))).or(own)
    };
    Place { path: text(fields, "path"), from: end("from_line"), to: end("to_line"), side: text(fields, "side") }
}

fn line(value: Option<&Value>) -> Option<Line> {
    let Value::Number(number) = value? else { return None };
    let whole = number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as Line);
    number.as_i64().map(Line::from).or_else(|| number.as_u64().map(Line::from)).or(whole)
}

fn text(fields: &Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn wrong(file: &str, subject: &str, what: &str, expected: &str) -> ScoreError {
    ScoreError::new(ErrorCode::BadFormat, format!("{file}: {subject} {what}")).file(file).expected(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"githubPrUrl": "https://github.com/shop/cart/pull/1", "category": "Bug Fix", "comments": [
        {"note": "n", "path": "a.go", "side": "right", "from_line": 3, "to_line": 0, "originLineRange": {"to_line": 5}},
        {"note": "m", "originLineRange": null}]}"#;

    #[test]
    fn a_list_one_object_and_lines_are_the_same() {
        let line = ONE.replace('\n', " ");
        for text in [ONE.to_owned(), format!("[{ONE}]"), format!("{line}\n\n")] {
            let pulls = parse(&text, "references.json").unwrap();
            assert_eq!((pulls.len(), pulls[0].references.len()), (1, 2));
            assert_eq!(pulls[0].references[0].place.range(), Some((3, 5)));
            assert_eq!(pulls[0].references[1].place, Place::default());
            assert_eq!(pulls[0].references[1].name(), "ref-1");
        }
        assert_eq!(parse(&format!("{line}\n{}", line.replace("pull/1", "pull/2")), "r.jsonl").unwrap().len(), 2);
    }

    #[test]
    fn a_field_of_another_type_is_absent_but_a_number_says_something() {
        let odd = r#"{"githubPrUrl": "u", "category": 3, "comments": [
            {"note": 7, "path": 1, "side": [], "from_line": "3", "to_line": 4.5, "id": null, "category": {}},
            {"note": 0}, {"note": null}, {"note": ["n"]}, {}]}"#;
        let pull = parse(odd, "r.json").unwrap().remove(0);
        let notes: Vec<_> = pull.references.iter().map(|reference| reference.note.as_str()).collect();
        assert_eq!((pull.category, notes), (None, vec!["7", "", "", "", ""]));
        let first = &pull.references[0];
        assert_eq!((&first.place, &first.id, &first.category), (&Place::default(), &None, &None));
    }

    #[test]
    fn every_fault_says_where() {
        let faults = parse(r#"[7, {"comments": []}, {"githubPrUrl": "u", "comments": [1]}]"#, "r.json").unwrap_err();
        let messages: Vec<_> = faults.list.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "r.json: item 0 is no object",
                "r.json: item 1 has no githubPrUrl",
                "r.json: item 2, comment 0 is no object"
            ]
        );
        assert_eq!(parse("[{]", "r.json").unwrap_err().list[0].code, ErrorCode::ParseError);
        assert_eq!(parse(&format!("[{ONE},{ONE}]"), "r.json").unwrap_err().total, 1);
        assert_eq!(parse("[]", "r.json").unwrap_err().total, 1);
    }
}

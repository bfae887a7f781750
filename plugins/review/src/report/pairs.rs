//! The pull requests of the page: every comment beside the references it was compared with, verdict and reason, then what was missed.

use autoscorer_judge::{Judgement, Verdict};

use super::escape::{escaped, note};
use crate::read::comment::Place;
use crate::result::evaluation::{Case, Skip};

/// So many comments are shown in all; the others are in `evaluation_results.json`.
const MOST_COMMENTS: usize = 5_000;

/// The sections of all pull requests that take part.
pub(crate) fn sections(cases: &[Case]) -> String {
    let mut page = String::new();
    let mut room = MOST_COMMENTS;
    for case in cases.iter().filter(|case| case.is_selected()) {
        page.push_str(&section(case, room));
        room = room.saturating_sub(case.task.comments.len());
    }
    page
}

fn section(case: &Case, room: usize) -> String {
    let (comments, references) = (case.task.comments.len(), case.task.references.len());
    let url = escaped(&case.pull.url);
    let silent = if case.skipped == Some(Skip::Silent) { " <span class=\"tag no\">no comment</span>" } else { "" };
    let mut section = format!(
        "<details><summary><b>{url}</b>{silent} <span class=\"dim\">{comments} comments, {references} references, {} located, \
         {} matched</span></summary>",
        case.located().iter().filter(|one| **one).count(),
        case.matches()
    );
    (0..comments.min(room)).for_each(|at| section.push_str(&pair(case, at)));
    if comments > room {
        section.push_str(&format!("<p class=\"dim\">{} more comments are not shown</p>", comments - room));
    }
    section.push_str(&missed(case));
    section.push_str("</details>\n");
    section
}

/// A comment on the left, what it was compared with on the right.
fn pair(case: &Case, at: usize) -> String {
    let (comment, found) = (&case.task.comments[at], case.found[at]);
    let (class, word) = match (found.meaning, case.task.candidates[at].is_empty(), case.false_alarms[at]) {
        (true, _, _) => ("yes", "matched"),
        (_, _, Some(_)) => ("no", "false alarm"),
        (_, true, _) => ("no", "no reference here"),
        _ => ("part", "place only"),
    };
    let left = card(class, word, &format!("comment {}", comment.number), &comment.place, &comment.note, None);
    let mut right = String::new();
    for reference in &case.task.candidates[at] {
        let judgement = case.judgements.get(&(at as u32, *reference));
        let taken = found.reference == Some(*reference);
        let (class, word) = verdict(judgement, taken);
        let reference = &case.task.references[*reference as usize];
        let title = format!("reference {}", reference.index);
        right.push_str(&card(class, word, &title, &reference.place, &reference.note, judgement));
    }
    format!("<div class=\"pair\"><div class=\"side\">{left}</div><div class=\"side\">{right}</div></div>")
}

fn verdict(judgement: Option<&Judgement>, taken: bool) -> (&'static str, &'static str) {
    match judgement.map(|judgement| judgement.verdict) {
        Some(Verdict::Same) => ("yes", "same"),
        Some(Verdict::Different) => ("no", "different"),
        Some(Verdict::Undecided) => ("part", "undecided"),
        Some(Verdict::Failed) => ("part", "not judged: the call failed"),
        None if taken => ("part", "same place"),
        None => ("dim", "not asked"),
    }
}

fn card(class: &str, word: &str, title: &str, place: &Place, text: &str, judgement: Option<&Judgement>) -> String {
    let reason = judgement.and_then(|judgement| judgement.reason.as_deref());
    let reason = reason.map(|reason| format!("<div class=\"dim\">{}</div>", note(reason))).unwrap_or_default();
    format!(
        "<div class=\"card\"><span class=\"tag {class}\">{word}</span> {title} <code>{}</code><p class=\"text\">{}</p>{reason}</div>",
        escaped(&shown(place)),
        note(text)
    )
}

fn shown(place: &Place) -> String {
    let line = |line: Option<i128>| line.map_or_else(|| "?".to_owned(), |line| line.to_string());
    let path = if place.has_path() { place.shown_path() } else { "no path" };
    format!("{path}:{}-{} {}", line(place.from), line(place.to), place.side.as_deref().unwrap_or_default())
}

/// The references that nothing means the same as.
fn missed(case: &Case) -> String {
    let (matched, located) = (case.matched(), case.located());
    let cards: String = case
        .task
        .references
        .iter()
        .enumerate()
        .filter(|(at, _)| !matched[*at])
        .map(|(at, reference)| {
            let (class, word) = if located[at] { ("part", "located, not matched") } else { ("no", "missed") };
            card(class, word, &format!("reference {}", reference.index), &reference.place, &reference.note, None)
        })
        .collect();
    if cards.is_empty() { cards } else { format!("<h3>References without a match</h3>{cards}") }
}

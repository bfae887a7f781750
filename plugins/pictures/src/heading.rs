//! The heading: title and subtitle at the top of a picture.

use crate::canvas::{Anchor, Canvas};
use crate::font::Font;
use crate::text::clean;

/// The margin around a picture.
pub(crate) const MARGIN: f64 = 20.0;

/// A subtitle has at most so many lines.
const MAX_LINES: usize = 3;

/// Draws title and subtitle; says where what follows begins.
pub(crate) fn heading(canvas: &mut Canvas, title: &str, subtitle: &str, width: f64) -> f64 {
    let room = width - 2.0 * MARGIN;
    let mut bottom = MARGIN + Font::Title.size();
    canvas.text_within(Font::Title, Anchor::Start, (MARGIN, bottom), room, title);
    bottom += 2.0;
    for line in lines(&clean(subtitle), room) {
        bottom += Font::Subtitle.size() + 5.0;
        canvas.text_within(Font::Subtitle, Anchor::Start, (MARGIN, bottom), room, line);
    }
    bottom + 16.0
}

/// Breaks clean text at spaces; the last line has all that is left.
fn lines(text: &str, room: f64) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while Font::Subtitle.width(rest) > room && lines.len() + 1 < MAX_LINES {
        let spaces = rest.match_indices(' ').map(|(at, _)| at);
        let Some(end) = spaces.take_while(|at| Font::Subtitle.width(&rest[..*at]) <= room).last() else { break };
        lines.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// Says in the middle of a stretch that there is nothing to show.
pub(crate) fn nothing(canvas: &mut Canvas, middle: (f64, f64)) {
    canvas.text_in("quiet", Font::Subtitle, Anchor::Middle, middle, "nothing to show");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_subtitle_is_broken_at_spaces() {
        let text = "one two three four five six";
        assert_eq!(lines(text, 80.0), ["one two", "three four", "five six"]);
        assert_eq!(lines(text, 500.0), [text]);
        assert_eq!(lines("word_without_a_space", 20.0), ["word_without_a_space"]);
        assert!(lines("", 80.0).is_empty());
    }
}

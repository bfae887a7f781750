//! The heading: title and subtitle at the top of a picture.

use crate::canvas::{Anchor, Canvas};
use crate::font::Font;

/// The margin around a picture.
pub(crate) const MARGIN: f64 = 20.0;

/// Draws title and subtitle; says where what follows begins.
pub(crate) fn heading(canvas: &mut Canvas, title: &str, subtitle: &str, width: f64) -> f64 {
    let room = width - 2.0 * MARGIN;
    let mut bottom = MARGIN + Font::Title.size();
    canvas.text_within(Font::Title, Anchor::Start, (MARGIN, bottom), room, title);
    if !subtitle.is_empty() {
        bottom += Font::Subtitle.size() + 7.0;
        canvas.text_within(Font::Subtitle, Anchor::Start, (MARGIN, bottom), room, subtitle);
    }
    bottom + 16.0
}

/// Says in the middle of a stretch that there is nothing to show.
pub(crate) fn nothing(canvas: &mut Canvas, middle: (f64, f64)) {
    canvas.text_in("quiet", Font::Subtitle, Anchor::Middle, middle, "nothing to show");
}

//! The legend: which colour is which series, in as many lines as it takes.

use crate::canvas::{Anchor, Area, Canvas};
use crate::font::Font;
use crate::text::clean;

/// What a series looks like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Swatch {
    /// A filled square of this class.
    Square(String),
    /// A line of this class.
    Line(String),
}

/// A line of the legend is this high.
const LINE: f64 = 20.0;

/// The longest name that is shown in full.
const MAX_NAME: f64 = 180.0;

/// Draws the entries from left to right; says where what follows begins.
pub(crate) fn legend(canvas: &mut Canvas, entries: &[(Swatch, &str)], left: f64, top: f64, right: f64) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let (mut x, mut y) = (left, top);
    for (swatch, name) in entries {
        let mark = match swatch {
            Swatch::Square(_) => 16.0,
            Swatch::Line(_) => 30.0,
        };
        let width = mark + Font::Label.width(&clean(name)).min(MAX_NAME);
        if x > left && x + width > right {
            (x, y) = (left, y + LINE);
        }
        draw_swatch(canvas, swatch, x, y + LINE / 2.0);
        let at = (x + mark, y + LINE / 2.0 + Font::Label.drop());
        canvas.text_within(Font::Label, Anchor::Start, at, MAX_NAME, name);
        x += width + 18.0;
    }
    y + LINE + 8.0
}

fn draw_swatch(canvas: &mut Canvas, swatch: &Swatch, x: f64, middle: f64) {
    match swatch {
        Swatch::Square(class) => {
            canvas.rect(class, Area { left: x, top: middle - 5.0, width: 10.0, height: 10.0 });
        }
        Swatch::Line(class) => canvas.line(class, (x, middle), (x + 24.0, middle)),
    }
}

//! Reference lines: values that a chart is read against, such as a mean or a threshold.

use crate::canvas::{Anchor, Canvas};
use crate::font::Font;
use crate::scale::Scale;
use crate::text::clean;

/// A value that a chart is read against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference<'a> {
    /// What is written at the line, such as `mean 0.62`.
    pub name: &'a str,
    /// Where the line is.
    pub at: f64,
}

/// A line of names is this high.
const LINE: f64 = 16.0;

/// The longest name that is shown in full.
const MAX_NAME: f64 = 200.0;

/// Upright reference lines across a plot, their names in a band above it.
pub(crate) struct References<'a> {
    shown: Vec<Placed<'a>>,
    lines: usize,
}

struct Placed<'a> {
    name: &'a str,
    x: f64,
    /// The middle of the name.
    middle: f64,
    line: usize,
}

impl<'a> References<'a> {
    /// Those that are on the scale, with names that do not cover each other.
    pub(crate) fn place(references: &[Reference<'a>], scale: &Scale) -> Self {
        let range = scale.range();
        let on_scale = references.iter().filter(|r| r.at >= range.low() && r.at <= range.high());
        let mut sorted: Vec<_> = on_scale.collect();
        sorted.sort_by(|a, b| a.at.total_cmp(&b.at));
        let mut ends: Vec<f64> = Vec::new();
        let mut shown = Vec::new();
        for reference in sorted {
            let x = scale.at(reference.at);
            let width = Font::Tick.width(&clean(reference.name)).min(MAX_NAME);
            let left = (x - width / 2.0).min(scale.to() - width).max(scale.from());
            let line = ends.iter().position(|end| *end + 8.0 <= left).unwrap_or(ends.len());
            ends.resize(ends.len().max(line + 1), 0.0);
            ends[line] = left + width;
            shown.push(Placed { name: reference.name, x, middle: left + width / 2.0, line });
        }
        Self { shown, lines: ends.len() }
    }

    /// The height of the band of names.
    pub(crate) fn height(&self) -> f64 {
        self.lines as f64 * LINE
    }

    /// Draws the lines from the plot's top to its bottom, and the names above, which no line crosses.
    pub(crate) fn draw(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        let band = |placed: &Placed<'_>| top - placed.line as f64 * LINE;
        for placed in &self.shown {
            canvas.line("reference", (placed.x, band(placed) - 3.0), (placed.x, bottom));
        }
        for placed in &self.shown {
            let name = Font::Tick.cut(&clean(placed.name), MAX_NAME).into_owned();
            canvas.text_in("ink halo", Font::Tick, Anchor::Middle, (placed.middle, band(placed) - 7.0), &name);
        }
    }
}

//! The frame of a chart with two axes: heading, grid, ticks and names around the plot.

use crate::canvas::{Anchor, Area, Canvas};
use crate::font::Font;
use crate::heading::{MARGIN, heading};
use crate::legend::{Swatch, legend};
use crate::range::Range;
use crate::reference::{Reference, References};
use crate::scale::Scale;
use crate::ticks::{Tick, ticks};

/// What is around a plot.
pub(crate) struct Plan<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: &'a str,
    pub(crate) x_axis: &'a str,
    pub(crate) y_axis: &'a str,
    pub(crate) x: Range,
    pub(crate) y: Range,
    pub(crate) plot_width: f64,
    pub(crate) plot_height: f64,
    pub(crate) legend: &'a [(Swatch, &'a str)],
    pub(crate) references: &'a [Reference<'a>],
    pub(crate) upright_grid: bool,
}

/// A plot with its frame drawn, waiting for what is in it.
pub(crate) struct Frame<'a> {
    pub(crate) canvas: Canvas,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    pub(crate) plot: Area,
    title: &'a str,
    references: References<'a>,
    /// The height of what is below the plot.
    below: f64,
}

impl<'a> Frame<'a> {
    pub(crate) fn draw(plan: &Plan<'a>) -> Self {
        let x_ticks = x_ticks(plan);
        let y_ticks = y_ticks(plan);
        let left = MARGIN + Font::Tick.widest(y_ticks.iter().map(|tick| tick.text.as_str()), 160.0) + 8.0;
        let left = left.ceil();
        let right = left + plan.plot_width;
        let x = Scale::new(plan.x, left, right);
        let references = References::place(plan.references, &x);

        let mut canvas = Canvas::default();
        let top = heading(&mut canvas, plan.title, plan.subtitle, right + MARGIN);
        let top = legend(&mut canvas, plan.legend, MARGIN, top, right);
        canvas.text_within(Font::Axis, Anchor::Start, (MARGIN, top + 10.0), plan.plot_width / 2.0, plan.y_axis);
        let top = (top + 22.0 + references.height()).ceil();
        let plot = Area { left, top, width: plan.plot_width, height: plan.plot_height };
        let y = Scale::new(plan.y, plot.bottom(), plot.top);

        let mut frame = Self { canvas, x, y, plot, title: plan.title, references, below: 18.0 };
        frame.draw_y(&y_ticks);
        frame.draw_x(&x_ticks, plan.upright_grid);
        frame.name_x(plan.x_axis);
        frame
    }

    fn name_x(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        self.below = 38.0;
        let at = (self.plot.left + self.plot.width / 2.0, self.plot.bottom() + self.below);
        self.canvas.text_within(Font::Axis, Anchor::Middle, at, self.plot.width, name);
    }

    fn draw_y(&mut self, ticks: &[Tick]) {
        for tick in ticks {
            let y = self.y.at(tick.at);
            self.canvas.line("grid", (self.plot.left, y), (self.plot.right(), y));
            let at = (self.plot.left - 8.0, y + Font::Tick.drop());
            self.canvas.text(Font::Tick, Anchor::End, at, &tick.text);
        }
    }

    fn draw_x(&mut self, ticks: &[Tick], upright_grid: bool) {
        let (top, bottom) = (self.plot.top, self.plot.bottom());
        for tick in ticks {
            let x = self.x.at(tick.at);
            if upright_grid {
                self.canvas.line("grid", (x, top), (x, bottom));
            }
            self.canvas.line("axis", (x, bottom), (x, bottom + 4.0));
            self.canvas.text(Font::Tick, Anchor::Middle, (x, bottom + 18.0), &tick.text);
        }
        self.canvas.line("axis", (self.plot.left, bottom), (self.plot.right(), bottom));
    }

    /// The middle of the plot.
    pub(crate) fn middle(&self) -> (f64, f64) {
        (self.plot.left + self.plot.width / 2.0, self.plot.top + self.plot.height / 2.0)
    }

    /// Draws the references over the plot and closes the picture.
    pub(crate) fn finish(mut self, description: &str) -> String {
        self.references.draw(&mut self.canvas, self.plot.top, self.plot.bottom());
        let (width, height) = (self.plot.right() + MARGIN, self.plot.bottom() + self.below + MARGIN);
        self.canvas.finish(width, height, self.title, description)
    }
}

/// As many ticks as their texts leave room for.
fn x_ticks(plan: &Plan<'_>) -> Vec<Tick> {
    let mut about = (plan.plot_width / 80.0) as usize;
    loop {
        let found = ticks(plan.x, about);
        let widest = Font::Tick.widest(found.iter().map(|tick| tick.text.as_str()), f64::INFINITY);
        if about <= 2 || (widest + 14.0) * found.len() as f64 <= plan.plot_width {
            return found;
        }
        about -= 1;
    }
}

/// Where both axes are the same, so are their ticks.
fn y_ticks(plan: &Plan<'_>) -> Vec<Tick> {
    if plan.x == plan.y { x_ticks(plan) } else { ticks(plan.y, (plan.plot_height / 65.0) as usize) }
}

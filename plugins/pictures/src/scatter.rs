//! The scatter plot: points one by one while they are few, their density when they are many.

use crate::canvas::Anchor;
use crate::density::Density;
use crate::font::Font;
use crate::frame::{Frame, Plan};
use crate::heading::nothing;
use crate::number::grouped;
use crate::ramp::ramp;
use crate::range::{Range, extent};
use crate::style::SHADE_COUNT;

/// More points than this are counted by square instead of being drawn.
const MAX_DOTS: u64 = 2000;

/// The side of a square of a density, in pixels.
const SQUARE: f64 = 5.0;

/// One value against another.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scatter<'a> {
    /// What the picture shows.
    pub title: &'a str,
    /// What else there is to say; may be empty.
    pub subtitle: &'a str,
    /// What the horizontal axis is.
    pub x_axis: &'a str,
    /// What the vertical axis is.
    pub y_axis: &'a str,
    /// Where points are horizontally.
    pub x: &'a [f64],
    /// Where points are vertically; the same number of them.
    pub y: &'a [f64],
    /// The line that good points are near.
    pub guide: Guide,
}

/// The line that good points are near.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Guide {
    /// There is none.
    #[default]
    None,
    /// y = x, as for predictions against true values; both axes have the same range.
    Diagonal,
    /// y = 0, as for residuals.
    Zero,
}

impl Scatter<'_> {
    /// The picture of `x` and `y`.
    pub fn svg(&self) -> String {
        self.svg_of(self.x.iter().copied().zip(self.y.iter().copied()))
    }

    /// The picture of these points instead of `x` and `y`. They are gone through twice and never kept, so residuals need
    /// no column of their own.
    pub fn svg_of(&self, points: impl Iterator<Item = (f64, f64)> + Clone) -> String {
        let seen = Seen::of(points.clone());
        let (x, y) = self.ranges(&seen);
        let subtitle = seen.subtitle(self.subtitle);
        let square = self.guide == Guide::Diagonal;
        let mut frame = Frame::draw(&Plan {
            title: self.title,
            subtitle: &subtitle,
            x_axis: self.x_axis,
            y_axis: self.y_axis,
            x,
            y,
            plot_width: if square { 500.0 } else { 640.0 },
            plot_height: if square { 500.0 } else { 400.0 },
            legend: &[],
            references: &[],
            upright_grid: true,
        });
        match seen.finite {
            0 => {
                let middle = frame.middle();
                nothing(&mut frame.canvas, middle);
            }
            finite if finite <= MAX_DOTS => draw_dots(&mut frame, points, finite),
            _ => draw_density(&mut frame, points),
        }
        self.draw_guide(&mut frame);
        frame.finish(&format!("Scatter plot of {} points.", grouped(seen.finite)))
    }

    fn ranges(&self, seen: &Seen) -> (Range, Range) {
        let both = seen.x.zip(seen.y).map(|(x, y)| (x.0.min(y.0), x.1.max(y.1)));
        let (x, y) = match self.guide {
            Guide::None => (seen.x, seen.y),
            Guide::Diagonal => (both, both),
            Guide::Zero => (seen.x, seen.y.map(|(low, high)| (low.min(0.0), high.max(0.0)))),
        };
        (Range::chosen(None, x).padded(0.03), Range::chosen(None, y).padded(0.03))
    }

    fn draw_guide(&self, frame: &mut Frame<'_>) {
        let (x, y) = (frame.x, frame.y);
        match self.guide {
            Guide::None => {}
            Guide::Diagonal => frame.canvas.line("reference", (x.from(), y.from()), (x.to(), y.to())),
            Guide::Zero => frame.canvas.line("reference", (x.from(), y.at(0.0)), (x.to(), y.at(0.0))),
        }
    }
}

/// What the first pass over the points finds.
struct Seen {
    finite: u64,
    left_out: u64,
    x: Option<(f64, f64)>,
    y: Option<(f64, f64)>,
}

impl Seen {
    fn of(points: impl Iterator<Item = (f64, f64)>) -> Self {
        let (mut finite, mut left_out) = (0, 0);
        let (mut low, mut high) = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        for (x, y) in points {
            if x.is_finite() && y.is_finite() {
                finite += 1;
                low = (low.0.min(x), low.1.min(y));
                high = (high.0.max(x), high.1.max(y));
            } else {
                left_out += 1;
            }
        }
        Self { finite, left_out, x: extent([low.0, high.0].into_iter()), y: extent([low.1, high.1].into_iter()) }
    }

    /// What the caller says, and how much is not shown.
    fn subtitle(&self, given: &str) -> String {
        let left_out = format!("left out because not finite: {}", grouped(self.left_out));
        match (self.left_out, given) {
            (0, _) => given.to_owned(),
            (_, "") => left_out,
            _ => format!("{given}; {left_out}"),
        }
    }
}

fn draw_dots(frame: &mut Frame<'_>, points: impl Iterator<Item = (f64, f64)>, count: u64) {
    let opacity = if count <= 200 { 0.7 } else { 0.4 };
    frame.canvas.open_group("f0", &format!("fill-opacity=\"{opacity}\""));
    for (x, y) in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
        frame.canvas.circle(3.0, (frame.x.at(x), frame.y.at(y)));
    }
    frame.canvas.close_group();
}

fn draw_density(frame: &mut Frame<'_>, points: impl Iterator<Item = (f64, f64)>) {
    let plot = frame.plot;
    let (columns, rows) = ((plot.width / SQUARE) as usize, (plot.height / SQUARE) as usize);
    let density = Density::of(points, (frame.x.range(), frame.y.range()), columns, rows);
    let (left, top) = (plot.left, plot.top + SQUARE / 2.0);
    frame.canvas.open_group("cells", &format!("transform=\"translate({left:.1} {top:.1})scale({SQUARE})\""));
    for (shade, path) in density.paths().iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        frame.canvas.path(&format!("l0 s{shade}"), path, "");
    }
    frame.canvas.close_group();
    draw_legend(frame, density.most());
}

/// How many points the shades stand for, at the right above the plot.
fn draw_legend(frame: &mut Frame<'_>, most: u64) {
    let text = format!("{} rows a square", grouped(most));
    let width = Font::Tick.width(&text);
    let (step, bottom) = (11.0, frame.plot.top - 9.0);
    let left = frame.plot.right() - width - 8.0 - step * SHADE_COUNT as f64;
    frame.canvas.text(Font::Tick, Anchor::End, (left - 8.0, bottom), "1");
    ramp(&mut frame.canvas, 0, (left, bottom - 9.0), step, 10.0);
    frame.canvas.text(Font::Tick, Anchor::End, (frame.plot.right(), bottom), &text);
}

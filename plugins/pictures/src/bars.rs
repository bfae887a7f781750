//! Bars: a value or a few for each label, one below the other.

use crate::canvas::{Anchor, Area, Canvas};
use crate::font::Font;
use crate::heading::{MARGIN, heading, nothing};
use crate::legend::{Swatch, legend};
use crate::number::{Digits, grouped};
use crate::range::{Range, extent};
use crate::reference::{Reference, References};
use crate::scale::Scale;
use crate::style::SERIES_COUNT;
use crate::text::isolated;
use crate::ticks::{rounded, ticks};

const WIDTH: f64 = 760.0;

/// So many rows fill a screen: with more, the axis stands above them too.
const TALL: usize = 25;

/// A value or a few for each label, as horizontal bars.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bars<'a> {
    /// What the picture shows.
    pub title: &'a str,
    /// What else there is to say, such as `the 60 lowest of 200 classes`; may be empty.
    pub subtitle: &'a str,
    /// What the values are.
    pub axis: &'a str,
    /// The label of each row, the topmost first.
    pub labels: &'a [&'a str],
    /// The values by label; with several series each label has a bar of each.
    pub series: &'a [Series<'a>],
    /// The ends of the axis; `None` is from zero to what there is.
    pub range: Option<(f64, f64)>,
    /// A value to read the bars against.
    pub reference: Option<Reference<'a>>,
}

/// One value for each label.
#[derive(Debug, Clone, Copy, Default)]
pub struct Series<'a> {
    /// What the values are; shown where there are several series.
    pub name: &'a str,
    /// A value for each label; one that is not finite or missing has no bar.
    pub values: &'a [f64],
}

impl Bars<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let top = heading(&mut canvas, self.title, self.subtitle, WIDTH);
        let top = self.draw_legend(&mut canvas, top);
        let bars = Rows::of(self);
        let references = References::place(self.reference.as_slice(), &bars.x);
        let above = if self.labels.len() > TALL { 18.0 } else { 0.0 };
        let top = top + references.height() + above;
        let bottom = top + bars.height().max(40.0);
        bars.draw_grid(&mut canvas, top, bottom);
        bars.draw_rows(&mut canvas, top);
        bars.draw_base(&mut canvas, top, bottom);
        references.draw(&mut canvas, top - above, bottom);
        bars.draw_texts(&mut canvas, top);
        bars.draw_ticks(&mut canvas, bottom + 16.0);
        if above > 0.0 {
            bars.draw_ticks(&mut canvas, top - 6.0);
        }
        let middle = (bars.x.from() + bars.x.to()) / 2.0;
        if self.labels.is_empty() {
            nothing(&mut canvas, (middle, (top + bottom) / 2.0));
        }
        let below = if self.axis.is_empty() { 18.0 } else { 38.0 };
        let room = bars.x.to() - bars.x.from();
        canvas.text_within(Font::Axis, Anchor::Middle, (middle, bottom + below), room, self.axis);
        canvas.finish(WIDTH, bottom + below + MARGIN, self.title, &self.description())
    }

    fn draw_legend(&self, canvas: &mut Canvas, top: f64) -> f64 {
        if self.series.len() < 2 {
            return top;
        }
        let colour = |at: usize| Swatch::Square(fill(at));
        let entries: Vec<_> = self.series.iter().enumerate().map(|(at, series)| (colour(at), series.name)).collect();
        legend(canvas, &entries, MARGIN, top, WIDTH - MARGIN)
    }

    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        let all = self.series.iter().flat_map(|series| series.values.iter().take(self.labels.len()).copied());
        all.filter(|value| value.is_finite())
    }

    fn description(&self) -> String {
        let series: Vec<_> = self.series.iter().map(|series| isolated(series.name)).collect();
        format!("Bars of {} labels. {} {}", grouped(self.labels.len() as u64), isolated(self.axis), series.join(", "))
    }
}

fn fill(series: usize) -> String {
    format!("f{}", series % SERIES_COUNT)
}

/// The rows of bars with their scale.
struct Rows<'b, 'a> {
    bars: &'b Bars<'a>,
    x: Scale,
    digits: Digits,
    pitch: f64,
    thickness: f64,
    gap: f64,
    label_width: f64,
}

impl<'b, 'a> Rows<'b, 'a> {
    fn of(bars: &'b Bars<'a>) -> Self {
        let digits = Digits::of(bars.values());
        let label_width = Font::Label.widest(bars.labels.iter().copied(), 230.0);
        let texts: Vec<_> = bars.values().map(|value| digits.write(value)).collect();
        let value_width = Font::Tick.widest(texts.iter().map(String::as_str), 120.0).max(12.0) + 6.0;
        let range = axis_range(bars);
        let left = MARGIN + label_width + 10.0 + if range.low() < 0.0 { value_width } else { 0.0 };
        let x = Scale::new(range, left, WIDTH - MARGIN - value_width);
        let (pitch, thickness, gap) = if bars.series.len() < 2 { (15.0, 15.0, 7.0) } else { (12.0, 10.0, 10.0) };
        Self { bars, x, digits, pitch, thickness, gap, label_width }
    }

    fn row_height(&self) -> f64 {
        self.pitch * self.bars.series.len().max(1) as f64 + self.gap
    }

    fn height(&self) -> f64 {
        self.row_height() * self.bars.labels.len() as f64
    }

    fn draw_grid(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        for tick in ticks(self.x.range(), 6) {
            let x = self.x.at(tick.at);
            canvas.line("grid", (x, top), (x, bottom));
        }
    }

    fn draw_ticks(&self, canvas: &mut Canvas, baseline: f64) {
        for tick in ticks(self.x.range(), 6) {
            canvas.text_in("halo", Font::Tick, Anchor::Middle, (self.x.at(tick.at), baseline), &tick.text);
        }
    }

    /// The line that all bars begin at.
    fn draw_base(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        let x = self.x.at(0.0);
        canvas.line("axis", (x, top), (x, bottom));
    }

    fn draw_rows(&self, canvas: &mut Canvas, top: f64) {
        for (row, label) in self.bars.labels.iter().enumerate() {
            let middle = self.row_top(row, top) + (self.row_height() - self.gap) / 2.0;
            let at = (MARGIN + self.label_width, middle + Font::Label.drop());
            canvas.text_within(Font::Label, Anchor::End, at, self.label_width + 1.0, label);
            for (at, series) in self.bars.series.iter().enumerate() {
                if let Some(value) = value(series, row) {
                    let tip = self.tip(label, series.name, value);
                    canvas.rect_with_tip(&fill(at), self.bar(value, self.row_top(row, top), at), &tip);
                }
            }
        }
    }

    fn row_top(&self, row: usize, top: f64) -> f64 {
        top + self.row_height() * row as f64 + self.gap / 2.0
    }

    fn bar(&self, value: f64, top: f64, series: usize) -> Area {
        let (base, end) = (self.x.at(0.0), self.x.at(value));
        let top = top + self.pitch * series as f64;
        Area { left: base.min(end), top, width: (end - base).abs(), height: self.thickness }
    }

    fn tip(&self, label: &str, series: &str, value: f64) -> String {
        let names: Vec<_> = [label, series].into_iter().filter(|name| !name.is_empty()).map(isolated).collect();
        format!("{}: {}", names.join(", "), self.digits.write(value))
    }

    /// The values at the ends of the bars, over any line that crosses them.
    fn draw_texts(&self, canvas: &mut Canvas, top: f64) {
        for row in 0..self.bars.labels.len() {
            for (at, series) in self.bars.series.iter().enumerate() {
                let (value, text) = match value(series, row) {
                    Some(value) => (value, self.digits.write(value)),
                    None => (0.0, "–".to_owned()),
                };
                let bar = self.bar(value, self.row_top(row, top), at);
                let (anchor, x) =
                    if value < 0.0 { (Anchor::End, bar.left - 5.0) } else { (Anchor::Start, bar.right() + 5.0) };
                let baseline = bar.top + self.thickness / 2.0 + Font::Tick.drop();
                canvas.text_in("halo", Font::Tick, anchor, (x, baseline), &text);
            }
        }
    }
}

fn value(series: &Series<'_>, row: usize) -> Option<f64> {
    series.values.get(row).copied().filter(|value| value.is_finite())
}

fn axis_range(bars: &Bars<'_>) -> Range {
    let reference = bars.reference.iter().map(|reference| reference.at);
    let shown = extent(bars.values().chain(reference)).map(|(low, high)| (low.min(0.0), high.max(0.0)));
    let range = Range::chosen(bars.range, shown);
    if bars.range.is_some() { range } else { rounded(range, 6) }
}

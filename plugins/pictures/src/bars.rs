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
        let top_axis = if self.labels.len() > TALL { 18.0 } else { 0.0 };
        let top = top + references.height() + top_axis;
        let bottom = top + bars.height().max(40.0);
        bars.draw_axis(&mut canvas, top, bottom, top_axis > 0.0);
        for (row, label) in self.labels.iter().enumerate() {
            bars.draw_row(&mut canvas, row, label, top);
        }
        bars.draw_base(&mut canvas, top, bottom);
        references.draw(&mut canvas, top, bottom);
        let middle = (bars.x.from() + bars.x.to()) / 2.0;
        if self.labels.is_empty() {
            nothing(&mut canvas, (middle, (top + bottom) / 2.0));
        }
        canvas.text_in("axis-name", Font::Label, Anchor::Middle, (middle, bottom + 38.0), self.axis);
        canvas.finish(WIDTH, bottom + 38.0 + MARGIN, self.title, &self.description())
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

    fn draw_axis(&self, canvas: &mut Canvas, top: f64, bottom: f64, above: bool) {
        for tick in ticks(self.x.range(), 6) {
            let x = self.x.at(tick.at);
            canvas.line("grid", (x, top), (x, bottom));
            canvas.text(Font::Tick, Anchor::Middle, (x, bottom + 16.0), &tick.text);
            if above {
                canvas.text(Font::Tick, Anchor::Middle, (x, top - 6.0), &tick.text);
            }
        }
    }

    /// The line that all bars begin at.
    fn draw_base(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        let x = self.x.at(0.0);
        canvas.line("axis", (x, top), (x, bottom));
    }

    fn draw_row(&self, canvas: &mut Canvas, row: usize, label: &str, top: f64) {
        let top = top + self.row_height() * row as f64 + self.gap / 2.0;
        let middle = top + (self.row_height() - self.gap) / 2.0;
        let at = (MARGIN + self.label_width, middle + Font::Label.drop());
        canvas.text_within(Font::Label, Anchor::End, at, self.label_width + 1.0, label);
        for (at, series) in self.bars.series.iter().enumerate() {
            let value = series.values.get(row).copied().filter(|value| value.is_finite());
            self.draw_bar(canvas, at, label, value, top + self.pitch * at as f64);
        }
    }

    fn draw_bar(&self, canvas: &mut Canvas, series: usize, label: &str, value: Option<f64>, top: f64) {
        let base = self.x.at(0.0);
        let baseline = top + self.thickness / 2.0 + Font::Tick.drop();
        let Some(value) = value else {
            canvas.text(Font::Tick, Anchor::Start, (base + 5.0, baseline), "–");
            return;
        };
        let end = self.x.at(value);
        let area = Area { left: base.min(end), top, width: (end - base).abs(), height: self.thickness };
        let text = self.digits.write(value);
        let name = self.bars.series[series].name;
        let colon = if name.is_empty() { "" } else { ": " };
        canvas.rect_with_tip(&fill(series), area, &format!("{}{colon}{}: {text}", isolated(label), isolated(name)));
        let (anchor, x) = if value < 0.0 { (Anchor::End, end - 5.0) } else { (Anchor::Start, end + 5.0) };
        canvas.text(Font::Tick, anchor, (x, baseline), &text);
    }
}

fn axis_range(bars: &Bars<'_>) -> Range {
    let reference = bars.reference.iter().map(|reference| reference.at);
    let shown = extent(bars.values().chain(reference)).map(|(low, high)| (low.min(0.0), high.max(0.0)));
    let range = Range::chosen(bars.range, shown);
    if bars.range.is_some() { range } else { rounded(range, 6) }
}

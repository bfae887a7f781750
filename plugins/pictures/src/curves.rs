//! Curves: several named lines over the same axes.

use crate::canvas::number;
use crate::frame::{Frame, Plan};
use crate::heading::nothing;
use crate::legend::Swatch;
use crate::number::grouped;
use crate::range::{Range, extent};
use crate::style::SERIES_COUNT;
use crate::text::clean;
use crate::ticks::rounded;

/// Each colour is used for a solid and for a dashed line; curves beyond are pale and without a name.
const NAMED: usize = 2 * SERIES_COUNT;

/// Several named lines over the same axes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Curves<'a> {
    /// What the picture shows.
    pub title: &'a str,
    /// What else there is to say; may be empty.
    pub subtitle: &'a str,
    /// What the horizontal axis is.
    pub x_axis: &'a str,
    /// What the vertical axis is.
    pub y_axis: &'a str,
    /// The lines; the first twelve that are not thick get colours and names, the others are pale.
    pub curves: &'a [Curve<'a>],
    /// The ends of the horizontal axis; `None` is what there is.
    pub x_range: Option<(f64, f64)>,
    /// The ends of the vertical axis; `None` is what there is.
    pub y_range: Option<(f64, f64)>,
}

/// One line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Curve<'a> {
    /// What the legend and the tooltip say.
    pub name: &'a str,
    /// The points from one end to the other; those that are not finite are left out.
    pub points: &'a [(f64, f64)],
    /// Whether this is the line that matters, such as the mean of the others.
    pub thick: bool,
}

impl Curve<'_> {
    fn finite(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite())
    }
}

impl Curves<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let looks = self.looks();
        let more = self.curves.len() - looks.iter().filter(|look| *look != PALE).count();
        let remark = format!("and {} more", grouped(more as u64));
        let mut legend: Vec<_> =
            self.order().filter(|at| looks[*at] != PALE).map(|at| self.entry(&looks, at)).collect();
        if more > 0 {
            legend.push((Swatch::Line(PALE.to_owned()), &remark));
        }
        let mut frame = Frame::draw(&self.plan(&legend));
        let mut empty = true;
        for at in self.order().collect::<Vec<_>>().into_iter().rev() {
            let path = line(&frame, &self.curves[at]);
            empty &= path.is_empty();
            if !path.is_empty() {
                frame.canvas.path(&looks[at], &path, &clean(self.curves[at].name));
            }
        }
        if empty {
            let middle = frame.middle();
            nothing(&mut frame.canvas, middle);
        }
        frame.finish(&format!("Line chart of {} curves.", grouped(self.curves.len() as u64)))
    }

    /// The thick ones first: they lead the legend and are drawn last.
    fn order(&self) -> impl Iterator<Item = usize> {
        let of = |thick: bool| (0..self.curves.len()).filter(move |at| self.curves[*at].thick == thick);
        of(true).chain(of(false))
    }

    /// The class of each curve.
    fn looks(&self) -> Vec<String> {
        let mut plain = 0;
        let mut look = |curve: &Curve<'_>| {
            if curve.thick {
                return "thick".to_owned();
            }
            plain += 1;
            match plain - 1 {
                at if at < SERIES_COUNT => format!("thin l{at}"),
                at if at < NAMED => format!("thin dashed l{}", at - SERIES_COUNT),
                _ => PALE.to_owned(),
            }
        };
        self.curves.iter().map(&mut look).collect()
    }

    fn entry(&self, looks: &[String], at: usize) -> (Swatch, &str) {
        (Swatch::Line(looks[at].clone()), self.curves[at].name)
    }

    fn plan<'p>(&'p self, legend: &'p [(Swatch, &'p str)]) -> Plan<'p> {
        let points = || self.curves.iter().flat_map(Curve::finite);
        let range = |asked: Option<(f64, f64)>, shown: Option<(f64, f64)>| {
            let range = Range::chosen(asked, shown);
            if asked.is_some() { range } else { rounded(range, 6) }
        };
        Plan {
            title: self.title,
            subtitle: self.subtitle,
            x_axis: self.x_axis,
            y_axis: self.y_axis,
            x: range(self.x_range, extent(points().map(|(x, _)| x))),
            y: range(self.y_range, extent(points().map(|(_, y)| y))),
            plot_width: 640.0,
            plot_height: 420.0,
            legend: if self.curves.len() > 1 { legend } else { &[] },
            references: &[],
            upright_grid: true,
        }
    }
}

const PALE: &str = "pale";

/// The line through a curve's points, without those that would not be seen.
fn line(frame: &Frame<'_>, curve: &Curve<'_>) -> String {
    let mut path = String::new();
    let mut thin = Thinned::default();
    for (x, y) in curve.finite() {
        thin.add(&mut path, (frame.x.at(x), frame.y.at(y)));
    }
    thin.flush(&mut path);
    path
}

/// Of points in the same pixel column, only the first, the lowest, the highest and the last are seen.
#[derive(Default)]
struct Thinned {
    column: Option<i64>,
    first: (f64, f64),
    low: f64,
    high: f64,
    last: (f64, f64),
}

impl Thinned {
    fn add(&mut self, path: &mut String, point: (f64, f64)) {
        let column = (point.0 * 2.0) as i64;
        if self.column != Some(column) {
            self.flush(path);
            *self = Self { column: Some(column), first: point, low: point.1, high: point.1, last: point };
        }
        self.low = self.low.min(point.1);
        self.high = self.high.max(point.1);
        self.last = point;
    }

    fn flush(&mut self, path: &mut String) {
        if self.column.take().is_none() {
            return;
        }
        let middle = |y: f64| (self.first.0, y);
        let mut written = None;
        for point in [self.first, middle(self.low), middle(self.high), self.last] {
            let rounded = ((point.0 * 10.0).round(), (point.1 * 10.0).round());
            if written != Some(rounded) {
                path.push(if path.is_empty() { 'M' } else { 'L' });
                number(path, point.0);
                path.push(' ');
                number(path, point.1);
            }
            written = Some(rounded);
        }
    }
}

//! The histogram: how many values are in each of the equal parts of a range.

use crate::canvas::{Area, number};
use crate::frame::{Frame, Plan};
use crate::heading::nothing;
use crate::number::{Digits, grouped};
use crate::range::Range;
use crate::reference::Reference;
use crate::scale::Scale;
use crate::ticks::rounded;

/// With more bins than this they are drawn as one shape, without tooltips.
const MAX_SINGLE_BINS: usize = 200;

/// How many values are in each of the equal parts of a range.
#[derive(Debug, Clone, Copy, Default)]
pub struct Histogram<'a> {
    /// What the picture shows.
    pub title: &'a str,
    /// What else there is to say; may be empty.
    pub subtitle: &'a str,
    /// What the values are.
    pub x_axis: &'a str,
    /// What is counted.
    pub y_axis: &'a str,
    /// The range that the bins divide.
    pub range: (f64, f64),
    /// The count of each bin, from the lowest values on.
    pub counts: &'a [u64],
    /// Values to read the counts against, such as a threshold.
    pub references: &'a [Reference<'a>],
}

impl Histogram<'_> {
    /// Counts values into equal bins; those outside of the range or not finite are left out, and its upper end is in the
    /// last bin.
    pub fn count(values: impl IntoIterator<Item = f64>, range: (f64, f64), bins: usize) -> Vec<u64> {
        let mut counts = vec![0; bins];
        let range = Range::chosen(Some(range), None);
        let edges: Vec<f64> = (0..=bins).map(|bin| edge(range, bin, bins)).collect();
        let scale = Scale::new(range, 0.0, bins as f64);
        for value in values.into_iter().filter(|value| *value >= range.low() && *value <= range.high()) {
            let near = (scale.at(value) as usize).min(bins.saturating_sub(1));
            if let Some(count) = counts.get_mut(exact(&edges, near, value)) {
                *count += 1;
            }
        }
        counts
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let largest = self.counts.iter().copied().max().unwrap_or(0);
        let mut frame = Frame::draw(&Plan {
            title: self.title,
            subtitle: self.subtitle,
            x_axis: self.x_axis,
            y_axis: self.y_axis,
            x: Range::chosen(Some(self.range), None),
            y: rounded(Range::between(0.0, largest.max(4) as f64), 4),
            plot_width: 640.0,
            plot_height: 320.0,
            legend: &[],
            references: self.references,
            upright_grid: false,
        });
        if largest == 0 {
            let middle = frame.middle();
            nothing(&mut frame.canvas, middle);
        } else if self.counts.len() > MAX_SINGLE_BINS {
            self.draw_outline(&mut frame);
        } else {
            self.draw_bins(&mut frame);
        }
        let sum = self.counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
        frame.finish(&format!("Histogram of {} in {} bins.", grouped(sum), grouped(self.counts.len() as u64)))
    }

    fn draw_bins(&self, frame: &mut Frame<'_>) {
        let step = frame.plot.width / self.counts.len() as f64;
        let gap = if step > 6.0 { 1.0 } else { 0.0 };
        let edge = |at: usize| edge(frame.x.range(), at, self.counts.len());
        let digits = Digits::of([edge(0), edge(1), edge(self.counts.len())].into_iter());
        let bottom = frame.plot.bottom();
        for (bin, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let left = frame.plot.left + step * bin as f64;
            let top = frame.y.at(*count as f64);
            let area = Area { left: left + gap / 2.0, top, width: step - gap, height: bottom - top };
            let (from, to) = (digits.write(edge(bin)), digits.write(edge(bin + 1)));
            frame.canvas.rect_with_tip("f0", area, &format!("{from} to {to}: {}", grouped(*count)));
        }
    }

    fn draw_outline(&self, frame: &mut Frame<'_>) {
        let step = frame.plot.width / self.counts.len() as f64;
        let mut path = String::new();
        let mut point = |mark: char, x: f64, y: f64| {
            path.push(mark);
            number(&mut path, x);
            path.push(' ');
            number(&mut path, y);
        };
        point('M', frame.plot.left, frame.plot.bottom());
        for (bin, count) in self.counts.iter().enumerate() {
            let left = frame.plot.left + step * bin as f64;
            point('L', left, frame.y.at(*count as f64));
            point('L', left + step, frame.y.at(*count as f64));
        }
        point('L', frame.plot.right(), frame.plot.bottom());
        frame.canvas.path("f0 filled", &path, "");
    }
}

/// Where a bin begins.
fn edge(range: Range, bin: usize, bins: usize) -> f64 {
    let share = bin as f64 / bins as f64;
    range.low() * (1.0 - share) + range.high() * share
}

/// Scaling may round over an edge: what counts is the edge as it is written.
fn exact(edges: &[f64], near: usize, value: f64) -> usize {
    match near {
        _ if value < edges[near] => near.saturating_sub(1),
        _ if near + 2 < edges.len() && value >= edges[near + 1] => near + 1,
        _ => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_an_edge_is_in_the_bin_that_begins_there() {
        let edges: Vec<f64> = (0..20).map(|bin| f64::from(bin) / 20.0).collect();
        assert_eq!(Histogram::count(edges, (0.0, 1.0), 20), [1; 20]);
    }

    #[test]
    fn the_upper_end_is_in_and_what_is_outside_is_not() {
        let values = [0.0, 1.0, 1.1, -0.1, f64::NAN, f64::INFINITY, 0.4];
        assert_eq!(Histogram::count(values, (0.0, 1.0), 2), [2, 1]);
        assert!(Histogram::count(values, (0.0, 1.0), 0).is_empty());
    }
}

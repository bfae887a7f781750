//! The pictures beside the score: the confusion matrix, and bars for the classes.

use autoscorer_pictures::{Bars, Heatmap, Reference, Series};
use autoscorer_plugin_api::prelude::*;

use crate::confusion::{Class, Confusion};
use crate::matrix::Matrix;

const SVG: &str = "image/svg+xml";

/// More bars than this are no picture any more.
const MOST_BARS: usize = 60;

/// Writes the confusion matrix.
pub(crate) fn write_matrix(
    ctx: &Context<'_>,
    matrix: &Matrix<'_>,
    confusion: &Confusion<'_>,
) -> Result<(), ScoreError> {
    let rows = matrix.counts.iter().enumerate();
    let cells =
        rows.flat_map(|(row, counts)| counts.iter().enumerate().map(move |(column, count)| (row, column, *count)));
    let cells: Vec<_> = cells.filter(|(_, _, count)| *count > 0).collect();
    let total = confusion.total;
    let subtitle = match matrix.folded {
        0 => format!("{total} rows; shades are shares of the row"),
        folded => format!("{total} rows; shades are shares of the row; the {folded} rarest labels are one"),
    };
    let picture = Heatmap {
        title: "Confusion matrix",
        subtitle: &subtitle,
        row_axis: "label",
        column_axis: "predicted",
        rows: &matrix.labels,
        columns: &matrix.columns,
        cells: &cells,
    };
    ctx.artifact("confusion_matrix.svg", SVG, |file| file.write_all(picture.svg().as_bytes()))
}

/// What bars show: a name, and the value of a class.
pub(crate) type Measure<'m> = (&'m str, fn(&Class) -> f64);

/// Bars for the classes: what each is measured by, and the line they are seen against.
pub(crate) struct ClassBars<'b> {
    pub(crate) title: &'b str,
    pub(crate) labels: &'b [&'b str],
    pub(crate) classes: &'b [Class],
    /// The first of them puts the classes in order.
    pub(crate) measures: &'b [Measure<'b>],
    pub(crate) reference: (&'b str, f64),
}

impl ClassBars<'_> {
    /// Writes the bars, lowest class first.
    pub(crate) fn write(&self, ctx: &Context<'_>) -> Result<(), ScoreError> {
        let Some((axis, first)) = self.measures.first() else { return Ok(()) };
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by(|a, b| first(&self.classes[*a]).total_cmp(&first(&self.classes[*b])).then(a.cmp(b)));
        let total = order.len();
        order.truncate(MOST_BARS);
        let labels: Vec<&str> = order.iter().map(|class| self.labels[*class]).collect();
        let values = |measure: fn(&Class) -> f64| order.iter().map(|class| measure(&self.classes[*class])).collect();
        let values: Vec<Vec<f64>> = self.measures.iter().map(|(_, measure)| values(*measure)).collect();
        let series: Vec<Series<'_>> =
            self.measures.iter().zip(&values).map(|((name, _), values)| Series { name, values }).collect();
        let subtitle = if total > MOST_BARS {
            format!("the {MOST_BARS} lowest of {total} classes")
        } else {
            format!("{total} classes, lowest first")
        };
        let (name, at) = self.reference;
        let name = format!("{name} {at:.3}");
        let picture = Bars {
            title: self.title,
            subtitle: &subtitle,
            axis,
            labels: &labels,
            series: &series,
            range: Some((0.0, 1.0)),
            reference: Some(Reference { name: &name, at }),
        };
        ctx.artifact("per_class.svg", SVG, |file| file.write_all(picture.svg().as_bytes()))
    }
}

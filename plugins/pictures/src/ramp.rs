//! Ramps: the shades of a colour from the faintest to the full one, as a legend shows them.

use crate::canvas::{Area, Canvas};
use crate::style::SHADE_COUNT;

/// Draws the shades of a series' colour side by side.
pub(crate) fn ramp(canvas: &mut Canvas, series: usize, (left, top): (f64, f64), step: f64, height: f64) {
    for shade in 0..SHADE_COUNT {
        let area = Area { left: left + step * shade as f64, top, width: step, height };
        canvas.rect(&format!("f{series} s{shade}"), area);
    }
}

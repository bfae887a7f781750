//! Charts as self-contained SVG texts: numbers in, a picture out that any browser opens, in light and in dark.
//!
//! Knows no files and no scorers. Each chart is a struct of what it shows and has one method, `svg`:
//!
//! * [`Heatmap`]: a confusion matrix
//! * [`Bars`]: values by label
//! * [`Scatter`]: one value against another, few points or many
//! * [`Curves`]: lines such as precision against recall
//! * [`Histogram`]: counts by bin, with thresholds
//!
//! ```
//! use autoscorer_pictures::{Bars, Series};
//!
//! let svg = Bars {
//!     title: "F1 by class",
//!     axis: "F1",
//!     labels: &["cat", "dog"],
//!     series: &[Series { name: "F1", values: &[0.91, 0.78] }],
//!     range: Some((0.0, 1.0)),
//!     ..Bars::default()
//! }
//! .svg();
//! assert!(svg.starts_with("<svg"));
//! ```
//!
//! Below the charts: `frame`, `grid`, `heading`, `legend`, `ramp` and `reference` are the parts they share; `matrix` and
//! `density` count; `range`, `scale` and `ticks` lay out an axis; `font`, `text` and `number` make text; `style` is the
//! palette; `canvas` writes the elements.
//!
//! Whatever goes in, what comes out is well-formed XML, and the same bytes each time.

mod bars;
mod canvas;
mod curves;
mod density;
mod font;
mod frame;
mod grid;
mod heading;
mod heatmap;
mod histogram;
mod legend;
mod matrix;
mod number;
mod ramp;
mod range;
mod reference;
mod scale;
mod scatter;
mod style;
mod text;
mod ticks;

pub use bars::{Bars, Series};
pub use curves::{Curve, Curves};
pub use heatmap::Heatmap;
pub use histogram::Histogram;
pub use reference::Reference;
pub use scatter::{Guide, Scatter};

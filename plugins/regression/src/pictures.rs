//! The pictures beside the score: predictions against the truth, and their errors along it.

use autoscorer_pictures::{Guide, Scatter};
use autoscorer_plugin_api::parallel::Workers;
use autoscorer_plugin_api::prelude::*;

use crate::input::Input;

/// Writes both pictures.
pub(crate) fn write(ctx: &Context<'_>, input: &Input) -> Result<(), ScoreError> {
    let (truths, guesses) = (input.truths(), input.guesses());
    let subtitle = format!("{} rows", truths.len());
    let predicted = Scatter {
        title: "Predicted against true",
        subtitle: &subtitle,
        x_axis: "value",
        y_axis: "predicted",
        x: truths,
        y: guesses,
        guide: Guide::Diagonal,
    };
    let residuals = Scatter {
        title: "Residuals",
        subtitle: &subtitle,
        x_axis: "value",
        y_axis: "predicted − value",
        guide: Guide::Zero,
        ..Scatter::default()
    };
    let errors = truths.iter().zip(guesses).map(|(truth, guess)| (*truth, guess - truth));
    let (predicted, residuals) = Workers::all().both(|| predicted.svg(), || residuals.svg_of(errors.clone()));
    for (name, picture) in [("predicted_vs_true.svg", predicted), ("residuals.svg", residuals)] {
        ctx.artifact(name, "image/svg+xml", |file| file.write_all(picture.as_bytes()))?;
    }
    Ok(())
}

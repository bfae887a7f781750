//! The report: one self-contained page for people, `report.html`.

mod escape;
mod page;
mod pairs;

pub(crate) use page::Page;

use autoscorer_plugin_api::prelude::*;

/// Writes the page.
pub(crate) fn write(ctx: &Context<'_>, page: &Page<'_>) -> Result<(), ScoreError> {
    ctx.artifact("report.html", "text/html", |file| file.write_all(page.html().as_bytes()))
}

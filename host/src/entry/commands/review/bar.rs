//! How far a judging is, on stderr: a bar on a terminal; elsewhere the log, which is silent below warnings unless asked for more.

use std::io::IsTerminal;
use std::time::Duration;

use autoscorer_plugin_api::context::Level;
use indicatif::{ProgressBar, ProgressStyle};

use crate::job::Observe;
use crate::telemetry::narrate;

/// Watches the job of `review`.
pub struct JudgingBar {
    bar: Option<ProgressBar>,
}

impl JudgingBar {
    /// A bar where stderr is a terminal, unless lines are wanted.
    pub fn new(lines: bool) -> Self {
        Self { bar: (!lines && std::io::stderr().is_terminal()).then(bar) }
    }

    /// Takes the bar away, for what is printed after it.
    pub fn clear(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Observe for JudgingBar {
    fn log(&self, level: Level, message: &str) {
        match &self.bar {
            Some(bar) if level == Level::Info => bar.set_message(message.to_owned()),
            Some(bar) => bar.suspend(|| narrate::line(level, message)),
            None => narrate::line(level, message),
        }
    }

    fn progress(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

fn bar() -> ProgressBar {
    // Without a length it would be full.
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{bar:12} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

//! The bar of `scorers check`: how many checks are done. It comes after a second, and only where somebody may look at it.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Who waits no longer than this needs no bar.
const QUIET: Duration = Duration::from_secs(1);

/// How many checks are done.
pub struct Bar {
    bar: ProgressBar,
    /// Shows the bar, unless the sender goes before.
    shower: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Bar {
    /// A bar that cannot be seen yet.
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} checks, {elapsed}: {msg}") {
            bar.set_style(style);
        }
        let shower = std::io::stderr().is_terminal().then(|| show_later(bar.clone()));
        Self { bar, shower }
    }

    /// There are so many checks more than was known.
    pub fn expect(&self, checks: usize) {
        self.bar.inc_length(checks as u64);
    }

    /// The next check begins.
    pub fn begin(&self, check: &'static str) {
        self.bar.set_message(check);
    }

    /// Within a check so many calls of so many have been made.
    pub fn calls(&self, done: u64, total: u64) {
        self.bar.set_message(format!("memory, {done} of {total} calls"));
    }

    /// A check has ended.
    pub fn done(&self) {
        self.bar.inc(1);
    }
}

fn show_later(bar: ProgressBar) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = channel();
    let shower = thread::spawn(move || {
        if ended.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(200));
        }
    });
    (end, shower)
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((end, shower)) = self.shower.take() {
            drop(end);
            // It does not panic, and if it did, there would be no bar to clear.
            _ = shower.join();
        }
        self.bar.finish_and_clear();
    }
}

//! A pause before a store that has failed is asked again: longer each time, so that what is broken is not kept busy.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(10);

/// The next pause.
pub struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Pause {
    /// How long to wait now.
    pub fn next(&mut self) -> Duration {
        let next = (self.0 * 2).min(LONGEST);
        std::mem::replace(&mut self.0, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_ten_seconds() {
        let mut pause = Pause::default();
        let pauses: Vec<_> = (0..8).map(|_| pause.next().as_secs_f64()).collect();
        assert_eq!(pauses, [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]);
    }
}

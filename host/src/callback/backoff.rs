//! The backoff: when a callback that failed is tried again, and when no more.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Waits that grow threefold: with these numbers, a receiver may be away for four hours.
#[derive(Debug, Clone)]
pub(super) struct Backoff {
    pub(super) first: Duration,
    pub(super) longest: Duration,
    pub(super) attempts: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(3600), attempts: 12 }
    }
}

impl Backoff {
    /// How long to wait after so many attempts; nothing if they were enough. What the receiver asks for counts if it is
    /// longer.
    pub(super) fn wait(&self, attempts: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempts >= self.attempts {
            return None;
        }
        let grown = self.first.saturating_mul(3_u32.saturating_pow(attempts.saturating_sub(1)));
        // Many that failed together do not come back together.
        let spread = grown.min(self.longest).mul_f64(0.75 + 0.25 * random());
        Some(spread.max(asked.unwrap_or_default()).min(self.longest))
    }
}

/// From 0 to 1. It keeps no secret.
fn random() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}

/// How long the receiver asks us to wait: seconds, or the time of day when to come back.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let until = || httpdate::parse_http_date(text).ok().map(|date| date.duration_since(now).unwrap_or_default());
    text.parse().ok().map(Duration::from_secs).or_else(until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_an_hour_and_end_after_twelve_attempts() {
        let backoff = Backoff::default();
        let within = |attempts, most: u64| {
            let wait = backoff.wait(attempts, None).unwrap().as_secs_f64();
            assert!(wait >= most as f64 * 0.75 && wait <= most as f64, "{attempts}: {wait}");
        };
        for (attempts, most) in [(1, 1), (2, 3), (3, 9), (8, 2187), (9, 3600), (11, 3600)] {
            within(attempts, most);
        }
        assert_eq!(backoff.wait(12, None), None);
        assert_eq!(backoff.wait(u32::MAX, Some(Duration::ZERO)), None);
    }

    #[test]
    fn what_the_receiver_asks_for_counts_up_to_an_hour() {
        let backoff = Backoff::default();
        assert_eq!(backoff.wait(1, Some(Duration::from_secs(60))), Some(Duration::from_secs(60)));
        assert_eq!(backoff.wait(1, Some(Duration::from_secs(86_400))), Some(Duration::from_secs(3600)));
        assert!(backoff.wait(8, Some(Duration::from_secs(1))).unwrap() > Duration::from_secs(1000));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let asked = |text: &str| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]), now);
        assert_eq!(asked("2"), Some(Duration::from_secs(2)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!((asked("soon"), asked("-1")), (None, None));
    }
}

//! Timestamps: ISO 8601, UTC, milliseconds.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now.
pub fn now() -> String {
    iso8601(SystemTime::now())
}

/// A time as `2026-01-31T12:00:00.000Z`.
pub fn iso8601(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// The Gregorian date of a day counted from 1970-01-01.
fn civil(days: u64) -> (u64, u64, u64) {
    let (mut year, mut left) = (1970, days);
    while left >= year_length(year) {
        left -= year_length(year);
        year += 1;
    }
    let mut month = 1;
    while left >= month_length(year, month) {
        left -= month_length(year, month);
        month += 1;
    }
    (year, month, left + 1)
}

fn year_length(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn month_length(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_of_known_seconds() {
        let at = |seconds: u64| iso8601(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59.000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
    }
}

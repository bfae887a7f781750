//! Quantities in `meta.json`: seconds, and bytes with a unit.

use std::time::Duration;

use serde_json::Value;

/// Some thirty years; beyond it, no clock can be trusted.
const LONGEST: f64 = 1e9;

/// A duration in seconds: a positive number.
pub fn seconds(value: &Value) -> Result<Duration, String> {
    seconds_of_number(value.as_f64().unwrap_or(f64::NAN))
}

/// The same from a number.
pub fn seconds_of_number(seconds: f64) -> Result<Duration, String> {
    let sensible = Some(seconds).filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
    let duration = sensible.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("a number of seconds above 0 and up to {LONGEST}"))
}

/// How many of something there may be, where none at all makes no sense.
pub fn count_of_text<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    let number: Option<u64> = text.parse().ok().filter(|number| *number > 0);
    number.and_then(|number| number.try_into().ok()).ok_or_else(|| "expected a whole number from 1 on".to_owned())
}

/// The same where there may be none.
pub fn count_or_none_of_text<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    let number: Option<u64> = text.parse().ok();
    number.and_then(|number| number.try_into().ok()).ok_or_else(|| "expected a whole number from 0 on".to_owned())
}

/// A number of bytes from a text like "512Mi".
pub fn bytes_of_text(text: &str) -> Result<u64, String> {
    bytes(&Value::String(text.to_owned()))
}

/// A number of bytes: a whole number, or a text like "512Mi", "2Gi", "1.5G".
pub fn bytes(value: &Value) -> Result<u64, String> {
    let parsed = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => with_unit(text),
        _ => None,
    };
    parsed.filter(|bytes| *bytes > 0).ok_or_else(|| "an amount of memory such as \"512Mi\" or \"2Gi\"".to_owned())
}

fn with_unit(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().trim_end_matches(['B', 'b']) {
        "" => 1,
        "K" | "k" => 1_000,
        "M" | "m" => 1_000_000,
        "G" | "g" => 1_000_000_000,
        "Ki" | "ki" => 1 << 10,
        "Mi" | "mi" => 1 << 20,
        "Gi" | "gi" => 1 << 30,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * factor as f64;
    (bytes.is_finite() && bytes < u64::MAX as f64).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn amounts_with_and_without_units() {
        let read = |value: Value| bytes(&value).ok();
        assert_eq!(read(json!("2Gi")), Some(2 << 30));
        assert_eq!(read(json!("1.5G")), Some(1_500_000_000));
        assert_eq!(read(json!("512 MiB")), Some(512 << 20));
        assert_eq!(read(json!(4096)), Some(4096));
        for wrong in [json!("much"), json!("2Qi"), json!(""), json!(-1), json!(0), json!(null), json!("1e400G")] {
            assert_eq!(read(wrong.clone()), None, "{wrong}");
        }
    }

    #[test]
    fn seconds_are_positive() {
        assert_eq!(seconds(&json!(1.5)), Ok(Duration::from_millis(1500)));
        for wrong in [json!(0), json!(-3), json!("60"), json!(1e300)] {
            assert!(seconds(&wrong).is_err(), "{wrong}");
        }
    }
}

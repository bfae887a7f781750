//! Numbers as people read them.

/// A count with its thousands set apart.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent; only all is 100 % and only nothing is 0 %.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 0.1 => "<0.1 %".to_owned(),
        p if p < 9.95 => format!("{p:.1} %"),
        p if p < 99.5 => format!("{p:.0} %"),
        p if p < 100.0 => ">99 %".to_owned(),
        _ => "100 %".to_owned(),
    }
}

/// How the values of one chart are written, so that they look alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Digits {
    /// With so many decimals.
    Decimals(usize),
    /// As `1.23e9`.
    Scientific,
}

impl Digits {
    /// What suits all of the values.
    pub(crate) fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
        match largest {
            m if m >= 1e7 || (m > 0.0 && m < 1e-2) => Self::Scientific,
            _ if values.clone().all(|value| value.fract() == 0.0) => Self::Decimals(0),
            m if m < 10.0 => Self::Decimals(3),
            m if m < 1000.0 => Self::Decimals(2),
            _ => Self::Decimals(0),
        }
    }

    /// The value's text, with a real minus sign.
    pub(crate) fn write(self, value: f64) -> String {
        let sign = if value < 0.0 { "−" } else { "" };
        let size = value.abs();
        match self {
            Self::Scientific if size == 0.0 => "0".to_owned(),
            Self::Scientific => format!("{sign}{size:.2e}"),
            Self::Decimals(0) => format!("{sign}{}", grouped(size.round() as u64)),
            Self::Decimals(decimals) => format!("{sign}{size:.decimals$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        let shares = [0.0, 0.0001, 0.012, 0.5, 0.998, 1.0];
        assert_eq!(shares.map(percent), ["0 %", "<0.1 %", "1.2 %", "50 %", ">99 %", "100 %"]);
    }

    #[test]
    fn values_of_one_chart_look_alike() {
        let all = |values: &[f64]| {
            let digits = Digits::of(values.iter().copied());
            values.iter().map(|value| digits.write(*value)).collect::<Vec<_>>()
        };
        assert_eq!(all(&[0.5, 1.0, -0.25]), ["0.500", "1.000", "−0.250"]);
        assert_eq!(all(&[3.0, 12_000.0]), ["3", "12,000"]);
        assert_eq!(all(&[1.2e9, 0.0]), ["1.20e9", "0"]);
    }
}

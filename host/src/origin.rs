//! Where a setting comes from: a flag, the environment, the file, or nowhere, so that `config show` can tell.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// Where a setting comes from. The first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The command line.
    Flag,
    /// An environment variable.
    Environment,
    /// The settings file.
    File,
    /// Nobody has said anything.
    Default,
}

/// A setting as it is shown.
#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    /// As in the settings file; `serve.` stands before those of the daemon.
    pub name: &'static str,
    /// What it is. Of a secret only whether there is one.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether only its presence is shown.
    pub secret: bool,
}

/// Takes settings from where they come from, and remembers it.
#[derive(Debug, Clone, Default)]
pub struct Picker {
    /// What was taken.
    pub shown: Vec<Shown>,
}

impl Picker {
    /// The setting: what flag or environment say (clap has read both), else the file, else the default.
    pub fn pick<T: Serialize>(
        &mut self,
        name: &'static str,
        given: Option<T>,
        file: Option<T>,
        default: impl FnOnce() -> T,
    ) -> T {
        let (value, origin) = choose(name, given, file, default);
        // A path that is no text has no JSON.
        let shown = serde_json::to_value(&value).unwrap_or_else(|_| "(no text)".into());
        self.shown.push(Shown { name, value: shown, origin, secret: false });
        value
    }

    /// The same for something that is never shown.
    pub fn pick_secret<T>(&mut self, name: &'static str, given: Option<T>, file: Option<T>) -> Option<T> {
        let (value, origin) = choose(name, given.map(Some), file.map(Some), || None);
        self.shown.push(Shown { name, value: value.is_some().into(), origin, secret: true });
        value
    }
}

fn choose<T>(name: &str, given: Option<T>, file: Option<T>, default: impl FnOnce() -> T) -> (T, Origin) {
    match (given, file) {
        (Some(value), _) => (value, of_given(name)),
        (None, Some(value)) => (value, Origin::File),
        (None, None) => (default(), Origin::Default),
    }
}

/// clap does not say which of the two it was; the arguments do.
fn of_given(name: &str) -> Origin {
    let flag = format!("--{}", name.rsplit('.').next().unwrap_or(name));
    let is_flag = |argument: &str| argument == flag || argument.strip_prefix(&flag).is_some_and(|r| r.starts_with('='));
    let on_the_command_line = std::env::args_os().any(|argument| argument.to_str().is_some_and(is_flag));
    if on_the_command_line { Origin::Flag } else { Origin::Environment }
}

impl Shown {
    /// The value as people write it.
    pub fn text(&self) -> String {
        match &self.value {
            Value::Null => "(not set)".to_owned(),
            Value::Bool(set) if self.secret => if *set { "(set, not shown)" } else { "(not set)" }.to_owned(),
            Value::Bool(on) => if *on { "yes" } else { "no" }.to_owned(),
            Value::String(text) => text.clone(),
            Value::Number(number) => in_units(self.name, number.as_f64().unwrap_or_default()),
            Value::Array(list) if list.is_empty() => "(none)".to_owned(),
            Value::Array(list) => list
                .iter()
                .map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(", "),
            Value::Object(_) => self.value.to_string(),
        }
    }
}

/// A number with what it counts, where its name does not say so.
fn in_units(name: &str, number: f64) -> String {
    match name.rsplit('.').next().unwrap_or(name) {
        "timeout" | "probe-timeout" | "client-timeout" | "drain" => format!("{number} s"),
        "keep-days" => format!("{number} days"),
        "memory" | "max-upload" => bytes(number),
        _ => number.to_string(),
    }
}

/// As the flags take it, if it comes out even.
fn bytes(number: f64) -> String {
    let units = [("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let even = units
        .iter()
        .map(|(unit, power)| (unit, number / f64::from(1 << power)))
        .find(|(_, n)| *n >= 1.0 && n.fract() == 0.0);
    even.map_or_else(|| format!("{number} bytes"), |(unit, n)| format!("{n}{unit}"))
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn values_read_as_people_write_them() {
        let mut picker = Picker::default();
        picker.pick("store", None, Some(PathBuf::from("/a b")), PathBuf::new);
        picker.pick("serve.drain", None, None, || 30.0);
        picker.pick("serve.max-upload", None, None, || 256_u64 << 20);
        picker.pick("memory", None, None, || 1_000_u64);
        picker.pick("serve.allow-host", None, Some(vec!["a".to_owned(), "b".to_owned()]), Vec::new);
        picker.pick("serve.allow-origin", None, None, Vec::<String>::new);
        picker.pick("plugins", None, None, || None::<PathBuf>);
        picker.pick("serve.allow-unauthenticated", None, None, || false);
        assert_eq!(picker.pick_secret("serve.callback-secret", None, Some("hush".to_owned())).as_deref(), Some("hush"));
        picker.pick_secret::<String>("serve.other", None, None);
        let texts: Vec<_> = picker.shown.iter().map(Shown::text).collect();
        let expected = [
            "/a b",
            "30 s",
            "256Mi",
            "1000 bytes",
            "a, b",
            "(none)",
            "(not set)",
            "no",
            "(set, not shown)",
            "(not set)",
        ];
        assert_eq!(texts, expected);
        assert!(!format!("{:?}", picker.shown).contains("hush"));
    }
}

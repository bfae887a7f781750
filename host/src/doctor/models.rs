//! Language models: which settings are there. Only names are shown, never values.

use std::fs;

use super::{Examination, Finding};

const MODELS: [(&str, [&str; 3]); 2] = [
    ("language model", ["LLM_MODEL_URL", "LLM_MODEL", "LLM_API_KEY"]),
    ("embedding model", ["EMBEDDING_MODEL_URL", "EMBEDDING_MODEL", "EMBEDDING_API_KEY"]),
];

/// Looks at the environment and at `.env`.
pub fn check(_: &Examination<'_>) -> Vec<Finding> {
    let file = fs::read_to_string(".env").unwrap_or_default();
    MODELS.iter().map(|(subject, names)| model(subject, names, &file)).collect()
}

fn model(subject: &str, names: &[&str; 3], file: &str) -> Finding {
    let set: Vec<_> = names.iter().filter(|name| in_environment(name) || in_file(file, name)).copied().collect();
    let needed: Vec<_> = names[..2].iter().filter(|name| !set.contains(*name)).copied().collect();
    match (set.is_empty(), needed.is_empty()) {
        (true, _) => Finding::fine(subject, "none configured; reviews are judged offline"),
        (false, true) => Finding::fine(subject, format!("configured by {}", set.join(", "))),
        (false, false) => Finding::warning(
            subject,
            format!("{} is set, but not {}", set.join(", "), needed.join(" and ")),
            format!("set {} as well, in the environment or in .env", needed.join(" and ")),
        ),
    }
}

fn in_environment(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| !value.trim().is_empty())
}

fn in_file(file: &str, name: &str) -> bool {
    file.lines().any(|line| {
        let line = line.trim().trim_start_matches("export ").trim_start();
        line.strip_prefix(name)
            .and_then(|rest| rest.trim_start().strip_prefix('='))
            .is_some_and(|value| !value.trim().trim_matches(['"', '\'']).is_empty())
    })
}

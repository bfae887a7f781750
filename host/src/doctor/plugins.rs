//! The built-in plugins: each is opened in a worker and scores its own small workspace, whose numbers are known.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use super::{Examination, Finding};
use crate::demo::{EXPECTED, FILES};
use crate::engine::Engine;
use crate::job::Request;
use crate::load::Isolation;
use crate::run::Cancel;
use crate::save::ResultFile;
use crate::scratch::Scratch;

const MEND: &str =
    "install autoscorer again, host and plugins of the same version, or name their folder with --plugins";

/// Scores a workspace with every scorer.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    if !seen.has_store() {
        let found = "not tried: without the store no library can be opened";
        return vec![Finding::warning("built-in scorers", found, "mend the store, and ask the doctor again")];
    }
    let mut settings = seen.settings.clone();
    settings.loader.isolation = Isolation::Process;
    let engine = Engine::new(&settings);
    let refused = engine.registry().refusals().into_iter().map(|refusal| {
        let found = format!("{} refused at {}: {}", refusal.file.display(), refusal.step, refusal.finding.found);
        Finding::broken("built-in plugin", found, MEND)
    });
    let mut findings: Vec<Finding> = refused.collect();
    let table = engine.registry().snapshot();
    for (id, expected) in EXPECTED {
        let subject = format!("scorer {id}");
        let there = table.iter().any(|(known, _, _)| known == *id);
        findings.push(match if there { scored(&engine, id, expected) } else { Err("not found".to_owned()) } {
            Ok(found) => Finding::fine(subject, found),
            Err(found) => Finding::broken(subject, found, MEND),
        });
    }
    findings
}

fn scored(engine: &Engine, id: &str, expected: &str) -> Result<String, String> {
    let workspace = workspace(id).map_err(|error| format!("no workspace to try it with: {error}"))?;
    let request = Request {
        workspace: workspace.path().display().to_string(),
        scorer: None,
        params: Map::new(),
        artifacts: true,
        time_limit: None,
        memory_limit: None,
        ..Request::default()
    };
    let result = engine.score(&request, &Cancel::default()).result;
    if let Some(error) = result.error {
        return Err(error.to_string());
    }
    compare(&result, expected)
}

fn compare(result: &ResultFile, expected: &str) -> Result<String, String> {
    let expected: Map<String, Value> = serde_json::from_str(expected).map_err(|error| error.to_string())?;
    for (metric, value) in &expected {
        let (is, wanted) = (result.metrics.get(metric).copied(), value.as_f64());
        if is != wanted {
            return Err(format!("{metric} is {is:?} where it should be {wanted:?}"));
        }
    }
    Ok(format!("{} metrics right, in a worker", expected.len()))
}

/// A workspace of the demo, to be thrown away.
fn workspace(id: &str) -> io::Result<Scratch> {
    let scratch = Scratch::new("doctor")?;
    for (path, content) in FILES {
        if let Ok(inner) = Path::new(path).strip_prefix(Path::new("workspaces").join(id)) {
            let file = scratch.path().join(inner);
            fs::create_dir_all(file.parent().unwrap_or(scratch.path()))?;
            fs::write(file, content)?;
        }
    }
    Ok(scratch)
}

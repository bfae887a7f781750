//! The check of what a scorer leaves behind.

use std::fs;
use std::io;
use std::path::Path;

use super::inputs::Inputs;
use super::list::{Found, in_a_line};
use super::trial::{Trial, is_own_fault};
use crate::entry::print;

/// The scorer leaves nothing in the workspace but the artifacts that it lists, and those are as it says.
pub fn check(trial: &Trial, inputs: &Inputs) -> io::Result<Found> {
    let workspace = inputs.good("artifacts")?;
    let before = tree(&workspace)?;
    let aside = workspace.join("output/.artifacts-check");
    let outcome = match trial.score_until(&workspace, Some(&aside), &trial.cancel) {
        Ok(outcome) => outcome,
        Err(error) if is_own_fault(&error) => return Ok(Found::fail(in_a_line(&error), trial.help(&error))),
        Err(error) => return Ok(Found::Skip(format!("there are none without a score ({})", error.code))),
    };
    let after = tree(&workspace)?;
    let help = "write files with ctx.artifact() only, which records them";
    for (name, artifact) in &outcome.artifacts {
        let inside = artifact.path.strip_prefix("output/artifacts/").filter(|path| !path.contains(".."));
        let size = inside.and_then(|path| fs::metadata(aside.join(path)).ok()).map(|metadata| metadata.len());
        if size != Some(artifact.size) {
            return Ok(Found::fail(format!("the artifact {name} is not there, or has another size"), help));
        }
    }
    let listed = |name: &str| {
        outcome.artifacts.values().any(|artifact| name == artifact.path.replacen("artifacts", ".artifacts-check", 1))
    };
    let changed = before.iter().find(|file| !after.contains(file));
    let extra = after.iter().find(|file| !before.contains(file) && !listed(&file.0));
    Ok(match changed.or(extra) {
        Some((name, _)) => {
            Found::fail(format!("{name} was written or changed, and is no artifact of the outcome"), help)
        }
        None => Found::Pass(format!("{}, all listed", print::count(outcome.artifacts.len(), "artifact"))),
    })
}

/// All files of a folder with their content's length and text.
fn tree(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                files.push((name, fs::read(&path)?));
            }
        }
    }
    Ok(files)
}

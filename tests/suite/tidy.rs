//! Rules of the repository that no compiler checks.

use std::fs;
use std::path::{Path, PathBuf};

use autoscorer_tests::built;

fn files(extension: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![built().root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(&built().root).unwrap().to_owned(), text));
            }
        }
    }
    found
}

#[test]
fn every_source_file_says_what_it_is_in_line_one() {
    for (path, text) in files("rs") {
        assert!(text.starts_with("//! "), "{}", path.display());
    }
}

#[test]
fn unsafe_code_is_where_it_is_said_to_be() {
    let word = "unsafe";
    for (path, text) in files("rs") {
        let uses = text
            .lines()
            .filter(|line| line.contains(&format!("{word} {{")) || line.contains(&format!("{word} impl")))
            .count();
        let allowed = ["plugin-api/src/abi.rs", "host/src/load/open.rs", "host/src/load/open_c.rs"].map(Path::new);
        let sinner = path.starts_with("tests/misbehaving") || path.starts_with("tests/fixtures");
        assert!(uses == 0 || sinner || allowed.contains(&path.as_path()), "{}", path.display());
    }
}

#[test]
fn files_stay_short_enough_to_read() {
    for (path, text) in files("rs") {
        assert!(text.lines().count() <= 400, "{} has {} lines", path.display(), text.lines().count());
    }
}

#[test]
fn every_dependency_says_why_it_is_there() {
    let manifest = fs::read_to_string(built().root.join("Cargo.toml")).unwrap();
    let reasons = fs::read_to_string(built().root.join("docs/dependencies.md")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    for line in section.lines().filter(|line| line.contains(" = ") && !line.starts_with('#')) {
        let name = line.split(" = ").next().unwrap();
        assert!(name.starts_with("autoscorer") || reasons.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    for (path, text) in files("md") {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let folder = built().root.join(path.parent().unwrap());
            assert!(folder.join(target).exists(), "{}: {link}", path.display());
        }
    }
}

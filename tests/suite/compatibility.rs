//! Plugins built against other editions of the API: the same major version loads, older or newer; nothing else does.

use autoscorer_tests::{Sandbox, built};
use insta::assert_snapshot;

fn scored_by(library: &str) -> (Sandbox, serde_json::Value) {
    let sandbox = Sandbox::new();
    sandbox.drop_library(library, "variant.so");
    sandbox.workspace("ws", "variant");
    let scored = sandbox.run(&["score", "ws", "--json"]).json();
    (sandbox, scored)
}

fn refusal_of(bytes: &[u8]) -> String {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(bytes, "variant.so");
    sandbox.workspace("ws", "variant");
    let scored = sandbox.run(&["score", "ws"]);
    assert_eq!(scored.code, 4);
    sandbox.anonymous(&scored.stderr)
}

#[test]
fn an_older_minor_version_loads_and_lacks_what_came_later() {
    let (sandbox, scored) = scored_by("misbehaving_api_older");
    assert_eq!(scored["data"]["metrics"]["half"], 0.5, "{scored:#}");
    assert_eq!(scored["data"]["versioning"]["api_version"], "1.0.0");
    let validated = sandbox.run(&["validate", "ws", "--json"]);
    assert_eq!((validated.code, &validated.json()["data"]["invalid"]), (0, &0.into()));
}

#[test]
fn a_newer_minor_version_loads() {
    let (sandbox, scored) = scored_by("misbehaving_api_newer");
    assert_eq!(scored["data"]["metrics"]["half"], 0.5, "{scored:#}");
    assert_eq!(scored["data"]["versioning"]["api_version"], "1.9.0");
    assert_eq!(sandbox.run(&["validate", "ws"]).code, 0);
}

#[test]
fn an_inserted_field_is_refused_with_the_first_difference() {
    let bytes = std::fs::read(built().library("misbehaving_api_inserted")).unwrap();
    assert_snapshot!(refusal_of(&bytes));
}

#[test]
fn another_major_version_is_refused() {
    let bytes = std::fs::read(built().library("misbehaving_api_major")).unwrap();
    assert_snapshot!(refusal_of(&bytes));
}

#[test]
fn metadata_that_lies_about_the_api_is_found_out_by_the_probe() {
    let mut bytes = std::fs::read(built().library("misbehaving_api_major")).unwrap();
    let (claim, lie) = (br#""api":"2.0.0""#, br#""api":"1.1.0""#);
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(claim)).collect();
    for place in places {
        bytes[place..place + lie.len()].copy_from_slice(lie);
    }
    assert_snapshot!(refusal_of(&bytes));
}

//! Names: what a `meta.json` means is never changed by a dropped file, and a wrong name is met with a better one.

use std::fs;

use autoscorer_tests::{Live, Sandbox, versioned};
use insta::assert_snapshot;

#[test]
fn a_built_in_name_is_not_taken_by_a_dropped_file() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let mut live = Live::start(&sandbox, &[]);
    let file = sandbox.drop_library("misbehaving_usurper", "usurper.so");
    let refused = live.event("refused", &file);
    assert_snapshot!(sandbox.anonymous(&crate::misbehaving::text(&refused)));
    assert_eq!(live.score(&workspace)["data"]["versioning"]["version"], "2.0.0");
    let scored = sandbox.run(&["score", "ws", "--json"]).json();
    assert_eq!(scored["data"]["versioning"]["version"], "2.0.0");
}

#[test]
fn a_built_in_name_is_taken_where_that_is_allowed() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    sandbox.drop_library("misbehaving_usurper", "usurper.so");
    let version = |arguments: &[&str]| sandbox.run(arguments).json()["data"]["versioning"]["version"].clone();
    assert_eq!(version(&["score", "ws", "--json", "--allow-override", "classification_f1"]), "66.6.0");
    sandbox.write("host.toml", "allow-override = ['classification_f1']\n");
    assert_eq!(version(&["score", "ws", "--json", "--config", "host.toml"]), "66.6.0");
    assert_eq!(version(&["score", "ws", "--json", "--allow-override", "classification_accuracy"]), "2.0.0");
}

#[test]
fn of_two_files_with_one_scorer_the_newer_counts_and_its_removal_brings_the_other_back() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "twin");
    let mut live = Live::start(&sandbox, &[]);
    let version = |live: &mut Live| live.score(&workspace)["data"]["versioning"]["version"].clone();
    let newer_name = sandbox.drop_library("misbehaving_twin_b", "a.so");
    live.event("live", &newer_name);
    let older_name = sandbox.drop_library("misbehaving_twin_a", "b.so");
    let shadowed = live.wait("a warning", |line| line["event"] == "shadowed");
    assert_eq!(shadowed["winner"], older_name.to_str().unwrap());
    assert_eq!(shadowed["loser"], newer_name.to_str().unwrap());
    assert_eq!(version(&mut live), "1.0.0");

    let listed = sandbox.run(&["scorers", "list"]);
    assert_snapshot!(sandbox.anonymous(&listed.stderr));

    fs::remove_file(&older_name).unwrap();
    live.event("retired", &older_name);
    assert_eq!(version(&mut live), "2.0.0");
}

#[test]
fn a_name_that_is_not_there_is_met_with_one_that_is() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "clasification_f1");
    let scored = sandbox.run(&["score", "ws"]);
    assert_eq!(scored.code, 3);
    assert_snapshot!(scored.stderr);
}

#[test]
fn a_name_whose_file_was_refused_says_so() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("misbehaving_ctor_abort", "good.so");
    sandbox.workspace("ws", "good");
    let scored = sandbox.run(&["score", "ws"]);
    assert_eq!(scored.code, 4);
    assert_snapshot!(sandbox.anonymous(&scored.stderr));
}

#[test]
fn pins_choose_exactly_one() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    let score = |name: &str| sandbox.run(&["score", "ws", "--json", "--scorer", name]);
    let sha256 = score("good").json()["data"]["versioning"]["plugin_sha256"].as_str().unwrap().to_owned();
    for name in ["good@7.7.0001".to_owned(), format!("good@sha256:{sha256}"), format!("good@sha256:{}", &sha256[..16])]
    {
        assert_eq!(score(&name).code, 0, "{name}");
    }
    let gone = score("good@7.7.0002");
    assert_eq!((gone.code, gone.json()["error"]["code"].as_str()), (3, Some("SCORER_NOT_FOUND")));
    let expected = gone.json()["error"]["details"]["expected"].as_str().unwrap().to_owned();
    assert_eq!(expected, format!("one of good@7.7.0001 (custom, sha256:{sha256})"));
    assert_eq!(score("good@sha256:000000000000").code, 3);
    let built_in =
        score("classification_f1").json()["data"]["versioning"]["plugin_sha256"].as_str().unwrap().to_owned();
    assert_eq!(score(&format!("classification_f1@sha256:{built_in}")).code, 0);
}

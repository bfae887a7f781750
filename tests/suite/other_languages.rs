//! Scorers in C and C++: built by the system's compiler, dropped in, and scoring like any other.

use std::fs;
use std::process::Command;

use autoscorer_tests::{Live, Sandbox, built, compiled};
use insta::assert_snapshot;
use serde_json::{Value, json};

const ACCURACY: &str = "custom_scorers/c/accuracy.c";
const MEAN_ERROR: &str = "custom_scorers/cpp/mean_error.cpp";

fn with_accuracy() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&compiled(ACCURACY, &[]), "libaccuracy.so");
    sandbox.workspace("ws", "c_accuracy");
    sandbox
}

#[test]
fn a_scorer_in_c_is_dropped_in_and_scores() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "c_accuracy");
    let mut live = Live::start(&sandbox, &[]);
    let file = sandbox.drop_bytes(&compiled(ACCURACY, &[]), "libaccuracy.so");
    live.event("live", &file);
    let scored = live.score(&workspace);
    let (data, two_thirds) = (&scored["data"], 2.0 / 3.0);
    assert_eq!(
        (&data["metrics"]["accuracy"], &data["metrics"]["rows"]),
        (&json!(two_thirds), &json!(3.0)),
        "{scored:#}"
    );
    assert_eq!((&data["summary"]["score"], &data["summary"]["pass"]), (&json!(two_thirds), &json!(false)));
    assert_eq!(
        (&data["versioning"]["scorer"], &data["versioning"]["version"]),
        (&json!("c_accuracy"), &json!("1.0.0"))
    );
    let artifact = &data["artifacts"]["counts.txt"];
    assert_eq!((&artifact["size"], &artifact["content_type"]), (&json!(17), &json!("text/plain")));
    assert_eq!(fs::read_to_string(workspace.join("output/artifacts/counts.txt")).unwrap(), "2 of 3 are right\n");
    // A new build takes over, and a removed file is gone.
    let newer = compiled(ACCURACY, &["-O2"]);
    sandbox.drop_bytes(&newer, "libaccuracy.so");
    let generation = live.event("live", &file)["generation"].clone();
    assert_eq!(live.score(&workspace)["data"]["metrics"]["accuracy"], two_thirds);
    fs::remove_file(&file).unwrap();
    live.wait("it is gone", |line| line["event"] == "retired" && line["generation"] == generation);
    assert_eq!(live.score(&workspace)["error"]["code"], "SCORER_NOT_FOUND");
    live.finish();
}

#[test]
fn a_scorer_in_cpp_is_dropped_in_and_scores() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&compiled(MEAN_ERROR, &[]), "libmean_error.so");
    sandbox.workspace("ws", "cpp_mean_error");
    let scored = |gt: &str, pred: &str, flags: &[&str]| -> Value {
        sandbox.write("ws/input/gt.csv", gt);
        sandbox.write("ws/output/pred.csv", pred);
        sandbox.run(&[&["score", "ws", "--json"], flags].concat()).json()
    };
    let gt = "id,value\n1,2.5\n2,3.5\n";
    assert_eq!(scored(gt, "id,value\n2,4\n1,2\n", &[])["data"]["metrics"]["mae"], 0.5);
    let other = scored("id,x\n1,1\n", "id,x\n1,4\n", &["-p", "value_column=x"]);
    assert_eq!(
        (&other["data"]["metrics"]["mae"], &other["data"]["summary"]["direction"]),
        (&json!(3.0), &json!("lower"))
    );
    let fault = scored(gt, "id,value\n1,2\n2,four\n", &[]);
    let error = &fault["error"];
    assert_eq!((&error["code"], &error["message"]), (&json!("TYPE_ERROR"), &json!("four is no number")));
    assert_eq!((&error["details"]["file"], &error["details"]["line"]), (&json!("output/pred.csv"), &json!(3)));
}

#[test]
fn it_runs_apart_whatever_is_asked_for() {
    let sandbox = with_accuracy();
    for isolation in ["auto", "process", "in-process"] {
        let scored = sandbox.run(&["score", "ws", "--json", "--isolation", isolation]).json();
        assert_eq!(scored["data"]["versioning"]["isolation"], "process", "{isolation}: {scored:#}");
    }
    // Not even as a built-in one.
    let plugins = sandbox.path().join("plugins");
    fs::create_dir(&plugins).unwrap();
    fs::rename(sandbox.custom("libaccuracy.so"), plugins.join("libaccuracy.so")).unwrap();
    let arguments = ["score", "ws", "--json", "--isolation", "in-process", "--store", "store", "--plugins", "plugins"];
    let scored = Command::new(built().host()).args(arguments).current_dir(sandbox.path()).output().unwrap();
    let scored: Value = serde_json::from_slice(&scored.stdout).unwrap();
    assert_eq!(scored["data"]["versioning"]["isolation"], "process", "{scored:#}");
}

#[test]
fn inspect_list_and_show_treat_both_kinds_alike() {
    let sandbox = with_accuracy();
    let inspected = sandbox.run(&["scorers", "inspect", "custom/libaccuracy.so"]);
    assert_eq!(inspected.code, 0);
    insta::with_settings!({filters => vec![(r"1\.\d+\.\d+, (gcc |Clang |[A-Za-z ]*clang )[^,]+", "[api], [compiler]")]}, {
        assert_snapshot!(inspected.stdout);
    });
    let json = sandbox.run(&["scorers", "inspect", "custom/libaccuracy.so", "--json"]).json();
    let metadata = &json["data"]["metadata"];
    assert_eq!((&metadata["abi"], &metadata["scorers"][0]["id"]), (&json!("c"), &json!("c_accuracy")));
    assert!(metadata["compiler"].is_string() && metadata["rustc"].is_null());
    let listed = sandbox.run(&["scorers", "list", "--json"]).json();
    let scorers = listed["data"]["scorers"].as_array().unwrap();
    let entry = scorers.iter().find(|scorer| scorer["id"] == "c_accuracy").unwrap();
    assert_eq!((&entry["origin"], &entry["version"]), (&json!("custom"), &json!("1.0.0")));
    let shown = sandbox.run(&["scorers", "show", "c_accuracy"]);
    assert!(shown.code == 0 && shown.stdout.contains("ignore_case"), "{}", shown.stderr);
}

#[test]
fn parameters_are_checked_and_filled_in_by_the_host() {
    let sandbox = with_accuracy();
    sandbox.write("ws/output/pred.csv", "id,label\n3,CAT\n1,CAT\n2,Dog\n");
    let score = |flags: &[&str]| sandbox.run(&[&["score", "ws", "--json"], flags].concat()).json();
    assert_eq!(score(&[])["data"]["metrics"]["accuracy"], 0.0);
    let relaxed = score(&["-p", "ignore_case=true", "-p", "pass_threshold=1"]);
    assert_eq!(
        (&relaxed["data"]["metrics"]["accuracy"], &relaxed["data"]["summary"]["pass"]),
        (&json!(1.0), &json!(true))
    );
    let wrong = score(&["-p", "ignore_case=7", "-p", "pass_treshold=1"])["error"].clone();
    assert_eq!((&wrong["code"], &wrong["details"]["fault_count"]), (&json!("INVALID_PARAMS"), &json!(2)), "{wrong:#}");
    assert_eq!(wrong["details"]["faults"][0]["details"]["hint"], "did you mean 'pass_threshold'?");
    let validated = sandbox.run(&["validate", "ws", "-p", "ignore_case=7"]);
    assert!(validated.code == 3 && validated.stderr.contains("params.ignore_case"), "{}", validated.stderr);
}

#[test]
fn validate_names_every_fault_with_its_place() {
    let sandbox = with_accuracy();
    sandbox.write("ws/input/gt.csv", "id,label\n1,cat\nno comma\n");
    fs::remove_file(sandbox.path().join("ws/output/pred.csv")).unwrap();
    let validated = sandbox.run(&["validate", "ws"]);
    assert_eq!(validated.code, 3);
    assert_snapshot!(format!("{}{}", validated.stdout, validated.stderr));
}

#[test]
fn log_progress_and_a_replay() {
    let sandbox = with_accuracy();
    let scored = sandbox.run(&["score", "ws", "--verbose"]);
    assert_eq!((scored.code, scored.stderr.as_str()), (0, "ws: 3 of 3\nws: 2 of 3 are right\n"));
    let replayed = sandbox.run(&["replay", "ws/output/result.json"]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
    assert_eq!(sandbox.run(&["score", "ws", "--no-artifacts"]).code, 0);
    assert!(!sandbox.path().join("ws/output/artifacts").exists());
}

#[test]
fn the_header_and_the_build_lines_work_as_written() {
    let header = fs::read_to_string(built().root.join("plugin-api/include/autoscorer_plugin.h")).unwrap();
    let api = header.lines().find_map(|line| line.strip_prefix("#define AUTOSCORER_API ")).unwrap();
    let manifest = fs::read_to_string(built().root.join("plugin-api/Cargo.toml")).unwrap();
    let major = |version: &str| version.trim_matches('"').split('.').next().unwrap().to_owned();
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = ")).unwrap();
    assert_eq!(major(api), major(version));
    // A C compiler takes the example in C++'s way as well, and with the sections that nobody uses thrown away.
    let example = fs::read_to_string(built().root.join(ACCURACY)).unwrap();
    let sandbox = Sandbox::new();
    let source = sandbox.write("accuracy.cpp", example);
    for flags in [&["-Wl,--gc-sections", "-ffunction-sections", "-fdata-sections", "-s"][..], &["-fvisibility=hidden"]]
    {
        sandbox.drop_bytes(&compiled(source.to_str().unwrap(), flags), "libaccuracy.so");
        sandbox.workspace("ws", "c_accuracy");
        let scored = sandbox.run(&["score", "ws", "--json"]).json();
        assert_eq!(scored["data"]["metrics"]["rows"], 3.0, "{flags:?}: {scored:#}");
    }
    let readme = fs::read_to_string(built().root.join("docs/other_languages.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with("cc ")).unwrap();
    let line = line.replace("-o libaccuracy.so", &format!("-o {}", sandbox.path().join("from_docs.so").display()));
    assert!(Command::new("sh").args(["-euc", &line]).current_dir(&built().root).status().unwrap().success(), "{line}");
    assert_eq!(sandbox.run(&["scorers", "inspect", "from_docs.so"]).code, 0);
}

/// The same list as for scorers in Rust, and nothing of it fails or is left out.
#[test]
fn the_examples_pass_every_check() {
    for (source, scorer, column, values) in [
        (ACCURACY, "c_accuracy", "label", ["cat", "dog", "cat"]),
        (MEAN_ERROR, "cpp_mean_error", "value", ["1", "2.5", "-3"]),
    ] {
        let sandbox = Sandbox::new();
        let library = sandbox.drop_bytes(&compiled(source, &["-O0"]), "library.so");
        sandbox.workspace("ws", scorer);
        for file in ["ws/input/gt.csv", "ws/output/pred.csv"] {
            let [first, second, third] = values;
            sandbox.write(file, format!("id,{column}\n1,{first}\n2,{second}\n3,{third}\n"));
        }
        let checked = sandbox.run(&["scorers", "check", library.to_str().unwrap(), "--workspace", "ws", "--json"]);
        let document = checked.json();
        let data = &document["data"];
        // On a quick machine no call may be long enough to be stopped.
        let checks = data["checks"].as_array().unwrap();
        let as_it_should = checks.iter().all(|check| check["status"] == "pass" || check["check"] == "cancel");
        assert_eq!((checks.len(), as_it_should, checked.code), (13, true, 0), "{document:#}");
    }
}

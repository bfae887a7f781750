//! Tables of labels and numbers at the door: exact, of any size and order, in the host and apart from it.

use std::collections::BTreeMap;
use std::fs;

use autoscorer_tests::{Sandbox, built};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// More rows than fit a block, so that files are read in several, on two threads.
const MANY: usize = 60_000;

/// A row of a large table: its id, its true and its predicted label.
struct Row {
    id: String,
    truth: usize,
    guess: usize,
}

/// Rows with ids of every kind: short, long, quoted, numbers.
fn rows() -> Vec<Row> {
    let id = |n: usize| match n % 4 {
        0 => n.to_string(),
        1 => format!("image_{n:08}.jpg"),
        2 => format!("\"an id, quoted and long, of the row {n}\""),
        _ => format!("ключ-{n}"),
    };
    let guess = |n: usize| if n.is_multiple_of(5) { n * n % 11 } else { n % 10 };
    (0..MANY).map(|n| Row { id: id(n), truth: n % 10, guess: guess(n) }).collect()
}

fn csv<'r>(column: &str, rows: impl Iterator<Item = &'r Row>, cell: impl Fn(&Row) -> String) -> String {
    let lines: Vec<String> = rows.map(|row| format!("{},{}\n", row.id, cell(row))).collect();
    format!("id,{column}\n{}", lines.concat())
}

fn number_of(label: usize) -> String {
    format!("{}.5e-1", label)
}

/// The rows in some other order that is always the same.
fn shuffled(rows: &[Row]) -> impl Iterator<Item = &Row> {
    (0..rows.len()).map(|n| &rows[(n * 7_919 + 13) % rows.len()])
}

fn scored(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let finished = sandbox.run(&[&["score", "ws", "--json"], arguments].concat());
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    finished.json()["data"].clone()
}

fn large_workspace(scorer: &str) -> (Sandbox, Vec<Row>) {
    let (sandbox, rows) = (Sandbox::new(), rows());
    sandbox.write("ws/meta.json", json!({ "scorer": scorer }).to_string());
    match scorer {
        "regression_rmse" => {
            sandbox.write("ws/input/gt.csv", csv("value", rows.iter(), |row| number_of(row.truth)));
            sandbox.write("ws/output/pred.csv", csv("value", shuffled(&rows), |row| number_of(row.guess)));
        }
        _ => {
            sandbox.write("ws/input/gt.csv", csv("label", rows.iter(), |row| format!("label {}", row.truth)));
            sandbox.write("ws/output/pred.csv", csv("label", shuffled(&rows), |row| format!("label {}", row.guess)));
        }
    }
    (sandbox, rows)
}

#[test]
fn large_files_are_counted_right_whatever_their_order() {
    let (sandbox, rows) = large_workspace("classification_f1");
    let right = rows.iter().filter(|row| row.truth == row.guess).count();
    let in_any_order = scored(&sandbox, &[]);
    assert_eq!(in_any_order["metrics"]["accuracy"], right as f64 / MANY as f64);
    let mut cells: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    rows.iter().for_each(|row| *cells.entry((row.truth, row.guess)).or_default() += 1);
    for label in 0..10 {
        let sum = |of: &dyn Fn(&(usize, usize)) -> bool| {
            cells.iter().filter(|(key, _)| of(key)).map(|(_, n)| n).sum::<usize>()
        };
        let both = sum(&|(truth, _)| *truth == label) + sum(&|(_, guess)| *guess == label);
        let f1 = 2.0 * cells[&(label, label)] as f64 / both as f64;
        assert_eq!(in_any_order["metrics"][format!("f1_label {label}")], f1, "label {label}");
    }
    for order in [rows.iter().collect::<Vec<_>>(), rows.iter().rev().collect()] {
        sandbox.write("ws/output/pred.csv", csv("label", order.into_iter(), |row| format!("label {}", row.guess)));
        let again = scored(&sandbox, &[]);
        assert_eq!((&again["metrics"], &again["details"]), (&in_any_order["metrics"], &in_any_order["details"]));
    }
}

#[test]
fn a_worker_scores_as_the_host_does_to_the_last_bit() {
    for scorer in ["classification_f1", "classification_accuracy", "regression_rmse"] {
        let (sandbox, _) = large_workspace(scorer);
        let (here, apart) = (scored(&sandbox, &[]), scored(&sandbox, &["--isolation", "process"]));
        assert_eq!(apart["versioning"]["isolation"], "process");
        for part in ["summary", "metrics", "artifacts", "warnings", "details"] {
            assert_eq!(here[part], apart[part], "{scorer}: {part}");
        }
    }
}

#[test]
fn the_reference_program_s_numbers_come_out() {
    // Computed with scikit-learn 1.9.1 (zero_division=0) and numpy 2.4.6.
    for scorer in ["classification_f1", "classification_accuracy", "regression_rmse"] {
        let folder = built().root.join("tests/fixtures/golden").join(scorer);
        let sandbox = Sandbox::new();
        for file in ["meta.json", "input/gt.csv", "output/pred.csv"] {
            sandbox.write(&format!("ws/{file}"), fs::read(folder.join(file)).unwrap());
        }
        let metrics = &scored(&sandbox, &[])["metrics"];
        let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
        for (name, value) in expected.as_object().unwrap() {
            let (found, expected) = (metrics[name].as_f64().unwrap_or(f64::NAN), value.as_f64().unwrap());
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{name}: {found}, not {expected}");
        }
    }
}

#[test]
fn tables_are_capped_with_the_worst_first_and_the_total_told() {
    let (sandbox, rows) = large_workspace("classification_f1");
    let told = scored(&sandbox, &["-p", "max_rows=7"])["details"]["error_cases"].clone();
    let wrong = rows.iter().filter(|row| row.truth != row.guess).count();
    assert_eq!(told, json!({"total": wrong, "listed": 7}));
    let table = fs::read_to_string(sandbox.path().join("ws/output/artifacts/error_cases.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines.len(), lines[0]), (8, "id,label,predicted,same_mistake"));
    let times: Vec<u64> = lines[1..].iter().map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");

    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "regression_rmse", "params": {"max_rows": 2}}"#);
    sandbox.write("ws/input/gt.csv", "id,value\na,1\nb,2\nc,3\nd,4\n");
    sandbox.write("ws/output/pred.csv", "id,value\na,1.5\nb,4\nc,1\nd,4\n");
    assert_eq!(scored(&sandbox, &[])["details"]["residuals"], json!({"total": 4, "listed": 2}));
    let table = fs::read_to_string(sandbox.path().join("ws/output/artifacts/residuals.csv")).unwrap();
    assert_eq!(table, "id,value,predicted,residual\nb,2,4,2\nc,3,1,-2\n");
    assert_eq!(scored(&sandbox, &["-p", "max_rows=0"])["details"]["residuals"]["listed"], 0);
}

#[test]
fn every_scorer_leaves_its_tables_and_pictures() {
    let artifacts = |scorer: &str| {
        let (sandbox, _) = large_workspace(scorer);
        let listed = scored(&sandbox, &[])["artifacts"].clone();
        for (name, artifact) in listed.as_object().unwrap() {
            let text = fs::read_to_string(sandbox.path().join("ws").join(artifact["path"].as_str().unwrap())).unwrap();
            let begins = match name.rsplit('.').next().unwrap() {
                "svg" => "<svg ",
                "csv" => "id,",
                _ => "{",
            };
            assert!(text.starts_with(begins), "{name}");
            assert!(text.len() < 200_000, "{name} has {} bytes", text.len());
        }
        listed.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let classification = ["confusion_matrix.json", "confusion_matrix.svg", "per_class.svg", "error_cases.csv"];
    assert_eq!(artifacts("classification_f1"), classification);
    assert_eq!(artifacts("classification_accuracy"), classification);
    assert_eq!(artifacts("regression_rmse"), ["residuals.csv", "predicted_vs_true.svg", "residuals.svg"]);
}

#[test]
fn predictions_that_are_missing_are_an_error_or_wrong_as_asked() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    sandbox.write("ws/output/pred.csv", "id,label\n3,cat\n1,cat\n");
    assert_eq!(sandbox.run(&["score", "ws", "--json"]).json()["error"]["code"], "MISMATCH");
    let wrong = scored(&sandbox, &["-p", "missing=wrong"]);
    assert_eq!((&wrong["metrics"]["coverage"], &wrong["metrics"]["f1_dog"]), (&json!(2.0 / 3.0), &json!(0.0)));
    assert_eq!(
        (&wrong["metrics"]["recall_micro"], &wrong["metrics"]["precision_micro"]),
        (&json!(2.0 / 3.0), &json!(1.0))
    );
    assert_eq!(wrong["warnings"][0]["message"], "1 of 3 rows have no prediction and count as wrong");
    // What the ground truth does not have is a fault all the same.
    sandbox.write("ws/output/pred.csv", "id,label\n3,cat\n4,cat\n");
    let extra = sandbox.run(&["score", "ws", "-p", "missing=wrong"]);
    assert_eq!(extra.code, 3);
    assert_snapshot!(extra.stderr);
}

#[test]
fn a_time_limit_binds_while_a_large_file_is_read() {
    let (sandbox, _) = large_workspace("regression_rmse");
    let late = sandbox.run(&["score", "ws", "--json", "--timeout", "0.001"]);
    assert_eq!((late.code, &late.json()["error"]["code"]), (4, &json!("TIMEOUT_ERROR")));
}

#[test]
fn a_fault_far_behind_in_a_large_file_has_its_line() {
    let (sandbox, rows) = large_workspace("regression_rmse");
    let faults = |text: String| {
        sandbox.write("ws/output/pred.csv", text);
        let result = sandbox.run(&["validate", "ws", "--json"]).json()["data"]["results"][0].clone();
        let fault = &result["faults"][0];
        (result["fault_count"].clone(), fault["code"].clone(), fault["details"]["line"].clone())
    };
    let good = csv("value", rows.iter(), |row| number_of(row.guess));
    let last = json!(MANY + 2);
    assert_eq!(faults(format!("{good}one more,0x10\n")), (json!(1), json!("TYPE_ERROR"), last.clone()));
    assert_eq!(faults(format!("{good}0,1\n")), (json!(1), json!("MISMATCH"), last.clone()));
    assert_eq!(faults(format!("{good}\"never closed,1\n")), (json!(1), json!("BAD_FORMAT"), last));
    assert_eq!(faults(format!("{good}one more,1\n")), (json!(1), json!("MISMATCH"), Value::Null));
}

#[test]
fn what_is_no_number_is_explained() {
    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "regression_rmse"}"#);
    sandbox.write("ws/input/gt.csv", "id,value\na,1\nb,2\nc,3\nd,4\ne,5\n");
    sandbox.write("ws/output/pred.csv", "id,value\na,1_000\nb,nan\nc,1e999\nd,\ne,\"1,5\"\n");
    let scored = sandbox.run(&["score", "ws"]);
    assert_eq!(scored.code, 3);
    assert_snapshot!(scored.stderr);
}

//! The files of a demo, kept inside the program: the examples of the repository, and those of `host/demo/`.

macro_rules! example {
    ($path:literal) => {
        (concat!("workspaces/", $path), include_str!(concat!("../../../examples/", $path)))
    };
}

macro_rules! own {
    ($path:literal) => {
        ($path, include_str!(concat!("../../demo/", $path)))
    };
}

/// Paths in the demo's folder, and contents.
pub const FILES: &[(&str, &str)] = &[
    example!("classification_accuracy/input/gt.csv"),
    example!("classification_accuracy/meta.json"),
    example!("classification_accuracy/output/pred.csv"),
    example!("classification_f1/input/gt.csv"),
    example!("classification_f1/meta.json"),
    example!("classification_f1/output/pred.csv"),
    example!("detection_map/input/gt.json"),
    example!("detection_map/meta.json"),
    example!("detection_map/output/pred.json"),
    example!("regression_rmse/input/gt.csv"),
    example!("regression_rmse/meta.json"),
    example!("regression_rmse/output/pred.csv"),
    example!("review_match/input/positive_samples.json"),
    example!("review_match/meta.json"),
    example!("review_match/output/comments_cart_7.txt"),
    example!("review_match/output/comments_ledger_12.txt"),
    own!("broken/input/gt.csv"),
    own!("broken/meta.json"),
    own!("broken/output/pred.csv"),
    own!("review/careful/comments_almanac_204.txt"),
    own!("review/careful/comments_kiln_9.txt"),
    own!("review/careful/comments_tidepool_31.txt"),
    own!("review/noisy/comments_almanac_204.txt"),
    own!("review/noisy/comments_kiln_9.txt"),
    own!("review/noisy/comments_tidepool_31.txt"),
    own!("review/references.json"),
];

/// The metrics that the workspace of each scorer leads to.
pub const EXPECTED: &[(&str, &str)] = &[
    ("classification_accuracy", include_str!("../../../examples/classification_accuracy/expected.json")),
    ("classification_f1", include_str!("../../../examples/classification_f1/expected.json")),
    ("detection_map", include_str!("../../../examples/detection_map/expected.json")),
    ("regression_rmse", include_str!("../../../examples/regression_rmse/expected.json")),
    ("review_match", include_str!("../../../examples/review_match/expected.json")),
];

//! The meaning of every error code, for people: the one source of `explain` and of docs/errors.md.

use autoscorer_plugin_api::error::ErrorCode;

/// What a code means.
pub struct Meaning {
    /// In one sentence.
    pub summary: &'static str,
    /// What it usually comes from.
    pub causes: &'static [&'static str],
    /// What to do about it.
    pub remedies: &'static [&'static str],
    /// An error as it is printed.
    pub example: &'static str,
}

impl Meaning {
    /// The meaning of a code. There is no default, so that no new code is forgotten.
    pub fn of(code: ErrorCode) -> Self {
        match code {
            ErrorCode::WorkspaceNotFound => WORKSPACE_NOT_FOUND,
            ErrorCode::MissingFile => MISSING_FILE,
            ErrorCode::BadFormat => BAD_FORMAT,
            ErrorCode::ParseError => PARSE_ERROR,
            ErrorCode::TypeError => TYPE_ERROR,
            ErrorCode::Mismatch => MISMATCH,
            ErrorCode::InvalidParams => INVALID_PARAMS,
            ErrorCode::ScorerNotFound => SCORER_NOT_FOUND,
            ErrorCode::ScoreError => SCORE_ERROR,
            ErrorCode::LoadError => LOAD_ERROR,
            ErrorCode::TimeoutError => TIMEOUT_ERROR,
            ErrorCode::MemoryLimit => MEMORY_LIMIT,
            ErrorCode::ScorerPanic => SCORER_PANIC,
            ErrorCode::ScorerCrashed => SCORER_CRASHED,
            ErrorCode::JudgeError => JUDGE_ERROR,
            ErrorCode::Cancelled => CANCELLED,
            ErrorCode::UnhandledError => UNHANDLED_ERROR,
        }
    }
}

const WORKSPACE_NOT_FOUND: Meaning = Meaning {
    summary: "The workspace is no folder, or cannot be written to.",
    causes: &[
        "The path is misspelt, or relative to another folder than the current one.",
        "The path is that of a file, such as meta.json, and not of the folder it lies in.",
        "The folder belongs to another user, or its disk is read-only or full.",
    ],
    remedies: &[
        "Name the folder that has meta.json in it.",
        "See with ls -ld whether you may write to its output/ folder.",
    ],
    example: "error[WORKSPACE_NOT_FOUND] the workspace runs/17 does not exist\n         at runs/17\n   expected a folder with meta.json, input/ and output/",
};

const MISSING_FILE: Meaning = Meaning {
    summary: "A file that the scorer needs is not there, or cannot be read.",
    causes: &[
        "Ground truth belongs into input/, predictions into output/; one of them lies elsewhere or has another name.",
        "The folder has no meta.json.",
        "The file is there, but the user that runs autoscorer may not read it.",
    ],
    remedies: &["Put the file where the message says.", "docs/workspace.md shows which files each scorer reads."],
    example: "error[MISSING_FILE] output/pred.csv is missing\n         at output/pred.csv\n       help the scorer reads output/pred.csv: put the predictions there, under this name",
};

const BAD_FORMAT: Meaning = Meaning {
    summary: "A file can be read, but its content breaks a rule of its format.",
    causes: &[
        "A column is missing, or its name is spelt differently; names are compared exactly.",
        "A cell is empty, or a row has more or fewer cells than the header.",
        "The file is empty, has no rows, or is not UTF-8.",
        "A number is nan, inf, or too large.",
    ],
    remedies: &[
        "Mend the line that the message names.",
        "autoscorer validate lists all faults of a workspace in one go.",
    ],
    example: "error[BAD_FORMAT] output/pred.csv has no column 'label'\n         at output/pred.csv:1\n      found the header id,prediction\n   expected one column named exactly 'label'",
};

const PARSE_ERROR: Meaning = Meaning {
    summary: "A JSON file is no JSON, or is cut off.",
    causes: &[
        "It was still being written, or the copy was interrupted.",
        "There is a comma after the last item, a comment, a single quote, or NaN: JSON has none of these.",
    ],
    remedies: &[
        "Write the file with a JSON library, and again if it is cut off.",
        "The message has the line at which reading failed.",
    ],
    example: "error[PARSE_ERROR] meta.json is no JSON: EOF while parsing a value at line 3 column 0\n         at meta.json:3",
};

const TYPE_ERROR: Meaning = Meaning {
    summary: "A value is not of the type that its place needs.",
    causes: &[
        "A number has a unit, a thousands separator or a decimal comma.",
        "A box is not four numbers, or a score is text.",
    ],
    remedies: &["Write numbers as decimals with a point: 1234.5, -0.2, 1e-3."],
    example: "error[TYPE_ERROR] output/pred.csv has \"3,8\" in column 'value'\n         at output/pred.csv:3\n      found \"3,8\"\n   expected a decimal number such as 1.5 or -2e3",
};

const MISMATCH: Meaning = Meaning {
    summary: "Ground truth and predictions do not belong together.",
    causes: &[
        "Ids are missing from the predictions, or are there that the ground truth does not have.",
        "An id is there twice.",
        "Ids were read as numbers and written again: 01 became 1. Ids are text and compared as text.",
        "The predictions are those of another data set, or of another split of it.",
    ],
    remedies: &[
        "Give each id of the ground truth exactly one prediction; the order does not matter.",
        "Where predictions may be missing, the classification scorers take missing=wrong: what is missing counts as a wrong answer.",
    ],
    example: "error[MISMATCH] the ids of output/pred.csv are not those of input/gt.csv: 1 extra (\"4\")\n         at output/pred.csv\n      found 4 ids\n   expected exactly the 3 ids of input/gt.csv\n       help ids are compared as text: 1, 01 and ' 1' differ",
};

const INVALID_PARAMS: Meaning = Meaning {
    summary: "A parameter or a setting is unknown, or has a wrong value.",
    causes: &[
        "The name is misspelt; an unknown parameter is an error, so that it is not left aside unseen.",
        "The value is of another type, or out of its range.",
        "A flag, an environment variable or a line of autoscorer.toml is wrong (then the exit code is 2).",
    ],
    remedies: &["autoscorer scorers show SCORER lists the parameters of a scorer with their types and defaults."],
    example: "error[INVALID_PARAMS] params.pass_treshold: this scorer has no such parameter\n   expected one of average, labels, missing, pass_threshold, rank_thresholds, id_column, label_column, max_rows\n       help did you mean 'pass_threshold'?",
};

const SCORER_NOT_FOUND: Meaning = Meaning {
    summary: "No live scorer has the name, or none the pinned version.",
    causes: &[
        "The name in meta.json or after --scorer is misspelt.",
        "It is a custom scorer, and autoscorer looks into another folder than the one its library is in.",
        "The name is pinned (name@1.2.0), and that version is gone.",
    ],
    remedies: &[
        "autoscorer scorers list shows what is there, and which files were refused and why.",
        "--custom-scorers names the folder of custom scorers, --plugins that of the built-in ones.",
    ],
    example: "error[SCORER_NOT_FOUND] there is no scorer 'clasification_f1'\n      found clasification_f1\n   expected one of classification_accuracy, classification_f1, detection_map, regression_rmse, review_match\n       help did you mean 'classification_f1'?",
};

const SCORE_ERROR: Meaning = Meaning {
    summary: "The data are right in form, but no score can be computed from them.",
    causes: &[
        "A sum overflows, so that the result would not be a number.",
        "A custom scorer says so for reasons of its own.",
        "The scorer wrote more artifacts than it may.",
    ],
    remedies: &["Read the message: what cannot be computed is said there. Nothing was written but the error."],
    example: "error[SCORE_ERROR] the metric 'rmse' is inf, which is no score\n       help an input may be so large that a sum overflows; a scorer leaves out a metric that is undefined",
};

const LOAD_ERROR: Meaning = Meaning {
    summary: "The scorer's library was refused, or taken out after it failed again and again.",
    causes: &[
        "The file is no shared library for this machine, is cut off, or was built against another major version of the API.",
        "It needs another library that is not installed.",
        "It crashed or hung while it was opened, or in several jobs in a row.",
    ],
    remedies: &[
        "autoscorer scorers list shows each refused file with what was found, what was expected and what to do.",
        "autoscorer scorers inspect FILE shows what a library says about itself, without running it.",
        "If it is a built-in one: autoscorer doctor.",
    ],
    example: "error[LOAD_ERROR] custom_scorers/mine.so was refused at check\n         at custom_scorers/mine.so\n      found a file that begins with \"hello\\n\"\n   expected an ELF shared library for x86_64\n       help build a crate of type cdylib, or a shared library in C, and copy its .so file here",
};

const TIMEOUT_ERROR: Meaning = Meaning {
    summary: "The time limit was reached, and the scorer was ended.",
    causes: &["The limit is low for the size of the input.", "The scorer hangs, or waits for something."],
    remedies: &[
        "Raise time_limit in meta.json, or --timeout, or timeout in autoscorer.toml.",
        "If it happens with small inputs, report it to the scorer's author.",
    ],
    example: "error[TIMEOUT_ERROR] the scorer did not end within its 5 s\n       help raise time_limit in meta.json or --timeout, or make the input smaller",
};

const MEMORY_LIMIT: Meaning = Meaning {
    summary: "The memory limit was reached, and the scorer was ended.",
    causes: &["The limit is low for the size of the input.", "The scorer leaks memory."],
    remedies: &["Raise resources.memory in meta.json, or --memory, or memory in autoscorer.toml."],
    example: "error[MEMORY_LIMIT] the scorer used more than its 256 MiB of memory\n       help raise resources.memory in meta.json or --memory, or make the input smaller",
};

const SCORER_PANIC: Meaning = Meaning {
    summary: "The scorer stopped at a fault of its own (a panic) and said where.",
    causes: &["An assumption in the scorer's code does not hold for these data, such as an index out of range."],
    remedies: &[
        "Report it to the scorer's author, with the message and the place that it names.",
        "Authors: a user's mistake should be an error with a code, never a panic.",
    ],
    example: "error[SCORER_PANIC] the scorer panicked in score: index out of bounds: the len is 1 but the index is 1\n   panic at src/lib.rs:30:9\n       help this is a fault of the scorer, not of the workspace: report it to the scorer's author",
};

const SCORER_CRASHED: Meaning = Meaning {
    summary: "The scorer's process died. It cost this job and nothing else.",
    causes: &[
        "A fault in native code: a wrong pointer, a stack overflow, a double panic.",
        "The scorer called exit or abort.",
        "The kernel ended the process, such as when the machine ran out of memory.",
    ],
    remedies: &[
        "The signal and the last log lines are in the error's details, in output/result.json.",
        "Report it to the scorer's author: it is a fault of the scorer, not of the workspace.",
    ],
    example: "error[SCORER_CRASHED] the scorer was killed by SIGSEGV\n       help this is a fault of the scorer, not of the workspace: report it to the scorer's author",
};

const JUDGE_ERROR: Meaning = Meaning {
    summary: "A language model did not answer, or said neither yes nor no.",
    causes: &[
        "LLM_MODEL_URL, LLM_MODEL or LLM_API_KEY is missing or wrong.",
        "The server is down, refuses the key, or is asked too often.",
        "The model answers at length instead of giving a verdict.",
    ],
    remedies: &[
        "autoscorer doctor shows which of these settings are there, without showing them.",
        "Run it again: verdicts are remembered, and only the missing pairs are asked.",
        "--allow-errors takes pairs without a verdict for no matches, if any pair has one; --matcher lexical needs no model.",
    ],
    example: "error[JUDGE_ERROR] 7 of 7 pairs got no verdict; none of them counts as different, so there is no score\n      found no connection to m at http://127.0.0.1:9/v1: Connection refused (os error 111)\n       help run it again: what was judged is remembered, and only the rest is asked",
};

const CANCELLED: Meaning = Meaning {
    summary: "Somebody stopped the job, by Ctrl-C or SIGTERM.",
    causes: &["The command was interrupted.", "A supervisor, such as a container platform, ended the process."],
    remedies: &[
        "Run it again; nothing half-written was left.",
        "Authors: if its scorer had to be killed, the message says so; ask ctx.check() in long loops.",
    ],
    example: "error[CANCELLED] the job was cancelled",
};

const UNHANDLED_ERROR: Meaning = Meaning {
    summary: "Something that no other code stands for, and every code that this version does not know.",
    causes: &[
        "The system failed in a way that was not foreseen.",
        "A newer scorer uses a code that this host does not know.",
    ],
    remedies: &[
        "Look at the message first, then at autoscorer doctor.",
        "Report it to the maintainers, with the message.",
    ],
    example: "error[UNHANDLED_ERROR] the header is not id,label\n         at input/gt.csv:1",
};

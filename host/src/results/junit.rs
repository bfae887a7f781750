//! JUnit's XML: a test case for each workspace, as build servers read it.

use super::escaped;

/// One workspace.
#[derive(Debug, Clone)]
pub struct Case {
    /// The workspace.
    pub name: String,
    /// The scorer.
    pub scorer: String,
    /// In seconds.
    pub time: f64,
    /// What is wrong with it.
    pub troubles: Vec<Trouble>,
    /// The score, for the log.
    pub log: String,
}

/// Why a test case is not green.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// A gate was not kept.
    Failure(String),
    /// There is no score, or a gate that cannot be looked at.
    Error {
        /// The error's code.
        code: String,
        /// What happened.
        message: String,
    },
}

/// The document.
pub fn junit(cases: &[Case]) -> String {
    let count = |wanted: fn(&Trouble) -> bool| cases.iter().filter(|case| case.troubles.iter().any(wanted)).count();
    let errors = count(|trouble| matches!(trouble, Trouble::Error { .. }));
    let failures = cases.iter().filter(|case| !case.troubles.is_empty()).count() - errors;
    let time: f64 = cases.iter().map(|case| case.time).sum();
    let totals = format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"", cases.len());
    let cases: String = cases.iter().map(one).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {totals}>\n  <testsuite name=\"autoscorer\" skipped=\"0\" {totals}>\n{cases}  \
         </testsuite>\n</testsuites>\n"
    )
}

fn one(case: &Case) -> String {
    let troubles: String = trouble(&case.troubles);
    format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">{troubles}<system-out>{}</system-out></testcase>\n",
        escaped(&case.scorer),
        escaped(&case.name),
        case.time,
        escaped(&case.log)
    )
}

/// A test case may have one trouble only: an error before a failure, with all the messages in its text.
fn trouble(troubles: &[Trouble]) -> String {
    let text = |trouble: &Trouble| match trouble {
        Trouble::Failure(message) | Trouble::Error { message, .. } => message.clone(),
    };
    let all: Vec<String> = troubles.iter().map(text).collect();
    let all = escaped(&all.join("\n"));
    let error = troubles.iter().find(|trouble| matches!(trouble, Trouble::Error { .. }));
    match error.or(troubles.first()) {
        Some(Trouble::Error { code, message }) => {
            format!("<error type=\"{}\" message=\"{}\">{all}</error>", escaped(code), escaped(message))
        }
        Some(Trouble::Failure(message)) => {
            format!("<failure type=\"gate\" message=\"{}\">{all}</failure>", escaped(message))
        }
        None => String::new(),
    }
}

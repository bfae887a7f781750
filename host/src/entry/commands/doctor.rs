//! `doctor`: what works here, what is wrong, and how to mend it.

use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::json;

use crate::doctor::{self, Finding, Health};
use crate::entry::doctor_args::DoctorArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::settings::{HostArgs, Settings};

/// Examines and reports.
pub fn run(args: &DoctorArgs, host: &HostArgs, start: Instant) -> Result<Exit, ScoreError> {
    let settings = Settings::load_serve(host, &args.serve).map(|(settings, serve, _)| (settings, serve));
    let findings = doctor::examine(host, &settings);
    let count = |health: Health| findings.iter().filter(|finding| finding.health == health).count();
    let (broken, warnings) = (count(Health::Broken), count(Health::Warning));
    if args.json {
        let error = findings.iter().find(|finding| finding.health == Health::Broken).map(|first| {
            let others = if broken > 1 { format!(" (and {} more)", broken - 1) } else { String::new() };
            let message = format!("{} is broken: {}{others}", first.subject, first.found);
            ScoreError::new(ErrorCode::LoadError, message).hint(first.remedy.clone().unwrap_or_default())
        });
        let data = json!({"healthy": broken == 0, "broken": broken, "warnings": warnings, "findings": findings});
        Envelope::new(Some(data), error, start).print();
    } else {
        show(&findings);
        print::out(format!("\n{broken} broken, {}", print::count(warnings, "warning")));
    }
    Ok(if broken == 0 { Exit::Done } else { Exit::ScorerFailed })
}

fn show(findings: &[Finding]) {
    let mut table = print::table(&["", "what", "found"]);
    for finding in findings {
        let health = match finding.health {
            Health::Fine => "ok",
            Health::Warning => "warning",
            Health::Broken => "BROKEN",
        };
        table.add_row([health.to_owned(), finding.subject.clone(), print::visible(&finding.found)]);
        if let Some(remedy) = &finding.remedy {
            table.add_row([String::new(), String::new(), format!("-> {}", print::visible(remedy))]);
        }
    }
    print::out(print::rows(&table));
}

//! `validate`: every fault of workspaces, without scoring them.

use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use autoscorer_plugin_api::faults::Faults;
use serde_json::{Value, json};

use super::{interrupt, requests};
use crate::engine::Engine;
use crate::entry::cli::ValidateArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::Job;
use crate::settings::Settings;

/// Validates the workspaces.
pub fn run(args: &ValidateArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let cancel = interrupt::cancel()?;
    let engine = Engine::new(settings);
    let requests = requests::requests(&args.workspaces, &args.job, false)?;
    let names: Vec<_> =
        requests.iter().filter_map(|request| Job::prepare(request).ok()).map(|job| job.scorer).collect();
    engine.load_needed(names.iter());
    let checked: Vec<(&str, Faults)> =
        requests.iter().map(|request| (request.workspace.as_str(), engine.validate(request, &cancel))).collect();
    let exit = checked.iter().flat_map(|(_, faults)| &faults.list).map(Exit::of).max().unwrap_or(Exit::Done);
    if args.json {
        document(&checked, start).print()
    } else {
        show(&checked)
    }
    Ok(exit)
}

fn document(checked: &[(&str, Faults)], start: Instant) -> Envelope<Value> {
    let one = |(workspace, faults): &(&str, Faults)| json!({"workspace": workspace, "valid": faults.is_empty(), "fault_count": faults.total, "faults": faults.list});
    let invalid = checked.iter().filter(|(_, faults)| !faults.is_empty()).count();
    let first = checked.iter().find_map(|(_, faults)| faults.list.first());
    let error = first.map(|fault| {
        let message = format!("{invalid} of {} workspaces have faults; the first: {}", checked.len(), fault.message);
        ScoreError::new(fault.code, message)
    });
    let results: Vec<Value> = checked.iter().map(one).collect();
    Envelope::new(Some(json!({"invalid": invalid, "results": results})), error, start)
}

fn show(checked: &[(&str, Faults)]) {
    let mut table = print::table(&["workspace", "faults"]);
    for (workspace, faults) in checked {
        let count = if faults.is_empty() { "none".to_owned() } else { faults.total.to_string() };
        table.add_row([*workspace, &count]);
    }
    print::out(print::rows(&table));
    for (workspace, faults) in checked {
        for fault in &faults.list {
            print::err(print::explain(fault, (checked.len() > 1).then_some(workspace)));
        }
        if faults.total > faults.list.len() {
            print::err(print::warning(
                workspace,
                &format!("{} more faults are not shown", faults.total - faults.list.len()),
            ));
        }
    }
}

//! `submit`: hands workspaces to a daemon, and waits for their results if asked to.

use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Map, Value, json};

use super::waiting::{self, Waiting};
use super::{requests, score};
use crate::engine::Report;
use crate::entry::client::{Accepted, Server, Submission};
use crate::entry::client_args::SubmitArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;

/// Submits the workspaces.
pub fn run(args: &SubmitArgs, start: Instant) -> Result<Exit, ScoreError> {
    let order = order(args)?;
    let server = Server::new(&args.server)?;
    let submission = Submission::new(order, args.key.clone());
    let runtime = waiting::runtime()?;
    let accepted = runtime.block_on(hand_in(args, &server, &submission))?;
    if !args.wait {
        show(args, &server, &submission, &accepted, start);
        return Ok(Exit::Done);
    }
    let names = accepted.iter().zip(&args.workspaces).map(|(job, name)| (job.id.clone(), name.clone())).collect();
    let reports = runtime.block_on(Waiting::new(&server, names).until_all_end())?;
    // A connection that is left open must not hold up the end.
    runtime.shutdown_background();
    if args.json {
        document(&accepted, &reports, start).print();
    } else {
        score::show(&reports);
    }
    Ok(score::worst(&reports))
}

/// What all the jobs share, as the daemon reads it.
fn order(args: &SubmitArgs) -> Result<Map<String, Value>, ScoreError> {
    let request = requests::template(&args.job, !args.no_artifacts)?;
    let given = [
        ("scorer", request.scorer.map(|scorer| json!(scorer.to_string()))),
        ("params", Some(json!(request.params)).filter(|_| !request.params.is_empty())),
        ("artifacts", (!request.artifacts).then(|| json!(false))),
        ("priority", (args.priority != 0).then(|| json!(args.priority))),
        ("time_limit", request.time_limit.map(|time| json!(time.as_secs_f64()))),
        ("memory", request.memory_limit.map(|bytes| json!(bytes.to_string()))),
        ("callback", args.callback.as_ref().map(|url| json!(url))),
    ];
    Ok(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
}

async fn hand_in(args: &SubmitArgs, server: &Server, submission: &Submission) -> Result<Vec<Accepted>, ScoreError> {
    if !args.upload {
        return submission.by_path(server, &args.workspaces).await.map_err(|error| here_not_there(error, args));
    }
    let mut accepted = Vec::new();
    for (number, workspace) in args.workspaces.iter().enumerate() {
        match submission.by_upload(server, workspace, number).await {
            Ok(one) => accepted.push(one),
            Err(error) if accepted.is_empty() => return Err(error),
            Err(error) => {
                show(args, server, submission, &accepted, Instant::now());
                let again = format!("submit again with --key {}: what was accepted is not taken twice", submission.key);
                return Err(ScoreError { message: format!("{workspace}: {}", error.message), ..error }.hint(again));
            }
        }
    }
    Ok(accepted)
}

/// Who names a folder of this machine may not know that the daemon looks for it below its own root.
fn here_not_there(error: ScoreError, args: &SubmitArgs) -> ScoreError {
    let is_here = args.workspaces.iter().any(|workspace| std::path::Path::new(workspace).is_dir());
    if error.code == ErrorCode::WorkspaceNotFound && is_here {
        return error.hint("the daemon looks below its own --root; send the folder itself with --upload");
    }
    error
}

fn show(args: &SubmitArgs, server: &Server, submission: &Submission, accepted: &[Accepted], start: Instant) {
    let jobs = accepted.iter().zip(&args.workspaces);
    if args.json {
        let jobs: Vec<Value> = jobs
            .map(|(job, workspace)| json!({"id": job.id, "workspace": workspace, "created": job.created}))
            .collect();
        let data = json!({"server": server.name(), "key": submission.key, "jobs": jobs});
        return Envelope::new(Some(data), None, start).print();
    }
    let mut table = print::table(&["job", "workspace", "new"]);
    for (job, workspace) in jobs {
        table.add_row([job.id.as_str(), &print::visible(workspace), if job.created { "yes" } else { "no" }]);
    }
    print::out(print::rows(&table));
    if let Some(job) = accepted.first() {
        print::err(format!("follow it with: autoscorer jobs watch {} --server {}", job.id, server.name()));
    }
}

/// As `score` prints it, with the name of each job.
fn document(accepted: &[Accepted], reports: &[Report], start: Instant) -> Envelope<Value> {
    let mut document = score::document_of(reports, start);
    document.amend(|data| {
        let results = if reports.len() == 1 {
            std::slice::from_mut(data)
        } else {
            data["results"].as_array_mut().map_or(&mut [][..], |all| all)
        };
        for (result, job) in results.iter_mut().zip(accepted) {
            result["job"] = json!(job.id);
        }
    });
    document
}

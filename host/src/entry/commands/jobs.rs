//! `jobs`: looks at the jobs of a daemon, follows them, and changes them.

use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::ScoreError;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{score, waiting};
use crate::daemon::LogLine;
use crate::engine::Report;
use crate::entry::client::{Events, JobSeen, Server, Told};
use crate::entry::client_args::{JobsArgs, JobsCommand, JobsListArgs};
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::queue::State;

/// A page has at most so many jobs.
const PAGE: u32 = 500;

/// A log that is followed is looked at this often.
const PAUSE: Duration = Duration::from_millis(300);

/// Does it.
pub fn run(args: &JobsArgs, start: Instant) -> Result<Exit, ScoreError> {
    let server = Server::new(&args.server)?;
    let jobs = Jobs { server: &server, json: args.json, start };
    let runtime = waiting::runtime()?;
    let exit = runtime.block_on(async {
        match &args.command {
            JobsCommand::List(list) => jobs.list(list).await,
            JobsCommand::Show(job) => server.job(&job.id).await.map(|job| jobs.show(&job)),
            JobsCommand::Cancel(job) => server.change(&job.id, "cancel").await.map(|job| jobs.show(&job)),
            JobsCommand::Requeue(job) => server.change(&job.id, "requeue").await.map(|job| jobs.show(&job)),
            JobsCommand::Watch { id } => jobs.watch(id.as_deref()).await,
            JobsCommand::Logs { id, follow } => jobs.logs(id, *follow).await,
            JobsCommand::Result(job) => jobs.result(&job.id).await,
        }
    });
    // A connection that is left open must not hold up the end.
    runtime.shutdown_background();
    exit
}

struct Jobs<'s> {
    server: &'s Server,
    json: bool,
    start: Instant,
}

impl Jobs<'_> {
    async fn list(&self, args: &JobsListArgs) -> Result<Exit, ScoreError> {
        let given = [("state", &args.state), ("submitter", &args.submitter), ("scorer", &args.scorer)];
        let filter: Vec<_> = given.into_iter().filter_map(|(key, value)| Some((key, value.clone()?))).collect();
        let (mut jobs, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let left = args.limit.saturating_sub(jobs.len() as u32);
            let mut query = filter.clone();
            query.push(("limit", left.min(PAGE).to_string()));
            query.extend(cursor.take().map(|cursor| ("cursor", cursor)));
            let page = self.server.jobs(&query).await?;
            jobs.extend(page.jobs);
            cursor = page.next_cursor;
            if cursor.is_none() || jobs.len() >= args.limit as usize {
                break;
            }
        }
        if self.json {
            self.print(json!({"jobs": jobs, "more": cursor.is_some()}));
            return Ok(Exit::Done);
        }
        let mut table = print::table(&["job", "state", "workspace", "scorer", "score", "submitter", "created"]);
        for job in &jobs {
            table.add_row(row(job));
        }
        print::out(print::rows(&table));
        if cursor.is_some() {
            print::err("there are more; see them with a larger --limit");
        }
        Ok(Exit::Done)
    }

    fn show(&self, job: &JobSeen) -> Exit {
        if self.json {
            self.print(job);
            return Exit::Done;
        }
        let mut table = print::table(&["field", "value"]);
        for (key, value) in json!(job).as_object().into_iter().flatten() {
            let text = print::plain(value);
            if !matches!(key.as_str(), "error" | "progress") && !value.is_null() && text != "{}" {
                table.add_row([key, &print::visible(&text)]);
            }
        }
        if let Some(progress) = &job.progress {
            table.add_row(["progress", &format!("{}/{}", progress.done, progress.total)]);
        }
        print::out(print::rows(&table));
        if let Some(error) = &job.error {
            print::err(print::explain(error, None));
        }
        Exit::Done
    }

    /// All jobs without an end, or one to its end.
    async fn watch(&self, id: Option<&str>) -> Result<Exit, ScoreError> {
        if let Some(id) = id {
            // An unknown job has no events to wait for, and one that has ended may have none any more.
            let job = self.server.job(id).await?;
            if job.state.is_final() {
                return self.replay(&job).await;
            }
        }
        let mut events = Events::new(self.server, id);
        events.listen().await?;
        while !print::is_closed() {
            let told = events.next().await?;
            self.tell(&told);
            let Some(id) = id.filter(|_| may_have_ended(&told)) else { continue };
            // It may have been put into the queue again since.
            let job = self.server.job(id).await?;
            if job.state.is_final() {
                return Ok(exit_of(&job));
            }
        }
        Ok(Exit::Done)
    }

    async fn replay(&self, job: &JobSeen) -> Result<Exit, ScoreError> {
        let mut events = Events::kept(self.server, &job.id);
        while let Some(told) = events.read_on().await? {
            self.tell(&told);
        }
        Ok(exit_of(job))
    }

    fn tell(&self, told: &Told) {
        if self.json {
            return Envelope::new(Some(told), None, self.start).print_line();
        }
        let job = told.job.as_deref().unwrap_or("-");
        let more = match (&told.data["score"], told.data["error"]["message"].as_str()) {
            (Value::Number(score), _) => format!("  {}", print::number(score.as_f64().unwrap_or_default())),
            (_, Some(message)) => format!("  {message}"),
            _ => String::new(),
        };
        print::out(print::visible(&format!("{}  {job}  {}{more}", told.at, told.kind)));
    }

    async fn logs(&self, id: &str, follow: bool) -> Result<Exit, ScoreError> {
        let mut shown: Vec<LogLine> = Vec::new();
        loop {
            // Asked first: what is said before the end is in the log that is read after it.
            let ended = self.server.job(id).await?.state.is_final();
            let lines = self.server.log(id).await?;
            if self.json && !follow {
                self.print(json!({"id": id, "lines": lines}));
                return Ok(Exit::Done);
            }
            // A job that is run again has a new log.
            let known = if lines.starts_with(&shown) { shown.len() } else { 0 };
            for line in &lines[known..] {
                if self.json {
                    Envelope::new(Some(line), None, self.start).print_line();
                } else {
                    print::out(print::visible(&format!("{}  {:5}  {}", line.timestamp, line.level, line.message)));
                }
            }
            shown = lines;
            if ended || !follow || print::is_closed() {
                return Ok(Exit::Done);
            }
            sleep(PAUSE).await;
        }
    }

    async fn result(&self, id: &str) -> Result<Exit, ScoreError> {
        let job = self.server.job(id).await?;
        let result = if job.state.is_final() {
            waiting::outcome(self.server, &job).await?
        } else {
            // The daemon says best why there is none.
            self.server.result(id).await?
        };
        let reports = [Report { workspace: job.place().to_owned(), result }];
        if self.json {
            score::document_of(&reports, self.start).print();
        } else {
            score::show(&reports);
        }
        Ok(score::worst(&reports))
    }

    fn print(&self, data: impl Serialize) {
        Envelope::new(Some(data), None, self.start).print();
    }
}

fn row(job: &JobSeen) -> Vec<String> {
    let score = match (&job.error, job.score) {
        (Some(error), _) => error.code.to_string(),
        (None, Some(score)) => print::number(score),
        (None, None) => "-".to_owned(),
    };
    let scorer = job.scored_by.clone().or_else(|| job.more.get("scorer")?.as_str().map(str::to_owned));
    vec![
        job.id.clone(),
        job.state.as_str().to_owned(),
        print::visible(job.place()),
        print::visible(scorer.as_deref().unwrap_or("-")),
        score,
        print::visible(&job.submitter),
        job.created.clone(),
    ]
}

/// The end may also be among the events that are missing.
fn may_have_ended(told: &Told) -> bool {
    let ends = |state: &State| state.is_final() && told.kind.strip_prefix("job.") == Some(state.as_str());
    told.kind == "gap" || State::ALL.iter().any(ends)
}

fn exit_of(job: &JobSeen) -> Exit {
    match (&job.error, job.state) {
        (Some(error), _) => Exit::of(error),
        (None, State::Cancelled) => Exit::Interrupted,
        (None, _) => Exit::Done,
    }
}

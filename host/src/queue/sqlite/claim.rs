//! Claims: who has a job, and until when. A hold that has run out gives its job back to the queue.

use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use rusqlite::{Connection, params};

use super::super::job::{Claim, Ending, Job, JobId};
use super::super::moment::Moment;
use super::super::store::{Beat, QueueError};
use super::busy::Busy;
use super::rows::{JOB, all, change, job, known, one, task_fault};
use super::tokens::Tokens;
use super::{end, events, line};

/// Takes the next job. One that cannot be understood fails, and the one behind it is next.
pub fn claim(db: &Connection, lease: Duration, tokens: &Tokens) -> Result<Option<Claim>, QueueError> {
    let busy = Busy::now(db)?;
    while let Some(id) = line::first(db, &busy)? {
        match task_fault(db, &id)? {
            None => return take(db, &id, lease, tokens.next(db)?).map(Some),
            Some(reason) => {
                let ending = Ending::Failed { result: None, error: not_understood(reason), scored_by: None };
                end::end(db, &known(db, &id)?, &ending)?;
            }
        }
    }
    Ok(None)
}

fn take(db: &Connection, id: &JobId, lease: Duration, token: i64) -> Result<Claim, QueueError> {
    let now = Moment::now();
    let sql = "UPDATE job SET state = 'running', attempts = attempts + 1, token = ?2, lease = ?3, started = ?4
               WHERE id = ?1";
    change(db, sql, params![id.as_str(), token, now.plus(lease).0, now.0])?;
    let job = known(db, id)?;
    line::refresh(db, job.priority, &job.submitter)?;
    line::served(db, &job.submitter, token)?;
    events::tell(db, "job.running", &job)?;
    Ok(Claim { job, token })
}

/// Renews a lease.
pub fn renew(db: &Connection, id: &JobId, token: i64, lease: Duration) -> Result<Beat, QueueError> {
    let sql = "UPDATE job SET lease = ?3 WHERE id = ?1 AND token = ?2 AND state = 'running' RETURNING cancelling";
    let cancelling = one(db, sql, params![id.as_str(), token, Moment::now().plus(lease).0], |row| row.get(0))?;
    Ok(match cancelling {
        None => Beat::Lost,
        Some(true) => Beat::Cancel,
        Some(false) => Beat::Go,
    })
}

/// The job that a worker has, if it still has it.
pub fn held(db: &Connection, id: &JobId, token: i64) -> Result<Option<Job>, QueueError> {
    let sql = format!("SELECT {JOB} FROM job WHERE id = ?1 AND token = ?2 AND state = 'running'");
    one(db, &sql, params![id.as_str(), token], job)
}

/// Puts a job back to its place in the line, as if it had not been taken.
pub fn give_back(db: &Connection, id: &JobId, token: i64) -> Result<bool, QueueError> {
    let Some(job) = held(db, id, token)? else { return Ok(false) };
    put_back(db, &job, job.attempts.saturating_sub(1))?;
    Ok(true)
}

/// Puts back the jobs whose lease has run out by `now`, or fails them if that has happened too often; not those whose
/// hold is alive.
pub fn recover(db: &Connection, now: Moment, alive: &[i64], max_attempts: u32) -> Result<usize, QueueError> {
    let sql = format!("SELECT {JOB}, job.token FROM job WHERE state = 'running' AND lease <= ?1 ORDER BY lease");
    let mut late = all(db, &sql, [now.0], |row| Ok((job(row)?, row.get::<_, i64>(14)?)))?;
    late.retain(|(_, token)| !alive.contains(token));
    for (job, _) in &late {
        if job.attempts < max_attempts || job.cancelling {
            put_back(db, job, job.attempts)?;
        } else {
            end::end(db, job, &Ending::Failed { result: None, error: given_up(job), scored_by: None })?;
        }
    }
    Ok(late.len())
}

/// A job that was to be stopped is not queued again.
fn put_back(db: &Connection, job: &Job, attempts: u32) -> Result<(), QueueError> {
    if job.cancelling {
        return end::end(db, job, &Ending::Cancelled);
    }
    let sql =
        "UPDATE job SET state = 'queued', attempts = ?2, token = NULL, lease = NULL, started = NULL WHERE id = ?1";
    change(db, sql, params![job.id.as_str(), attempts])?;
    line::refresh(db, job.priority, &job.submitter)?;
    events::tell(db, "job.queued", &known(db, &job.id)?)
}

fn not_understood(reason: String) -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, "what this job was to do cannot be read from the queue's file")
        .at_stage("request")
        .found(reason)
        .hint("a newer or a damaged autoscorer may have written it; submit the job again")
}

fn given_up(job: &Job) -> ScoreError {
    let times = if job.attempts == 1 { "once".to_owned() } else { format!("{} times", job.attempts) };
    ScoreError::new(
        ErrorCode::ScorerCrashed,
        format!("the worker that ran the job died {times}, and it is not run again"),
    )
    .at_stage("score")
    .detail("attempts", job.attempts)
    .hint(format!(
        "look into the daemon's log for what ended its workers; then requeue the job: autoscorer jobs requeue {}",
        job.id
    ))
}

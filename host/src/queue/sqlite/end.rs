//! Endings: a job's end is recorded once, with its result, its event and the callback that is owed from then on.

use rusqlite::{Connection, params};

use super::super::job::{Ending, Job, JobId, State};
use super::super::moment::Moment;
use super::super::store::{Changed, QueueError};
use super::rows::{all, change, find, id, known, next, to_json};
use super::{claim, events, line, outbox, submit};

/// Records how a job ended, if the worker still has it.
pub fn finish(db: &Connection, id: &JobId, token: i64, ending: &Ending) -> Result<bool, QueueError> {
    let Some(job) = claim::held(db, id, token)? else { return Ok(false) };
    end(db, &job, ending)?;
    Ok(true)
}

/// Ends a job that waits or runs.
pub fn end(db: &Connection, job: &Job, ending: &Ending) -> Result<(), QueueError> {
    let (state, kind, result, score, error, scored_by) = match ending {
        Ending::Done { result, score, scored_by } => (State::Done, "job.done", Some(result), *score, None, scored_by),
        Ending::Failed { result, error, scored_by } => {
            (State::Failed, "job.failed", result.as_ref(), None, Some(to_json(error)?), scored_by)
        }
        Ending::Cancelled => (State::Cancelled, "job.cancelled", None, None, None, &None),
    };
    let scorer = scored_by.as_deref().map(|name| name.split_once('@').map_or(name, |(id, _)| id));
    let sql = "UPDATE job SET state = ?2, finished = ?3, score = ?4, error = ?5, scored_by = ?6, scorer = ?7,
                   cancelling = 0, token = NULL, lease = NULL WHERE id = ?1";
    change(db, sql, params![job.id.as_str(), state.as_str(), Moment::now().0, score, error, scored_by, scorer])?;
    if let Some(result) = result {
        let sql = "INSERT INTO result (job, text) SELECT number, ?2 FROM job WHERE id = ?1";
        change(db, sql, params![job.id.as_str(), result])?;
    }
    if job.state == State::Queued {
        line::refresh(db, job.priority, &job.submitter)?;
    }
    if job.callback.is_some() {
        outbox::owe(db, &job.id)?;
    }
    events::tell(db, kind, &known(db, &job.id)?)
}

/// Stops a job: at once if it waits; otherwise its worker is told when it renews its lease.
pub fn cancel(db: &Connection, id: &JobId) -> Result<Changed, QueueError> {
    let Some(job) = find(db, id)? else { return Ok(Changed::Unknown) };
    match job.state {
        State::Queued => end(db, &job, &Ending::Cancelled)?,
        State::Running if job.cancelling => {}
        State::Running => {
            change(db, "UPDATE job SET cancelling = 1 WHERE id = ?1", [id.as_str()])?;
            events::tell(db, "job.cancelling", &known(db, id)?)?;
        }
        ended => return Ok(Changed::Refused(ended)),
    }
    Ok(Changed::Changed(Box::new(known(db, id)?)))
}

/// Puts a job that has ended at the end of its line, as if it were new.
pub fn requeue(db: &Connection, id: &JobId, limit: u64) -> Result<Changed, QueueError> {
    let Some(job) = find(db, id)? else { return Ok(Changed::Unknown) };
    if !job.state.is_final() {
        return Ok(Changed::Refused(job.state));
    }
    let sql = "UPDATE job SET state = 'queued', place = ?2, since = ?3, attempts = 0, started = NULL, finished = NULL,
                   score = NULL, scored_by = NULL, scorer = NULL, error = NULL WHERE id = ?1";
    change(db, sql, params![id.as_str(), next(db, "place")?, Moment::now().0])?;
    submit::check_room(db, limit)?;
    change(db, "DELETE FROM result WHERE job = (SELECT number FROM job WHERE id = ?1)", [id.as_str()])?;
    outbox::withdraw(db, id)?;
    line::refresh(db, job.priority, &job.submitter)?;
    let job = known(db, id)?;
    events::tell(db, "job.requeued", &job)?;
    Ok(Changed::Changed(Box::new(job)))
}

/// Forgets jobs that ended before a moment, with all that belongs to them; not those whose callback is still owed.
pub fn forget(db: &Connection, before: Moment, most: usize) -> Result<Vec<JobId>, QueueError> {
    let sql = "SELECT id, number, submitter FROM job WHERE finished < ?1
                   AND NOT EXISTS (SELECT 1 FROM delivery WHERE job = job.number AND next_at IS NOT NULL)
               ORDER BY finished LIMIT ?2";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let old = all(db, sql, [before.0, most], |row| Ok((id(row, 0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))?;
    for (_, number, submitter) in &old {
        change(db, "DELETE FROM job WHERE number = ?1", [number])?;
        // A submitter of whom nothing is left needs no turn.
        let sql = "DELETE FROM turn WHERE submitter = ?1 AND NOT EXISTS (SELECT 1 FROM job WHERE submitter = ?1)";
        change(db, sql, [submitter])?;
    }
    Ok(old.into_iter().map(|(id, ..)| id).collect())
}

//! Looking: lists, results and counts, without a change.

use rusqlite::types::Value as Field;
use rusqlite::{Connection, params_from_iter};

use super::super::job::{JobId, State};
use super::super::moment::Moment;
use super::super::store::{Counts, ListFilter, Page, QueueError};
use super::rows::{JOB, all, job, one};

/// The jobs that a filter lets through, the latest first. Parameters of hundreds of jobs are more than anybody looks at.
pub fn list(db: &Connection, filter: &ListFilter) -> Result<Page, QueueError> {
    // A task that is damaged is left as it is, and told of by its job.
    let task = "CASE WHEN json_valid(job.task) THEN json_remove(job.task, '$.params') ELSE job.task END";
    let columns = JOB.replace("job.task", task);
    let mut sql = format!("SELECT {columns} FROM job WHERE 1");
    let mut fields = Vec::new();
    let conditions = [
        (" AND state = ?", filter.state.map(|state| state.as_str().to_owned())),
        (" AND submitter = ?", filter.submitter.clone()),
        (" AND scorer = ?", filter.scorer.clone()),
        (" AND id < ?", filter.before.as_ref().map(|id| id.as_str().to_owned())),
    ];
    for (condition, field) in conditions {
        if let Some(field) = field {
            sql += condition;
            fields.push(Field::Text(field));
        }
    }
    sql += " ORDER BY id DESC LIMIT ?";
    // One more than wanted shows whether there are more.
    fields.push(Field::Integer(i64::try_from(filter.most).unwrap_or(i64::MAX).saturating_add(1)));
    let mut jobs = all(db, &sql, params_from_iter(fields), job)?;
    let more = jobs.len() > filter.most;
    jobs.truncate(filter.most);
    Ok(Page { jobs, more })
}

/// The recorded result of a job.
pub fn result(db: &Connection, id: &JobId) -> Result<Option<String>, QueueError> {
    let sql = "SELECT text FROM result JOIN job ON job.number = result.job WHERE job.id = ?1";
    one(db, sql, [id.as_str()], |row| row.get(0))
}

/// How many jobs there are.
pub fn counts(db: &Connection) -> Result<Counts, QueueError> {
    let mut counts = Counts::default();
    for (state, jobs) in
        all(db, "SELECT state, jobs FROM tally", [], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?
    {
        if let Some(at) = State::ALL.iter().position(|one| one.as_str() == state) {
            counts.by_state[at] = jobs;
        }
    }
    // Left to itself, SQLite looks through all that wait.
    let sql = "SELECT since FROM job INDEXED BY job_since WHERE state = 'queued' ORDER BY since LIMIT 1";
    counts.oldest_queued = one(db, sql, [], |row| Ok(Moment(row.get(0)?)))?;
    let sql = "SELECT count(*) FROM delivery WHERE next_at IS NOT NULL";
    counts.owed = one(db, sql, [], |row| row.get(0))?.unwrap_or(0);
    Ok(counts)
}

//! Rows: how a job is read from its row, and how the file's failures are told.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use rusqlite::types::Type;
use rusqlite::{CachedStatement, Connection, ErrorCode as SqliteCode, OptionalExtension, Params, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::job::{Job, JobId, Order, Place, State};
use super::super::moment::Moment;
use super::super::store::QueueError;

/// The columns that [`job`] reads.
pub const JOB: &str = "job.id, job.submitter, job.priority, job.task, job.callback, job.state, job.attempts, \
                       job.cancelling, job.created, job.started, job.finished, job.score, job.scored_by, job.error";

/// A job, from a row that begins with the columns of [`JOB`]. What cannot be understood of one job must not keep others
/// from being listed or run: in its place stands something that says so. Whether a job can be run, [`task_fault`] tells.
pub fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    let error: Option<String> = row.get(13)?;
    Ok(Job {
        id: id(row, 0)?,
        submitter: row.get(1)?,
        priority: row.get(2)?,
        order: serde_json::from_str(&row.get::<_, String>(3)?)
            .unwrap_or_else(|_| Order::of(Place::Path(String::new()))),
        callback: row.get(4)?,
        state: state(row, 5)?,
        attempts: row.get(6)?,
        cancelling: row.get(7)?,
        created: Moment(row.get(8)?),
        started: row.get::<_, Option<i64>>(9)?.map(Moment),
        finished: row.get::<_, Option<i64>>(10)?.map(Moment),
        score: row.get(11)?,
        scored_by: row.get(12)?,
        error: error.map(|text| serde_json::from_str(&text).unwrap_or_else(|_| unknown_error())),
    })
}

/// Why a job's task cannot be understood, if it cannot.
pub fn task_fault(db: &Connection, id: &JobId) -> Result<Option<String>, QueueError> {
    let task = one(db, "SELECT task FROM job WHERE id = ?1", [id.as_str()], |row| row.get::<_, String>(0))?;
    Ok(task.and_then(|task| serde_json::from_str::<Order>(&task).err()).map(|error| error.to_string()))
}

fn unknown_error() -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, "why this job failed cannot be read from the queue's file any more")
}

/// A job's name, from a column.
pub fn id(row: &Row<'_>, column: usize) -> rusqlite::Result<JobId> {
    let text: String = row.get(column)?;
    JobId::parse(&text).ok_or_else(|| unreadable(column, format!("'{text}' is no job's name")))
}

fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<State> {
    let text: String = row.get(column)?;
    State::ALL
        .into_iter()
        .find(|state| state.as_str() == text)
        .ok_or_else(|| unreadable(column, format!("'{text}' is no state")))
}

/// A value that is kept as JSON.
pub fn from_json<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| unreadable(column, error.to_string()))
}

/// A value as JSON, to be kept.
pub fn to_json(value: &impl Serialize) -> Result<String, QueueError> {
    serde_json::to_string(value).map_err(|error| QueueError::Failed(format!("cannot be written as JSON: {error}")))
}

fn unreadable(column: usize, reason: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, reason.into())
}

/// The job with a name.
pub fn find(db: &Connection, id: &JobId) -> Result<Option<Job>, QueueError> {
    one(db, &format!("SELECT {JOB} FROM job WHERE id = ?1"), [id.as_str()], job)
}

/// The job with a name, which is known to be there.
pub fn known(db: &Connection, id: &JobId) -> Result<Job, QueueError> {
    find(db, id)?.ok_or_else(|| QueueError::Failed(format!("the job {id} has gone")))
}

/// The first row that a query finds.
pub fn one<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, QueueError> {
    Ok(prepared(db, sql)?.query_row(params, read).optional()?)
}

/// What is chosen from the first row that has something to choose. Rows behind it are not looked at.
pub fn pick<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    mut choose: impl FnMut(&Row<'_>) -> Result<Option<T>, QueueError>,
) -> Result<Option<T>, QueueError> {
    let mut statement = prepared(db, sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        if let Some(chosen) = choose(row)? {
            return Ok(Some(chosen));
        }
    }
    Ok(None)
}

/// All rows that a query finds.
pub fn all<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, QueueError> {
    Ok(prepared(db, sql)?.query_map(params, read)?.collect::<rusqlite::Result<_>>()?)
}

/// Changes rows, and gives their number.
pub fn change(db: &Connection, sql: &str, params: impl Params) -> Result<usize, QueueError> {
    Ok(prepared(db, sql)?.execute(params)?)
}

/// The next number of a sequence that never repeats one.
pub fn next(db: &Connection, counter: &str) -> Result<i64, QueueError> {
    let sql = "UPDATE counter SET value = value + 1 WHERE name = ?1 RETURNING value";
    one(db, sql, [counter], |row| row.get(0))?
        .ok_or_else(|| QueueError::Failed(format!("the counter '{counter}' is missing: the file is damaged")))
}

fn prepared<'a>(db: &'a Connection, sql: &str) -> Result<CachedStatement<'a>, QueueError> {
    Ok(db.prepare_cached(sql)?)
}

impl From<rusqlite::Error> for QueueError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(match error.sqlite_error_code() {
            Some(SqliteCode::DatabaseCorrupt | SqliteCode::NotADatabase) => {
                format!(
                    "the file is damaged, and was left as it is ({error}); restore it from a backup, or move it away"
                )
            }
            Some(SqliteCode::DiskFull) => format!("the disk is full ({error}); make room"),
            Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked) => {
                format!("another program holds the file ({error}); close it")
            }
            _ => error.to_string(),
        })
    }
}

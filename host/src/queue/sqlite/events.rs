//! Events: added with the change they tell of, in the same transaction; the oldest are dropped a few at a time.

use rusqlite::types::Value as Field;
use rusqlite::{Connection, params, params_from_iter};
use serde_json::{Map, Value, json};

use super::super::event::{Event, EventFilter};
use super::super::job::Job;
use super::super::moment::Moment;
use super::super::store::QueueError;
use super::rows::{all, change, from_json, one, to_json};

/// Trimming waits until there are so many to drop…
const TRIM_FROM: i64 = 256;
/// …and drops so many at most, so that no commit takes long.
const TRIM_MOST: i64 = 1024;

/// Adds an event, and gives its number.
pub fn add(db: &Connection, kind: &str, job: Option<&str>, data: &Value) -> Result<i64, QueueError> {
    let sql = "INSERT INTO event (at, kind, job, data) VALUES (?1, ?2, ?3, ?4)";
    change(db, sql, params![Moment::now().0, kind, job, to_json(data)?])?;
    Ok(db.last_insert_rowid())
}

/// Adds an event about a job, as it is after the change.
pub fn tell(db: &Connection, kind: &str, job: &Job) -> Result<(), QueueError> {
    add(db, kind, Some(job.id.as_str()), &about(job)).map(|_| ())
}

fn about(job: &Job) -> Value {
    let mut data = Map::new();
    data.insert("id".to_owned(), json!(job.id));
    data.insert("state".to_owned(), json!(job.state));
    data.insert("submitter".to_owned(), json!(job.submitter));
    data.insert("priority".to_owned(), json!(job.priority));
    data.insert("attempts".to_owned(), json!(job.attempts));
    if let Some(score) = job.score {
        data.insert("score".to_owned(), json!(score));
    }
    if let Some(scored_by) = &job.scored_by {
        data.insert("scored_by".to_owned(), json!(scored_by));
    }
    if let Some(error) = &job.error {
        data.insert("error".to_owned(), json!({ "code": error.code, "message": error.message }));
    }
    Value::Object(data)
}

/// The events that a filter lets through, in order.
pub fn after(db: &Connection, filter: &EventFilter, most: usize) -> Result<Vec<Event>, QueueError> {
    let mut sql = "SELECT number, at, kind, job, data FROM event WHERE number > ?".to_owned();
    let mut fields = vec![Field::Integer(filter.after)];
    if let Some(job) = &filter.job {
        sql += " AND job = ?";
        fields.push(Field::Text(job.clone()));
    }
    if let Some(kind) = &filter.kind {
        sql += " AND substr(kind, 1, length(?)) = ?";
        fields.extend([Field::Text(kind.clone()), Field::Text(kind.clone())]);
    }
    sql += " ORDER BY number LIMIT ?";
    fields.push(Field::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
    all(db, &sql, params_from_iter(fields), |row| {
        Ok(Event {
            number: row.get(0)?,
            at: Moment(row.get(1)?),
            kind: row.get(2)?,
            job: row.get(3)?,
            data: from_json(4, &row.get::<_, String>(4)?)?,
        })
    })
}

/// The number of the last event there ever was; 0 before the first.
pub fn last(db: &Connection) -> Result<i64, QueueError> {
    Ok(one(db, "SELECT seq FROM sqlite_sequence WHERE name = 'event'", [], |row| row.get(0))?.unwrap_or(0))
}

/// The number of the first event that is still kept, or of the next one.
pub fn first(db: &Connection) -> Result<i64, QueueError> {
    let first = one(db, "SELECT number FROM event ORDER BY number LIMIT 1", [], |row| row.get(0))?;
    first.map_or_else(|| Ok(last(db)? + 1), Ok)
}

/// Drops events up to a number, if it is worth it. Gives the number up to which they are gone.
pub fn trim(db: &Connection, gone: i64, up_to: i64) -> Result<i64, QueueError> {
    if up_to.saturating_sub(gone) < TRIM_FROM {
        return Ok(gone);
    }
    let up_to = up_to.min(gone + TRIM_MOST);
    change(db, "DELETE FROM event WHERE number <= ?1", [up_to])?;
    Ok(up_to)
}

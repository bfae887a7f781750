//! The line: who is next. The highest priority first, then the submitter who was served the longest ago, then whoever
//! came first.
//!
//! One row for each submitter and priority with somebody waiting: finding the next job takes as long with a hundred
//! thousand of them as with one.

use rusqlite::{Connection, params};

use super::super::job::JobId;
use super::super::store::QueueError;
use super::rows::{change, id, one};

/// Sets a submitter's row of a priority right, after its waiting jobs have changed.
pub fn refresh(db: &Connection, priority: i32, submitter: &str) -> Result<(), QueueError> {
    let sql =
        "SELECT place FROM job WHERE state = 'queued' AND priority = ?1 AND submitter = ?2 ORDER BY place LIMIT 1";
    let head: Option<i64> = one(db, sql, params![priority, submitter], |row| row.get(0))?;
    let Some(head) = head else {
        change(db, "DELETE FROM line WHERE priority = ?1 AND submitter = ?2", params![priority, submitter])?;
        return Ok(());
    };
    let sql = "INSERT OR REPLACE INTO line (priority, submitter, served, head)
               VALUES (?1, ?2, coalesce((SELECT served FROM turn WHERE submitter = ?2), 0), ?3)";
    change(db, sql, params![priority, submitter, head])?;
    Ok(())
}

/// The name of the job that is next, if one waits.
pub fn first(db: &Connection) -> Result<Option<JobId>, QueueError> {
    let sql = "SELECT id FROM (SELECT priority, submitter, head FROM line ORDER BY priority DESC, served, head LIMIT 1) AS next
               CROSS JOIN job ON job.state = 'queued' AND job.priority = next.priority
                   AND job.submitter = next.submitter AND job.place = next.head";
    one(db, sql, [], |row| id(row, 0))
}

/// A submitter has had a turn, and goes behind the others in every priority.
pub fn served(db: &Connection, submitter: &str, clock: i64) -> Result<(), QueueError> {
    change(db, "INSERT OR REPLACE INTO turn (submitter, served) VALUES (?1, ?2)", params![submitter, clock])?;
    change(db, "UPDATE line SET served = ?2 WHERE submitter = ?1", params![submitter, clock])?;
    Ok(())
}

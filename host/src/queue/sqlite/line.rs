//! The line: who is next. The highest priority first, then the submitter who was served the longest ago, then whoever
//! came first.
//!
//! One row for each submitter and priority with somebody waiting: finding the next job takes as long with a hundred
//! thousand of them as with one.

use rusqlite::{Connection, params};

use super::super::job::JobId;
use super::super::store::QueueError;
use super::busy::Busy;
use super::rows::{change, id, one, pick};

/// If the first cannot go, so many lines are looked at, and so many jobs of each: a claim must not take long.
const LINES: usize = 256;
const DEPTH: usize = 64;

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

/// The name of the job that is next, if one waits whose workspace is free.
pub fn first(db: &Connection, busy: &Busy) -> Result<Option<JobId>, QueueError> {
    let sql = "SELECT priority, submitter FROM line ORDER BY priority DESC, served, head LIMIT ?1";
    pick(db, sql, [LINES], |row| first_of(db, row.get(0)?, &row.get::<_, String>(1)?, busy))
}

fn first_of(db: &Connection, priority: i32, submitter: &str, busy: &Busy) -> Result<Option<JobId>, QueueError> {
    let sql = "SELECT id, task FROM job WHERE state = 'queued' AND priority = ?1 AND submitter = ?2
               ORDER BY place LIMIT ?3";
    pick(db, sql, params![priority, submitter, DEPTH], |row| {
        if busy.has(&row.get::<_, String>(1)?) { Ok(None) } else { Ok(Some(id(row, 0)?)) }
    })
}

/// A submitter has had a turn, and goes behind the others in every priority.
pub fn served(db: &Connection, submitter: &str, clock: i64) -> Result<(), QueueError> {
    change(db, "INSERT OR REPLACE INTO turn (submitter, served) VALUES (?1, ?2)", params![submitter, clock])?;
    change(db, "UPDATE line SET served = ?2 WHERE submitter = ?1", params![submitter, clock])?;
    Ok(())
}

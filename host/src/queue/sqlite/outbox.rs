//! The outbox: callbacks that are owed, and the log of every attempt.

use rusqlite::{Connection, params};

use super::super::delivery::{Attempt, Delivered, Delivery};
use super::super::job::JobId;
use super::super::moment::Moment;
use super::super::store::QueueError;
use super::rows::{JOB, all, change, job, one};

/// A job's callback is owed from now on.
pub fn owe(db: &Connection, id: &JobId) -> Result<(), QueueError> {
    let sql = "INSERT INTO delivery (job, next_at) SELECT number, ?2 FROM job WHERE id = ?1";
    change(db, sql, params![id.as_str(), Moment::now().0])?;
    Ok(())
}

/// A job's callback is not owed any more: the end it would tell of is undone.
pub fn withdraw(db: &Connection, id: &JobId) -> Result<(), QueueError> {
    let sql = "UPDATE delivery SET next_at = NULL
               WHERE next_at IS NOT NULL AND job = (SELECT number FROM job WHERE id = ?1)";
    change(db, sql, [id.as_str()])?;
    Ok(())
}

/// The deliveries that are due, the longest due first, and when the first of the others will be.
pub fn due(
    db: &Connection,
    now: Moment,
    skip: usize,
    most: usize,
) -> Result<(Vec<Delivery>, Option<Moment>), QueueError> {
    let rows = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let sql = format!(
        "SELECT {JOB}, owed.number, owed.attempts FROM
            (SELECT number, job, attempts, next_at FROM delivery
             WHERE next_at IS NOT NULL AND next_at <= ?1 ORDER BY next_at, number LIMIT ?2 OFFSET ?3) AS owed
         CROSS JOIN job ON job.number = owed.job ORDER BY owed.next_at, owed.number"
    );
    let due = all(db, &sql, params![now.0, rows(most), rows(skip)], |row| {
        let job = job(row)?;
        let url = job.callback.clone().unwrap_or_default();
        Ok(Delivery { number: row.get(14)?, url, job, attempts: row.get(15)? })
    })?;
    let sql = "SELECT next_at FROM delivery WHERE next_at IS NOT NULL AND next_at > ?1 ORDER BY next_at LIMIT 1";
    Ok((due, one(db, sql, [now.0], |row| Ok(Moment(row.get(0)?)))?))
}

/// Logs an attempt. One that was given up or withdrawn meanwhile is not tried again.
pub fn attempted(db: &Connection, number: i64, attempt: &Attempt) -> Result<(), QueueError> {
    let again = attempt.again.filter(|_| !attempt.delivered).map(|moment| moment.0);
    let sql = "UPDATE delivery SET attempts = attempts + 1, next_at = iif(next_at IS NULL, NULL, ?2)
               WHERE number = ?1 RETURNING attempts";
    let count: Option<i64> = one(db, sql, params![number, again], |row| row.get(0))?;
    let count = count.ok_or_else(|| QueueError::Failed(format!("there is no delivery {number}")))?;
    let sql = "INSERT INTO attempt (delivery, attempt, at, status, error, delivered) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let fields = params![number, count, Moment::now().0, attempt.status, attempt.error, attempt.delivered];
    change(db, sql, fields)?;
    Ok(())
}

/// All attempts for a job, in order.
pub fn deliveries(db: &Connection, id: &JobId) -> Result<Vec<Delivered>, QueueError> {
    let sql = "SELECT attempt.delivery, attempt.attempt, attempt.at, attempt.status, attempt.error, attempt.delivered
               FROM job JOIN delivery ON delivery.job = job.number JOIN attempt ON attempt.delivery = delivery.number
               WHERE job.id = ?1 ORDER BY attempt.delivery, attempt.attempt";
    all(db, sql, [id.as_str()], |row| {
        Ok(Delivered {
            number: row.get(0)?,
            attempt: row.get(1)?,
            at: Moment(row.get(2)?),
            status: row.get(3)?,
            error: row.get(4)?,
            delivered: row.get(5)?,
        })
    })
}

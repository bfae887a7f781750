//! Submitting: jobs are accepted all together or not at all, and once for each key.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{Connection, params};

use super::super::job::{JobId, NewJob};
use super::super::moment::Moment;
use super::super::store::{QueueError, Submitted};
use super::rows::{change, id, known, next, one, to_json};
use super::{events, line};

/// Accepts jobs, as long as no more than `limit` wait then.
pub fn submit(db: &Connection, jobs: &[NewJob], limit: u64) -> Result<Vec<Submitted>, QueueError> {
    let submitted = jobs.iter().map(|job| accept(db, job)).collect::<Result<Vec<_>, _>>()?;
    let created = || jobs.iter().zip(&submitted).filter(|(_, submitted)| submitted.created).map(|(job, _)| job);
    let lines: BTreeSet<_> = created().map(|job| (job.priority, job.submitter.as_str())).collect();
    if !lines.is_empty() {
        check_room(db, limit)?;
    }
    for (priority, submitter) in lines {
        line::refresh(db, priority, submitter)?;
    }
    for job in created() {
        events::tell(db, "job.queued", &known(db, &job.id)?)?;
    }
    Ok(submitted)
}

/// Refuses what was done if more wait now than may.
pub fn check_room(db: &Connection, limit: u64) -> Result<(), QueueError> {
    let waiting: Option<u64> = one(db, "SELECT jobs FROM tally WHERE state = 'queued'", [], |row| row.get(0))?;
    if waiting.unwrap_or(0) > limit { Err(QueueError::Full { limit }) } else { Ok(()) }
}

fn accept(db: &Connection, job: &NewJob) -> Result<Submitted, QueueError> {
    if let Some(id) = accepted_before(db, job)? {
        return Ok(Submitted { id, created: false });
    }
    let sql = "INSERT INTO job (id, submitter, priority, task, callback, request_key, fingerprint, state, place, since, created)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'queued', ?8, ?9, ?9)";
    let fields = params![
        job.id.as_str(),
        job.submitter,
        job.priority,
        to_json(&job.order)?,
        job.callback,
        job.key,
        job.fingerprint,
        next(db, "place")?,
        Moment::now().0,
    ];
    change(db, sql, fields)?;
    Ok(Submitted { id: job.id.clone(), created: true })
}

/// Those of some keys under which something was accepted.
pub fn used_keys(db: &Connection, submitter: &str, keys: Vec<String>) -> Result<HashSet<String>, QueueError> {
    let mut used = HashSet::new();
    for key in keys {
        let sql = "SELECT 1 FROM job WHERE submitter = ?1 AND request_key = ?2";
        if one(db, sql, [submitter, &key], |_| Ok(()))?.is_some() {
            used.insert(key);
        }
    }
    Ok(used)
}

/// The job that the same request was accepted as.
fn accepted_before(db: &Connection, job: &NewJob) -> Result<Option<JobId>, QueueError> {
    let Some(key) = &job.key else { return Ok(None) };
    let sql = "SELECT id, fingerprint FROM job WHERE submitter = ?1 AND request_key = ?2";
    let known = one(db, sql, [&job.submitter, key], |row| Ok((id(row, 0)?, row.get::<_, String>(1)?)))?;
    match known {
        Some((_, fingerprint)) if fingerprint != job.fingerprint => Err(QueueError::KeyReused { key: key.clone() }),
        known => Ok(known.map(|(id, _)| id)),
    }
}

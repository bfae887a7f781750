//! The schema: the tables of the queue's file, and whether a file is one of ours.

use rusqlite::Connection;

use super::super::store::QueueError;

/// Counts up with every change of the tables.
const VERSION: i64 = 1;

/// Marks the file as ours, for us and for `file`: "asqu".
const APPLICATION: i64 = 0x6173_7175;

/// `place` orders a job among those of its submitter and priority; `line` has one row for each submitter and priority
/// with somebody waiting, so that the next job is found without a look at the others; `turn` remembers when a submitter
/// was last served; `tally` counts, since counting a million rows takes too long.
const TABLES: &str = "
CREATE TABLE job (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    submitter TEXT NOT NULL,
    priority INTEGER NOT NULL,
    task TEXT NOT NULL,
    callback TEXT,
    request_key TEXT,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    place INTEGER NOT NULL,
    since INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    cancelling INTEGER NOT NULL DEFAULT 0,
    token INTEGER,
    lease INTEGER,
    created INTEGER NOT NULL,
    started INTEGER,
    finished INTEGER,
    score REAL,
    scored_by TEXT,
    scorer TEXT,
    error TEXT
) STRICT;
CREATE UNIQUE INDEX job_key ON job (submitter, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX job_line ON job (priority, submitter, place) WHERE state = 'queued';
CREATE INDEX job_since ON job (since) WHERE state = 'queued';
CREATE INDEX job_finished ON job (finished) WHERE finished IS NOT NULL;
CREATE INDEX job_state ON job (state, id);
CREATE INDEX job_submitter ON job (submitter, id);
CREATE INDEX job_scorer ON job (scorer, id) WHERE scorer IS NOT NULL;

CREATE TABLE result (
    job INTEGER PRIMARY KEY REFERENCES job (number) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE line (
    priority INTEGER NOT NULL,
    submitter TEXT NOT NULL,
    served INTEGER NOT NULL,
    head INTEGER NOT NULL,
    PRIMARY KEY (priority, submitter)
) STRICT, WITHOUT ROWID;
CREATE INDEX line_next ON line (priority DESC, served, head);
CREATE INDEX line_submitter ON line (submitter);

CREATE TABLE turn (submitter TEXT PRIMARY KEY, served INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES ('place', 0), ('token', 0);

CREATE TABLE tally (state TEXT PRIMARY KEY, jobs INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO tally VALUES ('queued', 0), ('running', 0), ('done', 0), ('failed', 0), ('cancelled', 0);
CREATE TRIGGER job_added AFTER INSERT ON job BEGIN
    UPDATE tally SET jobs = jobs + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER job_moved AFTER UPDATE OF state ON job WHEN OLD.state <> NEW.state BEGIN
    UPDATE tally SET jobs = jobs - 1 WHERE state = OLD.state;
    UPDATE tally SET jobs = jobs + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER job_forgotten AFTER DELETE ON job BEGIN
    UPDATE tally SET jobs = jobs - 1 WHERE state = OLD.state;
END;

CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    job TEXT,
    data TEXT NOT NULL
) STRICT;
CREATE INDEX event_job ON event (job, number) WHERE job IS NOT NULL;

CREATE TABLE delivery (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER NOT NULL REFERENCES job (number) ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER
) STRICT;
CREATE INDEX delivery_job ON delivery (job);
CREATE INDEX delivery_next ON delivery (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE attempt (
    delivery INTEGER NOT NULL REFERENCES delivery (number) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    delivered INTEGER NOT NULL,
    PRIMARY KEY (delivery, attempt)
) STRICT, WITHOUT ROWID;
";

/// Whether a file is empty; refuses one that is not ours, or that a newer version wrote. Changes nothing.
pub fn is_empty(db: &Connection) -> Result<bool, QueueError> {
    let number = |pragma: &str| db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    if tables == 0 && application == 0 && version == 0 {
        return Ok(true);
    }
    if application != APPLICATION {
        return Err(QueueError::Failed(
            "it is a database of another program, and was left alone; name another file".to_owned(),
        ));
    }
    if version > VERSION {
        return Err(QueueError::Failed(format!(
            "a newer autoscorer wrote it (version {version} of the tables; this one knows up to {VERSION}), and it was \
             left alone; run that version, or name another file"
        )));
    }
    Ok(false)
}

/// Makes the tables, all at once, so that a file is either empty or complete.
pub fn create(db: &Connection) -> Result<(), QueueError> {
    let sql = format!(
        "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
    );
    Ok(db.execute_batch(&sql)?)
}

//! What host and worker say to each other: JSON in frames, each with its length before it, over a socket.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::limits::Limits;

/// Both sides are the same program, but an upgrade may have replaced it between two starts.
pub const VERSION: u32 = 2;

/// The hidden subcommand that a worker runs.
pub const SUBCOMMAND: &str = "__worker";

/// The longest frame; a longer one is a mistake or an attack.
const MAX_FRAME: usize = 16 << 20;

/// What the host says.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Do this.
    Call(CallFrame),
    /// Stop what you do.
    Cancel,
}

/// One call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallFrame {
    /// No two calls have the same; an answer to another call is never taken for this one's.
    pub number: u64,
    /// What to call.
    pub entry: Entry,
    /// On which scorer of the library.
    pub scorer: u32,
    /// With which request, as JSON text.
    pub request: String,
    /// What it may use.
    pub limits: Limits,
    /// The one folder it may write to.
    pub writable: Option<PathBuf>,
}

/// What can be called in a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// Find faults.
    Validate,
    /// Score.
    Score,
}

/// What the worker says.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// The library is open.
    Ready {
        /// Always [`VERSION`].
        protocol: u32,
    },
    /// The library cannot be opened, for this reason.
    Refused(Value),
    /// The scorer logs.
    Log {
        /// As the plugin API numbers levels.
        level: u8,
        /// The line.
        message: String,
    },
    /// The scorer tells how far it is.
    Progress {
        /// So much is done.
        done: u64,
        /// Of so much.
        total: u64,
    },
    /// The call has ended.
    Reply {
        /// Which one.
        call: u64,
        /// JSON text of what was asked for, or of an error.
        answer: Result<String, String>,
        /// What it took.
        used: Used,
    },
}

/// What one call has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// CPU time of all its threads.
    pub cpu: Duration,
    /// The most memory its process had resident meanwhile, in MiB.
    pub memory_peak_mb: Option<f64>,
}

/// Writes one frame.
pub fn write(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let mut frame = Vec::with_capacity(body.len() + 4);
    frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
    frame.extend_from_slice(&body);
    to.write_all(&frame)
}

/// Reads one frame; `None` at the end.
pub fn read<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut body = vec![0; checked(length)?];
    from.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

/// Frames as they come in, piece by piece.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
}

impl Inbox {
    /// Takes bytes in.
    pub fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, if there is one.
    pub fn whole_frame(&mut self) -> io::Result<Option<FromWorker>> {
        let Some(length) = self.bytes.first_chunk::<4>() else { return Ok(None) };
        let end = 4 + checked(*length)?;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let message = serde_json::from_slice(&self.bytes[4..end])?;
        self.bytes.drain(..end);
        Ok(Some(message))
    }
}

fn checked(length: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(length) as usize;
    if length <= MAX_FRAME { Ok(length) } else { Err(io::Error::other(format!("a frame of {length} bytes"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_survive_being_cut_anywhere() {
        let mut bytes = Vec::new();
        write(&mut bytes, &FromWorker::Log { level: 1, message: "é".repeat(100) }).unwrap();
        write(&mut bytes, &FromWorker::Reply { call: 1, answer: Ok("{}".to_owned()), used: Used::default() }).unwrap();
        for piece in 1..bytes.len() {
            let mut inbox = Inbox::default();
            let mut seen = 0;
            for part in bytes.chunks(piece) {
                inbox.take(part);
                while inbox.whole_frame().unwrap().is_some() {
                    seen += 1;
                }
            }
            assert_eq!(seen, 2, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_frame_that_is_too_long_or_no_json_is_an_error() {
        let mut inbox = Inbox::default();
        inbox.take(&u32::MAX.to_le_bytes());
        assert!(inbox.whole_frame().is_err());
        let mut inbox = Inbox::default();
        inbox.take(b"\x02\0\0\0no");
        assert!(inbox.whole_frame().is_err());
        assert!(read::<ToWorker>(&b""[..]).unwrap().is_none());
        assert!(read::<ToWorker>(&b"\x09\0\0\0{"[..]).is_err());
    }
}

//! What a worker prints: the last lines are kept.

use std::fs::File;
use std::io::Read;

/// How much of it is kept.
const KEPT: usize = 16 << 10;

/// How many lines an error shows.
const SHOWN_LINES: usize = 10;

/// The tail of what was printed and logged.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    /// Takes what the pipe has now, and gives it as text; nothing when the pipe is closed.
    pub fn drain(&mut self, pipe: &mut File) -> Option<String> {
        let mut part = [0; 64 << 10];
        let read = pipe.read(&mut part).ok().filter(|read| *read > 0)?;
        self.add(&part[..read]);
        Some(String::from_utf8_lossy(&part[..read]).into_owned())
    }

    /// Adds bytes at the end.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
        }
    }

    /// The last lines.
    pub fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(SHOWN_LINES)..].iter().map(|line| (*line).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.add(format!("line {number}\n").as_bytes());
        }
        assert_eq!(tail.lines().last().unwrap(), "line 99999");
        assert_eq!(tail.lines().len(), SHOWN_LINES);
        assert!(tail.bytes.len() <= 3 * KEPT);
    }
}

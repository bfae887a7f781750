//! Lines: where in a file an offset is, for people. Counted only when something is wrong.

use crate::scan::problem::shown;
use crate::scan::source::{Source, Window};

const BLOCK: usize = 1 << 20;

/// How many bytes of a wrong place are shown.
const EXCERPT: usize = 24;

/// The line of each offset, counted from 1; offsets ascend. A file that cannot be read again has none.
pub(crate) fn of(source: &Source, offsets: &[u64]) -> Vec<u64> {
    let mut window = Window::new(source, 0, Vec::new());
    let (mut lines, mut line, mut at) = (Vec::new(), 1, 0);
    for offset in offsets {
        while window.offset(at) < *offset {
            let rest = &window.bytes()[at..];
            let wanted = (*offset - window.offset(at)).min(rest.len() as u64) as usize;
            line += rest[..wanted].iter().filter(|byte| **byte == b'\n').count() as u64;
            at += wanted;
            if at == window.bytes().len() && window.offset(at) < *offset {
                match window.advance(at, BLOCK) {
                    Ok(true) => at = 0,
                    _ => return lines,
                }
            }
        }
        lines.push(line);
    }
    lines
}

/// What stands at an offset.
pub(crate) fn excerpt(source: &Source, offset: u64) -> String {
    let mut window = Window::new(source, offset, Vec::new());
    match window.advance(0, EXCERPT) {
        Ok(true) => shown(window.bytes()),
        _ => "the end of the file".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), "[\n{},\r\n\n7]").unwrap();
        let source = Source::open(folder.path(), "f").unwrap();
        assert_eq!(of(&source, &[0, 1, 2, 8, 9, 10]), [1, 1, 2, 4, 4, 4]);
        assert_eq!(of(&source, &[100]), [0; 0]);
        assert_eq!(excerpt(&source, 8), "7]");
        assert_eq!(excerpt(&source, 100), "the end of the file");
    }
}

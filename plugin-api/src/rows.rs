//! The rows of a CSV text, one after the other, each with the line it begins on.

use csv::{ByteRecord, ReaderBuilder};

use crate::error::{ErrorCode, ScoreError};
use crate::faults::Faults;
use crate::files;

/// Reads row after row of a CSV text and knows on which line each begins.
pub(crate) struct RowReader<'t> {
    pub(crate) name: &'t str,
    text: &'t str,
    reader: csv::Reader<&'t [u8]>,
    pub(crate) record: ByteRecord,
    header: ByteRecord,
    header_line: u64,
    /// Line counting goes along with reading: up to this byte there are `lines` line ends.
    counted: usize,
    lines: u64,
}

impl<'t> RowReader<'t> {
    pub(crate) fn new(name: &'t str, text: &'t str) -> Result<Self, ScoreError> {
        if text.trim().is_empty() {
            return Err(bad_format(name, "is empty").expected("a header and at least one row"));
        }
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let (record, header) = (ByteRecord::new(), ByteRecord::new());
        let mut rows = Self { name, text, reader, record, header, header_line: 1, counted: 0, lines: 0 };
        if let Some(first) = rows.next_row() {
            rows.header_line = first?;
        }
        rows.header = rows.record.clone();
        Ok(rows)
    }

    /// Whether the header has a column of this name.
    pub(crate) fn has_column(&self, name: &str) -> bool {
        self.header.iter().any(|column| column == name.as_bytes())
    }

    /// Where the id column and the others are in a row.
    pub(crate) fn find_columns(&self, id_column: &str, columns: &[&str]) -> Result<Vec<usize>, Faults> {
        let mut faults = Faults::none();
        let mut wanted = Vec::new();
        for name in [id_column].iter().chain(columns) {
            let places: Vec<usize> = (0..self.header.len()).filter(|at| &self.header[*at] == name.as_bytes()).collect();
            match places[..] {
                [place] => wanted.push(place),
                [] => faults.push(self.header_fault(format!("has no column '{name}'"), name)),
                _ => faults.push(self.header_fault(format!("has {} columns '{name}'", places.len()), name)),
            }
        }
        faults.into_result().map(|()| wanted)
    }

    fn header_fault(&self, message: String, column: &str) -> ScoreError {
        let header: Vec<_> = self.header.iter().map(String::from_utf8_lossy).collect();
        let fault = bad_format(self.name, message)
            .line(self.header_line)
            .found(format!("the header {}", header.join(",")))
            .expected(format!("one column named exactly '{column}'"));
        match header.as_slice() {
            [only] if only.contains([';', '\t']) => fault.hint("fields are separated by commas, not by ';' or tabs"),
            names if names.iter().any(|name| name.trim().eq_ignore_ascii_case(column)) => {
                fault.hint("names of columns are compared exactly, with their case and blanks")
            }
            _ => fault,
        }
    }

    /// Moves on to the next row and gives the line it begins on.
    pub(crate) fn next_row(&mut self) -> Option<Result<u64, ScoreError>> {
        let bytes = self.text.as_bytes();
        let mut start = self.reader.position().byte() as usize;
        while matches!(bytes.get(start), Some(b'\r' | b'\n')) {
            start += 1;
        }
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(bad_format(self.name, format!("cannot be read as CSV: {error}")))),
        }
        let line = self.line_at(start);
        let end = self.reader.position().byte() as usize;
        Some(self.check_row(&bytes[start..end], end == bytes.len()).map(|()| line).map_err(|fault| fault.line(line)))
    }

    fn check_row(&self, row: &[u8], last: bool) -> Result<(), ScoreError> {
        if last && ends_inside_quotes(row) {
            return Err(bad_format(self.name, "has a quote that is never closed")
                .expected("a closing \" for every opening one, and \"\" for a quote inside"));
        }
        let (found, expected) = (self.record.len(), self.header.len());
        if !self.header.is_empty() && found != expected {
            return Err(bad_format(
                self.name,
                format!("has a row with {found} fields where the header has {expected}"),
            )
            .found(format!("{found} fields"))
            .expected(format!("{expected} fields"))
            .hint("a field that contains a comma must be in double quotes"));
        }
        Ok(())
    }

    fn line_at(&mut self, offset: usize) -> u64 {
        let between = &self.text.as_bytes()[self.counted..offset];
        self.lines += files::line_ends(between);
        self.counted = offset;
        self.lines + 1
    }
}

/// Whether a row ends before a quoted field does. A quote opens a field only where it begins, and two stand for one.
fn ends_inside_quotes(row: &[u8]) -> bool {
    let (mut inside, mut at_start, mut at) = (false, true, 0);
    while at < row.len() {
        match row[at] {
            b'"' if inside && row.get(at + 1) == Some(&b'"') => at += 1,
            b'"' if inside => inside = false,
            b'"' if at_start => inside = true,
            _ => {}
        }
        at_start = !inside && row[at] == b',';
        at += 1;
    }
    inside
}

pub(crate) fn bad_format(name: &str, message: impl AsRef<str>) -> ScoreError {
    ScoreError::new(ErrorCode::BadFormat, format!("{name} {}", message.as_ref())).file(name)
}

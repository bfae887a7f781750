//! A column of a table: its cells as text, in the order of the rows.

/// The cells of one column, one after the other in one text.
#[derive(Debug)]
pub struct Column {
    name: String,
    text: String,
    ends: Vec<usize>,
}

impl Column {
    /// One without cells.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), text: String::new(), ends: Vec::new() }
    }

    /// The name in the header.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cell of a row.
    pub fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    /// All cells in the order of the rows.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|row| self.get(row))
    }

    pub(crate) fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }
}

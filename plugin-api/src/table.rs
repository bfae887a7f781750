//! CSV keyed by id: read, checked, and joined with another by id.
//!
//! Ids and labels are text, never trimmed and never read as numbers or missing values: `1`, `01` and ` 1` are three ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use csv::ByteRecord;

pub use crate::column::Column;
use crate::context::{Context, Watch};
use crate::error::{ErrorCode, ScoreError};
use crate::faults::Faults;
use crate::files;
use crate::keyed::{self, Columns, Ids, Missing};
use crate::mismatch::ids_differ;
use crate::rows::{RowReader, bad_format};

/// How many rows are read before the next look whether the job should stop.
const ROWS_BETWEEN_LOOKS: usize = 1 << 11;

/// A CSV file whose rows have unique, non-empty ids. Whatever goes through all rows of one that a [`Context`] has read stops when
/// its job does.
#[derive(Debug)]
pub struct Table<'h> {
    name: String,
    ids: Column,
    columns: Vec<Column>,
    lines: Vec<u64>,
    watch: Option<Watch<'h>>,
}

/// Why a cell of a column does not fit: the code of the fault and what was expected.
pub(crate) type Check = fn(&str) -> Result<(), (ErrorCode, &'static str)>;

impl<'h> Table<'h> {
    /// Reads a file of the workspace: UTF-8 (a byte order mark is left out), RFC 4180 quotes, any line ends, blank lines
    /// skipped, columns found by name in any order and others ignored. Every fault is found, each with its line.
    pub fn read(root: &Path, name: &str, id_column: &str, columns: &[&str]) -> Result<Self, Faults> {
        let text = files::read_text(root, name)?;
        Self::parse(name, &text, id_column, columns)
    }

    /// The same, unless the job is stopped.
    pub(crate) fn read_watched(ctx: &Context<'h>, name: &str, id: &str, columns: &[&str]) -> Result<Self, Faults> {
        let text = ctx.read_text(name)?;
        Self::parse_with(RowReader::new(name, &text)?, id, columns, |_| Ok(()), Some(ctx.watch()))
    }

    /// The same from a text; `name` is the file's name in faults.
    pub fn parse(name: &str, text: &str, id_column: &str, columns: &[&str]) -> Result<Self, Faults> {
        Self::parse_with(RowReader::new(name, text)?, id_column, columns, |_| Ok(()), None)
    }

    /// Reads one column whose cells have to pass a check, unless the job is stopped.
    pub(crate) fn read_with(ctx: &Context<'h>, name: &str, columns: Columns<'_>, check: Check) -> Result<Self, Faults> {
        let text = ctx.read_text(name)?;
        let reader = RowReader::new(name, &text)?;
        let value = columns.value.iter().copied().find(|column| reader.has_column(column));
        Self::parse_with(
            reader,
            columns.id,
            value.or(columns.value.first().copied()).as_slice(),
            check,
            Some(ctx.watch()),
        )
    }

    fn parse_with(
        mut reader: RowReader<'_>,
        id_column: &str,
        columns: &[&str],
        check: Check,
        watch: Option<Watch<'h>>,
    ) -> Result<Self, Faults> {
        let name = reader.name;
        let wanted = reader.find_columns(id_column, columns)?;
        let column = |name: &&str| Column::new(name);
        let mut table = Self {
            name: name.to_owned(),
            ids: column(&id_column),
            columns: columns.iter().map(column).collect(),
            lines: Vec::new(),
            watch,
        };
        let mut faults = Faults::none();
        while let Some(row) = reader.next_row() {
            table.look(table.rows())?;
            match row {
                Ok(line) => table.push(&reader.record, line, &wanted, check, &mut faults),
                Err(fault) => faults.push(fault),
            }
        }
        if table.rows() == 0 && faults.is_empty() {
            faults.push(bad_format(name, "has no rows").expected("at least one row below the header"));
        }
        faults.extend(table.duplicate_ids()?);
        faults.into_result().map(|()| table)
    }

    /// The file's name, relative to the workspace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many rows there are; at least one.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The id of each row.
    pub fn ids(&self) -> &Column {
        &self.ids
    }

    /// A column by its place in the list that was asked for.
    pub fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    /// The line at which a row begins.
    pub fn line(&self, row: usize) -> u64 {
        self.lines[row]
    }

    /// A column as numbers: decimal, with sign and exponent where wanted, blanks around them allowed. What is no number is
    /// a TYPE_ERROR, what is none that can be counted with (`nan`, `inf`, `1e999`) a BAD_FORMAT, each with its line.
    pub fn numbers(&self, index: usize) -> Result<Vec<f64>, Faults> {
        let mut faults = Faults::none();
        let mut numbers = Vec::with_capacity(self.rows());
        for (row, cell) in self.columns[index].iter().enumerate() {
            self.look(row)?;
            match number(cell) {
                Ok(number) => numbers.push(number),
                Err((code, expected)) => faults.push(self.cell_fault(code, index, row).expected(expected)),
            }
        }
        faults.into_result().map(|()| numbers)
    }

    fn cell_fault(&self, code: ErrorCode, index: usize, row: usize) -> ScoreError {
        let (column, cell) = (&self.columns[index], self.columns[index].get(row));
        ScoreError::new(code, format!("{} has {cell:?} in column '{}'", self.name, column.name()))
            .file(&self.name)
            .line(self.lines[row])
            .found(format!("{cell:?}"))
    }

    fn push(&mut self, record: &ByteRecord, line: u64, wanted: &[usize], check: Check, faults: &mut Faults) {
        let row = self.rows();
        self.lines.push(line);
        for (index, field) in wanted.iter().enumerate() {
            // The record is a piece of a valid text, cut at ASCII characters only.
            let cell = std::str::from_utf8(&record[*field]).unwrap_or_default();
            let column = if index == 0 { &mut self.ids } else { &mut self.columns[index - 1] };
            column.push(cell);
            if cell.trim().is_empty() {
                faults.push(
                    bad_format(&self.name, format!("has an empty '{}'", column.name()))
                        .line(line)
                        .found(format!("{cell:?}"))
                        .expected(format!("a value in column '{}'", column.name())),
                );
            } else if index > 0
                && let Err((code, expected)) = check(cell)
            {
                faults.push(self.cell_fault(code, index - 1, row).expected(expected));
            }
        }
    }

    /// Now and then asks whether to go on.
    pub(crate) fn look(&self, row: usize) -> Result<(), ScoreError> {
        match self.watch {
            Some(watch) if row.is_multiple_of(ROWS_BETWEEN_LOOKS) => watch.check(),
            _ => Ok(()),
        }
    }

    fn duplicate_ids(&self) -> Result<Faults, ScoreError> {
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(self.rows());
        let mut faults = Faults::none();
        for (row, id) in self.ids.iter().enumerate() {
            self.look(row)?;
            match first.entry(id) {
                Entry::Vacant(vacant) => _ = vacant.insert(row),
                // An empty id is a fault of its own already.
                Entry::Occupied(_) if id.trim().is_empty() => {}
                Entry::Occupied(earlier) => faults.push(
                    ScoreError::new(ErrorCode::Mismatch, format!("{} has the id {id:?} twice", self.name))
                        .file(&self.name)
                        .line(self.lines[row])
                        .found(format!("{id:?}, first on line {}", self.lines[*earlier.get()]))
                        .expected("every id once"),
                ),
            }
        }
        Ok(faults)
    }
}

pub(crate) fn number(cell: &str) -> Result<f64, (ErrorCode, &'static str)> {
    match cell.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err((ErrorCode::BadFormat, "a finite number")),
        Err(_) => Err((ErrorCode::TypeError, "a decimal number such as 1.5 or -2e3")),
    }
}

/// For every row of the ground truth, the row of the predictions with the same id. The two must have the same ids.
pub fn join(gt: &Table<'_>, pred: &Table<'_>) -> Result<Vec<usize>, ScoreError> {
    let joined = keyed::join(&Ids::of(gt)?, &Ids::of(pred)?, gt.watch)?;
    if joined.fits(Missing::Fault) {
        return Ok(joined.rows.into_iter().map(|row| row as usize).collect());
    }
    Err(ids_differ(gt, pred, Missing::Fault))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Table<'static>, Faults> {
        Table::parse("output/pred.csv", text, "id", &["label"])
    }

    fn faults(text: &str) -> Vec<String> {
        let faults = parse(text).unwrap_err();
        faults.list.iter().map(|f| format!("{} {} line {:?}", f.code, f.message, f.details.line)).collect()
    }

    #[test]
    fn quotes_line_ends_blank_lines_and_column_order() {
        let table = parse("label,extra,id\r\n\"a, \"\"b\"\"\nc\",x,1\r\n\r\n\n d ,y,02").unwrap();
        assert_eq!(table.ids().iter().collect::<Vec<_>>(), ["1", "02"]);
        assert_eq!(table.column(0).iter().collect::<Vec<_>>(), ["a, \"b\"\nc", " d "]);
        assert_eq!((table.line(0), table.line(1)), (2, 6));
    }

    #[test]
    fn every_fault_has_its_line() {
        assert_eq!(
            faults("id,label\n1,a\n\n,b\n1,c\n2\n3,x,y\n4, \n"),
            [
                "BAD_FORMAT output/pred.csv has an empty 'id' line Some(4)",
                "BAD_FORMAT output/pred.csv has a row with 1 fields where the header has 2 line Some(6)",
                "BAD_FORMAT output/pred.csv has a row with 3 fields where the header has 2 line Some(7)",
                "BAD_FORMAT output/pred.csv has an empty 'label' line Some(8)",
                "MISMATCH output/pred.csv has the id \"1\" twice line Some(5)",
            ]
        );
    }

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["", "id,label", "1,a", "", "2,"].join(end);
            assert!(faults(&text)[0].ends_with("line Some(5)"), "{end:?}: {:?}", faults(&text));
            let text = ["", "", "id,class", "1,a"].join(end);
            assert!(faults(&text)[0].ends_with("line Some(3)"), "{end:?}: {:?}", faults(&text));
        }
    }

    #[test]
    fn what_goes_through_all_rows_stops_with_the_job() {
        let late = Context::idle(Path::new("."), Some(0));
        let table = Table { watch: Some(late.watch()), ..parse("id,label\n1,2\n").unwrap() };
        assert_eq!(table.numbers(0).unwrap_err().list[0].code, ErrorCode::TimeoutError);
        assert_eq!(join(&table, &table).unwrap_err().code, ErrorCode::TimeoutError);
        assert_eq!(ids_differ(&table, &table, Missing::Fault).code, ErrorCode::TimeoutError);
        let [gt, pred] = [(); 2].map(|()| Ids::of(&parse("id,label\n1,2\n").unwrap()).unwrap());
        assert!(keyed::join(&gt, &pred, Some(late.watch())).is_err());
    }

    #[test]
    fn headers_are_exact_and_single() {
        assert_eq!(faults("1,a\n2,b\n").len(), 2);
        assert!(faults("id,label,label\n1,a,b\n")[0].contains("has 2 columns 'label'"));
        assert!(faults("ID,label\n1,a\n")[0].contains("has no column 'id'"));
        let hint = |text: &str| parse(text).unwrap_err().list[0].details.hint.clone().unwrap_or_default();
        assert!(hint("id;label\n1;a\n").contains("separated by commas"));
        assert!(hint("ID,label\n1,a\n").contains("compared exactly"));
        assert!(faults("id,label\n")[0].contains("has no rows"));
        assert!(faults("\n\n")[0].contains("is empty"));
    }

    #[test]
    fn an_open_quote_does_not_swallow_the_file() {
        assert!(faults("id,label\n1,a\n2,\"b\n3,c\n")[0].contains("never closed line Some(3)"));
        assert!(faults("id,label,x\n1,a,b\n2,5\" pipe,\"b\n3,y,c")[0].contains("never closed line Some(3)"));
        let inches = parse("id,label\n1,5\" pipe\n2,7\" pipe").unwrap();
        assert_eq!(inches.column(0).iter().collect::<Vec<_>>(), ["5\" pipe", "7\" pipe"]);
        assert!(parse("id,label\n1,\"a \"\"b\"\"\"").is_ok());
    }

    #[test]
    fn what_is_no_number_is_told_from_what_cannot_be_counted_with() {
        let table = parse("id,label\n1, 1.5 \n2,-2e3\n3,.5\n4,+7\n").unwrap();
        assert_eq!(table.numbers(0).unwrap(), [1.5, -2000.0, 0.5, 7.0]);
        let odd = parse("id,label\n1,two\n2,1_000\n3,0x10\n4,nan\n5,-inf\n6,1e999\n7,\"1,5\"\n").unwrap();
        let codes: Vec<_> = odd.numbers(0).unwrap_err().list.iter().map(|f| (f.code, f.details.line)).collect();
        let (wrong_type, not_finite) = (ErrorCode::TypeError, ErrorCode::BadFormat);
        assert_eq!(
            codes,
            [wrong_type, wrong_type, wrong_type, not_finite, not_finite, not_finite, wrong_type]
                .into_iter()
                .zip((2..).map(Some))
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_join_needs_the_same_ids_on_both_sides() {
        let gt = parse("id,label\na,1\nb,2\nc,3\n").unwrap();
        let pred = parse("id,label\nc,3\na,1\nb,2\n").unwrap();
        assert_eq!(join(&gt, &pred).unwrap(), [1, 2, 0]);
        let other = parse("id,label\nc,3\na,1\nx,2\ny,2\n").unwrap();
        let error = join(&gt, &other).unwrap_err();
        assert_eq!(
            error.message,
            "the ids of output/pred.csv are not those of output/pred.csv: 1 missing (\"b\"), 2 extra (\"x\", \"y\")"
        );
    }

    proptest! {
        #[test]
        fn what_a_csv_writer_writes_is_read_back(rows in prop::collection::vec(".*[a-z].*", 1..20)) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["id", "label"]).unwrap();
            for (id, label) in rows.iter().enumerate() {
                writer.write_record([&id.to_string(), label]).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let table = parse(&text).unwrap();
            prop_assert_eq!(table.column(0).iter().collect::<Vec<_>>(), rows);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[\",\r\n a-c]{0,60}") {
            _ = parse(&format!("id,label\n{text}"));
            _ = parse(&text);
        }
    }
}
